#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md: its own, and the test vectors of a folder.

    vectors.py [VECTORS]
"""
import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import sys

from camera import P256_PREFIX, Camera, LAYOUTS, b64, sealed

NOW = 1_764_579_600
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def case(name, body, verdict="ACCEPTED", reasons=(), configuration=None, now=NOW, fleet=None, claims=None):
    return {
        "id": name, "format": "camera-token", "app": "cameras", "purpose": "assert", "now_unix_ms": now * 1000, "configuration": configuration or {},
        "body_b64": b64(body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()),
        "world": {"fleet": FLEET if fleet is None else fleet},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}},
    }


def rejected(name, body, *reasons, **more):
    return case(name, body, "REJECTED", reasons, **more)


def device(serial, secret_hex, tables, public_key, blocked=False):
    return {"id_b64": b64(hashlib.sha256(serial.encode()).digest()[:16]), "serial": serial, "tables": tables, "secret_hex": secret_hex,
            "public_key_b64": b64(public_key), "blocked": blocked}


# MARK: Test vectors

def from_vector(path):
    vector = json.loads(path.read_text())
    given, expected = vector["input"], vector["expect"]
    fleet = {"masters": given["table_masters"], "devices": [
        device(known["serial"], known["secret_hex"], known["tables"], P256_PREFIX + base64.b64decode(known["public_key_b64"]), known.get("blocked", False))
        for known in given["registered"]]}
    facts = expected.get("facts", {}) if expected["verdict"] == "accept" else {}
    names = ("timestamp", "opened_by", "signature_form", "device_serial")
    return case(
        vector["id"], given["token"], {"accept": "ACCEPTED", "reject": "REJECTED"}[expected["verdict"]],
        [reason for reason in [expected.get("reason"), *expected.get("reason_alternatives", [])] if reason], given.get("policy"),
        round(datetime.datetime.fromisoformat(vector["verify_at"].replace("Z", "+00:00")).timestamp()), fleet,
        {name: facts[name] for name in names if name in facts})


def vectors(folder):
    files = sorted(folder.glob("*.json"))
    if not files:
        print(f"camera-token: {folder} has no test vectors: only the plugin's own cases run", file=sys.stderr)
    return [from_vector(path) for path in files]


# MARK: Cases of the plugin's own

CAMERA, SECRET = Camera(1), bytes(range(32))
MASTERS = {table: hashlib.sha256(f"master {table}".encode()).hexdigest() for table in (1, 20, 300, 2499)}
FLEET = {"masters": {str(table): master for table, master in MASTERS.items()}, "devices": [
    {**device("CAM-1", SECRET.hex(), [1, 20, 300], CAMERA.public_key), "family": "field"},
    device("CAM-2", "22" * 32, [1, 20, 2499], CAMERA.public_key, blocked=True), device("CAM-3", "33" * 32, [1, 20, 300], b"no key")]}


def key(table, index):
    extracted = hmac.digest(bytes(32), bytes.fromhex(MASTERS[table]), hashlib.sha256)
    return hmac.digest(extracted, index.to_bytes(4, "big") + b"Birthmark\x01", hashlib.sha256)


def token(tables=(1, 20, 300), indices=(0, 7, 999), pair=0, secret=SECRET, layout="ciphertext-nonce-tag", **members):
    return {"image_hash": "ab" * 32, "encrypted_nuc_token": sealed(secret, key(tables[pair], indices[pair]), layout), "table_references": list(tables),
            "key_indices": list(indices), "timestamp": NOW, **members}


def with_signature(signature):
    return {**token(), "device_signature": b64(signature)}


def der(r, s):
    """An integer as it is given, in bytes."""
    content = b"".join(bytes([2, len(number)]) + number for number in (r, s))
    return bytes([0x30, len(content)]) + content


def own_cases():
    good = CAMERA.signed(token())
    yield case("good", good, claims={"device_serial": "CAM-1", "device_family": "field", "opened_by": 0, "timestamp": NOW, "signature_form": "raw"})
    yield case("der", CAMERA.signed(token(pair=2), der=True), claims={"opened_by": 2, "signature_form": "der"})
    for layout in LAYOUTS:
        yield case(layout, CAMERA.signed(token(layout=layout)), configuration={"token_layout": layout})
        yield rejected(f"not-{layout}", CAMERA.signed(token(layout=layout)), "decryption_failed",
                       configuration={"token_layout": next(other for other in LAYOUTS if other != layout)})
    yield case("a-decoy-without-a-master", CAMERA.signed(token(pair=1)), fleet={**FLEET, "masters": {"20": MASTERS[20]}}, claims={"opened_by": 1})
    yield case("unknown-members", {**good, "gps": [1.5]})
    yield rejected("assigned-to-another", CAMERA.signed(token(tables=(1, 20, 2499))), "table_not_assigned")
    yield rejected("blocked", CAMERA.signed(token(tables=(1, 20, 2499), secret=b"\x22" * 32)), "device_blocked")
    yield rejected("blocked-without-its-signature", Camera(2).signed(token(tables=(1, 20, 2499), secret=b"\x22" * 32)), "bad_signature")
    yield rejected("another-key", Camera(2).signed(token()), "bad_signature")
    for name, value in (("timestamp", NOW - 1), ("key_indices", [0, 7, 998]), ("table_references", [1, 300, 20])):
        yield rejected(f"{name}-changed", {**good, name: value, "key_indices": [0, 999, 7] if name == "table_references" else {**good, name: value}["key_indices"]},
                       "bad_signature")

    # Time
    yield case("60-seconds-ahead", CAMERA.signed(token(timestamp=NOW + 60)))
    yield rejected("61-seconds-ahead", CAMERA.signed(token(timestamp=NOW + 61)), "timestamp_in_future")
    yield case("30-days-old", CAMERA.signed(token(timestamp=NOW - 30 * 86400)))
    yield rejected("over-30-days-old", CAMERA.signed(token(timestamp=NOW - 30 * 86400 - 1)), "timestamp_too_old")
    yield case("as-old-as-is-allowed", CAMERA.signed(token(timestamp=NOW - 398 * 86400)), configuration={"max_age_seconds": 398 * 86400})
    yield case("ahead-as-far-as-is-allowed", CAMERA.signed(token(timestamp=NOW + 3600)),
               configuration={"max_age_seconds": 398 * 86400, "max_future_seconds": 3600})
    for value in (-1, 253402300800, 1.5, "1764579600", None, True):
        yield rejected(f"timestamp-{value}", {**good, "timestamp": value}, "malformed")
    yield rejected("timestamp-with-exponent", json.dumps(good).replace(str(NOW), "17645796e2").encode(), "malformed")

    # Signatures
    half = (ORDER >> 1).to_bytes(32, "big")
    for name, wrong in {
            "empty": b"", "63-bytes": half + half[:31], "65-bytes": half + half + b"\0", "r-0": bytes(32) + half, "s-0": half + bytes(32),
            "s-order": half + ORDER.to_bytes(32, "big"), "r-above": b"\xff" * 32 + half, "der-negative": der(b"\x80" + half[1:], half),
            "der-zero": der(b"\0", half), "der-padded": der(b"\0" + half, half), "der-empty-number": der(b"", half), "der-33-bytes": der(b"\x01" * 33, half),
            "der-trailing": der(half, half) + b"\0", "der-inner-trailing": b"\x30" + bytes([70]) + der(half, half)[2:] + b"\5\0",
            "der-long-length": b"\x30\x81" + der(half, half)[1:], "der-one-number": bytes([0x30, 34, 2, 32]) + half, "der-order": der(half, b"\0" + ORDER.to_bytes(32, "big")),
            "der-cut": der(half, half)[:-1]}.items():
        yield rejected(f"signature-{name}", with_signature(wrong), "signature_malformed")
    yield rejected("signature-of-nothing", with_signature(half + half), "bad_signature")
    yield rejected("signature-not-base64", {**good, "device_signature": good["device_signature"] + "\n"}, "malformed")

    # Pairs
    for name, tables in {"first-two": [1, 1, 300], "last-two": [1, 300, 300], "first-and-last": [1, 20, 1], "four": [1, 20, 300, 2499], "none": [], "negative": [-1, 20, 300], "2500": [1, 20, 2500], "huge": [1, 20, 2**32 + 300]}.items():
        yield rejected(f"tables-{name}", {**good, "table_references": tables}, "table_references_invalid")
    for name, indices in {"two": [0, 7], "1000": [0, 7, 1000], "negative": [0, -7, 999]}.items():
        yield rejected(f"indices-{name}", {**good, "key_indices": indices}, "key_indices_invalid")
    for name, wrong in {"text": "1,20,300", "texts": ["1", "20", "300"], "fractions": [1.0, 20, 300], "null": None, "object": {}}.items():
        yield rejected(f"tables-{name}", {**good, "table_references": wrong}, "malformed")
        yield rejected(f"indices-{name}", {**good, "key_indices": wrong}, "malformed")

    # Form
    for name in good:
        yield rejected(f"no-{name}", {member: value for member, value in good.items() if member != name}, "malformed")
    yield rejected("certificate-bundle", {"image_hash": "ab" * 32, "camera_cert": "TUlJQg==", "timestamp": NOW, "bundle_signature": ""}, "wrong_format")
    yield rejected("both-formats", {**good, "camera_cert": ""}, "wrong_format")
    yield rejected("empty", b"", "malformed")
    yield rejected("list", [good], "malformed")
    yield rejected("hash-of-31-bytes", {**good, "image_hash": "ab" * 31}, "malformed")
    yield rejected("token-url-safe", {**good, "encrypted_nuc_token": "-" * 80}, "malformed")


if __name__ == "__main__":
    found = vectors(pathlib.Path(sys.argv[1]) / "camera-token") if len(sys.argv) > 1 else []
    json.dump({"plugin": "camera-token", "cases": [*own_cases(), *found]}, sys.stdout, indent=1)
