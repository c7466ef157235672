"""How many cores this process may use: one of several workers on a machine does not use them all."""

from __future__ import annotations

import os
import sys

VARIABLE = "OMP_NUM_THREADS"
"""What PyTorch and NumPy heed as well."""


def cores() -> int:
    """Cores that detectors, encoders and decoding may use, at least 1: all, unless the variable names a number."""
    named = os.environ.get(VARIABLE, "").partition(",")[0].strip()
    if named.isdecimal() and int(named) > 0:
        return int(named)
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
