/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "../unit.h"
#include "history_fixture.h"
#include "trace_fixture.h"

#include "analyze/account.h"

struct accounted {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct calls calls;
	struct operations operations;
	struct account account;
	struct account_callers callers;
};

static void begin(struct accounted *a, const char *text)
{
	struct error err = { 0 };

	fixture_trace(&a->t, text);
	arena_init(&a->arena, GIB);
	assert_true(trace_times_compute(&a->t, &a->arena, &a->times, &err));
	assert_true(calls_build(&a->t, &a->arena, &a->calls, &err));
	assert_true(operations_collect(&a->t, &a->times, &a->operations, &err));
	assert_true(account_of_trace(&a->calls, &a->times, a->operations.items,
				     a->operations.count, &a->account,
				     &a->callers, &err));
}

static void end(struct accounted *a)
{
	arena_release(&a->arena);
	trace_release(&a->t);
}

static uint32_t place_named(const struct accounted *a, const char *name)
{
	for (uint32_t i = 0; i < a->operations.count; i++)
		if (str_equal(a->operations.items[i].name, str_from(name)))
			return i;
	fail_msg("no place %s", name);
	return 0;
}

static const struct account_place *place(const struct accounted *a,
					 const char *name)
{
	return &a->account.places[place_named(a, name)];
}

static void expect_ms(double ns, double ms)
{
	assert_true(fabs(ns - ms * 1e6) < 1);
}

static void expect_sum(const struct account *a)
{
	double sum = 0;

	for (uint32_t i = 0; i < a->count; i++)
		sum += account_path_ns(&a->places[i]);
	assert_true(fabs(sum - a->total_ns) < 1);
}

static void states(void **state)
{
	struct accounted a;

	(void)state;
	begin(&a, "1 0 web S GET 0 1000\n"
		  "2 1 web C call 100 400\n"
		  "3 2 cat S List 120 390\n"
		  "4 1 web C SELECT 400 500 db.system=pg\n"
		  "5 1 web C SELECT 500 600 db.system=pg\n"
		  "6 1 web C charge 600 900 error url.full=http://pay/a\n"
		  "7 1 web I render 900 950\n");
	expect_sum(&a.account);
	expect_ms(a.account.total_ns, 1000);
	expect_ms(place(&a, "GET")->path_ns[ACCOUNT_SELF], 150);
	expect_ms(place(&a, "call")->path_ns[ACCOUNT_GAP], 30);
	expect_ms(place(&a, "call")->through_ns, 300);
	expect_ms(place(&a, "List")->path_ns[ACCOUNT_SELF], 270);
	expect_ms(place(&a, "SELECT")->path_ns[ACCOUNT_CALL], 200);
	assert_int_equal(place(&a, "SELECT")->calls, 2);
	expect_ms(place(&a, "SELECT")->self_ns, 200);
	assert_int_equal(a.callers.of[place_named(&a, "List")],
			 place_named(&a, "call"));
	assert_int_equal(a.callers.of[place_named(&a, "call")],
			 place_named(&a, "GET"));
	assert_int_equal(a.callers.of[place_named(&a, "GET")], OPERATION_NONE);
	end(&a);
}

/* Failed attempts are no calls, and backing off is no work. */
static void attempts(void **state)
{
	struct accounted a;

	(void)state;
	begin(&a, "1 0 web S GET 0 1000\n"
		  "2 1 web C pay 100 200 error url.full=http://pay/a\n"
		  "3 1 web C pay 400 500 error url.full=http://pay/a\n"
		  "4 1 web C pay 800 900 url.full=http://pay/a\n");
	expect_sum(&a.account);
	assert_int_equal(place(&a, "pay")->calls, 1);
	expect_ms(place(&a, "pay")->path_ns[ACCOUNT_CALL], 300);
	expect_ms(place(&a, "GET")->path_ns[ACCOUNT_PAUSE], 500);
	expect_ms(place(&a, "GET")->path_ns[ACCOUNT_SELF], 200);
	end(&a);
}

/* Of calls side by side the one that ends last holds the path. */
static void side_by_side(void **state)
{
	struct accounted a;

	(void)state;
	begin(&a, "1 0 web S GET 0 100\n"
		  "2 1 web C stock 10 60\n"
		  "3 1 web C price 10 90\n");
	expect_sum(&a.account);
	expect_ms(account_path_ns(place(&a, "price")), 80);
	expect_ms(account_path_ns(place(&a, "GET")), 20);
	end(&a);
}

