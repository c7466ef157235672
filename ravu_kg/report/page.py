"""One self-contained HTML page: of a video, or of an answer with the videos that it draws on.

It needs no network and is refused any by its own policy, can be read without its scripts, and holds no text as markup.
The scripts are D3 7.9.0 (ISC licence, in ``d3/`` unchanged), which lays out and zooms, and ours, which says what.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from xml.etree.ElementTree import Element

from ravu_kg.reasoning.asking import explain
from ravu_kg.reasoning.plan import Step
from ravu_kg.reasoning.records import Answer, Evidence, StepTrace
from ravu_kg.report import elements
from ravu_kg.report.cards import Card, card_of
from ravu_kg.report.elements import add, e
from ravu_kg.report.formatting import clock, price
from ravu_kg.report.pictures import PagePictures
from ravu_kg.report.records import Beside, Cost, Statement, VideoGraph
from ravu_kg.report.relations import said_once
from ravu_kg.report.script_data import script_data
from ravu_kg.report.timeline import timeline

_OPEN_ROWS = 40
"""A longer table is folded."""
_ICONS = {
    "previous-key": "M3 2h2v12H3zM14 2v12L6 8z",
    "back": "M12 2v12L4 8z",
    "play": "M4 2l10 6-10 6z",
    "on": "M4 2v12l8-6z",
    "next-key": "M11 2h2v12h-2zM2 2v12l8-6z",
}
_KEYS = (
    ("← →", "one sampled frame back or on; with Shift ten"),
    ("Home End", "first and last frame"),
    ("n p", "next and previous key frame"),
    ("Space", "play and pause"),
    ("+ − 0", "zoom the timeline in, out, and to the whole video"),
    ("b", "boxes on and off"),
)


@dataclass(frozen=True)
class Part:
    """One video in a page."""

    graph: VideoGraph
    pictures: PagePictures
    key_frames: tuple[int, ...]
    """Indexes of the moments that are shown large, in time order."""
    beside: Beside
    evidence: Mapping[int, Sequence[Evidence]] = field(default_factory=dict[int, Sequence[Evidence]])
    """By the index of its moment; empty where nothing was asked."""


def video_page(part: Part) -> str:
    """The page of a video."""
    graph = part.graph
    sub = f"{len(graph.entities)} entities, {len(graph.events)} events, {clock(graph.duration_s)} of video"
    header = e(
        "header", {"class": "top"}, e("p", {"class": "kind"}, "Video"), e("h1", None, graph.title), e("p", None, sub)
    )
    body = [_part(part, 0, (), alone=True)]
    return _page(graph.title, header, body, [part], part.beside.version)


def answer_page(answer: Answer, parts: Sequence[Part], evidence_cypher: str = "") -> str:
    """The page of an answer.

    Args:
        answer: to one question.
        parts: the videos of its evidence, or the video that was asked about.
        evidence_cypher: draws the evidence in the Neo4j Browser; empty without evidence.
    """
    header = e(
        "header",
        {"class": "top"},
        e("p", {"class": "kind"}, "Question"),
        e("h1", None, answer.question or "A plan without a question"),
        e("p", {"class": f"answer {answer.outcome}"}, answer.answer),
        *[e("p", {"class": "quiet"}, note) for note in answer.notes if note not in answer.answer],
        e("p", {"class": "quiet"}, _footing(answer)),
    )
    body: list[Element] = []
    for number, part in enumerate(parts):
        spans = answer.intervals if len(parts) == 1 else ()
        body.append(_part(part, number, spans, alone=len(parts) == 1))
    if not answer.evidence:
        body.insert(0, e("p", {"class": "notice"}, "No evidence was found for an answer."))
    body += [_plan_section(answer, evidence_cypher), _cost_section("Tokens and price", _answer_costs(answer), _FREE)]
    return _page(answer.question or "Answer", header, body, parts, parts[0].beside.version if parts else "")


_FREE = "No language model was asked: rules planned, ranked and answered. Nothing was paid."
_FREE_INDEX = "The video was indexed without a language model. Nothing was paid."


def _page(title: str, header: Element, body: Sequence[Element], parts: Sequence[Part], version: str) -> str:
    # The licence goes with every copy of D3, and each page is one.
    scripts = (f"/* {_file('d3/LICENSE')}*/\n{_file('d3/d3.min.js')}", _file("page.js"))
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src {allowed}; base-uri 'none'; form-action 'none'"
    )
    head = e(
        "head",
        None,
        e("meta", {"charset": "utf-8"}),
        e("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        e("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        e("meta", {"name": "color-scheme", "content": "light dark"}),
        e("meta", {"name": "generator", "content": f"ravu-kg {version}".strip()}),
        e("title", None, f"{title} – RAVU-KG"),
        elements.code("style", _file("page.css")),
    )
    theme = e(
        "button", {"type": "button", "class": "js theme", "data-do": "theme", "title": "Dark or light"}, "◐ Theme"
    )
    keys = e(
        "details",
        {"class": "js keys"},
        e("summary", None, "Keyboard"),
        e("dl", None, *[one for key, what in _KEYS for one in (e("dt", None, key), e("dd", None, what))]),
    )
    blurred = next((part.beside.blurred for part in parts if part.beside.blurred), "")
    foot = e(
        "footer",
        None,
        e("p", {"class": "quiet"}, blurred) if blurred else None,
        e(
            "p",
            {"class": "quiet"},
            f"Made by RAVU-KG {version}. This page is one file and loads nothing.".replace(" .", "."),
        ),
    )
    main = e("main", None, header, *body, keys)
    document = e(
        "body",
        None,
        e("div", {"class": "bar"}, e("b", None, "RAVU-KG"), e("span", {"class": "grow"}), theme),
        main,
        foot,
    )
    add(document, e("div", {"class": "tip", "hidden": True, "role": "status"}))
    for number, part in enumerate(parts):
        add(document, elements.data(f"data-{number}", script_data(part.graph, part.pictures, _addresses(part, number))))
    add(document, *(elements.code("script", script) for script in scripts))
    return elements.page(e("html", {"lang": "en"}, head, document))


def _addresses(part: Part, number: int) -> dict[int, str]:
    """Of the key frames that have a picture."""
    return {index: f"k{number}-{index}" for index in part.key_frames if index in part.pictures.by_frame}


def _part(part: Part, number: int, spans: Sequence[tuple[float, float]], *, alone: bool) -> Element:
    """A video: its moments to step through, its key frames, its timeline and what it holds."""
    graph, evidence = part.graph, part.evidence
    said = said_once(graph.relations)
    moments = {moment.frame_index: moment for moment in graph.moments}
    cards = [
        card_of(graph, moments[index], evidence.get(index, ()), said, part.pictures, f"k{number}-{index}")
        for index in part.key_frames
        if index in moments
    ]
    event_rows = {event.event_id: f"e{number}-{position}" for position, event in enumerate(graph.events)}
    section = e("section", {"class": "video", "data-video": str(number)})
    if not alone:
        add(section, e("h2", None, graph.title))
    if part.pictures.missing:
        add(section, e("p", {"class": "notice"}, f"The pictures are missing: {part.pictures.missing}"))
    add(
        section,
        _stage(number),
        timeline(graph, {card.moment.frame_index: card.address for card in cards}, event_rows, spans, bool(evidence)),
        _key_frames(cards, bool(evidence)),
        _entities(graph),
        _events(graph, event_rows),
        _facts(part, open_=not evidence),
    )
    if not evidence:
        add(section, _cost_section("Tokens and price of indexing", part.beside.costs, _FREE_INDEX))
        if part.beside.statements:
            add(section, _look_further(part.beside.statements))
    return section


def _stage(number: int) -> Element:
    """Filled by the script: the picture at the chosen second beside the relations that hold then."""

    def button(what: str, label: str) -> Element:
        drawing = e(
            "svg", {"viewBox": "0 0 16 16", "class": "icon", "aria-hidden": "true"}, e("path", {"d": _ICONS[what]})
        )
        return e("button", {"type": "button", "data-do": what, "aria-label": label, "title": label}, drawing)

    return e(
        "section",
        {"class": "stage js", "aria-label": "Chosen moment"},
        e(
            "div",
            {"class": "stage-main"},
            e("figure", {"class": "picture"}, e("svg", {"role": "img", "aria-label": "Picture at the chosen moment"})),
            e(
                "figure",
                {"class": "graph"},
                e("svg", {"role": "img", "aria-label": "Relations at the chosen moment"}),
                e("figcaption", {"class": "quiet"}),
            ),
        ),
        e(
            "div",
            {"class": "stage-bar"},
            button("previous-key", "Previous key frame (p)"),
            button("back", "One frame back (←)"),
            button("play", "Play and pause (Space)"),
            button("on", "One frame on (→)"),
            button("next-key", "Next key frame (n)"),
            e("output", {"class": "clock", "for": f"at-{number}"}),
            e("input", {"type": "range", "id": f"at-{number}", "min": "0", "value": "0", "aria-label": "Moment"}),
            e("label", None, e("input", {"type": "checkbox", "class": "boxes", "checked": True}), " boxes"),
        ),
        e("div", {"class": "now", "aria-live": "polite"}),
    )


def _key_frames(cards: Sequence[Card], is_evidence: bool) -> Element | None:
    if not cards:
        return None
    return e(
        "section",
        {"class": "keys-section"},
        e("h3", None, "Evidence" if is_evidence else "Key frames"),
        e("div", {"class": "cards"}, *[card.element for card in cards]),
    )


def _entities(graph: VideoGraph) -> Element:
    tags = {one.entity_id: one.tag for one in graph.entities}
    rows = [
        e(
            "tr",
            {"data-entity": one.tag, "style": f"--c:{one.color}"},
            e("td", {"class": "nowrap"}, e("i", {"class": "dot"}), one.called, " ", e("b", None, one.tag)),
            e("td", {"class": "nowrap"}, _same(one.identity_id, one.entity_id, tags)),
            e("td", {"class": "number"}, clock(one.start_s)),
            e("td", {"class": "number"}, clock(one.end_s)),
            e("td", None, one.description),
        )
        for one in graph.entities
    ]
    return _folded(
        f"Entities ({len(rows)})", _table(("entity", "identity", "from", "to", "description"), rows), len(rows)
    )


def _same(identity_id: str, entity_id: str, tags: Mapping[str, str]) -> str:
    if identity_id == entity_id:
        return ""
    return f"same as {tags.get(identity_id, identity_id)}"


def _events(graph: VideoGraph, event_rows: Mapping[str, str]) -> Element:
    entities = {one.entity_id: one for one in graph.entities}
    rows: list[Element] = []
    for event in graph.events:
        entity = entities.get(event.entity_id)
        name = [entity.called, " ", e("b", None, entity.tag)] if entity else [event.entity_id]
        rows.append(
            e(
                "tr",
                {
                    "id": event_rows[event.event_id],
                    "data-t": f"{event.start_s:.3f}",
                    "style": f"--c:{entity.color}" if entity else None,
                },
                e("td", {"class": "number"}, clock(event.start_s)),
                e("td", {"class": "number"}, clock(event.end_s)),
                e("td", {"class": "nowrap"}, e("i", {"class": "dot"}), *name),
                e("td", None, event.description),
                e("td", {"class": "quiet"}, event.source),
            )
        )
    table = _table(("from", "to", "entity", "event", "source"), rows)
    search = e(
        "input", {"type": "search", "class": "js find", "placeholder": "Find in events", "aria-label": "Find in events"}
    )
    return _folded(f"Events ({len(rows)})", e("div", None, search, table), len(rows))


def _facts(part: Part, *, open_: bool) -> Element | None:
    if not part.beside.facts:
        return None
    pairs = [one for name, value in part.beside.facts for one in (e("dt", None, name), e("dd", None, value))]
    return e("details", {"open": open_}, e("summary", None, "Video"), e("dl", {"class": "facts"}, *pairs))


def _plan_section(answer: Answer, evidence_cypher: str) -> Element:
    section = e("section", {"class": "plan"}, e("h2", None, "Plan and Cypher"))
    add(section, e("p", {"class": "quiet"}, "Each statement runs in the Neo4j Browser as it is copied."))
    traces = list(answer.trace)
    for number, step in enumerate(answer.plan.steps, start=1):
        own = [entry for entry in traces if entry.step == step.save_as]
        add(
            section,
            e(
                "div",
                {"class": "step"},
                e("h3", None, f"{number}. ", e("code", None, step.function), " → ", e("code", None, step.save_as)),
                e("p", {"class": "call"}, e("code", None, _arguments(step))),
                *[
                    _copied(
                        Statement(
                            _cost_of(one),
                            explain([one]),
                            explain([one], full_vectors=True),
                        )
                    )
                    for one in own
                ],
            ),
        )
        traces = [entry for entry in traces if entry.step != step.save_as]
    for one in traces:  # what no step of the plan asked for
        title = f"{one.step}: {one.template}"
        add(section, _copied(Statement(title, explain([one]), explain([one], full_vectors=True))))
    if evidence_cypher:
        add(section, _copied(Statement("The evidence as a graph in the Neo4j Browser", evidence_cypher)))
    plan = answer.plan.to_json()
    add(section, _copied(Statement("The plan as JSON, for ravu-kg run", plan)))
    return section


def _cost_of(entry: StepTrace) -> str:
    rows = "1 row" if entry.rows == 1 else f"{entry.rows} rows"
    return f"{entry.template}, {rows} in {entry.elapsed_s * 1000:.0f} ms"


def _arguments(step: Step) -> str:
    arguments = step.arguments.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items()) or "–"


def _copied(statement: Statement) -> Element:
    """Text with a button that copies it, with vectors in full."""
    button = e("button", {"type": "button", "class": "js copy", "data-do": "copy"}, "Copy")
    full = statement.full if statement.full != statement.text else ""
    return e(
        "details",
        {"class": "cypher"},
        e("summary", None, e("span", None, statement.title), button),
        e("pre", {"class": "shown"}, statement.text),
        e("details", None, e("summary", None, "With its vector in full"), e("pre", {"class": "full"}, full))
        if full
        else None,
    )


def _look_further(statements: Sequence[Statement]) -> Element:
    return e("section", {"class": "plan"}, e("h2", None, "Look further with Cypher"), *map(_copied, statements))


def _cost_section(title: str, costs: Sequence[Cost], free: str) -> Element:
    section = e("section", {"class": "costs"}, e("h2", None, title))
    if not costs:
        return add(section, e("p", {"class": "quiet"}, free))
    known = [one.cost_usd for one in costs if one.cost_usd is not None]
    total = Cost(
        "all",
        "",
        sum(one.calls for one in costs),
        sum(one.input_tokens for one in costs),
        sum(one.output_tokens for one in costs),
        sum(known) if len(known) == len(costs) else None,
        sum(one.elapsed_s for one in costs if one.elapsed_s is not None) or None,
    )
    rows = [
        e(
            "tr",
            {"class": "total" if one is total else None},
            e("td", None, one.role),
            e("td", None, one.model),
            e("td", {"class": "number"}, f"{one.calls:,}"),
            e("td", {"class": "number"}, f"{one.input_tokens:,}"),
            e("td", {"class": "number"}, f"{one.output_tokens:,}"),
            e("td", {"class": "number"}, price(one.cost_usd)),
            e("td", {"class": "number"}, "" if one.elapsed_s is None else f"{one.elapsed_s:.1f} s"),
        )
        for one in ([*costs, total] if len(costs) > 1 else costs)
    ]
    return add(section, _table(("step", "model", "calls", "tokens in", "tokens out", "price", "time"), rows))


def _answer_costs(answer: Answer) -> list[Cost]:
    return [
        Cost(
            step.role,
            step.model,
            step.usage.calls,
            step.usage.input_tokens,
            step.usage.output_tokens,
            step.usage.cost_usd if step.has_price else None,
            step.elapsed_s,
        )
        for step in answer.model_steps
    ]


def _footing(answer: Answer) -> str:
    coverage = answer.coverage
    text = f"{coverage.known} of {coverage.frames} sampled frames are known"
    if coverage.unknown_intervals:
        unknown = ", ".join(f"{clock(start)} to {clock(end)}" for start, end in coverage.unknown_intervals)
        text += f"; nothing is known of {unknown}"
    method = ", ".join(f"{role} {name}" for role, name in answer.method.items())
    return f"{text}. Method: {method}."


def _table(columns: Sequence[str], rows: Sequence[Element]) -> Element:
    head = e("thead", None, e("tr", None, *[e("th", {"scope": "col"}, name) for name in columns]))
    return e("div", {"class": "wide", "tabindex": "0"}, e("table", None, head, e("tbody", None, *rows)))


def _folded(title: str, content: Element, rows: int) -> Element:
    return e("details", {"open": rows <= _OPEN_ROWS}, e("summary", None, title), content)


def _file(name: str) -> str:
    return (files("ravu_kg.report") / name).read_text(encoding="utf-8")
