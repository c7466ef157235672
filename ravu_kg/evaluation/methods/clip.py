"""CLIP over the pictures of a video, as the paper's baseline: EVA02-CLIP-L-14 through open_clip."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError, VideoError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.methods.baselines import as_evidence
from ravu_kg.evaluation.methods.protocol import answer_from, found_by, localizing, own_texts
from ravu_kg.evaluation.questions import Question
from ravu_kg.graph.reader import VideoRow
from ravu_kg.reasoning.models.pictures import EvidencePictures
from ravu_kg.reasoning.records import Answer, Evidence
from ravu_kg.types import FloatArray, Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MODEL = "EVA02-L-14:merged2b_s4b_b131k"
"""The paper's: name of the model and of its weights in open_clip."""
_BATCH = 16


class ClipModel(Protocol):
    """Puts pictures and texts into one space."""

    @property
    def name(self) -> str:
        """Model and weights."""
        ...

    def pictures(self, images: Sequence[Image]) -> FloatArray:
        """Unit vectors, one a row."""
        ...

    def texts(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, one a row."""
        ...


class ClipSearch:
    """Answers from the frames that are nearest to the question by CLIP.

    A model that looks at pictures is shown them; any other answerer reads what the graph says of these frames.
    """

    name = "clip"

    def __init__(self, model: ClipModel, seconds: int) -> None:
        self._model = model
        self._seconds = seconds
        self._one_at_a_time = threading.Lock()

    @property
    def says(self) -> str:
        """See :class:`Method`."""
        return f"the {self._seconds} frames that are nearest to the question by {self._model.name}"

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """See :class:`Method`."""
        return own_texts(questions)

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`; also raises VideoError when the video's file is not there."""
        with self._one_at_a_time:  # the model uses all cores by itself
            times_s, scores = self._scores(bench, video, [one.question for one in questions])
        phrases, reader = bench.phrases(), bench.one_video()
        phrases.prepare(option for one in questions for option in one.options)
        said = {one.frame_index: one for one in reversed(bench.sentences(video))}  # the first of each frame
        for question, of_question in zip(questions, scores, strict=True):
            evidence: list[Evidence] = []
            for position in np.argsort(-of_question, kind="stable")[: self._seconds]:
                index, score = int(position), float(of_question[position])
                if (one := said.get(index)) is not None:
                    evidence.append(replace(as_evidence(one, video), score=score))
                else:
                    evidence.append(Evidence(times_s[index], index, (), "found", score, "", video_id=video.video_id))
            execution = found_by(bench, video, question.question, evidence, localizing(question.question))
            yield answer_from(bench, execution, question, phrases, reader, self._model.name)

    def _scores(self, bench: Bench, video: VideoRow, questions: Sequence[str]) -> tuple[list[float], list[FloatArray]]:
        """Seconds of the sampled frames, and for each question how near each frame is, 0..1."""
        from ravu_kg.video.reader import read_frames  # opens libraries that other methods do without

        info = EvidencePictures(bench.reader).file(video)
        times_s: list[float] = []
        vectors: list[FloatArray] = []
        batch: list[Image] = []
        for frame in read_frames(info, 1 / video.sample_interval_s):
            times_s.append(frame.timestamp_s)
            batch.append(frame.image)
            if len(batch) == _BATCH:
                vectors.append(self._model.pictures(batch))
                batch = []
        if batch:
            vectors.append(self._model.pictures(batch))
        if not vectors:
            raise VideoError(f"{info.path} has no frame to look at.")
        pictures, texts = np.concatenate(vectors), self._model.texts(questions)
        return times_s, [np.asarray((1 + pictures @ text) / 2, np.float32) for text in texts]


def load_clip(reference: str = "") -> ClipModel:
    """A model of open_clip.

    Args:
        reference: ``MODEL:WEIGHTS``, the weights by their name in open_clip or as a file; empty for the paper's.

    Raises:
        MissingExtraError: open_clip is not installed.
        ConfigurationError: no such model or weights.
        ProviderError: the weights cannot be had.
    """
    try:
        library = cast("_OpenClip", import_module("open_clip"))  # it ships no types; these are its documented functions
    except ImportError as error:
        raise MissingExtraError("CLIP", "clip") from error
    reference = reference or MODEL
    model, _, weights = reference.partition(":")
    if model not in library.list_models():
        near = [one for one in library.list_models() if one.lower().startswith(model.lower()[:5])]
        raise ConfigurationError(f"open_clip has no model {model!r}. Like it are: {', '.join(near) or 'none'}.")
    named = library.list_pretrained_tags_by_model(model)
    if weights not in named and not Path(weights).expanduser().is_file():
        raise ConfigurationError(
            f"{weights or 'no name'} is neither a file nor the name of weights of {model}. There are: "
            f"{', '.join(named) or 'none; name a file'}."
        )
    return _Loaded(library, reference, model, weights if weights in named else str(Path(weights).expanduser()))


class _Tensor(Protocol):
    def float(self) -> _Tensor: ...
    def numpy(self) -> FloatArray: ...


class _Network(Protocol):
    def eval(self) -> object: ...
    def encode_image(self, images: object, normalize: bool) -> _Tensor: ...
    def encode_text(self, text: object, normalize: bool) -> _Tensor: ...


class _OpenClip(Protocol):
    def list_models(self) -> list[str]: ...
    def list_pretrained_tags_by_model(self, model: str) -> list[str]: ...
    def create_model_and_transforms(
        self, model_name: str, pretrained: str
    ) -> tuple[_Network, object, Callable[[Picture], object]]: ...
    def get_tokenizer(self, model_name: str) -> Callable[[list[str]], object]: ...


class _Torch(Protocol):
    def no_grad(self) -> _Context: ...
    def stack(self, tensors: Sequence[object]) -> object: ...


class _Context(Protocol):
    def __enter__(self) -> object: ...
    def __exit__(self, *arguments: object) -> object: ...


class _Loaded:
    def __init__(self, library: _OpenClip, reference: str, model: str, weights: str) -> None:
        self._reference = reference
        self._torch = cast("_Torch", import_module("torch"))  # open_clip needs it; two of its functions are used
        try:
            self._network, _, self._prepare = library.create_model_and_transforms(model, pretrained=weights)
        except (OSError, RuntimeError, ValueError, KeyError, UnpicklingError) as error:
            told = " ".join(str(error).split())[:200]
            raise ProviderError(
                f"The weights {weights} of {model} cannot be loaded: {told}. Fetch them where the hub can be reached, "
                "and name the file with --clip-model MODEL:FILE."
            ) from error
        self._network.eval()
        self._tokenize = library.get_tokenizer(model)

    @property
    def name(self) -> str:
        return f"open_clip:{self._reference}"

    def pictures(self, images: Sequence[Image]) -> FloatArray:
        from PIL import Image as Pictures

        ready = [self._prepare(Pictures.fromarray(image)) for image in images]
        with self._torch.no_grad():
            return self._network.encode_image(self._torch.stack(ready), normalize=True).float().numpy()

    def texts(self, texts: Sequence[str]) -> FloatArray:
        with self._torch.no_grad():
            return self._network.encode_text(self._tokenize(list(texts)), normalize=True).float().numpy()
