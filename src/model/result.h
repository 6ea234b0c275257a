/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of the analysis, as plain structs for renderers. The JSON answer
 * (documented in tracefind-json(5)) has the same shape and order. Strings are
 * borrowed from the models or from result.arena; a NULL pointer in a str, a
 * negative duration and has_... = false mean "unknown" and are null in JSON.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/notes.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "model/category.h"
#include "model/history.h"
#include "model/trace.h"

/* Findings in a trace besides the verdict, as numbers and spans; report/ puts
 * them into words. */

/* Each kind's use of struct finding_facts; other numbers are 0, other spans
 * undefined. */
enum finding_kind {
	/* span makes `call` count times in this manner, time_ns in total */
	FINDING_N_PLUS_ONE = 0,
	/* span makes `call` count times, failed_count fail, `failed` last;
	 * time_ns are lost, pause_ns of them between attempts; `other`,
	 * SPAN_NONE if unknown, served one of them for other_ns */
	FINDING_RETRY,
	/* of count parallel calls `call` is the slowest: time_ns, median
	 * other_ns */
	FINDING_SLOW_SHARD,
	/* count parallel calls in time_ns, the slowest other_ns */
	FINDING_FAN_OUT,
	/* the first of count calls took time_ns, the others other_ns */
	FINDING_COLD_CALL,
	/* span took time_ns, count spans like it were slow */
	FINDING_SLOW_QUERY,
	/* count sequential calls in time_ns, `call` the longest; in parallel
	 * they would save other_ns */
	FINDING_CONSECUTIVE,
	/* span waited time_ns outside `other`, its callee, at this end; so did
	 * count calls, at most as long */
	FINDING_QUEUE_GAP,
	/* span had no child for time_ns, from other_ns after its start */
	FINDING_GAP,
	/* span failed, as did count alike; the request failed, too, if
	 * is_fatal */
	FINDING_ERROR,
	/* count messages of span; the longest took time_ns until `other`
	 * began */
	FINDING_MESSAGE_DELAY,
	/* count spans were not waited for; the longest, span, ran for time_ns
	 * after the end of the request */
	FINDING_ASYNC_WORK,
	/* span was idle, waiting for `other`, which it started by a message:
	 * for time_ns until that ended */
	FINDING_AWAITED_JOB,
	/* count roots besides span; the longest is `other` */
	FINDING_OTHER_ROOTS,
	/* count sequential requests in time_ns, other_ns of it pauses; span is
	 * the slowest */
	FINDING_SESSION,
	/* count calls extend beyond their caller's time, by other_ns to
	 * time_ns; moved_count spans were moved */
	FINDING_CLOCK_SKEW,
	/* count spans with start times in whole milliseconds were moved after
	 * their predecessors' ends, by at most time_ns */
	FINDING_WHOLE_STARTS,
	FINDING_KINDS,
};

/* How repeated calls run. */
enum repeat_manner {
	REPEAT_ONE_BY_ONE = 0,
	REPEAT_SOME_AT_A_TIME,
	REPEAT_SIDE_BY_SIDE,
};

/* Where a call spends time that its callee's span does not cover. */
enum call_rim {
	CALL_RIM_BEFORE = 0,
	CALL_RIM_BEHIND,
	CALL_RIM_BOTH, /* clocks disagree: only the sum is known */
};

struct finding_facts {
	enum finding_kind kind;
	/* Number of findings of the kind that are not listed; nothing else is
	 * set. */
	size_t more_count;
	uint32_t span; /* this and the next: indices into the trace */
	uint32_t call;
	uint32_t other;
	uint32_t failed;
	uint32_t count;
	uint32_t failed_count;
	uint32_t moved_count;
	int64_t time_ns;
	int64_t other_ns;
	int64_t pause_ns;
	enum repeat_manner manner;
	enum call_rim rim;
	bool is_fatal;
};

