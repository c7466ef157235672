from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.types import FloatArray


class Doubled:
    """An embedder whose vectors tell the text's length and which remembers what it was asked."""

    def __init__(self, name: str = "test:length", dimensions: int = 3) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], kind: str) -> FloatArray:
        assert kind == "document"
        self.asked += texts
        return np.array([[len(text), *[0.5] * (self.dimensions - 1)] for text in texts], np.float32)


def vector(*numbers: float) -> FloatArray:
    return np.array(numbers, np.float32)


def test_a_vector_comes_back_bit_for_bit_in_another_run(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "sentences.sqlite3"
    with SentenceCache(path) as cache:
        cache.put("a", {"hello": vector(0.1, 1 / 3), "": vector(1, 0), "schön \ud800": vector(0, 1)})
    with SentenceCache(path) as cache:
        found = cache.get("a", ["hello", "unknown", "", "schön \ud800"], 2)
    assert {text: list(row) for text, row in found.items()} == {
        "hello": list(vector(0.1, 1 / 3)),
        "": [1, 0],
        "schön \ud800": [0, 1],
    }


def test_embedders_and_dimensions_are_kept_apart(tmp_path: Path) -> None:
    with SentenceCache(tmp_path / "c") as cache:
        cache.put("a", {"x": vector(1, 2)})
        assert not cache.get("b", ["x"], 2)
        assert not cache.get("a", ["x"], 3)
        assert list(cache.get("a", ["x"], 2)["x"]) == [1, 2]


def test_thousands_of_sentences_are_found_at_once(tmp_path: Path) -> None:
    texts = [f"sentence {number}" for number in range(2345)]
    with SentenceCache(tmp_path / "c") as cache:
        cache.put("a", {text: vector(position) for position, text in enumerate(texts)})
        found = cache.get("a", texts, 1)
    assert [float(found[text][0]) for text in texts] == list(range(2345))


def test_sentences_are_not_readable_in_the_file(tmp_path: Path) -> None:
    with SentenceCache(tmp_path / "c") as cache:
        cache.put("a", {"the secret of the house": vector(1)})
    assert b"secret" not in (tmp_path / "c").read_bytes()


def test_a_file_that_is_no_database_is_made_anew_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    warnings: list[str] = []
    with SentenceCache(path, warnings.append) as cache:
        cache.put("a", {"x": vector(1)})
        assert list(cache.get("a", ["x"], 1)) == ["x"]
    (line,) = warnings
    assert str(path) in line
    assert "made anew" in line


def test_a_database_damaged_inside_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with SentenceCache(path) as cache:
        cache.put("a", {f"sentence {number}": vector(*range(500)) for number in range(50)})
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    warnings: list[str] = []
    with SentenceCache(path, warnings.append) as cache:
        assert not cache.get("a", ["sentence 1"], 500)
        cache.put("a", {"x": vector(1)})
        assert list(cache.get("a", ["x"], 1)) == ["x"]
    assert len(warnings) == 1


def test_a_cache_that_cannot_be_used_does_not_stop_the_work(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    warnings: list[str] = []
    with SentenceCache(tmp_path / "c", warnings.append) as cache:
        vectors = embed_all(["a", "bb"], Doubled(), cache)
    assert list(vectors[:, 0]) == [1, 2]
    assert any("cannot be used" in line for line in warnings)


def test_a_locked_file_is_not_taken_for_a_damaged_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ravu_kg.graph.embedding._WAIT_S", 0.05)
    path = tmp_path / "c"
    warnings: list[str] = []
    with SentenceCache(path, warnings.append) as cache:
        cache.put("a", {"x": vector(1)})
        other = sqlite3.connect(path)
        other.execute("BEGIN EXCLUSIVE")
        cache.put("a", {"y": vector(2)})
        other.close()
        assert list(cache.get("a", ["x", "y"], 1)) == ["x"]
    assert ["cannot be used" in line for line in warnings] == [True]


def test_processes_and_threads_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "c"
    program = (
        "import sys, numpy as np; from pathlib import Path; from ravu_kg.graph.embedding import SentenceCache\n"
        "cache = SentenceCache(Path(sys.argv[1]), lambda line: sys.exit(line))\n"
        "for number in range(60): cache.put('a', {f'{sys.argv[2]} {number}': np.array([number], np.float32)})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("left", "right")]
    with SentenceCache(path) as cache, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: cache.put("a", {f"thread {number}": vector(number)}), range(40)))
        assert [writer.wait() for writer in writers] == [0, 0]
        names = [f"{name} {number}" for name in ("left", "right") for number in range(60)]
        names += [f"thread {number}" for number in range(40)]
        assert cache.get("a", names, 1).keys() == set(names)


def test_equal_sentences_are_embedded_once_and_the_order_is_kept() -> None:
    embedder = Doubled()
    texts = ["ccc", "a", "ccc", "bb", "a", "", "ccc"]
    vectors = embed_all(texts, embedder, None)
    assert list(vectors[:, 0]) == [3, 1, 3, 2, 1, 0, 3]
    assert sorted(embedder.asked) == ["", "a", "bb", "ccc"]
    assert vectors.dtype == np.float32


def test_no_sentences_give_an_empty_array() -> None:
    assert embed_all([], Doubled(dimensions=5), None).shape == (0, 5)


def test_known_sentences_are_not_embedded_again(tmp_path: Path) -> None:
    with SentenceCache(tmp_path / "c") as cache:
        embed_all(["a", "bb"], Doubled(), cache)
        again = Doubled()
        vectors = embed_all(["bb", "ccc", "a"], again, cache)
        other = Doubled(name="test:other")
        embed_all(["a"], other, cache)
    assert again.asked == ["ccc"]
    assert list(vectors[:, 0]) == [2, 3, 1]
    assert other.asked == ["a"]


def test_progress_rises_to_one() -> None:
    shares: list[float] = []
    embed_all([f"sentence {number}" for number in range(700)], Doubled(), None, shares.append)
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] == 1
    shares.clear()
    embed_all([], Doubled(), None, shares.append)
    assert shares == [1]


def test_what_was_embedded_before_an_interruption_is_kept(tmp_path: Path) -> None:
    texts = [f"sentence {number:04}" for number in range(600)]

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with SentenceCache(tmp_path / "c") as cache:
        with pytest.raises(KeyboardInterrupt):
            embed_all(texts, Doubled(), cache, interrupt)
        rest = Doubled()
        embed_all(texts, rest, cache)
    assert 0 < len(rest.asked) < 600


class Wrong(Doubled):
    def __init__(self, result: FloatArray) -> None:
        super().__init__()
        self.result = result

    def embed(self, texts: Sequence[str], kind: str) -> FloatArray:
        return self.result


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (np.zeros((1, 4), np.float32), r"shape \(1, 4\)"),
        (np.zeros((2, 3), np.float32), r"shape \(2, 3\)"),
        (np.array([[1, np.nan, 0]], np.float32), "not finite"),
    ],
)
def test_vectors_that_cannot_be_right_are_refused(tmp_path: Path, result: FloatArray, said: str) -> None:
    from ravu_kg.errors import ProviderError

    with SentenceCache(tmp_path / "c") as cache:
        with pytest.raises(ProviderError, match=said):
            embed_all(["a"], Wrong(result), cache)
        assert not cache.get("test:length", ["a"], 3)
