/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/mem.h"
#include "report/texts.h"

static struct result result;
static struct investigation investigation = { .result = &result };
static struct symptom symptom;
static struct profile_inquiry *q;
static struct function_row rows[2];
static struct error err;

/* 30 of 40 ms were on CPU, 10 ms before, in ten requests. */
static int setup(void **state)
{
	(void)state;
	memset(&result, 0, sizeof result);
	memset(&symptom, 0, sizeof symptom);
	memset(rows, 0, sizeof rows);
	arena_init(&result.arena, MIB);
	notes_init(&result.reasons);
	q = mem_calloc(1, sizeof *q);
	assert_non_null(q);
	q->v = &investigation;
	q->s = &symptom;
	q->wait = WAIT_TYPES;
	comparison_init(&q->service_cpu, "", SCOPE_SERVICE);
	comparison_init(&q->request, "", SCOPE_SPAN);
	symptom.slow_id_count = 10;
	q->cpu_verdict = CPU_EXPLAINS;
	q->cpu = (struct cpu_measure){ .slow_ns = 30 * NS_PER_MS,
				       .base_ns = 10 * NS_PER_MS,
				       .own_ns = 40 * NS_PER_MS };
	rows[0] = (struct function_row){ .name = STR("shop.Pay"),
					 .change = CHANGE_GROWN,
					 .delta = 0.6,
					 .q = 0.001 };
	rows[1] = (struct function_row){ .name = STR("shop.Log"),
					 .change = CHANGE_GROWN,
					 .delta = 0.2,
					 .q = 0.001 };
	result.functions = rows;
	result.function_count = 2;
	result.has_profile = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mem_free(q);
	arena_release(&result.arena);
	return 0;
}

static void expect_cause(enum cause_kind kind, const char *want)
{
	result.cause.kind = kind;
	assert_true(cause_words_write(q, &err));
	assert_string_equal(result.cause.text.ptr, want);
}

static void cpu_is_told_of_the_requests(void **state)
{
	(void)state;
	expect_cause(CAUSE_CPU, "computing: 30 ms of 40 ms were on CPU (mean "
				"of 10 slow requests), baseline 10 ms");
	assert_int_equal(result.cause.on_cpu_ns, 30 * NS_PER_MS);
	symptom.slow_id_count = 1;
	q->cpu.base_ns = NAN;
	expect_cause(CAUSE_CPU, "computing: 30 ms of 40 ms were on CPU");
}

static void a_callee_without_spans_is_told_by_its_profile(void **state)
{
	(void)state;
	symptom.is_of_callee = true;
	q->cpu_verdict = CPU_UNKNOWN;
	q->service.name = STR("pay");
	result.cause.text = STR("a call to pay");
	expect_cause(CAUSE_DOWNSTREAM,
		     "a call to pay; the CPU of pay went from 0.00 to 0.00 "
		     "cores, most of it in shop.Pay");
	q->wait = WAIT_BLOCK;
	result.cause.text = STR("a call to pay");
	expect_cause(CAUSE_DOWNSTREAM,
		     "a call to pay; pay waits, by its block profile, mostly "
		     "in shop.Pay");
	rows[0].change = CHANGE_NOISE;
	result.cause.text = STR("a call to pay");
	expect_cause(CAUSE_DOWNSTREAM,
		     "a call to pay; no function of pay clearly grew");
}

static void who_waits_for_a_processor_computes_more(void **state)
{
	(void)state;
	q->is_starved = true;
	q->cpu = (struct cpu_measure){ .slow_ns = 16.4 * NS_PER_MS,
				       .base_ns = 1.13 * NS_PER_MS,
				       .change_ns = 104 * NS_PER_MS,
				       .own_ns = 105 * NS_PER_MS };
	q->measures[WAIT_BLOCK] =
		(struct wait_measure){ .is_known = true,
				       .is_owner = true,
				       .per_request_ns = 1.36 * NS_PER_MS };
	expect_cause(CAUSE_CPU,
		     "computes 15 times as much, and waits for a CPU: 16.4 ms "
		     "of 105 ms were on CPU (mean of 10 slow requests), "
		     "baseline 1.13 ms; 87.4 ms more is unattributed");
	q->cpu.base_ns = 0;
	expect_cause(CAUSE_CPU,
		     "computes (it did not in the baseline), and waits for a "
		     "CPU: 16.4 ms of 105 ms were on CPU (mean of 10 slow "
		     "requests), baseline 0 s; 86.2 ms more is unattributed");
}

