/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "render/json_parts.h"
#include "render/markdown.h"
#include "render/units.h"
#include "report/check_ci.h"
#include "report/check_latency_text.h"
#include "report/check_words.h"
#include "report/wording.h"

#define LABEL_COLUMNS 13u
#define NUMBER_COLUMNS 10u
#define NUMBERS 4u
#define NAME_MIN_COLUMNS 20u

/* ---- for people: what was compared ---- */

/* A sentence that holds foreign names. */
static void write_sentence(struct page *p, enum paint paint, const char *label,
			   const struct check_answer *a,
			   void (*tell)(const struct check_answer *a,
					struct buf *out))
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	tell(a, &text);
	page_sentence(p, buf_str(&text));
	page_flush(p, paint, label, *label ? LABEL_COLUMNS : 0);
	buf_release(&text);
}

static void write_side(struct page *p, const char *label,
		       const struct check_side *side, size_t runs,
		       const char *what)
{
	char samples[COUNT_TEXT_BYTES];

	if (!side->whole && !side->name.len)
		page_text(p, "none");
	page_foreign(p, side->name);
	if (side->range.to_ns) {
		page_text(p, ", ");
		page_window(p, side->range, 0);
	}
	if (runs)
		page_textf(p, ", %zu %s%s", runs, what, &"s"[runs == 1]);
	if (side->whole && side->samples >= 0) {
		format_count(side->samples, samples);
		page_textf(p, ", %s samples", samples);
	}
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static size_t baseline_runs(const struct check *c)
{
	return c->want->snapshot ? c->want->snapshot->runs
				 : c->baseline.runs.count;
}

static void write_sides(struct page *p, const struct check *c)
{
	const char *what = c->candidate.is_of_files ? "run" : "slice";

	write_side(p, "  candidate", &c->candidate, c->candidate.runs.count,
		   what);
	write_side(p, "  baseline", &c->baseline, baseline_runs(c),
		   c->want->snapshot && c->want->snapshot->is_of_runs ? "run"
		   : c->baseline.is_of_files                          ? "run"
					     : "slice");
}

static void format_side(const struct result *r, int64_t value, double exposure,
			char out[UNIT_TEXT_BYTES])
{
	format_value(sat_round_f64((double)value / fmax(1e-12, exposure)),
		     r->profile.unit, out);
}

static void write_total(struct page *p, const struct check_answer *a)
{
	const struct result *r = a->result;
	const struct gates *g = &a->check->gates;
	char after[UNIT_TEXT_BYTES], before[UNIT_TEXT_BYTES];
	char growth[32], low[32], high[32];

	if (a->check->want->is_latency_alone)
		return;
	if (a->check->per == NORMALIZE_SHARE) {
		page_text(p, "not compared: by share it is always all of it");
		page_flush(p, PAINT_NONE, "  total", LABEL_COLUMNS);
	}
	if (!g->has_total || a->check->per == NORMALIZE_SHARE)
		return;
	format_side(r, r->profile.total_value, r->exposure, after);
	format_side(r, r->baseline.total_value, r->baseline_exposure, before);
	wording_percent(g->total.growth, true, growth);
	wording_percent(g->total.low, true, low);
	wording_percent(g->total.high, true, high);
	page_textf(p, "%s of %s%s, was %s: %s (%s to %s)%s", after,
		   check_measure(a), check_per(a->check), before, growth, low,
		   high,
		   g->is_relative ? ", which follows the traffic: not judged"
		   : !g->is_total_certain ? ", which may be noise"
		   : g->limits.is_total_told
			   ? ", by the code, more work or a busy machine: not "
			     "judged"
			   : "");
	page_flush(p, PAINT_NONE, "  total", LABEL_COLUMNS);
}

static void tell_limits(const struct check_answer *a, struct buf *out)
{
	check_limits(&a->check->gates.limits, out);
}

static void tell_latency(const struct check_answer *a, struct buf *out)
{
	check_latency_power(a->check, out);
}

/* ---- for people: what is broken ---- */

/* "shop.find +31 % (-2 % to +76 %)" for each. */
static void tell_nearest(const struct check_answer *a, struct buf *out)
{
	const struct gates *g = &a->check->gates;

	for (size_t i = 0; i < g->nearest_count; i++) {
		if (i)
			buf_add_text(out, "; ");
		check_growth_text(a, g->nearest[i], out);
	}
}

static size_t count_of(const struct gates *g, enum gate_kind gate)
{
	size_t count = 0;

	for (size_t i = 0; i < g->hit_count; i++)
		count += g->hits[i].gate == gate;
	return count;
}

static const char *const column_names[][NUMBERS + 1] = {
	[GATE_TOTAL] = { "growth", "from", "to", "limit", "function" },
	[GATE_FUNCTION] = { "growth", "from", "to", "limit", "function" },
	[GATE_NEW] = { "share", "from", "to", "limit", "function" },
};

static void hit_cells(const struct gates *g, const struct gate_hit *hit,
		      char cells[NUMBERS][32])
{
	bool is_signed = hit->gate != GATE_NEW;
	const double values[NUMBERS] = { hit->growth, hit->low, hit->high,
					 g->limits.limit[hit->gate] };

	for (size_t i = 0; i < NUMBERS; i++) {
		double percent = 100 * values[i];

		if (isnan(percent) || isinf(percent))
			snprintf(cells[i], 32, "-");
		else if (i == NUMBERS - 1)
			snprintf(cells[i], 32, "%g", percent);
		else
			snprintf(cells[i], 32, is_signed ? "%+.1f" : "%.1f",
				 percent);
	}
}

static void write_hit(struct page *p, const struct gates *g,
		      const struct gate_hit *hit)
{
	char cells[NUMBERS][32];
	size_t before = NUMBERS * NUMBER_COLUMNS + 2;
	size_t place = hit->row->file.len
			       ? page_place_columns(p, hit->row->file,
						    hit->row->line) +
					 2
			       : 0;
	size_t room = p->width > before + place + NAME_MIN_COLUMNS
			      ? p->width - before - place
			      : NAME_MIN_COLUMNS;

	hit_cells(g, hit, cells);
	if (p->style.is_markdown) {
		for (size_t i = 0; i < NUMBERS; i++)
			markdown_cell(p, cells[i]);
		markdown_name_cell(p, hit->row->name);
		markdown_place_cell(p, hit->row->file, hit->row->line);
		markdown_row_end(p);
		return;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		page_field(p, i ? PAINT_NONE : PAINT_BAD, ALIGN_RIGHT,
			   NUMBER_COLUMNS, cells[i]);
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_BOLD, hit->row->name, p->width ? room : 0, 0);
	if (hit->is_self)
		page_paint(p, PAINT_NONE, " itself");
	if (place) {
		page_repeat(p, PAINT_NONE, " ", 2);
		page_place(p, PAINT_DIM, hit->row->file, hit->row->line, 0);
	}
	out_char(p->out, '\n');
}

static void write_table_head(struct page *p, const struct check_answer *a,
			     enum gate_kind gate)
{
	const char *const *names = column_names[gate];

	if (gate == GATE_NEW)
		page_textf(p, "new functions, %% of %s", check_measure(a));
	else
		page_textf(p, "growth of %s%s, %% of what it was",
			   check_measure(a),
			   a->check->gates.is_relative
				   ? " beside the other functions"
				   : check_per(a->check));
	page_flush(p, PAINT_NONE, p->style.is_markdown ? "" : "  ",
		   p->style.is_markdown ? 0 : 2);
	if (p->style.is_markdown) {
		static const char *const places[] = { "growth",   "from",
						      "to",       "limit",
						      "function", "file" };

		out_char(p->out, '\n');
		markdown_head(p, places, 6, NUMBERS);
		return;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, NUMBER_COLUMNS,
			   names[i]);
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, names[NUMBERS]);
	out_char(p->out, '\n');
}

