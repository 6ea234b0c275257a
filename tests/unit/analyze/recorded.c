/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded answers of real servers and pushed files, through the decoders:
 * the same trace must give the same answer whatever way it came.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/trace_analysis.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "decode/decode.h"

struct recorded {
	const char *file;
	const char *span_id;
	const char *service;
	const char *name;
	int64_t critical_us;
	uint32_t count;
	enum cause_kind cause;
};

#define B_LOOP                                                                 \
	"53995c3f42cd8ad8", "user-db", "UserRepository.findByEmail", 601000,   \
		52, CAUSE_N_PLUS_ONE
#define A_CHARGE                                                               \
	"c28444f72e63ce40", "payment", "POST /charge", 183000, 1, CAUSE_UNKNOWN
#define C_PART                                                                 \
	"56130f4604e30e6d", "fan-7", "GET /part", 152000, 1, CAUSE_UNKNOWN
#define D_SKEW "18dc7ed0e7fce4f7", "left", "GET /skew", 150000, 1, CAUSE_UNKNOWN
#define E1_ROOT "f981c92f2d9597fe", "orphanage", "root", 70000, 1, CAUSE_UNKNOWN
#define E2_HALF                                                                \
	"9f19733365b14437", "rootless", "second half", 70000, 1, CAUSE_UNKNOWN
#define F_DEEP "5c3c4cb5c79134eb", "s1", "op3", 729947, 1, CAUSE_UNKNOWN
#define G_LATE                                                                 \
	"ab765b3f7e0a0b36", "late-front", "GET /late", 270000, 1, CAUSE_UNKNOWN
#define G1_DB "8f9cd87a6cdc9968", "late-back", "db", 70000, 1, CAUSE_DOWNSTREAM
#define I_EDGES "535a37231269dde1", "edges", "edges", 46999, 1, CAUSE_UNKNOWN
#define I2_ROOT                                                                \
	"3fba0af778192a1f", "absurd-times", "root", 50000, 1, CAUSE_UNKNOWN
#define K_RENAMED                                                              \
	"0000000000000001", "zip-server", "get /zip", 40000, 1, CAUSE_UNKNOWN
#define K_SHARED                                                               \
	"000000000000c0de", "zip-server", "get /zip", 40000, 1, CAUSE_UNKNOWN

static const struct recorded answers[] = {
	{ "otlp/b.json", B_LOOP },
	{ "otlp/b.pb", B_LOOP },
	{ "tempo/trace-b-nplus1-v1-json/body.json", B_LOOP },
	{ "tempo/trace-b-nplus1-v2-json/body.json", B_LOOP },
	{ "tempo/trace-b-nplus1-v2-pb/body.pb", B_LOOP },
	{ "tempo/trace-b-nplus1-v2-pb-gzip/body.pb.gz", B_LOOP },
	{ "jaeger/trace-b-nplus1-v3/body.json", B_LOOP },
	{ "jaeger/trace-b-nplus1-legacy/body.json", B_LOOP },
	{ "otlp/a.json", A_CHARGE },
	{ "tempo/trace-a-web-v1-pb/body.pb", A_CHARGE },
	{ "tempo/trace-a-web-v2-pb/body.pb", A_CHARGE },
	{ "tempo/trace-a-web-v2-json/body.json", A_CHARGE },
	{ "jaeger/trace-a-web-v3/body.json", A_CHARGE },
	{ "jaeger/trace-a-web-legacy/body.json", A_CHARGE },
	{ "otlp/c.pb", C_PART },
	{ "tempo/trace-c-fanout-v2-pb/body.pb", C_PART },
	{ "jaeger/trace-c-fanout-v3/body.json", C_PART },
	{ "jaeger/trace-c-fanout-legacy/body.json", C_PART },
	{ "otlp/d.pb", D_SKEW },
	{ "tempo/trace-d-skew-v2-json/body.json", D_SKEW },
	{ "jaeger/trace-d-skew-v3/body.json", D_SKEW },
	{ "jaeger/trace-d-skew-v3-raw/body.json", D_SKEW },
	{ "jaeger/trace-d-skew-v3-adjusted/body.json", D_SKEW },
	{ "jaeger/trace-d-skew-legacy/body.json", D_SKEW },
	{ "jaeger/trace-d-skew-legacy-adjusted/body.json", D_SKEW },
	{ "otlp/e1.json", E1_ROOT },
	{ "tempo/trace-e1-orphan-v2-pb/body.pb", E1_ROOT },
	{ "jaeger/trace-e1-orphan-legacy/body.json", E1_ROOT },
	{ "otlp/e2.pb", E2_HALF },
	{ "tempo/trace-e2-rootless-v1-json/body.json", E2_HALF },
	{ "jaeger/trace-e2-rootless-v3/body.json", E2_HALF },
	{ "otlp/f.json.gz", F_DEEP },
	{ "tempo/trace-f-5000-v2-json/body.json.gz", F_DEEP },
	{ "tempo/trace-f-5000-v2-pb/body.pb.gz", F_DEEP },
	{ "tempo/trace-g-late-both-halves-v2-pb/body.pb", G_LATE },
	{ "jaeger/trace-g-late-both-halves-legacy/body.json", G_LATE },
	{ "otlp/g1.pb", G1_DB },
	{ "tempo/trace-g1-first-half-v2-json/body.json", G1_DB },
	{ "otlp/i.json", I_EDGES },
	{ "tempo/trace-i-edges-v2-pb/body.pb", I_EDGES },
	{ "jaeger/trace-i-edges-v3/body.json", I_EDGES },
	{ "otlp/i2.pb", I2_ROOT },
	{ "otlp/k.json", K_SHARED },
	{ "tempo/trace-k-shared-id-v2-pb/body.pb", K_RENAMED },
	{ "jaeger/trace-z-zipkin-shared-v3/body.json", K_RENAMED },
	{ "jaeger/trace-z-zipkin-shared-v3-raw/body.json", K_SHARED },
	{ "jaeger/trace-z-zipkin-shared-legacy/body.json", K_RENAMED },
};

