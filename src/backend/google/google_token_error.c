/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token_error.h"

#include <stdio.h>
#include <string.h>

#include "backend/answer.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "wire/http_error.h"
#include "wire/http_retry.h"

/* Google takes signed claims some minutes off; a minute is no accident. */
#define SKEW_NS NS_PER_MIN

#define LOGIN "gcloud auth application-default login"

/* RFC 6749, 5.2: {"error":"invalid_grant","error_description":".."}; APIs:
 * {"error":{"code":403,"message":"..","status":"PERMISSION_DENIED"}}. */
struct complaint {
	char code[48];
	char text[240];
	char shown[300]; /* both, or the status */
};

static void take_error(struct json_reader *r, struct complaint *c)
{
	struct str key;

	if (json_peek(r) == JSON_STRING) {
		line_read(r, c->code, sizeof c->code);
		return;
	}
	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("status")))
			line_read(r, c->code, sizeof c->code);
		else if (str_equal(key, STR("message")))
			line_read(r, c->text, sizeof c->text);
		else
			json_skip(r);
	}
}

static void read_json(struct str body, struct complaint *c)
{
	struct error ignored;
	struct json_reader *r = json_new(body, &ignored);
	struct str key;

	if (!r)
		return;
	if (json_enter(r, JSON_OBJECT))
		while (json_next_key(r, &key)) {
			if (str_equal(key, STR("error")))
				take_error(r, c);
			else if (str_equal(key, STR("error_description")))
				line_read(r, c->text, sizeof c->text);
			else
				json_skip(r);
		}
	json_free(r);
}

static void complaint_read(const struct http_response *response,
			   struct complaint *c)
{
	struct str body = str_trim(buf_str(&response->body));

	*c = (struct complaint){ .code = "" };
	if (str_starts(body, STR("{")))
		read_json(body, c);
	else if (!str_starts(body, STR("<")))
		line_copy(c->text, sizeof c->text,
			  str_slice(body, 0, str_find(body, STR("\n"))));
	if (!c->code[0])
		snprintf(c->code, sizeof c->code, "%d", response->status);
	snprintf(c->shown, sizeof c->shown, "%s%s%s", c->code,
		 c->text[0] ? ": " : "", c->text);
}

static bool says(const struct complaint *c, const char *word)
{
	return str_find(str_from(c->text), str_from(word)) != SIZE_MAX;
}

/* ---- words, by what was asked ---- */

static void fail_login(const struct complaint *c, struct error *err)
{
	if (!strcmp(c->code, "invalid_grant"))
		error_set(err, ERROR_AUTH,
			  "the login has expired or was revoked (%s): log in "
			  "again with " LOGIN,
			  c->shown);
	else
		error_set(err, ERROR_AUTH,
			  "the login is not accepted (%s): log in again "
			  "with " LOGIN,
			  c->shown);
}

static void fail_key(const struct google_flow *f, const struct complaint *c,
		     struct error *err)
{
	const char *name = google_flow_base(f)->fields[CREDENTIAL_CLIENT_EMAIL];

	if (says(c, "disabled"))
		error_set(err, ERROR_AUTH,
			  "the service account %.100s is disabled (%s): gcloud "
			  "iam service-accounts enable",
			  name, c->shown);
	else if (says(c, "not found"))
		error_set(err, ERROR_AUTH,
			  "there is no service account %.100s (%s): it was "
			  "deleted, or belongs to another cloud",
			  name, c->shown);
	else if (says(c, "ignature"))
		error_set(err, ERROR_AUTH,
			  "the key of %.100s is not known (%s): it was "
			  "deleted or replaced; make another",
			  name, c->shown);
	else
		error_set(err, ERROR_AUTH, "%.100s is not let in (%s)", name,
			  c->shown);
}

static void fail_exchange(const struct google_flow *f,
			  const struct complaint *c, struct error *err)
{
	struct buf place;

	buf_init(&place, LIMIT_SECRET_FILE_BYTES * 4);
	google_flow_place(f, &place);
	error_set(err, ERROR_AUTH,
		  "the token of %.150s was not exchanged (%s): has it run out, "
		  "and do \"audience\" and the provider's conditions fit it?",
		  buf_text(&place), c->shown);
	buf_release(&place);
}

/* .../serviceAccounts/NAME:generateAccessToken */
static struct str account_of(const char *url)
{
	static const struct str front = { "/serviceAccounts/", 17 };
	struct str whole = str_from(url);
	size_t at = str_find(whole, front);

	if (at == SIZE_MAX)
		return STR("the account");
	whole = str_slice(whole, at + front.len, 100);
	return str_slice(whole, 0, str_find(whole, STR(":")));
}

static void fail_act(const struct google_credential *c,
		     const struct complaint *said, int status,
		     struct error *err)
{
	struct str name = account_of(c->fields[CREDENTIAL_IMPERSONATION_URL]);

