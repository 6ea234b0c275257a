/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that turn measured time into a cause: whether CPU time explains
 * what a span grew by, which kind of waiting does when it does not, and how
 * sure the answer is. Pure functions of numbers.
 */
#ifndef ANALYZE_VERDICT_H
#define ANALYZE_VERDICT_H

#include "model/profile.h"
#include "model/result.h"

/* Part of a growth that must be found as CPU time (or as waiting of one kind)
 * to be called its cause. Half: then nothing else can be as large. */
#define VERDICT_EXPLAINED 0.5

/* Part of the CPU's growth in garbage collection and allocation from which
 * allocation is the cause: those who allocate are then the ones to look at,
 * not those who happen to be on CPU. Code that computes allocates, too. */
#define VERDICT_ALLOC 0.5

/* A wait that grew by less than this part of what the request grew by, by
 * request of its service, explains nothing: that all of it is of the slow
 * operation is only assumed, and how many of the requests are of it is told by
 * a sample of them. */
#define VERDICT_CRUMB 0.02

/* Garbage collection that takes this part of a service's CPU, so many times
 * what it was, stops the requests of it. From the second on it is told before
 * any wait is asked for. */
#define VERDICT_GC_PART 0.25
#define VERDICT_GC_MOST 0.4

/* A wait that explains the time and is so many times what it was is no noise,
 * however much there is of it. */
#define VERDICT_BEYOND_NOISE 10.0

/* Samples below which a rung of the ladder decides nothing. */
#define VERDICT_SAMPLES 20

/* Time on CPU per request of the operation, on both sides. */
struct cpu_measure {
	double slow_ns;
	double base_ns;   /* NaN: not measured */
	double change_ns; /* what there is to explain per request */
	double own_ns;    /* own time per request, slow side */
	double samples;   /* of the slow side */
	/* Ticks the own time of the slow side would have had on CPU. */
	double possible_samples;
};

enum cpu_verdict {
	CPU_UNKNOWN, /* too few samples */
	CPU_EXPLAINS,
	CPU_PARTLY,
	CPU_WAITS, /* the time went elsewhere */
};

/* CPU time that grew by half of what the request grew by explains it; without
 * a baseline half of the own time does. A span that had no time for samples
 * (VERDICT_SAMPLES ticks of own time in all requests together) tells nothing
 * by their absence. */
enum cpu_verdict verdict_cpu(const struct cpu_measure *m);

/* Returns whether most of the own time was on CPU, grown or not: half of its
 * possible ticks were seen, less two standard errors of their count. */
bool verdict_is_on_cpu(const struct cpu_measure *m);

/* Returns whether the time that is not on CPU is that of a processor which
 * others have: see VERDICT_MANIFOLD. blocked_ns: what a profile of waiting
 * tells; are_waits_seen: it is one of all that blocks, where it happens. */
bool verdict_is_starved(const struct cpu_measure *m, double blocked_ns,
			bool are_waits_seen);

/* Returns whether garbage collection explains time that is in no profile of
 * requests: its part of the service's CPU, now and before, and of what grew
 * there. */
bool verdict_is_gc(double now, double before, double of_growth, double least);

/* Returns whether a span that took own_ns, change_ns of it more than usual (-1
 * not known), took what spans like it do now and then: less than three times
 * the usual. */
bool verdict_is_ordinary(int64_t own_ns, int64_t change_ns);

/* A kind of waiting, or the CPU time of the whole service. */
enum wait_type {
	WAIT_MUTEX,
	WAIT_BLOCK,
	WAIT_NEIGHBOUR, /* others on the CPU: CPU time of the service */
	WAIT_WALL,
	WAIT_OFF_CPU,
	WAIT_GOROUTINE,
	WAIT_TYPES
};

