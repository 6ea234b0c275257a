#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts static functions that are called once and have less than ten lines: such a
one stands where it is used, unless its name says what the code cannot. There are many
from before, so that the number of a folder (once.txt) may fall, not rise.

usage: once.py SOURCE_ROOT
       once.py SOURCE_ROOT --list FOLDER   those of src/FOLDER
       once.py SOURCE_ROOT --write         the numbers as they are now
"""
import re
import sys
from collections import Counter
from pathlib import Path

import csource

SHORT = 10
NUMBERS = Path(__file__).with_name("once.txt")

# Names that say what the code cannot: "FOLDER/FILE.c name": why.
NAMED = {
    "analyze/latency.c find_shift":
        "a formula whose reason is longer than the formula",
    "analyze/loop.c is_inner":
        "an order of three levels, of which only the answer matters where it is used",
    "analyze/stats.c is_small":
        "where the normal distribution is too coarse: a rule of its own",
    "analyze/stats.c student_slope":
        "the derivative of a distribution, a formula",
    "cli/cmd_completion.c is_word":
        "which characters a shell takes as they are",
    "demangle/cpp.c is_comparison":
        "three tests of characters, whose meaning the grammar of printed names gives",
    "render/compare.c is_unchanged":
        "when two profiles agree: a rule of the answer with its two exceptions",
    "render/dot.c font_size":
        "a formula with its reason",
    "render/folded.c count_shared":
        "a short cut of a comparison, whose reason is longer than it",
    "render/page.c is_part":
        "where a name may be cut, by the characters of its language",
    "render/pprof.c is_named_after_mapping":
        "the form that pprof gives functions without a name",
    "render/source_link.c is_major":
        "an element of Go's module paths",
    "render/svg.c dark_tone":
        "a formula with its reason",
    "render/svg_flame.c is_foldable":
        "four conditions, one with a reason of its own, within the test of a loop",
    "render/table.c is_too_small":
        "which differences a table leaves out: a rule of its own",
    "report/prometheus_rules.c growth_least":
        "a formula of an alert, in the unit of its metric",
    "model/function_name.c csharp_local":
        "one of the forms of generated names, with its example",
    "model/function_name.c ocaml_stamp":
        "one of the forms of generated names, with its example",
    "model/profile.c is_time_on_clock":
        "a rule with its reason: what has a period",
    "model/profile_build.c path_hash":
        "a formula, why it is safe, and why it has no nodes",
    "model/source_path.c is_go_root":
        "names that folders of toolchains have, by examples",
    "model/trace_build.c fit_parent":
        "an order of preferences, the weights of which stand side by side",
    "model/trace_build.c is_outside":
        "a rule with its reason: which times are odd",
}

START = re.compile(r"^static (?!inline\b)[^;=]*?\b(\w+)\(", re.M)


def functions(code):
    """Kernel style: (name, lines of the body) of the static ones."""
    lines = code.split("\n")
    for match in START.finditer(code):
        at = code.count("\n", 0, match.start())
        while at < len(lines) and lines[at] != "{" and not lines[at].endswith(";"):
            at += 1
        if at < len(lines) and lines[at] == "{":
            yield match.group(1), lines.index("}", at) - at - 1


def short_ones(path):
    """Names of those that are called in one place, and not used otherwise."""
    code = csource.blank(path.read_text(encoding="utf-8"))
    heads = Counter(match.group(1) for match in START.finditer(code))
    used = Counter(re.findall(r"\b\w+\b", code))
    calls = Counter(re.findall(r"\b(\w+)\s*\(", code))
    for name, lines in functions(code):
        others = used[name] - heads[name]
        if lines < SHORT and others == 1 and calls[name] - heads[name] == 1:
            yield name


def find(root):
    """Folder of src/ to what is short there."""
    found = {}
    for path in sorted((root / "src").rglob("*.c")):
        file = path.relative_to(root / "src").as_posix()
        folder = file.split("/")[0] if "/" in file else "."
        found.setdefault(folder, []).extend(
            f"{file} {name}" for name in short_ones(path) if f"{file} {name}" not in NAMED)
    return found


def main():
    root = Path(sys.argv[1])
    found = find(root)
    if sys.argv[2:3] == ["--list"]:
        print("\n".join(found.get(sys.argv[3], [])))
        return 0
    if sys.argv[2:3] == ["--write"]:
        NUMBERS.write_text("".join(f"{folder} {len(names)}\n" for folder, names in sorted(found.items())),
                           encoding="utf-8")
        return 0
    most = dict(line.split() for line in NUMBERS.read_text(encoding="utf-8").splitlines())
    problems = [f"src/{folder}: {len(names)} static functions of less than {SHORT} lines are called once, {most.get(folder, 0)} "
                f"before: let a new one stand where it is used (once.py . --list {folder})"
                for folder, names in sorted(found.items()) if len(names) > int(most.get(folder, 0))]
    return csource.report([name for names in found.values() for name in names], problems)


if __name__ == "__main__":
    sys.exit(main())
