/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to a trace, and what has to hold of every trace.
 */
#ifndef TESTS_FUZZ_TRACE_H
#define TESTS_FUZZ_TRACE_H

#include "analyze/trace_analysis.h"
#include "base/limits.h"
#include "decode/decode.h"
#include "fuzz.h"
#include "model/history.h"

static inline void fuzz_check_span(const struct trace *t, uint32_t i)
{
	const struct span *s = &t->spans[i];

	FUZZ_CHECK(s->parent == SPAN_NONE || s->parent < t->span_count,
		   "span %u", i);
	FUZZ_CHECK(s->resource < t->resource_count, "span %u", i);
	FUZZ_CHECK(s->end_ns >= s->start_ns, "span %u", i);
	FUZZ_CHECK(s->start_ns >= t->start_ns && s->end_ns <= t->end_ns,
		   "span %u", i);
	for (uint32_t k = 0; k < s->child_count; k++)
		FUZZ_CHECK(t->spans[t->children[s->child_first + k]].parent ==
				   i,
			   "child %u of span %u", k, i);
}

/* No time is counted twice. A span whose end was lost has no duration and
 * lasts, for the sums, as long as what it waited for. */
static inline void fuzz_check_times(const struct trace *t)
{
	struct trace_times times = { .root = SPAN_NONE };
	struct error err = { 0 };
	struct arena arena;

	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	FUZZ_CHECK(trace_times_compute(t, &arena, &times, &err), "%s",
		   err.message);
	for (uint32_t i = 0; i < t->span_count; i++) {
		int64_t duration_ns = span_duration_ns(&t->spans[i]);

		FUZZ_CHECK(times.self_ns[i] >= 0 && times.critical_ns[i] >= 0,
			   "span %u", i);
		FUZZ_CHECK(duration_ns == 0 || times.self_ns[i] <= duration_ns,
			   "span %u: %lld of %lld ns", i,
			   (long long)times.self_ns[i], (long long)duration_ns);
	}
	arena_release(&arena);
}

/* What is linked to it is found, and read alone, of any input that is read. */
static inline void fuzz_check_links(enum format format, struct str bytes,
				    const struct trace *t)
{
	struct error err = { 0 };
	struct feed *feed = decode_feed(format, bytes, &err);
	const struct trace_source source = { .format = format, .feed = feed };
	struct trace_build *survey =
		feed ? decode_linking(&source, 1, &t->id, &err) : NULL;
	struct hits hits;
	struct trace other;

	hits_init(&hits);
	FUZZ_CHECK(survey && trace_build_linking_hits(survey, &hits, &err),
		   "%s", err.message);
	for (size_t i = 0; i < hits.count && i < 3; i++) {
		trace_init(&other);
		FUZZ_CHECK(decode_found_trace(&source, 1, survey,
					      &hits.items[i].id, &other, &err),
			   "%s", err.message);
		FUZZ_CHECK(other.span_count, "a trace without spans");
		trace_release(&other);
	}
	hits_release(&hits);
	trace_build_free(survey);
	feed_free(feed);
}

static inline int fuzz_trace(enum format format, const uint8_t *data,
			     size_t size)
{
	struct error err = { 0 };
	struct notes notes;
	struct trace t;
	bool is_done;

	notes_init(&notes);
	trace_init(&t);
	t.wants_details = size % 2;
	is_done = decode_trace(format, fuzz_str(data, size), NULL, &t, &notes,
			       &err);
	fuzz_check_outcome(is_done, &err);
	if (is_done) {
		for (uint32_t i = 0; i < t.span_count; i++)
			fuzz_check_span(&t, i);
		fuzz_check_times(&t);
		if (t.oddities.trace_count && t.oddities.may_have_links)
			fuzz_check_links(format, fuzz_str(data, size), &t);
	}
	trace_release(&t);
	return 0;
}

#define FUZZ_TRACE(format)                                                     \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)           \
	{                                                                      \
		return fuzz_trace(format, data, size);                         \
	}

#endif
