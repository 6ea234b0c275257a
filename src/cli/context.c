/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/address.h"
#include "backend/backends.h"
#include "backend/google_login.h"
#include "backend/input.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/timefmt.h"
#include "cli/config.h"
#include "cli/message.h"
#include "cli/options.h"
#include "model/result.h"
#include "report/texts.h"
#include "wire/auth.h"
#include "wire/cache.h"
#include "wire/curl_line.h"
#include "wire/har.h"
#include "wire/http.h"

/* The sides of a context, traces, profiles, metrics: addresses and credentials
 * of the options. */

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

/* Fills both; ctx->replay is set where it is one. */
static bool context_sides_init(struct context *ctx, struct error *err)
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

/* --dry-run: shows requests instead of sending them. */

/* Writes the lines of a batch to standard output; comment is one of ours above
 * them, or NULL. */
static bool dry_run_write(const char *comment,
			  const struct http_request *requests, size_t n,
			  struct error *err)
{
	struct buf line;
	struct out out;
	bool is_done;

	if (!out_init_fd(&out, STDOUT_FILENO, err))
		return false;
	buf_init(&line, CURL_LINE_BYTES);
	if (comment)
		outf(&out, "# %s\n", comment);
	for (size_t i = 0; i < n; i++) {
		buf_clear(&line);
		curl_line_add(&line, &requests[i]);
		out_str(&out, buf_str(&line));
		out_char(&out, '\n');
		if (line.state != BUF_OK)
			break;
	}
	is_done = buf_check(&line, "a request", err) &&
		  out_finish(&out, "standard output", err);
	if (!is_done && out_is_broken_pipe(&out)) {
		/* A reader that went away is no failure. */
		error_clear(err);
		is_done = true;
	}
	out_release(&out);
	buf_release(&line);
	return is_done;
}

/* The end of a dry run: ERROR_STOPPED, with what could not be told. Always
 * false. */
static bool dry_run_stop(struct error *err)
{
	return error_set(err, ERROR_STOPPED,
			 "dry run: nothing was sent; further requests, if "
			 "any, depend on these answers");
}

/* XDG Base Directory Specification: a relative path counts as not set. */
static bool find_folder(struct arena *arena, const char *option,
			const char *variable, const char *below_home,
			struct str *folder, struct error *err)
{
	const char *base = getenv(variable);
	const char *home = getenv("HOME");

	if (base && *base == '/')
		*folder = arena_printf(arena, "%s/tracefind", base);
	else if (home && *home)
		*folder = arena_printf(arena, "%s/%s/tracefind", home,
				       below_home);
	else
		return error_set(err, ERROR_USAGE,
				 "%s: there is no place for it: neither "
				 "%s nor HOME is set",
				 option, variable);
	return folder->ptr || arena_fail(arena, "a folder", err);
}

bool context_find_cache(struct arena *arena, struct str *folder,
			struct error *err)
{
	return find_folder(arena, "--cache", "XDG_CACHE_HOME", ".cache", folder,
			   err);
}

static bool is_address(const char *text)
{
	return text && strstr(text, "://");
}

static bool make_folder(struct context *ctx, const char *path,
			struct error *err)
{
	struct str inside = arena_printf(&ctx->arena, "%s/.", path);

	return inside.ptr ? folders_make(inside.ptr, err)
			  : arena_fail(&ctx->arena, "a folder", err);
}

/* Where an export keeps what it has sent, or files; before the sandbox, which
 * lets nothing be made but what is in them. */
static bool open_export(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	const char *profiles = o->to_profiles;
	struct str folder;

	if (o->dry_run)
		return true;
	if (profiles && !is_address(profiles) &&
	    !make_folder(ctx,
			 profiles + (strncmp(profiles, "file:", 5) ? 0 : 5),
			 err))
		return error_prefix(err, "--to-profiles");
	if ((!is_address(o->to_traces) && !is_address(profiles)) || o->state)
		return true;
	if (!find_folder(&ctx->arena, "--state", "XDG_STATE_HOME",
			 ".local/state", &folder, err))
		return false;
	ctx->state_folder = folder.ptr;
	return make_folder(ctx, folder.ptr, err);
}

static bool open_cache(struct context *ctx, struct error *err)
{
	const struct config *config = ctx->options->config;
	struct str folder;

	if (!ctx->options->cache || ctx->options->no_cache || ctx->replay ||
	    ctx->options->dry_run)
		return true;
	if (!context_find_cache(&ctx->arena, &folder, err))
		return false;
	ctx->cache =
		cache_open(folder.ptr, config ? config->context : NULL, err);
	ctx->cache_folders[0] = folder.ptr;
	/* So that runs of the same minute ask alike. */
	if (!ctx->options->now)
		ctx->backends.now_ns -= ctx->backends.now_ns % NS_PER_MIN;
	return ctx->cache != NULL;
}

