/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "render/json_parts.h"
#include "render/markdown.h"
#include "render/page.h"
#include "report/search_text.h"

static const unsigned shown_permilles[] = { 500, 900, 950, 990 };

#define SHOWN_QUANTILES (sizeof shown_permilles / sizeof *shown_permilles)

/* ---- for people ---- */

#define TOOK_COLUMNS 9
#define CLOCK_COLUMNS 10
#define DATE_COLUMNS 21
#define ID_COLUMNS 34
/* What an operation begins at that does not fit beside its id: both are
 * needed whole. */
#define BELOW_COLUMNS 10
/* Left for the operation; below it the id, which cannot be cut, goes. */
#define NAME_MIN_COLUMNS 16
/* From here on there is room for all. */
#define WIDE_COLUMNS 120
#define BAR_COLUMNS 40

struct layout {
	bool has_date;
	bool has_id;
	bool has_root;    /* beside the span that matched */
	bool has_service; /* of that span */
	int64_t zone_ns;  /* the time whose zone all starts are told in */
	size_t start_columns;
	size_t name_columns; /* 0: as long as they are */
};

static struct layout layout_make(const struct trace_search *s,
				 const struct page *p)
{
	const struct time_range *range = &s->query.range;
	bool is_wide = p->width == 0 || p->width >= WIDE_COLUMNS;
	struct layout l = { .has_id = true,
			    .has_root = is_wide,
			    .zone_ns = range->to_ns };
	size_t used;

	l.has_service = is_wide || !s->query.service.len;
	l.has_date = is_wide || range->to_ns - range->from_ns > NS_PER_DAY;
	l.start_columns = l.has_date ? DATE_COLUMNS : CLOCK_COLUMNS;
	used = TOOK_COLUMNS + l.start_columns;
	if (p->width)
		l.has_id = p->width >= used + ID_COLUMNS + NAME_MIN_COLUMNS;
	if (l.has_id)
		used += ID_COLUMNS;
	l.name_columns = p->width > used ? p->width - used : 0;
	return l;
}

/* What the trace is about: its root, and the span that matched when it is
 * another one; where there is room for one, that span. */
static void add_subject(const struct hit *hit, const struct layout *l,
			struct buf *out)
{
	bool is_same = str_equal(hit->service, hit->root_service) &&
		       str_equal(hit->name, hit->root_name);
	bool has_span = !is_same && hit->name.len;
	bool has_root = (l->has_root || !has_span) &&
			(hit->root_service.len || hit->root_name.len);

	if (has_root)
		buf_addf(out, "%.*s %.*s", STR_ARGS(hit->root_service),
			 STR_ARGS(hit->root_name));
	if (has_root && has_span)
		buf_add_text(out, " > ");
	if (has_span && l->has_service)
		buf_addf(out, "%.*s ", STR_ARGS(hit->service));
	if (has_span)
		buf_add_str(out, hit->name);
}

static void write_hit(const struct hit *hit, const struct layout *l,
		      struct page *p)
{
	char took[24], when[DATE_COLUMNS + 1], id[33];
	struct page_time start;
	struct buf subject;

	format_duration(hit->duration_ns, took);
	page_time(p, hit->start_ns, l->zone_ns, &start);
	trace_id_format(&hit->id, id);
	snprintf(when, sizeof when, "%s%s%.8s", l->has_date ? start.date : "",
		 l->has_date ? " " : "", start.clock);
	page_field(p, hit->error_count ? PAINT_BAD : PAINT_BOLD, ALIGN_RIGHT,
		   TOOK_COLUMNS - 1, took);
	out_char(p->out, ' ');
	page_field(p, PAINT_DIM, ALIGN_LEFT, l->start_columns, when);
	if (l->has_id)
		page_field(p, PAINT_NONE, ALIGN_LEFT, ID_COLUMNS, id);
	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	add_subject(hit, l, &subject);
	if (hit->error_count)
		buf_add_text(&subject, " (failed)");
	if (l->name_columns && l->has_id &&
	    page_columns(p, buf_str(&subject), 0) > l->name_columns) {
		out_char(p->out, '\n');
		out_repeat(p->out, " ", BELOW_COLUMNS);
		page_cell(p, PAINT_NONE, buf_str(&subject),
			  p->width - BELOW_COLUMNS, 0);
	} else {
		page_cell(p, PAINT_NONE, buf_str(&subject), l->name_columns, 0);
	}
	buf_release(&subject);
	out_char(p->out, '\n');
}

