"""A report as one HTML page, which needs no network, is refused any by its own policy, and has no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from itertools import groupby
from xml.etree.ElementTree import Element

from ravu_kg.evaluation.report import Described, Report
from ravu_kg.evaluation.report.tables import Row, Table
from ravu_kg.evaluation.report.text import INTERVAL, INTERVALS, INTRODUCTION, cell, heading, interval, sources
from ravu_kg.report import elements
from ravu_kg.report.elements import e


def as_page(report: Report) -> str:
    """The whole report."""
    style = (files("ravu_kg.evaluation.report") / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    head = e(
        "head",
        None,
        e("meta", {"charset": "utf-8"}),
        e("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        e("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        e("title", None, "Evaluation"),
        elements.code("style", style),
    )
    main = e(
        "main",
        None,
        e("h1", None, "Evaluation"),
        e("p", None, INTRODUCTION),
        e("p", {"class": "quiet"}, INTERVALS),
        e("p", None, "Questions whose video is not in the graph count as wrong.") if report.missing_wrong else None,
        *[_section(table) for table in report.tables],
        _pairs(report),
        e("section", None, e("h2", None, "Runs"), *[part for run in report.runs for part in _run(run)]),
    )
    return elements.page(e("html", {"lang": "en"}, head, e("body", None, main)))


def _section(table: Table) -> Element:
    columns = ("", *table.columns, *((INTERVAL,) if table.counted else ()))
    head = e("thead", None, e("tr", None, *[_head(name) for name in columns]))
    body = e("tbody", None, *_rows(table))
    return e(
        "section",
        {"id": table.key},
        e("h2", None, heading(table)),
        e("div", {"class": "wide", "tabindex": "0"}, e("table", None, head, body)),
        e("p", {"class": "quiet"}, sources(table)),
        e("p", {"class": "quiet"}, table.note) if table.note else None,
    )


def _head(name: str) -> Element:
    return e("th", {"scope": "col", "class": "interval" if name == INTERVAL else None}, name)


def _rows(table: Table) -> Iterator[Element]:
    for section, rows in groupby(table.rows, key=lambda row: row.section):
        if section:
            yield e(
                "tr",
                {"class": "section"},
                e("th", {"colspan": len(table.columns) + 1 + table.counted, "scope": "rowgroup"}, section),
            )
        for row in rows:
            yield _row(row, table)


def _row(row: Row, table: Table) -> Element:
    measured = row.origin == "measured"
    return e(
        "tr",
        {"class": "measured" if measured else None},
        e("th", {"scope": "row"}, row.name, e("span", {"class": "mark"}, "measured") if measured else None),
        *[e("td", None, cell(value, table.decimals)) for value in row.values],
        e("td", {"class": "interval"}, interval(row)) if table.counted else None,
    )


def _pairs(report: Report) -> Element | None:
    if not report.pairs:
        return None
    return e("section", None, e("h2", None, "Paired tests"), *elements.each("p", report.pairs))


def _run(run: Described) -> Iterator[Element]:
    yield e("h3", None, run.name)
    yield e("dl", None, *[part for name, value in run.facts for part in (e("dt", None, name), e("dd", None, value))])
