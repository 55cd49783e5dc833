"""What clients read in answers."""

from __future__ import annotations

from typing import Any, Dict, List

from case import CHALLENGE, CHALLENGE_CALL, CHALLENGE_OUTCOME, Case, call, fails, outcome, sent
from scripted import Step, answer, ok

VERIFY = call("verify", {"app": "photos", "purpose": "ASSERT", "challenge": "AAEC", "evidence": [{"playIntegrityToken": {"token": "t"}}]})
VERDICT: Dict[str, Any] = {
    "decision": "DECISION_ACCEPTED",
    "assurance": "ASSURANCE_SECURE_ELEMENT",
    "deviceId": "AAAAAAAAAAAAAAAAAAAAAQ==",
    "requestId": "/////////////////////w==",
    "decidedAtUnixMs": "1776124800123",
    "findings": [
        {"check": "nonce", "outcome": "OUTCOME_PASS"},
        {"check": "os", "outcome": "OUTCOME_NOTE", "code": "old_os", "detail": "old"},
    ],
}
RECORD = {"deviceId": "AAECAwQFBgcICQoLDA0ODw==", "app": "photos", "format": "app-attest", "keyId": "AQI=", "state": "STATE_ACTIVE", "counter": 7, "registeredAtUnixMs": "1776124800000"}  # fmt: skip
RECORD_OUTCOME = {**RECORD, "state": "ACTIVE", "simulated": False, "blockReason": ""}
UNREADABLE = {"code": "internal", "reason": "undecodable_reply", "retry": "contact_operator", "attempts": 1, "httpStatus": 200, "link": "clients/README.md#errors"}


def _challenge(name: str, body: Any, want: Dict[str, Any] = CHALLENGE_OUTCOME) -> Case:
    return Case(f"answers/challenge-{name}", [CHALLENGE_CALL], [outcome(want), sent(1)], [ok(body)])


def _verdict(name: str, body: Any, want: Dict[str, Any], **options: Any) -> Case:
    line = {**VERIFY, "options": options}
    return Case(f"answers/verdict-{name}", [line], [outcome(want)], [ok(body)])


def _unreadable(name: str, body: Any) -> Case:
    return Case(f"answers/unreadable-{name}", [CHALLENGE_CALL], [fails(UNREADABLE), sent(1)], [ok(body)])


def _typed(name: str, method: str, request: Dict[str, Any], body: Any, want: Dict[str, Any]) -> Case:
    return Case(f"answers/{name}", [call(method, request)], [outcome(want), sent(1)], [ok(body)])


def _deep(levels: int) -> bytes:
    return b'{"challenge":"AAECAwQF","expiresAtUnixMs":"1776124800000","more":' + b"[" * levels + b"]" * levels + b"}"


