/* SPDX-License-Identifier: Apache-2.0 */
#include "../decode/trace_testing.h"
#include "../unit.h"

#include "base/num.h"
#include "render/render.h"

struct written {
	struct buf bytes;
	uint32_t spans;
	size_t parts;
	size_t most; /* parts until it is refused; 0: all are taken */
};

static bool take(void *context, struct str part, uint32_t span_count,
		 struct error *why)
{
	struct written *w = context;

	assert_true(span_count > 0);
	if (w->most && w->parts == w->most)
		return error_set(why, ERROR_OUTPUT, "enough");
	buf_add_str(&w->bytes, part);
	w->spans += span_count;
	w->parts++;
	return true;
}

static void write_parts(size_t part_bytes, struct written *w)
{
	*w = (struct written){ .parts = 0 };
	buf_init(&w->bytes, LIMIT_BODY_PLAIN_BYTES);
	if (!otlp_trace_write(&trace, NULL, part_bytes, take, w, &err))
		fail_msg("%s", err.message);
	assert_int_equal(w->bytes.state, BUF_OK);
	assert_int_equal(w->spans, trace.span_count);
}

static bool decode_whole(enum format format, struct str bytes)
{
	notes_init(&notes);
	trace_init(&trace);
	trace.wants_details = true;
	error_clear(&err);
	return decode_trace(format, bytes, NULL, &trace, &notes, &err);
}

/* The texts of all that is known of a span beyond the oracle's line. */
static void dump_details(struct buf *out)
{
	for (uint32_t i = 0; i < trace.span_count; i++) {
		const struct span *s = &trace.spans[i];

		for (uint32_t k = 0; k < s->detail_count; k++) {
			const struct detail *d =
				&trace.details[s->detail_first + k];
			struct str key = trace_text(&trace, d->key);
			struct str value = trace_text(&trace, d->value);

			buf_addf(out, "%u %u %lld %.*s=%.*s\n", i, d->kind,
				 (long long)d->time_ns, STR_ARGS(key),
				 STR_ARGS(value));
		}
	}
}

static size_t files_with_details;

/* The model, written and read again by our reader and by generated code. */
static void check_file(const char *path)
{
	struct str bytes = oracle_load(path);
	struct buf before, after;
	struct written w;
	char *model, *again, *generated;

	buf_init(&before, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&after, LIMIT_BODY_PLAIN_BYTES);
	assert_true(decode_whole(FORMAT_OTLP_PB, bytes));
	assert_true(trace.span_count > 0);
	model = oracle_dump_model(&trace, 0);
	dump_details(&before);
	write_parts(2000, &w);
	trace_release(&trace);
	assert_true(decode_whole(FORMAT_OTLP_PB, buf_str(&w.bytes)));
	again = oracle_dump_model(&trace, 0);
	dump_details(&after);
	oracle_compare(path, again, model);
	oracle_compare(path, buf_text(&after), buf_text(&before));
	files_with_details += before.len > 0;
	generated = oracle_dump_pb(buf_str(&w.bytes), false, 0);
	oracle_compare(path, generated, model);
	free(generated);
	free(again);
	free(model);
	buf_release(&before);
	buf_release(&after);
	buf_release(&w.bytes);
	trace_release(&trace);
	drop(bytes);
}

static void test_read_again_it_is_the_same(void **state)
{
	(void)state;
	assert_int_equal(oracle_each("otlp/*.pb", check_file), 12);
	assert_true(files_with_details > 3);
}

/* Cut into parts or not, the spans are the same, a part a span at least. */
static void test_parts(void **state)
{
	struct str bytes = oracle_load("otlp/a.pb");
	struct written whole, small;

	(void)state;
	assert_true(decode_whole(FORMAT_OTLP_PB, bytes));
	assert_true(trace.span_count > 3);
	write_parts(SIZE_MAX, &whole);
	assert_int_equal(whole.parts, 1);
	write_parts(1, &small);
	assert_int_equal(small.parts, trace.span_count);
	buf_release(&whole.bytes);
	buf_release(&small.bytes);
	small = (struct written){ .most = 2 };
	buf_init(&small.bytes, LIMIT_BODY_PLAIN_BYTES);
	assert_false(otlp_trace_write(&trace, NULL, 1, take, &small, &err));
	assert_string_equal(err.message, "enough");
	assert_int_equal(small.parts, 2);
	buf_release(&small.bytes);
	trace_release(&trace);
	drop(bytes);
}

