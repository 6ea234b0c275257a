/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/cloud_profiler/cloud_answers.h"
#include "backend/fetch_profile.h"
#include "backend/files/fetch_file.h"
#include "backend/files/fetch_files.h"
#include "backend/snapshots.h"
#include "base/num.h"
#include "investigate/profile_service.h"
#include "investigate/version_baseline.h"
#include "report/shortfall_text.h"

void evidence_init(struct evidence *ev)
{
	memset(ev, 0, sizeof *ev);
	profile_init(&ev->slow);
	profile_init(&ev->baseline);
	profile_init(&ev->span);
}

void evidence_release(struct evidence *ev)
{
	profile_release(&ev->slow);
	profile_release(&ev->baseline);
	profile_release(&ev->span);
}

static struct str type_word(const struct context *ctx)
{
	return str_from(ctx->options->type ? ctx->options->type : "auto");
}

static bool is_auto(struct str word)
{
	return str_equal(word, STR("auto"));
}

static struct str type_in_file(const struct context *ctx)
{
	struct str word = type_word(ctx);

	return is_auto(word) ? STR("") : word;
}

/* How --type auto settles for what a service offers. */
static const char *const auto_types[] = { "cpu",   "wall",  "alloc",
					  "block", "mutex", "inuse" };

/* ---- asking the server ---- */

struct inquiry {
	struct investigation *v;
	struct context *ctx;
	const struct evidence_want *want;
	struct evidence *ev;
	struct baseline_want baseline;
	struct profile_lookup lookup;
	struct profile_service service;
	bool is_service_known; /* else assumed, and samples came */
	uint64_t span_id;
};

static struct time_range baseline_guess(const struct inquiry *s)
{
	switch (s->baseline.kind) {
	case BASELINE_WANT_SHIFT:
		return window_shifted(s->want->window, s->baseline.shift_ns);
	case BASELINE_WANT_RANGE:
		return s->baseline.range;
	case BASELINE_WANT_AUTO:
	case BASELINE_WANT_PREVIOUS:
	case BASELINE_WANT_FILE:
	case BASELINE_WANT_FAST:
	case BASELINE_WANT_VERSION:
	case BASELINE_WANT_NONE:
		break;
	}
	return window_previous(s->want->window);
}

static bool is_baseline_asked(const struct inquiry *s)
{
	return s->want->is_baseline_wanted &&
	       s->baseline.kind != BASELINE_WANT_NONE &&
	       s->baseline.kind != BASELINE_WANT_FILE;
}

static struct profile_query query_of(const struct inquiry *s,
				     struct str selector,
				     struct time_range range)
{
	return (struct profile_query){ .type_id = s->ev->type_id.ptr,
				       .selector = selector.ptr,
				       .range = range };
}

static bool fetches_run(struct context *ctx, struct profile_fetch *fetches,
			size_t n, struct error *err)
{
	struct job *jobs[LIMIT_BATCH];

	for (size_t i = 0; i < n; i++)
		jobs[i] = &fetches[i].job;
	return jobs_run(&ctx->backends, jobs, n, err);
}

static bool is_cpu(struct str type_id)
{
	return str_starts(type_id, STR("process_cpu:"));
}

static void ask_spans(struct profile_query *query, const uint64_t *ids,
		      size_t count)
{
	query->span_ids = ids;
	query->span_id_count = count;
}

/* No span has this id: samples of it show a server that ignores ids. */
static void ask_nobody(struct inquiry *s, struct profile_fetch *fetch)
{
	struct profile_query query =
		query_of(s, s->ev->selector, s->ev->window);

	s->span_id = ~s->want->only_spans[0];
	ask_spans(&query, &s->span_id, 1);
	profile_fetch_init(fetch, &query, &s->ev->span);
}

