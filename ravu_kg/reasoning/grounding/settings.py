"""What is taken into account when seconds are weighed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grounding:
    """What is taken into account; each can be left out, to see what it is worth."""

    planner: bool = True
    """The parts of the question: its main clause, the moment it refers to, the part of the video it names. Without it
    the question is searched for as it is."""
    events: bool = True
    """What is said of a run of like seconds counts for each of them."""
    words: bool = True
    """Words in common, by how rare they are in the video, beside the meaning."""
    smoothing: bool = True
    """Neighbouring seconds count."""
    entities: bool = True
    """Seconds in which somebody or something is seen that the question speaks of."""
    margin: bool = True
    """The moment that a question refers to is not certain: all seconds weigh by how likely each is that moment, and
    what lies behind or before it fades. Without it the likeliest second is taken for it."""


GROUNDING = Grounding()
"""All of it."""
