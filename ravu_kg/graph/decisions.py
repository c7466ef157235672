"""Decisions about identities: records in the graph, from which the links between entities follow.

What a person (or a threshold) decides is kept as ``Decision`` nodes, one for each pair of entities; those of one
command share a number. The latest decision about a pair that was not undone holds, else what indexing found. So
every decision can be taken back. A record knows what both entities looked like in place and time
(:mod:`ravu_kg.graph.sightings`): after a video was indexed anew it is applied to the entities that lie there, and
waits, told by :func:`records`, while there is none. With a video go the decisions about its entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph import identity
from ravu_kg.graph.identity import Link, Pair, pair
from ravu_kg.graph.sightings import Candidate, Sighting, find
from ravu_kg.graph.store import Store
from ravu_kg.types import LinkStatus

DecisionKind = Literal["accept", "reject", "merge", "split", "link"]
Statement = tuple[str, Mapping[str, object]]
MADE = "decision"
"""The method of a link that nobody found before it was decided."""


@dataclass(frozen=True, slots=True)
class EntityState:
    """An entity as it is now."""

    entity_id: str
    video_id: str
    title: str
    video_status: str
    identity_id: str
    label: str
    given_name: str | None
    start_s: float
    end_s: float
    sighting: Sighting


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is decided about one pair."""

    first_id: str
    second_id: str
    status: LinkStatus
    score: float = 0.0
    method: str = MADE


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What was decided about one pair, by whom, when and why."""

    id: str
    operation: int
    """What was decided together has one number."""
    kind: DecisionKind
    verdict: LinkStatus
    first_id: str
    second_id: str
    first_video: str
    second_video: str
    first_seen: str
    """A :class:`Sighting` as JSON."""
    second_seen: str
    score: float
    method: str
    decided_by: str
    decided_at: str
    why: str
    note: str | None
    """Why it waits; None while it is applied."""
    undone_by: str | None
    undone_at: str | None
    undone_why: str | None

    @property
    def holds(self) -> bool:
        """Neither taken back nor waiting."""
        return self.undone_at is None and self.note is None

    @property
    def ends(self) -> Pair:
        """The two entities."""
        return pair(self.first_id, self.second_id)


def records(store: Store, video_id: str | None = None) -> list[DecisionRecord]:
    """All decisions, oldest first; of a video, those that touch one of its entities.

    Raises:
        GraphError: Neo4j failed.
    """
    rows = store.read("identities/decisions", video_id=video_id).rows
    return [DecisionRecord(**cast("dict[str, str]", row)) for row in rows]  # pyright: ignore[reportArgumentType] -- typed by the template


def states(store: Store, entity_ids: Iterable[str]) -> dict[str, EntityState]:
    """Entities by id; one that is not there is left out.

    Raises:
        GraphError: Neo4j failed.
    """
    found = store.read("identities/entities", entity_ids=sorted(set(entity_ids))).rows
    return {str(row["entity_id"]): _state(row) for row in found}


def decide(store: Store, kind: DecisionKind, verdicts: Sequence[Verdict], by: str, why: str) -> int:
    """Record verdicts about pairs of entities and apply them, in one transaction.

    Args:
        store: an open store.
        kind: what was asked for.
        verdicts: one for each pair, at least one.
        by: who decides.
        why: the reason; may be empty.

    Returns:
        The number under which it can be undone.

    Raises:
        NotFoundError: an entity is not in the graph.
        UsageError: a pair is one entity, or the verdict contradicts accepted decisions.
        GraphError: Neo4j failed; nothing is changed.
    """
    known = states(store, (end for verdict in verdicts for end in (verdict.first_id, verdict.second_id)))
    for verdict in verdicts:
        for end in (verdict.first_id, verdict.second_id):
            require(known, end)
        if verdict.first_id == verdict.second_id:
            raise UsageError(f"{verdict.first_id} is one entity; a decision is about two.")
    past = records(store)
    operation = max((one.operation for one in past), default=0) + 1
    rows = [_row(operation, position, kind, one, known, by, why) for position, one in enumerate(verdicts, 1)]
    wanted = {
        pair(one.first_id, one.second_id): _Wanted(one.status, by, why, one.score, one.method, operation)
        for one in verdicts
    }
    changes = _changes(store, wanted, known)
    store.write_all([("identities/record_decisions", {"rows": rows}), *changes])
    return operation


def undo(store: Store, operation: int | None, by: str, why: str) -> int:
    """Take a decision back: for its pairs the latest other decision holds again, else what indexing found.

    Args:
        store: an open store.
        operation: its number; None for the latest that was not undone.
        by: who takes it back.
        why: the reason; may be empty.

    Returns:
        The number of what was undone.

    Raises:
        UsageError: there is nothing to undo, it was undone before, or decisions that it kept apart would contradict
            each other.
        NotFoundError: no decision has that number.
        GraphError: Neo4j failed; nothing is changed.
    """
    past = records(store)
    open_ones = [one.operation for one in past if one.undone_at is None]
    if operation is None:
        if not open_ones:
            raise UsageError(
                "There is nothing to undo: no decision holds. `ravu-kg identities history` shows them all."
            )
        operation = max(open_ones)
    of_it = [one for one in past if one.operation == operation]
    if not of_it:
        raise NotFoundError(f"No decision has the number {operation}. `ravu-kg identities history` shows them all.")
    if operation not in open_ones:
        when, who = str(of_it[0].undone_at)[:16], of_it[0].undone_by
        raise UsageError(f"Decision {operation} was undone before, by {who} on {when}. Decide anew instead.")
    left = [one for one in past if one.operation != operation]
    wanted = {one.ends: _latest(one.ends, left) for one in of_it if one.holds}
    known = states(store, (end for ends in wanted for end in ends))
    changes = _changes(store, {ends: one for ends, one in wanted.items() if set(ends) <= set(known)}, known)
    undoing: Statement = ("identities/undo_decisions", {"operation": operation, "undone_by": by, "why": why})
    store.write_all([undoing, *changes])
    return operation


def apply_again(store: Store, video_id: str) -> list[DecisionRecord]:
    """Apply the decisions about a video's entities to those that lie in their place after it was indexed anew.

    Doing it twice changes nothing.

    Returns:
        Those that have to wait, since nothing lies there any more.

    Raises:
        GraphError: Neo4j failed.
    """
    of_video = [one for one in records(store, video_id) if one.undone_at is None]
    if not of_video:
        return []
    candidates = [Candidate.of_row(row) for row in store.read("identities/tracks_of_video", video_id=video_id).rows]
    placed = _without_contradiction([_placed(one, video_id, candidates) for one in of_video])
    rows = [{"id": one.id, "first_id": one.first_id, "second_id": one.second_id, "note": one.note} for one in placed]
    now = {one.id: one for one in placed}
    everything = [now.get(one.id, one) for one in records(store)]
    wanted = {one.ends: _latest(one.ends, everything) for one in placed if one.holds}
    known = states(store, (end for ends in wanted for end in ends))
    wanted = {ends: one for ends, one in wanted.items() if set(ends) <= set(known)}
    changes = _changes(store, wanted, known, new_revision=False)
    store.write_all([("identities/place_decisions", {"rows": rows}), *changes])
    return [one for one in placed if one.note is not None]


def forget(store: Store, video_id: str) -> None:
    """Remove the decisions about entities of a video that is deleted.

    Raises:
        GraphError: Neo4j failed.
    """
    store.write("identities/forget_decisions", video_id=video_id)


def set_threshold(store: Store, score: float, by: str) -> int:
    """Use automatic links only from a score on; how many entities have another identity by that.

    Raises:
        UsageError: the score is not in 0..1.
        GraphError: Neo4j failed.
    """
    if not 0.0 <= score <= 1.0:
        raise UsageError(f"A score lies between 0 and 1, not at {score:g}.")
    ids = [str(row["entity_id"]) for row in store.read("identities/automatic").rows]
    known, links = identity.neighbourhood(store, ids)
    found = identity.in_use(known, links, score)
    changed = _changed(found, states(store, known))
    store.write_all(
        [
            ("identities/set_threshold", {"threshold": score, "decided_by": by}),
            *identity.identity_statements(found),
            ("identities/change_videos", {"video_ids": sorted({one.video_id for one in changed})}),
        ]
    )
    return len(changed)


def require(known: Mapping[str, EntityState], entity_id: str) -> EntityState:
    """An entity that can be decided about.

    Raises:
        NotFoundError: it is not in the graph.
        UsageError: its video is not indexed to its end.
    """
    if entity_id not in known:
        raise NotFoundError(
            f"The graph has no entity {entity_id}. `ravu-kg videos show VIDEO` lists those of a video; a deleted video "
            "takes its entities with it."
        )
    one = known[entity_id]
    if one.video_status != "ready":
        raise UsageError(f"Video {one.title} ({one.video_id}) is {one.video_status}; wait until it is ready.")
    return one


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a link has to be; without a status it is what indexing left, or goes."""

    status: LinkStatus | None
    by: str | None = None
    why: str | None = None
    score: float = 0.0
    method: str = MADE
    operation: int = 0
    at: str | None = None
    """None for now."""


