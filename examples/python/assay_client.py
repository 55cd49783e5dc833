"""A client of the Assay daemon in one file: sockets, and the messages that protoc generated from proto/.

It is written to be read. What it does is what proto/README.md says, section by section, and a client in another
language can follow it line by line:

    with Client.connect("127.0.0.1:7421") as assay:
        challenge = assay.issue_challenge("camera", PURPOSE_ASSERT).challenge
        ...                                    # the device signs, the app sends what it signed
        verdict = assay.verify(VerifyRequest(app="camera", ...))
        if verdict.decision == DECISION_ACCEPTED: ...

One call at a time: `call` sends and waits. A server that serves many users at once keeps one client per thread, or
writes a client that matches replies to calls by `call_id`, which the protocol is made for.

Needs Python 3.10 or later and protobuf 3.20 or later (Debian: python3-protobuf).
"""

import os
import socket
import ssl
import struct
import sys
import time

# protoc writes imports that begin at the package `assay`.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "assay_pb"))

from assay.rpc.v1.frame_pb2 import Frame  # noqa: E402
from assay.v1.attestation_pb2 import IssueChallengeRequest, IssueChallengeResponse, VerifyRequest  # noqa: E402
from assay.v1.devices_pb2 import Device, GetDeviceRequest  # noqa: E402
from assay.v1.evidence_pb2 import PURPOSE_ASSERT, PURPOSE_REGISTER  # noqa: E402,F401
from assay.v1.operations_pb2 import StatusRequest, StatusResponse  # noqa: E402
from assay.v1.verdict_pb2 import DECISION_ACCEPTED, Verdict  # noqa: E402,F401
from google.protobuf.message import DecodeError  # noqa: E402

# "Framing": a frame's length is at least 1 and at most this, unless the operator chose another limit.
FRAME_LIMIT = 1 << 20

# "Status": gRPC's canonical codes. A code that is not here is UNKNOWN.
CODES = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
    "UNAUTHENTICATED"
).split()


class CallError(Exception):
    """A call that came to nothing. A rejection is not one: it is a verdict.

    code            one of CODES: for programs
    reason          a stable word, e.g. "permission_denied", or "": for programs
    retry_after_ms  when trying again may help; 0 if nothing is known
    begun           False: the server never began the call, so that repeating it elsewhere is harmless.
                    True or None: it was begun, or nobody knows. Repeat under an idempotency key only.
    str(error)      for people
    """

    def __init__(self, code, message, reason="", retry_after_ms=0, begun=None):
        super().__init__(f"{code}{f' ({reason})' if reason else ''}: {message}")
        self.code, self.reason, self.retry_after_ms, self.begun = code, reason, retry_after_ms, begun


