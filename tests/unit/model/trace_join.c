/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../analyze/trace_fixture.h"

#include <stdio.h>

#include "model/history.h"
#include "model/trace_join.h"

#define MAIN 0x0a
#define OTHERS 4

struct joining {
	struct trace parts[OTHERS + 1];
	struct trace joined;
	size_t count; /* of others */
	size_t tied;
};

/* Traces 0a, 0b, 0c...; the first is the one that was asked about. */
static void join(struct joining *j, const char *const *texts, size_t count)
{
	const struct trace *others[OTHERS];
	struct error err = { 0 };

	assert_in_range(count, 1, OTHERS + 1);
	for (size_t i = 0; i < count; i++) {
		fixture_id = (uint8_t)(MAIN + i);
		fixture_trace(&j->parts[i], texts[i]);
		if (i)
			others[i - 1] = &j->parts[i];
	}
	fixture_id = 1;
	j->count = count - 1;
	assert_true(trace_join(&j->parts[0], others, j->count, &j->joined,
			       &j->tied, &err));
}

static void end(struct joining *j)
{
	trace_release(&j->joined);
	for (size_t i = 0; i <= j->count; i++)
		trace_release(&j->parts[i]);
}

static const struct span *span(const struct joining *j, uint64_t id)
{
	return &j->joined.spans[fixture_span(&j->joined, id)];
}

static uint64_t parent(const struct joining *j, uint64_t id)
{
	uint32_t above = span(j, id)->parent;

	return above == SPAN_NONE ? 0 : j->joined.spans[above].span_id;
}

static const char order[] = "a1 0 api S \"PUT /\" 0 100\n"
			    "a2 a1 api P publish 90 92 "
			    "messaging.destination.name=orders\n";

static const char taken[] = "b1 0 idx K process 500 550 link=0a:a2\n"
			    "b2 b1 idx I store 510 540 error=full\n";

static void consumer_below_its_producer(void **state)
{
	const char *const texts[] = { order, taken };
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(j.tied, 1);
	assert_int_equal(j.joined.span_count, 4);
	assert_int_equal(j.joined.root_count, 1);
	assert_true(trace_id_equal(&j.joined.id, &j.parts[0].id));
	assert_int_equal(j.joined.joined_root_id, 0xa1);
	assert_int_equal(parent(&j, 0xb1), 0xa2);
	assert_int_equal(parent(&j, 0xb2), 0xb1);
	assert_int_equal(span(&j, 0xb1)->flags,
			 SPAN_IS_FOLLOWS_FROM | SPAN_IS_LINKED);
	assert_int_equal(span(&j, 0xb2)->flags, SPAN_IS_ERROR | SPAN_IS_LINKED);
	assert_int_equal(span(&j, 0xa2)->flags, 0);
	assert_true(
		str_equal(trace_text(&j.joined, span(&j, 0xb2)->status_message),
			  STR("full")));
	assert_true(
		str_equal(span_attr(&j.joined, fixture_span(&j.joined, 0xa2),
				    STR("messaging.destination.name")),
			  STR("orders")));
	assert_true(str_equal(
		span_service(&j.joined, fixture_span(&j.joined, 0xb2)),
		STR("idx")));
	end(&j);
}

/* Asked about the consumer: its producer's trace goes above it. */
static void producer_above_its_consumer(void **state)
{
	static const char sent[] = "b1 0 api S \"PUT /\" 0 100\n"
				   "b2 b1 api P publish 90 92\n";
	const char *const texts[] = { "a1 0 idx K process 500 550 link=0b:b2\n",
				      sent };
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(j.tied, 1);
	assert_int_equal(j.joined.joined_root_id, 0xa1);
	assert_int_equal(parent(&j, 0xa1), 0xb2);
	assert_int_equal(span(&j, 0xa1)->flags, SPAN_IS_FOLLOWS_FROM);
	assert_int_equal(span(&j, 0xb2)->flags, SPAN_IS_LINKED);
	end(&j);
}

