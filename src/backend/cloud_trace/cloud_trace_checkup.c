/* SPDX-License-Identifier: Apache-2.0
 *
 * Google Cloud under examination: one list answers whether its Cloud Trace
 * can be reached, may be read, and which services send to it.
 */
#include "backend/checkups.h"
#include "backend/cloud_trace/cloud_trace_query.h"
#include "backend/google/google_error.h"
#include "base/map.h"
#include "base/num.h"
#include "decode/history.h"

/* As the profile side is asked for its services. */
#define RECENT_NS NS_PER_HOUR
/* Names that fit into one line. */
#define NAMES_SHOWN 8u

struct seen {
	struct arena *arena;
	struct map by_name;
	struct str names[NAMES_SHOWN]; /* the first ones met */
	uint32_t count;                /* of all names */
	size_t traces;
	size_t nameless; /* spans that tell no service */
};

static bool see_service(void *context, struct str name, struct error *err)
{
	struct seen *s = context;
	uint32_t index;

	if (!name.len) {
		s->nameless++;
		return true;
	}
	if (map_find(&s->by_name, name) != MAP_NONE)
		return true;
	name = arena_str(s->arena, name);
	if (!name.ptr || !map_insert(&s->by_name, name, s->count, &index))
		return arena_fail(s->arena, "services", err);
	if (s->count < NAMES_SHOWN)
		s->names[s->count] = name;
	s->count++;
	return true;
}

static void judge_seen(struct checkup *c, const struct seen *s)
{
	struct buf names;

	if (!s->traces) {
		check_warn(c->checks, "traces", "services",
			   "no traces in the last hour");
		check_fix(c->checks,
			  "another project? Else the services do not send: "
			  "their exporter's log tells, and its account needs "
			  "roles/cloudtrace.agent");
		return;
	}
	buf_init(&names, LIMIT_CHECK_BYTES);
	for (uint32_t i = 0; i < s->count && i < NAMES_SHOWN; i++)
		buf_addf(&names, "%s\"%.*s\"", i ? ", " : ": ",
			 STR_ARGS(s->names[i]));
	if (s->count > NAMES_SHOWN)
		buf_add_text(&names, "...");
	if (s->nameless)
		check_warn(c->checks, "traces", "services",
			   "%zu span%s of the newest %zu traces without a "
			   "service's name; the others are of %u%s",
			   s->nameless, &"s"[s->nameless == 1], s -> traces,
			   s -> count, buf_text(&names));
	else
		check_ok(c->checks, "traces", "services",
			 "%u in the newest %zu traces%s", s->count, s->traces,
			 buf_text(&names));
	if (s->nameless)
		check_fix(c->checks,
			  "set OTEL_SERVICE_NAME where they are sent, or give "
			  "the profile's name with --map or --service");
	buf_release(&names);
}

static bool judge(struct checkup *c, const struct http_response *response,
		  bool *is_up, struct error *err)
{
	const struct endpoint *e = &c->backends->traces.endpoint;
	struct seen seen = { .arena = c->checks->arena };
	struct service_watch watch = { see_service, &seen, 0 };
	struct error why = { 0 };

	if (!http_is_success(response)) {
		google_fail(&google_trace_api, "Cloud Trace", e, response,
			    &why);
		check_fail(c->checks, why.code, "traces", "login", "%s",
			   why.message);
		return true;
	}
	check_ok(c->checks, "traces", "login", "reading is allowed");
	map_init(&seen.by_name, c->checks->arena);
	if (!decode_cloud_trace_services(buf_str(&response->body), &watch,
					 &why)) {
		if (why.code == ERROR_MEMORY) {
			*err = why;
			return false;
		}
		check_fail(c->checks, why.code, "traces", "server",
			   "it does not answer as Cloud Trace: %s",
			   why.message);
		return true;
	}
	check_ok(c->checks, "traces", "server",
		 "Cloud Trace; a list of traces takes 25 of 300 read units "
		 "that a project has a minute");
	seen.traces = watch.trace_count;
	judge_seen(c, &seen);
	*is_up = true;
	return true;
}

static bool request(const struct backends *b, struct http_request *request,
		    struct error *err)
{
	struct time_range range = { sat_sub_i64(b->now_ns, RECENT_NS),
				    b->now_ns };

	return cloud_trace_recent_request(&b->traces.endpoint, range, request,
					  err);
}

const struct trace_checkup checkup_cloud_trace = {
	.request = request,
	.judge = judge,
	.cut_fix = "Cloud Trace gives at most 10,000 spans of a trace: sample "
		   "less within it",
	.missing_fix = "another project: --traces-url gcp://PROJECT; past "
		       "30 days, or not sampled: take a newer trace",
};
