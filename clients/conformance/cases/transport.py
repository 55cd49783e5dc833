"""Connections that fail, answers that are none, and bounds. Time-outs here are real and short."""

from __future__ import annotations

from typing import Any, Dict, List

from case import CHALLENGE, CHALLENGE_CALL, CHALLENGE_OUTCOME, Case, Check, Line, any_of, call, fails, outcome, sent, within
from scripted import Step, answer, chunked, close, drip, endless, hang, head, in_pieces, ok, raw, reset, then_close

from .retries import FAKE, UNBLOCK

JSON = {"content-type": "application/json"}
GOOD = b'{"challenge":"AAECAwQF","expiresAtUnixMs":"1776124800000"}'
LOST: Dict[str, Any] = {"code": "unavailable", "reason": "connection_lost", "retry": "later"}
BROKEN: Dict[str, Any] = {"code": "unavailable", "reason": any_of("protocol_broken", "connection_lost"), "retry": "later"}
TIMEOUT: Dict[str, Any] = {"code": "deadline_exceeded", "reason": "timeout", "retry": "later", "attempts": 1}
TOO_LARGE: Dict[str, Any] = {"code": "internal", "reason": "reply_too_large", "retry": "contact_operator", "attempts": 1}


def _case(name: str, line: Line, steps: List[Step], checks: List[Check], **options: Any) -> Case:
    return Case(f"transport/{name}", [line], checks, steps, options={**FAKE, **options})


def _lost(name: str, step: Step) -> List[Case]:
    """A connection that is lost: a call that may be repeated is, and another is not."""
    return [
        _case(f"{name}", CHALLENGE_CALL, [step, ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME)]),
        _case(f"{name}-unblock", UNBLOCK, [step, ok({})], [fails({**LOST, "attempts": 1})]),
    ]


def _broken(name: str, data: bytes) -> Case:
    return _case(f"broken-{name}", CHALLENGE_CALL, [raw(data)], [fails({**BROKEN, "attempts": 1}), sent(1)], tries=1)


def _good(name: str, step: Step) -> Case:
    return _case(name, CHALLENGE_CALL, [step], [outcome(CHALLENGE_OUTCOME), sent(1)])


def _slow(name: str, step: Step) -> Case:
    """The time-out is kept by the real clock, and an error comes soon after it."""
    return Case(f"transport/slow-{name}", [CHALLENGE_CALL], [fails(TIMEOUT), within(15)], [step], options={"timeoutMs": 200})


def _long(name: str, step: Step, check: Check = within(15)) -> Case:
    return _case(f"long-{name}", CHALLENGE_CALL, [step], [fails(TOO_LARGE), check], maxAnswerBytes=100_000, timeoutMs=20_000)


def _redirect(status: int) -> Case:
    """The target is the server itself: a client that follows would be seen."""
    step = answer(status, b"", fields={"location": "/assay.v1.Attestation/Other"}, type=None)
    return _case(f"redirect-{status}", CHALLENGE_CALL, [step, ok(CHALLENGE)], [fails({"code": "unknown", "reason": "foreign_answer", "retry": "contact_operator", "httpStatus": status}), sent(1)])


