/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers that are functions, for tests of what is asked in which order: a
 * request of an operation every ten seconds, as long as a test says, and
 * profiles as a test writes them. Nothing is sent.
 */
#ifndef TESTS_INVESTIGATE_FAKE_H
#define TESTS_INVESTIGATE_FAKE_H

#include "../analyze/trace_fixture.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend/fetch_profile.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/finding.h"

#include "../analyze/profile_making.h"
#include "backend/table.h"

#define FAKE_CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define FAKE_MUTEX "mutex:delay:nanoseconds:mutex:count"
#define FAKE_BLOCK "block:delay:nanoseconds:block:count"
#define FAKE_ALLOC "memory:alloc_space:bytes:space:bytes"
#define FAKE_INUSE "memory:inuse_space:bytes:space:bytes"
#define FAKE_WALL "wall:wall:nanoseconds:wall:nanoseconds"

#define FAKE_STEP_NS (10 * NS_PER_S)

/* What the fake servers have. */
struct fake {
	/* How long the operation took that began so many seconds after the
	 * slow trace; negative: there was no such request. */
	double (*took_ms)(const struct operation *o, double at_s);
	/* The first attribute that is asked for, and the version of the
	 * service, of a request that began then; NULL: none. */
	const char *(*value)(double at_s);
	const char *(*version)(double at_s);
	/* How long after its trace; NULL: one after another at once. */
	double (*after_ms)(const struct operation *o, double at_s);
	/* Stacks with values (profile_making.h) of a type, of spans or of the
	 * service, around so many seconds after the slow trace; NULL: none. */
	const char *(*stacks)(const char *type_id, bool is_of_spans,
			      double at_s);
	const char *const *types; /* ends with NULL */
	/* What a service does, where all of that is asked for. */
	const struct operation *does;
	uint32_t does_count;
	size_t requests; /* sent or answered so far */
	/* Of the investigation. */
	struct backend_row row;
	struct backends backends;
	struct arena arena;
	struct notes notes;
	struct trace trace;
	struct result result;
	struct question question;
	struct investigation v;
	struct finding finding;
	size_t note_counts[NOTE_KINDS];
};

static struct fake *fake;

/* ---- traces ---- */

static inline void fake_search_path(const struct search_query *q,
				    unsigned attempt, struct buf *out)
{
	(void)attempt;
	buf_addf(out, "/%" PRId64 "/%" PRId64 "/%" PRId64, q->range.from_ns,
		 q->range.to_ns, q->slow ? q->min_duration_ns : 0);
}

static inline int64_t after_ns(const struct operation *o, double at_s)
{
	return fake->after_ms ? fixture_ms(fake->after_ms(o, at_s)) : 0;
}

static inline bool fake_label(struct history *h, struct history_span *s,
			      double at_s, struct error *why)
{
	return (!fake->value ||
		history_add_attr(h, s, 0, str_from(fake->value(at_s)), why)) &&
	       (!fake->version ||
		history_symbol(h, str_from(fake->version(at_s)), &s->version,
			       why));
}

static inline bool fake_add(struct history *h, uint32_t window, int64_t at_ns,
			    int64_t least_ns)
{
	struct history_trace t = { .start_ns = at_ns };
	struct error why;
	bool is_kept = true;

	memcpy(t.id.bytes, &at_ns, sizeof at_ns);
	for (uint32_t i = 0; is_kept && i < h->operation_count; i++) {
		const struct operation *o = &h->operations[i];
		double at_s = (double)(at_ns - FIXTURE_BASE_NS) / NS_PER_S;
		double ms = fake->took_ms(o, at_s);
		struct history_span s = { .operation = i,
					  .start_ns =
						  at_ns + i + after_ns(o, at_s),
					  .duration_ns = fixture_ms(ms),
					  .span_id = (uint64_t)at_ns + i,
					  .profile_id = (uint64_t)at_ns + i };

		if (i == 0) {
			t.duration_ns = s.duration_ns;
			is_kept = ms >= 0 && s.duration_ns >= least_ns &&
				  history_add_trace(h, window, &t, &why);
		}
		s.trace = h->windows[window].trace_count - 1;
		is_kept = is_kept && fake_label(h, &s, at_s, &why) &&
			  history_add_span(h, window, &s, &why);
	}
	return is_kept;
}

static inline bool fake_decode(struct str bytes, struct history *h,
			       const struct history_want *want,
			       struct error *why)
{
	int64_t from, to, least;

	for (uint32_t i = 0; h->service.len && i < fake->does_count; i++)
		assert_true(history_learn(
			h, fake->does[i].service, fake->does[i].name,
			fake->does[i].kind, &(uint32_t){ 0 }, why));
	assert_int_equal(sscanf(bytes.ptr, "/%" SCNd64 "/%" SCNd64 "/%" SCNd64,
				&from, &to, &least),
			 3);
	for (int64_t at = from - from % FAKE_STEP_NS + FAKE_STEP_NS; at < to;
	     at += FAKE_STEP_NS)
		(void)fake_add(h, want->window, at, least);
	history_finish_window(h, want->window);
	h->windows[want->window].is_answered = true;
	return true;
}

static inline enum answer fake_search_answer(
	const struct search_query *q, unsigned *attempt,
	const struct endpoint *e, const struct http_response *response,
	search_decoder **decode, struct error *why)
{
	(void)q;
	(void)attempt;
	(void)e;
	(void)response;
	(void)why;
	*decode = fake_decode;
	return ANSWER_OK;
}

