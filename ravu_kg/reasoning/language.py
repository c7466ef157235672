"""What a question asks for, found by rules: its kind, its temporal part, and how its clauses hang together."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from ravu_kg.reasoning.clauses import connectives_of, join, take_clause, take_part
from ravu_kg.reasoning.noun_phrases import first_noun_phrase, split_counted, statement
from ravu_kg.reasoning.number_words import in_figures
from ravu_kg.reasoning.patterns import (
    ALWAYS,
    AT_ONCE,
    AUX,
    COLOR,
    COLOR_SUBJECT,
    CONTRACTIONS,
    COUNT,
    COUNT_TAIL,
    DO,
    EVER,
    HAPPENS,
    HAPPENS_TO,
    HOW_LONG,
    INVENTORY,
    LASTING,
    LENGTH,
    MOST,
    OF_VIDEO,
    PRESENCE_ONLY,
    REACTION,
    SETTING,
    SIDE,
    SUMMARY,
    TWICE,
    VIDEO,
    WEARING,
    WHEN,
    WHERE,
    WHICH_VIDEO,
    WHO_NEXT,
    WHO_NTH,
)
from ravu_kg.reasoning.plan import State
from ravu_kg.reasoning.reading import Clause, Kind, Reading
from ravu_kg.reasoning.spelling import corrected
from ravu_kg.reasoning.states import OPPOSITE, match_state, take_order
from ravu_kg.reasoning.subjects import asked_about, is_noun_phrase
from ravu_kg.reasoning.times import take_moment, take_stretch
from ravu_kg.reasoning.vocabulary import read_phrase

__all__ = ["MAX_PARSED_CHARS", "MAX_QUERY_CHARS", "Clause", "Kind", "Reading", "normalize", "read_question"]

_ANYTHING = ("objects", "things", "items", "object", "thing", "item")
MAX_PARSED_CHARS = 400
"""A longer text is not taken apart: it is searched for as it is."""
MAX_QUERY_CHARS = 1000
"""As much of a question as is embedded: an encoder reads a few hundred words at most."""


def normalize(question: str) -> str:
    """Lower case, one space between words, contractions written out, no final punctuation."""
    text = unicodedata.normalize("NFKC", question[: MAX_QUERY_CHARS * 2]).replace("’", "'").replace("`", "'")
    text = re.sub(r"\s+", " ", text).strip().lower()
    text = re.sub(r"[\s?!.:;,]+\Z", "", text)
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    return text


@lru_cache(maxsize=256)
def read_question(question: str) -> Reading:
    """Take a question apart. Never fails: what no rule knows is a ``what`` with the whole text to search for."""
    text = normalize(question)
    if len(text) > MAX_PARSED_CHARS:
        return Reading(text=text, kind="what", main=text[:MAX_QUERY_CHARS])
    text = re.sub(r"\A(?:from|between|since|until) when(?: (?:to|until|till|and) when)?\b", "when", corrected(text))
    text = in_figures(text)
    text = TWICE.sub(r"\1", text)
    part, side, rest = take_part(text)
    stretch, rest = take_stretch(rest)
    at_s, rest = take_moment(rest) if stretch is None else (None, rest)
    main, asked = take_clause(rest)
    reading = replace(_read_main(main), at_s=at_s, stretch=stretch)
    if asked is not None:
        reading = join(reading, asked)
    connectives = {*connectives_of(rest), *([asked.connective] if asked else ()), *([side] if side else ())}
    return replace(reading, text=text, part=part, connectives=frozenset(connectives))


def _read_main(text: str) -> Reading:
    for read in _READERS:
        reading = read(text)
        if reading is not None:
            return reading
    return _read_other(text)


def _read_count(text: str) -> Reading | None:
    if re.match(r"\Ahow many (?:video|clip|second|minute)s?\b", text):
        return None
    text = re.sub(r"\A(?:how often|how frequently)\b", "how many times", text)
    most = MOST.match(text)
    text = text[most.end() :] if most else text
    shorter = AT_ONCE.sub("", text)
    found = COUNT.match(shorter) or COUNT_TAIL.match(shorter)
    if found is None:
        return None
    rest = found["rest"]
    if shorter != text or most:
        noun, condition = split_counted(rest)
        if PRESENCE_ONLY.fullmatch(condition):
            return Reading(text, "count", rest, subject=noun, at_once=True)
    if times := re.match(rf"\A(?:times?|occasions?)(?: in total| altogether)? (?:{AUX} )?(?P<what>.+)\Z", rest):
        what = times["what"]
        subject = asked_about(f"does {what}") or first_noun_phrase(what) or what
        return Reading(text, "count_events", what, subject=subject, condition=what)
    noun, condition = split_counted(rest)
    if other := re.match(r"(?:and|or) (?P<rest>.+)", condition):
        second, condition = split_counted(other["rest"])
        noun = f"{noun} and {second}"
    if condition and PRESENCE_ONLY.fullmatch(condition):
        condition = ""
    condition = re.sub(rf"\A(?:(?:that|who|which|there|{AUX}) )+", "", condition)
    return Reading(text, "count", rest, subject=noun, condition=condition or None)


def _read_which_video(text: str) -> Reading | None:
    found = WHICH_VIDEO.match(text)
    if found is None:
        return None
    rest = (found["rest"] or found["with"] or "").strip()
    rest = re.sub(
        r"\A(?:there )?(?:are|is) there |\A(?:there )?(?:shows?|contains?|has|have|features?|with|"
        r"includes?) ",
        "is there ",
        rest,
    )
    state = match_state(rest)
    subject = state.subject if state else first_noun_phrase(rest)
    if state:
        state = state.model_copy(update={"name": "present" if state.name == "enters" else state.name})
    elif subject:
        state = State(subject=subject, name="present")
    return Reading(text, "which_video", statement(rest) or text, subject=subject, state=state)


def _read_length(text: str) -> Reading | None:
    return Reading(text, "length", text) if LENGTH.match(text) else None


def _read_how_long(text: str) -> Reading | None:
    found = HOW_LONG.match(text)
    if found is None:
        return None
    state = match_state(found["rest"])
    return Reading(
        text, "how_long", statement(found["rest"]), subject=_subject(state, found["rest"]), state=_lasting(state)
    )


def _lasting(state: State | None) -> State | None:
    """A change has no length: "how long does the dog disappear" asks for the absence."""
    lasting = {"leaves": "absent", "enters": "present", "returns": "present"}
    if state is None or state.name not in lasting:
        return state
    return state.model_copy(update={"name": lasting[state.name]})


def _read_when(text: str) -> Reading | None:
    found = WHEN.match(text)
    if found is None:
        return None
    rest = found["rest"]
    state = match_state(rest)
    return Reading(text, "when", statement(rest), subject=_subject(state, rest), state=state)


def _read_where(text: str) -> Reading | None:
    found = WHERE.match(text)
    if found is None:
        return None
    rest = found["rest"]
    if SETTING.match(rest):
        return Reading(text, "setting", text, subject=asked_about(text))
    subject = asked_about(rest) or first_noun_phrase(rest) or statement(rest)
    return Reading(text, "where", statement(rest), subject=subject)


def _read_side(text: str) -> Reading | None:
    """Through which border somebody comes or goes."""
    found = SIDE.match(text)
    if found is None:
        return None
    come = r"(?: (?:come|comes|came|coming|enter|enters|entered|walk|walks|walked))?"
    rest = re.sub(rf"{come} (?:in )?from\Z", " enters", found["rest"])
    rest = re.sub(r" (?:go|goes|went|leave|leaves|left) (?:to|through|by)\Z", " leaves", rest)
    state = match_state(rest, gone="leaves")
    if state is None or state.name not in ("enters", "leaves", "returns", "absent"):
        return None
    name = "leaves" if state.name == "absent" else state.name
    which = "all" if read_phrase(state.subject).plural else "first" if state.which == "all" else state.which
    state = state.model_copy(update={"name": name, "which": which})
    return Reading(text, "side", statement(rest), subject=state.subject, state=state)


def _read_color(text: str) -> Reading | None:
    if found := WEARING.match(text):
        worn = next(value for value in found.groupdict().values() if value)
        return Reading(text, "color", statement(text), subject=first_noun_phrase(worn) or worn)
    if not COLOR.search(text) or not re.match(r"\A(?:what|which|of|tell|name|in|\w+)\b", text):
        return None
    found = COLOR_SUBJECT.search(text)
    subject = (found["of"] or found["is"] or found["poss"] or found["noun"]) if found else None
    if subject:
        subject = re.sub(r"\A(?:what|which|is|are|the color of) ", "", subject).strip()
    return Reading(text, "color", statement(text), subject=first_noun_phrase(subject or "") or subject or text)


def _read_overview(text: str) -> Reading | None:
    if SUMMARY.match(text):
        return Reading(text, "summary", text)
    if INVENTORY.match(text):
        noun = first_noun_phrase(re.sub(VIDEO, "", text)) if text.startswith(("what", "which", "list")) else None
        return Reading(
            text, "inventory", text, subject="person" if text.startswith("who") else None if noun in _ANYTHING else noun
        )
    return None


def _read_other(text: str) -> Reading:
    if (lasting := LASTING.search(text)) and re.match(r"\A(?:who|whom|which|what)\b", text):
        which = "longest" if lasting["long"] else "shortest"
        rest = re.sub(r"\A(?:who|(?:which|what)(?: of the)?) ?", "", text[: lasting.start()] + text[lasting.end() :])
        noun = first_noun_phrase(rest) if not text.startswith("who") else "a person"
        said = rest if not text.startswith("who") else f"a person {rest}"
        state = match_state(said) if noun else None
        if noun and state and state.name in ("present", "absent"):
            return Reading(text, "who", said, noun, state.model_copy(update={"which": which, "subject": noun}))
    if found := WHO_NEXT.match(text):
        verb, order = found["verb"] or "comes", found["order"]
        which = order if order in ("first", "last") else None
        noun = f"{'a' if which or order == 'next' else f'the {order}'} {found['noun'] or 'person'}"
        state = match_state(f"{noun} {verb}") or State(subject=noun, name="enters")
        return Reading(text, "who", f"{noun} {verb}", noun, state.model_copy(update={"which": which or "first"}),
                       order=order if order in ("first", "last", "next") else None)  # fmt: skip
    if found := WHO_NTH.match(text):
        return _read_who(text, f"the {found['order']} person {found['verb']}")
    ordered = take_order(text)
    if found := HAPPENS_TO.match(ordered.text):
        return Reading(text, "what", f"{found['subject']}", subject=found["subject"], order=ordered.order)
    kind: Kind = "how" if text.startswith("how") else "what"
    if (found := DO.match(ordered.text)) and (kind == "what" or is_noun_phrase(found["subject"])):
        subject, rest = OF_VIDEO.sub("", found["subject"]), found["rest"]
        if not is_noun_phrase(subject):
            subject = asked_about(ordered.text) or subject
        tail = take_order(f"x{rest}")
        return Reading(
            text, kind, f"{subject}{tail.text[1:]}".strip(), subject=subject, order=ordered.order or tail.order
        )
    if found := REACTION.match(ordered.text):
        subject = asked_about(f"is {found['subject']}") or found["subject"]
        return Reading(text, "how", subject, subject=subject, order=ordered.order)
    if HAPPENS.match(ordered.text):
        return Reading(text, "what", text, order=ordered.order)
    who = re.match(r"\A(?:who|whom|which|what) (?P<rest>.+)\Z", text)
    if who and text.startswith("who"):
        return _read_who(text, f"a person {who['rest']}")
    if found := re.match(r"\Awhich (?P<noun>[\w ]+)\Z", text):
        noun = first_noun_phrase(found["noun"])
        state = match_state(f"{noun} {found['noun'][len(noun) :].strip()}") if noun else None
        if noun and state:
            return _read_who(text, f"{noun} {found['noun'][len(noun) :].strip()}")
    kind = "why" if text.startswith("why") else "how" if text.startswith("how") else "what"
    always = None
    if re.match(rf"\A{AUX} ", text):
        kind = "yes_no"
        always = ALWAYS.search(text)
        text = EVER.sub("", ALWAYS.sub("", text))
    state = match_state(text) if kind == "yes_no" else None
    if always and state and state.name in OPPOSITE:
        opposite = state.model_copy(update={"name": OPPOSITE[state.name]})
        return Reading(text, kind, statement(text) or text, subject=state.subject, state=opposite, inverted=True)
    if state and state.name == "enters" and not read_phrase(state.subject).definite:
        state = state.model_copy(update={"name": "present"})
    subject = state.subject if state else asked_about(text) or first_noun_phrase(text)
    return Reading(text, kind, statement(text) or text, subject=subject, state=state, order=ordered.order)


def _read_who(text: str, said: str) -> Reading:
    order = take_order(said).order
    state = match_state(said)
    if state and state.which == "all" and state.name in ("enters", "leaves", "returns"):
        state = state.model_copy(update={"which": "last" if order == "last" else "first"})
    return Reading(text, "who", said, subject=_subject(state, said), state=state, order=order)


def _subject(state: State | None, text: str) -> str | None:
    return state.subject if state else first_noun_phrase(text)


_READERS = (
    _read_count, _read_side, _read_which_video, _read_length, _read_how_long, _read_when, _read_where, _read_color,
    _read_overview,
)  # fmt: skip
"""Tried in turn; the first that knows the question reads it."""
