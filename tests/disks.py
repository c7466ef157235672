"""Small disks in memory, for what happens when a disk gets full or is read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


class Disk:
    """A small disk of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        with self._ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(self.folder).free)

    def free(self) -> None:
        self._ballast.unlink()

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)


def mounted(folder: Path, size_mb: int) -> Disk | None:
    """A new disk at a new folder; None where one may not be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "none", folder]
    done = subprocess.run(command, capture_output=True, check=False) if shutil.which("mount") else None
    return Disk(folder) if done is not None and done.returncode == 0 else None
