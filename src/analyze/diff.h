/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between the two sides of a function table, and whether it can
 * be told from noise. Where samples can be counted, a test decides; elsewhere
 * thresholds do, and the caller says so. Ranked is the end of the interval
 * that is nearer to no change: by p value large dull functions would win, by
 * ratio those that went from nothing to one sample.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include "analyze/slice_values.h"
#include "analyze/dispersion.h"
#include "analyze/function_table.h"
#include "analyze/stats.h"
#include "analyze/wander.h"

/* Fewer samples on both sides together decide nothing. */
#define DIFF_MIN_SAMPLES 10

/* Part of false claims among all claims that is put up with. */
#define DIFF_FALSE_DISCOVERY 0.05

/* Where many functions show how they wander and all of them are looked at, two
 * equal profiles come out with a claim as often as that. */
#define DIFF_FALSE_DISCOVERY_SMALL 0.01

/* No change is only said where a change of this part of the function would
 * have been seen, in four of five cases. */
#define DIFF_SAME_PART 0.05
/* The function that is spoken of when all are: of this share of a profile. */
#define DIFF_TYPICAL_SHARE 0.01

/* Half a percent of the time explains no slow request, however certain. */
#define DIFF_MIN_DELTA 0.005

/* Per request, of a service that does much else, it may: a tenth of a percent
 * is claimed when the function certainly doubled or halved. */
#define DIFF_MIN_DELTA_DOUBLED 0.001

/* Who compares two profiles looks for what grew, however small: a tenth of a
 * percent is claimed when it is certainly this part of the function. */
#define DIFF_MIN_DELTA_SMALL 0.001
#define DIFF_SMALL_PART 0.03

/* Blocks show how a function varies within a window, not how far windows lie
 * apart: days, releases, other neighbours on the host. Taken as this relative
 * standard deviation. */
#define DIFF_WINDOW_CV 0.05

/* That of blocks that were taken by turns, which lie apart as windows do. Some
 * of it stays: one side may have come after the other each time. */
#define DIFF_INTERLEAVED_CV 0.005

/* Degrees of freedom that blocks must give before they are believed. */
#define DIFF_MIN_SLICE_DF 2.0

/* Functions in nearly all samples of both sides cannot change. */
#define DIFF_EVERYWHERE 0.99

/* Without a test: idle waits and allocations of ordinary services wander by
 * 10 to 20 % from window to window, and one large sample can make a percent. */
#define DIFF_UNTESTED_RATIO 1.25
#define DIFF_UNTESTED_DELTA 0.01

/* Bytes of one sampled allocation: the default of Go and of async-profiler. A
 * finer setting cannot be seen; then there are more samples than counted, and
 * the test is stricter than it needs to be. */
#define DIFF_ALLOC_SAMPLE_BYTES 524288

/* One entry's change in the ranked measure. */
struct entry_diff {
	double delta;
	double q;      /* NaN when not tested */
	double effect; /* what is left of delta in the worst case */
	/* Of a claim, or of the part it rests on; see diff_deviations(). */
	double deviations;
	enum change change;
	/* Moved, but no more than most functions did; see diff.is_together. */
	bool is_with_all;
	/* Entry that this one's change comes from, which only passes through
	 * here, or ENTRY_NONE; see through.h. */
	uint32_t through;
	/* Of totals: too small beside others to be asked where it comes from.
	 */
	bool is_untraced;
};

/* All values of a side as one row. */
struct whole_diff {
	double delta; /* in parts of the slow side's total */
	double q;     /* p: it is one test; NaN when not tested */
	struct interval range;
	bool is_changed; /* told from noise, and more than DIFF_WHOLE_RATIO */
	/* The smallest change, as a part of the whole, that would have been
	 * seen in four of five cases; NaN when not tested. */
	double detectable;
};

struct diff_want {
	enum rank_by by;
	enum normalize normalize;
	/* Seconds or requests of each side; not looked at for shares. */
	double exposure[SIDE_COUNT];
	bool is_requests_sampled;
	bool is_small_told; /* changes down to DIFF_MIN_DELTA_SMALL */
	bool is_interleaved; /* the blocks of both sides, in time */
	bool is_of_runs;     /* the blocks are runs of a program */
	const struct slice_values *slices; /* NULL: one window a side */
	/* Measures that are tested elsewhere, as a mask of 1 << rank_by: a
	 * value that one of them has, too, is no test of its own. */
	unsigned tested_by;
};

/* A level of intervals, with the deviations for noise that is given: those are
 * the same for all rows and take long to find. */
struct level {
	double p;
	double normal_z;
};

/* How it was decided what is noise. */
enum diff_method {
	DIFF_UNTESTED = 0, /* thresholds */
	DIFF_ASSUMED,      /* samples, noise by constants */
	DIFF_SLICES,       /* samples, noise from blocks */
	DIFF_SLICE_VALUES, /* values that are no samples, noise from blocks */
};