static void garbage_is_told_of_the_service(void **state)
{
	(void)state;
	symptom.service = STR("cat");
	q->is_gc_pause = true;
	q->gc_now = 0.512;
	q->gc_before = 0.031;
	q->cpu_verdict = CPU_UNKNOWN;
	q->alloc_lead = (struct wait_measure){ .name = STR("cat.Snapshot"),
					       .change = 900,
					       .before = 100 };
	expect_cause(CAUSE_ALLOC, "garbage collection: 51 % of the CPU of cat, "
				  "up from 3.1 %");
	q->lead = &q->alloc_lead;
	q->heap.slow.profile.total = 400 * MIB;
	q->heap.base.profile.total = 100 * MIB;
	expect_cause(CAUSE_ALLOC, "garbage collection: 51 % of the CPU of cat, "
				  "up from 3.1 %; cat.Snapshot allocates 10.0 "
				  "times as much; heap in use 400 MiB, 100 MiB "
				  "before");
	q->heap_lead.name = STR("cat.Cache");
	q->lead = &q->heap_lead;
	expect_cause(CAUSE_ALLOC, "garbage collection: 51 % of the CPU of cat, "
				  "up from 3.1 %; heap in use 400 MiB, 100 MiB "
				  "before, most of it kept by cat.Cache");
}

static void contention_names_who_did_not_get_the_cpu(void **state)
{
	(void)state;
	symptom.service = STR("cat");
	q->cpu_verdict = CPU_WAITS;
	q->cpu.slow_ns = 10 * NS_PER_MS;
	q->contention = (struct contention){ .instance = STR("cat-2"),
					     .slow_instance_count = 1,
					     .instance_count = 4,
					     .operation_count = 3,
					     .least_ratio = 4.52,
					     .most_ratio = 7 };
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on cat-2, one of 4 instances of cat, the "
		     "self time of 3 operations is 4.5 to 7.0 times normal; 10 "
		     "ms of 40 ms were on CPU (mean of 10 slow requests), "
		     "baseline 10 ms; 75 % of its self time is unattributed");
	q->cpu_verdict = CPU_UNKNOWN;
	q->contention.place = STR("node-3");
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on cat-2 (node-3), one of 4 instances of "
		     "cat, the self time of 3 operations is 4.5 to 7.0 times "
		     "normal, with no more CPU");
	q->contention.slow_instance_count = 2;
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on node-3, 2 of 4 instances of cat, the "
		     "self time of 3 operations is 4.5 to 7.0 times normal, "
		     "with no more CPU");
	q->contention.place = STR("");
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on 2 of 4 instances of cat, the self "
		     "time of 3 operations is 4.5 to 7.0 times normal, with no "
		     "more CPU");
	q->contention.slow_instance_count = 0;
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on all 4 instances of cat, the self time "
		     "of 3 operations is 4.5 to 7.0 times normal, with no more "
		     "CPU");
	q->contention.instance_count = 0;
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: on cat, the self time of 3 operations is "
		     "4.5 to 7.0 times normal, with no more CPU");
}

/* Its other operations do not tell: by its own wall clock and CPU time. */
static void contention_of_one_operation(void **state)
{
	(void)state;
	q->cpu_verdict = CPU_WAITS;
	q->cpu.slow_ns = 10 * NS_PER_MS;
	q->unrun_ns = 21.5 * NS_PER_MS;
	expect_cause(CAUSE_CONTENTION,
		     "CPU starvation: computing took 21.5 ms longer in the "
		     "wall profile with no more CPU; 10 ms of 40 ms were on "
		     "CPU (mean of 10 slow requests), baseline 10 ms; 75 % of "
		     "its self time is unattributed");
}

