/* SPDX-License-Identifier: Apache-2.0
 *
 * The policies of slow against servers that are functions: which evidence level
 * decides, which window is the baseline, which type explains, whose fault it is
 * between two services, and what it costs.
 */
#include "../unit.h"
#include "fake.h"

#define ONE_SERVICE                                                            \
	"1 0 shop S \"GET /cart\" 0 200 pyroscope.profile.id=00000000000000aa\n"

/* Slow since two minutes before the trace; 20 ms before. */
static double slow_lately(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -120 ? 200 : 20;
}

static double slow_for_an_hour(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -1800 ? 200 : 20;
}

static double always_slow(const struct operation *o, double at_s)
{
	(void)o;
	(void)at_s;
	return 200;
}

static const char *cpu_grew(const char *type_id, bool is_of_spans, double at_s)
{
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (is_of_spans)
		return at_s > -120 ? "main;shop.Discount 6000000000\n"
				   : "main;shop.Discount 600000000\n";
	return at_s > -120
		       ? "main;shop.Discount 7000000000\nmain;shop.Log 900000000\n"
		       : "main;shop.Discount 700000000\nmain;shop.Log 900000000\n";
}

static const char *cpu_of_service_grew(const char *type_id, bool is_of_spans,
				       double at_s)
{
	return is_of_spans ? NULL : cpu_grew(type_id, false, at_s);
}

/* The CPU is as ever, and somebody waits for a lock. */
static const char *lock_grew(const char *type_id, bool is_of_spans, double at_s)
{
	if (!strcmp(type_id, FAKE_CPU))
		return is_of_spans ? "main;shop.Discount 600000000\n"
				   : "main;shop.Discount 700000000\n"
				     "main;shop.Log 900000000\n";
	if (strcmp(type_id, FAKE_MUTEX) != 0)
		return NULL;
	return at_s > -120
		       ? "main;shop.Reserve;sync.(*Mutex).Lock 90000000000\n"
		       : "main;shop.Reserve;sync.(*Mutex).Lock 10000000\n";
}

static const char *const only_cpu[] = { FAKE_CPU, NULL };
static const char *const all_types[] = { FAKE_CPU, FAKE_MUTEX, FAKE_BLOCK,
					 NULL };

static void look(const char *trace,
		 double (*took_ms)(const struct operation *, double),
		 const char *(*stacks)(const char *, bool, double),
		 const char *const *types)
{
	fake_begin(trace);
	fake->took_ms = took_ms;
	fake->stacks = stacks;
	fake->types = types;
	if (!fake_investigate(&err))
		fail_msg("shortfall %d: %s", fake->v.shortfall.kind,
			 err.message);
}

/* And there is a profile to show. */
static void ask(const char *trace,
		double (*took_ms)(const struct operation *, double),
		const char *(*stacks)(const char *, bool, double),
		const char *const *types)
{
	look(trace, took_ms, stacks, types);
	assert_non_null(fake->finding.shown);
}

static void samples_of_slow_requests_come_first(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_grew, only_cpu);
	assert_int_equal(fake->finding.shown->scope, SCOPE_COHORT);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	fake_end();
}

/* A few slow requests that differ as widely as can be, and a whole service. */
static const char *cpu_of_few_scatters(const char *type_id, bool is_of_spans,
				       double at_s)
{
	static unsigned calls;

	if (!is_of_spans || strcmp(type_id, FAKE_CPU) != 0 || at_s < -120)
		return cpu_grew(type_id, is_of_spans, at_s);
	return calls++ % 4 ? "main;shop.Log 10000000\n"
			   : "main;shop.Discount 9000000000\n"
			     "main;shop.Log 10000000\n";
}

static void the_service_decides_where_few_requests_cannot(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_of_few_scatters, only_cpu);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_int_equal(fake->finding.shown->scope, SCOPE_SERVICE);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	assert_int_equal(fake->result.functions[0].change, CHANGE_GROWN);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
}

#define HANDLES "net/http.(*conn).serve;"

/* Enough of them, of whose functions none grew for sure. */
static const char *cpu_of_spans_scatters(const char *type_id, bool is_of_spans,
					 double at_s)
{
	static unsigned calls;

	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (!is_of_spans)
		return at_s > -120
			       ? HANDLES "shop.Discount 7000000000\n" HANDLES
					 "shop.Log 900000000\n"
			       : HANDLES "shop.Discount 700000000\n" HANDLES
					 "shop.Log 900000000\n";
	if (at_s < -120)
		return HANDLES "shop.Discount 300000000\n" HANDLES
			       "shop.Log 300000000\n";
	return calls++ % 2 ? HANDLES "shop.Log 3000000000\n"
			   : HANDLES "shop.Discount 3000000000\n";
}

/* In parts, which tell the noise of the whole service. */
static void the_service_decides_where_spans_scatter(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_of_spans_scatters, only_cpu);
	assert_ptr_equal(fake->finding.shown, &fake->finding.profiles->final);
	assert_int_equal(fake->finding.shown->scope, SCOPE_SERVICE);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	fake_end();
}

/* Another job of the process takes the processors: its function, not one of the
 * request's, grew. */
static const char *neighbour_grew(const char *type_id, bool is_of_spans,
				  double at_s)
{
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (is_of_spans)
		return "main;shop.Discount 600000000\n";
	return at_s > -120 ? "main;shop.Discount 700000000\n"
			     "main;shop.Reindex 90000000000\n"
			   : "main;shop.Discount 700000000\n"
			     "main;shop.Reindex 900000000\n";
}

