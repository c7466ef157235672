"""What one entity does over its track: change points of its motion, its place and its company.

The events of a track follow each other without gap or overlap and cover its presence. Being out of sight is no event:
it is told by the times in which the entity is present.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ravu_kg.perception.describing.kinds import ANIMALS, PEOPLE
from ravu_kg.perception.describing.path import KEEP_MOVING, MOVING_SIZES_PER_S, SHORTEST_STATE_S, Path
from ravu_kg.perception.describing.relations import is_near, overlaps, relative_motion
from ravu_kg.perception.describing.runs import Run, runs_of, settle
from ravu_kg.perception.describing.scene import Placed, Scene
from ravu_kg.perception.describing.wording import (
    companion_phrase,
    from_to,
    place_name,
    place_phrase,
    verb_phrase,
)
from ravu_kg.types import Track

START_S = 0.5
"""An entity first seen within this time of the video's start, or of a cut, was there before: it does not enter."""
BORDER_REACH_S = 1.0
"""Moving as it does, an entity that enters or leaves was at the border at most this long before or after."""
BORDER_EVENT_S, LONGEST_BORDER_EVENT_S = 1.0, 2.0
"""Entering and leaving take one second, or the whole first or last motion when that is not longer than two."""
STOP_S = 1.0
COMPANY_STEP_S, SHORTEST_COMPANY_S = 0.5, 1.5
CHECKS = 8
"""A moving stretch is compared with the others at most this often."""


@dataclass(frozen=True, slots=True)
class Action:
    """What an entity does over positions [start, stop) of its path: a predicate without its subject."""

    start: int
    stop: int
    text: str
    moving: bool = False
    """Of an entry: who comes in moving stops afterwards, who only appears is still."""


@dataclass(frozen=True, slots=True)
class TimedAction:
    """An action in seconds, half-open."""

    start_s: float
    end_s: float
    text: str


def actions_of(scene: Scene, track_id: int) -> list[TimedAction]:
    """The events of one track, in order, covering its presence; times are observations of the track."""
    track, path = scene.tracks[track_id], scene.paths[track_id]
    entry = _entry(scene, track, path)
    begin = entry.stop if entry else 0
    exit_ = _exit(scene, track, path, begin)
    end = exit_.start if exit_ else len(path)
    pieces: list[Run] = [
        Run(max(run.start, begin), min(run.stop, end), run.value)
        for run in runs_of(path.codes)
        if run.stop > begin and run.start < end
    ]
    # What entering or leaving has cut down to less than a state belongs to it.
    shortest = max(1, round(SHORTEST_STATE_S / path.step_s))
    if entry and pieces and len(pieces[0]) < shortest:
        entry = replace(entry, stop=pieces.pop(0).stop)
    if exit_ and pieces and len(pieces[-1]) < shortest:
        exit_ = replace(exit_, start=pieces.pop().start)
    actions = [entry] if entry else []
    for position, piece in enumerate(pieces):
        if position:
            after_motion = path.motion(pieces[position - 1].start)[0] != "still"
        else:
            after_motion = entry is not None and entry.moving
        if path.motion(piece.start)[0] == "still":
            actions += _still(scene, track, path, piece, after_motion=after_motion)
        else:
            actions.append(_moving(scene, track, path, piece))
    actions += [exit_] if exit_ else []
    return _timed(actions, track, path, scene.present_until_s(track))


def _timed(actions: list[Action], track: Track, path: Path, end_s: float) -> list[TimedAction]:
    """Actions at observed times; one that two neighbours leave no time for is dropped."""
    times_s = track.timestamps_s
    starts = [_nearest(times_s, path.time_s(action.start)) for action in actions]
    timed = [
        TimedAction(start_s, stop_s, action.text)
        for action, start_s, stop_s in zip(actions, starts, [*starts[1:], end_s], strict=True)
    ]
    return [action for action in timed if action.end_s > action.start_s]


