/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cost_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "investigate/cost.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "report/texts.h"

/* "given", "metrics", ...; NULL: not known. */
static const char *cost_source_name(enum cost_source source)
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

/* A number with who says so; both null where it is not known. */
static void json_number(struct jsonw *w, const char *key,
			const struct cost_number *n)
{
	if (!jsonw_key_known(w, key, n->source))
		return;
	jsonw_addf(w, "{value:%.9f, by:%s}", n->value,
		   cost_source_name(n->source));
}

static void json_resource(struct jsonw *w, const char *key,
			  const struct cost_resource *r)
{
	jsonw_addf(w, "%s:{", key);
	json_number(w, "used", &r->used);
	json_number(w, "allocated", &r->allocated);
	jsonw_object_end(w);
}

/* "function", "cpu_idle"...: what programs are told. */
static const char *cost_row_name(enum cost_row_kind kind)
{
	static const char *const names[] = {
		[COST_ROW_FUNCTION] = "function",
		[COST_ROW_OTHERS] = "other_functions",
		[COST_ROW_UNPROFILED] = "cpu_in_no_profile",
		[COST_ROW_CPU] = "cpu_used",
		[COST_ROW_IDLE_CPU] = "cpu_idle",
		[COST_ROW_MEMORY] = "memory_used",
		[COST_ROW_IDLE_MEMORY] = "memory_idle",
		[COST_ROW_REQUESTS] = "requests",
		[COST_ROW_BILL] = "all",
	};

	return names[kind];
}

static void json_row_values(struct jsonw *w, const struct cost_row *r)
{
	jsonw_addf(w,
		   "per_request:%.9f, per_request_low:%.9f, "
		   "per_request_high:%.9f, money_per_million:%.9f, "
		   "money_per_month:%.9f}",
		   r->each, r->low, r->high, r->million, r->month);
}
static void json_operations(struct jsonw *w, const struct cost_answer *a)
{
	const struct cost *c = a->cost;

	jsonw_addf(w, "operations:[");
	for (size_t i = 0; i < c->operation_count; i++) {
		const struct cost_operation *o = &c->operations[i];
		struct cost_row of;

		cost_operation_row(c, &a->prices, o, &of);
		jsonw_addf(w, "{name:%.*s, spans:%zu, share:%.6f",
			   STR_WHOLE(o->name), o->spans, o->share);
		json_row_values(w, &of);
	}
	jsonw_addf(w, "], operation_total:%zu", c->operation_total);
}

/* ---- the difference ---- */

static void json_change(struct jsonw *w, const struct cost_answer *a,
			double delta, double low, double high)
{
	static const char *const ends[] = { "", "_low", "_high" };
	const double parts[] = { delta, low, high };
	double values[3];
	char key[32];

	for (size_t i = 0; i < 3; i++) {
		values[i] = cost_change(a->cost, a->result, parts[i]);
		snprintf(key, sizeof key, "change%s", ends[i]);
		jsonw_addf(w, "%s:%.9f", key, values[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "money_per_month%s", ends[i]);
		jsonw_addf(w, "%s:%.9f", key,
			   cost_of_change(a->cost, &a->prices, values[i]));
	}
}

static void json_difference(struct jsonw *w, const struct cost_answer *a)
{
	const struct result *r = a->result;

	if (!jsonw_key_known(w, "difference", a->cost->want->is_compared))
		return;
	jsonw_addf(w, "{baseline:%.*s", STR_WHOLE(r->baseline.kind));
	json_range(w, r->baseline.range);
	json_number(w, "requests", &a->cost->baseline_requests);
	jsonw_addf(w, "per:%s, is_certain:%i",
		   a->cost->is_by_request ? "request" : "second",
		   r->whole.is_changed);
	json_change(w, a, r->whole.delta, r->whole.delta_low,
		    r->whole.delta_high);
	jsonw_addf(w, "functions:[");
	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *f = &r->functions[i];

		if (!change_is_real(f->change))
			continue;
		jsonw_addf(w, "{name:%.*s, file:%-.*s, line:%-u, leaf:%-.*s",
			   STR_WHOLE(f->name), STR_WHOLE(f->file), f->line,
			   STR_WHOLE(f->leaf));
		json_change(w, a, f->delta, f->delta_low, f->delta_high);
		jsonw_object_end(w);
	}
	jsonw_addf(w, "]}");
}

