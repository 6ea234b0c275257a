/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile as a pprof message (profile.proto of google/pprof). A comparison
 * contains both sides: samples of the baseline are negative and labelled
 * pprof::base=true, as by pprof -diff_base, so that pprof shows the change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/gz.h"
#include "base/map.h"
#include "base/num.h"
#include "base/path.h"
#include "base/wirew.h"
#include "render/input.h"
#include "render/render.h"

/* Field numbers. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,

	VALUE_TYPE = 1,
	VALUE_UNIT = 2,

	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STR = 2,

	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FIRST = 7, /* functions, file names, lines, inlining */
	MAPPING_HAS_LAST = 10,

	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
	LINE_COLUMN = 3,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILE = 4,
};

/* Assigns numbers in order of appearance, by the bytes or the number that
 * identify something. */
struct numbering {
	struct map map;
	uint32_t count;
};

/* A location of several frames, root first. Up to FEW_FRAMES are stored here,
 * to avoid a memory access. */
#define FEW_FRAMES 3u

struct several {
	const uint32_t *frames;
	uint32_t few[FEW_FRAMES - 1];
	uint32_t count; /* 0: none */
	uint32_t id;
};

struct writer {
	struct arena arena;
	bool is_failed;
	struct numbering strings; /* from 0, the empty string */
	struct numbering mappings;
	struct numbering functions;
	struct numbering locations;
	struct buf all; /* header and samples, finally everything */
	struct buf mapping_part;
	struct buf location_part;
	struct buf function_part;
	struct buf string_part;
	uint32_t *key; /* room for the longest location */
	/* Encoded locations of the previous stack, leaf first, at the end of
	 * the buffer, so that the next stack can keep the part it shares
	 * towards the root, and prepends the rest. */
	char *path;
	size_t path_room;
	size_t *path_bytes; /* by depth: length up to that frame */
	uint32_t *path_ids; /* locations to be added */
	const uint32_t *path_frames;
	uint32_t path_depth;
	/* For the current profile, 0 or absent if new: location of a frame by
	 * itself, of several by their indices, and numbers of functions and
	 * texts. */
	uint32_t *location_of_frame;
	struct map location_of_frames;
	struct several *last_several; /* by innermost frame */
	bool *is_inlined;             /* by frame: frequently read */
	uint32_t *number_of_function;
	uint32_t *number_of_symbol;
	bool has_two_sides;
	uint64_t label_key; /* string indices; 0: samples have no label */
	uint64_t label_text;
};

/* ---- numbering ---- */

/* Returns the number from a map; it is new if it is the next one. */
static uint32_t number_met(struct numbering *n, uint32_t number, bool *is_new)
{
	*is_new = number == n->count;
	n->count += *is_new;
	return number;
}

static uint32_t fail_number(struct writer *w, bool *is_new)
{
	w->is_failed = true;
	*is_new = false;
	return 0;
}

/* Returns the number for these bytes, which must stay valid; *is_new if added.
 * 0 when out of memory. */
static uint32_t number_of(struct writer *w, struct numbering *n,
			  struct str bytes, bool *is_new)
{
	uint32_t number;

	if (!bytes.ptr || !map_insert(&n->map, bytes, n->count, &number))
		return fail_number(w, is_new);
	return number_met(n, number, is_new);
}

/* Same for a number. */
static uint32_t number_of_u64(struct writer *w, struct numbering *n,
			      uint64_t key, bool *is_new)
{
	uint32_t number;

	if (!map_insert_u64(&n->map, key, n->count, &number))
		return fail_number(w, is_new);
	return number_met(n, number, is_new);
}

/* The text must stay valid. */
static uint32_t put_string(struct writer *w, struct str text)
{
	bool is_new;
	uint32_t number;

	if (!text.len)
		text = STR("");
	number = number_of(w, &w->strings, text, &is_new);
	if (is_new)
		wirew_utf8(&w->string_part, PROFILE_STRING, text);
	return number;
}

/* Texts of the profile are unique; only names of types may be equal to one. */
static uint32_t put_symbol(struct writer *w, const struct profile *p,
			   uint32_t symbol)
{
	struct str text = profile_text(p, symbol);
	uint32_t *known = &w->number_of_symbol[symbol];

	if (*known || !text.len)
		return *known;
	if (w->has_two_sides) {
		*known = put_string(w, text);
	} else {
		*known = w->strings.count++;
		wirew_utf8(&w->string_part, PROFILE_STRING, text);
	}
	return *known;
}

