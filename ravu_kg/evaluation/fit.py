"""Fits the weights by which options are weighed and by which it is said that a video does not tell.

Both are fitted on half of the videos and reported on the other half, which half a video is in its name decides::

    python -m ravu_kg.evaluation.fit nextqa=val.csv egoschema=subset_anno.json --home HOME --write weights.toml

The captions of the videos have to be in the evaluation's memory. Few weights are fitted: four for options of a few
words, four for whole sentences, and five or fewer for each kind of doubt.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ravu_kg.errors import RavuError, UsageError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.datasets import read_questions
from ravu_kg.evaluation.home import own_settings
from ravu_kg.evaluation.questions import TYPE_ORDER, Question
from ravu_kg.evaluation.sources import graph_of
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.memory import VideoMemory
from ravu_kg.reasoning.abstaining import doubts_of
from ravu_kg.reasoning.claims import are_sentences
from ravu_kg.reasoning.told import Told, told_of
from ravu_kg.reasoning.weighing import FEATURES, Form, Vectors, Weighed, features_of
from ravu_kg.settings import load
from ravu_kg.types import FloatArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

FORMS: tuple[Form, ...] = ("phrases", "sentences")
DOUBTS: Mapping[str, tuple[str, ...]] = {
    "phrases": ("nearest", "usual", "words", "best_meaning", "best_words"),
    "question": ("nearest", "usual", "words"),
}
"""Features of each doubt. Options that are sentences have none: EgoSchema's questions fit its other videos as well."""
COMMON = 0.3
"""Words are common that are said in so many of the videos."""
MISSED = 0.13
"""So many questions of the right video may be left without answer in the half that is fitted to."""
_SEED = 7
_PENALTY = 0.05
_STEPS = 40


@dataclass(slots=True)
class Sample:
    """What is known of some questions in one form."""

    features: list[FloatArray] = field(default_factory=list[FloatArray])
    answers: list[int] = field(default_factory=list[int])
    types: list[str] = field(default_factory=list[str])
    held_out: list[bool] = field(default_factory=list[bool])
    right: list[Mapping[str, float]] = field(default_factory=list[Mapping[str, float]])
    """What speaks for the video that a question is about."""
    wrong: list[Mapping[str, float]] = field(default_factory=list[Mapping[str, float]])
    """What speaks for another video."""


def held_out(video: str) -> bool:
    """Whether a video is in the half that nothing is fitted to."""
    return hashlib.sha256(video.encode()).digest()[0] % 2 == 1


def fit_options(features: Numbers, answers: NDArray[np.int64]) -> Numbers:
    """Weights that make the right options likeliest.

    Args:
        features: (questions, options, features).
        answers: (questions,) positions of the right options.
    """
    centred = features - features.mean(axis=1, keepdims=True)
    rows = np.arange(len(centred))

    def slope(weights: Numbers) -> tuple[Numbers, Numbers]:
        sums = centred @ weights
        beliefs = np.exp(sums - sums.max(axis=1, keepdims=True))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
        expected = (beliefs[:, :, None] * centred).sum(axis=1)
        gradient = (expected - centred[rows, answers]).sum(axis=0)
        spread = np.einsum("qo,qof,qog->fg", beliefs, centred, centred) - expected.T @ expected
        return gradient, spread

    return _newton(slope, _zeros(features.shape[2]))


def fit_doubt(right: Numbers, wrong: Numbers) -> Numbers:
    """Weights, the constant last, that tell the right video from a wrong one; both are (questions, features)."""
    both = np.concatenate([right, wrong])
    both = np.concatenate([both, np.ones((len(both), 1))], axis=1)
    known = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])

    def slope(weights: Numbers) -> tuple[Numbers, Numbers]:
        sure = 1 / (1 + np.exp(-(both @ weights)))
        return both.T @ (sure - known), (both * (sure * (1 - sure))[:, None]).T @ both

    return _newton(slope, _zeros(both.shape[1]))


def _zeros(count: int) -> Numbers:
    return np.array([0.0] * count, np.float64)


