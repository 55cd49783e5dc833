#!/usr/bin/python3
"""Ports for the servers of tests.

    dev/free_ports.py COUNT       writes them, in one line, and holds them until nothing reads its output any more
"""

from __future__ import annotations

import os
import random
import select
import socket
import sys

# What this process claims of the machine until it ends, as `MachineClaim` of AssayTesting does.
_claims: list[socket.socket] = []


def _claim(port: int) -> bool:
    """Whether it was to be had."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0assay-test-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def free_ports(count: int) -> list[int]:
    """Free ports of 127.0.0.1, each another one, that no other test of this machine gets until this process ends. They are below those that Linux
    gives to connections and to those who bind none."""
    ports: list[int] = []
    for port in random.sample(range(15_000, 32_000), 1000):
        if len(ports) == count:
            break
        if not _claim(port):
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
    if len(ports) < count:
        raise OSError("no free port")
    return ports


def free_port() -> int:
    return free_ports(1)[0]


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1])), flush=True)
    readers = select.poll()
    readers.register(1, 0)
    readers.poll()
    os._exit(0)