static struct str items_bytes(const uint32_t *items, size_t count)
{
	return (struct str){ (const char *)items, count * sizeof *items };
}

/* All symbols are resolved, so readers need not symbolize. */
static uint32_t put_mapping(struct writer *w, const struct profile *p,
			    uint32_t file)
{
	struct buf *b = &w->mapping_part;
	bool is_new;
	uint32_t id, text;
	size_t at;

	if (!file)
		return 0;
	text = put_symbol(w, p, file);
	id = number_of_u64(w, &w->mappings, text, &is_new);
	if (!is_new)
		return id;
	at = wirew_open(b, PROFILE_MAPPING);
	wirew_varint(b, MAPPING_ID, id);
	wirew_varint(b, MAPPING_FILE, text);
	for (uint32_t i = MAPPING_HAS_FIRST; i <= MAPPING_HAS_LAST; i++)
		wirew_varint(b, i, 1);
	wirew_close(b, at);
	return id;
}

static uint32_t put_new_function(struct writer *w, const struct profile *p,
				 const struct function *f)
{
	uint32_t name = put_symbol(w, p, f->name);
	uint32_t file = put_symbol(w, p, f->file);
	struct buf *b = &w->function_part;
	bool is_new;
	uint32_t id = number_of_u64(w, &w->functions,
				    (uint64_t)name << 32 | file, &is_new);
	size_t at;

	if (!is_new)
		return id;
	at = wirew_open(b, PROFILE_FUNCTION);
	wirew_varint(b, FUNCTION_ID, id);
	wirew_varint(b, FUNCTION_NAME, name);
	wirew_known(b, FUNCTION_FILE, file);
	wirew_close(b, at);
	return id;
}

/* ---- locations ---- */

/* Words of a location's key: mapping, address, then function, line and column
 * for each line. */
#define HEAD_WORDS 3u
#define LINE_WORDS 3u

static void write_location(struct buf *b, uint32_t id, const uint32_t *key,
			   size_t count)
{
	size_t at = wirew_open(b, PROFILE_LOCATION);

	wirew_varint(b, LOCATION_ID, id);
	wirew_known(b, LOCATION_MAPPING, key[0]);
	wirew_known(b, LOCATION_ADDRESS, (uint64_t)key[1] << 32 | key[2]);
	for (size_t i = HEAD_WORDS; i < count; i += LINE_WORDS) {
		size_t line = wirew_open(b, LOCATION_LINE);

		wirew_varint(b, LINE_FUNCTION, key[i]);
		wirew_known(b, LINE_NUMBER, key[i + 1]);
		wirew_known(b, LINE_COLUMN, key[i + 2]);
		wirew_close(b, line);
	}
	wirew_close(b, at);
}

/* Returns whether pprof would store it as a location without lines. */
static bool is_named_after_mapping(const struct profile *p,
				   const struct function *f)
{
	struct str name = profile_text(p, f->name);
	struct str base = path_base(profile_text(p, f->mapping));

	if (!f->is_nameless || !base.len)
		return f->is_nameless && str_equal(name, STR("<unknown>"));
	return name.len == base.len + 2 && name.ptr[0] == '[' &&
	       name.ptr[name.len - 1] == ']' &&
	       str_equal(str_slice(name, 1, base.len), base);
}

/* Writes a location of `count` frames: a function and those inlined into it,
 * root first. In the encoding the innermost line comes first. Functions named
 * by readers after their mapping get no line, as in the original profile. */
static uint32_t put_location(struct writer *w, const struct profile *p,
			     const uint32_t *frames, size_t count)
{
	const struct whole_frame outer = whole_frame(p, frames[0]);
	const struct function *f = &p->functions[outer.frame.function];
	size_t len = HEAD_WORDS;
	bool is_new = true;
	uint32_t id;

	w->key[0] = put_mapping(w, p, f->mapping);
	w->key[1] = outer.detail.address_high;
	w->key[2] = outer.detail.address_low;
	if (count == 1 && is_named_after_mapping(p, f))
		count = 0;
	for (size_t i = count; i-- > 0; len += LINE_WORDS) {
		const struct whole_frame line = whole_frame(p, frames[i]);
		uint32_t *known = &w->number_of_function[line.frame.function];

		if (!*known)
			*known = put_new_function(
				w, p, &p->functions[line.frame.function]);
		w->key[len] = *known;
		w->key[len + 1] = line.frame.line;
		w->key[len + 2] = line.detail.column;
	}
	/* Frames of a profile are distinct, and so are locations, but both
	 * sides share most of them. The key is temporary. */
	if (w->has_two_sides)
		id = number_of(w, &w->locations,
			       arena_str(&w->arena, items_bytes(w->key, len)),
			       &is_new);
	else
		id = w->locations.count++;
	if (is_new)
		write_location(&w->location_part, id, w->key, len);
	return id;
}

