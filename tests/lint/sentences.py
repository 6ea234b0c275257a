#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds sentences where facts are worked out: words for users stand in report/,
where a rule's enum and numbers become text.

usage: sentences.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

FOLDERS = ("analyze", "investigate", "model")

# No part of the program: it runs while that is built.
NOT_THE_PROGRAM = {"analyze/code_index_make.c"}

# What these are given names something for an error about memory, a text that is
# too long or the program itself; or is read by a compiler only.
NAMING_CALLS = re.compile(
    r"\b(_Static_assert|arena_fail|error_memory|buf_check|check_failed)\s*\(")
NAMING_DEFINE = re.compile(r"#\s*define\s+(\w+_)?WHAT\s*$")

# Reason -> file and pattern of what may stay. What is not found any more must go
# from here: the list may only become shorter.
ALLOWED = {
    "a limit of untrusted input": [
        (r"model/(profile|symtab|trace)\w*\.c", r".*more than %u .+"),
        ("model/profile_build.c",
         r"%zu (stacks deeper|names longer) than .*|names that linkers made .*"),
        (r"model/profile_(build|merge)\.c", r"values add up to more .*"),
    ],
    "input that contradicts itself": [
        ("model/profile_merge.c", r"cannot add up profiles of .*"),
    ],
    "an error of the program's own": [
        ("model/profile.c", r"the decoded profile is inconsistent: .*"),
        ("model/trace_build.c", r"one trace of several was not chosen"),
    ],
    "words of Jaeger that are looked for": [
        ("model/trace_build.c", r"trace has more than|"
         r"timestamps were adjusted by|Negative duration detected"),
    ],
    "a name in a profile": [
        ("analyze/code_language.c",
         r"\(anonymous namespace\)|\{unnamed type#"),
        ("model/profile_build.c", r"\[%u frames trimmed\]"),
    ],
    "how a name was found": [
        ("investigate/profile_service.c", r"without \.cpu"),
    ],
    "a name of a file": [
        ("investigate/chosen.c", r"standard input"),
    ],
}

LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
INCLUDE = re.compile(r"^\s*#\s*include\b")
CONVERSION = re.compile(r"%%|%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")
WORD = re.compile(r"[A-Za-z]{2,}")


def is_sentence(text):
    """Two words and more with a blank between them."""
    words = CONVERSION.sub(" ", text).replace("\\n", " ").split()
    return sum(1 for word in words if WORD.search(word)) >= 2


def literals(text):
    """Line number, what stands before in the statement, and text of each
    string, those side by side as one."""
    for start, literal in csource.literals(text):
        before = csource.blank(text[:start])
        yield before.count("\n") + 1, re.split(r"[;{}]", before)[-1], literal


def reason_to_stay(name, text):
    """What allows a sentence: (reason, file), or None."""
    for reason, rows in ALLOWED.items():
        for row in rows:
            if re.fullmatch(row[0], name) and re.fullmatch(row[1], text):
                return row
    return None


def check_file(src, path, used):
    name = path.relative_to(src).as_posix()
    text = path.read_text(encoding="utf-8")
    for number, before, literal in literals(text):
        line = before.split("\n")[-1]
        if not is_sentence(literal) or INCLUDE.match(line) or \
                NAMING_CALLS.search(before) or NAMING_DEFINE.search(line):
            continue
        row = reason_to_stay(name, literal)
        if row:
            used.add(row)
        else:
            yield (f"src/{name}:{number}: \"{literal}\" is for users: "
                   f"it belongs into src/report/")


def main():
    src = Path(sys.argv[1]) / "src"
    files = sorted(path for folder in FOLDERS
                   for path in (src / folder).rglob("*.[ch]")
                   if path.relative_to(src).as_posix() not in NOT_THE_PROGRAM)
    used = set()
    problems = [line for path in files for line in check_file(src, path, used)]
    problems += [f"{row[0]}: {row[1]} is not found any more: take it off ALLOWED"
                 for rows in ALLOWED.values() for row in rows
                 if row not in used]
    return csource.report(files, problems)


if __name__ == "__main__":
    sys.exit(main())
