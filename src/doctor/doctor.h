/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no answer: checks of the servers and of what they hold for a
 * trace or a service. Stage by stage; a stage whose ground is missing is left
 * out, and the other side is checked all the same.
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

/* How doctor judges what it measured. Pure functions: no network, no clock. */

/* ---- clocks ---- */

/* One answer's Date header and how long the answer took. */
struct clock_answer {
	int64_t date_ns;
	int64_t duration_ns;
};

#define CLOCK_ANSWERS_MAX 16

/* Server minus own clock, and how far off that may be: Date counts whole
 * seconds, and nobody knows when within its time an answer was dated. */
struct clock_offset {
	int64_t offset_ns;
	int64_t slack_ns;
};

/* The median of the answers, asked for at now_ns by the own clock. n > 0; those
 * past CLOCK_ANSWERS_MAX are left out. */
struct clock_offset clock_offset_find(const struct clock_answer *answers,
				      size_t n, int64_t now_ns);

/* Over 5 s, surely: a warning. Over 60 s: failed, since windows of spans miss
 * the profiles of the same moment. */
enum check_status clock_offset_judge(const struct clock_offset *clock);

/* ---- names ---- */

enum name_match {
	NAME_NONE = 0,
	NAME_NEAR,   /* a few letters differ: perhaps another service */
	NAME_DOUBT,  /* several that it may be */
	NAME_VARIED, /* case, a prefix up to '/', or ".cpu": the same service */
	NAME_EXACT,
};

#define NEAREST_SHOWN 3

struct name_found {
	enum name_match match;
	struct str name; /* the one, or the likeliest; empty for NAME_NONE */
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
};

/* Which of the profile services is meant, by the names that the rest of the
 * program tries too. All names are borrowed from the list. */
struct name_found name_match_find(const struct name_candidates *candidates,
				  const struct name_list *list);

/* An attribute of the process whose value is one of the list: under it the
 * service may send. Its key, and *value of the list; NULL when none. */
const char *name_attr_find(const struct trace *t, uint32_t resource,
			   const struct name_list *list, struct str *value);

/* ---- windows ---- */

enum window_trouble {
	WINDOW_OK = 0,
	WINDOW_BEFORE_DATA, /* ends before the oldest profile */
	WINDOW_CUT_BY_DATA, /* begins before it */
	WINDOW_AFTER_DATA,  /* begins after the newest, and not just now */
	WINDOW_PAST_LOOKBACK,
	WINDOW_TOO_LONG,
};

/* The limits of the server; 0 is unknown. */
struct window_limits {
	int64_t oldest_ns;
	int64_t newest_ns;
	int64_t length_ns;   /* the longest range answered at once */
	int64_t lookback_ns; /* how far back it answers */
};

enum window_trouble window_judge(struct time_range window, int64_t now_ns,
				 const struct window_limits *limits);

/* ---- span profiles ---- */

enum span_trouble {
	SPANS_OK = 0,
	SPANS_NO_ID,      /* no span carries pyroscope.profile.id */
	SPANS_BAD_ID,     /* its value is no span id */
	SPANS_IGNORED,    /* the server answers for spans that do not exist */
	SPANS_NOT_CPU,    /* the service has no CPU profile */
	SPANS_NO_SERVICE, /* nor any profile */
	SPANS_TOO_SHORT,  /* no samples, of under 20 ms */
	SPANS_NO_SAMPLES,
};

struct span_facts {
	struct str profile_id; /* the attribute's value, empty without */
	int64_t duration_ns;   /* of the span that carries it */
	bool has_service;
	bool has_cpu;
	bool is_selector_ignored;
	bool has_samples;
};

enum span_trouble span_profiles_judge(const struct span_facts *facts);

/* 16 hex digits. */
bool is_span_profile_id(struct str value);

#define RESOURCE_NONE UINT32_MAX

/* The options of a side's server. */
struct doctor_side {
	struct str url_origin;    /* "from --traces-url", or "as given" */
	struct str tenant_origin; /* likewise; of the tenant that is sent */
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
	bool wants_traces; /* false: no traces server is looked for */
	bool is_case;      /* how connections were checked is not known */
	/* Gets the trace; NULL: none is asked about. */
	bool (*trace_fetch)(void *context, struct trace *trace,
			    struct str *source, struct error *err);
	void *context;
	bool is_trace_file;
	bool is_strict;
	const char *service; /* the only one; NULL: all of the trace */
	/* Of profiles; by default around the trace. */
	bool has_window;
	struct time_range window;
	int64_t pad_ns;
	/* For commands that can be pasted: the trace as they name it, or NULL,
	 * and what leads to the same servers. */
	const char *trace_text;
	struct doctor_option options[DOCTOR_OPTIONS];
	size_t option_count;
};

/* One service, and what the profile side has for it. */
struct doctor_service {
	struct str name; /* in the trace, or of --service */
	uint32_t span_count;
	uint32_t resource; /* of its first span, RESOURCE_NONE without one */
	enum name_match match;
	struct str found; /* its name on the profile side, or the nearest */
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
	const char *attr_key; /* not found, but this attribute is `found` */
	struct str selector;  /* of `found` */
	struct places places; /* what narrows the selector, or is in doubt */
	struct name_list types;
	struct str type_id; /* the one whose samples were counted */
	bool has_answer;
	int64_t samples; /* in the window, -1: values without a count */
	int64_t total;
	bool has_cpu;
	struct error err; /* why there is no answer */
	/* The span with pyroscope.profile.id that took longest. */
	uint32_t profile_span; /* SPAN_NONE: none has it */
	struct str profile_id;
	bool has_span_answer;
	int64_t span_samples; /* as samples */
	int64_t span_total;
	enum span_trouble span_trouble;
};

