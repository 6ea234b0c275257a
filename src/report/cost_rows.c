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

	row->amount = known(cost_cores(r->c, value));
	row->each = known(cost_per_request(r->c, value));
	row->low = isnan(both) ? NAN : cost_row_value(row) * fmax(0, 1 - both);
	row->high = cost_row_value(row) * (1 + both);
	set_money(row, r->prices->cpu);
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

static double used_cores(const struct cost *c)
{
	double profiled = cost_cores(c, c->functions.whole.value);

	return fmax(known(profiled), c->resources[COST_CPU].used.source
					     ? c->resources[COST_CPU].used.value
					     : NAN);
}

static void add_cpu(struct rows *r)
{
	double whole = r->c->functions.whole.value;
	double used = used_cores(r->c), profiled = cost_cores(r->c, whole);
	bool has_more = used > profiled * (1 + UNPROFILED_PART);
	struct cost_row *row;

	if (has_more) {
		row = add(r, COST_ROW_UNPROFILED);
		set_amount(r, row, used - profiled);
		set_money(row, r->prices->cpu);
	}
	row = add(r, COST_ROW_CPU);
	set_value(r, row, whole, r->c->functions.whole.error);
	if (has_more) {
		set_amount(r, row, used);
		row->low = row->high = NAN;
		set_money(row, r->prices->cpu);
	}
}

/* ---- the machine ---- */

static void add_idle(struct rows *r, enum cost_row_kind kind, double given,
		     double used, double price)
{
	struct cost_row *row;

	if (!(given > 0))
		return;
	row = add(r, kind);
	set_amount(r, row, fmax(0, given - used));
	set_money(row, price);
	r->out->idle = (isnan(r->out->idle) ? 0 : r->out->idle) + row->month;
}

static double in_gib(struct cost_number n)
{
	return n.source ? n.value / (double)GIB : NAN;
}

static void add_memory(struct rows *r)
{
	const struct cost_resource *memory = &r->c->resources[COST_MEMORY];
	double used = in_gib(memory->used);
	struct cost_row *row;

	if (memory->used.source) {
		row = add(r, COST_ROW_MEMORY);
		set_amount(r, row, used);
		set_money(row, r->prices->memory);
	}
	add_idle(r, COST_ROW_IDLE_MEMORY, in_gib(memory->allocated),
		 memory->used.source ? used : 0, r->prices->memory);
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
		r->out->bill = parts ? r->out->cpu : NULL;
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

	*out = (struct cost_rows){ .idle = NAN };
	out->items = arena_array(arena, room, sizeof *out->items);
	if (!out->items)
		return arena_fail(arena, "the answer", err);
	add_functions(&r, limit);
	add_cpu(&r);
	out->cpu = &out->items[out->count - 1];
	add_idle(&r, COST_ROW_IDLE_CPU, c->resources[COST_CPU].allocated.value,
		 used_cores(c), prices->cpu);
	add_memory(&r);
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
				: cost_cores(c, value);
}

double cost_of_change(const struct cost *c, const struct cost_prices *prices,
		      double value)
{
	double per_s =
		c->is_by_request ? value * known(cost_request_rate(c)) : value;

	return COST_MONTH_S * per_s * known(prices->cpu);
}