struct trace_finding {
	struct str kind; /* as finding_kind_name() */
	struct finding_facts facts;
	struct str text;
	uint64_t *span_ids;
	size_t span_id_count;
};

/* Returns the kind's name in JSON, such as "n_plus_one". */
const char *finding_kind_name(enum finding_kind kind);

enum cause_kind {
	CAUSE_UNKNOWN = 0,
	CAUSE_CPU,
	CAUSE_ALLOC,
	CAUSE_LOCK,
	CAUSE_WAIT,
	CAUSE_DOWNSTREAM,
	CAUSE_N_PLUS_ONE,
	CAUSE_NETWORK,    /* between caller and callee */
	CAUSE_QUEUE,      /* a message waited in a queue */
	CAUSE_CONTENTION, /* for CPU, on a machine, in a pod or under a quota */
};

/* Returns whether spans show that the time was not spent in the code of the
 * waiting service. */
static inline bool cause_is_outside(enum cause_kind kind)
{
	return kind == CAUSE_DOWNSTREAM || kind == CAUSE_NETWORK;
}

enum confidence { CONFIDENCE_WEAK = 0, CONFIDENCE_FAIR, CONFIDENCE_STRONG };

enum scope { SCOPE_SERVICE = 0, SCOPE_INSTANCE, SCOPE_COHORT, SCOPE_SPAN };

enum change {
	CHANGE_NONE = 0, /* no baseline: null */
	CHANGE_NEW,
	CHANGE_GROWN,
	CHANGE_SHRUNK,
	CHANGE_GONE,
	CHANGE_SAME,
	CHANGE_NOISE,
	CHANGE_UNSEEN, /* below the minimum detectable change */
};

/* Significant growth. */
static inline bool change_is_up(enum change change)
{
	return change == CHANGE_NEW || change == CHANGE_GROWN;
}

static inline bool change_is_down(enum change change)
{
	return change == CHANGE_GONE || change == CHANGE_SHRUNK;
}

/* Significant change in either direction. */
static inline bool change_is_real(enum change change)
{
	return change_is_up(change) || change_is_down(change);
}

struct trace_info {
	struct str id;     /* 32 hex digits; NULL: none */
	struct str source; /* "tempo http://host:3200", a file name */
	struct str page;   /* URL of its page in a UI; empty: none */
	int64_t start_ns;
	int64_t duration_ns;
	uint32_t service_count;
	uint32_t span_count;
	bool is_partial;
};

/* The guilty span, or a group of siblings with the same service and name. */
struct guilty_span {
	uint32_t span; /* index; of a group, the first member */
	struct str span_id;
	struct str service;
	struct str name;
	enum span_kind kind;
	int64_t start_ns;
	/* For a group from the first start to the last end. */
	int64_t duration_ns;
	int64_t self_ns;     /* summed over the group */
	int64_t critical_ns; /* time on the critical path, summed */
	uint32_t count;      /* size of the group, 1 for a single span */
	struct str *path;    /* "service name", root first, including itself */
	size_t path_count;
	/* Number of spans that an entry of path represents ("... 5 spans ..."),
	 * or 0. */
	uint32_t path_left_out;
	int64_t typical_ns;     /* -1 unknown */
	uint32_t typical_count; /* number of traces behind it, 0 unknown */
	/* typical_ns is of similar requests: "for its size". Empty: of all. */
	bool is_typical_like;
	bool is_as_ever; /* as long as typical, so no other time is shown */
	struct str typical_like;
	struct str why; /* one clause: why this span was chosen */
	double share;   /* critical_ns relative to the critical path, 0..1 */
	/* Share is of the part of the trace that is analysed. */
	bool is_of_part;
};

/* A message queue, for CAUSE_QUEUE. */
struct queue_info {
	struct str name;        /* of the queue; empty: unknown */
	int64_t wait_ns;        /* from the end of sending to receiving */
	int64_t typical_ns;     /* -1 not known */
	uint32_t typical_count; /* number of messages behind it */
};

