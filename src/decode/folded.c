/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded stacks: a line "root;caller;leaf 12" each. Names may contain spaces,
 * so the last one separates; comparisons end in two numbers. austin declares
 * itself at the beginning, and has names "file:function:line".
 */
#include "decode/folded.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/feed.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

/* Reading lines in pieces, see folded.h. */

void line_reader_init(struct line_reader *r, struct feed *feed,
		      size_t max_bytes)
{
	*r = (struct line_reader){ 0 };
	for (unsigned i = 0; i < 2; i++) {
		buf_init(&r->pieces[i].bytes, max_bytes);
		r->pieces[i].feed = feed;
	}
}

void line_reader_release(struct line_reader *r)
{
	thread_join(&r->ahead);
	for (unsigned i = 0; i < 2; i++)
		buf_release(&r->pieces[i].bytes);
}

/* The buffer has room. */
static void piece_read(void *task)
{
	struct line_piece *p = task;

	p->got = feed_read(p->feed, p->bytes.data + p->bytes.len, p->room);
	buf_commit(&p->bytes, p->got);
}

static bool piece_reserve(struct line_piece *p, size_t room, struct error *err)
{
	p->room = room;
	return buf_reserve(&p->bytes, room) ||
	       buf_check(&p->bytes, "the lines of a file", err);
}

/* Returns the text up to its last whole line. */
static struct str whole_lines(struct str text)
{
	return str_slice(text, 0, str_behind_last(text, '\n'));
}

bool line_reader_next(struct line_reader *r, struct str *lines,
		      struct error *err)
{
	struct line_piece *before = &r->pieces[r->now];
	struct line_piece *p = &r->pieces[!r->now];
	struct str text;

	r->now = !r->now;
	/* The piece read ahead, else one read now. */
	thread_join(&r->ahead);
	if (!r->is_ahead) {
		if (!piece_reserve(p, LINE_PIECE_BYTES, err))
			return false;
		piece_read(p);
	}
	r->is_ahead = false;
	for (;;) {
		*lines = whole_lines(buf_str(&p->bytes));
		if (lines->len || p->got < p->room)
			break;
		/* Doubles the piece if a line does not fit. */
		if (!piece_reserve(p, p->bytes.len, err))
			return false;
		piece_read(p);
	}

	text = buf_str(&p->bytes);
	r->is_end = p->got < p->room;
	if (!r->is_end) {
		struct str rest = str_slice(text, lines->len, text.len);

		/* The incomplete last line begins the next piece. */
		buf_clear(&before->bytes);
		buf_add_str(&before->bytes, rest);
		if (!piece_reserve(before, LINE_PIECE_BYTES, err))
			return false;
		r->is_ahead = true;
		thread_start(&r->ahead, piece_read, before);
		return true;
	}
	*lines = text;
	return feed_check(p->feed, err);
}

/* Parsing lines into name numbers, see folded.h. */

/* Batch size: small enough for the processor's cache, large enough to make
 * waking the other thread negligible. */
#define BATCH_LINES 4096u
#define BATCH_NAMES 16384u
#define BATCHES 4

/* Number of names looked up together. */
#define GROUP_NAMES 64u

#define WHAT "the names of folded stacks"

struct folded_lines {
	struct arena arena;
	struct text_table names; /* -> their numbers */
	struct line_reader reader;
	bool is_in_memory;
	struct str text; /* lines not parsed yet */
	size_t line;
	/* The previous stack, its frames, and where their names end. */
	struct str last;
	uint32_t depth;
	size_t ends[LIMIT_STACK_FRAMES];
	/* Last names of the batch, not looked up yet. */
	struct text_ref group[GROUP_NAMES];
	uint32_t group_count;
	size_t stack_lines;
	size_t two_number_lines;
	size_t open_end_lines; /* lines like "main;work; 5" */
	bool is_cut_off;
	int64_t duration_us; /* "# duration: 12" of austin; or 0 */

	/* A ring buffer: one is in use, others are filled meanwhile. */
	struct folded_batch batches[BATCHES];
	unsigned next;        /* to fill */
	unsigned now;         /* to return */
	struct thread filler; /* from the second batch on, if available */
	bool is_filler_tried;
	struct tokens empty; /* empty batches */
	struct tokens full;
	atomic_bool is_stopped;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Removes the last word from *text and returns it. */
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

/* Parses "12", or "12." and "12.0", as some tools write. "-12" occurs in
 * differences. *is_whole: no fraction was lost. */
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

/* Returns the length of the common prefix, compared by words, since lines share
 * most of it. */
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

static void forget_last(struct folded_lines *f)
{
	f->depth = 0;
	f->last = STR("");
}

static bool no_line_memory(const struct folded_lines *f, struct folded_batch *b)
{
	return arena_fail(&f->arena, WHAT, &b->err);
}

/* Finds or adds the number of a name. */
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
		return no_line_memory(f, b);
	b->texts[b->text_count++] = text;
	ref->number = text_table_add(&f->names, text, ref->hash);
	return ref->number != TEXT_NONE || no_line_memory(f, b);
}

