#!/usr/bin/env python3
"""Holds assay_client.py to what it says of itself, against servers that play a script. Prints "good", or what is not."""

import json
import os
import queue
import select
import socket
import ssl
import struct
import subprocess
import tempfile
import threading

import assay_client
from assay_client import CODES, CallError, Client, Evidence, Frame, StatusResponse
from assay.rpc.v1 import frame_pb2
from assay.v1 import (
    attestation_pb2, audit_pb2, devices_pb2, evidence_pb2, feeds_pb2, operations_pb2, provisioning_pb2, uploads_pb2, verdict_pb2,
    watch_pb2)
from google.protobuf.wrappers_pb2 import StringValue


def framed(frame):
    body = frame.SerializeToString()
    return struct.pack(">I", len(body)) + body


def go_away(reason):
    return framed(Frame(go_away={"reason": reason}))


def status(code, reason, retry_after_ms=0):
    return lambda call: framed(Frame(call_id=call.call_id, reply={
        "status": {"code": code, "reason": reason, "message": "no", "retry_after_ms": retry_after_ms}}))


def good(call):
    return framed(Frame(call_id=call.call_id, reply={"message": StatusResponse(version="good").SerializeToString()}))


class Server:
    """Plays a script: for each connection a list of what it does with the calls that come, one after the other.

    Bytes are sent, a function of the call makes its answer, "end" ends in order, "reset" does not, "hold" says nothing. An event is waited for.
    """

    def __init__(self, *connections):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.calls, self.connections = 0, 0
        self.heard = queue.Queue()      # frames that are no calls
        threading.Thread(target=self.run, args=(connections,), daemon=True).start()

    def run(self, connections):
        for script in connections:
            peer, _ = self.socket.accept()
            self.connections += 1
            threading.Thread(target=self.play, args=(peer, script), daemon=True).start()

    def play(self, peer, script):
        for step in script:
            if step == "end":
                peer.shutdown(socket.SHUT_WR)
            elif step == "reset":
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.close()
                return
            elif isinstance(step, bytes):
                peer.sendall(step)
            elif isinstance(step, threading.Event):
                step.wait(10)
            else:
                call = self.read(peer)
                if call is None:
                    return
                if call.WhichOneof("kind") != "call":
                    body = call.SerializeToString()
                    self.heard.put(struct.pack(">I", len(body)) + body)
                    continue
                self.calls += 1
                if step != "hold":
                    peer.sendall(step(call))
        self.read(peer)

    def read(self, peer):
        head = peer.recv(4, socket.MSG_WAITALL)
        if len(head) < 4:
            return None
        return Frame.FromString(peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL))


def outcome(server, calls=1, tries=5, timeout=10.0, wait=False):
    """What each call came to, how many the server was sent, over how many connections. `wait`: until more came after a call."""
    said = []
    with Client(server.address, tries=tries, pause=0.01) as client:
        for _ in range(calls):
            if wait and said:
                select.select([client._socket], [], [], 10)
            try:
                said.append(client.status(timeout).version)
            except CallError as error:
                said.append((error.code, error.reason, error.begun))
    return said, server.calls, server.connections


def check(what, have, want):
    if have != want:
        raise SystemExit("%s: want %s, have %s" % (what, want, have))


leave = [go_away("shutting_down"), "end"]
# A connection that was sent away between two calls is left, and the call goes over a new one.
check("GoAway between calls", outcome(Server([good] + leave, [good]), calls=2), (["good", "good"], 2, 2))
check("an end between calls", outcome(Server([good, "end"], [good]), calls=2, wait=True), (["good", "good"], 2, 2))
# A call that the GoAway overtook was not begun; one that is answered after the GoAway was.
check("GoAway before the reply", outcome(Server(["hold"] + leave, [good])), (["good"], 2, 2))
check("a reply after GoAway", outcome(Server([lambda call: go_away("x") + good(call), "end"], [good]), calls=2),
      (["good", "good"], 2, 2))
# What was refused before it was begun is tried again, and not forever.
refused = status(8, "overloaded")
check("overloaded", outcome(Server([refused, refused, good])), (["good"], 3, 1))
check("overloaded for long", outcome(Server([refused] * 9), tries=3),
      ([("RESOURCE_EXHAUSTED", "overloaded", False)], 3, 1))
check("going_away", outcome(Server([status(14, "going_away"), good])), (["good"], 2, 1))
check("a pause beyond the deadline", outcome(Server([status(8, "overloaded", 60000), good])),
      ([("RESOURCE_EXHAUSTED", "overloaded", False)], 1, 1))
# What may have been begun is not.
for code, reason in [
        (14, "shutting_down"), (14, "ledger_unavailable"), (1, "cancelled"), (4, "deadline_exceeded"), (13, "unanswered")]:
    said, calls, _ = outcome(Server([status(code, reason), good]))
    check(reason, (said[0][1:], calls), ((reason, None), 1))
