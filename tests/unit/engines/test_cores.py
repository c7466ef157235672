"""How many cores a process uses."""

from __future__ import annotations

import os
import sys

import pytest

from ravu_kg.cores import cores, share_of


def test_a_library_that_limits_itself_does_not_limit_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # ultralytics sets it when it is imported
    assert cores() == everything


def test_a_worker_uses_its_share_and_so_do_its_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in share_of(3).items():
        monkeypatch.setenv(name, value)
    assert cores() == 3
    assert os.environ["OMP_NUM_THREADS"] == "3"