def _nearest(times_s: np.ndarray[tuple[int], np.dtype[np.float64]], time_s: float) -> float:
    after = min(int(np.searchsorted(times_s, time_s)), len(times_s) - 1)
    before = max(after - 1, 0)
    return float(times_s[before] if time_s - times_s[before] <= times_s[after] - time_s else times_s[after])


# --- entering and leaving ---------------------------------------------------------------------


def _entry(scene: Scene, track: Track, path: Path) -> Action | None:
    shot_starts_s = (0.0, *scene.perception.cuts_s)
    if any(-1e-6 <= track.start_s - start_s <= START_S for start_s in shot_starts_s):
        return None
    side = _border(scene, path, 0, inward=True)
    if side:
        text = f"enters from the {side}"
    else:
        text = f"appears {place_phrase(int(path.columns[0]), int(path.rows[0]))} of the picture"
    first = runs_of(path.codes)[0]
    longest = max(1, len(path) // 2) if track.ended_by == "left" else len(path)  # leaving takes its share
    stop = min(_border_event_steps(path, first), longest)
    return Action(0, stop, text, moving=bool(side) or path.motion(0)[0] != "still")


def _exit(scene: Scene, track: Track, path: Path, begin: int) -> Action | None:
    if track.ended_by != "left":
        return None
    last_position = len(path) - 1
    side = _border(scene, path, last_position, inward=False) or _nearest_border(scene, path, last_position)
    text = f"leaves to the {side}" if side in ("left", "right") else f"leaves at the {side}"
    last = runs_of(path.codes)[-1]
    start = max(len(path) - _border_event_steps(path, last), begin)
    return Action(start, len(path), text)


def _border_event_steps(path: Path, run: Run) -> int:
    longest = round(LONGEST_BORDER_EVENT_S / path.step_s)
    if path.motion(run.start)[0] != "still" and len(run) <= longest:
        return len(run)
    return max(1, round(BORDER_EVENT_S / path.step_s))


def _border(scene: Scene, path: Path, position: int, *, inward: bool) -> str:
    """The side through which the entity comes or goes: the one its motion soonest leads to; empty when none."""
    sides = _border_distances(scene, path, position)
    velocity_x, velocity_y = (float(value) for value in path.velocities[position])
    sign = 1.0 if inward else -1.0
    speeds = {"left": velocity_x, "right": -velocity_x, "top": velocity_y, "bottom": -velocity_y}
    slowest = KEEP_MOVING * MOVING_SIZES_PER_S * path.size_px
    reach = [
        (sides[side] / (sign * speed), -sign * speed, side)
        for side, speed in speeds.items()
        if sign * speed >= slowest and sides[side] / (sign * speed) <= BORDER_REACH_S
    ]
    return min(reach)[2] if reach else ""


def _nearest_border(scene: Scene, path: Path, position: int) -> str:
    distances = _border_distances(scene, path, position)
    return min(distances, key=lambda side: (distances[side], side not in ("left", "right")))


def _border_distances(scene: Scene, path: Path, position: int) -> dict[str, float]:
    box, video = path.box(position), scene.perception.video
    return {
        "left": max(0.0, box.x_min),
        "right": max(0.0, video.width_px - box.x_max),
        "top": max(0.0, box.y_min),
        "bottom": max(0.0, video.height_px - box.y_max),
    }


# --- staying and moving -----------------------------------------------------------------------


def _still(scene: Scene, track: Track, path: Path, piece: Run, *, after_motion: bool) -> list[Action]:
    """Staying somewhere, told anew when the company changes; after a motion the first second is the stop."""
    label = track.label
    actions: list[Action] = []
    for stretch, company in _companies(scene, track, path, piece):
        middle = (stretch.start + stretch.stop) // 2
        where = f"{place_phrase(int(path.columns[middle]), int(path.rows[middle]))} of the picture{company}"
        upright = _mostly(path, stretch)
        start = stretch.start
        if after_motion and not actions:
            stop_end = start + round(STOP_S / path.step_s)
            if stretch.stop - stop_end < round(SHORTEST_STATE_S / path.step_s):
                stop_end = stretch.stop
            actions.append(Action(start, stop_end, f"stops {where}"))
            start = stop_end
        if start < stretch.stop:
            actions.append(
                Action(start, stretch.stop, f"{verb_phrase(label, 'still', fast=False, upright=upright)} {where}")
            )
    return actions


def _companies(scene: Scene, track: Track, path: Path, piece: Run) -> list[tuple[Run, str]]:
    """Stretches of a still piece with the phrase for who or what is near, empty for nobody.

    What never moves and is neither person nor animal has no company: a parked car does not act when people pass.
    """
    if not (
        track.label in PEOPLE | ANIMALS or any(path.motion(run.start)[0] != "still" for run in runs_of(path.codes))
    ):
        return [(piece, "")]
    stride = max(1, round(COMPANY_STEP_S / path.step_s))
    phrases = [_company(scene, track, path.time_s(position)) for position in range(piece.start, piece.stop, stride)]
    vocabulary = sorted({other for _, other in phrases})
    codes = np.array([vocabulary.index(other) for _, other in phrases], dtype=np.int64)
    stretches: list[tuple[Run, str]] = []
    for run in runs_of(settle(codes, round(SHORTEST_COMPANY_S / COMPANY_STEP_S))):
        other = vocabulary[run.value]
        seen = [predicate for predicate, who in phrases[run.start : run.stop] if who == other]
        phrase = f", {companion_phrase(Counter(seen).most_common(1)[0][0], other)}" if other and seen else ""
        stop = min(piece.start + run.stop * stride, piece.stop)
        stretches.append((Run(piece.start + run.start * stride, stop, run.value), phrase))
    return stretches


def _company(scene: Scene, track: Track, time_s: float) -> tuple[str, str]:
    """Predicate and phrase of the nearest entity that is near, two empty strings when none is."""
    subject = scene.placed(track.track_id, time_s)
    near = [other for other in scene.others_at(time_s, track.track_id) if is_near(subject, other)]
    if not near:
        return "", ""
    other = min(near, key=lambda one: (subject.box.distance(one.box), -subject.box.intersection(one.box), one.track_id))
    predicate = "overlapping" if overlaps(subject.box, other.box) else "near"
    return predicate, scene.wording.other(other.track_id, track.track_id)


def _moving(scene: Scene, track: Track, path: Path, piece: Run) -> Action:
    motion, fast = path.motion(piece.start)
    text = verb_phrase(track.label, motion, fast=fast, upright=_mostly(path, piece))
    first, last = piece.start, piece.stop - 1
    before = place_name(int(path.columns[first]), int(path.rows[first]))
    after = place_name(int(path.columns[last]), int(path.rows[last]))
    if before == after:
        where = f", {place_phrase(int(path.columns[last]), int(path.rows[last]))} of the picture"
    else:
        where = f", {from_to(before, after)}"
    return Action(piece.start, piece.stop, f"{text}{where}{_companion(scene, track, path, piece)}")


def _companion(scene: Scene, track: Track, path: Path, piece: Run) -> str:
    """Whom the entity moves with, towards or away from during at least half of the stretch."""
    checks = np.unique(np.linspace(piece.start, piece.stop - 1, CHECKS).round().astype(int))
    counts: Counter[tuple[str, str]] = Counter()
    for position in checks:
        time_s = path.time_s(int(position))
        subject = scene.placed(track.track_id, time_s)
        counts.update(_motions_towards(scene, subject, time_s))
    if not counts:
        return ""
    (predicate, other), count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return f", {companion_phrase(predicate, other)}" if count >= len(checks) / 2 else ""


def _motions_towards(scene: Scene, subject: Placed, time_s: float) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for other in scene.others_at(time_s, subject.track_id):
        predicate = relative_motion(subject, other)
        if predicate:
            found.add((predicate, scene.wording.other(other.track_id, subject.track_id)))
    return found


def _mostly(path: Path, run: Run) -> bool:
    return bool(np.mean(path.upright[run.start : run.stop]) >= 0.5)
