"""The command line over HTTP: AssayClient, the client library for Swift."""

from __future__ import annotations

import json

from checks import check, equal, expect
from daemon import APP, Daemon


def who_am_i(daemon: Daemon, server: str, *options: object) -> dict:
    return json.loads(daemon.assay("whoami", "--json", "--server", server, *options).stdout)


@check("assay", "http:// in clear: the status, and a challenge")
def plain(daemon: Daemon) -> None:
    server = f"http://{daemon.plain}"
    expect("started" in daemon.assay("status", "--server", server).stdout, "the status has no start")
    expect(daemon.assay("challenge", "--app", APP, "--purpose", "assert", "--server", server).stdout.strip(), "no challenge")


@check("assay", "https:// with a certificate, and with an API key: known by each")
def encrypted(daemon: Daemon) -> None:
    authority = ["--tls-ca", daemon.file("ca.pem")]
    pair = ["--tls-cert", daemon.file("uploads.pem"), "--tls-key", daemon.file("uploads.key")]
    equal(who_am_i(daemon, f"https://{daemon.mutual}", *authority, *pair)["name"], "uploads")
    key = daemon.folder / "api.key"
    key.write_text(daemon.key + "\n")
    key.chmod(0o600)
    equal(who_am_i(daemon, f"https://{daemon.optional}", *authority, "--key-file", key)["name"], "key:http-clients")


@check("assay", "an error with its reason: an app that is not known")
def error(daemon: Daemon) -> None:
    done = daemon.assay(
        "challenge", "--app", "nothing", "--purpose", "assert", "--server", f"http://{daemon.plain}", "--json", check=False)
    equal(json.loads(done.stderr)["error"]["reason"], "unknown_app", done.stderr)
