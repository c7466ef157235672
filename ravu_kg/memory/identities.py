"""Who is who, across videos and re-entries: candidates, decisions that can be taken back, and what they make stale."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

from ravu_kg.errors import UsageError
from ravu_kg.graph import decisions, identity
from ravu_kg.graph.decisions import DecisionKind, DecisionRecord, EntityState, Verdict
from ravu_kg.graph.identity import Pair, pair
from ravu_kg.graph.store import Store
from ravu_kg.memory.appearances import Seen
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.likenesses import Known, Suggestion, compared, known_entities, suggestions
from ravu_kg.memory.naming import find
from ravu_kg.memory.opening import one_at_a_time
from ravu_kg.memory.records import Report

LEAST_SCORE = 0.5
"""Candidates below are not shown unless asked for."""
_LOCK = "decisions"
_MOST = 20
"""Entities that may be merged at once: each pair of them is a record."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision came to."""

    operation: int
    """The number under which it can be undone."""
    kind: DecisionKind
    pairs: tuple[Pair, ...]
    identities: dict[str, str]
    """The identity that each of its entities has now."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "pairs": [list(one) for one in self.pairs]}


@dataclass(frozen=True, slots=True)
class Operation:
    """What was decided with one command."""

    number: int
    kind: DecisionKind
    pairs: tuple[Pair, ...]
    decided_by: str
    decided_at: str
    why: str
    status: str
    """``holds``, ``waits`` (nothing lies where an entity was) or ``undone``."""
    notes: tuple[str, ...]
    """Why pairs of it wait."""
    undone_by: str | None
    undone_at: str | None
    undone_why: str | None

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "pairs": [list(one) for one in self.pairs], "notes": list(self.notes)}


class Identities:
    """Decisions about entities of the memory. An entity is named by its video and number: ``holiday#3``."""

    def __init__(
        self,
        store: Store,
        videos: Callable[[], Sequence[VideoSummary]],
        cache: Path,
        measure: Callable[[Sequence[str], Report | None], Seen],
    ) -> None:
        self._store = store
        self._videos = videos
        self._cache = cache
        self._measure = measure

    def look(self, progress: Report | None = None) -> Seen:
        """Let the appearance model of the settings see all entities that it has not seen; suggestions then use it.

        Without a model on this machine nothing happens but a note: suggestions compare colours.

        Raises:
            ConfigurationError: there is no such model.
        """
        return self._measure([video.video_id for video in self._videos() if video.status == "ready"], progress)

    def suggest(
        self, videos: Sequence[str] = (), *, least_score: float = LEAST_SCORE, limit: int = 20
    ) -> list[Suggestion]:
        """Pairs of entities that may be one, best first; nothing is changed.

        Args:
            videos: at least one entity of a pair is of these; all by default.
            least_score: 0..1.
            limit: how many.

        Raises:
            NotFoundError: no such video.
            UsageError: the score or the limit makes no sense.
        """
        if not 0.0 <= least_score <= 1.0 or limit < 1:
            raise UsageError("A score lies between 0 and 1, and at least one pair has to be asked for.")
        known = self._videos()
        among = {find(video, known) for video in videos} or None
        past = decisions.records(self._store)
        apart = {one.ends for one in _latest(past).values() if one.verdict == "rejected"}
        found = suggestions(self._store, known_entities(self._store), apart, among=among, limit=limit)
        return [one for one in found if one.score >= least_score]

    def link(self, videos: Sequence[str] = (), *, least_score: float, limit: int = 200, by: str = "") -> Decided | None:
        """Join the candidates from a score on by automatic links; None when there is none.

        The best pair comes first. A pair is left out when two entities that are in one picture together would
        become one.

        Raises:
            NotFoundError: no such video.
            UsageError: the score makes no sense.
        """
        with self._alone():
            chosen = _without_company(
                self.suggest(videos, least_score=least_score, limit=limit), known_entities(self._store)
            )
            if not chosen:
                return None
            verdicts = [Verdict(*one.ends, "auto", one.score, one.method) for one in chosen]
            return self._decided("link", verdicts, by, f"score of at least {least_score:g}")

    def accept(self, one: str, other: str, *, by: str = "", why: str = "") -> Decided:
        """Two entities are one.

        Raises:
            NotFoundError: no such video or entity.
            UsageError: it is accepted already, both are one entity, or other decisions say the contrary.
        """
        return self._about_two("accept", one, other, by, why)

    def reject(self, one: str, other: str, *, by: str = "", why: str = "") -> Decided:
        """Two entities are not one; raises as :meth:`accept`."""
        return self._about_two("reject", one, other, by, why)

    def merge(self, entities: Sequence[str], *, by: str = "", why: str = "") -> Decided:
        """Several entities, with all that is one with them, are one.

        Raises:
            NotFoundError: no such video or entity.
            UsageError: fewer than two or too many, one named twice, all accepted as one already, or other decisions
                say the contrary.
        """
        with self._alone():
            ids = self._distinct(entities)
            if not 2 <= len(ids) <= _MOST:
                raise UsageError(f"Name between two and {_MOST} entities to merge, not {len(ids)}.")
            held = _latest(decisions.records(self._store))
            open_pairs = [
                ends
                for ends in (pair(*two) for two in combinations(ids, 2))
                if ends not in held or held[ends].verdict != "accepted"
            ]
            if not open_pairs:
                raise UsageError(f"{', '.join(ids)} are merged already: {_told(held[pair(ids[0], ids[1])])}.")
            return self._decided("merge", self._verdicts(open_pairs, "accepted"), by, why)

    def split(self, entities: Sequence[str], *, by: str = "", why: str = "") -> Decided:
        """Take entities out of their identity; several stay one with each other.

        Raises:
            NotFoundError: no such video or entity.
            UsageError: they are not of one identity, or nothing is left of it.
        """
        with self._alone():
            ids = self._distinct(entities)
            states = self._states(ids)
            of = sorted({one.identity_id for one in states.values()})
            if len(of) > 1:
                raise UsageError(f"{', '.join(ids)} are not one identity but {len(of)}. Split one identity at a time.")
            members = [str(row["entity_id"]) for row in self._store.read("identities/members", identity_ids=of).rows]
            rest = [member for member in members if member not in ids]
            if not rest:
                raise UsageError(f"Nothing is joined to {', '.join(ids)}, so there is nothing to split.")
            verdicts = self._verdicts([pair(one, other) for one in ids for other in rest], "rejected")
            return self._decided("split", verdicts, by, why)

    def undo(self, number: int | None = None, *, by: str = "", why: str = "") -> Operation:
        """Take a decision back, the latest one by default: what was before holds again.

        Raises:
            UsageError: there is nothing to undo, or it was undone before.
            NotFoundError: no decision has that number.
        """
        with self._alone():
            undone = decisions.undo(self._store, number, by or user(), why)
        return next(one for one in self.history() if one.number == undone)

    def history(self, video: str | None = None) -> list[Operation]:
        """What was decided, oldest first; of a video, what touches one of its entities.

        Raises:
            NotFoundError: no such video.
        """
        video_id = None if video is None else find(video, self._videos())
        grouped: dict[int, list[DecisionRecord]] = {}
        for one in decisions.records(self._store, video_id):
            grouped.setdefault(one.operation, []).append(one)
        return [_operation(number, records) for number, records in sorted(grouped.items())]

    def threshold(self) -> float:
        """The score from which on an automatic link is used; 0 while none was set: then all are."""
        return identity.threshold(self._store)

    def set_threshold(self, score: float, *, by: str = "") -> int:
        """Use automatic links only from a score on; how many entities have another identity by that.

        Raises:
            UsageError: the score is not in 0..1.
        """
        with self._alone():
            return decisions.set_threshold(self._store, score, by or user())

    def entity_id(self, name: str) -> str:
        """The id of the entity that ``VIDEO#NUMBER`` means.

        Raises:
            NotFoundError: no such video.
            UsageError: it is no such name, or the video's name is ambiguous.
        """
        return entity_id_of(name, self._videos())

    def _about_two(self, kind: DecisionKind, one: str, other: str, by: str, why: str) -> Decided:
        verdict = "accepted" if kind == "accept" else "rejected"
        with self._alone():
            ids = self._distinct([one, other])
            self._states(ids)
            before = _latest(decisions.records(self._store)).get(pair(*ids))
            if before is not None and before.verdict == verdict:
                raise UsageError(f"{ids[0]} and {ids[1]} are {verdict} already: {_told(before)}.")
            return self._decided(kind, self._verdicts([pair(*ids)], verdict), by, why)

    def _decided(self, kind: DecisionKind, verdicts: Sequence[Verdict], by: str, why: str) -> Decided:
        operation = decisions.decide(self._store, kind, verdicts, by or user(), why)
        ends = tuple(pair(one.first_id, one.second_id) for one in verdicts)
        now = decisions.states(self._store, (end for one in ends for end in one))
        return Decided(operation, kind, ends, {one: state.identity_id for one, state in now.items()})

    def _verdicts(self, pairs: Sequence[Pair], status: str) -> list[Verdict]:
        """Verdicts with how alike the entities are, which the record keeps."""
        videos = sorted({end.rpartition("#")[0] for ends in pairs for end in ends})
        known = {one.entity_id: one for one in known_entities(self._store, videos)}
        scored = compared(self._store, [(known[one], known[other]) for one, other in pairs])
        return [
            Verdict(*ends, "accepted" if status == "accepted" else "rejected", round(one.score, 4))
            for ends, one in zip(pairs, scored, strict=True)
        ]

    def _distinct(self, names: Sequence[str]) -> list[str]:
        """The ids that names mean, each once.

        Raises:
            UsageError: one entity is named twice.
        """
        videos = self._videos()
        ids = [entity_id_of(name, videos) for name in names]
        for position, one in enumerate(ids):
            if one in ids[:position]:
                raise UsageError(f"{one} is named twice; a decision is about different entities.")
        self._states(ids)
        return ids

    def _states(self, ids: Sequence[str]) -> dict[str, EntityState]:
        known = decisions.states(self._store, ids)
        return {one: decisions.require(known, one) for one in ids}

    def _alone(self) -> AbstractContextManager[None]:
        """One decision at a time, whichever process makes it."""
        return one_at_a_time(self._cache, _LOCK)


