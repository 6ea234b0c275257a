/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/tempo/tempo.h"

#include <stdint.h>
#include <string.h>

#include "backend/rooms.h"
#include "backend/source.h"
#include "backend/trace_backend.h"
#include "backend/trace_names.h"
#include "base/buf.h"
#include "base/instance.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/formats.h"
#include "wire/url.h"

/* Common to all searches: the path and the two forms of an answer. See
 * trace_backend.h for each function. */

/* Converts to whole seconds, Tempo's unit of time, rounded down. */
static int64_t tempo_seconds(int64_t time_ns)
{
	int64_t seconds = time_ns / NS_PER_S;

	return time_ns % NS_PER_S < 0 ? seconds - 1 : seconds;
}

void tempo_q_path(struct buf *out, struct buf *owned_q, struct time_range range,
		  uint32_t trace_limit, unsigned spans_per_trace)
{
	buf_add_text(out, "/api/search?q=");
	url_encode_built(out, owned_q);
	/* Whole seconds, both required; results outside are dropped later. */
	buf_addf(out, "&start=%lld&end=%lld&limit=%u&spss=%u",
		 (long long)tempo_seconds(range.from_ns),
		 (long long)tempo_seconds(range.to_ns - 1) + 1, trace_limit,
		 spans_per_trace);
}

enum answer tempo_search_form(const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, bool *is_empty,
			      struct error *err)
{
	static const struct answer_form form = { { "traces", "metrics" } };
	bool is_protobuf = str_equal(str_from(response->content_type),
				     STR("application/protobuf"));
	char first = response->body.len > 1 ? response->body.data[0] : '\0';

	/* Every answer begins with field 1, a trace, or field 2, the cost of
	 * the search. */
	if (is_protobuf ? first != '\x0A' && first != '\x12'
			: !answer_has_form(response, &form))
		return answer_fail("tempo: search", e, response, err);
	*decode = is_protobuf ? decode_tempo_search_pb
			      : decode_tempo_search_json;
	*is_empty = is_protobuf ? first != '\x0A'
				: !body_contains(response, STR("\"traceID\""));
	return ANSWER_OK;
}

bool tempo_search_is_too_long(const struct http_response *response)
{
	return body_contains(response, STR("range specified by start and end"));
}

bool tempo_search_is_too_recent(const struct http_response *response)
{
	return body_contains(response, STR("start must be before end"));
}

/* Builds TraceQL. All values that come from users or traces pass through
 * traceql_add_string(), so that they cannot change the query. */

/* The server's scanner reads a query in chunks of this size and looks ahead on
 * a copy of itself after "resource." and in durations. If the copy has to read
 * the next chunk the original misses it: "syntax error: unexpected $end". */
#define SCANNER_BYTES ((size_t)1024)

void traceql_add_word(struct buf *q, const char *word)
{
	size_t left = SCANNER_BYTES - q->len % SCANNER_BYTES;

	/* The scanner also peeks at the next character. */
	if (str_from(word).len + 2 > left)
		buf_addf(q, "%*s", (int)left, "");
	buf_add_text(q, word);
}

void traceql_add_string(struct buf *q, struct str text)
{
	buf_add_char(q, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\')
			buf_addf(q, "\\%c", c);
		else if (c < ' ' || c > '~')
			buf_addf(q, "\\x%02x", c);
		else
			buf_add_char(q, (char)c);
	}
	buf_add_char(q, '"');
}

void traceql_add_and(struct buf *q, size_t start)
{
	if (q->len > start)
		buf_add_text(q, "&&");
}

void traceql_add_equal(struct buf *q, const char *field, struct str text)
{
	traceql_add_word(q, field);
	buf_add_char(q, '=');
	traceql_add_string(q, text);
}

void traceql_add_least(struct buf *q, const char *field, int64_t duration_ns)
{
	struct buf word;

	buf_init(&word, 64);
	buf_addf(&word, "%s>=%lldns", field, (long long)duration_ns);
	traceql_add_word(q, buf_text(&word));
	buf_release(&word);
}

static void traceql_select_more(struct buf *q, const char *field)
{
	buf_add_char(q, ',');
	traceql_add_word(q, field);
}

void traceql_select(struct buf *q, const char *const *fields,
		    size_t field_count)
{
	buf_add_text(q, "|select(");
	traceql_add_word(q, fields[0]);
	for (size_t i = 1; i < field_count; i++)
		traceql_select_more(q, fields[i]);
}

