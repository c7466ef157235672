"""What lint reads from the real server, and the statements that show what it found."""

from __future__ import annotations

import pytest

from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.library import summaries
from ravu_kg.memory.linting import Check, lint
from ravu_kg.types import entity_id
from tests.builders import write_scene
from tests.faulty_scenes import FAULTS, clean, with_all

pytestmark = pytest.mark.neo4j
TOGETHER = [
    (),
    ("video goes on", "jump", "holding from afar", "gap", "mark of nobody"),
    ("failed at the end", "two labels", "event's words"),
    ("blocked", "outside", "annotated", "overlap", "mark"),
]
"""Faults that do not touch each other: together they are written once."""


@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: ", ".join(names) or "none")
def test_each_fault_is_found_and_its_statement_shows_it(
    store: Store, unique_video: str, names: tuple[str, ...]
) -> None:
    faults = [FAULTS[name] for name in names]
    write_scene(store, with_all(*(fault.change for fault in faults))(clean(unique_video)))
    summary = next(one for one in summaries(store) if one.video_id == unique_video)
    report = lint(store, summary)
    assert report.looked_at["frames"] == 6
    assert report.looked_at["entities"] == 3
    found = {(one.check, one.entity_ids): one for one in report.findings}
    assert len(found) == len(report.findings) == len(faults)
    for fault in faults:
        one = found[fault.check, tuple(entity_id(unique_video, track) for track in fault.tracks)]
        assert (one.start_s, one.end_s) == pytest.approx(fault.span)
        assert fault.said in one.text
        assert "\n" not in one.cypher
        shown = store.query_readonly(one.cypher, {}, limit=1000, timeout_s=30.0)
        assert shown.rows
        times = [row[name] for row in shown.rows for name in ("t", "start_s") if name in row]
        assert all(fault.span[0] - 1.01 <= time_s <= fault.span[1] + 1.01 for time_s in times if fault.check != "event")
    some: tuple[Check, ...] = ("jump", "absent")
    assert {one.check for one in lint(store, summary, some).findings} == {one.check for one in faults} & set(some)
    GraphWriter(store).delete(unique_video)
