"""Conditions in a question that the tracks themselves answer: presence, coming and going, distance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ravu_kg.reasoning.plan import State, StateName, Which
from ravu_kg.reasoning.subjects import is_noun_phrase
from ravu_kg.reasoning.vocabulary import read_phrase

PICTURE = (
    r"(?:(?:the|this|our|camera|camera's) )*(?:picture|frame|view|sight|screen|shot|scene|image|video|camera|clip|"
    r"footage|recording|film|movie)(?: of the (?:camera|video|picture))?"
)

_AUX_WORD = (
    r"(?:is|are|was|were|be|being|been|has|have|had|does|do|did|can|could|will|would|get|gets|got|stay|stays|stayed|"
    r"remain|remains|remained|go|goes|went|just|then|also|finally|all|still|already|completely|entirely|fully|"
    r"totally|currently|briefly|temporarily)"
)
_AUX = rf"(?:{_AUX_WORD} )*"
_TAIL = (
    rf"(?: (?:again|at all|anymore|any more|any longer|now|for the first time|for the last time|(?:in|from|within) "
    rf"{PICTURE}|on screen|there|here))*"
)
_THERE = rf"(?:in|inside|within|on) {PICTURE}|in view|in sight|on[- ]?screen|in (?:the )?picture"
_SEEN = r"(?:visible|seen|shown|present|there|around|in|found|spotted|observed|detected|to be seen|displayed)"
_PLACE = rf"(?:{PICTURE}|(?:the |this )?(?:room|house|building|door|doorway|entrance|kitchen|place|area|table|view))"
_GO = (
    r"(?:come|comes|came|coming|walk|walks|walked|walking|run|runs|ran|running|step|steps|stepped|stepping|"
    r"get|gets|got|go|goes|went|going|move|moves|moved|moving|jump|jumps|jumped)"
)

_ABSENT = (
    rf"(?:not |no longer )(?:be |being )?(?:{_THERE}|{_SEEN})(?: (?:in|on) {PICTURE})?"
    rf"|(?:out of|outside(?: of)?|off|away from|missing from|absent from|gone from|hidden from) {PICTURE}"
    r"|away|absent|missing|invisible|off[- ]?screen|off[- ]?camera|out of frame|hidden|nowhere(?: to be (?:seen|"
    r"found))?|unseen|gone"
    r"|not appear(?:ing)?|out of the way"
)
_PRESENT = (
    rf"(?:be |being )?(?:{_THERE}|{_SEEN})(?: (?:in|on) {PICTURE})?"
    rf"|(?:stay|stays|stayed|staying|remain|remains|remained|remaining)(?: (?:in|at|on|inside|within|by) {_PLACE})?"
)
_RETURNS = (
    r"return(?:s|ed|ing)?|re-?appear(?:s|ed|ing)?|re-?enter(?:s|ed|ing)?(?: .+)?|back(?! and forth)(?: .+)?"
    rf"|{_GO} back(?! and forth)(?: .+)?|(?:appear|enter|show up)s?(?:ed)? again|{_GO} (?:in|into {_PLACE}) again"
)
_ENTERS = (
    rf"{_GO} (?:in|inside|over|up|along|by|here|on ?screen|into view)|{_GO} (?:into|in|to|towards|up to|on|"
    rf"through|at) {_PLACE}"
    r"|enter(?:s|ed|ing)?(?: .+)?|appear(?:s|ed|ing)?(?: (?:in|on|at) .+)?|arriv(?:e|es|ed|ing)(?: (?:at|in) .+)?"
    r"|(?:show|shows|showed|showing|turn|turns|turned|shown|pop|pops|popped) up|join(?:s|ed|ing)?(?: in)?|"
    r"emerg(?:es?|ed)"
    r"|come|comes|came|coming|becomes? visible"
)
_LEAVES = (
    rf"leav(?:e|es|ing)(?: .+)?|left(?: {_PLACE})?|depart(?:s|ed|ing)?|exit(?:s|ed|ing)?(?: .+)?|disappear(?:s|"
    rf"ed|ing)?(?: .+)?"
    rf"|vanish(?:es|ed|ing)?|gone(?: away)?|{_GO} (?:away|off|out)(?: of {_PLACE})?|{_GO} out of {_PLACE}|"
    rf"out of {PICTURE}|no longer (?:{_THERE}|{_SEEN})"
)
_NEAR = (
    r"(?:(?:very|really|quite|right|rather|fairly) )?(?:nearby|near(?:er|est)?(?: to)?|close(?:r|"
    r"st)?(?: to)?(?: by)?|"
    r"next to|beside|besides|alongside|adjacent to|by|at the side of|in the vicinity of) (?P<object>.+)"
)
_FAR = (
    r"(?:(?:very|really|quite|rather|fairly) )?(?:far(?: away)?(?: from)|farther(?: away)? from|"
    r"farthest(?: away)? from|"
    r"furthest(?: away)? from|a long way (?:away )?from|distant from|away from|apart from|separated from|"
    r"at a distance (?:from|to)|remote from|not (?:near|close to|next to|beside)(?: to)?) (?P<object>.+)"
)
_CLOSE_PAIR = (
    r"(?:(?:very|really|quite) )?(?:near|close(?: to)?|close together|next to|together|"
    r"beside)(?: (?:to )?(?:each other|one another))?"
)
_FAR_PAIR = (
    r"(?:far |farther |furthest |most )?(?:apart|away from each other|far from (?:each other|"
    r"one another)|far away from each other|separated)(?: from (?:each other|one another))?"
)

_ORDER: tuple[tuple[StateName, str], ...] = (
    ("absent", _ABSENT),
    ("far", _FAR),
    ("near", _NEAR),
    ("returns", _RETURNS),
    ("leaves", _LEAVES),
    ("enters", _ENTERS),
    ("present", _PRESENT),
)


def _compile(core: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    statement = re.compile(rf"(?P<subject>.+?) {_AUX}(?:{core}){_TAIL}\Z")
    inverted = re.compile(rf"{_AUX_WORD} (?P<subject>.+?) {_AUX}(?:{core}){_TAIL}\Z")
    return inverted, statement


_Rule = tuple[StateName, re.Pattern[str], re.Pattern[str]]
_PAIR_CORES: tuple[tuple[StateName, str], ...] = (("near", _CLOSE_PAIR), ("far", _FAR_PAIR))
_RULES: tuple[_Rule, ...] = tuple((name, *_compile(core)) for name, core in _ORDER)
_PAIRS: tuple[_Rule, ...] = tuple((name, *_compile(core)) for name, core in _PAIR_CORES)
_VIEWER = r"(?:we|you|i|one|someone|somebody|the viewer|viewers)"
_SPECIAL: tuple[tuple[StateName, re.Pattern[str]], ...] = (
    ("absent", re.compile(rf"(?:is|are|was|were) there (?:no|not an?|not any) (?P<subject>.+?)(?: (?:{_THERE}|"
        rf"visible|left))?\Z")),
    ("absent", re.compile(rf"there (?:is|are|was|were) (?:no|not an?|not any) (?P<subject>.+?)(?: (?:{_THERE}|"
        rf"visible))?\Z")),
    ("absent", re.compile(rf"(?:is|are) no (?P<subject>.+?) (?:{_THERE}|{_SEEN})\Z")),
    ("absent", re.compile(rf"no (?P<subject>.+?) (?:is|are|was|were|can be) (?:{_THERE}|{_SEEN})\Z")),
    ("absent", re.compile(rf"{_VIEWER} (?:can|do|could) (?:not|no longer) (?:see|spot|"
        rf"find) (?P<subject>.+?)(?: {_TAIL})?\Z")),
    ("absent", re.compile(rf"(?:can|do|could) (?:not )?{_VIEWER} (?:not |no longer )(?:see|spot|"
        rf"find) (?P<subject>.+?)\Z")),
    ("absent", re.compile(rf"(?:can|do|could) not {_VIEWER} (?:see|spot|find) (?P<subject>.+?)\Z")),
    ("absent", re.compile(rf"(?:does |do )?{PICTURE} (?:does )?not (?:show|contain)s? (?P<subject>.+?)\Z")),
    ("absent", re.compile(rf"(?:is |are )?(?P<nobody>nobody|no ?one|no people) (?:is |are )?(?:{_THERE}|{_SEEN}).*\Z")),
    ("absent", re.compile(rf"(?:is )?{PICTURE} (?:is )?(?P<nobody>empty|deserted)\Z")),
    ("absent", re.compile(rf"(?:is )?{PICTURE} (?:is )?without (?P<subject>.+?)\Z")),
    ("leaves", re.compile(r"(?P<subject>.+?)'s? (?:departure|exit|disappearance)\Z")),
    ("enters", re.compile(r"(?P<subject>.+?)'s? (?:arrival|entrance|appearance)\Z")),
    ("returns", re.compile(r"(?P<subject>.+?)'s? (?:return|reappearance)\Z")),
    ("leaves", re.compile(r"(?:the )?(?:departure|exit|disappearance) of (?P<subject>.+?)\Z")),
    ("enters", re.compile(r"(?:the )?(?:arrival|entrance|appearance) of (?P<subject>.+?)\Z")),
    ("returns", re.compile(r"(?:the )?return of (?P<subject>.+?)\Z")),
    ("absent", re.compile(r"(?:the )?absence of (?P<subject>.+?)\Z")),
    ("absent", re.compile(r"(?P<subject>.+?)'s? absence\Z")),
    ("present", re.compile(rf"{_VIEWER} (?:can|do|could)?(?: )?(?:see|spot|"
        rf"find) (?P<subject>.+?)(?: (?:{_THERE}))?\Z")),
    ("present", re.compile(rf"(?:can|do|could) {_VIEWER} (?:see|spot|find) (?P<subject>.+?)(?: (?:{_THERE}))?\Z")),
    ("present", re.compile(rf"(?:does |do )?{PICTURE} (?:show|contain|ha(?:s|ve)|"
        rf"include)s? (?P<subject>.+?)(?: in it)?\Z")),
    ("present", re.compile(rf"(?:is|are|was|were) there (?:an? |any |some )?(?P<subject>.+?)(?: (?:{_THERE}|"
        rf"visible))?\Z")),
    ("present", re.compile(rf"there (?:is|are|was|were) (?:an? |any |some )?(?P<subject>.+?)(?: (?:{_THERE}|"
        rf"visible))?\Z")),
)  # fmt: skip
_NOT_A_SUBJECT = re.compile(
    rf"\b(?:{_AUX_WORD[3:-1]}|not|far|what|who|why|how|where|when|which|doing|there|on the|to the|at the|"
    r"from the|turns?|"
    r"looks?|moves?|moving|walks?|walking|holding|held|sitting|standing)\b"
)
_NEGATED = re.compile(rf"(?P<aux>{_AUX_WORD}) not (?P<rest>(?!we |you |i |one ).+)\Z")
OPPOSITE: dict[StateName, StateName] = {
    "present": "absent", "absent": "present", "near": "far", "far": "near", "enters": "absent",
}  # fmt: skip
"""What holds where a state does not, as far as tracks tell."""
_ING_NOUNS = frozenset(("wearing", "thing", "king", "ring", "building", "painting", "string", "clothing", "wing"))
_PRONOUNS = frozenset(["he", "she", "it", "they", "him", "her", "them"])


_Order = Literal["first", "last", "next"]
_ORDER_WORDS: tuple[tuple[_Order, str], ...] = (
    ("first", r"for the first time|at first|(?<!the )(?<!very )first(?! time)|initially|to begin with"),
    ("last", r"for the last time|at last|(?<!the )(?<!very )last(?! time)|finally|lastly|eventually"),
    (
        "next",
        r"(?<!the )next(?! to)|then|afterwards?|subsequently|after that|thereafter|"
        r"after (?:a|some|a few|several) (?:while|time|moments?|seconds?|minutes?)|immediately",
    ),
)
_ORDERS: tuple[tuple[_Order, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<=[\w']) (?:{words})(?=(?: \w+)?(?: \w+)?\Z)|\A(?:{words}) (?=\w+ing\b)"))
    for name, words in _ORDER_WORDS
)
_ORDERED = re.compile("first|last|next|then|after|begin|initial|final|eventual|subsequent|immediate")
"""Looked for first: most texts have none of them."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A text with its order words taken out."""

    text: str
    which: Which
    order: Literal["first", "last", "next"] | None


