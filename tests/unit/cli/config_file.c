/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli/options.h"

#define PATH "/home/me/.config/tracefind/config"

static struct arena arena;
static struct config_file file;

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

static void parse_ok(const char *text)
{
	struct error err;

	if (!config_file_parse(&file, CONFIG_USER, PATH, str_from(text), &arena,
			       &err))
		fail_msg("%s", err.message);
}

static void assert_refused(enum config_kind kind, const char *text,
			   const char *message)
{
	struct error err;

	assert_false(config_file_parse(&file, kind, "f", str_from(text), &arena,
				       &err));
	assert_string_equal(err.message, message);
}

static const struct config_entry *find(const char *context, const char *key)
{
	struct option_form form;

	assert_true(option_form_find(&options_table, str_from(key), &form));
	return config_file_find(&file, context, &form);
}

static void assert_value(const char *context, const char *key,
			 const char *value, unsigned line)
{
	const struct config_entry *e = find(context, key);

	assert_non_null(e);
	assert_string_equal(e->value, value);
	assert_int_equal(e->line, line);
}

static void test_forms(void **state)
{
	(void)state;
	parse_ok("\xEF\xBB\xBF# all servers\r\n"
		 "current-context = prod\r\n"
		 "timeout=20s\n"
		 "\n"
		 "[context \"prod\"]\n"
		 "\ttraces-url = http://a/x?y=z   ; Tempo\n"
		 "\tprofiles-url: http://b\n"
		 "\n"
		 "    tenant-id = \"a | b\"\n"
		 "\tinsecure = no\n"
		 "; other things\n"
		 "[context \"dev\"]\n"
		 "[context \"prod\"]\n"
		 "tenant-id = c;d");
	assert_string_equal(file.current, "prod");
	assert_int_equal(file.current_line, 2);
	assert_int_equal(file.context_count, 2);
	assert_int_equal(config_file_context(&file, "dev")->line, 12);
	assert_null(config_file_context(&file, "de"));
	assert_value(NULL, "timeout", "20s", 3);
	assert_null(find("prod", "timeout"));
	assert_value("prod", "traces-url", "http://a/x?y=z", 6);
	assert_value("prod", "profiles-url", "http://b", 7);
	assert_value("prod", "insecure", "no", 10);
	/* The last one counts, also from a second section of that name. */
	assert_value("prod", "tenant-id", "c;d", 14);
	assert_null(find("dev", "traces-url"));
	assert_int_equal(file.count, 6);
}

static void test_paths(void **state)
{
	(void)state;
	setenv("HOME", "/home/me", 1);
	parse_ok("traces-token-file = ~/t\n"
		 "cacert = ca.pem\n"
		 "key = /k\n"
		 "password-file = -\n"
		 "tenant-id = ~/no-file\n");
	assert_string_equal(find(NULL, "traces-token-file")->used,
			    "/home/me/t");
	assert_string_equal(find(NULL, "traces-token-file")->value, "~/t");
	assert_string_equal(find(NULL, "cacert")->used,
			    "/home/me/.config/tracefind/ca.pem");
	assert_string_equal(find(NULL, "key")->used, "/k");
	assert_string_equal(find(NULL, "password-file")->used, "-");
	assert_string_equal(find(NULL, "tenant-id")->used, "~/no-file");
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(CONFIG_USER, "\n trces-url = x",
		       "f:2: unknown key 'trces-url'; did you mean "
		       "traces-url?");
	assert_refused(CONFIG_USER, "colour = x",
		       "f:1: unknown key 'colour'; tracefind-config(5) lists "
		       "them");
	assert_refused(CONFIG_USER, "limit = 3",
		       "f:1: --limit is an option only, not a key of this "
		       "file");
	assert_refused(CONFIG_USER, "traces-token = x",
		       "f:1: traces-token: a secret is not kept in this file; "
		       "name what holds it: token-file, token-command or "
		       "password-file");
	assert_refused(CONFIG_USER, "[prod]\n",
		       "f:1: [prod] is not of the form [context \"NAME\"]");
	assert_refused(CONFIG_USER, "[context \"\"]\n",
		       "f:1: the name of a context has 1 to 32 bytes");
	assert_refused(CONFIG_USER, "[context \"a b\"]\n",
		       "f:1: 'a b' is not the name of a context: letters, "
		       "digits, '.', '_' and '-' make one");
	assert_refused(CONFIG_USER, "[context \"a\"]\ncurrent-context = a",
		       "f:2: current-context stands before the first section");
	assert_refused(CONFIG_USER, "retry = 1\nretry\n",
		       "f:2: neither KEY = VALUE, nor a [section], nor a "
		       "comment");
	assert_refused(CONFIG_USER, "tenant-id = a\x01",
		       "f:1: tenant-id: the line holds a control character");
	assert_refused(CONFIG_USER, "ten\x1b = a",
		       "f:1: the line holds a control character");
}

