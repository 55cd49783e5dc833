#!/usr/bin/python3 -B
"""Changes documents, and finds what is accepted although something that the device signed differs.

    mutants.py [COUNT [SEED]]

COUNT changes, by default 20000, are spread over the documents below; SEED makes the same ones again. What a changed document says is read
by Python's own decoder of JSON, and not by the plugin's. Needs the SDK in vendor/ (make).
"""
import base64
import json
import random
import struct
import sys

from in_process import appraised, is_accepted
from recording import SCENE, final_hash, recording, sha256, written

NUMBERS = ["0", "-0", "1", "2", "3", "12", "150", "0.4", "1e-1", "0.5", "5e-324", "1e10", "1e308", "-1", "12.0", "true", "null", '""', "[]", "{}"]
PIECES = [b",", b"}", b"{", b"[", b"]", b'"', b"\\u0000", b" ", b"\xff", b"=", b"==", b"A", b'"version":2,', b'"times":[],']


def signed_by_document(body):
    return body


def signed_by_hash(body):
    """What the final hash of version 2 covers, as values."""
    found = json.loads(body)
    depth = found.get("depth")
    return (
        base64.b64decode(found["final_hash"]), base64.b64decode(found["hashes"]), base64.b64decode(found["frame_digests"]),
        base64.b64decode(found.get("depth_digests", "")), struct.pack(f"<{len(found['times'])}d", *found["times"]), found["keyframes"],
        found["version"], depth and [struct.pack(f"<{len(depth[name])}d", *depth[name]) for name in SCENE])


def signed_of_version_1(body):
    """The final hash alone; all else is the app's word."""
    return base64.b64decode(json.loads(body)["final_hash"])


def changed_bytes(chance, body):
    data = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(6)
        if kind == 0:
            data[at:at + 1] = bytes([data[at] ^ 1 << chance.randrange(8)])
        elif kind == 1:
            data[at:at + 1] = bytes([chance.randrange(256)])
        elif kind == 2:
            del data[at:at + chance.choice((1, 2, 44))]
        elif kind == 3:
            data[at:at] = chance.choice(PIECES)
        elif kind == 4:
            data[at:at] = data[at:at + chance.randrange(1, 60)]
        else:
            other = chance.randrange(len(data))
            data[at], data[other] = data[other], data[at]
        if not data:
            break
    return bytes(data)


def changed_values(chance, body):
    """Another value of a member: valid JSON, so that the change reaches the checks behind the reader."""
    found = json.loads(body)
    name = chance.choice(sorted(found))
    value = found[name]
    if name == "depth" and chance.random() < 0.9:
        row = value[chance.choice(sorted(value))]
        row[chance.randrange(len(row))] = json.loads(chance.choice(NUMBERS[:13]))
    elif isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        number = struct.unpack("<d", (struct.unpack("<Q", struct.pack("<d", value[at]))[0] ^ 1 << chance.randrange(52)).to_bytes(8, "little"))[0]
        value[at] = chance.choice((number, json.loads(chance.choice(NUMBERS[:14]))))
    elif isinstance(value, str) and chance.random() < 0.8:
        data = bytearray(base64.b64decode(value))
        at = chance.randrange(len(data))
        if chance.randrange(3) == 0:
            # Two whole digests change places, or one is left out.
            first, second = (32 * chance.randrange(len(data) // 32) for _ in range(2))
            data[first:first + 32], data[second:second + 32] = data[second:second + 32], data[first:first + 32]
            if chance.randrange(3) == 0:
                del data[first:first + 32]
        else:
            data[at] ^= 1 << chance.randrange(8)
        found[name] = base64.b64encode(data).decode()
    elif chance.random() < 0.3:
        del found[name]
    else:
        found[name] = json.loads(chance.choice(NUMBERS))
    return json.dumps(found, separators=(",", ":")).encode()


SUBJECTS = [
    ("the document of version 2", recording(9), "document", signed_by_document),
    ("the final hash of version 2", recording(9), "final_hash", signed_by_hash),
    ("the final hash of version 2 without depth", recording(7, has_depth=False), "final_hash", signed_by_hash),
    ("the document of version 1", recording(6, version=1), "document", signed_by_document),
    ("the final hash of version 1", recording(6, version=1), "final_hash", signed_of_version_1),
]


def run(count, seed):
    """The sentences of what is wrong, and how many changes were accepted since they changed nothing that was signed."""
    chance, wrong, harmless = random.Random(seed), [], 0
    for name, document, signs, signed in SUBJECTS:
        body = written(document)
        payload, original = sha256(body if signs == "document" else final_hash(document)), signed(body)
        if not is_accepted(appraised(body, payload)):
            wrong.append(f"{name}: the document itself is not accepted")
        for _ in range(count // len(SUBJECTS)):
            other = (changed_bytes if chance.random() < 0.5 else changed_values)(chance, body)
            if is_accepted(appraised(other, payload)):
                harmless += 1
                if signed(other) != original:
                    wrong.append(f"{name}: accepted although what was signed differs: {other.decode(errors='backslashreplace')}")
    return wrong, harmless


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    wrong, harmless = run(count, int(sys.argv[2]) if len(sys.argv) > 2 else 145)
    print("\n".join(wrong[:20] + [f"{count} changes: {len(wrong)} wrongly accepted, {harmless} that change nothing signed accepted"]))
    sys.exit(1 if wrong else 0)
