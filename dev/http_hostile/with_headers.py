"""Heads that are long, endless, or grow when they are unpacked."""

from __future__ import annotations

import time

from attacks import attack, expect
from daemon import Daemon
from peer import CONTINUATION, END_HEADERS, END_STREAM, HEADERS, WHO_AM_I, Peer, block, call, fields, frame, head, text


def continued(name: str, data: bytes) -> None:
    @attack(name)
    def run(daemon: Daemon) -> str:
        with Peer(daemon.plain) as peer:
            peer.begin()
            peer.pump(data, seconds=20)
            peer.wait_for_end(4)
            expect(peer.ended or peer.goaway(), peer.outcome())
            return peer.outcome()


START = frame(HEADERS, END_STREAM, 1, block(fields(WHO_AM_I)))
continued("flood of empty CONTINUATION, 200,000", START + frame(CONTINUATION, 0, 1) * 200_000)
continued("flood of CONTINUATION of 1 byte, 200,000", START + frame(CONTINUATION, 0, 1, b"\x88") * 200_000)
continued("flood of CONTINUATION of 16 KiB, 2,000", START + frame(CONTINUATION, 0, 1, (b"\0" + text("x") + text("y" * 100)) * 154) * 2000)
# A value of 4,000 bytes in the table, then a byte for each field that has it.
BOMB = b"\x40" + text("bomb") + text("x" * 4000)
continued("HPACK bomb: 16,000 fields of 4 KB in one byte each", frame(HEADERS, 0, 1, block(fields(WHO_AM_I)) + BOMB)
          + frame(CONTINUATION, END_HEADERS, 1, b"\xbe" * 16_000))
continued("HPACK: a length of 2^62", frame(HEADERS, END_HEADERS, 1, b"\0\x7f" + b"\xff" * 8 + b"\x3f"))
continued("HPACK: 5,000 changes of the table's size", frame(HEADERS, END_HEADERS, 1, b"\x20\x3f\xe1\x1f" * 4000 + block(fields(WHO_AM_I))))


