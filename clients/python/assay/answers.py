"""What an answer is: the JSON of a method, or an error."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional

from . import details
from .errors import AssayError, foreign_answer, own

_MAX_DEPTH = 100
_MAX_DETAILS = 16
_DIGITS = re.compile(r"-?[0-9]{1,19}\Z", re.ASCII)


def read_answer(status: int, headers: Dict[str, str], body: bytes) -> Dict[str, Any]:
    """The object that a method answered. Raises AssayError if the answer is an error, or not the daemon's."""
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type != "application/json" or status < 200 or 200 < status < 400:
        raise _foreign(status, headers, f"its content type is {content_type[:64] or 'not given'}")
    if status == 200:
        try:
            return parse_object(body)
        except ValueError as error:
            raise _undecodable(str(error)) from None
    raise _read_error(status, headers, body)


def parse_object(body: bytes) -> Dict[str, Any]:
    """A JSON object of bounded depth. Raises ValueError."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise ValueError(f"the JSON has more than {_MAX_DEPTH} levels") from None
    if not isinstance(value, dict):
        raise ValueError("the JSON is not an object")
    if body.count(b"[") + body.count(b"{") > _MAX_DEPTH:
        _check_depth(value)
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> Any:
    # Python reads thousands of digits in quadratic time; no field has so many.
    return int(digits) if len(digits) <= 20 else float(digits)


def _check_depth(value: Any) -> None:
    level: List[Any] = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise ValueError(f"the JSON has more than {_MAX_DEPTH} levels")


def _undecodable(why: str) -> AssayError:
    return own("undecodable_reply", f"the answer is not what the method returns: {why}")


def _foreign(status: int, headers: Dict[str, str], why: str) -> AssayError:
    return foreign_answer(status, why, _read_retry_after(headers.get("retry-after", "")))


def _read_error(status: int, headers: Dict[str, str], body: bytes) -> AssayError:
    try:
        object_ = parse_object(body)
    except ValueError as error:
        return _foreign(status, headers, str(error))
    code, message = object_.get("code"), object_.get("message")
    if not isinstance(code, str):
        return _foreign(status, headers, "it names no code")
    reason = retry = link = ""
    retry_after: Optional[float] = None
    listed = object_.get("details")
    for detail in listed[:_MAX_DETAILS] if isinstance(listed, list) else []:
        if not isinstance(detail, dict) or not isinstance(detail.get("value"), str):
            continue
        try:
            value = decode_base64(detail["value"])
            if detail.get("type") == "google.rpc.ErrorInfo":
                reason, retry = details.error_info(value) or (reason, retry)
            elif detail.get("type") == "google.rpc.RetryInfo":
                delay = details.retry_delay(value)
                retry_after = retry_after if delay is None else delay
            elif detail.get("type") == "google.rpc.Help":
                link = link or details.help_link(value)
        except ValueError:
            continue
    if retry_after is None:
        retry_after = _read_retry_after(headers.get("retry-after", ""))
    return AssayError(
        code,
        message if isinstance(message, str) else "",
        reason=reason,
        retry=retry,
        retry_after=retry_after,
        link=link,
        http_status=status,
    )


def _read_retry_after(text: str) -> Optional[float]:
    """Seconds, of digits or of a date in the one form that is written today (RFC 9110 §5.6.7)."""
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= 9 else None
    match = re.match(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT\Z", text, re.ASCII)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    if not match or match[3] not in months:
        return None
    day, year, hour, minute, second = (int(match[group]) for group in (2, 4, 5, 6, 7))
    try:
        then = datetime(year, months.index(match[3]) + 1, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return None
    return max(0.0, then.timestamp() - time.time())


def decode_base64(text: str) -> bytes:
    """Either alphabet, with or without padding. Raises ValueError."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    if len(plain) % 4 == 1 or len(text) - len(plain) > 2:
        raise ValueError("the text is not Base64")
    try:
        return base64.b64decode(plain.encode("ascii") + b"=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("the text is not Base64") from None


class Fields:
    """An object of an answer, read member by member. What is left out, or null, has its default; a member of another type is
    `undecodable_reply`; others are not looked at."""

    def __init__(self, raw: Any, place: str = "") -> None:
        if not isinstance(raw, dict):
            raise _undecodable(f"{place or 'it'} is not an object")
        self.raw: Dict[str, Any] = raw
        self._place = place

    def _wrong(self, name: str, want: str) -> AssayError:
        return _undecodable(f"{self._place}{'.' if self._place else ''}{name} is not {want}")

    def has(self, name: str) -> bool:
        return self.raw.get(name) is not None

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def boolean(self, name: str) -> bool:
        value = self.raw.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def integer(self, name: str) -> int:
        """Of at most 64 bits, as a number or a text of digits."""
        value = self.raw.get(name)
        if value is None:
            return 0
        if isinstance(value, str) and _DIGITS.match(value):
            value = int(value)
        elif isinstance(value, str) and len(value) == 20 and value.isascii() and value.isdigit():
            value = int(value)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not -(1 << 63) <= value < 1 << 64:
            raise self._wrong(name, "an integer of 64 bits")
        return value

    def octets(self, name: str) -> bytes:
        text = self.text(name)
        try:
            return decode_base64(text)
        except ValueError:
            raise self._wrong(name, "Base64") from None

    def enumeration(self, name: str, prefix: str) -> str:
        """The name of a value without its prefix; "" for the unspecified one. A value that is not known stays as it came."""
        value = self.raw.get(name)
        if value is None or value == 0 and not isinstance(value, bool):
            return ""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self._wrong(name, "the name of a value")
        short = value[len(prefix) :] if value.startswith(prefix) else value
        return "" if short == "UNSPECIFIED" else short

    def nested(self, name: str) -> Optional[Fields]:
        value = self.raw.get(name)
        return None if value is None else Fields(value, f"{self._place}{'.' if self._place else ''}{name}")

    def _list(self, name: str) -> List[Any]:
        value = self.raw.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def nested_list(self, name: str) -> List[Fields]:
        return [Fields(value, f"{name}[{index}]") for index, value in enumerate(self._list(name))]

    def texts(self, name: str) -> List[str]:
        return [Fields({name: value}, self._place).text(name) for value in self._list(name)]

    def integers(self, name: str) -> List[int]:
        return [Fields({name: value}, self._place).integer(name) for value in self._list(name)]

    def octets_list(self, name: str) -> List[bytes]:
        return [Fields({name: value}, self._place).octets(name) for value in self._list(name)]
