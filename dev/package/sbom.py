#!/usr/bin/env python3
"""Writes the SBOM of a folder that is to be packed, CycloneDX 1.6 in JSON: `sbom.py STAGE RESOLVED VERSION SECONDS [static:]LIBRARY=VERSION…`.

It lists the programs with their digests, the Swift packages of RESOLVED (Package.resolved) that are linked into them, Swift's own libraries,
and the libraries of the system. Equal inputs give equal bytes: the time is SECONDS since 1970, and the serial number is derived from the content."""

import hashlib
import json
import os
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


def licence(text):
    return [{"expression": text}] if " WITH " in text else [{"license": {"id": text}}]


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
            "type": "library", "bom-ref": "system:" + name, "name": name, "scope": "required", "licenses": licence(SYSTEM[name]),
            "properties": [{"name": "assay:linked", "value": linked}],
        }
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
    stage, resolved, version, seconds, *words = sys.argv[1:]
    packages, libraries, files = list(swift_packages(resolved)), list(system_libraries(words)), list(programs(stage))
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
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds))), "component": product,
            "lifecycles": [{"phase": "build"}],
        },
        "components": files + packages + libraries, "dependencies": dependencies,
    }
    content = json.dumps(document, sort_keys=True).encode()
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(content).hexdigest()))
    print(json.dumps(document, indent=2, sort_keys=True))


main()
