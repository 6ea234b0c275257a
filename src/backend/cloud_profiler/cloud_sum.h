/* SPDX-License-Identifier: Apache-2.0
 *
 * One profile out of many short ones, which come one after another: they are
 * decoded as they come and added up a few at a time, so that memory holds the
 * sum and a few of them.
 */
#ifndef BACKEND_CLOUD_SUM_H
#define BACKEND_CLOUD_SUM_H

#include "backend/backends.h"
#include "model/profile_list.h"

struct cloud_sum;

/* type_id stays the caller's. */
struct cloud_sum *cloud_sum_new(struct backends *b, struct str type_id,
				struct error *err) MUST_CHECK;
void cloud_sum_free(struct cloud_sum *sum);

/* Adds a pprof file, gzip or plain. */
bool cloud_sum_add(struct cloud_sum *sum, struct str bytes,
		   const struct stored_profile *profile,
		   struct error *err) MUST_CHECK;

/* into: initialised, gets the sum. *profiled_ns: how long was profiled in all,
 * as the files say, else as the list does. */
bool cloud_sum_finish(struct cloud_sum *sum, struct profile *into,
		      int64_t *profiled_ns, struct error *err) MUST_CHECK;

#endif