/* Lists names of services, operations and attributes, which are all tags in
 * Tempo. */

/* The second is for servers before 2.0, without scopes and conditions. */
#define NAMES_ATTEMPTS 2u

static void add_service(struct buf *out, struct str service)
{
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	buf_add_text(&q, "{resource.service.name=");
	traceql_add_string(&q, service);
	buf_add_char(&q, '}');
	buf_add_text(out, "&q=");
	url_encode_built(out, &q);
}

static void tempo_names_path(const struct names_query *query, unsigned attempt,
			     struct buf *out)
{
	bool is_services = query->what == TRACE_SERVICES;

	/* The older route has neither scopes nor conditions. */
	if (attempt > 0) {
		buf_addf(out, "/api/search/tag/%s/values",
			 is_services ? "service.name" : "name");
		return;
	}
	buf_addf(out, "/api/v2/search/tag/%s/values?start=%lld&end=%lld",
		 is_services ? "resource.service.name" : "name",
		 (long long)(query->range.from_ns / NS_PER_S),
		 (long long)(query->range.to_ns / NS_PER_S + 1));
	if (!is_services)
		add_service(out, query->service);
}

/* ---- tags ---- */

static const char *const scopes[] = { "resource.",        "span.",
				      "event.",           "link.",
				      "instrumentation.", "." };

static const char *const intrinsics[] = {
	"duration",        "kind",   "name",          "rootName",
	"rootServiceName", "status", "statusMessage", "traceDuration",
};

static size_t scope_length(struct str tag)
{
	for (size_t i = 0; i < COUNT_OF(scopes); i++)
		if (str_starts(tag, str_from(scopes[i])))
			return str_from(scopes[i]).len;
	return 0;
}

static bool tempo_tags_path(const struct tags_query *query, unsigned attempt,
			    struct buf *out, struct error *err)
{
	struct str tag = query->tag;
	size_t scope;

	(void)err;
	buf_add_text(out, attempt ? "/api/search/tag" : "/api/v2/search/tag");
	if (tag.len) {
		buf_add_char(out, '/');
		if (str_equal(tag, STR("service")))
			tag = STR("resource.service.name");
		scope = scope_length(tag);
		/* An intrinsic is "name", or with a scope on newer servers
		 * "span:name". */
		if (attempt > 0)
			tag = str_slice(tag, scope, tag.len);
		else if (!scope && str_find(tag, STR(":")) == SIZE_MAX &&
			 !str_is_one_of(tag, intrinsics, COUNT_OF(intrinsics)))
			buf_add_char(out, '.');
		url_encode(out, tag);
		buf_add_text(out, "/values");
	} else {
		buf_add_char(out, 's');
	}
	if (attempt == 0)
		buf_addf(out, "?start=%lld&end=%lld",
			 (long long)(query->range.from_ns / NS_PER_S),
			 (long long)(query->range.to_ns / NS_PER_S + 1));
	if (attempt == 0 && query->service.len)
		add_service(out, query->service);
	return true;
}

static enum answer tempo_names_answer(unsigned attempt,
				      const struct endpoint *e,
				      const struct http_response *response,
				      struct arena *arena,
				      struct name_list *names,
				      struct error *err)
{
	static const struct answer_form form = { { "tagValues", "tagNames",
						   "scopes" } };

	return trace_names_read("tempo", &form, attempt + 1 < NAMES_ATTEMPTS, e,
				response, arena, names, err);
}

/* TraceQL: spans of some operations in a window, and counts of entry spans. */

/* Releases differ: most_recent and span:parentID came with 2.8, trace:rootName
 * is the newer name of rootName, select() is a later addition. The first form
 * that the server can parse is used. */
static const struct form {
	const char *root_service; /* NULL: no condition on the root */
	const char *root_name;
	bool has_select;
	bool has_most_recent; /* newest first, deterministic; and parents */
} forms[] = {
	{ "rootServiceName", "rootName", true, true },
	{ "rootServiceName", "rootName", true, false },
	{ "trace:rootService", "trace:rootName", true, true },
	{ NULL, NULL, true, false },
	{ NULL, NULL, false, false },
};

#define FORMS ((unsigned)(sizeof forms / sizeof *forms))

/* Spans per trace: the default limit of a server, then common lower limits,
 * then the default of a query. */
static const unsigned spans_per_trace[] = { 100, 20, 3 };

#define SPANS ((unsigned)(sizeof spans_per_trace / sizeof *spans_per_trace))

