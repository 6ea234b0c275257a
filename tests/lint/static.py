#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What packaging/static.sh says before it builds anything: its pins are complete, and
sources that are not there or not the pinned ones are refused. Asks no network.

usage: static.py SOURCE_ROOT
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def pins(text):
    block = re.search(r"^pins='\n(.*?)^'$", text, re.M | re.S)
    return [line.split() for line in block[1].splitlines()] if block else []


def check_pin(pin, text):
    if len(pin) != 4:
        return f"{' '.join(pin)}: not four words"
    name, version, digest, address = pin
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        return f"{name}: no SHA-256"
    if not address.startswith("https://") or version not in address:
        return f"{name}: {address} is not of version {version}"
    if f"\nbuild_{name.replace('-', '_')}()\n" not in text:
        return f"{name}: is not built"
    return None


def said(script, sources, work):
    """What it says of a folder of sources. As a compiler, any program will do."""
    done = subprocess.run(
        ["sh", script, "nothing.tar.gz", str(work), str(work / "made")],
        env={**os.environ, "SOURCES": str(sources), "MUSL_CC": "sh"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def check_refusals(script, first):
    name, version, digest, address = first
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "none").mkdir()
        (at / "other").mkdir()
        (at / "other" / f"{name}-{version}.tar.gz").write_bytes(b"not what is pinned")
        for sources in ("none", "other"):
            status, text = said(script, at / sources, at / "work")
            if re.match("no .*: apt-get install ", text):
                yield None  # nothing to build with
            elif status != 1 or not all(word in text for word in (name, version, digest, address)):
                yield f"{sources}: status {status}: {text}"
            elif (at / "work" / "made").exists():
                yield f"{sources}: something is made"


def main():
    script = Path(sys.argv[1]) / "packaging" / "static.sh"
    text = script.read_text(encoding="utf-8")
    found = pins(text)
    problems = [check_pin(pin, text) for pin in found]
    if found and not any(problems):
        problems += check_refusals(script, found[0])
    problems = [problem for problem in problems if problem]
    for problem in problems:
        print(problem)
    print(f"{len(found)} pins, {len(problems)} problems")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
