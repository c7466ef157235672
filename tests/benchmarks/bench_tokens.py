"""What a question costs in input tokens, by question type, on real NExT-QA questions.

Run: ``python -m tests.benchmarks.bench_tokens`` (needs the test data, no Neo4j, no key).

* planning: the request for a plan, with the schema of the reply, for 300 questions drawn with a fixed seed. Goal: at
  most 1,200 on average (the paper: 3,465).
* whole question: plan, the judge's decisions and the answer from 10 sentences of evidence among 5 options, through the
  real SDK and a scripted server, for 300 questions whose videos have a caption for each second (about 23 words each).
  Causal questions also have their events analysed, temporal ones an entity identified, and for counting each of six
  candidates is judged. Goal: at most 3,500 on average, pictures aside (the paper: 5,900).

Tokens are those of ``o200k_base``, as everywhere in the product.
"""

from __future__ import annotations

import csv
import json
import random
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import ASK_ROLES
from ravu_kg.models.tokens import count_schema, count_text
from ravu_kg.reasoning.models.choosing import Reasoners, by_models
from ravu_kg.reasoning.models.pictures import Pictured
from ravu_kg.reasoning.models.planning import plan_request
from ravu_kg.reasoning.models.replies import PlanReply
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.protocols import Candidate
from ravu_kg.reasoning.records import Called, CoverageReport, Evidence, Execution, Found
from ravu_kg.settings import CallSettings, ModelSettings, Settings
from tests.benchmarks.machine import test_data
from tests.model_server import ModelServer, Received, Reply

