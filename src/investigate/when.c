/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/when.h"

#include <math.h>

#include "backend/trace_backend.h"
#include "base/num.h"
#include "investigate/when_parts.h"

double when_level(const struct when_series *s, size_t i)
{
	if (!(s->counts[i] > 0))
		return NAN;
	return s->is_log ? exp(s->amounts[i] / s->counts[i])
			 : s->amounts[i] / s->counts[i];
}

static int64_t middle_of(const struct when_series *s, size_t i)
{
	return s->starts[i] + (s->starts[i + 1] - s->starts[i]) / 2;
}

/* What a step takes that lies within its first half is the new level's. */
struct when_step when_step_of(const struct when_series *s, size_t i)
{
	const struct change_point *p = &s->found.items[i];

	return (struct when_step){
		.at = { middle_of(s, p->low - 1), middle_of(s, p->high) },
		.before = s->is_log ? exp(p->before) : p->before,
		.after = s->is_log ? exp(p->after) : p->after,
	};
}

const char *when_reason(const struct when *w, const struct error *err)
{
	return arena_str(w->v->backends->arena, str_from(err->message)).ptr;
}

bool when_run(struct when *w, struct job *const *jobs, size_t count,
	      struct error *err)
{
	bool done = jobs_run(w->v->backends, jobs, count, err);

	w->request_count = backends_requests_sent(w->v->backends);
	return done;
}

static double step_size(const struct when_series *s)
{
	const struct change_point *p = &s->found.items[s->found.largest];

	if (!s->is_known || s->found.kind != SERIES_STEP)
		return 0;
	return s->is_log ? fabs(p->after - p->before)
			 : fabs(log(fmax(p->after, 1e-9 * p->before) /
				    fmax(p->before, 1e-9 * p->after)));
}

/* What was asked about; of a service what it computes or how long it takes,
 * whichever changed more. */
static void choose_lead(struct when *w)
{
	const struct when_series *all = w->series;

	if (w->want.function.len)
		w->lead = WHEN_FUNCTION;
	else if (w->want.name.len || !all[WHEN_CPU].is_known)
		w->lead = WHEN_DURATION;
	else
		w->lead = step_size(&all[WHEN_DURATION]) >
					  step_size(&all[WHEN_CPU])
				  ? WHEN_DURATION
				  : WHEN_CPU;
}

static void set_step(struct when *w)
{
	const struct when_series *s = &w->series[w->lead];

	if (s->found.kind == SERIES_STEP && !s->is_sliced)
		w->step = when_step_of(s, s->found.largest);
}

/* Minutes of the window, halved until one is left, twice, and a few more. */
static size_t limit_of(struct time_range window)
{
	double minutes =
		(double)(window.to_ns - window.from_ns) / (double)NS_PER_MIN;

	return (size_t)(2 * log2(fmax(minutes, 2))) + WHEN_REQUESTS;
}

/* Servers that measure nothing over time are searched; one that does and found
 * nothing is not asked once more. */
static bool is_searched(const struct when *w, bool is_traced)
{
	const struct when_series *s = &w->series[WHEN_DURATION];

	return w->want.name.len && !s->is_known && (!is_traced || s->reason);
}

static bool fail_unknown(struct when *w, struct error *err)
{
	bool is_operation = w->want.name.len > 0;

	return investigation_fail(w->v,
				  (struct shortfall){
					  .kind = is_operation
							  ? SHORTFALL_OPERATION
							  : SHORTFALL_STEPS,
					  .service = w->want.service,
					  .name = w->want.name,
				  },
				  err);
}

/* Once it is known when, less tells whether something else changed then. */
static bool judge_others(struct when *w, struct error *err)
{
	for (int m = 0; m < WHEN_MEASURES; m++)
		if (m != (int)w->lead && !w->series[m].is_sliced &&
		    !when_judge(w, &w->series[m], err))
			return false;
	return true;
}

/* Without a server of traces there are profiles; an operation is of traces
 * alone. */
static bool find_traces(struct when *w, bool *is_traced, struct error *err)
{
	struct backends *b = w->v->backends;

	*is_traced = false;
	if (b->traces.path)
		return true;
	if (backends_probe_traces(b, err)) {
		*is_traced = backends_traces(b) &&
			     backends_traces(b)->steps_path != NULL;
		return true;
	}
	if (w->want.name.len || err->code == ERROR_MEMORY)
		return false;
	w->series[WHEN_TRAFFIC].reason = when_reason(w, err);
	w->series[WHEN_DURATION].reason = w->series[WHEN_TRAFFIC].reason;
	error_clear(err);
	return true;
}

bool when_find(struct when *w, struct error *err)
{
	bool has_profiles = !w->want.name.len && !w->v->backends->profiles.path;
	bool is_traced;

	w->request_limit = limit_of(w->want.window);
	when_cut_window(w);
	if (!find_traces(w, &is_traced, err))
		return false;
	if (!when_ask_steps(w, is_traced, has_profiles, err))
		return false;
	when_find_versions(w);
	if (!when_judge_steps(w, err))
		return false;
	choose_lead(w);
	if ((w->want.function.len || is_searched(w, is_traced)) &&
	    !when_ask_slices(w, err))
		return false;
	if (!w->series[w->lead].is_known)
		return fail_unknown(w, err);
	set_step(w);
	return !when_has_step(w) ||
	       (judge_others(w, err) && when_narrow(w, err) &&
		when_ask_beside(w, err));
}
