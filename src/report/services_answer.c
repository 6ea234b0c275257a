/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/jsonw.h"
#include "base/timefmt.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"

#define NAME_MIN_COLUMNS 8u
#define CORES_COLUMNS 8u
#define GAP "  "
#define GAP_COLUMNS 2u
/* " +12" behind the types that fit. */
#define MORE_COLUMNS 4u

/* Terminals that are wider get more detail of the same steps. */
static size_t spark_columns(const struct page *p)
{
	return p->width >= 160 ? 60 : p->width >= 120 ? 30 : 20;
}

static bool is_limited(const struct services_answer *a)
{
	return a->limit > 0 && a->services->count > a->limit;
}

static size_t rows_shown(const struct services_answer *a)
{
	return is_limited(a) ? a->limit : a->services->count;
}

/* Programs get all, unless a limit was given. */
static size_t rows_given(const struct services_answer *a)
{
	return a->is_limit_given ? rows_shown(a) : a->services->count;
}

/* CPU seconds a second over the whole window. */
static double service_cores(const struct services *s,
			    const struct service_row *row)
{
	return row->total_ns / 1e9 / time_range_seconds(s->window);
}

/* Three digits say enough; a thousandth of a core is near nothing. */
static void format_cores(const struct services *s,
			 const struct service_row *row, char out[24])
{
	double cores = service_cores(s, row);

	if (!row->cpu_ns)
		snprintf(out, 24, "-");
	else
		snprintf(out, 24, "%.*f",
			 cores >= 100   ? 0
			 : cores >= 10  ? 1
			 : cores >= 0.1 ? 2
					: 3,
			 cores);
}

/* ---- for people ---- */

static size_t name_columns(struct page *p, const struct services_answer *a)
{
	size_t widest = NAME_MIN_COLUMNS;
	size_t most = p->width ? p->width * 2 / 5 : PAGE_ALIGN_COLUMNS;

	for (size_t i = 0; i < rows_shown(a); i++) {
		size_t columns =
			page_columns(p, a->services->rows[i].name, most);

		widest = columns > widest ? columns : widest;
	}
	return widest < most ? widest : most;
}

/* The words in the order of their use, then the rest as the server has it. */
static const char *const first_words[] = { "cpu",      "wall",  "alloc",
					   "inuse",    "mutex", "block",
					   "goroutine" };

#define FIRST_WORDS (sizeof first_words / sizeof *first_words)

/* Writes the words of one rank, and adds their columns to *used. */
static void write_words(struct page *p, const struct service_row *row,
			size_t rank, size_t columns, size_t *used, size_t *left)
{
	for (size_t i = 0; i < row->types.count; i++) {
		struct str word =
			profile_type_word(row->types.items[i], &row->types);
		size_t need = word.len + (*used ? 1 : 0), own = 0;

		while (own < FIRST_WORDS &&
		       !str_equal(word, str_from(first_words[own])))
			own++;
		if (!word.len || own != rank ||
		    (p->width && *used + need + MORE_COLUMNS > columns))
			continue;
		out_text(p->out, *used ? " " : "");
		if (p->style.is_markdown)
			escape_markdown_code(p->out, word, true);
		else
			out_str(p->out, word);
		*used += need;
		--*left;
	}
}

/* A type without a word is one that a better one stands for. */
static void write_types(struct page *p, const struct service_row *row,
			size_t columns)
{
	size_t used = 0, left = row->types.count;

	for (size_t rank = 0; rank <= FIRST_WORDS; rank++)
		write_words(p, row, rank, columns, &used, &left);
	if (left)
		outf(p->out, "%s+%zu", used ? " " : "", left);
	out_char(p->out, '\n');
}

static const char *const markdown_names[] = { "service", "cores", "types" };