/* One span with an absurd duration hides all others of its block from a
 * condition on `duration`, but not from one on `trace:duration`, which holds
 * for the trace of every slow span. The decoder filters exactly. */
static const char *const duration_names[] = { "duration", "trace:duration" };

#define DURATIONS ((unsigned)(sizeof duration_names / sizeof *duration_names))

/* One attempt number encodes all three choices. */
struct choice {
	unsigned form;
	unsigned spans;
	unsigned duration;
};

static struct choice choice_of(unsigned attempt)
{
	return (struct choice){ attempt % FORMS, attempt / FORMS % SPANS,
				attempt / FORMS / SPANS % DURATIONS };
}

static unsigned attempt_of(struct choice c)
{
	return c.form + FORMS * (c.spans + SPANS * c.duration);
}

/* ---- TraceQL ---- */

/* Maximum bytes of all services and names; with TraceQL around them and
 * percent-encoding they double, and the URL must stay under 8 KiB. */
#define OPERATIONS_BYTES ((size_t)3072)

/* Size of the query from which no further attribute is added. */
#define QUERY_BYTES ((size_t)4096)

static void add_operation(struct buf *q, const struct search_operation *o)
{
	bool is_internal = str_equal(str_from(o->kind), STR("internal"));

	buf_add_char(q, '(');
	traceql_add_equal(q, "resource.service.name", o->service);
	buf_add_text(q, "&&name=");
	traceql_add_string(q, o->name);
	buf_add_text(q, "&&");
	if (is_internal)
		buf_add_text(q, "(kind=internal||kind=unspecified)");
	else
		buf_addf(q, "kind=%s", o->kind);
	buf_add_char(q, ')');
}

static void add_distinct(struct buf *q, const struct search_query *query,
			 size_t count, bool is_name)
{
	buf_add_char(q, '(');
	for (size_t i = 0; i < count; i++) {
		const struct search_operation *o = query->operations;
		struct str text = is_name ? o[i].name : o[i].service;
		size_t k = 0;

		while (k < i &&
		       !str_equal(is_name ? o[k].name : o[k].service, text))
			k++;
		if (k < i)
			continue;
		if (i)
			buf_add_text(q, "||");
		traceql_add_equal(q, is_name ? "name" : "resource.service.name",
				  text);
	}
	buf_add_char(q, ')');
}

/* Returns how many operations fit, at least one. */
static size_t count_fitting(const struct search_query *query)
{
	size_t bytes = 0, count = 0;

	while (count < query->operation_count && count < SEARCH_OPERATIONS) {
		const struct search_operation *o = &query->operations[count];

		bytes += o->service.len + o->name.len;
		if (count && bytes > OPERATIONS_BYTES)
			break;
		count++;
	}
	return count;
}

static void add_root(struct buf *q, const struct search_query *query,
		     const struct form *form)
{
	if (query->is_root_called)
		return;
	if (form->root_service && query->root_service.len) {
		buf_addf(q, "%s=", form->root_service);
		traceql_add_string(q, query->root_service);
		buf_add_text(q, "&&");
	}
	if (form->root_name && query->root_name.len) {
		buf_addf(q, "%s=", form->root_name);
		traceql_add_string(q, query->root_name);
		buf_add_text(q, "&&");
	}
}

/* Attributes that are always selected. */
static const char *const select_words[] = {
	"span.pyroscope.profile.id",
	"resource.service.name",
	"resource." INSTANCE_POD,
	"resource." INSTANCE_HOST,
	"resource." INSTANCE_ID,
	"resource.service.version",
	"name",
	"kind",
	"status",
};

#define SELECT_WORDS (sizeof select_words / sizeof *select_words)

/* Selects as many attributes as fit beside the operations. */
static void add_select(struct buf *q, const struct search_query *query,
		       bool has_parents)
{
	struct buf word;

	traceql_select(q, select_words, SELECT_WORDS);
	if (has_parents)
		traceql_select_more(q, "span:parentID");
	buf_init(&word, LIMIT_URL_BYTES);
	for (size_t i = 0; i < query->key_count; i++) {
		const struct search_key *key = &query->keys[i];
		size_t plain = 0;

		/* Older releases do not support names that need quotes. */
		while (plain < key->name.len &&
		       (ascii_is_alnum(key->name.ptr[plain]) ||
			memchr("._-", key->name.ptr[plain], 3)))
			plain++;
		if (!plain || plain < key->name.len)
			continue;
		buf_clear(&word);
		buf_addf(&word, "%s%.*s",
			 key->is_of_process ? "resource." : "span.",
			 STR_ARGS(key->name));
		if (str_is_one_of(buf_str(&word), select_words, SELECT_WORDS))
			continue;
		if (q->len + word.len > QUERY_BYTES)
			break;
		traceql_select_more(q, buf_text(&word));
	}
	buf_release(&word);
	buf_add_char(q, ')');
}

