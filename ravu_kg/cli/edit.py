"""``ravu-kg edit``: correct an entity or an event."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.identities import when, who_options
from ravu_kg.cli.output import echo_json, examples, json_option, print_pairs, print_table, seconds


@click.group(
    "edit",
    epilog=examples(
        "ravu-kg edit entity 'holiday#3' --name Anna",
        "ravu-kg edit event holiday/3/geometry/0 --description 'Anna waves.'",
        "ravu-kg edit list",
    ),
)
def command() -> None:
    """Name, relabel and correct entities and events.

    Every correction is kept with who, when and why, can be undone, and outlives `index --replace`: it is applied to
    what lies in the same place at the same time. One that nothing fits any more waits, and `edit list` says so.
    """


@command.command(epilog=examples("ravu-kg edit show 'holiday#3'"))
@click.argument("entity")
@json_option
@click.pass_obj
def show(state: State, entity: str, as_json: bool) -> None:
    """Show what can be corrected of ENTITY, and its events with their ids."""
    with state.open_memory() as memory:
        now = memory.edits.show(entity)
    if as_json:
        echo_json(now.to_dict())
        return
    print_pairs(
        [
            ("Entity", now.entity_id),
            ("Called", now.called),
            ("Label", now.label),
            ("Description", now.description),
        ]
    )
    if now.events:
        click.echo()
        rows = [(one.event_id, seconds(one.start_s), seconds(one.end_s), one.description) for one in now.events]
        print_table(("event", "from", "to", "description"), rows, right=("from", "to"))


@command.command(
    epilog=examples(
        "ravu-kg edit entity 'holiday#3' --name Anna",
        "ravu-kg edit entity 'holiday#5' --label dog --why 'the detector said cat'",
    )
)
@click.argument("entity")
@click.option("--name", metavar="NAME", help="What it is called from now on, in questions and answers.")
@click.option("--label", metavar="LABEL", help="What it is; its own sentences say so, too.")
@click.option("--description", metavar="TEXT", help="What is known of it.")
@who_options
@json_option
@click.pass_obj
def entity(
    state: State,
    entity: str,
    name: str | None,
    label: str | None,
    description: str | None,
    by: str,
    why: str,
    as_json: bool,
) -> None:
    """Correct ENTITY, which is named by its video and number: 'holiday#3'."""
    with state.open_memory() as memory:
        number = memory.edits.entity(entity, name=name, label=label, description=description, by=by, why=why)
        now = memory.edits.show(entity)
    if as_json:
        echo_json({"correction": number, **now.to_dict()})
        return
    click.echo(f"Corrected {now.entity_id}: {now.called}, {now.label}. To take it back: ravu-kg edit undo {number}")


@command.command(
    epilog=examples(
        "ravu-kg edit event holiday/3/geometry/0 --description 'Anna waves.'",
        "ravu-kg edit event holiday/3/geometry/0 --from 2.5 --to 4",
    )
)
@click.argument("event")
@click.option("--description", metavar="TEXT", help="What happens.")
@click.option("--from", "start_s", type=float, metavar="SECONDS", help="When it begins.")
@click.option("--to", "end_s", type=float, metavar="SECONDS", help="When it ends.")
@who_options
@json_option
@click.pass_obj
def event(
    state: State,
    event: str,
    description: str | None,
    start_s: float | None,
    end_s: float | None,
    by: str,
    why: str,
    as_json: bool,
) -> None:
    """Correct EVENT; `ravu-kg edit show ENTITY` lists the events of an entity with their ids."""
    with state.open_memory() as memory:
        number = memory.edits.event(event, description=description, start_s=start_s, end_s=end_s, by=by, why=why)
    if as_json:
        echo_json({"correction": number})
    else:
        click.echo(f"Corrected {event}. To take it back: ravu-kg edit undo {number}")


@command.command(epilog=examples("ravu-kg edit undo", "ravu-kg edit undo 3 --why 'it was a cat'"))
@click.argument("number", type=click.IntRange(1), required=False)
@who_options
@json_option
@click.pass_obj
def undo(state: State, number: int | None, by: str, why: str, as_json: bool) -> None:
    """Take back correction NUMBER, by default the latest one."""
    with state.open_memory() as memory:
        undone = memory.edits.undo(number, by=by, why=why)
    if as_json:
        echo_json({"undone": undone.id, "target": undone.target_id})
    else:
        click.echo(f"Undid correction {undone.id} of {undone.target_id}.")


@command.command("list", epilog=examples("ravu-kg edit list", "ravu-kg edit list holiday --json"))
@click.argument("video", required=False)
@json_option
@click.pass_obj
def list_all(state: State, video: str | None, as_json: bool) -> None:
    """List what was corrected, oldest first, and what waits since nothing fits it any more."""
    with state.open_memory() as memory:
        found = memory.edits.history(video)
    if as_json:
        echo_json(
            [
                {
                    "number": one.id,
                    "target": one.target_id,
                    "changes": one.changes.given(),
                    "decided_by": one.decided_by,
                    "decided_at": one.decided_at,
                    "why": one.why,
                    "status": _status(one.undone_at, one.note),
                    "note": one.note,
                    "undone_by": one.undone_by,
                    "undone_at": one.undone_at,
                    "undone_why": one.undone_why,
                }
                for one in found
            ]
        )
        return
    if not found:
        click.echo("Nothing was corrected yet. See: ravu-kg edit --help", err=True)
        return
    rows = [
        (
            one.id,
            when(one.decided_at),
            one.decided_by,
            _status(one.undone_at, one.note),
            one.target_id,
            ", ".join(f"{name} {value!r}" for name, value in one.changes.given().items())
            + (f" ({'; '.join(part for part in (one.why, one.note) if part)})" if one.why or one.note else ""),
        )
        for one in found
    ]
    print_table(("no.", "when (UTC)", "who", "state", "of", "correction"), rows, right=("no.",))


def _status(undone_at: str | None, note: str | None) -> str:
    return "undone" if undone_at is not None else "waits" if note is not None else "holds"