/* ---- the size ---- */

static double value_positive(double value)
{
	return value > 0 ? value : NAN;
}

static void json_advice(struct jsonw *w, const char *key,
			const struct cost_size *s, enum cost_what what)
{
	const struct size_advice *of = &s->advice[what];
	struct cost_advised now;

	cost_advised(s, &now);
	if (!jsonw_key_known(w, key, of->count))
		return;
	jsonw_addf(w, "{values:%zu, p50:%.9f, p90:%.9f, p95:%.9f, peak:%.9f",
		   of->count, of->p50, of->p90, of->p95, of->peak);
	jsonw_addf(w,
		   "request_now:%.9f, limit_now:%.9f, request_hint:%.9f, "
		   "limit_hint:%.9f, lower_bound:%.9f, upper_bound:%.9f}",
		   value_positive(s->request[what]),
		   value_positive(s->limit[what]),
		   value_positive(now.request[what]),
		   value_positive(now.limit[what]), of->low, of->high);
}

static void json_size(struct jsonw *w, const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;

	if (!jsonw_key_known(w, "right_size", a->cost->want->has_size))
		return;
	jsonw_addf(w, "{refused:%s, hours:%.2f, instances:%zu, throttled:%-.6f",
		   cost_refusal_name(s->refusal), s->hours, s->instances,
		   s->throttled);
	json_advice(w, "cpu", s, COST_CPU);
	json_advice(w, "memory", s, COST_MEMORY);
	jsonw_object_end(w);
}

static void cost_write_json(const void *answer, struct out *out)
{
	static const char *const lack_names[] = {
		[COST_LACK_NONE] = NULL,
		[COST_LACK_ASKED] = "not_asked",
		[COST_LACK_TRACES] = "no_traces",
		[COST_LACK_REQUESTS] = "no_requests",
		[COST_LACK_SPANS] = "no_span_samples",
	};
	static const struct function_cost no_function;
	const struct cost_answer *a = answer;
	const struct cost *c = a->cost;
	struct jsonw w;

	json_begin(&w, out, "cost");
	jsonw_addf(&w, "service:%s, profile:%.*s, resource:%s", a->service,
		   STR_WHOLE(c->chosen.comparison.slow.selector),
		   c->what == COST_MEMORY ? "memory" : "cpu");
	json_range(&w, cost_window(c));
	jsonw_pair_known(&w, "samples",
			 c->chosen.comparison.slow.profile.sample_count);
	json_number(&w, "requests", &c->requests);
	jsonw_pair_f64(&w, "seconds", value_positive(c->seconds), 9);
	jsonw_addf(&w,
		   "prices:{cpu_vcpu_second:%-.15f, memory_gib_second:%-.15f, "
		   "request:%-.15f, currency:%s, note:%s}",
		   a->prices.cpu, a->prices.memory, a->prices.request,
		   a->prices.currency, a->prices.note);
	json_resource(&w, "cpu", &c->resources[COST_CPU]);
	json_resource(&w, "memory", &c->resources[COST_MEMORY]);
	json_number(&w, "instances", &c->instances);
	jsonw_addf(&w, "rows:[");
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct cost_row *r = &a->rows.items[i];
		const struct function_cost *f =
			r->function ? r->function : &no_function;

		jsonw_addf(&w,
			   "{kind:%s, name:%-.*s, file:%-.*s, line:%-u, "
			   "leaf:%-.*s, amount:%.9f",
			   cost_row_name(r->kind), STR_WHOLE(f->name),
			   STR_WHOLE(f->file), f->line, STR_WHOLE(f->leaf),
			   r->amount);
		json_row_values(&w, r);
	}
	jsonw_addf(&w, "], operations_lack:%s", lack_names[c->operation_lack]);
	json_operations(&w, a);
	json_difference(&w, a);
	json_size(&w, a);
	json_end(&w, a->notes);
}

/* The cost of the requests of a service, as rows that add up: functions, what
 * of the machine lies idle, memory, and all of it, with what that is worth.
 * Numbers only; the formats have the words. */

/* The part from which usage outside of profiles is listed: more than two ways
 * to measure lie apart. */
#define UNPROFILED_PART 0.02

struct rows {
	const struct cost *c;
	const struct cost_prices *prices;
	struct cost_rows *out;
};