static void add_query(struct buf *q, const struct search_query *query,
		      struct choice c)
{
	const struct form *form = &forms[c.form];

	/* Only traces with this span; no condition on their other spans. */
	if (query->is_root_called && query->root_name.len) {
		buf_add_char(q, '{');
		traceql_add_equal(q, "resource.service.name",
				  query->root_service);
		buf_add_text(q, "&&name=");
		traceql_add_string(q, query->root_name);
		buf_add_text(q, "}&&");
	}
	buf_add_char(q, '{');
	add_root(q, query, form);
	if (query->slow) {
		add_operation(q, query->slow);
		buf_add_text(q, "&&");
		traceql_add_least(q, duration_names[c.duration],
				  query->min_duration_ns);
	} else {
		size_t count = count_fitting(query);

		/* Any of the services and any of the names; the decoder
		 * filters. "Service and name and kind, or ..." would be exact,
		 * but a Tempo takes ten times as long for eight of those (1.3
		 * to 5 s instead of 0.3, Tempo 3.0 with an hour of local
		 * blocks). */
		add_distinct(q, query, count, false);
		if (query->operations[0].name.len) {
			buf_add_text(q, "&&");
			add_distinct(q, query, count, true);
		}
	}
	buf_add_char(q, '}');
	if (form->has_select)
		add_select(q, query, form->has_most_recent);
	if (form->has_most_recent)
		buf_add_text(q, " with(most_recent=true)");
}

/* ---- search ---- */

static void tempo_search_path(const struct search_query *query,
			      unsigned attempt, struct buf *out)
{
	struct choice c = choice_of(attempt);
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	add_query(&q, query, c);
	tempo_q_path(out, &q, query->range, query->trace_limit,
		     spans_per_trace[c.spans]);
}

static enum answer search_success(const struct search_query *query,
				  unsigned *attempt, const struct endpoint *e,
				  const struct http_response *response,
				  search_decoder **decode, struct error *err)
{
	struct choice c = choice_of(*attempt);
	bool is_empty;

	if (tempo_search_form(e, response, decode, &is_empty, err) != ANSWER_OK)
		return ANSWER_ERROR;
	if (query->slow && c.duration == 0 && is_empty) {
		c.duration = 1;
		*attempt = attempt_of(c);
		error_set(err, ERROR_NOT_FOUND, "tempo: search: nothing found");
		return ANSWER_TRY_NEXT;
	}
	return ANSWER_OK;
}

static enum answer tempo_search_answer(const struct search_query *query,
				       unsigned *attempt,
				       const struct endpoint *e,
				       const struct http_response *response,
				       search_decoder **decode,
				       struct error *err)
{
	struct choice c = choice_of(*attempt);
	bool has_next = false;

	if (http_is_success(response))
		return search_success(query, attempt, e, response, decode, err);
	answer_fail("tempo: search", e, response, err);
	/* Use the next form of the query if the refusal is about its form. */
	if (body_contains(response, STR("spans per span set")))
		has_next = ++c.spans < SPANS;
	else if (!tempo_search_is_too_long(response) &&
		 !tempo_search_is_too_recent(response))
		has_next = ++c.form < FORMS;
	if (response->status != 400 || !has_next)
		return ANSWER_ERROR;
	*attempt = attempt_of(c);
	return ANSWER_TRY_NEXT;
}

/* ---- counts ---- */

/* Number of short steps per wanted one if their borders differ: at most a tenth
 * of two steps is then counted in the wrong one. */
#define FINE_STEPS 10

int64_t tempo_count_step_ns(const struct count_query *query)
{
	int64_t step_ns = query->step_ns;

	if (query->range.from_ns % step_ns != 0 || step_ns % NS_PER_MS != 0)
		step_ns /= FINE_STEPS;
	step_ns -= step_ns % NS_PER_MS;
	return step_ns > NS_PER_MS ? step_ns : NS_PER_MS;
}

