# SPDX-License-Identifier: Apache-2.0
"""Finds the programs that are measured beside ours, or builds them."""
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

BUILD_S = 900
FLAMEGRAPH = "https://github.com/brendangregg/FlameGraph"


def build_pprof(folder):
    return ["go", "install", "github.com/google/pprof@latest"], \
        {"GOBIN": str(folder)}


def build_inferno(folder):
    return ["cargo", "install", "--quiet", "inferno", "--root",
            str(folder)], {}


def build_flamegraph(folder):
    return ["git", "clone", "--quiet", "--depth", "1", FLAMEGRAPH,
            str(folder / "FlameGraph")], {}


BUILDERS = {"pprof": build_pprof, "inferno-flamegraph": build_inferno,
            "flamegraph.pl": build_flamegraph}


def said(*args):
    """What a program says about itself, or nothing."""
    try:
        done = subprocess.run(args, capture_output=True, text=True,
                              timeout=60, check=False)
    except OSError:
        return ""
    return (done.stdout + done.stderr).strip()


def found(pattern, text, otherwise="unknown version"):
    match = re.search(pattern, text)
    return match.group(1) if match else otherwise


class Peers:
    """folders: looked through before PATH; cache: where peers are built, when
    may_build."""

    def __init__(self, folders, cache, may_build):
        self.cache = Path(cache)
        self.folders = [Path(f) for f in folders] + [
            self.cache, self.cache / "bin", self.cache / "FlameGraph"]
        self.may_build = may_build
        self.known = {}

    def find(self, name):
        """The path of the program, or None."""
        if name not in self.known:
            self.known[name] = self.look(name) or self.build(name)
        return self.known[name]

    def look(self, name):
        path = os.pathsep.join([*map(str, self.folders),
                                os.environ.get("PATH", "")])
        return shutil.which(name, path=path)

    def build(self, name):
        if not self.may_build or name not in BUILDERS:
            return None
        args, env = BUILDERS[name](self.cache)
        if not shutil.which(args[0]):
            return None
        self.cache.mkdir(parents=True, exist_ok=True)
        print(f"building {name}: {' '.join(args)}", flush=True)
        try:
            subprocess.run(args, env={**os.environ, **env}, check=False,
                           timeout=BUILD_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
        return self.look(name)

    def versions(self):
        """One line of text for each peer that was found."""
        for name in sorted(self.known):
            path = self.known[name]
            if path:
                yield f"{name} {self.version(name, path)}"

    def version(self, name, path):
        if name == "pprof":
            return found(r"mod\s+\S+\s+(\S+)", said("go", "version", "-m",
                                                    path))
        if name == "inferno-flamegraph":
            # Cargo's list is above its bin/, wherever that was.
            listed = Path(path).resolve().parent.parent / ".crates.toml"
            return found(r'"inferno ([\d.]+)',
                         listed.read_text() if listed.exists() else "")
        if name == "flamegraph.pl":
            digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            return f"(sha256 {digest[:12]})"
        if name == "bench-inflate":
            return "of libdeflate " + said("pkg-config", "--modversion",
                                           "libdeflate")
        if name == "bench-unpack":
            return "of protobuf-c " + said("pkg-config", "--modversion",
                                           "libprotobuf-c")
        return found(r"(\d[\w.]*)", said(path, "--version"))
