/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_build.h"

#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/radix.h"
#include "demangle/demangle.h"
#include "model/function_name.h"
#include "model/profile.h"

/* Deduplicates functions and frames. Functions are searched among those of the
 * same name, frames among those of the same function. */

/* Most names have one function, most functions few lines: hash tables for them
 * would waste memory (docs/lab/performance.md, "chains in front of tables"). */
#define CHAIN_MAX 16u

static bool profile_reserve(struct arena *arena, void *column, size_t *cap,
			    size_t need, size_t size,
			    arena_reserver *reserve) MUST_CHECK;

/* Limit for reservations declared by a file, whose tables may contain unused
 * entries. */
#define EXPECTED_MAX ((size_t)1 << 20)

/* Makes room for this many links, initialised as empty. */
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

#define RESERVE_EXACTLY(arena, column, cap, need)                              \
	profile_reserve(arena, (void *)&(column), &(cap), need,                \
			sizeof *(column), arena_reserve_exactly)

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

/* Position of a search. */
struct walk {
	uint32_t of;
	uint32_t at; /* an item + 1; 0 before the first */
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

/* Appends to the end of the chain just walked. */
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

/* ---- beyond chains ---- */

/* Returns a number for two: map keys have 64 bits, and most functions and
 * frames have nothing beyond their first two words. */
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

/* Inserts a key of four words: the first two, combined with a number for the
 * others. */
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
		/* Above every function or symbol index. */
		key = (uint64_t)(first | UINT32_C(1) << 31) << 32 | rest;
	}
	return map_insert_u64(map, key, value, stored) ||
	       arena_fail(&b->scratch, PROFILE_WHAT, err);
}

/* ---- functions ---- */

/* Typed arena_reserve() and arena_reserve_exactly(). */
#define RESERVE(arena, column, cap, need)                                      \
	profile_reserve(arena, (void *)&(column), &(cap), need,                \
			sizeof *(column), arena_reserve)

