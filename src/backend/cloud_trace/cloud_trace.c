/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace v1 (google/devtools/cloudtrace/v1/trace.proto): Google's only API
 * that returns traces. Spans have no events and links.
 */
#include "backend/cloud_trace/cloud_trace.h"

#include <string.h>

#include "backend/checkup.h"
#include "backend/google/google_error.h"
#include "backend/rooms.h"
#include "backend/source.h"
#include "backend/trace_backend.h"
#include "base/map.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/history.h"
#include "wire/url.h"

/* Checks of Cloud Trace: one list request shows whether it can be reached and
 * read, and which services send traces. */

/* The same as for profiles. */
#define RECENT_NS NS_PER_HOUR
/* Maximum number of names, so that they fit into one line. */
#define NAMES_SHOWN 8u

struct seen {
	struct arena *arena;
	struct map by_name;
	struct str names[NAMES_SHOWN]; /* the first ones found */
	uint32_t count;                /* of all names */
	size_t traces;
	size_t nameless; /* spans without a service */
};

static bool cloud_trace_recent_request(const struct endpoint *endpoint,
				       struct time_range range,
				       struct http_request *request,
				       struct error *err) MUST_CHECK;

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
			  "another project? Otherwise the services do not "
			  "send: see their exporter's log; its account needs "
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
			   "service's name; the others belong to %u%s",
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

static bool cloud_checkup_judge(struct checkup *c,
				const struct http_response *response,
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
			   "its response is not Cloud Trace's: %s",
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

static bool cloud_checkup_request(const struct backends *b,
				  struct http_request *request,
				  struct error *err)
{
	struct time_range range = { sat_sub_i64(b->now_ns, RECENT_NS),
				    b->now_ns };

	return cloud_trace_recent_request(&b->traces.endpoint, range, request,
					  err);
}

const struct trace_checkup checkup_cloud_trace = {
	.request = cloud_checkup_request,
	.judge = cloud_checkup_judge,
	.cut_fix = "Cloud Trace gives at most 10,000 spans of a trace: sample "
		   "less within it",
	.missing_fix = "another project: --traces-url gcp://PROJECT; past "
		       "30 days, or not sampled: take a newer trace",
};

/* Filters and parameters of Cloud Trace v1's list method. */

/* A list request costs as much as 25 traces by id (Google's page of quotas of
 * Cloud Trace). */
#define LIST_UNITS 25u

/* Default quota per minute; projects can get more. */
#define UNITS_A_MINUTE 300u

static void add_value(struct buf *filter, struct str value)
{
	/* Values of this form need no quotes:
	 * [a-zA-Z0-9./_][a-zA-Z0-9./_-]*. */
	size_t plain = 0;

	while (plain < value.len &&
	       (ascii_is_alnum(value.ptr[plain]) ||
		memchr("./_", value.ptr[plain], 3) ||
		(value.ptr[plain] == '-' && plain > 0)))
		plain++;
	if (plain && plain == value.len) {
		buf_add_str(filter, value);
		return;
	}
	buf_add_char(filter, '"');
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '"' || value.ptr[i] == '\\')
			buf_add_char(filter, '\\');
		buf_add_char(filter, value.ptr[i]);
	}
	buf_add_char(filter, '"');
}

void cloud_filter_add(struct buf *filter, const char *key, struct str value)
{
	if (filter->len)
		buf_add_char(filter, ' ');
	buf_addf(filter, "%s:", key);
	add_value(filter, value);
}

void cloud_filter_add_latency(struct buf *filter, int64_t duration_ns)
{
	struct buf text;

	if (duration_ns <= 0)
		return;
	buf_init(&text, 64);
	if (duration_ns % NS_PER_MS == 0)
		buf_addf(&text, "%lldms", (long long)(duration_ns / NS_PER_MS));
	else
		buf_addf(&text, "%lldns", (long long)duration_ns);
	cloud_filter_add(filter, "latency", buf_str(&text));
	buf_release(&text);
}

struct cloud_list {
	bool has_spans;    /* all spans, else only the root of each trace */
	uint32_t traces;   /* per page */
	const char *order; /* "start desc" */
	struct time_range range;
	struct buf *owned_filter; /* filled by cloud_filter_add(); NULL: none */
	struct str page_token;    /* empty: the first page */
};

#define CLOUD_TRACE_PAGE 100u

/* Maximum number of traces per page, without and with all of their spans. */
#define CLOUD_TRACE_PAGE_ROOTS 1000u