static void write_hits(const struct trace_search *s, struct page *p)
{
	struct layout l = layout_make(s, p);
	char start[sizeof "start (+01:00)"];
	const char *subject = "root";
	struct page_time last;

	page_time(p, l.zone_ns, l.zone_ns, &last);
	snprintf(start, sizeof start, l.has_date ? "start (%s)" : "%s",
		 last.zone);
	if (find_is_by_span(&s->query))
		subject = l.has_root ? "root > span that took it" : "span";
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, TOOK_COLUMNS - 1, "took");
	out_char(p->out, ' ');
	page_field(p, PAINT_BOLD, ALIGN_LEFT, l.start_columns, start);
	if (l.has_id)
		page_field(p, PAINT_BOLD, ALIGN_LEFT, ID_COLUMNS, "trace");
	page_paint(p, PAINT_BOLD, subject);
	out_char(p->out, '\n');
	for (size_t i = 0; i < s->count; i++)
		write_hit(&s->items[i], &l, p);
}

/* In as many cells as it fills, so that no blanks follow it. */
static void write_bar(size_t count, size_t largest, struct page *p)
{
	size_t room = p->width > WIDE_COLUMNS ? 2 * BAR_COLUMNS : BAR_COLUMNS;
	/* ASCII has no parts of a cell. */
	size_t part = p->style.use_unicode ? largest - 1 : largest / 2;
	size_t cells = (count * room + part) / largest;

	if (count && cells == 0)
		cells = 1;
	if (count)
		page_bar(p, PAINT_MARK,
			 (double)count * (double)room /
				 ((double)largest * (double)cells),
			 cells);
}

static void write_row(const struct histogram *h, size_t i, struct page *p)
{
	char low[24], high[24], count[COUNT_TEXT_BYTES];

	format_duration(h->edges_ns[i], low);
	format_duration(h->edges_ns[i + 1], high);
	format_count((int64_t)h->counts[i], count);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, 9, low);
	page_paint(p, PAINT_NONE, p->style.use_unicode ? " – " : " - ");
	page_field(p, PAINT_NONE, ALIGN_LEFT, 9, high);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, 7, count);
	if (h->counts[i])
		out_text(p->out, "  ");
	write_bar(h->counts[i], h->largest, p);
	out_char(p->out, '\n');
}

static void write_quantiles(const struct trace_search *s, struct page *p)
{
	int64_t longest_ns = s->durations_ns[s->duration_count - 1];
	char took[24];
	struct buf basis;

	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	search_text_add_basis(s, &basis);
	page_textf(p, "%s:", buf_text(&basis));
	buf_release(&basis);
	for (size_t i = 0; i < SHOWN_QUANTILES; i++) {
		format_duration(trace_search_quantile(s, shown_permilles[i]),
				took);
		page_textf(p, " p%u", shown_permilles[i] / 10);
		page_text(p, s->buckets.total ? " ~" : " ");
		page_number(p, took);
	}
	if (s->buckets.total && s->items[0].duration_ns > longest_ns)
		longest_ns = s->items[0].duration_ns;
	format_duration(longest_ns, took);
	page_text(p, " longest ");
	page_number(p, took);
	page_flush(p, PAINT_NONE, "", 0);
}

static void histogram_fill(const struct trace_search *s, struct histogram *h)
{
	if (s->buckets.total)
		buckets_histogram(&s->buckets, h);
	else
		histogram_build(s->durations_ns, s->duration_count, h);
}

