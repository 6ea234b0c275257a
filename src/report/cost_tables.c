/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of what requests cost: numbers of a column have as many decimals
 * each, and sums are those of what is shown.
 */
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/page.h"
#include "render/units.h"
#include "report/cost_answer.h"
#include "report/texts.h"

#define NUMBER_COLUMNS 10u
#define INTERVAL_COLUMNS 20u
/* With signs. */
#define CHANGE_INTERVAL_COLUMNS 21u
#define SHARE_COLUMNS 7u
#define NAME_MIN_COLUMNS 20u

int cost_decimals(double largest, int digits)
{
	int decimals =
		largest > 0 ? digits - 1 - (int)floor(log10(largest)) : 0;

	return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

enum column { COLUMN_EACH, COLUMN_MILLION, COLUMN_MONTH, COLUMNS };

/* The units of a table. */
struct layout {
	const struct cost_answer *a;
	bool is_shown[COLUMNS];
	int decimals[COLUMNS];
	double unit_s; /* of COLUMN_EACH */
	const char *unit;
	bool is_by_request;
	int64_t sums[2][COLUMNS]; /* of the CPU, of the bill */
};

static double value_in(const struct layout *l, const struct cost_row *row,
		       enum column column)
{
	switch (column) {
	case COLUMN_EACH:
		return cost_row_value(row) / l->unit_s;
	case COLUMN_MILLION:
		return row->million;
	default:
		return row->month;
	}
}

/* Columns are asked for by what is known, units by how large it is. */
static void layout_unit(struct layout *l, double each)
{
	static const struct {
		double unit;
		const char *name;
	} units[COST_WHATS][3] = {
		{ { 1e-6, "us" }, { 1e-3, "ms" }, { 1, "s" } },
		{ { 1.0 / MIB, "KiB s" },
		  { 1.0 / KIB, "MiB s" },
		  { 1, "GiB s" } },
	};
	/* From where on the next one is told. */
	static const double edges[COST_WHATS][2] = { { 1e-5, 10 },
						     { 1.0 / KIB, 1 } };
	enum cost_what what = l->a->cost->what;
	int i = each < edges[what][0] ? 0 : each < edges[what][1] ? 1 : 2;

	if (isnan(each))
		return;
	l->unit_s = units[what][i].unit;
	l->unit = units[what][i].name;
	l->is_by_request = true;
}

static void layout_by(struct layout *l, const struct cost_row *sum,
		      const struct cost_row *all)
{
	bool is_memory = l->a->cost->what == COST_MEMORY;

	*l = (struct layout){ .a = l->a,
			      .unit_s = 1,
			      .unit = is_memory ? "GiB" : "vCPU" };
	layout_unit(l, sum->each);
	l->is_shown[COLUMN_EACH] = true;
	l->is_shown[COLUMN_MILLION] = !isnan(all->million);
	l->is_shown[COLUMN_MONTH] = !isnan(all->month);
	for (int i = 0; i < COLUMNS; i++)
		l->decimals[i] =
			cost_decimals(value_in(l, i == COLUMN_EACH ? sum : all,
					       (enum column)i),
				      4);
}

static void layout_begin(struct layout *l, const struct cost_answer *a)
{
	l->a = a;
	layout_by(l, a->rows.sum, a->rows.bill ? a->rows.bill : a->rows.sum);
}

/* Returns whether a row is of the resource that functions use. */
static bool is_of_sum(const struct layout *l, const struct cost_row *row)
{
	bool is_memory = row->kind == COST_ROW_MEMORY ||
			 row->kind == COST_ROW_IDLE_MEMORY;

	return row->kind < COST_ROW_REQUESTS &&
	       (row->kind < COST_ROW_CPU ||
		is_memory == (l->a->cost->what == COST_MEMORY));
}

/* In units of the column's last digit. */
static int64_t digits_of(const struct layout *l, const struct cost_row *row,
			 enum column column)
{
	return sat_round_f64(value_in(l, row, column) *
			     pow(10, l->decimals[column]));
}

static int64_t shown_value(struct layout *l, const struct cost_row *row,
			   enum column column)
{
	const struct cost_rows *rows = &l->a->rows;
	bool is_rest = row->kind == COST_ROW_OTHERS;
	int64_t value = digits_of(l, is_rest ? rows->sum : row, column);

	/* Functions that are not listed have what the other rows leave of the
	 * sum, so that rows add up and the sum is the one that the answer
	 * begins with. */
	for (size_t i = 0; is_rest && i < rows->count; i++)
		if (rows->items[i].kind < COST_ROW_CPU &&
		    rows->items[i].kind != COST_ROW_OTHERS)
			value -= digits_of(l, &rows->items[i], column);

	if (row == l->a->rows.sum && l->sums[0][column])
		return l->sums[0][column];
	if (row->kind == COST_ROW_BILL && l->sums[1][column])
		return l->sums[1][column];
	if (row->kind < COST_ROW_CPU)
		l->sums[0][column] += value;
	return value;
}

static void put_value(struct page *p, struct layout *l,
		      const struct cost_row *row, enum column column)
{
	char text[COST_TEXT_BYTES] = "";
	int64_t value;

	if (!l->is_shown[column])
		return;
	if (!isnan(value_in(l, row, column)) &&
	    (column != COLUMN_EACH || is_of_sum(l, row))) {
		value = shown_value(l, row, column);
		if (row->kind >= COST_ROW_CPU && row->kind < COST_ROW_BILL)
			l->sums[1][column] += value;
		snprintf(text, sizeof text, "%.*f", l->decimals[column],
			 (double)value / pow(10, l->decimals[column]));
	}
	markdown_or_field(
		p, row->kind == COST_ROW_FUNCTION ? PAINT_NONE : PAINT_BOLD,
		NUMBER_COLUMNS, text);
}

static void put_interval(struct page *p, const struct layout *l, double low,
			 double high)
{
	int decimals = l->decimals[COLUMN_EACH];
	char text[2 * COST_TEXT_BYTES] = "";

	if (!isnan(low) && !isnan(high))
		snprintf(text, sizeof text, "%.*f to %.*f", decimals,
			 low / l->unit_s, decimals, high / l->unit_s);
	markdown_or_field(p, PAINT_NONE, INTERVAL_COLUMNS, text);
}

/* The share of the bill; of CPU without prices. */
static void put_share(struct page *p, const struct cost_answer *a,
		      const struct cost_row *row)
{
	const struct cost_row *all = a->rows.bill ? a->rows.bill : a->rows.sum;
	double part = row->month / all->month;
	char text[UNIT_TEXT_BYTES] = "";

	if (isnan(part))
		part = row->million / all->million;
	if (isnan(part) && !a->rows.bill &&
	    (row->kind < COST_ROW_CPU || row == a->rows.sum))
		part = row->each / all->each;
	if (isnan(part) && !a->rows.bill &&
	    (row->kind < COST_ROW_CPU || row == a->rows.sum))
		part = row->amount / all->amount;
	if (!isnan(part))
		format_percent(part, text);
	markdown_or_field(p, PAINT_NONE, SHARE_COLUMNS, text);
}

static void row_words(const struct cost_row *row, struct buf *out)
{
	static const char *const words[] = {
		[COST_ROW_UNPROFILED] = "CPU in no profile",
		[COST_ROW_CPU] = "CPU used",
		[COST_ROW_IDLE_CPU] = "CPU idle",
		[COST_ROW_MEMORY] = "memory used",
		[COST_ROW_IDLE_MEMORY] = "memory idle",
		[COST_ROW_REQUESTS] = "requests",
		[COST_ROW_BILL] = "total",
	};

	if (row->kind != COST_ROW_OTHERS)
		buf_add_text(out, words[row->kind]);
	else if (row->count)
		buf_addf(out, "%zu other function%s", row->count,
			 &"s"[row->count == 1]);
	else
		buf_add_text(out, "samples without a stack");
}

static void put_place(struct page *p, const struct function_cost *f,
		      size_t before)
{
	size_t place =
		f->file.len ? page_place_columns(p, f->file, f->line) + 2 : 0;
	size_t room = p->width > before + place + NAME_MIN_COLUMNS
			      ? p->width - before - place
			      : NAME_MIN_COLUMNS;

	page_repeat(p, PAINT_NONE, " ", 2);
	if (p->width && p->width < before + place + NAME_MIN_COLUMNS) {
		room = p->width - before;
		place = 0;
	}
	page_cell(p, PAINT_NONE, f->name, p->width ? room : 0, 0);
	if (place) {
		page_repeat(p, PAINT_NONE, " ", 2);
		page_place(p, PAINT_DIM, f->file, f->line, 0);
	}
	out_char(p->out, '\n');
}

static size_t columns_before(const struct layout *l)
{
	size_t columns = INTERVAL_COLUMNS + SHARE_COLUMNS + 2;

	for (int i = 0; i < COLUMNS; i++)
		columns += l->is_shown[i] ? NUMBER_COLUMNS : 0;
	return columns;
}

/* Ends a row with a function, or in words what it is of. */
static void end_row(struct page *p, const struct function_cost *f,
		    const char *words, size_t before)
{
	if (p->style.is_markdown) {
		if (f) {
			markdown_name_cell(p, f->name);
			markdown_place_cell(p, f->file, f->line);
		} else {
			markdown_cell(p, words);
			markdown_cell(p, "");
		}
		markdown_row_end(p);
	} else if (f) {
		put_place(p, f, before);
	} else {
		page_paint(p, PAINT_NONE, "  ");
		page_paint(p, PAINT_BOLD, words);
		out_char(p->out, '\n');
	}
}

struct head {
	const char *name; /* NULL: no such column */
	size_t columns;
};

/* Numbers, the name of what they are of, and in Markdown its file. */
static void write_heads(struct page *p, const struct head *numbers,
			size_t count, const char *last, bool has_place)
{
	const char *names[COLUMNS + 4];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!numbers[i].name)
			continue;
		names[n++] = numbers[i].name;
		if (!p->style.is_markdown)
			page_field(p, PAINT_BOLD, ALIGN_RIGHT,
				   numbers[i].columns, numbers[i].name);
	}
	if (p->style.is_markdown) {
		names[n] = last;
		names[n + 1] = "file";
		out_char(p->out, '\n');
		markdown_head(p, names, n + 1 + has_place, n);
		return;
	}
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, last);
	out_char(p->out, '\n');
}

