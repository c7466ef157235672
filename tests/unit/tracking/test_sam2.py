"""SAM 2 with untrained weights that are saved here: where its masks lie means nothing."""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from scenes import RED, found, frame_of, person

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.plugins import load_tracker
from ravu_kg.providers.mask_tracking import Segmenter
from ravu_kg.providers.sam2 import PUBLISHED, create
from ravu_kg.types import Box, TrackedDetection, VideoFrame

if TYPE_CHECKING:
    from ravu_kg.providers.sam2_model import Output

TINY = "sam2.1-hiera-tiny"
SIZE_PX = 64
QUICK: Mapping[str, object] = {"config": TINY, "device": "cpu", "image_size": SIZE_PX}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    import torch
    from sam2.build_sam import build_sam2

    torch.manual_seed(0)
    model = build_sam2(PUBLISHED[TINY].config, None, device="cpu")
    # Untrained, it would say of most things that they cannot be seen.
    torch.nn.init.constant_(model.sam_mask_decoder.pred_obj_score_head.layers[-1].bias, 5.0)
    path = tmp_path_factory.mktemp("sam2") / "untrained.pt"
    torch.save({"model": model.state_dict()}, path)
    yield path
    path.unlink()  # 150 MB


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """So small a model loses more by threads that wait for each other than it gains."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def walk() -> list[VideoFrame]:
    return [frame_of(step, [(person(50 + 20 * step), RED)]) for step in range(20)]


def follow(path: Path, frames: list[VideoFrame]) -> list[list[TrackedDetection]]:
    """The tracks of somebody whom the detector saw in the first frame only."""
    tracker = create(str(path), QUICK)
    return [tracker.update(frame, [found(person(50))] if step == 0 else []) for step, frame in enumerate(frames)]


def segmenter_of(path: Path) -> Segmenter:
    from ravu_kg.providers.sam2_model import device_named, load
    from ravu_kg.providers.sam2_segmenter import Sam2Segmenter

    device = device_named("cpu")
    return Sam2Segmenter(load(PUBLISHED[TINY].config, path, device, image_size=SIZE_PX), device)


def test_a_box_in_one_frame_is_followed_over_the_next_ones(weights: Path, walk: list[VideoFrame]) -> None:
    tracked = follow(weights, walk[:5])

    assert [[item.track_id for item in items] for items in tracked] == [[1]] * 5
    for item in (item for items in tracked for item in items):
        box = item.detection.box
        assert 0 <= box.x_min < box.x_max <= 640
        assert 0 <= box.y_min < box.y_max <= 360
        assert item.detection.label == "person"


def test_the_same_frames_give_the_same_masks(weights: Path, walk: list[VideoFrame]) -> None:
    def masks() -> list[np.ndarray]:
        segmenter = segmenter_of(weights)
        segmenter.advance(walk[0].image)
        started = segmenter.start(person(50))
        assert started is not None
        return [started[1], *(segmenter.advance(frame.image)[started[0]] for frame in walk[1:4])]

    first, second = masks(), masks()

    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
    assert not np.array_equal(first[0], first[-1])


def test_nothing_is_followed_after_a_cut_and_ids_go_on(weights: Path, walk: list[VideoFrame]) -> None:
    tracker = create(str(weights), QUICK)
    (before,) = tracker.update(walk[0], [found(person(50))])
    tracker.reset()

    assert tracker.update(walk[1], []) == []
    (after,) = tracker.update(walk[2], [found(person(90))])
    assert after.track_id != before.track_id


@pytest.mark.filterwarnings("ignore::UserWarning:sam2")  # of the library's predictor, which the product does not use
def test_masks_are_those_of_the_librarys_own_predictor(weights: Path, walk: list[VideoFrame], tmp_path: Path) -> None:
    from sam2.build_sam import build_sam2_video_predictor

    boxes = {0: Box(50, 100, 110, 250), 2: Box(90, 100, 150, 250)}  # by the frame in which each is prompted
    for step, frame in enumerate(walk):
        Image.fromarray(frame.image).save(tmp_path / f"{step:05}.jpg")
    predictor = build_sam2_video_predictor(
        PUBLISHED[TINY].config, str(weights), device="cpu", hydra_overrides_extra=[f"++model.image_size={SIZE_PX}"]
    )
    state = predictor.init_state(str(tmp_path))
    theirs: dict[int, list[np.ndarray]] = {}
    for start, box in boxes.items():
        predictor.reset_state(state)
        corners = [box.x_min, box.y_min, box.x_max, box.y_max]
        predictor.add_new_points_or_box(state, frame_idx=start, obj_id=1, box=corners)
        propagated = predictor.propagate_in_video(state, start)
        theirs[start] = [(masks[0, 0] > 0).numpy() for *_, masks in propagated]

    mine: dict[int, list[np.ndarray]] = {start: [] for start in boxes}
    followed: dict[int, int] = {}
    segmenter = segmenter_of(weights)
    for step in range(len(walk)):
        masks = segmenter.advance(np.asarray(Image.open(tmp_path / f"{step:05}.jpg")))
        for start, number in followed.items():
            mine[start].append(masks[number])
        if step in boxes:
            started = segmenter.start(boxes[step])
            assert started is not None
            followed[step] = started[0]
            mine[step].append(started[1])

    for start in boxes:
        assert len(mine[start]) == len(theirs[start]) == len(walk) - start
        for mask, expected in zip(mine[start], theirs[start], strict=True):
            assert 0 < np.count_nonzero(expected) < expected.size
            assert np.mean(mask == expected) > 0.9999


def test_a_mask_starts_a_thing_as_well_as_a_box(weights: Path, walk: list[VideoFrame]) -> None:
    segmenter = segmenter_of(weights)
    segmenter.advance(walk[0].image)
    given = np.zeros((180, 320), bool)
    given[50:125, 25:55] = True

    started = segmenter.start(given)
    nothing = segmenter.start(np.zeros((180, 320), bool))

    assert started is not None
    number, mask = started
    assert mask.shape == (360, 640)
    assert np.mean(mask[::2, ::2] == given) > 0.97
    assert nothing is None
    assert set(segmenter.advance(walk[1].image)) == {number}


def test_memory_does_not_grow_with_the_video(weights: Path, walk: list[VideoFrame]) -> None:
    import torch

    def held() -> int:
        gc.collect()
        return sum(one.untyped_storage().nbytes() for one in gc.get_objects() if issubclass(type(one), torch.Tensor))

    segmenter = segmenter_of(weights)
    segmenter.advance(walk[0].image)
    assert segmenter.start(person(50)) is not None
    sizes: dict[int, int] = {}
    for step in range(1, 31):
        segmenter.advance(walk[step % 20].image)
        if step in (8, 20, 30):
            sizes[step] = held()

    assert sizes[30] <= sizes[20]
    # From the eighth picture on only pointers come in, one number for each of 256 channels: no features.
    assert sizes[20] - sizes[8] <= 7 * 256 * 4


def test_the_name_tells_model_file_and_size(weights: Path) -> None:
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()

    tracker = load_tracker(f"sam2:{weights}", {"sam2": QUICK})

    assert tracker.name == f"sam2:untrained@{digest[:8]}, image_size=64"


def test_weights_of_a_named_model_may_be_a_file_of_safetensors(weights: Path, walk: list[VideoFrame]) -> None:
    import torch
    from safetensors.torch import save_file

    path = weights.with_suffix(".safetensors")
    save_file(torch.load(weights, weights_only=True)["model"], path)
    try:
        tracker = create(TINY, {"weights": str(path), "device": "cpu", "image_size": SIZE_PX})
    finally:
        path.unlink()

    assert [item.track_id for item in tracker.update(walk[0], [found(person(50))])] == [1]


def test_a_published_file_name_tells_the_model(weights: Path) -> None:
    path = weights.with_name("sam2.1_hiera_tiny.pt")
    path.hardlink_to(weights)

    assert create(str(path), {"device": "cpu", "image_size": SIZE_PX}).name.startswith("sam2:sam2.1_hiera_tiny@")
    with pytest.raises(ConfigurationError, match=r"untrained\.pt.*config = .*sam2\.1-hiera-tiny"):
        create(str(weights), {})


def test_published_models_are_those_of_the_library() -> None:
    from sam2.build_sam import HF_MODEL_ID_TO_FILENAMES

    assert {
        model.repository: (model.config, model.file_name) for model in PUBLISHED.values()
    } == HF_MODEL_ID_TO_FILENAMES


def test_weights_of_another_model_are_refused(weights: Path) -> None:
    for other in ("sam2-hiera-tiny", "sam2.1-hiera-small"):
        with pytest.raises(ProviderError, match=r"untrained\.pt.*not weights of.*Name the model"):
            create(str(weights), {**QUICK, "config": other})


def test_files_that_are_no_weights_are_named(weights: Path, tmp_path: Path) -> None:
    import torch

    text, cut, code, bare, tensors = (
        tmp_path / name for name in ("text.pt", "cut.pt", "code.pt", "bare.pt", "text.safetensors")
    )
    text.write_text("not weights")
    tensors.write_text("not weights")
    cut.write_bytes(weights.read_bytes()[:20_000])
    torch.save({"model": Path("/")}, code)  # would be built by running code
    torch.save({"state": torch.zeros(1)}, bare)

    for path in (text, cut, code, bare, tensors, tmp_path / "missing.pt"):
        with pytest.raises(ProviderError, match=path.name):
            create(str(path), QUICK)


def test_offline_the_hubs_file_is_named_with_the_next_action() -> None:
    with pytest.raises(
        ProviderError, match=r"sam2\.1_hiera_large\.pt.*HF_HUB_OFFLINE.*hf download facebook/sam2"
    ) as caught:
        create("sam2.1-hiera-large", {})
    assert caught.value.retryable


def test_a_hub_that_does_not_answer_is_the_same_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    from ravu_kg.providers import hub

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub, "answers", lambda url: False)

    with pytest.raises(ProviderError, match=r"sam2\.1_hiera_tiny\.pt.*does not answer.*weights = "):
        create("", {})


def test_without_the_library_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sam2", None)

    with pytest.raises(
        MissingExtraError, match=r"SAM2_BUILD_CUDA=0 pip install --no-build-isolation 'ravu-kg\[sam2\]'"
    ):
        create(TINY, {})


def test_a_device_that_is_not_there_is_refused(weights: Path) -> None:
    import torch

    absent = f"cuda:{torch.cuda.device_count()}"
    for device in (absent, "warp drive"):
        with pytest.raises(ConfigurationError, match=device):
            create(str(weights), {**QUICK, "device": device})


@pytest.mark.parametrize(
    ("model", "options", "named"),
    [
        (TINY, {"points": 3}, "points"),
        (TINY, {"image_size": 500}, "image_size.*500"),
        (TINY, {"image_size": True}, "image_size"),
        (TINY, {"weights": 3}, "weights"),
        (TINY, {"config": TINY}, "config"),
        ("sam2.1-hiera-huge", {}, "sam2.1-hiera-huge.*sam2.1-hiera-tiny"),
        ("one.pt", {"weights": "two.pt"}, "one.pt and two.pt"),
    ],
)
def test_what_does_not_make_sense_is_refused(model: str, options: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        create(model, options)


def test_a_model_that_fails_says_where_and_what_to_do(walk: list[VideoFrame]) -> None:
    import torch

    from ravu_kg.providers.sam2_segmenter import Sam2Segmenter

    class Full:
        image_size, num_feature_levels, num_maskmem, max_obj_ptrs_in_encoder = SIZE_PX, 3, 7, 16

        def forward_image(self, img_batch: torch.Tensor) -> dict[str, list[torch.Tensor]]:
            raise torch.OutOfMemoryError(f"out of memory for {tuple(img_batch.shape)}\nin many lines")

        def track_step(self, **inputs: object) -> Output:
            raise AssertionError("without features there is nothing to track")

    segmenter = Sam2Segmenter(Full(), torch.device("cpu"))
    segmenter.advance(walk[0].image)

    with pytest.raises(ProviderError, match=r"SAM 2 failed on cpu.*\(1, 3, 64, 64\)\. Name a smaller model"):
        segmenter.start(person(50))
