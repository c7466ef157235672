"""The composition root: settings, providers, the store, perception and reasoning meet here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ravu_kg.errors import ConfigurationError, MissingExtraError, UsageError
from ravu_kg.graph import schema
from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.export import canonical
from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.results import ReadResult, TemplateProblem
from ravu_kg.graph.store import Store, check_templates
from ravu_kg.graph.templates import filled, is_template_name
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.appearances import Seen, measure
from ravu_kg.memory.asking import Asking, make_plan
from ravu_kg.memory.attaching import Attached, attach_file, require_unattached
from ravu_kg.memory.deleting import delete_video
from ravu_kg.memory.edits import Edits
from ravu_kg.memory.identities import Identities
from ravu_kg.memory.lasting import settle
from ravu_kg.memory.library import VideoDetails, VideoSummary, counts, summaries
from ravu_kg.memory.links import deep_link, evidence_statement
from ravu_kg.memory.linting import CHECKS, Check, LintReport, lint
from ravu_kg.memory.lookup import (
    EntityEvent,
    FoundEntity,
    FramePicture,
    entities_called,
    entity_events,
    frame_picture,
)
from ravu_kg.memory.naming import DEFAULT_BUILD, GIVEN, find, given_name
from ravu_kg.memory.opening import one_at_a_time, open_store, server_config, share_cache
from ravu_kg.memory.pipeline import describer, forget_spending, replies_are_kept, tracking_rate_hz
from ravu_kg.memory.records import STAGES, IndexResult, ModelRun, Report, Stopwatch
from ravu_kg.memory.staleness import Freshness, GivenAnswer, freshness
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES, has_model, uses_models
from ravu_kg.plugins import load_embedder, load_tracker
from ravu_kg.protocols import Embedder
from ravu_kg.reasoning.asking import answer_plan, answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.library import answer_library, search
from ravu_kg.reasoning.models.pictures import EvidencePictures
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.records import Answer, Moment, VideoVersion
from ravu_kg.server import Endpoint
from ravu_kg.settings import Settings, load
from ravu_kg.types import VideoInfo, replacement_id
from ravu_kg.types import video_id as id_of

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingTypeStubs]  -- it ships none
    from neo4j_graphrag.types import RetrieverResultItem

    from ravu_kg.graph.store import Record
    from ravu_kg.memory.comparing import Comparison
    from ravu_kg.memory.drafting import Draft, Drafted
    from ravu_kg.memory.indexing import Detectors
    from ravu_kg.memory.reporting import Reports
    from ravu_kg.memory.retriever import MemoryRetriever

__all__ = ["IndexResult", "ModelRun", "Reembedded", "VideoMemory", "VideoSummary", "make_plan", "server_config"]


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What re-embedding came to."""

    sentences: int
    embedder: str
    dimensions: int