static void write_cost_heads(struct page *p, const struct layout *l,
			     const char *each, const char *last, bool has_place)
{
	const struct head heads[] = {
		{ each, NUMBER_COLUMNS },
		{ "95 %", INTERVAL_COLUMNS },
		{ l->is_shown[COLUMN_MILLION] ? "per 1M" : NULL,
		  NUMBER_COLUMNS },
		{ l->is_shown[COLUMN_MONTH] ? "per month" : NULL,
		  NUMBER_COLUMNS },
		{ "share", SHARE_COLUMNS },
	};

	write_heads(p, heads, COUNT_OF(heads), last, has_place);
}

static void write_title(struct page *p, const struct layout *l,
			const char *request, const char *what)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	buf_addf(&text, "%s %s%s, %s%s",
		 l->a->cost->what == COST_MEMORY ? "memory" : "CPU",
		 l->is_by_request ? "per " : "in use",
		 l->is_by_request ? request : "", l->unit, what);
	if (l->is_shown[COLUMN_MILLION] || l->is_shown[COLUMN_MONTH]) {
		buf_add_text(&text, "; money");
		if (l->a->prices.currency)
			buf_add_text(&text, " in");
		cost_add_currency(l->a, &text);
	}
	out_char(p->out, '\n');
	page_sentence(p, buf_str(&text));
	markdown_or_title(p);
	buf_release(&text);
}

