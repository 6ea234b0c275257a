/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "model/profile.h"

/* Rounds down, so that the remainder is never negative. */
static int64_t divide_floor(int64_t value, int64_t divisor, int64_t *remainder)
{
	int64_t quotient = value / divisor;

	*remainder = value % divisor;
	if (*remainder < 0) {
		*remainder += divisor;
		quotient--;
	}
	return quotient;
}

/* Of packed ones the caller knows that the sum fits. */
static void multiply_packed(struct packed_stacks *packed, int64_t factor)
{
	for (struct packed_chunk *c = packed->chunks; c; c = c->next)
		c->value_unit *= (uint64_t)factor;
	for (uint32_t i = 0; i < packed->place_count; i++)
		packed->sums[i] = sat_mul_i64(packed->sums[i], factor);
	packed->divisor = sat_mul_i64(packed->divisor, factor);
}

void profile_multiply(struct profile *p, int64_t factor)
{
	if (factor == 1)
		return;
	if (p->packed) {
		multiply_packed(p->packed, factor);
		p->total = sat_mul_i64(p->total, factor);
	} else {
		p->total = 0; /* capped values sum up to something else */
	}
	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		p->stacks[i].value = sat_mul_i64(p->stacks[i].value, factor);
		p->total = sat_add_i64(p->total, p->stacks[i].value);
	}
	p->whole_total = sat_mul_i64(p->whole_total, factor);
	p->omitted = sat_mul_i64(p->omitted, factor);
	p->filtered = sat_mul_i64(p->filtered, factor);
	p->period = sat_mul_i64(p->period, factor);
}

void profile_divide(struct profile *p, int64_t divisor)
{
	int64_t carry = 0, total = 0;
	bool is_whole = p->whole_total == p->total;
	bool is_positive = p->whole_total - p->omitted == p->total;
	uint32_t kept = 0;

	if (divisor < 2)
		return;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		struct stack stack = p->stacks[i];

		stack.value = divide_floor(sat_add_i64(stack.value, carry),
					   divisor, &carry);
		if (stack.value == 0)
			continue;
		total = sat_add_i64(total, stack.value);
		p->stacks[kept++] = stack;
	}
	p->stack_count = kept;
	p->total = total;
	p->whole_total = is_whole ? total : p->whole_total / divisor;
	p->omitted =
		is_positive ? p->whole_total - total : p->omitted / divisor;
}
