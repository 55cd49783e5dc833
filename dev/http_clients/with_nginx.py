"""nginx as a reverse proxy: over HTTP/1.1 for JSON and Connect, and gRPC by HTTP/2 in clear and with TLS."""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

import grpc
import uploads
import with_curl
from assay.v1 import attestation_pb2_grpc, operations_pb2, operations_pb2_grpc, verdict_pb2, watch_pb2
from checks import Skip, check, equal, expect
from daemon import APP, PHOTO, Daemon, accepts, challenge_request, free_ports, until
from uploads import UploadService

HEAD = """\
daemon            off;
master_process    off;
pid               nginx.pid;
error_log         error.log info;
events {}
http {
    access_log            off;
    client_body_temp_path tmp/body;
    proxy_temp_path       tmp/proxy;
    fastcgi_temp_path     tmp/fastcgi;
    uwsgi_temp_path       tmp/uwsgi;
    scgi_temp_path        tmp/scgi;
"""


@contextlib.contextmanager
def nginx(daemon: Daemon, servers: str, address: str) -> Iterator[str]:
    """nginx with some servers, of which one listens at the address."""
    program = shutil.which("nginx")
    if program is None:
        raise Skip("there is no nginx")
    folder = daemon.folder / "nginx"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    (folder / "nginx.conf").write_text(HEAD + servers + "}\n")
    process = subprocess.Popen(
        [program, "-p", folder, "-c", "nginx.conf", "-e", "error.log"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        until("nginx listens", lambda: listens(process, address, folder))
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(10)


def listens(process: subprocess.Popen[bytes], address: str, folder: pathlib.Path) -> bool:
    expect(process.poll() is None, (folder / "error.log").read_text()[-400:] if process.poll() is not None else "")
    return accepts(address)


def own_address() -> str:
    return f"127.0.0.1:{free_ports(1)[0]}"


@check("nginx", "proxy_pass over HTTP/1.1 with kept connections: JSON, its errors, and /openapi.json")
def proxy_pass(daemon: Daemon) -> None:
    address = own_address()
    servers = f"""
    upstream assayd {{ server {daemon.plain}; keepalive 8; }}
    server {{
        listen {address};
        location / {{
            proxy_pass         http://assayd;
            proxy_http_version 1.1;
            proxy_set_header   Connection "";
            proxy_set_header   Host localhost;
            proxy_set_header   X-Forwarded-For $remote_addr;
        }}
    }}
"""
    with nginx(daemon, servers, address) as server:
        for _ in range(20):
            answer = with_curl.curl(daemon, with_curl.ISSUE_CHALLENGE, "--json", with_curl.REQUEST, server=server)
            equal(answer.status, 200, answer.body)
        answer = with_curl.curl(daemon, "/assay.v1.Attestation/Nothing", "--json", "{}", server=server)
        with_curl.refused(answer, 501, "unimplemented", "unknown_method")
        equal(with_curl.curl(daemon, "/openapi.json", server=server).status, 200)


@check("nginx", "grpc_pass over HTTP/2 in clear: a verdict, a stream, and an error's details")
def grpc_pass(daemon: Daemon) -> None:
    address = own_address()
    servers = f"""
    server {{
        listen {address} http2;
        location / {{ grpc_pass grpc://{daemon.plain}; }}
    }}
"""
    with nginx(daemon, servers, address):
        calls_by_grpc(daemon, address)


@check("nginx", "grpc_pass over TLS with a certificate of its own: known to the daemon by that")
def grpc_pass_tls(daemon: Daemon) -> None:
    address = own_address()
    servers = f"""
    server {{
        listen {address} http2;
        location / {{
            grpc_pass                    grpcs://{daemon.mutual};
            grpc_ssl_protocols           TLSv1.3;
            grpc_ssl_certificate         {daemon.file("uploads.pem")};
            grpc_ssl_certificate_key     {daemon.file("uploads.key")};
            grpc_ssl_trusted_certificate {daemon.file("ca.pem")};
            grpc_ssl_verify              on;
            grpc_ssl_name                localhost;
        }}
    }}
"""
    with nginx(daemon, servers, address), grpc.insecure_channel(address) as channel:
        me = operations_pb2_grpc.OperationsStub(channel).WhoAmI(operations_pb2.WhoAmIRequest(), timeout=10)
        equal(me.name, "uploads")


def calls_by_grpc(daemon: Daemon, address: str) -> None:
    """What a gRPC client does through a proxy at the address."""
    from with_grpcio import refused, verify

    with grpc.insecure_channel(address) as channel:
        challenge = attestation_pb2_grpc.AttestationStub(channel).IssueChallenge(challenge_request(), timeout=10).challenge
        answer = verify(channel, daemon.upload(challenge))
        equal(answer.decision, verdict_pb2.DECISION_ACCEPTED, answer.detail)
        stream = operations_pb2_grpc.OperationsStub(channel).Watch(watch_pb2.WatchRequest(kinds=["device"]), timeout=10)
        equal(next(stream).WhichOneof("item"), "start")
        stream.cancel()
        nothing = channel.unary_unary("/assay.v1.Attestation/Nothing")
        refused(lambda: nothing(b"", timeout=10), grpc.StatusCode.UNIMPLEMENTED, "unknown_method")


@contextlib.contextmanager
def by_the_page(daemon: Daemon, service: UploadService, change: uploads.Change = uploads.unchanged) -> Iterator[str]:
    """nginx by the configuration of docs/start/proxies.md."""
    address = own_address()
    servers = uploads.configuration("nginx", daemon, service, change).replace("listen 8000;", f"listen {address};")
    with nginx(daemon, servers, address) as server:
        yield server


@check("nginx", "auth_request, by the configuration of docs/start/proxies.md: an upload with evidence passes, others do not")
def auth_request(daemon: Daemon) -> None:
    with UploadService() as service:
        with by_the_page(daemon, service) as server:
            headers = uploads.declared(daemon)
            uploads.passes_by_subrequest(daemon, server, service, headers | uploads.FORGED)
            uploads.says_nothing_for_the_daemon(daemon, server, service)
            again = uploads.send(daemon, server, headers)
            equal((again.status, again.fields("assay-retry")), (403, ["new_challenge"]), "a replay")
            equal(uploads.send(daemon, server, {}).status, 403, "without evidence")
            expect(service.is_idle(), "a refused upload reached the service")


@check("nginx", "auth_request: the results of the page's table")
def results(daemon: Daemon) -> None:
    credential = uploads.replaced(('proxy_set_header Authorization "";', 'proxy_set_header Authorization "Bearer unknown";'))
    uploads.has_the_results_of_the_page(daemon, "nginx", by_the_page, credential)
