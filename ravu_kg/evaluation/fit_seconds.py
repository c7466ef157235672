"""Fits the weights of how likely each second of a video shows what a question asks for.

They are fitted on half of the videos and tested on the other half, and the other way round, and then on all videos::

    python -m ravu_kg.evaluation.fit_seconds val.csv gsub_val.json --home HOME

The files are those of NExT-GQA; the captions of the videos have to be in the evaluation's memory. Printed are the
figures of both, those of the weights that the product has, and the weights fitted on all videos as
:mod:`ravu_kg.reasoning.grounding.likelihood` has them. Nothing is written. How far neighbours count and the share of
events were set by hand. Needs torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np

from ravu_kg.errors import MissingExtraError, RavuError, UsageError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.datasets import read_questions
from ravu_kg.evaluation.fit import held_out
from ravu_kg.evaluation.home import own_settings
from ravu_kg.evaluation.metrics import iop, mean_of, top_second_in_span, union
from ravu_kg.evaluation.questions import Question
from ravu_kg.evaluation.results import Result, ranked_seconds, unanswered
from ravu_kg.evaluation.sources import graph_of
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.memory import VideoMemory
from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.grounding.grounded import seconds_of
from ravu_kg.reasoning.grounding.likelihood import (
    ANCHOR_WIDTH_S,
    WEIGHTS,
    WIDTH_S,
    SignalWeights,
    Vector,
    Weights,
    Window,
    likelihood,
    prior,
    signals,
)
from ravu_kg.reasoning.grounding.seconds import Seconds, Values
from ravu_kg.reasoning.grounding.settings import GROUNDING
from ravu_kg.reasoning.grounding.sought import Sought, sought_by
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.noun_phrases import first_noun_phrase
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.settings import load

Fit = Callable[[Sequence["Sample"]], Weights]


@dataclass(frozen=True, eq=False)
class Sample:
    """A question about a video of n frames, and what the model takes of it."""

    question: Question
    seconds: Seconds
    sought: Sought
    vector: Vector
    main: Values
    """(4, n): the signals, smoothed, in the order of their weights."""
    anchor: Values | None
    """(3, n): those of the moment that is referred to, without that of the whole question; None without a moment."""
    places: Values
    """(k, n): how much of each of the prior's k numbers holds for a frame."""
    shown: Values
    """(n,): how much of each frame's time lies in the true spans, 0..1."""

    @classmethod
    def of(cls, question: Question, seconds: Seconds, sought: Sought, vector: Vector) -> Sample:
        """By what the product finds.

        Args:
            question: with true spans.
            seconds: of its video.
            sought: what its plan looks for.
            vector: embeds a text.
        """
        main = signals(seconds, sought.main, sought.whole, sought.subject, vector, GROUNDING)
        anchor: Values | None = None
        if sought.anchor is not None and sought.direction is not None:
            subject = first_noun_phrase(sought.anchor)
            clause, _, words, seen = signals(seconds, sought.anchor, sought.anchor, subject, vector, GROUNDING)
            anchor = np.stack([seconds.smooth(one, ANCHOR_WIDTH_S) for one in (clause, words, seen)])
        return cls(
            question,
            seconds,
            sought,
            vector,
            np.stack([seconds.smooth(one, WIDTH_S) for one in main]),
            anchor,
            np.stack([prior(seconds, tuple(one)) for one in np.eye(len(WEIGHTS.priors[None])).tolist()]),
            _shown(seconds, question),
        )

    def result(self, weights: Weights) -> Result:
        """The question with its seconds, best first, as the product ranks them by these weights."""
        found = likelihood(self.seconds, self.sought, self.vector, GROUNDING, weights)
        ranked = ranked_seconds(list(zip(self.seconds.timestamps_s.tolist(), found.tolist(), strict=True)))
        return replace(unanswered(self.question, "unknown", "only its seconds are sought"), seconds=tuple(ranked))


def _shown(seconds: Seconds, question: Question) -> Values:
    starts_s, ends_s = seconds.timestamps_s, seconds.timestamps_s + seconds.interval_s
    inside_s = np.zeros(len(starts_s))
    for start_s, end_s in union(question.spans):
        inside_s += np.clip(np.minimum(ends_s, end_s) - np.maximum(starts_s, start_s), 0.0, None)
    return inside_s / seconds.interval_s


