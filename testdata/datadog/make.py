#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder: a request of an invented shop in the forms
that Datadog's trace API and its tracers describe."""
import json
import os

LOWER = 0xF2B1C4D5E6F70819
UPPER = "6921a3f000000000"
T0 = 1763812336250000000
MS = 1000000
HERE = os.path.dirname(os.path.abspath(__file__))
# Beyond what a double or a signed number holds.
ROOT = 0xFFFFFFFFFFFFFF01


def span(number, parent, service, name, resource, kind, start_ms, end_ms, error=0, metrics=None, **meta):
    return {"service": service, "name": name, "resource": resource, "trace_id": LOWER,
            "span_id": ROOT + number, "parent_id": ROOT + parent if parent is not None else 0,
            "start": T0 + start_ms * MS, "duration": (end_ms - start_ms) * MS, "error": error, "type": kind,
            "meta": {key.replace("__", "."): value for key, value in meta.items()}, "metrics": metrics or {}}


def shop():
    root = span(0, None, "shop", "flask.request", "GET /cart", "web", 0, 420, 1,
                {"process_id": 41, "_sampling_priority_v1": 1, "_dd.top_level": 1},
                http__method="GET", http__status_code="500", http__url="http://shop.example/cart", span__kind="server",
                env="prod", version="2.3.1", language="python", component="flask")
    root["meta"]["runtime-id"] = "0b9f4cce5c1f4d2e8a8f1d0f9d0c7a11"
    root["meta"]["_dd.p.tid"] = UPPER
    queries = [span(10 + i, 0, "shop-postgres", "postgres.query", "SELECT * FROM items WHERE id = ?", "sql",
                    20 + 30 * i, 45 + 30 * i, 0, {"db.row_count": 1}, db__name="shop", out__host="db.shop.example",
                    span__kind="client", _dd__base_service="shop") for i in range(6)]
    call = span(20, 0, "prices", "requests.request", "GET /price", "http", 210, 400, 1, {}, span__kind="client",
                http__method="GET", http__url="http://prices.example/price", out__host="prices.example",
                error__type="Timeout", error__message="no answer within 190 ms", error__stack="Timeout\n  at price()",
                _dd__base_service="shop")
    return [root, *queries, call]


def prices():
    root = span(30, 20, "prices", "http.request", "GET /price", "web", 215, 395, 0, {"process_id": 7},
                http__method="GET", http__route="/price", http__status_code="200", language="go", version="9")
    root["meta"]["_dd.p.tid"] = UPPER
    return [root, span(31, 30, "prices", "price.compute", "compute", "", 220, 390)]


def page(traces):
    """What the web page gives: ids are texts, times are seconds."""
    spans = {}
    for s in (s for trace in traces for s in trace):
        spans[str(s["span_id"])] = {**s, "trace_id": str(s["trace_id"]), "span_id": str(s["span_id"]),
                                    "parent_id": str(s["parent_id"]), "start": s["start"] / 1e9,
                                    "duration": s["duration"] / 1e9, "hostname": "node-1"}
    return {"trace": {"root_id": str(ROOT), "spans": spans}, "is_truncated": False}


def logged(traces):
    """As tracers write them where there is no agent."""
    return {"traces": [[{**s, "trace_id": "%016x" % s["trace_id"], "span_id": "%016x" % s["span_id"],
                         "parent_id": "%016x" % s["parent_id"]} for s in trace] for trace in traces]}


def write(name, value):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def main():
    traces = [prices(), shop()]
    write("agent.json", traces)
    write("page.json", page(traces))
    write("logged.json", logged(traces))


if __name__ == "__main__":
    main()
