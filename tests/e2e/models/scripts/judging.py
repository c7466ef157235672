"""A simple judge of the question stages: it compares words, and knows nothing of videos or right answers.

Only the plans of questions are written down, in ``plans.toml``; all else is made from the text of the request, so that
a test of a question tests what the product found.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from tests.model_server import Fault, Received, Reply

Json = dict[str, object]
Plans = Mapping[str, object]
"""Steps of the plan of each question."""

_SMALL = frozenset(
    re.findall(
        r"\w+",
        """a an the is are was were do does did be been it its he she his her they them their this that there what who
        whom where when why how which and or but of in on at to from with for by as into out not no many times video
        picture""",
    )
)


class Judge:
    """Answers the stages ``plan``, ``rerank``, ``identify``, ``count``, ``analyze``, ``select`` and ``answer``."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans

    def __call__(self, received: Received) -> Reply | Fault:
        stages: dict[str, Callable[[Json], object]] = {
            "plan": self._plan,
            "rerank": _rerank,
            "identify": _identify,
            "count": _count,
            "analyze": _analyze,
            "select": _select,
            "answer": _answer,
        }
        if received.stage not in stages:
            return Fault.error(400, f"nothing is scripted for the stage {received.stage!r}")
        request: Json = {}
        for text in received.texts:
            value = json.loads(text)
            request |= value if isinstance(value, dict) else {}
        return Reply(stages[received.stage](request))

    def _plan(self, request: Json) -> object:
        question = str(request["question"])
        return {"steps": self._plans[question]}


def written_plans() -> Plans:
    """The plan of each question."""
    data = tomllib.loads((Path(__file__).parent / "plans.toml").read_text(encoding="utf-8"))
    return {str(one["question"]): json.loads(one["steps"]) for one in data["plan"]}


def _rerank(request: Json) -> object:
    rows = _rows(request["sentences"])
    phrase = str(request["phrase"])
    ranked = sorted(rows, key=lambda row: (-_shared(phrase, str(row[3])), cast("float", row[1])))
    return {"best": [_number(row) for row in ranked[:3]]}


def _identify(request: Json) -> object:
    rows = _rows(request["entities"])
    scores = {_number(row): _shared(str(request["phrase"]), f"{row[1]} {row[-1]}") for row in rows}
    return {"entity": _best(scores)[0]}


def _count(request: Json) -> object:
    verdicts: list[Json] = []
    for candidate in cast("list[Json]", request["candidates"]):
        rows = _rows(candidate["sentences"])
        shown = [_number(row) for row in rows if _words(str(request["condition"])) <= _words(str(row[-1]))]
        met = bool(shown) if rows else None
        verdicts.append({"candidate": candidate["candidate"], "met": met, "reason": "its words", "sentences": shown})
    return {"verdicts": verdicts}


def _analyze(request: Json) -> object:
    rows = _rows(request["events"])
    scores = {_number(row): _shared(str(request["question"]), str(row[-1])) for row in rows}
    return {"events": [{"event": number, "reason": "its words"} for number in _best(scores)[:6]]}


def _select(request: Json) -> object:
    scores: dict[int, float] = {}
    told = set[str]()
    for row in _rows(request["moments"]):
        scores[_number(row)] = _shared(str(request["question"]), str(row[-1])) - (1.0 if str(row[-1]) in told else 0.0)
        told.add(str(row[-1]))
    return {"moments": _best(scores)[: cast("int", request["choose"])]}


def _answer(request: Json) -> object:
    """All the evidence, each sentence once, and what was found: nothing else."""
    parts = [f"At {_seconds(row[0])} s: {row[-1]}" for row in _rows(request["evidence"])]
    for found in cast("list[Json]", request.get("found", [])):
        parts += [f"{name}: {json.dumps(found[name])}." for name in ("count", "seconds", "remark") if name in found]
    known = bool(parts)
    parts += [f"Nothing is known of {first} to {last} s." for first, last in _rows(request.get("unknown", []))]
    reply: Json = {"answer": " ".join(parts) or "Nothing is told.", "known": known, "confidence": 0.8 if known else 0.0}
    if options := _rows(request.get("options", [])):
        asked, heard = _words(str(request["question"])), _words(" ".join(parts))
        told = {_number(row): _words(str(row[1])) - asked for row in options}
        reply["option"] = _best({number: len(words & heard) / (len(words) or 1) for number, words in told.items()})[0]
    return reply


def _seconds(value: object) -> str:
    return " and ".join(str(one) for one in value) if isinstance(value, list) else str(value)


# --- words


def _best(scores: Mapping[int, float]) -> list[int]:
    """Numbers by score; of equal ones the earlier."""
    return sorted(scores, key=lambda number: (-scores[number], number))


def _shared(phrase: str, text: str) -> float:
    """Share of the words of a phrase that a text has."""
    wanted = _words(phrase)
    return len(wanted & _words(text)) / (len(wanted) or 1)


def _words(text: str) -> set[str]:
    """Words that mean something, without their endings."""
    return {_stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word not in _SMALL}


def _stem(word: str) -> str:
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "n"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word.rstrip("e")


def _rows(value: object) -> Sequence[Sequence[object]]:
    return cast("Sequence[Sequence[object]]", value)


def _number(row: Sequence[object]) -> int:
    return cast("int", row[0])
