"""Two runs compared: the questions that one answers rightly and the other does not, with what each had for evidence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from ravu_kg.errors import UsageError
from ravu_kg.evaluation import metrics
from ravu_kg.evaluation.metrics import Paired
from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.runs import Run

_TEXTS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """What one run said."""

    answer: str
    seconds: tuple[int, ...]
    texts: tuple[str, ...]
    """The evidence that scored best."""


@dataclass(frozen=True, slots=True)
class Change:
    """One question that only one of the runs answers rightly."""

    id: str
    type: str
    question: str
    right: str
    first: Side
    second: Side


@dataclass(frozen=True, slots=True)
class Difference:
    """How a second run differs from a first."""

    first: str
    second: str
    paired: Paired
    iop: tuple[float, float] | None
    """Second minus first, and the p-value; None where no question has true spans."""
    won: tuple[Change, ...]
    lost: tuple[Change, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        paired = {name: None if _is_nan(value) else value for name, value in asdict(self.paired).items()}
        iop = None if self.iop is None else {"difference": self.iop[0], "p_value": self.iop[1]}
        return {
            "first": self.first,
            "second": self.second,
            "paired": paired,
            "iop": iop,
            "won": [asdict(one) for one in self.won],
            "lost": [asdict(one) for one in self.lost],
        }


def compare_runs(first: Run, second: Run) -> Difference:
    """What the second run wins and loses.

    Raises:
        UsageError: they have no question in common.
    """
    pairs = metrics.pairs_of(first.results, second.results)
    if not pairs:
        raise UsageError(f"{first.path} and {second.path} have no question in common. Compare runs on one data set.")
    spanned = any(a.spans for a, _ in pairs)
    return Difference(
        first.name,
        second.name,
        metrics.compare(first.results, second.results),
        metrics.difference(
            [one for one in first.results if one.spans], [one for one in second.results if one.spans], metrics.iop
        )
        if spanned
        else None,
        tuple(_change(a, b) for a, b in pairs if b.right and not a.right),
        tuple(_change(a, b) for a, b in pairs if a.right and not b.right),
    )


def _change(first: Result, second: Result) -> Change:
    right = first.options[first.truth] if first.truth is not None else ""
    return Change(first.id, first.type, first.question, right, _side(first), _side(second))


def _side(result: Result) -> Side:
    best = sorted(result.evidence, key=lambda one: -one.score)
    texts = dict.fromkeys(f"{one.timestamp_s:g} s: {one.text}" for one in best if one.text)
    return Side(result.answer, result.seconds[: metrics.EVIDENCE_SECONDS], tuple(texts)[:_TEXTS])


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