static uint32_t drawn(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* A tree of spans of a few operations, which overlap, outlast their parents and
 * fail as they like. */
static void draw_trace(uint32_t seed, char *text, size_t size)
{
	static const char kinds[] = "SCISC";
	uint32_t count = 2 + drawn(&seed, 40);
	double starts[48], ends[48];
	int len = snprintf(text, size, "1 0 s0 S root 0 1000\n");

	starts[0] = 0;
	ends[0] = 1000;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t parent = drawn(&seed, i);
		double room = ends[parent] - starts[parent];

		starts[i] = starts[parent] + room * drawn(&seed, 100) / 100;
		ends[i] = starts[i] + room * drawn(&seed, 110) / 100;
		len += snprintf(text + len, size - (size_t)len,
				"%x %x s%u %c op%u %.3f %.3f%s\n", i + 1,
				parent + 1, drawn(&seed, 3),
				kinds[drawn(&seed, 5)], drawn(&seed, 30),
				starts[i], ends[i],
				drawn(&seed, 8) ? "" : " error");
	}
}

static void adds_up(void **state)
{
	char text[8192];

	(void)state;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct accounted a;

		draw_trace(seed, text, sizeof text);
		begin(&a, text);
		expect_sum(&a.account);
		assert_true(fabs(a.account.total_ns -
				 (double)a.times.path_ns) < 1);
		end(&a);
	}
}

static double sum_of(const struct account_growth *g)
{
	double sum = 0;

	for (uint32_t i = 0; i < g->count; i++)
		sum += g->cells[i].change_ns;
	return sum;
}

/* Any two requests: what the one takes longer is told to the last nanosecond,
 * whoever it is charged to. */
static void growth_adds_up(void **state)
{
	char text[8192];

	(void)state;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct account before;
		struct account_growth growth;
		struct accounted a;
		uint32_t changed = seed;

		draw_trace(seed, text, sizeof text);
		begin(&a, text);
		before = a.account;
		before.total_ns = 0;
		for (uint32_t i = 0; i < before.count; i++) {
			struct account_place *p = &before.places[i];
			double factor = drawn(&changed, 4);

			p->calls *= factor * (1 + drawn(&changed, 3));
			p->self_ns *= factor;
			for (unsigned s = 0; s < ACCOUNT_STATES; s++)
				p->path_ns[s] *=
					factor * (1 + drawn(&changed, 5)) / 3;
			before.total_ns += account_path_ns(p);
		}
		account_compare(&before, &a.account, &a.callers, &growth);
		assert_true(fabs(sum_of(&growth) - growth.total_ns) < 1);
		assert_true(fabs(growth.total_ns -
				 (a.account.total_ns - before.total_ns)) < 10);
		end(&a);
	}
}

/* A past of ten requests of what a trace is made of, all alike. */
struct pasts {
	struct past p;
	struct account before;
	struct account_growth growth;
};

static void compare(struct accounted *a, const char *before, struct pasts *b)
{
	struct error err = { 0 };
	struct accounted once;
	const struct account_growth *g = &b->growth;

	begin(&once, before);
	past_init(&b->p);
	past_window(&b->p, 0, 1000);
	b->p.h.operations = a->operations.items;
	b->p.h.operation_count = a->operations.count;
	for (uint32_t i = 0; i < 10; i++) {
		past_trace(&b->p, 0);
		for (uint32_t s = 0; s < once.t.span_count; s++) {
			const struct span *span = &once.t.spans[s];
			uint32_t o = operations_find_span(
				a->operations.items, a->operations.count,
				&once.t, s);
			struct history_span *added;

			if (o == OPERATION_NONE)
				continue;
			added = past_add(&b->p, 0, o, i, 0);
			added->trace = i;
			added->start_ns += span->start_ns - FIXTURE_BASE_NS;
			added->duration_ns = span_duration_ns(span);
		}
	}
	assert_true(account_of_history(&b->p.h, 0, (struct time_range){ 0, 0 },
				       0, &a->callers, &b->before, &err));
	assert_int_equal(b->before.requests, 10);
	expect_sum(&b->before);
	expect_ms(b->before.total_ns, (double)once.times.path_ns / 1e6);
	account_compare(&b->before, &a->account, &a->callers, &b->growth);
	assert_true(fabs(sum_of(g) - (a->account.total_ns -
				      b->before.total_ns)) < 10);
	end(&once);
}

