/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backend/source.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/document.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/http.h"
#include "wire/http_message.h"
#include "wire/url.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"
#define FORM "application/x-www-form-urlencoded"
#define SUBJECT_TYPE "urn:ietf:params:oauth:token-type:access_token"
#define ACTING_LIFETIME_S 3600

/* Larger than all texts of a credential, percent-encoded. */
#define REQUEST_BYTES (8 * LIMIT_SECRET_FILE_BYTES)

/* Signed a little in the past, in case this clock is ahead. */
#define BACKDATED_S 10

/* ---- the steps ---- */

/* Returns the credential that starts the flow: the source's, if there is
 * one. */
static const struct google_credential *google_flow_base(
	const struct google_flow *f)
{
	return f->credential->source ? f->credential->source : f->credential;
}

/* Appends the source of another identity's token, without secrets. */
static void google_flow_place(const struct google_flow *f, struct buf *out)
{
	char *const *fields = google_flow_base(f)->fields;

	if (fields[CREDENTIAL_SUBJECT_FILE])
		buf_add_text(out, fields[CREDENTIAL_SUBJECT_FILE]);
	else
		url_redact(out, str_from(fields[CREDENTIAL_SUBJECT_URL]));
}

enum google_step google_flow_step(const struct google_flow *f)
{
	return f->steps[f->at];
}

void google_flow_init(struct google_flow *f, const struct google_credential *c,
		      const char *metadata_url)
{
	const struct google_credential *base;
	enum google_step *step = f->steps;

	*f = (struct google_flow){ .credential = c,
				   .metadata_url = metadata_url };
	base = google_flow_base(f);
	switch (base->kind) {
	case GOOGLE_SERVICE_ACCOUNT:
		/* Partner clouds accept only self-signed tokens. */
		*step++ = base->fields[CREDENTIAL_TOKEN_URI] &&
					  !strcmp(google_credential_universe(
							  base),
						  GOOGLE_UNIVERSE)
				  ? GOOGLE_STEP_ASSERT
				  : GOOGLE_STEP_SIGN;
		break;
	case GOOGLE_USER:
	case GOOGLE_WORKFORCE:
		*step++ = GOOGLE_STEP_REFRESH;
		break;
	case GOOGLE_EXTERNAL:
		*step++ = base->fields[CREDENTIAL_SUBJECT_FILE]
				  ? GOOGLE_STEP_FILE
				  : GOOGLE_STEP_URL;
		*step++ = GOOGLE_STEP_EXCHANGE;
		if (base->fields[CREDENTIAL_IMPERSONATION_URL])
			*step++ = GOOGLE_STEP_ACT;
		break;
	default:
		*step++ = GOOGLE_STEP_INSTANCE;
		break;
	}
	if (c->kind == GOOGLE_IMPERSONATED)
		*step = GOOGLE_STEP_ACT_LAST;
}

/* An intermediate token needs all rights, the final one as few as possible. */
static const char *wanted_scope(const struct google_flow *f)
{
	for (size_t i = f->at + 1; i < GOOGLE_STEPS_MAX; i++)
		if (f->steps[i] == GOOGLE_STEP_ACT ||
		    f->steps[i] == GOOGLE_STEP_ACT_LAST)
			return GOOGLE_SCOPE_ALL;
	return GOOGLE_SCOPES;
}

/* ---- requests ---- */

static void request_wipe(struct google_flow *f)
{
	struct buf *body = &f->request.body;

	buf_wipe(body);
	http_request_release(&f->request);
	mem_free(f->origin);
	f->origin = NULL;
	f->request = (struct http_request){ .endpoint = NULL };
	f->endpoint = (struct endpoint){ .url = NULL };
}

void google_flow_release(struct google_flow *f)
{
	request_wipe(f);
	secret_free(f->subject);
	secret_free(f->assertion);
	secret_free(f->token);
	f->subject = f->assertion = f->token = NULL;
}

