"""The page of a report in headless Chromium, as a person uses it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.conftest import missing
from tests.integration.report.conftest import Filmed, make_filmed
from tests.unit.report.test_elements import HOSTILE

pytestmark = [pytest.mark.neo4j, pytest.mark.browser]

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """A browser that shows one page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, *, width: int = 1280, dark: bool = False, script: bool = True) -> None:
        tell = self.driver.execute_cdp_cmd
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        tell("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # nothing moves while it is clicked
        tell("Emulation.setEmulatedMedia", {"features": [scheme, still]})
        tell("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(page.as_uri())
        # The driver's own scripts need scripts to be allowed again; the page's have had their turn.
        tell("Emulation.setScriptExecutionDisabled", {"value": False})

    def press(self, *keys: str) -> None:
        self.driver.find_element(By.TAG_NAME, "body").send_keys(*keys)

    def wheel(self, x: int, delta_y: int, *, control: bool = False) -> None:
        """Over the timeline, until what it set going has ended."""
        y = self.js("document.querySelector('.tl-marks').getBoundingClientRect().top + 5")
        turned = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta_y, "modifiers": 2 * control}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", turned)
        time.sleep(0.3)

    def text(self, css: str) -> str:
        return self.driver.find_element(By.CSS_SELECTOR, css).text

    def js(self, code: str) -> object:
        return self.driver.execute_script(f"return {code}")

    def is_seen(self, css: str) -> bool:
        return any(one.is_displayed() for one in self.driver.find_elements(By.CSS_SELECTOR, css))

    def asked_for(self) -> list[str]:
        """Addresses that the page wanted, but for those within it."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        wanted = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
        return [url for url in wanted if not url.startswith(("data:", "about:"))]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (found and driver):
        missing("chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield Browser(opened)
    opened.quit()


@pytest.fixture(scope="module")
def page(film_on_disk: Filmed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "page.html"
    answer = film_on_disk.answer(1, 3.4)
    file.write_text(film_on_disk.memory.reports.answer(answer), encoding="utf-8")
    return file


def test_the_page_works_and_asks_for_nothing_but_itself(browser: Browser, page: Path):
    browser.open(page)

    assert browser.asked_for() == [page.as_uri()]
    assert [entry for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert browser.text(".clock") == "0:01.0 of 0:06.0"  # the first evidence
    assert browser.js("document.querySelector('.picture image').getAttribute('href').slice(0, 22)") == (
        "data:image/jpeg;base64"
    )
    assert browser.js("getComputedStyle(document.querySelector('.picture .box rect')).stroke") == "rgb(230, 25, 75)"


def test_keys_step_through_the_moments_and_the_graph_follows(browser: Browser, page: Path):
    browser.open(page)
    seen: list[str] = []
    for keys in ([Keys.ARROW_RIGHT], ["n"], ["p"], [Keys.END], [Keys.ARROW_LEFT], [Keys.HOME]):
        browser.press(*keys)
        seen.append(browser.text(".clock").split(" ")[0])

    assert seen == ["0:02.0", "0:03.4", "0:01.0", "0:05.0", "0:04.0", "0:00.0"]
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".graph-node")) == 3
    assert browser.text(".graph figcaption").startswith("3 entities, 2 relations at 0:00.0")
    words = browser.js("[...document.querySelectorAll('.edge-text')].map((one) => one.textContent.slice(0, 7))")
    assert words == ["left of", "left of"]


def test_the_timeline_is_zoomed_around_the_chosen_moment(browser: Browser, page: Path):
    browser.open(page)
    width = "document.querySelector('.tl-inner').getBoundingClientRect().width"
    cursor = "document.querySelector('.tl-cursor').getBoundingClientRect().left"
    before, place = browser.js(width), browser.js(cursor)

    browser.press("+")
    browser.press("+")
    after, still = browser.js(width), browser.js(cursor)

    assert isinstance(before, int | float)
    assert isinstance(after, int | float)
    assert after > 1.5 * before
    assert still == pytest.approx(place, abs=2)
    browser.press("0")
    assert browser.js(width) == before


def test_the_wheel_zooms_about_the_pointer_with_control_and_scrolls_the_page_without(browser: Browser, page: Path):
    browser.open(page)
    browser.js("document.querySelector('.timeline').scrollIntoView()")
    under_pointer = "(() => { const track = document.querySelector('.tl-axis .tl-track').getBoundingClientRect();"
    under_pointer += " return (700 - track.left) / track.width; })()"
    zoom = "Number(getComputedStyle(document.querySelector('.tl-scroll')).getPropertyValue('--zoom'))"
    before, scrolled = browser.js(under_pointer), browser.js("scrollY")

    browser.wheel(700, -240, control=True)
    assert browser.js(f"{zoom} > 2")
    assert browser.js(under_pointer) == pytest.approx(before, abs=0.001)
    browser.js("document.querySelector('.tl-scroll').scrollBy(100, 0)")  # the browser's own scrolling is followed
    time.sleep(0.2)
    before = browser.js(under_pointer)
    browser.wheel(700, 60, control=True)
    assert browser.js(under_pointer) == pytest.approx(before, abs=0.001)

    assert browser.js("scrollY") == scrolled
    zoomed = browser.js(zoom)
    browser.wheel(700, 90)
    assert browser.js("scrollY") != scrolled
    assert browser.js(zoom) == zoomed


def test_dragging_along_the_axis_shows_the_moment_under_the_pointer(browser: Browser, page: Path):
    browser.open(page)
    browser.js("document.querySelector('.timeline').scrollIntoView()")
    track = browser.driver.find_element(By.CSS_SELECTOR, ".tl-axis .tl-track")
    width = track.size["width"]

    hold = ActionChains(browser.driver).move_to_element_with_offset(track, -width // 2 + 4, 0).click_and_hold()
    hold.perform()
    assert browser.text(".clock").startswith("0:00.0")
    ActionChains(browser.driver).move_by_offset(width * 4 // 6, 60).release().perform()
    assert browser.text(".clock").startswith("0:04.0")


@pytest.mark.parametrize("width", [1280, 390])
def test_names_and_words_of_the_graph_do_not_cover_one_another(browser: Browser, page: Path, width: int):
    browser.open(page, width=width)

    covered = browser.js("""(() => {
      const shown = [...document.querySelectorAll('.graph-node, .edge-text:not(.crowded)')];
      const places = shown.map((one) => one.getBoundingClientRect());
      return [shown.length, places.filter((a, i) => places.slice(i + 1).some((b) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length];
    })()""")
    assert covered == [5, 0]  # three names, two relations


def test_a_bar_of_the_timeline_leads_to_its_moment_and_marks_its_entity(browser: Browser, page: Path):
    browser.open(page)
    browser.driver.find_elements(By.CSS_SELECTOR, ".tl-event")[-1].click()

    assert browser.text(".clock").startswith("0:02.0")
    assert browser.text(".tl-lane.picked .tl-name") == "person\n#3"
    assert browser.js("[...document.querySelectorAll('.picture .box.dim')].length") == 2


def test_cypher_is_copied_with_its_vector_in_full(browser: Browser, page: Path):
    browser.open(page)
    grant = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", grant)
    button = browser.driver.find_element(By.CSS_SELECTOR, ".plan .copy")
    browser.js("document.querySelector('.plan').scrollIntoView()")
    button.click()

    code = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    copied = browser.driver.execute_async_script(code)
    assert ":param embedding => [0.25, 0.25" in copied
    assert copied.rstrip().endswith("RETURN $video_id;")


def test_without_a_script_all_of_it_can_be_read(browser: Browser, page: Path):
    browser.open(page, script=False)

    assert not browser.is_seen(".stage")
    assert not browser.is_seen("button")
    for css in (".answer", ".tl-event", ".card svg image", "tbody tr", ".plan .step", ".costs table"):
        assert browser.is_seen(css)
    assert "They meet." in browser.text(".card")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("script", [True, False])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int, script: bool):
    browser.open(page, width=width, script=script)

    assert browser.js("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert browser.js("innerWidth") == width


@pytest.mark.parametrize("dark", [False, True])
def test_letters_stand_out_from_the_page_in_light_and_in_dark(browser: Browser, page: Path, dark: bool):
    browser.open(page, dark=dark)

    for css in ("body", ".quiet", "td", ".answer", "pre", "a.time"):
        assert contrast(browser, css) > 4.5, css
    browser.driver.find_element(By.CSS_SELECTOR, ".theme").click()
    paper = browser.js("getComputedStyle(document.documentElement).backgroundColor")
    assert isinstance(paper, str)
    assert (luminance(paper) > 0.5) == dark  # the other theme now


def contrast(browser: Browser, css: str) -> float:
    """Between the letters of an element and the first ground behind them that is not seen through."""
    code = f"""(() => {{
      let one = document.querySelector('{css}');
      const ink = getComputedStyle(one).color;
      const solid = (color) => !color.startsWith('rgba') && color !== 'transparent';
      while (one && !solid(getComputedStyle(one).backgroundColor)) one = one.parentElement;
      return [ink, getComputedStyle(one).backgroundColor];
    }})()"""
    colors = browser.js(code)
    assert isinstance(colors, list)
    low, high = sorted(luminance(color) for color in colors)
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    numbers = [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in numbers)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_hostile_text_does_nothing_and_is_shown(browser: Browser, film_on_disk: Filmed, tmp_path: Path):
    film = make_filmed(film_on_disk.memory, tmp_path / "film.mp4", HOSTILE, HOSTILE)
    file = tmp_path / "page.html"
    answer = film.answer(0, text=HOSTILE, question=HOSTILE)
    file.write_text(film.memory.reports.answer(answer), encoding="utf-8")

    browser.open(file)  # an alert would make every later command fail

    assert browser.js("document.images.length") == 0
    assert browser.text("h1").startswith("</script><script>alert(1)</script><img src=x")
    assert "<img src=x" in browser.text(".now li")
    assert browser.asked_for() == [file.as_uri()]


def test_a_film_that_was_moved_is_told_and_its_boxes_are_shown(browser: Browser, film_on_disk: Filmed, tmp_path: Path):
    film = make_filmed(film_on_disk.memory, tmp_path / "film.mp4")
    film.file.unlink()
    file = tmp_path / "page.html"
    file.write_text(film.memory.reports.video(film.video_id), encoding="utf-8")

    browser.open(file)
    browser.press(Keys.ARROW_RIGHT)

    assert "not there any more" in browser.text(".notice")
    assert browser.text(".picture .missing-text") == "picture missing"
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".picture .box")) == 3
