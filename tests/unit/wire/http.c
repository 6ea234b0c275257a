/* SPDX-License-Identifier: Apache-2.0
 *
 * The network client against a scripted server on loopback. Waits are short
 * and bounded; what is asserted is what happened, never how fast.
 */
#include "../unit.h"
#include "../starving.h"
#include "wire/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "wire/har.h"
#include "support.h"

static const struct http_settings quick = {
	.connect_timeout_ms = 5000,
	.stall_timeout_ms = 5000,
	.timeout_ms = 20000,
	.retries = 2,
};

static struct http_request get(const struct endpoint *e, const char *path)
{
	return (struct http_request){ .endpoint = e,
				      .method = "GET",
				      .path = mem_strdup(path) };
}

static struct http_response run_one(const struct http_settings *settings,
				    struct http_request *request)
{
	struct http_response response = { 0 };
	struct error err;
	struct http_client *c = http_client_new(settings, &err);

	assert_non_null(c);
	if (!http_run(c, request, &response, 1, &err))
		fail_msg("%s", err.message);
	http_client_free(c);
	http_request_release(request);
	return response;
}

/* One GET of a path at a server with this script. */
static struct http_response ask(struct server *s, const char *script,
				const char *path,
				const struct http_settings *settings)
{
	struct endpoint e = { .option_prefix = "--traces" };
	struct http_request request;

	server_start(s, script, NULL, NULL, NULL);
	e.url = s->url;
	request = get(&e, path);
	return run_one(settings, &request);
}

static void test_answer_comes_whole(void **state)
{
	struct server s;
	struct http_response r = ask(
		&s,
		"{\"routes\":[{\"method\":\"GET\",\"path\":\"/a?b=%20c\","
		"\"headers\":{\"Accept\":\"*/*\",\"Accept-Encoding\":\"gzip\","
		"\"Authorization\":null,\"Expect\":null},"
		"\"reply\":{\"text\":\"hello\",\"headers\":{\"Content-Type\":"
		"\"text/plain; x=y\"}}}]}",
		"/a?b=%20c", &quick);

	(void)state;
	assert_int_equal(r.status, 200);
	assert_string_equal(buf_text(&r.body), "hello");
	assert_string_equal(r.content_type, "text/plain");
	assert_int_equal(r.wire_bytes, 5);
	assert_int_equal(r.tries, 1);
	assert_true(r.duration_ns > 0);
	assert_int_equal(r.err.code, ERROR_NONE);
	http_response_release(&r);
	server_stop(&s);
}

static void test_post_sends_its_body_and_headers(void **state)
{
	static const char *const headers[] = { "X-Own: 1" };
	struct endpoint e = { .tenant_id = "acme",
			      .username = "alice",
			      .password = "secret/1",
			      .headers = headers,
			      .header_count = 1 };
	struct http_request request;
	struct http_response r;
	struct server s;

	(void)state;
	server_start(&s,
		     "{\"routes\":[{\"method\":\"POST\",\"headers\":{"
		     "\"Content-Type\":\"application/proto\","
		     "\"X-Scope-OrgID\":\"acme\",\"X-Own\":\"1\","
		     "\"Authorization\":\"Basic YWxpY2U6c2VjcmV0LzE=\"},"
		     "\"body_base64\":\"CgD/\",\"reply\":{\"text\":\"ok\"}}]}",
		     NULL, NULL, NULL);
	e.url = s.url;
	request = get(&e, "/x");
	request.method = "POST";
	request.content_type = "application/proto";
	buf_init(&request.body, KIB);
	buf_add(&request.body, "\x0A\x00\xFF", 3);
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	http_response_release(&r);
	server_stop(&s);
}

