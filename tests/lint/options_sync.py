#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the option table with everything that repeats it: the help texts,
the man page, and the completions of bash, zsh and fish.

usage: options_sync.py SOURCE_ROOT OPTIONS_TABLE [TRACEFIND]

OPTIONS_TABLE is the program that prints the table (options_table.c).
"""
import re
import subprocess
import sys
from pathlib import Path

SIDES = ("", "traces-", "profiles-")


class Option:
    def __init__(self, name, letter, kind, metavar, commands, words, flags,
                 text):
        self.name = name
        self.letter = letter
        self.kind = kind
        self.metavar = metavar
        self.commands = set(commands.split(",")) - {""}
        self.words = words.split(",") if words else []
        self.is_sided = "s" in flags
        self.is_environment = "e" in flags
        self.is_config = "c" in flags
        self.is_repository = "p" in flags
        self.text = text

    def is_side_form(self):
        return self.is_sided and self.name.startswith(SIDES[1:])


class Table:
    def __init__(self, text):
        rows = [line.split("\t") for line in text.splitlines()]
        self.commands = {r[1]: r[2] for r in rows if r[0] == "command"}
        forms = [Option(*r[1:]) for r in rows if r[0] == "option"]
        # Some are keys of the configuration only.
        self.keys = [o for o in forms if o.is_config]
        self.options = [o for o in forms if o.commands]
        self.formats = [r[1] for r in rows if r[0] == "format"]
        self.exits = {int(r[1]) for r in rows if r[0] == "exit"}

    def of(self, command):
        """Names of all forms that a command takes."""
        return {o.name for o in self.options if command in o.commands}

    def words(self, option):
        return self.formats if option.name == "output" else option.words


class Report:
    def __init__(self):
        self.problems = 0
        self.checks = 0

    def same(self, where, found, wanted):
        self.checks += 1
        for item in sorted(set(wanted) - set(found)):
            self.say(f"{where}: {item} is missing")
        for item in sorted(set(found) - set(wanted)):
            self.say(f"{where}: {item} is not in the table")

    def say(self, text):
        self.problems += 1
        print(text)


def run(args, **kwargs):
    return subprocess.run(args, stdout=subprocess.PIPE, check=True,
                          text=True, **kwargs).stdout


def usage(option, owners=None):
    """Of options with the same letter it means the first."""
    same = [o for o in owners or [option] if o.letter == option.letter]
    letter = f"-{option.letter}, " if option.letter and same[0] is option else ""
    metavar = f" {option.metavar}" if option.metavar else ""
    return f"{letter}--{option.name}{metavar}"


def check_help(table, binary, report):
    for command in table.commands:
        text = run([binary, "help", command])
        found = re.findall(r"^  (?:-\w, |    )--.*?(?=(?: \*)?(?:  |$))",
                           text, re.M)
        own = [o for o in table.options
               if command in o.commands and not o.is_side_form()]
        wanted = [usage(o, own) for o in own]
        report.same(f"help {command}", [f.strip() for f in found], wanted)
        wide = [line for line in text.splitlines() if len(line) > 79]
        report.same(f"help {command}, lines over 79 columns", wide, [])
    listed = re.findall(r"^  (\w+) +\S", run([binary, "help"]), re.M)
    report.same("help", [w for w in listed if w != "tracefind"],
                table.commands)


def section(text, title):
    match = re.search(rf"^# {title}\n(.*?)(?=^# |\Z)", text, re.M | re.S)
    return match.group(1) if match else ""


def plain(line):
    """scdoc's emphasis and escapes removed."""
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)[*_]", "", line))


def variables(table, of_sides):
    return {o.name.upper().replace("-", "_") for o in table.options
            if o.is_environment and o.is_side_form() == of_sides}


def check_man(table, path, report):
    text = path.read_text(encoding="utf-8")
    found = [plain(line) for line in
             re.findall(r"^\*-.*$", section(text, "OPTIONS"), re.M)]
    wanted = [usage(o) for o in table.options if not o.is_side_form()]
    report.same("man page, options", found, wanted)
    found = re.findall(r"^## tracefind (\w+)", section(text, "COMMANDS"),
                       re.M)
    report.same("man page, commands", found, table.commands)
    found = re.findall(r"^\*(\d+)\*$", section(text, "EXIT STATUS"), re.M)
    report.same("man page, exit status", map(int, found), table.exits)
    environment = plain(section(text, "ENVIRONMENT"))
    found = set(re.findall(r"TRACEFIND_([A-Z_]+)", environment))
    report.same("man page, environment",
                found - {"TOKEN", "PASSWORD", "PAGER"} -
                variables(table, True),
                variables(table, False))


def keys(text, title):
    """Names set in bold at the start of a line, as far as a comma goes."""
    lines = re.findall(r"^\*.*$", section(text, title), re.M)
    return [name.rstrip("*") for line in lines
            for name in plain(line).split(", ")]


def check_config_man(table, path, report):
    text = path.read_text(encoding="utf-8").replace("*\\*", "*")
    report.same("configuration, keys", keys(text, "KEYS"),
                ["current-context"] + [o.name for o in table.keys
                                       if not o.is_side_form()])
    report.same("configuration, keys of a repository",
                keys(text, "IN A REPOSITORY"),
                [o.name for o in table.options
                 if o.is_repository and not o.is_side_form()])
    starred = re.findall(r"([a-z-]+)\*\\\*", path.read_text(encoding="utf-8"))
    report.same("configuration, keys with forms for a side", starred,
                [o.name for o in table.keys
                 if o.is_sided and not o.is_side_form()])


