/* SPDX-License-Identifier: Apache-2.0 */
#include "render/render.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"

#define NS 1e9
#define PER_HOUR (1 / 3600.0)

#define SIDE(which) "service=/span.service", "profile=/profile.selector",      \
		    "per=/compared.per", "side:" which
#define FUNCTION_SIDE(which) "function=name", "file=file", SIDE(which)

/* Gauges of a comparison, in total and by function; the unit is part of the
 * name. */
#define COMPARED(command, unit, divisor, suffix)                               \
	{ command, NULL, "compared.now", NULL, "compared.unit=" unit, divisor, \
	  "profile_" suffix, "Total of the profile.", { SIDE("now") } },       \
	{ command, NULL, "compared.before", NULL, "compared.unit=" unit,       \
	  divisor, "profile_" suffix, NULL, { SIDE("before") } },              \
	{ command, "functions", "now", NULL, "compared.unit=" unit, divisor,   \
	  "function_" suffix, "A function with its callees.",                \
	  { FUNCTION_SIDE("now") } },                                          \
	{ command, "functions", "before", NULL, "compared.unit=" unit,         \
	  divisor, "function_" suffix, NULL, { FUNCTION_SIDE("before") } }

#define COMPARED_UNITS(command)                                                \
	COMPARED(command, "nanoseconds", NS, "seconds"),                       \
	COMPARED(command, "bytes", 0, "bytes"),                                \
	COMPARED(command, "count", 0, "counts")

#define CHECKED "candidate=/candidate.name", "baseline=/baseline.name"
#define GROWING(what) "service=/service", what
#define OBJECTIVE "service=/service", "operation=/operation"
#define BURN "long_ns=long_ns", "severity=severity", OBJECTIVE

#define GAUGE_LABELS 6u

/* A number in the answer of a command. Paths are member names joined by
 * dots. */
struct gauge {
	const char *command;
	/* A list of objects, with a sample for each; NULL: the answer
	 * itself. */
	const char *list;
	/* Path of a number, boolean or string; "": always 1. Null and absent
	 * values give no sample. */
	const char *value;
	const char *reads; /* for strings: 1 if equal to this, else 0 */
	const char *only;  /* "path=text": only if the answer has this value */
	double divisor;    /* to base units; 0: none */
	const char *name;  /* metric family; its rows are adjacent */
	const char *help;  /* for its first row */
	/* "label=path", from the answer itself "label=/path", or fixed
	 * "label:text". Labels without a value are omitted. */
	const char *labels[GAUGE_LABELS];
};

