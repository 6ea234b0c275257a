/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/check.h"

#include <string.h>
#include <sys/stat.h>

#include "base/num.h"

/* Code scanning shows nothing without a file. */
#define ANY_FILE "README.md"

/* "FROM=TO": TO is a path of the user's, and may hold a '='. */
static bool map_split(const char *map, struct str *from, struct str *to)
{
	const char *equals = strchr(map, '=');

	*from = (struct str){ map, (size_t)(equals - map) };
	*to = str_from(equals + 1);
	return from->len > 0;
}

static bool file_by_map(const struct path_maps *m, struct str file,
			struct arena *arena, struct str *out)
{
	struct str from, to;

	for (size_t i = 0; i < m->count; i++) {
		if (!map_split(m->items[i], &from, &to) ||
		    !str_starts(file, from))
			continue;
		file = str_slice(file, from.len, file.len);
		while (!to.len && file.len && file.ptr[0] == '/')
			file = str_slice(file, 1, file.len);
		*out = arena_printf(arena, "%.*s%.*s", STR_ARGS(to),
				    STR_ARGS(file));
		return true;
	}
	return false;
}

/* Names come from strangers: nothing above the working folder is looked at. */
static bool path_is_file(struct str path)
{
	char text[LIMIT_PATH_BYTES];
	struct stat st;

	if (!path.len || path.ptr[0] == '/' || path.len >= LIMIT_PATH_BYTES ||
	    str_starts(path, STR("../")) ||
	    str_find(path, STR("/../")) != SIZE_MAX ||
	    memchr(path.ptr, '\0', path.len))
		return false;
	memcpy(text, path.ptr, path.len);
	text[path.len] = '\0';
	return !stat(text, &st) && S_ISREG(st.st_mode);
}

static bool file_by_end(struct str file, struct str *out)
{
	size_t at = 0;

	while (at < file.len) {
		const char *slash;

		*out = str_slice(file, at, file.len);
		if (path_is_file(*out))
			return true;
		slash = memchr(out->ptr, '/', out->len);
		at = slash ? (size_t)(slash - file.ptr) + 1 : file.len;
	}
	return false;
}

static struct check_place place_of(const struct path_maps *m,
				   const struct function_row *row,
				   struct arena *arena)
{
	struct check_place place = { .line = 1 };
	struct str from, to;

	place.is_known = row && row->file.len &&
			 (file_by_map(m, row->file, arena, &place.path) ||
			  file_by_end(row->file, &place.path));
	if (place.is_known && row->line)
		place.line = row->line;
	if (place.is_known)
		return place;
	place.path = STR(ANY_FILE);
	for (size_t i = m->count; i--;)
		if (!map_split(m->items[i], &from, &to) && to.len)
			place.path = to;
	return place;
}

bool check_places_find(const struct path_maps *m, const struct gates *g,
		       struct arena *arena, const struct check_place **out,
		       struct error *err)
{
	struct check_place *places =
		arena_array(arena, g->hit_count, sizeof *places);

	for (size_t i = 0; places && i < g->hit_count; i++) {
		places[i] = place_of(m, g->hits[i].row, arena);
		if (!places[i].path.ptr)
			places = NULL;
	}
	*out = places;
	return places || arena_fail(arena, "the places of functions", err);
}
