"""A question taken apart: what the rules know of it, as plain data that planner, retrieval and answer share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ravu_kg.reasoning.plan import Direction, State, TargetPart
from ravu_kg.reasoning.times import Stretch

Kind = Literal[
    "count", "count_events", "when", "how_long", "where", "setting", "color", "who", "yes_no", "why", "how", "summary",
    "which_video", "inventory", "side", "length", "what",
]  # fmt: skip
"""What the main clause asks for: the form of the answer."""
Aspect = Literal[
    "count", "place", "why", "how", "what", "who", "when", "how_long", "color", "yes_no", "summary", "which_video",
    "inventory", "length", "after", "before", "while",
]  # fmt: skip
"""One side of what is asked; a question has several: "where does the dog go after it jumps" is place and after."""
_ASPECTS: dict[Kind, Aspect] = {
    "count": "count", "count_events": "count", "when": "when", "how_long": "how_long", "where": "place",
    "setting": "place", "side": "place", "color": "color", "who": "who", "yes_no": "yes_no", "why": "why", "how": "how",
    "summary": "summary", "which_video": "which_video", "inventory": "inventory", "length": "length", "what": "what",
}  # fmt: skip
_OF_CONNECTIVE: dict[Direction, Aspect] = {"after": "after", "before": "before", "around": "while"}


@dataclass(frozen=True, slots=True)
class Clause:
    """The part of a question that fixes the time: ``after the dog leaves``."""

    connective: Direction
    """The side of the moment that is asked for; ``around`` for while, when, as and during."""
    text: str
    """The moment as a statement to search for, with whom pronouns and participles mean: ``the man opens the door``
    for "what does the man do after opening the door"."""
    state: State | None
    """The same as a state of tracks (somebody comes, leaves, is away), where it is one."""
    subject: str | None
    """Who does it, as a noun phrase."""
    words: str = ""
    """The moment as it was asked, without the connective, in lower case: ``opening the door``."""
    gap_s: float = 0.0
    """Seconds between the moment and what is asked: 3 in "3 seconds after the dog leaves"."""
    reach_s: float | None = None
    """Seconds from the moment within which it is asked: 5 in "within 5 seconds after the dog leaves"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question taken apart."""

    text: str
    """Lower case, without the final question mark."""
    kind: Kind
    main: str
    """The main clause as a statement to search for, without its temporal clause and part."""
    subject: str | None = None
    """Noun phrase that the question is about, with what tells it from others: ``the man in the red shirt``."""
    state: State | None = None
    """The main clause as a state of tracks, where it is one."""
    part: TargetPart | None = None
    """Part of the video that the question keeps to."""
    clause: Clause | None = None
    """The temporal clause; the first when there are several."""
    order: Literal["first", "last", "next"] | None = None
    at_s: float | None = None
    """Second of the video that is named."""
    condition: str | None = None
    """For counting: what the counted ones do."""
    stretch: Stretch | None = None
    """Seconds of the video that the question keeps to."""
    at_once: bool = False
    """For counting: the most at one time."""
    inverted: bool = False
    """The state is the opposite of what is asked: "is the dog always there" looks for its absence."""
    connectives: frozenset[Direction] = frozenset()
    """All temporal connectives of the question, those within the clause too."""

    @property
    def kinds(self) -> frozenset[Aspect]:
        """All that is asked: of the main clause, of every temporal connective, and of "next"."""
        aspects: set[Aspect] = {_ASPECTS[self.kind], *(_OF_CONNECTIVE[one] for one in self.connectives)}
        if self.order == "next":
            aspects.add("after")
        return frozenset(aspects)
