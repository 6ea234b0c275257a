/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded stacks: "root;caller;leaf 12" a line. Names may hold blanks, so the
 * last one separates; a comparison ends in two numbers. austin says in front
 * that it wrote them, and has "file:function:line" for a name.
 */
#include "base/ascii.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/folded_lines.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

/* Weights that all share a divisor this large are nanoseconds or bytes, not
 * counts of samples. */
#define UNIT_DIVISOR_MIN 10000

/* Of a name that is no function's. */
#define NO_FRAME UINT32_MAX

/* uftrace ends a stack with that a thread left the CPU: that is no function. */
static const char *const waits[] = { "linux:schedule",
				     "linux:schedule (pre-empted)" };
#define WAITS COUNT_OF(waits)

struct folded {
	struct profile_build *build;
	struct stack_tree *tree; /* NULL where there is little in common */
	struct arena scratch;
	struct folded_lines *lines;
	const char *austin_type; /* NULL: another's; "": not told */
	uint32_t *named;         /* frames, by the numbers of their names */
	size_t named_count;
	size_t named_cap;
	/* Of the last stack, and what its frames lead to, root first. */
	uint32_t frames[LIMIT_STACK_FRAMES];
	struct stack_place places[LIMIT_STACK_FRAMES + 1];
	uint32_t *deep; /* frames of a stack that is deeper */
	size_t deep_cap;
	uint32_t waits[WAITS]; /* frames, NO_FRAME where there is none */
	int64_t waited;
};

static bool no_memory(const struct folded *f, struct error *err)
{
	return arena_fail(&f->scratch, "a folded stack", err);
}

/* Takes what is behind the last colon off the text; false: there is none. */
static bool take_last_part(struct str *text, struct str *part)
{
	size_t at = text->len;

	while (at && text->ptr[at - 1] != ':')
		at--;
	if (!at)
		return false;
	*part = str_slice(*text, at, text->len);
	*text = str_slice(*text, 0, at - 1);
	return true;
}

/* "P3472" and "T0:3472", a process and a thread of it: no function. */
static bool is_task_of_austin(struct str name)
{
	return (str_starts(name, STR("P")) &&
		str_is_digits(str_slice(name, 1, name.len))) ||
	       (str_starts(name, STR("T")) && name.len > 1 &&
		ascii_is_digit(name.ptr[1]));
}

static bool add_frame_of_austin(struct folded *f, struct str name,
				uint32_t *frame, struct error *err)
{
	struct str file = name, function, digits;
	uint64_t line = 0;
	uint32_t at;

	if (!take_last_part(&file, &digits) || !parse_u64(digits, &line) ||
	    !take_last_part(&file, &function)) {
		*frame = NO_FRAME;
		if (is_task_of_austin(name))
			return true;
		function = name;
		file = STR("");
		line = 0;
	}
	return profile_build_function(f->build, function, file, &at, err) &&
	       profile_build_frame(f->build, at,
				   line > INT32_MAX ? 0 : (uint32_t)line, frame,
				   err);
}

/* "big<0000000000401136>", as jeprof --collapsed (jemalloc 5.3.0) writes it. */
static struct str without_address(struct str name)
{
	size_t digits = 0;

	if (!str_ends(name, STR(">")))
		return name;
	while (digits + 1 < name.len &&
	       ascii_is_hex(name.ptr[name.len - 2 - digits]))
		digits++;
	if (digits != 16 || name.len < digits + 3 ||
	    name.ptr[name.len - 2 - digits] != '<')
		return name;
	return str_slice(name, 0, name.len - digits - 2);
}

static void see_wait(struct folded *f, struct str name)
{
	for (size_t i = 0; i < WAITS; i++)
		if (str_equal(name, str_from(waits[i])))
			f->waits[i] = f->named[f->named_count - 1];
}

/* The time is the caller's. */
static uint32_t without_wait(struct folded *f, const uint32_t *frames,
			     uint32_t depth, int64_t value)
{
	for (size_t i = 0; depth > 1 && i < WAITS; i++)
		if (f->waits[i] != NO_FRAME &&
		    frames[depth - 1] == f->waits[i]) {
			f->waited = sat_add_i64(f->waited, value);
			return depth - 1;
		}
	return depth;
}

