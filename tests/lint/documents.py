#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the dashboards and alerts that cases of tests/cli want to see as the
programs would that load them, as far as a file alone tells.

usage: documents.py

Names of fields and values are those of google/monitoring/dashboard/v1 in
googleapis and of monitoring_fields.py; widths are those of the documentation. That
the checks find what is wrong is tried as well: each mistake of FAULTS, made in a
good document, has to be one.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]
import cases  # noqa: E402
from monitoring_fields import FIELDS, ONE_OF  # noqa: E402
from tap import Tap, lack  # noqa: E402

PERIOD = re.compile(r"[1-9]\d*s")
REDUCERS = {"REDUCE_SUM", "REDUCE_MAX", "REDUCE_PERCENTILE_99",
            "REDUCE_PERCENTILE_95", "REDUCE_PERCENTILE_50",
            "REDUCE_PERCENTILE_05"}
ALIGNERS = {"ALIGN_DELTA", "ALIGN_RATE", "ALIGN_MAX"}
# Metrics whose values are distributions: a mean of them is none.
DISTRIBUTION = re.compile(r"_latencies|/utilizations|/histogram")
MILLISECONDS = re.compile(r"run\.googleapis\.com/request_latencies|milliseconds")


class Wrong(Exception):
    pass


def need(is_right, why):
    if not is_right:
        raise Wrong(why)


def fields(value, where, required, optional=()):
    """An object with these keys, no others."""
    need(isinstance(value, dict), f"{where} is no object")
    for key in required:
        need(key in value, f"{where} has no {key}")
    for key in value:
        need(key in required or key in optional, f"{where} has a {key}")


KINDS = {"string": (str,), "double": (int, float), "bool": (bool,),
         "int32": (int,), "duration": (str,)}
DURATION = re.compile(r"(0|[1-9]\d*)s")


def typed(value, kind, where):
    """A value as monitoring_fields.py has it, and all within it."""
    if isinstance(kind, list):
        need(isinstance(value, list), f"{where} is no list")
        for item in value:
            typed(item, kind[0], where)
    elif isinstance(kind, tuple):
        need(value in kind, f"{where} is {value}")
    elif kind in KINDS:
        need(isinstance(value, KINDS[kind]) and
             isinstance(value, bool) == (kind == "bool"), f"{where} is {value}")
        need(kind != "duration" or DURATION.fullmatch(value),
             f"{where} is {value}")
    else:
        fields(value, where, (), FIELDS[kind])
        need(kind not in ONE_OF or len(ONE_OF[kind] & set(value)) == 1,
             f"{where} has one of {ONE_OF.get(kind)}")
        for key, inner in value.items():
            typed(inner, FIELDS[kind][key], f"{where}.{key}")


def overlap(a, b):
    return (a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and
            a[1] < b[1] + b[3] and b[1] < a[1] + a[3])


def places(boxes, columns):
    """x, y, width, height each."""
    for i, box in enumerate(boxes):
        need(min(box[:2]) >= 0 and min(box[2:]) > 0 and
             box[0] + box[2] <= columns, f"{box} is not within {columns}")
        for other in boxes[:i]:
            need(not overlap(box, other), f"{box} lies over {other}")


# ---- Google ----

def filter_of(text):
    types = re.findall(r'metric\.type = "([^"]+)"', text)
    need(len(types) == 1, f"a filter names one metric type: {text}")
    need(len(re.findall(r'resource\.type = "[^"]+"', text)) == 1,
         f"a filter names one resource type: {text}")
    need(len(text) <= 2048, "a filter has 2048 characters at most")
    return types[0]


def seconds(value, least, most):
    need(PERIOD.fullmatch(value) and least <= int(value[:-1]) <= most,
         f"{value} is not within {least} s and {most} s")


