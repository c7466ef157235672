"""Precision and recall of re-entry links against memories that say which tracks are one object.

``python -m ravu_kg.importers.reidentified FOLDER...`` prints a table for folders of the kind ``video-memory`` with a
``reid.json``. A pair of tracks counts when both are one object: right when links join them and the reference does, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.errors import RavuError
from ravu_kg.importers.reentry import Agreement, SeenTrack, agreement, best_threshold, link_reentries
from ravu_kg.importers.video_memory import seen_tracks


@dataclass(frozen=True, slots=True)
class Measured:
    """One memory."""

    name: str
    tracks: int
    agreement: Agreement
    """With the thresholds of the package."""
    held_out_threshold: float | None
    """Set on the other memories alone; None for a single one."""
    held_out: Agreement | None
    """With that."""


def measure(folders: Sequence[Path], *, held_out: bool = True) -> list[Measured]:
    """Compare the links of some memories with their references.

    Args:
        folders: of memories.
        held_out: also with a threshold that is set on all but the memory itself, which takes a while.

    Raises:
        ConfigurationError: a file cannot be read or used.
    """
    given: list[tuple[Sequence[SeenTrack], dict[int, int]]] = [seen_tracks(folder) for folder in folders]
    found: list[Measured] = []
    for at, folder in enumerate(folders):
        tracks, reference = given[at]
        others = [one for other, one in enumerate(given) if other != at]
        threshold = best_threshold(others) if held_out and others else None
        found.append(
            Measured(
                folder.resolve().name,
                len(tracks),
                agreement(link_reentries(tracks), reference),
                threshold,
                None if threshold is None else agreement(link_reentries(tracks, threshold), reference),
            )
        )
    return found


def table(found: Sequence[Measured]) -> str:
    """As text, with a line for all together."""
    lines = [
        f"{'memory':<12} {'tracks':>6} {'pairs':>6} {'linked':>6} {'precision':>9} {'recall':>6}"
        f"   {'threshold of the others':>23} {'precision':>9} {'recall':>6}"
    ]
    total, total_held_out = Agreement(0, 0, 0), Agreement(0, 0, 0)
    for one in found:
        lines.append(_line(one.name, one.tracks, one.agreement, one.held_out_threshold, one.held_out))
        total += one.agreement
        total_held_out += one.held_out or Agreement(0, 0, 0)
    held_out = total_held_out if total_held_out.true else None
    lines.append(_line("all", sum(one.tracks for one in found), total, None, held_out))
    return "\n".join(lines)


def _line(name: str, tracks: int, own: Agreement, threshold: float | None, held_out: Agreement | None) -> str:
    told = f"{name:<12} {tracks:>6} {own.true:>6} {own.linked:>6} {own.precision:>9.2f} {own.recall:>6.2f}"
    if held_out is None:
        return told
    of_others = "" if threshold is None else f"{threshold:.2f}"
    return f"{told}   {of_others:>23} {held_out.precision:>9.2f} {held_out.recall:>6.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table for the folders named as arguments."""
    parser = argparse.ArgumentParser(prog="python -m ravu_kg.importers.reidentified", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    try:
        sys.stdout.write(f"{table(measure(parser.parse_args(arguments).folders))}\n")
    except RavuError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