static void test_large_post_is_sent_at_once(void **state)
{
	struct endpoint e = { .token = "t0ken" };
	struct http_request request;
	struct http_response r;
	struct server s;
	char *room;

	(void)state;
	server_start(&s,
		     "{\"routes\":[{\"headers\":{\"Expect\":null,"
		     "\"Content-Length\":\"3145728\","
		     "\"Authorization\":\"Bearer t0ken\"},"
		     "\"reply\":{\"text\":\"ok\"}}]}",
		     NULL, NULL, NULL);
	e.url = s.url;
	request = get(&e, "/x");
	request.method = "POST";
	buf_init(&request.body, 3 * MIB);
	room = buf_reserve(&request.body, 3 * MIB);
	memset(room, 'x', 3 * MIB);
	buf_commit(&request.body, 3 * MIB);
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	http_response_release(&r);
	server_stop(&s);
}

static void test_at_most_four_at_a_time(void **state)
{
	struct http_request requests[12];
	struct http_response responses[12];
	struct endpoint e = { 0 };
	struct http_client *c;
	struct error err;
	struct server s;
	struct buf log;
	char path[16];

	(void)state;
	server_start(&s,
		     "{\"routes\":[{\"path\":\"/7\",\"reply\":{\"text\":"
		     "\"seven\"}},{\"reply\":{\"delay_ms\":150}}]}",
		     NULL, NULL, NULL);
	e.url = s.url;
	for (size_t i = 0; i < COUNT(requests); i++) {
		snprintf(path, sizeof path, "/%zu", i);
		requests[i] = get(&e, path);
	}
	c = http_client_new(&quick, &err);
	assert_true(http_run(c, requests, responses, COUNT(requests), &err));
	for (size_t i = 0; i < COUNT(requests); i++) {
		assert_int_equal(responses[i].status, 200);
		assert_string_equal(buf_text(&responses[i].body),
				    i == 7 ? "seven" : "");
		http_request_release(&requests[i]);
		http_response_release(&responses[i]);
	}
	http_client_free(c);
	log = server_log(&s);
	assert_int_equal(count_of(buf_text(&log), "\"method\""), 12);
	assert_contains(buf_text(&log), "\"active\": 4");
	assert_lacks(buf_text(&log), "\"active\": 5");
	assert_lacks(buf_text(&log), "\"connection\": 5");
	buf_release(&log);
	server_stop(&s);
}

/* ---- handed over one by one ---- */

#define TAKEN_MAX 3

/* What was seen when each answer was handed over. */
struct taken {
	const struct http_response *responses;
	size_t count;
	size_t index[TAKEN_MAX];
	int status[TAKEN_MAX];
	bool is_last_there[TAKEN_MAX]; /* a status, or why there is none */
	struct http_client *client;
	const struct endpoint *asks; /* NULL: nothing more is asked */
	char refusal[LIMIT_ERROR_BYTES];
};

/* From where nothing may be sent. */
static void ask_more(struct taken *t)
{
	struct http_request request = get(t->asks, "/more");
	struct http_response r;
	struct error err;

	assert_false(http_run(t->client, &request, &r, 1, &err));
	assert_int_equal(err.code, ERROR_INTERNAL);
	snprintf(t->refusal, sizeof t->refusal, "%s", err.message);
	http_request_release(&request);
	http_response_release(&r);
}

static void take(void *context, size_t index)
{
	struct taken *t = context;
	const struct http_response *last = &t->responses[TAKEN_MAX - 1];

	assert_in_range(t->count, 0, TAKEN_MAX - 1);
	t->index[t->count] = index;
	t->status[t->count] = t->responses[index].status;
	t->is_last_there[t->count] = last->status || *last->err.message;
	if (t->asks && !t->count)
		ask_more(t);
	t->count++;
}

