"""Ports for the servers of tests."""

from __future__ import annotations

import random
import socket


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that were free a moment ago, each another one, below those that Linux gives to connections and to those who bind none:
    another process does not get one by chance before it is bound."""
    ports: list[int] = []
    for port in random.sample(range(15_000, 32_000), 1000):
        if len(ports) == count:
            break
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
