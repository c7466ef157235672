"""The marker that is password and key everywhere: nowhere but in the files that are there to keep it."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil

from tests.chaos.ledger import Ledger
from tests.chaos.runs import Runs
from tests.chaos.world import World

KIND = "secrets"
_CHUNK = 1 << 20


class ArgumentWatch:
    """Looks at the arguments of every process as long as the context lasts."""

    def __init__(self, marker: str) -> None:
        self._marker = marker
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.seen: set[str] = set()
        self.looks = 0

    def __enter__(self) -> ArgumentWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(0.25):
            self.looks += 1
            for process in psutil.process_iter():
                with suppress(psutil.Error):
                    line = process.cmdline()
                    if any(self._marker in argument for argument in line):
                        self.seen.add(line[0])


def outputs(runs: Runs) -> None:
    """What the product writes and says on the way of a user, with the marker as every secret, goes to the search."""
    world = runs.world
    with runs.ledger.case(KIND, "whatever the commands say and write"):
        env = world.env(world.warm)
        out = world.folder / "out"
        out.mkdir()
        name = world.name_of("plain")
        wrong = {"NEO4J_URI": f"bolt://127.0.0.1:{world.config.bolt_port}", "NEO4J_PASSWORD": f"wrong{world.marker}"}
        world.run(env, "--debug", "ask", name, "Which moving object comes first?", "--json").must(0)
        world.run(env, "config", "show").must(0)
        world.run(env, "doctor")
        world.run(env, "db", "status").must(0)
        world.run(env, "export", "bundle", name, "-o", out / "video.ravu").must(0)
        world.run(env, "videos", "report", name, "-o", out / "page.html").must(0)
        world.run(env, "videos", "show", name).must(0)
        world.run(env | wrong, "--debug", "ask", name, "Who?").must(1, 6)
        world.run(env | wrong, "ask", name, "Who?").must(6)
        in_address = {
            "NEO4J_URI": f"bolt://neo4j:{world.marker}@127.0.0.1:1",
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": f"http://user:{world.marker}@127.0.0.1:1/v1",
        }
        world.run(env | {"NEO4J_URI": in_address["NEO4J_URI"]}, "ask", name, "Who?").must(3)
        for variable, address in in_address.items():
            world.run(env | {variable: address}, "config", "show").must(0, 3)


def nowhere(world: World, ledger: Ledger, watch: ArgumentWatch) -> None:
    """After everything: the marker is in the two files that keep the password, and those are the owner's alone."""
    with ledger.case(KIND, f"process arguments, {watch.looks} looks"):
        assert not watch.seen, f"the marker was among the arguments of {watch.seen}"
    with ledger.case(KIND, "graph"):
        with world.store() as store:
            rows = store.query_readonly(
                "MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $marker) "
                "RETURN labels(n) AS labels",
                {"marker": world.marker},
            ).rows
        assert not rows, rows
    world.server.stop()
    with ledger.case(KIND, "files: logs, errors, caches, reports, bundles"):
        found = {path for path in _files(world.folder) if holds(path, world.marker.encode())}
        kept = {world.config.home / "password"}
        assert found == kept, f"the marker is in {sorted(map(str, found - kept))}"
    with ledger.case(KIND, "modes of the files that keep it"):
        for path in (world.config.home / "password", *(world.config.home / "conf").iterdir()):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path}: {path.stat().st_mode:o}"
        assert stat.S_IMODE(world.config.home.stat().st_mode) == 0o700


def holds(path: Path, marker: bytes) -> bool:
    """Whether the bytes are anywhere in a file, compressed archives read as what is in them."""
    if path.suffix in (".ravu", ".zip"):
        import zipfile

        with zipfile.ZipFile(path) as archive:
            return any(marker in archive.read(name) for name in archive.namelist())
    before = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if marker in before + chunk:
                return True
            before = chunk[-len(marker) :]
    return False


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for here, _, names in os.walk(folder):  # does not follow links, so not into what is fetched
        found += [path for name in names if (path := Path(here) / name).is_file() and not path.is_symlink()]
    return found
