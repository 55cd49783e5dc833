#!/usr/bin/python3
"""Runs what deploy/compose and deploy/kubernetes/postgresql.yaml run, with this machine's PostgreSQL and without containers.

test_compose.py [FOLDER-OF-THE-BINARIES]. The two servers are made, one is killed and the other promoted, the former primary is rebuilt, a
frozen one stops when it comes back, and roles are exchanged; with assayd and assay in the folder three daemons behind HAProxy go on.
Exit status: 0 all is well, 1 something is not, 77 PyYAML, openssl, HAProxy or PostgreSQL is missing.
"""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "dev"))

from free_ports import free_port  # noqa: E402

COMPOSE = ROOT / "deploy/compose"
NAMES = ["postgres-0", "postgres-1"]


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def until(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError(what)


def run(*command, **options):
    return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)


def postgres_programs():
    """The folder of the newest server's programs, of version 14 or later, or the one that POSTGRES_PROGRAMS names."""
    if os.environ.get("POSTGRES_PROGRAMS"):
        return pathlib.Path(os.environ["POSTGRES_PROGRAMS"])
    versions = [path for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdigit()]
    for folder in sorted(versions, key=lambda path: -int(path.parent.name)):
        if int(folder.parent.name) >= 14 and all((folder / name).exists() for name in ("initdb", "postgres", "pg_basebackup")):
            return folder
    found = shutil.which("postgres")
    return pathlib.Path(found).parent if found else None