/* The batch has room for them. */
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

/* Adds the names of the stack's remaining frames. *is_deep: too many. */
static bool add_names(struct folded_lines *f, struct str stack,
		      struct folded_batch *b, bool *is_deep)
{
	/* One before the first name, as others follow a ';'. */
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

/* Adds all names without sharing. Deep stacks share nothing with the next one,
 * since frames in their middle are dropped later. */
static bool add_deep_line(struct folded_lines *f, struct str stack,
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
			return no_line_memory(f, b);
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
	size_t shared = shared_len(stack, f->last);

	/* Tools sort their lines, so neighbours share most frames: keep those
	 * of the previous stack that end in the common prefix. */
	while (f->depth && f->ends[f->depth - 1] >= shared)
		f->depth--;
	f->last = stack;
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
		if (!add_deep_line(f, stack, line, b))
			return false;
	}
	b->line_count++;
	return true;
}

/* Strips empty frames at both ends, which flamegraph.pl ignores, too:
 * heaptrack_print -F (1.4.0) ends each stack with ';', Excimer (1.0.4) begins
 * most with it. */
static struct str without_empty_ends(struct str stack)
{
	size_t first = 0, end = stack.len;

	while (end && stack.ptr[end - 1] == ';')
		end--;
	while (first < end && stack.ptr[first] == ';')
		first++;
	return end ? str_slice(stack, first, end - first) : STR("[unknown]");
}

/* Skips a byte order mark in the first line. */
static inline struct str folded_unmarked(struct str text)
{
	return str_slice(text, str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0,
			 text.len);
}

static bool cut_line(struct folded_lines *f, struct str line,
		     struct folded_batch *b)
{
	struct str stack, word, shown, rest;
	int64_t weight, second;
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
	/* py-spy has samples of threads without Python frames. */
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
	f->open_end_lines += stack.ptr[stack.len - 1] == ';';
	stack = without_empty_ends(stack);
	/* A single line with only one number means that it is not a
	 * comparison. */
	if (f->two_number_lines == f->stack_lines) {
		rest = stack;
		word = take_last_word(&rest);
		f->two_number_lines +=
			rest.len && parse_weight(word, &second, &is_whole);
	}
	f->stack_lines++;
	return add_line(f, stack, weight, b);
}

