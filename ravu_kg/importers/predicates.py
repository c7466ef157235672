"""How the predicates of annotations are said in a sentence, and which of them are actions."""

from __future__ import annotations

_PLACES = frozenset(
    [
        *("above", "across", "against", "along", "at", "away", "behind", "below", "beneath", "beside", "between"),
        *("by", "far", "in", "inside", "near", "next", "on", "out", "outside", "over", "past", "to", "towards"),
        *("under", "with", "left", "right", "front", "of", "from", "back"),
    ]
)
"""First words of predicates that say where something is."""
_COMPARED = frozenset(["larger", "smaller", "taller", "shorter", "faster", "slower"])
_POSTURES = frozenset(["stand", "sit", "lie", "creep", "stop", "hang", "float"])
"""Of VidVRD: ``sit_left`` is sitting, to the left of."""
_SIDES = {
    "left": "to the left of",
    "right": "to the right of",
    "front": "in front of",
    "away": "away from",
    "out": "out of",
    "far": "far from",
    "next": "next to",
    "back": "at the back of",
}
_WHOLE = {
    "hold_hand_of": "holds the hand of",
    "wave_hand_to": "waves a hand to",
    "shake_hand_with": "shakes hands with",
    "play": "plays",
    "play(instrument)": "plays",
    "away": "away from",
    "have_it_on_the_back": "has on the back",
    "not_looking_at": "does not look at",
    "looking_at": "looks at",
    "not_contacting": "does not touch",
    "unsure": "may look at",
}


def is_action(predicate: str) -> bool:
    """Whether it is something that the subject does (``watch``), not where or how large it is (``in_front_of``)."""
    words = _words(predicate)
    return bool(words) and words[0] not in _PLACES | _COMPARED | _POSTURES


def spoken(predicate: str) -> str:
    """As it follows its subject: ``watches``, ``holds the hand of``, ``in front of``, ``larger than``.

    Words that are no verb in its base form (``holding``, ``rides``) stay as they are.
    """
    key = "_".join(predicate.lower().split())
    if key in _WHOLE:
        return _WHOLE[key]
    words = _words(predicate)
    if not words:
        return predicate
    first, rest = words[0], words[1:]
    if first in _COMPARED:
        return " ".join([first, *rest]) if "than" in rest else " ".join([first, *rest, "than"])
    if first in _PLACES:
        return _side(words)
    tail = _side(rest) if rest else ""
    verb = first if first.endswith(("ing", "s", "ed")) and not first.endswith("ss") else third_person(first)
    return f"{verb} {tail}".strip()


def third_person(verb: str) -> str:
    """``watches`` of ``watch``."""
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in ("", *"aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def _side(words: list[str]) -> str:
    return _SIDES[words[0]] if len(words) == 1 and words[0] in _SIDES else " ".join(words)


def _words(predicate: str) -> list[str]:
    return predicate.lower().replace("_", " ").split()