bool profile_build_interned(struct profile_build *b, const struct function *f,
			    uint32_t *function, struct error *err)
{
	const uint32_t words[] = { f->name, f->file, f->mapping,
				   f->is_nameless };
	struct walk w = { .of = f->name };
	bool is_done;

	while (walk_next(&b->functions_by_name, &w)) {
		const struct function *g = &b->functions[w.at - 1];

		*function = w.at - 1;
		if (g->name == f->name && g->file == f->file &&
		    g->mapping == f->mapping &&
		    g->is_nameless == f->is_nameless)
			return true;
	}
	*function = b->function_count;
	is_done = w.length < CHAIN_MAX
			  ? chain_add(b, &b->functions_by_name, &w, *function,
				      err)
			  : insert_words(b, &b->functions_by_name.others, words,
					 *function, function, err);
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

/* Above every function index, and below what insert_words() adds. */
#define INLINED (UINT32_C(1) << 30)

_Static_assert(LIMIT_FUNCTIONS <= INLINED, "functions leave a bit");

/* *frame receives its number if new. */
static bool other_frame(struct profile_build *b,
			const struct whole_frame *place, uint32_t *frame,
			struct error *err)
{
	const struct frame_detail *d = &place->detail;
	uint32_t words[] = { place->frame.function, place->frame.line,
			     d->address_high, d->address_low };

	if (d->is_inlined)
		words[0] |= INLINED;
	/* Above every line. */
	if (d->column) {
		if (!pair_number(b, words[1], d->column, &words[1], err))
			return false;
		words[1] |= UINT32_C(1) << 31;
	}
	return insert_words(b, &b->frames_by_function.others, words, *frame,
			    frame, err);
}

/* Details are stored from the first frame on that has some. */
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
		if (b->frames[*frame].line != place->frame.line)
			continue;
		if (b->details ? !memcmp(&b->details[*frame], &place->detail,
					 sizeof place->detail)
			       : says_nothing(&place->detail))
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

#define FIRST_SLOTS ((size_t)1024)

struct profile_build *profile_build_resume(struct profile *p, struct error *err)
{
	struct profile_build *b = mem_calloc(1, sizeof *b);

	if (!b) {
		error_memory(err, PROFILE_WHAT);
		return NULL;
	}
	b->out = p;
	arena_init(&b->scratch, LIMIT_DECODE_HEAP_BYTES);
	arena_init(&b->tree_arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&b->functions_by_name.others, &b->scratch);
	map_init(&b->frames_by_function.others, &b->scratch);
	map_init(&b->pair_map, &b->scratch);
	map_init(&b->mangled_map, &b->scratch);
	return b;
}

struct profile_build *profile_build_new(struct profile *out, struct error *err)
{
	struct profile_build *b = profile_build_resume(out, err);

	if (b && !symtab_init(&out->symtab, &out->arena, err)) {
		profile_build_free(b);
		return NULL;
	}
	return b;
}

void profile_build_free(struct profile_build *b)
{
	if (!b)
		return;
	demangler_free(b->demangler);
	arena_release(&b->tree_arena);
	arena_release(&b->scratch);
	mem_free(b);
}

/* By memcpy(), since a pointer to a typed pointer is not a pointer to void
 * *. */
static bool profile_reserve(struct arena *arena, void *column, size_t *cap,
			    size_t need, size_t size, arena_reserver *reserve)
{
	void *items;

	if (need <= *cap)
		return true;
	memcpy(&items, column, sizeof items);
	if (!reserve(arena, &items, cap, need, size))
		return false;
	memcpy(column, &items, sizeof items);
	return true;
}

void profile_build_keep(struct profile_build *b, struct str texts)
{
	b->kept = texts;
}

bool profile_build_text(struct profile_build *b, struct str text, uint32_t *id,
			struct error *err)
{
	if (text.len > LIMIT_STRING_BYTES) {
		text.len = utf8_floor(text.ptr, text.len, LIMIT_STRING_BYTES);
		b->trimmed_texts++;
	} else if ((uintptr_t)text.ptr - (uintptr_t)b->kept.ptr < b->kept.len) {
		return symtab_add_kept(&b->out->symtab, text, id, err);
	}
	return symtab_add(&b->out->symtab, text, id, err);
}

bool profile_build_type(struct profile_build *b, struct str type,
			struct str unit, struct error *err)
{
	struct profile *p = b->out;
	struct sample_type *added;

	if (p->type_count >= LIMIT_SAMPLE_TYPES)
		return error_set(err, ERROR_LIMIT,
				 "the profile has more than %u sample types",
				 LIMIT_SAMPLE_TYPES);
	if (!RESERVE(&p->arena, p->types, b->type_cap, p->type_count + 1u))
		return arena_fail(&p->arena, PROFILE_WHAT, err);
	added = &p->types[p->type_count];
	if (!profile_build_text(b, type, &added->type, err) ||
	    !profile_build_text(b, unit, &added->unit, err))
		return false;
	p->type_count++;
	return true;
}

bool profile_build_function(struct profile_build *b, struct str name,
			    struct str file, uint32_t *function,
			    struct error *err)
{
	return profile_build_mapped(b, name, file, STR(""), false, function,
				    err);
}

bool profile_build_demangle(struct profile_build *b, struct str *name,
			    struct error *err)
{
	if (!is_mangled(*name))
		return true;
	if (!b->demangler)
		b->demangler = demangler_new();
	if (!b->demangler)
		return error_memory(err, PROFILE_WHAT);
	*name = demangle(b->demangler, *name);
	return true;
}

/* Removes marks of how the function ran; the result is in scratch if it had two
 * pieces. */
static bool name_unmark(struct profile_build *b, struct str *name,
			struct error *err)
{
	struct name_pieces pieces = function_name_unmarked(*name);

	if (!pieces.first.len ||
	    pieces.first.len + pieces.rest.len == name->len) {
		*name = pieces.first.len ? *name : pieces.rest;
		return true;
	}
	*name = arena_printf(&b->scratch, "%.*s%.*s", STR_WHOLE(pieces.first),
			     STR_WHOLE(pieces.rest));
	return name->ptr || arena_fail(&b->scratch, PROFILE_WHAT, err);
}

/* Folded stacks repeat a name thousands of times: each is parsed once. */
bool profile_build_name(struct profile_build *b, struct str name, uint32_t *id,
			struct error *err)
{
	struct str mangled;

	if (!name_unmark(b, &name, err))
		return false;
	if (name.len == 0)
		name = STR("[unknown]");
	if (!is_mangled(name))
		return profile_build_text(b, name, id, err);
	*id = map_find(&b->mangled_map, name);
	if (*id != MAP_NONE)
		return true;
	mangled = arena_str(&b->scratch, name);
	if (!mangled.ptr)
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	return profile_build_demangle(b, &name, err) &&
	       profile_build_text(b, name, id, err) &&
	       (map_insert(&b->mangled_map, mangled, *id, id) ||
		arena_fail(&b->scratch, PROFILE_WHAT, err));
}

bool profile_build_mapped(struct profile_build *b, struct str name,
			  struct str file, struct str mapping, bool is_nameless,
			  uint32_t *function, struct error *err)
{
	struct function f = { .is_nameless = is_nameless };

	return profile_build_name(b, name, &f.name, err) &&
	       profile_build_text(b, file, &f.file, err) &&
	       profile_build_text(b, mapping, &f.mapping, err) &&
	       profile_build_interned(b, &f, function, err);
}

bool profile_build_frame(struct profile_build *b, uint32_t function,
			 uint32_t line, uint32_t *frame, struct error *err)
{
	struct whole_frame place = { .frame = { function, line } };

	return profile_build_place(b, &place, frame, err);
}

/* Adds a frame that is not a function of the program. */
static bool add_marker(struct profile_build *b, struct str name,
		       uint32_t *frame, struct error *err)
{
	uint32_t function;

	return profile_build_function(b, name, STR(""), &function, err) &&
	       profile_build_frame(b, function, 0, frame, err);
}

/* The ends are more informative than the middle: the root identifies the work,
 * the leaf the activity. */
static bool trim_stack(struct profile_build *b, const uint32_t **frames,
		       uint32_t *count, struct error *err)
{
	uint32_t above = LIMIT_STACK_FRAMES / 2;
	uint32_t below = LIMIT_STACK_FRAMES - above - 1;
	uint32_t cut = *count - above - below;
	struct str name;

	if (!b->trimmed)
		b->trimmed = arena_array(&b->scratch, LIMIT_STACK_FRAMES,
					 sizeof *b->trimmed);
	name = arena_printf(&b->scratch, "[%u frames trimmed]", cut);
	if (!b->trimmed || !name.ptr)
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	if (!add_marker(b, name, &b->trimmed[above], err))
		return false;
	memcpy(b->trimmed, *frames, above * sizeof **frames);
	memcpy(b->trimmed + above + 1, *frames + above + cut,
	       below * sizeof **frames);
	*frames = b->trimmed;
	*count = LIMIT_STACK_FRAMES;
	b->trimmed_stacks++;
	return true;
}

/* Returns the slot of an equal stack, or the empty one where it belongs. */
static uint32_t *find_slot(const struct profile_build *b, uint32_t hash,
			   const uint32_t *frames, uint32_t count)
{
	size_t at = hash & (b->slot_count - 1);

	for (;; at = (at + 1) & (b->slot_count - 1)) {
		uint32_t found = b->stack_slots[at];
		const struct stack *s = found ? &b->stacks[found - 1] : NULL;

		if (!s)
			break;
		if (b->stack_hashes[found - 1] == hash &&
		    s->frame_count == count &&
		    !memcmp(&b->out->frame_ids[s->frame_first], frames,
			    count * sizeof *frames))
			break;
	}
	return &b->stack_slots[at];
}

/* Keeps half of the slots empty. The old tables stay in the arena: together
 * they are no larger than the new one. */
static bool grow_slots(struct profile_build *b)
{
	size_t wanted = b->slot_count ? b->slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots;

	if (b->slot_count / 2 > b->stack_count)
		return true;
	slots = arena_array(&b->scratch, wanted, sizeof *slots);
	if (!slots)
		return false;
	for (uint32_t i = 0; i < b->stack_count; i++) {
		size_t at = b->stack_hashes[i] & (wanted - 1);

		while (slots[at])
			at = (at + 1) & (wanted - 1);
		slots[at] = i + 1;
	}
	b->stack_slots = slots;
	b->slot_count = wanted;
	return true;
}

/* Grows by half: this is the largest array of a profile, and doubling would
 * waste the most. */
static bool reserve_frame_ids(struct profile_build *b, size_t need)
{
	struct profile *p = b->out;
	size_t cap = b->frame_id_cap + b->frame_id_cap / 2 + KIB;
	void *items = p->frame_ids;

	if (need <= b->frame_id_cap)
		return true;
	if (!arena_reserve_exactly(&p->arena, &items, &b->frame_id_cap,
				   cap < need ? need : cap,
				   sizeof *p->frame_ids))
		return false;
	p->frame_ids = items;
	return true;
}

static bool append_stack(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value, uint32_t hash,
			 struct error *err)
{
	struct profile *p = b->out;
	size_t need = b->stack_count + 1u;

	if (need > LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "the profile has more than %u distinct stacks",
				 LIMIT_SAMPLES);
	if (p->frame_id_count + count > UINT32_MAX ||
	    !reserve_frame_ids(b, p->frame_id_count + count))
		return arena_fail(&p->arena, PROFILE_WHAT, err);
	if (!RESERVE(&b->scratch, b->stacks, b->stack_cap, need) ||
	    !RESERVE(&b->scratch, b->stack_hashes, b->hash_cap, need))
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	memcpy(p->frame_ids + p->frame_id_count, frames,
	       count * sizeof *frames);
	b->stacks[b->stack_count] =
		(struct stack){ (uint32_t)p->frame_id_count, count, value };
	b->stack_hashes[b->stack_count++] = hash;
	p->frame_id_count += count;
	return true;
}

bool profile_build_merge(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value, uint32_t *stack,
			 struct error *err)
{
	const struct str bytes = { (const char *)frames,
				   count * sizeof *frames };
	/* Keyed, so that no input can force long probe sequences. */
	uint32_t hash = text_table_hash(&b->out->symtab.table, bytes);
	uint32_t *slot;
	int64_t *sum;
	int64_t exact;

	if (!grow_slots(b))
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	slot = find_slot(b, hash, frames, count);
	if (!*slot) {
		if (!append_stack(b, frames, count, value, hash, err))
			return false;
		*slot = b->stack_count;
		*stack = *slot - 1;
		return true;
	}
	*stack = *slot - 1;
	sum = &b->stacks[*stack].value;
	if (!add_i64(*sum, value, &exact))
		b->is_saturated = true;
	*sum = sat_add_i64(*sum, value);
	return true;
}

void profile_build_omit(struct profile_build *b, int64_t value)
{
	b->magnitude = sat_add_i64(b->magnitude, sat_magnitude_i64(value));
}

/* Equal stacks need no memory but have to be hashed. */
static bool count_frames(struct profile_build *b, uint32_t count,
			 struct error *err)
{
	b->frames_seen += count;
	return b->frames_seen <= LIMIT_STACK_FRAMES_TOTAL ||
	       error_set(err, ERROR_LIMIT,
			 "the profile's stacks have more than %u frames "
			 "together",
			 LIMIT_STACK_FRAMES_TOTAL);
}

bool profile_build_stack(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value, struct error *err)
{
	uint32_t unknown, stack;

	if (value == 0)
		return true;
	profile_build_omit(b, value);
	if (count > LIMIT_STACK_FRAMES && !trim_stack(b, &frames, &count, err))
		return false;
	if (count == 0) {
		if (!add_marker(b, STR(""), &unknown, err))
			return false;
		frames = &unknown;
		count = 1;
	}
	if (!count_frames(b, count, err))
		return false;
	return b->has_tree ? profile_tree_add(b, frames, count, value, err)
			   : profile_build_merge(b, frames, count, value,
						 &stack, err);
}

bool profile_build_node(struct profile_build *b, uint32_t node, uint32_t depth,
			int64_t value, struct error *err)
{
	if (value == 0)
		return true;
	profile_build_omit(b, value);
	return count_frames(b, depth, err) &&
	       profile_tree_value(b, node, value, err);
}

/* Tree of stacks, see profile.h. */

#define FIRST_TREE_SLOTS ((size_t)256)

/* Everything needed to find a node, so that a single cache line is fetched. */
struct stack_slot {
	uint32_t hash;
	uint32_t parent;
	uint32_t frame;
	uint32_t node; /* STACK_TREE_NONE: empty */
};

/* Odd, so that multiplication is invertible. */
static uint64_t key_of(const char *use)
{
	return hash_bytes(use, 1) | 1;
}

bool stack_tree_init(struct stack_tree *t, struct arena *arena)
{
	*t = (struct stack_tree){
		.arena = arena,
		.slot_count = FIRST_TREE_SLOTS,
		.keys = { key_of("f"), key_of("p") },
	};
	t->slots = arena_array(arena, t->slot_count, sizeof *t->slots);
	if (!t->slots || !arena_reserve(arena, (void **)&t->nodes, &t->cap, 1,
					sizeof *t->nodes))
		return false;
	t->nodes[t->count++] = (struct stack_node){ .parent = 0 };
	return true;
}

/* Every step is invertible, so equal hashes of two paths depend on the secret
 * keys. It needs no access to nodes, so the slots of a whole stack are fetched
 * in parallel instead of one after the other. */
static uint64_t path_hash(const struct stack_tree *t, uint64_t parent,
			  uint32_t frame)
{
	uint64_t mixed =
		(parent ^ (frame + UINT64_C(1)) * t->keys[0]) * t->keys[1];

	return mixed ^ mixed >> 32;
}

/* Returns its slot, or the empty one where it belongs. The table is never full,
 * so the loop ends. */
static struct stack_slot *stack_tree_probe(const struct stack_tree *t,
					   uint32_t hash, uint32_t parent,
					   uint32_t frame)
{
	size_t at = hash & (t->slot_count - 1);

	while (t->slots[at].node &&
	       (t->slots[at].hash != hash || t->slots[at].parent != parent ||
		t->slots[at].frame != frame))
		at = (at + 1) & (t->slot_count - 1);
	return &t->slots[at];
}

/* Keeps a quarter of the slots empty. */
static bool make_room(struct stack_tree *t)
{
	struct stack_slot *old = t->slots;
	size_t old_count = t->slot_count;
	struct stack_slot *slots;

	if (t->count < t->slot_count / 4 * 3)
		return true;
	slots = arena_array(t->arena, 2 * old_count, sizeof *slots);
	if (!slots)
		return false;
	t->slots = slots;
	t->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].node)
			*stack_tree_probe(t, old[i].hash, old[i].parent,
					  old[i].frame) = old[i];
	arena_drop(t->arena, old, old_count * sizeof *old);
	return true;
}

