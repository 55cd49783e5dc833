"""Sessions: the provider's data with an expiry, authenticated, so that the plugin need not remember what it prepared."""
from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MAC_CONTEXT, TOKEN_CONTEXT = b"liveness-broker.session", b"liveness-broker.token"


@dataclass(frozen=True)
class Session:
    data: str
    expires_at: str
    """RFC 3339 in UTC with milliseconds: 2025-01-01T00:00:00.000Z"""

    def mac(self, key: bytes, app: str) -> str:
        """For the app alone: HMAC-SHA-256 in hex."""
        fields = b"".join(field(text) for text in (app, self.data, self.expires_at))
        return hmac.digest(key, MAC_CONTEXT + fields, hashlib.sha256).hex()

    def token(self) -> bytes:
        """What is used up."""
        return hashlib.sha256(TOKEN_CONTEXT + field(self.data)).digest()


def field(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return len(data).to_bytes(4, "big") + data


def time_text(time_ms: int) -> str:
    return (EPOCH + timedelta(milliseconds=time_ms)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time_ms % 1000:03d}Z"


def time_ms_of(text: object) -> int | None:
    """Milliseconds since 1970 of a time in RFC 3339, or in seconds since 1970; a time without a zone is in UTC. None: it is no time."""
    try:
        if isinstance(text, str):
            time = datetime.fromisoformat(text)
            return ((time if time.tzinfo else time.replace(tzinfo=timezone.utc)) - EPOCH) // timedelta(milliseconds=1)
        if isinstance(text, (int, float)) and not isinstance(text, bool) and 0 <= text < 1e11:
            return int(text * 1000)
    except (ValueError, OverflowError):
        pass
    return None
