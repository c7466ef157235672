"""The methods of an evaluation, each by its name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ravu_kg.errors import UsageError
from ravu_kg.evaluation.methods.baselines import AllFrames, Blind, TextSearch
from ravu_kg.evaluation.methods.protocol import Method
from ravu_kg.evaluation.methods.ravu import Ravu, RavuHierarchical, Rerank

__all__ = ["METHODS", "Method", "make_method"]

METHODS: Mapping[str, str] = {
    "blind": "the question and its options alone",
    "all-frames": "everything that is known of each sampled frame",
    "clip": "the frames of the video's file that are nearest to the question by CLIP",
    "text": "the frames whose sentences are nearest to the question in meaning",
    "ravu": "a plan over the graph, as ravu-kg ask does",
    "ravu-hierarchical": "of each event the moments that tell most",
    "rerank": "localize_node with its judge, for questions that ask where something is",
}
"""Name -> what it answers from."""


def make_method(name: str, *, seconds: int, clip_model: str = "") -> Method:
    """A method by its name.

    Args:
        name: one of :data:`METHODS`.
        seconds: how many frames ``text`` and ``clip`` choose.
        clip_model: for ``clip``, see :func:`ravu_kg.evaluation.methods.clip.load_clip`; empty for the paper's.

    Raises:
        UsageError: no such method, or less than one frame.
        MissingExtraError: ``clip`` needs libraries that are not installed.
        ProviderError: the weights of CLIP cannot be had.
    """
    if seconds < 1:
        raise UsageError(f"{seconds} seconds are no evidence. Give 1 or more.")
    match name:
        case "blind":
            return Blind()
        case "all-frames":
            return AllFrames()
        case "text":
            return TextSearch(seconds)
        case "ravu":
            return Ravu()
        case "ravu-hierarchical":
            return RavuHierarchical()
        case "rerank":
            return Rerank()
        case "clip":
            from ravu_kg.evaluation.methods.clip import ClipSearch, load_clip

            return ClipSearch(load_clip(clip_model), seconds)
        case _:
            near = difflib.get_close_matches(name, METHODS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"There is no method {name!r}. There are: {', '.join(METHODS)}.{hint}")
