"""Makes recordings as an app does: frames with digests, times and depth, the chain over them, and its document.

It has its own code for the chain, frame after frame, so that it shares no mistake with the plugin.
"""
import base64
import hashlib
import json
import struct

CHECKPOINTS = (150, 300, 450)
SCENE = {"mean": 2.2, "deviation": 1.32, "layers": 3, "edge_coherence": 0.377, "min": 0.8, "max": 4.0}
"""Numbers of a keyframe that shows a scene with depth."""


def b64(data):
    return base64.b64encode(data).decode()


def sha256(data):
    return hashlib.sha256(data).digest()


def frame_digest(number):
    return sha256(b"frame %d" % number)


def map_digest(number):
    return sha256(b"depth %d" % number)


def keyframe_hash(digest, numbers):
    if numbers is None:
        return digest
    names = ("mean", "deviation", "layers", "edge_coherence", "min", "max")
    return sha256(digest + struct.pack("<6d", *(numbers[name] for name in names)))


def hashes_of(count, times, has_depth, depth):
    """The chain of version 2 over the first `count` frames; frames are numbered from 1."""
    hashes = []
    for number in range(1, count + 1):
        digest = bytes(32)
        if has_depth and number % 3 == 0:
            digest = keyframe_hash(map_digest(number), depth[number // 3 - 1] if depth else None)
        link = frame_digest(number) + digest + struct.pack("<d", times[number - 1])
        hashes.append(sha256(link + (hashes[-1] if hashes else b"")))
    return hashes


def recording(frames=12, version=2, attested=None, times=None, has_depth=True, depth="scene", **changes):
    """The document as a dictionary. `depth`: the numbers of each keyframe, "scene" for the same in each, None for none."""
    count = attested or frames
    times = times or [number / 30 for number in range(count)]
    keyframes = count // 3 if has_depth else 0
    if depth == "scene":
        depth = [SCENE] * keyframes
    depth = depth if has_depth and keyframes else None
    hashes = hashes_of(count, times, has_depth, depth)
    document = {"version": version, "frames": frames, "duration": frames / 30, "keyframes": keyframes, "final_hash": b64(hashes[-1])}
    if attested:
        document["attested_frames"] = attested
    document |= {"hashes": b64(b"".join(hashes)), "times": times}
    if version == 2:
        document["frame_digests"] = b64(b"".join(frame_digest(number) for number in range(1, count + 1)))
        if keyframes:
            document["depth_digests"] = b64(b"".join(map_digest(3 * number) for number in range(1, keyframes + 1)))
    if depth:
        document["depth"] = {name: [row[name] for row in depth] for name in SCENE}
    return {name: value for name, value in {**document, **changes}.items() if value is not ...}


def written(document):
    return document if isinstance(document, bytes) else json.dumps(document, separators=(",", ":")).encode()


def final_hash(document):
    return base64.b64decode(document["final_hash"])
