"""Builds of one video side by side, from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from ravu_kg.memory import VideoMemory
from ravu_kg.types import video_id
from ravu_kg.video.reader import probe
from tests.e2e.conftest import MakeClip, Ravu

pytestmark = [pytest.mark.neo4j, pytest.mark.e2e]


@pytest.fixture
def clip(make_clip: MakeClip) -> Path:
    return make_clip("builds.mp4", seconds=3.0)


@pytest.fixture
def base(clip: Path) -> str:
    return video_id(probe(clip).content_hash)


@pytest.fixture
def indexed(ravu: Ravu, clip: Path, base: str, memory: VideoMemory) -> Callable[[], list[str]]:
    """Two builds of the clip; gives the ids of those that there are."""
    ravu("index", clip, "--detector", "motion")
    made = ravu("index", clip, "--detector", "motion", "--build", "boxes", "--tracker", "box-matching")
    assert f"ravu-kg ask {base[:8]}~boxes " in made.stdout
    return lambda: [one.video_id for one in memory.videos() if one.video_id.startswith(base)]


def test_builds_live_side_by_side_and_are_named_by_id_or_option(
    ravu: Ravu, clip: Path, base: str, indexed: Callable[[], list[str]]
) -> None:
    other = f"{base}~boxes"
    assert indexed() == [base, other]
    for named, meant in (
        ([clip], base), ([other, "--build", "default"], base), ([clip, "--build", "boxes"], other),
        ([f"{base[:8]}~boxes"], other),
    ):  # fmt: skip
        shown = cast("dict[str, object]", ravu.json("videos", "show", *named))
        assert (shown["video_id"], shown["tracker"]) == (meant, "steady" if meant == base else "box-matching")
    question = "How many things are there?"
    asked = [
        cast("dict[str, object]", ravu.json("ask", clip, question, "--build", one)) for one in ("default", "boxes")
    ]
    assert [one["video_id"] for one in asked] == [base, other]
    assert "Build" in ravu("videos", "show", other).stdout

    comparison = cast("dict[str, dict[str, object]]", ravu.json("diff", clip, "--build", "default", "--build", "boxes"))
    assert (comparison["first"]["build"], comparison["second"]["build"]) == ("default", "boxes")
    assert comparison["entities"]["kept"] == comparison["entities"]["first"] == comparison["entities"]["second"] > 0
    told = ravu("diff", clip, "--build", "default", "--build", "boxes").stdout
    assert "tracker   steady" in told
    assert "Entities of both (" in told

    report = cast("dict[str, object]", ravu.json("lint", clip, "--build", "boxes"))
    assert (report["video_id"], report["build"], report["findings"]) == (other, "boxes", [])
    assert "nothing found in 3 frames" in ravu("lint", clip, "--check", "jump").stdout

    # Another graph of a build takes its place, and the other builds stay as they are.
    changed = cast("list[dict[str, object]]", ravu.json(
        "index", clip, "--detector", "motion", "--build", "boxes", "--replace"
    ))  # fmt: skip
    assert (changed[0]["video_id"], changed[0]["status"]) == (other, "indexed")
    assert indexed() == [base, other]
    assert cast("dict[str, object]", ravu.json("videos", "show", other))["tracker"] == "steady"

    ravu("videos", "delete", clip, "--build", "boxes", "--yes")
    assert indexed() == [base]
    ravu("index", clip, "--detector", "motion", "--build", "default")  # the same as without
    assert indexed() == [base]
    ravu("videos", "delete", clip, "--yes")


WRONG: list[tuple[list[str], int, str]] = [
    (["diff", "CLIP", "--build", "default"], 2, "Name two builds, not 1"),
    (["diff", "CLIP", "--build", "default", "--build", "default"], 2, "are one build of"),
    (["diff", "CLIP", "--build", "default", "--build", "nix"], 6, "has no build 'nix'; it has: default."),
    (["lint", "CLIP", "--build", "nix"], 6, "has no build 'nix'"),
    (["lint", "no such video"], 6, "No video is named"),
    (["lint", "CLIP", "--check", "nix"], 2, "'nix' is not one of"),
    (["ask", "CLIP", "Is there a dog?", "--build", "nix"], 6, "has no build 'nix'"),
    (["ask", "--all", "Is there a dog?", "--build", "nix"], 2, "no video"),
    (["videos", "delete", "CLIP", "--build", "nix", "--yes"], 6, "has no build 'nix'"),
    (["index", "CLIP", "--build", "a~b"], 2, "is no name of a build"),
]


def test_a_wrong_build_is_named_and_nothing_changes(ravu: Ravu, memory: VideoMemory, clip: Path, base: str) -> None:
    ravu("index", clip, "--detector", "motion")
    before = [one for one in memory.videos() if one.video_id.startswith(base)]
    for arguments, code, said in WRONG:
        result = ravu(*[str(clip) if one == "CLIP" else one for one in arguments], code=code)
        assert said in result.stderr, arguments
    assert [one for one in memory.videos() if one.video_id.startswith(base)] == before
    ravu("videos", "delete", clip, "--yes")
