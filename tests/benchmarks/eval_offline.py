"""The offline evaluation: every method that needs no model and no video, over captions, and what each gain is due to.

Run: ``python -m tests.benchmarks.eval_offline`` (starts a server of its own; needs the test data).

It loads the captions of NExT-QA's and EgoSchema's videos, puts all questions to each method, and prints accuracy and
grounding beside what was measured before the product could plan. Embedding is told apart: with a filled cache of
sentences it takes no time. ``--videos 40`` takes a part; ``--embedder`` another encoder. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import ravu_kg
from ravu_kg.evaluation import fit, metrics, planning
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.datasets import read_questions
from ravu_kg.evaluation.home import own_settings
from ravu_kg.evaluation.methods import Method
from ravu_kg.evaluation.methods.baselines import AllFrames, Blind, TextSearch
from ravu_kg.evaluation.methods.ravu import Ravu, RavuHierarchical
from ravu_kg.evaluation.questions import Question, select
from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.running import digest_of, put_questions
from ravu_kg.evaluation.runs import Run, Setup, open_run, read_run
from ravu_kg.evaluation.sources import Graph, fill, graph_of
from ravu_kg.evaluation.summary import summary_of
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.memory import VideoMemory, server_config
from ravu_kg.reasoning.grounding.settings import GROUNDING
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.models.choosing import Reasoners
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.protocols import Reply, Supporter
from ravu_kg.reasoning.records import Execution
from ravu_kg.server import EmbeddedServer
from ravu_kg.settings import load
from tests.benchmarks.machine import print_load, test_data

CAPTIONS = ("captions_30w_1fps.json", "captions_event_10w_1fps.json", "objects_3_1fps.json")
ABLATIONS = {
    "planner": "the question is searched for as it is",
    "events": "without what is said of runs of like seconds",
    "words": "by meaning alone, without words in common",
    "smoothing": "each second by itself",
    "entities": "without who or what is seen",
    "margin": "the likeliest anchor alone, no soft window",
}
WORKERS = 2


class NearestOption:
    """Takes the option that any sentence of the evidence comes nearest to: what the product is compared with."""

    name = "nearest option"

    def answer(self, question: str, options: Sequence[str], execution: Execution, supporter: Supporter) -> Reply:
        scores = supporter.support(execution, options)
        best = max(range(len(scores)), key=scores.__getitem__)
        return Reply(options[best], best, 0.0)


class Offline:
    """Runs methods and remembers their figures."""

    def __init__(self, memory: VideoMemory, bench: Bench, graph: Graph, folder: Path) -> None:
        self._memory = memory
        self._bench = bench
        self._graph = graph
        self._folder = folder

    def run(
        self, name: str, dataset: str, questions: Sequence[Question], method: Method, *, plain: bool = False
    ) -> Run:
        """Put the questions to a method, and say how fast that went."""
        bench = self._bench.answering(_plain) if plain else self._bench
        path = self._folder / f"{dataset}-{re.sub('[^a-z0-9]+', '-', name)}"
        setup = Setup(
            dataset,
            len(questions),
            digest_of(questions),
            method.name,
            "captions",
            "captions",
            bench.embedder.name,
            bench.roles,
        )
        with open_run(path, setup, ravu_kg.__version__, name) as writer:
            done = put_questions(questions, self._graph.videos, method, bench, writer, workers=WORKERS)
        print(
            f"  {dataset:10} {name:32} {done.asked:5} questions, {done.questions_per_s:6.1f} a second"
            f" (embedding apart: {done.embedding_s:.1f} s)",
            flush=True,
        )
        return read_run(path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=int, help="only so many of each data set")
    parser.add_argument("--embedder", default="", help="another encoder than all-MiniLM-L6-v2")
    parser.add_argument("--home", type=Path, help="folder of the server's data, kept; by default one for this run")
    parser.add_argument("--runs", type=Path, help="folder for the runs, for `ravu-kg eval report`; kept")
    parser.add_argument(
        "--ablations", type=int, default=800, metavar="N", help="questions of each ablation; 0 for none"
    )
    asked = parser.parse_args(arguments)
    print_load()
    started_s = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        home = asked.home or Path(temporary) / "neo4j"
        settings = own_settings(load(), embedder=asked.embedder, home=home)
        server = settings.server.model_copy(update={"heap_mb": settings.server.heap_mb or 2048})
        settings = settings.model_copy(update={"server": server})
        try:
            with VideoMemory.open(settings) as memory, _cache(memory) as cache:
                _evaluate(memory, cache, asked.runs or Path(temporary) / "runs", asked.videos, asked.ablations)
            if not asked.embedder:
                _fits(home)
        finally:
            EmbeddedServer(server_config(settings)).stop()
    print(f"\nAll of it: {(time.perf_counter() - started_s) / 60:.1f} minutes")
    print_load()
    return 0


def _evaluate(memory: VideoMemory, cache: SentenceCache, folder: Path, videos: int | None, ablations: int) -> None:
    data = test_data()
    print(f"\nEncoder: {memory.embedder.name}\n\nLoading")
    nextqa_names = _load(memory, "NExT-QA", [data / "nextqa_captions" / name for name in CAPTIONS], folder, videos)
    ego_names = _load(memory, "EgoSchema", [data / "egoschema" / "lavila_subset.json"], folder, videos)
    grounded = read_questions("nextgqa", [data / "nextgqa" / "val.csv", data / "nextgqa" / "gsub_val.json"])
    nextqa = read_questions("nextqa", [data / "nextqa" / "val.csv", data / "nextgqa" / "gsub_val.json"])
    egoschema = read_questions("egoschema", [data / "egoschema" / "subset_anno.json"])
    grounded, nextqa = _of(grounded, nextqa_names), _of(nextqa, nextqa_names)
    egoschema = _of(egoschema, ego_names)
    with closing(Bench(memory, cache)) as bench:
        offline = Offline(memory, bench, graph_of(memory, "captions"), folder)
        print("\nAsking")
        runs = [
            offline.run("blind", "nextqa", nextqa, Blind()),
            offline.run("text, 5 s", "nextqa", nextqa, TextSearch(5)),
            offline.run("text, 5 s, nearest option", "nextqa", nextqa, TextSearch(5), plain=True),
            offline.run("all frames", "nextqa", nextqa, AllFrames()),
            offline.run("all frames, nearest option", "nextqa", nextqa, AllFrames(), plain=True),
            offline.run("ravu", "nextqa", nextqa, Ravu()),
        ]
        ego = [
            offline.run("blind", "egoschema", egoschema, Blind()),
            offline.run("text, 10 s", "egoschema", egoschema, TextSearch(10)),
            offline.run("all frames", "egoschema", egoschema, AllFrames()),
            offline.run("ravu", "egoschema", egoschema, Ravu()),
            offline.run("ravu-hierarchical, 10 s", "egoschema", egoschema, RavuHierarchical()),
        ]
        without = _ablations(offline, select(grounded, limit=ablations)) if ablations else []
    print("\nNExT-QA val and the spans of NExT-GQA val, over captions, without any model")
    print("  (best: the best second in a true span, %; held out: accuracy on the videos that no weight was fitted on)")
    _table(runs, nextqa)
    print("\nEgoSchema, over captions, without any model")
    for run in ego:
        out = metrics.accuracy([one for one in run.results if fit.held_out(one.video)])
        print(f"  {run.name:32} {_percent(summary_of(run).overall)}, held-out half {100 * out.value:.1f}")
    if without:
        print(f"\nWhat each part is worth on {len(without[0].results)} questions of NExT-GQA val, drawn by seed 0")
        print("  (difference of the IoP to all of it, with its p-value by flipping videos)")
        _ablation_table(without)


def _fits(home: Path) -> None:
    """What weights and thresholds of half of the videos come to on the other half, and the planner's kinds."""
    data = test_data()
    print("\nOptions and abstaining, fitted on half of the videos and told of the other half", flush=True)
    fit.main(
        [f"nextqa={data / 'nextqa/val.csv'}", f"egoschema={data / 'egoschema/subset_anno.json'}", f"--home={home}"]
    )
    print("\nKinds that the rules find for each type of question", flush=True)
    planning.main([str(data / "nextqa" / "val.csv")])