static void write_head(struct page *p, const struct services *s, size_t name)
{
	page_textf(p, "%zu service%s sent profiles ", s->count,
		   &"s"[s->count == 1]);
	page_window(p, s->window, 0);
	/* Rows whose CPU is not known come last, and by name. */
	if (s->count > 1)
		page_text(p,
			  s->rows[0].cpu_ns ? ", most CPU first" : ", by name");
	page_flush(p, PAINT_NONE, "", 0);
	out_char(p->out, '\n');
	if (p->style.is_markdown) {
		markdown_head(p, markdown_names, 3, 0);
		return;
	}
	page_field(p, PAINT_BOLD, ALIGN_LEFT, name, "service");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, CORES_COLUMNS, "cores");
	out_text(p->out, GAP);
	page_field(p, PAINT_BOLD, ALIGN_LEFT, spark_columns(p) + GAP_COLUMNS,
		   "CPU over time");
	page_paint(p, PAINT_BOLD, "types");
	out_char(p->out, '\n');
}

static void write_row(struct page *p, const struct services *s,
		      const struct service_row *row, size_t name)
{
	size_t spark = spark_columns(p);
	size_t before = name + CORES_COLUMNS + spark + 2 * GAP_COLUMNS;
	char cores[24];

	format_cores(s, row, cores);
	if (p->style.is_markdown) {
		markdown_name_cell(p, row->name);
		markdown_cell(p, cores);
		out_text(p->out, "| ");
		write_types(p, row, 0);
		return;
	}
	page_cell(p, PAINT_BOLD, row->name, p->width ? name : 0, name);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, CORES_COLUMNS, cores);
	out_text(p->out, GAP);
	if (row->cpu_ns)
		spark_write(p, PAINT_MARK, row->cpu_ns, s->step_count, spark);
	else
		page_repeat(p, PAINT_NONE, " ", spark);
	out_text(p->out, GAP);
	write_types(p, row, p->width > before ? p->width - before : 0);
}

static void write_next(struct page *p, const struct services_answer *a,
		       const char *command, bool is_first)
{
	struct buf line;

	if (!a->servers.ptr)
		return;
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	buf_addf(&line, "tracefind %s --service NAME", command);
	buf_add_str(&line, a->servers);
	markdown_next_line(p, &line, is_first);
}

static void write_tail(struct page *p, const struct services_answer *a)
{
	if (is_limited(a)) {
		page_textf(p, "%zu more; -n 0 lists all",
			   a->services->count - rows_shown(a));
		page_flush(p, PAINT_DIM, "", 0);
	}
	if (p->style.is_quiet)
		return;
	out_char(p->out, '\n');
	page_notes(p, a->notes, STR(""));
	write_next(p, a, "types", true);
	write_next(p, a, "profile", false);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct services_answer *a = answer;
	const struct services *s = a->services;
	struct page p;
	size_t name;

	page_begin(&p, style, out);
	name = name_columns(&p, a);
	write_head(&p, s, name);
	for (size_t i = 0; i < rows_shown(a); i++)
		write_row(&p, s, &s->rows[i], name);
	if (style->is_markdown && is_limited(a))
		out_char(out, '\n');
	write_tail(&p, a);
	page_end(&p);
}

/* ---- for programs ---- */

static void json_row(struct jsonw *w, const struct services *s,
		     const struct service_row *row)
{
	jsonw_addf(w, "{name:%.*s, cpu_type:%-.*s, cpu_cores:%.6f",
		   STR_WHOLE(row->name), STR_WHOLE(row->cpu_type),
		   row->cpu_ns ? service_cores(s, row) : NAN);
	if (jsonw_key_known(w, "cpu_ns", row->cpu_ns)) {
		jsonw_array(w);
		for (size_t i = 0; i < s->step_count; i++)
			jsonw_f64(w, row->cpu_ns[i], 0);
		jsonw_array_end(w);
	}
	jsonw_addf(w, "types:[");
	for (size_t i = 0; i < row->types.count; i++) {
		struct str id = row->types.items[i];
		struct str word = profile_type_word(id, &row->types);

		jsonw_addf(w, "{word:%-.*s, id:%.*s}", STR_WHOLE(word),
			   STR_WHOLE(id));
	}
	jsonw_addf(w, "]}");
}

