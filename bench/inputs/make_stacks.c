/* SPDX-License-Identifier: Apache-2.0 */
#include "make_stacks.h"

#include <stdio.h>
#include <string.h>

#include "random.h"

#define SEED 20261121u
#define CALLEES_MIN 2
#define CALLEES_MAX 10
#define ROOTS 8
/* Nodes of one depth that are kept to begin new stacks at. */
#define BIN_NODES 20000u
#define SAMPLE_NS 10000000u
#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))

/* ---- names ---- */

static const char *const hosts[] = {
	"github.com/shopworks",
	"github.com/tidal/fleet",
	"google.golang.org/grpc",
	"go.uber.org",
	"internal",
	"net",
	"encoding",
	"github.com/shopworks/core",
};
static const char *const packages[] = {
	"basket", "billing", "catalog", "delivery", "gateway", "identity",
	"ledger", "metrics", "planner", "pricing",  "queue",   "replica",
	"router", "search",  "session", "shard",    "stock",   "stream",
};
static const char *const types[] = {
	"Batch",   "Buffer",   "Client",  "Cursor",   "Decoder", "Encoder",
	"Handler", "Iterator", "Limiter", "Registry", "Server",  "Snapshot",
};
static const char *const verbs[] = {
	"Apply", "Commit", "Compact", "Decode", "Encode", "Flush",  "Lookup",
	"Merge", "Read",   "Resolve", "Route",  "Scan",   "Verify", "Write",
};
static const char *const nouns[] = {
	"Block", "Chunk",  "Entry",  "Frame",   "Header", "Key",     "Offset",
	"Page",  "Record", "Region", "Request", "Row",    "Segment", "Token",
};

/* Two in five are methods of Go, the others functions of Go, C++ and C. */
void made_name(const struct profile_shape *shape, uint32_t f,
	       char name[NAME_BYTES])
{
	uint64_t state = f;
	uint64_t dice = random_next(&state);
	const char *host = hosts[dice % COUNT(hosts)];
	const char *package = packages[(dice >> 8) % COUNT(packages)];
	const char *type = types[(dice >> 16) % COUNT(types)];
	const char *verb = verbs[(dice >> 24) % COUNT(verbs)];
	const char *noun = nouns[(dice >> 32) % COUNT(nouns)];

	if (shape->kind == STACKS_SAME_NAME)
		snprintf(name, NAME_BYTES, "main.work");
	else if (f % 5 < 2)
		snprintf(name, NAME_BYTES, "%s/%s.(*%s).%s%s%u", host, package,
			 type, verb, noun, f);
	else if (f % 5 == 2)
		snprintf(name, NAME_BYTES, "%s/%s.on%s%u.func%u", host, package,
			 noun, f, f % 4 + 1);
	else if (f % 5 == 3)
		snprintf(name, NAME_BYTES,
			 "shop::%s::%s<std::string, %s>::do%s_%u(shop::%s "
			 "const&, unsigned long)",
			 package, type, noun, verb, f, noun);
	else
		snprintf(name, NAME_BYTES, "%s_%s_%s_%u", package, type, noun,
			 f);
}

void made_file(uint32_t f, const char *name, char file[NAME_BYTES])
{
	const char *slash = strrchr(name, '/');

	if (slash)
		snprintf(file, NAME_BYTES, "/go/src/%.*s/part_%u.go",
			 (int)strcspn(name, "("), name, f % 997);
	else
		snprintf(file, NAME_BYTES, "/src/native/%.*s/part_%u.cc",
			 (int)strcspn(name, "_<:"), name, f % 997);
}

/* ---- the graph ---- */

/* Small numbers more often: of two or three draws the least by product. */
static uint32_t skewed_below(uint64_t *state, uint32_t limit)
{
	uint64_t at = random_below(state, limit);

	at = at * random_below(state, limit) / limit;
	if (random_next(state) & 1)
		at = at * random_below(state, limit) / limit;
	return (uint32_t)at;
}

