/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnosis of why there is no answer: checks of the servers and of their data
 * for a trace or a service, in stages. Stages whose prerequisites fail are
 * skipped; the other side is checked anyway.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stdint.h>

#include "backend/checkup.h"
#include "backend/source.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "investigate/profile_service.h"
#include "model/checks.h"
#include "model/trace.h"
#include "render/input.h"

/* Judging measurements. Pure functions: no network, no clock. */

/* ---- clocks ---- */

/* Date header of a response, and how long the response took. */
struct clock_answer {
	int64_t date_ns;
	int64_t duration_ns;
};

#define CLOCK_ANSWERS_MAX 16

/* Server clock minus local clock, and the uncertainty: Date has whole seconds,
 * and the server may have dated the response at any moment of its duration. */
struct clock_offset {
	int64_t offset_ns;
	int64_t slack_ns;
};

/* Returns the median over the responses; now_ns is the local time of the
 * requests. n > 0; responses past CLOCK_ANSWERS_MAX are ignored. */
struct clock_offset clock_offset_find(const struct clock_answer *answers,
				      size_t n, int64_t now_ns);

/* Certainly over 5 s: warning. Over 60 s: failed, since time windows of spans
 * then miss the corresponding profiles. */
enum check_status clock_offset_judge(const struct clock_offset *clock);

/* ---- names ---- */

enum name_match {
	NAME_NONE = 0,
	NAME_NEAR,  /* a few letters differ: perhaps another service */
	NAME_DOUBT, /* several candidates */
	/* Differs in case, a prefix up to '/', or ".cpu": same service. */
	NAME_VARIED,
	NAME_EXACT,
};

#define NEAREST_SHOWN 3

struct name_found {
	enum name_match match;
	/* The match or the best candidate; empty for NAME_NONE. */
	struct str name;
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
};

/* Finds the profile service by the same names that other commands try. All
 * names are borrowed from the list. */
struct name_found name_match_find(const struct name_candidates *candidates,
				  const struct name_list *list);

/* Returns the key of a resource attribute whose value is in the list, possibly
 * the name the service sends profiles under; *value is that name in the list.
 * NULL if none. */
const char *name_attr_find(const struct trace *t, uint32_t resource,
			   const struct name_list *list, struct str *value);

/* ---- windows ---- */

enum window_trouble {
	WINDOW_OK = 0,
	WINDOW_BEFORE_DATA, /* ends before the oldest profile */
	WINDOW_CUT_BY_DATA, /* begins before the oldest profile */
	/* Begins after the newest profile, and not just now. */
	WINDOW_AFTER_DATA,
	WINDOW_PAST_LOOKBACK,
	WINDOW_TOO_LONG,
};

/* Limits of the server; 0: unknown. */
struct window_limits {
	int64_t oldest_ns;
	int64_t newest_ns;
	int64_t length_ns;   /* maximum range of a query */
	int64_t lookback_ns; /* maximum age of a query */
};

enum window_trouble window_judge(struct time_range window, int64_t now_ns,
				 const struct window_limits *limits);

/* ---- span profiles ---- */

enum span_trouble {
	SPANS_OK = 0,
	SPANS_NO_ID,  /* no span has pyroscope.profile.id */
	SPANS_BAD_ID, /* its value is not a span id */
	/* The server ignores the span selector: nonexistent spans have
	 * samples. */
	SPANS_IGNORED,
	SPANS_NOT_CPU,    /* the service has no CPU profile */
	SPANS_NO_SERVICE, /* nor any other profile */
	SPANS_TOO_SHORT,  /* no samples, for a span under 20 ms */
	SPANS_NO_SAMPLES,
};

struct span_facts {
	struct str profile_id; /* attribute value, empty if absent */
	int64_t duration_ns;   /* of the span that has it */
	bool has_service;
	bool has_cpu;
	bool is_selector_ignored;
	bool has_samples;
};

