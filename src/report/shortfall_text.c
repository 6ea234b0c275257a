/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <inttypes.h>

#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "backend/trace_queries.h"
#include "base/buf.h"
#include "base/instance.h"
#include "base/num.h"

#define NEAREST_MAX 3

/* So many names fit into one line; of more, a few stand for all. */
#define LISTED_MAX 10u
#define EXAMPLES_MAX 5u

static bool is_known(const struct missing_profile *m)
{
	return m->is_known ||
	       str_is_among(m->service, m->services->items, m->services->count);
}

static void add_list(struct buf *text, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(text, "%s\"%.*s\"", i ? ", " : "", STR_ARGS(names[i]));
}

/* Returns the first near name, or a stand-in. */
static struct str add_names(const struct missing_profile *m, struct buf *text)
{
	const struct name_list *list = m->services;
	struct str near[NEAREST_MAX];
	size_t count = nearest_names(list, m->service, near, NEAREST_MAX);
	size_t shown = list->count > LISTED_MAX ? EXAMPLES_MAX : list->count;

	if (m->doubt_count) {
		buf_add_text(text, "; it could be ");
		add_list(text, m->doubts, m->doubt_count);
		return m->doubts[0];
	}
	if (count) {
		buf_add_text(text, "; nearest: ");
		add_list(text, near, count);
		return near[0];
	}
	if (shown < list->count)
		buf_addf(text, "; %zu services have profiles, such as ",
			 list->count);
	else
		buf_add_text(text, "; those with profiles: ");
	add_list(text, list->items, shown);
	return STR("NAME");
}

static void add_service(const struct missing_profile *m, struct buf *text)
{
	struct buf selector;
	struct str name;

	buf_addf(text, "no profile for service \"%.*s\"", STR_ARGS(m->service));
	if (m->tried_count > 1) {
		buf_add_text(text, ", nor for ");
		add_list(text, m->tried + 1, m->tried_count - 1);
	}
	name = add_names(m, text);
	if (!m->has_trace)
		return;
	buf_init(&selector, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&selector, STR("service_name"), name);
	selector_close(&selector);
	buf_addf(text, "; choose with --selector '%s'", buf_text(&selector));
	buf_release(&selector);
}

static void add_lookback(const struct missing_profile *m, struct buf *text)
{
	if (m->retention_ns) {
		if (m->window.from_ns < m->now_ns - m->retention_ns)
			buf_addf(text,
				 "; %s keeps profiles for %" PRId64 " days",
				 m->server, m->retention_ns / NS_PER_DAY);
		return;
	}
	if (m->window.from_ns < m->now_ns - SERVER_LOOKBACK_NS)
		buf_add_text(text, "; servers look back 7 days by default, so "
				   "older data may be out of reach");
}

static void add_window(const struct missing_profile *m, struct buf *text)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(m->window.from_ns, from);
	format_rfc3339(m->window.to_ns, to);
	buf_addf(text, " between %.19sZ and %.19sZ", from, to);
	add_lookback(m, text);
}

/* Always false, ERROR_NOT_FOUND. */
static bool explain_missing_profile(const struct missing_profile *m,
				    struct error *err)
{
	char to[TIME_RFC3339_BYTES];
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	if (m->selector) {
		buf_addf(&text, "no samples match %s", m->selector);
		add_window(m, &text);
	} else if (!m->is_known && m->services->count == 0) {
		format_rfc3339(m->window.to_ns, to);
		buf_addf(&text,
			 "no service sent profiles in the 24 h before %.19sZ; "
			 "is it the right %s%s?",
			 to, m->retention_ns ? "project" : "server",
			 m->has_tenant ? " and tenant" : "");
		add_lookback(m, &text);
	} else if (!is_known(m)) {
		add_service(m, &text);
	} else {
		buf_addf(&text,
			 "service \"%.*s\" has profiles, but no samples of "
			 "%.*s",
			 STR_ARGS(m->service), STR_ARGS(m->type_id));
		add_window(m, &text);
		buf_addf(&text, "; widen with %s",
			 m->has_trace ? "--pad" : "--since");
	}
	error_set(err, ERROR_NOT_FOUND, "%s", buf_text(&text));
	buf_release(&text);
	return false;
}

/* ---- other reasons ---- */

