/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "base/mem.h"
#include "model/trace.h"

static struct error err;
static struct trace trace;
static struct trace_build *build;

static void begin(const struct trace_id *want)
{
	trace_init(&trace);
	build = trace_build_new(&trace, want, &err);
	assert_non_null(build);
}

static void finish(void)
{
	assert_true(trace_build_finish(build, &err));
	trace_build_free(build);
}

/* Nothing else was odd. */
static void expect_oddities(struct trace_oddities wanted)
{
	assert_memory_equal(&trace.oddities, &wanted, sizeof wanted);
}

static void expect_no_oddities(void)
{
	expect_oddities((struct trace_oddities){ 0 });
	assert_int_equal(trace.orphan_count, 0);
}

static uint32_t text(const char *value)
{
	uint32_t id;

	assert_true(trace_build_text(build, str_from(value), &id, &err));
	return id;
}

static void attr(const char *key, const char *value)
{
	assert_true(
		trace_build_attr(build, str_from(key), str_from(value), &err));
}

static uint32_t service(const char *name)
{
	uint32_t resource;

	trace_build_attrs_begin(build);
	attr("service.name", name);
	assert_true(trace_build_resource(build, &resource, &err));
	return resource;
}

static void add(struct span_input in)
{
	assert_true(trace_build_span(build, &in, &err));
}

/* A span of service "s" in the trace of id 0. */
static void span(uint64_t id, uint64_t parent, uint64_t start, uint64_t end)
{
	uint32_t resource = service("s");

	add((struct span_input){ .span_id = id,
				 .parent_id = parent,
				 .name = text("op"),
				 .resource = resource,
				 .start_unix_ns = start,
				 .end_unix_ns = end });
}

static struct span *find(uint64_t id)
{
	uint32_t at = trace_find_span(&trace, id);

	assert_int_not_equal(at, SPAN_NONE);
	return &trace.spans[at];
}

static uint64_t parent_of(uint64_t id)
{
	uint32_t parent = find(id)->parent;

	return parent == SPAN_NONE ? 0 : trace.spans[parent].span_id;
}

/* The promises of the header, whatever came in. */
static void check_forest(void)
{
	uint32_t linked = trace.root_count;

	for (uint32_t i = 0; i < trace.span_count; i++) {
		const struct span *s = &trace.spans[i];

		assert_true(s->end_ns >= s->start_ns && s->start_ns >= 0);
		if (i > 0)
			assert_true(trace.spans[i - 1].start_ns <= s->start_ns);
		for (uint32_t j = 0; j < s->child_count; j++) {
			uint32_t child = trace.children[s->child_first + j];

			assert_int_equal(trace.spans[child].parent, i);
			if (j > 0)
				assert_true(
					trace.children[s->child_first + j - 1] <
					child);
		}
		linked += s->child_count;
	}
	assert_int_equal(linked, trace.span_count);
	for (uint32_t i = 0; i < trace.root_count; i++)
		assert_int_equal(trace.spans[trace.roots[i]].parent, SPAN_NONE);
}

static void test_tree(void **state)
{
	(void)state;
	begin(NULL);
	span(4, 2, 130, 140);
	span(3, 1, 150, 190);
	span(1, 0, 100, 200);
	span(2, 1, 110, 145);
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 4);
	assert_int_equal(trace.root_count, 1);
	assert_int_equal(trace.start_ns, 100);
	assert_int_equal(trace.end_ns, 200);
	assert_int_equal(trace.service_count, 1);
	assert_int_equal(trace.orphan_count, 0);
	assert_int_equal(find(1)->child_count, 2);
	assert_int_equal(parent_of(4), 2);
	assert_int_equal(trace_find_span(&trace, 9), SPAN_NONE);
	assert_int_equal(span_duration_ns(find(3)), 40);
	expect_no_oddities();
	trace_release(&trace);
}

static void test_empty(void **state)
{
	(void)state;
	begin(NULL);
	finish();
	assert_int_equal(trace.span_count, 0);
	expect_no_oddities();
	assert_int_equal(trace_find_span(&trace, 1), SPAN_NONE);
	trace_release(&trace);
}

static void test_orphans_and_roots(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, 100, 200);
	span(2, 77, 50, 60);
	span(3, 2, 55, 400);
	span(4, 78, 120, 130);
	finish();
	check_forest();
	assert_int_equal(trace.root_count, 3);
	assert_int_equal(trace.orphan_count, 2);
	/* The second root's child makes it the longest. */
	assert_int_equal(trace.spans[trace.roots[0]].span_id, 2);
	assert_int_equal(trace.spans[trace.roots[1]].span_id, 1);
	assert_int_equal(trace.spans[trace.roots[2]].span_id, 4);
	assert_true(find(2)->flags & SPAN_IS_ORPHAN);
	assert_false(find(1)->flags & SPAN_IS_ORPHAN);
	assert_int_equal(trace.orphan_count, 2);
	trace_release(&trace);
}

