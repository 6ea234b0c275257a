/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/sides.h"

#include <limits.h>
#include <string.h>

#include "backend/address.h"
#include "backend/input.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/redact.h"
#include "wire/auth.h"

static void side_origin(const struct sides_want *w, const struct side *s,
			const char *value, const char *common, const char *name,
			char out[SIDE_ORIGIN_BYTES])
{
	w->origin(w->context, s->kind, value, common, name, out);
}

/* Reads a secret from its file, or from the environment. *used borrows it. */
static bool load_secret(const char *path, const char *value, const char *option,
			char **out, const char **used, struct error *err)
{
	*used = value;
	if (!path)
		return true;
	*out = secret_read(path, option, err);
	*used = *out;
	return *out != NULL;
}

static bool load_secrets(const struct sides_want *w, struct side *s,
			 const struct side_settings *c, struct error *err)
{
	const struct side_settings *common = w->common;
	char origin[SIDE_ORIGIN_BYTES];

	side_origin(w, s, c->password_file, common->password_file,
		    "password-file", origin);
	if (!load_secret(c->password_file, c->password, origin, &s->secrets[0],
			 &s->endpoint.password, err))
		return false;
	side_origin(w, s, c->token_file, common->token_file, "token-file",
		    origin);
	return load_secret(c->token_file, c->token, origin, &s->secrets[1],
			   &s->endpoint.token, err);
}

/* libcurl would report it only after the first connection. */
static bool check_certificates(const struct sides_want *w, const struct side *s,
			       struct error *err)
{
	const struct side_settings *common = w->common;
	const struct {
		const char *path;
		const char *common;
		const char *name;
	} files[] = {
		{ s->endpoint.cacert, common->cacert, "cacert" },
		{ s->endpoint.cert, common->cert, "cert" },
		{ s->endpoint.key, common->key, "key" },
	};
	char origin[SIDE_ORIGIN_BYTES];

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		if (!files[i].path || input_check(files[i].path, err))
			continue;
		side_origin(w, s, files[i].path, files[i].common,
			    files[i].name, origin);
		return error_prefix(err, "%s", origin);
	}
	return true;
}

static bool side_init(const struct sides_want *w, struct side *s,
		      const struct side_settings *c, const char *url,
		      const char *prefix, struct arena *arena,
		      struct error *err)
{
	struct endpoint *e = &s->endpoint;
	char origin[SIDE_ORIGIN_BYTES];
	struct address a;

	e->option_prefix = prefix;
	e->tenant_id = c->tenant_id;
	e->username = c->username;
	e->cacert = c->cacert;
	e->cert = c->cert;
	e->key = c->key;
	e->proxy = c->proxy;
	e->is_insecure = c->insecure;
	e->is_insecure_auth = c->insecure_auth;
	s->is_default = !url;
	if (url) {
		side_origin(w, s, url, NULL, "url", origin);
		e->url_origin = arena_str(arena, str_from(origin)).ptr;
		if (!e->url_origin)
			return arena_fail(arena, "an address", err);
		if (!address_parse(url, s->kind, &a, err) ||
		    !address_set(&a, arena, e, err))
			return error_prefix(err, "%s", e->url_origin);
		s->row = a.row;
		if (a.is_file)
			s->path = a.rest;
	}
	if (!check_certificates(w, s, err) || !load_secrets(w, s, c, err))
		return false;
	/* Reserve the token's buffer; it is fetched when a request needs it. */
	if (c->token_command) {
		s->token_command = c->token_command;
		s->secrets[1] = mem_calloc(1, TOKEN_BYTES);
		e->token = s->secrets[1];
		if (!s->secrets[1])
			return error_memory(err, "a credential");
	}
	for (size_t i = 0; i < c->header_count; i++) {
		if (!header_check(c->headers[i], err))
			return false;
		s->headers[i] = c->headers[i];
	}
	e->headers = s->headers;
	e->header_count = c->header_count;
	return true;
}

/* Reports a kind of server given for the wrong side. */
static bool check_kind(struct backends *b, enum server_side kind,
		       struct error *err)
{
	const struct side *s = backends_side(b, kind);
	int right = 0;

	if (s->path && kind == SERVER_METRICS) {
		error_set(err, ERROR_USAGE,
			  "metrics need a server, not a file");
		return error_prefix(err, "%s", s->endpoint.url_origin);
	}
	if (!s->row || backend_row_holds(s->row, kind))
		return true;
	while (!backend_row_holds(s->row, (enum server_side)right))
		right++;
	error_set(err, ERROR_USAGE, "%s holds %s, not %s; use --%s-url for it",
		  s->row->title, server_side_name((enum server_side)right),
		  server_side_name(kind),
		  server_side_name((enum server_side)right));
	return error_prefix(err, "%s", s->endpoint.url_origin);
}

static bool has_header(const struct side *s, struct str name)
{
	for (size_t i = 0; i < s->endpoint.header_count; i++)
		if (str_equal_nocase(header_name(str_from(s->headers[i])),
				     name))
			return true;
	return false;
}

/* Adds the header with the project to charge, which is not secret. */
static bool add_quota_project(const struct side_logins *l, struct side *s,
			      struct error *err)
{
	const char *project = google_quota_project(
		s->has_login ? l->google : NULL, s->endpoint.project);
	struct str header;

