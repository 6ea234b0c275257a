/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <stdio.h>

#include "backend/source.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "investigate/leak.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "report/chart.h"
#include "report/documents.h"

/* "levels off" for people, "levels_off" for programs. */
static const char *leak_kind_word(enum growth_kind kind)
{
	static const char *const words[] = {
		[GROWTH_NONE] = "noise",
		[GROWTH_SMALL] = "little",
		[GROWTH_UNEVEN] = "uneven",
		[GROWTH_LEVELS_OFF] = "levels off",
		[GROWTH_WITH_LOAD] = "with load",
		[GROWTH_ENDLESS] = "grows",
	};

	return words[kind];
}

static const char *leak_kind_name(enum growth_kind kind)
{
	static const char *const names[] = {
		[GROWTH_NONE] = "noise",
		[GROWTH_SMALL] = "small",
		[GROWTH_UNEVEN] = "uneven",
		[GROWTH_LEVELS_OFF] = "levels_off",
		[GROWTH_WITH_LOAD] = "with_load",
		[GROWTH_ENDLESS] = "endless",
	};

	return names[kind];
}

/* "memory", "objects", "goroutines"; "threads" for those who have none. */
static const char *leak_subject_word(const struct leak_subject *s)
{
	if (s->what == LEAK_MEMORY)
		return "memory";
	if (str_find(s->type_id, STR("objects")) != SIZE_MAX)
		return "objects";
	return str_find(s->type_id, STR("goroutine")) != SIZE_MAX ? "goroutines"
								  : "threads";
}

/* "40.1 MiB", "212"; and of tables in MiB, or their number. */
static void leak_format_held(const struct leak_subject *s, double value,
			     char out[UNIT_TEXT_BYTES])
{
	if (s->what == LEAK_MEMORY)
		format_size(sat_round_f64(value), out);
	else
		snprintf(out, UNIT_TEXT_BYTES, "%.0f", value);
}

static void leak_format_number(const struct leak_subject *s, double value,
			       bool has_sign, char out[UNIT_TEXT_BYTES])
{
	snprintf(out, UNIT_TEXT_BYTES, has_sign ? "%+.*f" : "%.*f",
		 s->what == LEAK_MEMORY ? 1 : 0,
		 s->what == LEAK_MEMORY ? value / MIB : value);
}

/* A leak's function; NULL: none is one. */
static const struct leak_function *leak_function_of(
	const struct leak_subject *s)
{
	for (size_t i = 0; i < s->function_count; i++)
		if (s->functions[i].found.growth.kind == GROWTH_ENDLESS)
			return &s->functions[i];
	return NULL;
}

/* Returns the subject of the first line: a leak, else memory, else what there
 * is. */
static const struct leak_subject *leak_leading(const struct leak *l)
{
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].is_leak)
			return &l->subjects[i];
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].segment_count)
			return &l->subjects[i];
	return &l->subjects[0];
}

/* ---- nothing to judge ---- */

static bool explain_types(const struct leak *l, struct error *err)
{
	const char *type = l->v->question->type;
	struct buf list;

	if (type)
		return error_set(
			err, ERROR_NOT_FOUND,
			"--type %s counts allocations or waits, not what stays "
			"in use: use inuse, inuse_objects, goroutine or "
			"goroutineleak",
			type);
	if (l->path_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s no memory in use and no goroutines: leak "
				 "needs heap profiles, not CPU or allocations",
				 l->path_count == 1 ? "the file holds"
						    : "the files hold");
	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < l->found.types.count && list.len < 300; i++) {
		struct str word = profile_type_word(l->found.types.items[i],
						    &l->found.types);

		if (word.len)
			buf_addf(&list, "%s%.*s", list.len ? ", " : "",
				 STR_ARGS(word));
	}
	error_set(err, ERROR_NOT_FOUND,
		  "\"%s\" sends no profiles of memory in use or goroutines "
		  "(inuse, goroutine), only %s: allocations do not show what "
		  "stays in use; tracefind types --guide shows how to enable "
		  "them",
		  l->service, list.len ? buf_text(&list) : "others");
	buf_release(&list);
	return false;
}

