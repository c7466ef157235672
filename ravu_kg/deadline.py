"""Work that is waited for only so long, also where it cannot be stopped."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


class LateError(Exception):
    """The work has not ended in time."""


def within(seconds: float, work: Callable[[], _Result], name: str) -> _Result:
    """The result of the work, or what it raised.

    The thread of work that hangs is left behind with all it holds; it never keeps the process from ending.

    Args:
        seconds: how long it is waited for.
        work: what is done, in a thread of its own.
        name: of the thread.

    Raises:
        LateError: it has not ended in time.
    """
    results: queue.SimpleQueue[tuple[_Result | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((work(), None))
        except BaseException as error:  # whatever it is, it is raised where the work is waited for
            results.put((None, error))

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        result, error = results.get(timeout=seconds)
    except queue.Empty:
        raise LateError from None
    if error is not None:
        raise error
    return result  # pyright: ignore[reportReturnType]  # there is a result where there is no error