static void a_neighbour_on_the_cpu_explains_waiting(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, neighbour_grew, all_types);
	assert_int_equal(fake->finding.profiles->cpu_verdict, CPU_WAITS);
	assert_int_equal(fake->finding.profiles->wait, WAIT_NEIGHBOUR);
	assert_false(fake->finding.profiles->is_own_cpu);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->finding.profiles->lead->name,
			      STR("shop.Reindex")));
	assert_int_equal(fake->finding.shown->scope, SCOPE_SERVICE);
	fake_end();
}

/* A third of what the request grew by is on the CPU, where it was as much as
 * half as much before; no profile tells of the rest. */
static const char *cpu_grew_a_part(const char *type_id, bool is_of_spans,
				   double at_s)
{
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (!is_of_spans)
		return "main;shop.Discount 9000000000\n";
	return at_s > -120 ? "main;shop.Discount 1600000000\n"
			   : "main;shop.Discount 1200000000\n";
}

static void a_part_on_the_cpu_is_what_is_known(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_grew_a_part, only_cpu);
	assert_int_equal(fake->finding.profiles->cpu_verdict, CPU_PARTLY);
	assert_false(fake->finding.profiles->is_starved);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_int_equal(fake->finding.shown->scope, SCOPE_COHORT);
	fake_end();
}

/* What it computes more is allocation. */
static const char *allocation_grew(const char *type_id, bool is_of_spans,
				   double at_s)
{
	bool is_slow = at_s > -120;

	if (!strcmp(type_id, FAKE_ALLOC))
		return is_slow ? HANDLES "shop.Discount 7000000000\n"
			       : HANDLES "shop.Discount 700000000\n";
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (!is_of_spans)
		return is_slow ? HANDLES "shop.Discount;runtime.mallocgc 7000000000\n"
			       : HANDLES "shop.Discount;runtime.mallocgc 700000000\n";
	return is_slow ? HANDLES "shop.Discount;runtime.mallocgc 6000000000\n"
		       : HANDLES "shop.Discount;runtime.mallocgc 600000000\n";
}

static void cpu_that_allocates_is_told_by_who_allocates(void **state)
{
	static const char *const cpu_and_heap[] = { FAKE_CPU, FAKE_ALLOC, NULL };

	(void)state;
	ask(ONE_SERVICE, slow_lately, allocation_grew, cpu_and_heap);
	assert_int_equal(fake->finding.profiles->cpu_verdict, CPU_EXPLAINS);
	assert_int_equal(fake->result.cause.kind, CAUSE_ALLOC);
	assert_ptr_equal(fake->finding.shown, &fake->finding.profiles->alloc);
	assert_true(str_equal(fake->finding.profiles->lead->name,
			      STR("shop.Discount")));
	fake_end();
}

/* Node.js sends wall clock time alone: its busy part stands for the CPU. */
static const char *wall_grew(const char *type_id, bool is_of_spans, double at_s)
{
	return strcmp(type_id, FAKE_WALL) != 0
		       ? NULL
		       : cpu_grew(FAKE_CPU, is_of_spans, at_s);
}

static void wall_clock_stands_for_a_cpu_that_is_not_sent(void **state)
{
	static const char *const only_wall[] = { FAKE_WALL, NULL };

	(void)state;
	ask(ONE_SERVICE, slow_lately, wall_grew, only_wall);
	assert_true(fake->finding.profiles->is_wall_cpu);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	fake_end();
}

static void without_them_the_service_decides(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_of_service_grew, only_cpu);
	assert_int_equal(fake->finding.shown->scope, SCOPE_SERVICE);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	fake_end();
}

static uint32_t day_before(void)
{
	return fake->finding.history.roles.baselines[BASELINE_DAY];
}

/* Not where it became slow at once, after a window without a slow request. */
static void days_ago_are_asked_about_where_they_may_tell(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_grew, only_cpu);
	assert_int_equal(day_before(), WINDOW_NONE);
	fake_end();
	ask(ONE_SERVICE, slow_for_an_hour, cpu_grew, only_cpu);
	assert_int_not_equal(day_before(), WINDOW_NONE);
	fake_end();
	ask(ONE_SERVICE, always_slow, cpu_grew, only_cpu);
	assert_int_not_equal(day_before(), WINDOW_NONE);
	fake_end();
}

static void the_window_before_is_the_baseline_when_healthy(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_grew, only_cpu);
	assert_true(
		str_equal(fake->finding.symptom.base_kind, STR("previous")));
	assert_int_equal(fake->finding.symptom.base_healthy, 1);
	assert_true(fake->finding.symptom.base.to_ns < FIXTURE_BASE_NS);
	fake_end();
}

static void else_the_nearest_healthy_one_further_back(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_for_an_hour, cpu_grew, only_cpu);
	assert_true(str_equal(fake->finding.symptom.base_kind, STR("1h")));
	assert_int_equal(fake->finding.symptom.base_healthy, 1);
	fake_end();
}

/* A little slower each day, the last ten minutes too. */
static double creeping(const struct operation *o, double at_s)
{
	(void)o;
	if (at_s < -6 * 86400)
		return 60;
	return at_s < -80000 ? 70 : 120 + at_s / 1000;
}

static void what_creeps_is_compared_with_days_ago(void **state)
{
	(void)state;
	ask(ONE_SERVICE, creeping, cpu_grew, only_cpu);
	assert_true(str_equal(fake->finding.symptom.base_kind, STR("1d")));
	assert_true(fake->finding.history.baseline.is_creeping);
	assert_false(fake->finding.symptom.is_healthy);
	fake_end();
}

/* Of each hundred requests so many are slow, from some time on; a request comes
 * every ten seconds, so that a window has some sixty. */
