"""Python's sockets: gRPC-Web as a browser sends it, and gRPC frame by frame, to see what the daemon itself says."""

from __future__ import annotations

import base64
import http.client
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
from assay.v1 import operations_pb2
from checks import check, equal, expect
from daemon import Daemon

WHO_AM_I = "/assay.v1.Operations/WhoAmI"
WATCH = "/assay.v1.Operations/Watch"


def envelope(message: bytes = b"", flags: int = 0) -> bytes:
    return struct.pack(">BI", flags, len(message)) + message


def envelopes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        flags, length = struct.unpack_from(">BI", data)
        yield flags, data[5:5 + length]
        data = data[5 + length:]


# MARK: gRPC-Web

def grpc_web(daemon: Daemon, path: str, body: bytes, content_type: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection(daemon.plain, timeout=10)
    try:
        connection.request("POST", path, body, {"content-type": content_type, "x-grpc-web": "1"})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


@check("sockets", "gRPC-Web, binary: a message, then the trailers as a message")
def web(daemon: Daemon) -> None:
    answer, body = grpc_web(daemon, WHO_AM_I, envelope(), "application/grpc-web+proto")
    equal(answer.status, 200)
    expect(answer.getheader("content-type", "").startswith("application/grpc-web"), answer.getheaders())
    (flags, message), (last, trailers) = envelopes(body)
    equal((flags, last), (0, 0x80))
    equal(operations_pb2.WhoAmIResponse.FromString(message).recognised_by, "loopback_demo")
    expect(b"grpc-status:" in trailers.lower().replace(b" ", b"") and b"0" in trailers, trailers)


@check("sockets", "gRPC-Web, text: Base64 in pieces that are padded each")
def web_text(daemon: Daemon) -> None:
    request = envelope()
    body = base64.b64encode(request[:2]) + base64.b64encode(request[2:])
    answer, body = grpc_web(daemon, WHO_AM_I, body, "application/grpc-web-text")
    equal(answer.status, 200)
    expect(answer.getheader("content-type", "").startswith("application/grpc-web-text"), answer.getheaders())
    decoded = b"".join(base64.b64decode(part) for part in base64_pieces(body))
    (_, message), (last, _) = envelopes(decoded)
    equal(operations_pb2.WhoAmIResponse.FromString(message).recognised_by, "loopback_demo")
    equal(last, 0x80)


def base64_pieces(text: bytes) -> Iterator[bytes]:
    """Texts that end in padding, or at the end."""
    start = 0
    for end in range(4, len(text) + 1, 4):
        if text[end - 1:end] == b"=" or end == len(text):
            yield text[start:end]
            start = end


@check("sockets", "gRPC-Web, an error: its status as trailers in the body or in the head")
def web_error(daemon: Daemon) -> None:
    answer, body = grpc_web(daemon, "/assay.v1.Attestation/Nothing", envelope(), "application/grpc-web+proto")
    equal(answer.status, 200)
    status = answer.getheader("grpc-status")
    if status is None:
        (flags, trailers), = envelopes(body)
        equal(flags, 0x80)
        status = next(line.partition(b":")[2] for line in trailers.splitlines() if line.startswith(b"grpc-status")).decode()
    equal(status.strip(), "12")


# MARK: gRPC

@dataclass
class Stream:
    """What came on one stream of HTTP/2."""

    head: dict[str, str] = field(default_factory=dict)
    trailers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_ended: bool = False
    reset: int | None = None


class Connection:
    """An HTTP/2 connection in clear, one frame after the other."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), 10)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.address = address
        self.streams: dict[int, Stream] = {}
        self.is_over = False

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def call(self, path: str, message: bytes = b"", *fields: tuple[str, str]) -> Stream:
        number = self.h2.get_next_available_stream_id()
        head = [
            (":method", "POST"), (":scheme", "http"), (":authority", self.address), (":path", path),
            ("content-type", "application/grpc"), ("te", "trailers"), *fields]
        self.h2.send_headers(number, head)
        self.h2.send_data(number, envelope(message), end_stream=True)
        self.streams[number] = Stream()
        return self.streams[number]

    def read_until(self, condition) -> None:
        self.socket.sendall(self.h2.data_to_send())
        while not condition():
            data = self.socket.recv(65536)
            expect(data, "the connection ended")
            for event in self.h2.receive_data(data):
                self.take(event)
            self.socket.sendall(self.h2.data_to_send())

    def take(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.ConnectionTerminated):
            self.is_over = True
        stream = self.streams.get(getattr(event, "stream_id", None) or 0)
        if stream is None:
            return
        if isinstance(event, h2.events.ResponseReceived):
            stream.head = dict(event.headers)
        elif isinstance(event, h2.events.TrailersReceived):
            stream.trailers = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            stream.body += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            stream.is_ended = True
        elif isinstance(event, h2.events.StreamReset):
            stream.reset = event.error_code
            stream.is_ended = True


@check("sockets", "gRPC: head, message and trailers; 100 streams at once")
def grpc(daemon: Daemon) -> None:
    with Connection(daemon.plain) as connection:
        connection.read_until(lambda: connection.h2.remote_settings.max_concurrent_streams >= 100)
        streams = [connection.call(WHO_AM_I) for _ in range(100)]
        connection.read_until(lambda: all(stream.is_ended for stream in streams))
        for stream in streams:
            equal((stream.head[":status"], stream.trailers.get("grpc-status")), ("200", "0"), str(stream.trailers))
            expect(stream.head["content-type"].startswith("application/grpc"), stream.head)
            (_, message), = envelopes(stream.body)
            equal(operations_pb2.WhoAmIResponse.FromString(message).recognised_by, "loopback_demo")


@check("sockets", "gRPC: grpc-timeout of 200 ms on a stream: the daemon itself says DEADLINE_EXCEEDED, in time")
def timeout(daemon: Daemon) -> None:
    import time

    with Connection(daemon.plain) as connection:
        started = time.monotonic()
        stream = connection.call(WATCH, b"\x0a\x06device", ("grpc-timeout", "200m"))
        connection.read_until(lambda: stream.is_ended)
        equal((stream.head[":status"], stream.trailers.get("grpc-status")), ("200", "4"), str(stream.trailers))
        took = time.monotonic() - started
        expect(0.15 < took < 1, f"it took {took:.3f} s")


@check("sockets", "gRPC: an error before any message has no body, and its head has the status (trailers-only)")
def trailers_only(daemon: Daemon) -> None:
    with Connection(daemon.plain) as connection:
        stream = connection.call("/assay.v1.Attestation/Nothing")
        connection.read_until(lambda: stream.is_ended)
        equal((stream.head[":status"], stream.head.get("grpc-status"), stream.body), ("200", "12", b""), str(stream.head))
        bad = connection.call(WHO_AM_I, b"", ("grpc-timeout", "1234567890m"))
        connection.read_until(lambda: bad.is_ended)
        equal({**bad.head, **bad.trailers}.get("grpc-status"), "3", str(bad.head))


@check("sockets", "a connection that is left during a call, and one after half a head: the daemon goes on")
def left(daemon: Daemon) -> None:
    with Connection(daemon.plain) as connection:
        stream = connection.call(WATCH)
        connection.read_until(lambda: stream.body)
    host, port = daemon.plain.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 10) as half:
        half.sendall(b"POST /v1/operations/who-am-i HTTP/1.1\r\nHos")
    with Connection(daemon.plain) as connection:
        stream = connection.call(WHO_AM_I)
        connection.read_until(lambda: stream.is_ended)
        equal(stream.trailers.get("grpc-status"), "0")


@check("sockets", "HTTP/1.1: no Host, two lengths, length and chunks: 400 and the end; an absolute target: answered")
def http1(daemon: Daemon) -> None:
    rest = "content-type: application/json\r\n"
    for head in (
        f"POST /v1/operations/who-am-i HTTP/1.1\r\n{rest}content-length: 2\r\n\r\n",
        f"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\n{rest}content-length: 2\r\ncontent-length: 3\r\n\r\n",
        f"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\n{rest}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n",
    ):
        answer = exchange(daemon, head.encode() + b"{}")
        expect(answer.startswith(b"HTTP/1.1 400"), f"{head!r}: {answer!r}")
    absolute = f"POST http://{daemon.plain}/v1/operations/who-am-i HTTP/1.1\r\nhost: {daemon.plain}\r\n{rest}connection: close\r\n"
    answer = exchange(daemon, absolute.encode() + b"content-length: 2\r\n\r\n{}")
    expect(answer.startswith(b"HTTP/1.1 200"), answer)


def exchange(daemon: Daemon, data: bytes) -> bytes:
    """Sends bytes, and reads until the daemon ends the connection."""
    host, port = daemon.plain.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 15) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer
