/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about a Pyroscope: its version, its profiles, and its limits.
 */
#include "backend/rooms.h"

#include <stdio.h>

#include "backend/checkup.h"
#include "backend/fetch_profile.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "backend/source.h"
#include "base/document.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "base/wirew.h"

#define JSON "application/json"

#define PATH_BYTES ((size_t)256)

bool pyroscope_version_request(const struct endpoint *e,
			       struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, "/api/v1/status/buildinfo");
	if (!request_fill(request, e, "GET", &path, NULL, err))
		return false;
	request->is_probe = true;
	return true;
}

bool pyroscope_stats_request(const struct endpoint *e,
			     struct http_request *request, struct error *err)
{
	struct buf body;

	buf_init(&body, PYROSCOPE_BODY_BYTES);
	buf_add_text(&body, "{}");
	if (!pyroscope_post(e, "GetProfileStats", JSON, &body, request, err))
		return false;
	request->is_probe = true;
	return true;
}

bool pyroscope_stats_read(const struct http_response *response,
			  struct profile_stats *stats)
{
	const struct document *has_data;
	int64_t oldest_ms, newest_ms;
	struct error ignored;
	struct document *d;
	bool is_ok;

	*stats = (struct profile_stats){ .has_data = false };
	if (response->status != 200 || body_first(response) != '{')
		return false;
	d = document_read_object(buf_str(&response->body), &ignored);
	has_data = document_get(d, "dataIngested");
	is_ok = d &&
		(!has_data || document_is_true(has_data) ||
		 document_is_false(has_data)) &&
		document_i64(document_get(d, "oldestProfileTime"),
			     &oldest_ms) &&
		document_i64(document_get(d, "newestProfileTime"), &newest_ms);
	if (is_ok)
		*stats = (struct profile_stats){
			.has_data = document_is_true(has_data),
			.oldest_ns = sat_mul_i64(oldest_ms, NS_PER_MS),
			.newest_ns = sat_mul_i64(newest_ms, NS_PER_MS),
		};
	document_free(d);
	return is_ok;
}

bool pyroscope_label_request(const struct endpoint *e, const char *label,
			     const char *selector, struct time_range range,
			     struct http_request *request, struct error *err)
{
	struct buf body;
	struct out out;
	struct jsonw w;

	buf_init(&body, PYROSCOPE_BODY_BYTES);
	out_init_memory(&out, &body);
	jsonw_init(&w, &out, 0);
	jsonw_addf(&w, "{name:%s, matchers:[%s], start:%jd, end:%jd}", label,
		   selector, range.from_ns / NS_PER_MS,
		   range.to_ns / NS_PER_MS);
	out_release(&out);
	return pyroscope_post(e, "LabelValues", JSON, &body, request, err);
}

/* "... exceeds the limit (max_query_length, actual: 48h0m0s, limit: 1d)" */
bool pyroscope_length_limit_read(const struct http_response *response,
				 char out[STATUS_VERSION_BYTES])
{
	static const struct str lead = { "limit: ", 7 };
	struct reason reason;
	struct str text;
	size_t at, end;

	out[0] = '\0';
	if (!body_contains(response, STR("max_query_length")))
		return false;
	reason_read(response, &reason);
	text = str_from(reason.text);
	at = str_find(text, lead);
	if (at == SIZE_MAX)
		return true;
	text = str_slice(text, at + lead.len, text.len);
	end = str_find(text, STR(")"));
	text = str_slice(text, 0, end);
	if (text.len < STATUS_VERSION_BYTES)
		snprintf(out, STATUS_VERSION_BYTES, "%.*s", STR_ARGS(text));
	return true;
}

/* The checks of a Pyroscope: which profiles it has, since when, and its limit
 * per query. */

/* Longer than the default limit of a query (a day). */
#define LONG_RANGE_NS (2 * NS_PER_DAY)

enum { ASK_SERVICES, ASK_STATS, ASK_VERSION, ASK_LENGTH, ASKS };

