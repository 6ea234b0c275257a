/* SPDX-License-Identifier: Apache-2.0
 *
 * What doctor needs from each kind of server: requests that show its version
 * and data, checks specific to the kind, and fixes in its own terms.
 */
#ifndef BACKEND_CHECKUP_H
#define BACKEND_CHECKUP_H

#include "backend/backends.h"
#include "backend/source.h"
#include "model/checks.h"

/* Facts that servers report about themselves, version and clock, and the
 * diagnosis of other answers. */

/* ---- version ---- */

#define STATUS_VERSION_BYTES 64

/* Reads the version. Returns false if the answer is not build information. A
 * self-built server leaves the version empty: then out is "". Foreign text. */
bool status_version_read(const struct http_response *response,
			 char out[STATUS_VERSION_BYTES]);

/* ---- clock ---- */

/* Reads the server's time from its Date header, which has whole seconds.
 * Returns false if there is none. */
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
	TROUBLE_OTHER_NAME,  /* a certificate for another host name */
	TROUBLE_OUT_OF_DATE, /* a certificate, or a clock */
	TROUBLE_TLS,
	TROUBLE_SCHEME,        /* http where https is spoken, or the reverse */
	TROUBLE_CERTIFICATE,   /* the client certificate: missing, or not the
				* right one */
	TROUBLE_SECRET,        /* a credential would go over plain http */
	TROUBLE_CREDENTIALS,   /* 401, or a redirect to a login */
	TROUBLE_RIGHTS,        /* 403 */
	TROUBLE_PROXY_LOGIN,   /* 407 */
	TROUBLE_TENANT,        /* none sent, or not accepted */
	TROUBLE_TENANT_HEADER, /* Jaeger's own header */
	TROUBLE_REDIRECT,
	TROUBLE_PAGE, /* a web page instead of data */
	TROUBLE_BUSY,
	TROUBLE_SERVER, /* another status of 500 or more */
	TROUBLE_OTHER,  /* another answer: not the expected server */
};

/* Returns the kind of trouble, by which a fix is chosen. */
enum trouble trouble_find(const struct http_response *response);

/* The profiles of a server that the querying tenant can read. The newest may
 * lag a minute or two. */
struct profile_stats {
	bool has_data;
	int64_t oldest_ns; /* 0 when unknown, like the next */
	int64_t newest_ns;
};

/* The report that checks are appended to, and facts for later checks. */
struct checkup {
	struct backends *backends;
	struct checks *checks;
	struct profile_stats stats;
	int64_t length_limit_ns; /* longest range per query; 0: not known */
	struct name_list recent; /* services of the last hour */
};

/* Queries the services that sent profiles in the last hour. */
bool checkup_find_recent(struct checkup *c, struct error *err) MUST_CHECK;

/* The checks of a traces server. */
struct trace_checkup {
	/* One request that shows everything, and its evaluation, for servers
	 * known by their address. *is_up: it answers correctly. NULL: the
	 * probes of its kind are used. */
	bool (*request)(const struct backends *b, struct http_request *request,
			struct error *err);
	bool (*judge)(struct checkup *c, const struct http_response *response,
		      bool *is_up, struct error *err);
	/* Fixes for a trace that the server truncated, or does not have. */
	const char *cut_fix;
	const char *missing_fix;
};

/* Returns the checks of the traces server, or of files. */
const struct trace_checkup *trace_checkup_of(const struct backends *b);

#define PROFILE_ASKS 4

/* The checks of a profile server. */
struct profile_checkup {
	const char *title; /* "Pyroscope" */

	/* Queries and evaluates everything by itself, instead of the requests
	 * below. NULL: those are used. *is_up: it answers correctly. */
	bool (*examine)(struct checkup *c, bool *is_up, struct error *err);
	/* Requests sent in one round; the answer to the first identifies the
	 * server. */
	size_t ask_count; /* at most PROFILE_ASKS */
	bool (*request)(const struct backends *b, size_t ask,
			struct http_request *request, struct error *err);
	bool (*is_proof)(const struct http_response *first);
	size_t version_ask; /* index of the request for the version; 0: none */
	bool has_tenants;
	/* Reads the answers, in the order of the requests, before other checks.
	 * Returns false if they are not from this kind of server. NULL: nothing
	 * to read. */
	bool (*learn)(struct backends *b, const struct http_response *answers,
		      struct error *err);
	/* Checks specific to this kind, after the common ones. */
	bool (*judge)(struct checkup *c, const struct http_response *answers,
		      struct error *err);

	/* Builds a request for the span names in the samples that a selector
	 * matches, read by services_answer(). NULL: no samples by span. */
	bool (*span_names_request)(const struct backends *b,
				   const char *selector,
				   struct time_range range,
				   struct http_request *request,
				   struct error *err);

	int64_t lookback_ns; /* older profiles are not returned; 0: no limit */
	/* Fixes for missing profiles. */
	const char *add_fix;  /* how to make a service send profiles */
	const char *logs_fix; /* where senders log errors */
	const char *elsewhere_fix;
	const char *nowhere_fix; /* the same if there are no profiles at all */
	const char *keep_fix;    /* the window is before the oldest profile */
	const char *lookback_fix;
	const char *length_fix;  /* the window exceeds the limit of a query */
	const char *ignored_fix; /* span selectors are ignored */
	/* Returns how to make spans carry ids in a language as OpenTelemetry
	 * names it ("go", "java"). NULL: not known, or no samples by span. */
	const char *(*span_fix)(struct str language);
};

const struct profile_checkup *profile_checkup_of(const struct backends *b);

/* The checkups of all kinds of server; for checkup.c alone. */

extern const struct trace_checkup checkup_cloud_trace;
extern const struct profile_checkup checkup_pyroscope;
extern const struct profile_checkup checkup_parca;
extern const struct profile_checkup checkup_cloud_profiler;

#endif
