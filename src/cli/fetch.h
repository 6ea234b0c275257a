/* SPDX-License-Identifier: Apache-2.0
 *
 * Getting models: source/ builds requests and judges answers, decode/ turns
 * bytes into models; this file runs the attempts in order and knows both.
 */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include "cli/context.h"
#include "model/profile.h"
#include "model/trace.h"

/* Fetches or reads the trace; no spans is ERROR_NOT_FOUND. *source names
 * where it came from. */
bool fetch_trace(struct context *ctx, const char *arg, struct trace *trace,
		 struct str *source, struct error *err) MUST_CHECK;

/* Reads a profile file ("-" = standard input). */
bool fetch_profile_file(struct context *ctx, const char *path, struct str type,
			struct profile *profile, struct error *err) MUST_CHECK;

/* One profile wanted from the server; several are fetched together. */
struct profile_fetch {
	struct profile_query query;
	struct profile *into; /* initialised; no samples: stack_count 0 */
	unsigned attempt;     /* the attempt that answered */
	bool has_answer;
	bool is_tree;     /* it came as a tree: names only */
	struct error err; /* why there is none */
};

/* Runs n fetches side by side, `extra` requests (metadata) along with the
 * first round. Fallback attempts follow in later rounds. */
bool fetch_profiles(struct context *ctx, struct profile_fetch *fetches,
		    size_t n, struct http_request *extra,
		    struct http_response *extra_responses, size_t extra_count,
		    struct error *err) MUST_CHECK;

#endif
