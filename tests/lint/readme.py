#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md and the pages of docs/ show of a run is what the program prints
on a terminal.

usage: readme.py SOURCE-FOLDER TRACEFIND [--update]
       readme.py SOURCE-FOLDER TRACEFIND google [--update]
       readme.py SOURCE-FOLDER TRACEFIND recipe [--update]

Runs the commands that blocks begin with ("$ tracefind ...") and that need no
server, on a terminal of 80 columns, and compares; a last line "..." stands for the
rest. Those of the manual of Google Cloud ask the scripted Google, which
plays the recipe's project. Before each block of the walk through the recipe stands
a comment with the case that has its answers, and the exit status where it is
neither 0 nor 10. Standard library only.
"""
import difflib
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

BLOCK = re.compile(r"```\n\$ tracefind ([^\n]*testdata/[^\n]*)\n(.*?)```\n", re.S)
REST = "...\n"
GATE_BROKE = 10
HAVE_THEIR_OWN = ("assistants.md", "google-cloud.md", "recipe.md")  # the former tests/mcp
GOOGLE_BLOCK = re.compile(r"```\n(\$ tracefind (.*?(?:\\\n.*?)*)\n.*?)```\n", re.S)
RECIPE_BLOCK = re.compile(
    r"<!-- (testdata/cases/recipe-\S+)(?: status (\d+))? -->\n```\n\$ tracefind (.*?(?:\\\n.*?)*)\n.*?```\n", re.S)
PROJECT = "gcp://shop-prod"
GOOGLE_NOW = "2026-11-21T11:30:00Z"
ROWS, COLUMNS = 50, 80
SKIPPED = 77  # what meson takes for "not run"


def on_terminal(program: Path, folder: Path, words: list, env: dict, status: int = 0) -> str:
    """Standard output of the program on a terminal without colours."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        print(f"# SKIP no terminal to be had here: {error}: mount /dev/pts")
        sys.exit(SKIPPED)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs,
                               env={"LC_ALL": "C.UTF-8", "TERM": "dumb", **env})
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
    if process.wait(60) not in (status, GATE_BROKE):
        sys.exit(f"{shlex.join(map(str, words))}: exit status {process.returncode}")
    return data.decode().replace("\r\n", "\n")


class Google:
    """The scripted Google with the recipe's project, and what a run needs to reach it instead of the real one."""

    def __init__(self, folder: Path, home: str) -> None:
        server = folder / "tests" / "server" / "google.py"
        self.process = subprocess.Popen(
            [sys.executable, server, "--root", folder / "testdata", "--data", folder / "testdata/google/recipe"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"gcp+http://127.0.0.1:{self.process.stdout.readline().strip()}/projects/shop-prod"
        token = Path(home, "token")
        token.write_text("any\n")
        token.chmod(0o600)
        self.env = {"HOME": home, "TZ": "UTC", "TRACEFIND_NOW": GOOGLE_NOW, "TRACEFIND_TOKEN_FILE": str(token)}

    def shown(self, program: Path, folder: Path, command: str) -> str:
        """What the program prints, as if the project's address had been the one in the manual."""
        words = shlex.split(command.replace("\\\n", " ").replace(PROJECT, self.url))
        return on_terminal(program, folder, words, self.env).replace(self.url, PROJECT)

    def close(self) -> None:
        """Ends the server."""
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def google_text(text: str, program: Path, folder: Path) -> str:
    """The manual with its blocks made anew."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as home:
        google = Google(folder, home)
        try:
            return GOOGLE_BLOCK.sub(lambda block: f"```\n$ tracefind {block.group(2)}\n" + google.shown(
                program, folder, block.group(2)) + "```\n", text)
        finally:
            google.close()


def recipe_text(text: str, program: Path, folder: Path) -> str:
    """The walk through the recipe with its blocks made anew."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as home:
        def made(block: re.Match) -> str:
            case, status, words = block.groups()
            # What it writes is not kept.
            written = [str(Path(home, w)) if w.endswith(".otlp") else w for w in shlex.split(words.replace("\\\n", " "))]
            out = on_terminal(program, folder, [*written, "--replay", case], {"TZ": "UTC", "HOME": home},
                              int(status or 0))
            for ours in (home + "/", f" --replay {case}", f"--replay={case}"):
                out = out.replace(ours, "")
            return block.group(0).split("$ tracefind ")[0] + f"$ tracefind {words}\n{out}```\n"

        return RECIPE_BLOCK.sub(made, text)


def with_output(page: Path, program: Path, folder: Path) -> str:
    """A page with the blocks of its runs made anew."""
    def block(match) -> str:
        words, shown = match.groups()
        lines = on_terminal(program, folder, shlex.split(words), {"PAGER": ""}).splitlines(True)
        if shown.endswith(REST):
            lines[shown.count("\n") - 1:] = [REST]
        return f"```\n$ tracefind {words}\n{''.join(lines)}```\n"

    return BLOCK.sub(block, page.read_text())


def check(page: Path, wanted: str, has_to_write: bool) -> int:
    """The exit status; writes the page instead if it has to."""
    text = page.read_text()
    if has_to_write:
        page.write_text(wanted)
    elif text != wanted:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), wanted.splitlines(True),
                                                   page.name, "the program"))
        return 1
    return 0


def main() -> int:
    """Compare, or rewrite."""
    folder, program = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    has_to_write = "--update" in sys.argv[3:]
    if "google" in sys.argv[3:]:
        page = folder / "docs/google-cloud.md"
        return check(page, google_text(page.read_text(), program, folder), has_to_write)
    if "recipe" in sys.argv[3:]:
        page = folder / "docs/recipe.md"
        return check(page, recipe_text(page.read_text(), program, folder), has_to_write)
    pages = [page for page in (folder / "README.md", *sorted((folder / "docs").glob("*.md")))
             if page.name not in HAVE_THEIR_OWN and BLOCK.search(page.read_text())]
    if folder / "README.md" not in pages:
        print("README.md has no block of a run")
        return 1
    return max([check(page, with_output(page, program, folder), has_to_write) for page in pages])


if __name__ == "__main__":
    sys.exit(main())
