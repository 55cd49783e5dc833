"""Floods of frames, resets, and frames that break the rules."""

from __future__ import annotations

import struct

from attacks import attack, expect
from daemon import Daemon
from peer import (
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY, PUSH, SETTINGS, WHO_AM_I, Peer,
    block, call, envelope, fields, frame, head, reset, settings, window,
)


def flood(daemon: Daemon, data: bytes, tls: bool = False, seconds: float = 20, **options: int) -> Peer:
    with Peer(daemon.tls if tls else daemon.plain, tls, ["h2"] if tls else None) as peer:
        peer.begin(**options)
        peer.pump(data, seconds=seconds)
        peer.wait_for_end(15)
        return peer


def streams(count: int, start: int = 1) -> range:
    return range(start, start + 2 * count, 2)


# MARK: Resets

@attack("rapid reset, 50,000 calls of a known peer")
def rapid_reset(daemon: Daemon) -> str:
    peer = flood(daemon, b"".join(call(stream) + reset(stream) for stream in streams(50_000)))
    expect(peer.goaway() == "ENHANCE_YOUR_CALM", peer.outcome())
    return peer.outcome()


@attack("rapid reset, 50,000 heads alone, of an unknown peer (TLS, no credential)")
def rapid_reset_unknown(daemon: Daemon) -> str:
    peer = flood(daemon, b"".join(head(stream) + reset(stream) for stream in streams(50_000)), tls=True)
    expect(peer.goaway() == "ENHANCE_YOUR_CALM", peer.outcome())
    return peer.outcome()


@attack("rapid reset of Watch, 50,000")
def rapid_reset_of_watch(daemon: Daemon) -> str:
    peer = flood(daemon, b"".join(call(stream, "/assay.v1.Operations/Watch") + reset(stream) for stream in streams(50_000)))
    expect(peer.goaway() == "ENHANCE_YOUR_CALM", peer.outcome())
    return peer.outcome()


def made_to_reset(name: str, fault) -> None:
    @attack(f"resets that the daemon is made to send: {name}, 20,000")
    def run(daemon: Daemon) -> str:
        peer = flood(daemon, b"".join(fault(stream) for stream in streams(20_000)))
        expect(peer.goaway(), peer.outcome())
        return peer.outcome()


made_to_reset("WINDOW_UPDATE of 0", lambda stream: call(stream) + window(stream, 0))
made_to_reset("WINDOW_UPDATE beyond 2^31", lambda stream: head(stream) + window(stream, 2**31 - 1))
made_to_reset("a window too large behind a whole call", lambda stream: call(stream) + window(stream, 2**31 - 1))
made_to_reset("DATA after END_STREAM", lambda stream: call(stream) + frame(DATA, 0, stream, b"x"))
made_to_reset("HEADERS after END_STREAM", lambda stream: call(stream) + head(stream, end=True))
made_to_reset("PRIORITY of itself", lambda stream: head(stream) + frame(PRIORITY, 0, stream, struct.pack(">IB", stream, 1)))
made_to_reset("PRIORITY of 4 bytes", lambda stream: head(stream) + frame(PRIORITY, 0, stream, b"abcd"))
made_to_reset(
    "content-length that is not so",
    lambda stream: head(stream, more=[("content-length", "3")]) + frame(DATA, END_STREAM, stream, envelope()))
made_to_reset(
    "a head without a path", lambda stream: frame(HEADERS, END_HEADERS | END_STREAM, stream, block([(":method", "POST"), (":scheme", "http")])))
made_to_reset("a name in upper case", lambda stream: head(stream, more=[("X-Upper", "1")], end=True))
made_to_reset("a field of a connection", lambda stream: head(stream, more=[("connection", "close")], end=True))


# MARK: Floods

def flooding(name: str, data: bytes, want: str | None) -> None:
    @attack(name)
    def run(daemon: Daemon) -> str:
        peer = flood(daemon, data)
        expect(peer.goaway() and (want is None or peer.goaway() == want), peer.outcome())
        return peer.outcome()


flooding("flood of PING, 200,000", frame(PING, 0, 0, b"12345678") * 200_000, "ENHANCE_YOUR_CALM")
flooding("flood of answers to PING, 200,000", frame(PING, ACK, 0, b"12345678") * 200_000, None)
flooding("flood of SETTINGS, 200,000", settings(window=65_535) * 200_000, None)
flooding("flood of empty SETTINGS, 200,000", settings() * 200_000, None)
flooding("flood of acknowledged SETTINGS, 200,000", frame(SETTINGS, ACK, 0) * 200_000, None)
flooding("SETTINGS of 2,700 values, 2,000", frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1000) * 2700) * 2000, None)
flooding("flood of PRIORITY of idle streams, 200,000", frame(PRIORITY, 0, 7, struct.pack(">IB", 0, 1)) * 200_000, None)
flooding("flood of WINDOW_UPDATE of the connection, 200,000", window(0, 1) * 200_000, None)
flooding("flood of WINDOW_UPDATE of a stream, 200,000", head(1) + window(1, 1) * 200_000, None)
flooding("flood of frames of an unknown type, 200,000", frame(0x77, 0, 0, b"unknown") * 200_000, None)
flooding("flood of unknown frames of 16 KiB, 2,000", frame(0x77, 0, 0, bytes(16384)) * 2000, None)
flooding("flood of ALTSVC and ORIGIN, 100,000", (frame(10, 0, 0, b"\0\0a") + frame(12, 0, 0, b"")) * 100_000, None)
flooding("flood of empty DATA, 300,000", head(1) + frame(DATA, 0, 1) * 300_000, None)
flooding("flood of DATA of padding alone, 20,000", head(1) + frame(DATA, PADDED, 1, b"\xff" + bytes(255)) * 20_000, None)
flooding("flood of RST_STREAM of closed streams, 200,000", call(1) + reset(1) + reset(1) * 200_000, None)
flooding("flood of GOAWAY, 100,000", frame(GOAWAY, 0, 0, bytes(8)) * 100_000, None)