def growth_aggregation(value, metric):
    """Of each series by itself."""
    fields(value, "aggregation", ("alignmentPeriod", "perSeriesAligner"))
    need(not DISTRIBUTION.search(metric), f"{metric} is a distribution")
    need(value["perSeriesAligner"] in ("ALIGN_MAX", "ALIGN_PERCENT_CHANGE"),
         value["perSeriesAligner"])
    seconds(value["alignmentPeriod"], 60, 24 * 3600)


def aggregation(value, metric):
    if "crossSeriesReducer" not in value:
        growth_aggregation(value, metric)
        return
    fields(value, "aggregation", ("alignmentPeriod", "perSeriesAligner",
                                  "crossSeriesReducer", "groupByFields"))
    need(value["alignmentPeriod"] == "60s", "an alignment period of a minute")
    aligner, reducer = value["perSeriesAligner"], value["crossSeriesReducer"]
    need(aligner in ALIGNERS, f"the aligner {aligner}")
    need(reducer in REDUCERS, f"the reducer {reducer}")
    is_distribution = bool(DISTRIBUTION.search(metric))
    need(reducer.startswith("REDUCE_PERCENTILE") == is_distribution and
         (aligner == "ALIGN_DELTA") == is_distribution,
         f"{aligner} and {reducer} of {metric}")
    for name in value["groupByFields"]:
        need(re.fullmatch(r"(resource|metric)\.labels\.\w+", name),
             f"grouped by {name}")


def data_set(value):
    """Its metric's type; None: of PromQL."""
    fields(value, "a data set", ("plotType", "timeSeriesQuery"),
           ("targetAxis", "legendTemplate", "minAlignmentPeriod"))
    need(value["plotType"] in ("LINE", "STACKED_AREA"), "the plot type")
    query = value["timeSeriesQuery"]
    need(len(query) == 1, "a query has one source")
    if "prometheusQuery" in query:
        return None
    series = query["timeSeriesFilter"]
    fields(series, "a filter", ("filter", "aggregation"))
    metric = filter_of(series["filter"])
    aggregation(series["aggregation"], metric)
    return metric


def in_unit(metric, label, value):
    """A latency's threshold is of the metric's own unit."""
    is_ms = bool(MILLISECONDS.search(metric))
    need(label == ("ms" if is_ms else "s"), f"{metric} in {label}")
    need((value >= 60) == is_ms, f"{value} for {metric}")


def chart(value):
    fields(value, "a chart", ("dataSets", "yAxis"), ("thresholds",))
    metrics = [data_set(item) for item in value["dataSets"]]
    need(metrics, "a chart without data")
    for threshold in value.get("thresholds", []):
        # Of a chart they have neither colour nor direction.
        fields(threshold, "a threshold", ("value",), ("label", "targetAxis"))
        in_unit(metrics[0], value["yAxis"]["label"], threshold["value"])


def google_dashboard(value):
    fields(value, "the dashboard", ("displayName", "mosaicLayout"))
    layout = value["mosaicLayout"]
    fields(layout, "the layout", ("columns", "tiles"))
    need(1 <= layout["columns"] <= 12, "12 columns at most")
    places([(t.get("xPos", 0), t.get("yPos", 0), t["width"], t["height"])
            for t in layout["tiles"]], layout["columns"])
    for tile in layout["tiles"]:
        fields(tile, "a tile", ("width", "height", "widget"), ("xPos", "yPos"))
        fields(tile["widget"], "a widget", ("title", "xyChart"))
        chart(tile["widget"]["xyChart"])


def threshold_condition(value):
    fields(value, "the condition",
           ("filter", "aggregations", "comparison", "thresholdValue",
            "duration", "trigger"),
           ("evaluationMissingData", "forecastOptions"))
    need(value["comparison"] in ("COMPARISON_GT", "COMPARISON_LT"),
         value["comparison"])
    metric = filter_of(value["filter"])
    for item in value["aggregations"]:
        aggregation(item, metric)
    if "forecastOptions" in value:
        fields(value["forecastOptions"], "the options", ("forecastHorizon",))
        seconds(value["forecastOptions"]["forecastHorizon"], 3600, 60 * 3600)
        need((value["thresholdValue"] <= 1) == ("utilizations" in metric),
             "a threshold of the metric's own unit")
    elif "memory" not in metric:
        in_unit(metric, "ms" if MILLISECONDS.search(metric) else "s",
                value["thresholdValue"])
    return value["duration"]


