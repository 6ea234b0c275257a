/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share: profiles (protobuf) and names (JSON) are
 * asked of the same service.
 */
#ifndef BACKEND_PYROSCOPE_CALLS_H
#define BACKEND_PYROSCOPE_CALLS_H

#include "backend/checkup.h"
#include "backend/profile_backend.h"
#include "base/json.h"
#include "base/jsonw.h"

/* A request: a selector as long as an option may be, each byte of it escaped,
 * and the ids of a cohort. */
#define PYROSCOPE_BODY_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* [from, to) in nanoseconds as both inclusive milliseconds: neighbouring
 * windows share no profile. */
void pyroscope_range_ms(struct time_range range, int64_t *start_ms,
			int64_t *end_ms);

/* A call of the query service. Takes the body over. */
bool pyroscope_post(const struct endpoint *endpoint, const char *method,
		    const char *content_type, struct buf *body,
		    struct http_request *request, struct error *err) MUST_CHECK;

/* The call of the web page of old, for proxies that let only that pass: names
 * only, all samples of a service. */
bool pyroscope_render_request(const struct endpoint *endpoint,
			      const struct profile_query *query,
			      int64_t start_ms, int64_t end_ms,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
/* Of an answer of status 200. */
enum answer pyroscope_render_answer(const struct http_response *response,
				    struct error *err);

/* A call with a JSON body: what `add` puts in, then the times. */
bool pyroscope_ask(const struct endpoint *endpoint, const char *method,
		   struct time_range range,
		   void (*add)(struct jsonw *w, const void *what),
		   const void *what, struct http_request *request,
		   struct error *err) MUST_CHECK;

/* The JSON object of an answer: calls read for the value of the field. False
 * for every other answer, in words. */
bool pyroscope_read(const struct endpoint *endpoint,
		    const struct http_response *response, struct str field,
		    void (*read)(struct json_reader *r, void *into), void *into,
		    struct error *err) MUST_CHECK;

/* Is there a Pyroscope at this address? Asks for the services of the last
 * hour; a Pyroscope names them or fails in words of its own. */
bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
bool pyroscope_probe_matches(const struct http_response *response);

/* ---- for its checkup ---- */

/* Build information, for status_version_read(). */
bool pyroscope_version_request(const struct endpoint *e,
			       struct http_request *request,
			       struct error *err) MUST_CHECK;

bool pyroscope_stats_request(const struct endpoint *e,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
/* Of the tenant that asks. False, without a reason, for servers that do not
 * know the question. */
bool pyroscope_stats_read(const struct http_response *response,
			  struct profile_stats *stats);

/* Values of a label among the profiles a selector matches; the answer is
 * read by pyroscope_services_answer(). */
bool pyroscope_label_request(const struct endpoint *e, const char *label,
			     const char *selector, struct time_range range,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;

/* The longest range it answers at once, as it writes it ("1d"), from a refusal
 * of a longer one. False when the answer is no such refusal. */
bool pyroscope_length_limit_read(const struct http_response *response,
				 char out[STATUS_VERSION_BYTES]);

/* ---- for struct profile_backend ---- */

bool pyroscope_services_request(const struct side *side,
				struct time_range range,
				struct http_request *request,
				struct error *err) MUST_CHECK;
bool pyroscope_services_answer(const struct backends *b,
			       const struct http_response *response,
			       struct name_list *names,
			       struct error *err) MUST_CHECK;
bool pyroscope_types_request(const struct side *side,
			     const struct series_query *query,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
bool pyroscope_types_answer(struct backends *b,
			    const struct series_query *query,
			    const struct http_response *response,
			    struct name_list *types,
			    struct error *err) MUST_CHECK;
/* Servers before 2.0 leave out labels with dots in their names, and send
 * others than those asked for, which are passed over. */
bool pyroscope_series_request(const struct side *side,
			      const struct series_query *query,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
bool pyroscope_series_answer(struct backends *b,
			     const struct series_query *query,
			     const struct http_response *response,
			     struct series_list *series,
			     struct error *err) MUST_CHECK;

bool pyroscope_kept_names(struct backends *b, const char *url, struct str asked,
			  const struct http_response *response, bool is_types,
			  struct name_list *names,
			  struct error *err) MUST_CHECK;

/* Attempts: without spans: SelectMergeProfile (pprof), the same a millisecond
 * later (a server bug refuses windows that begin at its oldest profile),
 * SelectMergeStacktraces (tree), then /pyroscope/render (flame graph) for
 * proxies that let only that pass. With spans: SelectMergeSpanProfile (tree),
 * the same a millisecond later; with wants_lines SelectMergeStacktraces (pprof)
 * before. The answer's form tells pprof from the others. */
unsigned pyroscope_profile_attempts(const struct profile_query *query);
unsigned pyroscope_names_attempt(const struct profile_query *query);
bool pyroscope_profile_request(const struct side *side,
			       const struct profile_query *query,
			       unsigned attempt, struct http_request *request,
			       struct error *err) MUST_CHECK;
enum answer pyroscope_profile_answer(struct side *side,
				     const struct profile_query *query,
				     unsigned attempt,
				     const struct http_response *response,
				     struct profile_form *form,
				     struct error *err);
bool pyroscope_has_span_lines(const struct side *side);
int64_t pyroscope_node_limit(const struct http_response *response);
/* max_query_length; a day, its default, when the answer does not say. */
int64_t pyroscope_window_limit_ns(const struct http_response *response);

/* SelectHeatmap (2.0 and later), else points of SelectSeries below every
 * sender's interval. */
#define PYROSCOPE_SNAPSHOTS_ATTEMPTS 2
bool pyroscope_snapshots_request(const struct side *side,
				 const struct profile_query *query,
				 const char *instance_label, unsigned attempt,
				 struct http_request *request,
				 struct error *err) MUST_CHECK;
enum answer pyroscope_snapshots_answer(const struct side *side,
				       const struct http_response *response,
				       int64_t *count, struct error *err);

/* SelectSeries. */
bool pyroscope_totals_request(const struct side *side,
			      const struct totals_query *query,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
bool pyroscope_totals_answer(const struct backends *b,
			     const struct totals_query *query,
			     const struct http_response *response,
			     struct totals *totals,
			     struct error *err) MUST_CHECK;

#endif
