from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError, NotFoundError, ProviderError, UsageError, VideoError
from ravu_kg.graph.export import vectors
from ravu_kg.memory import IndexResult, VideoMemory
from ravu_kg.settings import Settings

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


@pytest.fixture
def motion(memory: VideoMemory) -> VideoMemory:
    """The same memory with the detector that needs least time."""
    models = memory.settings.models.model_copy(update={"detect": "motion"})
    return VideoMemory(memory.settings.model_copy(update={"models": models}), memory.store, memory.endpoint)


def revision_of(memory: VideoMemory, title: str) -> int:
    return next(one for one in memory.videos() if one.title == title).revision


def test_a_real_clip_becomes_a_graph_with_every_stage_timed(library: dict[str, IndexResult]):
    result = library["two_men_hug"]
    assert result.status == "indexed"
    assert result.entities == 2
    assert result.frame_nodes >= result.entities
    assert result.relations > 0
    assert result.events > 0
    assert result.detector.startswith("yolox:yolox_nano_416.onnx")
    assert {"probe", "load", "perceive", "describe", "embed", "write"} == set(result.elapsed_s)


def test_indexing_again_changes_nothing(memory: VideoMemory, library: dict[str, IndexResult], data_dir: Path):
    first = library["dog_and_woman"]
    before, revision = memory.canonical("dog_and_woman"), revision_of(memory, "dog_and_woman")
    again = memory.index(data_dir / "videos" / "dog_and_woman.mp4")
    assert again.status == "unchanged"
    assert (again.video_id, again.entities, again.frame_nodes, again.relations, again.events) == (
        first.video_id,
        first.entities,
        first.frame_nodes,
        first.relations,
        first.events,
    )
    assert memory.canonical("dog_and_woman") == before
    assert revision_of(memory, "dog_and_woman") == revision


def test_indexing_anew_gives_the_same_graph_and_the_same_vectors(
    memory: VideoMemory, library: dict[str, IndexResult], data_dir: Path
):
    video_id = library["two_men_hug"].video_id
    before, (ids, old) = memory.canonical(video_id), vectors(memory.store, video_id)
    shutil.rmtree(memory.settings.cache / "detections")
    memory.index(data_dir / "videos" / "two_men_hug.mp4", replace=True)
    assert memory.canonical(video_id) == before
    new_ids, new = vectors(memory.store, video_id)
    assert new_ids == ids
    assert np.abs(new - old).max() < 1e-4


def test_the_same_content_under_two_names_is_one_video(motion: VideoMemory, make_clip):
    one = make_clip("one.mp4")
    other = one.with_name("other name.mp4")
    shutil.copyfile(one, other)
    first = motion.index(one)
    second = motion.index(other)
    assert (second.video_id, second.status) == (first.video_id, "unchanged")
    assert motion.resolve(str(other)) == first.video_id


def test_two_videos_with_one_name_are_both_kept_and_told_apart(motion: VideoMemory, make_clip):
    one, other = make_clip("a/twin.mp4"), make_clip("b/twin.mp4")
    first, second = motion.index(one), motion.index(other)
    assert first.video_id != second.video_id
    with pytest.raises(UsageError, match=first.video_id) as caught:
        motion.ask("twin", "What happens?")
    assert second.video_id in str(caught.value)
    assert motion.ask(str(one), "What happens?").video_id == first.video_id
    assert motion.ask(second.video_id[:8], "What happens?").video_id == second.video_id


def test_another_detector_needs_a_build_or_a_replacement(motion: VideoMemory, memory: VideoMemory, make_clip):
    clip = make_clip("builds.mp4")
    first = motion.index(clip)
    with pytest.raises(ConfigurationError, match=r"--build NAME.*--replace"):
        memory.index(clip)
    beside = memory.index(clip, build="yolox")
    assert beside.video_id == f"{first.video_id}~yolox"
    assert motion.resolve("builds") == first.video_id
    anew = memory.index(clip, replace=True)
    assert anew.video_id == first.video_id
    assert anew.detector.startswith("yolox:")
    with pytest.raises(UsageError, match="no name of a build"):
        memory.index(clip, build="../x")


