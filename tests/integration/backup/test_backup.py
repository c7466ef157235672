"""The whole database in one file: from an older Neo4j to this one, never back, and the old data until all went well."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from ravu_kg.errors import ConfigurationError, ServerError, UsageError
from ravu_kg.graph import schema
from ravu_kg.graph.export import canonical
from ravu_kg.graph.store import Store
from ravu_kg.memory.backup import dump_database, load_database
from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.server.backup import Backup, dump, load
from ravu_kg.settings import load as load_settings

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(1200)]

OLD = Path(__file__).with_name("memory-5.26.28.ravudump")
"""One video of ``builders.a_scene`` with vectors of 16 numbers, dumped from Neo4j 5.26.28 with an older schema."""
VIDEO = "0123456789abcdef"
VERSION = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
LOAD = """
import sys
from pathlib import Path
from ravu_kg.server import ServerConfig
from ravu_kg.server.backup import load

home, version, source = sys.argv[1:]
config = ServerConfig(Path(home), version, heap_mb=512, page_cache_mb=64)
load(config, Path(source), lambda endpoint: None, lambda line: print(line, flush=True))
"""


@dataclass(frozen=True)
class Restored:
    """A home that was filled from a dump; no server runs in it."""

    config: ServerConfig
    said: list[str]
    loaded: Backup
    graph: dict[str, object]
    schema_version: int
    dumped: Backup
    """Of that home again."""


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Restored:
    folder = tmp_path_factory.mktemp("restored")
    config = ServerConfig(folder / "home", VERSION, heap_mb=512, page_cache_mb=64)
    graph: dict[str, object] = {}
    version = 0

    def look(endpoint: Endpoint) -> None:
        nonlocal version
        with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password) as store:
            schema.bring_up_to_date(store)
            graph.update(canonical(store, VIDEO))
            version = max(int(str(row["version"])) for row in store.read("schema/migrations").rows)
            assert version == schema.newest(store)

    said: list[str] = []
    loaded = load(config, OLD, look, said.append)
    return Restored(config, said, loaded, graph, version, dump(config, folder / "again.ravudump"))


def content(home: Path) -> dict[str, str]:
    """All data of a home, by place and digest."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((home / "data").rglob("*"))
        if path.is_file()
    }


def test_a_dump_of_an_older_neo4j_becomes_a_memory_of_this_one(restored: Restored) -> None:
    assert restored.loaded.neo4j_version == "5.26.28"
    assert restored.graph["video"]["title"] == f"clip {VIDEO}"
    assert len(restored.graph["frame_nodes"]) == 18
    assert len(restored.graph["relations"]) == 12
    assert restored.schema_version > 25  # that of the dump
    status = EmbeddedServer(restored.config).status()
    assert (status.running, status.has_data, status.version) == (False, True, VERSION)
    assert not (restored.config.home / "incoming").exists()


def test_a_dump_says_what_wrote_it_and_holds_what_neo4j_admin_reads(restored: Restored) -> None:
    assert restored.dumped.neo4j_version == VERSION
    with zipfile.ZipFile(restored.dumped.path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert hashlib.sha256(archive.read("neo4j.dump")).hexdigest() == manifest["sha256"]
    assert {path.name for path in restored.dumped.path.parent.iterdir()} == {"home", "again.ravudump"}
    with pytest.raises(UsageError, match="exists"):
        dump(restored.config, restored.dumped.path)


def test_a_dump_of_a_later_neo4j_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    later = changed(OLD, tmp_path / "later.ravudump", neo4j="2099.01.0")

    with pytest.raises(ConfigurationError, match=r"a dump of Neo4j 2099\.01\.0, and .* Nothing was changed"):
        load(ServerConfig(tmp_path / "home", VERSION), later, pytest.fail)

    assert not (tmp_path / "home").exists()


def test_a_downgrade_is_refused(restored: Restored, tmp_path: Path) -> None:
    if VERSION == "5.26.28":
        later = changed(OLD, tmp_path / "later.ravudump", neo4j="2026.09.0")
    else:
        later = restored.dumped.path
    home = tmp_path / "home"
    settings = load_settings({"server": {"version": "5.26.28", "home": str(home)}})

    with pytest.raises(ConfigurationError, match=r"5\.26\.28 cannot read the data of a later version"):
        load_database(settings, later)

    assert not home.exists()


def test_a_load_that_is_killed_leaves_the_data_as_it_was(restored: Restored) -> None:
    home = restored.config.home
    before = content(home)
    command = [sys.executable, "-c", LOAD, str(home), VERSION, str(restored.dumped.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert next(line for line in process.stdout if line.startswith("Loading"))
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert (home / "incoming").is_dir()

    assert content(home) == before
    assert EmbeddedServer(restored.config).status().has_data


@pytest.mark.parametrize("spoiled", ["cut", "no archive", "another archive", "another size", "another content"])
def test_a_file_that_is_no_whole_dump_is_refused(spoiled: str, restored: Restored, tmp_path: Path) -> None:
    bad = tmp_path / "bad.ravudump"
    if spoiled == "cut":
        bad.write_bytes(OLD.read_bytes()[:-500])
    elif spoiled == "no archive":
        bad.write_text("dump")
    elif spoiled == "another archive":
        with zipfile.ZipFile(bad, "w") as archive:
            archive.writestr("../neo4j.dump", b"x")
    elif spoiled == "another size":
        changed(OLD, bad, bytes=5)
    else:
        changed(OLD, bad, dump=b"no dump at all")
    before = content(restored.config.home)

    with pytest.raises((ConfigurationError, ServerError), match=r"is no whole dump|The load failed"):
        load(restored.config, bad, pytest.fail)

    assert content(restored.config.home) == before
    if spoiled == "another content":  # only Neo4j can tell; what it made of it, and what a killed load left, is gone
        assert not (restored.config.home / "incoming").exists()


def test_a_server_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    settings = load_settings({"neo4j": {"uri": "bolt://db.example:7687"}})

    with pytest.raises(ConfigurationError, match=r"NEO4J_URI is set: bolt://db\.example:7687 .*neo4j-admin"):
        dump_database(settings, tmp_path / "x.ravudump")
    with pytest.raises(ConfigurationError, match="NEO4J_URI is set"):
        load_database(settings, OLD)


def test_there_has_to_be_a_database_and_a_folder(tmp_path: Path) -> None:
    config = ServerConfig(tmp_path / "home", VERSION)

    with pytest.raises(ServerError, match="There is no database"):
        dump(config, tmp_path / "x.ravudump")
    with pytest.raises(UsageError, match="There is no folder"):
        dump(config, tmp_path / "none" / "x.ravudump")
    assert not list(tmp_path.glob("*"))


def changed(source: Path, target: Path, dump: bytes | None = None, **manifest: object) -> Path:
    """A dump that says something else of itself, or holds something else and says so."""
    with zipfile.ZipFile(source) as archive:
        held, stated = archive.read("neo4j.dump"), json.loads(archive.read("manifest.json"))
    if dump is not None:
        held = dump
        stated |= {"bytes": len(dump), "sha256": hashlib.sha256(dump).hexdigest()}
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("neo4j.dump", held)
        archive.writestr("manifest.json", json.dumps(stated | manifest))
    return target