/* GETs of /0, /1 and /2. */
static struct taken take_each(const char *script,
			      const struct http_settings *settings,
			      bool asks_more)
{
	struct http_request requests[TAKEN_MAX];
	struct http_response responses[TAKEN_MAX];
	struct taken taken = { .responses = responses };
	const struct http_taker taker = { take, &taken };
	struct endpoint e = { 0 };
	struct http_client *c;
	struct error err;
	struct server s;

	server_start(&s, script, NULL, NULL, NULL);
	e.url = s.url;
	for (size_t i = 0; i < TAKEN_MAX; i++) {
		const char path[] = { '/', (char)('0' + i), '\0' };

		requests[i] = get(&e, path);
	}
	c = http_client_new(settings, &err);
	taken.client = c;
	taken.asks = asks_more ? &e : NULL;
	if (!http_run_each(c, requests, responses, TAKEN_MAX, &taker, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < TAKEN_MAX; i++) {
		http_request_release(&requests[i]);
		http_response_release(&responses[i]);
	}
	http_client_free(c);
	server_stop(&s);
	assert_int_equal(taken.count, TAKEN_MAX);
	for (size_t i = 0; i < TAKEN_MAX; i++)
		assert_int_equal(taken.index[i], i);
	return taken;
}

/* For who never answers. */
static const struct http_settings impatient = {
	.connect_timeout_ms = 5000,
	.stall_timeout_ms = 2000,
	.timeout_ms = 20000,
	.retries = 0,
};

static void test_answers_are_handed_over_while_others_come(void **state)
{
	struct taken t;

	(void)state;
	t = take_each("{\"routes\":[{\"path\":\"/2\",\"reply\":{\"silent\":"
		      "true}}],\"default\":{\"text\":\"x\"}}",
		      &impatient, true);
	assert_contains(t.refusal, "while others are on their way");
	assert_int_equal(t.status[0], 200);
	assert_int_equal(t.status[1], 200);
	assert_int_equal(t.status[2], 0);
	assert_false(t.is_last_there[0]);
	assert_false(t.is_last_there[1]);
	assert_true(t.is_last_there[2]);
}

/* It would take the time of the others to read it. */
static void test_large_answers_are_handed_over_at_the_end(void **state)
{
	struct taken t;

	(void)state;
	t = take_each("{\"routes\":[{\"path\":\"/2\",\"reply\":{\"silent\":"
		      "true}},{\"path\":\"/1\",\"reply\":{\"zeros\":1048577}}]"
		      ",\"default\":{\"zeros\":1048576}}",
		      &impatient, false);
	assert_false(t.is_last_there[0]);
	assert_true(t.is_last_there[1]);
	assert_int_equal(t.status[1], 200);
}

static void test_answers_are_handed_over_in_order(void **state)
{
	struct taken t;

	(void)state;
	t = take_each("{\"routes\":[{\"path\":\"/0\",\"reply\":{\"delay_ms\":"
		      "300}}],\"default\":{\"text\":\"x\"}}",
		      &quick, false);
	for (size_t i = 0; i < TAKEN_MAX; i++)
		assert_int_equal(t.status[i], 200);
}

static bool renew(void *context, const struct endpoint *endpoint)
{
	(void)endpoint;
	++*(int *)context;
	return true;
}

/* A refusal that another token may turn into an answer is none. */
static void test_answers_are_handed_over_with_the_new_token(void **state)
{
	struct http_settings settings = quick;
	struct taken t;
	int renewed = 0;

	(void)state;
	settings.renew_token = renew;
	settings.renew_context = &renewed;
	t = take_each("{\"routes\":[{\"path\":\"/0\",\"replies\":[{\"status\":"
		      "401},{\"text\":\"x\"}]},{\"path\":\"/1\",\"reply\":"
		      "{\"status\":401}}],\"default\":{\"delay_ms\":300}}",
		      &settings, false);
	assert_int_equal(renewed, 2);
	assert_int_equal(t.status[0], 200);
	assert_int_equal(t.status[1], 401);
	assert_int_equal(t.status[2], 200);
}

static void test_connections_are_used_again(void **state)
{
	struct http_client *c;
	struct endpoint e = { 0 };
	struct error err;
	struct server s;
	struct buf log;

	(void)state;
	server_start(&s, "{\"default\":{\"text\":\"x\"}}", NULL, NULL, NULL);
	e.url = s.url;
	c = http_client_new(&quick, &err);
	for (int i = 0; i < 3; i++) {
		struct http_request request = get(&e, "/");
		struct http_response r;

		assert_true(http_run(c, &request, &r, 1, &err));
		assert_int_equal(r.status, 200);
		http_request_release(&request);
		http_response_release(&r);
	}
	http_client_free(c);
	log = server_log(&s);
	assert_int_equal(count_of(buf_text(&log), "\"connection\": 1"), 3);
	buf_release(&log);
	server_stop(&s);
}

static void test_passing_troubles_are_tried_again(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s,
		    "{\"routes\":[{\"replies\":[{\"status\":503,\"text\":"
		    "\"starting\",\"close\":true,\"headers\":"
		    "{\"Retry-After\":\"0\"}},"
		    "{\"reset\":true},{\"text\":\"at last\"}]}]}",
		    "/", &quick);

	(void)state;
	assert_int_equal(r.status, 200);
	assert_int_equal(r.tries, 3);
	assert_string_equal(buf_text(&r.body), "at last");
	assert_int_equal(r.err.code, ERROR_NONE);
	http_response_release(&r);
	server_stop(&s);
}

