/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/kind_share.h"

#include "analyze/code_memo.h"
#include "base/num.h"

#define BIT(kind) (1u << (kind))

static const enum code_kind precedence[] = {
	CODE_GC_ALLOC,    CODE_LOCK,          CODE_DATABASE,
	CODE_HTTP_CLIENT, CODE_SERIALISATION, CODE_IDLE,
};

static bool counts_waiting(const struct profile *p)
{
	struct str type = profile_type_name(p);

	return str_equal(type, STR("delay")) ||
	       str_equal(type, STR("contentions"));
}

enum code_kind kind_within(const struct profile *p, enum code_kind kind)
{
	return kind == CODE_RUNTIME && counts_waiting(p) ? CODE_IDLE : kind;
}

/* What of a stack is left to decide by, frame by frame. */
struct frames {
	unsigned int seen; /* bits of kinds beneath the application */
	enum code_kind leaf;
	bool has_application;
	bool is_kernel;
	bool is_waiting; /* as in kind_within() */
};

static void frame_add(struct frames *f, const struct code_class *c)
{
	enum code_kind kind = c->kind;

	f->is_kernel |= c->is_kernel_entry;
	if (f->is_kernel && kind == CODE_APPLICATION)
		kind = CODE_KERNEL;
	if (f->is_waiting && kind == CODE_RUNTIME)
		kind = CODE_IDLE;
	f->leaf = kind;
	if (kind == CODE_APPLICATION) {
		f->has_application = true;
		f->seen = 0;
	} else if (!c->is_leaf_only) {
		f->seen |= BIT(kind);
	}
}

static enum code_kind frames_kind(const struct frames *f)
{
	unsigned int seen = f->seen | BIT(f->leaf);

	if (!f->has_application && (seen & BIT(CODE_IDLE)) &&
	    !(seen & BIT(CODE_LOCK)))
		return CODE_IDLE;
	for (size_t i = 0; i < sizeof precedence / sizeof *precedence; i++)
		if (seen & BIT(precedence[i]))
			return precedence[i];
	return f->leaf;
}

static enum code_kind stack_kind(const struct profile *p,
				 const struct code_class *classes,
				 const struct stack *stack)
{
	struct frames f = { .leaf = CODE_APPLICATION,
			    .is_waiting = counts_waiting(p) };

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t frame = p->frame_ids[stack->frame_first + i];

		frame_add(&f, &classes[p->frames[frame].function]);
	}
	return frames_kind(&f);
}

void kind_shares_sum(const struct profile *p, const struct code_class *classes,
		     struct kind_shares *out)
{
	*out = (struct kind_shares){ .total = 0 };
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *stack = &p->stacks[i];
		int64_t *value = &out->value[stack_kind(p, classes, stack)];

		if (!stack->frame_count)
			continue;
		*value = sat_add_i64(*value, stack->value);
		out->total = sat_add_i64(out->total, stack->value);
	}
}

static void classify(const struct profile *p, const struct code_rules *rules,
		     struct code_class *classes)
{
	struct language_votes votes = { { 0 } };
	unsigned int languages;

	for (uint32_t f = 0; f < p->function_count; f++)
		code_memo_vote(rules, function_name(p, f), function_file(p, f),
			       &votes);
	languages = language_votes_result(&votes);
	for (uint32_t f = 0; f < p->function_count; f++)
		classes[f] = code_classify(rules, function_name(p, f),
					   function_file(p, f), languages);
}

bool kind_shares_compute(const struct profile *p,
			 const struct code_rules *rules,
			 struct kind_shares *out, struct error *err)
{
	struct arena arena;
	struct code_class *classes;
	bool is_done = true;

	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	classes = arena_array(&arena, p->function_count, sizeof *classes);
	if (classes) {
		classify(p, rules, classes);
		kind_shares_sum(p, classes, out);
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
