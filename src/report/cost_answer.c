/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cost_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/shell.h"
#include "render/markdown.h"
#include "render/units.h"
#include "report/wording.h"

#define LABEL_COLUMNS 13u

/* ---- numbers ---- */

void cost_add_currency(const struct cost_answer *a, struct buf *out)
{
	if (!a->prices.currency)
		return;
	buf_add_char(out, ' ');
	wording_add(out, str_from(a->prices.currency), WORDING_TEXT_BYTES);
}

void cost_format_money(double money, bool is_signed, char out[COST_TEXT_BYTES])
{
	char whole[COUNT_TEXT_BYTES];

	if (fabs(money) < 999.5) {
		snprintf(out, COST_TEXT_BYTES, is_signed ? "%+.*f" : "%.*f",
			 cost_decimals(fabs(money), 3), money);
		return;
	}
	format_count(sat_round_f64(fabs(money)), whole);
	snprintf(out, COST_TEXT_BYTES, "%s%s",
		 money < 0   ? "-"
		 : is_signed ? "+"
			     : "",
		 whole);
}

static void add_money(const struct cost_answer *a, double money, bool is_signed,
		      struct buf *out)
{
	char text[COST_TEXT_BYTES];

	cost_format_money(money, is_signed, text);
	buf_add_text(out, text);
	cost_add_currency(a, out);
}

const char *cost_request_word(const struct cost_answer *a)
{
	return a->cost->requests.source == COST_OF_TRACES && !a->name
		       ? "traced request"
		       : "request";
}

/* Seconds of CPU, as durations are told. */
static void add_cpu(double seconds, struct buf *out)
{
	wording_add_ns(out, seconds * NS_PER_S);
}

const char *cost_source_name(enum cost_source source)
{
	static const char *const names[] = {
		[COST_GIVEN] = "given",
		[COST_OF_METRICS] = "metrics",
		[COST_OF_TRACES] = "traces",
		[COST_OF_PROFILES] = "profiles",
		[COST_OF_REQUESTS] = "pod_requests",
		[COST_OF_LIMITS] = "pod_limits",
	};

	return names[source];
}

static const char *source_words(enum cost_source source)
{
	static const char *const words[] = {
		[COST_UNKNOWN] = "not known",
		[COST_GIVEN] = "as given",
		[COST_OF_METRICS] = "by metrics",
		[COST_OF_TRACES] = "by the traces that were kept",
		[COST_OF_PROFILES] = "by profiles",
		[COST_OF_REQUESTS] = "what its pods request",
		[COST_OF_LIMITS] = "the limits of its pods",
	};

	return words[source];
}

/* ---- the first line ---- */

static const struct function_row *largest_change(const struct cost_answer *a)
{
	const struct result *r = a->result;
	const struct function_row *best = NULL;

	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];

		if (change_is_real(row->change) &&
		    (row->delta > 0) == (r->whole.delta > 0) &&
		    (!best || fabs(row->delta) > fabs(best->delta)))
			best = row;
	}
	return best;
}

/* What a change costs a month, or where nothing has a price what it is. */
static void add_change(const struct cost_answer *a, double part, bool is_signed,
		       struct buf *out)
{
	double change = cost_change(a->cost, a->result, part);
	double month = cost_of_change(a->cost, &a->prices, change);
	char text[COST_TEXT_BYTES];

	if (!isnan(month)) {
		cost_format_money(month, is_signed, text);
		buf_add_text(out, text);
		return;
	}
	buf_add_text(out, !is_signed ? "" : change < 0 ? "-" : "+");
	if (a->cost->is_by_request)
		add_cpu(fabs(change), out);
	else
		buf_addf(out, "%.3g vCPU", fabs(change));
}

/* Behind the first such number. */
static void add_change_unit(const struct cost_answer *a, struct buf *out)
{
	if (!isnan(cost_of_change(a->cost, &a->prices, 0))) {
		cost_add_currency(a, out);
		buf_add_text(out, " a month");
	} else if (a->cost->is_by_request) {
		buf_addf(out, " of CPU a %s", cost_request_word(a));
	}
}

