"""Options that keep what was found as files: a report, pictures, a clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ravu_kg.cli.output import FILE, counted, progress_bar, seconds, size
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory
    from ravu_kg.reasoning.records import Answer

_Function = TypeVar("_Function", bound=Callable[..., object])
_BLUR_HELP = (
    "Blur the faces that are found, in every picture that is written. Some may be missed: look before you share."
)


@dataclass(frozen=True)
class Keep:
    """What is written of an answer."""

    report: Path | None = None
    frames: Path | None = None
    clip: Path | None = None
    blur_faces: bool = False

    def __bool__(self) -> bool:
        return bool(self.report or self.frames or self.clip)

    def check(self) -> None:
        """Refuse what cannot be written before a question is asked, which may cost something.

        Raises:
            UsageError: a place that cannot be written to, or blurring of nothing.
        """
        if self.blur_faces and not self:
            raise UsageError("--blur-faces belongs to --report, --save-frames or --clip.")
        if self.report:
            check_file(self.report, "--report")
        if self.clip:
            if self.clip.suffix.lower() != ".mp4":
                raise UsageError(f"--clip writes MP4: name the file {self.clip.stem or 'evidence'}.mp4")
            check_file(self.clip, "--clip")
        if self.frames and self.frames.exists() and not self.frames.is_dir():
            raise UsageError(f"{self.frames} is a file. Name a folder in --save-frames.")


def keep_options(function: _Function) -> _Function:
    """``--report``, ``--save-frames``, ``--clip`` and ``--blur-faces``."""
    for option in (
        blur_option,
        click.option("--clip", type=FILE, metavar="FILE.mp4", help="Write the evidence as a short annotated clip."),
        click.option(
            "--save-frames", type=FILE, metavar="DIR", help="Write the key frames with their boxes as PNG files to DIR."
        ),
        click.option(
            "--report",
            type=FILE,
            metavar="FILE.html",
            help="Write all of it as one page to look at and to send: pictures, timeline, relations, plan, cost.",
        ),
    ):
        function = option(function)
    return function


def blur_option(function: _Function) -> _Function:
    """``--blur-faces``."""
    return click.option("--blur-faces", is_flag=True, help=_BLUR_HELP)(function)


def keep_answer(memory: VideoMemory, answer: Answer, keep: Keep) -> None:
    """Write what is wanted of an answer, and say on stderr what was written."""
    if keep.report:
        say_written(
            "Report", keep.report, write_page(keep.report, memory.reports.answer(answer, blur_faces=keep.blur_faces))
        )
    if keep.frames:
        saved = memory.reports.save_frames(answer, keep.frames, blur_faces=keep.blur_faces)
        click.echo(f"Frames: {counted(len(saved), 'picture')} in {keep.frames}", err=True)
    if keep.clip:
        with progress_bar(keep.clip.name) as report:
            length_s = memory.reports.save_clip(answer, keep.clip, blur_faces=keep.blur_faces, progress=report)
        say_written(f"Clip of {seconds(length_s)}", keep.clip, keep.clip.stat().st_size)
    if keep and keep.blur_faces:
        say_blurred()


def say_blurred() -> None:
    """What blurring does not guarantee, on stderr."""
    from ravu_kg.video.faces import NO_GUARANTEE

    click.echo(click.style("Note: ", fg="yellow") + NO_GUARANTEE, err=True)


def say_written(what: str, file: Path, size_bytes: int) -> None:
    """One line on stderr."""
    click.echo(f"{what}: {file} ({size(size_bytes)})", err=True)


def check_file(file: Path, option: str) -> None:
    """Raise UsageError where a file cannot be written."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder. Name a file in {option}.")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"The folder {file.absolute().parent} is not there. Make it, or give another {option}.")


def write_page(file: Path, page: str) -> int:
    """Write a page whole or not at all; gives its size in bytes.

    Raises:
        UsageError: the file cannot be written; what was there is still there.
    """
    data = page.encode("utf-8")
    unfinished = file.with_name(f".{file.name}.part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}. Give another file.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return len(data)
