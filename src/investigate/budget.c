/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/comparison.h"

static bool plan_fits(const struct budget_want *want, struct budget_plan plan)
{
	return want->fixed + want->sides * plan.parts + plan.has_request +
		       plan.has_coverage + want->later <=
	       want->left;
}

struct budget_plan budget_plan(const struct budget_want *want)
{
	struct budget_plan plan = { COMPARISON_PARTS, want->has_request,
				    want->has_coverage };

	if (!plan_fits(want, plan))
		plan.has_request = false;
	while (plan.parts > 1 && !plan_fits(want, plan))
		plan.parts--;
	plan.has_coverage = plan.has_coverage && plan_fits(want, plan);
	return plan;
}

size_t budget_parts(size_t left, size_t sides)
{
	size_t parts = left / sides;

	if (parts > COMPARISON_PARTS)
		return COMPARISON_PARTS;
	return parts ? parts : 1;
}