static bool node_add(struct stack_tree *t, uint32_t hash, uint32_t parent,
		     uint32_t frame)
{
	uint32_t node = (uint32_t)t->count;

	if (t->count >= UINT32_MAX || !make_room(t) ||
	    !arena_reserve(t->arena, (void **)&t->nodes, &t->cap, t->count + 1,
			   sizeof *t->nodes))
		return false;
	t->nodes[node] =
		(struct stack_node){ .parent = parent, .frame = frame };
	*stack_tree_probe(t, hash, parent, frame) =
		(struct stack_slot){ hash, parent, frame, node };
	t->count++;
	return true;
}

bool stack_tree_walk(struct stack_tree *t, const uint32_t *frames,
		     uint32_t count, struct stack_place *places)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t hash = path_hash(t, places[i].hash, frames[i]);

		places[i + 1].hash = hash;
		__builtin_prefetch(
			&t->slots[(uint32_t)hash & (t->slot_count - 1)]);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t hash = (uint32_t)places[i + 1].hash;
		uint32_t parent = places[i].node;
		uint32_t *child = &places[i + 1].node;

		*child = stack_tree_probe(t, hash, parent, frames[i])->node;
		if (*child)
			continue;
		*child = (uint32_t)t->count;
		if (!node_add(t, hash, parent, frames[i]))
			return false;
	}
	return true;
}

