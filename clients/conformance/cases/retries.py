"""When clients try again, and how long they wait. Time is fake: no case waits."""

from __future__ import annotations

import email.utils
import socket
import time
from typing import Any, Dict, List, Optional

from case import CHALLENGE, CHALLENGE_CALL, CHALLENGE_OUTCOME, Case, Check, Line, Run, call, failure, fails, outcome, retry_info, sent, waits
from scripted import Step, answer, ok, raw

from .answers import VERDICT, VERIFY

FAKE: Dict[str, Any] = {"fakeTime": True, "timeoutMs": 1_000_000}
UNBLOCK = call("unblock", {"app": "photos", "target": {"keyId": "AQI="}})
DOWN = failure("unavailable", "shutting_down", "later")
GENERIC = {"service": "Attestation", "method": "Prepare", "message": {"app": "a"}}


def _case(name: str, line: Line, steps: List[Step], checks: List[Check], **options: Any) -> Case:
    return Case(f"retries/{name}", [line], checks, steps, options={**FAKE, **options})


def _last(name: str, line: Line, step: Step, attempts: int, pauses: List[float], want: Optional[Dict[str, Any]] = None, **options: Any) -> Case:
    """Every try fails."""
    return _case(name, line, [step] * 12, [fails({"attempts": attempts, **(want or {})}), waits(*pauses), sent(attempts)], **options)


def _retry_after(name: str, text: str, pause: float, milliseconds: Optional[int]) -> Case:
    step = failure("resource_exhausted", "rate_limited", "later", fields={"retry-after": text})
    return _case(f"retry-after-{name}", CHALLENGE_CALL, [step] * 2, [fails({"attempts": 2, "retryAfterMs": milliseconds}), waits(pause)], tries=2)


def _same(run: Run) -> Optional[str]:
    first = run.requests[0]
    for each in run.requests[1:]:
        if each.body != first.body or each.path != first.path or each.one("idempotency-key") != first.one("idempotency-key"):
            return "two tries of a call differ"
    return None if first.one("idempotency-key") else "there is no idempotency key"


def _date_step(seconds: int, form: str = "imf") -> Step:
    """A date so far ahead when the answer is made, in whole seconds. It is read later, on a loaded machine by more than a moment."""

    def act(connection: socket.socket) -> bool:
        then = time.time() + seconds
        text = email.utils.formatdate(then, usegmt=True) if form == "imf" else time.asctime(time.gmtime(then))
        return failure("unavailable", "shutting_down", "later", fields={"retry-after": text}).act(connection)

    return Step(act)


def _pause_between(least: float, most: float) -> Check:
    def check(run: Run) -> Optional[str]:
        got = run.answers[0].get("waits") or []
        return None if len(got) == 1 and least <= got[0] <= most else f"the pauses are {got}, not one of {least} to {most} s"

    return check


