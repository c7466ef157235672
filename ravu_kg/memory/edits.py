"""Corrections that people make: another name or label, another description, another time; they outlive re-indexing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph import corrections, decisions
from ravu_kg.graph.corrections import Changes, Correction, Embed, EventTime
from ravu_kg.graph.decisions import EntityState
from ravu_kg.graph.rewording import Named, names
from ravu_kg.graph.store import Store
from ravu_kg.memory.identities import entity_id_of, user
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.naming import find
from ravu_kg.memory.opening import one_at_a_time

_LOCK = "corrections"
_EVENT = re.compile(r"(?P<video>.+)/(?P<track>\d+)/(?P<source>geometry|model|annotation)/(?P<seq>\d+)")
_LABEL = re.compile(r"[a-z][a-z0-9' -]{0,39}")
_LONGEST_NAME, _LONGEST_TEXT = 60, 1000


@dataclass(frozen=True, slots=True)
class EditableEvent:
    """An event as it is now."""

    event_id: str
    source: str
    start_s: float
    end_s: float
    found_start_s: float
    found_end_s: float
    description: str


@dataclass(frozen=True, slots=True)
class Editable:
    """An entity and its events, as they are now."""

    entity_id: str
    called: str
    """In sentences and answers: the name that it was given, or ``person 2``."""
    name: str | None
    label: str
    description: str
    events: tuple[EditableEvent, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


class Edits:
    """Corrections of entities (``holiday#3``) and events (``holiday/3/geometry/0``)."""

    def __init__(self, store: Store, videos: Callable[[], Sequence[VideoSummary]], cache: Path, embed: Embed) -> None:
        self._store = store
        self._videos = videos
        self._cache = cache
        self._embed = embed

    def show(self, entity: str) -> Editable:
        """What can be corrected of an entity and its events.

        Raises:
            NotFoundError: no such video or entity.
            UsageError: it is no name of an entity.
        """
        entity_id = entity_id_of(entity, self._videos())
        state = self._state(entity_id)
        rows = self._store.read("corrections/entities", video_id=state.video_id).rows
        row = next(one for one in rows if one["id"] == entity_id)
        given_name = row["given_name"]
        return Editable(
            entity_id=entity_id,
            called=self._called(state.video_id)[entity_id],
            name=None if given_name is None else str(given_name),
            label=str(row["label"]),
            description=str(row["description"]),
            events=tuple(self._events(entity_id)),
        )

    def entity(
        self,
        entity: str,
        *,
        name: str | None = None,
        label: str | None = None,
        description: str | None = None,
        by: str = "",
        why: str = "",
    ) -> int:
        """Correct an entity; gives the number under which it can be undone.

        Args:
            entity: ``VIDEO#NUMBER``.
            name: what it is called from now on, in questions and answers.
            label: what it is; its own sentences say so, too.
            description: what is known of it.
            by: who corrects it; by default the user of this machine.
            why: the reason.

        Raises:
            NotFoundError: no such video or entity.
            UsageError: nothing would change, or a value cannot be used.
            ProviderError: the embedder failed.
        """
        with self._alone():
            now = self.show(entity)
            state = self._state(now.entity_id)
            given = {
                "name": None if name is None else _text(name, "name", _LONGEST_NAME),
                "label": None if label is None else _label(label),
                "description": None if description is None else _text(description, "description", _LONGEST_TEXT),
            }
            self._require_change(now.entity_id, given, {"name": now.name, "label": now.label,
                                                        "description": now.description})  # fmt: skip
            if given["name"] is not None:
                self._require_free(given["name"], state)
            changes = Changes(**given)  # pyright: ignore[reportArgumentType] -- texts alone
            return self._record(state, now.entity_id, changes, None, by, why)

    def event(
        self,
        event: str,
        *,
        description: str | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
        by: str = "",
        why: str = "",
    ) -> int:
        """Correct an event; gives the number under which it can be undone.

        Raises:
            NotFoundError: no such video or event.
            UsageError: nothing would change, or a value cannot be used.
            ProviderError: the embedder failed.
        """
        with self._alone():
            video_id, track, event_id = self._event_id(event)
            state = self._state(f"{video_id}#{track}")
            found = next((one for one in self._events(state.entity_id) if one.event_id == event_id), None)
            if found is None:
                raise NotFoundError(
                    f"The graph has no event {event_id}. `ravu-kg edit show '{state.entity_id}'` lists the events."
                )
            text = None if description is None else _text(description, "description", _LONGEST_TEXT)
            given: dict[str, object] = {"description": text, "start_s": start_s, "end_s": end_s}
            self._require_change(event_id, given, asdict(found))
            first_s = found.start_s if start_s is None else start_s
            last_s = found.end_s if end_s is None else end_s
            duration_s = next(one.duration_s for one in self._videos() if one.video_id == video_id)
            if not 0.0 <= first_s < last_s <= duration_s + 1.0:
                raise UsageError(
                    f"An event from {first_s:g} s to {last_s:g} s does not lie within the video of {duration_s:.1f} s."
                )
            time = EventTime(found.source, found.found_start_s, found.found_end_s)
            return self._record(state, event_id, Changes(None, None, text, start_s, end_s), time, by, why)

    def undo(self, number: int | None = None, *, by: str = "", why: str = "") -> Correction:
        """Take a correction back, the latest one by default; what was found or corrected before holds again.

        Raises:
            UsageError: there is nothing to undo, or it was undone before.
            NotFoundError: no correction has that number.
        """
        with self._alone():
            return corrections.undo(self._store, number, by or user(), why, self._embed)

    def history(self, video: str | None = None) -> list[Correction]:
        """What was corrected, oldest first.

        Raises:
            NotFoundError: no such video.
        """
        return corrections.records(self._store, None if video is None else find(video, self._videos()))

    def _record(
        self, state: EntityState, target_id: str, changes: Changes, event: EventTime | None, by: str, why: str
    ) -> int:
        correction = Correction(
            id=0,
            video_id=state.video_id,
            target="entity" if event is None else "event",
            target_id=target_id,
            seen=state.sighting,
            changes=changes,
            event=event,
            decided_by=by or user(),
            decided_at="",
            why=why,
            note=None,
        )
        return corrections.correct(self._store, correction, self._embed)

    def _state(self, entity_id: str) -> EntityState:
        return decisions.require(decisions.states(self._store, [entity_id]), entity_id)

    def _events(self, entity_id: str) -> list[EditableEvent]:
        rows = self._store.read("corrections/events", entity_ids=[entity_id]).rows
        events = [_event(row) for row in rows]
        return sorted(events, key=lambda one: (one.source, one.start_s, one.event_id))

    def _called(self, video_id: str) -> dict[str, str]:
        rows = self._store.read("corrections/entities", video_id=video_id).rows
        return names(
            [
                Named(
                    str(row["id"]),
                    int(str(row["track_id"])),
                    str(row["found_label"]),
                    str(row["label"]),
                    None if row["given_name"] is None else str(row["given_name"]),
                )
                for row in rows
            ]
        )

    def _event_id(self, name: str) -> tuple[str, int, str]:
        match = _EVENT.fullmatch(name)
        if match is None:
            raise UsageError(
                f"{name!r} names no event. `ravu-kg edit show 'VIDEO#NUMBER'` lists the events of an entity: "
                "'holiday/3/geometry/0'."
            )
        video_id, track = find(match["video"], self._videos()), int(match["track"])
        return video_id, track, f"{video_id}/{track}/{match['source']}/{int(match['seq'])}"

    def _require_free(self, name: str, state: EntityState) -> None:
        """A name means one identity of a video.

        Raises:
            UsageError: another one is called so.
        """
        rows = self._store.read("corrections/entities", video_id=state.video_id).rows
        if name.lower() in {str(row[key]).lower() for row in rows for key in ("label", "found_label")}:
            raise UsageError(f"{name!r} is a label in this video, so questions with it mean all of that label.")
        called = self._called(state.video_id)
        others = [one for one, other in called.items() if other.lower() == name.lower() and one != state.entity_id]
        for other in decisions.states(self._store, others).values():
            if other.identity_id != state.identity_id:
                raise UsageError(
                    f"{other.entity_id} is called {name!r} in this video. If both are one, merge them: "
                    f"ravu-kg identities merge '{state.entity_id}' '{other.entity_id}'"
                )

    def _require_change(self, what: str, given: Mapping[str, object], now: Mapping[str, object]) -> None:
        wanted = {key: value for key, value in given.items() if value is not None}
        if not wanted:
            raise UsageError(f"Say what to correct of {what}: {', '.join('--' + _option(key) for key in given)}.")
        if all(now[key] == value for key, value in wanted.items()):
            raise UsageError(f"{what} is like that already; nothing was changed.")

    def _alone(self) -> AbstractContextManager[None]:
        """One correction at a time, whichever process makes it."""
        return one_at_a_time(self._cache, _LOCK)


def _event(row: Mapping[str, object]) -> EditableEvent:
    times = cast("dict[str, float]", row)  # columns declared FLOAT
    return EditableEvent(
        event_id=str(row["id"]),
        source=str(row["source"]),
        start_s=times["start_s"],
        end_s=times["end_s"],
        found_start_s=times["found_start_s"],
        found_end_s=times["found_end_s"],
        description=str(row["description"]),
    )


def _option(key: str) -> str:
    return {"start_s": "from", "end_s": "to"}.get(key, key)


def _text(value: str, what: str, longest: int) -> str:
    text = " ".join(value.split())
    if not text or len(text) > longest or any(unicodedata.category(letter)[0] == "C" for letter in text):
        raise UsageError(f"A {what} has between 1 and {longest} letters on one line, and this is none: {value[:80]!r}.")
    return text


def _label(value: str) -> str:
    label = " ".join(value.lower().split())
    if not _LABEL.fullmatch(label):
        raise UsageError(f"{value[:80]!r} is no label: a word or a few, such as 'dog' or 'traffic light'.")
    return label
