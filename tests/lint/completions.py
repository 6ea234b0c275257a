#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks the completions that were made for bash, zsh and fish.

usage: completions.py OPTIONS_TABLE TRACEFIND BASH ZSH FISH

bash is asked as its readline would; fish answers by itself, zsh reads the file
for errors: those two when they are installed. Output is TAP.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from option_table import Table  # noqa: E402
from tap import Tap, lack  # noqa: E402

# Words after the program's name, the last being typed, and what to offer;
# "=" is a word of its own there. None: the files of the folder.
BASH_CASES = (
    (("conf",), ["config"]),
    (("--rep",), ["--replay"]),
    (("--replay", ""), None),
    (("--replay", "a.har", "sh"), ["show"]),
    (("--quiet", "sh"), ["show"]),
    (("slow", ""), None),
    (("slow", "--baseline-s"), ["--baseline-selector"]),
    (("show", "--baseline-s"), []),
    (("show", "--profiles-tok"), ["--profiles-token-file"]),
    (("slow", "--by", "s"), ["self"]),
    (("slow", "--by", "=", "s"), ["self"]),
    (("slow", "--service", ""), ["cart", "user-db"]),
    (("slow", "--quiet", ""), None),
    (("profile", "-q", ""), None),
    (("search", "-q", ""), []),
    (("search", "--query", ""), []),
    (("search", "-n", ""), []),
    (("search", "-o", ""), ["table", "json", "brief", "csv", "markdown", "id",
                               "openmetrics"]),
    (("types", "-o", ""), ["table", "json", "brief"]),
    (("show", "--output", "=", ""),
     ["table", "json", "brief", "markdown", "chat", "chrome", "otlp", "svg",
      "html"]),
    (("show", "-o", "json", "=", ""), None),
    (("show", "--output", "=", "json", "=", ""), None),
    (("profile", "--source-path", ""), ["folder"]),
    (("slow", "--token-file", ""), None),
    (("slow", "--profiles-cacert", "=", "a"), ["a b.json", "a.har"]),
    (("services", ""), []),
    (("config", "im"), ["import"]),
    (("config", "import", "grafana", ""), None),
    (("config", "--context", "prod", "--or"), ["--origin"]),
    (("help", "sear"), ["search"]),
    (("completion", "f"), ["fish"]),
    (("config", "set", "traces-u"), ["traces-url", "traces-username"]),
    (("config", "get", "tim"), ["timeout"]),
    (("slow", "--service", "user"), ["user-db"]),
    (("show", "--blame", "=", "c"), ["cart"]),
    (("profile", "--type", "m"),
     ["mutex", "memory:alloc_space:bytes:space:bytes"]),
    (("config", "use", ""), ["laptop", "prod"]),
    (("config", "--context", "pr"), ["prod"]),
    (("slow", "--context", "l"), ["laptop"]),
    (("config", "unset", "traces-u"), ["traces-url", "traces-username"]),
    (("dash", "c"), ["cart"]),
    (("alert", "-o", "prometheus", ""), ["cart", "user-db"]),
    (("leak", ""), None),
    (("slow", "-o", "a"), ["a b.json", "a.har"]),
)
FILES = ["a b.json", "a.har", "folder"]

# The scripts ask the program for names.
BASH = """
source "$1"; shift
tracefind() {
	case $* in
	'completion services') printf '%s\\n' cart user-db ;;
	'completion contexts') printf '%s\\n' laptop prod ;;
	'completion types') echo memory:alloc_space:bytes:space:bytes ;;
	*) echo "unexpected: $*" ;;
	esac
}
COMP_WORDS=(tracefind "$@")
COMP_CWORD=$#
_tracefind
printf '%s\\n' "${COMPREPLY[@]}"
"""

# What must be offered: the line as typed so far.
FISH_CASES = (
    ("tracefind conf", ["config"]),
    ("tracefind slow --by s", ["self"]),
    ("tracefind types -o ", ["brief", "json", "table"]),
    ("tracefind search -o ",
     ["brief", "csv", "id", "json", "markdown", "openmetrics", "table"]),
    ("tracefind config im", ["import"]),
    ("tracefind show a", ["a b.json", "a.har"]),
    ("tracefind services a", []),
)


class Names(Tap):
    def same(self, name, found, wanted):
        self.equal(sorted(found), sorted(wanted), name)


def lines_of(args, folder):
    done = subprocess.run(args, cwd=folder, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT)
    return [line for line in done.stdout.split("\n") if line]


def ask_bash(path, words, folder):
    return lines_of(["bash", "--norc", "-c", BASH, "bash", path, *words],
                    folder)


def check_bash(table, path, folder, tap):
    for words, wanted in BASH_CASES:
        tap.same("bash: " + " ".join(words), ask_bash(path, words, folder),
                 FILES if wanted is None else wanted)
    tap.same("bash: commands", ask_bash(path, [""], folder), table.commands)
    for command in table.commands:
        found = ask_bash(path, [command, "--"], folder)
        tap.same(f"bash: {command}", found,
                 [f"--{o.name}" for o in table.of(command)])
    for option in table.options:
        if option.words:
            found = ask_bash(path, [option.commands[0], f"--{option.name}",
                                    ""], folder)
            cached = ["memory:alloc_space:bytes:space:bytes"] if (
                option.name == "type") else []
            tap.same(f"bash: --{option.name}", found, option.words + cached)


def check_zsh(table, path, folder, tap):
    """Which options a command gets is read, not asked."""
    text = Path(path).read_text(encoding="utf-8")
    for command in table.commands:
        part = re.search(rf"^\t+{command}\)\n(.*?);;", text, re.M | re.S)
        found = re.findall(r"^[^-\n]*(?:-\w\W*)?--([a-z-]+)", part.group(1),
                           re.M)
        tap.same(f"zsh: {command}", found,
                 [o.name for o in table.of(command)])
    tap.check(f"'1:command:({' '.join([*table.commands, 'options'])})'" in text,
              "zsh: commands after help")
    if shutil.which("zsh"):
        tap.same("zsh: syntax", lines_of(["zsh", "-n", path], folder), [])
    else:
        tap.skip("zsh: syntax", lack("zsh"))


def ask_fish(path, line, folder):
    script = "source $argv[1]; complete -C $argv[2]"
    found = lines_of(["fish", "--no-config", "-c", script, path, line],
                     folder)
    return [f.split("\t")[0].replace("\\ ", " ") for f in found]


def check_fish(table, path, folder, tap):
    if not shutil.which("fish"):
        tap.skip("fish", lack("fish"))
        return
    for line, wanted in FISH_CASES:
        tap.same(f"fish: {line}", ask_fish(path, line, folder), wanted)
    for command in table.commands:
        tap.same(f"fish: {command}",
                 ask_fish(path, f"tracefind {command} --", folder),
                 [f"--{o.name}" for o in table.of(command)])


def main():
    table = Table(sys.argv[1])
    program, *paths = [str(Path(p).resolve()) for p in sys.argv[2:]]
    tap = Names()
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES[:2]:
            Path(folder, name).touch()
        Path(folder, FILES[2]).mkdir()
        check_bash(table, paths[0], folder, tap)
        check_zsh(table, paths[1], folder, tap)
        check_fish(table, paths[2], folder, tap)
    for shell, path in zip(("bash", "zsh", "fish"), paths):
        printed = subprocess.run([program, "completion", shell], check=True,
                                 stdout=subprocess.PIPE).stdout
        tap.equal(printed, Path(path).read_bytes(), f"completion {shell}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
