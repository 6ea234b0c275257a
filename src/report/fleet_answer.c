/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/check.h"
#include "render/page.h"
#include "render/render.h"
#include "report/texts.h"

#define LABEL_COLUMNS 13u
#define NUMBER_COLUMNS 9u
#define NUMBERS 3u
#define NAME_MIN_COLUMNS 8u
#define FUNCTION_MIN_COLUMNS 20u
/* Narrower ones have no room for files beside names. */
#define PLACES_MIN_COLUMNS 110u
/* Services of a kind that are named in a line. */
#define NAMED 3u

static const char *const state_names[FLEET_STATES] = {
	[FLEET_WAITING] = "waiting",
	[FLEET_COMPARED] = "compared",
	[FLEET_FEW_SAMPLES] = "few_samples",
	[FLEET_BLIND] = "blind",
	[FLEET_FEW_FUNCTIONS] = "few_functions",
	[FLEET_NO_BASELINE] = "no_baseline",
	[FLEET_NO_CANDIDATE] = "no_candidate",
	[FLEET_NO_CPU] = "no_cpu",
	[FLEET_NO_VERSIONS] = "no_versions",
	[FLEET_NO_TEST] = "no_test",
	[FLEET_FAILED] = "failed",
	[FLEET_LEFT_OUT] = "left_out",
};

/* Why they were not judged; NULL: they were. */
static const char *const state_words[FLEET_STATES] = {
	[FLEET_WAITING] = "not queried",
	[FLEET_FEW_SAMPLES] = "with too few samples",
	[FLEET_BLIND] = "too noisy to detect growth by half",
	[FLEET_FEW_FUNCTIONS] = "with too few functions",
	[FLEET_NO_BASELINE] = "without samples in the baseline",
	[FLEET_NO_CANDIDATE] = "without samples in the window",
	[FLEET_NO_CPU] = "without CPU profiles",
	[FLEET_NO_VERSIONS] = "without a new version in the window",
	[FLEET_NO_TEST] = "without sample counts",
	[FLEET_FAILED] = "with failed queries",
	[FLEET_LEFT_OUT] = "beyond the limit of one run",
};

static size_t count_of(const struct fleet *f, enum fleet_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		count += f->items[i].state == state;
	return count;
}

static bool is_by_version(const struct fleet *f)
{
	return !f->baseline.to_ns;
}

/* ---- for people: the first lines ---- */

static bool is_unknown(const struct fleet *f)
{
	return !f->grown && (!f->compared || count_of(f, FLEET_FAILED));
}

static void write_headline(struct page *p, const struct fleet *f)
{
	enum paint paint = f->grown ? PAINT_BAD : PAINT_GOOD;
	size_t failed = count_of(f, FLEET_FAILED);

	if (!f->count) {
		page_text(p, "check inconclusive: no service sent profiles in "
			     "the window");
	} else if (!f->compared) {
		page_textf(p,
			   "check inconclusive: none of %zu service%s could be "
			   "judged",
			   f->count, &"s"[f->count == 1]);
	} else if (f->grown && f->compared < f->count) {
		page_textf(p,
			   "check failed: %zu service%s grew; %zu of %zu could "
			   "be judged",
			   f->grown, &"s"[f->grown == 1], f -> compared,
			   f -> count);
	} else if (f->grown) {
		page_textf(p, "check failed: %zu of %zu services grew",
			   f->grown, f->compared);
	} else if (failed) {
		page_textf(p,
			   "check inconclusive: none of %zu services grew, and "
			   "%zu could not be judged",
			   f->compared, failed);
	} else {
		page_textf(p, "check passed: none of %zu services grew",
			   f->compared);
	}
	page_flush(p, is_unknown(f) ? PAINT_BOLD : paint, "", 0);
	out_char(p->out, '\n');
}

/* Three of four services, by what would have been seen of each. */
static bool find_power(const struct fleet *f, double *out)
{
	double *values = mem_calloc(f->count + 1, sizeof *values);
	size_t count = 0;

	if (!values)
		return false;
	for (size_t i = 0; i < f->count; i++)
		if (f->items[i].state == FLEET_COMPARED)
			values[count++] = f->items[i].seen_growth;
	qsort(values, count, sizeof *values, compare_f64_items);
	*out = count ? values[count * 3 / 4] : NAN;
	mem_free(values);
	return count > 0;
}

