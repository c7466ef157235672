from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from ravu_kg.memory import IndexResult, VideoMemory
from ravu_kg.settings import load
from tests.conftest import ROOT
from tests.e2e.conftest import Ravu, copied

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
PROSE = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
SHELL = [text for kind, text in BLOCKS if kind == "sh"]
PROFILES = [f"ravu_kg/models/profiles/{name}.md" for name in ("gemini", "openai", "local", "offline")]
GUIDES = ["docker/README.md", "cypher/README.md", "cypher/browser/README.md", "ravu_kg/perception/TRACKS.md"]
PAGES = sorted(ROOT / name for name in ("README.md", "CHANGELOG.md", *GUIDES, *PROFILES))


def block(kind: str, start: str) -> str:
    """The only code block of a kind that has the words in it."""
    found = [text for one, text in BLOCKS if one == kind and start in text]
    assert len(found) == 1, (kind, start, len(found))
    return found[0]


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# --- what is named exists ---------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_file(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor in [slug(one) for one in headings], link


def test_every_make_target_named_exists():
    named = set(re.findall(r"\bmake ([a-z-]+)", "\n".join(SHELL) + "\n".join(re.findall(r"`([^`]+)`", PROSE))))
    assert {"demo", "test", "install"} <= named
    for target in sorted(named):
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


def test_every_command_and_flag_named_exists(ravu: Ravu):
    spans = [one for one in re.findall(r"`([^`]+)`", PROSE.replace("\n", " ")) if one.startswith("ravu-kg ")]
    assert len(spans) >= 5
    for span in spans:
        words = shlex.split(span.replace(" | ", "|"))[1:]
        while words and (words[-1].isupper() or words[-1] == "..."):
            words.pop()
        if words[0] == "--help":
            continue
        names = words[1].split("|") if words[0] == "db" else [""]
        for name in names:
            shown = ravu(words[0], *([name] if name else []), "--help").stdout
            for flag in (word for word in words if word.startswith("--")):
                assert flag in shown, (span, flag)
    for flag in ("--explain", "--json", "--all"):
        assert f"`{flag}" in PROSE or f"ask {flag}" in PROSE
        assert flag in ravu("ask", "--help").stdout


def test_the_first_screen_has_both_commands():
    first = "\n".join(README.splitlines()[:20])
    assert "make demo" in first
    assert "make test" in first


def test_the_settings_file_shown_is_read_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in os.environ if name.startswith("RAVU_KG_")]:
        monkeypatch.delenv(name)
    (tmp_path / "ravu-kg.toml").write_text(block("toml", "[models]"), encoding="utf-8")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    settings = load()
    assert settings.models.detect == "yolox:nano"
    assert settings.models.embed == "sentence-transformers:all-MiniLM-L6-v2"
    assert settings.providers["yolox"]["score_threshold"] == 0.1
    monkeypatch.setenv("RAVU_KG_MODELS__DETECT", "motion")
    assert load().models.detect == "motion"


# --- what is shown happens --------------------------------------------------------------------


@pytest.fixture
def holiday(ravu: Ravu, memory: VideoMemory, data_dir: Path) -> Iterator[Path]:
    """The user's clip, in the current folder; another video than any that the other tests index."""
    path = copied(data_dir / "videos" / "two_men_hug.mp4", Path("holiday.mp4"))
    yield path
    for video in memory.videos():
        if video.title == "holiday":
            memory.delete(video.video_id)


@pytest.mark.e2e
@pytest.mark.neo4j
def test_from_clone_to_answer(holiday: Path, memory: VideoMemory, ravu: Ravu):
    first, *commands = block("sh", "ravu-kg index").splitlines()
    assert first.split("#")[0].strip() == "make install && . .venv/bin/activate"
    # The environment is installed already, nothing may be fetched, and no web browser is to open.
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "BROWSER": "true",
    }
    script = "\n".join(["set -eu", *commands])
    ran = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "holiday.mp4  indexed" in ran.stdout
    for line in block("text", "people.").splitlines():
        expected = re.escape(line).replace("28263", r"\d+").replace(re.escape("..."), ".*")
        assert re.search(f"^{expected}$", ran.stdout, flags=re.MULTILINE), (line, ran.stdout)


@pytest.mark.e2e
@pytest.mark.neo4j
def test_from_python(holiday: Path, memory: VideoMemory, capsys: pytest.CaptureFixture[str]):
    exec(compile(block("python", "VideoMemory"), "README.md", "exec"), {})
    assert re.fullmatch(r"2 people\. \[[\d., ]+\]\n", capsys.readouterr().out)


@pytest.mark.e2e
@pytest.mark.neo4j
def test_the_graph_has_the_nodes_and_relationships_shown(
    library: dict[str, IndexResult], memory: VideoMemory, ravu: Ravu
):
    rows = re.findall(r"^\| `(\w+)` \|", README[README.index("## The graph") :], flags=re.MULTILINE)
    assert set(rows) >= {"Video", "Frame", "Entity", "FrameNode", "Event"}
    shown = [line.split("   ")[0].strip() for line in block("text", "HAS_FRAME").splitlines()]
    assert len(shown) == 5
    for line in shown:
        pattern = re.sub(r"\((\w+)\)", r"(:\1)", re.sub(r" \{\w+\}", "", line))
        assert ravu.json("cypher", f"MATCH {pattern} RETURN 1 AS found LIMIT 1"), line
        for kind, name in re.findall(r"\[:(\w+) \{(\w+)\}", line):
            assert ravu.json(
                "cypher", f"MATCH ()-[r:{kind}]->() WHERE r.{name} IS NOT NULL RETURN 1 AS found LIMIT 1"
            ), line


# --- set-up -----------------------------------------------------------------------------------


def test_one_opencv_wheel_is_installed():
    def present(name: str) -> bool:
        try:
            return bool(version(name))
        except PackageNotFoundError:
            return False

    names = ("opencv-python", "opencv-python-headless", "opencv-contrib-python", "opencv-contrib-python-headless")
    assert len([name for name in names if present(name)]) == 1


@pytest.mark.parametrize("interpreter", ["/nowhere/python3", ""])
def test_make_says_which_python_it_needs(interpreter: str, tmp_path: Path):
    ran = subprocess.run(
        ["make", "install", f"PYTHON={interpreter}", f"VENV={tmp_path / 'env'}"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "Python 3.11 or later is needed" in ran.stderr
    assert "make install PYTHON=/path/to/python3.11" in ran.stderr
    assert not (tmp_path / "env").exists()
