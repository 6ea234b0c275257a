/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/kind_share.h"

#include "analyze/code_memo.h"
#include "base/num.h"
#include "model/stack_walk.h"

#define BIT(kind) (1u << (kind))

static const enum code_kind precedence[] = {
	CODE_GC_ALLOC,    CODE_LOCK,          CODE_DATABASE,
	CODE_HTTP_CLIENT, CODE_SERIALISATION, CODE_IDLE,
};

bool kinds_wait(const struct profile *p)
{
	struct str type = profile_type_name(p);

	return str_equal(type, STR("delay")) ||
	       str_equal(type, STR("contentions"));
}

enum code_kind kind_within(const struct profile *p, enum code_kind kind)
{
	return kind == CODE_RUNTIME && kinds_wait(p) ? CODE_IDLE : kind;
}

static enum code_kind decide(unsigned int seen, enum code_kind leaf,
			     bool has_application)
{
	seen |= BIT(leaf);
	if (!has_application && (seen & BIT(CODE_IDLE)) &&
	    !(seen & BIT(CODE_LOCK)))
		return CODE_IDLE;
	for (size_t i = 0; i < sizeof precedence / sizeof *precedence; i++)
		if (seen & BIT(precedence[i]))
			return precedence[i];
	return leaf;
}

/* From the leaf up to the deepest application frame. */
enum code_kind stack_kind(const unsigned char *classes, const uint32_t *frames,
			  uint32_t count, uint32_t kernel_from, bool is_waiting)
{
	enum code_kind leaf = CODE_APPLICATION;
	unsigned int seen = 0;

	for (uint32_t i = count; i-- > 0;) {
		struct code_class c = code_class_unpack(classes[frames[i]]);

		if (i >= kernel_from && c.kind == CODE_APPLICATION)
			c.kind = CODE_KERNEL;
		if (is_waiting && c.kind == CODE_RUNTIME)
			c.kind = CODE_IDLE;
		if (i + 1 == count)
			leaf = c.kind;
		if (c.kind == CODE_APPLICATION)
			return decide(seen, leaf, true);
		if (!c.is_leaf_only)
			seen |= BIT(c.kind);
	}
	return decide(seen, leaf, false);
}

void kind_shares_add(struct kind_shares *shares, enum code_kind kind,
		     int64_t value)
{
	shares->value[kind] = sat_add_i64(shares->value[kind], value);
	shares->total = sat_add_i64(shares->total, value);
}

static uint32_t find_kernel(const unsigned char *classes,
			    const struct stack_walk *stack)
{
	uint32_t i = 0;

	while (i < stack->count &&
	       !code_class_unpack(classes[stack->frames[i]]).is_kernel_entry)
		i++;
	return i;
}

static void sum(const struct profile *p, const unsigned char *classes,
		struct kind_shares *out)
{
	bool is_waiting = kinds_wait(p);
	struct stack_walk stack;

	*out = (struct kind_shares){ .total = 0 };
	stack_walk_init(&stack, p);
	while (stack_walk_next(&stack))
		kind_shares_add(out,
				stack_kind(classes, stack.frames, stack.count,
					   find_kernel(classes, &stack),
					   is_waiting),
				stack.value);
}

/* by_function is scratch. */
static void classify(const struct profile *p, const struct code_rules *rules,
		     unsigned char *by_function, unsigned char *classes)
{
	struct language_votes votes = { { 0 } };
	unsigned int languages;

	for (uint32_t f = 0; f < p->function_count; f++)
		code_memo_vote(rules, function_name(p, f), function_file(p, f),
			       &votes);
	languages = language_votes_result(&votes);
	for (uint32_t f = 0; f < p->function_count; f++) {
		struct code_class c =
			code_classify(rules, function_name(p, f),
				      function_file(p, f), languages);

		by_function[f] = code_class_pack(&c);
	}
	for (uint32_t i = 0; i < p->frame_count; i++)
		classes[i] = by_function[p->frames[i].function];
}

bool kind_shares_compute(const struct profile *p,
			 const struct code_rules *rules,
			 struct kind_shares *out, struct error *err)
{
	struct arena arena;
	unsigned char *by_function, *classes;
	bool is_done = true;

	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	by_function = arena_array(&arena, p->function_count, 1);
	classes = arena_array(&arena, p->frame_count, 1);
	if (by_function && classes) {
		classify(p, rules, by_function, classes);
		sum(p, classes, out);
	} else {
		is_done = arena_fail(&arena, "sorting functions by kind", err);
	}
	arena_release(&arena);
	return is_done;
}

double kind_growth_share(const struct kind_shares *slow, double slow_exposure,
			 const struct kind_shares *base, double base_exposure,
			 enum code_kind kind)
{
	double sum = 0, of_kind = 0;

	if (!(slow_exposure > 0) || !(base_exposure > 0))
		return 0;
	for (int k = 0; k < CODE_KIND_COUNT; k++) {
		double growth = (double)slow->value[k] / slow_exposure -
				(double)base->value[k] / base_exposure;

		if (growth <= 0)
			continue;
		sum += growth;
		if (k == (int)kind)
			of_kind = growth;
	}
	return sum > 0 ? of_kind / sum : 0;
}
