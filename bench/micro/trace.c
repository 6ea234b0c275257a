/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/trace_analysis.h"
#include "base/json.h"
#include "base/num.h"
#include "bench.h"
#include "decode/decode.h"
#include "make_input.h"

#define SMALL_SPANS 10000u
#define LARGE_SPANS 100000u

struct bench {
	uint32_t span_count;
	struct buf otlp_pb, otlp_json, jaeger_json;
	/* What the analysis jobs start from. */
	struct trace trace;
	struct arena arena; /* of times and pick */
	struct trace_times times;
	struct result guilty;
	struct guilty_pick pick;
	/* What the job at hand makes. */
	struct trace made;
	struct result result;
};

/* ---- jobs ---- */

static bool decode(struct bench *b, enum format format, const struct buf *bytes,
		   struct trace *out, struct error *err)
{
	if (!decode_trace(format, buf_str(bytes), NULL, out, NULL, err))
		return false;
	if (out->span_count != b->span_count)
		return error_set(err, ERROR_INTERNAL,
				 "%u spans were made, %u decoded",
				 b->span_count, out->span_count);
	return true;
}

static bool run_decode(struct bench *b, enum format format,
		       const struct buf *bytes, size_t *heap_bytes,
		       struct error *err)
{
	bool done = decode(b, format, bytes, &b->made, err);

	*heap_bytes = b->made.arena.used_bytes;
	return done;
}

static bool run_otlp_pb(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;

	return run_decode(b, FORMAT_OTLP_PB, &b->otlp_pb, heap_bytes, err);
}

static bool run_otlp_json(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;

	return run_decode(b, FORMAT_OTLP_JSON, &b->otlp_json, heap_bytes, err);
}

static bool run_jaeger(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;

	return run_decode(b, FORMAT_JAEGER_JSON, &b->jaeger_json, heap_bytes,
			  err);
}

static bool skip(struct str bytes, struct error *err)
{
	struct json_reader *r = json_new(bytes, err);
	bool done;

	if (!r)
		return false;
	json_skip(r);
	done = json_check(r, err) &&
	       (json_at_end(r) ||
		error_set(err, ERROR_INTERNAL, "something is left behind"));
	json_free(r);
	return done;
}

static bool run_skip_otlp(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;

	*heap_bytes = 0;
	return skip(buf_str(&b->otlp_json), err);
}

static bool run_skip_jaeger(void *context, size_t *heap_bytes,
			    struct error *err)
{
	struct bench *b = context;

	*heap_bytes = 0;
	return skip(buf_str(&b->jaeger_json), err);
}

static bool find(struct bench *b, struct arena *arena, struct result *result,
		 struct trace_times *times, struct guilty_pick *pick,
		 struct error *err)
{
	const struct guilty_want want = { .by = GUILTY_BY_CRITICAL_PATH };

	return trace_times_compute(&b->trace, arena, times, err) &&
	       guilty_find(&b->trace, times, &want, NULL, result, pick, err);
}

static bool run_guilty(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	struct trace_times times;
	struct guilty_pick pick;
	bool done = find(b, &b->result.arena, &b->result, &times, &pick, err);

	*heap_bytes = b->result.arena.used_bytes;
	return done;
}

static bool run_waterfall(void *context, size_t *heap_bytes, struct error *err)
{
	struct bench *b = context;
	bool done = waterfall_build(&b->trace, &b->times, &b->pick, &b->result,
				    err);

	*heap_bytes = b->result.arena.used_bytes;
	return done;
}

static void result_init(struct result *result)
{
	memset(result, 0, sizeof *result);
	arena_init(&result->arena, MADE_BYTES);
}

static void drop(void *context)
{
	struct bench *b = context;

	trace_release(&b->made);
	arena_release(&b->result.arena);
	result_init(&b->result);
}

/* ---- all of one size ---- */

static bool make(uint32_t span_count, enum trace_format format, struct buf *out)
{
	struct trace_maker *m = trace_maker_new(TRACE_ONE, span_count, format);

	while (m && trace_maker_step(m, out))
		;
	trace_maker_free(m);
	return m;
}

static bool prepare(struct bench *b, struct error *err)
{
	buf_init(&b->otlp_pb, MADE_BYTES);
	buf_init(&b->otlp_json, MADE_BYTES);
	buf_init(&b->jaeger_json, MADE_BYTES);
	arena_init(&b->arena, MADE_BYTES);
	trace_init(&b->trace);
	trace_init(&b->made);
	result_init(&b->result);
	result_init(&b->guilty);
	if (!make(b->span_count, OTLP_PB, &b->otlp_pb) ||
	    !make(b->span_count, OTLP_JSON, &b->otlp_json) ||
	    !make(b->span_count, JAEGER_JSON, &b->jaeger_json))
		return error_memory(err, "the input");
	return buf_check(&b->otlp_pb, "the input", err) &&
	       buf_check(&b->otlp_json, "the input", err) &&
	       buf_check(&b->jaeger_json, "the input", err) &&
	       decode(b, FORMAT_OTLP_PB, &b->otlp_pb, &b->trace, err) &&
	       find(b, &b->arena, &b->guilty, &b->times, &b->pick, err);
}

static void release(struct bench *b)
{
	drop(b);
	trace_release(&b->trace);
	arena_release(&b->guilty.arena);
	arena_release(&b->arena);
	buf_release(&b->otlp_pb);
	buf_release(&b->otlp_json);
	buf_release(&b->jaeger_json);
}

static bool measure(uint32_t span_count, struct job_costs *costs,
		    struct error *err)
{
	struct bench b = { .span_count = span_count };
	bool done = prepare(&b, err);
	size_t otlp = b.otlp_json.len, jaeger = b.jaeger_json.len;
	const struct job_input input = { &b, drop, span_count };
	const struct job jobs[] = {
		{ "OTLP protobuf decode", run_otlp_pb, .bytes = b.otlp_pb.len },
		{ "OTLP JSON decode", run_otlp_json, .bytes = otlp },
		{ "Jaeger JSON decode", run_jaeger, .bytes = jaeger },
		{ "OTLP JSON skip", run_skip_otlp, .bytes = otlp },
		{ "Jaeger JSON skip", run_skip_jaeger, .bytes = jaeger },
		{ "trace_times + guilty_find", run_guilty },
		{ "waterfall_build", run_waterfall },
	};

	done = done && bench_jobs(jobs, COUNT_OF(jobs), &input, costs, err);
	release(&b);
	return done;
}

int main(void)
{
	return bench_main("span", SMALL_SPANS, LARGE_SPANS, measure);
}