static void test_cycles(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 1, 100, 200);
	span(12, 11, 120, 130);
	span(11, 13, 110, 130);
	span(13, 12, 115, 130);
	span(14, 13, 116, 117);
	finish();
	check_forest();
	assert_int_equal(parent_of(1), 0);
	assert_int_equal(parent_of(11), 0);
	assert_int_equal(parent_of(12), 11);
	assert_int_equal(parent_of(13), 12);
	assert_int_equal(parent_of(14), 13);
	assert_true(find(11)->flags & SPAN_IS_CUT_CYCLE);
	assert_true(find(1)->flags & SPAN_IS_CUT_CYCLE);
	assert_int_equal(trace.orphan_count, 0);
	expect_oddities((struct trace_oddities){ .cycle_count = 2 });
	trace_release(&trace);
}

static void test_duplicates(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, 100, 200);
	span(1, 0, 100, 200);
	span(2, 1, 110, 120);
	span(2, 1, 110, 150);
	span(2, 1, 110, 130);
	span(0, 1, 110, 120);
	span(0, 1, 110, 120);
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 4);
	assert_int_equal(find(2)->end_ns, 150);
	expect_oddities((struct trace_oddities){ .duplicate_count = 2 });
	trace_release(&trace);
}

/* Copies as long as each other: what they hold decides, and how many others
 * there are does not depend on where the kept one stood. */
static void test_duplicates_in_any_order(void **state)
{
	static const uint64_t parents[][3] = { { 1, 3, 1 },
					       { 1, 1, 3 },
					       { 3, 1, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		begin(NULL);
		span(1, 0, 100, 200);
		span(3, 0, 100, 200);
		for (size_t k = 0; k < 3; k++)
			span(2, parents[i][k], 110, 120);
		finish();
		assert_int_equal(trace.span_count, 3);
		assert_int_equal(parent_of(2), 1);
		assert_int_equal(trace.oddities.duplicate_count, 1);
		trace_release(&trace);
	}
}

static void test_one_duplicate_is_told(void **state)
{
	(void)state;
	begin(NULL);
	span(2, 0, 110, 120);
	span(2, 0, 110, 121);
	finish();
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.oddities.duplicate_count, 1);
	trace_release(&trace);
}

/* Workers that were forked draw the same ids: spans of another service, or that
 * begin at another time, are no copies. */
static void test_twins_are_kept(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, 100000, 900000);
	span(7, 1, 110000, 300000);
	span(7, 1, 400000, 800000);
	span(7, 1, 400900, 700000); /* sent twice, rounded */
	span(8, 7, 120000, 200000);
	span(8, 7, 410000, 500000);
	span(9, 7, 750000, 850000); /* outlasts it */
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 6);
	assert_int_equal(trace.root_count, 1);
	for (uint32_t i = 0; i < trace.span_count; i++) {
		const struct span *s = &trace.spans[i];
		const struct span *parent =
			s->parent == SPAN_NONE ? NULL : &trace.spans[s->parent];

		if (s->span_id >= 8)
			assert_int_equal(parent->start_ns,
					 s->start_ns < 400000 ? 110000
							      : 400000);
	}
	expect_oddities((struct trace_oddities){ .duplicate_count = 1,
						 .twin_count = 2 });
	trace_release(&trace);
}

static void add_kind(uint64_t id, uint64_t parent, const char *name,
		     enum span_kind kind, uint64_t start)
{
	uint32_t resource = service(name);

	add((struct span_input){ .span_id = id,
				 .parent_id = parent,
				 .name = text("op"),
				 .resource = resource,
				 .kind = (uint8_t)kind,
				 .start_unix_ns = start,
				 .end_unix_ns = 200 });
}

/* Clocks apart: the service tells more than the time. */
static void test_twins_of_other_services_are_kept(void **state)
{
	(void)state;
	begin(NULL);
	add_kind(1, 0, "master", SPAN_KIND_INTERNAL, 100);
	add_kind(7, 1, "one", SPAN_KIND_SERVER, 110);
	add_kind(7, 1, "two", SPAN_KIND_SERVER, 120);
	add_kind(8, 7, "two", SPAN_KIND_INTERNAL, 115);
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 4);
	assert_int_equal(trace.spans[find(8)->parent].start_ns, 120);
	expect_oddities((struct trace_oddities){ .twin_count = 1 });
	trace_release(&trace);
}

