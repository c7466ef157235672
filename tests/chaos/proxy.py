"""A TCP proxy on loopback whose connections can be slowed, held up and cut."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time

_CHUNK = 16_384


class Proxy:
    """Forwards connections to a port until it is closed; a context manager."""

    def __init__(self, target_port: int) -> None:
        self.delay_s = 0.0
        """Each piece is held up so long."""
        self.refuses = False
        """New connections are closed at once."""
        self.cuts_after: int | None = None
        """When so many more bytes have come from the client, everything is cut: in the middle of a message."""
        self.passed = 0
        """Bytes from clients so far."""
        self._target_port = target_port
        self._flows = threading.Event()
        self._flows.set()
        self._closing = False
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        self._flows.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def hold(self) -> None:
        """Let nothing through; connections stay."""
        self._flows.clear()

    def go_on(self) -> None:
        """Let through what was held."""
        self._flows.set()

    def cut(self) -> None:
        """Reset every connection, without a goodbye."""
        with self._lock:
            ended = list(self._open)
            self._open.clear()
        for one in ended:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        while not self._closing:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuses:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._target_port), timeout=10)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self._lock:
                self._open |= {client, server}
            for source, target, counts in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pump, args=(source, target, counts), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(_CHUNK):
                self._flows.wait()
                if self.delay_s:
                    time.sleep(self.delay_s)
                if counts:
                    self.passed += len(piece)
                    if self.cuts_after is not None:
                        allowed, self.cuts_after = self.cuts_after, self.cuts_after - len(piece)
                        if self.cuts_after <= 0:
                            target.sendall(piece[: max(0, allowed)])
                            self.cuts_after = None
                            self.cut()
                            return
                target.sendall(piece)
        for one in (source, target):
            with self._lock:
                self._open.discard(one)
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
