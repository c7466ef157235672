"""Reports, pictures and clips of the memory: the graph and the video's file meet here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ravu_kg import __version__
from ravu_kg.errors import UsageError, VideoError
from ravu_kg.graph.reader import TrackRow, VideoRow
from ravu_kg.memory.links import inlined
from ravu_kg.reasoning.models.pictures import EvidencePictures
from ravu_kg.reasoning.records import Answer, Evidence
from ravu_kg.report.footage import Footage, with_evidence
from ravu_kg.report.page import Part, answer_page, video_page
from ravu_kg.report.pictures import ROOM_BYTES, PagePictures, take_pictures
from ravu_kg.report.reading import read_graph
from ravu_kg.report.records import Beside, Cost, Moment, Statement, VideoGraph

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory
    from ravu_kg.memory.library import VideoDetails
    from ravu_kg.memory.records import Report

_KEY_FRAMES = 8
"""Of a video that nothing was asked about."""
_FURTHER = {
    "The events of the video in time order": ("explore/timeline", {"from_s": 0.0, "to_s": 1e9, "limit": 200}),
    "Who appears when": ("explore/who_appears_when", {"label": None}),
    "Interactions as a network": ("explore/interactions", {"limit": 50}),
}


class Reports:
    """What can be looked at and sent on, made of a memory."""

    def __init__(self, memory: VideoMemory) -> None:
        self._memory = memory
        self._pictures = EvidencePictures(memory.reader)

    def video(self, video: str, *, blur_faces: bool = False) -> str:
        """A page about a video: HTML in one file that needs no network.

        When the video's file was moved the page is made without pictures, and says so.

        Args:
            video: path, id or title.
            blur_faces: make faces in the pictures unrecognisable, as far as they are found.

        Raises:
            NotFoundError: no such video.
            UsageError: the video's name is ambiguous.
        """
        details = self._memory.details(video)
        graph = read_graph(self._memory.store, details.summary.video_id, details.summary.cuts_s or ())
        return video_page(self._part(graph, _storyboard(graph), details, blur_faces, ROOM_BYTES))

    def answer(self, answer: Answer, *, blur_faces: bool = False) -> str:
        """A page about an answer, as :meth:`video`."""
        evidence = _by_video(answer)
        room_bytes = ROOM_BYTES // max(1, len(evidence))
        parts: list[Part] = []
        for video_id, own in evidence.items():
            details = self._memory.details(video_id)
            graph = read_graph(self._memory.store, video_id, details.summary.cuts_s or ())
            tracks = self._tracks(graph)
            graph, by_moment = with_evidence(graph, own, tracks)
            shown = tuple(one.frame_index for one in graph.moments if one.frame_index in by_moment)
            part = self._part(graph, shown or _storyboard(graph), details, blur_faces, room_bytes)
            parts.append(replace(part, evidence=by_moment))
        return answer_page(answer, parts, self._memory.evidence_cypher(answer))

    def save_frames(self, answer: Answer, folder: str | Path, *, blur_faces: bool = False) -> list[Path]:
        """The key frames of an answer as annotated PNGs in the video's full size.

        Args:
            answer: with evidence.
            folder: made when it is not there.
            blur_faces: as in :meth:`video`.

        Raises:
            VideoError: a video's file is not where it was, or was changed.
            UsageError: there is no evidence, or the folder cannot be written to.
        """
        from ravu_kg.report.exports import save_frames

        _require_evidence(answer, "pictures")
        parts = [(self._footage(video_id, blur_faces), own) for video_id, own in _by_video(answer).items()]
        target = Path(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{target} cannot be made: {error.strerror}. Give another folder.") from error
        saved: list[Path] = []
        for footage, own in parts:
            saved += save_frames(footage, own, target, first=len(saved) + 1)
        return saved

    def save_clip(
        self, answer: Answer, file: str | Path, *, blur_faces: bool = False, progress: Report | None = None
    ) -> float:
        """The evidence of an answer as a short annotated MP4 without sound; gives its length in seconds.

        Args:
            answer: with evidence.
            file: what is there is replaced when the clip is complete.
            blur_faces: as in :meth:`video`; every picture is searched, which takes a while.
            progress: told "clip" and how much of it is done, 0..1.

        Raises:
            VideoError: a video's file is not where it was, or was changed.
            UsageError: there is no evidence, or the file cannot be written.
        """
        from ravu_kg.report.exports import write_clip

        _require_evidence(answer, "a clip")
        parts = [(self._footage(video_id, blur_faces), own) for video_id, own in _by_video(answer).items()]
        return write_clip(parts, Path(file), progress or (lambda _stage, _share: None))

    def _part(
        self,
        graph: VideoGraph,
        key_frames: tuple[int, ...],
        details: VideoDetails,
        blur_faces: bool,
        room_bytes: int,
    ) -> Part:
        from ravu_kg.video.faces import NO_GUARANTEE

        try:
            pictures = take_pictures(self._footage(graph, blur_faces), key_frames, room_bytes=room_bytes)
        except VideoError as error:
            pictures = PagePictures(missing=str(error))
        if pictures.missing and graph.uri:  # the page may be sent to somebody whom the folder does not concern
            pictures = PagePictures(missing=pictures.missing.replace(graph.uri, Path(graph.uri).name))
        beside = Beside(
            facts=_facts(details),
            costs=_costs(details),
            statements=self._further(graph.video_id),
            version=__version__,
            blurred=NO_GUARANTEE if blur_faces and pictures.by_frame else "",
        )
        return Part(graph, pictures, key_frames, beside)

    def _footage(self, video: VideoGraph | str, blur_faces: bool) -> Footage:
        """The file of a video with where everybody is in it.

        Raises:
            VideoError: the file is not where it was, or was changed.
        """
        from ravu_kg.video.faces import FaceBlur

        graph = read_graph(self._memory.store, video) if isinstance(video, str) else video
        row: VideoRow = self._memory.reader.video(graph.video_id)
        info = self._pictures.file(row)
        return Footage(info, graph, self._tracks(graph), FaceBlur() if blur_faces else None)

    def _tracks(self, graph: VideoGraph) -> dict[str, TrackRow]:
        tracks = self._memory.reader.tracks([one.entity_id for one in graph.entities])
        return {one.entity_id: one for one in tracks}

    def _further(self, video_id: str) -> tuple[Statement, ...]:
        store = self._memory.store
        return tuple(
            Statement(title, inlined(store.template(name), {"video_id": video_id, **parameters}))
            for title, (name, parameters) in _FURTHER.items()
        )


def _by_video(answer: Answer) -> dict[str, list[Evidence]]:
    """Evidence by its video; the video that was asked about also without any."""
    found: dict[str, list[Evidence]] = {answer.video_id: []} if answer.video_id else {}
    for one in answer.evidence:
        found.setdefault(one.video_id or answer.video_id, []).append(one)
    return found


def _require_evidence(answer: Answer, what: str) -> None:
    if not answer.evidence:
        raise UsageError(f"No evidence was found for the answer, so there is nothing to make {what} of.")


def _storyboard(graph: VideoGraph) -> tuple[int, ...]:
    """Of each of some equal stretches the moment that shows most."""
    holding: dict[int, int] = {}
    for relation in graph.relations:
        for frame in relation.frames:
            holding[frame] = holding.get(frame, 0) + 1
    count = min(_KEY_FRAMES, len(graph.moments))
    chosen: list[Moment] = []
    for part in range(count):
        own = graph.moments[part * len(graph.moments) // count : (part + 1) * len(graph.moments) // count]
        middle_s = (own[0].timestamp_s + own[-1].timestamp_s) / 2
        best = max(
            own,
            key=lambda one: (len(one.nodes), holding.get(one.frame_index, 0), -abs(one.timestamp_s - middle_s)),
        )
        chosen.append(best)
    known = [one for one in chosen if one.nodes] or chosen  # stretches with nobody tell nothing
    return tuple(one.frame_index for one in known)


def _facts(details: VideoDetails) -> tuple[tuple[str, str], ...]:
    summary, counts = details.summary, details.counts
    tracked = "" if summary.tracking_rate_hz is None else f", tracked {summary.tracking_rate_hz:g} times a second"
    facts = [
        ("Title", summary.title),
        ("Id", summary.video_id),
        ("File", Path(summary.uri).name if summary.uri else "none"),
        ("Picture", f"{summary.width_px} x {summary.height_px} px, {summary.frame_rate:.4g} frames a second"),
        ("Sampled", f"{summary.frames} frames, one every {summary.sample_interval_s:g} s{tracked}"),
        ("Detector", f"{summary.detector}, tracker {summary.tracker}"),
        ("Words by", f"{summary.describer}, embedder {summary.embedder}"),
        (
            "Holds",
            f"{summary.entities} entities ({counts.identities} identities), {summary.frame_nodes} frame nodes, "
            f"{counts.relations} relations, {counts.events} events",
        ),
        ("Status", f"{summary.status}, revision {summary.revision}"),
    ]
    return tuple(facts)


def _costs(details: VideoDetails) -> tuple[Cost, ...]:
    return tuple(_cost(stage, usage) for stage, usage in details.usage.items())


def _cost(stage: str, usage: Mapping[str, object]) -> Cost:
    cost_usd = usage.get("cost_usd")
    calls, given, made = (_count(usage.get(name)) for name in ("calls", "input_tokens", "output_tokens"))
    price_usd = float(cost_usd) if isinstance(cost_usd, int | float) else None
    return Cost(stage, str(usage.get("model", "")), calls, given, made, price_usd)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