static double first_s = -1e9, begin_s;
static int64_t one_in;

static double some_slow(const struct operation *o, double at_s)
{
	int64_t n = (int64_t)(at_s / 10 + 1e6);

	(void)o;
	if (at_s < first_s)
		return -1;
	return at_s > begin_s && n % one_in == 0 ? 200 : 20 + (double)(n % 7);
}

static void ask_some_slow(double from_s, int64_t each)
{
	begin_s = from_s;
	one_in = each;
	ask(ONE_SERVICE, some_slow, cpu_grew, only_cpu);
}

/* The window before has as many, and its median is as ever. */
static void what_befalls_some_is_not_denied(void **state)
{
	(void)state;
	for (int64_t each = 4; each <= 14; each += 5) {
		ask_some_slow(-1900, each);
		assert_in_range(fake->finding.history.baseline.chosen,
				BASELINE_TWO_THIRDS, BASELINE_HOUR);
		assert_true(fake->finding.history.baseline.is_behind_fault);
		assert_false(fake->finding.symptom.is_healthy);
		assert_false(fake->result.is_healthy);
		/* Four of sixty are too few to be sure. */
		assert_int_equal(fake->finding.history.cohorts.mode,
				 each < 10 ? COHORT_BIMODAL : COHORT_UNSURE);
		assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
		fake_end();
	}
}

/* Of an hour ago nothing is known any more. */
static void between_two_windows_there_is_a_healthy_one(void **state)
{
	(void)state;
	first_s = -3000;
	ask_some_slow(-1900, 6);
	first_s = -1e9;
	assert_true(str_equal(fake->finding.symptom.base_kind, STR("40m")));
	assert_true(fake->finding.history.baseline.is_behind_fault);
	assert_int_equal(fake->finding.history.cohorts.mode, COHORT_BIMODAL);
	assert_false(fake->finding.symptom.is_healthy);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
}

/* So few that they may be chance: neither affirmed nor denied. */
static void what_may_be_chance_is_not_denied(void **state)
{
	(void)state;
	ask_some_slow(-300, 19);
	assert_int_equal(fake->finding.history.cohorts.mode, COHORT_UNSURE);
	assert_false(fake->finding.symptom.is_healthy);
	assert_int_not_equal(fake->finding.shown->scope, SCOPE_COHORT);
	fake_end();
}

static void what_always_befalls_some_is_as_ever(void **state)
{
	(void)state;
	ask_some_slow(-1e9, 9);
	assert_true(fake->finding.symptom.is_healthy);
	assert_int_equal(fake->finding.history.cohorts.mode, COHORT_HEALTHY);
	/* It was asked how far back that goes. */
	assert_true(fake->finding.history.baseline.slots[BASELINE_THREE_HOURS]
			    .count > 0);
	fake_end();
}

/* The window before is clean: nobody asks on. */
static void a_fresh_fault_needs_no_more_windows(void **state)
{
	(void)state;
	ask_some_slow(-300, 4);
	assert_false(fake->finding.symptom.is_healthy);
	assert_int_equal(fake->finding.history.roles
				 .baselines[BASELINE_THIRD_HOUR],
			 WINDOW_NONE);
	fake_end();
}

#define OF_UMBRA                                                               \
	"1 0 shop S \"GET /cart\" 0 200 tenant=umbra "                          \
	"pyroscope.profile.id=00000000000000aa @service.version=1.5.0\n"

static int64_t number_of(double at_s)
{
	return (int64_t)(at_s / FAKE_STEP_NS * NS_PER_S + 1e6);
}

/* As many are slow as ever; but they were anybody's, and are umbra's. */
static const char *tenant_of(double at_s)
{
	return number_of(at_s) % 6 ? "acme" : "umbra";
}

static double slow_for_umbra(const struct operation *o, double at_s)
{
	int64_t n = number_of(at_s);

	(void)o;
	return (at_s > -320 ? n % 6 == 0 : n % 6 == n / 6 % 6) ? 200 : 20;
}

static void a_kind_that_became_slow_is_not_denied(void **state)
{
	const struct symptom *s;

	(void)state;
	fake_begin(OF_UMBRA);
	fake->took_ms = slow_for_umbra;
	fake->value = tenant_of;
	fake->stacks = cpu_grew;
	fake->types = only_cpu;
	assert_true(fake_investigate(&err));
	s = &fake->finding.symptom;
	assert_int_equal(s->cohorts->mode, COHORT_HEALTHY);
	assert_int_equal(s->contrasts->count, 1);
	assert_int_equal(s->contrasts->items[0].since, CONTRAST_SLOWER);
	assert_false(s->is_healthy);
	assert_false(fake->result.is_healthy);
	fake_end();
}

/* Of the slow requests three of five are of the new version, of the quick ones
 * one of four. */
static const char *version_of(double at_s)
{
	int64_t n = number_of(at_s);

	if (at_s < -620)
		return "1.4.0";
	return (n % 4 ? n % 11 < 3 : n / 4 % 5 < 3) ? "1.5.0" : "1.4.0";
}

static double slow_of_new(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -620 && number_of(at_s) % 4 == 0 ? 200 : 20;
}

static void what_one_version_has_more_of_is_compared_with_others(void **state)
{
	const struct symptom *s;

	(void)state;
	fake_begin(OF_UMBRA);
	fake->took_ms = slow_of_new;
	fake->version = version_of;
	fake->question.pad_ns = 10 * NS_PER_MIN;
	fake->stacks = cpu_grew;
	fake->types = only_cpu;
	assert_true(fake_investigate(&err));
	s = &fake->finding.symptom;
	/* Too few for all slow ones to be of it. */
	assert_true(s->cohorts->version.slow_count <
		    0.8 * s->cohorts->slow_count);
	assert_true(str_equal(s->slow_version, STR("1.5.0")));
	assert_int_equal(s->base_is, BASE_IS_OTHER_VERSIONS);
	assert_int_equal(s->slow_id_count, s->cohorts->version.slow_count + 1);
	fake_end();
}

