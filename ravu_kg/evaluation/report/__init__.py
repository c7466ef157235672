"""Runs in the layout of the paper's tables, beside its published figures; every figure says where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ravu_kg.errors import UsageError
from ravu_kg.evaluation.datasets import DATASETS
from ravu_kg.evaluation.metrics import Figure, compare
from ravu_kg.evaluation.questions import GROUPS
from ravu_kg.evaluation.report.tables import Row, Table, beside, percent, published, stand_ins
from ravu_kg.evaluation.runs import Run
from ravu_kg.evaluation.summary import Summary, summary_of
from ravu_kg.models.roles import EXTRACTIVE, RULES

_MEASURED = "Measured here"
_LOCALIZING = ("rerank", "text", "clip")
_GRAPH_NAMES = {"tracks": "given tracks", "detector": "a detector and tracker", "captions": "captions"}


@dataclass(frozen=True, slots=True)
class Described:
    """A run in words."""

    name: str
    facts: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"name": self.name, **dict(self.facts)}


@dataclass(frozen=True, slots=True)
class Report:
    """Tables of some runs."""

    runs: tuple[Described, ...]
    tables: tuple[Table, ...]
    pairs: tuple[str, ...]
    """What paired tests say, in sentences."""
    missing_wrong: bool

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "runs": [one.to_dict() for one in self.runs],
            "tables": [one.to_dict() for one in self.tables],
            "paired_tests": list(self.pairs),
            "missing_counts_as_wrong": self.missing_wrong,
        }


@dataclass(frozen=True, slots=True)
class _Measured:
    run: Run
    name: str
    summary: Summary


def make_report(runs: Sequence[Run], *, missing_wrong: bool = False, seed: int = 0) -> Report:
    """Put runs into tables.

    Args:
        runs: of any data sets; each appears in the tables that fit it.
        missing_wrong: count questions whose video is not in the graph as wrong.
        seed: of the intervals.

    Raises:
        UsageError: a run has no result.
    """
    if empty := next((run for run in runs if not run.results), None):
        raise UsageError(f"The run in {empty.path} has no result yet. Give its `ravu-kg eval run` command again.")
    names = _names(runs)
    measured = [
        _Measured(run, name, summary_of(run, missing_wrong=missing_wrong, seed=seed))
        for run, name in zip(runs, names, strict=True)
    ]
    return Report(
        tuple(_described(one) for one in measured),
        tuple(_tables(measured)),
        tuple(_paired(measured)),
        missing_wrong,
    )


def _tables(measured: Sequence[_Measured]) -> Iterator[Table]:
    answered = [one for one in measured if one.summary.overall.count]
    nextqa = [one for one in answered if one.run.setup.dataset in ("nextqa", "nextgqa")]
    egoschema = [one for one in answered if one.run.setup.dataset == "egoschema"]
    if nextqa:
        yield beside(published("table_1"), [row for one in nextqa for row in _both(one, _groups)])
    if egoschema:
        yield beside(published("table_2"), [row for one in egoschema for row in _both(one, _total)])
    if nextqa:
        yield beside(published("table_3"), [_by_type(one) for one in nextqa])
    if egoschema:
        yield beside(published("table_4"), [_row(one, (_share(one.summary.overall),)) for one in egoschema])
    if located := [one for one in measured if one.run.setup.method in _LOCALIZING and _of_groups(one)]:
        yield beside(published("table_5"), [_localized(one) for one in located])
    if len({one.run.setup.graph for one in nextqa}) > 1 or any(
        one.run.setup.dataset == "own" and _of_groups(one) for one in answered
    ):
        of_graphs = [one for one in answered if one.run.setup.dataset in ("nextqa", "nextgqa", "own")]
        yield beside(published("table_6"), [_by_graph(one) for one in of_graphs])
    yield from _others(answered)
    if grounded := [one for one in measured if one.summary.grounding is not None]:
        yield _grounding(grounded)
    yield _costs(measured)


def _others(answered: Sequence[_Measured]) -> Iterator[Table]:
    """Data sets that the paper has no table of, by their types."""
    for name in ("intentqa", "star", "own"):
        runs = [one for one in answered if one.run.setup.dataset == name]
        if not runs:
            continue
        types = list(dict.fromkeys(kind for one in runs for kind in one.summary.types))
        rows = [
            _row(one, (*(_share(one.summary.types.get(kind)) for kind in types), _share(one.summary.overall)))
            for one in runs
        ]
        yield Table(name, f"{DATASETS[name].title} by type of question", (*types, "all"), tuple(rows))


def _grounding(measured: Sequence[_Measured]) -> Table:
    columns = ("best second", "IoP", "IoU", "Acc@GQA", "IoP C", "IoP T", "IoP TN", "IoP TP", "IoP TC")
    rows: list[Row] = []
    for one in measured:
        total = one.summary.grounding
        assert total is not None  # only such runs are given
        parts = [one.summary.grounding_by.get(name) for name in ("C", "T", "TN", "TP", "TC")]
        values = (
            percent(total.top.value),
            percent(total.iop.value),
            percent(total.iou.value),
            percent(total.grounded.value),
            *(None if part is None else percent(part.iop.value) for part in parts),
        )
        row = Row(_MEASURED, one.name, values, "measured", _ends(total.iop), total.iop.count)
        rows.append(row)
    note = (
        "Evidence is the five best distinct seconds, each standing for [s, s + 1); all figures in per cent. Best "
        "second: its centre lies in a true span. IoP: the part of the evidence inside the true spans. Acc@GQA: right, "
        "with an IoP of at least 0.5. The interval is that of the IoP."
    )
    return Table("grounding", "Grounding of the evidence", columns, tuple(rows), note)


def _costs(measured: Sequence[_Measured]) -> Table:
    rows = [
        Row(
            _MEASURED,
            one.name,
            (
                one.summary.cost.input_tokens,
                one.summary.cost.output_tokens,
                None if one.summary.cost.cost_usd is None else 1000 * one.summary.cost.cost_usd,
                1000 * one.summary.cost.elapsed_s,
            ),
            "measured",
        )
        for one in measured
    ]
    columns = ("tokens in", "tokens out", "US dollars for 1,000", "ms")
    return Table("cost", "What a question takes", columns, tuple(rows), "Means; a dash where a price is not known.")


def _both(one: _Measured, values: Callable[[_Measured, bool], tuple[float | None, ...]]) -> Iterator[Row]:
    """Not blocked and overall, as the paper reports both; one row where nothing was blocked."""
    if one.summary.blocked:
        count = one.summary.not_blocked.count
        yield Row(_MEASURED, f"{one.name}, not blocked", values(one, False), "measured", None, count)
        yield _row(one, values(one, True), f"{one.name}, overall")
    else:
        yield _row(one, values(one, True))


def _groups(one: _Measured, overall: bool) -> tuple[float | None, ...]:
    groups = one.summary.groups if overall else one.summary.groups_not_blocked
    total = one.summary.overall if overall else one.summary.not_blocked
    return (*(_share(groups.get(group)) for group in "CTD"), _share(total))


def _total(one: _Measured, overall: bool) -> tuple[float | None, ...]:
    return (_share(one.summary.overall if overall else one.summary.not_blocked),)


def _by_type(one: _Measured) -> Row:
    types, groups = one.summary.types, one.summary.groups
    values: list[float | None] = []
    for group in "CTD":
        values += [_share(types.get(kind)) for kind, of in GROUPS.items() if of == group]
        values.append(_share(groups.get(group)))
    tokens = one.summary.cost.input_tokens
    return _row(one, (*values, _share(one.summary.overall), round(tokens / 1000, 2)))


def _by_graph(one: _Measured) -> Row:
    graph = one.run.setup.graph
    name = f"{one.name} ({_GRAPH_NAMES.get(graph, f'{graph} annotation')})"
    return _row(one, _groups(one, True), name)


def _localized(one: _Measured) -> Row:
    by = one.summary.grounding_by
    figures = [by[group].top if group in by else None for group in "CT"]
    total = sum(figure.count for figure in figures if figure)
    return Row(_MEASURED, one.name, tuple(_share(figure) for figure in figures), "measured", None, total)


def _row(one: _Measured, values: tuple[float | None, ...], name: str = "") -> Row:
    overall = one.summary.overall
    return Row(_MEASURED, name or one.name, values, "measured", _ends(overall), overall.count)


def _ends(figure: Figure) -> tuple[float, float] | None:
    return None if figure.low != figure.low else (round(100 * figure.low, 2), round(100 * figure.high, 2))


def _share(figure: Figure | None) -> float | None:
    return None if figure is None else percent(figure.value)


def _of_groups(one: _Measured) -> bool:
    """Whether its questions have true spans and NExT-QA's groups."""
    return any(group in one.summary.grounding_by for group in "CT")