static bool make_callees(struct stacks *s)
{
	uint32_t functions = s->shape->functions;
	size_t most = (size_t)functions * CALLEES_MAX;
	uint32_t count = 0;

	s->callee_index =
		arena_array(&s->arena, functions + 1, sizeof *s->callee_index);
	s->callees = arena_array(&s->arena, most, sizeof *s->callees);
	if (!s->callee_index || !s->callees)
		return false;
	for (uint32_t f = 0; f < functions; f++) {
		uint32_t n =
			CALLEES_MIN +
			random_below(&s->random, CALLEES_MAX - CALLEES_MIN + 1);

		for (uint32_t i = 0; i < n; i++)
			s->callees[count++] =
				skewed_below(&s->random, functions);
		s->callee_index[f + 1] = count;
	}
	return true;
}

static void make_places(struct stacks *s)
{
	uint32_t functions = s->shape->functions;

	for (uint32_t i = 0; i < s->shape->locations; i++) {
		struct place *p = &s->places[i];
		uint32_t hot = skewed_below(&s->random, functions);
		uint32_t inlined = random_below(&s->random, functions);

		p->function = i < functions ? i : hot;
		p->line = 10 + random_below(&s->random, 2500);
		p->inlined = random_below(&s->random, 100) < 15 ? inlined
								: NO_FUNCTION;
	}
}

/* Places by function: counted, then dealt out. */
static bool make_sites(struct stacks *s)
{
	uint32_t functions = s->shape->functions;
	uint32_t locations = s->shape->locations;
	uint32_t *next;

	s->places = arena_array(&s->arena, locations, sizeof *s->places);
	s->sites = arena_array(&s->arena, locations, sizeof *s->sites);
	s->site_index =
		arena_array(&s->arena, functions + 1, sizeof *s->site_index);
	next = arena_array(&s->arena, functions, sizeof *next);
	if (!s->places || !s->sites || !s->site_index || !next)
		return false;
	make_places(s);
	for (uint32_t i = 0; i < locations; i++)
		s->site_index[s->places[i].function + 1]++;
	for (uint32_t f = 0; f < functions; f++) {
		s->site_index[f + 1] += s->site_index[f];
		next[f] = s->site_index[f];
	}
	for (uint32_t i = 0; i < locations; i++)
		s->sites[next[s->places[i].function]++] = i;
	return true;
}

/* ---- walks ---- */

static uint32_t add_node(struct stacks *s, uint32_t caller, uint32_t place)
{
	void *nodes = s->nodes;

	if (!arena_reserve(&s->arena, &nodes, &s->node_cap, s->node_count + 1,
			   sizeof *s->nodes))
		return 0;
	s->nodes = nodes;
	s->nodes[s->node_count] = (struct stack_node){ caller, place };
	return (uint32_t)s->node_count++;
}

static void keep_node(struct stacks *s, uint32_t depth, uint32_t node)
{
	uint32_t *count = &s->bin_counts[depth];
	uint32_t at = *count < BIN_NODES ? (*count)++
					 : random_below(&s->random, BIN_NODES);

	s->bins[(size_t)depth * BIN_NODES + at] = node;
}

static bool make_roots(struct stacks *s)
{
	/* Index 0 is no node. */
	add_node(s, 0, 0);
	for (uint32_t i = 0; i < ROOTS; i++) {
		uint32_t f = s->shape->functions - 1 - i % s->shape->functions;
		uint32_t node = add_node(s, 0, s->sites[s->site_index[f]]);

		if (!node)
			return false;
		keep_node(s, 1, node);
	}
	return true;
}

bool stacks_init(struct stacks *s, const struct profile_shape *shape)
{
	*s = (struct stacks){ .shape = shape, .random = SEED };
	arena_init(&s->arena, MADE_BYTES);
	s->bin_depth = shape->depth * 3 + 2;
	s->seen_slots = 64;
	while (s->seen_slots < (size_t)shape->stacks * 2)
		s->seen_slots *= 2;
	s->seen = arena_array(&s->arena, s->seen_slots, sizeof *s->seen);
	s->bin_counts =
		arena_array(&s->arena, s->bin_depth, sizeof *s->bin_counts);
	s->bins = arena_array(&s->arena, (size_t)s->bin_depth * BIN_NODES,
			      sizeof *s->bins);
	return s->seen && s->bin_counts && s->bins && make_callees(s) &&
	       make_sites(s) && make_roots(s);
}

void stacks_release(struct stacks *s)
{
	arena_release(&s->arena);
}

