/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_table.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"

#define WHAT "finding moved functions"

/* Functions of one last name, such as "get", that are compared with each
 * other; more tell nothing and would take the square of their number. */
#define NAMESAKES 32

/* Fronts that are tried: each takes a look at all names. */
#define FRONTS_TRIED 32

/* A name that went up or down by this as part of all is looked at. */
#define LOOKED_RATIO 2.0

struct candidate {
	uint32_t id;
	bool is_new;       /* more of it after than before */
	struct str name;   /* without parameters */
	struct str simple; /* behind its last separator */
};

/* The parts of a pair of names before their common suffix. */
struct front {
	struct str from;
	struct str to;
	size_t count; /* pairs */
};

struct moving {
	struct func_table *t;
	struct arena scratch;
	int64_t *values[SIDE_COUNT]; /* by entry: of its frames */
	int64_t totals[SIDE_COUNT];
	struct candidate *items;
	size_t count;
	struct front *fronts;
	size_t front_count;
	size_t front_cap;
};

static bool no_memory(const struct moving *m, struct error *err)
{
	return arena_fail(&m->scratch, WHAT, err);
}

/* ---- values ---- */

static bool values_sum(struct moving *m, struct error *err)
{
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct func_side *side = &m->t->sides[s];
		const struct profile *p = side->profile;
		int64_t *sums = arena_array(&m->scratch, p->frame_count,
					    sizeof *sums);
		int64_t *values = arena_array(&m->scratch, m->t->count,
					      sizeof *values);

		if (!sums || !values)
			return no_memory(m, err);
		profile_frame_sums(p, sums);
		for (uint32_t i = 0; i < p->frame_count; i++) {
			uint32_t entry = side->entries[p->frames[i].function];

			values[entry] = sat_add_i64(values[entry], sums[i]);
		}
		m->values[s] = values;
		m->totals[s] = p->total;
	}
	return true;
}

/* ---- names ---- */

static bool is_separator(char c)
{
	return c == '.' || c == '/' || c == ':' || c == '#' || c == '!' ||
	       c == '\\';
}

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static struct str simple_name(struct str s)
{
	size_t at = s.len;

	while (at && !is_separator(s.ptr[at - 1]))
		at--;
	return str_slice(s, at, s.len);
}

