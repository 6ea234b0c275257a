/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google/google_token.h"

#include <stdio.h>

#include "../starving.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "../wire/support.h"

#ifdef HAVE_LIBCRYPTO
#include "rsa_key.h"
#endif

/* 2026-11-21T12:00:00Z */
#define NOW_NS (INT64_C(1795262400) * NS_PER_S)
#define NOW_DATE "Sat, 21 Nov 2026 12:00:00 GMT"

#define SCOPES_CODED                                                           \
	"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Ftrace.readonly%20"          \
	"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fmonitoring"
#define SCOPE_ALL_CODED                                                        \
	"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform"

static struct google_credential credential;
static struct google_flow flow;
static struct error err;

static void begin(const char *json)
{
	if (!google_credential_read(&credential, str_from(json), "K", &err))
		fail_msg("%s", err.message);
	google_flow_init(&flow, &credential, GOOGLE_METADATA_URL);
}

static void end(void)
{
	google_flow_release(&flow);
	google_credential_release(&credential);
}

static void assert_request(const char *method, const char *origin,
			   const char *path, const char *body)
{
	bool is_done = true;

	if (!google_flow_next(&flow, NOW_NS, &is_done, &err))
		fail_msg("%s", err.message);
	assert_false(is_done);
	assert_string_equal(flow.request.method, method);
	assert_string_equal(flow.request.endpoint->url, origin);
	assert_string_equal(flow.request.path, path);
	if (body)
		assert_string_equal(buf_text(&flow.request.body), body);
}

static void answer(const char *json)
{
	struct http_response r = answer_make(200, "application/json", json);

	if (!google_flow_take(&flow, &r, NOW_NS, &err))
		fail_msg("%s", err.message);
	/* It held a secret. */
	for (size_t i = 0; i < r.body.len; i++)
		assert_int_equal(r.body.data[i], 0);
	http_response_release(&r);
}

static void refuse(int status, const char *date, const char *body,
		   const char *message)
{
	struct http_response r = answer_make(status, "application/json", body);

	snprintf(r.server_date, sizeof r.server_date, "%s", date);
	assert_false(google_flow_take(&flow, &r, NOW_NS, &err));
	assert_string_equal(err.message, message);
	http_response_release(&r);
}

static void assert_token(const char *token, int64_t lifetime_s)
{
	bool is_done = false;

	assert_true(google_flow_next(&flow, NOW_NS, &is_done, &err));
	assert_true(is_done);
	assert_string_equal(flow.token, token);
	assert_int_equal((flow.expires_ns - NOW_NS) / NS_PER_S, lifetime_s);
}

/* ---- a user's login ---- */

#define USER_MEMBERS                                                           \
	"\"type\":\"authorized_user\",\"client_id\":\"c.apps\","               \
	"\"client_secret\":\"se/cret\",\"refresh_token\":\"1//refresh\""
#define USER "{" USER_MEMBERS "}"
#define USER_BODY                                                              \
	"grant_type=refresh_token&client_id=c.apps&client_secret=se%2Fcret&"   \
	"refresh_token=1%2F%2Frefresh"

static void test_user(void **state)
{
	(void)state;
	begin(USER);
	assert_request("POST", "https://oauth2.googleapis.com", "/token",
		       USER_BODY);
	assert_string_equal(flow.request.content_type,
			    "application/x-www-form-urlencoded");
	assert_null(flow.endpoint.token);
	answer("{\"access_token\":\"ya29.a\",\"expires_in\":1799,"
	       "\"scope\":\"x\",\"token_type\":\"Bearer\"}");
	assert_token("ya29.a", 1799);
	end();
	begin("{" USER_MEMBERS ",\"token_uri\":\"http://127.0.0.1:8/t?a\"}");
	assert_request("POST", "http://127.0.0.1:8", "/t?a", USER_BODY);
	/* No end: an hour; a number may be written as text. */
	answer("{\"access_token\":\"t\"}");
	assert_token("t", 3600);
	end();
}

/* Through another identity provider: the client in a header. */
static void test_workforce(void **state)
{
	(void)state;
	begin("{\"type\":\"external_account_authorized_user\",\"audience\":"
	      "\"//iam/pool\",\"client_id\":\"c\",\"client_secret\":\"s\","
	      "\"refresh_token\":\"r/1\",\"token_url\":"
	      "\"https://sts.googleapis.com/v1/oauthtoken\"}");
	assert_request("POST", "https://sts.googleapis.com", "/v1/oauthtoken",
		       "grant_type=refresh_token&refresh_token=r%2F1");
	assert_string_equal(flow.endpoint.username, "c");
	assert_string_equal(flow.endpoint.password, "s");
	answer("{\"access_token\":\"ya29.w\",\"expires_in\":3599,"
	       "\"refresh_token\":\"r/2\"}");
	assert_token("ya29.w", 3599);
	end();
}

