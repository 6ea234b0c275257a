/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/names.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "backend/jobs.h"
#include "backend/profile_backend.h"
#include "backend/source.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/suggest.h"
#include "wire/har.h"

/* ---- nearest names ---- */

/* One more than the largest distance worth a mention. */
#define FAR 1000u

static struct str without_suffixes(struct str name)
{
	if (str_ends(name, STR(".cpu")))
		name.len -= 4;
	return name;
}

/* Folds case and separators. */
static struct str name_fold(struct str name, char room[EDIT_WORD_BYTES])
{
	struct str folded = { room, min_size(name.len, EDIT_WORD_BYTES) };

	for (size_t i = 0; i < folded.len; i++) {
		char c = name.ptr[i];

		room[i] = c == '_' || c == '.' || c == ' ' ? '-'
							   : ascii_lower(c);
	}
	return folded;
}

/* Returns whether a name contains another one between separators or at its
 * ends: "checkout-prod" and "eu.checkout" contain "checkout", "checkouts" does
 * not. */
static bool holds_whole(struct str name, struct str part)
{
	char name_room[EDIT_WORD_BYTES], part_room[EDIT_WORD_BYTES];
	struct str in = name_fold(name, name_room);
	size_t at;

	part = name_fold(part, part_room);
	at = part.len < 3 ? SIZE_MAX : str_find(in, part);
	return at != SIZE_MAX &&
	       (at == 0 || strchr("-/", in.ptr[at - 1]) != NULL) &&
	       (at + part.len == in.len ||
		strchr("-/", in.ptr[at + part.len]) != NULL);
}

/* Senders add and drop prefixes ("prod/checkout", "ebpf/ns/app") and suffixes
 * (old agents: "checkout.cpu"; environments: "checkout-prod"), so these are
 * nearer than typos. */
static size_t name_distance(struct str name, struct str wanted)
{
	struct str own = without_suffixes(name);
	struct str want = without_suffixes(wanted);
	size_t allowed = want.len < 6 ? 1 : want.len / 3;
	char own_room[EDIT_WORD_BYTES], want_room[EDIT_WORD_BYTES];
	size_t edits;

	if (str_equal(name, wanted))
		return 0;
	if (str_equal_nocase(own, want))
		return 1;
	if (str_equal_nocase(path_base(own), path_base(want)))
		return 2;
	edits = edit_distance(name_fold(path_base(own), own_room),
			      name_fold(path_base(want), want_room), 2);
	if (edits > 0 && holds_whole(own, want))
		return 4;
	if (edits <= allowed)
		return edits ? 4 + edits : 3;
	if (want.len >= 3 && str_find(own, want) != SIZE_MAX)
		return 100;
	return FAR;
}

/* Insertion into the best ones; ties keep the order of the list. */
size_t nearest_names(const struct name_list *list, struct str wanted,
		     struct str *out, size_t max)
{
	size_t distances[16] = { 0 };
	size_t count = 0;

	if (max > sizeof distances / sizeof *distances)
		max = sizeof distances / sizeof *distances;
	for (size_t i = 0; i < list->count; i++) {
		size_t distance = name_distance(list->items[i], wanted);
		size_t at = count;

		while (at > 0 && distances[at - 1] > distance)
			at--;
		if (distance >= FAR || at >= max)
			continue;
		if (count < max)
			count++;
		for (size_t k = count - 1; k > at; k--) {
			distances[k] = distances[k - 1];
			out[k] = out[k - 1];
		}
		distances[at] = distance;
		out[at] = list->items[i];
	}
	return count;
}

/* ---- profile types ---- */

#define CANDIDATES 5

/* The words of --type and the names in runtimes, best first: those of Go, then
 * of Java (TLAB, live), Python (alloc_sample, alloc:), Node (space, objects)
 * and eBPF. A candidate is a prefix of the id up to a whole part. */
