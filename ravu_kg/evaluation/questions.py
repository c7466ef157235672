"""A question of a data set, and which of them a run takes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ravu_kg.errors import UsageError
from ravu_kg.types import Span

GROUPS = {
    "CW": "C", "CH": "C",
    "TP": "T", "TN": "T", "TC": "T",
    "DC": "D", "DL": "D", "DO": "D",
}  # fmt: skip
"""NExT-QA's types: causal why and how; temporal previous, next and current; descriptive count, location and other."""
TYPE_ORDER = ("CW", "CH", "TP", "TN", "TC", "DC", "DL", "DO")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a data set, with what is known of its answer."""

    id: str
    """Unique in its data set."""
    video: str
    """As the data set names it."""
    question: str
    options: tuple[str, ...] = ()
    answer: int | None = None
    """Position of the right option; None for one that only asks where something is."""
    type: str = ""
    group: str = ""
    """Types are reported together by it: C, T and D of NExT-QA."""
    spans: tuple[Span, ...] = ()
    """The seconds in which the answer is seen, half-open; empty when they are not known."""
    duration_s: float | None = None


def select(
    questions: Sequence[Question], *, types: Sequence[str] = (), limit: int | None = None, seed: int = 0
) -> list[Question]:
    """The questions of some types or groups, and of these a sample, in the order of the data set.

    Args:
        questions: of a data set.
        types: types or groups; empty for all.
        limit: at most so many, drawn by the seed; None for all.
        seed: of the draw.

    Raises:
        UsageError: no question has such a type, or a limit below one.
    """
    known = sorted({name for one in questions for name in (one.type, one.group) if name})
    if unknown := [name for name in types if name not in known]:
        raise UsageError(f"No question has the type {unknown[0]!r}. There are: {', '.join(known) or 'none'}.")
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit} leaves no question. Give 1 or more.")
    chosen = [one for one in questions if not types or one.type in types or one.group in types]
    if limit is None or limit >= len(chosen):
        return chosen
    kept = set(random.Random(seed).sample(range(len(chosen)), limit))
    return [one for position, one in enumerate(chosen) if position in kept]
