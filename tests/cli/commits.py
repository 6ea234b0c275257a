#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last commits of the function that is blamed, of work trees that the test
makes: those of a stranger may name programs in each place that git runs some
from. Output is TAP.

usage: commits.py TRACEFIND
"""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from scripted import check, report
from tap import Lacking, lack

TESTDATA = Path(os.environ.get(
    "TESTDATA", Path(__file__).resolve().parent.parent.parent / "testdata"))
CASE = TESTDATA / "cases/n-plus-one.har.gz"
# Where the case's function is: loadPreferences, line 129.
FILE = "internal/store/users.go"
FIRST = 120
LIMIT_S = 20
BODY = ["func (r *UserRepository) loadPreferences(email string) error {",
        *(f"\tstep({n})" for n in range(20)), "}"]
REST = ["", "func (r *UserRepository) other() {", "\tstep(0)", "}"]


def environment(folder, **more):
    return {"HOME": str(folder), "PATH": os.environ["PATH"], "COLUMNS": "100",
            "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
            **more}


class Tree:
    """A work tree with the function and what each commit makes of it."""

    def __init__(self, folder, name="shop"):
        if not shutil.which("git"):
            raise Lacking(lack("git"))
        self.home, self.path = Path(folder), Path(folder, name)
        self.file = self.path / FILE
        self.file.parent.mkdir(parents=True)
        self.days = 0
        self.git("init", "-q")

    def git(self, *words):
        stamp = f"2026-11-{10 + self.days:02}T10:00:00Z"
        return subprocess.run(
            ["git", "-C", self.path, "-c", "user.name=n", "-c",
             "user.email=a@example.com", *words], check=True,
            capture_output=True, text=True,
            env=environment(self.home, GIT_COMMITTER_DATE=stamp,
                            GIT_AUTHOR_DATE=stamp)).stdout.strip()

    def write(self, body, rest=REST):
        self.file.write_text("\n".join(
            ["package store", *("" for _ in range(FIRST - 2)), *body, *rest,
             ""]), encoding="utf-8")

    def commit(self, subject, body, rest=REST):
        self.days += 1
        self.write(body, rest)
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty-message", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def history(self):
        """Its hashes, the newest last, the function's at 0, 1, 3 and 4."""
        return [self.commit("store: begin", BODY[:3] + BODY[-1:]),
                self.commit("store: load preferences with each user", BODY),
                self.commit("store: change another", BODY,
                            REST[:2] + REST[3:]),
                self.commit("store: trace \x1b[31mred\x1b[0m `x` <b>",
                            BODY[:5] + ["\ttrace()"] + BODY[5:]),
                self.commit("", BODY[:7] + ["\tsum()"] + BODY[7:])]


def run(program, tree, *words, path=None, **more):
    return subprocess.run(
        [program, "slow", "--replay", CASE, "--source-path",
         path or tree.path, *words], capture_output=True, text=True,
        check=False, env=environment(tree.home, **more), timeout=60)


def commits(program, tree, **more):
    answer = run(program, tree, "-o", "json", **more)
    check(answer.returncode == 0, answer.stderr)
    return json.loads(answer.stdout).get("commits", [])


def why(program, tree, **more):
    answer = run(program, tree, "--why", **more)
    lines = [line.strip() for line in answer.stdout.splitlines()
             if line.startswith("  commits ")]
    check(len(lines) == 1 and lines[0].startswith("commits   none, "), lines)
    return lines[0]


