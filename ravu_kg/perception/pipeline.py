"""From a video file to everything that is seen in it, before it is put into words (the paper's section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from ravu_kg.errors import ConfigurationError
from ravu_kg.perception.detecting import DetectionCache, ahead, detections_of
from ravu_kg.perception.given_tracks import GivenTracks, read_tracks
from ravu_kg.perception.identity import link_tracks
from ravu_kg.perception.observing import LEAST_BOXES, Observer, Stay, ending
from ravu_kg.perception.tracking import make_tracks, number_tracks
from ravu_kg.protocols import Detector, Tracker
from ravu_kg.types import Detection, Perception, SampledFrame, VideoFrame, VideoInfo
from ravu_kg.video.reader import read_frames
from ravu_kg.video.sampling import is_due
from ravu_kg.video.shots import ShotDetector

_AHEAD = 4
"""Pictures that may be decoded, and looked at, before they are used."""
Progress = Callable[[float], None]
"""Called with the share of the video that is done, 0..1."""


def perceive(
    video: VideoInfo,
    detector: Detector,
    tracker: Tracker,
    *,
    tracking_rate_hz: float,
    sample_interval_s: float,
    cache_dir: Path | None,
    progress: Progress | None = None,
    least_boxes: int = LEAST_BOXES,
) -> Perception:
    """Detect, track and link everything in a video, in one pass over its frames.

    The same file, detector and tracker give the same result, also after an interruption: detections are kept in
    ``cache_dir`` for every 20 s of video and not computed again (but for detectors that depend on earlier frames).
    Memory holds a few pictures and the tracks, however long the video.

    Args:
        video: from :func:`ravu_kg.video.reader.probe`.
        detector: a new one.
        tracker: a new one.
        tracking_rate_hz: frames a second to detect and track in; a rate above the video's own means every frame.
        sample_interval_s: seconds between two sampled frames, which are taken from the tracking frames.
        cache_dir: where detections are kept; None keeps none.
        progress: told how far the pass is.
        least_boxes: in how many frames a thing has to be seen, see :func:`ravu_kg.perception.observing.is_strong`.

    Raises:
        VideoError: the file cannot be read any more.
        ProviderError: the detector or tracker failed.
    """
    cache = None if cache_dir is None else DetectionCache(cache_dir, video.identity, detector.name)
    watched = _Watched(video, sample_interval_s, progress)
    observer = Observer(video.width_px, video.height_px, _interval_s(video, tracking_rate_hz), least_boxes)
    shots = ShotDetector()
    with (
        closing(ahead(read_frames(video, tracking_rate_hz), _AHEAD)) as frames,
        closing(ahead(detections_of(frames, detector, cache), _AHEAD)) as seen,  # closed first: it uses the frames
    ):
        for frame, detections in seen:
            if shots.starts_shot(frame):
                watched.cuts_s.append(frame.timestamp_s)
                observer.cut()
                tracker.reset()
            observer.observe(frame, tracker.update(frame, detections), watched.take(frame))
    tracks = make_tracks(observer.finish(watched.last_s or 0.0), watched.frames)
    return Perception(
        video=video,
        frames=tuple(watched.frames),
        tracks=tracks,
        links=link_tracks(tracks, watched.cuts_s, video.width_px, video.height_px),
        cuts_s=tuple(watched.cuts_s),
        detector=detector.name,
        tracker=tracker.name,
        sample_interval_s=sample_interval_s,
    )


def perceive_given(
    video: VideoInfo,
    tracks_file: Path,
    *,
    tracking_rate_hz: float,
    sample_interval_s: float,
    progress: Progress | None = None,
) -> Perception:
    """The same for tracks that were given: only frames, shot cuts, colours and looks come from the pictures.

    A track of the file stays one track, whatever its gaps and the shots it spans: its id is its identity. Relations
    and events of the file go with it under the tracks' new numbers.

    Raises:
        ConfigurationError: the file of tracks is wrong; see :mod:`ravu_kg.perception.given_tracks`.
        VideoError: the video cannot be read any more.
    """
    given = read_tracks(tracks_file)
    watched = _Watched(video, sample_interval_s, progress)
    shots = ShotDetector()
    stays: dict[int, Stay] = {}
    tolerance_s = 0.5 * _interval_s(video, tracking_rate_hz)
    for frame in read_frames(video, tracking_rate_hz):
        if shots.starts_shot(frame):
            watched.cuts_s.append(frame.timestamp_s)
        sampled_index = watched.take(frame)
        present = _present(given, frame, tolerance_s, video)
        for track_id, detection in present.items():
            others = [other for other_id, other in present.items() if other_id != track_id]
            stays.setdefault(track_id, Stay()).record(frame, detection, others, sampled_index)
    for track in given.tracks:
        if track.track_id not in stays:
            raise ConfigurationError(
                f"{tracks_file}: track {track.track_id} has no box inside the pictures of {video.path} "
                f"({video.width_px} x {video.height_px} px, {video.duration_s:.1f} s). Do the two belong together?"
            )
    order = sorted(stays, key=lambda track_id: (stays[track_id].times_s[0], track_id))
    for stay in stays.values():
        stay.ended_by = ending(stay, watched.last_s or 0.0, watched.cuts_s, video.width_px, video.height_px)
    number = {track_id: position for position, track_id in enumerate(order, start=1)}
    return Perception(
        video=video,
        frames=tuple(watched.frames),
        tracks=number_tracks([stays[track_id] for track_id in order], watched.frames, "annotation"),
        links=(),
        cuts_s=tuple(watched.cuts_s),
        detector="given",
        tracker="given",
        sample_interval_s=sample_interval_s,
        relations=tuple(
            replace(r, subject_track=number[r.subject_track], object_track=number[r.object_track])
            for r in given.relations
        ),
        events=tuple(replace(e, track=number[e.track]) for e in given.events),
    )


@dataclass(slots=True)
class _Watched:
    """What is noted of the frames that pass by."""

    video: VideoInfo
    sample_interval_s: float
    progress: Progress | None
    frames: list[SampledFrame] = field(default_factory=list[SampledFrame])
    cuts_s: list[float] = field(default_factory=list[float])
    last_s: float | None = None

    def take(self, frame: VideoFrame) -> int | None:
        """Note a tracking frame; gives its index among the sampled frames when it is one."""
        sampled = is_due(self.last_s, frame.timestamp_s, 1 / self.sample_interval_s)
        self.last_s = frame.timestamp_s
        if self.progress is not None and self.video.duration_s > 0:
            self.progress(min(1.0, frame.timestamp_s / self.video.duration_s))
        if not sampled:
            return None
        self.frames.append(SampledFrame(len(self.frames), frame.source_frame, frame.timestamp_s))
        return len(self.frames) - 1


def _interval_s(video: VideoInfo, tracking_rate_hz: float) -> float:
    """Usual time between two tracking frames."""
    return 1 / min(tracking_rate_hz, max(video.frame_rate, 1.0))


def _present(given: GivenTracks, frame: VideoFrame, tolerance_s: float, video: VideoInfo) -> dict[int, Detection]:
    """The given boxes in a frame by track id, cut off at the borders of the picture."""
    present: dict[int, Detection] = {}
    for track in given.tracks:
        detection = track.at(frame, tolerance_s)
        if detection is not None:
            box = detection.box.clip(video.width_px, video.height_px)
            if box.area > 0:
                present[track.track_id] = replace(detection, box=box)
    return present
