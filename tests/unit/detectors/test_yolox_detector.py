from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable
from email.message import Message
from pathlib import Path

import cv2
import numpy as np
import onnx
import pytest

from ravu_kg.errors import ConfigurationError, ProviderError
from ravu_kg.plugins import load_detector
from ravu_kg.providers import weights
from ravu_kg.providers.coco import COCO_80
from ravu_kg.providers.yolox import create
from ravu_kg.types import Box, Detection, Image, VideoFrame

ANY_BATCH = "batch"
MakeModel = Callable[..., Path]


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """An ONNX file that answers every 64-pixel picture with the same rows, shaped as YOLOX shapes them."""

    def make(found: list[tuple[int, float, float, float, float]], *, batch: int | str = 1, columns: int = 85) -> Path:
        rows = np.zeros((1, 64 + 16 + 4, columns), np.float32)
        rows[..., 2:4] = np.log(2)  # 16 pixels wide and high at stride 8
        for position, row in enumerate(found):
            rows[0, position, 4], rows[0, position, 5 + row[0]] = 1, row[1]
            rows[0, position, :2] = row[2] / 8 - position % 8, row[3] / 8 - position // 8
        helper, tensor = onnx.helper, onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            [
                helper.make_node("ReduceMean", ["images"], ["mean"], axes=[1, 2, 3], keepdims=1),
                helper.make_node("Squeeze", ["mean"], ["flat"], axes=[3]),
                helper.make_node("Mul", ["flat", "zero"], ["nothing"]),
                helper.make_node("Add", ["nothing", "rows"], ["output"]),
            ],
            "fixed",
            [helper.make_tensor_value_info("images", tensor, [batch, 3, 64, 64])],
            [helper.make_tensor_value_info("output", tensor, [batch, rows.shape[1], columns])],
            [
                onnx.numpy_helper.from_array(np.zeros(1, np.float32), "zero"),
                onnx.numpy_helper.from_array(rows, "rows"),
            ],
        )
        path = tmp_path / "fixed.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8), path)
        return path

    return make


def _frame(width_px: int = 64, height_px: int = 64, number: int = 0) -> VideoFrame:
    return VideoFrame(number, number * 0.2, np.zeros((height_px, width_px, 3), np.uint8))


def _picture(data_dir: Path, name: str) -> Image:
    picture = cv2.imread(str(data_dir / "detectors" / "images" / name))
    assert picture is not None
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (
            "dog.jpg",
            [
                ("dog", 0.86, (133, 207, 326, 543)),
                ("bicycle", 0.80, (52, 137, 572, 424)),
                ("car", 0.80, (466, 78, 692, 171)),
            ],
        ),
        (
            "person.jpg",
            [
                ("person", 0.88, (188, 97, 276, 371)),
                ("dog", 0.87, (62, 263, 200, 348)),
                ("horse", 0.87, (404, 138, 602, 343)),
            ],
        ),
    ],
)
def test_finds_what_a_picture_shows(
    data_dir: Path, picture: str, expected: list[tuple[str, float, tuple[float, ...]]]
) -> None:
    detector = load_detector(f"yolox:{data_dir / 'detectors' / 'yolox_nano_416.onnx'}", {})

    (found,) = detector.detect([VideoFrame(0, 0.0, _picture(data_dir, picture))])

    strong = [detection for detection in found if detection.confidence > 0.5]
    for detection, (label, confidence, box) in zip(strong, expected, strict=True):
        assert detection.label == label
        assert detection.confidence == pytest.approx(confidence, abs=0.01)
        assert detection.box.iou(Box(*box)) > 0.98


def test_results_depend_on_the_frame_alone_and_repeat(data_dir: Path) -> None:
    model = str(data_dir / "detectors" / "yolox_nano_416.onnx")
    wide, other = (
        VideoFrame(0, 0.0, _picture(data_dir, "dog.jpg")),
        VideoFrame(1, 0.2, _picture(data_dir, "person.jpg")),
    )
    tall = VideoFrame(2, 0.4, np.ascontiguousarray(other.image.transpose(1, 0, 2)))
    detector = create(model, {})

    together = detector.detect([wide, tall, other])

    assert not detector.stateful
    assert [create(model, {}).detect([frame])[0] for frame in (wide, tall, other)] == together
    assert detector.detect([other, wide]) == [together[2], together[0]]


def test_a_higher_threshold_keeps_the_strong_boxes_only(data_dir: Path) -> None:
    model = str(data_dir / "detectors" / "yolox_nano_416.onnx")
    frame = VideoFrame(0, 0.0, _picture(data_dir, "dog.jpg"))

    (all_found,) = create(model, {}).detect([frame])
    (strong,) = create(model, {"score_threshold": 0.5}).detect([frame])

    assert min(detection.confidence for detection in all_found) < 0.3
    assert strong == [detection for detection in all_found if detection.confidence >= 0.5]


def test_boxes_are_scaled_back_clipped_and_named(make_model: MakeModel) -> None:
    detector = create(str(make_model([(16, 0.9, 32, 32), (2, 0.8, 2, 60)])), {})

    (found,) = detector.detect([_frame(width_px=128, height_px=128)])

    assert [detection.label for detection in found] == ["dog", "car"]
    assert _close(found[0], Detection(Box(48, 48, 80, 80), "dog", 0.9))
    assert _close(found[1], Detection(Box(0, 104, 20, 128), "car", 0.8))