/* ---- for people: the sides and the limits ---- */

static void write_sides(struct page *p, const struct fleet_answer *a)
{
	const struct fleet *f = a->fleet;
	struct gate_limits shown = *a->limits;
	struct buf text;

	page_window(p, f->window, 0);
	if (is_by_version(f))
		page_text(p, ", the newest version of each service");
	page_flush(p, PAINT_NONE, "  candidate", LABEL_COLUMNS);
	if (is_by_version(f))
		page_text(p, "the version before it");
	else
		page_window(p, f->baseline, 0);
	page_flush(p, PAINT_NONE, "  baseline", LABEL_COLUMNS);
	shown.limit[GATE_TOTAL] = -1;
	buf_init(&text, WORDING_BYTES);
	check_limits(&shown, &text);
	page_sentence(p, buf_str(&text));
	page_flush(p, PAINT_NONE, "  fail on", LABEL_COLUMNS);
	buf_release(&text);
}

static void write_power(struct page *p, const struct fleet *f)
{
	char growth[UNIT_TEXT_BYTES];
	double seen;

	if (!find_power(f, &seen))
		return;
	format_growth(seen, false, growth);
	page_textf(p,
		   "%s or more in a function of 10 %%, in three of four "
		   "services",
		   growth);
	page_flush(p, PAINT_NONE, "  detectable", LABEL_COLUMNS);
}

/* ---- for people: what was not judged ---- */

static void write_names(struct page *p, const struct fleet *f,
			enum fleet_state state)
{
	size_t shown = 0;

	for (size_t i = 0; i < f->count && shown < NAMED; i++) {
		if (f->items[i].state != state)
			continue;
		page_text(p, shown++ ? ", " : ": ");
		page_name(p, f->items[i].name, 0);
	}
	if (count_of(f, state) > shown)
		page_text(p, "...");
}

static void write_unjudged(struct page *p, const struct fleet *f)
{
	size_t failed = 0;
	bool is_first = true;

	for (int state = 0; state < FLEET_STATES; state++) {
		size_t count = count_of(f, (enum fleet_state)state);

		if (!count || !state_words[state])
			continue;
		page_textf(p, "%zu %s", count, state_words[state]);
		write_names(p, f, (enum fleet_state)state);
		page_flush(p, PAINT_NONE, is_first ? "  not judged" : "",
			   LABEL_COLUMNS);
		is_first = false;
	}
	/* The first words of the server's. */
	while (failed < f->count && f->items[failed].state != FLEET_FAILED)
		failed++;
	if (failed < f->count) {
		page_sentence(p, f->items[failed].reason);
		page_flush(p, PAINT_NONE, "  failed", LABEL_COLUMNS);
	}
}

/* ---- for people: the list ---- */

static const char *const names[] = { "added",   "now",      "growth",
				     "service", "function", "file" };

/* "cart 1.4 -> 1.5": in the memory of the buffer. */
static struct str service_text(const struct fleet_service *s, struct buf *text)
{
	buf_clear(text);
	buf_add_str(text, s->name);
	if (s->version_label.ptr)
		buf_addf(text, " %.*s -> %.*s", STR_ARGS(s->before.version),
			 STR_ARGS(s->after.version));
	return buf_str(text);
}