/* From the last frame to the first, each inserted before its siblings. */
bool stack_tree_order(struct stack_tree *t, const uint32_t *place,
		      uint32_t frame_count)
{
	uint32_t *heads = arena_array(t->arena, frame_count, sizeof *heads);
	uint32_t *next = arena_array(t->arena, t->count, sizeof *next);

	if (!heads || !next)
		return false;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t at = place[t->nodes[i].frame];

		if (at >= frame_count)
			continue;
		next[i] = heads[at];
		heads[at] = i;
	}
	for (uint32_t i = 0; i < t->count; i++)
		t->nodes[i].first_child = STACK_TREE_NONE;
	for (uint32_t p = frame_count; p-- > 0;)
		for (uint32_t i = heads[p]; i; i = next[i]) {
			struct stack_node *n = &t->nodes[i];

			n->next_sibling = t->nodes[n->parent].first_child;
			t->nodes[n->parent].first_child = i;
		}
	return true;
}

uint32_t stack_tree_next(const struct stack_tree *t, uint32_t node,
			 uint32_t *depth)
{
	const struct stack_node *n = &t->nodes[node];

	/* Needed after the children. */
	__builtin_prefetch(&t->nodes[n->next_sibling]);
	if (n->first_child) {
		++*depth;
		return n->first_child;
	}
	while (node && !n->next_sibling) {
		node = n->parent;
		n = &t->nodes[node];
		--*depth;
	}
	return node ? n->next_sibling : STACK_TREE_NONE;
}

