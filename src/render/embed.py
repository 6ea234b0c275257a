#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a text file as a C array: embed.py NAME < FILE > SOURCE.

String literals of that length are not portable.
"""
import sys

data = sys.stdin.buffer.read()
if b"]]>" in data or b"\0" in data:
    sys.exit("embed.py: the text would end its CDATA section")
print("/* Made by embed.py. */")
print('#include "render/svg.h"\n')
print(f"const char {sys.argv[1]}[] = {{")
for at in range(0, len(data), 16):
    print("\t" + " ".join(f"{byte if byte < 128 else byte - 256}," for byte in data[at:at + 16]))
print("\t0\n};")
