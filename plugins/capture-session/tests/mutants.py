#!/usr/bin/python3 -B
"""Changes documents and tokens of sessions, and finds what is accepted although the device or the service signed something else.

    mutants.py [COUNT [SEED]]

COUNT changes, by default 20000, are spread over the subjects below; SEED makes the same ones again. Needs the SDK in vendor/ (make).
"""
import hashlib
import json
import pathlib
import random
import sys

from captures import NOW_MS, SESSION_KEY, document, face, salt_binding, token

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "vendor")]

from assay_plugin import Evidence, Purpose, Refusal  # noqa: E402
from assay_plugin.appraisal import Appraisal  # noqa: E402
from assay_plugin.faults import CheckFailed  # noqa: E402
from capture.configuration import Configuration, Limits  # noqa: E402
from capture.countries import COUNTRIES  # noqa: E402
from capture.plugin import PLUGIN  # noqa: E402
from capture.session import session_of  # noqa: E402

FORMAT = PLUGIN.formats[0]
USUAL = Configuration(SESSION_KEY, 60_000, "substantial", 720, COUNTRIES, Limits(50, 40, 200, 720), 13, 26)
PIECES = [b",", b"}", b"{", b"[", b"]", b'"', b"\\u0000", b" ", b"\xff", b"0", b"1e9", b"-", b"true", b"null", b'"platform":"ios",']
ODD = (None, True, False, 0, -1, 1, 60, 2**63, 0.5, 1e308, "", "x", "\u0000", "ios", "android", "17.2", [], {}, [[]], {"side": "front"})


def is_accepted(body, payload, signals=b""):
    appraisal = Appraisal(FORMAT, USUAL, None, b"", None)
    evidence = Evidence(FORMAT.name, "app", body, NOW_MS, Purpose.ASSERT, b"", payload, signals=signals)
    try:
        FORMAT.appraise(appraisal, evidence)
    except (CheckFailed, Refusal):
        return False
    return not appraisal.failed and bool(appraisal.response().verified_payload_sha256)


def changed_bytes(chance, body):
    data = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at, kind = chance.randrange(len(data) or 1), chance.randrange(6)
        if kind == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and data:
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[at:at + chance.choice((1, 2, 44))]
        elif kind == 3:
            data[at:at] = chance.choice(PIECES)
        elif kind == 4:
            data[at:at] = data[at:at + chance.randrange(1, 60)]
        elif data:
            other = chance.randrange(len(data))
            data[at], data[other] = data[other], data[at]
    return bytes(data)


def places(value):
    """Each container and key within a document."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def changed_values(chance, body):
    """Another value of a member: valid JSON, so that the change reaches the checks behind the reader."""
    found = json.loads(body)
    container, key = chance.choice(list(places(found)))
    container[key] = chance.choice(ODD)
    return json.dumps(found, separators=(",", ":")).encode()


def written(value):
    return json.dumps(value, separators=(",", ":")).encode()


def try_documents(chance, name, body, count, in_signals):
    """The document is the payload, or the payload is a document of signals that has its SHA-256."""
    signals = written({"version": 2, "capture_session_sha256": hashlib.sha256(body).hexdigest()}) if in_signals else b""
    payload = hashlib.sha256(signals or body).digest()
    wrong = [] if is_accepted(body, payload, signals) else [f"{name}: the document itself is not accepted"]
    tried = 0
    while tried < count:
        other = (changed_bytes if chance.random() < 0.5 else changed_values)(chance, body)
        if other == body:
            continue
        tried += 1
        if is_accepted(other, payload, signals):
            wrong.append(f"{name}: accepted: {other.decode(errors='backslashreplace')}")
    return wrong


def try_tokens(chance, name, good, count):
    """In a document that the device signed: the service has not prepared the session."""
    wrong, tried = [] if session_of(good, SESSION_KEY, "app") else [f"{name}: the token itself is of no session"], 0
    while tried < count:
        other = changed_bytes(chance, good.encode()).decode("utf-8", "surrogateescape")
        if other == good:
            continue
        tried += 1
        if session_of(other, SESSION_KEY, "app") is not None:
            wrong.append(f"{name}: of a session: {other!r}")
    return wrong


def run(count, seed):
    """The sentences of what is wrong."""
    chance, card, liveness = random.Random(seed), written(document(salt_binding=salt_binding())), written(face(spoof_detected=False))
    each = -(-count // 5)
    return [
        *try_documents(chance, "an identity card", card, each, False), *try_documents(chance, "liveness", liveness, each, False),
        *try_documents(chance, "an identity card in signals", card, each, True), *try_documents(chance, "liveness in signals", liveness, each, True),
        *try_tokens(chance, "a token", token(), each)]


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    wrong = run(count, int(sys.argv[2]) if len(sys.argv) > 2 else 145)
    print("\n".join([*wrong[:20], f"{count} changes: {len(wrong)} wrongly accepted"]))
    sys.exit(1 if wrong else 0)
