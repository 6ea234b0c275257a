/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "doctor/doctor.h"

/* What a room adds when it is asked. */
static bool judge_room(struct checkup *c, const struct http_response *response,
		       bool *is_up, struct error *err)
{
	(void)response;
	(void)err;
	check_ok(c->checks, "traces", "services", "2");
	*is_up = true;
	return true;
}

static const struct trace_checkup plain = { .cut_fix = "" };
static const struct trace_checkup room = { .judge = judge_room };

struct exam_case {
	int status;       /* of the answer; 0: none came */
	const char *says; /* why none came, or the body */
	bool is_right;
	unsigned known; /* from the start */
	const struct trace_checkup *traces;
	const char *url;
	/* "connection" is well, "login!" is not; a fix in brackets. */
	const char *checks;
	bool is_up;
};

static const struct exam_case cases[] = {
	{ 200, "", true, 0, &plain, "http://a:1",
	  "connection tls login server tenant clock", true },
	{ 0, "a:1 refused the connection", false, 0, &plain, "http://a:1",
	  "connection! (start the server, or name its address: --traces-url "
	  "URL)",
	  false },
	{ 0, "a:1 did not speak HTTP: closed", false, 0, &plain, "https://a:1",
	  "connection! (check firewall, VPN and --traces-url, the scheme too; "
	  "by hand: curl -v https://a:1)",
	  false },
	{ 401, "", false, 0, &plain, "http://a:1",
	  "connection tls login! (--traces-token-file FILE, or "
	  "--traces-username NAME with --traces-password-file FILE)",
	  false },
	{ 401, "no org id", false, 0, &plain, "http://a:1",
	  "connection tls tenant! (--traces-tenant-id NAME)", false },
	/* Its kind is known by its address, and its room judges the rest. */
	{ 200, "", false, EXAM_ALLOWED | EXAM_PROVEN, &room, "https://a",
	  "connection tls clock services", true },
	{ 403, "", false, EXAM_ALLOWED | EXAM_PROVEN, &room, "https://a",
	  "connection tls clock services", true },
	/* Another answer has told these. */
	{ 200, "", true, EXAM_REACHED | EXAM_SECURED, &plain, "http://a:1",
	  "login server tenant clock", true },
};

static void list_checks(const struct checks *checks, struct buf *out)
{
	for (size_t i = 0; i < checks->count; i++) {
		const struct check *c = &checks->items[i];

		buf_addf(out, "%s%s%s", i ? " " : "", c->name,
			 c->status == CHECK_OK ? "" : "!");
		if (c->fix.len)
			buf_addf(out, " (%.*s)", STR_ARGS(c->fix));
	}
}

static void run_case(const struct exam_case *c)
{
	struct backends backends = { .now_ns = NS_PER_S };
	const struct doctor_question question = { .backends = &backends,
						  .wants_traces = true };
	struct http_response answer = { .status = c->status,
					.content_type = "text/plain" };
	struct exam e = { .name = "traces",
			  .side = &backends.traces,
			  .title = "Some",
			  .has_tenants = c->known < EXAM_PROVEN,
			  .is_right = c->is_right,
			  .known = c->known,
			  .best = &answer,
			  .traces = c->traces };
	struct doctor d;
	struct error err = { 0 };
	struct buf found;

	backends.traces.endpoint.url = c->url;
	backends.traces.endpoint.option_prefix = "--traces";
	buf_init(&answer.body, LIMIT_CHECK_BYTES);
	buf_init(&found, LIMIT_CHECK_BYTES);
	if (c->status)
		buf_add_text(&answer.body, c->says);
	else
		error_set(&answer.err, ERROR_NETWORK, "%s", c->says);
	doctor_init(&d, &question);
	e.is_up = &d.is_traces_up;
	exam_add_times(&e, &answer);
	assert_true(exam_judge(&d, &e, &err));
	list_checks(&d.checks, &found);
	assert_string_equal(buf_text(&found), c->checks);
	assert_int_equal(d.is_traces_up, c->is_up);
	buf_release(&found);
	buf_release(&answer.body);
	doctor_release(&d);
}

static void test_checks_of_a_server(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		run_case(&cases[i]);
}

UNIT_TESTS(exam)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checks_of_a_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
