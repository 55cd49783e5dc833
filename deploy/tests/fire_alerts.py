#!/usr/bin/python3
"""Fires alerts against real daemons whose state is caused, with a real Prometheus that scrapes them each second.

fire_alerts.py FOLDER-OF-THE-BINARIES. Rules are those of deploy/prometheus/assay.rules.yml without their `for`.
Exit status: 0 all of CAUSED fired and a daemon without a fault fired none, 1 not so, 77 something that it takes is missing.

Not caused here, and tried by promtool alone (cases.yml):
- they take hours, or thousands of verdicts: AssayDiskFullSoon, AssayReceiptsFailing, AssayRejectionShareUnusual, AssayCounterGaps,
  AssayRevocationListEndsSoon;
- they take a slow, full or broken disk: AssayStoreUnavailable, AssayStoreDamaged, AssayCommitsStuck, AssayCommitsFailing,
  AssayCommitsSlow, AssayCommitsWaiting, AssayRecordsUnavailable, AssayVerifySlow;
- they take another clock: AssayClockStepped, AssayNoChallenges, AssayClockAhead, AssayCertificateExpired;
- they take a vendor's server, or a collector: AssayTraceSpansDropped, AssayVendorCallsFailing, AssayVendorCallsRefused, AssayVendorCallsFull, AssayVendorQuotaUsedUp, AssayPlayIntegrityQuotaNear, AssayFeedNotRefreshed;
- they take a ledger on PostgreSQL: AssayNoStandby, AssayNotListening, AssayDatabaseClock;
- they take a receiver of events: AssayWebhookFailing, AssayWebhookEventsLost;
- they take a plugin that starts and then fails: AssayPluginCallsFailing, AssayPluginQuarantine, AssayRequiredPluginNotReady;
- they take a key that fails or is missing, or many registrations: AssayResultKeyUnavailable, AssayResultKeyMissing, AssayStatusListsNotRefreshed, AssayIssuingUnavailable, AssayAuthorityFailing,
  AssayRevocationListNotRefreshed, AssayAttestationKeyOverused, AssayEvidenceMemoryFull, AssayFileDescriptorsLow;
- they are never to fire: AssayAuditLogNotGrowing, AssayAttention.
"""

import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/python"))
sys.path.append(str(ROOT / "dev"))

from free_ports import free_port  # noqa: E402

APP = "ABCDE12345.com.example.camera"
SIGNER = "00" * 32

CAUSED = {
    "down": {"AssayDown", "AssayRestarting"},
    "replaced": {"AssayStoreReplaced"},  # and AssayCommitsFailing, if something was to be written
    "troubled": {
        "AssayDiskLow", "AssayReloadRefused", "AssayCertificateExpiresSoon", "AssayAuthorityExpiresSoon", "AssayFeedOutdated",
        "AssayResultKeyEndsSoon", "AssayAppUnavailable", "AssayUnavailableShareHigh"},
    "listless": {"AssayNotReady", "AssayFeedMissing", "AssayAppUnavailable", "AssayCertificateExpiresTomorrow", "AssayCertificateExpiresSoon"},
    "crowded": {"AssayCallerFlooding"},
    "overloaded": {"AssayOverloaded"},
    "plugged": {"AssayPluginNotReady", "AssayPluginRestarting", "AssayAppUnavailable"},
    "sound": set(),
}


def until(what, condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise TimeoutError(what)


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options).stdout


class Daemon:
    """An assayd in a folder of its own."""

    def __init__(self, programs, folder, name, text="", store="", app="", listen=""):
        self.programs, self.name, self.folder = programs, name, folder / name
        self.folder.mkdir(mode=0o700)
        self.metrics, self.calls, self.process = free_port(), free_port(), None
        phone = folder / "phone"
        self.configuration = self.folder / "assayd.yaml"
        self.text = f"""
listen: [{{tcp: 127.0.0.1:{self.calls}}}{listen}]
operate: {{listen: [{{tcp: 127.0.0.1:{self.metrics}}}], open: [probes, metrics]}}
store: {{path: ledger.sqlite, {store or 'warn_free_bytes: 0, warn_free_percent: 0'}}}
callers: {{loopback_demo: true, known: [{{name: monitoring, dns: monitoring.example.org, roles: [observe], apps: all}}]}}
trust: {{test_roots: [{phone}/root.pem]}}
{text}
apps:
  camera:
    accept_simulated: true
    app_attest: {{identities: [{{app_id: {APP}}}]}}
{app}
"""
        self.configuration.write_text(self.text)

    def start(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [self.programs / "assayd", "--config", self.configuration], stdout=log, stderr=log, cwd=self.folder)

    def ready(self):
        until(f"{self.name} does not listen:\n{(self.folder / 'log').read_text()}", self.answers, 30)

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended:\n{(self.folder / 'log').read_text()}")
        try:
            with socket.create_connection(("127.0.0.1", self.calls), 1), socket.create_connection(("127.0.0.1", self.metrics), 1):
                return True
        except OSError:
            return False

    def stop(self, how=signal.SIGTERM):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def flood(daemon, connections, calls, rounds):
    """Calls without waiting for answers."""
    from assay_client import Frame
    from assay.v1.operations_pb2 import StatusRequest
    for _ in range(rounds):
        sockets = []
        for _ in range(connections):
            link = socket.create_connection(("127.0.0.1", daemon.calls), 10)
            hello = b""
            for number in range(1, calls + 1):
                frame = Frame(call_id=number)
                frame.call.method, frame.call.timeout_ms = "/assay.v1.Operations/Status", 10000
                frame.call.message = StatusRequest().SerializeToString()
                data = frame.SerializeToString()
                hello += struct.pack(">I", len(data)) + data
            link.sendall(hello)
            sockets.append(link)
        for link in sockets:
            link.settimeout(10)
            link.recv(1 << 20)
        time.sleep(0.3)
        for link in sockets:
            link.close()


