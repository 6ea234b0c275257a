/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google_login.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../wire/support.h"
#include "base/out.h"
#include "base/timefmt.h"

static struct google_login_want want;
static const struct endpoint side = {
	.url = "https://cloudtrace.googleapis.com",
	.project = "my-project",
	.option_prefix = "--traces"
};
static struct server server;
static struct error err;

static PRINTF_LIKE(1, 2) void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("# ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* Nothing of whoever runs the tests. */
static int set_up(void **state)
{
	(void)state;
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	unsetenv("CLOUDSDK_CONFIG");
	setenv("HOME", "/nowhere", 1);
	/* Port 1 of this machine: nobody listens. */
	setenv("GCE_METADATA_HOST", "127.0.0.1:1", 1);
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	want = (struct google_login_want){
		.connect_timeout_ns = 10 * NS_PER_S,
		.timeout_ns = 60 * NS_PER_S,
		.say = say,
	};
	return 0;
}

/* A file that the environment names; %s in json is the server's URL. */
static void write_file(const char *json)
{
	const char *path = temp_path("google.json");
	char text[4000];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, json, server.url, server.url, server.url);
#pragma GCC diagnostic pop
	temp_write(path, text, strlen(text));
	assert_int_equal(chmod(path, 0600), 0);
	setenv("GOOGLE_APPLICATION_CREDENTIALS", path, 1);
}

static void assert_token(struct google_login *l, const char *token)
{
	if (!google_login_ensure(l, &side, &want, &err))
		fail_msg("%s", err.message);
	assert_string_equal(google_login_token(l), token);
}

static void assert_fails(struct google_login *l, const char *message)
{
	assert_false(google_login_ensure(l, &side, &want, &err));
	assert_contains(err.message, message);
	assert_lacks(err.message, "hunter2");
	assert_string_equal(google_login_token(l), "");
}

static struct google_login *login_new(void)
{
	struct google_login *l = google_login_new(&err);

	assert_non_null(l);
	assert_string_equal(google_login_token(l), "");
	return l;
}

static void assert_request_count(size_t count)
{
	struct buf log = server_log(&server);

	assert_int_equal(count_of(buf_text(&log), "\n"), count);
	buf_release(&log);
}

#define USER                                                                   \
	"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":" \
	"\"hunter2\",\"refresh_token\":\"1-refresh\",\"token_uri\":"           \
	"\"%s/token\"}"

static void test_user(void **state)
{
	struct google_login *l;

	(void)state;
	server_start(
		&server,
		"{\"routes\":[{\"method\":\"POST\",\"path\":\"/token\","
		"\"body\":\"grant_type=refresh_token&client_id=c&"
		"client_secret=hunter2&refresh_token=1-refresh\","
		"\"replies\":[{\"text\":\"{\\\"access_token\\\":\\\"one\\\""
		",\\\"expires_in\\\":3600}\"},{\"text\":\"{\\\""
		"access_token\\\":\\\"two\\\",\\\"expires_in\\\":59}\"},"
		"{\"text\":\"{\\\"access_token\\\":\\\"three\\\"}\"}]}]}",
		NULL, NULL, NULL);
	write_file(USER);
	l = login_new();
	assert_token(l, "one");
	assert_token(l, "one"); /* holds still */
	assert_request_count(1);
	assert_true(google_login_again(l, &side, &want, &err));
	assert_string_equal(google_login_token(l), "two");
	assert_token(l, "three"); /* less than a minute was left */
	assert_request_count(3);
	google_login_free(l);
	server_stop(&server);
}

static void test_user_refused(void **state)
{
	struct google_login *l;

	(void)state;
	server_start(&server,
		     "{\"default\":{\"status\":400,\"json\":{\"error\":"
		     "\"invalid_grant\",\"error_description\":\"Bad "
		     "1-refresh\"}}}",
		     NULL, NULL, NULL);
	write_file(USER);
	l = login_new();
	assert_fails(l, "/tracefind-test-");
	assert_fails(l, "google.json: the login has expired or was revoked "
			"(invalid_grant: Bad *********): log in again with");
	assert_int_equal(err.code, ERROR_AUTH);
	google_login_free(l);
	server_stop(&server);
}

