"""A client of the Assay daemon in one file: sockets, and the messages that protoc generated from proto/.

It is written to be read. What it does is what proto/README.md says, section by section, and a client in another
language can follow it line by line:

    with Client("127.0.0.1:7421") as assay:
        challenge = assay.issue_challenge("camera", PURPOSE_ASSERT).challenge
        ...                                    # the device signs, the app sends what it signed
        evidence = app_attest_assertion(key_id, assertion)
        verdict = assay.verify(verify_request("camera", PURPOSE_ASSERT, challenge, [evidence], payload=photo))
        if verdict.decision == DECISION_ACCEPTED: ...

One call at a time: `call` sends and waits. A server that serves many users at once keeps one client per thread, or
writes a client that matches replies to calls by `call_id`, which the protocol is made for.

Needs Python 3.10 or later and protobuf 3.20 or later (Debian: python3-protobuf).
"""

import hashlib
import math
import os
import random
import socket
import ssl
import struct
import sys
import time

# protoc writes imports that begin at the package `assay`.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "assay_pb"))

from assay.rpc.v1.frame_pb2 import Frame  # noqa: E402
from assay.v1.attestation_pb2 import (  # noqa: E402
    IssueChallengeRequest, IssueChallengeResponse, PrepareRequest, PrepareResponse, VerifyRequest)
from assay.v1.devices_pb2 import Device, GetDeviceRequest  # noqa: E402
from assay.v1.evidence_pb2 import Evidence, KeySignature, PURPOSE_ASSERT, PURPOSE_REGISTER  # noqa: E402,F401
from assay.v1.operations_pb2 import StatusRequest, StatusResponse  # noqa: E402
from assay.v1.provisioning_pb2 import (  # noqa: E402
    AddEnrolmentsRequest, AddEnrolmentsResponse, GetRevocationListRequest, ProvisionDeviceRequest, ProvisionDeviceResponse,
    ReadmitDeviceRequest, ReadmitDeviceResponse, RevocationList, RevokeCertificateRequest, RevokeCertificateResponse)
from assay.v1.uploads_pb2 import (  # noqa: E402
    AbortUploadRequest, AbortUploadResponse, BeginUploadRequest, FinalizeUploadRequest, GetUploadRequest, PutChunksRequest, Upload,
    UploadChunk)
from assay.v1.verdict_pb2 import DECISION_ACCEPTED, Verdict  # noqa: E402,F401
from assay.v1.watch_pb2 import WatchItem, WatchRequest  # noqa: E402
from google.protobuf.message import DecodeError  # noqa: E402

# "Framing": a frame's length is at least 1 and at most this, unless the operator chose another limit.
FRAME_LIMIT = 1 << 20

# "Status": gRPC's canonical codes. A code that is not here is UNKNOWN.
CODES = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
    "UNAUTHENTICATED"
).split()

# "GoAway": the reasons for which sending the same again would end the same way.
FAULTS = {"empty_frame", "frame_too_large", "undecodable_frame", "call_id_zero", "duplicate_call_id"}


class CallError(Exception):
    """A call that came to nothing. A rejection is not one: it is a verdict.

    code            one of CODES: for programs
    reason          a stable word, e.g. "permission_denied", or "": for programs
    retry_after_ms  when trying again may help; 0 if nothing is known
    begun           False: the server never began the call, so that repeating it is harmless.
                    None: it may have been begun. Repeat under an idempotency key only.
    str(error)      for people
    """

    def __init__(self, code, message, reason="", retry_after_ms=0, begun=None):
        super().__init__(f"{code}{f' ({reason})' if reason else ''}: {message}")
        self.code, self.reason, self.retry_after_ms, self.begun = code, reason, retry_after_ms, begun


