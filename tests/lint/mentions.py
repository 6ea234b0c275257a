#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that comments of src/ name are there: a reader who follows them finds
them.

usage: mentions.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*.*?\*/", re.S)
NAMED = re.compile(r"(?<![\w<./-])((?:\w+/)*\w+\.[ch])(?![\w(])")
# Headers of the system and of libraries, files of other programs, examples.
OTHERS = {"curl.h", "gnutls.h", "term.h", "arguments.h", "file.c",
          "work.c"}


def main():
    root = Path(sys.argv[1])
    files = sorted((root / "src").rglob("*.[ch]"))
    paths = {str(f.relative_to(root / "src")) for f in files}
    known = paths | {f.name for f in files} | OTHERS
    count = 0
    for file in files:
        for comment in COMMENT.findall(file.read_text(encoding="utf-8")):
            for name in NAMED.findall(comment):
                if name in known:
                    continue
                count += 1
                print(f"{file.relative_to(root)}: there is no {name}")
    print(f"{len(files)} files, {count} problems")
    return 1 if count or not files else 0


if __name__ == "__main__":
    sys.exit(main())
