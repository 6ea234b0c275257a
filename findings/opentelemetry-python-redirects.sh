#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-instrumentation-requests, -httpx, -urllib3 and -aiohttp-client 0.66b1
#          (PyPI) with requests 2.34.2, httpx 0.28.1, urllib3 2.8.0 and aiohttp 3.14.5
# Source:  what each of them wraps, in its __init__.py; "HTTP client retries and redirects" in
#          docs/http/http-spans.md of OpenTelemetry's conventions, for which each try is a span
# Guess:   a request that host A redirects to host B, which answers 503, is two spans in all
#          of them, and a request that is tried again after a 503 is two as well.
# Seen:    in httpx and urllib3 it is two; in requests and aiohttp it is one, with the URL of A
#          and the status of B: A seems to fail and to be slow, and B is not there. urllib3
#          folds tries into one span, which is no error.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.1 \
  opentelemetry-instrumentation-requests==0.66b1 opentelemetry-instrumentation-httpx==0.66b1 \
  opentelemetry-instrumentation-urllib3==0.66b1 opentelemetry-instrumentation-aiohttp-client==0.66b1 \
  requests==2.34.2 httpx==0.28.1 urllib3==2.8.0 aiohttp==3.14.5 2>/dev/null
cat >run.py <<'PY'
import asyncio, http.server, threading
from opentelemetry import trace
from opentelemetry.instrumentation.aiohttp_client import AioHttpClientInstrumentor
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.instrumentation.urllib3 import URLLib3Instrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
memory = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
for instrumentor in AioHttpClientInstrumentor, HTTPXClientInstrumentor, RequestsInstrumentor, URLLib3Instrumentor:
    instrumentor().instrument()
import aiohttp, httpx, requests, urllib3
class Handler(http.server.BaseHTTPRequestHandler):
    tries = 0
    def do_GET(self):
        Handler.tries += self.path == "/again"
        if self.path == "/a":
            self.send_response(302)
            self.send_header("Location", "http://localhost:%d/b" % server.server_port)
        else:
            self.send_response(200 if Handler.tries > 1 else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = "http://127.0.0.1:%d" % server.server_port
def show(name):
    print(name + ":", *("/%s %d %s," % (span.attributes["http.url"].rsplit("/")[-1], span.attributes["http.status_code"], span.status.status_code.name.lower())
        for span in memory.get_finished_spans()))
    memory.clear()
async def ask():
    async with aiohttp.ClientSession() as session, session.get(base + "/a") as answer:
        await answer.read()
requests.get(base + "/a")
show("requests")
asyncio.run(ask())
show("aiohttp")
httpx.get(base + "/a", follow_redirects=True)
show("httpx")
urllib3.PoolManager().request("GET", base + "/a")
show("urllib3")
urllib3.PoolManager(retries=urllib3.Retry(3, status_forcelist=[503])).request("GET", base + "/again")
show("urllib3, tried twice")
PY
seen=$(PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = 'requests: /a 503 error,
aiohttp: /a 503 error,
httpx: /a 302 unset, /b 503 error,
urllib3: /a 302 unset, /b 503 error,
urllib3, tried twice: /again 200 unset,' ]
