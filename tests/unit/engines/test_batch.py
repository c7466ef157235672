"""How a batch is handed out, with workers that only pretend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ravu_kg.engines.batch import ATTEMPTS, Finished, index_all
from ravu_kg.engines.finding import Source
from ravu_kg.engines.records import (
    Detected,
    DetectTask,
    Done,
    Failure,
    IndexTask,
    Kind,
    Lost,
    News,
    OnProgress,
    Order,
    Outcome,
    Split,
    Task,
    Written,
)
from ravu_kg.errors import VideoError
from ravu_kg.memory import IndexResult
from ravu_kg.types import VideoInfo

Do = Callable[[Task], Outcome | str]
"""What a worker makes of a task; a text when it dies over it."""


class Pretended:
    """Workers that take as long as they are waited for: each wait ends the task that was given first."""

    def __init__(self, size: int, do: Do) -> None:
        self.size = size
        self._do = do
        self._running: list[Task] = []
        self.given: list[Task] = []
        self.most = 0

    def free(self, kind: Kind) -> bool:
        return len(self._running) < self.size

    def give(self, task: Task) -> None:
        assert self.free(task.kind)
        self.given.append(task)
        self._running.append(task)
        self.most = max(self.most, len({one.number for one in self._running}))

    def wait(self, on_progress: OnProgress) -> Sequence[News]:
        task = self._running.pop(0)
        on_progress(task, "watching", 0.5)
        outcome = self._do(task)
        return [Lost(task, outcome) if isinstance(outcome, str) else Done(task, outcome)]


def result(name: str) -> Written:
    return Written(IndexResult(name, name, 0, 0, 0, 0, 1.0, {}, "", "", "indexed", "geometry"), (f"mark of {name}",))


def sources(*names: str) -> list[Source]:
    return [Source(Path(name), VideoError(f"{name}: bad") if name.startswith("bad") else None) for name in names]


def split(task: Task, count: int, content: str = "") -> Split:
    chunks = tuple((20.0 * at, 20.0 * at + 20.0) for at in range(count))
    return Split(VideoInfo(task.path, content or task.path.name, 8, 8, 20.0 * count, 10.0), chunks)


def run(crew: Pretended, names: Sequence[str], told: list[tuple[int, str, float]] | None = None) -> list[Finished]:
    told = [] if told is None else told
    return list(index_all(crew, sources(*names), Order(), lambda *what: told.append(what)))


def test_every_video_is_done_once_by_workers_side_by_side_and_bad_ones_do_not_stop_it():
    crew = Pretended(2, lambda task: Failure("broken", 4) if task.path.name == "c" else result(task.path.name))
    done = run(crew, ["bad1", "a", "b", "bad2", "c", "d"])
    assert sorted(one.number for one in done) == [0, 1, 2, 3, 4, 5]
    outcomes = {one.source.path.name: one.outcome for one in done}
    assert [name for name, one in outcomes.items() if isinstance(one, Failure)] == ["bad1", "bad2", "c"]
    assert crew.most == 2


def test_a_long_video_is_detected_in_chunks_by_all_workers_and_then_written_by_one():
    def do(task: Task) -> Outcome:
        if isinstance(task, DetectTask):
            return Detected("d", {task.chunk: {}})
        return result(task.path.name) if task.split else split(task, 5)

    crew = Pretended(2, do)
    told: list[tuple[int, str, float]] = []
    (done,) = run(crew, ["long"], told)
    assert isinstance(done.outcome, IndexResult)
    kinds = [task.kind for task in crew.given]
    assert kinds == ["index", *["detect"] * 5, "index"]
    last = crew.given[-1]
    assert isinstance(last, IndexTask)
    assert [list(one.found) for one in last.detected] == [[0], [1], [2], [3], [4]]
    shares = [share for _, _, share in told[1:-1]]
    assert shares == sorted(shares)  # of the whole video, not of a chunk


def test_a_video_may_be_split_only_when_it_is_more_than_a_worker_s_share_of_what_is_left(tmp_path: Path):
    sizes = {"a": 10, "longest": 60, "b": 10, "c": 10, "last": 10}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(bytes(size))
    crew = Pretended(2, lambda task: result(task.path.name))
    list(index_all(crew, [Source(tmp_path / name) for name in sizes], Order(), lambda number, stage, share: None))
    whole = {task.path.name: task.whole for task in crew.given if isinstance(task, IndexTask)}
    assert whole == {"a": True, "longest": False, "b": True, "c": True, "last": False}


def test_few_videos_are_half_done_at_a_time_however_many_there_are():
    open_at_once = most = 0

    def do(task: Task) -> Outcome:
        nonlocal open_at_once, most
        if isinstance(task, DetectTask):
            return Detected("d", {})
        open_at_once += -1 if task.split else 1
        most = max(most, open_at_once)
        return result(task.path.name) if task.split else split(task, 3)

    crew = Pretended(2, do)
    assert len(run(crew, [f"v{number}" for number in range(40)])) == 40
    assert most <= 2 * crew.size


def test_the_task_of_a_worker_that_died_is_given_to_another():
    died = 0

    def do(task: Task) -> Outcome | str:
        nonlocal died
        if task.path.name == "b" and died < ATTEMPTS - 1:
            died += 1
            return "ended by SIGKILL"
        return result(task.path.name)

    done = run(Pretended(2, do), ["a", "b", "c"])
    assert all(isinstance(one.outcome, IndexResult) for one in done)
    assert all(one.bookmarks == (f"mark of {one.source.path.name}",) for one in done)
    assert died == ATTEMPTS - 1


def test_a_video_over_which_workers_die_again_and_again_fails_alone_and_says_why():
    crew = Pretended(2, lambda task: "ended by SIGKILL" if task.path.name == "b" else result(task.path.name))
    outcomes = {one.source.path.name: one.outcome for one in run(crew, ["a", "b", "c"])}
    failed = outcomes.pop("b")
    assert isinstance(failed, Failure)
    assert "SIGKILL" in failed.message
    assert "b" in failed.message
    assert [task.path.name for task in crew.given].count("b") == ATTEMPTS
    assert all(isinstance(one, IndexResult) for one in outcomes.values())


@pytest.mark.parametrize("bad", [{1}, {1, 2}, {0, 1, 2, 3}])
def test_a_chunk_that_fails_fails_its_video_once_and_the_rest_of_it_is_not_done(bad: set[int]):
    def do(task: Task) -> Outcome:
        if isinstance(task, DetectTask):
            return Failure("no", 5) if task.path.name == "long" and task.chunk in bad else Detected("d", {})
        return split(task, 8) if task.path.name == "long" else result(task.path.name)

    crew = Pretended(2, do)
    done = run(crew, ["long", "a"])
    assert sorted(one.number for one in done) == [0, 1]
    assert [one.outcome for one in done if one.number == 0] == [Failure("no", 5)]
    assert sum(isinstance(task, DetectTask) for task in crew.given) < 8
    assert not any(isinstance(task, IndexTask) and task.split for task in crew.given)


def test_two_files_with_one_content_are_never_in_work_at_once():
    writing: set[str] = set()
    written: list[str] = []

    def do(task: Task) -> Outcome:
        if isinstance(task, DetectTask):
            return Detected("d", {})
        if task.split is None:
            if written:  # found indexed
                return result(task.path.name)
            writing.add(task.path.name)
            return split(task, 3, content="one")
        written.append(task.path.name)
        return result(task.path.name)

    assert len(run(Pretended(2, do), ["first", "copy", "other copy"])) == 3
    assert written == ["first"]