static uint32_t location_of_several(struct writer *w, const struct profile *p,
				    const uint32_t *frames, size_t count)
{
	struct several *last = &w->last_several[frames[count - 1]];
	struct str key = items_bytes(frames, count);
	const uint32_t *own = count <= FEW_FRAMES ? last->few : last->frames;
	uint32_t id;

	/* Both have the same innermost frame. */
	if (last->count == count &&
	    !memcmp(own, frames, (count - 1) * sizeof *frames))
		return last->id;
	id = map_find(&w->location_of_frames, key);
	if (id == MAP_NONE) {
		id = put_location(w, p, frames, count);
		if (!map_insert(&w->location_of_frames, key, id, &id))
			w->is_failed = true;
	}
	*last = (struct several){
		.frames = frames,
		.count = (uint32_t)count,
		.id = id,
	};
	for (size_t i = 0; i + 1 < count && i + 1 < FEW_FRAMES; i++)
		last->few[i] = frames[i];
	return id;
}

/* ---- samples ---- */

/* Returns the number of leading frames shared with the previous stack, without
 * splitting a location in either. */
static uint32_t shared_depth(const struct writer *w, const uint32_t *frames,
			     uint32_t count)
{
	const uint32_t *last = w->path_frames;
	uint32_t least = count < w->path_depth ? count : w->path_depth;
	uint32_t depth = 0;

	while (depth < least && frames[depth] == last[depth])
		depth++;
	while (depth && ((depth < count && w->is_inlined[frames[depth]]) ||
			 (depth < w->path_depth && w->is_inlined[last[depth]])))
		depth--;
	return depth;
}

/* Locations are numbered from the leaf on. */
static struct str write_path(struct writer *w, const struct profile *p,
			     const uint32_t *frames, uint32_t count)
{
	uint32_t depth = shared_depth(w, frames, count);
	size_t used = depth ? w->path_bytes[depth] : 0, n = 0;

	for (uint32_t end = count; end > depth;) {
		uint32_t first = end - 1, *known;

		/* Up to the one that they are inlined into. */
		while (first && w->is_inlined[frames[first]])
			first--;
		/* Fast path: nearly all frames are a location by themselves,
		 * and repeat often. */
		known = &w->location_of_frame[frames[first]];
		if (end - first == 1 && !*known)
			*known = put_location(w, p, frames + first, 1);
		w->path_ids[n++] =
			end - first == 1
				? *known
				: location_of_several(w, p, frames + first,
						      end - first);
		end = first;
	}
	while (depth < count) {
		do
			depth++;
		while (depth < count && w->is_inlined[frames[depth]]);
		used += wirew_before(w->path + w->path_room - used,
				     w->path_ids[--n]);
		w->path_bytes[depth] = used;
	}
	w->path_frames = frames;
	w->path_depth = count;
	return (struct str){ w->path + w->path_room - used, used };
}

static void write_sample(struct writer *w, const struct profile *p,
			 const struct stack *stack, bool is_base)
{
	const uint32_t *frames = p->frame_ids + stack->frame_first;
	int64_t value = is_base ? sat_mul_i64(stack->value, -1) : stack->value;
	struct buf *b = &w->all;
	size_t at = wirew_open(b, PROFILE_SAMPLE), label;

	wirew_str(b, SAMPLE_LOCATION,
		  write_path(w, p, frames, stack->frame_count));
	wirew_varint(b, SAMPLE_VALUE, (uint64_t)value);
	if (w->label_key) {
		label = wirew_open(b, SAMPLE_LABEL);
		wirew_varint(b, LABEL_KEY, w->label_key);
		wirew_varint(b, LABEL_STR, w->label_text);
		wirew_close(b, label);
	}
	wirew_close(b, at);
}

/* Prefetching: stacks of a sum are scattered in memory. */
#define AHEAD 6u
#define FETCHED_FRAMES 48u
#define LINE_FRAMES 16u

static void write_stackless(struct writer *w, const struct profile *p,
			    int64_t value, bool is_base)
{
	const struct stack stack = { .value = value };

	if (value)
		write_sample(w, p, &stack, is_base);
}

