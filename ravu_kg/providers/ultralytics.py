"""Detectors of the ultralytics library (AGPL-3.0): an extra, since its terms do not suit everybody and torch is large.

``ultralytics:yolo11n`` (also plain ``ultralytics``) names weights that the library's publisher offers; they are fetched
once into the cache folder. ``ultralytics:PATH.pt`` takes any weights of a detector. Such a file holds Python code that
runs when it is loaded: use only files that you trust.

The library is imported when a detector is built, with its usage reports, self-installation and start-up network check
off; its settings stay in the cache folder unless ``YOLO_CONFIG_DIR`` says otherwise. ``YOLO_OFFLINE`` is honoured.

Boxes are kept from a score of 0.1, for the reason given in :mod:`ravu_kg.providers.yolox`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import Protocol, cast

import numpy as np

from ravu_kg.errors import MissingExtraError, ProviderError
from ravu_kg.providers.detector_options import fraction, only
from ravu_kg.providers.weights import cache_dir
from ravu_kg.types import Box, Detection, FloatArray, Image, VideoFrame

SCORE_THRESHOLD = 0.1
"""Weakest box that is kept by default."""

_DEFAULT_MODEL = "yolo11n"
_MAX_BATCH = 8
_TASKS_WITH_BOXES = ("detect", "segment", "pose")
# A file that is no model fails in whichever part of torch or the library meets it first.
_LOAD_ERRORS = (
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    ImportError,
    UnpicklingError,
)


def create(model: str, options: Mapping[str, object]) -> UltralyticsDetector:
    """Entry point ``ultralytics``.

    Args:
        model: name of published weights (``yolo11n``, the default) or path of a ``.pt`` file.
        options: ``score_threshold`` (0..1, default 0.1).

    Raises:
        ConfigurationError: an option is unknown or out of range.
        MissingExtraError: the library is not installed.
        ProviderError: the weights cannot be had or are no detector.
    """
    only("ultralytics", options, ("score_threshold",))
    threshold = fraction("ultralytics", options, "score_threshold", SCORE_THRESHOLD)
    if find_spec("ultralytics") is None:
        raise MissingExtraError("Detector 'ultralytics'", "ultralytics")
    path = _weights(model or _DEFAULT_MODEL)  # before the import, which takes seconds
    return UltralyticsDetector(_library().load(path), path, threshold)


class UltralyticsDetector:
    """One loaded model; every result depends on its frame alone."""

    stateful = False

    def __init__(self, model: _Model, path: Path, score_threshold: float) -> None:
        if model.task not in _TASKS_WITH_BOXES:
            raise ProviderError(f"{path}: a model for {model.task!r} gives no boxes. Give the weights of a detector.")
        self._model = model
        self._path = path
        self._score_threshold = score_threshold
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        changed = f", score_threshold={score_threshold:g}" if score_threshold != SCORE_THRESHOLD else ""
        self._name = f"ultralytics:{path.stem}@{digest[:8]}{changed}"

    @property
    def name(self) -> str:
        """``ultralytics:``, the model's name and the start of its file's SHA-256."""
        return self._name

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of each frame, strongest first.

        Raises:
            ProviderError: the model failed.
        """
        found: list[list[Detection]] = []
        for start in range(0, len(frames), _MAX_BATCH):
            batch = frames[start : start + _MAX_BATCH]
            images = [np.ascontiguousarray(frame.image[..., ::-1]) for frame in batch]  # it expects blue-green-red
            try:
                results = self._model.predict(images, conf=self._score_threshold, verbose=False, save=False)
            except RuntimeError as error:
                raise ProviderError(f"{self._path}: the model failed: {error}. Give other weights.") from error
            found += [_boxes(result, frame.image) for result, frame in zip(results, batch, strict=True)]
        return found


class _Tensor(Protocol):
    def cpu(self) -> _Tensor: ...

    def numpy(self) -> FloatArray: ...


class _Boxes(Protocol):
    xyxy: _Tensor
    conf: _Tensor
    cls: _Tensor


