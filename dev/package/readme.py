#!/usr/bin/env python3
"""Prints the README at the top of the tarball: `readme.py NAME VERSION [--address URL]`, NAME being the folder that the tarball unpacks to.

It is made of what other pages have: the beginning of README.md and sections of docs/start/install.md, with their links as they lead from the top of
the folder, and with NAME for the name that the page has. Comments for the tests of the documentation are left out."""

import argparse
import re

from materials import Page, fail, packaged_places

SECTIONS = ("First verdict", "What is in the tarball", "Verify")
NAME = re.compile(r"assay-\d[\w.]*-\w+-linux")
FURTHER = ("[Install it for good, upgrade, uninstall](docs/start/install.md) · [all pages](docs/README.md) · [changes](CHANGELOG.md) · "
           "[security](SECURITY.md) · [licence](LICENSE)")


def beginning(text):
    """What stands between a page's title and its first section."""
    return re.split(r"^## ", text.partition("\n")[2], maxsplit=1, flags=re.M)[0].strip()


def section(text, title):
    parts = re.split(r"^## ", text, flags=re.M)
    found = [part for part in parts if part.partition("\n")[0] == title]
    if len(found) != 1:
        fail("docs/start/install.md has no section ## %s" % title)
    return "## " + re.sub(r"^<!--.*-->\n", "", found[0], flags=re.M).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("version")
    parser.add_argument("--address", default="", help="where the sources can be read, with the revision")
    options = parser.parse_args()
    packaged = packaged_places()

    def moved(path, text):
        return Page(path, "README.md", packaged, options.address.rstrip("/"), "$PWD/" + options.name).rewritten(text)

    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    install = read("docs/start/install.md")
    parts = ["# Assay " + options.version, moved("README.md", beginning(read("README.md")))]
    parts += [NAME.sub(options.name, moved("docs/start/install.md", section(install, title))) for title in SECTIONS]
    parts.append(moved("README.md", FURTHER))
    print("\n\n".join(parts))


main()