def _newton(slope: Callable[[Numbers], tuple[Numbers, Numbers]], weights: Numbers) -> Numbers:
    for _ in range(_STEPS):
        gradient, curvature = slope(weights)
        step = np.linalg.solve(curvature + _PENALTY * np.eye(len(weights)), gradient + _PENALTY * weights)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def collect(
    memory: VideoMemory, bench: Bench, data_sets: Sequence[Sequence[Question]]
) -> tuple[dict[Form, Sample], frozenset[str]]:
    """What the memory tells of each question's options, of the right video and of a wrong one.

    The wrong video is of the same data set and half. Returns also the words that are common in the fitted half.
    """
    videos = graph_of(memory, "captions").videos
    samples: dict[Form, Sample] = {form: Sample() for form in FORMS}
    tellings = [_tellings(bench, videos, questions) for questions in data_sets]
    common = frozenset(word for told in tellings for word in common_words(told))
    for questions, told in zip(data_sets, tellings, strict=True):
        draw = random.Random(_SEED)
        halves = {half: [video for video in told if held_out(video) == half] for half in (False, True)}
        phrases = bench.phrases()
        for one in questions:
            others = [video for video in halves[held_out(one.video)] if video != one.video]
            if one.video in told and others and len(one.options) > 1 and one.answer is not None:
                form: Form = "sentences" if are_sentences(one.options) else "phrases"
                add(samples[form], one, told[one.video], told[draw.choice(others)], phrases.matrix, common)
    if not any(sample.answers for sample in samples.values()):
        raise UsageError("No question is about a captioned video of this memory. Load its captions first.")
    return samples, common


def _tellings(bench: Bench, videos: Mapping[str, str], questions: Sequence[Question]) -> dict[str, Told]:
    found: dict[str, Told] = {}
    for video in sorted({one.video for one in questions if one.video in videos}):
        told = told_of(bench.reader, videos[video], bench.embedder.dimensions)
        if told is not None:
            found[video] = told
    return found


def common_words(told: Mapping[str, Told]) -> list[str]:
    """Words that are said in many videos of the fitted half."""
    fitted = [one for video, one in told.items() if not held_out(video)]
    often = Counter(word for one in fitted for word in one.frequency)
    return sorted(word for word, count in often.items() if count > COMMON * len(fitted))


def add(sample: Sample, question: Question, told: Told, other: Told, vectors: Vectors, common: frozenset[str]) -> None:
    """Note what speaks for the options of a question, for its video and for another one."""
    assert question.answer is not None  # collect takes no other
    right, wrong = (
        Weighed(question.options, "phrases", features_of(question.question, question.options, one, vectors), ())
        for one in (told, other)
    )
    sample.features.append(right.features)
    sample.answers.append(question.answer)
    sample.types.append(question.type)
    sample.held_out.append(held_out(question.video))
    sample.right.append(doubts_of(question.question, told, vectors, right, common))
    sample.wrong.append(doubts_of(question.question, other, vectors, wrong, common))


@dataclass(frozen=True, eq=False)
class FittedOptions:
    """Weights of a form of options, fitted on each half."""

    form: Form
    weights: Mapping[bool, Numbers]
    """By the half that they are tested on."""
    correct: Flags
    """(questions,) whether each is right by the weights of the other half."""


@dataclass(frozen=True, eq=False)
class FittedDoubt:
    """Weights of a doubt."""

    name: str
    features: tuple[str, ...]
    weights: Numbers
    """The constant last."""
    threshold: float
    right: Numbers
    """How sure of the right videos, in the half that is held out."""
    wrong: Numbers


def fit_form(form: Form, sample: Sample) -> FittedOptions:
    """Fit on each half, test on the other."""
    features, answers = np.array(sample.features, np.float64), np.array(sample.answers, np.int64)
    out = np.array(sample.held_out, np.bool_)
    weights = {half: fit_options(features[out != half], answers[out != half]) for half in (False, True)}
    scores = np.where(out[:, None], features @ weights[True], features @ weights[False])
    return FittedOptions(form, weights, scores.argmax(axis=1) == answers)


def fit_abstaining(name: str, features: tuple[str, ...], sample: Sample) -> FittedDoubt:
    """Fit on one half; how sure it is on the other."""
    right = np.array([[one[feature] for feature in features] for one in sample.right])
    wrong = np.array([[one[feature] for feature in features] for one in sample.wrong])
    out = np.array(sample.held_out, np.bool_)
    weights = fit_doubt(right[~out], wrong[~out])

    def sure(rows: Numbers) -> Numbers:
        return 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))

    threshold = float(np.quantile(sure(right[~out]), MISSED))
    return FittedDoubt(name, features, weights, threshold, sure(right[out]), sure(wrong[out]))


