"""The embedded server is asked from another network: it must not be there."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
import sys

from tests.chaos import namespace
from tests.chaos.ledger import NotHereError
from tests.chaos.runs import Runs

KIND = "loopback only"
_HERE, _THERE = "10.213.7.1", "10.213.7.2"
_KNOCK = """
import socket, sys
host, *ports = sys.argv[1:]
for port in ports:
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
    except OSError as error:
        print(type(error).__name__)
    else:
        print("open")
"""


def unreachable(runs: Runs) -> None:
    """A second namespace is joined to this one by a cable; of three ports only that of a listener on all is open."""
    with runs.ledger.case(KIND, "asked from another network namespace"):
        if not namespace.inside() or not shutil.which("ip"):
            raise NotHereError("needs root, unshare and ip")
        config = runs.world.config
        runs.world.server.start()
        other = f"chaos{secrets.token_hex(3)}"
        _ip("netns", "add", other)
        try:
            _ip("link", "add", "cable0", "type", "veth", "peer", "name", "cable1", "netns", other)
            _ip("addr", "add", f"{_HERE}/24", "dev", "cable0")
            _ip("link", "set", "cable0", "up")
            _ip("-n", other, "addr", "add", f"{_THERE}/24", "dev", "cable1")
            _ip("-n", other, "link", "set", "cable1", "up")
            with socket.create_server(("0.0.0.0", 0)) as everywhere:
                ports = [everywhere.getsockname()[1], config.bolt_port, config.http_port]
                asked = ["ip", "netns", "exec", other, sys.executable, "-c", _KNOCK, _HERE, *map(str, ports)]
                heard = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout.split()
            assert heard == ["open", "ConnectionRefusedError", "ConnectionRefusedError"], heard
        finally:
            subprocess.run(["ip", "link", "del", "cable0"], capture_output=True)
            _ip("netns", "del", other)


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise NotHereError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
