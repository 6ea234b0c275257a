#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What only another process sees: signals, pipes, full disks, the process
list. Output is TAP.

usage: process.py TRACEFIND
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.dont_write_bytecode = True
from scripted import Server, open_terminal, read_all, report, terminal

TESTDATA = Path(os.environ.get(
    "TESTDATA", Path(__file__).resolve().parent.parent.parent / "testdata"))
# The pager's settings of whoever runs the tests do not count.
ENV = {name: value for name, value in os.environ.items()
       if name not in ("PAGER", "TRACEFIND_PAGER", "LESS", "LV", "NO_COLOR",
                       "FORCE_COLOR", "CLICOLOR_FORCE")}
SILENT = '{"routes": [{"reply": {"silent": true}}]}'
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "hunter2-hunter2"
LIMIT_S = 20


class Waiting:
    """A run that waits for a server that never answers."""

    def __init__(self, program, folder, *options):
        self.server = Server(SILENT, log=Path(folder, "log"))
        self.run = subprocess.Popen(
            [program, "show", TRACE, *options, "--traces-url",
             f"tempo+{self.server.url}"], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        end = time.monotonic() + LIMIT_S
        log = self.server.log
        while not (log.exists() and log.stat().st_size):
            if time.monotonic() > end or self.run.poll() is not None:
                raise AssertionError("the program sent no request")
            time.sleep(0.02)
        return self.run

    def __exit__(self, *_):
        if self.run.poll() is None:
            self.run.kill()
        self.run.communicate(timeout=LIMIT_S)
        self.server.__exit__()


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r}, not {wanted!r}")


def check_interrupt(program, folder):
    with Waiting(program, folder, "-o", "json=out.json",
                 "--record", "case.har") as run:
        run.send_signal(signal.SIGINT)
        equal(run.wait(LIMIT_S), 130)
    equal(sorted(p.name for p in Path(folder).iterdir()), ["log"])


def check_terminate(program, folder):
    with Waiting(program, folder) as run:
        run.send_signal(signal.SIGTERM)
        equal(run.wait(LIMIT_S), -signal.SIGTERM)


def check_process_list(program, folder):
    """However it is spelled, a header's value leaves the process list."""
    with Waiting(program, folder, "-H", f"A: {SECRET}", f"--header=B: {SECRET}",
                 f"-vHC: {SECRET}", f"-H=E: {SECRET}", "--traces-header", f"D: {SECRET}") as run:
        line = Path(f"/proc/{run.pid}/cmdline").read_bytes().decode()
        equal(SECRET in line, False)
        equal(TRACE in line, True)


def check_reader_gone(program, _):
    for words in (["help", "slow"],
                  ["show", TRACE, "--dry-run", "--traces-url",
                   "tempo+http://localhost:9"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([program, *words], stdout=writer,
                              stderr=subprocess.PIPE, timeout=LIMIT_S)
        os.close(writer)
        equal((done.returncode, b"Broken pipe" in done.stderr), (0, False))


def check_full_disk(program, _):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "help"], stdout=full,
                              stderr=subprocess.PIPE, timeout=LIMIT_S)
    equal(done.returncode, 1)
    equal(b"No space left" in done.stderr, True)


def check_closed_output(program, _):
    done = subprocess.run(["sh", "-c", '"$1" help >&-', "sh", program],
                          stderr=subprocess.PIPE, timeout=LIMIT_S)
    equal(done.returncode, 1)
    equal(done.stderr.count(b"\n"), 1)


def sent(program, columns, *words, env=None):
    """What a terminal of so many columns gets."""
    ours, theirs = terminal(columns)
    run = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL,
                           env=env and {**ENV, **env}, stdout=theirs,
                           stderr=subprocess.DEVNULL)
    os.close(theirs)
    data = read_all(ours)
    run.wait(LIMIT_S)
    return data


def shown(program, columns, *words, env=None):
    """The same, colours left out."""
    data = sent(program, columns, *words, env=env)
    text = re.sub(rb"\x1b\[[0-9;]*m", b"", data).decode()
    return text.replace("\r", "").splitlines()


def paged(program, folder, pager, *words):
    """What a terminal shows, and what the pager read (None: did not run)."""
    trace = TESTDATA / "otlp" / "b.json"
    seen = Path(folder) / "seen"
    seen.unlink(missing_ok=True)
    lines = shown(program, 80, "show", str(trace), *words,
                  env={"TERM": "xterm", **{name: value.format(seen=seen)
                       for name, value in pager.items()}})
    return lines, seen.read_text() if seen.exists() else None


