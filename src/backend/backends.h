/* SPDX-License-Identifier: Apache-2.0
 *
 * The servers of a run, for traces, profiles and metrics: where they are, what
 * was found out about them, and the way to them. Knows no options, and not who
 * asks: how requests are sent (logins, dry runs, progress) is the caller's.
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

/* Questions that were put to servers for an answer and were not answered: what
 * the answer was made without. Each is noted, so that no figure is missing in
 * silence; that there are some weakens the answer (context_report()) and ends a
 * run with --strict. */

/* Notes of a run about them: what many have in common these tell. */
#define GAPS_TOLD 8u

struct gaps {
	struct notes *notes; /* of the run, whatever is looked at aside */
	size_t count;
	size_t told_count;
	struct error first; /* why there was no answer to it */
};

/* One more. */
void gaps_count(struct gaps *g, const struct error *err);

/* Notes what about there is no answer. */
void gaps_tell(struct gaps *g, const char *about, const struct error *err);

struct side {
	enum server_side kind;
	struct endpoint endpoint;
	const struct backend_row *row; /* NULL until probed, and for files */
	const char *path;              /* of a file */
	void *room;       /* what its backend remembers; NULL: nothing */
	char *secrets[2]; /* password, token: wiped at release */
	/* Its token goes into secrets[1] before the first request of this
	 * side; endpoints that were copied point there. NULL: none. */
	const char *token_command;
	bool has_token;
	bool has_login;         /* its token is that of the run's login */
	unsigned renewed_batch; /* whose 401 a new token answered; 0: none */
	const char *headers[LIMIT_HEADERS + 1]; /* one of ours, too */
	bool is_default;                        /* no URL was given */
	bool is_kind_given;                     /* or was asked about */
};

/* How the outputs take the stacks of files. */
enum stack_order {
	STACKS_IN_ORDER = 0,
	STACKS_ANY_ORDER, /* but equal ones together, of several files, too */
	STACKS_SUMMED,    /* they are only added up */
};

/* How requests get to servers; the tests of what asks have one of their own. */
struct backend_channel {
	/* Sends a batch and hands over the answers: http_run_each(). */
	bool (*send)(void *context, struct http_request *requests,
		     struct http_response *responses, size_t n,
		     const struct http_taker *taker, struct error *err);
	/* Instead of sending, in a dry run: shows the requests, with a comment
	 * or NULL above them. NULL: they are sent. */
	bool (*show)(const char *comment, const struct http_request *requests,
		     size_t n, struct error *err);
	/* How many things a server has listed so far, where that takes long. */
	void (*listed)(uint32_t count);
	void *context;
};

struct backends {
	struct backend_channel channel;
	struct http_client *client; /* NULL: nothing was sent yet */
	struct arena *arena;        /* for what answers of the run say */
	struct notes *notes;
	/* What decoders of profiles are asked for; its type is set by call. */
	struct profile_want want;
	enum stack_order file_order;
	bool wants_span_lines; /* names of functions are not enough */
	int64_t now_ns;
	struct trace_files *trace_files; /* of the run's trace, or NULL */
	struct side traces;
	struct side profiles;
	struct side metrics;
	struct side to; /* has logins and no address: address.h */
	unsigned
		more_pages; /* asked for after short ones of a list of traces */
	double cut_share;   /* most of a profile under "other" */
	int64_t profile_window_ns; /* longest the server takes, 0: not known */
	struct gaps gaps;
	/* What questions before this one used, see backends_begin(). */
	size_t earlier_requests;
	size_t saved_requests;
	unsigned earlier_rounds;
};

/* Sends a batch. */
bool backends_send(struct backends *b, struct http_request *requests,
		   struct http_response *responses, size_t n,
		   struct error *err) MUST_CHECK;

/* The same, answer by answer: http_run_each(). */
bool backends_send_each(struct backends *b, struct http_request *requests,
			struct http_response *responses, size_t n,
			const struct http_taker *taker,
			struct error *err) MUST_CHECK;

struct side *backends_side(struct backends *b, enum server_side side);

/* Requests of the run so far. */
size_t backends_requests_sent(const struct backends *b);

/* Begins a question of its own, as of a run: what was used before does not
 * count in the next two. */
void backends_begin(struct backends *b);

/* Returns the rest of LIMIT_ORDINARY_REQUESTS and LIMIT_ORDINARY_ROUNDS that is
 * not used up. All of it where profiles are chosen from a list on this side:
 * finer questions cost no request there. */
size_t backends_requests_left(const struct backends *b);

/* So many of them were not needed: nobody else spends them. */
void backends_save_requests(struct backends *b, size_t count);
unsigned backends_rounds_left(const struct backends *b);

/* Finds out what answers at the traces URL; once a run. */
bool backends_probe_traces(struct backends *b, struct error *err) MUST_CHECK;

/* The server of traces; NULL until it was probed, and for files. */
const struct trace_backend *backends_traces(const struct backends *b);

/* Who may answer at the traces' address: the kind that it tells, else those
 * that can be recognised, in the order of the table, each with the address that
 * was given or its default. None where nothing is to be recognised. They
 * borrow from b. */
enum { TRACE_CANDIDATES = 4 };
struct trace_candidate {
	const struct backend_row *row;
	const struct trace_probe *probe;
	struct endpoint endpoint;
};
size_t backends_trace_candidates(const struct backends *b,
				 struct trace_candidate out[TRACE_CANDIDATES]);

/* Asks for the kinds that are none of the candidates, given what the last of
 * those answered when it was no such server. *is_found: the traces' server is
 * known. */
bool backends_probe_late(struct backends *b, const struct trace_candidate *last,
			 const struct http_response *answer, bool *is_found,
			 struct error *err) MUST_CHECK;

/* "Tempo or Jaeger", or with their addresses. */
void trace_candidates_name(const struct trace_candidate *list, size_t count,
			   bool has_addresses, struct buf *out);

/* "tempo http://localhost:3200", "Cloud Trace my-project", without secrets;
 * lives in the arena. */
struct str backends_side_name(struct backends *b, const struct side *side);

/* Where a person looks at a trace of the server: an address that holds no
 * secrets, empty when there is none; lives in the arena. */
struct str backends_trace_page(struct backends *b, const struct trace_id *id);

/* The server of profiles, as far as it is known; of files that of the first
 * kind, which nobody asks. */
const struct profile_backend *backends_profiles(const struct backends *b);

/* Returns the abilities of the servers of both sides; those of the first of the
 * table while none is known. */
const struct trace_traits *backends_trace_traits(const struct backends *b);
const struct profile_traits *backends_profile_traits(const struct backends *b);

#endif
