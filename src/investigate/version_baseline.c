/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/symptom.h"

#include "analyze/ordering.h"
#include "base/num.h"

/* Spans of one version in one window. */
struct version_spans {
	uint64_t *ids;
	size_t id_count;
	int64_t *durations;
	size_t count;
};

static bool is_of(const struct operation_history *s,
		  const struct history_span *span, uint32_t operation,
		  struct str version)
{
	return span->operation == operation && span->version &&
	       str_equal(symtab_text(&s->history.symtab, span->version),
			 version);
}

static bool gather(const struct operation_history *s, uint32_t window,
		   uint32_t operation, struct str version, struct arena *arena,
		   struct version_spans *out, struct error *err)
{
	const struct history_window *w = &s->history.windows[window];

	*out = (struct version_spans){ .count = 0 };
	out->ids = arena_array(arena, w->span_count, sizeof *out->ids);
	out->durations =
		arena_array(arena, w->span_count, sizeof *out->durations);
	if (!out->ids || !out->durations)
		return arena_fail(arena, "the version's spans", err);
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *span = &w->spans[i];

		if (!is_of(s, span, operation, version))
			continue;
		out->durations[out->count++] = span->duration_ns;
		if (span->profile_id && out->id_count < LIMIT_COHORT_SPANS / 2)
			out->ids[out->id_count++] = span->profile_id;
	}
	values_sort(out->durations, out->count);
	return true;
}

/* The same minutes tell most: no other traffic, no other time of day. */
static bool find_window(const struct operation_history *s, uint32_t operation,
			struct str version, struct arena *arena,
			uint32_t *window, struct version_spans *out,
			struct error *err)
{
	uint32_t windows[1 + BASELINE_SLOTS] = { s->roles.slow };

	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		windows[1 + i] = s->roles.baselines[i];
	*window = WINDOW_NONE;
	for (unsigned i = 0; i < 1 + BASELINE_SLOTS; i++) {
		if (windows[i] >= s->history.window_count)
			continue;
		if (!gather(s, windows[i], operation, version, arena, out, err))
			return false;
		if (out->count < TYPICAL_MIN)
			continue;
		*window = windows[i];
		return true;
	}
	return true;
}

static void use_spans(struct symptom *out, const struct operation_history *s,
		      uint32_t window, const struct version_spans *spans)
{
	int64_t p50 = values_quantile(spans->durations, spans->count, 50);

	out->base = s->history.windows[window].range;
	out->is_base_beside = window == s->roles.slow;
	out->base_ids = spans->ids;
	out->base_id_count = spans->id_count;
	out->is_base_fast = out->is_base_beside;
	out->base_healthy =
		(double)s->cohorts.slow.p50_ns >= BASELINE_RATIO * (double)p50;
	out->base_is = BASE_IS_VERSION_SPANS;
	out->base_p50_ns = p50;
	out->base_span_count = spans->count;
}

/* Without traces of it: all the time that was looked at, by label alone. */
static void use_label(struct symptom *out, struct time_range window)
{
	out->base.from_ns = window_previous(window).from_ns;
	out->base.to_ns = window.to_ns;
	out->is_base_beside = true;
	out->base_id_count = 0;
	out->base_healthy = -1;
	out->base_is = BASE_IS_VERSION;
}

static bool use_wanted(struct symptom *out, const struct operation_history *s,
		       uint32_t operation, struct time_range window,
		       struct arena *arena, struct error *err)
{
	struct version_spans spans = { .count = 0 };
	uint32_t found = WINDOW_NONE;

	if (operation != OPERATION_NONE &&
	    !find_window(s, operation, out->base_version, arena, &found, &spans,
			 err))
		return false;
	out->has_base = true;
	out->base_kind = STR("version");
	if (found == WINDOW_NONE)
		use_label(out, window);
	else
		use_spans(out, s, found, &spans);
	return true;
}

/* The slow requests are of one version, and those of others are fast in the
 * same minutes: what differs is the version. */
static void use_concentration(struct symptom *out,
			      const struct concentration *c)
{
	out->slow_version = c->value;
	out->base = out->slow;
	out->has_base = true;
	out->base_healthy = 1;
	out->base_kind = STR("version");
	out->base_is = BASE_IS_OTHER_VERSIONS;
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
	if (want->kind == BASELINE_WANT_AUTO && s->cohorts.version.is_found &&
	    !s->cohorts.instance.is_found)
		use_concentration(out, &s->cohorts.version);
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

static bool narrow(struct investigation *v,
		   const struct profile_service *service, struct str version,
		   bool is_excluded, struct str *selector, struct error *err)
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
		return narrow(v, service, s->slow_version, false, slow_selector,
			      err) &&
		       narrow(v, service, s->slow_version, true, base_selector,
			      err);
	if (!is_base)
		return true;
	return (!s->is_base_beside || narrow(v, service, s->base_version, true,
					     slow_selector, err)) &&
	       narrow(v, service, s->base_version, false, base_selector, err);
}
