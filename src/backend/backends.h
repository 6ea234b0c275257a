/* SPDX-License-Identifier: Apache-2.0
 *
 * The servers of a run, for traces, profiles and metrics: their addresses, what
 * is known about them, and the channel that requests go through. The caller
 * decides how requests are sent (logins, dry runs, progress).
 */
#ifndef BACKEND_BACKENDS_H
#define BACKEND_BACKENDS_H

#include <stddef.h>

#include "backend/profile_backend.h"
#include "backend/source.h"
#include "backend/trace_backend.h"
#include "base/error.h"
#include "base/notes.h"
#include "decode/decode.h"

/* Queries without an answer, without which a result was made. Each gets a note,
 * so that no figure is missing silently; any gap weakens the result
 * (context_report()) and makes a run with --strict fail. */

/* Maximum number of notes about gaps. */
#define GAPS_TOLD 8u

struct gaps {
	struct notes *notes; /* of the run */
	size_t count;
	size_t told_count;
	struct error first; /* why the first query got no answer */
};

/* Counts one more gap. */
void gaps_count(struct gaps *g, const struct error *err);

/* Begins the notes of gaps_tell(). */
#define GAPS_NOTE_FRONT "query for "

/* Adds a note that the query for the subject failed, and why. */
void gaps_tell(struct gaps *g, const char *about, const struct error *err);

struct side {
	enum server_side kind;
	struct endpoint endpoint;
	const struct backend_row *row; /* NULL until probed, and for files */
	const char *path;              /* of a file */
	void *room;                    /* state of its backend; NULL: none */
	char *secrets[2];              /* password, token: wiped at release */
	/* Command whose output becomes secrets[1] before the first request of
	 * this side; copies of the endpoint point there. NULL: none. */
	const char *token_command;
	bool has_token;
	bool has_login;         /* its token comes from the login of the run */
	unsigned renewed_batch; /* batch whose 401 was answered with a new
				 * token; 0: none */
	const char *headers[LIMIT_HEADERS + 1]; /* includes one slot for our
						 * header */
	bool is_default;                        /* no URL was given */
	bool is_kind_given;                     /* or was probed */
};

/* The order in which consumers accept stacks of files. */
enum stack_order {
	STACKS_IN_ORDER = 0,
	STACKS_ANY_ORDER, /* but equal stacks are adjacent, also across files */
	STACKS_SUMMED,    /* order is irrelevant: they are only added up */
};

/* The channel through which requests reach servers; tests supply their own. */
struct backend_channel {
	/* Sends a batch and passes each answer to the taker, see
	 * http_run_each(). */
	bool (*send)(void *context, struct http_request *requests,
		     struct http_response *responses, size_t n,
		     const struct http_taker *taker, struct error *err);
	/* In a dry run called instead of send: shows the requests, below a
	 * comment unless that is NULL. NULL: not a dry run. */
	bool (*show)(const char *comment, const struct http_request *requests,
		     size_t n, struct error *err);
	/* Reports progress: the number of items listed so far, where that takes
	 * long. */
	void (*listed)(uint32_t count);
	void *context;
};

struct backends {
	struct backend_channel channel;
	struct http_client *client; /* NULL before the first request */
	struct arena *arena;        /* for strings from answers, for the whole
				     * run */
	struct notes *notes;
	/* Options for decoders of profiles; the type is set per call. */
	struct profile_want want;
	enum stack_order file_order;
	bool wants_span_lines; /* names of functions alone are not enough */
	int64_t now_ns;
	struct trace_files *trace_files; /* of the run's trace, or NULL */
	struct side traces;
	struct side profiles;
	struct side metrics;
	struct side to;      /* has logins and no address: address.h */
	unsigned more_pages; /* pages to fetch after short ones in lists of
			      * traces */
	double cut_share;    /* largest share of a profile under "other" */
	int64_t profile_window_ns; /* longest window that the server accepts, 0:
				    * not known */
	struct gaps gaps;
	/* Use by earlier queries of the run, see backends_begin(). */
	size_t earlier_requests;
	size_t saved_requests;
	unsigned earlier_rounds;
};

/* Sends a batch. */
bool backends_send(struct backends *b, struct http_request *requests,
		   struct http_response *responses, size_t n,
		   struct error *err) MUST_CHECK;

/* Sends a batch, answer by answer: http_run_each(). */
bool backends_send_each(struct backends *b, struct http_request *requests,
			struct http_response *responses, size_t n,
			const struct http_taker *taker,
			struct error *err) MUST_CHECK;

struct side *backends_side(struct backends *b, enum server_side side);

/* Returns the number of requests sent in the run so far. */
size_t backends_requests_sent(const struct backends *b);

/* Starts a new budget: requests and rounds used so far do not count in the
 * functions below. */
void backends_begin(struct backends *b);

/* Returns what is left of LIMIT_ORDINARY_REQUESTS and LIMIT_ORDINARY_ROUNDS.
 * Always the whole limit if profiles are summed locally from a list: further
 * queries cost no request there. */
size_t backends_requests_left(const struct backends *b);

/* Reduces the budget by requests that turned out not to be needed. */
void backends_save_requests(struct backends *b, size_t count);
unsigned backends_rounds_left(const struct backends *b);

/* Detects the kind of server at the traces URL; once a run. */
bool backends_probe_traces(struct backends *b, struct error *err) MUST_CHECK;

/* Returns the traces server; NULL before it was probed, and for files. */
const struct trace_backend *backends_traces(const struct backends *b);

/* The kinds of server that may be behind the traces address: the one that its
 * prefix names, else those with a probe, in the order of the table, each with
 * the given address or its default. None where there is nothing to probe. They
 * borrow from b. */
enum { TRACE_CANDIDATES = 4 };
struct trace_candidate {
	const struct backend_row *row;
	const struct trace_probe *probe;
	struct endpoint endpoint;
};
size_t backends_trace_candidates(const struct backends *b,
				 struct trace_candidate out[TRACE_CANDIDATES]);

/* Probes for the kinds that are not among the candidates, given the last
 * candidate's answer, which did not match. *is_found: the kind of the traces
 * server is known. */
bool backends_probe_late(struct backends *b, const struct trace_candidate *last,
			 const struct http_response *answer, bool *is_found,
			 struct error *err) MUST_CHECK;

/* Appends "Tempo or Jaeger", or with their addresses. */
void trace_candidates_name(const struct trace_candidate *list, size_t count,
			   bool has_addresses, struct buf *out);

/* Returns "tempo http://localhost:3200", "Cloud Trace my-project", without
 * secrets; lives in the arena. */
struct str backends_side_name(struct backends *b, const struct side *side);

/* Returns the URL of the trace in the web UI of the server, without secrets, or
 * an empty string; lives in the arena. */
struct str backends_trace_page(struct backends *b, const struct trace_id *id);

/* Returns the profile server as far as it is known; for files that of the first
 * row, which is not queried. */
const struct profile_backend *backends_profiles(const struct backends *b);

/* Returns the capabilities of the servers of both sides; those of the first row
 * of the table while the server is not known. */
const struct trace_traits *backends_trace_traits(const struct backends *b);
const struct profile_traits *backends_profile_traits(const struct backends *b);

#endif
