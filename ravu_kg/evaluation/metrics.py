"""Figures of a run: accuracy, grounding, tokens; how sure they are, and whether two runs differ."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ravu_kg.evaluation.results import Result
from ravu_kg.types import Span

EVIDENCE_SECONDS = 5
GROUNDED_IOP = 0.5
"""From this IoP on an answer counts as grounded (NExT-GQA's Acc@GQA)."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions."""

    value: float
    """NaN for none."""
    count: int
    low: float = math.nan
    """Ends of the 95 % interval, by resampling videos."""
    high: float = math.nan


@dataclass(frozen=True, slots=True)
class Paired:
    """Two runs on the questions that both have."""

    count: int
    first: float
    second: float
    won: int
    """Right in the second run alone."""
    lost: int
    """Right in the first run alone."""
    p_value: float
    """Exact McNemar test, two-sided: how likely so uneven a split is if neither run is better."""


# --- accuracy ---


def accuracy(results: Iterable[Result], *, overall: bool = True) -> Figure:
    """The share of right answers, 0..1.

    Args:
        results: of a run; questions whose video is not in the graph do not count.
        overall: blocked questions count as wrong; else they do not count.
    """
    counted = [one for one in results if one.scored and (overall or one.outcome != "refused")]
    return Figure(_mean([one.right for one in counted]), len(counted))


def by_type(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Results by type of question."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for one in results:
        found[one.type].append(one)
    return dict(found)


def by_group(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Results by group of types."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for one in results:
        found[one.group].append(one)
    return dict(found)


# --- grounding: a chosen second s stands for [s, s + 1) ---


def top_second_in_span(result: Result) -> bool:
    """Whether the centre of the best second lies in a true span."""
    return bool(result.seconds) and any(a <= result.seconds[0] + 0.5 < b for a, b in result.spans)


def iop(result: Result, seconds: int = EVIDENCE_SECONDS) -> float:
    """The part of the best seconds that lies inside the true spans, 0..1; 0 without evidence."""
    chosen = result.seconds[:seconds]
    return _inside(chosen, union(result.spans)) / len(chosen) if chosen else 0.0


def iou(result: Result, seconds: int = EVIDENCE_SECONDS) -> float:
    """Seconds that are both chosen and true, as a part of those that are either, 0..1."""
    chosen, spans = result.seconds[:seconds], union(result.spans)
    shared_s = _inside(chosen, spans)
    either_s = len(chosen) + sum(b - a for a, b in spans) - shared_s
    return shared_s / either_s if either_s else 0.0


def union(spans: Sequence[Span]) -> list[Span]:
    """The stretches that spans cover together, in time order."""
    merged: list[Span] = []
    for start_s, end_s in sorted(spans):
        if merged and start_s <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end_s))
        else:
            merged.append((start_s, end_s))
    return merged


def grounded(result: Result) -> bool:
    """Right, and by evidence that is mostly true: what Acc@GQA counts."""
    return result.right and iop(result) >= GROUNDED_IOP


def mean_of(results: Iterable[Result], measure: Callable[[Result], float]) -> Figure:
    """The mean of a measure over the results that have true spans and a video in the graph."""
    counted = [one for one in results if one.spans and one.outcome != "missing"]
    return Figure(_mean([float(measure(one)) for one in counted]), len(counted))


# --- cost ---


@dataclass(frozen=True, slots=True)
class Cost:
    """What a question takes on average."""

    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """None where a price is not known."""
    elapsed_s: float


def cost(results: Sequence[Result]) -> Cost:
    """Means over the questions that were put to the graph."""
    asked = [one for one in results if one.outcome != "missing"]
    prices = [one.cost_usd for one in asked]
    return Cost(
        _mean([one.input_tokens for one in asked]),
        _mean([one.output_tokens for one in asked]),
        None if None in prices else _mean([price or 0.0 for price in prices]),
        _mean([one.elapsed_s for one in asked]),
    )


# --- how sure ---


def interval(
    results: Iterable[Result], measure: Callable[[Result], float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """95 % interval of the mean of a measure: whole videos are drawn again, for their questions are not independent.

    Args:
        results: those that count.
        measure: of one result.
        seed: of the draws.
        resamples: how many.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, int] = defaultdict(int)
    for one in results:
        sums[one.video] += float(measure(one))
        counts[one.video] += 1
    if not sums:
        return math.nan, math.nan
    total, count = np.array(list(sums.values())), np.array(list(counts.values()))
    draws = np.random.default_rng(seed).integers(0, len(total), (resamples, len(total)))
    means = total[draws].sum(axis=1) / count[draws].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def compare(first: Iterable[Result], second: Iterable[Result]) -> Paired:
    """Accuracy of two runs on the questions that both were scored on."""
    pairs = pairs_of(first, second)
    won = sum(b.right and not a.right for a, b in pairs)
    lost = sum(a.right and not b.right for a, b in pairs)
    return Paired(
        len(pairs),
        _mean([a.right for a, _ in pairs]),
        _mean([b.right for _, b in pairs]),
        won,
        lost,
        _binomial(won, lost),
    )


def difference(
    first: Iterable[Result],
    second: Iterable[Result],
    measure: Callable[[Result], float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Mean of the second minus that of the first, and its p-value by flipping the signs of whole videos.

    Args:
        first: one run.
        second: another on the same questions.
        measure: such as :func:`iop`.
        seed: of the flips.
        resamples: how many.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    pairs = pairs_of(first, second)
    for a, b in pairs:
        sums[a.video] += float(measure(b)) - float(measure(a))
    if not pairs:
        return math.nan, math.nan
    values = np.array(list(sums.values()))
    flips = np.random.default_rng(seed).choice(np.array([-1.0, 1.0]), (resamples, len(values)))
    observed = abs(values.sum())
    # What was observed is one of the ways it can come about.
    extreme = int((np.abs(flips @ values) >= observed - 1e-12).sum()) + 1
    return float(values.sum() / len(pairs)), extreme / (resamples + 1)


def pairs_of(first: Iterable[Result], second: Iterable[Result]) -> list[tuple[Result, Result]]:
    """The results of two runs for each question that neither lacks, in the order of the first."""
    others: Mapping[str, Result] = {one.id: one for one in second if one.outcome != "missing"}
    return [(one, others[one.id]) for one in first if one.outcome != "missing" and one.id in others]


# --- helpers ---


def _binomial(won: int, lost: int) -> float:
    count = won + lost
    tail = sum(math.comb(count, one) for one in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / 2**count)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _inside(seconds: Sequence[int], spans: Sequence[Span]) -> float:
    return sum(max(0.0, min(second + 1, b) - max(second, a)) for second in seconds for a, b in spans)
