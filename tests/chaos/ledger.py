"""What was tried and what became of it."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

NO_TIME = "no time left"


class NotHereError(Exception):
    """A case needs what this machine does not allow; it is left out, which fails where ``CI`` is set."""


class MissedError(Exception):
    """The fault came too late to disturb anything: no case."""


@dataclass(frozen=True, slots=True)
class Case:
    """One fault and whether the work survived it."""

    kind: str
    name: str
    lost: str
    """What was lost; empty when the case was survived."""
    took_s: float


@dataclass
class Ledger:
    """All cases of a run, and until when new ones may begin."""

    end_s: float
    """On the monotonic clock."""
    cases: list[Case] = field(default_factory=list[Case])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    """What was not tried -> why."""
    notes: list[str] = field(default_factory=list[str])
    """Measured on the way, for the end."""

    @property
    def left_s(self) -> float:
        """Time for further cases."""
        return self.end_s - time.monotonic()

    @property
    def lost(self) -> int:
        """How many cases were lost."""
        return sum(bool(case.lost) for case in self.cases)

    @contextmanager
    def case(self, kind: str, name: str) -> Generator[None]:
        """Whatever fails inside is the loss of this case, and the others go on."""
        started_s = time.monotonic()
        lost = ""
        try:
            yield
        except MissedError:
            return
        except NotHereError as reason:
            self.left_out[f"{kind}: {name}"] = str(reason)
            return
        except Exception as error:  # a case that fails in any way is a loss, and the next one is tried
            lost = f"{type(error).__name__}: {error}"
            traceback.print_exc(file=sys.stderr)
        self.add(Case(kind, name, lost, time.monotonic() - started_s))

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        """What fails outside of a case is lost as well, and the next step is tried."""
        started_s = time.monotonic()
        try:
            yield
        except Exception as error:  # as above
            traceback.print_exc(file=sys.stderr)
            self.add(Case("step", name, f"{type(error).__name__}: {error}", time.monotonic() - started_s))

    def add(self, case: Case) -> None:
        """Note a case and say so."""
        self.cases.append(case)
        outcome = "LOST" if case.lost else "survived"
        print(f"  {case.kind:<28} {case.name:<46} {outcome:<9} {case.took_s:6.1f} s", flush=True)
        if case.lost:
            print(f"    {case.lost}", flush=True)

    def room_for(self, kind: str, name: str, seconds: float) -> bool:
        """Whether there is time for a case; one that there is no time for is told in the end."""
        if self.left_s >= seconds:
            return True
        self.left_out.setdefault(f"{kind}: {name}", NO_TIME)
        return False

    def table(self) -> str:
        """Cases, survived and lost, by kind."""
        lines = [f"{'fault':<28} {'cases':>6} {'survived':>9} {'lost':>5}"]
        for kind in dict.fromkeys(case.kind for case in self.cases):
            of_kind = [case for case in self.cases if case.kind == kind]
            lines.append(_line(kind, of_kind))
        lines.append(_line("all", self.cases))
        lines += [f"left out: {name} ({why})" for name, why in self.left_out.items()]
        return "\n".join([*lines, *self.notes])


def _line(kind: str, cases: list[Case]) -> str:
    lost = sum(bool(case.lost) for case in cases)
    return f"{kind:<28} {len(cases):>6} {len(cases) - lost:>9} {lost:>5}"