static void refuse_user(int status, const char *date, const char *body,
			const char *message)
{
	begin(USER);
	assert_request("POST", "https://oauth2.googleapis.com", "/token",
		       USER_BODY);
	refuse(status, date, body, message);
	end();
}

static void test_user_refused(void **state)
{
	(void)state;
	refuse_user(400, NOW_DATE,
		    "{\"error\":\"invalid_grant\",\"error_description\":"
		    "\"Token has been expired or revoked.\"}",
		    "the login has expired or was revoked (invalid_grant: "
		    "Token has been expired or revoked.): log in again with "
		    "gcloud auth application-default login");
	assert_int_equal(err.code, ERROR_AUTH);
	refuse_user(401, "",
		    "{\"error\":\"deleted_client\",\"error_description\":"
		    "\"The OAuth client was deleted.\"}",
		    "the login is not accepted (deleted_client: The OAuth "
		    "client was deleted.): log in again with gcloud auth "
		    "application-default login");
	refuse_user(503, "", "<html>",
		    "oauth2.googleapis.com, which issues the token, is not "
		    "available (503): try again later");
	assert_int_equal(err.code, ERROR_NETWORK);
	refuse_user(302, "", "",
		    "oauth2.googleapis.com, which issues the token, answers "
		    "302 with a redirect; secrets are not sent elsewhere");
	/* What it was sent is not repeated. */
	refuse_user(400, "",
		    "{\"error\":\"invalid_grant\",\"error_description\":"
		    "\"Bad token 1//refresh of se/cret\"}",
		    "the login has expired or was revoked (invalid_grant: "
		    "Bad token ********** of *******): log in again with "
		    "gcloud auth application-default login");
}

static void fail_answer(const char *body, const char *message)
{
	struct http_response r = answer_make(200, "application/json", body);

	begin(USER);
	assert_request("POST", "https://oauth2.googleapis.com", "/token",
		       USER_BODY);
	assert_false(google_flow_take(&flow, &r, NOW_NS, &err));
	assert_contains(err.message, message);
	assert_lacks(err.message, "hunter2");
	http_response_release(&r);
	end();
}

static void test_malformed_answers(void **state)
{
	(void)state;
	fail_answer("", "the answer of oauth2.googleapis.com: ");
	fail_answer("<html>", "the answer of oauth2.googleapis.com: ");
	fail_answer("{}", "answers, but with no access token");
	fail_answer("{\"access_token\":7}", "with no access token");
	fail_answer("{\"access_token\":\"hunter2\\r\\nX: y\"}",
		    "with no access token");
	fail_answer("{\"access_token\":\"hunter2\",\"expires_in\":\"soon\"}",
		    "the answer of oauth2.googleapis.com: ");
	fail_answer("{\"accessToken\":\"hunter2\",\"expireTime\":\"soon\"}",
		    "its end is no time");
}

static void test_clock(void **state)
{
	(void)state;
	/* 61 s, then 60 s. */
	refuse_user(400, "Sat, 21 Nov 2026 11:58:59 GMT",
		    "{\"error\":\"invalid_grant\"}",
		    "the login has expired or was revoked (invalid_grant): log "
		    "in again with gcloud auth application-default login. This "
		    "machine's clock is 1 m 1 s ahead of the server's: set it "
		    "right first");
	refuse_user(400, "Sat, 21 Nov 2026 11:59:00 GMT",
		    "{\"error\":\"invalid_grant\"}",
		    "the login has expired or was revoked (invalid_grant): log "
		    "in again with gcloud auth application-default login");
	refuse_user(400, "Sat, 21 Nov 2026 12:10:00 GMT",
		    "{\"error\":\"invalid_grant\"}",
		    "the login has expired or was revoked (invalid_grant): log "
		    "in again with gcloud auth application-default login. This "
		    "machine's clock is 10 m behind the server's: set it right "
		    "first");
}

