/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON answer, tracefind-json(5): all keys are always present, in this
 * order, null if unknown. man/tracefind-json.schema.json describes it; tests
 * compare the two.
 */
#include "render/render.h"

#include <math.h>
#include <string.h>

#include "base/jsonw.h"
#include "base/notes.h"
#include "base/timefmt.h"
#include "model/result.h"
#include "model/trace.h"
#include "render/input.h"
#include "render/units.h"

/* Parts shared by JSON answers (tracefind-json(5)), within an open object. */

#define SCHEMA_VERSION 1

void json_begin(struct jsonw *w, struct out *out, const char *command)
{
	jsonw_init(w, out, 2);
	jsonw_addf(w, "{schema_version:%d, tool:%s, command:%s", SCHEMA_VERSION,
		   "tracefind " TRACEFIND_VERSION, command);
}

void json_end(struct jsonw *w, const struct notes *notes)
{
	if (notes)
		json_notes(w, "notes", notes);
	jsonw_object_end(w);
	out_char(w->out, '\n');
}

void json_notes(struct jsonw *w, const char *key, const struct notes *notes)
{
	jsonw_addf(w, "%s:[", key);
	for (size_t i = 0; i < notes->count; i++)
		jsonw_text(w, notes->text[i]);
	jsonw_array_end(w);
}

void json_range(struct jsonw *w, struct time_range range)
{
	if (range.from_ns || range.to_ns) {
		jsonw_addf(w, "from:%+jd, to:%+jd", range.from_ns, range.to_ns);
	} else {
		jsonw_addf(w, "from:null, to:null");
	}
}

void json_requests(struct jsonw *w, const struct result *result)
{
	jsonw_addf(w, "requests:[");
	for (size_t i = 0; i < result->request_count; i++) {
		const struct request_info *request = &result->requests[i];

		jsonw_addf(w,
			   "{method:%-.*s, url:%-.*s, status:%-d, bytes:%-jd, "
			   "duration_ns:%-jd}",
			   STR_WHOLE(request->method), STR_WHOLE(request->url),
			   request->status ? request->status : -1,
			   request->bytes, request->duration_ns);
	}
	jsonw_array_end(w);
}

/* "history" of tracefind-json(5): requests seen by the investigation. */

static void write_example(struct jsonw *w, const struct request_example *e)
{
	char id[33];

	trace_id_format(&e->trace_id, id);
	jsonw_addf(w, "{trace_id:%s, window:%s, start:%+jd, duration_ns:%jd}",
		   id, request_role_name(e->role), e->start_ns, e->duration_ns);
}

