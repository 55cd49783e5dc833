"""Which of the published keys a token is checked by."""

from __future__ import annotations

import base64

from checks import expect
from issuer import decoded


class Refused(Exception):
    """A token that is not believed, by a reader that has no exception of its own."""


def chosen(header: dict, keys: dict) -> dict:
    """The JWK that a header names: by `kid`, or by its certificate. A COSE header has labels."""
    kid = header.get("kid") or (base64.urlsafe_b64encode(header[4]).rstrip(b"=").decode() if 4 in header else None)
    if kid is not None:
        found = [key for key in keys["keys"] if key["kid"] == kid]
    else:
        found = [key for key in keys["keys"] if key.get("x5c") and key["x5c"] == header.get("x5c")]
    if not found:
        raise Refused("the key is not published")
    return found[0]


def renamed(keys: dict, others: dict) -> dict:
    """Other keys under the names of these: what verifies by them is not checked."""
    expect(len(others["keys"]) >= 1 and others["keys"][0]["x"] != keys["keys"][0]["x"], "the other keys are the same")
    foreign = {name: others["keys"][0][name] for name in ("kty", "crv", "x", "y")}
    return {"keys": [{**key, **foreign} for key in keys["keys"]]}


def public_key_der(key: dict) -> bytes:
    """SubjectPublicKeyInfo of a key of P-256 (RFC 5480 §2)."""
    return bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + decoded(key["x"]) + decoded(key["y"])


def public_key_pem(key: dict) -> bytes:
    body = base64.b64encode(public_key_der(key)).decode()
    lines = [body[start:start + 64] for start in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN PUBLIC KEY-----", *lines, "-----END PUBLIC KEY-----", ""]).encode()
