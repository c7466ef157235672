"""Leave one OpenCV wheel that can be imported: the usual one, or the headless one where libGL or glib is missing.

Run with the interpreter whose environment is to be mended, after each install: pip puts the usual wheel back.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

USUAL = "opencv-python"
HEADLESS = "opencv-python-headless"


def main() -> None:
    """Swap the wheels where needed; a wheel that fails for another reason stays and says so itself."""
    present = [name for name in (USUAL, HEADLESS) if _version(name)]
    if not present:
        sys.exit("No OpenCV wheel is installed.")
    error = _import_error()
    if len(present) == 1 and "cannot open shared object file" not in error:
        return
    number = _version(present[0])
    wanted = HEADLESS if error or present == [HEADLESS] else USUAL
    if wanted == HEADLESS:
        cause = error.rpartition("ImportError: ")[2].strip() or "a system library is missing"
        print(f"OpenCV: {cause}. Taking {HEADLESS} {number} instead, which needs no system library.", flush=True)
    _pip("uninstall", "-y", *present)
    _pip("install", "--no-deps", f"{wanted}=={number}")
    if error := _import_error():
        sys.exit(f"OpenCV still cannot be imported: {error}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _import_error() -> str:
    tried = subprocess.run([sys.executable, "-c", "import cv2"], capture_output=True, text=True)
    return tried.stderr if tried.returncode else ""


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments], check=True)


if __name__ == "__main__":
    main()