static void write_history_lists(struct jsonw *w,
				const struct request_history *h)
{
	jsonw_addf(w, "windows:[");
	for (size_t i = 0; i < h->window_count; i++) {
		const struct request_window *window = &h->windows[i];

		jsonw_addf(w, "{window:%s", request_role_name(window->role));
		json_range(w, window->range);
		jsonw_addf(w,
			   "requests:%u, p50_ns:%-jd, baseline:%i, sampled:%i}",
			   window->count, window->p50_ns, window->is_baseline,
			   window->is_sample);
	}
	jsonw_addf(w, "], durations:[");
	for (size_t i = 0; i < h->bucket_count; i++) {
		const struct request_bucket *b = &h->buckets[i];

		jsonw_addf(w,
			   "{from_ns:%jd, to_ns:%jd, now:%u, slow:%u, "
			   "baseline:%u, selected:%u, examples:[",
			   b->from_ns, b->to_ns, b->now_count, b->slow_count,
			   b->baseline_count, b->selected_count);
		for (size_t k = 0; k < b->example_count; k++)
			write_example(w, &b->examples[k]);
		jsonw_addf(w, "]}");
	}
	jsonw_addf(w, "], over_time:[");
	for (size_t i = 0; i < h->slot_count; i++) {
		const struct request_slot *slot = &h->slots[i];

		jsonw_addf(w, "{window:%s", request_role_name(slot->role));
		json_range(w, slot->range);
		jsonw_addf(w,
			   "requests:%u, slow:%u, errors:%u, shortest_ns:%jd, "
			   "p50_ns:%jd, longest:",
			   slot->count, slot->slow_count, slot->error_count,
			   slot->shortest_ns, slot->p50_ns);
		write_example(w, &slot->longest);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

/* "history": requests seen; NULL: none. */
static void json_history(struct jsonw *w, const struct request_history *h)
{
	if (!jsonw_key_known(w, "history", h))
		return;
	jsonw_addf(w,
		   "{service:%.*s, operation:%.*s, duration_ns:%jd, "
		   "slow_from_ns:%-jd",
		   STR_WHOLE(h->service), STR_WHOLE(h->name),
		   h->this_duration_ns, h->threshold_ns ? h->threshold_ns : -1);
	if (jsonw_key_known(w, "slow_since", h->onset_ns))
		jsonw_addf(w, "%+jd", h->onset_ns);
	write_history_lists(w, h);
	jsonw_object_end(w);
}

/* Additions for `show`: every span of the trace, in tree order. */

const char *span_kind_word(enum span_kind kind)
{
	static const char *const words[] = {
		[SPAN_KIND_INTERNAL] = "internal",
		[SPAN_KIND_SERVER] = "server",
		[SPAN_KIND_CLIENT] = "client",
		[SPAN_KIND_PRODUCER] = "producer",
		[SPAN_KIND_CONSUMER] = "consumer",
	};

	return words[kind];
}

static void put_span_id(struct jsonw *w, const char *key, uint64_t id)
{
	char text[17];

	span_id_format(id, text);
	jsonw_pair_text(w, key, id ? text : NULL);
}

static void put_attrs(struct jsonw *w, const char *key, struct attr_list *list)
{
	jsonw_addf(w, "%s:{", key);
	attr_list_json(list, w);
	jsonw_object_end(w);
	attr_list_release(list);
}

static void put_parts(struct jsonw *w, const struct trace *t,
		      const struct span *s, enum detail_kind kind)
{
	const struct detail *d = t->details + s->detail_first;
	const struct detail *end = d + s->detail_count;
	struct attr_list list;

	jsonw_addf(w, "%s:[", kind == DETAIL_EVENT ? "events" : "links");
	for (; d < end; d++) {
		if (d->kind != kind)
			continue;
		jsonw_object(w);
		if (kind == DETAIL_EVENT) {
			jsonw_pair_time(w, "time", d->time_ns);
			jsonw_pair_str(w, "name", trace_text(t, d->key));
		} else {
			jsonw_pair_str(w, "trace_id", trace_text(t, d->key));
			jsonw_pair_str(w, "span_id", trace_text(t, d->value));
		}
		attr_list_part(t, d, end, w->out, &list);
		put_attrs(w, "attributes", &list);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void put_span(struct jsonw *w, const struct trace *t,
		     const struct waterfall_row *row)
{
	const struct span *s = &t->spans[row->span];
	struct attr_list list;

	struct str service = span_service(t, row->span);
	struct str name = span_name(t, row->span);

	jsonw_object(w);
	put_span_id(w, "span_id", s->span_id);
	put_span_id(w, "parent_span_id", s->parent_id);
	jsonw_addf(w, "depth:%u, service:%.*s, name:%.*s, kind:%s, start:%+jd",
		   row->depth, STR_WHOLE(service), STR_WHOLE(name),
		   span_kind_word((enum span_kind)s->kind), s->start_ns);
	jsonw_addf(w,
		   "duration_ns:%jd, self_ns:%jd, critical_ns:%jd, "
		   "on_critical_path:%i, guilty:%i, error:%i",
		   row->duration_ns, row->self_ns, row->critical_ns,
		   row->is_on_path, row->is_guilty, row->is_error);
	jsonw_pair_str(w, "status_message", trace_text(t, s->status_message));
	attr_list_span(t, row->span, w->out, &list);
	put_attrs(w, "attributes", &list);
	attr_list_resource(t, t->spans[row->span].resource, w->out, &list);
	put_attrs(w, "resource", &list);
	put_parts(w, t, s, DETAIL_EVENT);
	put_parts(w, t, s, DETAIL_LINK);
	jsonw_object_end(w);
}

/* Shares have six decimals, finer than the sampling error. q values of clear
 * findings are tiny and have nine; smaller ones are 0. */

const char *json_cause(enum cause_kind kind)
{
	static const char *const names[] = {
		[CAUSE_UNKNOWN] = "unknown",
		[CAUSE_CPU] = "cpu",
		[CAUSE_ALLOC] = "alloc",
		[CAUSE_LOCK] = "lock",
		[CAUSE_WAIT] = "wait",
		[CAUSE_DOWNSTREAM] = "downstream",
		[CAUSE_N_PLUS_ONE] = "n_plus_one",
		[CAUSE_NETWORK] = "network",
		[CAUSE_QUEUE] = "queue",
		[CAUSE_CONTENTION] = "contention",
	};

	return names[kind];
}

static const char *const confidence_names[] = {
	[CONFIDENCE_WEAK] = "weak",
	[CONFIDENCE_FAIR] = "fair",
	[CONFIDENCE_STRONG] = "strong",
};

static const char *const scope_names[] = {
	[SCOPE_SERVICE] = "service",
	[SCOPE_INSTANCE] = "instance",
	[SCOPE_COHORT] = "cohort",
	[SCOPE_SPAN] = "span",
};

static const char *const change_names[] = {
	[CHANGE_NONE] = NULL,     [CHANGE_NEW] = "new",
	[CHANGE_GROWN] = "grown", [CHANGE_SHRUNK] = "shrunk",
	[CHANGE_GONE] = "gone",   [CHANGE_SAME] = "same",
	[CHANGE_NOISE] = "noise", [CHANGE_UNSEEN] = "unseen",
};

const char *change_name(enum change change)
{
	return change_names[change];
}

/* ---- parts ---- */

static void write_span(struct jsonw *w, const struct guilty_span *span)
{
	jsonw_addf(w,
		   "{span_id:%*s, service:%*s, name:%*s, kind:%s, start:%+jd",
		   STR_WHOLE(span->span_id), STR_WHOLE(span->service),
		   STR_WHOLE(span->name), span_kind_word(span->kind),
		   span->start_ns);
	jsonw_addf(w,
		   "duration_ns:%-jd, self_ns:%-jd, critical_ns:%-jd, "
		   "count:%u, path:[",
		   span->duration_ns, span->self_ns, span->critical_ns,
		   span->count);
	for (size_t i = 0; i < span->path_count; i++)
		jsonw_str(w, span->path[i]);
	jsonw_addf(w, "], typical_ns:%-jd, why:%*s}", span->typical_ns,
		   STR_WHOLE(span->why));
}

static void write_part(struct jsonw *w, const struct excess_part *part)
{
	static const char *const kinds[EXCESS_KINDS] = {
		[EXCESS_CPU] = "cpu",	      [EXCESS_ALLOC] = "alloc",
		[EXCESS_BLOCKED] = "blocked", [EXCESS_QUEUE] = "queue",
		[EXCESS_CALL] = "call",	      [EXCESS_REST] = "rest",
	};

	jsonw_addf(w,
		   "{kind:%s, ns:%jd, now_ns:%-jd, before_ns:%-jd, "
		   "function:%*s, profile:%s}",
		   kinds[part->kind], part->ns, part->now_ns, part->before_ns,
		   STR_WHOLE(part->name), part->by);
}

static void write_cause(struct jsonw *w, const struct cause *cause)
{
	const struct queue_info *queue;

	jsonw_addf(w, "{kind:%s, confidence:%s, on_cpu_ns:%-jd",
		   json_cause(cause->kind), confidence_names[cause->confidence],
		   cause->on_cpu_ns);
	queue = &cause->queue;
	if (jsonw_key_known(w, "queue", cause->kind == CAUSE_QUEUE))
		jsonw_addf(w, "{name:%*s, wait_ns:%jd, typical_ns:%-jd}",
			   STR_WHOLE(queue->name), queue->wait_ns,
			   queue->typical_ns);
	if (jsonw_key_known(w, "growth", cause->excess.total_ns)) {
		jsonw_addf(w, "{span_ns:%jd, total_ns:%jd, parts:[",
			   cause->excess.span_ns, cause->excess.total_ns);
		for (size_t i = 0; i < cause->excess.count; i++)
			write_part(w, &cause->excess.parts[i]);
		jsonw_addf(w, "]}");
	}
	jsonw_addf(w, "text:%*s}", STR_WHOLE(cause->text));
}

/* Amount of data of a side besides its samples, at the end of both. */
static void put_extent(struct jsonw *w, uint32_t instances, int64_t requests,
		       bool is_sampled)
{
	jsonw_addf(w, "instances:%-u, requests:%-jd, requests_sampled:%-i}",
		   instances, requests > 0 ? requests : -1,
		   requests > 0 ? is_sampled : -1);
}

static const char *const measure_words[] = {
	[RANK_SELF_LIB] = "self_with_libraries",
	[RANK_SELF] = "self",
	[RANK_TOTAL] = "total",
};

/* Numbers of the table, in its unit and with its words. NaN, written as null,
 * if there is no baseline. */
static void write_shown(struct jsonw *w, const struct result *r,
			const struct function_row *row)
{
	const double none = (double)NAN;
	enum rank_by measure = row_measure(r, row);
	double now = scale_exact(r, row_value(row, measure), false);
	double before = scale_exact(r, row_before(row, measure), true);

	jsonw_addf(w,
		   "now:%.6f, before:%.6f, difference:%.6f, deviations:%.2f, "
		   "detectable:%.6f",
		   now, r->has_baseline ? before : none,
		   r->has_baseline ? now - before : none,
		   r->has_baseline ? row->deviations : none,
		   r->has_baseline ? row->detectable : none);
}

/* The change of a function's self value, if significant. */
static void write_change(struct jsonw *w, const struct result *r,
			 const struct function_row *row)
{
	enum change change = r->has_baseline ? row->change : CHANGE_NONE;
	bool is_own = change_is_real(row->self_change.change);

	jsonw_addf(w, "change:%s, changed:%s, q:%.9f", change_name(change),
		   change_is_real(change) ? measure_words[row_measure(r, row)]
					  : NULL,
		   r->has_baseline ? row->q : (double)NAN);
	jsonw_addf(w, "self_growth:%.6f, self_q:%.9f, through:%*s, with_all:%i, "
		   "replaces:%*s",
		   is_own ? row->self_change.growth : (double)NAN,
		   is_own ? row->self_change.q : (double)NAN,
		   STR_WHOLE(row->through), row->is_with_all,
		   STR_WHOLE(row->replaces));
}

static void write_shares(struct jsonw *w, const struct result *r,
			 const struct function_row *row)
{
	const double none = (double)NAN;
	bool has = r->has_baseline;

	jsonw_addf(w,
		   "share_self:%.6f, share_total:%.6f, "
		   "share_self_with_libraries:%.6f",
		   row->self, row->total, row->self_lib);
	jsonw_addf(w,
		   "baseline_share_self:%.6f, baseline_share_total:%.6f, "
		   "baseline_share_self_with_libraries:%.6f",
		   has ? row->baseline_self : none,
		   has ? row->baseline_total : none,
		   has ? row->baseline_self_lib : none);
	jsonw_addf(w,
		   "share_delta:%.6f, share_delta_low:%.6f, "
		   "share_delta_high:%.6f",
		   has ? row->delta : none, has ? row->delta_low : none,
		   has ? row->delta_high : none);
}

static void write_function(struct jsonw *w, const struct result *r,
			   const struct function_row *row)
{
	jsonw_addf(w, "{rank:%u, name:%*s, file:%*s, line:%-u, leaf:%*s",
		   row->rank, STR_WHOLE(row->name), STR_WHOLE(row->file),
		   row->line, STR_WHOLE(row->leaf));
	write_shown(w, r, row);
	write_change(w, r, row);
	jsonw_addf(w,
		   "self_value:%jd, total_value:%jd, "
		   "self_with_libraries_value:%jd",
		   row->self_value, row->total_value, row->self_lib_value);
	write_shares(w, r, row);
	jsonw_object_end(w);
}

static const char *const per_words[] = {
	[NORMALIZE_SHARE] = "share",
	[NORMALIZE_RATE] = "second",
	[NORMALIZE_REQUEST] = "request",
	[NORMALIZE_VALUE] = "profile",
};

/* Totals of both sides, and what the functions' now and before are. */
static void write_compared(struct jsonw *w, const struct result *r)
{
	static const struct function_row none = { .measure = RANK_SELF_LIB };
	const struct whole_change *whole = &r->whole;
	double now = scale_exact(r, r->profile.total_value, false);
	double before = scale_exact(r, r->baseline.total_value, true);
	double size = r->normalize == NORMALIZE_SHARE ? (double)NAN : now;

	jsonw_addf(w, "{measure:%s, per:%s, unit:%*s",
		   measure_words[row_measure(r, &none)],
		   per_words[r->normalize], STR_WHOLE(r->profile.unit));
	jsonw_addf(w,
		   "now:%.6f, before:%.6f, difference:%.6f, "
		   "difference_low:%.6f, difference_high:%.6f, q:%.9f",
		   now, before, now - before, whole->delta_low * size,
		   whole->delta_high * size, whole->q);
	jsonw_addf(w,
		   "changed:%i, together:%i, common:%.6f, detectable:%.6f, "
		   "function_detectable:%.6f}",
		   whole->is_changed, whole->is_together, whole->common,
		   whole->detectable, whole->function_detectable);
}

static void write_contrast(struct jsonw *w, const struct contrast_row *c)
{
	jsonw_addf(w,
		   "{kind:%s, service:%*s, operation:%*s, key:%*s, value:%*s",
		   c->kind, STR_WHOLE(c->service), STR_WHOLE(c->operation),
		   STR_WHOLE(c->key), STR_WHOLE(c->value));
	jsonw_addf(w,
		   "slow_share:%.6f, fast_share:%.6f, slow_requests:%u, "
		   "fast_requests:%u, slow_median:%.6f, fast_median:%.6f",
		   (double)c->slow_with / c->slow_count,
		   (double)c->fast_with / c->fast_count, c->slow_count,
		   c->fast_count, c->slow_median, c->fast_median);
	jsonw_addf(w,
		   "with_ns:%-jd, without_ns:%-jd, q:%.9f, this_one:%-i, "
		   "usual:%i, text:%*s}",
		   c->with_ns, c->without_ns, c->q, c->own, c->is_usual,
		   STR_WHOLE(c->text));
}

/* ---- the document ---- */

/* Returns the value that the request has and fast ones do not; empty: none. */
static struct str contrast_value(const struct result *r, struct str key)
{
	for (size_t i = 0; i < r->contrast_count; i++)
		if (r->contrasts[i].own == 1 &&
		    str_equal(r->contrasts[i].key, key))
			return r->contrasts[i].value;
	return STR("");
}

/* The answer of `slow` as a flat object, for scripts. */
static void write_summary(struct jsonw *w, const struct result *r)
{
	bool is_known = r->has_span && !strcmp(r->command, "slow");
	bool has_function =
		r->has_profile && r->function_count && !r->is_healthy;
	struct str version = r->since_version;
	struct str instance = contrast_value(r, STR("instance"));
	struct buf where;
	struct str place;

	if (!jsonw_key_known(w, "summary", is_known))
		return;
	if (!version.len)
		version = contrast_value(r, STR("service.version"));
	buf_init(&where, 2 * LIMIT_STRING_BYTES + 2);
	buf_add_str(&where, r->span.service);
	buf_add_char(&where, ' ');
	buf_add_str(&where, r->span.name);
	place = buf_str(&where);
	jsonw_addf(w, "{where:%.*s", STR_WHOLE(place));
	jsonw_pair_known_str(w, "function",
			     has_function ? r->functions[0].name : STR(""));
	jsonw_pair_text(w, "cause",
			r->has_cause ? json_cause(r->cause.kind) : NULL);
	if (jsonw_key_known(w, "since", r->history && r->history->onset_ns))
		jsonw_addf(w, "%+jd", r->history->onset_ns);
	jsonw_addf(w, "version:%-.*s, instance:%-.*s, confidence:%s}",
		   STR_WHOLE(version), STR_WHOLE(instance),
		   r->has_cause ? confidence_names[r->cause.confidence] : NULL);
	if (where.state != BUF_OK)
		out_fail_memory(w->out);
	buf_release(&where);
}

static void write_heads(struct jsonw *w, const struct render_input *in)
{
	const struct result *r = in->result;
	struct buf answer;

	write_summary(w, r);
	buf_init(&answer, LIMIT_PAGE_TEXT_BYTES);
	answer_line(in, &answer);
	jsonw_pair_str(w, "answer", buf_str(&answer));
	if (answer.state != BUF_OK)
		out_fail_memory(w->out);
	buf_release(&answer);
	if (jsonw_key_known(w, "trace", r->has_trace)) {
		const struct trace_info *trace = &r->trace;

		jsonw_addf(w, "{id:%*s, source:%*s", STR_WHOLE(trace->id),
			   STR_WHOLE(trace->source));
		jsonw_addf(w,
			   "start:%+jd, duration_ns:%-jd, services:%u, "
			   "spans:%u, partial:%i}",
			   trace->start_ns, trace->duration_ns,
			   trace->service_count, trace->span_count,
			   trace->is_partial);
	}
	if (jsonw_key_known(w, "span", r->has_span))
		write_span(w, &r->span);
	if (jsonw_key_known(w, "cause", r->has_cause))
		write_cause(w, &r->cause);
	if (jsonw_key_known(w, "profile", r->has_profile)) {
		const struct profile_info *profile = &r->profile;

		jsonw_addf(w, "{type:%*s, scope:%s, selector:%*s",
			   STR_WHOLE(profile->type),
			   scope_names[profile->scope],
			   STR_WHOLE(profile->selector));
		json_range(w, profile->range);
		jsonw_addf(w, "samples:%-jd, unit:%*s, truncated_share:%.6f",
			   profile->samples, STR_WHOLE(profile->unit),
			   profile->truncated_share);
		put_extent(w, profile->instances, profile->requests,
			   profile->is_requests_sampled);
	}
	if (jsonw_key_known(w, "baseline", r->has_baseline)) {
		const struct baseline_info *b = &r->baseline;

		jsonw_addf(w, "{kind:%*s", STR_WHOLE(b->kind));
		json_range(w, b->range);
		jsonw_addf(w, "samples:%-jd, healthy:%-i, text:%*s", b->samples,
			   b->healthy, STR_WHOLE(b->text));
		put_extent(w, b->instances, b->requests,
			   b->is_requests_sampled);
	}
}

static void write_account(struct jsonw *w, const struct account_info *a)
{
	static const char *const whys[ACCOUNT_WHYS] = {
		[ACCOUNT_SLOWER] = "slower",
		[ACCOUNT_MORE_CALLS] = "more_calls",
		[ACCOUNT_LESS_OVERLAP] = "less_overlap",
		[ACCOUNT_NEW] = "new",
		[ACCOUNT_GONE] = "gone",
	};

	jsonw_addf(w,
		   "account:{now_ns:%jd, before_ns:%jd, requests_before:%u, "
		   "growth:[",
		   a->now_ns, a->before_ns, a->requests);
	for (size_t i = 0; i < a->count; i++)
		jsonw_addf(w,
			   "{service:%*s, name:%*s, why:%s, ns:%jd, "
			   "called:%*s}",
			   STR_WHOLE(a->rows[i].service),
			   STR_WHOLE(a->rows[i].name), whys[a->rows[i].why],
			   a->rows[i].change_ns, STR_WHOLE(a->rows[i].called));
	jsonw_addf(w, "]}");
}

static void write_lists(struct jsonw *w, const struct result *r)
{
	static const struct notes none;
	const struct affected_info *x = &r->affected;

	if (jsonw_key_known(w, "compared", r->is_compared))
		write_compared(w, r);
	jsonw_addf(w, "functions:[");
	for (size_t i = 0; i < r->function_count; i++)
		write_function(w, r, &r->functions[i]);
	jsonw_addf(w, "], findings:[");
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct trace_finding *finding = &r->findings[i];
		char id[17];

		jsonw_addf(w, "{kind:%*s, text:%*s, span_ids:[",
			   STR_WHOLE(finding->kind), STR_WHOLE(finding->text));
		for (size_t k = 0; k < finding->span_id_count; k++) {
			span_id_format(finding->span_ids[k], id);
			jsonw_text(w, id);
		}
		jsonw_addf(w, "]}");
	}
	jsonw_array_end(w);
	json_notes(w, "notes", &r->notes);
	json_requests(w, r);
	json_notes(w, "reasons", r->shows_reasons ? &r->reasons : &none);
	if (r->account)
		write_account(w, r->account);
	jsonw_addf(w, "contrasts:[");
	for (size_t i = 0; i < r->contrast_count; i++)
		write_contrast(w, &r->contrasts[i]);
	jsonw_array_end(w);
	json_history(w, r->history);
	if (r->commit_count)
		jsonw_addf(w, "commits:[");
	for (size_t i = 0; i < r->commit_count; i++)
		jsonw_addf(w, "{hash:%.*s, time:%+jd, subject:%.*s}",
			   STR_WHOLE(r->commits[i].hash), r->commits[i].time_ns,
			   STR_WHOLE(r->commits[i].subject));
	if (r->commit_count)
		jsonw_array_end(w);
	if (!jsonw_key_known(w, "affected", x->requests))
		return;
	jsonw_addf(w, "{slow_requests:%u, requests:%u, sampled:%i, callers:[",
		   x->slow, x->requests, x->is_sample);
	for (size_t i = 0; i < x->caller_count; i++)
		jsonw_str(w, x->callers[i]);
	jsonw_addf(w, "], others:[");
	for (size_t i = 0; i < x->other_count; i++)
		jsonw_addf(w, "{service:%.*s, name:%.*s}",
			   STR_WHOLE(x->others[i].service),
			   STR_WHOLE(x->others[i].name));
	jsonw_addf(w, "]}");
}

void render_json(const struct render_input *in, struct out *out)
{
	struct jsonw w;

	json_begin(&w, out, in->result->command);
	write_heads(&w, in);
	write_lists(&w, in->result);
	if (in->result->spans) { /* with all attributes */
		jsonw_addf(&w, "spans:[");
		for (size_t i = 0; i < in->result->span_count; i++)
			put_span(&w, in->trace, &in->result->spans[i]);
		jsonw_array_end(&w);
	}
	json_end(&w, NULL);
}