def check_last_three_are_named(program, folder):
    """The last three commits that touched the function, in each output."""
    tree = Tree(folder)
    hashes = tree.history()
    found = commits(program, tree)
    check([c["hash"] for c in found] == [hashes[4], hashes[3], hashes[1]],
          found)
    check(found[2] == {"hash": hashes[1], "time":
                       "2026-11-12T10:00:00.000000000Z", "subject":
                       "store: load preferences with each user"}, found)
    text = run(program, tree).stdout.splitlines()
    at = next(i for i, line in enumerate(text) if "  commits  " in line)
    check("  function  " in "".join(text[at - 2:at]), text)
    check(text[at].strip() == f"commits     {hashes[4][:10]} 2026-11-15",
          text[at])
    check(text[at + 2].strip() == f"{hashes[1][:10]} 2026-11-12 store: load "
          "preferences with each user", text[at + 2])
    for output in ("table", "markdown", "html", "chat"):
        answer = run(program, tree, "-o", output).stdout
        check("\x1b" not in answer, answer)
        check((hashes[1][:10] in answer) == (output != "chat"), answer)
    check("`x` &lt;b&gt;" in run(program, tree, "-o", "html").stdout,
          "HTML of a stranger")


def check_diff_names_them(program, folder):
    """diff names the commits of the function that grew."""
    tree = Tree(folder)
    tree.history()
    base, slow = Path(folder, "base.pb.gz"), TESTDATA / (
        "pprof/real-go-cpu.pb.gz")

    def ask(*words):
        return subprocess.run([program, *words], capture_output=True,
                              text=True, check=True, timeout=60,
                              env=environment(folder)).stdout

    ask("profile", slow, "--ignore", "allocLoop", "-o", f"pprof={base}")
    tree.file = tree.path / "profgen/main.go"
    tree.file.parent.mkdir()
    tree.file.write_text("\n" * 25 + "func allocLoop() {\n\tx()\n\ty()\n}\n",
                         encoding="utf-8")
    tree.git("add", ".")
    tree.git("commit", "-q", "-m", "gen: begin")
    answer = ask("diff", base, slow, "--source-path", tree.path)
    check("\n  commits     " in answer and " gen: begin\n" in answer, answer)


def check_reasons(program, folder):
    """Where there are none, --why says why and the answer stays."""
    tree = Tree(folder)
    check("not below --source-path" in why(program, tree), "no file")
    tree.write(BODY)
    check("git lists none" in why(program, tree), "not committed")
    hashes = tree.history()
    clone = Path(folder, "clone/shop")
    subprocess.run(["git", "clone", "-q", "--depth", "1",
                    f"file://{tree.path}", clone], check=True,
                   env=environment(folder))
    check("the clone is shallow" in why(program, tree, path=clone), "shallow")
    check("git is not installed" in why(program, tree, PATH="/nowhere"),
          "no git")
    check("git is not installed" in why(program, tree, PATH="bin:."),
          "relative")
    tree.write(BODY[:4] + ["\tnew()"] + BODY[4:])
    check("changes that are not committed" in why(program, tree), "dirty")
    tree.write([BODY[0].replace("load", "reload")] + BODY[1:])
    check("of another version" in why(program, tree), "renamed")
    shutil.rmtree(tree.path / ".git")
    tree.write(BODY)
    check("git lists none" in why(program, tree), "no work tree")
    check(len(hashes) == 5, hashes)


def check_other_changes_do_not_hide_them(program, folder):
    """What else is not committed, another file, matters not."""
    tree = Tree(folder)
    hashes = tree.history()
    Path(tree.path, "more.go").write_text("package more\n", encoding="utf-8")
    body = BODY[:5] + ["\ttrace()"] + BODY[5:]
    tree.write(body[:7] + ["\tsum()"] + body[7:])
    tree.write(BODY[:7] + ["\tsum()"] + BODY[7:],
               REST[:3] + ["\tmore()"] + REST[3:])
    check(commits(program, tree)[0]["hash"] == hashes[4], "another function")


