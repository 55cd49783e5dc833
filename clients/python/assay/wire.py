"""HTTP/1.1 without sockets: the bytes of a request, and a reader of the bytes of an answer. Both clients use it, so that each reads an
answer by the same rule and within the same limits."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from .errors import own

_MAX_HEAD = 65536
_MAX_CHUNK_LINE = 1024
_NO_HTTP = "the server does not answer in HTTP/1.1; is this the port of the framed protocol?"


def request_bytes(path: str, headers: List[Tuple[str, str]], body: bytes) -> bytes:
    """A POST. Raises AssayError (`bad_request`) if a field could end early: nothing that a caller gives adds one."""
    lines = [f"POST {path} HTTP/1.1"]
    for name, value in headers:
        if not all(" " <= c <= "~" for c in value):
            raise own("bad_request", f"the header field {name} would have other characters than visible ASCII")
        lines.append(f"{name}: {value}")
    lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body


class AnswerReader:
    """Takes the bytes of a connection until one answer is whole."""

    status: int
    """0 until the head is whole."""
    body: bytes

    def __init__(self, max_body: int) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self.body = b""
        self.is_whole = False
        self.keeps_alive = False
        """Whether another request may follow on the connection. Known once the answer is whole."""
        self.has_begun = False
        """Whether a byte has come."""
        self._max_body = max_body
        self._buffer = bytearray()
        self._parts: List[bytes] = []
        self._size = 0
        self._left: Optional[int] = None
        """Bytes of the body, or of the chunk, that are still to come; None: until the connection ends."""
        self._chunked = False
        self._in_chunk = False
        self._behind_chunk = False
        self._in_trailers = False
        self._closes = False
        self._trailer_bytes = 0

    def feed(self, data: bytes) -> None:
        """Takes what was read. Raises AssayError if it is no answer, or longer than it may be."""
        self.has_begun = True
        self._buffer += data
        while self.status == 0:
            if not self._take_head():
                return
        if not self.is_whole:
            self._take_chunks() if self._chunked else self._take_body()

    def end(self) -> None:
        """The connection ended in order. Raises AssayError if the answer is not whole."""
        if self.is_whole:
            return
        if self.status and not self._chunked and self._left is None:
            self._finish()
            return
        what = "in its answer" if self.has_begun else "before its answer"
        raise own("connection_lost", f"the connection ended {what}; whether the call was done is not known")

    def _take_head(self) -> bool:
        """Takes a head, if it is whole; an interim one is dropped."""
        end = self._buffer.find(b"\r\n\r\n")
        if end > _MAX_HEAD or (end < 0 and len(self._buffer) > _MAX_HEAD):
            raise own("protocol_broken", f"the head of the answer has more than {_MAX_HEAD} bytes")
        if end < 0:
            if not b"HTTP/1.".startswith(self._buffer[:7]):
                raise own("protocol_broken", _NO_HTTP)
            return False
        lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        version, _, rest = lines[0].partition(" ")
        if version not in ("HTTP/1.1", "HTTP/1.0") or not (rest[:3].isascii() and rest[:3].isdigit()) or rest[3:4] not in ("", " "):
            raise own("protocol_broken", _NO_HTTP)
        status = int(rest[:3])
        headers: Dict[str, str] = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip() or "\n" in line or "\r" in line:
                raise own("protocol_broken", "a header field of the answer has no name")
            name, value = name.lower(), value.strip(" \t")
            if name == "content-length" and headers.get(name, value) != value:
                raise own("protocol_broken", "the answer has two lengths")
            headers[name] = f"{headers[name]}, {value}" if name in headers and name != "content-length" else value
        if 100 <= status < 200 and status != 101:
            return True
        self.status, self.headers = status, headers
        self._closes = version == "HTTP/1.0" or "close" in headers.get("connection", "").lower()
        self._begin_body()
        return True

    def _begin_body(self) -> None:
        coding = self.headers.get("transfer-encoding")
        length = self.headers.get("content-length")
        if self.status in (101, 204, 304):
            self._left = 0
        elif coding is not None:
            if coding.lower() != "chunked":
                raise own("protocol_broken", "the answer has a transfer coding that was not asked for")
            self._chunked = True
            # Two statements of the length: only this answer is read from the connection (RFC 9112 §6.3).
            self._closes = self._closes or length is not None
        elif length is not None:
            if not (length.isascii() and length.isdigit()) or len(length) > 18:
                raise own("protocol_broken", "the length of the answer is not a number")
            self._left = int(length)
            self._check_size(self._left)
        else:
            self._closes = True

    def _take_body(self) -> None:
        data = bytes(self._buffer if self._left is None else self._buffer[: self._left])
        del self._buffer[: len(data)]
        self._add(data)
        if self._left is not None:
            self._left -= len(data)
            if self._left == 0:
                self._finish()

    def _take_chunks(self) -> None:
        while not self.is_whole:
            if self._in_chunk:
                data = bytes(self._buffer[: self._left])
                del self._buffer[: len(data)]
                self._add(data)
                self._left = (self._left or 0) - len(data)
                if self._left:
                    return
                self._in_chunk, self._behind_chunk = False, True
            line = self._take_line()
            if line is None:
                return
            if self._behind_chunk:
                if line:
                    raise own("protocol_broken", "a chunk of the answer does not end where it should")
                self._behind_chunk = False
            elif self._in_trailers:
                self._trailer_bytes += len(line) + 2
                if self._trailer_bytes > _MAX_HEAD:
                    raise own("protocol_broken", f"the trailers of the answer have more than {_MAX_HEAD} bytes")
                if not line:
                    self._finish()
            else:
                digits = line.split(b";")[0].strip(b" \t")
                if not 0 < len(digits) <= 15 or any(c not in b"0123456789abcdefABCDEF" for c in digits):
                    raise own("protocol_broken", "the length of a chunk is not a number")
                self._left = int(digits, 16)
                self._check_size(self._size + self._left)
                self._in_chunk, self._in_trailers = self._left > 0, self._left == 0

    def _take_line(self) -> Optional[bytes]:
        end = self._buffer.find(b"\r\n")
        limit = _MAX_HEAD if self._in_trailers else _MAX_CHUNK_LINE
        if end > limit or (end < 0 and len(self._buffer) > limit):
            raise own("protocol_broken", "a line of the answer's chunks is too long")
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _add(self, data: bytes) -> None:
        self._size += len(data)
        self._check_size(self._size)
        self._parts.append(data)

    def _check_size(self, size: int) -> None:
        if size > self._max_body:
            raise own("reply_too_large", f"the answer is longer than {self._max_body} bytes (max_answer_bytes)")

    def _finish(self) -> None:
        self.is_whole = True
        self.body = b"".join(self._parts)
        # Bytes behind an answer that no request asked for: the connection is not used again.
        self.keeps_alive = not self._closes and not self._buffer
