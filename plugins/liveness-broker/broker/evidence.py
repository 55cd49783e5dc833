"""The body of evidence: JSON, with what Prepare answered and what the capture made of it."""
from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Any

from assay_plugin import Refusal, parse_json

from .session import Session

BODY_LIMIT = 512 * 1024
SESSION_LIMIT = 64 * 1024
MEMBERS = {"session_data", "expires_at", "session_mac", "metadata", "media"}


@dataclass(frozen=True)
class Capture:
    session: Session
    session_mac: str
    metadata: str
    media: str
    """Base64, or empty."""


def read_object(body: bytes, members: set[str]) -> dict[str, Any]:
    try:
        document = parse_json(body)
    except ValueError as error:
        raise Refusal("malformed", f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise Refusal("malformed", "expected an object, found another value")
    unknown = len(document.keys() - members)
    if unknown:
        expected = f"an object with no members but {', '.join(sorted(members))}" if members else "an object without members"
        raise Refusal("malformed", f"expected {expected}; {unknown} of the body's members {'is' if unknown == 1 else 'are'} not known")
    return document


def read_capture(body: bytes) -> Capture:
    document = read_object(body, MEMBERS)
    session = Session(text(document, "session_data", SESSION_LIMIT), text(document, "expires_at", 64))
    mac = text(document, "session_mac", 64)
    if not re.fullmatch("[0-9a-f]{64}", mac):
        raise Refusal("malformed", "expected session_mac as 64 hex digits")
    metadata = document.get("metadata", "")
    if not isinstance(metadata, str):
        raise Refusal("malformed", "expected metadata as a string")
    return Capture(session, mac, metadata, base64_text(document.get("media", "")))


def text(document: dict[str, Any], name: str, limit: int) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not 1 <= len(value.encode()) <= limit:
        raise Refusal("malformed", f"expected {name} as a string of 1 to {limit} bytes")
    return value


def base64_text(value: Any) -> str:
    """The text of strict Base64, which has one reading."""
    try:
        if isinstance(value, str) and base64.b64encode(base64.b64decode(value, validate=True)).decode() == value:
            return value
    except ValueError:
        pass
    raise Refusal("malformed", "expected media as Base64 with padding")
