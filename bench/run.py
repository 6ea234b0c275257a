#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tracefind beside other programs that do the same, checks that they
agree, and tells which goals are met. Writes docs/lab/performance.md, unless it is
the short form. Ends with 1 when two programs did not agree.

usage: run.py [OPTIONS] BUILD_FOLDER
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import agree
import growth
import jobs
import report
import served
from inputs import Inputs
from measure import Failed, Meter
from measure import Run
from peers import Peers

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REPORT = ROOT / "docs" / "lab" / "performance.md"
# Neither a configuration nor a server of this machine plays a part.
ENV = {"LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent",
       "PATH": os.environ.get("PATH", "")}


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("build", type=Path, help="a release build")
    ap.add_argument("--short", action="store_true",
                    help="medium inputs and smaller, in under three minutes")
    ap.add_argument("--rows", default="",
                    help="only these: P1,P7,... or parts of names")
    ap.add_argument("--inputs", type=Path, help="a folder of ready inputs")
    ap.add_argument("--peers", type=Path, action="append", default=[],
                    help="a folder with other programs; may be repeated")
    ap.add_argument("--cache", type=Path, default=HERE / "cache",
                    help="what is made and built (bench/cache)")
    ap.add_argument("--rounds", type=int, default=0,
                    help="so many runs of each program")
    ap.add_argument("--write", type=Path, default=REPORT,
                    help="where the report goes; a run of "
                    "some rows writes none unless told where")
    return ap.parse_args()


class Bench:
    def __init__(self, args):
        build = args.build.resolve()
        self.args = args
        self.program = build / "src" / "tracefind"
        self.inputs = Inputs(args.cache / "inputs", args.inputs,
                             build / "bench" / "inputs" / "bench-make")
        self.peers = Peers([*args.peers, build / "bench" / "peers"],
                           args.cache / "peers", not args.short)
        self.meter = Meter(build / "bench" / "bench-measure", ENV)
        self.folder = None  # of what programs write
        self.read = set()   # the inputs of contests
        self.has_differed = False  # two programs, in their answers

    def wanted(self, *names):
        """Whether --rows asks for any of the names."""
        words = [w for w in self.args.rows.split(",") if w]
        return not words or any(
            word == name or (len(word) > 3 and word in name)
            for word in words for name in names)

    def files(self, inputs):
        found = {"tiny": self.inputs.tiny()}
        for name, (kind, *words) in inputs.items():
            found[name] = getattr(self.inputs, kind)(*words)
        return found

    def run_of(self, entry, files, output):
        """The Run of an entry, or None without its program."""
        name = entry.args[0]
        program = self.program if name == "tracefind" else \
            self.peers.find(name)
        if not program:
            return None
        args = [str(program)]
        for arg in entry.args[1:]:
            for key, value in [*files.items(), ("out", output)]:
                arg = arg.replace("{" + key + "}", str(value))
            args.append(arg)
        writes = any("{out}" in arg for arg in entry.args)
        return Run(tuple(args), "/dev/null" if writes else str(output),
                   cpus=entry.cpus)

    def contest(self, contest):
        """Lines of the report."""
        rounds = contest.short_rounds if self.args.short else contest.rounds
        files = self.files(contest.inputs)
        self.read.update(files.values())
        runs, outputs, failed = {}, {}, {}
        for label, entry in contest.entries.items():
            outputs[label] = self.folder / label.replace(" ", "-")
            run = self.run_of(entry, files, outputs[label])
            if run:
                runs[label] = run
            else:
                failed[label] = f"{entry.args[0]} was not found"
        most = {label: entry.most for label, entry in contest.entries.items()
                if entry.most}
        costs, broken = self.meter.contest(runs, self.args.rounds or rounds,
                                           most)
        failed.update(broken)
        differs = self.compare(contest, files, outputs, costs)
        heaps = {label: self.meter.heap_kib(runs[label])
                 for label in {row.ours for row in contest.rows}
                 if label in costs}
        for row in contest.rows:
            line = self.line(row, costs, failed, outputs, differs)
            line.heap_kib = heaps.get(row.ours, 0)
            yield line

    def compare(self, contest, files, outputs, costs):
        """What differs. Without the program to compare with its rows are gaps
        anyhow."""
        check = contest.check and getattr(agree, contest.check)
        there = {label: path for label, path in outputs.items()
                 if label in costs and path.exists()}
        if not check or len(there) < 2 or \
                not agree.NEEDED.get(contest.check, set()) <= there.keys():
            return None
        try:
            differs = check(self.program, files, there)
            self.has_differed |= bool(differs)
            return differs
        except subprocess.CalledProcessError as error:
            return f"{error.cmd[0]} failed: status {error.returncode}"
        except (KeyError, ValueError) as error:
            return f"no comparison: {error!r}"

    def line(self, row, costs, failed, outputs, differs):
        line = report.Line(row.number, row.title, row.peer,
                           costs.get(row.ours), costs.get(row.peer))
        for label in (row.ours, row.peer):
            if label in failed:
                line.verdict = report.GAP
                line.why = failed[label].replace(f"{self.inputs.ready}/", "")
                return line
        sizes = [outputs[label].stat().st_size for label in
                 (row.ours, row.peer) if label and outputs[label].exists()]
        report.fill(line, row.goals, sizes)
        if differs and row.peer:
            line.verdict, line.why = report.MISSED, differs
        return line

    def lines(self):
        for contest in jobs.CONTESTS:
            numbers = [row.number for row in contest.rows]
            if self.args.short and not contest.short_rounds or \
                    not self.wanted(contest.name, *numbers):
                continue
            for line in self.contest(contest):
                yield line
                show_progress(line)
        if self.wanted("P9"):
            for line in self.served():
                yield line
                show_progress(line)

    def served(self):
        """What came before is written, whatever happens to the servers."""
        try:
            yield from served.lines(self.program, self.meter)
        except (OSError, ValueError, KeyError,
                subprocess.SubprocessError) as error:
            yield report.Line("P9", "slow against servers on loopback",
                              verdict=report.GAP, why=repr(error))


