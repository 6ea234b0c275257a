/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/cloud_profiles.h"
#include "cli/config.h"
#include "cli/context_sides.h"
#include "cli/dry_run.h"
#include "cli/google_login.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "wire/auth.h"
#include "wire/cache.h"
#include "wire/profile_cache.h"
#include "wire/redact.h"
#include "wire/token_command.h"

/* XDG Base Directory Specification: a relative path counts as not set. */
bool context_find_cache(struct arena *arena, struct str *folder,
			struct error *err)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (base && *base == '/')
		*folder = arena_printf(arena, "%s/tracefind", base);
	else if (home && *home)
		*folder = arena_printf(arena, "%s/.cache/tracefind", home);
	else
		return error_set(err, ERROR_USAGE,
				 "--cache: there is no place for it: neither "
				 "XDG_CACHE_HOME nor HOME is set");
	return folder->ptr || arena_fail(arena, "the cache", err);
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
		ctx->now_ns -= ctx->now_ns % NS_PER_MIN;
	return ctx->cache != NULL;
}

/* A run does without it where there is no place for it. A case holds all that
 * was asked for. */
static void open_profile_cache(struct context *ctx)
{
	const struct options *o = ctx->options;
	struct error *err = &ctx->profile_cache_err;
	struct str folder;

	if (!context_profile_traits(ctx)->is_list || o->no_cache ||
	    o->dry_run || o->record || o->replay)
		return;
	if (!context_find_cache(&ctx->arena, &folder, err)) {
		error_clear(err);
		return;
	}
	folder = arena_printf(&ctx->arena, "%s/profiles", folder.ptr);
	if (folder.ptr)
		ctx->profile_cache = profile_cache_open(
			folder.ptr, o->config ? o->config->context : NULL,
			ctx->profiles.endpoint.url, err);
	if (ctx->profile_cache)
		ctx->cache_folders[1] = folder.ptr;
}

bool context_init(struct context *ctx, const struct options *o,
		  struct error *err)
{
	memset(ctx, 0, sizeof *ctx);
	ctx->options = o;
	arena_init(&ctx->arena, LIMIT_CONTEXT_BYTES);
	notes_init(&ctx->notes);
	ctx->now_ns = clock_now_ns();
	if (o->now &&
	    !parse_time(str_from(o->now), ctx->now_ns, &ctx->now_ns, err))
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
		ctx->now_ns = har_now_ns(ctx->replay);
	}
	if (o->record) {
		ctx->record = har_new(err);
		if (!ctx->record)
			return false;
		har_set_run(ctx->record, ctx->now_ns, (int)o->raw_count,
			    o->raw_args);
	}
	if (!open_cache(ctx, err) || !context_sides_init(ctx, err))
		return false;
	open_profile_cache(ctx);
	sandbox_enter(ctx);
	return true;
}

void context_release(struct context *ctx)
{
	struct side *sides[] = { &ctx->traces, &ctx->profiles };

	http_client_free(ctx->client);
	cloud_profiles_free(ctx->cloud);
	profile_cache_close(ctx->profile_cache);
	cache_close(ctx->cache);
	har_free(ctx->record);
	if (ctx->is_replay_own)
		har_free(ctx->replay);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 2; k++)
			secret_free(sides[i]->secrets[k]);
	google_login_free(ctx->login);
	arena_wipe(&ctx->arena);
	arena_release(&ctx->arena);
}

/* ---- tokens that a command or a login gives ---- */

static struct side *side_of(struct context *ctx, const struct endpoint *e)
{
	return strcmp(e->option_prefix, "--profiles") ? &ctx->traces
						      : &ctx->profiles;
}

static bool ask_token(const struct context *ctx, struct side *s,
		      struct error *err)
{
	if (s->has_login)
		return google_login_again(ctx->login, &s->endpoint,
					  ctx->options, err);
	return token_command_run(s->token_command,
				 ctx->options->timeout_ns / NS_PER_MS,
				 s->secrets[1], err);
}

