/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../starving.h"
#include "wire/har.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/gz.h"
#include "base/out.h"
#include "support.h"

#define NOW_NS 1795228418123456789
#define URL "http://h:1/p?x=1&y=a%20b"

static const struct endpoint endpoint = { .url = "http://h:1",
					  .tenant_id = "acme" };

static struct http_request request_make(const char *method, const char *accept,
					const char *body, size_t len)
{
	struct http_request request = { .endpoint = &endpoint,
					.method = method,
					.accept = accept };

	if (len)
		request.content_type = "application/proto";
	buf_init(&request.body, KIB);
	buf_add(&request.body, body, len);
	return request;
}

static struct http_response response_make(int status, const char *body,
					  size_t len)
{
	struct http_response response = { .status = status,
					  .wire_bytes = 77,
					  .duration_ns = 123456789,
					  .tries = 2 };

	snprintf(response.content_type, sizeof response.content_type, "text/x");
	snprintf(response.location, sizeof response.location, "/there");
	snprintf(response.server_date, sizeof response.server_date,
		 "Sat, 21 Nov 2026 02:37:20 GMT");
	buf_init(&response.body, MIB);
	buf_add(&response.body, body, len);
	return response;
}

static void add(struct har *h, const char *method, const char *accept,
		struct str sent, int status, struct str body)
{
	struct http_request request =
		request_make(method, accept, sent.ptr, sent.len);
	struct http_response response =
		response_make(status, body.ptr, body.len);
	struct error err;

	assert_true(har_add(h, &request, URL, &response, NOW_NS, &err));
	http_request_release(&request);
	http_response_release(&response);
}

/* The body found, or "-". */
static void check_find(struct har *h, const char *method, const char *accept,
		       struct str sent, const char *want)
{
	struct http_request request =
		request_make(method, accept, sent.ptr, sent.len);
	struct http_response response = { 0 };
	struct error err;

	if (har_find(h, &request, URL, &response, &err)) {
		assert_string_equal(buf_text(&response.body), want);
	} else {
		assert_string_equal("-", want);
		assert_int_equal(err.code, ERROR_NOT_FOUND);
		assert_contains(err.message, "not in the case: ");
		assert_contains(err.message, "http://h:1/p");
	}
	http_request_release(&request);
	http_response_release(&response);
}

static struct har *reopen(struct har *h, const char *name)
{
	const char *path = temp_path(name);
	struct error err;
	struct har *again;

	assert_true(har_write(h, path, &err));
	har_free(h);
	again = har_open(path, &err);
	if (!again)
		fail_msg("%s", err.message);
	unlink(path);
	return again;
}

static void fill(struct har *h)
{
	const char *const args[] = { "slow", "--service", "a b" };

	har_set_run(h, NOW_NS, 3, args);
	add(h, "GET", "a/b", STR(""), 200, STR("first"));
	add(h, "GET", "a/b", STR(""), 200, STR("second"));
	add(h, "GET", "c/d", STR(""), 200, STR("other accept"));
	add(h, "POST", NULL, STR("body"), 200, STR("by body"));
	add(h, "POST", NULL, (struct str){ "\x0A\x00\xFF", 3 }, 200,
	    (struct str){ "\xFF\xFE", 2 });
}

static void check_finds(struct har *h)
{
	check_find(h, "GET", "c/d", STR(""), "other accept");
	check_find(h, "GET", "a/b", STR(""), "first");
	check_find(h, "GET", "a/b", STR(""), "second");
	check_find(h, "GET", "a/b", STR(""), "second");
	check_find(h, "POST", NULL, STR("body"), "by body");
	check_find(h, "POST", NULL, STR("bodi"), "-");
	check_find(h, "PUT", NULL, STR(""), "-");
	check_find(h, "POST", NULL, (struct str){ "\x0A\x00\xFF", 3 },
		   "\xFF\xFE");
}

static void test_requests_find_their_answers(void **state)
{
	struct error err;
	struct har *h = har_new(&err);

	(void)state;
	fill(h);
	check_finds(h);
	har_free(h);
}

static void test_files_say_the_same(void **state)
{
	static const char *const names[] = { "case.har", "case.har.gz" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *const *args;
		struct error err;
		struct har *h = har_new(&err);

		fill(h);
		h = reopen(h, names[i]);
		assert_true(har_now_ns(h) == NOW_NS);
		assert_int_equal(har_args(h, &args), 3);
		assert_string_equal(args[2], "a b");
		check_finds(h);
		har_free(h);
	}
}