/* Versions listed when the one asked for is not there. */
#define LISTED_VERSIONS 8u
#define NAME_BYTES 60u

static bool explain_version(const struct shortfall *s, struct error *err)
{
	const struct name_list *known = &s->names;
	struct buf text;

	buf_init(&text, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < known->count && i < LISTED_VERSIONS; i++) {
		buf_add_text(&text, i ? ", " : "; it has ");
		wording_add(&text, known->items[i], NAME_BYTES);
	}
	if (known->count > LISTED_VERSIONS)
		buf_addf(&text, " and %zu more",
			 known->count - LISTED_VERSIONS);
	if (!known->count)
		buf_add_text(&text, ": its profiles have no version label, and "
				    "the traces have no version; try "
				    "--baseline previous");
	error_set(err, ERROR_NOT_FOUND,
		  "--baseline version=%.*s: not a version of service "
		  "\"%.*s\"%s",
		  (int)NAME_BYTES, s->value.ptr, STR_ARGS(s->service),
		  buf_text(&text));
	buf_release(&text);
	return false;
}

static bool explain_instance(const struct shortfall *s, struct error *err)
{
	if (s->kind == SHORTFALL_INSTANCE_OF_SPAN)
		return error_set(
			err, ERROR_NOT_FOUND,
			"--scope instance: the span's process has "
			"no " INSTANCE_POD
			", " INSTANCE_ID " or " INSTANCE_HOST
			"; leave out --scope");
	if (s->kind == SHORTFALL_INSTANCE_LABEL)
		return error_set(err, ERROR_NOT_FOUND,
				 "--scope instance: the profiles of \"%.*s\" "
				 "have no instance label; leave out --scope",
				 STR_ARGS(s->service));
	return error_set(err, ERROR_NOT_FOUND,
			 "--scope instance: no profiles with %.*s=\"%.*s\"; "
			 "leave out --scope",
			 STR_ARGS(s->name), STR_ARGS(s->value));
}

static bool explain_place(const struct shortfall *s, struct error *err)
{
	size_t shown = s->names.count > LISTED_MAX ? EXAMPLES_MAX
						   : s->names.count;
	struct buf text, selector;

	buf_init(&text, LIMIT_ERROR_BYTES);
	buf_init(&selector, LIMIT_OPTION_VALUE_BYTES);
	add_list(&text, s->names.items, shown);
	if (shown < s->names.count)
		buf_addf(&text, " and %zu more", s->names.count - shown);
	selector_add(&selector, STR("service_name"), s->service);
	selector_close(&selector);
	error_set(err, ERROR_NOT_FOUND,
		  "no profile of service \"%.*s\" where the trace is from (%s "
		  "\"%.*s\"): existing ones have %.*s %s; to use them anyway: "
		  "--selector '%s'",
		  STR_ARGS(s->service), s->attr, STR_ARGS(s->value),
		  STR_ARGS(s->name), buf_text(&text), buf_text(&selector));
	buf_release(&text);
	buf_release(&selector);
	return false;
}

static bool explain_fast(const struct shortfall *s, struct error *err)
{
	if (s->kind == SHORTFALL_FEW_SPANS)
		return error_set(err, ERROR_NOT_FOUND,
				 "--baseline fast: %zu span%s \"%.*s\" of "
				 "service \"%.*s\" in this window: too few to "
				 "separate slow from fast; widen with --since",
				 s->count, &"s"[s->count == 1],
				 STR_ARGS(s->name), STR_ARGS(s->service));
	if (s->kind == SHORTFALL_FEW_SPAN_IDS)
		return error_set(err, ERROR_NOT_FOUND,
				 "--baseline fast: of %zu spans only %zu slow "
				 "and %zu fast ones have pyroscope.profile.id: "
				 "are span profiles enabled? check with "
				 "tracefind doctor --service %.*s",
				 s->count, s->slow_count, s->fast_count,
				 STR_ARGS(s->service));
	return error_set(err, ERROR_NOT_FOUND,
			 "--baseline fast: no clearly faster requests with "
			 "samples in the same minutes; try --baseline "
			 "previous");
}