/* Kinds of time that a span takes beyond its typical duration. */
enum excess_kind {
	EXCESS_CPU = 0,
	EXCESS_ALLOC, /* allocation and garbage collection, on CPU */
	EXCESS_BLOCKED,
	EXCESS_QUEUE,
	EXCESS_CALL,
	EXCESS_REST, /* unattributed */
	EXCESS_KINDS
};

struct excess_part {
	enum excess_kind kind;
	int64_t ns;        /* part of total_ns */
	int64_t now_ns;    /* as measured, per request; -1 unknown */
	int64_t before_ns; /* same, baseline */
	struct str name;   /* the top function; NULL: unknown */
	const char *by;    /* type of the profile of EXCESS_BLOCKED */
};

/* Breakdown of a span's extra time: parts add up to total_ns, the largest
 * first; total_ns is 0 if there is none. For an outlier, it is the average
 * extra time of similar requests. */
struct excess {
	int64_t total_ns;
	int64_t span_ns; /* extra time of this span */
	struct excess_part parts[EXCESS_KINDS];
	size_t count;
};

/* How an operation within a request changed relative to earlier requests. */
enum account_why {
	ACCOUNT_SLOWER = 0, /* a call takes longer */
	ACCOUNT_MORE_CALLS, /* by the operation, to `called` */
	/* Its calls run sequentially now. */
	ACCOUNT_LESS_OVERLAP,
	ACCOUNT_NEW,  /* did not occur before */
	ACCOUNT_GONE, /* no longer occurs */
	ACCOUNT_WHYS
};

struct account_row {
	struct str service; /* borrowed from the trace, as is called */
	struct str name;
	enum account_why why;
	int64_t change_ns;
	struct str called; /* callee with the largest part; NULL: none */
};

/* Extra time of a request over the average of earlier ones: the sum of the
 * rows, the largest first, those that shrank last. */
struct account_info {
	int64_t now_ns;
	int64_t before_ns;
	uint32_t requests; /* earlier ones */
	struct account_row *rows;
	size_t count;
};

struct cause {
	enum cause_kind kind;
	struct excess excess;
	struct queue_info queue;
	enum confidence confidence;
	int64_t on_cpu_ns; /* -1 unknown */
	struct str text;
	struct str confidence_text; /* evidence behind the confidence */
	struct str headline;        /* a few words; empty: none */
};

struct profile_info {
	struct str type; /* full id, or a file's "cpu/nanoseconds" */
	enum scope scope;
	/* From one or several files: the scope is unknown. */
	bool is_file;
	bool is_of_rest;         /* numbers are of what filters leave */
	struct str selector;     /* selector, span id or file name */
	struct str text;         /* which part, if not all; diff only */
	struct time_range range; /* both ends 0: unknown */
	int64_t samples;         /* -1 unknown */
	struct str unit;
	double truncated_share;
	int64_t total_value;
	int64_t untagged_value; /* part of it that --tag-focus excludes */
	/* The difference of two profiles; total_value is then the sum of
	 * absolute values, net_value that of the values. */
	bool is_difference;
	int64_t net_value;
	/* Number of requests behind the samples; 0 or negative: unknown. */
	int64_t requests;
	bool is_requests_sampled; /* requests counts traced ones only */
	uint32_t instances;       /* number of instances, 0 unknown */
};

struct baseline_info {
	struct str kind; /* previous, 1h, 1d, 7d, range, file, selector, none */
	struct time_range range;
	int64_t samples;
	int healthy; /* 1, 0, -1 unknown */
	struct str text;
	bool is_text_plain; /* text is health statistics, not a caveat */
	int64_t total_value;
	int64_t requests; /* 0 or negative: unknown */
	bool is_requests_sampled;
	uint32_t instances; /* 0 unknown */
};

/* The measure that rows are sorted by and compared. RANK_DELTA: totals, with
 * growth and decline mixed by size. */
enum rank_by { RANK_SELF_LIB = 0, RANK_SELF, RANK_TOTAL, RANK_DELTA };

