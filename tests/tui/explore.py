#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses --interactive on a terminal of its own: keys, sizes, colours, and that
the terminal is as it was however the program ends. Standard library only.

usage: explore.py TRACEFIND

Output is TAP.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402
from terminal import Program, check_restored, equal  # noqa: E402

TRACEFIND = os.path.abspath(sys.argv[1])
PROFILES = Path(os.environ["TESTDATA"]).resolve() / "pprof"
BEFORE = str(PROFILES / "go-process_cpu-normal.pb.gz")
AFTER = str(PROFILES / "go-process_cpu-incident.pb.gz")
DIFF = [TRACEFIND, "diff", BEFORE, AFTER, "-i"]
PROFILE = [TRACEFIND, "profile", AFTER, "--interactive"]
SLOW = [TRACEFIND, "slow", "--replay",
        str(PROFILES.parent / "cases" / "n-plus-one.har.gz"), "-i"]
READY = "q quit"

tests = []


def test(function):
    tests.append(function)
    return function


def started(args, **kwargs):
    program = Program(args, term=kwargs.pop("term", "xterm-256color"),
                      **kwargs)
    program.until(lambda: b"q quit" in program.data, "the first screen")
    return program


@test
def moves_and_tells():
    with Program(DIFF) as p:
        p.shows(READY)
        p.shows("[+main.handlePay 1.800 s +1.180")
        p.send("jjj")
        p.shows("main.serve  main.go:41  application")
        p.send("\x1b[B")
        p.shows("main.handlePay  pay.go")
        p.send("\x1b[B\x1bOB")
        p.shows("crypto/tls.(*Conn).Handshake  ")
        p.shows("total 1.200 s, baseline 0.020 s, change +1.180 s")
        p.shows("this path 1.200 s, baseline 0.020 s, change +1.180 s: grew")
        p.send("k\r")
        p.shows("zoomed to 53.3 %")
        p.hides("main.charge")
        p.send("\x1b")
        p.shows("zoomed to 80.0 %")
        p.send("0")
        p.shows("[main.charge")
        p.send("q")
        equal(p.end(), 0, "status")


@test
def stands_on_the_root():
    with Program(DIFF + ["--layout", "flame"]) as p:
        p.shows(READY)
        lines = p.screen.lines()
        equal(lines[18][:5], "[all ", "the root's row")
        equal("main.handlePay" in lines[14], True, "four rows above it")
        p.send("kkkk\x1b[A\x1b[A")
        p.shows("crypto/tls.(*Conn).Handshake  ")
        p.send("j")
        p.shows("main.retryLoop  ")
        p.send("q")
        equal(p.end(), 0, "status")


@test
def searches():
    with Program(DIFF) as p:
        p.shows(READY)
        p.send("/handle(Pay|Cart)")
        p.shows("/handle(Pay|Cart)_")
        p.shows("matched 93.3 %")
        p.send("\r")
        p.shows("main.handleCart  cart.go")
        p.send("n")
        p.shows("main.handlePay  pay.go")
        p.send("\x1b")
        p.hides("matched")
        p.send("q")
        equal(p.end(), 0, "status")


@test
def tabulates():
    with Program(DIFF) as p:
        p.shows(READY)
        p.send("t")
        p.shows("by rank")
        p.shows("total baseline   change    self+lib  function   (CPU, s)")
        p.shows("1.200    0.020   +1.180 +!    1.200  main.retryLoop")
        p.send("sss")
        p.shows("by change")
        p.send("t")
        p.shows("[all 2.250 s")
        p.send("b")
        p.shows("comparison only")
        p.send("b")
        p.shows("baseline only")
        p.shows("[main.handleCart======][main.handlePay 0.620 s==")
        p.send("v")
        p.shows("main.retryLoop grew by 1.18 s, from 20.0 ms to 1.20 s")
        p.shows("arrows scroll")
        p.send("q?")
        p.shows("any of them goes back")
        p.send("xq")
        equal(p.end(), 0, "status")


