/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between the two sides of a function table, and whether it can
 * be told from noise (stats.h). A row changed when it did beside what all
 * functions have in common: another load, a busy machine, or the shares that
 * one large function took. Where samples cannot be counted thresholds decide,
 * and the caller says so. Ranked is the end of the interval that is nearer to no
 * change: by p value large dull functions would win, by ratio those that went
 * from nothing to one sample.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"
#include "analyze/stats.h"

/* The functions of a table in the blocks that its sides were cut into. */

/* One side. Blocks without values or exposure tell nothing and are left out;
 * count is that of the others. */
struct slice_side {
	size_t count;
	double *exposures;
	double *wholes; /* all values of the block */
	double *values; /* count for each entry of the table */
};

struct slice_values {
	struct slice_side sides[SIDE_COUNT];
};

/* Sums the ranked measure by entry and block, in the table's arena. is_share:
 * the exposure of a block is all of its values. */
bool slice_values_build(struct slice_values *out, const struct func_table *t,
			const struct rank_want *want, bool is_share,
			struct error *err) MUST_CHECK;

/* Part of comparisons that tell more false changes than is put up with, see
 * false_part_adjust(). */
#define DIFF_FALSE_DISCOVERY 0.05

/* No change is only said where a change of this part of the function would
 * have been seen, in four of five cases. */
#define DIFF_SAME_PART 0.05

/* Half a percent of the time explains no slow request, however certain. */
#define DIFF_MIN_DELTA 0.005

/* Without a test: idle waits and allocations of ordinary services wander by
 * 10 to 20 % from window to window, and one large sample can make a percent. */
#define DIFF_UNTESTED_RATIO 1.25
#define DIFF_UNTESTED_DELTA 0.01

/* One entry's change in the ranked measure. */
struct entry_diff {
	double delta;  /* beside what all have in common */
	double q;      /* NaN when not tested */
	double effect; /* what is left of delta in the worst case */
	/* Of a claim, or of the part it rests on; see diff_deviations(). */
	double deviations;
	enum change change;
	/* What changed: the measure that is compared, or a part of it that did
	 * while the whole of it shows nothing. */
	enum rank_by measure;
	/* Moved, but no more than most functions did; see diff.is_together. */
	bool is_with_all;
	/* Entry that this one's change comes from, which only passes through
	 * here, or ENTRY_NONE. */
	uint32_t through;
	/* It is a caller that asks for it, not what this one calls. */
	bool is_asked;
	/* Entry that is gone and whose place this one takes, or ENTRY_NONE. */
	uint32_t replaces;
	/* Of totals: too small beside others to be asked where it comes from.
	 */
	bool is_untraced;
};

/* All values of a side as one row. */
struct whole_diff {
	double delta; /* in parts of the slow side's total */
	double q;     /* p: it is one test; NaN when not tested */
	struct interval range;
	struct interval growth_range; /* in parts of what it was */
	bool is_changed; /* told from noise, and more than DIFF_WHOLE_RATIO */
	/* The smallest change, as a part of the whole, that would have been
	 * seen in four of five cases; NaN when not tested. */
	double detectable;
};

/* The common factor of all measures of one comparison: found once, by the
 * first. */
struct diff_shared {
	bool is_found;
	const double *sizes[SIDE_COUNT]; /* of the runs */
	struct replicate_common common;
	struct replicate_noise noise;
};

struct diff_want {
	enum rank_by by;
	enum normalize normalize;
	/* Seconds or requests of each side; not looked at for shares. */
	double exposure[SIDE_COUNT];
	bool is_requests_sampled;
	/* Whoever compares looks for whatever changed; else for what explains a
	 * slow request. */
	bool is_small_told;
	bool is_interleaved; /* the runs of both sides, in time */
	bool is_of_runs;     /* the slices are runs of a program */
	/* The ranked measure, and that in which functions tell what all have in
	 * common, by run; NULL: one window a side. */
	const struct slice_values *slices;
	const struct slice_values *peer_slices;
	enum rank_by peers_by; /* see diff_want_peers() */
	bool has_peers;        /* enough of them */
	struct diff_shared *shared; /* NULL: one measure alone */
	/* A function that is known to be unchanged: all is compared beside it.
	 * ENTRY_NONE, or not on both sides: none. */
	uint32_t reference;
	double peers_nest;     /* how often a sample counts among them, 1 or more */
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
	DIFF_ASSUMED,      /* samples, noise by how unchanged functions differ */
	DIFF_SLICES,       /* samples, noise from runs */
	DIFF_SLICE_VALUES, /* values that are no samples, noise from runs */
};