static void write_distribution(const struct trace_search *s, struct page *p)
{
	struct histogram h;

	histogram_fill(s, &h);
	out_char(p->out, '\n');
	write_quantiles(s, p);
	if (p->style.is_markdown)
		return;
	for (size_t i = 0; i < h.row_count; i++)
		write_row(&h, i, p);
}

/* One that failed says so in its last cell. */
static void markdown_hits(const struct trace_search *s, struct page *p)
{
	static const char *const names[] = { "took", "start", "trace",
					     "root", "span",  "failed" };
	char text[TIME_RFC3339_BYTES], id[33];

	markdown_head(p, names, 6, 1);
	for (size_t i = 0; i < s->count; i++) {
		const struct hit *hit = &s->items[i];

		format_duration(hit->duration_ns, text);
		markdown_cell(p, text);
		format_rfc3339(hit->start_ns, text);
		markdown_cell(p, text);
		trace_id_format(&hit->id, id);
		markdown_name_cell(p, str_from(id));
		markdown_pair_cell(p, hit->root_service, hit->root_name);
		markdown_pair_cell(p, hit->service, hit->name);
		markdown_cell(p, hit->error_count ? "yes" : "");
		markdown_row_end(p);
	}
	out_char(p->out, '\n');
}

static void write_next(const struct search_answer *a, struct page *p)
{
	struct buf command;
	char id[33];

	if (!a->servers.ptr)
		return;
	trace_id_format(&a->search->items[0].id, id);
	buf_init(&command, LIMIT_OPTION_VALUE_BYTES);
	buf_addf(&command, "tracefind slow %s", id);
	buf_add_str(&command, a->servers);
	if (command.state == BUF_OK)
		markdown_next(p, buf_str(&command), true);
	buf_release(&command);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct search_answer *a = answer;
	const struct trace_search *s = a->search;
	struct page p;

	page_begin(&p, style, out);
	if (style->is_markdown)
		markdown_hits(s, &p);
	else
		write_hits(s, &p);
	if (s->fitting_count > s->count) {
		/* A full answer does not tell how many there are. */
		page_textf(&p, "and %s%zu more (-n 0 for all)",
			   s->is_first_sample ? "at least " : "",
			   s->fitting_count - s->count);
		page_flush(&p, PAINT_NONE, "", 0);
	}
	if (s->duration_count)
		write_distribution(s, &p);
	if (!style->is_quiet) {
		out_char(out, '\n');
		page_notes(&p, &a->result->notes, STR(""));
		write_next(a, &p);
	}
	page_end(&p);
}

/* ---- for programs ---- */

static void write_ids(const void *answer, struct out *out)
{
	const struct search_answer *a = answer;
	char id[33];

	for (size_t i = 0; i < a->search->count; i++) {
		trace_id_format(&a->search->items[i].id, id);
		outf(out, "%s\n", id);
	}
}

static void write_csv(const void *answer, struct out *out)
{
	const struct search_answer *a = answer;
	char id[33], start[TIME_RFC3339_BYTES];

	out_text(out, "trace_id,start,duration_ns,trace_duration_ns,spans,"
		      "errors,root_service,root_name,service,name\n");
	for (size_t i = 0; i < a->search->count; i++) {
		const struct hit *hit = &a->search->items[i];

		trace_id_format(&hit->id, id);
		format_rfc3339(hit->start_ns, start);
		outf(out, "%s,%s,%lld,%lld,", id, start,
		     (long long)hit->duration_ns, (long long)hit->trace_ns);
		if (hit->span_count)
			outf(out, "%u,%u", hit->span_count, hit->error_count);
		else
			out_char(out, ',');
		out_char(out, ',');
		escape_csv(out, hit->root_service);
		out_char(out, ',');
		escape_csv(out, hit->root_name);
		out_char(out, ',');
		escape_csv(out, hit->service);
		out_char(out, ',');
		escape_csv(out, hit->name);
		out_char(out, '\n');
	}
}

