/* SPDX-License-Identifier: Apache-2.0 */
#include "report/leak_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/shell.h"
#include "render/markdown.h"
#include "render/units.h"
#include "report/wording.h"

#define LABEL_COLUMNS 14u
#define VALUE_COLUMNS 9u
#define CHANGE_COLUMNS 10u
#define INTERVAL_COLUMNS 20u
#define KIND_COLUMNS 12u
/* What a row has in front of its function. */
#define ROW_COLUMNS                                                            \
	(2 * VALUE_COLUMNS + CHANGE_COLUMNS + INTERVAL_COLUMNS + KIND_COLUMNS)
#define NAME_MIN_COLUMNS 20u

static void write_label(struct page *p, const struct leak_subject *s)
{
	char label[16];

	snprintf(label, sizeof label, "  %s", leak_subject_word(s));
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static double grown(const struct growth *g)
{
	return g->end - g->start;
}

/* ---- the first line ---- */

static void add_rate(struct page *p, const struct leak_subject *s,
		     const struct growth *g)
{
	char rate[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	leak_format_number(s, g->per_hour, false, rate);
	leak_format_number(s, g->low, false, low);
	leak_format_number(s, g->high, false, high);
	page_textf(p, "%s%s an hour (%s to %s)", rate,
		   s->what == LEAK_MEMORY ? " MiB" : "", low, high);
}

static void add_time_left(struct page *p, const struct leak *l)
{
	double seconds = leak_seconds_left(l);
	int64_t left_ns = sat_mul_i64(sat_round_f64(seconds / 60), NS_PER_MIN);
	const char *bound = left_ns == INT64_MAX  ? "more than "
			    : l->memory_bytes > 0 ? ""
						  : "at most ";
	char limit[UNIT_TEXT_BYTES], left[24];

	if (seconds < 0)
		return;
	format_size(sat_round_f64(l->limit_bytes), limit);
	format_duration(left_ns, left);
	if (seconds > 0)
		page_textf(p, ", %s%s until %s", bound, left, limit);
	else
		page_textf(p, ", beyond the limit of %s", limit);
}

static void write_leak(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	page_name(p, str_from(l->service), 0);
	page_textf(p, " leaks %s: ", leak_subject_word(s));
	add_rate(p, s, leak_growth_told(s));
	page_text(p, s->total.segment_count > 1 ? " in each instance" : "");
	if (s->what == LEAK_MEMORY)
		add_time_left(p, l);
	page_flush(p, PAINT_BOLD, "", 0);
}

static void add_shares(struct page *p, const struct growth *g)
{
	char own[UNIT_TEXT_BYTES], load[UNIT_TEXT_BYTES];

	format_percent(g->start > 0 ? grown(g) / g->start : NAN, own);
	format_percent(g->load_growth, load);
	page_textf(p, "by %s, its load by %s", own, load);
}

static void write_none(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	const struct growth *g = &s->total;
	char change[UNIT_TEXT_BYTES];

	leak_format_held(s, fabs(grown(g)), change);
	page_name(p, str_from(l->service), 0);
	page_text(p, " does not leak: ");
	switch (g->kind) {
	case GROWTH_SMALL:
		page_textf(p, "its %s grew by %s, too little to count",
			   leak_subject_word(s), change);
		break;
	case GROWTH_UNEVEN:
		page_textf(p, "its %s grew by %s, but ", leak_subject_word(s),
			   change);
		/* Which of the two failed. */
		if (g->rising < g->segment_count)
			page_textf(p, "only in %zu of %zu%s", g->rising,
				   g->segment_count,
				   s->restarts ? " lives" : " instances");
		else
			page_text(p, "not all the time");
		break;
	case GROWTH_LEVELS_OFF:
		page_textf(p,
			   "its %s grew by %s and levels off, as a cache does "
			   "that fills",
			   leak_subject_word(s), change);
		break;
	case GROWTH_WITH_LOAD:
		page_textf(p, "its %s grew no more than its load: ",
			   leak_subject_word(s));
		add_shares(p, g);
		break;
	default:
		page_textf(p, "its %s did not grow beyond noise",
			   leak_subject_word(s));
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

/* ---- evidence ---- */

static void evidence(struct page *p, const char *label)
{
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static void write_function(struct page *p, const struct leak_subject *s)
{
	const struct leak_function *f = leak_function_of(s);
	char share[UNIT_TEXT_BYTES], each[UNIT_TEXT_BYTES];

	if (!f) {
		page_text(p, "no single one grows beyond noise");
		evidence(p, "  function");
		return;
	}
	page_name(p, f->found.name, 0);
	if (f->found.file.ptr) {
		page_text(p, "   ");
		page_place_text(p, f->found.file, f->found.line);
	}
	evidence(p, "  function");
	add_rate(p, s, &f->found.growth);
	if (grown(&s->total) > 0) {
		format_percent(
			fmin(grown(&f->found.growth) / grown(&s->total), 1),
			share);
		page_textf(p, ", %s of what grew", share);
	}
	if (f->bytes_each > 0) {
		format_size(sat_round_f64(f->bytes_each), each);
		page_textf(p, "; %s an object, %.0f more an hour", each,
			   f->found.growth.per_hour / f->bytes_each);
	}
	evidence(p, "");
}

static void write_path(struct page *p, const struct leak_function *f)
{
	char made[UNIT_TEXT_BYTES], stays[UNIT_TEXT_BYTES];

	if (f->found.path.ptr) {
		page_foreign(p, f->found.path);
		evidence(p, "  path");
	}
	if (f->allocated_hour > 0) {
		format_size(sat_round_f64(f->allocated_hour), made);
		format_percent(
			fmin(f->found.growth.per_hour / f->allocated_hour, 1),
			stays);
		page_textf(p, "%s an hour there, %s of it stays", made, stays);
		evidence(p, "  allocates");
	}
}

static void write_held(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	const struct growth *g = &s->total;
	char start[UNIT_TEXT_BYTES], end[UNIT_TEXT_BYTES];
	char more[UNIT_TEXT_BYTES];

	leak_format_held(s, g->start, start);
	leak_format_held(s, g->end, end);
	page_textf(p,
		   "%s, then %s an instance (first and last third of the "
		   "blocks)",
		   start, end);
	if (s->what == LEAK_MEMORY && l->memory_bytes > 0) {
		format_size(sat_round_f64(l->memory_bytes), more);
		page_textf(p, "; the largest process has %s now", more);
	}
	if (s->what == LEAK_MEMORY && l->is_limit_known) {
		format_size(sat_round_f64(l->limit_bytes), more);
		page_textf(p, ", its limit is %s", more);
	}
	write_label(p, s);
}

static void write_instances(struct page *p, const struct leak_subject *s)
{
	if (s->segments[0].instance.len)
		page_textf(p, "%zu", s->instance_count);
	else
		page_text(p, "not told apart");
	if (s->restarts)
		page_textf(p, ", %zu restart%s: each life is judged apart",
			   s->restarts, &"s"[s->restarts == 1]);
	if (s->total.kind != GROWTH_NONE)
		page_textf(p, "; %zu of %zu%s hold%s more and more",
			   s->total.rising, s->total.segment_count,
			   s->restarts ? " lives" : "",
			   &"s"[s->total.rising != 1]);
	if (s->short_count)
		page_textf(p, "; %zu too short to judge", s->short_count);
	evidence(p, "  instances");
}

/* Below it there is no telling from noise. */
#define LOAD_STEADY 0.05

static void write_load(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	char share[UNIT_TEXT_BYTES];

	if (!l->has_load) {
		page_text(p, "not known: neither CPU profiles nor metrics of "
			     "requests");
	} else {
		format_percent(fabs(s->total.load_growth), share);
		page_textf(p, "%s %s (%s)",
			   fabs(s->total.load_growth) < LOAD_STEADY
				   ? "steady, within"
			   : s->total.load_growth < 0 ? "fell by"
						      : "rose by",
			   share,
			   l->load_type.ptr ? "CPU of each instance"
					    : "requests of the service");
	}
	evidence(p, "  load");
}

static void write_window(struct page *p, const struct leak *l,
			 const struct leak_subject *s)
{
	char block[24];
	struct time_range first = leak_block(&s->segments[0], 0);

	format_duration((first.to_ns - first.from_ns + NS_PER_MIN / 2) /
				NS_PER_MIN * NS_PER_MIN,
			block);
	page_window(p, l->window, 0);
	page_textf(p, ", in %u blocks of %s", GROWTH_BLOCKS, block);
	evidence(p, "  window");
}

static void write_subject(struct page *p, const struct leak *l,
			  const struct leak_subject *s)
{
	const struct leak_function *f = leak_function_of(s);

	if (s->is_leak)
		write_function(p, s);
	if (f)
		write_path(p, f);
	write_held(p, l, s);
	write_instances(p, s);
	write_load(p, l, s);
	write_window(p, l, s);
}

/* ---- the table ---- */

static void write_markdown_row(struct page *p, const struct leak_subject *s,
			       const struct growth_function *f)
{
	const struct growth *g = &f->growth;
	const double values[] = { g->start, g->end, g->per_hour, g->low,
				  g->high };
	char text[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < COUNT_OF(values); i++) {
		leak_format_number(s, values[i], i >= 2, text);
		markdown_cell(p, text);
	}
	markdown_cell(p, leak_kind_word(g->kind));
	markdown_name_cell(p, f->name);
	markdown_place_cell(p, f->file, f->line);
	markdown_row_end(p);
}

static void write_row(struct page *p, const struct leak_subject *s,
		      const struct growth_function *f)
{
	const struct growth *g = &f->growth;
	char text[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES];
	char interval[2 * UNIT_TEXT_BYTES + 8];

	leak_format_number(s, g->start, false, text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, VALUE_COLUMNS, text);
	leak_format_number(s, g->end, false, text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, VALUE_COLUMNS, text);
	leak_format_number(s, g->per_hour, true, text);
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, CHANGE_COLUMNS, text);
	leak_format_number(s, g->low, true, low);
	leak_format_number(s, g->high, true, text);
	snprintf(interval, sizeof interval, "  %s to %s", low, text);
	page_field(p, PAINT_NONE, ALIGN_LEFT, INTERVAL_COLUMNS, interval);
	page_field(p, g->kind == GROWTH_ENDLESS ? PAINT_BAD : PAINT_NONE,
		   ALIGN_LEFT, KIND_COLUMNS, leak_kind_word(g->kind));
	page_cell(p, PAINT_NONE, f->name,
		  p->width > ROW_COLUMNS + NAME_MIN_COLUMNS
			  ? p->width - ROW_COLUMNS
		  : p->width ? NAME_MIN_COLUMNS
			     : 0,
		  0);
	out_char(p->out, '\n');
}

static void write_table_head(struct page *p, const struct leak_subject *s)
{
	page_textf(p, "%s an instance, by function%s",
		   s->what == LEAK_MEMORY ? "in use, MiB"
					  : leak_subject_word(s),
		   s->processes > 1 ? ", mean of those looked at" : "");
	page_flush(p, PAINT_NONE, p->style.is_markdown ? "" : "  ",
		   p->style.is_markdown ? 0 : 2);
	if (p->style.is_markdown) {
		static const char *const names[] = {
			"start", "end",     "an hour",  "95 % of that, from",
			"to",    "verdict", "function", "file"
		};

		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), 5);
		return;
	}
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, VALUE_COLUMNS, "start");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, VALUE_COLUMNS, "end");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, CHANGE_COLUMNS, "an hour");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, INTERVAL_COLUMNS,
		   "  95 % of that");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, KIND_COLUMNS, "verdict");
	page_paint(p, PAINT_BOLD, "function");
	out_char(p->out, '\n');
}