def quick_folder():
    """In memory where there is enough: what is tested is no disk, and the servers' data is synced many times."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30 else "/tmp"


# MARK: Files

def check_files():
    """The compose file and the manifests name what is there, and carry the same scripts."""
    import yaml
    compose = yaml.safe_load((COMPOSE / "compose.yaml").read_text())
    services = compose["services"]
    for name, service in services.items():
        check(service["read_only"] and service["cap_drop"] == ["ALL"] and service["restart"], f"{name} may do more than it needs")
        check(service["healthcheck"]["test"], f"{name} has no health check")
        for secret in service["secrets"]:
            check(secret["source"] in compose["secrets"], f"{name} has an unknown secret {secret['source']}")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            there = (COMPOSE / source).exists() if source.startswith(".") else source in compose["volumes"]
            check(there, f"{name} mounts {source}, which does not exist")
        check(name == "balancer" or service["hostname"] == name, f"{name} has another name as a host")
    daemons = [name for name, service in services.items() if service["image"].startswith("${ASSAY_IMAGE")]
    check(len(daemons) == 3 and set(services) - set(daemons) == {*NAMES, "balancer"}, f"the services are {sorted(services)}")

    configuration = yaml.safe_load((COMPOSE / "assayd.yaml").read_text())
    check(configuration["store"]["postgresql"]["hosts"] == NAMES, "the daemons connect to other servers")
    check(configuration["store"]["postgresql"]["require_standby"] is True, "the daemons do not require a standby")
    check("writer" not in configuration["store"]["postgresql"], "the daemons have one writer")
    mounted = {"/run/secrets/" + secret["target"] for secret in services[daemons[0]]["secrets"]}
    check(set(re.findall(r"/run/secrets/[\w.-]+", (COMPOSE / "assayd.yaml").read_text())) == mounted, f"the secrets are {mounted}")

    check_manifests()
    return compose


def check_manifests():
    """The ConfigMap of the manifests has the files of deploy/compose/postgres; ASSAY_WRITE_DOCS=1 writes them."""
    import yaml
    path = ROOT / "deploy/kubernetes/postgresql.yaml"
    files = {file.name: file.read_text() for file in sorted((COMPOSE / "postgres").iterdir())}
    documents = path.read_text().split("---\n")
    number = next(number for number, text in enumerate(documents) if "\nkind: ConfigMap\n" in text)
    if os.environ.get("ASSAY_WRITE_DOCS"):
        blocks = ["  " + name + ": |\n" + re.sub("(?m)^(?=.)", "    ", text) for name, text in files.items()]
        documents[number] = documents[number][:documents[number].index("\ndata:")] + "\ndata:\n" + "".join(blocks)
        path.write_text("---\n".join(documents))
    check(yaml.safe_load(documents[number])["data"] == files, f"{path} differs from deploy/compose/postgres")


def check_compose(compose, folder):
    """Lets Compose read the file, if it is installed."""
    project = folder / "project"
    shutil.copytree(COMPOSE, project, ignore=shutil.ignore_patterns("secrets"))
    for secret in compose["secrets"].values():
        check((folder / secret["file"]).exists(), f"make-secrets.sh does not make {secret['file']}")
    if shutil.which("docker") and run("docker", "compose", "version").returncode == 0:
        command = ["docker", "compose"]
    elif shutil.which("docker-compose"):
        command = ["docker-compose"]
        if "version 1." in run(*command, "version").stdout:
            # It does not know the name of a project.
            text = (project / "compose.yaml").read_text()
            (project / "compose.yaml").write_text(text.replace("name: assay\n", "", 1))
    else:
        print("no Compose is installed: it did not read compose.yaml")
        return
    ending = run(*command, "config", "--quiet", cwd=project)
    check(ending.returncode == 0, f"{' '.join(command)} config: {ending.stderr}")


# MARK: Servers

class Server:
    """server.sh and what it runs, in a folder of its own, as the user postgres."""

    def __init__(self, folder, programs, number, ports):
        self.name, self.other = NAMES[number], NAMES[1 - number]
        self.port, self.folder, self.process = ports[number], folder / str(number), None
        self.folder.mkdir()
        (self.folder / "run").mkdir()
        self.log = self.folder / "log"
        self.account = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            self.account = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            for path in (self.folder, self.folder / "run"):
                os.chown(path, user.pw_uid, user.pw_gid)
        self.environment = {
            "PATH": f"{programs}:/usr/bin:/bin", "LC_ALL": "C", "SERVER_NAME": self.name, "SERVER_PORT": str(self.port),
            "SERVER_LISTEN": "127.0.0.1", "OTHER_HOST": "localhost", "OTHER_PORT": str(ports[1 - number]),
            "SERVER_SECRETS": str(folder / "secrets/postgres"), "SERVER_RUN": str(self.folder / "run"),
            "PGDATA": str(self.folder / "cluster"),
            # Shared memory that goes with the folder, also after a kill.
            "SERVER_OPTIONS": "-c dynamic_shared_memory_type=mmap -c shared_buffers=32MB"}

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["sh", COMPOSE / "postgres/server.sh", "run"], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", start_new_session=True, **self.account)

    def command(self, name):
        return run("sh", COMPOSE / "postgres/server.sh", name, env=self.environment, cwd="/", **self.account)

    def succeeds(self, name):
        ending = self.command(name)
        check(ending.returncode == 0, f"{self.name} {name}: {ending.stdout}{ending.stderr}")
        return ending.stdout

    def refuses(self, name, word):
        ending = self.command(name)
        check(ending.returncode == 1 and word in ending.stderr, f"{self.name} {name} was to be refused with {word}: {ending}")

    def state(self):
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "run/state").read_text()
        return ""

    def waits(self, word):
        until(f"{self.name} does not say: {word}", lambda: self.state().startswith("waits") and word in self.state())
        check(self.command("alive").returncode == 0 and self.command("ready").returncode != 0, f"{self.name}: probes")

    def has_standby(self):
        until(f"{self.name} has no standby", lambda: f"{self.other} streaming sync" in self.command("status").stdout)
        check(self.command("alive").returncode == 0 and self.command("ready").returncode == 0, f"{self.name}: probes")

    def tree(self):
        """The process and all below it, since the server's processes have groups of their own."""
        parents = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parents[int(entry.parent.name)] = int(entry.read_text().rsplit(")", 1)[1].split()[1])
        found = [self.process.pid]
        for one in found:
            found += [child for child, parent in parents.items() if parent == one]
        return found

    def signal_all(self, number):
        for one in self.tree():
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)

    def kill(self):
        # The segment that shows that a server runs stays after a kill.
        segment = []
        with contextlib.suppress(OSError, IndexError):
            segment = (self.folder / "cluster/postmaster.pid").read_text().splitlines()[6].split()
        self.signal_all(signal.SIGKILL)
        self.process.wait()
        if segment:
            run("ipcrm", "-m", segment[1])

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        check(self.process.wait(30) == 0, f"{self.name} ended with {self.process.returncode}")

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.signal_all(signal.SIGCONT)
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()


