/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google/google_error.h"

#include <stdio.h>

#include "../wire/support.h"

/* The body as Google shapes it; details go into its list. */
static struct http_response refusal(int status, const char *code,
				    const char *message, const char *details)
{
	char body[4096];

	snprintf(body, sizeof body,
		 "{\"error\": {\"code\": %d, \"message\": \"%s\", "
		 "\"status\": \"%s\", \"details\": [%s]}}",
		 status, message, code, details);
	return answer_make(status, "application/json", body);
}

#define INFO(reason, metadata)                                                 \
	"{\"@type\": \"type.googleapis.com/google.rpc.Help\", \"links\": "     \
	"[{\"description\": \"x\", \"url\": \"https://example.com\"}]}, "      \
	"{\"@type\": \"type.googleapis.com/google.rpc.ErrorInfo\", "           \
	"\"reason\": \"" reason "\", \"domain\": \"googleapis.com\", "         \
	"\"metadata\": {" metadata "}}"

#define CONSUMER "\"consumer\": \"projects/123456789\""

static struct error failed(struct http_response response, const char *token)
{
	const struct endpoint e = { .url = "https://h.example",
				    .project = "my-project",
				    .option_prefix = "--traces",
				    .token = token };
	struct error err = { 0 };

	assert_int_equal(google_fail(&google_trace_api, "Cloud Trace", &e,
				     &response, &err),
			 ANSWER_ERROR);
	http_response_release(&response);
	return err;
}

static void check(struct http_response response, enum error_code code,
		  const char *one, const char *other)
{
	struct error err = failed(response, "secret-token");

	assert_int_equal(err.code, code);
	assert_contains(err.message, one);
	assert_contains(err.message, other);
	assert_lacks(err.message, "secret-token");
}

static void test_the_api_is_off(void **state)
{
	(void)state;
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("SERVICE_DISABLED", CONSUMER)),
	      ERROR_AUTH,
	      "gcloud services enable cloudtrace.googleapis.com --project "
	      "123456789",
	      "the API is off in project 123456789 (403)");
	/* Without details, as older parts answer. */
	check(refusal(403, "PERMISSION_DENIED",
		      "Cloud Trace API has not been used in project 5 before "
		      "or it is disabled.",
		      ""),
	      ERROR_AUTH, "gcloud services enable", "--project my-project");
	check(answer_make(403, "application/json",
			  "{\"error\": {\"errors\": [{\"domain\": "
			  "\"usageLimits\", \"reason\": "
			  "\"accessNotConfigured\"}], \"message\": \"m\"}}"),
	      ERROR_AUTH, "gcloud services enable", "--project my-project");
}

static void test_a_user_without_a_quota_project(void **state)
{
	(void)state;
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("SERVICE_DISABLED",
			   "\"consumer\": \"projects/764086051850\"")),
	      ERROR_AUTH, "set-quota-project my-project",
	      "'x-goog-user-project: my-project'");
	check(refusal(403, "PERMISSION_DENIED",
		      "The API requires a quota project, which is not set.",
		      ""),
	      ERROR_AUTH, "set-quota-project my-project", "--traces-header");
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("USER_PROJECT_DENIED", CONSUMER)),
	      ERROR_AUTH, "serviceUsageConsumer", "123456789");
}

static void test_a_role_is_missing(void **state)
{
	(void)state;
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("IAM_PERMISSION_DENIED",
			   "\"permission\": \"cloudtrace.traces.get\"")),
	      ERROR_AUTH, "403 cloudtrace.traces.get",
	      "add-iam-policy-binding my-project "
	      "--role=roles/cloudtrace.user");
	check(refusal(403, "PERMISSION_DENIED",
		      "The caller does not have permission", ""),
	      ERROR_AUTH, "roles/cloudtrace.user", "no such project");
}

static void test_logins(void **state)
{
	struct error err;

	(void)state;
	check(refusal(401, "UNAUTHENTICATED", "m",
		      INFO("ACCESS_TOKEN_EXPIRED", "")),
	      ERROR_AUTH, "--traces-token-file", "an hour");
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "")),
	      ERROR_AUTH, "auth/trace.readonly", "auth/cloud-platform");
	check(refusal(401, "UNAUTHENTICATED", "m",
		      INFO("JWT_TOKEN_INVALID", "")),
	      ERROR_AUTH, "access token (401 JWT_TOKEN_INVALID)", "clock");
	check(refusal(401, "UNAUTHENTICATED",
		      "Request had invalid authentication credentials.", ""),
	      ERROR_AUTH, "access token (401)", "clock");
	check(refusal(401, "UNAUTHENTICATED", "m",
		      INFO("CREDENTIALS_MISSING", "")),
	      ERROR_AUTH, "wants credentials (401)", "--traces-token-file");
	/* The same words whether a token was sent or a case is replayed. */
	err = failed(refusal(401, "UNAUTHENTICATED",
			     "Request is missing required authentication "
			     "credential.",
			     ""),
		     "secret-token");
	assert_contains(err.message, "wants credentials (401)");
	err = failed(refusal(401, "UNAUTHENTICATED", "m",
			     INFO("ACCESS_TOKEN_EXPIRED", "")),
		     NULL);
	assert_contains(err.message, "does not take the access token (401)");
}