static void expect_first(const struct accounted *a, const struct pasts *b,
			 const char *name, enum account_why why, double ms,
			 const char *of)
{
	const struct account_growth_cell *c = &b->growth.cells[0];

	assert_int_equal(c->place, place_named(a, name));
	assert_int_equal(c->why, why);
	assert_true(fabs(c->change_ns / 1e6 - ms) < 1);
	assert_int_equal(c->of, of ? place_named(a, of) : OPERATION_NONE);
}

static const char side[] = "1 0 page S product 0 70\n"
			   "2 1 page C stock 5 52\n"
			   "3 2 stock S Get 6 51\n"
			   "4 3 stock C \"SELECT stock\" 7 50\n"
			   "5 1 page C price 5 58\n"
			   "6 5 price S Get 6 57\n"
			   "7 6 price C \"SELECT price\" 7 56\n"
			   "8 1 page C reviews 5 65\n"
			   "9 8 reviews S Get 6 64\n"
			   "a 9 reviews C \"SELECT reviews\" 7 63\n";

/* Each takes what it always did; the page waits for one after another. */
static void less_overlap(void **state)
{
	struct accounted a;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 page S product 0 170\n"
		  "2 1 page C stock 5 52\n"
		  "3 2 stock S Get 6 51\n"
		  "4 3 stock C \"SELECT stock\" 7 50\n"
		  "5 1 page C price 52 105\n"
		  "6 5 price S Get 53 104\n"
		  "7 6 price C \"SELECT price\" 54 103\n"
		  "8 1 page C reviews 105 165\n"
		  "9 8 reviews S Get 106 164\n"
		  "a 9 reviews C \"SELECT reviews\" 107 163\n");
	compare(&a, side, &b);
	expect_first(&a, &b, "product", ACCOUNT_LESS_OVERLAP, 100,
		     "SELECT price");
	past_release(&b.p);
	end(&a);
}

/* Of two side by side the shorter becomes the longer: it is slower, and overlaps
 * by no less. */
static void out_of_hiding(void **state)
{
	struct accounted a;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 web S GET 0 160\n"
		  "2 1 web C stock 0 160\n"
		  "3 1 web C price 10 110\n"
		  "4 3 web I parse 10 20\n");
	compare(&a,
		"1 0 web S GET 0 110\n"
		"2 1 web C stock 0 50\n"
		"3 1 web C price 10 110\n",
		&b);
	expect_first(&a, &b, "stock", ACCOUNT_SLOWER, 110, NULL);
	past_release(&b.p);
	end(&a);
}

/* What a request says of its plan, others of its time like it or not. */
static bool has_plan(struct accounted *a, struct pasts *b,
		     const struct account *others)
{
	struct account_change change = { .before = b->before,
					 .others = *others,
					 .now = a->account,
					 .callers = a->callers,
					 .growth = b->growth };
	const struct account_growth_cell *cell;

	account_compare(&b->before, others, &a->callers, &change.others_growth);
	cell = account_changed_plan(&change);
	if (!cell)
		return false;
	assert_int_equal(cell->place, place_named(a, "order"));
	assert_int_equal(account_called(&change, cell), place_named(a, "get"));
	/* a client's is the server's */
	assert_int_equal(a->callers.of[account_served(&change,
						      place_named(a, "get"))],
			 place_named(a, "get"));
	assert_int_equal(account_served(&change, OPERATION_NONE),
			 OPERATION_NONE);
	return true;
}

static void plans(void **state)
{
	struct accounted a;
	struct account slower;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 orders S order 0 170\n"
		  "2 1 orders C get 5 80\n"
		  "3 2 crm S Get 6 79\n"
		  "4 1 orders C get 80 155\n"
		  "5 4 crm S Get 81 154\n");
	compare(&a,
		"1 0 orders S order 0 95\n"
		"2 1 orders C get 5 80\n"
		"3 2 crm S Get 6 79\n",
		&b);
	assert_true(has_plan(&a, &b, &a.account));
	/* this one alone */
	assert_false(has_plan(&a, &b, &b.before));
	past_release(&b.p);
	/* hardly longer than before */
	compare(&a,
		"1 0 orders S order 0 140\n"
		"2 1 orders C get 5 140\n"
		"3 2 crm S Get 6 139\n",
		&b);
	assert_false(has_plan(&a, &b, &a.account));
	past_release(&b.p);
	end(&a);
	/* one after another; with calls that others see slower, it is those */
	begin(&a, "1 0 orders S order 0 170\n"
		  "2 1 orders C get 5 80\n"
		  "3 2 crm S Get 6 79\n"
		  "4 1 orders C put 80 155\n"
		  "5 4 log S Put 81 154\n");
	compare(&a,
		"1 0 orders S order 0 95\n"
		"2 1 orders C get 5 85\n"
		"3 2 crm S Get 6 84\n"
		"4 1 orders C put 5 75\n"
		"5 4 log S Put 6 74\n",
		&b);
	assert_int_equal(b.growth.cells[0].why, ACCOUNT_LESS_OVERLAP);
	slower = a.account;
	slower.places[place_named(&a, "Get")].self_ns *= 2;
	assert_false(has_plan(&a, &b, &slower));
	past_release(&b.p);
	end(&a);
}

