"""What the Neo4j Browser is given: colours of boxes, an answer to draw, the kit of style, favourites and guide."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph.catalogue import favourites
from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import TemplateLibrary, templates_root
from ravu_kg.memory.library import VideoSummary

DEMO_VIDEO = "91028f9d6c72cc81~hand"
"""The demo clip with its hand-made tracks: what the guide as a page is about."""
STYLE, FAVOURITES, GUIDE = "style.grass", "favourites.zip", "guide.md"

_KIT_URL = "http://localhost:27475/"
"""Stands in the page for where the kit is served."""
_COLOR_RULE = re.compile(r"node\.(Color\d+) \{\s*color: #([0-9a-f]{6});")
_MOST_ANSWER_BYTES = 50_000_000


class ShownEvidence(BaseModel):
    """One piece of evidence of a kept answer, as far as it is drawn."""

    model_config = ConfigDict(frozen=True)

    frame_index: Annotated[int, Field(ge=0)]
    entity_ids: tuple[Annotated[str, Field(pattern=r"^\S+#[0-9]{1,9}$")], ...] = ()
    event_id: str = ""
    video_id: str = ""


class KeptAnswer(BaseModel):
    """What is read of the JSON that ``ravu-kg ask --json`` prints."""

    model_config = ConfigDict(frozen=True)

    video_id: str
    evidence: tuple[ShownEvidence, ...]

    @property
    def video_ids(self) -> list[str]:
        """Every video that the evidence is from."""
        return sorted({one.video_id or self.video_id for one in self.evidence})


def kept_answer(text: str, name: str) -> KeptAnswer:
    """An answer as ``ravu-kg ask --json`` printed it.

    Args:
        text: what was printed.
        name: of the file, for messages.

    Raises:
        UsageError: it is no such answer, or an answer without evidence.
    """
    try:
        answer = KeptAnswer.model_validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise UsageError(
            f"{name} is no answer of `ravu-kg ask VIDEO QUESTION --json`: {place + ': ' if place else ''}"
            f"{problem['msg']}. Keep one answer: ravu-kg ask VIDEO QUESTION --json > answer.json"
        ) from error
    if not answer.evidence:
        raise UsageError(f"The answer in {name} has no evidence to draw. Open the whole video: ravu-kg db open VIDEO")
    return answer


def looks_like_an_answer(target: str) -> bool:
    """True for ``-`` and for a file that holds JSON; a video's file does not."""
    if target == "-":
        return True
    path = Path(target)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(256).lstrip()
    except OSError:
        return path.suffix == ".json"
    return path.suffix == ".json" or start.startswith((b"{", b"["))


def read_answer_file(path: Path) -> str:
    """The text of a file that should hold an answer.

    Raises:
        UsageError: it cannot be read, or is far too large.
    """
    try:
        if path.stat().st_size > _MOST_ANSWER_BYTES:
            raise UsageError(f"{path} is too large to be an answer of `ravu-kg ask --json`.")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def demo_video(videos: Sequence[VideoSummary]) -> str:
    """The id of the demo clip, the one with its hand-made tracks when both are there.

    Raises:
        NotFoundError: it is not indexed.
    """
    ids = {video.video_id for video in videos if video.status == "ready"}
    for video_id in (DEMO_VIDEO, DEMO_VIDEO.partition("~")[0]):
        if video_id in ids:
            return video_id
    raise NotFoundError(
        "The guide walks through the demo clip, which is not indexed yet. Index it: ravu-kg demo. Or name a video of "
        "your own: ravu-kg db guide VIDEO"
    )


def paint(store: Store, video_id: str) -> int:
    """Label a video's entities and frame nodes after the colours of their boxes; gives how many entities were new.

    The Browser colours a node by its labels, by nothing else. The labels ``Color1`` to ``Color24`` are those of
    ``style.grass``; a colour that is not among them gets the nearest.

    Raises:
        GraphError: Neo4j failed, or the user may not write.
    """
    rows: list[object] = []
    for row in store.read("browser/box_colors", video_id=video_id).rows:
        label = nearest_label(str(row["color"]))
        if label and label not in cast("list[str]", row["labels"]):  # a column of type LIST<STRING>
            rows.append({"entity_id": row["entity_id"], "label": label})
    if rows:
        store.write("browser/paint", rows=rows)
    return len(rows)


def nearest_label(color: str) -> str:
    """The label whose colour in ``style.grass`` is nearest to ``#rrggbb``; empty for what is no colour."""
    if not re.fullmatch("#[0-9a-f]{6}", color):
        return ""
    wanted = _rgb(color[1:])
    return min(style_colors(), key=lambda one: math.dist(_rgb(one[1]), wanted))[0]


@cache
def style_colors() -> tuple[tuple[str, str], ...]:
    """Labels of ``style.grass`` for colours of boxes, each with ``rrggbb``."""
    return tuple(_COLOR_RULE.findall(style()))


def style() -> str:
    """The text of ``style.grass``."""
    return (templates_root() / "browser" / STYLE).read_text(encoding="utf-8")


def guide(video_id: str = DEMO_VIDEO, kit_url: str | None = None) -> str:
    """The guide for the Browser's sidebar, in Markdown; ``---`` parts its pages.

    Args:
        video_id: the video that it walks through.
        kit_url: where style and favourites are served, ending in ``/``; without it they are to be dragged in.
    """
    text = (templates_root() / "browser" / GUIDE).read_text(encoding="utf-8").replace(DEMO_VIDEO, video_id)
    return text if kit_url is None else text.replace(_KIT_URL, kit_url)


def write_kit(folder: Path) -> list[Path]:
    """Write style, favourites and guide into a folder, to be dragged into the Browser's window.

    Raises:
        UsageError: the folder cannot be written.
    """
    contents: Sequence[tuple[str, bytes]] = (
        (STYLE, style().encode()),
        (FAVOURITES, favourites(TemplateLibrary.load())),
        (GUIDE, guide().encode()),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents:
            (folder / name).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}. Name another folder.") from error
    return [folder / name for name, _ in contents]


def _rgb(digits: str) -> tuple[int, int, int]:
    value = int(digits, 16)
    return value >> 16, value >> 8 & 255, value & 255