static double value_known(double value)
{
	return value >= 0 ? value : NAN;
}

static struct cost_row *cost_row_add(struct rows *r, enum cost_row_kind kind)
{
	struct cost_row *row = &r->out->items[r->out->count++];

	*row = (struct cost_row){ .kind = kind,
				  .amount = NAN,
				  .each = NAN,
				  .low = NAN,
				  .high = NAN,
				  .million = NAN,
				  .month = NAN };
	return row;
}

#define COST_MILLION 1e6

/* By what it takes a second, and a request. */
static void set_money(struct cost_row *row, double price)
{
	row->million = COST_MILLION * row->each * value_known(price);
	row->month = COST_MONTH_S * row->amount * value_known(price);
}

/* ---- CPU ---- */

static void set_value(const struct rows *r, struct cost_row *row, double value,
		      double error)
{
	double of_requests = r->c->requests_error;
	double both = sqrt(error * error + of_requests * of_requests);

	row->amount = value_known(cost_amount(r->c, value));
	row->each = value_known(cost_per_request(r->c, value));
	row->low = isnan(both) ? NAN : cost_row_value(row) * fmax(0, 1 - both);
	row->high = cost_row_value(row) * (1 + both);
	set_money(row, r->c->what == COST_MEMORY ? r->prices->memory
						 : r->prices->cpu);
}

static void add_functions(struct rows *r, size_t limit)
{
	const struct function_costs *all = &r->c->functions;
	double rest = all->whole.value;
	size_t others = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct function_cost *f = &all->items[i];
		struct cost_row *row;

		/* An error as large as the value has nothing to tell. */
		if (f->error >= 1 || (limit && i - others >= limit)) {
			others++;
			continue;
		}
		row = cost_row_add(r, COST_ROW_FUNCTION);
		row->function = f;
		set_value(r, row, f->value, f->error);
		rest -= f->value;
	}
	if (rest > 0) { /* without stacks, too */
		struct cost_row *row = cost_row_add(r, COST_ROW_OTHERS);

		row->count = others;
		set_value(r, row, rest, NAN);
	}
}

/* A number of cores beside the profile. */
static void set_amount(const struct rows *r, struct cost_row *row,
		       double amount)
{
	row->amount = amount;
	row->each = amount / value_known(cost_request_rate(r->c));
}

static double number_of(struct cost_number n, double unit)
{
	return n.source ? n.value / unit : NAN;
}

/* The sum, and of CPU what metrics have beside it. */
static void add_sum(struct rows *r)
{
	const struct cost *c = r->c;
	bool is_memory = c->what == COST_MEMORY;
	double whole = c->functions.whole.value;
	double profiled = value_known(cost_amount(c, whole));
	double used = fmax(profiled, number_of(c->resources[COST_CPU].used, 1));
	bool has_more = !is_memory && used > profiled * (1 + UNPROFILED_PART);
	struct cost_row *row;

	if (has_more) {
		row = cost_row_add(r, COST_ROW_UNPROFILED);
		set_amount(r, row, used - profiled);
		set_money(row, r->prices->cpu);
	}
	row = cost_row_add(r, is_memory ? COST_ROW_MEMORY : COST_ROW_CPU);
	set_value(r, row, whole, c->functions.whole.error);
	if (has_more) {
		set_amount(r, row, used);
		row->low = row->high = NAN;
		set_money(row, r->prices->cpu);
	}
	r->out->sum = row;
}

/* ---- the machine ---- */

static bool is_bill(const struct cost *c, const struct cost_prices *p)
{
	bool has_cpu = c->resources[COST_CPU].allocated.source;
	bool has_memory = c->resources[COST_MEMORY].allocated.source;

	return (p->cpu >= 0 || p->memory >= 0) && (has_cpu || p->cpu < 0) &&
	       (has_memory || p->memory < 0);
}