static void write_rows(struct page *p, const struct cost_answer *a)
{
	struct layout l;
	struct buf words;

	layout_begin(&l, a);
	write_title(p, &l, cost_request_word(a), "");
	write_cost_heads(p, &l, l.is_by_request ? "per request" : l.unit,
			 "function", true);
	buf_init(&words, KIB);
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct cost_row *row = &a->rows.items[i];

		/* Memory is no CPU: without a price it is nothing here. */
		if (isnan(row->million) && isnan(row->month) &&
		    !is_of_sum(&l, row))
			continue;
		put_value(p, &l, row, COLUMN_EACH);
		put_interval(p, &l, row->low, row->high);
		put_value(p, &l, row, COLUMN_MILLION);
		put_value(p, &l, row, COLUMN_MONTH);
		put_share(p, a, row);
		buf_clear(&words);
		if (!row->function)
			row_words(row, &words);
		end_row(p, row->function, buf_text(&words), columns_before(&l));
	}
	buf_release(&words);
}

/* ---- operations ---- */

static void write_operation(struct page *p, struct layout *l,
			    const struct cost_operation *o)
{
	const struct cost_answer *a = l->a;
	char share[UNIT_TEXT_BYTES];
	struct cost_row row;

	cost_operation_row(a->cost, &a->prices, o, &row);
	put_value(p, l, &row, COLUMN_EACH);
	put_interval(p, l, row.low, row.high);
	put_value(p, l, &row, COLUMN_MILLION);
	put_value(p, l, &row, COLUMN_MONTH);
	format_percent(o->share, share);
	markdown_or_field(p, PAINT_NONE, SHARE_COLUMNS, share);
	if (p->style.is_markdown) {
		markdown_name_cell(p, o->name);
		markdown_row_end(p);
		return;
	}
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_NONE, o->name,
		  p->width > columns_before(l) + NAME_MIN_COLUMNS
			  ? p->width - columns_before(l)
		  : p->width ? NAME_MIN_COLUMNS
			     : 0,
		  0);
	out_char(p->out, '\n');
}

