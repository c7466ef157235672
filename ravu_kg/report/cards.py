"""A key frame in a page: its picture with boxes, what is said of it, and the relations that hold in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ravu_kg.reasoning.records import Evidence
from ravu_kg.report.elements import add, e
from ravu_kg.report.formatting import clock, readable_on
from ravu_kg.report.pictures import PagePictures
from ravu_kg.report.records import Moment, ShownEntity, VideoGraph
from ravu_kg.report.relations import Said

_LETTER = 0.66
"""Width of a letter by its height."""


@dataclass(frozen=True)
class Card:
    """A key frame with its address in the page."""

    moment: Moment
    address: str
    element: Element


def card_of(
    graph: VideoGraph,
    moment: Moment,
    evidence: Sequence[Evidence],
    relations: Sequence[Said],
    pictures: PagePictures,
    address: str,
) -> Card:
    """The card of a sampled frame, as evidence or to show what is there."""
    meant = {entity_id for one in evidence for entity_id in one.entity_ids}
    time = clock(moment.timestamp_s)
    caption = e(
        "figcaption",
        None,
        e("a", {"class": "time", "href": f"#{address}", "data-t": f"{moment.timestamp_s:.3f}"}, time),
    )
    for one in evidence:
        score = e("span", {"class": "quiet"}, f" {one.step}, score {one.score:.2f}")
        add(caption, e("p", None, one.text, score))
        if one.reason:
            add(caption, e("p", {"class": "quiet"}, f"Chosen because: {one.reason}"))
    if not evidence or moment.description not in {one.text for one in evidence}:
        add(caption, e("p", {"class": "quiet" if evidence else None}, moment.description))
    holding = [one for one in relations if moment.frame_index in one.frames]
    if holding:
        add(caption, _relations(graph, holding))
    picture = picture_of(graph, moment, pictures, meant)
    element = e("article", {"class": "card", "id": address}, e("figure", None, picture, caption))
    return Card(moment, address, element)


def picture_of(graph: VideoGraph, moment: Moment, pictures: PagePictures, meant: set[str]) -> Element:
    """A frame with its boxes; those not meant are thin, all are full where nobody is meant."""
    width, height = max(1, graph.width_px), max(1, graph.height_px)
    time = clock(moment.timestamp_s)
    link = pictures.link(moment.frame_index)
    drawing = e(
        "svg",
        {
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "aria-label": f"Frame at {time}" + ("" if link else ", its picture is missing"),
            "class": "frame",
            "data-frame": str(moment.frame_index),
        },
    )
    if link:
        add(drawing, e("image", {"href": link, "width": str(width), "height": str(height)}))
    else:
        middle = {"x": "50%", "y": "96%", "class": "missing-text", "font-size": f"{height / 16:.0f}"}
        add(drawing, e("rect", {"class": "missing", "width": "100%", "height": "100%"}))
        add(drawing, e("text", middle, "picture missing"))
    entities = {one.entity_id: one for one in graph.entities}
    shown = [(entities[node.entity_id], node.box) for node in moment.nodes if node.entity_id in entities and node.box]
    shown.sort(key=lambda one: one[0].entity_id in meant)  # what is meant lies on top
    for entity, box in shown:
        is_meant = not meant or entity.entity_id in meant
        add(drawing, _box(entity, (box.x_min, box.y_min, box.x_max, box.y_max), height, width, is_meant))
    return drawing


def _box(entity: ShownEntity, box: tuple[float, float, float, float], height: int, width: int, meant: bool) -> Element:
    left, top, right, bottom = box
    group = e("g", {"class": "box" if meant else "box other", "style": f"--c:{entity.color}"})
    size = {
        "x": f"{left:.0f}",
        "y": f"{top:.0f}",
        "width": f"{max(0, right - left):.0f}",
        "height": f"{max(0, bottom - top):.0f}",
    }
    add(group, e("rect", size, e("title", None, entity.name)))
    if meant:
        letter = height / 15  # a card is narrow
        text = entity.name
        wide = len(text) * letter * _LETTER + letter * 0.6
        x = min(max(0.0, left), max(0.0, width - wide))
        y = top - letter * 1.35 if top > letter * 1.4 else max(0.0, top)
        patch = {
            "class": "patch",
            "x": f"{x:.0f}",
            "y": f"{y:.0f}",
            "width": f"{wide:.0f}",
            "height": f"{letter * 1.35:.0f}",
        }
        place = {"x": f"{x + letter * 0.3:.0f}", "y": f"{y + letter:.0f}", "font-size": f"{letter:.1f}"}
        add(group, e("rect", patch), e("text", {**place, "fill": readable_on(entity.color)}, text))
    return group


def _relations(graph: VideoGraph, holding: Sequence[Said]) -> Element:
    entities = {one.entity_id: one for one in graph.entities}
    rows: list[Element] = []
    for one in holding:
        subject, object_ = entities.get(one.subject_id), entities.get(one.object_id)
        if subject and object_:
            joined = " ↔ " if one.mutual else " → "
            rows.append(e("li", None, _chip(subject), joined, one.words, joined, _chip(object_)))
    more = e("details", None, e("summary", None, f"{len(rows)} relations" if len(rows) > 1 else "1 relation"))
    return add(more, e("ul", {"class": "relations"}, *rows))


def _chip(entity: ShownEntity) -> Element:
    return e("span", {"class": "chip", "style": f"--c:{entity.color}"}, e("i", {"class": "dot"}), entity.name)
