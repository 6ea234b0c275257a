/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Profiler's profiles one by one, as agents sent them.
 */
#include "backend/cloud_profiler/cloud_answers.h"
#include "backend/cloud_profiler/cloud_profiles.h"
#include "backend/cloud_profiler/cloud_types.h"
#include "base/mem.h"

struct giving {
	const struct profile_list *list;
	const struct whole_taker *taker;
	bool *is_wanted;
};

static void describe(const struct profile_list *list, uint32_t index,
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

static bool take(void *context, uint32_t index, struct str bytes, bool *is_good,
		 struct error *err)
{
	struct giving *g = context;
	struct whole_profile w;

	(void)is_good;
	describe(g->list, index, &w);
	w.bytes = bytes;
	g->is_wanted[index] = false;
	return g->taker->take(g->taker->context, &w, NULL, err);
}

/* A snapshot, which begins and ends at once, lies in the window as well. */
static bool is_asked_for(const struct profile_list *list, uint32_t index,
			 const struct whole_query *query)
{
	const struct stored_profile *p = &list->profiles[index];
	const struct stored_series *s = &list->series[p->series];

	return s->type != STORED_UNKNOWN &&
	       stored_profile_is_in(p, query->range) &&
	       (!query->service || str_equal(stored_series_service(list, s),
					     str_from(query->service)));
}

static bool give(struct giving *g, struct backends *b,
		 const struct whole_query *query, struct error *err)
{
	const struct error gone = { .code = ERROR_NOT_FOUND };
	struct whole_profile w;
	bool is_fatal, is_any = false;

	for (uint32_t i = 0; i < g->list->count; i++) {
		if (!is_asked_for(g->list, i, query))
			continue;
		describe(g->list, i, &w);
		g->is_wanted[i] = g->taker->wants(g->taker->context, &w);
		is_any |= g->is_wanted[i];
	}
	if (is_any &&
	    !cloud_profiles_fetch(b, g->is_wanted, take, g, &is_fatal, err))
		return false;
	for (uint32_t i = 0; i < g->list->count; i++) {
		if (!g->is_wanted[i])
			continue;
		describe(g->list, i, &w);
		if (!g->taker->take(g->taker->context, &w, &gone, err))
			return false;
	}
	return true;
}

bool cloud_each(struct backends *b, const struct whole_query *query,
		const struct whole_taker *taker, struct error *err)
{
	bool is_fatal, is_ok;
	struct giving g = { .list = cloud_profiles_list(b, &is_fatal, err),
			    .taker = taker };

	if (!g.list)
		return false;
	g.is_wanted =
		mem_calloc((size_t)g.list->count + 1, sizeof *g.is_wanted);
	is_ok = g.is_wanted ? give(&g, b, query, err)
			    : error_memory(err, "the profiles");
	mem_free(g.is_wanted);
	return is_ok;
}