static bool explain_odd(const struct leak *l, struct error *err)
{
	struct str own = l->odd_type;
	enum leak_what what =
		str_ends(own, STR("/bytes")) ? LEAK_MEMORY : LEAK_THREADS;

	if (!own.ptr)
		return error_set(
			err, ERROR_FORMAT,
			"%s has no timestamp: leak needs profiles with "
			"timestamps, such as pprof files",
			l->odd->path);
	return error_set(err, ERROR_FORMAT,
			 "%s holds %.*s, others %.*s: choose a common type "
			 "with --type",
			 l->odd->path, STR_ARGS(own),
			 STR_ARGS(l->subjects[what].type_id));
}

bool leak_explain(const struct leak *l, struct error *err)
{
	int64_t longest_ns = 0;
	char lived[24], least[24];

	if (err->message[0])
		return false;
	if (l->odd)
		return explain_odd(l, err);
	if (err->code != ERROR_NOT_FOUND)
		return false;
	if (leak_lack(l) == LEAK_NO_TYPE)
		return explain_types(l, err);
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].longest_ns > longest_ns)
			longest_ns = l->subjects[i].longest_ns;
	format_duration(longest_ns, lived);
	format_duration(LEAK_LEAST_NS, least);
	if (l->path_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "not enough data: the files of one process "
				 "cover at most %s; %s and at least two files "
				 "in each of %u intervals are needed",
				 longest_ns ? lived : "nothing", least,
				 GROWTH_BLOCKS);
	return error_set(err, ERROR_NOT_FOUND,
			 "not enough data: the longest time for which an "
			 "instance of \"%s\" sent profiles in this window is "
			 "%s, without its warm-up; uploads in each of %u "
			 "intervals and %s in total are needed (--since %s)",
			 l->service, longest_ns ? lived : "nothing",
			 GROWTH_BLOCKS, least, "6h");
}

/* A page of its own: what each instance held over time, and the report below
 * it. */

/* Lives drawn, the longest: more lines hide each other. */
#define LINES 12u
/* Points of a line across the window: one for two pixels of the drawing. */
#define POINTS 440u
/* A line is broken where so many times its usual distance there is no
 * point. */
#define GAP_POINTS 8
/* A limit further up than so many times all else would flatten it. */
#define LIMIT_ROOM 3

struct lines {
	const struct leak *l;
	const struct leak_subject *s;
	size_t count;
	unsigned colors[LINES]; /* the lives of an instance have one */
	struct chart chart;
};

static void choose_colors(struct lines *d)
{
	unsigned next = 0;

	for (size_t i = 0; i < d->count; i++) {
		size_t same = 0;

		while (same < i && !str_equal(d->s->segments[same].instance,
					      d->s->segments[i].instance))
			same++;
		d->colors[i] = same < i ? d->colors[same] : next++;
	}
}

/* ---- points ---- */

/* Means of the steps that share a point. */
struct point {
	size_t index;
	int64_t time_ns; /* of the last of them */
	double sum;
	size_t count;
};

/* The next point of a life behind step *at; false: there is none. */
static bool next_point(const struct lines *d, const struct leak_segment *life,
		       size_t *at, struct point *p)
{
	int64_t step_ns = d->l->step_ms * NS_PER_MS;

	p->count = 0;
	p->sum = 0;
	for (; *at < d->l->step_count; ++*at) {
		int64_t time_ns = d->l->window.from_ns + step_ns * (int64_t)*at;
		size_t index = *at * POINTS / d->l->step_count;

		if (!time_range_has(life->range, time_ns) ||
		    !(life->steps[*at] > 0))
			continue;
		if (p->count && index != p->index)
			break;
		p->index = index;
		p->time_ns = time_ns;
		p->sum += life->steps[*at];
		p->count++;
	}
	return p->count > 0;
}

static double level_of(const struct leak_segment *life, const struct point *p)
{
	return p->sum / (double)p->count / life->per_point;
}

static double find_top(const struct lines *d)
{
	double most = 0, limit = d->l->limit_bytes;
	struct point p;

	for (size_t i = 0; i < d->count; i++) {
		const struct leak_segment *life = &d->s->segments[i];

		for (size_t at = 0; next_point(d, life, &at, &p);)
			most = fmax(most, level_of(life, &p));
	}
	if (d->s->what == LEAK_MEMORY && limit < LIMIT_ROOM * most)
		most = fmax(most, limit);
	/* Two of what is counted, so that a scale has numbers. */
	return fmax(most * 1.1, 2);
}

/* ---- drawing ---- */

