/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/places.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/code_kind.h"
#include "analyze/code_memo.h"
#include "base/num.h"

/* A frame of the profile with what its stacks are worth. */
struct place {
	struct str name;
	struct str file;
	uint32_t line;
	int64_t value;
};

/* By name, the hottest line of a name first. */
static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = str_compare(a->name, b->name);

	if (!order)
		order = compare_i64(b->value, a->value);
	if (!order)
		order = str_compare(a->file, b->file);
	return order ? order : compare_u64(a->line, b->line);
}

/* Functions, and so frames, are in the order of names: only places of one name
 * are not in their own. */
static void order_places(struct place *places, size_t count)
{
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count; end++)
			if (!str_equal(places[end].name, places[first].name))
				break;
		if (end - first > 1)
			qsort(places + first, end - first, sizeof *places,
			      compare_places);
	}
}

/* Two ordered lists, the second behind the first, become one; room is for as
 * many as the first has. */
static void merge_places(struct place *places, size_t first, size_t count,
			 struct place *room)
{
	size_t a = 0, b = first, to = 0;

	if (first == 0 || first == count)
		return;
	memcpy(room, places, first * sizeof *room);
	while (a < first && b < count)
		places[to++] = compare_places(&room[a], &places[b]) <= 0
				       ? room[a++]
				       : places[b++];
	memcpy(places + to, room + a, (first - a) * sizeof *room);
}

static void add_values(const struct profile *p, struct place *places)
{
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t f = 0; f < s->frame_count; f++) {
			uint32_t id = p->frame_ids[s->frame_first + f];

			places[id].value =
				sat_add_i64(places[id].value, s->value);
		}
	}
}

static void list_places(const struct profile *p, struct place *places)
{
	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t function = p->frames[i].function;

		places[i] = (struct place){ .name = function_name(p, function),
					    .file = function_file(p, function),
					    .line = p->frames[i].line };
	}
}

