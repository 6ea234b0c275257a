#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the man pages of commands, five at least in each, and the
lines of docs/ and README.md in blocks that are shell (```sh). Each page but the
index has an example that this or another test runs.

usage: man_examples.py SOURCE_ROOT TRACEFIND

They run one after the other in a folder with the files that they name, which
are recorded ones. Those that ask servers are made with --dry-run, which says
what would be sent. Standard library only.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = ("slow", "diff", "show", "profile", "config", "convert")
LEAST = 5
LIMIT_S = 60
FILES = {
    "trace.json": "otlp/b.json",
    "web.json": "otlp/g1.json",
    "db.json": "otlp/g2.json",
    "case.har.gz": "cases/n-plus-one.har.gz",
    "before.pb.gz": "pprof/go-process_cpu-normal.pb.gz",
    "after.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "pod-1.pb.gz": "pprof/go-process_cpu-normal.pb.gz",
    "pod-2.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "cpu.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "app.jfr": "jfr/work.jfr.gz",
    "CPU.20261126.cpuprofile": "v8/work.cpuprofile",
    "datasources.yaml": "grafana/datasources.yaml",
}


def examples(page):
    text = page.read_text(encoding="utf-8")
    part = re.search(r"^# EXAMPLES\n(.*?)(?=^# )", text, re.M | re.S)
    blocks = re.findall(r"^```\n(.*?)^```$", part[1] if part else "",
                        re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
# What pages name besides, and an exit status that is an answer.
FOLDERS = {"new": "gate/new", "old": "gate/old", "heaps/pod-1": "heaps/leak", "heaps/pod-2": "heaps/leak"}
PRICES = "cpu = 0.04\nmemory = 0.005\n"
SENT_NOTHING, GATE_BROKE = 5, 10


def shell_lines(page):
    """The commands of a page, without comments and without those behind a pipe."""
    for block in re.findall(r"^```sh\n(?!# example:)(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            # Those that need a terminal, or somebody to talk to, have tests of their own.
            if line.startswith("tracefind ") and not re.search(r" -i | mcp ", line):
                words = shlex.split(line.split(" | ")[0], comments=True)
                yield shlex.join(TRACE if word == "TRACE" else word for word in words).replace("~", ".")


def check_links(root, pages):
    """Links to files lead somewhere, and the index has every page."""
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                yield f"{page.name}: no {link}"
    index = (root / "docs/README.md").read_text(encoding="utf-8")
    for page in pages:
        name = page.relative_to(root / "docs") if page.name != "README.md" else None
        if name and f"]({name})" not in index:
            yield f"docs/README.md: no {name}"


# What tests/lint/readme.py, tests/ci/examples.py and tests/mcp/documented.py run.
TESTED = re.compile(r"^# example: |^\$ tracefind |^call testdata/", re.M)


def check_tested(pages):
    for page in pages:
        if page.parent.name == "docs" and page.name != "README.md" and \
                not TESTED.search(page.read_text(encoding="utf-8")) and not list(shell_lines(page)):
            yield f"{page.name}: no example that a test runs"


def asks_servers(words):
    """Neither a case file, nor only files, nor the configuration, nor the program itself."""
    if words[1] in ("config", "--version") or "--replay" in words:
        return False
    return any("//" in w for w in words) or "--service" in words or "--record" in words or \
        not any(w in FILES or w.strip("/") in FOLDERS or "*" in w or w.startswith("testdata/") for w in words)


def run(program, line, folder):
    """What is wrong with it, or nothing."""
    words = shlex.split(line)
    if words[0] != "tracefind":
        return "does not begin with tracefind"
    words[0] = program
    words = [name for word in words
             for name in (sorted(path.name for path in Path(folder).glob(word)) if word.startswith("pod-*") else [word])]
    if asks_servers(["tracefind"] + words[1:]):
        if "--record" in words:  # of nothing that was sent
            at = words.index("--record")
            del words[at:at + 2]
        words.append("--dry-run")
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={"HOME": folder, "LC_ALL": "C.UTF-8",
                               "PATH": os.environ.get("PATH", "")},
                          timeout=LIMIT_S, check=False)
    if done.returncode and done.returncode != (SENT_NOTHING if "--dry-run" in words else GATE_BROKE):
        return f"status {done.returncode}: {done.stderr.decode(errors='replace')}"
    return ""


def check_lines(page, lines, program, testdata):
    with tempfile.TemporaryDirectory() as folder:
        for name, source in FILES.items():
            shutil.copy(testdata / source, Path(folder, name))
        for name, source in FOLDERS.items():
            shutil.copytree(testdata / source, Path(folder, name))
        Path(folder, "testdata").symlink_to(testdata.resolve())
        Path(folder, "prices.ini").write_text(PRICES, encoding="utf-8")
        Path(folder, ".grafana-cloud-token").write_text("any\n", encoding="utf-8")
        Path(folder, ".grafana-cloud-token").chmod(0o600)
        for line in lines:
            trouble = run(program, line, folder)
            if trouble:
                yield f"{page.name}: {line}: {trouble}"


def check_page(page, program, testdata):
    lines = examples(page)
    if len(lines) < LEAST:
        yield f"{page.name}: {len(lines)} examples, at least {LEAST} are wanted"
    yield from check_lines(page, lines, program, testdata)


def main():
    root, program = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    problems = [text for command in COMMANDS
                for text in check_page(root / f"man/tracefind-{command}.1.scd",
                                       program, root / "testdata")]
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    problems += check_links(root, pages)
    problems += check_tested(pages)
    lines = 0
    for page in pages:
        found = list(shell_lines(page))
        lines += len(found)
        problems += check_lines(page, found, program, root / "testdata")
    for text in problems:
        print(text)
    print(f"{len(COMMANDS)} pages of the manual, {lines} lines of {len(pages)} others, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