static void what_is_always_slow_blames_no_function(void **state)
{
	(void)state;
	ask(ONE_SERVICE, always_slow, cpu_grew, only_cpu);
	assert_true(fake->finding.symptom.is_healthy);
	assert_true(fake->result.is_healthy);
	fake_end();
}

static void a_lock_explains_what_the_cpu_does_not(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, lock_grew, all_types);
	assert_int_equal(fake->finding.profiles->wait, WAIT_MUTEX);
	assert_int_equal(fake->result.cause.kind, CAUSE_LOCK);
	assert_int_equal(fake->finding.profiles->cpu_verdict, CPU_WAITS);
	fake_end();
}

/* One of four waits, and the others are as quick as ever. */
static double slow_now_and_then(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -120 && (int)(at_s / 10) % 4 == 0 ? 200 : 20;
}

/* By all requests of the service together: a fourth of what it would be if each
 * of them had waited as long as the slow one. */
static const char *lock_grew_a_little(const char *type_id, bool is_of_spans,
				      double at_s)
{
	if (!strcmp(type_id, FAKE_MUTEX) && at_s > -120)
		return "main;shop.Reserve;sync.(*Mutex).Lock 2200000000\n";
	return is_of_spans ? NULL : lock_grew(type_id, false, at_s);
}

static void a_lock_that_some_requests_wait_for_explains_those(void **state)
{
	const struct symptom *s;

	(void)state;
	ask(ONE_SERVICE, slow_now_and_then, lock_grew_a_little, all_types);
	s = &fake->finding.symptom;
	assert_int_equal(s->change_ns, fixture_ms(180));
	assert_in_range(s->mean_change_ns, fixture_ms(20), fixture_ms(60));
	assert_int_equal(fake->finding.profiles->wait, WAIT_MUTEX);
	assert_int_equal(fake->result.cause.kind, CAUSE_LOCK);
	fake_end();
}

#define SERVES "net/http.(*conn).serve;github.com/go-chi/chi/v5.(*Mux).ServeHTTP;"

/* Whose code it is that waits for a connection, no rule tells: it came as a
 * package, as its libraries did. */
static const char *pool_ran_out(const char *type_id, bool is_of_spans,
				double at_s)
{
	if (!strcmp(type_id, FAKE_CPU))
		return lock_grew(type_id, is_of_spans, at_s);
	if (strcmp(type_id, FAKE_BLOCK) != 0)
		return NULL;
	return at_s > -120 ? SERVES "database/sql.(*DB).conn;runtime.selectgo "
				    "90000000000\n"
				    "net/http.(*persistConn).readLoop;"
				    "runtime.selectgo 500000000000\n"
			   : SERVES "database/sql.(*DB).conn;runtime.selectgo "
				    "10000000\n"
				    "net/http.(*persistConn).readLoop;"
				    "runtime.selectgo 500000000000\n";
}

static void where_no_code_is_the_teams_the_library_that_waits_is_told(
	void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, pool_ran_out, all_types);
	assert_int_equal(fake->finding.profiles->wait, WAIT_BLOCK);
	assert_int_equal(fake->result.cause.kind, CAUSE_WAIT);
	assert_true(str_equal(fake->finding.profiles->lead->name,
			      STR("database/sql.(*DB).conn")));
	fake_end();
}

/* Half of it is in a call that has a span. */
static const char calls_and_waits[] =
	"1 0 shop S \"GET /cart\" 0 200 pyroscope.profile.id=00000000000000aa\n"
	"2 1 shop C \"HTTP GET\" 0 90 http.request.method=GET\n";

static double call_and_own_grew(const struct operation *o, double at_s)
{
	if (o->kind == SPAN_KIND_CLIENT)
		return at_s > -120 ? 90 : 5;
	return at_s > -120 ? 200 : 20;
}

#define CALLS SERVES "shop.Ask;net/http.(*Client).do;runtime.selectgo "

/* All that is blocked waits for the answer. */
static const char *calls_are_blocked(const char *type_id, bool is_of_spans,
				     double at_s)
{
	if (strcmp(type_id, FAKE_BLOCK) != 0)
		return lock_grew(strcmp(type_id, FAKE_CPU) ? "" : FAKE_CPU,
				 is_of_spans, at_s);
	return at_s > -120 ? CALLS "4200000000\n" SERVES
				   "shop.Log;runtime.chanrecv1 3000000\n"
			   : CALLS "230000000\n" SERVES
				   "shop.Log;runtime.chanrecv1 3000000\n";
}

/* Nor has the call a span. */
static const char waits_alone[] =
	"1 0 shop S \"GET /cart\" 0 200 pyroscope.profile.id=00000000000000aa\n";

static void waits_for_calls_explain_no_time_of_its_own(void **state)
{
	(void)state;
	look(calls_and_waits, call_and_own_grew, calls_are_blocked, all_types);
	assert_true(str_equal(fake->result.span.name, STR("GET /cart")));
	assert_true(fake->finding.profiles->are_calls_left_out[WAIT_BLOCK]);
	assert_int_equal(fake->finding.profiles->wait, WAIT_TYPES);
	fake_end();
	look(waits_alone, call_and_own_grew, calls_are_blocked, all_types);
	assert_false(fake->finding.profiles->are_calls_left_out[WAIT_BLOCK]);
	assert_true(fake->finding.profiles->measures[WAIT_BLOCK].change > 0);
	fake_end();
}