static void test_silent(void **state)
{
	struct google_login *l;

	(void)state;
	server_start(&server, "{\"default\":{\"silent\":true}}", NULL, NULL,
		     NULL);
	write_file(USER);
	want.timeout_ns = 200 * NS_PER_MS;
	l = login_new();
	assert_fails(l, ", which issues the token, cannot be reached: timed "
			"out (check network, proxy and firewall)");
	assert_int_equal(err.code, ERROR_NETWORK);
	google_login_free(l);
	server_stop(&server);
}

/* The folder of gcloud, by its variable and by HOME. */
static void test_places(void **state)
{
	static const char name[] = "application_default_credentials.json";
	static const char json[] = "{\"type\":\"hunter\"}";
	char folder[256], path[400];
	struct google_login *l;

	(void)state;
	snprintf(folder, sizeof folder, "%s", temp_path("home"));
	snprintf(path, sizeof path, "%s/.config/gcloud/%s", folder, name);
	assert_true(folders_make(path, &err));
	temp_write(path, json, sizeof json - 1);
	setenv("HOME", folder, 1);
	l = login_new();
	assert_fails(l, "/.config/gcloud/application_default_credentials.json: "
			"credentials of type \"hunter\" are not supported");
	google_login_free(l);
	setenv("CLOUDSDK_CONFIG", folder, 1);
	l = login_new();
	assert_fails(l, "/application_default_credentials.json is not there");
	google_login_free(l);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	temp_write(path, json, sizeof json - 1);
	l = login_new();
	assert_fails(l, "/application_default_credentials.json: credentials of "
			"type \"hunter\" are not supported");
	google_login_free(l);
	/* The named file wins, also when it is not there. */
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json", 1);
	l = login_new();
	assert_fails(l, "Google credentials: /nowhere/key.json: no such "
			"file");
	assert_int_equal(err.code, ERROR_AUTH);
	google_login_free(l);
	unlink(path);
}

static void test_none(void **state)
{
	struct endpoint local = side;
	struct google_login *l = login_new();

	(void)state;
	/* What stands in for Google on this machine may do without, others may
	 * not, whoever was asked before. */
	local.url = "http://localhost:8080";
	assert_true(google_login_ensure(l, &local, &want, &err));
	assert_string_equal(google_login_token(l), "");
	assert_true(google_login_ensure(l, &local, &want, &err));
	assert_false(google_login_again(l, &local, &want, &err));
	assert_contains(err.message, "no Google credentials: ");
	assert_fails(l, "no Google credentials: GOOGLE_APPLICATION_CREDENTIALS "
			"is not set; /nowhere/.config/gcloud/"
			"application_default_credentials.json is not there; no "
			"metadata server at 127.0.0.1:1 (nothing answers). Log "
			"in with gcloud auth application-default login, or "
			"give a token with --traces-token-file");
	assert_int_equal(err.code, ERROR_AUTH);
	google_login_free(l);
	setenv("GCE_METADATA_HOST", "metadata.example", 1);
	l = login_new();
	assert_fails(l, "GCE_METADATA_HOST is neither this machine nor the "
			"metadata server's address");
	google_login_free(l);
}

static void start_metadata(const char *reply)
{
	char script[1000];

	snprintf(script, sizeof script,
		 "{\"routes\":[{\"method\":\"GET\",\"prefix\":"
		 "\"/computeMetadata/v1/instance/service-accounts/default/"
		 "token?scopes=\",\"headers\":{\"Metadata-Flavor\":\"Google\"},"
		 "\"reply\":{%s}}]}",
		 reply);
	server_start(&server, script, NULL, NULL, NULL);
	setenv("GCE_METADATA_HOST", server.url + strlen("http://"), 1);
}

static void test_metadata(void **state)
{
	struct google_login *l;

	(void)state;
	start_metadata("\"headers\":{\"Metadata-Flavor\":\"Google\"},\"json\":{"
		       "\"access_token\":\"ya29.m\",\"expires_in\":600}");
	l = login_new();
	assert_token(l, "ya29.m");
	assert_null(google_quota_project(l, "p"));
	google_login_free(l);
	server_stop(&server);
	/* A captive portal answers everything. */
	start_metadata("\"json\":{\"access_token\":\"hunter2\"}");
	l = login_new();
	assert_fails(l, "(something else answers there)");
	google_login_free(l);
	server_stop(&server);
	start_metadata("\"headers\":{\"Metadata-Flavor\":\"Google\"},"
		       "\"status\":404,\"text\":\"none\"");
	l = login_new();
	assert_fails(l, "Google credentials: this machine has no service "
			"account (404: none)");
	google_login_free(l);
	server_stop(&server);
}

