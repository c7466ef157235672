"""Results for other programs, where no server is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ravu_kg.errors import MissingExtraError
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.tables import to_csv, to_frame, to_json, write_parquet

RESULT = ReadResult([{"a": 1, "b": 'x,"y"'}, {"a": None, "b": float("inf")}], "", {}, 0.0, ("a", "b"))


def test_csv_quotes_and_leaves_null_empty() -> None:
    assert to_csv(RESULT) == 'a,b\n1,"x,""y"""\n,inf\n'


def test_json_says_in_text_what_it_has_no_number_for() -> None:
    assert '"b": "Infinity"' in to_json(RESULT)


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_without_the_extra_the_error_names_it(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ravu-kg\[analysis\]'"):
        to_frame(RESULT) if module == "pandas" else write_parquet(RESULT, tmp_path / "x.parquet")