static bool add_frame(struct folded *f, struct str name, struct error *err)
{
	struct function function = { 0 };
	uint32_t at;
	bool is_done;

	if (!arena_reserve(&f->scratch, (void **)&f->named, &f->named_cap,
			   f->named_count + 1, sizeof *f->named))
		return no_memory(f, err);
	if (f->austin_type)
		return add_frame_of_austin(f, name, &f->named[f->named_count++],
					   err);
	name = without_address(name);
	is_done = profile_build_name(f->build, name, &function.name, err) &&
		  profile_build_interned(f->build, &function, &at, err) &&
		  profile_build_frame(f->build, at, 0,
				      &f->named[f->named_count++], err);
	if (is_done)
		see_wait(f, name);
	return is_done;
}

static bool leave_large_tree(struct folded *f, struct error *err)
{
	if (!f->tree || f->tree->count <= LIMIT_STACK_TREE_NODES)
		return true;
	f->tree = NULL;
	return profile_build_untree(f->build, err);
}

static void find_frames(const struct folded *f, const uint32_t *names,
			uint32_t count, uint32_t *frames)
{
	for (uint32_t i = 0; i < count; i++)
		frames[i] = f->named[names[i]];
}

/* To where they may lie, without those that are no functions. */
static uint32_t keep_functions(const uint32_t *frames, uint32_t count,
			       uint32_t *kept)
{
	uint32_t kept_count = 0;

	for (uint32_t i = 0; i < count; i++)
		if (frames[i] != NO_FRAME)
			kept[kept_count++] = frames[i];
	return kept_count;
}

static bool add_deep(struct folded *f, const struct folded_line *line,
		     const uint32_t *names, struct error *err)
{
	uint32_t count;

	if (!arena_reserve(&f->scratch, (void **)&f->deep, &f->deep_cap,
			   line->count, sizeof *f->deep))
		return no_memory(f, err);
	find_frames(f, names, line->count, f->deep);
	count = without_wait(f, f->deep,
			     keep_functions(f->deep, line->count, f->deep),
			     line->weight);
	return profile_build_stack(f->build, f->deep, count, line->weight, err);
}

static bool add_stack_of_austin(struct folded *f, uint32_t depth, int64_t value,
				struct error *err)
{
	uint32_t kept[LIMIT_STACK_FRAMES];

	depth = keep_functions(f->frames, depth, kept);
	return profile_build_stack(f->build, kept, depth, value, err);
}

/* Goes on from what the stack has in common with the last one. */
static bool add_stack(struct folded *f, const struct folded_line *line,
		      const uint32_t *names, struct error *err)
{
	uint32_t *frames = &f->frames[line->shared];
	uint32_t depth = line->shared + line->count;

	find_frames(f, names, line->count, frames);
	if (f->austin_type)
		return add_stack_of_austin(f, depth, line->weight, err);
	if (f->tree && !stack_tree_walk(f->tree, frames, line->count,
					&f->places[line->shared]))
		return arena_fail(f->tree->arena, "a folded stack", err);
	depth = without_wait(f, f->frames, depth, line->weight);
	if (!f->tree)
		return profile_build_stack(f->build, f->frames, depth,
					   line->weight, err);
	return profile_build_node(f->build, f->places[depth].node, depth,
				  line->weight, err);
}

static bool add_lines(struct folded *f, const struct folded_batch *b,
		      struct error *err)
{
	const uint32_t *names = b->names;

	for (uint32_t i = 0; i < b->line_count; i++) {
		const struct folded_line *line = &b->lines[i];

		if (!(line->count > LIMIT_STACK_FRAMES
			      ? add_deep(f, line, names, err)
			      : add_stack(f, line, names, err)) ||
		    !leave_large_tree(f, err))
			return false;
		names += line->count;
	}
	return true;
}

static bool add_batch(struct folded *f, const struct folded_batch *b,
		      struct error *err)
{
	if (b->err.code != ERROR_NONE) {
		*err = b->err;
		return false;
	}
	for (size_t i = 0; i < b->text_count; i++)
		if (!add_frame(f, b->texts[i], err))
			return false;
	return add_lines(f, b, err);
}

static bool read_lines(struct folded *f, struct error *err)
{
	const struct folded_batch *b;

	do {
		b = folded_lines_next(f->lines);
		if (!add_batch(f, b, err))
			return false;
	} while (!b->is_last);
	return true;
}

/* Names may end in a number, too. Who says the unit says that it is one. */
static bool check_pairs(const struct folded *f, struct str wanted,
			struct notes *notes, struct error *err)
{
	struct type_name type;

