"""The chain of one stretch: its targets described, then their graphs, then the sentences of the nodes.

One worker takes a stretch through the chain, so that no stage waits for all stretches of the stage before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ravu_kg.errors import RefusalError
from ravu_kg.perception.captioning import words
from ravu_kg.perception.captioning.asking import Asked
from ravu_kg.perception.captioning.boxes import convention
from ravu_kg.perception.captioning.replies import DescribeReply, GraphFrame, GraphReply, NewThing, SentenceReply
from ravu_kg.perception.captioning.requests import (
    DescribedFrame,
    FrameGraph,
    describe_request,
    graph_request,
    sentence_request,
)
from ravu_kg.perception.captioning.stretches import Stretch
from ravu_kg.types import Coverage

_NODES_PER_CALL = 60
_NEW_PER_FRAME = 12


@dataclass(frozen=True, slots=True)
class FrameWords:
    """All that models said of one frame. Entities that they added have ids ``n1``, ``n2``, ... of this stretch."""

    index: int
    text: str
    """F_i with marks; empty when there is none."""
    coverage: Coverage
    new: Mapping[str, NewThing]
    attributes: Mapping[str, tuple[str, ...]]
    edges: tuple[tuple[str, str, str], ...]
    sentences: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Chain:
    """Puts stretches into words; safe to use from several threads."""

    asked: Asked
    reach: int
    """Frames before and after a target that its window shows."""

    def put_into_words(self, stretch: Stretch) -> tuple[Stretch, list[FrameWords]]:
        """The stretch with the words for each of its targets, in time order.

        Raises:
            ProviderError: one that concerns the whole run, see :meth:`Asked.settle`.
        """
        work = _Work(self.asked, stretch, self.reach)
        work.describe()
        if self.asked.calls.has("graph"):
            work.make_graphs()
            if self.asked.calls.has("sentence"):
                work.write_sentences()
        return stretch, [work.words(index) for index in stretch.targets]


@dataclass(slots=True)
class _Work:
    asked: Asked
    stretch: Stretch
    reach: int
    texts: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    new: dict[int, dict[str, NewThing]] = field(default_factory=dict[int, dict[str, NewThing]])
    graphs: dict[int, FrameGraph] = field(default_factory=dict[int, FrameGraph])
    sentences: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])
    troubles: dict[int, Coverage] = field(default_factory=dict[int, Coverage])
    added: int = 0
    """Entities that the model has added so far."""

    def words(self, index: int) -> FrameWords:
        graph = self.graphs.get(index)
        return FrameWords(
            index=index,
            text=" ".join(self.texts.get(index, [])),
            coverage=self.troubles.get(index, "ok"),
            new=self.new.get(index, {}),
            attributes=graph.attributes if graph else {},
            edges=graph.edges if graph else (),
            sentences=self.sentences.get(index, {}),
        )

    # --- (V_i, F_i) = g_m(s_fd, x_i)

    def describe(self) -> None:
        batches = {frame.index: len(frame.pictures) for frame in self.stretch.frames}
        for batch in range(max(batches[target] for target in self.stretch.targets)):
            targets = [target for target in self.stretch.targets if batch < batches[target]]
            self._note(self.asked.settle("describe", targets, lambda some, batch=batch: self._describe(some, batch)))

    def _describe(self, targets: Sequence[int], batch: int) -> Collection[int]:
        try:
            return self._described(targets, batch, self.reach)
        except RefusalError:
            if len(targets) > 1 or self.reach == 0:
                raise
            return self._described(targets, batch, 0)  # the frames around it may be what is refused

    def _described(self, targets: Sequence[int], batch: int, reach: int) -> Collection[int]:
        order = convention(self.asked.calls.name("describe"))
        frames = self.stretch.around(targets, reach)
        request = describe_request(targets, frames, self.stretch.things, batch, order)
        reply = self.asked.ask("describe", request, DescribeReply)
        known, names = self.stretch.things, dict[str, str]()
        complete: set[int] = set()
        for seen in reply.frames:
            if seen.i not in targets or seen.i in complete:
                continue
            if batch == 0:
                self._add(seen.i, seen.new, names)
            text = words.with_marks(seen.text, lambda one: one if one in known else names.get(one))
            if text := words.plain(text, words.DESCRIPTION_LETTERS):
                self.texts.setdefault(seen.i, []).append(text)
                complete.add(seen.i)
        return complete

    def _add(self, index: int, things: Sequence[NewThing], names: dict[str, str]) -> None:
        """Take in what is new in a frame, under ids that no other call of this stretch has."""
        of_frame: dict[str, NewThing] = {}
        for thing in things[:_NEW_PER_FRAME]:
            label = words.label(thing.label)
            if not label or thing.id in self.stretch.things:
                continue
            if thing.id not in names:
                self.added += 1
                names[thing.id] = f"n{self.added}"
            look = words.plain(words.without_marks(thing.look), words.LOOK_LETTERS)
            of_frame[names[thing.id]] = thing.model_copy(update={"label": label, "look": look})
        self.new[index] = of_frame

    # --- G_i(V_i, E_i) = g_l(V_i, F_i, s_g)

    def make_graphs(self) -> None:
        described = [frame for index in self.stretch.targets if (frame := self._frame(index)) and frame.labels]
        by_index = {frame.index: frame for frame in described}
        for group in _grouped([(frame.index, len(frame.labels)) for frame in described]):
            self._note(self.asked.settle("graph", group, lambda some: self._graph([by_index[index] for index in some])))

    def _frame(self, index: int) -> DescribedFrame | None:
        if index not in self.texts:
            return None
        frame = next(frame for frame in self.stretch.frames if frame.index == index)
        labels = {one: self.stretch.things[one].label for one in frame.ids}
        labels |= {
            one: f"{thing.label}, {thing.look}" if thing.look else thing.label
            for one, thing in self.new.get(index, {}).items()
        }
        return DescribedFrame(index, frame.timestamp_s, " ".join(self.texts[index]), labels)

    def _graph(self, frames: Sequence[DescribedFrame]) -> Collection[int]:
        reply = self.asked.ask("graph", graph_request(frames), GraphReply)
        labels = {frame.index: frame.labels for frame in frames}
        for graph in reply.frames:
            if graph.i in labels and graph.i not in self.graphs:
                self.graphs[graph.i] = _checked(graph, labels[graph.i])
        return labels.keys() & self.graphs.keys()

    # --- p_i^j = g_l(n_i^j, {e_i}, s_d)

    def write_sentences(self) -> None:
        graphs = {index: graph for index, graph in sorted(self.graphs.items()) if graph.nodes()}
        for group in _grouped([(index, len(graph.nodes())) for index, graph in graphs.items()]):
            unknown = self.asked.settle("sentence", group, lambda some: self._write([graphs[index] for index in some]))
            # Of a frame that lacks some sentences, those that are there count.
            self._note({index: state for index, state in unknown.items() if index not in self.sentences})

    def _write(self, graphs: Sequence[FrameGraph]) -> Collection[int]:
        reply = self.asked.ask("sentence", sentence_request(graphs), SentenceReply)
        nodes = {graph.index: set(graph.nodes()) for graph in graphs}
        for one in reply.sentences:
            text = words.sentence(one.text)
            if text and one.id in nodes.get(one.i, ()):
                self.sentences.setdefault(one.i, {}).setdefault(one.id, text)
        return [index for index, ids in nodes.items() if ids <= self.sentences.get(index, {}).keys()]

    def _note(self, troubles: Mapping[int, Coverage]) -> None:
        for index, trouble in troubles.items():
            self.troubles.setdefault(index, trouble)


def _checked(graph: GraphFrame, labels: Mapping[str, str]) -> FrameGraph:
    """A graph of known entities: no invented ids, no relation of a thing to itself, nothing twice."""
    attributes: dict[str, tuple[str, ...]] = {}
    for node in graph.nodes:
        if node.id in labels and (has := words.attributes(node.has)):
            attributes.setdefault(node.id, has)
    edges: dict[tuple[str, str, str], None] = {}
    for edge in graph.edges:
        predicate = words.plain(words.without_marks(edge.p), words.PREDICATE_LETTERS)
        if predicate and edge.s in labels and edge.o in labels and edge.s != edge.o:
            edges[edge.s, predicate, edge.o] = None
    return FrameGraph(graph.i, labels, attributes, tuple(edges))


def _grouped(sizes: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Frames that share a call: as many as together have at most sixty nodes, at least one."""
    groups: list[list[int]] = []
    room = 0
    for index, size in sizes:
        if not groups or size > room:
            groups.append([])
            room = _NODES_PER_CALL
        groups[-1].append(index)
        room -= size
    return groups
