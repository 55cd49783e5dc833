#!/usr/bin/python3
"""Checks the alerts, the dashboard and their pages against each other, and each alert by promtool.

Exit status: 0 all is well, 1 something is not, 77 promtool or PyYAML is missing.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/assay.rules.yml"
EXAMPLE = ROOT / "deploy/prometheus/prometheus.example.yml"
DASHBOARD = ROOT / "deploy/grafana/assay.json"
# Where the pages are: the rules' users say it by an external label, or have the Debian package's.
DOCS = "{{ with $externalLabels.assay_docs }}{{ . }}{{ else }}file:///usr/share/doc/assay{{ end }}"
OURS = 'job="assay",instance="one"'

# What Prometheus itself adds to a scrape.
SCRAPE = {"up": {"job", "instance"}}
# Labels that every series has, or that the type of the metric brings.
COMMON = {"job", "instance", "le", "alertname", "severity"}
METRIC = re.compile(r"\b(?:assay|process)_[a-z0-9_]+\b|\bup\b")
SELECTOR = re.compile(r"\b((?:assay|process)_[a-z0-9_]+|up)\{([^}]*)\}")

problems = []


def problem(text):
    problems.append(text)
    print("not right:", text)


def documented():
    """Metrics by name, with their type and labels, of docs/reference/metrics.md."""
    metrics = {}
    for line in (ROOT / "docs/reference/metrics.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[1].startswith("`"):
            metrics[cells[1].strip("`")] = (cells[2], set(re.findall(r"`([^`]+)`", cells[3])))
    return metrics


def attention_codes():
    page = (ROOT / "docs/operate/status.md").read_text()
    return set(re.findall(r"^\| `([a-z_]+)` \|", page.split("| code | it means |")[1].split("\n\n")[0], re.M))


def check_expression(where, expression, metrics, codes):
    expression = expression.replace("$app", "a")
    for name in METRIC.findall(re.sub(r'"[^"]*"', '""', expression)):
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        if name not in metrics and name not in SCRAPE and metrics.get(base, ("",))[0] != "histogram":
            problem(f"{where}: docs/reference/metrics.md has no {name}")
    for name, selector in SELECTOR.findall(expression):
        base = name if name in metrics else re.sub(r"_(bucket|sum|count)$", "", name)
        known = metrics.get(base, ("", SCRAPE.get(name, set())))[1] | COMMON
        for label, value in re.findall(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"', selector):
            if label not in known:
                problem(f"{where}: docs/reference/metrics.md has no label {label} of {name}")
            if name == "assay_attention" and label == "code":
                for code in value.split("|"):
                    if code not in codes and "$" not in code:
                        problem(f"{where}: docs/operate/status.md has no attention code {code}")


def promtool_inputs(rules, cases):
    """Tests for promtool: of each alert one that fires, and one that just does not. Each with the rules that it takes and no others,
    since promtool evaluates all rules at all times."""
    inputs = {}
    for rule in rules:
        name = rule.get("alert")
        if name is None:
            continue
        code = re.fullmatch(r'assay_attention\{code="([a-z_]+)"\} > 0', rule["expr"].strip())
        case = cases.get(name)
        if code:
            case = {"fires": [f'assay_attention{{code="{code[1]}"}} 1x100'], "quiet": [f'assay_attention{{code="{code[1]}"}} 0x100']}
        if case is None:
            problem(f"deploy/tests/cases.yml has no case for {name}")
            continue
        tests = []
        for kind, samples in (("fires", [{"labels": "{}", "value": 1}]), ("quiet", [])):
            series = []
            for text in case[kind]:
                selector, values = text.split(" ", 1)
                selector = selector.replace("}", ("," if not selector.endswith("{}") else "") + OURS + "}")
                series.append({"series": selector, "values": values})
            tests.append({
                "name": f"{name} {kind}", "interval": case.get("interval", "1m"), "input_series": series,
                "promql_expr_test": [{
                    "expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}})',
                    "eval_time": case.get("at", "90m"), "exp_samples": samples}]})
        taken = [other for other in rules if "record" in other and "assay:" in rule["expr"]] + [rule]
        inputs[name] = (
            {"groups": [{"name": "rules", "rules": taken}]},
            {"rule_files": [f"{name}.rules.yml"], "evaluation_interval": case.get("interval", "1m"), "tests": tests})
    return inputs


def run(*command):
    ending = subprocess.run(command, capture_output=True, text=True)
    if ending.returncode != 0:
        problem(f"{' '.join(command[:3])}: {ending.stdout}{ending.stderr}")


def main():
    try:
        import yaml
    except ImportError:
        print("skipped: PyYAML (Debian: python3-yaml) is not installed")
        return 77
    rules = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    alerts = [rule for rule in rules if "alert" in rule]
    metrics, codes = documented(), attention_codes()
    page = (ROOT / "docs/reference/alerts.md").read_text()
    recorded = {rule["record"] for rule in rules if "record" in rule}

    causes = (ROOT / "deploy/tests/fire_alerts.py").read_text()
    covered = set()
    for rule in rules:
        where = rule.get("alert") or rule["record"]
        check_expression(where, rule["expr"], metrics, codes)
        for name in re.findall(r"\bassay:[a-z0-9_:]+", rule["expr"]):
            if name not in recorded:
                problem(f"{where}: no rule records {name}")
    for rule in alerts:
        name = rule["alert"]
        if rule["labels"]["severity"] not in ("page", "ticket"):
            problem(f"{name}: the severity is page or ticket")
        if f"\n## {name}\n" not in page:
            problem(f"docs/reference/alerts.md has no section for {name}")
        if rule["annotations"].get("runbook_url") != f"{DOCS}/reference/alerts.md#{name.lower()}":
            problem(f"{name}: runbook_url does not name its section")
        if not re.search(rf"\b{name}\b", causes):
            problem(f"deploy/tests/fire_alerts.py neither causes {name} nor says why not")
        for key in ("summary", "description"):
            if not rule["annotations"].get(key):
                problem(f"{name} has no {key}")
        if '!~' not in rule["expr"] or name != "AssayAttention":
            covered |= set(re.findall(r'assay_attention\{code="([a-z_]+)"\}', rule["expr"]))
    for name in re.findall(r"^## (Assay[A-Z]\w+)$", page, re.M):
        if name not in {rule["alert"] for rule in alerts}:
            problem(f"docs/reference/alerts.md has a section for {name}, which is no alert")
    # assay_app_unavailable_formats says more than the code app_unavailable, assay_webhook_failing which webhook.
    rest = next(rule for rule in alerts if rule["alert"] == "AssayAttention")
    if set(re.search(r'!~"([^"]*)"', rest["expr"])[1].split("|")) != covered | {"app_unavailable", "webhook_failing"}:
        problem("AssayAttention does not leave out exactly the codes that have an alert of their own")

    dashboard = json.loads(DASHBOARD.read_text())
    panels = [panel for row in dashboard["panels"] for panel in [row, *row.get("panels", [])] if panel["type"] != "row"]
    for panel in panels:
        where = f"panel {panel['title']}"
        if not panel.get("description"):
            problem(f"{where} has no description")
        if not panel["fieldConfig"]["defaults"].get("unit"):
            problem(f"{where} has no unit")
        for target in panel["targets"]:
            check_expression(where, target["expr"], metrics, codes)
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    if len(set(identifiers)) != len(identifiers):
        problem("two panels have one id")

    if not shutil.which("promtool"):
        if problems:
            return 1
        print("skipped: promtool (Debian: prometheus) is not installed; the rest is as it should be")
        return 77
    run("promtool", "check", "rules", str(RULES))
    run("promtool", "check", "config", "--syntax-only", str(EXAMPLE))
    cases = yaml.safe_load((ROOT / "deploy/tests/cases.yml").read_text())
    for name in cases.keys() - {rule["alert"] for rule in alerts}:
        problem(f"deploy/tests/cases.yml has a case for {name}, which is no alert")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, (taken, tests) in promtool_inputs(rules, cases).items():
            pathlib.Path(folder, f"{name}.rules.yml").write_text(yaml.safe_dump(taken))
            files.append(pathlib.Path(folder, f"{name}.tests.yml"))
            files[-1].write_text(yaml.safe_dump(tests))
        run("promtool", "test", "rules", *map(str, files))
    if problems:
        return 1
    print(f"{len(alerts)} alerts fire where they are to fire, and not just below; {len(panels)} panels ask for metrics that exist")
    return 0


if __name__ == "__main__":
    sys.exit(main())
