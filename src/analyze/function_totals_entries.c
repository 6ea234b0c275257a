/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_totals_entries.h"

#include "analyze/function_key.h"
#include "analyze/function_totals.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/thread.h"

static bool no_memory(const struct func_table *t, struct error *err)
{
	return arena_fail(t->arena, "ranking functions", err);
}

bool func_side_alloc(const struct func_table *t, struct func_side *side,
		     struct error *err)
{
	uint32_t count = side->profile->function_count;

	side->entries = arena_array(t->arena, count, sizeof *side->entries);
	side->classes = arena_array(t->arena, count, sizeof *side->classes);
	return (side->entries && side->classes) || no_memory(t, err);
}

/* ---- identities ---- */

/* Of a side's functions: hashes, which are enough to look most of them up, and
 * which of them are the name itself. */
struct identities {
	const struct profile *profile; /* may be NULL */
	bool is_plain;
	uint32_t *hashes;
	bool *is_name;
	/* By symbol: functions of that name lie in several files. */
	bool *is_shared;
	bool has_shared;
	bool has_places; /* files or libraries are told */
	const struct identities *other; /* side */
	bool is_done;
	struct error err;
};

/* ---- names that several functions have ---- */

/* "users/views.py" of "/srv/v7/users/views.py": folders in front differ from
 * one build to the next. */
static struct str place_of(const struct profile *p, uint32_t f)
{
	struct str file = function_file(p, f);
	size_t at;
	unsigned parts = 0;

	if (!file.len)
		file = function_mapping(p, f);
	for (at = file.len; at > 0; at--)
		if ((file.ptr[at - 1] == '/' || file.ptr[at - 1] == '\\') &&
		    ++parts == 2)
			break;
	return str_slice(file, at, file.len);
}

/* Names of Go tell their package, and no other function has them. The file is
 * that of the first line that the profiler met, which may be one of a function
 * that was inlined there: runtime.growslice is in slice.go in one run and in
 * msize.go in the next (runtime/pprof of Go 1.26). */
static bool is_of_go(struct str place)
{
	return str_ends(place, STR(".go"));
}

static bool shared_find(struct identities *x, struct arena *arena,
			struct error *err)
{
	const struct profile *p = x->profile;
	size_t names = p ? p->symtab.table.count : 0;
	uint32_t *first = arena_array(arena, names + 1, sizeof *first);

	x->is_shared = arena_array(arena, names + 1, sizeof *x->is_shared);
	if (!first || !x->is_shared)
		return arena_fail(arena, "ranking functions", err);
	for (uint32_t f = 0; p && f < p->function_count; f++) {
		uint32_t name = p->functions[f].name;
		struct str place = place_of(p, f);

		if (!place.len || p->functions[f].is_nameless)
			continue;
		x->has_places = true;
		if (is_of_go(place))
			continue;
		if (!first[name])
			first[name] = f + 1;
		else if (!str_equal(place, place_of(p, first[name] - 1)))
			x->has_shared = x->is_shared[name] = true;
	}
	return true;
}