def check_nothing_of_a_stranger_runs(program, folder):
    """No program that a work tree's configuration names is run."""
    tree = Tree(folder)
    hashes = tree.history()
    mark = Path(folder, "mark")
    script = Path(folder, "script")
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "core.editor", "pager.log",
                 "diff.external", "core.sshCommand", "gpg.program",
                 "core.askPass", "credential.helper", "diff.x.command",
                 "diff.x.textconv", "filter.x.clean", "filter.x.smudge",
                 "filter.x.process", "remote.origin.uploadpack",
                 "core.alternateRefsCommand", "interactive.diffFilter"):
        tree.git("config", name, str(script))
    tree.git("config", "alias.log", f"!{script}")
    tree.git("config", "log.showSignature", "true")
    tree.git("config", "filter.x.required", "true")
    tree.git("config", "remote.origin.url", f"ext::{script}")
    tree.git("config", "protocol.ext.allow", "always")
    tree.git("config", "extensions.partialClone", "origin")
    tree.git("config", "core.repositoryformatversion", "1")
    Path(tree.path, ".gitattributes").write_text("* diff=x filter=x\n",
                                                 encoding="utf-8")
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        hook = tree.path / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(script, hook)
    found = commits(program, tree, GIT_EXTERNAL_DIFF=str(script),
                    GIT_PAGER=str(script))
    check([c["hash"] for c in found] == [hashes[4], hashes[3], hashes[1]],
          found)
    check(not mark.exists(), "a program was run")
    # An object that is to be fetched is not there.
    tree.git("config", "--unset", "core.fsmonitor")
    blob = tree.git("rev-parse", f"HEAD~1:{FILE}")
    Path(tree.path, ".git/objects", blob[:2], blob[2:]).unlink()
    mark.unlink(missing_ok=True)
    commits(program, tree)
    check(not mark.exists(), "a program fetched")


def check_signed_commit_is_not_verified(program, folder):
    """A signature that says so starts no program either."""
    tree = Tree(folder)
    tree.history()
    mark = Path(folder, "mark")
    script = Path(folder, "script")
    script.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    script.chmod(0o755)
    raw = tree.git("cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    signed = (f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n"
              f" -----END PGP SIGNATURE-----\n\n{message}\n")
    made = subprocess.run(
        ["git", "-C", tree.path, "hash-object", "-t", "commit", "-w",
         "--stdin"], input=signed, capture_output=True, text=True, check=True,
        env=environment(folder)).stdout.strip()
    tree.git("reset", "-q", "--soft", made)
    tree.git("config", "log.showSignature", "true")
    tree.git("config", "gpg.program", str(script))
    check(commits(program, tree)[0]["hash"] == made, "signed")
    check(not mark.exists(), "a program was run")


def check_names_of_files_are_no_options(program, folder):
    """A folder whose name looks like an option or a list is a folder."""
    tree = Tree(folder, "-L1,2 $(x)")
    hashes = tree.history()
    check(commits(program, tree)[0]["hash"] == hashes[4], "a whole path")
    answer = subprocess.run(
        [program, "slow", "--replay", CASE, "--source-path=./-L1,2 $(x)",
         "-o", "json"], capture_output=True, text=True, check=False,
        cwd=folder, env=environment(folder), timeout=60)
    check(json.loads(answer.stdout)["commits"][0]["hash"] == hashes[4],
          answer.stderr)


def check_time_is_bounded(program, folder):
    """A work tree that lets git wait for ever delays the answer by 3 s."""
    tree = Tree(folder)
    tree.history()
    os.mkfifo(tree.path / ".git/packed-refs")
    begin = time.monotonic()
    said = why(program, tree)
    check("longer than 3 s" in said, said)
    check(time.monotonic() - begin < LIMIT_S, "too late")


def check_another_program_is_none(program, folder):
    """What is called git and is none gives no commits, and no failure."""
    tree = Tree(folder)
    tree.history()
    for name, text in (("fails", "exit 3"), ("dies", "kill -9 $$"),
                       ("talks", "echo commit x")):
        git = Path(tree.home, name, "git")
        git.parent.mkdir()
        git.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        git.chmod(0o755)
        said = why(program, tree, PATH=f"{git.parent}:{os.environ['PATH']}")
        check("git" in said, said)


if __name__ == "__main__":
    sys.exit(report(globals()))