/* Terminated by a row without a command. */
static const struct gauge openmetrics_gauges[] = {
	{ "slow", NULL, "", NULL, NULL, 0, "slow_info",
	  "Span, cause and confidence of the answer.",
	  { "service=span.service", "span=span.name", "trace_id=trace.id",
	    "cause=cause.kind", "confidence=cause.confidence" } },
	{ "slow", NULL, "span.duration_ns", NULL, NULL, NS, "span_seconds",
	  "Duration of the slow span, and its baseline.",
	  { "service=span.service", "span=span.name", "side:now" } },
	{ "slow", NULL, "span.typical_ns", NULL, NULL, NS, "span_seconds",
	  NULL, { "service=span.service", "span=span.name", "side:before" } },
	COMPARED_UNITS("slow"),
	COMPARED_UNITS("diff"),

	{ "search", NULL, "durations.count", NULL, NULL, 0, "traces",
	  "Traces whose durations were read.", { "service=search.service" } },
	{ "search", NULL, "durations.p50_ns", NULL, NULL, NS,
	  "trace_seconds", "Quantiles of durations.",
	  { "service=search.service", "quantile:0.5" } },
	{ "search", NULL, "durations.p90_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.9" } },
	{ "search", NULL, "durations.p95_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.95" } },
	{ "search", NULL, "durations.p99_ns", NULL, NULL, NS, "trace_seconds",
	  NULL, { "service=search.service", "quantile:0.99" } },

	{ "check", NULL, "outcome", "failed", NULL, 0, "check_failed",
	  "1: growth exceeds a limit and noise.", { CHECKED } },
	{ "check", NULL, "outcome", "passed", NULL, 0, "check_passed",
	  "1: passed; 0 and not failed: inconclusive.", { CHECKED } },
	{ "check", NULL, "total.growth", NULL, NULL, 0,
	  "check_total_growth_ratio", "Relative growth of the total.",
	  { CHECKED } },
	{ "check", "broken", "growth", NULL, NULL, 0, "check_growth_ratio",
	  "Relative growth of what exceeds its limit.",
	  { "function=function", "file=file", "limit=limit", CHECKED } },

	{ "when", NULL, "result", "step", NULL, 0, "step_found",
	  "1: a change point was found.",
	  { "service=service", "measure=measure" } },
	{ "when", NULL, "step.ratio", NULL, NULL, 0, "step_ratio",
	  "Level after the change point over the level before.",
	  { "service=service", "measure=measure" } },

	{ "leak", NULL, "leak", NULL, NULL, 0, "leak",
	  "1: memory or goroutines grow without end.", { "service=service" } },
	{ "leak", NULL, "hours_left", NULL, NULL, PER_HOUR,
	  "leak_left_seconds", "Time until memory reaches its limit.",
	  { "service=service" } },
	{ "leak", NULL, "memory.per_hour", NULL, NULL, 0,
	  "leak_bytes_per_hour", "Growth of memory in use per hour.",
	  { GROWING("bound:estimate") } },
	{ "leak", NULL, "memory.per_hour_low", NULL, NULL, 0,
	  "leak_bytes_per_hour", NULL, { GROWING("bound:low") } },
	{ "leak", NULL, "memory.per_hour_high", NULL, NULL, 0,
	  "leak_bytes_per_hour", NULL, { GROWING("bound:high") } },
	{ "leak", "memory.functions", "per_hour", NULL, NULL, 0,
	  "leak_function_bytes_per_hour", "Growth of memory in use per hour, "
					  "by allocating function.",
	  { "function=name", "file=file", "verdict=verdict",
	    "service=/service" } },
	{ "leak", NULL, "goroutines.per_hour", NULL, NULL, 0,
	  "leak_goroutines_per_hour", "Growth of goroutines per hour.",
	  { "service=service" } },

	{ "cost", NULL, "cpu.used.value", NULL, NULL, 0, "cost_vcpus",
	  "CPU used and allocated.",
	  { "service=service", "which:used" } },
	{ "cost", NULL, "cpu.allocated.value", NULL, NULL, 0, "cost_vcpus",
	  NULL, { "service=service", "which:allocated" } },
	{ "cost", NULL, "memory.used.value", NULL, NULL, 0,
	  "cost_memory_bytes", "Memory used and allocated.",
	  { "service=service", "which:used" } },
	{ "cost", NULL, "memory.allocated.value", NULL, NULL, 0,
	  "cost_memory_bytes", NULL,
	  { "service=service", "which:allocated" } },
	{ "cost", "rows", "money_per_million", NULL, NULL, 0,
	  "cost_per_million_requests", "Cost per million requests.",
	  { "kind=kind", "name=name", "resource=/resource",
	    "service=/service", "currency=/prices.currency" } },
	{ "cost", NULL, "difference.money_per_month", NULL, NULL, 0,
	  "cost_difference_per_month", "Difference in cost from the baseline.",
	  { "service=service", "currency=prices.currency" } },

	{ "alert", NULL, "fires", NULL, NULL, 0, "alert_fires",
	  "1: a service is above the threshold.", { NULL } },
	{ "alert", "services", "state", "fires", NULL, 0,
	  "alert_service_fires", "1: this service is above the threshold.",
	  { "service=service" } },
	{ "alert", "services", "last_ns", NULL, NULL, NS,
	  "alert_latency_seconds", "Latency of the service in the last "
				   "interval.",
	  { "service=service", "quantile=/quantile" } },

	{ "slo", NULL, "good_share", NULL, NULL, 0, "slo_good_ratio",
	  "Share of good requests in the window.", { OBJECTIVE } },
	{ "slo", NULL, "objective", NULL, NULL, 0, "slo_objective_ratio",
	  "Objective of the SLO.", { OBJECTIVE } },
	{ "slo", NULL, "budget_left", NULL, NULL, 0, "slo_budget_left_ratio",
	  "Share of the error budget left; below 0: "
	  "overspent.", { OBJECTIVE } },
	{ "slo", NULL, "forecast.seconds_left", NULL, NULL, 0,
	  "slo_budget_left_seconds", "Time until the error budget is used up "
				     "at this rate.",
	  { OBJECTIVE } },
	{ "slo", "burn", "fires", NULL, NULL, 0, "slo_burn_fires",
	  "1: the burn rate exceeds the limit in both windows.", { BURN } },
	{ "slo", "burn", "long_rate", NULL, NULL, 0, "slo_burn_rate",
	  "Burn rate; 1: the budget lasts exactly the window.", { BURN } },
	{ 0 },
};

/* Memory limit for a parsed answer, a few times its size. */
#define FACTS_BYTES ((size_t)4 * LIMIT_RESULT_BYTES)

/* A scalar member. */
struct fact {
	struct str path; /* within its element */
	struct str text; /* "1" and "0" for booleans */
};

/* The answer itself, or an object in a list. */
struct element {
	const char *list;  /* NULL: the answer */
	size_t first, end; /* range of facts */
};

