from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from ravu_kg.models.structured import InvalidReplyError, asking_again, can_salvage, parse, salvage, schema_of
from ravu_kg.types import ModelReply, ModelRequest


class Seen(BaseModel):
    name: str
    box: tuple[float, float]
    kind: Literal["dog", "cat"] = "dog"


class Detections(BaseModel):
    model_config = ConfigDict(title="detect")

    frame: int
    seen: Annotated[list[Seen], Field(max_length=5)]


class WhatIsThere(BaseModel):
    seen: list[str] = []


DOG = {"name": "a dog", "box": [0, 1]}
CAT = {"name": "a cat {[", "box": [2, 3], "kind": "cat"}
GOOD = json.dumps({"frame": 3, "seen": [DOG, CAT]})


def test_the_stage_is_the_title_of_the_class_or_its_name():
    assert schema_of(Detections)["title"] == "detect"
    assert schema_of(WhatIsThere)["title"] == "what_is_there"
    assert schema_of(Detections)["properties"]["frame"] == {"title": "Frame", "type": "integer"}  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff\n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nDone.",
        f"Here you are:\n```json\n{json.dumps(json.loads(GOOD), indent=2)}\n```\nAnything else?",
        f"```json\n{GOOD}",
        f"Sure! {GOOD} I hope [that] helps {{you}}.",
        f"As in [1] and [2]:\n{GOOD}",
        f"In the form {{name, box}}:\n{GOOD}",
        f'<think>First {{"frame": 3, "seen": []}}, then more.</think>\n{GOOD}',
        f"<think>Is it {{a dog}}? Then ```{{}}```.</think>\n{GOOD}",
    ],
)
def test_json_is_found_whatever_is_around_it(text: str):
    found = parse(text, Detections)
    assert [one.name for one in found.seen] == ["a dog", "a cat {["]
    assert found.seen[1].box == (2, 3)


def test_a_bare_list_is_taken_for_the_one_list_that_was_asked_for():
    assert parse('["a", "b"]', WhatIsThere).seen == ["a", "b"]
    with pytest.raises(InvalidReplyError, match="frame"):
        parse(json.dumps([DOG]), Detections)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The reply is empty."),
        ("  \n", "The reply is empty."),
        ("I cannot see anything.", "The reply holds no JSON."),
        ('{"frame": 3, "seen": [', "The reply holds no JSON."),
        ('{"seen": [], "frame": NaN}', "The reply holds no JSON."),
        ("[" * 100_000, "The reply holds no JSON."),
        ('{"seen": []}', r"frame: Field required\."),
        ('{"frame": "x", "seen": [{"name": 1, "box": [1]}]}', r"frame: Input should be a valid integer"),
        ('{"frame": 1, "seen": [{"name": "a", "box": [1]}]}', r"seen\[0\]\.box\[1\]: Field required\."),
        ('{"frame": 1, "seen": [{"name": "a", "box": [1, 2], "kind": "cow"}]}', r"seen\[0\]\.kind: .*'dog' or 'cat'"),
    ],
)
def test_what_is_wrong_is_said_so_that_the_model_can_correct_it(text: str, problem: str):
    with pytest.raises(InvalidReplyError, match=problem):
        parse(text, Detections)


def test_only_the_first_of_many_problems_are_told():
    text = json.dumps({"frame": 1, "seen": [{}] * 5})
    with pytest.raises(InvalidReplyError, match=r"There are 2 more such problems\."):
        parse(text, Detections)


def test_a_part_of_a_reply_that_was_cut_off_is_no_reply():
    # Everything has a default, so that the inner object would do as a whole.
    class Loose(BaseModel):
        name: str = ""

    with pytest.raises(InvalidReplyError):
        parse('{"seen": [{"name": "a dog"}, {"na', Loose)