static struct trace_id written_id(const char *text)
{
	struct trace_id id;
	struct written w;

	assert_true(decode_whole(FORMAT_CHROME_SPANS, str_from(text)));
	assert_true(trace_id_is_zero(&trace.id));
	write_parts(1, &w);
	trace_release(&trace);
	assert_true(decode_whole(FORMAT_OTLP_PB, buf_str(&w.bytes)));
	assert_int_equal(trace.span_count, 2);
	id = trace.id;
	trace_release(&trace);
	buf_release(&w.bytes);
	return id;
}

/* Receivers would refuse it, or take two traces for one. */
static void test_no_id(void **state)
{
	static const char one[] = "[{\"ph\":\"X\",\"ts\":5,\"dur\":9},"
				  "{\"ph\":\"X\",\"ts\":6,\"dur\":1}]";
	static const char other[] = "[{\"ph\":\"X\",\"ts\":5,\"dur\":9},"
				    "{\"ph\":\"X\",\"ts\":6,\"dur\":2}]";
	struct trace_id first = written_id(one), again = written_id(one);
	struct trace_id second = written_id(other);

	(void)state;
	assert_false(trace_id_is_zero(&first));
	assert_memory_equal(&first, &again, sizeof first);
	assert_memory_not_equal(&first, &second, sizeof first);
}

static const char document[] =
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":["
	"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"web\"}},"
	"{\"key\":\"process.pid\",\"value\":{\"intValue\":\"7\"}}]},"
	"\"scopeSpans\":[{\"spans\":[{"
	"\"traceId\":\"0102030405060708090a0b0c0d0e0f10\","
	"\"spanId\":\"1112131415161718\",\"name\":\"GET /\",\"kind\":2,"
	"\"startTimeUnixNano\":\"1000\",\"endTimeUnixNano\":\"3000\","
	"\"attributes\":["
	"{\"key\":\"http.status_code\",\"value\":{\"stringValue\":\"503\"}},"
	"{\"key\":\"server.port\",\"value\":{\"stringValue\":\"http\"}},"
	"{\"key\":\"own.number\",\"value\":{\"intValue\":\"5\"}}],"
	"\"status\":{\"code\":2,\"message\":\"no\"}}]}]}]}";

static bool has(const struct written *w, struct str part)
{
	return str_find(buf_str(&w->bytes), part) != SIZE_MAX;
}

/* Written out byte by byte (protobuf's encoding guide): a KeyValue is key 1 and
 * AnyValue 2, whose string is 1 and whose number is 3. */
static void test_bytes(void **state)
{
	struct written w;

	(void)state;
	assert_true(decode_whole(FORMAT_OTLP_JSON, str_from(document)));
	write_parts(SIZE_MAX, &w);
	assert_true(
		has(&w, STR("\x0a\x10http.status_code\x12\x03\x18\xf7\x03")));
	assert_true(has(&w, STR("\x0a\x0bserver.port\x12\x06\x0a\x04http")));
	assert_true(has(&w, STR("\x0a\x0aown.number\x12\x03\x0a\x01"
				"5")));
	assert_true(has(&w, STR("\x0a\x0bprocess.pid\x12\x02\x18\x07")));
	assert_true(has(&w, STR("\x0a\x0cservice.name\x12\x05\x0a\x03web")));
	assert_true(has(&w, STR("\x12\x08\x11\x12\x13\x14\x15\x16\x17\x18\x2a"
				"\x05GET /\x30\x02\x39\xe8\x03\0\0\0\0\0\0\x41"
				"\xb8\x0b\0\0\0\0\0\0")));
	assert_true(has(&w, STR("\x7a\x06\x12\x02no\x18\x02")));
	buf_release(&w.bytes);
	trace_release(&trace);
}

UNIT_TESTS(otlp_traces)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_again_it_is_the_same),
		cmocka_unit_test(test_no_id),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
