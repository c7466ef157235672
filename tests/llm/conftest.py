"""Tests with a real local model; run by ``make test-llm`` alone, since its server takes minutes to compile."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "llm: a real local model behind llama.cpp's server (make test-llm)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked_for = "llm" in (config.getoption("markexpr") or "")
    return True if collection_path.parent == HERE and not asked_for else None
