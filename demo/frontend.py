#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users see: adds up products, and asks the API gateway for the rest."""
import os
import random
from decimal import ROUND_HALF_EVEN, Decimal

import requests

from telemetry import Service

API_URL = os.environ.get("API_SERVICE_URL", "http://localhost:8081")
API_TIMEOUT_S = 5
PRODUCTS = 100_000
ROUNDED = 100_000

service = Service("frontend", 8080)


def add_up(products):
    return sum(i * random.random() for i in range(products))


def round_exactly(products):
    cent, total = Decimal("0.01"), Decimal(0)
    for i in range(products):
        price = Decimal(i * random.random())
        total += price.quantize(cent, ROUND_HALF_EVEN)
    return total


def ask_api(path):
    """What it says, or why it says nothing: a page is shown all the same."""
    try:
        answer = requests.get(f"{API_URL}{path}", timeout=API_TIMEOUT_S)
        answer.raise_for_status()
        return answer.json()
    except requests.RequestException as error:
        return {"error": str(error)}


@service.app.get("/")
def home():
    total = add_up(PRODUCTS)
    if service.fault == "cpu":
        total = round_exactly(ROUNDED)
    return {"service": service.name, "total": float(total),
            "api": ask_api("/api/data")}


@service.app.get("/items")
def items():
    return {"service": service.name, "api": ask_api("/api/items")}


if __name__ == "__main__":
    service.run()
