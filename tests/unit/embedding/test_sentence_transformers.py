"""The provider with its real weights, beside sentence-transformers itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from encoders import original_folder, real_embedder

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.plugins import load_embedder
from ravu_kg.protocols import Embedder
from ravu_kg.providers.sentence_transformers import PUBLISHED, create, fetch, is_ready
from ravu_kg.settings import load

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

HAPPY = ("That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day")
MODELS = {"all-mpnet-base-v2": (768, (0.764, 0.967, 0.315)), "all-MiniLM-L6-v2": (384, (0.6946, 0.9429, 0.2569))}
LINE = "the person in a red coat walks slowly past table 2 and stops beside two bicycles near the left border"
WORDS = LINE.split()
TEXTS = [
    *HAPPY,
    "",
    " ",
    "dog",
    "?!...",
    "Who comes after the first person leaves?",
    "MATCH (n) DETACH DELETE n // $param {a: 'b'}",
    "Où est le chien? Der Hund liegt still. 狗在哪里?",
    "emoji 🚲🚶 and a long-hyphenated-word",
    "tab\tand\nnew line",
    "supercalifragilisticexpialidocious " * 3,
    "x" * 300,
    *(" ".join(WORDS[start : start + count]) for start in range(5) for count in (1, 3, 6, 9, 14)),
    *(f"{LINE} at second {second}." for second in range(8)),
    f"{LINE}, " * 4,
    "so " * 600 + LINE,
]


def cosines(vectors: np.ndarray) -> np.ndarray:
    return vectors @ vectors.T


@pytest.fixture(scope="module", params=MODELS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Embedder, SentenceTransformer]:
    from sentence_transformers import SentenceTransformer

    embedder = real_embedder(request.config, request.param)
    folder = original_folder(request.config, request.param, tmp_path_factory.mktemp("original"))
    return embedder, SentenceTransformer(str(folder), device="cpu")


def test_vectors_are_those_of_sentence_transformers(pair: tuple[Embedder, SentenceTransformer]) -> None:
    embedder, original = pair
    vectors = embedder.embed(TEXTS, "document")
    expected = original.encode(TEXTS, normalize_embeddings=True, batch_size=4)  # it pads a batch to its longest text
    assert len(TEXTS) >= 50
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(cosines(vectors), cosines(expected), atol=1e-4)
    np.testing.assert_allclose(vectors, expected, atol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_the_known_scores_come_out(pytestconfig: pytest.Config, model: str) -> None:
    embedder = real_embedder(pytestconfig, model)
    vectors = embedder.embed(HAPPY, "query")
    dimensions, scores = MODELS[model]
    assert (embedder.name, embedder.dimensions) == (f"sentence-transformers:{model}", dimensions)
    assert vectors[1:] @ vectors[0] == pytest.approx(scores, abs=6e-4)


def test_a_vector_does_not_depend_on_what_else_is_asked(embedder: Embedder) -> None:
    texts = [*TEXTS[:10], f"{LINE}, " * 3]
    together = embedder.embed(texts, "document")
    for position in (0, 4, 10):
        alone = embedder.embed([texts[position]], "document")
        np.testing.assert_allclose(alone[0], together[position], atol=1e-5)


def test_odd_texts_are_embedded(embedder: Embedder) -> None:
    vectors = embedder.embed(["\ud800", "\x00", "a" * 10_000], "query")
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([], "query").shape == (0, 768)


def test_plugins_find_it_and_no_model_means_the_papers(real_cache: Path, embedder: Embedder) -> None:
    options = {"sentence-transformers": {"cache": real_cache}}
    assert load_embedder("sentence-transformers", options).name == "sentence-transformers:all-mpnet-base-v2"
    full = load_embedder("sentence-transformers:sentence-transformers/all-mpnet-base-v2", options)
    assert full.name == "sentence-transformers:all-mpnet-base-v2"


def test_neither_import_nor_creation_loads_a_library_of_models(real_cache: Path, embedder: Embedder) -> None:
    program = (
        "import sys; import ravu_kg; from ravu_kg.providers.sentence_transformers import create\n"
        "embedder = create('', {'cache': sys.argv[1]}); dimensions = embedder.dimensions\n"
        "print(dimensions, sorted({'torch', 'onnxruntime', 'tokenizers', 'huggingface_hub'} & sys.modules.keys()))\n"
        "embedder.embed(['a person'], 'query')\n"
        "print('onnxruntime' in sys.modules, {'torch', 'transformers'} & sys.modules.keys())"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(real_cache)], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines() == ["768 []", "True set()"]


def test_the_cache_folder_may_be_set_by_the_environment(
    real_cache: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAVU_KG_CACHE", str(real_cache))
    assert is_ready("", {})
    assert fetch("", print, {}) == real_cache / "encoders" / "all-mpnet-base-v2"
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path))
    assert not is_ready("", {})


def test_the_default_cache_folder_is_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, real_cache: Path, embedder: Embedder
) -> None:
    monkeypatch.delenv("RAVU_KG_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not is_ready("all-mpnet-base-v2", {})
    (tmp_path / "ravu-kg").symlink_to(real_cache)
    assert is_ready("all-mpnet-base-v2", {})


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_command_that_fetches_an_encoder_chooses_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # no settings file
    monkeypatch.delenv("RAVU_KG_MODELS__EMBED", raising=False)
    for word in PUBLISHED[name].fetched_by.split():
        if "=" in word:
            monkeypatch.setenv(*word.split("="))
    assert load().models.embed == f"sentence-transformers:{name}"


def test_damaged_weights_are_named(tmp_path: Path, real_cache: Path, embedder: Embedder) -> None:
    from ravu_kg.providers.encoder import Encoder

    (tmp_path / "model.safetensors").write_bytes(b"short")
    with pytest.raises(ProviderError, match="cannot be loaded"):
        Encoder(Path(sys.modules[create.__module__].__file__ or "").parent / "encoders" / "all-MiniLM-L6-v2", tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"thread": 1}, "no option thread. It has: cache, threads"),
        ({"threads": -1}, "threads must be"),
        ({"threads": "2"}, "threads must be"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        create("", options)


def test_another_model_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ravu-kg\[sentence-transformers\]'"):
        create("paraphrase-MiniLM-L3-v2", {"cache": tmp_path})
    assert not is_ready("paraphrase-MiniLM-L3-v2", {"cache": tmp_path})


@pytest.fixture(scope="module")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small encoder with random weights, first-token pooling, a dense layer and prompts."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Dense, Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("own")
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted(set(WORDS))])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder / "base")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=40,
    )
    BertModel(config).save_pretrained(folder / "base")
    SentenceTransformer(
        modules=[
            Transformer(str(folder / "base"), max_seq_length=24),
            Pooling(32, pooling_mode="cls"),
            Dense(32, 16),
        ],
        prompts={"query": "person ", "document": "table "},
        device="cpu",
    ).save(str(folder / "model"))
    return folder / "model"


@pytest.fixture(scope="module")
def exported(own_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder into which that model was exported."""
    cache = tmp_path_factory.mktemp("exported")
    assert not is_ready(str(own_model), {"cache": cache})
    create(str(own_model), {"cache": cache})
    return cache


