/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google/google_token.h"

#include <stdio.h>
#include <stdlib.h>

#include "../wire/support.h"

#define SECRET "hunter2-hunter2"

static struct google_credential credential;

static void assert_read(const char *json)
{
	struct error err;

	if (!google_credential_read(&credential, str_from(json), "K", &err))
		fail_msg("%s", err.message);
}

static void assert_refused(const char *json, const char *message)
{
	struct error err;

	assert_false(
		google_credential_read(&credential, str_from(json), "K", &err));
	google_credential_release(&credential);
	assert_int_equal(err.code, ERROR_AUTH);
	assert_contains(err.message, "Google credentials of K: ");
	assert_contains(err.message, message);
	assert_lacks(err.message, "hunter2");
}

static void assert_field(enum google_field field, const char *wanted)
{
	assert_string_equal(credential.fields[field], wanted);
}

#define ACCOUNT                                                                \
	"\"type\":\"service_account\",\"client_email\":\"a@p.example\","       \
	"\"private_key\":\"" SECRET "\\nline\\n\""

static void test_service_account(void **state)
{
	(void)state;
	assert_read("{" ACCOUNT ",\"private_key_id\":\"k1\","
		    "\"token_uri\":\"https://t.example/token\","
		    "\"auth_uri\":\"x\",\"project_id\":\"p\","
		    "\"quota_project_id\":null}");
	assert_int_equal(credential.kind, GOOGLE_SERVICE_ACCOUNT);
	assert_field(CREDENTIAL_CLIENT_EMAIL, "a@p.example");
	assert_field(CREDENTIAL_PRIVATE_KEY, SECRET "\nline\n");
	assert_field(CREDENTIAL_PRIVATE_KEY_ID, "k1");
	assert_null(credential.fields[CREDENTIAL_QUOTA_PROJECT]);
	assert_string_equal(google_credential_universe(&credential),
			    "googleapis.com");
	google_credential_release(&credential);
	assert_read("{" ACCOUNT ",\"universe_domain\":\"cloud.example\"}");
	assert_string_equal(google_credential_universe(&credential),
			    "cloud.example");
	google_credential_release(&credential);

	assert_refused("{\"type\":\"service_account\",\"private_key\":"
		       "\"" SECRET "\"}",
		       "\"client_email\" is missing or empty");
	assert_refused("{\"type\":\"service_account\",\"client_email\":\"a\","
		       "\"private_key\":\"\"}",
		       "\"private_key\" is missing or empty");
	assert_refused("{" ACCOUNT ",\"token_uri\":\"http://t.example/\"}",
		       "\"token_uri\" is no address of https");
	assert_refused("{" ACCOUNT ",\"token_uri\":\"https://a:b@t/\"}",
		       "\"token_uri\" is no address of https");
	assert_refused("{" ACCOUNT ",\"private_key_id\":\"a\\nb\"}",
		       "\"private_key_id\" holds control characters");
	assert_refused("{\"private_key\":\"a\\u0000b\"}",
		       "\"private_key\" holds control characters");
	assert_refused("{" ACCOUNT ",\"private_key\":\"b\"}",
		       "a member stands there twice");
}

#define USER                                                                   \
	"{\"type\":\"authorized_user\",\"client_id\":\"c\","                   \
	"\"client_secret\":\"" SECRET "\",\"refresh_token\":\"1//r\""

static void test_user(void **state)
{
	(void)state;
	assert_read(USER ",\"quota_project_id\":\"q\"}");
	assert_int_equal(credential.kind, GOOGLE_USER);
	assert_field(CREDENTIAL_QUOTA_PROJECT, "q");
	google_credential_release(&credential);
	assert_refused("{\"type\":\"authorized_user\",\"client_id\":\"c\","
		       "\"client_secret\":\"" SECRET "\"}",
		       "\"refresh_token\" is missing or empty");
	assert_refused("{\"type\":\"external_account_authorized_user\","
		       "\"client_id\":\"c\",\"client_secret\":\"" SECRET
		       "\",\"refresh_token\":\"r\"}",
		       "\"token_url\" is missing or empty");
	assert_refused("{\"type\":\"authorized_user\",\"client_id\":7}",
		       "\"client_id\" is no text");
}

