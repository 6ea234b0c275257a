/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files: HAR 1.2 with every request and answer of a run, secrets
 * removed, gzip when the name ends in ".gz". A case also keeps the command
 * line (redacted) and the clock, so that a replay repeats the run byte for
 * byte without a network.
 */
#ifndef WIRE_HAR_H
#define WIRE_HAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http.h"

struct har;

/* Empty, for recording; or read from a file, for replay. */
struct har *har_new(struct error *err) MUST_CHECK;
/* Also from a page that holds one (base/page_case.h). */
struct har *har_open(const char *path, struct error *err) MUST_CHECK;
void har_free(struct har *h);

/* Adds an exchange (the last try of a request). url is absolute. Request
 * headers are not taken from the wire: only Accept, Content-Type and
 * X-Scope-OrgID are written. The redacted url and bodies are kept. */
bool har_add(struct har *h, const struct http_request *request, const char *url,
	     const struct http_response *response, int64_t started_ns,
	     struct error *err) MUST_CHECK;

/* Finds the recorded answer of a request by method, url (host and prefix
 * included) and body, accept header next; equal requests are answered in
 * recorded order, the last one again and again. False: ERROR_NOT_FOUND,
 * "not in the case: POST http://...". */
bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err) MUST_CHECK;

/* The recorded run: its clock and its arguments (without argv[0]). */
void har_set_run(struct har *h, int64_t now_ns, int argc,
		 const char *const *argv);
int64_t har_now_ns(const struct har *h);
size_t har_args(const struct har *h, const char *const **args);

/* As a file of gzip, appended. */
bool har_pack(const struct har *h, struct buf *packed,
	      struct error *err) MUST_CHECK;

/* Writes atomically with mode 0600. */
bool har_write(const struct har *h, const char *path,
	       struct error *err) MUST_CHECK;

#endif
