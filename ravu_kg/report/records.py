"""What a report is made of: one video's graph in full, and what is said beside it."""

from __future__ import annotations

from dataclasses import dataclass

from ravu_kg.types import Box, entity_tag


@dataclass(frozen=True, slots=True)
class ShownEntity:
    """An entity with the colour of its boxes."""

    entity_id: str
    identity_id: str
    label: str
    description: str
    color: str
    """``#rrggbb``."""
    start_s: float
    end_s: float
    given_name: str | None = None
    """By a person."""

    @property
    def called(self) -> str:
        """For people: the name that it was given, else its label."""
        return self.given_name or self.label

    @property
    def tag(self) -> str:
        """Short, unique in its video: ``#2``."""
        return entity_tag(self.entity_id)

    @property
    def name(self) -> str:
        """For people, unique in its video: ``person #2``, ``Anna #2``."""
        return f"{self.called} {self.tag}"


@dataclass(frozen=True, slots=True)
class ShownNode:
    """An entity in one sampled frame."""

    entity_id: str
    box: Box | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A sampled frame, or a time of an answer between two of them, with all who are in it."""

    frame_index: int
    """Unique in its video; beyond those of the sampled frames for a time between them."""
    timestamp_s: float
    description: str
    coverage: str
    nodes: tuple[ShownNode, ...]


@dataclass(frozen=True, slots=True)
class ShownRelation:
    """A relation with the sampled frames that it holds in."""

    subject_id: str
    object_id: str
    predicate: str
    source: str
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """What an entity does over [start_s, end_s)."""

    event_id: str
    entity_id: str
    start_s: float
    end_s: float
    description: str
    source: str


@dataclass(frozen=True, slots=True)
class VideoGraph:
    """Everything that the graph says of a video."""

    video_id: str
    title: str
    uri: str | None
    duration_s: float
    width_px: int
    height_px: int
    sample_interval_s: float
    entities: tuple[ShownEntity, ...]
    moments: tuple[Moment, ...]
    """In time order; the index of each is its place."""
    relations: tuple[ShownRelation, ...]
    events: tuple[ShownEvent, ...]
    cuts_s: tuple[float, ...] = ()

    def entity(self, entity_id: str) -> ShownEntity | None:
        """The entity of that id."""
        return next((one for one in self.entities if one.entity_id == entity_id), None)


@dataclass(frozen=True, slots=True)
class Statement:
    """Cypher to copy."""

    title: str
    text: str
    """As shown; a vector is ``<768 floats>``."""
    full: str = ""
    """With vectors in full, where that is another text."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of one model came to."""

    role: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None where the price is not known."""
    elapsed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """What is said of a video beside its graph, by who made the report."""

    facts: tuple[tuple[str, str], ...] = ()
    """How it was indexed: name and value."""
    costs: tuple[Cost, ...] = ()
    """Of indexing."""
    statements: tuple[Statement, ...] = ()
    """To look further in the Neo4j Browser."""
    version: str = ""
    """Of the program."""
    blurred: str = ""
    """What blurring of faces does not guarantee; empty where nothing was blurred."""
