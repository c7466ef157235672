"""What a reasoning function works with: the video, the graph, the judge, and what earlier steps found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ravu_kg.graph.reader import EntityRow, GraphReader, TrackRow, VideoRow
from ravu_kg.graph.rewording import Named
from ravu_kg.graph.rewording import names as names_of
from ravu_kg.protocols import Embedder
from ravu_kg.reasoning.grounding.settings import GROUNDING, Grounding
from ravu_kg.reasoning.plan import TimeField, offset_s, split_reference
from ravu_kg.reasoning.protocols import Judge
from ravu_kg.reasoning.records import Found, Interval, Span
from ravu_kg.reasoning.vocabulary import is_known, matching_labels, read_phrase
from ravu_kg.types import FloatArray

LABEL_SIMILARITY = 0.75
"""A noun that no table knows means a label from this similarity on, 0..1."""


_NUMBERED = re.compile(r"(?:the )?(?P<noun>[a-z ]+?) (?:number |no\.? ?|#)?(?P<number>\d+)")


class Phrases:
    """Embeds each phrase once, several at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, FloatArray] = {}

    @property
    def encoder(self) -> str:
        """Name of what embeds them."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """Of the vectors."""
        return self._embedder.dimensions

    def matrix(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of phrases, one a row."""
        self.prepare(texts)
        return np.stack([self._known[text] for text in texts])

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed what is not known yet in one batch."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._embedder.embed(missing, "query"), strict=True))

    def vector(self, text: str) -> FloatArray:
        """The vector of a phrase."""
        self.prepare([text])
        return self._known[text]

    def similarity(self, text: str, others: Sequence[str]) -> list[float]:
        """Scores of a text against others, 0..1 as Neo4j gives them."""
        self.prepare([text, *others])
        return [float((1 + np.dot(self._known[text], self._known[other])) / 2) for other in others]


@dataclass(frozen=True, slots=True)
class Identity:
    """Entities that are one: who left and came back is still one."""

    identity_id: str
    name: str
    label: str
    entities: tuple[EntityRow, ...]
    names: tuple[str, ...] = ()
    """Names of all its entities in the descriptions."""
    given_names: tuple[str, ...] = ()
    """Those of them that a person gave."""

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """Ids of all its entities, in order of appearance."""
        return tuple(entity.entity_id for entity in self.entities)

    @property
    def start_s(self) -> float:
        """First seen."""
        return self.entities[0].start_s

    @property
    def end_s(self) -> float:
        """Last seen."""
        return max(entity.end_s for entity in self.entities)

    @property
    def frame_nodes(self) -> int:
        """In how many sampled frames it is."""
        return sum(entity.frame_nodes for entity in self.entities)

    @property
    def seen_s(self) -> float:
        """Seconds in the picture."""
        return sum(entity.end_s - entity.start_s for entity in self.entities)


