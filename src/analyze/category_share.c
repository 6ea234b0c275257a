/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/category_share.h"

#include "analyze/code_kind.h"
#include "base/num.h"
#include "model/profile.h"

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

bool counts_goroutines(const struct profile *p)
{
	static const char *const types[] = { "goroutine", "goroutines",
					     "goroutineleak" };

	return str_is_one_of(profile_type_name(p), types, COUNT_OF(types));
}

enum code_kind kind_within(const struct profile *p, enum code_kind kind)
{
	return kind == CODE_RUNTIME && kinds_wait(p) ? CODE_IDLE : kind;
}

static enum code_kind category_decide(unsigned int seen, enum code_kind leaf,
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

static struct code_class class_of(uint32_t word)
{
	return code_class_unpack((unsigned char)(word >> KIND_SHIFT));
}

/* From the leaf up to the deepest application frame. */
enum code_kind stack_kind(const uint32_t *words, uint32_t count,
			  uint32_t kernel_from, bool is_waiting)
{
	enum code_kind leaf = CODE_APPLICATION;
	unsigned int seen = 0;

	for (uint32_t i = count; i-- > 0;) {
		struct code_class c = class_of(words[i]);

		if (i >= kernel_from &&
		    (c.kind == CODE_APPLICATION || c.kind == CODE_UNKNOWN))
			c.kind = CODE_KERNEL;
		if (is_waiting && c.kind == CODE_RUNTIME)
			c.kind = CODE_IDLE;
		if (i + 1 == count)
			leaf = c.kind;
		if (c.kind == CODE_APPLICATION)
			return category_decide(seen, leaf, true);
		if (!c.is_leaf_only)
			seen |= BIT(c.kind);
	}
	return category_decide(seen, leaf, false);
}

void kind_shares_add(struct category_shares *shares, enum code_kind kind,
		     int64_t value)
{
	shares->value[kind] = sat_add_i64(shares->value[kind], value);
	shares->total = sat_add_i64(shares->total, value);
}

uint32_t stack_kernel_from(const uint32_t *words, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && !class_of(words[i]).is_kernel_entry)
		i++;
	return i;
}

/* Facts about the current stack. */
struct seen {
	struct stack_walk walk;
	uint32_t words[LIMIT_STACK_FRAMES];
};

static void category_shares_sum(const struct profile *p,
				const uint32_t *by_frame, struct seen *seen,
				struct category_shares *out,
				struct category_shares *of_application)
{
	bool is_waiting = kinds_wait(p);
	uint32_t *words = seen->words;
	struct stack_walk *w = &seen->walk;

	*out = (struct category_shares){ .total = 0 };
	if (of_application)
		*of_application = *out;
	stack_walk_init(w, p);
	while (stack_walk_next(w)) {
		enum code_kind kind;
		bool has_own = false;

		for (uint32_t i = w->kept; i < w->count; i++)
			words[i] = by_frame[w->frames[i]];
		kind = stack_kind(words, w->count,
				  stack_kernel_from(words, w->count),
				  is_waiting);
		kind_shares_add(out, kind, w->value);
		for (uint32_t i = 0; of_application && !has_own && i < w->count;
		     i++)
			has_own = class_of(words[i]).kind == CODE_APPLICATION;
		if (has_own)
			kind_shares_add(of_application, kind, w->value);
	}
}

/* by_function is scratch. */
static void frames_classify(const struct profile *p,
			    const struct code_rules *rules,
			    unsigned char *by_function, uint32_t *words)
{
	struct language_votes votes = { { 0 } };
	unsigned int languages;

	for (uint32_t f = 0; f < p->function_count; f++)
		language_votes_add_function(&votes, function_name(p, f),
					    function_file(p, f));
	languages = language_votes_result(&votes);
	for (uint32_t f = 0; f < p->function_count; f++) {
		struct code_class c =
			code_classify(rules, function_name(p, f),
				      function_file(p, f), languages);

		by_function[f] = code_class_pack(&c);
	}
	for (uint32_t i = 0; i < p->frame_count; i++)
		words[i] = (uint32_t)by_function[p->frames[i].function]
			   << KIND_SHIFT;
}

/* Where tracing libraries make the span of a call, by parts of names. */
static const char *const tracers[] = {
	"otelhttp.(*Transport).RoundTrip",
	"otelgrpc.(*clientHandler)",
	"otelgrpc.UnaryClientInterceptor",
	"otelgrpc.StreamClientInterceptor",
	"ochttp.(*Transport).RoundTrip",
	"dd-trace-go/contrib/net/http.(*roundTripper)",
	"nethttp.(*Transport).RoundTrip",
	"opentelemetry.instrumentation.requests",
	"opentelemetry.instrumentation.urllib3",
	"opentelemetry.instrumentation.httpx",
	"opentelemetry.instrumentation.aiohttp_client",
	"opentelemetry.instrumentation.grpc",
};

