/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/kept_names.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "backend/profile_backend.h"
#include "wire/har_held.h"

/* Someone waits for them with a finger on a key: enough for what was looked at
 * of late, a few milliseconds each. */
#define CACHE_FILES 100u

struct names {
	struct arena *arena;
	struct name_list *list;
	bool is_types; /* else of services */
};

static bool names_reserve(struct names *n, size_t more)
{
	struct str *items =
		arena_array(n->arena, n->list->count + more, sizeof *items);

	if (items && n->list->count)
		memcpy(items, n->list->items, n->list->count * sizeof *items);
	if (items)
		n->list->items = items;
	return items != NULL;
}

/* What cannot be read offers nothing. */
static void take_answer(struct names *n, const struct har_held *held,
			const struct http_response *response)
{
	struct name_list list;

	if (!profiles_kept_names(held->url, held->body, response, n->is_types,
				 n->arena, &list) ||
	    !list.count || !names_reserve(n, list.count))
		return;
	memcpy(n->list->items + n->list->count, list.items,
	       list.count * sizeof *list.items);
	n->list->count += list.count;
}

static void take_file(struct names *n, const char *path)
{
	struct error ignored;
	struct har *har = har_open(path, &ignored);

	for (size_t i = 0; har && i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);
		struct http_response response = { 0 };

		if (held.has_answer && har_held_is_list(held.url) &&
		    har_held_response(har, i, &response, &ignored))
			take_answer(n, &held, &response);
		http_response_release(&response);
	}
	har_free(har);
}

void kept_names_read(const char *folder, bool is_types, struct arena *arena,
		     struct name_list *list)
{
	struct names n = { arena, list, is_types };
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)) && count < CACHE_FILES) {
		char path[PATH_MAX];
		int len = snprintf(path, sizeof path, "%s/%s", folder,
				   entry->d_name);

		if (len < 0 || (size_t)len >= sizeof path ||
		    !str_ends(str_from(path), STR(".har.gz")))
			continue;
		take_file(&n, path);
		count++;
	}
	if (dir)
		closedir(dir);
	name_list_sort(list);
}