static void test_last_failure_is_reported(void **state)
{
	struct http_settings once = quick;
	struct server s;
	struct http_response r;

	(void)state;
	once.retries = 1;
	r = ask(&s,
		"{\"routes\":[{\"replies\":[{\"reset\":true},{\"status\":429,"
		"\"text\":\"slow down\"},{\"text\":\"too late\"}]}]}",
		"/", &once);
	assert_int_equal(r.status, 429);
	assert_int_equal(r.tries, 2);
	assert_string_equal(buf_text(&r.body), "slow down");
	http_response_release(&r);
	server_stop(&s);
}

static void test_retry_after_is_waited_for(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s,
		    "{\"routes\":[{\"replies\":[{\"status\":429,\"headers\":"
		    "{\"Retry-After\":\"1\"}},{\"text\":\"x\"}]}]}",
		    "/", &quick);
	struct buf log = server_log(&s);
	const char *first = strstr(buf_text(&log), "\"ms\": ");
	const char *second = strstr(first + 1, "\"ms\": ");

	(void)state;
	assert_int_equal(r.status, 200);
	assert_true(strtol(second + 6, NULL, 10) -
			    strtol(first + 6, NULL, 10) >=
		    990);
	buf_release(&log);
	http_response_release(&r);
	server_stop(&s);
}

static void test_long_retry_after_is_not_waited_for(void **state)
{
	struct server s;
	struct http_response r = ask(&s,
				     "{\"default\":{\"status\":429,\"headers\":"
				     "{\"Retry-After\":\"25\"}}}",
				     "/", &quick);

	(void)state;
	assert_int_equal(r.status, 429); /* 25 s do not fit into 20 s */
	assert_int_equal(r.tries, 1);
	http_response_release(&r);
	server_stop(&s);
}

static void check_failure(const char *script,
			  const struct http_settings *settings,
			  const char *part)
{
	struct server s;
	struct http_response r = ask(&s, script, "/", settings);

	assert_int_equal(r.status, 0);
	assert_int_equal(r.body.len, 0);
	assert_contains(r.err.message, part);
	assert_contains(r.err.message, s.url + strlen("http://"));
	http_response_release(&r);
	server_stop(&s);
}

static void test_failures_have_their_own_words(void **state)
{
	struct http_settings no_retry = quick, hasty = quick, late = quick;

	(void)state;
	no_retry.retries = 0;
	hasty.stall_timeout_ms = 200;
	late.timeout_ms = 400;
	check_failure("{\"default\":{\"text\":\"0123456789\",\"cut\":4}}",
		      &no_retry, "in the middle of the answer, after 4 bytes");
	check_failure("{\"default\":{\"text\":\"0123456789\",\"cut\":4,"
		      "\"chunked\":true}}",
		      &no_retry, "in the middle");
	check_failure("{\"default\":{\"text\":\"0123\",\"content_length\":10}}",
		      &no_retry, "in the middle");
	check_failure("{\"default\":{\"reset\":true}}", &no_retry,
		      "without an answer");
	check_failure("{\"default\":{\"silent\":true}}", &hasty,
		      "sent nothing for 200 ms (0 bytes had come)");
	check_failure("{\"default\":{\"text\":\"0123456789\","
		      "\"stall\":[4,3000]}}",
		      &hasty, "sent nothing for 200 ms (4 bytes had come)");
	check_failure("{\"default\":{\"delay_ms\":5000}}", &late,
		      "timed out: the run's 400 ms are used up (raise "
		      "--timeout");
	check_failure("{\"default\":{\"raw\":\"SSH-2.0-OpenSSH\\r\\n\"}}",
		      &no_retry, "does not answer in http");
}

