"""Keys and passwords stay where they belong: not in what is said, written, kept, sent on or shown in a process list."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ravu_kg.memory import VideoMemory
from ravu_kg.server import Endpoint
from tests.chaos.secrecy import holds
from tests.e2e.conftest import MakeClip, Ravu
from tests.e2e.models.seeing import Seer
from tests.model_server import Fault, ModelServer

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

KEY = "sk-marker5d0f5a1c9b7e4f68"


@pytest.fixture
def endpoint(memory: VideoMemory) -> Endpoint:
    assert memory.endpoint is not None
    return memory.endpoint


@pytest.fixture
def user(
    ravu: Ravu, fresh_cache: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Ravu, ModelServer]]:
    """A user with a cache of their own and a model that can be told to refuse the key, quoting it."""
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with ModelServer(Seer()) as server:
        env = {
            **ravu.env,
            "RAVU_KG_CACHE": fresh_cache["RAVU_KG_CACHE"],
            "RAVU_KG_MODELS__DETECT": "motion",
            "RAVU_KG_MODELS__DESCRIBE": "openai:seer",
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": f"{server.url}/v1",
            "RAVU_KG_CALLS__RETRIES": "1",
            "OPENAI_API_KEY": KEY,
        }
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        yield Ravu(env), server


def test_a_key_and_a_password_are_nowhere_but_in_their_file(
    user: tuple[Ravu, ModelServer], memory: VideoMemory, endpoint: Endpoint, make_clip: MakeClip, tmp_path: Path
) -> None:
    ravu, server = user
    clip = make_clip("secret.mp4", seconds=3)
    seen: set[str] = set()
    end = threading.Event()
    watch = threading.Thread(target=_look, args=((KEY, endpoint.password), seen, end))
    watch.start()
    said: list[str] = []
    try:
        answer, server.answer = server.answer, lambda received: Fault.error(401, f"Incorrect API key provided: {KEY}")
        said += _words(ravu, "index", clip, code=5)
        said += _words(ravu, "--debug", "index", clip, code=5)
        server.answer = answer
        said += _words(ravu, "index", clip)
        said += _words(ravu, "ask", clip, "What moves?", "--json")
        said += _words(ravu, "config", "show")
        said += _words(ravu, "db", "status")
        said += _words(ravu, "export", "bundle", clip, "-o", tmp_path / "secret.ravu")
        said += _words(ravu, "videos", "report", clip, "-o", tmp_path / "secret.html")
    finally:
        end.set()
        watch.join()
    rows = memory.cypher(
        "MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS 'marker5d0f5a1c9b7e4f68') RETURN n"
    ).rows
    memory.delete(memory.resolve(str(clip)))
    assert not seen
    assert not rows
    assert not [words for words in said if KEY in words or endpoint.password in words]
    home = Path(ravu.env["RAVU_KG_SERVER__HOME"])
    written = [path for folder in (tmp_path, home) for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".ravu" for path in written)
    assert not [path for path in written if not _is_fetched(path) and holds(path, KEY.encode())]
    with_password = [path for path in written if not _is_fetched(path) and holds(path, endpoint.password.encode())]
    assert with_password == [home / "password"]


def test_a_changed_password_is_told_with_its_file_and_without_any_password(
    user: tuple[Ravu, ModelServer], endpoint: Endpoint
) -> None:
    ravu, _ = user
    file = Path(ravu.env["RAVU_KG_SERVER__HOME"]) / "password"
    file.write_text("another-password-0123456789")
    try:
        (words,) = _words(ravu, "search", "a dog", code=6)
    finally:
        file.write_text(endpoint.password + "\n")
    assert str(file) in words
    assert "another-password" not in words
    assert endpoint.password not in words


def test_what_keeps_secrets_is_the_owners_alone(ravu: Ravu, endpoint: Endpoint) -> None:
    home = Path(ravu.env["RAVU_KG_SERVER__HOME"])
    for path in (home / "password", *(home / "conf").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def _words(ravu: Ravu, *arguments: object, code: int = 0) -> list[str]:
    done = ravu(*arguments, code=code)
    traceback = "".join(str(one) for one in (done.exception, *getattr(done.exception, "__notes__", ())))
    return [done.stdout + done.stderr + traceback]


def _look(secrets: tuple[str, ...], seen: set[str], end: threading.Event) -> None:
    while not end.wait(0.2):
        for process in psutil.process_iter(["cmdline"]):
            line = " ".join(process.info["cmdline"] or ())
            seen.update(line for secret in secrets if secret in line)


def _is_fetched(path: Path) -> bool:
    """Whether it is one of the large files that all tests share by a link, as the weights are."""
    return any(parent.is_symlink() for parent in path.parents)