/* The slow side first, then the baseline and the span's samples as wanted. */
static size_t plan_fetches(struct inquiry *s, struct profile_fetch fetches[3])
{
	struct evidence *ev = s->ev;
	struct profile_query query = query_of(s, ev->selector, ev->window);
	size_t n = 0;

	/* An answer without samples leaves what an earlier round brought. */
	evidence_release(ev);
	profile_init(&ev->slow);
	profile_init(&ev->baseline);
	profile_init(&ev->span);

	ask_spans(&query, s->want->only_spans, s->want->only_span_count);
	profile_fetch_init(&fetches[n++], &query, &ev->slow);
	if (is_baseline_asked(s)) {
		query = query_of(s, ev->baseline_selector, ev->baseline_window);
		ask_spans(&query, s->want->baseline_spans,
			  s->want->baseline_span_count);
		profile_fetch_init(&fetches[n++], &query, &ev->baseline);
	}
	if (s->want->only_span_count)
		ask_nobody(s, &fetches[n++]);
	else if (s->want->span_id && is_cpu(ev->type_id) &&
		 parse_hex_u64(str_from(s->want->span_id), &s->span_id)) {
		query = query_of(s, ev->selector, s->want->span_range);
		query.span_ids = &s->span_id;
		query.span_id_count = 1;
		profile_fetch_init(&fetches[n++], &query, &ev->span);
	}
	return n;
}

/* Without the slow side there is no answer; the others are only noted. */
static bool judge_fetches(struct inquiry *s,
			  const struct profile_fetch *fetches, size_t n,
			  struct error *err)
{
	for (size_t i = 1; i < n; i++)
		if (!fetches[i].job.has_answer)
			notes_add(&s->ctx->notes, "%s: %s",
				  fetches[i].into == &s->ev->span
					  ? "samples of the span"
					  : "baseline",
				  fetches[i].job.err.message);
	for (size_t i = 1; i < n; i++)
		if (fetches[i].into == &s->ev->baseline)
			s->ev->baseline_profiled_ns = fetches[i].profiled_ns;
	s->ev->profiled_ns = fetches[0].profiled_ns;
	if (!fetches[0].job.has_answer)
		*err = fetches[0].job.err;
	return fetches[0].job.has_answer;
}

/* Trees leave out frames without symbols and all lines, so a tree is never
 * compared with a pprof: when one side had to fall back, both do. */
static bool align_forms(struct inquiry *s, struct profile_fetch *slow,
			struct profile_fetch *baseline, struct error *err)
{
	struct profile_fetch *other = slow->is_tree ? baseline : slow;

	if (!slow->job.has_answer || !baseline->job.has_answer ||
	    slow->is_tree == baseline->is_tree || !other->into->stack_count)
		return true;
	profile_fetch_again_as_tree(other);
	return fetches_run(s->ctx, other, 1, err);
}

/* What is wrong with the names matters only when no samples came. A mapping
 * of the user's that fits nothing is an error all the same. */
static bool judge_lookup(struct inquiry *s, struct error *err)
{
	const struct profile_lookup *l = &s->lookup;
	bool has_samples = s->ev->slow.stack_count > 0;

	s->is_service_known =
		profile_lookup_take(&s->lookup, s->v, &s->service, err);
	if (!s->is_service_known) {
		has_samples &= err->code != ERROR_MEMORY &&
			       !s->ctx->options->map_count;
		if (has_samples)
			s->v->shortfall.kind = SHORTFALL_NONE;
		return has_samples;
	}
	for (size_t i = 0; i < l->job_count; i++)
		has_samples |= l->jobs[i]->has_answer;
	if (!has_samples)
		*err = l->jobs[0]->err;
	return has_samples;
}

/* Everything at once; with the lookup along in the first round. */
static bool fetch_round(struct inquiry *s, bool with_lookup, struct error *err)
{
	struct profile_fetch fetches[3];
	size_t n = plan_fetches(s, fetches), count;
	struct job *jobs[5];

	for (count = 0; count < n; count++)
		jobs[count] = &fetches[count].job;
	for (size_t i = 0; with_lookup && i < s->lookup.job_count; i++)
		jobs[count++] = s->lookup.jobs[i];
	if (!jobs_run(&s->ctx->backends, jobs, count, err))
		return false;
	if (is_baseline_asked(s) &&
	    !align_forms(s, &fetches[0], &fetches[1], err))
		return false;
	return judge_fetches(s, fetches, n, err) &&
	       (!with_lookup || judge_lookup(s, err));
}

