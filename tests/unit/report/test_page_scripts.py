"""The scripts of a page: the D3 that was pinned, once, and nothing but what the page's policy names."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

from ravu_kg.report.page import Part, answer_page, video_page
from ravu_kg.report.pictures import PagePictures
from ravu_kg.report.records import Beside
from tests.unit.report.test_lanes import an_answer
from tests.unit.report.test_report_pieces import graph

D3 = files("ravu_kg.report") / "d3"
PART = Part(graph(), PagePictures(), (0,), Beside())


def scripts(page: str) -> list[str]:
    """Those that run; the others hold data."""
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def test_d3_is_the_version_that_was_pinned_unchanged():
    content = (D3 / "d3.min.js").read_bytes()

    assert content.startswith(b"// https://d3js.org v7.9.0 Copyright 2010-2023 Mike Bostock\n")
    assert hashlib.sha256(content).hexdigest() == "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539"


def test_a_page_of_several_videos_holds_d3_and_its_licence_once_and_before_the_script_that_uses_it():
    page = answer_page(an_answer(), [PART, PART, PART])

    assert len(scripts(page)) == 2
    assert page.count((D3 / "d3.min.js").read_text(encoding="utf-8")) == 1
    assert page.count((D3 / "LICENSE").read_text(encoding="utf-8")) == 1
    assert "d3.forceSimulation" in scripts(page)[1]


def test_the_policy_allows_the_two_scripts_by_their_hashes_and_no_other():
    for page in (video_page(PART), answer_page(an_answer(), [PART, PART])):
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        assert policy is not None
        digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts(page)]
        assert policy.group(1).split("; ") == [
            "default-src 'none'",
            "img-src data:",
            "style-src 'unsafe-inline'",
            "script-src " + " ".join(f"'sha256-{digest}'" for digest in digests),
            "base-uri 'none'",
            "form-action 'none'",
        ]
