/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_list.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"

#define WHAT "the list of profiles"

bool profile_list_init(struct profile_list *list, struct error *err)
{
	*list = (struct profile_list){ .count = 0 };
	arena_init(&list->arena, LIMIT_PROFILE_LIST_BYTES);
	map_init(&list->by_name, &list->arena);
	map_init(&list->by_series, &list->arena);
	return symtab_init(&list->symtab, &list->arena, err);
}

void profile_list_release(struct profile_list *list)
{
	arena_release(&list->arena);
	*list = (struct profile_list){ .count = 0 };
}

/* ---- series ---- */

/* The key of a series, without padding. */
struct series_key {
	uint32_t service;
	uint32_t type;
	struct stored_label labels[LIMIT_STORED_LABELS];
};

static int compare_labels(const void *a, const void *b)
{
	const struct stored_label *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static bool key_add(struct profile_list *list, struct series_key *key,
		    uint32_t *count, struct str name, struct str value,
		    struct error *err)
{
	struct stored_label label;
	uint32_t i = 0;

	if (!symtab_add(&list->symtab, name, &label.key, err) ||
	    !symtab_add(&list->symtab, value, &label.value, err))
		return false;
	while (i < *count && key->labels[i].key != label.key)
		i++;
	key->labels[i] = label;
	if (i == *count)
		(*count)++;
	return true;
}

static bool key_fill(struct profile_list *list,
		     const struct stored_entry *entry, struct series_key *key,
		     uint32_t *count, struct error *err)
{
	*count = 0;
	key->type = (uint32_t)entry->type;
	if (!symtab_add(&list->symtab, entry->service, &key->service, err))
		return false;
	for (uint32_t i = 0; i < entry->label_count; i++)
		if (!key_add(list, key, count, entry->labels[i].key,
			     entry->labels[i].value, err))
			return false;
	if (*count)
		qsort(key->labels, *count, sizeof *key->labels, compare_labels);
	return true;
}

static bool series_new(struct profile_list *list, const struct series_key *key,
		       uint32_t count, struct error *err)
{
	void *series = list->series, *labels = list->labels;

	if (!arena_reserve(&list->arena, &series, &list->series_cap,
			   (size_t)list->series_count + 1,
			   sizeof *list->series))
		return arena_fail(&list->arena, WHAT, err);
	list->series = series;
	if (!arena_reserve(&list->arena, &labels, &list->label_cap,
			   (size_t)list->label_count + count + 1,
			   sizeof *list->labels))
		return arena_fail(&list->arena, WHAT, err);
	list->labels = labels;
	list->series[list->series_count++] =
		(struct stored_series){ .service = key->service,
					.label_first = list->label_count,
					.label_count = count,
					.type = (enum stored_type)key->type };
	for (uint32_t i = 0; i < count; i++)
		list->labels[list->label_count++] = key->labels[i];
	return true;
}

static bool series_of(struct profile_list *list,
		      const struct stored_entry *entry, uint32_t *series,
		      struct error *err)
{
	struct series_key key;
	struct str bytes = { (const char *)&key, 0 };
	uint32_t count;

	if (!key_fill(list, entry, &key, &count, err))
		return false;
	bytes.len = offsetof(struct series_key, labels) +
		    count * sizeof *key.labels;
	*series = map_find(&list->by_series, bytes);
	if (*series != MAP_NONE)
		return true;
	/* Map keys are borrowed. */
	bytes = arena_str(&list->arena, bytes);
	if (!bytes.ptr)
		return arena_fail(&list->arena, WHAT, err);
	if (!series_new(list, &key, count, err))
		return false;
	return map_insert(&list->by_series, bytes, list->series_count - 1,
			  series) ||
	       arena_fail(&list->arena, WHAT, err);
}

/* ---- profiles ---- */

bool profile_list_add(struct profile_list *list,
		      const struct stored_entry *entry, struct error *err)
{
	int64_t duration_ns = entry->duration_ns > 0 ? entry->duration_ns : 0;
	struct stored_profile row = { .start_ns = entry->start_ns,
				      .page = entry->page };
	void *profiles = list->profiles;
	uint32_t index;

	if (profile_list_find(list, entry->name) != MAP_NONE)
		return true;
	row.end_ns = sat_add_i64(entry->start_ns, duration_ns);
	if (list->count >= LIMIT_STORED_PROFILES)
		return error_set(err, ERROR_LIMIT,
				 "more than %u profiles are listed",
				 LIMIT_STORED_PROFILES);
	if (!arena_reserve(&list->arena, &profiles, &list->cap,
			   (size_t)list->count + 1, sizeof *list->profiles))
		return arena_fail(&list->arena, WHAT, err);
	list->profiles = profiles;
	if (!series_of(list, entry, &row.series, err))
		return false;
	row.name = arena_str(&list->arena, entry->name);
	if (!row.name.ptr ||
	    !map_insert(&list->by_name, row.name, list->count, &index))
		return arena_fail(&list->arena, WHAT, err);
	list->profiles[list->count++] = row;
	return true;
}

uint32_t profile_list_find(const struct profile_list *list, struct str name)
{
	return map_find(&list->by_name, name);
}

struct str stored_series_label(const struct profile_list *list,
			       const struct stored_series *series,
			       struct str key)
{
	uint32_t symbol = symtab_find(&list->symtab, key);

	for (uint32_t i = 0; i < series->label_count; i++) {
		const struct stored_label *label =
			&list->labels[series->label_first + i];

		if (label->key == symbol)
			return symtab_text(&list->symtab, label->value);
	}
	return STR("");
}

struct str stored_series_service(const struct profile_list *list,
				 const struct stored_series *series)
{
	return symtab_text(&list->symtab, series->service);
}

bool stored_profile_is_in(const struct stored_profile *profile,
			  struct time_range range)
{
	/* A snapshot has no duration but a position. */
	return profile->start_ns < range.to_ns &&
	       (profile->end_ns > range.from_ns ||
		profile->start_ns >= range.from_ns);
}