static void write_hits(struct page *p, const struct check_answer *a,
		       enum gate_kind gate)
{
	const struct gates *g = &a->check->gates;
	size_t limit = p->style.limit ? p->style.limit : SIZE_MAX;
	size_t shown = 0, count = count_of(g, gate);

	if (!count)
		return;
	out_char(p->out, '\n');
	write_table_head(p, a, gate);
	for (size_t i = 0; i < g->hit_count && shown < limit; i++)
		if (g->hits[i].gate == gate) {
			write_hit(p, g, &g->hits[i]);
			shown++;
		}
	if (shown < count) {
		page_textf(p, "%zu more; -n 0 shows all", count - shown);
		page_flush(p, PAINT_DIM, "  ", 2);
	}
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	static const enum paint paints[] = { [GATES_HELD] = PAINT_GOOD,
					     [GATES_BROKEN] = PAINT_BAD,
					     [GATES_UNKNOWN] = PAINT_BOLD };
	const struct check_answer *a = answer;
	struct page p;

	page_begin(&p, style, out);
	p.source_root = a->result->source_root;
	write_sentence(&p, paints[a->check->gates.outcome], "", a,
		       check_headline);
	out_char(out, '\n');
	write_sides(&p, a->check);
	write_total(&p, a);
	write_sentence(&p, PAINT_NONE, "  fail on", a, tell_limits);
	write_sentence(&p, PAINT_NONE, "  can see", a, check_power_text);
	write_sentence(&p, PAINT_NONE, "  nearest", a, tell_nearest);
	write_sentence(&p, PAINT_NONE, "  requests", a, tell_latency);
	write_hits(&p, a, GATE_FUNCTION);
	write_hits(&p, a, GATE_NEW);
	check_latency_table(&p, a->check);
	if (!style->is_quiet && (a->notes->count || a->next.ptr)) {
		out_char(out, '\n');
		page_notes(&p, a->notes, STR(""));
		if (a->next.ptr)
			markdown_next(&p, a->next, true);
	}
	page_end(&p);
}

