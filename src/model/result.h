/* SPDX-License-Identifier: Apache-2.0
 *
 * What analysis yields and renderers show: plain structs. The JSON answer
 * (product contract, tracefind-json(5)) has the same shape and order. Strings
 * are borrowed from the models or from result.arena; a NULL pointer in a str, a
 * negative duration and has_... = false mean "not known" and are null in JSON.
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

/* The findings of a trace beside the answer, as numbers and spans; the words
 * for it are report/'s. */

/* Which facts each has; the others are 0, their spans mean nothing. */
enum finding_kind {
	/* span calls `call` count times in this manner, time_ns together */
	FINDING_N_PLUS_ONE = 0,
	/* span makes `call` count times, failed_count fail, the last of them as
	 * `failed` says; time_ns are lost, pause_ns of them between attempts;
	 * `other` served one for other_ns, SPAN_NONE: not known */
	FINDING_RETRY,
	/* of count calls side by side `call` is the slowest: time_ns, the
	 * median other_ns */
	FINDING_SLOW_SHARD,
	/* count calls side by side in time_ns, the slowest other_ns */
	FINDING_FAN_OUT,
	/* the first of count calls took time_ns, the others other_ns */
	FINDING_COLD_CALL,
	/* span took time_ns, count spans like it were slow */
	FINDING_SLOW_QUERY,
	/* count calls one after another in time_ns, `call` the longest; side
	 * by side they would save other_ns */
	FINDING_CONSECUTIVE,
	/* span waited time_ns outside `other`, its callee, at this rim; so did
	 * count calls, no longer */
	FINDING_QUEUE_GAP,
	/* span had no child for time_ns, from other_ns after its start */
	FINDING_GAP,
	/* span failed, count times so; the request too when is_fatal */
	FINDING_ERROR,
	/* count messages of span; time_ns until `other` began, the longest */
	FINDING_MESSAGE_DELAY,
	/* count spans were not waited for, of which span is the longest: for
	 * time_ns after the request was over */
	FINDING_ASYNC_WORK,
	/* span, idle, waited for `other`, which a message of its set off: for
	 * time_ns until that ended */
	FINDING_AWAITED_JOB,
	/* count roots besides span, of which `other` is the longest */
	FINDING_OTHER_ROOTS,
	/* count requests follow one another in time_ns, other_ns of them in
	 * pauses; span is the slowest */
	FINDING_SESSION,
	/* count calls do not fit into their caller's time, by other_ns to
	 * time_ns; moved_count spans were moved */
	FINDING_CLOCK_SKEW,
	/* count spans, which begin at whole milliseconds, were moved behind what
	 * had ended before them, by time_ns at most */
	FINDING_WHOLE_STARTS,
	FINDING_KINDS,
};

/* How calls of a loop run. */
enum repeat_manner {
	REPEAT_ONE_BY_ONE = 0,
	REPEAT_SOME_AT_A_TIME,
	REPEAT_SIDE_BY_SIDE,
};

/* Where the time of a call lies that its callee does not cover. */
enum call_rim {
	CALL_RIM_BEFORE = 0,
	CALL_RIM_BEHIND,
	CALL_RIM_BOTH, /* clocks disagree: only the sum is known */
};

struct finding_facts {
	enum finding_kind kind;
	/* So many more of the kind are not listed; nothing else is set. */
	size_t more_count;
	uint32_t span; /* indices into the trace */
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
	struct str kind; /* n_plus_one, error, clock_skew, ... */
	struct finding_facts facts;
	struct str text;
	uint64_t *span_ids;
	size_t span_id_count;
};

/* "n_plus_one", as JSON has it. */
const char *finding_kind_name(enum finding_kind kind);

enum cause_kind {
	CAUSE_UNKNOWN = 0,
	CAUSE_CPU,
	CAUSE_ALLOC,
	CAUSE_LOCK,
	CAUSE_WAIT,
	CAUSE_DOWNSTREAM,
	CAUSE_N_PLUS_ONE,
	CAUSE_NETWORK,    /* between a caller and its callee */
	CAUSE_QUEUE,      /* a message that waited to be taken */
	CAUSE_CONTENTION, /* of a machine, a pod or a quota for CPU */
};

/* Told by spans: the time was not spent in the code of who waited. */
static inline bool cause_is_outside(enum cause_kind kind)
{
	return kind == CAUSE_DOWNSTREAM || kind == CAUSE_NETWORK;
}

