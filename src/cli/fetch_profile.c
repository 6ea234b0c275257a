/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fetch.h"

#include <string.h>

#include "base/mem.h"
#include "cli/input.h"

bool fetch_profile_file(struct context *ctx, const char *path, struct str type,
			struct profile *profile, struct error *err)
{
	struct profile_want want = { .type = type };
	struct input in;
	bool done = false;

	if (!input_read(&in, path, err))
		goto out;
	if (format_is_trace(in.format)) {
		error_set(err, ERROR_FORMAT,
			  "%s: a profile is needed, this is a trace (%s); try "
			  "tracefind slow or show",
			  in.name, format_name(in.format));
	} else if (in.format == FORMAT_UNKNOWN) {
		error_set(err, ERROR_FORMAT,
			  "%s: neither pprof nor folded stacks; it looks like "
			  "%s",
			  in.name, in.looks_like);
	} else {
		done = decode_profile(in.format, in.bytes, &want, profile,
				      &ctx->notes, err) ||
		       error_prefix(err, "%s", in.name);
	}
out:
	input_release(&in);
	return done;
}

static bool decode_answer(struct context *ctx, enum body_form form,
			  const struct http_response *response,
			  struct profile_fetch *f)
{
	enum format format =
		form == BODY_PPROF ? FORMAT_PPROF : FORMAT_PYROSCOPE_TREE_PB;
	/* A tree does not say what it counts; the question did. */
	struct profile_want want = { form == BODY_PPROF
					     ? STR("")
					     : str_from(f->query.type_id) };

	profile_release(f->into);
	profile_init(f->into);
	return decode_profile(format, buf_str(&response->body), &want, f->into,
			      &ctx->notes, &f->err) ||
	       error_prefix(&f->err, "pyroscope: profile");
}

/* Judges one answer; true when this fetch is finished, well or not. */
static bool take_answer(struct context *ctx, struct profile_fetch *f,
			const struct http_response *response)
{
	enum body_form form;
	enum answer answer;

	error_clear(&f->err);
	answer = source_profile_answer(&f->query, f->attempt,
				       &ctx->profiles.endpoint, response, &form,
				       &f->err);
	if (answer == ANSWER_TRY_NEXT &&
	    f->attempt + 1 < source_profile_attempts(&f->query)) {
		f->attempt++;
		return false;
	}
	if (answer == ANSWER_OK) {
		f->has_answer = decode_answer(ctx, form, response, f);
		f->is_tree = form == BODY_PYROSCOPE_TREE_PB;
		if (f->has_answer && f->is_tree && !f->query.span_id)
			notes_add(&ctx->notes,
				  "the profile came through the fallback call: "
				  "no files and lines");
	} else if (answer == ANSWER_MISS) {
		f->has_answer = true; /* an empty profile */
	}
	return true;
}

struct round {
	struct http_request requests[LIMIT_BATCH];
	struct http_response responses[LIMIT_BATCH];
	size_t fetch_of[LIMIT_BATCH];
	size_t count;
};

static void round_release(struct round *r, size_t own)
{
	for (size_t i = 0; i < own; i++) {
		http_request_release(&r->requests[i]);
		http_response_release(&r->responses[i]);
	}
}

static bool round_add(struct context *ctx, struct round *r, size_t index,
		      const struct profile_fetch *f, struct error *err)
{
	if (r->count == LIMIT_BATCH)
		return error_set(err, ERROR_INTERNAL,
				 "too many requests in one round");
	r->fetch_of[r->count] = index;
	return source_profile_request(&ctx->profiles.endpoint, &f->query,
				      f->attempt, &r->requests[r->count++],
				      err);
}

/* One round: every unfinished fetch at its attempt, extras behind them. */
static bool round_run(struct context *ctx, struct round *r,
		      struct profile_fetch *fetches, bool *is_done, size_t n,
		      struct http_request *extra,
		      struct http_response *extra_responses, size_t extra_count,
		      struct error *err)
{
	size_t own, i;
	bool done = false;

	memset(r, 0, sizeof *r);
	for (i = 0; i < n; i++)
		if (!is_done[i] && !round_add(ctx, r, i, &fetches[i], err))
			goto out;
	own = r->count;
	if (own + extra_count > LIMIT_BATCH) {
		error_set(err, ERROR_INTERNAL, "too many requests in a round");
		goto out;
	}
	for (i = 0; i < extra_count; i++)
		r->requests[own + i] = extra[i];
	done = context_run(ctx, r->requests, r->responses, own + extra_count,
			   err);
	for (i = 0; i < extra_count; i++)
		extra_responses[i] = r->responses[own + i];
	for (i = 0; done && i < own; i++)
		is_done[r->fetch_of[i]] = take_answer(
			ctx, &fetches[r->fetch_of[i]], &r->responses[i]);
out:
	round_release(r, r->count);
	return done;
}

static bool all_done(const bool *is_done, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_done[i])
			return false;
	return true;
}

bool fetch_profiles(struct context *ctx, struct profile_fetch *fetches,
		    size_t n, struct http_request *extra,
		    struct http_response *extra_responses, size_t extra_count,
		    struct error *err)
{
	bool is_done[LIMIT_BATCH] = { false };
	struct round *r = mem_alloc(sizeof *r);
	bool done = true;

	if (!r)
		return error_memory(err, "requests");
	do {
		done = round_run(ctx, r, fetches, is_done, n, extra,
				 extra_responses, extra_count, err);
		extra_count = 0;
	} while (done && !all_done(is_done, n));
	mem_free(r);
	return done;
}