def _ablations(offline: Offline, questions: Sequence[Question]) -> list[Run]:
    """Grounding alone: options are left out, so nothing is answered."""
    asked = [replace(one, options=(), answer=None) for one in questions]
    runs = [offline.run("all of it", "nextgqa", asked, Ravu())]
    for name in ABLATIONS:
        runs.append(offline.run(f"without {name}", "nextgqa", asked, Ravu(replace(GROUNDING, **{name: False}))))
    return runs


def _load(memory: VideoMemory, title: str, files: Sequence[Path], folder: Path, videos: int | None) -> set[str]:
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    names = sorted(contents[0])[:videos]
    if videos is not None:
        part = folder.parent / f"part-{title}"
        part.mkdir(parents=True, exist_ok=True)
        chosen = [part / path.name for path in files]
        for path, content in zip(chosen, contents, strict=True):
            path.write_text(json.dumps({name: content[name] for name in names}), encoding="utf-8")
        files = chosen
    done = fill(memory, "captions", files)
    seconds = sum(len(contents[0][name]) for name in names)
    stages = dict(done.elapsed_s)
    stages["read"] = stages.get("read", 0.0)
    told = ", ".join(f"{stage} {elapsed_s:.1f} s" for stage, elapsed_s in stages.items())
    speed = done.frame_nodes / stages["write"] if stages.get("write") else math.nan
    print(
        f"  {title}: {done.videos} videos ({done.added} new), {seconds} seconds, {done.frame_nodes} frame nodes; "
        f"{told}; {speed:,.0f} frame nodes a second written",
        flush=True,
    )
    return set(names)