/* Adds the used part, unless the functions are of it, and the idle one. */
static void add_resource_row(struct rows *r, enum cost_what what)
{
	static const enum cost_row_kind kinds[] = { COST_ROW_CPU,
						    COST_ROW_MEMORY };
	static const enum cost_row_kind idle[] = { COST_ROW_IDLE_CPU,
						   COST_ROW_IDLE_MEMORY };
	const struct cost_resource *resource = &r->c->resources[what];
	double unit = what == COST_MEMORY ? (double)GIB : 1;
	double price = what == COST_MEMORY ? r->prices->memory : r->prices->cpu;
	double used = number_of(resource->used, unit);
	double given = number_of(resource->allocated, unit);
	struct cost_row *row;

	if (what == r->c->what) {
		used = r->out->sum->amount;
	} else if (resource->used.source) {
		row = cost_row_add(r, kinds[what]);
		set_amount(r, row, used);
		set_money(row, price);
	}
	if (!(given > 0) || (price >= 0 && !r->out->is_bill))
		return;
	row = cost_row_add(r, idle[what]);
	set_amount(r, row, fmax(0, given - (isnan(used) ? 0 : used)));
	set_money(row, price);
	if (price >= 0)
		r->out->idle += row->month;
}

/* Where all that is billed has a price. */
static void add_bill(struct rows *r)
{
	struct cost_row *bill;
	double million = 0, month = 0;
	size_t parts = 0;

	for (size_t i = 0; i < r->out->count; i++) {
		const struct cost_row *row = &r->out->items[i];

		if (row->kind < COST_ROW_CPU ||
		    (isnan(row->million) && isnan(row->month)))
			continue;
		parts++;
		million += row->million;
		month += row->month;
	}
	if (parts < 2) {
		r->out->bill = parts ? r->out->sum : NULL;
		return;
	}
	bill = cost_row_add(r, COST_ROW_BILL);
	bill->million = million;
	bill->month = month;
	r->out->bill = bill;
}

bool cost_rows_build(const struct cost *c, const struct cost_prices *prices,
		     size_t limit, struct arena *arena, struct cost_rows *out,
		     struct error *err)
{
	struct rows r = { c, prices, out };
	size_t room = c->functions.count + COST_ROW_BILL + 1;

	*out = (struct cost_rows){ .is_bill = is_bill(c, prices) };
	out->items = arena_array(arena, room, sizeof *out->items);
	if (!out->items)
		return arena_fail(arena, "the answer", err);
	add_functions(&r, limit);
	add_sum(&r);
	add_resource_row(&r, c->what);
	add_resource_row(&r, c->what == COST_CPU ? COST_MEMORY : COST_CPU);
	if (prices->request >= 0 && c->requests.source) {
		struct cost_row *row = cost_row_add(&r, COST_ROW_REQUESTS);

		row->million = COST_MILLION * prices->request;
		row->month = COST_MONTH_S * prices->request *
			     value_known(cost_request_rate(c));
	}
	add_bill(&r);
	return true;
}

void cost_operation_row(const struct cost *c, const struct cost_prices *prices,
			const struct cost_operation *o, struct cost_row *out)
{
	/* How many of them are traced is not known. */
	double rate = c->requests.source == COST_OF_TRACES
			      ? NAN
			      : value_known(cost_request_rate(c)) * o->share;

	*out = (struct cost_row){ .amount = o->is_known ? rate * o->cpu_s : NAN,
				  .each = o->is_known ? o->cpu_s : NAN,
				  .low = o->is_known ? o->low_s : NAN,
				  .high = o->is_known ? o->high_s : NAN };
	set_money(out, prices->cpu);
}

double cost_change(const struct cost *c, const struct result *r, double part)
{
	double value = part * (double)r->profile.total_value;

	return c->is_by_request ? cost_per_request(c, value)
				: cost_amount(c, value);
}

double cost_of_change(const struct cost *c, const struct cost_prices *prices,
		      double value)
{
	double per_s = c->is_by_request
			       ? value * value_known(cost_request_rate(c))
			       : value;

	return COST_MONTH_S * per_s * value_known(prices->cpu);
}

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

static const char *source_words(enum cost_source source)
{
	static const char *const words[] = {
		[COST_UNKNOWN] = "not known",
		[COST_GIVEN] = "as given",
		[COST_OF_METRICS] = "source: metrics",
		[COST_OF_TRACES] = "source: kept traces",
		[COST_OF_PROFILES] = "source: profiles",
		[COST_OF_REQUESTS] = "pod requests",
		[COST_OF_LIMITS] = "pod limits",
	};

	return words[source];
}

/* ---- the first line ---- */

