/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/http.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static void feed_head(struct receive *r, const char *head)
{
	struct str rest = str_from(head);
	struct error err;

	while (rest.len) {
		size_t end = str_find(rest, STR("\r\n")) + 2;

		assert_true(receive_header(r, str_slice(rest, 0, end), &err));
		rest = str_slice(rest, end, rest.len);
	}
}

static void test_headers_are_kept_for_messages(void **state)
{
	struct http_response response = { 0 };
	struct receive r;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 100 Continue\r\nContent-Type: x/y\r\n\r\n"
		      "HTTP/1.1 302 Found\r\n"
		      "CONTENT-TYPE:  Text/HTML; charset=utf-8 \r\n"
		      "Location: http://u:p@h/login?token=abc\r\n"
		      "Date: Sat, 21 Nov 2026 02:37:20 GMT\r\n"
		      "Retry-After: 7\r\n\r\n");
	assert_int_equal(response.status, 302);
	assert_string_equal(response.content_type, "text/html");
	assert_string_equal(response.location,
			    "http://h/login?token=[redacted]");
	assert_string_equal(response.server_date,
			    "Sat, 21 Nov 2026 02:37:20 GMT");
	assert_string_equal(r.retry_after, "7");
	receive_release(&r);
	http_response_release(&response);
}

static void test_headers_are_bounded(void **state)
{
	static char line[64 * 1024];
	struct http_response response = { 0 };
	struct receive r;
	struct error err;
	bool is_ok = true;
	size_t i;

	(void)state;
	memset(line, 'x', sizeof line);
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\n");
	for (i = 0; i < 5 && is_ok; i++)
		is_ok = receive_header(&r, (struct str){ line, sizeof line },
				       &err);
	assert_int_equal(i, 4); /* 256 KiB and the status line */
	assert_int_equal(err.code, ERROR_LIMIT);
	receive_release(&r);
}

static void test_gzip_is_counted_on_both_sides(void **state)
{
	struct buf packed = testdata_read(
		"answers/tempo/trace-b-nplus1-v2-pb-gzip/body.pb.gz");
	struct buf plain = testdata_read(
		"answers/tempo/trace-b-nplus1-v2-pb-gzip/body.pb");
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
	for (size_t i = 0; i < packed.len; i += 100)
		assert_true(receive_body(
			&r, str_slice(buf_str(&packed), i, 100), &err));
	assert_true(receive_finish(&r, &err));
	assert_int_equal(response.wire_bytes, packed.len);
	assert_true(str_equal(buf_str(&response.body), buf_str(&plain)));
	receive_release(&r);
	http_response_release(&response);

	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
	assert_true(receive_body(
		&r, str_slice(buf_str(&packed), 0, packed.len - 9), &err));
	assert_false(receive_finish(&r, &err));
	assert_true(r.is_cut);
	receive_release(&r);
	http_response_release(&response);

	/* What is wrong in itself is no better when it is sent again. */
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
	packed.data[packed.len / 2] ^= 0x55;
	assert_true(receive_body(&r, buf_str(&packed), &err));
	assert_false(receive_finish(&r, &err));
	assert_false(r.is_cut);
	assert_int_equal(err.code, ERROR_FORMAT);
	receive_release(&r);
	http_response_release(&response);
	buf_release(&packed);
	buf_release(&plain);
}

static void test_other_encodings_are_named(void **state)
{
	struct buf packed = testdata_read(
		"answers/tempo/trace-b-nplus1-v2-zstd-offered/body.pb.zst");
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n");
	assert_false(receive_body(&r, buf_str(&packed), &err));
	assert_contains(err.message, "\"zstd\"");
	assert_int_equal(err.code, ERROR_FORMAT);
	receive_release(&r);
	http_response_release(&response);
	buf_release(&packed);
}

static void test_wire_bytes_have_a_ceiling(void **state)
{
	const size_t piece = 8 * MIB;
	char *data = calloc(1, piece);
	struct http_response response = { 0 };
	struct receive r;
	struct error err;
	size_t i;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\n\r\n");
	for (i = 0; i < 10; i++)
		if (!receive_body(&r, (struct str){ data, piece }, &err))
			break;
	assert_int_equal(i, 8);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_contains(err.message, "64 MiB");
	receive_release(&r);
	http_response_release(&response);
	free(data);
}

static void test_error_pages_are_cut_not_refused(void **state)
{
	static char page[40 * 1024];
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	memset(page, 'e', sizeof page);
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 500 Oops\r\n\r\n");
	assert_true(receive_body(&r, (struct str){ page, sizeof page }, &err));
	assert_false(receive_body(&r, (struct str){ page, sizeof page }, &err));
	assert_true(r.is_enough);
	assert_int_equal(response.body.len, LIMIT_ERROR_BODY_BYTES);
	assert_int_equal(response.body.state, BUF_OK);
	receive_release(&r);
	http_response_release(&response);
}

