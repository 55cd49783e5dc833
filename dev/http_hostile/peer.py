"""A peer that sends what it likes: HTTP/2 frame by frame, HTTP/1.1 byte by byte."""

from __future__ import annotations

import re
import select
import socket
import ssl
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
CODES = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
    "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
]
WHO_AM_I = "/assay.v1.Operations/WhoAmI"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values: int) -> bytes:
    numbers = {"table": 1, "push": 2, "streams": 3, "window": 4, "frame": 5, "list": 6}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def window(stream: int, count: int) -> bytes:
    return frame(WINDOW, 0, stream, struct.pack(">I", count))


def reset(stream: int, code: int = 8) -> bytes:
    return frame(RESET, 0, stream, struct.pack(">I", code))


def envelope(message: bytes = b"", flags: int = 0) -> bytes:
    return struct.pack(">BI", flags, len(message)) + message


def fields(path: str, kind: str | None = "application/grpc", method: str = "POST", *more: tuple[str, str]) -> list[tuple[str, str]]:
    head = [(":method", method), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
    return head + ([("content-type", kind)] if kind else []) + [("te", "trailers"), *more]


def block(head: Iterable[tuple[str, str]]) -> bytes:
    """A header block that leaves no trace in the table, so that it may be sent any number of times."""
    out = b""
    for name, value in head:
        out += b"\0" + text(name) + text(value)
    return out


def text(value: str | bytes) -> bytes:
    have = value.encode() if isinstance(value, str) else value
    if len(have) < 127:
        return bytes([len(have)]) + have
    rest, prefix = len(have) - 127, b"\x7f"
    while rest >= 128:
        prefix += bytes([rest % 128 + 128])
        rest //= 128
    return prefix + bytes([rest]) + have


def head(stream: int, path: str = WHO_AM_I, *, end: bool = False, **options: object) -> bytes:
    more = options.pop("more", [])
    return frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block(fields(path, **options) + list(more)))


def call(stream: int, path: str = WHO_AM_I, message: bytes = b"") -> bytes:
    return head(stream, path) + frame(DATA, END_STREAM, stream, envelope(message))


@dataclass
class Peer:
    """One connection. `ended` says how the daemon ended it."""

    address: str
    tls: bool = False
    alpn: list[str] | None = None
    small_buffers: bool = False
    ended: str = ""
    received: bytes = b""
    frames: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    decoder: hpack.Decoder = field(default_factory=hpack.Decoder)
    keep: bool = True
    total: int = 0

    def __post_init__(self) -> None:
        host, port = self.address.rsplit(":", 1)
        self.socket = socket.socket()
        if self.small_buffers:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(10)
        self.socket.connect((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self.alpn is not None:
                context.set_alpn_protocols(self.alpn)
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.socket.setblocking(False)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def begin(self, **values: int) -> Peer:
        """The preface, the acknowledgement of the daemon's settings, and a window of the connection that never closes."""
        self.pump(PREFACE + settings(**values), until=lambda: any(kind == SETTINGS and not flags & ACK for kind, flags, _, _ in self.read()))
        self.pump(frame(SETTINGS, ACK, 0) + window(0, 2**31 - 65_536))
        return self

    # MARK: Bytes

    def pump(self, data: bytes = b"", *, seconds: float = 5, until=None, reads: bool = True) -> bool:
        """Sends, and reads meanwhile, until everything is sent and `until` holds, the connection's end, or late. Whether both came true."""
        view, deadline = memoryview(data), time.monotonic() + seconds
        while not self.ended and time.monotonic() < deadline:
            if not view and (until is None or until()):
                return True
            waits = isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0
            readable, writable, _ = select.select(
                [self.socket] if reads else [], [self.socket] if view else [], [], 0 if waits else 0.05)
            if readable or (waits and reads):
                self.receive()
            if writable and not self.ended:
                try:
                    view = view[self.socket.send(view[:1 << 18]):]
                except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                    pass
                except OSError as error:
                    self.drain()
                    self.ended = type(error).__name__
        return not view and (until is None or until())

    def receive(self) -> None:
        try:
            data = self.socket.recv(1 << 18)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError as error:
            self.ended = type(error).__name__
            return
        self.total += len(data)
        if self.keep:
            self.received += data
        if not data:
            self.ended = "closed"

    def drain(self) -> None:
        """What came before the connection broke."""
        try:
            while data := self.socket.recv(1 << 18):
                self.received += data
        except OSError:
            pass

    def wait_for_end(self, seconds: float) -> str:
        self.pump(seconds=seconds, until=lambda: bool(self.ended))
        return self.ended or "open"

    # MARK: Frames

    def read(self) -> list[tuple[int, int, int, bytes]]:
        """All frames that have come."""
        have, start = self.received, 0
        while len(have) - start >= 9:
            length = int.from_bytes(have[start:start + 3], "big")
            if len(have) - start < 9 + length:
                break
            stream = int.from_bytes(have[start + 5:start + 9], "big") & 0x7FFF_FFFF
            self.frames.append((have[start + 3], have[start + 4], stream, have[start + 9:start + 9 + length]))
            start += 9 + length
        self.received = have[start:]
        return self.frames

    def goaway(self) -> str | None:
        """The code of the last GOAWAY."""
        codes = [int.from_bytes(payload[4:8], "big") for kind, _, _, payload in self.read() if kind == GOAWAY]
        return (CODES[codes[-1]] if codes[-1] < len(CODES) else str(codes[-1])) if codes else None

    def goaway_text(self) -> str:
        return next((payload[8:].decode(errors="replace") for kind, _, _, payload in self.read() if kind == GOAWAY), "")

    def resets(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for kind, _, _, payload in self.read():
            if kind == RESET:
                code = CODES[int.from_bytes(payload, "big")]
                found[code] = found.get(code, 0) + 1
        return found

    def heads(self) -> dict[int, dict[str, str]]:
        """The heads and trailers of streams, joined. Decodes all header blocks in their order; call it once."""
        found: dict[int, dict[str, str]] = {}
        for kind, _, stream, payload in self.read():
            if kind == HEADERS:
                found.setdefault(stream, {}).update(self.decoder.decode(payload))
        return found

    def is_over(self, *streams: int) -> bool:
        over = {
            stream for kind, flags, stream, _ in self.read() if kind == RESET or (kind in (DATA, HEADERS) and flags & END_STREAM)}
        return over.issuperset(streams)

    def outcome(self) -> str:
        said = f"GOAWAY {self.goaway()} {self.goaway_text()}".strip() if self.goaway() else ""
        resets = ", ".join(f"{count} RST {code}" for code, count in self.resets().items())
        return "; ".join(part for part in (said, resets, self.ended or "open") if part)


def exchange(address: str, data: bytes, seconds: float = 12, shut: bool = False) -> tuple[bytes, str]:
    """Sends bytes, and reads until the daemon ends the connection or is silent for a while. The answer, and how it ended."""
    with Peer(address) as peer:
        peer.pump(data)
        if shut:
            try:
                peer.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        last, deadline = (0, time.monotonic()), time.monotonic() + seconds
        while not peer.ended and time.monotonic() < deadline:
            peer.pump(seconds=0.1, until=lambda: bool(peer.ended))
            if len(peer.received) != last[0]:
                last = (len(peer.received), time.monotonic())
            elif peer.received and time.monotonic() - last[1] > 1:
                break
        return peer.received, peer.ended or "open"


def statuses(answer: bytes) -> list[int]:
    """The statuses of answers of HTTP/1.1 that stand behind each other."""
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] ([0-9]{3}) ", answer)]
