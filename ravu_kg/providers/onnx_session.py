"""An onnxruntime session with types: the library ships none, so its unknown names stop in this module."""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)

from ravu_kg.errors import ProviderError
from ravu_kg.types import FloatArray

RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)
"""What the library raises; its classes have no common base."""


class Tensor(Protocol):
    """An input or output of a graph."""

    name: str
    shape: Sequence[int | str | None]
    type: str


class Session(Protocol):
    """What is used of ``onnxruntime.InferenceSession``."""

    def get_inputs(self) -> Sequence[Tensor]:
        """The graph's inputs."""
        ...

    def run(self, output_names: None, input_feed: Mapping[str, FloatArray]) -> Sequence[FloatArray]:
        """All outputs; raises one of RUNTIME_ERRORS."""
        ...


def load(path: Path, otherwise: str, *, threads: int = 0) -> tuple[Session, str]:
    """A session on the CPU and the SHA-256 of its file.

    Args:
        path: an ONNX file that holds its weights.
        otherwise: what to do when there is no such file, as a sentence.
        threads: of one run; 0 for the library's default, all cores.

    Raises:
        ProviderError: the file is missing, unreadable or no ONNX model.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ProviderError(f"{path}: there is no such model file. {otherwise}") from error
    except OSError as error:
        raise ProviderError(f"{path}: the model file cannot be read ({error.strerror}). Check the path.") from error
    onnxruntime.disable_telemetry_events()
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.intra_op_num_threads = threads
    try:
        session = onnxruntime.InferenceSession(content, settings, providers=["CPUExecutionProvider"])
    except RUNTIME_ERRORS as error:
        raise ProviderError(
            f"{path}: this is not an ONNX model, or the file is damaged. Copy or download it again."
        ) from error
    # The one place where the untyped class meets its protocol.
    return cast(Session, session), hashlib.sha256(content).hexdigest()
