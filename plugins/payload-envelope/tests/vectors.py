#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md: its own, and the test vectors of a folder.

    vectors.py [VECTORS]
"""
import base64
import datetime
import json
import pathlib
import sys

from envelope import b64, request_mac, sealed, token

SECRET, OTHER = "test-secret", "next-secret"
TIME, ID = "2025-01-01T00:00:00.000Z", "6F9619FF-8B86-D011-B42D-00C04FC964FF"
PAYLOAD = b'{"country":"NG","id_number":"12345678901","id_type":"BVN"}'
HEADERS = {"SmileID-Partner-ID": "002", "SmileID-Request-Timestamp": TIME, "SmileID-Source-SDK": "ios"}


def unix_ms(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def case(name, body, verdict="ACCEPTED", reasons=(), configuration=None, at=TIME, used=(), claims=None):
    return {
        "id": name, "format": "payload-envelope", "app": "app", "purpose": "assert", "now_unix_ms": unix_ms(at),
        "configuration": {"secrets": [{"id": "1", "secret": SECRET}], **(configuration or {})},
        "body_b64": b64(body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()),
        "world": {"used_tokens_b64": [b64(used_token) for used_token in used]},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}},
    }


def rejected(name, body, *reasons, **more):
    return case(name, body, "REJECTED", reasons, **more)


# MARK: Test vectors

def claims_of(facts):
    claims = {"mac_checked": facts["mac_checked"], "secret_id": facts["secret_id"],
              "payload_sha256": b64(bytes.fromhex(facts["plaintext_sha256_hex"])), "payload": b64(facts["plaintext"].encode())}
    return {**claims, "request_id": facts["request_id"]} if facts["request_id"] else claims


def from_vector(path):
    vector = json.loads(path.read_text())
    given, expected = vector["input"], vector["expect"]
    body = {name: given[name] for name in ("envelope", "headers", "request_mac") if name in given}
    configuration = {"secrets": given["secrets"], "return_payload": True, **given.get("policy", {})}
    return case(
        vector["id"], body, {"accept": "ACCEPTED", "reject": "REJECTED"}[expected["verdict"]],
        [reason for reason in [expected.get("reason"), *expected.get("reason_alternatives", [])] if reason],
        configuration, vector["verify_at"], [token(name, base64.b64decode(iv)) for name, iv in given.get("seen", [])],
        claims_of(expected["facts"]) if expected["verdict"] == "accept" else None)


def vectors(folder):
    files = sorted(folder.glob("*.json"))
    if not files:
        print(f"payload-envelope: {folder} has no test vectors: only the plugin's own cases run", file=sys.stderr)
    return [from_vector(path) for path in files]


# MARK: Cases of the plugin's own

# The values of the specification, written down and not computed.
GOLDEN = {
    "envelope": {
        "version": "1.0", "algorithm": "AES-256-GCM", "iv": "AAECAwQFBgcICQoL", "auth_tag": "hw17treOAPW/rTG26SeCig==",
        "encrypted_data": "RNZ4SFa1Sbs/YLt3Dcn6SdHw/uJyG70NBodArfaU/X8KnGEglFDcIJ+m4qKcfsg6iUTDHDtj4dY7IA==", "timestamp": TIME, "request_id": ID},
    "headers": HEADERS, "request_mac": "3xjs3d4Lh0nnGpeedSQOOwS/8KZf1n9qD/WjIatR7nU=",
}
GOOD = {"envelope": GOLDEN["envelope"]}


def with_member(name, value):
    return {"envelope": {**GOLDEN["envelope"], name: value}}


def with_mac(headers, payload=PAYLOAD):
    return {"envelope": sealed(payload, SECRET, TIME, ID), "headers": headers, "request_mac": request_mac(payload, SECRET, TIME, headers)}


def versions(**times):
    return {"secrets": [{"id": "new", "secret": OTHER}, {"id": "old", "secret": SECRET, **times}]}


def own_cases():
    yield case("golden", GOLDEN, claims={"mac_checked": True, "request_id": ID, "secret_id": "1", "payload_size": 58, "sent_at": unix_ms(TIME)})
    yield case("golden-envelope-alone", GOOD, claims={"mac_checked": False})
    yield case("payload-is-not-returned-unasked", GOOD, claims={"payload": None})
    yield case("payload-is-returned", GOOD, configuration={"return_payload": True}, claims={"payload": b64(PAYLOAD)})
    yield case("payload-of-4096-bytes", {"envelope": sealed(b"x" * 4096, SECRET, TIME, ID)}, configuration={"return_payload": True},
               claims={"payload": b64(b"x" * 4096)})
    yield case("payload-of-4097-bytes", {"envelope": sealed(b"x" * 4097, SECRET, TIME, ID)}, configuration={"return_payload": True},
               claims={"payload": None, "payload_size": 4097})
    yield case("payload-of-300000-bytes", with_mac(HEADERS, b"\xff" * 300_000), claims={"payload_size": 300_000, "mac_checked": True})
    yield case("payload-of-0-bytes", with_mac(HEADERS, b""), claims={"payload_size": 0})
    yield case("escaped-slashes", json.dumps(GOLDEN).replace("/", "\\/").encode(), claims={"mac_checked": True})

    # Headers
    yield case("no-covered-header", with_mac({"Host": "example.org"}), claims={"mac_checked": True})
    yield case("no-header", with_mac({}))
    yield case("quotes-in-headers", with_mac({'SmileID-"\\': 'a "b" \\ c/d'}))
    yield case("order-of-headers", with_mac({"smileid-b": "1", "SmileID-A": "2", "smileid-": "3", "SMILEID-AA": "4"}))
    yield rejected("header-twice", {**GOLDEN, "headers": {**HEADERS, "smileid-partner-id": "002"}}, "malformed")
    yield rejected("header-not-ascii", {**GOLDEN, "headers": {"smileid-name": "\u00e9"}}, "malformed")
    yield rejected("header-with-line-end", {**GOLDEN, "headers": {"smileid-name": "a\nb"}}, "malformed")
    yield rejected("header-is-a-number", {**GOLDEN, "headers": {"smileid-name": 1}}, "malformed")
    yield rejected("65-headers", {**GOLDEN, "headers": {f"smileid-{index}": "" for index in range(65)}}, "malformed")
    yield rejected("mac-without-headers", {**GOOD, "request_mac": GOLDEN["request_mac"]}, "malformed")
    yield rejected("headers-without-mac", {**GOOD, "headers": HEADERS}, "malformed")
    yield rejected("mac-of-31-bytes", {**GOLDEN, "request_mac": b64(bytes(31))}, "malformed")
    yield rejected("mac-of-another-payload", {**with_mac(HEADERS, b"a"), "request_mac": with_mac(HEADERS, b"b")["request_mac"]}, "decryption_failed")
    yield rejected("mac-demanded", GOOD, "request_mac_required", configuration={"require_mac": True})
    yield case("mac-demanded-and-given", GOLDEN, configuration={"require_mac": True})

    # Secrets
    yield case("secret-in-time", GOOD, configuration=versions(not_before=TIME, not_after=TIME), claims={"secret_id": "old"})
    yield rejected("secret-ended", GOOD, "decryption_failed", configuration=versions(not_after="2024-12-31T23:59:59.999Z"))
    yield rejected("secret-not-begun", GOOD, "decryption_failed", configuration=versions(not_before="2025-01-01T00:00:00.001Z"))
    yield {**case("secrets-in-a-file", GOOD), "configuration": {"secrets_file": json.dumps([{"id": "file", "secret": SECRET}])}}

    # Single use
    iv = bytes(range(12))
    yield rejected("used", GOOD, "replayed", used=[token(ID, iv)])
    yield case("another-id-used", GOOD, used=[token(ID.lower(), iv), token("", iv), token(ID, bytes(12))])
    yield rejected("request-id-demanded", {"envelope": sealed(PAYLOAD, SECRET, TIME)}, "request_id_required", configuration={"require_request_id": True})

    # Time
    yield case("window-of-1-second", GOOD, configuration={"window_seconds": 1}, at="2025-01-01T00:00:01.000Z")
    yield rejected("after-1-second", GOOD, "timestamp_out_of_window", configuration={"window_seconds": 1}, at="2025-01-01T00:00:01.001Z")
    for index, text in enumerate(("2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59Z", "2024-02-29T23:59:59.123456789Z")):
        yield case(f"timestamp-{index}", {"envelope": sealed(PAYLOAD, SECRET, text, ID)}, at="2024-02-29T23:59:59.500Z")
    for index, text in enumerate((
            "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z", "2025-01-00T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:60:00Z", "2025-01-01T00:00:60Z",
            "2025-01-01t00:00:00Z", "2025-01-01T00:00:00z", "2025-01-01T00:00:00+00:00", "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00.0000000000Z",
            "2025-01-01T00:00:00", "2025-01-01 00:00:00Z", "", "0" * 60, "1969-12-31T23:59:59Z")):
        yield rejected(f"timestamp-wrong-{index}", with_member("timestamp", text), "malformed")

    # Form
    yield rejected("empty", b"", "malformed")
    yield rejected("no-object", b"[]", "malformed")
    yield rejected("unknown-member", {**GOOD, "payload": "x"}, "malformed")
    yield rejected("member-twice", json.dumps(GOOD).replace('"iv"', '"version": "1.0", "iv"').encode(), "malformed")
    yield rejected("request-id-empty", with_member("request_id", ""), "malformed")
    yield rejected("request-id-null", with_member("request_id", None), "malformed")
    yield rejected("request-id-of-129-bytes", with_member("request_id", "x" * 129), "malformed")
    yield rejected("request-id-with-nul", with_member("request_id", "a\0b"), "malformed")
    yield rejected("version-is-a-number", with_member("version", 1.0), "malformed")
    yield rejected("iv-without-padding", with_member("iv", "AAECAwQFBgcICQo"), "malformed")
    yield rejected("nested", b"[" * 100_000, "malformed")
    yield rejected("largest-body", b'{"envelope":"' + b"x" * (524288 - 15) + b'"}', "malformed")


if __name__ == "__main__":
    found = vectors(pathlib.Path(sys.argv[1]) / "payload-envelope") if len(sys.argv) > 1 else []
    json.dump({"plugin": "payload-envelope", "cases": [*own_cases(), *found]}, sys.stdout, indent=1)