static void test_damaged_gzip_in_an_error_page_is_no_failure(void **state)
{
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 502 Bad\r\nContent-Encoding: gzip\r\n\r\n");
	assert_false(receive_body(&r, STR("not gzip at all"), &err));
	assert_true(r.is_enough);
	assert_true(receive_finish(&r, &err));
	receive_release(&r);
	http_response_release(&response);
}

/* Keeps no 'x'. */
static void sieve_begin(void *context)
{
	*(int *)context = 0;
}

static void sieve_pass(void *context, struct str bytes, struct buf *kept)
{
	++*(int *)context;
	for (size_t i = 0; i < bytes.len; i++)
		if (bytes.ptr[i] != 'x')
			buf_add_char(kept, bytes.ptr[i]);
}

static void test_a_sieve_sees_plain_bytes_first(void **state)
{
	int passes = 9;
	const struct http_sieve sieve = { sieve_begin, sieve_pass, &passes };
	struct http_response response = { 0 };
	struct buf packed;
	struct receive r;
	struct error err;

	(void)state;
	buf_init(&packed, MIB);
	assert_true(gz_deflate(STR("axxbxxxxxxxxxxxxxxxxc"), &packed, &err));
	receive_init(&r, &response, &sieve);
	assert_int_equal(passes, 0);
	feed_head(&r, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
	for (size_t i = 0; i < packed.len; i++)
		assert_true(receive_body(&r, str_slice(buf_str(&packed), i, 1),
					 &err));
	assert_true(receive_finish(&r, &err));
	assert_true(str_equal(buf_str(&response.body), STR("abc")));
	assert_int_equal(response.wire_bytes, packed.len);
	receive_release(&r);
	buf_release(&packed);

	/* An error's page is told as it is. */
	receive_init(&r, &response, &sieve);
	feed_head(&r, "HTTP/1.1 500 X\r\n\r\n");
	assert_true(receive_body(&r, STR("axb"), &err));
	assert_true(str_equal(buf_str(&response.body), STR("axb")));
	receive_release(&r);
	http_response_release(&response);
}

static void test_what_is_sieved_may_be_longer(void **state)
{
	int passes;
	const struct http_sieve sieve = { sieve_begin, sieve_pass, &passes };
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, &sieve);
	feed_head(&r, "HTTP/1.1 200 OK\r\n\r\n");
	assert_true(receive_body(&r, STR("a"), &err));
	response.wire_bytes = (int64_t)LIMIT_SIEVED_BYTES - 1;
	assert_true(receive_body(&r, STR("b"), &err));
	assert_false(receive_body(&r, STR("c"), &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_true(str_equal(buf_str(&response.body), STR("ab")));
	receive_release(&r);
	http_response_release(&response);
}

/* Whether all of a head is taken, and how a refusal is told. */
static bool takes_head(const char *head, struct error *err)
{
	struct str rest = str_from(head);
	struct http_response response = { 0 };
	struct receive r;
	bool is_ok = true;

	receive_init(&r, &response, NULL);
	while (is_ok && rest.len) {
		size_t end = str_find(rest, STR("\r\n")) + 2;

		is_ok = receive_header(&r, str_slice(rest, 0, end), err);
		rest = str_slice(rest, end, rest.len);
	}
	receive_release(&r);
	return is_ok;
}

static void test_heads_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		const char *line;
		bool is_good;
	} heads[] = {
		{ "Content-Length: 0", true },
		{ "content-length:  18446744073709551615", true },
		{ "Content-Length: 18446744073709551616", false },
		{ "Content-Length: -1", false },
		{ "Content-Length: +1", false },
		{ "Content-Length: 12abc", false },
		{ "Content-Length: 0x4d", false },
		{ "Content-Length:", false },
		{ "Content-Length: 5, 5", true },
		{ "Content-Length: 5, 6", false },
		{ "Content-Length: 5,", false },
		{ "Content-Length: 5\r\nContent-Length: 5", true },
		{ "Content-Length: 5\r\nContent-Length: 6", false },
		{ "Transfer-Encoding: Chunked", true },
		{ "Transfer-Encoding: identity", true },
		{ "Transfer-Encoding: gzip, chunked", false },
		{ "Transfer-Encoding: chunked, chunked", false },
		{ "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
		  false },
	};
	struct error err;
	char head[200];

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\n\r\n",
			 heads[i].line);
		error_clear(&err);
		assert_int_equal(takes_head(head, &err), heads[i].is_good);
		assert_int_equal(err.code,
				 heads[i].is_good ? ERROR_NONE : ERROR_FORMAT);
	}
	assert_false(takes_head("HTTP/1.1  200 OK\r\n", &err));
	assert_int_equal(err.code, ERROR_NETWORK);
	assert_false(takes_head("HTTP/1.1\r\n", &err));
	assert_false(takes_head("HTTP/1.1 206 Partial\r\n", &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	/* An interim answer's length is not that of the answer. */
	assert_true(takes_head("HTTP/1.1 103 Hints\r\nContent-Length: 5\r\n\r\n"
			       "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n",
			       &err));
}

static void test_folded_headers_are_bounded(void **state)
{
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 200 OK\r\nX-Fold: a\r\n");
	for (unsigned i = 0; i < LIMIT_HEADER_FOLDS; i++)
		feed_head(&r, i % 2 ? "\tb\r\n" : " b\r\n");
	assert_false(receive_header(&r, STR(" b\r\n"), &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	receive_release(&r);
}

static void test_trailers_change_nothing(void **state)
{
	struct http_response response = { 0 };
	struct receive r;
	struct error err;

	(void)state;
	receive_init(&r, &response, NULL);
	feed_head(&r, "HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n"
		      "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n"
		      "Content-Encoding: br\r\n\r\n");
	assert_int_equal(response.status, 500);
	assert_string_equal(response.content_type, "");
	assert_string_equal(r.content_encoding, "");
	assert_true(receive_finish(&r, &err));
	receive_release(&r);
}

/* What becomes of an answer whose connection is closed behind the body. */
static bool finishes(const char *head, const char *body, bool *is_cut,
		     struct error *err)
{
	struct http_response response = { 0 };
	struct receive r;
	bool is_ok;

	receive_init(&r, &response, NULL);
	feed_head(&r, head);
	if (*body)
		assert_true(receive_body(&r, str_from(body), err));
	is_ok = receive_finish(&r, err);
	*is_cut = r.is_cut;
	receive_release(&r);
	http_response_release(&response);
	return is_ok;
}

static void test_an_end_that_nothing_tells_is_none(void **state)
{
	static const char pb[] = "HTTP/1.1 200 OK\r\n"
				 "Content-Type: application/protobuf\r\n";
	struct error err;
	char head[200];
	bool is_cut;

	(void)state;
	assert_false(finishes("HTTP/1.1 200 OK\r\n", "", &is_cut, &err));
	assert_true(is_cut);
	assert_false(finishes("HTTP/1.1 404 No\r\n", "", &is_cut, &err));
	assert_true(is_cut);
	snprintf(head, sizeof head, "%s\r\n", pb);
	assert_false(finishes(head, "", &is_cut, &err));
	assert_true(is_cut);
	assert_false(finishes(head, "\n", &is_cut, &err));
	assert_false(is_cut);
	assert_int_equal(err.code, ERROR_NETWORK);
	assert_true(finishes(head, "{\"a\":1}", &is_cut, &err));
	assert_true(finishes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
			     "\r\n",
			     "echo", &is_cut, &err));
	assert_true(finishes("HTTP/1.1 204 No\r\n\r\n", "", &is_cut, &err));
	assert_true(finishes("HTTP/1.1 404 No\r\n\r\n", "", &is_cut, &err));
	snprintf(head, sizeof head, "%sContent-Length: 1\r\n\r\n", pb);
	assert_true(finishes(head, "\n", &is_cut, &err));
	snprintf(head, sizeof head, "%sTransfer-Encoding: chunked\r\n\r\n", pb);
	assert_true(finishes(head, "", &is_cut, &err));
	/* Packed, and not a byte of it: no server means that. */
	snprintf(head, sizeof head, "%sContent-Encoding: gzip\r\n\r\n", pb);
	assert_false(finishes(head, "", &is_cut, &err));
	assert_true(is_cut);
}

UNIT_TESTS(http_receive)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads_that_make_no_sense_are_refused),
		cmocka_unit_test(test_folded_headers_are_bounded),
		cmocka_unit_test(test_trailers_change_nothing),
		cmocka_unit_test(test_an_end_that_nothing_tells_is_none),
		cmocka_unit_test(test_headers_are_kept_for_messages),
		cmocka_unit_test(test_headers_are_bounded),
		cmocka_unit_test(test_gzip_is_counted_on_both_sides),
		cmocka_unit_test(test_other_encodings_are_named),
		cmocka_unit_test(test_wire_bytes_have_a_ceiling),
		cmocka_unit_test(test_error_pages_are_cut_not_refused),
		cmocka_unit_test(
			test_damaged_gzip_in_an_error_page_is_no_failure),
		cmocka_unit_test(test_a_sieve_sees_plain_bytes_first),
		cmocka_unit_test(test_what_is_sieved_may_be_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
