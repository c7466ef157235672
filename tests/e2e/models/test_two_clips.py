"""Real questions about two real clips that a scripted model has looked at, and what was measured in them.

The descriptions were written before the questions. The answering model repeats the evidence that it is given, so that
the words of an answer tell which evidence was found. See ``scripts``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ravu_kg.reasoning.records import Answer
    from tests.e2e.models.conftest import Provider, Watch, Watched
    from tests.e2e.models.scripts import Blank

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j, pytest.mark.timeout(600)]

DOG, COFFEE = "dog_and_woman", "pouring_coffee"
PROVIDER: dict[str, Provider] = {DOG: "gemini", COFFEE: "openai"}
AFTER_THE_THROW = "What did the dog do after the woman threw the toy?"

ONE_MOMENT = [
    (DOG, AFTER_THE_THROW, ("dog", 2), "runs to the right after a red toy"),
    (DOG, "What did the woman do before she threw the toy?", ("woman", 0), "takes a red toy out of a dog's mouth"),
    (DOG, "What does the dog do while the woman holds out both hands?", ("dog", 4), "brings a red toy in its mouth"),
    (DOG, "What does the woman do at the end of the video?", ("woman", 9), "strokes a dog's head"),
    (DOG, "Why does the dog run to the right?", ("woman", 1), "throws a red toy"),
    (DOG, "Why does the woman bend down after five seconds?", ("woman", 5), "takes a red toy from the mouth"),
    (DOG, "Does the dog catch the toy in the air?", ("dog", 7), "misses it"),
    (DOG, "What colour is the toy?", ("toy", 0), "red toy"),
    (COFFEE, "Where is the kettle at the beginning?", ("kettle", 0), "stands on a round white table"),
    (COFFEE, "What is poured into the cup?", ("person", 2), "pours brown coffee from a metal kettle into a blue cup"),
    (COFFEE, "What does the person do after lifting the kettle?", ("person", 2), "pours coffee from a metal kettle"),
    (
        COFFEE,
        "What did the person do right before pouring the coffee?",
        ("person", 1),
        "lifts and tilts a metal kettle",
    ),
    (COFFEE, "When does the coffee begin to flow?", ("coffee", 2), "begins to flow"),
    (COFFEE, "What is the person doing at the end?", ("person", 9), "pours coffee"),
    (COFFEE, "Why does the coffee flow out of the kettle?", ("kettle", 2), "is held tilted"),
]


@pytest.mark.parametrize(("clip", "question", "shown", "said"), ONE_MOMENT, ids=[one[1] for one in ONE_MOMENT])
def test_the_evidence_shows_who_does_it_when(
    watch: Watch, clip: str, question: str, shown: tuple[str, int], said: str
) -> None:
    watched = watch(clip, PROVIDER[clip])
    answer = watched.ask(question)
    assert shown in watched.told(answer)
    assert said in answer.answer
    assert answer.outcome == "answered"
    assert not answer.notes  # no rule had to step in for a model


@pytest.mark.parametrize(
    ("clip", "question", "count"),
    [
        (DOG, "How many dogs are there?", 1),  # two tracks, one dog
        (DOG, "How many toys are there?", 1),  # which no detector has a word for
        (DOG, "How many times does the woman throw the toy?", 2),
        (COFFEE, "How many kettles are there?", 1),
        (COFFEE, "How many people pour coffee?", 1),
    ],
)
def test_counts(watch: Watch, clip: str, question: str, count: int) -> None:
    assert watch(clip, PROVIDER[clip]).ask(question).count == count


def test_evidence_lies_on_the_asked_side_of_a_moment(watch: Watch) -> None:
    """She throws at 1 s; what follows is asked without what comes before, and the other way round."""
    watched = watch(DOG)
    assert watched.told(watched.ask(AFTER_THE_THROW)) == [("dog", 2)]
    assert watched.told(watched.ask("What did the woman do before she threw the toy?")) == [("woman", 0)]


def test_a_whole_video_is_answered_from_its_events_in_order(watch: Watch) -> None:
    watched = watch(DOG)
    answer = watched.ask("What happens in the video?")
    seconds = [round(one.timestamp_s) for one in answer.evidence]
    assert seconds == sorted(seconds)
    assert 5 <= len(answer.evidence) <= 10
    words = ("takes a red toy", "throws a red toy", "brings a red toy")
    places = [answer.answer.index(one) for one in words]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("clip", "question", "options", "right"),
    [
        (DOG, AFTER_THE_THROW, ["It lies down", "It barks at her", "It runs to the right", "It drinks"], 2),
        (
            DOG,
            "Why does the woman bend down after five seconds?",
            ["to tie her shoe", "to take the toy out of the dog's mouth", "to pick up the leash"],
            1,
        ),
        (COFFEE, "Where is the kettle at the beginning?", ["on the floor", "in a cupboard", "on the table"], 2),
        (COFFEE, "What is poured into the cup?", ["milk", "tea", "coffee", "water"], 2),
    ],
)
def test_the_right_option_follows_from_the_evidence(
    watch: Watch, clip: str, question: str, options: list[str], right: int
) -> None:
    assert watch(clip, PROVIDER[clip]).ask(question, options).option == right


@pytest.mark.parametrize("clip", [DOG, COFFEE])
def test_both_protocols_give_the_same_graph_and_answers(watch: Watch, clip: str) -> None:
    """Gemini's boxes have y first and its schemas differ; what is known afterwards does not."""
    gemini, openai = watch(clip, "gemini"), watch(clip, "openai")
    assert known(gemini) == known(openai)
    for _, question, _, _ in [one for one in ONE_MOMENT if one[0] == clip][:2]:
        assert gemini.ask(question).answer == openai.ask(question).answer