def promql_condition(value):
    fields(value, "the condition",
           ("query", "duration", "evaluationInterval"),
           ("labels", "ruleGroup", "alertRule", "disableMetricValidation"))
    need(" > " in value["query"], "a condition in PromQL compares")
    for count, unit in re.findall(r"\[(\d+)([mhd])\]", value["query"]):
        hours = int(count) * {"m": 1 / 60, "h": 1, "d": 24}[unit]
        need(hours <= 25, f"a condition looks back {count}{unit}")
    fields(value.get("labels", {}), "labels", (), ("severity",))
    need(int(value["evaluationInterval"][:-1]) % 30 == 0, "half minutes")
    return value["duration"]


BURN_RATE = re.compile(r'select_slo_burn_rate\("(projects/[^/"]+/services/'
                       r'[a-z0-9-]+/serviceLevelObjectives/[a-z0-9-]{1,63})", '
                       r'"(\d+)s"\)')


def burn_policy(value, objective):
    """Of a pair of windows; its filters are selectors, which make one series."""
    need(value["combiner"] == "AND" and len(value["conditions"]) == 2,
         "both windows burn")
    for condition in value["conditions"]:
        one = condition["conditionThreshold"]
        fields(one, "the condition", ("filter", "comparison", "thresholdValue",
                                      "duration", "trigger"))
        selector = BURN_RATE.fullmatch(one["filter"])
        need(selector, one["filter"])
        need(selector[1] == objective, f"{selector[1]} is not {objective}")
        need(300 <= int(selector[2]) <= 25 * 3600, f"back {selector[2]} s")
        need(one["thresholdValue"] > 1, "a rate beyond what is allowed")


def google_slo(value):
    fields(value, "the document", ("service", "serviceLevelObjective",
                                   "alertPolicies"))
    typed(value["service"], "Service", "service")
    objective = value["serviceLevelObjective"]
    typed(objective, "ServiceLevelObjective", "objective")
    typed(value["alertPolicies"], ["AlertPolicy"], "policies")
    need(re.fullmatch(r"projects/[^/]+/services/[a-z0-9-]{1,63}",
                      value["service"]["name"]), value["service"]["name"])
    need(objective["name"].rpartition("/serviceLevelObjectives/")[0] ==
         value["service"]["name"], "an objective of the service")
    need(0 < objective["goal"] <= 0.9999, f"a goal of {objective['goal']}")
    seconds(objective["rollingPeriod"], 24 * 3600, 30 * 24 * 3600)
    need(int(objective["rollingPeriod"][:-1]) % (24 * 3600) == 0, "whole days")
    based = objective["serviceLevelIndicator"]["requestBased"]
    if "distributionCut" in based:
        cut = based["distributionCut"]
        metric = filter_of(cut["distributionFilter"])
        need(DISTRIBUTION.search(metric), f"{metric} is no distribution")
        in_unit(metric, "ms" if MILLISECONDS.search(metric) else "s",
                cut["range"]["max"])
    else:
        need(len(based["goodTotalRatio"]) == 2, "two of three")
        for text in based["goodTotalRatio"].values():
            need(not DISTRIBUTION.search(filter_of(text)), "a distribution")
    for policy in value["alertPolicies"]:
        burn_policy(policy, objective["name"])