@attack("HPACK bombs below the limit of a connection, 60 KB from 100 bytes each, on 20,000 streams")
def small_bombs(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin()
        peer.pump(frame(HEADERS, END_HEADERS | END_STREAM, 1, block(fields(WHO_AM_I)) + BOMB))
        for start in range(3, 40_000, 200):
            some = range(start, start + 200, 2)
            peer.pump(b"".join(
                frame(HEADERS, END_HEADERS | END_STREAM, stream, block(fields(WHO_AM_I)) + b"\xbe" * 13) for stream in some))
            peer.pump(seconds=10, until=lambda some=some: peer.ended or peer.goaway() or peer.is_over(*some))
            if peer.ended or peer.goaway():
                break
        statuses: dict[str, int] = {}
        for each in peer.heads().values():
            statuses[each.get(":status", "")] = statuses.get(each.get(":status", ""), 0) + 1
        return f"{statuses} {peer.outcome()}"


def refused(name: str, more: list[tuple[str, str]], **options: str) -> None:
    @attack(name)
    def run(daemon: Daemon) -> str:
        with Peer(daemon.plain) as peer:
            peer.begin()
            size = 16_000
            whole = block(fields(WHO_AM_I) + more)
            frames = frame(HEADERS, END_STREAM | (END_HEADERS if len(whole) <= size else 0), 1, whole[:size])
            for start in range(size, len(whole), size):
                frames += frame(CONTINUATION, END_HEADERS if start + size >= len(whole) else 0, 1, whole[start:start + size])
            peer.pump(frames + call(3))
            peer.pump(seconds=5, until=lambda: peer.ended or peer.is_over(1, 3))
            heads = peer.heads()
            expect(heads.get(1, {}).get(":status") == "431" and heads.get(3, {}).get("grpc-status") == "0", f"{heads} {peer.outcome()}")
            return f"431 ({heads[1]}), and the next call is answered"


refused("a head of 17 KB", [("x-long", "x" * 17_000)])
refused("a head of 30 KB", [("x-long", "x" * 30_000)])
refused("450 fields", [(f"x{number}", "") for number in range(450)])


@attack("a head of 70 KB")
def too_long(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin()
        whole = block(fields(WHO_AM_I) + [("x-long", "x" * 70_000)])
        peer.pump(frame(HEADERS, END_STREAM, 1, whole[:16_000]) + b"".join(
            frame(CONTINUATION, END_HEADERS if start + 16_000 >= len(whole) else 0, 1, whole[start:start + 16_000])
            for start in range(16_000, len(whole), 16_000)))
        peer.wait_for_end(5)
        expect(peer.goaway(), peer.outcome())
        return peer.outcome()


@attack("fields that are odd: two hosts, two content types, te, cookies, -bin that is no Base64, a path that is none")
def odd(daemon: Daemon) -> str:
    odd_heads = {
        "host beside :authority": dict(more=[("host", "localhost")]),
        "another host": dict(more=[("host", "example.org")]),
        "two content types": dict(more=[("content-type", "application/grpc")]),
        "no Base64": dict(more=[("x-bin", "***")]),
        "te: gzip": dict(more=[("te", "gzip")]),
        "a NUL in a value": dict(more=[("x-nul", "a\0b")]),
        "a line end in a value": dict(more=[("x-line", "a\r\nb: c")]),
        "the path *": dict(path="*"),
        "an empty path": dict(path=""),
        "a path without a slash": dict(path="assay.v1.Operations/WhoAmI"),
        "a whole URI as path": dict(path="http://localhost/assay.v1.Operations/WhoAmI"),
        "a path with an escaped slash": dict(path="/assay.v1.Operations%2FWhoAmI"),
        "a path with two slashes": dict(path="//assay.v1.Operations/WhoAmI"),
        "a path of 10 KB": dict(path="/" + "a" * 10_000),
        "bytes that are no UTF-8": dict(more=[("x-bytes", b"\xff\xfe\x80")]),
        "a traceparent that is none": dict(more=[("traceparent", "00-x")]),
        "grpc-timeout of 9 digits": dict(more=[("grpc-timeout", "999999999H")]),
        "grpc-timeout of 8 digits": dict(more=[("grpc-timeout", "99999999H")]),
    }
    seen: dict[str, list[str]] = {}
    for name, options in odd_heads.items():
        with Peer(daemon.plain) as peer:
            peer.begin()
            peer.pump(head(1, **options) + frame(0, 1, 1, b"\0\0\0\0\0"))
            peer.pump(seconds=3, until=lambda: peer.ended or peer.goaway() or peer.is_over(1))
            have = peer.heads().get(1, {})
            said = f"{have.get(':status')}/{have.get('grpc-status')}" if have else peer.outcome()
            seen.setdefault(said, []).append(name)
    return "; ".join(f"{how}: {', '.join(names)}" for how, names in seen.items())


@attack("slow heads: the first, a later one, and one without its end, in both versions of HTTP", slow=True)
def slow_heads(daemon: Daemon) -> str:
    request = b"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    outcomes = []
    peers = {
        "first of 1.1": (Peer(daemon.plain), b"POST / HT"), "nothing sent": (Peer(daemon.plain), b""),
        "half a preface": (Peer(daemon.plain), b"PRI * HTTP/2.0\r\n"), "preface alone": (Peer(daemon.plain).begin(), b""),
        "HEADERS without an end": (Peer(daemon.plain).begin(), frame(HEADERS, 0, 1, block(fields(WHO_AM_I)))),
        "later of 1.1": (Peer(daemon.plain), request + b"POST / HTTP/1.1\r\nhos"),
        "later HEADERS without an end": (Peer(daemon.plain).begin(), call(1) + frame(HEADERS, 0, 3, block(fields(WHO_AM_I)))),
        "TLS without a hello": (Peer(daemon.tls), b""),
        "body of 1.1": (Peer(daemon.plain), request[:-1]),
    }
    started = time.monotonic()
    for peer, data in peers.values():
        peer.pump(data)
    waiting = dict(peers)
    while waiting and time.monotonic() - started < 45:
        for name, (peer, _) in list(waiting.items()):
            # A byte a second, of what has no end.
            peer.pump(seconds=0.1, until=lambda peer=peer: bool(peer.ended))
            if name in ("first of 1.1", "later of 1.1") and not peer.ended:
                peer.pump(b"a", seconds=0.1)
            if peer.ended:
                outcomes.append(f"{name}: {time.monotonic() - started:.0f} s")
                del waiting[name]
    for peer, _ in peers.values():
        peer.socket.close()
    expect(not waiting, f"after 45 s still open: {', '.join(waiting)}; {'; '.join(outcomes)}")
    return "; ".join(outcomes)
