"""Two graphs of one video compared, made for instance by geometry and by a model, or with two trackers.

This is the paper's Table 6 as a command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ravu_kg.graph.store import Store
from ravu_kg.memory.comparing.matching import (
    LEAST_TIME,
    Match,
    Matching,
    Unmatched,
    best_pairs,
    match_entities,
    time_overlap,
)
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.linting.records import Happening, Tracked, happenings, tracked
from ravu_kg.memory.naming import build_of
from ravu_kg.perception.captioning.words import likeness
from ravu_kg.types import Span

LEAST_LIKENESS = 0.5
"""Words that two events have in common, when both tell the same."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many there are in each graph and how they correspond."""

    first: int
    second: int
    kept: int
    """Of the first, those that are in the second."""
    gained: int
    """Of the second, those that are not in the first."""

    @property
    def lost(self) -> int:
        """Of the first, those that are not in the second."""
        return self.first - self.kept

    def to_dict(self) -> dict[str, int]:
        """Plain values, for JSON."""
        return {"first": self.first, "second": self.second, "kept": self.kept, "lost": self.lost, "gained": self.gained}


@dataclass(frozen=True, slots=True)
class RelationChange:
    """A relation between two entities that both graphs know, in frames in which only one graph tells it."""

    subject: Tracked
    predicate: str
    object: Tracked
    sources: tuple[str, ...]
    frames: int
    spans: tuple[Span, ...]
    """From the first to the last frame of each stretch, seconds."""


