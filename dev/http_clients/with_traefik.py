"""Traefik, which asks by a sub-request whether an upload may pass (forwardAuth)."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator

import uploads
import with_curl
from checks import Skip, check, equal, expect
from daemon import Daemon, accepts, until
from uploads import UploadService
from with_nginx import own_address


@contextlib.contextmanager
def by_the_page(daemon: Daemon, service: UploadService, change: uploads.Change = uploads.unchanged) -> Iterator[str]:
    """Traefik by the configuration of docs/start/proxies.md."""
    program = shutil.which("traefik")
    if program is None:
        raise Skip("there is no traefik")
    address = own_address()
    file, log = daemon.folder / "traefik-dynamic.yaml", daemon.folder / "traefik.log"
    file.write_text(uploads.configuration("Traefik", daemon, service, change))
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [program, f"--entrypoints.uploads.address={address}", "--entrypoints.uploads.transport.lifecycle.gracetimeout=1",
             f"--providers.file.filename={file}", "--global.checknewversion=false", "--global.sendanonymoususage=false"],
            cwd=daemon.folder, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
    server = f"http://{address}"
    try:
        def serves() -> bool:
            expect(process.poll() is None, f"Traefik ended: {log.read_text()[-600:]}")
            # It listens before it has read the file.
            return accepts(address) and with_curl.curl(daemon, "/upload", "--request", "POST", server=server).status != 404

        until("Traefik has its configuration", serves)
        yield server
    finally:
        process.terminate()
        process.wait(20)


@check("Traefik", "forwardAuth, by the configuration of docs/start/proxies.md: an upload with evidence passes, others do not")
def forward_auth(daemon: Daemon) -> None:
    with UploadService() as service, by_the_page(daemon, service) as server:
        headers = uploads.declared(daemon)
        uploads.passes_by_subrequest(daemon, server, service, headers | uploads.FORGED)
        uploads.says_nothing_for_the_daemon(daemon, server, service)
        again = uploads.send(daemon, server, headers)
        equal((again.status, again.json["reason"]), (403, "counter_not_increasing"), again.body)
        equal((again.content_type, again.fields("assay-retry")), ("application/problem+json", ["new_challenge"]))
        expect(service.is_idle(), "a refused upload reached the service")


@check("Traefik", "forwardAuth: the results of the page's table")
def results(daemon: Daemon) -> None:
    credential = uploads.replaced(("idempotency-key]", "idempotency-key, authorization]"))
    uploads.has_the_results_of_the_page(daemon, "Traefik", by_the_page, credential)
