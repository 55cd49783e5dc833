#!/usr/bin/env python3
"""Prints the release notes of a version, cut from CHANGELOG.md: `notes.py VERSION DATE [--tag TAG] [--address URL]`.

VERSION and DATE (YYYY-MM-DD) are the program's own. The changelog has to have the version under a heading with this date; changes that are
under [Unreleased] are taken instead while there is no tag. With a tag, v and the version, the heading has to be there. Relative links lead
below URL, or become text. Exit status: 0 printed; 1 version, tag and changelog do not agree."""

import argparse
import re
import sys

from materials import Page


def fail(text):
    sys.exit("notes: " + text)


def sections(text):
    """The sections of the changelog, by version, each with its date if it has one."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        match = re.fullmatch(r"\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?", heading.strip())
        if not match:
            fail('CHANGELOG.md has the heading "%s": [Unreleased] or [VERSION] - YYYY-MM-DD is expected' % heading)
        # Where the format has addresses of versions at the end of the file, they are none of the notes.
        found[match.group(1)] = (match.group(2), re.sub(r"^\[[^\]]+\]: \S+$", "", body, flags=re.M).strip())
    return found


def chosen(versions, version, date, tag):
    if tag and tag != "v" + version:
        fail("the tag is %s, and the program's version is %s (Sources/AssayCore/Primitives/Version.swift)" % (tag, version))
    if version in versions:
        stated, body = versions[version]
        if stated != date:
            fail("CHANGELOG.md dates %s %s, and the program %s (Version.date)" % (version, stated or "nothing", date))
        if versions.get("Unreleased", ("", ""))[1]:
            fail("CHANGELOG.md has changes under [Unreleased] beside %s: they are in this release, or the version is old" % version)
        return body
    if tag:
        fail("there is a tag %s, and CHANGELOG.md has no heading ## [%s] - %s" % (tag, version, date))
    if "Unreleased" in versions:
        print("notes: CHANGELOG.md has no %s yet: the notes are what is under [Unreleased]" % version, file=sys.stderr)
        return versions["Unreleased"][1]
    fail("CHANGELOG.md has neither %s nor [Unreleased]" % version)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("version")
    parser.add_argument("date")
    parser.add_argument("--tag", default="")
    parser.add_argument("--address", default="")
    options = parser.parse_args()
    with open("CHANGELOG.md", encoding="utf-8") as file:
        body = chosen(sections(file.read()), options.version, options.date, options.tag)
    if not body:
        fail("CHANGELOG.md says nothing of %s" % options.version)
    # Notes are read outside every package: they have no links into one, and no folder of programs.
    page = Page("CHANGELOG.md", "release-notes.md", {}, options.address.rstrip("/"), home="/usr")
    print("# Assay %s\n\n%s, for Linux.\n\n%s" % (options.version, options.date, page.rewritten(body)))


main()
