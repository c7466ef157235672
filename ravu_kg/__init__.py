"""RAVU-KG: a video becomes a spatio-temporal graph in Neo4j, and questions are answered from it.

>>> from ravu_kg import VideoMemory
>>> with VideoMemory.open() as memory:
...     video = memory.index("street.mp4", tracks="street.tracks.json").video_id
...     print(memory.ask(video, "How many vans are there?").answer)
2 vans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ravu_kg.errors import RavuError
    from ravu_kg.memory import IndexResult, VideoMemory
    from ravu_kg.settings import Settings

__version__ = "0.1.0"
__all__ = ["IndexResult", "RavuError", "Settings", "VideoMemory", "__version__"]

_HOMES = {
    "IndexResult": "ravu_kg.memory",
    "RavuError": "ravu_kg.errors",
    "Settings": "ravu_kg.settings",
    "VideoMemory": "ravu_kg.memory",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that ``import ravu_kg`` costs nothing."""
    if name in _HOMES:
        from importlib import import_module

        value: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