/* Where all of it changed, of those that did so in the same direction. */
static const struct function_row *largest_change(const struct cost_answer *a)
{
	const struct result *r = a->result;
	const struct function_row *best = NULL;

	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];

		if (change_is_real(row->change) &&
		    (!r->whole.is_changed ||
		     (row->delta > 0) == (r->whole.delta > 0)) &&
		    (!best || fabs(row->delta) > fabs(best->delta)))
			best = row;
	}
	return best;
}

/* Appends the cost of a change per month, or where nothing has a price its
 * amount. */
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
		wording_add_ns(out, fabs(change) * NS_PER_S);
	else
		buf_addf(out, "%.3g vCPU", fabs(change));
}

/* Behind the first such number. */
static void add_change_unit(const struct cost_answer *a, struct buf *out)
{
	if (!isnan(cost_of_change(a->cost, &a->prices, 0))) {
		cost_add_currency(a, out);
		buf_add_text(out, " per month");
	} else if (a->cost->is_by_request) {
		buf_addf(out, " of CPU per %s", cost_request_word(a));
	}
}

static void add_interval(const struct cost_answer *a, double low, double high,
			 struct buf *out)
{
	if (isnan(low) || isnan(high))
		return;
	buf_add_text(out, " (95 %: ");
	add_change(a, low, true, out);
	buf_add_text(out, " to ");
	add_change(a, high, true, out);
	if (!isnan(cost_of_change(a->cost, &a->prices, 0)))
		cost_add_currency(a, out);
	buf_add_text(out, ")");
}

static void add_difference(const struct cost_answer *a, struct buf *out)
{
	const struct whole_change *w = &a->result->whole;
	const struct function_row *row = largest_change(a);

	/* "costs 10.5 USD a month more in pack_rows (95 %: ...)": what is
	 * certain comes before all of it, which is not. */
	if (!w->is_changed) {
		if (row) {
			buf_add_text(out, "costs ");
			add_change(a, fabs(row->delta), false, out);
			add_change_unit(a, out);
			buf_addf(out, " %s in ",
				 row->delta > 0 ? "more" : "less");
			wording_add(out, row->name, WORDING_TEXT_BYTES);
			add_interval(a, row->delta_low, row->delta_high, out);
			buf_add_text(out, "; in total, within noise, ");
		} else {
			buf_add_text(out, "costs the same as the baseline, "
					  "within noise: ");
		}
		add_change(a, w->delta, true, out);
		add_change_unit(a, out);
		add_interval(a, w->delta_low, w->delta_high, out);
		return;
	}
	buf_add_text(out, "costs ");
	add_change(a, fabs(w->delta), false, out);
	add_change_unit(a, out);
	buf_add_text(out, w->delta > 0 ? " more" : " less");
	buf_add_text(out, " than the baseline");
	add_interval(a, w->delta_low, w->delta_high, out);
	if (row) {
		buf_add_text(out, ", ");
		add_change(a, fabs(row->delta), false, out);
		if (!isnan(cost_of_change(a->cost, &a->prices, 0)))
			cost_add_currency(a, out);
		buf_add_text(out, " of it in ");
		wording_add(out, row->name, WORDING_TEXT_BYTES);
	}
}

/* "36.8 USD a month", "7.56 USD a million requests": what is known. */
static void add_sums(const struct cost_answer *a, const struct cost_row *all,
		     bool has_idle, struct buf *out)
{
	if (!isnan(all->month)) {
		add_money(a, all->month, false, out);
		buf_add_text(out, " per month");
	}
	if (!isnan(all->month) && has_idle) {
		buf_add_text(out, ", ");
		add_money(a, a->rows.idle, false, out);
		buf_add_text(out, " of it idle");
	}
	if (isnan(all->million))
		return;
	buf_add_text(out, isnan(all->month) ? "" : has_idle ? "; " : ", ");
	add_money(a, all->million, false, out);
	buf_addf(out, " per million %ss", cost_request_word(a));
}

