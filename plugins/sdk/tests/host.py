"""A host for plugins under test: it starts one as the daemon does, calls it, and serves it.

One thread; the socket is non-blocking both ways, so that neither side waits for the other to read. Not a test itself.
"""
import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import time

import sandbox as sandboxes
from messages import frames, messages
from world import HostStatus, World

COOKIE = "1b5f6a40-assay-plugin-v1"
ENVIRONMENT = {
    "ASSAY_PLUGIN_COOKIE": COOKIE, "ASSAY_PLUGIN_PROTOCOLS": "1", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC",
    "SWIFT_BACKTRACE": "enable=no",
}
FRAME_LIMIT = 1024 * 1024
PLUGIN, HOST = "/assay.plugin.v1.Plugin/", "/assay.plugin.v1.Host/"
RESPONSES = {name: getattr(messages, name + "Response") for name in (
    "Describe", "Validate", "Configure", "Locate", "Appraise", "Prepare", "Observe", "Health")}


class ProtocolError(Exception):
    """The plugin broke the protocol: the daemon would kill it."""


class Ended(Exception):
    """The plugin ended its connection."""


class CallFailed(Exception):
    """A status other than OK."""

    def __init__(self, status):
        super().__init__(f"{status.code} {status.reason}: {status.message}")
        self.code, self.reason, self.message = status.code, status.reason, status.message


def framed(frame):
    payload = frame.SerializeToString()
    return len(payload).to_bytes(4, "big") + payload


def started(command, environment, sandbox=None):
    """A process with a socket at descriptor 3 and a pipe for its output; (process id, socket, pipe)."""
    if sandbox is not None:
        command, environment = sandbox.command(command, environment), {}
    ours, theirs = socket.socketpair()
    output, inner = os.pipe()
    status, status_inner = os.pipe()
    # Above what the child's descriptors are, so that no dup2 overwrites the source of the next.
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20) for descriptor in (theirs.fileno(), inner, status_inner)]
    null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    null_moved = fcntl.fcntl(null, fcntl.F_DUPFD_CLOEXEC, 20)
    try:
        process = os.posix_spawn(command[0], command, environment, setsigdef=[signal.SIGPIPE], file_actions=[
            (os.POSIX_SPAWN_DUP2, null_moved, 0), (os.POSIX_SPAWN_DUP2, moved[1], 1), (os.POSIX_SPAWN_DUP2, moved[1], 2),
            (os.POSIX_SPAWN_DUP2, moved[0], 3),
            *([(os.POSIX_SPAWN_DUP2, moved[2], sandboxes.STATUS)] if sandbox is not None else [])])
    finally:
        theirs.close()
        for descriptor in (inner, status_inner, null, null_moved, *moved):
            os.close(descriptor)
    with os.fdopen(status, "rb") as pipe:
        if sandbox is not None:
            sandboxes.require_started(pipe.fileno())
    ours.setblocking(False)
    os.set_blocking(output, False)
    return process, ours, output


