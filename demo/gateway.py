#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The API gateway: asks who it is, then for the data."""
import os

import requests

from telemetry import Service

AUTH_URL = os.environ.get("AUTH_SERVICE_URL", "http://localhost:8082")
DATA_URL = os.environ.get("DATA_SERVICE_URL", "http://localhost:8083")
AUTH_TIMEOUT_S = 3
DATA_TIMEOUT_S = 5

service = Service("gateway", 8081)


def verify():
    with service.tracer.start_as_current_span("authentication_check"):
        answer = requests.get(f"{AUTH_URL}/auth/verify",
                              timeout=AUTH_TIMEOUT_S)
        answer.raise_for_status()


def fetch(path):
    with service.tracer.start_as_current_span("data_service_call") as span:
        answer = requests.get(f"{DATA_URL}{path}", timeout=DATA_TIMEOUT_S)
        answer.raise_for_status()
        span.set_attribute("data.size_bytes", len(answer.content))
        return answer.json()


def answer_with(path):
    with service.tracer.start_as_current_span("api_gateway_processing"):
        try:
            verify()
        except requests.RequestException as error:
            return {"error": f"not verified: {error}"}, 401
        try:
            return fetch(path)
        except requests.RequestException as error:
            return {"error": f"no data: {error}"}, 502


@service.app.get("/api/data")
def data():
    return answer_with("/data/fetch")


@service.app.get("/api/items")
def items():
    return answer_with("/data/items")


if __name__ == "__main__":
    service.run()
