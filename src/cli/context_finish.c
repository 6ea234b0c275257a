/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <inttypes.h>
#include <string.h>

#include "base/timefmt.h"
#include "cli/message.h"

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