static bool is_shared(const struct identities *x, uint32_t f)
{
	const struct identities *o = x->other;
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

/* What the place adds to an identity, " (users/views.py)"; empty where there is
 * one function of that name. */
static bool add_place(const struct identities *x, uint32_t f, struct buf *key,
		      struct str *identity, struct error *err)
{
	struct str place;

	if (x->is_plain || !is_shared(x, f))
		return true;
	place = place_of(x->profile, f);
	if (!place.len)
		return true;
	if (identity->ptr != key->data) {
		buf_clear(key);
		buf_add_str(key, *identity);
	}
	buf_add_text(key, " (");
	buf_add_str(key, place);
	buf_add_text(key, ")");
	*identity = buf_str(key);
	return buf_check(key, "a function name", err);
}

bool func_identity(struct str name, struct buf *key, struct str *identity,
		   struct error *err)
{
	buf_clear(key);
	function_key(name, key);
	if (!buf_check(key, "a function name", err))
		return false;
	*identity = str_equal(buf_str(key), name) ? name : buf_str(key);
	return true;
}

static bool identities_find_all(struct identities *x, struct buf *key)
{
	const struct profile *p = x->profile;

	for (uint32_t f = 0; p && f < p->function_count; f++) {
		struct str name = function_name(p, f), identity = name;

		if (!x->is_plain &&
		    (!func_identity(name, key, &identity, &x->err) ||
		     !add_place(x, f, key, &identity, &x->err)))
			return false;
		x->hashes[f] = map_hash(identity);
		x->is_name[f] = identity.ptr == name.ptr;
	}
	return true;
}

static void identities_find(void *task)
{
	struct identities *x = task;
	struct buf key;

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	x->is_done = identities_find_all(x, &key);
	buf_release(&key);
}

/* ---- entries ---- */

static bool entry_add(struct func_table *t, struct str key, uint32_t hash,
		      struct str name, uint32_t *id, struct error *err)
{
	struct func_entry entry = { .key = key, .name = name };

	if (key.ptr != name.ptr)
		entry.key = arena_str(t->arena, key);
	entry.leaf = (uint32_t)t->count;
	if (!entry.key.ptr ||
	    !arena_reserve(t->arena, (void **)&t->entries, &t->cap,
			   t->count + 1, sizeof *t->entries) ||
	    !map_insert_hashed(&t->map, entry.key, hash, (uint32_t)t->count,
			       id))
		return no_memory(t, err);
	t->entries[t->count++] = entry;
	return true;
}

/* Shows the identity where names differ only in their generated parts. */
static void entry_join(struct func_table *t, uint32_t id, struct str name)
{
	struct func_entry *entry = &t->entries[id];

	if (entry->is_merged || str_equal(entry->name, name) ||
	    entry->is_placed)
		return;
	entry->is_merged = true;
	entry->name = entry->key;
	t->merged_count++;
}

static bool entry_of(struct func_table *t, struct str identity, uint32_t hash,
		     struct str name, uint32_t *id, struct error *err)
{
	*id = map_find_hashed(&t->map, identity, hash);
	if (*id == MAP_NONE)
		return entry_add(t, identity, hash, name, id, err);
	entry_join(t, *id, name);
	return true;
}

bool func_table_add(struct func_table *t, struct str identity, uint32_t *id,
		    struct error *err)
{
	*id = map_find(&t->map, identity);
	return *id != MAP_NONE ||
	       entry_add(t, identity, map_hash(identity), identity, id, err);
}

#define ROOM_MAX ((size_t)1000000)
#define NEW_SHARE 16

/* Most functions are on both sides: as many as the larger one has, and a few
 * for those that only the other has. Trimmed afterwards. */
static bool entries_reserve(struct func_table *t, struct error *err)
{
	size_t most = 0;

	for (int s = 0; s < SIDE_COUNT; s++)
		if (t->sides[s].profile)
			most = max_size(most,
					t->sides[s].profile->function_count);
	most += most / NEW_SHARE;
	return arena_reserve_exactly(t->arena, (void **)&t->entries, &t->cap,
				     min_size(most, ROOM_MAX),
				     sizeof *t->entries) ||
	       no_memory(t, err);
}

/* The place is shown with the name. */
static void place_entry(struct func_entry *entry)
{
	entry->name = entry->key;
	entry->is_placed = true;
}

static bool enter_function(struct func_table *t, struct func_side *side,
			   const struct identities *x, uint32_t f,
			   struct buf *key, struct error *err)
{
	struct str name = function_name(side->profile, f), identity = name;
	uint32_t *id = &side->entries[f];

	if (!x->is_name[f] && (!func_identity(name, key, &identity, err) ||
			       !add_place(x, f, key, &identity, err)))
		return false;
	if (!entry_of(t, identity, x->hashes[f], name, id, err))
		return false;
	if (!x->is_plain && is_shared(x, f))
		place_entry(&t->entries[*id]);
	else if (x->is_shared[side->profile->functions[f].name])
		t->entries[*id].is_joined = true;
	return true;
}

static bool enter_side(struct func_table *t, struct func_side *side,
		       const struct identities *x, struct buf *key,
		       struct error *err)
{
	uint32_t count = side->profile->function_count;

	for (uint32_t f = 0; f < count; f++) {
		if (f % MAP_GROUP == 0)
			map_approach_all(&t->map, &x->hashes[f],
					 min_size(count - f, MAP_GROUP));
		if (!enter_function(t, side, x, f, key, err))
			return false;
	}
	return true;
}

/* ---- both sides ---- */

static bool identities_alloc(struct identities *x, struct arena *arena,
			     struct error *err)
{
	uint32_t count = x->profile ? x->profile->function_count : 0;

	x->hashes = arena_array(arena, count, sizeof *x->hashes);
	x->is_name = arena_array(arena, count, sizeof *x->is_name);
	if (!x->hashes || !x->is_name)
		return arena_fail(arena, "ranking functions", err);
	return shared_find(x, arena, err);
}

static bool enter_sides(struct func_table *t, struct identities *x,
			struct buf *key, struct error *err)
{
	const struct profile *base = x[SIDE_BASELINE].profile;

	thread_both(identities_find, &x[SIDE_SLOW], &x[SIDE_BASELINE],
		    base && base->function_count >= FUNC_BESIDE);
	for (int s = 0; s < SIDE_COUNT; s++) {
		struct func_side *side = &t->sides[s];

		if (!x[s].is_done) {
			*err = x[s].err;
			return false;
		}
		if (x[s].profile && (!func_side_alloc(t, side, err) ||
				     !enter_side(t, side, &x[s], key, err)))
			return false;
	}
	return true;
}

bool func_table_enter(struct func_table *t, struct error *err)
{
	struct identities x[SIDE_COUNT];
	struct arena scratch;
	struct buf key;
	bool is_done = entries_reserve(t, err);

	map_init(&t->map, t->arena);
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	for (int s = 0; s < SIDE_COUNT; s++) {
		x[s] = (struct identities){ .profile = t->sides[s].profile,
					    .is_plain = t->is_plain,
					    .other = &x[SIDE_COUNT - 1 - s] };
		is_done = is_done && identities_alloc(&x[s], &scratch, err);
	}
	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	is_done = is_done && enter_sides(t, x, &key, err);
	arena_trim(t->arena, (void **)&t->entries, &t->cap, t->count,
		   sizeof *t->entries);
	buf_release(&key);
	arena_release(&scratch);
	return is_done;
}
