#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md: its own, and the test vectors of a folder.

    vectors.py [VECTORS]

A case's expect.errors lists the codes of all failed checks, for test_capture.py.
"""
import base64
import datetime
import json
import pathlib
import sys

from cryptography.hazmat.primitives.serialization import PublicFormat

from capture import CLIENT, NEXT_CLIENT, ORDER, USER, WALLET, binding, nested, package, public, signature

NOW = 1_736_899_220
SALT = bytes(range(32))
IDENTITY = "01" + "00" * 31


def b64(data):
    return base64.b64encode(data).decode()


def entry(key=CLIENT, state="active", client_id="mobile", **more):
    return {"client_id": client_id, "public_key": public(key).hex(), "state": state, **more}


def case(name, body, verdict="ACCEPTED", reasons=(), errors=None, clients=None, now=NOW, used=(), claims=None, **configuration):
    return {
        "id": name, "format": "capture-package", "app": "app", "purpose": "assert", "now_unix_ms": int(now * 1000),
        "configuration": {"clients": clients or [entry()], **configuration},
        "body_b64": b64(body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()),
        "world": {"used_tokens_b64": [b64(salt) for salt in used]},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}, "errors": sorted(reasons if errors is None else errors)},
    }


def rejected(name, body, *errors, **more):
    return case(name, body, "REJECTED", errors, **more)


# MARK: Test vectors

def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def from_vector(path):
    vector = json.loads(path.read_text())
    given, expected = vector["input"], vector["expect"]
    accepted, facts = expected["verdict"] == "accept", expected.get("facts", {})
    if given.get("policy"):
        raise SystemExit(f"capture-package: {path} has a policy, which this script does not know: {given['policy']}")
    return case(
        vector["id"], given["package"], "ACCEPTED" if accepted else "REJECTED",
        [reason for reason in [expected.get("reason"), *expected.get("reason_alternatives", [])] if reason],
        facts.get("errors", ["malformed"]), given["clients"], seconds(vector["verify_at"]),
        [bytes.fromhex(salt) for salt in given.get("seen_salts", [])],
        {"client_key_state": facts["client_key_state"], "user_key_type": facts["user_key_type"]} if accepted else None)


def vectors(folder):
    files = sorted(folder.glob("*.json"))
    if not files:
        print(f"capture-package: {folder} has no test vectors: only the plugin's own cases run", file=sys.stderr)
    return [from_vector(path) for path in files]


# MARK: Cases of the plugin's own

# The values of the specification, written down and not computed.
GOLDEN = {
    "salt": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "device_id": "a3f1c0de" * 8,
    "session_id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "timestamp": 1736899200,
    "salt_binding": "25abf063b650fa655c9f5e407a995fb662433d7d302de9c57f480b39affb6970",
    "payload_hash": "42d173feeca031d6fbdcc365246e1ef31915905182b1aade5c097cdbd8f4c647", "client_id": "mobile",
    "client_signature": "f6067e819786ed58bb57b4b590178c81059235f77f26f11551d5435c5f9ebe2a4e213ffc92bc36ed31e046f9b005728194becd155017f5b3ec3f191a8dc42302",
    "user_key_type": "ed25519", "user_public_key": "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394",
    "user_signature": "b1bf5e9256a298d43994f65dad386c6888ae5708c9d2f84fa15985ae6d69a1f4f96b76034ca22b7411f196a3deb650b025fbb2287b27105316615ec27404ec09",
}
CLAIMS = {
    "client_id": "mobile", "client_public_key": b64(public(CLIENT)), "client_key_state": "active", "device_id": "a3f1c0de" * 8,
    "session_id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "captured_at": 1736899200_000, "payload_sha256": b64(bytes.fromhex(GOLDEN["payload_hash"])),
    "user_key_type": "ed25519", "user_public_key": b64(public(USER)),
}


def made(timestamp=NOW, salt=SALT, **more):
    return package(salt, timestamp, **more)


def own_cases():
    yield case("golden", GOLDEN, claims=CLAIMS)
    yield case("golden-in-upper-case-hex", {**GOLDEN, "salt": GOLDEN["salt"].upper()})

    # Salt
    for size in (33, 64):
        yield case(f"salt-of-{size}-bytes", made(salt=bytes(range(size))))
    for size in (0, 1, 31, 65, 1024):
        salt = bytes(index % 251 for index in range(size))
        yield rejected(f"salt-of-{size}-bytes", made(salt=salt), *(["salt_length"] if size > 1 else ["salt_length", "salt_weak"]))
    yield rejected("salt-of-1025-bytes", made(salt=bytes(1025)), "malformed")
    yield rejected("salt-all-zero", made(salt=bytes(32)), "salt_weak")
    yield case("salt-almost-equal", made(salt=bytes(63) + b"\1"))
    yield rejected("salt-used", made(), "salt_replayed", used=[SALT])
    yield case("other-salts-used", made(), used=[SALT[::-1], SALT + b"\0"])
    yield case("times-at-the-ends", made(timestamp=253_402_300_799, device_id="d"), now=253_402_300_799)
    for name, value in (("device_id", "device2"), ("session_id", "Session"), ("timestamp", NOW - 1)):
        bound = binding(SALT, "device", "session", NOW).hex()
        yield rejected(f"salt-bound-to-another-{name}", made(**{name: value}, salt_binding=bound), "salt_binding_mismatch")
    yield case("names-of-several-bytes", made(device_id="Gerät-\u4e2d", session_id="\U0001f600"), claims={"device_id": "Gerät-\u4e2d"})
    yield rejected("name-of-another-normal-form", made(device_id="Ge\u0301", salt_binding=binding(SALT, "G\u00e9", "session", NOW).hex()),
                   "salt_binding_mismatch")

    # Time
    yield case("5-minutes-old", made(timestamp=NOW - 300))
    yield rejected("5-minutes-and-1-ms-old", made(timestamp=NOW - 300), "timestamp_too_old", now=NOW + 0.001)
    yield case("30-s-ahead", made(timestamp=NOW + 30))
    yield rejected("31-s-ahead", made(timestamp=NOW + 31), "timestamp_in_future")
    yield case("1-s-old-where-1-is-allowed", made(timestamp=NOW - 1), max_age_seconds=1)
    yield rejected("2-s-old-where-1-is-allowed", made(timestamp=NOW - 2), "timestamp_too_old", max_age_seconds=1)
    yield rejected("1-s-ahead-where-0-is-allowed", made(timestamp=NOW + 1), "timestamp_in_future", max_ahead_seconds=0)
    yield rejected("timestamp-0", made(timestamp=0), "timestamp_too_old")

    # Clients
    overlap = [entry(CLIENT, "deprecated", valid_until="2025-01-15T00:00:20Z"), entry(NEXT_CLIENT)]
    yield case("older-key-in-its-last-second", made(), clients=overlap, claims={"client_key_state": "deprecated"})
    yield rejected("older-key-after-its-overlap", made(timestamp=NOW + 1), "client_deprecated", clients=overlap, now=NOW + 1)
    yield case("newer-key", made(client=NEXT_CLIENT), clients=overlap, claims={"client_key_state": "active"})
    yield rejected("older-key-revoked", made(), "client_revoked", clients=[entry(CLIENT, "revoked"), entry(NEXT_CLIENT)])
    yield rejected("older-key-pending", made(), "client_pending", clients=[entry(CLIENT, "pending"), entry(NEXT_CLIENT)])
    yield rejected("key-of-another-client", made(), "client_signature_invalid", clients=[entry(NEXT_CLIENT), entry(CLIENT, client_id="other")])
    yield rejected("client-in-another-case", made(client_id="Mobile"), "client_unknown")
    # U+212A is canonically equivalent to K.
    yield rejected("client-of-another-character", made(client_id="\u212aiosk"), "client_unknown", clients=[entry(client_id="Kiosk")])
    yield rejected("client-signed-the-payload-alone", made(client_signature=signature(CLIENT, bytes.fromhex(made()["payload_hash"])).hex()),
                   "client_signature_invalid", "user_signature_invalid")

    # Users
    yield case("secp256k1", made(user=WALLET), claims={"user_key_type": "secp256k1", "user_public_key": b64(public(WALLET))})
    yield case("secp256k1-uncompressed", made(user=WALLET, form=PublicFormat.UncompressedPoint))
    to_sign = bytes.fromhex(made()["salt"] + made()["payload_hash"] + made()["client_signature"])
    yield rejected("secp256k1-high-s", made(user=WALLET, user_signature=signature(WALLET, to_sign, high=True).hex()), "signature_not_low_s")
    half = ORDER // 2
    for name, r, s, code in (("0", 0, 0, "user_signature_invalid"), ("half", 1, half, "user_signature_invalid"), ("half-and-1", 1, half + 1, "signature_not_low_s"),
                             ("r-is-the-order", ORDER, 1, "user_signature_invalid"), ("largest", 2**256 - 1, 2**256 - 1, "signature_not_low_s")):
        yield rejected(f"secp256k1-{name}", made(user=WALLET, user_signature=(r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex()), code)
    yield rejected("secp256k1-not-on-the-curve", made(user=WALLET, user_public_key="02" + "00" * 31 + "05"), "user_signature_invalid")
    yield rejected("ed25519-key-not-on-the-curve", made(user_public_key="02" + "00" * 31), "user_signature_invalid")
    # R is the base point and s is 1: right for every message under the identity.
    base = "58" + "66" * 31 + "01" + "00" * 31
    for index, key in enumerate((IDENTITY, "01" + "00" * 30 + "80", "ee" + "ff" * 30 + "7f")):
        yield rejected(f"ed25519-key-of-small-order-{index}", made(user_public_key=key, user_signature=base), "user_signature_invalid")
    yield rejected("user-signed-without-the-client", made(user_signature=signature(USER, to_sign[:64]).hex()), "user_signature_invalid")
    yield rejected("user-key-of-another-user", made(user_public_key=public(CLIENT).hex()), "user_signature_invalid")

    # Several
    yield rejected("everything-wrong", made(salt=bytes(32), timestamp=NOW - 1000, client=USER, salt_binding="11" * 32, user_signature="00" * 64),
                   "client_signature_invalid", "salt_binding_mismatch", "salt_replayed", "salt_weak", "timestamp_too_old", "user_signature_invalid",
                   used=[bytes(32)])
    yield rejected("unknown-client-and-another-user", made(client_id="other", user_public_key=public(CLIENT).hex()), "client_unknown",
                   "user_signature_invalid")

    # The nested form
    yield case("golden-nested", nested(GOLDEN), claims=CLAIMS)
    yield case("secp256k1-nested", nested(made(user=WALLET)), claims={"user_key_type": "secp256k1"})
    yield rejected("salt-used-nested", nested(made()), "salt_replayed", used=[SALT])
    yield rejected("salt-bound-to-another-device-nested", nested(made(device_id="other", salt_binding=binding(SALT, "device", "session", NOW).hex())), "salt_binding_mismatch")
    yield rejected("several-nested", nested(made(timestamp=NOW - 1000, client_id="other", user_signature="00" * 64)), "client_unknown", "timestamp_too_old", "user_signature_invalid")
    for version in (0, 2, -1, 10, 2**64, 1.0, 1.5):
        yield rejected(f"protocol-version-{version}", nested(made(), protocol_version=version), "unsupported_version")
    yield rejected("protocol-version-2-of-another-form", {"protocol_version": 2, "proofs": []}, "unsupported_version")
    for version in ("1", None, True, [1], {}):
        yield rejected(f"protocol-version-{json.dumps(version)}", nested(made(), protocol_version=version), "malformed")
    yield rejected("nested-without-a-version", {name: value for name, value in nested(made()).items() if name != "protocol_version"}, "malformed")
    yield rejected("flat-with-a-version", {**made(), "protocol_version": 1}, "malformed")
    good = nested(made())
    for name in ("payload_hash", "salt_binding", "signature_proof"):
        yield rejected(f"nested-without-{name}", {key: value for key, value in good.items() if key != name}, "malformed")
        yield rejected(f"nested-{name}-is-a-list", {**good, name: []}, "malformed")
    for name in ("salt_binding", "signature_proof"):
        for member in good[name]:
            yield rejected(f"nested-without-{name}-{member}", {**good, name: {key: value for key, value in good[name].items() if key != member}}, "malformed")
            yield rejected(f"nested-{name}-{member}-is-an-object", {**good, name: {**good[name], member: {}}}, "malformed")
        yield rejected(f"nested-unknown-member-in-{name}", {**good, name: {**good[name], "note": "x"}}, "malformed")
    yield rejected("nested-unknown-member", {**good, "salt": good["salt_binding"]["salt"]}, "malformed")
    yield rejected("nested-member-twice", json.dumps(good).replace('"salt"', '"device_id": "x", "salt"').encode(), "malformed")
    yield rejected("nested-secp256k1-key-in-another-form", nested(made(user=WALLET, user_public_key="06" + public(WALLET, PublicFormat.UncompressedPoint).hex()[2:])), "malformed")

    # Form
    for name in GOLDEN:
        yield rejected(f"without-{name}", {key: value for key, value in made().items() if key != name}, "malformed")
        yield rejected(f"{name}-is-a-list", {**made(), name: []}, "malformed")
    for name, value in (("timestamp", "1736899220"), ("timestamp", 1736899220.0), ("timestamp", -1), ("timestamp", 253_402_300_800), ("timestamp", 2**64),
                        ("device_id", ""), ("device_id", "x" * 129), ("session_id", "a\nb"), ("client_id", "a\0b"), ("salt", "0"), ("salt", "0g" * 32),
                        ("payload_hash", "00" * 31), ("salt_binding", "00" * 33), ("client_signature", "00" * 63), ("user_signature", "00" * 65),
                        ("user_key_type", "Ed25519"), ("user_key_type", "p256"), ("user_public_key", "00" * 33), ("user_public_key", "")):
        yield rejected(f"{name}-{str(value)[:24]!r}", {**made(), name: value}, "malformed")
    for name, key in (("hybrid", "06" + public(WALLET, PublicFormat.UncompressedPoint).hex()[2:]), ("prefix", "04" + public(WALLET).hex()[2:]), ("32", "11" * 32)):
        yield rejected(f"secp256k1-key-{name}", made(user=WALLET, user_public_key=key), "malformed")
    yield rejected("unknown-member", {**made(), "note": "x"}, "malformed")
    yield rejected("member-twice", json.dumps(made()).replace('"salt"', '"device_id": "x", "salt"').encode(), "malformed")
    for name, body in (("empty", b""), ("no-object", b"[]"), ("nested", b"[" * 8000), ("no-utf-8", b"\xff"), ("two", b"{}{}"), ("largest", b'"' + b"x" * 8190 + b'"')):
        yield rejected(name, body, "malformed")


if __name__ == "__main__":
    found = vectors(pathlib.Path(sys.argv[1]) / "capture-package") if len(sys.argv) > 1 else []
    json.dump({"plugin": "capture-package", "cases": [*own_cases(), *found]}, sys.stdout, indent=1)