struct answer {
	struct arena arena;
	struct str command;
	struct fact *own; /* of the answer itself */
	size_t own_count, own_cap;
	struct fact *facts; /* of elements */
	size_t fact_count, fact_cap;
	struct element *elements;
	size_t element_count, element_cap;
};

bool openmetrics_has(const char *command)
{
	for (const struct gauge *g = openmetrics_gauges; g->command; g++)
		if (!strcmp(g->command, command))
			return true;
	return false;
}

/* ---- reading ---- */

struct level {
	bool is_list;
	size_t path_len;
};

struct reading {
	struct json_reader *reader;
	struct answer *answer;
	struct buf path;
	struct level levels[LIMIT_JSON_DEPTH];
	unsigned depth;
	const char *list; /* whose elements are being read; NULL: none */
	unsigned list_depth;
	bool is_full; /* out of memory */
};

static void add_fact(struct reading *r, struct str text)
{
	struct answer *a = r->answer;
	struct fact fact = { arena_str(&a->arena, buf_str(&r->path)),
			     arena_str(&a->arena, text) };
	void *list = r->list ? a->facts : a->own;
	size_t *count = r->list ? &a->fact_count : &a->own_count;
	size_t *cap = r->list ? &a->fact_cap : &a->own_cap;

	if (!fact.path.ptr || !fact.text.ptr ||
	    !arena_reserve(&a->arena, &list, cap, *count + 1, sizeof fact)) {
		r->is_full = true;
		return;
	}
	((struct fact *)list)[(*count)++] = fact;
	if (r->list)
		a->facts = list;
	else
		a->own = list;
}

static void begin_element(struct reading *r)
{
	struct answer *a = r->answer;
	void *list = a->elements;

	if (!arena_reserve(&a->arena, &list, &a->element_cap,
			   a->element_count + 1, sizeof *a->elements)) {
		r->is_full = true;
		return;
	}
	a->elements = list;
	a->elements[a->element_count++] =
		(struct element){ r->list, a->fact_count, a->fact_count };
}

static void level_push(struct reading *r, enum json_kind kind)
{
	if (json_enter(r->reader, kind))
		r->levels[r->depth++] = (struct level){ kind == JSON_ARRAY,
							r->path.len };
}

static void read_list(struct reading *r)
{
	const char *list = NULL;

	/* Within no other, and used by some row. */
	for (const struct gauge *g = openmetrics_gauges;
	     g->command && !r->list && !list; g++)
		if (g->list && str_equal(buf_str(&r->path), str_from(g->list)))
			list = g->list;
	if (!list) {
		json_skip(r->reader);
		return;
	}
	level_push(r, JSON_ARRAY);
	r->list = list;
	r->list_depth = r->depth;
}

static void read_value(struct reading *r)
{
	enum json_kind kind = json_peek(r->reader);
	struct str text;
	bool value;

	if (kind == JSON_OBJECT)
		level_push(r, kind);
	else if (kind == JSON_ARRAY)
		read_list(r);
	else if (kind == JSON_STRING && json_text(r->reader, &text))
		add_fact(r, text);
	else if (kind == JSON_NUMBER && json_number_text(r->reader, &text))
		add_fact(r, text);
	else if ((kind == JSON_TRUE || kind == JSON_FALSE) &&
		 json_bool(r->reader, &value))
		add_fact(r, value ? STR("1") : STR("0"));
	else
		json_skip(r->reader);
}

static void level_pop(struct reading *r)
{
	struct answer *a = r->answer;

	r->depth--;
	if (r->list && r->depth == r->list_depth)
		a->elements[a->element_count - 1].end = a->fact_count;
	if (r->list && r->depth < r->list_depth)
		r->list = NULL;
}

/* Paths are relative to the element. */
static void next_item(struct reading *r)
{
	if (!json_next_item(r->reader)) {
		level_pop(r);
		return;
	}
	if (json_peek(r->reader) != JSON_OBJECT) {
		json_skip(r->reader);
		return;
	}
	begin_element(r);
	buf_clear(&r->path);
	level_push(r, JSON_OBJECT);
}

static void next_member(struct reading *r)
{
	struct str key;

	if (!json_next_key(r->reader, &key)) {
		level_pop(r);
		return;
	}
	if (r->path.len)
		buf_add_char(&r->path, '.');
	buf_add_str(&r->path, key);
	read_value(r);
}

static bool read_answer(struct answer *a, struct str json)
{
	struct reading r = { .answer = a };
	struct error err;

	buf_init(&r.path, LIMIT_STRING_BYTES);
	r.reader = json_new(json, &err);
	if (r.reader)
		level_push(&r, JSON_OBJECT);
	while (r.depth && !r.is_full) {
		const struct level *l = &r.levels[r.depth - 1];

		if (l->is_list) {
			next_item(&r);
			continue;
		}
		buf_cut(&r.path, l->path_len);
		next_member(&r);
	}
	if (!r.reader || json_failed(r.reader) || r.path.state != BUF_OK)
		r.is_full = true;
	json_free(r.reader);
	buf_release(&r.path);
	return !r.is_full;
}

