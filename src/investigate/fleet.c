/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/fleet.h"

#include "analyze/fleet_count.h"
#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/profile_service.h"
#include "investigate/services.h"

/* A server that refuses so many services in a row is not asked further. */
#define MOST_REFUSALS 12

/* One service on its way: what is now, then the parts of what was. */
struct visit {
	struct fleet_service *service;
	struct profile profiles[FLEET_QUESTIONS];
	struct profile_fetch fetches[FLEET_QUESTIONS];
};

/* ---- which services ---- */

static bool fail(struct fleet *f, struct error *err)
{
	return arena_fail(&f->arena, "the fleet", err);
}

static bool plan_service(struct fleet *f, const struct service_row *row,
			 struct error *err)
{
	struct fleet_service *s = &f->items[f->count];

	*s = (struct fleet_service){
		.name = arena_str(&f->arena, row->name),
		.type_id = arena_str(&f->arena, row->cpu_type),
		.after.range = f->window,
		.before.range = f->baseline,
		.state = !row->cpu_type.len		 ? FLEET_NO_CPU
			 : f->count < LIMIT_FLEET_SERVICES ? FLEET_WAITING
							 : FLEET_LEFT_OUT,
	};
	f->count++;
	return s->name.ptr && s->type_id.ptr ? true : fail(f, err);
}

bool fleet_plan(struct fleet *f, struct investigation *v, struct error *err)
{
	struct services all = { .backends = v->backends,
				.note = v->note,
				.window = f->window };

	if (!services_fetch(&all, err))
		return false;
	f->items = arena_array(&f->arena, all.count + 1, sizeof *f->items);
	if (!f->items)
		return fail(f, err);
	for (size_t i = 0; i < all.count; i++)
		if (!plan_service(f, &all.rows[i], err))
			return false;
	return f->baseline.to_ns || fleet_find_versions(f, v, err);
}

/* ---- asking ---- */

static struct time_range range_of(const struct fleet_service *s, size_t i)
{
	struct time_range whole = s->before.range;
	int64_t length = (whole.to_ns - whole.from_ns) / FLEET_PARTS;

	if (!i)
		return s->after.range;
	return (struct time_range){
		whole.from_ns + length * (int64_t)(i - 1),
		i == FLEET_PARTS ? whole.to_ns
				 : whole.from_ns + length * (int64_t)i,
	};
}

static bool select_side(struct investigation *v, const struct fleet_service *s,
			const struct fleet_side *side, struct str *out,
			struct error *err)
{
	struct arena *arena = v->backends->arena;

	if (!selector_of_service(arena, s->name.ptr, out, err))
		return false;
	if (!side->version.ptr)
		return true;
	*out = selector_with(v, *out, s->version_label, side->version, false);
	return out->ptr || arena_fail(arena, "the requests", err);
}

static bool visit_begin(struct visit *visit, struct fleet_service *s,
			struct investigation *v, struct job **jobs, size_t *n,
			struct error *err)
{
	struct str after, before;

	visit->service = s;
	if (!select_side(v, s, &s->after, &after, err) ||
	    !select_side(v, s, &s->before, &before, err))
		return false;
	for (size_t i = 0; i < FLEET_QUESTIONS; i++) {
		const struct profile_query query = {
			.type_id = s->type_id.ptr,
			.selector = i ? before.ptr : after.ptr,
			.range = range_of(s, i),
			.is_continued = i > 1,
		};

		profile_fetch_init(&visit->fetches[i], &query,
				   &visit->profiles[i]);
		jobs[(*n)++] = &visit->fetches[i].job;
	}
	return true;
}

/* ---- answers ---- */

/* That nothing was found is an answer. */
static const struct error *refusal(const struct visit *visit)
{
	for (size_t i = 0; i < FLEET_QUESTIONS; i++) {
		const struct job *job = &visit->fetches[i].job;

		if (!job->has_answer && job->err.code != ERROR_NOT_FOUND)
			return &job->err;
	}
	return NULL;
}

/* All of them, on the way. */
struct asking {
	struct fleet *fleet;
	struct investigation *v;
	const struct fleet_keeper *keeper;
	struct visit *visits;
	size_t next;
	size_t refused; /* services in a row */
};

static bool take_refusal(struct asking *a, struct fleet_service *s,
			 const struct error *why, struct error *err)
{
	struct arena *arena = &a->fleet->arena;

	s->state = FLEET_FAILED;
	s->reason = arena_str(arena, str_from(why->message));
	if (!s->reason.ptr)
		return fail(a->fleet, err);
	*err = *why;
	return ++a->refused < MOST_REFUSALS;
}

static bool visit_end(struct asking *a, struct visit *visit, struct error *err)
{
	const struct profile *profiles[FLEET_QUESTIONS];
	struct fleet_service *s = visit->service;
	struct fleet *f = a->fleet;
	const struct error *refused = refusal(visit);

	if (refused)
		return take_refusal(a, s, refused, err);
	a->refused = 0;
	for (size_t i = 0; i < FLEET_QUESTIONS; i++)
		profiles[i] = &visit->profiles[i];
	return fleet_count(f, s, profiles, a->v->question->rules,
			   a->v->backends->notes, err) &&
	       (!a->keeper || a->keeper->take(a->keeper->context, f,
					      (size_t)(s - f->items), err));
}

/* ---- all of them ---- */

static bool ask_batch(struct asking *a, struct error *err)
{
	struct job *jobs[FLEET_BATCH * FLEET_QUESTIONS];
	struct fleet *f = a->fleet;
	size_t count = 0, n = 0;
	bool done = true;

	for (; done && a->next < f->count && count < FLEET_BATCH; a->next++)
		if (f->items[a->next].state == FLEET_WAITING)
			done = visit_begin(&a->visits[count++],
					   &f->items[a->next], a->v, jobs, &n,
					   err);
	done = done && (!n || jobs_run(a->v->backends, jobs, n, err));
	for (size_t i = 0; i < count; i++) {
		done = done && visit_end(a, &a->visits[i], err);
		for (size_t k = 0; k < FLEET_QUESTIONS; k++)
			profile_release(&a->visits[i].profiles[k]);
	}
	return done;
}

/* A longer window would be asked for in parts, and more often than was said. */
static bool check_windows(const struct fleet *f, struct investigation *v,
			  struct error *err)
{
	int64_t most_ns = v->backends->profile_window_ns;

	for (size_t i = 0; most_ns && i < f->count; i++)
		for (size_t k = 0; k < FLEET_QUESTIONS; k++) {
			struct time_range r = range_of(&f->items[i], k);

			if (r.to_ns - r.from_ns > most_ns)
				return investigation_fail(
					v,
					(struct shortfall){
						.kind = SHORTFALL_LONG_WINDOW,
						.count = (size_t)(most_ns /
								  NS_PER_S),
					},
					err);
		}
	return true;
}

bool fleet_ask(struct fleet *f, struct investigation *v,
	       const struct fleet_keeper *keeper, struct error *err)
{
	struct asking a = { .fleet = f, .v = v, .keeper = keeper };
	bool done = true;

	a.visits = mem_calloc(FLEET_BATCH, sizeof *a.visits);
	if (!a.visits)
		return error_memory(err, "the fleet");
	while (done && a.next < f->count)
		done = ask_batch(&a, err) && check_windows(f, v, err);
	mem_free(a.visits);
	return done;
}
