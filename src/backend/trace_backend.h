/* SPDX-License-Identifier: Apache-2.0
 *
 * Interface to a kind of traces server: its requests, the reading of its
 * answers, and its capabilities. Each kind is one such object in a folder of
 * its own; all functions are pure. Sends nothing.
 */
#ifndef BACKEND_TRACE_BACKEND_H
#define BACKEND_TRACE_BACKEND_H

#include "backend/source.h"
#include "backend/trace_queries.h"
#include "decode/decode.h"
#include "decode/history.h"
#include "model/metrics.h"

struct trace_checkup;

/* The capabilities of a server, and the size of its answers. Code outside
 * backend/ checks these and not the name of a server. */
struct trace_traits {
	/* Requests count against a quota, which may be exhausted in the middle
	 * of a run; that is reported. */
	bool is_metered;
	/* Accepts a user's TraceQL. */
	bool takes_traceql;
	/* With a condition on errors, answers contain only failed spans. */
	bool finds_errors_only;
	/* Returns the slowest first. */
	bool sorts_by_duration;
	/* Maximum error of durations in its lists. */
	int64_t duration_slack_ns;
	/* Number of slices into which the query of a slow window is divided,
	 * and traces per slice; 0: an equal share of the window's traces. */
	unsigned history_slices;
	uint32_t history_slice_traces;
	/* Counting the spans of a name is cheaper than searching for them. */
	bool counts_names;
	/* Maximum number of other traces in an answer; 0: as many as
	 * requested. */
	uint32_t history_most;
	/* How many further pages a run fetches after pages with fewer traces
	 * than that. */
	unsigned history_more_pages;
	/* Minimum and maximum number of traces of a search, and the number of
	 * rounds. With pages: traces per page, when spans are requested, and
	 * when roots are. */
	uint32_t search_least;
	uint32_t search_most;
	unsigned search_rounds;
	uint32_t page_of_spans; /* 0: no pages */
	uint32_t page_of_roots;
};

/* Slices for a server without a quota: a slow window is divided so that its
 * beginning is covered as well as its end. */
#define HISTORY_SLICES 4u
/* Each round keeps a tenth at default settings, so 8 rounds reach a hundred
 * million traces. */
#define SEARCH_ROUNDS 8u

/* Decodes the answer to a search, see decode/history.h. */
typedef bool search_decoder(struct str bytes, struct history *h,
			    const struct history_want *want, struct error *err);

/* A cheap GET whose answer identifies the kind of server. */
struct trace_probe {
	const char *path; /* NULL: none */
	bool (*matches)(const struct http_response *response);
};

/* Paths are appended with their query string, after that of the project if
 * there is one. Functions for answers set err for all but ANSWER_OK:
 * ANSWER_MISS if the item does not exist, ANSWER_TRY_NEXT if another attempt
 * may succeed: the next one, or the one that was set where the attempt is a
 * pointer. */
struct trace_backend {
	const char *name;  /* at the start of messages: "tempo" */
	const char *title; /* "Tempo" */
	const char *noun;  /* within a sentence: "a Tempo" */
	struct trace_traits traits;
	/* What to check when a trace is missing; NULL: tenant and the like */
	const char *missing_advice;

	/* Both NULL: identified by its address. The second is sent only if no
	 * answer matched a first probe, and this server, or another kind at its
	 * address, lacks the route. */
	struct trace_probe probe;
	struct trace_probe late_probe;
	/* Path of the build information, for status_version_read(); NULL:
	 * none. */
	const char *version_path;
	/* A path that requires the permission to read; NULL: all do. */
	const char *login_path;
	/* Further checks of doctor; NULL: none. */
	const struct trace_checkup *checkup;

	/* A trace by its id, which is already validated; attempts from best to
	 * last. */
	unsigned attempts;
	void (*trace_path)(const struct trace_query *query, unsigned attempt,
			   struct buf *out);
	/* Appends the page of the trace in the web UI: the path after the
	 * server's address, or for a project the whole URL. NULL: there is no
	 * web UI. */
	void (*page_path)(const struct endpoint *e, const char *trace_id_hex,
			  struct buf *out);
	const char *(*trace_accept)(unsigned attempt); /* NULL: JSON */
	enum answer (*trace_answer)(unsigned attempt, const struct endpoint *e,
				    const struct http_response *response,
				    enum format *format, struct error *err);

	/* Other traces, and searches by users. */
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
	/* Returns whether this attempt includes the condition on the duration;
	 * else only the traces that happen to be returned can be filtered.
	 * NULL: every attempt does. */
	bool (*find_is_bounded)(const struct find_query *query,
				unsigned attempt);

	/* Appends TraceQL for traces with a link to this one. NULL: not
	 * supported. */
	void (*linking_query)(const char *trace_id_hex, struct buf *out);

	/* The number of requests that a service served. NULL: not supported. */
	void (*count_path)(const struct count_query *query, struct buf *out);
	enum answer (*count_answer)(const struct endpoint *e,
				    const struct http_response *response,
				    struct error *err);
	/* *is_sample: the counts are incomplete. */
	bool (*count_decode)(struct str body, const struct count_query *query,
			     struct step_counts *out, bool *is_sample,
			     struct error *err);

	/* The same with durations, by version; evaluated by count_answer().
	 * NULL: not supported. */
	void (*steps_path)(const struct steps_query *query, struct buf *out);
	bool (*steps_decode)(struct str body, const struct steps *steps,
			     struct arena *arena, struct step_rows *out,
			     struct error *err);

	/* The distribution of all durations in the range. NULL: not
	 * supported. */
	enum find_counted (*counted)(const struct find_query *query);
	void (*durations_path)(const struct find_query *query, unsigned attempt,
			       struct buf *out);
	enum answer (*durations_answer)(unsigned attempt,
					const struct endpoint *e,
					const struct http_response *response,
					struct error *err);
	bool (*durations_decode)(struct str body, struct duration_buckets *out,
				 struct error *err);
	/* Returns the longest accepted range if the answer refuses a longer one
	 * and the results of its parts can be added up; else 0. */
	int64_t (*durations_limit_ns)(unsigned attempt,
				      const struct http_response *response);

	/* Services and operations; tags and their values, false with
	 * ERROR_USAGE for a tag that it does not list. NULL: not supported.
	 * Names live in the arena, sorted. */
	void (*names_path)(const struct names_query *query, unsigned attempt,
			   struct buf *out);
	bool (*tags_path)(const struct tags_query *query, unsigned attempt,
			  struct buf *out, struct error *err);
	enum answer (*names_answer)(unsigned attempt, const struct endpoint *e,
				    const struct http_response *response,
				    struct arena *arena,
				    struct name_list *names, struct error *err);

	/* Appends how much of a quota these requests used, in words. NULL: no
	 * quota. */
	void (*spent)(const struct http_log_entry *log, size_t count,
		      struct buf *out);
};

/* ---- requests ----
 *
 * These return false with ERROR_USAGE for queries that the server does not
 * support. */

bool trace_request(const struct trace_backend *t,
		   const struct endpoint *endpoint,
		   const struct trace_query *query, unsigned attempt,
		   struct http_request *request, struct error *err) MUST_CHECK;

/* t may be NULL in these two: there is no server. */
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

/* Returns the maximum number of traces in the answer to a search. */
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

/* Builds a small request for one of the paths above: probe, version, login. */
bool traces_probe_request(const struct endpoint *endpoint, const char *path,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
/* Returns whether the answer identifies the kind of server. A 401 or 403 proves
 * nothing; the caller keeps it for its message. */
bool traces_probe_matches(const struct trace_probe *probe,
			  const struct http_response *response);

#endif
