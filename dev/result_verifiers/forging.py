"""Tokens that no library may verify, made of good ones; and the parts of tokens."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator

import cbor2
from issuer import Shape, decoded, encoded, header_of
from keys import chosen, public_key_pem


def sig_structure(token: bytes) -> tuple[bytes, bytes]:
    """What a COSE_Sign1 signs (RFC 9052 §4.4), and the signature."""
    protected, _, content, signature = cbor2.loads(token).value
    return cbor2.dumps(["Signature1", protected, b"", content], canonical=True), signature


def forgeries(shape: Shape, token: bytes, keys: dict) -> Iterator[tuple[str, bytes]]:
    """Each with a word for it."""
    if shape.is_binary:
        protected, unprotected, content, signature = cbor2.loads(token).value
        for name, parts in (
            ("a changed header", [with_member(protected, 99, 1), unprotected, content, signature]),
            ("changed claims", [protected, unprotected, changed(content), signature]),
            ("a changed signature", [protected, unprotected, content, changed(signature)]),
            ("no signature", [protected, unprotected, content, b""]),
            ("a header without alg", [without_algorithm(protected), unprotected, content, signature]),
            ("HMAC with the public key", [with_member(protected, 1, 5), unprotected, content, mac_of(token, keys)]),
        ):
            yield name, cbor2.dumps(cbor2.CBORTag(18, parts), canonical=True)
        yield "a MAC in place of a signature", cbor2.dumps(
            cbor2.CBORTag(17, [with_member(protected, 1, 5), unprotected, content, mac_of(token, keys)]), canonical=True)
        return
    head, claims, signature = token.split(b".")
    header = json.loads(decoded(head))
    yield "a changed header", b".".join([encoded(json.dumps({**header, "x": 1}).encode()).encode(), claims, signature])
    yield "changed claims", b".".join([head, encoded(changed(decoded(claims))).encode(), signature])
    yield "a changed signature", b".".join([head, claims, encoded(changed(decoded(signature))).encode()])
    for algorithm in ("none", "None"):
        unsigned = encoded(json.dumps({**header, "alg": algorithm}).encode()).encode()
        yield f"alg {algorithm} without a signature", b".".join([unsigned, claims, b""])
        yield f"alg {algorithm} with the signature", b".".join([unsigned, claims, signature])
    for name, secret in (("PEM", public_key_pem(chosen(header, keys))), ("JWK", json.dumps(chosen(header, keys)).encode())):
        body = encoded(json.dumps({**header, "alg": "HS256"}).encode()).encode() + b"." + claims
        yield f"HMAC with the public key as {name}", body + b"." + encoded(hmac.digest(secret, body, hashlib.sha256)).encode()


def changed(content: bytes) -> bytes:
    """With another bit in the middle: inside of a text where it is JSON."""
    place = len(content) // 2
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]


def without_algorithm(protected: bytes) -> bytes:
    return cbor2.dumps({label: value for label, value in cbor2.loads(protected).items() if label != 1}, canonical=True)


def with_member(protected: bytes, label: int, value: int) -> bytes:
    return cbor2.dumps({**cbor2.loads(protected), label: value}, canonical=True)


def mac_of(token: bytes, keys: dict) -> bytes:
    protected, _, content, _ = cbor2.loads(token).value
    structure = cbor2.dumps(["MAC0", with_member(protected, 1, 5), b"", content], canonical=True)
    return hmac.digest(public_key_pem(chosen(header_of(token), keys)), structure, hashlib.sha256)
