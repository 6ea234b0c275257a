#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells what each trick pays: builds the program with all of them and without
each of them by itself (tricks.py), and lets those that can touch a job do it in
turn. Prints a table of what the job takes more without the trick: passed time,
processor time and memory, medians.

usage: ablation.py [OPTIONS] BUILD_FOLDER [WORD...]

Of tricks whose names have one of the words; without words, of all. Variants
lie in bench/cache: --fresh builds them anew.
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import jobs
import served
from inputs import Inputs
from measure import MS, Failed, Meter, Run
from run import ENV
from tricks import TRICKS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ALL = "all"
SETUP = ("-Dbuildtype=release", "-Dtests=disabled", "-Dman=disabled")
LTO = "-Db_lto=true"
# What is told of short ones must not drown in what the machine does besides.
ROUNDS = {"start": 61, "P3": 61, "P11 html": 31, "P2": 21, "P10": 11,
          "P9": 15, "P7": 9, "P4": 9}


class Variants:
    """Programs without a trick, built in a copy of the source."""

    def __init__(self, cache, options):
        self.options = options
        self.tree = cache / "tree"
        self.bin = cache / "bin"
        self.bin.mkdir(parents=True, exist_ok=True)

    def copy_source(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir()
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"],
                                capture_output=True, check=True).stdout
        tar = subprocess.run(["tar", "-C", str(ROOT), "--null", "-T", "-",
                              "-c"], input=listed, capture_output=True,
                             check=True).stdout
        subprocess.run(["tar", "-C", str(self.tree), "-x"], input=tar,
                       check=True)

    def program(self, trick):
        """The path of the program; None stands for all tricks."""
        name = trick.name if trick else ALL
        path = self.bin / name.replace(" ", "-").replace("/", "-")
        if not path.exists():
            if not self.tree.exists():
                self.copy_source()
            self.build(path, trick.edits if trick else (),
                       (*self.options, *(trick.options if trick else ())))
            print(f"built: {name}", file=sys.stderr, flush=True)
        return str(path)

    def build(self, path, edits, options):
        kept = {name: (self.tree / name).read_text() for name, *_ in edits}
        folder = self.tree / ("build" + "".join(options))
        try:
            for name, text, instead in edits:
                file = self.tree / name
                before = file.read_text()
                if text not in before:
                    raise Failed(f"{name} does not have {text!r}")
                file.write_text(before.replace(text, instead))
            if not (folder / "build.ninja").exists():
                run("meson", "setup", folder, self.tree, *SETUP, *options)
            run("ninja", "-C", folder, "src/tracefind")
            shutil.copy2(folder / "src" / "tracefind", path)
        finally:
            for name, text in kept.items():
                (self.tree / name).write_text(text)


def run(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise Failed("\n".join((done.stdout + done.stderr).splitlines()[-15:]))


# ---- jobs ----

def contest(name):
    return next(c for c in jobs.CONTESTS if c.name == name)


def commands(inputs):
    """job -> (arguments, processors)"""
    trace = {".jaeger.json": "P5", ".otlp.pb": "P6"}
    found = {}
    for job, size, cpus in (("P1", "large", 1), ("P1 on two", "large", 2),
                            ("P2", "medium", 0), ("P3", "small", 0)):
        files = [inputs.pprof(size, side) for side in ("base", "cur")]
        found[job] = (("diff", *files, "-n", "50"), cpus)
    slow = ("--profiles-url", f"file:{inputs.tiny()}", "-o", "json")
    found["P4"] = (("slow", inputs.trace("medium", ".jaeger.json"), *slow), 0)
    for ending, job in trace.items():
        found[job] = (("slow", inputs.trace("large", ending), *slow), 0)
    found["P7"] = (("profile", inputs.folded("medium", "base"), "-o",
                    "svg=/dev/null"), 0)
    found["P10"] = (("profile", *[inputs.pprof("medium", side)
                                  for side in ("base", "cur")], "-o",
                     "pprof=/dev/null"), 0)
    found["P11 html"] = (("profile", inputs.frames(), "-o",
                          "html=/dev/null"), 0)
    found["P12"] = (("profile", inputs.pprof(
        "samples-1000000", "base", "real", (1_000_000, 20_000, 50_000, 30)),
        "-n", "50"), 0)
    found["start"] = (("--version",), 0)
    return found


def measured(meter, inputs, job, programs, rounds):
    """{label: median Cost}, those of a job in turn"""
    if job == "P9":
        return measured_served(meter, programs, rounds)
    args, cpus = commands(inputs)[job]
    return meter.contest({label: Run((program, *map(str, args)), cpus=cpus)
                          for label, program in programs.items()}, rounds)


def measured_served(meter, programs, rounds):
    case = served.read_case(served.CASES / served.CASE)
    with tempfile.TemporaryDirectory(prefix="bench-") as name, \
            served.Server(served.script_of(case, Path(name),
                                           delay_ms=served.DELAY_MS),
                          "--limit", served.LIMIT_S) as server:
        return meter.contest({label: served.asking(program, case, server.url)
                              for label, program in programs.items()}, rounds)


# ---- the table ----

def percent(off, on):
    return f"{100 * (off / on - 1):+.0f} %" if on else "-"


def row(trick, job, on, off):
    return (f"| {trick} | {job} | {on.wall_ns / MS:,.1f} "
            f"| {percent(off.wall_ns, on.wall_ns)} | {on.cpu_ns / MS:,.1f} "
            f"| {percent(off.cpu_ns, on.cpu_ns)} | {on.rss_kib / 1024:,.1f} "
            f"| {percent(off.rss_kib, on.rss_kib)} |")


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("build", type=Path, help="a release build with tests")
    ap.add_argument("words", nargs="*", help="parts of names of tricks")
    ap.add_argument("--inputs", type=Path, help="a folder of ready inputs")
    ap.add_argument("--cache", type=Path, default=HERE / "cache")
    ap.add_argument("--jobs", default="", help="only these: P1,P7,...")
    ap.add_argument("--rounds", type=int, default=0)
    ap.add_argument("--quick", action="store_true",
                    help="not optimised across folders: built in seconds each")
    ap.add_argument("--fresh", action="store_true",
                    help="build all variants anew")
    return ap.parse_intermixed_args()


def main():
    args = arguments()
    build = args.build.resolve()
    options = () if args.quick else (LTO,)
    cache = args.cache / ("ablation" + "".join(options))
    if args.fresh:
        shutil.rmtree(cache, ignore_errors=True)
    variants = Variants(cache, options)
    tricks = [t for t in TRICKS if not args.words or
              any(word in t.name for word in args.words)]
    programs = {t.name: variants.program(t) for t in (None, *tricks) if t}
    everything = variants.program(None)
    inputs = Inputs(args.cache / "inputs", args.inputs,
                    build / "bench" / "inputs" / "bench-make")
    meter = Meter(build / "bench" / "bench-measure", ENV)
    wanted = [j for j in args.jobs.split(",") if j]
    print("| trick | job | ms | without | CPU ms | without | MiB | without |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for job in dict.fromkeys(j for t in tricks for j in t.jobs):
        if wanted and job not in wanted:
            continue
        touching = {ALL: everything, **{t.name: programs[t.name]
                                        for t in tricks if job in t.jobs}}
        costs, failed = measured(meter, inputs, job, touching,
                                 args.rounds or ROUNDS.get(job, 5))
        for label, why in failed.items():
            print(f"| {label} | {job} | failed: {why} |")
        for label in touching:
            if label != ALL and label in costs:
                print(row(label, job, costs[ALL], costs[label]), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Failed, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"ablation: {error}")