static void a_run_stays_within_its_budget(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, lock_grew, all_types);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
}

/* The call took 200 ms, the callee 20 of them, as ever. */
static const char gap[] =
	"1 0 web S \"GET /cart\" 0 210 pyroscope.profile.id=00000000000000aa\n"
	"2 1 web C \"POST /quote\" 5 205\n"
	"3 2 shop S \"POST /quote\" 185 205 "
	"pyroscope.profile.id=00000000000000bb\n";

static double gap_took_ms(const struct operation *o, double at_s)
{
	if (str_equal(o->service, STR("shop")))
		return 20;
	return at_s > -120 ? 210 : 30;
}

static void time_before_a_quick_callee_is_the_callers(void **state)
{
	const struct guilty_pick *pick;

	(void)state;
	ask(gap, gap_took_ms, cpu_grew, only_cpu);
	pick = &fake->finding.suspect.pick;
	assert_true(pick->is_gap);
	assert_true(str_equal(pick->service, STR("web")));
	fake_end();
}

/* Its code computes what it always did. */
static const char *cpu_as_ever(const char *type_id, bool is_of_spans,
			       double at_s)
{
	(void)at_s;
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	return is_of_spans ? "main;shop.Discount 600000000\n"
			   : "main;shop.Discount 700000000\n";
}

static void what_no_code_explains_is_the_network(void **state)
{
	(void)state;
	fake_begin(gap);
	fake->took_ms = gap_took_ms;
	fake->stacks = cpu_as_ever;
	fake->types = all_types;
	assert_true(fake_investigate(&err));
	assert_int_equal(fake->result.cause.kind, CAUSE_NETWORK);
	assert_true(str_equal(fake->result.span.name, STR("POST /quote")));
	assert_null(fake->finding.shown);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
}

/* The call spends its time in the caller's own code. */
static void what_code_explains_is_not_the_network(void **state)
{
	(void)state;
	ask(gap, gap_took_ms, cpu_grew, only_cpu);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	fake_end();
}

/* ---- messages ---- */

static const char order[] = "1 0 web S \"PUT /order\" 0 100\n"
			    "2 1 web P publish 90 92 "
			    "messaging.destination.name=orders\n"
			    "3 2 shop K process 4092 4142 "
			    "pyroscope.profile.id=00000000000000bb\n";

static double order_took_ms(const struct operation *o, double at_s)
{
	(void)at_s;
	if (str_equal(o->name, STR("publish")))
		return 2;
	return str_equal(o->service, STR("shop")) ? 50 : 100;
}

static double order_came_after_ms(const struct operation *o, double at_s)
{
	if (str_equal(o->name, STR("publish")))
		return 90;
	if (!str_equal(o->service, STR("shop")))
		return 0;
	return at_s > -120 ? 4092 : 97;
}

static double order_came_as_ever(const struct operation *o, double at_s)
{
	return order_came_after_ms(o, at_s > -120 ? -300 : at_s);
}

static void take_order(double (*after_ms)(const struct operation *, double))
{
	fake_begin(order);
	fake->took_ms = order_took_ms;
	fake->after_ms = after_ms;
	fake->stacks = cpu_of_service_grew;
	fake->types = only_cpu;
	if (!fake_investigate(&err))
		fail_msg("shortfall %d: %s", fake->v.shortfall.kind,
			 err.message);
	assert_int_equal(fake->result.cause.kind, CAUSE_QUEUE);
	assert_true(str_equal(fake->result.cause.queue.name, STR("orders")));
	assert_int_equal(fake->result.cause.queue.wait_ns, fixture_ms(4000));
	/* Spans of one trace begin a nanosecond apart. */
	assert_in_range(fake->result.cause.queue.typical_ns, fixture_ms(5) - 1,
			fixture_ms(5) + 1);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
}

/* What keeps the consumer busy is any of its messages. */
static void a_message_that_waited_is_the_consumers(void **state)
{
	(void)state;
	take_order(order_came_after_ms);
	assert_true(str_equal(fake->result.span.service, STR("shop")));
	assert_int_equal(fake->finding.shown->scope, SCOPE_SERVICE);
	assert_false(fake->result.is_healthy);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	assert_true(change_is_up(fake->result.functions[0].change));
	fake_end();
}

static void one_that_waited_alone_blames_no_function(void **state)
{
	(void)state;
	take_order(order_came_as_ever);
	assert_true(fake->result.is_healthy);
	fake_end();
}

static double always_waited(const struct operation *o, double at_s)
{
	(void)at_s;
	return order_came_after_ms(o, 0);
}

/* Messages that always wait for four seconds are no news. */
static void a_queue_as_long_as_ever_is_no_cause(void **state)
{
	(void)state;
	fake_begin(order);
	fake->took_ms = order_took_ms;
	fake->after_ms = always_waited;
	fake->stacks = cpu_of_service_grew;
	fake->types = only_cpu;
	assert_true(fake_investigate(&err));
	assert_true(str_equal(fake->result.span.service, STR("web")));
	assert_int_not_equal(fake->result.cause.kind, CAUSE_QUEUE);
	assert_true(fake->result.is_healthy);
	fake_end();
}

/* ---- the machine ---- */

static const struct operation shop_does[] = {
	{ { "shop", 4 }, { "GET /cart", 9 }, SPAN_KIND_SERVER },
	{ { "shop", 4 }, { "GET /item", 9 }, SPAN_KIND_SERVER },
};