def google_alert(value):
    typed(value, "AlertPolicy", "policy")
    fields(value, "the policy", ("displayName", "conditions", "combiner"),
           ("documentation", "enabled", "severity", "alertStrategy",
            "notificationChannels"))
    need(value["combiner"] in ("AND", "OR"), value["combiner"])
    need(value["severity"] in ("CRITICAL", "ERROR", "WARNING"), "a severity")
    need(1 <= len(value["conditions"]) <= 6, "one to six conditions")
    for condition in value["conditions"]:
        kinds = {"conditionThreshold": threshold_condition,
                 "conditionPrometheusQueryLanguage": promql_condition}
        given = set(condition) - {"displayName"}
        need(len(given) == 1 and given <= set(kinds), f"conditions {given}")
        kind = given.pop()
        duration = kinds[kind](condition[kind])
        need(PERIOD.fullmatch(duration) and int(duration[:-1]) % 60 == 0,
             f"a duration of {duration}")


# ---- Grafana ----

def link(url, variables):
    need(not re.search(r'[\s"<>]', url), f"a link as it is typed: {url}")
    panes = json.loads(parse_qs(urlsplit(url).query)["panes"][0])
    for pane in panes.values():
        for query in pane["queries"]:
            need(query["datasource"]["uid"][2:-1] in variables, "a data source")
            need("query" in query or "labelSelector" in query, "a query")


def panel(value, variables):
    need(value["datasource"]["uid"][2:-1] in variables, "a data source")
    refs = [target["refId"] for target in value["targets"]]
    need(len(set(refs)) == len(refs) > 0, "targets have names of their own")
    for target in value["targets"]:
        need("expr" in target or "labelSelector" in target, "a query")
    if value["type"] != "timeseries":
        return
    defaults = value["fieldConfig"]["defaults"]
    for item in defaults["links"]:
        link(item["url"], variables)
    for step in defaults.get("thresholds", {}).get("steps", [])[1:]:
        is_ms = any(MILLISECONDS.search(t["expr"]) or
                    "run_googleapis_com" in t["expr"] for t in value["targets"])
        need(defaults["unit"] == ("ms" if is_ms else "s"), "the unit")
        need((step["value"] >= 60) == is_ms, f"a threshold of {step['value']}")


def grafana_dashboard(value):
    need(re.fullmatch(r"[\w-]{1,40}", value["uid"]), f"uid {value['uid']}")
    need(9 <= value["schemaVersion"] <= 42, "the version of the schema")
    variables = {v["name"] for v in value["templating"]["list"]}
    ids = [item["id"] for item in value["panels"]]
    need(len(set(ids)) == len(ids), "panels have numbers of their own")
    places([tuple(item["gridPos"][key] for key in "xywh")
            for item in value["panels"]], 24)
    for item in value["panels"]:
        panel(item, variables)


def grafana_alert(value):
    need(value["apiVersion"] == 1, "the version of the file")
    for group in value["groups"]:
        fields(group, "a group", ("orgId", "name", "folder", "interval",
                                  "rules"))
        for rule in group["rules"]:
            need(re.fullmatch(r"[\w-]{1,40}", rule["uid"]), rule["uid"])
            need(rule["condition"] in [d["refId"] for d in rule["data"]],
                 "the condition is one of the queries")
            need("${" not in json.dumps(rule["annotations"]), "a variable")
            need("$" not in json.dumps(rule["labels"]), "a variable")
            math = next((d["model"]["expression"] for d in rule["data"]
                         if d["model"].get("type") == "math"), "")
            need(set(re.findall(r"\$(\w+)", math)) <=
                 {d["refId"] for d in rule["data"]}, f"names in {math}")


# ---- all of them ----

READERS = {("dash", "google"): google_dashboard,
           ("dash", "grafana"): grafana_dashboard,
           ("alert", "google"): google_alert,
           ("slo", "google"): google_slo,
           ("alert", "grafana"): grafana_alert}