enum confidence { CONFIDENCE_WEAK = 0, CONFIDENCE_FAIR, CONFIDENCE_STRONG };

enum scope { SCOPE_SERVICE = 0, SCOPE_INSTANCE, SCOPE_COHORT, SCOPE_SPAN };

enum change {
	CHANGE_NONE = 0, /* nothing to compare with: null */
	CHANGE_NEW,
	CHANGE_GROWN,
	CHANGE_SHRUNK,
	CHANGE_GONE,
	CHANGE_SAME,
	CHANGE_NOISE,
	CHANGE_UNSEEN, /* a small change could not have been seen */
};

/* There is more of it than before, told from noise. */
static inline bool change_is_up(enum change change)
{
	return change == CHANGE_NEW || change == CHANGE_GROWN;
}

static inline bool change_is_down(enum change change)
{
	return change == CHANGE_GONE || change == CHANGE_SHRUNK;
}

/* Up or down: neither the same, nor noise, nor without a baseline. */
static inline bool change_is_real(enum change change)
{
	return change_is_up(change) || change_is_down(change);
}

struct trace_info {
	struct str id;     /* 32 hex digits; NULL: it has none */
	struct str source; /* "tempo http://host:3200", a file name */
	struct str page;   /* where a person looks at it; empty: nowhere */
	int64_t start_ns;
	int64_t duration_ns;
	uint32_t service_count;
	uint32_t span_count;
	bool is_partial;
};

/* The guilty span, or the group of siblings that share service and name. */
struct guilty_span {
	uint32_t span; /* index; of a group its first member */
	struct str span_id;
	struct str service;
	struct str name;
	enum span_kind kind;
	int64_t start_ns;
	int64_t duration_ns; /* of a group: first start to last end */
	int64_t self_ns;     /* summed over the group */
	int64_t critical_ns; /* time on the critical path, summed */
	uint32_t count;      /* members of the group, 1 for a single span */
	struct str *path;    /* "service name", root first, itself last */
	size_t path_count;
	uint32_t path_left_out; /* spans that one of them stands for, or 0 */
	int64_t typical_ns;     /* -1 unknown */
	uint32_t typical_count; /* traces behind it, 0 unknown */
	/* What is usual is that of requests that have something in common with
	 * this one: "for its size". Empty: of all. */
	bool is_typical_like;
	bool is_as_ever; /* took what is usual: the first line has no other time */
	struct str typical_like;
	struct str why;         /* one clause: why this span was chosen */
	double share;    /* critical_ns of the trace's critical path, 0..1 */
	bool is_of_part; /* of the path of a part of it that is analysed */
};

/* Where a message waited, of CAUSE_QUEUE. */
struct queue_info {
	struct str name;        /* of the queue; empty: not known */
	int64_t wait_ns;        /* from the end of sending to the taking */
	int64_t typical_ns;     /* -1 not known */
	uint32_t typical_count; /* messages behind it */
};

/* Where time went that a span takes beyond what is usual. */
enum excess_kind {
	EXCESS_CPU = 0,
	EXCESS_ALLOC, /* allocation and garbage collection, on CPU */
	EXCESS_BLOCKED,
	EXCESS_QUEUE,
	EXCESS_CALL,
	EXCESS_REST, /* neither spans nor profiles tell */
	EXCESS_KINDS
};

struct excess_part {
	enum excess_kind kind;
	int64_t ns;        /* of the sum */
	int64_t now_ns;    /* as measured, per request; -1 not known */
	int64_t before_ns; /* so */
	struct str name;   /* the function that leads; NULL: none is known */
	const char *by;    /* type of the profile of EXCESS_BLOCKED */
};

/* The sum of all parts, the largest first; nothing when total_ns is 0. Of an
 * extreme request it is what requests like it take longer on average. */
struct excess {
	int64_t total_ns;
	int64_t span_ns; /* this one */
	struct excess_part parts[EXCESS_KINDS];
	size_t count;
};

/* The change of an operation, in a request beside those before it. */
enum account_why {
	ACCOUNT_SLOWER = 0,   /* a call takes longer */
	ACCOUNT_MORE_CALLS,   /* of the place, to those that it calls */
	ACCOUNT_LESS_OVERLAP, /* of what it calls: one waits for the other */
	ACCOUNT_NEW,          /* did not occur */
	ACCOUNT_GONE,         /* does not occur */
	ACCOUNT_WHYS
};