def cases() -> List[Case]:
    claims = [
        {"name": "text", "text": "x"},
        {"name": "integer", "integer": "9007199254740993"},
        {"name": "boolean", "boolean": True},
        {"name": "no", "boolean": False},
        {"name": "bytes", "bytes": "AAH/"},
        {"name": "texts", "texts": {"values": ["a", "b"]}},
        {"name": "time", "timeUnixMs": "1776124800123"},
    ]
    repeated = {**VERDICT, "repeated": True}
    statement = {**repeated, "findings": [{"check": "statement", "outcome": "OUTCOME_NOTE", "code": "statement_repeated"}]}
    device = {"app": "photos", "deviceId": "AAECAwQFBgcICQoLDA0ODw=="}
    provision = {"app": "cameras", "deviceSerial": "CAM-1"}
    provisioned = {
        "deviceCertificate": "MAA=",
        "certificateChain": ["MAE=", "MAI="],
        "keyTables": [{"keys": ["AQ==", "Ag=="]}, {"keys": ["Aw=="]}, {}],
        "keyTableIndices": [3, 0, 2499],
        "deviceSecret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "deviceId": "AAAAAAAAAAAAAAAAAAAAAQ==",
        "repeated": True,
    }
    certificate = {"verdict": VERDICT, "certificate": {"certificate": "MAA=", "serial": "AQ=="}, "chain": ["MAE="]}
    issue = {"app": "photos", "challenge": "AAEC", "evidence": [{"playIntegrityToken": {"token": "t"}}], "csr": "MAA="}
    hash_ = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    found = {"requestId": "AQI=", "decision": "DECISION_ACCEPTED", "decidedAtUnixMs": "1776124800000", "match": "MATCH_MEDIA", "deviceState": "DEVICE_STATE_BLOCKED"}  # fmt: skip
    token = {"shape": "RESULT_SHAPE_PLAIN_JWS", "audience": "a"}
    signed = [
        {**token, "text": "e30.e30.AAEC", "expiresAtUnixMs": "1776124800000"},
        {**token, "shape": "RESULT_SHAPE_PLAIN_COSE", "binary": "0oRD", "expiresAtUnixMs": "1776124800000"},
        {**token, "problem": {"code": "signer_unavailable", "sentence": "s"}},
        {**token, "shape": "RESULT_SHAPE_OF_TOMORROW"},
    ]
    nothing = {"shape": "PLAIN_JWS", "audience": "a", "text": "", "binary": "", "problem": "", "expiresAtUnixMs": "0"}
    signed_outcome = [
        {**nothing, "text": "e30.e30.AAEC", "expiresAtUnixMs": "1776124800000"},
        {**nothing, "shape": "PLAIN_COSE", "binary": "0oRD", "expiresAtUnixMs": "1776124800000"},
        {**nothing, "problem": "signer_unavailable"},
        {**nothing, "shape": "OF_TOMORROW"},
    ]
    return [
        _challenge("plain", CHALLENGE),
        _challenge("base64url", {"challenge": "-_8", "expiresAtUnixMs": "1"}, {"challenge": "+/8=", "expiresAtUnixMs": "1"}),
        _challenge("base64-unpadded", {**CHALLENGE, "challenge": "AAE"}, {"challenge": "AAE="}),
        _challenge("time-as-number", {**CHALLENGE, "expiresAtUnixMs": 1776124800000}),
        _challenge("above-2-to-the-53", {**CHALLENGE, "expiresAtUnixMs": "9007199254740993"}, {"expiresAtUnixMs": "9007199254740993"}),
        _challenge("greatest-64-bits", {**CHALLENGE, "expiresAtUnixMs": "9223372036854775807"}, {"expiresAtUnixMs": "9223372036854775807"}),
        _challenge("unknown-members", {**CHALLENGE, "later": {"a": [1, None, {"b": 1e300}]}, "x": "y"}),
        _challenge("null-members", {**CHALLENGE, "expiresAtUnixMs": None}, {"expiresAtUnixMs": "0"}),
        _challenge("empty", {}, {"challenge": "", "expiresAtUnixMs": "0"}),
        _challenge("escapes", b'{"challenge":"\\u0041AEC\\u0041wQF","expiresAtUnixMs":"1776124800000"}'),
        _challenge("white-space", b' \r\n\t{ "challenge" : "AAECAwQF" , "expiresAtUnixMs" : "1776124800000" } \n'),
        _challenge("levels", _deep(90)),
        Case("answers/charset", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME)], [answer(200, CHALLENGE, type="Application/JSON; charset=utf-8")]),
        _verdict("accepted", VERDICT, {"accepted": True, "decision": "ACCEPTED", "assurance": "SECURE_ELEMENT", "reason": "", "retry": "", "deviceId": VERDICT["deviceId"], "requestId": VERDICT["requestId"], "decidedAtUnixMs": "1776124800123", "simulated": False, "repeated": False, "wouldReject": "", "findings": [{"check": "nonce", "outcome": "PASS", "code": ""}, {"check": "os", "outcome": "NOTE", "code": "old_os"}]}),  # fmt: skip
        *[
            _verdict(
                f"rejected-{retry.lower()}",
                {"decision": "DECISION_REJECTED", "reason": "challenge_reused", "detail": "it was used", "check": "challenge", "retry": f"RETRY_CLASS_{retry}"},
                {"accepted": False, "decision": "REJECTED", "reason": "challenge_reused", "detail": "it was used", "check": "challenge", "retry": retry, "deviceId": ""},
            )
            for retry in ("NEVER", "NEW_CHALLENGE", "RE_ATTEST", "LATER", "CONTACT_OPERATOR")
        ],
        _verdict("unknown-decision", {**VERDICT, "decision": "DECISION_PERHAPS"}, {"accepted": False, "decision": "PERHAPS"}),
        _verdict("unknown-decision-number", {**VERDICT, "decision": 77}, {"accepted": False, "decision": "77"}),
        _verdict("no-decision", {"requestId": "AQ=="}, {"accepted": False, "decision": "", "requestId": "AQ=="}),
        _verdict("unknown-reason", {"decision": "DECISION_REJECTED", "reason": "vendor/of.tomorrow-1", "retry": "RETRY_CLASS_TOMORROW"}, {"accepted": False, "reason": "vendor/of.tomorrow-1", "retry": "TOMORROW"}),
        _verdict("unknown-outcome", {**VERDICT, "findings": [{"check": "c", "outcome": "OUTCOME_NEW"}]}, {"accepted": True, "findings": [{"check": "c", "outcome": "NEW", "code": ""}]}),
        _verdict("would-reject", {**VERDICT, "wouldReject": {"reason": "challenge_expired", "retry": "RETRY_CLASS_NEW_CHALLENGE"}}, {"accepted": True, "wouldReject": "challenge_expired"}),
        _verdict("simulated", {**VERDICT, "simulated": True}, {"accepted": True, "simulated": True}),
        _verdict("claims", {**VERDICT, "claims": claims}, {"claims": {"text": "x", "integer": "9007199254740993", "boolean": True, "no": False, "bytes": "AAH/", "texts": ["a", "b"], "time": "1776124800123"}}),
        _verdict("unknown-claim", {**VERDICT, "claims": [{"name": "odd", "decimal": "1.5"}, {"name": "text", "text": "x"}]}, {"accepted": True, "claims": {"text": "x"}}),
        _verdict("repeated-under-the-callers-key", repeated, {"repeated": True}, idempotencyKey="user:1"),
        _verdict("repeated-under-a-random-key", repeated, {"repeated": False}),
        _verdict("repeated-statement", statement, {"repeated": True}),
        _verdict("repeated-without-a-key", repeated, {"repeated": True}, idempotencyKeys=False),
        _verdict("text-beyond-ascii", {"decision": "DECISION_REJECTED", "reason": "r", "detail": "é \u2028 \U0001f4f7 \"\\"}, {"detail": "é \u2028 \U0001f4f7 \"\\"}),
        _typed("issue-certificate", "issueCertificate", issue, certificate, {"verdict": {"accepted": True, "decision": "ACCEPTED"}, "certificate": "MAA=", "chain": ["MAE="]}),
        _typed("issue-certificate-rejected", "issueCertificate", issue, {"verdict": {"decision": "DECISION_REJECTED", "reason": "csr_key_mismatch", "retry": "RETRY_CLASS_NEVER"}}, {"verdict": {"accepted": False, "reason": "csr_key_mismatch", "retry": "NEVER"}, "certificate": "", "chain": []}),
        _typed("issue-certificate-empty", "issueCertificate", issue, {}, {"verdict": {"accepted": False, "decision": ""}, "certificate": "", "chain": []}),
        _typed("provision-device", "provisionDevice", {**provision, "csr": "MAA="}, provisioned, {"provisioned": True, "deviceCertificate": "MAA=", "certificateChain": ["MAE=", "MAI="], "keyTables": [2, 1, 0], "keyTableIndices": [3, 0, 2499], "deviceSecret": provisioned["deviceSecret"], "devicePrivateKey": "", "deviceId": provisioned["deviceId"], "repeated": False, "reason": "", "retry": ""}),  # fmt: skip
        _typed("provision-device-repeated-without-csr", "provisionDevice", provision, provisioned, {"provisioned": True, "repeated": True}),
        _typed("provision-device-rejected", "provisionDevice", provision, {"rejection": {"reason": "not_enrolled", "detail": "d", "retry": "RETRY_CLASS_CONTACT_OPERATOR"}}, {"provisioned": False, "deviceCertificate": "", "reason": "not_enrolled", "retry": "CONTACT_OPERATOR"}),
        _typed("provision-device-empty", "provisionDevice", provision, {}, {"provisioned": False, "deviceCertificate": "", "keyTables": []}),
        _typed("get-device", "getDevice", device, RECORD, RECORD_OUTCOME),
        _typed("get-device-blocked", "getDevice", {"app": "photos", "keyId": "AQI="}, {**RECORD, "state": "STATE_BLOCKED", "blockReason": "stolen", "simulated": True}, {"state": "BLOCKED", "blockReason": "stolen", "simulated": True}),
        _typed("list-devices", "listDevices", {"app": "photos", "state": "ACTIVE", "pageSize": 2}, {"devices": [RECORD, {}], "nextPageToken": "AAEC"}, {"devices": [RECORD_OUTCOME, {"deviceId": "", "state": "", "counter": 0, "registeredAtUnixMs": "0"}], "nextPageToken": "AAEC"}),
        _typed("list-devices-last-page", "listDevices", {"app": "photos", "pageToken": "AAEC"}, {}, {"devices": [], "nextPageToken": ""}),
        _typed("block", "block", {"app": "photos", "target": {"subject": "dXNlcg=="}, "reason": "stolen"}, {"devices": 2, "wasBlocked": True, "revokedCertificates": 1}, {"devices": 2, "wasBlocked": True, "revokedCertificates": 1}),
        _typed("unblock", "unblock", {"app": "photos", "target": {"keyId": "AQI="}}, {"devices": 1, "stillBlocked": 1}, {"devices": 1, "wasBlocked": False, "stillBlocked": 1}),
        _typed("find-verdicts", "findVerdicts", {"app": "photos", "payloadSha256": hash_}, {"found": True, "verdicts": [found], "truncated": True}, {"found": True, "truncated": True, "noteCode": "", "verdicts": [{"requestId": "AQI=", "decision": "ACCEPTED", "decidedAtUnixMs": "1776124800000", "match": "MEDIA", "deviceState": "BLOCKED", "simulated": False}]}),
        _typed("find-verdicts-none", "findVerdicts", {"app": "photos", "payloadSha256": hash_}, {"noteCode": "nothing_kept", "note": "n"}, {"found": False, "verdicts": [], "truncated": False, "noteCode": "nothing_kept"}),
        _typed("find-verdicts-signed", "findVerdicts", {"app": "photos", "payloadSha256": hash_, "results": [{"shape": "PLAIN_JWS", "audience": "a"}]}, {"found": True, "results": signed}, {"found": True, "results": signed_outcome}),
        _typed("find-verdicts-not-asked-to-be-signed", "findVerdicts", {"app": "photos", "payloadSha256": hash_}, {"found": True}, {"found": True, "results": []}),
        _typed("get-result-keys", "getResultKeys", {}, {"issuer": "https://a.example", "jwks": "{\"keys\":[]}"}, {"issuer": "https://a.example", "jwks": "{\"keys\":[]}"}),
        _typed("who-am-i", "whoAmI", {}, {"name": "uploads", "recognisedBy": "key", "roles": ["verify"], "apps": ["photos"], "rates": [{"left": 1}]}, {"name": "uploads", "recognisedBy": "key", "roles": ["verify"], "allApps": False, "apps": ["photos"]}),
        _typed("call", "call", {"service": "Feeds", "method": "List", "message": {}}, {"feeds": [{"name": "a", "entries": "3", "n": 2}], "x": None}, {"feeds": [{"name": "a", "entries": "3", "n": 2}]}),
        _unreadable("broken", b'{"challenge":"AAEC'),
        _unreadable("trailing", b'{"challenge":"AAEC"} x'),
        _unreadable("list", b"[]"),
        _unreadable("text", b'"x"'),
        _unreadable("null", b"null"),
        _unreadable("empty", b""),
        _unreadable("not-utf-8", b'{"challenge":"AAEC","x":"\xff\xfe"}'),
        _unreadable("not-json-numbers", b'{"expiresAtUnixMs":NaN}'),
        _unreadable("101-levels", _deep(101)),
        _unreadable("100000-levels", _deep(100000)),
        _unreadable("challenge-is-a-number", {"challenge": 5}),
        _unreadable("challenge-is-not-base64", {"challenge": "AA*C"}),
        _unreadable("time-is-a-word", {"expiresAtUnixMs": "soon"}),
        _unreadable("time-is-a-fraction", {"expiresAtUnixMs": 1.5}),
        _unreadable("time-has-65-bits", {"expiresAtUnixMs": "18446744073709551616"}),
        _unreadable("time-is-true", {"expiresAtUnixMs": True}),
        Case("answers/unreadable-verdict", [VERIFY], [fails(UNREADABLE)], [ok({"decision": {"a": 1}})]),
        Case("answers/unreadable-findings", [VERIFY], [fails(UNREADABLE)], [ok({**VERDICT, "findings": {"check": "x"}})]),
        Case("answers/unreadable-finding", [VERIFY], [fails(UNREADABLE)], [ok({**VERDICT, "findings": ["x"]})]),
        Case("answers/unreadable-boolean", [VERIFY], [fails(UNREADABLE)], [ok({**VERDICT, "simulated": "true"})]),
        *[_foreign(name, step, want) for name, step, want in _foreign_answers()],
    ]


