#!/usr/bin/env python3
"""Writes challenge-v1.json and client-data-v1.json, the test vectors of docs/challenges.md; audit-v1.json, those of
docs/audit.md; and frames-v1.json, those of proto/README.md.

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


def audit_claims(salt: bytes, claims: bytes) -> bytes:
    return sha256(fields(b"assay.audit.claims.v1", salt, claims))


def audit_head(previous: bytes, number: int, time: int, record: bytes) -> bytes:
    return sha256(fields(b"assay.audit.v1", previous, number, time, record))


def audit_head_message(number: int, head: bytes, time: int) -> bytes:
    return sha256(fields(b"assay.audit.head.v1", number, head, time))


def filler(tag: str, length: int) -> bytes:
    """Bytes that look random and are the same for ever."""
    return b"".join(sha256(f"{tag} {n}".encode()) for n in range(length // 32 + 1))[:length]


def write(name: str, note: str, vectors: list[dict]) -> None:
    write_document(name, {"note": note, "vectors": vectors})


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
    write("audit-v1.json", "A chain of audit records, in order; docs/audit.md. Made by make.py.", audit())
    write("challenge-v1.json", "54-byte challenges; docs/challenges.md. Made by make.py.", challenges)
    write("client-data-v1.json", "93-byte client data; docs/challenges.md. Made by make.py.", data)


if __name__ == "__main__":
    main()
