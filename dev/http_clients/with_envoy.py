"""Envoy: JSON for a gRPC daemon, and Assay as what decides about its requests (ext_authz)."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import uploads
import with_curl
from checks import Skip, check, equal, expect
from daemon import APP, PHOTO, Daemon, accepts, until
from uploads import UploadService
from with_nginx import calls_by_grpc, own_address

MANAGER = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
FILTERS = "type.googleapis.com/envoy.extensions.filters.http"
HTTP_OPTIONS = "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions"


def endpoint(address: str) -> dict:
    host, port = address.rsplit(":", 1)
    return {"address": {"socket_address": {"address": host, "port_value": int(port)}}}


def cluster(name: str, address: str, **more: object) -> dict:
    """A server that is spoken to by HTTP/2 in clear."""
    return {
        "name": name, "type": "STATIC", "connect_timeout": "5s",
        "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [{"endpoint": endpoint(address)}]}]},
        "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": HTTP_OPTIONS, "explicit_http_config": {"http2_protocol_options": {}}}},
        **more,
    }


def router() -> dict:
    return {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{FILTERS}.router.v3.Router"}}


@contextlib.contextmanager
def envoy(daemon: Daemon, filters: list[dict], clusters: list[dict], routes: list[dict]) -> Iterator[str]:
    """Envoy with filters before its router. Yields its address, where it speaks HTTP/1.1 and HTTP/2 in clear."""
    address = own_address()
    manager = {
        "@type": MANAGER, "stat_prefix": "http", "codec_type": "AUTO", "http_filters": [*filters, router()],
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]},
    }
    listener = {
        "name": "http", **endpoint(address),
        "filter_chains": [{"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}],
    }
    text = json.dumps({"static_resources": {"listeners": [listener], "clusters": clusters}})
    with running(daemon, text, address, "json"):
        yield address


@contextlib.contextmanager
def running(daemon: Daemon, text: str, address: str, form: str) -> Iterator[str]:
    """Envoy with a configuration that lets it listen at the address."""
    program = shutil.which("envoy")
    if program is None:
        raise Skip("there is no envoy")
    configuration = daemon.folder / f"envoy.{form}"
    configuration.write_text(text)
    log = daemon.folder / "envoy.log"
    log.unlink(missing_ok=True)
    process = subprocess.Popen(
        [program, "--config-path", configuration, "--log-path", log, "--log-level", "warning", "--concurrency", "1",
         "--disable-hot-restart"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def listens() -> bool:
            expect(process.poll() is None, f"Envoy ended: {log.read_text()[-600:] if log.exists() else ''}")
            return accepts(address)

        until("Envoy listens", listens)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def to(name: str) -> list[dict]:
    return [{"match": {"prefix": "/"}, "route": {"cluster": name, "timeout": "30s"}}]


@check("Envoy", "a gRPC proxy that asks grpc.health.v1 whether the daemon serves: a verdict, a stream, an error's details")
def proxy(daemon: Daemon) -> None:
    health = {
        "timeout": "2s", "interval": "1s", "unhealthy_threshold": 1, "healthy_threshold": 1,
        "grpc_health_check": {"service_name": "assay.v1.Attestation"}}
    clusters = [cluster("assayd", daemon.plain, health_checks=[health])]
    with envoy(daemon, [], clusters, to("assayd")) as address:
        # Until the first answer about its health the cluster has no server.
        until("a call passes", lambda: with_curl.curl(
            daemon, with_curl.WHO_AM_I, "--json", "{}", server=f"http://{address}").status == 200)
        calls_by_grpc(daemon, address)


@check("Envoy", "the JSON transcoder (envoy.filters.http.grpc_json_transcoder): a challenge, and an error by its status")
def transcoder(daemon: Daemon) -> None:
    transcode = {"name": "envoy.filters.http.grpc_json_transcoder", "typed_config": {
        "@type": f"{FILTERS}.grpc_json_transcoder.v3.GrpcJsonTranscoder", "proto_descriptor": str(daemon.descriptors),
        "services": ["assay.v1.Attestation", "assay.v1.Operations"], "auto_mapping": True, "convert_grpc_status": True}}
    with envoy(daemon, [transcode], [cluster("assayd", daemon.plain)], to("assayd")) as address:
        server = f"http://{address}"
        answer = with_curl.curl(
            daemon, "/assay.v1.Attestation/IssueChallenge", "--json", with_curl.REQUEST, server=server)
        equal(answer.status, 200, answer.body)
        expect(answer.json["challenge"], answer.body)
        request = json.dumps({"app": "nothing", "purpose": "PURPOSE_ASSERT"})
        refusal = with_curl.curl(daemon, "/assay.v1.Attestation/IssueChallenge", "--json", request, server=server)
        equal(refusal.status, 404, refusal.body)
        expect("unknown_app" in refusal.body or refusal.json.get("code") == 5, refusal.body)


@contextlib.contextmanager
def by_the_page(daemon: Daemon, service: UploadService, change: uploads.Change = uploads.unchanged) -> Iterator[str]:
    """Envoy by the configuration of docs/start/proxies.md."""
    host, port = own_address().rsplit(":", 1)
    text = uploads.configuration("Envoy", daemon, service, change)
    text = text.replace("{address: 0.0.0.0, port_value: 8000}", f"{{address: {host}, port_value: {port}}}")
    with running(daemon, text, f"{host}:{port}", "yaml") as address:
        yield f"http://{address}"


@check("Envoy", "ext_authz, by the configuration of docs/start/proxies.md: an upload with evidence passes, others do not")
def ext_authz(daemon: Daemon) -> None:
    with UploadService() as service:
        with by_the_page(daemon, service) as server:
            headers = uploads.signed(daemon)
            forged = {"assay-device-id": "dev_forged", "assay-app": "another", "assay-subject": "another"}
            equal(uploads.send(daemon, server, headers | forged).status, 200)
            got = service.take()
            equal((got.body, got.headers.get("assay-payload-declared")), (PHOTO, "false"), str(got.headers))
            equal((got.headers.get("assay-app"), got.headers.get("assay-subject")), (APP, None), str(got.headers))
            expect(re.fullmatch("dev_[0-9a-f]{32}", got.headers.get("assay-device-id", "")), got.headers)
            expect("assay-evidence" not in got.headers and "assay-challenge" not in got.headers, got.headers)
            again = uploads.send(daemon, server, headers)
            equal((again.status, again.json["reason"]), (403, "counter_not_increasing"), again.body)
            other = uploads.send(daemon, server, uploads.signed(daemon), body=b"another photo")
            equal(other.status, 403, f"another body than the signed one: {other.body}")
            nothing = uploads.send(daemon, server, {})
            equal((nothing.status, nothing.json["reason"]), (400, "header_missing"), nothing.body)
            expect(service.is_idle(), "a refused upload reached the service")


@check("Envoy", "ext_authz: the results of the page's table")
def results(daemon: Daemon) -> None:
    credential = uploads.replaced(
        ("timeout: 5s", 'timeout: 5s\n                        initial_metadata: [{key: authorization, value: Bearer unknown}]'))
    uploads.has_the_results_of_the_page(daemon, "Envoy", by_the_page, credential)
