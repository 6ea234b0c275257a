/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/document.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "wire/auth.h"
#include "wire/url.h"

/* The names of the fields, by the object that contains them. */
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
	enum google_field wanted[WANTED_MAX]; /* terminated by
					       * CREDENTIAL_TYPE */
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
	/* cloud.google.com/compute/docs/metadata/querying-metadata; the IPv4
	 * address is also that of other clouds. */
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

/* Reads a string into *out, which is wiped and replaced. */
static bool take_text(const struct document *d, const char *key, char **out,
		      struct error *err)
{
	struct str text = document_text(d);

	if (document_is_null(d))
		return true;
	if (!document_is_text(d))
		return error_set(err, ERROR_AUTH, "\"%s\" is no text", key);
	/* Only a PEM key may contain line ends. */
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		bool is_line_end = c == '\n' || c == '\r';

		if (c == 0x7F ||
		    (c < ' ' && !(is_line_end && !strcmp(key, "private_key"))))
			return error_set(err, ERROR_AUTH,
					 "\"%s\" holds control characters",
					 key);
	}
	secret_free(*out);
	*out = text.len ? mem_strndup(text.ptr, text.len) : NULL;
	return *out || !text.len || error_memory(err, "a credential");
}

static bool take_fields(const struct document *d, struct google_credential *c,
			const struct field_name *names, struct error *err)
{
	for (; names->key; names++)
		if (!take_text(document_get(d, names->key), names->key,
			       &c->fields[names->field], err))
			return false;
	return true;
}

/* *member is NULL if it does not exist. */
static bool get_object(const struct document *d, const char *key,
		       const struct document **member, struct error *err)
{
	*member = document_get(d, key);
	return document_is_null(*member) || document_is_object(*member) ||
	       error_set(err, ERROR_AUTH, "\"%s\" is no object", key);
}

static bool take_delegates(const struct document *d,
			   struct google_credential *c, struct error *err)
{
	const struct document *list = document_get(d, "delegates");

	if (!document_is_null(list) && !document_is_list(list))
		return error_set(err, ERROR_AUTH, "\"delegates\" is no list");
	if (document_count(list) > LIMIT_GOOGLE_DELEGATES)
		return error_set(err, ERROR_AUTH, "more than %u \"delegates\"",
				 LIMIT_GOOGLE_DELEGATES);
	for (size_t i = 0; i < document_count(list); i++) {
		char **place = &c->delegates[c->delegate_count];

		if (!take_text(document_at(list, i), "delegates", place, err))
			return false;
		c->delegate_count += *place != NULL;
	}
	return true;
}

/* "Name: value" of {"Name": "value"}; the value may be secret. */
static bool take_header(struct google_credential *c, struct str key,
			const char *value, struct error *err)
{
	size_t size = key.len + strlen(value) + 3;
	struct error why;
	char *line;

	if (c->header_count >= LIMIT_GOOGLE_HEADERS)
		return error_set(err, ERROR_AUTH, "more than %u \"headers\"",
				 LIMIT_GOOGLE_HEADERS);
	line = mem_alloc(size);
	if (!line)
		return error_memory(err, "a credential");
	snprintf(line, size, "%.*s: %s", STR_ARGS(key), value);
	c->headers[c->header_count++] = line;
	return header_check(line, &why) ||
	       error_set(err, ERROR_AUTH, "\"headers\": %s", why.message);
}

static bool take_headers(const struct document *source,
			 struct google_credential *c, struct error *err)
{
	const struct document *headers, *value;
	void *place = NULL;
	struct str key;

	if (!get_object(source, "headers", &headers, err))
		return false;
	while (document_next(headers, &place, &key, &value)) {
		char *text = NULL;
		bool is_ok = take_text(value, "headers", &text, err) &&
			     (!text || take_header(c, key, text, err));

		secret_free(text);
		if (!is_ok)
			return false;
	}
	return true;
}

static bool take_source(const struct document *d, struct google_credential *c,
			struct error *err)
{
	const struct document *source, *format;