static void draw_life(struct lines *d, size_t index)
{
	const struct leak_segment *life = &d->s->segments[index];
	int64_t gap_ns = (life->range.to_ns - life->range.from_ns) /
			 (int64_t)life->points * GAP_POINTS;
	int64_t last_ns = 0;
	struct chart *c = &d->chart;
	char attributes[48];
	struct point p;

	snprintf(attributes, sizeof attributes,
		 "class=\"k%u\" stroke=\"var(--k)\"", d->colors[index]);
	chart_path_begin(c, attributes);
	for (size_t at = 0; next_point(d, life, &at, &p);) {
		if (p.time_ns - last_ns > gap_ns)
			chart_path_gap(c);
		chart_path_point(c, p.time_ns, level_of(life, &p));
		last_ns = p.time_ns;
	}
	chart_path_end(c);
}

/* Which colour is whose. */
static void write_legend(const struct lines *d)
{
	struct out *out = d->chart.out;
	unsigned next = 0;

	out_text(out, "<p class=\"hint\">");
	for (size_t i = 0; i < d->count; i++) {
		struct str name = d->s->segments[i].instance;

		if (d->colors[i] != next)
			continue;
		out_text(out, next ? ",\n" : "");
		outf(out,
		     "<svg class=\"k%u\" width=\"12\" height=\"12\">"
		     "<rect fill=\"var(--k)\" width=\"10\" height=\"10\"/>"
		     "</svg>",
		     next++);
		escape_xml(out, name.len ? name : STR("all instances"));
	}
	if (d->s->segment_count > d->count)
		outf(out, "; the longest %zu process lifetimes of "
			  "%zu", d->count,
		     d->s->segment_count);
	if (d->s->total.kind == GROWTH_ENDLESS)
		out_text(out, "; dashed: the slope of all process lifetimes");
	out_text(out, "</p>\n</section>\n");
}

static void write_chart(const struct leak *l, const struct leak_subject *s,
			struct out *out)
{
	struct lines d = { .l = l,
			   .s = s,
			   .count = min_size(s->segment_count, LINES),
			   .chart = { .out = out, .range = l->window } };
	char text[UNIT_TEXT_BYTES];

	if (!d.count)
		return;
	choose_colors(&d);
	d.chart.top = find_top(&d);
	outf(out, "<section>\n<h2>%s per instance</h2>\n",
	     s->what == LEAK_MEMORY ? "memory in use" : leak_subject_word(s));
	chart_begin(&d.chart, "what each instance holds over time, UTC");
	for (int i = 0; i <= 2; i++) {
		double level = d.chart.top * i / 2;

		leak_format_held(s, level, text);
		chart_level_label(&d.chart, level, str_from(text));
	}
	if (s->what == LEAK_MEMORY && l->limit_bytes > 0 &&
	    l->limit_bytes <= d.chart.top) {
		chart_mark(&d.chart, l->window, l->limit_bytes, l->limit_bytes);
		chart_text(&d.chart, CHART_WIDTH,
			   chart_y(&d.chart, l->limit_bytes) - 4, "end",
			   STR("limit"));
	}
	for (size_t i = 0; i < d.count; i++)
		draw_life(&d, i);
	/* The slope that was found, through the middle of each life. */
	for (size_t i = 0; s->total.kind == GROWTH_ENDLESS && i < d.count;
	     i++) {
		const struct leak_segment *life = &s->segments[i];
		double hours = time_range_seconds(life->range) / 3600;
		double rise = s->total.per_hour * hours, middle = 0;

		for (size_t k = 0; k < GROWTH_BLOCKS; k++)
			middle += life->growth.values[k] / GROWTH_BLOCKS;
		chart_mark(&d.chart, life->range, middle - rise / 2,
			   middle + rise / 2);
	}
	chart_end(&d.chart);
	write_legend(&d);
}

static void leak_write_html(const void *answer, struct out *out)
{
	const struct leak_answer *a = answer;
	const struct leak *l = a->leak;
	const struct leak_subject *first = leak_leading(l);

	chart_page_begin(out, "leak: ", str_from(l->service));
	write_chart(l, first, out);
	for (int i = 0; i < LEAK_WHATS; i++)
		if (&l->subjects[i] != first)
			write_chart(l, &l->subjects[i], out);
	chart_page_end(out, &leak_writer, a);
}

static void json_growth(struct jsonw *w, const struct growth *g)
{
	jsonw_addf(w,
		   "verdict:%s, start:%.1f, end:%.1f, per_hour:%.1f, "
		   "per_hour_low:%.1f, per_hour_high:%.1f, q:%.6f",
		   leak_kind_name(g->kind), g->start, g->end, g->per_hour,
		   g->low, g->high, g->q);
}

