/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded stacks: "root;caller;leaf 12" a line. Names may hold blanks, so the
 * last one separates; a comparison ends in two numbers.
 */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "decode/decode.h"
#include "decode/formats.h"
#include "decode/line_reader.h"
#include "decode/name_table.h"
#include "decode/profile_type.h"

/* Weights that all share a divisor this large are nanoseconds or bytes, not
 * counts of samples. */
#define UNIT_DIVISOR_MIN 10000

/* Frames that are looked up side by side. */
#define BATCH_FRAMES 64u

/* None has this number. */
#define FRAME_NONE UINT32_MAX

struct folded {
	struct profile_build *build;
	struct stack_tree *tree;    /* NULL where there is little in common */
	const struct symtab *texts; /* of the profile */
	struct name_table names;
	struct str last; /* stack */
	/* Of it: frames, where their names end, what they lead to. */
	uint32_t depth;
	uint32_t frames[LIMIT_STACK_FRAMES];
	size_t ends[LIMIT_STACK_FRAMES];
	struct stack_place places[LIMIT_STACK_FRAMES + 1]; /* root first */
	uint32_t *deep; /* frames of a stack that is deeper */
	size_t deep_cap;
	struct arena scratch;
	size_t line;
	size_t stack_lines;
	size_t two_number_lines;
	struct line_reader reader; /* of a file */
	struct buf kept;           /* holds `last` when its piece is gone */
	bool is_cut_off;           /* no line end at the end */
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

/* NULL after a failure. */
static const struct name_item *name_new(struct folded *f, struct str name,
					uint64_t hash, struct error *err)
{
	struct function function = { 0 };
	const struct name_item *item = NULL;
	uint32_t at, frame;
	struct str kept;

	if (!profile_build_name(f->build, name, &function.name, err) ||
	    !profile_build_interned(f->build, &function, &at, err) ||
	    !profile_build_frame(f->build, at, 0, &frame, err))
		return NULL;
	kept = name_kept(f, name, function.name);
	if (kept.ptr)
		item = name_table_add(&f->names, kept, hash, frame);
	if (!item)
		no_memory(f, err);
	return item;
}

static bool frame_of(struct folded *f, struct str name, uint64_t hash,
		     uint32_t *frame, struct error *err)
{
	const struct name_item *item = name_table_find(&f->names, name, hash);

	if (!item)
		item = name_new(f, name, hash, err);
	if (item)
		*frame = item->frame;
	return item;
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

static void forget_last(struct folded *f)
{
	f->depth = 0;
	f->last = STR("");
}

static bool leave_large_tree(struct folded *f, struct error *err)
{
	if (!f->tree || f->tree->count <= LIMIT_STACK_TREE_NODES)
		return true;
	f->tree = NULL;
	forget_last(f);
	return profile_build_untree(f->build, err);
}

/* All frames anew: those in the middle are left out, so that the next stack
 * cannot go on from here. */
static bool add_deep(struct folded *f, struct str stack, int64_t weight,
		     struct error *err)
{
	uint32_t count = 0;

	forget_last(f);
	for (size_t start = 0, end; start <= stack.len; start = end + 1) {
		struct str name;

		end = frame_end(stack, start);
		name = str_slice(stack, start, end - start);
		if (count == LIMIT_LOCATIONS)
			return error_set(err, ERROR_LIMIT,
					 "folded stacks, line %zu: more than "
					 "%u frames",
					 f->line, LIMIT_LOCATIONS);
		if (!arena_reserve(&f->scratch, (void **)&f->deep, &f->deep_cap,
				   count + (size_t)1, sizeof *f->deep))
			return no_memory(f, err);
		if (!frame_of(f, name, name_table_hash(&f->names, name),
			      &f->deep[count++], err))
			return false;
	}
	return profile_build_stack(f->build, f->deep, count, weight, err) &&
	       leave_large_tree(f, err);
}

static bool add_value(struct folded *f, int64_t weight, struct error *err)
{
	if (!f->tree)
		return profile_build_stack(f->build, f->frames, f->depth,
					   weight, err);
	return profile_build_node(f->build, f->places[f->depth].node, f->depth,
				  weight, err) &&
	       leave_large_tree(f, err);
}

/* Collapsers sort their lines, so neighbours have most frames in common: of
 * the last stack those stay that end in the shared part. */
static void share_path(struct folded *f, struct str stack)
{
	size_t shared = shared_len(stack, f->last);

	while (f->depth && f->ends[f->depth - 1] >= shared)
		f->depth--;
	f->last = stack;
}

/* The names of the next frames, and where the last of them ends. */
static uint32_t next_names(struct folded *f, struct str stack, size_t *end,
			   struct name_ref refs[BATCH_FRAMES])
{
	uint32_t most = LIMIT_STACK_FRAMES - f->depth;
	uint32_t count = 0;

	while (*end != stack.len && count < BATCH_FRAMES && count < most) {
		size_t start = *end + 1;

		*end = frame_end(stack, start);
		f->ends[f->depth + count] = *end;
		refs[count++].name = str_slice(stack, start, *end - start);
	}
	return count;
}

static bool push_names(struct folded *f, struct name_ref *refs, uint32_t count,
		       struct error *err)
{
	uint32_t *frames = &f->frames[f->depth];

	name_table_find_all(&f->names, refs, count);
	for (uint32_t i = 0; i < count; i++)
		frames[i] = refs[i].item ? refs[i].item->frame : FRAME_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (frames[i] == FRAME_NONE &&
		    !frame_of(f, refs[i].name, refs[i].hash, &frames[i], err))
			return false;
	if (f->tree &&
	    !stack_tree_walk(f->tree, frames, count, &f->places[f->depth]))
		return arena_fail(f->tree->arena, "a folded stack", err);
	f->depth += count;
	return true;
}

static bool add_stack(struct folded *f, struct str stack, int64_t weight,
		      struct error *err)
{
	struct name_ref refs[BATCH_FRAMES];
	size_t end;

	share_path(f, stack);
	/* One before the first name, as others are behind a ';'. */
	end = f->depth ? f->ends[f->depth - 1] : SIZE_MAX;
	while (end != stack.len) {
		uint32_t count = next_names(f, stack, &end, refs);

		if (!count)
			return add_deep(f, stack, weight, err);
		if (!push_names(f, refs, count, err))
			return false;
	}
	return add_value(f, weight, err);
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
	return true;
}

static bool refuse_comparison(const struct folded *f, struct error *err)
{
	if (f->stack_lines == 0 || f->two_number_lines < f->stack_lines)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "folded stacks: every line ends in two numbers, so "
			 "this is a comparison (difffolded), not a profile; "
			 "give the two profiles instead");
}

/* The stack that the next line is compared with outlives its piece. */
static bool keep_last(struct folded *f, struct error *err)
{
	buf_clear(&f->kept);
	buf_add_str(&f->kept, f->last);
	f->last = buf_str(&f->kept);
	return buf_check(&f->kept, "a folded stack", err);
}

static bool read_pieces(struct folded *f, struct error *err)
{
	while (!f->reader.is_end) {
		struct str text;

		if (!line_reader_next(&f->reader, &text, err))
			return false;
		f->is_cut_off = text.len && text.ptr[text.len - 1] != '\n';
		if (!read_lines(f, text, err) || !keep_last(f, err))
			return false;
	}
	return true;
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

static bool read_all(struct folded *f, struct feed *feed, struct str type,
		     struct error *err)
{
	struct str bytes;

	f->tree = profile_build_tree(f->build, err);
	if (!f->tree || !declare_type(f, type, err))
		return false;
	if (!feed_in_memory(feed, &bytes))
		return read_pieces(f, err) && refuse_comparison(f, err);
	f->is_cut_off = bytes.len && bytes.ptr[bytes.len - 1] != '\n';
	return read_lines(f, bytes, err) && refuse_comparison(f, err);
}

static struct folded *folded_new(struct feed *feed, struct profile *out,
				 struct error *err)
{
	struct folded *f = mem_calloc(1, sizeof *f);

	if (!f) {
		error_memory(err, "a folded stack");
		return NULL;
	}
	f->build = profile_build_new(out, err);
	f->texts = &out->symtab;
	arena_init(&f->scratch, LIMIT_DECODE_HEAP_BYTES);
	name_table_init(&f->names, &f->scratch);
	line_reader_init(&f->reader, feed, LIMIT_FILE_PLAIN_BYTES);
	buf_init(&f->kept, LIMIT_FILE_PLAIN_BYTES);
	return f;
}

static void folded_free(struct folded *f)
{
	line_reader_release(&f->reader);
	buf_release(&f->kept);
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
	is_done = f->build && read_all(f, feed, want->type, err) &&
		  profile_build_finish(f->build, notes, err);
	if (is_done)
		settle(out);
	if (is_done && f->is_cut_off)
		notes_add(notes, "the last line of the folded stacks has no "
				 "line end: the file may be cut off");
	folded_free(f);
	return is_done;
}
