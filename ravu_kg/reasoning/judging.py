"""A judge without a model: similarity, shared words, and what the tracks measure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.reasoning.hierarchy import spread
from ravu_kg.reasoning.protocols import Candidate, Glimpse, Verdict
from ravu_kg.reasoning.states import match_state
from ravu_kg.reasoning.vocabulary import COLOR_NAMES, KNOWN_NOUNS, matching_labels, read_phrase, singular

WORD_WEIGHT = 0.15
LABEL_WEIGHT = 0.05
MET_SCORE = 0.8
"""A sentence this similar to a condition meets it without sharing a word, 0..1."""

_STOP = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "of",
        "in",
        "on",
        "at",
        "to",
        "and",
        "or",
        "with",
        "for",
        "from",
        "by",
        "as",
        "it",
        "its",
        "this",
        "that",
        "there",
        "their",
        "his",
        "her",
        "he",
        "she",
        "they",
        "what",
        "who",
        "when",
        "where",
        "why",
        "how",
        "which",
        "not",
        "video",
        "picture",
        "frame",
        "while",
        "after",
        "before",
        "during",
        "during",
        "person",
        "people",
        "man",
        "woman",
    ]
)
_SAME_WORDS: dict[str, str] = {
    **dict.fromkeys(("come", "arrive", "appear", "enter", "show", "join"), "enter"),
    **dict.fromkeys(("leave", "exit", "depart", "disappear", "vanish", "go"), "leave"),
    **dict.fromkeys(("walk", "move", "travel", "pass", "wander", "motion"), "move"),
    **dict.fromkeys(("run", "rush", "race", "hurry", "fast", "quickly", "sprint"), "fast"),
    **dict.fromkeys(("stand", "stay", "wait", "remain", "still", "pause", "rest"), "still"),
    **dict.fromkeys(("stop", "halt"), "stop"),
    **dict.fromkeys(("near", "close", "next", "beside", "approach", "towards", "toward"), "near"),
    **dict.fromkeys(("left", "right", "up", "down", "away", "camera", "top", "bottom", "middle"), ""),
}
_MEASURED = frozenset(word for word in _SAME_WORDS.values() if word)


class RuleJudge:
    """Decides by rules; names itself as such."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        return "rules"

    def rerank(self, query: str, nodes: Sequence[NodeRow]) -> list[NodeRow]:
        """By similarity, with a little for shared words and for the right kind of entity."""
        wanted = content_words(query)
        noun = read_phrase(query).noun

        def rank(node: NodeRow) -> tuple[float, float, str]:
            kind = LABEL_WEIGHT if noun and matching_labels(noun, [node.label]) else 0.0
            return -(node.score + kind + WORD_WEIGHT * shared(wanted, node.description)), node.timestamp_s, node.node_id

        return sorted(nodes, key=rank)

    def identify(self, query: str, nodes: Sequence[NodeRow]) -> int:
        """The most similar one; colours named in the phrase count most."""
        wanted = content_words(query)
        colors = wanted & COLOR_NAMES

        def rank(position: int) -> float:
            words = content_words(nodes[position].description)
            return nodes[position].score + WORD_WEIGHT * len(wanted & words) + len(colors & words)

        return max(range(len(nodes)), key=rank)

    def count(self, condition: str, candidates: Sequence[Candidate]) -> list[Verdict]:
        """Met by a sentence that shares the condition's verb or is very similar.

        Sentences that are all measured speak of coming, going, moving and places only: when the condition is about
        anything else and no sentence is similar, they cannot tell.
        """
        wanted = content_words(condition) - {singular(word) for word in _nouns(condition)}
        verbs = {_SAME_WORDS.get(word, word) for word in wanted} - {""}
        told = bool(verbs & _MEASURED) or match_state(f"x {condition}") is not None
        return [self._verdict(verbs, told, candidate) for candidate in candidates]

    def analyze(self, query: str, events: Sequence[EventRow]) -> list[tuple[int, str]]:
        """All of them by similarity and shared words, one of a kind first so that the choice is varied."""
        wanted = content_words(query)

        def rank(position: int) -> tuple[float, float]:
            return -(events[position].score + WORD_WEIGHT * shared(wanted, events[position].description)), events[
                position
            ].start_s

        ranked = sorted(range(len(events)), key=rank)
        seen: set[str] = set()
        first = [one for one in ranked if not (events[one].description in seen or seen.add(events[one].description))]
        rest = [one for one in ranked if one not in first]
        return [(one, f"similarity {events[one].score:.2f}") for one in [*first, *rest]]

    @property
    def selects(self) -> bool:
        """No: it only compares."""
        return False

    def select(self, query: str, glimpses: Sequence[Glimpse], count: int) -> list[int]:
        """One of each stretch of time, so that together they say what all of them say."""
        return spread(glimpses, content_words, count)

    def _verdict(self, verbs: set[str], told: bool, candidate: Candidate) -> Verdict:
        agreeing: list[tuple[int, SentenceRow]] = []
        for sentence in candidate.sentences:
            words = {_SAME_WORDS.get(word, word) for word in content_words(sentence.description)}
            if sentence.score >= MET_SCORE or (verbs and verbs & words):
                agreeing.append((-len(verbs & words), sentence))
        matches = [sentence for _, sentence in sorted(agreeing, key=lambda one: one[0])]
        if matches:
            return Verdict(True, f"{matches[0].description} ({matches[0].start_s:.1f} s)", tuple(matches))
        measured = all(sentence.source == "geometry" for sentence in candidate.sentences)
        if measured and not told:
            return Verdict(None, "measured sentences cannot tell")
        return Verdict(False, "no sentence agrees")


def content_words(text: str) -> set[str]:
    """Words that carry meaning, in a simple base form."""
    return {stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word not in _STOP} - {""}


def shared(wanted: set[str], text: str) -> float:
    """Share of the wanted words that a text has, 0..1."""
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0


def stem(word: str) -> str:
    """A word without its inflection, by rule; enough to compare, not to print."""
    if word in ("left",):
        return word
    irregular = {"came": "come", "went": "go", "gone": "go", "ran": "run", "stood": "stand", "sat": "sit",
                 "held": "hold", "threw": "throw", "took": "take", "brought": "bring", "caught": "catch"}  # fmt: skip
    if word in irregular:
        return irregular[word]
    word = singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            if base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base + "e" if base[-1] in "vcu" or base[-2:] in ("ov", "ak", "is", "ar", "iv") else base
    return word


def _nouns(condition: str) -> list[str]:
    noun = read_phrase(condition).noun
    return [noun] if noun in KNOWN_NOUNS else []