def entity_id_of(name: str, videos: Sequence[VideoSummary]) -> str:
    """The id of the entity that ``VIDEO#NUMBER`` means; raises as :meth:`Identities.entity_id`."""
    video, _, number = name.rpartition("#")
    if not video or not number.isdecimal():
        raise UsageError(
            f"{name!r} names no entity. Name its video and its number, as `ravu-kg videos show VIDEO` lists them: "
            "'holiday#3'."
        )
    return f"{find(video, videos)}#{int(number)}"


def user() -> str:
    """Who decides, unless it is said: the user of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without an entry for its user
        return "unknown"


def _latest(past: Sequence[DecisionRecord]) -> dict[Pair, DecisionRecord]:
    """The decision that holds about each pair."""
    return {one.ends: one for one in past if one.holds}  # by operation, so the last one stays


def _told(one: DecisionRecord) -> str:
    return f"decision {one.operation} by {one.decided_by} on {one.decided_at[:16].replace('T', ' ')}"


def _operation(number: int, records: Sequence[DecisionRecord]) -> Operation:
    first = records[0]
    notes = tuple(one.note for one in records if one.note is not None)
    status = "undone" if first.undone_at is not None else "waits" if len(notes) == len(records) else "holds"
    return Operation(
        number,
        first.kind,
        tuple((one.first_id, one.second_id) for one in records),
        first.decided_by,
        first.decided_at,
        first.why,
        status,
        notes,
        first.undone_by,
        first.undone_at,
        first.undone_why,
    )


def _without_company(found: Sequence[Suggestion], entities: Sequence[Known]) -> list[Suggestion]:
    """The suggestions, best first, that make no two entities one which are in a picture together."""
    members: dict[str, list[Known]] = {}
    for one in entities:
        members.setdefault(one.identity_id, []).append(one)
    now = {one.identity_id: one.identity_id for one in entities}
    kept: list[Suggestion] = []
    for one in found:
        first, second = now[one.first.identity_id], now[one.second.identity_id]
        if first == second or any(_together(a, b) for a in members[first] for b in members[second]):
            continue
        members[first] += members.pop(second)
        now = {identity_id: first if into == second else into for identity_id, into in now.items()}
        kept.append(one)
    return kept


def _together(one: Known, other: Known) -> bool:
    return one.video_id == other.video_id and one.start_s < other.end_s and other.start_s < one.end_s
