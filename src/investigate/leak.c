/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/leak.h"

#include "base/count.h"
#include "base/num.h"

/* Points of metrics: the blocks have dozens each. */
#define METRIC_STEPS 480

/* ---- which types ---- */

static bool lookup(struct leak *l, struct error *err)
{
	struct investigation *v = l->v;
	struct profile_lookup lookup;

	if (!profile_lookup_init(&lookup, v, NULL, 0, str_from(l->service),
				 l->window, err) ||
	    !jobs_run(v->backends, lookup.jobs, lookup.job_count, err) ||
	    !profile_lookup_apply(&lookup, v, &l->found, err))
		return false;
	return true;
}

static bool find_type(const struct leak *l, const char *word, struct str *out)
{
	struct error ignored;
	bool is_gauge;

	return profile_type_resolve(str_from(word), &l->found.types,
				    l->v->backends->arena, out, &is_gauge,
				    &ignored) &&
	       l->found.types.count;
}

/* What was asked for, or both. */
static bool find_types(struct leak *l, struct error *err)
{
	struct str *threads = &l->subjects[LEAK_THREADS].type_id;
	const char *word = l->v->question->type;
	bool is_gauge;
	struct str id;

	for (int i = 0; i < LEAK_WHATS; i++)
		l->subjects[i].what = (enum leak_what)i;
	if (!word) {
		find_type(l, "inuse", &l->subjects[LEAK_MEMORY].type_id);
		if (!find_type(l, "goroutine", threads))
			find_type(l, "goroutineleak", threads);
		return true;
	}
	if (!profile_type_resolve(str_from(word), &l->found.types,
				  l->v->backends->arena, &id, &is_gauge, err)) {
		l->v->shortfall =
			(struct shortfall){ .kind = SHORTFALL_TYPE,
					    .service = str_from(l->service) };
		return false;
	}
	if (!is_gauge) /* of which nothing stays */
		return true;
	l->subjects[str_find(id, STR(":bytes")) != SIZE_MAX ? LEAK_MEMORY
							    : LEAK_THREADS]
		.type_id = id;
	return true;
}

/* ---- the server of metrics ---- */

static bool ask_metrics(struct leak *l, struct service_metric *requests,
			struct error *err)
{
	struct backends *b = l->v->backends;
	struct time_range last = { l->window.to_ns - NS_PER_MIN * 5,
				   l->window.to_ns };
	int64_t step_ns = (l->window.to_ns - l->window.from_ns) / METRIC_STEPS;
	struct service_metric list[3] = {
		{ .meaning = METRIC_REQUESTS, .range = l->window },
		{ .meaning = METRIC_MEMORY, .range = last },
		{ .meaning = METRIC_MEMORY_LIMIT, .range = last },
	};
	struct service_metrics m;

	step_ns -= step_ns % NS_PER_S;
	list[0].step_ns = step_ns < NS_PER_MIN ? NS_PER_MIN : step_ns;
	if (!service_metrics_find(&m, b, l->service, l->window, err) ||
	    !service_metrics_ask(&m, list, COUNT_OF(list), err))
		return false;
	*requests = list[0];
	if (list[1].point_count)
		l->memory_bytes = list[1].points[0].value;
	if (list[2].point_count && !(l->limit_bytes > 0)) {
		l->limit_bytes = list[2].points[0].value;
		l->is_limit_known = true;
	}
	return true;
}

/* Nothing needs it: what goes wrong is a note. */
static bool try_metrics(struct leak *l, struct service_metric *requests,
			struct error *err)
{
	if (l->v->backends->metrics.is_default || ask_metrics(l, requests, err))
		return true;
	if (err->code == ERROR_MEMORY || err->code == ERROR_STOPPED ||
	    err->code == ERROR_INTERRUPTED)
		return false;
	investigation_note(l->v, (struct note){ .kind = NOTE_METRICS_MISSING,
						.reason = err->message });
	error_clear(err);
	return true;
}

/* Requests of the whole service stand for the load of each process. */
static void use_requests(struct leak_subject *s,
			 const struct service_metric *requests)
{
	for (size_t i = 0; i < s->segment_count; i++) {
		struct growth_segment *g = &s->segments[i].growth;

		g->has_load = true;
		for (size_t k = 0; k < GROWTH_BLOCKS; k++) {
			struct time_range block =
				leak_block(&s->segments[i], k);
			double sum = 0, count = 0;

			for (size_t n = 0; n < requests->point_count; n++) {
				const struct metric_point *p =
					&requests->points[n];

				if (p->time_ns <= block.from_ns ||
				    p->time_ns > block.to_ns)
					continue;
				sum += p->value;
				count++;
			}
			g->has_load &= count > 0;
			g->load[k] = count > 0 ? sum / count : 0;
		}
	}
}

/* ---- the road ---- */