/* ---- for programs ---- */

static const char *const outcome_names[] = { [GATES_HELD] = "passed",
					     [GATES_BROKEN] = "failed",
					     [GATES_UNKNOWN] = "unknown" };

static const char *const lack_names[] = {
	[GATES_LACK_NONE] = NULL,
	[GATES_LACK_TEST] = "no_test",
	[GATES_LACK_SAMPLES] = "samples",
	[GATES_LACK_POWER] = "power",
	[GATES_LACK_SIDE] = "no_baseline",
	[GATES_LACK_REQUESTS] = "requests",
	[GATES_LACK_LATENCY] = "latency_power",
};

static const char *per_name(const struct check *c)
{
	return c->per == NORMALIZE_SHARE  ? "share"
	       : c->per == NORMALIZE_RATE ? "second"
	       : c->is_by_request	  ? "request"
					  : "run";
}

static void json_side(struct jsonw *w, const char *key,
		      const struct check_side *side, size_t runs, int64_t total)
{
	jsonw_key(w, key);
	jsonw_object(w);
	jsonw_pair_str(w, "name", side->name);
	if (side->range.to_ns) {
		jsonw_pair_time(w, "from", side->range.from_ns);
		jsonw_pair_time(w, "to", side->range.to_ns);
	} else {
		jsonw_pair_null(w, "from");
		jsonw_pair_null(w, "to");
	}
	jsonw_pair_i64(w, "runs", (int64_t)runs);
	jsonw_pair_known(w, "samples", side->samples);
	if (side->whole)
		jsonw_pair_i64(w, "total_value", total);
	else
		jsonw_pair_null(w, "total_value");
	jsonw_object_end(w);
}

static void json_growth(struct jsonw *w, const struct gate_hit *hit)
{
	jsonw_pair_f64(w, "growth", hit->growth, 6);
	jsonw_pair_f64(w, "growth_low", hit->low, 6);
	jsonw_pair_f64(w, "growth_high", hit->high, 6);
	jsonw_pair_f64(w, "q", hit->q, 9);
}

static void json_values(struct jsonw *w, const struct result *r, int64_t value,
			int64_t baseline)
{
	jsonw_pair_f64(w, "before",
		       (double)baseline / fmax(1e-12, r->baseline_exposure), 6);
	jsonw_pair_f64(w, "after", (double)value / fmax(1e-12, r->exposure), 6);
}

/* Nanoseconds, half of the requests took less. */
static void json_quantiles(struct jsonw *w, const struct latency_row *row)
{
	jsonw_pair_i64(w, "before", row->before.quantiles.p50_ns);
	jsonw_pair_i64(w, "after", row->after.quantiles.p50_ns);
}

static void json_total(struct jsonw *w, const struct check_answer *a)
{
	const struct result *r = a->result;

	jsonw_key(w, "total");
	if (!a->check->gates.has_total) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	json_values(w, r, r->profile.total_value, r->baseline.total_value);
	json_growth(w, &a->check->gates.total);
	jsonw_object_end(w);
}

