"""What a record is about is found again by place and time, and sentences follow a new name or label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravu_kg.errors import UsageError
from ravu_kg.graph.identity import Link, identities, in_use
from ravu_kg.graph.rewording import Named, names, relabelled, renamed
from ravu_kg.graph.sightings import Candidate, Sighting, find
from ravu_kg.memory.staleness import read_answers


def moving(entity_id: str, *, left: float = 0.0, start_s: float = 0.0, label: str = "person") -> Candidate:
    """Ten looks at something that moves to the right."""
    times = [start_s + step / 5 for step in range(10)]
    boxes = [side for step in range(10) for side in (left + 2 * step, 10.0, left + 2 * step + 40, 90.0)]
    return Candidate(entity_id, label, times, boxes)


def seen(one: Candidate) -> Sighting:
    return Sighting.of(one.label, one.timestamps_s, one.boxes)


def test_an_entity_is_found_by_its_place_and_time_whatever_its_number() -> None:
    old = seen(moving("v#1"))
    others = [moving("v#1", left=200), moving("v#2", start_s=30), moving("v#9", left=3)]
    assert find(old, others, "v#1") == "v#9"


def test_nothing_is_found_where_nothing_lies_at_that_time() -> None:
    assert find(seen(moving("v#1")), [moving("v#1", left=200), moving("v#2", start_s=30)], "v#1") is None
    assert find(seen(moving("v#1")), [], "v#1") is None
    assert find(Sighting("person", (), ()), [moving("v#1")], "v#1") is None


def test_the_label_decides_between_two_that_lie_alike_and_the_id_between_equals() -> None:
    old = seen(moving("v#1"))
    assert find(old, [moving("v#7", label="bicycle"), moving("v#5", left=1)], "v#7") == "v#5"
    assert find(old, [moving("v#3"), moving("v#4")], "v#3") == "v#3"


def test_a_sighting_comes_back_from_the_graph_as_it_was() -> None:
    one = seen(moving("v#1", label="traffic light"))
    assert Sighting.from_json(one.to_json()) == one
    assert (one.timestamps_s[0], one.timestamps_s[-1]) == (0.0, 1.8)


def test_two_that_are_kept_apart_are_never_one_however_many_join_them() -> None:
    links = {
        ("v#1", "v#2"): Link(0.9, "auto"),
        ("v#2", "v#3"): Link(0.8, "auto"),
        ("v#1", "v#3"): Link(0.7, "rejected"),
    }
    assert in_use(["v#1", "v#2", "v#3"], links, 0.0) == {"v#1": "v#1", "v#2": "v#1", "v#3": "v#3"}
    links["v#2", "v#3"] = Link(0.1, "accepted")  # what a person says comes before any score
    assert in_use(["v#1", "v#2", "v#3"], links, 0.0) == {"v#1": "v#1", "v#2": "v#2", "v#3": "v#2"}


def test_automatic_links_below_the_threshold_are_not_used_but_accepted_ones_are() -> None:
    links = {("v#1", "v#2"): Link(0.5, "auto"), ("v#3", "v#4"): Link(0.5, "accepted")}
    found = in_use(["v#1", "v#2", "v#3", "v#4"], links, 0.6)
    assert found == {"v#1": "v#1", "v#2": "v#2", "v#3": "v#3", "v#4": "v#3"}


def test_foes_stay_foes_through_others() -> None:
    found = identities(["a", "b", "c", "d"], [("a", "b"), ("c", "d"), ("b", "c")], apart=[("a", "d")])
    assert found == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_a_correction_of_one_leaves_the_names_of_others() -> None:
    before = [Named(f"v#{n}", n, "person", "person") for n in (1, 2, 3)]
    after = [before[0], Named("v#2", 2, "person", "dog"), before[2]]
    assert names(before) == {"v#1": "person 1", "v#2": "person 2", "v#3": "person 3"}
    assert names(after) == {"v#1": "person 1", "v#2": "dog 1", "v#3": "person 3"}


def test_only_the_subject_of_a_sentence_is_relabelled() -> None:
    assert relabelled("A person walks to another person.", "person", "dog") == "A dog walks to another person."
    assert relabelled("An orange car stays still.", "car", "truck") == "An orange truck stays still."
    assert relabelled("Someone waves.", "person", "dog") == "Someone waves."


def test_a_name_takes_the_place_of_whole_names_alone() -> None:
    text = "Person 1 is near person 11; person 2 waits."
    assert renamed(text, {"person 1": "Anna", "person 2": "the postman"}) == (
        "Anna is near person 11; the postman waits."
    )


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"question": "q"}', '{"a": 1', '"text"', "[1]"])
def test_what_is_no_answer_is_refused_with_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"answer\.json"):
        read_answers(path)


def test_answers_are_read_one_a_file_in_a_list_or_one_a_line(tmp_path: Path) -> None:
    answer = {"question": "q", "answer": "a", "videos": {"v": {"revision": 1, "indexed_at": "t"}}, "more": 1}
    path = tmp_path / "answer.json"
    for text, count in ((json.dumps(answer, indent=2), 1), (json.dumps([answer] * 2), 2),
                        ("\n".join([json.dumps(answer)] * 3), 3)):  # fmt: skip
        path.write_text(text, encoding="utf-8")
        assert len(read_answers(path)) == count