class Client:
    """A caller of one daemon. It connects again when its connection ended, and repeats what the daemon did not begin.

    A call is repeated only if it is certain that the daemon never began it: there was no connection, the connection ended
    with GoAway first, or the daemon had no room. Everything else raises a CallError at once.
    """

    def __init__(self, address, credentials=None, timeout=10.0, tries=5, pause=1.0, key=None):
        """Does not connect yet: the first call does.

        address      `host:port`, `[v6]:port`, `unix:/path`, or `tls:host:port`
        credentials  for TLS: paths of the CA of the daemon's certificate, of our certificate and of its key (PEM); with an API
                     key the CA alone will do. They are read for each connection, so that a renewed certificate is shown
                     without a restart
        timeout      seconds that connecting may take
        tries        how often a call is tried that was not begun
        pause        seconds before the second try, doubled after each
        key          our API key, "assay_…": sent with each call over TLS or to a Unix socket, never in clear over TCP
        """
        if key is not None and not address.startswith(("tls:", "unix:")):
            raise ValueError("an API key goes over TLS or to a Unix socket only")
        self.address, self.credentials, self.timeout, self.tries, self.pause = address, credentials, timeout, tries, pause
        self.key = key
        self.trace_parent = os.environ.get("TRACEPARENT")  # of calls that name none
        self._socket = None
        self._last_id = 0
        self._received = bytearray()
        self._go_away = None  # the reason, once the server said GoAway

    # ---- Transport

    @classmethod
    def connect(cls, address, credentials=None, **options):
        """A client that is connected. Raises CallError if the daemon cannot be reached now."""
        client = cls(address, credentials, **options)
        client._connect(client.timeout)
        return client

    @classmethod
    def from_environment(cls, address, **options):
        """A client that is connected, with the credentials that `assay` would take: the files that ASSAY_TLS_CA, ASSAY_TLS_CERT and
        ASSAY_TLS_KEY name, and the API key in the file that ASSAY_KEY_FILE names."""
        ca, certificate, private_key = (os.environ.get(f"ASSAY_TLS_{name}") for name in ("CA", "CERT", "KEY"))
        credentials, key = (ca, certificate, private_key) if ca and certificate and private_key else None, None
        if path := os.environ.get("ASSAY_KEY_FILE"):
            with open(path, encoding="ascii") as file:
                key = file.read(4096).strip()
            credentials = credentials or ((ca,) if ca else None)
        return cls.connect(address, credentials, key=key, **options)

    def _connect(self, timeout):
        self.close()
        address = self.address
        with_tls = address.startswith("tls:")
        try:
            if address.startswith("unix:"):
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                sock.settimeout(timeout)
                sock.connect(address[len("unix:"):])
            else:
                host, colon, port = address.removeprefix("tls:").removeprefix("tcp:").rpartition(":")
                if not colon or not port.isdigit():
                    raise ValueError(f'"{address}" is not host:port, tls:host:port or unix:/path')
                if with_tls and self.credentials is None:
                    raise ValueError(f"{address} takes a certificate, its key, and the CA of the daemon's")
                tls = tls_context(*self.credentials) if with_tls else None
                sock = socket.create_connection((host.strip("[]"), int(port)), timeout)
                # A frame is written at once, and is not to wait for others.
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if tls is not None:
                    sock = tls.wrap_socket(sock, server_hostname=host.strip("[]"))
            self._socket, self._go_away, self._received = sock, None, bytearray()
            if with_tls:
                # The server judges our certificate after the handshake; the pong says that it is taken.
                self.ping(timeout)
        except (OSError, CallError) as error:
            self.close()
            raise CallError("UNAVAILABLE", f"{address}: {error}", "connect_failed", begun=False) from error

    def close(self):
        """Closes the connection. A client with calls in flight would shut its side only, and read on."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

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
        except TimeoutError:
            # A part of the frame may be gone: nothing that can be read could follow it.
            self.close()
            raise
        except OSError as error:
            reason = self._last_words() or error
            self.close()
            raise reason from None

    def _last_words(self):
        """What the server said before it ended the connection, which a write can notice before it is read. Takes GoAway, and returns the alert of
        TLS that ends the reading, such as for a certificate that the server does not take. None: no alert."""
        deadline = time.monotonic() + 1.0
        try:
            while (frame := self._receive(deadline)) is not None:
                if frame.WhichOneof("kind") == "go_away":
                    self._go_away = frame.go_away.reason
        except ssl.SSLError as error:
            return error
        except (OSError, DecodeError, CallError):
            pass
        return None

    def _receive(self, deadline):
        """The next frame. Keeps what has arrived of it if the deadline comes first. None: the server has ended."""
        while (frame := self._buffered()) is None:
            self._socket.settimeout(_left(deadline))
            more = self._socket.recv(65536)
            if not more:
                return None
            self._received += more
        return frame

    def _buffered(self):
        """The next frame of what has arrived, or None if it is not whole yet."""
        if len(self._received) < 4:
            return None
        (length,) = struct.unpack_from(">I", self._received)
        if not 1 <= length <= FRAME_LIMIT:
            self.close()
            raise CallError("INTERNAL", f"the server sent a frame of {length} bytes")
        if len(self._received) < 4 + length:
            return None
        body = bytes(self._received[4:4 + length])
        del self._received[:4 + length]
        return Frame.FromString(body)

    def _catch_up(self):
        """Takes what came since the last call, without waiting: pings, and GoAway. Returns whether the connection is good."""
        try:
            while True:
                self._socket.settimeout(0)
                more = self._socket.recv(65536)
                if not more:
                    return False
                self._received += more
                while (frame := self._buffered()) is not None:
                    self._take(frame, time.monotonic() + 1.0)
        except (BlockingIOError, ssl.SSLWantReadError):
            return self._go_away is None
        except (OSError, DecodeError, CallError):
            return False

    # ---- Calls

    def call(self, method, request, response_type, timeout=10.0, trace_parent=None):
        """Calls a method and waits for its reply, at most `timeout` seconds, tries and pauses included. Raises CallError.

        The deadline is told to the server, which begins no work after it, and kept here too.
        trace_parent  the `traceparent` of W3C Trace Context: the span that the call belongs to. Default: self.trace_parent
        """
        deadline = time.monotonic() + timeout
        pause = self.pause
        for attempt in range(1, self.tries + 1):
            try:
                return self._call(method, request, response_type, timeout, deadline, trace_parent or self.trace_parent)
            except CallError as error:
                # A status that would be the same again is not asked for twice.
                may_pass = error.code in ("UNAVAILABLE", "RESOURCE_EXHAUSTED")
                if error.begun is not False or not may_pass or attempt == self.tries:
                    raise
                # A server that said GoAway is left at once. Otherwise not sooner than the server asks, nor all clients at once.
                wait = 0 if attempt == 1 and error.reason == "going_away" else pause * random.uniform(0.8, 1.2)
                wait = max(wait, error.retry_after_ms / 1000)
                if time.monotonic() + wait >= deadline:
                    raise
                time.sleep(wait)
                pause *= 2

    def _call(self, method, request, response_type, timeout, deadline, trace_parent):
        """One try."""
        if self._socket is None or not self._catch_up():
            self._connect(min(self.timeout, _left(deadline, timeout)))
        self._last_id += 1  # not zero, and not in use: counting from 1 is good
        frame = Frame(call_id=self._last_id)
        frame.call.method = method
        frame.call.message = request.SerializeToString()
        if self.key is not None:
            frame.call.metadata["authorization"] = f"Bearer {self.key}"
        if trace_parent:
            frame.call.metadata["traceparent"] = trace_parent
        frame.call.timeout_ms = min(math.ceil(_left(deadline, timeout) * 1000), 0xFFFFFFFF)
        try:
            self._send(frame, deadline)
        except TimeoutError:
            raise _too_late(timeout) from None
        except OSError as error:
            # It did not go out whole, and the server drops what is not whole.
            if self._go_away is not None:
                raise self._ended() from error
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost", begun=False) from error
        try:
            reply = None
            while reply is None:
                frame = self._receive(deadline)
                if frame is None:
                    raise self._ended()
                reply = self._take(frame, deadline)
        except TimeoutError:
            self._cancel()
            raise _too_late(timeout) from None
        except DecodeError as error:
            self.close()
            raise CallError("INTERNAL", f"the server sent what is no frame: {error}") from error
        except OSError as error:
            # Without GoAway, or by a reset: nothing is known about the call.
            self.close()
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost") from error
        if reply.status.code != 0:  # an absent status means OK
            raise _call_error(reply.status)
        try:
            return response_type.FromString(reply.message)
        except DecodeError as error:
            raise CallError("INTERNAL", f"the reply is no {response_type.DESCRIPTOR.name}: {error}") from error

    def watch(self, kinds=(), apps=(), callers=(), codes=(), device_id=b"", resume=None, silence=60.0):
        """Events as they happen: yields a WatchItem each, the start first, until the stream ends by a CallError.

        resume   (stream id, number of the last event), to go on after a stream that ended
        silence  seconds without a frame after which the server is asked whether it is still there
        """
        request = WatchRequest(kinds=kinds, apps=apps, callers=callers, codes=codes, device_id=device_id)
        if resume is not None:
            request.resume_stream_id, request.resume_after = resume
        if self._socket is None or not self._catch_up():
            self._connect(self.timeout)
        self._last_id += 1
        stream_id = self._last_id
        frame = Frame(call_id=stream_id)
        frame.call.method = "/assay.v1.Operations/Watch"
        frame.call.message = request.SerializeToString()
        ended = False
        try:
            self._send(frame, time.monotonic() + self.timeout)
            asked = False
            while True:
                try:
                    frame = self._receive(time.monotonic() + silence)
                except TimeoutError:
                    if asked:
                        raise OSError(f"nothing came for {2 * silence:g} s") from None
                    self._send(Frame(ping={}), time.monotonic() + self.timeout)
                    asked = True
                    continue
                asked = False
                if frame is None:
                    ended = True
                    raise self._ended()
                kind = frame.WhichOneof("kind")
                if kind == "item" and frame.call_id == stream_id:
                    yield WatchItem.FromString(frame.item.message)
                elif kind == "end" and frame.call_id == stream_id:
                    ended = True
                    if frame.end.status.code != 0:
                        raise _call_error(frame.end.status)
                    return
                else:
                    self._take(frame, time.monotonic() + self.timeout)
        except (OSError, DecodeError) as error:
            ended = True
            self.close()
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost") from error
        finally:
            # A reader that leaves early tells the server.
            if not ended:
                self._cancel()

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
        """After GoAway and an orderly end a call without a reply was not begun; without GoAway it may have been."""
        self.close()
        if self._go_away in FAULTS:
            return CallError("INTERNAL", f"the server could not read what we sent: {self._go_away}", self._go_away, begun=False)
        if self._go_away is not None:
            return CallError("UNAVAILABLE", f"the server said GoAway: {self._go_away}", "going_away", begun=False)
        return CallError("UNAVAILABLE", "the server closed the connection", "connection_lost")

    def _cancel(self):
        """Tells the server that the answer is not wanted any more. What it still sends is ignored later."""
        try:
            if self._socket is not None:
                self._send(Frame(call_id=self._last_id, cancel={}), time.monotonic() + 1.0)
        except OSError:
            pass

    def ping(self, timeout=10.0):
        """The seconds that a ping takes. One every few minutes keeps a quiet connection open."""
        start = time.monotonic()
        try:
            if self._socket is None:
                self._connect(timeout)
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
            self.close()
            if self._go_away is not None:
                raise self._ended() from error
            raise CallError("UNAVAILABLE", f"the connection broke: {error}", "connection_lost") from error

    # ---- The API: one line a method

    def issue_challenge(self, app, purpose, context=b"", ttl_ms=0, timeout=10.0):
        """A challenge for a device to sign. `context` ties it to a session and is repeated with the evidence."""
        request = IssueChallengeRequest(app=app, purpose=purpose, context=context, ttl_ms=ttl_ms)
        return self.call("/assay.v1.Attestation/IssueChallenge", request, IssueChallengeResponse, timeout)

    def prepare(self, app, format, body=b"", timeout=10.0):
        """What a plugin prepares for evidence of its format, such as a session: body, and its end in milliseconds since 1970."""
        request = PrepareRequest(app=app, format=format, body=body)
        return self.call("/assay.v1.Attestation/Prepare", request, PrepareResponse, timeout)

    def verify(self, request, timeout=10.0, trace_parent=None):
        """A verdict over evidence. A rejection is a verdict too, with a reason and what may be done."""
        return self.call("/assay.v1.Attestation/Verify", request, Verdict, timeout, trace_parent)

    def begin_upload(self, app, size, chunk_size, payload_sha256, idempotency_key=b"", timeout=10.0):
        """Begins an upload in chunks (docs/reference/uploads.md). The hash is what the device states of the payload: 32 bytes."""
        request = BeginUploadRequest(
            app=app, size=size, chunk_size=chunk_size, payload_sha256=payload_sha256, idempotency_key=idempotency_key)
        return self.call("/assay.v1.Uploads/Begin", request, Upload, timeout)

    def put_chunks(self, app, upload_id, chunks, timeout=10.0):
        """States 1 to 800 chunks that have arrived: their bytes by index. Only sizes and hashes are sent."""
        stated = [
            UploadChunk(index=index, size=len(chunk), sha256=hashlib.sha256(chunk).digest()) for index, chunk in chunks.items()]
        return self.call(
            "/assay.v1.Uploads/PutChunks", PutChunksRequest(app=app, upload_id=upload_id, chunks=stated), Upload, timeout)

    def finalize_upload(self, app, upload_id, chunks, payload_sha256, timeout=10.0):
        """Finishes an upload of so many chunks. The hash is computed over the payload as it arrived."""
        request = FinalizeUploadRequest(app=app, upload_id=upload_id, chunks=chunks, payload_sha256=payload_sha256)
        return self.call("/assay.v1.Uploads/Finalize", request, Upload, timeout)

    def upload(self, app, upload_id, timeout=10.0):
        """An upload as it is now: `missing` has the indexes of the chunks that were not stated."""
        return self.call("/assay.v1.Uploads/Get", GetUploadRequest(app=app, upload_id=upload_id), Upload, timeout)

    def abort_upload(self, app, upload_id, timeout=10.0):
        """Ends an upload and forgets it. Whether there was one is in the reply."""
        request = AbortUploadRequest(app=app, upload_id=upload_id)
        return self.call("/assay.v1.Uploads/Abort", request, AbortUploadResponse, timeout)

    def device(self, app, key_id, timeout=10.0):
        """The record of the device with a key."""
        return self.call("/assay.v1.Devices/Get", GetDeviceRequest(app=app, key_id=key_id), Device, timeout)

    def add_enrolments(self, request, timeout=10.0):
        """Says which devices of a fleet may be provisioned: serial numbers, or one-time tokens, which only this reply has."""
        return self.call("/assay.v1.Provisioning/AddEnrolments", request, AddEnrolmentsResponse, timeout)

    def readmit_device(self, app, device_serial, reason, timeout=10.0):
        """Lets a device be provisioned again under a serial number that was provisioned; it then replaces the present one."""
        request = ReadmitDeviceRequest(app=app, device_serial=device_serial, reason=reason)
        return self.call("/assay.v1.Provisioning/ReadmitDevice", request, ReadmitDeviceResponse, timeout)

    def provision_device(self, request, timeout=10.0):
        """A device of a fleet: certificate, key tables, secret. A refusal is a reply too, with `rejection` and nothing else."""
        return self.call("/assay.v1.Provisioning/ProvisionDevice", request, ProvisionDeviceResponse, timeout)

    def revoke(self, app, serial, reason=0, comment="", timeout=10.0):
        """Revokes the certificate with a serial number (bytes) for good. `reason` is a RevocationReason."""
        request = RevokeCertificateRequest(app=app, serial=serial, reason=reason, comment=comment)
        return self.call("/assay.v1.Provisioning/Revoke", request, RevokeCertificateResponse, timeout)

    def revocation_list(self, issuer_spki_sha256=b"", timeout=10.0):
        """The revocation list of a CA; of the one that signs new certificates, if none is named."""
        request = GetRevocationListRequest(issuer_spki_sha256=issuer_spki_sha256)
        return self.call("/assay.v1.Provisioning/GetRevocationList", request, RevocationList, timeout)

    def status(self, timeout=10.0):
        """How the daemon is."""
        return self.call("/assay.v1.Operations/Status", StatusRequest(), StatusResponse, timeout)


# ---- What is asked: a request, and evidence of each kind. Bytes are raw bytes, as the platform's API returned them.

def verify_request(
        app, purpose, challenge, evidence, payload=None, context=b"", subject=b"", expected_device_id=b"",
        idempotency_key=b"", signals=b"", replaces_device_id=b"", upload_id=b""):
    """A request for a verdict over a list of 1 to 4 pieces of evidence, each of another kind.

    payload          what the device bound: the bytes as they arrived, None if nothing is bound. Only their SHA-256 is sent
    context          as given for the challenge
    subject          the account that the device belongs to, at most 256 bytes
    idempotency_key  the same request under the same key gets the same ACCEPTED verdict again, marked `repeated`
    signals          the document of signals about a capture, byte for byte as the device signed it: it is the payload then
    replaces_device_id  of a registration: the device that it retires, because its user has lost the key
    upload_id        a finished upload of what the device bound, in place of `payload`: 16 bytes
    """
    if signals and payload is None:
        payload = signals
    request = VerifyRequest(
        app=app, purpose=purpose, challenge=challenge, evidence=evidence, context=context, subject=subject,
        expected_device_id=expected_device_id, idempotency_key=idempotency_key, signals=signals,
        replaces_device_id=replaces_device_id)
    # Evidence of plugins may be fresh by itself: then there is neither challenge nor binding.
    if upload_id:
        request.binding.client_data.upload_id = upload_id
    elif challenge or payload is not None:
        request.binding.client_data.payload_sha256 = b"" if payload is None else hashlib.sha256(payload).digest()
    return request


def bundle_request(app, bundle, idempotency_key=b""):
    """A request for a verdict over what a camera signed: a statement of its own, without a challenge. `bundle` is its JSON."""
    return VerifyRequest(
        app=app, purpose=PURPOSE_ASSERT, evidence=[certificate_bundle(bundle)], idempotency_key=idempotency_key)


def certificate_bundle(json):
    """What a camera signed with the key of its device certificate: the bytes of its JSON, as they arrived."""
    return Evidence(certificate_bundle={"json": json})


def app_attest_attestation(key_id, attestation):
    """What attestKey gave. `key_id` is 32 bytes: the Base64 text of generateKey, decoded."""
    return Evidence(app_attest_attestation={"key_id": key_id, "attestation": attestation})


def app_attest_assertion(key_id, assertion):
    """What generateAssertion gave."""
    return Evidence(app_attest_assertion={"key_id": key_id, "assertion": assertion})


def android_key_attestation(certificates):
    """What KeyStore.getCertificateChain gave: a list of certificates in DER, the attested key's first."""
    return Evidence(android_key_attestation={"certificates": certificates})


