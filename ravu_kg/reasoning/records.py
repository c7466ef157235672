"""What reasoning passes around: results of steps, evidence, traces, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from ravu_kg.reasoning.plan import FunctionName, Plan, TimeField
from ravu_kg.types import Span, Usage

Outcome = Literal["answered", "unknown", "refused"]
"""``unknown``: the memory does not tell; ``refused``: the model declined to answer."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time in which something holds; start and end agree for a change (entering, leaving)."""

    start_s: float
    end_s: float
    identity_id: str = ""
    entity_ids: tuple[str, ...] = ()
    name: str = ""
    """Of the identity: ``person 2``."""

    @property
    def length_s(self) -> float:
        """Seconds."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Evidence:
    """One key frame that supports an answer."""

    timestamp_s: float
    frame_index: int
    entity_ids: tuple[str, ...]
    step: str
    score: float
    text: str
    node_id: str = ""
    """The frame node whose sentence it is; empty for what holds of a whole frame."""
    event_id: str = ""
    video_id: str = ""
    attributes: tuple[str, ...] = ()
    start_s: float | None = None
    """Of the event; None for a moment."""
    end_s: float | None = None
    reason: str = ""
    """Why a model chose it; empty when it was found by similarity or measured."""

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {
            "timestamp_s": round(self.timestamp_s, 3),
            "frame_index": self.frame_index,
            "entity_ids": list(self.entity_ids),
            "step": self.step,
            "score": round(self.score, 4),
            "text": self.text,
            "video_id": self.video_id,
            "node_id": self.node_id,
            "event_id": self.event_id,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Counted:
    """One identity (or event) that was counted or left out, and why."""

    identity_id: str
    name: str
    counted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The result of one step; later steps refer to it."""

    step: str
    function: FunctionName
    evidence: tuple[Evidence, ...] = ()
    intervals: tuple[Interval, ...] = ()
    entity_ids: tuple[str, ...] = ()
    """Of the entity or entities that were found, all parts of an identity."""
    name: str = ""
    count: int | None = None
    counted: tuple[Counted, ...] = ()
    note: str = ""
    """What the answer should say about the limits of this result."""
    unknown: bool = False
    """Nothing was found, and could not have been: the note says why."""
    part: Span | None = None
    """Set by extract_temporal_part."""

    def time_s(self, field_name: TimeField) -> float | None:
        """A time of the result; None when nothing was found."""
        if field_name == "timestamp_s" or not self.intervals:
            times = [one.timestamp_s for one in self.evidence]
            if field_name == "timestamp_s" and self.intervals:
                return self.intervals[0].start_s
            if not times:
                return None
            return max(times) if field_name == "end_s" else min(times)
        return self.intervals[0].start_s if field_name == "start_s" else self.intervals[0].end_s


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One statement that a step sent."""

    step: str
    function: FunctionName
    template: str
    parameters: Mapping[str, object]
    """As shown: vectors are ``<768 floats>``."""
    rows: int
    elapsed_s: float
    statement: str = ""
    """The Cypher as sent."""
    full_parameters: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    """With vectors in full, to run the statement elsewhere."""

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON, without the statement."""
        return {
            "step": self.step,
            "function": self.function,
            "template": self.template,
            "parameters": dict(self.parameters),
            "rows": self.rows,
            "elapsed_s": round(self.elapsed_s, 6),
        }


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """Which part of the video the memory knows."""

    frames: int
    known: int
    blocked: int
    failed: int
    unknown_intervals: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Called:
    """What an entity is called."""

    name: str
    """In measured descriptions: ``person 2``."""
    identity_id: str
    """Who left and came back is one identity with several entities."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A plan carried out."""

    plan: Plan
    video_id: str
    evidence: tuple[Evidence, ...]
    """Key frames, at most ten, one a moment and entity, in time order."""
    trace: tuple[StepTrace, ...]
    bindings: Mapping[str, Found]
    coverage: CoverageReport
    duration_s: float = 0.0
    """Of the video."""
    called: Mapping[str, Called] = field(default_factory=dict[str, Called])
    """The entities of the evidence by id."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """By its number, the name of each entity that descriptions of frames may mark; empty when none is marked."""


@dataclass(frozen=True, slots=True)
class ModelStep:
    """What the calls of one role came to while a question was answered."""

    role: str
    model: str
    usage: Usage
    elapsed_s: float
    has_price: bool
    """Whether the price of the model is known."""

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON; the cost is null where the model's price is not known."""
        cost_usd = round(self.usage.cost_usd, 8) if self.has_price else None
        return {
            "model": self.model,
            **asdict(self.usage),
            "cost_usd": cost_usd,
            "elapsed_s": round(self.elapsed_s, 3),
        }


@dataclass(frozen=True, slots=True)
class VideoVersion:
    """The state of a video: it has another one after each change."""

    revision: int
    indexed_at: str
    """When the indexing of this graph began."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with all that supports it."""

    answer: str
    option: int | None
    margin: float
    """Best minus second-best support, or how sure a model is of itself; 0..1."""
    method: Mapping[str, str]
    """Names of planner, reranker and answerer."""
    evidence: tuple[Evidence, ...]
    plan: Plan
    trace: tuple[StepTrace, ...]
    usage: Usage
    coverage: CoverageReport
    count: int | None = None
    intervals: tuple[Span, ...] = ()
    """For questions about when and how long: the stretches of time."""
    video_id: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()
    outcome: Outcome = "answered"
    model_steps: tuple[ModelStep, ...] = ()
    """One for each role that asked a model."""
    videos: Mapping[str, VideoVersion] = field(default_factory=dict[str, VideoVersion])
    """The state of each video that it is about, by id: an answer given before a change can be told by it."""

    def based_on(self, videos: Mapping[str, VideoVersion]) -> Answer:
        """The answer with the state of the videos that it is about."""
        return replace(self, videos=videos)

    def to_dict(self) -> dict[str, object]:
        """The object that ``ask --json`` prints."""
        return {
            "question": self.question,
            "video_id": self.video_id,
            "answer": self.answer,
            "outcome": self.outcome,
            "option": self.option,
            "margin": round(self.margin, 4),
            "method": dict(self.method),
            "evidence": [one.to_dict() for one in self.evidence],
            "intervals": [[round(start, 3), round(end, 3)] for start, end in self.intervals],
            "count": self.count,
            "notes": list(self.notes),
            "videos": {video_id: asdict(version) for video_id, version in self.videos.items()},
            "plan": self.plan.to_dict(),
            "trace": [one.to_dict() for one in self.trace],
            "usage": {
                **asdict(self.usage),
                # As in the steps: what a model without a known price costs is not nothing.
                **({} if all(step.has_price for step in self.model_steps) else {"cost_usd": None}),
                "by_role": {step.role: step.to_dict() for step in self.model_steps},
            },
            "coverage": {
                **asdict(self.coverage),
                "unknown_intervals": [[round(a, 3), round(b, 3)] for a, b in self.coverage.unknown_intervals],
            },
        }


@dataclass(frozen=True, slots=True)
class Moment:
    """A hit of a search without question answering."""

    video_id: str
    title: str
    timestamp_s: float
    frame_index: int
    entity_id: str
    text: str
    score: float

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return asdict(self)
