/* SPDX-License-Identifier: Apache-2.0
 *
 * What each kind of server supplies to source.c; the public faces of these
 * are in source.h.
 */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "backend/find.h"

struct trace_backend {
	const char *name;
	unsigned attempts;
	/* Appends the path with its query, behind that of the project where
	 * there is one; the id is checked already. */
	void (*path)(const struct trace_query *query, unsigned attempt,
		     struct buf *out);
	const char *(*accept)(unsigned attempt);
	enum answer (*answer)(unsigned attempt, const struct endpoint *e,
			      const struct http_response *response,
			      enum body_form *form, struct error *err);
	const char *probe_path; /* NULL: its kind is always given */
	bool (*probe_matches)(const struct http_response *response);
};

/* For find.c. */
struct find_backend {
	void (*path)(const struct find_query *query, unsigned attempt,
		     struct buf *out);
	enum answer (*answer)(const struct find_query *query, unsigned *attempt,
			      const struct endpoint *e,
			      const struct http_response *response,
			      enum body_form *form, struct error *err);
	/* NULL: at each attempt. */
	bool (*is_bounded)(const struct find_query *query, unsigned attempt);
	/* NULL: this kind of server counts no durations. */
	enum find_counted (*counted)(const struct find_query *query);
	void (*durations_path)(const struct find_query *query, unsigned attempt,
			       struct buf *out);
	enum answer (*durations_answer)(unsigned attempt,
					const struct endpoint *e,
					const struct http_response *response,
					struct error *err);
};

/* Searching, for search.c. */
struct search_backend {
	const char *accept;
	const struct find_backend *find;
	/* Append the path with its query; attempt is one that begins at 0 or
	 * was set by answer(). */
	void (*path)(const struct search_query *query, unsigned attempt,
		     struct buf *out);
	enum answer (*answer)(const struct search_query *query,
			      unsigned *attempt, const struct endpoint *e,
			      const struct http_response *response,
			      enum body_form *form, struct error *err);
	/* NULL: it cannot count. */
	void (*count_path)(const struct count_query *query, struct buf *out);
	enum answer (*count_answer)(const struct endpoint *e,
				    const struct http_response *response,
				    struct error *err);
};

extern const struct search_backend search_tempo;
extern const struct search_backend search_jaeger;
extern const struct search_backend search_cloud_trace;
extern const struct find_backend find_tempo;
extern const struct find_backend find_jaeger;
extern const struct find_backend find_cloud_trace;

/* NULL with err for a kind of server that cannot be searched. */
const struct search_backend *search_backend_find(enum source_kind kind,
						 struct error *err);

extern const struct trace_backend backend_tempo;
extern const struct trace_backend backend_jaeger;
extern const struct trace_backend backend_cloud_trace;

/* Begins a path: below the project where the endpoint has one. */
void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes);

/* Is there a Pyroscope at this address? Asks for the services of the last
 * hour; a Pyroscope names them or fails in words of its own. */
bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
bool pyroscope_probe_matches(const struct http_response *response);

/* Hands path (and body) over to the request; checks both buffers, releases
 * them when something failed. */
bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err) MUST_CHECK;

#endif
