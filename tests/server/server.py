#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted HTTP/1.1 server for tests. Python 3 standard library only.

    server.py SCRIPT.json [options]     routes from a file
    server.py --script JSON [options]   routes from the argument

It binds a free port of 127.0.0.1, prints "PORT\\n" on standard output and
serves until its standard input closes or --limit seconds (60) have passed.

    --root DIR    where "file" replies lie; default: the script's folder,
                  else $TESTDATA
    --log FILE    one JSON object a line for each request: n, connection,
                  active (requests in progress, this one included), ms (since
                  the start), method, path, headers (lower-case names), body
                  (text, or "base64:..." when it is not UTF-8)
    --tls CERT KEY   speak TLS

The script is {"routes": [ROUTE...], "default": REPLY}. The first route that
fits answers; without one the default does (404 "404 page not found"). What
else a script may say:
    google    the server plays Google Cloud after the routes: see google.py
    like      PATH of another script, whose routes are used
    require   conditions of a ROUTE that every request meets, or gets "else"
              (a REPLY; default 403); prefix is that of the whole target, as a
              proxy gets it
    first     REPLY: what every request gets the first time
    tls       true: as --tls with testdata/tls; "client": who shows no
              certificate, that same one, is refused

ROUTE, all conditions optional:
    method    "GET"
    path      path with query, exactly          prefix   only its beginning
    headers   {"Accept": "text/plain"}; null: must be absent
    body      whole body as text                body_base64   as bytes
    body_contains   text in the body
    reply     one REPLY, or
    replies   a list: the nth fitting request gets the nth, later ones the last

REPLY, all optional:
    status, reason   200, "OK"
    headers   {"Content-Type": "..."}; a list of values repeats the header
    text | json | base64 | file | zeros   the body; zeros: N times NUL
    gzip      true: packed, with Content-Encoding (zeros + gzip = a bomb);
              members: N packs it N times, one member after another
    chunked   true: no Content-Length, chunks of chunk_bytes (4096)
    content_length   a number to claim instead of the true one; null: none,
              the end of the connection ends the body
    redirect  a Location; status becomes 302
    echo      true: body is the request's head and body as they came
    header_bytes   adds an X-Padding header of so many bytes
    delay_ms  before the answer
    silent    true: reads the request and never answers
    cut       closes after so many bytes of the body
    reset     true: RST instead of an answer; with cut: RST instead of FIN
    stall     [N, ms]: pauses for ms after N bytes of the body
    raw       text sent as it is instead of an HTTP answer, then close
    close     true: Connection: close
"""
import argparse
import base64
import functools
import gzip
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
import zlib

PIECE = 65536

# First byte of a client that speaks TLS; real servers answer it in http.
TLS_HELLO = b"\x16"


class Script:
    """The routes, the count of calls, the log."""

    def __init__(self, data, root, log_path, now=None):
        self.routes = data.get("routes", [])
        self.require = dict(data.get("require", {}))
        self.refusal = self.require.pop("else", {"status": 403})
        self.first = data.get("first")
        self.asked = set()
        self.default = data.get("default", {
            "status": 404, "text": "404 page not found\n",
            "headers": {"Content-Type": "text/plain; charset=utf-8"}})
        self.root = root
        self.google = google_of(data.get("google"), root, now)
        self.lock = threading.Lock()
        self.calls = [0] * len(self.routes)
        self.requests = 0
        self.active = 0
        self.begun = time.monotonic()
        self.log = open(log_path, "a", encoding="utf-8") if log_path else None

    def enter(self, request, connection):
        """Counts and logs a request; returns its reply."""
        with self.lock:
            self.requests += 1
            self.active += 1
            if self.log:
                ms = int((time.monotonic() - self.begun) * 1000)
                row = {"n": self.requests, "connection": connection,
                       "active": self.active, "ms": ms,
                       "method": request.method, "path": request.path,
                       "headers": request.headers,
                       "body": as_text(request.body)}
                self.log.write(json.dumps(row) + "\n")
                self.log.flush()
            if not fits(self.require, request, request.target):
                return self.refusal
            question = request.path, request.body
            if self.first and question not in self.asked:
                self.asked.add(question)
                return self.first
            for index, route in enumerate(self.routes):
                if fits(route, request, request.path):
                    self.calls[index] += 1
                    replies = route.get("replies") or [route.get("reply", {})]
                    return replies[min(self.calls[index], len(replies)) - 1]
            played = self.google and self.google.answer(request)
        return played or self.default

    def leave(self):
        with self.lock:
            self.active -= 1


def google_of(config, root, now):
    """Loaded only where it is asked for."""
    if config is None:
        return None
    import google
    return google.Google(config, root, now)


class Request:
    def __init__(self, method, target, headers, head, body):
        self.method = method
        self.target = target
        self.path = re.sub("^http://[^/]*", "", target)
        self.headers = headers
        self.head = head
        self.body = body


def as_text(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data).decode("ascii")


def without_select(path):
    """What a search asks to be told with its traces changes nothing of which
    they are: --replay does the same."""
    return re.sub(r"%7Cselect%28.*?%29", "%7Cselect", path)


def fits(route, request, path):
    if route.get("method", request.method) != request.method:
        return False
    if without_select(route.get("path", path)) != without_select(path):
        return False
    if not path.startswith(route.get("prefix", "")):
        return False
    for name, value in route.get("headers", {}).items():
        if request.headers.get(name.lower()) != value:
            return False
    if "body" in route and route["body"].encode() != request.body:
        return False
    if ("body_base64" in route and
            base64.b64decode(route["body_base64"]) != request.body):
        return False
    return route.get("body_contains", "").encode() in request.body


def read_request(stream):
    """The next request of a connection, or None at its end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline(PIECE)
        if not line:
            return None
        head += line
    lines = head.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Request(method, path, headers, head, body)


