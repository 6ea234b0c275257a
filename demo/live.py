#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo without Docker: ./dev live [FAULT]

Starts Tempo and Pyroscope (and Prometheus, where there is one) from PATH, on
loopback and ports that are free, with data in a folder of their own; the four
services in a virtual environment; loads them while they are healthy, puts the
fault into one of them, loads again, waits until profiles are in, and asks
tracefind about the slowest request. What was started is stopped, however it ends.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

import faults
import load

HERE = Path(__file__).resolve().parent
SERVICES = ("data", "auth", "gateway", "frontend")
READY_S = 60
STOP_S = 15
# Profiles are sent every ten seconds; a busy machine takes its time.
PROFILES_S = 90
POLL_S = 1
HEALTHY_REQUESTS = 120
FAULTY_REQUESTS = 50
# tracefind calls nothing a leak that it saw for less than fifty.
LEAK_MINUTES = 55
LEAK_RATE = 1
# What tracefind ends with when there is a leak.
LEAK_STATUS = 10
RATE = 2
CONCURRENCY = 15


class Trouble(Exception):
    """One line for whoever runs this: what is wrong, and what to do."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def servers():
    """Their programs; Prometheus may be None."""
    found = {name: shutil.which(name)
             for name in ("tempo", "pyroscope", "prometheus")}
    for name in ("tempo", "pyroscope"):
        if not found[name]:
            raise Trouble(f"no {name} in PATH: its releases are at "
                          f"github.com/grafana/{name}")
    return found


def free_ports(names):
    """A port each that nothing listens to now."""
    sockets = {name: socket.socket() for name in names}
    for one in sockets.values():
        one.bind(("127.0.0.1", 0))
    ports = {name: one.getsockname()[1] for name, one in sockets.items()}
    for one in sockets.values():
        one.close()
    return ports


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=3) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def environment(folder):
    """The Python of a virtual environment with what the services need; made
    when it is not there yet, or made for other requirements."""
    python = folder / "bin" / "python"
    wanted = (HERE / "requirements.txt").read_text()
    stamp = folder / "requirements.txt"
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    say(f"installing what the services need into {folder}")
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise Trouble("cannot make a virtual environment: on Debian, apt-get "
                      f"install python3-venv ({error})") from None
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "-r", HERE / "requirements.txt"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        why = [line for line in done.stderr.splitlines() if "ERROR" in line]
        raise Trouble("pip cannot install demo/requirements.txt: "
                      f"{(why or ['it does not say why'])[-1]}")
    stamp.write_text(wanted)
    return python


class Lab:
    """Servers and services, from `with` to its end."""

    def __init__(self, programs, python, folder):
        self.programs, self.python, self.folder = programs, python, folder
        self.running = {}  # name -> process
        self.ports = free_ports([
            *SERVICES, "identity_provider", "tempo", "tempo_grpc",
            "tempo_gossip", "otlp", "pyroscope", "pyroscope_grpc",
            "pyroscope_gossip", "pyroscope_raft", "prometheus"])
        self.env = {**os.environ, "LISTEN": "127.0.0.1", "HOST": "127.0.0.1",
                    **{f"{name.upper()}_PORT": str(port)
                       for name, port in self.ports.items()},
                    "OTEL_EXPORTER_OTLP_ENDPOINT": self.url("otlp"),
                    "PYROSCOPE_SERVER_ADDRESS": self.url("pyroscope"),
                    "API_SERVICE_URL": self.url("gateway"),
                    "AUTH_SERVICE_URL": self.url("auth"),
                    "DATA_SERVICE_URL": self.url("data")}
        self.env.pop("DEMO_FAULT", None)

    def url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}"

    def __enter__(self):
        try:
            self.start_servers()
            for name in SERVICES:
                self.start_service(name)
            self.wait_for({name: "/health" for name in SERVICES})
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, name, command, env=None):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        # A session of its own: Ctrl-C is for us, and we stop it.
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                command, cwd=folder, env=env or self.env, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start_servers(self):
        settings = HERE / "settings"
        for name in ("tempo", "pyroscope"):
            self.start(name, [self.programs[name], "-config.expand-env=true",
                              f"-config.file={settings / name}.yaml"])
        paths = {"tempo": "/ready", "pyroscope": "/ready"}
        if self.programs["prometheus"]:
            self.start("prometheus", [
                self.programs["prometheus"], "--storage.tsdb.path=data",
                f"--config.file={self.prometheus_settings(settings)}",
                f"--web.listen-address=127.0.0.1:{self.ports['prometheus']}"])
            paths["prometheus"] = "/-/ready"
        self.wait_for(paths)

    def prometheus_settings(self, settings):
        """Those of Docker, where services have names, with our addresses."""
        text = (settings / "prometheus.yaml").read_text()
        for name in SERVICES:
            text = re.sub(rf"\[{name}:\d+\]",
                          f"[127.0.0.1:{self.ports[name]}]", text)
        path = self.folder / "prometheus.yaml"
        path.write_text(text)
        return path

    def start_service(self, name, fault=""):
        self.start(name, [self.python, HERE / f"{name}.py"],
                   {**self.env, "PORT": str(self.ports[name]),
                    "DEMO_FAULT": fault})

    def wait_for(self, paths):
        deadline = time.monotonic() + READY_S
        for name, path in paths.items():
            while not answers(self.url(name) + path):
                process = self.running[name]
                if process.poll() is not None:
                    raise Trouble(f"{name} ended: {self.last_line(name)}")
                if time.monotonic() > deadline:
                    raise Trouble(f"{name} is not ready after {READY_S} s; its "
                                  f"log: {self.folder / name}.log")
                time.sleep(0.2)

    def last_line(self, name):
        lines = (self.folder / f"{name}.log").read_text(errors="replace")
        return (lines.strip().splitlines() or ["it does not say why"])[-1]

    def inject(self, fault):
        """As a deployment does: the service starts anew, with the fault."""
        name = faults.FAULTS[fault].service
        self.end({name: self.running.pop(name)})
        self.start_service(name, fault)
        self.wait_for({name: "/health"})

    @staticmethod
    def end(processes):
        for process in processes.values():
            process.terminate()
        deadline = time.monotonic() + STOP_S
        for process in processes.values():
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def stop(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        # Services first: they have things to send.
        self.end({name: self.running.pop(name) for name in SERVICES
                  if name in self.running})
        self.end(self.running)
        self.running.clear()

    def load(self, requests, rate):
        made = load.Load(self.url("frontend"), rate, CONCURRENCY,
                         load.parse_routes(load.ROUTES))
        made.run(requests, load.tell_progress(requests))
        results = list(made.results)
        if not results or all(r.failure for r in results):
            raise Trouble("no request succeeded: "
                          + (results[0].failure if results else "none ended"))
        return results


class Tracefind:
    """The program, with the addresses of a lab."""

    def __init__(self, program, lab):
        self.program = program
        self.env = {**os.environ, "TRACEFIND_TRACES_URL": lab.url("tempo"),
                    "TRACEFIND_PROFILES_URL": lab.url("pyroscope")}
        if "prometheus" in lab.running:
            self.env["TRACEFIND_METRICS_URL"] = lab.url("prometheus")

    def run(self, *args, **options):
        return subprocess.run([self.program, *args], env=self.env, check=False,
                              stdin=subprocess.DEVNULL, **options)

    def wait_for_profiles(self, service, moment):
        """Until the service has sent samples of after that moment."""
        since = datetime.datetime.fromtimestamp(
            moment, datetime.timezone.utc).isoformat()
        deadline = time.monotonic() + PROFILES_S
        while self.run("profile", "--service", service, "--from", since,
                       "--to", "now", stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL).returncode:
            if time.monotonic() > deadline:
                raise Trouble(f"no profile of {service} after {PROFILES_S} s")
            time.sleep(POLL_S)

    def answer(self, *args):
        """What it prints goes on to standard output; the answer as JSON."""
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            say("$ tracefind " + " ".join(args))
            sys.stdout.flush()
            status = self.run(*args, "-o", "table", "-o",
                              f"json={file.name}").returncode
            text = Path(file.name).read_text()
            return status, json.loads(text) if text else {}


def named(answer):
    """The function that the answer of slow blames: the first, when it grew or
    nothing is compared; empty without one."""
    first = (answer.get("functions") or [{}])[0]
    is_blamed = first.get("change") in (None, "new", "grown")
    return first.get("name") or "" if is_blamed else ""


def leaking(answer):
    """The function that the answer of leak blames; empty without one."""
    functions = (answer.get("memory") or {}).get("functions") or ()
    return next((f["name"] for f in functions if f["verdict"] == "endless"), "")


def is_part(name, function):
    """A comprehension is one of its function: "pack.<locals>.<listcomp>"."""
    return function in name.split(".")


def where_found(function, answer):
    """The profile puts it first; or, where it blames none, since it cannot show
    who waits, the trace has a span of that name on the way to the blamed one.
    Empty when it is not found."""
    name = named(answer)
    if name:
        return "found in the profile" if is_part(name, function) else ""
    path = (answer.get("span") or {}).get("path") or ()
    is_above = any(name.split(" ")[-1] == function for name in path)
    return "found in the trace; it waits" if is_above else ""


def summary(answer):
    span, cause = answer.get("span") or {}, answer.get("cause") or {}
    return (f"{span.get('service')} | {span.get('name')} | "
            f"{cause.get('kind')} | {named(answer) or 'none'} | "
            f"{cause.get('confidence')}")


def slow(lab, tracefind, args):
    """Where tracefind found the fault's function; empty when it did not."""
    fault = faults.FAULTS[args.fault]
    say(f"healthy: {args.healthy} requests, {args.rate:g} a second")
    lab.load(args.healthy, args.rate)
    say(f"{fault.service}.py with {args.fault}: {fault.what}")
    lab.inject(args.fault)
    results = lab.load(args.faulty, args.rate)
    print("\n".join(load.report(results, 2, False)) + "\n")
    end = time.time()
    say("waiting for profiles")
    tracefind.wait_for_profiles(f"{fault.service}-service", end)
    slowest = max(results, key=lambda r: r.seconds)
    _, answer = tracefind.answer("slow", slowest.trace_id)
    say(f"{args.fault} | {summary(answer)}")
    return where_found(fault.function, answer)


