"""``ravu-kg diff``: two builds of one video compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import echo_json, examples, json_option, print_table, seconds
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.memory.comparing import Comparison, EventChange, RelationChange
    from ravu_kg.memory.comparing.matching import Match, Unmatched
    from ravu_kg.memory.library import VideoSummary
    from ravu_kg.memory.linting.records import Tracked

_SHOWN = 15
_SPANS = 4


@click.command(
    "diff",
    epilog=examples(
        "ravu-kg diff holiday --build default --build gemini",
        "ravu-kg diff holiday --build default --build boxes --json",
    ),
)
@click.argument("video")
@click.option("--build", "builds", multiple=True, metavar="NAME", help="Give two; 'default' has no name of its own.")
@json_option
@click.pass_obj
def command(state: State, video: str, builds: tuple[str, ...], as_json: bool) -> None:
    """Compare two builds of one video.

    Builds are graphs of the same video, made for instance with another tracker or by a model: see ravu-kg index
    --build. Entities are matched one to one by their boxes over time. Lost is what only the first build has, gained
    what only the second has; relations and events are compared for entities that both know.
    """
    if len(builds) != 2:
        raise UsageError(f"Name two builds, not {len(builds)}: ravu-kg diff VIDEO --build default --build NAME.")
    with state.open_memory() as memory:
        comparison = memory.diff(video, *builds)
    if as_json:
        echo_json(comparison.to_dict())
    else:
        _show(comparison, *builds)


def _show(comparison: Comparison, first: str, second: str) -> None:
    click.echo(f"{click.style(comparison.first.title, bold=True)}  {first} and {second}\n")
    print_table(("", first, second), list(_pipelines(comparison.first, comparison.second)))
    click.echo()
    counts = [
        (name, one.first, one.second, one.kept, one.lost, one.gained)
        for name, one in (
            ("entities", comparison.entities),
            ("relations", comparison.relations),
            ("events", comparison.events),
        )
    ]
    columns = ("", first, second, "both", "lost", "gained")
    print_table(columns, counts, right=columns[1:])
    for name, lost, gained in (
        (
            "relations",
            comparison.relations.lost - sum(one.frames for one in comparison.relations_lost),
            comparison.relations.gained - sum(one.frames for one in comparison.relations_gained),
        ),
        (
            "events",
            comparison.events.lost - len(comparison.events_lost),
            comparison.events.gained - len(comparison.events_gained),
        ),
    ):
        if lost or gained:
            said = f"{lost} of the {name} lost and {gained} of those gained are of entities that only one build has."
            click.echo(click.style(said, dim=True))
    matching = comparison.matching
    _table("Entities of both", ("overlap", first, second), [_match(one) for one in matching.matches])
    _table(f"Entities lost (only in {first})", ("entity", "seen", ""), [_unmatched(one) for one in matching.lost])
    _table(f"Entities gained (only in {second})", ("entity", "seen", ""), [_unmatched(one) for one in matching.gained])
    columns = ("frames", "relation", "by", "seconds")
    _table("Relations lost", columns, [_relation(one) for one in comparison.relations_lost])
    _table("Relations gained", columns, [_relation(one) for one in comparison.relations_gained])
    columns = ("seconds", "entity", "by", "event")
    _table("Events lost", columns, [_event(one) for one in comparison.events_lost])
    _table("Events gained", columns, [_event(one) for one in comparison.events_gained])


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if not rows:
        return
    click.echo(f"\n{click.style(title, bold=True)} ({len(rows)})")
    print_table(columns, rows[:_SHOWN], right=("overlap", "frames"))
    if len(rows) > _SHOWN:
        click.echo(f"and {len(rows) - _SHOWN} more; --json has all")


def _pipelines(first: VideoSummary, second: VideoSummary) -> Iterator[tuple[str, object, object]]:
    yield from (
        ("id", first.video_id, second.video_id),
        ("detector", first.detector, second.detector),
        ("tracker", first.tracker, second.tracker),
        ("words by", first.describer, second.describer),
        ("sampled", f"{first.sample_interval_s:g} s", f"{second.sample_interval_s:g} s"),
    )


def _match(one: Match) -> tuple[str, str, str]:
    return "by name" if one.overlap is None else f"{one.overlap:.2f}", _seen(one.first), _seen(one.second)


def _unmatched(one: Unmatched) -> tuple[str, str, str]:
    entity = one.entity
    part = f"overlaps {_number(one.part_of)} of the other by {one.overlap:.2f} meanwhile" if one.part_of else ""
    return entity.name, f"{seconds(entity.start_s)} to {seconds(entity.end_s)}", part


def _relation(one: RelationChange) -> tuple[int, str, str, str]:
    spans = [_span(start_s, end_s) for start_s, end_s in one.spans[:_SPANS]]
    if len(one.spans) > _SPANS:
        spans.append(f"and {len(one.spans) - _SPANS} more")
    told = f"{one.subject.name} {one.predicate.replace('_', ' ')} {one.object.name}"
    return one.frames, told, " and ".join(one.sources), ", ".join(spans)


def _event(one: EventChange) -> tuple[str, str, str, str]:
    return _span(*one.span), one.entity.name, one.source, one.text


def _seen(entity: Tracked) -> str:
    return f"{entity.name}, {_span(entity.start_s, entity.end_s)}"


def _span(start_s: float, end_s: float) -> str:
    return seconds(start_s) if end_s - start_s < 0.05 else f"{seconds(start_s)} to {seconds(end_s)}"


def _number(entity_id: str) -> str:
    return "#" + entity_id.rpartition("#")[2]