static void test_refused_connection_is_told_at_once(void **state)
{
	const struct endpoint e = { .url = "http://127.0.0.1:1",
				    .option_prefix = "--profiles" };
	struct http_request request = get(&e, "/x");
	struct http_response r = run_one(&quick, &request);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(r.tries, 1);
	assert_int_equal(r.err.code, ERROR_NETWORK);
	assert_contains(r.err.message, "127.0.0.1:1 refused the connection");
	assert_contains(r.err.message, "--profiles-url");
	http_response_release(&r);
}

static void test_unknown_host_is_told(void **state)
{
	/* .invalid never resolves (RFC 6761). */
	const struct endpoint e = { .url = "http://tempo.invalid:3200" };
	struct http_request request = get(&e, "/x");
	struct http_response r = run_one(&quick, &request);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_contains(r.err.message, "tempo.invalid:3200");
	http_response_release(&r);
}

static void test_gzip_is_unpacked_and_counted(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s, "{\"default\":{\"zeros\":100000,\"gzip\":true}}", "/",
		    &quick);

	(void)state;
	assert_int_equal(r.status, 200);
	assert_int_equal(r.body.len, 100000);
	assert_true(r.wire_bytes < 1000);
	http_response_release(&r);
	server_stop(&s);
}

static void test_bombs_are_stopped(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s,
		    "{\"default\":{\"zeros\":400000000,\"gzip\":true,"
		    "\"chunked\":true}}",
		    "/", &quick);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(r.tries, 1);
	assert_int_equal(r.err.code, ERROR_LIMIT);
	assert_int_equal(r.body.len, 0);
	http_response_release(&r);
	server_stop(&s);
}

static void test_large_headers(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s, "{\"default\":{\"header_bytes\":60000,\"text\":\"x\"}}",
		    "/", &quick);

	(void)state;
	assert_int_equal(r.status, 200);
	http_response_release(&r);
	server_stop(&s);
}

static void test_header_over_limit(void **state)
{
	struct server s;
	struct http_response r = ask(
		&s, "{\"default\":{\"header_bytes\":400000,\"text\":\"x\"}}",
		"/", &quick);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(r.err.code, ERROR_LIMIT);
	assert_non_null(strstr(r.err.message, "header"));
	http_response_release(&r);
	server_stop(&s);
}

static void test_error_pages_are_cut(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s, "{\"default\":{\"status\":404,\"zeros\":300000}}", "/",
		    &quick);

	(void)state;
	assert_int_equal(r.status, 404);
	assert_int_equal(r.body.len, LIMIT_ERROR_BODY_BYTES);
	http_response_release(&r);
	server_stop(&s);
}

static void test_redirects_are_not_followed(void **state)
{
	struct server s;
	struct http_response r =
		ask(&s,
		    "{\"routes\":[{\"path\":\"/\",\"reply\":{\"redirect\":"
		    "\"/elsewhere?token=abc\"}}]}",
		    "/", &quick);
	struct buf log = server_log(&s);

	(void)state;
	assert_int_equal(r.status, 302);
	assert_string_equal(r.location, "/elsewhere?token=[redacted]");
	assert_int_equal(count_of(buf_text(&log), "\"method\""), 1);
	buf_release(&log);
	http_response_release(&r);
	server_stop(&s);
}

static void test_credentials_stay_home(void **state)
{
	/* Not loopback to us, though it would connect: no connection may be
	 * made. */
	const struct endpoint e = { .url = "http://127.1:9",
				    .token = "token-canary" };
	struct http_request request = get(&e, "/x");
	struct http_response r = run_one(&quick, &request);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(r.tries, 0);
	assert_int_equal(r.err.code, ERROR_AUTH);
	assert_contains(r.err.message, "--insecure-auth");
	assert_lacks(r.err.message, "canary");
	http_response_release(&r);
}

