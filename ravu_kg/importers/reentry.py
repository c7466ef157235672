"""Which tracks are one thing that left and came back, by vectors that came with them; links, never a merge.

The vectors belong to models of their own. They are compared with each other here, kept at their entities under the name
of their model, and are never among the vectors of sentences, however long they are.

:mod:`ravu_kg.importers.reidentified` compares the links with a reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ravu_kg.types import FloatArray, TrackLink

WEIGHTS: Mapping[str, float] = {"clip": 0.3, "dinov2": 0.7}
"""CLIP tells kinds of things apart and DINOv2 things of one kind, so that it counts more."""
THRESHOLDS: Mapping[tuple[str, ...], float] = {("clip", "dinov2"): 0.72, ("clip",): 0.94, ("dinov2",): 0.58}
"""Mean cosine of a track to those of one thing from which it is that thing, by the models whose vectors are there."""
_OTHER_THRESHOLD = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class SeenTrack:
    """A track as it is compared."""

    track_id: int
    start_s: float
    end_s: float
    vectors: Mapping[str, FloatArray]
    """By model, unit length; a model that has not seen it is missing."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs of tracks that are one thing, as they were linked and as a reference has them."""

    right: int
    linked: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the linked pairs that are right; 1 without any."""
        return self.right / self.linked if self.linked else 1.0

    @property
    def recall(self) -> float:
        """Share of the true pairs that are linked; 1 without any."""
        return self.right / self.true if self.true else 1.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.right + other.right, self.linked + other.linked, self.true + other.true)


def link_reentries(tracks: Sequence[SeenTrack], threshold: float | None = None) -> tuple[TrackLink, ...]:
    """Links between tracks that are one thing, each to the most alike of the tracks before it that are.

    Tracks are taken in the order of their beginning. Each joins the thing whose tracks are most alike to it on average,
    when that is at least the threshold and none of them is seen at the same time; labels of detectors may differ.

    Args:
        tracks: with vectors of the same models.
        threshold: by default that of :data:`THRESHOLDS` for the models.
    """
    models = tuple(sorted({model for track in tracks for model in track.vectors}))
    least = THRESHOLDS.get(models, _OTHER_THRESHOLD) if threshold is None else threshold
    order = sorted(tracks, key=lambda track: (track.start_s, track.track_id))
    alike = similarity(order, models)
    method = f"given:{'+'.join(models)}"
    starts = np.array([track.start_s for track in order])
    ends = np.array([track.end_s for track in order])
    together = (starts[:, None] <= ends[None]) & (starts[None] <= ends[:, None])
    count = len(order)
    # For each track (row) and thing (column): the sum of likenesses to its tracks, and whether one is seen meanwhile.
    sums, blocked = np.zeros((count, count)), np.zeros((count, count), dtype=bool)
    members: list[list[int]] = []
    links: list[TrackLink] = []
    for at, track in enumerate(order):
        things = len(members)
        sizes = np.array([len(one) for one in members], dtype=np.float64)
        scores = np.where(blocked[at, :things], -2.0, sums[at, :things] / np.maximum(sizes, 1.0))
        thing = int(scores.argmax()) if things else 0
        if not things or scores[thing] < least:
            thing = things
            members.append([])
        else:
            held = members[thing]
            nearest = held[int(alike[at, held].argmax())]
            score = float(np.clip(alike[at, nearest], 0.0, 1.0))
            links.append(TrackLink(order[nearest].track_id, track.track_id, round(score, 4), method))
        members[thing].append(at)
        sums[:, thing] += alike[:, at]
        blocked[:, thing] |= together[:, at]
    return tuple(links)


def similarity(tracks: Sequence[SeenTrack], models: Sequence[str]) -> NDArray[np.float64]:
    """(n, n): the weighted mean cosine over the models that have seen both; -1 where none has."""
    count = len(tracks)
    total, weights = np.zeros((count, count)), np.zeros((count, count))
    for model in models:
        seen = [at for at, track in enumerate(tracks) if model in track.vectors]
        if not seen:
            continue
        vectors = np.stack([tracks[at].vectors[model] for at in seen]).astype(np.float64)
        weight = WEIGHTS.get(model, 1.0)
        cells = np.ix_(seen, seen)
        total[cells] += weight * (vectors @ vectors.T)
        weights[cells] += weight
    return np.where(weights > 0, total / np.maximum(weights, 1e-9), -1.0)


def agreement(links: Sequence[TrackLink], reference: Mapping[int, int]) -> Agreement:
    """Compare links, and what follows from them, with a reference.

    Args:
        links: between tracks.
        reference: track id -> the thing that it is; tracks that it lacks are not looked at.
    """
    thing = _things(links)
    linked = {pair for pair in _pairs(thing) if pair[0] in reference and pair[1] in reference}
    true = set(_pairs(reference))
    return Agreement(len(linked & true), len(linked), len(true))


def _things(links: Sequence[TrackLink]) -> dict[int, int]:
    top: dict[int, int] = {}

    def root(track_id: int) -> int:
        while top.setdefault(track_id, track_id) != track_id:
            track_id = top[track_id]
        return track_id

    for link in links:
        first, second = sorted((root(link.earlier_track), root(link.later_track)))
        top[second] = first
    return {track_id: root(track_id) for track_id in list(top)}


def _pairs(thing_of: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    members: defaultdict[int, list[int]] = defaultdict(list)
    for track_id, thing in thing_of.items():
        members[thing].append(track_id)
    for held in members.values():
        yield from combinations(sorted(held), 2)


def best_threshold(given: Sequence[tuple[Sequence[SeenTrack], Mapping[int, int]]]) -> float:
    """The threshold with the best mean F1 over some videos with their references."""
    steps = [round(0.4 + 0.02 * step, 2) for step in range(26)]
    totals: defaultdict[float, float] = defaultdict(float)
    for tracks, reference in given:
        for step in steps:
            found = agreement(link_reentries(tracks, step), reference)
            both = found.precision + found.recall
            totals[step] += 2 * found.precision * found.recall / both if both else 0.0
    return max(steps, key=lambda step: (totals[step], -step))
