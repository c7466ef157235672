"""What a query costs by the server's own count, for queries about one video."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import neo4j

from ravu_kg.graph.templates import Template, TemplateLibrary

VIDEO = "feedc0de00000001"
OTHERS = "other-"
PARAMETERS: dict[str, object] = {
    "video_id": VIDEO, "entity_id": f"{VIDEO}#1", "other_id": f"{VIDEO}#2", "identity_id": f"{VIDEO}#1",
    "frame_id": f"{VIDEO}/1", "frame_ids": [f"{VIDEO}/1"], "node_ids": [f"{VIDEO}/1/1"],
    "event_ids": [f"{VIDEO}/1/geometry/0"], "event_id": f"{VIDEO}/1/geometry/0", "label": None, "predicate": "left_of",
    "limit": 50, "within_s": 5.0, "longer_than_s": 0.0, "from_s": 0.0, "to_s": 9.0, "window_s": 2.0, "most": True,
    "first": "thing 0", "then": "thing 1", "same_entity": False, "columns": 3, "rows": 3, "x1": 30.0, "y1": 0.0,
    "x2": 30.0, "y2": 360.0, "x": 20.0, "y": 20.0, "touching": ["holding"], "farther_px": 50.0, "fewer_frames": 2,
    "below_confidence": 0.5,
}  # fmt: skip
OF_THE_LIBRARY = ("overview", "events_about")
"""These two look through every video: that is what they are for."""
PER_VIDEO = tuple(
    name
    for template in TemplateLibrary.load()
    if template.name.startswith("explore/") and (name := template.name.removeprefix("explore/")) not in OF_THE_LIBRARY
)


_OTHER_VIDEOS = """
UNWIND range($start, $end - 1) AS number
WITH $prefix + toString(number) AS v
CREATE (video:Video {id: v, title: v, status: 'ready', width: 640, height: 360, duration: 8.0, sampleInterval: 1.0})
WITH v, video
CALL (v, video) {
  UNWIND range(0, 7) AS i
  CREATE (video)-[:HAS_FRAME]->(:Frame {id: v + '/' + i, videoId: v, index: i, t: toFloat(i), coverage: 'ok'})
}
CALL (v, video) {
  UNWIND range(1, 3) AS k
  CREATE (video)-[:HAS_ENTITY]->(e:Entity {id: v + '#' + k, videoId: v, label: 'person', tStart: 0.0, tEnd: 8.0,
          identityId: v + '#' + k, trackT: [0.0, 1.0], trackBoxes: [0.0, 0.0, 9.0, 9.0, 5.0, 5.0, 9.0, 9.0]})
  WITH e, k
  UNWIND range(0, 1) AS z
  CREATE (e)-[:HAS_EVENT]->(:Event {id: e.id + '/' + z, videoId: v, entityId: e.id, source: 'geometry', seq: z,
          tStart: z * 4.0, tEnd: z * 4.0 + 4.0, description: 'Other person does thing ' + z})
}
WITH v
CALL (v) {
  MATCH (e:Entity {videoId: v})
  MATCH (f:Frame {videoId: v})
  CREATE (f)-[:CONTAINS]->(:FrameNode {id: f.id + '/' + right(e.id, 1), videoId: v, entityId: e.id, t: f.t,
          frameIndex: f.index, label: 'person', source: 'geometry', confidence: 0.9, attributes: ['red'],
          xMin: 1.0, yMin: 1.0, xMax: 9.0, yMax: 9.0, description: 'x'})<-[:APPEARS_AS]-(e)
}
WITH v
MATCH (f:Frame {videoId: v})-[:CONTAINS]->(n)
WITH v, f, n ORDER BY n.id
WITH v, f, collect(n) AS nodes ORDER BY f.index
WITH v, f, nodes, nodes[0] AS a, nodes[1] AS b
CREATE (a)-[:REL {predicate: 'left_of', source: 'geometry', confidence: 1.0}]->(b)
WITH v, collect(nodes) AS frames, collect(f) AS fs
UNWIND range(1, size(frames) - 1) AS i
WITH frames[i - 1] AS before, frames[i] AS after, fs[i - 1] AS f, fs[i] AS g
CREATE (f)-[:NEXT]->(g)
FOREACH (k IN range(0, 2) |
  FOREACH (a IN [before[k]] | FOREACH (b IN [after[k]] | CREATE (a)-[:SAME_AS {gap: 1.0}]->(b))))
"""


def add_other_videos(driver: neo4j.Driver, start: int, end: int) -> None:
    """Videos of 8 frames, 3 entities and 6 events, without vectors, written in one statement; plans are made anew."""
    values = {"start": start, "end": end, "prefix": OTHERS}
    driver.execute_query(_OTHER_VIDEOS, values, database_="neo4j")
    driver.execute_query("CALL db.resampleOutdatedIndexes()", database_="neo4j")
    driver.execute_query("CALL db.clearQueryCaches()", database_="neo4j")


def remove_other_videos(driver: neo4j.Driver) -> None:
    """Take back all that :func:`add_other_videos` wrote."""
    driver.execute_query(
        "MATCH (n) WHERE n.id STARTS WITH $prefix DETACH DELETE n", {"prefix": OTHERS}, database_="neo4j"
    )


def db_hits(driver: neo4j.Driver, template: Template, parameters: Mapping[str, object]) -> int:
    """How often the query touches the store, by PROFILE."""
    bound = {p.name: parameters[p.name] for p in template.parameters}
    with driver.session(database="neo4j", default_access_mode="READ") as session:
        result = session.run("PROFILE " + template.text, bound)
        for _ in result:  # the server counts what is fetched; rows that are thrown away it does not profile
            pass
        profile = result.consume().profile
    return sum(_hits(profile))


def _hits(operator: Mapping[str, object]) -> Iterator[int]:
    yield int(str(operator.get("dbHits", 0)))
    children = operator.get("children")
    for child in children if isinstance(children, list) else []:
        yield from _hits(child)