static void test_quota(void **state)
{
	(void)state;
	check(refusal(429, "RESOURCE_EXHAUSTED", "m",
		      INFO("RATE_LIMIT_EXCEEDED",
			   CONSUMER ", \"quota_metric\": "
				    "\"cloudtrace.googleapis.com/read\", "
				    "\"quota_limit\": \"ReadsPerMinute\", "
				    "\"quota_limit_value\": \"300\"")),
	      ERROR_NETWORK,
	      "project 123456789 is used up (429 "
	      "cloudtrace.googleapis.com/read, ReadsPerMinute = 300)",
	      "25 of 300 read units");
	check(refusal(429, "RESOURCE_EXHAUSTED", "m", ""), ERROR_NETWORK,
	      "project my-project is used up (429)", "wait a minute");
}

static void test_projects(void **state)
{
	(void)state;
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("BILLING_DISABLED", CONSUMER)),
	      ERROR_AUTH, "billing is off", "linkedaccount?project=123456789");
	check(refusal(400, "INVALID_ARGUMENT", "m",
		      INFO("CONSUMER_INVALID", "")),
	      ERROR_NOT_FOUND, "project my-project does not exist",
	      "gcloud projects list");
	check(refusal(403, "PERMISSION_DENIED", "m",
		      INFO("SECURITY_POLICY_VIOLATED", "\"uid\": \"a1\"")),
	      ERROR_AUTH, "VPC Service Controls", "perimeter");
}

static void test_requests(void **state)
{
	(void)state;
	check(refusal(400, "INVALID_ARGUMENT", "Invalid page token.", ""),
	      ERROR_NETWORK, "no longer knows its page", "run it again");
	check(refusal(400, "INVALID_ARGUMENT", "bad filter", ""),
	      ERROR_INTERNAL, "refused (400 INVALID_ARGUMENT: bad filter)",
	      "Cloud Trace");
	check(refusal(404, "NOT_FOUND", "Requested entity was not found.", ""),
	      ERROR_NOT_FOUND, "project my-project", "not found");
	check(refusal(503, "UNAVAILABLE", "m", ""), ERROR_NETWORK,
	      "not available (503 UNAVAILABLE: m)", "later");
}

/* What is shown as part of a command has to be harmless there. */
static void test_hostile_details(void **state)
{
	struct http_response r = refusal(
		403, "PERMISSION_DENIED", "two\\nlines \\u001b[31m",
		INFO("SERVICE_DISABLED",
		     "\"consumer\": \"projects/x; rm -rf ~\", "
		     "\"permission\": \"a b\", \"quota_metric\": \"$(id)\""));
	struct google_refusal f;

	(void)state;
	google_refusal_read(&r, &f);
	assert_int_equal(f.trouble, GOOGLE_DISABLED);
	assert_string_equal(f.consumer, "");
	assert_string_equal(f.permission, "");
	assert_string_equal(f.metric, "");
	assert_string_equal(f.message, "two lines  [31m");
	check(r, ERROR_AUTH, "--project my-project", "off in project");
}

static void test_what_is_none_of_googles(void **state)
{
	static const char *const bodies[] = {
		"",
		"<html>404</html>",
		"{\"error\": \"text\"}",
		"{\"error\": {}}",
		"{\"error\": {\"code\": 403, \"message\": \"cut",
		"{\"error\": [[1, {}], 2]}",
		"{\"message\": \"x\"}",
		"[{\"error\": {\"message\": \"x\"}}]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct http_response r =
			answer_make(403, "text/html", bodies[i]);
		struct google_refusal f;

		google_refusal_read(&r, &f);
		assert_int_equal(f.trouble, GOOGLE_NONE);
		check(r, ERROR_AUTH, "h.example", "Cloud Trace");
	}
}

static void test_details_of_other_shapes(void **state)
{
	static const char *const details[] = {
		"1",
		"null, [[]], \"x\"",
		"{\"reason\": 5, \"metadata\": [1]}",
		"{\"metadata\": {\"consumer\": {\"a\": 1}}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(details); i++)
		check(refusal(403, "PERMISSION_DENIED", "m", details[i]),
		      ERROR_AUTH, "roles/cloudtrace.user", "my-project");
}

UNIT_TESTS(google_error)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_api_is_off),
		cmocka_unit_test(test_a_user_without_a_quota_project),
		cmocka_unit_test(test_a_role_is_missing),
		cmocka_unit_test(test_logins),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_projects),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_hostile_details),
		cmocka_unit_test(test_what_is_none_of_googles),
		cmocka_unit_test(test_details_of_other_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