	if (!project || has_header(s, STR("x-goog-user-project")))
		return true;
	header = arena_printf(l->backends->arena, "X-Goog-User-Project: %s", project);
	if (!header.ptr)
		return arena_fail(l->backends->arena, "a header", err);
	if (!header_check(header.ptr, err))
		return error_prefix(err, "the quota project");
	s->headers[s->endpoint.header_count++] = header.ptr;
	return true;
}

/* Given credentials take precedence over default ones. */
static bool init_login(struct side_logins *l, struct side *s, struct error *err)
{
	struct endpoint *e = &s->endpoint;

	if (!e->project || l->is_replay)
		return true;
	s->has_login = !e->token && !e->username && !e->password &&
		       !has_header(s, STR("authorization"));
	if (s->has_login && !l->google)
		l->google = google_login_new(err);
	if (s->has_login && !l->google)
		return false;
	if (s->has_login)
		e->token = google_login_token(l->google);
	return add_quota_project(l, s, err);
}

static bool side_init_kind(const struct sides_want *w, struct backends *b,
			   enum server_side kind, struct error *err)
{
	static const char *const prefixes[SERVER_SIDES] = {
		[SERVER_TRACES] = "--traces",
		[SERVER_PROFILES] = "--profiles",
		[SERVER_METRICS] = "--metrics",
		[SERVER_TO] = "--to",
	};
	struct side *s = backends_side(b, kind);
	struct side_settings c = w->settings[kind];
	const char *url = w->urls[kind];

	/* A replay needs no credentials: none are read, whatever the options
	 * are. The tenant is kept: it is part of the recorded requests. */
	if (w->is_replay)
		c = (struct side_settings){ .tenant_id = c.tenant_id };
	if (kind != SERVER_TRACES && kind != SERVER_TO)
		url = address_beside_traces(w->urls[SERVER_TRACES], url);
	s->kind = kind;
	return side_init(w, s, &c, url, prefixes[kind], b->arena, err);
}

/* Sets the row of sides whose kind is not probed. */
static void set_row(struct side *s, const char *url,
		    const struct backend_row *row)
{
	s->is_default = !url;
	if (!s->endpoint.url)
		s->endpoint.url = row->default_url;
	if (s->row || s->path)
		s->is_kind_given = true;
	else
		s->row = row;
}

bool sides_init(const struct sides_want *w, struct side_logins *l,
		struct error *err)
{
	struct backends *b = l->backends;

	l->is_replay = w->is_replay;
	for (int i = 0; i < SERVER_SIDES; i++)
		if (!side_init_kind(w, b, (enum server_side)i, err))
			return false;
	set_row(&b->profiles, w->urls[SERVER_PROFILES], profiles_row(NULL));
	set_row(&b->metrics, w->urls[SERVER_METRICS], metrics_row());
	for (int i = 0; i < SERVER_SIDES; i++)
		if (!check_kind(b, (enum server_side)i, err))
			return false;
	return init_login(l, &b->traces, err) &&
	       init_login(l, &b->profiles, err) &&
	       init_login(l, &b->metrics, err);
}

void sides_release(struct side_logins *l)
{
	for (int i = 0; i < SERVER_SIDES; i++)
		for (size_t k = 0; k < 2; k++)
			secret_free(backends_side(l->backends,
						  (enum server_side)i)
					    ->secrets[k]);
	google_login_free(l->google);
}

/* ---- tokens that a command or a login gives ---- */

static struct side *side_of(const struct side_logins *l,
			    const struct endpoint *e)
{
	int side = SERVER_SIDES - 1;

	while (side > 0 && strcmp(e->option_prefix + 2,
				  server_side_name((enum server_side)side)))
		side--;
	return backends_side(l->backends, (enum server_side)side);
}

static bool ask_token(const struct side_logins *l, struct side *s,
		      struct error *err)
{
	if (s->has_login)
		return google_login_again(l->google, &s->endpoint, &l->want,
					  err);
	return token_command_run(s->token_command,
				 l->want.timeout_ns / NS_PER_MS, s->secrets[1],
				 err);
}

bool sides_ensure_tokens(struct side_logins *l,
			 const struct http_request *requests, size_t n,
			 struct error *err)
{
	for (size_t i = 0; i < n && !l->is_replay; i++) {
		struct side *s = side_of(l, requests[i].endpoint);

		if (s->has_login &&
		    !google_login_ensure(l->google, &s->endpoint, &l->want,
					 err))
			return false;
		if (!s->token_command || s->has_token)
			continue;
		s->has_token = ask_token(l, s, err);
		if (!s->has_token)
			return false;
	}
	return true;
}

bool sides_renew_token(void *context, const struct endpoint *e)
{
	struct side_logins *l = context;
	struct side *s = side_of(l, e);
	unsigned *renewed = s->has_login ? &l->google_batch : &s->renewed_batch;
	struct error err;
	char *old;
	bool is_new;

	if (!s->token_command && !s->has_login)
		return false;
	if (*renewed)
		return *renewed == l->batch;
	old = mem_strdup(s->endpoint.token);
	if (!old)
		return false;
	is_new = ask_token(l, s, &err);
	/* If a login fails there is no answer that could have notes. */
	if (!is_new && s->has_login)
		l->want.say("no new token after a 401: %s", err.message);
	else if (!is_new)
		notes_add(l->backends->notes, "no new token after a 401: %s",
			  err.message);
	is_new = is_new && strcmp(old, s->endpoint.token) != 0;
	*renewed = is_new ? l->batch : UINT_MAX;
	secret_free(old);
	return is_new;
}
