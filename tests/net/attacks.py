# SPDX-License-Identifier: Apache-2.0
"""What a hostile server may answer, as functions attack(link, answer) on a
Link and the Answer that would be right (wire.py). all_attacks() lists them with
the statuses that the program may end with."""
import gzip
import struct
import zlib

from trial import BAD, DENIED, GOOD, NONE, UNREACHABLE

HTML = b"<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>"
ENDLESS = b"x" * 1024


class Attack:
    """statuses: what the run may end with; with GOOD among them the answer
    must be the right one. args: more options of the run. words: what the
    error says, one of them."""

    def __init__(self, title, act, *statuses, args=(), words=()):
        self.title, self.act, self.statuses = title, act, statuses
        self.args, self.words = list(args), words


def plain(*parts):
    """Sends these bytes and closes."""
    return lambda link, answer: link.send(*parts)


def headed(*lines, **more):
    """A head with these lines more, and the good body."""
    return lambda link, answer: link.send(answer.head(*lines, **more),
                                          answer.body)


def sized(*lines, **more):
    """The same with the length that it has."""
    return lambda link, answer: link.send(
        answer.head(*lines, f"Content-Length: {len(answer.body)}", **more),
        answer.body)


def body(make, *lines, **more):
    """The good head, with make(good body) for its body."""
    def act(link, answer):
        made = make(answer.body)
        link.send(answer.head(*lines, f"Content-Length: {len(made)}", **more),
                  made)
    return act


def packed(make):
    return body(make, "Content-Encoding: gzip")


def chunked(make, *lines):
    """make(good body) is what stands after the head of a chunked answer."""
    return lambda link, answer: link.send(
        answer.head("Transfer-Encoding: chunked", *lines), make(answer.body))


def chunk(data):
    return b"%x\r\n" % len(data) + data + b"\r\n"


# ---- ends and silence at every stage ----