/* Divisor of each side's values before they are compared: their total, seconds
 * of the window, or requests in the window. */
enum normalize {
	NORMALIZE_SHARE = 0,
	NORMALIZE_RATE,
	NORMALIZE_REQUEST,
	NORMALIZE_VALUE, /* nothing: raw values */
};

/* The change of a function's self value, beyond the common change of all
 * functions. */
struct self_change {
	enum change change; /* CHANGE_NONE: not tested, or as its total */
	/* Relative, 0.19 for 19 %, beyond the common change. */
	double growth;
	double low; /* 95 % interval of its absolute growth */
	double high;
	double beside_low; /* lower end of growth */
	double q;
};

/* A ranked function. Values in the profile's unit; shares 0..1 of each side's
 * total. Baseline fields are 0 if the function is absent there, and null if
 * there is no baseline. */
struct function_row {
	uint32_t rank; /* from 1 */
	struct str name;
	struct str file;  /* NULL unknown */
	uint32_t line;    /* the hottest line of the function; 0 unknown */
	const char *kind; /* as code_kind_name(): "gc_alloc" */
	struct str
		leaf; /* hottest frame below it if another one, or NULL */
	double self_lib;
	double self;
	double total;
	int64_t self_lib_value;
	int64_t self_value;
	int64_t total_value;
	double baseline_self_lib;
	double baseline_self;
	double baseline_total;
	int64_t baseline_self_lib_value;
	int64_t baseline_self_value;
	int64_t baseline_total_value;
	/* The measure of delta and change; RANK_SELF_LIB also means "as
	 * result.rank_by". */
	enum rank_by measure;
	/* That measure changed although the function's total did not. */
	bool is_part;
	double delta; /* of that measure's share */
	double delta_low;
	double delta_high; /* 95 % interval; NaN if not tested */
	/* 95 % interval of the relative growth; INFINITY if the baseline is 0.
	 * beside_low: lower end beyond the common change. */
	double growth_low;
	double growth_high;
	double beside_low;
	double q; /* NaN if not tested */
	/* The change in standard deviations of unchanged functions of its size;
	 * NaN if not tested. */
	double deviations;
	/* Minimum detectable growth, relative; NaN unknown. */
	double detectable;
	enum change change;
	/* Change of the self value, if totals are compared. */
	struct self_change self_change;
	bool is_with_all; /* moved, but only as most functions did */
	/* The function that explains this one's change, or NULL: one it calls,
	 * or, if is_asked, a caller that calls it more. */
	struct str through;
	bool is_asked;
	/* A removed function that this new one replaces, or NULL, and its
	 * total. */
	struct str replaces;
	int64_t replaced_value;
};

/* Returns whether it is application code, neither library nor runtime. */
static inline bool row_is_of_application(const struct function_row *row)
{
	return row->kind && !strcmp(row->kind, "application");
}

/* The change of both sides' totals. */
struct whole_change {
	double delta; /* relative to the slow side's total */
	double q;     /* NaN if not tested, and for shares */
	double delta_low;
	double delta_high;
	double growth_low; /* relative */
	double growth_high;
	bool is_changed;
	bool is_together; /* most functions changed as the total did */
	/* Change common to unchanged functions, per second, per request or of
	 * the share: -0.12 for 12 % less; NaN unknown. */
	double common;
	/* Minimum detectable change of the total; NaN unknown. */
	double detectable;
	/* Minimum detectable growth of a function with 1 %, relative. */
	double function_detectable;
	bool is_equal; /* all functions have equal values on both sides */
};

/* A function with a significant change, whether or not its row was kept. */
struct function_change {
	struct str key;     /* its identity, see analyze/function_table.h */
	enum change change; /* of the measure rows are ranked by */
	enum change total_change; /* of its total */
};

struct request_info {
	struct str method;
	struct str url; /* secrets redacted */
	int status;     /* 0: no response */
	int64_t bytes;  /* as received */
	int64_t duration_ns;
};

