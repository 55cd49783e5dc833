"""Makes tokens as cameras do: the plugin's other half, written independently of it."""
import base64
import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

# What precedes the 65 bytes of a P-256 point in a SubjectPublicKeyInfo.
P256_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")
LAYOUTS = {"ciphertext-nonce-tag": "cnt", "ciphertext-tag-nonce": "ctn", "nonce-ciphertext-tag": "nct"}


def b64(data):
    return base64.b64encode(data).decode()


def sealed(secret, key, layout, nonce=bytes(range(12))):
    data = AESGCM(key).encrypt(nonce, secret, None)
    parts = {"c": data[:32], "t": data[32:], "n": nonce}
    return b64(b"".join(parts[part] for part in LAYOUTS[layout]))


def signed_bytes(token):
    lines = [token["image_hash"].lower(), token["encrypted_nuc_token"], ",".join(map(str, token["table_references"])),
             ",".join(map(str, token["key_indices"])), str(token["timestamp"])]
    return "".join(line + "\n" for line in lines).encode()


def statement(token):
    """The digest by which the daemon knows a token again."""
    return hashlib.sha256(b"camera-token.statement" + signed_bytes(token)).digest()


class Camera:
    """A device key that is the same in each run."""

    def __init__(self, number):
        self.key = ec.derive_private_key(number, ec.SECP256R1())

    @property
    def public_key(self):
        return self.key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    def signed(self, token, der=False):
        signature = self.key.sign(signed_bytes(token), ec.ECDSA(hashes.SHA256()))
        if not der:
            r, s = utils.decode_dss_signature(signature)
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return {**token, "device_signature": b64(signature)}
