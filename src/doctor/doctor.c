/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <stdio.h>

#include "base/jsonw.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "render/page.h"
#include "render/render.h"

void doctor_init(struct doctor *d, const struct doctor_question *question)
{
	*d = (struct doctor){
		.question = question,
		.backends = question->backends,
		.checkup = { .backends = question->backends,
			     .checks = &d->checks },
		.is_traces_up = !question->wants_traces,
	};
	arena_init(&d->arena, LIMIT_RESULT_BYTES);
	checks_init(&d->checks, &d->arena);
	trace_init(&d->trace);
}

void doctor_release(struct doctor *d)
{
	trace_release(&d->trace);
	arena_release(&d->arena);
}

bool doctor_run(struct doctor *d, struct error *err)
{
	if (!doctor_servers(d, err) || !doctor_metrics(d, err) ||
	    !doctor_trace(d, err) ||
	    !(d->backends->profiles.path ? doctor_profile_file(d, err)
					 : doctor_profiles(d, err)))
		return false;
	return checks_end(&d->checks, err);
}

bool doctor_service_is_found(const struct doctor_service *row)
{
	return row->match == NAME_EXACT || row->match == NAME_VARIED;
}

/* Widths of "warning  ", "profiles connection  " and the fix's label. */
#define STATUS_COLUMNS 9
#define NAME_COLUMNS 21
#define FIX_COLUMNS 15

/* ---- text ---- */

static void write_count(struct page *p, size_t count, const char *one,
			const char *many, bool *is_first)
{
	if (!count)
		return;
	page_textf(p, "%s%zu %s", *is_first ? "" : ", ", count,
		   count == 1 ? one : many);
	*is_first = false;
}

static void write_summary(const struct doctor *d, struct page *p)
{
	size_t failed = checks_count(&d->checks, CHECK_FAILED);
	size_t warnings = checks_count(&d->checks, CHECK_WARNING);
	size_t ok = checks_count(&d->checks, CHECK_OK);
	bool is_first = true;

	if (!failed && !warnings) {
		page_textf(p, "all %zu checks passed", ok);
	} else {
		write_count(p, failed, "check failed", "checks failed",
			    &is_first);
		write_count(p, warnings, "warning", "warnings", &is_first);
		write_count(p, ok, "ok", "ok", &is_first);
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

/* "2026-11-21T02:28:38Z" at the start of a text. */
#define TIME_BYTES 20

/* Checks have times in UTC, as in JSON and for commands; terminals show local
 * time. */
static void write_text(struct page *p, struct str text)
{
	struct page_time shown;
	int64_t time_ns;
	size_t done = 0;

	for (size_t at = 0; p->style.use_local_time && at < text.len; at++) {
		struct str word = str_slice(text, at, TIME_BYTES);

		if (!ascii_is_digit(text.ptr[at]) || word.len != TIME_BYTES ||
		    word.ptr[TIME_BYTES - 1] != 'Z' ||
		    !parse_rfc3339(word, &time_ns))
			continue;
		page_foreign(p, str_slice(text, done, at - done));
		page_time(p, time_ns, time_ns, &shown);
		page_textf(p, "%s %.8s %s", shown.date, shown.clock,
			   shown.zone);
		done = at + TIME_BYTES;
		at = done - 1;
	}
	page_foreign(p, str_slice(text, done, text.len));
}

static void write_check(const struct check *check, struct page *p)
{
	/* By status; none for OK. */
	static const enum paint paints[] = { PAINT_NONE, PAINT_MARK,
					     PAINT_BAD };
	char label[64];

	snprintf(label, sizeof label, "%-*s%s %s", STATUS_COLUMNS,
		 check_status_name(check->status), check->side, check->name);
	write_text(p, check->text);
	page_flush(p, paints[check->status], label,
		   STATUS_COLUMNS + NAME_COLUMNS);
	if (!check->fix.len)
		return;
	page_foreign(p, check->fix);
	page_flush(p, PAINT_NONE, "         fix   ", FIX_COLUMNS);
}

static void write_number(struct page *p, size_t columns, bool is_known,
			 int64_t samples, int64_t total)
{
	char text[COUNT_TEXT_BYTES];

	format_count(samples, text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, columns,
		   !is_known     ? "-"
		   : samples < 0 ? (total ? "some" : "0")
				 : text);
}

static bool has_word(const struct doctor_service *row, struct str word)
{
	for (size_t i = 0; i < row->types.count; i++)
		if (str_equal(
			    profile_type_word(row->types.items[i], &row->types),
			    word))
			return true;
	return false;
}

/* Writes the types of the service by category, in lines starting at column
 * `start`. */
static void write_types(const struct doctor_service *row, size_t start,
			struct page *p)
{
	static const char *const words[] = { "cpu",       "wall",  "offcpu",
					     "alloc",     "inuse", "goroutine",
					     "mutex",     "block", "lock",
					     "exceptions" };
	size_t column = start + 2;
	bool is_first = true;

	page_paint(p, PAINT_NONE, "  ");
	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t len = str_from(words[w]).len;

		if (!has_word(row, str_from(words[w])))
			continue;
		if (!is_first && p->width && column + 1 + len > p->width) {
			out_char(p->out, '\n');
			page_repeat(p, PAINT_NONE, " ", start + 2);
			column = start + 2;
		} else if (!is_first) {
			out_char(p->out, ' ');
			column++;
		}
		page_paint(p, PAINT_NONE, words[w]);
		column += len;
		is_first = false;
	}
	if (is_first)
		page_paint(p, PAINT_NONE, "-");
}

struct columns {
	size_t name;
	size_t found;
};

#define FIELD_SAMPLES 9
#define FIELD_SPAN 10
/* Width of the types: "cpu alloc inuse goroutine block mutex". */
#define FIELD_TYPES 14

static struct columns columns_measure(const struct doctor *d, struct page *p)
{
	struct columns c = { sizeof "service" - 1, sizeof "profiles as" - 1 };
	size_t max = 0;

	if (p->width)
		max = (p->width - FIELD_SAMPLES - FIELD_SPAN - FIELD_TYPES -
		       2) /
		      2;
	for (size_t i = 0; i < d->row_count; i++) {
		size_t name = page_columns(p, d->rows[i].name, max);
		size_t found = page_columns(p, d->rows[i].found, max);

		c.name = name > c.name ? name : c.name;
		if (doctor_service_is_found(&d->rows[i]))
			c.found = found > c.found ? found : c.found;
	}
	return c;
}

static void write_row(const struct doctor *d, const struct doctor_service *row,
		      const struct columns *c, struct page *p)
{
	size_t name_max = p->width ? c->name : 0;
	size_t found_max = p->width ? c->found : 0;

	page_cell(p, PAINT_NONE, row->name, name_max, c->name + 2);
	page_cell(p, doctor_service_is_found(row) ? PAINT_NONE : PAINT_BAD,
		  doctor_service_is_found(row) ? row->found : STR("-"),
		  found_max, c->found);
	write_number(p, FIELD_SAMPLES, row->has_answer, row->samples,
		     row->total);
	write_number(p, FIELD_SPAN,
		     row->has_span_answer && !d->is_selector_ignored,
		     row->span_samples, row->span_total);
	write_types(row, c->name + 2 + c->found + FIELD_SAMPLES + FIELD_SPAN,
		    p);
	out_char(p->out, '\n');
}

static void write_matrix(const struct doctor *d, struct page *p)
{
	struct columns c;

	if (!d->row_count || !d->is_profiles_up || d->backends->profiles.path)
		return;
	c = columns_measure(d, p);
	out_char(p->out, '\n');
	page_field(p, PAINT_BOLD, ALIGN_LEFT, c.name + 2, "service");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, c.found, "profiles as");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, FIELD_SAMPLES, "samples");
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, FIELD_SPAN, "of span");
	page_paint(p, PAINT_BOLD, "  types");
	out_char(p->out, '\n');
	for (size_t i = 0; i < d->row_count; i++)
		write_row(d, &d->rows[i], &c, p);
}

