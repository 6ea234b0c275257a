/* SPDX-License-Identifier: Apache-2.0
 *
 * The changes between the two sides of a function table, and their significance
 * (stats.h). A row changed if it did relative to the common factor of all
 * functions: another load, a busy machine, or a changed share of one large
 * function. If samples cannot be counted thresholds decide, and the caller
 * reports that. Rows are ranked by the end of the confidence interval nearer to
 * no change: by p value large, hardly changed functions would come first, by
 * ratio those that went from nothing to one sample.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"
#include "analyze/stats.h"

/* The values of a table's functions in the slices of its sides. */

/* One side. Slices without values or exposure are left out and not part of
 * count. */
struct slice_side {
	size_t count;
	double *exposures;
	double *wholes; /* all values of the slice */
	double *values; /* count for each entry of the table */
};

struct slice_values {
	struct slice_side sides[SIDE_COUNT];
};

/* Sums the ranked measure by entry and slice, in the table's arena. is_share:
 * the exposure of a slice is the sum of all its values. */
bool slice_values_build(struct slice_values *out, const struct func_table *t,
			const struct rank_want *want, bool is_share,
			struct error *err) MUST_CHECK;

/* Accepted part of comparisons with too many false claims, see
 * false_part_adjust(). */
#define DIFF_FALSE_DISCOVERY 0.05

/* A row is called unchanged only if a change by this part of the function would
 * have been detected with a power of 80 %. */
#define DIFF_SAME_PART 0.05

/* Half a percent of the time explains no slow request, however significant. */
#define DIFF_MIN_DELTA 0.005

/* Thresholds without a test: idle waits and allocations of ordinary services
 * vary by 10 to 20 % between windows, and one large sample can be a percent. */
#define DIFF_UNTESTED_RATIO 1.25
#define DIFF_UNTESTED_DELTA 0.01

/* One entry's change in the ranked measure. */
struct entry_diff {
	double delta;  /* relative to the common factor */
	double q;      /* NaN: not tested */
	double effect; /* the part of delta that remains in the worst case */
	/* Of the claim, or of the part that it rests on; see
	 * diff_deviations(). */
	double deviations;
	enum change change;
	/* The measure that changed: the compared one, or a part of it if the
	 * whole did not. */
	enum rank_by measure;
	/* Changed, but no more than most functions; see diff.is_together. */
	bool is_with_all;
	/* Entry whose change this one only passes on, or ENTRY_NONE. */
	uint32_t through;
	/* `through` is a caller that calls more often, not a callee. */
	bool is_asked;
	/* Entry that disappeared and was replaced by this one, or
	 * ENTRY_NONE. */
	uint32_t replaces;
	/* For totals: too small beside others to search where the change comes
	 * from. */
	bool is_untraced;
};

/* All values of a side as one row. */
struct whole_diff {
	double delta; /* relative to the slow side's total */
	double q;     /* equals p, as it is one test; NaN: not tested */
	struct interval range;
	struct interval growth_range; /* relative to the baseline's value */
	bool is_changed; /* significant, and more than DIFF_WHOLE_RATIO */
	/* Minimum detectable change, as a fraction of the whole, with a power
	 * of 80 %; NaN: not tested. */
	double detectable;
};

/* The common factor of all measures of one comparison, determined once. */
struct diff_shared {
	bool is_found;
	const double *sizes[SIDE_COUNT]; /* of the runs */
	struct replicate_common common;
	struct replicate_noise noise;
};

struct diff_want {
	enum rank_by by;
	enum normalize normalize;
	/* Seconds or requests per side; unused for shares. */
	double exposure[SIDE_COUNT];
	bool is_requests_sampled;
	/* Report any change; else only those that may explain a slow
	 * request. */
	bool is_small_told;
	bool is_interleaved; /* runs of both sides alternated */
	bool is_of_runs;     /* slices are runs of a program */
	/* The ranked measure, and the one that determines the common factor, by
	 * run; NULL: one window per side. */
	const struct slice_values *slices;
	const struct slice_values *peer_slices;
	enum rank_by peers_by; /* see diff_want_peers() */
	bool has_peers;        /* enough functions for it */
	struct diff_shared *shared; /* NULL: only one measure */
	/* A function known to be unchanged, which determines the common factor.
	 * ENTRY_NONE, or missing on a side: none. */
	uint32_t reference;
	double peers_nest;     /* how many peers contain a sample, on average;
				* at least 1 */
	/* Measures tested elsewhere, as a mask of 1 << rank_by: a value equal
	 * to that of one of them is not tested again. */
	unsigned tested_by;
};