static void more_calls(void **state)
{
	struct accounted a;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 orders S order 0 170\n"
		  "2 1 orders C get 5 80\n"
		  "3 2 crm S Get 6 79\n"
		  "4 3 crm C SELECT 7 77\n"
		  "5 1 orders C get 80 155\n"
		  "6 5 crm S Get 81 154\n"
		  "7 6 crm C SELECT 82 152\n"
		  "8 1 orders C INSERT 155 166\n");
	compare(&a,
		"1 0 orders S order 0 95\n"
		"2 1 orders C get 5 80\n"
		"3 2 crm S Get 6 79\n"
		"4 3 crm C SELECT 7 77\n"
		"8 1 orders C INSERT 80 91\n",
		&b);
	expect_first(&a, &b, "order", ACCOUNT_MORE_CALLS, 75, "SELECT");
	past_release(&b.p);
	end(&a);
}

/* The callee is what is slower, and what is new says so. */
static void slower_and_new(void **state)
{
	struct accounted a;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 web S GET 0 200\n"
		  "2 1 web C get 5 155\n"
		  "3 2 crm S Get 6 154\n"
		  "4 1 web I check 155 195\n");
	compare(&a,
		"1 0 web S GET 0 60\n"
		"2 1 web C get 5 55\n"
		"3 2 crm S Get 6 54\n",
		&b);
	expect_first(&a, &b, "Get", ACCOUNT_SLOWER, 100, NULL);
	assert_int_equal(b.growth.cells[1].place, place_named(&a, "check"));
	assert_int_equal(b.growth.cells[1].why, ACCOUNT_NEW);
	expect_ms(b.growth.cells[1].change_ns, 40);
	past_release(&b.p);
	end(&a);
}

/* A call that is slower in this request alone does not hide that all make it now, and half
 * of them did. */
static void plan_beside_bad_luck(void **state)
{
	struct accounted a, once;
	struct pasts b;

	(void)state;
	begin(&once, "1 0 orders S order 0 100\n"
		     "2 1 orders C get 5 95\n"
		     "3 2 crm S Get 6 94\n");
	begin(&a, "1 0 orders S order 0 200\n"
		  "2 1 orders C get 5 195\n"
		  "3 2 crm S Get 6 194\n");
	compare(&a,
		"1 0 orders S order 0 100\n"
		"2 1 orders C get 5 95\n"
		"3 2 crm S Get 6 94\n",
		&b);
	for (uint32_t i = 0; i < b.before.count; i++) {
		struct account_place *p = &b.before.places[i];

		if (i == place_named(&a, "order"))
			continue;
		p->calls /= 2;
		p->self_ns /= 2;
		for (unsigned s = 0; s < ACCOUNT_STATES; s++)
			p->path_ns[s] /= 2;
	}
	b.before.total_ns = 55e6;
	account_compare(&b.before, &a.account, &a.callers, &b.growth);
	assert_int_equal(b.growth.cells[0].why, ACCOUNT_SLOWER);
	assert_true(has_plan(&a, &b, &once.account));
	/* where others do not, it is none */
	assert_false(has_plan(&a, &b, &b.before));
	past_release(&b.p);
	end(&once);
	end(&a);
}

/* Of others this part does what the request does. */
static bool has_plan_of_some(struct accounted *a, struct pasts *b, double part)
{
	struct account others = b->before;

	for (uint32_t i = 0; i < others.count; i++) {
		struct account_place *p = &others.places[i];
		const struct account_place *now = &a->account.places[i];

		if (p->calls > 0)
			continue;
		p->calls = part * now->calls;
		p->self_ns = part * now->self_ns;
		for (unsigned s = 0; s < ACCOUNT_STATES; s++)
			p->path_ns[s] = part * now->path_ns[s];
	}
	return has_plan(a, b, &others);
}

