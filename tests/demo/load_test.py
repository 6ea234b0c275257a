#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the demo's load generator asks and tells, at a server of our own; that its
faults lie where they are said to, and that its settings can be read.

usage: load_test.py DEMO
"""
import ast
import http.server
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

DEMO = Path(sys.argv[1])
sys.path[:0] = [str(DEMO), str(Path(__file__).resolve().parents[1])]
sys.dont_write_bytecode = True

import faults  # noqa: E402
import load  # noqa: E402
from tap import Tap, lack  # noqa: E402

REQUESTS = 40


class Frontend(http.server.BaseHTTPRequestHandler):
    """Every route is known; what lies behind /broken is not."""
    seen = []

    def do_GET(self):
        self.seen.append((self.path, self.headers["traceparent"]))
        body = json.dumps({"api": {"error": "no data"}
                           if self.path == "/broken" else {}}).encode()
        self.send_response(500 if self.path == "/fails" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(*args):
    return subprocess.run([sys.executable, "-B", DEMO / "load.py", *args],
                          capture_output=True, text=True, timeout=50,
                          check=False)


def check_percentiles(tap):
    values = [i / 1000 for i in range(1, 101)]
    tap.equal([load.percentile(values, p) for p in (50, 95, 99, 100)],
              [0.05, 0.095, 0.099, 0.1], "percentiles of a hundred")
    tap.equal([load.percentile([7], p) for p in (1, 50, 99)], [7] * 3,
              "percentiles of one")


def check_report(tap):
    results = [load.Result("/", 0.1, "a" * 32, ""),
               load.Result("/", 0.3, "b" * 32, "no data"),
               load.Result("/items", 0.02, "c" * 32, "")]
    lines = load.report(results, 1, False)
    tap.equal(lines[1].split(), ["/", "2", "1", "200.0", "100.0", "300.0",
                                 "300.0", "300.0"], "a row of the table")
    tap.equal(len({len(line) for line in lines[:3]}), 1, "columns are aligned")
    tap.equal(lines[-2:], ["   300.0 ms  " + "b" * 32 + "  /  no data",
                           "    20.0 ms  " + "c" * 32 + "  /items"],
              "the slowest of each route")
    tap.equal(load.report(results, 1, True)[0],
              f"tracefind slow {'b' * 32}    # / 300.0 ms", "what opens them")


def check_load(tap, url):
    done = run("--url", url, "--rate", "2000", "--requests", str(REQUESTS),
               "--routes", "/=3,/broken=1", "--slowest", str(REQUESTS))
    tap.equal(done.returncode, 0, "a load ends well")
    parents = [parent for _, parent in Frontend.seen]
    tap.check(len(parents) == REQUESTS and
              all(re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", p or "")
                  for p in parents), "each request has a traceparent", parents)
    told = re.findall(r" ms  ([0-9a-f]{32})  /", done.stdout)
    tap.equal(sorted(told), sorted(p.split("-")[1] for p in parents),
              "the ids told are those sent")
    broken = sum(path == "/broken" for path, _ in Frontend.seen)
    tap.check(0 < broken < REQUESTS, "routes are mixed", broken)
    tap.check(f"{REQUESTS} of {REQUESTS} sent" in done.stderr,
              "progress goes to standard error", done.stderr)
    done = run("--url", url, "--rate", "2000", "--requests", "3", "--routes",
               "/fails=1", "--open")
    tap.equal((done.returncode, done.stdout.count("tracefind slow ")), (1, 3),
              "a load of failures fails")


def check_arguments(tap):
    for args, why in ((["--routes", "items=1"], "ROUTE=WEIGHT"),
                      (["--routes", "/=0"], "weight"),
                      (["--routes", "/=x"], "weight"),
                      (["--rate", "nan"], "above 0"),
                      (["--requests", "1.5"], "whole")):
        done = run(*args)
        tap.check(done.returncode == 2 and why in done.stderr
                  and not done.stdout, f"{args} is refused", done.stderr)


def functions_of(path):
    return {node.name for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef)}


def check_faults(tap):
    for name, fault in faults.FAULTS.items():
        path = DEMO / f"{fault.service}.py"
        tap.check(fault.function in functions_of(path) and
                  (name in path.read_text() or
                   name in (DEMO / "telemetry.py").read_text()),
                  f"{name} is a function of {path.name}")


def check_dashboard(tap):
    board = json.loads((DEMO / "dashboards/services.json").read_text())
    names = {f"{path.stem}-service" for path in DEMO.glob("*.py")
             if "Service(" in path.read_text()} - {"telemetry-service"}
    shown = next(v["query"] for v in board["templating"]["list"]
                 if v["name"] == "service")
    tap.equal(set(shown.split(",")), names, "the dashboard has all services")


def check_settings(tap):
    files = [DEMO / "compose.yaml", *sorted((DEMO / "settings").rglob("*.yaml"))]
    tap.equal(len(files), 6, "all settings are there")
    try:
        import yaml
    except ImportError:
        tap.skip("settings can be read", lack("yaml"))
        return
    compose = yaml.safe_load(files[0].read_text())
    for path in files[1:]:
        tap.check(yaml.safe_load(path.read_text()),
                  f"{path.relative_to(DEMO)} can be read")
    mounted = [volume.split(":")[0] for service in compose["services"].values()
               for volume in service.get("volumes", ())]
    tap.equal([path for path in mounted if not (DEMO / path).exists()], [],
              "what is mounted is there")
    jobs = yaml.safe_load((DEMO / "settings/prometheus.yaml").read_text())[
        "scrape_configs"]
    targets = [target for job in jobs for one in job["static_configs"]
               for target in one["targets"]]
    tap.equal([target.split(":")[0] for target in targets],
              [name for name, service in compose["services"].items()
               if "build" in service], "metrics of all services are read")


def main():
    tap = Tap()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Frontend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    check_percentiles(tap)
    check_report(tap)
    check_load(tap, f"http://127.0.0.1:{server.server_address[1]}")
    check_arguments(tap)
    check_faults(tap)
    check_dashboard(tap)
    check_settings(tap)
    server.shutdown()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
