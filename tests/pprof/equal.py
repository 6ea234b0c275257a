#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every row of `tracefind profile` with what pprof printed for the
same profile and the same options. Standard library only.

usage: equal.py TRACEFIND            compare with testdata/pprof-top/
       equal.py --record PPROF       write testdata/pprof-top/ anew

Recorded are the texts of pprof as they are, values in the smallest unit, so
that numbers are whole. pprof -files makes several rows of one file when the
profile says on which lines functions start; profiles that say so are left out
of that case.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
RECORDED = TESTDATA / "pprof-top"

# profile, sample type (None: the default), unit, pattern of its functions,
# another one, whether functions have starting lines
PROFILES = [
    ("real-go-cpu", None, "ns", "main|sha256", "runtime", True),
    ("real-go-cpu", "samples", "count", "hashLoop", "mallocgc", True),
    ("real-go-heap", None, "B", "main", "pprof", True),
    ("real-go-heap", "alloc_objects", "count", "main", "mallocgc", True),
    ("real-go-allocs", "alloc_space", "B", "alloc", "runtime", True),
    ("real-go-mutex", "contentions", "count", "Unlock", "main", True),
    ("real-go-block", None, "ns", "main", "sync", True),
    ("real-go-goroutine", None, "count", "main", "runtime", True),
    ("real-go-compile-cpu", None, "ns", "ssa", "runtime|gc", True),
    ("real-go-pyroscope-cpu", None, "ns", "parquet|iter", "runtime", True),
    ("real-go-pyroscope-goroutine", None, "count", "raft", "grpc", True),
    ("real-go-tempo-goroutine", None, "count", "dskit", "grpc|http", True),
    ("real-python-cpu", None, "ns", "json|crunch", "handle", False),
    ("go-process_cpu-incident", None, "ns", "cart", "copyItems", False),
    ("java-wall", None, "ns", "java|Pool", "run", False),
    ("ebpf-cpu-97hz", None, "ns", "libc|main", "sys", False),
    ("other-fn", None, "ns", "other", "leaf", False),
    ("real-cpp-cpu", None, "ns", "shop", "std::map|mem", True),
    ("real-cpp-cpu", "samples", "count", "std", "operator", True),
    ("real-rust-cpu", None, "ns", "work|alloc", "fmt", False),
    ("real-java-async-cpu", None, "count", "Work|util", "Phase", False),
    ("drop-frames", None, "ns", "shop", "std::map", True),
    ("real-cpp-mangled", None, "ns", "shop", "std::map|mem", True),
    ("real-rust-mangled", None, "ns", "work|alloc", "fmt", False),
]

# Whose names are those of the linker: pprof demangles when it looks for
# symbols, which it does not find.
MANGLED = ("real-cpp-mangled", "real-rust-mangled")


# Its texts are half of all.
LARGE = "real-go-compile-cpu"


def cases(one, other, has_starts):
    """Case name -> options of pprof, options of tracefind."""
    found = {
        "top": (["-top"], ["--sort=self"]),
        "cum": (["-top", "-cum"], ["--sort=total"]),
        "focus": (["-top", f"-focus={one}"], [f"--focus={one}", "--sort=self"]),
        "ignore": (["-top", f"-ignore={other}"],
                   [f"--ignore={other}", "--sort=self"]),
        "hide": (["-top", f"-hide={other}"],
                 [f"--hide={other}", "--sort=self"]),
        "show": (["-top", f"-show={one}"], [f"--show={one}", "--sort=self"]),
        "show-from": (["-top", f"-show_from={one}"],
                      [f"--show-from={one}", "--sort=self"]),
        "all": (["-top", f"-focus={one}", f"-hide={other}", "-lines"],
                [f"--focus={one}", f"--hide={other}", "--granularity=line",
                 "--sort=self"]),
        "tag": (["-top", "-tagfocus=job"], ["--tag-focus=job", "--sort=self"]),
        "tag-ignore": (["-top", "-tagignore=job"],
                       ["--tag-ignore=job", "--sort=self"]),
        "lines": (["-top", "-lines"], ["--granularity=line", "--sort=self"]),
        "addresses": (["-top", "-addresses"],
                      ["--granularity=address", "--sort=self"]),
        "peek": ([f"-peek={one}"], [f"--peek={one}"]),
        "tree": (["-tree", "-nodecount=0"], ["--tree"]),
        "list": ([f"-list={one}"], [f"--list={one}"]),
    }
    if not has_starts:
        found["files"] = (["-top", "-files"],
                          ["--granularity=file", "--sort=self"])
    return found


def number(text):
    """7.00s of "-unit=ns" is never printed: whole numbers with a unit."""
    if text == ".":
        return 0
    m = re.fullmatch(r"(-?\d+)(ns|B|)", text)
    if not m:
        raise ValueError(f"not a whole number: {text}")
    return int(m.group(1))


def plain(name):
    return re.sub(r" \((partial-)?inline\)$", "", name)


def read_top(text):
    rows, is_on = [], False
    for line in text.splitlines():
        if is_on:
            parts = line.split(None, 5)
            rows.append((number(parts[0]), number(parts[3]), parts[1],
                         parts[4], plain(parts[5])))
        is_on = is_on or line.split()[:2] == ["flat", "flat%"]
    return rows