struct diff {
	const struct func_table *t;
	const struct diff_want *want;
	struct entry_diff *rows; /* one per entry */
	enum diff_method method;
	/* What became of an unchanged function: 0.4 when all others fell to 40
	 * %, 1 when nothing moved or cannot be told. */
	double drift;
	bool is_together; /* most functions moved by the factor `drift` */
	/* How unchanged functions wander, where blocks do not tell. */
	struct wander wander;
	bool has_drift; /* it could be found */
	/* Of narrow noise: the variance of the logarithm of a ratio by what
	 * all of a block has in common, the load or the speed of the machine;
	 * the drift takes it out where there is one. */
	struct wander_known common;
	struct whole_diff whole;
	struct counts all; /* a, b: samples of the sides; exposures set */
	double period[SIDE_COUNT];
	double df; /* of the blocks */
	struct dispersion_prior prior;
	struct level range_level; /* of diff_range() */
	double level;             /* part of false claims, of q */
	double family;            /* tests that a claim pays for */
	bool is_equal;            /* both sides hold the same values */
	/* Candidates of the test. */
	uint32_t *ids;
	double *p;
	double *q;
	size_t *order;
	size_t count;
};

/* Values are compared as such, by request or by second; else as shares. */
bool diff_is_rate(const struct diff *d);

/* Noise is seen in blocks. */
bool diff_is_by_slices(const struct diff *d);

/* What looks for changes everywhere needs all that can be known of functions:
 * noise that all of a block has in common is told apart from how each function
 * differs within it, which is that of dispersion_narrow(). */
bool diff_is_narrow(const struct diff *d);
/* So, and the sides took turns: whatever came between runs of the two came
 * between those of one as well. Their spread holds it, and peers have nothing
 * to add. */
bool diff_has_turns(const struct diff *d);

/* A function of both sides that is no most of them, with enough samples to tell
 * how far unchanged ones wander. */
bool diff_peer(const struct diff *d, uint32_t id,
	       struct wander_peer *peer) MUST_CHECK;

/* A value of one side in its samples. */
double diff_samples(const struct diff *d, enum side s, int64_t value);

/* The ranked measure: RANK_DELTA compares what functions own. */
int64_t side_value(const struct side_values *v, enum rank_by by);

/* Part of the side's total, 0..1. */
double side_share(const struct profile *p, int64_t value);

/* The value of one sample, when values are samples that can be counted or, for
 * allocated bytes, estimated; else 0. */
double profile_sample_value(const struct profile *p);

/* The values of one sample of both sides, both 0 when they are not known. A
 * side without samples, or with whole multiples of what the other was sampled
 * with, takes over the other's; weights without a unit are samples of the step
 * that both sides share. False when only one is known: then counts are
 * not comparable. */
bool diff_sample_values(const struct profile *slow,
			const struct profile *baseline,
			double values[SIDE_COUNT]) MUST_CHECK;

/* Compares all entries of t; both sides must be present. Lives in the table's
 * arena and borrows t and want, with its blocks. */
bool func_table_diff(struct diff *d, const struct func_table *t,
		     const struct diff_want *want,
		     struct error *err) MUST_CHECK;

/* The same in two steps, for measures that are judged together: diff_test()
 * fills p of the candidates, whoever calls sets q, diff_judge() decides. */
bool diff_test(struct diff *d, const struct func_table *t,
	       const struct diff_want *want, struct error *err) MUST_CHECK;
void diff_judge(struct diff *d);

/* Where the delta of an entry lies, at 95 %; NaN when it was not tested. Found
 * when it is asked for: few are shown, and to find it takes longer than the
 * test. */
struct interval diff_range(const struct diff *d, uint32_t id);

/* How many deviations of unchanged functions of its size the entry moved by,
 * 0 or more; NaN when it was not tested. */
double diff_deviations(const struct diff *d, uint32_t id);

/* The smallest growth of an entry, as a part of what it was, that would have
 * been claimed in four of five cases; NaN when nothing is tested. */
double diff_detectable(const struct diff *d, uint32_t id);

/* That of a function of DIFF_TYPICAL_SHARE, and how far such functions wander
 * from one window to the next, as a relative standard deviation. */
double diff_detectable_typical(const struct diff *d);
double diff_typical_cv(const struct diff *d);

/* diff_detectable() of a function of this share of a profile. */
double diff_detectable_of(const struct diff *d, double share);

/* How far windows lie apart, as a relative standard deviation, for noise that
 * blocks show. */
double diff_window_cv(const struct diff *d);

/* What a certain change is called. A function that was there before but did not
 * own anything has grown; new is only what was not there at all. */
enum change diff_name_change(const struct func_entry *e, double delta);

/* Difference of two values of the sides in parts of the slow side's total. */
double diff_delta(const struct diff *d, int64_t slow, int64_t baseline);

/* p value of "these entries together did not change", after minus before
 * in *delta; of noise that is taken no less than without peers, since cost that
 * moves between functions seldom stays the same to the percent. 1 when nothing
 * was tested. */
double diff_test_together(const struct diff *d, const uint32_t *ids,
			  size_t count, double *delta);

#endif