/* Sets server and path of the request. */
static bool request_begin(struct google_flow *f, const char *method,
			  const char *url, struct error *err)
{
	struct url_parts parts;
	struct str whole = str_from(url), rest;

	if (!url_split(whole, &parts))
		return error_set(err, ERROR_AUTH,
				 "an address in it is no usable URL");
	rest = parts.rest.len ? parts.rest : STR("/");
	f->origin = mem_strndup(url, whole.len - parts.rest.len);
	f->request.path = mem_strndup(rest.ptr, rest.len);
	if (!f->origin || !f->request.path)
		return error_memory(err, "a request");
	f->endpoint.url = f->origin;
	f->endpoint.headers = f->headers;
	f->request.endpoint = &f->endpoint;
	f->request.method = method;
	f->request.accept = "application/json";
	buf_init(&f->request.body, REQUEST_BYTES);
	/* Reserve everything at once: growing would leave copies of secrets. */
	if (!strcmp(method, "POST") &&
	    !buf_reserve(&f->request.body, REQUEST_BYTES))
		return error_memory(err, "a request");
	return true;
}

static void add_form(struct google_flow *f, const char *key, const char *value)
{
	struct buf *body = &f->request.body;

	f->request.content_type = FORM;
	buf_addf(body, "%s%s=", body->len ? "&" : "", key);
	url_encode(body, str_from(value));
}

static bool request_end(struct google_flow *f, struct error *err)
{
	return buf_check(&f->request.body, "a request", err);
}

static bool assertion_sign(struct google_flow *f, const char *audience,
			   int64_t now_ns, char **out, struct error *err)
{
	const struct google_credential *c = google_flow_base(f);
	struct jwt_claims claims = {
		.key_id = c->fields[CREDENTIAL_PRIVATE_KEY_ID],
		.issuer = c->fields[CREDENTIAL_CLIENT_EMAIL],
		/* A token that is not exchanged has its user as subject, and no
		 * audience next to scopes (AIP-4111). */
		.subject = audience ? NULL : c->fields[CREDENTIAL_CLIENT_EMAIL],
		.scope = wanted_scope(f),
		.audience = audience,
		.issued_s = now_ns / NS_PER_S - BACKDATED_S,
	};
	struct buf jwt;
	bool is_ok = false;

	buf_init(&jwt, JWT_BYTES);
	if (!buf_reserve(&jwt, JWT_BYTES))
		return error_memory(err, "a token");
	if (jwt_sign(&claims, c->fields[CREDENTIAL_PRIVATE_KEY], &jwt, err)) {
		secret_free(*out);
		*out = mem_strdup(buf_text(&jwt));
		is_ok = *out || error_memory(err, "a token");
	}
	buf_wipe(&jwt);
	buf_release(&jwt);
	return is_ok;
}

static bool ask_assert(struct google_flow *f, int64_t now_ns, struct error *err)
{
	const char *url = google_flow_base(f)->fields[CREDENTIAL_TOKEN_URI];

	if (!assertion_sign(f, url, now_ns, &f->assertion, err) ||
	    !request_begin(f, "POST", url, err))
		return false;
	add_form(f, "grant_type",
		 "urn:ietf:params:oauth:grant-type:jwt-bearer");
	add_form(f, "assertion", f->assertion);
	return request_end(f, err);
}

/* Without scopes: those of the login apply, and others would be refused. For a
 * login through another identity provider the client is in a header. */
static bool ask_refresh(struct google_flow *f, struct error *err)
{
	const struct google_credential *c = google_flow_base(f);
	char *const *fields = c->fields;
	bool is_workforce = c->kind == GOOGLE_WORKFORCE;
	const char *own = fields[is_workforce ? CREDENTIAL_TOKEN_URL
					      : CREDENTIAL_TOKEN_URI];

	if (!request_begin(f, "POST", own ? own : TOKEN_URL, err))
		return false;
	add_form(f, "grant_type", "refresh_token");
	if (is_workforce) {
		f->endpoint.username = fields[CREDENTIAL_CLIENT_ID];
		f->endpoint.password = fields[CREDENTIAL_CLIENT_SECRET];
	} else {
		add_form(f, "client_id", fields[CREDENTIAL_CLIENT_ID]);
		add_form(f, "client_secret", fields[CREDENTIAL_CLIENT_SECRET]);
	}
	add_form(f, "refresh_token", fields[CREDENTIAL_REFRESH_TOKEN]);
	return request_end(f, err);
}

