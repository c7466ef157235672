"""The ultralytics detector with untrained weights that are saved here: what it finds means nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.plugins import load_detector
from ravu_kg.providers.coco import COCO_80
from ravu_kg.providers.ultralytics import create
from ravu_kg.types import VideoFrame


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ultralytics")


@pytest.fixture(autouse=True)
def _own_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAVU_KG_CACHE", str(folder / "cache"))
    monkeypatch.delenv("YOLO_CONFIG_DIR", raising=False)


@pytest.fixture(scope="module")
def weights(folder: Path) -> Path:
    path = folder / "untrained.pt"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAVU_KG_CACHE", str(folder / "cache"))
        patch.delenv("YOLO_CONFIG_DIR", raising=False)
        path.write_text("not weights")
        with pytest.raises(ProviderError):  # imports the library as the product does
            create(str(path), {})
        import torch
        from ultralytics import YOLO

        torch.manual_seed(0)
        model = YOLO("yolo11n.yaml")
        model.model.names = dict(enumerate(COCO_80))
        model.save(path)
    return path


def _frames() -> list[VideoFrame]:
    random = np.random.default_rng(0)
    return [VideoFrame(n, n * 0.2, random.integers(0, 255, (96, 160, 3), np.uint8)) for n in range(2)]


def test_weights_are_loaded_and_named(weights: Path) -> None:
    detector = load_detector(f"ultralytics:{weights}", {})

    assert detector.name.startswith("ultralytics:untrained@")
    assert not detector.stateful


def test_boxes_are_inside_the_picture_named_by_class_and_repeat(weights: Path) -> None:
    detector = create(str(weights), {"score_threshold": 0.00015})  # about what untrained weights give

    found = detector.detect(_frames())

    assert len(found) == 2
    assert any(found)
    for detection in (detection for boxes in found for detection in boxes):
        box = detection.box
        assert 0 <= box.x_min < box.x_max <= 160
        assert 0 <= box.y_min < box.y_max <= 96
        assert detection.label in COCO_80
        assert 0 <= detection.confidence <= 1
    assert [one.confidence for one in found[0]] == sorted((one.confidence for one in found[0]), reverse=True)
    assert detector.detect(_frames()) == found


def test_the_threshold_leaves_weak_boxes_out(weights: Path) -> None:
    assert create(str(weights), {"score_threshold": 1.0}).detect(_frames()) == [[], []]


def test_weights_in_the_cache_are_used_by_name(weights: Path, folder: Path) -> None:
    kept = folder / "cache" / "detectors" / "mine.pt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(weights.read_bytes())

    assert create("mine", {}).name.startswith("ultralytics:mine@")


def test_offline_the_weights_are_named_with_the_next_action(weights: Path) -> None:
    with pytest.raises(ProviderError, match=r"yolo11n\.pt.*YOLO_OFFLINE.*Connect to the internet") as caught:
        create("", {})
    assert caught.value.retryable


def test_a_failed_fetch_is_the_same_clear_error(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ultralytics.utils import downloads

    def refuse(file: str) -> str:
        raise ConnectionError("no route to the publisher")

    monkeypatch.delenv("YOLO_OFFLINE")
    monkeypatch.setattr(downloads, "attempt_download_asset", refuse)

    with pytest.raises(ProviderError, match=r"yolo11s\.pt.*no route.*Connect to the internet"):
        create("yolo11s", {})


def test_unusable_files_are_named(weights: Path, folder: Path) -> None:
    text, cut = folder / "text.pt", folder / "cut.pt"
    text.write_text("not weights")
    cut.write_bytes(weights.read_bytes()[:20_000])

    for path in (text, cut, folder / "missing.pt"):
        with pytest.raises(ProviderError, match=path.name):
            create(str(path), {})


def test_usage_reports_are_off_and_the_environment_is_left_as_it_was(weights: Path) -> None:
    before = dict(os.environ)

    create(str(weights), {})

    from ultralytics import settings
    from ultralytics.utils.events import events

    assert settings["sync"] is False
    assert not events.enabled
    assert dict(os.environ) == before


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "ultralytics"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ultralytics", None)

    with pytest.raises(MissingExtraError, match=r"ravu-kg\[ultralytics\]"):
        create("yolo11n", {})


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="imgsz"):
        create("yolo11n", {"imgsz": 320})
