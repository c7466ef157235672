"""Style, favourites and guide in the Neo4j Browser: what a person sees after each."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Scene
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from ravu_kg.graph.store import Store
from ravu_kg.memory.browser import paint, write_kit
from ravu_kg.memory.kit_server import served_kit
from ravu_kg.memory.links import deep_link, video_statement
from ravu_kg.server import Endpoint
from tests.e2e.browser.conftest import COLORS, PATIENCE_S, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {file.name: file for file in write_kit(tmp_path_factory.mktemp("kit"))}


def blocks(page: Page) -> dict[str, object]:
    """The runnable blocks of the guide's page that is shown, by their text."""
    return {one.text: one for one in page.driver.find_elements(By.CSS_SELECTOR, "pre.runnable") if one.is_displayed()}


def click_block(page: Page, start: str) -> None:
    """Click the block of the guide that starts with a text; it goes into the editor."""
    block = WebDriverWait(page.driver, PATIENCE_S).until(
        lambda _: next((one for text, one in blocks(page).items() if text.startswith(start)), None),
        f"the guide shows no block {start!r}",
    )
    block.click()
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: page.editor.strip().startswith(start))


def test_the_guide_leads_from_the_style_to_a_picture_in_the_colours_of_the_boxes(
    page: Page, scene: Scene, store: Store, neo4j_endpoint: Endpoint, picture_folder: Path
) -> None:
    assert paint(store, scene.video.id) == len(scene.entities)
    assert paint(store, scene.video.id) == 0, "painted twice"
    with served_kit(neo4j_endpoint, scene.video.id) as link:
        page.open(link)
        click_block(page, ":style http://localhost:")
        page.run()
        WebDriverWait(page.driver, PATIENCE_S).until(lambda _: "node.Video {" in page.text)
        click_block(page, f":param video_id => '{scene.video.id}'")
        page.run()
        page.wait_for("[data-testid=guideNextSlide]").click()
        click_block(page, "MATCH cast =")
        page.run()
        looks = {one.node_id: one for one in page.looks(1 + len(scene.entities))}
        page.driver.save_screenshot(str(picture_folder / "guide.png"))
    assert (looks[scene.video.id].color, looks[scene.video.id].caption) == ("#4C5C75", "three people")
    for entity, color in zip(scene.entities, COLORS, strict=True):
        assert looks[entity.id].color == color
        assert looks[entity.id].caption == entity.description


def test_a_link_to_a_video_draws_its_entities_and_events_in_the_dropped_style(
    page: Page, scene: Scene, store: Store, neo4j_endpoint: Endpoint, kit: dict[str, Path], picture_folder: Path
) -> None:
    page.type(":style reset")
    page.run()
    page.drop(kit["style.grass"])
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: "node.Color24 {" in page.source)
    paint(store, scene.video.id)
    page.open(deep_link(neo4j_endpoint, video_statement(store, scene.video.id)))
    page.run()
    looks = {one.node_id: one for one in page.looks(1 + len(scene.entities) + len(scene.events))}
    page.driver.save_screenshot(str(picture_folder / "video.png"))
    assert [looks[entity.id].color for entity in scene.entities] == list(COLORS)
    for event in scene.events:
        assert looks[event.id].color == "#DCE9F3"
        assert looks[event.id].caption.startswith(event.description[:12])


def test_signs_that_end_an_argument_of_a_link_reach_the_editor(page: Page, neo4j_endpoint: Endpoint) -> None:
    page.open(deep_link(neo4j_endpoint, "RETURN 'v#1 & v#2 + 100 %' AS who"))
    page.run()
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: "v#1 & v#2 + 100 %" in page.text)


def test_dropped_favourites_become_folders_and_run_with_the_guides_parameters(
    page: Page, scene: Scene, store: Store, neo4j_endpoint: Endpoint, kit: dict[str, Path], picture_folder: Path
) -> None:
    with served_kit(neo4j_endpoint, scene.video.id) as link:
        page.open(link)
        for _ in range(5):  # to the page of the favourites
            page.wait_for("[data-testid=guideNextSlide]").click()
        click_block(page, ":params {")
        page.run()
        WebDriverWait(page.driver, PATIENCE_S).until(lambda _: "Successfully set your parameters" in page.text)
    page.drop(kit["favourites.zip"])
    page.driver.find_element(By.XPATH, "//button[contains(., 'Favorites')]").click()
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: "RAVU-KG 6 How good is it" in page.text)
    page.driver.find_element(By.XPATH, "//span[normalize-space()='RAVU-KG 1 Pictures']").click()
    name = f"cast: {store.template('explore/cast').summary}"
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: name in page.text)
    page.driver.find_element(By.XPATH, f"//*[normalize-space(text())='{name}']").click()
    WebDriverWait(page.driver, PATIENCE_S).until(lambda _: page.editor.startswith("// cast: A video"))
    page.run()
    assert len(page.looks(1 + len(scene.entities) + len(scene.events))) == 1 + len(scene.entities) + len(scene.events)
    page.driver.save_screenshot(str(picture_folder / "favourites.png"))
