/* SPDX-License-Identifier: Apache-2.0
 *
 * Which part of a trace is slow: published late, waited, worked long.
 */
#include <stdio.h>

#include "../unit.h"
#include "history_fixture.h"

#include "analyze/slowspan.h"

/* Operations of the history, in this order. */
enum { REQUEST, PUBLISH, PROCESS };

/* One trace in milliseconds: from the begin of the request. */
struct course {
	double request;
	double wait; /* from the end of publishing, 2 ms before the request's */
	double process;
};

#define TRACES 20u
#define PUBLISH_MS 2.0
#define NOT_ASKED (-1.0)

struct world {
	struct past p;
	struct typical typical;
	struct arena arena;
	struct trace t;
	struct trace_times times;
	struct messages messages;
	struct slow_tree found;
};

/* One window follows the other; the last traces are of another course. */
static void add_window(struct past *p, const struct course *early,
		       const struct course *late, uint32_t late_count)
{
	double from = p->h.window_count * TRACES * 1000.0;
	uint32_t window = past_window(p, from, from + TRACES * 1000.0);

	for (uint32_t i = 0; i < TRACES; i++) {
		const struct course *c =
			i + late_count < TRACES ? early : late;
		double at = from + i * 1000;
		double sent = at + c->request - PUBLISH_MS;

		past_trace(p, window);
		past_add(p, window, REQUEST, at, c->request);
		past_add(p, window, PUBLISH, sent - PUBLISH_MS, PUBLISH_MS);
		if (c->process >= 0)
			past_add(p, window, PROCESS, sent + c->wait,
				 c->process);
	}
}

static void add_trace(struct world *w, const struct course *c, const char *more)
{
	double sent = c->request - PUBLISH_MS;
	char text[2048];
	int len = snprintf(text, sizeof text,
			   "1 0 api S \"PUT /\" 0 %g\n"
			   "3 1 api P publish %g %g "
			   "messaging.destination.name=orders\n"
			   "4 3 idx K process %g %g\n%s",
			   c->request, sent - PUBLISH_MS, sent, sent + c->wait,
			   sent + c->wait + c->process, more);

	assert_in_range(len, 1, (int)sizeof text - 1);
	fixture_trace(&w->t, text);
}

/* late: of the window before as many are as those of the slow one. */
static void ask_late(struct world *w, const struct course *usual,
		     const struct course *others, const struct course *now,
		     const char *more, uint32_t late)
{
	static const struct time_range all;
	struct error err = { 0 };

	*w = (struct world){ .times = { .root = SPAN_NONE } };
	past_init(&w->p);
	past_operation(&w->p, "api", "PUT /", SPAN_KIND_SERVER);
	past_operation(&w->p, "api", "publish", SPAN_KIND_PRODUCER);
	if (usual->process >= 0)
		past_operation(&w->p, "idx", "process", SPAN_KIND_CONSUMER);
	add_window(&w->p, usual, others, late);
	add_window(&w->p, others, others, 0);
	add_trace(w, now, more);
	arena_init(&w->arena, GIB);
	assert_true(trace_times_compute(&w->t, &w->arena, &w->times, &err));
	assert_true(
		messages_find(&w->t, &w->times, &w->arena, &w->messages, &err));
	assert_true(typical_build(&w->p.h, 0, all, REQUEST, 1, &w->arena,
				  &w->typical, &err));
	assert_true(typical_add_waits(&w->typical, &w->p.h, 0, all, &w->t,
				      &w->messages, 1, &w->arena, &err));
	slow_tree_find(&w->t, &w->times, &w->typical, &w->messages, &w->found);
}

static void ask(struct world *w, const struct course *usual,
		const struct course *others, const struct course *now,
		const char *more)
{
	ask_late(w, usual, others, now, more, 0);
}

static void end(struct world *w)
{
	trace_release(&w->t);
	arena_release(&w->arena);
	past_release(&w->p);
}

/* Which span's tree, and whether it waited. */
static void expect(const struct course *usual, const struct course *now,
		   uint64_t top, bool is_queue)
{
	struct world w;

	ask(&w, usual, now, now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, top);
	assert_int_equal(w.found.is_queue, is_queue);
	end(&w);
}

static const struct course healthy = { 100, 5, 50 };

static void nothing_grew(void **state)
{
	(void)state;
	expect(&healthy, &healthy, 1, false);
}

/* All that comes after the request is as ever: it published late. */
static void published_late(void **state)
{
	static const struct course now = { 900, 5, 50 };

	(void)state;
	expect(&healthy, &now, 1, false);
}

static void waited(void **state)
{
	static const struct course now = { 100, 4000, 50 };
	struct world w;

	(void)state;
	ask(&w, &healthy, &now, &now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 4);
	assert_true(w.found.is_queue);
	assert_int_equal(w.found.queue.wait_ns, fixture_ms(4000));
	assert_int_equal(w.found.queue.typical_ns, fixture_ms(5));
	assert_int_equal(w.found.queue.grown_ns, fixture_ms(3995));
	assert_int_equal(w.found.queue.count, TRACES);
	assert_int_equal(w.found.queue.next_ns, 0);
	assert_true(w.found.queue.has_moved);
	end(&w);
}