static void test_echoed_secrets_are_masked(void **state)
{
	static const char *const headers[] = { "X-Key: header-canary" };
	struct endpoint e = { .token = "token-canary",
			      .headers = headers,
			      .header_count = 1 };
	struct http_request request;
	struct http_response r;
	struct server s;

	(void)state;
	server_start(&s, "{\"default\":{\"echo\":true,\"status\":400}}", NULL,
		     NULL, NULL);
	e.url = s.url;
	request = get(&e, "/x");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 400);
	assert_contains(buf_text(&r.body), "Authorization: Bearer ********");
	assert_lacks(buf_text(&r.body), "canary");
	http_response_release(&r);
	server_stop(&s);
}

/* A login that found no credentials leaves the room for its token empty. */
static void test_empty_token_is_not_sent(void **state)
{
	struct endpoint e = { .token = "" };
	struct http_request request;
	struct http_response r;
	struct server s;

	(void)state;
	server_start(&s,
		     "{\"routes\":[{\"headers\":{\"Authorization\":null},"
		     "\"reply\":{\"headers\":{\"Metadata-Flavor\":\"Google\"},"
		     "\"text\":\"ok\"}}]}",
		     NULL, NULL, NULL);
	e.url = s.url;
	request = get(&e, "/x");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	assert_string_equal(r.metadata_flavor, "Google");
	http_response_release(&r);
	server_stop(&s);
}

/* A server that is busy is there; of a port nobody listens on once is enough
 * to know. */
static void test_probes_wait_for_the_busy_only(void **state)
{
	struct endpoint e = { 0 };
	struct http_request request;
	struct http_response r;
	struct server s;

	(void)state;
	server_start(&s, "{\"first\":{\"status\":503},\"default\":{}}", NULL,
		     NULL, NULL);
	e.url = s.url;
	request = get(&e, "/x");
	request.is_probe = true;
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	assert_int_equal(r.tries, 2);
	http_response_release(&r);
	server_stop(&s);
	request = get(&e, "/x");
	request.is_probe = true;
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.tries, 1);
	http_response_release(&r);
}

static void tls_url(const struct server *s, char *url, size_t size)
{
	snprintf(url, size, "https://localhost%s", strrchr(s->url, ':'));
}

static void test_tls_is_verified(void **state)
{
	char cert[512], key[512], url[64];
	struct endpoint e = { .option_prefix = "--traces", .token = "t0ken" };
	struct http_request request;
	struct http_response r;
	struct server s;

	(void)state;
	snprintf(cert, sizeof cert, "%s/tls/cert.pem", getenv("TESTDATA"));
	snprintf(key, sizeof key, "%s/tls/key.pem", getenv("TESTDATA"));
	server_start(&s, "{\"default\":{\"text\":\"x\"}}", "--tls", cert, key);
	tls_url(&s, url, sizeof url);
	e.url = url;
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 0);
	assert_contains(r.err.message, "certificate is not trusted");
	assert_contains(r.err.message, "--traces-cacert");
	http_response_release(&r);

	e.cacert = cert;
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	http_response_release(&r);

	e.cacert = NULL;
	e.is_insecure = true;
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 200);
	http_response_release(&r);

	e.is_insecure = false;
	e.cacert = "/nonexistent/ca.pem";
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_int_equal(r.err.code, ERROR_USAGE);
	http_response_release(&r);

	/* http spoken to a TLS port, and the other way round */
	e.url = s.url;
	e.cacert = NULL;
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_int_equal(r.status, 0);
	http_response_release(&r);
	server_stop(&s);
	server_start(&s, "{}", NULL, NULL, NULL);
	tls_url(&s, url, sizeof url);
	e.url = url;
	request = get(&e, "/");
	r = run_one(&quick, &request);
	assert_contains(r.err.message, "no TLS connection");
	http_response_release(&r);
	server_stop(&s);
}

static bool always(void)
{
	return true;
}