static bool explain_spans(const struct shortfall *s, struct error *err)
{
	switch (s->kind) {
	case SHORTFALL_SPAN_BY_HAND:
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of this span: %s",
				 s->has_id ? "none have its id (too short, or "
					     "not on CPU); leave out --scope "
					     "span"
					   : "it has no pyroscope.profile.id; "
					     "leave out --scope span");
	case SHORTFALL_SPANS:
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of span %016" PRIx64
				 "%s in this window: only the first span of a "
				 "process carries them, when span profiles are "
				 "on and it used CPU (check with tracefind "
				 "doctor TRACE); or widen with --since",
				 s->span_id,
				 s->count > 1 ? " and the others" : "");
	case SHORTFALL_SPANS_IGNORED:
		return error_set(
			err, ERROR_FORMAT,
			"this profile server ignores the span selector: it "
			"returns samples of a span that does not exist");
	default:
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of %s (too short, not on CPU, or "
				 "no span profiles); leave out --scope",
				 s->kind == SHORTFALL_COHORT_SAMPLES
					 ? "similar requests: no samples have "
					   "their ids"
					 : "this span: no samples have its id");
	}
}

static bool explain_sides(const struct shortfall *s, struct error *err)
{
	switch (s->kind) {
	case SHORTFALL_OTHER_VERSION:
		return error_set(err, ERROR_NOT_FOUND,
				 "all profiles of this window are of version "
				 "%s: no baseline",
				 s->value.ptr);
	case SHORTFALL_BASELINE:
		if (s->name.ptr)
			return error_set(err, ERROR_NOT_FOUND,
					 "no samples of %.*s in this window; "
					 "widen with --since",
					 STR_ARGS(s->name));
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples in the baseline; try another "
				 "--baseline");
	case SHORTFALL_FILE:
		return error_set(err, ERROR_NOT_FOUND,
				 "%.*s: the profile holds no samples",
				 STR_ARGS(s->name));
	case SHORTFALL_BASELINE_FILE:
		return error_set(err, ERROR_NOT_FOUND,
				 "%.*s: the baseline profile holds no samples",
				 STR_ARGS(s->name));
	case SHORTFALL_VERSION_OF_FILE:
		return error_set(err, ERROR_USAGE,
				 "--baseline version=V needs a profile server; "
				 "for files: tracefind diff BEFORE AFTER");
	case SHORTFALL_DIFFERENCE:
		return error_set(err, ERROR_USAGE,
				 "the %s profile is a difference already "
				 "(pprof -base), which cannot be compared; "
				 "give the two profiles that it was made of",
				 s->count ? "second" : "first");
	case SHORTFALL_SNAPSHOT_LENGTH:
		return error_set(err, ERROR_USAGE,
				 "the snapshot covers whole runs, the "
				 "candidate a time window (or vice versa): "
				 "save one of the same kind, or compare shares "
				 "(--normalize share)");
	case SHORTFALL_FILTERED:
		return error_set(err, ERROR_NOT_FOUND,
				 "nothing in the profile matches the filters "
				 "(--focus, --show, --tag-focus...)");
	case SHORTFALL_STACKS:
		return error_set(err, ERROR_FORMAT,
				 "callgrind records no stacks: leave out "
				 "--focus, --ignore, --hide, --show and "
				 "--granularity");
	case SHORTFALL_UNITS:
		return error_set(err, ERROR_FORMAT,
				 "the two profiles count different things: "
				 "%.*s and %.*s; choose one with --type",
				 STR_ARGS(s->name), STR_ARGS(s->value));
	default:
		return error_set(err, ERROR_NOT_FOUND,
				 "no profile of \"%.*s\" that shows time; its "
				 "types are listed by tracefind types",
				 STR_ARGS(s->service));
	}
}

/* ---- no traces ---- */

static void add_near(const struct name_list *names, struct str name,
		     struct buf *out)
{
	struct str near[NEAREST_MAX];
	size_t count = nearest_names(names, name, near, NEAREST_MAX);
	bool is_short = names->count <= LISTED_MAX;

	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s\"%.*s\"", i ? ", " : "; nearest: ",
			 STR_ARGS(near[i]));
	for (size_t i = 0; !count && is_short && i < names->count; i++)
		buf_addf(out, "%s\"%.*s\"", i ? ", " : "; there are ",
			 STR_ARGS(names->items[i]));
	if (!count && !is_short)
		buf_addf(out, "; the trace server has %zu others",
			 names->count);
}