static void json_subject(struct jsonw *w, const char *key,
			 const struct leak_subject *s)
{
	if (!jsonw_key_known(w, key, s->segment_count))
		return;
	jsonw_addf(w, "{type:%.*s, leak:%i", STR_WHOLE(s->type_id), s->is_leak);
	json_growth(w, &s->total);
	jsonw_addf(w,
		   "instances:%zu, lives:%zu, lives_growing:%zu, "
		   "lives_too_short:%zu, restarts:%zu, load_growth:%.4f, "
		   "functions:[",
		   s->instance_count, s->total.segment_count, s->total.rising,
		   s->short_count, s->restarts, s->total.load_growth);
	for (size_t i = 0; i < s->function_count; i++) {
		const struct leak_function *f = &s->functions[i];

		jsonw_addf(w, "{name:%.*s, file:%-.*s, line:%-u",
			   STR_WHOLE(f->found.name), STR_WHOLE(f->found.file),
			   f->found.line);
		json_growth(w, &f->found.growth);
		jsonw_addf(w,
			   "path:%-.*s, bytes_each:%.1f, "
			   "allocated_per_hour:%.0f}",
			   STR_WHOLE(f->found.path),
			   f->bytes_each > 0 ? f->bytes_each : NAN,
			   f->allocated_hour > 0 ? f->allocated_hour : NAN);
	}
	jsonw_addf(w, "]}");
}

static void leak_write_json(const void *answer, struct out *out)
{
	const struct leak_answer *a = answer;
	const struct leak *l = a->leak;
	double left = leak_seconds_left(l);
	struct jsonw w;

	json_begin(&w, out, "leak");
	jsonw_addf(&w, "service:%s, from:%+jd, to:%+jd, leak:%i",
		   l->path_count ? NULL : l->service, l->window.from_ns,
		   l->window.to_ns, leak_is_one(l));
	jsonw_addf(&w,
		   "limit_bytes:%-jd, memory_bytes:%-jd, hours_left:%-.2f, "
		   "load:%s",
		   l->limit_bytes > 0 ? sat_round_f64(l->limit_bytes) : -1,
		   l->memory_bytes > 0 ? sat_round_f64(l->memory_bytes) : -1,
		   left / 3600,
		   !l->has_load       ? NULL
		   : l->load_type.ptr ? "cpu"
				      : "requests");
	json_subject(&w, "memory", &l->subjects[LEAK_MEMORY]);
	json_subject(&w, "goroutines", &l->subjects[LEAK_THREADS]);
	json_end(&w, a->notes);
}

#define LABEL_COLUMNS 14u
#define VALUE_COLUMNS 9u
#define CHANGE_COLUMNS 10u
#define INTERVAL_COLUMNS 20u
#define KIND_COLUMNS 12u
/* The columns in front of the function of a row. */
#define ROW_COLUMNS                                                            \
	(2 * VALUE_COLUMNS + CHANGE_COLUMNS + INTERVAL_COLUMNS + KIND_COLUMNS)
#define NAME_MIN_COLUMNS 20u

