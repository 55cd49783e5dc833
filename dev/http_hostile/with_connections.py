"""Many connections, streams that stay open, and connections that are left."""

from __future__ import annotations

import json
import resource
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import time

from attacks import attack, expect
from daemon import Daemon
from peer import ACK, PREFACE, SETTINGS, Peer, call, envelope, exchange, frame, settings, statuses

WATCH = "/assay.v1.Operations/Watch"
HTTP1_WATCH = (
    b"POST /assay.v1.Operations/Watch HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/connect+proto\r\ncontent-length: 5\r\n\r\n"
    + envelope())

# Opens connections and holds them until its input ends: a process has no more than so many files. They come from an address of their own, as a
# flood's do: an honest caller has not so many. Each hundredth waits for its answer: if more wait than the daemon's backlog takes, the kernel drops
# what opens a connection, and the honest caller's kernel asks again after a second.
HOLDER = """
import socket, sys
host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = bytes.fromhex(sys.argv[4])
held = []
for number in range(count):
    peer = socket.socket()
    peer.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT: connect chooses the port
    peer.bind(("127.0.0.2", 0))
    peer.connect((host, port))
    peer.sendall(data)
    try:
        if number % 100 == 99: peer.recv(1)
    except OSError: pass
    held.append(peer)
print(len(held), flush=True)
sys.stdin.read()
closed = 0
for peer in held:
    peer.setblocking(False)
    try:
        while data := peer.recv(65536): pass
        closed += 1
    except BlockingIOError: pass
    except OSError: closed += 1
print(closed, flush=True)
"""


