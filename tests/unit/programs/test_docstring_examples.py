"""Examples in docstrings that need no server run here; those of the Python API run in ``tests/e2e/programs``."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import ravu_kg

PACKAGE = Path(ravu_kg.__file__).parent
NEED_A_SERVER = {"ravu_kg", "ravu_kg.memory"}


def modules_with_examples() -> list[str]:
    names = list[str]()
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


@pytest.mark.parametrize("name", [one for one in modules_with_examples() if one not in NEED_A_SERVER])
def test_the_examples_of_a_module_run(name: str) -> None:
    said = list[str]()
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(import_module(name), name):
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    assert runner.tries > 0


def test_the_python_api_has_examples() -> None:
    assert set(modules_with_examples()) >= NEED_A_SERVER
