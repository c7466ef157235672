"""Makes the files that :mod:`ravu_kg.providers.encoder` runs from a sentence-transformers model.

The whole model (encoder, pooling, dense layers, normalisation) becomes one ONNX graph. For the two models that the
package ships, the graph holds no weights: each of them points into the ``model.safetensors`` that the model is
published with, so the graph is small and the weights are on disk once. Make those two again, after an update of the
exporter, with::

    python -m ravu_kg.providers.encoder_export MODEL_FOLDER ravu_kg/providers/encoders/NAME

Needs the extra ``sentence-transformers`` (torch); what it makes does not.
"""

# The libraries of the extra have types with holes.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
import struct
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ravu_kg.errors import MissingExtraError, ProviderError
from ravu_kg.providers.encoder import GRAPH, INPUTS, MANIFEST, TOKENIZER, WEIGHTS, Encoder

if TYPE_CHECKING:
    import onnx_ir
    from sentence_transformers import SentenceTransformer

    from ravu_kg.types import FloatArray

EXTRA = "sentence-transformers"
_OWN_WEIGHTS = "weights.bin"
_LONGEST_TOKENS = 512
_INLINE_BYTES = 16_384
_TOLERANCE = 1e-4
_PROBES = ("A person walks to the table.", "the dog, far away, lies still " * 20, "no", "")


def export(model: str, folder: Path, *, share_weights: bool = False) -> None:
    """Write graph, manifest, tokenizer and weights of a model to a folder, and compare the result with torch.

    Args:
        model: a folder, or a name on the hub (fetched by sentence-transformers).
        folder: where to write; made if it does not exist.
        share_weights: write only a graph that points into ``model.safetensors`` of the model's folder.

    Raises:
        MissingExtraError: sentence-transformers or the exporter's libraries are not installed.
        ProviderError: no such model, or its vectors came out different from torch's.
    """
    try:
        import onnxscript.optimizer
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError(f"The encoder {model}", EXTRA) from error
    try:
        loaded = SentenceTransformer(model, device="cpu", model_kwargs={"attn_implementation": "eager"}).eval()
    except (OSError, ValueError) as error:
        raise ProviderError(
            f"sentence-transformers cannot load the model {model!r}: {error} "
            f"Name a folder that holds it, or a model of the hub while the hub can be reached."
        ) from error
    graph = _trace(loaded)
    # The weights' transposes stay in the graph: folded, they would no longer be the tensors of the file, and
    # onnxruntime multiplies by a transposed matrix at no cost.
    onnxscript.optimizer.optimize_ir(graph, should_fold=lambda node: False if node.op_type == "Transpose" else None)
    _strip(graph)
    folder.mkdir(parents=True, exist_ok=True)
    if share_weights:
        _point_into(graph, Path(model) / WEIGHTS)
    _save(graph, folder, share_weights)
    _write_manifest(loaded, folder)
    if not share_weights:
        _write_tokenizer(loaded, folder)
    encoder = Encoder(folder, Path(model) if share_weights else folder)
    with torch.inference_mode():
        expected: FloatArray = loaded.encode(list(_PROBES), normalize_embeddings=True, convert_to_numpy=True)
    difference = float(np.abs(encoder.encode(_PROBES) - expected).max())
    if difference > _TOLERANCE:
        raise ProviderError(f"The exported encoder {model!r} differs from the original by {difference:.1e}.")


def main(arguments: Sequence[str]) -> None:
    """``MODEL_FOLDER TARGET_FOLDER``: make a graph as the package ships it."""
    model, folder = arguments
    export(model, Path(folder), share_weights=True)


def _trace(loaded: SentenceTransformer) -> onnx_ir.Model:
    import torch

    class Whole(torch.nn.Module):
        """All modules of the model in one call, ending in unit vectors."""

        def __init__(self) -> None:
            super().__init__()
            self.parts = loaded

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            features = {INPUTS[0]: input_ids, INPUTS[1]: attention_mask}
            for part in self.parts:
                features = part(features)
            return torch.nn.functional.normalize(features["sentence_embedding"], dim=1)

    ids = torch.randint(5, 1000, (2, 9))
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    batch = torch.export.Dim("batch", min=1, max=1024)
    tokens = torch.export.Dim("tokens", min=2, max=_LONGEST_TOKENS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two inputs share their axes' names: the exporter warns of its own renaming
        program = torch.onnx.export(
            Whole().eval(),
            (ids, mask),
            dynamo=True,
            optimize=False,
            verbose=False,
            input_names=list(INPUTS),
            output_names=["sentence_embedding"],  # a name that no inner value has: the exporter does not check
            dynamic_shapes={name: {0: batch, 1: tokens} for name in INPUTS},
        )
    if program is None:
        raise ProviderError("The exporter returned no graph.")
    return program.model


def _strip(graph: onnx_ir.Model) -> None:
    """Drop stack traces and intermediate shapes: most of the file, and paths of this machine."""
    graph.metadata_props.clear()
    graph.graph.metadata_props.clear()
    for value in (*graph.graph.inputs, *graph.graph.outputs, *graph.graph.initializers.values()):
        value.metadata_props.clear()
    for node in graph.graph.all_nodes():
        node.metadata_props.clear()
        node.doc_string = None
        for value in node.outputs:
            value.metadata_props.clear()
            if not value.is_graph_output():
                value.shape = None
                value.type = None


def _point_into(graph: onnx_ir.Model, weights: Path) -> None:
    """Make each initializer that equals a tensor of the file a reference to its bytes.

    Raises:
        ProviderError: a large initializer is in no tensor of the file.
    """
    import onnx_ir
    from safetensors.numpy import load_file

    with weights.open("rb") as file:
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        header: dict[str, dict[str, list[int]]] = json.loads(file.read(header_bytes))
    tensors = load_file(weights)
    for name, value in graph.graph.initializers.items():
        if value.const_value is None:
            continue
        array = value.const_value.numpy()
        same = [key for key in tensors if name.endswith("." + key) and np.array_equal(tensors[key], array)]
        if not same and array.nbytes <= _INLINE_BYTES:
            continue
        if not same:
            raise ProviderError(f"The weight {name} is not a tensor of {weights}.")
        start, end = header[same[0]]["data_offsets"]
        value.const_value = onnx_ir.ExternalTensor(
            weights.name,
            8 + header_bytes + start,
            end - start,
            value.const_value.dtype,
            shape=onnx_ir.Shape(array.shape),
            name=name,
            base_dir=weights.parent,
        )


def _save(graph: onnx_ir.Model, folder: Path, share_weights: bool) -> None:
    import onnx_ir

    onnx_ir.save(graph, folder / GRAPH, external_data=None if share_weights else _OWN_WEIGHTS)


def _write_manifest(loaded: SentenceTransformer, folder: Path) -> None:
    prompts = loaded.prompts
    longest = loaded.max_seq_length
    manifest = {
        "dimensions": loaded.get_embedding_dimension(),
        "max_tokens": _LONGEST_TOKENS if longest is None else min(int(longest), _LONGEST_TOKENS),
        "pad_id": loaded.tokenizer.pad_token_id,
        "query_prompt": prompts.get("query") or "",
        "document_prompt": prompts.get("document") or "",
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _write_tokenizer(loaded: SentenceTransformer, folder: Path) -> None:
    backend = getattr(loaded.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ProviderError("The model has no fast tokenizer, so it cannot run without torch. Choose another model.")
    backend.save(str(folder / TOKENIZER))


if __name__ == "__main__":
    main(sys.argv[1:])
