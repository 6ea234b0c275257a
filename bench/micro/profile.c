/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"
#include "base/gz.h"
#include "base/num.h"
#include "bench.h"
#include "decode/decode.h"
#include "make_input.h"

#define SMALL_STACKS 20000u
#define LARGE_STACKS 200000u
#define FUNCTIONS 10000u
#define LOCATIONS 25000u
#define DEPTH 30u

enum { EARLIER = 0, LATER, SIDES };

struct bench {
	uint32_t stacks;
	struct buf plain[SIDES];
	struct buf packed[SIDES];
	struct buf folded;
	/* What the analysis jobs start from. */
	struct profile sides[SIDES];
	/* What the job at hand makes. */
	struct buf unpacked;
	struct profile made[SIDES];
	struct result result;
	struct arena arena;
};

static bool decode(enum format format, struct str bytes, struct profile *out,
		   struct error *err)
{
	if (!decode_profile(format, bytes, NULL, out, NULL, err))
		return false;
	return out->stack_count ||
	       error_set(err, ERROR_INTERNAL, "no stacks were decoded");
}

/* ---- jobs ---- */

static bool inflate(struct bench *b, int side, struct error *err)
{
	buf_release(&b->unpacked);
	buf_init(&b->unpacked, MADE_BYTES);
	return gz_inflate(buf_str(&b->packed[side]), "the input", &b->unpacked,
			  err) &&
	       decode(FORMAT_PPROF, buf_str(&b->unpacked), &b->made[side], err);
}

static bool run_pprof(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = decode(FORMAT_PPROF, buf_str(&b->plain[LATER]),
			   &b->made[LATER], err);

	*heap_bytes = b->made[LATER].arena.used_bytes;
	return done;
}

static bool run_inflate(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = inflate(b, LATER, err);

	*heap_bytes = b->made[LATER].arena.used_bytes;
	return done;
}

static bool rank(struct bench *b, const struct profile *sides,
		 struct error *err)
{
	struct rank_want want = { .limit = 20 };

	return functions_rank(&sides[LATER], &sides[EARLIER], &want, &b->result,
			      err);
}

static bool run_pair(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = inflate(b, EARLIER, err) && inflate(b, LATER, err) &&
		    rank(b, b->made, err);

	*heap_bytes = b->made[EARLIER].arena.used_bytes +
		      b->made[LATER].arena.used_bytes +
		      b->result.arena.used_bytes;
	return done;
}

static bool run_rank(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = rank(b, b->sides, err);

	*heap_bytes = b->result.arena.used_bytes;
	return done;
}

static bool run_lines(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	struct stack_line *lines;
	size_t count;
	bool done = stack_lines_build(&b->sides[LATER], &b->sides[EARLIER],
				      &b->arena, &lines, &count, err);

	*heap_bytes = b->arena.used_bytes;
	return done;
}

static bool run_folded(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = decode(FORMAT_FOLDED, buf_str(&b->folded), &b->made[LATER],
			   err);

	*heap_bytes = b->made[LATER].arena.used_bytes;
	return done;
}

static void drop(void *context)
{
	struct bench *b = context;

	buf_release(&b->unpacked);
	for (int side = 0; side < SIDES; side++)
		profile_release(&b->made[side]);
	arena_release(&b->result.arena);
	arena_release(&b->arena);
}

/* ---- all of one size ---- */

static bool prepare(struct bench *b, struct error *err)
{
	memset(&b->result, 0, sizeof b->result);
	arena_init(&b->result.arena, MADE_BYTES);
	arena_init(&b->arena, MADE_BYTES);
	buf_init(&b->unpacked, MADE_BYTES);
	buf_init(&b->folded, MADE_BYTES);
	for (int side = 0; side < SIDES; side++) {
		struct profile_shape shape = {
			.stacks = b->stacks,
			.functions = FUNCTIONS,
			.locations = LOCATIONS,
			.depth = DEPTH,
			.is_later = side == LATER,
		};

		profile_init(&b->sides[side]);
		profile_init(&b->made[side]);
		buf_init(&b->plain[side], MADE_BYTES);
		buf_init(&b->packed[side], MADE_BYTES);
		if (!make_pprof(&shape, &b->plain[side]))
			return error_memory(err, "the input");
		if (!gz_deflate(buf_str(&b->plain[side]), &b->packed[side],
				err) ||
		    !decode(FORMAT_PPROF, buf_str(&b->plain[side]),
			    &b->sides[side], err))
			return false;
		if (side == LATER && !make_folded(&shape, &b->folded))
			return error_memory(err, "the input");
	}
	return buf_check(&b->folded, "the input", err);
}

static void release(struct bench *b)
{
	drop(b);
	buf_release(&b->folded);
	for (int side = 0; side < SIDES; side++) {
		profile_release(&b->sides[side]);
		buf_release(&b->plain[side]);
		buf_release(&b->packed[side]);
	}
}

static bool measure(uint32_t stacks, struct job_costs *costs, struct error *err)
{
	struct bench b = { .stacks = stacks };
	bool done = prepare(&b, err);
	size_t later = b.packed[LATER].len,
	       both = later + b.packed[EARLIER].len;
	const struct job_input input = { &b, drop, stacks };
	const struct job jobs[] = {
		{ "pprof decode", run_pprof, .bytes = b.plain[LATER].len },
		{ "pprof inflate+decode", run_inflate, .bytes = later },
		{ "pprof pair decode+rank", run_pair, .bytes = both },
		{ "functions_rank", run_rank },
		{ "stack_lines_build", run_lines },
		{ "folded decode", run_folded, .bytes = b.folded.len },
	};

	done = done && bench_jobs(jobs, COUNT_OF(jobs), &input, costs, err);
	release(&b);
	return done;
}

int main(void)
{
	return bench_main("stack", SMALL_STACKS, LARGE_STACKS, measure);
}
