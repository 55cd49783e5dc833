"""The socket at descriptor 3: whole frames in, frames out."""
from __future__ import annotations

import os
import select
import threading
import time

from .frame import FRAME_LIMIT

READ_SIZE = 65536
# Answers wait for each other so long, and so many bytes, that many calls share one write.
UNSENT_SECONDS, UNSENT_BYTES = 0.001, 256 * 1024


class Connection:
    """One thread takes frames; several may put some. `fault` says why the connection cannot be used any more."""

    def __init__(self, descriptor: int) -> None:
        self.fault = ""
        self.read_at = 0.0
        self._descriptor = descriptor
        self._readable = select.poll()
        self._readable.register(descriptor, select.POLLIN)
        self._in = bytearray()
        self._out: list[bytes] = []
        self._out_size = 0
        self._unsent_since = 0.0
        self._writing = threading.Lock()

    # MARK: Reading

    def take(self, deadline: float | None = None) -> bytes | None:
        """The next frame; None at the end and after a fault. TimeoutError if the deadline comes first."""
        while not self.fault:
            frame = self._whole()
            if frame is not None:
                return frame
            if self.fault or not self._read(deadline):
                break
        return None

    def _whole(self) -> bytes | None:
        if len(self._in) < 4:
            return None
        length = int.from_bytes(self._in[:4], "big")
        # Judged as soon as the four bytes are there: nothing behind them is kept.
        if not 1 <= length <= FRAME_LIMIT:
            self.fail(f"the daemon sent a frame of length {length}, expected 1 to {FRAME_LIMIT}")
            return None
        if len(self._in) < 4 + length:
            return None
        frame = bytes(self._in[4:4 + length])
        del self._in[:4 + length]
        return frame

    def _read(self, deadline: float | None) -> bool:
        self.flush()
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not self._readable.poll(left * 1000):
                raise TimeoutError
        try:
            data = os.read(self._descriptor, READ_SIZE)
        except OSError as error:
            self.fail(f"reading from the daemon failed: {error.strerror}")
            return False
        if not data and self._in:
            self.fail("the connection ended within a frame")
        self._in += data
        self.read_at = time.monotonic()
        return bool(data)

    # MARK: Writing

    def put(self, frame: bytes) -> None:
        """Puts a frame behind those that wait to be sent."""
        with self._writing:
            if not self._out:
                self._unsent_since = time.monotonic()
            self._out.append(frame)
            self._out_size += len(frame)
            if self._out_size > UNSENT_BYTES:
                self._write()

    def flush(self) -> None:
        """Sends what waits."""
        with self._writing:
            if self._out:
                self._write()

    def flush_old(self) -> None:
        """Sends what has waited for long."""
        if self._out and time.monotonic() - self._unsent_since >= UNSENT_SECONDS:
            self.flush()

    def _write(self) -> None:
        data = memoryview(self._out[0] if len(self._out) == 1 else b"".join(self._out))
        self._out.clear()
        self._out_size = 0
        try:
            while data and not self.fault:
                data = data[os.write(self._descriptor, data):]
        except OSError as error:
            self.fail(f"writing to the daemon failed: {error.strerror}")

    def fail(self, sentence: str) -> None:
        self.fault = self.fault or sentence
