"""Runs the tests as this user and, if that is root, again as a user without rights: there plugins have the daemon's own user.

    python3 run.py FOLDER_OF_PROGRAMS [unittest arguments]
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = 65534


def copy_readable(source, target):
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    for folder, _, files in os.walk(target):
        os.chmod(folder, 0o755)
        for name in files:
            path = os.path.join(folder, name)
            os.chmod(path, 0o755 if os.access(path, os.X_OK) else 0o644)


def run_as(user, folder, arguments):
    print(f"launcher: tests as user {os.geteuid() if user is None else user}", flush=True)
    own = os.path.join(folder, f"files-{user or os.geteuid()}")
    os.mkdir(own, 0o755)
    identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    if user is not None:
        os.chown(own, user, user)
    programs = f"{folder}/programs"
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "ASSAY_TEST_BUILD": programs, "ASSAY_TEST_FOLDER": own}
    if "ASSAY_TEST_SANITIZED" in os.environ:
        environment["ASSAY_TEST_SANITIZED"] = "1"
    # The search for leaks at the end of a program needs what the filter forbids.
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    command = [sys.executable, "-B", "-m", "unittest", *(arguments or ["discover"])]
    return subprocess.run(command, cwd=f"{folder}/tests", env=environment, check=False, **identity).returncode == 0


def landlock_version():
    """The Landlock ABI that can be enforced here, 0 without it or without seccomp."""
    support = subprocess.run(
        [os.path.join(sys.argv[1], "assay-plugin-launcher"), "--print-support"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout.splitlines()
    if "=seccomp allow-list" not in support:
        return 0
    return max((int(line.split()[1]) for line in support if line.startswith("=landlock ") and line.split()[1].isdigit()), default=0)


# The tests try what ABI 6 added, and pose as older kernels themselves.
NEEDED = 6


def main():
    if "ASSAY_TEST_SANITIZED" not in os.environ and landlock_version() < NEEDED:
        print(f"skipped: the launcher's tests need seccomp and Landlock ABI {NEEDED}, which is not enforced here", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="assay-launcher-") as folder:
        os.chmod(folder, 0o755)
        copy_readable(sys.argv[1], f"{folder}/programs")
        copy_readable(HERE, f"{folder}/tests")
        users = [None, PLAIN] if os.geteuid() == 0 else [None]
        results = [run_as(user, folder, sys.argv[2:]) for user in users]
    sys.exit(0 if all(results) else 1)


main()
