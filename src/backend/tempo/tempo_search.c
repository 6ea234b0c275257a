/* SPDX-License-Identifier: Apache-2.0
 *
 * TraceQL: spans of some operations in a window, and counts of entry spans.
 */
#include "backend/answer.h"
#include "backend/tempo/tempo_query.h"
#include "backend/tempo/traceql.h"
#include "base/ascii.h"
#include "base/instance.h"
#include "wire/url.h"

/* Releases differ in what they know: most_recent came with 2.8, trace:rootName
 * is the newer spelling of rootName, select() the younger part of the
 * language. The first that the server can parse answers. */
static const struct form {
	const char *root_service; /* NULL: no condition on the root */
	const char *root_name;
	bool has_select;
	bool has_most_recent; /* newest first, the same each time */
} forms[] = {
	{ "rootServiceName", "rootName", true, true },
	{ "rootServiceName", "rootName", true, false },
	{ "trace:rootService", "trace:rootName", true, true },
	{ NULL, NULL, true, false },
	{ NULL, NULL, false, false },
};

#define FORMS ((unsigned)(sizeof forms / sizeof *forms))

/* Spans listed of one trace: the default ceiling of a server, then what
 * operators who lower it leave, then the default for those who ask for
 * nothing. */
static const unsigned spans_per_trace[] = { 100, 20, 3 };

#define SPANS ((unsigned)(sizeof spans_per_trace / sizeof *spans_per_trace))

/* One span with absurd times hides all others of its block from a condition
 * on `duration`, but not from one on `trace:duration`, which no slow span's
 * trace fails. The decoder filters exactly. */
static const char *const duration_names[] = { "duration", "trace:duration" };

#define DURATIONS ((unsigned)(sizeof duration_names / sizeof *duration_names))

/* An attempt is one number for all three choices. */
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

/* Bytes of all services and names; with TraceQL around them and percent-encoded
 * they double, and the address must stay under 8 KiB. */
#define OPERATIONS_BYTES ((size_t)3072)

/* Bytes of TraceQL past which no further attribute is asked for. */
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

/* Has one of the first n operations this service, or this name? */
static bool is_known(const struct search_query *query, size_t n, bool is_name)
{
	const struct search_operation *o = query->operations;

	for (size_t i = 0; i < n; i++)
		if (str_equal(is_name ? o[i].name : o[i].service,
			      is_name ? o[n].name : o[n].service))
			return true;
	return false;
}

static void add_distinct(struct buf *q, const struct search_query *query,
			 size_t count, bool is_name)
{
	buf_add_char(q, '(');
	for (size_t i = 0; i < count; i++) {
		const struct search_operation *o = &query->operations[i];

		if (is_known(query, i, is_name))
			continue;
		if (i)
			buf_add_text(q, "||");
		traceql_add_equal(q, is_name ? "name" : "resource.service.name",
				  is_name ? o->name : o->service);
	}
	buf_add_char(q, ')');
}

/* How many operations fit, at least one. */
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

/* Any of the services and any of the names, which the decoder narrows down.
 * "Service and name and kind, or ..." says it exactly, but a Tempo takes ten
 * times as long for eight of those (1.3 to 5 s instead of 0.3, Tempo 3.0 with
 * an hour of local blocks). */
static void add_operations(struct buf *q, const struct search_query *query)
{
	size_t count = count_fitting(query);

	add_distinct(q, query, count, false);
	if (!query->operations[0].name.len)
		return;
	buf_add_text(q, "&&");
	add_distinct(q, query, count, true);
}

/* Only traces that have this span, which is no condition on the others. */
static void add_called_root(struct buf *q, const struct search_query *query)
{
	buf_add_char(q, '{');
	traceql_add_equal(q, "resource.service.name", query->root_service);
	buf_add_text(q, "&&name=");
	traceql_add_string(q, query->root_name);
	buf_add_text(q, "}&&");
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

/* What is asked for in any case. */
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

/* Names that need no quotes, which older releases do not know. */
static bool is_plain(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '.' &&
		    name.ptr[i] != '_' && name.ptr[i] != '-')
			return false;
	return name.len > 0;
}

/* Into out; false for one that is not asked for, or is asked for in any case.
 */
