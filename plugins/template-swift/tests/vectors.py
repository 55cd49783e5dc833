#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md."""
import base64
import hashlib
import hmac
import json
import sys

KEY = bytes(range(32))
CLIENT_DATA = b"client data of a request"


def b64(data):
    return base64.b64encode(data).decode()


def case(name, body, verdict, *reasons):
    return {
        "id": name, "configuration": {"key": KEY.hex()}, "format": "example.hmac", "app": "app", "purpose": "assert",
        "body_b64": b64(body), "now_unix_ms": 1_764_579_600_000, "expected": {"client_data_b64": b64(CLIENT_DATA)}, "world": {},
        "expect": {"verdict": verdict, "reasons": reasons, "claims": {"algorithm": "hmac-sha256"} if verdict == "ACCEPTED" else {}},
    }


good = hmac.digest(KEY, CLIENT_DATA, hashlib.sha256)
json.dump({"plugin": "example-hmac", "cases": [
    case("right", good, "ACCEPTED"),
    case("other-key", hmac.digest(bytes(32), CLIENT_DATA, hashlib.sha256), "REJECTED", "bad_signature"),
    case("other-data", hmac.digest(KEY, b"other", hashlib.sha256), "REJECTED", "bad_signature"),
    case("short", good[:31], "REJECTED", "malformed"),
    case("long", good + b"\0", "REJECTED", "malformed"),
    case("empty", b"", "REJECTED", "malformed"),
]}, sys.stdout, indent=1)
