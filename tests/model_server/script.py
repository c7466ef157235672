"""Replies read from a JSON file, by stage and order."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import cast

from tests.model_server.records import Fault, Received, Reply
from tests.model_server.server import Answer


def scripted(path: Path) -> Answer:
    """An answer for :class:`ModelServer` from a file: ``{"stage": [reply, …]}``.

    A stage's replies are given in order; the last one goes on for ever. A stage of "" is free text. A reply is a JSON
    value, or ``{"fault": "rate_limited", …arguments}`` for a constructor of :class:`Fault`.
    """
    script = cast("dict[str, list[object]]", json.loads(path.read_text(encoding="utf-8")))
    given: dict[str, int] = {}
    lock = threading.Lock()

    def answer(received: Received) -> Reply | Fault:
        replies = script.get(received.stage)
        if not replies:
            return Fault.error(400, f"{path.name} has no replies for the stage {received.stage!r}")
        with lock:
            number = given.get(received.stage, 0)
            given[received.stage] = number + 1
        value = replies[min(number, len(replies) - 1)]
        if isinstance(value, dict) and "fault" in value:
            arguments = {key: item for key, item in value.items() if key != "fault"}
            return cast("Fault", getattr(Fault, str(value["fault"]))(**arguments))
        return Reply(value)

    return answer


def says_nothing(received: Received) -> Reply | Fault:
    """An answer for servers that are asked for embeddings alone."""
    return Fault.error(400, f"nothing but embeddings is answered here, not {received.protocol}")
