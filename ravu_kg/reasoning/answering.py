"""An answerer without a model: it says what the evidence says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ravu_kg.articles import with_article
from ravu_kg.reasoning.abstaining import abstains_from, sureness
from ravu_kg.reasoning.language import Reading, read_question
from ravu_kg.reasoning.options import certain_scores, option_scores
from ravu_kg.reasoning.plan import LocalizeNode, State
from ravu_kg.reasoning.protocols import Reply, Supporter
from ravu_kg.reasoning.records import Evidence, Execution, Found, Interval, Outcome, Span
from ravu_kg.reasoning.told import SupportBy
from ravu_kg.reasoning.vocabulary import COLOR_NAMES, plural, read_phrase
from ravu_kg.reasoning.weighing import weigh

_HAS_NO_ARTICLE = re.compile(
    r"(?:the|an?|this|that|these|those|my|your|his|her|its|our|their|whose|[\w-]+'s|no|none|any|each|every|all|both|some|"
    r"another|either|neither|such|several|many|much|few|most|more|half|what|which|who|\d+|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|(?:some|any|every|no)(?:one|body|thing)|i|you|he|she|it|we|they|me|him|us|them|"
    r"(?:my|your|him|her|it)self|(?:our|your|them)selves)(?![\w-])",
    re.IGNORECASE,
)
"""Starts of a phrase that take no article before them: another determiner, a number, a pronoun or a possessive."""
TOLD = 4
"""An answer quotes at most so many events or sentences."""


class ExtractiveAnswerer:
    """Puts counts, intervals and sentences of the evidence into one short text."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        return "extractive"

    def answer(self, question: str, options: Sequence[str], execution: Execution, supporter: Supporter) -> Reply:
        """The answer; with options, the text of the best supported one.

        The margin is the best option's support minus the second best's, 0..1; without options it is 0.
        """
        reading = read_question(question)
        text, intervals = _text(reading, execution)
        outcome: Outcome = "answered" if _tells(reading, execution) else "unknown"
        telling = supporter.telling(execution)
        spans = intervals or _spans_found(execution)
        weighed = None
        if telling is not None and len(options) > 1 and certain_scores(options, execution, text, spans) is None:
            weighed = weigh(question, options, telling.told, telling.vectors)
        reply = Reply(text, None, 0.0, intervals, outcome)
        if weighed is not None and telling is not None:
            reply = replace(_chosen(options, weighed.scores, intervals, "answered"), weighed_by=_SAID_BY[telling.by])
        elif options:
            reply = _chosen(options, option_scores(options, execution, supporter, text, spans), intervals, outcome)
        if telling is None or not question or not abstains_from(reading.kind, telling, options):
            return reply
        sure = sureness(question, telling.told, telling.vectors, weighed)
        return _unknown(reply, sure.reason) if sure is not None and sure.reason else reply


_SAID_BY: dict[SupportBy, str] = {"video": "weighed by all moments", "evidence": "weighed by the evidence"}


def _chosen(options: Sequence[str], scores: Sequence[float], intervals: tuple[Span, ...], outcome: Outcome) -> Reply:
    best = max(range(len(options)), key=lambda position: scores[position])
    others = [score for position, score in enumerate(scores) if position != best]
    margin = scores[best] - max(others) if others else scores[best]
    return Reply(options[best], best, max(0.0, min(1.0, margin)), intervals, outcome)


def _unknown(reply: Reply, reason: str) -> Reply:
    """The likeliest option and its margin are kept: who has to choose may still do so."""
    likeliest = f" The likeliest option is {reply.text!r}." if reply.option is not None else ""
    return replace(reply, text=f"I don't know. {reason}{likeliest}", intervals=(), outcome="unknown", reason=reason)


def _tells(reading: Reading, execution: Execution) -> bool:
    """Whether anything was found; that nothing was found is itself the answer to yes or no, and to how many."""
    found = execution.bindings.values()
    if execution.evidence or reading.kind in ("yes_no", "how_long", "length"):
        return True
    return any(one.count is not None or (one.intervals and one.function == "localize_node") for one in found)


