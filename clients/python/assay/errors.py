"""Why a call has no answer."""

from __future__ import annotations

from typing import Optional

# What may be done next, where an answer does not say so itself.
_RETRY_BY_CODE = {
    "unavailable": "later",
    "resource_exhausted": "later",
    "deadline_exceeded": "later",
    "aborted": "later",
    "canceled": "later",
    "unknown": "later",
    "invalid_argument": "never",
    "not_found": "never",
    "already_exists": "never",
    "out_of_range": "never",
    "permission_denied": "contact_operator",
    "unauthenticated": "contact_operator",
    "failed_precondition": "contact_operator",
    "unimplemented": "contact_operator",
    "internal": "contact_operator",
    "data_loss": "contact_operator",
}

# The call certainly reached no method: repeating it is safe in any case.
_NOT_BEGUN = frozenset(["connect_failed", "going_away", "too_many_calls", "overloaded", "body_timeout"])

# Errors that the client makes itself: reason → code and retry class.
_OWN = {
    "bad_option": ("invalid_argument", "never"),
    "bad_request": ("invalid_argument", "never"),
    "connect_failed": ("unavailable", "later"),
    "tls_failed": ("unavailable", "contact_operator"),
    "connection_lost": ("unavailable", "later"),
    "protocol_broken": ("unavailable", "later"),
    "timeout": ("deadline_exceeded", "later"),
    "reply_too_large": ("internal", "contact_operator"),
    "undecodable_reply": ("internal", "contact_operator"),
    "foreign_answer": ("unknown", "contact_operator"),
}

_PAGES = {
    "permission_denied": "docs/operate/callers.md#when-it-does-not-work",
    "credential_refused": "docs/operate/callers.md#when-it-does-not-work",
    "overloaded": "docs/reference/configuration/limits.md",
    "rate_limited": "docs/reference/configuration/limits.md",
    "too_many_calls": "docs/reference/configuration/limits.md",
    "uploads_not_configured": "docs/reference/uploads.md#errors",
    "tamper_detected": "docs/reference/uploads.md#errors",
    "too_many_open_uploads": "docs/reference/uploads.md#errors",
    **{reason: "clients/README.md#errors" for reason in _OWN},
}


class AssayError(Exception):
    """Why a call has no answer: an error of the daemon, of the connection, or of the caller. A rejection is a verdict and no error.

    code: Connect's name of it, such as "unavailable".
    reason: a stable word for machines; may be empty.
    message: for people.
    retry: what may be done next: "never", "later", "contact_operator", or a word of docs/reference/reason-codes.md.
    retry_after: seconds after which another try may help; None if that is not known.
    link: where the error is documented.
    http_status: of the last answer; 0 without one.
    attempts: how often the call was tried.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        reason: str = "",
        retry: str = "",
        retry_after: Optional[float] = None,
        link: str = "",
        http_status: int = 0,
    ) -> None:
        self.code = code if code in _RETRY_BY_CODE else "unknown"
        self.reason = reason
        self.message = "".join(c if c.isprintable() else " " for c in message[:1000])
        self.retry = retry or _RETRY_BY_CODE[self.code]
        self.retry_after = retry_after
        self.link = link or page(reason)
        self.http_status = http_status
        self.attempts = 0
        super().__init__(self.message)

    def __str__(self) -> str:
        name = f"{self.code} ({self.reason})" if self.reason else self.code
        return f"{name}: {self.message} [retry: {self.retry}; see {self.link}]"

    @property
    def was_not_begun(self) -> bool:
        """Whether the call certainly reached no method, so that repeating it is safe in any case."""
        return self.reason in _NOT_BEGUN


def page(reason: str) -> str:
    """The page of the project's documentation that a reason is explained on."""
    if reason.startswith(("upload_", "chunk_")):
        return "docs/reference/uploads.md#errors"
    return _PAGES.get(reason, "docs/reference/http.md#errors")


def own(reason: str, message: str) -> AssayError:
    """An error that the client makes itself."""
    code, retry = _OWN[reason]
    return AssayError(code, message, reason=reason, retry=retry)


def foreign_answer(status: int, message: str, retry_after: Optional[float]) -> AssayError:
    """The answer is none of the daemon's: a proxy or another server gave it."""
    codes = {401: "unauthenticated", 403: "permission_denied", 404: "unimplemented"}
    passing = status in (408, 429, 502, 503, 504)
    return AssayError(
        "unavailable" if passing else codes.get(status, "unknown"),
        f"the answer (status {status}) is none of the daemon's, but of another server or a proxy: {message}",
        reason="foreign_answer",
        retry="later" if passing else "contact_operator",
        retry_after=retry_after,
        http_status=status,
    )
