/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/folded_lines.h"

#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text_table.h"
#include "base/thread.h"
#include "decode/line_reader.h"

/* Handed over at a time: few enough to stay in the processor's cache, and so
 * many that waking the other thread is no cost. */
#define BATCH_LINES 4096u
#define BATCH_NAMES 16384u
#define BATCHES 4

/* Names that are looked up side by side. */
#define GROUP_NAMES 64u

#define WHAT "the names of folded stacks"

struct folded_lines {
	struct arena arena;
	struct text_table names; /* -> their numbers */
	struct line_reader reader;
	bool is_in_memory;
	struct str text; /* lines that are not cut yet */
	size_t line;
	/* The stack before, its frames, and where their names end. */
	struct str last;
	uint32_t depth;
	size_t ends[LIMIT_STACK_FRAMES];
	/* The last names of the batch, still to be looked up. */
	struct text_ref group[GROUP_NAMES];
	uint32_t group_count;
	size_t stack_lines;
	size_t two_number_lines;
	bool is_cut_off;
	int64_t duration_us; /* "# duration: 12", as austin has it; or 0 */

	/* A ring: one is handed out, and others are filled meanwhile. */
	struct folded_batch batches[BATCHES];
	unsigned next;        /* to be filled */
	unsigned now;         /* to be handed out */
	struct thread filler; /* from the second batch on, if it is to be had */
	bool is_filler_tried;
	struct tokens empty; /* batches */
	struct tokens full;
	atomic_bool is_stopped;
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

/* "12", or "12." and "12.0", as some collapsers write it. "-12" is what a
 * profile that is a difference holds. *is_whole: nothing is lost. */
static bool parse_weight(struct str text, int64_t *weight, bool *is_whole)
{
	bool is_negative = text.len && text.ptr[0] == '-';
	size_t point = str_until(text, 0, '.');

	*is_whole = true;
	for (size_t i = point + 1; i < text.len; i++) {
		if (!ascii_is_digit(text.ptr[i]))
			return false;
		*is_whole = *is_whole && text.ptr[i] == '0';
	}
	text = str_slice(text, 0, point);
	return str_is_digits(str_slice(text, is_negative, text.len)) &&
	       parse_i64(text, weight);
}

static bool ends_in_number(struct str stack)
{
	struct str rest = stack;
	struct str word = take_last_word(&rest);
	int64_t weight;
	bool is_whole;

	return rest.len && parse_weight(word, &weight, &is_whole);
}

/* One line with a single number says that it is no comparison. */
static void count_numbers(struct folded_lines *f, struct str stack)
{
	if (f->two_number_lines == f->stack_lines)
		f->two_number_lines += ends_in_number(stack);
	f->stack_lines++;
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

/* Collapsers sort their lines, so neighbours have most frames in common: of
 * the stack before those stay that end in the shared part. */
static void share_path(struct folded_lines *f, struct str stack)
{
	size_t shared = shared_len(stack, f->last);

	while (f->depth && f->ends[f->depth - 1] >= shared)
		f->depth--;
	f->last = stack;
}

static void forget_last(struct folded_lines *f)
{
	f->depth = 0;
	f->last = STR("");
}

static bool no_memory(const struct folded_lines *f, struct folded_batch *b)
{
	return arena_fail(&f->arena, WHAT, &b->err);
}

/* The number of a name that may be there by now. */
static bool number_name(struct folded_lines *f, struct text_ref *ref,
			struct folded_batch *b)
{
	struct str text;

	ref->number = text_table_find(&f->names, ref->text, ref->hash);
	if (ref->number != TEXT_NONE)
		return true;
	text = arena_str(&f->arena, ref->text);
	if (!text.ptr ||
	    !arena_reserve(&f->arena, (void **)&b->texts, &b->text_cap,
			   b->text_count + 1, sizeof *b->texts))
		return no_memory(f, b);
	b->texts[b->text_count++] = text;
	ref->number = text_table_add(&f->names, text, ref->hash);
	return ref->number != TEXT_NONE || no_memory(f, b);
}

/* There is room for them. */
static bool number_group(struct folded_lines *f, struct folded_batch *b)
{
	uint32_t count = f->group_count;

	f->group_count = 0;
	text_table_find_all(&f->names, f->group, count);
	for (uint32_t i = 0; i < count; i++) {
		struct text_ref *ref = &f->group[i];

		if (ref->number == TEXT_NONE && !number_name(f, ref, b))
			return false;
		b->names[b->name_count++] = ref->number;
	}
	return true;
}

static bool add_name(struct folded_lines *f, struct str name,
		     struct folded_batch *b)
{
	struct text_ref *ref = &f->group[f->group_count++];

	ref->text = name;
	ref->hash = text_table_hash(&f->names, name);
	return f->group_count < GROUP_NAMES || number_group(f, b);
}

/* The names of the stack's other frames. *is_deep: there are too many. */
static bool add_names(struct folded_lines *f, struct str stack,
		      struct folded_batch *b, bool *is_deep)
{
	/* One before the first name, as others are behind a ';'. */
	size_t end = f->depth ? f->ends[f->depth - 1] : SIZE_MAX;

	while (end != stack.len) {
		size_t start = end + 1;

		*is_deep = f->depth == LIMIT_STACK_FRAMES;
		if (*is_deep)
			return true;
		end = str_until(stack, start, ';');
		f->ends[f->depth++] = end;
		if (!add_name(f, str_slice(stack, start, end - start), b))
			return false;
	}
	return true;
}

/* All names anew. What is too deep is not compared with the next stack: in the
 * end frames in its middle are left out. */
static bool add_deep(struct folded_lines *f, struct str stack,
		     struct folded_line *line, struct folded_batch *b)
{
	for (size_t start = 0, end; start <= stack.len; start = end + 1) {
		end = str_until(stack, start, ';');
		if (line->count++ == LIMIT_LOCATIONS)
			return error_set(&b->err, ERROR_LIMIT,
					 "folded stacks, line %zu: more than "
					 "%u frames",
					 f->line, LIMIT_LOCATIONS);
		if (!arena_reserve(&f->arena, (void **)&b->names, &b->name_cap,
				   b->name_count + GROUP_NAMES,
				   sizeof *b->names))
			return no_memory(f, b);
		if (!add_name(f, str_slice(stack, start, end - start), b))
			return false;
	}
	forget_last(f);
	return true;
}

static bool add_line(struct folded_lines *f, struct str stack, int64_t weight,
		     struct folded_batch *b)
{
	struct folded_line *line = &b->lines[b->line_count];
	size_t before = b->name_count + f->group_count;
	bool is_deep = false;

	share_path(f, stack);
	line->weight = weight;
	line->shared = f->depth;
	if (!add_names(f, stack, b, &is_deep))
		return false;
	line->count = f->depth - line->shared;
	if (is_deep) {
		if (!number_group(f, b))
			return false;
		b->name_count = before;
		line->shared = line->count = 0;
		if (!add_deep(f, stack, line, b))
			return false;
	}
	b->line_count++;
	return true;
}

/* The stack without empty frames at its ends, which are none to flamegraph.pl
 * either: heaptrack_print -F (1.4.0) ends each stack with a ';', Excimer (1.0.4)
 * begins most with one. */
static struct str without_empty_ends(struct str stack)
{
	size_t first = 0, end = stack.len;

	while (end && stack.ptr[end - 1] == ';')
		end--;
	while (first < end && stack.ptr[first] == ';')
		first++;
	return end ? str_slice(stack, first, end - first) : STR("[unknown]");
}

static bool cut_line(struct folded_lines *f, struct str line,
		     struct folded_batch *b)
{
	struct str stack, word, shown;
	int64_t weight;
	bool is_marked, is_whole;

	if (!f->line++)
		line = folded_unmarked(line);
	stack = str_trim(line);
	if (stack.len == 0)
		return true;
	is_marked = stack.ptr[0] == '#';
	word = take_last_word(&stack);
	shown = str_slice(word, 0, 80);
	if (!parse_weight(word, &weight, &is_whole))
		return is_marked ||
		       error_set(&b->err, ERROR_FORMAT,
				 "folded stacks, line %zu: \"%.*s\" is not a "
				 "weight; expected \"main;work;leaf 12\"",
				 f->line, STR_ARGS(shown));
	if (is_marked && folded_is_comment(stack)) {
		if (str_equal(stack, STR("# duration:")))
			f->duration_us = weight;
		return true;
	}
	/* py-spy has samples of threads without any frame of Python. */
	if (stack.len == 0 && is_blank(line.ptr[0]))
		stack = STR("[unknown]");
	if (stack.len == 0)
		return error_set(&b->err, ERROR_FORMAT,
				 "folded stacks, line %zu: no stack before the "
				 "weight",
				 f->line);
	if (!is_whole)
		return error_set(&b->err, ERROR_FORMAT,
				 "folded stacks, line %zu: the weight %.*s is "
				 "no whole number, and rounded weights would "
				 "change the shares; multiply all of them, as "
				 "by a thousand: awk '{ $NF *= 1000 } 1'",
				 f->line, STR_ARGS(shown));
	stack = without_empty_ends(stack);
	count_numbers(f, stack);
	return add_line(f, stack, weight, b);
}

/* For one more stack that is not too deep. */
static bool has_room(const struct folded_lines *f, const struct folded_batch *b)
{
	return b->line_count < BATCH_LINES &&
	       b->name_count + f->group_count + LIMIT_STACK_FRAMES <=
		       BATCH_NAMES;
}

/* Until the batch is full or the text is done. */
static bool cut_lines(struct folded_lines *f, struct folded_batch *b)
{
	while (f->text.len && has_room(f, b)) {
		size_t len = str_until(f->text, 0, '\n');

		if (!cut_line(f, str_slice(f->text, 0, len), b))
			return false;
		f->text = str_slice(f->text, len + 1, f->text.len);
	}
	return true;
}

static bool at_end(const struct folded_lines *f)
{
	return f->is_in_memory || f->reader.is_end;
}

static bool lacks_end(struct str text)
{
	return text.len && text.ptr[text.len - 1] != '\n';
}

/* The last stack goes with the text that it lies in. */
static bool read_text(struct folded_lines *f, struct error *err)
{
	if (f->text.len || at_end(f))
		return true;
	forget_last(f);
	if (!line_reader_next(&f->reader, &f->text, err))
		return false;
	f->is_cut_off = lacks_end(f->text);
	return true;
}

static bool prepare(struct folded_lines *f, struct folded_batch *b)
{
	b->line_count = 0;
	b->name_count = b->text_count = 0;
	error_clear(&b->err);
	if (!b->lines)
		b->lines =
			arena_array(&f->arena, BATCH_LINES, sizeof *b->lines);
	return (b->lines &&
		arena_reserve(&f->arena, (void **)&b->names, &b->name_cap,
			      BATCH_NAMES, sizeof *b->names)) ||
	       no_memory(f, b);
}

/* True: there is more. */
static bool fill_batch(struct folded_lines *f)
{
	struct folded_batch *b = &f->batches[f->next];

	f->next = (f->next + 1) % BATCHES;
	if (prepare(f, b) && read_text(f, &b->err) && cut_lines(f, b))
		(void)!number_group(f, b);
	b->is_last = b->err.code != ERROR_NONE || (!f->text.len && at_end(f));
	return !b->is_last;
}

static void fill_batches(void *task)
{
	struct folded_lines *f = task;
	bool is_more = true;

	while (is_more) {
		tokens_take(&f->empty);
		is_more = !f->is_stopped && fill_batch(f);
		tokens_give(&f->full);
	}
}

/* The first batch, which may be the only one, is worth no thread. */
const struct folded_batch *folded_lines_next(struct folded_lines *f)
{
	const struct folded_batch *b = &f->batches[f->now];

	f->now = (f->now + 1) % BATCHES;
	if (f->filler.worker) {
		tokens_give(&f->empty);
		tokens_take(&f->full);
	} else if (fill_batch(f) && !f->is_filler_tried) {
		f->is_filler_tried = true;
		thread_try(&f->filler, fill_batches, f);
	}
	return b;
}

bool folded_lines_cut_off(const struct folded_lines *f)
{
	return f->is_cut_off;
}

int64_t folded_lines_duration_us(const struct folded_lines *f)
{
	return f->duration_us;
}

bool folded_lines_are_pairs(const struct folded_lines *f)
{
	return f->stack_lines && f->two_number_lines == f->stack_lines;
}

struct folded_lines *folded_lines_new(struct feed *feed, struct error *err)
{
	struct folded_lines *f = mem_calloc(1, sizeof *f);

	if (!f) {
		error_memory(err, WHAT);
		return NULL;
	}
	arena_init(&f->arena, LIMIT_DECODE_HEAP_BYTES);
	text_table_init(&f->names, &f->arena);
	line_reader_init(&f->reader, feed, LIMIT_FILE_PLAIN_BYTES);
	tokens_init(&f->empty, BATCHES - 1);
	tokens_init(&f->full, 0);
	f->is_in_memory = feed_in_memory(feed, &f->text);
	f->is_cut_off = f->is_in_memory && lacks_end(f->text);
	return f;
}

void folded_lines_free(struct folded_lines *f)
{
	if (!f)
		return;
	f->is_stopped = true;
	tokens_give(&f->empty);
	thread_join(&f->filler);
	tokens_release(&f->empty);
	tokens_release(&f->full);
	line_reader_release(&f->reader);
	arena_release(&f->arena);
	mem_free(f);
}
