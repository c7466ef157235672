"""How the rules read the questions of NExT-QA: which kinds they find for each type, and whether every plan is valid.

``python -m ravu_kg.evaluation.planning val.csv test.csv`` prints the table of types against kinds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.errors import RavuError
from ravu_kg.evaluation.datasets.checking import read_csv
from ravu_kg.evaluation.questions import TYPE_ORDER, Question
from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.plan import load_plan
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.reading import Aspect

KIND_OF_TYPE: dict[str, Aspect] = {
    "CW": "why", "CH": "how", "TP": "before", "TN": "after", "TC": "while", "DC": "count", "DL": "place",
}  # fmt: skip
"""What a question of a type asks for; a TC question may do without "while", and the type DO is all the rest."""
DECIDED_BY_WORDS = ("TP", "TN", "DC", "DL")
"""Types that the words of a question decide."""


@dataclass(frozen=True, slots=True)
class KindTable:
    """How many questions of each type have each kind; a question has several."""

    counts: dict[str, Counter[Aspect]]
    totals: Counter[str]

    def right(self, types: Sequence[str] = DECIDED_BY_WORDS) -> int:
        """Questions of some types that have the kind of their type."""
        return sum(self.counts[one][KIND_OF_TYPE[one]] for one in types if one in self.counts)

    def share(self, types: Sequence[str] = DECIDED_BY_WORDS) -> float:
        """The same as a share, 0..1; 1 when there is no such question."""
        total = sum(self.totals[one] for one in types)
        return self.right(types) / total if total else 1.0

    def __str__(self) -> str:
        """The table as text: a row a type, a column a kind, and the share with the kind of the type."""
        found: Counter[Aspect] = Counter()
        for counted in self.counts.values():
            found.update(counted)
        columns: list[Aspect] = [kind for kind, _ in found.most_common()]
        rows = [["type", "questions", *columns, "kind of type", "share"]]
        for one in (*TYPE_ORDER, *sorted(set(self.counts) - set(TYPE_ORDER))):
            if one in self.counts:
                cells = [str(self.counts[one][kind] or "") for kind in columns]
                wanted = KIND_OF_TYPE.get(one)
                share = f"{self.share([one]):.1%}" if wanted else ""
                rows.append([one, str(self.totals[one]), *cells, wanted or "", share])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        total = sum(self.totals[one] for one in DECIDED_BY_WORDS)
        names = ", ".join(DECIDED_BY_WORDS)
        return "\n".join([*lines, f"{names} together: {self.right()} of {total} ({self.share():.2%})"])


def kind_table(questions: Sequence[Question]) -> KindTable:
    """Count the kinds that the rules find for the questions of each type."""
    counts: dict[str, Counter[Aspect]] = {}
    for one in questions:
        counts.setdefault(one.type, Counter()).update(read_question(one.question).kinds)
    return KindTable(counts, Counter(one.type for one in questions))


def of_another_kind(questions: Sequence[Question], types: Sequence[str] = DECIDED_BY_WORDS) -> list[Question]:
    """The questions of some types that lack the kind of their type."""
    return [
        one
        for one in questions
        if one.type in types and KIND_OF_TYPE[one.type] not in read_question(one.question).kinds
    ]


def invalid_plans(questions: Sequence[Question]) -> list[tuple[Question, str]]:
    """The questions whose plan does not survive being written and read again, each with the reason; none is hoped."""
    planner = RulePlanner()
    found: list[tuple[Question, str]] = []
    for one in questions:
        try:
            plan = planner.plan(one.question)
            if load_plan(plan.to_json()) != plan:
                found.append((one, "read back as another plan"))
        except RavuError as error:
            found.append((one, str(error)))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, the questions of another kind, and how many plans are made in a second."""
    parser = argparse.ArgumentParser(prog="python -m ravu_kg.evaluation.planning", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="val.csv or test.csv of NExT-QA, NExT-GQA")
    parsed = parser.parse_args(arguments)
    try:
        questions = [one for path in parsed.files for one in read_typed(path)]
        sys.stdout.write(f"{kind_table(questions)}\n")
        for one in of_another_kind(questions):
            sys.stdout.write(f"{one.type} {one.id}: {one.question}\n")
        planner = RulePlanner()
        started_s = time.perf_counter()
        for one in questions:
            planner.plan(one.question)
        speed = len(questions) / (time.perf_counter() - started_s)
        invalid = invalid_plans(questions)
    except RavuError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    for one, reason in invalid:
        sys.stdout.write(f"{one.id}: {reason}\n")
    valid = len(questions) - len(invalid)
    sys.stdout.write(f"{valid} of {len(questions)} plans are valid; {speed:.0f} plans a second\n")
    return 1 if invalid else 0


def read_typed(path: Path) -> list[Question]:
    """Questions with their types; answers and spans do not matter here."""
    rows = [row for _, row in read_csv(path, ("question", "qid", "type"))]
    return [
        Question(f"{row.get('video') or row.get('video_id', '')}/{row['qid']}", "", row["question"], type=row["type"])
        for row in rows
    ]


if __name__ == "__main__":
    sys.exit(main())
