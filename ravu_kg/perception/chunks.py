"""Long videos in chunks: what looks at single pictures is done side by side, the rest in one place.

Detecting is nearly all of the work, and looks at each picture for itself. Chunks of a video are detected by several
workers; then shot cuts, tracks, stays and links are made in one pass over the whole video
(:func:`ravu_kg.perception.pipeline.perceive`), which finds the detections ready. So there is no border at which an
identity could be lost, and the result is that of a run without chunks. Chunks end where the stretches of kept
detections do, so that even the batches that a detector is given are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise

from ravu_kg.perception.detecting import STRETCH_S, DetectionCache, Found, ahead, detections_of
from ravu_kg.protocols import Detector
from ravu_kg.types import Detection, VideoFrame, VideoInfo
from ravu_kg.video.reader import read_frames

_AHEAD = 4


def chunks_of(duration_s: float, least_s: float, most: int) -> tuple[tuple[float, float], ...]:
    """Half-open intervals of a video that are detected one by one, about equally long.

    Args:
        duration_s: of the video.
        least_s: how long a chunk is at least, but for the end of the video within the last one.
        most: how many there are at most, since each has to find its place in the file.
    """
    stretches = max(1, math.ceil(duration_s / STRETCH_S))
    count = max(1, min(most, stretches // math.ceil(least_s / STRETCH_S)))
    ends_s = [stretches * part // count * STRETCH_S for part in range(1, count)]
    return tuple(pairwise((0.0, *ends_s, duration_s)))


def detect_chunk(
    video: VideoInfo,
    detector: Detector,
    start_s: float,
    end_s: float,
    *,
    tracking_rate_hz: float,
    cache: DetectionCache,
    progress: Callable[[float], None],
) -> Mapping[int, Found]:
    """Detect in a chunk of a video and keep it in the cache; stretches that are kept already are not done again.

    Args:
        video: from :func:`ravu_kg.video.reader.probe`.
        detector: one that looks at single pictures.
        start_s: where the chunk begins, which is where a stretch does.
        end_s: where it ends: where a stretch does, or the video.
        tracking_rate_hz: frames a second.
        cache: of this video and detector.
        progress: told the share that is done, 0..1.

    Returns:
        What the chunk holds, by stretch, for caches in other places.

    Raises:
        VideoError: the file cannot be read any more.
        ProviderError: the detector failed.
    """
    found: dict[int, Found] = {}
    first, behind = round(start_s / STRETCH_S), math.ceil(end_s / STRETCH_S)
    for stretch in range(first, behind):
        if cache.knows(stretch):
            found[stretch] = cache.load(stretch)
    progress(len(found) / (behind - first))
    done = len(found)
    for run_start, run_behind in _runs([stretch for stretch in range(first, behind) if stretch not in found]):
        for frame, detections in _detected(video, detector, run_start, run_behind, tracking_rate_hz, cache):
            stretch = int(frame.timestamp_s // STRETCH_S)
            found.setdefault(stretch, {})[frame.timestamp_s] = detections
            progress(min(1.0, (done + frame.timestamp_s / STRETCH_S - run_start) / (behind - first)))
        done += run_behind - run_start
    return found


def _detected(
    video: VideoInfo, detector: Detector, start: int, behind: int, rate_hz: float, cache: DetectionCache
) -> Iterator[tuple[VideoFrame, list[Detection]]]:
    frames = read_frames(video, rate_hz, start_s=start * STRETCH_S, end_s=behind * STRETCH_S)
    with (
        closing(ahead(frames, _AHEAD)) as decoded,
        closing(ahead(detections_of(decoded, detector, cache), _AHEAD)) as seen,
    ):
        yield from seen


def _runs(stretches: list[int]) -> Iterator[tuple[int, int]]:
    """Half-open runs of numbers that follow each other."""
    start = previous = None
    for stretch in stretches:
        if previous is not None and start is not None and stretch != previous + 1:
            yield start, previous + 1
            start = stretch
        start = stretch if start is None else start
        previous = stretch
    if start is not None and previous is not None:
        yield start, previous + 1
