/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"

/* A sampler's period lies between 10 kHz and one sample a second; the
 * greatest common divisor of few values says little: six values of evenly
 * made data gave 0.8 s instead of 10 ms. */
#define PERIOD_MIN_NS (NS_PER_MS / 10)
#define PERIOD_MAX_NS NS_PER_S
#define PERIOD_MIN_DISTINCT 20

/* Frames of neighbouring stacks lie far apart: they are asked for early. */
#define AHEAD 4

void profile_init(struct profile *p)
{
	*p = (struct profile){ .sample_count = -1 };
	arena_init(&p->arena, LIMIT_DECODE_HEAP_BYTES);
}

void packed_chunks_free(struct packed_chunk *first)
{
	while (first) {
		struct packed_chunk *next = first->next;

		mem_free(first);
		first = next;
	}
}

void profile_release(struct profile *p)
{
	if (p->packed)
		packed_chunks_free(p->packed->chunks);
	arena_release(&p->arena);
	profile_init(p);
}

struct str profile_text(const struct profile *p, uint32_t symbol)
{
	if (symbol >= symtab_count(&p->symtab))
		return STR("");
	return symtab_text(&p->symtab, symbol);
}

struct str function_name(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions[function].name);
}

struct str function_file(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions[function].file);
}

struct str function_mapping(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions[function].mapping);
}

struct whole_frame whole_frame(const struct profile *p, uint32_t frame)
{
	struct whole_frame whole = { .frame = p->frames[frame] };

	if (p->details)
		whole.detail = p->details[frame];
	return whole;
}

int whole_frame_compare(const struct whole_frame *a,
			const struct whole_frame *b)
{
	const uint32_t *x = (const void *)a, *y = (const void *)b;

	for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

struct str profile_unit(const struct profile *p)
{
	if (p->type >= p->type_count)
		return STR("");
	return profile_text(p, p->types[p->type].unit);
}

struct str profile_type_name(const struct profile *p)
{
	if (p->type >= p->type_count)
		return STR("");
	return profile_text(p, p->types[p->type].type);
}

static bool check_failed(struct error *err, const char *what, uint32_t index)
{
	return error_set(err, ERROR_INTERNAL,
			 "the decoded profile is inconsistent: %s %u", what,
			 index);
}

/* Names first: the order of functions is the order of stacks. */
static int function_compare(const struct profile *p, uint32_t a, uint32_t b)
{
	int order = str_compare(function_name(p, a), function_name(p, b));

	if (!order)
		order = str_compare(function_file(p, a), function_file(p, b));
	if (!order)
		order = str_compare(function_mapping(p, a),
				    function_mapping(p, b));
	if (!order)
		order = p->functions[a].is_nameless -
			p->functions[b].is_nameless;
	return order;
}

static bool is_in_order(const struct profile *p)
{
	return !p->packed || p->packed->is_for_later;
}

static bool check_functions(const struct profile *p, struct error *err)
{
	for (uint32_t i = 0; i < p->function_count; i++) {
		if (p->functions[i].name == 0 ||
		    p->functions[i].name >= symtab_count(&p->symtab) ||
		    p->functions[i].file >= symtab_count(&p->symtab) ||
		    p->functions[i].mapping >= symtab_count(&p->symtab))
			return check_failed(err, "texts of function", i);
		if (i && is_in_order(p) && function_compare(p, i - 1, i) >= 0)
			return check_failed(err, "order of function", i);
	}
	return true;
}

/* Against the one before it. */
static bool is_frame_ordered(const struct profile *p, uint32_t frame)
{
	struct whole_frame a = whole_frame(p, frame - 1);
	struct whole_frame b = whole_frame(p, frame);

	return whole_frame_compare(&a, &b) < 0;
}

static bool check_frames(const struct profile *p, struct error *err)
{
	for (uint32_t i = 0; i < p->frame_count; i++) {
		if (p->frames[i].function >= p->function_count)
			return check_failed(err, "function of frame", i);
		if (i && is_in_order(p) && !is_frame_ordered(p, i))
			return check_failed(err, "order of frame", i);
	}
	return true;
}

/* By names root first, then by frames. Functions are in order of name, so
 * their indices stand for the names where these differ. */
static int stack_compare(const struct profile *p, const struct stack *a,
			 const struct stack *b)
{
	const uint32_t *x = &p->frame_ids[a->frame_first];
	const uint32_t *y = &p->frame_ids[b->frame_first];
	uint32_t count = a->frame_count < b->frame_count ? a->frame_count
							 : b->frame_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t f, g;

		if (x[i] == y[i])
			continue;
		f = p->frames[x[i]].function;
		g = p->frames[y[i]].function;
		if (p->functions[f].name != p->functions[g].name)
			return compare_i64(f, g);
	}
	if (a->frame_count != b->frame_count)
		return compare_i64(a->frame_count, b->frame_count);
	for (uint32_t i = 0; i < count; i++)
		if (x[i] != y[i])
			return compare_i64(x[i], y[i]);
	return 0;
}