/* A run does without it where there is no place for it. A case holds all that
 * was asked for. */
static void open_profile_cache(struct context *ctx)
{
	const struct options *o = ctx->options;
	const struct profile_backend *p = backends_profiles(&ctx->backends);
	struct error ignored;
	struct str folder;

	if (!p->keep || o->no_cache || o->dry_run || o->record || o->replay ||
	    o->embed_case ||
	    !context_find_cache(&ctx->arena, &folder, &ignored))
		return;
	folder = arena_printf(&ctx->arena, "%s/profiles", folder.ptr);
	if (folder.ptr && p->keep(&ctx->backends.profiles, folder.ptr,
				  o->config ? o->config->context : NULL))
		ctx->cache_folders[1] = folder.ptr;
}

static bool send(void *context, struct http_request *requests,
		 struct http_response *responses, size_t n,
		 const struct http_taker *taker, struct error *err);

static void init_backends(struct context *ctx)
{
	const struct options *o = ctx->options;
	const char *by = o->granularity;

	ctx->backends.channel = (struct backend_channel){
		.send = send,
		.show = o->dry_run ? dry_run_write : NULL,
		.listed = progress_listed,
		.context = ctx,
	};
	ctx->backends.arena = &ctx->arena;
	ctx->backends.notes = ctx->backends.gaps.notes = &ctx->notes;
	/* Where rows are functions, names will do. */
	ctx->backends.wants_span_lines = by && strcmp(by, "function") != 0;
}

bool context_init(struct context *ctx, const struct options *o,
		  struct error *err)
{
	memset(ctx, 0, sizeof *ctx);
	ctx->options = o;
	arena_init(&ctx->arena, LIMIT_CONTEXT_BYTES);
	notes_init(&ctx->notes);
	init_backends(ctx);
	ctx->backends.now_ns = clock_now_ns();
	if (o->now && !parse_time(str_from(o->now), ctx->backends.now_ns,
				  &ctx->backends.now_ns, err))
		return error_prefix(err, "TRACEFIND_NOW");
	if (o->record && o->replay)
		return error_set(err, ERROR_USAGE,
				 "--record and --replay exclude each other");
	if (o->replay) {
		ctx->is_replay_own = !o->replayed;
		ctx->replay =
			o->replayed ? o->replayed : har_open(o->replay, err);
		if (!ctx->replay)
			return false;
		ctx->backends.now_ns = har_now_ns(ctx->replay);
	}
	if (o->record || (o->embed_case && !o->replay)) {
		ctx->record = har_new(err);
		if (!ctx->record)
			return false;
		har_set_run(ctx->record, ctx->backends.now_ns,
			    (int)o->raw_count, o->raw_args);
	}
	if (!open_cache(ctx, err) || !context_sides_init(ctx, err) ||
	    !open_export(ctx, err))
		return false;
	open_profile_cache(ctx);
	sandbox_enter(ctx);
	return true;
}

void context_release(struct context *ctx)
{
	http_client_free(ctx->backends.client);
	profiles_release(&ctx->backends.profiles);
	cache_close(ctx->cache);
	har_free(ctx->record);
	if (ctx->is_replay_own)
		har_free(ctx->replay);
	for (int i = 0; i < SERVER_SIDES; i++)
		for (size_t k = 0; k < 2; k++)
			secret_free(backends_side(&ctx->backends,
						  (enum server_side)i)
					    ->secrets[k]);
	google_login_free(ctx->login);
	arena_wipe(&ctx->arena);
	arena_release(&ctx->arena);
}

/* ---- tokens that a command or a login gives ---- */

static struct side *side_of(struct context *ctx, const struct endpoint *e)
{
	int side = SERVER_SIDES - 1;

	while (side > 0 && strcmp(e->option_prefix + 2,
				  server_side_name((enum server_side)side)))
		side--;
	return backends_side(&ctx->backends, (enum server_side)side);
}

static struct google_login_want login_want(const struct options *o)
{
	return (struct google_login_want){
		.connect_timeout_ns = o->connect_timeout_ns,
		.timeout_ns = o->timeout_ns,
		.retries = (unsigned)o->retry,
		.is_verbose = o->verbose > 0,
		.say = message_info,
	};
}