class Client:
    """A connection. It does not reconnect: after a CallError with the code UNAVAILABLE make another one."""

    # ---- Transport

    @classmethod
    def connect(cls, address, timeout=10.0, tls=None):
        """Connects to `host:port`, `[v6]:port`, `unix:/path`, or with `tls` to `tls:host:port`; `timeout` is in seconds."""
        try:
            if address.startswith("unix:"):
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                sock.settimeout(timeout)
                sock.connect(address[len("unix:"):])
            else:
                with_tls = address.startswith("tls:")
                host, colon, port = address.removeprefix("tls:").removeprefix("tcp:").rpartition(":")
                if not colon or not port.isdigit():
                    raise ValueError(f'"{address}" is not host:port, tls:host:port or unix:/path')
                if with_tls and tls is None:
                    raise ValueError(f"{address} takes a certificate, its key, and the CA of the daemon's")
                sock = socket.create_connection((host.strip("[]"), int(port)), timeout)
                # A frame is written at once, and is not to wait for others.
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if with_tls:
                    sock = tls.wrap_socket(sock, server_hostname=host.strip("[]"))
        except OSError as error:
            raise CallError("UNAVAILABLE", f"{address}: {error}", "connect_failed", begun=False) from error
        client = cls(sock)
        if isinstance(sock, ssl.SSLSocket):
            # The server judges our certificate after the handshake; the pong says that it is taken.
            client.ping(timeout)
        return client

    def __init__(self, sock):
        self._socket = sock
        self._last_id = 0
        self._received = bytearray()
        self._go_away = None  # the reason, once the server said GoAway

    def close(self):
        """Closes the connection. A client with calls in flight would shut its side only, and read on."""
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- Framing: a length of 4 bytes, big-endian, and that many bytes of one Frame

    def _send(self, frame, deadline):
        body = frame.SerializeToString()
        if not 1 <= len(body) <= FRAME_LIMIT:
            raise CallError("INVALID_ARGUMENT", f"a frame of {len(body)} bytes, limit {FRAME_LIMIT}", begun=False)
        self._socket.settimeout(_left(deadline))
        try:
            self._socket.sendall(struct.pack(">I", len(body)) + body)
        except OSError:
            # A part of the frame may be gone: nothing that can be read could follow it.
            self.close()
            raise

    def _receive(self, deadline):
        """The next frame. Keeps what has arrived of it if the deadline comes first. None: the server has ended."""
        while True:
            if len(self._received) >= 4:
                (length,) = struct.unpack_from(">I", self._received)
                if not 1 <= length <= FRAME_LIMIT:
                    self.close()
                    raise CallError("INTERNAL", f"the server sent a frame of {length} bytes")
                if len(self._received) >= 4 + length:
                    body = bytes(self._received[4:4 + length])
                    del self._received[:4 + length]
                    return Frame.FromString(body)
            self._socket.settimeout(_left(deadline))
            more = self._socket.recv(65536)
            if not more:
                return None
            self._received += more

    # ---- Calls

    def call(self, method, request, response_type, timeout=10.0):
        """Calls a method and waits for its reply, at most `timeout` seconds. Raises CallError.

        The deadline is told to the server, which begins no work after it, and kept here too.
        """
        if self._go_away is not None:
            raise CallError("UNAVAILABLE", f"the server said GoAway: {self._go_away}", "going_away", begun=False)
        deadline = time.monotonic() + timeout
        self._last_id += 1  # not zero, and not in use: counting from 1 is good
        frame = Frame(call_id=self._last_id)
        frame.call.method = method
        frame.call.message = request.SerializeToString()
        frame.call.timeout_ms = max(1, min(int(timeout * 1000), 0xFFFFFFFF))
        try:
            self._send(frame, deadline)
            while True:
                frame = self._receive(deadline)
                if frame is None:
                    raise self._ended()
                reply = self._take(frame, deadline)
                if reply is not None:
                    break
        except TimeoutError:
            self._cancel()
            raise CallError("DEADLINE_EXCEEDED", f"no answer in {timeout:g} s", "deadline_exceeded") from None
        except DecodeError as error:
            self.close()
            raise CallError("INTERNAL", f"the server sent what is no frame: {error}") from error
        except OSError as error:
            # Without GoAway, or by a reset: nothing is known about the call.
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost") from error
        if reply.status.code != 0:  # an absent status means OK
            raise _call_error(reply.status)
        try:
            return response_type.FromString(reply.message)
        except DecodeError as error:
            raise CallError("INTERNAL", f"the reply is no {response_type.DESCRIPTOR.name}: {error}") from error

    def _take(self, frame, deadline):
        """Does with a frame what its kind demands. Returns the Reply that ends the call in flight, otherwise None."""
        kind = frame.WhichOneof("kind")
        if kind == "reply" and frame.call_id == self._last_id:
            return frame.reply
        if kind == "ping":
            self._send(Frame(pong={}), deadline)
        elif kind == "go_away":
            # The call in flight may still be answered; no new one will be begun.
            self._go_away = frame.go_away.reason
        # All else is ignored: replies to calls that were given up, kinds and fields that come after this client.
        return None

    def _ended(self):
        """After GoAway and an orderly end a call without a reply was not begun; without GoAway nobody knows."""
        if self._go_away is not None:
            return CallError("UNAVAILABLE", f"the server said GoAway: {self._go_away}", "going_away", begun=False)
        return CallError("UNAVAILABLE", "the server closed the connection", "connection_lost")

    def _cancel(self):
        """Tells the server that the answer is not wanted any more. What it still sends is ignored later."""
        try:
            self._send(Frame(call_id=self._last_id, cancel={}), time.monotonic() + 1.0)
        except OSError:
            pass

    def ping(self, timeout=10.0):
        """The seconds that a ping takes. One every few minutes keeps a quiet connection open."""
        start = time.monotonic()
        try:
            self._send(Frame(ping={}), start + timeout)
            while True:
                frame = self._receive(start + timeout)
                if frame is None:
                    raise self._ended()
                if frame.WhichOneof("kind") == "pong":
                    return time.monotonic() - start
                self._take(frame, start + timeout)
        except TimeoutError:
            raise CallError("DEADLINE_EXCEEDED", f"no pong in {timeout:g} s", "deadline_exceeded") from None
        except OSError as error:
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost") from error

    # ---- The API: one line a method

    def issue_challenge(self, app, purpose, context=b"", ttl_ms=0, timeout=10.0):
        """A challenge for a device to sign. `context` ties it to a session and is repeated with the evidence."""
        request = IssueChallengeRequest(app=app, purpose=purpose, context=context, ttl_ms=ttl_ms)
        return self.call("/assay.v1.Attestation/IssueChallenge", request, IssueChallengeResponse, timeout)

    def verify(self, request, timeout=10.0):
        """A verdict over evidence. A rejection is a verdict too, with a reason and what may be done."""
        return self.call("/assay.v1.Attestation/Verify", request, Verdict, timeout)

    def device(self, app, key_id, timeout=10.0):
        """The record of the device with a key."""
        return self.call("/assay.v1.Devices/Get", GetDeviceRequest(app=app, key_id=key_id), Device, timeout)

    def status(self, timeout=10.0):
        """How the daemon is."""
        return self.call("/assay.v1.Operations/Status", StatusRequest(), StatusResponse, timeout)


def tls_context(ca, certificate, key):
    """What `Client.connect` needs for `tls:host:port`: the CA of the daemon's certificate, and our own with its key. PEM files."""
    context = ssl.create_default_context(cafile=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["assay-rpc/1"])
    context.load_cert_chain(certificate, key)
    return context


def _left(deadline):
    """The seconds until a deadline. A socket's timeout of 0 would mean another thing: not to wait at all."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _call_error(status):
    code = CODES[status.code] if status.code < len(CODES) else "UNKNOWN"
    not_begun = {
        "unknown_method", "too_much_metadata", "timeout_too_long", "going_away", "too_many_calls", "overloaded"}
    return CallError(
        code, status.message, status.reason, status.retry_after_ms, begun=False if status.reason in not_begun else None)