@test
def shows_callers_and_callees():
    with Program(DIFF) as p:
        p.shows(READY)
        p.send("/chargeCard\r")
        p.shows("main.chargeCard  ")
        p.send("w")
        p.shows("by main.handlePay")
        p.send("k\r")
        p.shows("calls main.chargeCard")
        p.shows("  1.800    0.620   +1.180 +   main.handlePay")
        p.send("k\r2")
        p.shows("main.serve  main.go:41")
        p.send("q")
        equal(p.end(), 0, "status")


@test
def links_the_views():
    """The trace, its span to blame, the functions and the other requests of a
    case; the same on a small and on a large terminal, with ASCII alone."""
    for rows, columns, env, bar in ((24, 80, {}, "█"), (70, 250, {}, "█"),
                                    (24, 80, {"LC_ALL": "C"}, "=")):
        with Program(SLOW, rows=rows, columns=columns, env=env) as p:
            p.shows(READY)
            p.send("1")
            p.shows(">*")
            p.shows("the profile is of this service: Enter")
            p.shows(bar)
            p.send("/SELECT users\r")
            p.shows("user-db  SELECT users")
            p.send("\x1bgj")
            p.shows("web  HTTP POST")
            p.send("\r")
            p.shows("the profile is of another service")
            p.send("3n")
            p.shows("no search yet")
            p.send("/loadPreferences$\r")
            p.shows("store.(*UserRepository).loadPreferences  ")
            p.send("4")
            p.shows("calls shop/internal/store.(*DB).query")
            p.send("2")
            p.shows("total 321.0 ms")
            p.send("5")
            p.shows("500 ms to 1 s: 28 in these minutes, 28 of them slow")
            p.shows("tracefind slow 6f1e889914bfc1c183c21d748482fc3b")
            p.send("G")
            p.shows("this one: 577 ms")
            p.shows("in these minutes     [")
            p.send("kkk")
            p.shows(", compared: 09:57")
            p.resize(16, 60)
            p.shows("5 history")
            p.send("q")
            equal(p.end(), 0, "status")
            if env and any(byte > 127 for byte in p.data):
                raise AssertionError("more than ASCII")


@test
def resizes():
    with Program(PROFILE, rows=24, columns=80) as p:
        p.shows(READY)
        for rows, columns in ((10, 40), (50, 200), (100, 400), (3, 10),
                              (24, 80)):
            p.resize(rows, columns)
            p.shows(READY if rows > 3 else "too small")
            if rows > 3:
                equal(len(p.screen.lines()[2]), columns, "the root's width")
        p.send("q")
        equal(p.end(), 0, "status")


@test
def quits():
    with started(DIFF) as p:
        if termios.tcgetattr(p.slave) == p.modes:
            raise AssertionError("the modes never changed")
        p.send("q")
        equal(p.end(), 0, "status")
        check_restored(p)


@test
def ends_by_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGQUIT):
        with started(DIFF) as p:
            p.kill(number)
            equal(p.end(), 128 + number, "status")
            check_restored(p)


@test
def prints_what_there_is_without_a_profile():
    trace = str(PROFILES.parent / "otlp" / "b.json")
    with Program([TRACEFIND, "slow", trace, "-i", "--no-pager",
                  "--profiles-url", "http://127.0.0.1:9"]) as p:
        equal(p.end(), 6, "status")
        if b"the trace alone, no profile" not in p.data:
            raise AssertionError(f"no answer: {p.data!r}")
        check_restored(p)


@test
def ends_by_control_c():
    with started(DIFF) as p:
        p.send("jj\x03")
        equal(p.end(), 130, "status")
        check_restored(p)


@test
def ignores_what_was_ignored():
    with started(DIFF, ignored=(signal.SIGHUP,)) as p:
        p.kill(signal.SIGHUP)
        p.send("q")
        equal(p.end(), 0, "status")
        check_restored(p)


@test
def ends_when_the_terminal_is_gone():
    with started(DIFF) as p:
        p.hang_up()  # the kernel tells the shell only
        equal(p.end(), 0, "status")


def stop_and_go(program, stop):
    stop()
    program.until(lambda: program.is_stopped, "the stop")
    while program.take(0.2):
        pass
    check_restored(program)
    program.data = b""
    program.kill(signal.SIGCONT)
    program.until(lambda: b"q quit" in program.data, "the screen again")