def cases() -> List[Case]:
    def with_length(length: object, body: bytes) -> bytes:
        return head(200, {**JSON, "content-length": str(length)}) + body

    whole = with_length(len(GOOD), GOOD)
    bodiless = head(200, {**JSON, "transfer-encoding": "chunked"})
    big = b'{"x":"' + b"a" * 200_000 + b'"}'
    return [
        *_lost("closed-before-the-answer", close()),
        *_lost("reset-before-the-answer", reset()),
        *_lost("closed-in-the-head", close(whole[:20])),
        *_lost("reset-in-the-head", reset(whole[:20])),
        *_lost("closed-in-the-body", close(with_length(len(GOOD) + 10, GOOD))),
        *_lost("reset-in-the-body", reset(with_length(len(GOOD) + 10, GOOD))),
        *_lost("closed-in-a-chunk", close(bodiless + b"40\r\n" + GOOD[:5])),
        *_lost("closed-before-the-last-chunk", chunked([GOOD], end=False)),
        _case("closed-before-the-request", CHALLENGE_CALL, [close(before=True), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME)]),
        _case("reset-before-the-request", CHALLENGE_CALL, [reset(before=True), ok(CHALLENGE)], [outcome(CHALLENGE_OUTCOME)]),
        _case("closed-before-the-request-unblock", UNBLOCK, [close(before=True)] * 2, [fails({"code": "unavailable", "reason": any_of("connection_lost", "connect_failed")})], tries=1),
        Case("transport/kept-connection-was-closed", [CHALLENGE_CALL] * 2, [outcome(CHALLENGE_OUTCOME, 0), outcome(CHALLENGE_OUTCOME, 1), sent(2)], [then_close(ok(CHALLENGE)), ok(CHALLENGE)], options={**FAKE, "client": "stale"}),
        Case("transport/kept-connection-was-closed-unblock", [UNBLOCK] * 2, [outcome({"devices": 0}, 0), lambda run: None if "outcome" in run.answers[1] or run.answers[1].get("error", {}).get("reason") == "connection_lost" else f"call 2: {run.answers[1]}"], [then_close(ok({})), ok({})], options={**FAKE, "client": "stale"}),
        Case("transport/kept-connection-ends-at-the-next-request", [CHALLENGE_CALL] * 2, [outcome(CHALLENGE_OUTCOME, 0), outcome(CHALLENGE_OUTCOME, 1)], [ok(CHALLENGE), close(), ok(CHALLENGE)], options={**FAKE, "client": "ending"}),
        Case("transport/kept-connection-ends-at-the-next-request-unblock", [UNBLOCK] * 2, [outcome({"devices": 0}, 0), fails({**LOST, "attempts": 1}, 1), sent(2)], [ok({}), close(), ok({})], options={**FAKE, "client": "ending"}),
        Case("transport/answer-that-was-not-asked-for", [CHALLENGE_CALL, call("whoAmI")], [outcome(CHALLENGE_OUTCOME, 0), outcome({"name": "me"}, 1)], [raw(whole + with_length(17, b'{"name":"forged"}'), True), ok({"name": "me"}), ok({"name": "me"})], options={**FAKE, "client": "smuggled"}),
        _slow("no-answer", hang()),
        _slow("head", drip(whole, 0.02)),
        _slow("head-stops", hang(whole[:30])),
        _slow("body", drip(with_length(5000, b" " * 5000), 0.01)),
        _slow("body-stops", hang(with_length(500, GOOD))),
        _slow("chunks", drip(bodiless + b"1\r\n \r\n" * 500, 0.01)),
        Case("transport/slow-unblock", [UNBLOCK], [fails(TIMEOUT), within(15), sent(1)], [hang()], options={"timeoutMs": 200}),
        Case("transport/slow-call", [{**CHALLENGE_CALL, "options": {"callTimeoutMs": 300}}], [fails(TIMEOUT), within(15)], [hang()]),
        _broken("not-http", b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n"),
        _broken("frames", b"\x00\x00\x00\x0f\x4a\x0d\x0a\x0bempty_frame\r\n\r\n"),
        _broken("version", b"HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
        _broken("status", b"HTTP/1.1 abc OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"),
        _broken("length", with_length("two", GOOD)),
        _broken("length-negative", with_length(-1, GOOD)),
        _broken("two-lengths", head(200, {**JSON, "content-length": ["2", "3"]}) + b"{}}"),
        _broken("chunk-length", bodiless + b"zz\r\n{}\r\n0\r\n\r\n"),
        _broken("chunk-end", bodiless + b"2\r\n{}xx0\r\n\r\n"),
        _case("broken-endless-head", CHALLENGE_CALL, [endless(b"HTTP/1.1 200 OK\r\n", b"x-more: " + b"a" * 1000 + b"\r\n")], [fails({"code": any_of("unavailable", "internal"), "reason": any_of("protocol_broken", "connection_lost", "reply_too_large"), "attempts": 1}), within(15)], tries=1, timeoutMs=20_000),
        _case("broken-endless-line", CHALLENGE_CALL, [endless(b"HTTP/1.1 200 OK\r\nx: ", b"a")], [fails({"code": any_of("unavailable", "internal"), "reason": any_of("protocol_broken", "connection_lost", "reply_too_large"), "attempts": 1}), within(15)], tries=1, timeoutMs=20_000),
        _good("in-one-chunk", chunked([GOOD])),
        _good("in-chunks", chunked([GOOD[i : i + 1] for i in range(len(GOOD))])),
        _good("in-chunks-with-extensions", chunked([GOOD[:9], GOOD[9:]], extension=';name="v"')),
        _good("in-chunks-with-trailers", chunked([GOOD], trailers=b"x-checksum: 1\r\n")),
        _good("in-pieces", in_pieces(whole)),
        _good("in-chunks-in-pieces", in_pieces(bodiless + b"5\r\n" + GOOD[:5] + b"\r\n" + b"%x\r\n" % len(GOOD[5:]) + GOOD[5:] + b"\r\n0\r\n\r\n")),
        _good("until-the-end", raw(head(200, {**JSON, "connection": "close"}) + GOOD)),
        _good("http-1.0", raw(head(200, {**JSON, "content-length": str(len(GOOD))}, "HTTP/1.0") + GOOD)),
        _good("many-fields", raw(head(200, {**JSON, "content-length": str(len(GOOD)), "x-filler": ["v" * 50] * 60}) + GOOD, True)),
        _good("fields-in-capitals", raw(head(200, {"CONTENT-TYPE": "application/json", "Content-LENGTH": str(len(GOOD))}) + GOOD, True)),
        _good("no-reason-phrase", raw(b"HTTP/1.1 200 \r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(GOOD) + GOOD, True)),
        _long("length", hang(with_length(1 << 40, b"{"))),
        _long("body", ok(big)),
        _long("chunks", endless(bodiless, b"400\r\n" + b" " * 1024 + b"\r\n")),
        _long("until-the-end", endless(head(200, {**JSON, "connection": "close"}), b" ")),
        _long("error", answer(500, {"code": "internal", "message": "m" * 200_000})),
        _case("longest-answer", CHALLENGE_CALL, [ok(b'{"challenge":"AAECAwQF","expiresAtUnixMs":"1776124800000"}'.ljust(100_000))], [outcome(CHALLENGE_OUTCOME)], maxAnswerBytes=100_000),
        _case("answer-of-5-MB", CHALLENGE_CALL, [ok(GOOD.ljust(5_000_000))], [outcome(CHALLENGE_OUTCOME)]),
        *[_redirect(status) for status in (301, 302, 303, 307, 308)],
        _case("answer-before-the-whole-request", call("call", {"service": "Attestation", "method": "Prepare", "message": {"body": "A" * 200_000}}), [answer(429, {"code": "resource_exhausted", "message": "m"}, keep=False)], [fails({"code": "resource_exhausted", "httpStatus": 429})], tries=1),
        Case("transport/unix-socket", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME), sent(1)], [ok(CHALLENGE)], place="unix"),
        Case("transport/unix-socket-with-api-key", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME), lambda run: None if run.requests[0].one("authorization") == "Bearer assay_x" else "it has not the API key"], [ok(CHALLENGE)], place="unix", options={"apiKey": "assay_x"}),
        Case("transport/unix-socket-missing", [CHALLENGE_CALL], [fails({"reason": "connect_failed", "attempts": 1})], place="none", options={"url": "http+unix:/nonexistent/assayd.sock", "tries": 1}),
    ]