static double all_slower(const struct operation *o, double at_s)
{
	return slow_lately(o, at_s) /
	       (str_equal(o->name, STR("GET /item")) ? 4 : 1);
}

static double cart_slower(const struct operation *o, double at_s)
{
	return str_equal(o->name, STR("GET /item")) ? 5 : slow_lately(o, at_s);
}

static void begin_machine(double (*took_ms)(const struct operation *, double))
{
	fake_begin(ONE_SERVICE);
	fake->took_ms = took_ms;
	fake->stacks = cpu_as_ever;
	fake->types = all_types;
	fake->does = shop_does;
	fake->does_count = 2;
	assert_true(fake_investigate(&err));
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
}

static void all_that_is_slower_did_not_get_its_cpu(void **state)
{
	(void)state;
	begin_machine(all_slower);
	assert_int_equal(fake->result.cause.kind, CAUSE_CONTENTION);
	assert_null(fake->finding.shown);
	fake_end();
}

static void one_operation_that_waits_is_not_the_machine(void **state)
{
	(void)state;
	begin_machine(cart_slower);
	assert_int_equal(fake->result.cause.kind, CAUSE_WAIT);
	fake_end();
}

static const char *const with_wall[] = { FAKE_CPU, FAKE_WALL, NULL };

/* Wall clock time in code that computes, though no more of it ran. */
static const char *wall_of_code(const char *type_id, bool is_of_spans,
				double at_s)
{
	if (!strcmp(type_id, FAKE_CPU))
		return lock_grew(type_id, is_of_spans, at_s);
	return at_s > -120 ? "main;shop.Discount 6000000000\n"
			   : "main;shop.Discount 600000000\n";
}

static const char *wall_of_sleep(const char *type_id, bool is_of_spans,
				 double at_s)
{
	if (!strcmp(type_id, FAKE_CPU))
		return lock_grew(type_id, is_of_spans, at_s);
	return at_s > -120 ? "main;shop.Discount;time.Sleep 6000000000\n"
			   : "main;shop.Discount;time.Sleep 600000000\n";
}

static void code_that_did_not_run_did_not_get_its_cpu(void **state)
{
	(void)state;
	fake_begin(ONE_SERVICE);
	fake->took_ms = slow_lately;
	fake->stacks = wall_of_code;
	fake->types = with_wall;
	assert_true(fake_investigate(&err));
	assert_int_equal(fake->result.cause.kind, CAUSE_CONTENTION);
	assert_null(fake->finding.shown);
	fake_end();
}

static void code_that_waits_is_not_the_machine(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, wall_of_sleep, with_wall);
	assert_int_equal(fake->result.cause.kind, CAUSE_WAIT);
	assert_int_equal(fake->finding.profiles->wait, WAIT_WALL);
	fake_end();
}

/* ---- what the time went into ---- */

static double hundredfold(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -120 ? 105 : 1;
}

/* 16 ms of CPU a request instead of 1, in 105 ms; somebody waits a little. */
static const char *computes_more(const char *type_id, bool is_of_spans,
				 double at_s)
{
	if (!strcmp(type_id, FAKE_BLOCK) && !is_of_spans)
		return at_s > -120 ? "main;shop.Ask;runtime.selectgo "
				     "60000000\n"
				   : "main;shop.Ask;runtime.selectgo "
				     "1000000\n";
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (is_of_spans)
		return at_s > -120 ? "main;shop.Policy 175000000\n"
				   : "main;shop.Policy 15000000\n";
	return at_s > -120 ? "main;shop.Policy 800000000\n"
			     "main;shop.Log 900000000\n"
			   : "main;shop.Policy 70000000\n"
			     "main;shop.Log 1300000000\n";
}

static const struct excess_part *part_of(enum excess_kind kind)
{
	const struct excess *x = &fake->result.cause.excess;

	size_t i = 0;

	while (i < x->count && x->parts[i].kind != kind)
		i++;
	assert_in_range(i, 0, x->count - 1);
	return &x->parts[i];
}

static void expect_sum(int64_t total_ns)
{
	const struct excess *x = &fake->result.cause.excess;
	int64_t sum_ns = 0;

	assert_int_equal(x->total_ns, total_ns);
	for (size_t i = 0; i < x->count; i++) {
		assert_true(!i || x->parts[i].ns <= x->parts[i - 1].ns);
		sum_ns += x->parts[i].ns;
	}
	assert_int_equal(sum_ns, total_ns);
}

/* What computes is shown, not the little that is blocked beside it. */
static void who_computes_many_times_as_much_waits_for_a_processor(void **state)
{
	const struct excess_part *cpu;

	(void)state;
	ask("1 0 shop S \"GET /cart\" 0 105 "
	    "pyroscope.profile.id=00000000000000aa\n",
	    hundredfold, computes_more, all_types);
	assert_true(fake->finding.profiles->is_starved);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Policy")));
	expect_sum(fixture_ms(104));
	cpu = part_of(EXCESS_CPU);
	assert_in_range(cpu->now_ns, fixture_ms(12), fixture_ms(20));
	assert_in_range(cpu->before_ns, fixture_ms(0.5), fixture_ms(2));
	assert_in_range(cpu->ns, fixture_ms(10), fixture_ms(20));
	assert_true(str_equal(part_of(EXCESS_BLOCKED)->name,
			      STR("shop.Ask")));
	assert_in_range(part_of(EXCESS_BLOCKED)->ns, fixture_ms(1),
			fixture_ms(3));
	assert_int_equal(fake->result.cause.excess.parts[0].kind, EXCESS_REST);
	fake_end();
}

static double thousandfold(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -120 ? 900 : 1;
}

/* A fiftieth of it is computing, which grew fourteenfold; where nothing tells
 * what blocks, it may be that. */
