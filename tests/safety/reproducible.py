#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds twice, in folders of different names, and compares what is installed.

usage: reproducible.py [MESON OPTION...]

Both with debugging information and as releases are built. The sources are those
that git knows, and those that it would be told of. Output is TAP.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE)]
import figures  # noqa: E402

KINDS = {
    "with debugging information": [],
    "a release": ["-Dbuildtype=release", "-Db_lto=true"],
}
FOLDERS = ("one", "another-with-a-longer-name/below")
# Of zone, language, umask and day nothing may get into a file.
SURROUNDINGS = ({"TZ": "UTC", "LC_ALL": "C"},
                {"TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8"})


def sources():
    names = subprocess.run(["git", "ls-files", "-coz",
                            "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout
    return [name for name in names.split("\0") if name and
            not name.startswith(("testdata/", "tests/", "bench/"))]


def build(folder, options, env):
    """{installed file: its hash}"""
    for name in sources():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    env = {**os.environ, **env, "CCACHE_DISABLE": "1",
           "SOURCE_DATE_EPOCH": "0",  # the day that pages of the manual bear
           "DESTDIR": str(folder / "installed")}
    for words in (["meson", "setup", "build", "--prefix=/usr",
                   "-Dtests=disabled", *options],
                  ["ninja", "-C", "build"],
                  ["meson", "install", "-C", "build", "--no-rebuild"]):
        subprocess.run(words, cwd=folder, env=env, check=True,
                       stdout=subprocess.DEVNULL)
    installed = folder / "installed"
    return {str(path.relative_to(installed)):
            hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(installed.rglob("*")) if path.is_file()}


def differing(options):
    with tempfile.TemporaryDirectory(prefix="tracefind-") as place:
        one, another = (build(Path(place, name), options, env)
                        for name, env in zip(FOLDERS, SURROUNDINGS))
    return len(one), [name for name in sorted(one.keys() | another.keys())
                      if one.get(name) != another.get(name)]


def main():
    failed = files = 0
    print(f"1..{len(KINDS)}", flush=True)
    for number, (name, options) in enumerate(KINDS.items(), 1):
        count, bad = differing([*options, *sys.argv[1:]])
        files += count
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {name}, {count} files",
              flush=True)
        for path in bad:
            print(f"#   {path} differs")
    figures.record("reproducible", len(KINDS), failed, files=files)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
