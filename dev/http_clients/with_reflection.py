"""grpcio-reflection: the client of `grpc.reflection.v1alpha` in Python."""

from __future__ import annotations

from checks import check, equal, expect
from daemon import Daemon
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from with_grpcio import plain


@check("grpcio-reflection", "the list of services")
def services(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        names = ProtoReflectionDescriptorDatabase(channel).get_services()
        for name in ("assay.v1.Attestation", "assay.v1.Operations", "grpc.health.v1.Health"):
            expect(name in names, f"{name} is not among {names}")


@check("grpcio-reflection", "a message, its imports, and a method by their names")
def message(daemon: Daemon) -> None:
    with plain(daemon) as channel:
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        request = pool.FindMessageTypeByName("assay.v1.VerifyRequest")
        equal(request.fields_by_name["evidence"].message_type.full_name, "assay.v1.Evidence")
        method = pool.FindServiceByName("assay.v1.Operations").methods_by_name["Watch"]
        equal((method.output_type.full_name, method.server_streaming), ("assay.v1.WatchItem", True))
