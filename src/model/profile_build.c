/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_build.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "demangle/demangle.h"

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
	profile_intern_init(b);
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

/* Through bytes, since a pointer to a typed pointer is not one to void *. */
bool profile_reserve(struct arena *arena, void *column, size_t *cap,
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

static bool is_kept(const struct profile_build *b, struct str text)
{
	return (uintptr_t)text.ptr - (uintptr_t)b->kept.ptr < b->kept.len;
}

bool profile_build_text(struct profile_build *b, struct str text, uint32_t *id,
			struct error *err)
{
	if (text.len > LIMIT_STRING_BYTES) {
		text.len = utf8_floor(text.ptr, text.len, LIMIT_STRING_BYTES);
		b->trimmed_texts++;
	} else if (is_kept(b, text)) {
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

/* async-profiler and perf-map-agent mark how a frame was run: compiled, inlined,
 * interpreted, by the first compiler. That is no part of the name. "_[k]" is: a
 * function of the kernel is always one. */
static struct str without_mark(struct str name)
{
	static const char marks[] = "ji01";

	if (name.len > 4 && name.ptr[name.len - 1] == ']' &&
	    name.ptr[name.len - 3] == '[' && name.ptr[name.len - 4] == '_' &&
	    memchr(marks, name.ptr[name.len - 2], sizeof marks - 1))
		name.len -= 4;
	return name;
}

/* Folded stacks repeat a name thousands of times: each is read once. */
bool profile_build_name(struct profile_build *b, struct str name, uint32_t *id,
			struct error *err)
{
	struct str mangled;

	name = without_mark(name);
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

/* A frame that is no function of the program. */
static bool add_marker(struct profile_build *b, struct str name,
		       uint32_t *frame, struct error *err)
{
	uint32_t function;

	return profile_build_function(b, name, STR(""), &function, err) &&
	       profile_build_frame(b, function, 0, frame, err);
}

/* Both ends tell more than the middle: the root says which work, the leaf
 * what it was doing. */
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

/* Keyed, so that no input can make the walk to a slot long. */
static uint32_t stack_hash(const struct profile_build *b,
			   const uint32_t *frames, uint32_t count)
{
	const struct str bytes = { (const char *)frames,
				   count * sizeof *frames };

	return text_table_hash(&b->out->symtab.table, bytes);
}

/* The slot of an equal stack, or the empty one where it belongs. */
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

/* Keeps half of the slots empty. The old table stays in the arena: all of
 * them together are no larger than the new one. */
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

/* By a half at a time: this is the largest array of a profile, and doubling
 * would waste most. */
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
			 uint32_t count, int64_t value, struct error *err)
{
	uint32_t hash = stack_hash(b, frames, count);
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
		return true;
	}
	sum = &b->stacks[*slot - 1].value;
	if (!add_i64(*sum, value, &exact))
		b->is_saturated = true;
	*sum = sat_add_i64(*sum, value);
	return true;
}

void profile_build_omit(struct profile_build *b, int64_t value)
{
	b->magnitude = sat_add_i64(b->magnitude, sat_magnitude_i64(value));
}

/* Equal stacks take no memory but are hashed all the same. */
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
	uint32_t unknown;

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
			   : profile_build_merge(b, frames, count, value, err);
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
