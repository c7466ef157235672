"""Corrections of entities and events: records in the graph, from which the corrected texts follow.

What a person corrects is kept as a ``Correction`` node; what was found stays beside it in properties that begin with
``original``. A video's texts are always those that were found with all corrections that hold laid over them in
order, so a correction can be taken back, and doing it twice changes nothing. A record knows what its entity was seen
as (:mod:`ravu_kg.graph.sightings`) and when its event was: after the video was indexed anew it is applied to what
lies there, and waits while there is nothing. With a video go its corrections.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph.rewording import Named, names, relabelled, renamed
from ravu_kg.graph.rows import batches
from ravu_kg.graph.sightings import Candidate, Sighting, find
from ravu_kg.graph.store import Store, Vector
from ravu_kg.types import FloatArray, Span

Embed = Callable[[Sequence[str]], FloatArray]
Statement = tuple[str, Mapping[str, object]]
Row = dict[str, object]
_BATCH = 1000
_LEAST_SHARED = 0.3
"""Of the time of two events, from which on one is taken for the other."""
_FOUND = {
    "label": "originalLabel",
    "description": "originalDescription",
    "tStart": "originalStart",
    "tEnd": "originalEnd",
}


@dataclass(frozen=True, slots=True)
class Changes:
    """What is corrected; None stays as it is."""

    name: str | None = None
    """What the entity is called from now on."""
    label: str | None = None
    description: str | None = None
    start_s: float | None = None
    end_s: float | None = None

    def given(self) -> dict[str, object]:
        """Only what is corrected."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class EventTime:
    """By what an event is found again."""

    source: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Correction:
    """What was corrected, by whom, when and why."""

    id: int
    video_id: str
    target: Literal["entity", "event"]
    target_id: str
    seen: Sighting
    changes: Changes
    event: EventTime | None
    decided_by: str
    decided_at: str
    why: str
    note: str | None
    """Why it waits; None while it is applied."""
    undone_by: str | None = None
    undone_at: str | None = None
    undone_why: str | None = None

    @property
    def holds(self) -> bool:
        """Neither taken back nor waiting."""
        return self.undone_at is None and self.note is None


def records(store: Store, video_id: str | None = None) -> list[Correction]:
    """All corrections, oldest first.

    Raises:
        GraphError: Neo4j failed.
    """
    return [_correction(row) for row in store.read("corrections/records", video_id=video_id).rows]


def correct(store: Store, correction: Correction, embed: Embed) -> int:
    """Record a correction and apply it, in one transaction; gives its number.

    Args:
        store: an open store.
        correction: of a target that is there; its number and time are made here.
        embed: makes the vectors of new sentences.

    Raises:
        ProviderError: from ``embed``.
        GraphError: Neo4j failed; nothing is changed.
    """
    number = max((one.id for one in records(store)), default=0) + 1
    correction = replace(correction, id=number)
    past = records(store, correction.video_id)
    changes = _texts(store, correction.video_id, [*(one for one in past if one.holds), correction], embed)
    row = {
        "id": number,
        "properties": {
            "videoId": correction.video_id,
            "target": correction.target,
            "targetId": correction.target_id,
            "seen": correction.seen.to_json(),
            "changes": json.dumps(correction.changes.given(), ensure_ascii=False),
            "event": None if correction.event is None else json.dumps(asdict(correction.event)),
            "decidedBy": correction.decided_by,
            "why": correction.why,
        },
    }
    revision: Statement = ("identities/change_videos", {"video_ids": [correction.video_id]})
    store.write_all([("corrections/record", {"rows": [row]}), *changes, revision])
    return number


def undo(store: Store, number: int | None, by: str, why: str, embed: Embed) -> Correction:
    """Take a correction back, the latest one by default; gives what was undone.

    Raises:
        UsageError: there is nothing to undo, or it was undone before.
        NotFoundError: no correction has that number.
        GraphError: Neo4j failed; nothing is changed.
    """
    everything = records(store)
    if number is None:
        open_ones = [one for one in everything if one.undone_at is None]
        if not open_ones:
            raise UsageError("There is nothing to undo: no correction holds. `ravu-kg edit list` shows them all.")
        number = open_ones[-1].id
    found = next((one for one in everything if one.id == number), None)
    if found is None:
        raise NotFoundError(f"No correction has the number {number}. `ravu-kg edit list` shows them all.")
    if found.undone_at is not None:
        raise UsageError(
            f"Correction {number} was undone before, by {found.undone_by} on {found.undone_at[:16]}. Correct it anew."
        )
    left = [one for one in everything if one.video_id == found.video_id and one.holds and one.id != number]
    changes = _texts(store, found.video_id, left, embed) if found.note is None else []
    undoing: Statement = ("corrections/undo", {"id": number, "undone_by": by, "why": why})
    revision: Statement = ("identities/change_videos", {"video_ids": [found.video_id] if found.note is None else []})
    store.write_all([undoing, *changes, revision])
    return found


