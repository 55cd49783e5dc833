#!/usr/bin/env python3
"""Writes the test vectors: challenge-v1.json of docs/concepts/challenges.md, client-data-v1.json of docs/concepts/client-data.md, audit-v1.json of
docs/reference/audit-format.md, confidence-v1.json of docs/reference/confidence-profiles.md, captures-v2.json of docs/reference/capture-documents.md, and
frames-v1.json of proto/README.md.

Standard library only, and written from the text of the pages, not from the Swift code: that is what makes them a test.
Run it after a change of a page; without one it changes nothing.
"""
import hashlib
import hmac
import json
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
import captures  # noqa: E402
import confidence  # noqa: E402
import frames  # noqa: E402

PURPOSES = {"register": 1, "assert": 2, "provision": 3, "renew": 4}
HERE = pathlib.Path(__file__).parent


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def challenge(secret: bytes, key_id: int, app: str, purpose: str, context: bytes, expiry: int, random: bytes) -> bytes:
    name = app.encode()
    signed = (
        struct.pack(">BBIq", 1, PURPOSES[purpose], key_id, expiry)
        + sha256(name)[:8]
        + random
    )
    assert len(signed) == 38
    message = b"assay.challenge.v1" + signed + struct.pack(">H", len(name)) + name + sha256(context)
    return signed + hmac.new(secret, message, hashlib.sha256).digest()[:16]


def client_data(purpose: str, challenge_bytes: bytes, payload: bytes | None) -> bytes:
    bound = bytes(32) if payload is None else sha256(payload)
    return b"assay1" + bytes([PURPOSES[purpose]]) + challenge_bytes + bound


def fields(*values: bytes | int) -> bytes:
    """Each behind its length as a big-endian u32; a number as 8 bytes."""
    out = b""
    for value in values:
        data = struct.pack(">q", value) if isinstance(value, int) else value
        out += struct.pack(">I", len(data)) + data
    return out


def audit_record(purpose: str, assurance: int, simulated: bool, *rest: bytes) -> bytes:
    return bytes([1, PURPOSES[purpose], assurance, simulated]) + fields(*rest)


def audit_change(kind: int, origin: int, flag: bool, *rest: bytes | int) -> bytes:
    return bytes([2, kind, origin, flag]) + fields(*rest)


def audit_import(devices: list[tuple[bytes, bytes, bytes, int]]) -> bytes:
    return sha256(fields(b"assay.audit.import.v1", *(value for device in devices for value in device)))


def audit_certificate_name(issuer: bytes, serial: bytes) -> bytes:
    return sha256(fields(b"assay.certificate-name.v1", issuer, serial))


def audit_permits(permits: list[tuple[int, bytes]]) -> bytes:
    return sha256(fields(b"assay.audit.enrol.v1", *(value for permit in permits for value in permit)))


def audit_key(name: str, hash_: bytes, roles: list[str], apps: list[str], expiry: int) -> bytes:
    values = [name.encode(), hash_, len(roles), *(role.encode() for role in roles), b"some", *(app.encode() for app in apps), expiry]
    return sha256(fields(b"assay.caller-key.v1", *values))


def audit_claims(salt: bytes, claims: bytes) -> bytes:
    return sha256(fields(b"assay.audit.claims.v1", salt, claims))


def audit_head(previous: bytes, number: int, time: int, record: bytes) -> bytes:
    return sha256(fields(b"assay.audit.v1", previous, number, time, record))


def audit_head_message(number: int, head: bytes, time: int) -> bytes:
    return sha256(fields(b"assay.audit.head.v1", number, head, time))


def audit_span_message(number: int, head: bytes, start_number: int, start_head: bytes, time: int) -> bytes:
    return sha256(fields(b"assay.audit.head.v2", number, head, start_number, start_head, time))


def audit_writer_message(writer: str, number: int, head: bytes, start_number: int, start_head: bytes, time: int) -> bytes:
    return sha256(fields(b"assay.audit.head.v3", writer.encode(), number, head, start_number, start_head, time))


