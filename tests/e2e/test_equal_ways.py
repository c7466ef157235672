"""Different ways to the same: a saved plan, the explained Cypher by hand, and every command's JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import click
import neo4j
import pytest

from ravu_kg.cli.frame import cli
from ravu_kg.memory import VideoMemory
from tests.conftest import missing
from tests.e2e.conftest import Ravu
from tests.e2e.test_command_line import PROGRAM

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

QUESTIONS = [
    "How many people are there?",
    "When is the dog out of the picture?",
    "What does the woman do while the dog is away?",
    "Where is the dog at the end?",
    "Who comes after the dog leaves?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_saved_plan_gives_the_answer_and_evidence_of_its_question(ravu: Ravu, library: object, question: str):
    Path("plan.json").write_text(ravu("plan", question, "--json").stdout, encoding="utf-8")
    run, asked = ravu.json("run", "plan.json", "dog_and_woman"), ravu.json("ask", "dog_and_woman", question)
    for key in ("answer", "evidence", "count", "plan"):
        assert run[key] == asked[key]  # type: ignore[index]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_explained_cypher_pasted_into_a_session_gives_the_same_rows(
    ravu: Ravu, memory: VideoMemory, library: object, question: str
):
    asked = ravu.json("ask", "dog_and_woman", question, "--explain-file", "all.cypher")
    blocks = Path("all.cypher").read_text(encoding="utf-8").strip().split("\n\n// ")
    assert len(blocks) == len(asked["trace"])  # type: ignore[index]
    assert memory.endpoint is not None
    endpoint = memory.endpoint
    with (
        neo4j.GraphDatabase.driver(endpoint.bolt_uri, auth=(endpoint.username, endpoint.password)) as driver,
        driver.session() as session,
    ):
        for block, step in zip(blocks, asked["trace"], strict=True):  # type: ignore[index]
            lines = block.splitlines()
            assert step["template"] in lines[0]
            set_by = [re.fullmatch(r":param (\w+) => (.+)", line) for line in lines if line.startswith(":param")]
            parameters: dict[str, object] = {}
            for one in set_by:
                assert one is not None
                parameters[one[1]] = session.run(f"RETURN {one[2]} AS value").single(strict=True)["value"]  # type: ignore[arg-type]
            assert parameters.keys() == step["parameters"].keys()
            text = "\n".join(line for line in lines[1:] if not line.startswith(":param"))
            rows = list(session.run(text.removesuffix(";"), parameters))  # type: ignore[arg-type]
            assert len(rows) == step["rows"], step["template"]


# Arguments with which each command says something; those that would change the library are given what is not there.
JSON = {
    "index": ("absent.mp4",),
    "ask": ("dog_and_woman", "Is there a dog?"),
    "search": ("a dog",),
    "plan": ("Is there a dog?",),
    "run": ("plan.json", "dog_and_woman"),
    "videos list": (),
    "videos show": ("dog_and_woman",),
    "videos report": ("dog_and_woman", "-o", "page.html"),
    "lint": ("dog_and_woman",),
    "identities suggest": (),
    "identities history": (),
    "identities threshold": (),
    "edit list": (),
    "edit show": ("dog_and_woman#1",),
    "export bundle": ("dog_and_woman", "-o", "one.ravu"),
    "export mot": ("dog_and_woman", "-o", "one.txt"),
    "export coco": ("dog_and_woman", "-o", "one.json"),
    "cypher": ("RETURN 1 AS one",),
    "templates list": (),
    "templates show": ("explore/timeline",),
    "templates check": (),
    "doctor": (),
    "config show": (),
    "db start": (),
    "db status": (),
    "db open": ("--no-launch",),
    "db kit": (),
    "completion": ("bash",),
    "eval methods": (),
}
OWN_TEST = {
    "demo": "its JSON is read by the test of the demo",
    "videos delete": "its JSON is read where a video is deleted",
    "diff": "its JSON is read where two builds are compared",
    "identities accept": "its JSON is read where identities are decided",
    "identities stale": "its JSON is read where identities are decided",
    **dict.fromkeys(
        (f"import {kind}" for kind in ("vidor", "mot", "star", "video-memory", "cvat", "coco", "captions")),
        "its JSON is read where annotation comes in",
    ),
    "videos attach": "its JSON is read where annotation comes in",
    "import bundle": "its JSON is read where a memory goes out and comes back",
    **dict.fromkeys(
        (f"identities {word}" for word in ("reject", "merge", "split", "undo")), "it would change who is who"
    ),
    **dict.fromkeys((f"edit {word}" for word in ("entity", "event", "undo")), "it would correct the library"),
    **dict.fromkeys(("db dump", "db load", "db import-full"), "it would stop the server"),
    **dict.fromkeys(
        (f"eval {word}" for word in ("load", "run", "report", "diff", "stop")), "read where methods are measured"
    ),
    "mcp": "it speaks a protocol of its own",
    "reembed": "it would replace every vector",
    "db guide": "it runs until Ctrl-C; its JSON is read by its own test",
    "db stop": "its JSON is read where a server is started twice",
    "db reset": "it would delete the library",
}


def commands(group: click.Group, before: str = "") -> list[str]:
    context = click.Context(group)
    found: list[str] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found += commands(command, f"{before}{name} ") if isinstance(command, click.Group) else [before + name]
    return found


def test_the_json_of_every_command_is_looked_at():
    assert set(commands(cli)) <= JSON.keys() | OWN_TEST.keys()


@pytest.mark.parametrize("name", JSON)
def test_a_command_prints_one_json_document_and_nothing_else(ravu: Ravu, library: object, name: str):
    Path("plan.json").write_text(ravu("plan", "Is there a dog?", "--json").stdout, encoding="utf-8")
    code = 4 if name == "index" else 0
    assert json.loads(ravu(*name.split(), *JSON[name], "--json", code=code).stdout) is not None


# --- completion -------------------------------------------------------------------------------

# What a person does who presses the tab key behind "ravu-kg ", with the script as `ravu-kg completion` prints it.
TAB = {
    "bash": "eval \"$(ravu-kg completion bash)\"; COMP_WORDS=(ravu-kg {word}); COMP_CWORD=1; "
            "_ravu_kg_completion ravu-kg; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    "zsh": "autoload -Uz compinit; compinit -u -d compdump; eval \"$(ravu-kg completion zsh)\"; "
           "print -r -- ${{_comps[ravu-kg]}} >&2; _describe() {{ print -l -- $completions_with_descriptions }}; "
           "words=(ravu-kg {word}); CURRENT=2; _ravu_kg_completion",
    "fish": "ravu-kg completion fish | source; complete -C 'ravu-kg {word}'",
}  # fmt: skip


@pytest.mark.parametrize("shell", TAB)
@pytest.mark.parametrize(("word", "expected"), [("vid", {"videos"}), ("d", {"demo", "doctor", "db", "diff"})])
def test_the_tab_key_completes_commands(tmp_path: Path, shell: str, word: str, expected: set[str]):
    program = shutil.which(shell)
    if program is None:
        missing(f"{shell} is not installed (Debian: apt-get install {shell})")
    without_own_settings = {"bash": ("--norc",), "zsh": ("-f",), "fish": ("--no-config",)}[shell]
    done = subprocess.run(
        [program, *without_own_settings, "-c", TAB[shell].format(word=word)],
        env={"PATH": f"{Path(PROGRAM).parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = {re.split(r"[\t:,]", line)[-1 if shell == "bash" else 0] for line in done.stdout.split("\n") if line}
    assert found == expected, done.stderr


@pytest.mark.parametrize("shell", TAB)
def test_the_tab_key_completes_indexed_videos_and_files(ravu: Ravu, library: object, shell: str):
    tab = {"_RAVU_KG_COMPLETE": f"{shell}_complete", "COMP_WORDS": "ravu-kg ask dog", "COMP_CWORD": "dog"}
    tab |= {} if shell == "fish" else {"COMP_CWORD": "2"}
    done = subprocess.run([PROGRAM], env={**ravu.env, **tab}, capture_output=True, text=True, timeout=120, check=True)
    assert "dog_and_woman" in done.stdout
    assert "two_men" not in done.stdout
    assert "file" in done.stdout  # and what files there are
    assert not done.stderr


def test_the_tab_key_starts_no_server(ravu: Ravu, tmp_path: Path):
    home = tmp_path / "home of a server"
    tab = {"_RAVU_KG_COMPLETE": "bash_complete", "COMP_WORDS": "ravu-kg ask ", "COMP_CWORD": "2"}
    env = {**ravu.env, **tab, "RAVU_KG_SERVER__HOME": str(home)}
    done = subprocess.run([PROGRAM], env=env, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "file,"
    assert not home.exists()
