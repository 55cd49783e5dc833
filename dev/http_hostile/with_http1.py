"""HTTP/1.1: pipelines, requests that two readers could take differently, and odd ends."""

from __future__ import annotations

import time

from attacks import attack, expect
from daemon import Daemon
from peer import Peer, exchange, statuses

PATH = b"/v1/operations/who-am-i"
HOST = b"host: localhost\r\n"
JSON = b"content-type: application/json\r\n"
WHOLE = b"POST " + PATH + b" HTTP/1.1\r\n" + HOST + JSON + b"content-length: 2\r\n\r\n{}"
# What must never be answered as a request of its own.
INNER = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"


def request(*fields: bytes, body: bytes = b"{}", line: bytes = b"POST " + PATH + b" HTTP/1.1", host: bytes = HOST, end: bytes = b"\r\n") -> bytes:
    return line + end + host + JSON + b"".join(field + end for field in fields) + end + body


CHUNKED = b"transfer-encoding: chunked"
ZERO = b"0\r\n\r\n"
# What is wanted: a status alone and the end of the connection, or two statuses that must come behind each other.
SMUGGLED: dict[str, tuple[bytes, list[list[int]]]] = {
    "CL and TE": (request(b"content-length: 6", CHUNKED, body=ZERO + INNER), [[400]]),
    "TE and CL": (request(CHUNKED, b"content-length: 6", body=ZERO + INNER), [[400]]),
    "two CL": (request(b"content-length: 2", b"content-length: 3", body=b"{}" + INNER), [[400]]),
    "two CL, the same": (request(b"content-length: 2", b"content-length: 2", body=b"{}"), [[400]]),
    "CL as a list": (request(b"content-length: 2, 2"), [[400]]),
    "CL +2": (request(b"content-length: +2"), [[400]]),
    "CL -1": (request(b"content-length: -1"), [[400]]),
    "CL 0x2": (request(b"content-length: 0x2"), [[400]]),
    "CL 2 with a space": (request(b"content-length: 2 "), [[200], [400]]),
    "CL empty": (request(b"content-length: "), [[400]]),
    "CL beyond 2^64": (request(b"content-length: 18446744073709551618"), [[400]]),
    "CL of 2^63": (request(b"content-length: 9223372036854775808"), [[400], [429]]),
    "CL of 2^62": (request(b"content-length: 4611686018427387904"), [[429]]),
    "two TE": (request(CHUNKED, CHUNKED, body=b"2\r\n{}\r\n" + ZERO), [[400]]),
    "TE identity, chunked": (request(b"transfer-encoding: identity, chunked", body=b"2\r\n{}\r\n" + ZERO), [[200], [400], [501]]),
    "TE chunked, identity": (request(b"transfer-encoding: chunked, identity", body=b"2\r\n{}\r\n" + ZERO), [[400], [501]]),
    "TE xchunked": (request(b"transfer-encoding: xchunked", body=b"2\r\n{}\r\n" + ZERO), [[400], [501]]),
    "TE with a tab": (request(b"transfer-encoding:\tchunked", body=b"2\r\n{}\r\n" + ZERO), [[200], [400]]),
    "TE with a vertical tab": (request(b"transfer-encoding:\x0bchunked", body=b"2\r\n{}\r\n" + ZERO), [[400]]),
    "TE space colon": (request(b"transfer-encoding : chunked", body=b"2\r\n{}\r\n" + ZERO), [[400]]),
    "TE in quotes": (request(b'transfer-encoding: "chunked"', body=b"2\r\n{}\r\n" + ZERO), [[400], [501]]),
    "TE over CL by folding": (request(b"x: y\r\n transfer-encoding: chunked", b"content-length: 2"), [[400]]),
    "TE of HTTP/1.0": (request(CHUNKED, line=b"POST " + PATH + b" HTTP/1.0", body=b"2\r\n{}\r\n" + ZERO), [[400], [200]]),
    "a folded field": (request(b"x: y\r\n z", b"content-length: 2"), [[400]]),
    "bare LF": (request(b"content-length: 2", end=b"\n"), [[400]]),
    "bare LF in one field": (request(b"x: y\ncontent-length: 2"), [[400]]),
    "bare CR in a field": (request(b"x: y\rz: a", b"content-length: 2"), [[400]]),
    "NUL in a field": (request(b"x: y\0z", b"content-length: 2"), [[400]]),
    "a name with a space": (request(b"x y: z", b"content-length: 2"), [[400]]),
    "no name": (request(b": z", b"content-length: 2"), [[400]]),
    "no colon": (request(b"xyz", b"content-length: 2"), [[400]]),
    "a chunk size of 0x": (request(CHUNKED, body=b"0x2\r\n{}\r\n" + ZERO), [[400]]),
    "a chunk size of +2": (request(CHUNKED, body=b"+2\r\n{}\r\n" + ZERO), [[400]]),
    "a chunk size of 2^64 + 2": (request(CHUNKED, body=b"10000000000000002\r\n{}\r\n" + ZERO), [[400]]),
    "a chunk size of 2^60": (request(CHUNKED, body=b"fffffffffffffff\r\n{}"), [[429], [400], []]),
    "a chunk size with a space": (request(CHUNKED, body=b"2 \r\n{}\r\n" + ZERO), [[200], [400]]),
    "a chunk with bare LF": (request(CHUNKED, body=b"2\n{}\n0\n\n"), [[400]]),
    "a chunk that is longer than it says": (request(CHUNKED, body=b"2\r\n{}x\r\n" + ZERO), [[400]]),
    "a chunk with an extension": (request(CHUNKED, body=b"2;a=b\r\n{}\r\n" + ZERO), [[200], [400]]),
    "a chunk extension with LF": (request(CHUNKED, body=b"2;a\n{}\r\n" + ZERO), [[400]]),
    "a chunk extension of 100 KB": (request(CHUNKED, body=b"2;" + b"a" * 100_000 + b"\r\n{}\r\n" + ZERO), [[200], [400]]),
    "trailers": (request(CHUNKED, body=b"2\r\n{}\r\n0\r\nx: y\r\n\r\n"), [[200]]),
    "trailers that matter": (request(CHUNKED, body=b"2\r\n{}\r\n0\r\ncontent-length: 9\r\nhost: b\r\n\r\n"), [[200], [400]]),
    "trailers of 1 MB": (request(CHUNKED, body=b"2\r\n{}\r\n0\r\n" + b"x: y\r\n" * 170_000 + b"\r\n"), [[200], [400], []]),
    "no host": (request(b"content-length: 2", host=b""), [[400]]),
    "two hosts": (request(b"host: example.org", b"content-length: 2"), [[400]]),
    "two hosts, the same": (request(b"host: localhost", b"content-length: 2"), [[400]]),
    "an empty host": (request(b"content-length: 2", host=b"host: \r\n"), [[400]]),
    "a host of others": (request(b"content-length: 2", host=b"host: example.org\r\n"), [[421]]),
    "a host with a user": (request(b"content-length: 2", host=b"host: localhost@example.org\r\n"), [[400], [421]]),
    "a host with a path": (request(b"content-length: 2", host=b"host: localhost/example.org\r\n"), [[400], [421]]),
    "a whole URI with another host": (
        request(b"content-length: 2", line=b"POST http://example.org" + PATH + b" HTTP/1.1"), [[400], [421]]),
    "a whole URI of here, another host": (
        request(b"content-length: 2", line=b"POST http://localhost" + PATH + b" HTTP/1.1", host=b"host: example.org\r\n"), [[400], [421], [200]]),
    "a whole URI with a user": (
        request(b"content-length: 2", line=b"POST http://localhost@example.org" + PATH + b" HTTP/1.1"), [[400], [421]]),
    "a whole URI without a host": (request(b"content-length: 2", line=b"POST http:///x HTTP/1.1"), [[400], [421]]),
    "OPTIONS *": (request(b"content-length: 0", line=b"OPTIONS * HTTP/1.1", body=b""), [[404], [405], [400]]),
    "CONNECT": (request(line=b"CONNECT localhost:80 HTTP/1.1", body=b""), [[404], [405], [400], [501]]),
    "TRACE": (request(b"content-length: 0", line=b"TRACE " + PATH + b" HTTP/1.1", body=b""), [[405]]),
    "a method that is none": (request(b"content-length: 2", line=b"G@T / HTTP/1.1"), [[400]]),
    "PRI without its end": (request(line=b"PRI * HTTP/2.0", body=b""), [[400], [404], [405], [505], []]),
    "HTTP/1.2": (request(b"content-length: 2", line=b"POST " + PATH + b" HTTP/1.2"), [[200], [400], [505]]),
    "HTTP/3.0": (request(b"content-length: 2", line=b"POST " + PATH + b" HTTP/3.0"), [[400], [505]]),
    "HTTP/0.9": (b"GET /openapi.json\r\n", [[400], []]),
    "two spaces": (request(b"content-length: 2", line=b"POST  " + PATH + b" HTTP/1.1"), [[400], [200]]),
    "a tab": (request(b"content-length: 2", line=b"POST\t" + PATH + b" HTTP/1.1"), [[400]]),
    "an empty line before": (b"\r\n" + WHOLE, [[200], [400]]),
    "1,000 empty lines before": (b"\r\n" * 1000 + WHOLE, [[200], [400]]),
    "a path of 60 KB": (request(b"content-length: 2", line=b"POST /" + b"a" * 60_000 + b" HTTP/1.1"), [[431], [400], [414]]),
    "a field of 17 KB": (request(b"x: " + b"y" * 17_000, b"content-length: 2"), [[431]]),
    "450 fields": (request(*[b"x%d: y" % number for number in range(450)], b"content-length: 2"), [[431]]),
    "70 fields": (request(*[b"x%d: y" % number for number in range(70)], b"content-length: 2"), [[431]]),
    "a body of GET": (b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"content-length: 47\r\n\r\n" + INNER, [[200]]),
    "gRPC": (WHOLE.replace(b"application/json", b"application/grpc"), [[505]]),
    "upgrade h2c": (
        request(b"connection: upgrade, http2-settings", b"upgrade: h2c", b"http2-settings: AAMAAABkAAQAAP__", b"content-length: 2"), [[200]]),
    "upgrade websocket": (request(b"connection: upgrade", b"upgrade: websocket", b"content-length: 2"), [[200]]),
    "expect: something": (request(b"expect: something", b"content-length: 2"), [[417], [200]]),
    "expect with the body": (request(b"expect: 100-continue", b"content-length: 2"), [[100, 200], [200]]),
    "expect of a path that is none": (
        request(b"expect: 100-continue", b"content-length: 2", line=b"POST /nothing HTTP/1.1", body=b""), [[404], [501]]),
    "expect of a body that is too long": (request(b"expect: 100-continue", b"content-length: 9999999", body=b""), [[429]]),
    "expect of HTTP/1.0": (
        request(b"expect: 100-continue", b"content-length: 2", line=b"POST " + PATH + b" HTTP/1.0"), [[200]]),
    "content-encoding twice": (request(b"content-encoding: gzip", b"content-encoding: identity", b"content-length: 2"), [[400]]),
    "TLS in clear": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), [[400]]),
    "bytes at random": (bytes(range(256)) * 40, [[400]]),
}


