/* SPDX-License-Identifier: Apache-2.0
 *
 * One run: options resolved into what the stages take. Holds the clock, the
 * endpoints with their secrets, the network client, the case file and the
 * notes of the run.
 */
#ifndef CLI_CONTEXT_H
#define CLI_CONTEXT_H

#include "backend/source.h"
#include "backend/traits.h"
#include "base/arena.h"
#include "base/notes.h"
#include "cli/options.h"
#include "decode/decode.h"
#include "model/result.h"
#include "wire/har.h"

#define DEFAULT_TEMPO_URL "http://localhost:3200"
#define DEFAULT_JAEGER_URL "http://localhost:16686"
#define DEFAULT_PYROSCOPE_URL "http://localhost:4040"

struct side {
	struct endpoint endpoint;
	enum source_kind kind; /* SOURCE_UNKNOWN until probed */
	const char *path;      /* SOURCE_FILE */
	char *secrets[2];      /* password, token: wiped at release */
	/* Its token goes into secrets[1] before the first request of this
	 * side; endpoints that were copied point there. NULL: none. */
	const char *token_command;
	bool has_token;
	bool has_login;         /* its token is that of context.login */
	unsigned renewed_batch; /* whose 401 a new token answered; 0: none */
	const char *headers[LIMIT_HEADERS + 1]; /* one of ours, too */
	bool is_default;                        /* no URL was given */
	bool is_kind_given;
};

struct cloud_profiles;

/* How the outputs take the stacks of files. */
enum stack_order {
	STACKS_IN_ORDER = 0,
	STACKS_ANY_ORDER, /* but equal ones together, of several files, too */
	STACKS_SUMMED,    /* they are only added up */
};

struct context {
	const struct options *options;
	struct arena arena;
	struct notes notes;
	bool has_told_notes; /* an answer holds them */
	/* What decoders of profiles are asked for; its type is set by call. */
	struct profile_want want;
	enum stack_order file_order;
	int64_t now_ns;
	struct side traces;
	struct side profiles;
	struct google_login *login; /* of sides of Google Cloud, or NULL */
	unsigned login_batch;       /* as renewed_batch, for all sides */
	unsigned batch_count;
	struct profile_cache *profile_cache; /* NULL: none, or not needed */
	struct error profile_cache_err;      /* why it is of no use */
	struct cloud_profiles *cloud; /* its list; NULL: not asked for yet */
	unsigned
		more_pages; /* asked for after short ones of a list of traces */
	bool is_parca_asked;        /* whether the profile server is one */
	double cut_share;           /* most of a profile under "other" */
	bool has_no_span_lines;     /* samples of spans come by name only */
	int64_t profile_window_ns;  /* longest the server takes, 0: not known */
	struct http_client *client; /* made when first needed */
	struct har *record;
	struct har *replay;
	bool is_replay_own;           /* not the options' */
	struct cache *cache;          /* of --cache */
	const char *cache_folders[2]; /* that are in use, NULL: none */
};

/* No network yet. Release also after failure. */
bool context_init(struct context *ctx, const struct options *o,
		  struct error *err) MUST_CHECK;
void context_release(struct context *ctx);

/* Writes the case file when one was asked for, and lists the requests with
 * -v. Call once, also when the run failed: done says whether it did not, and
 * err then why; its notes are then told here, unless an answer had them.
 * Returns whether all is well. That the case file could not be written is the
 * error of any run; another is told before. */
bool context_finish(struct context *ctx, bool done,
		    struct error *err) MUST_CHECK;

/* The folder of the cache, whether it is there or not. ERROR_USAGE when the
 * environment has no place for it. */
bool context_find_cache(struct arena *arena, struct str *folder,
			struct error *err) MUST_CHECK;

/* Runs a batch through the client. */
bool context_run(struct context *ctx, struct http_request *requests,
		 struct http_response *responses, size_t n,
		 struct error *err) MUST_CHECK;

/* The same, answer by answer: http_run_each(). */
bool context_run_each(struct context *ctx, struct http_request *requests,
		      struct http_response *responses, size_t n,
		      const struct http_taker *taker,
		      struct error *err) MUST_CHECK;

/* Of LIMIT_ORDINARY_REQUESTS and LIMIT_ORDINARY_ROUNDS, what is not used up
 * yet. All of it where profiles are chosen from a list on this side: finer
 * questions cost no request there. */
size_t context_requests_left(const struct context *ctx);
unsigned context_rounds_left(const struct context *ctx);

/* Finds out what answers at the traces URL; once a run. */
bool context_probe_traces(struct context *ctx, struct error *err) MUST_CHECK;

/* The endpoints to try for Tempo and Jaeger, in this order: the URL that was
 * given, or the default of each. They borrow from ctx. */
void context_trace_endpoints(const struct context *ctx,
			     struct endpoint endpoints[2]);

/* Puts notes and requests of the run into a result before rendering. */
bool context_report(struct context *ctx, struct result *result,
		    struct error *err) MUST_CHECK;

/* "tempo http://localhost:3200", "Cloud Trace my-project", without secrets;
 * lives in ctx->arena. */
struct str context_side_name(struct context *ctx, const struct side *side);

/* What the servers of both sides can do. */
const struct trace_traits *context_trace_traits(const struct context *ctx);
const struct profile_traits *context_profile_traits(const struct context *ctx);

#endif