static bool ask_token(const struct context *ctx, struct side *s,
		      struct error *err)
{
	const struct google_login_want want = login_want(ctx->options);

	if (s->has_login)
		return google_login_again(ctx->login, &s->endpoint, &want, err);
	return token_command_run(s->token_command,
				 ctx->options->timeout_ns / NS_PER_MS,
				 s->secrets[1], err);
}

static bool ensure_tokens(struct context *ctx,
			  const struct http_request *requests, size_t n,
			  struct error *err)
{
	const struct google_login_want want = login_want(ctx->options);

	for (size_t i = 0; i < n && !ctx->replay; i++) {
		struct side *s = side_of(ctx, requests[i].endpoint);

		if (s->has_login &&
		    !google_login_ensure(ctx->login, &s->endpoint, &want, err))
			return false;
		if (!s->token_command || s->has_token)
			continue;
		s->has_token = ask_token(ctx, s, err);
		if (!s->has_token)
			return false;
	}
	return true;
}

/* Once a run and side; all that the same batch was refused goes again. */
static bool renew_token(void *context, const struct endpoint *e)
{
	struct context *ctx = context;
	struct side *s = side_of(ctx, e);
	unsigned *renewed =
		s->has_login ? &ctx->login_batch : &s->renewed_batch;
	struct error err;
	char *old;
	bool is_new;

	if (!s->token_command && !s->has_login)
		return false;
	if (*renewed)
		return *renewed == ctx->batch_count;
	old = mem_strdup(s->endpoint.token);
	if (!old)
		return false;
	is_new = ask_token(ctx, s, &err);
	/* Where a login fails there is no answer to have notes. */
	if (!is_new && s->has_login)
		message_info("no new token after a 401: %s", err.message);
	else if (!is_new)
		notes_add(&ctx->notes, "no new token after a 401: %s",
			  err.message);
	is_new = is_new && strcmp(old, s->endpoint.token) != 0;
	*renewed = is_new ? ctx->batch_count : UINT_MAX;
	secret_free(old);
	return is_new;
}

static bool ensure_client(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct http_settings settings = {
		.connect_timeout_ms = o->connect_timeout_ns / NS_PER_MS,
		.stall_timeout_ms = 15000,
		.timeout_ms = (ctx->most_ns ? ctx->most_ns : o->timeout_ns) /
			      NS_PER_MS,
		.retries = (unsigned)o->retry,
		.most_requests = ctx->most_requests,
		.is_long = ctx->is_long,
		.record = ctx->record,
		.replay = ctx->replay,
		.cache = ctx->cache,
		.renew_token = renew_token,
		.renew_context = ctx,
		.on_progress = progress_begin(o) ? progress_show : NULL,
	};

	if (!ctx->backends.client)
		ctx->backends.client = http_client_new(&settings, err);
	return ctx->backends.client != NULL;
}

static bool send(void *context, struct http_request *requests,
		 struct http_response *responses, size_t n,
		 const struct http_taker *taker, struct error *err)
{
	struct context *ctx = context;
	bool done;

	if (ctx->options->dry_run)
		return dry_run_write(NULL, requests, n, err) &&
		       dry_run_stop(err);
	ctx->batch_count++;
	/* The client first: from then on the run's time counts. */
	done = ensure_client(ctx, err) &&
	       ensure_tokens(ctx, requests, n, err) &&
	       http_run_each(ctx->backends.client, requests, responses, n,
			     taker, err);
	progress_clear();
	return done;
}

static bool copy_requests(struct context *ctx, struct result *result,
			  struct error *err)
{
	const struct http_log_entry *log;
	size_t count =
		ctx->backends.client ? http_log(ctx->backends.client, &log) : 0;

	if (!count)
		return true;
	result->requests =
		arena_array(&result->arena, count, sizeof *result->requests);
	if (!result->requests)
		return arena_fail(&result->arena, "the answer", err);
	for (size_t i = 0; i < count; i++)
		result->requests[i] = (struct request_info){
			.method = str_from(log[i].method),
			.url = str_from(log[i].url),
			.status = log[i].status,
			.bytes = log[i].bytes,
			.duration_ns = log[i].duration_ns,
		};
	result->request_count = count;
	return true;
}

bool context_report(struct context *ctx, struct result *result,
		    struct error *err)
{
	if (ctx->backends.cut_share > 0)
		notes_add(&ctx->notes,
			  "%.1f %% of the profile is under \"other\": the "
			  "server cut small functions off",
			  100 * ctx->backends.cut_share);
	notes_append(&result->notes, &ctx->notes);
	if (ctx->backends.gaps.count && !confidence_report_gaps(result, err))
		return false;
	return copy_requests(ctx, result, err);
}

