/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and frames of a profile in the making, each once. A function is
 * looked for among those of its name, a frame among those of its function.
 */
#include <string.h>

#include "base/num.h"
#include "model/profile_build.h"

/* Most names are of one function, most functions have a few lines: a table in
 * their place costs memory (docs/performance.md, "chains in front of tables").
 */
#define CHAIN_MAX 16u

void profile_intern_init(struct profile_build *b)
{
	map_init(&b->functions_by_name.others, &b->scratch);
	map_init(&b->frames_by_function.others, &b->scratch);
	map_init(&b->pair_map, &b->scratch);
}

/* Not more than this on the word of a file: its tables may hold what no stack
 * needs. */
#define EXPECTED_MAX ((size_t)1 << 20)

/* Room for so many links, which lead nowhere yet. */
static bool reserve_links(struct profile_build *b, uint32_t **links,
			  size_t *cap, size_t need, arena_reserver *reserve)
{
	size_t before = *cap;

	if (!profile_reserve(&b->scratch, (void *)links, cap, need,
			     sizeof **links, reserve))
		return false;
	if (*cap > before)
		memset(*links + before, 0, (*cap - before) * sizeof **links);
	return true;
}

static bool intern_expect(struct profile_build *b, struct intern *x, size_t of,
			  size_t things, struct error *err)
{
	return (reserve_links(b, &x->heads, &x->head_cap,
			      min_size(of, EXPECTED_MAX),
			      arena_reserve_exactly) &&
		reserve_links(b, &x->next, &x->next_cap,
			      min_size(things, EXPECTED_MAX),
			      arena_reserve_exactly)) ||
	       arena_fail(&b->scratch, PROFILE_WHAT, err);
}

bool profile_build_expect(struct profile_build *b, size_t texts,
			  size_t functions, size_t frames, struct error *err)
{
	return symtab_reserve(&b->out->symtab, min_size(texts, EXPECTED_MAX),
			      err) &&
	       intern_expect(b, &b->functions_by_name, texts, functions, err) &&
	       intern_expect(b, &b->frames_by_function, functions, frames,
			     err) &&
	       ((RESERVE_EXACTLY(&b->scratch, b->functions, b->function_cap,
				 min_size(functions, EXPECTED_MAX)) &&
		 RESERVE_EXACTLY(&b->scratch, b->frames, b->frame_cap,
				 min_size(frames, EXPECTED_MAX))) ||
		arena_fail(&b->scratch, PROFILE_WHAT, err));
}

/* ---- chains ---- */

/* Where a search is. */
struct walk {
	uint32_t of;
	uint32_t at; /* a thing + 1; 0 before the first */
	uint32_t length;
};

static bool walk_next(const struct intern *x, struct walk *w)
{
	uint32_t next = 0;

	if (w->at)
		next = x->next[w->at - 1];
	else if (w->of < x->head_cap)
		next = x->heads[w->of];
	if (!next)
		return false;
	w->at = next;
	w->length++;
	return true;
}

/* Behind the end of the chain that was walked. */
static bool chain_add(struct profile_build *b, struct intern *x,
		      const struct walk *w, uint32_t thing, struct error *err)
{
	if (!reserve_links(b, &x->heads, &x->head_cap, w->of + (size_t)1,
			   arena_reserve) ||
	    !reserve_links(b, &x->next, &x->next_cap, thing + (size_t)1,
			   arena_reserve))
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	if (w->at)
		x->next[w->at - 1] = thing + 1;
	else
		x->heads[w->of] = thing + 1;
	return true;
}

/* ---- beyond the chains ---- */

/* One number for two: maps take 64 bits, and most functions and frames say
 * nothing beyond the first two words of theirs. */
static bool pair_number(struct profile_build *b, uint32_t high, uint32_t low,
			uint32_t *number, struct error *err)
{
	*number = 0;
	if (!high && !low)
		return true;
	if (!map_insert_u64(&b->pair_map, (uint64_t)high << 32 | low,
			    b->pair_count, number))
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	if (*number == b->pair_count)
		b->pair_count++;
	*number += 1;
	return true;
}

/* Key of four words: that of the first two, and what the others add. */
static bool insert_words(struct profile_build *b, struct map *map,
			 const uint32_t words[4], uint32_t value,
			 uint32_t *stored, struct error *err)
{
	uint64_t key = (uint64_t)words[0] << 32 | words[1];
	uint32_t first, rest;

	if (words[2] || words[3]) {
		if (!pair_number(b, words[0], words[1], &first, err) ||
		    !pair_number(b, words[2], words[3], &rest, err))
			return false;
		/* Beyond every index of a function or text. */
		key = (uint64_t)(first | UINT32_C(1) << 31) << 32 | rest;
	}
	return map_insert_u64(map, key, value, stored) ||
	       arena_fail(&b->scratch, PROFILE_WHAT, err);
}

