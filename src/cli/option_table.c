/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <string.h>

#include "analyze/gates.h"
#include "analyze/search_summary.h"
#include "backend/metrics.h"
#include "base/error.h"
#include "base/num.h"
#include "base/optparse.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/timefmt.h"
#include "cli/commands.h"
#include "decode/prices.h"
#include "render/reduce.h"
#include "render/source_link.h"
#include "wire/auth.h"

/* The value of --metric: "NAME" or "NAME{LABEL}". */

typedef bool option_check_value(const char *value, struct error *err);

static bool fail_metric(struct str name, struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, name);
	for (size_t i = 0; i < metric_name_count; i++)
		suggestion_offer(&near, metric_names[i].name);
	return error_set(err, ERROR_USAGE,
			 "unknown metric '%s'%s%s%s (tracefind-dash(1) lists "
			 "the known ones)",
			 text_quote(name).text,
			 near.best[0] ? ": did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

static bool is_label(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '_' && !ascii_is_alnum(text.ptr[i]))
			return false;
	return text.len && !ascii_is_digit(text.ptr[0]);
}

bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err)
{
	struct str text = str_from(value);
	size_t brace = str_until(text, 0, '{');

	*label = STR("");
	*name = metric_name_find(str_slice(text, 0, brace));
	if (!*name)
		return fail_metric(str_slice(text, 0, brace), err);
	if (brace == text.len)
		return true;
	*label = str_slice(text, brace + 1, text.len - brace - 2);
	return (str_ends(text, STR("}")) && is_label(*label)) ||
	       error_set(err, ERROR_USAGE,
			 "'%s' is not of the form NAME{LABEL}",
			 value_quote(value).text);
}

/* Returns whether it can be read. */
static bool metric_option_check(const char *value, struct error *err)
{
	const struct metric_name *name;
	struct str label;

	return metric_option_read(value, &name, &label, err);
}

/* The limits of --fail-on, as text. */

/* In the order of enum gate_kind. */
static const char *const names[GATE_COUNT] = { "total", "function", "new",
					       "latency" };

/* Nothing grows a thousandfold unnoticed. */
#define MOST_PERCENT 100000

static bool fail_name(struct str name, struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, name);
	for (int g = 0; g < GATE_COUNT; g++)
		suggestion_offer(&near, names[g]);
	return error_set(err, ERROR_USAGE,
			 "unknown limit '%s'%s%s%s (one of total, function, "
			 "new, latency)",
			 text_quote(name).text,
			 near.best[0] ? "; did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

/* "function>5%" */
static bool parse_limit(struct str text, struct gate_limits *out,
			struct error *err)
{
	size_t at = str_find(text, STR(">"));
	struct str name, value;
	double percent;
	int g = 0;

	if (at == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "'%s' is not of the form NAME>PERCENT%%, for "
				 "example function>5%%",
				 text_quote(text).text);
	name = str_trim(str_slice(text, 0, at));
	value = str_trim(str_slice(text, at + 1, text.len));
	while (g < GATE_COUNT && !str_equal(name, str_from(names[g])))
		g++;
	if (g == GATE_COUNT)
		return fail_name(name, err);
	if (str_ends(value, STR("%")))
		value.len--;
	if (!parse_f64(str_trim(value), &percent) || percent < 0 ||
	    percent > MOST_PERCENT)
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a valid limit of %s: give a "
				 "percentage from 0 to %d",
				 text_quote(value).text, names[g],
				 MOST_PERCENT);
	if (out->limit[g] >= 0)
		return error_set(err, ERROR_USAGE, "%s has two limits",
				 names[g]);
	out->limit[g] = percent / 100;
	return true;
}

bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err)
{
	struct str rest = str_from(text);

	for (int g = 0; g < GATE_COUNT; g++)
		out->limit[g] = -1;
	for (;;) {
		size_t comma = str_find(rest, STR(","));
		size_t end = comma == SIZE_MAX ? rest.len : comma;

		if (!parse_limit(str_trim(str_slice(rest, 0, end)), out, err))
			return false;
		if (comma == SIZE_MAX)
			return true;
		rest = str_slice(rest, comma + 1, rest.len);
	}
}

/* The checks of single values of options, beyond their kind: functions for
 * struct option_row, ERROR_USAGE with what is required. */

static bool option_check_span(const char *value, struct error *err)
{
	unsigned char id[8];

	if (hex_decode(str_from(value), id, sizeof id))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a span id of 16 hex digits",
			 value_quote(value).text);
}

static bool option_check_source_url(const char *value, struct error *err)
{
	return source_pattern_check(value, err);
}

static bool option_check_trace_link(const char *value, struct error *err)
{
	return link_pattern_check(value, "{trace_id}", "the id",
				  "https://host/trace/{trace_id}", err);
}

static bool option_check_profile_link(const char *value, struct error *err)
{
	return link_pattern_check(
		value, "{selector}", "profiles to select",
		"https://host/?query={type}{selector}&from={from_ms}", err);
}

static bool option_check_since(const char *value, struct error *err)
{
	int64_t duration_ns;

	if (parse_duration(str_from(value), &duration_ns))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a duration such as 30m or 1d",
			 value_quote(value).text);
}

static bool option_check_min_width(const char *value, struct error *err)
{
	double px;

	if (parse_f64(str_from(value), &px) && px >= 0 && px <= 100)
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%.40s' is not a number of pixels from 0 to 100",
			 value);
}