static bool ensure_tokens(struct context *ctx,
			  const struct http_request *requests, size_t n,
			  struct error *err)
{
	for (size_t i = 0; i < n && !ctx->replay; i++) {
		struct side *s = side_of(ctx, requests[i].endpoint);

		if (s->has_login &&
		    !google_login_ensure(ctx->login, &s->endpoint, ctx->options,
					 err))
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
		.timeout_ms = o->timeout_ns / NS_PER_MS,
		.retries = (unsigned)o->retry,
		.record = ctx->record,
		.replay = ctx->replay,
		.cache = ctx->cache,
		.renew_token = renew_token,
		.renew_context = ctx,
		.on_progress = progress_begin(o) ? progress_show : NULL,
	};

	if (!ctx->client)
		ctx->client = http_client_new(&settings, err);
	return ctx->client != NULL;
}

bool context_run(struct context *ctx, struct http_request *requests,
		 struct http_response *responses, size_t n, struct error *err)
{
	return context_run_each(ctx, requests, responses, n, NULL, err);
}

bool context_run_each(struct context *ctx, struct http_request *requests,
		      struct http_response *responses, size_t n,
		      const struct http_taker *taker, struct error *err)
{
	bool done;

	if (ctx->options->dry_run)
		return dry_run_write(NULL, requests, n, err) &&
		       dry_run_stop(err);
	ctx->batch_count++;
	/* The client first: from then on the run's time counts. */
	done = ensure_client(ctx, err) &&
	       ensure_tokens(ctx, requests, n, err) &&
	       http_run_each(ctx->client, requests, responses, n, taker, err);
	progress_clear();
	return done;
}

size_t context_requests_left(const struct context *ctx)
{
	const struct http_log_entry *log;
	size_t sent = ctx->client ? http_log(ctx->client, &log) : 0;

	if (context_profile_traits(ctx)->is_list)
		return LIMIT_ORDINARY_REQUESTS;
	return sent < LIMIT_ORDINARY_REQUESTS ? LIMIT_ORDINARY_REQUESTS - sent
					      : 0;
}

unsigned context_rounds_left(const struct context *ctx)
{
	const struct http_log_entry *log;
	size_t sent = ctx->client ? http_log(ctx->client, &log) : 0;
	unsigned rounds = sent ? log[sent - 1].round : 0;

	if (context_profile_traits(ctx)->is_list)
		return LIMIT_ORDINARY_ROUNDS;
	return rounds < LIMIT_ORDINARY_ROUNDS ? LIMIT_ORDINARY_ROUNDS - rounds
					      : 0;
}

static const enum source_kind probe_kinds[] = { SOURCE_TEMPO, SOURCE_JAEGER };

static bool probe_fail(struct context *ctx,
		       const struct http_response *responses, size_t n,
		       struct error *err)
{
	if (ctx->traces.is_default && !responses[0].status &&
	    !responses[1].status)
		return error_set(err, ERROR_NETWORK,
				 "no trace server at " DEFAULT_TEMPO_URL
				 " (Tempo) or " DEFAULT_JAEGER_URL
				 " (Jaeger): name yours with --traces-url");
	/* By default they are different servers: the one that is there counts.
	 */
	if (ctx->traces.is_default &&
	    (!responses[0].status || !responses[1].status))
		return source_probe_fail(
			&ctx->traces.endpoint, "Tempo or Jaeger",
			&responses[!responses[0].status], 1, err);
	return source_probe_fail(&ctx->traces.endpoint, "Tempo or Jaeger",
				 responses, n, err);
}

void context_trace_endpoints(const struct context *ctx,
			     struct endpoint endpoints[2])
{
	endpoints[0] = endpoints[1] = ctx->traces.endpoint;
	if (!ctx->traces.is_default)
		return;
	endpoints[0].url = DEFAULT_TEMPO_URL;
	endpoints[1].url = DEFAULT_JAEGER_URL;
}

