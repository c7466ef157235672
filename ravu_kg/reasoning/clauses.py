"""The temporal parts of a question: the part of the video it keeps to, and the clause that fixes the moment."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ravu_kg.reasoning.noun_phrases import first_noun_phrase, tells_something
from ravu_kg.reasoning.nouns import HYPERNYMS
from ravu_kg.reasoning.patterns import (
    ASKING,
    AUX,
    CONNECTIVES,
    FOLLOWS,
    GERUND,
    INNER,
    LEADING,
    NOT_A_CLAUSE,
    PART,
    PART_OF_VIDEO,
    PART_VERB,
    PARTS,
    PERFECT,
    PLACED,
    PRONOUN,
    WITHOUT,
)
from ravu_kg.reasoning.plan import Direction, State, TargetPart
from ravu_kg.reasoning.reading import Clause, Reading
from ravu_kg.reasoning.states import is_subject, match_state
from ravu_kg.reasoning.subjects import lacks_subject, noun_phrases, told_about
from ravu_kg.reasoning.times import take_length
from ravu_kg.reasoning.vocabulary import KNOWN_NOUNS, read_phrase

_OF_THE_NOUN = re.compile(
    r"(?:in|wearing|with|without|of|from|at|on|by|near|next|behind|under|who|that|which|and|or|again|alone)\b"
)
_LOOKING = re.compile(r"\b(?:look|looks|looked|looking|take|takes|named)\Z")
_CHASING = re.compile(r"\b(?:run|runs|ran|running|go|goes|going|went|chase|chases|chased|chasing|one)\Z")
"""Before "after the ball": no time is meant."""
_NTH_TIME = re.compile(r"\A(?:the )?(?:first|second|third|last|next) time (?:that |when )?(?=\w)")
_BESIDE: dict[tuple[Direction, str], TargetPart] = {
    ("after", "beginning"): "beginning", ("after", "start"): "beginning", ("before", "middle"): "beginning",
    ("after", "middle"): "end", ("before", "end"): "end",
}  # fmt: skip
"""The part of the video that lies beside a limit of it."""
_OF_A_VERB = re.compile(rf" {AUX}\b")
_MALE = frozenset(["man", "boy", "guy", "gentleman", "father", "dad", "husband", "groom", "brother", "son", "uncle"])
_FEMALE = frozenset(["woman", "girl", "lady", "mother", "mom", "mum", "wife", "bride", "sister", "daughter", "aunt"])


@dataclass(frozen=True, slots=True)
class Asked:
    """A temporal clause as it stands in a question."""

    connective: Direction
    words: str
    gap_s: float = 0.0
    reach_s: float | None = None


def take_part(text: str) -> tuple[TargetPart | None, Direction | None, str]:
    """The part of the video that a question in lower case names, and the question without it.

    "After the middle of the video" is a part as well; between them stands the side that was said, here ``after``.
    """
    if found := PART_VERB.match(text):
        word = "beginning" if found["word"] in ("begin", "start", "open") else "end"
        return PARTS[word], None, "what happens"
    found = _part(text)
    if found is None:
        return None, None, text
    part = PARTS[found["word"]] if found["word"] else "middle"
    side: Direction | None = None
    if found["side"]:
        side = "after" if found["side"] == "after" else "before"
        part = _BESIDE.get((side, found["limit"]))
        if part is None:  # before the beginning
            return None, None, text
    rest = re.sub(r"\s+", " ", (text[: found.start()] + " " + text[found.end() :]).strip(" ,"))
    return part, side, rest or "what happens"


def take_clause(text: str) -> tuple[str, Asked | None]:
    """The main clause, and the temporal one with the side of it that is asked for."""
    if found := WITHOUT.search(text):
        away = found["a"] or found["b"] or found["c"]
        return text[: found.start()], Asked("around", f"{away} is away")
    length, rest = take_length(text, at_start=True)
    for leading in LEADING:
        found = leading.match(rest)
        if found is not None and not re.match(rf"(?:{AUX}|what|which)\b", found["clause"]):
            return found["main"], _asked(_direction(found), found["clause"], *length)
    if followed := FOLLOWS.match(text):
        return f"{followed['who']} comes", Asked("after", followed["np"])
    for found in _temporal(text):
        before = text[: found.start()].strip(" ,")
        if ASKING.match(before):
            return text[found.start() :].strip(" ,"), None
        if before:
            connective = _direction(found)
            if connective == "around":  # "for 3 seconds when the dog leaves" is no distance from the moment
                return before, _asked(connective, found["clause"])
            length, main = take_length(before)
            return main, _asked(connective, found["clause"], *length)
    return text, None


def connectives_of(text: str) -> frozenset[Direction]:
    """All temporal connectives of a question in lower case."""
    return frozenset(_direction(found) for found in _temporal(text))


def join(reading: Reading, asked: Asked) -> Reading:
    """Attach the temporal clause, lending subjects across pronouns and participles."""
    connective, text, subject = asked.connective, asked.words, reading.subject
    own: str | None = None
    text = _NTH_TIME.sub("", text)
    if (
        (GERUND.match(text) or PLACED.match(text) or lacks_subject(text))
        and subject
        and subject not in ("who", "a person")
    ):
        own, text = subject, f"{subject} {text}"
    elif (found := PRONOUN.match(text)) and subject and not PRONOUN.fullmatch(subject):
        own = _meant(found[0], subject, reading.text)
        text = f"{own}{text[found.end() :]}"
    state = match_state(text, gone="absent" if connective == "around" else "leaves")
    if connective == "around" and state and state.name == "leaves" and PERFECT.search(text) and not _is_change(reading):
        state = state.model_copy(update={"name": "absent"})
    known = read_phrase(text).noun in KNOWN_NOUNS or read_phrase(text).ordinal
    if state is None and known and is_subject(text) and not _says_more(text):
        state = State(subject=text, name="present")
    own = state.subject if state else own or told_about(text) or first_noun_phrase(text)
    if state and read_phrase(state.subject).noun == "one" and subject:
        own = re.sub(r"\bones?\b", read_phrase(subject).noun or "person", state.subject)
        state = state.model_copy(update={"subject": own})
    clause = Clause(connective, text, state, own, asked.words, asked.gap_s, asked.reach_s)
    if subject in ("he", "she") and own and not _is_person(own):
        reading = replace(reading, subject="the person", main=reading.main.replace(subject, "the person", 1))
    elif subject and PRONOUN.fullmatch(subject) and own and (subject != "they" or read_phrase(own).plural):
        reading = replace(reading, subject=own, main=reading.main.replace(subject, own, 1))
    return replace(reading, clause=clause)


def _part(text: str) -> re.Match[str] | None:
    """Where the part of the video is named: at the end rather than within ("the man in the middle")."""
    named = [found for found in PART.finditer(text) if found.start() == 0 or not _OF_A_VERB.match(text[found.end() :])]
    ending = [found for found in named if found.end() == len(text)]
    return next(iter(ending or named), None) or PART_OF_VIDEO.search(text)


def _temporal(text: str) -> list[re.Match[str]]:
    """Where temporal connectives stand, the outermost first."""
    found: list[re.Match[str]] = []
    match = INNER.search(text)
    while match is not None:
        if _fixes_a_moment(match, text):
            found.append(match)
        match = INNER.search(text, match.end(_direction(match)))
    return found


def _fixes_a_moment(found: re.Match[str], text: str) -> bool:
    clause, connective = found["clause"].strip(" ,"), found[_direction(found)]
    if NOT_A_CLAUSE.match(clause):
        return False
    if connective.endswith("after") and _LOOKING.search(text[: found.start()]):
        return False
    alone = told_about(clause) == clause
    if connective == "as":  # as a present
        return not alone
    return not (alone and _CHASING.search(text[: found.start()]))


def _asked(connective: Direction, words: str, length_s: float | None = None, within: bool = False) -> Asked:
    words = words.strip(" ,")
    if length_s is None:
        return Asked(connective, words)
    return Asked(connective, words, reach_s=length_s) if within else Asked(connective, words, gap_s=length_s)


def _direction(found: re.Match[str]) -> Direction:
    return next(name for name, _ in CONNECTIVES if found[name] is not None)


def _meant(pronoun: str, subject: str, question: str) -> str:
    """Whom a pronoun at the start of the clause stands for: the subject, unless it cannot be."""
    noun = read_phrase(subject).noun
    if subject.startswith(("his ", "her ", "their ")):
        return pronoun
    others = [one for one in noun_phrases(question) if one not in subject]
    nouns = {one: read_phrase(one).noun for one in others}
    if pronoun in ("he", "him") and noun in _FEMALE:
        others.sort(key=lambda one: nouns[one] not in _MALE)
        return next((one for one in others if nouns[one] not in _FEMALE and _is_somebody(one)), subject)
    if pronoun in ("she", "her") and noun in _MALE:
        others.sort(key=lambda one: nouns[one] not in _FEMALE)
        return next((one for one in others if nouns[one] not in _MALE and _is_somebody(one)), subject)
    if pronoun == "it" and noun in _MALE | _FEMALE:
        return next((one for one in others if not _is_person(one)), "it")
    return subject


def _says_more(text: str) -> bool:
    """Whether something is told of the noun phrase: "the woman threw the toy", "the man in blue jeans jumps"."""
    phrase = re.sub(r" (?:in|wearing) .*", "", first_noun_phrase(text) or "")
    rest = text.partition(phrase)[2].strip() if phrase else ""
    if not rest or not _OF_THE_NOUN.match(rest):
        return bool(rest)
    return tells_something(rest)


def _is_person(phrase: str) -> bool:
    noun = read_phrase(phrase).noun
    return "person" in (noun, *HYPERNYMS.get(noun, ()))


def _is_somebody(phrase: str) -> bool:
    """A person, and no part of one."""
    return _is_person(phrase) and read_phrase(phrase).noun not in ("hand", "head", "face")


def _is_change(reading: Reading) -> bool:
    """Whether somebody's coming or going is asked for."""
    return reading.state is not None and reading.state.name in ("enters", "leaves", "returns")