static void test_interruption_ends_the_run(void **state)
{
	struct http_settings settings = quick;
	struct http_request request;
	struct http_response r;
	struct endpoint e = { 0 };
	struct http_client *c;
	struct error err;
	struct server s;

	(void)state;
	settings.is_interrupted = always;
	server_start(&s, "{\"default\":{\"silent\":true}}", NULL, NULL, NULL);
	e.url = s.url;
	request = get(&e, "/");
	c = http_client_new(&settings, &err);
	assert_false(http_run(c, &request, &r, 1, &err));
	assert_int_equal(err.code, ERROR_INTERRUPTED);
	http_client_free(c);
	http_request_release(&request);
	http_response_release(&r);
	server_stop(&s);
}

static void test_too_many_requests_are_a_mistake(void **state)
{
	const struct endpoint e = { .url = "ftp://nowhere" };
	struct http_client *c;
	struct error err;
	size_t count = 0;

	(void)state;
	c = http_client_new(&quick, &err);
	for (;;) {
		struct http_request request = get(&e, "/");
		struct http_response r;
		bool is_ok = http_run(c, &request, &r, 1, &err);

		http_request_release(&request);
		http_response_release(&r);
		if (!is_ok)
			break;
		assert_int_equal(r.err.code, ERROR_USAGE);
		count++;
	}
	assert_int_equal(count, LIMIT_REQUESTS_PER_RUN);
	assert_int_equal(err.code, ERROR_LIMIT);
	http_client_free(c);
}

/* Runs three requests, the second refused, and returns the log as text. */
static void run_three(const struct http_settings *settings,
		      const struct endpoint *e, char *out, size_t size)
{
	const struct endpoint dead = { .url = "http://127.0.0.1:1" };
	struct http_request requests[] = { get(e, "/a?token=CANARY"),
					   get(&dead, "/b"), get(e, "/c") };
	struct http_response responses[3];
	const struct http_log_entry *log;
	struct http_client *c;
	struct error err;
	size_t len = 0;

	c = http_client_new(settings, &err);
	if (!http_run(c, requests, responses, 3, &err))
		fail_msg("%s", err.message);
	assert_int_equal(http_log(c, &log), 3);
	assert_int_equal(log[0].round, 1);
	assert_int_equal(log[2].round, 1);
	for (size_t i = 0; i < 3; i++) {
		len += (size_t)snprintf(
			out + len, size - len, "%s %s %d %lld %lld %u %s %s\n",
			log[i].method, log[i].url, log[i].status,
			(long long)log[i].bytes, (long long)log[i].duration_ns,
			log[i].tries, buf_text(&responses[i].body),
			responses[i].err.message);
		http_request_release(&requests[i]);
		http_response_release(&responses[i]);
	}
	http_client_free(c);
}

static void test_replay_repeats_a_run_without_a_network(void **state)
{
	struct http_settings recording = quick, replaying = quick;
	struct endpoint e = { 0 };
	char live[4096], again[4096];
	struct error err;
	struct server s;
	struct har *har;

	(void)state;
	server_start(&s,
		     "{\"routes\":[{\"path\":\"/c\",\"reply\":{\"status\":404,"
		     "\"text\":\"none\"}}],\"default\":{\"text\":\"hello\","
		     "\"gzip\":true}}",
		     NULL, NULL, NULL);
	e.url = s.url;
	har = har_new(&err);
	har_set_run(har, 42, 0, NULL);
	recording.record = har;
	run_three(&recording, &e, live, sizeof live);
	server_stop(&s);
	assert_true(har_write(har, temp_path("run.har"), &err));
	har_free(har);
	assert_lacks(live, "CANARY");
	assert_contains(live, " 200 ");
	assert_contains(live, "refused the connection");
	assert_contains(live, "/c 404 ");

	har = har_open(temp_path("run.har"), &err);
	assert_non_null(har);
	unlink(temp_path("run.har"));
	replaying.replay = har;
	run_three(&replaying, &e, again, sizeof again);
	assert_string_equal(live, again);
	har_free(har);
}

