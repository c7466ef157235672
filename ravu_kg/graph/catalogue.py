"""``cypher/README.md`` and the Browser's favourites, made from the headers of the templates."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ravu_kg.graph.templates import Template, TemplateLibrary, templates_root

_INTRODUCTION = """# Cypher templates

Every query of RAVU-KG is a file here, one statement each. This page is made from their headers:
`python -m ravu_kg.graph.catalogue`; a test fails when it is out of date.

A header says the template's name (its path), its mode (`read`, `write`, `schema`), what it does, its `$parameters` and
its columns, each with Cypher's type. A file `name@2026.02.cypher` is the variant for servers from that version on.
`ravu-kg templates show NAME --browser` prints the statement with its `:param` lines, ready to paste into the Neo4j
Browser.

Columns hold plain values, and vectors in `export/` only, but those of type NODE, RELATIONSHIP or PATH: these the
Browser draws. The server sends a node that is drawn with all of its properties, and no Cypher can leave one out: a
frame node or an event brings its vector (768 numbers), an entity its track (five numbers for each moment). So every
picture is small: one frame, the evidence of one answer, or as many as `$limit` says; some dozens of nodes are also
what an eye can follow. The program shows nodes without their vectors.
"""
_FOLDERS = {
    "schema": "Constraints, indexes and the embedder. The numbered files are migrations, applied once in order.",
    "ingest": "Writing, linking and removing a video.",
    "reasoning": "The reasoning functions.",
    "library": "Looking up videos and searching all of them.",
    "explore": "For analysts: run them in the Browser, or as favourites (see `browser/`).",
    "export": "The canonical export.",
}


def render(library: TemplateLibrary) -> str:
    """The text of ``cypher/README.md``."""
    folders = dict.fromkeys([*_FOLDERS, *(template.name.split("/")[0] for template in library)])
    parts = [_INTRODUCTION]
    for folder in folders:
        templates = [template for template in library if template.name.split("/")[0] == folder]
        if templates:
            parts.append(f"## {folder}\n\n{_FOLDERS.get(folder, '')}".rstrip() + "\n")
            parts += [_section(template) for template in templates if not template.requires]
    return "\n".join(parts)


def favourites(library: TemplateLibrary) -> bytes:
    """A zip file of the ``explore`` templates; dropped into the Neo4j Browser it becomes a folder of favourites."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as folder:
        for template in library:
            if template.name.startswith("explore/") and not template.requires:
                name = template.name.removeprefix("explore/")
                folder.writestr(f"RAVU-KG/{name}.cypher", _favourite(template))
    return archive.getvalue()


def _section(template: Template) -> str:
    lines = [f"### `{template.name}` ({template.mode})", "", template.summary, ""]
    lines += [f"- `${p.name}` {p.type}: {p.meaning}" for p in template.parameters]
    lines += [f"- returns `{c.name}` {c.type}: {c.meaning}" for c in template.columns]
    return "\n".join(lines).rstrip() + "\n"


def _favourite(template: Template) -> str:
    # The Browser shows the first comment line as the favourite's name.
    needed = [f"// set first: :param {p.name} => ...   ({p.type}, {p.meaning})" for p in template.parameters]
    return "\n".join([f"// {template.summary}", *needed, template.text, ""])


def main(arguments: Sequence[str]) -> None:
    """Write ``cypher/README.md``; with a file name, write the favourites there instead."""
    library = TemplateLibrary.load()
    if arguments:
        Path(arguments[0]).write_bytes(favourites(library))
    else:
        (templates_root() / "README.md").write_text(render(library), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