/* Who makes them up: each is looked for among some of them. */
static void test_many_twins_stay_quick(void **state)
{
	const uint64_t many = 30000, apart = 10000;

	(void)state;
	begin(NULL);
	for (uint64_t i = 1; i <= many; i++) {
		span(7, 0, i * apart, i * apart + 5000);
		span(100 + i, 7, i * apart + 10, i * apart + 20);
	}
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 2 * many);
	assert_int_equal(trace.root_count, many);
	for (uint64_t i = 1; i <= many; i++)
		assert_int_equal(trace.spans[find(100 + i)->parent].start_ns,
				 i * apart);
	trace_release(&trace);
}

/* Zipkin: the server reuses the client's id. */
static void test_shared_id(void **state)
{
	uint32_t client, server;

	(void)state;
	begin(NULL);
	add_kind(5, 9, "back", SPAN_KIND_SERVER, 110);
	add_kind(5, 9, "front", SPAN_KIND_CLIENT, 105);
	add_kind(9, 0, "front", SPAN_KIND_SERVER, 100);
	add_kind(6, 5, "back", SPAN_KIND_INTERNAL, 120);
	add_kind(7, 5, "front", SPAN_KIND_INTERNAL, 121);
	add_kind(8, 5, "third", SPAN_KIND_SERVER, 122);
	finish();
	check_forest();
	assert_int_equal(trace.span_count, 6);
	client = trace_find_span(&trace, 5);
	server = client + 1;
	assert_int_equal(trace.spans[client].kind, SPAN_KIND_CLIENT);
	assert_int_equal(trace.spans[server].kind, SPAN_KIND_SERVER);
	assert_int_equal(trace.spans[server].span_id, 5);
	assert_int_equal(trace.spans[server].parent, client);
	assert_int_equal(parent_of(5), 9);
	assert_int_equal(find(6)->parent, server);
	assert_int_equal(find(7)->parent, client);
	assert_int_equal(find(8)->parent, client);
	expect_no_oddities();
	assert_int_equal(trace.service_count, 3);
	trace_release(&trace);
}

#define NOW_NS 1795228418000000000u

static void test_absurd_times(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, NOW_NS, NOW_NS + 1000);
	span(2, 1, NOW_NS + 10, 0);
	span(3, 1, NOW_NS + 20, NOW_NS + 15);
	span(4, 1, 0, 0);
	span(5, 1, 5, NOW_NS + 30);
	span(6, 1, UINT64_MAX, UINT64_MAX);
	span(7, 1, NOW_NS + 40, (uint64_t)INT64_MAX + 1);
	finish();
	check_forest();
	assert_true(trace.start_ns == NOW_NS);
	assert_true(trace.end_ns == NOW_NS + 1000);
	assert_true(find(2)->end_ns == NOW_NS + 10);
	assert_true(find(3)->end_ns == NOW_NS + 20);
	assert_true(find(4)->start_ns == NOW_NS);
	assert_true(find(5)->start_ns == NOW_NS + 30);
	assert_true(find(6)->start_ns == NOW_NS);
	assert_true(find(7)->start_ns == NOW_NS + 40);
	for (uint64_t id = 2; id <= 7; id++) {
		assert_int_equal(span_duration_ns(find(id)), 0);
		assert_true(find(id)->flags & SPAN_IS_UNFINISHED);
	}
	assert_false(find(1)->flags & SPAN_IS_UNFINISHED);
	assert_int_equal(trace.oddities.open_count, 1);
	assert_int_equal(trace.oddities.backwards_count, 1);
	assert_int_equal(trace.oddities.impossible_count, 4);
	trace_release(&trace);
}

/* A trace that lies in 1970 as a whole keeps its times. */
static void test_small_times_are_kept(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, 0, 100);
	span(2, 1, 0, 50);
	finish();
	assert_int_equal(span_duration_ns(find(1)), 100);
	assert_int_equal(find(2)->start_ns, 0);
	expect_no_oddities();
	trace_release(&trace);
}

static void test_outside_the_parent(void **state)
{
	(void)state;
	begin(NULL);
	span(1, 0, 10000, 20000);
	span(2, 1, 8000, 15000);
	span(3, 1, 12000, 90000);
	span(4, 1, 9000, 15000);
	add((struct span_input){ .span_id = 5,
				 .parent_id = 1,
				 .resource = service("other"),
				 .start_unix_ns = 12000,
				 .end_unix_ns = 21001 });
	add((struct span_input){ .span_id = 6,
				 .parent_id = 1,
				 .resource = service("other"),
				 .start_unix_ns = 12000,
				 .end_unix_ns = 21000 });
	add((struct span_input){ .span_id = 7,
				 .parent_id = 1,
				 .resource = service("other"),
				 .flags = SPAN_IS_FOLLOWS_FROM,
				 .start_unix_ns = 30000,
				 .end_unix_ns = 40000 });
	finish();
	assert_int_equal(trace.oddities.outside_count, 2);
	assert_true(find(7)->flags & SPAN_IS_FOLLOWS_FROM);
	trace_release(&trace);
}

