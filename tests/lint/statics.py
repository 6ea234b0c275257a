#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static functions are named object_verb: a verb alone, such as add(), stands in twenty
files, and a search finds all of them.

usage: statics.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

HEAD = re.compile(r"^static [^;=(){}]*?\b(\w+)\(", re.M)


def bare(code):
    """Line and name of the static functions named by one word."""
    seen = set()
    for match in HEAD.finditer(csource.blank(code)):
        if "_" not in match[1] and match[1] not in seen:
            seen.add(match[1])
            yield code.count("\n", 0, match.start()) + 1, match[1]


def main():
    root = Path(sys.argv[1])
    files = sorted((root / "src").rglob("*.[ch]"))
    problems = [f"{path.relative_to(root)}:{line}: {name}(): name what it works on, too, as in span_{name}()"
                for path in files for line, name in bare(path.read_text(encoding="utf-8"))]
    return csource.report(files, problems)


if __name__ == "__main__":
    sys.exit(main())