static bool option_check_above(const char *value, struct error *err)
{
	unsigned permille;

	if (quantile_parse(str_from(value), &permille))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a quantile such as p95 or p99.9",
			 value_quote(value).text);
}

static bool option_check_query(const char *value, struct error *err)
{
	if (str_trim(str_from(value)).len)
		return true;
	return error_set(err, ERROR_USAGE,
			 "an empty TraceQL query; try '{ status = error }'");
}

static bool option_check_map(const char *value, struct error *err)
{
	const char *equals = strchr(value, '=');

	if (equals && equals != value && equals[1] != '\0')
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form ATTRIBUTE=LABEL",
			 value_quote(value).text);
}

static bool option_check_path_map(const char *value, struct error *err)
{
	const char *equals = strchr(value, '=');

	if (equals && equals[1] != '/')
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form FROM=TO, where TO is a path "
			 "in the repository",
			 value_quote(value).text);
}

static bool option_check_fail_on(const char *value, struct error *err)
{
	struct gate_limits limits;

	return fail_on_parse(value, &limits, err);
}

/* Checks an objective: a budget is what is left of 100 %, which has to be more
 * than nothing. */
static bool option_check_objective(const char *value, struct error *err)
{
	double percent;

	if (parse_f64(str_from(value), &percent) && percent > 0 &&
	    percent <= 99.9999)
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a percentage such as 99.9, at most "
			 "99.9999",
			 value_quote(value).text);
}

static bool option_check_selector(const char *value, struct error *err)
{
	struct str text = str_trim(str_from(value));

	if (str_starts(text, STR("{")) && str_ends(text, STR("}")))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form {label=\"value\"}",
			 value_quote(value).text);
}

/* clang-format off */
#define FIELD(member) .offset = offsetof(struct options, member)
#define SIDED(member) .offset = offsetof(struct side_settings, member)
#define SECONDS(n) ((uint64_t)(n) * (uint64_t)NS_PER_S)

enum {
	/* Settings of the network: from the environment too, and no part of
	 * a case file, which is replayed without one. */
	SETTING = OPTION_ENVIRONMENT | OPTION_CONFIG,
	NETWORK = SETTING | OPTION_LOCAL,
	NETWORK_SIDED = NETWORK | OPTION_SIDED,
};

static const char *const by_words[] = {
	"critical-path", "self", "duration", NULL
};
static const char *const type_words[] = {
	"auto",	     "cpu",   "alloc", "inuse", "peak",
	"goroutine", "mutex", "block", "wall",	NULL
};
static const char *const baseline_words[] = {
	"auto", "previous", "1h", "1d", "7d", "fast", "none", NULL
};
static const char *const normalize_words[] = { "request", "share", "rate",
						"value", NULL };
static const char *const above_words[] = { "p50", "p90", "p95", "p99", NULL };
/* Headings of the tables, then what pprof and earlier versions call them. */
static const char *const sort_words[] = {
	"total", "before", "change",   "own",  "self",  "function",
	"flat",	 "cum",	   "self+lib", "name", "owned", "delta",
	NULL
};
static const char *const platform_words[] = { "cloud-run", "gke", "otel",
					      "tempo", NULL };
static const char *const granularity_words[] = {
	"function", "file", "line", "address", NULL
};
static const char *const scope_words[] = { "auto",     "span",    "cohort",
					   "instance", "service", NULL };
static const char *const layout_words[] = { "icicle", "flame", NULL };
static const char *const palette_words[] = { "auto", "hot",  "java",
					     "kind", "diff", NULL };
/* In the order of enum color_mode. */
static const char *const color_words[] = { "auto", "always", "never", NULL };

static bool store_output(void *target, const char *value, struct error *err)
{
	struct options *o = target;
	struct output_option output;

	if (!output_option_read(value, o->command, &output, err))
		return false;
	if (output.path && !strcmp(output.path, "-"))
		output.path = NULL;
	if (o->has_case_outputs)
		o->output_count = 0;
	o->has_case_outputs = false;
	if (o->output_count >= LIMIT_OUTPUTS)
		return error_set(err, ERROR_USAGE,
				 "given more than %u times", LIMIT_OUTPUTS);
	o->outputs[o->output_count++] = output;
	return true;
}

#define SERVERS OPTIONS_SERVERS
#define TIME OPTIONS_TIME
#define CHOICE "What to look at"
#define VIEW "View"
#define OUTPUT "Output"
#define PRINTING OPTIONS_PRINTING
#define PICTURES OPTIONS_PICTURES
#define CASES OPTIONS_CASES
#define GENERAL OPTIONS_GENERAL
#define ANSWERING (COMMAND_DATA | COMMAND_CONVERT)
#define FINDING (COMMAND_SLOW | COMMAND_SHOW)
#define PROFILING (COMMAND_SLOW | COMMAND_DIFF | COMMAND_PROFILE)
#define CHOOSING (PROFILING | COMMAND_CHECK | COMMAND_LEAK | COMMAND_COST)
#define PRICING (COMMAND_COST | COMMAND_CONFIG)
#define LABELLING (COMMAND_DIFF | COMMAND_PROFILE)
#define CONNECTING (COMMAND_DATA | COMMAND_CONFIG | COMMAND_MCP)
#define CACHING ((COMMAND_DATA & ~COMMAND_DOCTOR) | COMMAND_CONFIG)
#define DRAWING (PROFILING | COMMAND_SHOW)
#define WATCHING (COMMAND_DASH | COMMAND_ALERT)
#define COMPARING (COMMAND_SLOW | COMMAND_DIFF | COMMAND_CHECK)

