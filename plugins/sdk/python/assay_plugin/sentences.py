"""Text for people and for machines that goes to the daemon."""
from __future__ import annotations

import re
from functools import lru_cache

from .faults import INTERNAL, Fault

SENTENCE_LIMIT = 1024
NAME = re.compile(r"[a-z0-9_]{1,64}")


def shown(data: bytes) -> str:
    """Bytes from outside, for a sentence: those that are no UTF-8 become "?"."""
    return data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode("utf-8")


def sentence(text: str) -> str:
    """The text with "?" for what cannot be printed, cut to 1024 bytes."""
    text = text[:SENTENCE_LIMIT]
    if not text.isprintable():
        text = "".join(character if character.isprintable() else "?" for character in text)
    data = text.encode("utf-8")
    return text if len(data) <= SENTENCE_LIMIT else data[:SENTENCE_LIMIT].decode("utf-8", "ignore")


@lru_cache(maxsize=512)
def name(text: str) -> bytes:
    """The name of a check, a code, a claim or a metric, as it goes on the wire."""
    if not NAME.fullmatch(text):
        raise Fault(INTERNAL, "malformed_name", f"a name is [a-z0-9_]{{1,64}}; the plugin used {sentence(text[:80])}")
    return text.encode("ascii")


def identifier(data: bytes) -> str:
    """An identifier of the protocol, which is ASCII, as text; different bytes make different text."""
    return data.decode("ascii", "surrogateescape")