def _described(one: _Measured) -> Described:
    setup, summary = one.run.setup, one.summary
    source = stand_ins()
    asked = len(one.run.results)
    facts = [
        ("data set", f"{DATASETS[setup.dataset].title}: {setup.questions} questions{_chosen(one.run)}"),
        ("method", f"{setup.method}: {setup.options.get('says', '')}"),
        ("graph", setup.pipeline or "none"),
        ("answers", _answers(setup.roles)),
        ("encoder", _instead(setup.embedder, source["embedder"])),
    ]
    if others := [f"{role} {model}" for role, model in setup.roles.items() if role != "answer" and model != RULES]:
        facts.append(("models", ", ".join(others)))
    if asked < setup.questions:
        facts.append(("not complete", f"{asked} of {setup.questions} questions have a result"))
    for title, count in (
        ("not in the graph", summary.missing),
        ("blocked", summary.blocked),
        ("failed", summary.failed),
        ("not known", summary.unknown),
    ):
        if count:
            facts.append((title, f"{count} questions"))
    facts.append(("version", f"ravu-kg {one.run.manifest.version}, seed {setup.seed}"))
    return Described(one.name, tuple(facts))


def _answers(roles: Mapping[str, str]) -> str:
    model = roles.get("answer", EXTRACTIVE)
    return "extractive, without a language model" if model == EXTRACTIVE else model


