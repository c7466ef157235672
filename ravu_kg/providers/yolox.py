"""YOLOX detectors as ONNX files, run by onnxruntime: no torch, tens of milliseconds a frame on two cores.

``yolox:PATH.onnx`` takes a file exported by the YOLOX project (COCO's 80 classes, grids not decoded inside the
graph, pixels 0-255 in the order blue, green, red). ``yolox:nano`` (also plain ``yolox``) fetches the project's own
YOLOX-Nano once into the cache folder.

Boxes are kept from a score of 0.1, which is far below what a picture should show: two-stage trackers start tracks
from strong boxes only and use weak ones to bridge frames in which the entity is hard to see. Raise
``score_threshold`` for a tracker that takes every box as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np

from ravu_kg.cores import cores
from ravu_kg.errors import ConfigurationError, ProviderError
from ravu_kg.providers import onnx_session
from ravu_kg.providers.coco import COCO_80
from ravu_kg.providers.detector_options import fraction, only
from ravu_kg.providers.weights import Weights, fetched
from ravu_kg.types import Box, Detection, FloatArray, Image, VideoFrame

SCORE_THRESHOLD = 0.1
"""Weakest box that is kept by default."""

_NMS_IOU = 0.45
_STRIDES = (8, 16, 32)
_PADDING = 114
_SIDE_BY_SIDE = 4
"""Pictures looked at together: on few cores one thread each is a third faster than all threads on one picture."""
_OTHERWISE = "Check the path, or write yolox:nano to fetch a small model."
_NANO = Weights(
    "yolox_nano.onnx",
    "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx",
    "c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d",
)


def create(model: str, options: Mapping[str, object]) -> YoloxDetector:
    """Entry point ``yolox``.

    Args:
        model: path of an ONNX file; ``nano`` or nothing for the project's own nano model, fetched on first use.
        options: ``score_threshold`` (0..1, default 0.1); ``model``, a path that is used when ``model`` is empty.

    Raises:
        ConfigurationError: an option is unknown or out of range.
        ProviderError: the file is missing, damaged or not a YOLOX model, or cannot be fetched.
    """
    only("yolox", options, ("model", "score_threshold"))
    threshold = fraction("yolox", options, "score_threshold", SCORE_THRESHOLD)
    chosen = model or options.get("model", "nano")
    if not isinstance(chosen, str):
        raise ConfigurationError(f"Option 'model' of detector 'yolox' must be a path, not {chosen!r}.")
    path = fetched(_NANO, "detectors") if chosen == "nano" else Path(chosen).expanduser()
    return YoloxDetector(path, threshold)


class YoloxDetector:
    """One ONNX session; every result depends on its frame alone."""

    stateful = False

    def __init__(self, path: Path, score_threshold: float) -> None:
        self._path = path
        self._score_threshold = score_threshold
        self._session, digest = onnx_session.load(path, _OTHERWISE, threads=max(1, cores() // _SIDE_BY_SIDE))
        self._workers = ThreadPoolExecutor(min(cores(), _SIDE_BY_SIDE), thread_name_prefix="yolox")
        changed = f", score_threshold={score_threshold:g}" if score_threshold != SCORE_THRESHOLD else ""
        self._name = f"yolox:{path.name}@{digest[:8]}{changed}"
        (self._input,) = self._session.get_inputs()[:1]
        shape = list(self._input.shape)
        if len(shape) != 4 or shape[1] != 3 or self._input.type != "tensor(float)":
            raise self._mismatch(f"its input is {self._input.type} {shape}, not float [batch, 3, height, width]")
        height_px, width_px = (value if isinstance(value, int) else 416 for value in shape[2:])
        self._height_px, self._width_px = height_px, width_px
        self._offsets, self._scales = _grid(height_px, width_px)
        self._run(self._filled())  # a wrong file shows now, not in the middle of a video

    @property
    def name(self) -> str:
        """``yolox:``, the file's name and the start of its SHA-256."""
        return self._name

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of each frame, strongest first.

        Raises:
            ProviderError: the model failed.
        """
        return list(self._workers.map(self._detect, (frame.image for frame in frames)))

    def _detect(self, image: Image) -> list[Detection]:
        canvas = self._filled()
        ratio = min(self._height_px / image.shape[0], self._width_px / image.shape[1])
        scaled_height, scaled_width = max(1, int(image.shape[0] * ratio)), max(1, int(image.shape[1] * ratio))
        canvas[:scaled_height, :scaled_width] = cv2.resize(image, (scaled_width, scaled_height))
        return self._boxes(self._run(canvas), ratio, image.shape[1], image.shape[0])

    def _filled(self) -> Image:
        """An empty input; a picture goes to its top left corner."""
        return np.full((self._height_px, self._width_px, 3), _PADDING, np.uint8)

    def _run(self, canvas: Image) -> FloatArray:
        blob = np.ascontiguousarray(canvas.transpose(2, 0, 1)[None, ::-1], np.float32)  # red-green-blue to blue first
        try:
            (rows,) = self._session.run(None, {self._input.name: blob})[:1]
        except onnx_session.RUNTIME_ERRORS as error:
            raise ProviderError(f"{self._path}: the model failed: {error}. Give another file.") from error
        expected = (1, len(self._offsets), 5 + len(COCO_80))
        if rows.shape != expected:
            raise self._mismatch(f"its output is {list(rows.shape)}, not {list(expected)}")
        return rows[0]

    def _boxes(self, rows: FloatArray, ratio: float, width_px: int, height_px: int) -> list[Detection]:
        kept = np.flatnonzero(rows[:, 4] >= self._score_threshold)  # a score is never above its objectness
        rows = rows[kept]
        if rows.size == 0:
            return []
        classes = rows[:, 5:].argmax(axis=1)
        scores = rows[:, 4] * rows[np.arange(len(rows)), 5 + classes]
        centers = (rows[:, :2] + self._offsets[kept]) * self._scales[kept] / ratio
        sizes = np.exp(rows[:, 2:4]) * self._scales[kept] / ratio
        corners = centers - sizes / 2
        chosen = cv2.dnn.NMSBoxesBatched(
            np.hstack((corners, sizes)).tolist(), scores.tolist(), classes.tolist(), self._score_threshold, _NMS_IOU
        )
        found: list[Detection] = []
        for index in sorted((int(index) for index in chosen), key=lambda index: (-float(scores[index]), index)):
            (x, y), (width, height) = corners[index].tolist(), sizes[index].tolist()
            box = Box(x, y, x + width, y + height).clip(width_px, height_px)
            if box.area > 0:
                found.append(Detection(box, COCO_80[int(classes[index])], min(1.0, float(scores[index]))))
        return found

    def _mismatch(self, what: str) -> ProviderError:
        return ProviderError(
            f"{self._path}: this is not a YOLOX model for COCO's {len(COCO_80)} classes: {what}. "
            "Give an ONNX file of the YOLOX project (exported without --decode_in_inference), or write yolox:nano."
        )


def _grid(height_px: int, width_px: int) -> tuple[FloatArray, FloatArray]:
    """Cell corner (x, y) and stride of each output row."""
    offsets: list[FloatArray] = []
    scales: list[FloatArray] = []
    for stride in _STRIDES:
        rows, columns = height_px // stride, width_px // stride
        cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
        offsets.append(cells.astype(np.float32))
        scales.append(np.full((rows * columns, 1), stride, np.float32))
    return np.concatenate(offsets), np.concatenate(scales)