/* ' of service "web", operation "GET /" between ...; last seen at ...' */
static void add_query(const struct trace_lack *lack, const struct find_query *q,
		      struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	char at[TIME_RFC3339_BYTES], least[24];

	if (q->service.len)
		buf_addf(out, " of service \"%.*s\"", STR_ARGS(q->service));
	if (q->name.len)
		buf_addf(out, "%s operation \"%.*s\"",
			 q->service.len ? "," : " of", STR_ARGS(q->name));
	format_duration(q->min_duration_ns, least);
	if (q->min_duration_ns > 0)
		buf_addf(out, " that took %s or longer", least);
	format_rfc3339(q->range.from_ns, from);
	format_rfc3339(q->range.to_ns, to);
	buf_addf(out, " between %.19sZ and %.19sZ", from, to);
	format_rfc3339(lack->found_ns, at);
	if (lack->found_ns) {
		buf_addf(out, "; %s at %.19sZ: --around %.19sZ",
			 lack->is_last ? "last seen" : "earlier seen", at,
			 at);
		return;
	}
	if (lack->is_looked_back && lack->is_last)
		buf_add_text(out, ", nor in the 24 h before");
	buf_addf(out, "; %swiden with --since 24h, or run tracefind doctor",
		 q->min_duration_ns > 0 ? "lower --min-duration, " : "");
}

bool trace_lack_explain(const struct trace_lack *lack,
			const struct find_query *q, struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_ERROR_BYTES);
	buf_add_text(&text, "no traces");
	if (lack->found_ns || lack->kind == SEARCH_LACKS_TRACES) {
		add_query(lack, q, &text);
	} else {
		bool is_service = lack->kind == SEARCH_LACKS_SERVICE;
		struct str name = is_service ? q->service : q->name;

		if (is_service)
			buf_add_text(&text, " with service");
		else
			buf_addf(&text, " of service \"%.*s\" with operation",
				 STR_ARGS(q->service));
		buf_addf(&text, " \"%.*s\"", STR_ARGS(name));
		add_near(&lack->names, name, &text);
	}
	error_set(err, ERROR_NOT_FOUND, "%s", buf_text(&text));
	buf_release(&text);
	return false;
}

/* ---- others ---- */

static bool explain_functions(const struct shortfall *s, struct error *err)
{
	struct buf list;

	if (!s->names.count)
		return error_set(err, ERROR_NOT_FOUND,
				 "no function \"%.*s\" in the profiles of "
				 "service \"%.*s\" in this window; tracefind "
				 "profile --service %.*s lists them",
				 STR_ARGS(s->name), STR_ARGS(s->service),
				 STR_ARGS(s->service));
	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < s->names.count; i++)
		buf_addf(&list, "%s%.*s", i ? ", " : "",
			 STR_ARGS(s->names.items[i]));
	error_set(err, ERROR_USAGE,
		  "--function %.*s matches several functions: %s; give the "
		  "full name",
		  STR_ARGS(s->name), buf_text(&list));
	buf_release(&list);
	return false;
}

static bool explain_when(const struct shortfall *s, struct error *err)
{
	switch (s->kind) {
	case SHORTFALL_GAUGE:
		return error_set(err, ERROR_USAGE,
				 "%.*s is a gauge, not a cost of requests: "
				 "choose another --type, such as cpu or alloc",
				 STR_ARGS(s->name));
	case SHORTFALL_OPERATION:
		return trace_lack_explain(
			&s->traces,
			&(struct find_query){ .service = s->service,
					      .name = s->name,
					      .range = s->window },
			err);
	case SHORTFALL_STEPS:
		return error_set(err, ERROR_NOT_FOUND,
				 "neither profiles nor requests of service "
				 "\"%.*s\" in this window; widen it with "
				 "--since, or run tracefind doctor --service "
				 "%.*s",
				 STR_ARGS(s->service), STR_ARGS(s->service));
	default:
		return explain_functions(s, err);
	}
}

