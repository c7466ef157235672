"""Who or what a clause is about: its first noun phrase with all that tells it from others.

``why did the man in the red shirt near the door wave`` is about ``the man in the red shirt near the door``. Where a
noun phrase ends is told by closed lists of small words and by position, not by a dictionary of verbs: behind "does"
the verb is whatever follows the noun phrase.
"""

from __future__ import annotations

import re
from typing import Literal

from ravu_kg.reasoning.vocabulary import COLOR_NAMES, KNOWN_NOUNS, ORDINALS, singular
from ravu_kg.reasoning.words import (
    ABSTRACT,
    ADJECTIVES,
    AUX,
    BARE_PLACES,
    CONJUNCTIONS,
    DETERMINERS,
    ING_NOUNS,
    NUMBERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    SIDES,
    THINGS,
    WORN,
)

Form = Literal["bare", "finite", "participle"]
"""Of the verb that follows: behind "does" a bare one, in a statement a finite one, behind "is" a participle or none."""
_DO = frozenset(("do", "does", "did", "can", "could", "will", "would", "should", "may", "might", "must"))
_AUX = re.compile(rf"(?:{AUX}|should|may|might|must)\Z")
_COLORS = COLOR_NAMES | {"multicoloured", "multicolored", "colourful", "colorful", "floral", "plaid", "striped",
                         "checkered", "chequered"}  # fmt: skip
_ABSTRACT = re.compile(rf"(?:the |his |her |their )?(?:\w+ )?{ABSTRACT} (?:of|between|from|for|among|on|in) ")
_LEADS_ON = frozenset(("for", "to", "by", "while", "when", "of", "without", "from"))
_NO_SUBJECT = frozenset(
    ("this", "that", "it", "this place", "the video", "this video", "the place", "the scene", "this scene")
)


def asked_about(question: str) -> str | None:
    """Whom a question in lower case asks about; None where no noun phrase follows its verb.

    >>> asked_about("why did the boy in black and white walk towards the hoop")
    'the boy in black and white'
    """
    words = question.split()
    at = next((position for position, word in enumerate(words[:8]) if _AUX.match(word)), None)
    if at is None:
        return None
    form: Form = "bare" if words[at] in _DO else "participle"
    rest = words[at + 1 :]
    while rest and rest[0] in ("not", "there", "also", "else", "only"):
        rest = rest[1:]
    subject = _subject(rest, form)
    if subject is None or subject in _NO_SUBJECT:
        return None
    return _of_whom(subject, rest) or subject


def told_about(statement: str) -> str | None:
    """Whom a statement in lower case tells of: ``the lady in red`` in "the lady in red started dancing"."""
    return _subject(statement.split(), "finite")


def lacks_subject(statement: str) -> bool:
    """Whether a statement begins with its verb, as in the slip "after take the toy"."""
    verb, _, rest = statement.partition(" ")
    follows = rest.partition(" ")[0]
    known = verb in DETERMINERS or verb in PRONOUNS or verb in NUMBERS or verb in ADJECTIVES or _is_noun(verb)
    return not known and (follows in DETERMINERS or _is_ing(follows))


def is_noun_phrase(text: str) -> bool:
    """Whether a text in lower case is one noun phrase, with no verb behind it."""
    return _subject([*text.split(), "is"], "finite") == text


def noun_phrases(text: str) -> list[str]:
    """The noun phrases with a determiner in a text, without what stands behind their nouns, in order."""
    words, found = text.split(), list[str]()
    at = 0
    while at < len(words):
        end = _core(words, at, "participle") if words[at] in DETERMINERS else at
        phrase = words[at:end]
        if "s" in phrase:
            found.append(" ".join(phrase[: phrase.index("s")]))  # whose it is: "the dog" of "the dog s head"
        if len(phrase) > 1:
            found.append(" ".join(phrase))
        at = max(end, at + 1)
    return found


def _of_whom(subject: str, rest: list[str]) -> str | None:
    """``the kid`` in "what is the response of the kid"."""
    text = " ".join(rest)
    found = _ABSTRACT.match(text)
    if found is None or not found[0].startswith(subject.partition(" of ")[0]):
        return None
    return _subject(text[found.end() :].split(), "participle")


