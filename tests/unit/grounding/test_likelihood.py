from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from ravu_kg.graph.reader import EventVectorRow, ToldRow
from ravu_kg.graph.vector_cache import VideoVectors
from ravu_kg.reasoning.grounding.likelihood import likelihood
from ravu_kg.reasoning.grounding.seconds import Seconds
from ravu_kg.reasoning.grounding.settings import GROUNDING, Grounding
from ravu_kg.reasoning.grounding.sought import Sought
from ravu_kg.reasoning.judging import stem
from ravu_kg.types import FloatArray

DIMENSIONS = 64


def vector(text: str) -> FloatArray:
    found = np.full(DIMENSIONS, 1e-6, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()):
        found[zlib.crc32(stem(word).encode()) % DIMENSIONS] += 1.0
    return found / np.linalg.norm(found)


def seconds(captions: list[str], step_s: float = 1.0, events: Sequence[EventVectorRow] = ()) -> Seconds:
    vectors = VideoVectors(
        "v",
        "1",
        tuple(f"v/{index}/1" for index in range(len(captions))),
        ("v#1",) * len(captions),
        np.arange(len(captions)),
        np.arange(len(captions)) * step_s,
        np.stack([vector(text) for text in captions]),
        np.arange(len(captions)),
    )
    told = [ToldRow(index, index * step_s, (), (text,)) for index, text in enumerate(captions)]
    return Seconds.of(vectors, lambda: (told, events))


def ask(video: Seconds, sought: Sought, grounding: Grounding = GROUNDING) -> np.ndarray:
    return likelihood(video, sought, vector, grounding)


DAY = [
    *["a man sits on a bench"] * 8,
    *["a man throws a red ball"] * 2,
    *["a dog runs over the grass"] * 4,
    *["a man sits on a bench"] * 8,
    *["a dog runs over the grass"] * 4,
    *["a man sits on a bench"] * 4,
]


def test_the_seconds_that_tell_of_it_are_likeliest() -> None:
    found = ask(seconds(DAY), Sought("why does the man throw the ball", "a man throws the ball"))

    assert np.argmax(found) in (8, 9)
    assert found.sum() == pytest.approx(1.0)


def test_after_a_moment_the_next_such_seconds_are_likelier_than_later_ones() -> None:
    sought = Sought("what does the dog do after the man throws the ball", "the dog", None, "the man throws the ball",
                    "after")  # fmt: skip

    found = ask(seconds(DAY), sought)

    assert np.argmax(found) in range(10, 14)
    assert found[10:14].sum() > 2 * found[22:26].sum()


def test_before_a_moment_earlier_seconds_are_likelier() -> None:
    flipped = seconds(DAY[::-1])
    sought = Sought("what did the dog do before the man threw the ball", "the dog", None, "the man throws the ball",
                    "before")  # fmt: skip

    assert np.argmax(ask(flipped, sought)) in range(16, 20)


def test_a_part_that_is_named_weighs_the_seconds() -> None:
    same = seconds(["a dog runs over the grass"] * 30)

    early = ask(same, Sought("q", "the dog runs", part="beginning"))
    late = ask(same, Sought("q", "the dog runs", part="end"))
    middle = ask(same, Sought("q", "the dog runs", part="middle"))

    assert np.argmax(early) < 5
    assert np.argmax(late) > 24
    assert 10 <= np.argmax(middle) <= 19


def test_neighbours_count_so_that_a_lasting_scene_beats_a_single_caption() -> None:
    flickering = ["a man sits on a bench"] * 20
    flickering[3] = "a dog runs over the grass"
    flickering[10:14] = ["a dog runs over the grass"] * 4
    sought = Sought("why does the dog run", "a dog runs")

    with_neighbours = ask(seconds(flickering), sought)
    alone = ask(seconds(flickering), sought, Grounding(smoothing=False))

    assert with_neighbours[3] < 0.8 * with_neighbours[12]
    assert alone[3] > 0.8 * alone[12]


def test_without_the_planner_the_side_of_a_moment_means_nothing() -> None:
    sought = Sought("what does the dog do after the man throws the ball", "the dog", None, "the man throws the ball",
                    "after", part="end")  # fmt: skip
    plain = Sought(sought.whole, sought.whole)

    off = Grounding(planner=False)
    assert ask(seconds(DAY), sought, off) == pytest.approx(ask(seconds(DAY), plain, off))


def test_an_uncertain_moment_is_not_taken_for_the_likeliest_second_alone() -> None:
    # The ball is thrown twice; the first time is told in more of the question's words.
    captions = ["a man sits on a bench"] * 40
    captions[5], captions[25] = "a man throws a red ball", "a man throws a ball"
    captions[28:30] = ["a dog jumps high"] * 2
    sought = Sought("what does the dog do after the man throws the red ball", "the dog jumps", None,
                    "the man throws the red ball", "after")  # fmt: skip

    soft, hard = ask(seconds(captions), sought), ask(seconds(captions), sought, Grounding(margin=False))

    assert soft[28:30].sum() > hard[28:30].sum()


def test_a_video_of_one_second_and_one_of_equal_captions() -> None:
    assert ask(seconds(["a dog"]), Sought("q", "a dog")) == pytest.approx([1.0])
    assert np.isfinite(ask(seconds(["a dog"] * 3, step_s=0.5), Sought("q", "a dog", None, "a cat", "before"))).all()


def test_what_is_said_of_an_event_counts_for_each_of_its_seconds() -> None:
    captions = ["a man sits on a bench"] * 20
    captions[10] = "a dog jumps high"
    event = EventVectorRow(8.0, 14.0, vector("a dog jumps high").tolist())
    sought, single = Sought("why does the dog jump", "the dog jumps"), Grounding(smoothing=False)

    told = ask(seconds(captions, events=[event]), sought, single)
    without = ask(seconds(captions, events=[event]), sought, Grounding(smoothing=False, events=False))

    assert told[13] > 1.2 * told[15]
    assert without[13] == pytest.approx(without[15], rel=0.1)


def test_a_second_that_no_event_covers_is_compared_by_its_own_sentences() -> None:
    event = EventVectorRow(0.0, 1.0, vector("a man sits on a bench").tolist())
    video = seconds(["a man sits on a bench", "a dog jumps high"], events=[event])

    assert video.near_events(vector("a dog jumps"))[1] == pytest.approx(video.near(vector("a dog jumps"))[1])


def test_seconds_between_the_moment_and_what_is_asked_are_kept() -> None:
    same = seconds([*["a man sits on a bench"] * 5, "a man throws a red ball", *["a dog runs over the grass"] * 30])

    def centre_s(gap_s: float) -> float:
        sought = Sought("q", "the dog", None, "the man throws a red ball", "after", gap_s)
        return float(ask(same, sought) @ same.timestamps_s)

    assert centre_s(10.0) > centre_s(0.0) + 3