struct waterfall_row {
	uint32_t span;
	uint32_t depth;
	uint32_t count;      /* number of spans folded into this row */
	uint32_t hidden;     /* spans below it hidden by --collapse */
	int64_t start_ns;    /* of the first member */
	int64_t end_ns;      /* of the last member */
	int64_t duration_ns; /* sum of the folded members */
	int64_t self_ns;
	int64_t critical_ns;
	bool is_on_path;
	bool is_error;
	bool is_guilty;
};

/* Which details of spans `show` prints besides times. */
struct show_view {
	bool has_events; /* all events */
	bool has_errors; /* errors of failed spans */
	bool is_one;     /* only this span, with everything known about it */
	uint32_t span;
};

/* A distinct stack of one or both sides. */
struct stack_line {
	struct str *names; /* root first */
	uint32_t count;
	int64_t before; /* baseline value, 0 if absent */
	int64_t after;
};

/* An attribute that sets slow requests apart from fast ones. Counts include
 * only requests in which it is known. */
struct contrast_row {
	const char *kind; /* "value", "more", "less" */
	struct str service;
	struct str operation; /* whose spans have it */
	struct str key;
	struct str value; /* NULL for "more" and "less" */
	uint32_t slow_with;
	uint32_t slow_count;
	uint32_t fast_with;
	uint32_t fast_count;
	double slow_median; /* for numbers, else NaN */
	double fast_median;
	/* Median durations of the operation with and without, -1 unknown. */
	int64_t with_ns;
	int64_t without_ns;
	double q;
	int own; /* the investigated request has it: 1, 0, -1 unknown */
	/* Requests with it took as long before, and this one is no outlier. */
	bool is_usual;
	struct str text;
};

/* Another kind of request that was slow because of the operation. */
struct affected_request {
	struct str service;
	struct str name;
	uint32_t count; /* number of traces seen */
};

/* Impact: requests of the operation around the time of the trace, including
 * this one, services above it, and other requests that contain it. */
struct affected_info {
	uint32_t requests; /* 0: unknown, as is the rest */
	uint32_t slow;
	bool is_sample;      /* the server had more */
	struct str *callers; /* the nearest first */
	size_t caller_count;
	struct affected_request *others; /* the most frequent first */
	size_t other_count;
};

/* A commit that changed the lines of the blamed function. */
struct commit {
	struct str hash; /* full length */
	int64_t time_ns; /* commit time */
	struct str subject;
};

/* Maximum number of commits listed; older ones are no news. */
#define COMMITS_MOST 3u

/* Why there are no commits. */
enum commits_gap {
	COMMITS_GAP_NONE = 0, /* there are, or not requested */
	COMMITS_NO_LINE,      /* the profile has no lines */
	COMMITS_NO_FILE,
	COMMITS_NO_FUNCTION, /* not at these lines in the source */
	COMMITS_NO_GIT,
	COMMITS_NO_TREE,   /* not in a git work tree, or untracked */
	COMMITS_LATE,      /* git timed out */
	COMMITS_CHANGED,   /* the lines differ from HEAD */
	COMMITS_SHALLOW,   /* the shallow clone does not go back far enough */
	COMMITS_NO_FORMAT, /* unexpected output of git log */
};

struct func_table;
struct rank_facts;

