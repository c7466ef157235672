from __future__ import annotations

from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.reasoning.judging import RuleJudge, content_words, shared, stem
from ravu_kg.reasoning.protocols import Candidate


def a_node(number: int, text: str, score: float, label: str = "person") -> NodeRow:
    return NodeRow(f"n{number}", f"v#{number}", label, number, float(number), text, score=score)


def a_candidate(*texts: str, source: str = "geometry", score: float = 0.6) -> Candidate:
    rows = tuple(SentenceRow("v#1", "event", f"z{i}", source, i, i + 1, text, score) for i, text in enumerate(texts))
    return Candidate("v#1", "person 1", "person", rows)


def test_words_decide_between_similar_sentences() -> None:
    nodes = [a_node(1, "A person stands still.", 0.71), a_node(2, "A person throws a ball.", 0.70)]
    assert [node.node_id for node in RuleJudge().rerank("the person throws a ball", nodes)] == ["n2", "n1"]


def test_the_right_kind_of_entity_comes_first() -> None:
    nodes = [a_node(1, "It stays.", 0.70), a_node(2, "It stays.", 0.69, "dog")]
    assert RuleJudge().rerank("the dog stays", nodes)[0].label == "dog"


def test_a_colour_identifies() -> None:
    nodes = [a_node(1, "A person in blue.", 0.9), a_node(2, "A person in red.", 0.7)]
    assert RuleJudge().identify("the man in red", nodes) == 1


def test_a_condition_is_met_by_its_verb_or_by_similarity() -> None:
    judge = RuleJudge()
    enters = a_candidate("A person enters from the left.")
    assert judge.count("come in", [enters])[0].met is True
    assert judge.count("arrives", [enters])[0].met is True
    assert judge.count("leaves", [enters])[0].met is False
    assert judge.count("whistle", [a_candidate("A person sings.", score=0.9)])[0].met is True


def test_measured_sentences_cannot_tell_what_is_not_measured() -> None:
    judge = RuleJudge()
    assert judge.count("whistle", [a_candidate("A person stands still.")])[0].met is None
    assert judge.count("whistle", [a_candidate("A person sits.", source="model")])[0].met is False


def test_relevant_events_are_varied() -> None:
    events = [
        EventRow("z1", "v#1", "geometry", 0, 1, "A dog stays.", 0.9),
        EventRow("z2", "v#1", "geometry", 1, 2, "A dog stays.", 0.8),
        EventRow("z3", "v#1", "geometry", 2, 3, "A dog runs.", 0.7),
    ]
    assert [position for position, _ in RuleJudge().analyze("what is it", events)] == [0, 2, 1]


def test_words_are_compared_in_base_form() -> None:
    assert [stem(word) for word in ("running", "stopped", "dogs", "moves", "leaving", "held")] == [
        "run",
        "stop",
        "dog",
        "move",
        "leave",
        "hold",
    ]
    assert content_words("Where is the red dog?") == {"red", "dog"}
    assert shared(set(), "text") == 0.0
