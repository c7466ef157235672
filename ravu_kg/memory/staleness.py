"""Which answers were given before something changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ValidationError

from ravu_kg.errors import UsageError
from ravu_kg.memory.library import VideoSummary


class Version(BaseModel):
    """The state of a video when an answer was given."""

    revision: int
    indexed_at: str


class GivenAnswer(BaseModel):
    """What is read of an answer that ``ask --json`` printed."""

    question: str
    answer: str
    videos: dict[str, Version]
    file: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether an answer still stands."""

    file: str
    question: str
    answer: str
    stale: bool
    reasons: tuple[str, ...]
    """What changed, one for each video."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "reasons": list(self.reasons)}


def read_answers(path: Path) -> list[GivenAnswer]:
    """The answers of a file: one JSON object, a list of them, or one on each line.

    Raises:
        UsageError: the file cannot be read, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as text: {error}.") from error
    try:
        value: object = json.loads(text)
        values = cast("list[object]", value) if isinstance(value, list) else [value]  # each is checked below
    except ValueError:
        values = _lines(text, path)
    try:
        found = [GivenAnswer.model_validate(one) for one in values]
    except ValidationError as error:
        missing = any(one["loc"][:1] == ("videos",) for one in error.errors())
        reason = " It does not say what it was based on: it was given by an older version." if missing else ""
        raise UsageError(f"{path} holds no answer of `ravu-kg ask --json`.{reason} Ask again with --json.") from error
    if not found:
        raise UsageError(f"{path} holds no answer. Write one there: ravu-kg ask VIDEO QUESTION --json > {path}")
    return [one.model_copy(update={"file": path.name}) for one in found]


def freshness(answers: Sequence[GivenAnswer], videos: Sequence[VideoSummary]) -> list[Freshness]:
    """For each answer whether a video that it is about has changed since."""
    now = {one.video_id: one for one in videos}
    return [_fresh(one, now) for one in answers]


def _fresh(answer: GivenAnswer, now: Mapping[str, VideoSummary]) -> Freshness:
    reasons: list[str] = []
    for video_id, then in answer.videos.items():
        video = now.get(video_id)
        if video is None:
            reasons.append(f"video {video_id} was deleted")
        elif video.created_at != then.indexed_at:
            reasons.append(f"{video.title} was indexed anew")
        elif video.revision != then.revision:
            reasons.append(f"{video.title} was changed (revision {then.revision} then, {video.revision} now)")
    return Freshness(answer.file, answer.question, answer.answer, bool(reasons), tuple(reasons))


def _lines(text: str, path: Path) -> list[object]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}.") from error
