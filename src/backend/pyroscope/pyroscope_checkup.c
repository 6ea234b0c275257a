/* SPDX-License-Identifier: Apache-2.0
 *
 * A Pyroscope under examination: what it holds, how far back, and how much of
 * it may be asked for at once.
 */
#include "backend/answer.h"
#include "backend/checkups.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "backend/window_parts.h"
#include "base/count.h"
#include "base/num.h"

/* Longer than it answers at once by default (a day). */
#define LONG_RANGE_NS (2 * NS_PER_DAY)

enum { ASK_SERVICES, ASK_STATS, ASK_VERSION, ASK_LENGTH, ASKS };

static bool request(const struct backends *b, size_t ask,
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
		   "the server has no profile at all (%s)",
		   tenant_words(e, tenant, sizeof tenant));
	check_fix(c->checks,
		  "--profiles-tenant-id NAME if it is another tenant's; else "
		  "the services do not send: SDK or Alloy to %s",
		  e->url);
}

static void read_data(struct checkup *c, const struct http_response *answers)
{
	struct error ignored;

	if (!pyroscope_services_answer(c->backends, &answers[ASK_SERVICES],
				       &c->recent, &ignored))
		c->recent.count = 0;
	if (pyroscope_stats_read(&answers[ASK_STATS], &c->stats) &&
	    !c->stats.has_data && !c->recent.count)
		check_no_data(c);
}

/* What is kept shows in the oldest profile; how long it is kept, no server
 * tells. */
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

static bool judge(struct checkup *c, const struct http_response *answers,
		  struct error *err)
{
	(void)err;
	check_length(c, &answers[ASK_LENGTH]);
	read_data(c, answers);
	check_retention(c);
	return true;
}

/* What adds the span's id to CPU samples and pyroscope.profile.id to spans. */
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
	.request = request,
	.is_proof = pyroscope_probe_matches,
	.version_ask = ASK_VERSION,
	.has_tenants = true,
	.judge = judge,
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
