"""HOTA, IDF1 and MOTA of the trackers on the same detections, and how well tracks that come back are linked.

Run: ``python -m tests.benchmarks.bench_tracking``.

The truth is ``mot/*/gt.txt`` of the test data, the metrics are trackeval's, the detector is YOLOX-nano. Links are
compared with the memories of the test data that say which tracks are one object. Ends with exit code 1 when the default
tracker is not the better one on PETS09-S2L1.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from supervision import Detections
from trackers import ByteTrackTracker
from trackeval.metrics import CLEAR, HOTA, Identity

from ravu_kg.importers import reidentified
from ravu_kg.plugins import load_detector, load_tracker
from ravu_kg.protocols import Tracker
from ravu_kg.types import Detection, TrackedDetection, VideoFrame
from ravu_kg.video.reader import probe, read_frames
from ravu_kg.video.sampling import is_due

ROOT = Path(__file__).resolve().parents[2]
CLIPS = ("PETS09-S2L1/PETS09-S2L1.avi", "TUD-Stadtmitte/TUD-Stadtmitte.mp4")
TRACKERS = ("steady", "bytetrack", "box-matching")
RATES_HZ: tuple[float | None, ...] = (5.0, None)

PLAIN = "plain-bytetrack"
"""The library's tracker as it is built without arguments: 30 frames a second, no times."""

Boxes = NDArray[np.float64]


class PlainByteTrack:
    """Beside the product's ``bytetrack``, which tells the library the frame rate and the times."""

    name = PLAIN

    def __init__(self) -> None:
        self._tracker = ByteTrackTracker()

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        boxes = [(b.x_min, b.y_min, b.x_max, b.y_max) for b in (item.box for item in detections)]
        confidences = np.array([item.confidence for item in detections], float)
        found = Detections(np.array(boxes, float).reshape(-1, 4), confidence=confidences)
        found.class_id = np.arange(len(detections))
        result = self._tracker.update(found)
        if result.tracker_id is None or result.class_id is None:
            return []
        pairs = zip(result.class_id, result.tracker_id, strict=True)
        return [TrackedDetection(int(track), detections[int(at)]) for at, track in pairs if track >= 0]

    def reset(self) -> None:
        self._tracker.reset()


@dataclass(frozen=True)
class Scores:
    hota: float
    idf1: float
    mota: float
    switches: int
    tracks: int


def data_dir() -> Path:
    return Path(os.environ.get("RAVU_KG_TEST_DATA", ROOT.parent / "shared" / "data"))


def measure(clip: Path, detector: str) -> dict[tuple[float | None, str], Scores]:
    """Scores of every tracker at every rate; each frame is detected once."""
    model = load_detector(detector, {})
    trackers: dict[tuple[float | None, str], Tracker] = {
        (rate, name): PlainByteTrack() if name == PLAIN else load_tracker(name, {})
        for rate in RATES_HZ
        for name in (*TRACKERS, PLAIN)
    }
    results: dict[tuple[float | None, str], list[tuple[int, list[int], Boxes]]] = {key: [] for key in trackers}
    previous_s: float | None = None
    for frame in read_frames(probe(clip), None):
        (found,) = model.detect([frame])
        people = [detection for detection in found if detection.label == "person"]
        for (rate, name), tracker in trackers.items():
            if is_due(previous_s, frame.timestamp_s, rate):
                results[rate, name].append((frame.source_frame + 1, *_tracked(tracker, frame, people)))
        previous_s = frame.timestamp_s
    truth = np.loadtxt(clip.parent / "gt.txt", delimiter=",")
    return {key: score(truth, frames) for key, frames in results.items()}


def score(truth: Boxes, frames: Sequence[tuple[int, list[int], Boxes]]) -> Scores:
    """trackeval's metrics; ``truth`` is MOT text, ``frames`` are (frame from 1, ids, boxes)."""
    true_ids: list[list[int]] = []
    similarity: list[Boxes] = []
    for number, _, boxes in frames:
        rows = truth[truth[:, 0] == number]
        true_ids.append([int(track) for track in rows[:, 1]])
        similarity.append(_overlap(np.hstack([rows[:, 2:4], rows[:, 2:4] + rows[:, 4:6]]), boxes))
    found_ids = [ids for _, ids, _ in frames]
    known, named = (
        {track: at for at, track in enumerate(sorted({track for ids in every for track in ids}))}
        for every in (true_ids, found_ids)
    )
    data = {
        "num_timesteps": len(frames),
        "num_gt_ids": len(known),
        "num_tracker_ids": len(named),
        "num_gt_dets": sum(map(len, true_ids)),
        "num_tracker_dets": sum(map(len, found_ids)),
        "gt_ids": [np.array([known[i] for i in ids], int) for ids in true_ids],
        "tracker_ids": [np.array([named[i] for i in ids], int) for ids in found_ids],
        "similarity_scores": similarity,
    }
    with contextlib.redirect_stdout(io.StringIO()):
        hota = HOTA().eval_sequence(data)
        clear = CLEAR({"PRINT_CONFIG": False}).eval_sequence(data)
        identity = Identity({"PRINT_CONFIG": False}).eval_sequence(data)
    return Scores(float(hota["HOTA"].mean()), identity["IDF1"], clear["MOTA"], int(clear["IDSW"]), len(named))


def main() -> int:
    better = True
    print(f"{'clip':15} {'rate':>8} {'tracker':15} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6} {'switches':>8} {'tracks':>6}")
    for clip in CLIPS:
        path = data_dir() / "mot" / clip
        scores = measure(path, f"yolox:{data_dir() / 'detectors' / 'yolox_nano_416.onnx'}")
        for (rate, name), s in scores.items():
            print(
                f"{path.stem:15} {f'{rate:g} Hz' if rate else 'every':>8} {name:15} {100 * s.hota:6.1f} "
                f"{100 * s.idf1:6.1f} {100 * s.mota:6.1f} {s.switches:8} {s.tracks:6}"
            )
        if path.stem.startswith("PETS"):
            better = all(
                is_better(scores[rate, "steady"], scores[rate, other])
                for rate in RATES_HZ
                for other in ("bytetrack", PLAIN)
            )
    memories = sorted(one.parent for one in (data_dir() / "video_memory").glob("*/reid.json"))
    print("\nTracks that come back: pairs of tracks that are one object")
    print(reidentified.table(reidentified.measure(memories)))
    return 0 if better else 1


def is_better(first: Scores, second: Scores) -> bool:
    """Better in HOTA and IDF1, no worse in MOTA."""
    return first.hota > second.hota and first.idf1 > second.idf1 and first.mota >= second.mota


def _tracked(tracker: Tracker, frame: VideoFrame, people: Sequence[Detection]) -> tuple[list[int], Boxes]:
    tracked = tracker.update(frame, people)
    boxes = [(b.x_min, b.y_min, b.x_max, b.y_max) for b in (item.detection.box for item in tracked)]
    return [item.track_id for item in tracked], np.array(boxes, float).reshape(-1, 4)


def _overlap(first: Boxes, second: Boxes) -> Boxes:
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    area = [np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) for boxes in (first, second)]
    return shared / (area[0][:, None] + area[1][None] - shared)


if __name__ == "__main__":
    sys.exit(main())