static void json_hit(struct jsonw *w, const struct hit *hit)
{
	char id[33];

	trace_id_format(&hit->id, id);
	jsonw_object(w);
	jsonw_pair_text(w, "id", id);
	jsonw_pair_time(w, "start", hit->start_ns);
	jsonw_pair_i64(w, "duration_ns", hit->duration_ns);
	jsonw_pair_i64(w, "trace_duration_ns", hit->trace_ns);
	jsonw_pair_known_str(w, "root_service", hit->root_service);
	jsonw_pair_known_str(w, "root_name", hit->root_name);
	jsonw_pair_known_str(w, "service", hit->service);
	jsonw_pair_known_str(w, "name", hit->name);
	jsonw_pair_known(w, "spans",
			 hit->span_count ? (int64_t)hit->span_count : -1);
	jsonw_pair_known(w, "errors",
			 hit->span_count ? (int64_t)hit->error_count : -1);
	jsonw_object_end(w);
}

static void json_histogram(struct jsonw *w, const struct trace_search *s)
{
	struct histogram h = { .row_count = 0 };

	if (s->duration_count)
		histogram_fill(s, &h);
	jsonw_key(w, "histogram");
	jsonw_array(w);
	for (size_t i = 0; i < h.row_count; i++) {
		jsonw_object(w);
		jsonw_pair_i64(w, "from_ns", h.edges_ns[i]);
		jsonw_pair_i64(w, "to_ns", h.edges_ns[i + 1]);
		jsonw_pair_i64(w, "count", (int64_t)h.counts[i]);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static const char *durations_source(const struct trace_search *s)
{
	if (s->buckets.total)
		return "metrics";
	return s->is_first_sample ? "sample" : "traces";
}

static void json_durations(struct jsonw *w, const struct trace_search *s)
{
	static const char *const keys[] = { "p50_ns", "p90_ns", "p95_ns",
					    "p99_ns" };

	jsonw_key(w, "durations");
	jsonw_object(w);
	jsonw_pair_i64(w, "count",
		       s->buckets.total ? s->buckets.total
					: (int64_t)s->duration_count);
	jsonw_pair_bool(w, "is_sample",
			s->is_first_sample && !s->buckets.total);
	for (size_t i = 0; i < SHOWN_QUANTILES; i++)
		jsonw_pair_known(
			w, keys[i],
			s->duration_count
				? trace_search_quantile(s, shown_permilles[i])
				: -1);
	json_histogram(w, s);
	jsonw_pair_text(w, "source", durations_source(s));
	jsonw_object_end(w);
}

static void json_asked(struct jsonw *w, const struct search_answer *a)
{
	const struct find_query *q = &a->search->query;

	jsonw_key(w, "search");
	jsonw_object(w);
	jsonw_pair_str(w, "source", a->source);
	jsonw_pair_known_str(w, "service", q->service);
	jsonw_pair_known_str(w, "name", q->name);
	jsonw_pair_known_str(w, "query", q->traceql);
	jsonw_pair_bool(w, "errors", q->is_error);
	jsonw_pair_time(w, "from", q->range.from_ns);
	jsonw_pair_time(w, "to", q->range.to_ns);
	jsonw_pair_i64(w, "min_duration_ns", a->min_duration_ns);
	jsonw_pair_text(w, "above", a->above);
	jsonw_pair_known(w, "above_ns", a->above ? a->search->above_ns : -1);
	jsonw_pair_i64(w, "found", (int64_t)a->search->fitting_count);
	jsonw_pair_bool(w, "is_sample", a->search->is_sample);
	jsonw_pair_i64(w, "hidden", (int64_t)a->search->hidden_count);
	jsonw_object_end(w);
}

static void write_json(const void *answer, struct out *out)
{
	const struct search_answer *a = answer;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "search");
	json_asked(&w, a);
	json_durations(&w, a->search);
	jsonw_key(&w, "traces");
	jsonw_array(&w);
	for (size_t i = 0; i < a->search->count; i++)
		json_hit(&w, &a->search->items[i]);
	jsonw_array_end(&w);
	json_notes(&w, "notes", &a->result->notes);
	json_requests(&w, a->result);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

const struct answer_writer search_writer = { write_table, write_json, write_csv,
					     write_ids };
