"""What reading a ZIP archive raises when it is cut or damaged: that depends on where the damage is."""

from __future__ import annotations

import struct
import zipfile
import zlib

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,  # a file of it is missing
    OverflowError,
    RuntimeError,  # encrypted, of a later version, or packed in another way
    ValueError,  # UnicodeDecodeError: names
)
"""Besides :class:`OSError`, which a file that cannot be read raises as well."""
