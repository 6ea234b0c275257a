/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "backend/google_login.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "cli/config.h"
#include "cli/context_sides.h"
#include "cli/dry_run.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "report/confidence.h"
#include "wire/auth.h"
#include "wire/cache.h"
#include "wire/redact.h"
#include "wire/token_command.h"

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
