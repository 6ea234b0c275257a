#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps files, functions and branching small enough to be read at once.

usage: sizes.py SOURCE_ROOT
"""
import re
import statistics
import sys
from pathlib import Path

import csource

FILE_LINES = 1500
FUNCTION_LINES = 120
COMPLEXITY = 20

# A switch counts once: its cases are a table.
BRANCH = re.compile(r"\b(if|for|while|switch)\b|&&|\|\||\?")
NAME = re.compile(r"(\w+)\s*\(")


def functions(code):
    """Kernel style: a body is between braces in the first column. Yields
    name, lines of the body, number of independent paths."""
    lines = code.split("\n")
    start = None
    for index, line in enumerate(lines):
        if line == "{":
            start = index
        elif line == "}" and start is not None:
            head = " ".join(lines[max(0, start - 6):start])
            head = re.split(r"[;}]", head)[-1]
            match = NAME.search(head)
            body = "\n".join(lines[start:index])
            yield (match.group(1) if match else "?", index - start - 1,
                   1 + len(BRANCH.findall(body)))
            start = None


def check_file(root, path, lengths):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(root).as_posix()
    count = text.count("\n")
    # Tests are lists of cases; their length is no obstacle to reading one.
    if name.startswith("src/") and count > FILE_LINES:
        yield f"{name}: {count} lines, at most {FILE_LINES}"
    for function, lines, paths in functions(csource.blank(text)):
        lengths.append(lines)
        if lines > FUNCTION_LINES:
            yield (f"{name}: {function}() has {lines} lines, at most "
                   f"{FUNCTION_LINES}")
        if paths > COMPLEXITY:
            yield (f"{name}: {function}() branches {paths} times, at most "
                   f"{COMPLEXITY}")


def main():
    root = Path(sys.argv[1])
    files = sorted((root / "src").rglob("*.[ch]"))
    files += sorted((root / "tests").rglob("*.[ch]"))
    lengths = []
    problems = [line for path in files
                for line in check_file(root, path, lengths)]
    for line in problems:
        print(line)
    print(f"{len(files)} files, {len(lengths)} functions, median "
          f"{statistics.median(lengths or [0]):g} lines, "
          f"{len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