static void on_a_full_machine_little_computing_waits_for_long(void **state)
{
	static const char trace[] = "1 0 shop S \"GET /cart\" 0 900 "
				    "pyroscope.profile.id=00000000000000aa\n";

	(void)state;
	ask(trace, thousandfold, computes_more, all_types);
	assert_true(fake->finding.profiles->is_starved);
	assert_int_equal(fake->result.cause.kind, CAUSE_CPU);
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Policy")));
	fake_end();
	look(trace, thousandfold, computes_more, only_cpu);
	assert_false(fake->finding.profiles->is_starved);
	fake_end();
}

/* All of it computes, or waits for a lock: then that leads. */
static void the_largest_part_leads(void **state)
{
	(void)state;
	ask(ONE_SERVICE, slow_lately, cpu_grew, only_cpu);
	expect_sum(fixture_ms(180));
	assert_int_equal(fake->result.cause.excess.parts[0].kind, EXCESS_CPU);
	fake_end();
	ask(ONE_SERVICE, slow_lately, lock_grew, all_types);
	expect_sum(fixture_ms(180));
	assert_int_equal(fake->result.cause.excess.parts[0].kind,
			 EXCESS_BLOCKED);
	assert_string_equal(fake->result.cause.excess.parts[0].by, "mutex");
	fake_end();
	/* as slow as ever */
	ask(ONE_SERVICE, always_slow, cpu_grew, only_cpu);
	assert_int_equal(fake->result.cause.excess.total_ns, 0);
	fake_end();
}

static const char *const with_memory[] = { FAKE_CPU, FAKE_ALLOC, FAKE_INUSE,
					   FAKE_BLOCK, NULL };

#define COLLECTS "runtime.gcBgMarkWorker;runtime.gcDrain;runtime.scanobject "

/* The collector takes 3 % of the service's CPU, then 51; what the requests
 * compute themselves is as ever. */
static const char *garbage_grew(const char *type_id, bool is_of_spans,
				double at_s)
{
	bool is_slow = at_s > -120;

	if (!strcmp(type_id, FAKE_ALLOC))
		return is_slow ? "main;shop.Snapshot 900000000000\n"
				 "main;shop.Log 10000000000\n"
			       : "main;shop.Snapshot 90000000000\n"
				 "main;shop.Log 10000000000\n";
	if (!strcmp(type_id, FAKE_INUSE))
		return is_slow ? "main;shop.Cache 419430400\n"
			       : "main;shop.Cache 104857600\n";
	if (strcmp(type_id, FAKE_CPU) != 0)
		return NULL;
	if (is_of_spans)
		return is_slow ? "main;shop.Build 600000000\n"
			       : "main;shop.Build 900000000\n";
	return is_slow ? "main;shop.Build 4900000000\n" COLLECTS "5100000000\n"
		       : "main;shop.Build 4900000000\n" COLLECTS "150000000\n";
}

/* Who allocates as ever, and keeps more. */
static const char *leak_grew(const char *type_id, bool is_of_spans, double at_s)
{
	if (!strcmp(type_id, FAKE_ALLOC))
		return at_s > -120 ? "main;shop.Snapshot 50000000000\n"
				     "main;shop.Log 8000000000\n"
				   : "main;shop.Snapshot 90000000000\n"
				     "main;shop.Log 10000000000\n";
	return garbage_grew(type_id, is_of_spans, at_s);
}

/* Half as much: no more than other code that grew. */
static const char *garbage_grew_little(const char *type_id, bool is_of_spans,
				       double at_s)
{
	if (!strcmp(type_id, FAKE_CPU) && !is_of_spans && at_s > -120)
		return "main;shop.Build 4900000000\n" COLLECTS "900000000\n";
	return garbage_grew(type_id, is_of_spans, at_s);
}

static void a_gap_in_which_garbage_is_collected(void **state)
{
	const struct profile_inquiry *q;

	(void)state;
	ask(ONE_SERVICE, slow_lately, garbage_grew, with_memory);
	q = fake->finding.profiles;
	assert_int_equal(fake->result.cause.kind, CAUSE_ALLOC);
	assert_ptr_equal(fake->finding.shown, &q->alloc);
	assert_true(str_equal(q->lead->name, STR("shop.Snapshot")));
	assert_in_range((int)(100 * q->gc_now), 50, 52);
	assert_in_range((int)(100 * q->gc_before), 2, 4);
	assert_int_equal(q->heap.slow.profile.total, 419430400);
	assert_int_equal(q->heap.base.profile.total, 104857600);
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
	ask(ONE_SERVICE, slow_lately, leak_grew, with_memory);
	q = fake->finding.profiles;
	assert_int_equal(fake->result.cause.kind, CAUSE_ALLOC);
	assert_ptr_equal(fake->finding.shown, &q->heap);
	assert_true(str_equal(q->lead->name, STR("shop.Cache")));
	fake_end();
}

static void garbage_that_explains_nothing(void **state)
{
	(void)state;
	fake_begin(ONE_SERVICE);
	fake->took_ms = slow_lately;
	fake->stacks = garbage_grew_little;
	fake->types = with_memory;
	assert_true(fake_investigate(&err));
	assert_int_not_equal(fake->result.cause.kind, CAUSE_ALLOC);
	fake_end();
}

/* ---- a callee without spans ---- */

static const char to_shop[] =
	"1 0 web S \"GET /cart\" 0 210 pyroscope.profile.id=00000000000000aa\n"
	"2 1 web C POST 5 205 http.request.method=POST peer.service=shop\n";

