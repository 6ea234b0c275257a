# SPDX-License-Identifier: Apache-2.0
"""A vt100 that remembers what is on its screen, and a program on it.

The program runs as a job of a shell does: in a session with a terminal of its
own, in a process group that a parent in the same session can see stop.
"""
import codecs
import errno
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import open_terminal  # noqa: E402

SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([@-~])|[()][A-Za-z0-9]|"
                      r"[A-Za-z0-9=>])")
# A sequence that has not come to its end yet.
PART = re.compile(r"\x1b(?:\[[?>]?[0-9;]*|[()])?\Z")


class Screen:
    """Knows what terminfo's vt100 makes ncurses write."""

    def __init__(self, rows, columns):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rest = ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1
        self.cells = [[" "] * columns for _ in range(rows)]

    def feed(self, data):
        text = self.rest + self.decoder.decode(data)
        at = 0
        self.rest = ""
        while at < len(text):
            match = SEQUENCE.match(text, at)
            if match:
                self.obey(match)
                at = match.end()
            elif PART.match(text, at):
                self.rest = text[at:]
                return
            else:
                self.write(text[at])
                at += 1

    def write(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            if self.row == self.bottom:
                self.scroll(1)
            else:
                self.row = min(self.row + 1, self.rows - 1)
        elif char == "\b":
            self.column = max(self.column - 1, 0)
        elif char >= " ":
            if self.column == self.columns:
                self.column = 0
                self.row = min(self.row + 1, self.rows - 1)
            self.cells[self.row][self.column] = char
            self.column += 1

    def obey(self, match):
        private, numbers, final = match.groups()
        if match[0] == "\x1bM":
            if self.row == self.top:
                self.scroll(-1)
            else:
                self.row = max(self.row - 1, 0)
        if final is None or private:
            return
        given = [int(n) if n else 0 for n in numbers.split(";")]
        count = max(given[0], 1)
        if final == "H":
            given += [1]
            self.row = min(max(given[0], 1), self.rows) - 1
            self.column = min(max(given[1], 1), self.columns) - 1
        elif final == "A":
            self.row = max(self.row - count, 0)
        elif final == "B":
            self.row = min(self.row + count, self.rows - 1)
        elif final == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif final == "D":
            self.column = max(self.column - count, 0)
        elif final == "r":
            self.top = max(given[0], 1) - 1
            self.bottom = (given + [0])[1] or self.rows
            self.bottom -= 1
            self.row = self.column = 0
        elif final == "K":
            self.clear(self.row, given[0])
        elif final == "J":
            self.clear(self.row, given[0])
            after = range(self.row + 1, self.rows)
            for row in (after if given[0] == 0 else range(self.rows)):
                self.clear(row, 2)

    def scroll(self, lines):
        """Within the region, up by lines or down."""
        blank = [[" "] * self.columns for _ in range(abs(lines))]
        part = self.cells[self.top:self.bottom + 1]
        part = part[lines:] + blank if lines > 0 else blank + part[:lines]
        self.cells[self.top:self.bottom + 1] = part

    def clear(self, row, how):
        first = self.column if how == 0 else 0
        end = self.column + 1 if how == 1 else self.columns
        for column in range(first, min(end, self.columns)):
            self.cells[row][column] = " "

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())


