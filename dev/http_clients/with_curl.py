"""curl: JSON as people send it, over HTTP/1.1 and HTTP/2."""

from __future__ import annotations

import base64
import json
import shutil
from dataclasses import dataclass

from checks import Skip, check, equal, expect
from daemon import APP, PHOTO, Daemon, run

ISSUE_CHALLENGE = "/v1/attestation/issue-challenge"
WHO_AM_I = "/v1/operations/who-am-i"
REQUEST = json.dumps({"app": APP, "purpose": "PURPOSE_ASSERT"})


@dataclass(frozen=True)
class Answer:
    """What curl got. `version` is that of HTTP, and `connections` how many it opened for the request."""

    status: int
    version: str
    content_type: str
    connections: int
    head: str
    body: str

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    def fields(self, name: str) -> list[str]:
        pairs = [line.split(":", 1) for line in self.head.splitlines() if ":" in line]
        return [value.strip() for key, value in pairs if key.lower() == name]


def curl(daemon: Daemon, path: str, *arguments: object, server: str = "", given: str | bytes | None = None) -> Answer:
    """One request. Without a server it goes to the address in clear."""
    program = shutil.which("curl")
    if program is None:
        raise Skip("there is no curl")
    out, head = daemon.folder / "curl.body", daemon.folder / "curl.head"
    out.unlink(missing_ok=True)
    shown = run(
        program, "--silent", "--show-error", "--max-time", 20, "--noproxy", "*", "--output", out, "--dump-header", head,
        "--write-out", "%{http_code} %{http_version} %{num_connects} %{content_type}", *arguments,
        (server or f"http://{daemon.plain}") + path, given=given).stdout
    status, version, connections, content_type = (shown + " ").split(" ", 3)
    return Answer(
        int(status), version, content_type.strip(), int(connections), head.read_text(),
        out.read_bytes().decode(errors="replace") if out.exists() else "")


def certificate(daemon: Daemon) -> list[object]:
    return [
        "--cacert", daemon.file("ca.pem"), "--cert", daemon.file("uploads.pem"), "--key", daemon.file("uploads.key")]


def refused(answer: Answer, status: int, code: str, *words: str) -> None:
    """An error in Connect's form, whose message or details have some words."""
    equal(answer.status, status, answer.body)
    equal(answer.json["code"], code, answer.body)
    for word in words:
        expect(word in reasons(answer) or word in answer.json.get("message", ""), f"{word} is not in {answer.body}")


def reasons(answer: Answer) -> str:
    """The bytes of the details, in which reasons stand as they are."""
    texts = [detail["value"] for detail in answer.json.get("details", [])]
    return " ".join(base64.b64decode(text + "=" * (-len(text) % 4)).decode(errors="replace") for text in texts)


# MARK: Transports

@check("curl", "--json over HTTP/1.1, HTTP/2 in clear, and TLS with HTTP/2 and HTTP/1.1")
def transports(daemon: Daemon) -> None:
    secure = f"https://{daemon.mutual}"
    for server, options, version in (
        ("", ["--http1.1"], "1.1"), ("", ["--http2-prior-knowledge"], "2"),
        (secure, ["--http2", *certificate(daemon)], "2"), (secure, ["--http1.1", *certificate(daemon)], "1.1"),
    ):
        answer = curl(daemon, ISSUE_CHALLENGE, *options, "--json", REQUEST, server=server)
        equal((answer.status, answer.version, answer.content_type), (200, version, "application/json"), answer.body)
        equal(len(base64.b64decode(answer.json["challenge"])), 54)


@check("curl", "--http2 in clear, which offers an upgrade: answered, in HTTP/1.1")
def upgrade(daemon: Daemon) -> None:
    answer = curl(daemon, WHO_AM_I, "--http2", "--json", "{}")
    equal((answer.status, answer.version), (200, "1.1"), answer.body)


@check("curl", "two requests on one connection, over HTTP/1.1")
def keep_alive(daemon: Daemon) -> None:
    body, head = daemon.folder / "curl.body", daemon.folder / "curl.head"
    url = f"http://{daemon.plain}{WHO_AM_I}"
    shown = run(
        shutil.which("curl") or "curl", "--silent", "--noproxy", "*", "--json", "{}", "--dump-header", head, "--output", body, url,
        "--output", body, url, "--write-out", "%{http_code} %{num_connects},").stdout
    equal(shown, "200 1,200 0,")


