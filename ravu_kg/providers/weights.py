"""Model files that are fetched once into the cache folder and checked against a pinned SHA-256."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from filelock import FileLock
from platformdirs import user_cache_path

from ravu_kg.errors import ProviderError

_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of a public release."""

    file_name: str
    url: str
    sha256: str


def cache_dir() -> Path:
    """The folder of everything that can be fetched again: ``RAVU_KG_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("RAVU_KG_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("ravu-kg", appauthor=False)


def fetched(weights: Weights, folder: str) -> Path:
    """The file in the cache, fetched first when it is not there; two processes at once fetch once.

    Args:
        weights: what to have.
        folder: name of the folder inside the cache.

    Raises:
        ProviderError: it is neither there nor to be had, or its content is not the pinned one.
    """
    target = cache_dir() / folder / weights.file_name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock"):
            if not target.is_file() or _sha256(target) != weights.sha256:
                _fetch(weights, target)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise ProviderError(
            f"{weights.file_name} is not in {target.parent} and cannot be fetched: {_why(error, weights.url)}. "
            f"Connect to the internet and try again, or put the file there yourself; it is at {weights.url}.",
            retryable=True,
        ) from error
    except OSError as error:
        raise ProviderError(
            f"{weights.file_name} cannot be kept as {target}: {error.strerror or error}. "
            "Make room there or give another folder in RAVU_KG_CACHE."
        ) from error
    return target


def _fetch(weights: Weights, target: Path) -> None:
    handle, name = tempfile.mkstemp(prefix=f"{target.name}.", dir=target.parent)
    incoming = Path(name)
    try:
        with os.fdopen(handle, "wb") as file, urlopen(weights.url, timeout=_TIMEOUT_S) as reply:
            shutil.copyfileobj(reply, file)
        found = _sha256(incoming)
        if found != weights.sha256:
            raise ProviderError(
                f"{weights.url} gave another file than the pinned one (SHA-256 {found}, not {weights.sha256}); it was "
                "thrown away. Try again later, or give a file that you trust: yolox:PATH.onnx."
            )
        incoming.replace(target)
    finally:
        incoming.unlink(missing_ok=True)


def _why(error: OSError, url: str) -> str:
    """In words, what went wrong between here and the server."""
    host = urlsplit(url).hostname or url
    if isinstance(error, HTTPError):
        return f"{host} answers {error.code} ({error.reason})"
    reason = error.reason if isinstance(error, URLError) else error
    match reason:
        case socket.gaierror():
            return f"the address {host} cannot be found, which is so without an internet connection"
        case TimeoutError():
            return f"{host} does not answer"
        case OSError(strerror=str(said)):
            return f"{host} cannot be reached ({said})"
        case _:
            return f"{host} cannot be reached ({reason})"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
