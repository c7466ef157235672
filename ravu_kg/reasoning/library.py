"""Asking and searching over every indexed video."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ravu_kg.articles import with_article
from ravu_kg.errors import NotFoundError
from ravu_kg.graph.reader import GraphReader, LibraryCoverageRow, LibraryRow, NodeRow
from ravu_kg.graph.results import ReadResult
from ravu_kg.models.structured import encodable
from ravu_kg.reasoning.asking import answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import content_words
from ravu_kg.reasoning.language import Reading, read_question
from ravu_kg.reasoning.options import number_in
from ravu_kg.reasoning.plan import CountNodes, Plan
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.protocols import Answerer, Judge, Planner
from ravu_kg.reasoning.records import Answer, Evidence, Moment, StepTrace, Usage
from ravu_kg.reasoning.uncovered import library_coverage_of, library_remark
from ravu_kg.reasoning.vocabulary import is_known, matching_labels, plural, read_phrase

VIDEOS = 20
"""A question about the library names at most so many videos."""
CANDIDATES = 50
_ANSWERER = "extractive"
"""Which videos there are, and how many of something, is said by code alone."""
_SHOWING = frozenset(("show", "appear", "see", "seen", "contain", "visible", "present", "two", "three", "one", "any"))


def search(
    text: str, *, reader: GraphReader, phrases: Phrases, judge: Judge, video_id: str | None = None, limit: int = 10
) -> list[Moment]:
    """Moments whose sentences are nearest to a text, best first, one a second and entity.

    Raises:
        NotFoundError: the memory has no such video.
    """
    text = encodable(text)
    vector = phrases.vector(text)
    if video_id is None:
        titles = {video.video_id: video.title for video in reader.videos()}
        nodes = reader.nearest_nodes_in_library(vector, CANDIDATES)
    else:
        video = reader.video(video_id)
        titles = {video_id: video.title}
        nodes = reader.nearest_nodes(video, vector, CANDIDATES)
    ranked = judge.rerank(text, nodes)[:limit]
    return [
        Moment(node.video_id, titles.get(node.video_id, ""), node.timestamp_s, node.frame_index, node.entity_id,
               node.description, node.score)
        for node in ranked
    ]  # fmt: skip


def answer_library(
    question: str,
    options: Sequence[str] = (),
    *,
    reader: GraphReader,
    phrases: Phrases,
    planner: Planner,
    judge: Judge,
    answerer: Answerer,
) -> Answer:
    """Answer over all videos: which of them show something, how many there are, or from the best matching one.

    Raises:
        ReasoningError: the question is empty.
        NotFoundError: nothing is indexed.
    """
    question = _about_the_library(encodable(question))
    plan = RulePlanner().plan(question)  # what is asked of the library itself is read by rules
    reading = read_question(question)
    trace: list[StepTrace] = []
    watched = reader.observed(lambda result: trace.append(_trace(plan, reader, result)))
    noun = read_phrase(reading.subject).noun if reading.subject else ""
    called = watched.library_named(reading.subject, VIDEOS) if reading.subject else []
    rows = called or _holders(noun, watched, phrases)
    method = {"planner": plan.planner, "reranker": judge.name, "answerer": _ANSWERER}
    if reading.kind == "which_video" or (reading.kind == "yes_no" and noun and not rows and is_known(noun)):
        rows = [row for row in rows if row.identities >= _least(reading)]
        if reading.state is not None and reading.state.name == "absent" and is_known(noun):
            return _without(plan, reading, rows, watched, trace, method)
        evidence = _evidence(watched, rows)
        unknown = not rows and not (noun and is_known(noun))
        if unknown or (len(rows) > 1 and _says_more(reading)):
            evidence, rows = _by_meaning(watched, phrases, judge, reading.main or question, rows)
        known = watched.library_coverage()
        text, notes = _honest(_which(rows, noun), known, depends=not rows or reading.text.startswith("how many"))
        return Answer(
            answer=text, option=None, margin=0.0, method=method, evidence=tuple(evidence), plan=plan,
            trace=tuple(trace), usage=Usage(), coverage=library_coverage_of(known), question=question, notes=notes,
            count=len(rows) if reading.text.startswith("how many") else None,
            video_id=rows[0].video_id if rows else "",
        )  # fmt: skip
    if isinstance(counting := plan.steps[0].arguments, CountNodes) and counting.node in ("shots", "cuts"):
        return _shots(plan, counting.node, watched, trace, method)
    if reading.kind == "count" and reading.condition is None and reading.clause is None and noun:
        seen_in = Counter(identity for row in rows for identity in row.identity_ids)
        total = len(seen_in)  # who is in several videos is one
        parts = ", ".join(f"{row.identities} in {row.title}" for row in rows) + _again(seen_in)
        text = f"{total or 'No'} {noun if total == 1 else plural(noun)}{f': {parts}' if rows else ' found'}."
        evidence = tuple(_evidence(watched, rows))
        known = watched.library_coverage()
        text, notes = _honest(text, known)
        return Answer(
            answer=text, option=None, margin=0.0, method=method, evidence=evidence, plan=plan, trace=tuple(trace),
            usage=Usage(), coverage=library_coverage_of(known), count=total, question=question, notes=notes,
        )  # fmt: skip
    video_id = _best_video(watched, phrases, judge, reading.main or question, rows)
    answer = answer_question(
        question, video_id, options, reader=reader, phrases=phrases, planner=planner, judge=judge, answerer=answerer
    )
    if answer.outcome == "refused":
        return replace(answer, trace=(*trace, *answer.trace))
    title = reader.video(video_id).title
    text = answer.answer if answer.option is not None else f"In {title}: {answer.answer}"
    return replace(answer, answer=text, trace=(*trace, *answer.trace))


_ANYWHERE = re.compile(r" (?:in|within|across|over) (?:any|all|one|some|each|every)?(?: of)?(?: (?:my|the|these|your))?"
                       r"(?: indexed)? (?:videos?|clips?|films?|movies?|recordings?|memory|library)\b",
                       re.IGNORECASE)  # fmt: skip
_ANY_VIDEO = re.compile(r"\A\s*(?:do|does|is there|are there) any(?: of)?(?: (?:my|the|these|your))? (?:videos?|clips?)"
                        r"(?: that| which| where)? ", re.IGNORECASE)  # fmt: skip
_QUANTITY = re.compile(
    r"\b(?:(?P<more>more than|over)|(?:at least|exactly|just)?) ?(?P<number>two|three|four|five|six|\d+) "
)


def _about_the_library(question: str) -> str:
    """Without the words that only say that all videos are meant."""
    asked = _ANY_VIDEO.sub("Which videos ", question)
    if re.match(r"\s*(?:in )?(?:which|what)\b", asked, re.IGNORECASE):
        return asked
    return _ANYWHERE.sub("", asked) or question


def _least(reading: Reading) -> int:
    """How many identities a video has to show: "more than two people"."""
    found = _QUANTITY.search(reading.text)
    if found is None:
        return 1
    return (number_in(found["number"]) or 1) + (1 if found["more"] else 0)


def _without(
    plan: Plan,
    reading: Reading,
    holders: Sequence[LibraryRow],
    reader: GraphReader,
    trace: Sequence[StepTrace],
    method: dict[str, str],
) -> Answer:
    """The videos that do not show what is asked for."""
    held = {row.video_id for row in holders}
    known = reader.library_coverage()
    others = [video for video in known if video.status == "ready" and video.video_id not in held][:VIDEOS]
    noun = read_phrase(reading.subject or "").noun
    told = ", ".join(video.title for video in others) or f"Every indexed video shows {with_article(noun)}"
    text, notes = _honest(f"{told}.", known)
    return Answer(
        answer=text, option=None, margin=0.0, method=method, evidence=(), plan=plan, trace=tuple(trace),
        usage=Usage(), coverage=library_coverage_of(known), question=plan.question, notes=notes,
        video_id=others[0].video_id if others else "",
    )  # fmt: skip


def _shots(plan: Plan, word: str, reader: GraphReader, trace: Sequence[StepTrace], method: dict[str, str]) -> Answer:
    """How many shots or cuts all videos have, and each of them."""
    known = reader.library_coverage()
    titles = {video.video_id: video.title for video in known if video.status == "ready"}
    shots = Counter(shot.video_id for shot in reader.shots(list(titles)))
    counts = {titles[video_id]: number - (word == "cuts") for video_id, number in shots.items()}
    total = sum(counts.values())
    text = f"{total or 'No'} {word if total != 1 else word.removesuffix('s')}"
    parts = ", ".join(f"{number} in {title}" for title, number in list(counts.items())[:VIDEOS])
    if not counts:
        text, parts = "The cuts of no indexed video are known", "index it again with --replace"
    return Answer(
        answer=f"{text}: {parts}.", option=None, margin=0.0, method=method, evidence=(), plan=plan, trace=tuple(trace),
        usage=Usage(), coverage=library_coverage_of(known), count=total if counts else None, question=plan.question,
    )  # fmt: skip


def _honest(text: str, known: Sequence[LibraryCoverageRow], *, depends: bool = True) -> tuple[str, tuple[str, ...]]:
    """An answer with what is not covered, where it depends on it, and its notes."""
    uncovered = library_remark(known) if depends else ""
    return (f"{text} {uncovered}", (uncovered,)) if uncovered else (text, ())


def _holders(noun: str, reader: GraphReader, phrases: Phrases) -> list[LibraryRow]:
    """Videos with entities that a noun can mean."""
    if not noun:
        return []
    available = reader.library_labels()
    labels = matching_labels(noun, available)
    if not labels and available and not is_known(noun):
        scores = phrases.similarity(noun, available)
        labels = [label for label, score in zip(available, scores, strict=True) if score >= 0.75]
    return reader.library_entities(labels, VIDEOS) if labels else []


def _again(seen_in: Mapping[str, int]) -> str:
    """How many are in more than one video, when there are any."""
    several = sum(videos > 1 for videos in seen_in.values())
    return f" ({several} {'is' if several == 1 else 'are'} in several of them)" if several else ""


def _evidence(reader: GraphReader, rows: Sequence[LibraryRow]) -> list[Evidence]:
    """A frame or two of the most seen entity of each video."""
    shown = list(rows[:10])
    if not shown:
        return []
    spans = [(row.start_s, row.end_s) for row in shown]
    nodes = reader.entity_nodes([row.entity_id for row in shown], spans, 20)
    evidence: list[Evidence] = []
    for position, row in enumerate(shown):
        own = [node for node in nodes if node.span == position and node.entity_id == row.entity_id]
        if own:
            evidence.append(_of_node(own[len(own) // 2], row.video_id))
    return evidence


def _says_more(reading: Reading) -> bool:
    """Whether more is asked of the videos than that they show something: "in which video do two people hug"."""
    if reading.state is None or reading.state.name != "present":
        return reading.state is not None
    return len(content_words(reading.main) - content_words(reading.subject or "") - _SHOWING) > 0


def _by_meaning(
    reader: GraphReader, phrases: Phrases, judge: Judge, text: str, holders: Sequence[LibraryRow]
) -> tuple[list[Evidence], list[LibraryRow]]:
    """The videos of the nearest sentences, among those that hold what is asked for."""
    allowed = {row.video_id for row in holders}
    found = reader.nearest_nodes_in_library(phrases.vector(text), CANDIDATES)
    nodes = judge.rerank(text, [node for node in found if not allowed or node.video_id in allowed])[:10]
    titles = {video.video_id: video.title for video in reader.videos()}
    rows = [
        LibraryRow(node.video_id, titles.get(node.video_id, ""), (node.entity_id,), node.entity_id, node.label,
                   node.timestamp_s, node.timestamp_s, 1)
        for node in {node.video_id: node for node in reversed(nodes)}.values()
    ]  # fmt: skip
    rows.reverse()
    return [_of_node(node, node.video_id) for node in nodes], rows[:3]


def _best_video(reader: GraphReader, phrases: Phrases, judge: Judge, text: str, rows: Sequence[LibraryRow]) -> str:
    nodes = judge.rerank(text, reader.nearest_nodes_in_library(phrases.vector(text), CANDIDATES))
    holders = {row.video_id for row in rows}
    for node in nodes:
        if not holders or node.video_id in holders:
            return node.video_id
    if rows:
        return rows[0].video_id
    if nodes:
        return nodes[0].video_id
    raise NotFoundError("Nothing is indexed yet. Index a video first: ravu-kg index VIDEO")


def _which(rows: Sequence[LibraryRow], noun: str) -> str:
    if not rows:
        return f"No indexed video shows {with_article(noun)}." if noun else "No indexed video matches."
    return f"{', '.join(f'{row.title} ({_span(row)})' for row in rows)}."


def _span(row: LibraryRow) -> str:
    return f"{row.start_s:.1f} s" if row.start_s == row.end_s else f"{row.start_s:.1f}-{row.end_s:.1f} s"


def _of_node(node: NodeRow, video_id: str) -> Evidence:
    return Evidence(
        timestamp_s=node.timestamp_s,
        frame_index=node.frame_index,
        entity_ids=(node.entity_id,),
        step="library",
        score=node.score,
        text=node.description,
        node_id=node.node_id,
        video_id=video_id,
        attributes=node.attributes,
    )


def _trace(plan: Plan, reader: GraphReader, result: ReadResult) -> StepTrace:
    step = plan.steps[0]
    return StepTrace(
        "library",
        step.function,
        result.template,
        result.shown_parameters(),
        len(result.rows),
        result.elapsed_s,
        reader.statement(result.template),
        result.parameters,
    )
