"""Mistakes of the caller: refused before anything is sent."""

from __future__ import annotations

from typing import Any, List

from case import CHALLENGE, CHALLENGE_CALL, Case, call, refused
from scripted import ok

from .answers import VERIFY


def _option(name: str, *words: str, place: str = "http", **options: Any) -> Case:
    return Case(f"refusals/{name}", [CHALLENGE_CALL], [refused(*words)], [ok(CHALLENGE)], place=place, options=options)


def _key(name: str, key: str) -> Case:
    return Case(f"refusals/idempotency-key-{name}", [{**VERIFY, "options": {"idempotencyKey": key}}], [refused("idempotencykey", "idempotency-key")], [ok(CHALLENGE)])


def _call(name: str, service: str, method: str) -> Case:
    return Case(f"refusals/{name}", [call("call", {"service": service, "method": method, "message": {}})], [refused("service", "method")], [ok({})])


def cases() -> List[Case]:
    return [
        _option("api-key-with-line-end", "apikey", place="tls", apiKey="assay_x\r\nx-evil: 1"),
        _option("api-key-with-newline", "apikey", place="tls", apiKey="assay_x\n"),
        _option("api-key-with-space", "apikey", place="tls", apiKey="assay x"),
        _option("api-key-with-nul", "apikey", place="tls", apiKey="assay\x00x"),
        _option("api-key-beyond-ascii", "apikey", place="tls", apiKey="assay_é"),
        _option("api-key-empty", "apikey", place="tls", apiKey=""),
        _option("api-key-too-long", "apikey", place="tls", apiKey="k" * 513),
        _option("api-key-in-clear", "apikey", apiKey="assay_x"),
        _option("url-scheme", "url", url="ftp://127.0.0.1/"),
        _option("url-without-host", "url", url="http://"),
        _option("url-with-user", "url", url="http://user:secret@127.0.0.1:80"),
        _option("url-with-query", "url", url="{url}/?a=b"),
        _option("url-with-fragment", "url", url="{url}/#a"),
        _option("url-with-line-end", "url", url="{url}/a\r\nx-evil: 1"),
        _option("url-port-too-great", "url", url="http://127.0.0.1:65536"),
        _option("url-empty", "url", url=""),
        _option("ca-file-missing", "cafile", place="tls", caFile="/nonexistent/ca.pem"),
        _option("ca-file-not-pem", "cafile", place="tls", caFile="{not_pem}"),
        _option("tries-none", "tries", tries=0),
        _option("time-out-none", "timeout", timeoutMs=0),
        _option("longest-answer-none", "maxanswerbytes", maxAnswerBytes=0),
        _key("with-line-end", "k\r\nx-evil: 1"),
        _key("with-newline", "k\n"),
        _key("with-space", "k k"),
        _key("beyond-ascii", "ké"),
        _key("empty", ""),
        _key("too-long", "k" * 65),
        _call("service-with-slash", "Attestation/Verify?", "Verify"),
        _call("service-with-line-end", "Attestation\r\nx-evil: 1", "Verify"),
        _call("method-with-space", "Attestation", "Verify HTTP/1.1"),
        _call("method-empty", "Attestation", ""),
    ]
