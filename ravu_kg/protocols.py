"""What a plug-in has to offer: structural types, no base class to inherit.

An entry point is a factory ``(model: str, options: Mapping[str, object]) -> provider``; it is chosen by a
reference such as ``"yolox:weights.onnx"`` and loaded by :mod:`ravu_kg.plugins`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from ravu_kg.types import Detection, FloatArray, Image, ModelReply, ModelRequest, TrackedDetection, VideoFrame


class Detector(Protocol):
    """Finds boxes in frames. One instance per video."""

    @property
    def name(self) -> str:
        """Reference of the detector with its model, as stored in the graph."""
        ...

    @property
    def stateful(self) -> bool:
        """True when a result depends on the frames before (background subtraction)."""
        ...

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of each frame, in the order of the frames; frames come in time order.

        Raises:
            ProviderError: the model failed.
        """
        ...


class Tracker(Protocol):
    """Gives detections of consecutive frames to tracks. One instance per video."""

    @property
    def name(self) -> str:
        """Name as stored in the graph."""
        ...

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """The tracked detections of this frame; frames come in time order at the tracking rate.

        Raises:
            ProviderError: the model of a tracker that has one failed.
        """
        ...

    def reset(self) -> None:
        """End all tracks (a shot cut); ids are never used again."""
        ...


class Embedder(Protocol):
    """Turns sentences into unit vectors (the paper's g_e)."""

    @property
    def name(self) -> str:
        """Reference of the embedder with its model, as stored in the graph."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions), each of unit length.

        Raises:
            ProviderError: the model failed.
        """
        ...


class AppearanceModel(Protocol):
    """Turns what is inside boxes into vectors by which entities are told apart."""

    @property
    def name(self) -> str:
        """Reference of the provider with its model, as stored in the graph."""
        ...

    def embed(self, crops: Sequence[Image]) -> FloatArray:
        """Unit vectors of shape (len(crops), d) of at least one picture of any size."""
        ...


class LanguageModel(Protocol):
    """Answers requests of text and, when it can, images (the paper's g_l and g_m). Safe to call from threads."""

    @property
    def name(self) -> str:
        """Reference of the provider with its model, as usage and the graph name it."""
        ...

    @property
    def accepts_images(self) -> bool:
        """Whether requests may hold images."""
        ...

    def complete(self, request: ModelRequest, timeout_s: float) -> ModelReply:
        """One call, without any retry; the reply is text as the model wrote it, not yet checked.

        Raises:
            RefusalError: a safety filter or the model itself declined.
            ProviderError: anything else; ``retryable`` and ``retry_after_s`` say whether and when to try again.
        """
        ...
