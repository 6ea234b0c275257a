# SPDX-License-Identifier: Apache-2.0
"""P9: a whole `slow` against servers on this machine. A recorded case answers
again, every request after the same delay; what the program adds to the longest
chain of requests that wait for each other is its own."""
import datetime
import json
import sys
import tempfile
from pathlib import Path

import report
from measure import Cost, Failed, Run

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "cli"))
from scripted import Server, read_case, script_of  # noqa: E402

CASES = ROOT / "testdata" / "cases"
CASE = "n-plus-one.har.gz"
DELAY_MS = 100
ROUNDS = 9
# A chain is as long as the server's threads were late: the shortest counts.
CHAINS = 5
CPU_MS = 20
WALL_MS = 30
LIMIT_S = 600


def nanoseconds(text):
    """Of RFC 3339 with nine decimals, in UTC."""
    whole, _, rest = text.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 10**9 + int(rest.ljust(9, "0") or 0)


def longest_chain_ns(entries):
    """The most time that requests take of which each begins after the one
    before has ended."""
    spans = []
    for entry in entries:
        start = nanoseconds(entry["startedDateTime"])
        spans.append((start, start + round(entry["time"] * 1_000_000)))
    best = {}
    for start, end in sorted(spans):
        before = max((sum_ for ended, sum_ in best.items() if ended <= start),
                     default=0)
        best[end] = max(best.get(end, 0), before + end - start)
    return max(best.values())


def recorded(meter, run, folder):
    """The requests of one more run, by its own case file."""
    record = folder / "again.har"
    meter.cost(Run((*run.args, "--record", str(record)), env=run.env))
    return json.loads(record.read_text(encoding="utf-8"))["log"]["entries"]


def asking(program, case, url):
    """The command of the case, of the servers there."""
    args = [a for a in case["_tracefind"]["args"] if "-url=" not in a]
    return Run((program, *args, "--traces-url", url, "--profiles-url", url),
               env=(("TRACEFIND_NOW", case["_tracefind"]["now"]),))


def line(meter, program, case, url, folder):
    run = asking(program, case, url)
    runs = [recorded(meter, run, folder) for _ in range(CHAINS)]
    entries = runs[0]
    # A case may lack the question for when the service was there.
    missed = [e for e in entries if e["response"]["status"] == 404 and
              not e["request"]["url"].endswith("/SelectSeries")]
    known = [e for e in case["entries"] if e["response"]["status"] == 404]
    if len(missed) > len(known):
        raise Failed(f"{len(missed) - len(known)} requests that the case "
                     "does not hold")
    costs, failed = meter.contest({"ours": run}, ROUNDS)
    if failed:
        raise Failed(failed["ours"])
    chain_ns = min(longest_chain_ns(entries) for entries in runs)
    result = report.Line(
        "P9", f"slow against servers on loopback, {len(entries)} requests "
        f"of {DELAY_MS} ms", "longest chain", costs["ours"],
        Cost(chain_ns, 0, 0, 0))
    result.heap_kib = meter.heap_kib(run)
    over_ms = (costs["ours"].wall_ns - chain_ns) / report.MS
    cpu_ms = costs["ours"].cpu_ns / report.MS
    result.wanted = f"CPU <= {CPU_MS} ms, <= {WALL_MS} ms beyond the chain"
    result.got = f"CPU {cpu_ms:.1f} ms, {over_ms:.1f} ms beyond"
    is_met = cpu_ms <= CPU_MS and over_ms <= WALL_MS
    result.verdict = report.MET if is_met else report.MISSED
    return result


def lines(program, meter):
    case = read_case(CASES / CASE)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        with Server(script_of(case, folder, delay_ms=DELAY_MS),
                    "--limit", LIMIT_S) as server:
            try:
                yield line(meter, program, case, server.url, folder)
            except Failed as error:
                yield report.Line("P9", "slow against servers on loopback",
                                  verdict=report.GAP, why=str(error))