static void test_everything_of_an_answer_is_kept(void **state)
{
	static const char body[] = "a\0b\n\"\\\x1b\xC3\xA9\xEF\xBF\xBD";
	struct http_request request = request_make("GET", NULL, NULL, 0);
	struct http_response response = { 0 };
	struct error err;
	struct har *h = har_new(&err);

	(void)state;
	add(h, "GET", NULL, STR(""), 302,
	    (struct str){ body, sizeof body - 1 });
	h = reopen(h, "kept.har");
	assert_true(har_find(h, &request, URL, &response, &err));
	assert_int_equal(response.status, 302);
	assert_int_equal(response.body.len, sizeof body - 1);
	assert_memory_equal(response.body.data, body, sizeof body - 1);
	assert_string_equal(response.content_type, "text/x");
	assert_string_equal(response.location, "/there");
	assert_string_equal(response.server_date,
			    "Sat, 21 Nov 2026 02:37:20 GMT");
	assert_int_equal(response.wire_bytes, 77);
	assert_int_equal(response.duration_ns, 123456789);
	assert_int_equal(response.tries, 2);
	assert_false(response.has_sent_secret);
	assert_int_equal(response.err.code, ERROR_NONE);
	http_request_release(&request);
	http_response_release(&response);
	har_free(h);
}

static void test_failures_are_repeated(void **state)
{
	static const enum error_code codes[] = { ERROR_NETWORK, ERROR_AUTH,
						 ERROR_LIMIT, ERROR_FORMAT };
	struct http_request request = request_make("GET", NULL, NULL, 0);
	struct error err;
	struct har *h = har_new(&err);

	(void)state;
	for (size_t i = 0; i < COUNT(codes); i++) {
		struct http_response response = { .tries = 1 };

		error_set(&response.err, codes[i],
			  "h:1 refused the connection (%zu)", i);
		assert_true(har_add(h, &request, URL, &response, 0, &err));
	}
	h = reopen(h, "failed.har");
	for (size_t i = 0; i < COUNT(codes); i++) {
		struct http_response response = { 0 };
		char want[64];

		snprintf(want, sizeof want, "h:1 refused the connection (%zu)",
			 i);
		assert_true(har_find(h, &request, URL, &response, &err));
		assert_int_equal(response.status, 0);
		assert_int_equal(response.err.code, codes[i]);
		assert_string_equal(response.err.message, want);
		http_response_release(&response);
	}
	http_request_release(&request);
	har_free(h);
}

static json_t *part(json_t *from, const char *key, json_type type)
{
	json_t *value = json_object_get(from, key);

	if (!value || json_typeof(value) != type)
		fail_msg("%s is missing or of another type", key);
	return value;
}

static void check_entry(json_t *entry)
{
	static const struct {
		const char *object, *key;
		json_type type;
	} rows[] = {
		{ "request", "method", JSON_STRING },
		{ "request", "url", JSON_STRING },
		{ "request", "httpVersion", JSON_STRING },
		{ "request", "cookies", JSON_ARRAY },
		{ "request", "headers", JSON_ARRAY },
		{ "request", "queryString", JSON_ARRAY },
		{ "request", "headersSize", JSON_INTEGER },
		{ "request", "bodySize", JSON_INTEGER },
		{ "response", "status", JSON_INTEGER },
		{ "response", "statusText", JSON_STRING },
		{ "response", "httpVersion", JSON_STRING },
		{ "response", "cookies", JSON_ARRAY },
		{ "response", "headers", JSON_ARRAY },
		{ "response", "content", JSON_OBJECT },
		{ "response", "redirectURL", JSON_STRING },
		{ "response", "headersSize", JSON_INTEGER },
		{ "response", "bodySize", JSON_INTEGER },
		{ "timings", "send", JSON_INTEGER },
		{ "timings", "wait", JSON_REAL },
		{ "timings", "receive", JSON_INTEGER },
	};

	part(entry, "startedDateTime", JSON_STRING);
	part(entry, "time", JSON_REAL);
	part(entry, "cache", JSON_OBJECT);
	for (size_t i = 0; i < COUNT(rows); i++)
		part(part(entry, rows[i].object, JSON_OBJECT), rows[i].key,
		     rows[i].type);
}

static void test_document_is_har_1_2(void **state)
{
	struct error err;
	struct har *h = har_new(&err);
	const char *path = temp_path("valid.har");
	json_t *root, *log, *entries, *item, *list;
	struct stat info;
	size_t i;

	(void)state;
	fill(h);
	assert_true(har_write(h, path, &err));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	unlink(path);
	log = part(root, "log", JSON_OBJECT);
	assert_string_equal(
		json_string_value(part(log, "version", JSON_STRING)), "1.2");
	part(part(log, "creator", JSON_OBJECT), "name", JSON_STRING);
	part(part(log, "creator", JSON_OBJECT), "version", JSON_STRING);
	entries = part(log, "entries", JSON_ARRAY);
	assert_int_equal(json_array_size(entries), 5);
	json_array_foreach(entries, i, item) check_entry(item);
	item = json_array_get(entries, 0);
	assert_string_equal(
		json_string_value(json_object_get(item, "startedDateTime")),
		"2026-11-21T02:33:38.123456789Z");
	list = json_object_get(json_object_get(item, "request"), "queryString");
	assert_int_equal(json_array_size(list), 2);
	list = json_object_get(json_object_get(item, "request"), "headers");
	assert_int_equal(json_array_size(list), 2); /* Accept, tenant */
	json_decref(root);
	har_free(h);
}