@dataclass(frozen=True, slots=True)
class EventChange:
    """An event that only one graph tells of an entity that both know."""

    entity: Tracked
    source: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the first graph in the second: lost is what only the first has, gained only the second."""

    first: VideoSummary
    second: VideoSummary
    matching: Matching
    entities: Tally
    relations: Tally
    """Frame by frame."""
    events: Tally
    relations_lost: tuple[RelationChange, ...]
    relations_gained: tuple[RelationChange, ...]
    events_lost: tuple[EventChange, ...]
    events_gained: tuple[EventChange, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        matching = self.matching
        return {
            "first": {**self.first.to_dict(), "build": build_of(self.first.video_id)},
            "second": {**self.second.to_dict(), "build": build_of(self.second.video_id)},
            "entities": {
                **self.entities.to_dict(),
                "matched": [_match_to_dict(one) for one in matching.matches],
                "only_first": [_unmatched_to_dict(one) for one in matching.lost],
                "only_second": [_unmatched_to_dict(one) for one in matching.gained],
            },
            "relations": {
                **self.relations.to_dict(),
                "only_first": [_relation_to_dict(one) for one in self.relations_lost],
                "only_second": [_relation_to_dict(one) for one in self.relations_gained],
            },
            "events": {
                **self.events.to_dict(),
                "only_first": [_event_to_dict(one) for one in self.events_lost],
                "only_second": [_event_to_dict(one) for one in self.events_gained],
            },
        }


def compare(store: Store, first: VideoSummary, second: VideoSummary) -> Comparison:
    """Compare two graphs of one video; nothing is changed.

    Raises:
        GraphError: Neo4j failed.
    """
    ours, theirs = tracked(store, first.video_id), tracked(store, second.video_id)
    matching = match_entities(ours.values(), theirs.values())
    forth = matching.second_of
    back = {other: one for one, other in forth.items()}
    our_relations, their_relations = _relations(store, first.video_id), _relations(store, second.video_id)
    step_s = max(first.sample_interval_s, second.sample_interval_s)
    relations_lost, kept = _only(our_relations, their_relations, forth, ours, step_s)
    relations_gained, known = _only(their_relations, our_relations, back, theirs, step_s)
    our_events, their_events = happenings(store, first.video_id), happenings(store, second.video_id)
    events_lost, events_gained, shared = _events(our_events, their_events, matching)
    return Comparison(
        first=first,
        second=second,
        matching=matching,
        entities=Tally(len(ours), len(theirs), len(forth), len(matching.gained)),
        relations=Tally(_frames(our_relations), _frames(their_relations), kept, _frames(their_relations) - known),
        events=Tally(len(our_events), len(their_events), shared, len(their_events) - shared),
        relations_lost=relations_lost,
        relations_gained=relations_gained,
        events_lost=events_lost,
        events_gained=events_gained,
    )


_Triple = tuple[str, str, str]
"""Subject, predicate, object."""


@dataclass(frozen=True, slots=True)
class _Relation:
    sources: tuple[str, ...]
    times_s: tuple[float, ...]


def _relations(store: Store, video_id: str) -> dict[_Triple, _Relation]:
    rows = store.read("diff/relations", video_id=video_id).rows
    return {
        (str(row["subject_id"]), str(row["predicate"]), str(row["object_id"])): _Relation(
            tuple(sorted(cast("list[str]", row["sources"]))),  # declared LIST<STRING>
            tuple(cast("list[float]", row["times_s"])),  # declared LIST<FLOAT>
        )
        for row in rows
    }


def _frames(relations: Mapping[_Triple, _Relation]) -> int:
    return sum(len(one.times_s) for one in relations.values())


def _only(
    relations: Mapping[_Triple, _Relation],
    others: Mapping[_Triple, _Relation],
    other_of: Mapping[str, str],
    entities: Mapping[str, Tracked],
    step_s: float,
) -> tuple[tuple[RelationChange, ...], int]:
    """The frames in which only this graph tells a relation between entities of both, and how many both tell."""
    changes: list[RelationChange] = []
    both = 0
    for (subject_id, predicate, object_id), relation in relations.items():
        if subject_id not in other_of or object_id not in other_of:
            continue
        other = others.get((other_of[subject_id], predicate, other_of[object_id]))
        missing = _missing(relation.times_s, () if other is None else other.times_s, step_s / 2)
        both += len(relation.times_s) - len(missing)
        if missing:
            subject, object_ = entities[subject_id], entities[object_id]
            spans = tuple(_spans(missing, 1.5 * step_s))
            changes.append(RelationChange(subject, predicate, object_, relation.sources, len(missing), spans))
    changes.sort(key=lambda one: (one.spans[0], one.subject.track_id, one.object.track_id, one.predicate))
    return tuple(changes), both


def _missing(times_s: Sequence[float], others_s: Sequence[float], reach_s: float) -> list[float]:
    """Times without one of the others within reach; both ascend."""
    missing: list[float] = []
    position = 0
    for time_s in times_s:
        while position < len(others_s) and others_s[position] < time_s - reach_s - 1e-6:
            position += 1
        if position == len(others_s) or others_s[position] > time_s + reach_s + 1e-6:
            missing.append(time_s)
    return missing


def _spans(times_s: Sequence[float], step_s: float) -> Iterator[Span]:
    start_s = last_s = times_s[0]
    for time_s in times_s[1:]:
        if time_s - last_s > step_s:
            yield start_s, last_s
            start_s = time_s
        last_s = time_s
    yield start_s, last_s


def _events(
    first: Sequence[Happening], second: Sequence[Happening], matching: Matching
) -> tuple[tuple[EventChange, ...], tuple[EventChange, ...], int]:
    """Events of matched entities that only one graph tells, and how many both tell."""
    ours, theirs = _by_entity(first), _by_entity(second)
    lost: list[EventChange] = []
    gained: list[EventChange] = []
    both = 0
    for match in matching.matches:
        one, other = ours.get(match.first.entity_id, []), theirs.get(match.second.entity_id, [])
        pairs = best_pairs(one, other, _alike, LEAST_TIME)
        both += len(pairs)
        kept, known = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
        lost += [_change(match.first, event) for at, event in enumerate(one) if at not in kept]
        gained += [_change(match.second, event) for at, event in enumerate(other) if at not in known]
    return tuple(sorted(lost, key=_place)), tuple(sorted(gained, key=_place)), both


def _alike(first: Happening, second: Happening) -> float:
    """The shared time of two events that tell much the same, else 0."""
    if likeness(first.text, second.text) < LEAST_LIKENESS:
        return 0.0
    return time_overlap((first.start_s, first.end_s), (second.start_s, second.end_s))


def _by_entity(events: Sequence[Happening]) -> dict[str, list[Happening]]:
    found: dict[str, list[Happening]] = {}
    for event in events:
        found.setdefault(event.entity_id, []).append(event)
    return found


def _change(entity: Tracked, event: Happening) -> EventChange:
    return EventChange(entity, event.source, (event.start_s, event.end_s), event.text)


def _place(change: EventChange) -> tuple[Span, int, str]:
    return change.span, change.entity.track_id, change.text


def _match_to_dict(match: Match) -> dict[str, object]:
    overlap = None if match.overlap is None else round(match.overlap, 4)
    return {"first": _entity(match.first), "second": _entity(match.second), "overlap": overlap}


def _unmatched_to_dict(one: Unmatched) -> dict[str, object]:
    return {**_entity(one.entity), "part_of": one.part_of or None, "overlap": round(one.overlap, 4)}


def _relation_to_dict(change: RelationChange) -> dict[str, object]:
    return {
        "subject": _entity(change.subject),
        "predicate": change.predicate,
        "object": _entity(change.object),
        "sources": list(change.sources),
        "frames": change.frames,
        "spans": [[round(start_s, 3), round(end_s, 3)] for start_s, end_s in change.spans],
    }


def _event_to_dict(change: EventChange) -> dict[str, object]:
    return {
        "entity": _entity(change.entity),
        "source": change.source,
        "start_s": round(change.span[0], 3),
        "end_s": round(change.span[1], 3),
        "description": change.text,
    }


def _entity(entity: Tracked) -> dict[str, object]:
    return {
        "entity_id": entity.entity_id,
        "label": entity.label,
        "start_s": round(entity.start_s, 3),
        "end_s": round(entity.end_s, 3),
    }
