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