class Database:
    """Connections as the daemons make them."""

    def __init__(self, folder, programs, ports):
        self.psql, self.ports, self.secrets = programs / "psql", ports, folder / "secrets"
        self.password = (self.secrets / "postgres/daemon-password").read_text()

    def ask(self, statement, password=None, patience=20, **parameters):
        settings = {
            "host": "localhost,localhost", "port": ",".join(map(str, self.ports)), "dbname": "assay", "user": "assay",
            "sslmode": "verify-full", "sslrootcert": self.secrets / "ca/database.pem", "channel_binding": "require",
            "target_session_attrs": "read-write", "connect_timeout": 2, **parameters}
        line = " ".join(f"{key}='{value}'" for key, value in settings.items())
        return subprocess.run(
            [self.psql, "-XAtqw", "-d", line, "-c", statement], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=patience, env={"PGPASSWORD": password or self.password, "PATH": os.environ["PATH"]})

    def answers(self, statement, **parameters):
        ending = self.ask(statement, **parameters)
        check(ending.returncode == 0, f"{statement}: {ending.stderr}")
        return ending.stdout.strip()

    def refuses(self, word, **parameters):
        ending = self.ask("SELECT 1", **parameters)
        check(ending.returncode != 0 and word in ending.stderr, f"want {word} with {parameters}, have {ending}")