static void write_json(const void *answer, struct out *out)
{
	const struct services_answer *a = answer;
	const struct services *s = a->services;
	struct jsonw w;

	json_begin(&w, out, "services");
	jsonw_addf(&w,
		   "service:%s, from:%+jd, to:%+jd, step_ns:%jd, total:%zu, "
		   "services:[",
		   s->service, s->window.from_ns, s->window.to_ns,
		   s->step_ms * NS_PER_MS, s->count);
	for (size_t i = 0; i < rows_given(a); i++)
		json_row(&w, s, &s->rows[i]);
	jsonw_array_end(&w);
	json_end(&w, a->notes);
}

/* Ids hold no blanks. */
static void csv_types(const struct service_row *row, struct out *out)
{
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	for (size_t i = 0; i < row->types.count; i++) {
		buf_add_text(&text, i ? " " : "");
		buf_add(&text, row->types.items[i].ptr,
			row->types.items[i].len);
	}
	escape_csv(out, buf_str(&text));
	buf_release(&text);
}

static void write_csv(const void *answer, struct out *out)
{
	const struct services_answer *a = answer;
	const struct services *s = a->services;

	out_text(out, "service,cpu_cores,cpu_seconds,types\n");
	for (size_t i = 0; i < rows_given(a); i++) {
		const struct service_row *row = &s->rows[i];

		escape_csv(out, row->name);
		if (row->cpu_ns)
			outf(out, ",%.6f,%.6f,", service_cores(s, row),
			     row->total_ns / 1e9);
		else
			out_text(out, ",,,");
		csv_types(row, out);
		out_char(out, '\n');
	}
}

static void write_id(const void *answer, struct out *out)
{
	const struct services_answer *a = answer;
	const struct services *s = a->services;

	for (size_t i = 0; i < rows_given(a); i++) {
		escape_terminal(out, s->rows[i].name);
		out_char(out, '\n');
	}
}

const struct answer_writer services_writer = { write_table, write_json,
					       write_csv, write_id };

/* ---- nothing there ---- */

static bool explain_window(const struct services *s, struct error *err)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(s->window.from_ns, from);
	format_rfc3339(s->window.to_ns, to);
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles between %.19sZ and %.19sZ; %srun "
			 "tracefind doctor",
			 from, to,
			 s->window.to_ns - s->window.from_ns < NS_PER_DAY
				 ? "widen with --since 24h, or "
				 : "");
}

bool services_explain_none(const struct services *s,
			   const struct name_list *names, struct error *err)
{
	struct str near;

	if (!names->count)
		return explain_window(s, err);
	if (nearest_names(names, str_from(s->service), &near, 1))
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles of service \"%s\" in this "
				 "window; nearest: \"%.*s\"",
				 s->service, STR_ARGS(near));
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles of service \"%s\" in this window; %zu "
			 "others have some: tracefind services lists them",
			 s->service, names->count);
}

/* How labels, or the values of one, are listed: one a line or as JSON. Knows
 * no options. */

static void write_lines(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct tags_answer *a = answer;
	struct page p;

	page_begin(&p, style, out);
	for (size_t i = 0; i < a->shown; i++) {
		page_cell(&p, PAINT_NONE, a->names.items[i], 0, 0);
		out_char(out, '\n');
	}
	page_end(&p);
}

static void write_tags_json(const void *answer, struct out *out)
{
	const struct tags_answer *a = answer;
	struct jsonw w;

	json_begin(&w, out, "search");
	jsonw_addf(&w, "tag:%-.*s, %s:[", STR_WHOLE(a->query.tag),
		   a->query.tag.len ? "values" : "tags");
	for (size_t i = 0; i < a->shown; i++)
		jsonw_str(&w, a->names.items[i]);
	jsonw_addf(&w, "], total:%zu}", a->names.count);
	out_char(out, '\n');
}

const struct answer_writer tags_writer = { write_lines, write_tags_json,
					   .is_list = true };

bool tags_explain_none(const struct tags_query *q, struct error *err)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(q->range.from_ns, from);
	format_rfc3339(q->range.to_ns, to);
	if (!q->tag.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "no tags between %.19sZ and %.19sZ; widen "
				 "with --since 24h",
				 from, to);
	return error_set(err, ERROR_NOT_FOUND,
			 "no values of \"%.*s\" between %.19sZ and %.19sZ; "
			 "tracefind search --tags lists the names there are",
			 STR_ARGS(q->tag), from, to);
}
