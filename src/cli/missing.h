/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no profile: the difference between a wrong name, a wrong
 * server, a quiet window and one too far back, and what to do about each.
 */
#ifndef CLI_MISSING_H
#define CLI_MISSING_H

#include "backend/source.h"
#include "backend/window_parts.h"
#include "base/error.h"
#include "base/timefmt.h"

struct missing_profile {
	struct str service;
	struct str type_id;
	const char *selector; /* the user's own, or NULL */
	struct time_range window;
	int64_t now_ns;
	const struct name_list *services; /* those that sent profiles lately */
	const struct str *tried;          /* names; the first is service */
	size_t tried_count;
	const struct str *doubts; /* equally good ones, none believed */
	size_t doubt_count;
	bool is_known;   /* it has profiles, of this window
			  * none */
	bool has_tenant; /* one was sent */
	bool is_google;  /* a project of Cloud Profiler */
	bool has_trace;  /* the name came from a trace */
};

/* Always false, ERROR_NOT_FOUND. */
bool missing_profile_explain(const struct missing_profile *m,
			     struct error *err);

#endif