struct account_row {
	struct str service; /* borrow the trace, as does called */
	struct str name;
	enum account_why why;
	int64_t change_ns;
	struct str called; /* whose calls, the largest part; NULL: none */
};

/* The extra time of a request over those before it on average: the sum of the
 * rows, the largest first, shrunk ones last. */
struct account_info {
	int64_t now_ns;
	int64_t before_ns;
	uint32_t requests; /* before */
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
	struct str confidence_text; /* what the confidence rests on */
	struct str headline;        /* a few words; empty: nothing to say */
};

struct profile_info {
	struct str type; /* full id or a file's "cpu/nanoseconds" */
	enum scope scope;
	bool is_file;            /* of one or several: the scope is not known */
	bool is_of_rest;         /* all is of what filters leave */
	struct str selector;     /* selector, span id or file name */
	struct str text;         /* what of it, when not all; of diff */
	struct time_range range; /* both 0: unknown */
	int64_t samples;         /* -1 unknown */
	struct str unit;
	double truncated_share;
	int64_t total_value;
	int64_t untagged_value; /* of it, what --tag-focus leaves out */
	bool is_difference; /* of two profiles; then total_value is the sum of
			       magnitudes, and this of the values: */
	int64_t net_value;
	int64_t requests; /* that the samples are of; 0 and less: unknown */
	bool is_requests_sampled; /* those that were traced, not all */
	uint32_t instances;       /* that the profile is of, 0 unknown */
};

struct baseline_info {
	struct str kind; /* previous, 1h, 1d, 7d, range, file, selector, none */
	struct time_range range;
	int64_t samples;
	int healthy; /* 1, 0, -1 not known */
	struct str text;
	bool is_text_plain; /* statistics of its health, no reservation */
	int64_t total_value;
	int64_t requests; /* 0 and less: unknown */
	bool is_requests_sampled;
	uint32_t instances; /* 0 unknown */
};

/* Which measure ranks the rows and is compared. RANK_DELTA: totals too, what
 * shrank among what grew. */
enum rank_by { RANK_SELF_LIB = 0, RANK_SELF, RANK_TOTAL, RANK_DELTA };

/* The divisor of a side's values before they are compared: all of them, seconds
 * of the window, requests that the window served. */
enum normalize {
	NORMALIZE_SHARE = 0,
	NORMALIZE_RATE,
	NORMALIZE_REQUEST,
	NORMALIZE_VALUE, /* by nothing: the values as they are */
};

/* One ranked function. Values in the profile's unit; shares 0..1 of each
 * side's own total. Baseline fields hold 0 when the function is absent
 * there and are null when there is no baseline at all. */
/* A change of what a function does itself, beside what all did. */
struct self_change {
	enum change change; /* CHANGE_NONE: not tested, or as its total */
	double growth;      /* of what it was, 0.19 for 19 %, beside the others */
	double low;         /* 95 % interval of its own growth */
	double high;
	double beside_low; /* of growth */
	double q;
};

struct function_row {
	uint32_t rank; /* from 1 */
	struct str name;
	struct str file;  /* NULL unknown */
	uint32_t line;    /* 0 unknown: the hottest line of the function */
	const char *kind; /* of code, as code_kind_name(): "gc_alloc" */
	struct str
		leaf; /* hottest frame beneath it when another one, or NULL */
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
	/* What delta and change speak of; RANK_SELF_LIB also means "as the
	 * result's rank_by says". */
	enum rank_by measure;
	/* That measure changed while all that is spent in the function shows
	 * nothing. */
	bool is_part;
	double delta; /* of that measure's share */
	double delta_low;
	double delta_high; /* 95 % interval; NaN when not tested */
	/* The same of the growth, in parts of what it was; INFINITY where nothing was
	 * there. beside_low: beside what all functions have in common. */
	double growth_low;
	double growth_high;
	double beside_low;
	double q;          /* NaN when not tested */
	/* How many times what unchanged functions of its size wander; NaN when
	 * not tested. */
	double deviations;
	/* Smallest growth seen, of what it was; NaN unknown. */
	double detectable;
	enum change change;
	/* What the function does itself, where totals are compared. */
	struct self_change self_change;
	bool is_with_all; /* moved, but no more than most functions */
	/* The function whose change this one only passes on, or NULL: what it
	 * calls, or, where is_asked, a caller that asks for it. */
	struct str through;
	bool is_asked;
	/* A function that is gone and whose place this new one takes, or NULL,
	 * and all that was spent in it. */
	struct str replaces;
	int64_t replaced_value;
};