static bool explain_cost(const struct shortfall *s, struct error *err)
{
	if (s->kind == SHORTFALL_FEW_REQUESTS)
		return error_set(err, ERROR_NOT_FOUND,
				 "%zu traced request%s \"%.*s\" of service "
				 "\"%.*s\" with span profiles in this window: "
				 "too few; widen it with --since",
				 s->count, &"s"[s->count == 1],
				 STR_ARGS(s->name), STR_ARGS(s->service));
	if (s->kind == SHORTFALL_LENGTH)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s not record for how long %s profiled, so "
				 "the number of requests has to be given: "
				 "--requests N%s",
				 s->has_id ? "these files do" : "the file does",
				 s->has_id ? "they were" : "it was",
				 s->has_id ? " and --baseline-requests N" : "");
	if (s->kind == SHORTFALL_MEMORY && s->has_id)
		return error_set(err, ERROR_NOT_FOUND,
				 "memory is not compared here: tracefind leak "
				 "checks whether it grows");
	if (s->kind == SHORTFALL_MEMORY)
		return error_set(err, ERROR_NOT_FOUND,
				 "a heap profile covers only a part of a "
				 "process's memory: --metrics-url is needed "
				 "for the total");
	if (s->kind == SHORTFALL_NO_CPU)
		return error_set(err, ERROR_NOT_FOUND,
				 "this is a profile of %.*s in %.*s, not of "
				 "CPU time or memory in use, so it cannot be "
				 "priced (--type cpu)",
				 STR_ARGS(s->name), STR_ARGS(s->value));
	return error_set(err, ERROR_NOT_FOUND,
			 "the number of requests per version or selector is "
			 "not known: traces in Tempo with service.version "
			 "count them, or give --requests and "
			 "--baseline-requests");
}

bool shortfall_explain(const struct shortfall *s, struct error *err)
{
	char most[24];

	switch (s->kind) {
	case SHORTFALL_NONE:
	case SHORTFALL_KINDS:
		return false;
	case SHORTFALL_PROFILE:
		return explain_missing_profile(&s->missing, err);
	case SHORTFALL_TYPE:
		return error_prefix(err, "service \"%.*s\"",
				    STR_ARGS(s->service));
	case SHORTFALL_VERSION:
		return explain_version(s, err);
	case SHORTFALL_PLACE:
		return explain_place(s, err);
	case SHORTFALL_INSTANCE_OF_SPAN:
	case SHORTFALL_INSTANCE_LABEL:
	case SHORTFALL_INSTANCE:
		return explain_instance(s, err);
	case SHORTFALL_FAST:
	case SHORTFALL_FEW_SPANS:
	case SHORTFALL_FEW_SPAN_IDS:
		return explain_fast(s, err);
	case SHORTFALL_SPAN_SAMPLES:
	case SHORTFALL_COHORT_SAMPLES:
	case SHORTFALL_SPAN_BY_HAND:
	case SHORTFALL_SPANS:
	case SHORTFALL_SPANS_IGNORED:
		return explain_spans(s, err);
	case SHORTFALL_NO_TIME:
	case SHORTFALL_OTHER_VERSION:
	case SHORTFALL_BASELINE:
	case SHORTFALL_STACKS:
	case SHORTFALL_UNITS:
	case SHORTFALL_FILE:
	case SHORTFALL_BASELINE_FILE:
	case SHORTFALL_VERSION_OF_FILE:
	case SHORTFALL_DIFFERENCE:
	case SHORTFALL_SNAPSHOT_LENGTH:
	case SHORTFALL_FILTERED:
		return explain_sides(s, err);
	case SHORTFALL_GAUGE:
	case SHORTFALL_FUNCTION:
	case SHORTFALL_FUNCTIONS:
	case SHORTFALL_OPERATION:
	case SHORTFALL_STEPS:
		return explain_when(s, err);
	case SHORTFALL_FEW_REQUESTS:
	case SHORTFALL_MEMORY:
	case SHORTFALL_LENGTH:
	case SHORTFALL_NO_CPU:
	case SHORTFALL_VERSION_REQUESTS:
		return explain_cost(s, err);
	case SHORTFALL_LONG_WINDOW:
		format_duration(sat_mul_i64((int64_t)s->count, NS_PER_S), most);
		return error_set(err, ERROR_USAGE,
				 "the server accepts windows of %s at most, so "
				 "a longer one would need more requests per "
				 "service: --since 1d --baseline 7d compares "
				 "the same day of last week",
				 most);
	}
	return false;
}
