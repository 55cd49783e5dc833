"""Bodies that are long, half sent, grow when they are unpacked, or cost much to read; and answers that are not read."""

from __future__ import annotations

import gzip
import json
import time

from attacks import attack, expect
from daemon import Daemon
from peer import DATA, END_STREAM, Peer, envelope, frame, head, settings, statuses, window

MIB = 1 << 20
VERIFY = "/v1/attestation/verify"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


def data_frames(stream: int, body: bytes, end: bool) -> bytes:
    out = b""
    for start in range(0, len(body), 16_384):
        last = end and start + 16_384 >= len(body)
        out += frame(DATA, END_STREAM if last else 0, stream, body[start:start + 16_384])
    return out


@attack("250 bodies of 1 MiB half sent, on each of 4 connections", most=400)
def half_sent(daemon: Daemon) -> str:
    half = envelope(bytes(MIB))[:MIB - 20_000]
    peers = [Peer(daemon.plain).begin() for _ in range(4)]
    try:
        refused = 0
        for start in range(1, 501, 20):
            for peer in peers:
                if not peer.ended:
                    peer.pump(b"".join(head(stream) + data_frames(stream, half, False) for stream in range(start, start + 20, 2)), seconds=20)
        time.sleep(1)
        resident = daemon.resident
        for peer in peers:
            peer.pump(seconds=0.2, until=lambda: False)
            refused += sum(1 for each in peer.heads().values() if each.get("grpc-status") == "8")
        ends = {peer.outcome() for peer in peers}
        return f"{resident:.0f} MiB held at the end of {4 * 250} MiB; {refused} streams refused as RESOURCE_EXHAUSTED; {ends}"
    finally:
        for peer in peers:
            peer.socket.close()


def answers(peer: Peer, streams: list[int], seconds: float = 10) -> str:
    peer.pump(seconds=seconds, until=lambda: peer.ended or peer.is_over(*streams))
    found: dict[str, int] = {}
    for each in peer.heads().values():
        key = f"{each.get(':status')}/{each.get('grpc-status', '')}"
        found[key] = found.get(key, 0) + 1
    return f"{found} {peer.outcome()}"


def post(daemon: Daemon, path: str, body: bytes, *more: str, tls: bool = False) -> tuple[int, float, bytes]:
    """The status, the seconds, and the answer."""
    lines = [f"POST {path} HTTP/1.1", "host: localhost", f"content-length: {len(body)}", "connection: close", *more]
    with Peer(daemon.tls if tls else daemon.plain, tls) as peer:
        started = time.monotonic()
        peer.pump("\r\n".join(lines).encode() + b"\r\n\r\n" + body, seconds=30)
        peer.wait_for_end(30)
        found = statuses(peer.received)
        return found[-1] if found else 0, time.monotonic() - started, peer.received.partition(b"\r\n\r\n")[2]


JSON = "content-type: application/json"
GZIPPED = "content-encoding: gzip"
EMPTY = b'{"evidence":[' + b"{}," * 300_000 + b"{}]}"
BODIES = {
    "gzip of 1 GiB": (gzip.compress(bytes(MIB * 64)) * 16, [JSON, GZIPPED], 429),
    "gzip of 64 MiB": (gzip.compress(bytes(MIB * 64)), [JSON, GZIPPED], 429),
    "gzip of gzip": (gzip.compress(gzip.compress(bytes(MIB))), [JSON, GZIPPED], 400),
    "gzip that is cut": (gzip.compress(b"{}")[:-3], [JSON, GZIPPED], 400),
    "gzip of nothing": (b"", [JSON, GZIPPED], 400),
    "two encodings": (b"{}", [JSON, "content-encoding: gzip, gzip"], 501),
    "100,000 nested lists": (b'{"evidence":' + b"[" * 100_000, [JSON], 400),
    "500,000 nested objects": (b'{"a":' * 200_000, [JSON], 400),
    "300,000 empty elements": (EMPTY, [JSON], 400),
    "300,000 empty elements, gzip": (gzip.compress(EMPTY), [JSON, GZIPPED], 400),
    "a member given 80,000 times": (b"{" + b'"app":"photos",' * 69_000 + b'"app":"x"}', [JSON], 400),
    "100,000 unknown members": (b"{" + b",".join(b'"m%d":1' % number for number in range(80_000)) + b"}", [JSON], 400),
    "a number of 1,000,000 digits": (b'{"purpose":' + b"9" * 1_000_000 + b"}", [JSON], 400),
    "a text of 1 MB of escapes": (b'{"app":"' + b"\\u0061" * 170_000 + b'"}', [JSON], 400),
    "1 MiB of spaces": (b" " * (MIB - 2) + b"{}", [JSON], 400),
    "Base64 of 1 MB": (b'{"challenge":"' + b"A" * 1_000_000 + b'"}', [JSON], 400),
    "beyond 1 MiB": (b" " * MIB + b"{}", [JSON], 429),
}


