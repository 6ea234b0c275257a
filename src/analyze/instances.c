/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/instances.h"

static bool is_wanted(const struct history *h, const struct history_span *s,
		      struct time_range range, struct str service,
		      struct str version)
{
	if (!s->instance || s->operation >= h->operation_count ||
	    !time_range_has(range, s->start_ns) ||
	    !str_equal(h->operations[s->operation].service, service))
		return false;
	return !version.len ||
	       str_equal(symtab_text(&h->symtab, s->version), version);
}

uint32_t instances_count(const struct history *h, uint32_t window,
			 struct time_range range, struct str service,
			 struct str version)
{
	uint32_t seen[INSTANCES_MAX], count = 0, spans = 0;
	const struct history_window *w;

	if (window >= h->window_count)
		return 0;
	w = &h->windows[window];
	/* One selected by duration sees the slow instances only. */
	if (w->slow_operation != OPERATION_NONE)
		return 0;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		uint32_t at = 0;

		if (!is_wanted(h, s, range, service, version))
			continue;
		spans++;
		while (at < count && seen[at] != s->instance)
			at++;
		if (at == INSTANCES_MAX)
			return 0;
		if (at == count)
			seen[count++] = s->instance;
	}
	return spans >= INSTANCES_SPANS * count ? count : 0;
}
