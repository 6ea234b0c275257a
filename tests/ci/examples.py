#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the shell lines of docs/ci.md, those marked "# example: NAME", and those of
packaging/github and packaging/gitlab.

usage: examples.py TRACEFIND SOURCE_ROOT

Where a pipeline checks out and builds, there are folders of profiles; the loop that
measures runs with a stand-in for go that copies them. Exit statuses and reports are
read as the pipeline's own tools would.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

UNKNOWN = 5
BROKEN = 10
GO = """#!/bin/sh
# Writes the profile that -cpuprofile= names: of the side that it runs in.
for word; do case $word in -cpuprofile=*) to=${word#*=};; esac; done
case $PWD in */base) from=old;; *) from=new;; esac
n=$(basename "$to" .pb.gz)
cp "$PROFILES/$from/$(((n - 1) % 4 + 1)).pb.gz" "$to"
"""


# Samples of instructions of twelve functions, twice as many of each in head.
PERF = """#!/bin/sh
command=$1
while [ $# -gt 0 ]; do
    case $1 in -o | -i) data=$2;; ./base/*) times=1;; ./head/*) times=2;; esac
    shift
done
[ $command = script ] || { echo $times >"$data"; exit; }
awk -v n="${data%.data}" -v times="$(cat "$data")" 'BEGIN {
    for (f = 1; f <= 12; f++)
        for (i = 0; i < times * (40 + 5 * f + (f * n) % 7); i++)
            printf "shop 1 %.6f: 1000003 instructions:u: \\n\\t1f main.f%d+0x1 (/shop)\\n" \\
                "\\t2f main.main+0x1 (/shop)\\n\\n", at += 0.001, f
}'
"""


def examples(root):
    text = (root / "docs" / "ci.md").read_text()
    blocks = re.findall(r"```sh\n# example: (\S+)\n(.*?)```", text, re.S)
    return {**dict(blocks), "action": SETTINGS + action(root), "template": SETTINGS + template(root)}


# What the pipelines set, of a folder beside those with the profiles.
SETTINGS = """export CANDIDATE=../new AGAINST=../old FAIL_ON='total>3%,function>5%'
export SARIF=../check.sarif RUNNER_TEMP=..
"""


def action(root):
    """The shell lines of the last step of the action."""
    text = (root / "packaging/github/action.yml").read_text()
    return re.search(r"- name: check\n.*?run: \|\n(.*)", text, re.S)[1]


def template(root):
    text = (root / "packaging/gitlab/check.yml").read_text()
    return re.search(r"script:\n +- (.*)", text)[1]


class Workspace:
    """A pipeline's folder: base, head, old, new, and commands on the path."""

    def __init__(self, tracefind, root, folder):
        self.folder, self.root = Path(folder), root
        self.profiles = root / "testdata" / "gate"
        for name in ("base", "head", "perf", "bin"):
            (self.folder / name).mkdir()
        os.symlink(Path(tracefind).resolve(), self.folder / "bin" / "tracefind")
        for name, text in (("go", GO), ("perf", PERF)):
            program = self.folder / "bin" / name
            program.write_text(text)
            program.chmod(0o755)

    def fill(self):
        for side in ("old", "new"):
            shutil.copytree(self.profiles / side, self.folder / side)

    def run(self, lines, where="."):
        env = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
               "HOME": str(self.folder), "PROFILES": str(self.profiles),
               "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
               **{k: v for k, v in os.environ.items() if "SAN_" in k}}
        return subprocess.run(["sh", "-c", lines], cwd=self.folder / where,
                              env=env, capture_output=True, text=True,
                              timeout=120, check=False)

    def read(self, name):
        return (self.folder / name).read_text()


def measure(w, lines):
    done = w.run(lines)
    return done.returncode == 0 and all(
        len(list((w.folder / side).iterdir())) == 10 for side in ("old", "new"))


def snapshot(w, lines):
    w.fill()
    done = w.run(lines)
    kept = json.loads(w.read("perf/cpu.json"))
    return done.returncode == BROKEN and kept["runs"] == 4 and \
        "shop.route" in done.stdout


def requests(w, lines):
    w.fill()
    done = w.run(lines)
    return done.returncode == BROKEN and "per request" in done.stdout


def reference(w, lines):
    """Four short runs hold too few samples of it to judge anything beside it."""
    w.fill()
    done = w.run(lines)
    return done.returncode == UNKNOWN and \
        "reference  crypto/sha256.Sum256 " in done.stdout


def instructions(w, lines):
    done = w.run(lines)
    return done.returncode == BROKEN and \
        done.stdout.startswith("check failed: the whole program uses 100 % more instructions per run")


def is_sarif(log):
    """What code scanning asks for (the schema itself is applied elsewhere)."""
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    return log["version"] == "2.1.0" and log["$schema"] and \
        set(log) == {"$schema", "version", "runs"} and \
        all(rule[key]["text"] for rule in rules
            for key in ("shortDescription", "fullDescription", "help")) and \
        all(rules[r["ruleIndex"]]["id"] == r["ruleId"] and
            r["message"]["text"] and
            r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] and
            r["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1
            and re.fullmatch("[0-9a-f]{16}:1",
                             r["partialFingerprints"]["primaryLocationLineHash"])
            for r in run["results"])


def github(w, lines):
    w.fill()
    (w.folder / "head" / "shop.go").write_text("package shop\n")
    done = w.run(lines, "head")
    log = json.loads(w.read("check.sarif"))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    return done.returncode == BROKEN and is_sarif(log) and \
        place["artifactLocation"]["uri"] == "shop.go" and \
        done.stdout.startswith("::error file=shop.go,line=") and \
        "| `bench.example/shop.route` |" in w.read("summary.md")


def gitlab(w, lines, where="."):
    w.fill()
    done = w.run(lines, where)
    suite = ET.parse(w.folder / where / "check.xml").getroot().find("testsuite")
    cases = [(c.get("classname"), c.get("name")) for c in suite]
    return done.returncode == BROKEN and len(set(cases)) == len(cases) and \
        int(suite.get("failures")) == len(suite.findall("*/failure")) == 1 and \
        int(suite.get("tests")) == len(cases)


def cloud_build(w, lines):
    w.fill()
    done = w.run(lines)
    return done.returncode == BROKEN and \
        json.loads(w.read("check.json"))["outcome"] == "failed"


CHECKS = {"measure": measure, "requests": requests, "reference": reference,
          "instructions": instructions, "snapshot": snapshot, "github": github,
          "gitlab": gitlab, "cloud-build": cloud_build, "action": github,
          "template": lambda w, lines: gitlab(w, lines, "head")}


def main():
    tracefind, root = sys.argv[1], Path(sys.argv[2]).resolve()
    found = examples(root)
    tap = Tap()
    tap.check(set(found) == set(CHECKS), "each example has a test")
    for name, check in CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            w = Workspace(tracefind, root, folder)
            tap.check(name in found and check(w, found[name]), name)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
