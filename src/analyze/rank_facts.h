/* SPDX-License-Identifier: Apache-2.0
 *
 * What a ranking of functions found out besides its rows: in which way the
 * sides were compared and how noise was told, what was put down to the load,
 * which functions were renamed. Numbers and names only:
 * report/texts.h has the words.
 */
#ifndef ANALYZE_RANK_FACTS_H
#define ANALYZE_RANK_FACTS_H

#include "analyze/diff.h"

/* Pairs of renamed functions that are named; all are counted. */
#define RANK_RENAMINGS 3u

/* Shares of a profile whose functions' smallest visible growth is told. */
#define RANK_POWER_SHARES 12
extern const double rank_power_shares[RANK_POWER_SHARES];

struct func_renaming {
	struct str from;
	struct str to;
};

/* Cost that moved between two functions called by a third. */
struct cost_shift {
	struct str from;
	struct str to;
	struct str parent;
};

struct rank_facts {
	struct arena *arena; /* of the names here that no profile holds */
	/* The way of comparing that was asked for and was not possible. */
	bool is_other_way;
	enum normalize asked_way;
	bool is_gauge; /* what is in use at a time */
	/* Numbers of samples of no known period were compared by the second. */
	bool is_rate_of_samples;
	bool is_side_empty;
	enum diff_side empty_side;
	/* Not judged: only one side's samples could be counted. */
	bool is_uncountable;
	double sample_values[SIDE_COUNT]; /* then: of one sample, 0 unknown */
	struct func_renaming renamings[RANK_RENAMINGS];
	size_t renaming_count; /* of all, told or not */
	struct cost_shift *shifts;
	size_t shift_count, shift_cap;
	size_t merged_count; /* functions of several generated names */
	/* Rows of RANK_JOINED_SHARE and more that are functions of one name in
	 * several files or libraries, and the largest. */
	size_t joined_count;
	struct str joined;
	struct func_move moves[FUNC_MOVES_MAX];
	size_t move_count;
	/* What follows is of a comparison, when changes were judged. */
	bool is_judged;
	enum diff_method method;
	struct str value_type; /* of the slow side: "inuse_space" */
	struct str value_unit; /* "bytes" */
	size_t slices[SIDE_COUNT];
	bool is_of_runs; /* slices are runs of a program */
	bool is_interleaved;
	double phi; /* sampling of struct replicate_noise */
	size_t peers;
	double window_cv; /* diff_typical_cv() */
	double period[SIDE_COUNT];
	/* diff_detectable_of() these shares: by their own samples, too, unless
	 * is_relative. */
	double detectable[RANK_POWER_SHARES];
	bool is_share;
	bool is_together;
	double drift;
	bool has_drift; /* it could be found */
	bool is_relative;  /* rates of windows, whose growth is told beside it */
	bool is_split;     /* drift may as well be that of the other group */
	double other_drift; /* then */
	bool is_drift_bounded; /* by DIFF_COMMON_RATE */
};

/* One more pair, and one more shift. */
bool rank_facts_add_renaming(struct rank_facts *f,
			     const struct func_entry *from,
			     const struct func_entry *to,
			     struct error *err) MUST_CHECK;
bool rank_facts_add_shift(struct rank_facts *f, const struct func_entry *from,
			  const struct func_entry *to,
			  const struct func_entry *parent,
			  struct error *err) MUST_CHECK;

/* Takes the facts of the table and its comparison; d: NULL when nothing was
 * judged. */
bool rank_facts_take(struct rank_facts *f, const struct func_table *t,
		     const struct diff *d, struct error *err) MUST_CHECK;

/* The explanations of the changes of a comparison: functions that were renamed,
 * and cost that only moved between siblings that took each other's place. */

/* Takes back claims of d that renaming or shifting explains: they become
 * CHANGE_SAME, and facts say what happened. */
bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err) MUST_CHECK;

/* Fills result->functions (+ counts, noise_count) and the shares of each kind
 * of code from the slow profile and, when not NULL, the baseline. Without a
 * baseline change stays CHANGE_NONE. Flat: the leaf frame's; total: once per
 * distinct function of a stack; owned: charged to the deepest application frame
 * (to the leaf when a stack has none). Rows are functions by name (file shown,
 * not compared; numbers that compilers and virtual machines generate do not
 * count), so two builds can be compared. Order: what grew, by the effect that
 * is certain; what shrank; the rest by value. Totals come by the size of their
 * change, those that only pass one on after those that hold it. With is_loop
 * the functions that run the loop, three at most, come first and are compared
 * by their total. delta is in parts of the slow side's total, but of shares,
 * where it is their difference. What weakens the comparison goes to
 * result->rank_facts. */
bool functions_rank(const struct profile *slow, const struct profile *baseline,
		    const struct rank_want *want, struct result *result,
		    struct error *err) MUST_CHECK;

#endif
