"""Bundles that somebody has changed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

Change = Callable[[bytes], bytes]


def rebuilt(
    source: Path,
    target: Path,
    changes: Mapping[str, Change] | None = None,
    manifest: Mapping[str, object] | None = None,
    more: Mapping[str, bytes] | None = None,
    *,
    honest: bool = True,
) -> Path:
    """A bundle with other contents. An honest one has the digests and counts of what it holds now."""
    with zipfile.ZipFile(source) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for name, change in (changes or {}).items():
        files[name] = change(files[name])
    stated = json.loads(files["manifest.json"]) | dict(manifest or {})
    if honest:
        for part in stated["parts"]:
            content = files[part["file"]]
            part["bytes"], part["sha256"] = len(content), hashlib.sha256(content).hexdigest()
            if part["file"].endswith("l"):
                part["records"] = content.count(b"\n")
    files["manifest.json"] = json.dumps(stated).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, **(more or {})}.items():
            archive.writestr(name, content)
    return target


def edited(number: int, change: Callable[[dict[str, object]], object]) -> Change:
    """Changes one record, in place, of a part."""

    def apply(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        record = json.loads(lines[number])
        change(record)
        lines[number] = json.dumps(record).encode() + b"\n"
        return b"".join(lines)

    return apply
