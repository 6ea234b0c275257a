/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/skew.h"

#include "analyze/calls.h"
#include "base/map.h"
#include "base/num.h"

/* Identity of a host, best first, as Jaeger takes it; the last two are its
 * own process tags. */
static const char *const host_names[] = { "host.id", "host.ip", "host.name",
					  "ip", "hostname" };

/* A callee that lasts at most this much longer than its call is measured by
 * another clock, not left behind by its caller (CRISP). */
#define LONGER_PERCENT 1

struct skew {
	const struct trace *t;
	struct arena scratch;
	uint32_t *hosts;    /* per resource: symbol of its host, 0 unknown */
	struct map trusted; /* pairs of resources whose clocks agree */
};

static uint32_t host_of(const struct trace *t, uint32_t resource)
{
	const struct resource *r = &t->resources[resource];

	for (size_t n = 0; n < sizeof host_names / sizeof *host_names; n++) {
		uint32_t key = symtab_find(&t->symtab, str_from(host_names[n]));

		for (uint32_t i = 0; key != MAP_NONE && i < r->attr_count;
		     i++) {
			const struct attr *a = &t->attrs[r->attr_first + i];

			if (a->key == key)
				return a->value;
		}
	}
	return 0;
}

static bool fits(const struct span *child, const struct span *parent)
{
	return child->start_ns >= parent->start_ns &&
	       child->end_ns <= parent->end_ns;
}

static uint64_t pair_key(const struct span *child, const struct span *parent)
{
	return (uint64_t)parent->resource << 32 | child->resource;
}

/* One fitting call shows that the clocks agree; another that reaches beyond its
 * caller's was left alone by it. One that lies apart shows that they do not. */
static bool find_trusted(struct skew *k)
{
	uint32_t ignored;

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		const struct span *s = &k->t->spans[i];
		const struct span *parent;

		if (!span_is_served_call(k->t, i))
			continue;
		parent = &k->t->spans[s->parent];
		if (fits(s, parent) &&
		    !map_insert_u64(&k->trusted, pair_key(s, parent), 1,
				    &ignored))
			return false;
	}
	return true;
}

/* Hosts may be called alike: what begins before it is called is on another
 * clock. */
static bool is_same_clock(const struct skew *k, const struct span *child,
			  const struct span *parent)
{
	uint32_t host = k->hosts[child->resource];

	return child->resource == parent->resource ||
	       (host && host == k->hosts[parent->resource] &&
		child->start_ns >= parent->start_ns);
}

/* At most as long as its call, but for what two clocks measure differently. */
static bool is_as_long(const struct span *child, const struct span *parent)
{
	int64_t longest = span_duration_ns(parent);

	longest = sat_add_i64(longest, longest / 100 * LONGER_PERCENT);
	return span_duration_ns(child) <= longest;
}

/* The two sides of a call. The caller's may have no kind, when all it did was
 * this call; or it is not in the trace: still nothing starts before what it
 * was started by. */
static bool is_remote_pair(const struct skew *k, uint32_t span)
{
	const struct span *s = &k->t->spans[span];
	const struct span *parent = &k->t->spans[s->parent];

	if (span_is_served_call(k->t, span))
		return true;
	if (s->kind != SPAN_KIND_SERVER)
		return false;
	return s->start_ns < parent->start_ns ||
	       (parent->kind == SPAN_KIND_INTERNAL &&
		parent->child_count == 1 && is_as_long(s, parent));
}

/* Who waits for an answer has not ended before the question arrived. */
static bool is_apart(const struct span *child, const struct span *parent)
{
	return child->start_ns >= parent->end_ns ||
	       child->end_ns <= parent->start_ns;
}

/* A caller that failed may have given up on a callee that went on. */
static bool is_abandoned(const struct span *child, const struct span *parent)
{
	return child->start_ns >= parent->start_ns &&
	       (parent->flags & SPAN_IS_ERROR);
}

static int64_t align(const struct span *child, const struct span *parent)
{
	int64_t room =
		sat_sub_i64(span_duration_ns(parent), span_duration_ns(child));

	if (room >= 0)
		return sat_sub_i64(sat_add_i64(parent->start_ns, room / 2),
				   child->start_ns);
	if (child->start_ns < parent->start_ns || is_as_long(child, parent) ||
	    is_apart(child, parent))
		return sat_sub_i64(parent->start_ns, child->start_ns);
	return 0;
}

static int64_t shift_of(const struct skew *k, const struct span *child,
			uint32_t span, int64_t parent_shift)
{
	const struct span *parent = &k->t->spans[child->parent];
	struct span moved = *parent;

	if (is_same_clock(k, child, parent) || fits(child, parent))
		return parent_shift;
	moved.start_ns = sat_add_i64(moved.start_ns, parent_shift);
	moved.end_ns = sat_add_i64(moved.end_ns, parent_shift);
	if (parent_shift && fits(child, &moved))
		return 0;
	if (!is_remote_pair(k, span) || is_abandoned(child, parent) ||
	    (map_find_u64(&k->trusted, pair_key(child, parent)) != MAP_NONE &&
	     !is_apart(child, parent)))
		return parent_shift;
	return sat_add_i64(parent_shift, align(child, parent));
}

bool clock_shifts_compute(const struct trace *t, const uint32_t *order,
			  int64_t *shift_ns, struct error *err)
{
	struct skew k = { .t = t };
	bool is_done;

	arena_init(&k.scratch, LIMIT_DECODE_HEAP_BYTES);
	map_init(&k.trusted, &k.scratch);
	k.hosts = arena_array(&k.scratch, t->resource_count, sizeof *k.hosts);
	is_done = k.hosts && find_trusted(&k);
	for (uint32_t i = 0; is_done && i < t->resource_count; i++)
		k.hosts[i] = host_of(t, i);
	for (uint32_t i = 0; is_done && i < t->span_count; i++) {
		const struct span *s = &t->spans[order[i]];

		if (s->parent != SPAN_NONE)
			shift_ns[order[i]] =
				shift_of(&k, s, order[i], shift_ns[s->parent]);
	}
	if (!is_done)
		arena_fail(&k.scratch, "the trace", err);
	arena_release(&k.scratch);
	return is_done;
}

int64_t clock_skew_ns(const struct trace *t, const int64_t *shift_ns,
		      uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (s->kind != SPAN_KIND_SERVER || s->parent == SPAN_NONE ||
	    fits(s, &t->spans[s->parent]))
		return 0;
	return sat_sub_i64(shift_ns[span], shift_ns[s->parent]);
}
