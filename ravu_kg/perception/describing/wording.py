"""Every English phrase of the measured describer.

Sentences are embedded by a slow model, equal ones once. So they are built from few quantised parts in a fixed order
and speak of labels and colours, never of numbers or names; names ("person 3") belong to frame descriptions and to
descriptions of entities.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ravu_kg.articles import with_article
from ravu_kg.perception.describing.kinds import ANIMALS, PEOPLE, WALKERS
from ravu_kg.perception.describing.path import Motion
from ravu_kg.types import Box, Perception

SECOND_COLOR_SHARE = 0.35
"""A second colour is said of an entity when it weighs this share of the first over its track."""
SIZES = (("tiny", 0.005), ("small", 0.04), ("medium", 0.16), ("large", 0.6))
"""Upper ends of the box's share of the picture; more fills it."""

_DIRECTIONS: dict[Motion, str] = {
    "left": "to the left",
    "right": "to the right",
    "up": "up",
    "down": "down",
    "towards": "towards the camera",
    "away": "away from the camera",
}
_COMPANION = {
    "moving_with": "together with",
    "approaching": "towards",
    "moving_away_from": "away from",
    "inside": "in or in front of",
    "overlapping": "right next to",
    "near": "near",
    "far_from": "far from",
}
_COLUMNS, _ROWS = ("left", "middle", "right"), ("top", "middle", "bottom")


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """How the entities of one video are called."""

    names: Mapping[int, str]
    """Track id -> label and number, counted per label in order of appearance: ``person 3``."""
    labels: Mapping[int, str]
    colors: Mapping[int, tuple[str, ...]]
    """Track id -> at most two colours that hold over the whole track."""
    identity_counts: Mapping[str, int]
    """Label -> how many identities have it: one who comes back counts once."""
    picture_area: float

    @classmethod
    def of(cls, perception: Perception) -> Wording:
        """Name every track of a video."""
        counts: defaultdict[str, int] = defaultdict(int)
        names: dict[int, str] = {}
        for track in perception.tracks:
            counts[track.label] += 1
            names[track.track_id] = f"{track.label} {counts[track.label]}"
        returned = {link.later_track for link in perception.links if link.status != "rejected"}
        labels = {track.track_id: track.label for track in perception.tracks}
        return cls(
            names=names,
            labels=labels,
            colors={track.track_id: lasting_colors(track.colors.values()) for track in perception.tracks},
            identity_counts=Counter(label for track_id, label in labels.items() if track_id not in returned),
            picture_area=float(perception.video.width_px * perception.video.height_px),
        )

    def subject(self, track_id: int) -> str:
        """``a person in blue and black``, ``an orange car``."""
        label, colors = self.labels[track_id], " and ".join(self.colors[track_id])
        if label in PEOPLE:
            return with_article(label) + (f" in {colors}" if colors else "")
        return with_article(f"{colors} {label}" if colors else label)

    def other(self, track_id: int, seen_from: int) -> str:
        """How a sentence about one entity mentions another: ``the table``, ``another person``, ``a car``."""
        label = self.labels[track_id]
        if label == self.labels[seen_from]:
            return f"another {label}"
        return f"the {label}" if self.identity_counts[label] <= 1 else with_article(label)

    def size(self, box: Box) -> str:
        """``tiny`` to ``large``, or ``filling the picture``."""
        share = box.area / self.picture_area
        return next((word for word, end in SIZES if share < end), "filling the picture")


def lasting_colors(observed: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The one or two colours that a track shows most, a first place counting twice a second one."""
    weights: Counter[str] = Counter()
    for colors in observed:
        for rank, color in enumerate(colors[:2]):
            weights[color] += 2 - rank
    ranked = sorted(weights, key=lambda color: (-weights[color], color))[:2]
    if len(ranked) == 2 and weights[ranked[1]] < SECOND_COLOR_SHARE * weights[ranked[0]]:
        ranked.pop()
    return tuple(ranked)


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def place_name(column: int, row: int) -> str:
    """``left``, ``middle``, ``top right``..."""
    if row == 1:
        return _COLUMNS[column]
    return _ROWS[row] if column == 1 else f"{_ROWS[row]} {_COLUMNS[column]}"


def place_phrase(column: int, row: int) -> str:
    """``in the middle``, ``at the top right``."""
    name = place_name(column, row)
    return "in the middle" if name == "middle" else f"at the {name}"


def verb_phrase(label: str, motion: Motion, *, fast: bool, upright: bool) -> str:
    """``stands still``, ``walks to the left``, ``moves fast towards the camera``.

    Only a person whose box is clearly upright is said to stand or walk: the box of one who sits or rides is not.
    """
    person = label in WALKERS and upright
    if motion == "still":
        return "stands still" if person else "stays still"
    if fast and (person or label in ANIMALS):
        return f"runs {_DIRECTIONS[motion]}"
    return f"{'walks' if person else 'moves'}{' fast' if fast else ''} {_DIRECTIONS[motion]}"


def motion_attribute(motion: Motion, *, fast: bool) -> tuple[str, ...]:
    """``("still",)``, ``("moving to the left", "fast")``."""
    if motion == "still":
        return ("still",)
    return (f"moving {_DIRECTIONS[motion]}", "fast") if fast else (f"moving {_DIRECTIONS[motion]}",)


def predicate_text(predicate: str) -> str:
    """A canonical predicate as it is read: ``moving away from``."""
    return predicate.replace("_", " ")


def companion_phrase(predicate: str, mention: str) -> str:
    """How the main relation to another entity ends a sentence."""
    return f"{_COMPANION[predicate]} {mention}"


def from_to(before: str, after: str) -> str:
    """The way of a motion through the picture: ``from the left to the middle of the picture``."""
    return f"from the {before} to the {after} of the picture"


def enumerated(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
