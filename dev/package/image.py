#!/usr/bin/env python3
"""Makes the container image of a release without a container engine: `image.py STAGE CONTAINERFILE OUTPUT VERSION SECONDS [REVISION]`.

OUTPUT is a tar with an OCI image layout (blobs, index.json, oci-layout), which Podman, Skopeo, containerd and Docker read. Its layers are not
compressed: the whole is, afterwards, and an engine that pushes it compresses them in its own way. STAGE is the
unpacked tarball. User, entry point, command, volumes, port, signal and health check are those of the Containerfile. There are two layers:
Debian's C library, CA certificates and PostgreSQL's client library as they are installed on this machine, with their licences and the list
that scanners read (var/lib/dpkg/status.d); and Assay. Equal files give equal bytes: times are SECONDS since 1970, owners are numbers."""

import hashlib
import io
import json
import os
import platform
import re
import shlex
import stat
import subprocess
import sys
import tarfile
import time

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Packages that are in the image with all their shared libraries, and those of which the files below are.
WHOLE = ("libc6", "libgcc-s1")
LOADED = "libpq.so.5"
CA_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# What the C library's threads and name service do not load is left out.
UNUSED = re.compile(r"/(gconv|audit)/|/lib(BrokenLocale|c_malloc_debug|memusage|pcprofile|thread_db|nsl|nss_hesiod|mvec)\b")


def fail(text):
    sys.exit("image: " + text)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