static bool ask_instance(struct google_flow *f, struct error *err)
{
	struct buf url;
	bool is_ok;

	buf_init(&url, LIMIT_URL_BYTES);
	buf_addf(&url,
		 "%s/computeMetadata/v1/instance/service-accounts/"
		 "default/token?scopes=",
		 f->metadata_url);
	for (const char *c = wanted_scope(f); *c; c++)
		if (*c == ' ')
			buf_add_char(&url, ',');
		else
			url_encode(&url, (struct str){ c, 1 });
	is_ok = buf_check(&url, "a request", err) &&
		request_begin(f, "GET", buf_text(&url), err);
	buf_release(&url);
	f->headers[0] = "Metadata-Flavor: Google";
	f->endpoint.header_count = 1;
	return is_ok;
}

static bool ask_subject(struct google_flow *f, struct error *err)
{
	const struct google_credential *c = google_flow_base(f);

	for (size_t i = 0; i < c->header_count; i++)
		f->headers[i] = c->headers[i];
	if (!request_begin(f, "GET", c->fields[CREDENTIAL_SUBJECT_URL], err))
		return false;
	f->endpoint.header_count = c->header_count;
	f->request.accept = NULL;
	return true;
}

static void add_user_project(struct google_flow *f, const char *project)
{
	struct buf options;
	struct out out;
	struct jsonw w;

	buf_init(&options, LIMIT_SECRET_FILE_BYTES * 8);
	out_init_memory(&out, &options);
	jsonw_init(&w, &out, 0);
	jsonw_addf(&w, "{userProject:%s}", project);
	if (options.state != BUF_OK)
		f->request.body.state = options.state;
	add_form(f, "options", buf_text(&options));
	out_release(&out);
	buf_release(&options);
}

static bool ask_exchange(struct google_flow *f, struct error *err)
{
	char *const *fields = google_flow_base(f)->fields;
	const char *project = fields[CREDENTIAL_WORKFORCE_PROJECT];

	if (!request_begin(f, "POST", fields[CREDENTIAL_TOKEN_URL], err))
		return false;
	if (fields[CREDENTIAL_CLIENT_ID]) {
		f->endpoint.username = fields[CREDENTIAL_CLIENT_ID];
		f->endpoint.password = fields[CREDENTIAL_CLIENT_SECRET];
	}
	add_form(f, "grant_type",
		 "urn:ietf:params:oauth:grant-type:token-exchange");
	add_form(f, "audience", fields[CREDENTIAL_AUDIENCE]);
	add_form(f, "scope", wanted_scope(f));
	add_form(f, "requested_token_type", SUBJECT_TYPE);
	add_form(f, "subject_token_type",
		 fields[CREDENTIAL_SUBJECT_TOKEN_TYPE]);
	add_form(f, "subject_token", f->subject);
	/* A client id already determines the quota project. */
	if (project && !fields[CREDENTIAL_CLIENT_ID])
		add_user_project(f, project);
	return request_end(f, err);
}

static void write_act(struct jsonw *w, const struct google_credential *c,
		      const char *scopes)
{
	struct str rest = str_from(scopes);
	char lifetime[32];

	jsonw_object(w);
	if (c->delegate_count) {
		jsonw_addf(w, "delegates:[");
		for (size_t i = 0; i < c->delegate_count; i++)
			jsonw_text(w, c->delegates[i]);
		jsonw_array_end(w);
	}
	jsonw_addf(w, "scope:[");
	while (rest.len) {
		size_t end = str_find(rest, STR(" "));
		struct str scope = str_slice(rest, 0, end);

		jsonw_str(w, scope);
		rest = str_slice(rest, scope.len + 1, rest.len);
	}
	jsonw_array_end(w);
	snprintf(
		lifetime, sizeof lifetime, "%llds",
		(long long)(c->lifetime_s ? c->lifetime_s : ACTING_LIFETIME_S));
	jsonw_addf(w, "lifetime:%s}", lifetime);
}

