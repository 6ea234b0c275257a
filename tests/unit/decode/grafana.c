/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "decode/grafana.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/out.h"

static struct arena arena;
static struct grafana grafana;

static int arena_begin(void **state)
{
	(void)state;
	arena_init(&arena, LIMIT_CONTEXT_BYTES);
	return 0;
}

static int arena_end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void parse_ok(struct str text)
{
	struct error err;

	if (!grafana_parse(&grafana, "f", text, &arena, &err))
		fail_msg("%s", err.message);
}

static void assert_refused(const char *text, const char *message)
{
	struct error err;

	assert_false(
		grafana_parse(&grafana, "f", str_from(text), &arena, &err));
	assert_string_equal(err.message, message);
}

static void test_sources(void **state)
{
	const struct grafana_source *s;
	struct error err;
	struct buf text;
	char path[512];

	(void)state;
	snprintf(path, sizeof path, "%s/grafana/datasources.yaml",
		 getenv("TESTDATA"));
	buf_init(&text, LIMIT_GRAFANA_BYTES);
	assert_true(file_read(path, &text, &err));
	parse_ok(buf_str(&text));
	buf_release(&text);
	assert_int_equal(grafana.count, 4);
	assert_int_equal(grafana.sources[0].type, GRAFANA_OTHER);
	s = &grafana.sources[1];
	assert_int_equal(s->type, GRAFANA_TEMPO);
	assert_string_equal(s->name, "Tempo (shop)");
	assert_string_equal(s->uid, "tempo");
	assert_string_equal(s->url, "https://tempo.example.com/prefix");
	assert_string_equal(s->user, "shop");
	assert_true(s->is_basic);
	assert_true(s->is_insecure);
	assert_false(s->has_cacert);
	assert_string_equal(s->headers[0].name, "X-Scope-OrgID");
	assert_string_equal(s->headers[0].value, "team-a");
	assert_string_equal(s->headers[1].name, "Authorization");
	assert_null(s->headers[1].value);
	assert_true(s->headers[1].is_secret_there);
	assert_null(s->headers[3].name);
	assert_string_equal(s->profiles_uid, "pyro");
	assert_string_equal(s->profile_type,
			    "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	assert_int_equal(s->tag_count, 3);
	assert_string_equal(s->tags[0].key, "service.name");
	assert_string_equal(s->tags[0].value, "service_name");
	assert_string_equal(s->tags[1].value, "pod");
	assert_string_equal(s->tags[2].key, "version");
	assert_null(s->tags[2].value);
	s = &grafana.sources[2];
	assert_int_equal(s->type, GRAFANA_JAEGER);
	assert_int_equal(s->tag_count, 2);
	assert_string_equal(s->tags[1].key, "instance");
	s = &grafana.sources[3];
	assert_int_equal(s->type, GRAFANA_PYROSCOPE);
	assert_true(s->has_cacert);
}

/* Other documents, other orders, no data sources at all. */
static void test_strange(void **state)
{
	(void)state;
	parse_ok(STR(""));
	assert_int_equal(grafana.count, 0);
	parse_ok(STR("datasources: nothing\n"));
	assert_int_equal(grafana.count, 0);
	parse_ok(STR("- datasources:\n  - name: a\n"));
	assert_int_equal(grafana.count, 0);
	parse_ok(STR("datasources:\n- url: u\n  jsonData: {tags: [x], tls: "
		     "{name: y}}\n  name: n\n? [a, b]\n: c\n"));
	assert_int_equal(grafana.count, 1);
	assert_string_equal(grafana.sources[0].name, "n");
	assert_int_equal(grafana.sources[0].tag_count, 0);
	/* A header's value before its name is not kept: it may be secret. */
	parse_ok(STR("datasources:\n- secureJsonData:\n"
		     "    httpHeaderValue1: a\n"
		     "    httpHeaderValue9: a\n"
		     "    httpHeaderValue: a\n"
		     "  jsonData: {httpHeaderName1: X-Scope-OrgID}\n"));
	assert_null(grafana.sources[0].headers[0].value);
	assert_true(grafana.sources[0].headers[0].is_secret_there);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("a: &x 1\nb: *x\n",
		       "f:2: aliases (*name) are not understood; write the "
		       "value out");
	assert_refused("a: b: c\n",
		       "f:1: mapping values are not allowed in this context");
}

static void repeat(struct buf *text, const char *item, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buf_add_text(text, item);
}

static void test_depth(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	repeat(&text, "[", LIMIT_YAML_DEPTH);
	repeat(&text, "]", LIMIT_YAML_DEPTH);
	parse_ok(buf_str(&text));
	buf_clear(&text);
	repeat(&text, "[", LIMIT_YAML_DEPTH + 1);
	repeat(&text, "]", LIMIT_YAML_DEPTH + 1);
	assert_refused(buf_text(&text), "f:1: it nests too deep");
	buf_release(&text);
}

static void test_counts(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "datasources:\n");
	repeat(&text, "- {}\n", LIMIT_GRAFANA_SOURCES);
	parse_ok(buf_str(&text));
	assert_int_equal(grafana.count, LIMIT_GRAFANA_SOURCES);
	buf_add_text(&text, "- {}\n");
	assert_refused(buf_text(&text), "f: more than 200 data sources");
	buf_clear(&text);
	buf_add_text(&text, "datasources:\n- jsonData:\n    tracesToProfiles:"
			    "\n      tags:\n");
	repeat(&text, "      - key: a\n", LIMIT_GRAFANA_TAGS);
	parse_ok(buf_str(&text));
	assert_int_equal(grafana.sources[0].tag_count, LIMIT_GRAFANA_TAGS);
	buf_add_text(&text, "      - b\n");
	assert_refused(buf_text(&text),
		       "f: more than 32 tags of a data source");
	buf_release(&text);
}

UNIT_TESTS(grafana)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sources, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_strange, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_refusals, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_depth, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_counts, arena_begin,
						arena_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
