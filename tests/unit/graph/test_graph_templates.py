"""Template files: what a header must say, and what the library makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravu_kg.errors import ConfigurationError, NotFoundError
from ravu_kg.graph.catalogue import favourites, main, render
from ravu_kg.graph.templates import TemplateLibrary, blank, param_lines, parameters_used, parse_template, templates_root
from ravu_kg.graph.values import Vector

GOOD = """// name: things/find
// mode: read
// summary: Things near a vector, best first.
// param video_id: STRING - the video
// param embedding: LIST<FLOAT> - the vector
// param label: STRING | NULL - what it is; null for all
// returns id: STRING - the thing
// a free comment would be an error up here

MATCH (n {videoId: $video_id})
RETURN n.id AS id
"""
HEADER = "// name: things/find\n// mode: read\n// summary: Finds.\n"


def load(folder: Path, **files: str) -> TemplateLibrary:
    for name, text in files.items():
        path = folder / "things" / f"{name}.cypher"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return TemplateLibrary.load(folder)


def test_a_template_holds_what_its_header_declares(tmp_path: Path) -> None:
    text = (
        HEADER
        + "// param video_id: STRING - the video: its id\n// param label: STRING | NULL - what; null for all\n"
        + "// returns id: STRING - the thing\n\n// a free comment\n"
        + "MATCH (n {v: $video_id}) WHERE n.l = $label RETURN n.id AS id\n"
    )
    template = load(tmp_path, find=text).get("things/find")
    assert (template.name, template.mode, template.summary) == ("things/find", "read", "Finds.")
    assert [(p.name, p.type, p.meaning) for p in template.parameters] == [
        ("video_id", "STRING", "the video: its id"),
        ("label", "STRING | NULL", "what; null for all"),
    ]
    assert [c.name for c in template.columns] == ["id"]
    assert template.text.startswith("// a free comment\nMATCH")
    assert template.text.endswith("RETURN n.id AS id")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (GOOD, 8, "no header line"),
        ("RETURN 1", 1, "lacks '// name"),
        ("// name: things/find\n// summary: x\nRETURN 1", 1, "lacks '// mode"),
        ("// name: things/find\n// mode: read\nRETURN 1", 1, "lacks '// summary"),
        ("// name: things/lost\n// mode: read\n// summary: x\nRETURN 1", 1, "path says 'things/find'"),
        ("// name: things/find\n// mode: admin\n// summary: x\nRETURN 1", 2, "'admin' is none of"),
        ("// mode: read\n// name: things/find\n// summary: x\nRETURN 1", 2, "comes too late"),
        ("// name: things/find\n// name: things/find\n// mode: read\nRETURN 1", 2, "expected once"),
        (HEADER + "// param: STRING - x\nRETURN $x", 4, "expected 'NAME: TYPE - meaning'"),
        (HEADER + "// param x: STRING\nRETURN $x", 4, "expected 'NAME: TYPE - meaning'"),
        (HEADER + "// param x: TEXT - x\nRETURN $x", 4, "'TEXT' is no type"),
        (HEADER + "// param x: LIST<TEXT> - x\nRETURN $x", 4, "'TEXT' is no type"),
        (HEADER + "// param x: LIST<STRING - x\nRETURN $x", 4, "is no type"),
        (HEADER + "// param x: STRING - a\n// param x: STRING - b\nRETURN $x", 5, "declared twice"),
        (HEADER + "// param x: STRING - a\nRETURN 1", 1, "'x' is declared but not used"),
        (HEADER + "// param x: STRING - a\nRETURN '$x'", 1, "'x' is declared but not used"),
        (HEADER + "// param x: STRING - a\nRETURN 1 // $x", 1, "'x' is declared but not used"),
        (HEADER + "RETURN 1,\n  $y", 5, "$y is used but not declared"),
        (HEADER + "RETURN 1;\nRETURN 2", 4, "one statement a file"),
        (HEADER, 4, "no statement"),
        (HEADER + "\n// only a comment\n", 4, "no statement"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(problem)) as caught:
        load(tmp_path, find=text)
    assert f"{tmp_path / 'things' / 'find.cypher'}:{line}: " in str(caught.value)


def test_semicolons_and_parameters_inside_quotes_and_comments_do_not_count(tmp_path: Path) -> None:
    body = "RETURN 'a;$b' AS `c;$d` /* $e; */ // $f;\n"
    assert load(tmp_path, find=HEADER + body).get("things/find").parameters == ()


def test_the_newest_variant_that_the_server_can_run_is_chosen(tmp_path: Path) -> None:
    library = load(
        tmp_path,
        **{
            "find": HEADER + "RETURN 1",
            "find@2026.02": HEADER.replace("find", "find@2026.02", 1) + "RETURN 2",
            "find@2026.09.1": HEADER.replace("find", "find@2026.09.1", 1) + "RETURN 3",
        },
    )
    assert library.get("things/find", (5, 26, 28)).text == "RETURN 1"
    assert library.get("things/find", (2026, 2)).text == "RETURN 2"
    assert library.get("things/find", (2026, 9, 0)).text == "RETURN 2"
    assert library.get("things/find", (2026, 10, 0)).text == "RETURN 3"
    assert library.get("things/find").text == "RETURN 1"
    assert [t.requires for t in library.variants("things/find")] == ["", "2026.02", "2026.09.1"]
    assert len(library) == 3


def test_a_variant_without_its_base_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="needs a base file"):
        load(tmp_path, **{"find@2026.02": HEADER.replace("find", "find@2026.02", 1) + "RETURN 2"})


def test_a_variant_with_other_columns_is_refused(tmp_path: Path) -> None:
    other = HEADER.replace("find", "find@2026.02", 1) + "// returns x: INTEGER - one\nRETURN 1 AS x"
    with pytest.raises(ConfigurationError, match=r"differ from find\.cypher"):
        load(tmp_path, **{"find": HEADER + "RETURN 1", "find@2026.02": other})


def test_a_variant_must_name_a_version(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no version"):
        load(tmp_path, **{"find": HEADER + "RETURN 1", "find@new": HEADER.replace("find", "find@new", 1) + "RETURN 1"})


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"No \.cypher templates"):
        TemplateLibrary.load(tmp_path)


def test_an_unknown_template_is_named() -> None:
    with pytest.raises(NotFoundError, match="'things/lost'"):
        TemplateLibrary.load().get("things/lost")


def test_binding_refuses_missing_and_unknown_parameters(tmp_path: Path) -> None:
    template = load(tmp_path, find=HEADER + "// param x: STRING - a\nRETURN $x").get("things/find")
    assert template.bind({"x": "a"}) == {"x": "a"}
    with pytest.raises(TypeError, match=r"missing parameters \['x'\], unknown parameters \['y'\]"):
        template.bind({"y": "a"})
    with pytest.raises(TypeError, match=r"\$x must be STRING, not int 3"):
        template.bind({"x": 3})


def test_param_lines_can_be_pasted_and_show_vectors_short_or_in_full(tmp_path: Path) -> None:
    header = HEADER + "// param name: STRING - a\n// param vector: LIST<FLOAT> - b\n// param limit: INTEGER - c\n"
    template = load(tmp_path, find=header + "RETURN $name, $vector, $limit").get("things/find")
    values = {"limit": 3, "name": "it's\na \\ dog", "vector": Vector([0.25] * 80)}
    assert param_lines(template, values).splitlines() == [
        r":param name => 'it\'s\na \\ dog'",
        ":param vector => <80 floats>",
        ":param limit => 3",
    ]
    assert "[0.25, 0.25, " in param_lines(template, values, full_vectors=True)


def test_every_shipped_template_loads() -> None:
    names = {template.name for template in TemplateLibrary.load()}
    assert {"schema/create_frame_node_embedding", "ingest/frame_nodes", "explore/timeline"} <= names


def test_no_statement_but_those_that_compare_or_copy_vectors_returns_an_embedding() -> None:
    for template in TemplateLibrary.load():
        if not template.name.startswith(("export/", "bundle/")) and not template.name.endswith("_vectors"):
            assert "embedding" not in {column.name for column in template.columns}, template.name


def test_parameters_and_columns_are_spelled_alike_everywhere() -> None:
    for template in TemplateLibrary.load():
        for declared in (*template.parameters, *template.columns):
            assert re.fullmatch(r"[a-z][a-z0-9_]*", declared.name), f"{template.name}: {declared.name}"


def test_pictures_are_for_the_browser_and_bounded() -> None:
    """A node that is drawn brings its vector or its track, so no picture grows with the video."""
    drawn = re.compile(r"\b(NODE|RELATIONSHIP|PATH)\b")
    pictures = [t for t in TemplateLibrary.load() if any(drawn.search(column.type) for column in t.columns)]
    assert pictures
    for template in pictures:
        assert template.name.startswith(("explore/", "lint/show_"))
        assert {"limit", "frame_id", "frame_ids", "node_ids"} & {p.name for p in template.parameters}, template.name


def test_the_catalogue_is_up_to_date() -> None:
    written = (templates_root() / "README.md").read_text(encoding="utf-8")
    assert written == render(TemplateLibrary.load()), "make it anew: python -m ravu_kg.graph.catalogue"


def test_favourites_are_folders_of_all_explore_templates(tmp_path: Path) -> None:
    import zipfile

    main([str(tmp_path / "favourites.zip")])
    with zipfile.ZipFile(tmp_path / "favourites.zip") as archive:
        names = [Path(name) for name in archive.namelist()]
        text = archive.read("RAVU-KG 4 What happens/timeline.cypher").decode()
    assert text.startswith("// timeline: Every event of a video in time order.\n// set first: :param video_id => ")
    assert "LIMIT toInteger($limit)" in text
    explore = {one.name.removeprefix("explore/") for one in TemplateLibrary.load() if one.name.startswith("explore/")}
    assert sorted(name.stem for name in names) == sorted(explore)
    assert {str(name.parent) for name in names} >= {"RAVU-KG 1 Pictures", "RAVU-KG 6 How good is it"}
    assert "RAVU-KG Other" not in {str(name.parent) for name in names}, "name it in cypher/browser/favourites.toml"


def test_favourites_are_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    made = favourites(TemplateLibrary.load())
    monkeypatch.setattr(time, "localtime", lambda *_: time.struct_time((2001, 2, 3, 4, 5, 6, 5, 34, 0)))
    assert favourites(TemplateLibrary.load()) == made


_PIECES = st.sampled_from(
    ["'", '"', "`", "//", "/*", "*/", "\\", "\n", ";", "$a", "$b", "MATCH (n)", " ", "''", "x", "``", "\\'"]
)
CYPHER = st.lists(_PIECES, max_size=30).map("".join)


@given(CYPHER)
@example("'\\")
@example('"\\')
def test_blanking_keeps_length_and_lines_and_removes_all_quotes(text: str) -> None:
    blanked = blank(text)
    assert len(blanked) == len(text)
    assert [i for i, c in enumerate(text) if c == "\n"] == [i for i, c in enumerate(blanked) if c == "\n"]
    assert not set("'\"`") & set(blanked)
    assert all(after in (before, " ") for before, after in zip(text, blanked, strict=True))


@given(CYPHER)
def test_blanking_twice_changes_nothing_more(text: str) -> None:
    assert blank(blank(text)) == blank(text)


@given(st.text(alphabet="abc'\"`\\/*$; \n"))
def test_parameters_inside_a_string_literal_are_never_found(text: str) -> None:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    assert parameters_used(f"RETURN {quoted} + $real") == {"real": text.count("\n")}


_NAME = st.from_regex(r"[a-z]\w{0,8}", fullmatch=True).filter(str.isascii)
_TYPE = st.recursive(
    st.sampled_from(["STRING", "INTEGER", "FLOAT", "BOOLEAN", "MAP"]), lambda inner: inner.map(lambda t: f"LIST<{t}>")
)
_MEANING = st.from_regex(r"[a-zA-Z0-9,;:()]([a-zA-Z0-9 ,;:()-]{0,20}[a-zA-Z0-9])?", fullmatch=True)


@given(st.lists(st.tuples(_NAME, _TYPE, _MEANING), unique_by=lambda declared: declared[0], max_size=4))
def test_any_declared_parameters_come_back_as_written(declared: list[tuple[str, str, str]]) -> None:
    lines = "".join(f"// param {name}: {type_} - {meaning}\n" for name, type_, meaning in declared)
    body = "RETURN 1" + "".join(f", ${name} AS c_{name}" for name, _, _ in declared)
    template = parse_template(HEADER + lines + body, Path("/t/things/find.cypher"), Path("/t"))
    assert [(p.name, p.type, p.meaning) for p in template.parameters] == declared
