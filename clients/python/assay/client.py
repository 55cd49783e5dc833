"""The client that waits for its calls."""

from __future__ import annotations

import functools
import os
import select
import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple, TypeVar

from . import calls
from .calls import Call, with_self
from .connecting import MAX_IDLE, MAX_IDLE_SECONDS, lost, not_connected, not_connected_in_time, timed_out
from .core import Core
from .errors import AssayError, own
from .options import Endpoint, Options, make_options
from .retrying import Pause, Send, Timing
from .wire import AnswerReader

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


def _method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Client, P], T]:
    """The method that makes the call of a declaration, with its parameters and its text."""

    @functools.wraps(build)
    def method(self: Client, /, *args: P.args, **keywords: P.kwargs) -> T:
        try:
            return self._make(build(*args, **keywords))
        except AssayError as error:
            raise self._core.documented(error)

    method.__signature__ = with_self(build)  # type: ignore[attr-defined]
    return method


class Client:
    """Calls assayd over HTTP. Safe to share between threads; close it, or use it in a `with`.

    url: https://host[:port][/path], http://host[:port][/path], or http+unix:/path/of/socket.
    api_key: sent with each call; over https and to a Unix socket alone.
    ca_file: a PEM file: only certificates from these CAs are trusted. None: those that the system trusts.
    certificate_file, key_file: PEM files of a client certificate.
    timeout: seconds for a call with all its tries and pauses.
    connect_timeout: seconds for each connection.
    tries: in total; 1: no retry.
    idempotency_keys: whether a call that takes an idempotency key and is given none gets a random one, so that it can be retried.
    max_answer_bytes: the longest body of an answer.
    documentation: what links of errors begin with.
    timing: the clock and the pauses, for tests.

    Raises AssayError (`bad_option`) for an option that cannot be used.
    """

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
        self._sleep: Callable[[float], Any] = timing.sleep or time.sleep
        self._connections = _Connections(options)

    def close(self) -> None:
        """Closes idle connections. Calls in flight end by themselves; further calls raise AssayError."""
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make(self, call: Call[T]) -> T:
        steps = self._core.steps(call)
        try:
            step = next(steps)
            while True:
                try:
                    if isinstance(step, Pause):
                        result = self._sleep(step.seconds)
                    else:
                        result = self._connections.exchange(step)
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


def _left(end: float) -> float:
    """Seconds until then, and never 0, which would not wait at all."""
    return max(end - time.monotonic(), 0.001)


class _Connection:
    """One connection: a request and its answer at a time."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self.idle_since = 0.0

    @staticmethod
    def open(endpoint: Endpoint, end: float, connect_timeout: float) -> _Connection:
        """Connects until `end`, and no longer than `connect_timeout`; both in seconds."""
        own_end = time.monotonic() + connect_timeout
        sock: Optional[socket.socket] = None
        try:
            sock = _Connection._connected(endpoint, min(end, own_end))
            if endpoint.tls is not None:
                sock.settimeout(_left(min(end, own_end)))
                sock = endpoint.tls.wrap_socket(sock, server_hostname=endpoint.host)
            return _Connection(sock)
        except (OSError, UnicodeError) as error:
            if sock is not None:
                sock.close()
            if isinstance(error, socket.timeout):
                raise (timed_out() if end <= own_end else not_connected_in_time(endpoint, connect_timeout)) from None
            raise not_connected(error, endpoint) from error

    @staticmethod
    def _connected(endpoint: Endpoint, end: float) -> socket.socket:
        """A socket that is connected, to the first address of the host that takes it. Looking the name up is as slow as the system is."""
        if endpoint.socket:
            addresses: List[Any] = [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", endpoint.socket)]
        else:
            addresses = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
        failure = OSError("the name has no address")
        for family, kind, protocol, _, address in addresses:
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_left(end))
                sock.connect(address)
                if not endpoint.socket:
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return sock
            except OSError as error:
                sock.close()
                failure = error
        raise failure

    def exchange(self, request: bytes, end: float, max_body: int) -> AnswerReader:
        """Sends a request, and reads its answer. Raises AssayError; `answer_began` tells whether a byte of an answer came."""
        self.answer_began = False
        reader = AnswerReader(max_body)
        sending: Optional[OSError] = None
        try:
            try:
                self._wait_until(end)
                self._socket.sendall(request)
            except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError) as error:
                # The daemon may have answered before it had read all, such as that the request is too long, or have said by an alert of TLS why
                # it ends the connection.
                sending = error
            while not reader.is_whole:
                self._wait_until(end)
                data = self._socket.recv(65536)
                if not data:
                    reader.end()
                    break
                self.answer_began = True
                reader.feed(data)
            return reader
        except socket.timeout:
            raise timed_out() from None
        except OSError as error:
            raise lost(error if sending is None or isinstance(error, ssl.SSLError) else sending) from error

    def _wait_until(self, end: float) -> None:
        if end <= time.monotonic():
            raise socket.timeout
        self._socket.settimeout(_left(end))

    def is_quiet(self) -> bool:
        """Whether the daemon has neither closed the connection nor sent anything on it."""
        try:
            if not hasattr(select, "poll"):
                return not select.select([self._socket], [], [], 0)[0]
            poll = select.poll()
            poll.register(self._socket.fileno(), select.POLLIN)
            return not poll.poll(0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        self._socket.close()


class _Connections:
    """Connections that are kept open between calls."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._idle: List[_Connection] = []
        self._process = os.getpid()
        self._closed = False

    def exchange(self, step: Send) -> AnswerReader:
        end = time.monotonic() + step.remaining
        connection, is_kept = self._take(end)
        while True:
            try:
                answer = connection.exchange(step.request, end, self._options.max_answer_bytes)
            except AssayError as error:
                connection.close()
                # It was closed while it was kept: not a try of the call.
                if not (is_kept and error.reason == "connection_lost" and not connection.answer_began and step.may_be_repeated):
                    raise
                connection, is_kept = _Connection.open(self._options.endpoint, end, self._options.connect_timeout), False
            except BaseException:
                connection.close()
                raise
            else:
                self._give_back(connection, answer)
                return answer

    def _take(self, end: float) -> Tuple[_Connection, bool]:
        oldest = time.monotonic() - MAX_IDLE_SECONDS
        while True:
            with self._lock:
                if self._closed:
                    raise own("bad_request", "the client is closed")
                if self._process != os.getpid():
                    # A fork shares its parent's connections, which are not to be used by both. Here they are closed without a word.
                    inherited, self._idle, self._process = self._idle, [], os.getpid()
                    for each in inherited:
                        each.close()
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return _Connection.open(self._options.endpoint, end, self._options.connect_timeout), False
            if connection.idle_since >= oldest and connection.is_quiet():
                return connection, True
            connection.close()

    def _give_back(self, connection: _Connection, answer: AnswerReader) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            if answer.keeps_alive and not self._closed and len(self._idle) < MAX_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle, self._closed = self._idle, [], True
        for connection in idle:
            connection.close()
