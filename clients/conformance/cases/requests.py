"""What clients send."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from case import CHALLENGE, CHALLENGE_CALL, CHALLENGE_OUTCOME, Case, Check, Run, body, call, outcome, request, sent
from scripted import ok

from .answers import VERDICT, VERIFY

RANDOM_KEY = re.compile(r"[0-9a-f]{32}\Z")
HASH = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def _of_evidence(name: str, evidence: Dict[str, Any], want: Dict[str, Any]) -> Case:
    line = call("verify", {"app": "photos", "purpose": "REGISTER", "challenge": "AAEC", "evidence": [evidence]})
    check = request(lambda got: got.json["evidence"] == [want], f"its evidence is not {want}")
    return Case(f"requests/evidence-{name}", [line], [check, outcome({"accepted": True})], [ok(VERDICT)])


def _of_binding(name: str, binding: Dict[str, Any], want: Any) -> Case:
    line = call("verify", {**VERIFY["request"], "binding": binding})
    return Case(f"requests/binding-{name}", [line], [request(lambda got: got.json["binding"] in want, f"its binding is none of {want}")], [ok(VERDICT)])


def _header(name: str, want: Any, what: str) -> Check:
    return request(lambda got: want(got.one(name)), what)


def _keys_differ(run: Run) -> Any:
    first, second = (each.one("idempotency-key") for each in run.requests[:2])
    return None if first != second else f"two calls have the key {first}"


def cases() -> List[Case]:
    signature = {"keyId": HASH, "algorithm": "ECDSA_P256_SHA256", "signature": "MAA="}
    offline = {**signature, "capturedAtUnixMs": "1776124800123", "payloadSha256": HASH}
    full = {"algorithm": "ALGORITHM_ECDSA_P256_SHA256"}
    has_no_key = request(lambda got: not got.all("idempotency-key"), "it has an idempotency key")
    has_key = _header("idempotency-key", lambda key: key and RANDOM_KEY.match(key), "it has no random key of 32 hexadecimal digits")
    generic = {"service": "Provisioning", "method": "AddEnrolments", "message": {"app": "cameras", "serials": ["é\n"], "tokens": 0}}
    paths = {
        "issueChallenge": ({"app": "a", "purpose": "ASSERT"}, "Attestation/IssueChallenge"),
        "verify": (VERIFY["request"], "Attestation/Verify"),
        "issueCertificate": ({"app": "a", "evidence": [{"playIntegrityToken": {"token": "t"}}], "csr": "MAA="}, "Provisioning/Issue"),
        "provisionDevice": ({"app": "a", "deviceSerial": "s"}, "Provisioning/ProvisionDevice"),
        "getDevice": ({"app": "a", "keyId": "AQI="}, "Devices/Get"),
        "listDevices": ({"app": "a"}, "Devices/List"),
        "block": ({"app": "a", "target": {"keyId": "AQI="}, "reason": "r"}, "Devices/Block"),
        "unblock": ({"app": "a", "target": {"keyId": "AQI="}}, "Devices/Unblock"),
        "findVerdicts": ({"app": "a", "payloadSha256": HASH}, "Verdicts/Find"),
        "getResultKeys": ({}, "Results/GetKeys"),
        "whoAmI": ({}, "Operations/WhoAmI"),
    }
    return [
        Case(
            "requests/head",
            [CHALLENGE_CALL],
            [
                request(lambda got: got.method == "POST" and got.path == "/assay.v1.Attestation/IssueChallenge", "it is no POST to the method's path"),
                _header("content-type", lambda value: value == "application/json", "its content type is not application/json"),
                _header("accept", lambda value: value == "application/json", "accept is not application/json"),
                _header("accept-encoding", lambda value: value in (None, "identity"), "it accepts encodings"),
                _header("user-agent", lambda value: value and re.match(r"assay-[a-z]+/\d", value), "its user agent is not assay-language/version"),
                _header("connect-timeout-ms", lambda value: value and 20000 <= int(value) <= 30000, "connect-timeout-ms is not 30000 or a little less"),
                _header("host", lambda value: value and re.match(r"127\.0\.0\.1:\d+\Z", value), "it names no host"),
                request(lambda got: not got.all("authorization"), "it has an authorization"),
                has_no_key,
            ],
            [ok(CHALLENGE)],
        ),
        *[
            Case(f"requests/path-of-{method}", [call(method, message)], [request(lambda got, path=path: got.path == "/assay.v1." + path, f"its path is not /assay.v1.{path}")], [ok({})])
            for method, (message, path) in paths.items()
        ],
        Case("requests/base-path", [CHALLENGE_CALL], [request(lambda got: got.path == "/behind/proxy/assay.v1.Attestation/IssueChallenge", "its path lacks the address's")], [ok(CHALLENGE)], options={"url": "{url}/behind/proxy/"}),
        Case("requests/time-out-of-the-call", [call("whoAmI", {}, callTimeoutMs=7000)], [_header("connect-timeout-ms", lambda value: value and 1000 <= int(value) <= 7000, "connect-timeout-ms is not the call's")], [ok({})]),
        Case("requests/members", [call("issueChallenge", {"app": "photos", "purpose": "REGISTER", "context": "AAH/", "ttlMs": 60000, "sourceAddress": "192.0.2.1"})], [request(lambda got: got.json in ({"app": "photos", "purpose": name, "context": "AAH/", "ttlMs": 60000, "sourceAddress": "192.0.2.1"} for name in ("REGISTER", "PURPOSE_REGISTER")), "its members differ")], [ok(CHALLENGE)]),
        Case("requests/defaults-are-left-out", [call("listDevices", {"app": "photos", "subject": "", "pageSize": 0, "state": ""})], [body({"app": "photos"})], [ok({})]),
        Case("requests/results-of-a-look-up", [call("findVerdicts", {"app": "photos", "payloadSha256": HASH, "results": [{"shape": "PLAIN_JWS", "audience": "https://a.example", "nonce": "AAECAwQFBgc="}, {"shape": "PLAIN_COSE", "audience": "b"}]})], [body({"app": "photos", "payloadSha256": HASH, "results": [{"shape": "RESULT_SHAPE_PLAIN_JWS", "audience": "https://a.example", "nonce": "AAECAwQFBgc="}, {"shape": "RESULT_SHAPE_PLAIN_COSE", "audience": "b"}]})], [ok({})]),  # fmt: skip
        Case("requests/no-members", [call("whoAmI")], [body({})], [ok({})]),
        Case("requests/text-beyond-ascii", [call("block", {"app": "photos", "target": {"subject": "w6k="}, "reason": "é \u2028 \U0001f4f7 \"\\ \n"})], [body({"app": "photos", "target": {"subject": "w6k="}, "reason": "é \u2028 \U0001f4f7 \"\\ \n"})], [ok({})]),
        Case("requests/certificate", [call("issueCertificate", {"app": "photos", "challenge": "AAEC", "context": "AQ==", "evidence": [{"playIntegrityToken": {"token": "t"}}], "payloadSha256": HASH, "csr": "MAA=", "subject": "dQ=="})], [body({"app": "photos", "challenge": "AAEC", "context": "AQ==", "evidence": [{"playIntegrityToken": {"token": "t"}}], "payloadSha256": HASH, "csr": "MAA=", "subject": "dQ=="}), has_key], [ok({})]),
        Case("requests/provision", [call("provisionDevice", {"app": "cameras", "deviceSerial": "CAM-1", "deviceFamily": "f", "csr": "MAA=", "enrolmentToken": "t"})], [body({"app": "cameras", "deviceSerial": "CAM-1", "deviceFamily": "f", "csr": "MAA=", "enrolmentToken": "t"}), has_key], [ok({})]),
        _of_evidence("app-attest-attestation", {"appAttestAttestation": {"keyId": HASH, "attestation": "oA=="}}, {"appAttestAttestation": {"keyId": HASH, "attestation": "oA=="}}),
        _of_evidence("app-attest-assertion", {"appAttestAssertion": {"keyId": HASH, "assertion": "oA=="}}, {"appAttestAssertion": {"keyId": HASH, "assertion": "oA=="}}),
        _of_evidence("android-key-attestation", {"androidKeyAttestation": {"certificates": ["MAA=", "MAE=", "MAI="]}}, {"androidKeyAttestation": {"certificates": ["MAA=", "MAE=", "MAI="]}}),
        _of_evidence("play-integrity", {"playIntegrityToken": {"token": "a.b.c"}}, {"playIntegrityToken": {"token": "a.b.c"}}),
        _of_evidence("key-signature", {"keySignature": signature}, {"keySignature": {**signature, **full}}),
        _of_evidence("certificate-bundle", {"certificateBundle": {"json": "e30="}}, {"certificateBundle": {"json": "e30="}}),
        _of_evidence("device-check", {"deviceCheckToken": {"token": "AAEC"}}, {"deviceCheckToken": {"token": "AAEC"}}),
        _of_evidence("offline-signature", {"offlineSignature": offline}, {"offlineSignature": {**offline, **full}}),
        _of_evidence("plugin", {"pluginEvidence": {"format": "acme.depth", "body": "AAEC"}}, {"pluginEvidence": {"format": "acme.depth", "body": "AAEC"}}),
        _of_binding("payload", {"clientData": {"payloadSha256": HASH}}, [{"clientData": {"payloadSha256": HASH}}]),
        _of_binding("no-payload", {"clientData": {}}, [{"clientData": {}}]),
        _of_binding("upload", {"clientData": {"uploadId": "AAECAwQFBgcICQoLDA0ODw=="}}, [{"clientData": {"uploadId": "AAECAwQFBgcICQoLDA0ODw=="}}]),
        _of_binding("embedded", {"embedded": {"clientData": "AAEC"}}, [{"embedded": {"clientData": "AAEC"}}]),
        _of_binding("caller-owned", {"callerOwned": {"clientDataHash": "AAEC"}}, [{"callerOwned": {"clientDataHash": "AAEC"}}]),
        _of_binding("in-evidence", {"inEvidence": {}}, [{"inEvidence": {}}]),
        Case("requests/no-binding", [VERIFY], [request(lambda got: "binding" not in got.json, "it has a binding")], [ok(VERDICT)]),
        Case("requests/random-key", [VERIFY, VERIFY], [has_key, sent(2), _keys_differ], [ok(VERDICT), ok(VERDICT)], options={"client": "one"}),
        Case("requests/callers-key", [{**VERIFY, "options": {"idempotencyKey": "user:42/up~1"}}], [_header("idempotency-key", lambda key: key == "user:42/up~1", "it has not the caller's key")], [ok(VERDICT)]),
        Case("requests/longest-key", [{**VERIFY, "options": {"idempotencyKey": "k" * 64}}], [_header("idempotency-key", lambda key: key == "k" * 64, "it has not the caller's key")], [ok(VERDICT)]),
        Case("requests/no-random-keys", [VERIFY], [has_no_key], [ok(VERDICT)], options={"idempotencyKeys": False}),
        Case("requests/call", [call("call", generic)], [request(lambda got: got.path == "/assay.v1.Provisioning/AddEnrolments", "its path is not the method's"), body(generic["message"]), has_no_key, outcome({"tokens": ["t"]})], [ok({"tokens": ["t"]})]),
        Case("requests/call-by-full-name", [call("call", {"service": "assay.v1.Feeds", "method": "List", "message": {}})], [request(lambda got: got.path == "/assay.v1.Feeds/List", "its path is not the method's")], [ok({})]),
        Case("requests/call-with-key", [call("call", {"service": "Uploads", "method": "Begin", "message": {"app": "a"}}, idempotencyKey="k1")], [_header("idempotency-key", lambda key: key == "k1", "it has not the caller's key")], [ok({})]),
        Case("requests/call-with-key-in-the-message", [call("call", {"service": "Uploads", "method": "Begin", "message": {"app": "a", "idempotencyKey": "AAEC"}})], [has_no_key, body({"app": "a", "idempotencyKey": "AAEC"})], [ok({})]),
        Case("requests/long", [call("call", {"service": "Attestation", "method": "Prepare", "message": {"body": "A" * 3_000_000}})], [body({"body": "A" * 3_000_000})], [ok({})]),
        Case("requests/kept-connection", [CHALLENGE_CALL] * 3, [outcome(CHALLENGE_OUTCOME, 2), sent(3), lambda run: None if run.server and run.server.connections == 1 else "more than one connection was made"], [ok(CHALLENGE)] * 3, options={"client": "kept"}),
        Case("requests/connection-that-is-not-kept", [CHALLENGE_CALL] * 2, [outcome(CHALLENGE_OUTCOME, 1), sent(2), lambda run: None if run.server and run.server.connections == 2 else "there were not two connections"], [ok(CHALLENGE, keep=False)] * 2, options={"client": "closing"}),
    ]
