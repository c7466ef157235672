"""Who leaves and comes back: links between tracks of one identity, each with a score, never a merge.

The score of a link is the product of three numbers in 0..1: how alike the two look, how near the later one appears
(or was shortly before, going by its pace) to where the earlier one was last seen (measured in its own size, a few
sizes at most; half as likely when it left through one border and comes back elsewhere), and how short the absence
was. An identity is a connected component over the links.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravu_kg.looks import likeness
from ravu_kg.perception.observing import touched_sides
from ravu_kg.types import Box, Track, TrackLink

METHOD = "looks+place+time"

_LEAST_SCORE = 0.4
_LONGEST_ABSENCE_S = 60.0
# Who did not leave must still be there: behind something, or missed by the detector.
_HALF_TIME_S, _HALF_TIME_LOST_S = 12.0, 30.0
_LEAST_LIKENESS, _FULL_LIKENESS = 0.78, 0.93
_OTHER_SIZE = 2.5
_OTHER_BORDER = 0.5
_LONGEST_DRIFT_S = 4.0
_PACE_S, _LATE_S = 0.5, 1.0


def link_tracks(
    tracks: Sequence[Track], cuts_s: Sequence[float], width_px: int, height_px: int
) -> tuple[TrackLink, ...]:
    """Links between tracks that are one identity, by the id of the later track.

    Linked are only tracks of one label, one after the other in time, inside one shot, at most a minute apart, that
    look alike. A track has at most one link to an earlier and one to a later track; the best scores come first.

    Args:
        tracks: in order of first appearance.
        cuts_s: shot cuts.
        width_px: of the picture.
        height_px: of the picture.
    """
    ends_s = np.array([track.end_s for track in tracks])
    scored: list[tuple[float, int, int]] = []
    for later_at, later in enumerate(tracks):
        in_reach = (ends_s < later.start_s) & (ends_s >= later.start_s - _LONGEST_ABSENCE_S)
        for earlier_at in (int(position) for position in np.flatnonzero(in_reach)):
            if _possible(tracks[earlier_at], later, cuts_s):
                score = link_score(tracks[earlier_at], later, width_px, height_px)
                if score >= _LEAST_SCORE:
                    scored.append((score, earlier_at, later_at))
    followed: set[int] = set()
    preceded: set[int] = set()
    links: list[TrackLink] = []
    for score, earlier_at, later_at in sorted(scored, key=lambda item: (-item[0], item[2], -item[1])):
        if earlier_at in followed or later_at in preceded:
            continue
        followed.add(earlier_at)
        preceded.add(later_at)
        links.append(TrackLink(tracks[earlier_at].track_id, tracks[later_at].track_id, score, METHOD))
    return tuple(sorted(links, key=lambda link: link.later_track))


def identities(tracks: Sequence[Track], links: Sequence[TrackLink]) -> dict[int, int]:
    """For each track id the id of its identity: the smallest track id joined to it by links that were not rejected."""
    root = {track.track_id: track.track_id for track in tracks}

    def top(track_id: int) -> int:
        while root[track_id] != track_id:
            track_id = root[track_id]
        return track_id

    for link in links:
        if link.status != "rejected":
            first, second = sorted((top(link.earlier_track), top(link.later_track)))
            root[second] = first
    return {track_id: top(track_id) for track_id in root}


def link_score(earlier: Track, later: Track, width_px: int, height_px: int) -> float:
    """How likely the later track continues the earlier one, 0..1; 0 when a look is not known."""
    if earlier.appearance is None or later.appearance is None:
        return 0.0
    alike = likeness(earlier.appearance, later.appearance)
    looks = float(np.clip((alike - _LEAST_LIKENESS) / (_FULL_LIKENESS - _LEAST_LIKENESS), 0.0, 1.0))
    absence_s = later.start_s - earlier.end_s
    last, first = earlier.box_at(-1), later.box_at(0)
    size = (_size(earlier) + _size(later)) / 2
    reach = size * (1 + min(absence_s, _LONGEST_DRIFT_S) / 2)
    apart = _apart(last, later, absence_s)
    place = float(np.exp(-apart / reach))
    if earlier.ended_by == "left" and not touched_sides(last, width_px, height_px) & touched_sides(
        first, width_px, height_px
    ):
        place *= _OTHER_BORDER
    half_time_s = _HALF_TIME_LOST_S if earlier.ended_by == "lost" else _HALF_TIME_S
    return looks * place / (1 + absence_s / half_time_s)


def _apart(last: Box, later: Track, absence_s: float) -> float:
    """How far a box is from where the later track began or, going by its first pace, was up to a second earlier.

    Who comes back in a blur is detected late, well inside the picture. After a long absence the way back tells
    nothing.
    """
    start = np.array(later.box_at(0).center)
    target = np.array(last.center)
    soon = np.flatnonzero(later.timestamps_s <= later.start_s + _PACE_S + 1e-6)[-1]
    elapsed_s = float(later.timestamps_s[soon]) - later.start_s
    nearest = float(np.linalg.norm(target - start))
    if elapsed_s <= 0 or absence_s > _LONGEST_DRIFT_S:
        return nearest
    back = (start - np.array(later.box_at(int(soon)).center)) / elapsed_s * min(absence_s, _LATE_S)
    length = float(back @ back)
    share = float(np.clip((target - start) @ back / length, 0.0, 1.0)) if length > 0 else 0.0
    return float(np.linalg.norm(target - start - share * back))


def _possible(earlier: Track, later: Track, cuts_s: Sequence[float]) -> bool:
    if earlier.label != later.label:
        return False
    if any(earlier.end_s < cut_s <= later.start_s for cut_s in cuts_s):
        return False
    return max(_size(earlier), _size(later)) <= _OTHER_SIZE * min(_size(earlier), _size(later))


def _size(track: Track) -> float:
    """Typical side of a track's boxes in pixels: the root of the median area."""
    sides = np.clip(track.boxes[:, 2:] - track.boxes[:, :2], 1.0, None)
    return float(np.sqrt(np.median(np.prod(sides, axis=1))))
