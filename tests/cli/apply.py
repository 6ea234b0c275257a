#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of `cost -o gcloud-apply` and `-o kubernetes-apply` with a
platform, a guard and a clock of the test's own. Output is TAP.

usage: apply.py TRACEFIND

What the test's gcloud, kubectl and tracefind are asked is kept in a file, an
argument a line; what each has to answer lies in files beside it. A size that the
platform has lies in "size", and is what was last set.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scripted import TESTS, check, report  # noqa: E402
from tap import Lacking, lack  # noqa: E402

CASE = TESTS.parent / "testdata" / "cases" / "cost-regression.har.gz"
SERVICE = "pricing-p02-co1"
# What a shell makes something of, if it reads it.
HOSTILE = ["a b", "a'b", 'a"; touch pwned; "', "$(touch pwned)", "`touch pwned`",
           "a\ntouch pwned", "a|b;c&d>pwned", "*", "${PATH}", "a\\b", "ü"]
SHELLS = [s for s in ("sh", "dash", "bash", "busybox sh")
          if shutil.which(s.split()[0])]

# The nth call takes the nth line of "status", later ones the last.
LOG = """#!/bin/sh
printf '%%s\\n' "== %(name)s" "$@" >>"$HERE/log"
"""
TRACEFIND = LOG % {"name": "tracefind"} + """
n=$(grep -c '^== tracefind$' "$HERE/log")
line=$(sed -n "${n}p" "$HERE/status")
[ "$line" ] || line=$(tail -n 1 "$HERE/status")
echo "an answer"
exit "$line"
"""
SLEEP = LOG % {"name": "sleep"} + """
[ ! -e "$HERE/long" ] || { touch "$HERE/asleep"; exec /bin/sleep 50; }
"""
# A container a line: name|port|cpu|memory.
GCLOUD = LOG % {"name": "gcloud"} + """
case $3 in
describe) cat "$HERE/size" ;;
update)
	name=
	for a; do
		case $a in
		--container=*) name=${a#*=} ;;
		--cpu=*) c=${a#*=} ;;
		--memory=*) m=${a#*=} ;;
		esac
	done
	if [ -e "$HERE/refuse" ] && grep -qx -- "$c|$m" "$HERE/refuse"; then
		echo "ERROR: (gcloud.run.services.update) quota" >&2
		exit 1
	fi
	while IFS='|' read -r n p a b; do
		if [ -z "$name" ] || [ "$n" = "$name" ]; then a=$c b=$m; fi
		echo "$n|$p|$a|$b"
	done <"$HERE/size" >"$HERE/new"
	mv "$HERE/new" "$HERE/size"
	;;
esac
"""
# name|request of cpu|of memory|limit of cpu|of memory; a patch by nulls, and
# what the API server refuses.
KUBECTL = LOG % {"name": "kubectl"} + """
case $1 in
get) cat "$HERE/size" ;;
patch) exec "$PYTHON" "$HERE/patch.py" "$HERE/size" "$5" ;;
rollout) [ ! -e "$HERE/refuse" ] || ! grep -qxF -f "$HERE/refuse" "$HERE/size" ;;
esac
"""
PATCH = r"""
import json
import sys


def amount(text):
    for end, factor in (("m", .001), ("Mi", 2**20), ("Gi", 2**30), ("", 1)):
        if text.endswith(end):
            return float(text[:len(text) - len(end)]) * factor


path, patch = sys.argv[1:]
(one,) = json.loads(patch)["spec"]["template"]["spec"]["containers"]
lines = open(path).read().splitlines()
for i, line in enumerate(lines):
    name, *old = line.split("|")
    if name != one["name"]:
        continue
    new = [one["resources"][a].get(b, was) or "" for (a, b), was in zip(
        ((a, b) for a in ("requests", "limits") for b in ("cpu", "memory")), old)]
    for request, limit in zip(new, new[2:]):
        if limit and amount(request or limit) > amount(limit):
            sys.exit("The Deployment is invalid: must be less than or equal to limit")
    lines[i] = "|".join([name, *new])
open(path, "w").write("\n".join(lines) + "\n")
"""


