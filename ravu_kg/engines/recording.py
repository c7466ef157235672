"""Streams over HTTP, RTSP or RTMP, written to a file as they come; a stream that breaks off is asked for again."""

# pyright: reportUnknownMemberType=false
# Two methods of the library have arguments without types.

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import av
from av.error import FFmpegError
from av.video.stream import VideoStream

from ravu_kg.engines.addresses import shown
from ravu_kg.errors import VideoError

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer

_TIMEOUT_S = 15.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_log = logging.getLogger(__name__)


class Recorder:
    """Records a stream in a thread of its own while it is entered.

    Times in the file are those since the first picture: while the stream is away time goes on, so that a gap in the
    file is as long as it was. Pictures are not encoded anew.
    """

    def __init__(self, url: str, path: Path) -> None:
        self._url, self._path = url, path
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._stopping = threading.Event()
        self._began_s: float | None = None
        self._output: OutputContainer | None = None
        self._written: VideoStream | None = None
        self._format = "", 0, 0
        self.reached_s = 0.0
        """End of the last picture that is in the file."""
        self.problem: VideoError | None = None
        """Why nothing comes just now."""
        self.is_broken = False
        """It can never go on, see :attr:`problem`."""

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the recording; the file is complete then."""
        self._stopping.set()
        self._thread.join(_TIMEOUT_S + 5)
        if self._output is not None and not self._thread.is_alive():
            self._output.close()
            self._output = self._written = None

    def _run(self) -> None:
        wait_s = _FIRST_WAIT_S
        while not self._stopping.is_set() and not self.is_broken:
            before_s = self.reached_s
            try:
                with av.open(self._url, timeout=_TIMEOUT_S, options=_options(self._url)) as stream:
                    self._receive(stream)
                why = "it ended"
            except FFmpegError as error:
                why = error.strerror or type(error).__name__  # its text holds the address, and so maybe a password
            except OSError as error:
                why, self.is_broken = f"{self._path} cannot be written: {error.strerror}", True
            self.problem = VideoError(f"{shown(self._url)}: no pictures come ({why}). Check that the source runs.")
            if self.reached_s > before_s:
                wait_s = _FIRST_WAIT_S
                _log.warning("%s: the stream broke off at %.1f s (%s)", shown(self._url), self.reached_s, why)
            self._stopping.wait(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    def _receive(self, stream: InputContainer) -> None:
        if not stream.streams.video:
            self.is_broken = True
            return
        source = stream.streams.video[0]
        base = source.time_base
        offset: int | None = None
        for packet in stream.demux(source):
            if self._stopping.is_set():
                return
            if packet.pts is None or packet.dts is None or base is None:
                continue
            if offset is None:
                if not packet.is_keyframe:
                    continue
                offset = round(self._now_s() / base) - packet.dts
                self._open(source)
            if self._output is None or self._written is None:
                return
            packet.pts, packet.dts = packet.pts + offset, packet.dts + offset
            ends_s = float((packet.pts + (packet.duration or 0)) * base)
            packet.stream = self._written
            self._output.mux(packet)
            self.reached_s = max(self.reached_s, ends_s)
            self.problem = None

    def _now_s(self) -> float:
        """Time since the first picture, and never before the end of the last one."""
        now_s = time.monotonic()
        if self._began_s is None:
            self._began_s = now_s
        return max(now_s - self._began_s, self.reached_s)

    def _open(self, source: VideoStream) -> None:
        codec = source.codec_context
        now = codec.name, codec.width, codec.height
        if self._output is not None:
            if now != self._format:
                raise OSError(None, "the stream came back in another format")
            return
        self._format = now
        self._path.touch(mode=0o600)  # it is nobody else's
        # Written through at once: the file is read while it grows.
        options = {"flush_packets": "1", "cluster_time_limit": "1000"}
        self._output = av.open(str(self._path), "w", format="matroska", options=options)
        self._written = self._output.add_stream_from_template(source)


def _options(url: str) -> dict[str, str]:
    return {"rtsp_transport": "tcp"} if url.startswith("rtsp") else {}