static bool resolve_auto(struct inquiry *s, struct str *id, bool *is_gauge,
			 struct error *err)
{
	for (size_t i = 0; i < sizeof auto_types / sizeof *auto_types; i++)
		if (profile_type_resolve(str_from(auto_types[i]),
					 &s->service.types, &s->ctx->arena, id,
					 is_gauge, err))
			return true;
	*id = s->service.types.items[0];
	*is_gauge = false;
	return true;
}

static bool settle_selector(struct inquiry *s)
{
	struct evidence *ev = s->ev;

	if (!s->is_service_known ||
	    str_equal(s->service.selector, ev->selector))
		return false;
	if (!s->want->baseline_selector)
		ev->baseline_selector = s->service.selector;
	ev->selector = s->service.selector;
	return true;
}

/* Replaces the first guess by what the service really has. *is_changed tells
 * whether the profiles must be fetched again. */
static bool settle_type(struct inquiry *s, bool *is_changed, struct error *err)
{
	struct str word = type_word(s->ctx), id;
	bool is_other;

	*is_changed = settle_selector(s);
	if (s->service.types.count == 0)
		return true;
	if (is_auto(word)) {
		if (!resolve_auto(s, &id, &s->ev->is_gauge, err))
			return false;
	} else if (!profile_type_resolve(word, &s->service.types,
					 &s->ctx->arena, &id, &s->ev->is_gauge,
					 err)) {
		return error_prefix(err, "service \"%.*s\"",
				    STR_ARGS(s->want->service));
	}
	is_other = !str_equal(id, s->ev->type_id);
	*is_changed |= is_other;
	s->ev->type_id = id;
	if (is_other && is_auto(word) && !is_cpu(id))
		notes_add(&s->ctx->notes,
			  "no CPU profile of this service; %.*s instead",
			  STR_ARGS(id));
	return true;
}

static bool fail_spans(const struct inquiry *s, struct error *err)
{
	return error_set(err, ERROR_NOT_FOUND,
			 "no samples of span %016" PRIx64
			 "%s in this window: only the first span of a process "
			 "carries them, when span profiles are on and it used "
			 "CPU (tracefind doctor TRACE tells); or widen with "
			 "--since",
			 s->want->only_spans[0],
			 s->want->only_span_count > 1 ? " and the others" : "");
}

/* Why the slow side is empty, in words. */
static bool fail_empty(const struct inquiry *s, struct error *err)
{
	const struct context *ctx = s->ctx;
	const struct missing_profile missing = {
		.service = s->service.name,
		.type_id = s->ev->type_id,
		.selector = ctx->options->selector,
		.window = s->ev->window,
		.now_ns = ctx->backends.now_ns,
		.is_known = true,
		.has_tenant = ctx->backends.profiles.endpoint.tenant_id != NULL,
		.is_google = ctx->backends.profiles.endpoint.project != NULL,
		.has_trace = s->want->trace != NULL,
	};

	if (s->want->only_span_count)
		return fail_spans(s, err);
	if (s->baseline.kind == BASELINE_WANT_VERSION)
		return error_set(err, ERROR_NOT_FOUND,
				 "all profiles of this window are of version "
				 "%s: nothing to compare with it",
				 s->baseline.version.ptr);
	return missing_profile_explain(&missing, err);
}

/* auto: when the previous window is empty, the nearest earlier one that has
 * samples; asked for together, the nearest taken. */
static bool widen_baseline(struct inquiry *s, struct error *err)
{
	static const struct {
		int64_t shift_ns;
		const char *kind;
	} steps[] = { { NS_PER_HOUR, "1h" },
		      { NS_PER_DAY, "1d" },
		      { 7 * NS_PER_DAY, "7d" } };
	struct evidence *ev = s->ev;
	struct profile tries[3];
	struct profile_fetch fetches[3];
	size_t i;
	bool done;

	for (i = 0; i < 3; i++) {
		struct profile_query query =
			query_of(s, ev->baseline_selector,
				 window_shifted(ev->window, steps[i].shift_ns));

		profile_init(&tries[i]);
		profile_fetch_init(&fetches[i], &query, &tries[i]);
	}
	done = fetches_run(s->ctx, fetches, 3, err);
	for (i = 0; done && i < 3; i++) {
		struct profile empty = ev->baseline;

		if (!fetches[i].job.has_answer || !tries[i].stack_count)
			continue;
		ev->baseline = tries[i];
		tries[i] = empty;
		ev->baseline_window = fetches[i].query.range;
		ev->baseline_profiled_ns = fetches[i].profiled_ns;
		ev->baseline_kind = str_from(steps[i].kind);
		notes_add(&s->ctx->notes,
			  "the window just before holds no samples; the "
			  "baseline is the same window %s earlier",
			  steps[i].kind);
		break;
	}
	for (i = 0; i < 3; i++)
		profile_release(&tries[i]);
	return done;
}