/* Rows that tell something; where none does, what holds most of it. */
static bool is_row(const struct leak_subject *s, const struct growth *g,
		   bool has_change)
{
	if (has_change)
		return g->kind != GROWTH_NONE;
	return g->end >= s->total.end / 100;
}

static bool has_changes(const struct leak_subject *s)
{
	for (size_t i = 0; i < s->function_count; i++)
		if (s->functions[i].found.growth.kind != GROWTH_NONE)
			return true;
	return false;
}

static void write_functions(struct page *p, const struct leak_answer *a,
			    const struct leak_subject *s)
{
	bool has_change = has_changes(s);
	size_t shown = 0;

	if (!s->function_count)
		return;
	out_char(p->out, '\n');
	write_table_head(p, s);
	for (size_t i = 0; i < s->function_count; i++) {
		const struct growth_function *f = &s->functions[i].found;

		if ((a->limit && shown == a->limit) ||
		    !is_row(s, &f->growth, has_change))
			continue;
		if (p->style.is_markdown)
			write_markdown_row(p, s, f);
		else
			write_row(p, s, f);
		shown++;
	}
	if (shown < s->function_count) {
		page_textf(p, "%zu more %s", s->function_count - shown,
			   has_change ? "did not grow beyond noise"
				      : "hold less");
		if (p->style.is_markdown)
			out_char(p->out, '\n');
		page_flush(p, PAINT_DIM, "  ", p->style.is_markdown ? 0 : 2);
	}
}

