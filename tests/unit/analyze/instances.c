/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/contrasts.h"

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(p, "db", "q", SPAN_KIND_SERVER);
	past_window(p, 0, 1000);
}

/* `count` spans a millisecond apart. */
static void add(struct past *p, uint32_t operation, int from_ms, int count,
		const char *instance, const char *version)
{
	for (int i = 0; i < count; i++) {
		struct history_span *s =
			past_span(p, 0, operation, from_ms + i, 1);

		s->instance = past_symbol(p, instance);
		s->version = past_symbol(p, version);
	}
}

static uint32_t count(const struct past *p, const char *version)
{
	return instances_count(&p->h, 0, p->h.windows[0].range, STR("web"),
			       str_from(version));
}

/* Ten spans for each instance, not nine and a half. */
static void enough(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	assert_int_equal(count(&p, ""), 0);
	add(&p, 0, 0, 18, "web-1", "1.4");
	add(&p, 0, 20, 1, "web-2", "1.5");
	assert_int_equal(count(&p, ""), 0);
	add(&p, 0, 30, 1, "web-2", "1.5");
	assert_int_equal(count(&p, ""), 2);
	assert_int_equal(count(&p, "1.4"), 1);
	assert_int_equal(count(&p, "1.5"), 0);
	past_release(&p);
}

/* Of other services, outside the range, without an instance, from a window
 * that was selected by duration or does not exist: nothing. */
static void others(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	add(&p, 1, 0, 30, "db-1", "1");
	assert_int_equal(count(&p, ""), 0);
	add(&p, 0, 1000, 30, "web-1", "1");
	for (int i = 0; i < 30; i++)
		past_span(&p, 0, 0, i, 1);
	assert_int_equal(count(&p, ""), 0);
	add(&p, 0, 0, 30, "web-1", "1");
	assert_int_equal(count(&p, ""), 1);
	p.h.windows[0].slow_operation = 0;
	assert_int_equal(count(&p, ""), 0);
	assert_int_equal(instances_count(&p.h, 1, p.h.windows[0].range,
					 STR("web"), STR("")),
			 0);
	past_release(&p);
}

UNIT_TESTS(instances)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enough),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