struct diff {
	const struct func_table *t;
	const struct diff_want *want;
	struct entry_diff *rows; /* one per entry */
	enum diff_method method;
	struct replicate_runs runs;
	struct replicate_common common;
	struct replicate_noise noise;
	/* Values by entry and run, of the ranked measure. */
	const double *values[SIDE_COUNT];
	/* What became of an unchanged function by exposure: 0.4 when all others
	 * fell to 40 %, 1 when nothing moved or cannot be told. */
	double drift;
	bool has_drift;   /* it could be found */
	bool is_given;    /* it is that of a reference */
	bool is_bounded;  /* it may be more, see DIFF_COMMON_RATE */
	bool is_together; /* the whole moved, and functions with it */
	struct whole_diff whole;
	/* Of the logarithm of the ratio of the sides, by how their runs differ as
	 * wholes beyond their samples; NaN where a side has few runs. */
	double runs_variance;
	struct counts all; /* a, b: samples of the sides; exposures set */
	double period[SIDE_COUNT];
	double df; /* of the runs */
	struct level range_level; /* of diff_range() */
	double family;            /* tests that a claim pays for */
	bool is_equal;            /* both sides hold the same values */
	/* Candidates of the test. */
	uint32_t *ids;
	double *p;
	double *q;
	size_t *order;
	size_t count;
};

/* Which functions tell what all have in common: by what they do themselves, where
 * enough of them do anything, since no two share a sample; else by all that is
 * spent in them. */
void diff_want_peers(struct diff_want *want, const struct func_table *t);

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

/* Where diff_delta() of an entry lies, at 95 %, what all have in common being as
 * it was found; NaN when it was not tested. Found when it is asked for: few are
 * shown, and to find it takes longer than the test. */
struct interval diff_range(const struct diff *d, uint32_t id);

/* The growth of an entry at 95 %, in parts of what it was: beside what all have in
 * common, and of its own counts, which runs move as wholes, too: by how much, one or two
 * runs do not show, and there the second holds the first. NaN when it was not tested.
 * Unlike diff_range() they have the uncertainty of what it was in them. */
struct growth_ranges {
	struct interval beside;
	struct interval own;
};

struct growth_ranges diff_growth_ranges(const struct diff *d, uint32_t id);

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

/* diff_detectable() of a function of this share of a profile; is_own: of which its own
 * samples show that it grew, too, not only beside the others. */
double diff_detectable_of(const struct diff *d, double share, bool is_own);

/* Returns the name of a significant change. A function that was there before
 * but did not own anything has grown; new is only what was not there at all. */
enum change diff_name_change(const struct func_entry *e, double delta);

/* Difference of two values of the sides in parts of the slow side's total, and
 * the same beside what all functions have in common. */
double diff_delta(const struct diff *d, int64_t slow, int64_t baseline);
double diff_delta_beside(const struct diff *d, int64_t slow, int64_t baseline);

/* p value of "these entries together did not change", after minus before
 * in *delta; of noise that is taken no less than without peers, since cost that
 * moves between functions seldom stays the same to the percent. 1 when nothing
 * was tested. */
double diff_test_together(const struct diff *d, const uint32_t *ids,
			  size_t count, double *delta);

/* The changes between two profiles: all that is spent in a function (total),
 * tested together with what it owns (self+lib) and what it does itself (self),
 * each in its own right. A total may wander too much to show what its own code
 * shows clearly, and a helper that several functions share shows nothing of
 * what one of them does. */

/* The three measures of one comparison; `total` is the one that is shown. */
struct changes {
	struct diff total;
	struct diff self_lib;
	struct diff self;
};

/* Compares all entries of t by the three measures, whose wants only differ in
 * `by`, in their runs, and in what was tested before them. False discoveries
 * are controlled over all three as one family. A row of the total whose part
 * changed says so in `measure`, unless the total moved with it. Rows get
 * `through`. */
bool changes_find(struct changes *c, const struct func_table *t,
		  const struct diff_want *total,
		  const struct diff_want *self_lib,
		  const struct diff_want *self, struct error *err) MUST_CHECK;

/* Who runs the loop: when a trace shows many small calls in a row, the
 * profile's hottest owner is often the query helper, while the code to mend
 * stands a few frames above it. */

/* Rows that are moved to the front at most. */
#define LOOP_ROWS 3

/* Entries to rank first, at most LOOP_ROWS, best first; returns how many. 0
 * when the profile tells nothing about the loop. */
bool loop_rows_find(const struct func_table *t, struct str span_name,
		    uint32_t rows[LOOP_ROWS], size_t *count,
		    struct error *err) MUST_CHECK;

/* Which of the changed functions hold their change, and which only pass on
 * that of another. A function passes on what a callee holds, and a helper what
 * one of its callers asks it for; the rest are the answer. */

/* A function holds another's change from this part of it. */
#define THROUGH_PART 0.8

/* Sets `through` of the rows of d, a comparison of totals. owned: the same of
 * what functions own, to tell whose code calls a library. */
bool through_find(struct diff *d, const struct diff *self_lib,
		  struct error *err) MUST_CHECK;

#endif
