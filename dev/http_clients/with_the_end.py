"""The end of the daemon, as open connections see it. Its checks are the last: the daemon does not run any more after them."""

from __future__ import annotations

import grpc
from assay.v1 import operations_pb2_grpc, watch_pb2
from checks import check, equal, expect
from daemon import Daemon
from grpc_health.v1 import health_pb2, health_pb2_grpc
from with_grpcio import plain, refused


@check("grpcio", "the daemon is asked to stop: health says NOT_SERVING, a stream ends UNAVAILABLE, and it ends with 0")
def stop(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=30)
        until_serving = (answer.status == health_pb2.HealthCheckResponse.SERVING for answer in health)
        expect(any(until_serving), "it does not serve")
        stream = operations_pb2_grpc.OperationsStub(channel).Watch(watch_pb2.WatchRequest(kinds=["device"]), timeout=30)
        equal(next(stream).WhichOneof("item"), "start")
        equal(daemon.stop(), 0, "the exit status")
        refused(lambda: list(stream), grpc.StatusCode.UNAVAILABLE)
        said = []
        try:
            said.extend(answer.status for answer in health)
        except grpc.RpcError:
            pass
        expect(health_pb2.HealthCheckResponse.NOT_SERVING in said, f"health said {said}")