/* The texts of options for some of their commands. */
static const struct option_text span_texts[] = {
	{ COMMAND_SHOW, "all details of this span" },
	{ COMMAND_DIFF, "the samples of this span" },
	{ 0, NULL }
};
static const struct option_text service_texts[] = {
	{ COMMAND_SLOW, "without TRACE: traces through this service" },
	{ 0, NULL }
};
static const struct option_text requests_texts[] = {
	{ COMMAND_CHECK, "requests per run: a number, or a file of them" },
	{ 0, NULL }
};
static const struct option_text all_texts[] = {
	{ COMMAND_SEARCH, "health checks too (/healthz, /ready, /metrics)" },
	{ COMMAND_CHECK, "every service that sends profiles" },
	{ COMMAND_HELP, "all options of a command" },
	{ 0, NULL }
};
/* Each has what a command gives that is asked for most. */
static const struct option_text output_texts[] = {
	{ COMMAND_SEARCH | COMMAND_SERVICES,
	  "json, csv, id...; to a file: -o out.json" },
	{ COMMAND_LEAK | COMMAND_SLO | COMMAND_WHEN,
	  "json, html, markdown...; to a file: -o out.html" },
	{ COMMAND_CHECK, "json, junit, sarif...; to a file: -o out.json" },
	{ COMMAND_COST, "json, csv, gcloud...; to a file: -o out.json" },
	{ COMMAND_ALERT, "prometheus, google...; to a file: -o out.json" },
	{ COMMAND_DASH, "grafana or google; to a file: -o grafana=FILE" },
	{ COMMAND_TYPES | COMMAND_EXPORT | COMMAND_DOCTOR,
	  "table, json or brief; to a file: -o out.json" },
	{ 0, NULL }
};
static const struct option_text errors_texts[] = {
	{ COMMAND_SEARCH, "only failed traces" },
	{ 0, NULL }
};
static const struct option_text limit_texts[] = {
	{ COMMAND_SLOW, "rows of the table, 0 for all (5)" },
	{ COMMAND_SHOW, "rows, 0 for all (all)" },
	{ COMMAND_SEARCH, "traces, 0 for all (10)" },
	{ 0, NULL }
};
static const struct option_text budget_texts[] = {
	{ COMMAND_MCP, "size limit of an answer in tokens (2000)" },
	{ 0, NULL }
};

