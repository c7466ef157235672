"""How many cores this process may use: one of several workers on a machine does not use them all."""

from __future__ import annotations

import os
import sys

_OURS, _OF_LIBRARIES = "_RAVU_KG_CORES", "OMP_NUM_THREADS"
"""Libraries set theirs on their own when they are imported, so it does not say what was meant for this process."""


def cores() -> int:
    """Cores that detectors, encoders and decoding may use, at least 1: all, unless the process was given fewer."""
    given = os.environ.get(_OURS, "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def share_of(threads: int) -> dict[str, str]:
    """The environment of a process that may use so many cores, what PyTorch and NumPy heed included."""
    return {_OURS: str(threads), _OF_LIBRARIES: str(threads)}


def take_what_ray_gives() -> None:
    """Make this process, an actor of Ray, use as many cores as Ray has told its libraries to."""
    os.environ.setdefault(_OURS, os.environ.get(_OF_LIBRARIES, ""))