def apply_again(store: Store, video_id: str, embed: Embed, *, graph_id: str | None = None) -> list[Correction]:
    """Apply a video's corrections to what lies in the place of their targets after it was indexed anew.

    Doing it twice changes nothing.

    Args:
        store: an open store.
        video_id: the video.
        embed: makes the vectors of new sentences.
        graph_id: a graph that is to take the video's place; the records themselves stay as they are until it does.

    Returns:
        Those that have to wait, since nothing lies there any more.

    Raises:
        ProviderError: from ``embed``.
        GraphError: Neo4j failed.
    """
    of_video = [one for one in records(store, video_id) if one.undone_at is None]
    if not of_video:
        return []
    graph = graph_id or video_id
    candidates = [Candidate.of_row(row) for row in store.read("identities/tracks_of_video", video_id=graph).rows]
    placed = [_placed(store, one, candidates) for one in of_video]
    changes = _texts(store, graph, [one for one in placed if one.holds], embed)
    if graph_id is None:
        rows = [{"id": one.id, "target_id": one.target_id, "note": one.note} for one in placed]
        changes = [("corrections/place", {"rows": rows}), *changes]
    if changes:
        store.write_all(changes)
    return [one for one in placed if one.note is not None]


def forget(store: Store, video_id: str) -> None:
    """Remove the corrections of a video that is deleted.

    Raises:
        GraphError: Neo4j failed.
    """
    store.write("corrections/forget", video_id=video_id)


def _placed(store: Store, one: Correction, candidates: Sequence[Candidate]) -> Correction:
    """The correction of what lies there now, with a note when it has to wait."""
    entity_id = find(one.seen, candidates, one.target_id)
    if entity_id is None:
        return replace(one, note=f"nothing lies any more where {one.target_id} was")
    if one.event is None:
        return replace(one, target_id=entity_id, note=None)
    best = (0.0, "")
    for row in _rows(store, "corrections/events", entity_ids=[entity_id]):
        if row["source"] == one.event.source:
            found = (cast("float", row["found_start_s"]), cast("float", row["found_end_s"]))  # declared FLOAT
            best = max(best, (_shared((one.event.start_s, one.event.end_s), found), str(row["id"])))
    if best[0] < _LEAST_SHARED:
        return replace(one, note=f"{entity_id} has no such event any more at {one.event.start_s:.1f} s")
    return replace(one, target_id=best[1], note=None)


