"""What the Neo4j Browser is given: which answers are taken, colours that can be read, links that arrive whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.memory.browser import (
    DEMO_VIDEO,
    demo_video,
    guide,
    kept_answer,
    looks_like_an_answer,
    nearest_label,
    read_answer_file,
    style,
    style_colors,
    write_kit,
)
from ravu_kg.memory.links import deep_link
from ravu_kg.server import Endpoint
from ravu_kg.video.overlay import palette

ENDPOINT = Endpoint("bolt://127.0.0.1:1", "http://127.0.0.1:2/browser/", "neo4j", "secret", "2026.09.0", 1)
ANSWER = {"video_id": "v", "evidence": [{"frame_index": 3, "entity_ids": ["v#1"], "event_id": "", "video_id": ""}]}


def contrast(one: str, other: str) -> float:
    """As WCAG defines it, 1 to 21."""

    def luminance(digits: str) -> float:
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_style_has_the_colours_of_the_first_boxes_in_their_order() -> None:
    assert [f"#{color}" for _, color in style_colors()] == list(palette(24))
    assert [label for label, _ in style_colors()] == [f"Color{number}" for number in range(1, 25)]


def test_every_caption_of_the_style_can_be_read() -> None:
    rules = re.findall(r"^(node\S*) \{(.*?)\}", style(), re.MULTILINE | re.DOTALL)
    assert len(rules) == 1 + 5 + 24
    for selector, body in rules:
        (fill,) = re.findall(r"(?<![-\w])color: #(\w{6})", body)
        (text,) = re.findall(r"text-color-internal: #(\w{6})", body)
        assert contrast(fill, text) >= 4.5, selector


def test_a_colour_beyond_the_style_gets_the_nearest_and_no_colour_none() -> None:
    assert nearest_label("#ff0000") == "Color1"
    assert nearest_label("#fb0a03") == "Color1"
    assert nearest_label("#e6194b") == "Color15"
    assert [nearest_label(one) for one in ("", "red", "#FF00", "#ff00zz")] == [""] * 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Invalid JSON"),
        ("no JSON", "Invalid JSON"),
        ("[]", "Input should be an object"),
        ('{"video_id": "v"}', "evidence: Field required"),
        (json.dumps(ANSWER | {"evidence": []}), "has no evidence to draw"),
        (json.dumps(ANSWER | {"evidence": [{"frame_index": -1}]}), "evidence.0.frame_index"),
        (json.dumps(ANSWER | {"evidence": [{"frame_index": 1, "entity_ids": ["x' OR 1"]}]}), "entity_ids.0"),
        (json.dumps(ANSWER | {"evidence": [{"frame_index": 1, "entity_ids": ["v#" + "9" * 5000]}]}), "entity_ids.0"),
        (f"{json.dumps(ANSWER)}\n{json.dumps(ANSWER)}", "Invalid JSON"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_to_do(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)) as error:
        kept_answer(text, "answer.json")
    assert "answer.json" in str(error.value)
    assert "ravu-kg" in str(error.value)


def test_an_answer_about_several_videos_names_them_all() -> None:
    evidence = [{"frame_index": 1, "video_id": "b"}, {"frame_index": 2}, {"frame_index": 3, "video_id": "b"}]
    assert kept_answer(json.dumps({"video_id": "a", "evidence": evidence}), "-").video_ids == ["a", "b"]


def test_a_file_with_json_is_an_answer_and_a_video_is_none(tmp_path: Path) -> None:
    kept, clip = tmp_path / "kept", tmp_path / "clip.mp4"
    kept.write_text(f"\n {json.dumps(ANSWER)}")
    clip.write_bytes(b"\x00\x00\x00\x20ftypisom")
    targets = ["-", str(kept), str(clip), "holiday", str(tmp_path), str(tmp_path / "absent.json")]
    assert [looks_like_an_answer(target) for target in targets] == [True, True, False, False, False, False]


def test_an_answer_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.json cannot be read: No such file"):
        read_answer_file(tmp_path / "absent.json")


def test_a_link_keeps_signs_that_would_end_its_argument() -> None:
    link = deep_link(ENDPOINT, "MATCH (n {id: 'v#1'}) WHERE n.x = 'a & b + 100 %' RETURN n")
    # As the Browser takes it apart: decoded first, and only then searched for the end of the argument.
    argument = re.search(r"[?&]arg=([^&#]*)", unquote(link.replace("+", " ")))
    assert argument is not None
    assert argument.group(1) == r"MATCH (n {id: 'v\u00231'}) WHERE n.x = 'a \u0026 b + 100 %' RETURN n"
    assert parse_qs(urlsplit(link).query)["dbms"] == ["bolt://neo4j@127.0.0.1:1"]
    assert "secret" not in link


def test_the_guide_is_about_the_video_and_takes_the_kit_from_where_it_is_served() -> None:
    text = guide("0123456789abcdef", "http://localhost:4711/")
    assert DEMO_VIDEO not in text
    assert ":param video_id => '0123456789abcdef'" in text
    assert "entity_id: '0123456789abcdef#12'" in text
    assert set(re.findall(r"http://localhost:\d+/\S*?(?=[\s)])", text)) == {
        "http://localhost:4711/style.grass",
        "http://localhost:4711/favourites.zip",
    }


def test_the_guide_wants_the_demo_clip() -> None:
    with pytest.raises(NotFoundError, match="Index it: ravu-kg demo"):
        demo_video([])


def test_the_kit_is_the_same_each_time_and_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    first, second = write_kit(tmp_path / "a"), write_kit(tmp_path / "b")
    assert [file.name for file in first] == ["style.grass", "favourites.zip", "guide.md"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    with pytest.raises(UsageError, match="cannot be written"):
        write_kit(first[0])