def _text(reading: Reading, execution: Execution) -> tuple[str, tuple[Span, ...]]:
    found = list(execution.bindings.values())
    last = found[-1]
    if reading.kind == "length":
        return f"The video is {_seconds(execution.duration_s)} long.", ((0.0, execution.duration_s),)
    counting = next((one for one in found if one.function == "count_nodes"), None)
    if counting is not None:
        if reading.kind == "inventory":
            return _inventory(counting), ()
        return _count(reading, counting), ()
    state_step = _state_step(execution)
    if reading.kind == "side":
        return _side(reading, execution), ()
    if reading.kind in ("when", "how_long", "yes_no", "which_video") and state_step is not None:
        state, moment = state_step
        if not moment.intervals:
            return _nothing(reading, moment), ()
        return _about_state(reading, state, moment)
    if reading.kind == "who" and state_step is not None:
        return _who(reading, *state_step, execution), ()
    missing = next((one.note for one in found if one.note and not one.evidence and not one.intervals), "")
    if not execution.evidence:
        return (missing or last.note or "The memory has no evidence for this question."), ()
    if reading.kind == "when":
        spans = tuple((one.start_s, one.end_s) for one in last.intervals)
        best = max(execution.evidence, key=lambda one: one.score)
        return f"At about {_seconds(best.timestamp_s)}: {_sentence(best.text)}", spans
    if reading.kind == "color":
        return _color(last, execution.evidence), ()
    if reading.kind == "where":
        return _where(execution.evidence), ()
    return _told(reading, execution), ()


def _count(reading: Reading, found: Found) -> str:
    if found.count is None and found.note:
        return found.note
    count = found.count or 0
    if reading.kind == "count_events":
        text = f"{count} {'time' if count == 1 else 'times'}."
    else:
        noun = read_phrase(reading.subject or "things").noun or "thing"
        if reading.subject and re.search(r" (?:and|or) ", reading.subject):
            return f"{count or 'No'} {reading.subject}."
        if reading.at_once and count and found.intervals:
            span = found.intervals[0]
            kind = noun if count == 1 else plural(noun)
            return f"{count} {kind} at once, from {_seconds(span.start_s)} to {_seconds(span.end_s)}."
        text = f"{count or 'No'} {noun if count == 1 else plural(noun)}{'' if count else ' found'}."
    return f"{text} {found.note}".strip() if found.note and count else text


def _inventory(found: Found) -> str:
    kinds = Counter(re.sub(r" \d+$", "", one.name) for one in found.counted if one.counted)
    if not kinds and found.note:
        return _sentence(found.note)
    if not kinds:
        return "The memory has no entity for this video."
    parts = [f"{count} {kind if count == 1 else plural(kind)}" for kind, count in kinds.most_common(12)]
    return _capital(_listed(parts)) + "."


def _about_state(reading: Reading, state: State, found: Found) -> tuple[str, tuple[Span, ...]]:
    intervals = _merged(found.intervals) if state.object == state.subject else list(found.intervals)
    spans = tuple((one.start_s, one.end_s) for one in intervals)
    is_named = found.name.lower() == state.subject != found.name  # "Anna": questions are read in lower case
    subject = (
        "They" if state.subject == "things" else _capital(state.subject if is_named else _with_article(state.subject))
    )
    if reading.kind == "how_long":
        total_s = sum(one.length_s for one in intervals)
        return f"{_seconds(total_s)}: {_lower(_state_text(subject, state, intervals))}", spans
    text = _state_text(subject, state, intervals)
    if reading.kind == "yes_no":
        text = f"{'No' if reading.inverted else 'Yes'}. {text}"
    return text, spans


