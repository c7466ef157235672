"""What the page of a report holds, read as a browser reads it."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from ravu_kg.memory import VideoMemory
from ravu_kg.memory.reporting import Reports
from ravu_kg.types import video_id as id_of
from ravu_kg.video.reader import probe
from tests.builders import a_scene, write_scene
from tests.integration.report.conftest import Filmed, MakeFilmed
from tests.unit.report.test_elements import HOSTILE, Reader

pytestmark = pytest.mark.neo4j


def known(page: str, number: int = 0) -> dict[str, object]:
    """What the page's script knows of a video."""
    found = re.search(rf'<script[^>]*id="data-{number}"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def values(page: str, tag: str, name: str) -> list[str]:
    return [value or "" for element, attribute, value in Reader(page).attributes if (element, attribute) == (tag, name)]


def text_of(page: str) -> str:
    return " ".join(Reader(page).texts)


def test_a_page_loads_nothing_and_may_not(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer(0, 1.4))

    addresses = [
        value or "" for _, name, value in Reader(page).attributes if name in ("href", "src", "xlink:href", "srcset")
    ]
    assert len(addresses) > 5
    assert {address.partition(",")[0] for address in addresses if not address.startswith("#")} == {
        "data:image/jpeg;base64"
    }
    policy = values(page, "meta", "content")[0]
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    assert "@import" not in page
    assert "url(" not in page.replace("`url(#arrow", "")


def test_every_address_within_the_page_leads_somewhere(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer(0, 1.4))

    ids = [value for _, name, value in Reader(page).attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {address[1:] for address in values(page, "a", "href")} <= set(ids)


def test_hostile_texts_of_graph_question_and_answer_stay_text(filmed: MakeFilmed):
    pages: list[str] = []
    for text in ("harmless", HOSTILE):
        film = filmed(text, title=text)
        pages.append(film.memory.reports.answer(film.answer(0, 1.4, text=text, question=text)))
    expected, page = Reader(pages[0]).tags, pages[1]

    read = Reader(page)
    assert read.tags == expected
    assert "img" not in read.tags
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert text_of(page).count(HOSTILE.split(" \u2028")[0]) > 20
    moments = known(page)["moments"]
    assert isinstance(moments, list)
    assert moments[0]["text"] == HOSTILE


def test_pictures_are_those_of_the_film_with_boxes_in_the_entities_colours(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer(2))

    pictures = values(page, "image", "href")
    assert len(pictures) == 1
    picture = Image.open(io.BytesIO(base64.b64decode(pictures[0].partition(",")[2])))
    assert (picture.format, picture.size) == ("JPEG", (320, 180))
    boxes = re.findall(
        r'<g class="box" style="--c:(#\w+)"><rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)">', page
    )
    assert boxes == [("#e6194b", "12", "10", "40", "80")] * 2  # both who are meant
    assert page.count('<g class="box other"') == 1


def test_what_the_script_shows_is_what_the_graph_holds(film_on_disk: Filmed):
    film = film_on_disk
    video = known(film.memory.reports.video(film.video_id))

    assert video["size"] == [320, 180]
    moments, relations = video["moments"], video["relations"]
    assert isinstance(moments, list)
    assert [moment["t"] for moment in moments] == [0, 1, 2, 3, 4, 5]
    assert [len(moment["nodes"]) for moment in moments] == [3] * 6
    assert relations == [[0, 1, "left of", "geometry", False, [0, 5]], [1, 2, "left of", "geometry", False, [0, 5]]]
    assert all(("key" in moment) != ("jpeg" in moment) for moment in moments)


def test_evidence_between_two_sampled_frames_is_shown_at_its_own_time(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer(1.4))

    moments = known(page)["moments"]
    assert isinstance(moments, list)
    assert [moment["t"] for moment in moments] == [0, 1, 1.4, 2, 3, 4, 5]
    assert [card for card in values(page, "a", "data-t") if card == "1.400"]


def test_plan_cypher_and_price_are_there(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer(0))

    text = text_of(page)
    assert "localize_node" in text
    assert ":param embedding => <768 floats>" in text
    assert f":param embedding => [{', '.join(['0.25'] * 768)}]" in text  # what is copied runs as it is
    assert "1,234" in text
    assert "$0.0123" in text
    assert f"{film.video_id}/0/1" in text  # the evidence as a graph


def test_a_film_that_was_moved_leaves_a_page_with_its_frames_marked_missing(filmed: MakeFilmed):
    film = filmed()
    film.file.rename(film.file.with_name("elsewhere.mp4"))

    for page in (film.memory.reports.answer(film.answer(0, 3)), Reports(film.memory).video(film.video_id)):
        assert values(page, "image", "href") == []
        assert "film.mp4 is not there any more" in text_of(page)
        assert str(film.file.parent) not in page
        assert "picture missing" in text_of(page)
        assert page.count('<g class="box') > 1
        moments = known(page)["moments"]
        assert isinstance(moments, list)
        assert len(moments) == 6


def test_another_film_in_its_place_is_not_shown(filmed: MakeFilmed):
    film = filmed()
    with film.file.open("ab") as file:
        file.write(b"\0\0\0\x0cfreeabcd")

    page = film.memory.reports.video(film.video_id)

    assert values(page, "image", "href") == []
    assert "it was changed" in text_of(page)


def test_an_answer_without_evidence_has_a_page_about_its_video(film_on_disk: Filmed):
    film = film_on_disk
    page = film.memory.reports.answer(film.answer())

    assert "No evidence was found" in text_of(page)
    assert "Key frames" in text_of(page)


def test_an_answer_from_several_videos_shows_each(filmed: MakeFilmed):
    first, second = filmed(title="one film"), filmed(title="another film", name="another.mp4")
    first.file.unlink()
    evidence = (*first.answer(1).evidence, *second.answer(2).evidence)
    page = first.memory.reports.answer(replace(first.answer(), video_id="", evidence=evidence))

    assert known(page, 0)["missing"]
    assert not known(page, 1)["missing"]
    assert {"one film", "another film"} <= set(Reader(page).texts)


def test_faces_that_are_blurred_are_told_with_what_is_not_guaranteed(film_on_disk: Filmed):
    film = film_on_disk
    sharp, blurred = (film.memory.reports.video(film.video_id, blur_faces=blur) for blur in (False, True))

    assert "Look at every picture before you pass it on" in text_of(blurred)
    assert "Look at every picture" not in text_of(sharp)
    first, second = (
        Image.open(io.BytesIO(base64.b64decode(values(page, "image", "href")[0].partition(",")[2])))
        for page in (sharp, blurred)
    )
    head = (14, 10, 46, 26)  # of the people of the scene
    assert spread_of(second.crop(head)) < spread_of(first.crop(head)) / 2
    assert spread_of(second.crop((200, 10, 260, 40))) > spread_of(first.crop((200, 10, 260, 40))) * 0.9


def spread_of(picture: Image.Image) -> float:
    low, high = picture.convert("L").getextrema()
    assert isinstance(low, int)
    assert isinstance(high, int)
    return float(high - low)


def test_a_report_of_two_minutes_stays_small(memory: VideoMemory, data_dir: Path):
    file = data_dir / "videos" / "one_by_one_persons.mp4"
    video_id = id_of(probe(file).content_hash, "report-size")
    write_scene(
        memory.store,
        a_scene(
            video_id, frame_count=140, window_frames=70, uri=str(file), width_px=768, height_px=432, duration_s=139.4
        ),
    )

    page = memory.reports.video(video_id)

    assert len(page.encode()) < 5_000_000
    moments = known(page)["moments"]
    assert isinstance(moments, list)
    assert len(moments) == 140
    assert all("key" in moment or "jpeg" in moment for moment in moments)