/* In the unit of the dearest. */
static void layout_operations(struct layout *l)
{
	const struct cost *c = l->a->cost;
	struct cost_row largest = { .each = 0, .million = NAN, .month = NAN };

	for (size_t i = 0; i < c->operation_count; i++) {
		struct cost_row row;

		cost_operation_row(c, &l->a->prices, &c->operations[i], &row);
		if (row.each > largest.each)
			largest = row;
	}
	layout_by(l, &largest, &largest);
}

static void write_operations(struct page *p, const struct cost_answer *a)
{
	const struct cost *c = a->cost;
	struct layout l = { .a = a };
	size_t spans = 0;

	if (c->operation_lack || !c->operation_count)
		return;
	layout_operations(&l);
	for (size_t i = 0; i < c->operation_count; i++)
		spans += c->operations[i].spans;
	write_title(p, &l, "request", ", by the samples of single requests");
	write_cost_heads(p, &l, "per request", "operation", false);
	for (size_t i = 0; i < c->operation_count; i++)
		write_operation(p, &l, &c->operations[i]);
	page_textf(p,
		   "%zu requests examined; share: of all traced ones",
		   spans);
	if (c->operation_total > c->operation_count)
		page_textf(p, "; %zu more operations were not examined",
			   c->operation_total - c->operation_count);
	page_flush(p, PAINT_DIM, "  ", 2);
}

/* ---- the difference ---- */

enum change_column { CHANGE_BEFORE, CHANGE_BY, CHANGE_MONTH, CHANGE_COLUMNS };

/* The rows of a difference so far, in last digits, and their format. */
struct changes_shown {
	const struct cost_answer *a;
	const struct layout *l;
	int decimals[CHANGE_COLUMNS];
	int64_t rest[CHANGE_COLUMNS];
	bool has_month;
};