/* Who waits is of the profile, who holds of the traces. */
static void a_pool_names_who_holds_it(void **state)
{
	(void)state;
	q->cpu_verdict = CPU_UNKNOWN;
	q->wait = WAIT_BLOCK;
	q->measures[WAIT_BLOCK].change = 30;
	q->measures[WAIT_BLOCK].before = 10;
	rows[0].leaf = STR("sync.(*Mutex).Unlock");
	q->wait = WAIT_MUTEX;
	q->measures[WAIT_MUTEX] = q->measures[WAIT_BLOCK];
	expect_cause(CAUSE_LOCK,
		     "waits for a lock, held in shop.Pay, by the mutex "
		     "profile, 4.0x the baseline");
	rows[0].leaf = STR("sync.(*Mutex).Lock");
	expect_cause(CAUSE_LOCK,
		     "waits for a lock: shop.Pay, by the mutex profile, 4.0x "
		     "the baseline");
	q->wait = WAIT_BLOCK;
	q->holder = (struct pool_holder){ .is_found = true,
					  .request = STR("GET /report"),
					  .call = STR("SELECT"),
					  .share = 0.964,
					  .held_ns = 1150 * NS_PER_MS,
					  .typical_ns = 40 * NS_PER_MS };
	expect_cause(CAUSE_WAIT,
		     "waits: shop.Pay, by the block profile, 4.0x the "
		     "baseline; of the time that connections are held 96 % go "
		     "to GET /report, mostly in SELECT: 1.15 s per request, "
		     "normally 40 ms");
	q->holder.typical_ns = -1;
	expect_cause(CAUSE_WAIT,
		     "waits: shop.Pay, by the block profile, 4.0x the "
		     "baseline; of the time that connections are held 96 % go "
		     "to GET /report, mostly in SELECT: 1.15 s per request");
}

/* No side has a sample: nothing went to nothing. */
static void cpu_of_the_service_is_told_without_requests(void **state)
{
	(void)state;
	q->cpu_verdict = CPU_UNKNOWN;
	expect_cause(CAUSE_CPU,
		     "computing: CPU of the service went from 0.00 to 0.00 "
		     "cores; no samples have this request's id");
	assert_int_equal(result.cause.on_cpu_ns, -1);
}

/* 4 ms a request before and 8 ms more: three times as much. */
static void an_event_loop_is_busy(void **state)
{
	struct wait_measure lead = { .name = STR("parse"),
				     .before = 4 * NS_PER_MS,
				     .change = 8 * NS_PER_MS };

	(void)state;
	q->cpu_verdict = CPU_UNKNOWN;
	q->is_wall_cpu = true;
	q->lead = &lead;
	expect_cause(CAUSE_CPU,
		     "computing: computing in the event loop: the busy time of "
		     "parse is 3.0x its baseline; no samples have this "
		     "request's id");
	lead.before = 0;
	expect_cause(CAUSE_CPU, "computing: computing in the event loop: the "
				"busy time of parse is new; no samples have "
				"this request's id");
}

static void allocation_is_a_part_of_the_change(void **state)
{
	(void)state;
	q->gc_share = 0.625;
	q->cpu_verdict = CPU_UNKNOWN;
	expect_cause(CAUSE_ALLOC, "allocation and garbage collection: 62 % of "
				  "the added CPU time");
}

static void a_wait_names_function_and_type(void **state)
{
	(void)state;
	q->cpu_verdict = CPU_UNKNOWN;
	q->wait = WAIT_MUTEX;
	q->measures[WAIT_MUTEX] =
		(struct wait_measure){ .before = 2e6, .change = 3e6 };
	expect_cause(CAUSE_LOCK, "waits for a lock: shop.Pay, by the mutex "
				 "profile, 2.5x the baseline");
	q->wait = WAIT_OFF_CPU;
	q->measures[WAIT_OFF_CPU] = (struct wait_measure){ .change = 3e6 };
	expect_cause(CAUSE_WAIT, "waits: shop.Pay, by the off-CPU profile, "
				 "almost none in the baseline");
}