/* ---- functions ---- */

static bool is_same_function(const struct function *f, const struct function *g)
{
	return f->name == g->name && f->file == g->file &&
	       f->mapping == g->mapping && f->is_nameless == g->is_nameless;
}

/* *function is the number that it gets where it is new. */
static bool other_function(struct profile_build *b, const struct function *f,
			   uint32_t *function, struct error *err)
{
	const uint32_t words[] = { f->name, f->file, f->mapping,
				   f->is_nameless };

	return insert_words(b, &b->functions_by_name.others, words, *function,
			    function, err);
}

bool profile_build_interned(struct profile_build *b, const struct function *f,
			    uint32_t *function, struct error *err)
{
	struct walk w = { .of = f->name };
	bool is_done;

	while (walk_next(&b->functions_by_name, &w)) {
		*function = w.at - 1;
		if (is_same_function(&b->functions[*function], f))
			return true;
	}
	*function = b->function_count;
	is_done = w.length < CHAIN_MAX ? chain_add(b, &b->functions_by_name, &w,
						   *function, err)
				       : other_function(b, f, function, err);
	if (!is_done)
		return false;
	if (*function < b->function_count)
		return true;
	if (b->function_count >= LIMIT_FUNCTIONS)
		return error_set(err, ERROR_LIMIT,
				 "the profile has more than %u functions",
				 LIMIT_FUNCTIONS);
	if (!RESERVE(&b->scratch, b->functions, b->function_cap,
		     b->function_count + 1u))
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	b->functions[b->function_count++] = *f;
	return true;
}

/* ---- frames ---- */

static bool says_nothing(const struct frame_detail *d)
{
	return !(d->column | d->is_inlined | d->address_high | d->address_low);
}

/* Of the same function. */
static bool is_same_frame(const struct profile_build *b, uint32_t frame,
			  const struct whole_frame *place)
{
	if (b->frames[frame].line != place->frame.line)
		return false;
	return b->details ? !memcmp(&b->details[frame], &place->detail,
				    sizeof place->detail)
			  : says_nothing(&place->detail);
}

/* Beyond every index of a function, and below what insert_words() adds. */
#define INLINED (UINT32_C(1) << 30)

_Static_assert(LIMIT_FUNCTIONS <= INLINED, "functions leave a bit");

/* *frame is the number that it gets where it is new. */
static bool other_frame(struct profile_build *b,
			const struct whole_frame *place, uint32_t *frame,
			struct error *err)
{
	const struct frame_detail *d = &place->detail;
	uint32_t words[] = { place->frame.function, place->frame.line,
			     d->address_high, d->address_low };

	if (d->is_inlined)
		words[0] |= INLINED;
	/* Beyond every line. */
	if (d->column) {
		if (!pair_number(b, words[1], d->column, &words[1], err))
			return false;
		words[1] |= UINT32_C(1) << 31;
	}
	return insert_words(b, &b->frames_by_function.others, words, *frame,
			    frame, err);
}

/* Details lie beside the frames from the first on that says something. */
static bool add_frame(struct profile_build *b, const struct whole_frame *place)
{
	uint32_t count = b->frame_count;
	bool has_details = b->details;

	if (!RESERVE(&b->scratch, b->frames, b->frame_cap, count + 1u))
		return false;
	if (has_details || !says_nothing(&place->detail)) {
		if (!RESERVE_EXACTLY(&b->scratch, b->details, b->detail_cap,
				     b->frame_cap))
			return false;
		if (!has_details)
			memset(b->details, 0, count * sizeof *b->details);
		b->details[count] = place->detail;
	}
	b->frames[count] = place->frame;
	b->frame_count++;
	return true;
}

bool profile_build_place(struct profile_build *b,
			 const struct whole_frame *place, uint32_t *frame,
			 struct error *err)
{
	struct walk w = { .of = place->frame.function };
	bool is_done;

	while (walk_next(&b->frames_by_function, &w)) {
		*frame = w.at - 1;
		if (is_same_frame(b, *frame, place))
			return true;
	}
	*frame = b->frame_count;
	is_done = w.length < CHAIN_MAX ? chain_add(b, &b->frames_by_function,
						   &w, *frame, err)
				       : other_frame(b, place, frame, err);
	if (!is_done)
		return false;
	if (*frame < b->frame_count)
		return true;
	if (b->frame_count >= LIMIT_LOCATIONS)
		return error_set(err, ERROR_LIMIT,
				 "the profile has more than %u source lines",
				 LIMIT_LOCATIONS);
	return add_frame(b, place) ||
	       arena_fail(&b->scratch, PROFILE_WHAT, err);
}