static void write_side(struct writer *w, const struct profile *p, bool is_base)
{
	size_t deepest = 1;
	int64_t stackless, cancelled;

	for (uint32_t i = 0; i < p->stack_count; i++)
		if (p->stacks[i].frame_count > deepest)
			deepest = p->stacks[i].frame_count;
	w->key = arena_array(&w->arena, HEAD_WORDS + LINE_WORDS * deepest,
			     sizeof *w->key);
	w->location_of_frame = arena_array(&w->arena, p->frame_count,
					   sizeof *w->location_of_frame);
	w->last_several =
		arena_array(&w->arena, p->frame_count, sizeof *w->last_several);
	w->is_inlined =
		arena_array(&w->arena, p->frame_count, sizeof *w->is_inlined);
	w->number_of_function = arena_array(&w->arena, p->function_count,
					    sizeof *w->number_of_function);
	w->number_of_symbol = arena_array(&w->arena, symtab_count(&p->symtab),
					  sizeof *w->number_of_symbol);
	map_init(&w->location_of_frames, &w->arena);
	w->path_room = WIREW_VARINT_BYTES * deepest;
	w->path = arena_array(&w->arena, deepest, WIREW_VARINT_BYTES);
	w->path_bytes =
		arena_array(&w->arena, deepest + 1, sizeof *w->path_bytes);
	w->path_ids = arena_array(&w->arena, deepest, sizeof *w->path_ids);
	w->path_depth = 0;
	if (!w->path || !w->path_bytes || !w->path_ids || !w->key ||
	    !w->location_of_frame || !w->last_several || !w->is_inlined ||
	    !w->number_of_function || !w->number_of_symbol) {
		w->is_failed = true;
		return;
	}
	for (uint32_t i = 0; i < p->frame_count; i++)
		w->is_inlined[i] = is_frame_inlined(p, i);
	for (uint32_t i = 0; i < p->stack_count && !w->is_failed; i++) {
		const struct stack *next = p->stack_count - i > AHEAD
						   ? &p->stacks[i + AHEAD]
						   : NULL;

		for (uint32_t k = 0;
		     next && k < FETCHED_FRAMES && k < next->frame_count;
		     k += LINE_FRAMES)
			__builtin_prefetch(
				&p->frame_ids[next->frame_first + k]);
		write_sample(w, p, &p->stacks[i], is_base);
	}
	/* Shares include what was filtered out or never had a stack: a sample
	 * without a stack. What cancelled out becomes two such samples that
	 * cancel each other. */
	profile_rest(p, &stackless, &cancelled);
	write_stackless(w, p, stackless, is_base);
	write_stackless(w, p, cancelled / 2, is_base);
	write_stackless(w, p, -(cancelled / 2), is_base);
}

/* ---- header ---- */

static void write_type(struct writer *w, struct buf *b, uint32_t field,
		       const struct profile *p)
{
	size_t at = wirew_open(b, field);

	wirew_varint(b, VALUE_TYPE, put_string(w, profile_type_name(p)));
	wirew_varint(b, VALUE_UNIT, put_string(w, profile_unit(p)));
	wirew_close(b, at);
}

/* "name: text", escaped, since pprof prints comments to the terminal. */
static void write_comment(struct writer *w, struct buf *b, const char *name,
			  struct str text, struct time_range range)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct buf line;

	buf_init(&line, 8 * LIMIT_STRING_BYTES);
	buf_addf(&line, "%s: ", name);
	escape_terminal_buf(&line, text);
	if (range.to_ns) {
		format_rfc3339(range.from_ns, from);
		format_rfc3339(range.to_ns, to);
		buf_addf(&line, "%s%s..%s", text.len ? " " : "", from, to);
	}
	if (line.state != BUF_OK)
		w->is_failed = true;
	else if (text.len || range.to_ns)
		wirew_varint(
			b, PROFILE_COMMENT,
			put_string(w, arena_str(&w->arena, buf_str(&line))));
	buf_release(&line);
}

static void write_comments(struct writer *w, struct buf *b,
			   const struct result *r, bool has_base)
{
	const struct time_range none = { 0, 0 };

	write_comment(w, b, "made by", STR("tracefind"), none);
	if (r->has_trace)
		write_comment(w, b, "trace", r->trace.id, none);
	if (r->has_span) {
		write_comment(w, b, "service", r->span.service, none);
		write_comment(w, b, "span", r->span.name, none);
	}
	write_comment(w, b, "profile", r->profile.selector, r->profile.range);
	write_comment(w, b, "samples", r->profile.text, none);
	if (!has_base)
		return;
	write_comment(w, b, "baseline", baseline_name(r), r->baseline.range);
	write_comment(w, b, "sign",
		      STR("the baseline's values are negative, under the "
			  "label pprof::base=true"),
		      none);
}