def test_another_model_is_exported_once_and_then_needs_no_torch(
    own_model: Path, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sentence_transformers import SentenceTransformer

    original = SentenceTransformer(str(own_model), device="cpu")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = create(str(own_model), {"cache": exported})
    assert is_ready(str(own_model), {"cache": exported})
    assert embedder.dimensions == 16
    texts = [" ".join(WORDS[:count]) for count in (0, 1, 5, 12, 19)] + [LINE * 2]
    for kind in ("query", "document"):
        expected = original.encode(texts, prompt_name=kind, normalize_embeddings=True)
        np.testing.assert_allclose(embedder.embed(texts, kind), expected, atol=1e-5)
    assert fetch(str(own_model), print, {"cache": exported}).parent == exported / "encoders"


def test_a_changed_model_is_not_taken_for_the_exported_one(own_model: Path, exported: Path) -> None:
    settings = own_model / "config_sentence_transformers.json"
    before, state = settings.read_text(), settings.stat()
    settings.write_text(json.dumps({**json.loads(before), "prompts": {"query": "", "document": ""}}))
    assert not is_ready(str(own_model), {"cache": exported})
    settings.write_text(before)
    os.utime(settings, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert is_ready(str(own_model), {"cache": exported})


def test_a_graph_can_share_the_weights_of_the_model(own_model: Path, tmp_path: Path) -> None:
    from ravu_kg.providers.encoder import Encoder
    from ravu_kg.providers.encoder_export import main

    model = tmp_path / "model"
    shutil.copytree(own_model, model)
    # Without the dense layer, whose weights lie in a file of their own.
    modules = json.loads((model / "modules.json").read_text())
    (model / "modules.json").write_text(json.dumps(modules[:2]))
    main([str(model), str(tmp_path / "graph")])  # compares the vectors with torch's
    assert {path.name for path in (tmp_path / "graph").iterdir()} == {"graph.onnx", "encoder.json"}
    assert Encoder(tmp_path / "graph", model).encode([LINE]).shape == (1, 32)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProviderError, match="cannot load the model"):
        create(str(tmp_path / "empty"), {"cache": tmp_path})


def test_shipped_graphs_are_small_and_hold_no_path(pytestconfig: pytest.Config) -> None:
    graphs = list((pytestconfig.rootpath / "ravu_kg" / "providers" / "encoders").glob("*/graph.onnx"))
    assert {graph.parent.name for graph in graphs} == PUBLISHED.keys()
    for graph in graphs:
        assert graph.stat().st_size < 500_000
        assert b".py" not in graph.read_bytes()
