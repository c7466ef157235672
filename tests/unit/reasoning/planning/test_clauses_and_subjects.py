"""Whom a question asks about, and whom its temporal clause is about, slips of grammar and of the keyboard included."""

from __future__ import annotations

import pytest

from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.subjects import asked_about, is_noun_phrase, told_about


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("why did the boy in black and white walk towards the hoop", "the boy in black and white"),
        ("why is the woman sitting at the left holding her phone up", "the woman sitting at the left"),
        ("why is the man wearing a helmet", "the man"),
        ("why does the man wearing a black turban keep pointing at the paper", "the man wearing a black turban"),
        ("why did the red headscarf woman reach out her hands", "the red headscarf woman"),
        ("why is the baby on the floor", "the baby"),
        ("why was the baby s cradle rocked", "the baby s cradle"),
        ("why does the cat in the middle walk away", "the cat in the middle"),
        ("why are the man and the woman sitting down", "the man and the woman"),
        ("why did the man hand the cup to her", "the man"),
        ("why does the girl face downwards", "the girl"),
        ("why is there an orange barrier", "an orange barrier"),
        ("what is the relationship between the man and the boy", "the man and the boy"),
        ("what activity is the girl trying to do", "the girl"),
        ("why does the woman stopping singing", "the woman"),
        ("why did the man bring the dog home", "the man"),
        ("why is the standing man talking", "the standing man"),
        ("why do all of them wear caps", "all of them"),
    ],
)
def test_whom_a_question_asks_about(question: str, subject: str) -> None:
    assert asked_about(question) == subject


@pytest.mark.parametrize(
    ("statement", "subject"),
    [
        ("the man in green shirt and black shorts threw the ball", "the man in green shirt and black shorts"),
        ("the lady in black clapped her hands", "the lady in black"),
        ("the man who holds the ball jumps", "the man who holds the ball"),
        ("one of the birds flew away", "one of the birds"),
        ("the girl in pink left her side", "the girl in pink"),
        ("opening the door", None),
    ],
)
def test_whom_a_statement_tells_of(statement: str, subject: str | None) -> None:
    assert told_about(statement) == subject


@pytest.mark.parametrize(
    ("phrase", "whole"),
    [("the dog", True), ("the man with the red hat", True), ("the dog sat", False), ("the lady in beige ran", False)],
)
def test_a_noun_phrase_has_no_verb(phrase: str, whole: bool) -> None:
    assert is_noun_phrase(phrase) is whole


@pytest.mark.parametrize(
    ("question", "words", "text", "who"),
    [
        # participles, pronouns, and clauses without a verb or with a bare one
        ("what does the boy do after climbing up", "climbing up", "the boy climbing up", "the boy"),
        ("what did the man do when he fell", "he fell", "the man fell", "the man"),
        ("what does the bird do while on the hand", "on the hand", "the bird on the hand", "the bird"),
        ("what does the baby do after take the toy", "take the toy", "the baby take the toy", "the baby"),
        ("how does the child feel when told to move", "told to move", "the child told to move", "the child"),
        # whom a pronoun cannot mean
        ("why did the girl hug the guy when he turned around", "he turned around", "the guy turned around", "the guy"),
        ("how did the boy start the toy again after it stops", "it stops", "the toy stops", "the toy"),
        ("what did the baby do before it touched it", "it touched it", "the baby touched it", "the baby"),
        ("why are her feet moving as she looks down", "she looks down", "she looks down", "she"),
        # slips
        ("waht does the man do ater he falls", "he falls", "the man falls", "the man"),
        ("how did the baby react aftert he girl claps once", "the girl claps once", "the girl claps once", "the girl"),
        ("how did the man reacted when the toy hit him", "the toy hit him", "the toy hit him", "the toy"),
        ("what did she do after the first time he fell", "the first time he fell", "he fell", "he"),
        # what is no temporal clause
        ("why did the man stop for a while before the car", "the car", "the car", "the car"),
        ("why is the dog following the man", None, None, None),
        ("why is the man dressed as a clown", None, None, None),
        ("why does the boy look after the baby", None, None, None),
        ("how do the people feel while in the video", None, None, None),
    ],
)  # fmt: skip
def test_the_temporal_clause(question: str, words: str | None, text: str | None, who: str | None) -> None:
    clause = read_question(question).clause
    assert (clause and clause.words, clause and clause.text, clause and clause.subject) == (words, text, who)


def test_two_men_told_by_their_clothes_are_not_one() -> None:
    plan = RulePlanner().plan("What did the man in black do after the man in green threw the ball?")
    assert [step.function for step in plan.steps] == ["localize_node", "identify_node", "sample_entity_events"]


@pytest.mark.parametrize(
    ("question", "part", "subject"),
    [
        ("what did the man in the middle do after he sat down at the start", "beginning", "the man in the middle"),
        ("why did the man at the start of the video walk on the grass", "beginning", "the man"),
        ("what did the boy do nearing the end while turning", "end", "the boy"),
        ("why did the cat in the middle and the dog run at the end", "end", "the cat in the middle and the dog"),
        ("what does the man do after turning to the right at the end", "end", "the man"),
        ("why did the dog bark after the middle part of the video", "end", "the dog"),
        ("what did the lady do just before the end of the video", "end", "the lady"),
        ("why is the girl holding the sticker till the near end", None, "the girl"),
        ("what is the man doing at the end of the road", None, "the man"),
    ],
)
def test_the_part_of_the_video_and_not_of_a_place(question: str, part: str | None, subject: str) -> None:
    reading = read_question(question)
    assert (reading.part, reading.subject) == (part, subject)