/* The wait of the first function of a comparison. */
struct wait_measure {
	bool is_known;      /* compared, with a baseline */
	bool is_grown;      /* the first function is new or grown */
	bool is_owner;      /* and it is code of the application */
	double change;      /* of that function, in ns per unit of exposure */
	double before;      /* in the baseline */
	double needed;      /* ns per unit of exposure that would explain all */
	double per_request_ns; /* change, by request of the slow operation */
	/* By request of the service it is less than a crumb of what the request
	 * grew by: see VERDICT_CRUMB. */
	bool is_crumb;
	bool is_by_request; /* the exposure is requests: traffic is no growth */
	struct str name;    /* of that function, borrowed */
	bool is_lock;       /* beneath it, time is spent in locking */
	double gc_share;    /* of the growth in garbage collection, 0..1 */
};

/* The type that explains the waiting, WAIT_TYPES when none does: the first in
 * order whose owner grew to at least twice of what it was (by request, to one
 * and a half times) and by at least half of what is needed. Wall clock time of
 * a function that leads the service's CPU time as well is WAIT_NEIGHBOUR, when
 * that is likely. */
enum wait_type verdict_wait(const struct wait_measure measures[WAIT_TYPES]);

/* Returns whether a kind of waiting may explain what the trace told. A call to
 * something without spans waits by nature: only who calls is asked for. */
bool verdict_asks_for(enum cause_kind trace_cause, enum wait_type type);

/* Drops the waits for an answer that is long on its way, which any profile has:
 * leaves what else would hold the caller up, locks and the CPU. */
void verdict_keep_locks(struct wait_measure measures[WAIT_TYPES]);

/* Returns whether a growth is as much as must be found, of what is needed:
 * where that is not known (0: no other request of the window came back) nothing
 * explains. */
bool verdict_explains(double change, double needed);

/* The same of one measure, but for the test: a function that holds half of
 * what is needed and doubled is likely the cause, though its noise hides that
 * it grew. */
bool verdict_is_likely(const struct wait_measure *m);

/* lock for a mutex, or when the frames beneath are locks; alloc for a
 * neighbour that is the garbage collector; cpu for another neighbour. */
enum cause_kind verdict_wait_cause(enum wait_type type,
				   const struct wait_measure *m);

/* Returns whether spans tell the cause, so that no profile changes it. */
bool verdict_is_of_trace(enum cause_kind kind);

/* The facts that confidence rests on. */
struct confidence_facts {
	enum scope scope;
	bool has_profile;
	bool has_baseline;
	int healthy;     /* as in struct baseline_info */
	int64_t samples; /* slow side, -1 unknown */
	bool is_tested;  /* the first function's change was tested */
	double q;
	bool is_manifold;      /* not tested, but see VERDICT_BEYOND_NOISE */
	bool is_grown;         /* the first function is new or grown */
	bool has_close_second; /* the second grew nearly as much */
	bool is_close_span;    /* another span took nearly as much time */
	bool is_alone;         /* other requests lost no time there */
	bool may_be_chance;    /* that more of them are slow than before */
	bool is_trace_enough;  /* the cause is told by spans: a call, a loop */
	bool has_history;
	bool is_healthy_operation;
	bool is_partial_trace;
	bool is_partly_cpu; /* less than half of it was on CPU */
	bool is_of_one_operation; /* no other tells that the machine is it */
	bool has_few_messages; /* what is usual rests on fewer than five */
};

/* The weaknesses of a confidence, in the order in which they are listed. */
enum weakness {
	WEAKNESS_NO_PROFILE,
	WEAKNESS_OTHER_TIME, /* of a file, than the trace's */
	WEAKNESS_TIME_UNKNOWN,
	WEAKNESS_NO_BASELINE,
	WEAKNESS_NOTHING_GREW, /* no function, for certain */
	WEAKNESS_NOT_TESTED,
	WEAKNESS_WHOLE_SERVICE, /* seen there, not in this request */
	WEAKNESS_FEW_SAMPLES,
	WEAKNESS_NEAR_NOISE,
	WEAKNESS_CLOSE_SECOND, /* function */
	WEAKNESS_PARTLY_CPU,
	WEAKNESS_NO_HISTORY,
	WEAKNESS_HEALTHY_OPERATION,
	WEAKNESS_BASELINE_UNCHECKED,
	WEAKNESS_BASELINE_UNHEALTHY,
	WEAKNESS_CLOSE_SPAN,
	WEAKNESS_ALONE,
	WEAKNESS_MAY_BE_CHANCE,
	WEAKNESS_ONE_OPERATION,
	WEAKNESS_PARTIAL_TRACE,
	WEAKNESSES
};