/* The first of a name. */
static const struct place *find_place(const struct place *places, size_t count,
				      struct str name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_compare(places[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && str_equal(places[low].name, name) ? &places[low]
								: NULL;
}

static bool take_place(struct result *result, struct function_row *row,
		       const struct place *place, bool with_lines,
		       struct error *err)
{
	if (!place || !place->file.len)
		return true;
	row->file = arena_str(&result->arena, place->file);
	row->line = with_lines ? place->line : 0;
	return row->file.ptr || arena_fail(&result->arena, "the answer", err);
}

/* The hottest place of the row: in its file, when it has one. */
static const struct place *place_of(const struct place *places, size_t count,
				    const struct function_row *row)
{
	const struct place *end = places + count;
	const struct place *place = find_place(places, count, row->name);

	while (place && row->file.len && !str_equal(place->file, row->file)) {
		place++;
		if (place == end || !str_equal(place->name, row->name))
			place = NULL;
	}
	return place;
}

bool rows_add_places(struct result *result, const struct profile *p,
		     bool with_lines, struct error *err)
{
	struct arena scratch;
	struct place *places;
	bool done = true;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	places = arena_array(&scratch, p->frame_count, sizeof *places);
	if (!places) {
		done = arena_fail(&scratch, "places of functions", err);
		goto out;
	}
	list_places(p, places);
	add_values(p, places);
	order_places(places, p->frame_count);
	for (size_t i = 0; done && i < result_listed(result); i++) {
		struct function_row *row = &result->functions[i];

		if (!row->line)
			done = take_place(result, row,
					  place_of(places, p->frame_count, row),
					  with_lines, err);
	}
out:
	arena_release(&scratch);
	return done;
}

/* ---- files of a whole profile ---- */

/* Profiles that are asked for places of functions. */
struct sources {
	const struct profile *const *profiles;
	size_t count;
	struct place *places;
	size_t place_count;
	const struct code_rules *rules;
	/* Of the profiles; asked for by names with several files. */
	unsigned int languages;
	bool has_languages;
};

static bool sources_list(struct sources *s, struct arena *scratch,
			 struct error *err)
{
	struct place *room;
	size_t count = 0, last = 0;

	for (size_t i = 0; i < s->count; i++)
		count += last = s->profiles[i]->frame_count;
	s->places = arena_array(scratch, count, sizeof *s->places);
	/* For those that another profile's are merged with. */
	room = arena_array(scratch, count - last, sizeof *room);
	if (!s->places || !room)
		return arena_fail(scratch, "places of functions", err);
	for (size_t i = 0; i < s->count; i++) {
		const struct profile *p = s->profiles[i];
		struct place *added = s->places + s->place_count;

		list_places(p, added);
		add_values(p, added);
		order_places(added, p->frame_count);
		merge_places(s->places, s->place_count,
			     s->place_count + p->frame_count, room);
		s->place_count += p->frame_count;
	}
	return true;
}

static unsigned int languages_of(struct sources *s)
{
	struct language_votes votes = { { 0 } };

	if (s->has_languages)
		return s->languages;
	for (size_t i = 0; i < s->count; i++) {
		const struct profile *p = s->profiles[i];

		for (uint32_t f = 0; f < p->function_count; f++)
			code_memo_vote(s->rules, function_name(p, f),
				       function_file(p, f), &votes);
	}
	s->languages = language_votes_result(&votes);
	s->has_languages = true;
	return s->languages;
}

static bool is_application(struct sources *s, const struct place *place)
{
	return code_classify(s->rules, place->name, place->file,
			     languages_of(s))
		       .kind == CODE_APPLICATION;
}

/* Adds up what lies in files: of the application [1] and of others [0], with
 * the hottest place of each. */
static void vote(struct sources *s, const struct place *first, int64_t sums[2],
		 const struct place *best[2])
{
	const struct place *end = s->places + s->place_count;

	for (const struct place *p = first;
	     p < end && str_equal(p->name, first->name); p++) {
		bool is_own;

		if (!p->file.len)
			continue;
		is_own = is_application(s, p);
		sums[is_own] = sat_add_i64(sums[is_own], p->value);
		if (!best[is_own])
			best[is_own] = p;
	}
}

/* Whether all places of the name that lie in a file lie in the same one; then
 * it does not matter whose it is. */
static bool has_one_file(const struct sources *s, const struct place *first,
			 struct str *file)
{
	const struct place *end = s->places + s->place_count;

	*file = STR("");
	for (const struct place *p = first;
	     p < end && str_equal(p->name, first->name); p++) {
		if (file->len && p->file.len && !str_equal(p->file, *file))
			return false;
		if (p->file.len)
			*file = p->file;
	}
	return file->len > 0;
}

static struct str file_of(struct sources *s, struct str name)
{
	const struct place *first = find_place(s->places, s->place_count, name);
	const struct place *best[2] = { NULL, NULL };
	int64_t sums[2] = { 0, 0 };
	struct str none = { NULL, 0 }, file;

	if (!first)
		return none;
	if (has_one_file(s, first, &file))
		return file;
	vote(s, first, sums, best);
	if (!best[0] || !best[1])
		return best[0] ? best[0]->file : best[1] ? best[1]->file : none;
	if (sums[0] == sums[1])
		return none;
	return best[sums[1] > sums[0]]->file;
}

static bool has_files(const struct profile *p)
{
	for (uint32_t f = 0; f < p->function_count; f++)
		if (p->functions[f].file)
			return true;
	return false;
}

static bool has_lines(const struct profile *p)
{
	return p->has_lines;
}

static bool all_have(struct profile *const *profiles, size_t count,
		     bool (*has)(const struct profile *p))
{
	while (count && has(profiles[count - 1]))
		count--;
	return count == 0;
}

static bool take_files(struct sources *s, struct profile *p, struct error *err)
{
	for (uint32_t f = 0; f < p->function_count; f++) {
		struct str file = file_of(s, function_name(p, f));

		if (file.len &&
		    !symtab_add(&p->symtab, file, &p->functions[f].file, err))
			return false;
	}
	return true;
}

bool profiles_take_files(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 const struct code_rules *rules, struct error *err)
{
	struct sources s = { .profiles = from, .count = n, .rules = rules };
	struct arena scratch;
	bool done;

	if (all_have(profiles, count, has_files))
		return true;
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	done = sources_list(&s, &scratch, err);
	for (size_t i = 0; done && i < count; i++)
		if (!has_files(profiles[i]))
			done = take_files(&s, profiles[i], err);
	arena_release(&scratch);
	return done;
}

/* ---- lines of a whole profile ---- */

/* The line of a function, when the samples know one only; else 0. */
static uint32_t line_of(const struct sources *s, struct str name,
			struct str file)
{
	const struct place *end = s->places + s->place_count;
	const struct place *p = find_place(s->places, s->place_count, name);
	uint32_t line = 0;

	for (; p && p < end && str_equal(p->name, name); p++) {
		if (file.len && !str_equal(p->file, file))
			continue;
		if (!p->line || (line && p->line != line))
			return 0;
		line = p->line;
	}
	return line;
}

static void take_lines(const struct sources *s, struct profile *p)
{
	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t function = p->frames[i].function;

		p->frames[i].line = line_of(s, function_name(p, function),
					    function_file(p, function));
	}
}

bool profiles_take_lines(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 struct error *err)
{
	struct sources s = { .profiles = from, .count = n };
	struct arena scratch;
	bool done;

	if (all_have(profiles, count, has_lines))
		return true;
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	done = sources_list(&s, &scratch, err);
	for (size_t i = 0; done && i < count; i++)
		if (!has_lines(profiles[i]))
			take_lines(&s, profiles[i]);
	arena_release(&scratch);
	return done;
}