/* ---- all of it ---- */

static void write_other(struct page *p, const struct leak_answer *a,
			const struct leak_subject *s)
{
	const struct leak *l = a->leak;
	char start[UNIT_TEXT_BYTES], end[UNIT_TEXT_BYTES];

	if (!s->segment_count || s == leak_leading(l))
		return;
	if (s->is_leak) {
		out_char(p->out, '\n');
		write_leak(p, l, s);
		out_char(p->out, '\n');
		write_subject(p, l, s);
		write_functions(p, a, s);
		return;
	}
	leak_format_held(s, s->total.start, start);
	leak_format_held(s, s->total.end, end);
	page_textf(p, "%s, then %s an instance: %s", start, end,
		   leak_kind_word(s->total.kind));
	write_label(p, s);
}

/* The first and the last file of one process. */
static void add_files(const struct leak *l, struct buf *out)
{
	enum leak_what what = leak_leading(l)->what;
	const struct leak_file *first = NULL, *last = NULL;

	for (size_t i = 0; i < l->file_count; i++) {
		const struct leak_file *f = &l->files[i];

		if (!(f->held[what] > 0))
			continue;
		first = first ? first : f;
		if (str_equal(f->instance, first->instance))
			last = f;
	}
	buf_add_text(out, "tracefind diff");
	shell_word_add(out, str_from(first ? first->path : ""));
	shell_word_add(out, str_from(last ? last->path : ""));
}

