"""The calls of the plugin to the host that are in flight, at most 16."""
from __future__ import annotations

import threading
from collections.abc import Callable

from .faults import Unavailable
from .frame import Frame, call_frame

IN_FLIGHT_LIMIT = 16
PREFIX = b"/assay.plugin.v1.Host/"

Put = Callable[[bytes], None]
"""Has a frame sent, soon."""
Wait = Callable[[Callable[[], bool], "float | None"], bool]
"""Waits until a condition is true, which is tried under the lock; False if a time passes, or the connection ends, before it is."""


class HostCalls:
    def __init__(self, put: Put, wait: Wait, flush: Callable[[], None]) -> None:
        self.changed = threading.Condition()
        """Guards what is below, and tells of each change."""
        self.closed = False
        """The connection has ended: no reply will come."""
        self.flush = flush
        self._put, self._wait = put, wait
        self._last_id = 0
        self._in_flight: dict[int, bool] = {}      # id: whether the reply is wanted
        self._replies: dict[int, Frame] = {}

    def note(self, reply: Frame) -> None:
        """A reply came. One to a call that is not in flight is ignored."""
        with self.changed:
            if self._in_flight.pop(reply.call_id, False):
                self._replies[reply.call_id] = reply
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def tell(self, method: bytes, message: bytes, timeout_ms: int, deadline: float | None) -> None:
        """Begins a call whose reply decides nothing. It is left out if the host takes no more."""
        self._begin(method, message, timeout_ms, deadline, wanted=False)

    def ask(self, method: bytes, message: bytes, timeout_ms: int, deadline: float | None) -> Frame:
        """The reply. Unavailable if there is none."""
        call_id = self._begin(method, message, timeout_ms, deadline, wanted=True)
        if call_id:
            self._wait(lambda: call_id in self._replies, deadline)
        with self.changed:
            reply = self._replies.pop(call_id, None)
            if call_id in self._in_flight:
                self._in_flight[call_id] = False
        if reply is None:
            raise Unavailable("host_gone", f"the connection or the time ended before the host answered {method.decode()}")
        return reply

    def _begin(self, method: bytes, message: bytes, timeout_ms: int, deadline: float | None, wanted: bool) -> int:
        """The id, or 0."""
        begun: list[int] = []

        def take_place() -> bool:
            if self.closed or len(self._in_flight) >= IN_FLIGHT_LIMIT:
                return False
            self._last_id += 1
            self._in_flight[self._last_id] = wanted
            begun.append(self._last_id)
            return True

        if not self._wait(take_place, deadline):
            return 0
        self._put(call_frame(begun[0], PREFIX + method, message, timeout_ms))
        return begun[0]
