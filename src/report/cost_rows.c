/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cost_rows.h"

#include <math.h>

#include "base/num.h"

/* What is measured beside profiles is listed when it is more than how far two
 * ways to measure lie apart. */
#define UNPROFILED_PART 0.02

struct rows {
	const struct cost *c;
	const struct cost_prices *prices;
	struct cost_rows *out;
};

static double known(double value)
{
	return value >= 0 ? value : NAN;
}

static struct cost_row *add(struct rows *r, enum cost_row_kind kind)
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

/* By what it takes a second, and a request. */
static void set_money(struct cost_row *row, double price)
{
	row->million = COST_MILLION * row->each * known(price);
	row->month = COST_MONTH_S * row->amount * known(price);
}

/* ---- CPU ---- */

static void set_value(const struct rows *r, struct cost_row *row, double value,
		      double error)
{
	double of_requests = r->c->requests_error;
	double both = sqrt(error * error + of_requests * of_requests);

	row->amount = known(cost_amount(r->c, value));
	row->each = known(cost_per_request(r->c, value));
	row->low = isnan(both) ? NAN : cost_row_value(row) * fmax(0, 1 - both);
	row->high = cost_row_value(row) * (1 + both);
	set_money(row, r->c->what == COST_MEMORY ? r->prices->memory
						 : r->prices->cpu);
}

static bool is_told(const struct function_cost *f)
{
	return isnan(f->error) || f->error < 1;
}

static void add_functions(struct rows *r, size_t limit)
{
	const struct function_costs *all = &r->c->functions;
	double rest = all->whole.value;
	size_t others = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct function_cost *f = &all->items[i];
		struct cost_row *row;

		if (!is_told(f) || (limit && i - others >= limit)) {
			others++;
			continue;
		}
		row = add(r, COST_ROW_FUNCTION);
		row->function = f;
		set_value(r, row, f->value, f->error);
		rest -= f->value;
	}
	if (rest > 0) { /* without stacks, too */
		struct cost_row *row = add(r, COST_ROW_OTHERS);

		row->count = others;
		set_value(r, row, rest, NAN);
	}
}

/* A number of cores beside the profile. */
static void set_amount(const struct rows *r, struct cost_row *row,
		       double amount)
{
	row->amount = amount;
	row->each = amount / known(cost_request_rate(r->c));
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
	double profiled = known(cost_amount(c, whole));
	double used = fmax(profiled, number_of(c->resources[COST_CPU].used, 1));
	bool has_more = !is_memory && used > profiled * (1 + UNPROFILED_PART);
	struct cost_row *row;

	if (has_more) {
		row = add(r, COST_ROW_UNPROFILED);
		set_amount(r, row, used - profiled);
		set_money(row, r->prices->cpu);
	}
	row = add(r, is_memory ? COST_ROW_MEMORY : COST_ROW_CPU);
	set_value(r, row, whole, c->functions.whole.error);
	if (has_more) {
		set_amount(r, row, used);
		row->low = row->high = NAN;
		set_money(row, r->prices->cpu);
	}
	r->out->sum = row;
}

/* ---- the machine ---- */

static void add_idle(struct rows *r, enum cost_row_kind kind, double given,
		     double used, double price)
{
	struct cost_row *row;

	if (!(given > 0) || (price >= 0 && !r->out->is_bill))
		return;
	row = add(r, kind);
	set_amount(r, row, fmax(0, given - used));
	set_money(row, price);
	if (price >= 0)
		r->out->idle += row->month;
}

static bool is_bill(const struct cost *c, const struct cost_prices *p)
{
	bool has_cpu = c->resources[COST_CPU].allocated.source;
	bool has_memory = c->resources[COST_MEMORY].allocated.source;

	return (p->cpu >= 0 || p->memory >= 0) && (has_cpu || p->cpu < 0) &&
	       (has_memory || p->memory < 0);
}

/* What is used, unless the functions are of it, and what lies idle. */
static void add_resource(struct rows *r, enum cost_what what)
{
	static const enum cost_row_kind kinds[] = { COST_ROW_CPU,
						    COST_ROW_MEMORY };
	static const enum cost_row_kind idle[] = { COST_ROW_IDLE_CPU,
						   COST_ROW_IDLE_MEMORY };
	const struct cost_resource *resource = &r->c->resources[what];
	double unit = what == COST_MEMORY ? (double)GIB : 1;
	double price = what == COST_MEMORY ? r->prices->memory : r->prices->cpu;
	double used = number_of(resource->used, unit);
	struct cost_row *row;

	if (what == r->c->what) {
		used = r->out->sum->amount;
	} else if (resource->used.source) {
		row = add(r, kinds[what]);
		set_amount(r, row, used);
		set_money(row, price);
	}
	add_idle(r, idle[what], number_of(resource->allocated, unit),
		 isnan(used) ? 0 : used, price);
}

static void add_requests(struct rows *r)
{
	struct cost_row *row;

	if (!(r->prices->request >= 0) || !r->c->requests.source)
		return;
	row = add(r, COST_ROW_REQUESTS);
	row->million = COST_MILLION * r->prices->request;
	row->month = COST_MONTH_S * r->prices->request *
		     known(cost_request_rate(r->c));
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
	bill = add(r, COST_ROW_BILL);
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
	add_resource(&r, c->what);
	add_resource(&r, c->what == COST_CPU ? COST_MEMORY : COST_CPU);
	add_requests(&r);
	add_bill(&r);
	return true;
}

void cost_operation_row(const struct cost *c, const struct cost_prices *prices,
			const struct cost_operation *o, struct cost_row *out)
{
	/* How many of them are traced is not known. */
	double rate = c->requests.source == COST_OF_TRACES
			      ? NAN
			      : known(cost_request_rate(c)) * o->share;

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
	double per_s =
		c->is_by_request ? value * known(cost_request_rate(c)) : value;

	return COST_MONTH_S * per_s * known(prices->cpu);
}
