from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], check=True, capture_output=True
    )
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment that has the wheel, and sees the libraries of this one but not the checkout."""
    environment = tmp_path_factory.mktemp("installed") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", built[1]],
        check=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    (site,) = environment.glob("lib/python*/site-packages")
    # The .pth files of a folder that is reached so, the checkout's among them, are not followed.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return environment


def run(environment: Path, program: str, *arguments: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
    return subprocess.run(
        [environment / "bin" / program, *arguments],
        cwd=environment.parent, env=kept, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip


def test_the_wheel_runs_by_itself_and_has_the_checkout_s_templates(installed: Path):
    where = Path(run(installed, "python", "-c", "import ravu_kg; print(ravu_kg.__file__)").strip())
    assert where.is_relative_to(installed)
    checkout = Path(sys.executable).parent.parent
    for arguments in (("templates", "list"), ("templates", "list", "--json"), ("--help",)):
        assert run(installed, "ravu-kg", *arguments) == run(checkout, "ravu-kg", *arguments)


def test_the_package_s_data_is_read_from_the_wheel(installed: Path):
    read = """
from importlib.resources import files
from ravu_kg.graph.templates import TemplateLibrary
from ravu_kg.server.lock_list import read, versions
print(len(list(TemplateLibrary.load())), *[len(read(one).jars) > 100 for one in versions()])
print(len((files("ravu_kg") / "demo" / "questions.toml").read_text(encoding="utf-8")) > 100)
"""
    count, *rest = run(installed, "python", "-c", read).split()
    assert int(count) > 20
    assert len(rest) >= 3
    assert set(rest) == {"True"}


def test_every_file_of_the_package_is_in_the_wheel_and_nothing_else(built: tuple[Path, Path]):
    expected = {path.relative_to(ROOT).as_posix() for path in tracked("ravu_kg")}
    expected |= {f"ravu_kg/{path.relative_to(ROOT).as_posix()}" for path in tracked("cypher")}
    with zipfile.ZipFile(built[1]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == expected
    for suffix in (".json", ".toml", ".txt", ".cypher", ".onnx", ".md", "py.typed"):
        assert any(name.endswith(suffix) for name in names), suffix


def test_nothing_of_the_machine_that_built_it_is_inside(built: tuple[Path, Path]):
    machine = [str(ROOT), str(Path.home()), str(built[0].parent), sys.prefix]
    hosts = re.compile(rb"https?://([a-z0-9-]+\.[a-z0-9.-]+)")
    known = {b"127.0.0.1", b"github.com", b"keepachangelog.com", b"semver.org", b"maven.apache.org", b"www.w3.org"}
    known |= {b"d3js.org"}
    for name, content in contents(built).items():
        for path in machine:
            assert path.encode() + b"/" not in content, name
        if "/tests/" not in name:
            assert set(hosts.findall(content)) <= known, name


def tracked(folder: str) -> list[Path]:
    """The package's files in the checkout, without what running it leaves there."""
    return [
        path
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".coverage")
    ]


def contents(built: tuple[Path, Path]) -> Mapping[str, bytes]:
    source, wheel = built
    found: dict[str, bytes] = {}
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            if file := archive.extractfile(member):
                found[member.name] = file.read()
    with zipfile.ZipFile(wheel) as archive:
        found |= {f"wheel/{name}": archive.read(name) for name in archive.namelist()}
    return found
