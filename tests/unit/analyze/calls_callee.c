/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/calls.h"

static void expect(const char *attrs, const char *const *names)
{
	struct str found[CALLEE_NAMES];
	struct error err = { 0 };
	struct arena arena;
	struct trace t;
	struct calls c;
	char text[512];
	size_t n = 0;

	snprintf(text, sizeof text, "1 0 web C POST 0 10 %s\n", attrs);
	fixture_trace(&t, text);
	arena_init(&arena, MIB);
	assert_true(calls_build(&t, &arena, &c, &err));
	while (names[n])
		n++;
	assert_int_equal(calls_callee_names(&c, 0, found), n);
	for (size_t i = 0; i < n; i++)
		assert_true(str_equal(found[i], str_from(names[i])));
	arena_release(&arena);
	trace_release(&t);
}

#define EXPECT(attrs, ...) expect(attrs, (const char *const[]){ __VA_ARGS__ })

static void a_service_goes_before_a_host(void **state)
{
	(void)state;
	EXPECT("server.address=10.0.0.7 peer.service=pricing", "pricing",
	       "10.0.0.7", NULL);
	EXPECT("net.peer.name=db:5432", "db", NULL);
	EXPECT("a=b", NULL);
}

static void a_host_of_kubernetes_has_a_name_inside(void **state)
{
	(void)state;
	EXPECT("server.address=pricing.prod.svc.cluster.local:80",
	       "pricing.prod.svc.cluster.local", "pricing", NULL);
	EXPECT("server.address=pricing.prod.svc", "pricing.prod.svc", "pricing",
	       NULL);
	EXPECT("server.address=api.svc.example", "api.svc.example", NULL);
	EXPECT("server.address=api.psp.example", "api.psp.example", NULL);
}

static void all_of_them_find_room(void **state)
{
	(void)state;
	EXPECT("service.peer.name=a peer.service=b server.address=c.n.svc "
	       "net.peer.name=d.n.svc http.host=e.n.svc",
	       "a", "b", "c.n.svc", "c", "d.n.svc", "d", "e.n.svc", "e", NULL);
}

/* The call of the last span, by its number in the trace. */
static uint32_t set_up(const char *text)
{
	struct error err = { 0 };
	struct arena arena;
	uint32_t found;
	struct trace t;
	struct calls c;

	fixture_trace(&t, text);
	arena_init(&arena, MIB);
	assert_true(calls_build(&t, &arena, &c, &err));
	found = calls_set_up(&c, t.span_count - 1);
	arena_release(&arena);
	trace_release(&t);
	return found;
}

static void names_tell_what_sets_up_a_connection(void **state)
{
	static const char *const names[] = { "http.tls", "dns.lookup",
					     "tcp.connect",
					     "TLS client handshake a.example",
					     "DNS lookup b" };
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(text, sizeof text,
			 "1 0 web C GET 0 10\n2 1 web I \"%s\" 1 9\n",
			 names[i]);
		assert_int_equal(set_up(text), 0);
	}
	assert_int_equal(set_up("1 0 web C GET 0 10\n"
				"2 1 web I request 1 9\n3 2 web I tls 2 8\n"),
			 0);
}

static void other_spans_set_up_nothing(void **state)
{
	(void)state;
	assert_int_equal(set_up("1 0 web C GET 0 10\n2 1 web I send 1 9\n"),
			 SPAN_NONE);
	assert_int_equal(
		set_up("1 0 web C GET 0 10\n2 1 web I connected 1 9\n"),
		SPAN_NONE);
	assert_int_equal(set_up("1 0 web S GET 0 10\n2 1 web I connect 1 9\n"),
			 SPAN_NONE);
	assert_int_equal(set_up("1 0 web C GET 0 10\n2 1 cat S connect 1 9\n"),
			 SPAN_NONE);
	assert_int_equal(set_up("1 0 web C GET 0 10\n2 1 cat I tls 1 9\n"),
			 SPAN_NONE);
}

UNIT_TESTS(calls_callee)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_goes_before_a_host),
		cmocka_unit_test(a_host_of_kubernetes_has_a_name_inside),
		cmocka_unit_test(all_of_them_find_room),
		cmocka_unit_test(names_tell_what_sets_up_a_connection),
		cmocka_unit_test(other_spans_set_up_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