static void add_interval(const struct cost_answer *a, struct buf *out)
{
	const struct whole_change *w = &a->result->whole;

	if (isnan(w->delta_low) || isnan(w->delta_high))
		return;
	buf_add_text(out, " (95 %: ");
	add_change(a, w->delta_low, true, out);
	buf_add_text(out, " to ");
	add_change(a, w->delta_high, true, out);
	buf_add_text(out, ")");
}

static void add_difference(const struct cost_answer *a, struct buf *out)
{
	const struct whole_change *w = &a->result->whole;
	const struct function_row *row = largest_change(a);

	if (!w->is_changed) {
		buf_add_text(out,
			     "costs what the baseline does, within noise: ");
		add_change(a, w->delta, true, out);
		add_change_unit(a, out);
		add_interval(a, out);
		return;
	}
	buf_add_text(out, "costs ");
	add_change(a, fabs(w->delta), false, out);
	add_change_unit(a, out);
	buf_add_text(out, w->delta > 0 ? " more" : " less");
	buf_add_text(out, " than the baseline");
	add_interval(a, out);
	if (row) {
		buf_add_text(out, ", ");
		add_change(a, fabs(row->delta), false, out);
		buf_add_text(out, " of it in ");
		wording_add(out, row->name, WORDING_TEXT_BYTES);
	}
}

/* "36.8 USD a month", "7.56 USD a million requests": what is known. */
static void add_sums(const struct cost_answer *a, const struct cost_row *all,
		     bool has_idle, struct buf *out)
{
	char idle[COST_TEXT_BYTES];

	if (!isnan(all->month)) {
		add_money(a, all->month, false, out);
		buf_add_text(out, " a month");
	}
	if (!isnan(all->month) && has_idle) {
		cost_format_money(a->rows.idle, false, idle);
		buf_addf(out, ", %s of it idle", idle);
	}
	if (isnan(all->million))
		return;
	buf_add_text(out, isnan(all->month) ? "" : has_idle ? "; " : ", ");
	add_money(a, all->million, false, out);
	buf_addf(out, " a million %ss", cost_request_word(a));
}

/* "takes 71.2 ms of CPU a request", "takes 0.13 vCPU", "holds 204 MiB". */
static void add_use(const struct cost_answer *a, const struct cost_row *sum,
		    struct buf *out)
{
	char size[UNIT_TEXT_BYTES];

	if (a->cost->what == COST_MEMORY) {
		format_size(sat_round_f64(sum->amount * (double)GIB), size);
		buf_addf(out, "holds %s", size);
	} else if (isnan(sum->each)) {
		buf_addf(out, "takes %.3g vCPU", sum->amount);
	} else {
		buf_add_text(out, "takes ");
		add_cpu(sum->each, out);
		buf_addf(out, " of CPU a %s", cost_request_word(a));
	}
}

static void add_cost(const struct cost_answer *a, struct buf *out)
{
	const struct cost_row *all = a->rows.bill, *sum = a->rows.sum;
	bool is_worth = all && !(isnan(all->month) && isnan(all->million));

	if (is_worth && a->rows.is_bill) {
		buf_add_text(out, "costs ");
		add_sums(a, all, true, out);
		return;
	}
	add_use(a, sum, out);
	if (!is_worth)
		return;
	buf_add_text(out, "; what it uses is worth ");
	add_sums(a, all, false, out);
}

static void write_headline(struct page *p, const struct cost_answer *a)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	if (a->name) {
		wording_add(&text, str_from(a->name), WORDING_TEXT_BYTES);
		buf_add_text(&text, " of ");
	}
	wording_add(&text, str_from(a->service ? a->service : "the program"),
		    WORDING_TEXT_BYTES);
	buf_add_char(&text, ' ');
	if (a->cost->want->is_compared)
		add_difference(a, &text);
	else
		add_cost(a, &text);
	page_sentence(p, buf_str(&text));
	page_flush(p, PAINT_BOLD, "", 0);
	out_char(p->out, '\n');
	buf_release(&text);
}

/* ---- what it rests on ---- */

static void label(struct page *p, const char *text)
{
	page_flush(p, PAINT_NONE, text, LABEL_COLUMNS);
}

