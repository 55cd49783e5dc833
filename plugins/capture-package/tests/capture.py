"""Makes capture packages, by the definition of the format and with another library than the plugin's."""
import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
CLIENT, NEXT_CLIENT, USER = (ed25519.Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in (1, 3, 2))
WALLET = ec.derive_private_key(7, ec.SECP256K1())


def public(key, form=PublicFormat.CompressedPoint):
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return key.public_key().public_bytes(Encoding.X962, form)


def signature(key, data, high=False):
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key.sign(data)
    r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
    s = max(s, ORDER - s) if high else min(s, ORDER - s)
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def binding(salt, device_id, session_id, timestamp):
    return hashlib.sha256(salt + device_id.encode() + session_id.encode() + timestamp.to_bytes(8, "big")).digest()


def nested(flat, **members):
    """The same package in the form of objects; those in `members` are set afterwards."""
    names = ("client_id", "client_signature", "user_key_type", "user_public_key", "user_signature")
    return {
        "protocol_version": 1, "payload_hash": flat["payload_hash"],
        "salt_binding": {**{name: flat[name] for name in ("salt", "device_id", "session_id", "timestamp")}, "binding_hash": flat["salt_binding"]},
        "signature_proof": {name: flat[name] for name in names}, **members}


def package(salt, timestamp, payload=b"payload", client=CLIENT, user=USER, client_id="mobile", device_id="device", session_id="session",
            form=PublicFormat.CompressedPoint, **members):
    """The members of a package; those in `members` are set afterwards, so that they are not bound or signed."""
    payload_hash = hashlib.sha256(payload).digest()
    by_client = signature(client, salt + payload_hash)
    return {
        "salt": salt.hex(), "device_id": device_id, "session_id": session_id, "timestamp": timestamp,
        "salt_binding": binding(salt, device_id, session_id, timestamp).hex(), "payload_hash": payload_hash.hex(), "client_id": client_id,
        "client_signature": by_client.hex(), "user_key_type": "ed25519" if isinstance(user, ed25519.Ed25519PrivateKey) else "secp256k1",
        "user_public_key": public(user, form).hex(), "user_signature": signature(user, salt + payload_hash + by_client).hex(), **members}
