"""What the script of a page knows of a video: small, and nothing but numbers and texts."""

from __future__ import annotations

from collections.abc import Mapping

from ravu_kg.report.formatting import readable_on
from ravu_kg.report.pictures import PagePictures
from ravu_kg.report.records import VideoGraph
from ravu_kg.report.relations import said_once
from ravu_kg.types import Box

MOST_MOMENTS = 3600
"""A longer video is stepped through in longer steps."""


def script_data(graph: VideoGraph, pictures: PagePictures, key_frames: Mapping[int, str]) -> dict[str, object]:
    """The data of one video.

    Args:
        graph: the video.
        pictures: of its sampled frames.
        key_frames: address in the page of each picture that is shown large, by the index of its frame.
    """
    place = {entity.entity_id: position for position, entity in enumerate(graph.entities)}
    step = -(-len(graph.moments) // MOST_MOMENTS)
    kept = [one for at, one in enumerate(graph.moments) if at % step == 0 or one.frame_index in key_frames]
    position_of = {moment.frame_index: position for position, moment in enumerate(kept)}
    return {
        "size": [graph.width_px, graph.height_px],
        "length": round(graph.duration_s, 3),
        "entities": [
            {"tag": one.tag, "label": one.called, "color": one.color, "on": readable_on(one.color)}
            for one in graph.entities
        ],
        "moments": [
            {
                "t": round(moment.timestamp_s, 3),
                "frame": moment.frame_index,
                "text": moment.description,
                **({} if moment.coverage == "ok" else {"coverage": moment.coverage}),
                "nodes": [
                    [place[node.entity_id], _box(node.box), node.sentence]
                    for node in moment.nodes
                    if node.entity_id in place
                ],
                **_picture(moment.frame_index, pictures, key_frames),
            }
            for moment in kept
        ],
        "relations": [
            [
                place[one.subject_id],
                place[one.object_id],
                one.words,
                one.source,
                one.mutual,
                _runs([position_of[frame] for frame in one.frames if frame in position_of]),
            ]
            for one in said_once(graph.relations)
            if one.subject_id in place and one.object_id in place
        ],
        "missing": pictures.missing,
    }


def _picture(frame_index: int, pictures: PagePictures, key_frames: Mapping[int, str]) -> dict[str, object]:
    """A picture that the page shows already is named, not repeated."""
    if frame_index in key_frames:
        return {"key": key_frames[frame_index]}
    link = pictures.link(frame_index)
    return {} if link is None else {"jpeg": link.partition(",")[2]}


def _box(box: Box | None) -> list[int] | None:
    return None if box is None else [round(value) for value in (box.x_min, box.y_min, box.x_max, box.y_max)]


def _runs(positions: list[int]) -> list[int]:
    """Ascending positions as first and last of each unbroken run: 1 2 3 7 becomes 1 3 7 7."""
    runs: list[int] = []
    for position in positions:
        if runs and position <= runs[-1] + 1:
            runs[-1] = position
        else:
            runs += [position, position]
    return runs