def reply_body(script, reply, request):
    """The plain body, as an iterable of pieces."""
    if reply.get("echo"):
        return [request.head + request.body]
    if "text" in reply:
        return [reply["text"].encode("utf-8")]
    if "json" in reply:
        return [json.dumps(reply["json"]).encode("utf-8")]
    if "base64" in reply:
        return [base64.b64decode(reply["base64"])]
    if "file" in reply:
        with open(os.path.join(script.root, reply["file"]), "rb") as file:
            return [file.read()]
    return zeros(reply.get("zeros", 0))


def zeros(count):
    while count > 0:
        yield bytes(min(count, PIECE * 16))
        count -= PIECE * 16


def packed(pieces):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for piece in pieces:
        data = packer.compress(piece)
        if data:
            yield data
    yield packer.flush()


@functools.lru_cache
def packed_text(text):
    """Once, of answers that many runs get."""
    return b"".join(packed([text.encode("utf-8")]))


def body_pieces(script, reply, request):
    pieces = reply_body(script, reply, request)
    if reply.get("members"):
        plain = b"".join(pieces)
        return [gzip.compress(plain, mtime=0)] * reply["members"]
    if reply.get("gzip") and "text" in reply:
        return [packed_text(reply["text"])]
    return packed(pieces) if reply.get("gzip") else pieces


def head_bytes(reply, length):
    status = reply.get("status", 302 if "redirect" in reply else 200)
    lines = ["HTTP/1.1 %d %s" % (status, reply.get("reason", "OK"))]
    headers = dict(reply.get("headers", {}))
    if "redirect" in reply:
        headers["Location"] = reply["redirect"]
    if reply.get("gzip") or reply.get("members"):
        headers.setdefault("Content-Encoding", "gzip")
    if reply.get("header_bytes"):
        headers["X-Padding"] = "x" * reply["header_bytes"]
    if reply.get("chunked"):
        headers["Transfer-Encoding"] = "chunked"
    elif length is not None:
        headers["Content-Length"] = str(length)
    if reply.get("close"):
        headers["Connection"] = "close"
    for name, value in headers.items():
        for one in value if isinstance(value, list) else [value]:
            lines.append("%s: %s" % (name, one))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunks(pieces, size):
    for piece in pieces:
        for at in range(0, len(piece), size):
            part = piece[at:at + size]
            yield b"%x\r\n" % len(part) + part + b"\r\n"
    yield b"0\r\n\r\n"


