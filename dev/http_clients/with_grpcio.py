"""grpcio: gRPC's own library for Python over its C core, as the libraries for C++, Ruby, PHP and C# have it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import grpc
from assay.v1 import attestation_pb2 as api
from assay.v1 import attestation_pb2_grpc, devices_pb2, devices_pb2_grpc, operations_pb2, operations_pb2_grpc
from assay.v1 import evidence_pb2 as evidence
from assay.v1 import verdict_pb2, watch_pb2
from checks import check, equal, expect, expect_error
from daemon import APP, Daemon, challenge_request
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

SECONDS = 10


@contextlib.contextmanager
def plain(daemon: Daemon, *options: tuple[str, object]) -> Iterator[grpc.Channel]:
    """A channel without TLS: one connection of its own."""
    with grpc.insecure_channel(daemon.plain, [("grpc.use_local_subchannel_pool", 1), *options]) as channel:
        yield channel


@contextlib.contextmanager
def encrypted(daemon: Daemon, address: str, caller: str = "", key: str = "") -> Iterator[grpc.Channel]:
    """A channel with TLS, by the certificate of a caller, or by an API key."""
    credentials = grpc.ssl_channel_credentials(
        daemon.file("ca.pem").read_bytes(),
        daemon.file(f"{caller}.key").read_bytes() if caller else None,
        daemon.file(f"{caller}.pem").read_bytes() if caller else None)
    if key:
        credentials = grpc.composite_channel_credentials(credentials, grpc.access_token_call_credentials(key))
    with grpc.secure_channel(address, credentials, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        yield channel


def who_am_i(channel: grpc.Channel, **options: object) -> operations_pb2.WhoAmIResponse:
    stub = operations_pb2_grpc.OperationsStub(channel)
    return stub.WhoAmI(operations_pb2.WhoAmIRequest(), timeout=SECONDS, **options)


def challenge(channel: grpc.Channel, purpose: int = evidence.PURPOSE_ASSERT) -> bytes:
    stub = attestation_pb2_grpc.AttestationStub(channel)
    return stub.IssueChallenge(challenge_request(purpose), timeout=SECONDS).challenge


def verify(channel: grpc.Channel, request: api.VerifyRequest) -> verdict_pb2.Verdict:
    return attestation_pb2_grpc.AttestationStub(channel).Verify(request, timeout=SECONDS)


def refused(call: Callable[[], object], code: grpc.StatusCode, reason: str = "") -> None:
    """A call that has to end with a code, and with a reason in its details."""
    error = expect_error(call, grpc.RpcError)
    equal(error.code(), code, error.details())
    if reason:
        equal(reason_of(error), reason, error.details())


def reason_of(error: grpc.RpcError) -> str:
    """The reason in `grpc-status-details-bin`."""
    status = rpc_status.from_call(error)
    expect(status is not None, f"no details come with {error.details()}")
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            equal(info.domain, "assay", "the domain of ErrorInfo")
            return info.reason
    raise AssertionError(f"no ErrorInfo is among {status.details}")


# MARK: Calls

@check("grpcio", "unary calls: a challenge, and who calls")
def unary(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        equal(len(challenge(channel)), 54)
        equal(who_am_i(channel).recognised_by, "loopback_demo")


@check("grpcio", "a phone registers and uploads: ACCEPTED; a replay: REJECTED counter_not_increasing")
def verdict(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        registered = verify(channel, daemon.registration(challenge(channel, evidence.PURPOSE_REGISTER), "second-phone"))
        equal(registered.decision, verdict_pb2.DECISION_ACCEPTED, registered.detail)
        request = daemon.upload(challenge(channel), "second-phone")
        uploaded = verify(channel, request)
        equal(uploaded.decision, verdict_pb2.DECISION_ACCEPTED, uploaded.detail)
        equal(uploaded.device_id, registered.device_id)
        replayed = verify(channel, request)
        equal((replayed.decision, replayed.reason), (verdict_pb2.DECISION_REJECTED, "counter_not_increasing"))


@check("grpcio", "an idempotency key: the same verdict again, marked repeated")
def idempotency(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        request = daemon.upload(challenge(channel), idempotency_key=b"http-clients")
        first, second = verify(channel, request), verify(channel, request)
        equal((first.repeated, second.repeated), (False, True))
        equal(second.request_id, first.request_id)


@check("grpcio", "2,000 calls, 200 in flight, on one connection")
def many(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        stub = attestation_pb2_grpc.AttestationStub(channel)
        seen = set()
        for _ in range(10):
            calls = [stub.IssueChallenge.future(challenge_request(), timeout=SECONDS) for _ in range(200)]
            seen.update(call.result().challenge for call in calls)
        equal(len(seen), 2000, "different challenges")


@check("grpcio", "Watch: its start, then the event of a change")
def watch(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        stream = operations_pb2_grpc.OperationsStub(channel).Watch(watch_pb2.WatchRequest(kinds=["change"]), timeout=SECONDS)
        equal(next(stream).WhichOneof("item"), "start")
        change(channel)
        event = next(stream).event
        equal((event.kind, event.app), ("change.block", APP))
        stream.cancel()


def change(channel: grpc.Channel) -> None:
    """Blocks an account that no device has, and lifts the block."""
    stub = devices_pb2_grpc.DevicesStub(channel)
    target = devices_pb2.BlockTarget(subject=b"no account")
    stub.Block(devices_pb2.BlockRequest(app=APP, target=target, reason="http-clients"), timeout=SECONDS)
    stub.Unblock(devices_pb2.UnblockRequest(app=APP, target=target), timeout=SECONDS)


# MARK: Cancelling, deadlines, keep-alive

@check("grpcio", "300 streams begun and cancelled on a caller's connection, then a call on the same")
def cancel(daemon: Daemon) -> None:
    with encrypted(daemon, daemon.mutual, "uploads") as channel:
        begin_and_cancel(channel, 300)


@check("grpcio", "150 of them on a connection of which nothing is known")
def cancel_unknown(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        begin_and_cancel(channel, 150)


def begin_and_cancel(channel: grpc.Channel, count: int) -> None:
    states = connection_states(channel)
    stub = health_pb2_grpc.HealthStub(channel)
    for _ in range(count):
        stream = stub.Watch(health_pb2.HealthCheckRequest(), timeout=SECONDS)
        next(stream)
        stream.cancel()
    who_am_i(channel)
    equal([state.name for state in states[states.index(grpc.ChannelConnectivity.READY):]], ["READY"])


@check("grpcio", "a deadline of 200 ms on a stream without events: DEADLINE_EXCEEDED")
def deadline(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        stub = operations_pb2_grpc.OperationsStub(channel)
        started = time.monotonic()
        stream = stub.Watch(watch_pb2.WatchRequest(kinds=["device"]), timeout=0.2)
        refused(lambda: list(stream), grpc.StatusCode.DEADLINE_EXCEEDED)
        expect(time.monotonic() - started < 2, "it took longer than 2 s")
        who_am_i(channel)


@check("grpcio", "keep-alive pings every 100 ms for 3 s without a call, then a call on the same connection")
def keep_alive(daemon: Daemon) -> None:
    options = [
        ("grpc.keepalive_time_ms", 100), ("grpc.keepalive_timeout_ms", 1000), ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    with plain(daemon, *options) as channel:
        states = connection_states(channel)
        who_am_i(channel)
        time.sleep(3)
        who_am_i(channel)
        equal([state.name for state in states[states.index(grpc.ChannelConnectivity.READY):]], ["READY"])


def connection_states(channel: grpc.Channel) -> list[grpc.ChannelConnectivity]:
    """The states of a channel, as they come. Returns when it is connected."""
    states: list[grpc.ChannelConnectivity] = []
    is_ready = threading.Event()

    def add(state: grpc.ChannelConnectivity) -> None:
        states.append(state)
        if state is grpc.ChannelConnectivity.READY:
            is_ready.set()

    channel.subscribe(add, try_to_connect=True)
    expect(is_ready.wait(SECONDS), "the channel does not connect")
    return states


# MARK: Errors

@check("grpcio", "errors with their reason in grpc-status-details-bin: unknown_method, undecodable_message")
def errors(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        unknown = channel.unary_unary("/assay.v1.Attestation/Nothing")
        refused(lambda: unknown(b"", timeout=SECONDS), grpc.StatusCode.UNIMPLEMENTED, "unknown_method")
        undecodable = channel.unary_unary("/assay.v1.Attestation/Verify")
        refused(lambda: undecodable(b"\xff", timeout=SECONDS), grpc.StatusCode.INVALID_ARGUMENT, "undecodable_message")


@check("grpcio", "an error of the method: an app that is not known")
def unknown_app(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        stub = attestation_pb2_grpc.AttestationStub(channel)
        request = api.IssueChallengeRequest(app="nothing", purpose=evidence.PURPOSE_ASSERT)
        refused(lambda: stub.IssueChallenge(request, timeout=SECONDS), grpc.StatusCode.NOT_FOUND, "unknown_app")


@check("grpcio", "a message of 2 MiB: RESOURCE_EXHAUSTED, and the connection goes on")
def too_large(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        states = connection_states(channel)
        request = challenge_request()
        request.context = bytes(2 << 20)
        stub = attestation_pb2_grpc.AttestationStub(channel)
        refused(lambda: stub.IssueChallenge(request, timeout=SECONDS), grpc.StatusCode.RESOURCE_EXHAUSTED, "message_too_large")
        who_am_i(channel)
        equal(states[-1], grpc.ChannelConnectivity.READY)


# MARK: Callers

@check("grpcio", "mutual TLS: known by the certificate's URI; PERMISSION_DENIED without the role")
def mutual_tls(daemon: Daemon) -> None:
    with encrypted(daemon, daemon.mutual, "uploads") as channel:
        me = who_am_i(channel)
        equal((me.name, me.recognised_by, list(me.roles)), ("uploads", "uri", ["verify"]))
        equal(len(challenge(channel)), 54)
        stub = operations_pb2_grpc.OperationsStub(channel)
        refused(
            lambda: stub.Status(operations_pb2.StatusRequest(), timeout=SECONDS), grpc.StatusCode.PERMISSION_DENIED,
            "permission_denied")


@check("grpcio", "mutual TLS: without a certificate no call is made")
def no_certificate(daemon: Daemon) -> None:
    with encrypted(daemon, daemon.mutual) as channel:
        refused(lambda: who_am_i(channel), grpc.StatusCode.UNAVAILABLE)


@check("grpcio", "an API key by authorization over TLS; an unknown one: UNAUTHENTICATED; in clear: UNAUTHENTICATED")
def api_key(daemon: Daemon) -> None:
    with encrypted(daemon, daemon.optional, key=daemon.key) as channel:
        me = who_am_i(channel)
        equal((me.name, me.recognised_by), ("key:http-clients", "key"))
    with encrypted(daemon, daemon.optional, key="assay_" + "A" * 43) as channel:
        refused(lambda: who_am_i(channel), grpc.StatusCode.UNAUTHENTICATED, "credential_refused")
    with plain(daemon) as channel:
        metadata = [("authorization", f"Bearer {daemon.key}")]
        refused(lambda: who_am_i(channel, metadata=metadata), grpc.StatusCode.UNAUTHENTICATED, "credential_refused")


# MARK: Health

def wait_until_serving(channel: grpc.Channel) -> None:
    """Waits until the daemon has looked at itself for the first time: it does so each second."""
    for answer in health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=SECONDS):
        if answer.status == health_pb2.HealthCheckResponse.SERVING:
            return


@check("grpcio-health", "Check: SERVING as a whole and for each service; NOT_FOUND for an unknown one")
def health_check(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        wait_until_serving(channel)
        stub = health_pb2_grpc.HealthStub(channel)
        for service in ("", "assay.v1.Attestation", "assay.v1.Devices"):
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=SECONDS)
            equal(answer.status, health_pb2.HealthCheckResponse.SERVING, service)
        unknown = health_pb2.HealthCheckRequest(service="assay.v1.Nothing")
        refused(lambda: stub.Check(unknown, timeout=SECONDS), grpc.StatusCode.NOT_FOUND)


@check("grpcio-health", "Watch: SERVING first; SERVICE_UNKNOWN for an unknown service")
def health_watch(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        wait_until_serving(channel)
        stub = health_pb2_grpc.HealthStub(channel)
        for service, want in (("", "SERVING"), ("assay.v1.Attestation", "SERVING"), ("assay.v1.Nothing", "SERVICE_UNKNOWN")):
            stream = stub.Watch(health_pb2.HealthCheckRequest(service=service), timeout=SECONDS)
            equal(health_pb2.HealthCheckResponse.ServingStatus.Name(next(stream).status), want, service)
            stream.cancel()


@check("grpcio-health", "Check by a client that is no caller: answered; another method: PERMISSION_DENIED")
def health_without_caller(daemon: Daemon) -> None:
    with encrypted(daemon, daemon.optional) as channel:
        wait_until_serving(channel)
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
        equal(answer.status, health_pb2.HealthCheckResponse.SERVING)
        refused(lambda: who_am_i(channel), grpc.StatusCode.PERMISSION_DENIED)