def test_another_tracker_or_sampling_is_refused_by_name(motion: VideoMemory, make_clip):
    clip = make_clip("resampled.mp4")
    motion.index(clip)
    models = motion.settings.models.model_copy(update={"track": "box-matching"})
    for update, named in (
        ({"models": models}, r"tracker steady and not box-matching.*--build NAME.*--replace"),
        ({"sample_interval_s": 0.5}, r"sample_interval_s 1 and not 0\.5.*--build NAME.*--replace"),
        ({"tracking_rate_hz": 2.5}, r"tracking_rate_hz 5 and not 2\.5.*--build NAME.*--replace.*"),
    ):
        changed = VideoMemory(motion.settings.model_copy(update=update), motion.store)
        with pytest.raises(ConfigurationError, match=named):
            changed.index(clip)
        assert changed.index(clip, build=f"other{len(named)}").status == "indexed"
    assert motion.index(clip).status == "unchanged"


def test_a_replacement_that_fails_leaves_the_graph_that_is_there(motion: VideoMemory, make_clip, tmp_path: Path):
    clip, tracks = make_clip("kept.mp4"), tmp_path / "bad.txt"
    motion.index(clip)
    before = motion.canonical("kept")
    tracks.write_text("no tracks\n", encoding="utf-8")
    models = motion.settings.models.model_copy(update={"detect": "yolox:missing.onnx"})
    wrong = VideoMemory(motion.settings.model_copy(update={"models": models}), motion.store)
    with pytest.raises(ProviderError, match=r"missing\.onnx"):
        wrong.index(clip, replace=True)
    with pytest.raises(ConfigurationError, match=r"bad\.txt"):
        motion.index(clip, tracks=tracks, replace=True)
    assert motion.canonical("kept") == before


def test_a_replacement_whose_embedder_fails_on_the_way_leaves_the_old_graph_and_goes_on_later(
    motion: VideoMemory, make_clip, tmp_path: Path
):
    clip = make_clip("embedded.mp4", seconds=130)
    models = motion.settings.models.model_copy(update={"track": "box-matching"})
    changes = {"models": models, "cache": tmp_path / "cache"}  # without the sentences that are known
    other = VideoMemory(motion.settings.model_copy(update=changes), motion.store)
    embedder = other.embedder

    class Fails:
        name, dimensions, calls = embedder.name, embedder.dimensions, 0

        def embed(self, texts, purpose):
            self.calls += 1
            if self.calls > 1:
                raise ProviderError("the model is gone")
            return embedder.embed(texts, purpose)

    motion.index(clip)
    old, revision = motion.canonical("embedded"), revision_of(motion, "embedded")
    other.__dict__["embedder"] = Fails()
    with pytest.raises(ProviderError, match="the model is gone"):
        other.index(clip, replace=True)
    assert motion.canonical("embedded") == old
    other.__dict__["embedder"] = embedder
    assert other.index(clip, replace=True).status == "indexed"
    new = motion.canonical("embedded")
    assert new["video"]["tracker"] == "box-matching"  # type: ignore[index]
    assert revision_of(motion, "embedded") == revision + 1
    other.delete("embedded")
    other.index(clip)
    assert motion.canonical("embedded") == new


def test_auto_is_content_with_what_is_there(motion: VideoMemory, make_clip):
    clip = make_clip("auto.mp4")
    motion.index(clip)
    models = motion.settings.models.model_copy(update={"detect": "auto"})
    auto = VideoMemory(motion.settings.model_copy(update={"models": models}), motion.store)
    assert auto.index(clip).status == "unchanged"


def test_given_tracks_are_told_apart_by_their_content(motion: VideoMemory, make_clip, tmp_path: Path):
    clip, tracks = make_clip("given.mp4"), tmp_path / "tracks.txt"
    rows = [f"{frame},1,{10 + frame * 5},40,30,40,1,-1,-1,-1" for frame in range(1, 15)]
    tracks.write_text("\n".join(rows), encoding="utf-8")
    result = motion.index(clip, tracks=tracks)
    assert result.detector.startswith("given:tracks.txt@")
    assert result.entities == 1
    assert motion.index(clip, tracks=tracks).status == "unchanged"
    tracks.write_text("\n".join(rows[:-2]), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="--replace"):
        motion.index(clip, tracks=tracks)


def test_an_answer_comes_with_evidence_that_its_link_and_its_cypher_show(
    memory: VideoMemory, library: dict[str, IndexResult]
):
    answer = memory.ask("two_men_hug", "How many people are there?")
    assert answer.count == 2
    assert answer.evidence
    assert memory.endpoint is not None
    assert memory.evidence_link(answer).startswith(memory.endpoint.browser_url)
    drawn = memory.cypher(memory.evidence_cypher(answer))
    assert len(drawn.rows) == sum(len(one.entity_ids) for one in answer.evidence)


