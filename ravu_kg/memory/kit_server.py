"""Serves the Browser's kit on this machine while somebody walks through the guide."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from socketserver import BaseServer
from threading import Thread
from urllib.parse import quote, urlsplit

from ravu_kg.errors import ServerError
from ravu_kg.graph.catalogue import favourites
from ravu_kg.graph.templates import TemplateLibrary
from ravu_kg.memory.browser import FAVOURITES, GUIDE, STYLE, guide, style
from ravu_kg.server import Endpoint, browser_link

ALLOWED = "http://localhost:*"
"""What the content policy of the server's page must let it fetch from."""
_TIMEOUT_S = 10.0
_TYPES = {
    STYLE: "text/plain; charset=utf-8",
    GUIDE: "text/markdown; charset=utf-8",
    FAVOURITES: "application/zip",
}


@contextmanager
def served_kit(endpoint: Endpoint, video_id: str) -> Generator[str]:
    """Serve the kit as long as the context lasts; gives a link that opens the Browser with the guide beside it.

    Args:
        endpoint: of the embedded server.
        video_id: the video that the guide walks through.

    Raises:
        ServerError: the server runs with settings of an older version, which do not let its page fetch the guide.
    """
    _require_policy(endpoint)
    browser = urlsplit(endpoint.browser_url)
    kit = _Kit(f"{browser.scheme}://{browser.netloc}")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, kit))
    # The Browser takes guides from a host named localhost, not from its number.
    url = f"http://localhost:{server.server_port}/"
    kit.contents = {
        "/" + STYLE: style().encode(),
        "/" + GUIDE: guide(video_id, url).encode(),
        "/" + FAVOURITES: favourites(TemplateLibrary.load()),
    }
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    try:
        link = browser_link(endpoint, "")
        yield link.replace("cmd=edit&arg=", f"cmd=guide&arg={quote(url + GUIDE, safe='')}")
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class _Kit:
    origin: str
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def __init__(self, kit: _Kit, request: socket, client_address: tuple[str, int], server: BaseServer) -> None:
        self._kit = kit
        super().__init__(request, client_address, server)  # which answers at once

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        content = self._kit.contents.get(path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self._allow()
        self.send_header("Content-Type", _TYPES[path[1:]])
        if path[1:] == FAVOURITES:
            self.send_header("Content-Disposition", f'attachment; filename="{FAVOURITES}"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_OPTIONS(self) -> None:
        """The Browser sends headers of its own, so it asks first."""
        self.send_response(204)
        self._allow()
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Not on stderr."""

    def _allow(self) -> None:
        self.send_header("Access-Control-Allow-Origin", self._kit.origin)
        self.send_header("Cache-Control", "no-store")


def _require_policy(endpoint: Endpoint) -> None:
    try:
        with urllib.request.urlopen(endpoint.browser_url, timeout=_TIMEOUT_S) as reply:  # always http, to this machine
            policy = reply.headers.get("Content-Security-Policy") or ""
    except (urllib.error.URLError, TimeoutError) as error:
        raise ServerError(f"The Neo4j Browser at {endpoint.browser_url} does not answer: {error}.") from error
    if policy and ALLOWED not in policy:
        raise ServerError(
            "The server was started by an older version, whose Browser may not load the guide. Start it anew: "
            "ravu-kg db stop, then the same command again."
        )
