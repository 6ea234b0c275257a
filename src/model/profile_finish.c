/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/num.h"
#include "base/radix.h"
#include "demangle/demangle.h"
#include "model/profile_build.h"
#include "model/sequence.h"

#define UNUSED UINT32_MAX

/* Room to order `count` sequences. */
struct ordering {
	struct sequence *sequences;
	struct sequence *scratch;
};

static bool ordering_init(struct ordering *o, struct arena *arena, size_t count)
{
	o->sequences = arena_array(arena, count, sizeof *o->sequences);
	o->scratch = arena_array(arena, count, sizeof *o->scratch);
	return o->sequences && o->scratch;
}

static void ordering_drop(struct ordering *o, struct arena *arena, size_t count)
{
	arena_drop(arena, o->sequences, count * sizeof *o->sequences);
	arena_drop(arena, o->scratch, count * sizeof *o->scratch);
}

/* Three bytes a word, each one more than it is: so the end of the text, 0, is
 * before every byte. */
static uint32_t *pack_text(struct str text, uint32_t *words)
{
	for (size_t i = 0; i < text.len; i += 3) {
		uint32_t word = 0;

		for (size_t k = i; k < i + 3; k++) {
			unsigned byte =
				k < text.len ? (unsigned char)text.ptr[k] + 1u
					     : 0;
			word = word << 9 | byte;
		}
		*words++ = word;
	}
	return words;
}

/* rank[symbol]: its place among all texts in byte order. */
static uint32_t *rank_texts(struct profile_build *b)
{
	const struct text_table *t = &b->out->symtab.table;
	struct ordering o;
	uint32_t *rank = arena_array(&b->scratch, t->count, sizeof *rank);
	uint32_t *words, *end;
	size_t word_count = 0;

	for (size_t i = 0; i < t->count; i++)
		word_count += t->texts[i].len / 3 + 1;
	words = arena_array(&b->scratch, word_count, sizeof *words);
	if (!rank || !words || !ordering_init(&o, &b->scratch, t->count))
		return NULL;
	end = words;
	for (size_t i = 0; i < t->count; i++) {
		uint32_t *first = end;

		end = pack_text(t->texts[i], first);
		o.sequences[i] = (struct sequence){
			.items = first,
			.count = (uint32_t)(end - first),
			.index = (uint32_t)i,
		};
	}
	sequence_sort(o.sequences, t->count, NULL, o.scratch);
	for (size_t i = 0; i < t->count; i++)
		rank[o.sequences[i].index] = (uint32_t)i;
	ordering_drop(&o, &b->scratch, t->count);
	arena_drop(&b->scratch, words, word_count * sizeof *words);
	return rank;
}

/* The two words from `at` on as one number; behind the last there are 0. */
static uint64_t word_pair(const uint32_t *words, uint32_t width, uint32_t at)
{
	return (uint64_t)words[at] << 32 | (at + 1 < width ? words[at + 1] : 0);
}

/* By all words, the last ones first: equal ones stay as they are. Returns
 * which of both lists holds them then. */
static struct radix_item *sort_words(struct radix_item *items,
				     struct radix_item *room, uint32_t count,
				     const uint32_t *words, uint32_t width)
{
	for (uint32_t at = (width - 1) / 2 * 2 + 2; at > 0; at -= 2) {
		struct radix_item *sorted;

		for (uint32_t i = 0; i < count; i++)
			items[i].key = word_pair(
				&words[width * (size_t)items[i].index], width,
				at - 2);
		sorted = radix_sort(items, room, count);
		if (sorted == room)
			room = items;
		items = sorted;
	}
	return items;
}

/* Orders `count` sequences of `width` words, leaving out those of which
 * is_used is not set; place[old] becomes the new index. NULL: no memory. */
