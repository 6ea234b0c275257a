#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds functions that have a safer counterpart here, lists that have their own
place, and notes that nobody will come back to.

usage: banned.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

# Reason -> functions.
BANNED = {
    "has no bound or hidden state": """
        alloca gets scanf sprintf sscanf fscanf strcat strcpy strncat strncpy
        strtok stpcpy vsprintf wcscpy tmpnam tempnam mktemp""",
    "hides failure; use base/num.h": """
        atoi atol atoll atof strtod strtof strtol strtoul strtoll strtoull
        strtold strtoimax strtoumax""",
    "keeps static state; use base/timefmt.h or the _r form": """
        asctime ctime gmtime localtime rand strerror_l readdir_r""",
    "ends the process; return an error": """
        abort assert exit quick_exit""",
    "runs other programs": """
        execl execle execlp execv execve execvp fork popen system vfork""",
    "changes the environment, which other threads may be reading": """
        clearenv putenv setenv unsetenv""",
    "changes what bytes mean": "setlocale uselocale",
    "prints; only cli/message.c and base/out.h do": """
        fprintf fputc fputs fwrite perror printf putc putchar puts vfprintf
        vprintf""",
    "goes around base/mem.h": """
        aligned_alloc asprintf calloc free getline malloc posix_memalign
        realloc reallocarray strdup strndup vasprintf""",
}

# Where one of them is at home.
ALLOWED = {
    # No part of the program: it runs while that is built.
    "analyze/code_index_make.c": {"exit", "fprintf", "printf", "puts"},
    # What the C++ runtime returns comes from malloc().
    "demangle/cpp.c": {"free"},
    "base/mem.c": {"calloc", "free", "malloc", "realloc"},
    "backend/git_log.c": {"execve", "fork"},
    "base/terminal.c": {"execl", "fork"},
    "mcp/server.c": {"fork"},
    # ncurses asks the locale for the character set.
    "tui/screen.c": {"setlocale"},
    "wire/token_command.c": {"execl", "fork"},
}

# Names that are listed in one place, and where else they may stand.
INSTANCE = re.compile(r'"[^"]*\b(k8s\.pod\.name|service\.instance\.id)\b')
LISTED = {"base/instance.h", "model/trace.c"}

LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK|NEEDSWORK|TBD)\b")
CALL = re.compile(r"(?<![\w.>])([a-z_]\w*)\s*\(")


def table():
    return {name: reason for reason, names in BANNED.items()
            for name in names.split()}


def check_file(src, path, banned):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(src).as_posix()
    allowed = ALLOWED.get(name, set())
    for number, line in enumerate(csource.blank(text).split("\n"), 1):
        for function in CALL.findall(line):
            if function in banned and function not in allowed:
                yield f"src/{name}:{number}: {function}() {banned[function]}"
    for number, line in enumerate(text.split("\n"), 1):
        if INSTANCE.search(line) and name not in LISTED:
            yield f"src/{name}:{number}: what names an instance stands in base/instance.h"
    for number, comment in csource.comments(text):
        if LEFTOVER.search(comment):
            yield f"src/{name}:{number}: a note to come back to"
        if comment.startswith("//"):
            yield f"src/{name}:{number}: // comment"


def main():
    src = Path(sys.argv[1]) / "src"
    files = sorted(src.rglob("*.[ch]"))
    banned = table()
    problems = [line for path in files
                for line in check_file(src, path, banned)]
    return csource.report(files, problems)


if __name__ == "__main__":
    sys.exit(main())