/* Code of the application, neither a library's nor the runtime's. */
static inline bool row_is_of_application(const struct function_row *row)
{
	return row->kind && !strcmp(row->kind, "application");
}

/* Both sides as wholes. */
struct whole_change {
	double delta; /* in parts of the slow side's total */
	double q;     /* NaN when not tested, and of shares */
	double delta_low;
	double delta_high;
	double growth_low; /* of what it was */
	double growth_high;
	bool is_changed;
	bool is_together;  /* most functions moved as the whole did */
	/* What unchanged functions did, by second, request or share: -0.12 for
	 * 12 % less; NaN unknown. */
	double common;
	double detectable; /* smallest change seen, of the whole; NaN unknown */
	/* Smallest growth seen of a function of 1 %, of what it was. */
	double function_detectable;
	bool is_equal; /* all functions have the same values on both sides */
};

/* A function that changed for certain, among the rows kept or not. */
struct function_change {
	struct str key;           /* its identity, see analyze/function_table.h */
	enum change change;       /* of the measure that is ranked */
	enum change total_change; /* of all that is spent in it and beneath */
};

struct request_info {
	struct str method;
	struct str url; /* without secrets */
	int status;     /* 0: no answer */
	int64_t bytes;  /* as received */
	int64_t duration_ns;
};

struct waterfall_row {
	uint32_t span;
	uint32_t depth;
	uint32_t count;      /* repeats folded into this row, 1 = none */
	uint32_t hidden;     /* spans below that --collapse left out */
	int64_t start_ns;    /* first member's */
	int64_t end_ns;      /* last member's */
	int64_t duration_ns; /* summed over folded members */
	int64_t self_ns;
	int64_t critical_ns;
	bool is_on_path;
	bool is_error;
	bool is_guilty;
};

/* The parts of spans that `show` prints besides their times. */
struct show_view {
	bool has_events; /* all of each span */
	bool has_errors; /* of spans that failed: what they say */
	bool is_one;     /* only this span, with all that is known of it */
	uint32_t span;
};

/* One distinct stack of one or both sides. */
struct stack_line {
	struct str *names; /* root first */
	uint32_t count;
	int64_t before; /* baseline's value, 0 when absent */
	int64_t after;
};

/* An attribute that sets slow requests apart from fast ones. Counts are of the
 * requests of which it is known. */
struct contrast_row {
	const char *kind; /* "value", "more", "less" */
	struct str service;
	struct str operation; /* whose spans bear it */
	struct str key;
	struct str value; /* NULL of "more" and "less" */
	uint32_t slow_with;
	uint32_t slow_count;
	uint32_t fast_with;
	uint32_t fast_count;
	double slow_median; /* of numbers, else NaN */
	double fast_median;
	int64_t with_ns; /* medians of the operation, -1 not known */
	int64_t without_ns;
	double q;
	int own;       /* the request in question bears it: 1, 0, -1 unknown */
	bool is_usual; /* so did it before, as many took as long */
	struct str text;
};

/* A request in which the operation was slow, too. */
struct affected_request {
	struct str service;
	struct str name;
	uint32_t count; /* of traces that were seen */
};

/* Who else is hit: requests of the operation in the minutes of the trace, this
 * one among them, the services above it, and other requests through it. */
struct affected_info {
	uint32_t requests; /* 0: not known, nor is the rest */
	uint32_t slow;
	bool is_sample; /* there were more */
	struct str *callers; /* the nearest first */
	size_t caller_count;
	struct affected_request *others; /* the most frequent first */
	size_t other_count;
};

/* A commit that touched the lines of the function that is blamed. */
struct commit {
	struct str hash; /* all of its digits */
	int64_t time_ns; /* when it was committed */
	struct str subject;
};

/* More are history, not news. */
#define COMMITS_MOST 3u