def cases() -> List[Case]:
    busy = answer(503, b"busy", type="text/plain")
    not_begun = ("going_away", "too_many_calls", "overloaded", "body_timeout")
    return [
        _last("five-tries", CHALLENGE_CALL, DOWN, 5, [1, 2, 4, 8], {"code": "unavailable", "reason": "shutting_down"}),
        _last("eight-tries-at-most-30-s", CHALLENGE_CALL, DOWN, 8, [1, 2, 4, 8, 16, 30, 30], tries=8),
        _last("one-try", CHALLENGE_CALL, DOWN, 1, [], tries=1),
        _last("least-chance", CHALLENGE_CALL, DOWN, 5, [0.8, 1.6, 3.2, 6.4], chance=0),
        _last("greatest-chance", CHALLENGE_CALL, DOWN, 5, [1.2, 2.4, 4.8, 9.6], chance=1),
        _case("third-try", CHALLENGE_CALL, [DOWN, DOWN, ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(1, 2), sent(3)]),
        _case("another-error-ends-it", CHALLENGE_CALL, [DOWN, failure("not_found", "unknown_app", "never")], [fails({"code": "not_found", "attempts": 2, "httpStatus": 404}), waits(1), sent(2)]),
        _case("each-code-that-is-later", CHALLENGE_CALL, [failure("resource_exhausted", "overloaded", "later"), failure("aborted", "x", "later"), failure("unknown"), failure("canceled"), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(1, 2, 4, 8)]),
        _last("never-although-unavailable", CHALLENGE_CALL, failure("unavailable", "x", "never"), 1, []),
        _last("operator-although-unavailable", CHALLENGE_CALL, failure("unavailable", "x", "contact_operator"), 1, []),
        _last("class-of-tomorrow", CHALLENGE_CALL, failure("unavailable", "x", "tomorrow"), 1, []),
        _last("later-although-not-found", CHALLENGE_CALL, failure("not_found", "x", "later"), 2, [1], tries=2),
        _last("message-too-large", CHALLENGE_CALL, failure("resource_exhausted", "message_too_large", "never"), 1, []),
        *[_last(f"{code}-is-not-retried", CHALLENGE_CALL, failure(code), 1, []) for code in ("invalid_argument", "permission_denied", "unauthenticated", "failed_precondition", "unimplemented", "internal", "data_loss")],
        _last("foreign-503", CHALLENGE_CALL, busy, 2, [1], {"reason": "foreign_answer"}, tries=2),
        _last("foreign-404", CHALLENGE_CALL, answer(404, b"no", type="text/plain"), 1, [], {"reason": "foreign_answer"}),
        _last("unreadable-answer", CHALLENGE_CALL, ok(b"{"), 1, [], {"reason": "undecodable_reply"}),
        _case("rejected-is-an-answer", VERIFY, [ok({"decision": "DECISION_REJECTED", "reason": "not_yet_valid", "retry": "RETRY_CLASS_LATER"})], [outcome({"retry": "LATER"}), waits(), sent(1)]),
        # Calls that may not be repeated.
        _last("unblock", UNBLOCK, DOWN, 1, [], {"reason": "shutting_down"}),
        _last("unblock-foreign", UNBLOCK, busy, 1, []),
        *[_last(f"unblock-{reason}", UNBLOCK, failure("resource_exhausted" if reason in ("too_many_calls", "overloaded") else "unavailable", reason, "later"), 2, [1], tries=2) for reason in not_begun],
        _last("unblock-rate-limited", UNBLOCK, failure("resource_exhausted", "rate_limited", "later"), 1, []),
        _last("verify-without-a-key", VERIFY, DOWN, 1, [], idempotencyKeys=False),
        _last("provision-without-a-key", call("provisionDevice", {"app": "a", "deviceSerial": "s"}), DOWN, 1, [], idempotencyKeys=False),
        _last("call", call("call", GENERIC), DOWN, 1, []),
        _last("call-idempotent", call("call", GENERIC, idempotent=True), DOWN, 3, [1, 2], tries=3),
        _last("call-with-key", call("call", GENERIC, idempotencyKey="k"), DOWN, 3, [1, 2], tries=3),
        _last("call-with-key-in-the-message", call("call", {**GENERIC, "message": {"idempotencyKey": "AAEC"}}), DOWN, 3, [1, 2], tries=3),
        *[_last(f"{method}", call(method, message), DOWN, 2, [1], tries=2) for method, message in {
            "getDevice": {"app": "a", "keyId": "AQI="}, "listDevices": {"app": "a"}, "block": {"app": "a", "target": {"keyId": "AQI="}, "reason": "r"},
            "findVerdicts": {"app": "a", "payloadSha256": "AAEC"}, "getResultKeys": {}, "whoAmI": {},
        }.items()],
        # Keys.
        _case("same-random-key", VERIFY, [DOWN, DOWN, ok({**VERDICT, "repeated": True})], [outcome({"accepted": True, "repeated": False}), waits(1, 2), sent(3), _same]),
        _case("same-key-of-the-caller", {**VERIFY, "options": {"idempotencyKey": "u:1"}}, [DOWN, ok({**VERDICT, "repeated": True})], [outcome({"repeated": True}), _same]),
        # When.
        _case("retry-info", CHALLENGE_CALL, [failure("resource_exhausted", "rate_limited", "later", [retry_info(7)]), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(7.7)]),
        _case("retry-info-least-chance", CHALLENGE_CALL, [failure("resource_exhausted", "rate_limited", "later", [retry_info(7)]), ok(CHALLENGE)], [waits(7)], chance=0),
        _case("retry-info-shorter-than-the-pause", CHALLENGE_CALL, [failure("resource_exhausted", "overloaded", "later", [retry_info(0, 100_000_000)])] * 3, [waits(1, 2)], tries=3),
        _case("retry-info-before-retry-after", CHALLENGE_CALL, [failure("unavailable", "x", "later", [retry_info(3)], {"retry-after": "9"})] * 2, [fails({"retryAfterMs": 3000}), waits(3.3)], tries=2),
        _case("retry-info-longer-than-30-s", CHALLENGE_CALL, [failure("unavailable", "x", "later", [retry_info(100)]), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(110)]),
        _retry_after("seconds", "5", 5.5, 5000),
        _retry_after("zero", "0", 1, 0),
        _retry_after("negative", "-5", 1, None),
        _retry_after("fraction", "1.5", 1, None),
        _retry_after("word", "soon", 1, None),
        _retry_after("list", "5, 6", 1, None),
        _retry_after("ten-digits", "9999999999", 1, None),
        _retry_after("other-digits", "\xb2\xb3", 1, None),
        _retry_after("past-date", "Sun, 06 Nov 1994 08:49:37 GMT", 1, 0),
        _retry_after("broken-date", "Sun, 99 Nov 2094 08:49:37 GMT", 1, None),
        _retry_after("date-of-another-zone", "Sun, 06 Nov 2094 08:49:37 +0100", 1, None),
        _case("retry-after-date", CHALLENGE_CALL, [_date_step(20), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), _pause_between(15 * 1.1, 20.1 * 1.1)]),
        _case("retry-after-date-of-another-form", CHALLENGE_CALL, [_date_step(20, "asctime"), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(1)]),
        _case("retry-after-of-a-foreign-answer", CHALLENGE_CALL, [answer(503, b"busy", type="text/plain", fields={"retry-after": "4"}), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME), waits(4.4)]),
        # Time-outs.
        _last("time-out-before-the-third-pause", CHALLENGE_CALL, DOWN, 3, [1, 2], {"code": "unavailable", "reason": "shutting_down"}, timeoutMs=5000),
        _last("time-out-of-the-call", {**CHALLENGE_CALL, "options": {"callTimeoutMs": 2500}}, DOWN, 2, [1], {"reason": "shutting_down"}),
        _case("pause-beyond-the-time-out", CHALLENGE_CALL, [failure("resource_exhausted", "rate_limited", "later", [retry_info(40)])] * 2, [fails({"reason": "rate_limited", "retryAfterMs": 40000, "attempts": 1}), waits(), sent(1)], timeoutMs=30000),
        _case("time-out-counts-down", CHALLENGE_CALL, [DOWN, ok(CHALLENGE)], [lambda run: None if len(run.requests) == 2 and int(run.requests[1].one("connect-timeout-ms") or 0) <= 29000 <= int(run.requests[0].one("connect-timeout-ms") or 0) else "connect-timeout-ms of the second try is not 1 s shorter"], timeoutMs=30000),
        # Connections.
        Case("retries/nothing-listens", [CHALLENGE_CALL], [fails({"code": "unavailable", "reason": "connect_failed", "retry": "later", "httpStatus": 0, "attempts": 5, "link": "clients/README.md#errors"}), waits(1, 2, 4, 8)], place="refused", options=FAKE),
        Case("retries/nothing-listens-unblock", [UNBLOCK], [fails({"reason": "connect_failed", "attempts": 3}), waits(1, 2)], place="refused", options={**FAKE, "tries": 3}),
        Case("retries/nothing-listens-call", [call("call", GENERIC)], [fails({"reason": "connect_failed", "attempts": 2}), waits(1)], place="refused", options={**FAKE, "tries": 2}),
        _case("early-hints-before-an-answer", CHALLENGE_CALL, [raw(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", True)], [outcome({"challenge": ""}), waits(), sent(1)]),
    ]
