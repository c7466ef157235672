from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.report.elements import code, data, e, page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \" ' & <!-- --> \u2028 ${x} ]]>"


class Reader(HTMLParser):
    """What a browser makes of a text: its elements, and its texts by the element they are in."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_text_and_attributes_are_never_markup():
    read = Reader(page(e("div", {"title": HOSTILE}, HOSTILE, e("b", None, "x"), HOSTILE)))

    assert read.tags == ["div", "b"]
    assert read.attributes == [("div", "title", HOSTILE)]
    assert "".join(read.texts).strip() == HOSTILE + "x" + HOSTILE


def test_json_in_a_script_ends_neither_it_nor_the_page_and_reads_back_the_same():
    read = Reader(page(e("div", None, data("d", {"text": HOSTILE}), e("i", None, "after"))))

    assert read.tags == ["div", "script", "i"]
    assert json.loads(read.texts[1]) == {"text": HOSTILE}


@given(st.text())
def test_any_text_at_all_stays_inside_its_element(text: str):
    read = Reader(page(e("div", {"title": text}, text, data("d", [text]))))

    assert read.tags == ["div", "script"]
    assert [tag for tag, _, _ in read.attributes] == ["div", "script", "script"]


def test_code_that_would_end_its_element_is_a_programming_error():
    with pytest.raises(AssertionError):
        code("script", "let a = '</script>'")


def test_attributes_that_do_not_hold_are_left_out():
    assert page(e("input", {"hidden": True, "checked": False, "value": None})).strip().endswith('<input hidden="">')


def test_names_of_files_that_are_no_text_can_be_written():
    assert page(e("p", None, "a\udcff\x00b")).encode("utf-8")
