#!/usr/bin/env python3
"""Copies what users read and build with into a folder that is to be packed: `materials.py STAGE [--address URL] [--home FOLDER]`.

Documentation, samples, protos, clients, libraries and templates for plugins, and test vectors. Pages are moved, so their relative links are
rewritten: to the place of their target in the package. A target that no package has is linked below URL, the address at which the
sources can be read; without an address, the link becomes its text, and the path in the sources follows. A link to nothing is an error.
Commands that begin with a build of the sources begin with the release's folder in the package, since nothing is built there. What clients,
samples, protos and the description of the interface say of a page, such as the link of an error, names the place of the page in the package."""

import argparse
import os
import re
import shutil
import stat
import sys

DOC, SHARE = "share/doc/assay", "share/assay"
# Where each part of the sources goes; the longest match counts. Parts that do not exist are left out.
PLACES = {
    "README.md": DOC + "/README.md", "SECURITY.md": DOC + "/SECURITY.md", "CONTRIBUTING.md": DOC + "/CONTRIBUTING.md",
    "CHANGELOG.md": DOC + "/CHANGELOG.md", "LICENSE": DOC + "/LICENSE",
    "docs": DOC,
    # The root's README.md has that place.
    "docs/README.md": DOC + "/index.md",
    "examples": DOC + "/examples",
    "deploy/assayd.example.yaml": DOC + "/assayd.example.yaml",
    "deploy/systemd": DOC + "/examples/systemd", "deploy/container": DOC + "/examples/container",
    "deploy/compose": DOC + "/examples/compose", "deploy/kubernetes": DOC + "/examples/kubernetes",
    "deploy/haproxy": DOC + "/examples/haproxy", "deploy/prometheus": DOC + "/examples/prometheus",
    "deploy/grafana": DOC + "/examples/grafana",
    "proto": SHARE + "/proto", "plugins": SHARE + "/plugins", "clients": SHARE + "/clients",
}
# `assay plugin new` copies these pages beside its templates. Documentation itself may be left out by a system (dpkg's path-exclude).
FOR_PLUGINS = ("docs/reference/reason-codes.md", "docs/reference/plugin-protocol.md")
# Texts that name pages by their paths in the sources, for people. Tests of what else is packaged read such paths.
NAMING = ("clients/", "proto/", "deploy/", "examples/", "docs/openapi.yaml", "docs/reference/commands/")
NAMED = re.compile(r"(?<![\w./-])(?:docs|clients)/[\w/-]+\.md")
# What builds, tests and make-secrets.sh leave behind.
LEFT = {"vendor", "__pycache__", "node_modules", "target", "build", "dist", "secrets", "Package.resolved", ".pytest_cache"}

# The beginning of a page's commands: the programs are built and put on the PATH.
BUILD = re.compile(r"make build( plugins)?( +#.*)?")
USE = 'export PATH="$PWD/.build/release:$PATH"'
# A name for a part of the sources, in the line behind those.
SOURCES = re.compile(r'(\w+)="\$PWD/([\w/-]+)"')
# What a package manager installs from a folder, and the folder of a release in pages about one.
CLIENT = re.compile(r" \./(clients/[\w/]+)")
SAMPLE_HOME = "export ASSAY_HOME=/opt/assay"

LINK = re.compile(r"\]\(([^)\s]+)\)")


def fail(text):
    sys.exit("materials: " + text)


def is_left(name):
    return name in LEFT or name.startswith(".") or name.endswith((".pyc", ".egg-info"))


def place(path):
    """The path in the package of a path in the sources, or none."""
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        target = PLACES.get("/".join(parts[:count]))
        if target is not None:
            return "/".join([target] + parts[count:])
    return None


def located(text):
    """The text with the places in the package of the pages that it names."""
    return NAMED.sub(lambda match: place(match.group()) if os.path.exists(match.group()) else match.group(), text)


def sources():
    for part in PLACES:
        if os.path.isfile(part):
            yield part
        for folder, folders, files in os.walk(part):
            folders[:] = sorted(name for name in folders if not is_left(name))
            for name in sorted(files):
                if not is_left(name):
                    yield os.path.join(folder, name)


def packaged_places():
    """The places in the package of all files and folders that it has."""
    packaged = {path: place(path) for path in sources()}
    for path in list(packaged):
        # Folders that are packaged as such can be linked, too.
        folder = os.path.dirname(path)
        while folder and place(folder) and folder not in packaged:
            packaged[folder] = place(folder)
            folder = os.path.dirname(folder)
    return packaged


