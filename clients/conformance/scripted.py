"""A server that does what a case says: it answers, cuts, drips, resets and hangs, and remembers what it was sent."""

from __future__ import annotations

import json
import select
import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union


@dataclass
class Request:
    """A request as it came."""

    method: str
    path: str
    fields: List[Tuple[str, str]]
    body: bytes
    connection: int
    """The number of its connection, from 1."""

    def all(self, name: str) -> List[str]:
        return [value for key, value in self.fields if key.lower() == name]

    def one(self, name: str) -> Optional[str]:
        values = self.all(name)
        return values[0] if len(values) == 1 else None

    @property
    def json(self) -> Any:
        return json.loads(self.body)


# What becomes of the connection behind a step.
KEEP, CLOSE = True, False
Act = Callable[[socket.socket], bool]


@dataclass
class Step:
    """What the server does for one request, or, `before` it is read, for one connection."""

    act: Act
    before: bool = False


def _json(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()


def head(status: int, fields: Dict[str, Union[str, List[str]]], version: str = "HTTP/1.1") -> bytes:
    lines = [f"{version} {status} Said"]
    for name, value in fields.items():
        lines += [f"{name}: {each}" for each in (value if isinstance(value, list) else [value])]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def answer(status: int, body: Any, fields: Optional[Dict[str, str]] = None, keep: bool = True, type: Optional[str] = "application/json") -> Step:
    """An answer with a length. The body is bytes, or what JSON is made of."""
    data = _json(body)
    all_fields = {"content-length": str(len(data)), **({"content-type": type} if type else {}), **(fields or {})}
    if not keep:
        all_fields["connection"] = "close"
    return raw(head(status, all_fields) + data, then=KEEP if keep else CLOSE)


def ok(body: Any, **more: Any) -> Step:
    return answer(200, body, **more)


def raw(data: bytes, then: bool = CLOSE) -> Step:
    def act(connection: socket.socket) -> bool:
        connection.sendall(data)
        return then

    return Step(act)


def chunked(parts: List[bytes], extension: str = "", trailers: bytes = b"", end: bool = True) -> Step:
    """An answer of 200 in chunks."""
    data = head(200, {"content-type": "application/json", "transfer-encoding": "chunked"})
    for part in parts:
        data += f"{len(part):x}{extension}\r\n".encode() + part + b"\r\n"
    return raw(data + (b"0\r\n" + trailers + b"\r\n" if end else b""), then=KEEP if end else CLOSE)


def drip(data: bytes, seconds: float) -> Step:
    """Sends a byte at a time, until the client has left."""

    def act(connection: socket.socket) -> bool:
        for byte in data:
            if _has_left(connection, seconds):
                break
            connection.sendall(bytes([byte]))
        return CLOSE

    return Step(act)


def in_pieces(data: bytes) -> Step:
    """Sends a byte at a time, each in a packet of its own."""

    def act(connection: socket.socket) -> bool:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(0.0005)
        return KEEP

    return Step(act)


def endless(data: bytes, then: bytes) -> Step:
    """Sends `data`, and then `then` again and again, at most 64 MiB in all."""

    def act(connection: socket.socket) -> bool:
        connection.sendall(data)
        block = then * max(1, 65536 // len(then))
        for _ in range(64 * 1024 * 1024 // len(block)):
            connection.sendall(block)
        return CLOSE

    return Step(act)


def hang(first: bytes = b"", before: bool = False) -> Step:
    """Sends `first` and nothing more, until the client has left."""

    def act(connection: socket.socket) -> bool:
        connection.sendall(first)
        _has_left(connection, 5)
        return CLOSE

    return Step(act, before)


def reset(first: bytes = b"", before: bool = False) -> Step:
    """Ends the connection by a reset."""

    def act(connection: socket.socket) -> bool:
        connection.sendall(first)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return CLOSE

    return Step(act, before)


def close(first: bytes = b"", before: bool = False) -> Step:
    """Ends the connection in order."""

    def act(connection: socket.socket) -> bool:
        connection.sendall(first)
        return CLOSE

    return Step(act, before)


def then_close(step: Step) -> Step:
    """Says that the connection is kept, and closes it all the same."""

    def act(connection: socket.socket) -> bool:
        step.act(connection)
        return CLOSE

    return Step(act)


def _has_left(connection: socket.socket, seconds: float) -> bool:
    """Waits, at most so long, until the client has closed the connection."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([connection], [], [], left)[0]:
            try:
                if not connection.recv(65536):
                    return True
            except OSError:
                return True
    return False


class ScriptedServer:
    """Listens on a port of its own, or at a Unix socket, and takes the steps in order. A request beyond them is answered by an error that no
    client repeats, and counted in `requests`."""

    def __init__(self, steps: List[Step], tls: Optional[ssl.SSLContext] = None, path: Optional[Path] = None) -> None:
        self._steps = list(steps)
        self._tls = tls
        self._lock = threading.Lock()
        self.requests: List[Request] = []
        self.connections = 0
        self._open: List[socket.socket] = []
        self._ended = False
        if path is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.bind(str(path))
        else:
            self._socket = socket.socket()
            self._socket.bind(("127.0.0.1", 0))
            self.port: int = self._socket.getsockname()[1]
        self._socket.listen(16)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended = True
        with self._lock:
            sockets = [self._socket, *self._open]
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._thread.join(5)
        self._socket.close()

    def _accept(self) -> None:
        while not self._ended:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                number = self.connections
                self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _next(self, before: bool) -> Optional[Step]:
        with self._lock:
            if before and (not self._steps or not self._steps[0].before):
                return None
            return self._steps.pop(0) if self._steps else answer(500, {"code": "internal", "message": "the case has no further step"})

    def _serve(self, connection: socket.socket, number: int) -> None:
        stream = connection
        try:
            connection.settimeout(20)
            if connection.family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            step = self._next(before=True)
            if step is not None:
                step.act(connection)
                return
            if self._tls is not None:
                stream = self._tls.wrap_socket(connection, server_side=True)
            while True:
                request = read_request(stream, number)
                if request is None:
                    return
                if request.method == "HEAD":
                    # A client may ask so whether a server is there.
                    stream.sendall(head(404, {"content-length": "0"}))
                    continue
                with self._lock:
                    self.requests.append(request)
                step = self._next(before=False)
                if step is None or not step.act(stream):
                    return
        except OSError:
            pass
        finally:
            with self._lock:
                if connection in self._open:
                    self._open.remove(connection)
            try:
                stream.close()
            except OSError:
                pass


def read_request(connection: socket.socket, number: int) -> Optional[Request]:
    """A whole request; None at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    text, _, body = data.partition(b"\r\n\r\n")
    lines = text.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    fields = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
    request = Request(method, path, fields, body, number)
    if (request.one("transfer-encoding") or "").lower() == "chunked":
        request.body = _read_chunks(connection, body)
        return request
    length = int(request.one("content-length") or 0)
    parts, size = [body], len(body)
    while size < length:
        more = connection.recv(1 << 20)
        if not more:
            return None
        parts.append(more)
        size += len(more)
    request.body = b"".join(parts)
    return request


def _read_chunks(connection: socket.socket, data: bytes) -> bytes:
    body = b""
    while True:
        while b"\r\n" not in data:
            data += connection.recv(65536)
        line, _, data = data.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        while len(data) < size + 2:
            data += connection.recv(65536)
        body, data = body + data[:size], data[size + 2 :]
        if size == 0:
            return body
