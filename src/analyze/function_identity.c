/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_identity.h"

#include "base/num.h"
#include "base/thread.h"
#include "model/source_path.h"

#define WHAT "ranking functions"

/* As so many functions of a side take longer than handing half of them on. */
#define BESIDE 2048u

/* ---- places ---- */

struct str func_place(const struct profile *p, uint32_t f)
{
	struct str place = function_file(p, f);

	if (!place.len)
		place = function_mapping(p, f);
	return source_path_is_of_process(place) ? STR("") : place;
}

/* ---- names that several functions have ---- */

static bool names_prepare(struct func_names *x, struct arena *arena,
			  struct error *err)
{
	const struct profile *p = x->profile;
	uint32_t count = p ? p->function_count : 0, *first;
	size_t names = p ? p->symtab.table.count : 0;

	x->hashes = arena_array(arena, count, sizeof *x->hashes);
	x->is_name = arena_array(arena, count, sizeof *x->is_name);
	x->keys = arena_array(arena, count, sizeof *x->keys);
	first = arena_array(arena, names + 1, sizeof *first);
	x->is_shared = arena_array(arena, names + 1, sizeof *x->is_shared);
	if (!x->hashes || !x->is_name || !x->keys || !first || !x->is_shared)
		return arena_fail(arena, WHAT, err);
	for (uint32_t f = 0; f < count; f++) {
		uint32_t name = p->functions[f].name;
		struct str place = source_path_end(func_place(p, f));

		if (!place.len || p->functions[f].is_nameless)
			continue;
		x->has_places = true;
		/* Names of Go tell their package, and no other function has
		 * them. The file is that of the first line that the profiler
		 * met, which may be one of a function that was inlined there:
		 * runtime.growslice is in slice.go in one run and in msize.go
		 * in the next (runtime/pprof of Go 1.26). */
		if (str_ends(place, STR(".go")))
			continue;
		if (!first[name])
			first[name] = f + 1;
		else if (!str_equal(place, source_path_end(func_place(
						   p, first[name] - 1))))
			x->has_shared = x->is_shared[name] = true;
	}
	return true;
}

static bool is_shared(const struct func_names *x, uint32_t f)
{
	const struct func_names *o = x->other;
	uint32_t name = x->profile->functions[f].name, there;

	if (o->profile && (!o->has_places || !x->has_places))
		return false;
	if (x->is_shared[name])
		return true;
	if (!o->has_shared)
		return false;
	there = symtab_find(&o->profile->symtab, function_name(x->profile, f));
	return there != TEXT_NONE && o->is_shared[there];
}

bool func_names_is_placed(const struct func_names *x, uint32_t f)
{
	return x->naming != FUNC_NAMES_PLAIN && is_shared(x, f) &&
	       func_place(x->profile, f).len;
}

bool func_names_is_joined(const struct func_names *x, uint32_t f)
{
	return x->is_shared[x->profile->functions[f].name] &&
	       (x->naming == FUNC_NAMES_PLAIN || !is_shared(x, f));
}

/* ---- identities ---- */

bool func_identity_add(struct str name, struct str place, enum name_key key,
		       struct buf *out)
{
	bool differs = function_key(name, key, out);

	if (!place.len)
		return differs;
	buf_add_text(out, " (");
	if (key == NAME_KEY_EXACT)
		buf_add_str(out, source_path_end(place));
	else
		source_path_stable(place, out);
	buf_add_text(out, ")");
	return true;
}

/* The kinds of func_names.keys. Where both identities are the same one it is
 * settled. */
enum { KEY_SETTLED = 0, KEY_EXACT, KEY_STABLE };

static bool identity_of(const struct func_names *x, uint32_t f,
			enum name_key key, struct buf *out,
			struct str *identity, bool *differs, struct error *err)
{
	struct str name = function_name(x->profile, f), place = STR("");

	*identity = name;
	*differs = false;
	if (x->naming == FUNC_NAMES_PLAIN)
		return true;
	if (func_names_is_placed(x, f))
		place = func_place(x->profile, f);
	buf_clear(out);
	*differs = func_identity_add(name, place, key, out);
	if (!str_equal(buf_str(out), name))
		*identity = buf_str(out);
	return buf_check(out, "a function name", err);
}

bool func_names_identity(const struct func_names *x, uint32_t f,
			 struct buf *key, struct str *identity,
			 struct error *err)
{
	bool differs;

	*identity = function_name(x->profile, f);
	if (x->is_name[f])
		return true;
	return identity_of(x, f,
			   x->keys[f] == KEY_STABLE ? NAME_KEY_STABLE
						    : NAME_KEY_EXACT,
			   key, identity, &differs, err);
}

/* By its exact identity, unless those of a table are all to be stable. */
static bool identities_find_all(struct func_names *x, struct buf *key)
{
	const struct profile *p = x->profile;
	enum name_key kind = x->naming == FUNC_NAMES_STABLE ? NAME_KEY_STABLE
							    : NAME_KEY_EXACT;

	for (uint32_t f = 0; p && f < p->function_count; f++) {
		struct str name = function_name(p, f), identity;
		bool differs;

		if (!identity_of(x, f, kind, key, &identity, &differs, &x->err))
			return false;
		x->hashes[f] = map_hash(identity);
		x->is_name[f] = identity.ptr == name.ptr;
		if (!differs)
			continue;
		x->keys[f] = kind == NAME_KEY_STABLE ? KEY_STABLE : KEY_EXACT;
		x->unsettled_count++;
	}
	return true;
}

