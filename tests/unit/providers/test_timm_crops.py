"""Appearance models of timm, with a tiny model whose weights the test makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError, ProviderError
from ravu_kg.plugins import fetch, load_appearance_model
from tests.builders import save_tiny_appearance_model

TINY = "timm:test_vit.r160_in1k"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_appearance_model(tmp_path_factory.mktemp("weights"))


def test_pictures_of_any_size_become_unit_vectors_that_tell_them_apart(weights: Path) -> None:
    model = load_appearance_model(TINY, {"timm": {"weights": str(weights)}})
    assert model.name == TINY
    random = np.random.default_rng(7)
    noise = random.integers(0, 255, (90, 40, 3)).astype(np.uint8)
    flat = np.full((300, 500, 3), (200, 30, 30), np.uint8)
    vectors = model.embed([noise, flat, flat[:40, :40]] + [noise] * 17)  # more than one batch
    assert vectors.shape[0] == 20
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(20), abs=1e-5)
    assert vectors[1] @ vectors[2] == pytest.approx(1.0, abs=1e-4)  # the same but for its size
    assert vectors[0] @ vectors[19] == pytest.approx(1.0, abs=1e-4)  # whatever the batch
    assert vectors[0] @ vectors[1] < 0.99


def test_what_is_wrong_says_what_to_do(weights: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no model 'resnet_of_mine'"):
        load_appearance_model("timm:resnet_of_mine", {})
    with pytest.raises(ConfigurationError, match="no option size"):
        load_appearance_model(TINY, {"timm": {"size": 3}})
    with pytest.raises(ProviderError, match="is not there"):
        load_appearance_model(TINY, {"timm": {"weights": str(tmp_path / "gone.safetensors")}})
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(ProviderError, match="does not hold the weights of test_vit"):
        load_appearance_model(TINY, {"timm": {"weights": str(broken)}})


def test_weights_that_were_not_fetched_are_not_fetched_on_the_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ProviderError, match=r"not on this machine.*doctor --fetch appearance"):
        load_appearance_model(TINY, {})
    with pytest.raises(ProviderError, match="cannot be had"):
        fetch("appearance model", TINY, {}, lambda _line: None)
