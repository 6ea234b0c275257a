/* SPDX-License-Identifier: Apache-2.0
 *
 * What servers tell of themselves, version and clock; and what is wrong when
 * they answer with something else.
 */
#ifndef BACKEND_STATUS_H
#define BACKEND_STATUS_H

#include "backend/source.h"

/* ---- version ---- */

#define STATUS_VERSION_BYTES 64

/* False when the answer is no build information. A self-built server leaves
 * the version empty: then out is "". Foreign text. */
bool status_version_read(const struct http_response *response,
			 char out[STATUS_VERSION_BYTES]);

/* ---- clock ---- */

/* The server's time by its Date header, which counts whole seconds. False
 * when there is none. */
bool status_date_read(const struct http_response *response, int64_t *date_ns);

/* ---- what is wrong ---- */

enum trouble {
	TROUBLE_NONE = 0,
	TROUBLE_REFUSED,
	TROUBLE_NO_HOST,
	TROUBLE_NO_PROXY,
	TROUBLE_NO_CONNECTION, /* no route, or no answer to connecting */
	TROUBLE_SLOW,
	TROUBLE_UNTRUSTED,
	TROUBLE_OTHER_NAME,  /* a certificate for another one */
	TROUBLE_OUT_OF_DATE, /* a certificate, or a clock */
	TROUBLE_TLS,
	TROUBLE_SCHEME,        /* http where https is spoken or the reverse */
	TROUBLE_CERTIFICATE,   /* of ours: none, or not the right one */
	TROUBLE_SECRET,        /* a credential would go over plain http */
	TROUBLE_CREDENTIALS,   /* 401, or a redirect to a login */
	TROUBLE_RIGHTS,        /* 403 */
	TROUBLE_PROXY_LOGIN,   /* 407 */
	TROUBLE_TENANT,        /* none sent, or one that is not accepted */
	TROUBLE_TENANT_HEADER, /* Jaeger's own header */
	TROUBLE_REDIRECT,
	TROUBLE_PAGE, /* a web page */
	TROUBLE_BUSY,
	TROUBLE_SERVER, /* another answer of 500 and more */
	TROUBLE_OTHER,  /* another answer: not the server looked for */
};

/* The kind of trouble by which a fix is chosen. */
enum trouble trouble_find(const struct http_response *response);

#endif
