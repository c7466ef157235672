"""A cluster's member as its clients see it: a proxy before the one real server, which can be cut, or lose the lead.

What passes is real Bolt of the real driver and the real server. The proxy touches two things: the addresses in a
routing table, which name the proxies then, and the answer to a write at a member that does not lead.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

_RUN, _FAILURE, _SUCCESS, _IGNORED = 0x10, 0x7F, 0x70, 0x7E

_ports: list[int] = []
"""Of all members."""


class Member:
    """Listens on a port of its own and passes all on to the server."""

    def __init__(self, server_port: int, leads: Callable[[], Member] | None = None) -> None:
        """Start listening.

        Args:
            server_port: of the real server.
            leads: names the member that routing tables are to tell; itself by default.
        """
        self.server_port = server_port
        self.seen: list[bytes] = []
        """What clients sent, in pieces as they came."""
        self.connections = 0
        self.not_leading = 0
        """So many of the next writes are answered as a member does that does not lead."""
        self.cut_before: bytes | None = None
        """The connection ends before something that holds this is passed on; once."""
        self.cut_after: bytes | None = None
        """Likewise, but the server gets it, and its answer is lost; once."""
        self._leads = leads or (lambda: self)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        _ports.append(self.port)
        self._open: list[socket.socket] = []
        self._unheard: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def uri(self) -> str:
        return f"neo4j://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """The member is gone: nobody listens, and its connections end."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for one in list(self._open):
            _end(one)
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            server = socket.create_connection(("127.0.0.1", self.server_port))
            self._open += [client, server]
            for work in (self._to_server, self._to_client):
                threading.Thread(target=work, args=(client, server), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 20):
                self.seen.append(data)
                if self.not_leading and b"UNWIND $rows" in data:
                    self.not_leading -= 1
                    client.sendall(_refusal(data))
                    break
                if self.cut_before and self.cut_before in data:
                    self.cut_before = None
                    break
                last = self.cut_after is not None and self.cut_after in data
                if last:
                    self.cut_after = None
                    self._unheard.add(client)  # before the server can answer
                server.sendall(data)
                if last:
                    break
        _end(client)
        _end(server)

    def _to_client(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 20):
                # A single server tells the address that the client knows it by: that of the member asked first.
                for port in _ports:
                    data = data.replace(_address(port), _address(self._leads().port))
                if client in self._unheard:
                    break
                client.sendall(data)
        _end(client)
        _end(server)


def _refusal(data: bytes) -> bytes:
    """What a member that does not lead answers to the messages: success up to the statement, which fails."""
    tags = [message[1] for message in _messages(data)]
    before = tags.index(_RUN)
    neo4j_code = "Neo.ClientError.Cluster.NotALeader"
    said = "No write operations are allowed directly on this database. Writes must pass through the leader."
    failure = {
        "neo4j_code": neo4j_code,
        "code": neo4j_code,
        "message": said,
        "gql_status": "08N07",
        "description": "error: connection exception - not the leader",
        "diagnostic_record": {},
    }
    answers = [bytes([0xB1, _SUCCESS]) + _packed({})] * before
    answers += [bytes([0xB1, _FAILURE]) + _packed(failure)]
    answers += [bytes([0xB0, _IGNORED])] * (len(tags) - before - 1)
    return b"".join(struct.pack(">H", len(answer)) + answer + b"\0\0" for answer in answers)


def _messages(data: bytes) -> list[bytes]:
    found, message, place = [], b"", 0
    while place + 2 <= len(data):
        (size,) = struct.unpack_from(">H", data, place)
        place += 2
        if size:
            message += data[place : place + size]
            place += size
        elif message:
            found.append(message)
            message = b""
    return found


def _packed(value: object) -> bytes:
    """PackStream of a small map or a text."""
    if isinstance(value, dict):
        items = b"".join(_packed(key) + _packed(item) for key, item in value.items())
        return bytes([0xA0 + len(value)]) + items
    text = str(value).encode()
    return bytes([0xD0, len(text)]) + text


def _address(port: int) -> bytes:
    return f"127.0.0.1:{port}".encode()  # ports of this kind have five digits: no length changes


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
