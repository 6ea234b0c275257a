# SPDX-License-Identifier: Apache-2.0
"""Files of ours in a headless Chromium, used as a person does: $CHROMIUM, else
one in the path. Driven over its pipe, with the standard library only; nothing
listens on a port."""
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tap import Tap, lack, skip_all

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 60

# Names that become something else where they are not escaped.
CANARIES = [
    "</title><script>window.canary=1</script>",
    "\"><image href=x onerror=window.canary=1>",
    "]]></script><script>window.canary=1//",
    "&lt;script&gt;window.canary=1&lt;/script&gt;",
    "javascript:window.canary=1",
    "${window.canary=1}`'\"",
    "<svg onload=window.canary=1>",
]
# A trace of testdata/cases/n-plus-one.har.gz.
TRACE = "bc3c20d5b1e18038e8dba50f99cc6d1d"
# Two profiles with all that a comparison tells.
BEFORE = """main;serve;load 3000
main;serve;old;query 1000
main;serve;steady 4000
main;idle 2000
"""
AFTER = """main;serve;load;parse(int, char) 6000
main;serve;load 1000
main;serve;steady 4000
main;serve;com.acme.shop.cart.Cart.total 1000
main;idle 2000
"""


class Browser:
    """One Chromium with one page."""

    def __init__(self, program, folder):
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        args = [program, "--headless", "--remote-debugging-pipe",
                "--disable-gpu", "--no-first-run", "--disable-extensions",
                "--disable-background-networking",
                "--disable-ipc-flooding-protection", "--hide-scrollbars",
                f"--user-data-dir={folder}", "about:blank"]
        if os.geteuid() == 0:
            args.insert(1, "--no-sandbox")
        # Chromium reads from 3 and writes to 4, whatever these are here.
        script = (f'exec 5<&{to_read} 6>&{from_write}; '
                  'exec 3<&5 4>&6 5<&- 6>&-; exec "$@"')
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *args],
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.source, selectors.EVENT_READ)
        self.rest, self.number, self.session = b"", 0, None
        self.events = []
        self.open_page()

    def open_page(self):
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"],
            flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def message(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                raise TimeoutError("the browser does not answer")
            data = os.read(self.source, 1 << 20)
            if not data:
                raise EOFError("the browser went away")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                break
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_for(self, method):
        until = time.monotonic() + PATIENCE_S
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.message(until))

    def of(self, method):
        return [e["params"] for e in self.events if e.get("method") == method]

    def open(self, path):
        self.events = []
        url = path if "://" in str(path) else Path(path).as_uri()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key, text=""):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowUp": 38,
                 "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39}
        code = codes.get(key, ord(key[0]))
        extra = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key,
                  windowsVirtualKeyCode=code, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key,
                  windowsVirtualKeyCode=code)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                  button="left" if kind != "mouseMoved" else "none",
                  clickCount=0 if kind == "mouseMoved" else 1)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def resize(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=900, deviceScaleFactor=1, mobile=False)
        self.js("new Promise(r => setTimeout(r, 100))")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Page(Tap):
    """What tests of one kind of file do with it, and what they find."""

    look = ""  # what runs in each page first, for the test's questions
    own_words = None  # on the console that only the test's questions cause

    def __init__(self, browser, program, folder):
        super().__init__()
        self.b, self.program, self.folder = browser, program, Path(folder)
        self.case = (Path(os.environ["TESTDATA"]) / "cases"
                     / "n-plus-one.har.gz")

    def check(self, is_right, what, found=None):
        super().check(is_right, what, f"found {found!r}")

    def near(self, found, wanted, what, by=1.0):
        self.check(abs(float(found) - wanted) <= by, what, found)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def draw(self, name, *args):
        """What the program makes of the arguments; the suffix is its
        format."""
        path = self.folder / name
        subprocess.run(
            [self.program, *map(str, args), "-o", f"{path.suffix[1:]}={path}"],
            check=True, stdout=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        return path

    def open(self, path):
        self.b.open(path)
        self.b.js(self.look)

    def wait(self, ms=60):
        self.b.js(f"new Promise(r => setTimeout(r, {ms}))")

    def media(self, scheme):
        self.b.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.wait(150)

    def quiet(self, what):
        """No error, no word on the console, no request but the file's."""
        b = self.b
        self.wait()
        told = (b.of("Runtime.exceptionThrown")
                + b.of("Runtime.consoleAPICalled")
                + [e for e in b.of("Log.entryAdded") if not self.own_words
                   or self.own_words not in e["entry"]["text"]])
        self.equal(told, [], f"{what}: nothing on the console")
        urls = [r["request"]["url"] for r in b.of("Network.requestWillBeSent")]
        self.check(len(urls) == 1 and urls[0].startswith("file:"),
                   f"{what}: one request, for the file", urls)

    def run(self):
        raise NotImplementedError


def find_chromium():
    for name in (os.environ.get("CHROMIUM"), *NAMES):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


def main(kind):
    """Runs one kind of Page with the program that the command line names; the
    exit status."""
    chromium = find_chromium()
    if not chromium or not shutil.which("bash"):
        return skip_all(lack("bash" if chromium else "chromium"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(chromium, f"{folder}/browser")
        try:
            page = kind(browser, sys.argv[1], folder)
            page.run()
            return page.end()
        finally:
            browser.close()
