"""What an answer says of the part of a video that the memory does not cover.

That something is not there, or how many there are, holds only as far as the memory reaches; what is found holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ravu_kg.graph.reader import CoverageRow, LibraryCoverageRow, VideoRow
from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.plan import CountNodes
from ravu_kg.reasoning.records import CoverageReport, Execution, Span

TOLD = 4
"""So many stretches of time, or videos, are named."""

_NEGATIVE = re.compile(r"\b(?:no|not|never|none|nobody|nothing|cannot|without|neither|nor|\w+n't)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:always|only|every|all the time|throughout|n?ever|at any time)\b", re.IGNORECASE)


def coverage_of(row: CoverageRow, video: VideoRow) -> CoverageReport:
    """Unknown frames as stretches of time within the video."""
    spans = _stretches(row.unknown_times_s, video.sample_interval_s, video.duration_s)
    return CoverageReport(row.frames, row.known, row.blocked, row.failed, spans)


def library_coverage_of(rows: Sequence[LibraryCoverageRow]) -> CoverageReport:
    """The frames of all videos together; seconds of different videos do not add up to stretches."""
    blocked, failed = sum(row.blocked for row in rows), sum(row.failed for row in rows)
    frames = sum(row.frames for row in rows)
    return CoverageReport(frames, frames - blocked - failed, blocked, failed)


def remark(question: str, answer: str, count: int | None, execution: Execution) -> str:
    """A sentence that names what is not covered, where the answer depends on it; else nothing.

    Args:
        question: of the plan.
        answer: in words.
        count: that was asked for.
        execution: of the plan. Where it keeps to a part of the video, only that part matters.
    """
    parts = [found.part for found in execution.bindings.values() if found.part is not None]
    spans = _within(execution.coverage.unknown_intervals, parts[-1] if parts else None)
    if not spans or _about_shots(execution) or not _depends(question, answer, count):
        return ""
    return f"The memory does not cover {_listed(_spans(spans), 'stretches')}."


def library_remark(rows: Sequence[LibraryCoverageRow]) -> str:
    """A sentence that names the videos that are not covered to the full; nothing when there are none."""
    lacking = [f"{row.title} ({_lack(row)})" for row in rows if row.status != "ready" or row.blocked or row.failed]
    return f"The memory does not cover all of {_listed(lacking, 'videos')}." if lacking else ""


def _depends(question: str, answer: str, count: int | None) -> bool:
    """Whether an answer says how much there is, that there is none, or what holds of all the time."""
    kind = read_question(question).kind if question else ""
    if count is not None or kind in ("count", "count_events", "inventory", "how_long"):
        return True
    return bool(_NEGATIVE.search(answer) or _OF_ALL.search(question))


def _about_shots(execution: Execution) -> bool:
    """Cuts are found by looking at each frame of the file: all of them are covered."""
    counted = [one.arguments.node for one in execution.plan.steps if isinstance(one.arguments, CountNodes)]
    return bool(counted) and all(node in ("shots", "cuts") for node in counted)


def _lack(row: LibraryCoverageRow) -> str:
    if row.status != "ready":
        return "not indexed to its end"
    return _listed(_spans(_stretches(row.unknown_times_s, row.sample_interval_s, row.duration_s)), "stretches")


def _stretches(times_s: Iterable[float], step_s: float, duration_s: float) -> tuple[Span, ...]:
    """A frame stands for the time up to the next one, at most to the end of the video."""
    spans: list[Span] = []
    for time_s in times_s:
        end_s = time_s + step_s
        if duration_s > 0:
            end_s = max(time_s, min(end_s, duration_s))
        if spans and time_s - spans[-1][1] < 0.5 * step_s:
            spans[-1] = (spans[-1][0], end_s)
        else:
            spans.append((time_s, end_s))
    return tuple(spans)


def _within(spans: Sequence[Span], part: Span | None) -> list[Span]:
    if part is None:
        return list(spans)
    cut = [(max(start_s, part[0]), min(end_s, part[1])) for start_s, end_s in spans]
    return [(start_s, end_s) for start_s, end_s in cut if start_s < end_s]


def _spans(spans: Sequence[Span]) -> list[str]:
    return [f"{start_s:.1f}-{end_s:.1f} s" for start_s, end_s in spans]


def _listed(parts: Sequence[str], kind: str) -> str:
    told = list(parts[:TOLD])
    if len(parts) > TOLD:
        told.append(f"{len(parts) - TOLD} more {kind}")
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