/* Where the request waits longer in its own code than for the new call, that is another
 * matter. */
static void plan_beside_own_wait(void **state)
{
	struct accounted a, once;
	struct pasts b;

	(void)state;
	begin(&once, "1 0 orders S order 0 150\n"
		     "2 1 orders C get 5 95\n"
		     "3 2 crm S Get 6 94\n");
	begin(&a, "1 0 orders S order 0 260\n"
		  "2 1 orders C get 5 95\n"
		  "3 2 crm S Get 6 94\n");
	compare(&a, "1 0 orders S order 0 10\n", &b);
	assert_false(has_plan(&a, &b, &once.account));
	past_release(&b.p);
	compare(&once, "1 0 orders S order 0 10\n", &b);
	assert_true(has_plan(&once, &b, &once.account));
	past_release(&b.p);
	end(&once);
	end(&a);
}

/* A callee that was not called before, with all below it, is a call more of the one who
 * calls it now; code of its own that has a span now is no call. */
static void called_anew(void **state)
{
	struct accounted a;
	struct pasts b;

	(void)state;
	begin(&a, "1 0 cart S order 0 145\n"
		  "2 1 cart C get 5 115\n"
		  "3 2 policy S Check 6 114\n"
		  "4 3 policy C SELECT 7 112\n"
		  "5 1 cart C list 115 135\n");
	compare(&a,
		"1 0 cart S order 0 35\n"
		"5 1 cart C list 5 25\n",
		&b);
	expect_first(&a, &b, "order", ACCOUNT_MORE_CALLS, 110, "SELECT");
	assert_true(has_plan(&a, &b, &a.account));
	/* Some others make it, too, and ten requests before would have had none by
	 * chance; a rare call is no plan that changed. */
	assert_true(has_plan_of_some(&a, &b, 0.5));
	assert_false(has_plan_of_some(&a, &b, 0.1));
	past_release(&b.p);
	end(&a);
	begin(&a, "1 0 cart S order 0 145\n"
		  "2 1 cart I check 5 115\n");
	compare(&a, "1 0 cart S order 0 35\n", &b);
	expect_first(&a, &b, "check", ACCOUNT_NEW, 110, NULL);
	past_release(&b.p);
	end(&a);
	/* nor is code that runs more often */
	begin(&a, "1 0 cart S order 0 145\n"
		  "2 1 cart I get 5 75\n"
		  "3 1 cart I get 75 145\n");
	compare(&a,
		"1 0 cart S order 0 75\n"
		"2 1 cart I get 5 75\n",
		&b);
	expect_first(&a, &b, "order", ACCOUNT_MORE_CALLS, 70, "get");
	assert_false(has_plan(&a, &b, &a.account));
	past_release(&b.p);
	end(&a);
}

/* The same callee by another name: what it took is told as the caller's own, whose
 * calls have no name that is known. */
static void called_by_another_name(void **state)
{
	struct accounted a, once;
	struct pasts b;

	(void)state;
	begin(&once, "1 0 cart S order 0 145\n"
		     "2 1 cart C get 5 125\n"
		     "3 2 items S GetV2 6 124\n");
	compare(&once, "1 0 cart S order 0 60\n", &b);
	assert_false(has_plan(&once, &b, &once.account));
	past_release(&b.p);
	/* this one waits far longer for it than others do */
	begin(&a, "1 0 cart S order 0 645\n"
		  "2 1 cart C get 5 625\n"
		  "3 2 items S GetV2 6 624\n");
	compare(&a, "1 0 cart S order 0 60\n", &b);
	assert_false(has_plan(&a, &b, &once.account));
	past_release(&b.p);
	end(&once);
	end(&a);
}

/* What a worker did after the answer, in the trace of the request: its caller is known
 * and none that was asked about, so its time is no part of the request. */
static void work_after_the_answer(void **state)
{
	struct error err = { 0 };
	struct accounted a;
	struct account before;
	struct past p;

	(void)state;
	begin(&a, "1 0 web S GET 0 200\n"
		  "2 1 mail S send 5 195\n"
		  "3 2 mail C deliver 6 190\n");
	past_init(&p);
	past_window(&p, 0, 1000);
	p.h.operations = a.operations.items;
	p.h.operation_count = a.operations.count;
	for (uint32_t i = 0; i < 10; i++) {
		struct history_span *after;

		past_trace(&p, 0);
		past_add(&p, 0, place_named(&a, "GET"), 0, 20)->trace = i;
		after = past_add(&p, 0, place_named(&a, "deliver"), 0, 130);
		after->trace = i;
		after->start_ns += fixture_ms(25);
		after->parent_id = 0xabc;
	}
	assert_true(account_of_history(&p.h, 0, (struct time_range){ 0, 0 },
				       place_named(&a, "GET"), &a.callers,
				       &before, &err));
	assert_int_equal(before.requests, 10);
	assert_true(before.places[place_named(&a, "deliver")].calls == 0);
	past_release(&p);
	end(&a);
}