static bool finish_baseline(struct inquiry *s, struct error *err)
{
	struct evidence *ev = s->ev;

	if (s->baseline.kind == BASELINE_WANT_AUTO &&
	    !ev->baseline.stack_count && !s->want->baseline_selector &&
	    !s->want->baseline_span_count && !widen_baseline(s, err))
		return false;
	ev->has_baseline = ev->baseline.stack_count > 0;
	if (!ev->has_baseline)
		notes_add(&s->ctx->notes,
			  "no samples in the baseline window: nothing to "
			  "compare with, the profile is shown alone");
	return true;
}

static bool divide_gauge(struct inquiry *s, struct error *err)
{
	struct evidence *ev = s->ev;
	const struct snapshots_side sides[] = {
		{ query_of(s, ev->selector, ev->window), &ev->slow },
		{ query_of(s, ev->baseline_selector, ev->baseline_window),
		  &ev->baseline },
	};

	return snapshots_divide(&s->ctx->backends, sides,
				ev->has_baseline ? 2 : 1,
				s->service.instance_label.ptr, err);
}

/* By label: the other version also where it ran just before. */
static bool settle_version(struct inquiry *s, bool *is_changed,
			   struct error *err)
{
	struct evidence *ev = s->ev;
	struct symptom sides = { .base_version = s->baseline.version,
				 .base_healthy = -1,
				 .is_base_beside = true };

	if (s->baseline.kind != BASELINE_WANT_VERSION)
		return true;
	*is_changed = true;
	ev->baseline_window =
		(struct time_range){ window_previous(ev->window).from_ns,
				     ev->window.to_ns };
	return version_baseline_check(s->v, &sides, &s->service, &s->baseline,
				      err) &&
	       version_baseline_select(&sides, s->v, &s->service, &ev->selector,
				       &ev->baseline_selector, err);
}

static bool check_spans(const struct inquiry *s, struct error *err)
{
	if (!s->want->only_span_count || !s->ev->span.stack_count)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "this profile server ignores which spans are asked "
			 "for: it has samples of a span that does not exist");
}

/* How much there is behind the answer, where that is little by nature. */
static void note_extent(struct inquiry *s)
{
	const struct evidence *ev = s->ev;
	struct profile_query query = query_of(s, ev->selector, ev->window);

	cloud_answers_note(&s->ctx->backends, &query, ev->slow.sample_count,
			   s->want->trace ? &ev->window : NULL);
}

static bool fetch_live(struct inquiry *s, struct error *err)
{
	struct context *ctx = s->ctx;
	struct evidence *ev = s->ev;
	static const struct name_list none;
	struct str word = type_word(ctx);
	bool is_changed;

	if (!profile_type_resolve(is_auto(word) ? STR("cpu") : word, &none,
				  &ctx->arena, &ev->type_id, &ev->is_gauge,
				  err))
		return false;
	if (!profile_lookup_init(&s->lookup, s->v, s->want->trace,
				 s->want->resource, s->want->service,
				 s->want->window, err) ||
	    !profile_lookup_guess(&s->lookup, s->v, &ev->selector, err))
		return false;
	ev->baseline_selector = s->want->baseline_selector
					? str_from(s->want->baseline_selector)
					: ev->selector;
	ev->window = s->want->window;
	ev->baseline_window =
		s->want->baseline_selector || s->want->baseline_span_count
			? ev->window
			: baseline_guess(s);
	if (!fetch_round(s, true, err) || !settle_type(s, &is_changed, err) ||
	    !settle_version(s, &is_changed, err))
		return false;
	if (is_changed && !fetch_round(s, false, err))
		return false;
	if (!check_spans(s, err))
		return false;
	/* What --tag-focus took away is not missing. */
	if (!ev->slow.stack_count &&
	    (!s->ctx->backends.want.labels || ev->slow.whole_total <= 0))
		return fail_empty(s, err);
	ev->has_span = ev->span.stack_count > 0;
	note_extent(s);
	if (is_baseline_asked(s) && !finish_baseline(s, err))
		return false;
	return !ev->is_gauge || divide_gauge(s, err);
}