static const struct type_word {
	const char *word;
	const char *usual; /* default if the service's types are not known */
	const char *candidates[CANDIDATES];
} type_words[] = {
	{ "cpu",
	  "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
	  { "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
	    "process_cpu:cpu:nanoseconds", "process_cpu:samples:count" } },
	{ "wall",
	  "wall:wall:nanoseconds:wall:nanoseconds",
	  { "wall:wall", "wall" } },
	{ "alloc",
	  "memory:alloc_space:bytes:space:bytes",
	  { "memory:alloc_space:bytes", "memory:alloc_sample_bytes",
	    "memory:alloc_in_new_tlab_bytes", "alloc:alloc_size",
	    "process_cpu:alloc_size" } },
	{ "alloc_objects",
	  "memory:alloc_objects:count:space:bytes",
	  { "memory:alloc_objects", "memory:alloc_sample_objects",
	    "memory:alloc_in_new_tlab_objects", "alloc:alloc_samples" } },
	{ "inuse",
	  "memory:inuse_space:bytes:space:bytes",
	  { "memory:inuse_space:bytes", "memory:space:bytes",
	    "heap:inuse_space", "memory:live:count" } },
	{ "inuse_objects",
	  "memory:inuse_objects:count:space:bytes",
	  { "memory:inuse_objects", "memory:objects:count",
	    "heap:inuse_objects", "memory:live:count" } },
	{ "peak",
	  "memory:peak_space:bytes:space:bytes",
	  { "memory:peak_space:bytes" } },
	{ "goroutine",
	  "goroutine:goroutine:count:goroutine:count",
	  { "goroutine:goroutine:count", "goroutines:goroutine:count" } },
	{ "mutex",
	  "mutex:delay:nanoseconds:contentions:count",
	  { "mutex:delay:nanoseconds", "mutex:contentions" } },
	{ "block",
	  "block:delay:nanoseconds:contentions:count",
	  { "block:delay:nanoseconds", "block:contentions" } },
	{ "lock",
	  "lock:lock_time:nanoseconds:cpu:nanoseconds",
	  { "lock:lock_time:nanoseconds", "process_cpu:lock_time",
	    "mutex:delay", "block:delay" } },
	{ "exceptions",
	  "exception:exception:count:cpu:nanoseconds",
	  { "exception:exception:count", "process_cpu:exception:count",
	    "exceptions" } },
	{ "offcpu", "off_cpu:off_cpu:nanoseconds::", { "off_cpu" } },
};

static const struct {
	const char *alias;
	const char *word;
} type_aliases[] = {
	{ "alloc_space", "alloc" }, { "allocs", "alloc" },
	{ "heap", "inuse" },        { "inuse_space", "inuse" },
	{ "memory", "inuse" },      { "goroutines", "goroutine" },
	{ "off_cpu", "offcpu" },    { "exception", "exceptions" },
	{ "heap_alloc", "alloc" },  { "threads", "goroutine" },
	{ "contention", "mutex" },  { "peak_heap", "peak" },
};

/* Returns whether id is prefix, followed by the end or the next part. */
static bool has_parts(struct str id, struct str prefix)
{
	return str_starts(id, prefix) &&
	       (id.len == prefix.len || id.ptr[prefix.len] == ':');
}

static struct str part_of(struct str id, int wanted)
{
	for (int part = 0;; part++) {
		size_t end = str_find(id, STR(":"));

		if (part == wanted || end == SIZE_MAX)
			return part == wanted ? str_slice(id, 0, end) : STR("");
		id = str_slice(id, end + 1, id.len);
	}
}

bool profile_type_is_gauge(struct str id)
{
	static const char *const samples[] = {
		"inuse_space", "inuse_objects", "goroutine",  "live",
		"space",       "objects",       "peak_space",
	};

	return str_is_one_of(part_of(id, 1), samples, COUNT_OF(samples));
}

static bool find_candidate(const struct type_word *word,
			   const struct name_list *present, struct str *found)
{
	for (size_t c = 0; c < CANDIDATES && word->candidates[c]; c++)
		for (size_t i = 0; i < present->count; i++)
			if (has_parts(present->items[i],
				      str_from(word->candidates[c]))) {
				*found = present->items[i];
				return true;
			}
	return false;
}

static bool fail_absent(struct str word, const struct name_list *present,
			struct error *err)
{
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < present->count; i++) {
		struct str id = present->items[i];
		struct str first = part_of(id, 0), second = part_of(id, 1);

		if (list.len + id.len > LIMIT_ERROR_BYTES / 2) {
			buf_add_text(&list, ", ...");
			break;
		}
		buf_addf(&list, "%s%.*s:%.*s", i ? ", " : "", STR_ARGS(first),
			 STR_ARGS(second));
	}
	error_set(err, ERROR_NOT_FOUND, "no \"%.*s\" profiles here, only %s",
		  STR_ARGS(word), buf_text(&list));
	buf_release(&list);
	return false;
}