static void tempo_count_path(const struct count_query *query, struct buf *out)
{
	int64_t step_ns = tempo_count_step_ns(query);
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	buf_add_char(&q, '{');
	if (query->root_service.len) {
		buf_add_text(&q, "rootServiceName=");
		traceql_add_string(&q, query->root_service);
		buf_add_text(&q, "&&rootName=");
		traceql_add_string(&q, query->root_name);
		buf_add_text(&q, "&&");
	}
	traceql_add_equal(&q, "resource.service.name", query->service);
	if (query->name.len) {
		buf_add_text(&q, "&&name=");
		traceql_add_string(&q, query->name);
	} else {
		buf_add_text(&q, "&&(kind=server||kind=consumer)");
	}
	buf_add_text(&q, "}|count_over_time()");
	buf_add_text(out, "/api/metrics/query_range?q=");
	url_encode_built(out, &q);
	/* By default the examples would be most of the answer; 0 means the
	 * default. */
	buf_addf(out, "&start=%lld&end=%lld&step=%lldms&exemplars=1",
		 (long long)query->range.from_ns, (long long)query->range.to_ns,
		 (long long)(step_ns / NS_PER_MS));
}

static void tempo_steps_path(const struct steps_query *query, struct buf *out)
{
	const struct steps *s = &query->steps;
	int64_t to_ms = s->from_ms + s->step_ms * (int64_t)s->count;
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	buf_add_text(&q, "{resource.service.name=");
	traceql_add_string(&q, query->service);
	if (query->name.len) {
		buf_add_text(&q, "&&");
		traceql_add_equal(&q, "name", query->name);
		buf_add_text(&q, "}|");
	} else {
		buf_add_text(&q, "&&(kind=server||kind=consumer)}|");
	}
	traceql_add_word(&q, query->measure == STEPS_COUNT
				     ? "count_over_time()"
				     : "avg_over_time(duration)");
	traceql_add_word(&q, "by(resource.service.version)");
	buf_add_text(out, "/api/metrics/query_range?q=");
	url_encode_built(out, &q);
	buf_addf(out, "&start=%lld&end=%lld&step=%lldms&exemplars=1",
		 (long long)s->from_ms * (long long)NS_PER_MS,
		 (long long)to_ms * (long long)NS_PER_MS,
		 (long long)s->step_ms);
}

const struct answer_form tempo_metrics_form = { { "series", "metrics" } };

static enum answer tempo_metrics_answer(const struct endpoint *e,
					const struct http_response *response,
					struct error *err)
{
	if (answer_has_form(response, &tempo_metrics_form))
		return ANSWER_OK;
	return answer_fail("tempo: TraceQL metrics", e, response, err);
}

static bool tempo_count_decode(struct str body, const struct count_query *query,
			       struct step_counts *out, bool *is_sample,
			       struct error *err)
{
	*is_sample = false;
	return decode_tempo_counts(body, tempo_count_step_ns(query), out, err);
}

#define PROTOBUF "application/protobuf"
#define JSON "application/json"

/* v2 marks partial traces and is missing before Tempo 2.6; protobuf has exact
 * ids and numbers at a third of the size. */
static const struct {
	const char *path;
	const char *accept;
	bool is_v2;
} attempts[] = {
	{ "/api/v2/traces/", PROTOBUF, true },
	{ "/api/traces/", PROTOBUF, false },
	{ "/api/v2/traces/", JSON, true },
	{ "/api/traces/", JSON, false },
};

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	buf_addf(out, "%s%s", attempts[attempt].path, query->trace_id_hex);
	/* Whole seconds; the end must be after the start. */
	if (query->has_window)
		buf_addf(out, "?start=%lld&end=%lld",
			 (long long)tempo_seconds(query->window.from_ns),
			 (long long)tempo_seconds(query->window.to_ns) + 1);
}

static const char *trace_accept(unsigned attempt)
{
	return attempts[attempt].accept;
}

static enum answer trace_miss(const struct endpoint *e, struct error *err)
{
	char tenant[160];

	error_set(err, ERROR_NOT_FOUND,
		  "tempo: no such trace (%s): check the id; it may be past "
		  "retention or not have arrived yet",
		  tenant_words(e, tenant, sizeof tenant));
	return ANSWER_MISS;
}

static bool is_protobuf(const char *type)
{
	return !strcmp(type, PROTOBUF) ||
	       !strcmp(type, "application/x-protobuf") ||
	       !strcmp(type, "application/octet-stream");
}

