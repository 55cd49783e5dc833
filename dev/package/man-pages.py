#!/usr/bin/env python3
"""Writes the man pages of a program from its own help: `man-pages.py PROGRAM SECTION FOLDER SECONDS DOCUMENTATION`.

The program prints its commands, options and help texts as JSON (`--experimental-dump-help`). It gets a page of its own, and each of its
commands one, with the commands below that: PROGRAM.SECTION and PROGRAM-COMMAND.SECTION. SECONDS since 1970 is the date of the pages. Pages of the
documentation, which a program that is not installed names by their paths in the sources, are in the folder DOCUMENTATION."""

import json
import os
import re
import subprocess
import sys
import time

# What the help texts do not say: by program, sections that its own page has at the end.
FURTHER = {
    "assay": [
        ("ENVIRONMENT", [
            ("ASSAY_SERVER", "The daemon's address, where --server is not given."),
            ("ASSAY_TLS_CA, ASSAY_TLS_CERT, ASSAY_TLS_KEY", "Files for TLS, where --tls-ca, --tls-cert and --tls-key are not given."),
            ("NO_COLOR", "If set and not empty, no colours are written."),
        ]),
    ],
    "assayd": [
        ("FILES", [
            ("/etc/assay/assayd.yaml", "The configuration."),
            ("/etc/assay/ledger.key", "The key that wraps the ledger's secrets. Keep a copy apart from copies of the ledger."),
            ("/var/lib/assay/", "The ledger, and private copies of plugins."),
            ("/run/assay/assayd.sock", "The Unix socket of callers on this machine."),
            ("docs/", "The documentation; index.md is the page to begin with."),
        ]),
        ("SIGNALS", [
            ("SIGTERM, SIGINT", "Calls in flight are finished, then the daemon ends."),
            ("SIGHUP", "The configuration is reloaded in one step, or refused as a whole."),
        ]),
    ],
}


def escaped(text):
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def paragraphs(text):
    """Paragraphs; lines that were set by hand, with two spaces in them, keep their ends."""
    for paragraph in re.split(r"\n\n+", text.strip()):
        if not paragraph:
            continue
        lines = paragraph.split("\n")
        if len(lines) > 1 and any("  " in line for line in lines):
            yield ".PP\n.nf\n" + escaped(paragraph) + "\n.fi"
        else:
            yield ".PP\n" + escaped(" ".join(lines))


def divided(discussion):
    """The text without its paragraph about the exit status, and that."""
    kept, status = [], []
    for paragraph in re.split(r"\n\n+", (discussion or "").strip()):
        (status if re.match(r"Exit status\b", paragraph) else kept).append(paragraph)
    return "\n\n".join(kept), "\n\n".join(status)


def name(option):
    return ("--" if option["kind"] == "long" else "-") + option["name"]


def shown(arguments):
    return [a for a in arguments if a.get("shouldDisplay", True)]


def own(arguments):
    """Without what every command has."""
    return [a for a in shown(arguments) if a.get("preferredName", {}).get("name") not in ("help", "version")]


def synopsis(path, command):
    words = [".B " + escaped(" ".join(path))]
    for argument in own(command.get("arguments", [])):
        value = "\\fI" + escaped(argument.get("valueName", "value")) + "\\fR"
        if argument["kind"] == "positional":
            word = value + ("..." if argument.get("isRepeating") else "")
        else:
            word = "\\fB" + escaped(name(argument["preferredName"])) + "\\fR"
            if argument["kind"] == "option":
                word += " " + value
        words.append("[" + word + "]" if argument.get("isOptional") else word)
    if command.get("subcommands"):
        words.append("\\fIcommand\\fR" if not command.get("defaultSubcommand") else "[\\fIcommand\\fR]")
    return "\n".join(words)


def description(argument):
    text = argument.get("abstract", "")
    if argument.get("discussion"):
        text += " " + argument["discussion"]
    notes = []
    if argument.get("allValues"):
        notes.append("values: " + ", ".join(argument["allValues"]))
    if argument.get("defaultValue") is not None and argument["kind"] != "flag":
        notes.append("default: " + argument["defaultValue"])
    return text + (" (" + "; ".join(notes) + ")" if notes else "")