/* Appends "/traces?...": the path after that of the project. */
static void cloud_list_path(const struct cloud_list *list, struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	uint32_t most =
		list->has_spans ? CLOUD_TRACE_PAGE : CLOUD_TRACE_PAGE_ROOTS;

	format_rfc3339(list->range.from_ns, from);
	format_rfc3339(list->range.to_ns, to);
	buf_addf(out,
		 "/traces?view=%s&pageSize=%u&startTime=%s&endTime=%s"
		 "&orderBy=",
		 list->has_spans ? "COMPLETE" : "ROOTSPAN",
		 list->traces < most ? list->traces : most, from, to);
	url_encode(out, str_from(list->order));
	if (list->owned_filter) {
		if (list->owned_filter->len)
			buf_add_text(out, "&filter=");
		url_encode_built(out, list->owned_filter);
	}
	if (list->page_token.len) {
		buf_add_text(out, "&pageToken=");
		url_encode(out, list->page_token);
	}
}

/* Requests the newest traces of a range with all their spans, one page. */
static bool cloud_trace_recent_request(const struct endpoint *endpoint,
				       struct time_range range,
				       struct http_request *request,
				       struct error *err)
{
	const struct cloud_list list = { .has_spans = true,
					 .traces = CLOUD_TRACE_PAGE,
					 .order = "start desc",
					 .range = range };
	struct buf path;

	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	cloud_list_path(&list, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

unsigned cloud_trace_units(struct str path)
{
	size_t v1 = str_find(path, STR("/v1/projects/"));
	struct str rest =
		str_slice(path, v1 == SIZE_MAX ? path.len : v1, path.len);

	if (str_find(rest, STR("/traces?")) != SIZE_MAX)
		return LIST_UNITS;
	return str_find(rest, STR("/traces/")) != SIZE_MAX;
}

static void cloud_trace_spent(const struct http_log_entry *log, size_t count,
			      struct buf *out)
{
	unsigned units = 0;

	for (size_t i = 0; i < count; i++)
		if (!log[i].is_cached && log[i].status)
			units += cloud_trace_units(str_from(log[i].url));
	buf_addf(out,
		 "Cloud Trace: %u read unit%s of the %u that a project has a "
		 "minute by default",
		 units, &"s"[units == 1], UNITS_A_MINUTE);
}

/* Searches by users, with Cloud Trace's list method. */

/* The label with the service's name depends on the exporter, and a filter has
 * no "or": the next label is tried if the one before finds nothing.
 * OpenTelemetry's exporters set the monitored resource, only that of Go also
 * the attributes; older ones set the name of a module. */
static const char *const service_labels[] = {
	"+service.name",
	"+g.co/r/cloud_run_revision/service_name",
	"+g.co/r/generic_task/job",
	"+g.co/r/k8s_container/container_name",
	"+g.co/gae/app/module",
	"+g.co/r/gae_instance/module_id",
};

/* The same for failures: the status set by OpenTelemetry's exporters
 * (google.rpc.Code UNKNOWN), by Google's agents, and any status of 5xx. */
static const struct {
	const char *key;
	struct str value;
} error_labels[] = {
	{ "+g.co/status/code", { "2", 1 } },
	{ "label", { "/error/message", 14 } },
	{ "/http/status_code", { "5", 1 } },
};

/* Returns the number of attempts. With failures only the first service label is
 * tried, to avoid a dozen requests; the decoder checks the service. */
static unsigned attempts_of(const struct find_query *query)
{
	if (query->is_error)
		return COUNT_OF(error_labels);
	return query->service.len ? COUNT_OF(service_labels) : 1;
}

static void add_labels(const struct find_query *query, unsigned attempt,
		       struct buf *filter)
{
	bool has_service =
		query->service.len && (!query->is_error || attempt == 0);

	if (attempt >= attempts_of(query))
		return;
	if (query->is_error)
		cloud_filter_add(filter, error_labels[attempt].key,
				 error_labels[attempt].value);
	if (has_service)
		cloud_filter_add(filter, service_labels[attempt],
				 query->service);
}

static void cloud_trace_find_path(const struct find_query *query,
				  unsigned attempt, struct buf *out)
{
	struct cloud_list list = {
		.has_spans = find_is_by_span(query) || query->is_error,
		.traces = query->trace_limit,
		.order = query->is_slowest_first ? "duration desc"
						 : "start desc",
		.range = query->range,
		.page_token = query->page_token,
	};
	struct buf filter;

	buf_init(&filter, LIMIT_URL_BYTES);
	add_labels(query, attempt, &filter);
	if (query->name.len)
		cloud_filter_add(&filter, "+span", query->name);
	cloud_filter_add_latency(&filter, query->min_duration_ns);
	list.owned_filter = &filter;
	cloud_list_path(&list, out);
}

/* An empty result is an empty object. */
static const struct answer_form cloud_trace_list = {
	.keys = { "traces", "nextPageToken" },
	.may_be_empty = true,
};

static enum answer cloud_trace_find_answer(const struct find_query *query,
					   unsigned *attempt,
					   const struct endpoint *e,
					   const struct http_response *response,
					   search_decoder **decode,
					   struct error *err)
{
	if (!answer_has_form(response, &cloud_trace_list))
		return google_fail(&google_trace_api, "Cloud Trace: search", e,
				   response, err);
	/* A page may be empty although more follow. */
	if (body_has_key(response, STR("traces"), false) ||
	    body_has_key(response, STR("nextPageToken"), false)) {
		*decode = decode_cloud_trace_search;
		return ANSWER_OK;
	}
	error_set(err, ERROR_NOT_FOUND, "Cloud Trace: search: no traces");
	/* Later queries are narrower: an empty answer means nothing there. */
	if (query->is_slowest_first || query->page_token.len ||
	    *attempt + 1 >= attempts_of(query))
		return ANSWER_MISS;
	++*attempt;
	return ANSWER_TRY_NEXT;
}

#define SUBJECT "Cloud Trace"

/* ---- a trace by its id ---- */

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	(void)attempt;
	buf_addf(out, "/traces/%s", query->trace_id_hex);
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	static const struct answer_form form = { { "projectId", "traceId",
						   "spans" } };
	struct google_refusal refusal;

	(void)attempt;
	if (answer_has_form(response, &form)) {
		*format = FORMAT_CLOUD_TRACE_JSON;
		return ANSWER_OK;
	}
	google_fail(&google_trace_api, SUBJECT, e, response, err);
	google_refusal_read(response, &refusal);
	return refusal.trouble == GOOGLE_NOT_FOUND ? ANSWER_MISS : ANSWER_ERROR;
}

/* ---- other traces ---- */

/* Only a name can be a condition, of the root or of any span; the decoder
 * checks service and kind. The minimum duration of a span is also one of its
 * trace. */
static void add_conditions(const struct search_query *query, struct buf *filter)
{
	if (query->slow) {
		if (query->slow->name.len)
			cloud_filter_add(filter, "+span", query->slow->name);
		cloud_filter_add_latency(filter, query->min_duration_ns);
	} else if (query->root_name.len) {
		cloud_filter_add(filter,
				 query->is_root_called ? "+span" : "+root",
				 query->root_name);
	} else if (query->operations[0].name.len) {
		cloud_filter_add(filter, "+span", query->operations[0].name);
	}
}

static void search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	struct cloud_list list = {
		.has_spans = true,
		.traces = query->trace_limit,
		.order = "start desc",
		.range = query->range,
		.page_token = query->page_token,
	};
	struct buf filter;

