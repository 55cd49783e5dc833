"""Makes envelopes as clients do: the plugin's other half, written independently of it."""
import base64
import functools
import hashlib
import hmac
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ROUNDS = 200_000


def b64(data):
    return base64.b64encode(data).decode()


@functools.cache
def derived(secret, salt):
    """Takes some tens of milliseconds, and most cases share a secret and a salt."""
    return hashlib.pbkdf2_hmac("sha256", secret.encode(), salt.encode(), ROUNDS, 32)


def envelope_key(secret, timestamp, request_id):
    master = derived(secret, f"{timestamp}:{request_id}")
    return hmac.digest(master, b"SmileID-Encryption-v1\x01", hashlib.sha256)


def sealed(payload, secret, timestamp, request_id="", iv=bytes(range(12))):
    data = AESGCM(envelope_key(secret, timestamp, request_id)).encrypt(iv, payload, None)
    envelope = {"version": "1.0", "algorithm": "AES-256-GCM", "iv": b64(iv), "auth_tag": b64(data[-16:]),
                "encrypted_data": b64(data[:-16]), "timestamp": timestamp}
    return {**envelope, "request_id": request_id} if request_id else envelope


def request_mac(payload, secret, timestamp, headers):
    covered = {name.lower(): value for name, value in headers.items() if name.lower().startswith("smileid-")}
    message = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + payload
    return b64(hmac.digest(derived(secret, f"{len(message)}{timestamp}"), message, hashlib.sha256))


def token(request_id, iv):
    """The token that the plugin uses up for an envelope."""
    name = request_id.encode()
    return hashlib.sha256(b"payload-envelope.token" + len(name).to_bytes(4, "big") + name + iv).digest()