/* What answers neither question may still know the older one. */
static bool ask_old_jaeger(struct context *ctx, const struct endpoint *e,
			   struct http_response *response, struct error *err)
{
	struct http_request request = { 0 };
	bool done = source_old_jaeger_request(e, &request, err) &&
		    context_run(ctx, &request, response, 1, err);

	http_request_release(&request);
	return done;
}

static void settle(struct side *s, enum source_kind kind, const char *url)
{
	s->kind = kind;
	s->endpoint.url = url;
}

/* responses: of Tempo, of Jaeger, and room for that of an older one. */
static bool probe_judge(struct context *ctx, const struct endpoint endpoints[2],
			struct http_response responses[3], struct error *err)
{
	struct side *s = &ctx->traces;
	size_t n = 2;

	for (size_t i = 0; i < 2; i++)
		if (source_probe_matches(probe_kinds[i], &responses[i])) {
			settle(s, probe_kinds[i], endpoints[i].url);
			return true;
		}
	if (source_old_jaeger_is_likely(&responses[1])) {
		if (!ask_old_jaeger(ctx, &endpoints[1], &responses[n++], err))
			return false;
		if (source_old_jaeger_matches(&responses[2])) {
			settle(s, SOURCE_JAEGER, endpoints[1].url);
			return true;
		}
	}
	s->endpoint.url = endpoints[0].url;
	return probe_fail(ctx, responses, n, err);
}

/* Both kinds are asked at once; Tempo wins where both answer. */
static bool probe(struct context *ctx, struct error *err)
{
	struct endpoint endpoints[2];
	struct http_request requests[2] = { 0 };
	struct http_response responses[3] = { 0 };
	bool done = false;
	size_t i;

	context_trace_endpoints(ctx, endpoints);
	for (i = 0; i < 2; i++)
		if (!source_probe_request(probe_kinds[i], &endpoints[i],
					  ctx->now_ns, &requests[i], err))
			goto out;
	if (ctx->options->dry_run) {
		done = dry_run_write(
			"one of these tells which kind of server it is; from "
			"here on as if it were Tempo",
			requests, 2, err);
		settle(&ctx->traces, SOURCE_TEMPO, endpoints[0].url);
		goto out;
	}
	done = context_run(ctx, requests, responses, 2, err) &&
	       probe_judge(ctx, endpoints, responses, err);
out:
	for (i = 0; i < 2; i++)
		http_request_release(&requests[i]);
	for (i = 0; i < 3; i++)
		http_response_release(&responses[i]);
	return done;
}

bool context_probe_traces(struct context *ctx, struct error *err)
{
	return ctx->traces.kind != SOURCE_UNKNOWN || probe(ctx, err);
}

const struct trace_traits *context_trace_traits(const struct context *ctx)
{
	return trace_traits_of(ctx->traces.kind);
}

const struct profile_traits *context_profile_traits(const struct context *ctx)
{
	return profile_traits_of(ctx->profiles.kind, &ctx->profiles.endpoint);
}

struct str context_side_name(struct context *ctx, const struct side *side)
{
	struct buf url;
	struct str name;

	buf_init(&url, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&url,
		   str_from(side->endpoint.project ? side->endpoint.project
						   : side->endpoint.url));
	name = arena_printf(&ctx->arena, "%s %s", source_kind_name(side->kind),
			    buf_text(&url));
	buf_release(&url);
	return name.ptr ? name : STR("");
}

static bool copy_requests(struct context *ctx, struct result *result,
			  struct error *err)
{
	const struct http_log_entry *log;
	size_t count = ctx->client ? http_log(ctx->client, &log) : 0;

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
	if (ctx->cut_share > 0)
		notes_add(&ctx->notes,
			  "%.1f %% of the profile is under \"other\": the "
			  "server cut small functions off",
			  100 * ctx->cut_share);
	notes_append(&result->notes, &ctx->notes);
	return copy_requests(ctx, result, err);
}
