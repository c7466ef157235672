"""``ravu-kg completion``: the script that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ravu_kg.cli.output import echo_json, examples, json_option


@click.command(
    "completion",
    epilog=examples(
        'bash: eval "$(ravu-kg completion bash)"               in ~/.bashrc',
        'zsh:  eval "$(ravu-kg completion zsh)"                in ~/.zshrc',
        "fish: ravu-kg completion fish > ~/.config/fish/completions/ravu-kg.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def command(context: click.Context, shell: str, as_json: bool) -> None:
    """Print the shell's completion script."""
    completion = get_completion_class(shell)
    assert completion is not None  # the choice above holds only names that click knows
    script = completion(context.find_root().command, {}, "ravu-kg", "_RAVU_KG_COMPLETE").source()
    if as_json:
        echo_json({"shell": shell, "script": script})
    else:
        click.echo(script, nl=False)