# Mistakes of documents that are passed around: what is changed in which.
FAULTS = {
    "a comparison by a longer name":
        ("alert", "google", "COMPARISON_GT", "COMPARISON_GREATER_THAN"),
    "no metric type": ("alert", "google", r'metric.type = \"run.googleapis.'
                       r'com/request_latencies\" AND ', ""),
    "seconds for milliseconds": ("alert", "google", '"thresholdValue": 2000',
                                 '"thresholdValue": 2'),
    "a mean of a distribution": ("alert", "google", "ALIGN_DELTA",
                                 "ALIGN_MEAN"),
    "a sum of a distribution": ("dash", "google", "REDUCE_PERCENTILE_95",
                                "REDUCE_SUM"),
    "a field that there is not": ("slo", "google", "goodTotalRatio",
                                  "goodRatio"),
    "a number as a text": ("slo", "google", '"goal": 0.999', '"goal": "0.999"'),
    "a goal that is not taken": ("slo", "google", '"goal": 0.9999',
                                 '"goal": 0.99995'),
    "half a day": ("slo", "google", '"rollingPeriod": "2592000s"',
                   '"rollingPeriod": "43200s"'),
    "three days back": ("slo", "google", '\\"86400s\\"', '\\"259200s\\"'),
    "an objective of another service":
        ("slo", "google", r"select_slo_burn_rate(\"projects/PROJECT_ID/services/",
         r"select_slo_burn_rate(\"projects/PROJECT_ID/services/x"),
    "either window": ("slo", "google", '"combiner": "AND"',
                      '"combiner": "OR"'),
    "two identifiers": ("slo", "google", '"custom": {}', '"cloudRun": {}'),
    "no duration": ("alert", "google", '"autoClose": "1800s"',
                    '"autoClose": 1800'),
    "more columns": ("dash", "google", '"columns": 12', '"columns": 48'),
    "tiles over each other": ("dash", "google", '"xPos": 6', '"xPos": 5'),
    "a colour": ("dash", "google", '"targetAxis": "Y1"\n              }\n',
                 '"color": "RED"\n              }\n'),
    "panels over each other": ("dash", "grafana", '"x": 12', '"x": 11'),
    "an unknown data source": ("dash", "grafana", '"uid": "${metrics}"',
                               '"uid": "${metric}"'),
    "a link as it is typed": ("dash", "grafana", "%7B", "{ "),
    "a forecast of less than an hour":
        ("alert", "google", '"forecastHorizon": "14400s"',
         '"forecastHorizon": "1800s"'),
    "a forecast of more than 60 hours":
        ("alert", "google", '"forecastHorizon": "14400s"',
         '"forecastHorizon": "219600s"'),
    "bytes for a share": ("alert", "google", '"thresholdValue": 0.9',
                          '"thresholdValue": 900'),
    "more than a day": ("alert", "google", "[1d]", "[3d]"),
    "a query that is not there": ("alert", "grafana", "$A > 0.0144",
                                  "$X > 0.0144"),
    "a variable of the environment":
        ("alert", "grafana", '"severity": "warning"',
         '"severity": "$LEVEL"'),
}


MARKS = {"serviceLevelObjective": ("slo", "google"),
         "mosaicLayout": ("dash", "google"), "panels": ("dash", "grafana"),
         "conditions": ("alert", "google"), "groups": ("alert", "grafana")}


def kind_of(text):
    """By what only one of them has; None: no document."""
    if text.startswith("apiVersion: openslo/v1\n"):
        return "slo", "openslo"
    if text.startswith("groups:\n"):
        return "alert", "prometheus"
    if not text.startswith("{"):
        return None
    value = json.loads(text)
    return next((kind for key, kind in MARKS.items() if key in value), None)


def documents():
    """(what it is called, text, kind) of those that cases want to see."""
    for case in cases.all_cases():
        if case.topic.split("-")[0] not in ("dash", "alert", "leak", "slo"):
            continue
        for what, text in case.expected().items():
            if kind := kind_of(text):
                yield f"{case.name}, {what}", text, kind


