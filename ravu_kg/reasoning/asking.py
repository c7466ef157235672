"""The whole way from a question about one video to its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.values import cypher_literal
from ravu_kg.models.structured import encodable
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.executor import execute
from ravu_kg.reasoning.grounding.settings import GROUNDING, Grounding
from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.marks import named
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.protocols import Answerer, Judge, Planner, Supporter
from ravu_kg.reasoning.records import Answer, Execution, StepTrace, Usage
from ravu_kg.reasoning.told import SupportBy, Telling, told_of
from ravu_kg.reasoning.uncovered import remark


class EvidenceSupport:
    """Compares answer options with the sentences of the evidence, or with all that is told of the video.

    Options come in only when the evidence has been found: nothing is retrieved by them.
    """

    def __init__(self, reader: GraphReader, phrases: Phrases, by: SupportBy = "evidence") -> None:
        self._reader = reader
        self._phrases = phrases
        self._by: SupportBy = by

    def support(self, execution: Execution, options: Sequence[str]) -> list[float]:
        """For each option the best similarity of any sentence of the evidence, 0..1."""
        nodes = list(dict.fromkeys(one.node_id for one in execution.evidence if one.node_id))
        events = list(dict.fromkeys(one.event_id for one in execution.evidence if one.event_id))
        if not (nodes or events) or not options:
            return [0.0] * len(options)
        self._phrases.prepare(options)  # not before: nothing may be retrieved by them
        found = self._reader.option_support(nodes, events, [self._phrases.vector(one).tolist() for one in options])
        return [found.get(position, 0.0) for position in range(len(options))]

    def telling(self, execution: Execution) -> Telling | None:
        """What people or models have said of the whole video, or of the frames of the evidence."""
        told = told_of(self._reader, execution.video_id, self._phrases.dimensions)
        if told is not None and self._by == "evidence":
            told = told.only({one.frame_index for one in execution.evidence})
        return None if told is None else Telling(told, self._by, self._phrases.matrix, self._phrases.encoder)


def answer_question(
    question: str,
    video_id: str,
    options: Sequence[str] = (),
    *,
    reader: GraphReader,
    phrases: Phrases,
    planner: Planner,
    judge: Judge,
    answerer: Answerer,
) -> Answer:
    """Plan, execute, answer.

    Options are answered among, never used to retrieve.

    Raises:
        ReasoningError: the question is empty.
        NotFoundError: the memory has no such video.
        GraphError: Neo4j refused or is out of reach.
    """
    plan = planner.plan(question)
    return answer_plan(plan, video_id, options, reader=reader, phrases=phrases, judge=judge, answerer=answerer)


def answer_plan(
    plan: Plan,
    video_id: str,
    options: Sequence[str] = (),
    *,
    reader: GraphReader,
    phrases: Phrases,
    judge: Judge,
    answerer: Answerer,
    by: SupportBy = "video",
    grounding: Grounding = GROUNDING,
) -> Answer:
    """Execute a plan (from a planner or a file) and answer its question.

    Args:
        plan: checked steps.
        video_id: the video.
        options: to answer among.
        reader: the graph.
        phrases: embeds.
        judge: chooses among candidates.
        answerer: says the answer.
        by: what options are weighed by, where people or models have told of the video.
        grounding: what weighs the seconds of a video of which only words are known.

    Raises:
        PlanError: a reference that no earlier step answers.
        NotFoundError: the memory has no such video.
    """
    execution = execute(plan, reader.video(video_id), reader, phrases, judge, grounding)
    return answer_execution(
        execution, options, supporter=EvidenceSupport(reader, phrases, by), answerer=answerer, reranker=judge.name
    )


def answer_execution(
    execution: Execution, options: Sequence[str], *, supporter: Supporter, answerer: Answerer, reranker: str
) -> Answer:
    """Answer the question of a plan that was carried out.

    Args:
        execution: with the evidence to answer from.
        options: to answer among.
        supporter: compares the evidence with the options.
        answerer: says the answer.
        reranker: name of what chose the evidence.
    """
    plan = execution.plan
    options = [encodable(option) for option in options]
    reply = answerer.answer(encodable(plan.question), options, execution, supporter)
    asked_to_count = not plan.question or read_question(plan.question).kind in ("count", "count_events")
    counts = [found.count for found in execution.bindings.values() if found.count is not None and asked_to_count]
    count = counts[-1] if counts else None
    notes = [found.note for found in execution.bindings.values() if found.note]
    notes += [reply.reason] if reply.reason else []
    weighed = {"options": reply.weighed_by} if reply.weighed_by else {}
    # Marks are for models. A reader gets names, in the answer and in its evidence alike.
    text = reply.text if reply.option is not None else named(reply.text, execution.names)
    evidence = tuple(replace(one, text=named(one.text, execution.names)) for one in execution.evidence)
    if reply.outcome != "refused" and (uncovered := remark(plan.question, reply.text, count, execution)):
        notes.append(uncovered)
        text = text if reply.option is not None else f"{text} {uncovered}"
    return Answer(
        answer=text,
        option=reply.option,
        margin=reply.margin,
        method={"planner": plan.planner, "reranker": reranker, "answerer": answerer.name, **weighed},
        evidence=evidence,
        plan=plan,
        trace=execution.trace,
        usage=Usage(),
        coverage=execution.coverage,
        count=count,
        intervals=reply.intervals,
        video_id=execution.video_id,
        question=plan.question,
        notes=tuple(notes),
        outcome=reply.outcome,
    )


def explain(trace: Sequence[StepTrace], *, full_vectors: bool = False) -> str:
    """The executed Cypher with its parameters as ``:param`` lines, ready for the Neo4j Browser.

    Args:
        trace: of an answer.
        full_vectors: write vectors out, so that the text runs as it is; else they are shown as ``<768 floats>``.
    """
    blocks: list[str] = []
    for entry in trace:
        lines = [
            f":param {name} => {cypher_literal(value, full_vectors=full_vectors)}"
            for name, value in entry.full_parameters.items()
        ]
        cost = f"{entry.rows} rows in {entry.elapsed_s * 1000:.0f} ms"
        head = f"// {entry.step}: {entry.function} ({entry.template}), {cost}"
        blocks.append("\n".join([head, *lines, f"{entry.statement};"]))
    return "\n\n".join(blocks)