/* 5 began in time and outlasted a caller that gave up; 6 began before it. */
static void test_after_a_failed_caller(void **state)
{
	(void)state;
	begin(NULL);
	add((struct span_input){ .span_id = 1,
				 .resource = service("caller"),
				 .flags = SPAN_IS_ERROR,
				 .start_unix_ns = 10000,
				 .end_unix_ns = 20000 });
	add((struct span_input){ .span_id = 5,
				 .parent_id = 1,
				 .resource = service("other"),
				 .start_unix_ns = 9000,
				 .end_unix_ns = 90000 });
	add((struct span_input){ .span_id = 6,
				 .parent_id = 1,
				 .resource = service("other"),
				 .start_unix_ns = 8999,
				 .end_unix_ns = 90000 });
	finish();
	assert_int_equal(trace.oddities.abandoned_count, 1);
	assert_int_equal(trace.oddities.outside_count, 1);
	trace_release(&trace);
}

static void add_to(unsigned char trace_number, uint64_t id, uint64_t end)
{
	struct span_input in = { .span_id = id,
				 .start_unix_ns = 100,
				 .end_unix_ns = end };

	in.trace_id.bytes[15] = trace_number;
	in.resource = service("s");
	add(in);
}

static void test_several_traces(void **state)
{
	struct trace_id want = { { 0 } };

	(void)state;
	begin(NULL);
	do {
		add_to(1, 1, 200);
		add_to(2, 1, 300);
		add_to(3, 1, 250);
		add_to(2, 2, 150);
	} while (trace_build_again(build));
	finish();
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.id.bytes[15], 2);
	assert_int_equal(trace.end_ns, 300);
	assert_int_equal(trace.oddities.trace_count, 3);
	assert_int_equal(trace.oddities.other_count, 2);
	assert_int_equal(trace.oddities.others[0].bytes[15], 3);
	assert_int_equal(trace.oddities.others[1].bytes[15], 1);
	trace_release(&trace);

	want.bytes[15] = 3;
	begin(&want);
	add_to(1, 1, 200);
	add_to(2, 1, 300);
	add_to(3, 7, 250);
	finish();
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.id.bytes[15], 3);
	assert_int_equal(trace.spans[0].span_id, 7);
	assert_int_equal(trace.oddities.foreign_count, 2);
	trace_release(&trace);
}

/* Of a trace of these two halves. */
static void add_half(unsigned char upper, unsigned char lower, uint64_t span_id)
{
	struct trace_id id = { { 0 } };

	id.bytes[0] = upper;
	id.bytes[15] = lower;
	add((struct span_input){ .trace_id = id,
				 .span_id = span_id,
				 .name = text("op"),
				 .resource = service("s"),
				 .start_unix_ns = 100,
				 .end_unix_ns = 200 });
}

static void test_half_of_an_id_is_the_same_trace(void **state)
{
	struct trace_id half = { { 0 } }, whole = { { 9 } };

	(void)state;
	half.bytes[15] = whole.bytes[15] = 5;
	for (int i = 0; i < 6; i++) {
		begin(i < 2 ? NULL : i < 4 ? &half : &whole);
		add_half(i % 2 ? 9 : 0, 5, 1);
		add_half(i % 2 ? 0 : 9, 5, 2);
		add_half(0, 5, 3);
		assert_false(trace_build_again(build));
		finish();
		assert_int_equal(trace.span_count, 3);
		assert_true(trace_id_equal(&trace.id, &whole));
		expect_no_oddities();
		trace_release(&trace);
	}
}

static void test_ids_with_one_half_in_common_are_two(void **state)
{
	struct trace_id half = { { 0 } };

	(void)state;
	half.bytes[15] = 5;
	/* Asked for by the half: the first that comes. */
	begin(&half);
	add_half(9, 5, 1);
	add_half(8, 5, 2);
	add_half(0, 5, 3);
	finish();
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.oddities.foreign_count, 1);
	trace_release(&trace);
	begin(NULL);
	do {
		add_half(9, 5, 1);
		add_half(8, 5, 2);
		add_half(9, 6, 3);
		add_half(9, 5, 4);
		add_half(8, 0, 5); /* zero is the half of none */
		add_half(7, 0, 6);
	} while (trace_build_again(build));
	finish();
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.oddities.trace_count, 5);
	trace_release(&trace);
}