# Lines of a definition of OpenSLO v1, whose specification says what it has.
OPENSLO = [
    r"apiVersion: openslo/v1", r"kind: SLO", r"metadata:",
    r'  name: "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"', r"spec:",
    r'  description: ".+"', r'  service: ".+"', r"  indicator:",
    r"    metadata:", r'      name: "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"',
    r"    spec:", r"      ratioMetric:", r"        counter: false",
    *(line for part in ("good", "total") for line in (
        f"        {part}:", r"          metricSource:",
        r"            type: Prometheus", r"            spec:",
        r"              query: \|-", r"                \S.*")),
    r"  timeWindow:", r"    - duration: [1-9][0-9]*[mhd]",
    r"      isRolling: true", r"  budgetingMethod: Occurrences",
    r"  objectives:", r"    - target: 0\.[0-9]+"]


def check_openslo(tap, name, text):
    lines = text.splitlines()
    wrong = [f"{line} is not {wanted}" for line, wanted
             in zip(lines, OPENSLO) if not re.fullmatch(wanted, line)]
    tap.check(not wrong and len(lines) == len(OPENSLO), name,
              "\n".join(wrong))


def check_rules(tap, name, text):
    promtool = shutil.which("promtool")
    if not promtool:
        tap.skip(name, lack("promtool"))
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([promtool, "check", "rules", file.name],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
    tap.check(done.returncode == 0, name, done.stdout)


SAMPLE = re.compile(r'(tracefind_[a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? '
                    r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)")


def gauges(text):
    """What is wrong with a text of OpenMetrics 1.0 that has gauges only."""
    lines = text.split("\n")
    need(lines[-2:] == ["# EOF", ""], "the end is told")
    seen, family, samples = set(), None, set()
    for line in lines[:-2]:
        words = line.split(" ", 3)
        if words[:2] == ["#", "HELP"]:
            need(words[2] not in seen, f"{words[2]} is in one piece")
            seen.add(words[2])
        elif words[:2] == ["#", "TYPE"]:
            need(words[2] in seen and words[3] == "gauge", line)
            family = words[2]
        else:
            sample = SAMPLE.fullmatch(line)
            need(sample and sample[1] == family, line)
            need(sample.group(1, 2) not in samples, f"twice: {line}")
            samples.add(sample.group(1, 2))
    need(samples, "there are samples")


def check_gauges(tap):
    for case in cases.load("gauges").cases:
        if not case.stdout:
            continue
        found = ""
        try:
            gauges(case.stdout)
        except Wrong as error:
            found = str(error)
        tap.check(not found, case.name, found)
    for what, text in {
            "no end": "# HELP tracefind_a b\n# TYPE tracefind_a gauge\ntracefind_a 1\n",
            "a sample of another family": "# HELP tracefind_a b\n# TYPE "
            "tracefind_a gauge\ntracefind_b 1\n# EOF\n",
            "a quote": "# HELP tracefind_a b\n# TYPE tracefind_a gauge\n"
            'tracefind_a{c="d"e"} 1\n# EOF\n'}.items():
        try:
            gauges(text)
            tap.check(False, f"finds {what}")
        except Wrong:
            tap.check(True, f"finds {what}")


def problem(kind, text):
    try:
        READERS[kind](json.loads(text))
    except (Wrong, KeyError, ValueError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main():
    tap = Tap()
    good = {}
    for name, text, kind in documents():
        if kind == ("slo", "openslo"):
            check_openslo(tap, name, text)
        elif kind not in READERS:
            check_rules(tap, name, text)
        else:
            good.setdefault(kind, []).append(text)
            found = problem(kind, text)
            tap.check(not found, name, found)
    check_gauges(tap)
    for what, (command, name, old, new) in FAULTS.items():
        texts = [t for t in good.get((command, name), []) if old in t]
        tap.check(texts and problem((command, name),
                                    texts[0].replace(old, new)),
                  f"finds {what}", "it was not found")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
