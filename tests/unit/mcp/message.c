/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of clients, of both eras and of none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/mem.h"
#include "mcp/server.h"

#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":1,"
#define META "io.modelcontextprotocol/"

static void test_faults(void **state)
{
	static const struct {
		const char *line;
		enum mcp_fault fault;
		bool has_id;
	} samples[] = {
		{ "{", MCP_PARSE_ERROR, false },
		{ "hello", MCP_PARSE_ERROR, false },
		{ "{} {}", MCP_PARSE_ERROR, false },
		{ "[]", MCP_INVALID_REQUEST, false },
		{ "[" HEAD "\"method\":\"ping\"}]", MCP_INVALID_REQUEST, false },
		{ "7", MCP_INVALID_REQUEST, false },
		{ "{}", MCP_INVALID_REQUEST, false },
		{ "{\"id\":1,\"method\":\"ping\"}", MCP_INVALID_REQUEST, true },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
		  MCP_INVALID_REQUEST, true },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
		  MCP_INVALID_REQUEST, false },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
		  MCP_INVALID_REQUEST, false },
		{ HEAD "\"method\":5}", MCP_INVALID_REQUEST, true },
		{ HEAD "\"params\":{}}", MCP_INVALID_REQUEST, true },
		{ HEAD "\"method\":\"ping\",\"params\":[1]}", MCP_INVALID_PARAMS,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		struct mcp_message m;
		struct arena arena;
		struct error err = { 0 };
		enum mcp_fault fault;

		arena_init(&arena, MIB);
		if (mcp_message_read(&m, str_from(samples[i].line), &arena,
				     &fault, &err))
			fail_msg("%s", samples[i].line);
		assert_int_equal(fault, samples[i].fault);
		assert_int_equal(m.id.is_given, samples[i].has_id);
		assert_true(err.message[0] != '\0');
		arena_release(&arena);
	}
}

static void read_good(struct mcp_message *m, const char *line,
		      struct arena *arena)
{
	struct error err = { 0 };
	enum mcp_fault fault;

	arena_init(arena, MIB);
	if (!mcp_message_read(m, str_from(line), arena, &fault, &err))
		fail_msg("%s: %s", line, err.message);
}

#define assert_text(text, want)                                                \
	assert_true(str_equal((text), str_from(want)))

static void test_call(void **state)
{
	struct mcp_message m;
	struct arena arena;

	(void)state;
	read_good(&m,
		  "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\","
		  "\"params\":{\"name\":\"doctor\",\"arguments\":{\"x\":[1, 2]},"
		  "\"_meta\":{\"" META "protocolVersion\":\"2026-07-28\","
		  "\"" META "clientCapabilities\":{},\"progressToken\":7}}}",
		  &arena);
	assert_true(m.id.is_given && m.id.is_text);
	assert_text(m.id.text, "a");
	assert_text(m.method, "tools/call");
	assert_text(m.name, "doctor");
	assert_text(m.arguments, "{\"x\":[1,2]}");
	assert_text(m.meta_revision, "2026-07-28");
	assert_true(m.has_meta_revision && m.has_capabilities);
	assert_true(m.progress.is_given && !m.progress.is_text);
	assert_int_equal(m.progress.number, 7);
	arena_release(&arena);
}

static void test_others(void **state)
{
	struct mcp_message m;
	struct arena arena;

	(void)state;
	read_good(&m,
		  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		  "\"params\":{\"requestId\":-3,\"reason\":\"x\"}}",
		  &arena);
	assert_false(m.id.is_given);
	assert_int_equal(m.request.number, -3);
	arena_release(&arena);
	read_good(&m, HEAD "\"result\":{}}", &arena);
	assert_true(m.is_response);
	arena_release(&arena);
	/* Of another kind than they should be: as if they were not there. */
	read_good(&m,
		  HEAD "\"method\":\"tools/call\",\"params\":{\"name\":5,"
		       "\"_meta\":7}}",
		  &arena);
	assert_int_equal(m.name.len, 0);
	assert_false(m.has_meta_revision);
	arena_release(&arena);
}

static void test_ids(void **state)
{
	const struct mcp_id one = { .is_given = true, .number = 1 };
	const struct mcp_id other = { .is_given = true, .number = 2 };
	const struct mcp_id text = { .is_given = true,
				     .is_text = true,
				     .text = STR("1") };
	const struct mcp_id none = { .is_given = false };

	(void)state;
	assert_true(mcp_id_equal(&one, &one));
	assert_true(mcp_id_equal(&text, &text));
	assert_false(mcp_id_equal(&one, &other));
	assert_false(mcp_id_equal(&one, &text));
	assert_false(mcp_id_equal(&none, &none));
}

UNIT_TESTS(message)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_ids),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