static struct str trim_separators(struct str s)
{
	while (s.len && is_separator(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* "v2", behind the front or in place of its last component. */
static struct str without_version(struct str s)
{
	struct str last = simple_name(s);

	if (last.len < 2 || last.ptr[0] != 'v' ||
	    !str_is_digits(str_slice(last, 1, last.len)))
		return s;
	return trim_separators(str_slice(s, 0, s.len - last.len));
}

/* ---- candidates ---- */

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = str_compare(a->simple, b->simple);

	return order ? order : compare_u64(a->id, b->id);
}

static bool candidates_make(struct moving *m, struct error *err)
{
	struct func_table *t = m->t;

	m->items = arena_array(&m->scratch, t->count, sizeof *m->items);
	if (!m->items)
		return no_memory(m, err);
	for (uint32_t id = 0; id < t->count; id++) {
		double before = (double)m->values[SIDE_BASELINE][id] *
				(double)m->totals[SIDE_SLOW];
		double after = (double)m->values[SIDE_SLOW][id] *
			       (double)m->totals[SIDE_BASELINE];
		struct candidate c = { .id = id,
				       .is_new = after > before,
				       .name = t->entries[id].key };

		if (before == after || (after < LOOKED_RATIO * before &&
					before < LOOKED_RATIO * after))
			continue;
		/* "shop::f(shop::Order const&)": types of parameters may have
		 * moved too. */
		for (size_t i = 1; i < c.name.len; i++)
			if (c.name.ptr[i] == '(' && is_word(c.name.ptr[i - 1]))
				c.name.len = i;
		c.simple = simple_name(c.name);
		if (c.simple.len && c.simple.len < c.name.len)
			m->items[m->count++] = c;
	}
	if (m->count)
		qsort(m->items, m->count, sizeof *m->items, compare_candidates);
	return true;
}

/* ---- fronts ---- */

static bool pair_fronts(struct moving *m, struct str from, struct str to,
			struct error *err)
{
	size_t len = 0, shared = 0;
	struct front f = { .count = 1 };

	/* Whole components at the end. */
	while (len < from.len && len < to.len &&
	       from.ptr[from.len - len - 1] == to.ptr[to.len - len - 1]) {
		len++;
		if (is_separator(from.ptr[from.len - len]))
			shared = len;
	}
	f.from = trim_separators(str_slice(from, 0, from.len - shared));
	f.to = trim_separators(str_slice(to, 0, to.len - shared));
	if (!shared || !f.from.len || !f.to.len || str_equal(f.from, f.to))
		return true;
	if (!arena_reserve(&m->scratch, (void **)&m->fronts, &m->front_cap,
			   m->front_count + 1, sizeof *m->fronts))
		return no_memory(m, err);
	m->fronts[m->front_count++] = f;
	return true;
}

static int compare_texts(const void *left, const void *right)
{
	const struct front *a = left, *b = right;
	int order = str_compare(a->from, b->from);

	return order ? order : str_compare(a->to, b->to);
}

static int compare_counts(const void *left, const void *right)
{
	const struct front *a = left, *b = right;
	int order = compare_u64(b->count, a->count);

	return order ? order : compare_texts(left, right);
}

/* Equal ones as one, those of most pairs first. */
static void fronts_order(struct moving *m)
{
	size_t kept = 0;

	if (!m->front_count)
		return;
	qsort(m->fronts, m->front_count, sizeof *m->fronts, compare_texts);
	for (size_t i = 0; i < m->front_count; i++) {
		if (kept && !compare_texts(&m->fronts[kept - 1], &m->fronts[i]))
			m->fronts[kept - 1].count++;
		else
			m->fronts[kept++] = m->fronts[i];
	}
	m->front_count = kept;
	qsort(m->fronts, kept, sizeof *m->fronts, compare_counts);
}

static bool fronts_make(struct moving *m, struct error *err)
{
	const struct candidate *c = m->items;
	size_t end;

	for (size_t first = 0; first < m->count; first = end) {
		end = first + 1;
		while (end < m->count &&
		       str_equal(c[end].simple, c[first].simple))
			end++;
		for (size_t i = first; end - first <= NAMESAKES && i < end; i++)
			for (size_t k = first; k < end; k++)
				if (!c[i].is_new && c[k].is_new &&
				    !pair_fronts(m, c[i].name, c[k].name, err))
					return false;
	}
	fronts_order(m);
	return true;
}

/* ---- moves ---- */

/* The key with the front replaced wherever it stands: types of parameters and
 * type arguments move along. False when it stands nowhere. */
static bool replace_front(struct str key, const struct front *f,
			  struct buf *out)
{
	bool is_found = false;
	size_t at = 0;

	buf_clear(out);
	while (at < key.len) {
		size_t end = at + f->from.len;

		if ((at == 0 || !is_word(key.ptr[at - 1])) && end < key.len &&
		    is_separator(key.ptr[end]) &&
		    str_starts(str_slice(key, at, key.len), f->from)) {
			buf_add_str(out, f->to);
			at = end;
			is_found = true;
		} else {
			buf_add_char(out, key.ptr[at++]);
		}
	}
	return is_found;
}

/* Part of the newer name in both together. */
static double part_of_new(const struct moving *m, enum diff_side s,
			  uint32_t from, uint32_t to)
{
	double is_old = (double)m->values[s][from];
	double is_new = (double)m->values[s][to];

	return is_new / (is_old + is_new);
}

/* The functions that a front has moved: entries of old names to new ones. */
struct moved_pairs {
	uint32_t *from;
	uint32_t *to;
	size_t count;
	bool *is_taken; /* by entry: is of an earlier front */
};

static bool pairs_find(const struct moving *m, const struct front *f,
		       struct moved_pairs *pairs, struct buf *key,
		       struct error *err)
{
	const struct func_table *t = m->t;

	pairs->count = 0;
	for (uint32_t id = 0; id < t->count; id++) {
		uint32_t to;

		if (pairs->is_taken[id] ||
		    !replace_front(t->entries[id].key, f, key) ||
		    key->state == BUF_OVER_LIMIT)
			continue;
		if (!buf_check(key, "a function name", err))
			return false;
		to = map_find(&t->map, buf_str(key));
		if (to == MAP_NONE || to == id || pairs->is_taken[to])
			continue;
		pairs->from[pairs->count] = id;
		pairs->to[pairs->count++] = to;
	}
	return true;
}

#define MOVED_PART_AFTER 0.8

/* Part of both names together that the new one has before, at most, and after,
 * at least: what is called by both names all the time is two functions. */
#define MOVED_PART_BEFORE 0.2

/* Returns whether the newer names took the place of the older ones, all
 * together. */
static bool is_move(const struct moving *m, const struct moved_pairs *pairs)
{
	double old[SIDE_COUNT] = { 0 }, fresh[SIDE_COUNT] = { 0 };

	for (size_t i = 0; i < pairs->count; i++)
		for (int s = 0; s < SIDE_COUNT; s++) {
			old[s] += (double)m->values[s][pairs->from[i]];
			fresh[s] += (double)m->values[s][pairs->to[i]];
		}
	return fresh[SIDE_BASELINE] <=
		       MOVED_PART_BEFORE *
			       (old[SIDE_BASELINE] + fresh[SIDE_BASELINE]) &&
	       fresh[SIDE_SLOW] >=
		       MOVED_PART_AFTER * (old[SIDE_SLOW] + fresh[SIDE_SLOW]);
}

static bool front_take(struct moving *m, const struct front *f,
		       struct moved_pairs *pairs, struct buf *key,
		       struct error *err)
{
	struct func_table *t = m->t;
	size_t taken = 0;

	if (!pairs_find(m, f, pairs, key, err))
		return false;
	if (!is_move(m, pairs))
		return true;
	for (size_t i = 0; i < pairs->count; i++) {
		uint32_t from = pairs->from[i], to = pairs->to[i];

		/* NAN, of a side that has neither, contradicts nothing. */
		if (pairs->is_taken[from] || pairs->is_taken[to] ||
		    part_of_new(m, SIDE_BASELINE, from, to) > 0.5 ||
		    part_of_new(m, SIDE_SLOW, from, to) < 0.5)
			continue;
		t->moved_to[from] = to;
		pairs->is_taken[from] = pairs->is_taken[to] = true;
		taken++;
	}
	if (taken)
		t->moves[t->move_count++] = (struct func_move){ .from = f->from,
								.to = f->to,
								taken };
	return true;
}

/* A number of a version in the name says it by itself. */
#define MOVED_MIN_VERSION_PAIRS 1

/* Functions that must share a change of their front to be taken for moved: a
 * class or two that look like another's may be others. */
#define MOVED_MIN_PAIRS 3

static bool moves_take(struct moving *m, struct buf *key, struct error *err)
{
	struct func_table *t = m->t;
	struct arena *arena = &m->scratch;
	struct moved_pairs pairs = {
		.from = arena_array(arena, t->count, sizeof *pairs.from),
		.to = arena_array(arena, t->count, sizeof *pairs.to),
		.is_taken = arena_array(arena, t->count, 1),
	};
	size_t tried = 0;

	t->moved_to = arena_array(t->arena, t->count, sizeof *t->moved_to);
	if (!pairs.from || !pairs.to || !pairs.is_taken)
		return no_memory(m, err);
	if (!t->moved_to)
		return arena_fail(t->arena, WHAT, err);
	for (uint32_t id = 0; id < t->count; id++)
		t->moved_to[id] = id;
	for (size_t i = 0; i < m->front_count && tried < FRONTS_TRIED &&
			   t->move_count < FUNC_MOVES_MAX;
	     i++) {
		const struct front *f = &m->fronts[i];
		bool is_version_change = str_equal(without_version(f->from),
						   without_version(f->to));

		if (f->count < (is_version_change ? MOVED_MIN_VERSION_PAIRS
						  : MOVED_MIN_PAIRS))
			continue;
		tried++;
		if (!front_take(m, f, &pairs, key, err))
			return false;
	}
	return true;
}

/* ---- the whole ---- */

bool moved_join(struct func_table *t, struct error *err)
{
	struct moving m = { .t = t };
	struct buf key;
	bool done;

	arena_init(&m.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	buf_init(&key, LIMIT_STRING_BYTES);
	done = values_sum(&m, err) && candidates_make(&m, err) &&
	       fronts_make(&m, err) && moves_take(&m, &key, err);
	buf_release(&key);
	arena_release(&m.scratch);
	for (int s = 0; done && t->move_count && s < SIDE_COUNT; s++) {
		struct func_side *side = &t->sides[s];

		for (uint32_t f = 0; f < side->profile->function_count; f++)
			side->entries[f] = t->moved_to[side->entries[f]];
	}
	return done;
}
