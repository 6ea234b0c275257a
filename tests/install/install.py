#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`meson install` of this build into an empty folder: the program runs from
there, man finds every page, and each shell its completions. Output is TAP.

usage: install.py BUILD_FOLDER SOURCE_FOLDER VERSION PREFIX DATADIR MANDIR [man] [completions]

DATADIR and MANDIR lie below PREFIX; man, completions: the build makes them.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack  # noqa: E402

LIMIT_S = 60
BASH_LOADER = Path("/usr/share/bash-completion/bash_completion")
# As a shell with Debian's settings finds them: asked for by name, not sourced.
BASH = f". {BASH_LOADER}; _completion_loader tracefind; complete -p tracefind"
ZSH = 'fpath=($1 $fpath); autoload -U compinit; compinit -u -D; print $_comps[tracefind]'
FISH = 'complete -C "tracefind conf"'


class Installed:
    def __init__(self, build, folder, prefix, datadir, mandir):
        self.home = Path(folder, "home")
        self.home.mkdir()
        root = Path(folder, "root")
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", root], check=True,
                       stdout=subprocess.DEVNULL, timeout=LIMIT_S)
        self.top = root / prefix.lstrip("/")
        self.data, self.man = self.top / datadir, self.top / mandir

    def said(self, *args, **env):
        """What a program says, standard error first; its failure is an exception."""
        path = f"{self.top}/bin:{os.environ['PATH']}"  # fish completes what it finds there only
        done = subprocess.run(args, env={"PATH": path, "HOME": str(self.home), "LC_ALL": "C.UTF-8",
                                         "XDG_DATA_DIRS": f"{self.data}:/usr/local/share:/usr/share", **env},
                              cwd=self.home, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        if done.returncode:
            raise ValueError(f"{args[0]}: status {done.returncode}: {done.stderr or done.stdout}")
        return done.stderr + done.stdout


def check_program(tap, installed, source, version):
    program = installed.top / "bin/tracefind"
    tap.check(version in installed.said(program, "--version"), "the program tells its version")
    case = source / "testdata/cases/n-plus-one.har.gz"
    tap.check("UserRepository.FindByEmail" in installed.said(program, "--replay", case), "it replays a case")


def check_schemas(tap, installed, source):
    names = sorted(path.name for path in (source / "man").glob("*.schema.json"))
    tap.equal(sorted(path.name for path in (installed.data / "tracefind").iterdir()), names, "all schemas")


def check_man(tap, installed, source):
    pages = sorted(path.stem for path in (source / "man").glob("*.scd"))
    found = sorted(path.name.removesuffix(".gz") for path in installed.man.rglob("*.[0-9]*"))
    tap.equal(found, pages, "all pages of the manual")
    for page in pages:
        name, _, section = page.rpartition(".")
        if not shutil.which("man"):
            tap.skip(f"man {name}", lack("man"))
            continue
        shown = installed.said("man", "--warnings", section, name, MANPATH=str(installed.man), MANWIDTH="80")
        tap.check(shown.startswith(name) and f"{name} - " in shown, f"man {name}", shown[:400])


def check_completions(tap, installed):
    if BASH_LOADER.exists():
        tap.check("_tracefind" in installed.said("bash", "--norc", "-c", BASH), "bash finds completions")
    else:
        tap.skip("bash finds completions", lack("bash-completion"))
    if shutil.which("zsh"):
        tap.equal(installed.said("zsh", "-f", "-c", ZSH, "zsh", str(installed.data / "zsh/site-functions")),
                  "_tracefind\n", "zsh finds completions")
    else:
        tap.skip("zsh finds completions", lack("zsh"))
    if shutil.which("fish"):
        tap.check(installed.said("fish", "-c", FISH).startswith("config"), "fish finds completions")
    else:
        tap.skip("fish finds completions", lack("fish"))


def main():
    build, source, version = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        installed = Installed(build, folder, *sys.argv[4:7])
        check_program(tap, installed, source, version)
        check_schemas(tap, installed, source)
        if "man" in sys.argv[7:]:
            check_man(tap, installed, source)
        else:
            tap.skip("the manual", lack("scdoc"))
        if "completions" in sys.argv[7:]:
            check_completions(tap, installed)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