	(void)attempt;
	buf_init(&filter, LIMIT_URL_BYTES);
	add_conditions(query, &filter);
	list.owned_filter = &filter;
	cloud_list_path(&list, out);
}

static enum answer search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err)
{
	(void)query;
	(void)attempt;
	if (answer_has_form(response, &cloud_trace_list)) {
		*decode = decode_cloud_trace_search;
		return ANSWER_OK;
	}
	return google_fail(&google_trace_api, SUBJECT ": search", e, response,
			   err);
}

/* It has no condition on errors. The quota allows twelve lists per minute: a
 * verdict has to do with two slices, and as a list costs the same whatever its
 * size, each is a full page. Pages may be shorter than requested, even empty,
 * with more to follow: an ordinary run takes 200 of the 300 read units per
 * minute, a page 25. */
/* Project ids consist of letters, digits, dashes, dots and colons. */
static void page_path(const struct endpoint *e, const char *trace_id_hex,
		      struct buf *out)
{
	buf_addf(out,
		 "https://console.cloud.google.com/traces/list?project=%s"
		 "&tid=%s",
		 e->project, trace_id_hex);
}

const struct trace_backend trace_cloud = {
	.name = "Cloud Trace",
	.title = "Cloud Trace",
	.noun = "Cloud Trace",
	.traits = { .is_metered = true,
		    .sorts_by_duration = true,
		    .history_slices = 2,
		    .history_slice_traces = CLOUD_TRACE_PAGE,
		    .history_most = CLOUD_TRACE_PAGE,
		    .history_more_pages = 4,
		    .search_least = CLOUD_TRACE_PAGE,
		    .search_most = CLOUD_TRACE_PAGE,
		    .search_rounds = 4,
		    .page_of_spans = CLOUD_TRACE_PAGE,
		    .page_of_roots = CLOUD_TRACE_PAGE_ROOTS },
	.missing_advice = "check id and project; it may be past the 30 days "
			  "that Cloud Trace keeps, not sampled, or not sent "
			  "yet",
	.checkup = &checkup_cloud_trace,
	.attempts = 1,
	.page_path = page_path,
	.trace_path = trace_path,
	.trace_answer = trace_answer,
	.search_path = search_path,
	.search_answer = search_answer,
	.find_path = cloud_trace_find_path,
	.find_answer = cloud_trace_find_answer,
	.spent = cloud_trace_spent,
};
