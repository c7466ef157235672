"""A judge that asks language models for the decisions inside the reasoning functions (Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.models.roles import Role
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.models.replies import (
    AnalyzeReply,
    CountReply,
    IdentifyReply,
    RerankReply,
    SelectReply,
    wrong_numbers,
    wrong_verdicts,
)
from ravu_kg.reasoning.models.requests import clipped, request, seconds, tag
from ravu_kg.reasoning.models.session import Session
from ravu_kg.reasoning.protocols import Candidate, Glimpse, Verdict
from ravu_kg.types import ModelRequest

RERANKED = 12
"""Sentences of localize_node that a model reads: the best by the rules, each once."""
ANALYZED = 12
"""Events that a model reads."""
SENTENCES = 6
"""Of each candidate for counting, the nearest to the condition."""
EVENTS_COUNTED = 30
"""When happenings are counted."""
PER_CALL = 48
"""Sentences of candidates that are judged in one call."""
JUDGED: tuple[Role, ...] = ("rerank", "identify", "count", "analyze")


class ModelJudge:
    """Each decision by the model of its role; by rules where none has it or it fails, which the notes then say.

    No answer options reach it: it sees the plan's phrases and what the graph says.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rules = RuleJudge()

    @property
    def name(self) -> str:
        """References of the models; one that judges everything stands alone."""
        session = self._session
        by_role = {role: session.calls.name(role) if session.has(role) else self._rules.name for role in JUDGED}
        names = list(dict.fromkeys(by_role.values()))
        if len(names) == 1:
            return names[0]
        return ", ".join(f"{role} {name}" for role, name in by_role.items())

    def rerank(self, query: str, nodes: Sequence[NodeRow]) -> list[NodeRow]:
        """The model's choice first (the paper's k^ = g_l(P, p_g, s_r)), then the others by the rules."""
        ranked = self._rules.rerank(query, nodes)
        read = list({(node.entity_id, node.description): node for node in reversed(ranked)}.values())[::-1][:RERANKED]
        if len(read) < 2 or not self._session.has("rerank"):
            return ranked
        reply = self._session.ask("rerank", rerank_request(query, read), RerankReply, "ranked the sentences",
                                  lambda one: wrong_numbers("best", one.best, len(read)))  # fmt: skip
        if reply is None:
            return ranked
        best = [read[number - 1] for number in dict.fromkeys(reply.best)]
        return [*best, *(node for node in ranked if node not in best)]

    def identify(self, query: str, nodes: Sequence[NodeRow]) -> int:
        """The entity that the model takes the phrase for."""
        if len(nodes) < 2 or not self._session.has("identify"):
            return self._rules.identify(query, nodes)
        reply = self._session.ask("identify", identify_request(query, nodes), IdentifyReply, "chose the entity",
                                  lambda one: wrong_numbers("entity", [one.entity], len(nodes)))  # fmt: skip
        return self._rules.identify(query, nodes) if reply is None else reply.entity - 1

    def count(self, condition: str, candidates: Sequence[Candidate]) -> list[Verdict]:
        """The model's verdict on each candidate, several in a call and several calls at a time; code counts."""
        if not candidates or not self._session.has("count"):
            return self._rules.count(condition, candidates)
        with self._session.timed("count"):
            verdicts = self._session.calls.in_order(
                lambda batch: self._count_batch(condition, batch), _batches(candidates)
            )
            return [verdict for batch in verdicts for verdict in batch]

    def analyze(self, query: str, events: Sequence[EventRow]) -> list[tuple[int, str]]:
        """The events that the model takes to matter, with its reasons."""
        ranked = self._rules.analyze(query, events)
        read = sorted((position for position, _ in ranked[:ANALYZED]), key=lambda at: events[at].start_s)
        if not read or not self._session.has("analyze"):
            return ranked
        reply = self._session.ask("analyze", analyze_request(query, [events[at] for at in read]), AnalyzeReply,
                                  "chose the events", _wrong_events(len(read)))  # fmt: skip
        if reply is None:
            return ranked
        return list({read[one.event - 1]: one.reason for one in reply.events}.items())

    @property
    def selects(self) -> bool:
        """Whether a model has the role of analysing events, which is also the choice of moments."""
        return self._session.has("analyze")

    def select(self, query: str, glimpses: Sequence[Glimpse], count: int) -> list[int]:
        """The moments that the model takes to tell most of a whole video."""
        if len(glimpses) <= count or not self.selects:
            return self._rules.select(query, glimpses, count)
        reply = self._session.ask("analyze", select_request(query, glimpses, count), SelectReply, "chose the moments",
                                  lambda one: wrong_numbers("moments", one.moments, len(glimpses)))  # fmt: skip
        if reply is None:
            return self._rules.select(query, glimpses, count)
        return [number - 1 for number in dict.fromkeys(reply.moments)][:count]

    def _count_batch(self, condition: str, batch: Sequence[Candidate]) -> list[Verdict]:
        read = [_read(candidate) for candidate in batch]
        sizes = [len(sentences) for sentences in read]
        reply = self._session.ask("count", count_request(condition, batch), CountReply, "judged who counts",
                                  lambda one: wrong_verdicts(one, sizes))  # fmt: skip
        if reply is None:
            return self._rules.count(condition, batch)
        by_candidate = {one.candidate: one for one in reply.verdicts}
        verdicts: list[Verdict] = []
        for number, sentences in enumerate(read, start=1):
            one = by_candidate[number]
            matches = [sentences[at - 1] for at in dict.fromkeys(one.sentences)] if one.met else []
            if one.met and not matches:
                matches = sentences[:1]
            verdicts.append(Verdict(one.met, one.reason, tuple(matches)))
        return verdicts