def key_signature(key_id, signature, algorithm=KeySignature.ALGORITHM_ECDSA_P256_SHA256):
    """A signature by a registered key. `key_id` is the SHA-256 of its SubjectPublicKeyInfo: 32 bytes."""
    return Evidence(key_signature={"key_id": key_id, "algorithm": algorithm, "signature": signature})


def offline_signature(key_id, signature, captured_at_unix_ms, payload, algorithm=KeySignature.ALGORITHM_ECDSA_P256_SHA256):
    """A registered key's signature over a capture that was made without a challenge (docs/concepts/offline.md). Its request has neither
    challenge nor binding: `verify_request(app, PURPOSE_ASSERT, b"", [piece])`. Parts of the payload may stand beside it (`plugin_evidence`)."""
    return Evidence(offline_signature={
        "key_id": key_id, "algorithm": algorithm, "signature": signature, "captured_at_unix_ms": captured_at_unix_ms,
        "payload_sha256": hashlib.sha256(payload).digest()})


def play_integrity_token(token):
    """A token of the Play Integrity API, a text as it came."""
    return Evidence(play_integrity_token={"token": token})


def device_check_token(token):
    """What DCDevice.generateToken gave."""
    return Evidence(device_check_token={"token": token})


def plugin_evidence(format, body):
    """Evidence of a format that has no message of its own: the app's configuration names what verifies it."""
    return Evidence(plugin_evidence={"format": format, "body": body})


def safety_net_response(jws):
    """A SafetyNet response. The answer is always a rejection, since none can be fresh."""
    return Evidence(safety_net_response={"jws": jws})


# ---- Helpers

def tls_context(ca, certificate=None, key=None):
    """TLS as the daemon speaks it, with the CA of the daemon's certificate, and our own certificate with its key. PEM files.
    A caller with an API key needs no certificate."""
    context = ssl.create_default_context(cafile=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["assay-rpc/1"])
    if certificate is not None:
        context.load_cert_chain(certificate, key)
    return context


def _left(deadline, timeout=None):
    """The seconds until a deadline. A socket's timeout of 0 would mean another thing: not to wait at all."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError if timeout is None else _too_late(timeout)
    return left


def _too_late(timeout):
    return CallError("DEADLINE_EXCEEDED", f"no answer in {timeout:g} s", "deadline_exceeded")


def _call_error(status):
    code = CODES[status.code] if status.code < len(CODES) else "UNKNOWN"
    not_begun = {
        "unknown_method", "too_much_metadata", "timeout_too_long", "going_away", "too_many_calls", "overloaded"}
    return CallError(
        code, status.message, status.reason, status.retry_after_ms, begun=False if status.reason in not_begun else None)
