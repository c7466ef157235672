"""The parts that put frames into words, without any model: boxes, words, links, colours, events, estimates."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.models.roles import Role
from ravu_kg.perception.captioning import words
from ravu_kg.perception.captioning.ahead import made_ahead
from ravu_kg.perception.captioning.asking import Asked
from ravu_kg.perception.captioning.boxes import convention, from_model
from ravu_kg.perception.captioning.captioner import Captioner
from ravu_kg.perception.captioning.estimate import StandIn, estimate
from ravu_kg.perception.captioning.events import CALL_LINES, PIECE_LINES, find_events, lines_of
from ravu_kg.perception.captioning.linking import BY_BOX, BY_NAME, SAME_ID, Linker
from ravu_kg.perception.captioning.replies import DescribeReply, EventsReply, NewThing
from ravu_kg.perception.captioning.requests import Life, Line
from ravu_kg.perception.captioning.stretches import Stretches, things_of
from ravu_kg.perception.geometry import describe
from ravu_kg.prompts import load
from ravu_kg.types import Box, Perception
from tests.unit.describing.hand_made import a_box, a_perception, a_track

STAGES: tuple[Role, ...] = ("describe", "graph", "sentence", "events")


def a_minute(entities: int = 4) -> Perception:
    return a_perception(
        *(a_track({0.0: a_box(80 + 10 * n, 180), 60.0: a_box(500, 180)}, n) for n in range(1, entities + 1)),
        duration_s=60.0,
    )


# --- boxes of models


def test_each_model_has_its_own_order_of_numbers() -> None:
    gemini, others = convention("gemini:gemini-3-flash"), convention("openai:gpt-4o")
    assert gemini == convention("openai:google/gemini-2.5-pro")
    assert from_model([100, 200, 500, 400], gemini, 1000, 500) == Box(200, 50, 400, 250)
    assert from_model([100, 200, 500, 400], others, 1000, 500) == Box(100, 100, 500, 200)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([500, 400, 100, 200], Box(100, 200, 500, 400)),  # swapped corners
        ([-50, 0, 1500, 400], Box(0, 0, 1000, 400)),  # cut off at the border
        ([0.1, 0.2, 0.5, 0.4], Box(100, 200, 500, 400)),  # shares
        ([1200, 10, 1300, 20], None),
        ([100, 100, 100, 400], None),  # no area
        ([1, 2, 3], None),
        (None, None),
        ([math.nan, 0, 1, 1], None),
    ],
)
def test_boxes_are_put_right_or_dropped(numbers: list[float] | None, expected: Box | None) -> None:
    found = from_model(numbers, convention("openai:any"), 1000, 1000)
    assert found == expected if expected is None else found is not None
    if found and expected:
        assert [found.x_min, found.y_min, found.x_max, found.y_max] == pytest.approx(
            [expected.x_min, expected.y_min, expected.x_max, expected.y_max]
        )


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=4, max_size=4))
def test_no_numbers_give_a_box_outside_of_the_picture(numbers: list[float]) -> None:
    box = from_model(numbers, convention("openai:any"), 640, 360)
    assert box is None or (0 <= box.x_min < box.x_max <= 640 and 0 <= box.y_min < box.y_max <= 360)


@pytest.mark.parametrize("box", [["a", 1, 2, 3], [1, 2, 3, 10**400], [1, 2, 3, -(10**400)], [1, 2, 3, math.inf]])
def test_a_bad_box_does_not_cost_the_rest_of_a_reply(box: list[object]) -> None:
    reply = DescribeReply.model_validate(
        {"frames": [{"i": 1, "text": "x", "new": [{"id": 3, "label": "cup", "look": "", "box": box}]}]}
    )
    assert (reply.frames[0].new[0].id, reply.frames[0].new[0].box) == ("3", None)


# --- words


def test_marks_are_renamed_and_those_of_nobody_go() -> None:
    names = {"n1": "7", "2": "2"}
    said = "The woman #2 throws a toy #n1 to a ghost #99 (#2)."
    assert words.with_marks(said, names.get) == "The woman #2 throws a toy #7 to a ghost #2."
    assert words.sentence("  the dog #3 runs\n\x00 ") == "The dog runs."
    assert words.sentence(" #3 . ") == ""


def test_words_are_bounded() -> None:
    assert len(words.sentence("word " * 500)) <= words.SENTENCE_LETTERS + 1
    assert words.attributes(["Red coat.", "red coat", "", "#3"] + [f"a{n}" for n in range(50)])[0] == "red coat"
    assert len(words.attributes(f"a{n}" for n in range(50))) == words.ATTRIBUTES
    assert words.label("A Red Ball.") == "red ball"


# --- entities that only the model saw


def a_thing(name: str = "n1", label: str = "toy", look: str = "red") -> NewThing:
    return NewThing(id=name, label=label, look=look)


def follow(linker: Linker, *seen: tuple[int, NewThing, Box | None]) -> list[int]:
    return [linker.take(index, float(index), {"n1": (thing, box)}, {}, {})["n1"] for index, thing, box in seen]


def test_a_box_is_followed_over_frames_and_a_missed_frame() -> None:
    linker = Linker(5, ())
    box = Box(0, 0, 100, 100)
    ids = follow(
        linker, (0, a_thing(), box), (1, a_thing(label="ball", look=""), Box(20, 0, 120, 100)), (3, a_thing(), box)
    )
    assert ids == [5, 5, 5]
    assert [one.method for one in linker.added[5].appearances] == [SAME_ID, BY_BOX, BY_BOX]


def test_without_a_box_name_and_description_tell() -> None:
    linker = Linker(5, ())
    ids = follow(
        linker,
        (0, a_thing(look="a small red ball"), None),
        (1, a_thing(look="small, red"), None),
        (2, a_thing(look="large blue"), None),
        (3, a_thing(label="hat", look="small red"), None),
    )
    assert ids == [5, 5, 6, 7]
    assert linker.added[5].last.method == BY_NAME


def test_a_long_absence_gives_a_new_entity_and_a_scored_link() -> None:
    linker = Linker(5, ())
    assert follow(linker, (0, a_thing(), None), (20, a_thing(), None)) == [5, 6]
    assert [(link.earlier_track, link.later_track, link.scope) for link in linker.links] == [(5, 6, "reentry")]
    assert 0 < linker.links[0].score <= 1


def test_a_cut_ends_what_a_box_alone_would_follow() -> None:
    assert follow(Linker(5, (0.5,)), (0, a_thing(), Box(0, 0, 9, 9)), (1, a_thing(), Box(0, 0, 9, 9))) == [5, 6]


def test_two_things_of_one_frame_are_never_one() -> None:
    linker = Linker(5, ())
    box = Box(0, 0, 100, 100)
    both = {"n1": (a_thing(), box), "n2": (a_thing("n2"), box)}
    assert sorted(linker.take(0, 0.0, both, {}, {}).values()) == [5, 6]
    assert sorted(linker.take(1, 1.0, both, {}, {}).values()) == [5, 6]


def test_a_tracked_entity_that_is_told_of_as_new_is_that_entity() -> None:
    linker = Linker(5, ())
    box = Box(0, 0, 100, 100)
    tracked = {3: ("toy", Box(0, 0, 100, 95)), 4: ("dog", box)}
    assert linker.take(0, 0.0, {"n1": (a_thing(), box)}, tracked, {}) == {"n1": 3}
    assert not linker.added


# --- stretches


def test_neighbours_in_time_have_colours_of_their_own_and_later_ones_start_again() -> None:
    spans = [(n, n + 3.0) for n in range(0, 50)]
    tracks = [a_track({float(a): a_box(100, 180), b: a_box(200, 180)}, n) for n, (a, b) in enumerate(spans, start=1)]
    scene = describe(a_perception(*tracks, duration_s=60.0), "v").scene
    things = things_of(scene, 2)
    assert {thing.batch for thing in things.values()} == {0}
    for number in range(1, 48):
        near = [things[str(other)].color for other in range(number, number + 3)]
        assert len(set(near)) == 3


def test_each_target_is_once_in_the_middle_of_its_window() -> None:
    scene = describe(a_minute(), "v").scene
    stretches = list(Stretches(scene, things_of(scene, 2), 60, 1, decode=False))
    assert [one for stretch in stretches for one in stretch.targets] == list(range(len(scene.perception.frames)))
    for stretch in stretches:
        shown = [frame.index for frame in stretch.frames]
        last = len(scene.perception.frames) - 1
        assert shown == list(range(max(0, stretch.targets[0] - 1), min(last, stretch.targets[-1] + 1) + 1))


def test_frames_behind_a_cut_are_not_shown() -> None:
    scene = describe(
        a_perception(a_track({0.0: a_box(80, 180), 9.0: a_box(90, 180)}), duration_s=10.0, cuts_s=(3.0,)), "v"
    ).scene
    first, second, *_ = Stretches(scene, things_of(scene, 2), 60, 1, decode=False)
    assert [frame.index for frame in first.frames] == [0, 1, 2]
    assert [frame.index for frame in second.frames] == [3, 4, 5, 6]


# --- events


class Teller(StandIn):
    """Tells of each piece of a life what it is told to."""

    def __init__(self, tell: dict[tuple[int, int], list[dict[str, object]]]) -> None:
        super().__init__({role: "openai:any" for role in STAGES})
        self.tell = tell
        self.asked: list[list[tuple[str, int, int]]] = []

    def ask(self, role, request, reply, *, salvage=False):  # type: ignore[no-untyped-def,override]
        rows = json.loads(request.parts[0])["entities"]
        self.asked.append([(row["id"], row["lines"][0][0], row["lines"][-1][1]) for row in rows])
        events = [
            {"id": row["id"], **one}
            for row in rows
            for one in self.tell.get(
                (row["lines"][0][0], row["lines"][-1][1]),
                [{"first": row["lines"][0][0], "last": 999, "text": "A dog is."}],
            )
        ]
        return EventsReply.model_validate({"events": events})


def _present(first: int) -> dict[str, object]:
    return {"first": first, "last": 999, "text": "A dog is there."}


def a_life(frames: int, one: str = "1") -> Life:
    return Life(one, "dog", tuple(Line(n, n, f"A dog runs {n}.") for n in range(frames)))


def test_a_sentence_that_stays_is_one_line() -> None:
    assert lines_of([(0, "a"), (1, "a"), (3, "a"), (4, "b")]) == (Line(0, 1, "a"), Line(3, 3, "a"), Line(4, 4, "b"))


def test_a_long_life_is_told_in_pieces_that_overlap_and_each_event_once() -> None:
    teller = Teller(
        {
            (0, 59): [
                {"first": 0, "last": 40, "text": "A dog sleeps."},
                {"first": 41, "last": 59, "text": "A dog runs home."},
            ],
            (54, 99): [
                {"first": 54, "last": 70, "text": "A dog runs home fast."},
                {"first": 71, "last": 99, "text": "A dog eats."},
            ],
        }
    )
    found, troubles = find_events(Asked(teller), [a_life(100)], lambda share: None)
    assert [(one.first, one.last, one.text) for one in found["1"]] == [
        (0, 40, "A dog sleeps."),
        (41, 70, "A dog runs home."),
        (71, 99, "A dog eats."),
    ]
    assert not troubles


def test_short_lives_share_a_call_and_pieces_of_one_life_do_not() -> None:
    teller = Teller({})
    find_events(Asked(teller), [a_life(PIECE_LINES + 20), a_life(10, "2"), a_life(10, "3")], lambda share: None)
    assert [[one for one, _, _ in call] for call in teller.asked] == [["1"], ["1", "2", "3"]]
    assert all(len({one for one, _, _ in call}) == len(call) for call in teller.asked)
    assert CALL_LINES >= PIECE_LINES


# --- what it comes to


def test_a_minute_with_four_entities_takes_at_most_ninety_calls() -> None:
    names = {role: "gemini:gemini-2.5-flash" for role in STAGES}
    perception = a_minute()
    usage = {one.stage: one.usage.calls for one in estimate(describe(perception, "v"), names, 3)}
    assert len(perception.frames) >= 60
    assert sum(usage.values()) <= 90
    assert usage["describe"] <= 21


def test_targets_that_share_a_call_share_pictures() -> None:
    """With a window of three frames, three targets take five pictures and not nine, and one prompt and not three."""
    description = describe(a_minute(), "v")
    tokens: dict[int, int] = {}
    for targets in (1, 3):
        calls = StandIn({"describe": "gemini:gemini-2.5-flash"})
        captioner = Captioner(description, "v", calls, 3, decode=False, targets=targets)
        for _ in captioner.windows(lambda share: None):
            pass
        tokens[targets] = calls.usage["describe"].input_tokens
    assert tokens[3] < 0.5 * tokens[1]


def test_a_prompt_says_that_text_is_data_and_holds_nothing_that_varies() -> None:
    for stage in ("detect", *STAGES):
        assert "never an instruction" in load(stage) or "never instructions" in load(stage)
        assert "{" not in load(stage)


def test_what_fails_ahead_comes_after_what_was_made_before() -> None:
    def items():  # type: ignore[no-untyped-def]
        yield 1
        yield 2
        raise ValueError("broken")

    got: list[int] = []

    def use() -> None:
        with made_ahead(items(), 10) as ahead:
            for item in ahead:
                got.append(item)

    with pytest.raises(ValueError, match="broken"):
        use()
    assert got == [1, 2]
