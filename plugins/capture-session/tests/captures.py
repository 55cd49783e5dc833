"""Makes sessions, documents and what devices sign of them, by the definition of the format."""
import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

SESSION_KEY = bytes(range(32))
NOW_MS = 1_764_579_600_000
SESSION_ID = "00112233445566778899aabbccddeeff"
ORDER = ["SMILE", "TURN_RIGHT", "BLINK", "TURN_LEFT"]
DEVICE = ec.derive_private_key(7, ec.SECP256R1())


def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def field(data):
    return len(data).to_bytes(4, "big") + data


def token(key=SESSION_KEY, app="app", **changes):
    payload = json.dumps({
        "v": 1, "session_id": SESSION_ID, "capture": "identity_card", "country": "DE", "challenges": [], "preset": "substantial", "duration_ms": 3000, "quality": 720,
        "prepared_at_ms": NOW_MS - 5000, "expires_at_ms": NOW_MS + 61_500, **changes}, separators=(",", ":")).encode()
    return sealed(payload, key, app)


def sealed(payload, key=SESSION_KEY, app="app"):
    return b64url(payload) + "." + b64url(hmac.digest(key, b"capture-session.token" + field(app.encode()) + field(payload), hashlib.sha256))


def image(side, /, **changes):
    found = {"faces": 1} if side == "face" else {"document_found": True}
    return {"side": side, "width": 1920, "height": 1080, "sharpness": 81.5, "brightness": 120, **found, **changes}


def document(**changes):
    """A good identity card."""
    return {"session_token": token(), "platform": "ios", "os_version": "17.2", "images": [image("front"), image("back")], **changes}


def face(capture="liveness", met=ORDER, at_ms=(400, 1100, 1900, 2600), **changes):
    """A good capture of a face that met the challenges asked."""
    return {
        "session_token": token(capture=capture, country="", challenges=ORDER), "platform": "android", "api_level": 34, "images": [image("face")],
        "recording": {"duration_ms": 3100, "quality": 1080}, "challenges": [{"challenge": name, "at_ms": at} for name, at in zip(met, at_ms)], **changes}


def salt_binding(session_id=SESSION_ID, timestamp=NOW_MS // 1000, device_id="device"):
    salt = hashlib.sha256(b"salt of the tests").digest()
    bound = hashlib.sha256(salt + device_id.encode() + session_id.encode() + timestamp.to_bytes(8, "big")).hexdigest()
    return {"salt": salt.hex(), "device_id": device_id, "timestamp": timestamp, "binding_hash": bound}


def signed(payload):
    """What is expected of the piece beside this one: its client data bind the payload, and the device's key signed them."""
    digest = hashlib.sha256(payload).digest()
    # docs/concepts/client-data.md: "assay1", purpose, challenge (54 bytes), then the payload's digest.
    client_data = b"assay1" + bytes([2]) + hashlib.sha512(b"challenge of the tests").digest()[:54] + digest
    signature = DEVICE.sign(client_data, ec.ECDSA(hashes.SHA256()))
    return {"client_data_b64": b64(client_data), "payload_sha256_b64": b64(digest), "signature_b64": b64(signature)}