static bool key_word(const struct search_key *key, struct buf *out)
{
	buf_clear(out);
	if (!is_plain(key->name))
		return false;
	buf_addf(out, "%s%.*s", key->is_of_process ? "resource." : "span.",
		 STR_ARGS(key->name));
	return !str_is_one_of(buf_str(out), select_words, SELECT_WORDS);
}

/* As many attributes as fit beside the operations. */
static void add_select(struct buf *q, const struct search_query *query)
{
	struct buf word;

	traceql_select(q, select_words, SELECT_WORDS);
	buf_init(&word, LIMIT_URL_BYTES);
	for (size_t i = 0; i < query->key_count; i++) {
		if (!key_word(&query->keys[i], &word))
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

	if (query->is_root_called && query->root_name.len)
		add_called_root(q, query);
	buf_add_char(q, '{');
	add_root(q, query, form);
	if (query->slow) {
		add_operation(q, query->slow);
		buf_add_text(q, "&&");
		traceql_add_least(q, duration_names[c.duration],
				  query->min_duration_ns);
	} else {
		add_operations(q, query);
	}
	buf_add_char(q, '}');
	if (form->has_select)
		add_select(q, query);
	if (form->has_most_recent)
		buf_add_text(q, " with(most_recent=true)");
}

/* ---- search ---- */

void tempo_search_path(const struct search_query *query, unsigned attempt,
		       struct buf *out)
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

/* The next form of the question, when the refusal is about its form. */
static bool next_choice(const struct http_response *response, struct choice *c)
{
	if (body_contains(response, STR("spans per span set")))
		return ++c->spans < SPANS;
	if (tempo_search_is_too_long(response) ||
	    tempo_search_is_too_recent(response))
		return false;
	return ++c->form < FORMS;
}

enum answer tempo_search_answer(const struct search_query *query,
				unsigned *attempt, const struct endpoint *e,
				const struct http_response *response,
				search_decoder **decode, struct error *err)
{
	struct choice c = choice_of(*attempt);

	if (http_is_success(response))
		return search_success(query, attempt, e, response, decode, err);
	answer_fail("tempo: search", e, response, err);
	if (response->status != 400 || !next_choice(response, &c))
		return ANSWER_ERROR;
	*attempt = attempt_of(c);
	return ANSWER_TRY_NEXT;
}

/* ---- counts ---- */

/* So many fine steps make one of those wanted when borders differ: what falls
 * on the wrong side of a border is then at most a tenth of two steps. */
#define FINE_STEPS 10

int64_t tempo_count_step_ns(const struct count_query *query)
{
	int64_t step_ns = query->step_ns;

	if (query->range.from_ns % step_ns != 0 || step_ns % NS_PER_MS != 0)
		step_ns /= FINE_STEPS;
	step_ns -= step_ns % NS_PER_MS;
	return step_ns > NS_PER_MS ? step_ns : NS_PER_MS;
}

void tempo_count_path(const struct count_query *query, struct buf *out)
{
	int64_t step_ns = tempo_count_step_ns(query);
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	buf_add_text(&q, "{resource.service.name=");
	traceql_add_string(&q, query->service);
	buf_add_text(&q, "&&(kind=server||kind=consumer)}|count_over_time()");
	buf_add_text(out, "/api/metrics/query_range?q=");
	url_encode_built(out, &q);
	/* As many examples as points would be most of the answer; 0 asks for
	 * the default, which is that. */
	buf_addf(out, "&start=%lld&end=%lld&step=%lldms&exemplars=1",
		 (long long)query->range.from_ns, (long long)query->range.to_ns,
		 (long long)(step_ns / NS_PER_MS));
}

void tempo_steps_path(const struct steps_query *query, struct buf *out)
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

enum answer tempo_metrics_answer(const struct endpoint *e,
				 const struct http_response *response,
				 struct error *err)
{
	if (response->status == 200 && body_first(response) == '{')
		return ANSWER_OK;
	return answer_fail("tempo: TraceQL metrics", e, response, err);
}

bool tempo_count_decode(struct str body, const struct count_query *query,
			struct step_counts *out, bool *is_sample,
			struct error *err)
{
	*is_sample = false;
	return decode_tempo_counts(body, tempo_count_step_ns(query), out, err);
}
