/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers that hold traces or profiles: which requests to send, and what
 * their answers mean. Sources build requests and read statuses and small
 * metadata; they never decode a trace or a profile (decode/ does) and never
 * loop over the network themselves (cli/ runs the batches). So each is a
 * set of pure functions.
 */
#ifndef BACKEND_SOURCE_H
#define BACKEND_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/timefmt.h"
#include "wire/http.h"

/* Kinds of servers of profiles; those of traces are rows of a table. */
enum source_kind {
	SOURCE_UNKNOWN = 0, /* a plain URL: to be probed */
	SOURCE_PYROSCOPE,
	SOURCE_PARCA,
	SOURCE_CLOUD_PROFILER,
	SOURCE_FILE,
};

/* "pyroscope"...; "server" while it is unknown. */
const char *source_kind_name(enum source_kind kind);

/* How an answer is to be understood. err is set for all but ANSWER_OK: for a
 * miss it is ERROR_NOT_FOUND with what to check, for ANSWER_TRY_NEXT what to
 * say when no attempt is left. */
enum answer {
	ANSWER_OK = 0,
	ANSWER_MISS,     /* the server is right, the thing is not there */
	ANSWER_TRY_NEXT, /* this server lacks the route or form: next attempt */
	ANSWER_ERROR,
};

/* What decode/ has to be told about a profile's body. */
enum body_form {
	BODY_PPROF = 0,
	BODY_PYROSCOPE_TREE_PB, /* of names; or pprof in the same answer */
	BODY_PYROSCOPE_RENDER_JSON,
};

/* ---- probing ---- */

/* Fills the request that tells whether there is a Pyroscope at the endpoint,
 * and whether an answer proves it (Connect JSON). */
bool profiles_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			    struct http_request *request,
			    struct error *err) MUST_CHECK;
bool profiles_probe_matches(const struct http_response *response);

/* One line for "none of the kinds answered": what the server looks like
 * ("a Grafana login page: use the data source's own URL", HTML, a redirect
 * to ...), or its error. Appends advice; sets err. Always returns false. */
bool source_probe_fail(const struct endpoint *endpoint, const char *wanted,
		       const struct http_response *responses, size_t n,
		       struct error *err);

/* The answer of several by one server that tells most about what is wrong;
 * n > 0. */
const struct http_response *source_probe_best(
	const struct http_response *responses, size_t n);

/* ---- profiles ----
 *
 * Named after the calls of Pyroscope. A Parca (endpoint->parca, see parca.h)
 * has one attempt of each, and lists types otherwise: parca_series_*. */

struct profile_query {
	const char *type_id;  /* five parts */
	const char *selector; /* '{service_name="x"}' */
	struct time_range range;
	const uint64_t *span_ids; /* repeats count once */
	size_t span_id_count; /* at most LIMIT_COHORT_SPANS; 0: all samples */
	int64_t max_nodes;    /* of a tree; 0: the server's own limit */
	bool wants_lines;     /* of spans, if the server has them (2.2) */
	/* The range goes on from that of another query. What began before it
	 * is of that one, where profiles have a length. */
	bool is_continued;
};

/* The limit that a server names when it refuses max_nodes as too many; 0: the
 * answer is something else, or names none. */
int64_t source_node_limit(const struct http_response *response);

/* Attempts: without spans: SelectMergeProfile (pprof), the same a millisecond
 * later (a server bug refuses windows that begin at its oldest profile),
 * SelectMergeStacktraces (tree), then /pyroscope/render (flame graph) for
 * proxies that let only that pass. With spans: SelectMergeSpanProfile (tree),
 * the same a millisecond later; with wants_lines SelectMergeStacktraces (pprof)
 * before. The answer's form tells pprof from the others. */
bool source_profile_request(const struct endpoint *endpoint,
			    const struct profile_query *query, unsigned attempt,
			    struct http_request *request,
			    struct error *err) MUST_CHECK;
unsigned source_profile_attempts(const struct profile_query *query);
/* The first of them that brings names only. */
unsigned source_profile_names_attempt(const struct profile_query *query);
enum answer source_profile_answer(const struct profile_query *query,
				  unsigned attempt,
				  const struct endpoint *endpoint,
				  const struct http_response *response,
				  enum body_form *form, struct error *err);

/* The longest window the server takes, when this answer refuses a longer one
 * (max_query_length); a day, the default, when it does not say. 0: the answer
 * is something else. */