def filler(tag: str, length: int) -> bytes:
    """Bytes that look random and are always the same."""
    return b"".join(sha256(f"{tag} {n}".encode()) for n in range(length // 32 + 1))[:length]


def write(name: str, note: str, vectors: list[dict], **more: list[dict]) -> None:
    write_document(name, {"note": note, "vectors": vectors, **more})


def write_document(name: str, document: dict) -> None:
    (HERE / name).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def audit() -> list[dict]:
    cases = [
        ("register", 4, False, "upload-handler", "photos", True, 1_767_225_600_000),
        ("assert", 3, True, "Zürich", "a", True, 1_767_225_600_001),
        # The clock was set back, and the verdict is about no device.
        ("renew", 0, False, "", "x" * 64, False, -1),
    ]
    chain, head = [], bytes(32)
    for number, (purpose, assurance, simulated, caller, app, has_device, time) in enumerate(cases, start=1):
        request, device = filler(f"request {number}", 16), filler(f"device {number}", 16) if has_device else b""
        evidence, policy = filler(f"evidence {number}", 32), filler(f"policy {number}", 32)
        salt, claims = filler(f"salt {number}", 16), filler(f"claims {number}", 9)
        digest = audit_claims(salt, claims) if simulated else b""
        record = audit_record(
            purpose, assurance, simulated, request, caller.encode(), app.encode(), device, evidence, policy, digest)
        head = audit_head(head, number, time, record)
        chain.append({
            "number": number, "time_unix_ms": time, "request_id_hex": request.hex(), "caller": caller, "app": app,
            "purpose": purpose, "device_hex": device.hex(), "assurance": assurance, "evidence_digest_hex": evidence.hex(),
            "policy_digest_hex": policy.hex(), "salt_hex": salt.hex(),
            "claims_hex": claims.hex(), "claims_digest_hex": digest.hex(), "simulated": simulated, "record_hex": record.hex(), "head_hex": head.hex(),
            "signed_message_hex": audit_head_message(number, head, time).hex(),
        })
    return chain


def audit_changes(number: int, head: bytes) -> list[dict]:
    """Goes on with the chain behind a record."""
    device = filler("device", 16)
    subject, key = b"\x02" + filler("subject", 32), b"\x04" + filler("key", 32)
    imported = [(filler(f"imported {n}", 16), filler(f"key id {n}", 32), filler(f"public key {n}", 65), n * 7) for n in (1, 2)]
    issuer, serial, der = filler("issuer", 32), filler("serial", 16), filler("certificate", 900)
    permits = [(1, b"SN-0001"), (2, filler("token", 32))]
    api_key = ("uploads-abroad", bytes.fromhex("044cbac96451aa69ba7a2f124d56788f37c0bc68857c7d587b916efe904f1dae"), ["verify", "observe"], ["photos"],
               1_775_001_600_000)
    list_digest, configuration, thumbprint = sha256(b"a list"), filler("configuration", 32), filler("result key", 32)
    # Kind, origin, flag; caller, app, device, target, digest, count, name, reason.
    cases = [
        (7, 2, False, "", "", b"", b"", configuration, 0, "1.2.3", ""),
        (1, 1, False, "operator", "photos", device, b"", b"", 1, "", "stolen"),
        (1, 1, True, "operator", "photos", b"", subject, b"", 3, "", "Zürich, case 12"),
        (1, 1, False, "Zürich", "a", b"", key, b"", 0, "", "r"),
        (2, 1, False, "operator", "photos", b"", subject, b"", 3, "", ""),
        (4, 1, False, "operator", "photos", device, b"", b"", 12, "", "asked for"),
        (3, 1, True, "operator", "photos", device, b"", b"", 0, "", "asked for"),
        (5, 1, False, "migration", "photos", b"", b"", audit_import(imported), 2, "", ""),
        (6, 1, True, "operator", "", b"", b"", list_digest, 1234, "google-attestation-status", ""),
        (7, 3, False, "", "", b"", b"", configuration, 0, "1.2.3", ""),
        (8, 1, True, "provisioning", "photos", device, b"", sha256(der), 0, serial.hex(), ""),
        (9, 1, False, "operator", "photos", device, b"", audit_certificate_name(issuer, serial), 9, serial.hex(), "stolen"),
        (10, 1, False, "operator", "photos", b"", b"", audit_permits(permits), 2, "", "batch 7"),
        (11, 1, False, "operator", "photos", b"", b"", audit_permits(permits[1:]), 1, "", ""),
        (12, 1, False, "operator", "photos", device, b"", audit_permits(permits[:1]), 1, "", "RMA 4711"),
        (13, 1, False, "operator", "", b"", b"", audit_key(*api_key), 0, api_key[0], "partner upload"),
        (14, 1, False, "operator", "", b"", b"", audit_key(*api_key), 0, api_key[0], "lost"),
        (15, 1, False, "operator", "", b"", b"", b"", 3, "pager", ""),
        (16, 2, True, "", "", b"", b"", thumbprint, 0, "devices", ""),
        (17, 1, False, "operator", "", b"", b"", thumbprint, 1_767_312_000_000, "simulated_devices", "rotation"),
        (18, 5, False, "anomaly", "photos", device, b"", b"", 1_769_904_000_000, "counter_gap", "the counter went from 4 to 2004"),
        (19, 5, False, "anomaly", "photos", device, b"", b"", 0, "counter_gap", ""),
        (18, 1, False, "operator", "photos", device, b"", b"", 1_769_904_000_000, "farm", "case 12"),
        (18, 1, True, "operator", "photos", device, b"", b"", 1_772_323_200_000, "farm", "case 13"),
        (19, 1, False, "operator", "photos", device, b"", b"", 0, "farm", "a mistake"),
    ]
    chain = []
    for kind, origin, flag, caller, app, device_id, target, digest, count, name, reason in cases:
        number += 1
        time = 1_767_225_600_000 + number
        record = audit_change(
            kind, origin, flag, caller.encode(), app.encode(), device_id, target, digest, count, name.encode(),
            reason.encode())
        head = audit_head(head, number, time, record)
        row = {
            "number": number, "time_unix_ms": time, "kind": kind, "origin": origin, "flag": flag, "caller": caller, "app": app,
            "device_hex": device_id.hex(), "target_hex": target.hex(), "digest_hex": digest.hex(), "count": count,
            "name": name, "reason": reason, "record_hex": record.hex(), "head_hex": head.hex(),
        }
        if kind == 5:
            row["devices"] = [
                {"device_hex": d.hex(), "key_id_hex": k.hex(), "public_key_hex": p.hex(), "counter": c}
                for d, k, p, c in imported
            ]
        if kind in (8, 9):
            row["certificate"] = {"issuer_hex": issuer.hex(), "serial_hex": serial.hex(), "der_hex": der.hex()}
        if kind in (10, 11, 12):
            named = {10: permits, 11: permits[1:], 12: permits[:1]}[kind]
            row["permits"] = [{"kind": k, "bytes_hex": b.hex()} for k, b in named]
        if kind in (13, 14):
            _, hash_, roles, apps, expiry = api_key
            row["key"] = {"hash_hex": hash_.hex(), "roles": roles, "apps": apps, "expires_at_unix_ms": expiry}
        if kind == 6:
            row["list_hex"] = b"a list".hex()
        chain.append(row)
    return chain


def audit_signed_heads(chain: list[dict]) -> list[dict]:
    time = 1_767_225_700_000
    heads = []
    for number, start, writer in [(3, None, ""), (3, 0, ""), (13, 2, ""), (13, 13, ""), (3, 0, "host-1.a"), (13, 2, "b")]:
        head = bytes.fromhex(chain[number - 1]["head_hex"])
        vector = {"version": 3 if writer else 1 if start is None else 2, "number": number, "head_hex": head.hex()}
        if start is None:
            message = audit_head_message(number, head, time)
        else:
            start_head = bytes.fromhex(chain[start - 1]["head_hex"]) if start else bytes(32)
            vector |= {"start_number": start, "start_head_hex": start_head.hex()}
            message = audit_span_message(number, head, start, start_head, time)
            if writer:
                vector["writer"] = writer
                message = audit_writer_message(writer, number, head, start, start_head, time)
        heads.append(vector | {"time_unix_ms": time, "message_hex": message.hex()})
    return heads


def main() -> None:
    cases = [
        ("register", "photos", b"", 1_893_456_000_000, 1),
        ("assert", "photos", b"session-7f3a", 1_893_456_300_000, 1),
        ("provision", "a", filler("context", 64), 0, 0),
        ("renew", "x" * 64, bytes(1), 9_223_372_036_854_775_807, 4_294_967_295),
        ("assert", "com.example_app-2.test", "Zürich".encode(), 1_767_225_599_999, 305_419_896),
    ]
    challenges, data = [], []
    for number, (purpose, app, context, expiry, key_id) in enumerate(cases, start=1):
        secret, random = filler(f"secret {number}", 32), filler(f"random {number}", 16)
        made = challenge(secret, key_id, app, purpose, context, expiry, random)
        assert len(made) == 54
        challenges.append({
            "id": f"{number}-{purpose}", "secret_hex": secret.hex(), "key_id": key_id, "app": app, "purpose": purpose,
            "context_hex": context.hex(), "expiry_unix_ms": expiry, "random_hex": random.hex(), "challenge_hex": made.hex(),
        })
        for label, payload in [("unbound", None), ("empty-payload", b""), ("payload", f"upload {number}".encode())]:
            signed = client_data(purpose, made, payload)
            assert len(signed) == 93
            data.append({
                "id": f"{number}-{purpose}-{label}", "purpose": purpose, "challenge_hex": made.hex(),
                "payload_hex": None if payload is None else payload.hex(), "client_data_hex": signed.hex(),
                "sha256_hex": sha256(signed).hex(),
            })
    write_document("frames-v1.json", frames.document())
    write(
        "confidence-v1.json",
        "Signals and the evidence models that they give, and models of older versions; docs/reference/confidence-profiles.md. Made by make.py.",
        confidence.vectors(), older=confidence.older())
    write(
        "captures-v2.json",
        "Documents of version 2 and the evidence models of the profile suite that they give; docs/reference/capture-documents.md. Made by make.py.",
        captures.vectors())
    verdicts = audit()
    changes = audit_changes(verdicts[-1]["number"], bytes.fromhex(verdicts[-1]["head_hex"]))
    write(
        "audit-v1.json", "A chain of audit records, in order: verdicts, then changes; docs/reference/audit-format.md. Made by make.py.", verdicts,
        changes=changes, signed_heads=audit_signed_heads(verdicts + changes))
    write("challenge-v1.json", "54-byte challenges; docs/concepts/challenges.md. Made by make.py.", challenges)
    write("client-data-v1.json", "93-byte client data; docs/concepts/client-data.md. Made by make.py.", data)


if __name__ == "__main__":
    main()
