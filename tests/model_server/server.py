"""A server on this machine that speaks the model providers' protocols and says what a test tells it to."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import cast

from tests.model_server import counting, wire
from tests.model_server.records import Fault, Received, Refuses, Reply

Answer = Callable[[Received], Reply | Fault]
Embed = Callable[[Received], Sequence[Sequence[float]] | Fault]
DIMENSIONS = 64
"""Length of the vectors that the server makes when a request names none."""


class ModelServer:
    """Answers on 127.0.0.1 until it is closed; a context manager.

    Args:
        answer: what to say to a request; called in the thread of the request, several at once.
        delay_s: how long each reply takes.
        refuses: what the server cannot do, as other servers than OpenAI's cannot.
        embed: what to answer to a request for embeddings; by default bags of hashed words.
        wording: how a refused ``json_schema`` is worded.
    """

    def __init__(
        self,
        answer: Answer,
        *,
        delay_s: float = 0.0,
        refuses: Collection[Refuses] = (),
        embed: Embed | None = None,
        wording: str = "openai",
    ) -> None:
        self.answer = answer
        self.delay_s = delay_s
        self.refuses: set[Refuses] = set(refuses)
        self.embed: Embed = embed or bags_of_words
        self.wording = wording
        self.received: list[Received] = []
        self.peak = 0
        """Most requests that were under way at once."""
        self.broken: Exception | None = None
        """What ``answer`` raised; raised again at the end of the context."""
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._under_way = 0
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``: Gemini's base; OpenAI's is that and ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self.broken is not None:
            raise self.broken

    def close(self) -> None:
        """End all that is under way and free the port."""
        self.closing.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def asked(self, stage: str) -> list[Received]:
        """The requests of a stage so far."""
        return [received for received in list(self.received) if received.stage == stage]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> Received:
        with self._lock:
            received = wire.parse(path, headers, body, len(self.received))
            self.received.append(received)
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        return received

    def done(self) -> None:
        with self._lock:
            self._under_way -= 1


def bags_of_words(received: Received) -> list[list[float]]:
    """A vector a text: its words counted in hashed places; equal words, equal places."""
    asked = received.raw.get("dimensions")
    if "requests" in received.raw:
        asked = cast("list[dict[str, object]]", received.raw["requests"])[0].get("outputDimensionality")
    dimensions = asked if isinstance(asked, int) else DIMENSIONS
    rows: list[list[float]] = []
    for text in received.texts:
        row = [0.0] * dimensions
        for word in re.findall(r"\w+", text.lower()) or [text]:
            place = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            row[place % dimensions] += 1.0
        rows.append(row)
    return rows


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 256

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: socket.socket, client_address: tuple[str, int]) -> None:  # type: ignore[override]
        self._connections.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: socket.socket) -> None:  # type: ignore[override]
        self._connections.discard(request)
        super().close_request(request)

    def hang_up(self) -> None:
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        gone = isinstance(sys.exc_info()[1], ConnectionError)  # a client that was killed
        if not gone and not self.model.closing.is_set():
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Tests read ``received`` instead."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        path = self.path.partition("?")[0]
        model = self.server.model
        try:
            received = model.take(path, {name.lower(): value for name, value in self.headers.items()}, body)
        except (ValueError, KeyError, TypeError) as error:
            status = 404 if wire.protocol_of(path) is None else 400
            self._error(wire.protocol_of(path), Fault.error(status, str(error)))
            return
        try:
            self._answer(model, received)
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # the client gave up
        except Exception as error:
            model.broken = model.broken or error
            self._error(received.protocol, Fault.error(400, f"the test's answer failed: {error!r}"))
        finally:
            model.done()

    def _answer(self, model: ModelServer, received: Received) -> None:
        if (refused := _refused(model, received)) is not None:
            self._error(received.protocol, refused)
        elif received.protocol in ("gemini_embeddings", "openai_embeddings"):
            found = model.embed(received)
            model.closing.wait(model.delay_s)
            if isinstance(found, Fault):
                self._fault(model, received, found)
            else:
                self._send(200, {}, wire.vectors(received, found))
        else:
            answer = model.answer(received)
            model.closing.wait(model.delay_s + (answer.delay_s if isinstance(answer, Reply) else 0.0))
            if isinstance(answer, Fault):
                self._fault(model, received, answer)
            else:
                self._send(200, {}, _body(received, answer))

    def _fault(self, model: ModelServer, received: Received, fault: Fault) -> None:
        if (error := _as_error(received, fault)) is not None:
            self._error(received.protocol, error)
        elif fault.kind == "refused":
            self._send(200, {}, wire.refusal(received, fault.how))
        elif fault.kind in ("reset", "drip"):
            data = _head(200, {}, body := json.dumps(_body(received, Reply(fault.data))).encode())
            if fault.kind == "reset":
                self.wfile.write(data + body[: len(body) // 2])
                self._reset()
            else:
                self._drip(model, data + body, fault.seconds)
        else:
            self._send(200, {}, _body(received, _spoilt(fault)))

    def _error(self, protocol: wire.Protocol | None, fault: Fault) -> None:
        self._send(*wire.error(protocol, fault))

    def _send(self, status: int, headers: dict[str, str], value: object) -> None:
        body = json.dumps(value).encode()
        self.wfile.write(_head(status, headers, body) + body)

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())  # at once, though the streams still hold the socket

    def _drip(self, model: ModelServer, data: bytes, seconds: float) -> None:
        steps = max(2, math.ceil(seconds / 0.05))
        size = math.ceil(len(data) / steps)
        for start in range(0, len(data), size):
            self.wfile.write(data[start : start + size])
            if model.closing.wait(seconds / steps):
                self.close_connection = True
                return


def _head(status: int, headers: dict[str, str], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", "content-type: application/json", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"date: {time.strftime('%a, %d %b %Y %H:%M:%S GMT', time.gmtime())}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _refused(model: ModelServer, received: Received) -> Fault | None:
    """What the server cannot do, in the order in which a real one notices it."""
    refuses = model.refuses
    if "responses" in refuses and received.protocol == "responses":
        return _as_error(received, Fault.only_chat())
    if "images" in refuses and received.images:
        return _as_error(received, Fault.no_images())
    if received.format in refuses:
        fault = Fault("no_json_schema" if received.format == "json_schema" else "no_json_object", how=model.wording)
        return _as_error(received, fault)
    return None


def _as_error(received: Received, fault: Fault) -> Fault | None:
    if fault.kind == "error":
        return fault
    if fault.kind == "refused" and fault.how == "prompt" and received.protocol != "gemini":
        return Fault.error(400, "The prompt was filtered by the content management policy.", "content_filter")
    is_gemini = received.protocol == "gemini"
    if fault.kind == "only_chat":
        return Fault.error(404, "Not Found")
    if fault.kind == "no_images":
        if is_gemini:
            return Fault.error(400, f"Image input modality is not enabled for models/{received.model}")
        return Fault.error(400, "Invalid content type. image_url is only supported by certain models.")
    if fault.kind in ("no_json_schema", "no_json_object"):
        if is_gemini:
            return Fault.error(400, f"JSON mode is not enabled for models/{received.model}")
        if fault.how == "llama.cpp":
            return Fault.error(500, "[{'type': 'literal_error', 'msg': \"Input should be 'text' or 'json_object'\"}]")
        field = "text.format" if received.protocol == "responses" else "response_format"
        form = fault.kind.removeprefix("no_")
        return Fault.error(400, f"Invalid parameter: '{field}' of type '{form}' is not supported with this model.")
    return None


def _spoilt(fault: Fault) -> Reply:
    text = _text(fault.data)
    if fault.kind == "truncated":
        return Reply(text[: int(len(text) * fault.seconds)], finish="length")
    if fault.kind == "fenced":
        return Reply(f"Here is the JSON you asked for:\n\n```json\n{text}\n```\n")
    if fault.kind == "wrong_types":
        return Reply(_twisted(fault.data))
    return Reply("")


def _body(received: Received, reply: Reply) -> dict[str, object]:
    text, finish, limit = _text(reply.data), reply.finish, received.max_output_tokens
    if limit is not None and counting.output_tokens(text) > max(0, limit - reply.hidden_tokens):
        text, finish = counting.cut(text, max(0, limit - reply.hidden_tokens)), "length"
    return wire.reply(received, text, finish, reply.cached_tokens, reply.hidden_tokens)


def _text(data: object) -> str:
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _twisted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _twisted(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return {"items": value}
    if isinstance(value, str):
        return 7
    return "not a number"
