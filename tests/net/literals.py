# SPDX-License-Identifier: Apache-2.0
"""Takes queries apart as their servers do: TraceQL and label selectors into
words, signs and text literals, filters of Cloud Trace into terms, requests into
what stands in them."""
import json
import re
from urllib.parse import unquote_to_bytes

# What TraceQL and selectors are made of outside of their texts.
SIGNS = re.compile(r"\s+|[A-Za-z_][\w.:/-]*|-?\d[\w.]*|[{}()\[\],|<>=!~&+*-]")
ESCAPE = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a",
          "b": "\b", "f": "\f", "v": "\v", "'": "'"}
NUMBER = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|"
                    rb"U([0-9a-fA-F]{8})|([0-7]{3}))")


# A term of a filter as Google's manual has it; outside of quotes nothing else.
PLAIN = r"[a-zA-Z0-9./_][a-zA-Z0-9./_-]*"
TERM = re.compile(rf"""(\+?\^?(?:{PLAIN}):)({PLAIN}|"(?:[^"\\]|\\["\\])*")(?: |$)""")


class Bad(Exception):
    """This is no query, or more than one."""


def unquoted(text):
    """The bytes of a literal, its quotes included, as Go's strconv.Unquote
    gives them."""
    data = text[1:-1].encode("utf-8", "surrogateescape")
    at, out = 0, bytearray()
    while at < len(data):
        if data[at:at + 1] == b"\n":
            raise Bad(f"a line's end in a literal: {text!r}")
        if data[at:at + 1] != b"\\":
            out.append(data[at])
            at += 1
            continue
        if found := NUMBER.match(data, at):
            byte, short, long, octal = found.groups()
            if byte or octal:
                out.append(int(byte, 16) if byte else int(octal, 8))
            else:
                out += chr(int(short or long, 16)).encode()
            at = found.end()
            continue
        sign = data[at + 1:at + 2].decode("latin-1")
        if sign not in ESCAPE or sign == "'":
            raise Bad(f"no such escape: {text!r}")
        out += ESCAPE[sign].encode()
        at += 2
    return bytes(out)


def taken_apart(query):
    """(skeleton, literals): the query with every literal put as "", and their
    bytes. Raises Bad for what is no query, and for more than one."""
    skeleton, literals, at, depth = [], [], 0, 0
    while at < len(query):
        if query[at] == '"':
            end = at + 1
            while end < len(query) and query[end] != '"':
                end += 2 if query[end] == "\\" else 1
            if end >= len(query):
                raise Bad(f"a text without an end: {query!r}")
            literals.append(unquoted(query[at:end + 1]))
            skeleton.append('""')
            at = end + 1
            continue
        found = SIGNS.match(query, at)
        if not found:
            raise Bad(f"{query[at]!r} outside of a text: {query!r}")
        word = found[0]
        depth += (word in "{([") - (word in "})]")
        if depth < 0:
            raise Bad(f"closed too often: {query!r}")
        if word.strip():
            skeleton.append(word)
        at = found.end()
    if depth:
        raise Bad(f"not closed: {query!r}")
    return " ".join(skeleton), literals


def terms(filter_text):
    """The same of a filter; a value without quotes is a literal, too."""
    skeleton, literals, at = [], [], 0
    while at < len(filter_text):
        found = TERM.match(filter_text, at)
        if not found:
            raise Bad(f"no term at {at}: {filter_text!r}")
        key, value = found.groups()
        if value.startswith('"'):
            value = re.sub(r'\\(["\\])', r"\1", value[1:-1])
        skeleton.append(key + '""')
        literals.append(value.encode("utf-8", "surrogateescape"))
        at = found.end()
    return " ".join(skeleton), literals


def is_query(text):
    return text.startswith("{") or "{" in text.split('"')[0]


def messages(data):
    """The texts of a protobuf message: its fields of bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        kind = varint() & 7
        if kind == 0:
            varint()
        elif kind == 2:
            size = varint()
            yield data[at:at + size]
            at += size
        else:
            at += 8 if kind == 1 else 4


def strings(value):
    """The texts in JSON, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from strings(one)


def parts(request):
    """(where, bytes) of all that a request says: the parts of its path, the
    names and values of its query, filters of Cloud Trace by themselves, its
    headers, the texts of its body."""
    if not re.fullmatch(r"[!-~]+", request.target):
        raise Bad(f"target {request.target!r}")
    path, _, query = request.target.partition("?")
    if "#" in request.target or not path.startswith("/"):
        raise Bad(f"target {request.target!r}")
    for part in path.split("/")[1:]:
        if unquote_to_bytes(part) in (b".", b".."):
            raise Bad(f"path {path!r}")
        yield "path", unquote_to_bytes(part)
    for pair in query.split("&") if query else []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise Bad(f"query {query!r}")
        yield "name", unquote_to_bytes(name)
        yield ("filter" if name == "filter" else "value",
               unquote_to_bytes(value.replace("+", " ")))
    for name, value in request.headers.items():
        if name not in ("host", "content-length"):
            yield "header", name.encode("latin-1")
            yield "header value", value.encode("latin-1")
    if "json" in request.headers.get("content-type", ""):
        for text in strings(json.loads(request.body)):
            yield "body", text.encode("utf-8", "surrogatepass")
    elif request.body:
        for text in messages(request.body):
            yield "body", text