static void json_hit(struct jsonw *w, const struct check_answer *a,
		     const struct gate_hit *hit)
{
	const struct gates *g = &a->check->gates;
	const struct function_row *row = hit->row;
	const struct result *r = a->result;

	jsonw_object(w);
	jsonw_pair_text(w, "limit", gate_name(hit->gate));
	jsonw_pair_f64(w, "limit_value", g->limits.limit[hit->gate], 6);
	jsonw_key(w, "function");
	if (row)
		jsonw_str(w, row->name);
	else
		jsonw_null(w);
	jsonw_pair_known_str(w, "file", row ? row->file : (struct str){ 0 });
	jsonw_pair_known(w, "line", row && row->line ? (int64_t)row->line : -1);
	jsonw_pair_known_str(w, "operation",
			     hit->operation ? hit->operation->name
					    : (struct str){ 0 });
	if (hit->operation)
		json_quantiles(w, hit->operation);
	else
		json_values(w, r,
			    row ? row->total_value : r->profile.total_value,
			    row ? row->baseline_total_value
				: r->baseline.total_value);
	json_growth(w, hit);
	jsonw_pair_bool(w, "is_self", hit->is_self);
	jsonw_object_end(w);
}

/* Where nothing is certain: what is nearest to it. */
static void json_nearest(struct jsonw *w, const struct check_answer *a)
{
	const struct gates *g = &a->check->gates;

	jsonw_key(w, "nearest");
	jsonw_array(w);
	for (size_t i = 0; i < g->nearest_count; i++) {
		struct gate_hit hit = gates_row_growth(g->nearest[i], a->result);

		jsonw_object(w);
		jsonw_pair_str(w, "function", hit.row->name);
		json_growth(w, &hit);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
	jsonw_pair_known(w, "runs_lacking",
			 g->runs_lacking ? (int64_t)g->runs_lacking : -1);
}

static void json_limits(struct jsonw *w, const struct gates *g)
{
	jsonw_key(w, "limits");
	jsonw_object(w);
	for (int k = 0; k < GATE_COUNT; k++) {
		jsonw_key(w, gate_name((enum gate_kind)k));
		if (g->limits.limit[k] < 0)
			jsonw_null(w);
		else
			jsonw_f64(w, g->limits.limit[k], 6);
	}
	jsonw_object_end(w);
}

static void json_power(struct jsonw *w, const struct check_answer *a)
{
	const struct gates *g = &a->check->gates;

	jsonw_key(w, "power");
	jsonw_object(w);
	jsonw_pair_f64(w, "total_growth",
		       g->has_power ? a->result->whole.detectable : NAN, 6);
	jsonw_pair_f64(w, "limit_seen_from_share", a->check->gates.seen_share,
		       6);
	jsonw_key(w, "functions");
	jsonw_array(w);
	for (size_t i = 0; g->has_power && i < GATES_POWERS; i++) {
		jsonw_object(w);
		jsonw_pair_f64(w, "share", g->powers[i].share, 6);
		jsonw_pair_f64(w, "growth", g->powers[i].growth, 6);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void json_body(struct jsonw *w, const struct check_answer *a)
{
	const struct check *c = a->check;
	const struct gates *g = &c->gates;

	json_head(w, "check");
	jsonw_pair_text(w, "outcome", outcome_names[g->outcome]);
	jsonw_pair_text(w, "reason",
			g->outcome == GATES_UNKNOWN ? lack_names[g->lack]
						    : NULL);
	jsonw_pair_known_str(w, "type", a->result->profile.type);
	jsonw_pair_known_str(w, "unit", a->result->profile.unit);
	jsonw_pair_text(w, "per",
			c->want->is_latency_alone ? NULL : per_name(c));
	json_side(w, "candidate", &c->candidate, c->candidate.runs.count,
		  a->result->profile.total_value);
	json_side(w, "baseline", &c->baseline, baseline_runs(c),
		  a->result->baseline.total_value);
	jsonw_pair_bool(w, "interleaved", c->is_interleaved);
	json_limits(w, g);
	json_total(w, a);
	jsonw_key(w, "broken");
	jsonw_array(w);
	for (size_t i = 0; i < g->hit_count; i++)
		json_hit(w, a, &g->hits[i]);
	jsonw_array_end(w);
	jsonw_pair_i64(w, "grown_within_limits", (int64_t)g->grown_count);
	jsonw_pair_i64(w, "shrunk", (int64_t)g->shrunk_count);
	json_power(w, a);
	json_nearest(w, a);
	check_latency_json(w, a->check);
	json_notes(w, "notes", a->notes);
	json_requests(w, a->result);
}

static void write_json(const void *answer, struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_body(&w, answer);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

const struct answer_writer check_writer = {
	.table = write_table,
	.json = write_json,
	.others = check_ci_formats,
};
