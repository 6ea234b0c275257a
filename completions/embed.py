#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the completions of all shells as a table in C.

usage: embed.py OPTIONS_TABLE BASH_TEMPLATE ZSH_TEMPLATE FISH_TEMPLATE

The arguments are those of generate.py. Standard library only.
"""
import sys

from generate import complete

SHELLS = ("bash", "zsh", "fish")


def numbers(text):
    data = text.encode()
    return "\n".join("\t" + " ".join(f"{byte}," for byte in data[i:i + 20])
                     for i in range(0, len(data), 20))


def main():
    program, *templates = sys.argv[1:]
    rows = []
    print("/* Made by completions/embed.py. */\n"
          '#include "cli/commands.h"\n')
    for shell, template in zip(SHELLS, templates, strict=True):
        print(f"static const char {shell}[] = {{\n"
              f"{numbers(complete(shell, template, program))}\n}};\n")
        rows.append(f'\t{{ "{shell}", {shell}, sizeof {shell} }},')
    print("const struct completion_script completion_scripts[] = {")
    print("\n".join(rows))
    print("\t{ 0, 0, 0 },\n};")


if __name__ == "__main__":
    main()