def stages(answer):
    """Name -> how much is sent before the end."""
    head = answer.head(f"Content-Length: {len(answer.body)}")
    half = answer.body[:len(answer.body) // 2]
    pieces = answer.head("Transfer-Encoding: chunked") + chunk(half)
    rest = answer.body[len(half):]
    return {
        "before the answer": b"",
        "in the status line": b"HTTP/1.1 2",
        "after the status line": b"HTTP/1.1 200 OK\r\n",
        "in a header": head[:len(head) // 2],
        "before the blank line": head[:-2],
        "after the head": head,
        "in the body": head + half,
        "before the last byte": head + answer.body[:-1],
        "in a chunk's size": pieces + (b"%x" % len(rest))[:1],
        "in a chunk": pieces + chunk(rest)[:-10],
        "before the last chunk": pieces + chunk(rest),
        "in the last chunk": pieces + chunk(rest) + b"0\r",
    }


def at_stage(name, end):
    def act(link, answer):
        link.send(stages(answer)[name])
        end(link)
    return act


def ends():
    import wire
    for name in stages(wire.Answer(200, "text/plain", b"x" * 64)):
        for how, end in (("closed", lambda link: None),
                         ("reset", wire.Link.reset),
                         ("silent", wire.Link.hold)):
            yield Attack(f"{how} {name}", at_stage(name, end), UNREACHABLE)


# ---- slow and endless ----

def slowly(link, answer):
    link.drip(answer.whole(), 0.03)


def slow_body(link, answer):
    link.send(answer.head(f"Content-Length: {len(answer.body)}"))
    link.drip(answer.body, 0.03)


def slow_chunks(link, answer):
    link.send(answer.head("Transfer-Encoding: chunked"))
    for at in range(len(answer.body)):
        link.drip(chunk(answer.body[at:at + 1]), 0.03)


def slow_headers(link, answer):
    link.send("HTTP/1.1 200 OK\r\n")
    for number in range(100000):
        link.drip(b"X-%d: y\r\n" % number, 0.03)


def endless(head, data):
    def act(link, answer):
        link.send(head(answer) if callable(head) else head)
        link.flood(data)
    return act


def interim(link, answer, count=1000):
    link.send("HTTP/1.1 102 Processing\r\n\r\n" * count, answer.whole())


def slow_interim(link, _):
    for _ in range(100000):
        link.drip(b"HTTP/1.1 102 Processing\r\n\r\n", 0.01)


def pace():
    ok = b"HTTP/1.1 200 OK\r\n"
    chunks = "Transfer-Encoding: chunked"
    for title, act in (("slow", slowly), ("slow body", slow_body),
                       ("slow headers", slow_headers),
                       ("slow chunks", slow_chunks),
                       ("slow interim answers", slow_interim)):
        yield Attack(title, act, UNREACHABLE)
    large = {
        "endless status line": endless(b"HTTP/1.1 200 ", ENDLESS),
        "endless header line": endless(ok + b"X-Long: ", ENDLESS),
        "endless header name": endless(ok, ENDLESS),
        "endless headers": endless(ok, b"X-Many: " + b"y" * 90 + b"\r\n"),
        "endless small headers": endless(ok, b"a:b\r\n"),
        "endless folded header": endless(ok + b"X-Fold: a\r\n", b" b\r\n"),
        "endless interim answers":
            endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        "endless trailers": endless(
            lambda a: a.head(chunks) + chunk(a.body) + b"0\r\n",
            b"X-Trailer: " + b"y" * 90 + b"\r\n"),
        "endless chunk extension": endless(
            lambda a: a.head(chunks) + b"5;x=", ENDLESS),
        "endless digits of a chunk": endless(lambda a: a.head(chunks), b"0"),
        "300 KiB header": sized("X-Long: " + "y" * 300 * 1024),
        "300 KiB of headers":
            sized(*["X-Many: " + "y" * 1016] * 300),
    }
    for title, act in large.items():
        yield Attack(title, act, BAD, UNREACHABLE)
    for title, act in {
            "endless body": endless(lambda a: a.head(), ENDLESS),
            "endless body with a length": endless(
                lambda a: a.head("Content-Length: 9000000000000"), ENDLESS),
            "endless chunks": endless(lambda a: a.head(chunks),
                                      chunk(b"x" * 4000)),
            "endless tiny chunks": endless(lambda a: a.head(chunks),
                                           chunk(b"x"))}.items():
        yield Attack(title, act, BAD, UNREACHABLE)
    yield Attack("endless error page", endless(
        lambda a: a.head(status="500 Oops"), ENDLESS), UNREACHABLE)
    yield Attack("5,000 headers",
                 sized(*["X-%d: y" % n for n in range(5000)]), GOOD, BAD)
    yield Attack("60 KiB header", sized("X-Long: " + "y" * 60000), GOOD)
    yield Attack("1,000 interim answers", interim, GOOD)


# ---- not HTTP, or nearly ----

def heads():
    strange = {
        "an SSH server": b"SSH-2.0-OpenSSH_9.2p1\r\n",
        "a mail server": b"220 mail.example ESMTP ready\r\n",
        "a TLS alert": b"\x15\x03\x01\x00\x02\x02\x46",
        "an HTTP/2 server": b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" +
                            b"\x00\x03\x00\x00\x00\x80" * 3,
        "NULs": b"\0" * 4096,
        "every byte": bytes(range(256)) * 16,
        "a page without a head": HTML,
        "blank lines": b"\r\n" * 4096,
    }
    for title, data in strange.items():
        yield Attack(title, plain(data), UNREACHABLE)
    for line in ("HTTP/1.1 abc OK", "HTTP/1.1 -200 OK", "HTTP/1.1",
                 "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/9.9 200 OK",
                 "ICY 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 200\0 OK",
                 "HTTPS/1.1 200 OK"):
        yield Attack(f"status line {line!r}",
                     lambda link, answer, line=line: link.send(
                         f"{line}\r\nContent-Type: {answer.kind}\r\n"
                         f"Content-Length: {len(answer.body)}\r\n\r\n",
                         answer.body), UNREACHABLE, BAD)
    for title, line in {
            "NUL in a header": "X-Nul: a\0b",
            "NUL in a header's name": "X-N\0ul: a",
            "header without a colon": "nothing of the kind",
            "header without a name": ": value",
            "controls in a header": "X-Control: \x01\x1b[31m\x7f\x9b",
            "blank before the colon": "X-Blank : a",
            "bare CR in a header": "X-Bare: a\rX-Other: b"}.items():
        yield Attack(title, sized(line), GOOD, UNREACHABLE, BAD)
    yield Attack("bare line feeds", lambda link, answer: link.send(
        answer.head(f"Content-Length: {len(answer.body)}").replace(
            b"\r\n", b"\n"), answer.body), GOOD, UNREACHABLE, BAD)
    yield Attack("answer twice", lambda link, answer: link.send(
        answer.whole() * 2), GOOD)
    yield Attack("another answer behind it", lambda link, answer: link.send(
        answer.whole(), b"HTTP/1.1 500 Oops\r\n\r\n"), GOOD)


# ---- lengths ----

def lengths():
    wrong = (BAD, UNREACHABLE)
    yield Attack("length 5 short", lambda link, answer: link.send(
        answer.head(f"Content-Length: {len(answer.body) - 5}"),
        answer.body), *wrong)
    yield Attack("length 100 long", lambda link, answer: link.send(
        answer.head(f"Content-Length: {len(answer.body) + 100}"),
        answer.body), UNREACHABLE)

    def long_silent(link, answer):
        link.send(answer.head(f"Content-Length: {len(answer.body) + 100}"),
                  answer.body)
        link.hold()
    yield Attack("length 100 long, then silence", long_silent, UNREACHABLE)
    yield Attack("length '0'", headed("Content-Length: 0"), NONE, *wrong)
    for value in ("-1", "-9223372036854775808", "9223372036854775807",
                  "18446744073709551616", "99999999999999999999999999", "12abc",
                  "0x4d", "1e3", "", " ", "5 5", "\0"):
        yield Attack(f"length {value!r}",
                     headed(f"Content-Length: {value}"), *wrong)
    yield Attack("two different lengths", lambda link, answer: link.send(
        answer.head(f"Content-Length: {len(answer.body) - 7}",
                    f"Content-Length: {len(answer.body)}"),
        answer.body), *wrong)
    yield Attack("two different lengths in one", lambda link, answer: link.send(
        answer.head(f"Content-Length: {len(answer.body) - 7}, "
                    f"{len(answer.body)}"), answer.body), *wrong)
    yield Attack("the same length twice", lambda link, answer: link.send(
        answer.head(*[f"Content-Length: {len(answer.body)}"] * 2),
        answer.body), GOOD)
    yield Attack("no length", headed(), UNREACHABLE, GOOD)
    yield Attack("no length and no body", lambda link, answer: link.send(
        answer.head()), UNREACHABLE)
    yield Attack("length and chunks", lambda link, answer: link.send(
        answer.head("Content-Length: 7", "Transfer-Encoding: chunked"),
        chunk(answer.body), b"0\r\n\r\n"), GOOD, *wrong)


def chunks():
    wrong = (BAD, UNREACHABLE)
    # The library reads no further than the digits: an empty answer.
    yield Attack("chunk size '0x10'", chunked(
        lambda good: b"0x10\r\n" + good), NONE, *wrong)
    for size in ("-5", "ffffffffffffffff", "fffffffffffffff0",
                 "10000000000000000", "8000000000000000", "7fffffffffffffff",
                 "xyz", "", " ", "\0", "g", "+5", "5 5"):
        yield Attack(f"chunk size {size!r}", chunked(
            lambda good, size=size: size.encode() + b"\r\n" + good +
            b"\r\n0\r\n\r\n"), *wrong)
    for title, make in {
            "chunk longer than its size": lambda good: b"%x\r\n" % (
                len(good) - 3) + good + b"\r\n0\r\n\r\n",
            "chunk shorter than its size": lambda good: b"%x\r\n" % (
                len(good) + 3) + good + b"\r\n0\r\n\r\n",
            "early last chunk": lambda good: chunk(good[:len(good) // 2]) +
            b"0\r\n\r\n" + chunk(good[len(good) // 2:]) + b"0\r\n\r\n",
            "no chunks": lambda good: good}.items():
        yield Attack(title, chunked(make), *wrong)
    yield Attack("chunk with a 1 MiB extension", chunked(
        lambda good: b"%x;x=%s\r\n" % (len(good), b"y" * (1 << 20)) + good +
        b"\r\n0\r\n\r\n"), GOOD, *wrong)
    for coding in ("x-foo", "gzip", "gzip, chunked", "chunked, chunked",
                   "identity, chunked", "chunked, x-foo"):
        yield Attack(f"transfer coding {coding!r}",
                     lambda link, answer, coding=coding: link.send(
                         answer.head(f"Transfer-Encoding: {coding}"),
                         chunk(answer.body), b"0\r\n\r\n"), GOOD, *wrong)


# ---- bodies ----

def bodies():
    wrong = (BAD, UNREACHABLE, NONE)
    for title, data in {
            "no body": b"", "a page": HTML, "a NUL": b"\0",
            "NULs": b"\0" * 5000,
            "null": b"null", "an array": b"[]", "an object": b"{}",
            "a number": b"1", "a text": b'"x"', "deep": b"[" * 100000,
            "half an object": b'{"trace":', "text": b"no such thing\n",
            "0xFF": b"\xff" * 5000, "0x80": b"\x80" * 5000,
            "0x0A": b"\x0a" * 5000}.items():
        for kind in (None, "application/json", "text/html"):
            how = "" if kind is None else f" as {kind}"
            yield Attack(f"{title}{how} instead of data",
                         lambda link, answer, data=data, kind=kind: link.send(
                             answer.head(
                                 *[f"Content-Type: {kind}"] * bool(kind),
                                 f"Content-Length: {len(data)}",
                                 kind=not kind), data), *wrong)
    for kind in ("text/html", "text/plain", "image/png", "", "application/",
                 "application/json; charset=utf-16", "\0", "x" * 60000,
                 "multipart/byteranges; boundary=x"):
        yield Attack(f"good data as {kind[:20]!r}", sized(
            f"Content-Type: {kind}", kind=False), GOOD, *wrong)
    yield Attack("good data without a type", sized(kind=False), GOOD, *wrong)
    yield Attack("two types", sized("Content-Type: text/html"), GOOD, *wrong)
    yield Attack("good data and more", body(lambda good: good + b"\xff" * 9),
                 *wrong)
    yield Attack("good data twice", body(lambda good: good * 2), GOOD, *wrong)


# ---- encodings ----

def crc_wrong(good):
    data = gzip.compress(good, mtime=0)
    return data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]


def size_wrong(good, by):
    data = gzip.compress(good, mtime=0)
    return data[:-4] + struct.pack("<I", (len(good) + by) % (1 << 32))


def encodings():
    wrong = (BAD, UNREACHABLE)
    lies = {
        "not packed": lambda good: good,
        "head alone": lambda good: gzip.compress(good)[:10],
        "wrong magic": lambda good: b"\x1f\x8c" + gzip.compress(good)[2:],
        "wrong method": lambda good: b"\x1f\x8b\x07" + gzip.compress(good)[3:],
        "reserved flags": lambda good: b"\x1f\x8b\x08\xe0" +
        gzip.compress(good)[4:],
        "wrong checksum": crc_wrong,
        "size larger than said": lambda good: size_wrong(good, -100),
        "size smaller than said": lambda good: size_wrong(good, 1 << 31),
        "cut in half": lambda good: gzip.compress(good)[
            :len(gzip.compress(good)) // 2],
        "cut before its trailer": lambda good: gzip.compress(good)[:-8],
        "cut before its last byte": lambda good: gzip.compress(good)[:-1],
        "packed twice": lambda good: gzip.compress(gzip.compress(good)),
        "zlib": zlib.compress,
        "half of it, whole": lambda good: gzip.compress(
            good[:len(good) // 2 + 1]),
    }
    for title, make in lies.items():
        yield Attack(f"gzip: {title}", packed(make), *wrong)
    yield Attack("gzip: empty", packed(lambda good: b""), NONE, *wrong)
    yield Attack("gzip: empty, without a length", lambda link, answer:
                 link.send(answer.head("Content-Encoding: gzip")), UNREACHABLE)
    bomb = gzip.compress(bytes(16 << 20), 9)
    yield Attack("gzip: a bomb", packed(lambda good: bomb), BAD)
    yield Attack("gzip: in two members", packed(
        lambda good: gzip.compress(good[:99]) + gzip.compress(good[99:])), GOOD)
    yield Attack("gzip: with more behind it", packed(
        lambda good: gzip.compress(good) + b"\xff" * 40), GOOD, *wrong)
    for coding in ("br", "zstd", "compress", "x-foo", "gzip, gzip",
                   "gzip, gzip, gzip, gzip, gzip", "identity, gzip",
                   "gzip;q=1", "\0", "x" * 10000):
        yield Attack(f"encoding {coding[:30]!r}", body(
            gzip.compress, f"Content-Encoding: {coding}"), *wrong)
    for coding in ("deflate", "br"):
        yield Attack(f"plain data as {coding}",
                     sized(f"Content-Encoding: {coding}"), *wrong)
    yield Attack("encoding twice", body(
        gzip.compress, *["Content-Encoding: gzip"] * 2), GOOD, *wrong)
    yield Attack("two encodings", body(
        gzip.compress, "Content-Encoding: gzip", "Content-Encoding: br"),
        *wrong)
    for coding in ("GZIP", "x-gzip"):
        yield Attack(f"encoding {coding}", body(
            gzip.compress, f"Content-Encoding: {coding}"), GOOD)
    for coding in ("identity", ""):
        yield Attack(f"encoding {coding!r}",
                     sized(f"Content-Encoding: {coding}"), GOOD)


# ---- statuses ----

# What ends otherwise than the others of its hundred.
REFUSED = {401: DENIED, 403: DENIED, 407: DENIED}


def empty(status, *lines):
    return lambda link, answer: link.send(
        answer.head(*lines, "Content-Length: 0", status=f"{status} Oops"))


def statuses():
    for status in (100, 102, 103):
        yield Attack(f"{status}, then the answer", lambda link, answer,
                     status=status: link.send(
                         f"HTTP/1.1 {status} Go\r\n\r\n", answer.whole()), GOOD)
        yield Attack(f"{status} and no more", lambda link, answer,
                     status=status: link.send(
                         f"HTTP/1.1 {status} Go\r\n\r\n"), UNREACHABLE)
    yield Attack("101 switching protocols", lambda link, answer: link.send(
        "HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        answer.whole()), UNREACHABLE, BAD)
    for status in sorted({*range(201, 300)} - {204, 206}):
        yield Attack(f"{status} with data", sized(status=f"{status} Yes"),
                     GOOD, BAD, UNREACHABLE)
    for status in (204, 206, 304):
        yield Attack(f"{status} with data", sized(status=f"{status} No"),
                     BAD, UNREACHABLE, NONE)
    yield Attack("206 with half of it", lambda link, answer: link.send(
        answer.head(f"Content-Range: bytes 0-99/{len(answer.body)}",
                    "Content-Length: 100", status="206 Partial"),
        answer.body[:100]), BAD, UNREACHABLE)
    for status in range(300, 400):
        yield Attack(f"{status} without a place", empty(status), UNREACHABLE,
                     BAD)
    for status in sorted({*range(300, 400)} - {304}):
        yield Attack(f"{status} with data", sized(status=f"{status} Go"),
                     UNREACHABLE)
    for status in sorted({*range(400, 600)} - {404}):
        wanted = REFUSED.get(status, UNREACHABLE)
        yield Attack(f"{status}", empty(status), wanted)
        yield Attack(f"{status} with data", sized(status=f"{status} Oops"),
                     wanted)
    yield Attack("404", empty(404), NONE, UNREACHABLE)
    yield Attack("404 with data", sized(status="404 Oops"), NONE, UNREACHABLE)
    for status in ("600", "777", "999", "099", "000"):
        yield Attack(f"{status} with data", sized(status=f"{status} Oops"),
                     UNREACHABLE, BAD)
    yield Attack("500 with a page of 1 MiB", lambda link, answer: link.send(
        answer.head(status="500 Oops"), HTML * 20000), UNREACHABLE)
    yield Attack("500 with controls", plain(
        "HTTP/1.1 500 Oops\r\n\r\n\x1b[31m\x00\x9b\x07evil\u00ff\r\nmore"),
        UNREACHABLE)
    yield Attack("500 that lies about gzip", lambda link, answer: link.send(
        answer.head("Content-Encoding: gzip", status="500 Oops"),
        b"no gzip"), UNREACHABLE)


def retries():
    """With two more tries: the wait must fit into the time of the run."""
    for value in ("1000000000", "99999999999999999999999", "-5", "0", "",
                  "soon", "1.5", "Fri, 31 Dec 9999 23:59:59 GMT",
                  "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 99 Foo 2026", "1e9",
                  "\0", "x" * 1048576, "9" * 60000):
        for status in (429, 503):
            yield Attack(f"{status}, Retry-After {value[:30]!r}",
                         empty(status, f"Retry-After: {value}"), UNREACHABLE,
                         BAD, args=["--retry=2"])
    yield Attack("503 ten times", empty(503, "Retry-After: 0"),
                 UNREACHABLE, args=["--retry=10"])
    yield Attack("reset ten times", lambda link, answer: link.reset(),
                 UNREACHABLE, args=["--retry=10"])


def all_attacks():
    for family in (ends, pace, heads, lengths, chunks, bodies, encodings,
                   statuses, retries):
        yield from family()