static void test_attributes(void **state)
{
	uint32_t first, second;

	(void)state;
	begin(NULL);
	trace_build_attrs_begin(build);
	attr("service.name", "web");
	attr("host.name", "h1");
	attr("not.kept", "x");
	assert_true(trace_build_resource(build, &first, &err));
	trace_build_attrs_begin(build);
	attr("host.name", "h0");
	attr("host.name", "h1");
	attr("service.name", "web");
	assert_true(trace_build_resource(build, &second, &err));
	assert_int_equal(first, second);

	trace_build_attrs_begin(build);
	attr("http.route", "/a");
	attr("db.statement", "select");
	attr("http.route", "");
	add((struct span_input){ .span_id = 1,
				 .resource = first,
				 .start_unix_ns = 1,
				 .end_unix_ns = 2 });
	finish();
	assert_int_equal(trace.resource_count, 1);
	assert_int_equal(trace.resources[0].attr_count, 2);
	assert_true(str_equal(span_service(&trace, 0), STR("web")));
	assert_true(str_equal(resource_attr(&trace, 0, STR("host.name")),
			      STR("h1")));
	assert_null(resource_attr(&trace, 0, STR("not.kept")).ptr);
	assert_int_equal(trace.spans[0].attr_count, 2);
	assert_true(str_equal(span_attr(&trace, 0, STR("db.statement")),
			      STR("select")));
	assert_non_null(span_attr(&trace, 0, STR("http.route")).ptr);
	assert_int_equal(span_attr(&trace, 0, STR("http.route")).len, 0);
	assert_null(span_attr(&trace, 0, STR("host.name")).ptr);
	trace_release(&trace);
}

/* Of a span, then of its process; read on demand, or kept in any case. */
static void test_any_attribute(void **state)
{
	uint32_t resource;

	(void)state;
	begin(NULL);
	trace.wants_attrs = true;
	trace_build_process_begin(build);
	attr("service.name", "web");
	attr("shard", "s1");
	assert_true(trace_build_resource(build, &resource, &err));
	for (uint32_t i = 0; i <= LIMIT_ATTRIBUTED_SPANS; i++) {
		trace_build_attrs_begin(build);
		attr("http.route", "/a");
		attr("cache.hit", "false");
		add((struct span_input){ .span_id = 1 + i,
					 .resource = resource,
					 .start_unix_ns = 1 + i,
					 .end_unix_ns = 2 + i });
	}
	assert_false(trace_build_wants(build, STR("cache.hit")));
	trace_build_process_begin(build);
	assert_true(trace_build_wants(build, STR("shard")));
	finish();
	assert_true(str_equal(span_any_attr(&trace, 0, STR("cache.hit")),
			      STR("false")));
	assert_true(str_equal(span_any_attr(&trace, 0, STR("http.route")),
			      STR("/a")));
	assert_true(
		str_equal(span_any_attr(&trace, 0, STR("shard")), STR("s1")));
	assert_null(span_any_attr(&trace, 0, STR("other")).ptr);
	assert_non_null(span_any_attr(&trace, LIMIT_ATTRIBUTED_SPANS - 1,
				      STR("cache.hit"))
				.ptr);
	assert_null(
		span_any_attr(&trace, LIMIT_ATTRIBUTED_SPANS, STR("cache.hit"))
			.ptr);
	trace_release(&trace);
}

static uint32_t process(const char *first, const char *second)
{
	uint32_t resource;

	trace_build_attrs_begin(build);
	attr("service.name", "web");
	if (first)
		attr(first, first);
	if (second)
		attr(second, second);
	assert_true(trace_build_resource(build, &resource, &err));
	add((struct span_input){ .span_id = 1 + resource,
				 .resource = resource,
				 .start_unix_ns = 1,
				 .end_unix_ns = 2 });
	return resource;
}

static void test_instance(void **state)
{
	static const char *const pairs[][2] = {
		{ "host.name", "k8s.pod.name" },
		{ "k8s.pod.name", "service.instance.id" },
		{ "service.instance.id", "host.name" },
		{ "host.name", NULL },
		{ NULL, NULL },
	};
	static const char *const wanted[] = {
		"k8s.pod.name",
		"k8s.pod.name",
		"service.instance.id",
		"host.name",
		"",
	};

	(void)state;
	begin(NULL);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(process(pairs[i][0], pairs[i][1]), i);
	finish();
	for (uint32_t i = 0; i < 5; i++)
		assert_true(str_equal(resource_instance(&trace, i),
				      str_from(wanted[i])));
	trace_release(&trace);
}

