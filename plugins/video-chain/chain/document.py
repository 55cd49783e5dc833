"""The body: a strict JSON document, of which every member is read before anything is judged."""
from __future__ import annotations

import base64
import binascii
import operator
from dataclasses import dataclass
from typing import Any

from assay_plugin import Refusal, parse_json

from .constants import DEPTH_LEAST, DEPTH_MOST, FRAME_LIMIT, HASH_SIZE, LAYERS_MOST, SECONDS_LIMIT

COMMON = {"version", "frames", "duration", "keyframes", "final_hash", "hashes", "times"}
OPTIONAL = {1: {"attested_frames", "depth"}, 2: {"attested_frames", "depth", "depth_digests"}}
REQUIRED = {1: COMMON, 2: COMMON | {"frame_digests"}}


@dataclass(frozen=True)
class Depth:
    """Numbers of each keyframe's depth map, in the order of the keyframes. Lengths in metres."""

    mean: list[float]
    deviation: list[float]
    layers: list[float]
    edge_coherence: list[float]
    least: list[float]
    most: list[float]

    def rows(self) -> list[tuple[float, ...]]:
        """The numbers of each keyframe, in the order of the members."""
        return list(zip(self.mean, self.deviation, self.layers, self.edge_coherence, self.least, self.most))


@dataclass(frozen=True)
class Document:
    version: int
    frames: int
    """Of the whole recording."""
    attested: int
    """The frames up to the one whose hash the device signed."""
    duration: float
    """Seconds of the whole recording."""
    keyframes: int
    """Of the attested frames; 0: the recording has no depth."""
    final_hash: bytes
    hashes: bytes
    """One after the other, 32 bytes each."""
    times: list[float]
    frame_digests: bytes = b""
    depth_digests: bytes = b""
    depth: Depth | None = None


def refuse(sentence: str) -> Refusal:
    return Refusal("malformed", sentence)


def read_document(body: bytes) -> Document:
    """Refusal if the body is no such document."""
    try:
        found = parse_json(body)
    except ValueError as error:
        raise refuse(f"the chain is no strict JSON: {error}") from None
    if not isinstance(found, dict):
        raise refuse("the chain is no JSON object")
    version = integer(found, "version", 1, 2)
    missing = sorted(REQUIRED[version] - found.keys())
    if missing:
        raise refuse(f"the member {missing[0]} of a chain of version {version} is missing")
    if not found.keys() <= REQUIRED[version] | OPTIONAL[version]:
        raise refuse(f"a chain of version {version} has a member that this version does not have")
    frames = integer(found, "frames", 1, FRAME_LIMIT)
    keyframes = integer(found, "keyframes", 0, FRAME_LIMIT)
    return Document(
        version=version, frames=frames, attested=integer(found, "attested_frames", 1, FRAME_LIMIT) if "attested_frames" in found else frames,
        duration=numbers([found["duration"]], "duration", 0, SECONDS_LIMIT)[0], keyframes=keyframes,
        final_hash=digests(found, "final_hash", 1), hashes=digests(found, "hashes", FRAME_LIMIT),
        times=numbers(listed(found["times"], "times", FRAME_LIMIT), "times", 0, SECONDS_LIMIT),
        frame_digests=digests(found, "frame_digests", FRAME_LIMIT) if version == 2 else b"",
        depth_digests=digests(found, "depth_digests", FRAME_LIMIT) if "depth_digests" in found else b"",
        depth=depth_of(found["depth"], keyframes) if "depth" in found else None)


# MARK: Values


def integer(found: dict[str, Any], name: str, least: int, most: int) -> int:
    value = found.get(name)
    if type(value) is not int or not least <= value <= most:
        raise refuse(f"{name}: expected an integer from {least} to {most}")
    return value


def digests(found: dict[str, Any], name: str, most: int) -> bytes:
    """One to `most` values of 32 bytes, one after the other in strict Base64 with padding."""
    text = found[name]
    if not isinstance(text, str):
        raise refuse(f"{name}: expected Base64 in a string")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise refuse(f"{name}: expected standard Base64 with padding") from None
    # Python's decoder takes bits behind the last byte.
    if base64.b64encode(data) != text.encode():
        raise refuse(f"{name}: expected strict Base64: the bits behind the last byte are 0")
    if len(data) % HASH_SIZE or not 1 <= len(data) // HASH_SIZE <= most:
        raise refuse(f"{name}: expected {'1' if most == 1 else f'1 to {most}'} times {HASH_SIZE} bytes, found {len(data)} bytes")
    return data


def listed(value: Any, name: str, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise refuse(f"{name}: expected a list of at most {most}")
    return value


def numbers(values: list[Any], name: str, least: float, most: float) -> list[float]:
    """JSON numbers as the nearest 64-bit floating-point numbers, each from `least` to `most`."""
    if not {*map(type, values)} <= {int, float}:
        raise refuse(f"{name}: expected numbers")
    found = list(map(float, values))
    if found and not least <= min(found) <= max(found) <= most:
        raise refuse(f"{name}: expected numbers from {least:g} to {most:g}, found {min(found):g} to {max(found):g}")
    return found


DEPTH_MEMBERS = {
    "mean": (DEPTH_LEAST, DEPTH_MOST), "deviation": (0.0, DEPTH_MOST), "layers": (0, LAYERS_MOST), "edge_coherence": (0.0, 1.0),
    "min": (DEPTH_LEAST, DEPTH_MOST), "max": (DEPTH_LEAST, DEPTH_MOST),
}


def depth_of(value: Any, keyframes: int) -> Depth:
    if not isinstance(value, dict) or value.keys() != DEPTH_MEMBERS.keys():
        raise refuse(f"depth: expected an object with {', '.join(DEPTH_MEMBERS)}, and no other member")
    lists = []
    for name, (least, most) in DEPTH_MEMBERS.items():
        found = numbers(listed(value[name], f"depth.{name}", FRAME_LIMIT), f"depth.{name}", least, most)
        if len(found) != keyframes:
            raise refuse(f"depth.{name}: expected a number for each of {keyframes} keyframes, found {len(found)}")
        lists.append(found)
    depth = Depth(*lists)
    if not all(map(operator.le, depth.least, depth.mean)) or not all(map(operator.le, depth.mean, depth.most)):
        raise refuse("depth.mean: expected the mean of each keyframe from its min to its max")
    if not all(map(float.is_integer, depth.layers)):
        raise refuse("depth.layers: expected integers")
    return depth
