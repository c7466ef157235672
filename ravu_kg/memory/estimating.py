"""What indexing a video with models will cost, before any call is made. Needs no server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ravu_kg.memory.indexing import find_detector
from ravu_kg.memory.opening import share_cache
from ravu_kg.memory.pipeline import tracking_rate_hz
from ravu_kg.memory.records import Report
from ravu_kg.models.prices import cost
from ravu_kg.models.roles import INDEX_ROLES, Role, has_model, reference_of
from ravu_kg.perception.captioning.detection import PacedTracker
from ravu_kg.perception.captioning.estimate import estimate
from ravu_kg.perception.geometry import describe
from ravu_kg.perception.pipeline import perceive, perceive_given
from ravu_kg.plugins import load_tracker
from ravu_kg.settings import Settings
from ravu_kg.types import Perception, Usage, VideoInfo
from ravu_kg.video.reader import probe


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage will come to."""

    stage: Role
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None for a model without a price."""


@dataclass(frozen=True, slots=True)
class IndexEstimate:
    """What indexing one video will come to."""

    video: Path
    duration_s: float
    detector: str
    """Whose tracks were used: a model that detects is stood in for by a detector of this machine."""
    stages: tuple[StageCost, ...]
    """Those that have a model."""

    @property
    def total(self) -> Usage:
        """All stages together; the cost of those that have a price."""
        return sum(
            (Usage(one.calls, one.input_tokens, one.output_tokens, one.cost_usd or 0.0) for one in self.stages), Usage()
        )

    @property
    def has_price(self) -> bool:
        """Whether the price of every model is known."""
        return all(one.cost_usd is not None for one in self.stages)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        total = self.total
        return {
            "video": str(self.video),
            "duration_s": self.duration_s,
            "detector": self.detector,
            "stages": [
                {
                    "stage": one.stage,
                    "model": one.model,
                    "calls": one.calls,
                    "input_tokens": one.input_tokens,
                    "output_tokens": one.output_tokens,
                    "cost_usd": one.cost_usd,
                }
                for one in self.stages
            ],
            "total": {
                "calls": total.calls,
                "input_tokens": total.input_tokens,
                "output_tokens": total.output_tokens,
                "cost_usd": total.cost_usd if self.has_price else None,
            },
        }


def estimate_index(
    settings: Settings, path: Path, tracks: Path | None = None, progress: Report | None = None
) -> IndexEstimate:
    """What indexing a video with the models of the settings will come to when nothing of it is kept yet.

    Detecting and tracking are done, and kept for the run itself; no model is called.

    Args:
        settings: whose models.
        path: the video file.
        tracks: tracks to use instead of detecting.
        progress: told the stage and how much of it is done.

    Raises:
        VideoError: the file cannot be read as a video.
        ProviderError: the detector failed.
        ConfigurationError: the tracks are wrong, or no detector can be loaded.
        MissingExtraError: the library that counts tokens is not installed.
    """
    share_cache(settings)
    video = probe(path)
    names: dict[Role, str] = {role: reference_of(settings, role) for role in INDEX_ROLES if has_model(settings, role)}
    if tracks is not None:
        names.pop("detect", None)
    if not names:
        return IndexEstimate(path, video.duration_s, "", ())
    seen = _perceived(settings, video, tracks, progress)
    times_s = [frame.timestamp_s for frame in seen.frames]
    stages = estimate(describe(seen, "estimate"), names, settings.describe_window, times_s)
    return IndexEstimate(
        path,
        video.duration_s,
        seen.detector,
        tuple(
            StageCost(
                stage=one.stage,
                model=one.model,
                calls=one.usage.calls,
                input_tokens=one.usage.input_tokens,
                output_tokens=one.usage.output_tokens,
                cost_usd=cost(one.model, one.usage, settings.prices),
            )
            for one in stages
        ),
    )


def _perceived(settings: Settings, video: VideoInfo, tracks: Path | None, progress: Report | None) -> Perception:
    def watching(share: float) -> None:
        if progress is not None:
            progress("watching", share)

    if tracks is not None:
        return perceive_given(
            video,
            tracks,
            tracking_rate_hz=settings.tracking_rate_hz,
            sample_interval_s=settings.sample_interval_s,
            progress=watching,
        )
    if has_model(settings, "detect"):
        models = settings.models.model_copy(update={"detect": "auto"})
        settings, rate_hz = settings.model_copy(update={"models": models}), tracking_rate_hz(settings)
    else:
        rate_hz = settings.tracking_rate_hz
    detector, _ = find_detector(settings)
    return perceive(
        video,
        detector,
        PacedTracker(load_tracker(settings.models.track, settings.providers), 1 / rate_hz),
        tracking_rate_hz=rate_hz,
        sample_interval_s=settings.sample_interval_s,
        cache_dir=settings.cache / "detections",
        progress=watching,
    )