check("an end without GoAway", outcome(Server(["hold", "end"], [good])), ([("UNAVAILABLE", "connection_lost", None)], 1, 1))
check("a reset", outcome(Server(["hold", "reset"], [good])), ([("UNAVAILABLE", "connection_lost", None)], 1, 1))
check("no answer", outcome(Server(["hold", good]), timeout=0.2),
      ([("DEADLINE_EXCEEDED", "deadline_exceeded", None)], 1, 1))
# What would fail the same way again is not either.
check("unknown_method", outcome(Server([status(12, "unknown_method"), good])),
      ([("UNIMPLEMENTED", "unknown_method", False)], 1, 1))
check("a fault", outcome(Server(["hold", go_away("frame_too_large"), "end"], [good])),
      ([("INTERNAL", "frame_too_large", False)], 1, 1))


class Late(Client):
    """Writes when the connection has been reset."""

    connected = threading.Event()

    def _send(self, frame, deadline):
        self.connected.set()
        ended = select.poll()
        ended.register(self._socket, 0)
        ended.poll(10_000)
        super()._send(frame, deadline)


def failure(client):
    """The CallError of a call."""
    try:
        client.status()
    except CallError as error:
        return error


# A server that ends the connection while a call is written is heard all the same: by GoAway, and by the alert of TLS.
error = failure(Late(Server([Late.connected, go_away("frame_too_large"), "reset"]).address, tries=1))
check("GoAway before the call is written", (error.code, error.reason, error.begun), ("INTERNAL", "frame_too_large", False))
Late.connected.clear()
error = failure(Late(Server([Late.connected, "reset"]).address, tries=1))
check("a reset before the call is written", (error.code, error.reason, error.begun), ("UNAVAILABLE", "connection_lost", False))


def refuse(listener, context):
    """Takes no certificate of a client. Closes with unread bytes, so that the connection is reset."""
    peer, _ = listener.accept()
    try:
        context.wrap_socket(peer, server_side=True)
    except ssl.SSLError:
        pass


