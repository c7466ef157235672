"""Runs a sentence encoder: an ONNX graph that ends in unit vectors, and its tokenizer. No torch."""

# onnxruntime has no types, tokenizers some.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravu_kg.cores import cores
from ravu_kg.errors import ProviderError
from ravu_kg.types import FloatArray

GRAPH = "graph.onnx"
MANIFEST = "encoder.json"
TOKENIZER = "tokenizer.json"
WEIGHTS = "model.safetensors"
INPUTS = ("input_ids", "attention_mask")

_BATCH_TEXTS = 32  # 64 was not faster
_BATCH_TOKENS = 4096  # bounds the attention matrices: 10 texts of 384 tokens, 70 MB


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the graph does not say of itself."""

    dimensions: int
    max_tokens: int
    pad_id: int
    query_prompt: str
    document_prompt: str

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest that lies beside a graph."""
        return cls(**json.loads((folder / MANIFEST).read_text(encoding="utf-8")))


class Encoder:
    """One loaded encoder."""

    def __init__(self, graph_folder: Path, weights_folder: Path, threads: int = 0) -> None:
        """Load graph and manifest from one folder, weights and tokenizer from another (or the same).

        Args:
            graph_folder: has the graph and its manifest.
            weights_folder: has the tokenizer and the file that the graph's weights point into.
            threads: of onnxruntime; 0 is one for each core.

        Raises:
            ProviderError: a file is missing or damaged.
        """
        # Imported here: a manifest is read without them.
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # A number of its own: left to choose, onnxruntime ties each thread to a core, busy or not.
        options.intra_op_num_threads = threads or cores()
        options.log_severity_level = 3
        # Idle threads would burn the cores that decoding and detection use.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(weights_folder))
        try:
            self.manifest = Manifest.read(graph_folder)
            self._session = onnxruntime.InferenceSession(
                (graph_folder / GRAPH).read_bytes(),
                options,
                providers=["CPUExecutionProvider"],
                # Folding would copy all weights to transpose them: twice the time to load, and 100 MB more.
                disabled_optimizers=["ConstantFolding"],
            )
            self._tokenizer = Tokenizer.from_file(str(weights_folder / TOKENIZER))
        except Exception as error:  # onnxruntime and tokenizers raise classes without a common base
            raise ProviderError(
                f"The encoder in {weights_folder} cannot be loaded: {error} Delete that folder and try again."
            ) from error
        # Both published tokenizers cut at 128 tokens and pad to 128.
        self._tokenizer.enable_truncation(self.manifest.max_tokens)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions); a text longer than the model's limit is cut there.

        Raises:
            ProviderError: onnxruntime failed.
        """
        vectors = np.empty((len(texts), self.manifest.dimensions), np.float32)
        # A lone surrogate (from an undecodable file name or argument) is no text to the tokenizer.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(clean)]
        for batch in _batches([len(ids) for ids in tokens]):
            vectors[batch] = self._run([tokens[position] for position in batch])
        return vectors

    def _run(self, tokens: Sequence[Sequence[int]]) -> FloatArray:
        shape = len(tokens), max(len(ids) for ids in tokens)
        input_ids = np.full(shape, self.manifest.pad_id, np.int64)
        mask = np.zeros(shape, np.int64)
        for row, ids in enumerate(tokens):
            input_ids[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        try:
            (vectors,) = self._session.run(None, dict(zip(INPUTS, (input_ids, mask), strict=True)))
        except Exception as error:  # onnxruntime's errors have no common base
            raise ProviderError(f"The encoder failed on {len(tokens)} texts: {error}") from error
        return np.asarray(vectors, np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions in batches of similar length, so that little is spent on padding."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _BATCH_TEXTS or (len(batch) + 1) * lengths[position] > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
