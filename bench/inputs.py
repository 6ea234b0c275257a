# SPDX-License-Identifier: Apache-2.0
"""The inputs of the benchmarks: made once by bench-make and kept in a folder,
or a folder of ready ones with the same names.

  NAME-base.pb.gz NAME-cur.pb.gz      two pprof profiles, before and after
  NAME-base.folded NAME-cur.folded    the same stacks as text
  NAME.otlp.pb NAME.otlp.json NAME.jaeger.json    the same spans

NAME is small, medium or large; inputs of one job have names of their own.
"""
import subprocess
from pathlib import Path

# stacks, functions, locations, mean depth
PROFILES = {
    "small": (2_000, 800, 2_000, 18),
    "medium": (100_000, 20_000, 50_000, 30),
    "large": (1_500_000, 150_000, 400_000, 40),
}
# spans
TRACES = {"small": 1_000, "medium": 100_000, "large": 1_000_000}
TRACE_FORMATS = {".otlp.pb": "otlp-pb", ".otlp.json": "otlp-json",
                 ".jaeger.json": "jaeger-json"}
# The flame graph of so many stacks has 20,000 boxes.
FRAMES_STACKS = 9_000


class Inputs:
    """ready: a folder of inputs, or None; make: the program bench-make."""

    def __init__(self, cache, ready, make):
        self.cache = Path(cache)
        self.ready = ready and Path(ready)
        self.program = str(make)
        self.cache.mkdir(parents=True, exist_ok=True)

    def path(self, name, *words):
        """The file of this name; bench-make makes it of these words."""
        if self.ready and (self.ready / name).exists():
            return self.ready / name
        path = self.cache / name
        if not path.exists():
            # Half an input is never taken for one.
            part = path.with_name("part-" + name)
            kind, *rest = map(str, words)
            subprocess.run([self.program, kind, str(part), *rest], check=True)
            part.rename(path)
        return path

    def pprof(self, name, side, kind="real", shape=None):
        return self.path(f"{name}-{side}.pb.gz", "pprof", kind, side,
                         *(shape or PROFILES[name]))

    def folded(self, name, side):
        return self.path(f"{name}-{side}.folded", "folded", "real", side,
                         *PROFILES[name])

    def trace(self, name, ending, kind="many", spans=None):
        return self.path(name + ending, TRACE_FORMATS[ending], kind,
                         spans or TRACES[name])

    def tiny(self):
        """A profile for runs that are about the trace alone."""
        path = self.cache / "tiny.folded"
        path.write_text("main;work 100\n", encoding="utf-8")
        return path

    def frames(self):
        return self.pprof("frames", "base",
                          shape=(FRAMES_STACKS, 2_000, 4_000, 30))