/* ---- writing ---- */

/* Returns NULL if the answer has no such member, or it is null. */
static const struct str *fact_in(const struct fact *facts, size_t count,
				 const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(facts[i].path, str_from(path)))
			return &facts[i].text;
	return NULL;
}

static const struct str *fact_of(const struct answer *a,
				 const struct element *e, const char *path)
{
	if (*path == '/')
		path++;
	else if (e->list)
		return fact_in(a->facts + e->first, e->end - e->first, path);
	return fact_in(a->own, a->own_count, path);
}

static bool is_meant(const struct answer *a, const struct gauge *g)
{
	const char *equals = g->only ? strchr(g->only, '=') : NULL;

	if (!str_equal(a->command, str_from(g->command)))
		return false;
	if (!equals)
		return true;
	for (size_t i = 0; i < a->own_count; i++)
		if (str_equal(a->own[i].path,
			      (struct str){ g->only,
					    (size_t)(equals - g->only) }))
			return str_equal(a->own[i].text, str_from(equals + 1));
	return false;
}

/* Writes foreign text in quotes. */
static void write_quoted(struct out *out, struct str text)
{
	struct buf safe;

	buf_init(&safe, LIMIT_STRING_BYTES);
	escape_terminal_buf(&safe, text);
	out_char(out, '"');
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '"' || safe.data[i] == '\\')
			out_char(out, '\\');
		out_char(out, safe.data[i]);
	}
	out_char(out, '"');
	if (safe.state != BUF_OK)
		out_fail_memory(out);
	buf_release(&safe);
}

static void write_labels(const struct answer *a, const struct element *e,
			 const struct gauge *g, struct out *out)
{
	char mark = '{';

	for (size_t i = 0; i < GAUGE_LABELS && g->labels[i]; i++) {
		const char *label = g->labels[i];
		size_t len = strcspn(label, "=:");
		struct str fixed = str_from(label + len + 1);
		const struct str *text =
			label[len] == ':' ? &fixed
					  : fact_of(a, e, label + len + 1);

		if (!text || !text->len)
			continue;
		out_char(out, mark);
		out_str(out, (struct str){ label, len });
		out_char(out, '=');
		write_quoted(out, *text);
		mark = ',';
	}
	if (mark == ',')
		out_char(out, '}');
}

/* Returns false if there is no number. */
static bool value_of(const struct answer *a, const struct element *e,
		     const struct gauge *g, double *value)
{
	const struct str *text;

	*value = 1;
	if (!*g->value)
		return true;
	text = fact_of(a, e, g->value);
	if (!text)
		return false;
	if (g->reads)
		*value = str_equal(*text, str_from(g->reads));
	else if (!parse_f64(*text, value))
		return false;
	if (g->divisor > 0)
		*value /= g->divisor;
	return true;
}

static void write_sample(const struct answer *a, const struct element *e,
			 const struct gauge *g, struct out *out)
{
	struct jsonw w;
	double value;

	if (!value_of(a, e, g, &value))
		return;
	out_text(out, "tracefind_");
	out_text(out, g->name);
	write_labels(a, e, g, out);
	out_char(out, ' ');
	/* As in JSON: the fewest digits that read back. */
	jsonw_init(&w, out, 0);
	jsonw_f64(&w, value, -1);
	out_char(out, '\n');
}

static void write_gauges(const struct answer *a, struct out *out)
{
	const struct element own = { 0 };
	const char *name = "";

	for (const struct gauge *g = openmetrics_gauges; g->command; g++) {
		if (!is_meant(a, g))
			continue;
		if (strcmp(name, g->name) != 0) {
			out_text(out, "# HELP tracefind_");
			out_text(out, g->name);
			out_char(out, ' ');
			out_text(out, g->help);
			out_text(out, "\n# TYPE tracefind_");
			out_text(out, g->name);
			out_text(out, " gauge\n");
			name = g->name;
		}
		if (!g->list)
			write_sample(a, &own, g, out);
		for (size_t i = 0; g->list && i < a->element_count; i++)
			if (!strcmp(a->elements[i].list, g->list))
				write_sample(a, &a->elements[i], g, out);
	}
	out_text(out, "# EOF\n");
}

void openmetrics_write(struct str json, struct out *out)
{
	struct answer a = { 0 };
	const struct str *command;

	arena_init(&a.arena, FACTS_BYTES);
	if (!read_answer(&a, json) ||
	    !(command = fact_in(a.own, a.own_count, "command"))) {
		out_fail_memory(out);
	} else {
		a.command = *command;
		write_gauges(&a, out);
	}
	arena_release(&a.arena);
}
