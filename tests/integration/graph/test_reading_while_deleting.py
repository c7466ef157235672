"""Videos that come and go while others are read."""

from __future__ import annotations

import threading
import time

import neo4j
import pytest

from ravu_kg.graph.store import Store
from ravu_kg.server import Endpoint

pytestmark = pytest.mark.neo4j

_COME = """
UNWIND range(1, 6) AS i
CREATE (:Video {
  id: 'coming' + i, build: 'going', title: 'comes and goes', uri: 'x', status: 'ready', revision: 1, duration: 1.0,
  width: 1, height: 1, frameRate: 1.0, sampleInterval: 1.0, frameCount: 1, frameNodeCount: 0, detector: 'x',
  tracker: 'x', describer: 'x', embedder: 'x', createdAt: datetime()
})
"""
_GO = "MATCH (v:Video {build: 'going'}) DETACH DELETE v"
_S = 5.0


def test_a_video_is_read_whole_or_not_at_all(
    store: Store, neo4j_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out: list[str] = []
    monkeypatch.setattr(
        "ravu_kg.graph.store.connection._log.debug", lambda text, *values: left_out.append(text % values)
    )
    end_s = time.monotonic() + _S

    def come_and_go() -> None:
        auth = (neo4j_endpoint.username, neo4j_endpoint.password)
        with neo4j.GraphDatabase.driver(neo4j_endpoint.bolt_uri, auth=auth, telemetry_disabled=True) as driver:
            while time.monotonic() < end_s:
                driver.execute_query(_COME)
                driver.execute_query(_GO)

    coming = threading.Thread(target=come_and_go)
    coming.start()
    try:
        while time.monotonic() < end_s:
            for row in store.read("library/videos").rows:
                lacking = [name for name in store.template("library/videos").promised if row[name] is None]
                assert not lacking
    finally:
        coming.join()
    assert left_out, "nothing was deleted while it was read"
