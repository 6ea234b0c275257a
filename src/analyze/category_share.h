/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a profile goes into each kind of code. Each stack counts for
 * one kind: what its deepest application frame had done on its behalf.
 */
#ifndef ANALYZE_CATEGORY_SHARE_H
#define ANALYZE_CATEGORY_SHARE_H

#include "analyze/code_kind.h"
#include "base/error.h"
#include "model/profile.h"

/* The kind as it is to be understood in this profile: where only waiting is
 * counted (block and mutex profiles), what the runtime does is waiting. */
enum code_kind kind_within(const struct profile *p, enum code_kind kind);

/* Returns whether kind_within() makes a difference. */
bool kinds_wait(const struct profile *p);

/* Returns whether its samples are goroutines where they stand: nearly all of
 * them wait, and a leaf is the way to do so. */
bool counts_goroutines(const struct profile *p);

/* The kind of a stack with these frames, root first; kernel_from: the first
 * of them that runs in the kernel, or count. Their classes, of
 * code_class_pack(), are the bytes of the words from KIND_SHIFT on.
 *
 * Only frames beneath the deepest application frame count. If one of them is
 * gc_alloc, lock, database, http_client, serialisation or idle, the first of
 * these in this order is the kind; else the leaf's. The order goes from what
 * a team would change first to what merely carries it: a collection costs the
 * same whoever allocates, a lock is to blame for the wait wherever it is
 * taken, and drivers themselves encode, call out and wait.
 *
 * Without any application frame a stack that waits is idle before it is
 * anything but a lock: threads of pools, drivers and collectors parked until
 * there is work. */
enum code_kind stack_kind(const uint32_t *words, uint32_t count,
			  uint32_t kernel_from, bool is_waiting);

#define KIND_SHIFT 24

/* The first frame that runs in the kernel, or count. */
uint32_t stack_kernel_from(const uint32_t *words, uint32_t count);

/* Counts a stack's value. */
void kind_shares_add(struct category_shares *shares, enum code_kind kind,
		     int64_t value);

/* Classifies the profile's functions and sums up its stacks. rules: the
 * user's, or NULL. of_application, where not NULL: those alone that pass
 * through code of the application; collectors that run beside it serve
 * whatever allocates. */
bool category_shares_compute(const struct profile *p,
			     const struct code_rules *rules,
			     struct category_shares *out,
			     struct category_shares *of_application,
			     struct error *err) MUST_CHECK;

/* Leaves out of profiles that are compared what is done and waited for in calls to other
 * services, all of it or only in those that pass through the client side of a
 * tracing library, and so have spans, as if there were no more of them. All stays
 * when one is packed, or all of them are of such calls alone. */
bool calls_leave_out(struct profile *const *profiles, size_t count,
		     const struct code_rules *rules, bool are_all,
		     struct error *err) MUST_CHECK;

/* Which part of what grew is of this kind, 0..1: the kind's growth per unit of
 * exposure over the sum of all kinds' that grew. Exposure is what the values
 * are for: requests, seconds, or each side's total to compare shares. 0 when
 * nothing grew or an exposure is not positive. */
double category_change_share(const struct category_shares *slow,
			     double slow_exposure,
			     const struct category_shares *base,
			     double base_exposure, enum code_kind kind);

#endif
