"""The prompts: one file a model call, stable instructions only; what varies goes into the request as data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def load(name: str) -> str:
    """The instructions of one call (the paper's s_fd, s_g, s_d, s_e, ...), without space around them.

    Args:
        name: file name without ``.md``.

    Raises:
        FileNotFoundError: there is no such prompt.
    """
    return (files("ravu_kg.prompts") / f"{name}.md").read_text(encoding="utf-8").strip()
