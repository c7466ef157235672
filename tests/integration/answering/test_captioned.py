"""Questions with options about a video of which captions tell, and about one that is only measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.asking import answer_plan
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.plan import GetGlobalContext, LocalizeNode, Plan, Step
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from ravu_kg.reasoning.told import SupportBy, told_of
from ravu_kg.reasoning.weighing import fitted
from ravu_kg.types import SceneWindow
from tests.builders import DIMENSIONS, a_frame, a_node, a_scene, a_video, an_entity, an_event, write_scene
from tests.integration.reasoning.park import BagOfWords

pytestmark = pytest.mark.neo4j
CAPTIONS = (
    "A boy stands on a beach beside a girl.",
    "A boy runs along the beach with a kite.",
    "The boy holds the string of a blue kite.",
    "The kite rises over the water.",
    "The boy laughs while his kite flies.",
    "A girl eats ice cream on a towel.",
    "A girl eats ice cream and waves.",
    "A dog digs a hole in the sand.",
)
WHY, BECAUSE = "Why did the boy run along the beach?", ("to catch a bus", "to let his kite fly", "to feed a horse")
Ask = Callable[..., Answer]


class Encoder(BagOfWords):
    """Shared words, under the name of the encoder that thresholds hold for."""

    name = fitted().encoders[0]


def write_captions(store: Store, video_id: str, captions: Sequence[str] = CAPTIONS) -> None:
    """Each caption is what is said of one entity in its second; four seconds are an event."""
    embedder, writer = BagOfWords(), GraphWriter(store)
    nodes = [
        a_node(video_id, at, 1, description=text, source="annotation", box=None, label="thing")
        for at, text in enumerate(captions)
    ]
    frames = tuple(a_frame(video_id, at, description=text) for at, text in enumerate(captions))
    ends = range(4, len(captions) + 1, 4)
    events = [
        an_event(video_id, 1, number, "annotation", start_s=end - 4.0, end_s=float(end), description=captions[end - 4])
        for number, end in enumerate(ends)
    ]
    entity = an_entity(video_id, 1, label="thing", end_s=float(len(captions)), track_timestamps_s=(), track_boxes=())
    video = a_video(video_id, duration_s=float(len(captions)), frame_count=len(captions))
    writer.begin(video, [entity], [])
    writer.write_window(video_id, SceneWindow(0, frames, tuple(nodes), (), ()), embedder.embed(captions, "document"))
    writer.write_events(video_id, events, embedder.embed([one.description for one in events], "document"))
    writer.finish(video_id)


@pytest.fixture
def ask(store: Store, unique_video: str) -> Ask:
    write_captions(store, unique_video)

    def ask_it(
        question: str, *options: str, encoder: BagOfWords | None = None, plan: Plan | None = None,
        by: SupportBy = "video", video: str = unique_video,
    ) -> Answer:  # fmt: skip
        return answer_plan(plan or RulePlanner().plan(question), video, options, reader=GraphReader(store),
                           phrases=Phrases(encoder or BagOfWords()), judge=RuleJudge(),
                           answerer=ExtractiveAnswerer(), by=by)  # fmt: skip

    return ask_it


def test_the_option_that_the_captions_support_is_chosen_and_the_answer_says_how(ask: Ask) -> None:
    answer = ask(WHY, *BECAUSE)
    assert (answer.option, answer.answer, answer.outcome) == (1, BECAUSE[1], "answered")
    assert answer.to_dict()["method"] == {
        "planner": "rules", "reranker": "rules", "answerer": "extractive", "options": "weighed by all moments",
    }  # fmt: skip
    assert 0 < answer.margin <= 1


def test_options_never_change_the_evidence(ask: Ask) -> None:
    alone, with_options, others = ask(WHY), ask(WHY, *BECAUSE), ask(WHY, "to eat ice cream", "to dig a hole")
    assert alone.evidence == with_options.evidence == others.evidence
    assert [one.template for one in alone.trace] == [one.template for one in others.trace]


def test_support_may_be_kept_to_the_evidence(store: Store, ask: Ask, unique_video: str) -> None:
    long = unique_video[::-1]
    write_captions(store, long, CAPTIONS * 3)
    step = Step(function="localize_node", arguments=LocalizeNode(query="a kite that flies"), save_as="found")
    plan, options = Plan(question="What happens?", steps=(step,)), ("a dog digs a hole", "the kite rises")
    by_evidence = ask("", *options, plan=plan, by="evidence", video=long)
    by_video = ask("", *options, plan=plan, by="video", video=long)
    assert 0 < len({one.frame_index for one in by_evidence.evidence}) < 3 * len(CAPTIONS)
    assert by_evidence.evidence == by_video.evidence
    assert by_evidence.margin != by_video.margin
    assert by_evidence.method["options"] == "weighed by the evidence"


def test_a_question_that_the_video_does_not_tell_of_is_not_answered(ask: Ask) -> None:
    strange = "Why do pianists bow to orchestras?"
    answer = ask(strange, "thank the conductor", "end the concert", encoder=Encoder())
    assert answer.outcome == "unknown"
    assert answer.answer.startswith("I don't know. What is told of this video does not fit the question")
    assert "Nothing is said of pianists, bow or orchestras." in answer.notes[-1]
    assert answer.option in (0, 1)
    assert "The likeliest option is" in answer.answer
    assert answer.to_dict()["notes"] == list(answer.notes)
    assert ask(strange, encoder=Encoder()).outcome == "unknown"
    known = ask(WHY, *BECAUSE, encoder=Encoder())
    assert (known.outcome, known.option, known.notes) == ("answered", 1, ())


def test_with_another_encoder_no_threshold_is_known_and_it_is_answered(ask: Ask) -> None:
    assert ask("Why did the pianist bow?", "thank the conductor", "end the concert").outcome == "answered"


def test_a_measured_video_is_answered_as_before(store: Store, ask: Ask, unique_video: str) -> None:
    other = unique_video[::-1]
    write_scene(store, a_scene(other))
    reader = GraphReader(store)
    assert reader.told(other) == []
    assert told_of(reader, other, DIMENSIONS) is None
    answer = ask("How many people are there?", "two", "seven", video=other)
    assert "options" not in answer.method
    assert answer.outcome == "answered"


def test_what_is_told_comes_by_frame_with_everything_that_is_in_it(store: Store, unique_video: str) -> None:
    write_captions(store, unique_video)
    rows = GraphReader(store).told(unique_video)
    assert [row.frame_index for row in rows] == list(range(len(CAPTIONS)))
    assert rows[7].sentences == (CAPTIONS[7],)
    assert rows[7].labels == ("thing",)
    assert GraphReader(store).told("no-such-video") == []


def test_a_change_of_the_video_changes_what_is_told(store: Store, unique_video: str) -> None:
    write_captions(store, unique_video)
    reader = GraphReader(store)
    first = told_of(reader, unique_video, DIMENSIONS)
    assert first is not None
    assert told_of(reader, unique_video, DIMENSIONS) is first, "put together once"
    GraphWriter(store).delete(unique_video)
    write_captions(store, unique_video, [text.replace("kite", "ball") for text in CAPTIONS])
    second = told_of(reader, unique_video, DIMENSIONS)
    assert second is not None
    assert (first.known({"kite"}), second.known({"kite"}), second.known({"ball"})) == (1, 0, 1)


def test_a_video_that_is_measured_for_the_most_part_tells_nothing(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    first = scene.windows[0]
    nodes = (replace(first.nodes[0], source="annotation"), *first.nodes[1:])
    write_scene(store, replace(scene, windows=(replace(first, nodes=nodes), *scene.windows[1:])))
    assert GraphReader(store).told(unique_video) == []


def test_ten_seconds_of_a_long_video_come_from_all_over_it(store: Store, unique_video: str) -> None:
    crowd = [f"C cuts wood into piece {number}." for number in range(20)]
    write_captions(store, unique_video, [*crowd, *(f"C walks past house {number}." for number in range(80))])
    query = GetGlobalContext(query="what piece of wood does C cut")
    plan = Plan(question="What happens?", steps=(Step(function="get_global_context", arguments=query, save_as="all"),))
    answer = answer_plan(plan, unique_video, (), reader=GraphReader(store), phrases=Phrases(BagOfWords()),
                         judge=RuleJudge(), answerer=ExtractiveAnswerer())  # fmt: skip
    times_s = [one.timestamp_s for one in answer.evidence]
    assert len(set(times_s)) == 10
    assert sum(time_s < 20 for time_s in times_s) <= 3
    assert max(times_s) >= 85
