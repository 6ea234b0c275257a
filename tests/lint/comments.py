#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that comments above declarations begin with the noun, or with what the
function does: "Returns the first frame that ...". One that begins with "What",
"Of" or "Whether" leaves out what the thing is.

usage: comments.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

BAD = re.compile(r"^/\* (What|Of|Whether)\b.*", re.M)


def problems(root):
    for path in sorted((root / "src").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        for found in BAD.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(root)}:{line}: {found.group(0)}"


def main():
    found = list(problems(Path(sys.argv[1])))
    for text in found:
        print(text)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
