"""onnxruntime notes events about the machine from its import on, unless it is told not to before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["yolox", "encoder"])
def test_nothing_is_noted_about_the_machine(module: str, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    code = f"import ravu_kg.providers.{module}, onnxruntime; onnxruntime.SessionOptions()"
    subprocess.run([sys.executable, "-c", code], check=True, env={**environment, "HOME": str(tmp_path)})
    assert [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name] == []
