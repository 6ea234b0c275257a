#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages' versions are that of the program.

usage: packaging.py SOURCE_ROOT VERSION
"""
import re
import sys
from pathlib import Path

VERSIONS = {
    "packaging/debian/changelog": r"\Atracefind \((\S+)-\d+\)",
    "packaging/tracefind.nix": r'version = "(.*)";',
    "packaging/tracefind.rb": r"/tracefind-(.*)\.tar\.gz",
    "packaging/tracefind.spec": r"^Version: +(\S+)|> - (\S+)-\d+$",
}


def main():
    root, version = Path(sys.argv[1]), sys.argv[2]
    wrong = 0
    for name, pattern in VERSIONS.items():
        found = {match[match.lastindex] for match in re.finditer(pattern, (root / name).read_text(), re.M)}
        if found != {version}:
            print(f"{name}: version {' '.join(found)}, not {version}")
            wrong += 1
    print(f"{len(VERSIONS)} files, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
