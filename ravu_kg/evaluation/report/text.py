"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ravu_kg.evaluation.report import Report
from ravu_kg.evaluation.report.tables import Row, Table

INTRODUCTION = (
    "Rows marked measured come from the runs below. All other rows are quoted from the publication that is named under "
    "the table, and were not measured here: they were made with other models, on the videos themselves."
)
INTERVAL = "95 % interval (questions)"
INTERVALS = "95 % intervals, from resampling whole videos, are those of the overall accuracy."


def as_markdown(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report))


def cell(value: float | None, decimals: int) -> str:
    """A figure as it is printed."""
    return "-" if value is None else f"{value:.{decimals}f}"


def interval(row: Row) -> str:
    """The interval of a row, and in brackets how many questions it is about."""
    ends = "" if row.low_high is None else f"{row.low_high[0]:.1f} to {row.low_high[1]:.1f}"
    return " ".join(part for part in (ends, "" if row.questions is None else f"({row.questions:,})") if part)


def sources(table: Table) -> str:
    """Which rows are measured and where the others stand."""
    if not table.source:
        return "All rows were measured here."
    return f"Rows without the mark are quoted: {table.source}."


def heading(table: Table) -> str:
    """Of a table, with the paper's number."""
    number = table.key.removeprefix("table_")
    return f"Table {number}: {table.title}" if number.isdecimal() else table.title


def _lines(report: Report) -> Iterator[str]:
    yield "# Evaluation"
    yield ""
    yield INTRODUCTION
    yield INTERVALS
    if report.missing_wrong:
        yield "Questions whose video is not in the graph count as wrong."
    for table in report.tables:
        yield ""
        yield f"## {heading(table)}"
        yield ""
        yield from _table(table)
        yield ""
        yield sources(table)
        if table.note:
            yield table.note
    if report.pairs:
        yield ""
        yield "## Paired tests"
        yield ""
        yield from (f"- {_escaped(one)}" for one in report.pairs)
    yield ""
    yield "## Runs"
    for run in report.runs:
        yield ""
        yield f"### {_escaped(run.name)}"
        yield ""
        yield from (f"- {name}: {_escaped(value)}" for name, value in run.facts)
    yield ""


def _table(table: Table) -> Iterator[str]:
    more = [INTERVAL] if table.counted else []
    yield _cells(["", *table.columns, *more])
    yield _cells([":--", *("--:" for _ in table.columns), *(":--" for _ in more)])
    for row in table.rows:
        mark = "**measured** " if row.origin == "measured" else ""
        section = f"{row.section}: " if row.section and row.origin == "quoted" else ""
        name = f"{mark}{section}{_escaped(row.name)}"
        yield _cells([name, *(cell(value, table.decimals) for value in row.values), *(interval(row) for _ in more)])


def _cells(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _escaped(text: str) -> str:
    """Names of runs are data: nothing in them is markup."""
    special = "\\`*_{}[]<>#|"
    return "".join(f"\\{letter}" if letter in special else letter for letter in " ".join(text.split()))
