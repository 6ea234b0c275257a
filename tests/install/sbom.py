#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of this build names what --version names, is the same each
time, and is whole by itself. Output is TAP.

usage: sbom.py SBOM_SCRIPT BUILD_FOLDER TRACEFIND
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def main():
    script, build, program = sys.argv[1:]
    tap, text = Tap(), said(sys.executable, "-B", script, build, "0")
    bill, version = json.loads(text), said(program, "--version")
    told = dict(re.findall(r"^  (\S+) ([0-9][^,\n]*)", version, re.M))
    told["tracefind"] = version.split()[1]
    tap.equal({p["name"]: p["versionInfo"] for p in bill["packages"]}, told, "the libraries of --version")
    ids = [p["SPDXID"] for p in bill["packages"]]
    ends = {r[key] for r in bill["relationships"] for key in ("spdxElementId", "relatedSpdxElement")}
    tap.equal(ends - {"SPDXRef-DOCUMENT"}, set(ids), "each of them related, and nothing else")
    tap.equal(len(ids), len(set(ids)), "each of them once")
    tap.check(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in ids), "ids as SPDX wants them")
    late = {r["spdxElementId"][8:] for r in bill["relationships"] if r["relationshipType"] == "OPTIONAL_DEPENDENCY_OF"}
    tap.equal(late, set(re.findall(r"^  (\S+) .*, loaded when needed$", version, re.M)), "those loaded when needed")
    tap.check(said(sys.executable, "-B", script, build, "0") == text, "the same again")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
