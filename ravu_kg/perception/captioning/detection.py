"""Detection by a multimodal model: boxes of several frames in a call, many calls at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ravu_kg.perception.captioning import words
from ravu_kg.perception.captioning.asking import Asked, Calls
from ravu_kg.perception.captioning.boxes import convention, from_model
from ravu_kg.perception.captioning.replies import DetectReply
from ravu_kg.perception.captioning.requests import detect_request
from ravu_kg.perception.captioning.stretches import overlay
from ravu_kg.protocols import Tracker
from ravu_kg.types import Coverage, Detection, Picture, TrackedDetection, VideoFrame, VideoInfo
from ravu_kg.video.reader import read_frames

FRAMES_PER_CALL = 4
CONFIDENCE = 0.8
"""Of every box: models name none that means something."""
_MOST_BOXES = 100
_USUAL_STEP_S = 0.2


@dataclass(frozen=True, slots=True)
class PacedTracker:
    """A :class:`ravu_kg.protocols.Tracker` at a slower pace than trackers are made for.

    They forget in a second what they do not see, and judge motion by steps of a fifth of a second. Where frames are
    further apart, since each costs money, time runs slower for the tracker.
    """

    tracker: Tracker
    interval_s: float
    """Between two frames."""

    @property
    def name(self) -> str:
        """That of the tracker."""
        return self.tracker.name

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """As the tracker does."""
        pace = min(1.0, _USUAL_STEP_S / self.interval_s)
        return self.tracker.update(replace(frame, timestamp_s=frame.timestamp_s * pace), detections)

    def reset(self) -> None:
        """As the tracker does."""
        self.tracker.reset()


@dataclass(frozen=True, slots=True)
class Shown:
    """A frame as it is shown to the model."""

    number: int
    timestamp_s: float
    picture: Picture


@dataclass(slots=True)
class ModelDetector:
    """A :class:`ravu_kg.protocols.Detector` that asks a multimodal model. One for each video.

    :meth:`look_ahead` asks about all frames, as many calls at a time as there may be; frames that it has seen are not
    asked about again.
    """

    calls: Calls
    video: VideoInfo
    troubles: dict[float, Coverage] = field(default_factory=dict[float, Coverage])
    """Time of each frame that nothing could be detected in, and why: refused, or no reply that can be used."""
    _asked: Asked = field(init=False)
    _found: dict[float, list[Detection]] = field(default_factory=dict[float, list[Detection]])

    def __post_init__(self) -> None:
        self._asked = Asked(self.calls)

    @property
    def name(self) -> str:
        """Reference of the model."""
        return self.calls.name("detect")

    @property
    def unanswered(self) -> int:
        """How many frames nobody answered for, and that may yet be answered."""
        return len(self._asked.unanswered)

    @property
    def stateful(self) -> bool:
        """A frame's boxes depend on that frame alone."""
        return False

    def look_ahead(self, rate_hz: float) -> Iterator[float]:
        """Detect in all frames of the video at a rate; gives the time that is reached.

        Raises:
            VideoError: the file can no longer be read.
            ProviderError: one that concerns the whole run, see :meth:`Asked.settle`; also when all requests failed.
        """
        for shown, found, unknown in self.calls.in_order(self._look, self._pictures(rate_hz)):
            self._keep(shown, found, unknown)
            yield shown[-1].timestamp_s
        self.calls.require_answers("detect")

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of each frame; of one that was not seen before the model is asked now.

        Raises:
            ProviderError: one that concerns the whole run.
        """
        new = [frame for frame in frames if frame.timestamp_s not in self._found]
        for start in range(0, len(new), FRAMES_PER_CALL):
            self._keep(*self._look([self._shown(frame) for frame in new[start : start + FRAMES_PER_CALL]]))
        return [self._found[frame.timestamp_s] for frame in frames]

    def _pictures(self, rate_hz: float) -> Iterator[list[Shown]]:
        group: list[Shown] = []
        for frame in read_frames(self.video, rate_hz):
            group.append(self._shown(frame))
            if len(group) == FRAMES_PER_CALL:
                yield group
                group = []
        if group:
            yield group

    def _shown(self, frame: VideoFrame) -> Shown:
        return Shown(frame.source_frame, frame.timestamp_s, overlay(frame.image, self.video, ()))

    def _look(self, shown: list[Shown]) -> tuple[list[Shown], dict[int, list[Detection]], dict[int, Coverage]]:
        found: dict[int, list[Detection]] = {}
        by_number = {one.number: one for one in shown}
        order = convention(self.name)

        def ask(numbers: Sequence[int]) -> Collection[int]:
            rows = [(number, by_number[number].timestamp_s, by_number[number].picture) for number in numbers]
            reply = self._asked.ask("detect", detect_request(rows, order), DetectReply)
            for frame in reply.frames:
                if frame.i in numbers and frame.i not in found:
                    detections = found[frame.i] = []
                    for one in frame.boxes[:_MOST_BOXES]:
                        box = from_model(one.box, order, self.video.width_px, self.video.height_px)
                        if box is not None and (label := words.label(one.label)):
                            detections.append(Detection(box, label, CONFIDENCE))
            return found.keys() & set(numbers)

        unknown = self._asked.settle("detect", list(by_number), ask)
        return shown, found, unknown

    def _keep(self, shown: Sequence[Shown], found: dict[int, list[Detection]], unknown: dict[int, Coverage]) -> None:
        for one in shown:
            self._found[one.timestamp_s] = found.get(one.number, [])
            if one.number in unknown:
                self.troubles[one.timestamp_s] = unknown[one.number]