def read_tree(text):
    """(name, flat, cum, callers, callees) each, edges in order."""
    nodes, callers, node = [], [], None
    rule = re.compile(r"^-+\+-+$")
    for line in text.splitlines():
        if rule.match(line):
            if node:
                nodes.append(node)
            callers, node = [], None
        elif "| " in line:
            left, name = line.split("|", 1)
            parts = left.split()
            if len(parts) == 2:
                edge = (number(parts[0]), name.strip())
                (node[4] if node else callers).append(edge)
            else:
                node = (name.strip(), number(parts[0]), number(parts[3]),
                        callers, [])
    return nodes


def read_list(text):
    """Of each routine its sums and the values of its lines; without source
    pprof prints no lines."""
    return re.findall(r"^ROUTINE =+ (.*) in (.*)\n *(\S+) +(\S+) ", text, re.M)


def share(value, total):
    """A percentage as pprof prints it."""
    percent = abs(value / total * 100) if total else 0
    if 99.95 <= percent <= 100.05:
        return "100%"
    return ("%.2f%%" if percent >= 1 else "%.2g%%") % percent


def total_of(text):
    m = re.search(r"(?: of |^Total: )(-?\d+)(?:ns|B|)(?: total)?$", text, re.M)
    return int(m.group(1)) if m else 0


def run(program, path, kind, options):
    args = [program, "profile", str(path), "-o", "json", "-n", "0"]
    if kind:
        args += ["--type", kind]
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(args + options, capture_output=True, text=True,
                              encoding="utf-8", cwd=empty,
                              env={**os.environ, "LC_ALL": "C"})
    if done.returncode == 5:
        return None
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return json.loads(done.stdout)


def ours_top(answer, total):
    return [(f["self_value"], f["total_value"], share(f["self_value"], total),
             share(f["total_value"], total), f["name"])
            for f in answer["functions"]]


def edge_name(edge):
    return edge["name"] + (" (inline)" if edge["inlined"] else "")


def ours_tree(answer):
    return [(f["name"], f["self_value"], f["total_value"],
             [(e["value"], edge_name(e)) for e in f["callers"]],
             [(e["value"], edge_name(e)) for e in f["callees"]])
            for f in answer["functions"]]


def ours_list(answer, unit):
    suffix = "" if unit == "count" else unit
    def text(value):
        return f"{value}{suffix}" if value else "0"
    return [(f["name"], f["file"], text(f["self_value"]),
             text(f["total_value"])) for f in answer["functions"] if f["file"]]


def compare(program, path, kind, unit, case, options, recorded):
    """None when equal, else a text."""
    answer = run(program, path, kind, options)
    if case in ("peek", "tree"):
        theirs, ours = read_tree(recorded), ours_tree(answer) if answer else []
    elif case == "list":
        theirs = read_list(recorded)
        ours = ours_list(answer, unit) if answer else []
    else:
        theirs = read_top(recorded)
        ours = ours_top(answer, total_of(recorded)) if answer else []
    if theirs == ours:
        return None
    left = [row for row in theirs if row not in ours][:2]
    right = [row for row in ours if row not in theirs][:2]
    return f"pprof {len(theirs)} {left}\nours  {len(ours)} {right}"


def file_name(name, kind, case):
    return f"{name}{'.' + kind if kind else ''}.{case}.txt"


def record_one(pprof, path, kind, unit, options):
    symbols = "none"
    if path.name.removesuffix(".pb.gz") in MANGLED:
        symbols = "fastlocal"
    args = [pprof, *options, f"-symbolize={symbols}", "-trim=false",
            f"-unit={unit}"]
    if kind:
        args.append(f"-sample_index={kind}")
    # No source is found there.
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(args + [str(path)], capture_output=True,
                              text=True, cwd=empty,
                              env={**os.environ, "TZ": "UTC"})
        return done.stdout.replace(empty, "/nowhere")


def all_cases():
    for name, kind, unit, one, other, has_starts in PROFILES:
        for case, options in cases(one, other, has_starts).items():
            if case.startswith("tag") and name != "real-python-cpu":
                continue
            if name == LARGE and case in ("addresses", "lines", "cum"):
                continue
            yield name, kind, unit, case, *options


def record(pprof):
    RECORDED.mkdir(exist_ok=True)
    for old in RECORDED.glob("*.txt"):
        old.unlink()
    for name, kind, unit, case, options, _ in all_cases():
        path = TESTDATA / "pprof" / f"{name}.pb.gz"
        text = record_one(pprof, path, kind, unit, options)
        (RECORDED / file_name(name, kind, case)).write_text(text)


def main():
    if sys.argv[1] == "--record":
        return record(sys.argv[2])
    program = os.path.abspath(sys.argv[1])
    tap = Tap()
    for name, kind, unit, case, _, options in all_cases():
        label = file_name(name, kind, case)
        recorded = (RECORDED / label).read_text()
        why = compare(program, TESTDATA / "pprof" / f"{name}.pb.gz", kind,
                      unit, case, options, recorded)
        tap.check(why is None, label, why)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