/* Nothing reads them yet, but what is in them has a form, and no secrets. */
static void test_checks(void **state)
{
	struct error err;

	(void)state;
	assert_true(config_file_parse(
		&file, CONFIG_REPOSITORY, "f",
		STR("service = cart\n[check \"pay p99\"]\nservice = pay\n"
		    "max-p99 = 300ms ; budget\n[check \"b\"]\n"),
		&arena, &err));
	assert_int_equal(file.count, 1);
	assert_string_equal(file.entries[0].value, "cart");
	assert_refused(CONFIG_REPOSITORY, "[check b]",
		       "f:1: [check b] is not of the form [check \"NAME\"]");
	assert_refused(CONFIG_REPOSITORY, "[check \"\"]",
		       "f:1: the name of a check has 1 to 32 bytes");
	assert_refused(CONFIG_REPOSITORY,
		       "[check \"aaaaaaaaaabbbbbbbbbbccccccccccddddd\"]",
		       "f:1: the name of a check has 1 to 32 bytes");
	assert_refused(CONFIG_REPOSITORY, "[check \"b\"]\nmax p99 = 1",
		       "f:2: 'max p99' is not a key: letters, digits and '-' "
		       "make one");
	assert_refused(CONFIG_REPOSITORY, "[check \"b\"]\nmax-p99",
		       "f:2: neither KEY = VALUE, nor a [section], nor a "
		       "comment");
	assert_refused(CONFIG_REPOSITORY, "[check \"b\"]\nhook-token = x",
		       "f:2: hook-token: a secret may not come with a "
		       "repository");
	assert_refused(CONFIG_REPOSITORY,
		       "[check \"b\"]\nhook = https://me:pw@h/",
		       "f:2: hook: a secret may not come with a repository");
	assert_refused(CONFIG_USER, "[check \"b\"]",
		       "f:1: [check \"b\"] is not of the form [context "
		       "\"NAME\"]");
}

/* What comes with a clone names no server, secret, file or command. */
static void test_repository(void **state)
{
	struct option_form form;
	struct error err;

	(void)state;
	assert_true(config_file_parse(
		&file, CONFIG_REPOSITORY, "f",
		STR("service = cart\nmap = a=b\nmap = c=d\n"), &arena, &err));
	assert_int_equal(file.count, 3);
	assert_refused(CONFIG_REPOSITORY, "[context \"a\"]",
		       "f:1: [context \"a\"] is not of the form [check "
		       "\"NAME\"]");
	assert_refused(CONFIG_REPOSITORY, "servce = a",
		       "f:1: unknown key 'servce'; did you mean service?");
	assert_refused(CONFIG_REPOSITORY, "current-context = a",
		       "f:1: unknown key 'current-context'; "
		       "tracefind-config(5) lists them");
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++)
		if ((form.row->flags & OPTION_REPOSITORY) &&
		    strcmp(form.row->name, "service"))
			assert_string_equal(form.row->name, "map");
	assert_refused(CONFIG_REPOSITORY, "traces-token-file = /etc/passwd",
		       "f:1: traces-token-file may not come with a repository, "
		       "only service and map may; it belongs into your user "
		       "configuration: tracefind config set traces-token-file "
		       "...");
}

static void test_line_limit(void **state)
{
	char text[LIMIT_CONFIG_LINE_BYTES + 2];

	(void)state;
	memset(text, 'x', sizeof text);
	memcpy(text, "tenant-id = ", 12);
	text[LIMIT_CONFIG_LINE_BYTES] = '\0';
	parse_ok(text);
	assert_int_equal(strlen(find(NULL, "tenant-id")->value),
			 LIMIT_CONFIG_LINE_BYTES - 12);
	text[LIMIT_CONFIG_LINE_BYTES] = 'x';
	text[LIMIT_CONFIG_LINE_BYTES + 1] = '\0';
	assert_refused(CONFIG_USER, text,
		       "f:1: tenant-id: the line is longer than 190 bytes");
}

static void test_name_limit(void **state)
{
	char text[100];

	(void)state;
	snprintf(text, sizeof text, "[context \"%0*d\"]",
		 (int)LIMIT_CONTEXT_NAME_BYTES, 0);
	parse_ok(text);
	assert_int_equal(strlen(file.contexts[0].name),
			 LIMIT_CONTEXT_NAME_BYTES);
	snprintf(text, sizeof text, "[context \"%0*d\"]",
		 (int)LIMIT_CONTEXT_NAME_BYTES + 1, 0);
	assert_refused(CONFIG_USER, text,
		       "f:1: the name of a context has 1 to 32 bytes");
}

static void test_count_limits(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	for (unsigned i = 0; i < LIMIT_CONTEXTS; i++)
		buf_addf(&text, "[context \"c%u\"]\n", i);
	parse_ok(buf_text(&text));
	assert_int_equal(file.context_count, LIMIT_CONTEXTS);
	buf_add_text(&text, "[context \"one-more\"]\n");
	assert_refused(CONFIG_USER, buf_text(&text),
		       "f:201: more than 200 contexts");
	buf_clear(&text);
	for (unsigned i = 0; i < LIMIT_CONFIG_ENTRIES; i++)
		buf_add_text(&text, "retry = 1\n");
	parse_ok(buf_text(&text));
	assert_int_equal(file.count, LIMIT_CONFIG_ENTRIES);
	buf_add_text(&text, "retry = 1\n");
	assert_refused(CONFIG_USER, buf_text(&text),
		       "f:2001: more than 2000 values");
	buf_release(&text);
}

UNIT_TESTS(config_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forms, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_paths, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_refusals, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_repository, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_checks, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_line_limit, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_name_limit, arena_begin,
						arena_end),
		cmocka_unit_test_setup_teardown(test_count_limits, arena_begin,
						arena_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