/* The producer may be the one that knows of the other. */
static void link_of_the_producer(void **state)
{
	const char *const texts[] = {
		"a1 0 api P publish 90 92 link=0b:b1\n",
		"b1 0 idx S process 500 550\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(parent(&j, 0xb1), 0xa1);
	end(&j);
}

/* Of a batch it hangs below the message that was sent first; nothing is told by
 * the others. */
static void batch(void **state)
{
	const char *const texts[] = {
		"a1 0 idx K process 500 550 link=0c:c1 link=0b:b1\n",
		"b1 0 api P publish 90 92\n",
		"c1 0 api P publish 190 192\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 3);
	assert_int_equal(j.tied, 1);
	assert_int_equal(parent(&j, 0xa1), 0xb1);
	assert_int_equal(j.joined.span_count, 2);
	end(&j);
}

/* Neither a root nor what took a message: it stays where it is. */
static void link_from_within(void **state)
{
	const char *const texts[] = {
		order,
		"b1 0 web S GET 400 600\n"
		"b2 b1 web I step 500 550 link=0a:a2\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(j.tied, 0);
	assert_int_equal(j.joined.span_count, 2);
	end(&j);
}

/* A consumer below its poll, or below a producer of its own trace. */
static void consumers_within(void **state)
{
	const char *const texts[] = {
		order,
		"b1 0 idx I poll 400 600\n"
		"b2 b1 idx K process 500 550 link=0a:a2\n",
		"c1 0 idx P forward 400 402\n"
		"c2 c1 idx K process 500 550 link=0a:a2\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 3);
	assert_int_equal(j.tied, 1);
	assert_int_equal(parent(&j, 0xb2), 0xa2);
	assert_int_equal(parent(&j, 0xb1), 0);
	end(&j);
}

/* The third trace is tied to the second only; the fourth to none. */
static void along_a_chain(void **state)
{
	const char *const texts[] = {
		order,
		"c1 0 bill K charge 700 750 link=0c:b2\n",
		"b1 0 idx K process 500 550 link=0a:a2\n"
		"b2 b1 idx P forward 545 546\n",
		"d1 0 bill K charge 700 750 link=0e:b2\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 4);
	assert_int_equal(j.tied, 2);
	assert_int_equal(j.joined.span_count, 5);
	assert_int_equal(parent(&j, 0xc1), 0xb2);
	end(&j);
}

static void ids_in_common(void **state)
{
	const char *const texts[] = {
		order,
		"b1 0 idx K process 500 550 link=0a:a2\n"
		"a1 b1 idx I store 510 540\n",
	};
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(j.tied, 0);
	end(&j);
}

/* What is past the limit is not looked at. */
static void no_more_than_the_most(void **state)
{
	const char *const texts[OTHERS + 1] = {
		order,
		"b1 0 idx K process 500 550 link=0a:a2\n",
		"c1 0 idx K process 500 550 link=0a:a2\n",
		"d1 0 idx K process 500 550 link=0a:a2\n",
		"e1 0 idx K process 500 550 link=0a:a2\n",
	};
	struct joining j;

	(void)state;
	assert_int_equal(TRACE_JOIN_MOST, OTHERS - 1);
	join(&j, texts, OTHERS + 1);
	assert_int_equal(j.tied, TRACE_JOIN_MOST);
	assert_int_equal(j.joined.span_count, 2 + TRACE_JOIN_MOST);
	end(&j);
}

/* A link to a span that is not there leads nowhere. */
/* A request of 400 ms that sends a job and does nothing from 12 ms on until
 * then_ms. */
static const char *waiting(double then_ms)
{
	static char text[512];

	snprintf(text, sizeof text,
		 "a1 0 api S \"POST /reports\" 0 400\n"
		 "a2 a1 api I check 0 10\n"
		 "a3 a1 api P publish 10 12\n"
		 "a4 a1 api I answer %g 400\n",
		 then_ms);
	return text;
}

/* Which span a job from from_ms to to_ms is put below. */
static uint64_t parent_of_job(const char *request, double from_ms, double to_ms)
{
	char job[256];
	const char *const texts[] = { request, job };
	uint64_t above;
	struct joining j;
	bool is_awaited;

	snprintf(job, sizeof job,
		 "b1 0 worker K \"process jobs\" %g %g link=0a:a3\n"
		 "b2 b1 worker I render %g %g\n",
		 from_ms, to_ms, from_ms, to_ms);
	join(&j, texts, 2);
	assert_int_equal(j.tied, 1);
	above = parent(&j, 0xb1);
	is_awaited = span(&j, 0xb1)->flags & SPAN_IS_AWAITED;
	assert_int_equal(!is_awaited,
			 !!(span(&j, 0xb1)->flags & SPAN_IS_FOLLOWS_FROM));
	assert_int_equal(is_awaited, above != 0xa3);
	assert_int_equal(parent(&j, 0xb2), 0xb1);
	if (is_awaited)
		assert_int_equal(
			trace_awaited_from(&j.joined,
					   fixture_span(&j.joined, 0xb1)),
			FIXTURE_BASE_NS + fixture_ms(12));
	end(&j);
	return above;
}

/* Who goes on when it ends waited for it. */
static void a_job_whose_end_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(parent_of_job(waiting(350), 20, 347), 0xa1);
	/* a twentieth of it later, and before: the answer came first */
	assert_int_equal(parent_of_job(waiting(363), 20, 347), 0xa1);
	assert_int_equal(parent_of_job(waiting(331), 20, 347), 0xa1);
	assert_int_equal(parent_of_job(waiting(370), 20, 347), 0xa3);
	assert_int_equal(parent_of_job(waiting(325), 20, 347), 0xa3);
	/* the queue may take as long as the job, not longer */
	assert_int_equal(parent_of_job(waiting(350), 170, 347), 0xa1);
	assert_int_equal(parent_of_job(waiting(350), 190, 347), 0xa3);
	/* it ends with the request */
	assert_int_equal(parent_of_job(waiting(399.5), 20, 399), 0xa1);
	/* and after it */
	assert_int_equal(parent_of_job(waiting(350), 20, 700), 0xa3);
}

/* A span that waits, within the request; and one that works meanwhile. */
static void who_waits_is_the_innermost(void **state)
{
	static const char within[] = "a1 0 api S \"POST /reports\" 0 400\n"
				     "a3 a1 api P publish 10 12\n"
				     "a4 a1 api I \"await reply\" 12 350\n";
	/* calls beside it: one that nobody waits for, one that is over */
	static const char beside[] = "a1 0 api S \"POST /reports\" 0 350\n"
				     "a3 a1 api P publish 10 12\n"
				     "a4 a1 api C audit 10 600\n"
				     "a5 a1 api C query 11 12\n";
	static const char works[] = "a1 0 api S \"POST /reports\" 0 400\n"
				    "a3 a1 api P publish 10 12\n"
				    "a4 a1 api C query 12 350\n"
				    "a5 a4 db S query 13 349\n";

	(void)state;
	assert_int_equal(parent_of_job(within, 20, 347), 0xa4);
	assert_int_equal(parent_of_job(beside, 20, 347), 0xa1);
	assert_int_equal(parent_of_job(works, 20, 347), 0xa3);
}

/* Of the same trace, by its parent: nothing has to be joined. */
static void a_job_of_the_same_trace(void **state)
{
	char text[1024];
	const char *const texts[] = { text };

	(void)state;
	for (int at = 347; at >= 200; at -= 147) {
		struct joining j;

		snprintf(text, sizeof text,
			 "%sb1 a3 worker K process 20 %d\n", waiting(350), at);
		join(&j, texts, 1);
		assert_int_equal(trace_has_awaited(&j.parts[0]), at == 347);
		assert_int_equal(j.tied, 0);
		assert_int_equal(j.joined.joined_root_id, 0);
		assert_int_equal(parent(&j, 0xb1), at == 347 ? 0xa1 : 0xa3);
		end(&j);
	}
}

/* Who asks about the job does not get the request that waits for it. */
static void the_waiter_of_what_was_asked_for(void **state)
{
	const char *const texts[] = {
		"a1 0 worker K process 20 347 link=0b:b3\n",
		"b1 0 api S \"POST /reports\" 0 350\n"
		"b3 b1 api P publish 10 12\n"
	};
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(parent(&j, 0xa1), 0xb3);
	assert_true(span(&j, 0xa1)->flags & SPAN_IS_FOLLOWS_FROM);
	end(&j);
}

/* As many are looked at as the limit says. */
static void most_that_are_waited_for(void **state)
{
	static char text[64 * 64];
	int len = snprintf(text, sizeof text, "a1 0 api S root 0 10000\n");
	const char *const texts[] = { text };
	struct joining j;
	uint32_t awaited = 0;

	(void)state;
	for (uint32_t i = 0; i <= TRACE_AWAITED_MOST; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x a1 api P send %u %u\n"
				"%x %x w K take %u %u\n",
				0x100 + i, i * 100, i * 100 + 1, 0x200 + i,
				0x100 + i, i * 100 + 2, i * 100 + 99);
	join(&j, texts, 1);
	for (uint32_t i = 0; i < j.joined.span_count; i++)
		awaited += !!(j.joined.spans[i].flags & SPAN_IS_AWAITED);
	assert_int_equal(awaited, TRACE_AWAITED_MOST);
	end(&j);
}

static void link_to_nothing(void **state)
{
	const char *const texts[] = {
		order, "b1 0 idx K process 500 550 link=0a:99\n"
	};
	struct joining j;

	(void)state;
	join(&j, texts, 2);
	assert_int_equal(j.tied, 0);
	end(&j);
}

/* A trace that moved is whole, and the other one is empty. */
static void moved(void **state)
{
	struct trace from, to;

	(void)state;
	fixture_trace(&from, order);
	trace_move(&to, &from);
	assert_int_equal(from.span_count, 0);
	assert_int_equal(to.span_count, 2);
	assert_true(str_equal(span_name(&to, 0), STR("PUT /")));
	trace_release(&from);
	assert_int_not_equal(symtab_find(&to.symtab, STR("publish")), 0);
	trace_release(&to);
}

static void links_are_kept_with_their_span(void **state)
{
	struct trace t;

	(void)state;
	fixture_trace(&t, "1 0 a S GET 0 10\n"
			  "2 1 a C call 0 5 link=0b:b1 link=0c:c1\n"
			  "3 1 a C call 5 9 link=0d:d1\n");
	assert_int_equal(t.link_count, 3);
	assert_int_equal(t.links[0].from_id, 2);
	assert_int_equal(t.links[1].from_id, 2);
	assert_int_equal(t.links[1].span_id, 0xc1);
	assert_int_equal(t.links[1].trace_id.bytes[0], 0x0c);
	assert_int_equal(t.links[2].from_id, 3);
	trace_release(&t);
}

/* One more than are kept. */
static void too_many_links(void **state)
{
	struct span_input in = { .trace_id = { { 1 } }, .span_id = 1 };
	struct error err = { 0 };
	struct trace t;
	struct trace_build *b;

	(void)state;
	trace_init(&t);
	b = trace_build_new(&t, NULL, &err);
	assert_non_null(b);
	trace_build_attrs_begin(b);
	assert_true(trace_build_resource(b, &in.resource, &err));
	trace_build_attrs_begin(b);
	for (uint32_t i = 0; i <= LIMIT_TRACE_LINKS; i++)
		assert_true(trace_build_link_end(b, &in.trace_id, i + 1, &err));
	assert_true(trace_build_span(b, &in, &err));
	assert_true(trace_build_finish(b, &err));
	assert_int_equal(t.link_count, LIMIT_TRACE_LINKS);
	assert_int_equal(t.links[LIMIT_TRACE_LINKS - 1].span_id,
			 LIMIT_TRACE_LINKS);
	trace_build_free(b);
	trace_release(&t);
}

/* A request of a trace that is of several. */
static void part_below_a_span(void **state)
{
	struct error err = { 0 };
	struct trace t, part;

	(void)state;
	fixture_trace(&t, "1 0 a S \"GET /\" 0 100\n"
			  "2 1 b S work 10 60\n"
			  "3 2 b C query 20 50 db.system=x error=late\n"
			  "4 1 c S other 60 90\n");
	assert_true(trace_part(&t, fixture_span(&t, 2), &part, &err));
	assert_int_equal(part.span_count, 2);
	assert_int_equal(part.root_count, 1);
	assert_int_equal(part.spans[part.roots[0]].span_id, 2);
	assert_int_equal(part.spans[part.roots[0]].parent_id, 1);
	assert_int_equal(part.end_ns - part.start_ns, fixture_ms(50));
	assert_true(trace_id_equal(&part.id, &t.id));
	assert_true(str_equal(span_attr(&part, fixture_span(&part, 3),
					STR("db.system")),
			      STR("x")));
	trace_release(&part);
	/* All of it. */
	assert_true(trace_part(&t, fixture_span(&t, 1), &part, &err));
	assert_int_equal(part.span_count, 4);
	trace_release(&part);
	trace_release(&t);
}

static void add_linked(struct trace_build *b, uint8_t id, uint8_t to,
		       uint64_t end_ns)
{
	struct trace_id linked = { .bytes = { [15] = to } };
	struct error err = { 0 };
	struct span_input in = {
		.trace_id = { .bytes = { [15] = id } },
		.span_id = id,
		.start_unix_ns = 1000000000000000000u + end_ns - 5,
		.end_unix_ns = 1000000000000000000u + end_ns,
		.kind = SPAN_KIND_CONSUMER,
	};

	trace_build_attrs_begin(b);
	assert_true(trace_build_part_begin(b, DETAIL_LINK, &err));
	assert_true(trace_build_link_end(b, &linked, 1, &err));
	assert_true(trace_build_span(b, &in, &err));
}

/* Of many that link to one those that end last, whatever their order. */
static void many_linking(void **state)
{
	const struct trace_id main = { .bytes = { [15] = MAIN } };
	struct error err = { 0 };
	struct trace_build *b = trace_build_linking(&main, &err);
	struct hits hits;
	size_t index;

	(void)state;
	assert_non_null(b);
	for (uint8_t i = 0; i < 100; i++)
		add_linked(b, (uint8_t)(100 + i), i % 2 ? MAIN : 7,
			   i * 37u % 100 / 2 * 10);
	add_linked(b, MAIN, MAIN, 5000);
	hits_init(&hits);
	assert_true(trace_build_linking_hits(b, &hits, &err));
	assert_int_equal(hits.count, 20);
	for (size_t i = 0; i < hits.count; i++) {
		const struct hit *hit = &hits.items[i];

		assert_int_equal(hit->id.bytes[15] % 2, 1);
		assert_int_equal(hit->trace_ns, 5);
		assert_int_equal(hit->start_ns,
				 1000000000000000000 + 490 - 10 * (int)i - 5);
		assert_true(trace_build_find(b, &hit->id, &index));
		assert_int_equal(index, hit->id.bytes[15] - 100);
	}
	hits_release(&hits);
	trace_build_free(b);
}

UNIT_TESTS(trace_join)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consumer_below_its_producer),
		cmocka_unit_test(producer_above_its_consumer),
		cmocka_unit_test(link_of_the_producer),
		cmocka_unit_test(batch),
		cmocka_unit_test(many_linking),
		cmocka_unit_test(link_from_within),
		cmocka_unit_test(consumers_within),
		cmocka_unit_test(along_a_chain),
		cmocka_unit_test(ids_in_common),
		cmocka_unit_test(no_more_than_the_most),
		cmocka_unit_test(a_job_whose_end_is_waited_for),
		cmocka_unit_test(who_waits_is_the_innermost),
		cmocka_unit_test(a_job_of_the_same_trace),
		cmocka_unit_test(the_waiter_of_what_was_asked_for),
		cmocka_unit_test(most_that_are_waited_for),
		cmocka_unit_test(link_to_nothing),
		cmocka_unit_test(moved),
		cmocka_unit_test(part_below_a_span),
		cmocka_unit_test(links_are_kept_with_their_span),
		cmocka_unit_test(too_many_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