static bool ask_act(struct google_flow *f, const struct google_credential *c,
		    struct error *err)
{
	struct jsonw w;
	struct out out;

	if (!request_begin(f, "POST", c->fields[CREDENTIAL_IMPERSONATION_URL],
			   err))
		return false;
	f->request.content_type = "application/json";
	f->endpoint.token = f->token;
	out_init_memory(&out, &f->request.body);
	jsonw_init(&w, &out, 0);
	write_act(&w, c, wanted_scope(f));
	out_release(&out);
	return request_end(f, err);
}

/* ---- answers ---- */

/* The token in an answer, borrowed from it. */
struct grant {
	struct str token;
	int64_t lifetime_s;
	int64_t expires_ns;
};

static bool is_usable(struct str token)
{
	for (size_t i = 0; i < token.len; i++)
		if (token.ptr[i] <= ' ' || token.ptr[i] >= 0x7F)
			return false;
	return token.len > 0;
}

static bool read_grant(const struct document *d, struct grant *g,
		       struct error *err)
{
	struct str end = document_text_at(d, "expireTime");

	*g = (struct grant){ .token = document_text_at(d, "access_token") };
	if (!g->token.len)
		g->token = document_text_at(d, "accessToken");
	if (!document_i64(document_get(d, "expires_in"), &g->lifetime_s))
		return error_set(err, ERROR_FORMAT,
				 "\"expires_in\" is no whole number");
	return !end.len || parse_rfc3339(end, &g->expires_ns) ||
	       error_set(err, ERROR_FORMAT, "its end is no time");
}

static bool keep_token(struct google_flow *f, const struct grant *g,
		       int64_t now_ns, struct error *err)
{
	int64_t lifetime_s = g->lifetime_s;

	struct str host = url_authority(f->origin);

	if (!is_usable(g->token))
		return error_set(err, ERROR_AUTH,
				 "%.*s answers, but with no access token",
				 STR_ARGS(host));
	/* Without an expiry it is assumed to be valid for this run. */
	if (lifetime_s <= 0 || lifetime_s > LIMIT_GOOGLE_LIFETIME_S)
		lifetime_s = ACTING_LIFETIME_S;
	f->expires_ns =
		g->expires_ns ? g->expires_ns : now_ns + lifetime_s * NS_PER_S;
	secret_free(f->token);
	f->token = mem_strndup(g->token.ptr, g->token.len);
	return f->token || error_memory(err, "a credential");
}

static bool take_token(struct google_flow *f,
		       const struct http_response *response, int64_t now_ns,
		       struct error *err)
{
	struct str host = url_authority(f->origin);
	struct document *d =
		document_read_object(buf_str(&response->body), err);
	struct grant g;
	bool is_ok;

	if (!d || !read_grant(d, &g, err))
		is_ok = error_prefix(err, "the answer of %.*s", STR_ARGS(host));
	else
		is_ok = keep_token(f, &g, now_ns, err);
	document_free(d);
	return is_ok;
}

/* Reads the field of a JSON document into *out. */
static bool take_field(struct str content, const char *field, struct buf *out,
		       struct error *err)
{
	struct document *d = document_read_object(content, err);
	const struct document *value = document_get(d, field);
	bool is_ok = document_is_text(value);

	buf_clear(out);
	buf_add_str(out, document_text(value));
	if (d && !is_ok)
		error_set(err, ERROR_AUTH, "no \"%s\" of text in it", field);
	document_free(d);
	return is_ok && buf_check(out, "a credential", err);
}

/* Keeps the token of another identity: the whole text, or a field of it. */
static bool keep_subject(struct google_flow *f, struct str content,
			 struct error *err)
{
	const struct google_credential *c = google_flow_base(f);
	const char *format = c->fields[CREDENTIAL_FORMAT];
	struct buf text, place;
	bool is_ok = true;