static void test_replay_names_what_is_missing(void **state)
{
	struct http_settings settings = quick;
	const struct endpoint e = { .url = "http://h:1" };
	struct http_request request = get(&e, "/x");
	struct http_response r;
	struct http_client *c;
	struct error err;

	(void)state;
	settings.replay = har_new(&err);
	c = http_client_new(&settings, &err);
	assert_false(http_run(c, &request, &r, 1, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_contains(err.message, "not in the case: GET http://h:1/x");
	http_client_free(c);
	http_request_release(&request);
	har_free(settings.replay);
}

/* From some allocation on all fail, ours and the library's. */
static void test_lack_of_memory_is_told(void **state)
{
	static const char *const headers[] = { "X-Key: header-canary" };
	struct endpoint e = { .token = "token-canary",
			      .headers = headers,
			      .header_count = 1 };
	struct server s;
	size_t n;
	int status = 0;

	(void)state;
	server_start(&s, "{\"default\":{\"zeros\":100,\"gzip\":true}}", NULL,
		     NULL, NULL);
	e.url = s.url;
	for (n = 1; n < 1000 && status != 200; n++) {
		struct http_request request = get(&e, "/");
		struct http_response r = { 0 };
		struct http_client *c;
		struct error err;

		starve_after((long)n);
		c = http_client_new(&quick, &err);
		if (c && http_run(c, &request, &r, 1, &err))
			status = r.status;
		else
			assert_int_equal(err.code, ERROR_MEMORY);
		http_client_free(c);
		stop_starving();
		http_request_release(&request);
		http_response_release(&r);
	}
	assert_int_equal(status, 200);
	assert_true(n > 50);
	server_stop(&s);
}

UNIT_TESTS(http)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer_comes_whole),
		cmocka_unit_test(test_post_sends_its_body_and_headers),
		cmocka_unit_test(test_large_post_is_sent_at_once),
		cmocka_unit_test(test_at_most_four_at_a_time),
		cmocka_unit_test(
			test_answers_are_handed_over_while_others_come),
		cmocka_unit_test(test_large_answers_are_handed_over_at_the_end),
		cmocka_unit_test(test_answers_are_handed_over_in_order),
		cmocka_unit_test(
			test_answers_are_handed_over_with_the_new_token),
		cmocka_unit_test(test_connections_are_used_again),
		cmocka_unit_test(test_passing_troubles_are_tried_again),
		cmocka_unit_test(test_last_failure_is_reported),
		cmocka_unit_test(test_retry_after_is_waited_for),
		cmocka_unit_test(test_long_retry_after_is_not_waited_for),
		cmocka_unit_test(test_failures_have_their_own_words),
		cmocka_unit_test(test_refused_connection_is_told_at_once),
		cmocka_unit_test(test_unknown_host_is_told),
		cmocka_unit_test(test_gzip_is_unpacked_and_counted),
		cmocka_unit_test(test_bombs_are_stopped),
		cmocka_unit_test(test_large_headers),
		cmocka_unit_test(test_header_over_limit),
		cmocka_unit_test(test_error_pages_are_cut),
		cmocka_unit_test(test_redirects_are_not_followed),
		cmocka_unit_test(test_credentials_stay_home),
		cmocka_unit_test(test_echoed_secrets_are_masked),
		cmocka_unit_test(test_empty_token_is_not_sent),
		cmocka_unit_test(test_probes_wait_for_the_busy_only),
		cmocka_unit_test(test_tls_is_verified),
		cmocka_unit_test(test_interruption_ends_the_run),
		cmocka_unit_test(test_too_many_requests_are_a_mistake),
		cmocka_unit_test(test_replay_repeats_a_run_without_a_network),
		cmocka_unit_test(test_replay_names_what_is_missing),
		cmocka_unit_test(test_lack_of_memory_is_told),
	};
	static const char *const proxies[] = { "http_proxy", "https_proxy",
					       "all_proxy", "HTTPS_PROXY",
					       "ALL_PROXY" };

	/* Names that do not resolve must not be a proxy's affair here. */
	for (size_t i = 0; i < COUNT(proxies); i++)
		unsetenv(proxies[i]);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
