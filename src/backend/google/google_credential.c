/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "wire/auth.h"
#include "wire/url.h"

/* Under which names the texts stand, by the object they stand in. */
struct field_name {
	const char *key;
	enum google_field field;
};

static const struct field_name top_names[] = {
	{ "type", CREDENTIAL_TYPE },
	{ "client_email", CREDENTIAL_CLIENT_EMAIL },
	{ "private_key", CREDENTIAL_PRIVATE_KEY },
	{ "private_key_id", CREDENTIAL_PRIVATE_KEY_ID },
	{ "token_uri", CREDENTIAL_TOKEN_URI },
	{ "client_id", CREDENTIAL_CLIENT_ID },
	{ "client_secret", CREDENTIAL_CLIENT_SECRET },
	{ "refresh_token", CREDENTIAL_REFRESH_TOKEN },
	{ "audience", CREDENTIAL_AUDIENCE },
	{ "subject_token_type", CREDENTIAL_SUBJECT_TOKEN_TYPE },
	{ "token_url", CREDENTIAL_TOKEN_URL },
	{ "workforce_pool_user_project", CREDENTIAL_WORKFORCE_PROJECT },
	{ "service_account_impersonation_url", CREDENTIAL_IMPERSONATION_URL },
	{ "quota_project_id", CREDENTIAL_QUOTA_PROJECT },
	{ "universe_domain", CREDENTIAL_UNIVERSE_DOMAIN },
	{ NULL, CREDENTIAL_FIELDS },
};

static const struct field_name source_names[] = {
	{ "file", CREDENTIAL_SUBJECT_FILE },
	{ "url", CREDENTIAL_SUBJECT_URL },
	{ "environment_id", CREDENTIAL_ENVIRONMENT_ID },
	{ NULL, CREDENTIAL_FIELDS },
};

static const struct field_name format_names[] = {
	{ "type", CREDENTIAL_FORMAT },
	{ "subject_token_field_name", CREDENTIAL_FORMAT_FIELD },
	{ NULL, CREDENTIAL_FIELDS },
};

#define WANTED_MAX 4

static const struct {
	const char *name;
	enum google_kind kind;
	enum google_field wanted[WANTED_MAX]; /* ended by CREDENTIAL_TYPE */
} kinds[] = {
	{ "service_account",
	  GOOGLE_SERVICE_ACCOUNT,
	  { CREDENTIAL_CLIENT_EMAIL, CREDENTIAL_PRIVATE_KEY } },
	{ "authorized_user",
	  GOOGLE_USER,
	  { CREDENTIAL_CLIENT_ID, CREDENTIAL_CLIENT_SECRET,
	    CREDENTIAL_REFRESH_TOKEN } },
	{ "external_account_authorized_user",
	  GOOGLE_WORKFORCE,
	  { CREDENTIAL_CLIENT_ID, CREDENTIAL_CLIENT_SECRET,
	    CREDENTIAL_REFRESH_TOKEN, CREDENTIAL_TOKEN_URL } },
	{ "external_account",
	  GOOGLE_EXTERNAL,
	  { CREDENTIAL_AUDIENCE, CREDENTIAL_SUBJECT_TOKEN_TYPE,
	    CREDENTIAL_TOKEN_URL } },
	{ "impersonated_service_account",
	  GOOGLE_IMPERSONATED,
	  { CREDENTIAL_IMPERSONATION_URL } },
};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

const char *google_kind_name(enum google_kind kind)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "metadata server";
}

const char *google_credential_universe(const struct google_credential *c)
{
	const char *own = c->fields[CREDENTIAL_UNIVERSE_DOMAIN];

	if (!own && c->source)
		own = c->source->fields[CREDENTIAL_UNIVERSE_DOMAIN];
	return own ? own : GOOGLE_UNIVERSE;
}

/* ---- where secrets may go ---- */

bool google_url_is_metadata(const char *url)
{
	/* cloud.google.com/compute/docs/metadata/querying-metadata; the
	 * address of IPv4 is that of the other clouds, too. */
	static const char *const hosts[] = {
		"169.254.169.254",
		"fd20:ce::254",
		"metadata.google.internal",
	};
	struct url_parts parts;

	return url_split(str_from(url), &parts) &&
	       str_is_one_of_nocase(parts.host, hosts, COUNT_OF(hosts));
}

bool google_url_is_safe(const char *url)
{
	struct url_parts parts;

	return url_split(str_from(url), &parts) && !parts.user_info.len &&
	       (parts.is_https || host_is_loopback(url));
}

/* ---- reading ---- */