static void add_cost(const struct cost_answer *a, struct buf *out)
{
	const struct cost_row *all = a->rows.bill, *sum = a->rows.sum;
	bool is_worth = all && !(isnan(all->month) && isnan(all->million));
	char size[UNIT_TEXT_BYTES];

	if (is_worth && a->rows.is_bill) {
		buf_add_text(out, "costs ");
		add_sums(a, all, true, out);
		return;
	}
	/* "uses 71.2 ms of CPU per request", "uses 0.13 vCPU", "holds 204 MiB"
	 */
	if (a->cost->what == COST_MEMORY) {
		format_size(sat_round_f64(sum->amount * (double)GIB), size);
		buf_addf(out, "holds %s", size);
	} else if (isnan(sum->each)) {
		buf_addf(out, "uses %.3g vCPU", sum->amount);
	} else {
		buf_add_text(out, "uses ");
		wording_add_ns(out, sum->each * NS_PER_S);
		buf_addf(out, " of CPU per %s", cost_request_word(a));
	}
	if (!is_worth)
		return;
	buf_add_text(out, "; its usage is worth ");
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

static void page_label(struct page *p, const char *text)
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
	page_label(p, name);
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
		page_textf(p, ", %.3g per second", rate);
	page_textf(p, ", %s", source_words(n->source));
	page_label(p, name);
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
			page_label(p, i == COST_MEMORY ? "  memory" : "  CPU");
		}
	if (c->instances.source) {
		page_textf(p, "%.3g, %s", c->instances.value,
			   source_words(c->instances.source));
		page_label(p, "  instances");
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
	add_price(a, a->prices.cpu * 3600, " per vCPU hour", &text);
	add_price(a, a->prices.memory * 3600, " per GiB hour", &text);
	add_price(a, a->prices.request * COST_MILLION, " per million requests",
		  &text);
	if (text.len && a->prices.note) {
		buf_add_text(&text, "; ");
		wording_add(&text, str_from(a->prices.note),
			    WORDING_TEXT_BYTES);
	}
	if (text.len)
		buf_addf(&text, "; 1 month = %.0f h at this rate",
			 COST_MONTH_S / 3600);
	page_sentence(p, buf_str(&text));
	page_label(p, "  prices");
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
		if (a->servers.ptr && a->service) {
			struct buf line;

			buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
			buf_add_text(&line, "tracefind profile --service");
			shell_word_add(&line, str_from(a->service));
			buf_add_str(&line, a->servers);
			markdown_next_line(&p, &line, true);
		}
	}
	page_end(&p);
}

/* ---- notes ---- */

void cost_notes_add(const struct cost_answer *a, struct notes *notes)
{
	static const char *const lacks[] = {
		[COST_LACK_TRACES] = "no trace server answers",
		[COST_LACK_REQUESTS] = "no traces of the service were found",
		[COST_LACK_SPANS] = "the samples have no span ids (enable span "
				    "profiles)",
	};
	const struct cost *c = a->cost;

	if (!a->rows.bill)
		notes_add(notes,
			  "no prices given: --price-cpu and --price-memory, or "
			  "--prices FILE");
	else if (c->what == COST_CPU && c->resources[COST_MEMORY].used.source &&
		 !(a->prices.memory >= 0))
		notes_add(notes, "memory is left out: it has no price "
				 "(--price-memory)");
	if (a->rows.bill && !a->prices.currency)
		notes_add(notes, "the prices have no currency (--currency)");
	if (a->rows.bill && !a->name && !a->rows.is_bill)
		notes_add(notes,
			  "this is usage, not the bill: the allocation is not "
			  "known (--vcpu, --limit-bytes and --instances, or "
			  "limits at --metrics-url)");
	else if (c->want->is_compared && a->rows.is_bill)
		notes_add(notes, "the difference is in CPU used; the bill "
				 "changes with the allocation");
	if (c->what == COST_MEMORY)
		notes_add(notes, "functions get their share of memory in use; "
				 "a snapshot has no noise estimate");
	else if (isnan(c->functions.whole.error))
		notes_add(notes, "significance not tested: the values are not "
				 "sample counts");
	else if (!c->functions.is_by_slices)
		notes_add(notes, "noise is assumed: one profile has no "
				 "run-to-run variance");
	if (c->want->profiles.path_count > 1 && c->seconds > 0)
		notes_add(notes,
			  "the files are assumed to be consecutive; if N "
			  "instances were profiled at the same time, usage per "
			  "second is N times as high");
	if (c->operation_lack > COST_LACK_ASKED)
		notes_add(notes, "CPU is not split by operation: %s",
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
	{ "gcloud-apply", cost_write_gcloud_apply },
	{ "kubernetes-apply", cost_write_kubernetes_apply },
	{ NULL },
};

const struct answer_writer cost_writer = {
	.table = write_table,
	.json = cost_write_json,
	.csv = write_csv,
	.others = others,
};