static bool status_request(const struct backends *b, size_t ask,
			   struct http_request *request, struct error *err)
{
	const struct endpoint *e = &b->profiles.endpoint;
	struct time_range longer = { sat_sub_i64(b->now_ns, LONG_RANGE_NS),
				     b->now_ns };

	switch (ask) {
	case ASK_SERVICES:
		return pyroscope_probe_request(e, b->now_ns, request, err);
	case ASK_STATS:
		return pyroscope_stats_request(e, request, err);
	case ASK_VERSION:
		return pyroscope_version_request(e, request, err);
	default:
		if (!pyroscope_services_request(&b->profiles, longer, request,
						err))
			return false;
		request->is_probe = true;
		return true;
	}
}

static bool span_names_request(const struct backends *b, const char *selector,
			       struct time_range range,
			       struct http_request *request, struct error *err)
{
	return pyroscope_label_request(&b->profiles.endpoint, "span_name",
				       selector, range, request, err);
}

static void check_length(struct checkup *c,
			 const struct http_response *response)
{
	char limit[STATUS_VERSION_BYTES];

	if (pyroscope_length_limit_read(response, limit)) {
		if (!parse_duration(str_from(limit), &c->length_limit_ns))
			c->length_limit_ns = 0;
		check_ok(c->checks, "profiles", "limits",
			 "ranges of at most %s at once; by default nothing "
			 "over 7d back",
			 limit[0] ? limit : "a day");
	} else if (response->status == 200) {
		check_ok(c->checks, "profiles", "limits",
			 "answers for two days at once; by default nothing "
			 "over 7d back");
	}
}

static void check_no_data(struct checkup *c)
{
	const struct endpoint *e = &c->backends->profiles.endpoint;
	char tenant[160];

	check_fail(c->checks, ERROR_NOT_FOUND, "profiles", "data",
		   "the server has no profiles (%s)",
		   tenant_words(e, tenant, sizeof tenant));
	check_fix(c->checks,
		  "--profiles-tenant-id NAME if it belongs to another tenant; "
		  "otherwise the services do not send: point the SDK or Alloy "
		  "at %s",
		  e->url);
}

/* Checks the retention by the oldest profile; no server reports it. */
static void check_retention(struct checkup *c)
{
	const struct profile_stats *stats = &c->stats;
	char oldest[24], newest[24];

	if (!stats->has_data || !stats->oldest_ns)
		return;
	format_duration(sat_sub_i64(c->backends->now_ns, stats->oldest_ns),
			oldest);
	format_duration(sat_sub_i64(c->backends->now_ns, stats->newest_ns),
			newest);
	check_ok(c->checks, "profiles", "retention",
		 "the oldest profile is %s old%s%s", oldest,
		 stats->newest_ns ? ", the newest " : "",
		 stats->newest_ns ? newest : "");
}

static bool checkup_judge(struct checkup *c,
			  const struct http_response *answers,
			  struct error *err)
{
	struct error ignored;

	(void)err;
	check_length(c, &answers[ASK_LENGTH]);
	if (!pyroscope_services_answer(c->backends, &answers[ASK_SERVICES],
				       &c->recent, &ignored))
		c->recent.count = 0;
	if (pyroscope_stats_read(&answers[ASK_STATS], &c->stats) &&
	    !c->stats.has_data && !c->recent.count)
		check_no_data(c);
	check_retention(c);
	return true;
}

/* Packages that add the span's id to CPU samples and pyroscope.profile.id to
 * spans. */
static const struct {
	const char *language;
	const char *fix;
} span_senders[] = {
	{ "go", "Go: wrap the tracer provider with NewTracerProvider of "
		"github.com/grafana/otel-profiling-go" },
	{ "java", "Java: add the extension pyroscope-otel.jar to the "
		  "OpenTelemetry agent (otel.javaagent.extensions)" },
	{ "python", "Python: add PyroscopeSpanProcessor of the package "
		    "pyroscope-otel to the tracer provider" },
	{ "ruby", "Ruby: add Pyroscope::Otel::SpanProcessor of the gem "
		  "pyroscope-otel" },
	{ "dotnet", ".NET: add PyroscopeSpanProcessor of the package "
		    "Pyroscope.OpenTelemetry" },
	{ "nodejs", "none for Node.js; the profile of the whole service is "
		    "taken" },
};

