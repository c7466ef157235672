"""The memory as a retriever of neo4j-graphrag, for programs that are built on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from ravu_kg.errors import UsageError
from ravu_kg.graph.store import Record, Store, as_record
from ravu_kg.reasoning.records import Moment

Search = Callable[[str, str | None, int], Sequence[Moment]]
"""Moments nearest to a text, of a video or of all, at most so many."""
Formatter = Callable[[Record], RetrieverResultItem]
MOST = 100


class MemoryRetriever(Retriever):
    """Finds moments of videos by meaning, each with what its entity does meanwhile.

    Made by :meth:`ravu_kg.VideoMemory.as_retriever`. It uses the memory's own connection and embedder, so it can be
    used as long as the memory is open.
    """

    VERIFY_NEO4J_VERSION = False

    def __init__(self, store: Store, search: Search, video: str | None, result_formatter: Formatter | None) -> None:
        # The base class would take a driver and rename its connections; the memory has one of its own.
        self.neo4j_database = store.database
        self.result_formatter = result_formatter
        self._store = store
        self._moments = search
        self._video = video

    def get_search_results(self, query_text: str, top_k: int = 5, video: str = "") -> RawSearchResult:
        """Moments whose sentences are nearest in meaning to a text, best first.

        Args:
            query_text: a question, or words for what is to be seen.
            top_k: how many moments at most.
            video: path, id or title of one video; by default that of the retriever, or all.

        Returns:
            Records with text, events, video_id, title, time_s, frame_index, entity_id and score.

        Raises:
            UsageError: the text is empty, or ``top_k`` makes no sense.
            NotFoundError: no such video.
        """
        if not 1 <= top_k <= MOST:
            raise UsageError(f"top_k is 1 to {MOST}, not {top_k}.")
        moments = self._moments(query_text, video or self._video, top_k)
        asked = [{"entity_id": one.entity_id, "time_s": one.timestamp_s} for one in moments]
        found = self._store.read("programs/meanwhile", moments=asked).rows
        events = {row["position"]: row["events"] for row in found}
        records = [as_record(_row(one, events.get(position, []))) for position, one in enumerate(moments)]
        return RawSearchResult(records=records, metadata={"query_text": query_text, "video": video or self._video})

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """One line for a language model: when, where, who, and what is seen; the rest is metadata."""
        row = record.data()
        when = f"{row['title']}, {row['time_s']:.1f} s, entity {row['entity_id']}"
        meanwhile = f" Meanwhile: {' '.join(row['events'])}" if row["events"] else ""
        metadata = {name: value for name, value in row.items() if name != "text"}
        return RetrieverResultItem(content=f"{when}: {row['text']}{meanwhile}", metadata=metadata)


def _row(moment: Moment, events: object) -> dict[str, object]:
    return {
        "text": moment.text,
        "events": events,
        "video_id": moment.video_id,
        "title": moment.title,
        "time_s": moment.timestamp_s,
        "frame_index": moment.frame_index,
        "entity_id": moment.entity_id,
        "score": moment.score,
    }
