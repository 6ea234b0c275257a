/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that take longer than they may.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit.h"
#include "mcp/server.h"

static int run_for_ever(const void *context, int argc, const char *const *argv,
			int progress_fd)
{
	(void)context;
	(void)argc;
	(void)argv;
	(void)progress_fd;
	while (pause() < 0)
		;
	return 0;
}

static int run_in_spite(const void *context, int argc, const char *const *argv,
			int progress_fd)
{
	signal(SIGTERM, SIG_IGN);
	return run_for_ever(context, argc, argv, progress_fd);
}

/* As the server does it; the status of the process. */
static int run(int (*command)(const void *, int, const char *const *, int),
	       struct mcp_call *c)
{
	const struct mcp_settings settings = { .call_seconds = 1,
					       .run = command };
	struct error err;

	assert_true(mcp_call_start(c, &settings, &err));
	assert_true(mcp_call_time(c) > 0);
	while (!mcp_call_ended(c)) {
		struct pollfd polled[CALL_STREAMS];

		for (int i = 0; i < CALL_STREAMS; i++)
			polled[i] = (struct pollfd){ .fd = c->fds[i],
						     .events = POLLIN };
		poll(polled, CALL_STREAMS, mcp_call_time(c));
		for (int i = 0; i < CALL_STREAMS; i++)
			if (polled[i].revents)
				mcp_call_read(c, (enum call_stream)i);
	}
	return c->status;
}

static void expect_ended(int (*command)(const void *, int, const char *const *,
					int),
			 int signal_number)
{
	struct mcp_call *c = mcp_call_new();
	int status;

	assert_non_null(c);
	status = run(command, c);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal_number);
	assert_true(c->is_too_late);
	assert_true(str_starts(mcp_call_talk(c), STR("the call exceeded")));
	mcp_call_free(c);
}

static void test_is_asked_to_end(void **state)
{
	(void)state;
	expect_ended(run_for_ever, SIGTERM);
}

static void test_is_killed(void **state)
{
	(void)state;
	expect_ended(run_in_spite, SIGKILL);
}

UNIT_TESTS(call)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_asked_to_end),
		cmocka_unit_test(test_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
