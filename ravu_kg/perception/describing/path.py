"""One track as a smooth path: where it is, how it moves and how it stands, free of detector jitter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, signal  # pyright: ignore[reportMissingTypeStubs] -- SciPy ships no types

from ravu_kg.perception.describing.kinds import FIXTURES
from ravu_kg.perception.describing.runs import hold_last, settle
from ravu_kg.types import Box, Track, VideoInfo

Motion = Literal["still", "left", "right", "up", "down", "towards", "away"]
MOTIONS: tuple[Motion, ...] = ("still", "left", "right", "up", "down", "towards", "away")

FloatSeries = NDArray[np.float64]
IntSeries = NDArray[np.int64]
BoolSeries = NDArray[np.bool_]

SHORTEST_STEP_S, LONGEST_STEP_S = 0.1, 0.2
MEDIAN_S = 0.6
"""Span of the median filter: a single wrong box leaves no trace."""
SLOPE_S = 1.2
"""Span of the line that gives a speed."""
SHORTEST_STATE_S = 0.8
"""A motion that lasts less belongs to what is around it."""
MOVING_SIZES_PER_S = 0.25
"""A speed of a quarter of the entity's own size a second counts as moving; jitter and swaying stay below it."""
KEEP_MOVING = 0.6
"""Who moves goes on moving until the speed falls below this share of the threshold."""
GROWING_PER_S = 0.15
"""Relative growth of the box a second that counts as coming towards the camera (or, shrinking, going away)."""
FAST_SIZES_PER_S = 2.2
FAST_PICTURES_PER_S = 0.12
SLOWEST_PICTURES_PER_S = 0.01
"""Least speed, in diagonals of the picture a second: for tiny boxes a few pixels of jitter are many sizes."""
BORDER_SHARE = 0.015
"""An edge nearer to the border than this share of the picture is cut off by it and tells nothing of motion."""
PLACE_MARGIN = 0.04
"""A place changes only when the centre is this share of the picture past the line between two places."""
FEET_SHARE = 0.15
"""Share of a box's growth in height that its lower edge has at least when it comes closer or goes away."""
SMALLEST_SHARE = 0.75
"""A speed is compared with the present size, but at least with this share of the usual one."""
UPRIGHT_FROM, UPRIGHT_UNTIL = 2.1, 1.8
"""Height over width from which a person stands or walks, and below which no longer."""