def _instead(used: str, paper: str) -> str:
    return used if used.endswith(paper) else f"{used} (the paper: {paper})"


def _chosen(run: Run) -> str:
    parts = [f"types {', '.join(run.setup.types)}"] if run.setup.types else []
    parts += [f"{run.setup.limit} drawn by seed {run.setup.seed}"] if run.setup.limit else []
    return f" ({'; '.join(parts)})" if parts else ""


def _paired(measured: Sequence[_Measured]) -> Iterator[str]:
    """The first run of each data set against the others on the same questions."""
    for position, first in enumerate(measured):
        if any(one.run.setup.dataset == first.run.setup.dataset for one in measured[:position]):
            continue
        for other in measured[position + 1 :]:
            if other.run.setup.dataset != first.run.setup.dataset or not other.summary.overall.count:
                continue
            pair = compare(
                [one for one in other.run.results if one.scored], [one for one in first.run.results if one.scored]
            )
            if pair.count:
                yield (
                    f"{first.name} against {other.name} on {pair.count} questions: {100 * pair.second:.1f} to "
                    f"{100 * pair.first:.1f} per cent; {pair.won} won, {pair.lost} lost, p = {pair.p_value:.2g}."
                )


def _names(runs: Sequence[Run]) -> list[str]:
    """Folders of one name are told apart by number."""
    names: list[str] = []
    for run in runs:
        number, name = 1, run.name
        while name in names:
            number += 1
            name = f"{run.name} {number}"
        names.append(name)
    return names