static uint32_t *place_words(struct arena *arena, const uint32_t *words,
			     uint32_t width, const bool *is_used,
			     uint32_t count, uint32_t *used_count)
{
	uint32_t *place = arena_array(arena, count, sizeof *place);
	struct radix_item *items = arena_array(arena, count, sizeof *items);
	struct radix_item *room = arena_array(arena, count, sizeof *room);
	const struct radix_item *sorted;
	uint32_t used = 0;

	if (!place || !items || !room)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		place[i] = UNUSED;
		if (is_used[i])
			items[used++].index = i;
	}
	sorted = sort_words(items, room, used, words, width);
	for (uint32_t i = 0; i < used; i++)
		place[sorted[i].index] = i;
	arena_drop(arena, items, count * sizeof *items);
	arena_drop(arena, room, count * sizeof *room);
	*used_count = used;
	return place;
}

/* What finishing works with. */
struct finish {
	struct profile_build *b;
	bool *is_function_used;
	bool *is_frame_used;
	uint32_t *text_rank;
	uint32_t *function_place;
	uint32_t *frame_place;
	uint32_t *name_rank;       /* by new frame index */
	struct whole_frame *whole; /* where frames have details */
};

/* Stacks that cancelled out to zero leave. */
static void mark_frames(struct finish *f)
{
	struct profile_build *b = f->b;
	const uint32_t *ids = b->out->frame_ids;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->stack_count; i++) {
		struct stack s = b->stacks[i];

		if (s.value == 0)
			continue;
		b->stacks[kept++] = s;
		for (uint32_t k = 0; k < s.frame_count; k++)
			f->is_frame_used[ids[s.frame_first + k]] = true;
	}
	b->stack_count = kept;
}

/* What only stacks of nothing used leaves as well. */
static bool mark_used(struct finish *f)
{
	struct profile_build *b = f->b;

	f->is_function_used = arena_array(&b->scratch, b->function_count, 1);
	f->is_frame_used = arena_array(&b->scratch, b->frame_count, 1);
	if (!f->is_function_used || !f->is_frame_used)
		return false;
	/* Decoders that pack build no frames but of places that stacks are on.
	 */
	if (b->out->packed)
		memset(f->is_frame_used, true, b->frame_count);
	else if (!b->has_tree)
		mark_frames(f);
	else if (!profile_tree_mark(b, f->is_frame_used))
		return false;
	for (uint32_t i = 0; i < b->frame_count; i++)
		if (f->is_frame_used[i])
			f->is_function_used[b->frames[i].function] = true;
	return true;
}

enum { FUNCTION_WORDS = 4 };

static void function_words(const struct function *f, const uint32_t *rank,
			   uint32_t words[FUNCTION_WORDS])
{
	words[0] = rank[f->name];
	words[1] = rank[f->file];
	words[2] = rank[f->mapping];
	words[3] = f->is_nameless;
}

/* By name, then file, then what else tells them apart. */
static bool place_functions(struct finish *f)
{
	struct profile_build *b = f->b;
	struct profile *p = b->out;
	uint32_t *words = arena_array(&b->scratch, b->function_count,
				      FUNCTION_WORDS * sizeof *words);

	f->text_rank = rank_texts(b);
	if (!words || !f->text_rank)
		return false;
	for (uint32_t i = 0; i < b->function_count; i++)
		function_words(&b->functions[i], f->text_rank,
			       &words[FUNCTION_WORDS * (size_t)i]);
	f->function_place = place_words(&b->scratch, words, FUNCTION_WORDS,
					f->is_function_used, b->function_count,
					&p->function_count);
	if (!f->function_place)
		return false;
	p->functions =
		arena_array(&p->arena, p->function_count, sizeof *p->functions);
	if (!p->functions)
		return false;
	for (uint32_t i = 0; i < b->function_count; i++)
		if (f->is_function_used[i])
			p->functions[f->function_place[i]] = b->functions[i];
	return true;
}

#define WORDS(item) ((uint32_t)(sizeof(item) / sizeof(uint32_t)))

/* Puts frames and details together, in their stead. */
static bool make_whole(struct finish *f)
{
	struct profile_build *b = f->b;

	f->whole = arena_array(&b->scratch, b->frame_count, sizeof *f->whole);
	if (!f->whole)
		return false;
	for (uint32_t i = 0; i < b->frame_count; i++)
		f->whole[i] =
			(struct whole_frame){ b->frames[i], b->details[i] };
	arena_drop(&b->scratch, b->frames, b->frame_cap * sizeof *b->frames);
	arena_drop(&b->scratch, b->details, b->detail_cap * sizeof *b->details);
	b->frames = NULL;
	b->details = NULL;
	b->frame_cap = b->detail_cap = 0;
	return true;
}

