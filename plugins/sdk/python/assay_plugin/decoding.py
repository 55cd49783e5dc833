"""Messages of the generated code, from bytes."""
from __future__ import annotations

from typing import Any

from .frame import fields


class DecodingError(Exception):
    """It is not the message."""


def decode(kind: Any, data: bytes) -> Any:
    try:
        message = kind.FromString(data)
        # Some implementations stop at a key of 0 and ignore what follows.
        if message.ByteSize() != len(data):
            for _ in fields(data):
                pass
        return message
    except MemoryError:
        raise
    except Exception:
        # Each implementation of protobuf has errors of its own beside DecodeError.
        raise DecodingError from None