class Page:
    """A page of the sources, and the place in the package at which it is read."""

    def __init__(self, path, at, packaged, address, home):
        self.path, self.at, self.packaged, self.address, self.home = path, at, packaged, address, home
        self.moved = self.outside = 0

    def link(self, match, number):
        target = match.group(1)
        if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("#"):
            return None
        path, hash_mark, anchor = target.partition("#")
        found = os.path.normpath(os.path.join(os.path.dirname(self.path), path))
        if not os.path.exists(found) or found.startswith(".."):
            fail("%s:%d: %s does not exist" % (self.path, number, target))
        to = self.packaged.get(found)
        if to is None:
            self.outside += 1
            return (found, self.address + "/" + found + hash_mark + anchor if self.address else None)
        self.moved += 1
        return (found, os.path.relpath(to, os.path.dirname(self.at)) + hash_mark + anchor)

    def rewritten(self, text):
        lines, fenced = [], False
        for number, line in enumerate(text.split("\n"), 1):
            if re.match(r" *```", line):
                fenced = not fenced
            elif fenced and line.startswith(USE) and lines and BUILD.fullmatch(lines[-1]):
                lines[-1:] = self.installed(line)
                continue
            elif fenced and SOURCES.fullmatch(line) and lines and lines[-1].startswith('export PATH="$ASSAY_HOME/bin:'):
                line = SOURCES.sub(lambda match: '%s="%s"' % (match.group(1), self.in_home(match.group(2))), line)
            elif fenced and CLIENT.search(line):
                if not any(each.startswith("export ASSAY_HOME") for each in lines[-2:]):
                    lines.append(self.exported())
                line = CLIENT.sub(lambda match: ' "$ASSAY_HOME/%s"' % place(match.group(1)), line)
            elif fenced and line == SAMPLE_HOME:
                line = self.exported()
            elif not fenced:
                line = self.line(line, number)
            lines.append(line)
        return "\n".join(lines)

    def installed(self, line):
        """The commands in place of a build and of `line`, which puts its programs on the PATH."""
        moved = re.sub(r"\$PWD/([\w./-]+)", lambda match: self.in_home(match.group(1)), line[len(USE):])
        return [self.exported(), 'export PATH="$ASSAY_HOME/bin:$PATH"' + moved]

    def in_home(self, path):
        """A path in the sources, as a command in the package names it."""
        return "$ASSAY_HOME/" + (place(path) or fail("%s: no package has %s" % (self.path, path)))

    def exported(self):
        return 'export ASSAY_HOME="%s"    # the folder of the release' % self.home

    def line(self, line, number):
        result, end = "", 0
        # Code is no link.
        code = [match.span() for match in re.finditer(r"`[^`]*`", line)]
        for match in LINK.finditer(line):
            if any(begin <= match.start() < stop for begin, stop in code):
                continue
            new = self.link(match, number)
            if new is None:
                continue
            found, target = new
            if target is not None:
                result += line[end:match.start()] + "](" + target + ")"
            else:
                result += self.unlinked(line[end:match.start()], found)
            end = match.end()
        return result + line[end:]

    def unlinked(self, before, found):
        """The text of the link that ends `before`, which has one opening bracket too many, with the path behind it."""
        depth = 0
        for index in range(len(before) - 1, -1, -1):
            depth += (before[index] == "]") - (before[index] == "[")
            if depth < 0:
                text = before[index + 1:]
                named = text.strip("`").rstrip("/") in (found, os.path.basename(found))
                path = "`%s` in the sources" % found
                return before[:index] + (path if named else "%s (%s)" % (text, path))
        # It began on the line before: the bracket stays, and says that something is missing.
        return before + "] (`%s` in the sources)" % found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stage")
    parser.add_argument("--address", default="", help="where the sources can be read, with the revision")
    parser.add_argument("--home", default="/usr", help="the folder that has bin and share when the pages are read, as a shell reads it")
    options = parser.parse_args()
    address = options.address.rstrip("/")

    packaged = packaged_places()
    files = {path: packaged[path] for path in sources()}
    taken = {}
    for path, target in files.items():
        if target in taken:
            fail("%s and %s have one place: %s" % (taken[target], path, target))
        taken[target] = path
    moved = outside = 0
    for path, at in list(files.items()) + [(path, SHARE + "/" + path) for path in FOR_PLUGINS]:
        target = os.path.join(options.stage, at)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if path.endswith(".md"):
            page = Page(path, at, packaged, address, options.home)
            with open(path, encoding="utf-8") as file:
                text = page.rewritten(file.read())
            moved, outside = moved + page.moved, outside + page.outside
            with open(target, "w", encoding="utf-8") as file:
                file.write(located(text) if path.startswith(NAMING) else text)
        elif path.startswith(NAMING):
            with open(path, encoding="utf-8", newline="") as file:
                text = located(file.read())
            with open(target, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        else:
            shutil.copyfile(path, target)
        os.chmod(target, 0o755 if os.stat(path).st_mode & stat.S_IXUSR else 0o644)
    print("materials: %d files, %d links to places in the package, %d to the sources" % (len(files), moved, outside), file=sys.stderr)


if __name__ == "__main__":
    main()