static void test_attributes_have_a_limit(void **state)
{
	(void)state;
	for (unsigned count = LIMIT_SPAN_ATTRS; count <= LIMIT_SPAN_ATTRS + 2;
	     count += 2) {
		begin(NULL);
		trace_build_attrs_begin(build);
		for (unsigned i = 1; i < count; i++)
			attr("http.route", "/a");
		attr("http.route", "/last");
		add((struct span_input){ .resource = 0 });
		service("s");
		finish();
		if (count == LIMIT_SPAN_ATTRS) {
			assert_int_equal(trace.oddities.attrs_over_count, 0);
			assert_true(str_equal(
				span_attr(&trace, 0, STR("http.route")),
				STR("/last")));
		} else {
			assert_int_equal(trace.oddities.attrs_over_count, 2);
		}
		trace_release(&trace);
	}
}

static void test_resource_described_late(void **state)
{
	uint32_t named, never;

	(void)state;
	begin(NULL);
	assert_true(trace_build_resource_reserve(build, &named, &err));
	assert_true(trace_build_resource_reserve(build, &never, &err));
	add((struct span_input){ .span_id = 1,
				 .resource = named,
				 .start_unix_ns = 1,
				 .end_unix_ns = 9 });
	add((struct span_input){ .span_id = 2,
				 .resource = never,
				 .start_unix_ns = 2,
				 .end_unix_ns = 9 });
	trace_build_attrs_begin(build);
	attr("service.name", "late");
	assert_true(trace_build_resource_describe(build, named, &err));
	finish();
	assert_true(str_equal(span_service(&trace, 0), STR("late")));
	assert_true(str_equal(span_service(&trace, 1), STR("")));
	assert_int_equal(trace.service_count, 2);
	trace_release(&trace);
}

static void test_long_text_is_cut(void **state)
{
	size_t len = LIMIT_STRING_BYTES + 1;
	char *long_text = mem_alloc(len);
	uint32_t id, split;

	(void)state;
	begin(NULL);
	memset(long_text, 'x', len);
	assert_true(trace_build_text(build, (struct str){ long_text, len - 1 },
				     &id, &err));
	/* A character of two bytes on the edge goes as a whole. */
	memcpy(long_text + len - 2, "\xc3\xa9", 2);
	assert_true(trace_build_text(build, (struct str){ long_text, len },
				     &split, &err));
	trace_build_trimmed(build, 2);
	finish();
	assert_int_equal(trace_text(&trace, id).len, LIMIT_STRING_BYTES);
	assert_int_equal(trace_text(&trace, split).len, LIMIT_STRING_BYTES - 1);
	assert_int_equal(trace.oddities.trimmed_count, 3);
	mem_free(long_text);
	trace_release(&trace);
}

/* Jaeger's 1 ns for what ended at or before its start. */
static void test_widened_by_jaeger(void **state)
{
	(void)state;
	for (int has_warning = 0; has_warning < 2; has_warning++) {
		begin(NULL);
		service("s");
		trace_build_attrs_begin(build);
		if (has_warning)
			attr("@jaeger@warnings",
			     "[\"Negative duration detected, sanitizing\"]");
		add((struct span_input){
			.span_id = 1, .start_unix_ns = 50, .end_unix_ns = 51 });
		finish();
		assert_int_equal(span_duration_ns(find(1)), !has_warning);
		trace_release(&trace);
	}
}