_FAST = 8


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A track on a regular grid of times. Arrays share their first dimension.

    ``columns`` and ``rows`` are the thirds of the picture (0, 1, 2 from the left and from the top) of the centre.
    """

    start_s: float
    step_s: float
    boxes: FloatSeries
    """(n, 4), smoothed, pixels."""
    velocities: FloatSeries
    """(n, 2), pixels a second: the motion that opposite edges share, so that stretching an arm is none."""
    codes: IntSeries
    """Motion and speed of each step, runs below ``SHORTEST_STATE_S`` removed; read it through :meth:`motion`."""
    columns: IntSeries
    rows: IntSeries
    upright: BoolSeries
    size_px: float
    """Square root of the box's area, median over the track: the entity's scale in distances."""

    def __len__(self) -> int:
        return len(self.codes)

    def position(self, time_s: float) -> int:
        """The step nearest to a time, the first or last one outside the track."""
        return int(min(max(round((time_s - self.start_s) / self.step_s), 0), len(self.codes) - 1))

    def time_s(self, position: int) -> float:
        """The time of a step."""
        return self.start_s + position * self.step_s

    def motion(self, position: int) -> tuple[Motion, bool]:
        """How it moves at a step, and whether fast."""
        code = int(self.codes[position])
        return MOTIONS[code % _FAST], code >= _FAST

    def box(self, position: int) -> Box:
        """The smoothed box at a step."""
        x_min, y_min, x_max, y_max = (float(value) for value in self.boxes[position])
        return Box(x_min, y_min, x_max, y_max)


def trace(track: Track, video: VideoInfo) -> Path:
    """Measure a track; boxes between two observations are interpolated."""
    times_s, observed = track.timestamps_s, track.boxes.astype(np.float64)
    gaps_s = np.diff(times_s)
    step_s = float(np.clip(np.median(gaps_s), SHORTEST_STEP_S, LONGEST_STEP_S)) if len(gaps_s) else LONGEST_STEP_S
    count = int((times_s[-1] - times_s[0]) / step_s + 1e-6) + 1
    grid_s = times_s[0] + step_s * np.arange(count)
    raw = np.empty((count, 4), dtype=np.float64)
    for column in range(4):
        raw[:, column] = np.interp(grid_s, times_s, observed[:, column])
    spans = (_odd(MEDIAN_S / step_s), 1)
    steady = np.asarray(ndimage.median_filter(raw, spans, mode="nearest"), np.float64)  # pyright: ignore[reportUnknownMemberType]
    boxes, slopes = _fit_lines(steady, step_s)

    widths = np.maximum(boxes[:, 2] - boxes[:, 0], 1.0)
    heights = np.maximum(boxes[:, 3] - boxes[:, 1], 1.0)
    observed_sizes = np.sqrt(
        np.maximum(observed[:, 2] - observed[:, 0], 1.0) * np.maximum(observed[:, 3] - observed[:, 1], 1.0)
    )
    size_px = float(np.median(observed_sizes))
    # A box that is still half outside the picture is small for its speed, hence the floor.
    sizes = np.maximum(np.sqrt(widths * heights), SMALLEST_SHARE * size_px)
    velocities, growth = _free_motion(steady, slopes, widths, heights, video)
    if track.label in FIXTURES:
        velocities, growth = np.zeros_like(velocities), np.zeros_like(growth)
    codes = _motion_codes(velocities, growth, sizes, float(np.hypot(video.width_px, video.height_px)))
    aspect = heights / widths
    return Path(
        start_s=float(times_s[0]),
        step_s=step_s,
        boxes=boxes,
        velocities=velocities,
        codes=settle(codes, max(1, round(SHORTEST_STATE_S / step_s))),
        columns=_thirds((boxes[:, 0] + boxes[:, 2]) / 2 / video.width_px),
        rows=_thirds((boxes[:, 1] + boxes[:, 3]) / 2 / video.height_px),
        upright=hold_last(aspect >= UPRIGHT_FROM, aspect < UPRIGHT_UNTIL),
        size_px=size_px,
    )


def _odd(count: float) -> int:
    return 2 * max(0, round((count - 1) / 2)) + 1


def _fit_lines(boxes: FloatSeries, step_s: float) -> tuple[FloatSeries, FloatSeries]:
    """Smoothed boxes and their change a second, both from a straight line fitted around each step."""
    count = len(boxes)
    if count < 3:
        slopes = np.gradient(boxes, step_s, axis=0) if count == 2 else np.zeros_like(boxes)
        return boxes, np.asarray(slopes, dtype=np.float64)
    span = min(_odd(SLOPE_S / step_s), count - 1 + count % 2)
    smooth, slopes = (
        np.asarray(signal.savgol_filter(boxes, span, 1, deriv, step_s, axis=0), np.float64)  # pyright: ignore[reportUnknownMemberType]
        for deriv in (0, 1)
    )
    return smooth, slopes


def _free_motion(
    boxes: FloatSeries, slopes: FloatSeries, widths: FloatSeries, heights: FloatSeries, video: VideoInfo
) -> tuple[FloatSeries, FloatSeries]:
    """Velocity (n, 2) and relative growth (n,), from the edges that the border does not cut off."""
    margin_x, margin_y = BORDER_SHARE * video.width_px, BORDER_SHARE * video.height_px
    left, top = boxes[:, 0] > margin_x, boxes[:, 1] > margin_y
    right, bottom = boxes[:, 2] < video.width_px - margin_x, boxes[:, 3] < video.height_px - margin_y
    velocities = np.stack(
        [
            _shared(slopes[:, 0], slopes[:, 2], left, right),
            _shared(slopes[:, 1], slopes[:, 3], top, bottom),
        ],
        axis=1,
    )
    # One side alone says little of growth: a stretched arm widens the box of someone who stays where they are.
    wider, taller = (slopes[:, 2] - slopes[:, 0]) / widths, (slopes[:, 3] - slopes[:, 1]) / heights
    width_free, height_free = left & right, top & bottom
    both = width_free & height_free
    growth = _shared(np.where(both, wider, wider / 2), np.where(both, taller, taller / 2), width_free, height_free)
    # Who stands up grows too, but on the spot: coming closer moves the feet.
    change = slopes[:, 3] - slopes[:, 1]
    on_the_spot = height_free & (slopes[:, 3] * change < FEET_SHARE * change**2)
    growth = np.where(on_the_spot, 0.0, growth)
    return velocities, growth


def _shared(first: FloatSeries, second: FloatSeries, first_free: BoolSeries, second_free: BoolSeries) -> FloatSeries:
    """What two edges have in common: the smaller of two changes of one sign; a free edge alone speaks for both."""
    common = np.where(first * second > 0, np.sign(first) * np.minimum(np.abs(first), np.abs(second)), 0.0)
    alone = np.where(first_free, first, np.where(second_free, second, 0.0))
    return np.where(first_free & second_free, common, alone)


def _motion_codes(velocities: FloatSeries, growth: FloatSeries, sizes: FloatSeries, diagonal_px: float) -> IntSeries:
    slowest = SLOWEST_PICTURES_PER_S * diagonal_px
    across, along = np.abs(velocities[:, 0]), np.abs(velocities[:, 1])
    horizontal = np.where(across >= slowest, across / sizes / MOVING_SIZES_PER_S, 0.0)
    vertical = np.where(along >= slowest, along / sizes / MOVING_SIZES_PER_S, 0.0)
    depth = np.where(np.abs(growth) * sizes >= slowest, np.abs(growth) / GROWING_PER_S, 0.0)
    strength = np.maximum(np.maximum(horizontal, vertical), depth)
    moving = hold_last(strength >= 1, strength < KEEP_MOVING)

    sideways = np.where(velocities[:, 0] < 0, MOTIONS.index("left"), MOTIONS.index("right"))
    upright = np.where(velocities[:, 1] < 0, MOTIONS.index("up"), MOTIONS.index("down"))
    # Whoever walks away from the camera also rises in the picture: growth speaks before the vertical.
    inward = np.where(growth > 0, MOTIONS.index("towards"), MOTIONS.index("away"))
    direction = np.where(
        horizontal >= np.maximum(depth, vertical),
        sideways,
        np.where((depth >= 1) | (depth >= vertical), inward, upright),
    )
    speed = np.hypot(across, along)
    fast = (speed >= FAST_SIZES_PER_S * sizes) & (speed >= FAST_PICTURES_PER_S * diagonal_px)
    return np.where(moving, direction + _FAST * fast, MOTIONS.index("still")).astype(np.int64)


def _thirds(share: FloatSeries) -> IntSeries:
    """0, 1 or 2 for each share of the picture, changing only when clearly past the line."""
    zone = np.clip((share * 3).astype(np.int64), 0, 2)
    off_line = np.minimum(np.abs(share - 1 / 3), np.abs(share - 2 / 3))
    clear = off_line >= PLACE_MARGIN
    clear[0] = True
    last_clear = np.maximum.accumulate(np.where(clear, np.arange(len(share)), 0))
    # A quick passage over both lines may have no clear step in between: then the zone itself is right.
    return np.where(np.abs(zone - zone[last_clear]) > 1, zone, zone[last_clear]).astype(np.int64)