def unjudged(daemon, times):
    """Key attestations while the list that they need is too old."""
    from assay_client import CallError, Client, PURPOSE_REGISTER, android_key_attestation, verify_request
    folder = daemon.folder / "android"
    with Client(f"127.0.0.1:{daemon.calls}", tries=1) as client:
        for _ in range(times):
            challenge = client.issue_challenge("camera", PURPOSE_REGISTER).challenge
            run(daemon.programs / "assay", "simulate", "android", "attest", folder, "--challenge", "hex:" + challenge.hex(),
                "--out", folder / "chain.pem")
            blocks = (folder / "chain.pem").read_text().split("-----BEGIN CERTIFICATE-----")[1:]
            chain = [base64.b64decode(block.split("-----END")[0]) for block in blocks]
            try:
                verdict = client.verify(
                    verify_request("camera", PURPOSE_REGISTER, challenge, [android_key_attestation(chain)]))
                raise RuntimeError(f"this was to be UNAVAILABLE: {verdict}")
            except CallError as error:
                if error.code != "UNAVAILABLE":
                    raise


def tls(folder, days):
    """A certificate that ends in so many days, and a CA of callers."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "ca.key",
        "-out", "ca.pem", "-days", "400", "-subj", "/CN=ca", "-addext", "keyUsage=critical,keyCertSign,cRLSign", cwd=folder)
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "server.key",
        "-out", "server.csr", "-subj", "/CN=localhost", cwd=folder)
    (folder / "ext").write_text("subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n")
    run("openssl", "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", days,
        "-extfile", "ext", "-out", "server.pem", cwd=folder)
    (folder / "server.key").chmod(0o600)


ANDROID = """    android:
      packages: [{{name: com.example.camera, signers: ["{signer}"]}}]
      extra_roots: [android/root.pem]
      revocation: {revocation}
"""
TLS = "tls: {certificate: server.pem, private_key: server.key, client_ca: ca.pem}"


def android(daemon):
    run(daemon.programs / "assay", "simulate", "android", "make", daemon.folder / "android", "--package", "com.example.camera",
        "--signer", "hex:" + SIGNER)


def make_daemons(programs, folder):
    def daemon(name, **options):
        return Daemon(programs, folder, name, **options)

    def with_tls():
        return f", {{tls: 127.0.0.1:{free_port()}}}"

    run(programs / "assay", "simulate", "phone", folder / "phone", "--app-id", APP)
    troubled = daemon(
        "troubled", store="warn_free_percent: 99", listen=with_tls(),
        app=ANDROID.format(signer=SIGNER, revocation="{source: file, file: status.json, max_age: 1h}"),
        text=TLS + """
provisioning:
  authorities:
    - {name: issuing-1, certificate: ca/issuing-1.pem, key: ca/issuing-1.key, passphrase_file: ca/issuing-1.passphrase}
results:
  issuer: http://127.0.0.1:1
  keys: [{file: results-1.key, passphrase_file: results-1.passphrase}]
  key_lifetime: 7d""")
    tls(troubled.folder, 10)
    android(troubled)
    run(programs / "assay", "ca", "init", troubled.folder / "ca", "--validity", "10d")
    run(programs / "assay", "results", "new-key", "results-1", "--folder", troubled.folder)
    status = troubled.folder / "status.json"
    status.write_text('{"entries": {}}')
    os.utime(status, (time.time() - 7200,) * 2)
    # At port 1 nothing listens.
    listless = daemon(
        "listless", listen=with_tls(), app=ANDROID.format(signer=SIGNER, revocation="{source: google}"),
        text=TLS + "\nfeeds: {google_attestation_status: {address: 'https://127.0.0.1:1'}}")
    tls(listless.folder, 1)
    android(listless)
    daemons = [
        troubled, listless, daemon("down"), daemon("replaced"), daemon("sound"),
        daemon("crowded", text="limits: {max_calls_per_caller: 64}"),
        daemon("overloaded", text="limits: {max_calls: 64, max_calls_per_caller: 64}")]
    plugged = plugin(programs, folder, daemon)
    if plugged:
        daemons.append(plugged)
    return {one.name: one for one in daemons}


def plugin(programs, folder, daemon):
    """A daemon with a plugin that ends at once."""
    launcher = ROOT / ".build/plugins/assay-plugin-launcher"
    if not launcher.exists():
        print("skipped: there is no plugin launcher (make -C plugins/launcher)")
        return None
    user = "" if os.geteuid() else ", user: 65534:65534"
    made = daemon("plugged", text=f"plugins: {{catalog: plugins.d, launcher: {launcher}{user}}}")
    catalog = made.folder / "plugins.d"
    catalog.mkdir(mode=0o755)
    loader = os.path.realpath("/lib64/ld-linux-x86-64.so.2")
    entry = catalog / "ending.yaml"
    entry.write_text(f"""name: ending
