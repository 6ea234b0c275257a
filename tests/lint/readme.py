#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report in README.md is what the program prints on a terminal.

usage: readme.py SOURCE-FOLDER TRACEFIND [--update]

Runs the command that the block in the README begins with on a terminal of 80
columns and compares. Standard library only.
"""
import difflib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

COMMAND = ["--replay", "testdata/cases/n-plus-one.har.gz"]
BLOCK = re.compile(r"```\n(\$ tracefind --replay testdata/cases/n-plus-one\.har\.gz\n.*?)```\n", re.S)
ROWS, COLUMNS = 50, 80
SKIPPED = 77  # what meson takes for "not run"


def on_terminal(program: Path, folder: Path) -> str:
    """Standard output of the program on a terminal without colours."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        print(f"no terminal to be had here: {error}")
        sys.exit(SKIPPED)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen([program, *COMMAND], cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs,
                               env={"LC_ALL": "C.UTF-8", "TERM": "dumb"})
    os.close(theirs)
    data = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not chunk:
            break
        data += chunk
    os.close(ours)
    if process.wait(60) != 0:
        sys.exit(f"exit status {process.returncode}")
    return data.decode().replace("\r\n", "\n")


def main() -> int:
    """Compare, or rewrite."""
    folder, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    readme = folder / "README.md"
    text = readme.read_text()
    found = BLOCK.search(text)
    if not found:
        print("README.md has no block that begins with $ tracefind --replay testdata/cases/n-plus-one.har.gz")
        return 1
    wanted = f"$ tracefind {' '.join(COMMAND)}\n" + on_terminal(program, folder)
    if "--update" in sys.argv[3:]:
        readme.write_text(text[:found.start(1)] + wanted + text[found.end(1):])
        return 0
    if found.group(1) == wanted:
        return 0
    sys.stdout.writelines(difflib.unified_diff(found.group(1).splitlines(True), wanted.splitlines(True),
                                               "README.md", "the program"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
