/* SPDX-License-Identifier: Apache-2.0
 *
 * TraceQL for searches by users.
 */
#include "backend/source.h"
#include "backend/tempo/tempo.h"

/* Releases differ: most_recent came with 2.8, select() is a later addition,
 * trace:duration the newer name. The first form that the server can parse is
 * used. */
static const struct form {
	const char *trace_duration;
	bool has_select;
	bool has_most_recent;
} forms[] = {
	{ "traceDuration", true, true },
	{ "traceDuration", true, false },
	{ "trace:duration", true, true },
	{ "traceDuration", false, false },
};

#define FORMS ((unsigned)(sizeof forms / sizeof *forms))

/* One span with an absurd duration hides all others of its block from a
 * condition on `duration`, but not from one on the trace's. The decoder
 * filters. */
enum { BY_SPAN, BY_TRACE, BOUNDS };

/* Maximum number of matching spans per trace; more are of no use, since the
 * minimum duration leaves few. */
#define SPANS_PER_TRACE 20

struct choice {
	unsigned form;
	unsigned bound;
};

static struct choice choice_of(unsigned attempt)
{
	return (struct choice){ attempt % FORMS, attempt / FORMS % BOUNDS };
}

static unsigned attempt_of(struct choice c)
{
	return c.form + FORMS * c.bound;
}

static void add_conditions(struct buf *q, const struct find_query *query,
			   struct choice c)
{
	bool is_by_span = find_is_by_span(query) && c.bound == BY_SPAN;
	size_t start;

	buf_add_char(q, '{');
	start = q->len;
	if (query->service.len)
		traceql_add_equal(q, "resource.service.name", query->service);
	if (query->name.len) {
		traceql_add_and(q, start);
		traceql_add_equal(q, "name", query->name);
	}
	if (query->is_error) {
		traceql_add_and(q, start);
		traceql_add_word(q, "status=error");
	}
	if (query->min_duration_ns > 0) {
		traceql_add_and(q, start);
		traceql_add_least(q,
				  is_by_span ? "duration"
					     : forms[c.form].trace_duration,
				  query->min_duration_ns);
	}
	buf_add_char(q, '}');
}

/* Appends the user's own TraceQL, with the minimum duration as a second query
 * on the same trace. A pipeline can be in parentheses; one that ends in
 * select() or with() can not, and is sent unchanged. */
static void add_own(struct buf *q, const struct find_query *query,
		    struct choice c)
{
	if (query->min_duration_ns <= 0 || c.bound != BY_SPAN) {
		buf_add_str(q, query->traceql);
		return;
	}
	buf_add_char(q, '(');
	buf_add_str(q, query->traceql);
	buf_add_text(q, ")&&({");
	traceql_add_least(q, forms[c.form].trace_duration,
			  query->min_duration_ns);
	buf_add_text(q, "})");
}

/* Its ids are texts, in some places without leading zeros. */
void tempo_linking_query(const char *trace_id_hex, struct buf *out)
{
	struct str id = str_from(trace_id_hex);
	struct str bare = id;

	while (bare.len > 1 && *bare.ptr == '0')
		bare = str_slice(bare, 1, bare.len);
	buf_add_char(out, '{');
	traceql_add_equal(out, "link:traceID", id);
	if (bare.len < id.len) {
		buf_add_text(out, "||");
		traceql_add_equal(out, "link:traceID", bare);
	}
	buf_add_char(out, '}');
}

void tempo_find_path(const struct find_query *query, unsigned attempt,
		     struct buf *out)
{
	static const char *const words[] = { "resource.service.name", "name",
					     "status" };
	struct choice c = choice_of(attempt);
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	if (query->traceql.len) {
		add_own(&q, query, c);
	} else {
		add_conditions(&q, query, c);
		if (forms[c.form].has_select) {
			traceql_select(&q, words, sizeof words / sizeof *words);
			buf_add_char(&q, ')');
		}
		if (forms[c.form].has_most_recent)
			buf_add_text(&q, " with(most_recent=true)");
	}
	tempo_q_path(out, &q, query->range, query->trace_limit,
		     SPANS_PER_TRACE);
}

static enum answer find_success(const struct find_query *query,
				unsigned *attempt, const struct endpoint *e,
				const struct http_response *response,
				search_decoder **decode, struct error *err)
{
	struct choice c = choice_of(*attempt);
	bool is_empty;

	if (tempo_search_form(e, response, decode, &is_empty, err) != ANSWER_OK)
		return ANSWER_ERROR;
	if (find_is_by_span(query) && query->min_duration_ns > 0 &&
	    c.bound == BY_SPAN && is_empty) {
		c.bound = BY_TRACE;
		*attempt = attempt_of(c);
		error_set(err, ERROR_NOT_FOUND, "tempo: search: nothing found");
		return ANSWER_TRY_NEXT;
	}
	return ANSWER_OK;
}

enum answer tempo_find_answer(const struct find_query *query, unsigned *attempt,
			      const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, struct error *err)
{
	struct choice c = choice_of(*attempt);
	struct reason reason;

	if (http_is_success(response))
		return find_success(query, attempt, e, response, decode, err);
	answer_fail("tempo: search", e, response, err);
	if (response->status != 400)
		return ANSWER_ERROR;
	/* "range specified by start and end exceeds 168h0m0s" */
	if (tempo_search_is_too_long(response)) {
		reason_read(response, &reason);
		error_set(err, err->code,
			  "tempo: search: the server refuses so long a window "
			  "(%s): narrow it with --since, or with --from and "
			  "--to",
			  reason.text);
		return ANSWER_ERROR;
	}
	/* "http parameter start must be before end. received start=8 end=8" */
	if (tempo_search_is_too_recent(response)) {
		error_set(err, ERROR_NOT_FOUND,
			  "tempo: search: the server does not search the "
			  "newest traces yet (30 s by default), and the window "
			  "is no longer: widen it with --since");
		return ANSWER_ERROR;
	}
	/* Advances to the next form of the query; of the user's TraceQL only
	 * the added condition has other forms. */
	if (!query->traceql.len) {
		if (++c.form == FORMS)
			return ANSWER_ERROR;
	} else {
		if (query->min_duration_ns <= 0 || c.bound != BY_SPAN)
			return ANSWER_ERROR;
		c.bound = BY_TRACE;
	}
	*attempt = attempt_of(c);
	return ANSWER_TRY_NEXT;
}

bool tempo_find_is_bounded(const struct find_query *query, unsigned attempt)
{
	return !query->traceql.len || choice_of(attempt).bound == BY_SPAN;
}