/* A call site of one of the callees of the node's function. */
static uint32_t draw_callee(struct stacks *s, uint32_t node)
{
	uint32_t f = s->places[s->nodes[node].place].function;
	uint32_t first = s->callee_index[f];
	uint32_t at = random_below(&s->random, s->callee_index[f + 1] - first);
	uint32_t callee = s->callees[first + at];
	uint32_t site = s->site_index[callee];
	uint32_t sites = s->site_index[callee + 1] - site;

	return s->sites[site + random_below(&s->random, sites)];
}

static uint32_t draw_depth(struct stacks *s)
{
	int64_t depth = s->shape->depth;
	int64_t away = depth / 4 * random_normal(&s->random) / Q16;

	depth += away;
	if (depth < 3)
		depth = 3;
	return depth < s->bin_depth - 1 ? (uint32_t)depth : s->bin_depth - 1;
}

/* A stack there was, and up to six frames more. */
static bool walk(struct stacks *s)
{
	uint32_t target = draw_depth(s);
	uint32_t more = 1 + skewed_below(&s->random, 6);
	uint32_t depth = target > more ? target - more : 1;
	uint32_t at;

	while (!s->bin_counts[depth])
		depth--;
	at = random_below(&s->random, s->bin_counts[depth]);
	s->node = s->bins[(size_t)depth * BIN_NODES + at];
	while (depth < target) {
		s->node = add_node(s, s->node, draw_callee(s, s->node));
		if (!s->node)
			return false;
		keep_node(s, ++depth, s->node);
	}
	return true;
}

/* By hash: two stacks taken for one are one stack less. */
static bool is_new(struct stacks *s)
{
	uint64_t hash = 1;
	size_t at;

	for (uint32_t n = s->node; n; n = s->nodes[n].caller) {
		hash ^= s->nodes[n].place;
		hash = random_next(&hash);
	}
	hash |= 1;
	at = hash >> 20 & (s->seen_slots - 1);
	while (s->seen[at] && s->seen[at] != hash)
		at = (at + 1) & (s->seen_slots - 1);
	if (s->seen[at])
		return false;
	s->seen[at] = hash;
	return true;
}

/* Many stacks have one sample, few have many. Both sides draw the same. */
static void draw_values(struct stacks *s)
{
	uint32_t leaf = s->places[s->nodes[s->node].place].function;
	uint32_t dice = random_below(&s->random, 1000);
	uint32_t side = random_below(&s->random, 100);
	uint64_t permille = 970 + random_below(&s->random, 61);
	uint64_t count = 1 + 300 / (dice + 10);

	s->count = count;
	s->cpu_ns = count * SAMPLE_NS;
	if (s->shape->is_later) {
		if (leaf == 0)
			permille = permille * 12 / 10;
		s->cpu_ns = s->cpu_ns * permille / 1000;
	}
	if (side < 4 ? s->shape->is_later : side >= 96 && !s->shape->is_later)
		s->count = 0;
}

/* ---- stacks of no real program ---- */

/* A frame of each of so many functions, from one on. */
static bool straight(struct stacks *s, uint32_t first, uint32_t frames)
{
	s->node = 0;
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t f = (first + i) % s->shape->functions;

		s->node = add_node(s, s->node, s->sites[s->site_index[f]]);
		if (!s->node)
			return false;
	}
	s->count = 1;
	s->cpu_ns = SAMPLE_NS;
	return true;
}

static bool next_hostile(struct stacks *s)
{
	uint32_t depth = s->shape->depth;

	if (s->shape->kind == STACKS_ONE) {
		s->made = s->shape->stacks;
		return straight(s, 0, s->shape->stacks);
	}
	/* The nodes of an equal stack are made once. */
	if (s->shape->kind == STACKS_EQUAL)
		return s->made++ ? true : straight(s, 0, depth);
	return straight(s, s->made++ * depth, depth);
}

static bool next_real(struct stacks *s)
{
	do {
		if (!walk(s))
			return false;
	} while (!is_new(s));
	s->made++;
	draw_values(s);
	return true;
}

bool stacks_next(struct stacks *s)
{
	if (s->made >= s->shape->stacks)
		return false;
	if (s->shape->kind == STACKS_REAL || s->shape->kind == STACKS_SAME_NAME)
		return next_real(s);
	return next_hostile(s);
}
