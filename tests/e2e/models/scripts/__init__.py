"""A model that has seen two clips: it answers the describing stages from what a careful person wrote down of them.

The scripts were written before any question. What the stages of reasoning are answered with knows neither: see
:mod:`tests.e2e.models.scripts.judging`.
"""

from __future__ import annotations

import io
import json
import re
import threading
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

import numpy as np
from PIL import Image

from ravu_kg.types import Box
from tests.model_server import Fault, Received, Reply

Json = dict[str, object]
Blank = Literal["refused", "untold"]
"""How a second is kept from the product: its picture is refused by a safety filter, or its description left out."""

FOLDER = Path(__file__).parent
_NEAR_S = 0.5
_MARK = re.compile(r" \{(\w+)\}")
_SAME_BOX = 0.4


@dataclass(frozen=True, slots=True)
class Thing:
    """Someone or something in a clip."""

    name: str
    noun: str
    look: str
    label: str
    """What the detector calls it; empty when it has no word for it."""

    def is_called(self, label: str) -> bool:
        """Whether a label of a request, with or without its look, means it."""
        return label.partition(",")[0].strip().lower() in (self.label, self.noun)


@dataclass(frozen=True, slots=True)
class Second:
    """A sampled frame as a person sees it."""

    t_s: float
    text: str
    boxes: Mapping[str, Box]
    has: Mapping[str, Sequence[str]]
    says: Mapping[str, str]
    relations: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Happening:
    """An event of a thing from its first to its last second."""

    thing: str
    first_s: float
    last_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Script:
    """All that is seen in a clip."""

    clip: str
    size_px: tuple[int, int]
    things: Mapping[str, Thing]
    seconds: tuple[Second, ...]
    events: tuple[Happening, ...]

    @classmethod
    def load(cls, name: str) -> Script:
        """The script of a clip by the name of its file."""
        data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        seconds = tuple(
            Second(
                t_s=one["t_s"],
                text=one["text"],
                boxes={thing: Box(*numbers) for thing, numbers in one["boxes"].items()},
                has=one["has"],
                says=one["says"],
                relations=[(subject, predicate, other) for subject, predicate, other in one["relations"]],
            )
            for one in data["frames"]
        )
        return cls(
            clip=data["clip"],
            size_px=(data["size_px"][0], data["size_px"][1]),
            things={
                thing: Thing(thing, one["noun"], one["look"], one.get("label", ""))
                for thing, one in data["entities"].items()
            },
            seconds=seconds,
            events=tuple(
                Happening(one["entity"], seconds[one["first"]].t_s, seconds[one["last"]].t_s, one["text"])
                for one in data["events"]
            ),
        )

    def at(self, t_s: float) -> Second | None:
        """What is seen at a time; None when the script does not tell."""
        nearest = min(self.seconds, key=lambda second: abs(second.t_s - t_s))
        return nearest if abs(nearest.t_s - t_s) < _NEAR_S else None

    def all_words(self) -> set[str]:
        """Every sentence and every event."""
        said = {text for second in self.seconds for text in second.says.values()}
        return said | {event.text for event in self.events}


