#!/usr/bin/env python3
"""Writes the figures of docs/reference/performance.md and README.md, between their markers, and the plots in docs/reference/performance/,
from the results in Benchmarks/results:

    dev/write-performance-page.py                       writes the pages and the plots
    dev/write-performance-page.py --check               says whether they are as they would be written
    dev/write-performance-page.py --profile FILE...     reads samples of perf, and writes Benchmarks/results/profile.json

table.json is written by `make bench`, latency.json by `make bench-latency`, growth.json by `make bench-file-growth`, profile.json by
`make bench-profile`. What has no results has no figures."""

import html
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "Benchmarks/results"
PAGE = ROOT / "docs/reference/performance.md"
README = ROOT / "README.md"
PLOTS = ROOT / "docs/reference/performance"
UNMEASURED = "There are no results yet."


# Results

def results(name):
    """A file of results; None if there is none."""
    file = RESULTS / name
    return json.loads(file.read_text()) if file.exists() else None


def median(values):
    return sorted(values)[len(values) // 2]


def digits(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def spread(values):
    return f"{digits(median(values))} ({digits(min(values))}–{digits(max(values))})"


def microseconds(row, part):
    """CPU of a part in each round, in µs."""
    if part == "together":
        return [sum(one["parts"]) for one in row["rounds"]]
    return [one["parts"][0 if part == "daemon" else 1] for one in row["rounds"]]


def ratios(row, part):
    return [time / one["raw"] for time, one in zip(microseconds(row, part), row["rounds"])]


def bar(row, rows, one):
    """The text of a bar, and whether it is held."""
    (kind, value), = one["limit"].items()
    value = value["_0"]
    if kind == "raw":
        return f"{value:g}", median(ratios(row, one["part"])) <= value
    time = median(microseconds(row, one["part"]))
    if kind == "microseconds":
        return f"{value:g} µs", time <= value
    other = next(found for found in rows if found["id"] == value)
    return f"below *{other['title']}*", time < median(microseconds(other, one["part"]))


# Parts of the pages

def machine(one):
    """What a file of results says of its machine and its day."""
    memory = one["memoryBytes"] / 2 ** 30
    return (
        f"{one['processor']}, {one['processors']} processors, {memory:.0f} GiB of memory, {one['system']}, Linux {one['kernel']}; "
        f"{one['date'][:10]}")


def machine_part(found):
    table = found["table"]
    if not table:
        return UNMEASURED
    kind = ", with a quarter of the requests (`QUICK=1`)" if table["isQuick"] else ""
    return f"{machine(table['machine'])}, {table['rounds']} rounds{kind}."


def table_part(found):
    table = found["table"]
    if not table:
        return UNMEASURED
    lines = ["| operation | raw operation | raw | CPU of | µs | ratio | bar | held |", "|---|---|---|---|---|---|---|---|"]
    for row in table["rows"]:
        head = [row["title"], row["raw"], f"{digits(median([one['raw'] for one in row['rounds']]))} µs"]
        for one in row["bars"] or [{"part": "daemon"}]:
            text, held = bar(row, table["rows"], one) if "limit" in one else ("", None)
            part = one["part"]
            said = {True: "yes", False: "**no**", None: ""}[held]
            lines.append("| " + " | ".join(head + [part, digits(median(microseconds(row, part))), spread(ratios(row, part)), text, said]) + " |")
            head = ["", "", ""]
    idle = table.get("idle")
    if idle:
        limit = idle["barBytes"] / 1e6
        lines += ["", f"With {idle['connections']:,} idle framed connections the daemon takes {idle['bytes'] / 1e6:.0f} MB of memory "
                  f"({idle['bytesBefore'] / 1e6:.0f} MB before the first one); the bar is {limit:.0f} MB at 20,000."]
    return "\n".join(lines + ["", "![Each operation in its raw operations, with its bar](performance/ratios.svg)"])


def stages_part(found):
    (table, profile) = (found["table"], found["profile"])
    if not profile:
        return UNMEASURED
    row = next((found for found in (table or {"rows": []})["rows"] if found["id"] == profile["row"]), None)
    time = median(microseconds(row, "daemon")) if row else None
    lines = [f"Of {profile['samples']:,} samples:", "", "| stage | share |" + (" µs |" if time else ""), "|---|---|" + ("---|" if time else "")]
    for name, count in profile["stages"]:
        share = count / profile["samples"]
        lines.append(f"| {name} | {share * 100:.1f} % |" + (f" {time * share:.1f} |" if time else ""))
    return "\n".join(lines + ["", "![Flame graph of the daemon](performance/flame.svg)"])


def growth_part(found):
    growth = found["growth"]
    if not growth:
        return UNMEASURED
    lines = ["| devices | ratio | µs | p99 of a burst | memory | start |", "|---|---|---|---|---|---|"]
    for step in growth["steps"]:
        ratio = step["ratio"]
        lines.append(
            f"| {step['devices']:,} | {digits(ratio['median'])} ({digits(ratio['low'])}–{digits(ratio['high'])}) | "
            f"{step['microseconds']['median']:.1f} | {step['p99']:.0f} ms | {step['bytes'] / 1e6:.0f} MB | {step['startSeconds']:.2f} s |")
    lines += ["", "| bar | found | at most | held |", "|---|---|---|---|"]
    for one in growth["bars"]:
        held = "yes" if one["found"] <= one["limit"] else "**no**"
        lines.append(f"| {one['title']} | {digits(one['found'])} | {one['limit']:g} | {held} |")
    lines += ["", f"Measured on {machine(growth['machine'])}."]
    return "\n".join(lines + ["", "![The same by the number of devices](performance/growth.svg)"])


def latency_part(found):
    latency = found["latency"]
    if not latency:
        return UNMEASURED
    lines = []
    for run in latency["runs"]:
        most = f", of at most {run['saturation']:,.0f}" if run["saturation"] else ""
        lines += [
            f"Ledger: {run['ledger']}. {run['rate']:,} uploads a second{most}, for {latency['seconds']} s each, in milliseconds:", "",
            "| meanwhile | p50 | p99 | p99.9 | max | bars | held |", "|---|---|---|---|---|---|---|"]
        for part in run["parts"]:
            values = " | ".join(f"{part[name]:.2f}" for name in ["p50", "p99", "p99.9", "max"])
            bars = ", ".join(f"{name} {limit}" for name, limit in part["bars"].items())
            times = f" ({part['times']} times)" if part["times"] > 1 else ""
            lines.append(f"| {part['name']}{times} | {values} | {bars} | {'yes' if part['held'] else '**no**'} |")
        lines.append("")
    return "\n".join(lines[:-1])


def readme_part(found):
    table = found["table"]
    row = next((found for found in (table or {"rows": []})["rows"] if found["id"] == "assertion"), None)
    if not row:
        return "What a verdict costs: [performance](docs/reference/performance.md)."
    return (
        f"An accepted, durable verdict on an App Attest assertion costs the daemon {digits(median(ratios(row, 'daemon')))} times the CPU of the bare "
        f"P-256 verification in it: {median(microseconds(row, 'daemon')):.0f} µs on the machine of the [measurement](docs/reference/performance.md), which has every operation.\n\n"
        "![Each operation in its raw operations](docs/reference/performance/ratios.svg)")


PARTS = {
    PAGE: {"machine": machine_part, "table": table_part, "stages": stages_part, "latency": latency_part, "growth": growth_part},
    README: {"figure": readme_part},
}


def page(file, found):
    """The page with its parts written."""
    text = file.read_text()
    for name, part in PARTS[file].items():
        begin, end = f"<!-- results: {name} -->\n", "<!-- end of results -->"
        if text.count(begin) != 1:
            sys.exit(f"{file.relative_to(ROOT)} has no part {name}")
        head, rest = text.split(begin)
        if end not in rest:
            sys.exit(f"{file.relative_to(ROOT)}: the part {name} does not end")
        text = head + begin + part(found) + "\n" + end + rest.split(end, 1)[1]
    return text


# Plots

class Drawing:
    """An SVG that reads on light and dark pages."""

    INK, PALE, ACCENT, WARNING = "#1f2933", "#cbd2d9", "#2f6f9f", "#b4442f"

    def __init__(self, width, height, title):
        self.size = (width, height)
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="12">',
            f"<title>{html.escape(title)}</title>", f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>']

    def text(self, x, y, text, anchor="start", color=INK, size=12):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{html.escape(text)}</text>')

    def box(self, x, y, width, height, color, title=None):
        inner = f"<title>{html.escape(title)}</title>" if title else ""
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" fill="{color}">{inner}</rect>')

    def line(self, points, color=INK, width=1.5):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>')

    def dot(self, x, y, title, color=ACCENT):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"><title>{html.escape(title)}</title></circle>')

    def done(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def ratios_plot(table):
    """Bars of ratios, of the rows whose bar is one; the scale is linear up to 5, and longer bars are cut."""
    rows = [(row, one) for row in table["rows"] for one in row["bars"] if "raw" in one["limit"]]
    left, scale, step, top, most = 392, 84, 26, 44, 5
    drawing = Drawing(left + most * scale + 110, top + len(rows) * step + 34, "CPU of each operation in its raw operations")
    drawing.text(16, 24, "CPU of each operation, in the raw operations that it cannot do without", size=14)
    for x, color, name in [(572, Drawing.ACCENT, "CPU"), (628, Drawing.WARNING, "CPU above its bar")]:
        drawing.box(x, 15, 10, 10, color)
        drawing.text(x + 16, 24, name, size=11)
    drawing.line([(754, 13), (754, 27)], Drawing.INK, 2)
    drawing.text(762, 24, "bar: the most it may cost", size=11)
    for tick in range(most + 1):
        x = left + tick * scale
        drawing.line([(x, top - 6), (x, top + len(rows) * step)], Drawing.PALE, 1)
        drawing.text(x, top + len(rows) * step + 18, str(tick), "middle")
    for index, (row, one) in enumerate(rows):
        y = top + index * step
        part = one["part"]
        value, limit = median(ratios(row, part)), one["limit"]["raw"]["_0"]
        name = row["title"] + ("" if part == "daemon" else f" ({part})")
        drawing.text(left - 8, y + 14, name, "end", size=11)
        drawing.box(left, y + 3, min(value, most) * scale, step - 10, Drawing.ACCENT if value <= limit else Drawing.WARNING, f"{name}: {digits(value)} × {row['raw']}, bar {limit:g}")
        if limit <= most:
            drawing.line([(left + limit * scale, y), (left + limit * scale, y + step - 4)], Drawing.INK, 2)
        # Behind the mark of the bar, where that would cross the number.
        end = limit if value <= limit <= min(value + 0.5, most) else min(value, most)
        drawing.text(left + end * scale + 6, y + 14, digits(value) + (f" of {limit:g}" if limit > most else ""), size=11)
    return drawing.done()


def growth_plot(growth):
    """CPU and p99 by the number of devices, in parts of the first."""
    steps = growth["steps"]
    width, height, left, top = 640, 300, 60, 50
    drawing = Drawing(width, height, "CPU and p99 by the number of devices")
    drawing.text(16, 24, "CPU of an assertion and p99 of a burst, as a multiple of those at the first number of devices", size=13)
    first, last = math.log10(steps[0]["devices"]), math.log10(steps[-1]["devices"])
    series = [("CPU", Drawing.ACCENT, [step["ratio"]["median"] / steps[0]["ratio"]["median"] for step in steps]),
              ("p99", Drawing.WARNING, [step["p99"] / steps[0]["p99"] for step in steps])]
    most = max(1.5, max(max(values) for _, _, values in series) * 1.1)

    def x(devices):
        return left + (math.log10(devices) - first) / max(last - first, 1e-9) * (width - left - 90)

    def y(value):
        return top + (1 - value / most) * (height - top - 40)

    for tick in [value / 2 for value in range(int(most * 2) + 1)]:
        drawing.line([(left, y(tick)), (width - 90, y(tick))], Drawing.PALE, 1)
        drawing.text(left - 8, y(tick) + 4, f"{tick:g}", "end")
    drawing.line([(left, y(1.3)), (width - 90, y(1.3))], Drawing.INK, 1)
    drawing.text(width - 86, y(1.3) + 4, "bar 1.3", size=11)
    for step in steps:
        drawing.text(x(step["devices"]), height - 16, f"{step['devices']:,}", "middle")
    for index, (name, color, values) in enumerate(series):
        drawing.line([(x(step["devices"]), y(value)) for step, value in zip(steps, values)], color, 2)
        for step, value in zip(steps, values):
            drawing.dot(x(step["devices"]), y(value), f"{name} at {step['devices']:,}: {value:.2f}", color)
        drawing.text(width - 86, y(values[-1]) + (-8 if index == 0 else 16), name, color=color)
    return drawing.done()


FLAME_WIDTH, FLAME_ROW, FLAME_LEAST = 1200, 17, 0.002


def flame_tree(stacks):
    tree = {"name": "assayd", "count": 0, "below": {}}
    for stack, count in stacks:
        node = tree
        node["count"] += count
        for name in stack.split(";"):
            node = node["below"].setdefault(name, {"name": name, "count": 0, "below": {}})
            node["count"] += count
    return tree


def flame_plot(profile):
    """Frames from the bottom up; the width of a frame is its share of the samples."""
    tree = flame_tree(profile["stacks"])
    boxes = []

    def place(node, start, depth):
        boxes.append((start, depth, node))
        for below in sorted(node["below"].values(), key=lambda below: below["name"]):
            if below["count"] >= tree["count"] * FLAME_LEAST:
                place(below, start, depth + 1)
            start += below["count"]

    place(tree, 0, 0)
    depth = max(depth for _, depth, _ in boxes)
    height = (depth + 1) * FLAME_ROW + 50
    drawing = Drawing(FLAME_WIDTH + 20, height, "Flame graph of the daemon")
    drawing.text(12, 24, f"Where the daemon's CPU goes: {tree['count']:,} samples of accepted assertions (point at a frame for its name)", size=14)
    for start, level, node in boxes:
        x, y = 10 + start / tree["count"] * FLAME_WIDTH, height - 12 - (level + 1) * FLAME_ROW
        width = node["count"] / tree["count"] * FLAME_WIDTH
        shade = sum(node["name"].encode()) % 40
        kernel = node["name"].endswith("_[k]")
        color = f"hsl({205 if kernel else 28}, {55 if kernel else 75}%, {62 + shade / 3:.0f}%)"
        drawing.box(x, y, width - 0.5, FLAME_ROW - 1, color, f"{node['name']}: {node['count'] / tree['count'] * 100:.1f} %")
        letters = int(width / 6.4)
        if letters >= 4:
            name = node["name"]
            drawing.text(x + 3, y + 12, name if len(name) <= letters else name[:letters - 1] + "…", size=10.5)
    return drawing.done()


def plots(found):
    """The files of plots and their texts; None: there is none."""
    (table, growth, profile) = (found["table"], found["growth"], found["profile"])
    return {
        PLOTS / "ratios.svg": ratios_plot(table) if table else None,
        PLOTS / "growth.svg": growth_plot(growth) if growth else None,
        PLOTS / "flame.svg": flame_plot(profile) if profile else None,
    }


# Samples

# Stages, in the order in which they are tried, by the innermost frame: library and name (of Swift, demangled).
STAGES = [
    ("kernel: disk", "kernel", r"^(ext4|xfs|jbd2|blk|submit_bio|nvme|virtio|io_schedule|__filemap|do_fsync|scsi|iomap|folio|writeback)"),
    ("kernel: sockets, wake-ups and the rest", "kernel", ""),
    ("signature verification (BoringSSL)", "", r"(?i)(ecp_nistz|ec_gfp|ecdsa|beeu_|p256|p384|\bec_|\bbn_|_ec_|_bn_|\bbn[0-9]|fiat_p|montgomery|felem)"),
    ("SHA-256 and HMAC", "", r"(?i)(sha256|sha512|hmac|hkdf)"),
    ("SQLite", "sqlite", ""),
    ("SQLite", "", r"^sqlite3"),
    ("allocation", "", r"^(malloc|free|cfree|calloc|realloc|_int_|int_malloc|unlink_chunk|tcache|posix_memalign|aligned_alloc|sysmalloc|malloc_consolidate|swift_slow|swift_alloc|swift_dealloc|_swift_alloc|operator new|operator delete)"),
    ("retain, release and copies of values", "", r"(swift_.*retain|swift_.*release|RefCount|^outlined |swift_bridgeObject|^(init|assign)WithCopy|^destroy for|deinit|swift_isUnique|swift_arrayInit|swift_arrayDestroy|swift_unknownObject|_swift_release_dealloc|value witness)"),
    ("copies and comparisons of bytes", "", r"(memmove|memcpy|memset|memcmp|bcmp|strlen|strcmp)"),
    ("tasks and threads", "", r"(swift_task|swift_job|swift_async|swift_continuation|swift::|dispatch|pthread|TaskLocal|__lll_|sem_|syscall|clock_gettime|vdso)"),
    ("SwiftNIO", "", r"\bNIO[A-Za-z]*\."),
    ("protobuf", "", r"\b(SwiftProtobuf|AssayProtobuf|AssayAPI)\."),
]
MODULE = re.compile(r"\b(Assay[A-Za-z0-9]+|AppAttest|AndroidKeyAttestation|PlayIntegrity|KeySignature|CertificateBundle)\.")


def stage_of(library, name):
    for stage, place, pattern in STAGES:
        if place and place not in library:
            continue
        if re.search(pattern, name):
            return stage
    found = MODULE.search(name)
    if found:
        return "code of " + found.group(1)
    return "Swift's library, and the rest"


def demangled(names):
    """Names of Swift for people."""
    names = sorted(names)
    done = subprocess.run(["swift", "demangle", "--compact"], input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    return dict(zip(names, done))


def samples(file):
    """Stacks of `perf script`, innermost frame first: pairs of name and library."""
    command = ["perf", "script", "--no-inline", "-F", "comm,tid,ip,sym,dso", "-i", file]
    stack = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
        for line in script.stdout:
            if not line.strip():
                if stack:
                    yield stack
                stack = None
            elif not line[0].isspace():
                stack = []
            else:
                if stack is None:
                    stack = []
                found = re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line.rstrip())
                if found:
                    library = found.group(3)
                    stack.append((re.sub(r"\+0x[0-9a-f]+$", "", found.group(2)), "kernel" if library.startswith("[k") or "vmlinux" in library else library))
        if stack:
            yield stack
    if script.returncode:
        sys.exit(f"perf script cannot read {file}")


def short(name):
    """A name without parameters, for a frame of the plot."""
    name = re.sub(r"^(specialized |generic specialization <.*?> of |function signature specialization <.*?> of |partial apply forwarder for )+", "", name)
    name = re.sub(r"closure #\d+ \(.*?\) .*? in ", "closure in ", name)
    name = re.sub(r"(await resume partial function|suspend resume partial function) for ", "", name)
    name = re.split(r"\(| -> | async | throws ", name)[0] or name
    return name.replace(";", ",")[:120]


def read_profile(files):
    stacks = [stack for file in files for stack in samples(file) if stack]
    if not stacks:
        sys.exit("there are no samples")
    names = demangled({name for stack in stacks for name, _ in stack if name.startswith("$s") or name.startswith("_$s")})
    stages, folded = {}, {}
    for stack in stacks:
        stack = [(names.get(name, name), library) for name, library in stack]
        stage = stage_of(stack[0][1], stack[0][0])
        stages[stage] = stages.get(stage, 0) + 1
        frames = [short(name) + ("_[k]" if library == "kernel" else "") for name, library in reversed(stack)]
        # Where a frame pointer is missing, the frames of the outermost functions are not known.
        key = ";".join(frames)
        folded[key] = folded.get(key, 0) + 1
    pruned = prune(flame_tree(folded.items()))
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({
        "row": "assertion", "samples": len(stacks), "stages": sorted(stages.items(), key=lambda pair: -pair[1]), "stacks": pruned},
        indent=1, ensure_ascii=False)
    (RESULTS / "profile.json").write_text(text + "\n")
    print(f"Benchmarks/results/profile.json: {len(stacks)} samples")


def prune(tree):
    """Stacks of which no frame is too narrow for the plot; the samples of narrow ones are those of the frame below."""
    kept = []

    def walk(node, path):
        rest = node["count"]
        for below in node["below"].values():
            if below["count"] >= tree["count"] * FLAME_LEAST:
                rest -= below["count"]
                walk(below, path + [below["name"]])
        if rest and path:
            kept.append([";".join(path), rest])

    walk(tree, [])
    return sorted(kept)


def main(arguments):
    if arguments[:1] == ["--profile"]:
        return read_profile(arguments[1:])
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    found = {name: results(name + ".json") for name in ["table", "latency", "growth", "profile"]}
    wanted = {file: page(file, found) for file in PARTS} | plots(found)
    stale = [file for file, text in wanted.items() if (file.read_text() if file.exists() else None) != text]
    if arguments == ["--check"]:
        if stale:
            sys.exit("not as make bench-page writes them: " + ", ".join(str(file.relative_to(ROOT)) for file in stale))
        print("performance: the pages and plots are those of the results")
        return
    for file in stale:
        if wanted[file] is None:
            file.unlink()
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text(wanted[file])
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
