#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder: a request of an invented shop in the forms
of AWS X-Ray, as its developer guide and the reference of BatchGetTraces
describe them."""
import json
import os

TRACE = "1-6921a3f0-a006649127e371903a2de979"
T0 = 1763812336.25
HERE = os.path.dirname(os.path.abspath(__file__))


def part(number, name, start_ms, end_ms, **members):
    """A segment or subsegment; members stand in the order of their names, as
    some SDKs write them, so that the trace's id comes last."""
    return dict(sorted({"id": "%016x" % number, "name": name, "start_time": T0 + start_ms / 1000,
                        "end_time": T0 + end_ms / 1000, **members}.items()))


def aws_call(number, name, operation, start_ms, end_ms, **aws):
    return part(number, name, start_ms, end_ms, namespace="aws", http={"response": {"status": 200, "content_length": 60}},
                aws={"operation": operation, "region": "eu-central-1", "retries": 0, **aws})


def checkout():
    failure = {"working_directory": "/app", "exceptions": [
        {"id": "00000000000000e1", "message": "card declined", "type": "PaymentError", "remote": False,
         "stack": [{"path": "pay.py", "line": 41, "label": "charge"}, {"path": "app.py", "line": 7, "label": "main"}]}]}
    lookups = [aws_call(0x20 + i, "DynamoDB", "GetItem", 10 + 20 * i, 28 + 20 * i, table_name="carts") for i in range(4)]
    query = part(0x31, "orders@db.shop.example", 100, 180, namespace="remote",
                 sql={"sanitized_query": "SELECT * FROM orders WHERE customer = ?", "database_type": "PostgreSQL",
                      "user": "shop", "url": "jdbc:postgresql://db.shop.example:5432/orders"})
    pay = part(0x32, "payments.shop.example", 190, 480, namespace="remote", error=True, cause=failure,
               http={"request": {"method": "POST", "url": "https://payments.shop.example/charge"},
                     "response": {"status": 402}})
    return part(0x10, "checkout", 0, 500, trace_id=TRACE, error=True, origin="AWS::ECS::Container", user="u-17",
                http={"request": {"method": "POST", "url": "https://shop.example/checkout", "client_ip": "192.0.2.7",
                                  "user_agent": "curl/8.5"}, "response": {"status": 402}},
                aws={"account_id": "123456789012", "ecs": {"container": "checkout-1"},
                     "xray": {"sdk": "X-Ray for Python", "sdk_version": "2.14.0"}},
                service={"version": "1.4.2", "runtime": "CPython", "runtime_version": "3.12.3"},
                annotations={"tenant": "acme", "items": 3, "gift": False},
                metadata={"default": {"otel.resource.telemetry.sdk.language": "python", "cart": {"size": 3}},
                          "shop": {"campaign": "winter"}},
                subsegments=[part(0x30, "place_order", 5, 490, error=True, subsegments=[*lookups, query, pay])])


def payments():
    return part(0x40, "payments", 200, 470, trace_id=TRACE, parent_id="%016x" % 0x32,
                http={"request": {"method": "POST", "url": "https://payments.shop.example/charge"},
                      "response": {"status": 402}}, error=True, service={"version": "7"},
                subsegments=[part(0x41, "score", 210, 460)])


def table():
    """What X-Ray infers of the other side of a call."""
    return part(0x50, "DynamoDB", 10, 28, trace_id=TRACE, parent_id="%016x" % 0x20, inferred=True,
                origin="AWS::DynamoDB::Table", aws={"operation": "GetItem", "table_name": "carts"},
                http={"response": {"status": 200}})


def late():
    """Of the payments, sent by itself and still open."""
    span = part(0x42, "audit", 465, 0, trace_id=TRACE, parent_id="%016x" % 0x41, type="subsegment", in_progress=True)
    del span["end_time"]
    return span


def write(name, text):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    segments = [checkout(), payments(), table(), late()]
    answer = {"Traces": [{"Id": TRACE, "Duration": 0.5, "LimitExceeded": False, "Segments": [
        {"Id": s["id"], "Document": json.dumps(s, separators=(",", ":"))} for s in segments]}],
        "UnprocessedTraceIds": []}
    write("batch-get-traces.json", json.dumps(answer, indent=4) + "\n")
    # As SDKs send them to their daemon: the subsegment before its segment.
    header = '{"format": "json", "version": 1}\n'
    write("daemon.txt", "".join(header + json.dumps(s) + "\n" for s in reversed(segments)))


if __name__ == "__main__":
    main()
