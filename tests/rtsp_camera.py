"""A camera that speaks RTSP (RFC 2326) over loopback: H.264 as RTP inside the connection, one clip for each viewer."""

from __future__ import annotations

import base64
import socket
import socketserver
import threading
import time
from pathlib import Path

import av

_LARGEST = 65_535


class RtspCamera(socketserver.ThreadingTCPServer):
    """Sends one clip with each connection that wants to play, in real time, then hangs up."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, parts: list[Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Viewer)
        self.parts = list(parts)
        self.asked: list[str] = []
        """Methods of all requests."""

    @property
    def url(self) -> str:
        return f"rtsp://127.0.0.1:{self.server_address[1]}/gate"


class _Viewer(socketserver.StreamRequestHandler):
    server: RtspCamera

    def handle(self) -> None:
        if not self.server.parts:
            return
        part = self.server.parts[0]
        while (request := self._request()) is not None:
            method, headers = request
            self.server.asked.append(method)
            if method == "OPTIONS":
                self._reply(headers, "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")
            elif method == "DESCRIBE":
                self._reply(headers, "Content-Type: application/sdp", body=_description(part))
            elif method == "SETUP":
                self._reply(headers, f"Transport: {headers['transport']}", "Session: 1")
            elif method == "PLAY":
                self._reply(headers, "Session: 1")
                self.server.parts.remove(part)
                self._send(part)
                return
            else:
                self._reply(headers)
                return

    def _request(self) -> tuple[str, dict[str, str]] | None:
        if not (first := self.rfile.readline().decode().strip()):
            return None
        headers: dict[str, str] = {}
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return first.split()[0], headers

    def _reply(self, headers: dict[str, str], *more: str, body: str = "") -> None:
        lines = ["RTSP/1.0 200 OK", f"CSeq: {headers['cseq']}", *more, f"Content-Length: {len(body)}", "", body]
        self.wfile.write("\r\n".join(lines).encode())

    def _send(self, part: Path) -> None:
        """What FFmpeg makes of the clip as RTP packets goes into the connection, after "$", channel and length."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(0.5)
            sender = threading.Thread(target=_as_rtp, args=(part, receiver.getsockname()[1]))
            sender.start()
            while True:
                try:
                    packet = receiver.recv(_LARGEST)
                except TimeoutError:
                    if not sender.is_alive():
                        return
                    continue
                try:
                    self.wfile.write(b"$\0" + len(packet).to_bytes(2, "big") + packet)
                except OSError:
                    return


def _as_rtp(part: Path, port: int) -> None:
    with av.open(str(part)) as clip, av.open(f"rtp://127.0.0.1:{port}", "w", format="rtp") as output:
        source = clip.streams.video[0]
        written = output.add_stream_from_template(source)
        began_s = time.monotonic()
        for packet in clip.demux(source):
            if packet.dts is None or source.time_base is None:
                continue
            time.sleep(max(0.0, float(packet.dts * source.time_base) - (time.monotonic() - began_s)))
            packet.stream = written
            output.mux(packet)


def _description(part: Path) -> str:
    """Session description (RFC 4566, RFC 6184) with the parameter sets of the clip's AVC configuration."""
    with av.open(str(part)) as clip:
        configuration = bytes(clip.streams.video[0].codec_context.extradata or b"")
    sets: list[str] = []
    at = 5
    for mask in (0x1F, 0xFF):  # sequence parameter sets, then picture parameter sets
        count, at = configuration[at] & mask, at + 1
        for _ in range(count):
            length = int.from_bytes(configuration[at : at + 2], "big")
            sets.append(base64.b64encode(configuration[at + 2 : at + 2 + length]).decode())
            at += 2 + length
    lines = (
        "v=0",
        "o=- 0 0 IN IP4 127.0.0.1",
        "s=gate",
        "c=IN IP4 0.0.0.0",
        "t=0 0",
        "m=video 0 RTP/AVP 96",
        "a=rtpmap:96 H264/90000",
        f"a=fmtp:96 packetization-mode=1;sprop-parameter-sets={','.join(sets)}",
        "a=control:track1",
        "",
    )
    return "\r\n".join(lines)