static void add_next(const struct leak_answer *a, struct buf *out)
{
	const struct leak *l = a->leak;

	if (l->path_count) {
		add_files(l, out);
		return;
	}
	buf_addf(out, "tracefind profile --service %s --type %s", l->service,
		 leak_leading(l)->what == LEAK_MEMORY ? "inuse" : "goroutine");
	buf_add_str(out, a->servers);
}

static void write_next(struct page *p, const struct leak_answer *a)
{
	struct buf line;

	if (!a->servers.ptr)
		return;
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	add_next(a, &line);
	if (line.state == BUF_OK)
		markdown_next(p, buf_str(&line), true);
	buf_release(&line);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct leak_answer *a = answer;
	const struct leak *l = a->leak;
	const struct leak_subject *s = leak_leading(l);
	struct page p;

	page_begin(&p, style, out);
	if (s->is_leak)
		write_leak(&p, l, s);
	else
		write_none(&p, l, s);
	out_char(out, '\n');
	write_subject(&p, l, s);
	if (!l->subjects[LEAK_THREADS].is_leak || s->what == LEAK_THREADS)
		for (int i = 0; i < LEAK_WHATS; i++)
			write_other(&p, a, &l->subjects[i]);
	write_functions(&p, a, s);
	if (l->subjects[LEAK_THREADS].is_leak && s->what != LEAK_THREADS)
		write_other(&p, a, &l->subjects[LEAK_THREADS]);
	if (!style->is_quiet) {
		out_char(out, '\n');
		page_notes(&p, a->notes, STR(""));
		write_next(&p, a);
	}
	page_end(&p);
}

static void write_csv_life(const struct leak_subject *s,
			   const struct leak_segment *life, struct out *out)
{
	for (size_t i = 0; i < GROWTH_BLOCKS; i++) {
		struct time_range block = leak_block(life, i);
		char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

		format_rfc3339(block.from_ns, from);
		format_rfc3339(block.to_ns, to);
		outf(out, "%s,", leak_subject_word(s));
		escape_csv(out, life->instance);
		outf(out, ",%s,%s,%.1f,", from, to, life->growth.values[i]);
		if (life->growth.has_load)
			outf(out, "%.6g", life->growth.load[i]);
		out_char(out, '\n');
	}
}

/* The blocks that are judged, a row each. */
static void write_csv(const void *answer, struct out *out)
{
	const struct leak *l = ((const struct leak_answer *)answer)->leak;

	out_text(out, "what,instance,from,to,held,load\n");
	for (int i = 0; i < LEAK_WHATS; i++)
		for (size_t k = 0; k < l->subjects[i].segment_count; k++)
			write_csv_life(&l->subjects[i],
				       &l->subjects[i].segments[k], out);
}

const struct answer_writer leak_writer = {
	.table = write_table,
	.json = leak_write_json,
	.csv = write_csv,
	.html = leak_write_html,
};
