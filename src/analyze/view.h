/* SPDX-License-Identifier: Apache-2.0
 *
 * A profile as somebody wants to see it: parts of it left out and frames
 * named by function, file, line or address, with the rules of pprof's options
 * of these names. What is left out keeps its place in profile.whole_total, so
 * that shares stay shares of everything. Patterns are matched against the
 * name, the file and the mapping of a function, once each.
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

/* Filters are NULL when not wanted. */
struct view {
	struct regex *focus;     /* stacks with such a frame only */
	struct regex *ignore;    /* no stacks with such a frame */
	struct regex *hide;      /* without such frames */
	struct regex *show;      /* without all other frames */
	struct regex *show_from; /* from the first such frame on */
	enum granularity granularity;
	/* As in path_trim(), for the names of files; may be empty. */
	struct str trim_path;
	struct str source_path;
};

/* The frames that a profile must have been decoded with. */
enum profile_detail view_detail(const struct view *v);

/* True when a profile seen so is the profile as it is. */
bool view_is_plain(const struct view *v);

/* Fills out, an initialised profile; without a stack when nothing matched. */
bool profile_view(const struct profile *p, const struct view *v,
		  struct profile *out, struct notes *notes,
		  struct error *err) MUST_CHECK;

#endif