def _latest(ends: Pair, past: Sequence[DecisionRecord]) -> _Wanted:
    """What the latest decision that holds says of a pair."""
    holding = [one for one in past if one.holds and one.ends == ends]
    if not holding:
        return _Wanted(None)
    last = max(holding, key=lambda one: one.operation)
    by = None if last.verdict == "auto" else last.decided_by
    return _Wanted(last.verdict, by, last.why or None, last.score, last.method, last.operation, last.decided_at)


def _changes(
    store: Store, wanted: Mapping[Pair, _Wanted], known: Mapping[str, EntityState], *, new_revision: bool = True
) -> list[Statement]:
    """The statements that make the links what is wanted, and the identities what follows from them."""
    ends = {end for one in wanted for end in one}
    present = {
        pair(str(row["earlier_id"]), str(row["later_id"])): row
        for row in store.read("identities/links", entity_ids=sorted(ends)).rows
    }
    members, links = identity.neighbourhood(store, ends)
    kept: list[dict[str, object]] = []
    gone: list[dict[str, object]] = []
    for one, want in wanted.items():
        there = present.get(one)
        earlier_id, later_id = _direction(one, there, known)
        found_by_indexing = there is not None and there["operation"] is None
        if want.status is None and not found_by_indexing:
            gone.append({"earlier_id": earlier_id, "later_id": later_id})
            links.pop(one, None)
            continue
        status: LinkStatus = want.status or "auto"
        score = float(str(there["score"])) if there is not None else want.score
        links[one] = Link(score, status)
        same_video = known[one[0]].video_id == known[one[1]].video_id
        created = {
            "score": want.score,
            "method": want.method,
            "scope": "reentry" if same_video else "video",
            "operation": want.operation,
        }
        by = None if status == "auto" else want.by
        row = {"earlier_id": earlier_id, "later_id": later_id, "status": status, "decided_by": by}
        kept.append({**row, "decided_at": want.at, "why": want.why, "created": created})
    _require_agreement(members, links)
    found = identity.in_use(members, links, identity.threshold(store))
    statements: list[Statement] = []
    if kept:
        statements.append(("identities/write_links", {"rows": kept}))
    if gone:
        statements.append(("identities/remove_links", {"rows": gone}))
    statements += identity.identity_statements(found)
    if new_revision and (changed := _changed(found, states(store, found))):
        videos = sorted({one.video_id for one in changed})
        statements.append(("identities/change_videos", {"video_ids": videos}))
    return statements


