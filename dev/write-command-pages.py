#!/usr/bin/env python3
"""Writes docs/reference/commands/, the reference of the command line, from what the programs say of themselves (--experimental-dump-help):

    dev/write-command-pages.py [FOLDER]             writes the pages; assay and assayd of FOLDER, by default .build/debug
    dev/write-command-pages.py --check [FOLDER]     says whether they are as they would be written

A test of the command line runs --check. The same descriptions give the manual pages (dev/package/man-pages.py)."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/reference/commands"
MADE = "<!-- Made from the programs' own help by dev/write-command-pages.py; do not edit. -->"
PROGRAMS = {
    "assay": "asks a daemon, and works on files without one", "assayd": "is the daemon, with commands for its configuration and its ledger"}

specification = importlib.util.spec_from_file_location("man_pages", ROOT / "dev/package/man-pages.py")
man_pages = importlib.util.module_from_spec(specification)
specification.loader.exec_module(man_pages)


def dump(folder, program):
    environment = {"PATH": os.environ.get("PATH", ""), "COLUMNS": "80"}
    path = str(pathlib.Path(folder).resolve() / program)
    dumped = subprocess.run([path, "--experimental-dump-help"], env=environment, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(dumped)["command"]


def every(path, command):
    """A command and all below it, each with its words."""
    yield path, command
    for child in man_pages.visible(command):
        yield from every(path + [child["commandName"]], child)


def options(command):
    return [argument for argument in man_pages.own(command.get("arguments", [])) if argument["kind"] != "positional"]


def same(option):
    return json.dumps(option, sort_keys=True)


def common(root):
    """The options that at least half of the commands take in the same way, in the order of a command that has most of them."""
    leaves = [command for _, command in every([root["commandName"]], root) if not man_pages.visible(command)]
    counts = {}
    for command in leaves:
        for option in options(command):
            counts[same(option)] = counts.get(same(option), 0) + 1
    often = {key for key, count in counts.items() if count * 2 >= len(leaves)}
    longest = max((options(command) for command in leaves), key=lambda all: sum(same(option) in often for option in all), default=[])
    return [option for option in longest if same(option) in often]


# MARK: Text

def linked(text):
    """Text of a help as Markdown: pages that it names become links."""
    text = text.replace("<", "\\<").replace("*", "\\*")

    def link(match):
        return f"[{match[1]}](../../{match[1]})" if (ROOT / match[0]).exists() else match[0]
    return re.sub(r"docs/([a-z/-]+\.md)", link, text)


def cell(text):
    return linked(re.sub(r"\s+", " ", text.strip())).replace("|", "\\|")


def paragraphs(text):
    """Lines that were set by hand, with two spaces in them, keep their ends."""
    for paragraph in re.split(r"\n\n+", text.strip("\n")):
        lines = paragraph.split("\n")
        if len(lines) > 1 and any("  " in line for line in lines):
            yield "```\n" + "\n".join(lines) + "\n```\n"
        elif paragraph.startswith("  "):
            yield "```\n" + paragraph.strip() + "\n```\n"
        elif paragraph.strip():
            yield linked(" ".join(line.strip() for line in lines)) + "\n"


def synopsis(path, command):
    words = [" ".join(path)]
    for argument in man_pages.own(command.get("arguments", [])):
        value = argument.get("valueName", "value").upper()
        if argument["kind"] == "positional":
            word = value + ("…" if argument.get("isRepeating") else "")
        elif argument.get("isOptional"):
            continue
        else:
            word = man_pages.name(argument["preferredName"]) + (f" {value}" if argument["kind"] == "option" else "")
        words.append(f"[{word}]" if argument.get("isOptional") else word)
    if any(argument.get("isOptional") for argument in options(command)):
        words.append("[OPTION…]")
    if man_pages.visible(command):
        words.append("[COMMAND]" if command.get("defaultSubcommand") else "COMMAND")
    return "```\n" + " ".join(words) + "\n```\n"


def rows(chosen):
    for argument in chosen:
        value = argument.get("valueName", "value").upper()
        if argument["kind"] == "positional":
            term = value
        else:
            term = ", ".join(sorted((man_pages.name(name) for name in argument["names"]), key=len))
            term += f" {value}" if argument["kind"] == "option" else ""
        yield f"| `{term}` | {cell(man_pages.description(argument))} |"


def body(command, often):
    text, status = man_pages.divided(command.get("discussion"))
    lines = [linked(command.get("abstract", "")) + "\n", *paragraphs(text)]
    positional = [argument for argument in man_pages.own(command.get("arguments", [])) if argument["kind"] == "positional"]
    usual = {same(option) for option in often}
    chosen = positional + [option for option in options(command) if same(option) not in usual]
    if chosen:
        lines.append("\n".join(["| | |", "|---|---|", *rows(chosen)]) + "\n")
    shared = [option for option in options(command) if same(option) in usual]
    if shared:
        names = ", ".join(f"`{man_pages.name(option['preferredName'])}`" for option in shared)
        lines.append(f"It also takes [{names}](README.md#options-of-most-commands).\n")
    if status:
        lines.append(linked(" ".join(status.split())) + "\n")
    return lines


def page(path, command, often):
    title = " ".join(path)
    lines = [f"# {title}\n{MADE}\n", synopsis(path, command), *body(command, often)]
    for words, child in list(every(path, command))[1:]:
        lines += [f"## {' '.join(words)}\n", synopsis(words, child), *body(child, often)]
    return "\n".join(lines)


def pages(folder):
    made, index = {}, [f"# Commands\n{MADE}\n", INTRODUCTION]
    roots = {program: dump(folder, program) for program in PROGRAMS}
    often = common(roots["assay"])
    for program, root in roots.items():
        index.append(f"## {program}\n\n`{program}` {PROGRAMS[program]}.\n")
        lines = ["| command | |", "|---|---|"]
        for child in man_pages.visible(root):
            words = [program, child["commandName"]]
            made["-".join(words) + ".md"] = page(words, child, often)
            lines.append(f"| [`{' '.join(words)}`]({'-'.join(words)}.md) | {cell(child.get('abstract', ''))} |")
        index.append("\n".join(lines) + "\n")
        own = [argument for argument in man_pages.own(root.get("arguments", []))]
        if own:
            index.append("\n".join(["| option | |", "|---|---|", *rows(own)]) + "\n")
    index.append("## Options of most commands\n\n" + "\n".join(["| option | |", "|---|---|", *rows(often)]) + "\n")
    made["README.md"] = "\n".join(index)
    return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n" for name, text in made.items()}


INTRODUCTION = """What `--help` says, for each command. [The command line](../command-line.md) says what all commands have in common: addresses, durations, `--json`, exit statuses.
"""


def main():
    arguments = sys.argv[1:]
    checks = arguments[:1] == ["--check"]
    folder = (arguments[checks:] or [ROOT / ".build/debug"])[0]
    if len(arguments) > checks + 1 or str(folder).startswith("-"):
        sys.exit(__doc__)
    made = pages(folder)
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    if checks:
        stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
        if stale:
            sys.exit("command pages: stale: " + ", ".join(stale) + "; run dev/write-command-pages.py and commit what it writes")
        print("command pages: they are what the programs say")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in there.keys() - made.keys():
        (FOLDER / name).unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


main()
