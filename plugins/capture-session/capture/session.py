"""Sessions: what an app is asked to capture, in a token that is authenticated, so that the plugin need not remember what it prepared."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass

TOKEN_LIMIT = 1024
CAPTURES = ("identity_card", "driving_licence", "passport", "selfie", "liveness")
DOCUMENTS = {"identity_card": ("front", "back"), "driving_licence": ("front", "back"), "passport": ("front",)}
FACE_SIDES = ("face",)
CHALLENGES = ("BLINK", "SMILE", "TURN_LEFT", "TURN_RIGHT")
PRESETS = {"fast": 1000, "substantial": 3000}
QUALITIES = (144, 480, 720, 1080, 2160)
# What the checks for injected captures take beside the recording.
INJECTION_CHECKS_MS = 3500
MAC_CONTEXT = b"capture-session.token"


@dataclass(frozen=True)
class Session:
    session_id: str
    """16 random bytes in hex."""
    capture: str
    """One of CAPTURES."""
    country: str
    """ISO 3166-1 alpha-2; empty: none was stated."""
    challenges: tuple[str, ...]
    """In the order in which they are to be met."""
    preset: str
    duration_ms: int
    """Of the recording."""
    quality: int
    """Of the recording: its short side in pixels."""
    prepared_at_ms: int
    expires_at_ms: int

    @property
    def sides(self) -> tuple[str, ...]:
        """The images that make the capture complete."""
        return DOCUMENTS.get(self.capture, FACE_SIDES)

    @property
    def is_document(self) -> bool:
        return self.capture in DOCUMENTS

    def token(self, key: bytes, app: str) -> str:
        """base64url(JSON) "." base64url(MAC), for the app alone."""
        payload = json.dumps({"v": 1, **asdict(self)}, separators=(",", ":")).encode()
        return encoded(payload) + "." + encoded(mac(key, app, payload))


def session_of(token: str, key: bytes, app: str) -> Session | None:
    """The session of a token; None if it was not made with this key for this app."""
    text, _, seal = token.partition(".")
    payload, given = decoded(text), decoded(seal)
    if payload is None or given is None or not hmac.compare_digest(mac(key, app, payload), given):
        return None
    members = json.loads(payload)
    if members.pop("v") != 1:
        return None
    return Session(**{**members, "challenges": tuple(members["challenges"])})


def mac(key: bytes, app: str, payload: bytes) -> bytes:
    return hmac.digest(key, MAC_CONTEXT + field(app.encode("utf-8", "surrogateescape")) + field(payload), hashlib.sha256)


def field(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes | None:
    """The bytes of base64url without padding, which has one reading; None: it is something else."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
    return data if encoded(data) == text else None