enum span_trouble span_profiles_judge(const struct span_facts *facts);

/* Returns whether it is 16 hex digits. */
bool is_span_profile_id(struct str value);

#define RESOURCE_NONE UINT32_MAX

/* Where options of a side were set. */
struct doctor_side {
	struct str url_origin;    /* "from --traces-url", or "as given" */
	struct str tenant_origin; /* same, for the tenant */
};

struct doctor_option {
	const char *name;
	const char *value;
};

#define DOCTOR_OPTIONS 8

/* The subject of an examination. Texts are borrowed. */
struct doctor_question {
	struct backends *backends;
	struct doctor_side traces;
	struct doctor_side profiles;
	struct doctor_side metrics;
	bool wants_traces; /* false: a traces server is not needed */
	/* Replay: the TLS checks of connections are unknown. */
	bool is_case;
	/* Fetches the trace; NULL: no trace given. */
	bool (*trace_fetch)(void *context, struct trace *trace,
			    struct str *source, struct error *err);
	void *context;
	bool is_trace_file;
	bool is_strict;
	const char *service; /* only this one; NULL: all of the trace */
	/* Window of profiles; by default around the trace. */
	bool has_window;
	struct time_range window;
	int64_t pad_ns;
	/* For commands to paste: the trace as given, or NULL, and the options
	 * for the same servers. */
	const char *trace_text;
	struct doctor_option options[DOCTOR_OPTIONS];
	size_t option_count;
};

/* A service, and its data on the profile side. */
struct doctor_service {
	struct str name; /* in the trace, or from --service */
	uint32_t span_count;
	/* Resource of its first span, RESOURCE_NONE without a trace. */
	uint32_t resource;
	enum name_match match;
	struct str found; /* its name on the profile side, or the nearest */
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
	/* Name not found, but this attribute has the value `found`. */
	const char *attr_key;
	struct str selector;  /* for `found` */
	struct places places; /* what narrows the selector, or is ambiguous */
	struct name_list types;
	struct str type_id; /* whose samples were counted */
	bool has_answer;
	int64_t samples; /* in the window, -1: values without a sample count */
	int64_t total;
	bool has_cpu;
	struct error err; /* why has_answer is false */
	/* The longest span with pyroscope.profile.id. */
	uint32_t profile_span; /* SPAN_NONE: none has it */
	struct str profile_id;
	bool has_span_answer;
	int64_t span_samples; /* as `samples` */
	int64_t span_total;
	enum span_trouble span_trouble;
};

/* Returns whether the profile side has its name, or a variant of it. */
bool doctor_service_is_found(const struct doctor_service *row);

struct doctor {
	const struct doctor_question *question;
	struct backends *backends; /* the question's */
	struct arena arena;        /* texts of checks, names */
	struct checks checks;
	struct trace trace;
	bool has_trace; /* fetched */
	/* The server works; preset if none is needed. */
	bool is_traces_up;
	bool is_profiles_up; /* same */
	bool is_metrics_up;  /* same */
	/* Results of the server-specific checks in backend/. */
	struct checkup checkup;
	struct time_range window;
	/* Those of the day before the window's end. */
	struct name_list services;
	struct doctor_service *rows;
	size_t row_count;
	size_t rows_left_out;
	bool is_selector_ignored; /* nonexistent spans have samples */
	bool has_span_names;      /* without a trace: samples have span names */
};

void doctor_init(struct doctor *d, const struct doctor_question *question);
void doctor_release(struct doctor *d);

/* Makes all requests and judges the responses; problems become checks. Returns
 * false if the run cannot continue. */
bool doctor_run(struct doctor *d, struct error *err) MUST_CHECK;

/* Stages append checks and return false only if the run cannot continue. */

/* URLs; then reachability, authentication, kind and clock of both sides. */
bool doctor_servers(struct doctor *d, struct error *err) MUST_CHECK;