/* The profile side has its name, or a variant of it. */
bool doctor_service_is_found(const struct doctor_service *row);

struct doctor {
	const struct doctor_question *question;
	struct backends *backends; /* the question's */
	struct arena arena;        /* texts of checks, names */
	struct checks checks;
	struct trace trace;
	bool has_trace; /* fetched */
	/* The server answers as it should; set before when none is wanted. */
	bool is_traces_up;
	bool is_profiles_up;    /* likewise */
	bool is_metrics_up;     /* likewise */
	struct checkup checkup; /* what the rooms of servers tell */
	struct time_range window;
	struct name_list services; /* those of the day before window's end */
	struct doctor_service *rows;
	size_t row_count;
	size_t rows_left_out;
	bool is_selector_ignored; /* spans that do not exist have samples */
	bool has_span_names;      /* without a trace: samples name spans */
};

void doctor_init(struct doctor *d, const struct doctor_question *question);
void doctor_release(struct doctor *d);

/* Asks and judges all of it; what is wrong is among the checks. False: the run
 * cannot go on. */
bool doctor_run(struct doctor *d, struct error *err) MUST_CHECK;

/* The stages append checks; false only when the run cannot go on. */

/* Addresses; then reachability, login, kind, clock of both sides. */
bool doctor_servers(struct doctor *d, struct error *err) MUST_CHECK;

/* The server of metrics, where one was named, and what it has. */
bool doctor_metrics(struct doctor *d, struct error *err) MUST_CHECK;

/* The address and the tenant of a side, and what gave them. name: "traces". */
void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *name);

/* Looks up the trace of the command line; a usage error ends the run. */
bool doctor_trace(struct doctor *d, struct error *err) MUST_CHECK;

/* Services, types, samples and span profiles in the window. */
bool doctor_profiles(struct doctor *d, struct error *err) MUST_CHECK;

/* A profile file instead of a server. */
bool doctor_profile_file(struct doctor *d, struct error *err) MUST_CHECK;

/* Where the services of the trace run, by their series in the range. */
bool doctor_places(struct doctor *d, struct time_range range,
		   struct error *err) MUST_CHECK;
void doctor_judge_places(struct doctor *d);

/* Checks of the rows that doctor_profiles() filled. */
void doctor_judge_services(struct doctor *d);

/* A command that can be pasted, as the fix of the check appended last.
 * Begins with `lead` and "tracefind COMMAND"; fix_command_end() adds the
 * servers that the command line named, and `tail`. */
struct fix_command {
	const struct doctor *d;
	struct buf text;
};

void fix_command_begin(struct fix_command *c, const struct doctor *d,
		       const char *lead, const char *command);
/* " --NAME=VALUE" in the shell's quotes. */
void fix_command_option(struct fix_command *c, const char *name,
			struct str value);
/* --map TRACED=SENT. */
void fix_command_map(struct fix_command *c, struct str traced, struct str sent);
void fix_command_end(struct fix_command *c, struct checks *checks,
		     const char *tail);

/* How span profiles come about for a language as OpenTelemetry names it
 * ("go", "java"), for the check appended last. */
void fix_span_profiles(struct checks *c, const struct profile_checkup *server,
		       struct str language);

/* Prints the answer: const struct doctor *. */
void doctor_write_table(const void *answer, const struct render_style *style,
			struct out *out);
void doctor_write_json(const void *answer, struct out *out);

/* One side's server under examination: what it was asked, what it answered,
 * and what is known of it so far. Does not know what was asked of it and why.
 */

/* The facts that a check needs first. */
enum {
	EXAM_REACHED = 1, /* it answers */
	EXAM_SECURED = 2, /* and how its connection is kept is told */
	EXAM_ALLOWED = 4, /* reading is */
	EXAM_PROVEN = 8,  /* it is the kind of server looked for */
};

struct exam {
	const char *name; /* "traces" */
	struct side *side;
	bool *is_up;        /* set when it answers as it should */
	const char *wanted; /* the kinds looked for */
	const char *title;  /* of its kind, once known */
	bool has_tenants;
	bool is_right;                       /* `best` proves it */
	unsigned known;                      /* EXAM_REACHED... */
	const struct http_response *best;    /* proof, or tells most */
	const struct http_response *login;   /* proves more, or NULL */
	const struct http_response *version; /* or NULL */
	const struct http_response *answers; /* all that its room asked for */
	const struct trace_checkup *traces;  /* the room's, of one side */
	const struct profile_checkup *profiles;
	struct clock_answer clocks[CLOCK_ANSWERS_MAX];
	size_t clock_count;
	int64_t fastest_ns;
};

/* Learns how long the answer took, and the server's time. NULL: not asked. */
void exam_add_times(struct exam *e, const struct http_response *response);

/* Its checks, in their order; nothing without `best`. */
bool exam_judge(struct doctor *d, struct exam *e, struct error *err) MUST_CHECK;

/* The server may be another than it was taken for: asks it as such, and then
 * judges it. False in *is_found: it is none. */
bool exam_ask_other(struct doctor *d, const struct profile_checkup *p,
		    const struct exam *e, bool *is_found,
		    struct error *err) MUST_CHECK;

#endif