def script(program, kind, *more):
    done = subprocess.run(
        [program, "cost", "--replay", CASE, "-o", f"{kind}-apply", "-q",
         "--objective", "99.9", *more], capture_output=True, text=True,
        check=False, env={"LC_ALL": "C"})
    check(done.returncode == 0, done.stderr)
    return done.stdout


class Platform:
    """A folder with programs that are found before all others."""

    def __init__(self, folder, size, status="0\n", refuse=""):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        for name, text in (("gcloud", GCLOUD), ("kubectl", KUBECTL),
                           ("tracefind", TRACEFIND), ("sleep", SLEEP)):
            path = self.folder / name
            path.write_text(text)
            path.chmod(0o755)
        (self.folder / "patch.py").write_text(PATCH)
        (self.folder / "size").write_text(size + "\n")
        (self.folder / "status").write_text(status)
        if refuse:
            (self.folder / "refuse").write_text(refuse + "\n")
        (self.folder / "log").touch()

    def run(self, text, *words, shell="sh", **more):
        done = subprocess.run(
            [*shell.split(), "-s", "--", *words], input=text, text=True,
            capture_output=True, timeout=60, cwd=self.folder, check=False,
            env={"PATH": f"{self.folder}:{os.environ['PATH']}",
                 "PYTHON": sys.executable, "HERE": str(self.folder), **more})
        check(not (self.folder / "pwned").exists(), "a name was run")
        return done.returncode, done.stderr

    def size(self):
        return (self.folder / "size").read_text().strip()

    def calls(self, name):
        calls = (self.folder / "log").read_text().split("== ")[1:]
        return [c.splitlines()[1:] for c in calls
                if c.splitlines()[0] == name]


def with_line(text, name, value):
    """The script, with another value of a variable."""
    lines = [f"{name}={value}" if line.startswith(f"{name}=") else line
             for line in text.splitlines()]
    check("\n".join(lines) != text.rstrip("\n"), f"no {name}")
    return "\n".join(lines) + "\n"


def check_syntax(program, folder):
    """Of any shell that is there; the name stands in one line."""
    for kind in ("gcloud", "kubernetes"):
        text = script(program, kind)
        check([line for line in text.splitlines() if SERVICE in line] ==
              [f"service={SERVICE}"], "the name is elsewhere")
        for shell in SHELLS:
            done = subprocess.run([*shell.split(), "-n"], input=text, text=True,
                                  capture_output=True, check=False)
            check(done.returncode == 0, f"{shell}: {done.stderr}")
    return ", ".join(SHELLS)


