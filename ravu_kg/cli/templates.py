"""``ravu-kg templates``: the Cypher statements behind every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import echo_json, examples, json_option, print_table
from ravu_kg.errors import GraphError, NotFoundError

if TYPE_CHECKING:
    from ravu_kg.graph.templates import Template


@click.group("templates", epilog=examples("ravu-kg templates list", "ravu-kg templates show reasoning/localize_node"))
def command() -> None:
    """List, show and check the Cypher templates."""


@command.command("list", epilog=examples("ravu-kg templates list", "ravu-kg templates list explore --json"))
@click.argument("word", required=False, default="")
@json_option
def list_all(word: str, as_json: bool) -> None:
    """List the templates with their mode and summary: all, or those with WORD in their name or summary."""
    from ravu_kg.graph.templates import TemplateLibrary

    wanted = word.lower()
    templates = [one for one in TemplateLibrary.load() if wanted in f"{_full_name(one)} {one.summary}".lower()]
    if not templates:
        raise NotFoundError(f"No template has {word!r} in its name or summary. `ravu-kg templates list` shows all.")
    if as_json:
        echo_json([_as_dict(template) for template in templates])
    else:
        print_table(
            ("template", "mode", "summary"),
            [(_full_name(template), template.mode, template.summary) for template in templates],
        )


@command.command(
    epilog=examples("ravu-kg templates show explore/timeline", "ravu-kg templates show explore/timeline --browser")
)
@click.argument("name")
@click.option("--browser", is_flag=True, help="Print :param lines and the statement, ready to paste in the Browser.")
@json_option
def show(name: str, browser: bool, as_json: bool) -> None:
    """Print one template: its parameters, its columns and its Cypher.

    NAME as in the list; NAME@VERSION for the variant of a server version.
    """
    from ravu_kg.graph.templates import TemplateLibrary, param_lines
    from ravu_kg.graph.values import example

    base, _, version = name.partition("@")
    variants = TemplateLibrary.load().variants(base)
    template = next((one for one in variants if one.requires == version), variants[0])
    if as_json:
        echo_json(_as_dict(template))
        return
    if browser:
        values = {parameter.name: example(parameter.type) for parameter in template.parameters}
        if values:
            click.echo(param_lines(template, values))
        click.echo(template.text)
        return
    click.echo(f"{click.style(_full_name(template), bold=True)} ({template.mode})\n{template.summary}\n")
    declared = [("param", p.name, p.type, p.meaning) for p in template.parameters]
    declared += [("returns", c.name, c.type, c.meaning) for c in template.columns]
    if declared:
        print_table(("", "name", "type", "meaning"), declared)
        click.echo()
    click.echo(template.text)


@command.command(epilog=examples("ravu-kg templates check", "NEO4J_URI=bolt://localhost ravu-kg templates check"))
@json_option
@click.pass_obj
def check(state: State, as_json: bool) -> None:
    """Let the server plan every template: it must compile, keep its mode and return what it declares."""
    with state.open_memory() as memory:
        found = memory.check_templates()
        checked = len(memory.store.templates)
    if as_json:
        echo_json({"checked": checked, "problems": found})
    elif found:
        print_table(("template", "problem"), [(one.template, one.problem) for one in found])
    else:
        click.echo(f"All {checked} templates are good.")
    if found:
        raise click.exceptions.Exit(GraphError.exit_code)


def _full_name(template: Template) -> str:
    return template.name + (f"@{template.requires}" if template.requires else "")


def _as_dict(template: Template) -> dict[str, object]:
    return {
        "name": _full_name(template),
        "mode": template.mode,
        "summary": template.summary,
        "parameters": [{"name": p.name, "type": p.type, "meaning": p.meaning} for p in template.parameters],
        "columns": [{"name": c.name, "type": c.type, "meaning": c.meaning} for c in template.columns],
        "text": template.text,
    }
