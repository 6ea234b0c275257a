/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/profile_analysis.h"

#include "analyze/code_kind.h"
#include "base/num.h"

/* A profile that is asked where functions lie: its functions, and so its
 * frames, are in the order of names. */
struct source {
	const struct profile *profile;
	uint32_t at;   /* the first function of the name that is asked for */
	int64_t *sums; /* by frame: of its stacks; NULL until it is needed */
};

/* The first function from `from` on that is of this name or behind it. Names
 * are asked for in their order, so that most are near. */
static uint32_t find_function(const struct profile *p, uint32_t from,
			      struct str name)
{
	uint32_t low = from, high = from, step = 1;

	while (high < p->function_count &&
	       str_compare(function_name(p, high), name) < 0) {
		low = high + 1;
		high += step;
		step *= 2;
	}
	if (high > p->function_count)
		high = p->function_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (str_compare(function_name(p, middle), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_named(const struct profile *p, uint32_t function,
		     struct str name)
{
	return function < p->function_count &&
	       str_equal(function_name(p, function), name);
}

static uint32_t first_frame(const struct profile *p, uint32_t function)
{
	uint32_t low = 0, high = p->frame_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->frames[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool source_add_up(struct source *x, struct arena *scratch,
			  struct error *err)
{
	const struct profile *p = x->profile;

	if (x->sums)
		return true;
	x->sums = arena_array(scratch, p->frame_count, sizeof *x->sums);
	if (!x->sums)
		return arena_fail(scratch, "places of functions", err);
	if (p->packed)
		profile_frame_sums(p, x->sums);
	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		const uint32_t *ids = &p->frame_ids[s->frame_first];

		for (uint32_t f = 0; f < s->frame_count; f++)
			x->sums[ids[f]] =
				sat_add_i64(x->sums[ids[f]], s->value);
	}
	return true;
}

/* A frame with what its stacks are worth. */
struct place {
	struct str file;
	uint32_t line;
	int64_t value;
};

/* The sum of some functions, and the hottest of their places. */
struct tally {
	bool has_place;
	struct place hottest;
	int64_t sum;
};

static void tally_add(struct tally *t, const struct source *x,
		      uint32_t function)
{
	const struct profile *p = x->profile;

	for (uint32_t i = first_frame(p, function);
	     i < p->frame_count && p->frames[i].function == function; i++) {
		struct place place = { function_file(p, function),
				       p->frames[i].line, x->sums[i] };

		const struct place *hottest = &t->hottest;
		int order = compare_i64(place.value, hottest->value);

		t->sum = sat_add_i64(t->sum, place.value);
		if (!order)
			order = str_compare(hottest->file, place.file);
		if (!order)
			order = compare_u64(hottest->line, place.line);
		if (!t->has_place || order > 0)
			t->hottest = place;
		t->has_place = true;
	}
}

/* ---- places of rows ---- */

bool rows_add_locations(struct result *result, const struct profile *p,
			bool with_lines, struct error *err)
{
	struct source x = { .profile = p };
	struct arena scratch;
	bool done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	done = source_add_up(&x, &scratch, err);
	for (size_t i = 0; done && i < result_listed(result); i++) {
		struct function_row *row = &result->functions[i];
		struct tally t = { .has_place = false };

		if (row->line)
			continue;
		/* In the row's file, when it has one. */
		for (uint32_t f = find_function(p, 0, row->name);
		     is_named(p, f, row->name); f++)
			if (!row->file.len ||
			    str_equal(function_file(p, f), row->file))
				tally_add(&t, &x, f);
		if (!t.hottest.file.len)
			continue;
		row->file = arena_str(&result->arena, t.hottest.file);
		row->line = with_lines ? t.hottest.line : 0;
		done = row->file.ptr ||
		       arena_fail(&result->arena, "the answer", err);
	}
	arena_release(&scratch);
	return done;
}

/* ---- files of a whole profile ---- */

struct sources {
	struct source *items;
	size_t count;
	struct arena scratch;
	const struct code_rules *rules;
	/* Languages of the profiles; computed on demand, for names with several
	 * files. */
	unsigned int languages;
	bool has_languages;
};

static bool sources_init(struct sources *s,
			 const struct profile *const *profiles, size_t count,
			 const struct code_rules *rules, struct error *err)
{
	*s = (struct sources){ .count = count, .rules = rules };
	arena_init(&s->scratch, LIMIT_ANALYZE_HEAP_BYTES);
	s->items = arena_array(&s->scratch, count, sizeof *s->items);
	if (!s->items)
		return arena_fail(&s->scratch, "places of functions", err);
	for (size_t i = 0; i < count; i++)
		s->items[i].profile = profiles[i];
	return true;
}

static void sources_rewind(struct sources *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->items[i].at = 0;
}

/* Names are to be asked for in their order, from sources_rewind() on. */
static void sources_seek(struct sources *s, struct str name)
{
	for (size_t i = 0; i < s->count; i++) {
		struct source *x = &s->items[i];

		x->at = find_function(x->profile, x->at, name);
	}
}

static unsigned int languages_of(struct sources *s)
{
	struct language_votes votes = { { 0 } };

	if (s->has_languages)
		return s->languages;
	for (size_t i = 0; i < s->count; i++) {
		const struct profile *p = s->items[i].profile;

		for (uint32_t f = 0; f < p->function_count; f++)
			language_votes_add_function(&votes, function_name(p, f),
						    function_file(p, f));
	}
	s->languages = language_votes_result(&votes);
	s->has_languages = true;
	return s->languages;
}

/* Returns whether all functions of the name lie in the same file, as far as it
 * is known; then it does not matter whose it is. "" when none of them has one.
 */
static bool has_one_file(const struct sources *s, struct str name,
			 struct str *file)
{
	*file = STR("");
	for (size_t i = 0; i < s->count; i++) {
		const struct profile *p = s->items[i].profile;

		for (uint32_t f = s->items[i].at; is_named(p, f, name); f++) {
			struct str own = function_file(p, f);

			if (file->len && own.len && !str_equal(own, *file))
				return false;
			if (own.len)
				*file = own;
		}
	}
	return true;
}

static bool file_of(struct sources *s, struct str name, struct str *file,
		    struct error *err)
{
	/* Functions with files: application code [1] and others [0]. */
	struct tally tallies[2] = { { .has_place = false } };

	sources_seek(s, name);
	if (has_one_file(s, name, file))
		return true;
	for (size_t i = 0; i < s->count; i++)
		if (!source_add_up(&s->items[i], &s->scratch, err))
			return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct source *x = &s->items[i];
		const struct profile *p = x->profile;

		for (uint32_t f = x->at; is_named(p, f, name); f++) {
			struct str own = function_file(p, f);
			enum code_kind kind;

			if (!own.len)
				continue;
			kind = code_classify(s->rules, name, own,
					     languages_of(s))
				       .kind;
			tally_add(&tallies[kind == CODE_APPLICATION], x, f);
		}
	}
	*file = STR("");
	if (!tallies[0].has_place || !tallies[1].has_place)
		*file = tallies[tallies[1].has_place].hottest.file;
	else if (tallies[0].sum != tallies[1].sum)
		*file = tallies[tallies[1].sum > tallies[0].sum].hottest.file;
	return true;
}

bool profiles_take_files(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 const struct code_rules *rules, struct error *err)
{
	struct sources s;
	bool done = sources_init(&s, from, n, rules, err);

	for (size_t i = 0; done && i < count; i++) {
		struct profile *p = profiles[i];
		bool has_files = false;

		for (uint32_t f = 0; !has_files && f < p->function_count; f++)
			has_files = p->functions[f].file != 0;
		if (has_files)
			continue;
		sources_rewind(&s);
		for (uint32_t f = 0; done && f < p->function_count; f++) {
			struct str file;

			done = file_of(&s, function_name(p, f), &file, err) &&
			       (!file.len ||
				symtab_add(&p->symtab, file,
					   &p->functions[f].file, err));
		}
	}
	arena_release(&s.scratch);
	return done;
}

/* ---- lines of a whole profile ---- */

/* The line of a function, when the samples know one only; else 0. */
static uint32_t line_of(struct sources *s, struct str name, struct str file)
{
	uint32_t line = 0;

	sources_seek(s, name);
	for (size_t i = 0; i < s->count; i++) {
		const struct profile *p = s->items[i].profile;
		const struct frame *end = p->frames + p->frame_count;

		for (uint32_t f = s->items[i].at; is_named(p, f, name); f++) {
			const struct frame *frame =
				p->frames + first_frame(p, f);

			if (file.len && !str_equal(function_file(p, f), file))
				continue;
			for (; frame < end && frame->function == f; frame++) {
				if (!frame->line ||
				    (line && frame->line != line))
					return 0;
				line = frame->line;
			}
		}
	}
	return line;
}

bool profiles_take_lines(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 struct error *err)
{
	struct sources s;
	bool done = sources_init(&s, from, n, NULL, err);

	for (size_t i = 0; done && i < count; i++) {
		const struct profile *p = profiles[i];

		if (p->has_lines)
			continue;
		sources_rewind(&s);
		for (uint32_t k = 0; k < p->frame_count; k++) {
			uint32_t f = p->frames[k].function;

			p->frames[k].line = line_of(&s, function_name(p, f),
						    function_file(p, f));
		}
	}
	arena_release(&s.scratch);
	return done;
}