def test_overlapping_boxes_of_one_class_are_merged_and_of_two_classes_kept(make_model: MakeModel) -> None:
    rows = [(0, 0.6, 32, 32), (0, 0.9, 33, 32), (1, 0.7, 32, 32), (0, 0.5, 50, 32)]
    detector = create(str(make_model(rows)), {})

    (found,) = detector.detect([_frame()])

    assert [(d.label, round(d.confidence, 2)) for d in found] == [("person", 0.9), ("bicycle", 0.7), ("person", 0.5)]


def test_a_model_that_takes_batches_gives_each_frame_its_boxes(make_model: MakeModel) -> None:
    detector = create(str(make_model([(0, 0.9, 32, 32)], batch=ANY_BATCH)), {})

    found = detector.detect([_frame(64 * (1 + n % 2), 64 * (1 + n % 2), n) for n in range(19)])

    assert [round(boxes[0].box.width) for boxes in found] == [16 * (1 + n % 2) for n in range(19)]


def test_nothing_found_is_an_empty_list(make_model: MakeModel) -> None:
    assert create(str(make_model([])), {}).detect([_frame(), _frame()]) == [[], []]
    assert create(str(make_model([])), {}).detect([]) == []


def test_the_name_tells_one_file_from_another_of_that_name(make_model: MakeModel) -> None:
    first, changed = create(str(make_model([])), {}), create(str(make_model([(0, 0.9, 32, 32)])), {})
    strict = create(str(make_model([])), {"score_threshold": 0.5})

    assert first.name.startswith("yolox:fixed.onnx@")
    assert len({first.name, changed.name, strict.name}) == 3


def test_unusable_files_are_named_with_cause_and_next_action(
    data_dir: Path, make_model: MakeModel, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes((data_dir / "detectors" / "yolox_nano_416.onnx").read_bytes()[:100_000])
    text = tmp_path / "text.onnx"
    text.write_text("not a model")
    cases = {
        tmp_path / "missing.onnx": "no such model file",
        tmp_path: "cannot be read",
        text: "not an ONNX model",
        damaged: "not an ONNX model",
        data_dir / "detectors" / "fastestdet_352.onnx": "not a YOLOX model",
        make_model([], columns=25): "not a YOLOX model",
    }
    for path, cause in cases.items():
        with pytest.raises(ProviderError, match=cause) as caught:
            create(str(path), {})
        assert str(path) in str(caught.value)
        assert any(word in str(caught.value) for word in ("Check", "Give", "Copy"))


@pytest.mark.parametrize(
    "options", [{"score_treshold": 0.2}, {"score_threshold": "high"}, {"score_threshold": 2}, {"model": 3}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="yolox"):
        create("", options)


def test_the_configured_file_is_used_when_the_reference_names_none(make_model: MakeModel) -> None:
    path = make_model([])

    assert load_detector("yolox", {"yolox": {"model": str(path)}}).name == create(str(path), {}).name


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (weights.URLError(socket.gaierror(-2, "Name or service not known")),
         r"the address github\.com cannot be found, which is so without an internet connection"),
        (weights.URLError(TimeoutError("timed out")), r"github\.com does not answer"),
        (TimeoutError("the read timed out"), r"github\.com does not answer"),
        (weights.URLError(ConnectionRefusedError(111, "Connection refused")),
         r"github\.com cannot be reached \(Connection refused\)"),
        (weights.HTTPError("", 503, "Service Unavailable", Message(), None),
         r"github\.com answers 503 \(Service Unavailable\)"),
    ],
)  # fmt: skip
def test_without_a_network_the_small_model_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, said: str
) -> None:
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path))

    def no_network(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(weights, "urlopen", no_network)

    with pytest.raises(ProviderError, match=rf"yolox_nano\.onnx.*: {said}\. Connect to the internet") as caught:
        create("nano", {})
    assert caught.value.retryable
    assert "Errno" not in str(caught.value)
    assert [file.name for file in (tmp_path / "detectors").iterdir()] == ["yolox_nano.onnx.lock"]


def test_a_fetched_file_is_kept_and_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    origin = tmp_path / "origin.onnx"
    origin.write_bytes(b"weights")
    wanted = weights.Weights("small.onnx", origin.as_uri(), hashlib.sha256(b"weights").hexdigest())

    path = weights.fetched(wanted, "detectors")
    origin.unlink()

    assert path.read_bytes() == b"weights"
    assert weights.fetched(wanted, "detectors") == path
    path.write_bytes(b"damaged")
    with pytest.raises(ProviderError, match="cannot be fetched"):
        weights.fetched(wanted, "detectors")


def test_a_file_with_another_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    origin = tmp_path / "origin.onnx"
    origin.write_bytes(b"something else")

    with pytest.raises(ProviderError, match="another file than the pinned one"):
        weights.fetched(weights.Weights("small.onnx", origin.as_uri(), "0" * 64), "detectors")
    assert not (tmp_path / "cache" / "detectors" / "small.onnx").exists()


def test_there_are_eighty_classes() -> None:
    assert len(set(COCO_80)) == 80
    assert (COCO_80[0], COCO_80[16], COCO_80[79]) == ("person", "dog", "toothbrush")


def _close(found: Detection, expected: Detection) -> bool:
    return found.label == expected.label and all(
        abs(a - b) < 0.01
        for a, b in [
            (found.confidence, expected.confidence),
            (found.box.x_min, expected.box.x_min),
            (found.box.y_min, expected.box.y_min),
            (found.box.x_max, expected.box.x_max),
            (found.box.y_max, expected.box.y_max),
        ]
    )
