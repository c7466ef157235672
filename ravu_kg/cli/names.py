"""Names of videos on the command line, completed by the shell."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


class VideoName(click.ParamType[str]):
    """A video by path, id or title; the shell completes those that are indexed, and files.

    It asks a server that runs and starts none: a key press must not wait for Neo4j.
    """

    name = "video"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Titles, or ids where a title is not unique or would need quotes; then whatever files there are."""
        return [*(item for item in _indexed() if str(item.value).startswith(incomplete)), _files(incomplete)]


VIDEO = VideoName()


def _files(incomplete: str) -> CompletionItem:
    return CompletionItem(incomplete, type="file")


def _indexed() -> list[CompletionItem]:
    from ravu_kg.errors import RavuError
    from ravu_kg.memory.library import summaries
    from ravu_kg.memory.opening import running_store
    from ravu_kg.settings import load

    try:
        with running_store(load({}, None)) as store:
            videos = [] if store is None else summaries(store)
    except RavuError:  # nobody to tell: the shell shows nothing, and the command itself will say why
        return []
    titles = [video.title for video in videos]
    return [
        CompletionItem(
            video.title if titles.count(video.title) == 1 and len(video.title.split()) == 1 else video.video_id,
            help=f"{video.title}, {video.duration_s:.0f} s",
        )
        for video in videos
        if video.status == "ready"
    ]