def complaint(program, env):
    """Standard error of a run whose answer goes to a terminal."""
    ours, theirs = terminal(80)
    run = subprocess.Popen([program, "show", str(TESTDATA / "otlp" / "b.json")], stdin=subprocess.DEVNULL,
                           env={**ENV, **env}, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    read_all(ours)
    return run.communicate(timeout=LIMIT_S)[1]


def check_pager(program, folder):
    """Which command is run, and that its absence loses nothing."""
    tee = "tee {seen}"
    plain, read = paged(program, folder, {"PAGER": tee}, "--no-pager")
    equal(read, None)
    equal(any("SELECT preferences" in line for line in plain), True)
    for pager in ({"PAGER": tee}, {"TRACEFIND_PAGER": tee, "PAGER": "false"}):
        lines, read = paged(program, folder, pager)
        equal(lines, plain)
        equal("SELECT preferences" in read, True)
    for pager in ({"PAGER": ""}, {"PAGER": "cat"}, {"TRACEFIND_PAGER": "",
                  "PAGER": tee}, {"PAGER": tee, "TERM": "dumb"},
                  {"PAGER": "/nonexistent/pager 2>/dev/null"}):
        lines, read = paged(program, folder, pager)
        equal(lines, plain)
        equal(read, None)
    # Of the configuration: between the two variables.
    settings = Path(folder) / "tracefind"
    settings.mkdir()
    seen = Path(folder) / "seen"
    (settings / "config").write_text(f"pager = tee {seen}\n")
    home = {"XDG_CONFIG_HOME": folder}
    lines, read = paged(program, folder, {"PAGER": "false", **home})
    equal(lines, plain)
    equal("SELECT preferences" in read, True)
    _, read = paged(program, folder, {"TRACEFIND_PAGER": "cat", **home})
    equal(read, None)
    # One that leaves early is no failure.
    lines, _ = paged(program, folder, {"PAGER": "head -n 1"})
    equal(lines, plain[:1])
    # Where there is no less, nobody complains.
    empty = Path(folder) / "empty"
    empty.mkdir()
    equal(paged(program, folder, {"PATH": str(empty)})[0], plain)
    equal(complaint(program, {"TERM": "xterm", "PATH": str(empty)}), b"")
    # Its settings unless there are others.
    lines, _ = paged(program, folder, {"PAGER": 'echo "$LESS$LV"'})
    equal(lines, ["FRX-c"])


def check_trace_of_file(program, _):
    """Whoever names no server of profiles is told that a file does, too."""
    trace = str(TESTDATA / "otlp" / "b.json")
    lines = shown(program, 200, "slow", trace, "--no-pager")
    equal(lines[-3:], [f"next  tracefind show {trace}",
                       f"      tracefind slow {trace} --why",
                       f"      tracefind slow {trace} --profiles-url file:PROFILE"])


SLOW = """{"routes": [{"path": "/querier.v1.QuerierService/LabelValues",
    "reply": {"delay_ms": 1600, "headers":
    {"Content-Type": "application/json"}, "json": {"names": ["cart"]}}},
    {"reply": {"delay_ms": 1600, "headers":
    {"Content-Type": "application/json"}, "json": {}}}]}"""


def on_terminal(program, *words, stop=None, until=b"", term="xterm"):
    """Standard error of a run as a terminal gets it, and the status; `stop`
    is sent as soon as `until` was read."""
    ours, theirs = terminal(60)
    before = termios.tcgetattr(theirs)
    run = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=theirs,
                           env={"TERM": term})
    data = b""
    while run.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.05)[0]:
            data += os.read(ours, 65536)
        if stop and until in data:
            run.send_signal(stop)
            stop = None
    equal(termios.tcgetattr(theirs), before)
    os.close(theirs)
    os.close(ours)
    return data, run.wait(LIMIT_S)


ERASE = b"\r\x1b[K"


def check_progress(program, _):
    """A line after a second, no wider than the terminal, then gone."""
    with Server(SLOW) as server:
        data, status = on_terminal(program, "services", "--profiles-url",
                                   server.url)
    equal(status, 5)
    lines = data.split(ERASE)
    equal(len(lines) > 2, True)
    equal(lines[0], b"")
    equal(lines[1].startswith(b"tracefind: waiting for "), True)
    equal(max(map(len, lines[1:-1])) < 60, True)
    equal(lines[-1].startswith(b"tracefind: no profiles"), True)


def check_no_progress(program, folder):
    """None when quiet, with -v, on a poor terminal, or where nobody looks."""
    with Server(SLOW) as server:
        words = ("services", "--profiles-url", server.url)
        for data, _ in (on_terminal(program, *words, "-q"),
                        on_terminal(program, *words, "-v"),
                        on_terminal(program, *words, term="dumb")):
            equal(b"waiting" in data or b"\x1b" in data, False)
        with open(f"{folder}/err", "wb") as err:
            subprocess.run([program, *words], stderr=err, timeout=LIMIT_S,
                           stdout=subprocess.DEVNULL, env={"TERM": "xterm"})
        data = Path(f"{folder}/err").read_bytes()
        equal(b"waiting" in data or b"\x1b" in data, False)


