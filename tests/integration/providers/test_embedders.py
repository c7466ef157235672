from __future__ import annotations

import numpy as np
import pytest

from ravu_kg.errors import ProviderError
from ravu_kg.protocols import Embedder
from ravu_kg.providers import abilities, gemini, openai
from tests.model_server import DIMENSIONS, Fault, ModelServer, Received, bags_of_words, says_nothing

FACTORIES = {
    "gemini": ("gemini-embedding-001", gemini.create_embedder, ""),
    "openai": ("nomic-embed-text", openai.create_embedder, "/v1"),
}


@pytest.fixture(params=FACTORIES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def embedder(name: str, server: ModelServer, model: str = "", **options: object) -> Embedder:
    usual, create, path = FACTORIES[name]
    return create(model or usual, {"base_url": server.url + path, **options})


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(name: str) -> None:
    texts = ["a dog runs", "the dog runs", "coffee is poured"]
    with ModelServer(says_nothing) as server:
        rows = embedder(name, server).embed(texts, "document")
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert rows[0] @ rows[1] > 0.6 > 0.2 > rows[0] @ rows[2]
    assert [received.texts for received in server.received][-1] == texts


def test_many_texts_go_in_batches(name: str) -> None:
    texts = [f"text {number}" for number in range(300)]
    with ModelServer(says_nothing) as server:
        made = embedder(name, server)
        assert made.dimensions > 0
        before = len(server.received)
        rows = made.embed(texts, "document")
    sizes = [len(received.texts) for received in server.received[before:]]
    assert len(rows) == sum(sizes) == 300
    assert 3 <= len(sizes) <= 5
    assert max(sizes) <= (100 if name == "gemini" else 2048)
    assert [text for received in server.received[before:] for text in received.texts] == texts


def test_no_texts_make_no_vectors(name: str) -> None:
    with ModelServer(says_nothing) as server:
        made = embedder(name, server)
        assert made.embed([], "query").shape == (0, made.dimensions)


@pytest.mark.parametrize(
    ("name", "model", "options", "dimensions"),
    [
        ("openai", "text-embedding-3-small", {}, 1536),
        ("openai", "text-embedding-3-large", {}, 3072),
        ("openai", "text-embedding-3-large", {"dimensions": 256}, 256),
        ("gemini", "gemini-embedding-001", {}, 768),
        ("gemini", "gemini-embedding-2", {"dimensions": 1536}, 1536),
    ],
)
def test_known_dimensions_are_not_asked_for(name: str, model: str, options: dict[str, object], dimensions: int) -> None:
    with ModelServer(says_nothing) as server:
        made = embedder(name, server, model, **options)
        assert made.dimensions == dimensions
        assert server.received == []


def test_chosen_dimensions_are_asked_of_the_server_and_named(name: str) -> None:
    with ModelServer(says_nothing) as server:
        made = embedder(name, server, dimensions=32)
        assert made.embed(["a dog"], "query").shape == (1, 32)
    assert made.name.endswith("@32")


def test_unknown_dimensions_are_asked_for_once_for_all_processes() -> None:
    with ModelServer(says_nothing) as server:
        first = embedder("openai", server)
        assert [first.dimensions, first.dimensions] == [DIMENSIONS] * 2
        abilities.forget()
        assert embedder("openai", server).dimensions == DIMENSIONS
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("model", "task", "text"),
    [
        ("gemini-embedding-001", "RETRIEVAL_QUERY", "a dog"),
        ("gemini-embedding-2", None, "task: search result | query: a dog"),
    ],
)
def test_gemini_is_told_what_a_text_is_for(model: str, task: str | None, text: str) -> None:
    with ModelServer(says_nothing) as server:
        embedder("gemini", server, model).embed(["a dog"], "query")
    (received,) = server.received
    assert received.texts == [text]
    assert received.raw["requests"][0].get("taskType") == task  # type: ignore[index]


def test_each_text_has_a_vector_of_its_own_with_multimodal_encoders() -> None:
    with ModelServer(says_nothing) as server:
        rows = embedder("gemini", server, "gemini-embedding-2").embed(["a dog", "two cats"], "document")
    assert rows.shape == (2, 768)
    assert rows[0] @ rows[1] < 0.99


def test_an_empty_text_has_a_vector(name: str) -> None:
    with ModelServer(says_nothing) as server:
        rows = embedder(name, server).embed(["", "a dog"], "document")
    assert np.isfinite(rows).all()
    assert "" not in server.received[-1].texts


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [Fault.rate_limited(retry_after_s=0.1), Fault.server_error(503, retry_after_s=0.1), Fault.reset_midway("x")],
    ids=["429", "503", "reset"],
)
def test_what_may_pass_is_tried_again(name: str, fault: Fault) -> None:
    faults = iter([fault])
    with ModelServer(says_nothing, embed=lambda received: next(faults, None) or bags_of_words(received)) as server:
        rows = embedder(name, server, dimensions=16).embed(["a dog"], "query")
    assert rows.shape == (1, 16)
    assert len(server.received) == 2


def test_a_wait_that_is_asked_for_is_kept() -> None:
    faults = iter([Fault.rate_limited(retry_after_s=1)])
    with ModelServer(says_nothing, embed=lambda received: next(faults, None) or bags_of_words(received)) as server:
        embedder("openai", server, dimensions=16).embed(["a dog"], "query")
    first, second = server.received
    assert second.at_s - first.at_s >= 1


@pytest.mark.parametrize("fault", [Fault.expired_key(), Fault.unknown_model(), Fault.out_of_quota()])
def test_what_does_not_pass_ends_at_once(name: str, fault: Fault) -> None:
    with (
        ModelServer(says_nothing, embed=lambda _: fault) as server,
        pytest.raises(ProviderError, match=name) as caught,
    ):
        embedder(name, server, dimensions=16).embed(["a dog"], "query")
    assert not caught.value.retryable
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1.0] * 16], "1 vectors of 16 numbers, not 2 of 16"),
        ([[1.0] * 8] * 2, "2 vectors of 8 numbers, not 2 of 16"),
        ([[0.0] * 16] * 2, "without a direction"),
    ],
    ids=["too few", "too short", "zeros"],
)
def test_vectors_that_cannot_be_used_are_an_error(name: str, rows: list[list[float]], words: str) -> None:
    def embed(_: Received) -> list[list[float]]:
        return rows

    with ModelServer(says_nothing, embed=embed) as server, pytest.raises(ProviderError, match=words):
        embedder(name, server, dimensions=16).embed(["a dog", "a cat"], "document")
