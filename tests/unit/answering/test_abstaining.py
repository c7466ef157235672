"""Whether a video tells of what is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ravu_kg.reasoning.abstaining import Sureness, abstains_from, doubts_of, sureness
from ravu_kg.reasoning.told import Telling, words_of
from ravu_kg.reasoning.weighing import fitted, weigh
from tests.unit.answering.telling import embed, told

ENCODER = fitted().encoders[0]
RIGHT = "why did the boy run along the beach with a kite"
WRONG = "why do pianists bow to orchestras"
OPTIONS = ("let the kite fly", "eat ice cream")
STRANGE = ("thank the conductor", "end the concert")


def sure(question: str, options: Sequence[str] = ()) -> Sureness:
    found = sureness(question, told(), embed, weigh(question, options, told(), embed) if options else None)
    assert found is not None
    return found


def test_a_question_about_something_else_is_less_sure_and_says_what_is_missing() -> None:
    right, wrong = sure(RIGHT), sure(WRONG)
    assert right.score > wrong.score
    assert wrong.score < wrong.threshold
    assert "Nothing is said of pianists, bow or orchestras." in wrong.reason
    assert "alike by" in wrong.reason
    assert right.reason == ""


def test_options_that_the_video_tells_of_speak_for_it() -> None:
    with_right = sure(RIGHT, OPTIONS)
    with_wrong = sure(WRONG, STRANGE)
    mixed = sure(WRONG, OPTIONS)
    assert with_right.reason == ""
    assert with_wrong.reason != ""
    assert with_wrong.score < mixed.score < with_right.score


def test_options_that_are_sentences_have_no_threshold() -> None:
    whole = ["the pianist bows to the orchestra and leaves the stage after the concert has come to its end"] * 2
    assert sureness(WRONG, told(), embed, weigh(WRONG, whole, told(), embed)) is None


def test_the_reason_is_short_and_names_words_as_they_were_asked() -> None:
    asked = "why did nine violinists juggle burning torches behind elephants"
    reason = sure(asked).reason
    assert reason.endswith("Nothing is said of nine, violinists or juggle.")


def test_what_speaks_for_a_video() -> None:
    found = doubts_of("a blue kite", told(), embed, None, frozenset())
    assert set(found) == {"nearest", "usual", "words"}
    assert found["nearest"] == pytest.approx(1, abs=1e-5)
    assert found["usual"] < 0.6
    weighed = weigh(RIGHT, OPTIONS, told(), embed)
    more = doubts_of(RIGHT, told(), embed, weighed, frozenset())
    assert more["best_meaning"] == pytest.approx(float(weighed.features[:, 0].max()))
    assert more["best_words"] == pytest.approx(max(told().total(words_of(option)) for option in OPTIONS))
    common = doubts_of(RIGHT, told(), embed, weighed, frozenset(("kite", "ice", "cream")))
    assert common["words"] < more["words"]
    assert common["best_words"] < more["best_words"]
    assert doubts_of("kite", told(), embed, None, frozenset(("kite",)))["words"] > 0


def test_who_only_looks_at_the_evidence_or_has_another_encoder_never_says_so() -> None:
    telling = Telling(told(), "video", embed, ENCODER)
    assert abstains_from("why", telling, OPTIONS)
    assert not abstains_from("why", Telling(told(), "evidence", embed, ENCODER), OPTIONS)
    assert not abstains_from("why", Telling(told(), "video", embed, "another"), OPTIONS)
    assert not abstains_from("yes_no", telling, ())
    assert not abstains_from("summary", telling, ())
    assert abstains_from("summary", telling, OPTIONS)