/* Both grew: a consumer that works longer makes its own queue. */
static void worked_long(void **state)
{
	static const struct course now = { 100, 4000, 400 };

	(void)state;
	expect(&healthy, &now, 4, false);
}

/* This one's work took longer as well, that of the others did not: it is not
 * why messages wait, and by less than the wait. */
static void waited_more_than_it_worked(void **state)
{
	static const struct course others = { 100, 4000, 50 };
	static const struct course now = { 100, 4000, 90 };
	static const struct course worked = { 100, 4000, 4500 };
	struct world w;

	(void)state;
	ask(&w, &healthy, &others, &now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 4);
	assert_true(w.found.is_queue);
	assert_int_equal(w.found.queue.next_ns, 0);
	end(&w);
	ask(&w, &healthy, &others, &worked, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 4);
	assert_false(w.found.is_queue);
	end(&w);
}

/* They began to wait within the window before: what is usual is what came
 * before that. */
static void began_to_wait_earlier(void **state)
{
	static const struct course now = { 100, 4000, 50 };
	struct world w;

	(void)state;
	ask_late(&w, &healthy, &now, &now, "", TRACES / 4);
	assert_true(w.found.is_queue);
	assert_int_equal(w.found.queue.typical_ns, fixture_ms(5));
	assert_int_equal(w.found.queue.count, TRACES - TRACES / 4);
	assert_true(w.found.queue.has_moved);
	end(&w);
}

/* Fewer messages than tell a ninth decile: three times the longest of them. */
static void few_are_known(void **state)
{
	static const struct course usual = { 100, 100, 50 };
	static const struct course less = { 100, 290, 50 };
	static const struct course more = { 100, 310, 50 };

	(void)state;
	for (uint32_t count = MESSAGE_LEAST - 1; count <= TYPICAL_MIN;
	     count++) {
		const struct course *courses[] = { &less, &more };

		for (size_t i = 0; i < 2; i++) {
			struct world w;
			bool is_queue = count >= MESSAGE_LEAST &&
					(i == 1 || count == TYPICAL_MIN);

			ask(&w, &usual, courses[i], courses[i], "");
			w.typical.waits[0].count = count;
			slow_tree_find(&w.t, &w.times, &w.typical, &w.messages,
				       &w.found);
			assert_int_equal(w.found.is_queue, is_queue);
			end(&w);
		}
	}
}

/* It has to be by half as much again, and by a tenth of the request. */
static void waits_as_ever(void **state)
{
	static const struct course lazy = { 100, 4000, 50 };
	static const struct course a_little = { 100, 5990, 50 };
	static const struct course much = { 100, 6010, 50 };
	static const struct course crumbs = { 100, 14.9, 50 };
	static const struct course enough = { 100, 15.1, 50 };

	(void)state;
	expect(&lazy, &lazy, 1, false);
	expect(&lazy, &a_little, 1, false);
	expect(&lazy, &much, 4, true);
	expect(&healthy, &crumbs, 1, false);
	expect(&healthy, &enough, 4, true);
}

/* The request grew by more than the message waited. */
static void request_grew_more(void **state)
{
	static const struct course less = { 4000, 3000, 50 };
	static const struct course more = { 3000, 4000, 50 };

	(void)state;
	expect(&healthy, &less, 1, false);
	expect(&healthy, &more, 4, true);
}

static void only_this_one_waited(void **state)
{
	static const struct course now = { 100, 4000, 50 };
	struct world w;

	(void)state;
	ask(&w, &healthy, &healthy, &now, "");
	assert_true(w.found.is_queue);
	assert_false(w.found.queue.has_moved);
	end(&w);
}

static void wait_not_known(void **state)
{
	static const struct course usual = { 100, 5, NOT_ASKED };
	static const struct course now = { 100, 4000, 50 };
	struct world w;

	(void)state;
	ask(&w, &usual, &usual, &now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 1);
	assert_false(w.found.is_queue);
	end(&w);
}

/* A consumer of the request's length is looked at when the request is as ever,
 * and has to be long beside one that grew. */
static void consumer_grew(void **state)
{
	static const struct course alone = { 100, 5, 120 };
	static const struct course beside = { 160, 5, 190 };
	static const struct course long_beside = { 160, 5, 330 };

	(void)state;
	expect(&healthy, &alone, 4, false);
	expect(&healthy, &beside, 1, false);
	expect(&healthy, &long_beside, 4, false);
}

/* A long one beside a request that grew: in this trace alone it is one of many
 * that now and then take long. Beside a request as ever it is looked at from three
 * times its usual 50 ms on. */
