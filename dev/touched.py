#!/usr/bin/env python3
"""Names the tests that a change can break, for dev/test.py: one name per line.

    dev/touched.py BASE      what differs from the revision BASE, with what is not committed (default: HEAD)

The graph of modules is the table of dev/check-modules.sh. Named are the tests of each touched module and of each module that may import
it. Of the suites that start daemons or commands, only those whose source names a touched module, unless the daemon or the command
line itself was touched. A change of the package, of the protocol or of what all tests share names everything. This is for the loop
of a developer: `make test` is the whole.
"""

import os
import re
import subprocess
import sys

# The test targets whose suites start daemons.
DAEMON = ["AssayDaemonTests", "DaemonCommandTests", "DaemonProvisioningTests"]

# Test targets whose name is not that of a module with "Tests", by the modules that they test.
TESTED_BY = {
    "AssayEvidenceCases": ["DaemonCommandTests"],
    "AssayApps": ["AssayConfigurationTests", "AssayCommandTests", *DAEMON],
    "AssayDaemon": DAEMON,
    "assay": ["AssayCommandTests", *DAEMON],
    "assayd": ["AssayCommandTests", *DAEMON],
}

# Test targets with suites that start processes, and what makes all of them run.
PROCESSES = {
    "AssayCommandTests": {"assay", "assayd", "AssayCommandLine"},
} | {target: {"AssayDaemon", "AssayApps", "AssayOperations", "assayd"} for target in DAEMON} | {
    "DaemonCommandTests": {"assay", "AssayDaemon", "AssayApps", "assayd"},
}

EVERYTHING = ("Package.swift", "proto/", "Sources/AssayTesting/", "Tests/DaemonTesting/")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def suites(target):
    """The suites of a target that start processes, with their source."""
    for name in sorted(os.listdir(f"Tests/{target}")):
        path = f"Tests/{target}/{name}"
        if name.endswith("Tests.swift"):
            with open(path) as file:
                text = file.read()
            if re.search(r"^extension (Process|Command)Tests \{", text, re.MULTILINE):
                for suite in re.findall(r"^    (?:final )?(?:struct|class|enum|actor) (\w+Tests)\b", text, re.MULTILINE):
                    yield path, suite, text


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    base = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    changed = output("git", "diff", "--name-only", base) + output("git", "ls-files", "--others", "--exclude-standard")
    targets = {name for name in os.listdir("Tests") if name.endswith("Tests")}
    if any(path.startswith(EVERYTHING) for path in changed):
        print("\n".join(sorted(targets)))
        return

    rows = [line.split("|") for line in output("dev/check-modules.sh", "--modules")]
    folders = {folder + "/": name for name, folder, _, _ in rows}
    touched = {name for path in changed for folder, name in folders.items() if path.startswith(folder)}
    reached = touched | {name for name, _, _, allowed in rows if touched & set(allowed.split())}
    own = {path.split("/")[1] for path in changed if path.startswith("Tests/")} & targets
    chosen = own | {test for name in reached for test in TESTED_BY.get(name, [name + "Tests"])} & targets

    names = set(chosen)
    for target, whole in PROCESSES.items():
        if target in chosen and not touched & whole:
            names.discard(target)
            for path, suite, text in suites(target):
                if path in changed or any(re.search(name, text, re.IGNORECASE) for name in touched):
                    names.add(suite)
    print("\n".join(sorted(names)))


main()