/* Parses lines until the batch is full or the text is used up. */
static bool cut_lines(struct folded_lines *f, struct folded_batch *b)
{
	/* While there is room for another stack that is not too deep. */
	while (f->text.len && b->line_count < BATCH_LINES &&
	       b->name_count + f->group_count + LIMIT_STACK_FRAMES <=
		       BATCH_NAMES) {
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

static bool folded_lines_prepare(struct folded_lines *f, struct folded_batch *b)
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
	       no_line_memory(f, b);
}

/* Returns true if there is more. */
static bool fill_batch(struct folded_lines *f)
{
	struct folded_batch *b = &f->batches[f->next];
	bool is_ready = folded_lines_prepare(f, b);

	f->next = (f->next + 1) % BATCHES;
	if (is_ready && !f->text.len && !at_end(f)) {
		/* The previous stack is part of the text that is replaced. */
		forget_last(f);
		is_ready = line_reader_next(&f->reader, &f->text, &b->err);
		f->is_cut_off = is_ready && lacks_end(f->text);
	}
	if (is_ready && cut_lines(f, b))
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

/* The first batch, possibly the only one, is not worth a thread. */
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

/* Weights with a common divisor this large are nanoseconds or bytes, not sample
 * counts. */
#define UNIT_DIVISOR_MIN 10000

/* Frame number of names that are not functions. */
#define NO_FRAME UINT32_MAX

/* Marks of uftrace at the end of a stack that the thread left the CPU: not
 * functions. */
static const char *const waits[] = { "linux:schedule",
				     "linux:schedule (pre-empted)" };
#define WAITS COUNT_OF(waits)

struct folded {
	struct profile_build *build;
	struct stack_tree *tree; /* NULL if stacks share little */
	struct arena scratch;
	struct folded_lines *lines;
	const char *austin_type; /* NULL: another tool; "": unknown */
	bool is_leaf_first;
	uint32_t *named; /* frames by name number */
	size_t named_count;
	size_t named_cap;
	/* The last stack, and the tree nodes along it, root first. */
	uint32_t frames[LIMIT_STACK_FRAMES];
	struct stack_place places[LIMIT_STACK_FRAMES + 1];
	uint32_t *deep; /* frames of a stack that is too deep */
	size_t deep_cap;
	uint32_t waits[WAITS]; /* frames, NO_FRAME if absent */
	int64_t waited;
};

/* Removes the part after the last colon from the text; false if there is
 * none. */
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

static bool add_frame_of_austin(struct folded *f, struct str name,
				uint32_t *frame, struct error *err)
{
	struct str file = name, function, digits;
	uint64_t line = 0;
	uint32_t at;

	if (!take_last_part(&file, &digits) || !parse_u64(digits, &line) ||
	    !take_last_part(&file, &function)) {
		*frame = NO_FRAME;
		/* "P3472" or "T0:3472", a process or thread, not a function. */
		if ((str_starts(name, STR("P")) &&
		     str_is_digits(str_slice(name, 1, name.len))) ||
		    (str_starts(name, STR("T")) && name.len > 1 &&
		     ascii_is_digit(name.ptr[1])))
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

/* Strips the address from "big<0000000000401136>", as written by jeprof
 * --collapsed (jemalloc 5.3.0). */
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

/* Its time is attributed to the caller. */
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
		return arena_fail(&f->scratch, "a folded stack", err);
	if (f->austin_type)
		return add_frame_of_austin(f, name, &f->named[f->named_count++],
					   err);
	name = without_address(name);
	is_done = profile_build_name(f->build, name, &function.name, err) &&
		  profile_build_interned(f->build, &function, &at, err) &&
		  profile_build_frame(f->build, at, 0,
				      &f->named[f->named_count++], err);
	if (is_done) {
		for (size_t i = 0; i < WAITS; i++)
			if (str_equal(name, str_from(waits[i])))
				f->waits[i] = f->named[f->named_count - 1];
	}
	return is_done;
}

static void find_frames(const struct folded *f, const uint32_t *names,
			uint32_t count, uint32_t *frames)
{
	for (uint32_t i = 0; i < count; i++)
		frames[i] = f->named[names[i]];
}

/* Copies frames without those that are not functions. */
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
		return arena_fail(&f->scratch, "a folded stack", err);
	find_frames(f, names, line->count, f->deep);
	if (f->is_leaf_first)
		frames_turn_round(f->deep, line->count);
	count = without_wait(f, f->deep,
			     keep_functions(f->deep, line->count, f->deep),
			     line->weight);
	return profile_build_stack(f->build, f->deep, count, line->weight, err);
}

/* Continues from the prefix shared with the last stack. */
static bool add_stack(struct folded *f, const struct folded_line *line,
		      const uint32_t *names, struct error *err)
{
	uint32_t *frames = &f->frames[line->shared];
	uint32_t depth = line->shared + line->count;
	uint32_t kept[LIMIT_STACK_FRAMES];

	find_frames(f, names, line->count, frames);
	if (f->austin_type || f->is_leaf_first) {
		/* The frames shared with the last stack stay as read. */
		depth = keep_functions(f->frames, depth, kept);
		if (f->is_leaf_first)
			frames_turn_round(kept, depth);
		return profile_build_stack(f->build, kept, depth, line->weight,
					   err);
	}
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
			      : add_stack(f, line, names, err)))
			return false;
		if (f->tree && f->tree->count > LIMIT_STACK_TREE_NODES) {
			f->tree = NULL;
			if (!profile_build_untree(f->build, err))
				return false;
		}
		names += line->count;
	}
	return true;
}

static bool read_lines(struct folded *f, struct error *err)
{
	const struct folded_batch *b;

	do {
		b = folded_lines_next(f->lines);
		if (b->err.code != ERROR_NONE) {
			*err = b->err;
			return false;
		}
		for (size_t i = 0; i < b->text_count; i++)
			if (!add_frame(f, b->texts[i], err))
				return false;
		if (!add_lines(f, b, err))
			return false;
	} while (!b->is_last);
	return true;
}

/* Names may end in a number. A requested unit decides. */
static bool check_pairs(const struct folded *f, struct str wanted,
			struct notes *notes, struct error *err)
{
	struct type_name type;