def _subject(words: list[str], form: Form) -> str | None:
    end = _core(words, 0, form)
    if end == 0:
        return None
    return " ".join(words[: _modified(words, end, form)])


def _core(words: list[str], start: int, form: Form, *, worn: bool = False) -> int:
    """Where determiner, adjectives and nouns from a position on end; the position itself when there are none.

    Args:
        words: of the clause.
        start: first word.
        form: of the verb that follows.
        worn: behind "in" or "wearing", where a colour may stand alone.
    """
    at = start
    if at < len(words) and words[at] in QUANTITIES and words[at + 1 : at + 2] == ["of"]:
        return _core(words, at + 2, form)
    if at < len(words) and words[at] in PRONOUNS:
        return at + 1
    while at < len(words) and _narrows(words, at, start):
        alone = (worn and words[at] in _COLORS) or (at > start and words[at] in SIDES and words[at - 1] in DETERMINERS)
        if alone and not _continues(words, at + 1):
            return _joined(words, at + 1, form, worn=worn)
        at += 1
    if at == len(words) or not _may_be_noun(words, at):
        return _joined(words, at, form, worn=worn) if at > start and words[at - 1] not in ("a", "an", "the") else start
    at += 1
    while at < len(words) and _is_noun(words[at]) and not (
        form != "participle" and not _predicate(words, at + 1) and _predicate(words, at)
    ):  # fmt: skip
        at += 1
    if at + 1 < len(words) and words[at] in ("s", "'s"):
        owned = _core(words, at + 1, form)
        at = owned if owned > at + 1 else at
    return _joined(words, at, form, worn=worn)


def _joined(words: list[str], at: int, form: Form, *, worn: bool) -> int:
    """The end of a second noun phrase behind "and"."""
    if words[at : at + 1] != ["and"] or at + 1 == len(words):
        return at
    follows = words[at + 1]
    told = _narrows(words, at + 1, at + 1) and (worn or _is_noun("".join(words[at + 2 : at + 3])))
    if follows in DETERMINERS or follows in NUMBERS or _is_noun(follows) or told:
        end = _core(words, at + 1, form, worn=worn)
        return end if end > at + 1 else at
    return at


def _modified(words: list[str], at: int, form: Form) -> int:
    """Where the phrases behind the nouns end: "in red", "sitting on the left", "who holds the ball"."""
    sure = at
    while at < len(words):
        end = _prepositional(words, at, form) or _participial(words, at, form) or _relative(words, at, form)
        if end is None:
            break
        sure = end if _sure(words, at, end, form) else sure
        at = end
    return at if _predicate(words, at) else sure


def _sure(words: list[str], start: int, end: int, form: Form) -> bool:
    """Whether a phrase belongs to its noun whatever follows: what somebody wears, and "of"."""
    if words[start] == "of":
        return True
    if words[start] == "wearing" and form == "participle":
        return False
    named = [singular(word) for word in words[start + 1 : end]]
    return words[start] in ("in", "with", "wearing") and (named[-1] in _COLORS or named[-1] in WORN)


def _prepositional(words: list[str], at: int, form: Form) -> int | None:
    preposition = words[at]
    if preposition not in PREPOSITIONS:
        return None
    start = at + 1
    if words[at : at + 3] == ["in", "front", "of"]:
        start = at + 3
    elif words[at : at + 2] in (["next", "to"], ["close", "to"], ["on", "top"], ["inside", "of"], ["out", "of"]):
        start = at + 2 + (words[at + 2 : at + 3] == ["of"])
    elif preposition in ("next", "close", "out"):
        return None
    end = _core(words, start, form, worn=preposition in ("in", "wearing"))
    bare = at + 1 if preposition in BARE_PLACES else at + 2 if words[at : at + 2] == ["in", "front"] else None
    if bare is not None and (end == start or not _predicate(words, end)) and _predicate(words, bare):
        return bare
    return end if end > start else bare