@attack("bodies that are bombs: gzip and JSON, each by itself", most=100)
def bombs(daemon: Daemon) -> str:
    seen = []
    slow = []
    for name, (body, fields, want) in BODIES.items():
        status, seconds, answer = post(daemon, VERIFY, body, *fields)
        try:
            message = json.loads(answer).get("message", "")
        except ValueError:
            message = repr(answer[:80])
        seen.append(f"{name}: {status} in {seconds * 1000:.0f} ms ({message[:70]})")
        if status != want or seconds > 1:
            slow.append(seen[-1])
    expect(not slow, f"not as wanted: {'; '.join(slow)}")
    return "; ".join(seen)


@attack("gzip bombs as messages of gRPC: in an envelope, and 200 streams at once")
def grpc_bombs(daemon: Daemon) -> str:
    bomb = envelope(gzip.compress(bytes(MIB * 64)), 1)
    small = envelope(gzip.compress(bytes(MIB - 1)), 1)
    with Peer(daemon.plain) as peer:
        peer.begin(window=1 << 20)
        streams = list(range(1, 401, 2))
        for stream in streams:
            body = bomb if stream % 4 == 1 else small
            peer.pump(head(stream, more=[("grpc-encoding", "gzip")]) + data_frames(stream, body, True))
        return answers(peer, streams)


@attack("JSON of 1 MiB that costs most, by a peer without a credential (TLS), 100 times")
def unknown_costs(daemon: Daemon) -> str:
    packed = gzip.compress(b'{"evidence":[' + b"{}," * 349_000 + b"{}]}")
    before = daemon.processor
    found: dict[int, int] = {}
    for _ in range(100):
        status, _, _ = post(daemon, VERIFY, packed, JSON, GZIPPED, tls=True)
        found[status] = found.get(status, 0) + 1
    used = daemon.processor - before
    return f"{found}; {len(packed)} bytes each, {used * 10:.1f} ms of a processor each"


@attack("a call refused by its credential, with a body of 1 MiB")
def refused_with_body(daemon: Daemon) -> str:
    status, seconds, answer = post(daemon, VERIFY, b" " * MIB, JSON, "authorization: Bearer assay_" + "A" * 43, tls=True)
    return f"{status} in {seconds * 1000:.0f} ms {answer[:120]!r}"


# MARK: Answers that are not read

@attack("answers not read: windows of 0, 200 files of 260 KB on each of 40 connections", most=700)
def windows_of_zero(daemon: Daemon) -> str:
    peers = [Peer(daemon.plain).begin(window=0) for _ in range(40)]
    try:
        for peer in peers:
            peer.pump(b"".join(head(stream, "/openapi.json", end=True, kind=None, method="GET") for stream in range(1, 401, 2)))
        time.sleep(3)
        held = daemon.resident
        for peer in peers:
            peer.pump(seconds=0.05, until=lambda: False)
        ends: dict[str, int] = {}
        for peer in peers:
            ends[peer.ended or "open"] = ends.get(peer.ended or "open", 0) + 1
        return f"{held:.0f} MiB held; {ends}"
    finally:
        for peer in peers:
            peer.socket.close()


