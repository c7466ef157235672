"""The events of entities from their sentences, z^j = g_l({p_i^j}, s_e): long lives in pieces, short ones together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ravu_kg.perception.captioning import words
from ravu_kg.perception.captioning.asking import Asked
from ravu_kg.perception.captioning.replies import EventsReply
from ravu_kg.perception.captioning.requests import Life, Line, events_request
from ravu_kg.types import Coverage

PIECE_LINES = 60
"""A longer life is cut into pieces of so many lines."""
OVERLAP_LINES = 6
CALL_LINES = 120
"""Pieces share a call up to so many lines."""
_LEAST_LIKENESS = 0.5


@dataclass(frozen=True, slots=True)
class Told:
    """An event between two frames of an entity (both belong to it)."""

    first: int
    last: int
    text: str


def lines_of(sentences: Iterable[tuple[int, str]]) -> tuple[Line, ...]:
    """Sentences by frame as lines; a sentence that stays the same over consecutive frames is one."""
    lines: list[Line] = []
    for index, text in sentences:
        if lines and lines[-1].text == text and lines[-1].last == index - 1:
            lines[-1] = replace(lines[-1], last=index)
        else:
            lines.append(Line(index, index, text))
    return tuple(lines)


def find_events(
    asked: Asked, lives: Sequence[Life], progress: Callable[[float], None]
) -> tuple[dict[str, list[Told]], dict[str, Coverage]]:
    """The events of all entities, and the entities of which something could not be found out.

    Args:
        asked: who is asked.
        lives: of the entities, each in time order.
        progress: told the share that is done.

    Returns:
        Entity id -> events in time order; entity id -> why some of its events are missing.

    Raises:
        ProviderError: one that concerns the whole run, see :meth:`Asked.settle`.
    """
    pieces = [piece for life in lives for piece in _pieces(life)]
    packs = list(_packed(pieces))
    found: dict[str, list[list[Told]]] = {life.id: [] for life in lives}
    troubles: dict[str, Coverage] = {}
    for number, (pack, told, unknown) in enumerate(asked.calls.in_order(lambda one: _of_pack(asked, one), packs)):
        for at, piece in enumerate(pack):
            found[piece.id].append(told.get(at, []))
        for at, trouble in unknown.items():
            troubles.setdefault(pack[at].id, trouble)
        progress((number + 1) / len(packs))
    return {life.id: _joined(list(_pieces(life)), found[life.id]) for life in lives}, troubles


def _pieces(life: Life) -> Iterator[Life]:
    if len(life.lines) <= PIECE_LINES:
        yield life
        return
    step = PIECE_LINES - OVERLAP_LINES
    for start in range(0, len(life.lines) - OVERLAP_LINES, step):
        yield replace(life, lines=life.lines[start : start + PIECE_LINES])


def _packed(pieces: Sequence[Life]) -> Iterator[list[Life]]:
    pack: list[Life] = []
    for piece in pieces:
        # An entity is once in a call, so that its events are told apart by its id alone.
        full = sum(len(one.lines) for one in pack) + len(piece.lines) > CALL_LINES
        if pack and (full or any(one.id == piece.id for one in pack)):
            yield pack
            pack = []
        pack.append(piece)
    if pack:
        yield pack


def _of_pack(asked: Asked, pack: list[Life]) -> tuple[list[Life], dict[int, list[Told]], dict[int, Coverage]]:
    """The events of each piece by its place in the pack, and the pieces without."""
    work = _Work(asked, pack)
    unknown = asked.settle("events", list(range(len(pack))), work.ask)
    for at in [at for at, trouble in unknown.items() if trouble == "blocked"]:
        work.narrow(at)
    return pack, work.told, unknown


@dataclass(slots=True)
class _Work:
    asked: Asked
    pack: list[Life]
    told: dict[int, list[Told]] = field(default_factory=dict[int, list[Told]])

    def ask(self, places: Sequence[int]) -> Collection[int]:
        by_id = {self.pack[at].id: at for at in places}
        reply = self.asked.ask("events", events_request([self.pack[at] for at in places]), EventsReply)
        for one in reply.events:
            if one.id in by_id and (event := _checked(one.first, one.last, one.text, self.pack[by_id[one.id]])):
                self.told.setdefault(by_id[one.id], []).append(event)
        return self.told.keys() & set(places)

    def narrow(self, at: int) -> None:
        """The events of a piece that was refused, from the lines that are not refused."""
        piece = self.pack[at]
        if len(piece.lines) == 1:
            return
        half = len(piece.lines) // 2
        for lines in (piece.lines[:half], piece.lines[half:]):
            part = _Work(self.asked, [replace(piece, lines=lines)])
            if self.asked.settle("events", [0], part.ask).get(0) == "blocked":
                part.narrow(0)
            self.told.setdefault(at, []).extend(part.told.get(0, []))


def _checked(first: int, last: int, text: str, piece: Life) -> Told | None:
    """An event cut to the lines it was made from; None when it lies outside of them or says nothing."""
    start, end = max(min(first, last), piece.lines[0].first), min(max(first, last), piece.lines[-1].last)
    sentence = words.sentence(text)
    return Told(start, end, sentence) if sentence and start <= end else None


def _joined(pieces: Sequence[Life], told: Sequence[Sequence[Told]]) -> list[Told]:
    """The events of one life from those of its overlapping pieces, each told once.

    In the middle of an overlap the word goes from one piece to the next. An event that both tell of, with much the
    same words, is one; what the later piece tells of the time before is left to the earlier one.
    """
    joined: list[Told] = []
    for number, events in enumerate(told):
        begins = _handover(pieces, number)
        ends = _handover(pieces, number + 1)
        for event in sorted(events, key=lambda one: (one.first, one.last, one.text)):
            if event.last < begins or event.first >= ends:
                continue
            if event.first < begins:
                if same := _same(event, joined):
                    joined[joined.index(same)] = replace(same, last=max(same.last, event.last))
                    continue
                event = replace(event, first=begins)
            joined.append(event)
    return sorted(dict.fromkeys(joined), key=lambda one: (one.first, one.last, one.text))


def _handover(pieces: Sequence[Life], number: int) -> int:
    """The first frame that this piece tells of and no longer the one before."""
    if number == 0:
        return 0
    if number == len(pieces):
        return pieces[-1].lines[-1].last + 1
    return pieces[number].lines[OVERLAP_LINES // 2].first


def _same(event: Told, earlier: Sequence[Told]) -> Told | None:
    alike: Mapping[Told, float] = {
        one: words.likeness(one.text, event.text)
        for one in earlier
        if one.first <= event.last and event.first <= one.last
    }
    best = max(alike, key=lambda one: (alike[one], one.first), default=None)
    return best if best is not None and alike[best] >= _LEAST_LIKENESS else None
