/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context_sides.h"

#include <string.h>

#include "backend/address.h"
#include "backend/google_login.h"
#include "backend/input.h"
#include "base/count.h"
#include "base/mem.h"
#include "wire/auth.h"
#include "wire/redact.h"
#include "wire/token_command.h"

static void side_origin(const struct context *ctx, const struct side *s,
			const char *value, const char *common, const char *name,
			char out[OPTION_ORIGIN_BYTES])
{
	options_side_origin(ctx->options, s->kind, value, common, name, out);
}

/* A secret from its file, or from the environment. *used borrows it. */
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

static bool load_secrets(const struct context *ctx, struct side *s,
			 const struct connection_options *c, struct error *err)
{
	const struct connection_options *common = &ctx->options->common;
	char origin[OPTION_ORIGIN_BYTES];

	side_origin(ctx, s, c->password_file, common->password_file,
		    "password-file", origin);
	if (!load_secret(c->password_file, c->password, origin, &s->secrets[0],
			 &s->endpoint.password, err))
		return false;
	side_origin(ctx, s, c->token_file, common->token_file, "token-file",
		    origin);
	return load_secret(c->token_file, c->token, origin, &s->secrets[1],
			   &s->endpoint.token, err);
}

/* libcurl would say so after the first connection only. */
static bool check_certificates(const struct context *ctx, const struct side *s,
			       struct error *err)
{
	const struct connection_options *common = &ctx->options->common;
	const struct {
		const char *path;
		const char *common;
		const char *name;
	} files[] = {
		{ s->endpoint.cacert, common->cacert, "cacert" },
		{ s->endpoint.cert, common->cert, "cert" },
		{ s->endpoint.key, common->key, "key" },
	};
	char origin[OPTION_ORIGIN_BYTES];

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		if (!files[i].path || input_check(files[i].path, err))
			continue;
		side_origin(ctx, s, files[i].path, files[i].common,
			    files[i].name, origin);
		return error_prefix(err, "%s", origin);
	}
	return true;
}

/* Room for the token; it is asked for when a request needs it. */
static bool prepare_token(struct side *s, const char *command,
			  struct error *err)
{
	if (!command)
		return true;
	s->token_command = command;
	s->secrets[1] = mem_calloc(1, TOKEN_BYTES);
	s->endpoint.token = s->secrets[1];
	return s->secrets[1] || error_memory(err, "a credential");
}

static bool load_headers(struct side *s, const struct connection_options *c,
			 struct error *err)
{
	for (size_t i = 0; i < c->header_count; i++) {
		if (!header_check(c->headers[i], err))
			return false;
		s->headers[i] = c->headers[i];
	}
	s->endpoint.headers = s->headers;
	s->endpoint.header_count = c->header_count;
	return true;
}

static bool set_address(struct side *s, const char *url, struct arena *arena,
			struct error *err)
{
	struct address a;

	if (!address_parse(url, s->kind, &a, err) ||
	    !address_set(&a, arena, &s->endpoint, err))
		return false;
	s->row = a.row;
	if (a.is_file)
		s->path = a.rest;
	return true;
}

static bool keep_origin(struct context *ctx, struct side *s, const char *url,
			struct error *err)
{
	char origin[OPTION_ORIGIN_BYTES];

	side_origin(ctx, s, url, NULL, "url", origin);
	s->endpoint.url_origin = arena_str(&ctx->arena, str_from(origin)).ptr;
	return s->endpoint.url_origin ||
	       arena_fail(&ctx->arena, "an address", err);
}

static bool side_init(struct context *ctx, struct side *s,
		      const struct connection_options *c, const char *url,
		      const char *prefix, struct error *err)
{
	struct endpoint *e = &s->endpoint;

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
	if (url && !keep_origin(ctx, s, url, err))
		return false;
	if (url && !set_address(s, url, &ctx->arena, err))
		return error_prefix(err, "%s", e->url_origin);
	return check_certificates(ctx, s, err) &&
	       load_secrets(ctx, s, c, err) &&
	       prepare_token(s, c->token_command, err) &&
	       load_headers(s, c, err);
}