	if (!(f->lines->stack_lines &&
	      f->lines->two_number_lines == f->lines->stack_lines))
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

/* Minimum number of functions with covered callees that rules out
 * coincidence. */
#define TOTALS_MIN 3

/* Returns sums of the callees of each stack, if every callee's caller has a
 * line of its own that covers them; else, or when out of memory, NULL. The
 * caller frees them. */
static int64_t *sums_of_callees(const struct profile *p)
{
	int64_t *sums = mem_calloc(p->stack_count, sizeof *sums);
	uint32_t path[LIMIT_STACK_FRAMES], depth = 0, covering = 0;
	bool is_covered = sums != NULL;

	/* Callers come before callees. */
	for (uint32_t i = 0; is_covered && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i], *caller;
		uint32_t shared = s->frame_count - 1;

		if (shared > depth)
			is_covered = false;
		else if (shared) {
			caller = &p->stacks[path[shared - 1]];
			sums[path[shared - 1]] = sat_add_i64(
				sums[path[shared - 1]], s->value);
			is_covered = memcmp(p->frame_ids + s->frame_first,
					    p->frame_ids + caller->frame_first,
					    shared * sizeof *p->frame_ids) == 0;
		}
		depth = shared + 1;
		path[shared] = i;
	}
	for (uint32_t i = 0; is_covered && i < p->stack_count; i++) {
		is_covered = p->stacks[i].value >= sums[i];
		covering += sums[i] > 0;
	}
	if (is_covered && covering >= TOTALS_MIN)
		return sums;
	mem_free(sums);
	return NULL;
}

/* llvm-xray (14) writes inclusive values, and a ';' at the end of each line,
 * where others have self values. */
static void take_callees_off(struct profile *p, struct notes *notes)
{
	int64_t *sums = sums_of_callees(p), total = 0;
	uint32_t kept = 0;

	if (!sums)
		return;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		struct stack s = p->stacks[i];

		s.value -= sums[i];
		total = sat_add_i64(total, s.value);
		if (s.value)
			p->stacks[kept++] = s;
	}
	p->stack_count = kept;
	p->total = p->whole_total = total;
	mem_free(sums);
	notes_add(notes, "each weight of the folded stacks covers those of what "
			 "is called, as llvm-xray writes them: these are taken "
			 "off, so that nothing counts twice");
}

/* Weights of unknown unit that are not counts do not give a number of
 * samples. */
static void folded_settle(const struct folded *f, struct profile *out)
{
	int64_t length_us = f->lines->duration_us;
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

static bool read_all(struct folded *f, struct str wanted, struct notes *notes,
		     struct error *err)
{
	bool has_tree = !f->austin_type && !f->is_leaf_first;
	struct type_name type;

	/* The tree does not order by line. */
	if (has_tree)
		f->tree = profile_build_tree(f->build, err);
	if (has_tree && !f->tree)
		return false;
	/* The format has no unit, and words like "cpu" do not imply one, so
	 * only a requested type with its unit counts; otherwise weights are
	 * samples if they look like counts. */
	if (!type_spelled_out(wanted, &type))
		type = f->austin_type && *f->austin_type
			       ? (struct type_name){ str_from(f->austin_type),
						     STR("microseconds") }
			       : (struct type_name){ STR("samples"),
						     STR("count") };
	return profile_build_type(f->build, type.type, type.unit, err) &&
	       read_lines(f, err) && check_pairs(f, wanted, notes, err);
}

/* Returns the sample type of austin's stacks from its comments; "" for types
 * other than time; NULL: not from austin. */
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

/* fgprof (0.9.5) writes its folded stacks leaf first: then all end in the
 * function that every goroutine begins with. */
static bool is_leaf_first(struct str front)
{
	struct str root = STR("runtime.goexit");
	bool has_lines = false;

	front = whole_lines(folded_unmarked(front));
	while (front.len) {
		struct str line = str_trim(str_take_line(&front));

		if (!line.len)
			continue;
		take_last_word(&line);
		if (!str_ends(line, root) || str_starts(line, root))
			return false;
		has_lines = true;
	}
	return has_lines;
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
	f->is_leaf_first = is_leaf_first(feed_front(feed));
	f->build = profile_build_new(out, err);
	if (f->build)
		f->lines = folded_lines_new(feed, err);
	return f;
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
	if (is_done && f->lines->open_end_lines == f->lines->stack_lines)
		take_callees_off(out, notes);
	if (is_done)
		folded_settle(f, out);
	if (is_done && f->lines->is_cut_off)
		notes_add(notes, "the last line of the folded stacks has no "
				 "line end: the file may be cut off");
	if (is_done && f->is_leaf_first)
		notes_add(notes, "the folded stacks begin with the leaf, as "
				 "fgprof writes them: they are turned round");
	if (is_done && f->waited && out->total)
		notes_add(notes,
			  "%.1f %% are not on a CPU (linux:schedule), and "
			  "named after their caller",
			  100 * (double)f->waited / (double)out->total);
	folded_lines_free(f->lines);
	arena_release(&f->scratch);
	profile_build_free(f->build);
	mem_free(f);
	return is_done;
}