def check_gcloud_kept(program, folder):
    """From four CPUs and 8 GiB, a quarter at most each time, each size one that
    Cloud Run has, each looked at after an hour."""
    text = script(program, "gcloud", "--threshold", "300ms")
    for shell in SHELLS:
        p = Platform(folder, "app|8080|4|8Gi")
        status, err = p.run(text, "--region=europe-west1", "a b", shell=shell)
        check(status == 0, err)
        check(p.size() == "app|8080|1000m|148Mi", p.size())
        sizes, before = [], (4000, 8192)
        for call in p.calls("gcloud"):
            at = call.index("--region=europe-west1")
            check(call[at + 1] == "a b", call)
            check(call[:2] == ["run", "services"] and call[3] == SERVICE, call)
            if call[2] == "update":
                sizes.append((int(call[-2][6:-1]), int(call[-1][9:-2])))
        for size in sizes:
            check(size[1] >= before[1] - before[1] // 4, f"{before}: {size}")
            check(size[0] in (1000, 2000, 4000), size)
            check(size[0] < 4000 or size[1] >= 2048, size)
            check(size[0] > 1000 or size[1] <= 4096, size)
            before = size
        check(10 < len(sizes) < 20, sizes)
        check(p.calls("sleep") == [["3600"]] * len(sizes), p.calls("sleep"))
        looks = p.calls("tracefind")
        check(looks == [["slo", f"--service={SERVICE}", "--objective=99.9",
                         "--threshold=300ms", "--window=60m", "--sample=0"]] *
              (len(sizes) + 1), looks[:2])
    return f"{len(sizes)} steps"


def check_gcloud_breach(program, folder):
    """Back to the last size that was kept, and with the objective's status."""
    p = Platform(folder, "app|8080|1|1Gi", "0\n0\n10\n")
    status, err = p.run(script(program, "gcloud"))
    check((status, p.size()) == (10, "app|8080|1000m|768Mi"), f"{status} {p.size()}")
    check("the objective is not kept" in err and "back at 1000m CPU, 768Mi"
          in err, err)
    check(len(p.calls("sleep")) == 2, err)
    p = Platform(folder, "app|8080|0.5|512M", "0\n10\n")
    status, err = p.run(script(program, "gcloud"))
    check((status, p.size()) == (10, "app|8080|0.5|512M"), f"{status} {p.size()}")


def check_not_kept_before(program, folder):
    for answer, wanted in (("10\n", 10), ("6\n", 1), ("5\n", 1)):
        p = Platform(folder, "app|8080|1|1Gi", answer)
        status, err = p.run(script(program, "gcloud"))
        check((status, p.size()) == (wanted, "app|8080|1|1Gi"), f"{status} {err}")
        check("nothing was changed" in err and not p.calls("sleep"), err)


def check_not_known(program, folder):
    """A guard that cannot tell is no guard: back."""
    p = Platform(folder, "app|8080|1|1Gi", "0\n5\n")
    status, err = p.run(script(program, "gcloud"))
    check((status, p.size()) == (1, "app|8080|1|1Gi"), f"{status} {p.size()}")
    check("is not known (tracefind slo: 5)" in err, err)


def check_gcloud_refuses(program, folder):
    p = Platform(folder, "app|8080|1|1Gi", refuse="1000m|576Mi")
    status, err = p.run(script(program, "gcloud"))
    check((status, p.size()) == (1, "app|8080|1000m|768Mi"), f"{status} {p.size()}")
    check("quota" in err and "did not take it" in err, err)
    # Nor the way back.
    p = Platform(folder, "app|8080|1|1Gi", "0\n10\n", refuse="1|1Gi")
    status, err = p.run(script(program, "gcloud"))
    check(status == 1 and "COULD NOT GO BACK to 1 CPU, 1Gi" in err, err)


def check_odd_sizes(program, folder):
    """What a platform says is no part of an expression."""
    for size in ("", "|", "1", "1|", "x|1Gi", "1|1Gi|2", "1|$(touch pwned)",
                 "a[$(touch pwned)]|1Gi", "08|1Gi", "m|1Gi", "1|0x10Mi",
                 "1|99999999999999999999", "-1|1Gi", "1|-1Gi"):
        p = Platform(folder, f"app|8080|{size}")
        status, err = p.run(script(program, "gcloud"))
        check(status == 1 and "not understood" in err, f"{size}: {err}")
        check(not p.calls("tracefind") and p.size() == f"app|8080|{size}", size)


def check_steps_and_wait(program, folder):
    text = script(program, "gcloud")
    p = Platform(folder, "app|8080|1|1Gi")
    status, err = p.run(text, STEPS="2", WAIT="90")
    check((status, p.size()) == (0, "app|8080|1000m|576Mi"), f"{status} {p.size()}")
    check("the next run goes on" in err, err)
    check(p.calls("sleep") == [["5400"]] * 2, p.calls("sleep"))
    check("--window=90m" in p.calls("tracefind")[0], p.calls("tracefind"))
    for more in ({"WAIT": "59"}, {"WAIT": "x"}, {"WAIT": "10000"},
                 {"STEPS": "0"}, {"STEPS": "100"}, {"STEPS": "$(touch pwned)"}):
        p = Platform(folder, "app|8080|1|1Gi")
        status, err = p.run(text, **more)
        check(status == 1 and not p.calls("gcloud"), f"{more}: {err}")


def check_hostile_names(program, folder):
    """As the shell's quoting has them, whose test is tests/unit's."""
    for kind, tool in (("gcloud", "gcloud"), ("kubernetes", "kubectl")):
        text = script(program, kind)
        for name in HOSTILE:
            size = ("app|8080|1|1Gi" if kind == "gcloud"
                    else "app|1|1Gi|2|2Gi")
            p = Platform(folder, size)
            more = {} if kind == "gcloud" else {"CONTAINER": "app"}
            status, err = p.run(with_line(text, "service", shlex.quote(name)),
                                STEPS="1", **more)
            check(status == 0, f"{name!r}: {err}")
            log = (p.folder / "log").read_text()
            check(f"--service={name}\n" in log, f"{name!r}: {log}")
            wanted = name if kind == "gcloud" else f"deployment/{name}"
            check(f"\n{wanted}\n" in log, f"{name!r}: {log}")
        p = Platform(folder, "app|8080|1|1Gi")
        status, err = p.run(with_line(text, "service", "--flags-file=x"))
        check(status == 1 and not p.calls(tool), err)


def check_kubernetes(program, folder):
    """Requests and limits, of one of several containers; there is no request
    above its limit, and no limit where there was none."""
    text = script(program, "kubernetes")
    for shell in SHELLS:
        p = Platform(folder, f"proxy|1|1Gi|1|1Gi\n{SERVICE}|500m|1Gi||2Gi")
        status, err = p.run(text, "--namespace=shop", shell=shell)
        check(status == 0, err)
        check(p.size() == f"proxy|1|1Gi|1|1Gi\n{SERVICE}|28m|148Mi||295Mi",
              p.size())
        sets = [c for c in p.calls("kubectl") if c[0] == "patch"]
        check(sets[0] == [
            "patch", f"deployment/{SERVICE}", "--type=strategic", "-p",
            '{"spec":{"template":{"spec":{"containers":[{"name":"%s",'
            '"resources":{"requests":{"cpu":"375m","memory":"768Mi"},"limits":'
            '{"cpu":null,"memory":"1536Mi"}}}]}}}}' % SERVICE,
            "--namespace=shop"], sets[0])
        rollouts = [c for c in p.calls("kubectl") if c[0] == "rollout"]
        check(len(rollouts) == len(sets) == len(p.calls("sleep")), rollouts)
    p = Platform(folder, f"{SERVICE}|||1|1Gi", "0\n10\n")
    status, err = p.run(text)
    check((status, p.size()) == (10, f"{SERVICE}|||1|1Gi"),
          f"{status} {p.size()} {err}")
    # The rollout does not come to its end.
    p = Platform(folder, f"{SERVICE}|1|1Gi|2|2Gi",
                 refuse=f"{SERVICE}|750m|768Mi|1500m|1536Mi")
    status, err = p.run(text)
    check((status, p.size()) == (1, f"{SERVICE}|1|1Gi|2|2Gi"),
          f"{status} {p.size()} {err}")
    # Without resources, there and back.
    p = Platform(folder, f"{SERVICE}||||", "0\n10\n")
    status, err = p.run(text)
    check((status, p.size()) == (10, f"{SERVICE}||||"),
          f"{status} {p.size()} {err}")
    # A patch that is refused has changed nothing.
    p = Platform(folder, f"{SERVICE}|1|1Gi|2|2Gi")
    (p.folder / "patch.py").write_text("import sys\nsys.exit('refused')\n")
    status, err = p.run(text)
    check(status == 1 and "still at" in err and "going back" not in err, err)
    p = Platform(folder, "other|1|1Gi|2|2Gi")
    status, err = p.run(text)
    check(status == 1 and "has no container" in err, err)


SIZES = ("|||", "500m|1Gi||2Gi", "1||1|", "||1|1Gi")


def check_real_kubectl(program, folder):
    """The patch as kubectl applies it to a deployment that lies in a file."""
    kubectl = shutil.which("kubectl")
    if not kubectl:
        raise Lacking(lack("kubectl"))
    for size in SIZES:
        p = Platform(folder, f"{SERVICE}|{size}", "0\n10\n")
        status, err = p.run(script(program, "kubernetes"))
        check(status == 10, err)
        names = ("requests", "cpu"), ("requests", "memory"), ("limits", "cpu"), (
            "limits", "memory")
        resources = {}
        for (kind, what), value in zip(names, size.split("|")):
            if value:
                resources.setdefault(kind, {})[what] = value
        value = {"apiVersion": "apps/v1", "kind": "Deployment",
                 "metadata": {"name": "web"}, "spec": {
                     "selector": {"matchLabels": {"a": "b"}}, "template": {
                         "metadata": {"labels": {"a": "b"}}, "spec": {
                             "containers": [{"name": "proxy", "image": "p"}, {
                                 "name": SERVICE, "image": "x",
                                 "resources": resources}]}}}}
        for call in [c for c in p.calls("kubectl") if c[0] == "patch"]:
            path = p.folder / "deployment.json"
            path.write_text(json.dumps(value))
            done = subprocess.run(
                [kubectl, "patch", "--local", "-f", path, "--type=strategic",
                 "-p", call[4], "-o", "json"], capture_output=True, text=True,
                check=False, timeout=60, env={"HOME": str(p.folder)})
            check(done.returncode == 0, done.stderr)
            value = json.loads(done.stdout)
        found = value["spec"]["template"]["spec"]["containers"][1]["resources"]
        check({k: v for k, v in found.items() if v} == resources,
              f"{found}, not {resources}")


def check_sidecar(program, folder):
    """Of several containers the one that takes requests, or the one named."""
    text = script(program, "gcloud")
    p = Platform(folder, "otel||1|512Mi\napp|8080|1|1Gi")
    status, err = p.run(text, "--region=r", STEPS="1")
    check((status, p.size()) == (0, "otel||1|512Mi\napp|8080|1000m|768Mi"),
          f"{status} {p.size()} {err}")
    check(p.calls("gcloud")[1] == [
        "run", "services", "update", SERVICE, "--quiet", "--region=r",
        "--container=app", "--cpu=1000m", "--memory=768Mi"], p.calls("gcloud"))
    p = Platform(folder, "app|8080|1|1Gi\notel||1|512Mi")
    status, err = p.run(text, STEPS="1")
    check(p.size() == "app|8080|1000m|768Mi\notel||1|512Mi", p.size())
    p = Platform(folder, "otel||1|1Gi\napp|8080|1|1Gi")
    status, err = p.run(text, STEPS="1", CONTAINER="otel")
    check(p.size() == "otel||1000m|768Mi\napp|8080|1|1Gi", p.size())
    for size, more in (("a||1|1Gi\nb||1|1Gi", {}),
                       ("a|80|1|1Gi\nb|81|1|1Gi", {}),
                       ("a|80|1|1Gi", {"CONTAINER": "b"})):
        p = Platform(folder, size)
        status, err = p.run(text, **more)
        check(status == 1 and "CONTAINER=NAME" in err and p.size() == size, err)


def check_signal(program, folder):
    """In the hour's sleep: back at once."""
    for kind, size in (("gcloud", "app|8080|1|1Gi"),
                       ("kubernetes", f"{SERVICE}||1Gi||")):
        text = script(program, kind)
        for shell in SHELLS:
            p = Platform(folder, size)
            (p.folder / "long").touch()
            (p.folder / "script").write_text(text)
            with subprocess.Popen(
                    [*shell.split(), str(p.folder / "script")], cwd=p.folder,
                    stderr=subprocess.PIPE, text=True,
                    env={"PATH": f"{p.folder}:{os.environ['PATH']}",
                         "PYTHON": sys.executable, "HERE": str(p.folder)}) as run:
                end = time.monotonic() + 30
                while not (p.folder / "asleep").exists():
                    check(time.monotonic() < end and run.poll() is None,
                          "it does not sleep")
                    time.sleep(0.02)
                check(p.size() != size, "nothing was changed")
                begin = time.monotonic()
                run.terminate()
                err = run.communicate(timeout=30)[1]
            check(time.monotonic() - begin < 10, f"{shell}: late")
            check((run.returncode, p.size()) == (130, size),
                  f"{shell}: {run.returncode} {p.size()} {err}")
            check("back at" in err, err)


if __name__ == "__main__":
    sys.exit(report(globals()))
