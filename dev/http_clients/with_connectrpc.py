"""connectrpc: Connect's library for Python. It compresses requests by gzip unless it is told not to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from assay.v1 import attestation_pb2 as api
from assay.v1 import evidence_pb2 as evidence
from assay.v1 import operations_pb2, verdict_pb2, watch_pb2
from checks import check, equal, expect, expect_error
from connectrpc.client import ConnectClientSync
from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from daemon import Daemon, challenge_request
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport


def method(service: str, name: str, request: type, answer: type, stream: StreamType = StreamType.UNARY) -> MethodInfo:
    return MethodInfo(
        name=name, service_name=f"assay.v1.{service}", input=request, output=answer, stream_type=stream,
        idempotency_level=IdempotencyLevel.UNKNOWN)


ISSUE_CHALLENGE = method("Attestation", "IssueChallenge", api.IssueChallengeRequest, api.IssueChallengeResponse)
VERIFY = method("Attestation", "Verify", api.VerifyRequest, verdict_pb2.Verdict)
WHO_AM_I = method("Operations", "WhoAmI", operations_pb2.WhoAmIRequest, operations_pb2.WhoAmIResponse)
WATCH = method("Operations", "Watch", watch_pb2.WatchRequest, watch_pb2.WatchItem, StreamType.SERVER_STREAM)


@contextlib.contextmanager
def client(
    daemon: Daemon, codec: Codec, protocol: ProtocolType = ProtocolType.CONNECT, version: HTTPVersion = HTTPVersion.HTTP1,
    caller: str = "",
) -> Iterator[ConnectClientSync]:
    """A client in clear, or with TLS by the certificate of a caller."""
    if caller:
        transport = SyncHTTPTransport(
            tls_ca_cert=daemon.file("ca.pem").read_bytes(), tls_cert=daemon.file(f"{caller}.pem").read_bytes(),
            tls_key=daemon.file(f"{caller}.key").read_bytes(), enable_otel=False)
    else:
        transport = SyncHTTPTransport(http_version=version, enable_otel=False)
    address = f"https://{daemon.mutual}" if caller else f"http://{daemon.plain}"
    with transport:
        yield ConnectClientSync(address, codec=codec, protocol=protocol, timeout_ms=10_000, http_client=SyncClient(transport))


def verdict_by(connection: ConnectClientSync, daemon: Daemon) -> None:
    challenge = connection.execute_unary(request=challenge_request(), method=ISSUE_CHALLENGE).challenge
    answer = connection.execute_unary(request=daemon.upload(challenge), method=VERIFY)
    equal(answer.decision, verdict_pb2.DECISION_ACCEPTED, answer.detail)


@check("connectrpc", "Connect in protobuf, gzip as it is by default: a challenge and a verdict")
def binary(daemon: Daemon) -> None:
    with client(daemon, google_protobuf_binary_codec()) as connection:
        verdict_by(connection, daemon)


@check("connectrpc", "Connect in JSON, gzip as it is by default: a challenge and a verdict")
def json(daemon: Daemon) -> None:
    with client(daemon, google_protobuf_json_codec()) as connection:
        verdict_by(connection, daemon)


@check("connectrpc", "Connect in JSON over mutual TLS and HTTP/2")
def mutual_tls(daemon: Daemon) -> None:
    with client(daemon, google_protobuf_json_codec(), caller="uploads") as connection:
        equal(connection.execute_unary(request=operations_pb2.WhoAmIRequest(), method=WHO_AM_I).name, "uploads")


@check("connectrpc", "an error: its code, and ErrorInfo with its reason")
def error(daemon: Daemon) -> None:
    for codec in (google_protobuf_binary_codec(), google_protobuf_json_codec()):
        with client(daemon, codec) as connection:
            request = api.IssueChallengeRequest(app="nothing", purpose=evidence.PURPOSE_ASSERT)
            refusal = expect_error(lambda: connection.execute_unary(request=request, method=ISSUE_CHALLENGE), ConnectError)
            equal(refusal.code, Code.NOT_FOUND)
            types = [detail.type_name for detail in refusal.details]
            expect("google.rpc.ErrorInfo" in types, f"ErrorInfo is not among {types}")
            expect(b"unknown_app" in refusal.details[types.index("google.rpc.ErrorInfo")].message_bytes, refusal.details)


@check("connectrpc", "a stream of Connect, in protobuf and in JSON: its start, then its deadline")
def stream(daemon: Daemon) -> None:
    for codec in (google_protobuf_binary_codec(), google_protobuf_json_codec()):
        with client(daemon, codec) as connection:
            items = connection.execute_server_stream(
                request=watch_pb2.WatchRequest(kinds=["device"]), method=WATCH, timeout_ms=500)
            equal(next(items).WhichOneof("item"), "start")
            equal(expect_error(lambda: list(items), ConnectError).code, Code.DEADLINE_EXCEEDED)


@check("connectrpc", "gRPC over HTTP/2 in clear, and gRPC-Web over HTTP/1.1, gzip as it is by default: a challenge and a verdict")
def grpc(daemon: Daemon) -> None:
    for protocol, version in ((ProtocolType.GRPC, HTTPVersion.HTTP2), (ProtocolType.GRPC_WEB, HTTPVersion.HTTP1)):
        with client(daemon, google_protobuf_binary_codec(), protocol, version) as connection:
            verdict_by(connection, daemon)