def _foreign(name: str, step: Step, want: Dict[str, Any]) -> Case:
    return Case(f"answers/foreign-{name}", [call("unblock", {"app": "photos", "target": {"keyId": "AQI="}})], [fails({"reason": "foreign_answer", "attempts": 1, "link": "clients/README.md#errors", **want}), sent(1)], [step])


def _foreign_answers() -> List[Any]:
    page = b"<html><title>Welcome</title></html>"
    return [
        ("page-of-200", answer(200, page, type="text/html"), {"code": "unknown", "retry": "contact_operator", "httpStatus": 200}),
        ("no-type", answer(200, CHALLENGE, type=None), {"code": "unknown", "retry": "contact_operator"}),
        ("201", answer(201, CHALLENGE), {"code": "unknown", "httpStatus": 201}),
        ("204", answer(204, b"", fields={"content-length": "0"}), {"code": "unknown", "httpStatus": 204}),
        ("401", answer(401, page, type="text/html"), {"code": "unauthenticated", "retry": "contact_operator", "httpStatus": 401}),
        ("403", answer(403, page, type="text/html"), {"code": "permission_denied", "retry": "contact_operator"}),
        ("404", answer(404, page, type="text/html"), {"code": "unimplemented", "retry": "contact_operator"}),
        ("408", answer(408, page, type="text/html"), {"code": "unavailable", "retry": "later"}),
        ("429", answer(429, page, type="text/html", fields={"retry-after": "3"}), {"code": "unavailable", "retry": "later", "retryAfterMs": 3000}),
        ("500", answer(500, page, type="text/html"), {"code": "unknown", "retry": "contact_operator", "httpStatus": 500}),
        ("502", answer(502, page, type="text/html"), {"code": "unavailable", "retry": "later", "httpStatus": 502}),
        ("503-empty", answer(503, b"", type=None), {"code": "unavailable", "retry": "later"}),
        ("504", answer(504, page, type="text/html"), {"code": "unavailable", "retry": "later"}),
        ("json-without-code", answer(503, {"error": "busy"}), {"code": "unavailable", "retry": "later"}),
        ("json-code-is-a-number", answer(400, {"code": 3}), {"code": "unknown", "retry": "contact_operator"}),
        ("json-broken", answer(502, b"{"), {"code": "unavailable", "retry": "later"}),
    ]