def hold(daemon: Daemon, count: int, data: bytes, processes: int) -> list[subprocess.Popen[str]]:
    host, port = daemon.plain.rsplit(":", 1)
    holders = [
        subprocess.Popen(
            [sys.executable, "-c", HOLDER, host, port, str(count // processes), data.hex()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        for _ in range(processes)]
    for holder in holders:
        expect(holder.stdout.readline(), "connections could not be opened")
    return holders


def let_go(holders: list[subprocess.Popen[str]]) -> int:
    """How many of their connections the daemon had closed."""
    closed = 0
    for holder in holders:
        holder.stdin.close()
        closed += int(holder.stdout.readline() or 0)
        holder.wait()
    return closed


def time_of_a_call(daemon: Daemon, count: int = 1000) -> float:
    """The median of calls one after the other on a connection, in milliseconds."""
    taken = []
    with Peer(daemon.plain).begin() as peer:
        for stream in range(1, 2 * count, 2):
            started = time.perf_counter()
            expect(peer.pump(call(stream), until=lambda: peer.is_over(stream)), f"call {stream} was not answered: {peer.outcome()}")
            taken.append((time.perf_counter() - started) * 1000)
            peer.frames.clear()
    return statistics.median(taken)


@attack("20,000 idle connections of HTTP/2, each after a call", slow=True, most=400)
def idle(daemon: Daemon) -> str:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 1_500
    count = min(20_000, most)
    before, alone = daemon.resident, time_of_a_call(daemon)
    holders = hold(daemon, count, PREFACE + settings() + frame(SETTINGS, ACK, 0) + call(1), 2)
    try:
        time.sleep(3)
        held, open_now, beside = daemon.resident, daemon.descriptors, time_of_a_call(daemon)
    finally:
        closed = let_go(holders)
    expect(open_now >= count, f"{open_now} of {count} connections are open")
    expect(beside < 2 * alone, f"a call takes {alone:.3f} ms alone, and {beside:.3f} ms beside them")
    deadline = time.monotonic() + 10
    while daemon.descriptors > 100 and time.monotonic() < deadline:
        time.sleep(0.2)
    return (
        f"{held:.0f} MiB with {open_now} open files, {(held - before) * 1024 / max(1, open_now):.1f} KiB for each; "
        f"a call takes {beside:.3f} ms, and {alone:.3f} ms without them; "
        f"{closed} closed by the daemon; {daemon.descriptors} files after")


@attack("connections beyond the limit: 19,900, of one address", slow=True, most=400)
def too_many(daemon: Daemon) -> str:
    holders = hold(daemon, 19_900, PREFACE + settings() + frame(SETTINGS, ACK, 0) + call(1), 2)
    try:
        time.sleep(2)
        held, open_now = daemon.resident, daemon.descriptors
    finally:
        closed = let_go(holders)
    return f"{held:.0f} MiB with {open_now} open files; {closed} closed by the daemon"


def calls_in_flight(daemon: Daemon) -> int:
    """Without the one that asks."""
    answer = exchange(
        daemon.plain,
        b"POST /v1/operations/metrics HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
        b"content-length: 2\r\n\r\n{}", 5)[0].partition(b"\r\n\r\n")[2]
    families = {family["name"]: family.get("series", []) for family in json.loads(answer)["families"]}
    return int(sum(series.get("value", 0) for series in families["assay_calls_in_flight"])) - 1


@attack("1,000 Watch streams on 10 connections, then left; calls of gone streams are abandoned")
def watches(daemon: Daemon) -> str:
    peers = [Peer(daemon.plain).begin() for _ in range(10)]
    answered = 0
    try:
        for peer in peers:
            peer.pump(b"".join(call(stream, WATCH) for stream in range(1, 201, 2)))
        time.sleep(2)
        for peer in peers:
            peer.pump(seconds=0.3, until=lambda: False)
            answered += len({stream for kind, _, stream, _ in peer.read() if kind == 1})
        during = calls_in_flight(daemon)
        over = {each.get("grpc-message", "")[:60] for peer in peers for each in peer.heads().values() if each.get("grpc-status")}
    finally:
        for peer in peers:
            peer.socket.close()
    return f"{answered} streams have a head; in flight {during}; refused: {over}; {abandoned(daemon)}"


def abandoned(daemon: Daemon) -> str:
    started = time.monotonic()
    while (left := calls_in_flight(daemon)) > 1 and time.monotonic() - started < 8:
        time.sleep(0.3)
    expect(left <= 1, f"{left} calls are in flight {time.monotonic() - started:.0f} s after their connections were left")
    return f"{left} in flight after {time.monotonic() - started:.1f} s"


@attack("Watch over HTTP/1.1, 200 connections, each with a request behind it, then left")
def watches_of_http1(daemon: Daemon) -> str:
    peers = [Peer(daemon.plain) for _ in range(200)]
    for peer in peers:
        peer.pump(HTTP1_WATCH + HTTP1_WATCH)
    time.sleep(1)
    during = calls_in_flight(daemon)
    for peer in peers:
        peer.socket.close()
    return f"in flight {during}; {abandoned(daemon)}"


@attack("Watch with a window of 0, 100 streams, then reset")
def watch_without_window(daemon: Daemon) -> str:
    with Peer(daemon.plain) as peer:
        peer.begin(window=0)
        peer.pump(b"".join(call(stream, WATCH) for stream in range(1, 201, 2)))
        time.sleep(1)
        during = calls_in_flight(daemon)
        peer.pump(b"".join(frame(3, 0, stream, struct.pack(">I", 8)) for stream in range(1, 201, 2)))
        return f"in flight {during}; {abandoned(daemon)}; {peer.outcome()}"


@attack("connections that come and go: 10,000 with a call, 3,000 that are reset at once, 1,000 TLS hellos")
def churn(daemon: Daemon) -> str:
    host, port = daemon.plain.rsplit(":", 1)
    request = b"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    started, good = time.monotonic(), 0
    for _ in range(10_000):
        with socket.create_connection((host, int(port)), 10) as peer:
            peer.sendall(request)
            good += peer.recv(4096).startswith(b"HTTP/1.1 200")
    middle = time.monotonic()
    for _ in range(3000):
        with socket.create_connection((host, int(port)), 10) as peer:
            peer.sendall(request[:40])
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    host, port = daemon.tls.rsplit(":", 1)
    last = time.monotonic()
    for _ in range(1000):
        with context.wrap_socket(socket.create_connection((host, int(port)), 10)):
            pass
    time.sleep(1)
    expect(good == 10_000, f"{good} of 10,000 were answered")
    return f"{10_000 / (middle - started):.0f}/s, reset {3000 / (last - middle):.0f}/s, TLS {1000 / (time.monotonic() - last):.0f}/s; {daemon.descriptors} files after"


@attack("TLS: no ALPN, an unknown protocol, HTTP/2 without ALPN, TLS 1.2")
def tls(daemon: Daemon) -> str:
    request = b"POST /v1/operations/who-am-i HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
    seen = []
    for name, alpn in (("no ALPN", None), ("unknown", ["spdy/1"]), ("http/1.1", ["http/1.1"]), ("h2, and speaks 1.1", ["h2"])):
        try:
            with Peer(daemon.tls, True, alpn) as peer:
                peer.pump(request)
                end = peer.wait_for_end(12)
                seen.append(f"{name}: {statuses(peer.received)} {end} {peer.received[:60]!r}")
        except OSError as error:
            seen.append(f"{name}: {type(error).__name__}")
    with Peer(daemon.tls, True) as peer:
        peer.begin()
        peer.pump(call(1))
        peer.pump(seconds=3, until=lambda: peer.ended or peer.is_over(1))
        seen.append(f"HTTP/2 without ALPN: {peer.heads().get(1)} {peer.outcome()}")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    host, port = daemon.tls.rsplit(":", 1)
    try:
        with context.wrap_socket(socket.create_connection((host, int(port)), 5)):
            seen.append("TLS 1.2: taken")
    except OSError as error:
        seen.append(f"TLS 1.2: {type(error).__name__}")
    return "; ".join(seen)