static const char *const secret_headers[] = {
	"X-Api-Key: CANARY-header-1",
	"Authorization: Bearer CANARY-header-2",
	"Cookie: s=CANARY-header-3",
};

static const struct endpoint secretive = {
	.url = "http://h:1",
	.username = "alice",
	.password = "CANARY/pass+1",
	.token = "CANARY\"token",
	.headers = secret_headers,
	.header_count = 3,
};

/* Everything a server could send back, in every spelling. */
#define ECHO                                                                   \
	"CANARY-header-1 CANARY-header-2 s=CANARY-header-3 CANARY/pass+1 "     \
	"CANARY\"token CANARY\\\"token CANARY%2Fpass%2B1 CANARY%22token "      \
	"YWxpY2U6Q0FOQVJZL3Bhc3MrMQ== Q0FOQVJZL3Bhc3MrMQ== "                   \
	"Q0FOQVJZInRva2Vu Q0FOQVJZLWhlYWRlci0x Q0FOQVJZLWhlYWRlci0y"

static void test_no_secret_reaches_the_file(void **state)
{
	const char *const args[] = {
		"slow",
		"-H",
		"X-Api-Key: CANARY-header-1",
		"--traces-header=Cookie: s=CANARY-header-3",
		"-HAuthorization: CANARY-header-2",
		"--proxy",
		"http://u:CANARY-proxy@p:1",
		"--traces-url=http://u:CANARY-url@h",
	};
	struct http_request request =
		request_make("POST", NULL, ECHO, strlen(ECHO));
	struct http_response text = response_make(200, ECHO, strlen(ECHO));
	struct http_response binary =
		response_make(500, "\xFF" ECHO, strlen(ECHO) + 1);
	struct error err;
	struct har *h = har_new(&err);
	const char *path = temp_path("secret.har");
	struct buf file;

	(void)state;
	request.endpoint = &secretive;
	error_set(&text.err, ERROR_NETWORK, "%s", ECHO);
	har_set_run(h, NOW_NS, (int)COUNT(args), args);
	assert_true(har_add(h, &request,
			    "http://u:CANARY-user@h:1/p?token=CANARY-query&"
			    "x=CANARY%2Fpass%2B1",
			    &text, 0, &err));
	assert_true(har_add(h, &request, URL, &binary, 0, &err));
	assert_true(har_write(h, path, &err));
	buf_init(&file, LIMIT_FILE_BYTES);
	assert_true(file_read(path, &file, &err));
	unlink(path);
	assert_lacks(buf_text(&file), "CANARY");
	assert_lacks(buf_text(&file), "Q0FOQVJZ"); /* base64 of CANARY */
	buf_release(&file);
	http_request_release(&request);
	http_response_release(&text);
	http_response_release(&binary);
	har_free(h);
}

static void check_refused(const char *content, const char *why)
{
	const char *path = temp_path("bad.har");
	struct error err;

	temp_write(path, content, strlen(content));
	assert_null(har_open(path, &err));
	unlink(path);
	assert_contains(err.message, "--replay ");
	assert_contains(err.message, why);
	assert_int_equal(err.code, ERROR_FORMAT);
}

#define RUN "\"_tracefind\":{\"now_ns\":1,\"args\":[]}"

static void test_damaged_files_are_refused(void **state)
{
	struct error err;

	(void)state;
	check_refused("", "not JSON");
	check_refused("{\"log\":", "not JSON");
	check_refused("[]", "no log.entries");
	check_refused("{\"log\":{\"version\":\"1.2\",\"entries\":[]}}",
		      "not of tracefind --record");
	check_refused("{\"log\":{" RUN ",\"entries\":[{}]}}", "entry 1");
	check_refused("{\"log\":{" RUN ",\"entries\":[{\"request\":{"
		      "\"method\":\"GET\",\"url\":\"u\"},\"response\":{"
		      "\"status\":70000}}]}}",
		      "out of range");
	check_refused("{\"log\":{" RUN ",\"entries\":[{\"request\":{"
		      "\"method\":\"GET\",\"url\":\"u\"},\"response\":{"
		      "\"status\":200,\"content\":{\"text\":\"?\","
		      "\"encoding\":\"base64\"}}}]}}",
		      "base64");
	check_refused("{\"log\":{" RUN ",\"entries\":[1]}}", "entry 1");
	check_refused("{\"log\":{" RUN ",\"entries\":[]}} {}", "not JSON");
	check_refused("{\"log\":{" RUN ",\"entries\":{}}}", "no log.entries");
	check_refused("{\"log\":{\"_tracefind\":{\"now_ns\":1,\"args\":[1]},"
		      "\"entries\":[]}}",
		      "argument");
	assert_null(har_open("/nonexistent/x.har", &err));
	assert_contains(err.message, "--replay: /nonexistent/x.har: no such file");
}

