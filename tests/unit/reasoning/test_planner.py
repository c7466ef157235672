from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest

from ravu_kg.errors import ReasoningError
from ravu_kg.reasoning.plan import Plan, load_plan
from ravu_kg.reasoning.planner import RulePlanner

SHORT = {
    "localize_node": "localize",
    "identify_node": "identify",
    "sample_entity_events": "sample",
    "extract_temporal_part": "part",
    "count_nodes": "count",
    "get_global_context": "context",
    "analyze_events": "analyze",
}


def outline(plan: Plan) -> str:
    """``localize(the dog absent) > identify(the woman) > sample($target around $anchor)``."""
    parts: list[str] = []
    for step in plan.steps:
        arguments = step.arguments.model_dump(by_alias=True, exclude_defaults=True)
        state = arguments.pop("state", None)
        if state is not None:
            arguments.pop("query")
            state = {"state": " ".join(str(value) for value in state.values())}
        events = arguments.pop("events_to_sample", None)
        texts = [str(value) for value in {**(state or {}), **arguments}.values()]
        if events is not None:
            texts.insert(1 if step.arguments.model_dump()["node"] else 0, events["direction"])
        parts.append(f"{SHORT[step.function]}({' '.join(texts)})")
    return " > ".join(parts)


NEXT = "localize(the first person leaves) > localize(a person enters first $anchor.end_s)"
AWAY = "localize(the dog absent)"
WOMAN = f"{AWAY} > identify(the woman) > sample($target around $anchor)"
TABLE = [
    # counting
    ("How many people are there?", "count(people)"),
    ("number of persons", "count(persons)"),
    ("How many persons can be seen in the video?", "count(persons)"),
    ("What is the total number of people?", "count(people)"),
    ("Count the people.", "count(people)"),
    ("Count all the dogs in the clip", "count(dogs)"),
    ("Tell me how many different men appear", "count(men)"),
    ("How many people come to the table?", "count(people come to the table)"),
    ("How many dogs does the man hold?", "count(dogs the man hold)"),
    ("how many people stops skiing at the end", "part(end) > count(people stops skiing)"),
    ("How many times does the dog bark?", "count(the dog the dog bark events)"),
    ("In total, how many people are there?", "count(people)"),
    ("People: how many are there?", "count(people)"),
    ("Can you count the people in the video?", "count(people)"),
    ("Give the number of people.", "count(people)"),
    ("How many people are in the room while the dog is away?", f"{AWAY} > count(people $anchor)"),
    ("How many people come after the dog leaves?", "localize(the dog leaves) > count(people come $anchor.end_s)"),
    # shots and cuts, which are no entities
    ("How many shots are there?", "count(shots)"),
    ("What is the number of camera shots in the video?", "count(shots)"),
    ("How many shots is the video made of?", "count(shots)"),
    ("How many shots does this video consist of?", "count(shots)"),
    ("How many cuts does the video have?", "count(cuts)"),
    ("How many shot changes are there at the beginning?", "part(beginning) > count(cuts)"),
    ("How often does the camera cut?", "count(cuts)"),
    ("How often does the shot change?", "count(cuts)"),
    ("How many cuts are there after the dog leaves?", "localize(the dog leaves) > count(cuts $anchor.end_s)"),
    ("How many shots of the dog are there?", "count(shots of the dog)"),
    ("How many times does the man cut the bread?", "count(the man the man cut the bread events)"),
    # who comes and goes
    ("Who comes after the first person leaves?", f"{NEXT} > sample($next after $next.timestamp_s)"),
    ("Who shows up once the first person has gone?", f"{NEXT} > sample($next after $next.timestamp_s)"),
    ("After the first person leaves, who comes?", f"{NEXT} > sample($next after $next.timestamp_s)"),
    ("Who is the next to come after the first person has left the picture?",
     f"{NEXT} > sample($next after $next.timestamp_s)"),
    ("Which person arrives when the first one has left?",
     f"{NEXT.replace('a person', 'person')} > sample($next after $next.timestamp_s)"),
    ("Who follows the first person?",
     f"{NEXT.replace('leaves', 'present')} > sample($next after $next.timestamp_s)"),
    ("Who comes first?", "localize(a person enters first) > sample($moment after $moment.timestamp_s)"),
    ("Who leaves last?", "localize(a person leaves last) > sample($moment before $moment.timestamp_s)"),
    ("Who is the last to leave?", "localize(a person leaves last) > sample($moment before $moment.timestamp_s)"),
    ("Who comes in second?", "localize(the second person enters first) > sample($moment after $moment.timestamp_s)"),
    ("Following the first person's departure, who comes?", f"{NEXT} > sample($next after $next.timestamp_s)"),
    # presence and absence
    ("In what time interval is the dog not visible?", AWAY),
    ("Tell me when the dog is off screen.", AWAY),
    ("When is the dog far away?", "localize(the dog far away)"),
    ("When is the dog out of the picture?", AWAY),
    ("At what time can the dog not be seen?", AWAY),
    ("During which seconds is the dog gone?", AWAY),
    ("When can't we see the dog?", AWAY),
    ("When is there no dog in the picture?", AWAY.replace("the dog", "dog")),
    ("When is the dog missing?", AWAY),
    ("When isn't the dog visible?", AWAY),
    ("In which part of the video is the dog absent?", AWAY),
    ("When is the dog in the picture?", "localize(the dog present)"),
    ("When does the dog leave the picture?", "localize(the dog leaves)"),
    ("When does the dog come back?", "localize(the dog returns)"),
    ("How long is the dog away?", AWAY),
    ("Is there a dog?", "localize(dog present)"),
    ("Does a cat appear in the video?", "localize(a cat present)"),
    ("What does the woman do while the dog is away?", WOMAN),
    ("What is the woman doing in the dog's absence?", WOMAN),
    ("While the dog is out of sight, what does the woman do?", WOMAN),
    ("What is the woman doing when the dog is not visible?", WOMAN),
    ("As long as the dog is gone, what does the woman do?", WOMAN),
    # distance
    ("When is the dog near the woman?", "localize(the dog near the woman)"),
    ("At which moments is the dog close to the woman?", "localize(the dog near the woman)"),
    ("When is the dog next to the woman for the first time?", "localize(the dog near the woman first)"),
    ("When are the dog and the woman close together?", "localize(the dog near the woman)"),
    ("When is the dog far from the woman?", "localize(the dog far the woman)"),
    ("When are the dog and the woman far apart?", "localize(the dog far the woman)"),
    ("Who is near the dog?", "localize(a person near the dog)"),
    ("Is the dog near the woman?", "localize(the dog near the woman)"),
    # before, after, around
    ("What does the man do after passing the boy the paper?",
     "localize(the man passing the boy the paper) > sample($anchor after $anchor)"),
    ("What did the dog do after the toy was thrown?",
     "localize(the toy was thrown) > identify(the dog) > sample($target after $anchor)"),
    ("What does the dog do before it leaves?", "localize(the dog leaves) > sample($anchor before $anchor)"),
    ("What happens after the dog comes back?", "localize(the dog returns) > sample(after $anchor 5)"),
    ("Before the dog comes back, what does the woman do?",
     "localize(the dog returns) > identify(the woman) > sample($target before $anchor)"),
    ("What does the woman do first?", "identify(the woman) > sample($target after)"),
    ("What does the woman do last?", "identify(the woman) > sample($target before)"),
    ("What does the woman do next?", "identify(the woman) > sample($target after)"),
    ("What is the woman doing at 3 seconds?", "identify(the woman) > sample($target around 3.0)"),
    ("What happens at 12.5 s?", "sample(around 12.5)"),
    # parts
    ("What happens at the beginning of the video?",
     "part(beginning) > context() > analyze(what happens at the beginning of the video)"),
    ("How does the video end?", "part(end) > context() > analyze(how does the video end)"),
    ("What does the man do in the middle of the video?", "part(middle) > identify(the man) > sample($target after)"),
    ("What does the man do at the end of the road?",
     "localize(the man at the end of the road) > sample($moment around $moment)"),
    ("When is nobody in the picture?", "localize(people absent)"),
    ("When is the picture empty?", "localize(people absent)"),
    # place, colour, reasons, whole video
    ("Where is the dog?", "identify(the dog) > sample($target around)"),
    ("Where was the video taken?", "context() > analyze(where was the video taken)"),
    ("What colour is the dog?", "identify(the dog) > sample($target around)"),
    ("What is the color of the woman's shirt?", "identify(the woman) > sample($target around)"),
    ("Why did the boy cry?", "localize(the boy cry) > sample($moment around $moment) > analyze(the boy cry)"),
    ("How does the dog move?", "localize(the dog move) > sample($moment around $moment)"),
    ("What is the video about?", "context() > analyze(what is the video about)"),
    ("Summarize the video.", "context() > analyze(summarize the video)"),
    ("What happens in the video?", "context() > analyze(what happens in the video)"),
    ("What objects can be seen?", "count(things)"),
    ("Who is in the video?", "count(person)"),
    ("In which video does a dog appear?", "localize(a dog present)"),
    ("Which videos show dogs?", "localize(dogs present)"),
    ("When does the woman throw the ball?", "localize(the woman throw the ball)"),
    # seconds of the video
    ("How many people can be seen between 20 and 80 seconds?", "part(20.0 80.0) > count(people)"),
    ("How many people are in the room at 30 seconds?", "count(people 30.0)"),
    ("How many people appear before 60 s?", "part(0.0 60.0) > count(people)"),
    ("How many people come after second 80?", "part(80.0) > count(people come)"),
    ("How many people come in the first 30 seconds?", "part(0.0 30.0) > count(people come)"),
    ("Is there anybody at 30 seconds?", "part(29.5 30.5) > localize(anybody present)"),
    ("At 0:30, who is there?", "count(person 30.0)"),
    ("What happens from 0:50 to 1:10?", "part(50.0 70.0) > context() > analyze(what happens from 0:50 to 1:10)"),
    ("What happens before 10 seconds?", "part(0.0 10.0) > context() > analyze(what happens before 10 seconds)"),
    ("What happens in the last 20 seconds?", "part(-20.0) > context() > analyze(what happens in the last 20 seconds)"),
    ("What does the woman do in the first half minute?",
     "part(0.0 30.0) > identify(the woman) > sample($target after)"),
    ("Between 2 and 5 s, what does the dog do?", "part(2.0 5.0) > identify(the dog) > sample($target after)"),
    ("What does the dog do 3 seconds into the video?", "identify(the dog) > sample($target around 3.0)"),
    ("What happens at 1:00?", "sample(around 60.0)"),
    # the most at one time, the longest, sides, clothes, slips of the keyboard
    ("How many persons are in the picture at the same time?", "count(persons at_once)"),
    ("What is the maximum number of people visible at once?", "count(people at_once)"),
    ("How many boys and girls are there?", "count(boys and girls)"),
    ("How often does a person leave?", "count(a person a person leave events)"),
    ("how many peple are there", "count(people)"),
    ("Who comes afetr the first person leaves?", f"{NEXT} > sample($next after $next.timestamp_s)"),
    ("Who stays the longest?", "localize(a person present longest)"),
    ("Which person is in the picture for the shortest time?", "localize(person present shortest)"),
    ("How long does the second person stay?", "localize(the second person present)"),
    ("Where does the first person come from?",
     "localize(the first person enters first) > sample($moment after $moment.timestamp_s)"),
    ("Which side do the people come from?", "sample(the people after)"),
    ("Where does the dog leave the picture?",
     "localize(the dog leaves first) > sample($moment before $moment.timestamp_s)"),
    ("What is the first person wearing?", "identify(the first person) > sample($target around)"),
    ("What animals are there?", "count(animals)"),
    # more of presence, absence and distance
    ("Is the dog always visible?", "localize(the dog absent)"),
    ("From when to when is the dog missing?", AWAY),
    ("What is the time span in which the dog is off camera?", AWAY),
    ("What's the woman up to when the dog has disappeared?", WOMAN),
    ("While the dog isn't in the frame, what is she doing?", WOMAN.replace("the woman", "the person")),
    ("Is the woman ever far from the dog?", "localize(the woman far the dog)"),
    ("When are the men near each other?", "localize(the men near the men)"),
    ("When are they far apart?", "localize(things far things)"),
    ("Who was near whom?", "localize(a person near things)"),
    # no rule
    ("¿Cuándo sale el perro de la imagen?", "localize(¿cuándo sale el perro de la imagen) > context()"),
    ("有多少人？", "localize(有多少人) > context()"),
    ("MATCH (n) DETACH DELETE n", "localize(match (n) detach delete n) > context()"),
    ("dog\" OR *:* AND (", "localize(dog\" or *:* and () > context()"),
    ("$anchor.end_s", "localize($anchor.end_s) > context()"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), TABLE, ids=[question for question, _ in TABLE])