#define UNUSED UINT32_MAX

/* Buffers for sorting `count` sequences. */
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

/* Packs three bytes per word, each incremented, so that the end of the text, 0,
 * sorts before every byte. */
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

/* Sets rank[symbol] to its position among all texts in byte order. */
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
	arena_drop(&b->scratch, o.sequences, t->count * sizeof *o.sequences);
	arena_drop(&b->scratch, o.scratch, t->count * sizeof *o.scratch);
	arena_drop(&b->scratch, words, word_count * sizeof *words);
	return rank;
}

/* Stable sort by all words, the last ones first. Returns whichever of the two
 * lists has the result. */
static struct radix_item *sort_words(struct radix_item *items,
				     struct radix_item *room, uint32_t count,
				     const uint32_t *words, uint32_t width)
{
	for (uint32_t at = (width - 1) / 2 * 2 + 2; at > 0; at -= 2) {
		struct radix_item *sorted;

		/* Two words as one number; one behind the last is 0. */
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t *pair =
				&words[width * (size_t)items[i].index + at - 2];

			items[i].key = (uint64_t)pair[0] << 32 |
				       (at - 1 < width ? pair[1] : 0);
		}
		sorted = radix_sort(items, room, count);
		if (sorted == room)
			room = items;
		items = sorted;
	}
	return items;
}

