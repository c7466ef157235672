"""Events and sentences that do not fit what is tracked, and frames that nobody knows anything of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise

from ravu_kg.memory.linting.records import Happening, Memory, SeenFrame, Suspicion, Tracked
from ravu_kg.reasoning.vocabulary import COLOR_NAMES, matching_labels
from ravu_kg.types import Span

OVERLAP_S = 0.25
"""Events may touch each other; a little more is rounding to frames."""
_QUOTED = 200
_NEGATIVE = re.compile(r"\b(?:no|not|never|without|nobody|nothing|none|absent|gone|missing|\w+n't)\b", re.IGNORECASE)
_MARK = re.compile(r"#(\d+)\b")
_NAMED = re.compile(r"^(.{1,60}? \d+)(?=[,:;. ])")
_AFTER = r"(?=\s*(?:[,.;:!?)]|$|(?:and|or|in|on|at|with|near|to|of|from|by|that|who|which|is|are|as|while|then)\b))"


def uncovered(memory: Memory) -> Iterator[Suspicion]:
    """Stretches of the video that the memory does not know."""
    video, frames = memory.video, memory.frames
    if video.status != "ready":
        yield _of_time(memory, (0.0, video.duration_s), f"The video is not indexed to its end (status {video.status}).")
    step_s = video.sample_interval_s
    for coverage, group in groupby(frames, key=lambda frame: frame.coverage):
        stretch = list(group)
        if coverage != "ok":
            end_s = _until(stretch[-1], memory)
            why = "a model declined to describe" if coverage == "blocked" else "could not be described"
            yield _of_time(memory, (stretch[0].time_s, end_s), f"{_count(stretch)} that {why}.")
    for before, after in pairwise(frames):
        if (left_out := after.index - before.index - 1) > 0:
            said = f"{left_out} sampled frames between {before.index} and {after.index} are missing."
            yield _of_time(memory, (before.time_s + step_s, after.time_s), said, shown_from_s=before.time_s)
    if frames and video.status == "ready" and video.duration_s - frames[-1].time_s > 1.5 * step_s:
        span = (frames[-1].time_s + step_s, video.duration_s)
        said = f"The last frame is at {frames[-1].time_s:.1f} s of {video.duration_s:.1f} s."
        yield _of_time(memory, span, said, shown_from_s=frames[-1].time_s)
    if not frames and video.status == "ready":
        yield _of_time(memory, (0.0, video.duration_s), "The memory has no frame of the video.")


def events(memory: Memory) -> Iterator[Suspicion]:
    """Events of one entity that overlap, leave gaps, or lie where the entity is not.

    What people annotate may overlap and leave gaps; of annotations only what lies outside of the entity is told. Where
    frames are not covered models have nothing to tell of.
    """
    unknown = [(frame.time_s, _until(frame, memory)) for frame in memory.frames if frame.coverage != "ok"]
    interval_s = memory.video.sample_interval_s
    in_frames: dict[str, list[float]] = defaultdict(list)
    for node in memory.nodes:
        in_frames[node.entity_id].append(node.time_s)
    for (entity_id, source), group in groupby(memory.events, key=lambda one: (one.entity_id, one.source)):
        told = list(group)
        entity = memory.entities[entity_id]
        for one in told:
            early_s, late_s = entity.start_s - one.start_s, one.end_s - entity.end_s
            if max(early_s, late_s) > interval_s or one.end_s <= one.start_s:
                seen = f"{entity.name} is seen from {entity.start_s:.1f} s to {entity.end_s:.1f} s"
                what = f"An event of {one.start_s:.1f} s to {one.end_s:.1f} s ({source}): {_quoted(one.text)}"
                yield _of_events(entity, (one.start_s, max(one.start_s, one.end_s)), f"{what}, but {seen}.")
        if source == "annotation":
            continue
        yield from _overlaps(entity, source, told)
        sights_s = [*entity.times_s.tolist(), *in_frames[entity_id]]
        if source == "model":
            sights_s = [at_s for at_s in sights_s if not any(start_s <= at_s < end_s for start_s, end_s in unknown)]
        yield from _gaps(entity, source, told, sights_s, interval_s)


def absent(memory: Memory) -> Iterator[Suspicion]:
    """Frame descriptions, sentences and events that name who or what is not there at that time."""
    there: dict[int, set[str]] = defaultdict(set)
    for node in memory.nodes:
        there[node.frame_index].add(node.entity_id)
    by_number = {entity.track_id: entity for entity in memory.entities.values()}
    names = _names(memory.entities.values())
    for frame in memory.frames:
        yield from _absent_in_frame(frame, there[frame.index], by_number, names)
    labels = {entity.label for entity in memory.entities.values()} - COLOR_NAMES
    mentions = {label: re.compile(_mention(label), re.IGNORECASE) for label in sorted(labels)}
    frame_ids = {frame.index: frame.frame_id for frame in memory.frames}
    for node in memory.nodes:
        present = {memory.entities[one].label for one in there[node.frame_index]}
        for label in _unseen(node.sentence, mentions, present):
            entity = memory.entities[node.entity_id]
            yield Suspicion(
                "absent", node.time_s, node.time_s, (node.entity_id,),
                f"The sentence of {entity.name} names a {label}, but none is in the frame: {_quoted(node.sentence)}.",
                "lint/show_frame", {"frame_id": frame_ids[node.frame_index]},
            )  # fmt: skip
    for event in memory.events:
        for label in _unseen(event.text, mentions, _labels_during(memory, event)):
            entity = memory.entities[event.entity_id]
            yield Suspicion(
                "absent", event.start_s, event.end_s, (event.entity_id,),
                f"An event of {entity.name} names a {label}, but none is there at the time: {_quoted(event.text)}.",
                "lint/show_company", {"event_id": event.event_id},
            )  # fmt: skip


def _overlaps(entity: Tracked, source: str, told: Sequence[Happening]) -> Iterator[Suspicion]:
    """Each event with the one of those before it that lasts longest."""
    longest = told[0]
    for event in told[1:]:
        shared_s = min(longest.end_s, event.end_s) - event.start_s
        if shared_s > OVERLAP_S:
            what = f"Two events of {entity.name} ({source}) share {shared_s:.1f} s"
            span = (event.start_s, event.start_s + shared_s)
            yield _of_events(entity, span, f"{what}: {_quoted(longest.text)} and {_quoted(event.text)}.")
        if event.end_s > longest.end_s:
            longest = event


def _gaps(
    entity: Tracked, source: str, told: Sequence[Happening], sights_s: Sequence[float], least_s: float
) -> Iterator[Suspicion]:
    """Where the entity is seen and nothing is told; measured events follow each other without a gap."""
    least_s = least_s / 2 if source == "geometry" else least_s
    until_s = entity.start_s
    for start_s, end_s in [*((one.start_s, one.end_s) for one in told), (entity.end_s, entity.end_s)]:
        start_s = min(start_s, entity.end_s)
        seen = any(until_s - 1e-6 <= time_s < start_s - 1e-6 for time_s in sights_s)
        if start_s - until_s >= least_s - 1e-6 and seen:
            text = f"The events of {entity.name} ({source}) tell nothing for {start_s - until_s:.1f} s."
            yield _of_events(entity, (until_s, start_s), text)
        until_s = max(until_s, end_s)


def _absent_in_frame(
    frame: SeenFrame, there: Collection[str], by_number: dict[int, Tracked], names: dict[str, Tracked]
) -> Iterator[Suspicion]:
    named = {int(number): f"#{number}" for number in _MARK.findall(frame.text)}
    for name, entity in names.items():
        if re.search(rf"\b{re.escape(name)}\b", frame.text, re.IGNORECASE):
            named.setdefault(entity.track_id, name)
    for number, name in sorted(named.items()):
        entity = by_number.get(number)
        if entity is not None and entity.entity_id in there:
            continue
        who = f"{name}, which no entity is" if entity is None else f"{name} ({entity.label}), who is not in the frame"
        yield Suspicion(
            "absent", frame.time_s, frame.time_s, () if entity is None else (entity.entity_id,),
            f"The description of the frame names {who}.", "lint/show_frame", {"frame_id": frame.frame_id},
        )  # fmt: skip


def _names(entities: Collection[Tracked]) -> dict[str, Tracked]:
    """Names that measured descriptions use, as the description of each entity begins: ``Person 3, in black, ...``."""
    found = {name[1].lower(): one for one in entities if (name := _NAMED.match(one.description))}
    return {name: one for name, one in found.items() if name.startswith(one.label.lower())}


def _mention(label: str) -> str:
    """A noun with its article and at most two words between, not as a part of another noun."""
    return rf"\b(?:the|an?|another)\s+(?:[\w-]+\s+){{0,2}}?{re.escape(label)}{_AFTER}"


def _unseen(text: str, mentions: dict[str, re.Pattern[str]], present: Collection[str]) -> list[str]:
    """Labels of the video that a sentence mentions and that nothing present can be called."""
    if not text or _NEGATIVE.search(text):
        return []
    return [
        label
        for label, mention in mentions.items()
        if label not in present and mention.search(text) and not matching_labels(label, present)
    ]


def _labels_during(memory: Memory, event: Happening) -> set[str]:
    margin_s = memory.video.sample_interval_s
    return {
        one.label
        for one in memory.entities.values()
        if one.start_s < event.end_s + margin_s and one.end_s > event.start_s - margin_s
    }


def _until(frame: SeenFrame, memory: Memory) -> float:
    end_s = frame.time_s + memory.video.sample_interval_s
    return max(frame.time_s, min(end_s, memory.video.duration_s)) if memory.video.duration_s > 0 else end_s


def _of_time(memory: Memory, span: Span, text: str, shown_from_s: float | None = None) -> Suspicion:
    """A stretch of time; what is shown may begin earlier, with a frame that there is."""
    start_s = span[0] if shown_from_s is None else shown_from_s
    parameters = {"video_id": memory.video.video_id, "from_s": start_s, "to_s": span[1]}
    return Suspicion("uncovered", *span, (), text, "lint/show_coverage", parameters)


def _of_events(entity: Tracked, span: Span, text: str) -> Suspicion:
    parameters = {"entity_id": entity.entity_id, "from_s": span[0], "to_s": span[1]}
    return Suspicion("event", *span, (entity.entity_id,), text, "lint/show_events", parameters)


def _count(frames: Sequence[SeenFrame]) -> str:
    return "1 frame" if len(frames) == 1 else f"{len(frames)} frames"


def _quoted(text: str) -> str:
    return f"{text.rstrip('.')!r}" if len(text) <= _QUOTED else f"{text[:_QUOTED].rsplit(' ', 1)[0]!r}..."
