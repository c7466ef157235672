from __future__ import annotations

from pathlib import Path

import pytest
from encoders import encoder_cache, real_embedder

from ravu_kg.protocols import Embedder


@pytest.fixture(scope="session")
def real_cache(request: pytest.FixtureRequest) -> Path:
    return encoder_cache(request.config)


@pytest.fixture(scope="session")
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """The default encoder with its real weights."""
    return real_embedder(request.config)
