/* SPDX-License-Identifier: Apache-2.0
 *
 * A filtered view of a profile: stacks or frames left out, and frames named by
 * function, file, line or address, by the rules of pprof's options of the same
 * names. The total before filtering stays in profile.whole_total, so that
 * shares remain shares of everything. Patterns are matched against the name,
 * the file and the mapping of a function, once each.
 */
#ifndef ANALYZE_VIEW_H
#define ANALYZE_VIEW_H

#include "base/regex.h"
#include "model/profile.h"

enum granularity {
	GRANULARITY_FUNCTION = 0,
	GRANULARITY_FILE,
	GRANULARITY_LINE,
	GRANULARITY_ADDRESS,
};

/* Filters are NULL if unused. */
struct view {
	struct regex *focus;     /* only stacks with such a frame */
	struct regex *ignore;    /* no stacks with such a frame */
	struct regex *hide;      /* drop such frames */
	struct regex *show;      /* drop all other frames */
	struct regex *show_from; /* only frames from the first such one on */
	enum granularity granularity;
	/* As for path_trim(), for file names; may be empty. */
	struct str trim_path;
	struct str source_path;
};

/* Returns the level of detail that the profile must be decoded with. */
enum profile_detail view_detail(const struct view *v);

/* Returns whether the view leaves a profile unchanged. */
bool view_is_plain(const struct view *v);

/* Fills out, an initialised profile; without stacks if nothing matched. */
bool profile_view(const struct profile *p, const struct view *v,
		  struct profile *out, struct notes *notes,
		  struct error *err) MUST_CHECK;

#endif
