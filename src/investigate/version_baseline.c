/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/symptom.h"

#include "analyze/groups.h"

/* Spans of one version in one window. */
struct version_spans {
	struct span_group group;
	uint64_t *ids;
	size_t id_count;
};

static bool version_gather(const struct group_spans *from, struct str version,
			   struct arena *arena, struct version_spans *out,
			   struct error *err)
{
	const struct symtab *names = &from->history->symtab;
	size_t most = group_spans_most(from);
	const struct history_span *s;
	uint32_t at = 0;

	*out = (struct version_spans){ .ids = arena_array(arena, most,
							  sizeof *out->ids) };
	if (!out->ids)
		return arena_fail(arena, "the version's spans", err);
	if (!group_reserve(&out->group, most, arena, err))
		return false;
	while ((s = group_spans_next(from, &at))) {
		if (!s->version ||
		    !str_equal(symtab_text(names, s->version), version))
			continue;
		group_take(&out->group, s->duration_ns);
		if (s->profile_id && out->id_count < LIMIT_COHORT_SPANS / 2)
			out->ids[out->id_count++] = s->profile_id;
	}
	group_end(&out->group);
	return true;
}

/* The same window is most comparable: same traffic, same time of day. */
static bool find_window(const struct operation_history *s, uint32_t operation,
			struct str version, struct arena *arena,
			uint32_t *window, struct version_spans *out,
			struct error *err)
{
	const struct history *h = &s->history;

	for (unsigned i = 0; i < 1 + BASELINE_SLOTS; i++) {
		struct group_spans from = { h,
					    operation,
					    i ? s->roles.baselines[i - 1]
					      : s->roles.slow,
					    { 0, 0 } };

		if (from.window >= h->window_count)
			continue;
		from.range = h->windows[from.window].range;
		if (!version_gather(&from, version, arena, out, err))
			return false;
		*window = from.window;
		if (out->group.count >= TYPICAL_MIN)
			return true;
	}
	*window = WINDOW_NONE;
	return true;
}

static bool use_wanted(struct symptom *out, const struct operation_history *s,
		       uint32_t operation, struct time_range window,
		       struct arena *arena, struct error *err)
{
	struct version_spans spans;
	uint32_t found = WINDOW_NONE;
	double slow_p50_ns = (double)s->cohorts.slow.p50_ns;

	if (operation != OPERATION_NONE &&
	    !find_window(s, operation, out->base_version, arena, &found, &spans,
			 err))
		return false;
	out->has_base = true;
	out->base_kind = STR("version");
	if (found == WINDOW_NONE) {
		/* Without traces of it: all the time that was looked at, by
		 * label alone. */
		out->base.from_ns = window_previous(window).from_ns;
		out->base.to_ns = window.to_ns;
		out->is_base_beside = true;
		out->base_id_count = 0;
		out->base_healthy = -1;
		out->base_is = BASE_IS_VERSION;
		return true;
	}
	out->base = s->history.windows[found].range;
	out->is_base_beside = found == s->roles.slow;
	out->base_ids = spans.ids;
	out->base_id_count = spans.id_count;
	out->is_base_fast = out->is_base_beside;
	out->base_healthy =
		slow_p50_ns >= BASELINE_RATIO * (double)spans.group.p50_ns;
	out->base_is = BASE_IS_VERSION_SPANS;
	out->base_p50_ns = spans.group.p50_ns;
	out->base_span_count = spans.group.count;
	return true;
}

bool version_baseline_use(struct symptom *out,
			  const struct operation_history *s, uint32_t operation,
			  struct time_range window,
			  const struct baseline_want *want, struct arena *arena,
			  struct error *err)
{
	if (want->kind == BASELINE_WANT_VERSION) {
		out->base_version = want->version;
		return use_wanted(out, s, operation, window, arena, err);
	}
	/* The slow requests are of one version, and those of others are fast in
	 * the same minutes: what differs is the version. */
	if (want->kind == BASELINE_WANT_AUTO && s->cohorts.version.is_found &&
	    !s->cohorts.instance.is_found) {
		out->slow_version = s->cohorts.version.value;
		out->base = out->slow;
		out->has_base = true;
		out->base_healthy = 1;
		out->base_kind = STR("version");
		out->base_is = BASE_IS_OTHER_VERSIONS;
	}
	return true;
}

bool version_baseline_check(struct investigation *v, const struct symptom *s,
			    const struct profile_service *service,
			    const struct baseline_want *want, struct error *err)
{
	const struct name_list *known = &service->versions;

	if (want->kind != BASELINE_WANT_VERSION ||
	    name_list_has(known, want->version) ||
	    (!service->version_label.ptr && s->base_healthy >= 0))
		return true;
	return investigation_fail(v,
				  (struct shortfall){ .kind = SHORTFALL_VERSION,
						      .service = service->name,
						      .value = want->version,
						      .names = *known },
				  err);
}

static bool version_narrow(struct investigation *v,
			   const struct profile_service *service,
			   struct str version, bool is_excluded,
			   struct str *selector, struct error *err)
{
	*selector = selector_with(v, *selector, service->version_label, version,
				  is_excluded);
	return selector->ptr || error_memory(err, "the selector");
}

bool version_baseline_select(const struct symptom *s, struct investigation *v,
			     const struct profile_service *service,
			     struct str *slow_selector,
			     struct str *base_selector, struct error *err)
{
	bool is_slow = s->slow_version.ptr &&
		       name_list_has(&service->versions, s->slow_version);
	bool is_base = s->base_version.ptr &&
		       name_list_has(&service->versions, s->base_version);

	if (is_slow)
		return version_narrow(v, service, s->slow_version, false,
				      slow_selector, err) &&
		       version_narrow(v, service, s->slow_version, true,
				      base_selector, err);
	if (!is_base)
		return true;
	return (!s->is_base_beside || version_narrow(v, service,
						     s->base_version, true,
						     slow_selector, err)) &&
	       version_narrow(v, service, s->base_version, false, base_selector,
			      err);
}