/* Why there are none. */
enum commits_gap {
	COMMITS_GAP_NONE = 0, /* there are, or nobody asked */
	COMMITS_NO_LINE,      /* the profile has none */
	COMMITS_NO_FILE,
	COMMITS_NO_FUNCTION, /* the source has it elsewhere */
	COMMITS_NO_GIT,
	COMMITS_NO_TREE,   /* git knows neither the file nor the lines */
	COMMITS_LATE,      /* git took too long */
	COMMITS_CHANGED,   /* HEAD has other lines */
	COMMITS_SHALLOW,   /* the clone does not reach back */
	COMMITS_NO_FORMAT, /* not what git log prints */
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
	struct str since_version; /* that came when it became slow, or empty */
	enum rank_by rank_by;
	struct function_row *functions;
	/* What the verdict rests on where the rows are a view of it; NULL: the
	 * rows themselves. */
	struct function_row *verdict_rows;
	size_t verdict_count;
	bool has_order_of_user;      /* rows stand in no order of importance */
	bool has_locations_in_names; /* file and line need not be shown again */
	size_t function_count;       /* rows kept */
	/* Rows in the array, for pages: those kept and more. 0: no more. */
	size_t function_listed;
	size_t function_total; /* rows before the limit */
	size_t noise_count;    /* rows left out as noise */
	size_t change_total;   /* rows that changed for certain */
	/* For drawings, see rank_want.is_drawn. */
	const struct func_table *table; /* of analyze/, of what was ranked */
	/* Of analyze/, too: what weakens the comparison; NULL: nothing ranked.
	 */
	const struct rank_facts *rank_facts;
	bool is_compared;
	enum normalize normalize; /* how the sides were compared in the end */
	double baseline_scale;    /* what baseline values are multiplied with */
	/* What values of each side are divided by to be shown: requests,
	 * seconds, 1; of shares the side's total. */
	double exposure;
	double baseline_exposure;
	struct whole_change whole;
	struct function_change *changes;
	size_t change_count;
	bool is_healthy; /* nothing is wrong: no function is blamed */
	/* The folder of the team's own files, see source_path_shorten(). */
	struct str source_root;
	/* What the values of both sides went into; total 0 when not known. */
	struct category_shares categories;
	struct category_shares baseline_categories;
	struct trace_finding *findings;
	size_t finding_count;
	/* Of the operation that was looked at, slow only; NULL: no other
	 * requests were seen. */
	const struct request_history *history;
	const struct account_info *account; /* so; NULL: not known */
	struct affected_info affected;
	struct commit commits[COMMITS_MOST]; /* the newest first */
	size_t commit_count;
	enum commits_gap commits_gap;
	struct contrast_row *contrasts; /* slow only; the clearest first */
	size_t contrast_count;
	struct waterfall_row *waterfall; /* show only */
	size_t waterfall_count;
	size_t waterfall_total;      /* rows before a selection, 0: no such */
	struct waterfall_row *spans; /* show only: each span in tree order */
	size_t span_count;
	struct show_view view;
	struct notes notes;
	struct notes reasons; /* how the verdict came about */
	bool has_reasons;
	bool shows_reasons; /* --why; a page shows them anyway */
	struct request_info *requests;
	size_t request_count;
	/* What to do at once, as a comment of a shell; empty: nothing. */
	struct str step;
	/* The "next" line: commands to go on with, each one shell line. */
	struct str *next;
	size_t next_count;
	/* Options that lead another command to the same servers, each behind a
	 * blank; empty: none are needed. */
	struct str servers;
};

/* Where profiles of waiting lead, as far as they tell; NULL: they tell of no
 * function. */
static inline const struct excess_part *
result_blocked_part(const struct result *r)
{
	const struct excess *x = &r->cause.excess;

	for (size_t i = 0; i < x->count; i++)
		if (x->parts[i].kind == EXCESS_BLOCKED && x->parts[i].name.len)
			return &x->parts[i];
	return NULL;
}

/* The rows that the verdict rests on, whatever view or order is shown. */
static inline const struct function_row *result_verdict(const struct result *r)
{
	return r->verdict_rows ? r->verdict_rows : r->functions;
}

static inline size_t result_verdict_count(const struct result *r)
{
	return r->verdict_rows ? r->verdict_count : r->function_count;
}

/* The function that is blamed: what grew most, or, without anything to compare
 * with, where the most is. NULL: none. */
static inline const struct function_row *result_blamed(const struct result *r)
{
	const struct function_row *lead = result_verdict(r);

	if (r->is_healthy || !r->has_profile || !result_verdict_count(r))
		return NULL;
	return !r->has_baseline || change_is_up(lead->change) ? lead : NULL;
}

/* How many rows functions holds. */
static inline size_t result_listed(const struct result *r)
{
	return r->function_listed > r->function_count ? r->function_listed
						      : r->function_count;
}

#endif