def collect(memory: VideoMemory, bench: Bench, questions: Sequence[Question]) -> list[Sample]:
    """What the memory tells of each question whose spans are known.

    Raises:
        UsageError: none is about a captioned video of the memory.
        ProviderError: the embedder failed.
        GraphError: Neo4j failed.
    """
    videos, planner = graph_of(memory, "captions").videos, RulePlanner()
    asked = [one for one in questions if one.spans and one.video in videos]
    looked_for = [(one, sought) for one in asked if (sought := sought_by(planner.plan(one.question))) is not None]
    phrases = bench.phrases()
    phrases.prepare(text for _, sought in looked_for for text in sought.texts)
    known: dict[str, Seconds | None] = {}
    samples: list[Sample] = []
    for one, sought in looked_for:
        if one.video not in known:
            video = bench.reader.video(videos[one.video])
            known[one.video] = seconds_of(Context(video, bench.reader, phrases, RuleJudge()))
        if (seconds := known[one.video]) is not None:
            samples.append(Sample.of(one, seconds, sought, phrases.vector))
    if not samples:
        raise UsageError("No question with spans is about a captioned video of this memory. Load its captions first.")
    return samples


def cross_checked(samples: Sequence[Sample], fit: Fit) -> list[Result]:
    """The questions of each half by the weights that were fitted on the other half."""
    halves = {half: [one for one in samples if held_out(one.question.video) == half] for half in (False, True)}
    if not all(halves.values()):
        raise UsageError("All videos are in one half. Load the captions of more videos.")
    results: list[Result] = []
    for half, tested in halves.items():
        weights = fit(halves[not half])
        results += [one.result(weights) for one in tested]
    return results


def report(rows: Sequence[tuple[str, Sequence[Result]]]) -> Iterator[str]:
    """Best seconds and IoP of each set of results."""
    yield f"{'':42}{'best':>7}{'IoP':>7}{'TC':>7}{'TN+TP':>7}   held-out half     other half"
    for name, results in rows:
        halves = [[one for one in results if held_out(one.video) == half] for half in (True, False)]
        current = [one for one in results if one.type == "TC"]
        beside = [one for one in results if one.type in ("TN", "TP")]
        both = "   ".join(f"{_best(half)} {_iop(half)}" for half in halves)
        yield f"{name:42}{_best(results)}{_iop(results)}{_iop(current)}{_iop(beside)} {both}"


def _best(results: Sequence[Result]) -> str:
    return f"{100 * mean_of(results, top_second_in_span).value:6.1f}%"


def _iop(results: Sequence[Result]) -> str:
    return f"{mean_of(results, iop).value:7.3f}"


def written(weights: Weights) -> str:
    """As :mod:`ravu_kg.reasoning.grounding.likelihood` has them, rounded."""
    lines = ["WEIGHTS = Weights("]
    for name, signal in (("alone", weights.alone), ("beside", weights.beside), ("anchor", weights.anchor)):
        lines.append(f"    {name}={_named(signal)},")
    lines += [f"    anchor_prior={_rounded(weights.anchor_prior)},", "    priors={"]
    for part, at in weights.priors.items():
        key = f'"{part}"' if part else part
        lines.append(f"        {key}: ({', '.join(map(_rounded, at))}),")
    lines += ["    },", "    windows={"]
    for direction, window in weights.windows.items():
        lines.append(f'        "{direction}": {_named(window)},')
    return "\n".join([*lines, "    },", ")"])


def _named(numbers: SignalWeights | Window) -> str:
    named = ", ".join(f"{name}={_rounded(number)}" for name, number in asdict(numbers).items())
    return f"{type(numbers).__name__}({named})"


def _rounded(number: float) -> str:
    return str(round(number, 2) + 0.0)  # no -0.0


def _fit_by_torch() -> Fit:
    if find_spec("torch") is None:
        raise MissingExtraError("Fitting the weights of seconds", "sentence-transformers", command="pip install torch")
    from ravu_kg.evaluation.seconds_model import fit

    return fit


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what it comes to."""
    parser = argparse.ArgumentParser(prog="python -m ravu_kg.evaluation.fit_seconds", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="val.csv and gsub_val.json of NExT-GQA")
    parser.add_argument("--home", type=Path, help="data folder of the evaluation's server")
    parsed = parser.parse_args(arguments)
    try:
        fit = _fit_by_torch()
        questions = read_questions("nextgqa", cast("list[Path]", parsed.files))
        settings = own_settings(load(), home=cast("Path | None", parsed.home))
        with (
            VideoMemory.open(settings) as memory,
            SentenceCache(memory.settings.cache / "sentences.sqlite") as cache,
            closing(Bench(memory, cache)) as bench,
        ):
            samples = collect(memory, bench, questions)
            checked = cross_checked(samples, fit)
            of_all = fit(samples)
            rows = [
                ("fitted on one half, tested on the other", checked),
                ("fitted on all, tested on the same", [one.result(of_all) for one in samples]),
                ("the product's weights", [one.result(WEIGHTS) for one in samples]),
            ]
    except RavuError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    videos = len({one.question.video for one in samples})
    sys.stdout.write(f"{len(samples)} questions about {videos} videos\n")
    sys.stdout.write("\n".join([*report(rows), "", "Fitted on all videos:", written(of_all)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
