"""Network and mount namespaces of the run's own, where root may have them: its ports and disks are nobody else's."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

INSIDE = "RAVU_KG_TEST_CHAOS_NAMESPACE"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


def enter() -> None:
    """Start this program again in namespaces of its own; returns when it is inside, or where that is not allowed."""
    if os.environ.get(INSIDE) == "yes":
        _loopback_up()
        return
    if os.environ.get(INSIDE) == "no" or not shutil.which("unshare"):
        return
    kinds = ["--net", "--mount"]
    if os.geteuid() != 0 or subprocess.run(["unshare", *kinds, "true"], capture_output=True).returncode != 0:
        os.environ[INSIDE] = "no"
        return
    os.environ[INSIDE] = "yes"
    os.execvp("unshare", ["unshare", *kinds, sys.executable, "-m", "tests.chaos", *sys.argv[1:]])


def inside() -> bool:
    """Whether the run has namespaces of its own."""
    return os.environ.get(INSIDE) == "yes"


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        _, flags, _ = struct.unpack("16sH14s", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | _IFF_UP, b""))