with tempfile.TemporaryDirectory() as folder:
    for name in ("server", "client"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"],
            check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
    context.load_verify_locations(f"{folder}/server.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=refuse, args=(listener, context), daemon=True).start()
    address = "tls:127.0.0.1:%d" % listener.getsockname()[1]
    error = failure(Late(address, (f"{folder}/server.pem", f"{folder}/client.pem", f"{folder}/client.key"), tries=1))
    check("a certificate that is not taken", (error.code, error.reason, "unknown ca" in str(error)), ("UNAVAILABLE", "connect_failed", True))

# No server listens: tried again until one does.
unused = socket.create_server(("127.0.0.1", 0))
address = "127.0.0.1:%d" % unused.getsockname()[1]
unused.close()
try:
    Client(address, tries=2, pause=0.01).status()
    raise SystemExit("no answer")
except CallError as error:
    check("unanswered", (error.code, error.reason, error.begun), ("UNAVAILABLE", "connect_failed", False))

# The vectors of the protocol: what a client makes of a server's words.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/vectors/frames-v1.json")) as file:
    vectors = json.load(file)["client"]
for vector in vectors:
    words, want = bytes.fromhex(vector["server_hex"]), vector["client"]
    server = Server(["hold", words] + (["end"] if vector["server_ends"] else ["hold"]))
    client = Client(server.address, tries=1)
    try:
        have = client.call("/test.Test/Echo", StringValue(value="hi"), StringValue).SerializeToString().hex()
        check(vector["id"], have, want.get("message_hex"))
        if "sends_hex" in want:
            check(vector["id"], server.heard.get(timeout=10).hex(), want["sends_hex"])
    except CallError as error:
        check(vector["id"], "message_hex" in want, False)
        if "code" in want:
            check(vector["id"], error.code, CODES[want["code"]])
        check(vector["id"], error.reason, want.get("reason", error.reason))
        check(vector["id"], error.begun, want.get("begun"))
        if want.get("closes"):
            check(vector["id"], client._socket, None)
    client.close()

# A stream: items until its end, whose status is raised; pings in between are answered, and a reader that leaves cancels.
def items(*events):
    return lambda call: b"".join(
        framed(Frame(call_id=call.call_id, item={"message": watch_pb2.WatchItem(**item).SerializeToString()})) for item in events)


def end(code, reason):
    return lambda call: framed(Frame(call_id=call.call_id, end={"status": {"code": code, "reason": reason, "message": "no"}}))


start, event = {"start": {"next_sequence": 5}}, {"event": {"sequence": 5, "kind": "verdict.rejected"}}
server = Server([lambda call: items(start, event)(call) + framed(Frame(ping={})) + end(8, "slow_consumer")(call), "hold"])
seen = []
try:
    for item in Client(server.address, tries=1).watch(kinds=["verdict"]):
        seen.append(item.WhichOneof("item"))
except CallError as error:
    seen.append((error.code, error.reason))
check("a stream", seen, ["start", "event", ("RESOURCE_EXHAUSTED", "slow_consumer")])
server = Server([items(start, event), "hold"])
watching = Client(server.address, tries=1)
check("its first item", next(stream := watching.watch()).start.next_sequence, 5)
stream.close()
while Frame.FromString(server.heard.get(timeout=10)[4:]).WhichOneof("kind") != "cancel":
    pass
watching.close()

# Evidence of every kind that the API has can be made.
made = [
    assay_client.app_attest_attestation(b"k", b"e"), assay_client.app_attest_assertion(b"k", b"e"),
    assay_client.android_key_attestation([b"c"]), assay_client.key_signature(b"k", b"s"),
    assay_client.play_integrity_token("t"), assay_client.device_check_token(b"t"), assay_client.safety_net_response("j"),
    assay_client.plugin_evidence("example.format", b"p"), assay_client.certificate_bundle(b"{}"),
    assay_client.offline_signature(b"k", b"s", 1_800_000_000_000, b"a photo\n"),
]
kinds = [field.name for field in Evidence.DESCRIPTOR.oneofs_by_name["kind"].fields]
check("kinds of evidence", sorted(piece.WhichOneof("kind") for piece in made), sorted(kinds))
assert made[3].key_signature.algorithm == 1

# A bundle is a statement of its own: nothing else binds it.
request = assay_client.bundle_request("camera", b"{}")
check("a bundle's request", (request.HasField("binding"), request.challenge, len(request.evidence)), (False, b"", 1))

# So is a capture that was signed offline.
request = assay_client.verify_request("camera", assay_client.PURPOSE_ASSERT, b"", made[9:] + [made[7]])
check("an offline signature's request", (request.HasField("binding"), request.evidence[0].offline_signature.payload_sha256.hex()),
      (False, "159c2bcab485d298ba138cc2c9ed83decf52125d4773f985b8aae42cb9c6522e"))

# The payload's hash, or the upload that has it.
request = assay_client.verify_request("camera", assay_client.PURPOSE_ASSERT, b"c", made[:1], upload_id=bytes(16))
check("an upload's request", (request.binding.client_data.upload_id, request.binding.client_data.payload_sha256), (bytes(16), b""))

# What a plugin prepares.
server = Server([lambda call: framed(Frame(call_id=call.call_id, reply={
    "message": attestation_pb2.PrepareResponse(body=call.call.message).SerializeToString()}))])
prepared = attestation_pb2.PrepareRequest.FromString(Client(server.address, tries=1).prepare("camera", "example.format", b"{}").body)
check("a preparation's request", (prepared.app, prepared.format, prepared.body), ("camera", "example.format", b"{}"))

# An upload in chunks: each function calls its method, and sends sizes and hashes.
heard = []


def taken(call):
    heard.append((call.call.method, call.call.message))
    return framed(Frame(call_id=call.call_id, reply={"message": b""}))


client = Client(Server([taken] * 5).address, tries=1)
client.begin_upload("camera", 70_000, 65_536, bytes(32), b"video-1")
client.put_chunks("camera", bytes(16), {1: b"a photo\n"})
client.finalize_upload("camera", bytes(16), 2, bytes(32))
client.upload("camera", bytes(16))
client.abort_upload("camera", bytes(16))
client.close()
upload = {"app": "camera", "upload_id": bytes(16)}
chunk = {"index": 1, "size": 8, "sha256": bytes.fromhex("159c2bcab485d298ba138cc2c9ed83decf52125d4773f985b8aae42cb9c6522e")}
check("uploads", heard, [(f"/assay.v1.Uploads/{name}", request.SerializeToString()) for name, request in [
    ("Begin", uploads_pb2.BeginUploadRequest(
        app="camera", size=70_000, chunk_size=65_536, payload_sha256=bytes(32), idempotency_key=b"video-1")),
    ("PutChunks", uploads_pb2.PutChunksRequest(chunks=[chunk], **upload)),
    ("Finalize", uploads_pb2.FinalizeUploadRequest(chunks=2, payload_sha256=bytes(32), **upload)),
    ("Get", uploads_pb2.GetUploadRequest(**upload)), ("Abort", uploads_pb2.AbortUploadRequest(**upload))]])

# The files say where generated code of other languages goes.
for module in (
        attestation_pb2, audit_pb2, devices_pb2, evidence_pb2, feeds_pb2, operations_pb2, provisioning_pb2, uploads_pb2,
        verdict_pb2, watch_pb2):
    options = module.DESCRIPTOR.GetOptions()
    check(module.__name__, (options.go_package, options.java_multiple_files, options.csharp_namespace),
          ("assay/v1;assayv1", True, "Assay.V1"))
options = frame_pb2.DESCRIPTOR.GetOptions()
check("frame", (options.go_package, options.java_multiple_files, options.csharp_namespace),
      ("assay/rpc/v1;rpcv1", True, "Assay.Rpc.V1"))
print("good")
