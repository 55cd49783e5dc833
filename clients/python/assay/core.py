"""A call from its declaration to its value, without sockets and clocks: what `Client` and `AsyncClient` share."""

from __future__ import annotations

import secrets
import sys
from typing import TypeVar

from ._version import __version__
from .answers import Fields, read_answer
from .calls import Call
from .errors import AssayError
from .options import Options
from .retrying import Send, Steps, Timing, Try, retried
from .wire import AnswerReader, request_bytes

T = TypeVar("T")


class Core:
    """Makes the steps of calls. Has no state beside its options."""

    def __init__(self, options: Options, timing: Timing) -> None:
        self.options = options
        self._timing = timing

    def steps(self, call: Call[T]) -> Steps[T]:
        """What is to be done for a call, and at the end its value."""
        options = self.options
        key, is_own = call.idempotency_key, False
        if key is None and call.takes_key and options.idempotency_keys:
            key, is_own = secrets.token_hex(16), True
        may_be_repeated = call.idempotent or key is not None or call.has_key

        def one_try(remaining: float) -> Try[T]:
            request = self._request(call, key, remaining)
            answer = yield Send(request, remaining, may_be_repeated)
            return self._value(call, is_own, answer)

        timeout = options.timeout if call.timeout is None else call.timeout
        return retried(
            one_try, tries=options.tries, timeout=timeout, may_be_repeated=may_be_repeated, timing=self._timing
        )

    def _request(self, call: Call[T], key: object, remaining: float) -> bytes:
        options = self.options
        headers = [
            ("host", options.endpoint.authority),
            ("content-type", "application/json"),
            ("accept", "application/json"),
            ("accept-encoding", "identity"),
            ("user-agent", f"assay-python/{__version__} Python/{sys.version_info[0]}.{sys.version_info[1]}"),
            ("connect-timeout-ms", str(max(1, int(remaining * 1000)))),
        ]
        if options.api_key:
            headers.append(("authorization", f"Bearer {options.api_key}"))
        if key is not None:
            headers.append(("idempotency-key", str(key)))
        return request_bytes(options.endpoint.path + call.path, headers, call.body)

    @staticmethod
    def _value(call: Call[T], is_own: bool, answer: AnswerReader) -> T:
        try:
            value = call.read(Fields(read_answer(answer.status, answer.headers, answer.body)))
        except AssayError as error:
            error.http_status = answer.status
            raise
        return call.under_own_key(value) if is_own else value

    def documented(self, error: AssayError) -> AssayError:
        """The error, with the link of a page behind the address of the documentation."""
        if self.options.documentation and error.link.startswith(("docs/", "clients/")):
            error.link = f"{self.options.documentation}/{error.link}"
        return error