def leak(lab, tracefind, args):
    """The same; without the fault, that there is no leak."""
    fault = faults.FAULTS["leak"]
    if args.fault == "leak":
        say(f"{fault.service}.py with {args.fault}: {fault.what}")
        lab.inject("leak")
    say(f"{args.minutes:g} minutes of load, {args.rate:g} a second")
    lab.load(int(args.minutes * 60 * args.rate), args.rate)
    status, answer = tracefind.answer(
        "leak", "--service", f"{fault.service}-service",
        "--since", f"{int(args.minutes * 60)}s")
    if args.fault == "none":
        return "" if status else "none is called"
    is_right = status == LEAK_STATUS and is_part(leaking(answer),
                                                 fault.function)
    return "found in the profile" if is_right else ""


def verdict(name, found):
    if name == "none":
        return f"there is no leak: {found or 'one is called, or no answer'}"
    return (f"the fault is in {faults.FAULTS[name].function}(): "
            f"{found or 'not found'}")


def parse_args():
    parser = argparse.ArgumentParser(
        prog="./dev live", description="the demo's services and servers, a fault "
        "in one of them, and what tracefind says of it")
    parser.add_argument("fault", nargs="?", default="slow_query",
                        choices=[*faults.FAULTS, "none"], metavar="FAULT",
                        help=", ".join(faults.FAULTS) + ", or none: what leak "
                        "says of healthy services (%(default)s)")
    parser.add_argument("--tracefind", required=True, type=Path,
                        help=argparse.SUPPRESS)
    parser.add_argument("--folder", required=True, type=Path,
                        help=argparse.SUPPRESS)
    parser.add_argument("--healthy", type=load.whole, default=HEALTHY_REQUESTS,
                        help="requests before the fault (%(default)s)")
    parser.add_argument("--faulty", type=load.whole, default=FAULTY_REQUESTS,
                        help="and with it (%(default)s)")
    parser.add_argument("--rate", type=load.positive,
                        help=f"requests a second ({RATE}; of leak and none: "
                        f"{LEAK_RATE})")
    parser.add_argument("--minutes", type=load.positive, default=LEAK_MINUTES,
                        help="of load with leak and none (%(default)s)")
    parser.add_argument("--stay", action="store_true",
                        help="leave all running until Ctrl-C")
    args = parser.parse_args()
    args.is_leak = args.fault in ("leak", "none")
    args.rate = args.rate or (LEAK_RATE if args.is_leak else RATE)
    return args


def stay(lab):
    say("all runs on; Ctrl-C ends it")
    for name in ("frontend", "tempo", "pyroscope", "prometheus"):
        if name in lab.running:
            say(f"  {name:<10} {lab.url(name)}")
    say(f"export TRACEFIND_TRACES_URL={lab.url('tempo')} "
        f"TRACEFIND_PROFILES_URL={lab.url('pyroscope')}")
    try:
        signal.pause()
    except KeyboardInterrupt:
        pass


def live(args):
    programs = servers()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=args.folder))
    try:
        with Lab(programs, environment(args.folder / "venv"), folder) as lab:
            tracefind = Tracefind(args.tracefind.resolve(), lab)
            found = (leak if args.is_leak else slow)(lab, tracefind, args)
            say(verdict(args.fault, found))
            if args.stay:
                stay(lab)
            return 0 if found else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    args = parse_args()
    # Nothing here is for a proxy.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
    # As Ctrl-C: through all that stops what was started.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        return live(args)
    except Trouble as trouble:
        say(f"./dev live: {trouble}")
        return 1
    except KeyboardInterrupt:
        say("./dev live: interrupted; all is stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main())