static void test_network(void **state)
{
	struct http_response r = { .status = 0 };

	(void)state;
	begin(USER);
	assert_request("POST", "https://oauth2.googleapis.com", "/token",
		       USER_BODY);
	error_set(&r.err, ERROR_NETWORK,
		  "oauth2.googleapis.com refused the connection: is the server "
		  "running there? (--traces-url)");
	assert_false(google_flow_take(&flow, &r, NOW_NS, &err));
	assert_string_equal(err.message,
			    "oauth2.googleapis.com, which issues the token, "
			    "cannot be reached: refused the connection (check "
			    "network, proxy and firewall)");
	assert_int_equal(err.code, ERROR_NETWORK);
	end();
}

/* ---- the metadata server ---- */

static void test_instance(void **state)
{
	(void)state;
	google_flow_init(&flow, &credential, GOOGLE_METADATA_URL);
	assert_request("GET", "http://169.254.169.254",
		       "/computeMetadata/v1/instance/service-accounts/default/"
		       "token?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth"
		       "%2Ftrace.readonly,https%3A%2F%2Fwww.googleapis.com"
		       "%2Fauth%2Fmonitoring",
		       "");
	assert_int_equal(flow.endpoint.header_count, 1);
	assert_string_equal(flow.endpoint.headers[0],
			    "Metadata-Flavor: Google");
	answer("{\"access_token\":\"ya29.m\",\"expires_in\":\"120\"}");
	assert_token("ya29.m", 120);
	google_flow_release(&flow);
	google_flow_init(&flow, &credential, "http://localhost:1");
	assert_true(google_flow_next(&flow, NOW_NS, &(bool){ false }, &err));
	assert_string_equal(flow.endpoint.url, "http://localhost:1");
	refuse(404, "", "no account",
	       "this machine has no service account (404: no account): attach "
	       "one, or give credentials of your own (gcloud auth "
	       "application-default login)");
	google_flow_release(&flow);
}

/* ---- workload identity federation ---- */

#define EXTERNAL                                                               \
	"\"type\":\"external_account\",\"audience\":\"//iam/pool\","           \
	"\"subject_token_type\":\"urn:jwt\","                                  \
	"\"token_url\":\"https://sts.googleapis.com/v1/token\""
#define EXCHANGE                                                               \
	"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange" \
	"&audience=%2F%2Fiam%2Fpool&scope="
#define EXCHANGE_END                                                           \
	"&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3A"    \
	"access_token&subject_token_type=urn%3Ajwt&subject_token=foreign"
#define ACT_URL                                                                \
	"\"service_account_impersonation_url\":\"https://iam.example/v1/"      \
	"projects/-/serviceAccounts/b@p.example:generateAccessToken\""
#define ACT_PATH                                                               \
	"/v1/projects/-/serviceAccounts/b@p.example:generateAccessToken"
#define SCOPES_LISTED                                                          \
	"\"scope\":[\"https://www.googleapis.com/auth/trace.readonly\","       \
	"\"https://www.googleapis.com/auth/monitoring\"]"

static void begin_file(const char *content, const char *format,
		       const char *more)
{
	const char *path = temp_path("subject");
	char json[2000];

	temp_write(path, content, strlen(content));
	snprintf(json, sizeof json,
		 "{" EXTERNAL ",\"credential_source\":{\"file\":\"%s\"%s}%s}",
		 path, format, more);
	begin(json);
}

static void test_external_file(void **state)
{
	(void)state;
	begin_file(" foreign\r\n", "", "");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPES_CODED EXCHANGE_END);
	assert_null(flow.endpoint.username);
	answer("{\"access_token\":\"ya29.f\",\"expires_in\":3599,"
	       "\"issued_token_type\":\"x\"}");
	assert_token("ya29.f", 3599);
	end();
	/* A client of its own; a project whose quota is used. */
	begin_file("{\"a\":{\"t\":1},\"t\":\"foreign\"}",
		   ",\"format\":{\"type\":\"json\","
		   "\"subject_token_field_name\":\"t\"}",
		   ",\"client_id\":\"c\",\"client_secret\":\"s\","
		   "\"workforce_pool_user_project\":\"p\"");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPES_CODED EXCHANGE_END);
	assert_string_equal(flow.endpoint.username, "c");
	assert_string_equal(flow.endpoint.password, "s");
	end();
	begin_file("foreign", "", ",\"workforce_pool_user_project\":\"p\"");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPES_CODED EXCHANGE_END
		       "&options=%7B%22userProject%22%3A%22p%22%7D");
	end();
}

