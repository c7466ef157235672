"""HTTP below the SDKs: one client whose calls end in time, and what headers and addresses say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx2

_CONNECTIONS = 256  # the pool of calls decides how many are used


def client() -> httpx2.Client:
    """A client whose timeout holds for a whole call.

    The library's own timeouts are for each read, so that a server which sends a byte now and then would never run
    into them.
    """
    return httpx2.Client(
        follow_redirects=True,
        limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
        event_hooks={"request": [_note_deadline], "response": [_hold_to_deadline]},
    )


def place(url: str) -> str:
    """An address as messages and memories name it: without credentials and query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the header Retry-After, a number or a date; None without it."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * unit_s)
        except ValueError:
            pass
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            continue
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    return None


class _Held(httpx2.SyncByteStream):
    """A reply's bytes until the deadline of its call."""

    def __init__(self, stream: httpx2.SyncByteStream, request: httpx2.Request, deadline: float) -> None:
        self._stream = stream
        self._request = request
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the reply was not complete in time", request=self._request)
            yield data

    def close(self) -> None:
        self._stream.close()


def _note_deadline(request: httpx2.Request) -> None:
    # The hook sees a request again after a redirect, which has the same call's extensions.
    limit_s = request.extensions.get("timeout", {}).get("read")
    if limit_s is not None and "deadline" not in request.extensions:
        request.extensions = {**request.extensions, "deadline": time.monotonic() + limit_s}


def _hold_to_deadline(response: httpx2.Response) -> None:
    deadline = response.request.extensions.get("deadline")
    if deadline is None or not isinstance(response.stream, httpx2.SyncByteStream):
        return
    # The library reads this again where the reply's body begins.
    limits = response.request.extensions.get("timeout", {})
    limits["read"] = max(0.001, deadline - time.monotonic())
    response.stream = _Held(response.stream, response.request, deadline)