/* What the run took of a quota that others share. */
static void list_spent(const struct trace_backend *t,
		       const struct http_log_entry *log, size_t count)
{
	struct buf text;

	if (!t || !t->spent)
		return;
	buf_init(&text, LIMIT_ERROR_BYTES);
	t->spent(log, count, &text);
	message_info("%s", buf_text(&text));
	buf_release(&text);
}

static void list_requests(const struct context *ctx)
{
	const struct http_log_entry *log = NULL;
	size_t count =
		ctx->backends.client ? http_log(ctx->backends.client, &log) : 0;
	unsigned rounds = count > 0 ? log[count - 1].round : 0;
	char took[24];

	for (size_t i = 0; i < count; i++) {
		format_duration(log[i].duration_ns, took);
		/* The URL last: a message is cut at its end. */
		message_info("%u: %d, %" PRId64 " bytes, %s%s: %s %s",
			     log[i].round, log[i].status, log[i].bytes, took,
			     log[i].is_cached   ? ", from the cache"
			     : log[i].tries > 1 ? ", after retries"
						: "",
			     log[i].method, log[i].url);
	}
	message_info("%zu request%s in %u round%s", count, &"s"[count == 1],
		     rounds, &"s"[rounds == 1]);
	list_spent(backends_traces(&ctx->backends), log, count);
}

/* A lack of memory is told in the end, whatever it was for. */
static void tell_lost_cache(const struct error *lost)
{
	if (lost && lost->code && lost->code != ERROR_MEMORY)
		message_info("%s", lost->message);
}

/* Whether the case file, if there is to be one, was written. */
static bool finish_record(struct context *ctx, bool done, struct error *err)
{
	if (!ctx->record || !ctx->options->record)
		return true;
	if (ctx->backends.client)
		return har_write(ctx->record, ctx->options->record, err);
	/* Of a run that failed, the reason says enough. */
	if (done && !ctx->options->dry_run)
		message_info("--record: no server was asked, so there is "
			     "nothing to keep in %s",
			     ctx->options->record);
	return true;
}

/* What weakens an answer may be why there is none. One that could not be
 * written is none of it. */
static void tell_notes(const struct context *ctx, const struct error *err)
{
	const struct notes *notes = &ctx->notes;

	if (ctx->has_told_notes || ctx->options->quiet ||
	    err->code == ERROR_STOPPED || err->code == ERROR_OUTPUT)
		return;
	for (size_t i = 0; i < notes->count; i++)
		if (!err->message[0] || !strstr(notes->text[i], err->message))
			message_info("note: %s", notes->text[i]);
}

/* Nothing was found where not all was seen: that is no news of the data. */
static void blame_gaps(const struct context *ctx, struct error *err)
{
	const struct gaps *gaps = &ctx->backends.gaps;

	if (!gaps->first.code || err->code != ERROR_NOT_FOUND)
		return;
	err->code = gaps->first.code;
	if (!strstr(err->message, gaps->first.message))
		error_prefix(err, "not all that was asked was answered (%s)",
			     gaps->first.message);
}

static bool check_gaps(const struct context *ctx, struct error *err)
{
	return !ctx->options->strict || !ctx->backends.gaps.count ||
	       error_set(err, ERROR_PARTIAL,
			 "not all that was asked was answered (--strict)");
}

bool context_finish(struct context *ctx, bool done, struct error *err)
{
	const struct profile_backend *p = backends_profiles(&ctx->backends);
	struct error late = { 0 };

	if (!done)
		blame_gaps(ctx, err);
	if (!done || ctx->is_answer_bare)
		tell_notes(ctx, err);
	if (ctx->options->verbose)
		list_requests(ctx);
	if (ctx->backends.client)
		tell_lost_cache(http_cache_error(ctx->backends.client));
	if (p->lost)
		tell_lost_cache(p->lost(&ctx->backends.profiles));
	if (finish_record(ctx, done, &late))
		return done && check_gaps(ctx, err);
	if (!done && err->code != ERROR_STOPPED)
		message_error(err);
	*err = late;
	return false;
}

int context_end(struct context *ctx, bool done, struct error *err)
{
	done = context_finish(ctx, done, err);
	if (!done)
		message_error(err);
	context_release(ctx);
	return done ? 0 : error_exit_code(err->code);
}
