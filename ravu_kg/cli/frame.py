"""The root command: lazy subcommands, global options, and errors turned into exit codes."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from ravu_kg import __version__
from ravu_kg.cli.output import FILE, examples, say_error, status_line
from ravu_kg.errors import RavuError

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory
    from ravu_kg.settings import Settings

INTERRUPTED = 130
PROFILES = ("gemini", "openai", "local", "offline")
_Function = TypeVar("_Function", bound=Callable[..., object])

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Index and ask": ("index", "ask", "search", "demo"),
    "Plans": ("plan", "run"),
    "Files": ("export", "import"),
    "Look into the memory": ("videos", "cypher", "templates"),
    "Decide and correct": ("identities", "edit"),
    "Check and compare": ("lint", "diff", "eval"),
    "For other programs": ("mcp",),
    "Set-up": ("doctor", "config", "db", "reembed", "completion"),
}
_ATTRIBUTE = "command"


@dataclass(frozen=True)
class State:
    """What the global options say; passed to every command."""

    config: Path | None = None
    debug: bool = False
    profile: str | None = None
    """Of :func:`profile_option`, for commands that have it."""

    def settings(self, flags: Mapping[str, object] | None = None) -> Settings:
        """The effective settings, command-line flags first."""
        from ravu_kg.settings import load

        return load({"profile": self.profile, **(flags or {})}, self.config)

    def open_memory(self, flags: Mapping[str, object] | None = None) -> VideoMemory:
        """The memory, its server started when needed, with a progress line."""
        from ravu_kg.memory import VideoMemory
        from ravu_kg.models.profiles import require_extra

        settings = self.settings(flags)
        if self.profile:
            require_extra(settings)  # before a server is started for nothing
        with status_line() as say:
            return VideoMemory.open(settings, progress=say)


def profile_option(function: _Function) -> _Function:
    """The ``--profile`` option, for commands that use models; their :class:`State` knows its value."""
    return click.option(
        "--profile",
        type=click.Choice(PROFILES),
        expose_value=False,
        callback=_remember_profile,
        help="Ready-made models for every role that is not set otherwise.",
    )(function)


def _remember_profile(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    state = ctx.find_object(State)
    if value is not None and state is not None:
        ctx.obj = replace(state, profile=value)


class LazyGroup(click.Group):
    """A group whose subcommands live in modules of this package, by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the sections."""
        return [name for names in SECTIONS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: object = getattr(import_module(f"ravu_kg.cli.{module}"), _ATTRIBUTE)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands under the heading of their section."""
        for title, names in SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, command.get_short_help_str(70)) for name, command in commands if command]
            with formatter.section(title):
                formatter.write_dl(rows, col_max=12)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As usual, with the nearest command named in the error."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near:
                raise
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {near[0]!r}?", ctx) from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: object,
    ) -> NoReturn:
        """Run, and leave with the exit code that fits what happened."""
        arguments = list(sys.argv[1:] if args is None else args)
        try:
            result: object = super().main(
                arguments,
                prog_name,
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            sys.stdout.flush()
        except Exception as error:  # the last line: whatever went wrong becomes a message and an exit code
            if _is_broken_pipe(error):
                # The reader went away (`| head`): not worth a word, and Python must not complain at exit either.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                sys.exit(1)
            if "--debug" in arguments and not isinstance(error, click.ClickException | click.Abort):
                raise
            sys.exit(_report(_named_file(error, arguments)))
        except KeyboardInterrupt:
            sys.exit(_report(click.Abort()))
        sys.exit(result if isinstance(result, int) else 0)


class _Warnings(logging.Handler):
    """Warnings of the parts on stderr, each once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        # What the server notes of a query comes with its result, which says it better.
        self.addFilter(lambda record: not record.name.startswith("neo4j.notifications"))
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Say it unless it was said before."""
        message = record.getMessage()
        if message not in self._said:
            self._said.add(message)
            click.echo(click.style("Warning: ", fg="yellow") + message, err=True)


def _report(error: Exception) -> int:
    """Say what went wrong on stderr in one message; the exit code."""
    match error:
        case click.ClickException():
            error.show()
            return error.exit_code
        case click.Abort():
            click.echo("\nInterrupted.", err=True)
            return INTERRUPTED
        case RavuError():
            say_error(str(error))
            return error.exit_code
        case MemoryError():
            say_error("Out of memory. Close other programs, or index with a lower tracking_rate_hz.")
            return RavuError.exit_code
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            say_error(f"The disk is full: {error.filename or error}. Free some space and run the same command again.")
            return RavuError.exit_code
        case _:
            say_error(f"Unexpected {type(error).__name__}: {error}. Run again with --debug for the traceback.")
            return RavuError.exit_code


def _named_file(error: Exception, arguments: Sequence[str]) -> Exception:
    """A file whose name starts with a dash was taken for an option: say how to name it."""
    files = [one for one in arguments if one.startswith("-") and Path(one).is_file()]
    if isinstance(error, click.NoSuchOption) and files:
        return click.UsageError(f"{files[0]} was read as an option. To name the file write ./{files[0]}", error.ctx)
    return error


def _is_broken_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EPIPE


def _show_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"ravu-kg {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples("ravu-kg index holiday.mp4", 'ravu-kg ask holiday "Who comes after the first person leaves?"'),
)
@click.option(
    "--config",
    type=FILE,
    help="Settings file to use instead of the nearest ravu-kg.toml.",
)
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, config: Path | None, debug: bool) -> None:
    """Turn videos into a graph in Neo4j and ask questions about them."""
    ctx.obj = State(config=config, debug=debug)
    warnings = _Warnings()
    logging.getLogger().addHandler(warnings)
    ctx.call_on_close(lambda: logging.getLogger().removeHandler(warnings))
