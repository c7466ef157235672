"""``ravu-kg identities``: who is who, across videos and re-entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import (
    FILE,
    counted,
    echo_json,
    examples,
    json_option,
    print_pairs,
    print_table,
    progress_bar,
    seconds,
)

if TYPE_CHECKING:
    from ravu_kg.memory.identities import Decided, Identities, Operation
    from ravu_kg.memory.likenesses import Known, Suggestion

_Function = TypeVar("_Function", bound=Callable[..., object])


def who_options(function: _Function) -> _Function:
    """The ``--by`` and ``--why`` options of everything that is recorded."""
    function = click.option("--why", default="", metavar="TEXT", help="The reason, for the record.")(function)
    return click.option("--by", default="", metavar="NAME", help="Who decides; by default the user of this machine.")(
        function
    )


@click.group(
    "identities",
    epilog=examples(
        "ravu-kg identities suggest",
        "ravu-kg identities accept 'monday#3' 'tuesday#1' --why 'same coat'",
        "ravu-kg identities history",
        "ravu-kg identities undo",
    ),
)
def command() -> None:
    """Decide which entities are one, across videos and re-entries.

    An entity is named by its video and its number, as `ravu-kg videos show VIDEO` lists them: 'holiday#3' (quoted,
    since # begins a comment in some shells). Counts and answers use accepted links and automatic ones from the
    threshold on; what is rejected is never one. Every decision is kept with who, when and why, can be undone, and
    outlives `index --replace`.
    """


@command.command(
    epilog=examples(
        "ravu-kg identities suggest",
        "ravu-kg identities suggest monday --least 0.7 --limit 5",
        "ravu-kg identities suggest --link-above 0.95",
    )
)
@click.argument("videos", nargs=-1, metavar="[VIDEO]...")
@click.option("--least", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Leave out lower scores.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many pairs at most.")
@click.option(
    "--link-above",
    type=click.FloatRange(0, 1),
    metavar="SCORE",
    help="Join the pairs from this score on by automatic links.",
)
@json_option
@click.pass_obj
def suggest(
    state: State, videos: tuple[str, ...], least: float, limit: int, link_above: float | None, as_json: bool
) -> None:
    """List pairs of entities that may be one, best first.

    The score comes from looks, words and labels. Looks are compared by an appearance model once its weights are there
    (`ravu-kg doctor --fetch appearance`), else by colours: people in similar clothes look alike to those, so look
    before you accept.
    """
    with state.open_memory() as memory:
        with progress_bar("identities") as report:
            seen = memory.identities.look(report)
        for note in seen.notes:
            click.echo(note, err=True)
        if link_above is not None:
            linked = memory.identities.link(videos, least_score=link_above)
            _show_linked(linked, link_above, as_json)
            return
        found = memory.identities.suggest(videos, least_score=least, limit=limit)
    if as_json:
        echo_json([one.to_dict() for one in found])
        return
    if not found:
        click.echo(f"No two entities are as alike as {least:g}. For more candidates lower --least.", err=True)
        return
    rows = [
        (f"{one.score:.2f}", _part(one.looks), _part(one.words), _ref(one.first), _seen(one.first), _ref(one.second),
         _seen(one.second))
        for one in found
    ]  # fmt: skip
    columns = ("score", "looks", "words", "entity", "seen", "other", "seen")
    print_table(columns, rows, right=("score", "looks", "words"))
    click.echo(f"\nAccept or reject one: ravu-kg identities accept {_quoted(found[0])}", err=True)


def _two(kind: str, summary: str) -> Callable[[], None]:
    @command.command(
        kind, epilog=examples(f"ravu-kg identities {kind} 'monday#3' 'tuesday#1' --why 'same coat'"), help=summary
    )
    @click.argument("one")
    @click.argument("other")
    @who_options
    @json_option
    @click.pass_obj
    def decide(state: State, one: str, other: str, by: str, why: str, as_json: bool) -> None:
        with state.open_memory() as memory:
            identities = memory.identities
            done = (identities.accept if kind == "accept" else identities.reject)(one, other, by=by, why=why)
            _show(done, identities, as_json)

    return decide


accept = _two("accept", "Two entities are one.")
reject = _two("reject", "Two entities are not one, whatever else joins them.")


@command.command(epilog=examples("ravu-kg identities merge 'monday#3' 'tuesday#1' 'tuesday#4' --why 'the postman'"))
@click.argument("entities", nargs=-1, required=True, metavar="ENTITY ENTITY...")
@who_options
@json_option
@click.pass_obj
def merge(state: State, entities: tuple[str, ...], by: str, why: str, as_json: bool) -> None:
    """Several entities, with all that is one with them, are one."""
    with state.open_memory() as memory:
        _show(memory.identities.merge(entities, by=by, why=why), memory.identities, as_json)


@command.command(epilog=examples("ravu-kg identities split 'tuesday#4' --why 'another postman'"))
@click.argument("entities", nargs=-1, required=True, metavar="ENTITY...")
@who_options
@json_option
@click.pass_obj
def split(state: State, entities: tuple[str, ...], by: str, why: str, as_json: bool) -> None:
    """Take entities out of their identity; several stay one with each other."""
    with state.open_memory() as memory:
        _show(memory.identities.split(entities, by=by, why=why), memory.identities, as_json)


@command.command(epilog=examples("ravu-kg identities undo", "ravu-kg identities undo 3 --why 'wrong coat'"))
@click.argument("number", type=click.IntRange(1), required=False)
@who_options
@json_option
@click.pass_obj
def undo(state: State, number: int | None, by: str, why: str, as_json: bool) -> None:
    """Take back decision NUMBER, by default the latest one: what held before holds again."""
    with state.open_memory() as memory:
        undone = memory.identities.undo(number, by=by, why=why)
    if as_json:
        echo_json(undone.to_dict())
    else:
        click.echo(f"Undid decision {undone.number} ({_what(undone)}).")


@command.command(epilog=examples("ravu-kg identities history", "ravu-kg identities history monday --json"))
@click.argument("video", required=False)
@json_option
@click.pass_obj
def history(state: State, video: str | None, as_json: bool) -> None:
    """List what was decided, oldest first: of the whole memory, or what touches VIDEO."""
    with state.open_memory() as memory:
        identities = memory.identities
        operations = identities.history(video)
        titles = {one.video_id: one.title for one in memory.videos()}
    if as_json:
        echo_json([one.to_dict() for one in operations])
        return
    if not operations:
        click.echo("Nothing was decided yet. Candidates: ravu-kg identities suggest", err=True)
        return
    rows = [
        (one.number, when(one.decided_at), one.decided_by, one.kind, _status(one), _pairs(one, titles) + _reason(one))
        for one in operations
    ]
    print_table(("no.", "when (UTC)", "who", "what", "state", "entities"), rows, right=("no.",))


@command.command(epilog=examples("ravu-kg identities threshold", "ravu-kg identities threshold 0.6"))
@click.argument("score", type=click.FloatRange(0, 1), required=False)
@click.option("--by", default="", metavar="NAME", help="Who decides; by default the user of this machine.")
@json_option
@click.pass_obj
def threshold(state: State, score: float | None, by: str, as_json: bool) -> None:
    """Show, or set, the score from which on an automatic link is used. Accepted links are used whatever their score."""
    with state.open_memory() as memory:
        changed = None if score is None else memory.identities.set_threshold(score, by=by)
        now = memory.identities.threshold()
    if as_json:
        echo_json({"threshold": now, "changed_entities": changed})
        return
    click.echo(f"Automatic links are used from a score of {now:g} on.")
    if changed is not None:
        click.echo(f"{counted(changed, 'entity')} {'has' if changed == 1 else 'have'} another identity by that.")


@command.command(
    epilog=examples(
        'ravu-kg ask monday "How many people are there?" --json > answer.json',
        "ravu-kg identities stale answer.json",
    )
)
@click.argument("answers", nargs=-1, required=True, type=FILE, metavar="FILE...")
@json_option
@click.pass_obj
def stale(state: State, answers: tuple[Path, ...], as_json: bool) -> None:
    """Say which answers were given before something changed.

    FILE holds what `ravu-kg ask --json` printed, one answer or one a line. An answer is stale when a video that it is
    about was decided about, corrected, indexed anew or deleted since.
    """
    from ravu_kg.memory.staleness import read_answers

    given = [one for path in answers for one in read_answers(path)]
    with state.open_memory() as memory:
        found = memory.stale(given)
    if as_json:
        echo_json([one.to_dict() for one in found])
        return
    for one in found:
        mark = click.style("stale", fg="yellow") if one.stale else click.style("fresh", fg="green")
        click.echo(f"{mark}  {one.file}: {one.question}  {'; '.join(one.reasons)}".rstrip())
    click.echo(f"{sum(one.stale for one in found)} of {len(found)} answers are stale.", err=True)


def when(moment: str) -> str:
    """A moment of the graph, to the minute."""
    return moment[:16].replace("T", " ")


def _show(done: Decided, identities: Identities, as_json: bool) -> None:
    if as_json:
        echo_json(done.to_dict())
        return
    said = {"accept": "are one now", "merge": "are one now", "reject": "are not one", "split": "are apart now"}
    named = sorted({end for one in done.pairs for end in one})
    click.echo(f"{', '.join(named)} {said.get(done.kind, 'are linked')}.")
    groups = len(set(done.identities.values()))
    print_pairs(
        [
            ("Identities", f"{groups} of these {counted(len(done.identities), 'entity')}"),
            ("Undo", f"ravu-kg identities undo {done.operation}"),
        ]
    )


def _show_linked(done: Decided | None, score: float, as_json: bool) -> None:
    if as_json:
        echo_json(None if done is None else done.to_dict())
    elif done is None:
        click.echo(f"No two entities are as alike as {score:g}; nothing was changed.", err=True)
    else:
        for one, other in done.pairs:
            click.echo(f"{one}  {other}")
        click.echo(
            f"Linked {counted(len(done.pairs), 'pair')}. To take it back: ravu-kg identities undo {done.operation}"
        )


def _part(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _ref(one: Known) -> str:
    return f"{one.title}#{one.entity_id.rpartition('#')[2]}"


def _seen(one: Known) -> str:
    return f"{one.given_name or one.label}, {seconds(one.start_s)} - {seconds(one.end_s)}"


def _quoted(one: Suggestion) -> str:
    return f"'{one.first.entity_id}' '{one.second.entity_id}'"


def _what(one: Operation) -> str:
    return f"{one.kind} of {_pairs(one, {})}"


def _status(one: Operation) -> str:
    return one.status if one.status != "undone" else f"undone by {one.undone_by}"


def _pairs(one: Operation, titles: dict[str, str]) -> str:
    told = [f"{_short(a, titles)} - {_short(b, titles)}" for a, b in one.pairs[:4]]
    return ", ".join(told) + (f" and {len(one.pairs) - 4} more pairs" if len(one.pairs) > 4 else "")


def _short(entity_id: str, titles: dict[str, str]) -> str:
    video_id, _, number = entity_id.rpartition("#")
    return f"{titles.get(video_id, video_id)}#{number}"


def _reason(one: Operation) -> str:
    parts: Sequence[str] = [*([one.why] if one.why else []), *dict.fromkeys(one.notes)]
    return f" ({'; '.join(parts)})" if parts else ""