@attack("answers not read: windows of 0, given up by the daemon", slow=True)
def windows_of_zero_given_up(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin(window=0)
        streams = list(range(1, 41, 2))
        peer.pump(b"".join(head(stream, "/openapi.json", end=True, kind=None, method="GET") for stream in streams))
        started = time.monotonic()
        peer.pump(seconds=45, until=lambda: peer.ended or peer.is_over(*streams))
        expect(peer.ended or peer.is_over(*streams), "after 45 s the streams are open")
        return f"after {time.monotonic() - started:.0f} s: {peer.outcome()}"


@attack("windows of 1 byte: an answer read byte by byte, 20,000 WINDOW_UPDATE")
def windows_of_one(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin(window=1)
        peer.pump(head(1, "/openapi.json", end=True, kind=None, method="GET"))
        peer.pump(window(1, 1) * 20_000, seconds=20)
        peer.pump(seconds=2, until=lambda: False)
        got = sum(len(payload) for kind, _, stream, payload in peer.read() if kind == DATA)
        frames = sum(1 for kind, _, _, _ in peer.read() if kind == DATA)
        return f"{got} bytes in {frames} frames; {peer.outcome()}"


@attack("the window of streams raised and lowered by SETTINGS, with 200 answers waiting")
def windows_change(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin(window=0)
        peer.pump(b"".join(head(stream, "/openapi.json", end=True, kind=None, method="GET") for stream in range(1, 61, 2)))
        peer.pump(b"".join(settings(window=number % 2 * 100) for number in range(180)))
        peer.pump(seconds=2, until=lambda: False)
        return peer.outcome()


@attack("answers not read by the socket: 400 pipelined files of 260 KB on each of 20 connections of HTTP/1.1", most=500)
def sockets_not_read(daemon: Daemon) -> str:
    peers = [Peer(daemon.plain, small_buffers=True) for _ in range(20)]
    try:
        for peer in peers:
            peer.pump(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 400, reads=False, seconds=3)
        time.sleep(2)
        return f"{daemon.resident:.0f} MiB held"
    finally:
        for peer in peers:
            peer.socket.close()


def question(symbol: bytes) -> bytes:
    return envelope(b"\x22" + bytes([len(symbol)]) + symbol)


@attack("reflection: 200,000 questions without reading the answers, 4 connections", most=300)
def reflection(daemon: Daemon) -> str:
    questions = question(b"assay.v1.Attestation") * 50_000
    peers = [Peer(daemon.plain).begin(window=0) for _ in range(4)]
    try:
        for peer in peers:
            peer.pump(head(1, REFLECTION) + data_frames(1, questions, False), seconds=20)
        time.sleep(1)
        held = daemon.resident
        for peer in peers:
            peer.pump(seconds=1, until=lambda: False)
        return f"{held:.0f} MiB held; {[peer.outcome() for peer in peers]}"
    finally:
        for peer in peers:
            peer.socket.close()


@attack("reflection: empty questions, 200,000 envelopes of 5 bytes")
def reflection_of_nothing(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin(window=2**31 - 1)
        peer.keep = False
        peer.pump(
            head(1, REFLECTION) + data_frames(1, envelope() * 200_000, False), seconds=40, until=lambda: peer.total > 200_000 * 20)
        return f"{peer.total} bytes of answers; {peer.ended or 'open'}"


@attack("envelopes: lengths of 4 GiB, flags that are none, two messages, one in a thousand pieces")
def envelopes(daemon: Daemon) -> str:
    bodies = {
        "a length of 4 GiB": b"\0\xff\xff\xff\xff", "flags of 0xfe": envelope(b"", 0xFE), "two messages": envelope() * 2,
        "compressed without an encoding": envelope(b"x", 1), "half a prefix": b"\0\0", "nothing": b"", "bytes behind": envelope() + b"\0",
    }
    seen: dict[str, list[str]] = {}
    with Peer(daemon.plain) as peer:
        peer.begin()
        for number, (name, body) in enumerate(bodies.items()):
            stream = 2 * number + 1
            peer.pump(head(stream) + frame(DATA, END_STREAM, stream, body))
        pieces = b"".join(frame(DATA, 0, 99, bytes([byte])) for byte in envelope(b"\x0a\x02" + b"ab" * 500))
        peer.pump(head(99) + pieces + frame(DATA, END_STREAM, 99))
        streams = [*range(1, 2 * len(bodies), 2), 99]
        peer.pump(seconds=5, until=lambda: peer.ended or peer.is_over(*streams))
        heads = peer.heads()
        for stream, name in zip(streams, [*bodies, "in pieces"]):
            seen.setdefault(str(heads.get(stream, {}).get("grpc-status")), []).append(name)
        return "; ".join(f"{status}: {', '.join(names)}" for status, names in seen.items()) + f"; {peer.outcome()}"


@attack("a body behind an answer that came early: 100 MiB to a path that is none")
def behind_the_answer(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin()
        peer.pump(head(1, "/nothing"))
        sent = 0
        for _ in range(100):
            if peer.ended or peer.goaway():
                break
            peer.pump(data_frames(1, bytes(MIB), False))
            sent += 1
        return f"{sent} MiB sent; {peer.outcome()}"


@attack("a slow body in both versions of HTTP", slow=True)
def slow_body(daemon: Daemon) -> str:
    request = b"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"
    first, second = Peer(daemon.plain), Peer(daemon.plain).begin()
    started = time.monotonic()
    first.pump(request)
    second.pump(head(1) + frame(DATA, 0, 1, envelope(bytes(900))[:5]))
    ends: dict[str, float] = {}
    while len(ends) < 2 and time.monotonic() - started < 50:
        first.pump(b" ", seconds=0.5, until=lambda: False)
        second.pump(frame(DATA, 0, 1, b"\0"), seconds=0.5, until=lambda: False)
        if first.received:
            ends.setdefault("1.1", time.monotonic() - started)
        if second.is_over(1) or second.ended:
            ends.setdefault("2", time.monotonic() - started)
    with first, second:
        expect(len(ends) == 2, f"{ends}")
        return f"{ends} {statuses(first.received)} {second.heads().get(1)}"
