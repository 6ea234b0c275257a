#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data: a table of SQLite, aggregated by category."""
import contextlib
import json
import os
import random
import sqlite3
import tempfile

from telemetry import Service

ROWS = 10_000
CATEGORIES = 10
SUPPLIERS = 150_000
LISTED = 60
SUMS = 100
NUMBERS = 50
# How often version 1.1.0 packs a row.
PACKED = 1_000

service = Service("data", 8083)
folder = tempfile.TemporaryDirectory(prefix="tracefind-demo-")
DATABASE = os.path.join(folder.name, "data.sqlite")


def fill():
    with contextlib.closing(sqlite3.connect(DATABASE)) as db, db:
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, category TEXT,"
                   " supplier INTEGER, value REAL)")
        db.execute("CREATE TABLE suppliers (number INTEGER, name TEXT)")
        db.executemany(
            "INSERT INTO items (category, supplier, value) VALUES (?, ?, ?)",
            ((f"category-{i % CATEGORIES}", random.randrange(SUPPLIERS), random.random())
             for i in range(ROWS)))
        db.executemany("INSERT INTO suppliers VALUES (?, ?)",
                       ((i, f"supplier {i}") for i in range(SUPPLIERS)))


@contextlib.contextmanager
def cursor():
    """What a connection executes without one has no span."""
    with contextlib.closing(sqlite3.connect(DATABASE)) as db:
        yield db.cursor()


def by_category(db, threshold):
    return db.execute(
        "SELECT category, count(*), avg(value) FROM items WHERE value > ? "
        "GROUP BY category", (threshold,)).fetchall()


def rank_in_category(db, threshold):
    return db.execute(
        "SELECT category, count(*), avg((SELECT count(*) FROM items AS other "
        "WHERE other.category = items.category AND other.value > items.value))"
        " FROM items WHERE value > ? AND id % 21 = 0 GROUP BY category "
        "ORDER BY 3", (threshold,)).fetchall()


def listed(db):
    return db.execute(
        "SELECT items.id, suppliers.name FROM suppliers CROSS JOIN items ON "
        "items.supplier = suppliers.number WHERE items.id <= ?",
        (LISTED,)).fetchall()


def supplier_of(db, number):
    return db.execute("SELECT name FROM suppliers WHERE number = ? LIMIT 1",
                      (number,)).fetchone()[0]


def listed_one_by_one(db):
    rows = db.execute("SELECT id, supplier FROM items WHERE id <= ?",
                      (LISTED,)).fetchall()
    return [(number, supplier_of(db, supplier)) for number, supplier in rows]


def process(rows):
    return [[category, count,
             sum(sum(random.random() for _ in range(NUMBERS))
                 for _ in range(SUMS))]
            for category, count, _ in rows]


def pack_rows(rows):
    for _ in range(PACKED):
        rows = json.loads(json.dumps(rows, indent=1))
    return rows


@service.app.get("/data/fetch")
def fetch():
    threshold = random.random() / 2
    with service.tracer.start_as_current_span("data_fetch_operation"), \
            cursor() as db:
        with service.tracer.start_as_current_span("database_query"):
            if service.fault == "slow_query":
                rows = rank_in_category(db, threshold)
            else:
                rows = by_category(db, threshold)
        with service.tracer.start_as_current_span("data_processing"):
            rows = process(rows)
            if service.fault == "new_version":
                rows = pack_rows(rows)
    return {"rows": rows}


@service.app.get("/data/items")
def items():
    with service.tracer.start_as_current_span("items_operation"), \
            cursor() as db:
        if service.fault == "n_plus_one":
            return {"rows": listed_one_by_one(db)}
        return {"rows": listed(db)}


if __name__ == "__main__":
    fill()
    service.run()
