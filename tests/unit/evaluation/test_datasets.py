"""Readers of question data sets: the real files, and every way in which a file can be wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.evaluation.datasets import Problem, read_questions
from ravu_kg.evaluation.questions import Question, select

HEAD = "video,frame_count,width,height,question,answer,qid,type,a0,a1,a2,a3,a4"
GOOD = "77,100,640,480,what does the dog do after it sits,2,{qid},TN,run,eat,sleep,bark,jump"


def csv_file(folder: Path, *rows: str, head: str = HEAD) -> Path:
    path = folder / "val.csv"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


def spans_file(folder: Path, **location: object) -> Path:
    path = folder / "gsub.json"
    path.write_text(json.dumps({"77": {"duration": 20, "location": location, "fps": 30}}), encoding="utf-8")
    return path


def jsonl(folder: Path, *entries: object) -> Path:
    path = folder / "own.jsonl"
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in entries), "utf-8")
    return path


OWN = {"id": "q1", "video": "clip", "question": "where is the cup", "options": ["here", "there"], "answer": 1}


# --- the real files ---


@pytest.mark.parametrize(
    ("name", "files", "count", "kinds"),
    [
        ("nextqa", ["nextqa/val.csv"], 3843, {"CW": 1483, "TP": 42, "DC": 135}),
        ("nextgqa", ["nextgqa/val.csv", "nextgqa/gsub_val.json"], 2599, {"TN": 664, "TP": 41, "TC": 374}),
        ("nextgqa", ["nextgqa/test.csv", "nextgqa/gsub_test.json"], 4405, {"TN": 1077, "TP": 71}),
        ("intentqa", ["intentqa/test.csv"], 1646, {"CW": 965, "TP": 17}),
        ("egoschema", ["egoschema/subset_anno.json"], 404, {"all": 404}),
        ("star", ["star_sample/situations_0TXYV.json", "star_sample/questions_24.json"], 28, {"Sequence": 7}),
    ],
)
def test_the_real_files_are_read_to_the_last_question(
    data_dir: Path, name: str, files: list[str], count: int, kinds: dict[str, int]
):
    questions = read_questions(name, [data_dir / one for one in files])
    found = Counter(one.type for one in questions)
    assert len(questions) == count
    assert {kind: found[kind] for kind in kinds} == kinds
    assert all(one.answer is not None and one.options[one.answer] for one in questions)


def test_the_spans_of_nextgqa_go_to_the_questions_of_nextqa_that_have_them(data_dir: Path):
    questions = read_questions("nextqa", [data_dir / "nextqa/val.csv", data_dir / "nextgqa/gsub_val.json"])
    by_id = {one.id: one for one in questions}
    assert by_id["10042935613/4"].spans == ((2.2, 9.4), (35.9, 39.4))
    assert sum(bool(one.spans) for one in questions) == 2599
    assert {one.group for one in questions if not one.spans} >= {"D"}


def test_nextgqa_gives_the_right_option_as_text_and_nextqa_by_its_position(data_dir: Path):
    by_id = {one.id: one for one in read_questions("nextqa", [data_dir / "nextqa/val.csv"])}
    files = [data_dir / "nextgqa/val.csv", data_dir / "nextgqa/gsub_val.json"]
    assert all(by_id[one.id].answer == one.answer for one in read_questions("nextgqa", files))


def test_egoschema_with_its_answers_in_a_file_of_their_own(data_dir: Path, tmp_path: Path):
    entries = json.loads((data_dir / "egoschema/subset_anno.json").read_text(encoding="utf-8"))
    bare = [{key: value for key, value in entry.items() if key != "truth"} for entry in entries.values()]
    questions = tmp_path / "questions.json"
    questions.write_text(json.dumps([*bare, {**bare[0], "q_uid": "without an answer"}]), encoding="utf-8")
    joined = read_questions("egoschema", [questions, data_dir / "egoschema/subset_answers.json"])
    assert {one.id: one.answer for one in joined} == {key: entry["truth"] for key, entry in entries.items()}


# --- one's own format ---


def test_own_questions_may_ask_only_where_something_is(tmp_path: Path):
    path = jsonl(
        tmp_path,
        {**OWN, "type": "TN", "spans": [[1, 2.5]], "duration_s": 9},
        "",
        {"id": "q2", "video": "clip", "question": "the cup", "spans": [[0, 1]], "group": "C"},
    )
    first, second = read_questions("own", [path])
    assert (first.answer, first.group, first.spans, first.duration_s) == (1, "T", ((1.0, 2.5),), 9.0)
    assert (second.answer, second.options, second.group) == (None, (), "C")


# --- what can be wrong ---


@pytest.mark.parametrize(
    ("row", "field", "told"),
    [
        (GOOD.format(qid=1).replace(",2,1,", ",5,1,"), "answer", "5 is none of the 5 options"),
        (GOOD.format(qid=1).replace(",2,1,", ",two,1,"), "answer", "'two' and not a whole number"),
        (GOOD.format(qid=1).replace("TN", "XX"), "type", "'XX' is none of CW, CH"),
        (GOOD.format(qid=1).replace("sleep", " "), "a2", "is empty"),
        ("77,100,640,480,why,2,1,CW,run", "a1", "is missing"),
        (GOOD.format(qid=0), "id", "question '77/0' is there already"),
    ],
)
def test_a_bad_row_is_told_with_file_line_and_field_and_left_out_only_when_asked(
    tmp_path: Path, row: str, field: str, told: str
):
    path = csv_file(tmp_path, GOOD.format(qid=0), row)
    with pytest.raises(ConfigurationError, match="--skip-bad") as refused:
        read_questions("nextqa", [path])
    assert f"{path}, line 3: {field}: " in str(refused.value)
    assert told in str(refused.value)
    problems: list[Problem] = []
    assert [one.id for one in read_questions("nextqa", [path], skip_bad=True, on_problem=problems.append)] == ["77/0"]
    assert [(one.line, one.field) for one in problems] == [(3, field)]


@pytest.mark.parametrize("span", [[5, 5], [5, 4], [-1, 3], [10, 22]])
def test_a_span_outside_the_video_is_refused(tmp_path: Path, span: list[float]):
    files = [csv_file(tmp_path, GOOD.format(qid=0)), spans_file(tmp_path, **{"0": [span]})]
    with pytest.raises(ConfigurationError, match=r"line 2: spans: \["):
        read_questions("nextqa", files)


def test_a_span_may_end_with_the_last_second_that_is_not_whole(tmp_path: Path):
    files = [csv_file(tmp_path, GOOD.format(qid=0)), spans_file(tmp_path, **{"0": [[10, 20.6]]})]
    assert read_questions("nextqa", files)[0].spans == ((10.0, 20.6),)


def test_a_missing_column_is_named_beside_those_that_are_there(tmp_path: Path):
    path = csv_file(tmp_path, "1,2", head="video,question")
    with pytest.raises(ConfigurationError, match=r"has no column answer, qid, type, a0.* It has: video, question"):
        read_questions("nextqa", [path])


def test_another_encoding_is_named(tmp_path: Path):
    path = tmp_path / "val.csv"
    path.write_bytes(f"{HEAD}\n{GOOD.format(qid=0)}\n".replace("dog", "dög").encode("latin-1"))
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        read_questions("nextqa", [path])


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("egoschema", "[1", "is not valid JSON"),
        ("egoschema", "{}", "holds no EgoSchema questions"),
        ("star", '{"a": {"question": "x"}}', "holds no STAR questions"),
        ("nextgqa", "{}", "holds no spans"),
    ],
)
def test_a_file_of_something_else_is_told_from_an_empty_result(tmp_path: Path, name: str, content: str, told: str):
    path = tmp_path / "file.json"
    path.write_text(content, encoding="utf-8")
    files = [csv_file(tmp_path, GOOD.format(qid=0)), path] if name == "nextgqa" else [path]
    with pytest.raises(ConfigurationError, match=told):
        read_questions(name, files)


@pytest.mark.parametrize(
    ("entry", "field", "told"),
    [
        ("{", "", "not valid JSON"),
        ([1], "", "is not a JSON object"),
        ({**OWN, "answr": 1}, "answr", "is no field of a question"),
        ({**OWN, "options": "here"}, "options", "is 'here' and not a list"),
        ({**OWN, "options": ["here"], "answer": 0}, "options", "has 1 and not at least two"),
        ({**OWN, "answer": True}, "answer", "True and not a whole number"),
        ({**OWN, "spans": [[1]]}, "spans", "is not [start, end]"),
        ({**OWN, "spans": [[1, None]]}, "spans", "None and not a number of seconds"),
        ({**OWN, "duration_s": 3, "spans": [[1, 9]]}, "spans", "lies outside the video, which is 3 s long"),
        ({key: OWN[key] for key in ("id", "video", "question")}, "answer", "is missing, and there are no spans"),
    ],
)
def test_bad_lines_of_ones_own_questions(tmp_path: Path, entry: object, field: str, told: str):
    path = jsonl(tmp_path, {**OWN, "id": "fine"}, entry)
    with pytest.raises(ConfigurationError) as refused:
        read_questions("own", [path])
    assert f"{path}, line 2: {f'{field}: ' if field else ''}" in str(refused.value)
    assert told in str(refused.value)


def test_an_unknown_data_set_names_the_nearest():
    with pytest.raises(UsageError, match="Did you mean nextqa"):
        read_questions("nexqa", [])


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_questions("own", [tmp_path / "absent.jsonl"])


# --- choosing ---


def questions(count: int = 20) -> list[Question]:
    return [
        Question(f"q{number}", "v", "?", ("a", "b"), 0, "TN" if number % 2 else "CW", "T" if number % 2 else "C")
        for number in range(count)
    ]


def test_a_sample_depends_on_its_seed_alone_and_keeps_the_order():
    first, again = select(questions(), limit=6, seed=1), select(questions(), limit=6, seed=1)
    assert first == again
    assert len(first) == 6
    assert first != select(questions(), limit=6, seed=2)
    assert [int(one.id[1:]) for one in first] == sorted(int(one.id[1:]) for one in first)


def test_types_and_groups_choose_and_an_unknown_one_is_named():
    assert {one.type for one in select(questions(), types=["T"])} == {"TN"}
    assert len(select(questions(), types=["TN", "C"])) == 20
    with pytest.raises(UsageError, match=r"'TX'\. There are: C, CW, T, TN"):
        select(questions(), types=["TX"])
    with pytest.raises(UsageError, match="--limit 0"):
        select(questions(), limit=0)
