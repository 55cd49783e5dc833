"""buf curl: connect-go, in each protocol over each transport."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess

from checks import Skip, check, equal, expect
from daemon import APP, Daemon, run

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
REQUEST = json.dumps({"app": APP, "purpose": "PURPOSE_ASSERT"})


def curl_command(
    daemon: Daemon, transport: str, *arguments: object, method: str, given: str = "{}"
) -> tuple[list[str], dict[str, str]]:
    """The command, and its environment: buf keeps a cache in the home folder."""
    program = shutil.which("buf")
    if program is None:
        raise Skip("there is no buf")
    options: list[object] = []
    address = f"http://{daemon.plain}"
    if transport == "TLS":
        address = f"https://{daemon.mutual}"
        options = [
            "--cacert", daemon.file("ca.pem"), "--cert", daemon.file("uploads.pem"), "--key", daemon.file("uploads.key")]
    elif transport == "h2c":
        options = ["--http2-prior-knowledge"]
    command = [program, "curl", *options, *arguments, "--data", given, f"{address}/assay.v1.{method}"]
    return [str(word) for word in command], {"HOME": str(daemon.folder), "BUF_CACHE_DIR": str(daemon.folder / "buf-cache")}


def buf(
    daemon: Daemon, transport: str, *arguments: object, method: str, given: str = "{}", check: bool = True
) -> subprocess.CompletedProcess[str]:
    command, environment = curl_command(daemon, transport, *arguments, method=method, given=given)
    return run(*command, environment=environment, check=check)


def call(daemon: Daemon, protocol: str, transport: str) -> None:
    answer = buf(
        daemon, transport, "--schema", PROTO, "--protocol", protocol, method="Attestation/IssueChallenge", given=REQUEST).stdout
    expect(json.loads(answer)["challenge"], answer)


def add(protocol: str, transport: str) -> None:
    check("buf curl", f"{protocol} over {transport}")(lambda daemon: call(daemon, protocol, transport))


for _protocol in ("grpc", "grpcweb", "connect"):
    for _transport in ("HTTP/1.1", "h2c", "TLS"):
        if (_protocol, _transport) != ("grpc", "HTTP/1.1"):
            add(_protocol, _transport)


@check("buf curl", "a call by reflection, grpc.reflection.v1 and v1alpha")
def reflection(daemon: Daemon) -> None:
    for version in ("grpc-v1", "grpc-v1alpha"):
        answer = buf(daemon, "h2c", "--protocol", "grpc", "--reflect-protocol", version, method="Operations/WhoAmI").stdout
        equal(json.loads(answer)["recognisedBy"], "loopback_demo")


@check("buf curl", "an error in each protocol: its code, message and ErrorInfo")
def error(daemon: Daemon) -> None:
    for protocol in ("grpc", "grpcweb", "connect"):
        request = json.dumps({"app": "nothing", "purpose": "PURPOSE_ASSERT"})
        done = buf(
            daemon, "h2c", "--schema", PROTO, "--protocol", protocol, method="Attestation/IssueChallenge", given=request, check=False)
        expect(done.returncode, "it ended with 0")
        problem = json.loads(done.stderr)
        equal(problem["code"], "not_found")
        expect(any(detail["type"] == "google.rpc.ErrorInfo" for detail in problem["details"]), problem)


@check("buf curl", "a stream in each protocol: its start, as soon as it is there")
def stream(daemon: Daemon) -> None:
    for protocol in ("grpc", "grpcweb", "connect"):
        command, environment = curl_command(
            daemon, "h2c", "--schema", PROTO, "--protocol", protocol, method="Operations/Watch", given='{"kinds": ["device"]}')
        process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            # The output ends if the stream does.
            first = next((line for line in process.stdout or [] if b"streamId" in line), None)
            expect(first is not None, f"{protocol}: the stream has no start")
        finally:
            process.kill()
            process.communicate()
