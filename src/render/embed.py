#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes text files, one after another, as a C array.

usage: embed.py NAME FILE... > SOURCE

Of a page's ("html_...") what only a reader of the source needs is left out:
indentation, and lines that are a comment.

Of pages (html_NAME), which have many, comments that fill lines, indentation and
empty lines are left out: none of these texts has literals over several lines. String literals of that length are
not portable. A line @import "FILE"; stands
for what is in it, a file of the same folder. NAME_hash is the source
expression by which a content security policy lets in an element that holds
just this text.
"""
import base64
import hashlib
import re
import sys
from pathlib import Path


def read(path):
    return re.sub(rb'^@import "([^"]*)";\n',
                  lambda m: (path.parent / m[1].decode()).read_bytes(),
                  path.read_bytes(), flags=re.MULTILINE)


def strip(text):
    return re.sub(rb"^[ \t]*//.*\n|^[ \t]+", b"", text, flags=re.MULTILINE)


def pack(text):
    text = re.sub(rb"^[ \t]*//.*\n", b"", text, flags=re.MULTILINE)
    text = re.sub(rb"^[ \t]*/\*.*?\*/[ \t]*\n", b"", text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(rb"^\s+", b"", text, flags=re.MULTILINE)


name = sys.argv[1]
data = b"".join(read(Path(path)) for path in sys.argv[2:])
if name.startswith("html_"):
    data = pack(data)
    if b"`" in data:
        sys.exit(f"embed.py: {name}: may be a literal over several lines")
if name.startswith("html_"):
    data = strip(data)
# What would end the element or its CDATA section, or change what it is; and
# what a reader of HTML replaces, so that the hash would be of another text.
if re.search(rb"\]\]>|\0|\r|<!--|</(script|style)", data, re.IGNORECASE):
    sys.exit(f"embed.py: {name} cannot stand in an element")
digest = base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")
print("/* Made by embed.py. */")
print(f"extern const char {name}[], {name}_hash[];")
print(f'const char {name}_hash[] = "\'sha256-{digest}\'";')
print(f"const char {name}[] = {{")
for at in range(0, len(data), 16):
    print("\t" + " ".join(f"{byte if byte < 128 else byte - 256}," for byte in data[at:at + 16]))
print("\t0\n};")
