"""The property-based tests of everything that comes from outside, with more examples and a seed of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.chaos.ledger import Case, Ledger

KIND = "fuzz"
TESTS = ("tests/unit/fuzz", "tests/integration/fuzz")
ROOT = Path(__file__).resolve().parents[2]


def run(ledger: Ledger, seconds: float, seed: int) -> None:
    """Every one of these tests for its share of the time; each is a case."""
    started_s = time.monotonic()
    command = [sys.executable, "-m", "pytest", *TESTS, "-p", "no:cacheprovider", "-rA", "--no-header"]
    env = os.environ | {"RAVU_KG_TEST_FUZZ_S": f"{seconds:.0f}"}
    done = subprocess.run(
        [*command, f"--hypothesis-seed={seed}"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=3 * seconds + 300,
        check=False,
    )
    outcomes = re.findall(r"^(PASSED|FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    took_s = (time.monotonic() - started_s) / max(1, len(outcomes))
    for outcome, name in outcomes:
        lost = "" if outcome == "PASSED" else _reason(done.stdout, name)
        ledger.add(Case(KIND, name.rsplit("::", 1)[-1][:46], lost, took_s))
    if not outcomes or (done.returncode != 0 and all(outcome == "PASSED" for outcome, _ in outcomes)):
        ledger.add(Case(KIND, "the run", (done.stdout + done.stderr)[-3000:], took_s))


def _reason(output: str, test: str) -> str:
    """The end of what pytest printed of one test that failed; how to see the rest is the seed."""
    found = re.search(rf"^_+ {re.escape(test.rsplit('::', 1)[-1])} _+$(.*?)(?=^_+ \S+ _+$|^=+ )", output, re.M | re.S)
    return (found[1] if found else output)[-3000:]