/* What passes through here is wiped, so the JSON reader's own room for strings
 * sees none of it: it is that of json_string_long(). */
struct reading {
	struct json_reader *json;
	struct buf text;
	bool is_out_of_memory;
};

/* Ends the reading. */
static bool fail_memory(struct reading *r)
{
	r->is_out_of_memory = true;
	return json_fail(r->json, "out of memory");
}

/* The next value's text into *out, which is wiped and replaced. */
static bool take_text(struct reading *r, const char *key, char **out)
{
	struct str text;

	if (json_peek(r->json) == JSON_NULL)
		return json_skip(r->json);
	if (json_peek(r->json) != JSON_STRING)
		return json_fail(r->json, "\"%s\" is no text", key);
	buf_clear(&r->text);
	if (!json_string_long(r->json, &r->text))
		return false;
	text = buf_str(&r->text);
	/* The lines of a key in PEM form are all that may have an end. */
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		bool is_line_end = c == '\n' || c == '\r';

		if (c == 0x7F ||
		    (c < ' ' && !(is_line_end && !strcmp(key, "private_key"))))
			return json_fail(r->json,
					 "\"%s\" holds control characters",
					 key);
	}
	secret_free(*out);
	*out = text.len ? mem_strndup(text.ptr, text.len) : NULL;
	return *out || !text.len || fail_memory(r);
}

/* False when the key is none of these; a failure sticks to the reader. */
static bool take_field(struct reading *r, struct google_credential *c,
		       const struct field_name *names, struct str key)
{
	for (; names->key; names++) {
		if (!str_equal(key, str_from(names->key)))
			continue;
		(void)take_text(r, names->key, &c->fields[names->field]);
		return true;
	}
	return false;
}

static bool enter(struct reading *r, const char *key, enum json_kind kind)
{
	if (json_peek(r->json) == kind)
		return json_enter(r->json, kind);
	if (json_peek(r->json) == JSON_NULL)
		json_skip(r->json);
	else
		json_fail(r->json, "\"%s\" is no %s", key,
			  kind == JSON_ARRAY ? "list" : "object");
	return false;
}

static void take_delegates(struct reading *r, struct google_credential *c)
{
	if (!enter(r, "delegates", JSON_ARRAY))
		return;
	while (json_next_item(r->json)) {
		if (c->delegate_count >= LIMIT_GOOGLE_DELEGATES) {
			json_fail(r->json, "more than %u \"delegates\"",
				  LIMIT_GOOGLE_DELEGATES);
			return;
		}
		if (!take_text(r, "delegates",
			       &c->delegates[c->delegate_count]))
			return;
		c->delegate_count += c->delegates[c->delegate_count] != NULL;
	}
}

/* "Name: value" of {"Name": "value"}; the value may be secret. */
static void take_header(struct reading *r, struct google_credential *c,
			struct str key)
{
	struct buf line;
	struct error err;
	char *value = NULL;

	buf_init(&line, LIMIT_SECRET_FILE_BYTES * 2);
	buf_add_str(&line, key);
	buf_add_text(&line, ": ");
	if (c->header_count >= LIMIT_GOOGLE_HEADERS) {
		json_fail(r->json, "more than %u \"headers\"",
			  LIMIT_GOOGLE_HEADERS);
	} else if (take_text(r, "headers", &value) && value) {
		char *copy = NULL;

		/* At once: growing would leave copies of a secret behind. */
		if (buf_reserve(&line, strlen(value) + 1)) {
			buf_add_text(&line, value);
			copy = mem_strdup(buf_text(&line));
		}
		c->headers[c->header_count] = copy;
		c->header_count += copy != NULL;
		if (!copy)
			fail_memory(r);
		else if (!header_check(copy, &err))
			json_fail(r->json, "\"headers\": %s", err.message);
	}
	buf_wipe(&line);
	buf_release(&line);
	secret_free(value);
}

static void take_headers(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!enter(r, "headers", JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key))
		take_header(r, c, key);
}

static void take_format(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!enter(r, "format", JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key))
		if (!take_field(r, c, format_names, key))
			json_skip(r->json);
}

static void take_source(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!enter(r, "credential_source", JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key)) {
		if (take_field(r, c, source_names, key))
			continue;
		if (str_equal(key, STR("format"))) {
			take_format(r, c);
			continue;
		}
		if (str_equal(key, STR("headers"))) {
			take_headers(r, c);
			continue;
		}
		c->has_program |= str_equal(key, STR("executable"));
		c->has_certificate |= str_equal(key, STR("certificate"));
		json_skip(r->json);
	}
}

