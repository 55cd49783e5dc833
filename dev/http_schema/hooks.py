"""What Schemathesis must be told of the interface: the form of streams, and which errors of the server are none."""

from __future__ import annotations

import json
import os
import pathlib
import struct
import threading
import zlib

import schemathesis

COUNTS = pathlib.Path(os.environ["HTTP_SCHEMA_COUNTS"])
STREAM = "application/connect+json"
# A stream ends by its deadline alone.
STREAM_MILLISECONDS = "40"

counts: dict[str, int] = {}
lock = threading.Lock()


@schemathesis.serializer(STREAM)
def to_stream(context: schemathesis.SerializationContext, value: object) -> dict[str, bytes]:
    message = value if isinstance(value, bytes) else json.dumps(value).encode()
    return {"data": struct.pack(">BI", 0, len(message)) + message}


@schemathesis.deserializer("application/json")
def of_json(context: schemathesis.DeserializationContext, response: schemathesis.Response) -> object:
    """JSON, or the first message of a stream: its schema is that of every one. The reader of JSON is asked for every type that ends in it."""
    if is_stream(response):
        return messages(response.content)[0][1]
    return json.loads(response.content)


def is_stream(response: schemathesis.Response) -> bool:
    return response.headers.get("content-type", [""])[0] == STREAM


def messages(data: bytes) -> list[tuple[int, object]]:
    found = []
    while data:
        flags, length = struct.unpack_from(">BI", data)
        found.append((flags, json.loads(data[5:5 + length])))
        data = data[5 + length:]
    return found


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: object) -> object:
    """Every other request names an app that there is: made-up names lead no further than to their refusal."""
    if isinstance(body, dict) and isinstance(body.get("app"), str) and zlib.crc32(repr(body).encode()) % 2:
        return {**body, "app": "photos" if len(body) % 2 else "cameras"}
    return body


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict) -> None:
    if case.operation.path.startswith("/assay."):
        case.headers["Connect-Timeout-Ms"] = STREAM_MILLISECONDS
    elif zlib.crc32(case.id.encode()) % 8:
        # Made-up times are mostly over before the call begins.
        case.headers.pop("Connect-Timeout-Ms", None)


@schemathesis.hook
def after_call(context: schemathesis.HookContext, case: schemathesis.Case, response: schemathesis.Response) -> None:
    key = f"{case.operation.method.upper()} {case.operation.path} {response.status_code}"
    with lock:
        counts[key] = counts.get(key, 0) + 1
        if sum(counts.values()) % 100 == 0:
            write_counts()


def write_counts() -> None:
    COUNTS.write_text(json.dumps(counts))


@schemathesis.check
def error_of_the_server(context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Of the statuses above 499 only those that say what a caller can do stand for no fault of the daemon. A sub-request for an app that is not
    configured, or with a parameter that a proxy's configuration may not state, is answered 500, which its proxy takes for a failure, as it should; that has the
    reason in the header."""
    code = code_of(response)
    if case.operation.path == "/v1/authorize" and response.headers.get("assay-reason") in (["unknown_app"], ["unknown_parameter"]):
        return
    allowed = {501: "unimplemented", 503: "unavailable", 504: "deadline_exceeded", 505: "unimplemented"}
    if response.status_code >= 500:
        assert code is not None and allowed.get(response.status_code) == code, f"{response.status_code} with the code {code}: {response.content[:300]!r}"


@schemathesis.check
def stream_has_an_end(context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    if response.status_code == 200 and is_stream(response):
        flags = [flags for flags, _ in messages(response.content)]
        assert flags and flags[-1] == 2 and not any(flags[:-1]), f"the flags of its messages are {flags}"


@schemathesis.check
def error_has_a_code(context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Every error of a method is JSON with a code. A proxy's sub-request is answered by problems (RFC 9457)."""
    if response.status_code >= 400 and case.operation.path != "/v1/authorize" and case.method != "HEAD":
        assert code_of(response) is not None, f"{response.status_code} without a code: {response.content[:300]!r}"


def code_of(response: schemathesis.Response) -> str | None:
    try:
        error = json.loads(response.content)
        return error.get("code") if isinstance(error, dict) else None
    except ValueError:
        return None
