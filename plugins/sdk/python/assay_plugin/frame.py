"""assay.rpc.v1.Frame, by hand: a frame has one kind, given once, and no groups, which generated code does not judge."""
from __future__ import annotations

from collections.abc import Iterator

from .faults import Fault
from .sentences import sentence

FRAME_LIMIT = 1024 * 1024
METADATA_LIMIT = 32

# Field numbers of assay.rpc.v1, and wire types.
CALL_ID, CALL, REPLY, CANCEL, PING, PONG, LAST_KIND = 1, 2, 3, 6, 7, 8, 9
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class FrameError(Exception):
    """It is not a frame."""


class Frame:
    """What a frame holds. `kind` is 0 if it has none, or one that is not known."""

    __slots__ = ("call_id", "kind", "method", "message", "timeout_ms", "metadata_count", "code", "reason", "sentence")

    def __init__(self) -> None:
        self.call_id = self.kind = self.timeout_ms = self.metadata_count = self.code = 0
        self.method = self.message = self.reason = self.sentence = b""


# MARK: Reading


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise FrameError
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                raise FrameError
            return value, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """Number, wire type, and the value of a varint or the bytes, of each field."""
    at, end = 0, len(data)
    while at < end:
        key, at = varint(data, at)
        if key < 8 or key > 0xFFFFFFFF:
            raise FrameError
        wire = key & 7
        if wire == VARINT:
            value, at = varint(data, at)
            yield key >> 3, wire, value, b""
            continue
        if wire == BYTES:
            size, at = varint(data, at)
        elif wire == FIXED64:
            size = 8
        elif wire == FIXED32:
            size = 4
        else:
            raise FrameError
        if size > end - at:
            raise FrameError
        yield key >> 3, wire, 0, data[at:at + size]
        at += size


def expect(condition: bool) -> None:
    if not condition:
        raise FrameError


def text(wire: int, data: bytes) -> bytes:
    expect(wire == BYTES)
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            raise FrameError from None
    return data


def read_frame(data: bytes) -> Frame:
    frame, content = Frame(), b""
    for number, wire, value, part in fields(data):
        if number == CALL_ID:
            expect(wire == VARINT)
            frame.call_id = value
        elif number <= LAST_KIND:
            expect(wire == BYTES and frame.kind == 0)
            frame.kind, content = number, part
    if frame.kind == CALL:
        read_call(frame, content)
    elif frame.kind == REPLY:
        read_reply(frame, content)
    else:
        for _ in fields(content):
            pass
    return frame


def read_call(frame: Frame, content: bytes) -> None:
    given = set()
    for number, wire, value, part in fields(content):
        if number == 1 or number == 2:
            expect(number not in given)
            given.add(number)
        if number == 1:
            frame.method = text(wire, part)
        elif number == 2:
            expect(wire == BYTES)
            frame.message = part
        elif number == 3:
            expect(wire == VARINT)
            frame.timeout_ms = value
        elif number == 4:
            expect(wire == BYTES)
            read_metadata(part)
            frame.metadata_count += 1


def read_metadata(content: bytes) -> None:
    for number, wire, _, part in fields(content):
        if number <= 2:
            text(wire, part)


def read_reply(frame: Frame, content: bytes) -> None:
    for number, wire, _, part in fields(content):
        if number == 1:
            expect(wire == BYTES)
            read_status(frame, part)
        elif number == 2:
            expect(wire == BYTES)
            frame.message = part


def read_status(frame: Frame, content: bytes) -> None:
    for number, wire, value, part in fields(content):
        if number == 1:
            expect(wire == VARINT)
            frame.code = value
        elif number == 2:
            frame.sentence = text(wire, part)
        elif number == 3:
            frame.reason = text(wire, part)


# MARK: Writing


def varint_bytes(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field_bytes(key: int, data: bytes) -> bytes:
    return bytes((key,)) + varint_bytes(len(data)) + data if data else b""


def varint_field(key: int, value: int) -> bytes:
    return bytes((key,)) + varint_bytes(value) if value else b""


def framed(call_id: int, kind: int, content: bytes) -> bytes:
    """The frame behind its length; an empty `content` still names the kind."""
    payload = varint_field(0x08, call_id) + bytes((kind << 3 | BYTES,)) + varint_bytes(len(content)) + content
    return len(payload).to_bytes(4, "big") + payload


PONG_FRAME = framed(0, PONG, b"")
# What a frame takes beside a message: ids, keys and sizes.
HEAD_LIMIT = 256


def reply_frame(call_id: int, message: bytes) -> bytes:
    """A reply with status OK. Fault: it would be larger than a frame may be."""
    if len(message) > FRAME_LIMIT - HEAD_LIMIT:
        raise Fault(13, "reply_too_large", "the plugin's answer is larger than a frame")
    return framed(call_id, REPLY, field_bytes(0x12, message))


def status_frame(call_id: int, fault: Fault) -> bytes:
    retry_after_ms = min(max(0, round(fault.retry_after * 1000)), 0xFFFFFFFF)
    status = (varint_field(0x08, fault.code) + field_bytes(0x12, sentence(fault.sentence).encode())
              + field_bytes(0x1A, sentence(fault.reason).encode()[:64]) + varint_field(0x20, retry_after_ms))
    return framed(call_id, REPLY, field_bytes(0x0A, status))


def call_frame(call_id: int, method: bytes, message: bytes, timeout_ms: int) -> bytes:
    if len(message) > FRAME_LIMIT - HEAD_LIMIT:
        raise Fault(13, "call_too_large", "the plugin's call to the host is larger than a frame")
    return framed(call_id, CALL, field_bytes(0x0A, method) + field_bytes(0x12, message) + varint_field(0x18, timeout_ms))
