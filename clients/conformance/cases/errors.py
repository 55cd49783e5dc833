"""What clients read in errors of the daemon. No case here waits: tries is 1."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from case import (
    CHALLENGE_CALL,
    HTTP_STATUS,
    Case,
    detail,
    error_info,
    failure,
    fails,
    help_info,
    number,
    retry_info,
    sent,
    text,
)
from scripted import Step, answer

LATER = ("unavailable", "resource_exhausted", "deadline_exceeded", "aborted", "canceled", "unknown")
NEVER = ("invalid_argument", "not_found", "already_exists", "out_of_range")
ONCE: Dict[str, Any] = {"tries": 1}


def _case(name: str, step: Step, want: Dict[str, Any], options: Optional[Dict[str, Any]] = None) -> Case:
    return Case(f"errors/{name}", [CHALLENGE_CALL], [fails({"attempts": 1, **want}), sent(1)], [step], options={**ONCE, **(options or {})})


def _link(reason: str, page: str) -> Case:
    return _case(f"link-of-{reason or 'no-reason'}", failure("failed_precondition", reason, "contact_operator"), {"reason": reason, "link": page})


def _details(name: str, details: Any, want: Dict[str, Any]) -> Case:
    return _case(f"details-{name}", answer(503, {"code": "unavailable", "message": "m", "details": details}), {"code": "unavailable", "message": "m", **want})


def cases() -> List[Case]:
    http = "docs/reference/http.md#errors"
    plain = {"reason": "", "retry": "later", "retryAfterMs": None, "link": http}
    info = error_info("shutting_down", "later")
    read = {"reason": "shutting_down", "retry": "later"}
    return [
        *[
            _case(f"{code}", failure(code, "a_reason", "later" if code in NEVER else "never", message="it is so"), {"code": code, "reason": "a_reason", "message": "it is so", "retry": "later" if code in NEVER else "never", "httpStatus": HTTP_STATUS[code], "link": http})
            for code in HTTP_STATUS
        ],
        *[
            _case(f"{code}-without-retry", failure(code), {"code": code, "reason": "", "retry": "later" if code in LATER else "never" if code in NEVER else "contact_operator", "retryAfterMs": None})
            for code in HTTP_STATUS
        ],
        _case("code-of-tomorrow", answer(418, {"code": "out_of_tea", "message": "m"}), {"code": "unknown", "retry": "later", "httpStatus": 418}),
        _case("retry-of-tomorrow", failure("unavailable", "r", "tomorrow"), {"retry": "tomorrow"}),
        _case("no-message", answer(404, {"code": "not_found"}), {"code": "not_found", "message": ""}),
        _case("message-is-a-number", answer(404, {"code": "not_found", "message": 5}), {"code": "not_found", "message": ""}),
        _case("message-long", failure("not_found", message="m" * 5000), {"message": lambda got: 1 <= len(got) <= 1000 and set(got) <= set("m…")}),
        _case("message-with-controls", failure("not_found", message="a\x1b[31m\r\nb\x00c"), {"message": lambda got: got.startswith("a") and got.endswith("c")}),
        _case("message-beyond-ascii", failure("not_found", message="é \U0001f4f7"), {"message": "é \U0001f4f7"}),
        _case("unknown-members", answer(404, {"code": "not_found", "message": "m", "more": [1]}), {"code": "not_found"}),
        _case("of-the-daemon", answer(404, {"code": "not_found", "message": "there is no app \"x\"", "details": [{"type": "google.rpc.ErrorInfo", "value": "Cgt1bmtub3duX2FwcBIFYXNzYXkaDgoFcmV0cnkSBW5ldmVy"}]}), {"code": "not_found", "reason": "unknown_app", "retry": "never", "message": "there is no app \"x\""}),
        _link("permission_denied", "docs/operate/callers.md#when-it-does-not-work"),
        _link("credential_refused", "docs/operate/callers.md#when-it-does-not-work"),
        _link("overloaded", "docs/reference/configuration/limits.md"),
        _link("rate_limited", "docs/reference/configuration/limits.md"),
        _link("too_many_calls", "docs/reference/configuration/limits.md"),
        _link("upload_unknown", "docs/reference/uploads.md#errors"),
        _link("chunk_out_of_range", "docs/reference/uploads.md#errors"),
        _link("tamper_detected", "docs/reference/uploads.md#errors"),
        _link("unknown_app", http),
        _link("", http),
        _case("link-behind-documentation", failure("failed_precondition", "overloaded", "never"), {"link": "https://docs.example/v1/docs/reference/configuration/limits.md"}, {"documentation": "https://docs.example/v1"}),
        _case("link-behind-documentation-with-slash", failure("failed_precondition"), {"link": "https://docs.example/v1/docs/reference/http.md#errors"}, {"documentation": "https://docs.example/v1/"}),
        _case("link-of-the-daemon", failure("not_found", "r", "never", [help_info("https://assay.example/r#x")]), {"link": "https://assay.example/r#x"}, {"documentation": "https://docs.example"}),
        _case("link-of-the-daemon-second", failure("not_found", "r", "never", [help_info("http://assay.example/", "https://assay.example/2")]), {"link": "https://assay.example/2"}),
        _case("link-not-https", failure("not_found", "r", "never", [help_info("javascript:alert(1)")]), {"link": http}),
        _case("link-with-line-end", failure("not_found", "r", "never", [help_info("https://a.example/\r\nx")]), {"link": http}),
        _case("link-too-long", failure("not_found", "r", "never", [help_info("https://a.example/" + "x" * 1000)]), {"link": http}),
        _details("not-a-list", {"type": "google.rpc.ErrorInfo"}, plain),
        _details("null", None, plain),
        _details("odd-entries", [None, 5, "x", {}, {"type": "google.rpc.ErrorInfo"}, {"type": 5, "value": "AA"}, {"type": "google.rpc.ErrorInfo", "value": 5}, info], read),
        _details("not-base64", [{"type": "google.rpc.ErrorInfo", "value": "*"}, info], read),
        _details("not-protobuf", [detail("google.rpc.ErrorInfo", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), info], read),
        _details("cut-protobuf", [detail("google.rpc.ErrorInfo", b"\x0a\x7fabc")], plain),
        _details("not-utf-8", [detail("google.rpc.ErrorInfo", text(1, b"\xff\xfe") + text(2, "assay"))], {"code": "unavailable", "retry": "later"}),
        _details("padded", [{**info, "value": info["value"] + "=" * (-len(info["value"]) % 4)}], read),
        _details("of-another-domain", [error_info("theirs", "never", domain="example.com")], plain),
        _details("unknown-fields", [detail("google.rpc.ErrorInfo", number(9, 5) + b"\x51" + b"8" * 8 + b"\x55" + b"4" * 4 + text(1, "shutting_down") + text(2, "assay") + text(12, "x"))], read),
        _details("other-metadata", [detail("google.rpc.ErrorInfo", text(1, "shutting_down") + text(2, "assay") + text(3, text(1, "zone") + text(2, "never")))], read),
        _details("of-another-type", [detail("example.Other", text(1, "x")), info], read),
        _details("seventeenth", [detail("example.Other", b"")] * 16 + [info], plain),
        _details("sixteenth", [detail("example.Other", b"")] * 15 + [info], read),
        _details("retry-info", [retry_info(2, 500_000_000)], {"retryAfterMs": 2500}),
        _details("retry-info-nanoseconds", [retry_info(0, 250_000_000)], {"retryAfterMs": 250}),
        _details("retry-info-negative", [retry_info(-5)], {"retryAfterMs": None}),
        _details("retry-info-empty", [detail("google.rpc.RetryInfo", b"")], {"retryAfterMs": None}),
    ]
