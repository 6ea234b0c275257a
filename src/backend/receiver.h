/* SPDX-License-Identifier: Apache-2.0
 *
 * Interface to a kind of export target: its requests, and the reading of its
 * answers. Each kind is one such object in a folder of its own. Sends nothing.
 */
#ifndef BACKEND_RECEIVER_H
#define BACKEND_RECEIVER_H

#include "backend/profile_backend.h"
#include "backend/source.h"

/* The result of one request. err is set for all but RECEIPT_TAKEN. */
enum receipt {
	RECEIPT_TAKEN = 0,
	RECEIPT_PART,    /* some items are refused, *rejected of them */
	RECEIPT_REFUSED, /* all of this request; others may be accepted */
	RECEIPT_NONE,    /* nothing else will be accepted */
};

struct receiver {
	const char *title;  /* "OTLP" */
	const char *prefix; /* before an address: "otlp+" */
	/* For an intake that requires a key: the header for the key, and the
	 * name of the key. NULL: credentials as for other servers. */
	const char *token_header;
	const char *token_name;
	/* Where to send its profiles instead; NULL: no hint needed. */
	const char *no_profiles;
	/* An address may end with this route; NULL: none. */
	const char *traces_suffix;
	const char *profiles_suffix;
	/* Sends spans as ExportTraceServiceRequest. NULL: not supported. */
	bool (*traces_request)(const struct endpoint *endpoint, struct str otlp,
			       struct http_request *request, struct error *err);
	/* NULL: not supported. */
	bool (*profile_request)(const struct endpoint *endpoint,
				const struct whole_profile *profile,
				struct http_request *request,
				struct error *err);
	enum receipt (*answer)(const struct receiver *to,
			       const struct endpoint *endpoint,
			       const struct http_response *response,
			       int64_t *rejected, struct error *err);
};

/* All kinds; a plain address means the first one. */
extern const struct receiver *const receiver_table[];
extern const size_t receiver_table_count;

/* ---- for implementations ---- */

/* Builds a POST of these bytes, compressed. */
bool receiver_post(const struct endpoint *endpoint, const char *route,
		   const char *content_type, struct str bytes,
		   struct http_request *request, struct error *err) MUST_CHECK;

/* Returns the result for an unsuccessful status; subject: as in
 * answer_fail(). */
enum receipt receiver_fail(const char *subject, const struct endpoint *endpoint,
			   const struct http_response *response,
			   struct error *err);

#endif
