/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include "backend/backends.h"
#include "backend/checkup.h"
#include "backend/cloud_profiler/cloud_profiles.h"
#include "backend/profile_backend.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/profile_list.h"

static void read_times(struct checkup *c, const struct profile_list *list)
{
	struct profile_stats *s = &c->stats;

	s->has_data = list->count > 0;
	for (uint32_t i = 0; i < list->count; i++) {
		int64_t start_ns = list->profiles[i].start_ns;

		if (!i || start_ns < s->oldest_ns)
			s->oldest_ns = start_ns;
		if (!i || start_ns > s->newest_ns)
			s->newest_ns = start_ns;
	}
}

static void check_list(struct checkup *c, const struct profile_list *list)
{
	char count[COUNT_TEXT_BYTES], oldest[24], newest[24];

	if (!list->count) {
		check_fail(c->checks, ERROR_NOT_FOUND, "profiles", "data",
			   "the project has no profiles");
		check_fix(c->checks,
			  "another project: --profiles-url gcp://PROJECT; "
			  "else start Cloud Profiler's agent in the services");
		return;
	}
	format_count(list->count, count);
	format_duration(sat_sub_i64(c->backends->now_ns, c->stats.oldest_ns),
			oldest);
	format_duration(sat_sub_i64(c->backends->now_ns, c->stats.newest_ns),
			newest);
	check_ok(c->checks, "profiles", "retention",
		 "%s profile%s; the oldest is %s old, the newest %s", count,
		 &"s"[list->count == 1], oldest, newest);
}

static bool checkup_examine(struct checkup *c, bool *is_up, struct error *err)
{
	const struct profile_list *list;
	struct error why = { 0 };
	bool is_fatal;

	list = cloud_profiles_list(c->backends, &is_fatal, &why);
	if (!list && is_fatal) {
		*err = why;
		return false;
	}
	if (!list) {
		check_fail(c->checks, why.code, "profiles",
			   why.code == ERROR_AUTH ? "login" : "server", "%s",
			   why.message);
		return true;
	}
	check_ok(c->checks, "profiles", "login", "reading is allowed");
	check_ok(c->checks, "profiles", "server", "Cloud Profiler");
	read_times(c, list);
	check_list(c, list);
	*is_up = true;
	return checkup_find_recent(c, err);
}

#define NEWER_TRACE "a newer trace: Cloud Profiler keeps them for 30 days"
#define ELSEWHERE "another project: --profiles-url gcp://PROJECT"

/* How long profiles are kept. */
#define CLOUD_RETENTION_NS (30 * NS_PER_DAY)

const struct profile_checkup checkup_cloud_profiler = {
	.title = "Cloud Profiler",
	.examine = checkup_examine,
	.lookback_ns = CLOUD_RETENTION_NS,
	.add_fix = "start Cloud Profiler's agent in it",
	.logs_fix = "look at the agents' logs, whose account needs "
		    "roles/cloudprofiler.agent; ",
	.elsewhere_fix = ELSEWHERE,
	.nowhere_fix = ELSEWHERE "; another server: --profiles-url URL",
	.keep_fix = NEWER_TRACE,
	.lookback_fix = NEWER_TRACE,
};

/* Cloud Profiler's types of profiles, by the ids that other servers use, so
 * that --type and the order of evidence mean the same everywhere. */

/* By type. */
static const struct cloud_type all_types[] = {
	{ STORED_CPU, "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "cpu",
	  "CPU", true }, /* of Python */
	{ STORED_WALL, "wall:wall:nanoseconds:wall:nanoseconds", "wall", "",
	  true },
	{ STORED_HEAP, "memory:inuse_space:bytes:space:bytes", "inuse", "space",
	  true }, /* of Node.js, as below */
	{ STORED_HEAP, "memory:inuse_objects:count:space:bytes",
	  "inuse_objects", "objects", false },
	{ STORED_THREADS, "goroutine:goroutine:count:goroutine:count",
	  "goroutine", "", true },
	{ STORED_CONTENTION, "mutex:delay:nanoseconds:contentions:count",
	  "mutex", "", true },
	{ STORED_CONTENTION, "mutex:contentions:count:contentions:count",
	  "contentions", "", false },
	{ STORED_PEAK_HEAP, "memory:peak_space:bytes:space:bytes", "", "",
	  true },
	{ STORED_HEAP_ALLOC, "memory:alloc_space:bytes:space:bytes", "alloc",
	  "", true },
	{ STORED_HEAP_ALLOC, "memory:alloc_objects:count:space:bytes",
	  "alloc_objects", "", false },
};

#define TYPE_COUNT (sizeof all_types / sizeof *all_types)

