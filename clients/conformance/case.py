"""A case of the suite: what a server does, which calls are made, and what has to come of them."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from scripted import Request, ScriptedServer, Step, answer

Line = Dict[str, Any]
# What is wrong with what a client said or sent; None: nothing.
Check = Callable[["Run"], Optional[str]]


@dataclass
class Run:
    """What became of the calls of a case."""

    answers: List[Dict[str, Any]]
    server: Optional[ScriptedServer]
    seconds: float

    @property
    def requests(self) -> List[Request]:
        return self.server.requests if self.server else []


@dataclass
class Case:
    """`calls` are lines for the driver without id; `{url}` in an option stands for the server's address."""

    name: str
    calls: List[Line]
    checks: List[Check]
    steps: List[Step] = field(default_factory=list)
    place: str = "http"
    """Where the server listens: http, tls (each with a certificate of its name), unix, refused (nothing listens), none."""
    options: Dict[str, Any] = field(default_factory=dict)
    """For each call that does not have them itself."""


def call(method: str, request: Optional[Dict[str, Any]] = None, **options: Any) -> Line:
    return {"method": method, "request": request or {}, "options": options}


CHALLENGE_CALL = call("issueChallenge", {"app": "photos", "purpose": "ASSERT"})
CHALLENGE = {"challenge": "AAECAwQF", "expiresAtUnixMs": "1776124800000"}
CHALLENGE_OUTCOME = {"challenge": "AAECAwQF", "expiresAtUnixMs": "1776124800000"}


# Details of errors, written as protobuf.


def _varint(value: int) -> bytes:
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field_number: int, value: int) -> bytes:
    return _varint(field_number << 3) + _varint(value)


def text(field_number: int, value: Union[str, bytes]) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field_number << 3 | 2) + _varint(len(data)) + data


def detail(type: str, message: bytes) -> Dict[str, str]:
    return {"type": type, "value": base64.b64encode(message).decode().rstrip("=")}


def error_info(reason: str, retry: str, domain: str = "assay") -> Dict[str, str]:
    entry = text(1, "retry") + text(2, retry)
    return detail("google.rpc.ErrorInfo", text(1, reason) + text(2, domain) + (text(3, entry) if retry else b""))


def retry_info(seconds: int, nanoseconds: int = 0) -> Dict[str, str]:
    return detail("google.rpc.RetryInfo", text(1, number(1, seconds) + number(2, nanoseconds)))


def help_info(*links: str) -> Dict[str, str]:
    return detail("google.rpc.Help", b"".join(text(1, text(1, "what to do") + text(2, link)) for link in links))


HTTP_STATUS = {
    "canceled": 499, "unknown": 500, "invalid_argument": 400, "deadline_exceeded": 504, "not_found": 404, "already_exists": 409,
    "permission_denied": 403, "resource_exhausted": 429, "failed_precondition": 400, "aborted": 409, "out_of_range": 400,
    "unimplemented": 501, "internal": 500, "unavailable": 503, "data_loss": 500, "unauthenticated": 401,
}  # fmt: skip


def failure(code: str, reason: str = "", retry: str = "", details: Optional[List[Any]] = None, fields: Optional[Dict[str, str]] = None, message: str = "why") -> Step:
    """An error as the daemon answers it."""
    listed = ([error_info(reason, retry)] if reason else []) + (details or [])
    return answer(HTTP_STATUS.get(code, 500), {"code": code, "message": message, **({"details": listed} if listed else {})}, fields=fields)


# Checks.


class _Anything:
    """A member that a client does not have."""

    def __repr__(self) -> str:
        return "(lacking)"


ANYTHING = _Anything()