/* A confidence level, with its z for known noise: it is the same for all rows
 * and expensive to compute. */
struct level {
	double p;
	double normal_z;
};

/* The estimate of noise. */
enum diff_method {
	DIFF_UNTESTED = 0, /* thresholds */
	DIFF_ASSUMED,      /* samples; noise from differences between unchanged
			    * functions */
	DIFF_SLICES,       /* samples; noise from runs */
	DIFF_SLICE_VALUES, /* values that are not samples; noise from runs */
};

struct diff {
	const struct func_table *t;
	const struct diff_want *want;
	struct entry_diff *rows; /* one per entry */
	enum diff_method method;
	struct replicate_runs runs;
	struct replicate_common common;
	struct replicate_noise noise;
	/* Values of the ranked measure, by entry and run. */
	const double *values[SIDE_COUNT];
	/* Change of an unchanged function per exposure: 0.4 if all others fell
	 * to 40 %, 1 if nothing moved or it is unknown. */
	double drift;
	bool has_drift;   /* drift is known */
	bool is_given;    /* drift is that of a reference */
	bool is_bounded;  /* it may be larger, see DIFF_COMMON_RATE */
	bool is_together; /* the whole changed, and all functions with it */
	struct whole_diff whole;
	/* Variance of the logarithm of the ratio of the sides, from the
	 * differences between whole runs beyond sampling; NaN if a side has few
	 * runs. */
	double runs_variance;
	struct counts all; /* a, b: samples of the sides; exposures set */
	double period[SIDE_COUNT];
	double df; /* of the runs */
	struct level range_level; /* of diff_range() */
	double family;            /* number of tests that a claim is corrected
				   * for */
	bool is_equal;            /* both sides have the same values */
	/* Candidates of the test. */
	uint32_t *ids;
	double *p;
	double *q;
	size_t *order;
	size_t count;
};

/* Chooses the measure that determines the common factor: self time, if enough
 * functions have any, as no sample counts twice there; else totals. */
void diff_want_peers(struct diff_want *want, const struct func_table *t);

/* Returns the ranked measure; RANK_DELTA compares self+lib. */
int64_t side_value(const struct side_values *v, enum rank_by by);

/* Returns the share of the side's total, 0..1. */
double side_share(const struct profile *p, int64_t value);

/* Returns the value of one sample if values are countable samples or, for
 * allocated bytes, an estimate; else 0. */
double profile_sample_value(const struct profile *p);

/* Sets the values of one sample of both sides, both 0 if not known. A side
 * without samples, or with multiples of the other's sample value, uses the
 * other's; weights without a unit are samples of the greatest common step.
 * Returns false if only one is known: counts are then not comparable. */
bool diff_sample_values(const struct profile *slow,
			const struct profile *baseline,
			double values[SIDE_COUNT]) MUST_CHECK;

/* Compares all entries of t; both sides must be present. d lives in the table's
 * arena and borrows t and want, with its slices. */
bool func_table_diff(struct diff *d, const struct func_table *t,
		     const struct diff_want *want,
		     struct error *err) MUST_CHECK;

/* The same in two steps, for measures that are tested together: diff_test()
 * fills p of the candidates, the caller sets q, diff_judge() decides. */
bool diff_test(struct diff *d, const struct func_table *t,
	       const struct diff_want *want, struct error *err) MUST_CHECK;
void diff_judge(struct diff *d);

/* Returns the 95 % interval of an entry's diff_delta(), the common factor taken
 * as exact; NaN: not tested. Computed on demand: few rows are shown, and it is
 * more expensive than the test. */
