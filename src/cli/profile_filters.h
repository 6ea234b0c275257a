/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that choose parts of a profile and how fine it is shown:
 * --focus --ignore --hide --show --show-from --tag-focus --tag-ignore
 * --granularity.
 */
#ifndef CLI_PROFILE_FILTERS_H
#define CLI_PROFILE_FILTERS_H

#include "analyze/view.h"
#include "cli/context.h"
#include "decode/label_filter.h"

struct profile_filters {
	struct view view;
	struct label_filter *labels;
};

/* Compiles the patterns; ERROR_USAGE says what is wrong where. Profiles
 * decoded in this context from now on have the frames that are needed, and
 * only samples with the labels wanted. Release also after failure. */
bool profile_filters_init(struct profile_filters *f, struct context *ctx,
			  struct error *err) MUST_CHECK;
void profile_filters_release(struct profile_filters *f);

/* False when profiles are shown as they are. */
bool profile_filters_are_given(const struct profile_filters *f);

#endif
