#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the other bodies of this folder: the profiles of the two forms as
series of Pyroscope and of Parca, in protobuf and JSON."""
import base64
import json
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def profile_of(name):
    with open(os.path.join(FOLDER, name), "rb") as f:
        body = f.read()
    mark = body.split(b"\r\n", 1)[0]
    for part in body.split(mark)[1:]:
        head, _, content = part.partition(b"\r\n\r\n")
        if b'name="profile"' in head:
            return content[:-2]
    raise ValueError(name)


def varint(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def label(name, value):
    return field(1, name.encode()) + field(2, value.encode())


def write(name, content):
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(content)


def main():
    series = [
        ({"__name__": "process_cpu", "service_name": "shop.cart", "region": region}, profile_of(form))
        for region, form in (("eu", "ingest.form"), ("us", "ingest-end.form"))
    ]
    identity = "734fd599-6865-419e-9475-932762d8f469"
    pyroscope, parca, pyroscope_json, parca_json = b"", field(1, b"acme"), [], []
    for labels, profile in series:
        pairs = b"".join(field(1, label(*pair)) for pair in labels.items())
        listed = [{"name": k, "value": v} for k, v in labels.items()]
        text = base64.b64encode(profile).decode()
        pyroscope += field(1, pairs + field(2, field(1, profile) + field(2, identity.encode())))
        parca += field(2, field(1, pairs) + field(2, field(1, profile)))
        pyroscope_json.append({"labels": listed, "samples": [{"ID": identity, "rawProfile": text}]})
        parca_json.append({"labels": {"labels": listed}, "samples": [{"rawProfile": text}]})
    write("pyroscope.pb", pyroscope)
    write("parca.pb", parca + b"\x18\x01")
    write("pyroscope.json", json.dumps({"series": pyroscope_json}).encode() + b"\n")
    write("parca.json", json.dumps({"tenant": "acme", "series": parca_json, "normalized": True}).encode() + b"\n")


main()
