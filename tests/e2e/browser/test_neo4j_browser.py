"""The Neo4j Browser of the embedded server, driven in headless Chromium as a person would."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from builders import Scene, a_scene
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import param_lines
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import Endpoint, browser_link
from tests.conftest import missing

pytestmark = pytest.mark.browser

PATIENCE_S = 120
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (browser and driver):
        missing("chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def scene(store: Store) -> Scene:
    made = a_scene("b0b0b0b0b0b0b0b0")
    writer = GraphWriter(store)
    writer.begin(made.video, made.entities, made.links)
    for window in made.windows:
        writer.write_window(made.video.id, window, made.embeddings(window))
    writer.write_events(made.video.id, made.events, made.event_embeddings)
    writer.finish(made.video.id)
    return made


class Page:
    """What a person does in the Browser."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def wait_for(self, css: str) -> WebElement:
        return WebDriverWait(self.driver, PATIENCE_S).until(
            lambda driver: next((e for e in driver.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()), None),
            f"nothing on the page matches {css}",
        )

    def open(self, link: str) -> None:
        self.driver.get(link)
        self.wait_for("[data-testid=editor-Run]")

    def log_in(self, password: str) -> None:
        self.wait_for("[data-testid=password]").send_keys(password)
        self.wait_for("[data-testid=connect]").click()
        WebDriverWait(self.driver, PATIENCE_S).until(lambda driver: "You are connected as user" in self.text)

    def run(self) -> None:
        self.wait_for("[data-testid=editor-Run]").click()

    def type(self, text: str) -> None:
        """Replace what the editor holds, as pasting does."""
        self.wait_for("[data-testid=editor-Run]")
        self.driver.find_element(By.CSS_SELECTOR, ".monaco-editor textarea").send_keys(Keys.CONTROL, "a")
        self.driver.execute_cdp_cmd("Input.insertText", {"text": text})

    @property
    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "body").text

    @property
    def editor(self) -> str:
        # The editor shows spaces as no-break spaces.
        return self.driver.find_element(By.CSS_SELECTOR, ".monaco-editor .view-lines").text.replace("\xa0", " ")

    def drawn(self, kind: str, at_least: int) -> list[WebElement]:
        """The nodes or relationships of the newest picture."""

        def newest(driver: webdriver.Chrome) -> list[WebElement] | None:
            frames = driver.find_elements(By.CSS_SELECTOR, "[data-testid=frame]")
            found = frames[0].find_elements(By.CSS_SELECTOR, f"svg g.{kind}") if frames else []
            return found if len(found) >= at_least else None

        return WebDriverWait(self.driver, PATIENCE_S, ignored_exceptions=[StaleElementReferenceException]).until(
            newest, f"fewer than {at_least} of {kind} are drawn"
        )


@pytest.fixture(scope="module")
def page(chromium: webdriver.Chrome, neo4j_endpoint: Endpoint, scene: Scene) -> Page:
    opened = Page(chromium)
    statement = f"MATCH p = (:Video {{id: '{scene.video.id}'}})-[:HAS_ENTITY]->(:Entity) RETURN p"
    opened.open(browser_link(neo4j_endpoint, statement))
    assert opened.editor == statement
    opened.log_in(neo4j_endpoint.password)
    return opened


def test_link_fills_the_editor_and_draws_the_graph(page: Page, scene: Scene, picture_folder: Path) -> None:
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


@pytest.fixture(scope="session")
def picture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the screenshots go: ``RAVU_KG_TEST_PICTURES``, else a temporary folder."""
    folder = Path(os.environ.get("RAVU_KG_TEST_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