def difference(want: Any, got: Any, place: str) -> Optional[str]:
    """Every member of `want` is as it is there; functions are asked."""
    if got is ANYTHING:
        return None
    if callable(want):
        return None if want(got) else f"{place} is {got!r}"
    if isinstance(want, dict) and isinstance(got, dict):
        for name, value in want.items():
            if name not in got:
                return f"{place}.{name} is missing"
            problem = difference(value, got[name], f"{place}.{name}")
            if problem:
                return problem
        return None
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (one, other) in enumerate(zip(want, got)):
            problem = difference(one, other, f"{place}[{index}]")
            if problem:
                return problem
        return None
    same = want == got and (isinstance(want, bool) == isinstance(got, bool))
    return None if same else f"{place} is {got!r}, not {want!r}"


def outcome(want: Dict[str, Any], of: int = 0) -> Check:
    """The call has an answer with these members."""

    def check(run: Run) -> Optional[str]:
        said = run.answers[of]
        if "outcome" not in said:
            return f"call {of + 1} has no outcome: {said}"
        return difference(want, said["outcome"], "outcome")

    return check


def fails(want: Dict[str, Any], of: int = 0) -> Check:
    """The call fails with these members, and with every member in the form that it has."""

    def check(run: Run) -> Optional[str]:
        error = run.answers[of].get("error")
        if not isinstance(error, dict):
            return f"call {of + 1} has no error: {run.answers[of]}"
        forms = {
            "code": lambda value: isinstance(value, str) and value,
            "reason": lambda value: isinstance(value, str),
            "message": lambda value: isinstance(value, str) and len(value) <= 1000 and all(c >= " " for c in value),
            "retry": lambda value: isinstance(value, str) and value,
            "retryAfterMs": lambda value: value is None or isinstance(value, int) and value >= 0,
            "link": lambda value: isinstance(value, str) and value,
            "httpStatus": lambda value: isinstance(value, int),
            "attempts": lambda value: isinstance(value, int),
        }
        return difference(forms, error, "error") or difference(want, error, "error")

    return check


def waits(*seconds: float, of: int = 0, within: float = 0.011) -> Check:
    """The pauses of the call."""

    def check(run: Run) -> Optional[str]:
        got = run.answers[of].get("waits")
        if not isinstance(got, list) or len(got) != len(seconds) or any(abs(a - b) > within for a, b in zip(got, seconds)):
            return f"the pauses are {got}, not {list(seconds)}"
        return None

    return check


def sent(count: int) -> Check:
    """So many requests came."""
    return lambda run: None if len(run.requests) == count else f"{len(run.requests)} requests came, not {count}"


def within(seconds: float) -> Check:
    """All calls together took no longer."""
    return lambda run: None if run.seconds <= seconds else f"it took {run.seconds:.2f} s, not at most {seconds}"


def request(want: Callable[[Request], Any], what: str, of: int = 0) -> Check:
    """A request is as it has to be."""

    def check(run: Run) -> Optional[str]:
        if len(run.requests) <= of:
            return f"request {of + 1} did not come: {run.answers[-1:]}"
        got = run.requests[of]
        try:
            good = want(got)
        except (ValueError, KeyError, TypeError):
            good = False
        return None if good else f"request {of + 1}: {what}: {got.path} {got.fields} {got.body[:300]!r}"

    return check


def body(want: Any, of: int = 0) -> Check:
    """The JSON of a request, exactly."""
    return request(lambda got: got.json == want, f"its JSON is not {want}", of)


def refused(*names: str) -> Check:
    """The caller's mistake: nothing was sent, and the message names the option or argument (in one of its spellings)."""

    def check(run: Run) -> Optional[str]:
        problem = fails({"code": "invalid_argument", "reason": lambda value: value in ("bad_option", "bad_request"), "retry": "never", "link": "clients/README.md#errors", "httpStatus": 0})(run)
        if problem is None and run.requests:
            return "a request came"
        words = "".join(c for c in str(run.answers[0].get("error", {}).get("message", "")).lower() if c.isalnum())
        if problem is None and not any(name.lower() in words for name in names):
            return f"the message names none of {names}: {run.answers[0]}"
        return problem

    return check


def any_of(*values: Any) -> Callable[[Any], bool]:
    return lambda got: got in values


Cases = Sequence[Case]