/* A kind that belongs to another side is a slip worth naming. */
static bool check_kind(struct context *ctx, enum server_side kind,
		       struct error *err)
{
	const struct side *s = backends_side(&ctx->backends, kind);
	int right = 0;

	if (s->path && kind == SERVER_METRICS) {
		error_set(err, ERROR_USAGE,
			  "metrics are asked for at a server, not in a file");
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

/* A replay needs no credentials: none are read, whatever the options say.
 * The tenant stays: it is part of the recorded requests. */
static void drop_credentials(struct connection_options *c)
{
	*c = (struct connection_options){ .tenant_id = c->tenant_id };
}

static bool has_header(const struct side *s, struct str name)
{
	for (size_t i = 0; i < s->endpoint.header_count; i++)
		if (str_equal_nocase(header_name(str_from(s->headers[i])),
				     name))
			return true;
	return false;
}

/* The project that pays: a header, which is no secret. */
static bool add_quota_project(struct context *ctx, struct side *s,
			      struct error *err)
{
	const char *project = google_quota_project(
		s->has_login ? ctx->login : NULL, s->endpoint.project);
	struct str header;

	if (!project || has_header(s, STR("x-goog-user-project")))
		return true;
	header = arena_printf(&ctx->arena, "X-Goog-User-Project: %s", project);
	if (!header.ptr)
		return arena_fail(&ctx->arena, "a header", err);
	if (!header_check(header.ptr, err))
		return error_prefix(err, "the quota project");
	s->headers[s->endpoint.header_count++] = header.ptr;
	return true;
}

/* Credentials that were given win over those that can be found. */
static bool init_login(struct context *ctx, struct side *s, struct error *err)
{
	struct endpoint *e = &s->endpoint;

	if (!e->project || ctx->replay)
		return true;
	s->has_login = !e->token && !e->username && !e->password &&
		       !has_header(s, STR("authorization"));
	if (s->has_login && !ctx->login)
		ctx->login = google_login_new(err);
	if (s->has_login && !ctx->login)
		return false;
	if (s->has_login)
		e->token = google_login_token(ctx->login);
	return add_quota_project(ctx, s, err);
}

static bool init_side(struct context *ctx, enum server_side kind,
		      struct error *err)
{
	static const char *const prefixes[SERVER_SIDES] = {
		[SERVER_TRACES] = "--traces",
		[SERVER_PROFILES] = "--profiles",
		[SERVER_METRICS] = "--metrics",
		[SERVER_TO] = "--to",
	};
	const struct options *o = ctx->options;
	struct side *s = backends_side(&ctx->backends, kind);
	struct connection_options c;
	const char *url = options_url(o, kind);

	options_side(o, kind, &c);
	if (ctx->replay)
		drop_credentials(&c);
	if (kind != SERVER_TRACES && kind != SERVER_TO)
		url = address_beside_traces(o->traces_url, url);
	s->kind = kind;
	return side_init(ctx, s, &c, url, prefixes[kind], err);
}

/* Those whose kind is not asked about. */
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

bool context_sides_init(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct backends *b = &ctx->backends;

	for (int i = 0; i < SERVER_SIDES; i++)
		if (!init_side(ctx, (enum server_side)i, err))
			return false;
	set_row(&b->profiles, o->profiles_url, profiles_row(NULL));
	set_row(&b->metrics, o->metrics_url, metrics_row());
	for (int i = 0; i < SERVER_SIDES; i++)
		if (!check_kind(ctx, (enum server_side)i, err))
			return false;
	return init_login(ctx, &b->traces, err) &&
	       init_login(ctx, &b->profiles, err) &&
	       init_login(ctx, &b->metrics, err);
}