QUESTIONS = 300
SEED = 20261130
PLANNING_GOAL, WHOLE_GOAL = 1200, 3500
EVIDENCE = 10
NAMES = {
    "CW": "causal, why", "CH": "causal, how", "TN": "temporal, next", "TP": "temporal, previous",
    "TC": "temporal, current", "DC": "descriptive, count", "DL": "descriptive, location", "DO": "descriptive, other",
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    kind: str
    text: str
    options: tuple[str, ...]
    video: str


@dataclass(frozen=True)
class Seen:
    """What the captions say of a video."""

    sentences: Sequence[str]
    """One a second."""
    events: Sequence[str]
    things: Sequence[str]


def main() -> None:
    data = test_data()
    questions = drawn(data, ("val.csv", "test.csv"))
    planning = [(one.kind, planning_tokens(one.text)) for one in questions]
    table("planning", planning, PLANNING_GOAL)
    captioned = captions(data)
    questions = [one for one in drawn(data, ("val.csv",), captioned) if one.video in captioned]
    whole, by_role = whole_tokens(questions, captioned)
    table("whole question", whole, WHOLE_GOAL)
    for role, numbers in by_role.items():
        print(f"  {role:9} {len(numbers):4} questions, mean {statistics.mean(numbers):5.0f}, most {max(numbers):5}")


def drawn(data: Path, files: Iterable[str], videos: Mapping[str, Seen] | None = None) -> list[Question]:
    """Questions drawn with the seed."""
    texts = [(data / "nextqa" / name).read_text(encoding="utf-8") for name in files]
    rows = [row for text in texts for row in csv.DictReader(text.splitlines())]
    known = [row for row in rows if videos is None or row["video"] in videos]
    return [
        Question(row["type"], row["question"], tuple(row[f"a{number}"] for number in range(5)), row["video"])
        for row in random.Random(SEED).sample(known, QUESTIONS)
    ]


def planning_tokens(question: str) -> int:
    """Of the request for a plan and the schema of its reply."""
    request = plan_request(question)
    texts = [request.instructions, *(part for part in request.parts if isinstance(part, str))]
    return sum(map(count_text, texts)) + count_schema(PlanReply.model_json_schema())


def captions(data: Path) -> dict[str, Seen]:
    """What is said of each captioned video."""

    def read(name: str) -> dict[str, list[object]]:
        return json.loads((data / "nextqa_captions" / f"{name}_1fps.json").read_text(encoding="utf-8"))

    sentences, events, things = read("captions_30w"), read("captions_event_10w"), read("objects_3")
    return {
        video: Seen(
            [str(one) for one in told],
            [str(one) for one in events[video]],
            [str(name) for second in things[video] if isinstance(second, list) for name in second],
        )
        for video, told in sentences.items()
        if video in events and video in things
    }


def whole_tokens(
    questions: Sequence[Question], captioned: Mapping[str, Seen]
) -> tuple[list[tuple[str, int]], dict[str, list[int]]]:
    """Input tokens of each question, and of each of its steps."""
    totals: list[tuple[str, int]] = []
    by_role: dict[str, list[int]] = {}
    with ModelServer(scripted_model) as server, tempfile.TemporaryDirectory() as cache:
        settings = Settings(
            models=ModelSettings(plan="openai:scripted", answer="openai:scripted"),
            calls=CallSettings(retries=1),
            providers={"openai": {"base_url": f"{server.url}/v1", "images": False}},
            cache=Path(cache),
        )
        with ModelCalls.open(settings, ASK_ROLES) as calls:
            for question in questions:
                by = by_models(calls, PriceTable.today({}), lambda _: Pictured())
                ask(by, question, captioned[question.video])
                assert by.session is not None
                steps = by.session.steps()
                totals.append((question.kind, sum(step.usage.input_tokens for step in steps)))
                for step in steps:
                    by_role.setdefault(step.role, []).append(step.usage.input_tokens)
    return totals, by_role


def ask(by: Reasoners, question: Question, seen: Seen) -> None:
    """Each decision that a question of this kind needs, with as much to read as there is."""
    plan = by.planner.plan(question.text)
    nodes = [
        NodeRow(f"v/{second}/1", "v#1", "person", second, float(second), text, score=0.7)
        for second, text in enumerate(seen.sentences)
    ]
    if question.kind == "DC":
        by.judge.count(question.text, candidates(seen))
    else:
        by.judge.rerank(question.text, nodes[:20])
    if question.kind.startswith("T"):
        by.judge.identify(question.text, nodes[:5])
    if question.kind.startswith("C"):
        by.judge.analyze(question.text, events(seen)[:30])
    step = max(1, len(nodes) // EVIDENCE)
    by.answerer.answer(question.text, question.options, execution(plan, nodes[::step][:EVIDENCE]), NoSupport())


def candidates(seen: Seen) -> list[Candidate]:
    """Six things, with what was said in the seconds after each other."""
    rows = [
        SentenceRow("v#1", "node", f"v/{second}", "model", float(second), float(second), text, 0.7)
        for second, text in enumerate(seen.sentences)
    ]
    return [
        Candidate(f"v#{at}", name, name, tuple(rows[at * 6 : at * 6 + 6])) for at, name in enumerate(seen.things[:6])
    ]


def events(seen: Seen) -> list[EventRow]:
    """Runs of equal captions."""
    rows: list[EventRow] = []
    second = 0
    for text, run in groupby(seen.events):
        length = len(list(run))
        rows.append(EventRow(f"e{second}", "v#1", "model", float(second), float(second + length), text, 0.7))
        second += length
    return rows


def execution(plan: Plan, nodes: Sequence[NodeRow]) -> Execution:
    """A plan whose steps found these sentences."""
    evidence = tuple(
        Evidence(node.timestamp_s, node.frame_index, ("v#1",), "moment", node.score, node.description, node.node_id)
        for node in nodes
    )
    bindings = {step.save_as: Found(step.save_as, step.function, evidence) for step in plan.steps}
    called = {"v#1": Called("person 1", "v#1")}
    return Execution(plan, "v", evidence, (), bindings, CoverageReport(60, 60, 0, 0), 60.0, called)


class NoSupport:
    """Options are compared by the model."""

    def support(self, execution: Execution, options: Sequence[str]) -> list[float]:
        return [0.0] * len(options)

    def telling(self, execution: Execution) -> None:
        """Nothing is weighed."""


def scripted_model(received: Received) -> Reply:
    """Short replies that can be used; only what was sent is counted."""
    data: dict[str, list[object]] = {}
    for text in received.texts:
        data |= json.loads(text)
    match received.stage:
        case "plan":
            examples = data["examples"]
            assert isinstance(examples[-1], dict)
            return Reply({"steps": examples[-1]["steps"]})
        case "rerank":
            return Reply({"best": [1]})
        case "identify":
            return Reply({"entity": 1})
        case "analyze":
            return Reply({"events": [{"event": 1, "reason": "it shows it"}]})
        case "count":
            numbers = range(1, len(data["candidates"]) + 1)
            return Reply(
                {"verdicts": [{"candidate": n, "met": False, "reason": "no", "sentences": []} for n in numbers]}
            )
        case _:
            return Reply({"answer": "It is so.", "known": True, "confidence": 0.5, "option": 1})


def table(title: str, counted: Sequence[tuple[str, int]], goal: int) -> None:
    print(f"\n{title}: input tokens by question type\n\n{'type':24}{'questions':>10}{'mean':>8}{'most':>8}")
    for kind, name in NAMES.items():
        numbers = [tokens for other, tokens in counted if other == kind]
        if numbers:
            print(f"{name:24}{len(numbers):>10}{statistics.mean(numbers):>8.0f}{max(numbers):>8}")
    numbers = [tokens for _, tokens in counted]
    print(f"{'all':24}{len(numbers):>10}{statistics.mean(numbers):>8.0f}{max(numbers):>8}   goal {goal} on average")


if __name__ == "__main__":
    main()