static enum answer trace_success(bool is_v2, const struct endpoint *e,
				 const struct http_response *response,
				 enum format *format, struct error *err)
{
	static const struct answer_form v1 = { { "batches",
						 "resourceSpans" } };
	static const struct answer_form v2 = { { "trace", "metrics" } };
	/* The type of the answer decides, not the request: before 2.10 Tempo
	 * returns JSON unless Accept is exactly that one type. */
	bool is_json = !is_protobuf(response->content_type) &&
		       body_first(response) == '{';
	struct str body = buf_str(&response->body);
	bool is_empty = body.len == 0;

	if (!is_json && !is_protobuf(response->content_type)) {
		if (body_is_html(response))
			return answer_fail("tempo", e, response, err);
		error_set(err, ERROR_FORMAT,
			  "tempo: an answer of type \"%s\" is neither a "
			  "protobuf nor a JSON trace",
			  response->content_type);
		return ANSWER_TRY_NEXT;
	}
	if (is_json ? !answer_has_form(response, is_v2 ? &v2 : &v1)
		    : is_v2 && body.len == 0)
		return answer_fail("tempo", e, response, err);
	/* Field 1 (the trace) present and of length 0. */
	if (is_v2)
		is_empty = str_starts(body,
				      is_json ? STR("{\"trace\":{}")
					      : (struct str){ "\x0A\x00", 2 });
	if (is_empty)
		return trace_miss(e, err);
	if (is_json)
		*format = FORMAT_OTLP_JSON;
	else
		*format = is_v2 ? FORMAT_TEMPO_PB : FORMAT_OTLP_PB;
	return ANSWER_OK;
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	bool is_v2 = attempts[attempt].is_v2;
	struct reason reason;

	if (http_is_success(response))
		return trace_success(is_v2, e, response, format, err);
	/* v1: an empty body without a type or these words mean "no such trace";
	 * "404 page not found" and anything else is a missing route. */
	if (response->status == 404 && !is_v2 &&
	    ((response->body.len == 0 && !response->content_type[0]) ||
	     body_contains(response, STR("trace not found"))))
		return trace_miss(e, err);
	if (response->status == 404)
		return answer_no_route("tempo", e, response, err);
	/* 422, or 500 before Tempo 2.7; the phrase may be part of a longer
	 * text. A gateway's 422 has another meaning. */
	if (body_contains(response, STR("trace exceeds max size"))) {
		reason_read(response, &reason);
		error_set(err, ERROR_LIMIT,
			  "tempo: the trace is over the server's size limit "
			  "(%s): raise max_bytes_per_trace in Tempo's "
			  "overrides",
			  reason.text);
		return ANSWER_ERROR;
	}
	return answer_fail("tempo", e, response, err);
}

static bool probe_matches(const struct http_response *response)
{
	return response->status == 200 &&
	       str_equal(str_trim(buf_str(&response->body)), STR("echo"));
}

const struct trace_backend trace_tempo = {
	.name = "tempo",
	.title = "Tempo",
	.noun = "a Tempo",
	/* It returns only matching spans of a trace; several times the wanted
	 * number is requested, since each round keeps wanted/limit of the
	 * rest. */
	.traits = { .takes_traceql = true,
		    .finds_errors_only = true,
		    .duration_slack_ns = NS_PER_MS,
		    .history_slices = HISTORY_SLICES,
		    .counts_names = true,
		    .search_least = 200,
		    .search_most = 4000,
		    .search_rounds = SEARCH_ROUNDS },
	.probe = { "/api/echo", probe_matches },
	.version_path = "/api/status/buildinfo",
	/* Old releases lack the route. */
	.login_path = "/api/v2/search/tags?scope=intrinsic",
	.attempts = COUNT_OF(attempts),
	.trace_path = trace_path,
	.trace_accept = trace_accept,
	.trace_answer = trace_answer,
	.search_accept = PROTOBUF,
	.search_path = tempo_search_path,
	.search_answer = tempo_search_answer,
	.find_path = tempo_find_path,
	.find_answer = tempo_find_answer,
	.find_is_bounded = tempo_find_is_bounded,
	.linking_query = tempo_linking_query,
	.count_path = tempo_count_path,
	.count_answer = tempo_metrics_answer,
	.count_decode = tempo_count_decode,
	.steps_path = tempo_steps_path,
	.steps_decode = decode_tempo_steps,
	.counted = tempo_counted,
	.durations_path = tempo_durations_path,
	.durations_answer = tempo_durations_answer,
	.durations_decode = decode_tempo_histogram,
	.durations_limit_ns = tempo_durations_limit_ns,
	.names_path = tempo_names_path,
	.tags_path = tempo_tags_path,
	.names_answer = tempo_names_answer,
};
