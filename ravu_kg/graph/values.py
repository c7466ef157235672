"""Values on their way to and from the server: types of parameters, short ``repr``, plain data, Cypher literals.

The driver evaluates ``repr`` of every parameter of every statement for a debug line, whether it logs or not; with
vectors among them that is most of the time of a write. :class:`Rows` and :class:`Vector` are lists whose ``repr`` is
short, which alone makes writing several times faster.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from numbers import Real
from typing import TypeGuard

import numpy as np

_SCALARS = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "MAP", "NODE", "RELATIONSHIP", "PATH", "DATETIME", "ANY", "NULL")
_LONG_VECTOR = 64
_INT64 = 2**63


class Vector(list[float]):
    """A list of numbers with a short ``repr``: an embedding on its way to the server."""

    def __repr__(self) -> str:
        return f"<{len(self)} floats>"


class Rows(list[object]):
    """A list with a short ``repr``: the rows of a batch on their way to the server."""

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"


def parse_type(text: str) -> tuple[str, ...]:
    """The alternatives of a Cypher type, outermost first: ``"LIST<FLOAT> | NULL"`` is ``("LIST<FLOAT>", "NULL")``.

    Raises:
        ValueError: no such type.
    """
    alternatives = tuple(part.strip() for part in _split_union(text))
    for part in alternatives:
        if part in _SCALARS:
            continue
        if part.startswith("LIST<") and part.endswith(">"):
            parse_type(part[5:-1])
        else:
            raise ValueError(f"'{part}' is no type: one of {', '.join(_SCALARS)}, LIST<type>, or a union with |")
    return alternatives


def check(value: object, type_text: str, what: str) -> object:
    """The value as the driver takes it, when it has the type: vectors and rows get their short ``repr``.

    Raises:
        TypeError: it has another type, or cannot be sent; the message starts with ``what``.
    """
    for alternative in parse_type(type_text):
        accepted, converted = _match(value, alternative)
        if accepted:
            return converted
    raise TypeError(f"{what} must be {type_text}, not {_shown(value)}")


def cypher_literal(value: object, *, full_vectors: bool = False) -> str:
    """The value written as Cypher; a vector as ``<768 floats>`` unless asked for in full.

    Raises:
        TypeError: Cypher has no literal for it.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_literal(value)
    if isinstance(value, np.ndarray):
        return cypher_literal(Vector(np.asarray(value, dtype=np.float64).tolist()), full_vectors=full_vectors)
    if is_mapping(value):
        pairs = (
            f"`{str(k).replace('`', '``')}`: {cypher_literal(v, full_vectors=full_vectors)}" for k, v in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if is_sequence(value):
        if not full_vectors and (isinstance(value, Vector) or _is_long_vector(value)):
            return f"<{len(value)} floats>"
        return "[" + ", ".join(cypher_literal(item, full_vectors=full_vectors) for item in value) + "]"
    raise TypeError(f"No Cypher literal for {_shown(value)}")


def shown(value: object) -> object:
    """The value for a trace or for JSON: vectors as ``<768 floats>``, rows counted, the rest as it is."""
    if isinstance(value, np.ndarray):
        return f"<{value.size} floats>"
    if isinstance(value, (Vector, Rows)) or (is_sequence(value) and _is_long_vector(value)):
        return repr(value) if isinstance(value, (Vector, Rows)) else f"<{len(value)} floats>"
    return value


def elide_vectors(value: object) -> object:
    """A copy of plain data in which long lists of numbers are replaced by ``<768 floats>``, bytes by their number."""
    if isinstance(value, (bytes, bytearray)):
        return f"<{len(value)} bytes>"
    if isinstance(value, np.ndarray):
        return elide_vectors(value.tolist())
    if is_mapping(value):
        return {str(key): elide_vectors(item) for key, item in value.items()}
    if is_sequence(value):
        if _is_long_vector(value):
            return f"<{len(value)} floats>"
        return [elide_vectors(item) for item in value]
    return value


def example(type_text: str, dimensions: int = 3) -> object:
    """A value of the type, for ``EXPLAIN``."""
    first = parse_type(type_text)[0]
    if first == "LIST<FLOAT>":
        return Vector([0.5] * dimensions)
    if first.startswith("LIST<"):
        return [example(first[5:-1], dimensions)]
    examples: dict[str, object] = {
        "STRING": "x", "INTEGER": 1, "FLOAT": 0.5, "BOOLEAN": True, "MAP": {}, "ANY": 1, "DATETIME": "x", "NULL": None,
    }  # fmt: skip
    return examples[first]


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """True for lists, tuples and the like; not for text or bytes."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    """True for dictionaries and the like."""
    return isinstance(value, Mapping)


def _split_union(text: str) -> list[str]:
    parts, depth, current = list[str](), 0, ""
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "|" and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def _match(value: object, kind: str) -> tuple[bool, object]:
    """Whether the value is of the (non-union) type, and the value to send."""
    if kind == "NULL":
        return value is None, None
    if kind == "ANY":
        return value is not None and _is_sendable(value), value
    if kind == "STRING":
        return isinstance(value, str) and _is_sendable(value), value
    if kind == "BOOLEAN":
        return isinstance(value, bool), value
    if kind == "INTEGER":
        return isinstance(value, int) and not isinstance(value, bool) and _is_sendable(value), value
    if kind == "FLOAT":
        if isinstance(value, bool) or not isinstance(value, Real):
            return False, None
        return True, float(value)
    if kind == "MAP":
        return isinstance(value, Mapping), value
    if kind.startswith("LIST<"):
        return _match_list(value, kind[5:-1])
    return False, None  # nodes, relationships and paths only come back


def _match_list(value: object, inner: str) -> tuple[bool, object]:
    if isinstance(value, np.ndarray):
        return _match_list(value.tolist(), inner)
    if not is_sequence(value):
        return False, None
    if inner == "FLOAT":
        return _match_numbers(value)
    if inner == "MAP":
        # Rows of a batch: the writer makes them, and looking into each would cost as much as sending them.
        return all(isinstance(item, Mapping) for item in value), value if isinstance(value, Rows) else Rows(value)
    if not all(any(_match(item, part)[0] for part in parse_type(inner)) for item in value):
        return False, None
    return True, list(value)


def _match_numbers(value: Sequence[object]) -> tuple[bool, object]:
    if isinstance(value, Vector):
        return True, value
    numbers = Vector()
    for item in value:
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            return False, None
        numbers.append(float(item))
    return True, numbers


def _is_sendable(value: object) -> bool:
    """Whether the driver can pack the value: 64-bit integers, well-formed text, lists and maps of such."""
    if value is None or isinstance(value, (bool, float, datetime, date, time)):
        return True
    if isinstance(value, int):
        return -_INT64 <= value < _INT64
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if is_mapping(value):
        return all(isinstance(key, str) and _is_sendable(key) and _is_sendable(item) for key, item in value.items())
    if is_sequence(value):
        return all(_is_sendable(item) for item in value)
    return False


def _is_long_vector(value: Sequence[object]) -> bool:
    return len(value) >= _LONG_VECTOR and all(isinstance(item, float) for item in value)


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
    return "'" + "".join(escapes.get(character, character) for character in text) + "'"


def _float_literal(value: float) -> str:
    if math.isnan(value):
        return "(0.0 / 0.0)"
    if math.isinf(value):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
    return repr(value)


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
