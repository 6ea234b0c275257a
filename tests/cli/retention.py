#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thirty days of a project's profiles, 40,000 of them, listed page by page:
within 256 MiB, and a terminal sees how far it is. Output is TAP.

usage: retention.py TRACEFIND
"""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from scripted import Server, check, read_all, report, terminal

PROJECT = "/projects/shop-prod"
PROFILES = 40000
MEMORY_KIB = 256 * 1024
LIMIT_S = 60
PAGE_MS = 50  # so that 40 pages take longer than the second without a line
AT_ONCE = 4  # pages, each of which may hold a thousand profiles
# Those with profiles of six hours: the newest only, or a few on each.
PAGES = {"newest": 2, "chance": 40}
STACKS = "".join(f"main;serve;handle{n % 40};work{n};leaf{n} {n % 9 + 1}\n"
                 for n in range(120))


class Google(Server):
    """A project with so many profiles."""

    def __init__(self, folder, order):
        super().__init__(
            {"google": {"profiler": {"delay_ms": PAGE_MS, "retention": {
                "profiles": PROFILES, "end": "2026-11-21T12:00:00Z",
                "targets": ["busy-service", "calm-service"],
                "types": ["CPU", "HEAP"], "versions": ["1.0.0", "1.1.0"],
                "folded": STACKS, "order": order}}}},
            log=Path(folder, "log"))


class Run:
    """One run whose standard error is a terminal, with its largest memory."""

    def __init__(self, program, folder, url, *words):
        token = Path(folder, "token")
        token.write_text("token\n", encoding="utf-8")
        token.chmod(0o600)
        ours, theirs = terminal(80)
        out = Path(folder, "out")
        with open(out, "wb") as file:
            run = subprocess.Popen(
                [program, "profile", "--service", "busy-service", "--type",
                 "cpu", "--profiles-url", url, "--color",
                 "never", "--token-file", token, *words],
                stdin=subprocess.DEVNULL, stdout=file, stderr=theirs,
                env={"TERM": "xterm", "HOME": folder, "LC_ALL": "C.UTF-8",
                     "TRACEFIND_NOW": "2026-11-21T12:00:00Z"})
        os.close(theirs)
        data = read_all(ours)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        self.status = run.returncode
        self.lines = data.decode().split("\r\x1b[K")
        self.out = out.read_text(encoding="utf-8")
        self.memory_kib = usage.ru_maxrss


def list_all(program, folder, order):
    with Google(folder, order) as google:
        run = Run(program, folder, f"gcp+{google.url}{PROJECT}", "--since",
                  "6h")
        requests = google.requests()
    check(run.status == 0, (run.status, run.lines[-1]))
    # One of each type a minute, each with the same stacks: more of them than
    # the console takes.
    samples = f"{360 * sum(n % 9 + 1 for n in range(120)):,} samples"
    check(samples in run.out, run.out)
    told = [int(n.replace(",", "")) for line in run.lines
            for n in re.findall(r"([\d,]+) profiles listed", line)]
    check(len(set(told)) > 1 and told == sorted(told) and
          told[-1] <= PROFILES, f"progress: {run.lines[:9]}")
    # A sanitizer's own memory is not the program's.
    if b"__asan_init" not in Path(program).read_bytes():
        check(run.memory_kib < MEMORY_KIB, f"{run.memory_kib} KiB")
    lists = [r for r in requests if "profileBytes" not in r["path"]]
    pages = [r for r in requests if "profileBytes" in r["path"]]
    check(len(lists) == PROFILES / 1000 and requests[:len(lists)] == lists,
          "the list comes first")
    check(len(pages) == PAGES[order], f"{len(pages)} pages with bytes")
    most = max(r["active"] for r in pages)
    check(most <= AT_ONCE and (len(pages) <= AT_ONCE or most > 1),
          f"{most} pages at once")
    print(f"# {order}: {run.memory_kib} KiB, {len(requests)} requests")


def check_newest_first(program, folder):
    list_all(program, folder, "newest")


def check_any_order(program, folder):
    list_all(program, folder, "chance")


if __name__ == "__main__":
    sys.exit(report(globals()))