/* Spans that lie in no caller's time: what each took by itself is not known. */
static void lost_callers(void **state)
{
	struct error err = { 0 };
	struct accounted a;
	struct account before;
	struct past p;

	(void)state;
	begin(&a, "1 0 web S GET 0 200\n"
		  "2 1 web I check 155 195\n");
	past_init(&p);
	past_window(&p, 0, 1000);
	past_operation(&p, "web", "GET", SPAN_KIND_SERVER);
	past_operation(&p, "web", "check", SPAN_KIND_INTERNAL);
	for (uint32_t i = 0; i < 10; i++) {
		past_trace(&p, 0);
		past_add(&p, 0, 0, i, 100)->trace = i;
		past_add(&p, 0, 1, i, 10)->trace = i;
		if (i < 8)
			continue;
		p.h.windows[0].spans[p.h.windows[0].span_count - 1].start_ns +=
			fixture_ms(5000);
	}
	assert_true(account_of_history(&p.h, 0, (struct time_range){ 0, 0 }, 0,
				       &a.callers, &before, &err));
	assert_int_equal(before.requests, 0);
	past_release(&p);
	end(&a);
}

/* Two that wait at once, each for a call that both may make: by time the call
 * is that of the shorter one. */
static double check_self_ms(bool has_parents, bool is_ring)
{
	struct error err = { 0 };
	struct accounted a;
	struct account before;
	double self_ns;
	struct past p;

	begin(&a, "1 0 web S GET 0 200\n"
		  "2 1 web I long 0 100\n"
		  "3 1 web I short 100 150\n"
		  "4 2 web C read 10 40\n"
		  "5 3 web C read 110 140\n");
	past_init(&p);
	past_window(&p, 0, 1000);
	p.h.operations = a.operations.items;
	p.h.operation_count = a.operations.count;
	for (uint32_t i = 0; i < 10; i++) {
		struct history_span *spans[4];
		static const char *const names[] = { "GET", "long", "short",
						     "read" };
		static const double lengths_ms[] = { 200, 100, 50, 30 };

		past_trace(&p, 0);
		for (uint32_t s = 0; s < 4; s++) {
			spans[s] = past_add(&p, 0, place_named(&a, names[s]),
					    s == 3 ? 10 : 0, lengths_ms[s]);
			spans[s]->trace = i;
		}
		if (has_parents) {
			spans[1]->parent_id = spans[0]->span_id;
			spans[2]->parent_id = spans[0]->span_id;
			spans[3]->parent_id = spans[1]->span_id;
		}
		if (is_ring)
			spans[1]->parent_id = spans[3]->span_id;
	}
	assert_true(account_of_history(&p.h, 0, (struct time_range){ 0, 0 },
				       place_named(&a, "GET"), &a.callers,
				       &before, &err));
	assert_int_equal(before.requests, 10);
	self_ns = before.places[place_named(&a, "short")].self_ns;
	past_release(&p);
	end(&a);
	return self_ns / 1e6;
}

static void parents(void **state)
{
	(void)state;
	assert_true(check_self_ms(false, false) == 20);
	assert_true(check_self_ms(true, false) == 50);
	/* Who comes first is above, whatever it says. */
	assert_true(check_self_ms(true, true) == 50);
}

UNIT_TESTS(account)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(attempts),
		cmocka_unit_test(side_by_side),
		cmocka_unit_test(adds_up),
		cmocka_unit_test(growth_adds_up),
		cmocka_unit_test(less_overlap),
		cmocka_unit_test(out_of_hiding),
		cmocka_unit_test(plans),
		cmocka_unit_test(more_calls),
		cmocka_unit_test(slower_and_new),
		cmocka_unit_test(plan_beside_bad_luck),
		cmocka_unit_test(plan_beside_own_wait),
		cmocka_unit_test(called_anew),
		cmocka_unit_test(called_by_another_name),
		cmocka_unit_test(work_after_the_answer),
		cmocka_unit_test(lost_callers),
		cmocka_unit_test(parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