static void write_label(struct page *p, const struct leak_subject *s)
{
	char label[16];

	snprintf(label, sizeof label, "  %s", leak_subject_word(s));
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static double growth_factor(const struct growth *g)
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
	page_textf(p, "%s%s per hour (%s to %s)", rate,
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
	const struct leak_function *f = leak_function_of(s);

	page_name(p, str_from(l->service), 0);
	page_textf(p, " leaks %s: ", leak_subject_word(s));
	/* Of its function when the process as a whole is too restless. */
	add_rate(p, s,
		 s->total.kind != GROWTH_ENDLESS && f ? &f->found.growth
						      : &s->total);
	page_text(p, s->total.segment_count > 1 ? " in each instance" : "");
	if (s->what == LEAK_MEMORY)
		add_time_left(p, l);
	page_flush(p, PAINT_BOLD, "", 0);
}

static void write_none(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	const struct growth *g = &s->total;
	char change[UNIT_TEXT_BYTES], load[UNIT_TEXT_BYTES];

	leak_format_held(s, fabs(growth_factor(g)), change);
	page_name(p, str_from(l->service), 0);
	page_text(p, " does not leak: ");
	switch (g->kind) {
	case GROWTH_SMALL:
		page_textf(p, "its %s grew by %s, which is negligible",
			   leak_subject_word(s), change);
		break;
	case GROWTH_UNEVEN:
		page_textf(p, "its %s grew by %s, but ", leak_subject_word(s),
			   change);
		/* Which of the two failed. */
		if (g->rising < g->segment_count)
			page_textf(p, "only in %zu of %zu%s", g->rising,
				   g->segment_count,
				   s->restarts ? " process lifetimes"
					       : " instances");
		else
			page_text(p, "not all the time");
		break;
	case GROWTH_LEVELS_OFF:
		page_textf(p,
			   "its %s grew by %s and levels off, like a cache "
			   "that fills",
			   leak_subject_word(s), change);
		break;
	case GROWTH_WITH_LOAD:
		format_percent(g->start > 0 ? growth_factor(g) / g->start : NAN,
			       change);
		format_percent(g->load_growth, load);
		page_textf(p,
			   "its %s grew no more than its load: by %s, its load "
			   "by %s",
			   leak_subject_word(s), change, load);
		break;
	default:
		page_textf(p, "its %s did not grow beyond noise",
			   leak_subject_word(s));
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

/* ---- evidence ---- */

static void evidence_flush(struct page *p, const char *label)
{
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static void write_function(struct page *p, const struct leak_subject *s)
{
	const struct leak_function *f = leak_function_of(s);
	char share[UNIT_TEXT_BYTES], each[UNIT_TEXT_BYTES];
	char count[COUNT_TEXT_BYTES];

	if (!f) {
		page_text(p, "no single function grows beyond noise");
		evidence_flush(p, "  function");
		return;
	}
	page_name(p, f->found.name, 0);
	if (f->found.file.ptr) {
		page_text(p, "   ");
		page_place_text(p, f->found.file, f->found.line);
	}
	evidence_flush(p, "  function");
	add_rate(p, s, &f->found.growth);
	if (growth_factor(&s->total) > 0) {
		format_percent(fmin(growth_factor(&f->found.growth) /
					    growth_factor(&s->total),
				    1),
			       share);
		page_textf(p, ", %s of what grew", share);
	}
	if (f->bytes_each > 0) {
		format_size(sat_round_f64(f->bytes_each), each);
		format_count(sat_round_f64(f->found.growth.per_hour /
					   f->bytes_each),
			     count);
		page_textf(p, "; %s per object, %s more per hour", each, count);
	}
	evidence_flush(p, "");
}

static void write_path(struct page *p, const struct leak_function *f)
{
	char made[UNIT_TEXT_BYTES], stays[UNIT_TEXT_BYTES];

	if (f->found.path.ptr) {
		page_foreign(p, f->found.path);
		evidence_flush(p, "  path");
	}
	if (f->allocated_hour > 0) {
		format_size(sat_round_f64(f->allocated_hour), made);
		format_percent(
			fmin(f->found.growth.per_hour / f->allocated_hour, 1),
			stays);
		page_textf(p, "%s per hour there, %s of it stays in "
			      "use", made, stays);
		evidence_flush(p, "  allocates");
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
		   "%s, then %s per instance (first and last third of the "
		   "window)",
		   start, end);
	if (s->what == LEAK_MEMORY && l->memory_bytes > 0) {
		format_size(sat_round_f64(l->memory_bytes), more);
		page_textf(p, "; the largest process has %s now", more);
	}
	if (s->what == LEAK_MEMORY && l->limit_bytes > 0) {
		format_size(sat_round_f64(l->limit_bytes), more);
		page_textf(p,
			   l->is_limit_known ? ", its limit is %s"
					     : "; limit %s (--limit-bytes)",
			   more);
	}
	write_label(p, s);
}

static void write_instances(struct page *p, const struct leak_subject *s)
{
	if (s->segments[0].instance.len)
		page_textf(p, "%zu", s->instance_count);
	else
		page_text(p, "not distinguishable");
	if (s->restarts)
		page_textf(p,
			   ", %zu restart%s: each process lifetime is judged "
			   "separately",
			   s->restarts, &"s"[s->restarts == 1]);
	if (s->total.kind != GROWTH_NONE)
		page_textf(p, "; growth in %zu of %zu%s", s->total.rising,
			   s->total.segment_count,
			   s->restarts ? " process lifetimes" : "");
	if (s->short_count)
		page_textf(p, "; %zu too short to judge", s->short_count);
	evidence_flush(p, "  instances");
}

/* Below it there is no telling from noise. */
#define LOAD_STEADY 0.05

static void write_load(struct page *p, const struct leak *l,
		       const struct leak_subject *s)
{
	char share[UNIT_TEXT_BYTES];

	if (!l->has_load) {
		page_text(p, "unknown: no CPU profiles and no request metrics");
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
	evidence_flush(p, "  load");
}

static void write_subject(struct page *p, const struct leak *l,
			  const struct leak_subject *s)
{
	const struct leak_function *f = leak_function_of(s);
	struct time_range first = leak_block(&s->segments[0], 0);
	char block[24];

	if (s->is_leak)
		write_function(p, s);
	if (f)
		write_path(p, f);
	write_held(p, l, s);
	write_instances(p, s);
	write_load(p, l, s);
	format_duration((first.to_ns - first.from_ns + NS_PER_MIN / 2) /
				NS_PER_MIN * NS_PER_MIN,
			block);
	page_window(p, l->window, 0);
	page_textf(p, ", in %u intervals of %s", GROWTH_BLOCKS, block);
	evidence_flush(p, "  window");
}

/* ---- the table ---- */

static void write_row(struct page *p, const struct leak_subject *s,
		      const struct growth_function *f)
{
	const struct growth *g = &f->growth;
	const double values[] = { g->start, g->end, g->per_hour, g->low,
				  g->high };
	char text[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES];
	char interval[2 * UNIT_TEXT_BYTES + 8];

	if (p->style.is_markdown) {
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			leak_format_number(s, values[i], i >= 2, text);
			markdown_cell(p, text);
		}
		markdown_cell(p, leak_kind_word(g->kind));
		markdown_name_cell(p, f->name);
		markdown_place_cell(p, f->file, f->line);
		markdown_row_end(p);
		return;
	}
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
	page_textf(p, "%s per instance, by function%s",
		   s->what == LEAK_MEMORY ? "in use, MiB"
					  : leak_subject_word(s),
		   s->processes > 1 ? ", mean of the instances examined" : "");
	markdown_or_title(p);
	if (p->style.is_markdown) {
		static const char *const names[] = {
			"start", "end",     "per hour",  "95 %, from",
			"to",    "verdict", "function", "file"
		};

		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), 5);
		return;
	}
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, VALUE_COLUMNS, "start");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, VALUE_COLUMNS, "end");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, CHANGE_COLUMNS, "per hour");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, INTERVAL_COLUMNS,
		   "  95 % interval");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, KIND_COLUMNS, "verdict");
	page_paint(p, PAINT_BOLD, "function");
	out_char(p->out, '\n');
}

