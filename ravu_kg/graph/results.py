"""What the store gives back."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ravu_kg.graph.values import shown


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What a read gave, and how to repeat it."""

    rows: list[dict[str, object]]
    """Plain data: nodes, relationships and paths as dictionaries without embeddings."""
    template: str
    """The template's name; empty for ad-hoc Cypher."""
    parameters: dict[str, object]
    elapsed_s: float
    columns: tuple[str, ...] = ()
    truncated: bool = False
    """More was there than an ad-hoc query may give: rows, or bytes."""
    notes: tuple[str, ...] = ()
    """What is odd about an ad-hoc query that ran all the same, such as a property that the graph does not know."""

    def shown_parameters(self) -> dict[str, object]:
        """The parameters for a trace: vectors as ``<768 floats>``."""
        return {name: shown(value) for name, value in self.parameters.items()}


@dataclass(frozen=True, slots=True)
class Counters:
    """What a write changed."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    indexes_added: int = 0
    indexes_removed: int = 0
    constraints_added: int = 0

    def __add__(self, other: Counters) -> Counters:
        """The sum, counter by counter."""
        return Counters(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """A template that does not keep its word on this server."""

    template: str
    problem: str