def arguments(command, heading):
    lines = []
    for title, kinds in (("ARGUMENTS", ("positional",)), ("OPTIONS", ("option", "flag"))):
        chosen = [a for a in own(command.get("arguments", [])) if a["kind"] in kinds]
        if not chosen:
            continue
        lines.append(heading + " " + title)
        for argument in chosen:
            value = "\\fI" + escaped(argument.get("valueName", "value")) + "\\fR"
            if argument["kind"] == "positional":
                term = value
            else:
                names = sorted((name(n) for n in argument["names"]), key=len)
                term = ", ".join("\\fB" + escaped(n) + "\\fR" for n in names)
                if argument["kind"] == "option":
                    term += " " + value
            lines += [".TP", term, escaped(description(argument)) or "\\&"]
    return lines


def visible(command):
    return [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]


def body(path, command, heading):
    """Description, arguments and exit status of a command, below headings of one kind (.SH or .SS)."""
    text, status = divided(command.get("discussion"))
    lines = []
    if heading == ".SH":
        lines += [".SH DESCRIPTION"]
    lines += list(paragraphs(command.get("abstract", "")))
    lines += list(paragraphs(text))
    lines += arguments(command, heading if heading == ".SH" else ".PP\n.B")
    if status:
        text = re.sub(r"^Exit status:?\s*", "", status)
        lines += [".SH \"EXIT STATUS\"" if heading == ".SH" else ".PP\n.B EXIT STATUS", ".PP"]
        items = re.findall(r"(?:^|; )(\d+(?:, \d+)*) (.*?)(?=; \d|$)", text.rstrip("."), flags=re.S)
        if items:
            for number, meaning in items:
                lines += [".TP", ".B " + number, escaped(meaning)]
        else:
            lines.append(escaped(text))
    return lines


def nested(path, command):
    lines = []
    for child in visible(command):
        words = path + [child["commandName"]]
        lines += [".SS " + '"' + escaped(" ".join(words)) + '"', synopsis(words, child)]
        lines += body(words, child, ".SS")
        lines += nested(words, child)
    return lines


def header(title, section, date, program):
    return ['.TH "%s" "%s" "%s" "%s" "Assay"' % (escaped(title.upper()), section, date, program), ".nh", ".ad l"]


def page(path, command, section, date, version, others, documentation):
    title = "-".join(path)
    lines = header(title, section, date, version)
    lines += [".SH NAME", escaped(title) + " \\- " + escaped(command.get("abstract", "").rstrip("."))]
    lines += [".SH SYNOPSIS", synopsis(path, command)]
    lines += body(path, command, ".SH")
    children = visible(command)
    if children:
        lines.append(".SH COMMANDS")
        if len(path) == 1:
            for child in children:
                lines += [".TP", ".BR " + escaped(title + "-" + child["commandName"]) + " (" + section + ")",
                          escaped(child.get("abstract", ""))]
        else:
            lines += nested(path, command)
    for title, items in FURTHER.get(path[0], []) if len(path) == 1 else []:
        lines.append(".SH " + title)
        for term, text in items:
            lines += [".TP", ".B " + escaped(installed(term, documentation)), escaped(text)]
    lines.append(".SH \"SEE ALSO\"")
    lines.append(",\n".join(".BR " + escaped(other) + " (" + number + ")" for other, number in others).replace(")\n", ")\n"))
    return "\n".join(lines) + "\n"


def installed(text, documentation):
    """The text with the folder of the documentation in place of that in the sources."""
    return re.sub(r"(?<![\w./-])docs/(?=$|[\w./-]+\.md)", documentation + "/", text)


def located(value, documentation):
    """All texts of the dumped help."""
    if isinstance(value, str):
        return installed(value, documentation)
    if isinstance(value, list):
        return [located(each, documentation) for each in value]
    return {key: located(each, documentation) for key, each in value.items()} if isinstance(value, dict) else value


def main():
    program, section, folder, seconds, documentation = sys.argv[1:]
    environment = {"PATH": os.environ.get("PATH", ""), "COLUMNS": "80"}
    dumped = subprocess.run([program, "--experimental-dump-help"], env=environment, stdout=subprocess.PIPE, check=True).stdout
    root = located(json.loads(dumped)["command"], documentation)
    version = subprocess.run([program, "--version"], env=environment, stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(seconds)))
    name = root["commandName"]
    source = "%s %s" % (name, version)
    others = {"assay": ("assayd", "8"), "assayd": ("assay", "1")}
    os.makedirs(folder, exist_ok=True)

    def write(path, command, others):
        with open(os.path.join(folder, "-".join(path) + "." + section), "w", encoding="utf-8") as file:
            file.write(page(path, command, section, date, source, others, documentation))

    write([name], root, [others[name]] if name in others else [])
    for child in visible(root):
        write([name, child["commandName"]], child, [(name, section)])


if __name__ == "__main__":
    main()