/* By function, then line: both are that sequence already. Names that differ
 * only in file or line share a rank. */
static bool order_frames(struct finish *f)
{
	struct profile_build *b = f->b;
	const uint32_t *words =
		f->whole ? (const void *)f->whole : (const void *)b->frames;
	uint32_t width = f->whole ? WORDS(*f->whole) : WORDS(*b->frames);

	f->frame_place =
		place_words(&b->scratch, words, width, f->is_frame_used,
			    b->frame_count, &b->out->frame_count);
	return f->frame_place;
}

static bool place_frames(struct finish *f)
{
	struct profile_build *b = f->b;
	struct profile *p = b->out;

	for (uint32_t i = 0; i < b->frame_count; i++)
		b->frames[i].function =
			f->function_place[b->frames[i].function];
	if ((b->details && !make_whole(f)) || !order_frames(f))
		return false;
	p->frames = arena_array(&p->arena, p->frame_count, sizeof *p->frames);
	if (f->whole)
		p->details = arena_array(&p->arena, p->frame_count,
					 sizeof *p->details);
	f->name_rank =
		arena_array(&b->scratch, p->frame_count, sizeof *f->name_rank);
	if (!p->frames || (f->whole && !p->details) || !f->name_rank)
		return false;
	for (uint32_t i = 0; i < b->frame_count; i++) {
		struct frame frame =
			f->whole ? f->whole[i].frame : b->frames[i];
		uint32_t place = f->frame_place[i];

		if (place == UNUSED)
			continue;
		p->frames[place] = frame;
		if (f->whole)
			p->details[place] = f->whole[i].detail;
		p->has_lines = p->has_lines || frame.line;
		f->name_rank[place] =
			f->text_rank[p->functions[frame.function].name];
	}
	return true;
}

/* In the final order, so that a capped sum does not depend on the input's. */
static void total_stacks(struct profile_build *b)
{
	struct profile *p = b->out;
	int64_t exact;

	p->total = 0;
	p->whole_total = b->magnitude;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		if (!add_i64(p->total, p->stacks[i].value, &exact))
			b->is_saturated = true;
		p->total = sat_add_i64(p->total, p->stacks[i].value);
	}
}

/* Frame ids are renumbered in place before they are compared. */
static bool place_stacks(struct finish *f)
{
	struct profile_build *b = f->b;
	struct profile *p = b->out;
	struct ordering o;

	if (b->has_tree)
		return profile_tree_place(b, f->frame_place);
	p->stacks = arena_array(&p->arena, b->stack_count, sizeof *p->stacks);
	if (!p->stacks || !ordering_init(&o, &b->scratch, b->stack_count))
		return false;
	for (uint32_t i = 0; i < b->stack_count; i++) {
		struct stack s = b->stacks[i];
		uint32_t *ids = &p->frame_ids[s.frame_first];

		for (uint32_t k = 0; k < s.frame_count; k++)
			ids[k] = f->frame_place[ids[k]];
		o.sequences[i] = (struct sequence){
			.items = ids,
			.count = s.frame_count,
			.index = i,
		};
	}
	sequence_sort(o.sequences, b->stack_count, f->name_rank, o.scratch);
	for (uint32_t i = 0; i < b->stack_count; i++)
		p->stacks[i] = b->stacks[o.sequences[i].index];
	p->stack_count = b->stack_count;
	return true;
}

static void tell(const struct profile_build *b, struct notes *notes)
{
	if (b->trimmed_stacks)
		notes_add(notes,
			  "%zu stacks deeper than %u frames lost their middle",
			  b->trimmed_stacks, LIMIT_STACK_FRAMES);
	if (b->trimmed_texts)
		notes_add(notes, "%zu names longer than %zu KiB were cut",
			  b->trimmed_texts, LIMIT_STRING_BYTES / KIB);
	if (b->demangler && demangler_is_exhausted(b->demangler))
		notes_add(notes, "names that linkers made are many and long: "
				 "some stayed as they are");
	if (b->is_saturated)
		notes_add(notes, "values add up to more than 64 bits hold: "
				 "totals and shares are too small");
}