def report(
    fitted: Sequence[FittedOptions], samples: Mapping[Form, Sample], doubts: Sequence[FittedDoubt]
) -> Iterator[str]:
    """Accuracy by type and half, and how often nothing is said."""
    for one in fitted:
        sample = samples[one.form]
        out, types = np.array(sample.held_out, np.bool_), np.array(sample.types)
        yield f"options that are {one.form}: {len(out)} questions, weights of one half tested on the other"
        yield (
            f"  all {_share(one.correct)}, held-out half {_share(one.correct[out])}, "
            f"other half {_share(one.correct[~out])}"
        )
        known = [name for name in (*TYPE_ORDER, *sorted(set(sample.types) - set(TYPE_ORDER))) if name in sample.types]
        for name in known if len(known) > 1 else ():
            chosen = types == name
            yield (
                f"  {name:3} {_share(one.correct[chosen])}, held-out half {_share(one.correct[chosen & out])}, "
                f"other half {_share(one.correct[chosen & ~out])}"
            )
    for doubt in doubts:
        yield f"doubt of {doubt.name}: threshold {doubt.threshold:.3f}, held-out half, {len(doubt.right)} questions"
        yield (
            f"  at it: nothing said of {_share(doubt.right < doubt.threshold)} of the right videos and of "
            f"{_share(doubt.wrong < doubt.threshold)} of wrong ones"
        )
        for percent in (2, 5, 8, 10, 12, 15, 20, 25, 30, 40):
            at = float(np.quantile(doubt.right, percent / 100))
            yield f"  right {percent:3}%: wrong {_share(doubt.wrong < at)}"


def written(
    encoder: str, fitted: Sequence[FittedOptions], doubts: Sequence[FittedDoubt], common: Collection[str], by: str
) -> str:
    """The data file."""
    lines = [
        "# How options are weighed by what is told of a video, and when it is said that it does not tell.",
        f"# Made by `python -m ravu_kg.evaluation.fit {by}`",
        "# on half of the videos. ravu_kg/reasoning/weighing.py and abstaining.py say what each feature is; thresholds",
        "# hold for these encoders only.",
        "",
        f'encoders = ["{encoder}"]',
        "# That these words are said means little: many videos of the half tell of them.",
        "common = [",
        *wrap(", ".join(f'"{word}"' for word in sorted(common)), 110, initial_indent="  ", subsequent_indent="  "),
        "]",
    ]
    for one in fitted:
        lines += ["", f"[options.{one.form}]"]
        lines += [f"{name} = {weight:.3f}" for name, weight in zip(FEATURES, one.weights[True].tolist(), strict=True)]
    for doubt in doubts:
        lines += ["", f"[doubts.{doubt.name}]"]
        names = (*doubt.features, "constant")
        lines += [f"{name} = {weight:.3f}" for name, weight in zip(names, doubt.weights.tolist(), strict=True)]
        lines += [f"threshold = {doubt.threshold:.3f}"]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what it comes to, and write the data file when asked to."""
    parser = argparse.ArgumentParser(prog="python -m ravu_kg.evaluation.fit", description=__doc__)
    parser.add_argument("questions", nargs="+", metavar="DATASET=FILE", help="as in nextqa=val.csv")
    parser.add_argument("--home", type=Path, help="data folder of the evaluation's server")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the weights")
    parsed = parser.parse_args(arguments)
    try:
        given = [_data_set(one) for one in cast("list[str]", parsed.questions)]
        data_sets = [read_questions(name, [path]) for name, path in given]
        settings = own_settings(load(), home=cast("Path | None", parsed.home))
        with (
            VideoMemory.open(settings) as memory,
            SentenceCache(memory.settings.cache / "sentences.sqlite") as cache,
        ):
            bench = Bench(memory, cache)
            encoder = bench.embedder.name
            collected, common = collect(memory, bench, data_sets)
    except RavuError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    samples: dict[Form, Sample] = {form: sample for form, sample in collected.items() if sample.answers}
    fitted = [fit_form(form, sample) for form, sample in samples.items()]
    short = samples.get("phrases")
    doubts = [fit_abstaining(name, features, short) for name, features in DOUBTS.items()] if short else []
    sys.stdout.write("\n".join(report(fitted, samples, doubts)) + "\n")
    if parsed.write:
        by = " ".join(f"{name}={path.name}" for name, path in given)
        cast("Path", parsed.write).write_text(written(encoder, fitted, doubts, common, by), "utf-8")
    return 0


def _data_set(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals:
        raise UsageError(f"{text!r} names no data set. Write it as nextqa=val.csv.")
    return name, Path(path)


def _share(right: Flags) -> str:
    return f"{100 * float(np.mean(right)):.1f}%" if len(right) else "-"


if __name__ == "__main__":
    sys.exit(main())
