"""Looks up the provider's addresses without waiting longer than a caller can: the system's look-up has no deadline of its own."""
from __future__ import annotations

import ipaddress
import socket
import threading
import time
from typing import Any

KEPT_SECONDS = 60.0
ADDRESS_LIMIT = 4


class Resolver:
    """One look-up at a time, on a thread of its own; what it found is kept for a minute."""

    def __init__(self, host: str, port: int, loopback_only: bool) -> None:
        self._host, self._port, self._loopback_only = host, port, loopback_only
        self._changed = threading.Condition()
        self._looking = False
        self._found: list[Any] = []
        self._found_at = 0.0

    def addresses(self, deadline: float) -> list[Any]:
        """What getaddrinfo answers. OSError if there is nothing, or not in time."""
        with self._changed:
            if not self._fresh() and not self._looking:
                self._begin()
            while not self._fresh() and self._looking:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the look-up of the address takes too long")
                self._changed.wait(left)
            if not self._fresh():
                raise OSError("the address cannot be found; to look up a name, the catalog's entry needs powers.network.udp, and powers.read with /etc/resolv.conf")
            return self._found

    def _fresh(self) -> bool:
        return bool(self._found) and time.monotonic() - self._found_at < KEPT_SECONDS

    def _begin(self) -> None:
        try:
            threading.Thread(target=self._look_up, daemon=True).start()
        except RuntimeError:
            raise OSError("no thread can be started") from None
        self._looking = True

    def _look_up(self) -> None:
        try:
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            # The latter is a name that cannot be one, such as a label of 64 characters.
            found = []
        if self._loopback_only:
            found = [entry for entry in found if ipaddress.ip_address(entry[4][0]).is_loopback]
        with self._changed:
            self._found, self._found_at = found[:ADDRESS_LIMIT], time.monotonic()
            self._looking = False
            self._changed.notify_all()