class Containerfile:
    """What the last stage of a Containerfile says of the image's configuration."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read().rpartition("\nFROM ")[2].replace("\\\n", " ")
        self.lines = re.findall(r"^([A-Z]+) (.*)$", text, flags=re.M)

    def values(self, word):
        return [value for name, value in self.lines if name == word]

    def value(self, word):
        found = self.values(word)
        if len(found) != 1:
            fail("the Containerfile has %d times %s" % (len(found), word))
        return found[0]

    def health_check(self):
        options, _, command = self.value("HEALTHCHECK").partition(" CMD ")
        times = dict(option.removeprefix("--").split("=") for option in shlex.split(options))
        nanoseconds = {name: int(value.removesuffix("s")) * 10**9 for name, value in times.items()}
        return {"Test": ["CMD"] + json.loads(command), "Interval": nanoseconds["interval"], "Timeout": nanoseconds["timeout"],
                "StartPeriod": nanoseconds["start-period"]}

    def configuration(self):
        return {
            "User": self.value("USER"), "Env": ["PATH=/usr/bin"] + self.values("ENV"),
            "Entrypoint": json.loads(self.value("ENTRYPOINT")), "Cmd": json.loads(self.value("CMD")),
            "Volumes": {path: {} for path in json.loads(self.value("VOLUME"))},
            "ExposedPorts": {port + "/tcp": {} for port in self.values("EXPOSE")}, "WorkingDir": "/",
            "StopSignal": self.value("STOPSIGNAL"), "Healthcheck": self.health_check(),
        }


class Layer:
    """Files with what a tar says of them, by their paths. The folders above a file are made when it is put there."""

    def __init__(self, seconds):
        self.entries, self.seconds = {}, seconds

    def put(self, path, content=None, mode=0o644, kind=tarfile.REGTYPE, link="", owner=0):
        path = path.strip("/")
        above = os.path.dirname(path)
        if above and above not in self.entries:
            self.folder(above)
        entry = tarfile.TarInfo(path)
        entry.type, entry.mode, entry.linkname, entry.mtime = kind, mode, link, self.seconds
        entry.uid = entry.gid = owner
        entry.size = len(content) if content is not None else 0
        self.entries[path] = (entry, content)

    def folder(self, path, mode=0o755, owner=0):
        self.put(path, None, mode, tarfile.DIRTYPE, owner=owner)

    def link(self, path, target):
        self.put(path, None, 0o777, tarfile.SYMTYPE, target)

    def file(self, path, source, mode=None):
        with open(source, "rb") as file:
            self.put(path, file.read(), mode or (0o755 if os.stat(source).st_mode & stat.S_IXUSR else 0o644))

    def tar(self):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path in sorted(self.entries):
                entry, content = self.entries[path]
                tar.addfile(entry, io.BytesIO(content) if content is not None else None)
        return buffer.getvalue()


def usr(path):
    """The path of a file of this machine below usr, where Debian has moved bin, lib and the like."""
    return re.sub(r"^/(bin|sbin|lib|lib64)/", r"/usr/\1/", path)


def base(seconds):
    layer = Layer(seconds)
    layer.folder("tmp", 0o1777)
    for folder in ("root", "home/nonroot", "proc", "sys", "dev", "run", "var/tmp"):
        layer.folder(folder, 0o700 if folder == "root" else 0o1777 if folder == "var/tmp" else 0o755,
                     65532 if folder == "home/nonroot" else 0)
    for name in ("bin", "sbin", "lib", "lib64"):
        layer.folder("usr/" + name)
        layer.link(name, "usr/" + name)
    layer.put("etc/passwd", b"root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n")
    layer.put("etc/group", b"root:x:0:\nnonroot:x:65532:\n")
    layer.put("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")

    packages = set()
    for package in WHOLE:
        for path in output("dpkg-query", "-L", package).split("\n"):
            if re.search(r"/lib(64|/.*)?/[^/]*\.so(\.[0-9]+)*$", path) and not UNUSED.search(path) and not os.path.isdir(path):
                library(layer, path)
        packages.add(package)
    # As the loader finds them: what libpq loads.
    folder = "/usr/lib/" + platform.machine() + "-linux-gnu/"
    if not os.path.exists(folder + LOADED):
        fail("there is no %s%s: apt install libpq5" % (folder, LOADED))
    needed = [folder + LOADED] + re.findall(r"=> (/\S+)", output("ldd", folder + LOADED))
    for path in needed:
        place = usr(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))
        if place.strip("/") not in layer.entries:
            layer.file(place, os.path.realpath(path), 0o644)
        packages.add(owner_of(path))
    layer.file(CA_CERTIFICATES, CA_CERTIFICATES)
    layer.file("etc/os-release", "/etc/os-release")
    packages |= {"ca-certificates", "base-files"}
    for package in sorted(packages):
        layer.put("var/lib/dpkg/status.d/" + package, status(package).encode())
        licence = "/usr/share/doc/%s/copyright" % package
        if os.path.exists(licence):
            layer.file(licence, licence)
    return layer, sorted(packages)


def library(layer, path):
    if os.path.islink(path):
        layer.link(usr(path), os.readlink(path))
    else:
        layer.file(usr(path), path)


def owner_of(path):
    """The Debian package that has a library, found below /lib or /usr/lib."""
    real = os.path.realpath(path)
    for candidate in (real, real.removeprefix("/usr"), path, "/usr" + path):
        found = subprocess.run(["dpkg-query", "-S", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        if found:
            return found.decode().split(":")[0]
    fail("no package of this machine has %s" % path)


def status(package):
    """What dpkg knows of a package, without what differs between machines."""
    text = output("dpkg-query", "-s", package)
    return re.sub(r"^Conffiles:\n(?: .*\n)+", "", text, flags=re.M).rstrip("\n") + "\n"


def assay(stage, seconds):
    layer = Layer(seconds)
    # They are in the layer below, with these modes.
    for folder in ("usr", "usr/bin", "usr/share", "usr/share/doc", "etc", "var", "var/lib", "run"):
        layer.folder(folder)
    for path in ("bin/assayd", "bin/assay", "libexec/assay/assay-plugin-launcher"):
        layer.file("usr/" + path, os.path.join(stage, path), 0o755)
    for path in ("share/assay/assay.cdx.json", "share/assay/Package.resolved", "share/doc/assay/LICENSE",
                 "share/doc/assay/third-party-licences.txt"):
        layer.file("usr/" + path, os.path.join(stage, path))
    layer.folder("etc/assay")
    layer.folder("var/lib/assay", 0o700, owner=65532)
    layer.folder("run/assay", owner=65532)
    return layer


class Layout:
    def __init__(self):
        self.blobs = {}

    def add(self, content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(content)}

    def add_json(self, document, media_type):
        return self.add(json.dumps(document, sort_keys=True, separators=(",", ":")).encode(), media_type)


def main():
    stage, containerfile, target, version, seconds, *rest = sys.argv[1:]
    seconds = int(seconds)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    below, packages = base(seconds)
    layout, layers, differences, history = Layout(), [], [], []
    for layer, comment in ((below, "Debian packages: " + " ".join(packages)), (assay(stage, seconds), "Assay " + version)):
        tar = layer.tar()
        differences.append("sha256:" + hashlib.sha256(tar).hexdigest())
        layers.append(layout.add(tar, "application/vnd.oci.image.layer.v1.tar"))
        history.append({"created": created, "created_by": "dev/package/image.py", "comment": comment})
    labels = {
        "org.opencontainers.image.title": "assay", "org.opencontainers.image.version": version,
        "org.opencontainers.image.created": created, "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.description": "Attestation and validation service: the daemon assayd and the command line assay",
    }
    if rest and rest[0]:
        labels["org.opencontainers.image.revision"] = rest[0]
    configuration = Containerfile(containerfile).configuration()
    configuration["Labels"] = labels
    described = layout.add_json({
        "created": created, "architecture": ARCHITECTURES[platform.machine()], "os": "linux", "config": configuration,
        "rootfs": {"type": "layers", "diff_ids": differences}, "history": history,
    }, "application/vnd.oci.image.config.v1+json")
    manifest = layout.add_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": described, "layers": layers,
        "annotations": labels,
    }, "application/vnd.oci.image.manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "localhost/assay:" + version}
    manifest["platform"] = {"architecture": ARCHITECTURES[platform.machine()], "os": "linux"}
    files = {
        "oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode(),
        "index.json": json.dumps({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}, sort_keys=True).encode(),
        # What `docker load` reads where it does not know the layout.
        "manifest.json": json.dumps([{
            "Config": blob(described), "RepoTags": ["assay:" + version], "Layers": [blob(layer) for layer in layers]}]).encode(),
    }
    files.update({"blobs/sha256/" + digest: content for digest, content in layout.blobs.items()})
    whole = Layer(seconds)
    for path, content in files.items():
        whole.put(path, content)
    with open(target, "wb") as file:
        file.write(whole.tar())


def blob(descriptor):
    return "blobs/sha256/" + descriptor["digest"].partition(":")[2]


main()
