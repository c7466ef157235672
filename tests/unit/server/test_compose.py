"""The Docker files agree with the embedded server and with the Compose specification.

``compose-spec.json`` is the specification's schema (Apache-2.0); its first line says where it comes from.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ravu_kg.server import DEFAULT_VERSION
from ravu_kg.server.configuring import Memory, Ports, settings_text

DOCKER = Path(__file__).resolve().parents[3] / "docker"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))


def test_it_is_a_valid_compose_file(compose: dict[str, Any]) -> None:
    schema = json.loads(Path(__file__).with_name("compose-spec.json").read_text(encoding="utf-8"))

    jsonschema.Draft202012Validator(schema).validate(compose)


def test_the_image_is_the_pinned_server(compose: dict[str, Any]) -> None:
    assert compose["services"]["neo4j"]["image"] == f"neo4j:{DEFAULT_VERSION}-community"


def test_the_server_is_reachable_from_this_machine_only(compose: dict[str, Any]) -> None:
    ports = compose["services"]["neo4j"]["ports"]

    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_its_settings_are_those_of_the_embedded_server(compose: dict[str, Any]) -> None:
    text = settings_text(DEFAULT_VERSION, Ports(7687, 7474), Memory(512, 128))
    embedded = dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))
    shared = ("db.", "client.", "dbms.usage", "dbms.security.allow", "internal.dbms.cypher")
    same = [name for name in embedded if name.startswith(shared)]
    environment = compose["services"]["neo4j"]["environment"]

    assert len(same) == 8
    # The image's rule: dots become underscores, underscores are doubled.
    assert {name: environment["NEO4J_" + name.replace("_", "__").replace(".", "_")] for name in same} == {
        name: embedded[name] for name in same
    }


def test_no_password_is_written_in_the_file_and_both_services_get_the_same(compose: dict[str, Any]) -> None:
    server, app = (compose["services"][name]["environment"] for name in ("neo4j", "app"))

    assert server["NEO4J_AUTH"].removeprefix("neo4j/") == app["NEO4J_PASSWORD"]
    assert app["NEO4J_PASSWORD"].startswith("${NEO4J_PASSWORD:?")


def test_the_app_is_built_from_files_that_exist(compose: dict[str, Any]) -> None:
    build = compose["services"]["app"]["build"]
    context = (DOCKER / build["context"]).resolve()

    dockerfile = (context / build["dockerfile"]).read_text(encoding="utf-8")
    copied = [part for line in dockerfile.splitlines() if line.startswith("COPY ") for part in line.split()[1:-1]]
    assert copied
    assert [name for name in copied if not (context / name).exists()] == []
    allowed = (context / f"{build['dockerfile']}.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(allowed)