/* From a hundred times on the number says no more than "next to nothing". */
static void a_hundredfold_is_next_to_nothing(void **state)
{
	(void)state;
	q->cpu_verdict = CPU_UNKNOWN;
	q->wait = WAIT_BLOCK;
	q->measures[WAIT_BLOCK] =
		(struct wait_measure){ .before = 1e6, .change = 99.5e6 };
	expect_cause(CAUSE_WAIT, "waits: shop.Pay, by the block profile, "
				 "100.5x the baseline");
	q->measures[WAIT_BLOCK].change = 100e6;
	expect_cause(CAUSE_WAIT, "waits: shop.Pay, by the block profile, "
				 "almost none in the baseline");
}

static void what_was_asked_is_listed(void **state)
{
	static const char cpu[] = "not CPU: 30 ms of 40 ms were on CPU (mean of 10 slow "
		  "requests), baseline 10 ms; ";
	static const char guide[] =
		" (tracefind types --guide lists types that show it)";
	struct excess *excess;
	char want[256];

	(void)state;
	snprintf(want, sizeof want,
		 "%sthe service sends no wait profiles%s",
		 cpu, guide);
	expect_cause(CAUSE_WAIT, want);
	q->waits[WAIT_MUTEX].is_asked = q->waits[WAIT_WALL].is_asked = true;
	snprintf(want, sizeof want,
		 "%sthe wait is not in mutex, wall%s",
		 cpu, guide);
	expect_cause(CAUSE_WAIT, want);
	excess = &q->v->result->cause.excess;
	excess->parts[0] = (struct excess_part){ .kind = EXCESS_BLOCKED,
						 .name = STR("Publish") };
	excess->count = 1;
	snprintf(want, sizeof want,
		 "%sonly part of the wait is in mutex, wall%s",
		 cpu, guide);
	expect_cause(CAUSE_WAIT, want);
}

#define FEW "too few traces in this window to count slow ones: 4"

static void nothing_is_blamed_on_a_healthy_operation(void **state)
{
	static const struct cohorts few = { .window_count = 4 };

	(void)state;
	symptom.is_healthy = true;
	symptom.cohorts = &few;
	expect_cause(CAUSE_UNKNOWN, "no regression: " FEW);
	expect_cause(CAUSE_CPU, "no regression: " FEW "; computing: 30 ms of "
				"40 ms were on CPU (mean of 10 slow "
				"requests), baseline 10 ms");
	/* More threads than one: it cannot be a part of its own time. */
	q->cpu.slow_ns = 50 * NS_PER_MS;
	expect_cause(CAUSE_CPU,
		     "no regression: " FEW "; computing: 50 ms were on CPU "
		     "(mean of 10 slow requests; this one has 40 ms self "
		     "time), baseline 10 ms");
	/* Pauses between attempts, as ever: the trace knows of them. */
	q->trace_cause = CAUSE_WAIT;
	result.cause.text = STR("150 ms of pauses");
	expect_cause(CAUSE_WAIT,
		     "150 ms of pauses; no regression: " FEW "; 50 ms were on "
		     "CPU (mean of 10 slow requests; this one has 40 ms self "
		     "time), baseline 10 ms");
}

static void what_grew_is_told_when_nothing_is_known(void **state)
{
	(void)state;
	expect_cause(CAUSE_UNKNOWN,
		     "computing or waiting: too few samples of this span; a "
		     "function of the service grew");
	rows[0].change = CHANGE_NOISE;
	expect_cause(CAUSE_UNKNOWN,
		     "computing or waiting: too few samples of this span; no "
		     "function of the service clearly grew");
}

/* A profile tells of the consumer, not of the message. */
/* A minute of CPU profiles. */
static void set_cores(struct comparison_side *side, double cores)
{
	static struct sample_type type;
	struct profile *p = &side->profile;

	assert_true(symtab_init(&p->symtab, &result.arena, &err));
	assert_true(symtab_add(&p->symtab, STR("nanoseconds"), &type.unit,
			       &err));
	p->types = &type;
	p->type_count = 1;
	p->total = (int64_t)(cores * 60 * NS_PER_S);
	side->profiled_s = 60;
}

