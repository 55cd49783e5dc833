"""The options of a client, checked when it is made."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Optional
from urllib.parse import urlsplit

from .errors import own


@dataclass(frozen=True)
class Endpoint:
    """Where the daemon listens."""

    host: str = ""
    port: int = 0
    socket: str = ""
    """The path of a Unix socket, in place of host and port."""
    path: str = ""
    """What paths of methods begin with."""
    authority: str = "localhost"
    """The value of the header field `host`."""
    tls: Optional[ssl.SSLContext] = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.socket or f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Options:
    """What a client was made with, as clients/README.md lists it. Times are in seconds."""

    endpoint: Endpoint
    api_key: str
    timeout: float
    connect_timeout: float
    tries: int
    idempotency_keys: bool
    max_answer_bytes: int
    documentation: str


def make_options(
    url: str,
    *,
    api_key: Optional[str],
    ca_file: Optional[str],
    certificate_file: Optional[str],
    key_file: Optional[str],
    timeout: float,
    connect_timeout: float,
    tries: int,
    idempotency_keys: bool,
    max_answer_bytes: int,
    documentation: str,
) -> Options:
    """Checks each option. Raises AssayError (`bad_option`), whose message names the option."""
    for name, seconds in (("timeout", timeout), ("connect_timeout", connect_timeout)):
        if not 0 < seconds <= 86400:
            raise own("bad_option", f"{name} is {seconds}: it is more than 0 and at most 86400 seconds")
    for name, number in (("tries", tries), ("max_answer_bytes", max_answer_bytes)):
        if number < 1:
            raise own("bad_option", f"{name} is {number}: it is at least 1")
    if api_key is not None and not is_visible(api_key, 512):
        raise own("bad_option", "api_key is not a key: it has 1 to 512 visible ASCII characters, without spaces and line ends")
    endpoint = _endpoint(url, ca_file, certificate_file, key_file)
    if api_key is not None and not endpoint.socket and endpoint.tls is None:
        raise own("bad_option", "api_key: a key is sent over https:// or to a Unix socket, since http:// can be read on the way")
    return Options(
        endpoint, api_key or "", timeout, connect_timeout, tries, idempotency_keys, max_answer_bytes, documentation.rstrip("/")
    )


def is_visible(text: str, limit: int) -> bool:
    """Whether a text is 1 to `limit` characters of "!" to "~": it then cannot end a header field."""
    return 0 < len(text) <= limit and all("!" <= c <= "~" for c in text)


def _endpoint(url: str, ca_file: Optional[str], certificate_file: Optional[str], key_file: Optional[str]) -> Endpoint:
    forms = "https://host[:port][/path], http://host[:port][/path] or http+unix:/path/of/socket"
    if not isinstance(url, str):
        raise own("bad_option", f"url is not {forms}")
    scheme, colon, rest = url.partition(":")
    if scheme == "http+unix" and colon:
        if not rest.startswith("/") or "\0" in rest or len(rest.encode()) > 107:
            raise own("bad_option", "url: the path of a Unix socket is absolute, and has at most 107 bytes")
        _refuse_tls_files(ca_file, certificate_file, key_file)
        return Endpoint(socket=rest)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise own("bad_option", f"url: {error}") from None
    if not is_visible(url, 2000) or parts.scheme not in ("https", "http") or not host:
        raise own("bad_option", f"url is not {forms}")
    if port == 0 or parts.netloc.endswith(":") or parts.username is not None or parts.query or parts.fragment or "?" in url or "#" in url:
        raise own("bad_option", f"url is not {forms}: it takes no user, query or fragment, and no empty port")
    context = None
    if parts.scheme == "https":
        context = _context(ca_file, certificate_file, key_file)
    else:
        _refuse_tls_files(ca_file, certificate_file, key_file)
    path = parts.path.rstrip("/")
    return Endpoint(host, port or (443 if context else 80), "", path, parts.netloc, context)


def _refuse_tls_files(*files: Optional[str]) -> None:
    for name, file in zip(("ca_file", "certificate_file", "key_file"), files):
        if file is not None:
            raise own("bad_option", f"{name} is for https:// alone")


def _context(ca_file: Optional[str], certificate_file: Optional[str], key_file: Optional[str]) -> ssl.SSLContext:
    if (certificate_file is None) != (key_file is None):
        raise own("bad_option", "certificate_file and key_file are given together")
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise own("bad_option", f"ca_file: {ca_file} cannot be used: {error}") from None
    # A name counts where RFC 9525 has it: in the subject alternative names.
    context.hostname_checks_common_name = False
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if certificate_file is not None:
        try:
            # A key under a passphrase is refused: without the callback a terminal would be asked.
            context.load_cert_chain(certificate_file, key_file, password=lambda: b"")
        except (OSError, ssl.SSLError) as error:
            raise own("bad_option", f"certificate_file, key_file: {certificate_file} and {key_file} cannot be used: {error}") from None
    return context
