/* SPDX-License-Identifier: Apache-2.0
 *
 * What the trace server is asked for: windows of history, in slices.
 */
#include "investigate/symptom.h"

/* Servers give the newest traces of what they are asked for: of a busy
 * service those of its last minutes, so that what began and ended before is
 * among none of them. Windows are therefore asked about in slices, as many as
 * it matters when in them something happened: of the slow window as many as
 * the server has for it, of a healthy one, little. Two hundred traces against
 * two hundred tell a fault of four requests in a hundred from chance. Each
 * slice costs a request of the few there are. */
#define PREVIOUS_SLICES 2u
#define WINDOW_TRACES 200u

/* Of an hour or days ago: together they tell as much. */
#define FAR_TRACES 100u

/* Those like the slow one. */
#define LIKE_IT_TRACES 60u

/* Requests that took at least this part of what this one took are like it. */
#define LIKE_IT 0.6

static const int64_t shifts_ns[BASELINE_SLOTS] = {
	[BASELINE_THIRD_HOUR] = 20 * NS_PER_MIN,
	[BASELINE_TWO_THIRDS] = 40 * NS_PER_MIN,
	[BASELINE_HOUR] = NS_PER_HOUR,
	[BASELINE_THREE_HOURS] = 3 * NS_PER_HOUR,
	[BASELINE_DAY] = NS_PER_DAY,
	[BASELINE_WEEK] = 7 * NS_PER_DAY,
};

static void add_job(struct operation_history *s, const struct investigation *v,
		    uint32_t window, struct time_range range, uint32_t traces)
{
	struct history_job *job = &s->jobs[s->job_count++];

	history_job_init(job, &s->history, window, traces);
	job->range = range;
	if (s->operations.has_single_root) {
		job->root_service = s->operations.root_service;
		job->root_name = s->operations.root_name;
		job->is_root_called = s->operations.is_root_called;
	}
	job->except = &v->trace->id;
}

/* WINDOW_NONE: there are as many as there may be. */
static uint32_t begin_window(struct operation_history *s,
			     struct time_range range)
{
	uint32_t window;

	if (s->history.window_count == HISTORY_WINDOWS)
		return WINDOW_NONE;
	window = s->history.window_count++;
	s->history.windows[window].range = range;
	s->history.windows[window].slow_operation = OPERATION_NONE;
	return window;
}

static uint32_t add_window(struct operation_history *s,
			   const struct investigation *v,
			   struct time_range range, uint32_t traces)
{
	uint32_t window = begin_window(s, range);

	if (window != WINDOW_NONE)
		add_job(s, v, window, range, traces);
	return window;
}

static uint32_t add_slices(struct operation_history *s,
			   const struct investigation *v,
			   struct time_range range, unsigned slices)
{
	const struct trace_traits *traits = backends_trace_traits(v->backends);
	int64_t step = (range.to_ns - range.from_ns) / slices;
	uint32_t window = begin_window(s, range);

	for (unsigned i = 0; window != WINDOW_NONE && i < slices; i++) {
		struct time_range slice = { range.from_ns + step * i,
					    range.from_ns + step * (i + 1) };

		if (i == slices - 1)
			slice.to_ns = range.to_ns;
		add_job(s, v, window, slice,
			traits->history_slice_traces
				? traits->history_slice_traces
				: WINDOW_TRACES / slices);
	}
	return window;
}

static bool is_wanted(const struct baseline_want *want, unsigned slot)
{
	switch (want->kind) {
	case BASELINE_WANT_SHIFT:
		return want->shift_ns == shifts_ns[slot];
	case BASELINE_WANT_PREVIOUS:
		return slot == BASELINE_PREVIOUS;
	default:
		return !baseline_slot_is_between(slot);
	}
}

static struct time_range slot_range(struct time_range window, unsigned slot)
{
	return slot == BASELINE_PREVIOUS
		       ? window_previous(window)
		       : window_shifted(window, shifts_ns[slot]);
}

static void add_baselines(struct operation_history *s,
			  const struct investigation *v,
			  struct time_range window,
			  const struct baseline_want *want)
{
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		struct time_range range = slot_range(window, i);

		if (!is_wanted(want, i))
			continue;
		s->roles.baselines[i] =
			i == BASELINE_PREVIOUS
				? add_slices(s, v, range, PREVIOUS_SLICES)
				: add_window(s, v, range, FAR_TRACES);
	}
}

/* What profiles in parts take, with samples of requests and of the service;
 * and requests like this one, should they be asked for again. */
#define SPARED_REQUESTS 20u

/* How long messages wait elsewhere is asked for trace by trace. */
#define SPARED_FOR_MESSAGES 8u

static size_t spared_requests(const struct suspect *g)
{
	return SPARED_REQUESTS +
	       (g->messages.count ? SPARED_FOR_MESSAGES : 0);
}

