"""Unit tests cannot reach the network: the guard of tests/conftest.py."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_connection_is_refused(family: socket.AddressFamily) -> None:
    with socket.socket(family) as opened, pytest.raises(AssertionError, match="a unit test tried to connect"):
        opened.connect(("localhost", 9))


def test_threads_and_processes_can_still_talk_to_each_other() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"x")
        assert other.recv(1) == b"x"
