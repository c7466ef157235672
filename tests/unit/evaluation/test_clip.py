"""CLIP as open_clip loads it, with a model that is tiny and random: the code is checked, not what it finds."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.evaluation.methods import clip as clip_module
from ravu_kg.evaluation.methods import make_method
from ravu_kg.evaluation.methods.clip import ClipModel, load_clip

CONFIG = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "patch_size": 16, "head_width": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1},
}
MODEL = "tiny-of-unit-tests"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    open_clip, torch = import_module("open_clip"), import_module("torch")
    folder = tmp_path_factory.mktemp("clip")
    (folder / f"{MODEL}.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    open_clip.add_model_config(folder / f"{MODEL}.json")
    torch.manual_seed(0)
    torch.save(open_clip.model.CLIP(**CONFIG).state_dict(), folder / "weights.pt")
    return folder / "weights.pt"


@pytest.fixture(scope="module")
def model(weights: Path) -> ClipModel:
    return load_clip(f"{MODEL}:{weights}")


def test_pictures_and_texts_become_unit_vectors_of_one_space(model: ClipModel):
    random = np.random.default_rng(0)
    images = [random.integers(0, 255, (40, 60, 3), np.uint8), np.zeros((50, 20, 3), np.uint8)]
    pictures, texts = model.pictures(images), model.texts(["a dog", "a cat", "a dog"])
    assert pictures.shape == (2, 16)
    assert texts.shape == (3, 16)
    assert np.allclose(np.linalg.norm(np.concatenate([pictures, texts]), axis=1), 1, atol=1e-5)
    assert np.allclose(texts[0], texts[2])
    assert not np.allclose(texts[0], texts[1])
    assert not np.allclose(pictures[0], pictures[1])


def test_the_same_weights_give_the_same_vectors(model: ClipModel, weights: Path):
    again = load_clip(f"{MODEL}:{weights}")
    assert np.allclose(model.texts(["a dog"]), again.texts(["a dog"]), atol=1e-6)


def test_weights_that_are_none_name_those_there_are():
    with pytest.raises(ConfigurationError, match=r"There are: merged2b_s4b_b131k"):
        load_clip("EVA02-L-14:none")
    with pytest.raises(ConfigurationError, match=r"no model 'EVA02-L'. Like it are: EVA02-"):
        make_method("clip", seconds=5, clip_model="EVA02-L:none")


def test_a_file_that_holds_no_weights(weights: Path, tmp_path: Path):
    broken = tmp_path / "broken.pt"
    broken.write_bytes(b"no weights")
    with pytest.raises(ProviderError, match=r"cannot be loaded: .*--clip-model MODEL:FILE"):
        load_clip(f"{MODEL}:{broken}")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(clip_module, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"ravu-kg\[clip\]"):
        load_clip()