struct confidence_rating {
	enum confidence confidence;
	bool is_no_answer; /* one of them alone makes it weak */
	enum weakness weaknesses[WEAKNESSES];
	size_t weakness_count;
};

/* strong: span or cohort (or an instance), at least 100 samples, q <= 0.01,
 * healthy baseline, no close second, whole trace. fair: a tested change, or one
 * beyond noise, with at most two of these missing. weak: all else. report/texts.h has the
 * words. */
struct confidence_rating verdict_confidence(const struct confidence_facts *f);

/* From "this span" to "because": what the profile adds to the cause that the
 * trace alone suggests, and how sure the answer is. */

/* When the profile was taken that the user named. */
enum cause_file {
	CAUSE_FILE_FITS = 0, /* with the trace; or it is of a server */
	CAUSE_FILE_OF_OTHER_TIME,
	CAUSE_FILE_OF_NO_TIME, /* that it says */
};

struct cause_evidence {
	const struct profile *span; /* CPU samples of the span, NULL: none */
	/* Of the span that carries the samples, usually the entry of its
	 * process: its time less what it waited for other services. */
	int64_t span_own_ns;
	enum cause_file file;
};

/* The part of the profile in the cause, beside that of the trace. */
enum cause_said {
	CAUSE_SAYS_NOTHING = 0,
	CAUSE_SAYS_CPU_SHARE,     /* of the span, in the trace's place */
	CAUSE_SAYS_CPU_SHARE_TOO, /* of a loop's span, behind the trace's */
	/* Too few samples of the span itself; in the profile of its service */
	CAUSE_SAYS_WHERE, /* there was nothing to compare with */
	CAUSE_SAYS_GROWN, /* a function grew */
	CAUSE_SAYS_NOT_GROWN,
};

/* The facts for which report/texts.h has the words. */
struct cause_facts {
	enum cause_said said;
	int64_t own_ns; /* of a CPU share, that result->cause.on_cpu_ns is of */
	struct confidence_rating rating;
	bool is_span_measured; /* beside a profile that is not the span's */
};

/* Completes result->cause but for its texts: on_cpu_ns, kind (cpu or wait
 * where the trace left it unknown), confidence. Rules: no profile: weak.
 * Profile without baseline: weak. Compared with a baseline: fair when the
 * first function is new or grown and was tested for it, and a file is of the
 * trace's time, else weak. A queue is
 * told by the traces: fair when the usual wait is known. strong needs
 * span samples and a healthy baseline and is never given here without them. */
void cause_judge(const struct cause_evidence *evidence, struct result *result,
		 struct cause_facts *facts);

/* Where the time went that a span takes beyond what is usual: a sum of what
 * spans and profiles tell, and of what nothing does. Pure functions of numbers.
 */

/* Per request. What is 0 or less is not known or did not grow. */
struct excess_facts {
	int64_t total_ns; /* what the span grew by */
	int64_t queue_ns; /* of it, by its spans */
	int64_t call_ns;
	double cpu_now_ns; /* on CPU, in requests like it */
	double cpu_before_ns; /* NaN: not known */
	double gc_share;      /* of the growth on CPU, 0..1 */
	double blocked_ns;    /* what grew in the profile that tells of waits */
	double blocked_before_ns;
	struct str blocked_in; /* the function that leads it */
	const char *by;        /* the type of that profile */
};

/* The largest part first, whatever it is; of equal ones in the order of their
 * kinds. They add up to the whole: where more is measured than is left of it
 * (threads side by side), the part is cut to that, spans before CPU, CPU
 * before waits. Nothing (total_ns 0) where nothing grew. */
void excess_sum(const struct excess_facts *f, struct excess *out);

#endif
