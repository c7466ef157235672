"""The SAM 2 model as it is used here: the parts of it that are called, its weights, and where it runs.

Imports torch; only :mod:`ravu_kg.providers.sam2` imports this, when a tracker is built.
"""

# The library has no types, parts of torch have types with holes.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Protocol, TypedDict, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from ravu_kg.errors import ConfigurationError, ProviderError

# A file that is no checkpoint fails in whichever part of torch meets it first.
_LOAD_ERRORS = (OSError, RuntimeError, ValueError, LookupError, EOFError, UnpicklingError, SafetensorError)
# As the library's video predictor has it; the other settings that it adds are the model builder's own.
_OVERRIDES = ("++model.binarize_mask_from_pts_for_mem_enc=true",)


class Output(TypedDict):
    """What the model says of one thing in one picture."""

    pred_masks: Tensor
    obj_ptr: Tensor
    maskmem_features: Tensor
    maskmem_pos_enc: Sequence[Tensor]


class Kept(TypedDict):
    """What later pictures need of an output."""

    obj_ptr: Tensor
    maskmem_features: Tensor | None
    maskmem_pos_enc: Sequence[Tensor]


class Model(Protocol):
    """The parts of the library's model that are used."""

    image_size: int
    num_feature_levels: int
    num_maskmem: int
    max_obj_ptrs_in_encoder: int

    def forward_image(self, img_batch: Tensor) -> Mapping[str, Sequence[Tensor]]:
        """Features of pictures."""
        ...

    def track_step(
        self,
        *,
        frame_idx: int,
        is_init_cond_frame: bool,
        current_vision_feats: Sequence[Tensor],
        current_vision_pos_embeds: Sequence[Tensor],
        feat_sizes: Sequence[tuple[int, int]],
        point_inputs: Mapping[str, Tensor] | None,
        mask_inputs: Tensor | None,
        output_dict: Mapping[str, Mapping[int, Kept]],
        num_frames: int,
    ) -> Output:
        """The mask of one thing in one picture."""
        ...


def device_named(name: str) -> torch.device:
    """The device of that name; ``auto`` is CUDA, else MPS, else the CPU.

    Raises:
        ConfigurationError: torch knows no such device, or this machine has none.
    """
    has_cuda, has_mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if name == "auto":
        return torch.device("cuda" if has_cuda else "mps" if has_mps else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigurationError(
            f"Option 'device' of tracker 'sam2': torch knows no device {name!r}. Write auto, cpu, mps, cuda or cuda:1."
        ) from error
    there = {"cpu": 1, "cuda": torch.cuda.device_count() if has_cuda else 0, "mps": int(has_mps)}.get(device.type, 0)
    if (device.index or 0) >= there:
        raise ConfigurationError(
            f"Option 'device' of tracker 'sam2': torch {torch.__version__} finds no device {name!r} on this machine. "
            "Write auto or cpu, or install the torch that is built for it."
        )
    return device


def load(config: str, weights: Path, device: torch.device, *, image_size: int) -> Model:
    """A model with its weights on a device.

    Args:
        config: name of the library's configuration.
        weights: a checkpoint of it (``.pt``), or its tensors under the same names (``.safetensors``).
        device: where it is to run.
        image_size: side of the square that pictures are fitted into, pixels.

    Raises:
        ProviderError: the file holds no weights, or those of another model.
    """
    from sam2.build_sam import build_sam2

    state = _state(weights)
    overrides = [*_OVERRIDES, f"++model.image_size={image_size}"]
    module = cast("torch.nn.Module", build_sam2(config, None, device=str(device), hydra_overrides_extra=overrides))
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise ProviderError(
            f"{weights}: these are not weights of {config}. Name the model that they belong to: sam2:MODEL, or with "
            "a path config = … in [providers.sam2]."
        ) from error
    return cast("Model", module)  # it is built by name from a configuration: no type checker can follow


def _state(weights: Path) -> Mapping[str, Tensor]:
    try:
        if weights.suffix == ".safetensors":
            return load_file(weights)
        content: object = torch.load(weights, map_location="cpu", weights_only=True)
    except _LOAD_ERRORS as error:
        raise ProviderError(
            f"{weights}: this is no checkpoint that can be loaded safely, or the file is damaged "
            f"({type(error).__name__}). Copy or download it again."
        ) from error
    state = cast("dict[str, object]", content).get("model") if isinstance(content, dict) else None
    if not isinstance(state, dict):
        raise ProviderError(f"{weights}: a SAM 2 checkpoint has its tensors under 'model'. Give such a file.")
    return cast("dict[str, Tensor]", state)  # whatever else it may hold is refused when it is loaded
