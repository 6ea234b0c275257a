/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine's answer, tracefind-json(5): every key always present and in
 * this order, null where not known. man/tracefind-json.schema.json describes
 * it; the tests check one against the other.
 */
#include <math.h>

#include "base/jsonw.h"
#include "render/formats.h"
#include "render/scale.h"
#include "render/json_parts.h"

/* A millionth of the total is below what sampling can tell. */
#define SHARE_DECIMALS 6
/* q values of clear findings are tiny; less than this is certain. */
#define Q_DECIMALS 9
#define DEVIATION_DECIMALS 2
#define VALUE_DECIMALS 6

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

/* ---- one key and its value ---- */

static void put_str(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	if (text.ptr)
		jsonw_str(w, text);
	else
		jsonw_null(w);
}

static void put_share(struct jsonw *w, const char *key, double share)
{
	jsonw_pair_f64(w, key, share, SHARE_DECIMALS);
}

/* ---- the parts ---- */

static void write_trace(struct jsonw *w, const struct trace_info *trace)
{
	jsonw_object(w);
	put_str(w, "id", trace->id);
	put_str(w, "source", trace->source);
	jsonw_pair_time(w, "start", trace->start_ns);
	jsonw_pair_known(w, "duration_ns", trace->duration_ns);
	jsonw_pair_i64(w, "services", trace->service_count);
	jsonw_pair_i64(w, "spans", trace->span_count);
	jsonw_pair_bool(w, "partial", trace->is_partial);
	jsonw_object_end(w);
}

static void write_span(struct jsonw *w, const struct guilty_span *span)
{
	jsonw_object(w);
	put_str(w, "span_id", span->span_id);
	put_str(w, "service", span->service);
	put_str(w, "name", span->name);
	jsonw_pair_text(w, "kind", span_kind_word(span->kind));
	jsonw_pair_time(w, "start", span->start_ns);
	jsonw_pair_known(w, "duration_ns", span->duration_ns);
	jsonw_pair_known(w, "self_ns", span->self_ns);
	jsonw_pair_known(w, "critical_ns", span->critical_ns);
	jsonw_pair_i64(w, "count", span->count);
	jsonw_key(w, "path");
	jsonw_array(w);
	for (size_t i = 0; i < span->path_count; i++)
		jsonw_str(w, span->path[i]);
	jsonw_array_end(w);
	jsonw_pair_known(w, "typical_ns", span->typical_ns);
	put_str(w, "why", span->why);
	jsonw_object_end(w);
}

static void write_queue(struct jsonw *w, const struct cause *cause)
{
	const struct queue_info *queue = &cause->queue;

	jsonw_key(w, "queue");
	if (cause->kind != CAUSE_QUEUE) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	put_str(w, "name", queue->name);
	jsonw_pair_i64(w, "wait_ns", queue->wait_ns);
	jsonw_pair_known(w, "typical_ns", queue->typical_ns);
	jsonw_object_end(w);
}

static void write_part(struct jsonw *w, const struct excess_part *part)
{
	static const char *const kinds[EXCESS_KINDS] = {
		[EXCESS_CPU] = "cpu",	      [EXCESS_ALLOC] = "alloc",
		[EXCESS_BLOCKED] = "blocked", [EXCESS_QUEUE] = "queue",
		[EXCESS_CALL] = "call",	      [EXCESS_REST] = "rest",
	};

	jsonw_object(w);
	jsonw_pair_text(w, "kind", kinds[part->kind]);
	jsonw_pair_i64(w, "ns", part->ns);
	jsonw_pair_known(w, "now_ns", part->now_ns);
	jsonw_pair_known(w, "before_ns", part->before_ns);
	put_str(w, "function", part->name);
	if (part->by)
		jsonw_pair_text(w, "profile", part->by);
	else
		jsonw_pair_null(w, "profile");
	jsonw_object_end(w);
}

