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
	const struct symtab *texts; /* of the profile */
	struct map names;           /* as they are written -> frame */
	struct str last;            /* stack */
	uint32_t *frames;           /* of it */
	size_t *ends;               /* of their names within it */
	uint32_t frame_count;
	size_t frame_cap;
	size_t end_cap;
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

static bool no_memory(const struct folded *f, struct error *err)
{
	return arena_fail(&f->scratch, "a folded stack", err);
}

/* Most names are interned as they are written, and those texts stay. */
static struct str name_kept(struct folded *f, struct str name, uint32_t id)
{
	struct str text = symtab_text(f->texts, id);

	return str_equal(text, name) ? text : arena_str(&f->scratch, name);
}

static bool frame_new(struct folded *f, struct str name, uint32_t *frame,
		      struct error *err)
{
	struct function function = { 0 };
	struct str kept;
	uint32_t at;

	if (!profile_build_name(f->build, name, &function.name, err) ||
	    !profile_build_interned(f->build, &function, &at, err) ||
	    !profile_build_frame(f->build, at, 0, frame, err))
		return false;
	kept = name_kept(f, name, function.name);
	return (kept.ptr && map_insert(&f->names, kept, *frame, frame)) ||
	       no_memory(f, err);
}

static bool push_frame(struct folded *f, struct str name, size_t end,
		       struct error *err)
{
	size_t need = (size_t)f->frame_count + 1;
	uint32_t frame = map_find(&f->names, name);

	if (need > LIMIT_LOCATIONS)
		return error_set(err, ERROR_LIMIT,
				 "folded stacks, line %zu: more than %u frames",
				 f->line, LIMIT_LOCATIONS);
	if (frame == MAP_NONE && !frame_new(f, name, &frame, err))
		return false;
	if (!arena_reserve(&f->scratch, (void **)&f->frames, &f->frame_cap,
			   need, sizeof *f->frames) ||
	    !arena_reserve(&f->scratch, (void **)&f->ends, &f->end_cap, need,
			   sizeof *f->ends))
		return no_memory(f, err);
	f->frames[f->frame_count] = frame;
	f->ends[f->frame_count++] = end;
	return true;
}

/* How many bytes both begin with: words first, since it is most of them. */
static size_t shared_len(struct str a, struct str b)
{
	size_t most = a.len < b.len ? a.len : b.len;
	size_t len = 0;

	for (; most - len >= sizeof(uint64_t); len += sizeof(uint64_t)) {
		uint64_t x, y;

		memcpy(&x, a.ptr + len, sizeof x);
		memcpy(&y, b.ptr + len, sizeof y);
		if (x != y)
			break;
	}
	while (len < most && a.ptr[len] == b.ptr[len])
		len++;
	return len;
}

static size_t frame_end(struct str stack, size_t start)
{
	const char *end = memchr(stack.ptr + start, ';', stack.len - start);

	return end ? (size_t)(end - stack.ptr) : stack.len;
}

/* Collapsers sort their lines, so neighbours have most frames in common: of
 * the last stack those stay that end in the shared part. */
static bool add_stack(struct folded *f, struct str stack, int64_t weight,
		      struct error *err)
{
	size_t shared = shared_len(stack, f->last);
	uint32_t count = f->frame_count;
	size_t start, end;

	while (count && f->ends[count - 1] >= shared)
		count--;
	start = count ? f->ends[count - 1] + 1 : 0;
	f->frame_count = count;
	for (; start <= stack.len; start = end + 1) {
		end = frame_end(stack, start);
		if (!push_frame(f, str_slice(stack, start, end - start), end,
				err))
			return false;
	}
	f->last = stack;
	return profile_build_stack(f->build, f->frames, f->frame_count, weight,
				   err);
}

/* One line with a single number says that it is no comparison. */
static void count_numbers(struct folded *f, struct str stack)
{
	if (f->two_number_lines == f->stack_lines)
		f->two_number_lines += ends_in_number(stack);
	f->stack_lines++;
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
	count_numbers(f, stack);
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
	struct folded f = { .build = profile_build_new(out, err),
			    .texts = &out->symtab };
	bool is_done;

	if (!f.build)
		return false;
	arena_init(&f.scratch, LIMIT_DECODE_HEAP_BYTES);
	map_init(&f.names, &f.scratch);
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
