"""Doubts about the memory of one video: what in it does not fit together, each with the Cypher that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from ravu_kg.graph.store import Store
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.links import inlined
from ravu_kg.memory.linting import boxes, relations, words
from ravu_kg.memory.linting.records import CHECKS, Check, Finding, Memory, Suspicion, read_memory

__all__ = ["CHECKS", "Check", "Finding", "LintReport", "lint"]

_CHECKS: Mapping[Check, Callable[[Memory], Iterator[Suspicion]]] = {
    "uncovered": words.uncovered,
    "duplicate": boxes.duplicates,
    "jump": boxes.jumps,
    "outside": boxes.outside,
    "contradiction": relations.contradictions,
    "event": words.events,
    "absent": words.absent,
}


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was looked at, and what was found."""

    video: VideoSummary
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    """By check, then in time order."""
    looked_at: Mapping[str, int]
    """How much of each kind was checked."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "video_id": self.video.video_id,
            "title": self.video.title,
            "build": self.video.build,
            "checks": list(self.checks),
            "looked_at": dict(self.looked_at),
            "findings": [one.to_dict() for one in self.findings],
        }


def lint(store: Store, video: VideoSummary, checks: Sequence[Check] = CHECKS) -> LintReport:
    """Look for what does not fit together in the memory of a video; nothing is changed.

    Raises:
        GraphError: Neo4j failed.
    """
    wanted: tuple[Check, ...] = tuple(check for check in CHECKS if check in checks)
    memory = read_memory(store, video)
    suspicions = [
        one
        for check in wanted
        for one in sorted(_CHECKS[check](memory), key=lambda one: (one.start_s, one.end_s, one.entity_ids, one.text))
    ]
    return LintReport(
        video=video,
        checks=wanted,
        findings=tuple(_finding(store, one) for one in suspicions),
        looked_at={
            "frames": len(memory.frames),
            "entities": len(memory.entities),
            "frame nodes": len(memory.nodes),
            "told relations": len(memory.relations),
            "events": len(memory.events),
        },
    )


def _finding(store: Store, one: Suspicion) -> Finding:
    template = store.template(one.template)
    on_one_line = replace(template, text=" ".join(template.text.split()))
    # To the millisecond, and outwards: a frame at the edge is shown.
    rounded = {
        name: (floor(value * 1000) if name == "from_s" else ceil(value * 1000)) / 1000
        for name, value in one.parameters.items()
        if name in ("from_s", "to_s") and isinstance(value, float)
    }
    statement = inlined(on_one_line, {**one.parameters, **rounded})
    return Finding(one.check, one.start_s, one.end_s, one.entity_ids, one.text, statement)
