"""A query about one video costs the same however many other videos are stored."""

from __future__ import annotations

import logging
from contextlib import suppress

import neo4j
import pytest
from builders import a_scene, write_scene
from plan_costs import PARAMETERS, PER_VIDEO, VIDEO, add_other_videos, db_hits, remove_other_videos

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import Endpoint

pytestmark = pytest.mark.neo4j


def add(store: Store, video_id: str, frame_count: int) -> None:
    scene = a_scene(video_id, frame_count=frame_count, window_frames=frame_count)
    writer = GraphWriter(store)
    with suppress(NotFoundError):  # left by a broken run on a kept server
        writer.delete(video_id)
    write_scene(store, scene)


def test_db_hits_do_not_grow_with_other_videos(store: Store, neo4j_endpoint: Endpoint) -> None:
    logging.getLogger("neo4j.notifications").addHandler(logging.NullHandler())
    auth = (neo4j_endpoint.username, neo4j_endpoint.password)
    with neo4j.GraphDatabase.driver(neo4j_endpoint.bolt_uri, auth=auth, telemetry_disabled=True) as driver:
        try:
            add(store, VIDEO, frame_count=6)
            add_other_videos(driver, 0, 40)  # with a handful of videos a scan is as good as an index
            before = {n: db_hits(driver, store.template(f"explore/{n}"), PARAMETERS) for n in PER_VIDEO}
            add_other_videos(driver, 40, 120)
            after = {n: db_hits(driver, store.template(f"explore/{n}"), PARAMETERS) for n in PER_VIDEO}
        finally:
            remove_other_videos(driver)
            GraphWriter(store).delete(VIDEO)
    assert {name: (before[name], after[name]) for name in before if after[name] > before[name]} == {}
    assert min(after.values()) > 0
