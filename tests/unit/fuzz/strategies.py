"""What may come from outside: anything, and what is nearly right. The examples are the same in each run of the tests.

``RAVU_KG_TEST_FUZZ_S`` gives all of these tests together about so many seconds, and examples of their own.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

_TESTS = 16
"""About how many share the time."""
_FEW = 60
_Result = TypeVar("_Result")
_SHARE_S = 3.0

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**53, 2**63, -(2**63) - 1, 10**400, 1e308, -0.0, 1e-320])
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", " ", "\x00", "\ud83d", "\u202e", "$anchor", "$anchor.start_s", "nan", "1e999", "٣"])
)
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
"""Values as a JSON reader gives them, NaN and halves of characters too."""

_DEEP = st.integers(50, 40_000).map(lambda depth: "[" * depth) | st.integers(2, 3000).map(
    lambda depth: '{"a":' * depth + "1" + "}" * depth
)
TEXT = st.text(max_size=200) | _DEEP | st.integers(4000, 6000).map(lambda digits: "1" * digits)


CHAT = {
    "choices": [{"message": {"content": "hi", "refusal": None}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}},
}
RESPONSES = {
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}],
    "usage": {"input_tokens": 1, "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 1}},
}
VECTORS = {"data": [{"index": 0, "embedding": [0.1, 0.2]}]}
GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "hi"}], "role": "model"}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
}


def fuzz(test: Callable[..., None]) -> Callable[..., None]:
    """Bounds a test, below its ``@given``, in time: after its share of it, examples pass unseen."""
    seconds = float(os.environ.get("RAVU_KG_TEST_FUZZ_S", "0"))
    share_s = seconds / _TESTS or _SHARE_S
    end_s: list[float] = []

    @functools.wraps(test)
    def within(*arguments: Any, **named: Any) -> None:
        end_s[:] = end_s or [time.monotonic() + share_s]
        if time.monotonic() < end_s[0]:
            try:
                test(*arguments, **named)
            except Exception:
                end_s[:] = [math.inf]  # a find is to be found again, and made smaller
                raise

    return settings(
        max_examples=max(_FEW, int(60 * share_s)) if seconds else _FEW,
        derandomize=not seconds,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )(within)


def attempt(refusal: type[Exception], work: Callable[[], _Result]) -> tuple[_Result | None, str]:
    """What the work came to, or None and the words of the refusal; any other exception is a find."""
    try:
        return work(), ""
    except refusal as error:
        return None, str(error)


def nearly(valid: Any) -> st.SearchStrategy[Any]:
    """A valid value that is changed in one to three places."""

    @st.composite
    def changed(draw: st.DrawFn) -> Any:
        value = {"": copy.deepcopy(valid)}
        for _ in range(draw(st.integers(1, 3))):
            path = draw(st.sampled_from(sorted(_paths(value[""], ("",)), key=repr)))
            holder: Any = value
            for step in path[:-1]:
                holder = holder[step]
            how = draw(st.sampled_from(("other", "gone", "twice", "wrapped")))
            if how == "gone" and path != ("",):
                del holder[path[-1]]
            elif how == "twice" and isinstance(holder, list):
                holder.append(copy.deepcopy(holder[path[-1]]))
            elif how == "wrapped":
                holder[path[-1]] = [holder[path[-1]]]
            else:
                holder[path[-1]] = draw(JSON)
        return value[""]

    return changed()


def nearly_text(valid: str) -> st.SearchStrategy[str]:
    """A valid text that is cut, doubled, or has something else somewhere; and texts that are nothing of the kind."""

    @st.composite
    def changed(draw: st.DrawFn) -> str:
        at, end = sorted((draw(st.integers(0, len(valid))), draw(st.integers(0, len(valid)))))
        put = draw(st.sampled_from(("", "\n", "\x00", "\ufeff", ",", "{", "]", '"', "-", "1e999", "\u2028")) | TEXT)
        return valid[:at] + put + valid[draw(st.sampled_from((at, end))) :]

    return changed() | TEXT


def as_json(value: Any) -> str:
    """As a program would write it; what cannot be written as such stands in the way JSON readers of Python take it."""
    return json.dumps(value, ensure_ascii=True)


def _paths(value: Any, before: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    found = [before]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += _paths(item, (*before, key))
    return found