/* The metrics server, if one was given, and its data. */
bool doctor_metrics(struct doctor *d, struct error *err) MUST_CHECK;

/* Appends checks of the URL and tenant of a side, with their origin. name:
 * "traces". */
void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *name);

/* Fetches the trace given on the command line; a usage error ends the run. */
bool doctor_trace(struct doctor *d, struct error *err) MUST_CHECK;

/* Services, types, samples and span profiles in the window. */
bool doctor_profiles(struct doctor *d, struct error *err) MUST_CHECK;

/* A profile file instead of a server. */
bool doctor_profile_file(struct doctor *d, struct error *err) MUST_CHECK;

/* Finds where the services of the trace run, by their series in the range. */
bool doctor_places(struct doctor *d, struct time_range range,
		   struct error *err) MUST_CHECK;
void doctor_judge_places(struct doctor *d);

/* Appends checks for the rows filled by doctor_profiles(). */
void doctor_judge_services(struct doctor *d);

/* A command to paste, as the fix of the check appended last. Begins with `lead`
 * and "tracefind COMMAND"; fix_command_end() adds the options for the servers
 * given on the command line, and `tail`. */
struct fix_command {
	const struct doctor *d;
	struct buf text;
};

void fix_command_begin(struct fix_command *c, const struct doctor *d,
		       const char *lead, const char *command);
/* Appends " --NAME=VALUE", quoted for the shell. */
void fix_command_option(struct fix_command *c, const char *name,
			struct str value);
/* Appends --map TRACED=SENT. */
void fix_command_map(struct fix_command *c, struct str traced, struct str sent);
void fix_command_end(struct fix_command *c, struct checks *checks,
		     const char *tail);

/* Sets a fix on how to enable span profiles in a language, named as in
 * OpenTelemetry ("go", "java"), for the check appended last. */
void fix_span_profiles(struct checks *c, const struct profile_checkup *server,
		       struct str language);

/* Write the answer: const struct doctor *. */
void doctor_write_table(const void *answer, const struct render_style *style,
			struct out *out);
void doctor_write_json(const void *answer, struct out *out);

/* Examination of the server of one side: its responses, and what is known so
 * far. Independent of which requests were made and why. */

/* Facts that are prerequisites of checks. */
enum {
	EXAM_REACHED = 1, /* it responds */
	/* The security of the connection has been reported. */
	EXAM_SECURED = 2,
	EXAM_ALLOWED = 4, /* read access is allowed */
	EXAM_PROVEN = 8,  /* it is the expected kind of server */
};

struct exam {
	const char *name; /* "traces" */
	struct side *side;
	bool *is_up;        /* set if it works */
	const char *wanted; /* the expected kinds */
	const char *title;  /* of its kind, once known */
	bool has_tenants;
	bool is_right;  /* `best` is proof */
	unsigned known; /* EXAM_REACHED... */
	/* Proves the kind, or is the most informative. */
	const struct http_response *best;
	const struct http_response *login;   /* proves access, or NULL */
	const struct http_response *version; /* or NULL */
	const struct http_response *answers; /* all responses to its requests */
	/* Checks by the backend, for one of the sides. */
	const struct trace_checkup *traces;
	const struct profile_checkup *profiles;
	struct clock_answer clocks[CLOCK_ANSWERS_MAX];
	size_t clock_count;
	int64_t fastest_ns;
};

/* Adds the duration of a response and the server's time. NULL: not
 * requested. */
void exam_add_times(struct exam *e, const struct http_response *response);

/* Appends its checks in order; none without `best`. */
bool exam_judge(struct doctor *d, struct exam *e, struct error *err) MUST_CHECK;

/* Examines the server as another kind than configured: sends that kind's
 * requests and judges them. *is_found is false if it is not that kind. */
bool exam_ask_other(struct doctor *d, const struct profile_checkup *p,
		    const struct exam *e, bool *is_found,
		    struct error *err) MUST_CHECK;

#endif