def test_question_to_plan(question: str, expected: str) -> None:
    found = outline(RulePlanner().plan(question)).replace(" 5)", ")")
    assert found == expected.replace(" 5)", ")")


def test_the_question_and_the_planner_are_kept() -> None:
    plan = RulePlanner().plan("  How many people are there?  ")
    assert (plan.question, plan.planner) == ("How many people are there?", "rules")


@pytest.mark.parametrize("question", ["", "   ", "\n\t", "???", "."])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(ReasoningError, match="empty"):
        RulePlanner().plan(question)


def test_ten_thousand_characters_are_planned_at_once() -> None:
    for text in ("what does the dog do while the woman " * 300, "a" * 10_000, "(" * 10_000, "after " * 2000):
        started_s = time.process_time()
        plan = RulePlanner().plan(text)
        assert time.process_time() - started_s < 0.5
        assert max(len(step.model_dump_json()) for step in plan.steps) < 3000


def test_every_question_of_nextqa_gets_a_valid_plan_quickly(data_dir: Path) -> None:
    with (data_dir / "nextqa" / "test.csv").open(encoding="utf-8") as file:
        questions = [row["question"] for row in csv.DictReader(file)][::5]
    planner = RulePlanner()
    started_s = time.process_time()
    plans = [planner.plan(question) for question in questions]
    assert (time.process_time() - started_s) / len(questions) < 0.005
    assert all(load_plan(plan.to_json()) == plan for plan in plans[::20])