static void write_row(struct page *p, const struct fleet_service *s,
		      size_t columns, struct buf *text)
{
	const struct fleet_function *f = s->functions;
	size_t before = NUMBERS * NUMBER_COLUMNS + 2 + columns + 2;
	bool has_place =
		f->file.len && (!p->width || p->width >= PLACES_MIN_COLUMNS);
	size_t place =
		has_place ? page_place_columns(p, f->file, f->line) + 2 : 0;
	size_t room = p->width > before + place + FUNCTION_MIN_COLUMNS
			      ? p->width - before - place
			      : FUNCTION_MIN_COLUMNS;
	char cells[NUMBERS][UNIT_TEXT_BYTES];

	snprintf(cells[0], UNIT_TEXT_BYTES, "%+.4f",
		 f->added * s->sample_cores);
	snprintf(cells[1], UNIT_TEXT_BYTES, "%.4f", f->after * s->sample_cores);
	if (f->is_new)
		snprintf(cells[2], UNIT_TEXT_BYTES, "new");
	else
		format_growth(f->growth, true, cells[2]);
	for (size_t i = 0; i < NUMBERS; i++)
		markdown_or_field(p, i ? PAINT_NONE : PAINT_BAD, NUMBER_COLUMNS,
				  cells[i]);
	if (p->style.is_markdown) {
		markdown_name_cell(p, service_text(s, text));
		markdown_name_cell(p, f->name);
		markdown_place_cell(p, f->file, f->line);
		markdown_row_end(p);
		return;
	}
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_BOLD, service_text(s, text), p->width ? columns : 0,
		  columns);
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_NONE, f->name, p->width ? room : 0, 0);
	if (has_place) {
		page_repeat(p, PAINT_NONE, " ", 2);
		page_place(p, PAINT_DIM, f->file, f->line, 0);
	}
	if (s->grown > 1)
		outf(p->out, "  +%zu", s->grown - 1);
	out_char(p->out, '\n');
}

static size_t service_columns(struct page *p, const struct fleet *f,
			      size_t shown, struct buf *text)
{
	size_t parts = is_by_version(f) ? 3 : 4;
	size_t most = p->width ? p->width / parts : PAGE_ALIGN_COLUMNS;
	size_t widest = NAME_MIN_COLUMNS;

	for (size_t i = 0; i < shown; i++)
		widest = max_size(widest,
				  page_columns(p,
					       service_text(&f->items[i], text),
					       most));
	return widest;
}

static void write_head(struct page *p, size_t columns)
{
	page_text(p, "CPU of the function that grew most in each service, "
		     "cores");
	markdown_or_title(p);
	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, 6, NUMBERS);
		return;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, NUMBER_COLUMNS,
			   names[i]);
	page_paint(p, PAINT_BOLD, "  ");
	page_field(p, PAINT_BOLD, ALIGN_LEFT, columns + 2, names[NUMBERS]);
	page_paint(p, PAINT_BOLD, names[NUMBERS + 1]);
	out_char(p->out, '\n');
}

static void write_rows(struct page *p, const struct fleet_answer *a)
{
	const struct fleet *f = a->fleet;
	size_t shown = a->limit && a->limit < f->grown ? a->limit : f->grown;
	size_t columns;
	struct buf text;

	if (!shown)
		return;
	buf_init(&text, WORDING_BYTES);
	columns = service_columns(p, f, shown, &text);
	out_char(p->out, '\n');
	write_head(p, columns);
	for (size_t i = 0; i < shown; i++)
		write_row(p, &f->items[i], columns, &text);
	buf_release(&text);
	if (shown == f->grown)
		return;
	page_textf(p, "%zu more; -n 0 shows all", f->grown - shown);
	page_flush(p, PAINT_DIM, "  ", 2);
}

/* ---- for people: all of it ---- */

/* Whole seconds without their fraction. */
static void add_time(struct buf *out, int64_t time_ns)
{
	char text[TIME_RFC3339_BYTES];
	struct str whole;

	format_rfc3339(time_ns, text);
	whole = str_from(text);
	if (time_ns % NS_PER_S) {
		buf_add_str(out, whole);
		return;
	}
	buf_add_str(out, str_slice(whole, 0, str_find(whole, STR("."))));
	buf_add_char(out, 'Z');
}

