"""Addresses of streams. Light to import."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

SCHEMES = ("http", "https", "rtsp", "rtsps", "rtmp", "rtmps")


def is_url(text: str) -> bool:
    """Whether a text is the address of a stream."""
    return urlsplit(text).scheme in SCHEMES and "://" in text


def shown(url: str) -> str:
    """An address without user, password and what follows a question mark."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