static void a_queue_is_told_with_its_consumer(void **state)
{
	struct comparison *c = &q->service_cpu;

	(void)state;
	c->has_base = true;
	set_cores(&c->slow, 1);
	set_cores(&c->base, 0.25);
	c->slow.requests = 28;
	c->base.requests = 30;
	c->slow.is_requests_sampled = true;
	result.cause.text = STR("idx lags behind");
	expect_cause(CAUSE_QUEUE,
		     "idx lags behind; it receives 28 "
		     "per minute, 30 in the baseline (in traces); its CPU went "
		     "from 0.25 to 1.00 cores, most of it in shop.Pay");
	rows[0].change = CHANGE_NOISE;
	c->slow.requests = -1;
	result.cause.text = STR("idx lags behind");
	expect_cause(CAUSE_QUEUE, "idx lags behind; its CPU "
				  "went from 0.25 to 1.00 cores, no single "
				  "function is significant");
	set_cores(&c->slow, 0.3);
	result.cause.text = STR("idx lags behind");
	expect_cause(CAUSE_QUEUE, "idx lags behind; its CPU "
				  "went from 0.25 to 0.30 cores: too few "
				  "consumers, or one that waits");
	symptom.is_healthy = true;
	result.cause.text = STR("idx took this one late");
	expect_cause(CAUSE_QUEUE, "idx took this one late");
}

/* ---- how sure ---- */

static enum confidence confidence(void)
{
	result.cause.kind = CAUSE_CPU;
	result.profile.scope = SCOPE_COHORT;
	result.profile.samples = 1200;
	result.has_baseline = true;
	result.baseline.healthy = 1;
	result.baseline.samples = 90;
	symptom.has_history = true;
	assert_true(confidence_words_write(q, &err));
	return result.cause.confidence;
}

static bool says(const char *text)
{
	return strstr(result.cause.confidence_text.ptr, text) != NULL;
}

static void both_sides_are_counted(void **state)
{
	(void)state;
	assert_int_equal(confidence(), CONFIDENCE_STRONG);
	assert_true(says("samples of the slow requests themselves, 1,200 "
			 "against 90"));
}

/* Two thirds (0.67) of what the first grew by is close: 0.402 of 0.6. */
static void a_close_second_weakens(void **state)
{
	(void)state;
	rows[1].delta = 0.401;
	assert_int_equal(confidence(), CONFIDENCE_STRONG);
	rows[1].delta = 0.403;
	assert_int_equal(confidence(), CONFIDENCE_FAIR);
	/* The frame beneath the first is no rival. */
	rows[0].leaf = rows[1].name;
	assert_int_equal(confidence(), CONFIDENCE_STRONG);
	rows[0].leaf = STR("");
	rows[1].change = CHANGE_NOISE;
	assert_int_equal(confidence(), CONFIDENCE_STRONG);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(cause_words)
{
	const struct CMUnitTest tests[] = {
		CASE(cpu_is_told_of_the_requests),
		CASE(a_callee_without_spans_is_told_by_its_profile),
		CASE(contention_names_who_did_not_get_the_cpu),
		CASE(who_waits_for_a_processor_computes_more),
		CASE(garbage_is_told_of_the_service),
		CASE(contention_of_one_operation),
		CASE(a_pool_names_who_holds_it),
		CASE(cpu_of_the_service_is_told_without_requests),
		CASE(an_event_loop_is_busy),
		CASE(allocation_is_a_part_of_the_change),
		CASE(a_wait_names_function_and_type),
		CASE(a_hundredfold_is_next_to_nothing),
		CASE(what_was_asked_is_listed),
		CASE(nothing_is_blamed_on_a_healthy_operation),
		CASE(what_grew_is_told_when_nothing_is_known),
		CASE(a_queue_is_told_with_its_consumer),
		CASE(both_sides_are_counted),
		CASE(a_close_second_weakens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