/* From the token of another identity over two servers to an account. */
static void test_chain(void **state)
{
	struct google_login *l;

	(void)state;
	server_start(
		&server,
		"{\"routes\":["
		"{\"method\":\"GET\",\"path\":\"/id\",\"headers\":{\"X-Key\":"
		"\"hunter2\"},\"reply\":{\"json\":{\"t\":\"foreign\"}}},"
		"{\"method\":\"POST\",\"path\":\"/sts\",\"body_contains\":"
		"\"subject_token=foreign\",\"reply\":{\"json\":{"
		"\"access_token\":\"federated\"}}},"
		"{\"method\":\"POST\",\"path\":\"/act\",\"headers\":{"
		"\"Authorization\":\"Bearer federated\"},\"reply\":{\"json\":{"
		"\"accessToken\":\"ya29.act\",\"expireTime\":"
		"\"2099-01-01T00:00:00Z\"}}}]}",
		NULL, NULL, NULL);
	write_file("{\"type\":\"external_account\",\"audience\":\"a\","
		   "\"subject_token_type\":\"urn:x\",\"token_url\":\"%s/sts\","
		   "\"service_account_impersonation_url\":\"%s/act\","
		   "\"credential_source\":{\"url\":\"%s/id\",\"headers\":{"
		   "\"X-Key\":\"hunter2\"},\"format\":{\"type\":\"json\","
		   "\"subject_token_field_name\":\"t\"}}}");
	l = login_new();
	assert_token(l, "ya29.act");
	assert_request_count(3);
	google_login_free(l);
	server_stop(&server);
}

static void test_quota_project(void **state)
{
	struct google_login *l;

	(void)state;
	assert_null(google_quota_project(NULL, "side"));
	write_file(USER);
	l = login_new();
	/* A user's login has no project of its own. */
	assert_string_equal(google_quota_project(l, "side"), "side");
	google_login_free(l);
	write_file("{\"type\":\"service_account\",\"client_email\":\"a\","
		   "\"private_key\":\"k\",\"quota_project_id\":\"q\"}");
	l = login_new();
	assert_string_equal(google_quota_project(l, "side"), "q");
	setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "mine", 1);
	assert_string_equal(google_quota_project(l, "side"), "mine");
	assert_string_equal(google_quota_project(NULL, "side"), "mine");
	google_login_free(l);
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	write_file("{\"type\":\"service_account\",\"client_email\":\"a\","
		   "\"private_key\":\"k\"}");
	l = login_new();
	assert_null(google_quota_project(l, "side"));
	google_login_free(l);
}

static void test_universe(void **state)
{
	struct google_login *l;
	struct endpoint other = side;

	(void)state;
	write_file("{\"type\":\"service_account\",\"client_email\":\"a\","
		   "\"private_key\":\"hunter2\",\"universe_domain\":"
		   "\"c.example\"}");
	l = login_new();
	assert_fails(l, "they are of the cloud c.example, not of "
			"googleapis.com: name its address in --traces-url, "
			"such as gcp+https://cloudtrace.c.example/projects/"
			"my-project");
	other.url = "https://cloudtrace.c.example";
	assert_false(google_login_ensure(l, &other, &want, &err));
	/* Its own address is right; now it is the key. */
	assert_contains(err.message, "key");
	assert_lacks(err.message, "they are of the cloud");
	google_login_free(l);
}

UNIT_TESTS(google_login)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_user, set_up),
		cmocka_unit_test_setup(test_user_refused, set_up),
		cmocka_unit_test_setup(test_silent, set_up),
		cmocka_unit_test_setup(test_places, set_up),
		cmocka_unit_test_setup(test_none, set_up),
		cmocka_unit_test_setup(test_metadata, set_up),
		cmocka_unit_test_setup(test_chain, set_up),
		cmocka_unit_test_setup(test_quota_project, set_up),
		cmocka_unit_test_setup(test_universe, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