command: {os.path.realpath('/usr/bin/false')}
formats: [example.ending]
apps: [camera]
sandbox: accept_weaker
powers: {{execute: [{loader}], read: [/usr/lib, /etc/ld.so.cache]}}
manifest: {{}}
""")
    run(programs / "assay", "plugin", "pin", entry)
    return made


def cause(folder, daemons):
    # Accepted and rejected verdicts alone are no reason for an alert.
    sound = daemons["sound"]
    run(sound.programs / "assay", "simulate", "session", folder / "phone", "--app", "camera", "--server",
        f"127.0.0.1:{sound.calls}")
    daemons["replaced"].folder.joinpath("ledger.sqlite").rename(daemons["replaced"].folder / "moved")
    troubled = daemons["troubled"]
    troubled.configuration.write_text("nonsense: true\n")
    troubled.process.send_signal(signal.SIGHUP)
    if "plugged" in daemons:
        # Its circuit breaker is closed again, and it ends as often as before.
        run(troubled.programs / "assay", "plugin", "enable", "ending", "--server", f"127.0.0.1:{daemons['plugged'].calls}")
    unjudged(troubled, 2)
    flood(daemons["crowded"], 2, 250, 4)
    flood(daemons["overloaded"], 2, 250, 4)
    for _ in range(3):
        daemons["down"].stop(signal.SIGKILL)
        daemons["down"].start()
        daemons["down"].ready()
        time.sleep(2.5)
    daemons["down"].stop()
    # Counts are differences: what came with the first scrape of a series is none.
    unjudged(troubled, 30)
    flood(daemons["crowded"], 2, 250, 6)
    flood(daemons["overloaded"], 2, 250, 6)


def prometheus(folder, daemons):
    import yaml
    rules = yaml.safe_load((ROOT / "deploy/prometheus/assay.rules.yml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            rule.pop("for", None)
    (folder / "rules.yml").write_text(yaml.safe_dump(rules))
    (folder / "prometheus.yml").write_text(yaml.safe_dump({
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yml"],
        "scrape_configs": [{"job_name": "assay", "static_configs": [
            {"targets": [f"127.0.0.1:{one.metrics}"], "labels": {"instance": name}} for name, one in daemons.items()]}]}))
    port = free_port()
    log = open(folder / "prometheus.log", "wb")
    return port, subprocess.Popen(
        ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}"],
        cwd=folder, stdout=log, stderr=log)


def query(port, expression):
    address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)["data"]["result"]


def fired(port):
    """Alerts that ever fired, by instance."""
    found = {}
    for series in query(port, 'max_over_time(ALERTS{alertstate="firing"}[10m])'):
        found.setdefault(series["metric"].get("instance", ""), set()).add(series["metric"]["alertname"])
    return found


def answers(port):
    try:
        query(port, "up")
        return True
    except OSError:
        return False


def main():
    try:
        import google.protobuf  # noqa: F401
        import yaml  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error.name} is not installed (Debian: python3-yaml, python3-protobuf)")
        return 77
    for program in ("prometheus", "openssl"):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            return 77
    programs = pathlib.Path(sys.argv[1]).resolve()
    # What was started is ended then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        folder.chmod(0o755)
        daemons, server = {}, None
        try:
            daemons = make_daemons(programs, folder)
            for one in daemons.values():
                one.start()
            for one in daemons.values():
                one.ready()
            port, server = prometheus(folder, daemons)
            until("Prometheus does not answer", lambda: answers(port), 30)
            until("not all daemons are scraped", lambda: len(query(port, "up == 1")) == len(daemons), 30)
            cause(folder, daemons)
            wanted = {name: CAUSED[name] for name in daemons}
            try:
                until("alerts", lambda: all(wanted[name] <= fired(port).get(name, set()) for name in wanted), 40)
            except TimeoutError:
                pass
            found, wrong = fired(port), 0
            for name in sorted(wanted):
                missing, more = wanted[name] - found.get(name, set()), found.get(name, set()) - wanted[name]
                print(f"{name}: fired {', '.join(sorted(found.get(name, set()))) or 'none'}")
                if missing:
                    wrong += 1
                    print(f"  did not fire: {', '.join(sorted(missing))}")
                    print((daemons[name].folder / "log").read_text()[-2000:])
                if more and name == "sound":
                    wrong += 1
            if wrong:
                return 1
            print(f"{len(set().union(*wanted.values()))} alerts fired against {len(daemons)} daemons")
            return 0
        finally:
            for one in daemons.values():
                one.stop()
            if server is not None:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    sys.exit(main())
