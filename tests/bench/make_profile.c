/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/arena.h"
#include "make_input.h"

#define DEPTH_MIN 12
#define DEPTH_MAX 48
#define CALLEES 6
#define NAME_BYTES 96
#define SEED 20261121u
#define SAMPLE_NS 10000000u
/* The function that is slower on the later side. */
#define REGRESSED 3u

/* Strings 1..5 of the table; names and files of functions follow. */
static const char *const header_texts[] = {
	"samples", "count", "cpu", "nanoseconds", "/usr/local/bin/shop",
};
#define HEADER_TEXTS (sizeof header_texts / sizeof *header_texts)

struct graph {
	const struct profile_shape *shape;
	struct arena arena;
	uint32_t *callees; /* CALLEES of each function */
	uint64_t seed;
	uint32_t frames[DEPTH_MAX]; /* of the stack at hand, root first */
	uint32_t depth;
	uint64_t count; /* samples of it */
};

/* Of a service in Go: a third its own, the rest of libraries and the
 * language. Distinct for each function, file included. */
static void function_text(uint32_t f, char name[NAME_BYTES],
			  char file[NAME_BYTES])
{
	static const char *const packages[] = {
		"github.com/acme/shop/internal/",
		"go.uber.org/zap/",
		"encoding/",
		"github.com/acme/shop/",
		"google.golang.org/grpc/",
		"runtime/internal/",
	};
	static const char *const nouns[] = {
		"Cart",	  "Order", "Price", "Stock", "Buffer", "Index",
		"Client", "Page",  "Row",   "Token", "Route",  "Cache",
	};
	static const char *const verbs[] = {
		"Encode", "Merge", "Sort",  "Load",  "Flush", "Scan",
		"Commit", "Parse", "Apply", "Match", "Close", "Visit",
	};
	const char *package = packages[f % 6];
	const char *noun = nouns[f / 6 % 12];
	uint32_t rest = f / 72;

	/* In words, since numbers at the end are taken for generated ones. */
	snprintf(name, NAME_BYTES, "%s%c%cstore.(*%s).%s%s%s", package,
		 'a' + (int)(rest / 144 % 26), 'a' + (int)(rest / 3744 % 26),
		 noun, verbs[rest % 12], nouns[rest / 12 % 12],
		 f % 5 ? "" : "Locked");
	snprintf(file, NAME_BYTES, "/src/%s%s_%u.go", package, noun, f / 40);
}

static bool graph_init(struct graph *g, const struct profile_shape *shape)
{
	size_t count = (size_t)shape->functions * CALLEES;

	*g = (struct graph){ .shape = shape, .seed = SEED };
	arena_init(&g->arena, MADE_BYTES);
	g->callees = arena_array(&g->arena, count, sizeof *g->callees);
	if (!g->callees)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = random_below(&g->seed, shape->functions);

		/* Squared: few functions are called from nearly everywhere. */
		g->callees[i] = (uint32_t)(at * at / shape->functions);
	}
	return true;
}

/* Both sides walk the same stacks; what differs is drawn apart. False when
 * this side has no samples of it. */
static bool graph_step(struct graph *g, uint32_t index)
{
	uint64_t own = (uint64_t)index << 1 | g->shape->is_later;
	uint32_t target =
		DEPTH_MIN + random_below(&g->seed, DEPTH_MAX - DEPTH_MIN);
	uint32_t kept = random_below(&g->seed, 8);

	/* A stack shares all but its last frames with the one before. */
	g->depth = g->depth > kept ? g->depth - kept : 0;
	if (g->depth >= target)
		g->depth = target - 1;
	for (; g->depth < target; g->depth++) {
		uint32_t caller = g->depth ? g->frames[g->depth - 1] : 0;
		uint32_t at = random_below(&g->seed, CALLEES);

		g->frames[g->depth] = g->callees[caller * CALLEES + at];
	}
	g->count = 1 + 64 / (1 + random_below(&g->seed, 64));
	if (g->shape->is_later && g->frames[g->depth - 1] == REGRESSED)
		g->count += g->count * 3 / 10 + 1;
	return random_below(&own, 100) >= 4;
}

/* ---- pprof ---- */

/* Location ids are function ids, doubled: each function has two lines. The
 * later side counts functions from the other end. */
static uint32_t function_id(const struct graph *g, uint32_t f)
{
	return g->shape->is_later ? g->shape->functions - f : f + 1;
}

static void put_type(struct buf *out, unsigned field, uint32_t type)
{
	char bytes[4] = { 1 << 3, (char)type, 2 << 3, (char)(type + 1) };

	pb_bytes(out, field, (struct str){ bytes, sizeof bytes });
}