@dataclass(slots=True)
class Context:
    """The state of one execution."""

    video: VideoRow
    reader: GraphReader
    phrases: Phrases
    judge: Judge
    question: str = ""
    """Of the plan; without the options to answer among."""
    part: Span | None = None
    """Set by extract_temporal_part: later steps keep to it."""
    grounding: Grounding = GROUNDING
    """What weighs the seconds of a video of which only words are known."""
    bindings: dict[str, Found] = field(default_factory=dict[str, Found])
    _identities: list[Identity] | None = None
    _tracks: dict[str, TrackRow] = field(default_factory=dict[str, TrackRow])

    @property
    def span(self) -> Span:
        """The part that steps keep to, or the whole video."""
        return self.part or (0.0, self.video.duration_s + 1.0)

    def identities(self) -> list[Identity]:
        """All identities of the video, in order of appearance."""
        if self._identities is None:
            self._identities = group(self.reader.entities(self.video.video_id))
        return self._identities

    def tracks(self, entity_ids: Sequence[str]) -> dict[str, TrackRow]:
        """Paths of entities at the tracking rate."""
        missing = [one for one in entity_ids if one not in self._tracks]
        if missing:
            self._tracks.update({row.entity_id: row for row in self.reader.tracks(missing)})
        return {one: self._tracks[one] for one in entity_ids if one in self._tracks}

    def matching(self, phrase: str, *, fragments: bool = False) -> list[Identity]:
        """The identities that a noun phrase means: one for "the dog" or "the second person", all for "dogs".

        Fragments (see :func:`lasting`) are left out unless asked for.
        """
        if named := self.named(phrase):
            return named
        if " and " in phrase or " or " in phrase:
            parts = [self.matching(part, fragments=fragments) for part in re.split(r" (?:and|or) ", phrase)]
            if all(parts):
                wanted = {one.identity_id for part in parts for one in part}
                return [one for one in self.identities() if one.identity_id in wanted]
        if numbered := _NUMBERED.fullmatch(phrase.lower()):
            labels = {one.label for one in self.labelled(read_phrase(numbered["noun"]).noun)}
            names = {f"{label} {numbered['number']}" for label in labels}
            return [one for one in self.identities() if names & set(one.names)]
        read = read_phrase(phrase)
        candidates = self.labelled(read.noun)
        if len(candidates) < 2:
            return candidates if read.ordinal in (None, 1, -1) else []
        if read.ordinal is not None:
            clear = lasting(candidates)
            position = read.ordinal - 1 if read.ordinal > 0 else len(clear) + read.ordinal
            return [clear[position]] if 0 <= position < len(clear) else []
        if read.plural or not read.definite:
            return candidates if fragments else lasting(candidates)
        return [self.best(phrase, candidates) if read.modified else max(candidates, key=_prominence)]

    def named(self, phrase: str) -> list[Identity]:
        """The identity that a phrase begins with the given name of, "Anna" or "Anna enters"; none for any other."""
        said = phrase.lower().strip().removeprefix("the ")

        def meant(name: str) -> bool:
            rest = said.removeprefix(name.lower())
            return rest == "" or (rest != said and rest[0] == " " and rest.split()[0] not in ("and", "or"))

        return [one for one in self.identities() if any(meant(name) for name in one.given_names)]

    def labelled(self, noun: str) -> list[Identity]:
        """Identities whose label a noun can mean."""
        identities = self.identities()
        available = list(dict.fromkeys(identity.label for identity in identities))
        labels = matching_labels(noun, available) if noun else []
        if not labels and noun and available and not is_known(noun):
            scores = self.phrases.similarity(noun, available)
            best = max(scores)
            labels = [
                label for label, score in zip(available, scores, strict=True) if score == best >= LABEL_SIMILARITY
            ]
        return [identity for identity in identities if identity.label in labels]

    def best(self, phrase: str, candidates: Sequence[Identity]) -> Identity:
        """The candidate that a phrase describes best, by its sentences and the judge."""
        owner = {entity: identity for identity in candidates for entity in identity.entity_ids}
        nodes = self.reader.identify(list(owner), self.phrases.vector(phrase), self.span, 10)
        if not nodes:
            return max(candidates, key=_prominence)
        return owner[nodes[self.judge.identify(phrase, nodes)].entity_id]

    def node(self, argument: str) -> tuple[tuple[str, ...], str]:
        """Entity ids and name that a ``node`` argument stands for."""
        if argument.startswith("$"):
            found = self.bindings[split_reference(argument)[0]]
            return found.entity_ids, found.name
        identities = self.matching(argument)
        ids = tuple(entity for identity in identities for entity in identity.entity_ids)
        return ids, identities[0].name if len(identities) == 1 else ""

    def spans(self, argument: float | str | None, side: TimeField) -> list[Span]:
        """Stretches of time that an argument stands for; a number or a field gives a single moment."""
        if argument is None:
            return [self.span]
        if not isinstance(argument, str):
            return [(argument, argument)]
        name, field_name = split_reference(argument)
        found = self.bindings[name]
        if field_name is None and found.intervals:
            return [(one.start_s, one.end_s) for one in found.intervals]
        time_s = _moved(found.time_s(_time_field(field_name) or side), argument)
        return [] if time_s is None else [(time_s, time_s)]

    def moment(self, argument: float | str | None, side: TimeField) -> float | None:
        """The single time that an argument stands for; None when the earlier step found nothing."""
        if argument is None or not isinstance(argument, str):
            return argument
        name, field_name = split_reference(argument)
        return _moved(self.bindings[name].time_s(_time_field(field_name) or side), argument)

    def clip(self, spans: Iterable[Span]) -> list[Span]:
        """Spans within the part that steps keep to; empty ones are dropped, moments kept."""
        start_s, end_s = self.span
        clipped = [(max(a, start_s), min(b, end_s)) for a, b in spans]
        return [(a, b) for a, b in clipped if a < b or (a == b and start_s <= a < end_s)]

    def frame_index(self, time_s: float) -> int:
        """The sampled frame nearest to a time."""
        nearest = round(time_s / self.video.sample_interval_s) if self.video.sample_interval_s > 0 else 0
        return max(0, min(nearest, self.video.frame_count - 1))

    def identity_of(self) -> Mapping[str, Identity]:
        """Entity id -> identity."""
        return {entity: identity for identity in self.identities() for entity in identity.entity_ids}


def group(entities: Sequence[EntityRow]) -> list[Identity]:
    """Entities put together by identity; names count per label as in the descriptions: ``person 2``.

    A name that a person gave to one of them is the name of all.
    """
    names = names_of(
        [
            Named(one.entity_id, one.track_id, one.found_label or one.label, one.label, one.given_name)
            for one in entities
        ]
    )
    members: dict[str, list[EntityRow]] = {}
    for entity in entities:
        members.setdefault(entity.identity_id, []).append(entity)
    return [
        Identity(
            identity_id,
            next((row.given_name for row in rows if row.given_name), names[rows[0].entity_id]),
            rows[0].label,
            tuple(rows),
            tuple(names[row.entity_id] for row in rows),
            tuple(dict.fromkeys(row.given_name for row in rows if row.given_name)),
        )
        for identity_id, rows in members.items()
    ]


def lasting(identities: Sequence[Identity]) -> list[Identity]:
    """Identities without fragments: what is seen far shorter than the others of its kind is a detector's slip.

    A fragment is seen for less than a tenth of the median of its kind, and for less than a second and a half.
    """
    if len(identities) < 3:
        return list(identities)
    usual_s = float(np.median([identity.seen_s for identity in identities]))
    return [one for one in identities if one.seen_s >= min(1.5, usual_s / 10)]


def as_interval(identity: Identity, start_s: float, end_s: float) -> Interval:
    """An interval that is about an identity."""
    return Interval(start_s, end_s, identity.identity_id, identity.entity_ids, identity.name)


def _prominence(identity: Identity) -> tuple[int, float]:
    return identity.frame_nodes, identity.seen_s


def _moved(time_s: float | None, reference: str) -> float | None:
    """A time with the seconds that a reference adds; never before the video."""
    return None if time_s is None else max(0.0, time_s + offset_s(reference))


def _time_field(name: str | None) -> TimeField | None:
    fields: dict[str, TimeField] = {"start_s": "start_s", "end_s": "end_s", "timestamp_s": "timestamp_s"}
    return fields[name] if name else None
