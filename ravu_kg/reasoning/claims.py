"""What a question and one of its options claim together, as a sentence that can be compared with others."""

from __future__ import annotations

import re
from collections.abc import Sequence

_AUX = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|might)"
_TIME = re.compile(
    r"\b(?:after|before|when|while|as|once|until|upon|whenever|during|in the (?:beginning|middle|end|video)|"
    r"at the (?:beginning|start|middle|end)|near the end|towards the end|at first|in this video|at one point|"
    r"throughout|most of the time|for most)\b"
)
_MIN_MAIN = 8
"""A clause of time further in front is the question itself."""
LONG_WORDS = 12
"""Options with more words on average are whole sentences: they claim something without the question."""


def are_sentences(options: Sequence[str]) -> bool:
    """Whether options say what they mean by themselves, as those of EgoSchema do."""
    return sum(len(option.split()) for option in options) > LONG_WORDS * len(options)


def claim(question: str, option: str) -> str:
    """``what did the dog do after it woke up``, ``shakes its body`` -> ``the dog shakes its body``.

    Rough English is good enough: it is compared in meaning. When it happens is left out, since sentences about a
    moment do not tell what was before.
    """
    text, said = _plain(question), _plain(option)
    found = _TIME.search(text)
    main = text[: found.start()].strip() if found and found.start() > _MIN_MAIN else text
    if match := re.match(r"how many (?P<rest>.*)", main):
        return _joined(said, re.sub(rf"\b(?:{_AUX}|there|you|see)\b", " ", match["rest"]))
    if match := re.match(rf"why ?(?:{_AUX})? ?(?:not )?(?P<rest>.*)", main):
        return _joined(match["rest"], _reason(said), said)
    if match := re.match(rf"how ?(?:{_AUX})? ?(?:not )?(?P<rest>.*)", main):
        return _joined(match["rest"], "by" if re.match(r"\w+ing\b", said) else "", said)
    if match := re.match(rf"where {_AUX} (?P<rest>.*)", main):
        rest = re.sub(r"\b(?:this|it)(?: video)?(?: taking place| happening)?\Z", "", match["rest"])
        return _joined(rest, "" if re.match(r"(?:on|in|at|under|inside|behind|near|by|from)\b", said) else "in", said)
    if match := re.match(
        rf"what(?: else| activity| action)? {_AUX} (?P<who>.*?) (?:do|doing|does|done)\b(?P<rest>.*)", main
    ):
        return _joined(match["who"], said, match["rest"])
    if match := re.match(rf"what(?: else)? (?P<aux>{_AUX}) (?P<rest>.*)", main):
        names = match["aux"] in ("is", "are", "was", "were") and not re.search(r"\w+ing\b", match["rest"])
        return _joined(match["rest"], match["aux"] if names else "", said)
    if match := re.match(r"(?:what|which|whose) (?P<kind>\w+) (?P<rest>.*)", main):
        return _joined(match["rest"], said, match["kind"])
    if match := re.match(r"who (?P<rest>.*)", main):
        return _joined(said, match["rest"])
    return _joined(main, said)


def parts(option: str) -> list[str]:
    """The clauses of an option; a phrase is one."""
    text = _plain(option)
    found = re.split(r"[.;,]|\b(?:and then|and|while|but|then|before|after|because)\b|\bto\b(?= \w+ )", text)
    return [one for part in found if len((one := part.strip()).split()) >= 2] or [text]


def _reason(said: str) -> str:
    if re.match(r"(?:he|she|it|they|the|there|i)\b", said):
        return "because"
    if said.startswith(("to ", "for ", "in ")):
        return ""
    return "for" if re.match(r"\w+ing\b", said) else "to"


def _plain(text: str) -> str:
    return re.sub(r"[\s?.!]+\Z", "", " ".join(text.lower().split()))


def _joined(*texts: str) -> str:
    return " ".join(" ".join(texts).split())
