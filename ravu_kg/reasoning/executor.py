"""Carries out a plan: step after step, each with what earlier ones found, and collects key frames and a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ravu_kg.errors import ReasoningError
from ravu_kg.graph.reader import GraphReader, VideoRow
from ravu_kg.graph.results import ReadResult
from ravu_kg.reasoning.context import Context, Phrases
from ravu_kg.reasoning.functions import (
    analyze_events,
    count_nodes,
    extract_temporal_part,
    get_global_context,
    identify_node,
    localize_node,
    sample_entity_events,
)
from ravu_kg.reasoning.functions.showing import KEY_FRAMES
from ravu_kg.reasoning.grounding.grounded import grounded, seconds_of
from ravu_kg.reasoning.grounding.settings import GROUNDING, Grounding
from ravu_kg.reasoning.grounding.sought import sought_by
from ravu_kg.reasoning.plan import (
    AnalyzeEvents,
    CountNodes,
    ExtractTemporalPart,
    GetGlobalContext,
    IdentifyNode,
    LocalizeNode,
    Plan,
    SampleEntityEvents,
    Step,
    check_references,
    split_reference,
)
from ravu_kg.reasoning.protocols import Judge
from ravu_kg.reasoning.records import Called, Evidence, Execution, Found, StepTrace
from ravu_kg.reasoning.uncovered import coverage_of


def execute(
    plan: Plan,
    video: VideoRow,
    reader: GraphReader,
    phrases: Phrases,
    judge: Judge,
    grounding: Grounding = GROUNDING,
) -> Execution:
    """Run a plan on one video.

    Args:
        plan: checked steps.
        video: the video to ask.
        reader: the graph.
        phrases: embeds the plan's phrases, all in one batch.
        judge: chooses among candidates.
        grounding: what weighs the seconds of a video of which only words are known.

    Raises:
        PlanError: a reference that no earlier step answers.
        GraphError: Neo4j refused or is out of reach.
    """
    check_references(plan)
    recorder = _Recorder(reader)
    context = Context(video, recorder.reader, phrases, judge, plan.question, grounding=grounding)
    phrases.prepare(phrases_of(plan, tracked=video.tracked))
    referred = {split_reference(reference)[0] for step in plan.steps for _, reference in step.references()}
    for position, step in enumerate(plan.steps):
        recorder.step = step
        leaf = _is_leaf(step, referred, last=position == len(plan.steps) - 1)
        found = _run(context, step, leaf)
        context.bindings[step.save_as] = found
        if found.part is not None:
            context.part = found.part
    coverage = coverage_of(reader.coverage(video.video_id), video)
    leaves = [step for step in plan.steps if _is_leaf(step, referred, last=step is plan.steps[-1])]
    evidence = _grounded(context, plan, leaves[-1].save_as) if leaves else None
    if evidence is None:
        evidence = _key_frames([context.bindings[step.save_as] for step in leaves])
    called = _called(context, evidence)
    return Execution(
        plan,
        video.video_id,
        evidence,
        tuple(recorder.trace),
        dict(context.bindings),
        coverage,
        video.duration_s,
        called,
        _names(context, evidence),
    )


class _Recorder:
    """Notes every statement under the step that sent it."""

    def __init__(self, reader: GraphReader) -> None:
        self.step: Step | None = None
        self.trace: list[StepTrace] = []
        self.reader = reader.observed(self._note)

    def _note(self, result: ReadResult) -> None:
        if self.step is None:
            raise ReasoningError("A statement was sent outside any step.")
        self.trace.append(
            StepTrace(
                step=self.step.save_as,
                function=self.step.function,
                template=result.template,
                parameters=_shown(result),
                rows=len(result.rows),
                elapsed_s=result.elapsed_s,
                statement=self.reader.statement(result.template),
                full_parameters=result.parameters,
            )
        )


def _run(context: Context, step: Step, leaf: bool) -> Found:
    name, arguments = step.save_as, step.arguments
    match arguments:
        case LocalizeNode():
            return localize_node.localize_node(context, name, arguments, leaf)
        case IdentifyNode():
            return identify_node.identify_node(context, name, arguments, leaf)
        case SampleEntityEvents():
            return sample_entity_events.sample_entity_events(context, name, arguments, leaf)
        case ExtractTemporalPart():
            return extract_temporal_part.extract_temporal_part(context, name, arguments, leaf)
        case CountNodes():
            return count_nodes.count_nodes(context, name, arguments, leaf)
        case GetGlobalContext():
            return get_global_context.get_global_context(context, name, arguments, leaf)
        case AnalyzeEvents():
            return analyze_events.analyze_events(context, name, arguments, leaf)


def _is_leaf(step: Step, referred: set[str], *, last: bool) -> bool:
    """Whether a step's frames are evidence: not those that only lead another step to the right time or entity."""
    if step.function == "extract_temporal_part":
        return last
    return step.save_as not in referred