static void change_values(const struct changes_shown *s, int64_t before,
			  double delta, double out[CHANGE_COLUMNS])
{
	const struct result *r = s->a->result;
	double exposure = r->baseline_exposure > 0 ? r->baseline_exposure : NAN;
	double change = cost_change(s->a->cost, r, delta);

	out[CHANGE_BEFORE] =
		(double)before * s->a->cost->unit_s / exposure / s->l->unit_s;
	out[CHANGE_BY] = change / s->l->unit_s;
	out[CHANGE_MONTH] = cost_of_change(s->a->cost, &s->a->prices, change);
}

static void put_change_interval(struct page *p, const struct changes_shown *s,
				double low, double high)
{
	double lows[CHANGE_COLUMNS], highs[CHANGE_COLUMNS];
	int decimals = s->decimals[CHANGE_BY];
	char text[2 * COST_TEXT_BYTES] = "";

	change_values(s, 0, low, lows);
	change_values(s, 0, high, highs);
	if (!isnan(low) && !isnan(high))
		snprintf(text, sizeof text, "%+.*f to %+.*f", decimals,
			 lows[CHANGE_BY], decimals, highs[CHANGE_BY]);
	markdown_or_field(p, PAINT_NONE, CHANGE_INTERVAL_COLUMNS, text);
}

/* Before, and how much more. */
static void write_change(struct page *p, const struct changes_shown *s,
			 const int64_t *units, double low, double high,
			 const struct function_cost *f, const char *words)
{
	char text[COST_TEXT_BYTES];

	for (int i = 0; i < CHANGE_COLUMNS; i++) {
		snprintf(text, sizeof text, i ? "%+.*f" : "%.*f",
			 s->decimals[i],
			 (double)units[i] / pow(10, s->decimals[i]));
		if (i != CHANGE_MONTH || s->has_month)
			markdown_or_field(p, PAINT_NONE, NUMBER_COLUMNS, text);
		if (i == CHANGE_BY)
			put_change_interval(p, s, low, high);
	}
	end_row(p, f, words,
		(2 + (size_t)s->has_month) * NUMBER_COLUMNS +
			CHANGE_INTERVAL_COLUMNS + 2);
}

static void write_function_change(struct page *p, struct changes_shown *s,
				  const struct function_row *row)
{
	const struct function_cost f = { .name = row->name,
					 .file = row->file,
					 .line = row->line };
	double values[CHANGE_COLUMNS];
	int64_t units[CHANGE_COLUMNS];

	change_values(s, row->baseline_self_lib_value, row->delta, values);
	for (int i = 0; i < CHANGE_COLUMNS; i++) {
		units[i] = sat_round_f64(values[i] * pow(10, s->decimals[i]));
		s->rest[i] -= units[i];
	}
	write_change(p, s, units, row->delta_low, row->delta_high, &f, "");
}

/* Before, after and how much more: columns end in the same digits, and what the
 * rows leave is one line. */
static void write_changes(struct page *p, struct changes_shown *s)
{
	const struct head heads[] = {
		{ "baseline", NUMBER_COLUMNS },
		{ "change", NUMBER_COLUMNS },
		{ "95 %", CHANGE_INTERVAL_COLUMNS },
		{ s->has_month ? "per month" : NULL, NUMBER_COLUMNS },
	};
	const struct result *r = s->a->result;
	size_t shown = 0;
	int64_t whole[CHANGE_COLUMNS];
	double values[CHANGE_COLUMNS];
	char words[COST_TEXT_BYTES];

	change_values(s, r->baseline.total_value, r->whole.delta, values);
	for (int i = 0; i < CHANGE_COLUMNS; i++) {
		s->decimals[i] = cost_decimals(
			i == CHANGE_MONTH ? fabs(values[i])
					  : fmax(fabs(values[CHANGE_BEFORE]),
						 fabs(values[CHANGE_BY])),
			4);
		whole[i] = s->rest[i] =
			sat_round_f64(values[i] * pow(10, s->decimals[i]));
	}
	write_heads(p, heads, COUNT_OF(heads), "function", true);
	for (size_t i = 0; i < r->function_count; i++)
		if (change_is_real(r->functions[i].change) &&
		    (!s->a->limit || shown < s->a->limit)) {
			write_function_change(p, s, &r->functions[i]);
			shown++;
		}
	snprintf(words, sizeof words, "%zu others%s", r->function_count - shown,
		 shown < r->change_total ? "" : ", each within noise");
	write_change(p, s, s->rest, NAN, NAN, NULL, words);
	write_change(p, s, whole, r->whole.delta_low, r->whole.delta_high, NULL,
		     "CPU used");
}