static void write_functions(struct page *p, const struct leak_answer *a,
			    const struct leak_subject *s)
{
	bool has_change = false;
	size_t shown = 0;

	if (!s->function_count)
		return;
	for (size_t i = 0; i < s->function_count; i++)
		has_change |= s->functions[i].found.growth.kind != GROWTH_NONE;
	out_char(p->out, '\n');
	write_table_head(p, s);
	for (size_t i = 0; i < s->function_count; i++) {
		const struct growth_function *f = &s->functions[i].found;

		/* Rows that tell something; where none does, what holds most
		 * of it. */
		if ((a->limit && shown == a->limit) ||
		    !(has_change ? f->growth.kind != GROWTH_NONE
				 : f->growth.end >= s->total.end / 100))
			continue;
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
	page_textf(p, "%s, then %s per instance: %s", start, end,
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
		if (a->servers.ptr) {
			struct buf line;

			buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
			if (l->path_count) {
				add_files(l, &line);
			} else {
				buf_addf(&line,
					 "tracefind profile --service %s "
					 "--type %s",
					 l->service,
					 s->what == LEAK_MEMORY ? "inuse"
								: "goroutine");
				buf_add_str(&line, a->servers);
			}
			markdown_next_line(&p, &line, true);
		}
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

static void write_google(const void *answer, struct out *out)
{
	google_growth_write(((const struct leak_answer *)answer)->document,
			    out);
}

static void write_prometheus(const void *answer, struct out *out)
{
	prometheus_growth_write(((const struct leak_answer *)answer)->document,
				out);
}

static const struct answer_format alerts[] = {
	{ "google", write_google },
	{ "prometheus", write_prometheus },
	{ NULL, NULL },
};

const struct answer_writer leak_writer = {
	.table = write_table,
	.json = leak_write_json,
	.csv = write_csv,
	.html = leak_write_html,
	.others = alerts,
};
