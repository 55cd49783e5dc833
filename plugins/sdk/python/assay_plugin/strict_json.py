"""JSON that has one reading: UTF-8, no member twice, no NaN, no lone surrogates, integers of at most 19 digits, 64 levels."""
from __future__ import annotations

import json
import math
import re
from typing import Any

DIGITS, DEPTH = 19, 64
# A string as a whole, so that brackets in it do not count; or a bracket.
BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse_json(data: bytes | str) -> Any:
    """The value of a document. ValueError with a sentence if it is no strict JSON; the sentence holds nothing of the document."""
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
        require_shallow(text)
        value = DECODER.decode(text)
    except UnicodeDecodeError:
        raise ValueError("it is no UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    # Only an escape can make a surrogate that stands alone.
    if "\\u" in text or isinstance(data, str):
        require_encodable(value)
    return value


def require_shallow(text: str) -> None:
    """Before the decoder, which is recursive, and would end the process where a thread's stack is small."""
    if text.count("[") + text.count("{") <= DEPTH:
        return
    depth = 0
    for found in BRACKETS.finditer(text):
        if found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
        if depth > DEPTH:
            raise ValueError(f"it is nested more than {DEPTH} levels deep")


def require_encodable(value: Any) -> None:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and not encodable(found):
            raise ValueError("a string has half of a surrogate pair")
        if isinstance(found, dict):
            waiting += found.keys()
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found


def encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a member twice")
    return found


def integer(text: str) -> int:
    if len(text.lstrip("-")) > DIGITS:
        raise ValueError(f"an integer has more than {DIGITS} digits")
    return int(text)


def number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


DECODER = json.JSONDecoder(object_pairs_hook=members, parse_int=integer, parse_float=number, parse_constant=constant)
