"""SAM 2 as a tracker: masks that start from the boxes of detections and are followed from picture to picture.

``sam2:MODEL`` names published weights (``sam2.1-hiera-tiny``, also plain ``sam2``; ``-small``, ``-base-plus`` and
``-large``; the same of ``sam2-hiera``), which the hub's client fetches once. ``sam2:PATH.pt`` takes a file of weights,
which is loaded without running any code in it. It needs the extra ``sam2`` (torch), and a GPU to be quick: at its full
``image_size`` of 1024 the smallest model takes about 10 s of a CPU core a picture, at 512 about 1 s.

Who is followed, and as whom, is decided in :mod:`ravu_kg.providers.mask_tracking`; the model is
run in :mod:`ravu_kg.providers.sam2_segmenter`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.providers.hub import hub_file
from ravu_kg.providers.mask_tracking import MaskTracker

IMAGE_SIZE_PX = 1024
"""Side of the square that pictures are fitted into by default, as the published models were trained."""

_DEFAULT_MODEL = "sam2.1-hiera-tiny"
_FAMILIES = ("sam2.1", "sam2")
_SIZES = {"tiny": "t", "small": "s", "base-plus": "b+", "large": "l"}
_OPTIONS = ("config", "device", "image_size", "weights")
_SUFFIXES = (".pt", ".pth", ".safetensors")
_CELL_PX = 32  # the model halves a picture five times
_INSTALL = "pip install torch setuptools wheel && SAM2_BUILD_CUDA=0 pip install --no-build-isolation 'ravu-kg[sam2]'"


@dataclass(frozen=True, slots=True)
class Architecture:
    """A published model: what the library and the hub call it."""

    name: str
    config: str
    """The library's configuration."""
    repository: str
    file_name: str


def _published() -> dict[str, Architecture]:
    return {
        f"{family}-hiera-{size}": Architecture(
            name=f"{family}-hiera-{size}",
            config=f"configs/{family}/{family}_hiera_{letter}.yaml",
            repository=f"facebook/{family}-hiera-{size}",
            file_name=f"{family}_hiera_{size.replace('-', '_')}.pt",
        )
        for family in _FAMILIES
        for size, letter in _SIZES.items()
    }


PUBLISHED = _published()
"""The published models by name."""


def create(model: str, options: Mapping[str, object]) -> MaskTracker:
    """Entry point ``sam2``.

    Args:
        model: name of a published model, or path of a file of weights.
        options: ``device`` (``auto``, the default: CUDA, else MPS, else the CPU; or what torch calls it), ``weights``
            (a file with the weights of the named model), ``config`` (the published model whose weights a file at a
            path holds; known from the file's name when it is a published one), ``image_size`` (pixels, default 1024:
            smaller is quicker and less exact).

    Raises:
        ConfigurationError: an option is unknown or wrong, the model is unknown, or the device is not there.
        MissingExtraError: the library is not installed.
        ProviderError: the weights cannot be had or are not those of the model.
    """
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise ConfigurationError(
            f"Tracker 'sam2' has no option {', '.join(map(repr, unknown))}. It has: {', '.join(_OPTIONS)}. "
            "Correct [providers.sam2]."
        )
    architecture, path = _chosen(model, _text(options, "weights"), _text(options, "config"))
    image_size = _image_size(options)
    if find_spec("sam2") is None or find_spec("torch") is None:
        raise MissingExtraError("Tracker 'sam2'", "sam2", command=_INSTALL)
    name = f"sam2:{architecture.name}" if path is None else f"sam2:{path.stem}@{_digest(path)[:8]}"
    changed = f", image_size={image_size}" if image_size != IMAGE_SIZE_PX else ""
    weights = _from_hub(architecture) if path is None else path
    # torch takes seconds to import: only once everything else is in order.
    from ravu_kg.providers.sam2_model import device_named, load
    from ravu_kg.providers.sam2_segmenter import Sam2Segmenter

    device = device_named(_text(options, "device") or "auto")
    return MaskTracker(
        name + changed, Sam2Segmenter(load(architecture.config, weights, device, image_size=image_size), device)
    )


def _chosen(model: str, weights: str | None, config: str | None) -> tuple[Architecture, Path | None]:
    """The architecture, and the file of weights when one was named."""
    path = Path(model).expanduser()
    if model and path.suffix in _SUFFIXES:
        if weights is not None:
            raise ConfigurationError(
                f"Tracker 'sam2' was given two files of weights, {path} and {weights}. "
                "Write sam2:PATH, or a published model with weights = … in [providers.sam2], not both."
            )
        known = {architecture.file_name: name for name, architecture in PUBLISHED.items()}
        named = config or known.get(path.name)
        if named is None:
            raise ConfigurationError(
                f"{path}: the file's name does not tell which model these weights are for. "
                f"Say it with config = … in [providers.sam2], one of: {', '.join(PUBLISHED)}."
            )
        return _architecture(named), _existing(path)
    if config is not None:
        raise ConfigurationError(
            f"Option 'config' of tracker 'sam2' goes with a file of weights, sam2:PATH.pt; {model or _DEFAULT_MODEL!r} "
            "says already what model it is. Remove it from [providers.sam2]."
        )
    architecture = _architecture(model or _DEFAULT_MODEL)
    return architecture, None if weights is None else _existing(Path(weights).expanduser())


def _architecture(name: str) -> Architecture:
    found = PUBLISHED.get(name.removeprefix("facebook/"))
    if found is None:
        raise ConfigurationError(
            f"There is no SAM 2 model named {name!r}. Name one of {', '.join(PUBLISHED)}, or a file: sam2:PATH.pt."
        )
    return found


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise ProviderError(
            f"{path}: there is no such file of SAM 2 weights. Check the path, or name a published model: "
            f"sam2:{_DEFAULT_MODEL}."
        )
    return path


def _from_hub(architecture: Architecture) -> Path:
    try:
        return hub_file(architecture.repository, architecture.file_name)
    except OSError as error:
        raise ProviderError(
            f"The weights {architecture.file_name} of {architecture.repository} are not on this machine and cannot be "
            f"fetched: {error}. Connect to the internet and try again, run on a machine that is connected: "
            f"hf download {architecture.repository} {architecture.file_name}, or name a file of them: "
            "weights = … in [providers.sam2].",
            retryable=True,
        ) from error


def _text(options: Mapping[str, object], name: str) -> str | None:
    value = options.get(name)
    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigurationError(
            f"Option {name!r} of tracker 'sam2' must be a text, not {value!r}. Correct [providers.sam2]."
        )
    return value


def _image_size(options: Mapping[str, object]) -> int:
    value = options.get("image_size", IMAGE_SIZE_PX)
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0 or value % _CELL_PX:
        raise ConfigurationError(
            f"Option 'image_size' of tracker 'sam2' must be a multiple of {_CELL_PX} pixels such as 512, "
            f"not {value!r}. Correct [providers.sam2]."
        )
    return value


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ProviderError(f"{path}: the weights cannot be read: {error.strerror}. Mend its rights.") from error
