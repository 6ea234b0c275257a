#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is it? Keeps a session of about 100 kB for each request, and forgets the
older half of them when there are more than 50."""
import hashlib
import http.server
import os
import random
import threading
import time

import requests

from telemetry import Service

SESSIONS_MAX = 50
FORGOTTEN = 25
HASHES = 1000
# What a sync costs on a disk that others use, too.
DISK_S = 0.12
PROVIDER_PORT = int(os.environ.get("IDENTITY_PROVIDER_PORT", 8084))
# What the identity provider takes, when it is well and when it is not.
PROVIDER_S = 0.005
PROVIDER_SLOW_S = 0.4
PROVIDER_TIMEOUT_S = 3

service = Service("auth", 8082)
sessions = {}
sessions_lock = threading.Lock()
audit_lock = threading.Lock()


def new_session():
    return {
        "permissions": [f"permission-{i}-{random.random()}"
                        for i in range(300)],
        "strings": [random.randbytes(250).hex() for _ in range(100)],
        "numbers": [random.random() for _ in range(1000)],
    }


def keep_session(session):
    with sessions_lock:
        sessions[random.getrandbits(64)] = session
        if service.fault != "leak" and len(sessions) > SESSIONS_MAX:
            for key in list(sessions)[:FORGOTTEN]:
                del sessions[key]


def sign(session):
    digest = session["strings"][0].encode()
    for _ in range(HASHES):
        digest = hashlib.sha256(digest).digest()
    return digest.hex()


@service.tracer.start_as_current_span("write_audit")
def write_audit():
    with audit_lock:
        time.sleep(DISK_S)


class Provider(http.server.BaseHTTPRequestHandler):
    """Stands for a service of somebody else: no traces, no profiles."""

    def do_GET(self):
        time.sleep(PROVIDER_SLOW_S if service.fault == "downstream"
                   else PROVIDER_S)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def start_provider():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PROVIDER_PORT),
                                             Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()


@service.tracer.start_as_current_span("ask_identity_provider")
def ask_identity_provider():
    requests.get(f"http://localhost:{PROVIDER_PORT}/token",
                 timeout=PROVIDER_TIMEOUT_S).raise_for_status()


@service.app.get("/auth/verify")
def verify():
    ask_identity_provider()
    session = new_session()
    keep_session(session)
    if service.fault == "lock":
        write_audit()
    return {"valid": True, "signature": sign(session)}


if __name__ == "__main__":
    start_provider()
    service.run()
