"""Reports: the published figures as they stand, and measured rows told from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ravu_kg.errors import UsageError
from ravu_kg.evaluation.diffing import compare_runs
from ravu_kg.evaluation.report import make_report
from ravu_kg.evaluation.report.page import as_page
from ravu_kg.evaluation.report.tables import published
from ravu_kg.evaluation.report.text import as_markdown
from ravu_kg.evaluation.results import Result, Shown
from ravu_kg.evaluation.runs import FORMAT, Manifest, Run, Setup


def a_run(name: str, *results: Result, dataset: str = "nextqa", method: str = "ravu", graph: str = "captions") -> Run:
    roles = {"answer": "extractive", "plan": "rules"}
    setup = Setup(dataset, len(results), "x", method, graph, "captions:x", "test:encoder", roles, {"says": "a plan"})
    return Run(Path(name), Manifest(FORMAT, "1.0", setup, name), results)


def a_result(number: int, kind: str, *, right: bool, **changes: object) -> Result:
    result = Result(
        id=f"q{number}",
        video=f"v{number}",
        type=kind,
        group=kind[0],
        question="why",
        options=("one", "two"),
        truth=0,
        outcome="answered",
        option=0 if right else 1,
        answer="one" if right else "two",
        seconds=(0, 9),
        spans=((0.0, 1.0),),
        evidence=(Shown(0.0, 0.9, "a <dog> & a cat"),),
    )
    return replace(result, **changes)  # type: ignore[arg-type]


RESULTS = [
    a_result(0, "CW", right=True),
    a_result(1, "CW", right=False),
    a_result(2, "TN", right=True),
    a_result(3, "TP", right=False, outcome="refused", option=None),
    a_result(4, "DC", right=True),
]


@pytest.mark.parametrize(
    ("table", "row", "values"),
    [
        ("table_1", "RAVU, overall", (74.40, 66.56, 74.64, 71.93)),
        ("table_1", "ViperGPT", (None, None, None, 60.0)),
        ("table_2", "LLoVi", (52.2,)),
        ("table_3", "Blind", (35.3, 38.1, 36.0, 13.0, 17.3, 21.6, 18.9, 1.1, 8.1, 19.0, 10.6, 26.6, 0.2)),
        ("table_4", "CLIP, k = 10", (63.88,)),
        ("table_5", "Rerank", (70.57, 58.15)),
        ("table_6", "VidOR annotation", (78.24, 75.16, 74.54, 76.65)),
    ],
)
def test_published_figures(table: str, row: str, values: tuple[float | None, ...]):
    found = published(table)
    assert next(one.values for one in found.rows if one.name == row) == values
    assert found.source
    assert {one.origin for one in found.rows} == {"quoted"}
    assert {len(one.values) for one in found.rows} == {len(found.columns)}


def test_blocked_questions_make_two_rows_as_in_the_paper():
    tables = {table.key: table for table in make_report([a_run("mine", *RESULTS)]).tables}
    rows = {row.name: row for row in tables["table_1"].rows if row.origin == "measured"}
    assert rows["mine, not blocked"].values == (50.0, 100.0, 100.0, 75.0)
    assert rows["mine, overall"].values == (50.0, 50.0, 100.0, 60.0)
    by_type = next(row for row in tables["table_3"].rows if row.origin == "measured")
    assert by_type.values[:4] == (50.0, None, 50.0, 0.0)
    assert by_type.questions == 5


def test_grounding_leaves_out_methods_that_choose_no_second():
    report = make_report([a_run("mine", *RESULTS), a_run("blind", *RESULTS, method="blind")])
    grounding = next(table for table in report.tables if table.key == "grounding")
    assert [row.name for row in grounding.rows] == ["mine"]
    assert grounding.rows[0].values[:2] == (100.0, 50.0)


def test_two_sources_of_graphs_make_table_6_and_localising_methods_table_5():
    runs = [a_run("given", *RESULTS, graph="tracks", method="text"), a_run("found", *RESULTS, graph="detector")]
    tables = {table.key: table for table in make_report(runs).tables}
    measured = [row.name for row in tables["table_6"].rows if row.origin == "measured"]
    assert measured == ["given (given tracks)", "found (a detector and tracker)"]
    assert [row.name for row in tables["table_5"].rows if row.origin == "measured"] == ["given"]


def test_egoschema_and_other_data_sets_have_tables_of_their_own():
    ego = a_run("ego", replace(RESULTS[0], type="all", group="all", spans=()), dataset="egoschema")
    star = a_run("star", replace(RESULTS[0], type="Sequence", group="Sequence"), dataset="star")
    assert [table.key for table in make_report([ego, star]).tables] == [
        "table_2", "table_4", "star", "grounding", "cost",
    ]  # fmt: skip


def test_a_page_is_closed_to_the_network_and_holds_no_text_as_markup():
    page = as_page(make_report([a_run("<script>alert(1)</script>", *RESULTS)]))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert "://" not in page


def test_markdown_says_of_every_row_where_it_comes_from():
    text = as_markdown(make_report([a_run("mine", *RESULTS), a_run("mine", *RESULTS)]))
    lines = [line for line in text.splitlines() if line.startswith("| ") and "mine" in line]
    assert lines
    assert all("**measured**" in line for line in lines)
    assert any("**measured** mine 2" in line for line in lines)
    assert "quoted: RAVU, Table 1" in text


def test_a_run_without_results_makes_no_report():
    with pytest.raises(UsageError, match="has no result yet"):
        make_report([a_run("mine")])


def test_questions_of_missing_videos_count_as_wrong_when_asked():
    results = [*RESULTS, a_result(5, "CW", right=False, outcome="missing", option=None)]
    found = [
        next(row for row in table.rows if row.name == "mine, overall").values[0]
        for wrong in (False, True)
        for table in make_report([a_run("mine", *results)], missing_wrong=wrong).tables
        if table.key == "table_1"
    ]
    assert found == [50.0, 33.33]


def test_a_difference_names_who_won_what_and_with_which_evidence():
    better = [replace(one, option=0, outcome="answered") for one in RESULTS]
    found = compare_runs(a_run("a", *RESULTS), a_run("b", *better))
    assert [one.id for one in found.won] == ["q1", "q3"]
    assert not found.lost
    assert found.won[0].second.texts == ("0 s: a <dog> & a cat",)
    assert found.won[0].right == "one"
    with pytest.raises(UsageError, match="no question in common"):
        compare_runs(a_run("a", RESULTS[0]), a_run("b", RESULTS[1]))
