"""Caddy, which asks by a sub-request whether an upload may pass (forward_auth): PyPI's, and Debian's, which is years older."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import subprocess
from collections.abc import Iterator

import uploads
from checks import Skip, check, equal, expect
from daemon import Daemon, accepts, until
from uploads import UploadService
from with_nginx import own_address


def unset(name: str) -> str:
    """What Caddy up to 2.8 writes for a header that the answer does not have; the page says so."""
    return "{http.reverse_proxy.header." + name.title() + "}"


def programs() -> list[str]:
    """Every Caddy of the PATH."""
    folders = [pathlib.Path(folder) for folder in os.get_exec_path()]
    found = {str((folder / "caddy").resolve()) for folder in folders if os.access(folder / "caddy", os.X_OK)}
    if not found:
        raise Skip("there is no caddy")
    return sorted(found)


@contextlib.contextmanager
def by_the_page(
    program: str, daemon: Daemon, service: UploadService, change: uploads.Change = uploads.unchanged
) -> Iterator[str]:
    """Caddy by the configuration of docs/start/proxies.md."""
    address = own_address()
    text = uploads.configuration("Caddy", daemon, service, change)
    expect(text.startswith(":8000 {"), text)
    folder = daemon.folder / "caddy"
    folder.mkdir(exist_ok=True)
    file, log = folder / "Caddyfile", folder / "caddy.log"
    host, port = address.rsplit(":", 1)
    file.write_text("{\n\tadmin off\n}\n" + text.replace(":8000 {", f":{port} {{\n\tbind {host}", 1))
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [program, "run", "--config", file, "--adapter", "caddyfile"], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors,
            env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)})
    try:
        def listens() -> bool:
            expect(process.poll() is None, f"Caddy ended: {log.read_text()[-600:]}")
            return accepts(address)

        until("Caddy listens", listens)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(20)


@check("Caddy", "forward_auth, by the configuration of docs/start/proxies.md: an upload with evidence passes, others do not")
def forward_auth(daemon: Daemon) -> None:
    for program in programs():
        with UploadService() as service, by_the_page(program, daemon, service) as server:
            headers = uploads.declared(daemon)
            uploads.passes_by_subrequest(daemon, server, service, headers | uploads.FORGED, unset)
            uploads.says_nothing_for_the_daemon(daemon, server, service, unset)
            again = uploads.send(daemon, server, headers)
            equal((again.status, again.json["reason"]), (403, "counter_not_increasing"), again.body)
            equal((again.content_type, again.fields("assay-retry")), ("application/problem+json", ["new_challenge"]))
            expect(service.is_idle(), "a refused upload reached the service")


@check("Caddy", "forward_auth: the results of the page's table")
def results(daemon: Daemon) -> None:
    credential = uploads.replaced(("header_up -Authorization", 'header_up Authorization "Bearer unknown"'))
    for program in programs():
        uploads.has_the_results_of_the_page(daemon, "Caddy", functools.partial(by_the_page, program), credential)