def _texts(store: Store, graph_id: str, holding: Sequence[Correction], embed: Embed) -> list[Statement]:
    """The statements that make a graph's texts those that were found, with the corrections laid over them."""
    entities = _rows(store, "corrections/entities", video_id=graph_id)
    wanted = {str(row["id"]): _entity_as_found(row) for row in entities}
    events = _rows(store, "corrections/events", entity_ids=sorted(wanted))
    nodes = _rows(store, "corrections/frame_nodes", entity_ids=sorted(wanted))
    frames = _rows(store, "corrections/frames", video_id=graph_id)
    found_names = names([_named(row, row["found_label"], None) for row in entities])
    described: set[str] = set()
    for one in holding:
        if one.target == "entity":
            given = one.changes.given()
            wanted[one.target_id] |= given
            described |= {one.target_id} if "description" in given else set[str]()
    new_names = names(
        [_named(row, wanted[str(row["id"])]["label"], wanted[str(row["id"])]["name"]) for row in entities]
    )
    changed = {found_names[one]: new_names[one] for one in wanted if found_names[one] != new_names[one]}
    for entity_id, want in wanted.items():
        if entity_id not in described:
            want["description"] = renamed(str(want["description"]), changed)

    found_labels = {str(row["id"]): str(row["found_label"]) for row in entities}

    def reworded(row: Row) -> Row:
        owner, text = str(row["entity_id"]), str(row["found_description"])
        label, found_label = str(wanted[owner]["label"]), found_labels[owner]
        return {"description": relabelled(text, found_label, label) if label != found_label else text}

    wanted_nodes = {str(row["id"]): {**reworded(row), "label": wanted[str(row["entity_id"])]["label"]} for row in nodes}
    wanted_events = {
        str(row["id"]): {**reworded(row), "tStart": row["found_start_s"], "tEnd": row["found_end_s"]} for row in events
    }
    for one in holding:
        if one.target == "event":
            given = one.changes.given()
            for name, key in (("description", "description"), ("start_s", "tStart"), ("end_s", "tEnd")):
                if name in given:
                    wanted_events[one.target_id][key] = given[name]
    wanted_frames = {str(row["id"]): {"description": renamed(str(row["found_description"]), changed)} for row in frames}
    return [
        *_statements("corrections/write_entities", entities, wanted),
        *_statements("corrections/write_frames", frames, wanted_frames),
        *_statements("corrections/write_frame_nodes", nodes, wanted_nodes, embed),
        *_statements("corrections/write_events", events, wanted_events, embed),
    ]


def _statements(
    template: str, rows: Sequence[Row], wanted: Mapping[str, Mapping[str, object]], embed: Embed | None = None
) -> list[Statement]:
    """Writes what is to be otherwise than it is; what was found is kept beside what differs from it."""
    found_columns = {
        "label": "found_label",
        "description": "found_description",
        "tStart": "found_start_s",
        "tEnd": "found_end_s",
    }
    now_columns = {
        "label": "label",
        "description": "description",
        "tStart": "start_s",
        "tEnd": "end_s",
        "name": "given_name",
    }
    written: list[Row] = []
    sentences: list[tuple[int, str]] = []
    for row in rows:
        want = wanted[str(row["id"])]
        if all(row[now_columns[key]] == value for key, value in want.items()):
            continue
        properties = dict(want)
        for key, kept in _FOUND.items():
            if key in want:
                found = row[found_columns[key]]
                properties[kept] = None if want[key] == found else found
        if embed is not None and want["description"] != row["description"]:
            sentences.append((len(written), str(want["description"])))
        written.append({"id": row["id"], "properties": properties, **({} if embed is None else {"embedding": None})})
    if embed is not None and sentences:
        vectors = embed([text for _, text in sentences])
        for (position, _), vector in zip(sentences, vectors.tolist(), strict=True):
            written[position]["embedding"] = Vector(vector)
    return [(template, {"rows": batch}) for batch in batches(written, _BATCH)]


def _entity_as_found(row: Row) -> Row:
    return {"label": row["found_label"], "name": None, "description": row["found_description"]}


def _named(row: Row, label: object, given_name: object) -> Named:
    return Named(
        str(row["id"]),
        cast("int", row["track_id"]),  # column declared INTEGER
        str(row["found_label"]),
        str(label),
        None if given_name is None else str(given_name),
    )


def _shared(one: Span, other: Span) -> float:
    """Intersection over union of two stretches of time; moments that agree share all."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    union = max(one[1], other[1]) - min(one[0], other[0])
    return (1.0 if one == other else 0.0) if union <= 0 else max(0.0, shared) / union


def _rows(store: Store, template: str, **parameters: object) -> list[Row]:
    return store.read(template, **parameters).rows


def _correction(row: Row) -> Correction:
    texts = cast("dict[str, str]", row)  # columns declared STRING, but for the id
    event = row["event"]
    return Correction(
        id=cast("int", row["id"]),  # column declared INTEGER
        video_id=texts["video_id"],
        target="event" if event is not None else "entity",
        target_id=texts["target_id"],
        seen=Sighting.from_json(texts["seen"]),
        changes=Changes(**json.loads(texts["changes"])),
        event=None if event is None else EventTime(**json.loads(str(event))),
        decided_by=texts["decided_by"],
        decided_at=texts["decided_at"],
        why=texts["why"],
        note=texts["note"],
        undone_by=texts["undone_by"],
        undone_at=texts["undone_at"],
        undone_why=texts["undone_why"],
    )