def phrases_of(plan: Plan, *, tracked: bool = False) -> list[str]:
    """What is certain to be compared by meaning; names that the labels resolve need no embedding.

    Args:
        plan: that is to be carried out.
        tracked: whether boxes were tracked in the video; if not, or not known, states are compared by meaning, too.
    """
    sought = None if tracked else sought_by(plan)
    phrases: list[str] = [*sought.texts] if sought else []
    for step in plan.steps:
        match step.arguments:
            case LocalizeNode(state=None):
                phrases.append(step.arguments.query)
            case AnalyzeEvents():
                phrases.append(step.arguments.query)
            case GetGlobalContext(query=str()):
                phrases.append(step.arguments.query or "")
            case CountNodes() if step.arguments.event_condition is not None:
                phrases.append(step.arguments.event_condition)
            case _:
                pass
    return phrases


def _key_frames(found: Sequence[Found]) -> tuple[Evidence, ...]:
    """At most ten, shared fairly among the steps, one for each moment and entity, in time order."""
    lists = [[*one.evidence] for one in found if one.evidence]
    chosen: dict[tuple[float, tuple[str, ...]], Evidence] = {}
    remaining = KEY_FRAMES
    for position, evidence in enumerate(sorted(lists, key=len)):
        quota = remaining // (len(lists) - position)
        before = len(chosen)
        for one in _thinned(evidence, quota):
            chosen.setdefault((round(one.timestamp_s, 3), one.entity_ids), one)
        remaining -= len(chosen) - before
    return tuple(sorted(chosen.values(), key=lambda one: (one.timestamp_s, one.entity_ids)))


def _grounded(context: Context, plan: Plan, step: str) -> tuple[Evidence, ...] | None:
    """Where only words are known of the video, the seconds that most likely show what the whole plan asks for.

    None for a plan that counts or gives a view of the whole, and where boxes were tracked.
    """
    if context.video.tracked:  # nothing to look for, so the plan need not be read again
        return None
    arguments = [one.arguments for one in plan.steps]
    finds = any(isinstance(one, LocalizeNode | IdentifyNode | SampleEntityEvents) for one in arguments)
    if not finds or any(isinstance(one, CountNodes) for one in arguments):
        return None
    sought, seconds = sought_by(plan), seconds_of(context)
    if sought is None or seconds is None:
        return None
    evidence = grounded(context, step, sought, seconds, KEY_FRAMES)
    return tuple(sorted(evidence, key=lambda one: one.timestamp_s))


def _called(context: Context, evidence: Sequence[Evidence]) -> dict[str, Called]:
    wanted = {entity for one in evidence for entity in one.entity_ids}
    return {
        entity.entity_id: Called(name, identity.identity_id)
        for identity in (context.identities() if wanted else ())
        for entity, name in zip(identity.entities, identity.names, strict=True)
        if entity.entity_id in wanted
    }


def _names(context: Context, evidence: Sequence[Evidence]) -> dict[str, str]:
    if not any("#" in one.text for one in evidence):
        return {}
    return {
        entity.entity_id.rpartition("#")[2]: name
        for identity in context.identities()
        for entity, name in zip(identity.entities, identity.names, strict=True)
    }


def _thinned(evidence: Sequence[Evidence], quota: int) -> list[Evidence]:
    """As many as the quota: the best where scores differ, else evenly spread with both ends."""
    if len(evidence) <= quota:
        return list(evidence)
    if len({one.score for one in evidence}) > 1:
        return sorted(evidence, key=lambda one: -one.score)[:quota]
    if quota == 1:
        return [evidence[len(evidence) // 2]]
    return [evidence[round(i * (len(evidence) - 1) / (quota - 1))] for i in range(quota)]


def _shown(result: ReadResult) -> Mapping[str, object]:
    return result.shown_parameters()