static void write_head(struct writer *w, struct buf *b,
		       const struct render_input *in)
{
	const struct profile *p = in->profile;
	struct time_range range = in->result->profile.range;
	int64_t time_ns = p->time_ns, duration_ns = p->duration_ns;

	if (range.to_ns > range.from_ns) {
		time_ns = range.from_ns;
		duration_ns = sat_sub_i64(range.to_ns, range.from_ns);
	}
	write_type(w, b, PROFILE_SAMPLE_TYPE, p);
	wirew_known(b, PROFILE_TIME_NS, (uint64_t)time_ns);
	wirew_known(b, PROFILE_DURATION_NS, (uint64_t)duration_ns);
	if (p->period > 0) {
		write_type(w, b, PROFILE_PERIOD_TYPE, p);
		wirew_varint(b, PROFILE_PERIOD, (uint64_t)p->period);
	}
	write_comments(w, b, in->result, in->baseline != NULL);
}

/* ---- message ---- */

static void writer_init(struct writer *w)
{
	struct numbering *const all[] = { &w->strings, &w->mappings,
					  &w->functions, &w->locations };
	struct buf *const parts[] = { &w->all, &w->mapping_part,
				      &w->location_part, &w->function_part,
				      &w->string_part };

	*w = (struct writer){ .is_failed = false };
	arena_init(&w->arena, LIMIT_DECODE_HEAP_BYTES);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		map_init(&all[i]->map, &w->arena);
		all[i]->count = 1;
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buf_init(parts[i], LIMIT_DECODE_HEAP_BYTES);
	w->strings.count = 0;
	put_string(w, STR(""));
}

/* Similar data together compresses best. */
static void writer_join(struct writer *w)
{
	struct buf *const parts[] = { &w->mapping_part, &w->location_part,
				      &w->function_part, &w->string_part };
	size_t more = 0;

	arena_release(&w->arena);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		more += parts[i]->len;
	w->is_failed |= !buf_reserve(&w->all, more);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		w->is_failed |= parts[i]->state != BUF_OK;
		buf_add_str(&w->all, buf_str(parts[i]));
		buf_release(parts[i]);
	}
}

/* Writes the message of -o pprof, uncompressed, replacing the content of
 * `plain`. Returns false when out of memory. */
static bool pprof_plain(const struct render_input *in, struct buf *plain)
{
	struct writer w;

	writer_init(&w);
	w.has_two_sides = in->baseline;
	write_head(&w, &w.all, in);
	write_side(&w, in->profile, false);
	if (in->baseline) {
		w.label_key = put_string(&w, STR("pprof::base"));
		w.label_text = put_string(&w, STR("true"));
		write_side(&w, in->baseline, true);
	}
	writer_join(&w);
	buf_release(plain);
	*plain = w.all;
	return !w.is_failed;
}

/* The profile as files: pprof, compressed, and OpenTelemetry, converted from
 * it. */

/* For large files of sorted stacks, the best compression saves only a twentieth
 * and takes longer than everything else. */
#define THOROUGH_BYTES ((size_t)MIB)

static bool pprof_write(const struct buf *plain, struct out *out)
{
	struct error err = { 0 };
	struct buf packed;
	bool is_done;

	buf_init(&packed, LIMIT_DECODE_HEAP_BYTES);
	is_done = plain->len < THOROUGH_BYTES
			  ? gz_deflate(buf_str(plain), &packed, &err)
			  : gz_deflate_fast(buf_str(plain), &packed, &err);
	if (is_done)
		out_str(out, buf_str(&packed));
	buf_release(&packed);
	return is_done;
}

void render_pprof(const struct render_input *in, struct out *out)
{
	struct buf plain;

	buf_init(&plain, LIMIT_DECODE_HEAP_BYTES);
	if (!pprof_plain(in, &plain) || !pprof_write(&plain, out))
		out_fail_memory(out);
	buf_release(&plain);
}

void otlp_profile(const struct render_input *in, struct out *out)
{
	struct error err = { 0 };
	struct buf pprof, otlp;

	buf_init(&pprof, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&otlp, LIMIT_DECODE_HEAP_BYTES);
	if (pprof_plain(in, &pprof) &&
	    in->write_otlp(buf_str(&pprof), NULL, 0, 0, &otlp, &err) &&
	    otlp.state == BUF_OK)
		out_str(out, buf_str(&otlp));
	else
		out_fail_memory(out);
	buf_release(&pprof);
	buf_release(&otlp);
}