def _participial(words: list[str], at: int, form: Form) -> int | None:
    """A participle with what belongs to it, which is the verb itself behind "is" unless another one follows."""
    word = words[at]
    if not (_is_ing(word) or (form != "finite" and word in ("dressed", "seated", "covered", "dressing", "carried"))):
        return None
    end = _complements(words, at + 1, form)
    if words[end - 1] in _LEADS_ON or (end == at + 1 < len(words) and _is_ing(words[end])):
        return None  # "wearing for walking", "stopping singing"
    if form == "participle":
        return end if end < len(words) and (_is_ing(words[end]) or words[end].endswith("ed")) else None
    return end if _predicate(words, end) else None


def _relative(words: list[str], at: int, form: Form) -> int | None:
    """A clause with "who" or "that", when a verb is left behind it."""
    if words[at] not in ("who", "that", "which"):
        return None
    at += 1
    if at < len(words) and (words[at] in DETERMINERS or words[at] in PRONOUNS):
        return None  # "that the car drove past"
    while at < len(words) and (_AUX.match(words[at]) or words[at] == "not"):
        at += 1
    end = _complements(words, at + 1, form)
    return end if _predicate(words, end) else None


def _complements(words: list[str], at: int, form: Form) -> int:
    """The end of objects and places behind a verb."""
    while at < len(words):
        if words[at] in PARTICLES and words[at] not in PREPOSITIONS:
            at += 1
            continue
        end = _prepositional(words, at, form)
        if end is None and (words[at] in DETERMINERS or words[at] in PRONOUNS or _is_noun(words[at])
                            or words[at] in _COLORS or words[at] in ADJECTIVES):  # fmt: skip
            end = _core(words, at, form, worn=words[at - 1] == "wearing")
        if end is None or end == at:
            break
        at = end
    return at


def _narrows(words: list[str], at: int, start: int) -> bool:
    """Whether a word stands before its noun: a determiner, a number, a colour, an adjective."""
    word, follows = words[at], words[at + 1] if at + 1 < len(words) else ""
    if word in DETERMINERS:
        return at == start or words[at - 1] in QUANTITIES or words[at - 1] in ("all", "both", "the")
    if word in NUMBERS or word in ORDINALS or word in _COLORS or word in ADJECTIVES:
        return True
    if word == "and":
        return at > start and words[at - 1] in _COLORS and follows in _COLORS
    if _is_ing(word):
        return at > start and words[at - 1] in DETERMINERS and _is_noun(follows)  # the standing man
    return word.endswith(("less", "est", "ish", "coloured", "colored", "haired", "ed", "looking")) and _is_noun(follows)


def _continues(words: list[str], at: int) -> bool:
    """Whether a noun phrase that has come to a colour goes on: "in red | shirt", "in red | and black"."""
    if at == len(words):
        return False
    if words[at] == "and":
        return at + 1 < len(words) and words[at + 1] in _COLORS
    if words[at] in _COLORS:
        return True
    follows = at + 1 < len(words) and (_is_noun(words[at + 1]) or words[at + 1] in _COLORS)
    return _is_noun(words[at]) or (follows and _narrows(words, at, at) and words[at] not in DETERMINERS)


def _may_be_noun(words: list[str], at: int) -> bool:
    word = words[at]
    return not (
        word in PREPOSITIONS or word in PARTICLES or word in CONJUNCTIONS or word in DETERMINERS or _AUX.match(word)
        or _is_ing(word)
    )  # fmt: skip


def _is_noun(word: str) -> bool:
    one = singular(word)
    return word not in PRONOUNS and (one in KNOWN_NOUNS or one in WORN or word in WORN or one in THINGS)


def _is_ing(word: str) -> bool:
    return word.endswith("ing") and len(word) > 4 and word not in ING_NOUNS


def _predicate(words: list[str], at: int) -> bool:
    """Whether a verb, or what "is" says of somebody, can begin at a position."""
    return at < len(words) and not (
        words[at] in PREPOSITIONS or words[at] in CONJUNCTIONS or words[at] in DETERMINERS or words[at] in PARTICLES
        or words[at] in PRONOUNS
    )  # fmt: skip