def _state_text(subject: str, state: State, intervals: Sequence[Interval]) -> str:
    read = read_phrase(state.subject)
    be = "are" if read.plural else "is"
    if state.name in ("enters", "returns", "leaves"):
        verb = {"enters": "come into the picture", "returns": "come back", "leaves": "leave the picture"}[state.name]
        verb = verb if read.plural else verb.replace("come", "comes", 1).replace("leave", "leaves", 1)
        times = _listed([_seconds(one.start_s) for one in intervals[:6]])
        return f"{subject} {verb} at {times}{_more(intervals, 6)}."
    said = {
        "present": "in the picture",
        "absent": "out of the picture",
        "near": f"near {_with_article(state.object or '')}",
        "far": f"far from {_with_article(state.object or '')}",
    }[state.name]
    if state.object == state.subject:
        said = "near each other" if state.name == "near" else "far from each other"
        be = "are"
    several = len({one.identity_id for one in intervals}) > 1
    stretches = [
        f"from {_seconds(one.start_s)} to {_seconds(one.end_s)}" + (f" ({one.name})" if several and one.name else "")
        for one in intervals[:6]
    ]
    return f"{subject} {be} {said} {_listed(stretches)}{_more(intervals, 6)}."


def _merged(intervals: Sequence[Interval]) -> list[Interval]:
    """Where any of them lasts, nobody's in particular."""
    merged: list[Interval] = []
    for one in sorted(intervals, key=lambda interval: interval.start_s):
        if merged and one.start_s <= merged[-1].end_s:
            merged[-1] = Interval(merged[-1].start_s, max(merged[-1].end_s, one.end_s))
        else:
            merged.append(Interval(one.start_s, one.end_s))
    return merged


def _nothing(reading: Reading, found: Found) -> str:
    note = _capital(found.note) or "The memory does not show it."
    if reading.kind != "yes_no":
        return note
    if found.unknown:
        return f"Not known. {note}"
    return f"{'Yes' if reading.inverted and found.entity_ids else 'No'}. {note}"


def _who(reading: Reading, state: State, found: Found, execution: Execution) -> str:
    if not found.intervals:
        return _nothing(reading, found)
    first = found.intervals[0]
    name = _capital(first.name or found.name or state.subject)
    if state.name in ("enters", "returns", "leaves"):
        next_one = reading.clause is not None or reading.order == "next"
        order = "next" if next_one else state.which.replace("all", "")
        if reading.clause is not None and reading.clause.connective == "before":
            order = "right before"
        elif not next_one and read_phrase(state.subject).ordinal is not None:
            order = ""  # "who is the second to come": the order is the subject's
        verb = {"enters": "comes", "returns": "comes back", "leaves": "leaves"}[state.name]
        text = f"{name} {f'{verb} {order}'.strip()}, at {_seconds(first.start_s)}."
        said = [one.text for one in execution.evidence if set(one.entity_ids) & set(first.entity_ids)]
        return f"{text} {_sentence(said[-1 if state.name == 'leaves' else 0])}" if said else text
    names = list(dict.fromkeys(one.name for one in found.intervals if one.name))
    be = "is" if len(names) == 1 else "are"
    said = {"present": "in the picture", "absent": "out of the picture", "near": "near", "far": "far from"}[state.name]
    target = f" {_with_article(state.object)}" if state.object else ""
    if state.which in ("longest", "shortest"):
        total_s = sum(one.length_s for one in found.intervals)
        spans = _listed([f"from {_seconds(one.start_s)} to {_seconds(one.end_s)}" for one in found.intervals[:6]])
        return f"{_capital(names[0])} is {said}{target} the {state.which}, {_seconds(total_s)} in all: {spans}."
    times = f"first from {_seconds(first.start_s)} to {_seconds(first.end_s)}"
    return f"{_capital(_listed(names))} {be} {said}{target}, {times}."


_BORDER = re.compile(
    r"\b(?:enters|comes|comes back|returns|leaves|goes out)(?: in| back)? (?:from|to|through) the (?P<side>\w+)"
)


def _side(reading: Reading, execution: Execution) -> str:
    """The borders that the events name, of each entity its own."""
    going = reading.state is not None and reading.state.name == "leaves"
    sides: dict[str, list[str]] = {}
    for one in execution.evidence:
        found = _BORDER.search(one.text)
        if found and found[0].startswith(("leaves", "goes")) == going:
            who = sides.setdefault(found["side"], [])
            if one.entity_ids[0] not in who:
                who.append(one.entity_ids[0])
    if not sides:
        if not execution.evidence:
            return _nothing(reading, list(execution.bindings.values())[-1])
        return f"Not through a border: {_lower(_where(execution.evidence[-1:] if going else execution.evidence[:1]))}"
    word = "To" if going else "From"
    ranked = sorted(sides, key=lambda side: -len(sides[side]))
    if len(ranked) == 1:
        return f"{word} the {ranked[0]}."
    return f"{word} the {_listed([f'{side} ({len(sides[side])})' for side in ranked])}."


