"""How a call ends without an appraisal."""
from __future__ import annotations

INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, RESOURCE_EXHAUSTED = 3, 4, 5, 8
FAILED_PRECONDITION, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 9, 12, 13, 14


class Fault(Exception):
    """A status other than OK. The daemon answers its caller UNAVAILABLE, never with a verdict."""

    def __init__(self, code: int, reason: str, sentence: str, retry_after: float = 0) -> None:
        super().__init__(sentence)
        self.code, self.reason, self.sentence, self.retry_after = code, reason, sentence, retry_after


class Unavailable(Fault):
    """Something that the plugin depends on does not answer; a handler may raise it.

    `reason` is a lower-case word, `retry_after` in seconds says when trying again may help.
    """

    def __init__(self, reason: str, sentence: str, retry_after: float = 0) -> None:
        super().__init__(UNAVAILABLE, reason, sentence, retry_after)


class Refusal(Exception):
    """The body cannot be read. In `appraise` it is a failed check "form".

    `detail` is a sentence with expected and found values, for the caller. No secrets.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


class CheckFailed(Exception):
    """Ends `appraise` after a check that failed; the finding is in the appraisal already."""
