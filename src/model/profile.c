/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "model/profile_build.h"

struct stack_tree *profile_build_tree(struct profile_build *b,
				      struct error *err)
{
	b->has_tree = stack_tree_init(&b->tree, &b->tree_arena);
	if (b->has_tree)
		return &b->tree;
	arena_fail(&b->tree_arena, PROFILE_WHAT, err);
	return NULL;
}

bool profile_build_untree(struct profile_build *b, struct error *err)
{
	const struct stack_tree *t = &b->tree;
	uint32_t *path =
		arena_array(&b->scratch, LIMIT_STACK_FRAMES, sizeof *path);
	uint32_t stack;

	if (!path)
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	b->stack_count = 0;
	b->has_tree = false;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t *at = path + LIMIT_STACK_FRAMES;

		if (!t->nodes[i].value)
			continue;
		/* From the root on, hence at the end of the path's room. */
		for (uint32_t node = i; node; node = t->nodes[node].parent)
			*--at = t->nodes[node].frame;
		if (!profile_build_merge(
			    b, at, (uint32_t)(path + LIMIT_STACK_FRAMES - at),
			    t->nodes[i].value, &stack, err))
			return false;
	}
	arena_release(&b->tree_arena);
	return true;
}

/* Stacks whose values cancel out to 0 are not counted, but may become non-zero
 * again. */
bool profile_tree_value(struct profile_build *b, uint32_t node, int64_t value,
			struct error *err)
{
	int64_t *sum = &b->tree.nodes[node].value;
	int64_t before = *sum, exact;

	if (!add_i64(before, value, &exact))
		b->is_saturated = true;
	*sum = sat_add_i64(before, value);
	if (!before && *sum)
		b->stack_count++;
	if (before && !*sum)
		b->stack_count--;
	return b->stack_count <= LIMIT_SAMPLES ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u distinct stacks",
			 LIMIT_SAMPLES);
}

bool profile_tree_add(struct profile_build *b, const uint32_t *frames,
		      uint32_t count, int64_t value, struct error *err)
{
	struct stack_place places[2] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		if (!stack_tree_walk(&b->tree, &frames[i], 1, places))
			return arena_fail(&b->tree_arena, PROFILE_WHAT, err);
		places[0] = places[1];
	}
	return profile_tree_value(b, places[0].node, value, err);
}

/* From the leaves up. */
bool profile_tree_mark(struct profile_build *b, bool *is_frame_used)
{
	const struct stack_tree *t = &b->tree;
	bool *is_used = arena_array(&b->scratch, t->count, sizeof *is_used);

	if (!is_used)
		return false;
	for (size_t i = t->count; i-- > 1;) {
		const struct stack_node *n = &t->nodes[i];

		if (!is_used[i] && !n->value)
			continue;
		is_used[n->parent] = true;
		is_frame_used[n->frame] = true;
	}
	return true;
}

/* Counts the frames of all stacks; returns false when out of memory. */
static bool count_frames(struct profile_build *b, size_t *sum)
{
	const struct stack_tree *t = &b->tree;
	uint16_t *depths = arena_array(&b->scratch, t->count, sizeof *depths);

	*sum = 0;
	for (size_t i = 1; depths && i < t->count; i++) {
		const struct stack_node *n = &t->nodes[i];

		depths[i] = (uint16_t)(depths[n->parent] + 1);
		*sum += n->value ? depths[i] : 0;
	}
	return depths;
}

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "depths fit two bytes");

static void write_stacks(const struct stack_tree *t, const uint32_t *place,
			 uint32_t *path, struct profile *p)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; (i = stack_tree_next(t, i, &depth));) {
		const struct stack_node *n = &t->nodes[i];

		path[depth - 1] = place[n->frame];
		if (!n->value)
			continue;
		memcpy(p->frame_ids + p->frame_id_count, path,
		       depth * sizeof *path);
		p->stacks[p->stack_count++] =
			(struct stack){ (uint32_t)p->frame_id_count, depth,
					n->value };
		p->frame_id_count += depth;
	}
}