const struct cloud_type *cloud_types_of(enum stored_type type, size_t *count)
{
	size_t first = 0;

	while (first < TYPE_COUNT && all_types[first].type != type)
		first++;
	*count = 0;
	while (first + *count < TYPE_COUNT &&
	       all_types[first + *count].type == type)
		(*count)++;
	return all_types + (*count ? first : 0);
}

const struct cloud_type *cloud_type_find(struct str id)
{
	for (size_t i = 0; i < TYPE_COUNT; i++)
		if (str_equal(id, str_from(all_types[i].id)))
			return &all_types[i];
	return NULL;
}

/* Passes Cloud Profiler's profiles on one by one, as agents sent them. */

struct giving {
	const struct profile_list *list;
	const struct whole_taker *taker;
	bool *is_wanted;
};

static void whole_describe(const struct profile_list *list, uint32_t index,
			   struct whole_profile *w)
{
	const struct stored_profile *p = &list->profiles[index];
	const struct stored_series *s = &list->series[p->series];
	const struct cloud_type *types;
	size_t count;
	struct str id;

	types = cloud_types_of(s->type, &count);
	id = count ? str_from(types[0].id) : STR("");
	*w = (struct whole_profile){
		.name = p->name,
		.kind = str_slice(id, 0, str_find(id, STR(":"))),
		.start_ns = p->start_ns,
		.labels = { { STR("service_name"),
			      stored_series_service(list, s) } },
		.label_count = 1,
	};
	for (uint32_t i = 0; i < s->label_count; i++) {
		const struct stored_label *l =
			&list->labels[s->label_first + i];

		w->labels[w->label_count++] = (struct whole_label){
			symtab_text(&list->symtab, l->key),
			symtab_text(&list->symtab, l->value),
		};
	}
}

static bool profile_take(void *context, uint32_t index, struct str bytes,
			 bool *is_good, struct error *err)
{
	struct giving *g = context;
	struct whole_profile w;

	(void)is_good;
	whole_describe(g->list, index, &w);
	w.bytes = bytes;
	g->is_wanted[index] = false;
	return g->taker->take(g->taker->context, &w, NULL, err);
}

static bool profiles_give(struct giving *g, struct backends *b,
			  const struct whole_query *query, struct error *err)
{
	const struct error gone = { .code = ERROR_NOT_FOUND };
	struct whole_profile w;
	bool is_fatal, is_any = false;

	for (uint32_t i = 0; i < g->list->count; i++) {
		const struct stored_profile *p = &g->list->profiles[i];
		const struct stored_series *s = &g->list->series[p->series];

		/* A snapshot, which has no duration, may be in the window,
		 * too. */
		if (s->type == STORED_UNKNOWN ||
		    !stored_profile_is_in(p, query->range) ||
		    (query->service &&
		     !str_equal(stored_series_service(g->list, s),
				str_from(query->service))))
			continue;
		whole_describe(g->list, i, &w);
		g->is_wanted[i] = g->taker->wants(g->taker->context, &w);
		is_any |= g->is_wanted[i];
	}
	if (is_any && !cloud_profiles_fetch(b, g->is_wanted, profile_take, g,
					    &is_fatal, err))
		return false;
	for (uint32_t i = 0; i < g->list->count; i++) {
		if (!g->is_wanted[i])
			continue;
		whole_describe(g->list, i, &w);
		if (!g->taker->take(g->taker->context, &w, &gone, err))
			return false;
	}
	return true;
}

/* Passes on what agents sent, one by one. */
static bool cloud_each(struct backends *b, const struct whole_query *query,
		       const struct whole_taker *taker, struct error *err)
{
	bool is_fatal, is_ok;
	struct giving g = { .list = cloud_profiles_list(b, &is_fatal, err),
			    .taker = taker };

	if (!g.list)
		return false;
	g.is_wanted =
		mem_calloc((size_t)g.list->count + 1, sizeof *g.is_wanted);
	is_ok = g.is_wanted ? profiles_give(&g, b, query, err)
			    : error_memory(err, "the profiles");
	mem_free(g.is_wanted);
	return is_ok;
}

const struct profile_backend profile_cloud = {
	.name = "Cloud Profiler",
	.title = "Cloud Profiler",
	.traits = { .is_list = true,
		    .has_targets = true,
		    .retention_ns = CLOUD_RETENTION_NS },
	.checkup = &checkup_cloud_profiler,
	.release = cloud_profiles_free,
	.keep = cloud_profiles_keep,
	.lost = cloud_profiles_lost,
	.answer_jobs = cloud_answers,
	.each = cloud_each,
	.note_extent = cloud_answers_note,
};
