/* SPDX-License-Identifier: Apache-2.0
 *
 * The share of each kind of code in a profile. Each stack counts for one kind:
 * the work done for its deepest application frame.
 */
#ifndef ANALYZE_CATEGORY_SHARE_H
#define ANALYZE_CATEGORY_SHARE_H

#include "analyze/code_kind.h"
#include "base/error.h"
#include "model/profile.h"

/* Returns the effective kind in this profile: in profiles of waiting (block and
 * mutex), runtime code is waiting. */
enum code_kind kind_within(const struct profile *p, enum code_kind kind);

/* Returns whether kind_within() changes kinds in this profile. */
bool kinds_wait(const struct profile *p);

/* Returns whether its samples are goroutines at their current position: nearly
 * all of them wait, and leaves are functions that wait. */
bool counts_goroutines(const struct profile *p);

/* Returns the kind of a stack with these frames, root first; kernel_from: the
 * first of them that runs in the kernel, or count. Their packed classes
 * (code_class_pack()) are the bits of the words from KIND_SHIFT on.
 * 
 * Only frames beneath the deepest application frame count. If one of them is
 * gc_alloc, lock, database, http_client, serialisation or idle, the first of
 * these in this order is the kind; else that of the leaf. The order goes from
 * what a team would change first to generic helpers: a collection costs the
 * same whoever allocates, a lock is the cause of a wait wherever it is taken,
 * and drivers themselves encode, call out and wait.
 * 
 * A waiting stack without any application frame is idle unless it is a lock:
 * parked threads of pools, drivers and collectors. */
enum code_kind stack_kind(const uint32_t *words, uint32_t count,
			  uint32_t kernel_from, bool is_waiting);

#define KIND_SHIFT 24

/* Returns the first frame that runs in the kernel, or count. */
uint32_t stack_kernel_from(const uint32_t *words, uint32_t count);

/* Adds a stack's value. */
void kind_shares_add(struct category_shares *shares, enum code_kind kind,
		     int64_t value);

/* Classifies the profile's functions and sums up its stacks. rules: the user's,
 * or NULL. of_application, if not NULL: only stacks with application code,
 * since concurrent collectors serve any allocation. */
bool category_shares_compute(const struct profile *p,
			     const struct code_rules *rules,
			     struct category_shares *out,
			     struct category_shares *of_application,
			     struct error *err) MUST_CHECK;

/* Removes from the compared profiles the stacks in calls to other services:
 * all, or only those that pass through the client side of a tracing library and
 * thus have spans. Profiles are unchanged if one of them is packed, or if
 * nothing else would be left. */
bool calls_leave_out(struct profile *const *profiles, size_t count,
		     const struct code_rules *rules, bool are_all,
		     struct error *err) MUST_CHECK;

/* Returns the fraction of the growth that is of this kind, 0..1: the kind's
 * growth per unit of exposure over the sum of all kinds that grew. Exposure:
 * requests, seconds, or each side's total to compare shares. 0 if nothing grew
 * or an exposure is not positive. */
double category_change_share(const struct category_shares *slow,
			     double slow_exposure,
			     const struct category_shares *base,
			     double base_exposure, enum code_kind kind);

#endif
