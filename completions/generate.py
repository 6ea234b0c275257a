#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a shell's completion of a template and the program's own tables.

usage: generate.py SHELL TEMPLATE OPTIONS_TABLE

SHELL is bash, zsh or fish, OPTIONS_TABLE the program of options_table.c.
@NAME@ in the template is replaced; alone on a line it stands for several,
which are indented as it is. Standard library only.
"""
import re
import sys
import textwrap
from pathlib import Path

from option_table import Table

MADE = "Made when tracefind was built."
# Arguments and values that name files and folders.
FILES = {"TRACE", "FILE", "BEFORE", "AFTER"}
FOLDERS = {"PATHS"}
# Options whose value is a name that the cache may hold.
CACHED = {"service": "services", "blame": "services", "type": "types",
          "context": "contexts"}
# The same of arguments.
NAMED = {"SERVICE": "services"}
# Actions of config that take a key, and the one that takes a context.
KEYED = ("get", "set", "unset")
USED = "use"
# Without a command it repeats a recorded run.
ALONE = "replay"


def short(option):
    """The gist of a help text: no default, list of words or second clause."""
    text = option.text
    words = option.words
    if words and text.startswith(words[0] + ",") and ": " in text:
        text = text.split(": ", 1)[1]
    return re.split(r"; |: | \(", text, maxsplit=1)[0]


def alone(table):
    return table.general() + [o for o in table.options if o.name == ALONE]


def grouped(pairs):
    """(key, member) pairs as key -> members, in the order of the keys."""
    groups = {}
    for key, member in pairs:
        groups.setdefault(key, []).append(member)
    return groups


# ---- bash ----

def bash_words(words):
    return "$'" + "\\n".join(words) + "'" if words else "''"


def bash_case(pattern, names):
    lines = textwrap.wrap(" ".join(names), 70, break_on_hyphens=False,
                          break_long_words=False)
    lines = ["printf '%s\\n' " + lines[0], *lines[1:]]
    text = " \\\n\t\t".join(lines)
    return f"{pattern}) {text} ;;".split("\n")


def bash_options(table):
    lines = bash_case("''", [f"--{o.name}" for o in alone(table)])
    for command in table.commands:
        lines += bash_case(command,
                           [f"--{o.name}" for o in table.of(command)])
    return lines


def bash_formats(table):
    groups = grouped((tuple(c.formats), c.name)
                     for c in table.commands.values() if c.formats)
    return [line for formats, names in groups.items()
            for line in bash_case("|".join(names), formats)]


def bash_letters(table):
    return [f"-{letter}) echo --{name} ;;"
            for letter, name in table.letters.items()]


def bash_values(table):
    def kind(option):
        if option.words:
            return tuple(option.words)
        if option.kind in ("file", "flag"):
            return (option.kind.upper(),)
        return ("FOLDER",) if option.metavar in FOLDERS else None

    groups = grouped((kind(o), f"--{o.name}") for o in table.options
                     if kind(o))
    lines = []
    for words, names in groups.items():
        pattern = "|\\\n".join(textwrap.wrap(
            " ".join(names), 70, break_on_hyphens=False)).replace(" ", "|")
        lines += bash_case(pattern, words)
    return [line for text in lines for line in text.split("\n")]


def bash_cached():
    groups = grouped((what, f"--{name}") for name, what in CACHED.items())
    return [f"{'|'.join(names)}) tracefind completion {what} 2>/dev/null ;;"
            for what, names in groups.items()]


def bash_arguments(table):
    lines = []
    for command in table.commands.values():
        if command.words:
            lines.append(f"{command.name}) [[ $prev == {command.name} ]] && "
                         f"values={bash_words(command.words)}")
            if command.name == "config":
                tests = " || ".join(f"$prev == {name}" for name in KEYED)
                lines.append(f"\t[[ {tests} ]] && values=" +
                             bash_words([o.name for o in table.keys]))
                lines.append(f"\t[[ $prev == {USED} ]] && values="
                             "$(_tracefind_cached --context)")
            lines[-1] += " ;;"
        elif NAMED.keys() & set(command.arguments):
            lines.append(f"{command.name}) values="
                         "$(_tracefind_cached --service) ;;")
        elif not FILES.intersection(command.arguments):
            lines.append(f"{command.name}) values= ;;")
    return lines


def bash(table):
    return {"OPTIONS": bash_options(table), "FORMATS": bash_formats(table),
            "LETTERS": bash_letters(table), "VALUES": bash_values(table),
            "COMMANDS": bash_words(table.commands), "CACHED": bash_cached(),
            "WORDS": bash_arguments(table)}


# ---- zsh ----

def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_message(text):
    return text.strip("'").replace(":", "\\:")


def zsh_action(option, words):
    if option.name == "output":
        return f"_tracefind_output {' '.join(words)}"
    if option.name in CACHED:
        return " ".join(["_tracefind_cached", CACHED[option.name], *words])
    if words:
        return f"({' '.join(words)})"
    if option.kind == "file":
        return "_files"
    return "_files -/" if option.metavar in FOLDERS else ""


def zsh_spec(table, option, command):
    names = [f"-{option.letter}"] if option.letter else []
    names.append(f"--{option.name}")
    tail = "[" + re.sub(r"([][\\])", r"\\\1", short(option)) + "]"
    before = f"({' '.join(names)})" if len(names) > 1 else ""
    if option.kind != "flag":
        names = [n + ("=" if n.startswith("--") else "+") for n in names]
        tail += f":{zsh_message(option.metavar)}:" + zsh_action(
            option, table.words(option, command))
    if option.is_repeatable:
        before = "*"
    if len(names) == 1:
        return zsh_quote(before + names[0] + tail)
    return (zsh_quote(before) + "{" + ",".join(names) + "}" +
            zsh_quote(tail))


def zsh_argument(command, number, name):
    if command.words and number == 1:
        action = f"({' '.join(command.words)})"
    elif command.name == "config":
        action = "_tracefind_key"
    elif name in NAMED:
        action = f"_tracefind_cached {NAMED[name]}"
    else:
        action = "_files" if command.words or name in FILES else ""
    return zsh_quote(f"{number}:{name.lower()}:{action}")


def zsh_options(table):
    lines = []
    for command in table.commands.values():
        lines += [f"{command.name})", "\t_arguments \\"]
        specs = [zsh_spec(table, o, command.name)
                 for o in table.of(command.name)]
        specs += [zsh_argument(command, i, name)
                  for i, name in enumerate(command.arguments, 1)]
        lines += [f"\t\t{spec} \\" for spec in specs[:-1]]
        lines.append(f"\t\t{specs[-1]} ;;")
    return lines


def zsh(table):
    command = next(iter(table.commands))
    return {"COMMANDS": [zsh_quote(f"{c.name}:{c.summary}")
                         for c in table.commands.values()],
            "GENERAL": [zsh_spec(table, o, command) + " \\"
                        for o in alone(table)],
            "KEYED": "|".join(KEYED), "USED": USED,
            "KEYS": " ".join(o.name for o in table.keys),
            "OPTIONS": zsh_options(table)}


# ---- fish ----

def fish_quote(text):
    return "'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


def fish_line(condition, *parts):
    return " ".join(("complete -c tracefind -n", fish_quote(condition),
                     *parts))


def fish_seen(names):
    return "__fish_seen_subcommand_from " + " ".join(names)


def fish_value(option, words):
    if option.kind == "flag":
        return []
    if option.name in CACHED:
        ask = f"(tracefind completion {CACHED[option.name]} 2>/dev/null)"
        return ["-x", "-a", fish_quote(" ".join([*words, ask]))]
    if words:
        return ["-rF" if option.kind == "file" else "-x",
                "-a", fish_quote(" ".join(words))]
    is_path = option.kind == "file" or option.metavar in FOLDERS
    return ["-rF"] if is_path else ["-x"]


def fish_options(table):
    lines = []
    for option in table.options:
        groups = grouped((tuple(table.words(option, c)), c)
                         for c in option.commands)
        for words, names in groups.items():
            parts = ["-s", option.letter] if option.letter else []
            parts += ["-l", option.name, *fish_value(option, words),
                      "-d", fish_quote(short(option))]
            lines.append(fish_line(fish_seen(names), *parts))
    return lines


def fish_arguments(table):
    lines = [fish_line(fish_seen([c.name]), "-F")
             for c in table.commands.values()
             if FILES.intersection(c.arguments)]
    return lines + [fish_line(fish_seen([c.name]), "-a",
                              fish_quote(" ".join(c.words)))
                    for c in table.commands.values() if c.words] + [
        fish_line(fish_seen([c.name]), "-a", fish_quote(
            f"(tracefind completion {NAMED[name]} 2>/dev/null)"))
        for c in table.commands.values()
        for name in c.arguments if name in NAMED] + [
        fish_line(f"{fish_seen(['config'])}; and {fish_seen([USED])}", "-a",
                  fish_quote("(tracefind completion contexts 2>/dev/null)")),
        fish_line(f"{fish_seen(['config'])}; and {fish_seen(KEYED)}", "-a",
                  fish_quote(" ".join(o.name for o in table.keys)))]


def fish(table):
    none = "not " + fish_seen(table.commands)
    lines = [fish_line(none, "-a", c.name, "-d", fish_quote(c.summary))
             for c in table.commands.values()]
    lines += [fish_line(none, "-l", o.name, *fish_value(o, o.words), "-d",
                        fish_quote(short(o))) for o in alone(table)]
    return {"COMMANDS": lines, "WORDS": fish_arguments(table),
            "OPTIONS": fish_options(table)}


def fill(template, parts):
    """Every part must be used, and nothing else asked for."""
    used = set()

    def block(match):
        used.add(match.group(2))
        return "\n".join(match.group(1) + line
                         for line in parts[match.group(2)])

    def word(match):
        used.add(match.group(1))
        return parts[match.group(1)]

    text = re.sub(r"^(\t*)@([A-Z]+)@$", block, template, flags=re.M)
    text = re.sub(r"@([A-Z]+)@", word, text)
    if used != set(parts):
        raise ValueError(f"not in the template: {set(parts) - used}")
    return text


def complete(shell, template, program):
    parts = {"bash": bash, "zsh": zsh, "fish": fish}[shell](Table(program))
    parts["MADE"] = MADE
    return fill(Path(template).read_text(encoding="utf-8"), parts)


def main():
    shell, template, program = sys.argv[1:]
    sys.stdout.write(complete(shell, template, program))


if __name__ == "__main__":
    main()
