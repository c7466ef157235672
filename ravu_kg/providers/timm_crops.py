"""Appearance models of timm: what is inside a box as a vector, for telling entities apart (extra ``appearance``).

``timm:vit_small_patch14_dinov2.lvd142m`` (also plain ``timm``) is DINOv2's small model; any other name of timm with
weights on the hub works as well. Weights are fetched when they are asked for (:func:`fetch`), never on the way.
"""

# timm and torch have types with holes.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.providers.hub import hub_file, hub_file_here
from ravu_kg.types import FloatArray, Image

if TYPE_CHECKING:
    from timm.models import PretrainedCfg

_DEFAULT = "vit_small_patch14_dinov2.lvd142m"
_FILE = "model.safetensors"
_SIDE_PX = 224
"""Of the input, for models that take any; boxes are seldom larger, and DINOv2's own 518 cost five times as much."""
_BATCH = 16


def create(model: str, options: Mapping[str, object]) -> TimmCrops:
    """Entry point ``timm``.

    Args:
        model: a name of timm; none is DINOv2's small model.
        options: ``weights``, a safetensors file to use instead of the hub's.

    Raises:
        MissingExtraError: timm is not installed.
        ConfigurationError: timm has no such model, or an option is wrong.
        ProviderError: its weights are not on this machine, or do not fit.
    """
    return TimmCrops(model or _DEFAULT, _weights(model or _DEFAULT, options, hub_file_here))


def fetch(model: str, progress: Callable[[str], None], options: Mapping[str, object]) -> Path:
    """Have the weights of a model on this machine; gives the file.

    Raises:
        MissingExtraError, ConfigurationError: as :func:`create`.
        ProviderError: the hub cannot be reached or has no such weights.
    """
    progress(f"Fetching the weights of {model or _DEFAULT} from the hub")
    return _weights(model or _DEFAULT, options, hub_file)


class TimmCrops:
    """One model, whole pictures of boxes in, unit vectors out."""

    def __init__(self, model: str, weights: Path) -> None:
        import timm
        import timm.data
        from safetensors import SafetensorError

        self._model = model
        bound = _published(model).fixed_input_size  # to one size of input; it can be made for another
        from_file = {"file": str(weights)}
        try:
            self._network = (
                timm.create_model(model, True, pretrained_cfg_overlay=from_file, num_classes=0, img_size=_SIDE_PX)
                if bound
                else timm.create_model(model, True, pretrained_cfg_overlay=from_file, num_classes=0)
            )
        except (RuntimeError, OSError, KeyError, ValueError, SafetensorError) as error:
            raise ProviderError(
                f"{weights} does not hold the weights of {model}: {str(error).splitlines()[0]}. Fetch them again: "
                "ravu-kg doctor --fetch appearance"
            ) from error
        self._network.eval()
        data = timm.data.resolve_model_data_config(self._network)
        self._side_px = _SIDE_PX if bound else int(data["input_size"][-1])
        self._mean = np.array(data["mean"], np.float32)
        self._spread = np.array(data["std"], np.float32)

    @property
    def name(self) -> str:
        """``timm:MODEL``."""
        return f"timm:{self._model}"

    def embed(self, crops: Sequence[Image]) -> FloatArray:
        """Unit vectors of shape (len(crops), d) of at least one picture (height, width, 3) of any size."""
        import torch

        parts: list[FloatArray] = []
        with torch.inference_mode():
            for start in range(0, len(crops), _BATCH):
                blob = np.stack([self._prepared(crop) for crop in crops[start : start + _BATCH]])
                parts.append(self._network(torch.from_numpy(blob)).numpy())
        vectors = np.concatenate(parts)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)

    def _prepared(self, crop: Image) -> FloatArray:
        import cv2

        side = self._side_px
        shrinks = max(crop.shape[:2]) > side
        small = cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        return ((small.astype(np.float32) / 255.0 - self._mean) / self._spread).transpose(2, 0, 1)


def _weights(model: str, options: Mapping[str, object], from_hub: Callable[[str, str], Path]) -> Path:
    published = _published(model)
    if unknown := sorted(set(options) - {"weights"}):
        raise ConfigurationError(f"timm has no option {', '.join(unknown)}. It has: weights. Correct [providers.timm].")
    if given := options.get("weights"):
        path = Path(str(given)).expanduser()
        if not path.is_file():
            raise ProviderError(f"{path} is not there. Correct 'weights' in [providers.timm].")
        return path
    if not published.hf_hub_id:
        raise ConfigurationError(f"timm has no weights of {model} on the hub. Name another model, or give 'weights'.")
    try:
        return from_hub(str(published.hf_hub_id), _FILE)
    except OSError as error:
        raise ProviderError(
            f"The weights of {model} cannot be had: {error}. With the internet at hand: "
            "ravu-kg doctor --fetch appearance"
        ) from error


def _published(model: str) -> PretrainedCfg:
    try:
        import timm
    except ImportError as error:
        raise MissingExtraError("The appearance model 'timm'", "appearance") from error
    try:
        published = timm.get_pretrained_cfg(model, allow_unregistered=False)
    except RuntimeError as error:
        raise _unknown(model, str(error)) from error
    if published is None:
        raise _unknown(model, "It has no published weights.")
    return published


def _unknown(model: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"timm has no model {model!r}: {why} Name one with its weights, such as timm:{_DEFAULT}; "
        "timm.list_pretrained() lists them."
    )
