"""An answerer that asks a language model: 5 to 10 key frames with their seconds, in words and in pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ravu_kg.errors import RefusalError, ReplyError
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.models.pictures import Pictured
from ravu_kg.reasoning.models.replies import AnswerReply, OptionReply, wrong_numbers
from ravu_kg.reasoning.models.requests import clipped, request, seconds, tag
from ravu_kg.reasoning.models.session import Session, why
from ravu_kg.reasoning.plan import Arguments, LocalizeNode
from ravu_kg.reasoning.protocols import Reply, Supporter
from ravu_kg.reasoning.records import Called, Evidence, Execution, Found
from ravu_kg.types import ModelRequest

STRETCHES = 6
"""Of one step's stretches of time a model is told so many."""
TakePictures = Callable[[Execution], Pictured]


class ModelAnswerer:
    """Answers by a model from the evidence, which is all it is given."""

    def __init__(self, session: Session, pictures: TakePictures) -> None:
        self._session = session
        self._pictures = pictures
        self._extractive = ExtractiveAnswerer()
        self._name = session.calls.name("answer")

    @property
    def name(self) -> str:
        """Reference of the model; after an answer also whether it declined or could not be used."""
        return self._name

    def answer(self, question: str, options: Sequence[str], execution: Execution, supporter: Supporter) -> Reply:
        """The model's answer; with options its choice, the margin how sure it is.

        A model that declines is an outcome of its own: no option is chosen and nothing is made up. A model whose
        replies cannot be used is replaced by the extractive answer, which the name and the notes say.

        Raises:
            ProviderError: the model cannot be had.
        """
        model = self._session.calls.name("answer")
        extractive = self._extractive.answer(question, (), execution, supporter)
        if not (options or execution.evidence or _findings(execution)):
            return replace(extractive, outcome="unknown")  # nothing to read: a call would be spent on guessing
        with self._session.timed("answer"):
            pictured = self._pictures(execution) if self._session.calls.accepts_images("answer") else Pictured()
            if pictured.note:
                self._session.say(pictured.note)
            asked = answer_request(question, options, execution, pictured)
            try:
                reply = self._asked(asked, options)
            except RefusalError as error:
                self._name = f"{model} (declined)"
                return Reply(f"{model} declined to answer this question. {error}", None, 0.0, outcome="refused")
            except ReplyError as error:
                self._name = f"{self._extractive.name} (after {model} {why(error)})"
                self._session.say(f"{model} {why(error)}; the answer is put together from the evidence.")
                return self._extractive.answer(question, options, execution, supporter)
        chosen = reply.option - 1 if isinstance(reply, OptionReply) else None
        text = reply.answer.strip() if chosen is None else options[chosen]
        if chosen is not None and reply.answer.strip().lower() != text.lower():
            self._session.say(reply.answer.strip())
        outcome = "answered" if reply.known else "unknown"
        return Reply(text, chosen, reply.confidence, extractive.intervals, outcome)

    def _asked(self, asked: ModelRequest, options: Sequence[str]) -> AnswerReply:
        calls = self._session.calls
        if not options:
            return calls.ask("answer", asked, AnswerReply)
        return calls.ask(
            "answer", asked, OptionReply, check=lambda one: wrong_numbers("option", [one.option], len(options))
        )


def answer_request(
    question: str, options: Sequence[str], execution: Execution, pictured: Pictured | None = None
) -> ModelRequest:
    """The request for an answer. It is the only one that options are in."""
    data: dict[str, object] = {"question": question}
    if options:
        data["options"] = [[number, option] for number, option in enumerate(options, start=1)]
    if execution.called:
        data["entities"] = _entities(execution.called)
    data["evidence"] = _evidence(execution.evidence)
    if found := _findings(execution):
        data["found"] = found
    if execution.coverage.unknown_intervals:
        data["unknown"] = [[seconds(a), seconds(b)] for a, b in execution.coverage.unknown_intervals]
    if pictured is None or not pictured.pictures:
        return request("answer", data)
    told = {"pictures_at_seconds": [seconds(time_s) for time_s in pictured.times_s]}
    return request("answer", data, told, pictures=pictured.pictures)


def _entities(called: Mapping[str, Called]) -> list[list[str]]:
    """Number and name of each; a later one of the same identity names the first."""
    first: dict[str, str] = {}
    told: list[list[str]] = []
    for entity_id in sorted(called, key=lambda one: (len(one), one)):
        one = called[entity_id]
        known = first.setdefault(one.identity_id, tag(entity_id))
        told.append([tag(entity_id), one.name, *([f"the same as {known}"] if known != tag(entity_id) else [])])
    return told


def _evidence(evidence: Sequence[Evidence]) -> list[list[object]]:
    """Seconds, entities and sentence of each; what an event says is said once, with all its seconds."""
    told: dict[tuple[tuple[str, ...], str], list[float]] = {}
    for one in evidence:
        told.setdefault((one.entity_ids, one.text), []).append(seconds(one.timestamp_s))
    return [
        [times_s[0] if len(times_s) == 1 else times_s, " ".join(tag(one) for one in entity_ids), clipped(text)]
        for (entity_ids, text), times_s in told.items()
    ]


def _findings(execution: Execution) -> list[dict[str, object]]:
    """What steps found by code: counts, stretches of time that tracks tell, and their remarks."""
    findings: list[dict[str, object]] = []
    for step in execution.plan.steps:
        if told := _finding(step.arguments, execution.bindings[step.save_as]):
            findings.append({"step": step.save_as, "function": step.function, **told})
    return findings


def _finding(arguments: Arguments, found: Found) -> dict[str, object]:
    told: dict[str, object] = {}
    if found.count is not None:
        told["count"] = found.count
    # A sentence's second is in the evidence; what tracks tell (who is there, who comes) is not.
    if isinstance(arguments, LocalizeNode) and arguments.state is not None:
        told["seconds"] = [
            [seconds(one.start_s), seconds(one.end_s), *([one.name] if one.name else [])]
            for one in found.intervals[:STRETCHES]
        ]
    if found.note:
        told["remark"] = found.note
    return told
