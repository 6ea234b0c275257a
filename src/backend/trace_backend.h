/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server of traces is: how each question is put to it, what its answers
 * mean, and what it can do. A kind of server is one such object in a room of
 * its own; all functions are pure. Knows no server by name, sends nothing, and
 * does not know who asks.
 */
#ifndef BACKEND_TRACE_BACKEND_H
#define BACKEND_TRACE_BACKEND_H

#include "backend/source.h"
#include "backend/trace_queries.h"
#include "decode/decode.h"
#include "decode/history.h"
#include "model/metrics.h"

struct trace_checkup;

/* The abilities of a server, and how much it gives at once. Code outside
 * backend/ goes by these, not for the name of a server. */
struct trace_traits {
	/* Requests use up a quota: it may end in the middle of a run, which is
	 * then told. */
	bool is_metered;
	/* Takes a user's own TraceQL. */
	bool takes_traceql;
	/* A condition on errors leaves nothing else in the answer. */
	bool finds_errors_only;
	/* Gives the slowest first. */
	bool sorts_by_duration;
	/* Durations in its lists may be that much off. */
	int64_t duration_slack_ns;
	/* Slices in which a slow window is asked about, and traces of each; 0:
	 * the window's own share. */
	unsigned history_slices;
	uint32_t history_slice_traces;
	/* Counts spans of a name for less than a search for them costs. */
	bool counts_names;
	/* Other traces that an answer may hold; 0: as many as are asked for. */
	uint32_t history_most;
	/* How often a run asks on after pages that hold fewer than that. */
	unsigned history_more_pages;
	/* Traces of a search at least and at most, and how often one may ask
	 * on. By pages: of a page, where spans are asked for, and where roots
	 * are. */
	uint32_t search_least;
	uint32_t search_most;
	unsigned search_rounds;
	uint32_t page_of_spans; /* 0: no pages */
	uint32_t page_of_roots;
};

/* Slices for a server without a quota: a slow window is divided so that its
 * beginning is not lost behind its end. */
#define HISTORY_SLICES 4u
/* Each round keeps a tenth at default settings: this is a hundred million
 * traces. */
#define SEARCH_ROUNDS 8u

/* Reads the answer to a search, as decode/history.h has it. */
typedef bool search_decoder(struct str bytes, struct history *h,
			    const struct history_want *want, struct error *err);

/* A cheap GET by whose answer a server is recognised. */
struct trace_probe {
	const char *path; /* NULL: none */
	bool (*matches)(const struct http_response *response);
};

/* Paths are appended with their query, behind that of the project where there
 * is one. An answer sets err for all but ANSWER_OK: ANSWER_MISS says that
 * nothing is there, ANSWER_TRY_NEXT that another attempt may serve: the next
 * one, or the one that was set where the attempt is a pointer. */
struct trace_backend {
	const char *name;  /* as messages begin: "tempo" */
	const char *title; /* "Tempo" */
	const char *noun;  /* within a sentence: "a Tempo" */
	struct trace_traits traits;
	/* What to check when a trace is not there; NULL: tenant and the like */
	const char *missing_advice;

	/* Both NULL: it is known by its address. The second is asked only where
	 * no server gave an answer that matches and this one, or at its address
	 * another, lacks the route. */
	struct trace_probe probe;
	struct trace_probe late_probe;
	/* Build information, for status_version_read(); NULL: none. */
	const char *version_path;
	/* What only those may ask who may read; NULL: all of it. */
	const char *login_path;
	/* What doctor asks of it beyond that; NULL: nothing. */
	const struct trace_checkup *checkup;

	/* A trace by its id, which is checked already; attempts from best to
	 * last. */
	unsigned attempts;
	void (*trace_path)(const struct trace_query *query, unsigned attempt,
			   struct buf *out);
	/* Where a person looks at it: the path behind the server's address, or
	 * of a project all of it. NULL: the server shows no traces. */
	void (*page_path)(const struct endpoint *e, const char *trace_id_hex,
			  struct buf *out);
	const char *(*trace_accept)(unsigned attempt); /* NULL: JSON */
	enum answer (*trace_answer)(unsigned attempt, const struct endpoint *e,
				    const struct http_response *response,
				    enum format *format, struct error *err);