class Host:
    """A plugin's process and the connection to it."""

    def __init__(self, command, world=None, environment=None, sandbox=None):
        command = [command] if isinstance(command, str) else list(command)
        self.world = world or World()
        self.process, self.socket, self.output = started(command, ENVIRONMENT if environment is None else environment, sandbox)
        self.stderr = b""
        self.received, self.unsent = bytearray(), bytearray()
        self.gathers = False
        self.last_id = 0
        self.in_flight = {}           # id: (method, call token)
        self.replies = {}             # id: Reply
        self.declared = set()
        self.pongs = 0
        self.ended = False
        self.status = None
        self.withheld = None          # a list: calls of the plugin wait in it for `release`
        self.host_call_count = 0
        self.tolerates_any_reply = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        self.socket.close()
        os.close(self.output)
        self.require_no_report()

    def require_no_report(self):
        """A sanitizer that found something ends the process with a status that a plugin could have, too."""
        if b"Sanitizer" in self.stderr or b"runtime error:" in self.stderr:
            raise ProtocolError(self.stderr.decode(errors="replace"))

    # MARK: The connection

    def send(self, data):
        self.unsent += data
        if not self.gathers:
            self.step(0)

    @contextlib.contextmanager
    def together(self):
        """What is sent in it goes out by one write."""
        self.gathers = True
        try:
            yield
        finally:
            self.gathers = False
            self.step(0)

    def step(self, seconds):
        """Moves bytes; waits for some for at most so long."""
        wanted = [self.output] + ([] if self.ended else [self.socket])
        readable, writable, _ = select.select(wanted, [self.socket] if self.unsent else [], [], seconds)
        if writable:
            try:
                del self.unsent[:self.socket.send(self.unsent)]
            except (BrokenPipeError, ConnectionResetError):
                self.unsent.clear()
        if self.output in readable:
            self.stderr += os.read(self.output, 65536)
        if self.socket in readable:
            self.receive()

    def receive(self):
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
        self.received += data
        while len(self.received) >= 4:
            length = int.from_bytes(self.received[:4], "big")
            if not 1 <= length <= FRAME_LIMIT:
                raise ProtocolError(f"a frame of length {length}")
            if len(self.received) < 4 + length:
                break
            payload = bytes(self.received[4:4 + length])
            del self.received[:4 + length]
            self.take(frames.Frame.FromString(payload))

    def take(self, frame):
        kind = frame.WhichOneof("kind")
        if kind == "reply":
            if frame.call_id not in self.in_flight and not self.tolerates_any_reply:
                raise ProtocolError(f"a reply to call {frame.call_id}, which is not in flight")
            self.in_flight.pop(frame.call_id, None)
            self.replies[frame.call_id] = frame.reply
        elif kind == "call":
            self.host_call_count += 1
            if self.withheld is not None:
                self.withheld.append(frame)
            else:
                self.serve(frame)
        elif kind == "pong":
            self.pongs += 1
        elif kind == "ping":
            self.unsent += framed(frames.Frame(pong=frames.Pong()))
        else:
            raise ProtocolError(f"a frame of kind {kind}")

    def serve(self, frame):
        """Answers a call of the plugin's."""
        reply = frames.Reply()
        try:
            if not frame.call.method.startswith(HOST):
                raise HostStatus(12, "unknown_method", f"there is no method {frame.call.method}")
            tokens = {token for _, token in self.in_flight.values() if token}
            reply.message = self.world.answer(
                frame.call.method[len(HOST):], frame.call.message, self.declared, tokens).SerializeToString()
        except HostStatus as status:
            reply.status.code, reply.status.reason, reply.status.message = status.code, status.reason, status.message
        self.unsent += framed(frames.Frame(call_id=frame.call_id, reply=reply))

    def release(self):
        """Answers the calls that were withheld, and no longer withholds any."""
        waiting, self.withheld = self.withheld, None
        for frame in waiting:
            self.serve(frame)
        self.step(0)

    def until(self, condition, seconds=20):
        limit = time.monotonic() + seconds
        while not condition():
            left = limit - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"the plugin did not answer within {seconds} s; stderr: {self.stderr!r}")
            if self.ended and not self.unsent:
                if condition():
                    return
                raise Ended(f"the plugin ended its connection; stderr: {self.stderr!r}")
            self.step(left)

    # MARK: Calls

    def begin(self, method, payload=b"", timeout_ms=20000, token=b"", path=None):
        self.last_id += 1
        self.in_flight[self.last_id] = (method, token)
        call = frames.Call(method=path or PLUGIN + method, message=payload, timeout_ms=timeout_ms)
        self.send(framed(frames.Frame(call_id=self.last_id, call=call)))
        return self.last_id

    def wait(self, call_id, seconds=20):
        self.until(lambda: call_id in self.replies, seconds)
        reply = self.replies.pop(call_id)
        if reply.HasField("status") and reply.status.code != 0:
            raise CallFailed(reply.status)
        return reply.message

    def call(self, method, request, timeout_ms=20000):
        token = getattr(request, "call_token", b"")
        payload = request.SerializeToString()
        return RESPONSES[method].FromString(self.wait(self.begin(method, payload, timeout_ms, token)))

    def describe(self):
        answer = self.call("Describe", messages.DescribeRequest(protocol_versions=[1], daemon_version="1.0.0"))
        self.declared = set(answer.host_services)
        return answer

    def validate(self, configuration):
        return self.call("Validate", messages.ValidateRequest(configuration=encoded(configuration))).problems

    def configure(self, configuration):
        request = messages.ConfigureRequest(protocol_version=1, configuration=encoded(configuration))
        return self.call("Configure", request).problems

    def ping(self):
        expected = self.pongs + 1
        self.send(framed(frames.Frame(ping=frames.Ping())))
        self.until(lambda: self.pongs >= expected)

    # MARK: The end

    def half_close(self):
        self.until(lambda: not self.unsent)
        self.socket.shutdown(socket.SHUT_WR)

    def wait_for_exit(self, seconds=20):
        """The exit status, or minus the signal."""
        if self.status is None:
            descriptor = os.pidfd_open(self.process)
            limit = time.monotonic() + seconds
            # The plugin may still have to write what it answers.
            while not select.select([descriptor], [], [], 0.01)[0]:
                if time.monotonic() > limit:
                    os.close(descriptor)
                    raise TimeoutError(f"the plugin did not exit within {seconds} s; stderr: {self.stderr!r}")
                self.step(0.01)
            os.close(descriptor)
            _, status = os.waitpid(self.process, 0)
            self.status = os.waitstatus_to_exitcode(status)
            self.drain()
            self.require_no_report()
        return self.status

    def drain(self):
        while not self.ended:
            self.receive() if select.select([self.socket], [], [], 1)[0] else None
        while chunk := os.read(self.output, 65536):
            self.stderr += chunk

    def end(self):
        self.half_close()
        return self.wait_for_exit()

    def resident_bytes(self):
        with open(f"/proc/{self.process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def write_count(self):
        """How often the plugin has called write."""
        with open(f"/proc/{self.process}/io") as file:
            return int(next(line for line in file if line.startswith("syscw")).split()[1])


def encoded(configuration):
    return configuration if isinstance(configuration, bytes) else json.dumps(configuration).encode()