static const char *span_fix(struct str language)
{
	for (size_t i = 0; i < COUNT_OF(span_senders); i++)
		if (str_equal(language, str_from(span_senders[i].language)))
			return span_senders[i].fix;
	return NULL;
}

#define ELSEWHERE "another tenant: --profiles-tenant-id NAME"

const struct profile_checkup checkup_pyroscope = {
	.title = "Pyroscope",
	.ask_count = ASKS,
	.request = status_request,
	.is_proof = pyroscope_probe_matches,
	.version_ask = ASK_VERSION,
	.has_tenants = true,
	.judge = checkup_judge,
	.span_names_request = span_names_request,
	.lookback_ns = SERVER_LOOKBACK_NS,
	.add_fix = "add the Pyroscope SDK or Alloy to it",
	.logs_fix = "look at the logs of the SDKs or of Alloy; ",
	.elsewhere_fix = ELSEWHERE,
	.nowhere_fix = ELSEWHERE "; another server: --profiles-url URL",
	.keep_fix = "a newer trace; to keep more: Pyroscope's "
		    "-retention-period=90d (before 2.0 "
		    "-compactor.blocks-retention-period=90d)",
	.lookback_fix = "Pyroscope's -querier.max-query-lookback=30d",
	.length_fix = "a shorter --since, or Pyroscope's "
		      "-querier.max-query-length=7d",
	.ignored_fix = "a newer Pyroscope; until then --scope service",
	.span_fix = span_fix,
};

/* Pyroscope's ingestion (push/v1/push.proto). */

#define SUBJECT "pyroscope: push"

/* Field numbers. */
enum {
	PUSH_SERIES = 1,
	SERIES_LABELS = 1,
	SERIES_SAMPLES = 2,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	SAMPLE_PROFILE = 1,
};

static void put_label(struct buf *b, struct str name, struct str value)
{
	size_t at = wirew_open(b, SERIES_LABELS);
	size_t name_at = wirew_open(b, LABEL_NAME);

	/* Label names of Prometheus: other bytes become "_". */
	if (!name.len || ascii_is_digit(name.ptr[0]))
		buf_add_char(b, '_');
	for (size_t i = 0; i < name.len; i++)
		buf_add_char(b,
			     ascii_is_alnum(name.ptr[i]) ? name.ptr[i] : '_');
	wirew_close(b, name_at);
	wirew_utf8(b, LABEL_VALUE, value);
	wirew_close(b, at);
}

/* The server derives types from this name and from the file. */
static bool profile_request(const struct endpoint *endpoint,
			    const struct whole_profile *profile,
			    struct http_request *request, struct error *err)
{
	size_t series, sample;
	struct buf body;
	bool is_ok;

	buf_init(&body, LIMIT_BODY_PLAIN_BYTES);
	series = wirew_open(&body, PUSH_SERIES);
	put_label(&body, STR("__name__"), profile->kind);
	for (size_t i = 0; i < profile->label_count; i++)
		put_label(&body, profile->labels[i].name,
			  profile->labels[i].value);
	sample = wirew_open(&body, SERIES_SAMPLES);
	wirew_str(&body, SAMPLE_PROFILE, profile->bytes);
	wirew_close(&body, sample);
	wirew_close(&body, series);
	is_ok = buf_check(&body, "a profile", err) &&
		receiver_post(endpoint, "/push.v1.PusherService/Push",
			      "application/proto", buf_str(&body), request,
			      err);
	buf_release(&body);
	return is_ok;
}

static enum receipt push_answer(const struct receiver *to,
				const struct endpoint *endpoint,
				const struct http_response *response,
				int64_t *rejected, struct error *err)
{
	(void)to;
	*rejected = 0;
	return http_is_success(response)
		       ? RECEIPT_TAKEN
		       : receiver_fail(SUBJECT, endpoint, response, err);
}

const struct receiver receiver_pyroscope = {
	.title = "Pyroscope",
	.prefix = "pyroscope+",
	.profile_request = profile_request,
	.answer = push_answer,
};