static const struct option_row rows[] = {
	{ "span", 0, OPTION_STRING, 0, FINDING | COMMAND_DIFF, "ID", CHOICE,
	  "this span instead of the one found",
	  FIELD(span),
	  .check = option_check_span,
	  .texts = span_texts },
	{ "service", 0, OPTION_STRING, OPTION_REPOSITORY, COMMAND_DATA,
	  "NAME", CHOICE,
	  "only this service",
	  FIELD(service),
	  .texts = service_texts },
	{ "from-exemplar", 0, OPTION_FLAG, 0, COMMAND_SLOW, NULL, CHOICE,
	  "a trace from the slowest 5 % of a latency metric",
	  FIELD(from_exemplar) },
	{ "blame", 0, OPTION_STRING, 0, FINDING, "SERVICE", CHOICE,
	  "look for the guilty span in this service only",
	  FIELD(blame) },
	{ "name", 0, OPTION_STRING, 0, FINDING | COMMAND_SEARCH | COMMAND_DIFF |
	  COMMAND_WHEN | COMMAND_COST | COMMAND_SLO,
	  "NAME", CHOICE,
	  "only spans of this name",
	  FIELD(name) },
	{ "function", 0, OPTION_STRING, 0, COMMAND_WHEN, "NAME", CHOICE,
	  "this function in the profiles of the service",
	  FIELD(function) },
	{ "by", 0, OPTION_WORD, 0, FINDING, "HOW", CHOICE,
	  "critical-path, self or duration (critical-path)",
	  FIELD(by), .words = by_words },
	{ "scope", 0, OPTION_WORD, 0, COMMAND_SLOW, "WHAT", CHOICE,
	  "samples of: auto, span, cohort, instance, service",
	  FIELD(scope), .words = scope_words },
	{ "map", 0, OPTION_STRING,
	  OPTION_REPEATABLE | SETTING | OPTION_REPOSITORY,
	  CHOOSING | COMMAND_WHEN | COMMAND_CONFIG, "ATTRIBUTE=LABEL", CHOICE,
	  "attribute and profile label with the same values",
	  FIELD(maps), .count_offset = offsetof(struct options, map_count),
	  .max_count = LIMIT_HEADERS, .check = option_check_map },
	{ "selector", 0, OPTION_STRING, 0, CHOOSING | COMMAND_WHEN, "'{...}'", CHOICE,
	  "profiles to use instead of the service's",
	  FIELD(selector),
	  .check = option_check_selector },
	{ "type", 0, OPTION_STRING, 0,
	  CHOOSING | COMMAND_WHEN | COMMAND_DASH | COMMAND_CONVERT, "TYPE",
	  CHOICE,
	  "profile type: cpu, alloc, inuse, mutex, wall...",
	  FIELD(type), .words = type_words },
	{ "baseline", 0, OPTION_FILE, 0, COMPARING | COMMAND_COST, "WHAT",
	  CHOICE,
	  "auto, 1h, 1d, fast, version=V, FROM..TO, a file",
	  FIELD(baseline), .words = baseline_words },
	{ "baseline-selector", 0, OPTION_STRING, 0, COMPARING | COMMAND_COST,
	  "'{...}'", CHOICE,
	  "compare with these profiles",
	  FIELD(baseline_selector), .check = option_check_selector },
	{ "baseline-span", 0, OPTION_STRING, 0, COMMAND_DIFF, "ID", CHOICE,
	  "compare with the samples of this span",
	  FIELD(baseline_span), .check = option_check_span },
	{ "rules", 0, OPTION_FILE, OPTION_LOCAL, CHOOSING, "FILE", CHOICE,
	  "file of rules for function categories",
	  FIELD(rules) },
	{ "limit-bytes", 0, OPTION_SIZE, 0, COMMAND_LEAK | COMMAND_COST,
	  "BYTES", CHOICE,
	  "memory limit per instance (from --metrics-url)",
	  FIELD(limit_bytes), .min = 1, .max = INT64_MAX },
	{ "platform", 0, OPTION_WORD, 0, WATCHING | COMMAND_LEAK, "WHAT",
	  CHOICE,
	  "cloud-run, gke, otel or tempo; skips discovery",
	  FIELD(platform), .words = platform_words },
	{ "metric", 0, OPTION_STRING, OPTION_REPEATABLE,
	  WATCHING | COMMAND_LEAK, "NAME[{LABEL}]", CHOICE,
	  "this metric and service label; skips discovery",
	  FIELD(metrics), .count_offset = offsetof(struct options, metric_count),
	  .max_count = LIMIT_HEADERS, .check = metric_option_check },
	{ "objective", 0, OPTION_STRING, 0,
	  COMMAND_SLO | COMMAND_ALERT | COMMAND_COST, "PERCENT", CHOICE,
	  "percentage of requests that must be good: 99.9",
	  FIELD(objective), .check = option_check_objective },
	{ "window", 0, OPTION_DURATION, 0, COMMAND_SLO | COMMAND_ALERT,
	  "DURATION", CHOICE,
	  "SLO window, ending at --to (30d)",
	  FIELD(window_ns), .min = SECONDS(3600),
	  .max = SECONDS(366 * 24 * 3600) },
	{ "sample", 0, OPTION_U64, 0, COMMAND_SLO, "N", CHOICE,
	  "number of bad requests to investigate (20)",
	  FIELD(sample), .min = 0, .max = LIMIT_SLO_SAMPLE },
	{ "threshold", 0, OPTION_DURATION, 0,
	  WATCHING | COMMAND_SLO | COMMAND_COST, "DURATION", CHOICE,
	  "slower requests are bad (2s, or none)",
	  FIELD(threshold_ns),
	  .min = NS_PER_MS, .max = SECONDS(3600) },
	{ "for", 0, OPTION_DURATION, 0, COMMAND_ALERT, "DURATION", CHOICE,
	  "how long the condition must hold (5m)",
	  FIELD(for_ns), .min = SECONDS(60), .max = SECONDS(24 * 3600) },
	{ "quantile", 0, OPTION_STRING, 0, COMMAND_ALERT, "QUANTILE", CHOICE,
	  "p50, p90, p95, p99 or p99.9 of latency (p95)",
	  FIELD(quantile), .words = above_words, .check = option_check_above },
	{ "now", 0, OPTION_FLAG, 0, COMMAND_ALERT, NULL, CHOICE,
	  "evaluate it once: exit with 10 when it holds",
	  FIELD(is_now) },
	{ "datasource", 0, OPTION_STRING, 0, COMMAND_ALERT, "UID", CHOICE,
	  "Grafana's data source of metrics (prometheus)",
	  FIELD(datasource) },
	{ "vcpu", 0, OPTION_STRING, 0, COMMAND_COST, "N", CHOICE,
	  "vCPU per instance (from --metrics-url)",
	  FIELD(vcpu), .check = amount_check },
	{ "instances", 0, OPTION_STRING, 0, COMMAND_COST, "N", CHOICE,
	  "number of instances (from --metrics-url)",
	  FIELD(instances), .check = amount_check },
	{ "requests", 0, OPTION_FILE, 0, COMMAND_COST | COMMAND_CHECK,
	  "N|FILE", CHOICE,
	  "requests in the profiles, or a file of numbers",
	  FIELD(requests),
	  .texts = requests_texts },
	{ "baseline-requests", 0, OPTION_FILE, 0,
	  COMMAND_COST | COMMAND_CHECK, "N|FILE", CHOICE,
	  "the same for the baseline",
	  FIELD(baseline_requests) },
	{ "reference", 0, OPTION_STRING, 0, COMMAND_CHECK, "FUNCTION", CHOICE,
	  "a function known to be unchanged",
	  FIELD(reference) },
	{ "compare", 0, OPTION_FLAG, 0, COMMAND_COST, NULL, CHOICE,
	  "price the difference from --baseline",
	  FIELD(compare) },
	{ "right-size", 0, OPTION_FLAG, 0, COMMAND_COST, NULL, CHOICE,
	  "suggest an instance size from days of metrics",
	  FIELD(right_size) },
	{ "price-cpu", 0, OPTION_STRING, OPTION_CONFIG, PRICING, "PRICE", CHOICE,
	  "price of a vCPU per second; per hour: 0.0445/h",
	  FIELD(price_cpu), .check = price_check },
	{ "price-memory", 0, OPTION_STRING, OPTION_CONFIG, PRICING, "PRICE",
	  CHOICE,
	  "price of a GiB per second; per hour: 0.0049/h",
	  FIELD(price_memory), .check = price_check },
	{ "price-request", 0, OPTION_STRING, OPTION_CONFIG, PRICING, "PRICE",
	  CHOICE,
	  "price per request, if the platform charges it",
	  FIELD(price_request), .check = price_request_check },
	{ "currency", 0, OPTION_STRING, OPTION_CONFIG, PRICING, "NAME", CHOICE,
	  "currency of the prices",
	  FIELD(currency), .check = currency_check },
	{ "price-note", 0, OPTION_STRING, OPTION_CONFIG, PRICING, "TEXT", CHOICE,
	  "source and date of the prices",
	  FIELD(price_note) },
	{ "prices", 0, OPTION_FILE, OPTION_CONFIG | OPTION_LOCAL, PRICING,
	  "FILE", CHOICE,
	  "file of prices: cpu, memory, request, currency",
	  FIELD(prices) },
	{ "normalize", 0, OPTION_WORD, 0, COMPARING, "HOW", CHOICE,
	  "compare per request, rate, share or value",
	  FIELD(normalize), .words = normalize_words },

	{ "against", 0, OPTION_FILE, OPTION_REPEATABLE, COMMAND_CHECK, "FILE",
	  CHOICE,
	  "the baseline: profiles, a folder or a snapshot",
	  FIELD(against),
	  .count_offset = offsetof(struct options, against_count),
	  .max_count = LIMIT_ARGUMENTS },
	{ "fail-on", 0, OPTION_STRING, 0, COMMAND_CHECK,
	  "LIMITS", CHOICE,
	  "limits of growth: total>3%,new>1%,latency>10%",
	  FIELD(fail_on), .check = option_check_fail_on },
	{ "save", 0, OPTION_STRING, OPTION_LOCAL, COMMAND_CHECK, "FILE",
	  CHOICE,
	  "save the candidate to this file, for --against",
	  FIELD(save) },
	{ "resume", 0, OPTION_STRING, OPTION_LOCAL, COMMAND_CHECK, "FILE",
	  CHOICE,
	  "save progress of --all here, and resume from it",
	  FIELD(resume) },
	{ "allow-empty", 0, OPTION_FLAG, 0, COMMAND_CHECK, NULL, CHOICE,
	  "exit with 0 instead of 5 when inconclusive",
	  FIELD(allow_empty) },
	{ "path-map", 0, OPTION_STRING, OPTION_REPEATABLE, COMMAND_CHECK,
	  "FROM=TO", CHOICE,
	  "map profile paths to paths in the repository",
	  FIELD(path_maps),
	  .count_offset = offsetof(struct options, path_map_count),
	  .max_count = LIMIT_HEADERS, .check = option_check_path_map },

	{ "to-traces", 0, OPTION_STRING, OPTION_LOCAL, COMMAND_EXPORT,
	  "URL|FILE", CHOICE,
	  "otlp+https://HOST, or a file of OTLP",
	  FIELD(to_traces) },
	{ "to-profiles", 0, OPTION_STRING, OPTION_LOCAL, COMMAND_EXPORT,
	  "URL|FOLDER", CHOICE,
	  "otlp+, pyroscope+https://HOST, or a folder",
	  FIELD(to_profiles) },
	{ "findings", 0, OPTION_FLAG, OPTION_LOCAL, COMMAND_EXPORT, NULL, CHOICE,
	  "add findings to the traces as span events",
	  FIELD(findings) },
	{ "state", 0, OPTION_FILE, OPTION_LOCAL, COMMAND_EXPORT, "FILE", CHOICE,
	  "file that records what was sent",
	  FIELD(state) },
	{ "rate", 0, OPTION_U64, OPTION_LOCAL, COMMAND_EXPORT, "N", CHOICE,
	  "maximum requests per second",
	  FIELD(rate), .min = 1, .max = 100000 },

	{ "min-duration", 0, OPTION_DURATION, 0, COMMAND_SEARCH, "DURATION",
	  CHOICE,
	  "minimum duration",
	  FIELD(min_duration_ns),
	  .min = 0, .max = SECONDS(7 * 24 * 3600) },
	{ "above", 0, OPTION_STRING, 0, COMMAND_SEARCH, "QUANTILE", CHOICE,
	  "only traces at or above p50, p90, p95 or p99",
	  FIELD(above), .words = above_words, .check = option_check_above },
	{ "query", 0, OPTION_STRING, 0, COMMAND_SEARCH, "TRACEQL", CHOICE,
	  "a condition in TraceQL (Tempo)",
	  FIELD(query), .check = option_check_query },
	{ "all", 0, OPTION_FLAG, 0,
	  COMMAND_SEARCH | COMMAND_HELP | COMMAND_CHECK | WATCHING, NULL,
	  CHOICE,
	  "all services",
	  FIELD(all),
	  .texts = all_texts },

	{ "tags", 0, OPTION_FLAG, 0, COMMAND_SEARCH, NULL, CHOICE,
	  "list tag names, or the values of a tag",
	  FIELD(tags) },

	{ "guide", 0, OPTION_FLAG, 0, COMMAND_TYPES, NULL, CHOICE,
	  "which type for which symptom",
	  FIELD(guide) },

	{ "origin", 0, OPTION_FLAG, OPTION_LOCAL, COMMAND_CONFIG, NULL, CHOICE,
	  "show where each value comes from",
	  FIELD(origin) },

	{ "from", 0, OPTION_STRING, 0, COMMAND_DATA, "TIME", TIME,
	  "start: RFC 3339, now-1h, or an epoch number",
	  FIELD(from) },
	{ "to", 0, OPTION_STRING, 0, COMMAND_DATA, "TIME", TIME,
	  "end, in the same forms (now)",
	  FIELD(to) },
	{ "since", 0, OPTION_STRING, 0, COMMAND_DATA, "DURATION", TIME,
	  "length of the window",
	  FIELD(since),
	  .check = option_check_since },
	{ "around", 0, OPTION_STRING, 0, COMMAND_DATA, "TIME", TIME,
	  "a window of --pad before and after this time",
	  FIELD(around) },
	{ "pad", 0, OPTION_DURATION, 0, COMMAND_DATA, "DURATION", TIME,
	  "padding around the span or --around (5m)",
	  FIELD(pad_ns), .min = 0, .max = SECONDS(7 * 24 * 3600) },

	{ "events", 0, OPTION_FLAG, 0, COMMAND_SHOW, NULL, VIEW,
	  "span events, below each span",
	  FIELD(events) },
	{ "errors", 0, OPTION_FLAG, 0, COMMAND_SHOW | COMMAND_SEARCH, NULL,
	  VIEW,
	  "only failed spans, ancestors and messages",
	  FIELD(errors),
	  .texts = errors_texts },
	{ "collapse", 0, OPTION_STRING, OPTION_REPEATABLE, COMMAND_SHOW,
	  "SERVICE|DEPTH", VIEW,
	  "hide what is below a service or a level",
	  FIELD(collapse),
	  .count_offset = offsetof(struct options, collapse_count),
	  .max_count = LIMIT_HEADERS },
	{ "why", 0, OPTION_FLAG, 0, COMMAND_SLOW | COMMAND_DIFF, NULL, VIEW,
	  "all evidence, and the reasoning",
	  FIELD(why) },
	{ "limit", 'n', OPTION_U64, 0,
	  CHOOSING | COMMAND_SHOW | COMMAND_SEARCH | COMMAND_SERVICES, "N", VIEW,
	  "rows of a table, 0 for all (10)",
	  FIELD(limit),
	  .min = 0, .max = 1000000,
	  .texts = limit_texts },
	{ "sort", 0, OPTION_WORD, 0, PROFILING, "COLUMN", VIEW,
	  "order of functions, by a column's heading",
	  FIELD(sort), .words = sort_words },
	{ "focus", 0, OPTION_STRING, 0, PROFILING, "REGEX", VIEW,
	  "only stacks with a matching function or file",
	  FIELD(focus) },
	{ "ignore", 0, OPTION_STRING, 0, PROFILING, "REGEX", VIEW,
	  "no stacks with a matching function or file",
	  FIELD(ignore) },
	{ "hide", 0, OPTION_STRING, 0, PROFILING, "REGEX", VIEW,
	  "remove matching frames; callers take their place",
	  FIELD(hide) },
	{ "show", 0, OPTION_STRING, 0, PROFILING, "REGEX", VIEW,
	  "keep only matching frames",
	  FIELD(show) },
	{ "show-from", 0, OPTION_STRING, 0, PROFILING, "REGEX", VIEW,
	  "stacks from the first matching frame on",
	  FIELD(show_from) },
	{ "callers", 0, OPTION_FLAG, 0, COMMAND_SLOW | COMMAND_DIFF, NULL, VIEW,
	  "show callers that only pass a change on",
	  FIELD(callers) },
	{ "tag-focus", 0, OPTION_STRING, 0, LABELLING, "[KEY=]REGEX", VIEW,
	  "only samples with a matching label",
	  FIELD(tag_focus) },
	{ "tag-ignore", 0, OPTION_STRING, 0, LABELLING, "[KEY=]REGEX", VIEW,
	  "no samples with a matching label",
	  FIELD(tag_ignore) },
	{ "granularity", 0, OPTION_WORD, 0, PROFILING, "WHAT", VIEW,
	  "a row per function, file, line or address",
	  FIELD(granularity), .words = granularity_words },
	{ "peek", 0, OPTION_STRING, 0, COMMAND_PROFILE, "REGEX", VIEW,
	  "matching functions with callers and callees",
	  FIELD(peek) },
	{ "tree", 0, OPTION_FLAG, 0, COMMAND_PROFILE, NULL, VIEW,
	  "all functions with callers and callees",
	  FIELD(tree) },
	{ "list", 0, OPTION_STRING, 0, COMMAND_PROFILE, "REGEX", VIEW,
	  "source lines of matching functions",
	  FIELD(list) },
	{ "source-path", 0, OPTION_STRING, 0, PROFILING, "PATHS", VIEW,
	  "folders of sources, separated by ':'",
	  FIELD(source_path) },
	{ "source-url", 0, OPTION_STRING, SETTING, PROFILING, "URL", PICTURES,
	  "URL pattern for links to source lines",
	  FIELD(source_url), .check = option_check_source_url },
	{ "trace-link", 0, OPTION_STRING, SETTING,
	  COMMAND_SLOW | COMMAND_SHOW, "URL", PICTURES,
	  "URL pattern for the link to the trace",
	  FIELD(trace_link), .check = option_check_trace_link },
	{ "profile-link", 0, OPTION_STRING, SETTING, PROFILING, "URL", PICTURES,
	  "URL pattern for links to profiles",
	  FIELD(profile_link), .check = option_check_profile_link },
	{ "trim-path", 0, OPTION_STRING, 0, PROFILING, "PATHS", PICTURES,
	  "strip these prefixes from file names",
	  FIELD(trim_path) },

	{ "layout", 0, OPTION_WORD, OPTION_CONFIG, PROFILING, "HOW", PICTURES,
	  "flame graphs as icicle or flame (icicle)",
	  FIELD(layout), .words = layout_words },
	{ "reverse", 0, OPTION_FLAG, 0, PROFILING, NULL, PICTURES,
	  "inverted flame graphs: callees first",
	  FIELD(reverse) },
	{ "width", 0, OPTION_U64, 0, DRAWING, "PIXELS", PICTURES,
	  "width of a picture (1200, or the window's)",
	  FIELD(width_px), .min = 200, .max = 20000 },
	{ "min-width", 0, OPTION_STRING, 0, PROFILING, "PIXELS", PICTURES,
	  "leave out narrower frames (0.1)",
	  FIELD(min_width),
	  .check = option_check_min_width },
	{ "palette", 0, OPTION_WORD, 0, PROFILING, "COLOURS", PICTURES,
	  "auto, hot, java, kind or diff (auto)",
	  FIELD(palette), .words = palette_words },

	{ "output", 'o', OPTION_STRING, OPTION_REPEATABLE, ANSWERING,
	  "FORMAT[=FILE]", OUTPUT,
	  "json, svg, html...; to a file: -o out.svg",
	  FIELD(outputs), .store = store_output,
	  .texts = output_texts },
	{ "interactive", 'i', OPTION_FLAG, OPTION_LOCAL, PROFILING, NULL,
	  OUTPUT,
	  "explore on the terminal, full screen",
	  FIELD(interactive) },
	{ "budget", 0, OPTION_U64, 0,
	  (COMMAND_DATA & ~COMMAND_DASH) | COMMAND_MCP, "TOKENS", PRINTING,
	  "size limit of -o brief in tokens (2000)",
	  FIELD(budget), .min = REDUCE_LEAST_TOKENS, .max = REDUCE_MOST_TOKENS,
	  .texts = budget_texts },
	{ "root", 0, OPTION_FILE, OPTION_LOCAL, COMMAND_MCP, "FOLDER", CHOICE,
	  "folder from which files may be read (none)",
	  FIELD(root) },
	{ "color", 0, OPTION_INDEX, 0, COMMAND_DATA, "WHEN", PRINTING,
	  "auto, always or never (auto)",
	  FIELD(color), .words = color_words },
	{ "pager", 0, OPTION_STRING, OPTION_CONFIG | OPTION_LOCAL, 0,
	  "COMMAND", PRINTING,
	  "pager for long answers on a terminal",
	  FIELD(pager) },
	{ "no-pager", 0, OPTION_FLAG, OPTION_LOCAL, ANSWERING, NULL, PRINTING,
	  "do not page long answers",
	  FIELD(no_pager) },
	{ "quiet", 'q', OPTION_FLAG, 0, ANSWERING, NULL, PRINTING,
	  "print only the answer and its evidence",
	  FIELD(quiet) },
	{ "verbose", 'v', OPTION_FLAG, OPTION_REPEATABLE | OPTION_LOCAL,
	  COMMAND_DATA, NULL, PRINTING,
	  "list requests on standard error",
	  FIELD(verbose) },
	{ "strict", 0, OPTION_FLAG, 0, ANSWERING, NULL, PRINTING,
	  "exit with 4 when the data is incomplete",
	  FIELD(strict) },

	{ "context", 0, OPTION_STRING, OPTION_ENVIRONMENT | OPTION_LOCAL,
	  CONNECTING, "NAME", SERVERS,
	  "context of the configuration to use",
	  FIELD(context) },
	{ "traces-url", 0, OPTION_STRING, SETTING, CONNECTING,
	  "URL", SERVERS,
	  "Tempo, Jaeger, Zipkin, gcp://PROJECT, file:PATH",
	  FIELD(traces_url) },
	{ "profiles-url", 0, OPTION_STRING, SETTING, CONNECTING,
	  "URL", SERVERS,
	  "Pyroscope, Parca, gcp://PROJECT, file:PATH",
	  FIELD(profiles_url) },
	{ "metrics-url", 0, OPTION_STRING, SETTING, CONNECTING,
	  "URL", SERVERS,
	  "Prometheus, Mimir, Thanos, or gcp://PROJECT",
	  FIELD(metrics_url) },
	{ "tenant-id", 0, OPTION_STRING, SETTING | OPTION_SIDED,
	  CONNECTING,
	  "ID", SERVERS,
	  "X-Scope-OrgID header of a multi-tenant server",
	  SIDED(tenant_id) },
	{ "username", 0, OPTION_STRING, NETWORK_SIDED, CONNECTING,
	  "NAME", SERVERS,
	  "user name for basic authentication",
	  SIDED(username) },
	{ "password-file", 0, OPTION_FILE, NETWORK_SIDED, CONNECTING,
	  "FILE", SERVERS,
	  "file with the password in its first line",
	  SIDED(password_file) },
	{ "token-file", 0, OPTION_FILE, NETWORK_SIDED, CONNECTING,
	  "FILE", SERVERS,
	  "file with a bearer token in its first line",
	  SIDED(token_file), .alias = "access-token-file" },
	/* Of the configuration only: no argument and no variable starts a
	 * program. */
	{ "token-command", 0, OPTION_STRING,
	  OPTION_CONFIG | OPTION_LOCAL | OPTION_SIDED, 0,
	  "COMMAND", SERVERS,
	  "command that prints a bearer token",
	  SIDED(token_command) },
	{ "header", 'H', OPTION_STRING,
	  NETWORK_SIDED | OPTION_REPEATABLE | OPTION_SECRET, CONNECTING,
	  "'NAME: VALUE'", SERVERS,
	  "additional request header",
	  SIDED(headers),
	  .check = header_check,
	  .count_offset = offsetof(struct side_settings, header_count),
	  .max_count = LIMIT_HEADERS },
	{ "cacert", 0, OPTION_FILE, NETWORK_SIDED, CONNECTING,
	  "FILE", SERVERS,
	  "certificates to trust (PEM)",
	  SIDED(cacert) },
	{ "cert", 0, OPTION_FILE, NETWORK_SIDED, CONNECTING,
	  "FILE", SERVERS,
	  "client certificate (PEM)",
	  SIDED(cert) },
	{ "key", 0, OPTION_FILE, NETWORK_SIDED, CONNECTING,
	  "FILE", SERVERS,
	  "private key of the client certificate (PEM)",
	  SIDED(key) },
	{ "insecure", 0, OPTION_FLAG, NETWORK_SIDED, CONNECTING,
	  NULL, SERVERS,
	  "do not verify the server's certificate",
	  SIDED(insecure) },
	{ "insecure-auth", 0, OPTION_FLAG, NETWORK_SIDED, CONNECTING,
	  NULL, SERVERS,
	  "allow credentials over http to another machine",
	  SIDED(insecure_auth) },
	{ "proxy", 0, OPTION_STRING, NETWORK_SIDED, CONNECTING,
	  "URL", SERVERS,
	  "reach the server through this proxy",
	  SIDED(proxy) },
	{ "connect-timeout", 0, OPTION_DURATION, NETWORK, CONNECTING,
	  "DURATION", SERVERS,
	  "timeout for connecting (10s)",
	  FIELD(connect_timeout_ns),
	  .min = NS_PER_MS, .max = SECONDS(3600) },
	{ "timeout", 0, OPTION_DURATION, NETWORK, CONNECTING,
	  "DURATION", SERVERS,
	  "timeout for the whole run (1m)",
	  FIELD(timeout_ns), .min = NS_PER_MS, .max = SECONDS(24 * 3600) },
	{ "retry", 0, OPTION_U64, NETWORK, CONNECTING,
	  "N", SERVERS,
	  "retries of a failed request (2)",
	  FIELD(retry),
	  .min = 0, .max = 10 },

	{ "dry-run", 0, OPTION_FLAG, OPTION_LOCAL, COMMAND_DATA, NULL, CASES,
	  "print known requests as curl commands, send none",
	  FIELD(dry_run) },
	{ "cache", 0, OPTION_FLAG, SETTING | OPTION_LOCAL, CACHING, NULL, CASES,
	  "use cached responses of the last 15 minutes",
	  FIELD(cache) },
	{ "no-cache", 0, OPTION_FLAG, OPTION_LOCAL, COMMAND_DATA, NULL, CASES,
	  "do not use the cache",
	  FIELD(no_cache) },
	{ "record", 0, OPTION_FILE, OPTION_LOCAL, COMMAND_DATA,
	  "FILE", CASES,
	  "record requests and responses (HAR), no secrets",
	  FIELD(record) },
	{ "embed-case", 0, OPTION_FLAG, OPTION_LOCAL,
	  PROFILING | COMMAND_SHOW, NULL, CASES,
	  "embed the case in a page (-o html), max. 12 MiB",
	  FIELD(embed_case) },
	{ "replay", 0, OPTION_FILE, OPTION_LOCAL, COMMAND_DATA | COMMAND_MCP,
	  "FILE", CASES,
	  "answer from a recorded case, without a network",
	  FIELD(replay) },

	{ "help", 'h', OPTION_FLAG, OPTION_LOCAL, COMMAND_ALL, NULL, GENERAL,
	  "show the options of a command",
	  FIELD(help) },
	{ "version", 'V', OPTION_FLAG, OPTION_LOCAL, COMMAND_ALL, NULL,
	  GENERAL, "show the version", FIELD(version) },
};

/* The sides in their order. */
static const struct option_prefix prefixes[] = {
	{ "", offsetof(struct options, common) },
	{ "traces-", offsetof(struct options, sides[SERVER_TRACES]) },
	{ "profiles-", offsetof(struct options, sides[SERVER_PROFILES]) },
	{ "metrics-", offsetof(struct options, sides[SERVER_METRICS]) },
	{ "to-", offsetof(struct options, sides[SERVER_TO]),
	  .commands = COMMAND_EXPORT, .is_apart = true },
};
/* clang-format on */

_Static_assert(COUNT_OF(rows) * COUNT_OF(prefixes) <=
		       8 * sizeof(((struct options *)NULL)->given),
	       "every form of an option has a bit in options.given");

const struct option_table options_table = {
	rows,
	COUNT_OF(rows),
	prefixes,
	COUNT_OF(prefixes),
};
