/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <stdio.h>
#include <string.h>

#include "backend/metrics.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "render/page.h"
#include "report/texts.h"
#include "render/render.h"

/* A search for traces in words: what its durations are of, what its list
 * leaves out, and why nothing was found. Asks nothing. */

void search_text_add_basis(const struct trace_search *s, struct buf *out)
{
	static const char *const nouns[] = {
		[FIND_COUNTS_NONE] = "",
		[FIND_COUNTS_TRACES] = "traces",
		[FIND_COUNTS_REQUESTS] = "requests",
		[FIND_COUNTS_SPANS] = "spans",
	};
	char count[COUNT_TEXT_BYTES];

	if (s->buckets.total) {
		format_count(s->buckets.total, count);
		buf_addf(out, "all %s %s counted by the server", count,
			 nouns[s->counted]);
		return;
	}
	format_count((int64_t)s->duration_count, count);
	buf_addf(out, "%s%s trace%s", s->is_first_sample ? "a sample of " : "",
		 count, &"s"[s->duration_count == 1]);
}

void search_text_add_notes(const struct trace_search *s, struct notes *notes)
{
	char bound[24];

	format_duration(s->bound_ns, bound);
	if (s->held_count)
		notes_add(notes,
			  "the traces that %zu search%s of the case found, "
			  "whatever %s looked for",
			  s->held_count, s->held_count == 1 ? "" : "es",
			  s->held_count == 1 ? "it" : "they");
	if (s->is_first_sample && trace_search_is_sorted(s) && s->rounds > 1)
		notes_add(notes,
			  "the slowest are all listed; the distribution is of "
			  "the newest %zu traces",
			  s->duration_count);
	else if (s->is_first_sample && s->rounds > 1 && !s->is_sample)
		notes_add(notes,
			  "the server returns the first %u matches, so it was "
			  "queried again for %s and longer: the slowest are "
			  "all listed%s",
			  s->query.trace_limit, bound,
			  s->buckets.total ? ""
					   : "; the distribution is of the "
					     "first response");
	else if (s->is_sample && s->bound_ns > 0)
		notes_add(notes,
			  "a sample: at least %u traces took %s or longer, and "
			  "the server returns the first matches; narrow it "
			  "with --since, --name or --min-duration",
			  s->query.trace_limit, bound);
	else if (s->is_sample)
		notes_add(notes,
			  "a sample: the server returned the first %u traces "
			  "and has more; narrow it with --since, --name or "
			  "--min-duration",
			  s->query.trace_limit);
	if (s->buckets.total)
		notes_add(notes, "the distribution is from TraceQL metrics, "
				 "whose buckets double in width: quantiles are "
				 "interpolated");
	if (s->hidden_count)
		notes_add(notes, "%zu health check%s hidden; --all shows %s",
			  s->hidden_count, &"s"[s->hidden_count == 1],
			  s -> hidden_count == 1 ? "it" : "them");
}

/* ": SERVICE NAME" of its root, or of the span that was looked for: callers
 * without spans are no root that a server knows. */
static void add_hit_name(const struct hit *hit, struct buf *out)
{
	bool has_root = hit->root_service.len || hit->root_name.len;
	struct str service = has_root ? hit->root_service : hit->service;
	struct str name = has_root ? hit->root_name : hit->name;

	if (service.len || name.len)
		buf_addf(out, ": %.*s%s%.*s", STR_ARGS(service),
			 service.len && name.len ? " " : "", STR_ARGS(name));
}

/* Chosen by how far it is from its usual, not by how long it took. */
static void add_unusual(const struct trace_search *s, struct notes *notes)
{
	const struct unusual *u = &s->unusual;
	char id[33], took[24], now[24], usual[24];
	struct buf called, as_ever;

	trace_id_format(&u->hit->id, id);
	format_duration(u->hit->duration_ns, took);
	format_duration(u->now_ns, now);
	format_duration(u->usual_ns, usual);
	buf_init(&called, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&as_ever, LIMIT_PAGE_TEXT_BYTES);
	add_hit_name(u->hit, &called);
	if (u->as_ever && u->as_ever->duration_ns > u->now_ns)
		buf_addf(&as_ever, "; longer, but no slower than normal: %.*s "
				   "%.*s",
			 STR_ARGS(u->as_ever->root_service),
			 STR_ARGS(u->as_ever->root_name));
	notes_add(notes,
		  "chose trace %s%s, %s; its p%u is %.1fx the baseline, %s "
		  "instead of %s, over %zu traces%s",
		  id, buf_text(&called), took, u->percent,
		  (double)u->now_ns /
			  (double)(u->usual_ns > 0 ? u->usual_ns : 1),
		  now, usual, u->count, buf_text(&as_ever));
	buf_release(&called);
	buf_release(&as_ever);
}