@test
def stops_and_goes_on():
    with started(DIFF) as p:
        stop_and_go(p, lambda: p.kill(signal.SIGTSTP))
        stop_and_go(p, lambda: p.send("\x1a"))
        p.send("q")
        equal(p.end(), 0, "status")
        check_restored(p)


@test
def goes_on_after_a_stop_that_is_not_seen():
    with started(DIFF) as p:
        p.kill(signal.SIGSTOP)
        p.until(lambda: p.is_stopped, "the stop")
        termios.tcsetattr(p.slave, termios.TCSANOW, p.modes)
        p.data = b""
        p.kill(signal.SIGCONT)
        p.until(lambda: b"q quit" in p.data, "the screen again")
        if termios.tcgetattr(p.slave)[3] & termios.ECHO:
            raise AssertionError("keys are echoed")
        p.send("q")
        equal(p.end(), 0, "status")
        check_restored(p)


@test
def uses_the_colors_there_are():
    cases = [
        ("xterm-256color", {}, rb"\x1b\[[0-9;]*48;5;208"),
        ("xterm", {}, rb"\x1b\[[0-9;]*43m"),
        ("xterm-256color", {"NO_COLOR": "1"}, None),
        ("vt100", {}, None),
    ]
    for term, env, wanted in cases:
        with started(DIFF, term=term, env=env) as p:
            p.send("q")
            equal(p.end(), 0, "status")
            found = re.search(wanted or rb"\x1b\[[0-9;]*4[0-8]m", p.data)
            equal(found is not None, wanted is not None, f"colour of {term}")


@test
def uses_the_characters_there_are():
    for locale, is_wanted in (("C.UTF-8", True), ("C", False)):
        with started(DIFF, env={"LC_ALL": locale}) as p:
            p.send("G")
            p.until(lambda p=p: b"Handshake" in p.data, "the frame")
            p.send("q")
            equal(p.end(), 0, "status")
            equal(any(byte > 127 for byte in p.data), is_wanted, locale)


@test
def takes_clicks():
    with Program(DIFF, term="xterm-256color") as p:
        p.until(lambda: b"1000h" in p.data and b"q quit" in p.data,
                "the mouse")
        p.data = b""
        p.send("\x1b[<0;41;6M\x1b[<0;41;6m")
        p.until(lambda: b"main.serve" in p.data, "the frame clicked")
        p.data = b""
        p.send("\x1b[<0;22;2M\x1b[<0;22;2m")
        p.until(lambda: b"by rank" in p.data, "the view clicked")
        p.send("q")
        p.end()


@test
def writes_files_too():
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder) / "flame.svg"
        with Program(DIFF + ["-o", f"svg={svg}"]) as p:
            p.shows(READY)
            p.send("q")
            equal(p.end(), 0, "status")
        equal(svg.read_text(encoding="utf-8")[:5], "<?xml", "the picture")


def refused(args, text, **kwargs):
    with Program(args, **kwargs) as p:
        equal(p.end(), 2, "status")
        said = p.data.decode().strip()
        equal(said.count("\n"), 0, "lines besides the first")
        if text not in said:
            raise AssertionError(f"{text!r} is not in {said!r}")
        equal(termios.tcgetattr(p.slave), p.modes, "the modes")


@test
def refuses_what_cannot_be():
    refused(DIFF, 'TERM is "dumb"', term="dumb")
    refused(DIFF, 'TERM is ""', env={"TERM": ""})
    refused(DIFF, '"no-such-terminal"', term="no-such-terminal")
    refused(DIFF + ["-o", "json"], "-o json=FILE")
    refused(PROFILE + ["--peek", "main"], "cannot be combined with profile --peek")
    refused(["/bin/sh", "-c", '"$@" </dev/null', "sh", *DIFF],
            "standard input is none")
    refused(["/bin/sh", "-c", '"$@" | cat; exit 2', "sh", *DIFF],
            "standard output is none")


def is_missing():
    refused(DIFF, "without ncurses; -o term draws the same graph")


def is_built():
    said = subprocess.run(DIFF, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return b"without ncurses" not in said.stderr


def main():
    tap = Tap()
    for function in tests if is_built() else [is_missing]:
        tap.attempt(function.__name__, function)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