/* HAR leaves it to the writer which key comes first, and what else there is. */
static void test_keys_come_in_any_order(void **state)
{
	static const char document[] =
		"{\"a\":[{}],\"log\":{\"entries\":[{\"response\":{\"content\":{"
		"\"encoding\":\"base64\",\"text\":\"YQBi\",\"mimeType\":"
		"\"text/x\"},\"status\":200,\"headers\":[{\"value\":\"now\","
		"\"name\":\"DATE\"},{\"name\":\"Date\",\"value\":\"later\"},"
		"7]},\"time\":1.5,\"request\":{\"headers\":7,\"url\":\"" URL
		"\",\"method\":\"GET\",\"postData\":null}}],\"_tracefind\":{"
		"\"args\":[\"slow\",\"x\"],\"now_ns\":42}},\"z\":null}";
	const char *path = temp_path("order.har");
	struct http_request request = request_make("GET", NULL, "", 0);
	struct http_response response;
	const char *const *args;
	struct error err;
	struct har *h;

	(void)state;
	temp_write(path, document, strlen(document));
	h = har_open(path, &err);
	unlink(path);
	assert_non_null(h);
	assert_int_equal(har_now_ns(h), 42);
	assert_int_equal(har_args(h, &args), 2);
	assert_string_equal(args[1], "x");
	assert_true(har_find(h, &request, URL, &response, &err));
	assert_int_equal(response.status, 200);
	assert_string_equal(response.content_type, "text/x");
	assert_string_equal(response.server_date, "now");
	assert_int_equal(response.body.len, 3);
	assert_memory_equal(response.body.data, "a\0b", 3);
	buf_release(&response.body);
	buf_release(&request.body);
	har_free(h);
}

/* Every allocation in turn fails; nothing may crash or leak. */
static void test_lack_of_memory_in_reading_is_told(void **state)
{
	const char *path = temp_path("starved.har");
	struct har *h = NULL;
	struct error err;
	size_t n;

	(void)state;
	h = har_new(&err);
	fill(h);
	assert_true(har_write(h, path, &err));
	har_free(h);
	h = NULL;
	for (n = 1; n < 2000 && !h; n++) {
		starve_after((long)n);
		h = har_open(path, &err);
		stop_starving();
		if (!h)
			assert_int_equal(err.code, ERROR_MEMORY);
	}
	assert_non_null(h);
	assert_true(n > 10);
	har_free(h);
	unlink(path);
}

/* Every allocation in turn fails; nothing may crash or leak. */
static void test_lack_of_memory_is_told(void **state)
{
	struct error err;
	bool is_ok = false;
	size_t n;

	(void)state;
	for (n = 1; n < 2000 && !is_ok; n++) {
		struct har *h;

		starve_after((long)n);
		h = har_new(&err);
		if (h) {
			struct http_request request = { .endpoint = &secretive,
							.method = "GET" };
			struct http_response response = { .status = 200 };
			const char *const args[] = { "slow" };

			har_set_run(h, 1, 1, args);
			is_ok = har_add(h, &request, URL, &response, 0, &err) &&
				har_write(h, temp_path("memory.har"), &err);
		}
		stop_starving();
		if (!is_ok)
			assert_int_equal(err.code, ERROR_MEMORY);
		har_free(h);
	}
	assert_true(is_ok);
	assert_true(n > 10);
	unlink(temp_path("memory.har"));
}

UNIT_TESTS(har)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_find_their_answers),
		cmocka_unit_test(test_files_say_the_same),
		cmocka_unit_test(test_everything_of_an_answer_is_kept),
		cmocka_unit_test(test_failures_are_repeated),
		cmocka_unit_test(test_document_is_har_1_2),
		cmocka_unit_test(test_no_secret_reaches_the_file),
		cmocka_unit_test(test_damaged_files_are_refused),
		cmocka_unit_test(test_keys_come_in_any_order),
		cmocka_unit_test(test_lack_of_memory_in_reading_is_told),
		cmocka_unit_test(test_lack_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
