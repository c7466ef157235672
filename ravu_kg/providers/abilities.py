"""What a server was found to be able to do with a model, so that it is asked once and not by every process.

Only what differs from the defaults is kept: in the process, and in ``abilities.json`` in the cache folder. An entry
holds for thirty days, since servers are upgraded. A damaged file is ignored and written anew.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

from filelock import FileLock
from filelock import Timeout as LockTimeout
from pydantic import BaseModel, ConfigDict, ValidationError

from ravu_kg.providers.weights import cache_dir

FILE_NAME = "abilities.json"
ReplyForm = Literal["json_schema", "json_object_schema", "json_object", "prompt"]
"""How a structured reply is asked for, best first."""

_HOLDS_S = 30 * 24 * 3600.0
_LOCK_TIMEOUT_S = 5.0


class Abilities(BaseModel):
    """What was found; None where the default holds."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    api: Literal["responses", "chat"] | None = None
    form: ReplyForm | None = None
    temperature: bool | None = None
    """False: the model takes none."""
    reasoning: str | None = None
    """The least effort that the model takes; empty: it takes none."""
    limit: Literal["max_completion_tokens", "max_tokens"] | None = None
    """Name of the limit of output tokens in chat completions."""
    system: bool | None = None
    """False: instructions go before the user's text."""
    dimensions: int | None = None
    """Length of an encoder's vectors."""


class _Entry(Abilities):
    found_at_s: float


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    endpoints: dict[str, _Entry] = {}


class Memory:
    """The abilities of one model behind one address, shared by all that use it in this process."""

    def __init__(self, where: str, model: str) -> None:
        self._path = cache_dir() / FILE_NAME
        self._key = f"{where} {model}"
        with _lock:
            known = _known.setdefault(self._path, {})
            if self._key not in known:
                known[self._key] = _usable(_read(self._path).endpoints.get(self._key))

    def get(self) -> Abilities:
        """What is known now."""
        with _lock:
            return _known[self._path][self._key]

    def learn(self, found: Abilities) -> None:
        """Add what was found; a cache folder that cannot be written to costs the next process a question."""
        changes = found.model_dump(exclude_none=True)
        with _lock:
            before = _known[self._path][self._key]
            after = before.model_copy(update=changes)
            if after == before:
                return
            _known[self._path][self._key] = after
            with suppress(OSError, LockTimeout):
                self._write(after)

    def _write(self, abilities: Abilities) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.lock", timeout=_LOCK_TIMEOUT_S):
            file = _read(self._path)
            others = {key: entry for key, entry in file.endpoints.items() if _holds(entry) and key != self._key}
            entry = _Entry(**abilities.model_dump(), found_at_s=time.time())
            text = _File(endpoints={**others, self._key: entry}).model_dump_json(exclude_none=True, indent=1)
            handle, name = tempfile.mkstemp(prefix=f"{FILE_NAME}.", dir=self._path.parent)
            incoming = Path(name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file_out:
                    file_out.write(text)
                incoming.replace(self._path)
            finally:
                incoming.unlink(missing_ok=True)


def forget() -> None:
    """Forget what this process found, as a new one would."""
    with _lock:
        _known.clear()


_lock = threading.Lock()
_known: dict[Path, dict[str, Abilities]] = {}


def _read(path: Path) -> _File:
    try:
        return _File.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return _File()


def _holds(entry: _Entry) -> bool:
    return 0 <= time.time() - entry.found_at_s < _HOLDS_S


def _usable(entry: _Entry | None) -> Abilities:
    if entry is None or not _holds(entry):
        return Abilities()
    return Abilities.model_validate(entry.model_dump())