	buf_init(&text, LIMIT_SECRET_FILE_BYTES * 2);
	if (!buf_reserve(&text, LIMIT_SECRET_FILE_BYTES * 2 - 1))
		return error_memory(err, "a credential");
	if (format && !strcmp(format, "json"))
		is_ok = take_field(content, c->fields[CREDENTIAL_FORMAT_FIELD],
				   &text, err);
	else
		buf_add_str(&text, str_trim(content));
	is_ok = is_ok && buf_check(&text, "a token", err);
	if (is_ok && !is_usable(buf_str(&text)))
		is_ok = error_set(err, ERROR_AUTH,
				  "it is empty or no single word");
	if (is_ok) {
		secret_free(f->subject);
		f->subject = mem_strdup(buf_text(&text));
		is_ok = f->subject || error_memory(err, "a credential");
	}
	buf_wipe(&text);
	buf_release(&text);
	if (is_ok)
		return true;
	buf_init(&place, LIMIT_SECRET_FILE_BYTES * 4);
	google_flow_place(f, &place);
	error_prefix(err, "the token of %s", buf_text(&place));
	buf_release(&place);
	if (err->code == ERROR_FORMAT)
		err->code = ERROR_AUTH;
	return false;
}

static bool read_subject(struct google_flow *f, struct error *err)
{
	const char *path = google_flow_base(f)->fields[CREDENTIAL_SUBJECT_FILE];
	struct buf content;
	bool is_ok;

	buf_init(&content, LIMIT_SECRET_FILE_BYTES);
	if (!buf_reserve(&content, LIMIT_SECRET_FILE_BYTES))
		return error_memory(err, "a credential");
	is_ok = file_read(path, &content, err);
	if (is_ok)
		is_ok = keep_subject(f, buf_str(&content), err);
	buf_wipe(&content);
	buf_release(&content);
	/* Must differ from the exit status for a missing trace. */
	if (!is_ok && err->code != ERROR_MEMORY)
		err->code = ERROR_AUTH;
	return is_ok;
}

/* ---- the whole ---- */

/* *is_asking false: done without a request. */
static bool step_begin(struct google_flow *f, int64_t now_ns, bool *is_asking,
		       struct error *err)
{
	*is_asking = true;
	switch (google_flow_step(f)) {
	case GOOGLE_STEP_FILE:
		*is_asking = false;
		return read_subject(f, err);
	case GOOGLE_STEP_SIGN:
		*is_asking = false;
		f->expires_ns =
			now_ns + (JWT_LIFETIME_S - BACKDATED_S) * NS_PER_S;
		return assertion_sign(f, NULL, now_ns, &f->token, err);
	case GOOGLE_STEP_URL:
		return ask_subject(f, err);
	case GOOGLE_STEP_INSTANCE:
		return ask_instance(f, err);
	case GOOGLE_STEP_ASSERT:
		return ask_assert(f, now_ns, err);
	case GOOGLE_STEP_REFRESH:
		return ask_refresh(f, err);
	case GOOGLE_STEP_EXCHANGE:
		return ask_exchange(f, err);
	case GOOGLE_STEP_ACT:
		return ask_act(f, google_flow_base(f), err);
	case GOOGLE_STEP_ACT_LAST:
		return ask_act(f, f->credential, err);
	default:
		return error_set(err, ERROR_INTERNAL, "no such step");
	}
}

bool google_flow_next(struct google_flow *f, int64_t now_ns, bool *is_done,
		      struct error *err)
{
	bool is_asking = false;

	request_wipe(f);
	while (!is_asking) {
		*is_done = google_flow_step(f) == GOOGLE_STEP_END;
		if (*is_done)
			return true;
		if (!step_begin(f, now_ns, &is_asking, err))
			return false;
		f->at += !is_asking;
	}
	return true;
}

/* Servers may repeat the request in their error. */
static bool mask_secrets(const struct google_flow *f,
			 struct http_response *response, struct error *err)
{
	char *const *fields = google_flow_base(f)->fields;
	const char *const secrets[] = {
		f->subject,
		f->assertion,
		f->token,
		fields[CREDENTIAL_CLIENT_SECRET],
		fields[CREDENTIAL_REFRESH_TOKEN],
	};

	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
		const struct endpoint one = { .token = secrets[i] };

		if (secrets[i] && !secrets_mask(&one, response->body.data,
						response->body.len, 4))
			return error_memory(err, "an answer");
	}
	return true;
}