static void fail_file(const char *content, const char *format,
		      const char *message)
{
	bool is_done;

	begin_file(content, format, "");
	assert_false(google_flow_next(&flow, NOW_NS, &is_done, &err));
	assert_int_equal(err.code, ERROR_AUTH);
	assert_contains(err.message, "the token of ");
	assert_contains(err.message, message);
	assert_lacks(err.message, "hunter2");
	end();
}

static void test_external_file_bad(void **state)
{
	static const char json[] = ",\"format\":{\"type\":\"json\","
				   "\"subject_token_field_name\":\"t\"}";

	(void)state;
	fail_file("", "", "it is empty or no single word");
	fail_file("hunter2 hunter2", "", "it is empty or no single word");
	fail_file("hunter2", json, "it is not valid JSON");
	fail_file("{\"u\":\"hunter2\"}", json, "no \"t\" of text in it");
	fail_file("{\"t\":7}", json, "no \"t\" of text in it");
	begin("{" EXTERNAL ",\"credential_source\":{\"file\":\"/no/f\"}}");
	assert_false(google_flow_next(&flow, NOW_NS, &(bool){ false }, &err));
	assert_int_equal(err.code, ERROR_AUTH);
	assert_contains(err.message, "/no/f: no such file");
	end();
}

static void test_external_url(void **state)
{
	(void)state;
	begin("{" EXTERNAL "," ACT_URL
	      ",\"service_account_impersonation\":{\"token_lifetime_seconds\":"
	      "900},\"credential_source\":{\"url\":\"https://h.example/id?x\","
	      "\"headers\":{\"A\":\"b\"}}}");
	assert_request("GET", "https://h.example", "/id?x", "");
	assert_int_equal(flow.endpoint.header_count, 1);
	assert_string_equal(flow.endpoint.headers[0], "A: b");
	answer("foreign\n");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPE_ALL_CODED EXCHANGE_END);
	assert_int_equal(flow.endpoint.header_count, 0);
	answer("{\"access_token\":\"federated\",\"expires_in\":3599}");
	assert_request("POST", "https://iam.example", ACT_PATH,
		       "{" SCOPES_LISTED ",\"lifetime\":\"900s\"}");
	assert_string_equal(flow.endpoint.token, "federated");
	answer("{\"accessToken\":\"ya29.x\","
	       "\"expireTime\":\"2026-11-21T12:15:00Z\"}");
	assert_token("ya29.x", 900);
	end();
}

static void test_external_refused(void **state)
{
	(void)state;
	begin("{" EXTERNAL
	      ",\"credential_source\":{\"url\":\"https://h.example/id\"}}");
	assert_request("GET", "https://h.example", "/id", "");
	refuse(403, "", "no\nmore", "h.example gives no token (403, 403: no)");
	end();
	begin("{" EXTERNAL ",\"credential_source\":{\"url\":"
	      "\"https://h.example/id?key=hunter2\"}}");
	assert_request("GET", "https://h.example", "/id?key=hunter2", "");
	answer("foreign");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPES_CODED EXCHANGE_END);
	refuse(400, NOW_DATE,
	       "{\"error\":\"invalid_grant\",\"error_description\":\"The "
	       "credential foreign is expired\"}",
	       "the token of https://h.example/id?key=[redacted] was not "
	       "exchanged "
	       "(invalid_grant: The credential ******* is expired): has it run "
	       "out, and do \"audience\" and the provider's conditions fit "
	       "it?");
	end();
}

/* ---- acting for an account ---- */

#define ACTING                                                                 \
	"{\"type\":\"impersonated_service_account\"," ACT_URL                  \
	",\"delegates\":[\"d@p\"],\"source_credentials\":"

static void begin_acting(void)
{
	begin(ACTING USER "}");
	assert_request("POST", "https://oauth2.googleapis.com", "/token",
		       USER_BODY);
	answer("{\"access_token\":\"user\",\"expires_in\":3599}");
	assert_request("POST", "https://iam.example", ACT_PATH,
		       "{\"delegates\":[\"d@p\"]," SCOPES_LISTED
		       ",\"lifetime\":\"3600s\"}");
	assert_string_equal(flow.endpoint.token, "user");
	assert_string_equal(flow.request.content_type, "application/json");
}