def reset(sock):
    """Makes the coming close an RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))


class Broken(Exception):
    """The script wants this connection to end here."""


def send_body(sock, reply, pieces):
    cut = reply.get("cut")
    stall_at, stall_ms = reply.get("stall", (None, 0))
    sent = 0
    for piece in pieces:
        while piece:
            size = len(piece)
            for mark in (cut, stall_at):
                if mark is not None and mark > sent:
                    size = min(size, mark - sent)
            if cut is not None and sent >= cut:
                raise Broken
            if stall_at is not None and sent >= stall_at:
                time.sleep(stall_ms / 1000)
                stall_at = None
            sock.sendall(piece[:size])
            piece = piece[size:]
            sent += size
    if cut is not None:
        raise Broken


def answer(script, sock, request, reply):
    """Sends the reply; True when the connection may be used again."""
    if reply.get("delay_ms"):
        time.sleep(reply["delay_ms"] / 1000)
    if reply.get("silent"):
        time.sleep(3600)
    if reply.get("reset"):
        reset(sock)
        if "cut" not in reply:
            raise Broken
    if "raw" in reply:
        sock.sendall(reply["raw"].encode("latin-1"))
        return False
    pieces = body_pieces(script, reply, request)
    length = reply.get("content_length", -1)
    if length == -1 and not reply.get("chunked"):
        pieces = list(pieces)
        length = sum(len(piece) for piece in pieces)
    if request.method == "HEAD":
        pieces = []
    sock.sendall(head_bytes(reply, length))
    if reply.get("chunked"):
        pieces = chunks(pieces, reply.get("chunk_bytes", 4096))
    send_body(sock, reply, pieces)
    return not (reply.get("close") or "content_length" in reply)


def serve_connection(script, sock, number, tls):
    try:
        if tls:
            sock = tls.wrap_socket(sock, server_side=True)
        elif sock.recv(1, socket.MSG_PEEK) == TLS_HELLO:
            sock.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
            return
        stream = sock.makefile("rb")
        while True:
            request = read_request(stream)
            if request is None:
                return
            reply = script.enter(request, number)
            try:
                if not answer(script, sock, request, reply):
                    return
            finally:
                script.leave()
    except (Broken, OSError, ValueError):
        pass
    finally:
        # makefile() holds a reference; without shutdown the peer waits. After
        # reset() only close() may be called, or a FIN goes out first.
        try:
            if not sock.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER):
                sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        try:
            stream.close()
        except (NameError, OSError):
            pass
        sock.close()


def accept_loop(script, listener, tls):
    number = 0
    while True:
        try:
            sock, _ = listener.accept()
        except OSError:  # end() was called
            return
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        number += 1
        threading.Thread(target=serve_connection, daemon=True,
                         args=(script, sock, number, tls)).start()


def listen(script, tls, port=0):
    """Serves in the background; returns the socket that listens."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    threading.Thread(target=accept_loop, args=(script, listener, tls),
                     daemon=True).start()
    return listener


def end(listener):
    """No more connections; close() alone does not wake who waits for one."""
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def load(args):
    if args.script:
        data, root = json.loads(args.script), os.environ.get("TESTDATA", ".")
    else:
        data, root = read_json(args.file), os.path.dirname(
            os.path.abspath(args.file))
    if "like" in data:
        data["routes"] = read_json(data["like"])["routes"]
    return data, root


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def tls_context(wanted, files, root):
    """None, or what a server that speaks TLS needs."""
    if wanted:
        files = [os.path.join(root, "tls", f) for f in ("cert.pem", "key.pem")]
    if not files:
        return None
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*files)
    if wanted == "client":
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(files[0])
    return tls


def arguments(words=None):
    parser = argparse.ArgumentParser(description="scripted HTTP server")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--script")
    parser.add_argument("--root")
    parser.add_argument("--log")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    return parser.parse_args(words)


def begin(args, now=None):
    """As listen(), by arguments(); now: the clock of a Google."""
    data, root = load(args)
    script = Script(data, args.root or root, args.log, now)
    return listen(script, tls_context(data.get("tls"), args.tls, script.root))


def main():
    args = arguments()
    print(begin(args).getsockname()[1], flush=True)
    threading.Thread(target=lambda: (time.sleep(args.limit), os._exit(3)),
                     daemon=True).start()
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