class VideoMemory:
    """Videos as graphs in Neo4j, and questions about them. Close it, or use it as a context manager."""

    def __init__(
        self, settings: Settings, store: Store, endpoint: Endpoint | None = None, embedder: Embedder | None = None
    ) -> None:
        self._embedder = embedder
        self.settings = settings
        self.store = store
        self.endpoint = endpoint
        """Of the embedded server; None for a server of the user's own."""
        self.reader = GraphReader(store)
        self._asking = Asking(settings, self.reader)

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        progress: Callable[[str], None] | None = None,
        *,
        embedder: Embedder | None = None,
    ) -> Self:
        """Connect to the server of the settings; the embedded one is started when it does not run.

        Args:
            settings: by default those of the environment and the nearest ``ravu-kg.toml``.
            progress: told in a line what is waited for.
            embedder: one that is loaded already, or elsewhere; by default that of the settings.

        Raises:
            ConfigurationError: the settings are wrong.
            GraphError: no server can be reached or started.

        >>> with VideoMemory.open() as memory:
        ...     len(memory.videos()) > 0
        True
        """
        settings = settings or load()
        share_cache(settings)
        store, endpoint = open_store(settings, progress)
        return cls(settings, store, endpoint, embedder)

    def close(self) -> None:
        """Close the connection. The embedded server goes on running: see ``ravu-kg db stop``."""
        self._asking.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of the settings, and the graph's schema for it.

        Raises:
            ProviderError: its weights cannot be had.
            ConfigurationError: the graph holds vectors of another embedder.
        """
        embedder = self._embedder or load_embedder(self.settings.models.embed, self.settings.providers)
        schema.migrate(self.store, embedder.dimensions, embedder.name)
        return embedder

    def prepare(self) -> None:
        """Bring the graph's schema up to date, so that several workers find it made.

        Raises:
            ProviderError: the graph is empty, and the weights of the embedder cannot be had.
            GraphError: Neo4j failed.
        """
        if schema.embedder(self.store) is None:
            _ = self.embedder
        else:
            schema.bring_up_to_date(self.store)

    @cached_property
    def detectors(self) -> Detectors:
        """Detectors that are loaded once for many videos."""
        from ravu_kg.memory.indexing import Detectors  # looks at pictures, which questions do without

        return Detectors()

    # --- videos in ---

    def index(
        self,
        path: str | Path,
        *,
        tracks: str | Path | None = None,
        build: str | None = None,
        replace: bool = False,
        models: ModelRun | None = None,
        progress: Report | None = None,
    ) -> IndexResult:
        """Turn a video into a graph; one that is indexed already stays as it is.

        An interrupted run goes on where it stopped. What no model answered for, so that its frames are ``failed``, is
        asked again by the next run, and the graph made anew with it and the replies that were kept. The same content is
        one video, whatever the file is called.

        Args:
            path: the video file.
            tracks: tracks to use instead of detecting.
            build: name of another graph of the same video, kept beside the one without a name, which is ``default``.
            replace: put a new graph in the place of the one that is there, which can be asked until the new one is
                complete.
            models: how models are called, when the settings name some; to begin from a stage implies ``replace``.
            progress: told the stage and how much of it is done.

        Raises:
            VideoError: the file cannot be read as a video.
            ProviderError: a model failed or cannot be had, or a ceiling is reached.
            ConfigurationError: the video was indexed by another pipeline, or the tracks are wrong.
            GraphError: Neo4j failed.

        >>> result = memory.index("street.mp4", tracks="street.tracks.json")  # which is indexed already
        >>> result.status, result.entities, result.events
        ('unchanged', 20, 37)
        """
        from ravu_kg.video.reader import probe  # takes a while to import; questions do without it

        watch = Stopwatch()
        if progress:
            progress("reading", 0.0)
        with watch.time("probe"):
            video = probe(Path(path))
        return self.index_video(
            video, tracks=tracks, build=build, replace=replace, models=models, progress=progress, watch=watch
        )

    def index_video(
        self,
        video: VideoInfo,
        *,
        tracks: str | Path | None = None,
        build: str | None = None,
        replace: bool = False,
        models: ModelRun | None = None,
        progress: Report | None = None,
        watch: Stopwatch | None = None,
    ) -> IndexResult:
        """The same for a file that was looked at already (:func:`ravu_kg.video.reader.probe`)."""
        from ravu_kg.memory.indexing import Indexer

        watch = watch or Stopwatch()
        report = progress or _silent
        build = _checked_build(build)
        video_id = id_of(video.identity, build)
        given = Path(tracks) if tracks is not None else None
        if build is None and video.source_hash is None:  # one that grows has its own id, too
            require_unattached(self.videos(), video.content_hash, video.path)
        with self.cache_is_writable(), one_at_a_time(self.settings.cache, video_id):
            report("loading models", 0.0)  # which fetches them the first time
            with watch.time("load"):
                embedder = self.embedder
            writer = GraphWriter(self.store)
            with watch.time("write"):
                if writer.take_place(video_id):  # when a run with replace stopped on its last step
                    forget_spending(self.settings, video_id)
            settle(self.store, video_id, lambda texts: embed_all(texts, embedder, None))
            known = next((video for video in self.videos() if video.video_id == video_id), None)
            run = models or ModelRun()
            replace = replace or run.from_stage is not None
            completes = False
            if known is not None and known.status == "ready" and not replace:
                self._require_same_pipeline(known, given)
                with_its_tracks = given is not None or not known.detector.startswith(GIVEN)
                completes = with_its_tracks and not run.offline_replay and writer.unanswered(video_id) > 0
                completes = completes and replies_are_kept(self.settings, video_id)  # else all would be paid again
                if not completes:
                    report("done already", 1.0)
                    return self._unchanged(known)
            replace = (replace or completes) and known is not None
            account = replacement_id(video_id) if replace else video_id
            with (
                SentenceCache(self.settings.cache / "sentences.sqlite") as cache,
                self._index_calls(run, account) as calls,
            ):
                noted = calls and calls.about(video_id)
                indexer = Indexer(
                    self.settings, writer, embedder, cache, report, watch, run, noted, self.store, self.detectors
                )
                return indexer.index(video, video_id, build, given, replace=replace, completes=completes)

    def attach(self, video: str, path: str | Path, *, any_length: bool = False) -> Attached:
        """Join a video that is known by its annotation to its file, so that pictures can be shown; its id stays.

        Also for a video whose file was moved: it is known again by its content.

        Args:
            video: id or title.
            path: the file.
            any_length: the file may be longer than the annotation.

        Raises:
            NotFoundError: no such video.
            VideoError: the file cannot be read as a video.
            UsageError: the file is not that of the video, or is in the memory already.
        """
        return attach_file(self, video, Path(path), any_length=any_length)

    def delete(self, video: str, *, keep_cache: bool = False) -> str:
        """Remove a video from the memory, and what the cache folder keeps of it; the file stays. Gives its id.

        Args:
            video: path, id or title.
            keep_cache: leave what makes the next index of it quick.

        Raises:
            NotFoundError: no such video.
            UsageError: several have the name, or it is being indexed.
        """
        video_id = self.resolve(video)
        delete_video(self.store, self.settings, video_id, keep_cache=keep_cache)
        forget_spending(self.settings, video_id)
        return video_id

    # --- questions ---

    def plan(self, question: str) -> Plan:
        """The steps that a question becomes; see :func:`make_plan`.

        >>> [step.function for step in memory.plan("How many vans are there?").steps]
        ['count_nodes']
        """
        return self._asking.reasoners().planner.plan(question)

    def ask(self, video: str, question: str, options: Sequence[str] = ()) -> Answer:
        """Answer a question about a video, with its evidence.

        Args:
            video: path, id or title.
            question: in English.
            options: answers to choose from; they are not used to find evidence.

        Raises:
            NotFoundError: no such video.
            UsageError: the video's name is ambiguous, or it is not indexed to its end.
            ReasoningError: the question is empty or too long.
            ProviderError: a model of the settings cannot be had. One that declines is no error: see ``outcome``.

        >>> answer = memory.ask("street", "How many vans are there?")
        >>> answer.answer
        '2 vans.'
        >>> [(one.timestamp_s, one.text) for one in answer.evidence][0]
        (4.0, 'A gray van moves to the left, in the middle of the picture, ...
        """
        asked = self._ready_video(video)
        video_id, versions = asked.video_id, _versions(asked)
        by = self._asking.reasoners(video_id)
        answer = answer_question(
            question,
            video_id,
            options,
            reader=self.reader,
            phrases=self._phrases,
            planner=by.planner,
            judge=by.judge,
            answerer=by.answerer,
        )
        return by.completed(answer).based_on(versions)

    def run(self, plan: Plan, video: str, options: Sequence[str] = ()) -> Answer:
        """Carry out a plan on a video; raises as :meth:`ask`.

        >>> plan = memory.plan("How many vans are there?")
        >>> memory.run(plan, "street").count
        2
        """
        asked = self._ready_video(video)
        video_id, versions = asked.video_id, _versions(asked)
        by = self._asking.reasoners(video_id)
        answer = answer_plan(
            plan,
            video_id,
            options,
            reader=self.reader,
            phrases=self._phrases,
            judge=by.judge,
            answerer=by.answerer,
        )
        return by.completed(answer).based_on(versions)

    def ask_all(self, question: str, options: Sequence[str] = ()) -> Answer:
        """Answer a question about all indexed videos.

        Raises:
            NotFoundError: nothing is indexed.
            ReasoningError: the question is empty or too long.

        >>> "street" in memory.ask_all("In which video is there a bollard?").answer
        True
        """
        versions = _versions(*self.videos())
        by = self._asking.reasoners()
        answer = answer_library(
            question,
            options,
            reader=self.reader,
            phrases=self._phrases,
            planner=by.planner,
            judge=by.judge,
            answerer=by.answerer,
        )
        return by.completed(answer).based_on(versions)

    def search(self, text: str, video: str | None = None, *, limit: int = 10) -> list[Moment]:
        """Moments whose sentences are nearest in meaning to a text, best first.

        Raises:
            UsageError: the text is empty, or the video's name is ambiguous.
            NotFoundError: no such video.

        >>> memory.search("a bicycle near a bollard", "street", limit=1)[0].text
        'A black and gray bicycle stays still in the middle of the picture, near the bollard.'
        """
        if not text.strip():
            raise UsageError('Say what to search for: ravu-kg search "a dog near a woman".')
        video_id = None if video is None else self._ready(video)
        return search(
            text, reader=self.reader, phrases=self._phrases, judge=RuleJudge(), video_id=video_id, limit=limit
        )

    def evidence_cypher(self, answer: Answer) -> str:
        """A statement that draws the evidence of an answer in the Neo4j Browser; empty without evidence.

        >>> answer = memory.ask("street", "How many taxis are there?")
        >>> "FrameNode" in memory.evidence_cypher(answer)
        True
        """
        return evidence_statement(self.store, answer.video_id, answer.evidence)

    def evidence_link(self, answer: Answer) -> str:
        """A link that opens the evidence in the embedded server's Browser; empty without evidence or such a server."""
        statement = self.evidence_cypher(answer)
        return deep_link(self.endpoint, statement) if statement and self.endpoint else ""

    @cached_property
    def reports(self) -> Reports:
        """Pages, pictures and clips that a person looks at and sends on."""
        from ravu_kg.memory.reporting import Reports  # looks at pictures, which questions do without

        return Reports(self)

    # --- decided and corrected by people ---

    @cached_property
    def identities(self) -> Identities:
        """Which entities are one: candidates, decisions, and taking them back."""
        _ = self.embedder  # makes the schema
        return Identities(self.store, self.videos, self.settings.cache, self._measure_appearances)

    def _measure_appearances(self, video_ids: Sequence[str], progress: Report | None) -> Seen:
        file = EvidencePictures(self.reader).file
        return measure(self.store, self.settings, video_ids, lambda one: file(self.reader.video(one)), progress)

    @cached_property
    def edits(self) -> Edits:
        """Corrections of entities and events."""
        embedder = self.embedder
        return Edits(self.store, self.videos, self.settings.cache, lambda texts: embed_all(texts, embedder, None))

    def stale(self, answers: Sequence[GivenAnswer]) -> list[Freshness]:
        """For each answer (see :func:`ravu_kg.memory.staleness.read_answers`) whether something changed since."""
        return freshness(answers, self.videos())

    # --- looking around ---

    def videos(self) -> list[VideoSummary]:
        """All videos, by title.

        >>> [(video.title, video.duration_s, video.entities) for video in memory.videos() if video.title == "street"]
        [('street', 10.0, 20)]
        """
        return summaries(self.store)

    def resolve(self, name: str, build: str | None = None) -> str:
        """The id of the video that a path, an id (or its start) or a title means.

        Args:
            name: of the video.
            build: of several graphs of that video this one; ``default`` is the one without a name.

        Raises:
            NotFoundError: no such video or build.
            UsageError: several have the name.

        >>> memory.resolve("street") == memory.resolve("street.mp4")
        True
        """
        return find(name, self.videos(), build)

    def details(self, video: str) -> VideoDetails:
        """All that is known of a video but its frames.

        >>> found = memory.details("street")
        >>> found.counts.identities, [entity.label for entity in found.entities][:3]
        (20, ['bus', 'car', 'man'])
        """
        videos = self.videos()
        video_id = find(video, videos)
        summary = next(one for one in videos if one.video_id == video_id)
        usage = GraphWriter(self.store).usage(video_id)
        return VideoDetails(summary, counts(self.store, video_id), self.reader.entities(video_id), usage)

    def lint(self, video: str, *, build: str | None = None, checks: Sequence[Check] = CHECKS) -> LintReport:
        """What does not fit together in the memory of a video, each finding with the Cypher that shows it.

        Raises:
            NotFoundError: no such video or build.
            UsageError: several have the name.

        >>> report = memory.lint("street")
        """
        videos = self.videos()
        video_id = find(video, videos, build)
        return lint(self.store, next(one for one in videos if one.video_id == video_id), checks)

    def diff(self, video: str, first: str, second: str) -> Comparison:
        """Compare two builds of a video: entities matched by boxes, relations and events lost and gained.

        Args:
            video: its name.
            first: name of a build; ``default`` is the one without a name.
            second: name of another.

        Raises:
            NotFoundError: no such video or build.
            UsageError: several have the name, both builds are the same, or one is not indexed to its end.
        """
        from ravu_kg.memory.comparing import compare

        one, other = (self._ready_video(self.resolve(video, build)) for build in (first, second))
        if one.video_id == other.video_id:
            raise UsageError(f"{first!r} and {second!r} are one build of {video}. Name two that differ.")
        return compare(self.store, one, other)

    def canonical(self, video: str) -> dict[str, object]:
        """What the graph holds of a video, in a form that is equal for equal graphs.

        >>> sorted(memory.canonical("street"))[:4]
        ['entities', 'events', 'frame_nodes', 'frames']
        """
        return canonical(self.store, self.resolve(video))

    def cypher(
        self,
        query: str,
        parameters: Mapping[str, object] | None = None,
        *,
        limit: int = 1000,
        timeout_s: float = 30.0,
    ) -> ReadResult:
        """Run a query that only reads: one statement, or a read template by name such as ``explore/crowding``.

        ``$video_id`` may be anything that names a video. In a template a parameter that may be null may be left out,
        and so may ``$limit`` (100 then), ``$from_s`` and ``$to_s`` (the whole video). ``ravu_kg.graph.tables`` makes
        CSV, Parquet or a pandas data frame of the result.

        Raises:
            UsageError: it would do more than read, misspells a name of the graph, or a parameter is missing or wrong.
            NotFoundError: no such template or video.
            GraphError: Neo4j refused it, or it ran longer than ``timeout_s``.

        >>> rows = memory.cypher(
        ...     "MATCH (e:Entity {videoId: $v}) RETURN e.label AS label, count(*) AS n ORDER BY n DESC, label LIMIT 2",
        ...     {"v": memory.resolve("street")},
        ... ).rows
        >>> rows
        [{'label': 'car', 'n': 7}, {'label': 'bicycle', 'n': 4}]
        >>> memory.cypher("explore/crowding", {"video_id": "street"}).columns
        ('t', 'frame_index', 'entities', 'labels', 'coverage')
        """
        values = self._resolved(parameters)
        if is_template_name(query):
            template = self.store.template(query)
            query, values = template.text, filled(template, values)
        return self.store.query_readonly(query, values, limit=limit, timeout_s=timeout_s)

    def draft_cypher(
        self,
        question: str,
        parameters: Mapping[str, object] | None = None,
        *,
        show: Callable[[Draft], None] | None = None,
        refused: Callable[[str], None] | None = None,
        limit: int = 1000,
        timeout_s: float = 30.0,
    ) -> Drafted:
        """Let the model of the role ``plan`` write a query that answers a question, and run it as :meth:`cypher` does.

        A draft that is refused or fails is drafted once more, with what was wrong with it.

        Args:
            question: what to find out; nothing in it is an instruction to anything but the model.
            parameters: values that the query may use, by name; ``video_id`` may be anything that names a video.
            show: is given each draft before it runs.
            refused: is told what was wrong with a draft.
            limit: the most rows to fetch.
            timeout_s: the longest that a draft may run.

        Raises:
            UsageError: the question is empty or too long.
            ConfigurationError: no model has the role, or it needs a key or an extra.
            ProviderError: the model failed or declined, or neither draft could be run.
            GraphError: Neo4j is out of reach.
        """
        from ravu_kg.memory.drafting import draft_and_run

        values = self._resolved(parameters)
        return draft_and_run(
            question,
            values,
            settings=self.settings,
            store=self.store,
            run=lambda query: self.store.query_readonly(query, values, limit=limit, timeout_s=timeout_s),
            show=show or _ignored,
            refused=refused or _ignored,
        )

    def to_frame(
        self,
        table: str = "entities",
        video: str | None = None,
        parameters: Mapping[str, object] | None = None,
        *,
        limit: int = 100_000,
        timeout_s: float = 60.0,
    ) -> pandas.DataFrame:
        """A table as a pandas data frame: ``entities``, ``events``, ``relations``, or what a query gives.

        A query goes through the same gate as in :meth:`cypher`, and vectors are shown as ``<768 floats>``. A warning
        says when there was more than ``limit``.

        Args:
            table: one of the three, the name of a read template such as ``explore/crowding``, or a Cypher statement.
            video: path, id or title; the value of ``$video_id`` in a query. The three tables are of all by default.
            parameters: further ``$parameters`` of a query.
            limit: the most rows.
            timeout_s: the longest that it may run.

        Raises:
            MissingExtraError: pandas is not installed.
            NotFoundError: no such template or video.
            UsageError: the query would do more than read, or a parameter is missing or wrong.
            GraphError: Neo4j refused it, or it ran too long.

        >>> entities = memory.to_frame("entities", "street")
        >>> entities[["label", "start_s", "end_s"]].head(2)
          label  start_s  end_s
        0   bus      0.0    1.2
        1   car      0.6    1.2
        >>> memory.to_frame("explore/crowding", "street").shape
        (10, 5)
        >>> times = memory.to_frame("MATCH (f:Frame {videoId: $video_id}) RETURN f.t AS t ORDER BY t", "street")
        >>> times["t"].tolist()[:3]
        [0.0, 1.0, 2.0]
        """
        from ravu_kg.memory.frames import TABLES, framed

        values = self._resolved({**(parameters or {}), **({} if video is None else {"video_id": video})})
        return framed(self.cypher(TABLES.get(table, table), values, limit=limit, timeout_s=timeout_s))

    def as_retriever(
        self,
        video: str | None = None,
        result_formatter: Callable[[Record], RetrieverResultItem] | None = None,
    ) -> MemoryRetriever:
        """The memory as a retriever of neo4j-graphrag: moments found by meaning, with what their entities do then.

        Args:
            video: path, id or title to search in; by default all videos.
            result_formatter: makes the text for a language model of a record; see
                :meth:`ravu_kg.memory.retriever.MemoryRetriever.get_search_results` for what a record holds.

        Raises:
            MissingExtraError: neo4j-graphrag is not installed.
            NotFoundError: no such video.

        >>> retriever = memory.as_retriever("street")
        >>> found = retriever.search(query_text="a bicycle against a wall", top_k=2)
        >>> [item.metadata["time_s"] for item in found.items]
        [8.0, 9.0]
        """
        try:
            from ravu_kg.memory.retriever import MemoryRetriever
        except ImportError as error:
            raise MissingExtraError("A retriever of neo4j-graphrag", "graphrag") from error
        video_id = None if video is None else self._ready(video)
        return MemoryRetriever(
            self.store, lambda text, of, limit: self.search(text, of, limit=limit), video_id, result_formatter
        )

    def find_entities(self, text: str = "", video: str | None = None, *, limit: int = 20) -> list[FoundEntity]:
        """Entities by what they are called or what is seen of them; without a text all, in order of appearance.

        Those whose label is the text come first, then those with sentences near to it in meaning, best first.

        Raises:
            NotFoundError: no such video.
            UsageError: the video's name is ambiguous, or a limit that makes no sense.

        >>> [(one.label, one.start_s) for one in memory.find_entities("van", "street", limit=2)]
        [('van', 3.2), ('van', 3.2)]
        """
        video_id = None if video is None else self._ready(video)
        words = text.strip()
        moments = self.search(words, video_id, limit=50) if words else []
        return entities_called(self.store, words or None, video_id, limit, moments)

    def events_of_entity(self, entity_id: str, *, limit: int = 100) -> list[EntityEvent]:
        """What an entity does, in order of time.

        Raises:
            NotFoundError: no such entity.
            UsageError: a limit that makes no sense.

        >>> van = memory.find_entities("van", "street", limit=1)[0]
        >>> memory.events_of_entity(van.entity_id)[0].description
        'A dark van waits in the traffic with its brake light on.'
        """
        return entity_events(self.store, entity_id, limit)[1]

    def frame_image(
        self, video: str, time_s: float, entity_ids: Sequence[str] = (), *, longest_side_px: int | None = None
    ) -> FramePicture:
        """The sampled frame nearest to a time, as a PNG with the boxes of its entities in their colours.

        Args:
            video: path, id or title.
            time_s: seconds from the start of the video.
            entity_ids: draw only these; by default all that are in the frame.
            longest_side_px: make a larger picture as small as that.

        Raises:
            NotFoundError: no such video.
            UsageError: the time is outside the video, or an entity is not in the frame.
            VideoError: the file has moved or was changed.

        >>> picture = memory.frame_image("street", 3.2)
        >>> picture.time_s, [one.label for one in picture.entities], picture.png[1:4]
        (3.0, ['taxi'], b'PNG')
        """
        return frame_picture(self.store, self.reader, self._ready(video), time_s, entity_ids, longest_side_px)

    def check_templates(self) -> list[TemplateProblem]:
        """What is wrong with a template on this server; empty when all is well."""
        _ = self.embedder  # makes the schema
        return check_templates(self.store)

    def reembed(self, progress: Report | None = None) -> Reembedded:
        """Replace every vector by those of the embedder of the settings; an interrupted run goes on.

        Raises:
            ProviderError: the embedder failed.
            GraphError: Neo4j failed, or nothing is indexed yet.
        """
        embedder = load_embedder(self.settings.models.embed, self.settings.providers)
        total = sum(video.frame_nodes for video in self.videos()) or 1
        report = progress or _silent
        with self.cache_is_writable(), SentenceCache(self.settings.cache / "sentences.sqlite") as cache:
            done = schema.reembed(
                self.store,
                embedder.name,
                embedder.dimensions,
                lambda texts: embed_all(texts, embedder, cache),
                lambda count: report("embedding", min(1.0, count / total)),
            )
        return Reembedded(done, embedder.name, embedder.dimensions)

    def _resolved(self, parameters: Mapping[str, object] | None) -> dict[str, object]:
        """Parameters with the id of the video that ``video_id`` names."""
        values = dict(parameters or {})
        if isinstance(values.get("video_id"), str):
            values["video_id"] = self.resolve(str(values["video_id"]))
        return values

    @cached_property
    def _phrases(self) -> Phrases:
        return Phrases(self.embedder)

    def _ready(self, name: str) -> str:
        """The id of a video that is indexed to its end."""
        return self._ready_video(name).video_id

    def _ready_video(self, name: str) -> VideoSummary:
        """A video that is indexed to its end."""
        videos = self.videos()
        video_id = find(name, videos)
        summary = next(video for video in videos if video.video_id == video_id)
        if summary.status == "importing":
            raise UsageError(f"{summary.title} ({video_id}) is not imported to its end. Import its bundle again.")
        if summary.status != "ready" and summary.uri is None:
            raise UsageError(
                f"{summary.title} ({video_id}) is not imported to its end. Import its annotation again, which goes on."
            )
        if summary.status != "ready":
            build = f" --build {summary.build}" if summary.build else ""
            raise UsageError(
                f"{summary.title} ({video_id}) is not indexed to its end (status {summary.status}). "
                f"Go on with: ravu-kg index '{summary.uri}'{build}"
            )
        return summary

    @contextmanager
    def _index_calls(self, run: ModelRun, account: str) -> Generator[ModelCalls | None]:
        """The calls of an indexing run; None when the settings name no model for it."""
        if not uses_models(self.settings, INDEX_ROLES):
            yield None
            return
        with ModelCalls.open(
            self.settings,
            INDEX_ROLES,
            replay=run.offline_replay,
            refresh=[stage for stage in STAGES if run.anew(stage)],
            account=account,
            max_cost_usd=run.max_cost_usd,
            max_tokens=run.max_tokens,
        ) as calls:
            yield calls

    def _unchanged(self, known: VideoSummary) -> IndexResult:
        found = counts(self.store, known.video_id)
        return IndexResult(
            video_id=known.video_id,
            title=known.title,
            entities=known.entities,
            frame_nodes=known.frame_nodes,
            relations=found.relations,
            events=found.events,
            duration_s=known.duration_s,
            elapsed_s={},
            detector=known.detector,
            detector_reason="",
            status="unchanged",
            describer=known.describer,
            usage=GraphWriter(self.store).usage(known.video_id),
        )

    def _require_same_pipeline(self, known: VideoSummary, tracks: Path | None) -> None:
        """Refuse to call a video indexed when it was, but differently from what is asked for now."""
        settings = self.settings
        detector, tracker = known.detector, known.tracker
        if tracks is not None:
            detector = given_name(tracks)
        elif has_model(settings, "detect"):
            detector = settings.models.detect
        elif settings.models.detect != "auto":
            detector = self.detectors.find(settings)[0].name
        given = tracks is not None or known.detector.startswith(GIVEN)
        # Given tracks were followed by nobody, so the tracker of the settings says nothing about them.
        if not given:
            tracker = load_tracker(settings.models.track, settings.providers).name
        rate_hz = settings.tracking_rate_hz if given else tracking_rate_hz(settings)
        # One that is not known is taken for the same.
        known_hz = rate_hz if known.tracking_rate_hz is None else known.tracking_rate_hz
        changes = [
            f"with {what} {then} and not {now}"
            for what, then, now in [
                ("detector", known.detector, detector),
                ("tracker", known.tracker, tracker),
                ("sample_interval_s", f"{known.sample_interval_s:g}", f"{settings.sample_interval_s:g}"),
                ("tracking_rate_hz", f"{known_hz:g}", f"{rate_hz:g}"),
                ("describer", known.describer, describer(settings)),
            ]
            if then != now
        ]
        if changes:
            raise ConfigurationError(
                f"Video {known.video_id} ({known.title}) is indexed already, {', '.join(changes)}. "
                "Keep both with --build NAME, or index it anew with --replace."
            )

    @contextmanager
    def cache_is_writable(self) -> Generator[None]:
        """Name the folder when something cannot be kept in the cache."""
        try:
            yield
        except OSError as error:
            if not str(error.filename or "").startswith(str(self.settings.cache)):
                raise
            raise ConfigurationError(
                f"The cache folder {self.settings.cache} cannot be written: {error.strerror}. "
                "Make room there, or name another folder in RAVU_KG_CACHE."
            ) from error


def _versions(*videos: VideoSummary) -> dict[str, VideoVersion]:
    """The states that an answer is given from."""
    return {one.video_id: VideoVersion(one.revision, one.created_at) for one in videos}


def _ignored(_what: object) -> None:
    """Nobody wants to know."""


def _silent(_stage: str, _share: float) -> None:
    """Nobody wants to know."""


def _checked_build(build: str | None) -> str | None:
    if build == DEFAULT_BUILD:
        return None
    if build is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}", build):
        raise UsageError(f"{build!r} is no name of a build: letters, digits, '.', '_' and '-', at most 32.")
    return build
