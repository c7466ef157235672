"""Series of states over time: hysteresis, and runs of equal values without the short ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Run:
    """Positions [start, stop) that share one value."""

    start: int
    stop: int
    value: int

    def __len__(self) -> int:
        return self.stop - self.start


def hold_last(on: NDArray[np.bool_], off: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A switch: true from a step that says on until one that says off; before either, false."""
    told = on | off
    last = np.maximum.accumulate(np.where(told, np.arange(len(on)), 0))
    return on[last]


def runs_of(values: NDArray[np.int64]) -> list[Run]:
    """The stretches of equal values, in order, covering the whole series."""
    if not len(values):
        return []
    edges = np.flatnonzero(np.diff(values)) + 1
    bounds = [0, *(int(edge) for edge in edges), len(values)]
    return [Run(start, stop, int(values[start])) for start, stop in pairwise(bounds)]


def settle(values: NDArray[np.int64], shortest: int) -> NDArray[np.int64]:
    """The series with every run below ``shortest`` given to its longer neighbour, shortest runs first.

    A series that is shorter than ``shortest`` as a whole becomes its most common value.
    """
    settled = values.copy()
    for length in range(1, shortest):
        runs = runs_of(settled)
        if len(runs) == 1:
            break
        done: list[Run] = []
        for position, run in enumerate(runs):
            before = done[-1] if done else None
            after = runs[position + 1] if position + 1 < len(runs) else None
            if len(run) > length or (before is None and after is None):
                value = run.value
            elif before is None or (after is not None and len(after) > len(before)):
                value = after.value if after is not None else run.value
            else:
                value = before.value
            if before is not None and before.value == value:
                done[-1] = Run(before.start, run.stop, value)
            else:
                done.append(Run(run.start, run.stop, value))
        for run in done:
            settled[run.start : run.stop] = run.value
    return settled