#define EXTERNAL                                                               \
	"\"type\":\"external_account\",\"audience\":\"//iam/x\","              \
	"\"subject_token_type\":\"urn:x\","                                    \
	"\"token_url\":\"https://sts.example/v1/token\""

static void assert_source(const char *source, const char *message)
{
	char json[2400];

	snprintf(json, sizeof json, "{" EXTERNAL ",\"credential_source\":%s}",
		 source);
	if (message)
		assert_refused(json, message);
	else
		assert_read(json);
}

static void test_external(void **state)
{
	(void)state;
	assert_source("{\"file\":\"/f\"}", NULL);
	assert_int_equal(credential.kind, GOOGLE_EXTERNAL);
	assert_field(CREDENTIAL_SUBJECT_FILE, "/f");
	google_credential_release(&credential);
	assert_source("{\"url\":\"http://169.254.169.254/m\",\"headers\":"
		      "{\"Metadata\":\"True\",\"X-Key\":\"" SECRET "\"},"
		      "\"format\":{\"type\":\"json\","
		      "\"subject_token_field_name\":\"id\"}}",
		      NULL);
	assert_int_equal(credential.header_count, 2);
	assert_string_equal(credential.headers[0], "Metadata: True");
	assert_string_equal(credential.headers[1], "X-Key: " SECRET);
	assert_field(CREDENTIAL_FORMAT_FIELD, "id");
	google_credential_release(&credential);

	assert_source("{}", "needs a \"file\" or a \"url\"");
	assert_source("{\"file\":\"f\",\"url\":\"https://x/\"}",
		      "needs a \"file\" or a \"url\"");
	assert_source("[]", "\"credential_source\" is no object");
	assert_source("{\"environment_id\":\"aws1\",\"url\":\"http://x/\"}",
		      "credentials of AWS are not supported");
	assert_source("{\"executable\":{\"command\":\"" SECRET "\"}}",
		      "the program in \"credential_source\" is not run");
	assert_source("{\"certificate\":{}}", "a certificate");
	assert_source("{\"url\":\"http://x.example/\"}",
		      "\"url\" is no address of https");
	assert_source("{\"file\":\"f\",\"format\":{\"type\":\"xml\"}}",
		      "neither text nor json");
	assert_source("{\"file\":\"f\",\"format\":{\"type\":\"json\"}}",
		      "\"subject_token_field_name\" is missing");
	assert_source("{\"url\":\"https://x/\",\"headers\":{\"Host\":\"a\"}}",
		      "header Host cannot be set");
	assert_refused("{" EXTERNAL "}", "needs a \"file\" or a \"url\"");
}

#define ACT_URL                                                                \
	"\"service_account_impersonation_url\":\"https://iam.example/v1/"      \
	"projects/-/serviceAccounts/b@p.example:generateAccessToken\""
#define ACTING "\"type\":\"impersonated_service_account\"," ACT_URL

static void test_impersonated(void **state)
{
	(void)state;
	assert_read("{" ACTING ",\"delegates\":[\"d1\",\"d2\"],"
		    "\"source_credentials\":{" ACCOUNT "},"
		    "\"service_account_impersonation\":"
		    "{\"token_lifetime_seconds\":600}}");
	assert_int_equal(credential.kind, GOOGLE_IMPERSONATED);
	assert_int_equal(credential.delegate_count, 2);
	assert_string_equal(credential.delegates[1], "d2");
	assert_int_equal(credential.lifetime_s, 600);
	assert_int_equal(credential.source->kind, GOOGLE_SERVICE_ACCOUNT);
	google_credential_release(&credential);

	assert_refused("{" ACTING "}", "\"source_credentials\" is missing");
	assert_refused("{" ACTING ",\"source_credentials\":{\"type\":"
		       "\"authorized_user\"}}",
		       "\"source_credentials\": \"client_id\" is missing");
	assert_refused("{" ACTING ",\"source_credentials\":{" ACTING "}}",
		       "are impersonated themselves");
	assert_refused("{\"type\":\"impersonated_service_account\"}",
		       "\"service_account_impersonation_url\" is missing");
}

