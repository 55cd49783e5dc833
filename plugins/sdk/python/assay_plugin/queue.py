"""Calls that wait for a handler."""
from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from .frame import Frame

CALL_LIMIT, BYTE_LIMIT = 256, 64 * 1024 * 1024


@dataclass(slots=True)
class Waiting:
    frame: Frame
    deadline: float | None


class CallQueue:
    """At most 256 calls and 64 MiB."""

    def __init__(self) -> None:
        self._calls: deque[Waiting] = deque()
        self._bytes = 0
        self._closed = False
        self._changed = threading.Condition()

    def add(self, call: Waiting) -> bool:
        """False: it is full."""
        size = len(call.frame.message)
        with self._changed:
            if len(self._calls) == CALL_LIMIT or self._bytes + size > BYTE_LIMIT:
                return False
            self._calls.append(call)
            self._bytes += size
            self._changed.notify()
        return True

    def take(self, block: bool = False) -> Waiting | None:
        """The oldest. With `block` it waits for one, and None says that none will come."""
        with self._changed:
            while block and not self._calls and not self._closed:
                self._changed.wait()
            if not self._calls:
                return None
            call = self._calls.popleft()
            self._bytes -= len(call.frame.message)
            return call

    def close(self) -> None:
        """No call will be added."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
