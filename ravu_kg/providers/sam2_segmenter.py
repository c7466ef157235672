"""Runs SAM 2 as a stream: one picture at a time, with as much memory of each thing as the model looks back at.

The library's video predictor wants a whole video before it starts, and keeps all of it. What it does to a picture is
``track_step`` of the model, which is given here the same inputs in the same order: the masks are the predictor's own.
A thing's memory is the picture that it was prompted in, the six before the present one and fifteen small pointers.

Imports torch; only :mod:`ravu_kg.providers.sam2` imports this, when a tracker is built.
"""

# Parts of torch have types with holes.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from typing import cast

import numpy as np
import torch
from PIL import Image as Pictures
from torch import Tensor
from torch.nn import functional

from ravu_kg.errors import ProviderError
from ravu_kg.providers.mask_tracking import Mask
from ravu_kg.providers.sam2_model import Kept, Model, Output
from ravu_kg.types import Box, Image

_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_SPREAD = np.array([0.229, 0.224, 0.225], dtype=np.float32)
_LONGEST_MASK_PX = 1024
_BOX_CORNERS = (2, 3)
"""What the model calls the two corners of a box among its point labels."""


@dataclass(slots=True)
class _Memory:
    """What is remembered of one thing."""

    prompted: dict[int, Kept]
    recent: dict[int, Kept] = field(default_factory=dict[int, Kept])

    def keep(self, at: int, output: Kept, model: Model) -> None:
        self.recent[at] = output
        self.recent.pop(at - model.max_obj_ptrs_in_encoder + 1, None)
        seldom = self.recent.get(at - model.num_maskmem + 1)
        if seldom is not None:
            seldom["maskmem_features"] = None


@dataclass(frozen=True, slots=True)
class _Features:
    maps: Sequence[Tensor]
    positions: Sequence[Tensor]
    sizes: Sequence[tuple[int, int]]