int64_t source_window_limit_ns(const struct http_response *response);

/* Names of services that sent profiles in a range (LabelValues). */
bool source_services_request(const struct endpoint *endpoint,
			     struct time_range range,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
/* Full profile type ids of one service in a range (Series). */
bool source_types_request(const struct endpoint *endpoint, const char *selector,
			  struct time_range range, struct http_request *request,
			  struct error *err) MUST_CHECK;

struct name_list {
	struct str *items; /* sorted bytewise, distinct */
	size_t count;
};

/* Reads the answers of the two requests above into the arena. */
bool source_services_answer(const struct endpoint *endpoint,
			    const struct http_response *response,
			    struct arena *arena, struct name_list *names,
			    struct error *err) MUST_CHECK;
bool source_types_answer(const struct endpoint *endpoint,
			 const struct http_response *response,
			 struct arena *arena, struct name_list *types,
			 struct error *err) MUST_CHECK;

/* Series by the labels asked for. */
struct series_list {
	struct str *values; /* count rows; NULL ptr: the series has no such */
	size_t count;
	size_t label_count; /* values a row */
};

/* Which series the selector selects in a range, by these labels (Series).
 * Servers before 2.0 leave out labels with dots in their names. */
bool source_series_request(const struct endpoint *endpoint,
			   const char *selector, const char *const *labels,
			   size_t label_count, struct time_range range,
			   struct http_request *request,
			   struct error *err) MUST_CHECK;
/* The same labels again. Rows come in the server's order, at most
 * LIMIT_SERIES; other labels, which old servers send, are passed over. */
bool source_series_answer(const struct endpoint *endpoint,
			  const struct http_response *response,
			  const char *const *labels, size_t label_count,
			  struct arena *arena, struct series_list *series,
			  struct error *err) MUST_CHECK;

/* How many snapshots a gauge's profile sums up: SelectHeatmap (2.0 and later),
 * else points of SelectSeries below every sender's interval, by instance when
 * the label is not NULL. */
bool source_snapshots_request(const struct endpoint *endpoint,
			      const struct profile_query *query,
			      const char *instance_label, unsigned attempt,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
unsigned source_snapshots_attempts(void);
enum answer source_snapshots_answer(const struct endpoint *endpoint,
				    const struct http_response *response,
				    int64_t *count, struct error *err);

/* What samples of one type add up to, step by step, by the values of a
 * label. */
struct totals_query {
	const char *type_id;
	const char *selector;
	const char *label;
	int64_t from_ms;
	int64_t step_ms;   /* above 0 */
	size_t step_count; /* at least 2: servers answer one point with none */
};

struct total {
	struct str name; /* the label's value; empty: without the label */
	double *values;  /* of each step, none below 0 */
};

struct totals {
	struct total *items; /* in the server's order */
	size_t count;        /* at most LIMIT_NAMES */
};

/* SelectSeries. A Parca that has no such type at all fails with
 * ERROR_NOT_FOUND. */
bool source_totals_request(const struct endpoint *endpoint,
			   const struct totals_query *query,
			   struct http_request *request,
			   struct error *err) MUST_CHECK;
/* Reads the answer into the arena. */
bool source_totals_answer(const struct endpoint *endpoint,
			  const struct http_response *response,
			  const struct totals_query *query, struct arena *arena,
			  struct totals *totals, struct error *err) MUST_CHECK;

/* Bytewise order, each once. */
void name_list_sort(struct name_list *list);

/* The profile type id to ask for: a plain word (cpu alloc inuse goroutine
 * mutex block wall ...) resolved against what the service has, or a full id
 * verbatim. Empty list: the word's usual id. False with
 * ERROR_NOT_FOUND listing those present. *is_gauge is set. */
bool profile_type_resolve(struct str word, const struct name_list *present,
			  struct arena *arena, struct str *type_id,
			  bool *is_gauge, struct error *err) MUST_CHECK;

/* What lies in memory or waits at one moment, so that snapshots cannot be
 * summed; all else accumulates. For a full id. */
bool profile_type_is_gauge(struct str type_id);

/* The word of --type that means this id where a service has the types
 * `present`; an empty str when only the full id does. */
struct str profile_type_word(struct str type_id,
			     const struct name_list *present);

/* The names of `list` nearest to `wanted` (case, suffix after '/', edit
 * distance), best first, at most max; returns how many. */
size_t nearest_names(const struct name_list *list, struct str wanted,
		     struct str *out, size_t max);

#endif
