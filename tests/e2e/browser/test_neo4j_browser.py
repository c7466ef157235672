"""The Neo4j Browser of the embedded server, driven in headless Chromium as a person would."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from builders import Scene

from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import param_lines
from ravu_kg.server import Endpoint, browser_link
from tests.e2e.browser.conftest import Page

pytestmark = pytest.mark.browser


def test_link_fills_the_editor_and_draws_the_graph(
    page: Page, scene: Scene, neo4j_endpoint: Endpoint, picture_folder: Path
) -> None:
    statement = f"MATCH p = (:Video {{id: '{scene.video.id}'}})-[:HAS_ENTITY]->(:Entity) RETURN p"
    page.open(browser_link(neo4j_endpoint, statement))
    assert page.editor == statement
    page.run()
    assert len(page.drawn("node", 1 + len(scene.entities))) == 1 + len(scene.entities)
    # The Browser also draws what connects the nodes of the result: the link between two of the entities.
    assert len(page.drawn("relationship", 1)) == len(scene.entities) + len(scene.links)
    page.driver.save_screenshot(str(picture_folder / "link.png"))


def test_explore_query_is_drawn(page: Page, scene: Scene, store: Store, picture_folder: Path) -> None:
    template = store.template("explore/life_of_entity")
    parameters = {"entity_id": scene.entities[0].id, "limit": 10}
    for line in param_lines(template, parameters).splitlines():
        page.type(line)
        page.run()
    page.type(template.text.strip())
    page.run()
    events = [event for event in scene.events if event.entity_id == scene.entities[0].id]
    assert len(page.drawn("node", 1 + len(events))) == 1 + len(events)
    assert len(page.drawn("relationship", 1)) >= len(events)
    page.driver.save_screenshot(str(picture_folder / "explore.png"))


def test_nothing_leaves_the_machine(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    """The page asks for a font elsewhere; the server's content policy makes Chromium refuse that request."""
    sent: dict[str, str] = {}
    for entry in page.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        parameters = message["params"]
        if message["method"] == "Network.requestWillBeSent":
            sent[parameters["requestId"]] = parameters["request"]["url"]
        elif message["method"] == "Network.webSocketCreated":
            sent[parameters["requestId"]] = parameters["url"]
        elif message["method"] == "Network.loadingFailed" and parameters.get("blockedReason") == "csp":
            sent.pop(parameters["requestId"], None)
    addresses = {urlsplit(url) for url in sent.values()}
    beyond = {
        url.geturl()
        for url in addresses
        if url.scheme in ("http", "https", "ws", "wss") and url.hostname not in ("127.0.0.1", "localhost")
    }
    with capsys.disabled():
        print(f"\nrequests beyond loopback: {sorted(beyond) or 'none'}")
    assert any(url.scheme == "ws" for url in addresses), "the log has no Bolt connection: is it recorded at all?"
    assert not beyond