/* A longer window reaches into those before it. */
static bool is_apart(struct time_range window, unsigned slot)
{
	return window.to_ns - window.from_ns < shifts_ns[slot];
}

void operation_history_request_between(struct operation_history *s,
				       const struct investigation *v,
				       const struct suspect *g,
				       struct time_range window,
				       struct job **jobs, size_t *n)
{
	enum baseline_kind kind = v->question->baseline.kind;

	/* A quota is kept for what is asked in any case. */
	if (!s->is_answered || s->operations.root == OPERATION_NONE ||
	    backends_trace_traits(v->backends)->is_metered ||
	    backends_requests_left(v->backends) < spared_requests(g) ||
	    (kind != BASELINE_WANT_AUTO && kind != BASELINE_WANT_FAST) ||
	    !baseline_is_open(&s->baseline))
		return;
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		size_t asked = s->job_count;

		if (!baseline_slot_is_between(i) || !is_apart(window, i))
			continue;
		s->roles.baselines[i] =
			add_window(s, v, slot_range(window, i), FAR_TRACES);
		if (s->job_count > asked)
			jobs[(*n)++] = &s->jobs[asked].job;
	}
}

/* The window that was asked for the slow requests of an operation. */
static uint32_t find_slow_only(const struct operation_history *s,
			       uint32_t operation)
{
	for (uint32_t i = 0; i < s->history.window_count; i++)
		if (s->history.windows[i].slow_operation == operation)
			return i;
	return WINDOW_NONE;
}

/* Of a window with thousands of quick requests some dozens are drawn; those
 * like this one are asked for by their duration. They are of the operation
 * whose time is to be explained, whatever request called it. */
static void add_slow_only(struct operation_history *s,
			  const struct investigation *v, uint32_t entry,
			  struct time_range window)
{
	uint32_t operation = operation_history_find(s, v->trace, entry);
	struct history_window *w;
	struct history_job *job;

	if (operation == OPERATION_NONE)
		return;
	s->roles.slow_only = find_slow_only(s, operation);
	if (s->roles.slow_only != WINDOW_NONE)
		return;
	s->roles.slow_only = add_window(s, v, window, LIKE_IT_TRACES);
	if (s->roles.slow_only == WINDOW_NONE)
		return;
	w = &s->history.windows[s->roles.slow_only];
	w->slow_operation = operation;
	w->min_duration_ns =
		(int64_t)(LIKE_IT *
			  (double)span_duration_ns(&v->trace->spans[entry]));
	job = &s->jobs[s->job_count - 1];
	job->root_service = job->root_name = (struct str){ NULL, 0 };
}

/* What was joined to the trace stands in others by itself there, too. */
static void add_foreign(struct operation_history *s,
			const struct investigation *v)
{
	const uint32_t windows[FOREIGN_JOBS] = {
		s->roles.slow, s->roles.baselines[BASELINE_PREVIOUS]
	};

	for (size_t i = 0;
	     s->operations.foreign_service.len && i < FOREIGN_JOBS; i++) {
		struct history_job *job;

		if (windows[i] == WINDOW_NONE)
			continue;
		add_job(s, v, windows[i], s->history.windows[windows[i]].range,
			WINDOW_TRACES);
		job = &s->jobs[s->job_count - 1];
		job->root_service = s->operations.foreign_service;
		job->root_name = s->operations.foreign_name;
		job->is_root_called = false;
	}
}

bool operation_history_request(struct operation_history *s,
			       struct investigation *v, const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n, struct error *err)
{
	if (v->backends->traces.path || !backends_traces(v->backends))
		return true;
	if (!operations_collect(v->trace, &g->times, &s->operations, err))
		return false;
	s->history.operation_count = s->operations.count;
	if (!s->operations.count)
		return true;
	s->history.keys = s->keys;
	s->history.key_count =
		contrast_keys_collect(v->trace, &s->operations, s->keys);
	s->roles.slow =
		add_slices(s, v, window,
			   backends_trace_traits(v->backends)->history_slices);
	add_slow_only(s, v, suspect_entry(v->trace, g), window);
	add_baselines(s, v, window, &v->question->baseline);
	add_foreign(s, v);
	for (size_t i = 0; i < s->job_count; i++)
		jobs[(*n)++] = &s->jobs[i].job;
	return true;
}

void operation_history_request_again(struct operation_history *s,
				     const struct investigation *v,
				     const struct suspect *g,
				     struct time_range window,
				     struct job **jobs, size_t *n)
{
	size_t asked = s->job_count;

	if (s->is_answered)
		add_slow_only(s, v, suspect_entry(v->trace, g), window);
	if (s->job_count > asked)
		jobs[(*n)++] = &s->jobs[asked].job;
}