static void take_lifetime(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!enter(r, "service_account_impersonation", JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key)) {
		if (!str_equal(key, STR("token_lifetime_seconds")))
			json_skip(r->json);
		else if (json_i64(r->json, &c->lifetime_s) &&
			 (c->lifetime_s < 0 ||
			  c->lifetime_s > LIMIT_GOOGLE_LIFETIME_S))
			json_fail(r->json,
				  "\"token_lifetime_seconds\" is not within "
				  "0 and %d",
				  LIMIT_GOOGLE_LIFETIME_S);
	}
}

/* All but what stands for another credential. */
static void take_member(struct reading *r, struct google_credential *c,
			struct str key)
{
	if (take_field(r, c, top_names, key))
		return;
	if (str_equal(key, STR("delegates"))) {
		take_delegates(r, c);
	} else if (str_equal(key, STR("credential_source"))) {
		take_source(r, c);
	} else if (str_equal(key, STR("service_account_impersonation"))) {
		take_lifetime(r, c);
	} else {
		c->is_client |= str_equal(key, STR("installed")) ||
				str_equal(key, STR("web"));
		json_skip(r->json);
	}
}

static void take_inner(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!enter(r, "source_credentials", JSON_OBJECT))
		return;
	if (!c->source)
		c->source = mem_calloc(1, sizeof *c->source);
	if (!c->source) {
		fail_memory(r);
		return;
	}
	while (json_next_key(r->json, &key))
		take_member(r, c->source, key);
}

static void take_all(struct reading *r, struct google_credential *c)
{
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR("source_credentials")))
			take_inner(r, c);
		else
			take_member(r, c, key);
	}
	json_expect_end(r->json, "object");
}

/* ---- is it whole? ---- */

static const char *key_of(enum google_field field)
{
	for (const struct field_name *n = top_names; n->key; n++)
		if (n->field == field)
			return n->key;
	return "?";
}

static bool fail_type(const struct google_credential *c, struct error *err)
{
	if (c->fields[CREDENTIAL_TYPE])
		return error_set(err, ERROR_AUTH,
				 "credentials of type \"%.60s\" are not "
				 "supported; service_account, authorized_user, "
				 "external_account, "
				 "external_account_authorized_user and "
				 "impersonated_service_account are",
				 c->fields[CREDENTIAL_TYPE]);
	if (c->is_client)
		return error_set(err, ERROR_AUTH,
				 "it is an OAuth client, not a credential: "
				 "gcloud auth application-default login makes "
				 "one");
	return error_set(err, ERROR_AUTH,
			 "\"type\" is missing: is it a credential of Google "
			 "Cloud?");
}

static bool check_kind(struct google_credential *c, struct error *err)
{
	size_t i;

	for (i = 0; i < KIND_COUNT; i++)
		if (c->fields[CREDENTIAL_TYPE] &&
		    !strcmp(kinds[i].name, c->fields[CREDENTIAL_TYPE]))
			break;
	if (i == KIND_COUNT)
		return fail_type(c, err);
	c->kind = kinds[i].kind;
	for (size_t k = 0;
	     k < WANTED_MAX && kinds[i].wanted[k] != CREDENTIAL_TYPE; k++)
		if (!c->fields[kinds[i].wanted[k]])
			return error_set(err, ERROR_AUTH,
					 "\"%s\" is missing or empty",
					 key_of(kinds[i].wanted[k]));
	return true;
}

static bool check_format(const struct google_credential *c, struct error *err)
{
	const char *format = c->fields[CREDENTIAL_FORMAT];

	if (!format || !strcmp(format, "text"))
		return true;
	if (strcmp(format, "json"))
		return error_set(err, ERROR_AUTH,
				 "the format of \"credential_source\" is "
				 "neither text nor json");
	return c->fields[CREDENTIAL_FORMAT_FIELD] ||
	       error_set(err, ERROR_AUTH,
			 "\"subject_token_field_name\" is missing or empty");
}

/* What would need a program or a signature of another cloud. */
static bool check_source(const struct google_credential *c, struct error *err)
{
	static const char instead[] =
		"use a token of gcloud instead (token-command = gcloud auth "
		"print-access-token in the configuration)";

	if (c->fields[CREDENTIAL_ENVIRONMENT_ID])
		return error_set(err, ERROR_AUTH,
				 "credentials of AWS are not supported; %s",
				 instead);
	if (c->has_program)
		return error_set(err, ERROR_AUTH,
				 "the program in \"credential_source\" is not "
				 "run; %s",
				 instead);
	if (c->has_certificate)
		return error_set(err, ERROR_AUTH,
				 "a certificate in \"credential_source\" is "
				 "not supported; %s",
				 instead);
	if (!c->fields[CREDENTIAL_SUBJECT_FILE] ==
	    !c->fields[CREDENTIAL_SUBJECT_URL])
		return error_set(err, ERROR_AUTH,
				 "\"credential_source\" needs a \"file\" or a "
				 "\"url\"");
	return check_format(c, err);
}