static bool check_slow_file(struct evidence *ev, struct error *err)
{
	ev->is_gauge = ev->slow.is_gauge;
	return ev->slow.whole_total > 0 ||
	       error_set(err, ERROR_NOT_FOUND,
			 "%.*s: the profile holds no samples",
			 STR_ARGS(ev->selector));
}

static bool fetch_slow_file(struct context *ctx, struct evidence *ev,
			    const char *path, struct error *err)
{
	ev->selector = str_from(strcmp(path, "-") ? path : "standard input");
	return fetch_profile_file(&ctx->backends, path, type_in_file(ctx), NULL,
				  &ev->slow, err) &&
	       check_slow_file(ev, err);
}

/* All of them are the slow side. */
static bool fetch_slow_files(struct inquiry *s, struct error *err)
{
	struct context *ctx = s->ctx;
	struct evidence *ev = s->ev;
	const char *paths[LIMIT_ARGUMENTS] = { s->want->slow_path };
	size_t count = 1 + s->want->more_path_count;

	for (size_t i = 1; i < count; i++)
		paths[i] = s->want->more_paths[i - 1];
	ev->selector = fetch_files_name(&ctx->backends, paths, count);
	if (!ev->selector.ptr)
		return arena_fail(&ctx->arena, "the names of files", err);
	return fetch_profile_files(&ctx->backends, paths, count,
				   type_in_file(ctx), &ev->slow, err) &&
	       check_slow_file(ev, err);
}

static bool fetch_baseline_file(struct inquiry *s, struct file_ahead *ahead,
				struct error *err)
{
	struct evidence *ev = s->ev;
	const struct type_name like = { profile_type_name(&ev->slow),
					profile_unit(&ev->slow) };

	ev->baseline_kind = STR("file");
	ev->baseline_selector =
		str_from(strcmp(s->baseline.path, "-") ? s->baseline.path
						       : "standard input");
	ev->baseline_window = (struct time_range){ 0, 0 };
	if (!file_ahead_take(ahead, &s->ctx->backends, &like) &&
	    !fetch_profile_file(&s->ctx->backends, s->baseline.path,
				type_in_file(s->ctx), &like, &ev->baseline,
				err))
		return false;
	ev->has_baseline = ev->baseline.whole_total > 0;
	return ev->has_baseline ||
	       error_set(err, ERROR_NOT_FOUND,
			 "%s: the baseline profile holds no samples",
			 s->baseline.path);
}

static bool is_baseline_file(const struct inquiry *s)
{
	return s->want->is_baseline_wanted &&
	       s->baseline.kind == BASELINE_WANT_FILE;
}

/* The slow side's, and the baseline's where it is one, too. */
static bool fetch_files(struct inquiry *s, const char *path, struct error *err)
{
	struct file_ahead ahead;
	bool done;

	file_ahead_init(&ahead);
	if (is_baseline_file(s))
		file_ahead_start(&ahead, &s->ctx->backends, path,
				 s->baseline.path, type_in_file(s->ctx), NULL,
				 &s->ev->baseline);
	done = fetch_slow_file(s->ctx, s->ev, path, err);
	if (done && is_baseline_file(s))
		return fetch_baseline_file(s, &ahead, err);
	(void)file_ahead_take(&ahead, &s->ctx->backends, NULL);
	return done;
}

static bool fetch_sides(struct inquiry *s, const char *path, struct error *err)
{
	if (path && s->want->more_path_count)
		return fetch_slow_files(s, err);
	if (path)
		return fetch_files(s, path, err);
	return fetch_live(s, err) &&
	       (!is_baseline_file(s) || fetch_baseline_file(s, NULL, err));
}