class Program:
    """Runs until it ends or close(). data: all it wrote."""

    def __init__(self, args, rows=24, columns=80, term="vt100", env=None,
                 ignored=()):
        self.screen = Screen(rows, columns)
        self.data = b""
        self.status = None
        self.is_stopped = False
        self.master, self.slave = open_terminal()
        self.set_size(rows, columns)
        self.modes = termios.tcgetattr(self.slave)
        self.reports, write = os.pipe()
        self.shell = os.fork()
        if not self.shell:
            os.close(self.master)
            os.close(self.reports)
            environment = {"TERM": term, "TZ": "UTC", "LC_ALL": "C.UTF-8",
                           "PATH": os.environ.get("PATH", "")}
            for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
                if name in os.environ:
                    environment[name] = os.environ[name]
            environment.update(env or {})
            self.be_shell(args, environment, ignored, write)
        os.close(write)
        self.pid = struct.unpack("i", os.read(self.reports, 4))[0]

    def be_shell(self, args, env, ignored, write):
        """Starts the job and reports its pid and how it stops and ends."""
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for number in (signal.SIGHUP, signal.SIGTTOU):
            signal.signal(number, signal.SIG_IGN)
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpid())
            for number in (signal.SIGHUP, signal.SIGTTOU, signal.SIGPIPE,
                           signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_IGN if number in ignored
                              else signal.SIG_DFL)
            for fd in range(3):
                os.dup2(self.slave, fd)
            os.execve(args[0], args, env)
        # Only the job has the terminal, else it would never be gone.
        for fd in (0, 1, 2, self.slave):
            os.close(fd)
        os.write(write, struct.pack("i", pid))
        status = None
        while status is None or os.WIFSTOPPED(status):
            status = os.waitpid(pid, os.WUNTRACED)[1]
            os.write(write, struct.pack("i", status))
        os._exit(0)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.set_size(rows, columns)

    def send(self, text):
        os.write(self.master, text.encode())

    def kill(self, number):
        os.kill(self.pid, number)

    def take(self, wait_s):
        """What comes within a time; whether anything did."""
        fds = [fd for fd in (self.master, self.reports) if fd >= 0]
        ready = select.select(fds, [], [], wait_s)[0]
        if self.master in ready:
            try:
                data = os.read(self.master, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                data = b""
            self.data += data
            self.screen.feed(data)
        if self.reports in ready:
            report = os.read(self.reports, 4)
            if not report:
                os.close(self.reports)
                self.reports = -1
            else:
                status = struct.unpack("i", report)[0]
                self.is_stopped = os.WIFSTOPPED(status)
                if not self.is_stopped:
                    self.status = status
        return bool(ready)

    def until(self, condition, what, limit_s=30):
        """Reads until the condition holds; raises after the limit."""
        end = time.monotonic() + limit_s
        while not condition():
            if self.status is not None and not self.take(0.2):
                raise AssertionError(f"ended before {what}: "
                                     f"{self.data[-600:]!r}")
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come; the screen:\n"
                                     + self.screen.text())
            self.take(0.1)

    def shows(self, text, limit_s=30):
        self.until(lambda: text in self.screen.text(), repr(text), limit_s)

    def hides(self, text, limit_s=30):
        self.until(lambda: text not in self.screen.text(),
                   f"the end of {text!r}", limit_s)

    def end(self, limit_s=30):
        """The exit status as of a shell, once all output is read."""
        self.until(lambda: self.status is not None, "the end", limit_s)
        while self.master >= 0 and self.take(0.1) and \
                select.select([self.master], [], [], 0)[0]:
            pass
        if os.WIFSIGNALED(self.status):
            return 128 + os.WTERMSIG(self.status)
        return os.WEXITSTATUS(self.status)

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.kill(self.pid, signal.SIGCONT)
        os.waitpid(self.shell, 0)
        for fd in (self.master, self.slave, self.reports):
            if fd >= 0:
                os.close(fd)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


def equal(found, wanted, what):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, not {wanted!r}")


def check_restored(program):
    """Modes of the line, and in xterm's words alternate screen, cursor, keys
    and mouse."""
    equal(termios.tcgetattr(program.slave), program.modes, "the modes")
    for name in (b"1049", b"25", b"1", b"1000"):
        found = re.findall(rb"\x1b\[\?(?:\d+;)*%s(?:;\d+)*([hl])" % name,
                           program.data)
        if found:
            equal(found[-1], b"h" if name == b"25" else b"l",
                  f"mode {name.decode()}")