	if (says(said, "has not been used") || says(said, "is disabled"))
		error_set(err, ERROR_AUTH,
			  "cannot act for %.*s: the API is off (%s): gcloud "
			  "services enable iamcredentials.googleapis.com",
			  STR_ARGS(name), said->shown);
	else if (status == 403)
		error_set(err, ERROR_AUTH,
			  "not allowed to act for %.*s (%s): it takes the role "
			  "roles/iam.serviceAccountTokenCreator on it",
			  STR_ARGS(name), said->shown);
	else if (status == 404)
		error_set(err, ERROR_AUTH,
			  "there is no service account %.*s to act for (%s)",
			  STR_ARGS(name), said->shown);
	else
		error_set(err, ERROR_AUTH, "cannot act for %.*s (%s)",
			  STR_ARGS(name), said->shown);
}

static void fail_instance(const struct complaint *c, int status,
			  struct error *err)
{
	if (status == 404)
		error_set(err, ERROR_AUTH,
			  "this machine has no service account (%s): attach "
			  "one, or give credentials of your own (" LOGIN ")",
			  c->shown);
	else
		error_set(err, ERROR_AUTH,
			  "the metadata server gives no token (%s): may this "
			  "machine's service account have these scopes?",
			  c->shown);
}

static void fail_refused(const struct google_flow *f,
			 const struct http_response *response,
			 struct error *err)
{
	struct str host = url_authority(f->origin);
	struct complaint c;

	complaint_read(response, &c);
	switch (google_flow_step(f)) {
	case GOOGLE_STEP_REFRESH:
		fail_login(&c, err);
		break;
	case GOOGLE_STEP_ASSERT:
		fail_key(f, &c, err);
		break;
	case GOOGLE_STEP_EXCHANGE:
		fail_exchange(f, &c, err);
		break;
	case GOOGLE_STEP_ACT:
		fail_act(google_flow_base(f), &c, response->status, err);
		break;
	case GOOGLE_STEP_ACT_LAST:
		fail_act(f->credential, &c, response->status, err);
		break;
	case GOOGLE_STEP_INSTANCE:
		fail_instance(&c, response->status, err);
		break;
	default:
		error_set(err, ERROR_AUTH, "%.*s gives no token (%d, %s)",
			  STR_ARGS(host), response->status, c.shown);
		break;
	}
}

/* What is said of servers of traces names options that do not lead here. */
static void fail_network(const struct google_flow *f, const struct error *why,
			 struct error *err)
{
	static const char *const words[] = {
		WIRE_SAYS_REFUSED,        WIRE_SAYS_NO_HOST,
		WIRE_SAYS_NO_PROXY,       WIRE_SAYS_NO_CONNECT,
		WIRE_SAYS_CANNOT_CONNECT, WIRE_SAYS_UNTRUSTED,
		WIRE_SAYS_OTHER_NAME,     WIRE_SAYS_OUT_OF_DATE,
		WIRE_SAYS_NO_TLS,         WIRE_SAYS_SILENT,
		WIRE_SAYS_TIMED_OUT,      WIRE_SAYS_CLOSED,
		WIRE_SAYS_CLOSED_TLS,     WIRE_SAYS_NOT_HTTP,
	};
	struct str host = url_authority(f->origin);
	struct str said = str_from(why->message);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_find(said, str_from(words[i])) != SIZE_MAX) {
			error_set(err, why->code,
				  "%.*s, which gives the token, cannot be "
				  "asked: %s (check network, proxy and "
				  "firewall)",
				  STR_ARGS(host), words[i]);
			return;
		}
	*err = *why;
}

static bool is_busy(int status)
{
	return status == 429 || status >= 500;
}

/* A skewed clock makes other reasons look like the true one. */
static void add_clock(const struct http_response *response, int64_t now_ns,
		      struct error *err)
{
	struct error plain = *err;
	int64_t server_ns, ahead_ns;
	char text[24];

	if (!parse_http_date(str_from(response->server_date), &server_ns))
		return;
	ahead_ns = sat_sub_i64(now_ns, server_ns);
	if (ahead_ns <= SKEW_NS && ahead_ns >= -SKEW_NS)
		return;
	format_duration(ahead_ns < 0 ? sat_sub_i64(0, ahead_ns) : ahead_ns,
			text);
	error_set(err, plain.code,
		  "%s. This machine's clock is %s %s the "
		  "server's: set it right first",
		  plain.message, text, ahead_ns < 0 ? "behind" : "ahead of");
}

bool google_token_fail(const struct google_flow *f,
		       const struct http_response *response, int64_t now_ns,
		       struct error *err)
{
	struct str host = url_authority(f->origin);

	if (response->status == 0) {
		fail_network(f, &response->err, err);
	} else if (response->status >= 300 && response->status < 400) {
		error_set(err, ERROR_NETWORK,
			  "%.*s, which gives the token, answers %d and would "
			  "go elsewhere; secrets do not follow",
			  STR_ARGS(host), response->status);
	} else if (is_busy(response->status)) {
		error_set(err, ERROR_NETWORK,
			  "%.*s, which gives the token, is not available (%d): "
			  "try again later",
			  STR_ARGS(host), response->status);
	} else {
		fail_refused(f, response, err);
		add_clock(response, now_ns, err);
	}
	return false;
}