def show_progress(line):
    print("  ".join(cell for cell in report.cells(line) if cell), flush=True)


def machine():
    model = next((l.split(":", 1)[1].strip() for l in
                  Path("/proc/cpuinfo").read_text().splitlines()
                  if l.startswith("model name")), platform.processor())
    memory = next(int(l.split()[1]) for l in
                  Path("/proc/meminfo").read_text().splitlines()
                  if l.startswith("MemTotal"))
    return (f"{model}, {os.cpu_count()} processors, "
            f"{memory / 1024 / 1024:.0f} GiB of memory, "
            f"{platform.system()} {platform.release()}")


def source_version():
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always",
                           "--dirty", "--exclude=*"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip() or "unknown"


def introduction(bench, load):
    now = datetime.datetime.now(datetime.timezone.utc)
    yield f"- {now:%Y-%m-%d %H:%M} UTC, tracefind at {source_version()}"
    yield f"- {machine()}"
    yield f"- load before the run: {load:.1f}"
    yield "- peers: " + "; ".join(bench.peers.versions())
    yield ("- inputs: " + ("ready-made" if bench.args.inputs else "bench-make")
           + "; " + ", ".join(f"{path.name} {path.stat().st_size / 1e6:,.1f} "
                              "MB" for path in sorted(bench.read)))


def main():
    args = arguments()
    bench = Bench(args)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        bench.folder = Path(folder)
        lines = list(bench.lines())
        sections = list(growth.sections(bench))
    rows = [report.cells(line) for line in lines]
    print()
    print("\n".join(report.text_table(report.HEAD, rows, report.RIGHT)))
    text = [*introduction(bench, load), "",
            *report.markdown_table(report.HEAD, rows, report.RIGHT)]
    verdicts = [line.verdict for line in lines]
    for section in sections:
        print(f"\n{section.title}\n")
        print("\n".join(report.text_table(section.head, section.rows,
                                          section.right)))
        text += ["", f"{section.title}", "",
                 *report.markdown_table(section.head, section.rows,
                                        section.right)]
        verdicts += section.verdicts
    total = ", ".join(f"{verdicts.count(v)} {v}" for v in
                      (report.MET, report.MISSED, report.GAP))
    print(f"\n{total}")
    is_whole = not args.short and not args.rows
    if is_whole or args.write != REPORT:
        report.write(args.write, [*text, "", f"Goals: {total}."])
    return int(bench.has_differed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"bench: {error}")
