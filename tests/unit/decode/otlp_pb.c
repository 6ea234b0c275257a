/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_testing.h"

static bool decode(enum format format, struct str bytes)
{
	return decode_as(format, bytes, NULL);
}

static void compare(const char *path, bool is_tempo)
{
	struct str bytes = oracle_load(path);
	char *expected = oracle_dump_pb(bytes, is_tempo, 0);
	char *got = oracle_decode(is_tempo ? FORMAT_TEMPO_PB : FORMAT_OTLP_PB,
				  bytes, NULL, 0);

	assert_true(strlen(expected) > 100);
	oracle_compare(path, got, expected);
	drop(bytes);
	free(expected);
	free(got);
}

static void compare_tempo(const char *path)
{
	compare(path, !strstr(path, "-v1-"));
}

static void compare_otlp(const char *path)
{
	compare(path, false);
}

static void test_fixtures_as_generated_code_reads_them(void **state)
{
	(void)state;
	assert_int_equal(oracle_each("tempo/trace-*/body.pb", compare_tempo),
			 13);
	assert_int_equal(oracle_each("tempo/trace-*/body.pb.gz", compare_tempo),
			 2);
	assert_int_equal(oracle_each("otlp/*.pb", compare_otlp), 12);
}

/* Three messages, in front of each its length. */
static void test_file_exporter(void **state)
{
	struct str bytes = oracle_load("otlp/file-exporter.proto");
	unsigned accepted = 0;

	(void)state;
	assert_int_equal(format_sniff(bytes, NULL, 0), FORMAT_OTLP_PB);
	for (size_t len = 1; len <= bytes.len; len++) {
		struct str front = str_slice(bytes, 0, len);

		if (!decode(FORMAT_OTLP_PB, front)) {
			assert_int_equal(err.code, ERROR_FORMAT);
			continue;
		}
		accepted++;
		assert_true(trace.span_count <= 3);
		if (len < bytes.len)
			trace_release(&trace);
	}
	/* Behind each length, and behind each message. */
	assert_int_equal(accepted, 6);
	assert_int_equal(trace.span_count, 3);
	assert_int_equal(trace.root_count, 1);
	assert_int_equal(trace.service_count, 3);
	trace_release(&trace);
	drop(bytes);
}

static void test_missing_trace(void **state)
{
	struct str bytes = oracle_load("tempo/miss-v2-pb/body.pb");

	(void)state;
	assert_true(decode(FORMAT_TEMPO_PB, bytes));
	assert_int_equal(trace.span_count, 0);
	assert_false(trace.is_partial);
	trace_release(&trace);
	drop(bytes);
	assert_true(decode(FORMAT_OTLP_PB, STR("")));
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
}

static void test_partial(void **state)
{
	struct str bytes =
		oracle_load("tempo/trace-too-large-v2-partial-pb/body.pb");

	(void)state;
	assert_true(decode(FORMAT_TEMPO_PB, bytes));
	assert_true(trace.is_partial);
	assert_string_equal(notes.text[0],
			    "the server returned only a part of the trace: "
			    "Trace exceeds maximum size of 5000 bytes, a "
			    "partial trace is returned");
	trace_release(&trace);
	drop(bytes);
}

/* ---- hand-made messages ---- */

struct bytes {
	unsigned char data[1 << 20];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	assert_true(b->len + len <= sizeof b->data);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_varint(struct bytes *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put(b, &(unsigned char){ (unsigned char)(value | 128) }, 1);
	put(b, &(unsigned char){ (unsigned char)value }, 1);
}

static void put_bytes(struct bytes *b, unsigned number, const void *data,
		      size_t len)
{
	put_varint(b, number << 3 | 2);
	put_varint(b, len);
	put(b, data, len);
}

static void put_text(struct bytes *b, unsigned number, const char *text)
{
	put_bytes(b, number, text, strlen(text));
}

static void put_fixed(struct bytes *b, unsigned number, uint64_t value)
{
	unsigned char raw[8];

	put_varint(b, number << 3 | 1);
	for (int i = 0; i < 8; i++)
		raw[i] = (unsigned char)(value >> (8 * i));
	put(b, raw, sizeof raw);
}

/* Puts what was built into a message of its own, in a field. */
static void wrap(struct bytes *b, unsigned number)
{
	unsigned char *inner = malloc(b->len + 1);
	size_t len = b->len;

	assert_non_null(inner);
	memcpy(inner, b->data, len);
	b->len = 0;
	put_bytes(b, number, inner, len);
	free(inner);
}

static void put_ids(struct bytes *b, const char *trace_id, size_t trace_len,
		    const char *span_id, size_t span_len)
{
	put_bytes(b, 1, trace_id, trace_len);
	put_bytes(b, 2, span_id, span_len);
	put_fixed(b, 7, 5);
	put_fixed(b, 8, 9);
}

/* From a Span's fields to TracesData. */
static struct str in_traces(struct bytes *b)
{
	wrap(b, 2);
	wrap(b, 2);
	wrap(b, 1);
	return (struct str){ (const char *)b->data, b->len };
}

static void test_ids_of_other_lengths(void **state)
{
	static struct bytes b;
	char text[33];

	(void)state;
	/* Hex text that somebody took for base64. */
	b.len = 0;
	put_ids(&b,
		"\xe5\xbf\x1e\x7d\xf7\xfb\xf7\xcd\x37\xf3\x5d\x37"
		"\x77\x6e\xbd\x6f\xad\xf7\xf3\x5d\xdf\x73\xbd\x34",
		24, "\x79\xe7\xb5\xf5\xbe\xde\x73\x77\x35\x6f\x5d\x34", 12);
	assert_true(decode(FORMAT_OTLP_PB, in_traces(&b)));
	trace_id_format(&trace.id, text);
	assert_string_equal(text, "5b8efff798038103d269b633813fc700");
	assert_true(trace.spans[0].span_id == 0xeee19b7ec3c1b100u);
	trace_release(&trace);

	b.len = 0;
	put_ids(&b, "\0\0\0\0\0\0\xe1\xe1", 8, "\1\2\3\4\5\6\7\x08", 8);
	assert_true(decode(FORMAT_OTLP_PB, in_traces(&b)));
	trace_id_format(&trace.id, text);
	assert_string_equal(text, "0000000000000000000000000000e1e1");
	assert_true(trace.spans[0].span_id == 0x0102030405060708u);
	trace_release(&trace);

	b.len = 0;
	put_ids(&b, "1234567890123456", 16, "123", 3);
	assert_false(decode(FORMAT_OTLP_PB, in_traces(&b)));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "id"));
	trace_release(&trace);
}

