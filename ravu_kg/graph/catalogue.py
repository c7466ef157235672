"""``cypher/README.md`` and the Browser's favourites, made from the headers of the templates."""

from __future__ import annotations

import io
import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.templates import Template, TemplateLibrary, blank, templates_root
from ravu_kg.graph.values import cypher_literal, is_mapping, is_sequence

EXAMPLES = "explore/examples.json"
"""What each query of ``explore/`` says of the demo clip; made by ``python -m tests.explore_examples``."""

_EXAMPLE_ROWS = 3

_INTRODUCTION = """# Cypher templates

Every query of RAVU-KG is a file here, one statement each. This page is made from their headers:
`python -m ravu_kg.graph.catalogue`; a test fails when it is out of date.

A header says the template's name (its path), its mode (`read`, `write`, `schema`), what it does, its `$parameters` and
its columns, each with Cypher's type. A file `name@2026.02.cypher` is the variant for servers from that version on.
`ravu-kg templates show NAME --browser` prints the statement with its `:param` lines, ready to paste into the Neo4j
Browser.

Columns hold plain values, and vectors in `export/` and `bundle/` only, but those of type NODE, RELATIONSHIP or PATH:
these the Browser draws. The server sends a node that is drawn with all of its properties, and no Cypher can leave one
out: a frame node or an event brings its vector (768 numbers), an entity its track (five numbers for each moment). So
every picture is small: one frame, the evidence of one answer, or as many as `$limit` says; some dozens of nodes are
also what an eye can follow. The program shows nodes without their vectors.

The examples under `explore` are about the demo clip with its hand-made tracks; `VIDEO` stands for its id. They are
results that were measured: `python -m tests.explore_examples` makes them anew, and a test compares.
"""
_FOLDERS = {
    "schema": "Constraints, indexes and the embedder. The numbered files are migrations, applied once in order.",
    "ingest": "Writing, linking and removing a video.",
    "reasoning": "The reasoning functions.",
    "library": "Looking up videos and searching all of them.",
    "explore": "For analysts: run them in the Browser, or as favourites (see `browser/`).",
    "browser": "Colours of boxes for the Browser's style; see `browser/README.md` for style, favourites and guide.",
    "export": "The canonical export, and tracks.",
    "bundle": "One video's graph as one file, out and in.",
    "report": "What a report shows of a video.",
    "identities": "Who is who, as people decide it: `ravu-kg identities`.",
    "corrections": "What people corrected: `ravu-kg edit`.",
    "lint": "What does not fit together in a video's memory, and what shows it: `ravu-kg lint`.",
    "diff": "Two builds of one video: `ravu-kg diff`.",
    "evaluation": "What methods of an evaluation compare with: `ravu-kg eval`.",
    "programs": "Tables for other programs: `VideoMemory.to_frame()`, `as_retriever()`, `ravu-kg mcp`.",
}


def render(library: TemplateLibrary, examples: Mapping[str, object] | None = None) -> str:
    """The text of ``cypher/README.md``.

    Args:
        library: all templates.
        examples: by template, as :func:`example_of` makes them; by default those of the package.
    """
    known = _examples() if examples is None else examples
    folders = dict.fromkeys([*_FOLDERS, *(template.name.split("/")[0] for template in library)])
    parts = [_INTRODUCTION]
    for folder in folders:
        templates = [template for template in library if template.name.split("/")[0] == folder]
        if templates:
            parts.append(f"## {folder}\n\n{_FOLDERS.get(folder, '')}".rstrip() + "\n")
            parts += [_section(one) + _example(known.get(one.name)) for one in templates if not one.requires]
    return "\n".join(parts)


def favourites(library: TemplateLibrary) -> bytes:
    """A zip file of the ``explore`` templates; dropped into the Neo4j Browser it becomes folders of favourites.

    Equal templates give equal bytes.
    """
    files = {one.name.removeprefix("explore/"): one for one in library if one.name.startswith("explore/")}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as zipped:  # deflated bytes differ from machine to machine
        for folder, names in _folders(files).items():
            for name in names:
                entry = zipfile.ZipInfo(f"{folder}/{name}.cypher")  # dated 1980, whatever the clock says
                entry.create_system = 3
                entry.external_attr = 0o644 << 16
                zipped.writestr(entry, _favourite(files[name]))
    return archive.getvalue()


def example_parameters(video_id: str) -> dict[str, str]:
    """Cypher literals of the parameters of all favourites, from the examples, as they are for a video."""
    found: dict[str, str] = {}
    for example in _examples().values():
        parameters = example.get("parameters") if is_mapping(example) else None
        for name, literal in parameters.items() if is_mapping(parameters) else ():
            found.setdefault(str(name), str(literal).replace("VIDEO", video_id))
    return dict(sorted(found.items()))