static bool fail_unknown(struct str word, const struct name_list *present,
			 struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, word);
	for (size_t i = 0; i < COUNT_OF(type_words); i++)
		suggestion_offer(&near, type_words[i].word);
	for (size_t i = 0; i < present->count; i++)
		suggestion_offer_text(&near, part_of(present->items[i], 1));
	return error_set(
		err, ERROR_USAGE,
		"unknown profile type \"%.*s\"%s%s%s (one of cpu, wall, "
		"alloc, alloc_objects, inuse, inuse_objects, peak, goroutine, "
		"mutex, block, lock, exceptions, offcpu, or a full id of five "
		"parts)",
		STR_ARGS(word), near.best[0] ? ", did you mean " : "",
		near.best, near.best[0] ? "?" : "");
}

/* Finds a sample type by its name: "alloc_in_new_tlab_objects". */
static bool find_sample_type(struct str word, const struct name_list *present,
			     struct str *found)
{
	for (size_t i = 0; i < present->count; i++)
		if (str_equal(part_of(present->items[i], 1), word) ||
		    has_parts(present->items[i], word)) {
			*found = present->items[i];
			return true;
		}
	return false;
}

bool profile_type_resolve(struct str word, const struct name_list *present,
			  struct arena *arena, struct str *type_id,
			  bool *is_gauge, struct error *err)
{
	const struct type_word *known = NULL;
	struct str found = word, name = word;
	size_t colons = 0;

	for (size_t i = 0; i < word.len; i++)
		colons += word.ptr[i] == ':';
	for (size_t i = 0; i < COUNT_OF(type_aliases); i++)
		if (str_equal_nocase(name, str_from(type_aliases[i].alias)))
			name = str_from(type_aliases[i].word);
	for (size_t i = 0; i < COUNT_OF(type_words) && !known; i++)
		if (str_equal_nocase(name, str_from(type_words[i].word)))
			known = &type_words[i];
	if (colons != 4 && colons != 5) {
		if (!known && present->count == 0)
			return fail_unknown(word, present, err);
		if (present->count == 0)
			found = str_from(known->usual);
		else if (!(known && find_candidate(known, present, &found)) &&
			 !find_sample_type(word, present, &found))
			return known ? fail_absent(word, present, err)
				     : fail_unknown(word, present, err);
	}
	*is_gauge = profile_type_is_gauge(found);
	*type_id = arena_str(arena, found);
	return type_id->ptr || arena_fail(arena, "the profile type", err);
}

struct str profile_type_word(struct str type_id,
			     const struct name_list *present)
{
	struct str found;

	for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
		if (find_candidate(&type_words[i], present, &found) &&
		    str_equal(found, type_id))
			return str_from(type_words[i].word);
	return STR("");
}

/* Names of services and types from answers that were saved in a folder. */

/* Used by shell completion, where users wait: enough for recent queries, a few
 * milliseconds each. */
#define CACHE_FILES 100u

struct names {
	struct arena *arena;
	struct name_list *list;
	bool is_types; /* else of services */
};

/* Adds the names of an answer; unreadable ones are skipped. */
static void names_take_answer(struct names *n, const struct har_held *held,
			      const struct http_response *response)
{
	struct name_list *all = n->list, list;
	struct str *items;

	if (!profiles_kept_names(held->url, held->body, response, n->is_types,
				 n->arena, &list) ||
	    !list.count)
		return;
	items = arena_array(n->arena, all->count + list.count, sizeof *items);
	if (!items)
		return;
	if (all->count)
		memcpy(items, all->items, all->count * sizeof *items);
	memcpy(items + all->count, list.items, list.count * sizeof *items);
	all->items = items;
	all->count += list.count;
}

static void names_take_file(struct names *n, const char *path)
{
	struct error ignored;
	struct har *har = har_open(path, &ignored);

	for (size_t i = 0; har && i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);
		struct http_response response = { 0 };

		if (held.has_answer && har_held_is_list(held.url) &&
		    har_held_response(har, i, &response, &ignored))
			names_take_answer(n, &held, &response);
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
		names_take_file(&n, path);
		count++;
	}
	if (dir)
		closedir(dir);
	name_list_sort(list);
}