def match_state(text: str, *, gone: StateName = "absent", which: Which = "all") -> State | None:
    """The state that a clause in lower case asserts or asks for, else None.

    Args:
        text: ``the dog is out of the picture`` or, inverted, ``is the dog out of the picture``.
        gone: what "gone" and "no longer there" mean here: the state (absent) or the change (leaves).
        which: kept in the state unless the text says first or last itself.
    """
    if negated := _NEGATED.match(text):
        asked = match_state(f"{negated['aux']} {negated['rest']}", gone=gone, which=which)
        if asked is not None and asked.name in OPPOSITE:
            return asked.model_copy(update={"name": OPPOSITE[asked.name]})
    ordered = take_order(text)
    text, which = ordered.text, ordered.which if ordered.which != "all" else which
    for name, pattern in _SPECIAL:
        found = pattern.match(text)
        if found is None:
            continue
        if "nobody" in pattern.groupindex:
            return State(subject="people", name=name, which=which)
        if is_subject(found["subject"]):
            return State(subject=found["subject"], name=name, which=which)
    for name, *patterns in _PAIRS:
        for pattern in patterns:
            if found := pattern.match(text):
                if several := _several(found["subject"], text):
                    return State(subject=several, name=name, object=several, which=which)
                one, _, other = found["subject"].partition(" and ")
                if other and is_subject(one) and is_subject(other):
                    return State(subject=one, name=name, object=other, which=which)
    for name, *patterns in _RULES:
        for pattern in patterns:
            found = pattern.match(text)
            if found is None or not is_subject(found["subject"]):
                continue
            if name == "absent" and gone == "leaves" and _is_change(text):
                name = "leaves"
            other = found.groupdict().get("object")
            if other is not None:
                other = re.sub(r"\A(?:whom|who|what|anything|something)(?: else)?\Z", "things", other)
                if not is_subject(other):
                    continue
                if re.match(rf"{PICTURE}\Z", other):
                    continue
            return State(subject=found["subject"], name=name, object=other, which=which)
    return None