@check("curl", "a body in chunks, and one of 300 KB that waits for 100 Continue")
def bodies(daemon: Daemon) -> None:
    answer = curl(
        daemon, WHO_AM_I, "--request", "POST", "--header", "content-type: application/json", "--header",
        "transfer-encoding: chunked", "--data-binary", "@-", given="{}")
    equal(answer.status, 200, answer.body)
    request = json.dumps({"app": APP, "purpose": "ASSERT", "context": base64.b64encode(bytes(220_000)).decode()})
    answer = curl(daemon, ISSUE_CHALLENGE, "--json", "@-", "--header", "Expect: 100-continue", given=request)
    refused(answer, 400, "invalid_argument")
    expect("100 Continue" in answer.head, answer.head)


# MARK: Calls

@check("curl", "a challenge, and a verdict over an upload, in JSON: ACCEPTED")
def verdict(daemon: Daemon) -> None:
    import hashlib

    challenge = curl(daemon, ISSUE_CHALLENGE, "--json", REQUEST).json["challenge"]
    photo = daemon.folder / "photo.jpg"
    photo.write_bytes(PHOTO)
    key_id, assertion = daemon.sign("assert", "phone", challenge, photo)
    request = {
        "app": APP, "purpose": "PURPOSE_ASSERT", "challenge": challenge,
        "evidence": [{"appAttestAssertion": {
            "keyId": base64.b64encode(key_id).decode(), "assertion": base64.b64encode(assertion).decode()}}],
        "binding": {"clientData": {"payloadSha256": base64.b64encode(hashlib.sha256(PHOTO).digest()).decode()}},
    }
    answer = curl(daemon, "/v1/attestation/verify", "--json", "@-", given=json.dumps(request))
    equal((answer.status, answer.json.get("decision")), (200, "DECISION_ACCEPTED"), answer.body)
    again = curl(daemon, "/v1/attestation/verify", "--json", "@-", given=json.dumps(request))
    equal((again.status, again.json.get("reason")), (200, "counter_not_increasing"), again.body)


@check("curl", "the gRPC path takes the same request as the path in words")
def paths(daemon: Daemon) -> None:
    for path in ("/assay.v1.Operations/WhoAmI", WHO_AM_I):
        answer = curl(daemon, path, "--json", "{}")
        equal((answer.status, answer.json.get("recognisedBy")), (200, "loopback_demo"), answer.body)


@check("curl", "protobuf by application/proto")
def binary(daemon: Daemon) -> None:
    answer = curl(
        daemon, WHO_AM_I, "--header", "content-type: application/proto", "--data-binary", "@-", given=b"")
    equal((answer.status, answer.content_type), (200, "application/proto"), answer.body)
    expect("loopback_demo" in answer.body, answer.body)


@check("curl", "connect-timeout-ms on a stream: its start, and deadline_exceeded in its last message")
def stream(daemon: Daemon) -> None:
    message = b'{"kinds":["device"]}'
    answer = curl(
        daemon, "/assay.v1.Operations/Watch", "--header", "content-type: application/connect+json", "--header",
        "connect-timeout-ms: 300", "--data-binary", "@-", given=b"\0" + len(message).to_bytes(4, "big") + message)
    equal((answer.status, answer.content_type), (200, "application/connect+json"))
    expect("streamId" in answer.body and "deadline_exceeded" in answer.body, answer.body)


# MARK: Refusals

@check("curl", "strict JSON: members unknown and twice, other types, rest after the end: 400 with the place")
def strict(daemon: Daemon) -> None:
    for text, words in (
        ('{"app":"camera","apps":"camera"}', ["not known"]),
        ('{"app":"camera","app":"camera"}', ["app", "twice"]),
        ('{"idempotencyKey":"YQ==","idempotency_key":"YQ=="}', ["idempotencyKey", "twice"]),
        ('{"evidence":[{"playIntegrityToken":{"token":1}}]}', ["evidence[0].playIntegrityToken.token"]),
        ('{"evidence":[{"playIntegrityToken":null,"keySignature":{}}]}', ["evidence[0]", "choice"]),
        ('{"purpose":"PURPOSE_NOTHING"}', ["purpose"]),
        ('{"challenge":"a b="}', ["challenge"]),
        ('{"app":"camera"} {}', []),
        ("", []), ("[]", ["object"]), ("nonsense", []),
    ):
        answer = curl(daemon, "/v1/attestation/verify", "--json", "@-", given=text)
        refused(answer, 400, "invalid_argument", *words)