/* Functions are sorted by name and frames by function, so that without other
 * details the order of places is that of names. */
bool profile_tree_place(struct profile_build *b, const uint32_t *frame_place)
{
	struct profile *p = b->out;
	uint32_t *path =
		arena_array(&b->scratch, LIMIT_STACK_FRAMES, sizeof *path);
	size_t count;

	if (!path || !count_frames(b, &count) || count > UINT32_MAX ||
	    !stack_tree_order(&b->tree, frame_place, b->frame_count))
		return false;
	p->frame_ids = arena_array(&p->arena, count, sizeof *p->frame_ids);
	p->stacks = arena_array(&p->arena, b->stack_count, sizeof *p->stacks);
	if (!p->frame_ids || !p->stacks)
		return false;
	write_stacks(&b->tree, frame_place, path, p);
	return true;
}

void profile_multiply(struct profile *p, int64_t factor)
{
	struct packed_stacks *packed = p->packed;

	if (factor == 1)
		return;
	if (packed) {
		/* The caller guarantees that the sum does not overflow. */
		for (struct packed_chunk *c = packed->chunks; c; c = c->next)
			c->value_unit *= (uint64_t)factor;
		for (uint32_t i = 0; i < packed->place_count; i++)
			packed->sums[i] = sat_mul_i64(packed->sums[i], factor);
		packed->divisor = sat_mul_i64(packed->divisor, factor);
		p->total = sat_mul_i64(p->total, factor);
	} else {
		p->total = 0; /* saturated values have a different sum */
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

		stack.value = sat_add_i64(stack.value, carry);
		carry = stack.value % divisor;
		stack.value /= divisor;
		/* Rounds down, so that what is carried is not negative. */
		if (carry < 0) {
			carry += divisor;
			stack.value--;
		}
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

/* Plausible sampling periods: 10 kHz to one sample per second. The greatest
 * common divisor of few values is unreliable: six values of synthetic data gave
 * 0.8 s instead of 10 ms. */
#define PERIOD_MIN_NS (NS_PER_MS / 10)
#define PERIOD_MAX_NS NS_PER_S
#define PERIOD_MIN_DISTINCT 20

/* Frames of consecutive stacks are scattered in memory: prefetched this many
 * stacks ahead. */
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

/* Names first, since the order of functions determines the order of stacks. */
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

static bool check_frames(const struct profile *p, struct error *err)
{
	for (uint32_t i = 0; i < p->frame_count; i++) {
		if (p->frames[i].function >= p->function_count)
			return check_failed(err, "function of frame", i);
		if (i && is_in_order(p)) {
			struct whole_frame before = whole_frame(p, i - 1);
			struct whole_frame frame = whole_frame(p, i);

			if (whole_frame_compare(&before, &frame) >= 0)
				return check_failed(err, "order of frame", i);
		}
	}
	return true;
}

/* By names from the root, then by frames. Functions are sorted by name, so
 * their indices represent the names where these differ. */
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

/* Ids are validated before they are used. */
static bool check_stack(const struct profile *p, const struct stack *s)
{
	const uint32_t *ids;
	unsigned wrong = 0;

	if (s->frame_count == 0 || s->frame_count > LIMIT_STACK_FRAMES ||
	    s->frame_first > p->frame_id_count ||
	    s->frame_count > p->frame_id_count - s->frame_first ||
	    s->value == 0)
		return false;
	/* All of them, vectorized. */
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

bool profile_check(const struct profile *p, struct error *err)
{
	int64_t total = 0;

	if (!check_functions(p, err) || !check_frames(p, err))
		return false;
	if (p->type_count ? p->type >= p->type_count : p->type != 0)
		return check_failed(err, "sample type", p->type);
	if (p->packed) {
		const struct packed_stacks *packed = p->packed;

		/* The decoder has validated the stacks themselves. */
		for (uint32_t i = 0; i < packed->place_count; i++)
			if (packed->sums[i] &&
			    !check_place(p, packed->places[i].frames))
				return check_failed(err, "content of place", i);
		return true;
	}
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

/* Packed stacks never overflow. */
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

/* Samplers scale delays, bytes and objects, so their divisor is meaningless.
 * Only CPU and wall-clock time is a multiple of the period. */
static bool is_time_on_clock(const struct profile *p)
{
	struct str type = profile_type_name(p);

	return str_equal(profile_unit(p), STR("nanoseconds")) &&
	       (str_equal_nocase(type, STR("cpu")) ||
		str_equal_nocase(type, STR("wall")));
}

/* Stops at the twentieth, so the linear search stays short. */
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
	static const uint64_t usual_ns[] = { 10000000, 10309278 };
	uint64_t divisor;

	/* For packed ones decoders call profile_ground_period(). */
	if (!is_time_on_clock(p) || p->packed)
		return;
	divisor = (uint64_t)profile_divisor(p);
	/* Few values may have a larger divisor than their period: then a period
	 * that is usual and divides all of them. */
	if (!has_distinct_values(p)) {
		uint64_t common = divisor;

		divisor = 0;
		for (size_t i = 0; common && !divisor && i < COUNT_OF(usual_ns);
		     i++)
			if (common % usual_ns[i] == 0)
				divisor = usual_ns[i];
	}
	if (divisor < PERIOD_MIN_NS || divisor > PERIOD_MAX_NS)
		return;
	p->period = (int64_t)divisor;
	p->sample_count = p->total / p->period;
}

/* Iterating over stacks, sorted or packed. */

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "ends fit two bytes");

/* Decodes a stack while the previous one is used: its locations are scattered
 * in memory and are prefetched meanwhile. */
static void read_ahead(struct stack_walk *w)
{
	const struct packed_place *places = w->profile->packed->places;
	struct stack_ahead *next = &w->next;
	const unsigned char *at;
	unsigned bytes;

	(void)packed_next(&w->chunk, &w->at);
	bytes = w->chunk->number_bytes;
	at = w->at;
	next->kept = (uint32_t)varint_take(&at);
	next->count = (uint32_t)varint_take(&at);
	for (uint32_t i = 0; i < next->count; i++) {
		next->numbers[i] = (uint32_t)load_number(at, bytes);
		at += bytes;
		__builtin_prefetch(&places[next->numbers[i]]);
	}
	next->value = (int64_t)(varint_take(&at) * w->chunk->value_unit);
	w->at = at;
}

void stack_walk_init(struct stack_walk *w, const struct profile *p)
{
	const struct packed_stacks *packed = p->packed;

	w->profile = p;
	w->index = 0;
	w->kept = 0;
	if (!packed)
		return;
	w->chunk = packed->chunks;
	w->at = w->chunk->bytes;
	w->frames = w->room;
	w->ends[0] = 0;
	if (p->stack_count)
		read_ahead(w);
}

/* room is large enough for the frames, see profile_build_packed(). */
static void stack_walk_unpack(struct stack_walk *w)
{
	const struct packed_stacks *packed = w->profile->packed;
	const struct stack_ahead *next = &w->next;
	uint16_t *end = &w->ends[next->kept];
	uint32_t *to = w->room + *end;

	w->kept = *end;
	for (uint32_t i = 0; i < next->count; i++) {
		struct packed_place place = packed->places[next->numbers[i]];
		const uint32_t *run;

		if (place.frames[0] & PACKED_RUN) {
			run = &packed->runs[place.frames[0] & ~PACKED_RUN];
			for (uint32_t k = 1; k <= *run; k++)
				*to++ = run[k];
		} else {
			to[0] = place.frames[1];
			to += place.frames[1] != PACKED_NONE;
			*to++ = place.frames[0];
		}
		*++end = (uint16_t)(to - w->room);
	}
	w->count = (uint32_t)(to - w->room);
	w->value = next->value;
	if (w->index + 1 < w->profile->stack_count)
		read_ahead(w);
}

bool stack_walk_next(struct stack_walk *w)
{
	if (w->index == w->profile->stack_count)
		return false;
	if (w->profile->packed) {
		stack_walk_unpack(w);
	} else {
		const struct stack *s = &w->profile->stacks[w->index];

		w->frames = &w->profile->frame_ids[s->frame_first];
		w->count = s->frame_count;
		w->value = s->value;
	}
	w->index++;
	return true;
}

/* A location may have one frame, or be unused. */
static void place_frame(const struct profile *p, const uint32_t *place,
			uint32_t *frame)
{
	if (*frame < p->frame_count)
		*frame = place[*frame];
}

void profile_place_frames(struct profile *p, const uint32_t *place)
{
	struct packed_stacks *packed = p->packed;

	for (size_t i = 0; !packed && i < p->frame_id_count; i++)
		place_frame(p, place, &p->frame_ids[i]);
	for (uint32_t i = 0; packed && i < packed->place_count; i++) {
		place_frame(p, place, &packed->places[i].frames[0]);
		place_frame(p, place, &packed->places[i].frames[1]);
	}
	for (uint32_t at = 0; packed && at < packed->run_count;) {
		uint32_t end = at + packed->runs[at];

		while (at < end)
			place_frame(p, place, &packed->runs[++at]);
		at++;
	}
}

bool profile_unpack(struct profile *p, struct error *err)
{
	const struct packed_stacks *packed = p->packed;
	struct profile_build *b;
	struct stack_walk *w;
	bool is_done;

	if (!packed || !packed->is_for_later)
		return true;
	b = profile_build_resume(p, err);
	if (!b)
		return false;
	w = mem_alloc(sizeof *w);
	is_done = w || error_memory(err, PROFILE_WHAT);
	if (is_done)
		stack_walk_init(w, p);
	while (is_done && stack_walk_next(w))
		is_done = profile_build_stack(b, w->frames, w->count, w->value,
					      err);
	mem_free(w);
	if (is_done) {
		/* Shares include stacks that were left out. */
		b->magnitude = p->whole_total;
		packed_chunks_free(packed->chunks);
		p->packed = NULL;
		is_done = profile_build_finish_stacks(b, err);
	}
	if (is_done) {
		profile_infer_period(p);
		profile_ground_period(p, packed->stated_period,
				      packed->counted);
	}
	profile_build_free(b);
	return is_done && profile_check(p, err);
}

static double keep_stacks(struct profile *p, const bool *is_kept)
{
	int64_t before = p->whole_total, sum = 0, magnitude = 0;
	uint32_t kept = 0;
	double part = 1;

	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		if (!is_kept[i])
			continue;
		sum = sat_add_i64(sum, s->value);
		magnitude = sat_add_i64(magnitude, sat_magnitude_i64(s->value));
		p->stacks[kept++] = *s;
	}
	if (kept == p->stack_count)
		return 0;
	if (before > 0)
		part = (double)magnitude / (double)before;
	p->stack_count = kept;
	p->total = sum;
	p->whole_total = magnitude;
	p->omitted = p->filtered = 0;
	if (p->sample_count > 0)
		p->sample_count =
			(int64_t)((double)p->sample_count * part + 0.5);
	return 1 - part;
}

double profiles_keep_stacks(struct profile *const *profiles, size_t count,
			    bool *const *is_kept)
{
	double left_out = 0;
	uint64_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (profiles[i]->packed)
			return 0;
		for (uint32_t k = 0; k < profiles[i]->stack_count; k++)
			kept += is_kept[i][k];
	}
	for (size_t i = 0; i < count && kept; i++) {
		double part = keep_stacks(profiles[i], is_kept[i]);

		if (i == 0)
			left_out = part;
	}
	return left_out;
}
