/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backends.h"
#include "backend/fetch_trace.h"
#include "backend/git_log.h"
#include "backend/input.h"
#include "base/arena.h"
#include "base/error.h"
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
#include "wire/har.h"
#include "wire/http.h"

/* --dry-run: shows requests instead of sending them. */

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
				 "%s: no folder to use: neither %s nor HOME is "
				 "set",
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

static bool requests_send(void *context, struct http_request *requests,
			  struct http_response *responses, size_t n,
			  const struct http_taker *taker, struct error *err);

static void init_backends(struct context *ctx)
{
	const struct options *o = ctx->options;
	const char *by = o->granularity;

	ctx->backends.channel = (struct backend_channel){
		.send = requests_send,
		.show = o->dry_run ? curl_lines_write : NULL,
		.listed = progress_listed,
		.context = ctx,
	};
	ctx->backends.arena = &ctx->arena;
	ctx->backends.notes = ctx->backends.gaps.notes = &ctx->notes;
	/* Where rows are functions, names will do. */
	ctx->backends.wants_span_lines = by && strcmp(by, "function") != 0;
}

static void origin_of_side(const void *options, enum server_side side,
			   const char *value, const char *common,
			   const char *name, char out[SIDE_ORIGIN_BYTES])
{
	options_side_origin(options, side, value, common, name, out);
}

static bool init_sides(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct sides_want w = {
		.common = &o->common,
		.is_replay = ctx->replay != NULL,
		.origin = origin_of_side,
		.context = o,
	};

	for (int i = 0; i < SERVER_SIDES; i++) {
		w.urls[i] = options_url(o, (enum server_side)i);
		options_side(o, (enum server_side)i, &w.settings[i]);
	}
	ctx->logins.want = (struct google_login_want){
		.connect_timeout_ns = o->connect_timeout_ns,
		.timeout_ns = o->timeout_ns,
		.retries = (unsigned)o->retry,
		.is_verbose = o->verbose > 0,
		.say = message_info,
	};
	return sides_init(&w, &ctx->logins, err);
}

bool context_init(struct context *ctx, const struct options *o,
		  struct error *err)
{
	memset(ctx, 0, sizeof *ctx);
	ctx->options = o;
	arena_init(&ctx->arena, LIMIT_CONTEXT_BYTES);
	notes_init(&ctx->notes);
	init_backends(ctx);
	ctx->logins.backends = &ctx->backends;
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
	if (!open_cache(ctx, err) || !init_sides(ctx, err) ||
	    !open_export(ctx, err))
		return false;
	open_profile_cache(ctx);
	/* --list shows sources, not who changed them. */
	if (o->source_path && !o->list)
		git_log_prepare();
	sandbox_enter(ctx);
	return true;
}

void context_release(struct context *ctx)
{
	http_client_free(ctx->backends.client);
	profiles_release(&ctx->backends.profiles);
	trace_files_free(ctx->backends.trace_files);
	cache_close(ctx->cache);
	har_free(ctx->record);
	if (ctx->is_replay_own)
		har_free(ctx->replay);
	sides_release(&ctx->logins);
	arena_wipe(&ctx->arena);
	arena_release(&ctx->arena);
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
		.renew_token = sides_renew_token,
		.renew_context = &ctx->logins,
		.on_progress = progress_begin(o) ? progress_show : NULL,
	};

	if (!ctx->backends.client)
		ctx->backends.client = http_client_new(&settings, err);
	return ctx->backends.client != NULL;
}

static bool requests_send(void *context, struct http_request *requests,
			  struct http_response *responses, size_t n,
			  const struct http_taker *taker, struct error *err)
{
	struct context *ctx = context;
	bool done;

	if (ctx->options->dry_run)
		return curl_lines_write(NULL, requests, n, err) &&
		       error_set(
			       err, ERROR_STOPPED,
			       "dry run: nothing was sent; further requests, if "
			       "any, depend on these answers");
	ctx->logins.batch++;
	/* The client first: from then on the run's time counts. */
	done = ensure_client(ctx, err) &&
	       sides_ensure_tokens(&ctx->logins, requests, n, err) &&
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

static void list_requests(const struct context *ctx)
{
	const struct trace_backend *t = backends_traces(&ctx->backends);
	const struct http_log_entry *log = NULL;
	size_t count =
		ctx->backends.client ? http_log(ctx->backends.client, &log) : 0;
	unsigned rounds = count > 0 ? log[count - 1].round : 0;
	char took[24];
	struct buf spent;

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
	if (!t || !t->spent)
		return;
	/* The part of a quota that others share. */
	buf_init(&spent, LIMIT_ERROR_BYTES);
	t->spent(log, count, &spent);
	message_info("%s", buf_text(&spent));
	buf_release(&spent);
}

/* A lack of memory is told in the end, whatever it was for. */
static void tell_lost_cache(const struct error *lost)
{
	if (lost && lost->code && lost->code != ERROR_MEMORY)
		message_info("%s", lost->message);
}

/* Returns whether the case file, if there is to be one, was written. */
static bool finish_record(struct context *ctx, bool done, struct error *err)
{
	if (!ctx->record || !ctx->options->record)
		return true;
	if (ctx->backends.client)
		return har_write(ctx->record, ctx->options->record, err);
	/* Of a run that failed, the reason says enough. */
	if (done && !ctx->options->dry_run)
		message_info("--record: no server was queried, so %s would be "
			     "empty",
			     ctx->options->record);
	return true;
}

/* Prints notes: what weakens an answer may be why there is none. One that could
 * not be written is none of it. */
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

bool context_finish(struct context *ctx, bool done, struct error *err)
{
	const struct profile_backend *p = backends_profiles(&ctx->backends);
	const struct gaps *gaps = &ctx->backends.gaps;
	struct error late = { 0 };

	/* Nothing was found where not all was seen: that is no news of the
	 * data. */
	if (!done && gaps->first.code && err->code == ERROR_NOT_FOUND) {
		err->code = gaps->first.code;
		if (!strstr(err->message, gaps->first.message))
			error_prefix(err, "not all queries were answered (%s)",
				     gaps->first.message);
	}
	if (!done || ctx->is_answer_bare)
		tell_notes(ctx, err);
	if (ctx->options->verbose)
		list_requests(ctx);
	if (ctx->backends.client)
		tell_lost_cache(http_cache_error(ctx->backends.client));
	if (p->lost)
		tell_lost_cache(p->lost(&ctx->backends.profiles));
	if (finish_record(ctx, done, &late)) {
		if (done && ctx->options->strict && gaps->count)
			return error_set(err, ERROR_PARTIAL,
					 "not all queries were answered "
					 "(--strict)");
		return done;
	}
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