def test_what_no_detector_knows_is_one_entity_with_its_boxes(watch: Watch) -> None:
    """The toy is out of the picture at four of the ten seconds, and is followed over stretches of frames."""
    watched = watch(DOG)
    toys = [one for one in watched.memory.reader.entities(watched.video_id) if one.label == "toy"]
    assert len(toys) == 1
    rows = watched.memory.cypher(
        f"MATCH (n:FrameNode {{entityId: '{toys[0].entity_id}'}}) RETURN n.t AS t, n.xMin AS x, n.yMin AS y ORDER BY t"
    ).rows
    told = {second.t_s: second.boxes["toy"] for second in watched.watcher.script.seconds if "toy" in second.boxes}
    assert [round(float(str(row["t"]))) for row in rows] == list(told)
    for row, box in zip(rows, told.values(), strict=True):
        assert row["x"] == pytest.approx(box.x_min, abs=2)
        assert row["y"] == pytest.approx(box.y_min, abs=2)


# --- some seconds are kept from the product


@pytest.mark.parametrize(("blank", "state"), [("refused", "blocked"), ("untold", "failed")])
def test_exactly_the_blank_seconds_are_not_covered(watch: Watch, blank: Blank, state: str) -> None:
    """A filter refuses every request that shows one of them, also as a neighbour; the others are still described."""
    watched = watch(DOG, blank_s=(1, 6), blank=blank)
    assert watched.coverage() == {second: state if second in (1, 6) else "ok" for second in range(10)}
    told = {
        (watched.name_of(str(row["entity"])), round(float(str(row["t"]))))
        for row in watched.memory.cypher(
            f"MATCH (n:FrameNode {{videoId: '{watched.video_id}', source: 'model'}}) "
            "RETURN n.entityId AS entity, n.t AS t"
        ).rows
    }
    assert told == {
        (name, second.t_s)
        for second in watched.watcher.script.seconds
        if second.t_s not in (1, 6)
        for name in second.boxes
    }


@pytest.mark.parametrize(
    ("clip", "question", "blank_s", "blank", "lost"),
    [
        (DOG, AFTER_THE_THROW, (2, 9), "refused", "runs to the right"),
        (DOG, "What does the woman do at the end of the video?", (2, 9), "refused", "strokes"),
        (DOG, "Why does the dog run to the right?", (1, 6), "refused", "throws"),
        (DOG, "Why does the dog run to the right?", (1, 6), "untold", "throws"),
        (COFFEE, "Where is the kettle at the beginning?", (0, 1), "refused", "stands on a round white table"),
        (COFFEE, "What did the person do right before pouring the coffee?", (0, 1), "refused", "tilts"),
    ],
)
def test_an_answer_changes_with_its_second_and_says_what_is_not_known(
    watch: Watch, clip: str, question: str, blank_s: tuple[int, int], blank: Blank, lost: str
) -> None:
    whole = watch(clip, PROVIDER[clip]).ask(question)
    assert lost in whole.answer
    assert not whole.coverage.unknown_intervals
    watched = watch(clip, blank_s=blank_s, blank=blank)
    answer = watched.ask(question)
    assert lost not in answer.answer
    assert "Nothing is known of" in answer.answer
    assert unknown(answer) == set(blank_s)
    told = watched.watcher.script.all_words()
    in_the_dark = [one.text for one in answer.evidence if int(one.timestamp_s + 0.1) in blank_s]
    assert not told & set(in_the_dark)  # what is said of these seconds was measured


def test_throws_that_nobody_told_of_are_not_counted(watch: Watch) -> None:
    answer = watch(DOG, blank_s=(1, 6)).ask("How many times does the woman throw the toy?")
    assert answer.count == 0
    assert unknown(answer) == {1, 6}


def unknown(answer: Answer) -> set[int]:
    """The sampled seconds that the answer says nothing is known of."""
    return {
        second for start_s, end_s in answer.coverage.unknown_intervals for second in range(round(start_s), round(end_s))
    }


def known(watched: Watched) -> list[tuple[object, ...]]:
    """Every sentence, event and relation of the models, without ids."""
    found: list[tuple[object, ...]] = []
    for query in (
        "MATCH (n:FrameNode {{videoId: '{0}'}}) RETURN n.label AS who, n.t AS t, n.description AS text",
        "MATCH (z:Event {{videoId: '{0}'}}) RETURN z.tStart AS who, z.tEnd AS t, z.description AS text",
        "MATCH (a:FrameNode {{videoId: '{0}'}})-[r:REL]->(b) RETURN a.label + '/' + b.label AS who, a.t AS t, "
        "r.text AS text",
    ):
        rows = watched.memory.cypher(query.format(watched.video_id)).rows
        found += sorted((str(row["who"]), float(str(row["t"])), str(row["text"])) for row in rows)
    return found