static bool check_url(const char *url, const char *key, struct error *err)
{
	return !url || google_url_is_safe(url) ||
	       error_set(err, ERROR_AUTH,
			 "\"%s\" is no address of https (or of this machine), "
			 "where secrets may go",
			 key);
}

static bool check_urls(const struct google_credential *c, struct error *err)
{
	const char *subject = c->fields[CREDENTIAL_SUBJECT_URL];

	return check_url(c->fields[CREDENTIAL_TOKEN_URI], "token_uri", err) &&
	       check_url(c->fields[CREDENTIAL_TOKEN_URL], "token_url", err) &&
	       check_url(c->fields[CREDENTIAL_IMPERSONATION_URL],
			 "service_account_impersonation_url", err) &&
	       ((subject && google_url_is_metadata(subject)) ||
		check_url(subject, "url", err));
}

static bool check_one(struct google_credential *c, struct error *err)
{
	return check_kind(c, err) &&
	       (c->kind != GOOGLE_EXTERNAL || check_source(c, err)) &&
	       check_urls(c, err);
}

static bool check_all(struct google_credential *c, struct error *err)
{
	if (!check_one(c, err))
		return false;
	if (c->kind != GOOGLE_IMPERSONATED)
		return true;
	if (!c->source)
		return error_set(err, ERROR_AUTH,
				 "\"source_credentials\" is missing");
	if (!check_one(c->source, err))
		return error_prefix(err, "\"source_credentials\"");
	return c->source->kind != GOOGLE_IMPERSONATED ||
	       error_set(err, ERROR_AUTH,
			 "\"source_credentials\" are impersonated themselves; "
			 "name those between in \"delegates\"");
}

bool google_credential_read(struct google_credential *c, struct str json,
			    const char *path, struct error *err)
{
	struct reading r = { .json = NULL };
	bool is_ok = false;

	*c = (struct google_credential){ .kind = GOOGLE_METADATA };
	buf_init(&r.text, LIMIT_SECRET_FILE_BYTES * 2);
	/* The whole room at once: growing would leave copies behind. */
	if (!buf_reserve(&r.text, LIMIT_SECRET_FILE_BYTES * 2 - 1))
		return error_memory(err, "a credential");
	r.json = json_new(json, err);
	if (r.json) {
		take_all(&r, c);
		is_ok = json_check(r.json, err);
		json_free(r.json);
		if (r.is_out_of_memory)
			error_memory(err, "a credential");
		else if (is_ok)
			is_ok = check_all(c, err);
		else if (err->code != ERROR_MEMORY)
			err->code = ERROR_AUTH;
	}
	buf_wipe(&r.text);
	buf_release(&r.text);
	return is_ok || error_prefix(err, "Google credentials of %s", path);
}

bool google_credential_load(struct google_credential *c, const char *path,
			    struct error *err)
{
	struct buf json;
	bool is_ok;

	*c = (struct google_credential){ .kind = GOOGLE_METADATA };
	buf_init(&json, LIMIT_SECRET_FILE_BYTES);
	if (!buf_reserve(&json, LIMIT_SECRET_FILE_BYTES))
		return error_memory(err, "a credential");
	is_ok = file_read(path, &json, err);
	if (is_ok) {
		is_ok = google_credential_read(c, buf_str(&json), path, err);
	} else {
		/* Not the exit status of a trace that is not there. */
		if (err->code != ERROR_MEMORY)
			err->code = ERROR_AUTH;
		error_prefix(err, "Google credentials");
	}
	buf_wipe(&json);
	buf_release(&json);
	return is_ok;
}

static void release_one(struct google_credential *c)
{
	for (size_t i = 0; i < CREDENTIAL_FIELDS; i++)
		secret_free(c->fields[i]);
	for (size_t i = 0; i < c->delegate_count; i++)
		mem_free(c->delegates[i]);
	for (size_t i = 0; i < c->header_count; i++)
		secret_free(c->headers[i]);
}

void google_credential_release(struct google_credential *c)
{
	release_one(c);
	if (c->source)
		release_one(c->source);
	mem_free(c->source);
	*c = (struct google_credential){ .kind = GOOGLE_METADATA };
}
