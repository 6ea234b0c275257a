#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the man pages of commands: five at least in each.

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

COMMANDS = ("slow", "diff", "show", "profile", "config")
LEAST = 5
LIMIT_S = 60
FILES = {
    "trace.json": "otlp/b.json",
    "case.har.gz": "cases/n-plus-one.har.gz",
    "before.pb.gz": "pprof/go-process_cpu-normal.pb.gz",
    "after.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "pod-1.pb.gz": "pprof/go-process_cpu-normal.pb.gz",
    "pod-2.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "cpu.pb.gz": "pprof/go-process_cpu-incident.pb.gz",
    "datasources.yaml": "grafana/datasources.yaml",
}


def examples(page):
    text = page.read_text(encoding="utf-8")
    part = re.search(r"^# EXAMPLES\n(.*?)(?=^# )", text, re.M | re.S)
    blocks = re.findall(r"^```\n(.*?)^```$", part[1] if part else "",
                        re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def asks_servers(words):
    """Neither a case file, nor only files, nor the configuration."""
    if words[1] == "config" or "--replay" in words:
        return False
    return any("//" in w for w in words) or "--service" in words or \
        not any(w in FILES for w in words)


def run(program, line, folder):
    """What is wrong with it, or nothing."""
    words = shlex.split(line)
    if words[0] != "tracefind":
        return "does not begin with tracefind"
    words[0] = program
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
    if done.returncode:
        return f"status {done.returncode}: {done.stderr.decode(errors='replace')}"
    return ""


def check_page(page, program, testdata):
    lines = examples(page)
    if len(lines) < LEAST:
        yield f"{page.name}: {len(lines)} examples, at least {LEAST} are wanted"
    with tempfile.TemporaryDirectory() as folder:
        for name, source in FILES.items():
            shutil.copy(testdata / source, Path(folder, name))
        for line in lines:
            trouble = run(program, line, folder)
            if trouble:
                yield f"{page.name}: {line}: {trouble}"


def main():
    root, program = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    problems = [text for command in COMMANDS
                for text in check_page(root / f"man/tracefind-{command}.1.scd",
                                       program, root / "testdata")]
    for text in problems:
        print(text)
    print(f"{len(COMMANDS)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