def _folders(names: Iterable[str]) -> dict[str, list[str]]:
    """Which favourites are in which folder, by ``browser/favourites.toml``."""
    declared = tomllib.loads((templates_root() / "browser" / "favourites.toml").read_text(encoding="utf-8"))["folders"]
    left = set(names)
    folders: dict[str, list[str]] = {}
    for folder, members in declared.items():
        folders[folder] = [name for name in members if name in left]
        left -= set(members)
    return {**folders, **({"RAVU-KG Other": sorted(left)} if left else {})}


def _section(template: Template) -> str:
    lines = [f"### `{template.name}` ({template.mode})", "", template.summary, ""]
    lines += [f"- `${p.name}` {p.type}: {p.meaning}" for p in template.parameters]
    lines += [f"- returns `{c.name}` {c.type}: {c.meaning}" for c in template.columns]
    return "\n".join(lines).rstrip() + "\n"


def example_of(result: ReadResult, video_id: str) -> dict[str, object]:
    """The first rows of a result as short text, and the parameters that gave it; the video's id is ``VIDEO``.

    Rows about other videos are left out: a query of the whole library is shown with this one alone.
    """
    rows = [[_short(row[column]) for column in result.columns] for row in result.rows]
    if "video_id" not in result.parameters and any(video_id in cell for row in rows for cell in row):
        rows = [row for row in rows if any(video_id in cell for cell in row)]

    def named(text: str) -> str:
        return text.replace(video_id, "VIDEO")

    return {
        "parameters": {name: named(cypher_literal(value)) for name, value in result.parameters.items()},
        "columns": list(result.columns),
        "rows": [[named(cell) for cell in row] for row in rows[:_EXAMPLE_ROWS]],
        "more": max(0, len(rows) - _EXAMPLE_ROWS),
    }


def _examples() -> Mapping[str, object]:
    path = templates_root() / EXAMPLES
    found: object = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {str(name): one for name, one in found.items()} if is_mapping(found) else {}


def _example(example: object) -> str:
    """The example as a Markdown table; empty when there is none."""
    if not is_mapping(example):
        return ""
    parameters, columns, rows = example.get("parameters"), example.get("columns"), example.get("rows")
    assert is_mapping(parameters)
    assert is_sequence(columns)
    assert is_sequence(rows)
    given = ", ".join(f"`{name}` = `{value}`" for name, value in parameters.items())
    lines = ["", f"Example{' with ' + given if given else ''}:", ""]
    if not rows:
        return "\n".join([*lines[:-1], "", "no rows.", ""])
    lines.append("| " + " | ".join(str(column) for column in columns) + " |")
    lines.append("| " + " | ".join("---" for _ in columns) + " |")
    for row in rows:
        assert is_sequence(row)
        lines.append("| " + " | ".join(_cell(str(cell)) for cell in row) + " |")
    more = example.get("more")
    if more:
        lines += ["", f"and {more} more rows."]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    escaped = text.replace("|", "\\|").replace("\n", " ")
    return f"`{escaped}`" if escaped.startswith(("(", "-[", "[", "{")) else escaped.replace("<", "\\<")


def _short(value: object) -> str:
    """A value in a few words: nodes by label and id, relationships by type, numbers with three digits."""
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".") or "0"
    if is_mapping(value):
        if "labels" in value and "properties" in value:
            labels, properties = value["labels"], value["properties"]
            if is_sequence(labels):  # without the colour of its box, which is there for the Browser's eye only
                labels = [label for label in labels if not re.fullmatch(r"Color\d+", str(label))]
            name = properties.get("id") if is_mapping(properties) else ""
            return f"(:{':'.join(map(str, labels))} {name})" if is_sequence(labels) else f"({name})"
        if "type" in value and "start" in value:
            return f"-[:{value['type']}]->"
        if "nodes" in value and "relationships" in value and is_sequence(value["nodes"]):
            return " - ".join(_short(node) for node in value["nodes"])
        return "{" + ", ".join(f"{name}: {_short(item)}" for name, item in value.items()) + "}"
    if is_sequence(value):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    return str(value)


def _favourite(template: Template) -> str:
    # The Browser shows the first comment line as the favourite's name.
    needed = [f"// set first: :param {p.name} => ...   ({p.type}, {p.meaning})" for p in template.parameters]
    name = template.name.removeprefix("explore/").replace("_", " ")  # first, since there is room for little more
    return "\n".join([f"// {name}: {template.summary}", *needed, _with_whole_numbers(template), ""])


def _with_whole_numbers(template: Template) -> str:
    """The statement for the Browser, whose ``:params`` makes every number a FLOAT, which LIMIT and range() refuse."""
    whole = {p.name for p in template.parameters if p.type == "INTEGER"}
    text = template.text
    for match in reversed(list(re.finditer(r"\$(\w+)", blank(text)))):
        if match.group(1) in whole:
            text = f"{text[: match.start()]}toInteger({match.group()}){text[match.end() :]}"
    return text


def main(arguments: Sequence[str]) -> None:
    """Write ``cypher/README.md``; with a file name, write the favourites there instead."""
    library = TemplateLibrary.load()
    if arguments:
        Path(arguments[0]).write_bytes(favourites(library))
    else:
        (templates_root() / "README.md").write_text(render(library), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
