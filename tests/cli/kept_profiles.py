#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cloud Profiler's profiles are fetched once: a second run has them from the
folder of the first. Output is TAP.

usage: kept_profiles.py TRACEFIND
"""
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from scripted import Server, check, report

TESTDATA = Path(os.environ.get(
    "TESTDATA", Path(__file__).resolve().parent.parent.parent / "testdata"))
SCRIPT = json.dumps({"google": {"data": "google/recipe",
                                "auth": {"required": False}}})
WORDS = ["slow", "7d1c3a5be94f4c62a0f1b7d2e8c94a03"]
# Of data-service in the ten minutes of the trace and in those an hour before.
PROFILES = 18
LIMIT_S = 60


class Google(Server):
    """The recipe's project, and runs that ask it."""

    def __init__(self, program, folder):
        self.program = program
        self.home = Path(folder, "home")
        self.home.mkdir()
        self.env = {"HOME": str(self.home), "LC_ALL": "C.UTF-8",
                    "TRACEFIND_TOKEN": "token",
                    "TRACEFIND_NOW": "2026-11-21T11:26:00Z",
                    **{k: v for k, v in os.environ.items()
                       if k.endswith("SAN_OPTIONS")}}
        super().__init__(SCRIPT, "--root", TESTDATA,
                         log=Path(folder, "log"))

    def run(self, *words):
        """The answer, and how often profiles themselves were asked for."""
        self.log.write_text("")
        done = subprocess.run(
            [self.program, *WORDS, *words, "--traces-url",
             f"gcp+{self.url}/projects/shop-prod"],
            cwd=self.home, env=self.env, capture_output=True, text=True,
            timeout=LIMIT_S)
        check(done.returncode == 0 and "match_discounts" in done.stdout,
              done.stdout + done.stderr)
        asked = sum("profileBytes" in line for line in
                    self.log.read_text(encoding="utf-8").splitlines())
        return done.stdout, asked

    def kept(self):
        return sorted(self.home.rglob("*.profile"))


def on_google(test):
    """A check of the report that gets the project."""
    def run(program, folder):
        with Google(program, folder) as google:
            test(google)
    return run


def answer(text):
    """Without the commands at the end, which name the server or the case."""
    return text.split("\nnext ")[0]


@on_google
def check_second_run_has_them(google):
    first, asked = google.run()
    check(asked == 1, f"asked {asked} times")
    check(len(google.kept()) == PROFILES, google.kept())
    for path in [*google.kept(), google.kept()[0].parent]:
        mode = stat.S_IMODE(path.stat().st_mode)
        check(mode == (0o700 if path.is_dir() else 0o600), f"{path} {mode:o}")
    second, asked = google.run()
    check(asked == 0 and second == first, f"asked {asked} times\n{second}")


@on_google
def check_more_are_added(google):
    google.run()
    wider, asked = google.run("--pad", "10m")
    check(asked == 1, f"asked {asked} times")
    check(len(google.kept()) > PROFILES, google.kept())
    alone, _ = google.run("--pad", "10m", "--no-cache")
    check(wider == alone, wider)


@on_google
def check_damaged_ones_are_asked_for_again(google):
    first, _ = google.run()
    whole = google.kept()[0].read_bytes()
    for damage in (b"", whole[:-1], whole.replace(b"profiles/", b"elsewhere", 1),
                   whole + b"x"):
        google.kept()[0].write_bytes(damage)
        again, asked = google.run()
        check(asked == 1 and again == first, f"{damage[:60]}: {asked}")
        check(google.kept()[0].read_bytes() == whole, "not mended")


@on_google
def check_without_cache(google):
    first, asked = google.run("--no-cache")
    check(asked == 1 and not google.kept(), google.kept())
    google.run()
    again, asked = google.run("--no-cache")
    check(asked == 1 and again == first, f"asked {asked} times")


@on_google
def check_cases_hold_all(google):
    """What is recorded must do without the folder."""
    first, _ = google.run()
    _, asked = google.run("--record", "case.har")
    check(asked == 1, f"asked {asked} times")
    for path in google.kept():
        path.unlink()
    again, asked = google.run("--replay", "case.har")
    check(asked == 0 and not google.kept(), google.kept())
    check(answer(again) == answer(first), again)


@on_google
def check_unusable_folder(google):
    google.home.joinpath(".cache").write_text("a file\n")
    _, asked = google.run()
    check(asked == 1, f"asked {asked} times")


if __name__ == "__main__":
    sys.exit(report(globals()))