@dataclass
class Watcher:
    """Answers the requests of the describing stages of one clip, and hands the others on.

    Whom a coloured box means is seen in the picture itself: the outline of the colour that the request names, and
    which of the script's rough boxes it agrees with.
    """

    script: Script
    other: Callable[[Received], Reply | Fault] | None = None
    """Answers the stages that are not told here."""
    blank_s: Collection[float] = ()
    """Seconds that are kept from the product."""
    blank: Blank = "refused"
    strangers: list[str] = field(default_factory=list[str])
    """Boxes and ids of requests that mean nothing of the script: a fault of the product or of the script."""
    _times: dict[int, float] = field(default_factory=dict[int, float])
    """Second of each frame index, as requests told."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, received: Received) -> Reply | Fault:
        stages = {
            "detect": self._detect,
            "describe": self._describe,
            "graph": self._graph,
            "sentence": self._sentence,
            "events": self._events,
        }
        if received.stage in stages:
            return stages[received.stage](received)
        if self.other is None:
            return Fault.error(400, f"nothing is scripted for the stage {received.stage!r}")
        return self.other(received)

    def _detect(self, received: Received) -> Reply | Fault:
        order = str(_json(received.texts[0])["box"])
        frames: list[Json] = []
        for text in received.texts[1:]:
            head = _json(text)
            second = self.script.at(float(cast("float", head["t"])))
            boxes = second.boxes if second else {}
            frames.append(
                {
                    "i": head["frame"],
                    "boxes": [
                        {"label": self.script.things[name].label or name, "box": self._numbers(box, order)}
                        for name, box in boxes.items()
                    ],
                }
            )
        return Reply({"frames": frames})

    def _describe(self, received: Received) -> Reply | Fault:
        request = _json(received.texts[0])
        heads = [_json(text) for text in received.texts[1:]]
        entities = {str(one["id"]): one for one in cast("list[Json]", request["entities"])}
        frames: list[Json] = []
        for head, picture in zip(heads, received.images, strict=True):
            self._note(head["frame"], head["t"])
            if self._is_blank(head["t"]) and self.blank == "refused":
                return Fault.refused()
            if not head["target"] or self._is_blank(head["t"]):
                continue
            second = self.script.at(float(cast("float", head["t"])))
            if second is not None:
                shown = [entities[one] for one in cast("list[str]", head["shown"])]
                frames.append(self._described(head, second, shown, picture, str(request["box"])))
        return Reply({"frames": frames})

    def _described(self, head: Json, second: Second, shown: Sequence[Json], picture: bytes, order: str) -> Json:
        ids: dict[str, str] = {}
        for entity in shown:
            box = outline(picture, str(entity["color"]), self.script.size_px)
            meant = [
                name
                for name, rough in second.boxes.items()
                if self.script.things[name].is_called(str(entity["label"])) and box and box.iou(rough) >= _SAME_BOX
            ]
            if len(meant) == 1 and meant[0] not in ids:
                ids[meant[0]] = str(entity["id"])
            else:
                self._strange(f"frame {head['frame']}: {entity} at {box} means {meant}")
        added = {name: f"n{1 + list(self.script.things).index(name)}" for name in second.boxes if name not in ids}
        return {
            "i": head["frame"],
            "text": _MARK.sub(lambda mark: f" #{(ids | added)[mark[1]]}", second.text),
            "new": [
                {
                    "id": mark,
                    "label": self.script.things[name].noun,
                    "look": self.script.things[name].look,
                    "box": self._numbers(second.boxes[name], order),
                }
                for name, mark in added.items()
            ],
        }

    def _graph(self, received: Received) -> Reply | Fault:
        graphs: list[Json] = []
        for frame in cast("list[Json]", _json(received.texts[0])["frames"]):
            self._note(frame["i"], frame["t"])
            second = self._told(frame["i"])
            labels = cast("dict[str, str]", frame["ids"])
            marked = set(re.findall(r"#(\w+)", str(frame["text"])))
            ids = self._meant({one: label for one, label in labels.items() if one in marked}, second)
            nodes = [{"id": one, "has": second.has[name]} for name, one in ids.items()]
            edges = [
                {"s": ids[subject], "p": predicate, "o": ids[other]}
                for subject, predicate, other in second.relations
                if subject in ids and other in ids
            ]
            graphs.append({"i": frame["i"], "nodes": nodes, "edges": edges})
        return Reply({"frames": graphs})

    def _sentence(self, received: Received) -> Reply | Fault:
        sentences: list[Json] = []
        for frame in cast("list[Json]", _json(received.texts[0])["frames"]):
            second = self._told(frame["i"])
            nodes = cast("dict[str, Json]", frame["nodes"])
            ids = self._meant({one: str(node["label"]) for one, node in nodes.items()}, second)
            sentences += [{"i": frame["i"], "id": one, "text": second.says[name]} for name, one in ids.items()]
        return Reply({"sentences": sentences})

    def _events(self, received: Received) -> Reply | Fault:
        events: list[Json] = []
        for entity in cast("list[Json]", _json(received.texts[0])["entities"]):
            name = next((name for name, one in self.script.things.items() if one.is_called(str(entity["label"]))), None)
            if name is None:
                self._strange(f"events of {entity}")
                continue
            lines = cast("list[tuple[int, int, str]]", entity["lines"])
            told = sorted({index for first, last, _ in lines for index in range(first, last + 1)})
            for event in self.script.events:
                if event.thing == name:
                    within = [index for index in told if event.first_s <= round(self._times[index]) <= event.last_s]
                    events += [
                        {"id": entity["id"], "first": first, "last": last, "text": event.text}
                        for first, last in _runs(within)
                    ]
        return Reply({"events": events})

    # --- what is meant

    def _meant(self, labels: Mapping[str, str], second: Second) -> dict[str, str]:
        """Name of each thing -> its id in a frame, by the nouns of the request."""
        ids: dict[str, str] = {}
        for one, label in labels.items():
            meant = [name for name in second.boxes if self.script.things[name].is_called(label) and name not in ids]
            if meant:
                ids[meant[0]] = one
            else:
                self._strange(f"{label} #{one} at {second.t_s:g} s")
        return ids

    def _told(self, index: object) -> Second:
        second = self.script.at(self._times[cast("int", index)])
        assert second is not None, f"frame {index} was never described"
        return second

    def _is_blank(self, t_s: object) -> bool:
        return any(abs(cast("float", t_s) - blank_s) < _NEAR_S for blank_s in self.blank_s)

    def _numbers(self, box: Box, order: str) -> list[int]:
        width, height = self.script.size_px
        sides = {"x_min": box.x_min / width, "x_max": box.x_max / width}
        sides |= {"y_min": box.y_min / height, "y_max": box.y_max / height}
        return [round(1000 * sides[side.strip()]) for side in order.split(",")]

    def _note(self, index: object, t_s: object) -> None:
        self._times[cast("int", index)] = cast("float", t_s)

    def _strange(self, what: str) -> None:
        with self._lock:
            self.strangers.append(what)


def outline(picture: bytes, color: str, size_px: tuple[int, int]) -> Box | None:
    """The box drawn in a colour, in pixels of the video: between the longest lines of its hue; None without any."""
    with Image.open(io.BytesIO(picture)) as image:
        hue, saturation, _ = np.moveaxis(np.asarray(image.convert("HSV"), dtype=np.int16), 2, 0)
    wanted = Image.new("RGB", (1, 1), color).convert("HSV").getpixel((0, 0))
    assert isinstance(wanted, tuple)
    away = np.abs(hue - wanted[0])
    drawn = (np.minimum(away, 256 - away) <= _HUE_STEPS) & (saturation >= _SATURATION * wanted[1])
    columns, rows = drawn.sum(axis=0), drawn.sum(axis=1)
    if not columns.any():
        return None
    xs, ys = np.flatnonzero(columns >= columns.max() / 2), np.flatnonzero(rows >= rows.max() / 2)
    scale = size_px[0] / hue.shape[1]
    return Box(*(float(side) * scale for side in (xs[0], ys[0], xs[-1], ys[-1])))


_HUE_STEPS, _SATURATION = 12, 0.6


def _runs(indexes: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for index in indexes:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _json(text: str) -> Json:
    return cast("Json", json.loads(text))