	/* Other traces, and those a user describes. */
	const char *search_accept; /* NULL: JSON */
	void (*search_path)(const struct search_query *query, unsigned attempt,
			    struct buf *out);
	enum answer (*search_answer)(const struct search_query *query,
				     unsigned *attempt,
				     const struct endpoint *e,
				     const struct http_response *response,
				     search_decoder **decode,
				     struct error *err);
	void (*find_path)(const struct find_query *query, unsigned attempt,
			  struct buf *out);
	enum answer (*find_answer)(const struct find_query *query,
				   unsigned *attempt, const struct endpoint *e,
				   const struct http_response *response,
				   search_decoder **decode, struct error *err);
	/* Whether it is asked for the duration at this attempt; else only what
	 * it happens to send can be looked through. NULL: at each. */
	bool (*find_is_bounded)(const struct find_query *query,
				unsigned attempt);

	/* TraceQL for traces with a link to this one. NULL: it cannot be asked
	 * for them. */
	void (*linking_query)(const char *trace_id_hex, struct buf *out);

	/* Requests that a service served. NULL: it does not count. */
	void (*count_path)(const struct count_query *query, struct buf *out);
	enum answer (*count_answer)(const struct endpoint *e,
				    const struct http_response *response,
				    struct error *err);
	/* *is_sample: there are more than it told. */
	bool (*count_decode)(struct str body, const struct count_query *query,
			     struct step_counts *out, bool *is_sample,
			     struct error *err);

	/* The same, and how long they took, by version; answered as counts
	 * are. NULL: it does not measure them. */
	void (*steps_path)(const struct steps_query *query, struct buf *out);
	bool (*steps_decode)(struct str body, const struct steps *steps,
			     struct arena *arena, struct step_rows *out,
			     struct error *err);

	/* How often durations of which length were, all in the range. NULL: it
	 * does not count them. */
	enum find_counted (*counted)(const struct find_query *query);
	void (*durations_path)(const struct find_query *query, unsigned attempt,
			       struct buf *out);
	enum answer (*durations_answer)(unsigned attempt,
					const struct endpoint *e,
					const struct http_response *response,
					struct error *err);
	bool (*durations_decode)(struct str body, struct duration_buckets *out,
				 struct error *err);
	/* The longest range that it takes, when this answer refuses a longer
	 * one and parts of it add up; else 0. */
	int64_t (*durations_limit_ns)(unsigned attempt,
				      const struct http_response *response);

	/* Services and operations; tags and their values, false with
	 * ERROR_USAGE for one that it does not list. NULL: it lists none.
	 * names live in the arena, sorted. */
	void (*names_path)(const struct names_query *query, unsigned attempt,
			   struct buf *out);
	bool (*tags_path)(const struct tags_query *query, unsigned attempt,
			  struct buf *out, struct error *err);
	enum answer (*names_answer)(unsigned attempt, const struct endpoint *e,
				    const struct http_response *response,
				    struct arena *arena,
				    struct name_list *names, struct error *err);

	/* What these requests took of a quota, in words. NULL: none. */
	void (*spent)(const struct http_log_entry *log, size_t count,
		      struct buf *out);
};

/* ---- requests ----
 *
 * False with ERROR_USAGE for what this server cannot be asked. */

bool trace_request(const struct trace_backend *t,
		   const struct endpoint *endpoint,
		   const struct trace_query *query, unsigned attempt,
		   struct http_request *request, struct error *err) MUST_CHECK;

/* t may be NULL in these two: there is no server to ask. */
bool traces_search_request(const struct trace_backend *t,
			   const struct endpoint *endpoint,
			   const struct search_query *query, unsigned attempt,
			   struct http_request *request,
			   struct error *err) MUST_CHECK;
bool traces_count_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct count_query *query,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;

bool traces_steps_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct steps_query *query,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;

/* How many traces the answer to a search may hold. */
uint32_t traces_search_limit(const struct trace_backend *t,
			     uint32_t trace_limit);

bool traces_find_request(const struct trace_backend *t,
			 const struct endpoint *endpoint,
			 const struct find_query *query, unsigned attempt,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;
bool traces_find_is_bounded(const struct trace_backend *t,
			    const struct find_query *query, unsigned attempt);

enum find_counted traces_counted(const struct trace_backend *t,
				 const struct find_query *query);
bool traces_durations_request(const struct trace_backend *t,
			      const struct endpoint *endpoint,
			      const struct find_query *query, unsigned attempt,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;

bool traces_names_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct names_query *query, unsigned attempt,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
bool traces_tags_request(const struct trace_backend *t,
			 const struct endpoint *endpoint,
			 const struct tags_query *query, unsigned attempt,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;

/* A small question at one of the paths above: probe, version, login. */
bool traces_probe_request(const struct endpoint *endpoint, const char *path,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
/* A 401 or 403 proves nothing but is remembered by the caller for its
 * message. */
bool traces_probe_matches(const struct trace_probe *probe,
			  const struct http_response *response);

#endif