def _table(runs: Sequence[Run], questions: Sequence[Question]) -> None:
    print(f"  {'':32}{'best':>7}{'IoP':>7}{'TC':>7}{'TN+TP':>7}  {'TP':22}{'Acc':>6}{'held out':>10}   by type")
    for run in runs:
        spanned = [one for one in run.results if one.spans and one.seconds]
        figures = f"{'-':>7}{'-':>7}{'-':>7}{'-':>7}  {'-':22}"
        if spanned and run.setup.method not in ("blind", "all-frames"):
            figures = _grounding([one for one in run.results if one.spans])
        summary = summary_of(run)
        types = "  ".join(f"{kind} {100 * one.value:.1f}" for kind, one in summary.types.items())
        out = metrics.accuracy([one for one in run.results if fit.held_out(one.video)])
        print(f"  {run.name:32}{figures}{100 * summary.overall.value:6.1f}{100 * out.value:10.1f}   {types}")


def _grounding(results: Sequence[Result]) -> str:
    temporal = [one for one in results if one.type in ("TN", "TP")]
    previous = [one for one in results if one.type == "TP"]
    low, high = metrics.interval(previous, metrics.iop)
    shown = f"{metrics.mean_of(previous, metrics.iop).value:.3f} [{low:.3f}, {high:.3f}]"
    return (
        f"{100 * metrics.mean_of(results, metrics.top_second_in_span).value:7.1f}"
        f"{metrics.mean_of(results, metrics.iop).value:7.3f}"
        f"{metrics.mean_of([one for one in results if one.type == 'TC'], metrics.iop).value:7.3f}"
        f"{metrics.mean_of(temporal, metrics.iop).value:7.3f}  {shown:22}"
    )


def _ablation_table(runs: Sequence[Run]) -> None:
    whole = runs[0]
    print(f"  {'':32}{'best':>7}{'IoP':>7}{'TC':>7}{'TN+TP':>7}  {'TP':22}{'IoP, p':>16}")
    for run in runs:
        told = ""
        if run is not whole:
            change, p_value = metrics.difference(whole.results, run.results, metrics.iop)
            told = f"{change:+.3f}, {p_value:.2g}"
        what = ABLATIONS.get(run.name.removeprefix("without "), "")
        print(f"  {run.name:32}{_grounding(run.results)}{told:>16}  {what}")


def _percent(figure: metrics.Figure) -> str:
    return f"{100 * figure.value:5.1f} [{100 * figure.low:.1f}, {100 * figure.high:.1f}] of {figure.count}"


def _of(questions: Sequence[Question], names: set[str]) -> list[Question]:
    return [one for one in questions if one.video in names]


def _plain() -> Reasoners:
    return Reasoners(RulePlanner(), RuleJudge(), NearestOption())


@contextmanager
def _cache(memory: VideoMemory) -> Iterator[SentenceCache]:
    with SentenceCache(memory.settings.cache / "sentences.sqlite") as cache:
        yield cache


if __name__ == "__main__":
    sys.exit(main())