static void test_impersonated(void **state)
{
	(void)state;
	begin_acting();
	answer("{\"accessToken\":\"ya29.i\","
	       "\"expireTime\":\"2026-11-21T13:00:00Z\"}");
	assert_token("ya29.i", 3600);
	end();
	begin_acting();
	refuse(403, NOW_DATE,
	       "{\"error\":{\"code\":403,\"message\":\"Permission denied\","
	       "\"status\":\"PERMISSION_DENIED\"}}",
	       "not allowed to act for b@p.example (PERMISSION_DENIED: "
	       "Permission denied): it takes the role "
	       "roles/iam.serviceAccountTokenCreator on it");
	end();
	begin_acting();
	refuse(403, "",
	       "{\"error\":{\"message\":\"IAM Service Account Credentials API "
	       "has not been used in project 7 before\"}}",
	       "cannot act for b@p.example: the API is off (403: IAM Service "
	       "Account Credentials API has not been used in project 7 "
	       "before): gcloud services enable iamcredentials.googleapis.com");
	end();
	begin_acting();
	refuse(404, "", "{\"error\":{\"message\":\"Gaia id not found\"}}",
	       "there is no service account b@p.example to act for (404: Gaia "
	       "id not found)");
	end();
}

/* Two accounts after another: the source's own, then the outer one. */
static void test_impersonated_external(void **state)
{
	(void)state;
	begin(ACTING
	      "{" EXTERNAL
	      ",\"service_account_impersonation_url\":\"https://iam.example/a\""
	      ",\"credential_source\":{\"url\":\"https://h.example/id\"}}}");
	assert_request("GET", "https://h.example", "/id", "");
	answer("foreign");
	assert_request("POST", "https://sts.googleapis.com", "/v1/token",
		       EXCHANGE SCOPE_ALL_CODED EXCHANGE_END);
	answer("{\"access_token\":\"one\"}");
	assert_request("POST", "https://iam.example", "/a",
		       "{\"scope\":[\"" GOOGLE_SCOPE_ALL
		       "\"],\"lifetime\":\"3600s\"}");
	assert_string_equal(flow.endpoint.token, "one");
	answer("{\"accessToken\":\"two\"}");
	assert_request("POST", "https://iam.example", ACT_PATH, NULL);
	assert_string_equal(flow.endpoint.token, "two");
	answer("{\"accessToken\":\"three\"}");
	assert_token("three", 3600);
	end();
}

/* All the way of test_external_url(), as far as memory reaches. */
static bool walk_chain(struct http_response *answers)
{
	static const char json[] =
		"{" EXTERNAL "," ACT_URL
		",\"workforce_pool_user_project\":\"p\","
		"\"credential_source\":{\"url\":\"https://h.example/id?key=k\","
		"\"headers\":{\"A\":\"b\"},\"format\":{\"type\":\"json\","
		"\"subject_token_field_name\":\"t\"}}}";
	bool is_done = false, is_ok;
	size_t i = 0;

	is_ok = google_credential_read(&credential, str_from(json), "K", &err);
	google_flow_init(&flow, &credential, GOOGLE_METADATA_URL);
	while (is_ok) {
		is_ok = google_flow_next(&flow, NOW_NS, &is_done, &err);
		if (!is_ok || is_done)
			break;
		is_ok = google_flow_take(&flow, &answers[i++], NOW_NS, &err);
	}
	google_flow_release(&flow);
	google_credential_release(&credential);
	return is_ok;
}

static void test_no_memory(void **state)
{
	long count = 0;
	bool is_ok;

	(void)state;
	do {
		struct http_response answers[] = {
			answer_make(200, "", "{\"t\":\"foreign\"}"),
			answer_make(200, "", "{\"access_token\":\"one\"}"),
			answer_make(200, "", "{\"accessToken\":\"two\"}"),
		};

		starve_once_after(count++);
		is_ok = walk_chain(answers);
		if (stop_starving() && is_ok)
			fail_msg("allocation %ld is not checked", count);
		if (!is_ok)
			assert_int_equal(err.code, ERROR_MEMORY);
		for (size_t i = 0; i < COUNT(answers); i++)
			http_response_release(&answers[i]);
	} while (!is_ok && count < 1000);
	assert_true(is_ok);
	assert_true(count > 30);
}

/* ---- service accounts ---- */

#ifdef HAVE_LIBCRYPTO

static void begin_account(const char *more)
{
	struct buf json;

	buf_init(&json, 16 * KIB);
	buf_addf(
		&json,
		"{\"type\":\"service_account\",\"client_email\":\"a@p.example\""
		",\"private_key_id\":\"k1\",%s\"private_key\":\"",
		more);
	for (const char *c = rsa_key_pem(); *c; c++)
		buf_addf(&json, *c == '\n' ? "\\n" : "%c", *c);
	buf_add_text(&json, "\"}");
	begin(buf_text(&json));
	buf_release(&json);
}