static void write_difference(struct page *p, const struct cost_answer *a)
{
	struct changes_shown s = { .a = a };
	struct layout l;

	if (!a->cost->want->is_compared)
		return;
	layout_begin(&l, a);
	if (!a->cost->is_by_request) {
		l.unit_s = 1;
		l.unit = "vCPU";
		l.is_by_request = false;
	}
	s.l = &l;
	s.has_month = !isnan(cost_of_change(a->cost, &a->prices, 0));
	l.is_shown[COLUMN_MILLION] = false;
	l.is_shown[COLUMN_MONTH] = s.has_month;
	write_title(p, &l, cost_request_word(a),
		    ", and the change at this traffic");
	write_changes(p, &s);
}

/* ---- all of them ---- */

void cost_write_tables(struct page *p, const struct cost_answer *a)
{
	write_difference(p, a);
	write_rows(p, a);
	write_operations(p, a);
}

#define SIZE_COLUMNS 9u

/* Limits keep their ratio to what is asked for; where nothing is asked for, the
 * limit is what is given. */
void cost_advised(const struct cost_size *size, struct cost_advised *out)
{
	*out = (struct cost_advised){ .request = { 0 } };
	for (int i = 0; i < COST_WHATS; i++) {
		double ratio = size->request[i] > 0
				       ? size->limit[i] / size->request[i]
				       : 1;

		if (size->refusal || !size->advice[i].count)
			continue;
		out->request[i] = size->advice[i].target;
		if (size->limit[i] > 0)
			out->limit[i] = out->request[i] * fmax(1, ratio);
	}
}

const char *cost_refusal_name(enum size_refusal refusal)
{
	static const char *const names[] = {
		[SIZE_ADVISED] = NULL,
		[SIZE_NO_METRICS] = "no_metrics",
		[SIZE_SHORT] = "too_short",
		[SIZE_THROTTLED] = "throttled",
	};

	return names[refusal];
}

void cost_refusal_text(const struct cost_size *size, struct buf *out)
{
	switch (size->refusal) {
	case SIZE_ADVISED:
		break;
	case SIZE_NO_METRICS:
		buf_add_text(out, "no metrics of the usage per instance "
				  "(--metrics-url)");
		break;
	case SIZE_SHORT:
		buf_addf(out,
			 "%.1f h of history are too short: %.0f h are needed, "
			 "to include night and peak hours",
			 size->hours, SIZE_LEAST_HOURS);
		break;
	case SIZE_THROTTLED:
		buf_addf(out,
			 "CPU is throttled in %.1f %% of periods, so usage is "
			 "below demand: raise the limit first",
			 100 * size->throttled);
		break;
	}
}

/* ---- for people ---- */

static void amount_put(struct page *p, double value, double unit)
{
	char text[COST_TEXT_BYTES] = "-";

	if (value > 0)
		snprintf(text, sizeof text, unit > 1 ? "%.0f" : "%.3f",
			 value / unit);
	markdown_or_field(p, PAINT_NONE, SIZE_COLUMNS, text);
}