struct result {
	struct arena arena;
	const char *command;
	bool has_trace;
	struct trace_info trace;
	bool has_span;
	struct guilty_span span;
	bool has_cause;
	struct cause cause;
	bool has_profile;
	struct profile_info profile;
	bool has_baseline;
	struct baseline_info baseline;
	struct str since_version; /* deployed when it became slow, or empty */
	enum rank_by rank_by;
	struct function_row *functions;
	/* Rows that the verdict is based on, if `functions` is a different
	 * view; NULL: same. */
	struct function_row *verdict_rows;
	size_t verdict_count;
	/* Rows are in an order that the user chose. */
	bool has_order_of_user;
	bool has_locations_in_names; /* names contain file and line already */
	size_t function_count;       /* rows shown */
	/* Number of rows in the array, for HTML reports: more than shown. 0: no
	 * more. */
	size_t function_listed;
	size_t function_total; /* rows before the limit */
	size_t noise_count;    /* rows left out as noise */
	size_t change_total;   /* rows with a significant change */
	/* For flame graphs, see rank_want.is_drawn. */
	const struct func_table *table; /* of analyze/: the ranked functions */
	/* Caveats of the comparison, from analyze/; NULL if nothing was
	 * ranked. */
	const struct rank_facts *rank_facts;
	bool is_compared;
	enum normalize normalize; /* how the sides were actually compared */
	double baseline_scale;    /* factor for baseline values */
	/* Divisors of each side's values for display: requests, seconds, 1; for
	 * shares the side's total. */
	double exposure;
	double baseline_exposure;
	struct whole_change whole;
	struct function_change *changes;
	size_t change_count;
	bool is_healthy; /* nothing is wrong; no function is blamed */
	/* Root folder of the application's files, see source_path_shorten(). */
	struct str source_root;
	/* Values of each side by kind of code; total 0 if unknown. */
	struct category_shares categories;
	struct category_shares baseline_categories;
	struct trace_finding *findings;
	size_t finding_count;
	/* Requests of the operation, slow only; NULL: none seen. */
	const struct request_history *history;
	const struct account_info *account; /* same; NULL: unknown */
	struct affected_info affected;
	struct commit commits[COMMITS_MOST]; /* the newest first */
	size_t commit_count;
	enum commits_gap commits_gap;
	/* Slow only; the most significant first. */
	struct contrast_row *contrasts;
	size_t contrast_count;
	struct waterfall_row *waterfall; /* show only */
	size_t waterfall_count;
	size_t waterfall_total;      /* rows before a selection, 0: none made */
	struct waterfall_row *spans; /* show only: all spans in tree order */
	size_t span_count;
	struct show_view view;
	struct notes notes;
	struct notes reasons; /* how the verdict was reached */
	bool has_reasons;
	bool shows_reasons; /* --why; HTML reports show them always */
	struct request_info *requests;
	size_t request_count;
	/* Immediate action, as a shell comment; empty: none. */
	struct str step;
	/* The "next" lines: follow-up commands, one shell line each. */
	struct str *next;
	size_t next_count;
	/* Options that direct other commands to the same servers, each preceded
	 * by a space; empty: none needed. */
	struct str servers;
};

/* Returns the part of the extra time that lock or wait profiles attribute to a
 * function; NULL: none. */
static inline const struct excess_part *
result_blocked_part(const struct result *r)
{
	const struct excess *x = &r->cause.excess;

	for (size_t i = 0; i < x->count; i++)
		if (x->parts[i].kind == EXCESS_BLOCKED && x->parts[i].name.len)
			return &x->parts[i];
	return NULL;
}

/* Returns the rows the verdict is based on, whatever view or order is shown. */
static inline const struct function_row *result_verdict(const struct result *r)
{
	return r->verdict_rows ? r->verdict_rows : r->functions;
}

static inline size_t result_verdict_count(const struct result *r)
{
	return r->verdict_rows ? r->verdict_count : r->function_count;
}

/* Returns the blamed function: the one that grew most, or without a baseline
 * the largest. NULL: none. */
static inline const struct function_row *result_blamed(const struct result *r)
{
	const struct function_row *lead = result_verdict(r);

	if (r->is_healthy || !r->has_profile || !result_verdict_count(r))
		return NULL;
	return !r->has_baseline || change_is_up(lead->change) ? lead : NULL;
}

/* Returns the number of rows in functions. */
static inline size_t result_listed(const struct result *r)
{
	return r->function_listed > r->function_count ? r->function_listed
						      : r->function_count;
}

#endif