static void write_side(struct page *p, const char *name,
		       const struct comparison_side *side)
{
	char samples[COUNT_TEXT_BYTES];

	page_foreign(p, side->selector);
	if (side->range.to_ns) {
		page_text(p, ", ");
		page_window(p, side->range, 0);
	}
	if (side->profile.sample_count >= 0) {
		format_count(side->profile.sample_count, samples);
		page_textf(p, ", %s samples", samples);
	}
	label(p, name);
}

static void write_requests(struct page *p, const char *name,
			   const struct cost_number *n, double rate)
{
	char count[COUNT_TEXT_BYTES];

	if (!n->source)
		return;
	format_count(sat_round_f64(n->value), count);
	page_text(p, count);
	if (rate > 0)
		page_textf(p, ", %.3g a second", rate);
	page_textf(p, ", %s", source_words(n->source));
	label(p, name);
}

static void add_resource(struct page *p, const struct cost_resource *r,
			 bool is_memory)
{
	double unit = is_memory ? (double)GIB : 1;
	const char *name = is_memory ? "GiB" : "vCPU";

	page_textf(p, "%.3g %s used", r->used.value / unit, name);
	if (r->allocated.source)
		page_textf(p, " of %.3g allocated, %.0f %%",
			   r->allocated.value / unit,
			   100 * r->used.value / r->allocated.value);
	page_textf(p, " (%s%s%s)", source_words(r->used.source),
		   r->allocated.source ? "; allocated: " : "",
		   r->allocated.source ? source_words(r->allocated.source)
				       : "");
}

static void write_resources(struct page *p, const struct cost_answer *a)
{
	const struct cost *c = a->cost;

	for (int i = 0; i < COST_WHATS; i++)
		if (c->resources[i].used.source) {
			add_resource(p, &c->resources[i], i == COST_MEMORY);
			label(p, i == COST_MEMORY ? "  memory" : "  CPU");
		}
	if (c->instances.source) {
		page_textf(p, "%.3g, %s", c->instances.value,
			   source_words(c->instances.source));
		label(p, "  instances");
	}
}

static void add_price(const struct cost_answer *a, double price,
		      const char *what, struct buf *out)
{
	if (!(price >= 0))
		return;
	buf_addf(out, "%s%.6g", out->len ? ", " : "", price);
	cost_add_currency(a, out);
	buf_add_text(out, what);
}

static void write_prices(struct page *p, const struct cost_answer *a)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	add_price(a, a->prices.cpu * 3600, " a vCPU hour", &text);
	add_price(a, a->prices.memory * 3600, " a GiB hour", &text);
	add_price(a, a->prices.request * COST_MILLION, " a million requests",
		  &text);
	if (text.len && a->prices.note) {
		buf_add_text(&text, "; ");
		wording_add(&text, str_from(a->prices.note),
			    WORDING_TEXT_BYTES);
	}
	if (text.len)
		buf_addf(&text, "; a month is %.0f h at this rate",
			 COST_MONTH_S / 3600);
	page_sentence(p, buf_str(&text));
	label(p, "  prices");
	buf_release(&text);
}

static void write_evidence(struct page *p, const struct cost_answer *a)
{
	const struct cost *c = a->cost;
	const struct comparison *all = &c->chosen.comparison;

	write_side(p, "  profile", &all->slow);
	write_requests(p, "  requests", &c->requests, cost_request_rate(c));
	if (all->has_base) {
		write_side(p, "  baseline", &all->base);
		write_requests(p, "  requests", &c->baseline_requests, 0);
	}
	write_resources(p, a);
	write_prices(p, a);
}

/* ---- all of it ---- */

static void write_next(struct page *p, const struct cost_answer *a)
{
	struct buf line;

	if (!a->servers.ptr || !a->service)
		return;
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&line, "tracefind profile --service");
	shell_word_add(&line, str_from(a->service));
	buf_add_str(&line, a->servers);
	if (line.state == BUF_OK)
		markdown_next(p, buf_str(&line), true);
	buf_release(&line);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct cost_answer *a = answer;
	struct page p;

	page_begin(&p, style, out);
	write_headline(&p, a);
	write_evidence(&p, a);
	cost_write_tables(&p, a);
	cost_write_size(&p, a);
	if (!style->is_quiet) {
		out_char(out, '\n');
		page_notes(&p, a->notes, STR(""));
		write_next(&p, a);
	}
	page_end(&p);
}

