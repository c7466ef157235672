"""What captions speak of: their noun phrases, found by rules.

Captions are written by machines and by annotators in plain declarative English. The tables know the usual nouns; any
other noun is told by its article: "a yoga mat on the floor".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ravu_kg.reasoning.nouns import NOT_LITERAL
from ravu_kg.reasoning.vocabulary import COLOR_NAMES, KNOWN_NOUNS, singular

CAMERA_WEARER = "camera wearer"
"""Who LaViLa's captions call ``#C C``."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"#[CO]\b(?: [A-Z]\b)?|[A-Za-z][\w'’-]*|[^\w\s]")
_DETERMINERS = _set(
    "a an the this that these those his her its their my our some several many few both each another other one two "
    "three four five six seven eight nine ten multiple various numerous"
)
_STOP = _set(
    "in on at of by with without from to into onto over under near beside behind between through across along around "
    "towards toward against above below inside outside during for about up down off out away and or but while as then "
    "that which who whose where when is are was were be been being has have had does do did can could may might will "
    "would appear appears seem seems looks look possibly presumably perhaps not there it they he she him them you we "
    "who's it's front top next each together including such like than so if because after before amidst amid among "
    "upon"
)
_OF = _set(
    "group pair piece set couple bunch number variety kind type row stack pile cup glass bottle bowl plate slice view "
    "lot part series collection line crowd team"
)
"""In "a group of children" the children are meant."""
_VAGUE = _set(
    "image scene background foreground side middle center centre corner left right video picture moment time way "
    "nearby setting area view distance other another individual's someone something activity day"
)
_ADJECTIVES = (
    _set(
        "young old little small big large long short tall white black wooden colorful same different first second "
        "third elderly adult male female older younger smaller larger human blonde bald"
    )
    | COLOR_NAMES
)
_LONGEST = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun phrase."""

    name: str
    """Its noun, lower case and singular: ``dog``, ``teddy bear``."""
    text: str
    """As it is written: ``a white dog``."""


def mentions(text: str) -> list[Mention]:
    """The noun phrases of a sentence in their order, each noun once.

    >>> [one.name for one in mentions("A young girl plays with two dogs on a yoga mat.")]
    ['girl', 'dog', 'mat']
    """
    words = _WORD.findall(text)
    found: dict[str, Mention] = {}
    position = 0
    while position < len(words):
        size, mention = _phrase(words, position)
        if mention is not None and mention.name not in found:
            found[mention.name] = mention
        position += size
    return list(found.values())


@lru_cache(maxsize=50_000)
def object_name(phrase: str) -> Mention | None:
    """The noun of an entry in a list of objects, where the whole entry is one noun phrase.

    >>> object_name("a gray dog leash on the floor").name
    'dog leash'
    """
    words = _WORD.findall(phrase)
    taken: list[str] = []
    for word in words:
        lower = word.lower()
        if lower in _STOP or not lower[0].isalpha():
            if lower == "of" and taken and singular(taken[-1]) in _OF:
                taken = []
                continue
            break
        if lower in _DETERMINERS:
            continue
        if taken and lower.endswith(("ing", "ed")) and singular(taken[-1]) in KNOWN_NOUNS:
            break
        taken.append(lower)
    nouns = [word for word in taken if word not in _ADJECTIVES]
    if not nouns or nouns[-1] in _VAGUE:
        return None
    kept = nouns[-2:] if len(nouns) > 1 and not nouns[-2].endswith(("'s", "’s", "ed", "y")) else nouns[-1:]
    return Mention(" ".join([*kept[:-1], singular(kept[-1])]), " ".join(words))


def _phrase(words: Sequence[str], start: int) -> tuple[int, Mention | None]:
    """How many words to go on by, and the phrase that begins here, if one does."""
    first = words[start]
    if first.startswith("#C"):
        return 1, Mention(CAMERA_WEARER, "the camera wearer")
    lower = first.lower()
    led = lower in _DETERMINERS
    if not led and not _known(lower) and lower not in _ADJECTIVES:
        return 1, None
    taken: list[str] = []
    end = start
    while end < len(words) and len(taken) < _LONGEST:
        word = words[end].lower()
        if word in _DETERMINERS and not taken:
            end += 1
            continue
        if not word[0].isalpha() or word in _STOP or word in _DETERMINERS or _ends(taken, words, end):
            break
        taken.append(word)
        end += 1
    size = max(1, end - start)
    if not taken:
        return size, None
    if words[end : end + 1] == ["of"] and singular(taken[-1]) in _OF:
        return size, None  # the phrase after "of" comes next
    if not led and not _known(taken[-1]):
        return size, None
    name = _name(taken)
    if name in _VAGUE or name in _ADJECTIVES:
        return size, None
    return size, Mention(name, " ".join(words[start:end]).lower())


def _ends(taken: Sequence[str], words: Sequence[str], at: int) -> bool:
    """Whether a word after those taken is no longer of the phrase: a verb."""
    if not taken:
        return False
    word = words[at].lower()
    if _known(taken[-1]):
        return not _known(word)
    if taken[-1] in _ADJECTIVES or word in _ADJECTIVES:
        return False
    if len(word) == 1:  # "man X": LaViLa's names
        return True
    follows = words[at + 1].lower() if at + 1 < len(words) else ""
    verb = word.endswith("s") and not word.endswith("ss") and (follows in _STOP or follows in _DETERMINERS)
    return word.endswith(("ing", "ed", "ly")) or (verb and len(taken) > 0 and not _known(word))


@lru_cache(maxsize=50_000)
def _known(word: str) -> bool:
    return singular(word) in KNOWN_NOUNS or word in ("people", "children", "men", "women", "toddler", "individuals")


def _name(taken: Sequence[str]) -> str:
    for size in (2, 1):
        if len(taken) >= size:
            name = " ".join([*taken[-size:-1], singular(taken[-1])])
            if name in KNOWN_NOUNS or name in NOT_LITERAL:
                return name
    return singular(taken[-1])


def described_as(mention: Mention) -> tuple[str, ...]:
    """The words of a phrase that describe its noun.

    >>> described_as(Mention("dog", "a small white dog"))
    ('small', 'white')
    """
    return tuple(word for word in mention.text.split() if word in _ADJECTIVES and word not in mention.name.split())
