"""Bad input through the real command line: file, cause and next action are named, nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import av
import pytest

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import MakeClip, Ravu
from tests.e2e.test_command_line import PROGRAM

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

NOBODY = 65534


@contextmanager
def ordinary_user() -> Generator[None]:
    """Modes of files mean nothing to root: become nobody for a moment."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def on_its_server(ravu: Ravu, memory: VideoMemory) -> Ravu:
    """The command line that is told of the server, whose home only its own user can read."""
    assert memory.endpoint is not None
    server = {"NEO4J_URI": memory.endpoint.bolt_uri, "NEO4J_USERNAME": memory.endpoint.username}
    return Ravu({**ravu.env, **server, "NEO4J_PASSWORD": memory.endpoint.password})


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    """A folder that every user of the machine can reach."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    return tmp_path


def titles(memory: VideoMemory) -> list[str]:
    return sorted(one.title for one in memory.videos())


def test_a_read_only_cache_and_home_are_named(ravu: Ravu, on_its_server: Ravu, open_to_all: Path, make_clip: MakeClip):
    clip = make_clip("readonly.mp4")
    closed = open_to_all / "closed"
    closed.mkdir(mode=0o555)
    on_its_server("index", clip, "--detector", "motion")  # loads all code, which nobody may not be allowed to read
    with ordinary_user():
        cache = Ravu({**on_its_server.env, "RAVU_KG_CACHE": str(closed / "cache")})
        message = cache("index", clip, "--detector", "motion", code=3).stderr
        assert str(closed / "cache") in message
        assert "Permission denied" in message
        assert "RAVU_KG_CACHE" in message
        home = Ravu({**ravu.env, "RAVU_KG_SERVER__HOME": str(closed / "home")})
        message = home("videos", "list", code=6).stderr
        assert str(closed / "home") in message
        assert "RAVU_KG_SERVER__HOME" in message
    assert list(closed.iterdir()) == []


def test_a_video_in_a_read_only_folder_is_indexed_and_nothing_is_written_there(ravu: Ravu, make_clip: MakeClip):
    clip = make_clip("shelf/shelved.mp4")
    clip.parent.chmod(0o555)
    before = [(one.name, one.stat().st_mtime_ns) for one in clip.parent.iterdir()]
    assert "indexed 2.0 s" in ravu("index", clip, "--detector", "motion").stdout
    assert [(one.name, one.stat().st_mtime_ns) for one in clip.parent.iterdir()] == before
    clip.parent.chmod(0o755)


def test_a_video_stream_without_frames_is_named(ravu: Ravu, memory: VideoMemory):
    with av.open("none.mkv", "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.start_encoding()
    before = titles(memory)
    message = ravu("index", "none.mkv", code=4).stderr
    assert "Error: none.mkv: " in message
    assert titles(memory) == before


@pytest.mark.parametrize(
    ("given", "said"),
    [("folder", "this folder holds no video files"), ("folder/*.mp4", "there is no such file")],
)
def test_a_folder_or_a_pattern_that_matches_nothing_is_named(ravu: Ravu, given: str, said: str):
    Path("folder").mkdir()
    result = ravu("index", given, "--json", code=4)
    assert f"Error: {given}: {said}" in result.stderr
    (failed,) = json.loads(result.stdout)
    assert failed["status"] == "failed"
    assert failed["video"] == given


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("nope.mp4", "no such folder/also.mp4"), 4, "Error: nope.mp4: there is no such file. Check the path."),
        ((".", "--detector", "yolo:n"), 3, "No detector named 'yolo' is installed. Installed: motion, people"),
        ((".", "--tracker", "sort"), 3, "No tracker named 'sort' is installed"),
    ],
)
def test_no_server_is_started_for_what_cannot_be_indexed(
    ravu: Ravu, make_clip: MakeClip, given: tuple[str, ...], code: int, said: str
):
    make_clip("there.mp4")
    home = Path("home").resolve()
    message = Ravu({**ravu.env, "RAVU_KG_SERVER__HOME": str(home)})("index", *given, code=code).stderr
    assert said in message
    assert not home.exists()


def test_a_plan_with_a_forward_reference_names_the_step_and_leaves_with_7(ravu: Ravu, library: object):
    steps = [
        {"function": "sample_entity_events", "save_as": "a",
         "arguments": {"node": "$b", "events_to_sample": {"direction": "after"}}},
        {"function": "identify_node", "arguments": {"query": "dog"}, "save_as": "b"},
    ]  # fmt: skip
    Path("plan.json").write_text(json.dumps({"steps": steps}), encoding="utf-8")
    message = ravu("run", "plan.json", "dog_and_woman", code=7).stderr
    assert "plan.json" in message
    assert "not an earlier step" in message


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("", 7),
        ("   ", 7),
        ("x" * 10_000, 0),
        ("who is there? " * 1_000, 0),
        ("¿Cuántas personas hay en el vídeo?", 0),
        ("桌子上有什么？", 0),
        ("MATCH (n) DETACH DELETE n", 0),
        ("') OR 1=1 //\nMATCH (n) DETACH DELETE n", 0),
    ],
)
def test_a_strange_question_in_a_process_of_its_own_is_answered_or_refused(
    memory: VideoMemory, library: object, question: str, code: int
):
    before = memory.canonical("two_men_hug")
    command = [PROGRAM, "ask", "two_men_hug", question, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code:
        assert done.stderr.startswith("Error: ")
        assert done.stdout == ""
    else:
        assert json.loads(done.stdout)["answer"]
    assert memory.canonical("two_men_hug") == before


@pytest.mark.timeout(500)
def test_two_commands_that_start_the_server_at_once_start_one(memory_env: dict[str, str], tmp_path: Path):
    env = {**os.environ, **memory_env, "RAVU_KG_SERVER__HOME": str(tmp_path / "own home")}

    def command(*arguments: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen([PROGRAM, *arguments, "--json"], env=env, text=True, stdout=pipe, stderr=pipe)

    until_s = time.monotonic() + 360  # for both; a start takes 20 s on two idle cores
    both = [command("db", "start") for _ in range(2)]
    try:
        shown = [told(one, until_s) for one in both]
    finally:
        for one in both:
            one.kill()
            with one:  # closes its pipes
                one.wait(60)
        stopped = told(command("db", "stop"), time.monotonic() + 100)
    assert shown[0]["pid"] == shown[1]["pid"]
    assert shown[0]["bolt_uri"] == shown[1]["bolt_uri"]
    assert shown[0]["running"] is shown[1]["running"] is True
    assert stopped["stopped"] is True


def told(process: subprocess.Popen[str], until_s: float) -> dict[str, object]:
    """What a command printed; the test fails with all that it said when it does not end in time."""
    try:
        stdout, stderr = process.communicate(timeout=max(1.0, until_s - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"{process.args} has not ended. It said: {''.join(process.communicate())}")
    assert process.returncode == 0, stderr
    return json.loads(stdout)
