# SPDX-License-Identifier: Apache-2.0
"""A server that has its socket in hand, for what tests/server cannot script:
answers broken at any byte. Runs in threads of the test; what it is sent is
kept, byte by byte. Also the answers of case files, served again."""
import base64
import gzip
import json
import re
import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "server"),
                str(HERE.parent / "safety")]
import server  # noqa: E402

# A client that is gone wakes a server that waits; this is for one that is not.
PATIENCE_S = 60


class Link:
    """One connection: the ways of sending that a hostile server has."""

    def __init__(self, sock):
        self.sock = sock
        self.is_reset = False

    def send(self, *parts):
        for part in parts:
            self.sock.sendall(part if isinstance(part, bytes)
                              else part.encode("latin-1"))

    def drip(self, data, pause_s=0.02):
        """Slowly, one byte at a time."""
        for at in range(len(data)):
            self.sock.sendall(data[at:at + 1])
            time.sleep(pause_s)

    def flood(self, data):
        """For ever, that is until the client has had enough."""
        data *= 1 + 65536 // len(data)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.sock.sendall(data)

    def hold(self):
        """Says nothing more, until the client leaves."""
        self.sock.settimeout(PATIENCE_S)
        while self.sock.recv(65536):
            pass

    def reset(self):
        """An RST instead of a FIN. What was sent before has to arrive."""
        time.sleep(0.02)
        server.reset(self.sock)
        self.is_reset = True


class Wire:
    """answer(link, request) is called for each request, and says whether the
    connection may be used again. `requests` are server.Request, `heard` all
    bytes as they came, TLS taken off. greet(link) is all that is done with a
    connection, when it is there. also: more addresses, at the same port."""

    def __init__(self, answer, tls=None, greet=None, also=()):
        self.answer, self.tls, self.greet = answer, tls, greet
        self.requests, self.heard, self.troubles = [], [], []
        self.faults = []  # the test's own
        self.connections = 0
        self.lock = threading.Lock()
        self.listeners = self.bind("127.0.0.1", *also)
        self.port = self.listeners[0].getsockname()[1]
        for listener in self.listeners:
            listener.listen(64)
            threading.Thread(target=self.accept, args=(listener,),
                             daemon=True).start()
        self.host = f"127.0.0.1:{self.port}"
        self.url = ("https://" if tls else "http://") + self.host

    @staticmethod
    def bind(*addresses):
        """A port that is free at one address may be taken at another."""
        for tries_left in reversed(range(8)):
            listeners, port = [], 0
            try:
                for address in addresses:
                    listeners.append(socket.socket())
                    listeners[-1].bind((address, port))
                    port = listeners[0].getsockname()[1]
                return listeners
            except OSError:
                for listener in listeners:
                    listener.close()
                if not tries_left:
                    raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # close() alone leaves accept() waiting.
        for listener in self.listeners:
            try:
                listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            listener.close()
        if self.faults:
            raise self.faults[0]

    def accept(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self.serve, args=(sock,),
                             daemon=True).start()

    def serve(self, sock):
        link, stream = Link(sock), None
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(PATIENCE_S)
            if self.greet:
                self.heard.append(sock.recv(65536))
                self.greet(link)
                return
            if self.tls:
                link.sock = sock = self.tls.wrap_socket(sock, server_side=True)
            stream = sock.makefile("rb", buffering=65536)
            while True:
                request = server.read_request(stream)
                if request is None:
                    break
                with self.lock:
                    self.requests.append(request)
                    self.heard.append(request.head + request.body)
                if not self.answer(link, request):
                    break
        except (OSError, ValueError) as error:
            with self.lock:
                self.troubles.append(str(error))
        except Exception as error:
            self.faults.append(error)
        finally:
            self.close(link, stream)

    @staticmethod
    def close(link, stream):
        try:
            if not link.is_reset:
                link.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # makefile() holds the socket open.
        if stream:
            stream.close()
        link.sock.close()


class Answer:
    """Status, type and body of a good answer."""

    def __init__(self, status, kind, body):
        self.status, self.kind, self.body = status, kind, body

    def head(self, *lines, status=None, kind=True):
        """Status line and headers, with Content-Type unless kind is False;
        the length is up to the caller."""
        if kind:
            lines = (f"Content-Type: {self.kind}", *lines)
        text = "".join(f"{line}\r\n" for line in lines)
        return f"HTTP/1.1 {status or f'{self.status} OK'}\r\n{text}\r\n".encode(
            "latin-1")

    def whole(self):
        return self.head(f"Content-Length: {len(self.body)}") + self.body


class Recorded:
    """The answers of a case file (--record), by what was asked."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        log = json.loads(gzip.decompress(data) if path.suffix == ".gz"
                         else data)["log"]
        self.now = log["_tracefind"]["now"]
        self.args = [arg for arg in log["_tracefind"]["args"]
                     if "-url=" not in arg]
        self.answers = {}
        for entry in log["entries"]:
            asked, got = entry["request"], entry["response"]
            content = got["content"]
            body = decoded(content.get("text", ""), content.get("encoding"))
            target = "/" + asked["url"].split("/", 3)[3]
            post = asked.get("postData", {})
            key = (asked["method"], server.without_select(target),
                   decoded(post.get("text", ""), post.get("_encoding")))
            kind = content.get("mimeType") or "application/octet-stream"
            self.answers.setdefault(key, Answer(got["status"], kind, body))

    def find(self, request):
        missing = Answer(404, "text/plain", b"404 page not found\n")
        path = server.without_select(request.path)
        asked = (request.method, path, request.body)
        return self.answers.get(asked) or next(
            (answer for key, answer in self.answers.items()
             if alike(key) == alike(asked)), missing)


def alike(asked):
    """As --replay takes them: whatever the number of traces and the labels of
    series that are asked for."""
    method, path, body = asked
    if path.endswith("/Series"):
        body = re.sub(rb'"labelNames":\[[^]]*\]', b"", body)
        body = body if body.startswith(b"{") else b""
    return method, re.sub(r"\b(limit|num_traces)=\d+", r"\1=", path), body


def decoded(text, encoding):
    return base64.b64decode(text) if encoding == "base64" else text.encode()


def good(recorded):
    """Answers as the recorded server did."""
    def answer(link, request):
        link.send(recorded.find(request).whole())
        return True
    return answer


def broken(recorded, path, attack):
    """The same, but for requests whose path holds `path`: there
    attack(link, answer) sends what it likes, and the connection ends."""
    def answer(link, request):
        found = recorded.find(request)
        if path not in request.path:
            link.send(found.whole())
            return True
        return bool(attack(link, found))
    return answer
