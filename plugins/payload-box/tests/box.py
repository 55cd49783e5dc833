"""Seals payloads by the definition of NaCl's box, with libsodium's function for it."""
import base64
import ctypes
import hashlib
import json

ALGORITHM = "X25519-XSalsa20-Poly1305"
SODIUM = ctypes.CDLL("libsodium.so.23")
SODIUM.sodium_init()


def b64(data):
    return base64.b64encode(data).decode()


def sha256(data):
    return hashlib.sha256(data).digest()


def public(secret):
    out = ctypes.create_string_buffer(32)
    SODIUM.crypto_scalarmult_base(out, secret)
    return out.raw


def fingerprint(secret):
    return sha256(public(secret))[:20].hex()


def sealed(plaintext, recipient, ephemeral=b"\x11" * 32, nonce=bytes(range(24))):
    """The ciphertext, for the public key of a recipient's secret key."""
    out = ctypes.create_string_buffer(len(plaintext) + 16)
    assert SODIUM.crypto_box_easy(out, plaintext, ctypes.c_ulonglong(len(plaintext)), nonce, public(recipient), ephemeral) == 0
    return out.raw


def envelope(plaintext, recipient, **members):
    """An envelope; those in `members` are set afterwards."""
    return {
        "algorithm": ALGORITHM, "recipient": fingerprint(recipient), "ephemeral_public_key": b64(public(b"\x11" * 32)),
        "nonce": b64(bytes(range(24))), "ciphertext": b64(sealed(plaintext, recipient)), "plaintext_sha256": sha256(plaintext).hex(), **members}


def body(*envelopes):
    return json.dumps({"envelopes": envelopes}, separators=(",", ":")).encode()
