#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compiler and linker put into the program against the use of a mistake.

usage: hardening.py TRACEFIND yes|no

The second word says whether it was built with _FORTIFY_SOURCE, which needs
optimisation. Output is TAP; skipped without readelf.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]
import figures  # noqa: E402
from tap import lack, skip_all  # noqa: E402

SKIP = "skip"


def readelf(file, *words):
    return subprocess.run(["readelf", "-W", *words, file], check=True,
                          capture_output=True, text=True).stdout


class Program:
    def __init__(self, path, is_fortified):
        self.is_fortified = is_fortified
        self.segments = re.findall(
            r"^  (\w+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ]) ",
            readelf(path, "--segments"), re.M)
        self.dynamic = readelf(path, "--dynamic")
        self.symbols = set(re.findall(r"UND (\w+)", readelf(path, "--dyn-syms")))
        self.header = readelf(path, "--file-header")
        self.main = Path(path + ".p", "main.c.o")


def is_position_independent(p):
    """Its place is another in each run."""
    return "DYN" in p.header and re.search(r"FLAGS_1.* PIE", p.dynamic)


def has_constant_tables(p):
    """What the loader fills in is not to be written afterwards."""
    return any(kind == "GNU_RELRO" for kind, _ in p.segments) and \
        "BIND_NOW" in p.dynamic


def has_no_executable_stack(p):
    return [("GNU_STACK", "RW ")] == [s for s in p.segments
                                      if s[0] == "GNU_STACK"]


def has_nothing_writable_and_executable(p):
    return not [s for s in p.segments if "W" in s[1] and "E" in s[1]]


def has_no_text_relocations(p):
    return "TEXTREL" not in p.dynamic


def looks_nowhere_else_for_libraries(p):
    return not re.search(r"\((RPATH|RUNPATH)\)", p.dynamic)


def guards_the_stack(p):
    return "__stack_chk_fail" in p.symbols


def checks_lengths(p):
    """_FORTIFY_SOURCE: memcpy and its like know how large their target is."""
    if not p.is_fortified:
        return SKIP
    return {"__memcpy_chk", "__snprintf_chk", "__vsnprintf_chk"} & p.symbols


def marks_targets_of_jumps(p):
    """CET of x86. The mark of the whole program needs libc's own start files to
    have it, so that of our code is looked at."""
    if "X86-64" not in p.header or not p.main.is_file():
        return SKIP
    return "IBT, SHSTK" in readelf(str(p.main), "--notes")


CHECKS = [is_position_independent, has_constant_tables, has_no_executable_stack,
          has_nothing_writable_and_executable, has_no_text_relocations,
          looks_nowhere_else_for_libraries, guards_the_stack, checks_lengths,
          marks_targets_of_jumps]


def main():
    if not shutil.which("readelf"):
        return skip_all(lack("readelf"))
    program = Program(sys.argv[1], sys.argv[2] == "yes")
    print(f"1..{len(CHECKS)}")
    tried = failed = 0
    for number, check in enumerate(CHECKS, 1):
        found = check(program)
        tried += found is not SKIP
        failed += not found
        print(f"{'ok' if found else 'not ok'} {number} - {check.__name__}"
              f"{' # SKIP not of this build' if found is SKIP else ''}")
    figures.record("hardening", tried, failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