	if (!get_object(d, "credential_source", &source, err) ||
	    !get_object(source, "format", &format, err))
		return false;
	c->has_program = document_get(source, "executable");
	c->has_certificate = document_get(source, "certificate");
	return take_fields(source, c, source_names, err) &&
	       take_fields(format, c, format_names, err) &&
	       take_headers(source, c, err);
}

static bool take_lifetime(const struct document *d, struct google_credential *c,
			  struct error *err)
{
	const char *key = "token_lifetime_seconds";
	const struct document *impersonation;

	if (!get_object(d, "service_account_impersonation", &impersonation,
			err))
		return false;
	if (!document_i64(document_get(impersonation, key), &c->lifetime_s))
		return error_set(err, ERROR_AUTH, "\"%s\" is no whole number",
				 key);
	if (c->lifetime_s < 0 || c->lifetime_s > LIMIT_GOOGLE_LIFETIME_S)
		return error_set(err, ERROR_AUTH,
				 "\"%s\" is not within 0 and %d", key,
				 LIMIT_GOOGLE_LIFETIME_S);
	return true;
}

/* All except a nested credential. */
static bool take_one(const struct document *d, struct google_credential *c,
		     struct error *err)
{
	c->is_client = document_get(d, "installed") || document_get(d, "web");
	return take_fields(d, c, top_names, err) && take_delegates(d, c, err) &&
	       take_source(d, c, err) && take_lifetime(d, c, err);
}

static bool take_all(const struct document *d, struct google_credential *c,
		     struct error *err)
{
	const struct document *inner;

	if (!get_object(d, "source_credentials", &inner, err) ||
	    !take_one(d, c, err))
		return false;
	if (document_is_null(inner))
		return true;
	c->source = mem_calloc(1, sizeof *c->source);
	if (!c->source)
		return error_memory(err, "a credential");
	return take_one(inner, c->source, err);
}

/* ---- is it whole? ---- */

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
	const struct field_name *name = top_names;
	size_t i;

	for (i = 0; i < KIND_COUNT; i++)
		if (c->fields[CREDENTIAL_TYPE] &&
		    !strcmp(kinds[i].name, c->fields[CREDENTIAL_TYPE]))
			break;
	if (i == KIND_COUNT)
		return fail_type(c, err);
	c->kind = kinds[i].kind;
	for (size_t k = 0; k < WANTED_MAX; k++) {
		enum google_field wanted = kinds[i].wanted[k];

		if (wanted == CREDENTIAL_TYPE)
			break;
		if (c->fields[wanted])
			continue;
		while (name->key && name->field != wanted)
			name++;
		return error_set(err, ERROR_AUTH, "\"%s\" is missing or empty",
				 name->key ? name->key : "?");
	}
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

/* Refuses sources that need a program or another cloud's signature. */
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

static bool check_one(struct google_credential *c, struct error *err)
{
	const char *subject = c->fields[CREDENTIAL_SUBJECT_URL];

	return check_kind(c, err) &&
	       (c->kind != GOOGLE_EXTERNAL || check_source(c, err)) &&
	       check_url(c->fields[CREDENTIAL_TOKEN_URI], "token_uri", err) &&
	       check_url(c->fields[CREDENTIAL_TOKEN_URL], "token_url", err) &&
	       check_url(c->fields[CREDENTIAL_IMPERSONATION_URL],
			 "service_account_impersonation_url", err) &&
	       ((subject && google_url_is_metadata(subject)) ||
		check_url(subject, "url", err));
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
	struct document *d = document_read_object(json, err);
	bool is_ok;

	*c = (struct google_credential){ .kind = GOOGLE_METADATA };
	is_ok = d && take_all(d, c, err) && check_all(c, err);
	document_free(d);
	if (is_ok)
		return true;
	if (err->code != ERROR_MEMORY)
		err->code = ERROR_AUTH;
	return error_prefix(err, "Google credentials of %s", path);
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
		/* Must differ from the exit status for a missing trace. */
		if (err->code != ERROR_MEMORY)
			err->code = ERROR_AUTH;
		error_prefix(err, "Google credentials");
	}
	buf_wipe(&json);
	buf_release(&json);
	/* Wipes copies of the key that the reader left on the stack. */
	mem_wipe_stack();
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