void search_text_add_choice(const struct trace_search *s,
			    const struct typical_hit *typical,
			    struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24], slow[24];
	struct buf called, basis;

	if (s->unusual.hit) {
		add_unusual(s, notes);
		return;
	}
	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	format_duration(s->above_ns, slow);
	buf_init(&called, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	add_hit_name(hit, &called);
	search_text_add_basis(s, &basis);
	notes_add(notes,
		  "chose trace %s%s, %s, the median of %zu similar ones among "
		  "%zu slow traces (the slowest 5 %% of %s took %s or longer)",
		  id, buf_text(&called), took, typical->group_count,
		  s->fitting_count, buf_text(&basis), slow);
	buf_release(&called);
	buf_release(&basis);
}

void search_text_add_operation(const struct trace_search *s,
			       const struct typical_hit *typical,
			       struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24];
	struct buf basis;

	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	search_text_add_basis(s, &basis);
	notes_add(notes,
		  "chose operation \"%.*s\": trace %s, in which it took %s, is "
		  "typical of the slowest 5 %% of %s; choose another with "
		  "--name (tracefind search --tags name --service %.*s lists "
		  "them)",
		  STR_ARGS(hit->name), id, took, buf_text(&basis),
		  STR_ARGS(s->query.service));
	buf_release(&basis);
}

/* ---- nothing found ---- */

bool search_text_explain(const struct trace_search *s, struct error *err)
{
	const struct time_range *range = &s->query.range;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(range->from_ns, from);
	format_rfc3339(range->to_ns, to);
	if (s->lack.kind == SEARCH_LACKS_NOTHING)
		return false;
	if (s->hidden_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "only health checks found (%zu); --all shows "
				 "them",
				 s->hidden_count);
	if (s->is_sample)
		return error_set(err, ERROR_NOT_FOUND,
				 "no match among the %zu traces that the "
				 "server returned, and it has more between "
				 "%.19sZ and %.19sZ; narrow it with --since, "
				 "--service or --name",
				 s->hits.answer_count, from, to);
	return trace_lack_explain(&s->lack, &s->query, err);
}

static const unsigned shown_permilles[] = { 500, 900, 950, 990 };

#define SHOWN_QUANTILES (sizeof shown_permilles / sizeof *shown_permilles)

/* ---- for people ---- */

#define TOOK_COLUMNS 9
#define CLOCK_COLUMNS 10
#define DATE_COLUMNS 21
#define ID_COLUMNS 34
/* The column of an operation that does not fit beside its id: both are needed
 * whole. */
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

/* The subject of a trace: its root, and the span that matched when it is
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
		subject = l.has_root ? "root > slowest span" : "span";
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
	markdown_next_line(p, &command, true);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct search_answer *a = answer;
	const struct trace_search *s = a->search;
	struct histogram h;
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
	if (s->duration_count) {
		histogram_fill(s, &h);
		out_char(out, '\n');
		write_quantiles(s, &p);
		for (size_t i = 0; !style->is_markdown && i < h.row_count; i++)
			write_row(&h, i, &p);
	}
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
	jsonw_addf(w,
		   "{id:%s, start:%+jd, duration_ns:%jd, "
		   "trace_duration_ns:%jd, root_service:%-.*s",
		   id, hit->start_ns, hit->duration_ns, hit->trace_ns,
		   STR_WHOLE(hit->root_service));
	jsonw_addf(w,
		   "root_name:%-.*s, service:%-.*s, name:%-.*s, spans:%-u, "
		   "errors:%-jd}",
		   STR_WHOLE(hit->root_name), STR_WHOLE(hit->service),
		   STR_WHOLE(hit->name), hit->span_count,
		   hit->span_count ? (int64_t)hit->error_count : -1);
}

static void json_histogram(struct jsonw *w, const struct trace_search *s)
{
	struct histogram h = { .row_count = 0 };

	if (s->duration_count)
		histogram_fill(s, &h);
	jsonw_addf(w, "histogram:[");
	for (size_t i = 0; i < h.row_count; i++) {
		jsonw_addf(w, "{from_ns:%jd, to_ns:%jd, count:%zu}",
			   h.edges_ns[i], h.edges_ns[i + 1], h.counts[i]);
	}
	jsonw_array_end(w);
}

static void json_durations(struct jsonw *w, const struct trace_search *s)
{
	static const char *const keys[] = { "p50_ns", "p90_ns", "p95_ns",
					    "p99_ns" };

	jsonw_addf(w, "durations:{count:%jd, is_sample:%i",
		   s->buckets.total ? s->buckets.total
				    : (int64_t)s->duration_count,
		   s->is_first_sample && !s->buckets.total);
	for (size_t i = 0; i < SHOWN_QUANTILES; i++)
		jsonw_pair_known(
			w, keys[i],
			s->duration_count
				? trace_search_quantile(s, shown_permilles[i])
				: -1);
	json_histogram(w, s);
	jsonw_addf(w, "source:%s}",
		   s->buckets.total     ? "metrics"
		   : s->is_first_sample ? "sample"
					: "traces");
}

static void json_asked(struct jsonw *w, const struct search_answer *a)
{
	const struct find_query *q = &a->search->query;

	jsonw_addf(w,
		   "search:{source:%.*s, service:%-.*s, name:%-.*s, "
		   "query:%-.*s, errors:%i, from:%+jd, to:%+jd",
		   STR_WHOLE(a->source), STR_WHOLE(q->service),
		   STR_WHOLE(q->name), STR_WHOLE(q->traceql), q->is_error,
		   q->range.from_ns, q->range.to_ns);
	jsonw_addf(w,
		   "min_duration_ns:%jd, above:%s, above_ns:%-jd, "
		   "found:%zu, is_sample:%i, hidden:%zu}",
		   a->min_duration_ns, a->above,
		   a->above ? a->search->above_ns : -1,
		   a->search->fitting_count, a->search->is_sample,
		   a->search->hidden_count);
}

static void write_json(const void *answer, struct out *out)
{
	const struct search_answer *a = answer;
	struct jsonw w;

	json_begin(&w, out, "search");
	json_asked(&w, a);
	json_durations(&w, a->search);
	jsonw_addf(&w, "traces:[");
	for (size_t i = 0; i < a->search->count; i++)
		json_hit(&w, &a->search->items[i]);
	jsonw_array_end(&w);
	json_notes(&w, "notes", &a->result->notes);
	json_requests(&w, a->result);
	json_end(&w, NULL);
}

const struct answer_writer search_writer = { write_table, write_json, write_csv,
					     write_ids, .is_list = true };

/* The choice of a trace by the metrics of its service, in words. */