def check_config_init(program, folder):
    """Three questions, each again until its answer is understood."""
    ours, theirs = terminal(80)
    env = {**ENV, "HOME": folder, "TERM": "xterm"}
    env.pop("XDG_CONFIG_HOME", None)
    run = subprocess.Popen([program, "config", "init"], stdin=theirs,
                           stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    os.write(ours, b"localhost:3200\nnonsense\n\nhttp://prometheus:9090\n")
    shown = read_all(ours).decode()
    equal(run.wait(LIMIT_S), 0)
    for question, times in (("Where is your Tempo", 1),
                            ("Where is your Pyroscope", 2),
                            ("Where is your Prometheus", 1),
                            ("an address begins with", 1),
                            ("tracefind doctor", 1)):
        equal((question, shown.count(question)), (question, times))
    equal(Path(folder, ".config/tracefind/config").read_text(),
          "traces-url = localhost:3200\nmetrics-url = http://prometheus:9090\n")


def check_config_init_ends(program, folder):
    """Without the last answer nothing is written."""
    ours, theirs = terminal(80)
    run = subprocess.Popen([program, "config", "init"], stdin=theirs,
                           stdout=theirs, stderr=theirs,
                           env={"HOME": folder, "TERM": "xterm"})
    os.close(theirs)
    os.write(ours, b"http://tempo:3200\n\x04")
    shown = read_all(ours).decode()
    equal((run.wait(LIMIT_S), "nothing was written" in shown), (2, True))
    equal(list(Path(folder).iterdir()), [])


def check_interrupt_on_terminal(program, folder):
    """The line is taken away, the terminal is as it was, no file is left."""
    for number, wanted in ((signal.SIGINT, 130),
                           (signal.SIGTERM, -signal.SIGTERM)):
        with Server(SILENT) as server:
            data, status = on_terminal(
                program, "services", "--profiles-url", server.url, "-o",
                f"json={folder}/out.json", "--record", f"{folder}/case.har",
                stop=number, until=b"waiting")
        equal(status, wanted)
        equal(data.endswith(ERASE), True)
        equal(list(Path(folder).iterdir()), [])


def press_interrupt(program, sign, *words, env):
    """Ctrl-C on the terminal of a run, which all its processes get, as soon as
    one of them has written the file `sign`; gives the status."""
    for end in open_terminal():
        os.close(end)
    pid, ours = pty.fork()
    if pid == 0:
        os.execve(program, [program, *words], {**ENV, "TERM": "xterm", **env})
    end = time.monotonic() + LIMIT_S
    try:
        while not sign.exists():
            if time.monotonic() > end:
                raise AssertionError("it never came to that")
            time.sleep(0.02)
        before = termios.tcgetattr(ours)
        os.write(ours, b"\x03")
        while (done := os.waitpid(pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        equal(termios.tcgetattr(ours), before)
    finally:
        os.close(ours)
    return os.waitstatus_to_exitcode(done[1])


def check_interrupt_token_command(program, folder):
    """Nobody waits for it any more, nor does it go on."""
    sign = Path(folder) / "sign"
    settings = Path(folder) / "tracefind"
    settings.mkdir()
    (settings / "config").write_text(
        "traces-url = tempo+http://127.0.0.1:1\n"
        f"traces-token-command = echo $$ >{sign}.new; "
        f"mv {sign}.new {sign}; exec sleep 60\n")
    status = press_interrupt(program, sign, "show", TRACE, "--record",
                             f"{folder}/case.har",
                             env={"XDG_CONFIG_HOME": folder})
    equal(status, 130)
    equal(sorted(p.name for p in Path(folder).iterdir()), ["sign", "tracefind"])
    end = time.monotonic() + LIMIT_S
    while Path(f"/proc/{sign.read_text().strip()}").exists():
        if time.monotonic() > end:
            raise AssertionError("the command still runs")
        time.sleep(0.02)


def check_interrupt_pager(program, folder):
    """The key is the pager's: this one ends, and what it showed was all."""
    sign = Path(folder) / "sign"
    status = press_interrupt(
        program, sign, "show", str(TESTDATA / "otlp" / "b.json"),
        env={"PAGER": f"cat >/dev/null; touch {sign}; exec sleep 60"})
    equal(status, 0)


def check_interrupt_keeps_old_file(program, folder):
    """What stood there before stays whole."""
    old = Path(folder) / "out.json"
    old.write_text("old")
    with Waiting(program, folder, "-o", "json=out.json") as run:
        run.send_signal(signal.SIGTERM)
        equal(run.wait(LIMIT_S), -signal.SIGTERM)
    equal(old.read_text(), "old")
    equal(sorted(p.name for p in Path(folder).iterdir()), ["log", "out.json"])


def check_colors(program, _):
    """Terminals that have them get colours, unless they are not wanted."""
    words = ("show", str(TESTDATA / "otlp" / "b.json"), "--no-pager")
    for term, wanted, env in (
            ("xterm", True, {}), ("linux", True, {}), ("vt100", False, {}),
            ("vt220", False, {}), ("dumb", False, {}),
            ("xterm-mono", False, {}), ("", False, {}),
            ("xterm", False, {"NO_COLOR": "1"}),
            ("xterm", True, {"NO_COLOR": ""}),
            ("xterm", True, {"FORCE_COLOR": "0"}),
            ("dumb", True, {"FORCE_COLOR": "1"}),
            ("vt100", True, {"CLICOLOR_FORCE": "1"})):
        data = sent(program, 80, *words, env={"TERM": term, **env})
        equal((term, env, b"\x1b[" in data), (term, env, wanted))


def check_character_set(program, _):
    """A terminal of a locale without UTF-8 gets ASCII, and one that says
    nothing, too."""
    words = ("show", str(TESTDATA / "otlp" / "b.json"), "--no-pager")
    nothing = {"LC_ALL": "", "LC_CTYPE": "", "LANG": ""}
    for locale, is_ascii in (({}, True), ({"LC_ALL": "C"}, True),
                             ({"LANG": "C.UTF-8"}, False),
                             ({"LC_ALL": "C", "LANG": "C.UTF-8"}, True)):
        data = sent(program, 80, *words, env={**nothing, **locale})
        equal((locale, data.isascii()), (locale, is_ascii))


def check_widths(program, _):
    """No line is wider than the terminal, and a wide one is made use of."""
    closed = ("--traces-url", "http://127.0.0.1:1", "--profiles-url",
              "https://127.0.0.1:1", "--retry", "0")
    for words in (["types", "--guide"], ["doctor", *closed]):
        narrow = shown(program, 80, *words, "--no-pager")
        wide = shown(program, 200, *words, "--no-pager")
        equal(max(map(len, narrow)) <= 80, True)
        equal(80 < max(map(len, wide)) <= 200, True)
        equal(" ".join(narrow).split(), " ".join(wide).split())


def check_doctor_times(program, _):
    """At a terminal by the zone of whoever sits there, but in commands."""
    words = ["doctor", str(TESTDATA / "otlp" / "b.json"), "--no-pager",
             "--traces-url", "http://127.0.0.1:1", "--profiles-url",
             "http://127.0.0.1:1", "--retry", "0"]
    now = {"TRACEFIND_NOW": "2026-11-21T12:00:00Z"}
    for zone, began in (("IST-5:30", "2026-11-21 08:03:38 +05:30"),
                        ("UTC", "2026-11-21 02:33:38 UTC")):
        lines = shown(program, 200, *words, env={**now, "TZ": zone})
        text = "\n".join(lines)
        equal(f"began {began}, 9 h 26 m ago" in text, True)
    piped = subprocess.run([program, *words], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False,
                           env={**ENV, **now, "TZ": "IST-5:30"}).stdout
    equal(b"began 2026-11-21T02:33:38Z, 9 h" in piped, True)


def check_late_gnutls(program, folder):
    """GnuTLS, where libcurl brings it along, asks the program whether to wait
    with its start, and is told by no variable of the environment. A build that
    links libcurl (-Dlazy=false) lets it start."""
    linked = subprocess.run([program], stdout=subprocess.PIPE, timeout=LIMIT_S,
                            env={"LD_TRACE_LOADED_OBJECTS": "1"}).stdout
    if b"libcurl" in linked:
        return
    log = Path(folder, "bindings")
    subprocess.run(
        [program, "show", TRACE, "--traces-url", "tempo+http://127.0.0.1:1",
         "--retry", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PATH": "/bin", "HOME": folder, "LD_DEBUG": "bindings",
             "LD_DEBUG_OUTPUT": str(log)}, timeout=LIMIT_S)
    lines = "".join(p.read_text(errors="replace")
                    for p in Path(folder).glob("bindings.*"))
    asked = re.findall(r"libgnutls\S* \[0\] to (\S+) .*"
                       r"`_gnutls_global_init_skip'", lines)
    if "libgnutls" in lines and "libcurl" in lines:
        equal([Path(name).name for name in asked], [Path(program).name])


if __name__ == "__main__":
    sys.exit(report(globals()))
