/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded stacks: "root;caller;leaf 12" a line. Names may hold blanks, so the
 * last one separates; a comparison ends in two numbers.
 */
#include <string.h>

#include "base/num.h"
#include "decode/decode.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

/* Weights that all share a divisor this large are nanoseconds or bytes, not
 * counts of samples. */
#define UNIT_DIVISOR_MIN 10000

struct folded {
	struct profile_build *build;
	uint32_t *frames; /* of the last stack */
	size_t frame_cap;
	struct str last; /* stack */
	struct arena scratch;
	size_t line;
	size_t stack_lines;
	size_t two_number_lines;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cuts the last word off *text. */
static struct str take_last_word(struct str *text)
{
	size_t at = text->len;
	struct str word;

	while (at && !is_blank(text->ptr[at - 1]))
		at--;
	word = str_slice(*text, at, text->len);
	*text = str_trim(str_slice(*text, 0, at));
	return word;
}

/* "12" or "12.5"; fractions, which some collapsers write, are rounded. */
static bool parse_weight(struct str text, int64_t *weight)
{
	size_t point = str_find(text, STR("."));
	struct str fraction = STR("");

	if (point != SIZE_MAX) {
		fraction = str_slice(text, point + 1, text.len);
		text = str_slice(text, 0, point);
		if (!str_is_digits(fraction))
			return false;
	}
	if (!str_is_digits(text) || !parse_i64(text, weight))
		return false;
	if (fraction.len && fraction.ptr[0] >= '5')
		*weight = sat_add_i64(*weight, 1);
	return true;
}

static bool ends_in_number(struct str stack)
{
	struct str rest = stack;
	struct str word = take_last_word(&rest);
	int64_t weight;

	return rest.len && parse_weight(word, &weight);
}

static bool push_frame(struct folded *f, uint32_t at, struct str name,
		       struct error *err)
{
	void *frames = f->frames;
	uint32_t function;

	if (!arena_reserve(&f->scratch, &frames, &f->frame_cap, at + 1u,
			   sizeof *f->frames))
		return arena_fail(&f->scratch, "a folded stack", err);
	f->frames = frames;
	return profile_build_function(f->build, name, STR(""), &function,
				      err) &&
	       profile_build_frame(f->build, function, 0, &f->frames[at], err);
}

/* How many bytes both begin with. */
static size_t shared_len(struct str a, struct str b)
{
	size_t len = 0;

	while (len < a.len && len < b.len && a.ptr[len] == b.ptr[len])
		len++;
	return len;
}

static size_t frame_end(struct str stack, size_t start)
{
	const char *end = memchr(stack.ptr + start, ';', stack.len - start);

	return end ? (size_t)(end - stack.ptr) : stack.len;
}

/* Collapsers sort their lines, so neighbours have most frames in common:
 * those that end in the shared part are in f->frames already. */
static bool add_stack(struct folded *f, struct str stack, int64_t weight,
		      struct error *err)
{
	size_t shared = shared_len(stack, f->last);
	uint32_t count = 0;

	for (size_t start = 0, end; start <= stack.len; start = end + 1) {
		end = frame_end(stack, start);
		if (count == LIMIT_LOCATIONS)
			return error_set(err, ERROR_LIMIT,
					 "folded stacks, line %zu: more than "
					 "%u frames",
					 f->line, LIMIT_LOCATIONS);
		if (end >= shared &&
		    !push_frame(f, count, str_slice(stack, start, end - start),
				err))
			return false;
		count++;
	}
	f->last = stack;
	return profile_build_stack(f->build, f->frames, count, weight, err);
}

static bool read_line(struct folded *f, struct str line, struct error *err)
{
	struct str stack = str_trim(line);
	struct str word, shown;
	int64_t weight;

	if (stack.len == 0 || stack.ptr[0] == '#')
		return true;
	word = take_last_word(&stack);
	shown = str_slice(word, 0, 80);
	if (!parse_weight(word, &weight))
		return error_set(err, ERROR_FORMAT,
				 "folded stacks, line %zu: \"%.*s\" is not a "
				 "weight; expected \"main;work;leaf 12\"",
				 f->line, STR_ARGS(shown));
	/* py-spy has samples of threads without any frame of Python. */
	if (stack.len == 0 && is_blank(line.ptr[0]))
		stack = STR("[unknown]");
	if (stack.len == 0)
		return error_set(err, ERROR_FORMAT,
				 "folded stacks, line %zu: no stack before the "
				 "weight",
				 f->line);
	f->stack_lines++;
	f->two_number_lines += ends_in_number(stack);
	return add_stack(f, stack, weight, err);
}

static bool read_lines(struct folded *f, struct str bytes, struct error *err)
{
	while (bytes.len) {
		const char *end = memchr(bytes.ptr, '\n', bytes.len);
		size_t len = end ? (size_t)(end - bytes.ptr) : bytes.len;

		f->line++;
		if (!read_line(f, str_slice(bytes, 0, len), err))
			return false;
		bytes = str_slice(bytes, len + 1, bytes.len);
	}
	if (f->stack_lines == 0 || f->two_number_lines < f->stack_lines)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "folded stacks: every line ends in two numbers, so "
			 "this is a comparison (difffolded), not a profile; "
			 "give the two profiles instead");
}

/* The format has no unit. Words like "cpu" are no proof of one either, so
 * only a type with its unit counts; else weights are samples if they look
 * like counts. */
static bool declare_type(struct folded *f, struct str wanted, struct error *err)
{
	struct type_name type;

	if (!type_spelled_out(wanted, &type))
		type = (struct type_name){ STR("samples"), STR("count") };
	return profile_build_type(f->build, type.type, type.unit, err);
}

/* Weights of unknown unit that are no counts tell no number of samples. */
static void settle(struct profile *out)
{
	uint64_t divisor = 0;

	type_settle(out);
	for (uint32_t i = 0; i < out->stack_count; i++)
		divisor = gcd_u64((uint64_t)out->stacks[i].value, divisor);
	if (divisor < UNIT_DIVISOR_MIN || out->period != 1)
		return;
	out->period = 0;
	out->sample_count = -1;
}

bool decode_folded(struct str bytes, const struct profile_want *want,
		   struct profile *out, struct notes *notes, struct error *err)
{
	struct folded f = { .build = profile_build_new(out, err) };
	bool is_done;

	if (!f.build)
		return false;
	arena_init(&f.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = declare_type(&f, want->type, err) &&
		  read_lines(&f, bytes, err) &&
		  profile_build_finish(f.build, notes, err);
	if (is_done)
		settle(out);
	if (is_done && bytes.len && bytes.ptr[bytes.len - 1] != '\n')
		notes_add(notes, "the last line of the folded stacks has no "
				 "line end: the file may be cut off");
	arena_release(&f.scratch);
	profile_build_free(f.build);
	return is_done;
}
