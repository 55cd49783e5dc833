"""The client for asyncio."""

from __future__ import annotations

import asyncio
import functools
import time
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Coroutine, Dict, List, Optional, Tuple, TypeVar, cast

from . import calls
from .calls import Call, with_self
from .connecting import MAX_IDLE, MAX_IDLE_SECONDS, lost, lost_before_answer, not_connected, not_connected_in_time, timed_out
from .core import Core
from .errors import AssayError, own
from .options import Options, make_options
from .retrying import Pause, Send, Timing
from .wire import AnswerReader

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


def _method(build: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """The method that makes the call of a declaration, with its parameters and its text."""

    @functools.wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **keywords: P.kwargs) -> T:
        try:
            return await self._make(build(*args, **keywords))
        except AssayError as error:
            raise self._core.documented(error)

    method.__signature__ = with_self(build)  # type: ignore[attr-defined]
    return method


class AsyncClient:
    """Calls assayd over HTTP from asyncio. Options and methods are those of `Client`; close it by `await close()`, or use it in an
    `async with`. Many tasks of one event loop may share it."""

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        ca_file: Optional[str] = None,
        certificate_file: Optional[str] = None,
        key_file: Optional[str] = None,
        timeout: float = 30.0,
        connect_timeout: float = 5.0,
        tries: int = 5,
        idempotency_keys: bool = True,
        max_answer_bytes: int = 8 * 1024 * 1024,
        documentation: str = "",
        timing: Timing = Timing(),
    ) -> None:
        options = make_options(
            url,
            api_key=api_key,
            ca_file=ca_file,
            certificate_file=certificate_file,
            key_file=key_file,
            timeout=timeout,
            connect_timeout=connect_timeout,
            tries=tries,
            idempotency_keys=idempotency_keys,
            max_answer_bytes=max_answer_bytes,
            documentation=documentation,
        )
        self._core = Core(options, timing)
        self._sleep: Callable[[float], Awaitable[Any]] = timing.sleep or asyncio.sleep
        self._connections = _Connections(options)

    async def close(self) -> None:
        """Closes idle connections. Calls in flight end by themselves; further calls raise AssayError."""
        self._connections.close()
        # Transports close at the next turn of the loop.
        await asyncio.sleep(0)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _make(self, call: Call[T]) -> T:
        steps = self._core.steps(call)
        try:
            step = next(steps)
            while True:
                try:
                    if isinstance(step, Pause):
                        result = await self._sleep(step.seconds)
                    else:
                        result = await self._connections.exchange(step)
                except AssayError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            steps.close()

    issue_challenge = _method(calls.issue_challenge)
    verify = _method(calls.verify)
    issue_certificate = _method(calls.issue_certificate)
    provision_device = _method(calls.provision_device)
    get_device = _method(calls.get_device)
    list_devices = _method(calls.list_devices)
    block = _method(calls.block)
    unblock = _method(calls.unblock)
    find_verdicts = _method(calls.find_verdicts)
    get_result_keys = _method(calls.get_result_keys)
    who_am_i = _method(calls.who_am_i)
    call = _method(calls.call)


class _Connection(asyncio.Protocol):
    """One connection: a request and its answer at a time."""

    def __init__(self) -> None:
        self._transport: Optional[asyncio.Transport] = None
        self._answer: Optional[AnswerReader] = None
        self._ended: Optional[asyncio.Future[None]] = None
        self.idle_since = 0.0
        self.answer_began = False
        """Whether a byte of the last answer came."""
        self.is_quiet = True
        """Whether the daemon has neither closed the connection nor sent anything on it that was not asked for."""

    @staticmethod
    async def open(options: Options, end: float) -> _Connection:
        """Connects until `end`, and no longer than the time-out of connections."""
        endpoint, loop = options.endpoint, asyncio.get_running_loop()
        left = max(end - time.monotonic(), 0.001)
        seconds = min(left, options.connect_timeout)
        tls: Dict[str, Any] = {}
        if endpoint.tls is not None:
            # The time-out here is the one that counts.
            tls = {"ssl": endpoint.tls, "server_hostname": endpoint.host, "ssl_handshake_timeout": seconds + 60}
        try:
            if endpoint.socket:
                _, connection = await asyncio.wait_for(loop.create_unix_connection(_Connection, endpoint.socket), seconds)
            else:
                opening = loop.create_connection(_Connection, endpoint.host, endpoint.port, **tls)
                _, connection = await asyncio.wait_for(opening, seconds)
            return connection
        except asyncio.TimeoutError:
            raise (timed_out() if seconds == left else not_connected_in_time(endpoint, seconds)) from None
        except (OSError, UnicodeError) as error:
            raise not_connected(error, endpoint) from error

    async def exchange(self, request: bytes, end: float, max_body: int) -> AnswerReader:
        """Sends a request, and reads its answer."""
        self._answer = answer = AnswerReader(max_body)
        self._ended = asyncio.get_running_loop().create_future()
        try:
            if self._transport is None or not self.is_quiet:
                raise lost_before_answer()
            self._transport.write(request)
            await asyncio.wait_for(self._ended, max(end - time.monotonic(), 0.0))
        except asyncio.TimeoutError:
            raise timed_out() from None
        finally:
            self.answer_began = answer.has_begun
            self._answer = self._ended = None
        return answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _end(self, error: Optional[AssayError]) -> None:
        if self._ended is None or self._ended.done():
            return
        self._ended.set_result(None) if error is None else self._ended.set_exception(error)

    # What the event loop says.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.is_whole:
            self.is_quiet = False
            self.close()
            return
        try:
            self._answer.feed(data)
        except AssayError as error:
            self._end(error)
        else:
            if self._answer.is_whole:
                self._end(None)

    def eof_received(self) -> None:
        self.is_quiet = False
        if self._answer is not None and not self._answer.is_whole:
            try:
                self._answer.end()
            except AssayError as error:
                self._end(error)
            else:
                self._end(None)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self.is_quiet = False
        self._end(lost_before_answer() if error is None else lost(error))


class _Connections:
    """Connections that are kept open between calls, of one event loop."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._idle: List[_Connection] = []
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._closed = False

    async def exchange(self, step: Send) -> AnswerReader:
        end = time.monotonic() + step.remaining
        connection, is_kept = await self._take(end)
        while True:
            try:
                answer = await connection.exchange(step.request, end, self._options.max_answer_bytes)
            except AssayError as error:
                connection.close()
                # It was closed while it was kept: not a try of the call.
                if not (is_kept and error.reason == "connection_lost" and not connection.answer_began and step.may_be_repeated):
                    raise
                connection, is_kept = await _Connection.open(self._options, end), False
            except BaseException:
                # Also when the task is cancelled.
                connection.close()
                raise
            else:
                self._give_back(connection, answer)
                return answer

    async def _take(self, end: float) -> Tuple[_Connection, bool]:
        if self._closed:
            raise own("bad_request", "the client is closed")
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            # Connections of a loop that has ended cannot be used by another.
            self._idle, self._loop = [], loop
        oldest = time.monotonic() - MAX_IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if connection.idle_since >= oldest and connection.is_quiet:
                return connection, True
            connection.close()
        return await _Connection.open(self._options, end), False

    def _give_back(self, connection: _Connection, answer: AnswerReader) -> None:
        connection.idle_since = time.monotonic()
        if answer.keeps_alive and not self._closed and len(self._idle) < MAX_IDLE and self._loop is asyncio.get_running_loop():
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        idle, self._idle, self._closed = self._idle, [], True
        for connection in idle:
            connection.close()
