/* SPDX-License-Identifier: Apache-2.0 */
#include "make_spans.h"

#include <stdio.h>

#include "random.h"

#define SEED 20261122u
#define START_NS 1700000000000000000u
/* Spans that an exporter sends together. */
#define BATCH_SPANS 512u
#define TRACE_SPANS_MIN 3u
#define TRACE_SPANS_MAX 5000u
/* Sizes and durations are log-normal. As powers of two, in Q16: the middle
 * trace has 24.5 spans, the mean 37; the middle root takes 108 ms. */
#define SIZE_MIDDLE 302553
#define SIZE_DEVIATION 85093
#define ROOT_MIDDLE 1749155
#define ROOT_DEVIATION 75638
#define ROOT_MIN_NS 200000u
#define SPAN_MIN_NS 1000u
/* A parent is one of so many spans before. */
#define NEAR_SPANS 12u
/* In a large trace, one span in so many is asked again in a loop. */
#define REPEAT_EVERY 400u

const char *const service_names[SERVICES] = {
	"frontend", "basket",  "billing",  "catalog", "delivery",
	"identity", "pricing", "search",   "stock",   "recommender",
	"mailer",   "mysql",   "memcache", "events",
};

static const char *const verbs[] = {
	"GET", "Find", "POST", "Store", "PUT", "List",
};
static const char *const things[] = {
	"account", "coupon", "item", "order", "parcel", "quote",
};

/* Six operations of each service. */
void made_span_name(enum trace_kind kind, const struct made_span *s,
		    char name[SPAN_NAME_BYTES])
{
	uint32_t i = s->alike % 6;
	const char *service = service_names[s->service];

	if (kind == TRACE_SAME_NAME)
		snprintf(name, SPAN_NAME_BYTES, "work");
	else if (kind == TRACE_NAMES)
		snprintf(name, SPAN_NAME_BYTES, "%s %s %u of %s", verbs[i],
			 things[i], s->number, service);
	else if (i % 2)
		snprintf(name, SPAN_NAME_BYTES, "%s /api/%s/%s", verbs[i],
			 service, things[i]);
	else
		snprintf(name, SPAN_NAME_BYTES, "%s.%s_%s", service, verbs[i],
			 things[i]);
}

void spans_init(struct spans_maker *m, enum trace_kind kind,
		uint32_t span_count)
{
	*m = (struct spans_maker){
		.kind = kind,
		.span_count = span_count,
		.random = SEED,
		.start_ns = START_NS,
	};
	arena_init(&m->arena, MADE_BYTES);
}

void spans_release(struct spans_maker *m)
{
	arena_release(&m->arena);
}

static bool make_room(struct spans_maker *m, uint32_t spans)
{
	struct batch *b = &m->batch;
	void *traces = b->traces, *items = b->spans;
	bool done = arena_reserve(&m->arena, &traces, &b->trace_cap,
				  b->trace_count + 1, sizeof *b->traces) &&
		    arena_reserve(&m->arena, &items, &b->span_cap,
				  b->span_count + spans, sizeof *b->spans);

	b->traces = traces;
	b->spans = items;
	return done;
}

static uint32_t draw_size(struct spans_maker *m)
{
	uint64_t size;

	if (m->kind != TRACES_MANY)
		return m->span_count;
	size = power_of_two(SIZE_MIDDLE +
			    SIZE_DEVIATION * random_normal(&m->random) / Q16);
	if (size < TRACE_SPANS_MIN)
		size = TRACE_SPANS_MIN;
	if (size > TRACE_SPANS_MAX)
		size = TRACE_SPANS_MAX;
	if (size > m->span_count - m->made)
		size = m->span_count - m->made;
	return (uint32_t)size;
}

static uint32_t draw_parent(struct spans_maker *m, uint32_t i)
{
	uint32_t near = i < NEAR_SPANS ? i : NEAR_SPANS;

	switch (m->kind) {
	case TRACES_MANY:
		return i - near + random_below(&m->random, near);
	case TRACE_FAN:
		return 0;
	case TRACE_CHAIN:
		return i - 1;
	default:
		return random_below(&m->random, i);
	}
}

/* Within the first three fifths of the parent, for up to nine tenths of what
 * is left of it. */
static void place_child(struct spans_maker *m, const struct made_span *parent,
			struct made_span *s)
{
	uint64_t offset =
		parent->duration_ns / 1000 * random_below(&m->random, 600);
	uint64_t left = parent->duration_ns - offset;
	uint64_t permille = 200 + random_below(&m->random, 700);

	if (m->kind == TRACE_CHAIN) {
		offset = 1;
		left = parent->duration_ns - 2;
		permille = 1000;
	}
	s->start_ns = parent->start_ns + offset;
	s->duration_ns = left * permille / 1000;
	if (s->duration_ns < SPAN_MIN_NS)
		s->duration_ns = SPAN_MIN_NS;
}

static void make_root(struct spans_maker *m, struct made_span *s)
{
	int64_t away = ROOT_DEVIATION * random_normal(&m->random) / Q16;

	s->parent = NO_PARENT;
	s->start_ns = m->start_ns;
	s->duration_ns = ROOT_MIN_NS + power_of_two(ROOT_MIDDLE + away);
}

/* The same again, a little later. */
static void repeat_span(struct made_span *s)
{
	uint32_t number = s->number;
	uint64_t id = s->id;

	*s = s[-1];
	s->id = id;
	s->number = number;
	s->start_ns += s->duration_ns + 500;
}

static void make_spans(struct spans_maker *m, uint32_t first, uint32_t count)
{
	struct made_span *spans = m->batch.spans + first;
	uint32_t repeats = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct made_span *s = &spans[i];

		s->id = random_next(&m->random) | 1;
		s->alike = (uint32_t)(s->id >> 32);
		s->number = m->made++;
		s->service = (uint8_t)random_below(&m->random, SERVICES);
		if (i == 0) {
			s->service = 0;
			make_root(m, s);
			continue;
		}
		s->parent = first + draw_parent(m, i);
		place_child(m, &m->batch.spans[s->parent], s);
		if (m->kind == TRACE_ONE && i > 1 && !repeats &&
		    random_below(&m->random, REPEAT_EVERY) == 0)
			repeats = 20 + random_below(&m->random, 100);
		if (repeats && i > 1) {
			repeat_span(s);
			repeats--;
		}
	}
}

static bool add_trace(struct spans_maker *m)
{
	uint32_t count = draw_size(m);
	struct batch *b = &m->batch;
	struct made_trace *t;

	if (!make_room(m, count))
		return false;
	t = &b->traces[b->trace_count++];
	t->id[0] = random_next(&m->random);
	t->id[1] = random_next(&m->random);
	t->first = (uint32_t)b->span_count;
	t->count = count;
	m->start_ns += 10000 + random_below(&m->random, 5000000);
	make_spans(m, t->first, count);
	b->span_count += count;
	return true;
}

bool spans_next(struct spans_maker *m)
{
	m->batch.span_count = 0;
	m->batch.trace_count = 0;
	while (m->made < m->span_count && m->batch.span_count < BATCH_SPANS)
		if (!add_trace(m))
			return false;
	return m->batch.span_count > 0;
}
