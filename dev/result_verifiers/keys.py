"""Which of the published keys a token is checked by."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from checks import expect
from issuer import ISSUER, decoded, encoded


class Refused(Exception):
    """A token that is not believed, by a reader that has no exception of its own."""


def chosen(header: dict, keys: dict) -> dict:
    """The JWK that a header names: by `kid`, or by its certificates. A COSE header has labels."""
    kid = header.get("kid") or (base64.urlsafe_b64encode(header[4]).rstrip(b"=").decode() if 4 in header else None)
    if kid is not None:
        found = [key for key in keys["keys"] if key["kid"] == kid]
    else:
        found = [key for key in keys["keys"] if key.get("x5c") and key["x5c"] == header.get("x5c")] or certified(header, keys)
    if not found:
        raise Refused("the key is not published")
    return found[0]


def certified(header: dict, keys: dict) -> list[dict]:
    """The JWK of the first certificate, which a published key signed, as docs/start/check-a-result.md has it."""
    chain = header[33] if 33 in header else [base64.b64decode(text) for text in header.get("x5c", [])]
    if not chain:
        return []
    leaf = x509.load_der_x509_certificate(chain[0])
    for key in keys["keys"]:
        if not key.get("x5c"):
            continue
        authority = x509.load_der_x509_certificate(base64.b64decode(key["x5c"][0]))
        try:
            leaf.verify_directly_issued_by(authority)
        except (ValueError, InvalidSignature):
            continue
        # The key of the set is the one that is believed, and not what its certificate says.
        if coordinates(authority) != (key["x"], key["y"]):
            continue
        (is_ca, usage), (may_certify, usage_of_ca) = uses(leaf), uses(authority)
        expect(may_certify and usage_of_ca.key_cert_sign, "the published certificate is that of no CA")
        expect(usage.digital_signature and not usage.key_cert_sign and not is_ca, "the certificate is for another use")
        names = [name.value for name in leaf.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
        purposes = [each for each in leaf.extensions if isinstance(each.value, x509.ExtendedKeyUsage)]
        expect(names == [ISSUER] and not purposes, "the certificate is that of another, or for another purpose")
        expect(leaf.not_valid_before_utc <= datetime.now(UTC) <= leaf.not_valid_after_utc, "the certificate is not valid now")
        x, y = coordinates(leaf)
        return [{"kty": "EC", "crv": "P-256", "x": x, "y": y, "alg": "ES256", "use": "sig"}]
    return []


def coordinates(certificate: x509.Certificate) -> tuple[str, str]:
    """`x` and `y` of a certificate's key, which is one of P-256."""
    key = certificate.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise Refused("a key of another kind")
    numbers = key.public_numbers()
    return encoded(numbers.x.to_bytes(32, "big")), encoded(numbers.y.to_bytes(32, "big"))


def uses(certificate: x509.Certificate) -> tuple[bool, x509.KeyUsage]:
    """Whether it is that of a CA, and its key usage. Nothing else in it is critical."""
    basic, usage = (certificate.extensions.get_extension_for_class(kind) for kind in (x509.BasicConstraints, x509.KeyUsage))
    expect(all(each in (basic, usage) for each in certificate.extensions if each.critical), "an extension is critical")
    return basic.value.ca, usage.value


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
