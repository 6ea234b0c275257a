/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of Cloud Trace v1: its filter language and its parameters.
 */
#ifndef BACKEND_CLOUD_TRACE_QUERY_H
#define BACKEND_CLOUD_TRACE_QUERY_H

#include "backend/trace_backend.h"

/* Traces that a page may hold, without and with all of their spans. */
#define CLOUD_TRACE_PAGE_ROOTS 1000u
#define CLOUD_TRACE_PAGE 100u

/* Adds "+root:NAME", "latency:250ms" and the like; terms are all to hold. The
 * value is quoted where it is not plain, so that it is one term always. */
void cloud_filter_add(struct buf *filter, const char *key, struct str value);
/* Traces of at least this duration; nothing for 0 and less. */
void cloud_filter_add_latency(struct buf *filter, int64_t duration_ns);

struct cloud_list {
	bool has_spans;    /* all spans, else the first of each trace */
	uint32_t traces;   /* a page at most */
	const char *order; /* "start desc" */
	struct time_range range;
	struct buf *owned_filter; /* of cloud_filter_add(); NULL: none */
	struct str page_token;    /* empty: the first page */
};

/* Appends "/traces?...": the path behind that of the project. */
void cloud_list_path(const struct cloud_list *list, struct buf *out);

/* The newest traces of a range, all spans of them, as many as a page holds. */
bool cloud_trace_recent_request(const struct endpoint *endpoint,
				struct time_range range,
				struct http_request *request,
				struct error *err) MUST_CHECK;

/* Read units that a request takes of those that a project has a minute; 0:
 * none of Cloud Trace's. path: with its query. */
unsigned cloud_trace_units(struct str path);

/* ---- for cloud_trace.c, see trace_backend.h ---- */

void cloud_trace_find_path(const struct find_query *query, unsigned attempt,
			   struct buf *out);
enum answer cloud_trace_find_answer(const struct find_query *query,
				    unsigned *attempt, const struct endpoint *e,
				    const struct http_response *response,
				    search_decoder **decode, struct error *err);
void cloud_trace_spent(const struct http_log_entry *log, size_t count,
		       struct buf *out);

#endif