/* Ids are checked before anything follows them. */
static bool check_stack(const struct profile *p, const struct stack *s)
{
	const uint32_t *ids;
	unsigned wrong = 0;

	if (s->frame_count == 0 || s->frame_count > LIMIT_STACK_FRAMES ||
	    s->frame_first > p->frame_id_count ||
	    s->frame_count > p->frame_id_count - s->frame_first ||
	    s->value == 0)
		return false;
	/* All of them, several at a time. */
	ids = &p->frame_ids[s->frame_first];
	for (uint32_t i = 0; i < s->frame_count; i++)
		wrong |= ids[i] >= p->frame_count;
	return !wrong;
}

static bool check_place(const struct profile *p, const uint32_t frames[2])
{
	if (frames[0] & PACKED_RUN)
		return (frames[0] & ~PACKED_RUN) < p->packed->run_count;
	return frames[0] < p->frame_count &&
	       (frames[1] < p->frame_count || frames[1] == PACKED_NONE);
}

/* What the packed stacks themselves hold the decoder has checked. */
static bool check_packed(const struct profile *p, struct error *err)
{
	const struct packed_stacks *packed = p->packed;

	for (uint32_t i = 0; i < packed->place_count; i++)
		if (packed->sums[i] &&
		    !check_place(p, packed->places[i].frames))
			return check_failed(err, "content of place", i);
	return true;
}

bool profile_check(const struct profile *p, struct error *err)
{
	int64_t total = 0;

	if (!check_functions(p, err) || !check_frames(p, err))
		return false;
	if (p->type_count ? p->type >= p->type_count : p->type != 0)
		return check_failed(err, "sample type", p->type);
	if (p->packed)
		return check_packed(p, err);
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		if (p->stack_count - i > AHEAD &&
		    s[AHEAD].frame_first < p->frame_id_count)
			__builtin_prefetch(&p->frame_ids[s[AHEAD].frame_first]);
		if (!check_stack(p, s))
			return check_failed(err, "content of stack", i);
		if (i && stack_compare(p, s - 1, s) >= 0)
			return check_failed(err, "order of stack", i);
		total = sat_add_i64(total, s->value);
	}
	if (total != p->total)
		return check_failed(err, "total of stacks", p->stack_count);
	return true;
}

bool profile_restate(struct profile *p, struct str type, struct str unit,
		     int64_t factor, struct error *err)
{
	struct sample_type *now = p->types + p->type;

	if (!p->stack_count || p->type >= p->type_count)
		return true;
	if (!symtab_add(&p->symtab, type, &now->type, err) ||
	    !symtab_add(&p->symtab, unit, &now->unit, err))
		return false;
	profile_multiply(p, factor);
	return true;
}

bool profile_to_nanoseconds(struct profile *p, struct error *err)
{
	int64_t factor = time_unit_ns(profile_unit(p));

	if (factor <= 1 || p->whole_total > INT64_MAX / factor)
		return true;
	return profile_restate(p, profile_type_name(p), STR("nanoseconds"),
			       factor, err);
}

void profile_forget_rest(struct profile *p)
{
	int64_t before = sat_sub_i64(p->whole_total, p->omitted);
	int64_t left = p->packed ? p->total : 0;

	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++)
		left = sat_add_i64(left,
				   sat_magnitude_i64(p->stacks[i].value));
	if (left < before && p->sample_count >= 0)
		p->sample_count =
			p->period > 0
				? (int64_t)((double)p->sample_count *
						    ((double)left /
						     (double)before) +
					    0.5)
				: -1;
	p->whole_total = left;
	p->omitted = p->filtered = 0;
}

