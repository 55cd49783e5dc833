"""The loop: reads frames, and has calls served by the thread that reads, or by several.

With `concurrency` 1 everything is one thread: a handler that waits for the host reads on, and calls that come wait in the queue.
With more, one thread reads, and handlers run on others, which take calls from the queue.
"""
from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from . import threads
from .connection import Connection
from .declaration import Plugin
from .decoding import DecodingError, decode
from .faults import DEADLINE_EXCEEDED, FAILED_PRECONDITION, INTERNAL, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, Fault
from .frame import CALL, METADATA_LIMIT, PING, PONG_FRAME, REPLY, Frame, FrameError, read_frame, reply_frame, status_frame
from .host_calls import HostCalls
from .methods import METHODS, Method, Service
from .queue import CallQueue, Waiting
from .report import report
from .sentences import shown


class Session:
    def __init__(self, plugin: Plugin[Any], descriptor: int) -> None:
        self.connection = Connection(descriptor)
        self._plugin = plugin
        self._host = HostCalls(self._put, self._wait, self.connection.flush)
        self._service = Service(plugin, self._host)
        self._queue = CallQueue()
        self._in_flight: set[int] = set()
        self._reader = threading.get_ident()
        self._threads: list[threading.Thread] = []

    def run(self) -> bool:
        """Serves until the end of the connection. False: `connection.fault` says why it could not go on."""
        while True:
            call = self._queue.take() if self._plugin.concurrency == 1 else None
            if call is not None:
                self._serve(call)
            elif self._host.closed or not self._step(None):
                break
        self._end()
        self.connection.flush()
        return not self.connection.fault

    def _end(self) -> None:
        """Calls in flight are answered, without the host."""
        self._host.close()
        self._queue.close()
        # After a fault no answer could be sent.
        for thread in self._threads if not self.connection.fault else ():
            thread.join()

    # MARK: Frames

    def _step(self, deadline: float | None, nested: bool = False) -> bool:
        """Takes one frame; a call is served, or put into the queue. False: none will come, or none in time."""
        try:
            data = self.connection.take(deadline)
        except TimeoutError:
            return False
        frame = self._decoded(data) if data is not None else None
        if frame is None:
            self._host.closed = True
            return False
        if frame.kind == CALL:
            self._take_call(frame, nested)
        elif frame.kind == REPLY:
            self._host.note(frame)
        elif frame.kind == PING:
            self._put(PONG_FRAME)
        return True

    def _decoded(self, data: bytes) -> Frame | None:
        try:
            frame = read_frame(data)
        except FrameError:
            self.connection.fail("the daemon sent a frame that cannot be decoded")
            return None
        if frame.kind == CALL and frame.call_id == 0:
            self.connection.fail("the daemon began a call with id 0")
            return None
        if frame.kind == CALL and frame.call_id in self._in_flight:
            self.connection.fail("the daemon began a call with the id of one that is in flight")
            return None
        return frame

    def _take_call(self, frame: Frame, nested: bool) -> None:
        deadline = self.connection.read_at + frame.timeout_ms / 1000 if frame.timeout_ms else None
        call = Waiting(frame, deadline)
        self._in_flight.add(frame.call_id)
        method = METHODS.get(frame.method)
        if not nested and (self._plugin.concurrency == 1 or method is None or method.in_order):
            self._serve(call)
        elif not self._queue.add(call):
            self._answer(frame.call_id, status_frame(frame.call_id, Fault(
                RESOURCE_EXHAUSTED, "too_many_calls", "more calls wait than the plugin takes")))
        elif self._plugin.concurrency > 1:
            self._start_threads()

    # MARK: Threads

    def _start_threads(self) -> None:
        if not self._threads:
            self._threads = threads.started(self._plugin.concurrency, self._work)
        if not self._threads:
            self.connection.fail("no thread can be started; raise the limits of memory and threads of the catalog's entry")

    def _work(self) -> None:
        while (call := self._queue.take(block=True)) is not None:
            self._serve(call)

    def _wait(self, condition: Callable[[], bool], deadline: float | None) -> bool:
        """Waits until the condition is true. The thread that reads goes on reading; others wait for it."""
        if threading.get_ident() != self._reader:
            with self._host.changed:
                while not condition():
                    left = None if deadline is None else deadline - time.monotonic()
                    if self._host.closed or left is not None and left <= 0:
                        return False
                    self._host.changed.wait(left)
            return True
        while True:
            with self._host.changed:
                if condition():
                    return True
            if self._host.closed or not self._step(deadline, nested=True):
                return False

    def _put(self, frame: bytes) -> None:
        self.connection.put(frame)
        # The thread that reads sends what waits before it waits itself.
        if threading.get_ident() != self._reader:
            self.connection.flush()

    # MARK: Calls

    def _answer(self, call_id: int, frame: bytes) -> None:
        # First: the daemon may use the id again as soon as it has the answer.
        self._in_flight.discard(call_id)
        self._put(frame)

    def _serve(self, call: Waiting) -> None:
        try:
            frame = self._reply(call)
        except Fault as fault:
            frame = status_frame(call.frame.call_id, fault)
        self._answer(call.frame.call_id, frame)
        self.connection.flush_old()

    def _reply(self, call: Waiting) -> bytes:
        """The frame of the answer. Every exception of a handler becomes a `Fault`, and the process goes on."""
        method = method_of(call)
        try:
            return reply_frame(call.frame.call_id, self._run(method, call).SerializeToString())
        except Fault:
            raise
        except MemoryError:
            raise Fault(RESOURCE_EXHAUSTED, "too_much_memory", "the request needs more memory than the plugin has") from None
        except BaseException as error:
            report(self._plugin.name, method.name, error)
            raise Fault(INTERNAL, "exception", f"the plugin's code raised {type(error).__name__}; its output says where") from None

    def _run(self, method: Method, call: Waiting) -> Any:
        try:
            request = decode(method.request, call.frame.message)
        except DecodingError:
            raise Fault(INVALID_ARGUMENT, "undecodable_message", f"the message is no request of {method.name}") from None
        if method.needs_configuration and not self._service.configured:
            raise Fault(FAILED_PRECONDITION, "not_configured", f"{method.name} comes before Configure")
        return method.serve(self._service, request, call.deadline)


def method_of(call: Waiting) -> Method:
    frame = call.frame
    method = METHODS.get(frame.method)
    if method is None:
        raise Fault(UNIMPLEMENTED, "unknown_method", f"there is no method {shown(frame.method) if len(frame.method) <= 80 else ''}")
    if frame.metadata_count > METADATA_LIMIT:
        raise Fault(INVALID_ARGUMENT, "too_much_metadata", f"a call has at most {METADATA_LIMIT} entries of metadata")
    if frame.timeout_ms > 0xFFFFFFFF:
        raise Fault(INVALID_ARGUMENT, "timeout_too_long", "timeout_ms has more than 32 bits")
    if call.deadline is not None and time.monotonic() >= call.deadline:
        raise Fault(DEADLINE_EXCEEDED, "deadline_exceeded", "the deadline passed before the call was begun")
    return method