def rerank_request(query: str, nodes: Sequence[NodeRow]) -> ModelRequest:
    """The request to choose among sentences of frame nodes."""
    sentences = [
        [number, seconds(node.timestamp_s), tag(node.entity_id), clipped(node.description)]
        for number, node in enumerate(nodes, start=1)
    ]
    return request("rerank", {"phrase": query, "sentences": sentences})


def identify_request(query: str, nodes: Sequence[NodeRow]) -> ModelRequest:
    """The request to choose among entities."""
    entities = [
        [number, node.label, seconds(node.timestamp_s), clipped(node.description)]
        for number, node in enumerate(nodes, start=1)
    ]
    return request("identify", {"phrase": query, "entities": entities})


def count_request(condition: str, candidates: Sequence[Candidate]) -> ModelRequest:
    """The request to judge candidates."""
    told = [
        {
            "candidate": number,
            "name": candidate.name,
            "sentences": [
                [at, seconds(one.start_s), seconds(one.end_s), clipped(one.description)]
                for at, one in enumerate(_read(candidate), start=1)
            ],
        }
        for number, candidate in enumerate(candidates, start=1)
    ]
    return request("count", {"condition": condition, "candidates": told})


def analyze_request(query: str, events: Sequence[EventRow]) -> ModelRequest:
    """The request to choose among events."""
    told = [
        [number, seconds(event.start_s), seconds(event.end_s), tag(event.entity_id), clipped(event.description)]
        for number, event in enumerate(events, start=1)
    ]
    return request("analyze", {"question": query, "events": told})


def select_request(query: str, glimpses: Sequence[Glimpse], count: int) -> ModelRequest:
    """The request to choose among moments of a whole video."""
    moments = [
        [number, seconds(one.timestamp_s), tag(one.entity_id) if one.entity_id else "frame", clipped(one.text)]
        for number, one in enumerate(glimpses, start=1)
    ]
    return request("select", {"question": query, "choose": count, "moments": moments})


def _wrong_events(count: int) -> Callable[[AnalyzeReply], str | None]:
    return lambda reply: wrong_numbers("event", [one.event for one in reply.events], count)


def _read(candidate: Candidate) -> list[SentenceRow]:
    """The sentences of a candidate that a model reads: the nearest to the condition, in order of time, each once."""
    if candidate.happenings:
        unique = [one for one in candidate.sentences if one.kind == "event"]
    else:
        unique = list({one.description: one for one in reversed(candidate.sentences)}.values())[::-1]
    limit = EVENTS_COUNTED if candidate.happenings else SENTENCES
    return sorted(unique[:limit], key=lambda one: (one.start_s, one.id))


def _batches(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates in order, as many together as a call's sentences allow."""
    batches: list[list[Candidate]] = []
    size = 0
    for candidate in candidates:
        length = len(_read(candidate))
        if not batches or size + length > PER_CALL:
            batches.append([])
            size = 0
        batches[-1].append(candidate)
        size += length
    return batches