void doctor_write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct doctor *d = answer;
	struct page p;

	page_begin(&p, style, out);
	write_summary(d, &p);
	if (!style->is_quiet ||
	    checks_count(&d->checks, CHECK_OK) < d->checks.count)
		out_char(out, '\n');
	for (size_t i = 0; i < d->checks.count; i++)
		if (!style->is_quiet || d->checks.items[i].status != CHECK_OK)
			write_check(&d->checks.items[i], &p);
	if (!style->is_quiet) {
		write_matrix(d, &p);
		if (d->backends->notes->count)
			out_char(out, '\n');
		page_notes(&p, d->backends->notes, STR(""));
	}
	page_end(&p);
}

/* ---- JSON ---- */

static void write_json_check(struct jsonw *w, const struct check *check)
{
	char name[64];

	snprintf(name, sizeof name, "%s %s", check->side, check->name);
	jsonw_addf(w, "{name:%s, status:%s, text:%.*s, fix:%-.*s}", name,
		   check_status_name(check->status), STR_WHOLE(check->text),
		   STR_WHOLE(check->fix));
}

static void write_json_row(struct jsonw *w, const struct doctor_service *row)
{
	bool is_found = doctor_service_is_found(row);

	jsonw_addf(w, "{service:%.*s", STR_WHOLE(row->name));
	jsonw_pair_known_str(w, "profile_service",
			     is_found ? row->found : STR(""));
	jsonw_addf(w, "nearest:[");
	for (size_t i = 0; !is_found && i < row->nearest_count; i++)
		jsonw_str(w, row->nearest[i]);
	jsonw_addf(w, "], types:[");
	for (size_t i = 0; i < row->types.count; i++)
		jsonw_str(w, row->types.items[i]);
	jsonw_addf(w,
		   "], type:%-.*s, samples:%-jd, profile_id:%-.*s, "
		   "span_samples:%-jd}",
		   STR_WHOLE(row->type_id), row->has_answer ? row->samples : -1,
		   STR_WHOLE(row->profile_id),
		   row->has_span_answer ? row->span_samples : -1);
}

void doctor_write_json(const void *answer, struct out *out)
{
	const struct doctor *d = answer;
	struct jsonw w;

	json_begin(&w, out, "doctor");
	/* First, since some readers stop here. */
	jsonw_addf(&w, "problems:[");
	for (size_t i = 0; i < d->checks.count; i++)
		if (d->checks.items[i].status != CHECK_OK)
			write_json_check(&w, &d->checks.items[i]);
	jsonw_addf(&w, "], checks:[");
	for (size_t i = 0; i < d->checks.count; i++)
		write_json_check(&w, &d->checks.items[i]);
	jsonw_array_end(&w);
	if (jsonw_key_known(&w, "window", d->window.to_ns))
		jsonw_addf(&w, "{from:%+jd, to:%+jd}", d->window.from_ns,
			   d->window.to_ns);
	jsonw_addf(&w, "services:[");
	for (size_t i = 0; i < d->row_count; i++)
		write_json_row(&w, &d->rows[i]);
	jsonw_array_end(&w);
	json_end(&w, d->backends->notes);
}