static double to_shop_took_ms(const struct operation *o, double at_s)
{
	(void)o;
	return at_s > -120 ? 205 : 20;
}

static void a_callee_without_spans_has_a_profile(void **state)
{
	(void)state;
	ask(to_shop, to_shop_took_ms, cpu_of_service_grew, only_cpu);
	assert_int_equal(fake->result.cause.kind, CAUSE_DOWNSTREAM);
	assert_true(str_equal(fake->result.span.service, STR("web")));
	assert_true(
		str_equal(fake->finding.profiles->service.name, STR("shop")));
	assert_true(str_equal(fake->result.functions[0].name,
			      STR("shop.Discount")));
	assert_true(fake->requests <= LIMIT_ORDINARY_REQUESTS);
	fake_end();
}

static void a_callee_whose_profile_is_as_ever_blames_nobody(void **state)
{
	(void)state;
	fake_begin(to_shop);
	fake->took_ms = to_shop_took_ms;
	fake->stacks = cpu_as_ever;
	fake->types = only_cpu;
	assert_true(fake_investigate(&err));
	assert_int_equal(fake->result.cause.kind, CAUSE_DOWNSTREAM);
	assert_null(fake->finding.shown);
	fake_end();
}

static void an_unknown_callee_is_its_callers_affair(void **state)
{
	(void)state;
	fake_begin("1 0 web S \"GET /cart\" 0 210\n"
		   "2 1 web C POST 5 205 http.request.method=POST "
		   "server.address=shop.example.org\n");
	fake->took_ms = to_shop_took_ms;
	fake->stacks = cpu_of_service_grew;
	fake->types = only_cpu;
	assert_true(fake_investigate(&err));
	assert_false(fake->finding.symptom.is_of_callee);
	fake_end();
}

static void a_shortfall_is_a_fact(void **state)
{
	(void)state;
	fake_begin(ONE_SERVICE);
	fake->took_ms = slow_lately;
	fake->stacks = cpu_grew;
	fake->types = only_cpu;
	fake->question.has_scope = true;
	fake->question.scope = SCOPE_INSTANCE;
	assert_false(fake_investigate(&err));
	assert_int_equal(fake->v.shortfall.kind, SHORTFALL_INSTANCE_OF_SPAN);
	assert_string_equal(err.message, "");
	fake_end();
}

UNIT_TESTS(slow)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_slow_requests_come_first),
		cmocka_unit_test(the_service_decides_where_few_requests_cannot),
		cmocka_unit_test(the_service_decides_where_spans_scatter),
		cmocka_unit_test(a_neighbour_on_the_cpu_explains_waiting),
		cmocka_unit_test(a_part_on_the_cpu_is_what_is_known),
		cmocka_unit_test(cpu_that_allocates_is_told_by_who_allocates),
		cmocka_unit_test(wall_clock_stands_for_a_cpu_that_is_not_sent),
		cmocka_unit_test(without_them_the_service_decides),
		cmocka_unit_test(
			days_ago_are_asked_about_where_they_may_tell),
		cmocka_unit_test(
			the_window_before_is_the_baseline_when_healthy),
		cmocka_unit_test(else_the_nearest_healthy_one_further_back),
		cmocka_unit_test(what_creeps_is_compared_with_days_ago),
		cmocka_unit_test(what_befalls_some_is_not_denied),
		cmocka_unit_test(between_two_windows_there_is_a_healthy_one),
		cmocka_unit_test(what_may_be_chance_is_not_denied),
		cmocka_unit_test(what_always_befalls_some_is_as_ever),
		cmocka_unit_test(a_fresh_fault_needs_no_more_windows),
		cmocka_unit_test(a_kind_that_became_slow_is_not_denied),
		cmocka_unit_test(
			what_one_version_has_more_of_is_compared_with_others),
		cmocka_unit_test(what_is_always_slow_blames_no_function),
		cmocka_unit_test(a_lock_explains_what_the_cpu_does_not),
		cmocka_unit_test(
			a_lock_that_some_requests_wait_for_explains_those),
		cmocka_unit_test(
			where_no_code_is_the_teams_the_library_that_waits_is_told),
		cmocka_unit_test(waits_for_calls_explain_no_time_of_its_own),
		cmocka_unit_test(a_run_stays_within_its_budget),
		cmocka_unit_test(time_before_a_quick_callee_is_the_callers),
		cmocka_unit_test(what_no_code_explains_is_the_network),
		cmocka_unit_test(what_code_explains_is_not_the_network),
		cmocka_unit_test(a_message_that_waited_is_the_consumers),
		cmocka_unit_test(one_that_waited_alone_blames_no_function),
		cmocka_unit_test(a_queue_as_long_as_ever_is_no_cause),
		cmocka_unit_test(all_that_is_slower_did_not_get_its_cpu),
		cmocka_unit_test(one_operation_that_waits_is_not_the_machine),
		cmocka_unit_test(code_that_did_not_run_did_not_get_its_cpu),
		cmocka_unit_test(code_that_waits_is_not_the_machine),
		cmocka_unit_test(
			who_computes_many_times_as_much_waits_for_a_processor),
		cmocka_unit_test(
			on_a_full_machine_little_computing_waits_for_long),
		cmocka_unit_test(the_largest_part_leads),
		cmocka_unit_test(a_gap_in_which_garbage_is_collected),
		cmocka_unit_test(garbage_that_explains_nothing),
		cmocka_unit_test(a_callee_without_spans_has_a_profile),
		cmocka_unit_test(
			a_callee_whose_profile_is_as_ever_blames_nobody),
		cmocka_unit_test(an_unknown_callee_is_its_callers_affair),
		cmocka_unit_test(a_shortfall_is_a_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