/* ---- notes ---- */

void cost_notes_add(const struct cost_answer *a, struct notes *notes)
{
	static const char *const lacks[] = {
		[COST_LACK_TRACES] = "no server of traces answers",
		[COST_LACK_REQUESTS] = "no traces of its requests were found",
		[COST_LACK_SPANS] = "the samples carry no spans of them, which "
				    "span profiles would",
	};
	const struct cost *c = a->cost;

	if (!a->rows.bill)
		notes_add(notes,
			  "no price is known, so that nothing is priced: "
			  "--price-cpu and --price-memory, or --prices FILE");
	else if (c->what == COST_CPU && c->resources[COST_MEMORY].used.source &&
		 !(a->prices.memory >= 0))
		notes_add(notes, "memory has no price (--price-memory) and is "
				 "no part of this");
	if (a->rows.bill && !a->name && !a->rows.is_bill)
		notes_add(notes,
			  "this is what is used, and not the bill: what is "
			  "allocated is not known (--vcpu, --limit-bytes and "
			  "--instances, or limits at --metrics-url)");
	else if (c->want->is_compared && a->rows.is_bill)
		notes_add(notes, "the difference is in CPU that is used; the "
				 "bill changes when what is allocated does");
	if (c->what == COST_MEMORY)
		notes_add(notes, "functions have their share of memory in use "
				 "in what the processes take; a snapshot does "
				 "not tell how far that wanders");
	else if (isnan(c->functions.whole.error))
		notes_add(notes, "the values are no samples: how far they "
				 "wander is not known");
	else if (!c->functions.is_by_slices)
		notes_add(notes, "the noise is assumed, one profile does not "
				 "tell it");
	if (c->want->profiles.path_count > 1 && c->seconds > 0)
		notes_add(notes,
			  "the files are taken to follow each other; those of "
			  "instances at the same time take that many times as "
			  "much a second");
	if (c->operation_lack > COST_LACK_ASKED)
		notes_add(notes, "CPU is not divided among operations: %s",
			  lacks[c->operation_lack]);
}

/* ---- csv ---- */

static void csv_number(struct out *out, double value)
{
	out_char(out, ',');
	if (isfinite(value))
		outf(out, "%.9g", value);
}

static void csv_row(struct out *out, const char *kind, struct str name,
		    const struct function_cost *f, const struct cost_row *row)
{
	out_text(out, kind);
	out_char(out, ',');
	if (name.len)
		escape_csv(out, name);
	out_char(out, ',');
	if (f && f->file.len)
		escape_csv(out, f->file);
	out_char(out, ',');
	if (f && f->line)
		outf(out, "%u", f->line);
	csv_number(out, row->amount);
	csv_number(out, row->each);
	csv_number(out, row->low);
	csv_number(out, row->high);
	csv_number(out, row->million);
	csv_number(out, row->month);
	out_char(out, '\n');
}

static void write_csv(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost *c = a->cost;

	out_text(out, "kind,name,file,line,amount,per_request_s,low,high,"
		      "per_million,per_month\n");
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct cost_row *row = &a->rows.items[i];

		csv_row(out, cost_row_name(row->kind),
			row->function ? row->function->name : STR(""),
			row->function, row);
	}
	for (size_t i = 0; i < c->operation_count && !c->operation_lack; i++) {
		const struct cost_operation *o = &c->operations[i];
		struct cost_row row;

		cost_operation_row(c, &a->prices, o, &row);
		csv_row(out, "operation", o->name, NULL, &row);
	}
}

static const struct answer_format others[] = {
	{ "gcloud", cost_write_gcloud },
	{ "kubernetes", cost_write_kubernetes },
	{ NULL },
};

const struct answer_writer cost_writer = {
	.table = write_table,
	.json = cost_write_json,
	.csv = write_csv,
	.others = others,
};