struct interval diff_range(const struct diff *d, uint32_t id);

/* The 95 % intervals of an entry's growth relative to its baseline: `beside`
 * relative to the common factor, `own` of its own counts, which include changes
 * of whole runs: these cannot be estimated from one or two runs, and then `own`
 * contains `beside`. NaN: not tested. Unlike diff_range() they include the
 * uncertainty of the baseline. */
struct growth_ranges {
	struct interval beside;
	struct interval own;
};

struct growth_ranges diff_growth_ranges(const struct diff *d, uint32_t id);

/* Returns by how many standard deviations of unchanged functions of its size
 * the entry changed, 0 or more; NaN: not tested. */
double diff_deviations(const struct diff *d, uint32_t id);

/* Returns the minimum detectable growth of an entry, relative to its baseline,
 * with a power of 80 %; NaN: nothing was tested. */
double diff_detectable(const struct diff *d, uint32_t id);

/* Return the same for a function of DIFF_TYPICAL_SHARE, and the variation of
 * such functions between windows, as a relative standard deviation. */
double diff_detectable_typical(const struct diff *d);
double diff_typical_cv(const struct diff *d);

/* Returns diff_detectable() for a function with this share of a profile;
 * is_own: so that its own samples show the growth, too, and not only the
 * comparison with the others. */
double diff_detectable_of(const struct diff *d, double share, bool is_own);

/* Returns the name of a significant change. A function that existed before but
 * had no self+lib time has grown; new means that it did not exist at all. */
enum change diff_name_change(const struct func_entry *e, double delta);

/* Return the difference of two values relative to the slow side's total, and
 * the same relative to the common factor. */
double diff_delta(const struct diff *d, int64_t slow, int64_t baseline);
double diff_delta_beside(const struct diff *d, int64_t slow, int64_t baseline);

/* Returns the p value of the hypothesis that these entries together did not
 * change; *delta is the change. The noise is at least that without peers, since
 * cost that moves between functions seldom stays the same to the percent. 1 if
 * nothing was tested. */
double diff_test_together(const struct diff *d, const uint32_t *ids,
			  size_t count, double *delta);

/* The changes between two profiles: totals, tested together with self+lib and
 * self, each in its own right. The total of a function may vary too much to
 * show a change that its own code shows clearly, and a helper shared by several
 * functions hides a change in one of them. */

/* The three measures of one comparison; `total` is shown. */
struct changes {
	struct diff total;
	struct diff self_lib;
	struct diff self;
};

/* Compares all entries of t by the three measures, whose wants differ only in
 * `by`, runs, and measures tested before. False discoveries are controlled over
 * all three as one family. A row of the total whose part changed has that in
 * `measure`, unless the total moved with it. Sets `through` of rows. */
bool changes_find(struct changes *c, const struct func_table *t,
		  const struct diff_want *total,
		  const struct diff_want *self_lib,
		  const struct diff_want *self, struct error *err) MUST_CHECK;

/* Finds the function that runs a loop: if a trace shows many small calls in a
 * row, most time of the profile is often in a query helper, while the code to
 * fix is a few frames above it. */

/* Maximum number of rows moved to the top. */
#define LOOP_ROWS 3

/* Finds the entries to rank first, at most LOOP_ROWS, best first, and their
 * number. 0 if the profile does not show the loop. */
bool loop_rows_find(const struct func_table *t, struct str span_name,
		    uint32_t rows[LOOP_ROWS], size_t *count,
		    struct error *err) MUST_CHECK;

/* Separates changed functions whose code changed from those that only pass on
 * the change of another: a function passes on that of a callee, and a helper
 * that of a caller that calls it more often. */

/* Part of a function's change that another must have for it to be passed on. */
#define THROUGH_PART 0.8

/* Sets `through` in the rows of d, a comparison of totals. self_lib: the same
 * for self+lib, to find whose code calls a library. */
bool through_find(struct diff *d, const struct diff *self_lib,
		  struct error *err) MUST_CHECK;

#endif