static void write_row(struct page *p, const struct cost_size *s, int what)
{
	const struct size_advice *advice = &s->advice[what];
	double unit = what == COST_MEMORY ? (double)MIB : 1;
	const char *name = what == COST_MEMORY ? "MiB" : "vCPU";
	struct cost_advised now;

	cost_advised(s, &now);
	amount_put(p, s->request[what], unit);
	amount_put(p, s->limit[what], unit);
	amount_put(p, advice->p50, unit);
	amount_put(p, advice->p90, unit);
	amount_put(p, advice->p95, unit);
	amount_put(p, advice->peak, unit);
	amount_put(p, now.request[what], unit);
	amount_put(p, now.limit[what], unit);
	if (p->style.is_markdown) {
		markdown_cell(p, name);
		markdown_row_end(p);
		return;
	}
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, name);
	out_char(p->out, '\n');
}

static void write_size_heads(struct page *p)
{
	static const char *const names[] = { "request", "limit", "p50",
					     "p90",     "p95",   "peak",
					     "hint",    "limit", "of" };
	size_t numbers = COUNT_OF(names) - 1;

	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), numbers);
		return;
	}
	for (size_t i = 0; i < numbers; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, SIZE_COLUMNS, names[i]);
	out_char(p->out, '\n');
}

/* Returns the change of cost, in what is requested or else limited. */
static double cost_saving(const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;
	const double prices[COST_WHATS] = { a->prices.cpu,
					    a->prices.memory / (double)GIB };
	struct cost_advised now;
	double sum = 0;

	cost_advised(s, &now);
	for (int i = 0; i < COST_WHATS; i++) {
		double has = s->request[i] > 0 ? s->request[i] : s->limit[i];
		double wanted =
			s->request[i] > 0 ? now.request[i] : now.limit[i];

		if (has > 0 && wanted > 0 && prices[i] >= 0)
			sum += (has - wanted) * prices[i];
	}
	return sum * a->cost->instances.value * COST_MONTH_S;
}

static void write_saving(struct page *p, const struct cost_answer *a)
{
	double money = cost_saving(a);
	char text[COST_TEXT_BYTES];
	struct buf line;

	if (!(fabs(money) > 0))
		return;
	buf_init(&line, KIB);
	cost_format_money(fabs(money), false, text);
	buf_addf(&line, "this size costs %s", text);
	cost_add_currency(a, &line);
	buf_addf(&line, " per month %s, for %.3g instances",
		 money > 0 ? "less" : "more", a->cost->instances.value);
	page_sentence(p, buf_str(&line));
	markdown_or_title(p);
	buf_release(&line);
}

void cost_write_size(struct page *p, const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;
	struct buf text;

	if (!a->cost->want->has_size)
		return;
	out_char(p->out, '\n');
	buf_init(&text, KIB);
	cost_refusal_text(s, &text);
	if (s->refusal)
		page_textf(p, "no suggested instance size: %s",
			   buf_text(&text));
	else
		page_textf(p,
			   "suggested instance size: p90 of CPU + %.0f %%, "
			   "peak memory + %.0f %%; from %.0f h of %zu "
			   "instances, weights halving per day of age",
			   100 * SIZE_MARGIN, 100 * SIZE_MARGIN, s->hours,
			   s->instances);
	markdown_or_title(p);
	buf_release(&text);
	if (!s->advice[COST_CPU].count && !s->advice[COST_MEMORY].count)
		return;
	write_size_heads(p);
	for (int i = 0; i < COST_WHATS; i++)
		if (s->advice[i].count)
			write_row(p, s, i);
	if (!s->refusal)
		write_saving(p, a);
}

/* ---- for platforms ---- */

/* Up, to what they count in. */
int64_t cost_milli_cores(double cores)
{
	return sat_from_f64(ceil(cores * 1000 - 1e-6));
}

int64_t cost_mebibytes(double bytes)
{
	return sat_from_f64(ceil(bytes / (double)MIB - 1e-6));
}