def take_order(text: str) -> Ordered:
    """Take first, last, next and their like out of a predicate: ``who comes next`` -> ``who comes``."""
    which: Which = "all"
    order: _Order | None = None
    if not _ORDERED.search(text):
        return Ordered(text.strip(), which, order)
    for name, pattern in _ORDERS:
        shorter = pattern.sub("", text)
        if shorter != text:
            text, order = shorter, name
            if name != "next":
                which = name
    return Ordered(text.strip(), which, order)


def is_subject(text: str) -> bool:
    """Whether a text reads as one noun phrase rather than a clause."""
    words = text.split()
    if not 0 < len(words) <= 8 or _NOT_A_SUBJECT.search(text):
        return False
    if any(word.endswith("ing") and word not in _ING_NOUNS for word in words):
        return False
    return text in _PRONOUNS or (bool(read_phrase(text).noun) and is_noun_phrase(text))


def _several(subject: str, text: str) -> str | None:
    """Whose distance is meant by "the men near each other" or "they far apart"."""
    if subject in ("they", "the two", "both", "the two of them", "both of them"):
        return "things"
    mutual = re.search(r"\b(?:each other|one another|together|apart)\b", text)
    return subject if mutual and is_subject(subject) and read_phrase(subject).plural else None


def _is_change(text: str) -> bool:
    return bool(re.search(r"\b(?:gone|away|out of|no longer|off|missing)\b", text))
