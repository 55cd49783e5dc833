#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md.

    vectors.py [FOLDER [URL]]

The provider of URL is that of provider.py.
"""
import base64
import hashlib
import hmac
import json
import sys

from provider import API_KEY, METADATA

SESSION_KEY = bytes(range(32))
NOW_MS = 1_764_579_600_000
DATA, EXPIRES_AT = "session of the provider", "2025-12-01T09:02:00.000Z"
URL = "http://127.0.0.1:1/v1"


def b64(data):
    return base64.b64encode(data).decode()


def field(text):
    return len(text.encode()).to_bytes(4, "big") + text.encode()


def session(data=DATA, expires_at=EXPIRES_AT, app="app", key=SESSION_KEY):
    fields = field(app) + field(data) + field(expires_at)
    mac = hmac.digest(key, b"liveness-broker.session" + fields, hashlib.sha256).hex()
    return {"session_data": data, "expires_at": expires_at, "session_mac": mac}


def token(data=DATA):
    return hashlib.sha256(b"liveness-broker.token" + field(data)).digest()


def configuration(url=URL, **changes):
    return {
        "base_url": url, "api_key": API_KEY, "session_key": SESSION_KEY.hex(), "timeout_ms": 3000,
        "prepare": {"path": "/prepare", "session_data": "result.data", "expires_at": "ends"},
        "analyze": {
            "path": "/analyze", "request": {"capture": {"source": "assay"}}, "session_data": "session", "metadata": "capture.metadata",
            "media": "capture.media", "analysis_id": "id",
            "conditions": [{"field": "iad.score", "at_least": 0.8}, {"field": "iad.verdict", "equals": "genuine"}]},
        **changes,
    }


def case(name, document, verdict, *reasons, url=URL, world=None, **changes):
    body = document if isinstance(document, bytes) else json.dumps(document, separators=(",", ":")).encode()
    claims = {"provider": "127.0.0.1", "analysis_id": "analysis-1", "session_expires_at": 1_764_579_720_000} if verdict == "ACCEPTED" else {}
    return {
        "id": name, "configuration": configuration(url, **changes), "format": "liveness-broker", "app": "app", "purpose": "assert",
        "body_b64": b64(body), "now_unix_ms": NOW_MS, "world": world or {}, "expect": {"verdict": verdict, "reasons": reasons, "claims": claims},
    }


def capture(metadata=METADATA, **changes):
    return {**session(), "metadata": metadata, **changes}


def cases(url):
    whole = json.dumps(capture()).encode()
    return [
        case("right", capture(), "ACCEPTED", url=url),
        case("media", capture(media=b64(b"a film")), "ACCEPTED", url=url, media="optional"),
        case("injected", capture("a replay"), "REJECTED", "liveness_rejected", url=url),
        case("empty-metadata", capture(""), "REJECTED", "metadata_missing"),
        case("blank-metadata", capture(" \n"), "REJECTED", "metadata_missing"),
        case("no-metadata", session(), "REJECTED", "metadata_missing"),
        case("other-metadata", capture(["good"]), "REJECTED", "malformed"),
        case("media-not-wanted", capture(media=b64(b"a film")), "REJECTED", "malformed"),
        case("media-missing", capture(), "REJECTED", "malformed", media="required"),
        case("media-not-strict", capture(media="YR=="), "REJECTED", "malformed", media="optional"),
        case("other-app", {**capture(), **session(app="another")}, "REJECTED", "session_invalid"),
        case("other-key", {**capture(), **session(key=bytes(32))}, "REJECTED", "session_invalid"),
        case("longer-session", capture(expires_at="2026-12-01T09:02:00.000Z"), "REJECTED", "session_invalid"),
        case("ended", {**capture(), **session(expires_at="2025-12-01T09:00:00.000Z")}, "REJECTED", "session_expired"),
        case("used", capture(), "REJECTED", "session_used", world={"used_tokens_b64": [b64(token())]}),
        case("twice", whole[:-1] + b',"metadata":"good"}', "REJECTED", "malformed"),
        case("unknown-member", capture(extra=1), "REJECTED", "malformed"),
        case("no-session", {"metadata": METADATA}, "REJECTED", "malformed"),
        case("no-json", b"\xff", "REJECTED", "malformed"),
        case("no-object", b"[]", "REJECTED", "malformed"),
        case("deep", b"[" * 100_000, "REJECTED", "malformed"),
        # Nothing listens there.
        case("down", capture(), "UNAVAILABLE"),
    ]


if __name__ == "__main__":
    json.dump({"plugin": "liveness-broker", "cases": cases(sys.argv[2] if len(sys.argv) > 2 else URL)}, sys.stdout, indent=1)
