"""The details of `google.rpc` beside an error: protobuf messages of a few fields, read without generated code."""

from __future__ import annotations

from typing import Dict, Iterator, Optional, Tuple, Union

_Field = Tuple[int, Union[int, bytes]]


def _varint(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a varint is cut or too long")
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value & (1 << 64) - 1, at


def fields(data: bytes) -> Iterator[_Field]:
    """The fields of a message: numbers and bytes; fixed ones are stepped over. Raises ValueError if it is no message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
        elif kind == 2:
            length, at = _varint(data, at)
            if length > len(data) - at:
                raise ValueError("a field is cut")
            yield number, data[at : at + length]
            at += length
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("a field of a kind that is not taken")


def _texts(data: bytes) -> Dict[int, str]:
    return {number: value.decode("utf-8") for number, value in fields(data) if isinstance(value, bytes)}


def error_info(data: bytes) -> Optional[Tuple[str, str]]:
    """Reason and retry class of a `google.rpc.ErrorInfo` of the domain "assay"; each may be empty."""
    reason = domain = retry = ""
    for number, value in fields(data):
        if not isinstance(value, bytes):
            continue
        if number == 1:
            reason = value.decode("utf-8")
        elif number == 2:
            domain = value.decode("utf-8")
        elif number == 3:
            entry = _texts(value)
            if entry.get(1) == "retry":
                retry = entry.get(2, "")
    return (reason, retry) if domain == "assay" else None


def retry_delay(data: bytes) -> Optional[float]:
    """The seconds of a `google.rpc.RetryInfo`; None without a time, or if it is negative."""
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            parts = {key: part for key, part in fields(value) if isinstance(part, int)}
            seconds, nanoseconds = parts.get(1, 0), parts.get(2, 0)
            if seconds < 1 << 40 and nanoseconds < 1_000_000_000:
                return seconds + nanoseconds / 1e9
    return None


def help_link(data: bytes) -> str:
    """The first link of a `google.rpc.Help` that may be shown: to a page by https, in visible ASCII."""
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            url = _texts(value).get(2, "")
            if url.startswith("https://") and len(url) <= 1000 and all("!" <= c <= "~" for c in url):
                return url
    return ""
