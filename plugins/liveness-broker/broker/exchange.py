"""One HTTP request within a deadline: bounded, without redirects and proxies."""
from __future__ import annotations

import http.client
import io
import socket
import time
from dataclasses import dataclass
from typing import Any

from .configuration import Provider

ANSWER_LIMIT = 64 * 1024
RETRY_AFTER_LIMIT = 3600


class NoAnswer(Exception):
    """The provider gave no answer that can be used. The text says why, for the log."""

    def __init__(self, why: str, retry_after: int = 0) -> None:
        super().__init__(why)
        self.retry_after = retry_after


@dataclass
class Answer:
    status: int
    body: bytes
    retry_after: int


class Deadline:
    """A time for everything that is read and written, not for each part of it."""

    def __init__(self, connected: socket.socket, at: float) -> None:
        self.socket, self._at = connected, at

    def apply(self) -> None:
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is over")
        self.socket.settimeout(left)


class Reader(io.RawIOBase):
    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._deadline.apply()
        return self._deadline.socket.recv_into(buffer)


class Stream:
    """What http.client needs of a socket."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        waiting = memoryview(data)
        while waiting:
            self._deadline.apply()
            waiting = waiting[self._deadline.socket.send(waiting):]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(Reader(self._deadline))

    def close(self) -> None:
        """Called while the answer is still read; `post` closes the socket."""


def post(provider: Provider, path: str, body: bytes, deadline: float) -> Answer:
    """NoAnswer if there is no answer of at most 64 KiB before the deadline."""
    try:
        connected = connect(provider, deadline)
    except OSError as error:
        raise NoAnswer(not_connected(provider, error)) from None
    try:
        return exchange(provider, Stream(Deadline(connected, deadline)), path, body)
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"the exchange failed: {type(error).__name__}") from None
    finally:
        connected.close()


def connect(provider: Provider, deadline: float) -> socket.socket:
    failure: OSError = OSError("there is no address")
    for family, kind, protocol, _, address in provider.resolver.addresses(deadline):
        connected = socket.socket(family, kind, protocol)
        try:
            connected.settimeout(max(0.001, deadline - time.monotonic()))
            connected.connect(address)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if provider.tls is not None:
                connected.settimeout(max(0.001, deadline - time.monotonic()))
                connected = provider.tls.wrap_socket(connected, server_hostname=provider.host)
            return connected
        except OSError as error:
            connected.close()
            # The sandbox refuses every address alike, which says more than an address without a route.
            failure = failure if isinstance(failure, PermissionError) else error
    raise failure


def not_connected(provider: Provider, error: OSError) -> str:
    """For the log. The sandbox refuses a connection with EACCES, and without any network a socket with EPERM."""
    place = f"connecting to {provider.host}, port {provider.port}, failed"
    if isinstance(error, PermissionError):
        return f"{place}: powers.network does not allow it; the catalog's entry needs {provider.port} among its ports"
    # Without a number it is an error with a sentence, such as those of the resolver.
    return f"{place}: {error if error.errno is None else type(error).__name__}"


def exchange(provider: Provider, stream: Stream, path: str, body: bytes) -> Answer:
    connection = http.client.HTTPConnection(provider.host, provider.port)
    if provider.secure:
        # Leaves the port out of the header Host.
        connection.default_port = http.client.HTTPS_PORT
    connection.sock = stream  # type: ignore[assignment]
    connection.request("POST", provider.base_path + path, body, {**provider.headers, "Connection": "close"})
    response = connection.getresponse()
    content = response.read(ANSWER_LIMIT + 1)
    if len(content) > ANSWER_LIMIT:
        raise NoAnswer(f"the answer has more than {ANSWER_LIMIT} bytes")
    if response.length:
        raise NoAnswer("the answer ended early")
    return Answer(response.status, content, seconds(response.getheader("Retry-After", "")))


def seconds(text: str) -> int:
    """The Retry-After of an answer; 0 if it says nothing that can be used."""
    return min(int(text), RETRY_AFTER_LIMIT) if text.isascii() and text.isdigit() and len(text) < 10 else 0
