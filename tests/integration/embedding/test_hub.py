"""The hub's own client against a server on this machine that answers as the hub does."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.serving import serving

FILES = {"model.safetensors": b"weights " * 5000, "tokenizer.json": b"{}"}
REVISION = "1" * 40

PROGRAM = """
import hashlib, sys
from pathlib import Path
from ravu_kg.providers.encoder_weights import Published, obtain
files = {"model.safetensors": b"weights " * 5000, "tokenizer.json": b"{}"}
model = Published(
    name="tiny", repository="nobody/tiny", revision="1" * 40,
    sha256={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    packages=("ravu-test-none",), requirements=Path("none.txt"), download_mb=1,
)
obtain(model, Path(sys.argv[1]), print)
"""


class Hub(BaseHTTPRequestHandler):
    asked: list[str]
    content = FILES

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        type(self).asked.append(f"{self.command} {self.path}")
        name = self.path.rpartition("/")[2]
        data = self.content.get(name)
        if data is None or not self.path.startswith(f"/nobody/tiny/resolve/{REVISION}/"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", REVISION)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def hub() -> Iterator[tuple[str, type[Hub]]]:
    class Fresh(Hub):
        asked: list[str] = []  # noqa: RUF012

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Fresh)) as server:
        yield f"http://127.0.0.1:{server.server_port}", Fresh


def run(folder: Path, tmp_path: Path, endpoint: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # A new process: the client reads its environment once.
    online = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path / "hf"), "HF_ENDPOINT": endpoint}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env={**online, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_hub_gives_the_pinned_revision_and_is_asked_for_nothing_else(
    hub: tuple[str, type[Hub]], tmp_path: Path
) -> None:
    endpoint, server = hub
    result = run(tmp_path / "cache" / "tiny", tmp_path, endpoint)
    assert result.returncode == 0, result.stderr
    assert {name: (tmp_path / "cache" / "tiny" / name).read_bytes() for name in FILES} == FILES
    assert "Fetching tiny (1 MB) from the hub" in result.stdout
    assert {path.split()[1] for path in server.asked} == {f"/nobody/tiny/resolve/{REVISION}/{name}" for name in FILES}


def test_what_the_hubs_own_cache_has_is_used_offline(hub: tuple[str, type[Hub]], tmp_path: Path) -> None:
    endpoint, server = hub
    run(tmp_path / "first" / "tiny", tmp_path, endpoint)
    server.asked.clear()
    result = run(tmp_path / "second" / "tiny", tmp_path, endpoint, HF_HUB_OFFLINE="1")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "second" / "tiny" / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert not server.asked


def test_a_hub_with_another_content_is_refused(hub: tuple[str, type[Hub]], tmp_path: Path) -> None:
    endpoint, server = hub
    server.content = {**FILES, "model.safetensors": b"evil"}
    result = run(tmp_path / "cache" / "tiny", tmp_path, endpoint)
    assert "is not the published file" in result.stderr
    assert not (tmp_path / "cache" / "tiny" / "model.safetensors").exists()


def test_offline_means_that_nobody_is_asked(hub: tuple[str, type[Hub]], tmp_path: Path) -> None:
    endpoint, server = hub
    result = run(tmp_path / "cache" / "tiny", tmp_path, endpoint, HF_HUB_OFFLINE="1")
    assert "not on this machine" in result.stderr
    assert not server.asked


def test_an_absent_hub_is_given_up_at_once(tmp_path: Path) -> None:
    start = time.monotonic()
    result = run(tmp_path / "cache" / "tiny", tmp_path, "http://127.0.0.1:9")
    assert "not on this machine" in result.stderr
    assert time.monotonic() - start < 15  # the client alone tries for 23 s


def test_a_hub_that_breaks_off_is_no_source(hub: tuple[str, type[Hub]], tmp_path: Path) -> None:
    endpoint, server = hub
    server.content = {"model.safetensors": FILES["model.safetensors"]}
    result = run(tmp_path / "cache" / "tiny", tmp_path, endpoint)
    assert "The hub broke off" in result.stdout
    assert "not on this machine" in result.stderr