void cost_write_inputs(const struct cost_size *s, struct out *out)
{
	outf(out,
	     "# Suggested from the usage of %zu instance%s over %.0f h: CPU "
	     "p90 + %.0f %%, memory peak + %.0f %%.\n",
	     s->instances, &"s"[s->instances == 1], s -> hours,
	     100 * SIZE_MARGIN, 100 * SIZE_MARGIN);
	if (s->advice[COST_CPU].count)
		outf(out, "# CPU: p50 %.3f, p90 %.3f, p95 %.3f, peak %.3f\n",
		     s->advice[COST_CPU].p50, s->advice[COST_CPU].p90,
		     s->advice[COST_CPU].p95, s->advice[COST_CPU].peak);
	if (s->advice[COST_MEMORY].count)
		outf(out,
		     "# Memory, MiB: p50 %.0f, p90 %.0f, p95 %.0f, peak %.0f\n",
		     s->advice[COST_MEMORY].p50 / MIB,
		     s->advice[COST_MEMORY].p90 / MIB,
		     s->advice[COST_MEMORY].p95 / MIB,
		     s->advice[COST_MEMORY].peak / MIB);
}

static void write_amounts(struct out *out, const char *name,
			  const double values[COST_WHATS])
{
	if (!(values[COST_CPU] > 0) && !(values[COST_MEMORY] > 0))
		return;
	outf(out, "            %s:\n", name);
	if (values[COST_CPU] > 0)
		outf(out, "              cpu: %lldm\n",
		     (long long)cost_milli_cores(values[COST_CPU]));
	if (values[COST_MEMORY] > 0)
		outf(out, "              memory: %lldMi\n",
		     (long long)cost_mebibytes(values[COST_MEMORY]));
}

void cost_write_kubernetes(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost_size *s = &a->cost->size;
	struct cost_advised now;

	cost_advised(s, &now);
	cost_write_inputs(s, out);
	out_text(out, "# For kubectl patch --patch-file; assumes that the "
		      "container has the name of the service.\nspec:\n  "
		      "template:\n    spec:\n      containers:\n        - "
		      "name: \"");
	escape_json(out, str_from(a->service));
	out_text(out, "\"\n          resources:\n");
	write_amounts(out, "requests", now.request);
	write_amounts(out, "limits", now.limit);
}

/* The sizes of an instance of Cloud Run: whole vCPU, since less takes requests
 * one at a time, with so much memory. */
static const struct {
	int cores;
	int64_t least_mib;
	int64_t most_mib;
} run_sizes[] = { { 1, 128, 4096 },
		  { 2, 128, 8192 },
		  { 4, 2048, 16384 },
		  { 6, 4096, 24576 },
		  { 8, 4096, 32768 } };

void cost_write_run_sizes(struct out *out)
{
	for (size_t i = 0; i < COUNT_OF(run_sizes); i++)
		outf(out, "	%d) least=%lld most=%lld ;;\n", run_sizes[i].cores,
		     (long long)run_sizes[i].least_mib,
		     (long long)run_sizes[i].most_mib);
}

void cost_run_size(const struct cost_size *s, struct cost_run_size *out)
{
	struct cost_advised now;
	int64_t memory;
	size_t i = 0;

	cost_advised(s, &now);
	memory = cost_mebibytes(now.request[COST_MEMORY]);
	while (i + 1 < COUNT_OF(run_sizes) &&
	       (run_sizes[i].cores < now.request[COST_CPU] ||
		run_sizes[i].most_mib < memory))
		i++;
	*out = (struct cost_run_size){
		.cores = run_sizes[i].cores,
		.mib = max_i64(memory, run_sizes[i].least_mib),
	};
}

void cost_write_gcloud(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost_size *s = &a->cost->size;
	struct cost_run_size now;
	struct buf line;

	cost_run_size(s, &now);
	cost_write_inputs(s, out);
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&line, "gcloud run services update");
	shell_word_add(&line, str_from(a->service));
	if (s->advice[COST_CPU].count)
		buf_addf(&line, " --cpu=%d", now.cores);
	if (s->advice[COST_MEMORY].count)
		buf_addf(&line, " --memory=%lldMi", (long long)now.mib);
	out_text(out, buf_text(&line));
	out_char(out, '\n');
	buf_release(&line);
}
