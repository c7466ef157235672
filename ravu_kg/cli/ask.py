"""``ravu-kg ask``: questions about a video, or about all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.keeping import Keep, keep_answer, keep_options
from ravu_kg.cli.names import VIDEO
from ravu_kg.cli.output import build_option, examples, json_option, say_error
from ravu_kg.cli.views import Explain, explain_options, show_answer
from ravu_kg.errors import RavuError, UsageError


@click.command(
    "ask",
    epilog=examples(
        'ravu-kg ask holiday "Who comes after the first person leaves?"',
        'ravu-kg ask holiday "What is on the table?" --option "a cup" --option "a book"',
        'ravu-kg ask holiday "Why does the dog run?" --profile openai',
        'ravu-kg ask holiday "Who meets the dog?" --report dog.html --clip dog.mp4',
        'ravu-kg ask --all "In which video does a dog appear?"',
        "ravu-kg ask holiday                      (asks for questions, one a line)",
    ),
)
@click.argument("video", required=False, type=VIDEO)
@click.argument("question", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Ask about every indexed video; give only the question.")
@click.option("--option", "options", multiple=True, metavar="TEXT", help="An answer to choose from; repeat it.")
@build_option
@explain_options
@keep_options
@profile_option
@json_option
@click.pass_obj
def command(
    state: State,
    video: str | None,
    question: str | None,
    everywhere: bool,
    options: tuple[str, ...],
    build: str | None,
    explain: bool,
    explain_file: Path | None,
    report: Path | None,
    save_frames: Path | None,
    clip: Path | None,
    blur_faces: bool,
    as_json: bool,
) -> None:
    """Answer a question about a video, with the evidence.

    VIDEO is a path, an id (or its first characters) or a title. Without QUESTION it asks for questions and keeps
    everything loaded; end with quit or Ctrl-D. With --json it then prints one line of JSON for each question.

    A report is one HTML file that needs no network; when the video's file was moved, its frames are marked missing.
    Pictures and clips need the file.
    """
    how = Explain(explain, explain_file, as_json)
    keep = Keep(report, save_frames, clip, blur_faces)
    keep.check()
    if everywhere:
        if video is None or question is not None or options or build:
            raise UsageError('With --all give one question and no video: ravu-kg ask --all "QUESTION".')
        with state.open_memory() as memory:
            answer = memory.ask_all(video)
            show_answer(memory, answer, how)
            keep_answer(memory, answer, keep)
        return
    if video is None:
        raise UsageError('Name a video: ravu-kg ask VIDEO "QUESTION". `ravu-kg videos list` shows what is indexed.')
    if keep and question is None:
        raise UsageError('--report, --save-frames and --clip belong to one question: ravu-kg ask VIDEO "QUESTION".')
    with state.open_memory() as memory:
        video_id = memory.resolve(video, build)
        if question is not None:
            answer = memory.ask(video_id, question, options)
            show_answer(memory, answer, how, options)
            keep_answer(memory, answer, keep)
            return
        first_failure = 0
        for line in _lines():
            try:
                answer = memory.ask(video_id, line, options)
                if not as_json and not sys.stdin.isatty():
                    click.echo(click.style(f"? {line}", fg="cyan"))
                if as_json:
                    click.echo(json.dumps(answer.to_dict(), ensure_ascii=False))
                else:
                    show_answer(memory, answer, how, options)
                    click.echo()
            except RavuError as error:
                say_error(str(error))
                first_failure = first_failure or error.exit_code
        if first_failure:
            raise click.exceptions.Exit(first_failure)


_LEAVES = ("quit", "exit", "q", ":q")
_HELP = ("help", "?", ":h")
_HINT = 'One question a line, such as "What happens at the end?"; end with quit or Ctrl-D.'


def _lines() -> Iterator[str]:
    """Questions from a person or a pipe, without empty lines."""
    if not sys.stdin.isatty():
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    with suppress(ImportError):
        import_module("readline")  # input() then has history and editing
    click.echo(_HINT, err=True)
    while True:
        try:
            line = input("? ").strip()
        except EOFError:
            click.echo(err=True)
            return
        if line.lower() in _LEAVES:
            return
        if line.lower() in _HELP:
            click.echo(_HINT, err=True)
        elif line:
            yield line