@attack("requests that two readers could take differently, each by itself", slow=False)
def smuggled(daemon: Daemon) -> str:
    wrong, seen = [], {}
    for name, (data, wanted) in SMUGGLED.items():
        answer, end = exchange(daemon.plain, data, seconds=4)
        have = statuses(answer)
        seen.setdefault(str(have), []).append(name)
        if have not in wanted:
            wrong.append(f"{name}: {have}, {end}: {answer[-150:]!r}")
        elif have == [400] and end == "open":
            wrong.append(f"{name}: {have}, and the connection stays open")
    expect(not wrong, "; ".join(wrong))
    return "; ".join(f"{have}: {', '.join(names)}" for have, names in seen.items())


@attack("a pipeline of 10,000 requests, read")
def pipeline(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        started = time.monotonic()
        peer.pump(WHOLE * 10_000, seconds=60)
        pieces = 0
        while not peer.ended and time.monotonic() - started < 60:
            peer.pump(seconds=0.2, until=lambda: bool(peer.ended))
            pieces = peer.received.count(b"HTTP/1.1 200")
            if pieces >= 10_000:
                break
        expect(pieces == 10_000 or peer.ended, f"{pieces} answers in {time.monotonic() - started:.0f} s, {peer.ended or 'open'}")
        return f"{pieces} answers in {time.monotonic() - started:.1f} s; {peer.ended or 'open'}"


@attack("a pipeline of 10,000 requests, not read, on 30 connections", most=300)
def pipeline_not_read(daemon: Daemon) -> str:
    peers = [Peer(daemon.plain, small_buffers=True) for _ in range(30)]
    try:
        for peer in peers:
            peer.pump(WHOLE * 10_000, reads=False, seconds=1)
        time.sleep(1)
        return f"{daemon.resident:.0f} MiB held"
    finally:
        for peer in peers:
            peer.socket.close()


@attack("a pipeline whose second request is broken: the first is answered, the broken one refused")
def broken_pipeline(daemon: Daemon) -> str:
    answer, end = exchange(daemon.plain, WHOLE + b"garbage\r\n\r\n" + WHOLE)
    expect(statuses(answer) in ([200, 400], [200]) and end != "open", f"{statuses(answer)} {end}")
    return f"{statuses(answer)} {end}"


@attack("a body in 100,000 chunks of a byte")
def small_chunks(daemon: Daemon) -> str:
    body = b"1\r\n{\r\n" + b"1\r\n \r\n" * 100_000 + b"1\r\n}\r\n" + ZERO
    answer, end = exchange(daemon.plain, request(CHUNKED, body=body), seconds=30)
    return f"{statuses(answer)} {end}"


@attack("a half-closed connection after a whole request, and within one")
def half_closed(daemon: Daemon) -> str:
    whole = exchange(daemon.plain, WHOLE, shut=True)
    half = exchange(daemon.plain, WHOLE[:-1], shut=True)
    return f"whole: {statuses(whole[0])} {whole[1]}; within: {statuses(half[0])} {half[1]}"


@attack("after 100-continue: a body that never comes, another request in its place, and 1,000 expectations")
def continued(daemon: Daemon) -> str:
    expecting = request(b"expect: 100-continue", b"content-length: 2", body=b"")
    instead, _ = exchange(daemon.plain, expecting + WHOLE)
    many, _ = exchange(daemon.plain, (expecting + b"{}") * 1000, seconds=20)
    return f"another request in its place: {statuses(instead)}; 1,000: {len(statuses(many))} statuses, {set(statuses(many))}"