/* The claims of a token whose signature is right. */
static const char *claims_of(const char *jwt)
{
	static unsigned char plain[2048];
	struct str whole = str_from(jwt), head;
	size_t first = str_find(whole, STR(".")), last = whole.len, len;

	while (whole.ptr[last - 1] != '.')
		last--;
	head = str_slice(whole, 0, last - 1);
	assert_true(rsa_key_verifies(head, str_slice(whole, last, whole.len)));
	assert_true(base64_decode(str_slice(head, first + 1, head.len), plain,
				  sizeof plain - 1, &len));
	plain[len] = '\0';
	return (const char *)plain;
}

#define TOKEN_URI "\"token_uri\":\"http://127.0.0.1:9/token\","
#define ASSERTION                                                              \
	"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&"    \
	"assertion="

static void begin_asserting(void)
{
	begin_account(TOKEN_URI);
	assert_request("POST", "http://127.0.0.1:9", "/token", NULL);
}

static void test_service_account(void **state)
{
	const char *body;

	(void)state;
	begin_asserting();
	body = buf_text(&flow.request.body);
	assert_memory_equal(body, ASSERTION, sizeof ASSERTION - 1);
	/* Signed ten seconds ago, good for an hour. */
	assert_string_equal(
		claims_of(body + sizeof ASSERTION - 1),
		"{\"iss\":\"a@p.example\",\"scope\":\"" GOOGLE_SCOPES
		"\",\"aud\":\"http://127.0.0.1:9/token\",\"iat\":"
		"1795262390,\"exp\":1795265990}");
	answer("{\"access_token\":\"ya29.s\",\"expires_in\":3599}");
	assert_token("ya29.s", 3599);
	end();
}

static void assert_self_signed(const char *more)
{
	bool is_done = false;

	begin_account(more);
	assert_true(google_flow_next(&flow, NOW_NS, &is_done, &err));
	assert_true(is_done);
	assert_string_equal(claims_of(flow.token),
			    "{\"iss\":\"a@p.example\",\"sub\":\"a@p.example\""
			    ",\"scope\":\"" GOOGLE_SCOPES
			    "\",\"iat\":1795262390,\"exp\":1795265990}");
	assert_int_equal((flow.expires_ns - NOW_NS) / NS_PER_S, 3590);
	end();
}

static void test_self_signed(void **state)
{
	(void)state;
	assert_self_signed("");
	assert_self_signed(TOKEN_URI "\"universe_domain\":\"c.example\",");
}

static void refuse_account(const char *description, const char *message)
{
	char body[300];

	snprintf(body, sizeof body,
		 "{\"error\":\"invalid_grant\",\"error_description\":\"%s\"}",
		 description);
	begin_asserting();
	refuse(400, NOW_DATE, body, message);
	end();
}

static void test_service_account_refused(void **state)
{
	(void)state;
	refuse_account("Invalid JWT Signature.",
		       "the key of a@p.example is not known (invalid_grant: "
		       "Invalid JWT Signature.): it was deleted or replaced; "
		       "make another");
	refuse_account("Invalid grant: account not found",
		       "there is no service account a@p.example "
		       "(invalid_grant: Invalid grant: account not found): it "
		       "was deleted, or belongs to another cloud");
	refuse_account("The account has been disabled",
		       "the service account a@p.example is disabled "
		       "(invalid_grant: The account has been disabled): gcloud "
		       "iam service-accounts enable");
	refuse_account("Invalid JWT: iat",
		       "a@p.example is not let in (invalid_grant: Invalid JWT: "
		       "iat)");
}

#endif

UNIT_TESTS(google_token)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_workforce),
		cmocka_unit_test(test_user_refused),
		cmocka_unit_test(test_malformed_answers),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_external_file),
		cmocka_unit_test(test_external_file_bad),
		cmocka_unit_test(test_external_url),
		cmocka_unit_test(test_external_refused),
		cmocka_unit_test(test_impersonated),
		cmocka_unit_test(test_impersonated_external),
		cmocka_unit_test(test_no_memory),
#ifdef HAVE_LIBCRYPTO
		cmocka_unit_test(test_service_account),
		cmocka_unit_test(test_self_signed),
		cmocka_unit_test(test_service_account_refused),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