class Sam2Segmenter:
    """A segmenter (see :mod:`ravu_kg.providers.mask_tracking`) that is a loaded model; one per video."""

    def __init__(self, model: Model, device: torch.device) -> None:
        self._model = model
        self._device = device
        self._numbers = count(1)
        self._memories: dict[int, _Memory] = {}
        self._at = 0
        self._image: Image | None = None
        self._features: _Features | None = None
        self._memory_positions: Sequence[Tensor] = ()

    def advance(self, image: Image) -> Mapping[int, Mask]:
        """The masks in the next picture of what is followed; costs nothing while nothing is.

        Raises:
            ProviderError: the model failed.
        """
        self._at += 1
        self._image, self._features = image, None
        masks: dict[int, Mask] = {}
        with self._running():
            for number, memory in self._memories.items():
                output = self._step(memory)
                memory.keep(self._at, self._kept(output), self._model)
                mask = self._mask(output)
                if mask is not None:
                    masks[number] = mask
        return masks

    def start(self, where: Box | Mask) -> tuple[int, Mask] | None:
        """Follow the thing in a box or under a mask from the present picture on; None when nothing is there.

        Raises:
            ProviderError: the model failed.
        """
        with self._running():
            output = self._step(None, where)
            mask = self._mask(output)
            if mask is None:
                return None
            number = next(self._numbers)
            self._memories[number] = _Memory({self._at: self._kept(output)})
            return number, mask

    def drop(self, number: int) -> None:
        """Forget a thing."""
        del self._memories[number]

    def clear(self) -> None:
        """Forget everything; numbers go on."""
        self._memories.clear()
        self._image = self._features = None

    @contextmanager
    def _running(self) -> Generator[None]:
        half = torch.autocast("cuda", dtype=torch.bfloat16) if self._device.type == "cuda" else nullcontext()
        try:
            with torch.inference_mode(), half:
                yield
        except RuntimeError as error:  # also when memory runs out
            said = str(error).partition("\n")[0].rstrip(". ")
            raise ProviderError(
                f"SAM 2 failed on {self._device} while it followed {len(self._memories)} things: {said}. Name a "
                'smaller model (sam2:sam2.1-hiera-tiny), or give a smaller image_size or device = "cpu" in '
                "[providers.sam2]."
            ) from error

    def _step(self, memory: _Memory | None, where: Box | Mask | None = None) -> Output:
        features = self._seen()
        return self._model.track_step(
            frame_idx=self._at,
            is_init_cond_frame=memory is None,
            current_vision_feats=features.maps,
            current_vision_pos_embeds=features.positions,
            feat_sizes=features.sizes,
            point_inputs=self._corners(where) if isinstance(where, Box) else None,
            mask_inputs=self._prompt(where) if isinstance(where, np.ndarray) else None,
            output_dict={
                "cond_frame_outputs": memory.prompted if memory else {},
                "non_cond_frame_outputs": memory.recent if memory else {},
            },
            num_frames=sys.maxsize,  # a stream: nobody knows
        )

    def _seen(self) -> _Features:
        if self._image is None:
            raise ValueError("there is no picture yet")
        if self._features is None:
            size = self._model.image_size
            small = np.asarray(Pictures.fromarray(self._image).resize((size, size)), dtype=np.float32) / 255
            scaled = (small - _MEAN) / _SPREAD
            picture = torch.from_numpy(scaled).permute(2, 0, 1)[None].to(self._device)
            output = self._model.forward_image(picture)
            maps = output["backbone_fpn"][-self._model.num_feature_levels :]
            positions = output["vision_pos_enc"][-self._model.num_feature_levels :]
            self._features = _Features(
                maps=[level.flatten(2).permute(2, 0, 1) for level in maps],
                positions=[level.flatten(2).permute(2, 0, 1) for level in positions],
                sizes=[(level.shape[-2], level.shape[-1]) for level in positions],
            )
        return self._features

    def _corners(self, box: Box) -> Mapping[str, Tensor]:
        rows, columns = self._shape()
        corners = torch.tensor([[[box.x_min, box.y_min], [box.x_max, box.y_max]]], dtype=torch.float32)
        scaled = corners / torch.tensor([columns, rows]) * self._model.image_size
        labels = torch.tensor([_BOX_CORNERS], dtype=torch.int32)
        return {"point_coords": scaled.to(self._device), "point_labels": labels.to(self._device)}

    def _prompt(self, mask: Mask) -> Tensor:
        size = self._model.image_size
        scores = torch.from_numpy(mask.astype(np.float32))[None, None].to(self._device)
        fitted = functional.interpolate(scores, (size, size), mode="bilinear", align_corners=False, antialias=True)
        return (fitted >= 0.5).float()

    def _kept(self, output: Output) -> Kept:
        # The same for all pictures and things: kept once. Half precision is what the library remembers in, too.
        self._memory_positions = self._memory_positions or output["maskmem_pos_enc"]
        return {
            "obj_ptr": output["obj_ptr"],
            "maskmem_features": output["maskmem_features"].to(torch.bfloat16),
            "maskmem_pos_enc": self._memory_positions,
        }

    def _mask(self, output: Output) -> Mask | None:
        """The mask, of the picture's own size or less; None when the model says that the thing cannot be seen."""
        rows, columns = self._shape()
        scale = min(1.0, _LONGEST_MASK_PX / max(rows, columns))
        size = (max(1, round(rows * scale)), max(1, round(columns * scale)))
        scores = functional.interpolate(output["pred_masks"].float(), size, mode="bilinear", align_corners=False)
        mask = cast("Mask", (scores[0, 0] > 0).cpu().numpy())  # torch's arrays are untyped
        return mask if mask.any() else None

    def _shape(self) -> tuple[int, int]:
        if self._image is None:
            raise ValueError("there is no picture yet")
        return self._image.shape[0], self._image.shape[1]