def check_connections(database):
    """Only the roles with their passwords, over TLS, to a server that its certificate names."""
    check(database.answers("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == "TLSv1.3", "not TLS 1.3")
    database.refuses("no pg_hba.conf entry", sslmode="disable", channel_binding="prefer")
    database.refuses("does not match host name", host="ip6-localhost,127.0.0.1", hostaddr="127.0.0.1,127.0.0.1")
    database.refuses("password authentication failed", password="another")
    database.refuses("no pg_hba.conf entry", user="postgres", dbname="postgres")
    replication = (database.secrets / "postgres/replication-password").read_text()
    database.refuses("no pg_hba.conf entry", user="replicator", password=replication)
    check(database.answers("SHOW data_checksums") == "on", "no checksums")


# MARK: Daemons

class Daemons:
    """Three daemons with deploy/compose/assayd.yaml behind HAProxy with deploy/compose/haproxy.cfg."""

    def __init__(self, folder, programs, ports):
        self.programs, self.folder, self.processes = programs, folder, []
        self.secrets = folder / "secrets"
        calls, probes = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
        self.port, self.statistics = free_port(), free_port()
        self.configurations = []
        for number in range(3):
            home = folder / f"assay-{number + 1}"
            (home / "run").mkdir(mode=0o700, parents=True)
            (home / "data").mkdir(mode=0o700)
            text = (COMPOSE / "assayd.yaml").read_text()
            for old, new in [
                    ("hosts: [postgres-0, postgres-1]", f"hosts: ['localhost:{ports[0]}', 'localhost:{ports[1]}']"),
                    # Here all hosts have one name.
                    ("    require_standby: true\n", f"    require_standby: true\n    writer: assay-{number + 1}\n"),
                    ("0.0.0.0:7443", f"127.0.0.1:{calls[number]}"), ("0.0.0.0:9464", f"127.0.0.1:{probes[number]}"),
                    ("/run/assay/", f"{home}/run/"), ("/run/secrets/", f"{self.secrets}/assay/"), ("/var/lib/assay", f"{home}/data"),
                    ("unix_user: 65532", f"unix_user: {os.getuid()}")]:
                check(old in text, f"deploy/compose/assayd.yaml has no {old}")
                text = text.replace(old, new)
            self.configurations.append(home / "assayd.yaml")
            self.configurations[-1].write_text(text)
        text = balancer(folder)
        for number in range(3):
            text = text.replace(f"assay-{number + 1}:7443 check port 9464", f"127.0.0.1:{calls[number]} check port {probes[number]}")
            text = text.replace(f"assay-{number + 1}:7443", f"127.0.0.1:{calls[number]}")
        text = text.replace("bind :7443", f"bind 127.0.0.1:{self.port}").replace("127.0.0.1:8404", f"127.0.0.1:{self.statistics}")
        (folder / "running.cfg").write_text(text)

    def start(self):
        ending = run(self.programs / "assayd", "new-ledger", "--config", self.configurations[0])
        check(ending.returncode == 0, f"new-ledger: {ending.stdout}{ending.stderr}")
        for configuration in self.configurations:
            self.spawn([self.programs / "assayd", "run", "--config", configuration], configuration.parent / "log")
        self.spawn(["haproxy", "-db", "-f", self.folder / "running.cfg"], self.folder / "haproxy.log")
        self.ready()
        # The health checks of compose.yaml.
        socket_address = f"unix:{self.configurations[0].parent}/run/assayd.sock"
        ending = run(self.programs / "assay", "status", "--timeout", "3s", env={**os.environ, "ASSAY_SERVER": socket_address})
        check(ending.returncode == 0, f"assay status: {ending.stdout}{ending.stderr}")

    def spawn(self, command, log):
        with open(log, "ab") as file:
            self.processes.append(subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True))

    def ready(self):
        def three():
            ending = run("curl", "-s", f"http://127.0.0.1:{self.statistics}/;csv")
            lines = [line.split(",") for line in ending.stdout.splitlines()]
            return sum(line[0] == "daemons" and re.fullmatch(r"assay-\d", line[1]) is not None and line[17] == "UP"
                       for line in lines if len(line) > 17) == 3
        try:
            until("three daemons are not ready", three)
        except TimeoutError:
            for log in sorted(self.folder.glob("assay-*/log")) + [self.folder / "haproxy.log"]:
                print(f"{log}:\n{log.read_text()[-3000:]}")
            raise
        environment = {
            **os.environ, "ASSAY_SERVER": f"tls:localhost:{self.port}", "ASSAY_TLS_CA": str(self.secrets / "caller/ca.pem"),
            "ASSAY_TLS_CERT": str(self.secrets / "caller/uploads.pem"), "ASSAY_TLS_KEY": str(self.secrets / "caller/uploads.key")}
        ending = run(self.programs / "assay", "challenge", "--app", "photos", "--purpose", "register", env=environment)
        check(ending.returncode == 0, f"assay challenge: {ending.stdout}{ending.stderr}")

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def balancer(folder):
    text = (COMPOSE / "haproxy.cfg").read_text()
    return text.replace("/run/secrets/", f"{folder}/secrets/balancer/")


def check_balancer(folder):
    path = folder / "haproxy.cfg"
    path.write_text(balancer(folder))
    ending = run("haproxy", "-c", "-f", path)
    check(ending.returncode == 0, f"haproxy -c: {ending.stdout}{ending.stderr}")


# MARK: What happens

def live(first, second, database, daemons):
    for server in (first, second):
        server.start()
    for server in (first, second):
        server.waits("there is no data here")
    first.succeeds("init")
    first.has_standby()
    first.refuses("init", "there is data")
    check("primary, timeline 1" in first.succeeds("status") and "standby, streaming" in second.succeeds("status"), "status")
    check_connections(database)
    database.answers("CREATE TABLE rows (number int); INSERT INTO rows VALUES (1)")
    if daemons:
        daemons.start()

    # Two primaries, and copies of nothing, are refused.
    password = database.secrets / "postgres/replication-password"
    right = password.read_text()
    password.write_text("wrong")
    second.refuses("promote", "cannot be asked; stop it first")
    password.write_text(right)
    second.refuses("promote", "accepts writes; stop it first")
    first.refuses("promote", "is the primary already")
    first.refuses("rebuild", "does not accept writes")
    second.refuses("init", "there is data")

    first.kill()
    second.succeeds("promote")
    check(database.answers("SELECT number FROM rows") == "1", "a row is missing")
    # Without a standby nothing is confirmed.
    with contextlib.suppress(subprocess.TimeoutExpired):
        ending = database.ask("INSERT INTO rows VALUES (2)", patience=2)
        raise AssertionError(f"confirmed without a standby: {ending}")
    first.start()
    first.waits("postgres-1 is the primary now")
    first.refuses("init", "there is data")
    first.succeeds("rebuild")
    second.has_standby()
    check("primary, timeline 2" in second.succeeds("status") and "standby, streaming" in first.succeeds("status"), "status")
    database.answers("INSERT INTO rows VALUES (3)")
    if daemons:
        daemons.ready()

    # A primary that was frozen while the other one was promoted stops serving by itself.
    second.signal_all(signal.SIGSTOP)
    first.succeeds("promote")
    second.signal_all(signal.SIGCONT)
    second.waits("postgres-0 is the primary now")
    second.succeeds("rebuild")
    first.has_standby()
    database.answers("INSERT INTO rows VALUES (4)")
    rows = database.answers("SELECT string_agg(number::text, ' ' ORDER BY number) FROM rows")
    # The second row was not confirmed, and may be there.
    check(rows in ("1 3 4", "1 2 3 4"), f"the rows are {rows}")
    if daemons:
        daemons.ready()

    # Roles are exchanged on purpose.
    first.succeeds("demote")
    first.waits("waits until postgres-1 accepts writes")
    second.succeeds("promote")
    second.has_standby()
    second.refuses("promote", "is the primary already")
    first.refuses("demote", "has no standby")
    database.answers("INSERT INTO rows VALUES (5)")

    # An empty volume is filled from the primary; a restart keeps the roles.
    first.stop()
    shutil.rmtree(first.folder / "cluster")
    second.stop()
    second.start()
    first.start()
    second.has_standby()
    check(database.answers("SELECT count(*) FROM rows") == str(len(rows.split()) + 1), "rows are missing")
    if daemons:
        daemons.ready()


def main():
    # The parent may have blocked signals, which programs would inherit.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.environ["PATH"] += ":/usr/sbin"
    try:
        import yaml  # noqa: F401
    except ImportError:
        print("skipped: PyYAML (Debian: python3-yaml) is not installed")
        return 77
    programs = postgres_programs()
    # The server refuses to run as root.
    user = os.geteuid() != 0 or any(entry.pw_name == "postgres" for entry in pwd.getpwall())
    for name, there in [("openssl", shutil.which("openssl")), ("haproxy", shutil.which("haproxy")), ("postgresql", programs and user),
                        ("curl", shutil.which("curl"))]:
        if not there:
            print(f"skipped: {name} is not installed")
            return 77
    compose = check_files()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-compose-", dir=quick_folder()))
    servers, daemons = [], None
    try:
        folder.chmod(0o755)
        names = {"DATABASE_NAMES": "postgres-0 postgres-1 localhost", "ASSAY_NAMES": "assay.example.org localhost"}
        ending = run("sh", COMPOSE / "make-secrets.sh", folder / "secrets", env={**os.environ, **names})
        check(ending.returncode == 0, f"make-secrets.sh: {ending.stderr}")
        check_compose(compose, folder)
        if os.geteuid() == 0:
            # The users of this machine, and not of the images.
            (folder / "secrets").chmod(0o711)
            run("chown", "-R", "postgres:", folder / "secrets/postgres")
            run("chown", "-R", "root:", folder / "secrets/assay")
        check_balancer(folder)
        ports = [free_port(), free_port()]
        servers = [Server(folder, programs, number, ports) for number in (0, 1)]
        if len(sys.argv) > 1:
            daemons = Daemons(folder, pathlib.Path(sys.argv[1]).resolve(), ports)
        live(*servers, Database(folder, programs, ports), daemons)
        print("the servers of compose.yaml are made, promoted and rebuilt, and lose nothing"
              + ("; three daemons behind the balancer go on" if daemons else ""))
        return 0
    except (AssertionError, TimeoutError, subprocess.TimeoutExpired) as error:
        print("not right:", error)
        for server in servers:
            if server.log.exists():
                print(f"{server.name}: {server.state()}{server.log.read_text()[-4000:]}")
        return 1
    finally:
        if daemons:
            daemons.end()
        for server in servers:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