static void put_sample(struct graph *g, struct buf *ids, struct buf *message,
		       struct buf *out)
{
	buf_clear(ids);
	for (uint32_t i = g->depth; i-- > 0;) {
		uint32_t id = function_id(g, g->frames[i]);

		pb_varint(ids, 2 * (uint64_t)id - (g->frames[i] + i) % 2);
	}
	buf_clear(message);
	pb_bytes(message, 1, buf_str(ids));
	buf_clear(ids);
	pb_varint(ids, g->count);
	pb_varint(ids, g->count * SAMPLE_NS);
	pb_bytes(message, 2, buf_str(ids));
	pb_bytes(out, 2, buf_str(message));
}

static void put_line(struct buf *line, struct buf *message, uint32_t function,
		     uint32_t number)
{
	buf_clear(line);
	pb_number(line, 1, function);
	pb_number(line, 2, number);
	pb_bytes(message, 4, buf_str(line));
}

/* One in seven has an inlined function in front of its own. */
static void put_location(const struct graph *g, uint32_t id, struct buf *line,
			 struct buf *message, struct buf *out)
{
	uint32_t function = (id + 1) / 2;

	buf_clear(message);
	pb_number(message, 1, id);
	pb_number(message, 2, 1);
	pb_number(message, 3, 0x400000 + (uint64_t)id * 37);
	if (id % 7 == 0)
		put_line(line, message, 1 + id % g->shape->functions, 12);
	put_line(line, message, function, 10 + id % 900);
	pb_bytes(out, 4, buf_str(message));
}

static void put_function(uint32_t id, struct buf *message, struct buf *out)
{
	uint64_t name = HEADER_TEXTS + 2 * (uint64_t)id - 1;

	buf_clear(message);
	pb_number(message, 1, id);
	pb_number(message, 2, name);
	pb_number(message, 3, name);
	pb_number(message, 4, name + 1);
	pb_number(message, 5, id % 700 + 1);
	pb_bytes(out, 5, buf_str(message));
}

static void put_tables(const struct graph *g, struct buf *line,
		       struct buf *message, struct buf *out)
{
	uint32_t functions = g->shape->functions;
	char name[NAME_BYTES], file[NAME_BYTES];

	buf_clear(message);
	pb_number(message, 1, 1);
	pb_number(message, 2, 0x400000);
	pb_number(message, 3, 0x8000000);
	pb_number(message, 5, HEADER_TEXTS);
	pb_number(message, 7, 1);
	pb_bytes(out, 3, buf_str(message));
	for (uint32_t id = 1; id <= 2 * functions; id++)
		put_location(g, id, line, message, out);
	for (uint32_t id = 1; id <= functions; id++)
		put_function(id, message, out);
	pb_text(out, 6, "");
	for (size_t i = 0; i < HEADER_TEXTS; i++)
		pb_text(out, 6, header_texts[i]);
	for (uint32_t id = 1; id <= functions; id++) {
		function_text(g->shape->is_later ? functions - id : id - 1,
			      name, file);
		pb_text(out, 6, name);
		pb_text(out, 6, file);
	}
}

bool make_pprof(const struct profile_shape *shape, struct buf *out)
{
	struct graph g;
	struct buf ids, message;
	bool done = graph_init(&g, shape);

	buf_init(&ids, MADE_BYTES);
	buf_init(&message, MADE_BYTES);
	put_type(out, 1, 1);
	put_type(out, 1, 3);
	for (uint32_t i = 0; done && i < shape->stacks; i++)
		if (graph_step(&g, i))
			put_sample(&g, &ids, &message, out);
	put_tables(&g, &ids, &message, out);
	pb_number(out, 9, 1700000000000000000u);
	pb_number(out, 10, 30000000000u);
	put_type(out, 11, 3);
	pb_number(out, 12, SAMPLE_NS);
	buf_release(&ids);
	buf_release(&message);
	arena_release(&g.arena);
	return done;
}

/* ---- folded ---- */

bool make_folded(const struct profile_shape *shape, struct buf *out)
{
	struct graph g;
	char name[NAME_BYTES], file[NAME_BYTES];
	bool done = graph_init(&g, shape);

	for (uint32_t i = 0; done && i < shape->stacks; i++) {
		if (!graph_step(&g, i))
			continue;
		for (uint32_t k = 0; k < g.depth; k++) {
			function_text(g.frames[k], name, file);
			if (k)
				buf_add_char(out, ';');
			buf_add_text(out, name);
		}
		buf_addf(out, " %u\n", (unsigned)g.count);
	}
	arena_release(&g.arena);
	return done;
}
