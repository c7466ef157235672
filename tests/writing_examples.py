"""The results in ``cypher/WRITING.md``: ``python -m tests.writing_examples`` writes them anew."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.templates import templates_root

PAGE = templates_root() / "WRITING.md"
_EXAMPLE = re.compile(r"```cypher\n(.*?)```\n(\n\|(?:[^\n]*\n)*?)?(?=\n#)", re.DOTALL)


def statements() -> Iterator[str]:
    """The worked examples."""
    for example in _EXAMPLE.finditer(PAGE.read_text(encoding="utf-8")):
        yield example.group(1)


def with_results(run: Callable[[str], ReadResult]) -> str:
    """The page with what each example says now."""
    return _EXAMPLE.sub(
        lambda example: f"```cypher\n{example.group(1)}```\n\n{_table(run(example.group(1)))}",
        PAGE.read_text(encoding="utf-8"),
    )


def _table(result: ReadResult) -> str:
    rows = [[_cell(row[column]) for column in result.columns] for row in result.rows]
    lines = [list(result.columns), ["---"] * len(result.columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def main() -> None:
    from ravu_kg.memory import VideoMemory, server_config
    from ravu_kg.server import EmbeddedServer, cache_dir
    from ravu_kg.settings import load
    from tests.explore_examples import index_demo

    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        cache.mkdir()
        for shared in ("neo4j", "encoders"):
            (cache / shared).symlink_to(cache_dir() / shared, target_is_directory=True)
        os.environ.update(RAVU_KG_CACHE=str(cache), RAVU_KG_SERVER__HOME=str(Path(folder) / "home"))
        try:
            with VideoMemory.open(load()) as memory:
                video_id = index_demo(memory)
                text = with_results(lambda query: memory.cypher(query, {"video_id": video_id}))
        finally:
            EmbeddedServer(server_config(load())).stop()
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