static void consumer_alone_is_long(void **state)
{
	static const struct course others = { 160, 5, 50 };
	static const struct course a_fifth = { 160, 5, 60 };
	static const struct course now = { 160, 5, 330 };
	static const struct course ordinary = { 100, 5, 149 };
	static const struct course request_as_ever = { 100, 5, 151 };
	struct world w;

	(void)state;
	ask(&w, &healthy, &others, &now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 1);
	end(&w);
	ask(&w, &healthy, &a_fifth, &now, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 4);
	end(&w);
	ask(&w, &healthy, &others, &ordinary, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 1);
	end(&w);
	ask(&w, &healthy, &others, &request_as_ever, "");
	assert_int_equal(w.t.spans[w.found.top].span_id, 4);
	end(&w);
}

/* A call that the request did not wait for, and that grew by far: beside a
 * request as ever it is the matter, beside one that grew by 20 ms it is not. */
static void call_beside(void **state)
{
	static const struct course grew = { 120, 5, 50 };
	static const char call[] = "5 1 api C upload 130 4000 follows\n";

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct course *now = i ? &grew : &healthy;
		static const struct time_range all;
		struct error why = { 0 };
		struct world w;

		ask(&w, &healthy, now, now, call);
		past_operation(&w.p, "api", "upload", SPAN_KIND_CLIENT);
		for (uint32_t k = 0; k < TRACES; k++)
			past_add(&w.p, 0, 3, k, 40)->trace = k;
		assert_true(typical_build(&w.p.h, 0, all, REQUEST, UINT32_MAX,
					  &w.arena, &w.typical, &why));
		slow_tree_find(&w.t, &w.times, &w.typical, &w.messages,
			       &w.found);
		assert_int_equal(w.t.spans[w.found.top].span_id, i ? 1 : 5);
		end(&w);
	}
}

/* A consumer as slow as ever, or of which nothing is known. */
static void consumer_as_ever(void **state)
{
	static const struct course slow = { 100, 5, 3000 };
	static const struct course unknown = { 100, 5, NOT_ASKED };

	(void)state;
	expect(&slow, &slow, 1, false);
	expect(&unknown, &slow, 1, false);
}

/* The queue's name is the sender's or the receiver's, in new words or old. */
static void name_of_queue(void **state)
{
	static const char old[] =
		"5 3 idx K other 200 210 messaging.destination=old\n";
	struct world w;

	(void)state;
	ask(&w, &healthy, &healthy, &healthy, old);
	assert_int_equal(w.messages.count, 2);
	assert_true(str_equal(message_queue(&w.t, &w.messages.items[0]),
			      STR("orders")));
	assert_true(str_equal(message_queue(&w.t, &w.messages.items[1]),
			      STR("old")));
	end(&w);
}

/* By a link within the trace, though its parent is the request, or none; what
 * takes a message need not say that it is a consumer. */
static void sender_by_link(void **state)
{
	static const char linked[] = "5 1 idx K take 500 510 link=01:3\n"
				     "6 0 idx K batch 600 610 link=01:3\n"
				     "7 1 idx K other 700 710 link=02:3\n"
				     "8 3 idx I job 800 810\n";
	struct world w;

	(void)state;
	ask(&w, &healthy, &healthy, &healthy, linked);
	assert_int_equal(w.messages.count, 5);
	assert_int_equal(w.t.spans[w.messages.items[1].sender].span_id, 3);
	assert_int_equal(w.messages.items[1].wait_ns, fixture_ms(500 - 98));
	assert_int_equal(w.t.spans[w.messages.items[2].sender].span_id, 3);
	assert_int_equal(w.t.spans[w.messages.items[3].sender].span_id, 1);
	assert_int_equal(w.messages.items[4].wait_ns, fixture_ms(800 - 98));
	end(&w);
}

/* Sent and taken at once by the spans; the broker noted an earlier second. */
static void noted_by_the_broker(void **state)
{
	static const char noted[] =
		"5 1 api P batch 10 1000\n"
		"6 5 idx K take 500 510 "
		"messaging.eventhubs.message.enqueued_time=1699999999\n"
		"7 5 idx K take 600 610\n";
	struct world w;

	(void)state;
	ask(&w, &healthy, &healthy, &healthy, noted);
	assert_int_equal(w.messages.count, 3);
	assert_int_equal(w.messages.items[1].wait_ns, fixture_ms(1500));
	assert_int_equal(w.messages.items[2].wait_ns, 0);
	end(&w);
}

UNIT_TESTS(slow_tree)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_grew),
		cmocka_unit_test(published_late),
		cmocka_unit_test(waited),
		cmocka_unit_test(worked_long),
		cmocka_unit_test(waited_more_than_it_worked),
		cmocka_unit_test(began_to_wait_earlier),
		cmocka_unit_test(few_are_known),
		cmocka_unit_test(waits_as_ever),
		cmocka_unit_test(request_grew_more),
		cmocka_unit_test(only_this_one_waited),
		cmocka_unit_test(wait_not_known),
		cmocka_unit_test(consumer_grew),
		cmocka_unit_test(consumer_alone_is_long),
		cmocka_unit_test(call_beside),
		cmocka_unit_test(consumer_as_ever),
		cmocka_unit_test(name_of_queue),
		cmocka_unit_test(sender_by_link),
		cmocka_unit_test(noted_by_the_broker),
	};

	return cmocka_run_group_tests_name("slow_tree", tests, NULL, NULL);
}