/* The resource behind its spans, and the name OTLP once had for scopes. */
static void test_order_and_old_names(void **state)
{
	static struct bytes b, resource;

	(void)state;
	b.len = resource.len = 0;
	put_ids(&b, "1234567890123456", 16, "12345678", 8);
	wrap(&b, 2);
	wrap(&b, 1000);
	put_text(&resource, 1, "late");
	wrap(&resource, 2);
	put_text(&resource, 1, "service.name");
	wrap(&resource, 1);
	put_bytes(&b, 1, resource.data, resource.len);
	wrap(&b, 1);
	assert_true(decode(FORMAT_OTLP_PB,
			   (struct str){ (const char *)b.data, b.len }));
	assert_int_equal(trace.span_count, 1);
	assert_true(str_equal(span_service(&trace, 0), STR("late")));
	trace_release(&trace);
}

/* Lists in lists, as deep as given, as the value of a kept attribute. */
static struct str nested(struct bytes *b, unsigned depth)
{
	static struct bytes value;

	value.len = 0;
	put_text(&value, 1, "x");
	for (unsigned i = 0; i < depth; i++) {
		wrap(&value, 1);
		wrap(&value, 5);
	}
	wrap(&value, 2);
	put_text(&value, 1, "http.route");
	b->len = 0;
	put_bytes(b, 9, value.data, value.len);
	put_ids(b, "1234567890123456", 16, "12345678", 8);
	return in_traces(b);
}

static void test_depth_has_a_limit(void **state)
{
	/* Data, ResourceSpans, ScopeSpans, Span, KeyValue and AnyValue are
	 * six levels; each list takes two. */
	unsigned most = (LIMIT_PB_DEPTH - 6) / 2;
	static struct bytes b;
	struct str text;

	(void)state;
	assert_true(decode(FORMAT_OTLP_PB, nested(&b, most)));
	text = span_attr(&trace, 0, STR("http.route"));
	assert_int_equal(text.len, 2 * most + 3);
	assert_true(str_starts(text, STR("[[[")));
	assert_true(str_ends(text, STR("]]]")));
	trace_release(&trace);
	assert_false(decode(FORMAT_OTLP_PB, nested(&b, most + 1)));
	assert_non_null(strstr(err.message, "nested"));
	trace_release(&trace);
	assert_false(decode(FORMAT_OTLP_PB, nested(&b, 2000)));
	trace_release(&trace);
}

static void test_long_text_is_cut(void **state)
{
	static char text[LIMIT_STRING_BYTES + 1];
	static struct bytes b;

	(void)state;
	memset(text, 'n', sizeof text);
	b.len = 0;
	put_ids(&b, "1234567890123456", 16, "12345678", 8);
	put_bytes(&b, 5, text, sizeof text);
	assert_true(decode(FORMAT_OTLP_PB, in_traces(&b)));
	assert_int_equal(span_name(&trace, 0).len, LIMIT_STRING_BYTES);
	assert_int_equal(trace.oddities.trimmed_count, 1);
	trace_release(&trace);
}

/* Every span decoded is one of the whole trace. */
static void check_lines(const char *whole)
{
	char *text = oracle_dump_model(&trace, 0);
	char *end;

	for (char *line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		assert_non_null(strstr(whole, line));
	}
	free(text);
}

/* Cut anywhere, the answer is an error or whole groups, never other spans. */
static void test_cut_at_every_byte(void **state)
{
	struct str bytes = oracle_load("otlp/a.pb");
	char *whole = oracle_decode(FORMAT_OTLP_PB, bytes, NULL, 0);
	unsigned accepted = 0;

	(void)state;
	for (size_t len = 0; len < bytes.len; len++) {
		/* Memory of its own, so that a read past it is noticed. */
		char *copy = malloc(len ? len : 1);

		memcpy(copy, bytes.ptr, len);
		if (decode(FORMAT_OTLP_PB, (struct str){ copy, len })) {
			accepted++;
			check_lines(whole);
		} else {
			assert_int_equal(err.code, ERROR_FORMAT);
		}
		trace_release(&trace);
		free(copy);
	}
	/* One end of a group each; "a" has three. */
	assert_int_equal(accepted, 3);
	drop(bytes);
	free(whole);
}

UNIT_TESTS(otlp_pb)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures_as_generated_code_reads_them),
		cmocka_unit_test(test_file_exporter),
		cmocka_unit_test(test_missing_trace),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_ids_of_other_lengths),
		cmocka_unit_test(test_order_and_old_names),
		cmocka_unit_test(test_depth_has_a_limit),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_cut_at_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