def _changed(found: Mapping[str, str], before: Mapping[str, EntityState]) -> list[EntityState]:
    return [one for entity_id, one in before.items() if found.get(entity_id, one.identity_id) != one.identity_id]


def _direction(ends: Pair, there: Mapping[str, object] | None, known: Mapping[str, EntityState]) -> tuple[str, str]:
    """A link keeps its direction; a new one goes forward in time, across videos from the lower to the higher id."""
    if there is not None:
        return str(there["earlier_id"]), str(there["later_id"])
    one, other = known[ends[0]], known[ends[1]]
    if one.video_id == other.video_id and other.start_s < one.start_s:
        return ends[1], ends[0]
    return ends


def _require_agreement(members: Iterable[str], links: Mapping[Pair, Link]) -> None:
    """Refuse what would make two entities one by accepted decisions and keep them apart by another."""
    accepted = [ends for ends, link in links.items() if link.status == "accepted"]
    joined = identity.identities(members, accepted)
    for one, other in sorted(ends for ends, link in links.items() if link.status == "rejected"):
        if joined.get(one, one) == joined.get(other, other):
            raise UsageError(
                f"This contradicts other decisions: {one} and {other} would be one by what was accepted, and are kept "
                "apart by another decision. Take one back first (`ravu-kg identities history`, then `undo NUMBER`), or "
                "take an entity out of its identity with `split`."
            )


