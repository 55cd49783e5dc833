#!/usr/bin/env python3
"""Writes the SBOM of a folder that is to be packed, CycloneDX 1.6 in JSON:
`sbom.py STAGE RESOLVED CHECKOUTS VERSION SECONDS [static:]LIBRARY=VERSION…`.

It lists the programs with their digests, the Swift packages of RESOLVED (Package.resolved) that are linked into them with the C libraries
whose sources these bring along, Swift's own libraries, and the libraries of the system. CHECKOUTS has the packages' sources. A folder of C
sources that this file does not know is an error. Equal inputs give equal bytes: the time is SECONDS since 1970, and the serial number is
derived from the content."""

import hashlib
import json
import os
import re
import sys
import time
import uuid

# Licences of the packages, as their LICENSE files say; Apache-2.0 of Apple's and the server group's are the rule.
LICENCES = {"jwt-kit": "MIT", "yams": "MIT"}
PROGRAMS = ["bin/assayd", "bin/assay", "libexec/assay/assay-plugin-launcher"]
SYSTEM = {
    "glibc": "LGPL-2.1-or-later", "libsqlite3": "blessing", "zlib": "Zlib", "libstdc++": "GPL-3.0-only WITH GCC-exception-3.1",
    "libgcc": "GPL-3.0-only WITH GCC-exception-3.1", "libseccomp": "LGPL-2.1-only",
}
# C libraries in the sources of Swift packages, by the folder that has them: name, licence, where they come from, and the file and the
# expression that say which version it is. A commit is one by which an advisory can be compared.
BUNDLED = {
    "swift-nio-ssl/Sources/CNIOBoringSSL": (
        "boringssl", "Apache-2.0", "https://boringssl.googlesource.com/boringssl",
        "swift-nio-ssl/Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    "swift-crypto/Sources/CCryptoBoringSSL": (
        "boringssl", "Apache-2.0", "https://boringssl.googlesource.com/boringssl",
        "swift-crypto/Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    "swift-crypto/Sources/CXKCP": (
        "xkcp", "CC0-1.0", "https://github.com/XKCP/XKCP",
        "swift-crypto/Sources/CXKCP/vendored-sources.txt", r"\(heads/master-\d+-g([0-9a-f]+)\)"),
    "swift-nio/Sources/CNIOLLHTTP": (
        "llhttp", "MIT", "https://github.com/nodejs/llhttp", "swift-nio/Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
        r"LLHTTP_VERSION_MAJOR (\d+)\s+#define LLHTTP_VERSION_MINOR (\d+)\s+#define LLHTTP_VERSION_PATCH (\d+)"),
    "swift-nio/Sources/CNIOSHA1": (
        "freebsd-sha1", "BSD-3-Clause", "https://github.com/freebsd/freebsd-src",
        "swift-nio/Sources/CNIOSHA1/c_nio_sha1.c", r"KAME: sha1.c,v ([0-9.]+)"),
    "swift-nio-extras/Sources/CNIOExtrasZlib": (
        "zlib", "Zlib", "https://github.com/madler/zlib",
        "swift-nio-extras/Sources/CNIOExtrasZlib/include/nioextras-zlib.h", r'CNIOEXTRAS_ZLIB_VERSION "([^"]+)"'),
    "Yams/Sources/CYaml": (
        "libyaml", "MIT", "https://github.com/yaml/libyaml", "Yams/CHANGELOG.md",
        r"yaml/libyaml/compare/[0-9a-f]+\.\.\.([0-9a-f]+)"),
}
# C sources of the packages' own, by the names of their folders; and a compiler that is not linked (swift-protobuf's).
OWN = re.compile(r"/(CNIO(Atomics|Darwin|FreeBSD|Linux|OpenBSD|Posix|WASI|Windows)|_\w+|C\w+Shims|CAsyncHTTPClient|CSystem)$|^swift-protobuf/")
# Libraries in those of the Swift toolchain.
IN_SWIFT = {"icu": ("Unicode-3.0", "https://github.com/swiftlang/swift-foundation-icu"),
            "libdispatch": ("Apache-2.0", "https://github.com/swiftlang/swift-corelibs-libdispatch")}


def licence(text):
    return [{"expression": text}] if " WITH " in text else [{"license": {"id": text}}]


