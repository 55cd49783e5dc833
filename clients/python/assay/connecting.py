"""What the failures of sockets and TLS are to a call."""

from __future__ import annotations

import socket
import ssl

from .errors import AssayError, own
from .options import Endpoint

_IN_CLEAR = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG")

MAX_IDLE = 8
MAX_IDLE_SECONDS = 60.0


def not_connected(error: BaseException, endpoint: Endpoint) -> AssayError:
    """No connection was made: no byte of a call was sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return own("tls_failed", f"{endpoint}: the certificate is not taken: {error.verify_message}")
    if isinstance(error, ssl.SSLError) and not _is_end(error):
        # What OpenSSL says of a server that answers in clear.
        hint = ": the server does not speak TLS here; is its address http://?" if error.reason in _IN_CLEAR else ""
        return own("tls_failed", f"{endpoint}: TLS: {error.reason or error}{hint}")
    if isinstance(error, ssl.CertificateError):
        return own("tls_failed", f"{endpoint}: the certificate is not taken: {error}")
    if isinstance(error, socket.gaierror):
        return own("connect_failed", f"{endpoint}: the name cannot be resolved: {error.strerror}")
    return own("connect_failed", f"{endpoint}: {getattr(error, 'strerror', None) or error}")


def _is_end(error: ssl.SSLError) -> bool:
    """Whether the connection ended in the handshake, which versions of Python and OpenSSL say in different ways."""
    ends = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
    return isinstance(error, ends) or "EOF" in (error.reason or "")


def not_connected_in_time(endpoint: Endpoint, seconds: float) -> AssayError:
    return own("connect_failed", f"{endpoint}: no connection within {seconds:g} s")


def lost(error: BaseException) -> AssayError:
    """A connection over which a call was sent, in part or whole, failed."""
    if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
        # With TLS 1.3 a certificate of a client is refused behind the handshake.
        return own("tls_failed", f"TLS: the daemon ended the connection: {error.reason}")
    return own("connection_lost", f"the connection failed before the answer was whole; whether the call was done is not known: {error}")


def lost_before_answer() -> AssayError:
    return own("connection_lost", "the connection ended before its answer; whether the call was done is not known")


def timed_out() -> AssayError:
    return own("timeout", "the time-out passed before the answer was whole; whether the call was done is not known")