def _color(found: Found, evidence: Sequence[Evidence]) -> str:
    weights: Counter[str] = Counter()
    for one in evidence:
        for word in (word for attribute in one.attributes for word in attribute.lower().split()):
            if word in COLOR_NAMES and word not in ("dark", "light"):
                weights[word] += 1
    if not weights:
        for one in evidence:
            weights.update(word for word in re.findall(r"[a-z]+", one.text.lower()) if word in COLOR_NAMES)
    if not weights:
        return "The memory knows no colour of it."
    ranked = weights.most_common(2)
    colors = [color for color, weight in ranked if weight >= 0.35 * ranked[0][1]]
    return f"{_capital(' and '.join(colors))}{f' ({found.name})' if found.name else ''}."


_PLACE = re.compile(
    r"\b(?:in the middle|at the (?:top|bottom|left|right)(?: (?:left|right))?)(?: of the picture)?(?:, (?:near|"
    r"right next to|in or in front of|above|below|left of|right of) [^,.]+)?"
)  # fmt: skip


def _where(evidence: Sequence[Evidence]) -> str:
    places: list[tuple[str, float]] = []
    for one in evidence:
        found = _PLACE.search(one.text)
        place = found[0] if found else ""
        if place and (not places or places[-1][0] != place):
            places.append((place, one.timestamp_s))
    if not places:
        return _sentence(evidence[0].text)
    if len({place for place, _ in places}) == 1:
        return _sentence(places[0][0])
    return _sentence(", then ".join(f"{place} ({_seconds(time_s)})" for place, time_s in places[:TOLD]))


def _told(reading: Reading, execution: Execution) -> str:
    """Events and sentences in time order, each said once; with an order word, only the first or last of them."""
    told: dict[tuple[tuple[str, ...], str], list[Evidence]] = {}
    for one in execution.evidence:
        told.setdefault((one.entity_ids, one.text), []).append(one)
    parts = [(min(one.timestamp_s for one in group), max(one.timestamp_s for one in group), text)
             for (_, text), group in told.items()]  # fmt: skip
    if reading.order in ("first", "next"):
        parts = parts[:1]
    elif reading.order == "last":
        parts = parts[-1:]
    elif len(parts) > TOLD:
        step = (len(parts) - 1) / (TOLD - 1)
        parts = [parts[round(position * step)] for position in range(TOLD)]
    return " ".join(
        f"{_seconds(start_s) if end_s - start_s < 0.05 else f'{start_s:.1f}-{end_s:.1f} s'}: {_sentence(text)}"
        for start_s, end_s, text in parts
    )


def _spans_found(execution: Execution) -> tuple[Span, ...]:
    """Of the last step that found any."""
    found = next((one for one in reversed(list(execution.bindings.values())) if one.intervals), None)
    return tuple((one.start_s, one.end_s) for one in found.intervals) if found else ()


def _state_step(execution: Execution) -> tuple[State, Found] | None:
    """The last localize_node step with a state that is not merely an anchor."""
    for step in reversed(execution.plan.steps):
        arguments = step.arguments
        if isinstance(arguments, LocalizeNode) and arguments.state is not None and step.save_as != "anchor":
            return arguments.state, execution.bindings[step.save_as]
    return None


def _seconds(time_s: float) -> str:
    return f"{time_s:.1f} s"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _more(items: Sequence[object], shown: int) -> str:
    return f" and {len(items) - shown} more times" if len(items) > shown else ""


def _with_article(phrase: str) -> str:
    if not phrase or _HAS_NO_ARTICLE.match(phrase) or read_phrase(phrase).plural or re.search(r" \d+\Z", phrase):
        return phrase
    if re.match(r"other\b", phrase):
        return f"an{phrase}"  # "another person", which is one word
    return with_article(phrase)


def _sentence(text: str) -> str:
    return _capital(text.strip().rstrip(".")) + "."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