class _Result(Protocol):
    boxes: _Boxes
    names: Mapping[int, str]


class _Model(Protocol):
    task: str

    def predict(self, source: Sequence[Image], *, conf: float, verbose: bool, save: bool) -> Sequence[_Result]: ...


class _Library:
    """The few parts of the library that are used; its own types are mostly unknown."""

    def __init__(self, build: Callable[[str], _Model], download: Callable[[str], str]) -> None:
        self._build = build
        self._download = download

    def load(self, path: Path) -> _Model:
        try:
            return self._build(str(path))
        except _LOAD_ERRORS as error:
            raise ProviderError(
                f"{path}: these are not weights that ultralytics can load, or the file is damaged "
                f"({type(error).__name__}). Copy or download the file again."
            ) from error

    def fetch(self, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        self._download(str(target))


def _library() -> _Library:
    with _quiet_environment():
        package = import_module("ultralytics")
        downloads = import_module("ultralytics.utils.downloads")
    # Modules that are imported by name have no static types: these are what the library documents.
    settings = cast("_Settings", package.settings)
    if settings["sync"]:
        settings.update({"sync": False})
    return _Library(
        cast("Callable[[str], _Model]", package.YOLO), cast("Callable[[str], str]", downloads.attempt_download_asset)
    )


class _Settings(Protocol):
    def __getitem__(self, name: str) -> object: ...

    def update(self, changes: Mapping[str, object]) -> None: ...


@contextmanager
def _quiet_environment() -> Generator[None]:
    """What the library reads once, while it is imported: no reports, no network check, nothing on stdout."""
    wanted = {"YOLO_OFFLINE": "true", "YOLO_AUTOINSTALL": "false", "YOLO_VERBOSE": "false"}
    if "YOLO_CONFIG_DIR" not in os.environ:
        folder = cache_dir() / "ultralytics"
        folder.mkdir(parents=True, exist_ok=True)
        wanted["YOLO_CONFIG_DIR"] = str(folder)
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _weights(model: str) -> Path:
    """The file of a model: the path itself, or published weights in the cache, fetched when they are not there."""
    path = Path(model).expanduser()
    if path.is_file():
        return path
    if len(path.parts) > 1:
        raise ProviderError(f"{path}: there is no such model file. Check the path, or name published weights: yolo11n.")
    target = cache_dir() / "detectors" / (path.name if path.suffix == ".pt" else f"{path.name}.pt")
    if target.is_file():
        return target
    if os.environ.get("YOLO_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        raise _not_fetched(target, "YOLO_OFFLINE is set")
    try:
        _library().fetch(target)
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise ProviderError(
            f"The weights {target.name} cannot be kept in {target.parent}: {error.strerror}. "
            "Give another folder in RAVU_KG_CACHE."
        ) from error
    except (OSError, RuntimeError, ValueError, LookupError) as error:
        said = str(error).lstrip("❌ ").rstrip(". ")  # the library's own message has marks and full stops of its own
        raise _not_fetched(target, said or type(error).__name__) from error
    if not target.is_file():
        raise _not_fetched(target, "its publisher has no weights of that name, or cannot be reached")
    return target


def _not_fetched(target: Path, cause: str) -> ProviderError:
    return ProviderError(
        f"The weights {target.name} are not in {target.parent} and cannot be fetched: {cause}. "
        "Connect to the internet and try again, put the file there, or give a path: ultralytics:PATH.pt.",
        retryable=True,
    )


def _boxes(result: _Result, image: Image) -> list[Detection]:
    found: list[Detection] = []
    boxes = result.boxes
    for corners, score, number in zip(
        boxes.xyxy.cpu().numpy().tolist(),
        boxes.conf.cpu().numpy().tolist(),
        boxes.cls.cpu().numpy().tolist(),
        strict=True,
    ):
        box = Box(*corners).clip(image.shape[1], image.shape[0])
        if box.area > 0:
            found.append(Detection(box, result.names[int(number)], min(1.0, score)))
    return sorted(found, key=lambda one: -one.confidence)