def test_a_check_of_what_the_form_cannot_say_is_told_as_well():
    def unknown_frame(found: Detections) -> str | None:
        return f"There is no frame {found.frame}." if found.frame != 4 else None

    with pytest.raises(InvalidReplyError, match=r"There is no frame 3\."):
        parse(GOOD, Detections, unknown_frame)
    assert parse(GOOD.replace("3", "4", 1), Detections, unknown_frame).frame == 4


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"frame": 3, "seen": [{"name": "a", "box": [1, 2]}, {"name": "b", "box": [1, 2]}, {"name": "c", "bo', "ab"),
        ('{"frame": 3, "seen": [{"name": "a", "box": [1, 2]}', "a"),
        ('```json\n{"frame": 3,\n "seen": [\n  {"name": "a", "box": [1, 2]},\n  {"name"', "a"),
        ('{"frame": 3, "seen": [{"name": "a", "box": [1, 2]}, {"name": "b"}, {"name": "c", "box": [3, 4]}]}', "ac"),
        ('<think>{"seen": [1]}</think>{"frame": 3, "seen": [{"name": "a", "box": [1, 2]}, ', "a"),
    ],
)
def test_the_complete_and_valid_items_of_a_list_are_saved(text: str, names: str):
    found = salvage(text, Detections)
    assert found is not None
    assert found.frame == 3
    assert "".join(one.name for one in found.seen) == names


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"frame": 3, "seen": [',
        '{"frame": 3, "seen": [{"name": "a", "b',
        '{"frame": "x", "seen": [{"name": "a", "box": [1, 2]}, {',
        '{"seen": [{"name": "a", "box": [1, 2]}, {',
        '{"frame": 3, "other": [{"name": "a", "box": [1, 2]}, {',
    ],
)
def test_without_a_whole_item_or_what_else_is_needed_nothing_is_saved(text: str):
    assert salvage(text, Detections) is None


def test_a_number_or_word_that_may_have_lost_its_end_is_not_saved():
    class Numbers(BaseModel):
        numbers: list[int]

    found = salvage('{"numbers": [12, 34, 5', Numbers)
    assert found is not None
    assert found.numbers == [12, 34]
    words = salvage('["a", "b", "c', WhatIsThere)
    assert words is not None
    assert words.seen == ["a", "b"]


def test_only_a_reply_with_one_list_can_be_shortened():
    class Two(BaseModel):
        one: list[int]
        other: tuple[int, ...]

    assert can_salvage(Detections)
    assert not can_salvage(Two)
    assert salvage('{"other": [1], "one": [1, 2, ', Two) is None


@given(st.integers(min_value=0, max_value=len(GOOD)))
def test_wherever_a_reply_is_cut_what_is_saved_was_said(at: int):
    found = salvage(GOOD[:at], Detections)
    if found is not None:
        assert (
            found.model_dump(mode="json")["seen"]
            == parse(GOOD, Detections).model_dump(mode="json")["seen"][: len(found.seen)]
        )


@given(st.text(max_size=60))
def test_any_text_is_a_record_or_an_error(text: str):
    with suppress(InvalidReplyError):
        assert isinstance(parse(text, WhatIsThere), WhatIsThere)


def test_the_second_request_holds_the_faulty_reply_and_keeps_the_stable_start():
    request = ModelRequest("instructions", ("a window",), {"title": "detect"}, 100)
    again = asking_again(request, ModelReply('{"frame": "x"}', "stop", 1, 1), "frame: no number.")
    assert (again.instructions, again.schema, again.parts[0]) == ("instructions", {"title": "detect"}, "a window")
    assert '{"frame": "x"}' in str(again.parts[1])
    assert "frame: no number." in str(again.parts[1])
    assert again.max_output_tokens == 100
    cut = asking_again(request, ModelReply('{"frame"', "length", 1, 1), "No JSON.")
    assert cut.max_output_tokens == 200
    assert "fewer words" in str(cut.parts[1])


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (r"a\ud83d\ude00", "a😀"),
        (r"a\ud83d", "a\ufffd"),
        (r"\ude00 a \ud83d", "\ufffd a \ufffd"),
        (r"a\u001b[2Jb\u0000c\rd", "a [2Jb c d"),
        ("a\u009b\u202eb\u2066", "ab"),
        (r"line\nline\ttab \\u001b", "line\nline\ttab \\u001b"),
    ],
)
def test_texts_that_cannot_be_stored_or_printed_are_mended(said: str, read: str):
    assert parse(f'{{"text": "{said}"}}', Said).text == read


class Said(BaseModel):
    text: str