BASH = """
source "$1"
for command in $2; do
	COMP_WORDS=(tracefind $command --) COMP_CWORD=2
	_tracefind
	for reply in "${COMPREPLY[@]}"; do echo "$command $reply"; done
done
for option in $3; do
	COMP_WORDS=(tracefind slow $option '') COMP_CWORD=3
	_tracefind
	for reply in "${COMPREPLY[@]}"; do echo "$option $reply"; done
	COMP_WORDS=(tracefind slow $option = '') COMP_CWORD=4
	_tracefind
	for reply in "${COMPREPLY[@]}"; do echo "$option= $reply"; done
done
COMP_WORDS=(tracefind '') COMP_CWORD=1
_tracefind
echo "commands ${COMPREPLY[*]}"
"""


def check_bash(table, path, report):
    """Asks the completion itself."""
    worded = [o for o in table.options if table.words(o)]
    text = run(["bash", "--norc", "-c", BASH, "bash", str(path),
                " ".join(table.commands),
                " ".join(f"--{o.name}" for o in worded)])
    pairs = [line.split(" ", 1) for line in text.splitlines()]
    for command in table.commands:
        report.same(f"bash, {command}",
                    [b[2:] for a, b in pairs if a == command],
                    table.of(command))
    for option in worded:
        for end in ("", "="):
            report.same(f"bash, --{option.name}{end}",
                        [b for a, b in pairs
                         if a == f"--{option.name}{end}"],
                        table.words(option))
    report.same("bash, commands",
                [b for a, b in pairs if a == "commands"][0].split(),
                table.commands)


def check_zsh(table, path, report):
    """Reads the arrays, and which of them a command gets."""
    text = path.read_text(encoding="utf-8")
    arrays = {}
    for name, body in re.findall(r"(?:local -a )?(\w+)\+?=\(\n(.*?)^\t+\)",
                                 text, re.M | re.S):
        arrays[name] = arrays.get(name, "") + body
    words = {}
    options = {}
    for name, body in arrays.items():
        options[name] = set()
        for line in body.splitlines():
            match = re.search(r"--(\$\{side\})?([a-z][a-z-]*)", line)
            if not match:
                continue
            for side in SIDES if match.group(1) else SIDES[:1]:
                options[name].add(side + match.group(2))
            values = re.search(r":\(([^()]*)\)'$", line)
            if values:
                words[match.group(2)] = values.group(1).split()
    case = text[text.index("case $line[1] in"):]
    for command in table.commands:
        match = re.search(rf"^\t+{command}\)(.*?);;", case, re.M | re.S)
        used = re.findall(r"\$(\w+)", match.group(1)) if match else []
        found = set().union(*(options[name] for name in used))
        report.same(f"zsh, {command}", found, table.of(command))
    report.same("zsh, commands",
                re.findall(r"^\t\t'(\w+):", arrays["commands"], re.M),
                table.commands)
    for option in table.options:
        if table.words(option) or option.name in words:
            report.same(f"zsh, --{option.name}", words.get(option.name, []),
                        table.words(option))


def check_fish(table, path, report):
    """Reads the lines with their conditions."""
    text = path.read_text(encoding="utf-8")
    conditions = dict(re.findall(
        r"^set -l (\w+) '__fish_seen_subcommand_from ([\w ]+)'", text, re.M))
    found = {command: set() for command in table.commands}
    words = {}
    for line in re.findall(r"^\s*complete .*$", text, re.M):
        name = re.search(r' -l (\$side)?"?([a-z][a-z-]*)', line)
        condition = re.search(r"-n \$(\w+)", line)
        if not name or (condition and condition.group(1) == "none"):
            continue
        commands = (conditions[condition.group(1)].split() if condition
                    else table.commands)
        for side in SIDES if name.group(1) else SIDES[:1]:
            for command in commands:
                found[command].add(side + name.group(2))
        values = re.search(r" -a '([^']*)'", line)
        if values:
            words[name.group(2)] = values.group(1).split()
    for command in table.commands:
        report.same(f"fish, {command}", found[command], table.of(command))
    report.same("fish, commands",
                re.findall(r"-n \$none -a (\w+)", text), table.commands)
    for option in table.options:
        if table.words(option) or option.name in words:
            report.same(f"fish, --{option.name}",
                        words.get(option.name, []), table.words(option))


def check_texts(table, report):
    """Words that a help text lists must be the words there are."""
    for option in table.options:
        for word in table.words(option):
            if word not in option.text:
                report.say(f"help of --{option.name}: {word} is missing")
        report.checks += 1


def main():
    root = Path(sys.argv[1])
    table = Table(run([sys.argv[2]]))
    report = Report()
    check_texts(table, report)
    if len(sys.argv) > 3:
        check_help(table, sys.argv[3], report)
    check_man(table, root / "man/tracefind.1.scd", report)
    check_config_man(table, root / "man/tracefind-config.5.scd", report)
    check_bash(table, root / "completions/tracefind.bash", report)
    check_zsh(table, root / "completions/_tracefind", report)
    check_fish(table, root / "completions/tracefind.fish", report)
    print(f"{report.checks} comparisons, {report.problems} problems")
    return 1 if report.problems or not table.options else 0


if __name__ == "__main__":
    sys.exit(main())
