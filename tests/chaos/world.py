"""A user's machine in a folder: a server, caches, a clip, the command line, and a scripted model."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
import psutil

from ravu_kg.graph.export import canonical
from ravu_kg.graph.store import Store
from ravu_kg.server import EmbeddedServer, Endpoint, ServerConfig, cache_dir
from ravu_kg.server.processes import free_port
from tests.chaos.ledger import MissedError
from tests.e2e.models.seeing import Seer
from tests.model_server import ModelServer, Received

CONCURRENCY = 4
"""Calls of a model at once: at most so many may be made again after a kill."""
CALL_S = 0.05
_FIRST_S, _COMMAND_S, _TIMES = 900.0, 240.0, 12.0
_MODEL, _EMBEDDER = "openai:seer", "openai:nomic-embed-text"


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str
    took_s: float

    def must(self, *codes: int) -> Done:
        """The same, if it ended with one of the exit codes."""
        assert self.code in codes, f"exit code {self.code}, not {codes}: {self.err[-1500:]}"
        return self


@dataclass
class Command:
    """A command that runs."""

    process: subprocess.Popen[bytes]
    log: Path
    started_s: float
    patience_s: float

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def children(self) -> list[psutil.Process]:
        """Its child processes, and theirs."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill_after(self, seconds: float) -> None:
        """Let it work for so long, then :meth:`kill` it; raises as that."""
        end_s = self.started_s + seconds
        while self.runs and time.monotonic() < end_s:
            time.sleep(0.005)
        self.kill()

    def kill(self) -> None:
        """End it with SIGKILL; its children, which are to notice, are waited for.

        Raises:
            MissedError: it had ended.
        """
        if not self.runs:
            self.wait()
            raise MissedError
        children = self.children()
        self.process.kill()
        self.process.wait()
        _, orphans = psutil.wait_procs([one for one in children if _is_ours(one)], timeout=60)
        assert not orphans, f"children outlive a killed command by a minute: {orphans}"

    def wait(self) -> Done:
        """What it came to; a command that does not end is killed, which is a loss."""
        try:
            code = self.process.wait(self.patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(
                f"a command hung for {self.patience_s:.0f} s: {self.log.read_text()[-1500:]}"
            ) from None
        out, err = (self.log.with_suffix(suffix).read_text(errors="replace") for suffix in (".out", ".err"))
        return Done(code, out, err, time.monotonic() - self.started_s)


def _is_ours(process: psutil.Process) -> bool:
    """Not the database, which outlives every command on purpose."""
    try:
        return not any("--home-dir=" in argument for argument in process.cmdline())
    except psutil.Error:
        return False


@dataclass
class World:
    """Everything of one run of the chaos, in one folder."""

    folder: Path
    voice: ModelServer
    """Makes vectors, and answers whoever has no model of their own."""
    marker: str = field(default_factory=lambda: f"marker{secrets.token_hex(12)}")
    """The secret of everything: the database's password, and in the keys of the models."""
    patience_s: float = _FIRST_S
    """How long a command may take before it hangs; see :meth:`usual`."""
    _count: int = 0

    def __post_init__(self) -> None:
        for name in ("commands", "caches", "home"):
            (self.folder / name).mkdir()
        bolt_port = free_port()
        self.config = ServerConfig(
            home=self.folder / "home",
            bolt_port=bolt_port,
            http_port=free_port(taken=frozenset({bolt_port})),
            heap_mb=512,
            page_cache_mb=128,
        )
        password = self.folder / "home" / "password"
        password.write_text(self.marker + "\n")
        password.chmod(0o600)
        self.server = EmbeddedServer(self.config)
        self.clip = make_clip(self.folder / "clip.mp4", seconds=64)
        self.warm = self.cache()
        """A cache that may be copied: its sentences have vectors."""

    def usual(self, took_s: float) -> None:
        """A run takes so long here when nothing happens to it."""
        self.patience_s = max(_COMMAND_S, _TIMES * took_s)

    @property
    def key(self) -> str:
        """Of the models."""
        return f"sk-{self.marker}"

    def cache(self, *, warm: bool = False) -> Path:
        """A new cache folder, with what is fetched from elsewhere; a warm one knows the sentences."""
        self._count += 1
        folder = self.folder / "caches" / f"{self._count}"
        folder.mkdir()
        for shared in ("neo4j", "encoders"):
            source = cache_dir() / shared
            source.mkdir(parents=True, exist_ok=True)
            (folder / shared).symlink_to(source, target_is_directory=True)
        if warm and (self.warm / "sentences.sqlite").exists():
            shutil.copyfile(self.warm / "sentences.sqlite", folder / "sentences.sqlite")
        return folder

    def env(self, cache: Path, models: ModelServer | None = None, /, **more: str) -> dict[str, str]:
        """The environment of a user with this cache; with the scripted models where a server is given."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAVU_KG_", "NEO4J_"))}
        config = self.config
        env = {
            **kept,
            "XDG_DATA_HOME": str(self.folder / "data"),
            "RAVU_KG_SERVER__HOME": str(config.home),
            "RAVU_KG_SERVER__BOLT_PORT": str(config.bolt_port),
            "RAVU_KG_SERVER__HTTP_PORT": str(config.http_port),
            "RAVU_KG_SERVER__HEAP_MB": str(config.heap_mb),
            "RAVU_KG_SERVER__PAGE_CACHE_MB": str(config.page_cache_mb),
            "RAVU_KG_CACHE": str(cache),
            "RAVU_KG_MODELS__DETECT": "motion",
            "RAVU_KG_CALLS__CONCURRENCY": str(CONCURRENCY),
            "RAVU_KG_MODELS__EMBED": _EMBEDDER,
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": f"{(models or self.voice).url}/v1",
            "OPENAI_API_KEY": self.key,
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
        }
        if models is not None:
            env["RAVU_KG_MODELS__DESCRIBE"] = _MODEL
        return env | more

    def start(self, env: Mapping[str, str], *arguments: object) -> Command:
        """Begin a command of the product; what it says is kept for the search for secrets."""
        self._count += 1
        log = self.folder / "commands" / f"{self._count}.err"
        program = Path(sys.executable).with_name("ravu-kg")
        with log.open("wb") as err, log.with_suffix(".out").open("wb") as out:
            process = subprocess.Popen(
                [program, *map(str, arguments)],
                env={**env},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        return Command(process, log, time.monotonic(), self.patience_s)

    def run(self, env: Mapping[str, str], *arguments: object) -> Done:
        """A command of the product to its end."""
        return self.start(env, *arguments).wait()

    def name_of(self, build: str) -> str:
        """The id of a build of the clip."""
        return f"{content_id(self.clip)}~{build}"

    @contextmanager
    def store(self, endpoint: Endpoint | None = None) -> Iterator[Store]:
        """The graph; the server is started when it does not run."""
        at = endpoint or self.server.start()
        with Store.connect(at.bolt_uri, at.username, at.password) as store:
            yield store

    def graph(self, build: str, endpoint: Endpoint | None = None) -> dict[str, Any]:
        """The canonical export of a build, without what tells builds apart."""
        with self.store(endpoint) as store:
            video_id = self.name_of(build)
            text = json.dumps(canonical(store, video_id)).replace(video_id, "VIDEO")
        graph: dict[str, Any] = json.loads(text)
        graph["video"].pop("build", None)
        return graph


@contextmanager
def models(seer: Seer | None = None) -> Iterator[ModelServer]:
    """The scripted model that sees any clip."""
    with ModelServer(seer or Seer(), delay_s=CALL_S) as server:
        yield server


@dataclass
class Calls:
    """The calls of one run that is disturbed, counted at the server that answers them."""

    server: ModelServer
    cache: Path
    whole: int
    """How many different calls an undisturbed run makes."""
    kills: int = 0
    _before: int = 0
    _kept: int = 0

    def asked(self) -> list[str]:
        """Every call so far."""
        return _asked(self.server.received)

    def disturbed(self) -> None:
        """To be called when a run has died."""
        time.sleep(2 * CALL_S)  # what had left the dead process has arrived
        self._check()
        self.kills += 1
        self._before, self._kept = len(self.server.received), kept_replies(self.cache)

    def refused(self, answered: int) -> None:
        """To be called when the server refused all calls but the first ones, and the run has ended."""
        time.sleep(2 * CALL_S)
        kept = kept_replies(self.cache)
        assert kept <= answered, f"{kept} replies are kept of {answered} that were given"
        del self.server.received[answered:]
        self.kills += 1
        self._before, self._kept = len(self.server.received), kept

    def ended(self) -> None:
        """To be called when the run is complete: nothing that was kept was asked again.

        Raises:
            AssertionError: it was.
        """
        self._check()
        assert kept_replies(self.cache) == self.whole, f"{kept_replies(self.cache)} of {self.whole} replies are kept"
        again = len(self.asked()) - len(set(self.asked()))
        assert again <= self.kills * CONCURRENCY, f"{again} calls were repeated after {self.kills} faults"

    def _check(self) -> None:
        now = _asked(self.server.received[self._before :])
        assert len(now) == len(set(now)), "a run asked the same twice"
        room = self.whole - self._kept
        assert len(now) <= room, f"{len(now)} calls were made, but only {room} had no reply that was kept"


def _asked(received: Sequence[Received]) -> list[str]:
    """What language models were asked, each by all of its content."""
    asked = [(one.path, one.raw) for one in received if one.protocol != "openai_embeddings"]
    return [hashlib.sha256(json.dumps(one, sort_keys=True).encode()).hexdigest() for one in asked]


def kept_replies(cache: Path) -> int:
    """How many replies of models are kept in a cache folder."""
    file = cache / "replies.sqlite"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'reply'").fetchone()[0]:
            return 0
        return int(connection.execute("SELECT count(*) FROM reply").fetchone()[0])


def content_id(path: Path) -> str:
    """The id of a video file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def make_clip(path: Path, *, seconds: float, size: tuple[int, int] = (160, 120)) -> Path:
    """A clip with two squares that pass a grey ground again and again; no two are the same video."""
    width, height = size
    with av.open(str(path), "w") as container:
        container.metadata["comment"] = secrets.token_hex(16)
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(round(seconds * 10)):
            image = np.full((height, width, 3), 60, np.uint8)
            for top, start, color in ((15, 0, (220, 40, 40)), (70, 70, (40, 60, 220))):
                left = (start + number) % (2 * width) - 34  # through the picture, then away as long
                image[top : top + 34, max(0, left) : max(0, left + 34)] = color
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image)))
        container.mux(stream.encode())
    return path
