"""Sentence encoders behind a provider's address."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import tenacity

from ravu_kg.errors import ProviderError
from ravu_kg.providers.abilities import Abilities, Memory
from ravu_kg.types import FloatArray

Kind = Literal["query", "document"]
Vectors = Callable[[list[str], Kind, float], list[list[float]]]
"""Texts, what they are, and how long it may take: their vectors as the provider gave them."""

_TIMEOUT_S = 60.0
_ATTEMPTS = 8
_LONGEST_WAIT_S = 60.0


class HostedEmbedder:
    """Vectors of unit length, in batches; what may pass is tried again. Safe to call from threads."""

    def __init__(self, name: str, vectors: Vectors, batch: int, dimensions: int | None, memory: Memory) -> None:
        self._name = name
        self._vectors = vectors
        self._batch = batch
        self._dimensions = dimensions
        self._memory = memory

    def __repr__(self) -> str:
        return f"<{self._name}>"

    @property
    def name(self) -> str:
        """Provider and model, with the dimensions where they were chosen."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of a vector; of a model that is not known it is asked for once.

        Raises:
            ProviderError: the model failed.
        """
        known = self._dimensions or self._memory.get().dimensions
        if known is None:
            known = len(self._ask(["dimensions"], "document")[0])
            self._memory.learn(Abilities(dimensions=known))
        self._dimensions = known
        return known

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """Vectors of unit length, one a text.

        Raises:
            ProviderError: the model failed, again and again where that may pass.
        """
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), self._batch):
            # An empty text is refused by providers, and has no direction of its own.
            batch = [text or " " for text in texts[start : start + self._batch]]
            rows[start : start + len(batch)] = self._unit(self._ask(batch, kind), len(batch))
        return rows

    def _ask(self, texts: list[str], kind: Kind) -> list[list[float]]:
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, ProviderError) and error.retryable),
            stop=tenacity.stop_after_attempt(_ATTEMPTS),
            wait=_wait_s,
            reraise=True,
        )
        return retrying(self._vectors, texts, kind, _TIMEOUT_S)

    def _unit(self, vectors: list[list[float]], count: int) -> FloatArray:
        lengths = {len(vector) for vector in vectors}
        if len(vectors) != count or lengths != {self.dimensions}:
            raise ProviderError(
                f"{self._name} gave {len(vectors)} vectors of {', '.join(map(str, sorted(lengths))) or 'no'} numbers, "
                f"not {count} of {self.dimensions}. Set the option dimensions, or choose another model."
            )
        rows = np.asarray(vectors, np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (norms == 0).any():
            raise ProviderError(f"{self._name} gave a vector without a direction. Choose another model.")
        return (rows / norms).astype(np.float32)


def _wait_s(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked_s = error.retry_after_s if isinstance(error, ProviderError) else None
    if asked_s is not None:
        return min(_LONGEST_WAIT_S, asked_s) + 0.2 * random.random()
    return min(_LONGEST_WAIT_S, 0.5 * 2**state.attempt_number) * random.uniform(0.5, 1.0)