def _placed(one: DecisionRecord, video_id: str, candidates: Sequence[Candidate]) -> DecisionRecord:
    """The record about the entities that lie there now, with a note when it has to wait."""
    ids, missing = [one.first_id, one.second_id], list[str]()
    for position, (video, seen) in enumerate(((one.first_video, one.first_seen), (one.second_video, one.second_seen))):
        if video == video_id:
            found = find(Sighting.from_json(seen), candidates, ids[position])
            if found is None:
                missing.append(ids[position])
            else:
                ids[position] = found
    note = None
    if missing:
        note = f"nothing lies any more where {' and '.join(missing)} was"
    elif ids[0] == ids[1]:
        note = f"both are {ids[0]} now"
    if note is not None:
        return replace(one, note=note)  # it goes on to name those that were decided about
    return replace(one, first_id=ids[0], second_id=ids[1], note=None)


def _without_contradiction(placed: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """A decision about entities of which others say the contrary, now that two of old are one, waits."""
    latest: dict[Pair, DecisionRecord] = {one.ends: one for one in placed if one.note is None}  # by operation
    holding = sorted(latest.values(), key=lambda one: one.operation)
    joined = identity.identities(
        [end for one in holding for end in one.ends], [one.ends for one in holding if one.verdict == "accepted"]
    )
    against = {
        one.ends for one in holding if one.verdict == "rejected" and joined[one.first_id] == joined[one.second_id]
    }
    return [
        replace(one, note="other decisions now say that they are one") if one.note is None and one.ends in against
        else one
        for one in placed
    ]  # fmt: skip


def _row(
    operation: int,
    position: int,
    kind: DecisionKind,
    verdict: Verdict,
    known: Mapping[str, EntityState],
    by: str,
    why: str,
) -> dict[str, object]:
    first, second = known[verdict.first_id], known[verdict.second_id]
    return {
        "id": f"{operation}.{position}",
        "properties": {
            "operation": operation,
            "kind": kind,
            "verdict": verdict.status,
            "firstId": first.entity_id,
            "secondId": second.entity_id,
            "firstVideoId": first.video_id,
            "secondVideoId": second.video_id,
            "firstSeen": first.sighting.to_json(),
            "secondSeen": second.sighting.to_json(),
            "score": verdict.score,
            "method": verdict.method,
            "decidedBy": by,
            "why": why,
        },
    }


def _state(row: Mapping[str, object]) -> EntityState:
    numbers = cast("dict[str, list[float]]", row)  # columns declared LIST<FLOAT>
    times = cast("dict[str, float]", row)  # columns declared FLOAT
    given_name = row["given_name"]
    return EntityState(
        entity_id=str(row["entity_id"]),
        video_id=str(row["video_id"]),
        title=str(row["title"]),
        video_status=str(row["status"]),
        identity_id=str(row["identity_id"]),
        label=str(row["label"]),
        given_name=None if given_name is None else str(given_name),
        start_s=times["start_s"],
        end_s=times["end_s"],
        sighting=Sighting.of(str(row["label"]), numbers["timestamps_s"], numbers["boxes"]),
    )