static void write_growth(struct jsonw *w, const struct excess *x)
{
	jsonw_key(w, "growth");
	if (!x->total_ns) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_i64(w, "span_ns", x->span_ns);
	jsonw_pair_i64(w, "total_ns", x->total_ns);
	jsonw_key(w, "parts");
	jsonw_array(w);
	for (size_t i = 0; i < x->count; i++)
		write_part(w, &x->parts[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void write_cause(struct jsonw *w, const struct cause *cause)
{
	jsonw_object(w);
	jsonw_pair_text(w, "kind", json_cause(cause->kind));
	jsonw_pair_text(w, "confidence", confidence_names[cause->confidence]);
	jsonw_pair_known(w, "on_cpu_ns", cause->on_cpu_ns);
	write_queue(w, cause);
	write_growth(w, &cause->excess);
	put_str(w, "text", cause->text);
	jsonw_object_end(w);
}

/* How much a side holds besides its samples, at the end of both. */
static void put_extent(struct jsonw *w, uint32_t instances, int64_t requests,
		       bool is_sampled)
{
	jsonw_pair_known(w, "instances", instances ? (int64_t)instances : -1);
	jsonw_pair_known(w, "requests", requests > 0 ? requests : -1);
	if (requests > 0)
		jsonw_pair_bool(w, "requests_sampled", is_sampled);
	else
		jsonw_pair_null(w, "requests_sampled");
}

static void write_profile(struct jsonw *w, const struct profile_info *profile)
{
	jsonw_object(w);
	put_str(w, "type", profile->type);
	jsonw_pair_text(w, "scope", scope_names[profile->scope]);
	put_str(w, "selector", profile->selector);
	json_range(w, profile->range);
	jsonw_pair_known(w, "samples", profile->samples);
	put_str(w, "unit", profile->unit);
	put_share(w, "truncated_share", profile->truncated_share);
	put_extent(w, profile->instances, profile->requests,
		   profile->is_requests_sampled);
	jsonw_object_end(w);
}

static void write_baseline(struct jsonw *w, const struct baseline_info *b)
{
	jsonw_object(w);
	put_str(w, "kind", b->kind);
	json_range(w, b->range);
	jsonw_pair_known(w, "samples", b->samples);
	if (b->healthy < 0)
		jsonw_pair_null(w, "healthy");
	else
		jsonw_pair_bool(w, "healthy", b->healthy);
	put_str(w, "text", b->text);
	put_extent(w, b->instances, b->requests, b->is_requests_sampled);
	jsonw_object_end(w);
}

static const char *const measure_words[] = {
	[RANK_SELF_LIB] = "self_with_libraries",
	[RANK_SELF] = "self",
	[RANK_TOTAL] = "total",
};

/* What a function does itself changed for certain. */
static void write_self_change(struct jsonw *w, const struct self_change *c)
{
	bool is_known = change_is_real(c->change);

	jsonw_pair_f64(w, "self_growth", is_known ? c->growth : (double)NAN,
		       SHARE_DECIMALS);
	jsonw_pair_f64(w, "self_q", is_known ? c->q : (double)NAN, Q_DECIMALS);
}

/* NaN, which is written as null, when there is nothing to compare with. */
static void write_comparison(struct jsonw *w, const struct result *r,
			     const struct function_row *row, bool has_baseline)
{
	const double none = (double)NAN;

	put_share(w, "baseline_owned",
		  has_baseline ? row->baseline_self_lib : none);
	put_share(w, "baseline_self", has_baseline ? row->baseline_self : none);
	put_share(w, "baseline_total",
		  has_baseline ? row->baseline_total : none);
	put_share(w, "delta", has_baseline ? row->delta : none);
	put_share(w, "delta_low", has_baseline ? row->delta_low : none);
	put_share(w, "delta_high", has_baseline ? row->delta_high : none);
	jsonw_pair_f64(w, "q", has_baseline ? row->q : none, Q_DECIMALS);
	jsonw_pair_text(w, "change",
			has_baseline ? change_name(row->change) : NULL);
	jsonw_pair_text(w, "changed",
			has_baseline && change_is_real(row->change)
				? measure_words[row_measure(r, row)]
				: NULL);
	write_self_change(w, &row->self_change);
	put_str(w, "through", row->through);
	jsonw_pair_bool(w, "with_all", row->is_with_all);
}

/* What the table shows: in its unit, and with what it says. */
static void write_shown(struct jsonw *w, const struct result *r,
			const struct function_row *row)
{
	const double none = (double)NAN;
	enum rank_by measure = row_measure(r, row);
	double now = scale_exact(r, row_value(row, measure), false);
	double before = scale_exact(r, row_before(row, measure), true);

	jsonw_pair_f64(w, "now", now, VALUE_DECIMALS);
	jsonw_pair_f64(w, "before", r->has_baseline ? before : none,
		       VALUE_DECIMALS);
	jsonw_pair_f64(w, "difference", r->has_baseline ? now - before : none,
		       VALUE_DECIMALS);
	jsonw_pair_f64(w, "deviations",
		       r->has_baseline ? row->deviations : none,
		       DEVIATION_DECIMALS);
	put_share(w, "detectable", r->has_baseline ? row->detectable : none);
}

/* Old names of what is self with libraries stay for one minor version. */
static void write_self_with_libraries(struct jsonw *w,
				      const struct function_row *row,
				      bool has_baseline)
{
	put_share(w, "self_with_libraries", row->self_lib);
	jsonw_pair_i64(w, "self_with_libraries_value", row->self_lib_value);
	put_share(w, "baseline_self_with_libraries",
		  has_baseline ? row->baseline_self_lib : (double)NAN);
}

static void write_function(struct jsonw *w, const struct result *r,
			   const struct function_row *row)
{
	bool has_baseline = r->has_baseline;

	jsonw_object(w);
	jsonw_pair_i64(w, "rank", row->rank);
	put_str(w, "name", row->name);
	put_str(w, "file", row->file);
	jsonw_pair_known(w, "line", row->line ? (int64_t)row->line : -1);
	put_str(w, "leaf", row->leaf);
	put_share(w, "owned", row->self_lib);
	put_share(w, "self", row->self);
	put_share(w, "total", row->total);
	jsonw_pair_i64(w, "owned_value", row->self_lib_value);
	jsonw_pair_i64(w, "self_value", row->self_value);
	jsonw_pair_i64(w, "total_value", row->total_value);
	write_comparison(w, r, row, has_baseline);
	write_self_with_libraries(w, row, has_baseline);
	write_shown(w, r, row);
	jsonw_object_end(w);
}

static const char *const per_words[] = {
	[NORMALIZE_SHARE] = "share",
	[NORMALIZE_RATE] = "second",
	[NORMALIZE_REQUEST] = "request",
	[NORMALIZE_VALUE] = "profile",
};

/* Both sides as wholes, and what the functions' now and before are. */
static void write_compared(struct jsonw *w, const struct result *r)
{
	static const struct function_row none = { .measure = RANK_SELF_LIB };
	const struct whole_change *whole = &r->whole;
	double now = scale_exact(r, r->profile.total_value, false);
	double before = scale_exact(r, r->baseline.total_value, true);
	double size = r->normalize == NORMALIZE_SHARE ? (double)NAN : now;

	jsonw_object(w);
	jsonw_pair_text(w, "measure", measure_words[row_measure(r, &none)]);
	jsonw_pair_text(w, "per", per_words[r->normalize]);
	put_str(w, "unit", r->profile.unit);
	jsonw_pair_f64(w, "now", now, VALUE_DECIMALS);
	jsonw_pair_f64(w, "before", before, VALUE_DECIMALS);
	jsonw_pair_f64(w, "difference", now - before, VALUE_DECIMALS);
	jsonw_pair_f64(w, "difference_low", whole->delta_low * size,
		       VALUE_DECIMALS);
	jsonw_pair_f64(w, "difference_high", whole->delta_high * size,
		       VALUE_DECIMALS);
	jsonw_pair_f64(w, "q", whole->q, Q_DECIMALS);
	jsonw_pair_bool(w, "changed", whole->is_changed);
	jsonw_pair_bool(w, "together", whole->is_together);
	put_share(w, "common", whole->common);
	put_share(w, "detectable", whole->detectable);
	put_share(w, "function_detectable", whole->function_detectable);
	jsonw_object_end(w);
}

static void write_finding(struct jsonw *w, const struct trace_finding *finding)
{
	char id[17];

	jsonw_object(w);
	put_str(w, "kind", finding->kind);
	put_str(w, "text", finding->text);
	jsonw_key(w, "span_ids");
	jsonw_array(w);
	for (size_t i = 0; i < finding->span_id_count; i++) {
		span_id_format(finding->span_ids[i], id);
		jsonw_text(w, id);
	}
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void write_contrast(struct jsonw *w, const struct contrast_row *c)
{
	jsonw_object(w);
	jsonw_pair_text(w, "kind", c->kind);
	put_str(w, "service", c->service);
	put_str(w, "operation", c->operation);
	put_str(w, "key", c->key);
	put_str(w, "value", c->value);
	put_share(w, "slow_share", (double)c->slow_with / c->slow_count);
	put_share(w, "fast_share", (double)c->fast_with / c->fast_count);
	jsonw_pair_i64(w, "slow_requests", c->slow_count);
	jsonw_pair_i64(w, "fast_requests", c->fast_count);
	jsonw_pair_f64(w, "slow_median", c->slow_median, VALUE_DECIMALS);
	jsonw_pair_f64(w, "fast_median", c->fast_median, VALUE_DECIMALS);
	jsonw_pair_known(w, "with_ns", c->with_ns);
	jsonw_pair_known(w, "without_ns", c->without_ns);
	jsonw_pair_f64(w, "q", c->q, Q_DECIMALS);
	if (c->own < 0)
		jsonw_pair_null(w, "this_one");
	else
		jsonw_pair_bool(w, "this_one", c->own > 0);
	jsonw_pair_bool(w, "usual", c->is_usual);
	put_str(w, "text", c->text);
	jsonw_object_end(w);
}

static void write_contrasts(struct jsonw *w, const struct result *r)
{
	jsonw_key(w, "contrasts");
	jsonw_array(w);
	for (size_t i = 0; i < r->contrast_count; i++)
		write_contrast(w, &r->contrasts[i]);
	jsonw_array_end(w);
}

/* ---- the document ---- */

static void write_answer(struct jsonw *w, const struct render_input *in)
{
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	answer_line(in, &text);
	jsonw_pair_str(w, "answer", buf_str(&text));
	if (text.state != BUF_OK)
		out_fail_memory(w->out);
	buf_release(&text);
}

static void write_heads(struct jsonw *w, const struct render_input *in)
{
	const struct result *r = in->result;

	json_head(w, r->command);
	write_answer(w, in);
	jsonw_key(w, "trace");
	if (r->has_trace)
		write_trace(w, &r->trace);
	else
		jsonw_null(w);
	jsonw_key(w, "span");
	if (r->has_span)
		write_span(w, &r->span);
	else
		jsonw_null(w);
	jsonw_key(w, "cause");
	if (r->has_cause)
		write_cause(w, &r->cause);
	else
		jsonw_null(w);
	jsonw_key(w, "profile");
	if (r->has_profile)
		write_profile(w, &r->profile);
	else
		jsonw_null(w);
	jsonw_key(w, "baseline");
	if (r->has_baseline)
		write_baseline(w, &r->baseline);
	else
		jsonw_null(w);
}

static void write_lists(struct jsonw *w, const struct result *r)
{
	static const struct notes none;

	jsonw_key(w, "compared");
	if (r->is_compared)
		write_compared(w, r);
	else
		jsonw_null(w);
	jsonw_key(w, "functions");
	jsonw_array(w);
	for (size_t i = 0; i < r->function_count; i++)
		write_function(w, r, &r->functions[i]);
	jsonw_array_end(w);
	jsonw_key(w, "findings");
	jsonw_array(w);
	for (size_t i = 0; i < r->finding_count; i++)
		write_finding(w, &r->findings[i]);
	jsonw_array_end(w);
	json_notes(w, "notes", &r->notes);
	json_requests(w, r);
	json_notes(w, "reasons", r->shows_reasons ? &r->reasons : &none);
	write_contrasts(w, r);
	json_history(w, r->history);
}

void render_json(const struct render_input *in, struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_heads(&w, in);
	write_lists(&w, in->result);
	if (in->result->spans)
		json_spans(&w, in);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
