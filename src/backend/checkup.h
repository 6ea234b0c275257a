/* SPDX-License-Identifier: Apache-2.0
 *
 * What doctor asks the room of a server: which requests show what it is and
 * holds, checks that only this kind of server has, and advice in its own
 * words. Knows neither the trace nor the service that is asked about.
 */
#ifndef BACKEND_CHECKUP_H
#define BACKEND_CHECKUP_H

#include "backend/backends.h"
#include "backend/source.h"
#include "model/checks.h"

/* The facts that servers report of themselves, version and clock; and what is
 * wrong when they answer with something else. */

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

/* The profiles of a server that the querying tenant may see. The newest may lag
 * a minute or two. */
struct profile_stats {
	bool has_data;
	int64_t oldest_ns; /* 0 when unknown, as the next */
	int64_t newest_ns;
};

/* The report that a room appends to, and the facts that it learns for later
 * checks. */
struct checkup {
	struct backends *backends;
	struct checks *checks;
	struct profile_stats stats;
	int64_t length_limit_ns; /* of one question; 0: not known */
	struct name_list recent; /* services of the last hour */
};

/* Asks for the services that sent profiles in the last hour. */
bool checkup_find_recent(struct checkup *c, struct error *err) MUST_CHECK;

/* The checks of a server of traces. */
struct trace_checkup {
	/* One question that tells all, and its judgement: of servers that are
	 * known by their address. *is_up: it answers as it should. NULL: it is
	 * asked by the probes of its kind. */
	bool (*request)(const struct backends *b, struct http_request *request,
			struct error *err);
	bool (*judge)(struct checkup *c, const struct http_response *response,
		      bool *is_up, struct error *err);
	/* What fixes a trace that the server cut, or does not have. */
	const char *cut_fix;
	const char *missing_fix;
};

/* Returns the checks of the server of traces, or of files. */
const struct trace_checkup *trace_checkup_of(const struct backends *b);

#define PROFILE_ASKS 4

/* The checks of a server of profiles. */
struct profile_checkup {
	const char *title; /* "Pyroscope" */

	/* Asks and judges by itself, without the next ones; NULL: it is asked
	 * these. *is_up: it answers as it should. */
	bool (*examine)(struct checkup *c, bool *is_up, struct error *err);
	/* What is asked in one round; the answer to the first proves it. */
	size_t ask_count; /* at most PROFILE_ASKS */
	bool (*request)(const struct backends *b, size_t ask,
			struct http_request *request, struct error *err);
	bool (*is_proof)(const struct http_response *first);
	size_t version_ask; /* that tells the version; 0: none does */
	bool has_tenants;
	/* The answers, in the order of the requests, before other checks: false
	 * when they are no such server's. NULL: nothing is to be learned. */
	bool (*learn)(struct backends *b, const struct http_response *answers,
		      struct error *err);
	/* Its own checks, after those of all servers. */
	bool (*judge)(struct checkup *c, const struct http_response *answers,
		      struct error *err);

	/* Names of spans among what a selector selects, read by
	 * services_answer(). NULL: there are no samples by span. */
	bool (*span_names_request)(const struct backends *b,
				   const char *selector,
				   struct time_range range,
				   struct http_request *request,
				   struct error *err);

	int64_t lookback_ns; /* older profiles are left out; 0: none are */
	/* What fixes a lack of profiles. */
	const char *add_fix;  /* a sender to a service */
	const char *logs_fix; /* where senders tell what is wrong */
	const char *elsewhere_fix;
	const char *nowhere_fix; /* the same where there are none at all */
	const char *keep_fix;    /* the window is before the oldest */
	const char *lookback_fix;
	const char *length_fix;  /* it is longer than is answered at once */
	const char *ignored_fix; /* selectors of spans are ignored */
	/* What makes spans carry ids for a language as OpenTelemetry names it
	 * ("go", "java"). NULL: not known, or there are no samples by span. */
	const char *(*span_fix)(struct str language);
};

const struct profile_checkup *profile_checkup_of(const struct backends *b);

/* The checkups that there are, one in each room; for checkup.c alone. */

extern const struct trace_checkup checkup_cloud_trace;
extern const struct profile_checkup checkup_pyroscope;
extern const struct profile_checkup checkup_parca;
extern const struct profile_checkup checkup_cloud_profiler;

#endif