/* The state of leaving out calls, in an arena. */
struct calls_in {
	const uint32_t *by_frame;
	const bool *is_tracer; /* by function */
	struct seen seen;
	bool are_all;
};

static bool is_call(const struct profile *p, struct calls_in *c,
		    const struct stack *s)
{
	const uint32_t *frames = &p->frame_ids[s->frame_first];
	uint32_t *words = c->seen.words;
	bool is_traced = c->are_all;

	for (uint32_t i = 0; i < s->frame_count; i++) {
		words[i] = c->by_frame[frames[i]];
		is_traced |= c->is_tracer[p->frames[frames[i]].function];
	}
	return is_traced &&
	       stack_kind(words, s->frame_count,
			  stack_kernel_from(words, s->frame_count),
			  kinds_wait(p)) == CODE_HTTP_CLIENT;
}

/* Marks which stacks of a profile are no such calls. False: no memory. */
static bool mark_others(const struct profile *p, const struct code_rules *rules,
			bool are_all, struct arena *scratch, bool *is_other)
{
	unsigned char *by_function = arena_array(scratch, p->function_count, 1);
	uint32_t *words = arena_array(scratch, p->frame_count, sizeof *words);
	bool *traces = arena_array(scratch, p->function_count, sizeof *traces);
	struct calls_in *calls = arena_alloc(scratch, sizeof *calls);

	if (!by_function || !words || !traces || !calls)
		return false;
	frames_classify(p, rules, by_function, words);
	for (uint32_t f = 0; f < p->function_count; f++)
		for (size_t i = 0; i < COUNT_OF(tracers) && !traces[f]; i++)
			traces[f] = str_find(function_name(p, f),
					     str_from(tracers[i])) != SIZE_MAX;
	calls->by_frame = words;
	calls->is_tracer = traces;
	calls->are_all = are_all;
	for (uint32_t i = 0; i < p->stack_count; i++)
		is_other[i] = !is_call(p, calls, &p->stacks[i]);
	return true;
}

static bool fail_sorting(struct arena *arena, struct error *err)
{
	return arena_fail(arena, "sorting functions by kind", err);
}

bool calls_leave_out(struct profile *const *profiles, size_t count,
		     const struct code_rules *rules, bool are_all,
		     struct error *err)
{
	struct arena arena, scratch;
	bool **is_other;
	bool is_done;

	for (size_t i = 0; i < count; i++)
		if (profiles[i]->packed)
			return true;
	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_other = arena_array(&arena, count, sizeof *is_other);
	is_done = is_other || fail_sorting(&arena, err);
	for (size_t i = 0; is_done && i < count; i++) {
		is_other[i] = arena_array(&arena, profiles[i]->stack_count,
					  sizeof **is_other);
		arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
		is_done = is_other[i]
				  ? mark_others(profiles[i], rules, are_all,
						&scratch, is_other[i]) ||
					    fail_sorting(&scratch, err)
				  : fail_sorting(&arena, err);
		arena_release(&scratch);
	}
	if (is_done)
		(void)profiles_keep_stacks(profiles, count, is_other);
	arena_release(&arena);
	return is_done;
}

bool category_shares_compute(const struct profile *p,
			     const struct code_rules *rules,
			     struct category_shares *out,
			     struct category_shares *of_application,
			     struct error *err)
{
	struct arena arena;
	unsigned char *by_function;
	uint32_t *words;
	struct seen *seen;
	bool is_done = true;

	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	by_function = arena_array(&arena, p->function_count, 1);
	words = arena_array(&arena, p->frame_count, sizeof *words);
	seen = arena_alloc(&arena, sizeof *seen);
	if (by_function && words && seen) {
		frames_classify(p, rules, by_function, words);
		category_shares_sum(p, words, seen, out, of_application);
	} else {
		is_done = fail_sorting(&arena, err);
	}
	arena_release(&arena);
	return is_done;
}

double category_change_share(const struct category_shares *slow,
			     double slow_exposure,
			     const struct category_shares *base,
			     double base_exposure, enum code_kind kind)
{
	double sum = 0, of_kind = 0;

	if (!(slow_exposure > 0) || !(base_exposure > 0))
		return 0;
	for (int k = 0; k < CODE_KIND_COUNT; k++) {
		double change = (double)slow->value[k] / slow_exposure -
				(double)base->value[k] / base_exposure;

		if (change <= 0)
			continue;
		sum += change;
		if (k == (int)kind)
			of_kind = change;
	}
	return sum > 0 ? of_kind / sum : 0;
}