static void identities_find(void *task)
{
	struct func_names *x = task;
	struct buf key;

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	x->is_done = identities_find_all(x, &key);
	buf_release(&key);
}

/* ---- exact or stable ---- */

/* Functions of one stable identity. */
struct family {
	uint32_t counts[SIDE_COUNT]; /* of exact identities */
	uint32_t common;             /* that are on both sides */
};

struct member {
	bool is_on[SIDE_COUNT];
};

struct settling {
	struct func_names *names;
	struct arena arena;
	struct buf key;
	struct map members_by_exact;
	struct map families_by_stable;
	struct member *members;
	struct family *families;
	uint32_t member_count;
	uint32_t family_count;
	uint32_t *family_of[SIDE_COUNT]; /* by function */
};

static bool no_memory(const struct settling *s, struct error *err)
{
	return arena_fail(&s->arena, WHAT, err);
}

/* The number of the function's identity, *count where it is a new one. */
static bool number_of(struct settling *s, enum diff_side side, uint32_t f,
		      enum name_key key, struct map *map, uint32_t *count,
		      uint32_t *number, struct error *err)
{
	struct str identity;
	bool differs;

	if (!identity_of(&s->names[side], f, key, &s->key, &identity, &differs,
			 err))
		return false;
	*number = map_find(map, identity);
	if (*number != MAP_NONE)
		return true;
	identity = arena_str(&s->arena, identity);
	return (identity.ptr && map_insert(map, identity, (*count)++, number)) ||
	       no_memory(s, err);
}

static bool side_count(struct settling *s, enum diff_side side,
		       struct error *err)
{
	const struct func_names *x = &s->names[side];
	uint32_t count = x->profile->function_count;

	s->family_of[side] =
		arena_array(&s->arena, count, sizeof *s->family_of[side]);
	if (!s->family_of[side])
		return no_memory(s, err);
	for (uint32_t f = 0; f < count; f++) {
		uint32_t *at = &s->family_of[side][f], exact;
		struct member *member;

		if (!x->keys[f])
			continue;
		if (!number_of(s, side, f, NAME_KEY_STABLE,
			       &s->families_by_stable, &s->family_count, at,
			       err) ||
		    !number_of(s, side, f, NAME_KEY_EXACT, &s->members_by_exact,
			       &s->member_count, &exact, err))
			return false;
		member = &s->members[exact];
		if (member->is_on[side])
			continue;
		member->is_on[side] = true;
		s->families[*at].counts[side]++;
		s->families[*at].common += member->is_on[SIDE_COUNT - 1 - side];
	}
	return true;
}

static bool side_settle(struct settling *s, enum diff_side side,
			struct error *err)
{
	struct func_names *x = &s->names[side];

	for (uint32_t f = 0; f < x->profile->function_count; f++) {
		const struct family *family;
		struct str identity;

		if (!x->keys[f])
			continue;
		/* One side has no function of the family that the other has
		 * not: nothing was moved, and what they are told apart by
		 * counts. */
		family = &s->families[s->family_of[side][f]];
		if (family->common == min_size(family->counts[SIDE_SLOW],
					       family->counts[SIDE_BASELINE]))
			continue;
		x->keys[f] = KEY_STABLE;
		x->is_name[f] = false;
		if (!func_names_identity(x, f, &s->key, &identity, err))
			return false;
		x->hashes[f] = map_hash(identity);
	}
	return true;
}

static bool names_settle(struct func_names names[SIDE_COUNT], struct error *err)
{
	struct settling s = { .names = names };
	size_t most = names[SIDE_SLOW].unsettled_count;
	bool is_done;

	if (names->naming != FUNC_NAMES_MATCHED || !names[SIDE_SLOW].profile ||
	    !names[SIDE_BASELINE].profile ||
	    !names[SIDE_SLOW].unsettled_count ||
	    !names[SIDE_BASELINE].unsettled_count)
		return true;
	most += names[SIDE_BASELINE].unsettled_count;
	arena_init(&s.arena, LIMIT_ANALYZE_HEAP_BYTES);
	map_init(&s.members_by_exact, &s.arena);
	map_init(&s.families_by_stable, &s.arena);
	buf_init(&s.key, 2 * LIMIT_STRING_BYTES);
	s.members = arena_array(&s.arena, most, sizeof *s.members);
	s.families = arena_array(&s.arena, most, sizeof *s.families);
	is_done = (s.members && s.families) || no_memory(&s, err);
	for (int i = 0; is_done && i < SIDE_COUNT; i++)
		is_done = side_count(&s, (enum diff_side)i, err);
	for (int i = 0; is_done && i < SIDE_COUNT; i++)
		is_done = side_settle(&s, (enum diff_side)i, err);
	buf_release(&s.key);
	arena_release(&s.arena);
	return is_done;
}

/* ---- both sides ---- */

bool func_names_find(struct func_names names[SIDE_COUNT], struct arena *arena,
		     struct error *err)
{
	const struct profile *base = names[SIDE_BASELINE].profile;

	for (int s = 0; s < SIDE_COUNT; s++) {
		names[s].other = &names[SIDE_COUNT - 1 - s];
		if (!names_prepare(&names[s], arena, err))
			return false;
	}
	thread_both(identities_find, &names[SIDE_SLOW], &names[SIDE_BASELINE],
		    base && base->function_count >= BESIDE);
	for (int s = 0; s < SIDE_COUNT; s++)
		if (!names[s].is_done) {
			*err = names[s].err;
			return false;
		}
	return names_settle(names, err);
}