static bool judge(struct leak *l, struct leak_subject *s,
		  const struct leak_series *series,
		  const struct leak_series *load,
		  const struct service_metric *requests, struct error *err)
{
	bool is_memory = s->what == LEAK_MEMORY;

	if (!leak_segments_cut(l, s, series, load, err))
		return false;
	if (!s->segment_count)
		return true;
	if (requests->point_count)
		use_requests(s, requests);
	l->has_load |= s->segments[0].growth.has_load;
	/* Memory wanders more than a function of it; of goroutines a function
	 * is asked for where there are more and more. */
	return leak_functions_judge(l, s, is_memory, err) &&
	       (is_memory || !s->is_leak ||
		leak_functions_judge(l, s, true, err));
}

static bool ask_series(struct leak *l, struct leak_series list[LEAK_WHATS + 1],
		       size_t of[LEAK_WHATS + 1], struct error *err)
{
	size_t n = 0;

	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].type_id.ptr) {
			of[i] = n;
			list[n++].type_id = l->subjects[i].type_id.ptr;
		}
	if (find_type(l, "cpu", &l->load_type)) {
		of[LEAK_WHATS] = n;
		list[n++].type_id = l->load_type.ptr;
	}
	return leak_series_ask(l, list, n, err);
}

static const struct leak_series *answered(const struct leak_series *list,
					  size_t at)
{
	return at != SIZE_MAX && list[at].has_answer ? &list[at] : NULL;
}

static bool investigate_files(struct leak *l, struct error *err)
{
	const struct service_metric none = { .point_count = 0 };
	struct leak_series list[LEAK_WHATS] = { 0 };

	for (int i = 0; i < LEAK_WHATS; i++)
		l->subjects[i].what = (enum leak_what)i;
	if (!leak_files_read(l, list, err))
		return false;
	for (int i = 0; i < LEAK_WHATS; i++)
		if (list[i].has_answer &&
		    !judge(l, &l->subjects[i], &list[i], NULL, &none, err))
			return false;
	return leak_lack(l) == LEAK_NO_LACK ||
	       error_set(err, ERROR_NOT_FOUND, "%s", "");
}

static bool investigate_service(struct leak *l, struct error *err)
{
	struct leak_series list[LEAK_WHATS + 1] = { 0 };
	size_t of[LEAK_WHATS + 1] = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
	struct service_metric requests = { .point_count = 0 };
	const struct leak_series *load;

	if (!lookup(l, err) || !find_types(l, err))
		return false;
	if (leak_lack(l) == LEAK_NO_TYPE)
		return error_set(err, ERROR_NOT_FOUND, "%s", "");
	if (!ask_series(l, list, of, err) || !try_metrics(l, &requests, err))
		return false;
	load = answered(list, of[LEAK_WHATS]);
	for (int i = 0; i < LEAK_WHATS; i++) {
		if (of[i] == SIZE_MAX)
			continue;
		if (!list[of[i]].has_answer) {
			*err = list[of[i]].err;
			return false;
		}
		if (!judge(l, &l->subjects[i], &list[of[i]], load, &requests,
			   err))
			return false;
	}
	if (requests.point_count)
		l->load_type = (struct str){ NULL, 0 };
	return leak_lack(l) == LEAK_NO_LACK ||
	       error_set(err, ERROR_NOT_FOUND, "%s", "");
}

bool leak_investigate(struct leak *l, struct error *err)
{
	return l->path_count ? investigate_files(l, err)
			     : investigate_service(l, err);
}

enum leak_lack leak_lack(const struct leak *l)
{
	bool has_type = false, has_segment = false;

	if (l->odd)
		return l->odd_type.ptr ? LEAK_TYPES : LEAK_NO_TIME;
	for (int i = 0; i < LEAK_WHATS; i++) {
		has_type |= l->subjects[i].type_id.ptr != NULL;
		has_segment |= l->subjects[i].segment_count > 0;
	}
	if (!has_type)
		return LEAK_NO_TYPE;
	return has_segment ? LEAK_NO_LACK : LEAK_SHORT;
}

bool leak_is_one(const struct leak *l)
{
	return l->subjects[LEAK_MEMORY].is_leak ||
	       l->subjects[LEAK_THREADS].is_leak;
}

/* In the last block of those that lived then: the largest is the first that
 * comes to its end. */
static double largest_held(const struct leak_subject *s)
{
	int64_t last_ns = 0;
	double most = 0;

	for (size_t i = 0; i < s->segment_count; i++)
		if (s->segments[i].range.to_ns > last_ns)
			last_ns = s->segments[i].range.to_ns;
	for (size_t i = 0; i < s->segment_count; i++) {
		const struct leak_segment *segment = &s->segments[i];
		double held = segment->growth.values[GROWTH_BLOCKS - 1];

		if (last_ns - segment->range.to_ns < LEAK_LEAST_NS &&
		    held > most)
			most = held;
	}
	return most;
}

double leak_seconds_left(const struct leak *l)
{
	const struct leak_subject *s = &l->subjects[LEAK_MEMORY];
	double now = l->memory_bytes > 0 ? l->memory_bytes : largest_held(s);

	if (!s->is_leak || !(l->limit_bytes > 0) || !(s->total.per_hour > 0))
		return -1;
	return l->limit_bytes > now
		       ? (l->limit_bytes - now) / s->total.per_hour * 3600
		       : 0;
}