/* The first that grew, both sides as they were compared. */
static void write_next(struct page *p, const struct fleet_answer *a)
{
	const struct fleet_service *s = a->fleet->items;
	struct buf text;

	if (!a->servers.ptr || !a->fleet->grown)
		return;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&text, "tracefind diff --service");
	shell_word_add(&text, s->name);
	buf_add_text(&text, " --from ");
	add_time(&text, s->after.range.from_ns);
	buf_add_text(&text, " --to ");
	add_time(&text, s->after.range.to_ns);
	buf_add_text(&text, " --baseline ");
	if (s->version_label.ptr) {
		buf_add_text(&text, "version=");
		buf_add_str(&text, s->before.version);
	} else {
		add_time(&text, s->before.range.from_ns);
		buf_add_text(&text, "..");
		add_time(&text, s->before.range.to_ns);
	}
	buf_add_str(&text, a->servers);
	markdown_next_line(p, &text, true);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct fleet_answer *a = answer;
	const struct fleet *f = a->fleet;
	struct page p;

	page_begin(&p, style, out);
	write_headline(&p, f);
	write_sides(&p, a);
	write_power(&p, f);
	write_unjudged(&p, f);
	write_rows(&p, a);
	if (!style->is_quiet) {
		out_char(out, '\n');
		page_notes(&p, a->notes, STR(""));
		write_next(&p, a);
	}
	page_end(&p);
}

/* ---- for programs ---- */

static void json_window(struct jsonw *w, const char *key,
			struct time_range range)
{
	if (jsonw_key_known(w, key, range.to_ns))
		jsonw_addf(w, "{from:%+jd, to:%+jd}", range.from_ns,
			   range.to_ns);
}

static void json_function(struct jsonw *w, const struct fleet_service *s,
			  const struct fleet_function *f)
{
	double now = f->after * s->sample_cores;
	double added = f->added * s->sample_cores;

	jsonw_addf(w,
		   "{function:%.*s, file:%-.*s, line:%-u, new:%i, "
		   "added_cores:%.6f, expected_cores:%.6f",
		   STR_WHOLE(f->name), STR_WHOLE(f->file), f->line, f->is_new,
		   added, now - added);
	jsonw_addf(w,
		   "cores:%.6f, growth:%.6f, growth_low:%.6f, "
		   "growth_high:%.6f, q:%.9f}",
		   now, f->is_new ? NAN : f->growth, f->is_new ? NAN : f->low,
		   f->is_new ? NAN : f->high, f->q);
}

static void json_service(struct jsonw *w, const struct fleet_service *s)
{
	bool is_judged = s->state == FLEET_COMPARED;

	jsonw_addf(w, "{service:%.*s, state:%s, reason:%-.*s, grown:%i",
		   STR_WHOLE(s->name), state_names[s->state],
		   STR_WHOLE(s->reason), s->grown > 0);
	jsonw_addf(w, "candidate:{");
	json_range(w, s->after.range);
	jsonw_addf(w, "version:%-.*s, samples:%.0f}, baseline:{",
		   STR_WHOLE(s->after.version), s->after_samples);
	json_range(w, s->before.range);
	jsonw_addf(w, "version:%-.*s, samples:%.0f}",
		   STR_WHOLE(s->before.version), fleet_before_samples(s));
	jsonw_addf(w, "p:%.9f, seen_growth:%.6f, functions:[",
		   is_judged ? s->p : NAN, is_judged ? s->seen_growth : NAN);
	for (size_t i = 0; i < s->grown; i++)
		json_function(w, s, &s->functions[i]);
	jsonw_addf(w, "]}");
}

static void write_json(const void *answer, struct out *out)
{
	const struct fleet_answer *a = answer;
	const struct fleet *f = a->fleet;
	struct jsonw w;

	json_begin(&w, out, "check");
	jsonw_addf(&w, "outcome:%s",
		   is_unknown(f) ? "unknown"
		   : f->grown    ? "failed"
				 : "passed");
	json_window(&w, "candidate", f->window);
	json_window(&w, "baseline", f->baseline);
	jsonw_addf(&w, "limits:{");
	for (int i = GATE_FUNCTION; i <= GATE_NEW; i++)
		jsonw_addf(&w, "%s:%-.6f", gate_name((enum gate_kind)i),
			   a->limits->limit[i]);
	jsonw_addf(&w, "}, judged:%zu, grown:%zu, services:[", f->compared,
		   f->grown);
	for (size_t i = 0; i < f->count; i++)
		json_service(&w, &f->items[i]);
	jsonw_array_end(&w);
	json_end(&w, a->notes);
}

const struct answer_writer fleet_writer = { .table = write_table,
					    .json = write_json };
