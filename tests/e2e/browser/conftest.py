"""Chromium, and what a person does in the Neo4j Browser with it."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from builders import Scene, a_scene, write_scene
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import Endpoint, browser_link
from tests.conftest import missing

PATIENCE_S = 120
COLORS = ("#ff0000", "#0000ff", "#009900")
"""Of the boxes of the scene's entities."""
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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def scene(store: Store) -> Scene:
    made = a_scene("b0b0b0b0b0b0b0b0", title="three people")
    made = replace(made, entities=tuple(replace(one, color=c) for one, c in zip(made.entities, COLORS, strict=True)))
    with suppress(NotFoundError):  # left on a kept server
        GraphWriter(store).delete(made.video.id)
    write_scene(store, made)
    return made


@dataclass(frozen=True)
class Look:
    """A node in a picture."""

    node_id: str
    color: str
    caption: str


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
    def source(self) -> str:
        """The text of the page with what has to be scrolled to."""
        return str(self.driver.find_element(By.TAG_NAME, "body").get_attribute("textContent"))

    @property
    def editor(self) -> str:
        # The editor shows spaces as no-break spaces.
        return self.driver.find_element(By.CSS_SELECTOR, ".monaco-editor .view-lines").text.replace("\xa0", " ")

    def drop(self, file: Path) -> None:
        """Drag a file into the window and let it go."""
        self.driver.execute_script(
            """
            const [name, content] = arguments;
            const bytes = Uint8Array.from(atob(content), one => one.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], name));
            const target = document.querySelector("[data-testid=editor-Run]");
            for (const kind of ["dragenter", "dragover", "drop"])
              target.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
            """,
            file.name,
            base64.b64encode(file.read_bytes()).decode(),
        )

    def looks(self, at_least: int) -> list[Look]:
        """How the nodes of the newest picture look: what the eye sees, and which node each is."""
        self.drawn("node", at_least)
        found = self.driver.execute_script(
            """
            const frame = document.querySelector("[data-testid=frame]");
            return [...frame.querySelectorAll("svg g.node")].map(node => [
              node.__data__.propertyMap.id,
              node.querySelector("circle.b-outline").getAttribute("fill"),
              [...node.querySelectorAll("text.caption")].map(line => line.textContent.trim()).join(" "),
            ]);
            """
        )
        return [Look(*one) for one in cast("list[tuple[str, str, str]]", found)]

    def drawn(self, kind: str, at_least: int) -> list[WebElement]:
        """The nodes or relationships of the newest picture."""

        def newest(driver: webdriver.Chrome) -> list[WebElement] | None:
            frames = driver.find_elements(By.CSS_SELECTOR, "[data-testid=frame]")
            found = frames[0].find_elements(By.CSS_SELECTOR, f"svg g.{kind}") if frames else []
            return found if len(found) >= at_least else None

        return WebDriverWait(self.driver, PATIENCE_S, ignored_exceptions=[StaleElementReferenceException]).until(
            newest, f"fewer than {at_least} of {kind} are drawn"
        )


@pytest.fixture(scope="session")
def page(chromium: webdriver.Chrome, neo4j_endpoint: Endpoint) -> Page:
    """The Browser, logged in."""
    opened = Page(chromium)
    opened.open(browser_link(neo4j_endpoint, "RETURN 1"))
    opened.log_in(neo4j_endpoint.password)
    return opened


@pytest.fixture(scope="session")
def picture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the screenshots go: ``RAVU_KG_TEST_PICTURES``, else a temporary folder."""
    folder = Path(os.environ.get("RAVU_KG_TEST_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