# MARK: Rules of frames

BROKEN = {
    "DATA of stream 0": frame(DATA, 0, 0, b"x"),
    "HEADERS of stream 0": frame(HEADERS, END_HEADERS, 0, block(fields(WHO_AM_I))),
    "an even stream": head(2),
    "a stream below the last one": head(5, end=True) + head(3, end=True),
    "DATA of an idle stream": frame(DATA, 0, 9, b"x"),
    "RST_STREAM of an idle stream": reset(9),
    "WINDOW_UPDATE of an idle stream": window(9, 1),
    "WINDOW_UPDATE of 0 for the connection": window(0, 0),
    "a window of the connection beyond 2^31": window(0, 2**31 - 1),
    "CONTINUATION without HEADERS": frame(CONTINUATION, END_HEADERS, 1, b""),
    "another frame between HEADERS and CONTINUATION": frame(HEADERS, 0, 1, block(fields(WHO_AM_I))) + frame(PING, 0, 0, bytes(8)),
    "PUSH_PROMISE": frame(PUSH, END_HEADERS, 1, bytes(4) + block(fields(WHO_AM_I))),
    "a frame longer than allowed": frame(DATA, 0, 0, bytes(16385)),
    "a frame that announces 16 MiB": b"\xff\xff\xff\x00\x00" + struct.pack(">I", 1) + bytes(70_000),
    "SETTINGS with 5 bytes": frame(SETTINGS, 0, 0, b"12345"),
    "SETTINGS of stream 1": frame(SETTINGS, 0, 1, b""),
    "an acknowledged SETTINGS with values": frame(SETTINGS, ACK, 0, struct.pack(">HI", 4, 1)),
    "SETTINGS_INITIAL_WINDOW_SIZE of 2^31": settings(window=2**31),
    "SETTINGS_MAX_FRAME_SIZE of 1": settings(frame=1),
    "SETTINGS_ENABLE_PUSH of 2": settings(push=2),
    "PING of 7 bytes": frame(PING, 0, 0, bytes(7)),
    "padding longer than DATA": head(1) + frame(DATA, PADDED, 1, b"\x09x"),
    "padding longer than HEADERS": frame(HEADERS, END_HEADERS | PADDED, 1, b"\xff" + block(fields(WHO_AM_I))),
    "a header block that is none": frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
    "an index of no table": frame(HEADERS, END_HEADERS, 1, b"\xfe"),
    "a table size beyond the limit": frame(HEADERS, END_HEADERS, 1, b"\x3f\xe1\xff\x7f" + block(fields(WHO_AM_I))),
    "a Huffman text with a long end": frame(HEADERS, END_HEADERS, 1, b"\x00\x84\xff\xff\xff\xff\x01a"),
    "300 streams at once before the acknowledgement": b"".join(head(stream) for stream in streams(300)),
    "HEADERS of 2^31 - 1, then another stream": head(2**31 - 1, end=True) + head(2**31 - 1, end=True),
}


@attack("frames that break the rules of connections, each by itself")
def broken(daemon: Daemon) -> str:
    seen: dict[str, list[str]] = {}
    for name, data in BROKEN.items():
        with Peer(daemon.plain) as peer:
            peer.pump(PREFACE + settings())
            if "acknowledgement" not in name:
                peer.pump(frame(SETTINGS, ACK, 0), until=lambda: len(peer.read()) > 1)
            peer.pump(data)
            peer.pump(seconds=3, until=lambda: bool(peer.goaway() or peer.ended or peer.resets()))
            seen.setdefault(f"{peer.goaway() or ''} {'; '.join(peer.resets())}".strip() or peer.ended or "open", []).append(name)
    return "; ".join(f"{how}: {', '.join(names)}" for how, names in seen.items())


@attack("GOAWAY of the client during a call, then more streams")
def client_goes(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin()
        peer.pump(call(1) + frame(GOAWAY, 0, 0, bytes(8)) + call(3))
        end = peer.wait_for_end(15)
        heads = peer.heads()
        expect(heads.get(1, {}).get(":status") == "200", f"{heads} {peer.outcome()}")
        return f"the call before is answered {heads[1].get('grpc-status')}, the one after {heads.get(3)}; {end}"


@attack("a second preface, and SETTINGS left out")
def second_preface(daemon: Daemon) -> str:
    with Peer(daemon.plain) as first, Peer(daemon.plain) as second:
        first.pump(PREFACE + settings() + PREFACE)
        second.pump(PREFACE + call(1))
        return f"{first.wait_for_end(4)} {first.goaway()}; without SETTINGS: {second.wait_for_end(4)} {second.goaway()}"