def test_a_saved_plan_gives_the_same_answer(memory: VideoMemory, library: dict[str, IndexResult]):
    from ravu_kg.reasoning.plan import load_plan

    question = "When is the dog in the picture?"
    asked = memory.ask("dog_and_woman", question)
    rerun = memory.run(load_plan(memory.plan(question).to_json()), "dog_and_woman")
    assert rerun.answer == asked.answer
    assert rerun.evidence == asked.evidence


def test_a_question_about_all_videos_names_the_right_one(memory: VideoMemory, library: dict[str, IndexResult]):
    answer = memory.ask_all("In which video does a dog appear?")
    assert "dog_and_woman" in answer.answer
    assert "two_men_hug" not in answer.answer


def test_search_lists_moments_of_all_videos_or_of_one(memory: VideoMemory, library: dict[str, IndexResult]):
    everywhere = memory.search("a dog", limit=3)
    assert everywhere[0].title == "dog_and_woman"
    assert "dog" in everywhere[0].text.lower()
    assert [one.score for one in everywhere] == sorted((one.score for one in everywhere), reverse=True)
    inside = memory.search("a dog", "two_men_hug", limit=5)
    assert {one.title for one in inside} == {"two_men_hug"}
    with pytest.raises(UsageError, match="what to search for"):
        memory.search("  ")


def test_deleting_a_video_leaves_the_others_alone(motion: VideoMemory, library: dict[str, IndexResult], make_clip):
    before = motion.canonical("two_men_hug")
    clip = make_clip("gone.mp4")
    video_id = motion.index(clip).video_id
    assert motion.delete("gone") == video_id
    left = motion.cypher(f"MATCH (n) WHERE n.id STARTS WITH '{video_id}' RETURN count(n) AS n").rows
    assert left == [{"n": 0}]
    assert motion.canonical("two_men_hug") == before
    with pytest.raises(NotFoundError, match="is not indexed"):
        motion.ask(str(clip), "What happens?")


def test_a_video_that_was_not_indexed_to_its_end_says_so_and_is_finished_by_the_next_run(
    motion: VideoMemory, make_clip
):
    clip = make_clip("halfway.mp4")

    def interrupt(stage: str, share: float) -> None:
        if stage == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        motion.index(clip, progress=interrupt)
    with pytest.raises(UsageError, match="not indexed to its end"):
        motion.ask(str(clip), "What happens?")
    assert motion.index(clip).status == "indexed"
    finished = motion.canonical(str(clip))
    motion.index(clip, replace=True)
    assert motion.canonical(str(clip)) == finished


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.5])
def test_a_clip_of_one_frame_or_less_than_a_second_is_a_video_too(motion: VideoMemory, make_clip, seconds: float):
    result = motion.index(make_clip(f"short{seconds}.mp4", seconds=seconds))
    assert result.status == "indexed"
    assert motion.ask(result.video_id, "How many people are there?").count == 0


def test_a_file_that_is_no_video_leaves_nothing_behind(motion: VideoMemory, tmp_path: Path):
    before = len(motion.videos())
    bad = tmp_path / "bad.mp4"
    bad.write_text("not a video", encoding="utf-8")
    with pytest.raises(VideoError, match=r"bad\.mp4"):
        motion.index(bad)
    assert len(motion.videos()) == before


def test_another_embedder_is_refused_until_the_memory_is_reembedded(
    memory: VideoMemory, library: dict[str, IndexResult], settings: Settings
):
    models = settings.models.model_copy(update={"embed": "sentence-transformers:all-MiniLM-L6-v2"})
    smaller = VideoMemory(settings.model_copy(update={"models": models}), memory.store)
    with pytest.raises(ConfigurationError, match="ravu-kg reembed"):
        smaller.ask("two_men_hug", "What happens?")
    try:
        result = smaller.reembed()
        assert result.dimensions == 384
        assert smaller.search("a dog", limit=1)[0].title == "dog_and_woman"
        with pytest.raises(ConfigurationError, match="all-MiniLM-L6-v2"):
            VideoMemory(settings, memory.store).search("a dog")
    finally:
        memory.reembed()
    assert memory.search("a dog", limit=1)[0].title == "dog_and_woman"


def test_every_template_keeps_its_word_on_this_server(memory: VideoMemory):
    assert memory.check_templates() == []