static void format_seconds(double seconds, char out[24])
{
	format_duration(sat_from_f64(seconds * (double)NS_PER_S), out);
}

void exemplar_text_add(const struct exemplar_choice *c, struct notes *notes)
{
	const char *name = c->metrics.sources[METRIC_LATENCY].name->name;
	char took[24], p95[24];

	format_seconds(c->exemplar.value, took);
	format_seconds(c->p95_s, p95);
	if (c->slow_count)
		notes_add(notes,
			  "chose trace %.*s: an exemplar of %s, %s, the median "
			  "of %zu of %zu in or above the bucket of p95 (~%s)",
			  STR_ARGS(c->exemplar.trace_id), name, took,
			  c->slow_count, c->count, p95);
	else
		notes_add(notes,
			  "chose trace %.*s: the longest of %zu exemplars of "
			  "%s, %s; p95 is %s",
			  STR_ARGS(c->exemplar.trace_id), c->count, name, took,
			  c->p95_s > 0 ? p95 : "not known");
}

static bool explain_none(const struct exemplar_choice *c, struct error *err)
{
	const struct metric_backend *server =
		backends_metrics(c->metrics.backends);

	return error_set(
		err, ERROR_NOT_FOUND,
		"%s has no exemplars of %s%s%s in this window: the "
		"application has to send them, and Prometheus keeps them with "
		"--enable-feature=exemplar-storage; without them: tracefind "
		"slow --service",
		server->title, c->metrics.sources[METRIC_LATENCY].name->name,
		c->operation ? " for " : "", c->operation ? c->operation : "");
}

bool exemplar_text_explain(const struct exemplar_choice *c, struct error *err)
{
	const char *service = c->metrics.service;
	const struct metric_backend *server =
		backends_metrics(c->metrics.backends);

	switch (c->lack) {
	case EXEMPLAR_FOUND:
		break;
	case EXEMPLAR_NO_METRICS:
		return error_set(err, ERROR_NOT_FOUND,
				 "%s has none of the known metrics of \"%s\" "
				 "in this window: check its name there; "
				 "tracefind doctor --metrics-url lists the "
				 "metrics found",
				 server->title, service);
	case EXEMPLAR_NO_LATENCY:
		return error_set(
			err, ERROR_NOT_FOUND,
			"%s has metrics of \"%s\", but no latency histogram, "
			"which exemplars need",
			server->title, service);
	case EXEMPLAR_NO_OPERATION:
		return error_set(err, ERROR_NOT_FOUND,
				 "%s does not separate operations: leave out "
				 "--name",
				 c->metrics.sources[METRIC_LATENCY].name->name);
	case EXEMPLAR_NONE:
		return explain_none(c, err);
	}
	return false;
}
