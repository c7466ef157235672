"""What indexing a video with models will cost, before any call is made. Needs no server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.memory.indexing import Detectors
from ravu_kg.memory.opening import share_cache
from ravu_kg.memory.pipeline import tracking_rate_hz
from ravu_kg.memory.records import STAGES, ModelRun, Report, Stage
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import cost
from ravu_kg.models.roles import INDEX_ROLES, Role, has_model, reference_of
from ravu_kg.models.tokens import require_tokenizer
from ravu_kg.perception.captioning.detection import ModelDetector, PacedTracker
from ravu_kg.perception.captioning.estimate import StandIn, count_detection, estimate
from ravu_kg.perception.geometry import describe
from ravu_kg.perception.observing import LEAST_BOXES
from ravu_kg.perception.pipeline import perceive, perceive_given
from ravu_kg.plugins import load_tracker
from ravu_kg.protocols import Detector
from ravu_kg.settings import Settings
from ravu_kg.types import Perception, Usage, VideoInfo
from ravu_kg.video.reader import probe, read_frames


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage will come to."""

    stage: Role
    model: str
    calls: int
    """That are yet to be made; their tokens and price follow."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None for a model without a price."""
    kept: int = 0
    """Calls whose replies were kept: they are paid for, and not made again."""


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
    def kept(self) -> int:
        """Calls of all stages whose replies were kept."""
        return sum(one.kept for one in self.stages)

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
                    "kept": one.kept,
                }
                for one in self.stages
            ],
            "total": {
                "calls": total.calls,
                "input_tokens": total.input_tokens,
                "output_tokens": total.output_tokens,
                "cost_usd": total.cost_usd if self.has_price else None,
                "kept": self.kept,
            },
        }


def estimate_index(
    settings: Settings,
    path: Path,
    tracks: Path | None = None,
    progress: Report | None = None,
    *,
    from_stage: Stage | None = None,
) -> IndexEstimate:
    """What indexing a video with the models of the settings will come to, beside the replies that are kept of it.

    Detecting and tracking are done, and kept for the run itself; no model is called. The more replies of the models
    are kept, also of other videos, the better their length is known.

    Args:
        settings: whose models.
        path: the video file.
        tracks: tracks to use instead of detecting.
        progress: told the stage and how much of it is done.
        from_stage: as of the run: from here on kept replies are not used.

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
    require_tokenizer(names.values())  # before minutes of watching
    run = ModelRun(from_stage)
    refresh = [stage for stage in STAGES if run.anew(stage)]
    with ModelCalls.open(settings, names, replay=True, refresh=refresh) as kept:
        calls = StandIn(names, kept)
        seen = _perceived(settings, video, tracks, progress, calls)
        stages = estimate(describe(seen, "estimate"), names, settings.describe_window, calls)
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
                cost_usd=cost(one.model, one.usage, settings.prices) if one.usage.calls else 0.0,
                kept=one.kept,
            )
            for one in stages
        ),
    )


def _perceived(
    settings: Settings, video: VideoInfo, tracks: Path | None, progress: Report | None, calls: StandIn
) -> Perception:
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
        if (detector := _asked_before(settings, video, calls)) is not None:
            return _watched(settings, video, detector, tracking_rate_hz(settings), watching, least_boxes=1)
        models = settings.models.model_copy(update={"detect": "auto"})
        settings, rate_hz = settings.model_copy(update={"models": models}), tracking_rate_hz(settings)
    else:
        rate_hz = settings.tracking_rate_hz
    detector, _ = Detectors().find(settings)
    return _watched(settings, video, detector, rate_hz, watching, cache_dir=settings.cache / "detections")


def _asked_before(settings: Settings, video: VideoInfo, calls: StandIn) -> ModelDetector | None:
    """The model as the detector when its replies were kept for each frame; else its calls are only counted."""
    rate_hz = tracking_rate_hz(settings)
    if not calls.knows("detect"):
        count_detection(calls, video, [frame.timestamp_s for frame in read_frames(video, rate_hz)])
        return None
    detector = ModelDetector(calls, video)
    for _ in detector.look_ahead(rate_hz):
        pass
    return None if calls.usage.get("detect") else detector


def _watched(
    settings: Settings,
    video: VideoInfo,
    detector: Detector,
    rate_hz: float,
    watching: Callable[[float], None],
    *,
    cache_dir: Path | None = None,
    least_boxes: int = LEAST_BOXES,
) -> Perception:
    return perceive(
        video,
        detector,
        PacedTracker(load_tracker(settings.models.track, settings.providers), 1 / rate_hz),
        tracking_rate_hz=rate_hz,
        sample_interval_s=settings.sample_interval_s,
        cache_dir=cache_dir,
        progress=watching,
        least_boxes=least_boxes,
    )