/* Values of different units cannot be subtracted. */
static bool check_units(const struct evidence *ev, struct error *err)
{
	struct str slow = profile_unit(&ev->slow);
	struct str before = profile_unit(&ev->baseline);

	if (!ev->has_baseline || str_equal(slow, before))
		return true;
	return error_set(err, ERROR_FORMAT,
			 "the two profiles count different things: %.*s and "
			 "%.*s; choose one with --type",
			 STR_ARGS(before), STR_ARGS(slow));
}

bool evidence_fetch(struct investigation *v, struct context *ctx,
		    const struct evidence_want *want, struct evidence *ev,
		    struct error *err)
{
	struct inquiry s = { .v = v, .ctx = ctx, .want = want, .ev = ev };
	const char *path =
		want->slow_path ? want->slow_path : ctx->backends.profiles.path;

	if (want->baseline_path)
		s.baseline =
			(struct baseline_want){ .kind = BASELINE_WANT_FILE,
						.text = want->baseline_path,
						.path = want->baseline_path };
	else if (!baseline_parse(ctx->options, ctx->backends.now_ns,
				 &s.baseline, err))
		return false;
	if (path && s.baseline.kind == BASELINE_WANT_VERSION)
		return error_set(err, ERROR_USAGE,
				 "--baseline version=V needs a profile server; "
				 "for files: tracefind diff BEFORE AFTER");
	ev->is_file = path != NULL;
	ev->text = want->only_text;
	ev->baseline_text = want->baseline_text;
	ev->scope = want->only_span_count > 1 ? SCOPE_COHORT
		    : want->only_span_count   ? SCOPE_SPAN
					      : SCOPE_SERVICE;
	ev->baseline_kind =
		want->baseline_selector                    ? STR("selector")
		: want->baseline_span_count == 1           ? STR("span")
		: want->baseline_span_count                ? STR("fast")
		: s.baseline.kind == BASELINE_WANT_VERSION ? STR("version")
		: s.baseline.kind == BASELINE_WANT_AUTO    ? STR("previous")
		: s.baseline.kind == BASELINE_WANT_RANGE
			? STR("range")
			: str_from(s.baseline.text);
	return (fetch_sides(&s, path, err) && check_units(ev, err)) ||
	       shortfall_explain(&v->shortfall, err);
}

static struct str type_text(const struct evidence *ev, struct arena *arena)
{
	struct str name = profile_type_name(&ev->slow);
	struct str unit = profile_unit(&ev->slow);

	if (ev->type_id.len)
		return ev->type_id;
	return arena_printf(arena, "%.*s/%.*s", STR_ARGS(name), STR_ARGS(unit));
}

/* What tells the baseline apart when its window does not. A file has no
 * window, and may be compared with itself. */
static struct str baseline_text(const struct evidence *ev)
{
	bool is_file = str_equal(ev->baseline_kind, STR("file"));

	if (ev->baseline_text.len)
		return ev->baseline_text;
	if (!is_file && str_equal(ev->baseline_selector, ev->selector))
		return (struct str){ NULL, 0 };
	return ev->baseline_selector;
}

bool evidence_report(const struct evidence *ev, struct result *result,
		     struct error *err)
{
	struct str type = type_text(ev, &result->arena);

	if (!type.ptr)
		return arena_fail(&result->arena, "the answer", err);
	result->has_profile = true;
	result->profile = (struct profile_info){
		.type = type,
		.scope = ev->scope,
		.is_file = ev->is_file,
		.selector = ev->selector,
		.text = ev->text,
		.range = ev->window,
		.samples = ev->slow.sample_count,
		.unit = profile_unit(&ev->slow),
		.truncated_share = ev->slow.truncated_share,
		.total_value = ev->slow.whole_total,
	};
	if (!ev->has_baseline)
		return true;
	result->has_baseline = true;
	result->baseline = (struct baseline_info){
		.kind = ev->baseline_kind,
		.range = ev->baseline_window,
		.samples = ev->baseline.sample_count,
		.healthy = -1,
		.text = baseline_text(ev),
		.total_value = ev->baseline.whole_total,
	};
	return true;
}
