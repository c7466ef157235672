"""The figures of one run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ravu_kg.evaluation import metrics
from ravu_kg.evaluation.metrics import Cost, Figure
from ravu_kg.evaluation.questions import TYPE_ORDER
from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.runs import Run

_NOWHERE = ("blind", "all-frames")


@dataclass(frozen=True, slots=True)
class Grounding:
    """How well the evidence falls into the true seconds."""

    top: Figure
    """The best second lies in a true span."""
    iop: Figure
    iou: Figure
    grounded: Figure
    """NExT-GQA's Acc@GQA; over no questions where there is nothing to answer."""

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "best_second_in_span": _plain(self.top),
            "iop": _plain(self.iop),
            "iou": _plain(self.iou),
            "acc_gqa": _plain(self.grounded),
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one run."""

    overall: Figure
    """Blocked questions count as wrong."""
    not_blocked: Figure
    types: dict[str, Figure]
    groups: dict[str, Figure]
    """Overall ones, as those of the types."""
    groups_not_blocked: dict[str, Figure]
    grounding: Grounding | None
    """None without true spans."""
    grounding_by: dict[str, Grounding]
    """By group and type."""
    cost: Cost
    missing: int
    blocked: int
    failed: int
    unknown: int

    def pairs(self) -> list[tuple[str, str]]:
        """Names and figures for a terminal."""
        pairs: list[tuple[str, str]] = []
        if self.overall.count:
            pairs.append(("accuracy", f"{shown(self.overall)} of {self.overall.count}"))
            if self.blocked:
                pairs.append(("  not blocked", f"{shown(self.not_blocked)} of {self.not_blocked.count}"))
            pairs += [(f"  {name}", f"{shown(one)} of {one.count}") for name, one in self.types.items()]
        if self.grounding is not None:
            pairs += [
                ("best second", f"{shown(self.grounding.top)} in a true span"),
                ("IoP", number(self.grounding.iop)),
                ("IoU", number(self.grounding.iou)),
            ]
            if self.grounding.grounded.count:
                pairs.append(("Acc@GQA", shown(self.grounding.grounded)))
            pairs += [
                (f"  {name}", f"best second {shown(one.top)}, IoP {number(one.iop)} of {one.iop.count}")
                for name, one in self.grounding_by.items()
                if len(self.types) > 1
            ]
        if self.cost.input_tokens:
            price = "price not known" if self.cost.cost_usd is None else f"${self.cost.cost_usd:.5f}"
            pairs.append(("a question", f"{self.cost.input_tokens:.0f} input tokens, {price}"))
        for name, count in (("unknown", self.unknown), ("failed", self.failed), ("not in the graph", self.missing)):
            if count:
                pairs.append((name, str(count)))
        return pairs

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "overall": _plain(self.overall),
            "not_blocked": _plain(self.not_blocked),
            "types": {name: _plain(one) for name, one in self.types.items()},
            "groups": {name: _plain(one) for name, one in self.groups.items()},
            "grounding": self.grounding.to_dict() if self.grounding else None,
            "grounding_by": {name: one.to_dict() for name, one in self.grounding_by.items()},
            "cost": {
                "input_tokens": _finite(self.cost.input_tokens),
                "output_tokens": _finite(self.cost.output_tokens),
                "cost_usd": None if self.cost.cost_usd is None else _finite(self.cost.cost_usd),
                "elapsed_s": _finite(self.cost.elapsed_s),
            },
            "missing": self.missing,
            "blocked": self.blocked,
            "failed": self.failed,
            "unknown": self.unknown,
        }


def summary_of(run: Run, *, missing_wrong: bool = False, seed: int = 0) -> Summary:
    """The figures of a run.

    Args:
        run: complete or not.
        missing_wrong: count questions whose video is not in the graph as wrong.
        seed: of the intervals.
    """
    results = [
        replace(one, outcome="unknown") if missing_wrong and one.outcome == "missing" else one for one in run.results
    ]
    types = metrics.by_type(results)
    order = {name: position for position, name in enumerate(TYPE_ORDER)}
    names = sorted(types, key=lambda name: (order.get(name, len(order)), name))
    groups = metrics.by_group(results)
    # Methods that look nowhere, or everywhere, choose no second.
    spanned = [one for one in results if one.spans and run.setup.method not in _NOWHERE]
    parts = {**groups, **{name: types[name] for name in names}}
    return Summary(
        overall=_accuracy(results, seed),
        not_blocked=metrics.accuracy(results, overall=False),
        types={name: metrics.accuracy(types[name]) for name in names},
        groups={name: metrics.accuracy(part) for name, part in groups.items()},
        groups_not_blocked={name: metrics.accuracy(part, overall=False) for name, part in groups.items()},
        grounding=_grounding(spanned, seed) if spanned else None,
        grounding_by={
            name: _grounding(part, seed) for name, part in parts.items() if spanned and any(one.spans for one in part)
        },
        cost=metrics.cost(results),
        missing=sum(one.outcome == "missing" for one in run.results),
        blocked=sum(one.outcome == "refused" for one in results),
        failed=sum(one.outcome == "failed" for one in results),
        unknown=sum(one.outcome == "unknown" for one in results),
    )


def shown(figure: Figure) -> str:
    """As a percentage, with its interval when it has one."""
    if not figure.count:
        return "-"
    ends = f" [{figure.low:.1%}, {figure.high:.1%}]" if figure.low == figure.low else ""
    return f"{figure.value:.1%}{ends}"


def number(figure: Figure) -> str:
    """As a number of 0..1, with its interval when it has one."""
    if not figure.count:
        return "-"
    ends = f" [{figure.low:.3f}, {figure.high:.3f}]" if figure.low == figure.low else ""
    return f"{figure.value:.3f}{ends}"


def _accuracy(results: list[Result], seed: int) -> Figure:
    found = metrics.accuracy(results)
    low, high = metrics.interval([one for one in results if one.scored], lambda one: one.right, seed=seed)
    return replace(found, low=low, high=high)


def _grounding(results: list[Result], seed: int) -> Grounding:
    counted = [one for one in results if one.spans and one.outcome != "missing"]
    top = metrics.mean_of(counted, metrics.top_second_in_span)
    iop = metrics.mean_of(counted, metrics.iop)
    top_ends = metrics.interval(counted, metrics.top_second_in_span, seed=seed)
    iop_ends = metrics.interval(counted, metrics.iop, seed=seed)
    return Grounding(
        top=replace(top, low=top_ends[0], high=top_ends[1]),
        iop=replace(iop, low=iop_ends[0], high=iop_ends[1]),
        iou=metrics.mean_of(counted, metrics.iou),
        grounded=metrics.mean_of([one for one in counted if one.truth is not None], metrics.grounded),
    )


def _plain(figure: Figure) -> dict[str, object]:
    return {
        "value": _finite(figure.value),
        "count": figure.count,
        "low": _finite(figure.low),
        "high": _finite(figure.high),
    }


def _finite(value: float) -> float | None:
    return None if value != value else round(value, 6)