/* The ceiling, and a chain as deep as it allows. */
static void test_two_million_spans_deep(void **state)
{
	struct span_input in = { .end_unix_ns = 2 * LIMIT_SPANS };

	(void)state;
	begin(NULL);
	in.resource = service("s");
	for (uint64_t i = 1; i <= LIMIT_SPANS; i++) {
		/* Scattered, so that sorting has work to do. */
		in.span_id = i * 0x9e3779b97f4a7c15u;
		in.parent_id = (i - 1) * 0x9e3779b97f4a7c15u;
		in.start_unix_ns = i;
		add(in);
	}
	in.span_id++;
	assert_false(trace_build_span(build, &in, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	finish();
	assert_int_equal(trace.span_count, LIMIT_SPANS);
	assert_int_equal(trace.root_count, 1);
	assert_int_equal(trace.spans[LIMIT_SPANS - 1].parent, LIMIT_SPANS - 2);
	expect_no_oddities();
	trace_release(&trace);
}

/* Of an input that ended early nothing can be looked at, as nothing is in
 * order yet. */
static void test_unfinished(void **state)
{
	struct span_input in = { .span_id = 2 };

	(void)state;
	trace_init(&trace);
	trace.wants_details = true;
	build = trace_build_new(&trace, NULL, &err);
	assert_non_null(build);
	trace_build_attrs_begin(build);
	assert_true(trace_build_resource(build, &in.resource, &err));
	assert_true(trace_build_link_end(
		build, &(struct trace_id){ { 1 } }, 1, &err));
	assert_true(trace_build_span(build, &in, &err));
	trace_build_free(build);
	assert_int_equal(trace.span_count, 0);
	assert_int_equal(trace.link_count, 0);
	assert_true(trace.wants_details);
	assert_int_equal(trace_find_span(&trace, 2), SPAN_NONE);
	trace_release(&trace);
}

static void test_too_many_resources(void **state)
{
	uint32_t resource;
	char name[16];
	bool is_ok = true;
	unsigned i;

	(void)state;
	begin(NULL);
	for (i = 0; is_ok && i <= LIMIT_RESOURCES; i++) {
		snprintf(name, sizeof name, "s%u", i);
		trace_build_attrs_begin(build);
		attr("service.name", name);
		is_ok = trace_build_resource(build, &resource, &err);
	}
	assert_false(is_ok);
	assert_int_equal(i, LIMIT_RESOURCES + 1);
	assert_int_equal(err.code, ERROR_LIMIT);
	trace_build_free(build);
	trace_release(&trace);
}

static void test_ids(void **state)
{
	struct trace_id id, other;
	char out[33], span_out[17];

	(void)state;
	assert_true(
		trace_id_parse(STR("4BF92F3577B34DA6A3CE929D0E0E4736"), &id));
	trace_id_format(&id, out);
	assert_string_equal(out, "4bf92f3577b34da6a3ce929d0e0e4736");
	assert_true(trace_id_parse(STR("8efff798038103d269b633813fc703"), &id));
	trace_id_format(&id, out);
	assert_string_equal(out, "008efff798038103d269b633813fc703");
	assert_true(trace_id_parse(STR("e1e1"), &other));
	assert_false(trace_id_equal(&id, &other));
	assert_false(trace_id_parse(STR(""), &id));
	assert_false(
		trace_id_parse(STR("4bf92f3577b34da6a3ce929d0e0e4736a"), &id));
	assert_false(
		trace_id_parse(STR("4bf92f3577b34da6-3ce929d0e0e4736"), &id));
	span_id_format(0x00f067aa0ba902b7u, span_out);
	assert_string_equal(span_out, "00f067aa0ba902b7");
}

static bool build_small(void)
{
	struct span_input in = { .span_id = 2, .parent_id = 1 };
	bool is_ok;

	trace_init(&trace);
	build = trace_build_new(&trace, NULL, &err);
	if (!build)
		return false;
	trace_build_attrs_begin(build);
	is_ok = trace_build_attr(build, STR("service.name"), STR("s"), &err) &&
		trace_build_resource(build, &in.resource, &err) &&
		trace_build_span(build, &in, &err) &&
		trace_build_finish(build, &err);
	trace_build_free(build);
	return is_ok;
}

static void test_every_allocation_may_fail(void **state)
{
	bool is_ok = false;

	(void)state;
	for (int n = 0; !is_ok; n++) {
		starve_after(n);
		error_clear(&err);
		is_ok = build_small();
		stop_starving();
		assert_int_equal(err.code, is_ok ? ERROR_NONE : ERROR_MEMORY);
		trace_release(&trace);
		assert_true(n < 100);
	}
}

static void part(enum detail_kind kind)
{
	assert_true(trace_build_part_begin(build, kind, &err));
}

static struct str detail_key(uint32_t at)
{
	return trace_text(&trace, trace.details[at].key);
}

/* Everything of one span, in the order in which it came. */
static void test_details(void **state)
{
	const struct trace_id other = { { [15] = 9 } };
	const struct span *s;

	(void)state;
	begin(NULL);
	trace.wants_details = true;
	service("s");
	trace_build_attrs_begin(build);
	attr("odd", "1");
	attr("service.name", "s");
	part(DETAIL_EVENT);
	attr("http.route", "of the event");
	trace_build_event_end(build, 42, text("retry"));
	part(DETAIL_LINK);
	assert_true(trace_build_link_end(build, &other, 7, &err));
	attr("odd", "2");
	add((struct span_input){ .trace_id = { { 1 } },
				 .span_id = 1,
				 .start_unix_ns = 5,
				 .end_unix_ns = 6 });
	finish();
	s = &trace.spans[0];
	assert_int_equal(s->attr_count, 1);
	assert_int_equal(s->detail_count, 5);
	assert_true(str_equal(detail_key(s->detail_first), STR("odd")));
	assert_int_equal(trace.details[s->detail_first + 1].kind, DETAIL_EVENT);
	assert_int_equal(trace.details[s->detail_first + 1].time_ns, 42);
	assert_true(str_equal(detail_key(s->detail_first + 1), STR("retry")));
	assert_int_equal(trace.details[s->detail_first + 2].kind,
			 DETAIL_EVENT_ATTR);
	assert_int_equal(trace.details[s->detail_first + 3].kind, DETAIL_LINK);
	assert_true(str_equal(detail_key(s->detail_first + 3),
			      STR("00000000000000000000000000000009")));
	assert_null(span_attr(&trace, 0, STR("http.route")).ptr);
	trace_release(&trace);
}

static void test_details_are_off(void **state)
{
	(void)state;
	begin(NULL);
	service("s");
	assert_false(trace_build_has_details(build));
	assert_false(trace_build_wants(build, STR("odd")));
	assert_true(trace_build_wants(build, STR("http.route")));
	trace_build_attrs_begin(build);
	attr("odd", "1");
	part(DETAIL_EVENT);
	trace_build_event_end(build, 42, text("retry"));
	part(DETAIL_LINK);
	assert_true(trace_build_link_end(build, &(struct trace_id){ { 1 } }, 7,
					 &err));
	attr("http.route", "/");
	add((struct span_input){ .trace_id = { { 1 } }, .span_id = 1 });
	finish();
	assert_int_equal(trace.spans[0].detail_count, 0);
	assert_int_equal(trace.spans[0].attr_count, 1);
	trace_release(&trace);
}

/* The span's own attributes pass the limit by so many. */
static void details_over(uint32_t over)
{
	begin(NULL);
	trace.wants_details = true;
	service("s");
	trace_build_attrs_begin(build);
	for (uint32_t i = 0; i < LIMIT_SPAN_DETAILS + over; i++)
		attr("odd", "1");
	/* Nothing of what is open past the limit goes to what is before it. */
	if (over) {
		part(DETAIL_EVENT);
		attr("odd", "2");
		trace_build_event_end(build, 42, text("late"));
	}
	add((struct span_input){ .trace_id = { { 1 } }, .span_id = 1 });
	trace_build_attrs_begin(build);
	attr("odd", "3");
	add((struct span_input){ .trace_id = { { 1 } }, .span_id = 2 });
	finish();
	/* With the event and its attribute. */
	assert_int_equal(trace.oddities.details_over_count,
			 over ? over + 2 : 0);
	assert_int_equal(trace.oddities.attrs_over_count, 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(
			trace.spans[i].detail_count,
			trace.spans[i].span_id == 1 ? LIMIT_SPAN_DETAILS : 1);
	assert_true(str_equal(detail_key(LIMIT_SPAN_DETAILS - 1), STR("odd")));
	trace_release(&trace);
}

static void test_details_limit(void **state)
{
	(void)state;
	details_over(0);
	details_over(1);
}

/* Processes that differ only in what is not kept are two. */
static void test_details_of_resources(void **state)
{
	uint32_t first, same, other;

	(void)state;
	begin(NULL);
	trace.wants_details = true;
	trace_build_attrs_begin(build);
	attr("colour", "blue");
	attr("zone", "a");
	assert_true(trace_build_resource(build, &first, &err));
	trace_build_attrs_begin(build);
	attr("zone", "a");
	attr("colour", "blue");
	assert_true(trace_build_resource(build, &same, &err));
	trace_build_attrs_begin(build);
	attr("colour", "green");
	attr("zone", "a");
	assert_true(trace_build_resource(build, &other, &err));
	finish();
	assert_int_equal(first, same);
	assert_int_not_equal(first, other);
	assert_int_equal(trace.resources[other].detail_count, 2);
	trace_release(&trace);
}

UNIT_TESTS(trace)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_orphans_and_roots),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_twins_are_kept),
		cmocka_unit_test(test_twins_of_other_services_are_kept),
		cmocka_unit_test(test_many_twins_stay_quick),
		cmocka_unit_test(test_half_of_an_id_is_the_same_trace),
		cmocka_unit_test(test_ids_with_one_half_in_common_are_two),
		cmocka_unit_test(test_duplicates_in_any_order),
		cmocka_unit_test(test_one_duplicate_is_told),
		cmocka_unit_test(test_shared_id),
		cmocka_unit_test(test_absurd_times),
		cmocka_unit_test(test_small_times_are_kept),
		cmocka_unit_test(test_outside_the_parent),
		cmocka_unit_test(test_after_a_failed_caller),
		cmocka_unit_test(test_several_traces),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_any_attribute),
		cmocka_unit_test(test_attributes_have_a_limit),
		cmocka_unit_test(test_resource_described_late),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_widened_by_jaeger),
		cmocka_unit_test(test_two_million_spans_deep),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_too_many_resources),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_details_are_off),
		cmocka_unit_test(test_details_limit),
		cmocka_unit_test(test_details_of_resources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
