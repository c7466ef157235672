"""``ravu-kg index --follow``: videos that grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import PlainProgress, echo_json

if TYPE_CHECKING:
    from ravu_kg.engines.following import Grown
    from ravu_kg.engines.records import Failure, Order
    from ravu_kg.memory import IndexResult


def follow_source(
    state: State, flags: Mapping[str, object], source: str, order: Order, as_json: bool, tell: Callable[..., None]
) -> None:
    """Index what grows until Ctrl-C; with ``--json`` the last state of each video is printed then.

    Raises:
        RavuError: it cannot be followed, or the server cannot be started.
    """
    from ravu_kg.engines.addresses import is_url, shown
    from ravu_kg.engines.following import check, follow_folder, follow_stream

    if not is_url(source):
        check(Path(source))
    last: dict[Path, Grown] = {}
    lines: dict[str, PlainProgress] = {}

    def report(name: str, stage: str, share: float) -> None:
        lines.setdefault(name, PlainProgress(name)).report(stage, share)

    with state.open_memory(flags) as memory:
        click.echo(f"Following {shown(source) if is_url(source) else source} until you press Ctrl-C.", err=True)
        grown = (
            follow_stream(memory, source, order, report)
            if is_url(source)
            else follow_folder(memory, Path(source), order, report)
        )
        with suppress(KeyboardInterrupt):
            for one in grown:
                last[one.path] = one
                tell(one.path, one.outcome, as_json, is_last=True)
                lines.pop(one.path.name, None)
    if as_json:
        echo_json([plain_outcome(one.path, one.outcome) for one in last.values()])


def plain_outcome(path: Path, outcome: IndexResult | Failure) -> dict[str, object]:
    """What became of a video, for JSON."""
    from ravu_kg.engines.records import Failure

    if isinstance(outcome, Failure):
        return {"video": str(path), "status": "failed", "error": outcome.message}
    return {"video": str(path), **outcome.to_dict()}