@check("curl", "errors by HTTP status: 400, 401, 403, 404, 405, 415, 429, 501, in Connect's JSON")
def statuses(daemon: Daemon) -> None:
    refused(curl(daemon, ISSUE_CHALLENGE, "--json", '{"app":"nothing","purpose":"ASSERT"}'), 404, "not_found", "unknown_app")
    refused(curl(daemon, ISSUE_CHALLENGE, "--json", f'{{"app":"{APP}"}}'), 400, "invalid_argument")
    refused(curl(daemon, "/assay.v1.Attestation/Nothing", "--json", "{}"), 501, "unimplemented", "unknown_method")
    answer = curl(daemon, ISSUE_CHALLENGE)
    equal((answer.status, answer.fields("allow")), (405, ["POST"]), answer.head)
    equal(curl(daemon, ISSUE_CHALLENGE, "--data", REQUEST).status, 415)
    equal(curl(daemon, "/nothing").status, 404)
    too_large = json.dumps({"app": APP, "context": "A" * (2 << 20)})
    refused(curl(daemon, ISSUE_CHALLENGE, "--json", "@-", given=too_large), 429, "resource_exhausted", "message_too_large")


# MARK: Callers

@check("curl", "mutual TLS: known by the certificate, 403 without the role, no answer without a certificate")
def mutual_tls(daemon: Daemon) -> None:
    server = f"https://{daemon.mutual}"
    answer = curl(daemon, WHO_AM_I, *certificate(daemon), "--json", "{}", server=server)
    equal((answer.status, answer.json.get("name")), (200, "uploads"), answer.body)
    answer = curl(daemon, "/v1/operations/status", *certificate(daemon), "--json", "{}", server=server)
    refused(answer, 403, "permission_denied", "permission_denied")
    done = run(
        shutil.which("curl") or "curl", "--silent", "--max-time", 20, "--cacert", daemon.file("ca.pem"), "--json", "{}",
        server + WHO_AM_I, check=False)
    expect(done.returncode, f"it was answered: {done.stdout}")


@check("curl", "an API key as a bearer token over TLS; an unknown one: 401; none: 403; in clear: 401")
def api_key(daemon: Daemon) -> None:
    secure = f"https://{daemon.optional}"
    options = ["--cacert", daemon.file("ca.pem"), "--json", "{}"]
    answer = curl(daemon, WHO_AM_I, *options, "--oauth2-bearer", daemon.key, server=secure)
    equal((answer.status, answer.json.get("name")), (200, "key:http-clients"), answer.body)
    unknown = "Authorization: Bearer assay_" + "A" * 43
    refused(curl(daemon, WHO_AM_I, *options, "--header", unknown, server=secure), 401, "unauthenticated", "credential_refused")
    refused(curl(daemon, WHO_AM_I, *options, server=secure), 403, "permission_denied")
    in_clear = ["--header", f"Authorization: Bearer {daemon.key}"]
    refused(curl(daemon, WHO_AM_I, *in_clear, "--json", "{}"), 401, "unauthenticated", "credential_refused")


# MARK: Files

@check("curl", "GET /openapi.json: every method, an entity tag, 304 for it, and HEAD")
def openapi(daemon: Daemon) -> None:
    answer = curl(daemon, "/openapi.json")
    equal(answer.status, 200, answer.body[:200])
    for path in (ISSUE_CHALLENGE, "/v1/attestation/verify", "/v1/devices/list"):
        expect("post" in answer.json["paths"].get(path, {}), f"{path} is not a path of it")
    tag = answer.fields("etag")[0]
    equal(curl(daemon, "/openapi.json", "--header", f"If-None-Match: {tag}").status, 304)
    head = curl(daemon, "/openapi.json", "--head")
    equal((head.status, head.fields("etag")), (200, [tag]), head.head)


@check("curl", "the CA's certificate and revocation list, which openssl reads; 404 for a CA that is not there")
def authorities(daemon: Daemon) -> None:
    for name, content_type, command in (
        ("issuing-1.cer", "application/pkix-cert", ["x509", "-subject"]), ("issuing-1.crl", "application/pkix-crl", ["crl", "-issuer"]),
    ):
        answer = curl(daemon, f"/v1/authorities/{name}")
        equal((answer.status, answer.content_type), (200, content_type), answer.body[:200])
        read = run("openssl", *command, "-inform", "DER", "-noout", "-in", daemon.folder / "curl.body").stdout
        expect("Example Cameras" in read, read)
    refused(curl(daemon, "/v1/authorities/nothing.crl"), 404, "not_found", "no_such_file")
