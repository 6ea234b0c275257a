/* SPDX-License-Identifier: Apache-2.0
 *
 * What takes exports: how what is sent is put, and what comes back means. A
 * kind of receiver is one such object in a room of its own. Sends nothing.
 */
#ifndef BACKEND_RECEIVER_H
#define BACKEND_RECEIVER_H

#include "backend/profile_backend.h"
#include "backend/source.h"

/* The answer of a receiver to one request. err is set for all but
 * RECEIPT_TAKEN. */
enum receipt {
	RECEIPT_TAKEN = 0,
	RECEIPT_PART,    /* some of it is refused, *rejected of them */
	RECEIPT_REFUSED, /* all of this request, others may be taken */
	RECEIPT_NONE,    /* nothing more need be sent */
};

struct receiver {
	const char *title;  /* "OTLP" */
	const char *prefix; /* before an address: "otlp+" */
	/* Of an intake that takes nobody without a key: the header of the key,
	 * and what the key is called. NULL: as servers do. */
	const char *token_header;
	const char *token_name;
	/* What takes its profiles instead; NULL: nothing need be said. */
	const char *no_profiles;
	/* An address may end in the route; NULL: none. */
	const char *traces_suffix;
	const char *profiles_suffix;
	/* Spans as ExportTraceServiceRequest. NULL: it takes none. */
	bool (*traces_request)(const struct endpoint *endpoint, struct str otlp,
			       struct http_request *request, struct error *err);
	/* NULL: it takes none. */
	bool (*profile_request)(const struct endpoint *endpoint,
				const struct whole_profile *profile,
				struct http_request *request,
				struct error *err);
	enum receipt (*answer)(const struct receiver *to,
			       const struct endpoint *endpoint,
			       const struct http_response *response,
			       int64_t *rejected, struct error *err);
};

/* The kinds there are; a plain address is the first one's. */
extern const struct receiver *const receiver_table[];
extern const size_t receiver_table_count;

/* ---- for rooms ---- */

/* A POST of these bytes, packed. */
bool receiver_post(const struct endpoint *endpoint, const char *route,
		   const char *content_type, struct str bytes,
		   struct http_request *request, struct error *err) MUST_CHECK;

/* Returns the meaning of a status that is no success; subject: as in
 * answer_fail(). */
enum receipt receiver_fail(const char *subject, const struct endpoint *endpoint,
			   const struct http_response *response,
			   struct error *err);

#endif