/* Errors for a token that Google Cloud refused. */

/* Google accepts signed claims that are some minutes off; a difference of a
 * minute is no accident. */
#define SKEW_NS NS_PER_MIN

#define LOGIN "gcloud auth application-default login"

/* RFC 6749, 5.2: {"error":"invalid_grant","error_description":".."}; APIs:
 * {"error":{"code":403,"message":"..","status":"PERMISSION_DENIED"}}. */
struct complaint {
	char code[48];
	char text[240];
	char shown[300]; /* both, or the status */
};

static void read_json(struct str body, struct complaint *c)
{
	struct error ignored;
	struct document *d = document_read_object(body, &ignored);
	const struct document *error = document_get(d, "error");

	line_take(document_get(d, "error_description"), c->text,
		  sizeof c->text);
	line_take(error, c->code, sizeof c->code);
	line_take(document_get(error, "status"), c->code, sizeof c->code);
	line_take(document_get(error, "message"), c->text, sizeof c->text);
	document_free(d);
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

static bool complaint_says(const struct complaint *c, const char *word)
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

	if (complaint_says(c, "disabled"))
		error_set(err, ERROR_AUTH,
			  "the service account %.100s is disabled (%s): gcloud "
			  "iam service-accounts enable",
			  name, c->shown);
	else if (complaint_says(c, "not found"))
		error_set(err, ERROR_AUTH,
			  "there is no service account %.100s (%s): it was "
			  "deleted, or belongs to another cloud",
			  name, c->shown);
	else if (complaint_says(c, "ignature"))
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

static void fail_act(const struct google_credential *c,
		     const struct complaint *said, int status,
		     struct error *err)
{
	/* .../serviceAccounts/NAME:generateAccessToken */
	static const struct str front = { "/serviceAccounts/", 17 };
	struct str url = str_from(c->fields[CREDENTIAL_IMPERSONATION_URL]);
	struct str name = STR("the account");
	size_t at = str_find(url, front);

	if (at != SIZE_MAX) {
		name = str_slice(url, at + front.len, 100);
		name = str_slice(name, 0, str_find(name, STR(":")));
	}
	if (complaint_says(said, "has not been used") ||
	    complaint_says(said, "is disabled"))
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

/* Fails without the texts for traces servers, which name options that do not
 * apply here. */
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
				  "%.*s, which issues the token, cannot be "
				  "reached: %s (check network, proxy and "
				  "firewall)",
				  STR_ARGS(host), words[i]);
			return;
		}
	*err = *why;
}

/* A skewed clock causes misleading reasons. */
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

/* Sets err for an unsuccessful response to the flow's request: what was
 * refused, in the server's words and ours, and what to do. Returns false. */
static bool google_token_fail(const struct google_flow *f,
			      const struct http_response *response,
			      int64_t now_ns, struct error *err)
{
	struct str host = url_authority(f->origin);

	if (response->status == 0) {
		fail_network(f, &response->err, err);
	} else if (response->status >= 300 && response->status < 400) {
		error_set(err, ERROR_NETWORK,
			  "%.*s, which issues the token, answers %d with a "
			  "redirect; secrets are not sent elsewhere",
			  STR_ARGS(host), response->status);
	} else if (response->status == 429 || response->status >= 500) {
		error_set(err, ERROR_NETWORK,
			  "%.*s, which issues the token, is not available "
			  "(%d): try again later",
			  STR_ARGS(host), response->status);
	} else {
		fail_refused(f, response, err);
		add_clock(response, now_ns, err);
	}
	return false;
}

bool google_flow_take(struct google_flow *f, struct http_response *response,
		      int64_t now_ns, struct error *err)
{
	bool is_ok;

	if (!http_is_success(response))
		is_ok = mask_secrets(f, response, err) &&
			google_token_fail(f, response, now_ns, err);
	else if (google_flow_step(f) == GOOGLE_STEP_URL)
		is_ok = keep_subject(f, buf_str(&response->body), err);
	else
		is_ok = take_token(f, response, now_ns, err);
	buf_wipe(&response->body);
	f->at += is_ok;
	return is_ok;
}
