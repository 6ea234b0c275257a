# SPDX-License-Identifier: Apache-2.0
"""How tests in Python tell what they found: TAP, a line as soon as a thing is
known, its reason below it when it is wrong."""
import os
import traceback

TRACE_LINES = 8

# How to have what some tests need: Debian's package, where the name is another.
PACKAGES = {"dot": "graphviz", "html5lib": "python3-html5lib",
            "man": "man-db", "promtool": "prometheus",
            "readelf": "binutils", "yaml": "python3-yaml"}
# And what Debian does not have.
ELSEWHERE = {"flamegraph.pl": "put that of brendangregg/FlameGraph into PATH",
             "inferno-flamegraph": "cargo install inferno",
             "tempo": "put that of grafana/tempo into PATH",
             "pyroscope": "put that of grafana/pyroscope into PATH"}


def lack(name):
    """Why a test that needs it does not run, and what to do about it."""
    return f"no {name}: " + (ELSEWHERE.get(name) or
                             f"apt-get install {PACKAGES.get(name, name)}")


class Lacking(Exception):
    """What a test needs is not there: it is skipped."""


def open_terminal():
    """Both ends of one, ours first."""
    try:
        return os.openpty()
    except OSError as error:
        raise Lacking(f"no terminal to be had here: {error.strerror}: "
                      "mount -t devpts devpts /dev/pts") from error


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, is_right, what, why=""):
        """why: told of what is wrong."""
        self.count += 1
        self.failed += not is_right
        print(f"{'ok' if is_right else 'not ok'} {self.count} - {what}",
              flush=True)
        if not is_right:
            self.note(why)

    def equal(self, found, wanted, what):
        self.check(found == wanted, what, f"{found!r}, not {wanted!r}")

    def skip(self, what, why):
        self.count += 1
        print(f"ok {self.count} - {what} # SKIP {why}")

    def note(self, text):
        print("".join(f"#   {line}\n" for line in str(text).splitlines()),
              end="", flush=True)

    def attempt(self, what, function, *args):
        """Right when the function does not raise; what it returns is told. It
        is skipped when it raises Lacking."""
        try:
            told = function(*args)
        except Lacking as why:
            self.skip(what, why)
        except Exception as error:  # whatever it is, it is no success
            where = traceback.format_exc().splitlines()[-TRACE_LINES:]
            self.check(False, what, "\n".join([str(error), *where]))
        else:
            self.check(True, what if told is None else f"{what}: {told}")

    def end(self):
        """The exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed or not self.count else 0


def checks_of(names):
    """The functions check_... of a module: pairs of what and function."""
    return [(name[6:].replace("_", " "), check)
            for name, check in names.items() if name.startswith("check_")]


def run_checks(names):
    """All of a module that take no argument; the exit status."""
    tap = Tap()
    for what, check in checks_of(names):
        tap.attempt(what, check)
    return tap.end()


def skip_all(why):
    """Of a test whose tools are missing; the exit status."""
    print(f"1..0 # SKIP {why}")
    return 0
