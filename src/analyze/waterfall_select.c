/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/trace_analysis.h"
#include "base/mem.h"
#include "base/num.h"

/* No row collapses what is below it. */
#define DEPTH_NONE UINT32_MAX

struct selection {
	const struct trace *t;
	const struct waterfall_want *want;
	struct waterfall_row *rows;
	size_t count;
	uint32_t depth; /* collapsed from here on, DEPTH_NONE */
};

static bool is_depth(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static void find_depth(struct selection *s)
{
	s->depth = DEPTH_NONE;
	for (size_t i = 0; i < s->want->collapse_count; i++) {
		const char *text = s->want->collapse[i];
		uint64_t depth;

		if (is_depth(text) && parse_u64(str_from(text), &depth) &&
		    depth < s->depth)
			s->depth = (uint32_t)depth;
	}
}

static bool collapses(const struct selection *s, const struct waterfall_row *r)
{
	if (r->depth >= s->depth)
		return true;
	for (size_t i = 0; i < s->want->collapse_count; i++)
		if (!is_depth(s->want->collapse[i]) &&
		    str_equal(span_service(s->t, r->span),
			      str_from(s->want->collapse[i])))
			return true;
	return false;
}

/* Rows come depth first, so what is below a row follows it. */
static void collapse(struct selection *s)
{
	struct waterfall_row *above = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (above && s->rows[i].depth > above->depth) {
			above->hidden += s->rows[i].count;
			continue;
		}
		s->rows[kept] = s->rows[i];
		above = collapses(s, &s->rows[i]) ? &s->rows[kept] : NULL;
		kept++;
	}
	s->count = kept;
}

static bool is_wanted(const struct selection *s, const struct waterfall_row *r)
{
	if (s->want->is_failed && !r->is_error)
		return false;
	return !s->want->service.len ||
	       str_equal(span_service(s->t, r->span), s->want->service);
}

/* From the last row to the first: a row that is kept needs the nearest row
 * before it that is one level up. */
static bool keep_wanted(struct selection *s, struct error *err)
{
	bool *is_needed = mem_calloc(s->count + 1, sizeof *is_needed);
	size_t at = s->count;

	if (!is_needed)
		return error_memory(err, "the waterfall");
	for (size_t i = s->count; i-- > 0;) {
		/* A depth is below the count of rows. */
		uint32_t depth = s->rows[i].depth;

		if (!is_needed[depth] && !is_wanted(s, &s->rows[i]))
			continue;
		is_needed[depth] = false;
		if (depth)
			is_needed[depth - 1] = true;
		s->rows[--at] = s->rows[i];
	}
	memmove(s->rows, s->rows + at, (s->count - at) * sizeof *s->rows);
	s->count -= at;
	mem_free(is_needed);
	return true;
}

bool waterfall_select(const struct trace *t, const struct waterfall_want *want,
		      struct result *result, struct error *err)
{
	struct selection s = {
		.t = t,
		.want = want,
		.rows = result->waterfall,
		.count = result->waterfall_count,
	};

	if ((want->is_failed || want->service.len) && s.count &&
	    !keep_wanted(&s, err))
		return false;
	find_depth(&s);
	if (want->collapse_count)
		collapse(&s);
	if (want->limit && s.count > want->limit)
		s.count = want->limit;
	if (s.count != result->waterfall_count)
		result->waterfall_total = result->waterfall_count;
	result->waterfall_count = s.count;
	return true;
}