static const struct trace_backend fake_traces = {
	.name = "fake",
	.title = "Fake",
	.noun = "a Fake",
	.traits = { .history_slices = 4 },
	.search_path = fake_search_path,
	.search_answer = fake_search_answer,
};

/* The answer is what was asked. */
static inline bool fake_send(void *context, struct http_request *requests,
			     struct http_response *responses, size_t n,
			     const struct http_taker *taker, struct error *why)
{
	(void)context;
	(void)taker;
	(void)why;
	for (size_t i = 0; i < n; i++) {
		fake->requests++;
		responses[i].status = 200;
		buf_init(&responses[i].body, KIB);
		buf_add_text(&responses[i].body, requests[i].path);
		(void)buf_text(&responses[i].body);
	}
	return true;
}

/* ---- profiles ---- */

static inline void fake_profile(struct profile_fetch *f)
{
	const struct profile_query *q = &f->query;
	int64_t middle = q->range.from_ns / 2 + q->range.to_ns / 2;
	const char *text =
		fake->stacks(q->type_id, q->span_id_count > 0,
			     (double)(middle - FIXTURE_BASE_NS) / NS_PER_S);

	profile_release(f->into);
	profile_init(f->into);
	if (text)
		make_profile(f->into,
			     strstr(q->type_id, ":delay:") ? "delay" : "cpu",
			     strstr(q->type_id, ":bytes") ? "bytes"
							  : "nanoseconds",
			     TEN_MS, text);
	f->job.has_answer = true;
}

static struct str fake_services[] = { { "shop", 4 }, { "web", 3 } };

/* Each service has each type. */
static inline void fake_series(struct series_job *s)
{
	struct series_list *list = &s->series;
	size_t types = 0, rows;

	while (fake->types[types])
		types++;
	rows = types * COUNT_OF(fake_services);
	list->values = arena_array(&fake->arena, rows * s->label_count,
				   sizeof *list->values);
	list->label_count = s->label_count;
	for (; list->count < rows; list->count++)
		for (size_t k = 0; k < s->label_count; k++) {
			struct str *value =
				&list->values[list->count * s->label_count + k];

			if (!strcmp(s->labels[k], "service_name"))
				*value = fake_services[list->count / types];
			if (!strcmp(s->labels[k], "__profile_type__"))
				*value = str_from(
					fake->types[list->count % types]);
		}
	s->job.has_answer = true;
}

static inline bool fake_answer(struct backends *b, struct job *const *jobs,
			       size_t n, struct error *why)
{
	(void)b;
	(void)why;
	for (size_t i = 0; i < n; i++) {
		struct job *job = jobs[i];

		if (job->is_done || job->type->question == QUESTION_SERVER)
			continue;
		fake->requests++;
		job->is_done = true;
		if (job->type->question == QUESTION_PROFILE)
			fake_profile((struct profile_fetch *)job);
		if (job->type->question == QUESTION_SERIES)
			fake_series((struct series_job *)job);
		if (job->type->question != QUESTION_NAMES)
			continue;
		((struct names_job *)job)->names =
			(struct name_list){ fake_services,
					    COUNT_OF(fake_services) };
		job->has_answer = true;
	}
	return true;
}

static const struct profile_backend fake_profiles = {
	.name = "fake",
	.title = "Fake",
	.traits = { .has_span_samples = true },
	.answer_jobs = fake_answer,
};

/* ---- the investigation ---- */

static inline void fake_note(const struct note *note, struct notes *notes)
{
	(void)notes;
	fake->note_counts[note->kind]++;
}

/* took_ms, stacks and types are set then. */
static inline void fake_begin(const char *trace)
{
	fake = mem_calloc(1, sizeof *fake);
	assert_non_null(fake);
	fake->row = (struct backend_row){ .name = "fake",
					  .title = "Fake",
					  .traces = &fake_traces,
					  .profiles = &fake_profiles };
	fake->backends = (struct backends){
		.channel.send = fake_send,
		.arena = &fake->arena,
		.notes = &fake->notes,
		.now_ns = FIXTURE_BASE_NS + NS_PER_HOUR,
		.traces = { .row = &fake->row, .endpoint.url = "http://fake" },
		.profiles = { .row = &fake->row,
			      .endpoint.url = "http://fake" },
	};
	arena_init(&fake->arena, 64 * MIB);
	notes_init(&fake->notes);
	fixture_trace(&fake->trace, trace);
	arena_init(&fake->result.arena, 64 * MIB);
	notes_init(&fake->result.notes);
	fake->question = (struct question){ .pad_ns = 5 * NS_PER_MIN };
	fake->v = (struct investigation){ .question = &fake->question,
					  .backends = &fake->backends,
					  .trace = &fake->trace,
					  .result = &fake->result,
					  .note = fake_note };
	finding_init(&fake->finding, &fake->v);
}

static inline bool fake_investigate(struct error *why)
{
	return suspect_find(&fake->v, &fake->finding.suspect, why) &&
	       slow_investigate(&fake->v, &fake->finding, why);
}

static inline void fake_end(void)
{
	finding_release(&fake->finding);
	trace_release(&fake->trace);
	arena_release(&fake->result.arena);
	arena_release(&fake->arena);
	mem_free(fake);
}

#endif