void profile_rest(const struct profile *p, int64_t *stackless,
		  int64_t *cancelled)
{
	int64_t rest = p->whole_total;

	for (uint32_t i = 0; i < p->stack_count; i++)
		rest = sat_sub_i64(rest, sat_magnitude_i64(p->stacks[i].value));
	if (rest < 0)
		rest = 0;
	*stackless = sat_add_i64(p->omitted, p->filtered);
	if (*stackless > rest)
		*stackless = rest;
	*cancelled = rest - *stackless;
}

int64_t profile_divisor(const struct profile *p)
{
	uint64_t divisor = 0;

	if (p->packed)
		return p->packed->divisor;
	for (uint32_t i = 0; i < p->stack_count && divisor != 1; i++)
		divisor = gcd_u64(magnitude_i64(p->stacks[i].value), divisor);
	return divisor > INT64_MAX ? 1 : (int64_t)divisor;
}

/* Those have no sums that do not fit. */
static void add_place(const struct packed_stacks *packed, uint32_t number,
		      int64_t *sums)
{
	struct packed_place place = packed->places[number];
	int64_t sum = packed->sums[number];
	const uint32_t *run;

	if (!sum)
		return;
	if (!(place.frames[0] & PACKED_RUN)) {
		sums[place.frames[0]] += sum;
		if (place.frames[1] != PACKED_NONE)
			sums[place.frames[1]] += sum;
		return;
	}
	run = &packed->runs[place.frames[0] & ~PACKED_RUN];
	for (uint32_t i = 1; i <= *run; i++)
		sums[run[i]] += sum;
}

void profile_frame_sums(const struct profile *p, int64_t *sums)
{
	for (uint32_t i = 0; i < p->frame_count; i++)
		sums[i] = 0;
	for (uint32_t i = 0; p->packed && i < p->packed->place_count; i++)
		add_place(p->packed, i, sums);
	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t k = 0; k < s->frame_count; k++) {
			int64_t *sum = &sums[p->frame_ids[s->frame_first + k]];

			*sum = profile_sum(p, *sum, s->value);
		}
	}
}

int64_t time_unit_ns(struct str unit)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "nanoseconds", 1 },
		{ "microseconds", NS_PER_US },
		{ "milliseconds", NS_PER_MS },
		{ "seconds", NS_PER_S },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_equal(unit, str_from(units[i].name)))
			return units[i].ns;
	return 0;
}

/* Delays, bytes and objects are scaled up by their samplers: their divisor
 * says nothing. Only time on a CPU or a wall clock comes in whole periods. */
static bool is_time_on_clock(const struct profile *p)
{
	struct str type = profile_type_name(p);

	return str_equal(profile_unit(p), STR("nanoseconds")) &&
	       (str_equal_nocase(type, STR("cpu")) ||
		str_equal_nocase(type, STR("wall")));
}

/* Stops at the twentieth, so the search among those seen stays short. */
static bool has_distinct_values(const struct profile *p)
{
	int64_t seen[PERIOD_MIN_DISTINCT];
	size_t count = 0;

	for (uint32_t i = 0; i < p->stack_count; i++) {
		size_t at = 0;

		while (at < count && seen[at] != p->stacks[i].value)
			at++;
		if (at < count)
			continue;
		seen[count++] = p->stacks[i].value;
		if (count == PERIOD_MIN_DISTINCT)
			return true;
	}
	return false;
}

/* The usual period that all values are multiples of, or 0. */
static uint64_t usual_period(uint64_t divisor)
{
	static const uint64_t usual_ns[] = { 10000000, 10309278 };

	for (size_t i = 0; i < sizeof usual_ns / sizeof *usual_ns; i++)
		if (divisor && divisor % usual_ns[i] == 0)
			return usual_ns[i];
	return 0;
}

void profile_ground_period(struct profile *p, int64_t stated, int64_t counted)
{
	if (stated > 0 && profile_divisor(p) % stated == 0) {
		p->period = stated;
		p->sample_count = p->total / stated;
	} else if (counted > 0) {
		p->period = p->total / counted;
		p->sample_count = counted;
	}
}

void profile_infer_period(struct profile *p)
{
	uint64_t divisor;

	/* Of packed ones decoders know it otherwise. */
	if (!is_time_on_clock(p) || p->packed)
		return;
	divisor = (uint64_t)profile_divisor(p);
	if (!has_distinct_values(p))
		divisor = usual_period(divisor);
	if (divisor < PERIOD_MIN_NS || divisor > PERIOD_MAX_NS)
		return;
	p->period = (int64_t)divisor;
	p->sample_count = p->total / p->period;
}