/* ---- packed stacks ---- */

void profile_build_packed(struct profile_build *b, struct packed_stacks *packed,
			  uint32_t count, int64_t total)
{
	b->out->packed = packed;
	b->out->stack_count = count;
	b->out->total = total;
	profile_build_omit(b, total);
}

static void renumber(uint32_t *frame, const struct finish *f)
{
	if (*frame < f->b->frame_count)
		*frame = f->frame_place[*frame];
}

static bool finish_for_later(struct finish *f)
{
	struct profile_build *b = f->b;
	struct packed_stacks *packed = b->out->packed;

	if (!mark_used(f) || !place_functions(f) || !place_frames(f))
		return false;
	for (uint32_t i = 0; i < packed->place_count; i++) {
		renumber(&packed->places[i].frames[0], f);
		renumber(&packed->places[i].frames[1], f);
	}
	for (uint32_t at = 0; at < packed->run_count;) {
		uint32_t end = at + packed->runs[at];

		while (at < end)
			renumber(&packed->runs[++at], f);
		at++;
	}
	b->out->whole_total = b->magnitude;
	return true;
}

/* Who only adds up asks for no order. */
static bool finish_packed(struct profile_build *b)
{
	struct profile *p = b->out;

	symtab_settle(&p->symtab);
	p->functions = arena_hand_over(&b->scratch, &p->arena, b->functions,
				       b->function_cap, b->function_count,
				       sizeof *p->functions);
	if (!p->functions)
		return false;
	p->function_count = b->function_count;
	p->frames =
		arena_hand_over(&b->scratch, &p->arena, b->frames, b->frame_cap,
				b->frame_count, sizeof *p->frames);
	if (b->details)
		p->details = arena_hand_over(&b->scratch, &p->arena, b->details,
					     b->detail_cap, b->frame_count,
					     sizeof *p->details);
	if (!p->frames || (b->details && !p->details))
		return false;
	p->frame_count = b->frame_count;
	for (uint32_t i = 0; i < p->frame_count; i++)
		p->has_lines = p->has_lines || p->frames[i].line;
	p->whole_total = b->magnitude;
	return true;
}

static bool finish_ordered(struct finish *f)
{
	if (!mark_used(f) || !place_functions(f) || !place_frames(f) ||
	    !place_stacks(f))
		return false;
	total_stacks(f->b);
	return true;
}

static bool finish(struct finish *f)
{
	const struct packed_stacks *packed = f->b->out->packed;

	if (!packed)
		return finish_ordered(f);
	return packed->is_for_later ? finish_for_later(f) : finish_packed(f->b);
}

static bool fail(const struct profile_build *b, struct error *err)
{
	return arena_fail(b->out->arena.is_over_limit ? &b->out->arena
						      : &b->scratch,
			  PROFILE_WHAT, err);
}

bool profile_build_finish(struct profile_build *b, struct notes *notes,
			  struct error *err)
{
	struct finish f = { .b = b };

	if (!finish(&f))
		return fail(b, err);
	tell(b, notes);
	return true;
}

/* Functions and frames stay where they are. */
static bool finish_stacks(struct finish *f)
{
	struct profile_build *b = f->b;
	const struct profile *p = b->out;
	uint32_t rank = 0;

	f->frame_place = arena_array(&b->scratch, p->frame_count,
				     sizeof *f->frame_place);
	f->name_rank =
		arena_array(&b->scratch, p->frame_count, sizeof *f->name_rank);
	if (!f->frame_place || !f->name_rank)
		return false;
	for (uint32_t i = 0; i < p->frame_count; i++) {
		if (i && p->functions[p->frames[i].function].name !=
				 p->functions[p->frames[i - 1].function].name)
			rank++;
		f->frame_place[i] = i;
		f->name_rank[i] = rank;
	}
	if (!place_stacks(f))
		return false;
	total_stacks(b);
	return true;
}

bool profile_build_finish_stacks(struct profile_build *b, struct error *err)
{
	struct finish f = { .b = b };

	return finish_stacks(&f) || fail(b, err);
}