/* A list of n names. */
static void write_delegates(char *json, size_t size, unsigned n, int lifetime)
{
	size_t len = (size_t)snprintf(
		json, size,
		"{" ACTING ",\"service_account_"
		"impersonation\":{\"token_lifetime_"
		"seconds\":%d},\"source_credentials\":{" ACCOUNT
		"},\"delegates\":[\"d\"",
		lifetime);

	while (--n)
		len += (size_t)snprintf(json + len, size - len, ",\"d\"");
	snprintf(json + len, size - len, "]}");
}

static void test_limits(void **state)
{
	char json[2000];

	(void)state;
	write_delegates(json, sizeof json, LIMIT_GOOGLE_DELEGATES,
			LIMIT_GOOGLE_LIFETIME_S);
	assert_read(json);
	google_credential_release(&credential);
	write_delegates(json, sizeof json, LIMIT_GOOGLE_DELEGATES + 1, 1);
	assert_refused(json, "more than 16 \"delegates\"");
	write_delegates(json, sizeof json, 1, LIMIT_GOOGLE_LIFETIME_S + 1);
	assert_refused(json, "is not within 0 and 43200");
}

static void test_headers_limit(void **state)
{
	char json[2000];
	size_t len;

	(void)state;
	for (unsigned n = LIMIT_GOOGLE_HEADERS; n <= LIMIT_GOOGLE_HEADERS + 1;
	     n++) {
		len = (size_t)snprintf(json, sizeof json,
				       "{\"url\":\"https://x/\",\"headers\":{");
		for (unsigned i = 0; i < n; i++)
			len += (size_t)snprintf(json + len, sizeof json - len,
						"%s\"H%u\":\"v\"", i ? "," : "",
						i);
		snprintf(json + len, sizeof json - len, "}}");
		assert_source(json, n > LIMIT_GOOGLE_HEADERS
					    ? "more than 16 \"headers\""
					    : NULL);
		google_credential_release(&credential);
	}
}

static void test_others(void **state)
{
	(void)state;
	assert_refused("", "the JSON text ends too early");
	assert_refused("hunter2", "it is not valid JSON");
	assert_refused("[]", "it is no JSON object");
	assert_refused("{}", "\"type\" is missing");
	assert_refused("{\"type\":\"gdch_service_account\"}",
		       "credentials of type \"gdch_service_account\" are not");
	assert_refused("{\"installed\":{\"client_id\":\"c\"}}",
		       "it is an OAuth client");
	assert_refused(USER "} {}", "more stands behind it");
	assert_refused(USER, "the JSON text ends too early");
}

static void test_file(void **state)
{
	static const char whole[] = USER "}";
	const char *path = temp_path("credential.json");
	struct error err;

	(void)state;
	temp_write(path, whole, sizeof whole - 1);
	assert_true(google_credential_load(&credential, path, &err));
	google_credential_release(&credential);
	assert_false(google_credential_load(&credential, "/nowhere/k", &err));
	assert_int_equal(err.code, ERROR_AUTH);
	assert_string_equal(err.message,
			    "Google credentials: /nowhere/k: no such file");
}

static void test_urls(void **state)
{
	(void)state;
	assert_true(google_url_is_safe("https://oauth2.googleapis.com/token"));
	assert_true(google_url_is_safe("http://127.0.0.1:8080/token"));
	assert_true(google_url_is_safe("http://localhost/token"));
	assert_false(google_url_is_safe("http://oauth2.googleapis.com/token"));
	assert_false(google_url_is_safe("http://127.0.0.1.example/token"));
	assert_false(google_url_is_safe("http://169.254.169.254/token"));
	assert_false(google_url_is_safe("ftp://localhost/"));
	assert_true(google_url_is_metadata("http://169.254.169.254/x"));
	assert_true(google_url_is_metadata("http://Metadata.google.internal"));
	assert_true(google_url_is_metadata("http://[fd20:ce::254]:80/"));
	assert_false(google_url_is_metadata("http://169.254.169.253/x"));
	assert_false(google_url_is_metadata("http://metadata.example"));
}

UNIT_TESTS(google_credential)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_service_account),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_external),
		cmocka_unit_test(test_impersonated),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_headers_limit),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
