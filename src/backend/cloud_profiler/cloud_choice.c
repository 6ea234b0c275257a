/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_choice.h"

#include "backend/cloud_profiler/cloud_types.h"
#include "backend/selector.h"
#include "base/mem.h"

struct str cloud_series_value(const struct profile_list *list,
			      const struct stored_series *series,
			      struct str label)
{
	if (str_equal(label, STR("service_name")) ||
	    str_equal(label, STR("target")))
		return stored_series_service(list, series);
	return stored_series_label(list, series, label);
}

struct series_view {
	const struct profile_list *list;
	const struct stored_series *series;
};

static struct str view_value(void *context, struct str label)
{
	const struct series_view *v = context;

	return cloud_series_value(v->list, v->series, label);
}

static bool choice_fill(struct cloud_choice *c, const struct selector *selector,
			struct error *err)
{
	for (uint32_t i = 0; i < c->list->series_count; i++) {
		struct series_view view = { c->list, &c->list->series[i] };

		if (!selector_matches(selector, view_value, &view,
				      &c->series[i], err))
			return false;
	}
	return true;
}

static bool choice_init(struct cloud_choice *c, const struct profile_list *list,
			const char *text, struct error *err)
{
	struct selector *selector = selector_parse(str_from(text), err);
	bool is_ok = false;

	*c = (struct cloud_choice){ .list = list };
	if (!selector)
		return false;
	c->series =
		mem_calloc((size_t)list->series_count + 1, sizeof *c->series);
	is_ok = c->series ? choice_fill(c, selector, err)
			  : error_memory(err, "the selector");
	selector_free(selector);
	return is_ok;
}

/* Leaves of the chosen series those with a profile in the range. */
static bool choice_narrow(struct cloud_choice *c, struct time_range range,
			  struct error *err)
{
	bool *is_seen =
		mem_calloc((size_t)c->list->series_count + 1, sizeof *is_seen);

	if (!is_seen)
		return error_memory(err, "the selector");
	for (uint32_t i = 0; i < c->list->count; i++)
		if (stored_profile_is_in(&c->list->profiles[i], range))
			is_seen[c->list->profiles[i].series] = true;
	for (uint32_t i = 0; i < c->list->series_count; i++)
		c->series[i] &= is_seen[i];
	mem_free(is_seen);
	return true;
}

bool cloud_choose_series(struct cloud_choice *c,
			 const struct profile_list *list, const char *selector,
			 struct time_range range, struct error *err)
{
	return choice_init(c, list, selector, err) &&
	       choice_narrow(c, range, err);
}

void cloud_choice_release(struct cloud_choice *c)
{
	mem_free(c->series);
}

/* Parts of a window share what lies across their border: it is of the part in
 * which it began. */
static bool is_in_query(const struct stored_profile *p,
			const struct profile_query *query)
{
	return stored_profile_is_in(p, query->range) &&
	       (!query->is_continued || p->start_ns >= query->range.from_ns);
}

bool cloud_choose_profiles(const struct profile_list *list,
			   const struct profile_query *query, bool *marks,
			   uint32_t *count, struct error *err)
{
	const struct cloud_type *type =
		cloud_type_find(str_from(query->type_id));
	struct cloud_choice c;
	bool is_ok = choice_init(&c, list, query->selector, err);

	*count = 0;
	for (uint32_t i = 0; is_ok && type && i < list->count; i++) {
		const struct stored_profile *p = &list->profiles[i];

		if (!c.series[p->series] ||
		    list->series[p->series].type != type->type ||
		    !is_in_query(p, query))
			continue;
		if (marks)
			marks[i] = true;
		(*count)++;
	}
	cloud_choice_release(&c);
	return is_ok;
}
