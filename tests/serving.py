"""A server of the standard library that answers in a thread of its own while it is needed."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

_Server = TypeVar("_Server", bound=socketserver.BaseServer)


@contextmanager
def serving(server: _Server) -> Iterator[_Server]:
    """The server, answering; closed at the end, with its thread."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
