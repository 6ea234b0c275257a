#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev package source` makes the same bytes whoever calls it, where and when.
Output is TAP.

usage: source.py SOURCE_FOLDER
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack  # noqa: E402

LIMIT_S = 100
NEEDED = ["dev", "meson.build", "src/main.c", "testdata/cases/n-plus-one.har.gz"]


def said(folder, *words, **env):
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True, timeout=LIMIT_S,
                          env={"PATH": os.environ["PATH"], "HOME": str(folder.parent), **env}).stdout.strip()


def package(source, folder, settings, **env):
    """The tarball that a clone makes."""
    said(source, "git", "-c", "safe.directory=*", "clone", "-q", "--shared", source, folder,
         GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*")
    for words in settings:
        said(folder, "git", "config", *words)
    return Path(said(folder, "./dev", "package", "source", **env))


def main():
    source, tap = Path(sys.argv[1]).resolve(), Tap()
    if not shutil.which("git") or not (source / ".git").exists():
        tap.skip("a tarball twice", "no clone: git clone" if shutil.which("git") else lack("git"))
        return tap.end()
    with tempfile.TemporaryDirectory(prefix="tracefind-") as place:
        one = package(source, Path(place, "one"), [], TZ="UTC")
        os.umask(0o077)
        another = package(source, Path(place, "another-name"), [("tar.umask", "user"), ("core.abbrev", "9")],
                          TZ="Asia/Kolkata", LC_ALL="C.UTF-8", GZIP="--fast")
        sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, another)]
        tap.equal(sums[1], sums[0], f"{one.name} twice")
        top = one.name.removesuffix(".tar.gz")
        date = int(said(Path(place, "one"), "git", "log", "-1", "--format=%ct"))
        with tarfile.open(one) as tar:
            members = tar.getmembers()
        names = {member.name for member in members}
        tap.equal([name for name in NEEDED if f"{top}/{name}" not in names], [], "what a build needs is in it")
        tap.check(all(name == top or name.startswith(f"{top}/") for name in names), "all lies in one folder")
        tap.equal({member.mtime for member in members}, {date}, "its files bear the date of the commit")
        tap.equal({(member.uid, member.uname) for member in members}, {(0, "root")}, "and no one's name")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