/* Sorts `count` sequences of `width` words, dropping those without is_used;
 * place[old] is the new index. Returns NULL when out of memory. */
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

/* State of profile_build_finish(). */
struct finish {
	struct profile_build *b;
	bool *is_function_used;
	bool *is_frame_used;
	uint32_t *text_rank;
	uint32_t *function_place;
	uint32_t *frame_place;
	uint32_t *name_rank;       /* by new frame index */
	struct whole_frame *whole; /* if frames have details */
};

/* Stacks that cancelled out to zero are dropped. */
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

/* Marks what is used, and drops what is only used by stacks that are
 * dropped. */
static bool mark_used(struct finish *f)
{
	struct profile_build *b = f->b;

	f->is_function_used = arena_array(&b->scratch, b->function_count, 1);
	f->is_frame_used = arena_array(&b->scratch, b->frame_count, 1);
	if (!f->is_function_used || !f->is_frame_used)
		return false;
	/* Decoders that pack only create frames for locations in use. */
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

/* By name, then file, then other details. */
static bool place_functions(struct finish *f)
{
	struct profile_build *b = f->b;
	struct profile *p = b->out;
	uint32_t *words = arena_array(&b->scratch, b->function_count,
				      FUNCTION_WORDS * sizeof *words);

	f->text_rank = rank_texts(b);
	if (!words || !f->text_rank)
		return false;
	for (uint32_t i = 0; i < b->function_count; i++) {
		const struct function *of = &b->functions[i];
		uint32_t *key = &words[FUNCTION_WORDS * (size_t)i];

		key[0] = f->text_rank[of->name];
		key[1] = f->text_rank[of->file];
		key[2] = f->text_rank[of->mapping];
		key[3] = of->is_nameless;
	}
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

/* Combines frames and details. */
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

static bool place_frames(struct finish *f)
{
	struct profile_build *b = f->b;
	struct profile *p = b->out;
	const void *words = b->frames;
	uint32_t width = WORDS(*b->frames);

	for (uint32_t i = 0; i < b->frame_count; i++)
		b->frames[i].function =
			f->function_place[b->frames[i].function];
	if (b->details && !make_whole(f))
		return false;
	if (f->whole) {
		words = f->whole;
		width = WORDS(*f->whole);
	}
	/* By function, then line: frames are such sequences already. Names that
	 * differ only in file or line share a rank. */
	f->frame_place =
		place_words(&b->scratch, words, width, f->is_frame_used,
			    b->frame_count, &p->frame_count);
	if (!f->frame_place)
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

/* In the final order, so that a saturated sum does not depend on the order of
 * the input. */
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

/* Renumbers frame ids in place before comparing. */
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

static void build_note(const struct profile_build *b, struct notes *notes)
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

/* Packed stacks are not sorted. */
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

static bool stacks_finish(struct finish *f)
{
	struct profile_build *b = f->b;
	const struct packed_stacks *packed = b->out->packed;

	if (packed && !packed->is_for_later)
		return finish_packed(b);
	if (!mark_used(f) || !place_functions(f) || !place_frames(f))
		return false;
	if (packed) {
		profile_place_frames(b->out, f->frame_place);
		b->out->whole_total = b->magnitude;
		return true;
	}
	if (!place_stacks(f))
		return false;
	total_stacks(b);
	return true;
}

static bool build_fail(const struct profile_build *b, struct error *err)
{
	return arena_fail(b->out->arena.is_over_limit ? &b->out->arena
						      : &b->scratch,
			  PROFILE_WHAT, err);
}

bool profile_build_finish(struct profile_build *b, struct notes *notes,
			  struct error *err)
{
	struct finish f = { .b = b };

	if (!stacks_finish(&f))
		return build_fail(b, err);
	build_note(b, notes);
	return true;
}

/* Functions and frames are not moved. */
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

	return finish_stacks(&f) || build_fail(b, err);
}