def bundled(checkouts):
    """The C libraries in the packages' sources, each with the identity of its package."""
    for package in sorted(os.listdir(checkouts)):
        sources = os.path.join(checkouts, package, "Sources")
        for target in sorted(os.listdir(sources)) if os.path.isdir(sources) else []:
            folder = "%s/Sources/%s" % (package, target)
            names = [name for _, _, files in os.walk(os.path.join(checkouts, folder)) for name in files]
            if folder not in BUNDLED:
                if any(name.endswith((".c", ".cc", ".cpp", ".S")) for name in names) and not OWN.search(folder):
                    sys.exit("sbom: %s has C sources that dev/package/sbom.py does not know" % folder)
                continue
            name, terms, source, file, expression = BUNDLED[folder]
            with open(os.path.join(checkouts, file), encoding="utf-8") as text:
                found = re.search(expression, text.read())
            if not found:
                sys.exit("sbom: %s does not say which version of %s it has" % (file, name))
            version = ".".join(found.groups())
            yield package.lower(), {
                "type": "library", "bom-ref": "bundled:%s/%s" % (package.lower(), name), "name": name, "version": version,
                "scope": "required", "licenses": licence(terms), "purl": purl(source, name, version),
                "properties": [{"name": "assay:linked", "value": "static"}, {"name": "assay:sources", "value": folder}],
                "externalReferences": [{"type": "vcs", "url": source}],
            }


def purl(source, name, version):
    if source.startswith("https://github.com/"):
        return "pkg:github/%s@%s" % (source.removeprefix("https://github.com/").lower(), version)
    return "pkg:generic/%s@%s?vcs_url=git%%2B%s" % (name, version, source.replace(":", "%3A").replace("/", "%2F"))


def swift_packages(path):
    with open(path, encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        location = pin["location"].removesuffix(".git")
        host, _, name = location.removeprefix("https://").partition("/")
        version = pin["state"].get("version") or pin["state"]["revision"]
        yield {
            "type": "library", "bom-ref": "swift:" + pin["identity"], "group": host + "/" + name.rpartition("/")[0],
            "name": name.rpartition("/")[2], "version": version, "scope": "required",
            "licenses": licence(LICENCES.get(pin["identity"], "Apache-2.0")),
            "purl": "pkg:swift/%s/%s@%s" % (host, name, version),
            "pedigree": {"commits": [{"uid": pin["state"]["revision"], "url": location}]},
            "externalReferences": [{"type": "vcs", "url": location}],
        }


def system_libraries(words):
    for word in words:
        name, _, version = word.partition("=")
        linked = "static" if name.startswith("static:") else "dynamic"
        name = name.removeprefix("static:")
        if name == "swift":
            yield {
                "type": "library", "bom-ref": "system:swift", "name": "swift", "version": version, "scope": "required",
                "licenses": licence("Apache-2.0 WITH Swift-exception"), "properties": [{"name": "assay:linked", "value": "static"}],
                "externalReferences": [{"type": "vcs", "url": "https://github.com/swiftlang/swift"}],
            }
            continue
        component = {
            "type": "library", "bom-ref": "system:" + name, "name": name, "scope": "required",
            "licenses": licence(IN_SWIFT[name][0] if name in IN_SWIFT else SYSTEM[name]),
            "properties": [{"name": "assay:linked", "value": linked}],
        }
        if name in IN_SWIFT:
            component["externalReferences"] = [{"type": "vcs", "url": IN_SWIFT[name][1]}]
        # What is loaded at run time has the version of the machine.
        if linked == "static":
            component["version"] = version
        yield component


def programs(stage):
    for path in PROGRAMS:
        with open(os.path.join(stage, path), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        yield {"type": "file", "bom-ref": "file:" + path, "name": path, "hashes": [{"alg": "SHA-256", "content": digest}]}


def main():
    stage, resolved, checkouts, version, seconds, *words = sys.argv[1:]
    packages, libraries, files = list(swift_packages(resolved)), list(system_libraries(words)), list(programs(stage))
    parts = list(bundled(checkouts))
    for package, part in parts:
        if "swift:" + package not in {other["bom-ref"] for other in packages}:
            sys.exit("sbom: %s is not in %s" % (package, resolved))
    product = {
        "type": "application", "bom-ref": "assay", "name": "assay", "version": version, "licenses": licence("Apache-2.0"),
        "description": "Attestation and validation service: the daemon assayd and the command line assay",
    }
    launcher = [library["bom-ref"] for library in libraries if library["name"] == "libseccomp"]
    others = [part["bom-ref"] for part in packages + libraries if part["bom-ref"] not in launcher]
    dependencies = [{"ref": "assay", "dependsOn": sorted(file["bom-ref"] for file in files)}]
    for file in files:
        needed = launcher if file["name"].endswith("launcher") else others
        dependencies.append({"ref": file["bom-ref"], "dependsOn": sorted(needed)})
    for package in sorted({package for package, _ in parts}):
        dependencies.append({
            "ref": "swift:" + package, "dependsOn": sorted(part["bom-ref"] for other, part in parts if other == package)})
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds))), "component": product,
            "lifecycles": [{"phase": "build"}],
        },
        "components": files + packages + [part for _, part in parts] + libraries, "dependencies": dependencies,
    }
    content = json.dumps(document, sort_keys=True).encode()
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(content).hexdigest()))
    print(json.dumps(document, indent=2, sort_keys=True))


main()
