"""A video's file together with its graph: upright frames, whose boxes are known at every moment of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ravu_kg.graph.reader import TrackRow
from ravu_kg.reasoning.records import Evidence
from ravu_kg.report.records import Moment, ShownEntity, ShownNode, VideoGraph
from ravu_kg.types import Box, VideoFrame, VideoInfo
from ravu_kg.video.faces import FaceBlur, is_person

SAME_MOMENT_S = 0.05
"""Times this close are one."""
_GAP_S = 1.5
"""Between observations further apart nobody knows where the entity was."""
_AFTER_S = 0.15
"""A box stays for this long before its first and after its last observation."""


@dataclass(frozen=True)
class Footage:
    """One video that can be looked at."""

    info: VideoInfo
    graph: VideoGraph
    tracks: Mapping[str, TrackRow]
    blur: FaceBlur | None = None

    def at(self, timestamps_s: Sequence[float]) -> Iterator[VideoFrame]:
        """The frame on display at each time; raises VideoError when the file can no longer be read."""
        from ravu_kg.video.reader import frames_at

        return map(self._prepared, frames_at(self.info, timestamps_s))

    def between(self, start_s: float, end_s: float, rate_hz: float) -> Iterator[VideoFrame]:
        """Frames of [start_s, end_s) at a rate; raises as :meth:`at`."""
        from ravu_kg.video.reader import read_frames

        return map(self._prepared, read_frames(self.info, rate_hz, start_s=start_s, end_s=end_s))

    def boxes(self, timestamp_s: float, entity_ids: Iterable[str] | None = None) -> dict[ShownEntity, Box]:
        """Where entities are at a moment, those of the graph by default; without those that are not seen then."""
        wanted = None if entity_ids is None else set(entity_ids)
        sampled = self._sampled(timestamp_s)
        found: dict[ShownEntity, Box] = {}
        for entity in self.graph.entities:
            if wanted is None or entity.entity_id in wanted:
                track = self.tracks.get(entity.entity_id)
                box = box_at(track, timestamp_s) if track is not None else None
                box = box or sampled.get(entity.entity_id)
                if box is not None:
                    found[entity] = box
        return found

    def _sampled(self, timestamp_s: float) -> dict[str, Box]:
        """What the graph says of a sampled frame, also of who was followed by nobody."""
        moments = self.graph.moments
        at = bisect_left(moments, timestamp_s - SAME_MOMENT_S, key=lambda moment: moment.timestamp_s)
        if at == len(moments) or moments[at].timestamp_s > timestamp_s + SAME_MOMENT_S:
            return {}
        return {node.entity_id: node.box for node in moments[at].nodes if node.box is not None}

    def _prepared(self, frame: VideoFrame) -> VideoFrame:
        if self.blur is None:
            return frame
        people = [box for entity, box in self.boxes(frame.timestamp_s).items() if is_person(entity.label)]
        return replace(frame, image=self.blur.blurred(frame.image, people))


def with_evidence(
    graph: VideoGraph, evidence: Sequence[Evidence], tracks: Mapping[str, TrackRow]
) -> tuple[VideoGraph, dict[int, list[Evidence]]]:
    """A graph that has a moment at each time of the evidence, and the evidence by the index of its moment.

    Evidence may lie between two sampled frames: whoever enters is seen first at the tracking rate.
    """
    moments = {moment.frame_index: moment for moment in graph.moments}
    by_moment: dict[int, list[Evidence]] = {}
    between: dict[float, int] = {}
    for one in evidence:
        sampled = moments.get(one.frame_index)
        index = one.frame_index
        if sampled is None or abs(sampled.timestamp_s - one.timestamp_s) > SAME_MOMENT_S:
            index = between.setdefault(round(one.timestamp_s, 2), max(moments, default=-1) + 1)
            if index not in moments:
                moments[index] = _moment_between(graph, one, index, tracks)
        by_moment.setdefault(index, []).append(one)
    in_order = sorted(moments.values(), key=lambda moment: moment.timestamp_s)
    return replace(graph, moments=tuple(in_order)), by_moment


def _moment_between(graph: VideoGraph, evidence: Evidence, index: int, tracks: Mapping[str, TrackRow]) -> Moment:
    nodes: list[ShownNode] = []
    for entity in graph.entities:
        track = tracks.get(entity.entity_id)
        box = box_at(track, evidence.timestamp_s) if track else None
        if box is not None:
            is_meant = entity.entity_id in evidence.entity_ids
            nodes.append(ShownNode(entity.entity_id, box, evidence.text if is_meant else "is seen"))
    return Moment(index, evidence.timestamp_s, "Between two sampled frames.", "ok", tuple(nodes))


def box_at(track: TrackRow, timestamp_s: float) -> Box | None:
    """Where an entity is at a moment, between two observations on the straight line; None when it is not seen."""
    times_s = track.timestamps_s
    if not times_s or not times_s[0] - _AFTER_S <= timestamp_s <= times_s[-1] + _AFTER_S:
        return None
    after = bisect_right(times_s, timestamp_s)
    if after == 0:
        return track.boxes[0]
    if after == len(times_s):
        return track.boxes[-1]
    before_s, after_s = times_s[after - 1], times_s[after]
    if after_s - before_s > _GAP_S:
        near = after - 1 if timestamp_s - before_s <= _AFTER_S else after if after_s - timestamp_s <= _AFTER_S else None
        return None if near is None else track.boxes[near]
    share = (timestamp_s - before_s) / (after_s - before_s)
    first, second = track.boxes[after - 1], track.boxes[after]
    return Box(
        first.x_min + share * (second.x_min - first.x_min),
        first.y_min + share * (second.y_min - first.y_min),
        first.x_max + share * (second.x_max - first.x_max),
        first.y_max + share * (second.y_max - first.y_max),
    )
