#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files, functions and types that comments of src/ name are there: a reader who follows
them finds them.

usage: mentions.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

FILE = re.compile(r"(?<![\w<./-])((?:\w+/)*\w+\.[ch])(?![\w(])")
FUNCTION = re.compile(r"(?<![\w.:>])(\w+)\(\)")
TYPE = re.compile(r"(?<![\w-])(?:struct|enum|union)\s(?:\s?\*\s)?(\w+)")
# Headers of the system and of libraries, files of other programs, examples.
OTHER_FILES = {"curl.h", "gnutls.h", "term.h", "arguments.h", "file.c", "work.c"}
# Functions and types of the system and of other languages that a comment explains.
OTHER_NAMES = {"exec", "fgets", "mkdtemp", "openat2", "landlock_path_beneath_attr",
               "landlock_ruleset_attr", "open_how", "histogram_over_time"}


def absent(text, files, names):
    """What the comments of a text name and is nowhere."""
    for _, comment in csource.comments(text):
        yield from (name for name in FILE.findall(comment) if name not in files)
        yield from (f"{name}()" for name in FUNCTION.findall(comment) if name not in names)
        yield from (f"type {name}" for name in TYPE.findall(comment) if name not in names)


def main():
    root = Path(sys.argv[1])
    paths = sorted((root / "src").rglob("*.[ch]"))
    texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
    files = {str(path.relative_to(root / "src")) for path in paths} | {path.name for path in paths} | OTHER_FILES
    names = OTHER_NAMES.union(*(re.findall(r"\w+", csource.blank(text)) for text in texts.values()))
    problems = [f"{path}: there is no {what}" for path, text in texts.items()
                for what in absent(text, files, names)]
    return csource.report(paths, problems)


if __name__ == "__main__":
    sys.exit(main())
