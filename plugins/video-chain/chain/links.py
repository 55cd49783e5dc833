"""The links of a chain of version 2, computed again."""
from __future__ import annotations

import struct
from hashlib import sha256

from .constants import HASH_SIZE, KEYFRAME_STEP
from .document import Document

NO_DEPTH = bytes(HASH_SIZE)


def broken_link(document: Document) -> tuple[int, bytes] | None:
    """The first frame, counted from 1, whose hash is not that of its parts, and the hash that it would have; None: all are right.

    Each link is computed with the hash before it as the document states it: if all are right, these are the chain's.
    """
    frames, seconds = pieces(document.frame_digests), [struct.pack("<d", time) for time in document.times]
    depths = [NO_DEPTH] * document.attested
    if document.keyframes:
        depths[KEYFRAME_STEP - 1::KEYFRAME_STEP] = keyframe_digests(document)
    hashes = pieces(document.hashes)
    links = map(b"".join, zip(frames, depths, seconds, [b"", *hashes]))
    found = [sha256(link).digest() for link in links]
    if found == hashes:
        return None
    return next((at, digest) for at, (digest, stated) in enumerate(zip(found, hashes), 1) if digest != stated)


def keyframe_digests(document: Document) -> list[bytes]:
    """What stands for the depth of each keyframe in its link: the digest of its map, or that of digest and numbers if there are numbers."""
    maps = pieces(document.depth_digests)
    if document.depth is None:
        return maps
    pack = struct.Struct("<6d").pack
    return [sha256(digest + pack(*row)).digest() for digest, row in zip(maps, document.depth.rows())]


def pieces(data: bytes) -> list[bytes]:
    return [piece for (piece,) in struct.iter_unpack(f"{HASH_SIZE}s", data)]