	if (!folded_lines_are_pairs(f->lines))
		return true;
	if (type_spelled_out(wanted, &type)) {
		notes_add(notes, "every line of the folded stacks ends in two "
				 "numbers: the first is taken for a part of "
				 "the function's name");
		return true;
	}
	return error_set(err, ERROR_FORMAT,
			 "folded stacks: every line ends in two numbers, as "
			 "those of a comparison (difffolded) do; give the two "
			 "profiles instead, or, where functions are called so, "
			 "the type and its unit: --type samples/count");
}

/* The format has no unit. Words like "cpu" are no proof of one either, so
 * only a type with its unit counts; else weights are samples if they look
 * like counts. */
static bool declare_type(struct folded *f, struct str wanted, struct error *err)
{
	struct type_name type;

	if (!type_spelled_out(wanted, &type))
		type = f->austin_type && *f->austin_type
			       ? (struct type_name){ str_from(f->austin_type),
						     STR("microseconds") }
			       : (struct type_name){ STR("samples"),
						     STR("count") };
	return profile_build_type(f->build, type.type, type.unit, err);
}

/* Weights of unknown unit that are no counts tell no number of samples. */
static void settle(const struct folded *f, struct profile *out)
{
	int64_t length_us = folded_lines_duration_us(f->lines);
	uint64_t divisor = 0;

	type_settle(out);
	if (f->austin_type && length_us > 0)
		out->duration_ns = sat_mul_i64(length_us, NS_PER_US);
	for (uint32_t i = 0; i < out->stack_count; i++)
		divisor = gcd_u64(magnitude_i64(out->stacks[i].value), divisor);
	if (divisor < UNIT_DIVISOR_MIN || out->period != 1)
		return;
	out->period = 0;
	out->sample_count = -1;
}

static bool read_all(struct folded *f, struct str type, struct notes *notes,
		     struct error *err)
{
	/* Lines are no part of its order. */
	if (!f->austin_type)
		f->tree = profile_build_tree(f->build, err);
	return (f->tree || f->austin_type) && declare_type(f, type, err) &&
	       read_lines(f, err) && check_pairs(f, type, notes, err);
}

/* By the comments in front: what stacks of austin are of, where that is time;
 * "" of another kind; NULL: they are not of austin. */
static const char *type_of_austin(struct str front)
{
	struct str line;

	front = folded_unmarked(front);
	line = str_take_line(&front);
	if (!str_starts(line, STR("# austin: ")))
		return NULL;
	while (str_starts(line, STR("# "))) {
		if (str_equal(str_trim(line), STR("# mode: wall")))
			return "wall";
		if (str_equal(str_trim(line), STR("# mode: cpu")))
			return "cpu";
		line = str_take_line(&front);
	}
	return "";
}

static struct folded *folded_new(struct feed *feed, struct profile *out,
				 struct error *err)
{
	struct folded *f = mem_calloc(1, sizeof *f);

	if (!f) {
		error_memory(err, "a folded stack");
		return NULL;
	}
	arena_init(&f->scratch, LIMIT_DECODE_HEAP_BYTES);
	for (size_t i = 0; i < WAITS; i++)
		f->waits[i] = NO_FRAME;
	f->austin_type = type_of_austin(feed_front(feed));
	f->build = profile_build_new(out, err);
	if (f->build)
		f->lines = folded_lines_new(feed, err);
	return f;
}

static void folded_free(struct folded *f)
{
	folded_lines_free(f->lines);
	arena_release(&f->scratch);
	profile_build_free(f->build);
	mem_free(f);
}

bool decode_folded_feed(struct feed *feed, const struct profile_want *want,
			struct profile *out, struct notes *notes,
			struct error *err)
{
	struct folded *f = folded_new(feed, out, err);
	bool is_done;

	if (!f)
		return false;
	is_done = f->lines && read_all(f, want->type, notes, err) &&
		  profile_build_finish(f->build, notes, err);
	if (is_done)
		settle(f, out);
	if (is_done && folded_lines_cut_off(f->lines))
		notes_add(notes, "the last line of the folded stacks has no "
				 "line end: the file may be cut off");
	if (is_done && f->waited && out->total)
		notes_add(notes,
			  "%.1f %% are not on a CPU (linux:schedule), and told "
			  "by what called it",
			  100 * (double)f->waited / (double)out->total);
	folded_free(f);
	return is_done;
}