struct replay {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_pick pick;
};

static void begin(struct replay *r, const char *file)
{
	struct guilty_want want = { 0 };
	struct error err = { 0 };
	struct buf bytes, plain;
	struct str view;
	char path[512], looks_like[100];

	*r = (struct replay){ 0 };
	assert_non_null(getenv("TESTDATA"));
	snprintf(path, sizeof path, "%s/%s", getenv("TESTDATA"), file);
	buf_init(&bytes, GIB);
	buf_init(&plain, GIB);
	assert_true(file_read(path, &bytes, &err));
	view = decode_plain(buf_str(&bytes), file, &plain, &err);
	assert_non_null(view.ptr);
	trace_init(&r->t);
	assert_true(
		decode_trace(format_sniff(view, looks_like, sizeof looks_like),
			     view, NULL, &r->t, NULL, &err));
	buf_release(&bytes);
	buf_release(&plain);
	arena_init(&r->arena, GIB);
	arena_init(&r->result.arena, GIB);
	assert_true(trace_times_compute(&r->t, &r->arena, &r->times, &err));
	assert_true(guilty_find(&r->t, &r->times, &want, NULL, &r->result,
				&r->pick, &err));
	assert_true(
		waterfall_build(&r->t, &r->times, &r->pick, &r->result, &err));
}

static void end(struct replay *r)
{
	arena_release(&r->result.arena);
	arena_release(&r->arena);
	trace_release(&r->t);
}

static void expect_str(struct str text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.ptr, expected, text.len);
}

static const struct trace_finding *finding(const struct replay *r,
					   const char *kind)
{
	for (size_t i = 0; i < r->result.finding_count; i++) {
		if (str_equal(r->result.findings[i].kind, str_from(kind)))
			return &r->result.findings[i];
	}
	fail_msg("no finding of kind %s", kind);
	return NULL;
}

static void same_answer_from_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		const struct recorded *want = &answers[i];
		struct replay r;

		begin(&r, want->file);
		expect_str(r.result.span.span_id, want->span_id);
		expect_str(r.result.span.service, want->service);
		expect_str(r.result.span.name, want->name);
		assert_int_equal(r.result.span.critical_ns / NS_PER_US,
				 want->critical_us);
		assert_int_equal(r.result.span.count, want->count);
		assert_int_equal(r.result.cause.kind, want->cause);
		end(&r);
	}
}

static void path_adds_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		struct replay r;
		int64_t rows = 0, spans = 0, root;

		begin(&r, answers[i].file);
		root = span_duration_ns(&r.t.spans[r.times.root]);
		for (uint32_t s = 0; s < r.t.span_count; s++)
			spans += r.times.tree[s] == r.times.root
					 ? r.times.critical_ns[s]
					 : 0;
		for (size_t w = 0; w < r.result.waterfall_count; w++)
			rows += r.result.waterfall[w].critical_ns;
		assert_int_equal(spans, root);
		assert_int_equal(rows, root);
		end(&r);
	}
}

static void loop_of_52(void **state)
{
	(void)state;
	for (size_t i = 0; i < 8; i++) {
		const struct trace_finding *f;
		struct replay r;
		uint32_t first;

		begin(&r, answers[i].file);
		f = finding(&r, "n_plus_one");
		assert_int_equal(f->facts.count, 52);
		assert_int_equal(f->facts.manner, REPEAT_ONE_BY_ONE);
		assert_int_equal(f->facts.time_ns / NS_PER_MS, 478);
		assert_int_equal(f->span_id_count, 52);
		first = trace_find_span(&r.t, f->span_ids[0]);
		expect_str(span_name(&r.t, first), "SELECT preferences");
		assert_int_equal(r.result.finding_count, 1);
		assert_int_equal(r.pick.span, first);
		expect_str(r.pick.profile_id, "53995c3f42cd8ad8");
		assert_int_equal(r.result.waterfall_count, 7);
		assert_int_equal(r.result.waterfall[5].count, 52);
		end(&r);
	}
}

static void failures_and_late_work(void **state)
{
	struct replay r;

	(void)state;
	begin(&r, "tempo/trace-a-web-v2-pb/body.pb");
	assert_int_equal(finding(&r, "error")->facts.count, 1);
	assert_false(finding(&r, "error")->facts.is_fatal);
	assert_int_equal(finding(&r, "error")->span_id_count, 1);
	assert_int_equal(finding(&r, "error")->span_ids[0], 0xc28444f72e63ce40);
	assert_int_equal(finding(&r, "async_work")->facts.count, 1);
	expect_str(span_name(&r.t, finding(&r, "async_work")->facts.span),
		   "order.created process");
	end(&r);
}

static void skew_is_told(void **state)
{
	struct replay r;

	(void)state;
	begin(&r, "tempo/trace-d-skew-v2-pb/body.pb");
	assert_int_equal(finding(&r, "clock_skew")->facts.other_ns / NS_PER_MS,
			 10);
	assert_int_equal(finding(&r, "clock_skew")->facts.time_ns / NS_PER_MS,
			 230);
	assert_int_equal(finding(&r, "clock_skew")->facts.moved_count, 3);
	assert_int_equal(finding(&r, "clock_skew")->span_id_count, 2);
	end(&r);
}

UNIT_TESTS(recorded)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_answer_from_all),
		cmocka_unit_test(path_adds_up),
		cmocka_unit_test(loop_of_52),
		cmocka_unit_test(failures_and_late_work),
		cmocka_unit_test(skew_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
