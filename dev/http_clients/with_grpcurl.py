"""grpcurl: gRPC's Go library, by reflection."""

from __future__ import annotations

import json
import shutil

from checks import Skip, check, equal, expect
from daemon import APP, Daemon, run


def grpcurl(daemon: Daemon, *arguments: object, check: bool = True):
    program = shutil.which("grpcurl")
    if program is None:
        raise Skip("there is no grpcurl")
    return run(program, "-max-time", 10, *arguments, check=check)


@check("grpcurl", "list and describe by reflection")
def reflection(daemon: Daemon) -> None:
    names = grpcurl(daemon, "-plaintext", daemon.plain, "list").stdout.split()
    for name in ("assay.v1.Attestation", "assay.v1.Operations"):
        expect(name in names, f"{name} is not among {names}")
    text = grpcurl(daemon, "-plaintext", daemon.plain, "describe", "assay.v1.Attestation.Verify").stdout
    expect("rpc Verify ( .assay.v1.VerifyRequest ) returns ( .assay.v1.Verdict )" in text, text)


@check("grpcurl", "a call in clear, by reflection; an error with its code and details")
def call(daemon: Daemon) -> None:
    request = json.dumps({"app": APP, "purpose": "PURPOSE_ASSERT"})
    answer = grpcurl(daemon, "-plaintext", "-d", request, daemon.plain, "assay.v1.Attestation/IssueChallenge").stdout
    expect(json.loads(answer)["challenge"], answer)
    request = json.dumps({"app": "nothing", "purpose": "PURPOSE_ASSERT"})
    done = grpcurl(daemon, "-plaintext", "-d", request, daemon.plain, "assay.v1.Attestation/IssueChallenge", check=False)
    expect(done.returncode and "NotFound" in done.stderr and "google.rpc.ErrorInfo" in done.stderr, done.stderr)
    expect("unknown app" in done.stderr, done.stderr)


@check("grpcurl", "a call with mutual TLS, by reflection")
def mutual_tls(daemon: Daemon) -> None:
    answer = grpcurl(
        daemon, "-cacert", daemon.file("ca.pem"), "-cert", daemon.file("uploads.pem"), "-key", daemon.file("uploads.key"),
        daemon.mutual, "assay.v1.Operations/WhoAmI").stdout
    equal(json.loads(answer)["name"], "uploads")
