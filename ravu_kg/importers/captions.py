"""Captions for every second of a video: what LaViLa, CogAgent and the like write, as JSON.

A file holds ``{video: [item of second 0, of second 1, ...]}``. An item is a sentence, or a list of phrases that name
the objects seen. Files of one import belong together: a video's captions and objects of all of them make one graph.

A second is a frame without boxes. Entities are the nouns of its captions and objects; a frame node's sentence is a
caption that speaks of its entity, and every caption is the sentence of a node. Runs of like captions are events.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problems, annotated_record, refuse, stamp, windows_of
from ravu_kg.importers.phrases import Mention, described_as, mentions, object_name
from ravu_kg.importers.reading import as_text, parse_json, read_bytes
from ravu_kg.reasoning.judging import content_words
from ravu_kg.types import (
    Entity,
    Event,
    FloatArray,
    Frame,
    FrameNode,
    entity_id,
    event_id,
    frame_id,
    frame_node_id,
)
from ravu_kg.video.overlay import palette

KIND = "captions"
SAME_NAME = 0.7
"""Cosine from which two nouns are one entity, unless one caption speaks of both."""
LIKE = 0.5
"""Share of common words, of all words of both, from which two captions tell of the same."""
SCENE = "scene"
"""The entity of captions that name nothing."""
_COLORS = 24

Vectors = Callable[[Sequence[str]], FloatArray]
Sentences = Mapping[str, Sequence[str]]


def read(
    paths: Sequence[Path], *, skip_bad: bool, on_problem: OnProblem, vectors: Vectors | None = None
) -> Iterator[AnnotatedVideo]:
    """The videos of caption files, in the order of the first file that has them.

    Args:
        paths: JSON files that belong together; a folder stands for the JSON files in it.
        skip_bad: leave out videos whose items cannot be used; else the first one raises.
        on_problem: told of each video that is left out, and why.
        vectors: embeds nouns, so that "sofa" and "couch" are one entity; without it only equal nouns are.

    Raises:
        ConfigurationError: a file cannot be read, or a video's items cannot be used.
    """
    problems = Problems(skip_bad, on_problem)
    contents: list[tuple[Path, dict[str, list[object]]]] = []
    digest = hashlib.sha256()
    for path in _files(paths):
        raw = read_bytes(path)
        digest.update(raw)
        contents.append((path, _videos(path, raw)))
    names = "+".join(path.stem for path, _ in contents)
    annotated_by = stamp(KIND, names, digest.digest())
    every = list(dict.fromkeys(video for _, content in contents for video in content))
    texts = [_told(video, contents, problems) for video in every]
    same = _alike([one for one in texts if one is not None], vectors)
    for video, told in zip(every, texts, strict=True):
        if told is not None:
            yield _video(video, told, same, annotated_by)


@dataclass(slots=True)
class _Told:
    """What the files say of a video, second by second."""

    captions: list[list[str]] = field(default_factory=list[list[str]])
    """One list for each file with captions."""
    objects: list[list[list[str]]] = field(default_factory=list[list[list[str]]])

    @property
    def seconds(self) -> int:
        return min(len(one) for one in (*self.captions, *self.objects))

    def sentences(self, second: int) -> list[str]:
        return list(dict.fromkeys(text for one in self.captions if (text := one[second])))

    def phrases(self, second: int) -> list[str]:
        return [phrase for one in self.objects for phrase in one[second]]


def _files(paths: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob("*.json"))
            if not found:
                refuse(path, "The folder has no JSON file.")
            files += found
        else:
            files.append(path)
    return files


def _videos(path: Path, raw: bytes) -> dict[str, list[object]]:
    data = parse_json(path, as_text(path, raw))
    if not isinstance(data, dict):
        refuse(path, 'The file does not hold {"video": ["caption of second 0", ...]}.')
    content = cast("dict[str, object]", data)  # keys of JSON objects are texts
    if stray := next((video for video, items in content.items() if not isinstance(items, list)), None):
        refuse(path, f"{stray!r} has no list of captions: a file holds {{video: [caption of second 0, ...]}}.")
    return cast("dict[str, list[object]]", content)  # checked right above


def _told(video: str, contents: Sequence[tuple[Path, Mapping[str, list[object]]]], problems: Problems) -> _Told | None:
    """What the files say of a video; None when it cannot be used, which is told."""
    told = _Told()
    first: tuple[Path, int] | None = None
    if not video.strip():
        problems.found(contents[0][0], None, repr(video), "a video has no name")
        return None
    for path, content in contents:
        if video not in content:
            continue
        items = content[video]
        if not items:
            problems.found(path, None, video, "there is no second")
            return None
        if first is not None and abs(len(items) - first[1]) > 1:
            problems.found(path, None, video, f"{len(items)} seconds, but {first[1]} in {first[0]}")
            return None
        first = first or (path, len(items))
        listed = next((isinstance(one, list) for one in items if one), False)
        for second, item in enumerate(items):
            expected = "a list of phrases" if listed else "a sentence"
            good = _are_phrases(item) if listed else isinstance(item, str)
            if not (good or item is None or item in ("", [])):
                problems.found(path, None, f"{video}.{second}", f"{expected} is expected, found {_shown(item)}")
                return None
        if listed:
            lists = cast("list[list[str] | None]", items)  # checked right above
            told.objects.append([[clean for one in phrases or [] if (clean := _clean(one))] for phrases in lists])
        else:
            told.captions.append([_clean(one) if isinstance(one, str) else "" for one in items])
    return told


def _are_phrases(item: object) -> bool:
    return isinstance(item, list) and all(isinstance(one, str) for one in cast("list[object]", item))


def _shown(item: object) -> str:
    text = json.dumps(item, ensure_ascii=True)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _clean(text: str) -> str:
    return " ".join(text.split())


def _video(external_id: str, told: _Told, same: Mapping[str, str], annotated_by: str) -> AnnotatedVideo:
    seconds = told.seconds
    record = annotated_record(
        KIND,
        external_id,
        title=external_id,
        width_px=0,
        height_px=0,
        duration_s=float(seconds),
        frame_rate=1.0,
        frames=seconds,
        annotated_by=annotated_by,
    )
    said = [_said(told, second, same) for second in range(seconds)]
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for second, sentences in enumerate(said):
        for name in sentences:
            seen[name].append(second)
    number = {name: at for at, name in enumerate(seen, start=1)}
    frames = [
        Frame(frame_id(record.id, second), record.id, second, second, float(second), " ".join(told.sentences(second)))
        for second in range(seconds)
    ]
    nodes = [
        _node(record.id, number[name], second, name, mention, text)
        for second, sentences in enumerate(said)
        for name, (mention, text) in sentences.items()
    ]
    return AnnotatedVideo(
        record,
        _entities(record.id, number, seen, said),
        windows_of(frames, nodes),
        tuple(_events(record.id, told, same, number)),
    )


def _said(told: _Told, second: int, same: Mapping[str, str]) -> dict[str, tuple[Mention, str]]:
    """By entity how it is called in a second and what is said of it; every caption is said of one."""
    said: dict[str, tuple[Mention, str]] = {}
    sentences = told.sentences(second)
    for text in sentences:
        free = [one for one in _mentions(text) if same[one.name] not in said]
        if free:
            said[same[free[0].name]] = (free[0], text)
        else:
            before = f"{said[SCENE][1]} " if SCENE in said else ""
            said[SCENE] = (Mention(SCENE, "the scene"), before + text)
    for text in sentences:
        for one in _mentions(text):
            said.setdefault(same[one.name], (one, text))
    for phrase in told.phrases(second):
        if (one := object_name(phrase)) is not None:
            # A phrase alone tells of no moment: what is said of the whole second is said of its objects.
            said.setdefault(same[one.name], (one, max(sentences, key=len) if sentences else phrase))
    return said


def _node(video: str, track: int, second: int, name: str, mention: Mention, text: str) -> FrameNode:
    return FrameNode(
        id=frame_node_id(video, second, track),
        video_id=video,
        entity_id=entity_id(video, track),
        frame_index=second,
        timestamp_s=float(second),
        label=name,
        box=None,
        confidence=1.0,
        attributes=described_as(mention),
        description=text,
        geometry_attributes=(),
        geometry_description="",
        source="annotation",
    )


def _entities(
    video: str,
    number: Mapping[str, int],
    seen: Mapping[str, Sequence[int]],
    said: Sequence[Mapping[str, tuple[Mention, str]]],
) -> tuple[Entity, ...]:
    colors = _colors()
    entities: list[Entity] = []
    for name, track in number.items():
        phrases = Counter(said[second][name][0].text for second in seen[name])
        entities.append(
            Entity(
                id=entity_id(video, track),
                video_id=video,
                track_id=track,
                label=name,
                description=min(phrases, key=lambda text: (-phrases[text], -len(text), text)),
                color=colors[(track - 1) % _COLORS],
                start_s=float(seen[name][0]),
                end_s=float(seen[name][-1] + 1),
                track_timestamps_s=(),
                track_boxes=(),
            )
        )
    return tuple(entities)


def _events(video: str, told: _Told, same: Mapping[str, str], number: Mapping[str, int]) -> Iterator[Event]:
    """Runs of like captions, each of the entity that most of them speak of first."""
    runs: list[tuple[int, int, str, str]] = []
    for captions in told.captions:
        start = 0
        for end in range(1, told.seconds + 1):
            if end < told.seconds and _like(captions[start], captions[end]):
                continue
            texts = Counter(text for text in captions[start:end] if text)
            if texts:
                text = min(texts, key=lambda one: (-texts[one], one))
                about = _mentions(text)
                name = same[about[0].name] if about else SCENE
                runs.append((start, end, name if name in number else SCENE, text))
            start = end
    counts: Counter[str] = Counter()
    for start, end, name, text in sorted(run for run in runs if run[2] in number):
        counts[name] += 1
        track = number[name]
        yield Event(
            id=event_id(video, track, "annotation", counts[name]),
            video_id=video,
            entity_id=entity_id(video, track),
            source="annotation",
            seq=counts[name],
            start_s=float(start),
            end_s=float(end),
            description=text,
        )


@cache
def _colors() -> tuple[str, ...]:
    return palette(_COLORS)


def _like(one: str, other: str) -> bool:
    if one == other:
        return True
    words, more = _words(one), _words(other)
    return bool(words | more) and len(words & more) / len(words | more) >= LIKE


@lru_cache(maxsize=200_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


@lru_cache(maxsize=200_000)
def _mentions(text: str) -> tuple[Mention, ...]:
    return tuple(mentions(text))


def _alike(told: Sequence[_Told], vectors: Vectors | None) -> dict[str, str]:
    """By noun the noun that stands for it: of nouns that mean the same the most frequent one."""
    frequency: Counter[str] = Counter({SCENE: 0})
    together: set[tuple[str, str]] = set()
    for video in told:
        for second in range(video.seconds):
            for text in video.sentences(second):
                names = [one.name for one in _mentions(text)]
                frequency.update(names)
                together.update((a, b) for a in names for b in names if a != b)
            objects = [found.name for phrase in video.phrases(second) if (found := object_name(phrase))]
            frequency.update(objects)
            together.update((a, b) for a in objects for b in objects if a != b)
    names = [name for name, _ in sorted(frequency.items(), key=lambda item: (-item[1], item[0]))]
    same = {name: name for name in names}
    if vectors is None or len(names) < 2:
        return same
    found = vectors(names)
    heads: list[int] = []
    for at, name in enumerate(names):
        if heads:
            scores = found[heads] @ found[at]
            best = int(np.argmax(scores))
            head = names[heads[best]]
            if scores[best] >= SAME_NAME and (name, head) not in together:
                same[name] = head
                continue
        heads.append(at)
    return same
