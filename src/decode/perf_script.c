/* SPDX-License-Identifier: Apache-2.0
 *
 * Output of `perf script`: for each sample a line with its event, its stack,
 * leaf first, and an empty line. Without call graphs the only frame is on the
 * line of the event.
 *
 *	work 123/124 [000] 33690.848496:    5025125 cpu-clock:u:
 *		    1332 mix+0x22 (/usr/bin/work)
 *		    20c3 main+0x23 (/usr/bin/work)
 */
#include "decode/formats.h"

#include "base/map.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "decode/folded.h"
#include "decode/profile_type.h"
#include "model/source_path.h"

#define WHAT "perf script's output"

/* Maximum number of comments and empty lines before the first sample. */
#define LOOK_LINES 64

/* The longest modifier of an event, including ':'. */
#define MODIFIER_BYTES 6

/* Limit of the cache of parsed frame lines, which samples repeat very often. */
#define KNOWN_BYTES (8 * MIB)

struct perf {
	struct profile_build *build;
	const struct profile_want *want;
	struct arena scratch;
	struct arena known_arena;
	struct text_table known; /* lines of frames */
	uint32_t *known_frames;  /* by line number in `known` */
	size_t known_cap;
	uint32_t *frames; /* leaf first */
	size_t frame_cap;
	uint32_t frame_count;
	struct str event; /* of the first sample; empty: unknown */
	uint32_t type;    /* chosen by it */
	bool is_begun;    /* a sample was read */
	bool is_in_sample;
	bool is_wanted; /* the sample is of that event */
	/* Frames are on lines of their own, up to an empty line. */
	bool has_lines;
	bool is_cut_off; /* the last sample is incomplete */
	uint64_t period;
	uint64_t other_events;
	uint64_t samples;
	int64_t first_ns, last_ns; /* of all events */
	bool has_periods;          /* for the event that is read */
	bool has_times;
	bool is_counted; /* values are sample counts, not periods */
	size_t line;
};

/* ---- lines ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str take_word(struct str *rest)
{
	struct str word;
	size_t end = 0;

	*rest = str_trim(*rest);
	while (end < rest->len && !is_blank(rest->ptr[end]))
		end++;
	word = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end, rest->len);
	return word;
}

static bool ends_in_colon(struct str word)
{
	return word.len > 1 && word.ptr[word.len - 1] == ':';
}

/* "33690.848496:" */
static bool is_time(struct str word)
{
	struct str number = str_slice(word, 0, word.len - 1);
	size_t point = str_find(number, STR("."));

	return ends_in_colon(word) && point != SIZE_MAX &&
	       str_is_digits(str_slice(number, 0, point)) &&
	       str_is_digits(str_slice(number, point + 1, number.len));
}

struct place {
	struct str name; /* empty: unknown */
	struct str mapping;
	bool is_inlined;
	bool is_kernel;
};

/* Returns the start of "(/lib/libc.so.6)" or "(/tmp/a (deleted))". */
static size_t find_mapping(struct str text)
{
	size_t depth = 0;

	if (!str_ends(text, STR(")")))
		return SIZE_MAX;
	for (size_t at = text.len; at-- > 0;) {
		depth += text.ptr[at] == ')';
		if (text.ptr[at] == '(' && --depth == 0)
			return at;
	}
	return SIZE_MAX;
}

/* Returns whether it is "[kernel.kallsyms]", "[nf_tables]" or a vmlinux, not
 * "[vdso]" or "[anon:v8]". */
static bool is_kernel(struct str mapping)
{
	if (str_find(mapping, STR("vmlinux")) != SIZE_MAX ||
	    str_ends(mapping, STR(".ko")))
		return true;
	return str_starts(mapping, STR("[")) &&
	       !str_equal(mapping, STR("[unknown]")) &&
	       !str_equal(mapping, STR("[vdso]")) &&
	       !source_path_is_of_process(mapping);
}

/* Parses "1332 mix+0x22 (/usr/bin/work)", which begins with an address. */
static bool read_place(struct str line, struct place *p)
{
	struct str rest = line;
	struct str address = take_word(&rest);
	size_t at;

	for (size_t i = 0; i < address.len; i++)
		if (!ascii_is_hex(address.ptr[i]))
			return false;
	rest = str_trim(rest);
	/* Memory access data of perf mem: "68100142 |OP LOAD|LVL L1 hit". */
	if (!address.len || !rest.len || str_starts(rest, STR("|OP ")))
		return false;
	*p = (struct place){ .name = rest, .mapping = STR("") };
	at = find_mapping(rest);
	if (at != SIZE_MAX && (at == 0 || is_blank(rest.ptr[at - 1]))) {
		p->name = str_trim(str_slice(rest, 0, at));
		p->mapping = str_slice(rest, at + 1, rest.len - at - 2);
	}
	p->is_inlined = str_equal(p->mapping, STR("inlined"));
	if (p->is_inlined || str_equal(p->mapping, STR("[unknown]")))
		p->mapping = STR("");
	p->is_kernel = is_kernel(p->mapping);
	/* Strips the offset of "main+0x23". */
	for (at = p->name.len; at-- > 0;) {
		struct str offset = str_slice(p->name, at, p->name.len);

		if (str_starts(offset, STR("+0x")))
			p->name = str_slice(p->name, 0, at);
		else if (ascii_is_hex(offset.ptr[0]) || offset.ptr[0] == 'x')
			continue;
		break;
	}
	if (str_equal(p->name, STR("[unknown]")))
		p->name = STR("");
	return true;
}

/* Returns whether a line is a record other than a sample: of mmap, comm and the
 * like. */
static bool is_record(struct str line)
{
	return str_find(line, STR("PERF_RECORD_")) != SIZE_MAX;
}

struct event {
	int64_t time_ns; /* monotonic clock */
	bool has_time;
	struct str name; /* "cpu-clock:u"; empty: unknown */
	uint64_t period; /* 1 if absent */
	bool has_period;
	struct str rest; /* a frame, fields of a tracepoint, or empty */
};

/* Parses "5025125 cpu-clock:u: ...", parts of which are optional; a frame or
 * nothing follows. */
static bool read_name(struct str text, struct event *e)
{
	struct str rest = text, first = take_word(&rest), word = first;
	uint64_t period = 1;
	struct place place;

	e->period = 1;
	e->has_period = false;
	e->name = STR("");
	e->rest = str_trim(text);
	if (str_is_digits(word)) {
		if (!parse_u64(word, &period))
			return false;
		word = take_word(&rest);
	}
	if (ends_in_colon(word)) {
		e->name = str_slice(word, 0, word.len - 1);
		e->period = period;
		e->has_period = str_is_digits(first);
		e->rest = str_trim(rest);
		return true;
	}
	return !e->rest.len || read_place(e->rest, &place);
}

/* Parses an event line. The command name comes first and may contain spaces, so
 * the time is searched for. */
static bool read_event(struct str line, struct event *e)
{
	struct str rest = line, word;

	do {
		word = take_word(&rest);
	} while (word.len && !is_time(word));
	e->has_time = true;
	return word.len > 0 && !is_record(line) &&
	       parse_scaled_i64(str_slice(word, 0, word.len - 1), 9,
				&e->time_ns) &&
	       read_name(rest, e);
}

/* "1234" or "1234/1235" */
static bool is_thread(struct str word)
{
	size_t slash = str_until(word, 0, '/');

	return str_is_digits(str_slice(word, 0, slash)) &&
	       (slash >= word.len ||
		str_is_digits(str_slice(word, slash + 1, word.len)));
}

/* Parses the first line of a sample with a stack but without a time: "work
 * 1234 [000] cycles:", not indented. */
static bool read_untimed(struct str line, struct event *e)
{
	struct str rest = line, word = take_word(&rest), after;

	if (!line.len || is_blank(line.ptr[0]) || !word.len || is_record(line))
		return false;
	do {
		word = take_word(&rest);
	} while (word.len && !is_thread(word));
	if (!word.len)
		return false;
	after = rest;
	word = take_word(&after);
	if (str_starts(word, STR("[")) && str_ends(word, STR("]"))) {
		rest = after;
		word = take_word(&after);
	}
	/* If there is a time, read_event() handles it. */
	if (is_time(word))
		return false;
	e->has_time = false;
	return read_name(rest, e);
}

bool perf_script_is(struct str text)
{
	struct event event;
	struct place place;

	for (unsigned i = 0; text.len && i < LOOK_LINES;) {
		struct str line = str_take_line(&text), below = text;

		/* A shell may start many programs before the first sample. */
		if (is_record(line))
			continue;
		i++;
		if (!str_trim(line).len || line.ptr[0] == '#')
			continue;
		below = str_take_line(&below);
		/* The frame is on the line of the event, or on the next one. */
		if (read_event(line, &event))
			return (event.rest.len &&
				read_place(event.rest, &place)) ||
			       read_place(below, &place);
		/* Without a time the next line has to confirm it. */
		return read_untimed(line, &event) && below.len &&
		       is_blank(below.ptr[0]) && read_place(below, &place) &&
		       find_mapping(str_trim(below)) != SIZE_MAX;
	}
	return false;
}

/* ---- types ---- */

/* Chooses the sample value: time or event counts, if perf printed periods (-F
 * +period); else samples. Without periods a clock does not give times. */
static bool choose_type(struct perf *p, struct error *err)
{
	struct str name = str_slice(p->event, 0, str_find(p->event, STR(":")));
	struct type_name offered[2] = {
		{ STR("samples"), STR("count") },
		{ name, STR("count") },
	};
	uint32_t count = p->event.len && p->has_periods ? 2 : 1;

	/* Clocks count nanoseconds. "cpu-clock:u" has a modifier. */
	if (str_equal(name, STR("cpu-clock")) ||
	    str_equal(name, STR("task-clock")))
		offered[1] =
			(struct type_name){ STR("cpu"), STR("nanoseconds") };
	for (uint32_t i = 0; i < count; i++)
		if (!profile_build_type(p->build, offered[i].type,
					offered[i].unit, err))
			return false;
	if (!type_choose(offered, count, offered[count - 1].type, p->want,
			 &p->type, err))
		return false;
	p->is_counted = p->type == 0;
	return true;
}

/* ---- samples ---- */

/* Marks kernel functions as flame graphs do. */
static bool add_function(struct perf *p, const struct place *place,
			 uint32_t *function, struct error *err)
{
	struct str name = place->name;
	struct str base = path_base(place->mapping);
	struct str mapping = place->mapping;
	bool is_nameless = !name.len;

	/* Only needed to distinguish functions of the same name. */
	if (!p->want->detail && (is_nameless || place->is_kernel))
		mapping = STR("");
	if (is_nameless && !base.len)
		name = STR("[unknown]");
	else if (is_nameless && str_starts(base, STR("[")))
		name = base;
	else if (is_nameless)
		name = arena_printf(&p->scratch, "[%.*s]", STR_ARGS(base));
	else if (place->is_kernel)
		name = arena_printf(&p->scratch, "%.*s_[k]", STR_ARGS(name));
	if (!name.ptr)
		return arena_fail(&p->scratch, WHAT, err);
	return profile_build_mapped(p->build, name, STR(""), mapping,
				    is_nameless && p->want->detail, function,
				    err);
}

static bool add_frame(struct perf *p, uint32_t frame, struct error *err)
{
	void *frames = p->frames;

	if (p->frame_count == LIMIT_LOCATIONS)
		return error_set(err, ERROR_LIMIT,
				 WHAT ", line %zu: more than %u frames",
				 p->line, LIMIT_LOCATIONS);
	if (!arena_reserve(&p->scratch, &frames, &p->frame_cap,
			   p->frame_count + 1u, sizeof *p->frames))
		return arena_fail(&p->scratch, WHAT, err);
	p->frames = frames;
	p->frames[p->frame_count++] = frame;
	return true;
}

static bool find_frame(struct perf *p, const struct place *place,
		       uint32_t *frame, struct error *err)
{
	struct whole_frame whole = {
		.detail.is_inlined = p->want->detail && place->is_inlined,
	};

	return add_function(p, place, &whole.frame.function, err) &&
	       profile_build_place(p->build, &whole, frame, err);
}

static void known_init(struct perf *p)
{
	arena_init(&p->known_arena, LIMIT_DECODE_HEAP_BYTES);
	text_table_init(&p->known, &p->known_arena);
	p->known_frames = NULL;
	p->known_cap = 0;
}

static bool frame_know(struct perf *p, struct str line, uint32_t hash,
		       uint32_t frame, struct error *err)
{
	void *frames;
	uint32_t number;

	if (p->known_arena.used_bytes + line.len > KNOWN_BYTES) {
		arena_release(&p->known_arena);
		known_init(p);
		if (line.len > KNOWN_BYTES)
			return true;
		hash = text_table_hash(&p->known, line);
	}
	frames = p->known_frames;
	line = arena_str(&p->known_arena, line);
	number = line.ptr ? text_table_add(&p->known, line, hash) : TEXT_NONE;
	if (number == TEXT_NONE ||
	    !arena_reserve(&p->known_arena, &frames, &p->known_cap,
			   (size_t)number + 1, sizeof frame))
		return arena_fail(&p->known_arena, WHAT, err);
	p->known_frames = frames;
	p->known_frames[number] = frame;
	return true;
}

static bool end_sample(struct perf *p, struct error *err)
{
	uint32_t count = p->frame_count;
	int64_t value = p->period > INT64_MAX ? INT64_MAX : (int64_t)p->period;

	if (!p->is_in_sample)
		return true;
	p->is_in_sample = false;
	if (!p->is_wanted) {
		p->other_events++;
		return true;
	}
	p->samples++;
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t kept = p->frames[i];

		p->frames[i] = p->frames[count - 1 - i];
		p->frames[count - 1 - i] = kept;
	}
	return profile_build_stack(p->build, p->frames, count,
				   p->is_counted ? 1 : value, err);
}

/* Starts with the first sample: only its event is read. */
static bool event_begin(struct perf *p, const struct event *e,
			struct error *err)
{
	p->is_begun = true;
	p->event = arena_str(&p->scratch, e->name);
	if (!p->event.ptr)
		return arena_fail(&p->scratch, WHAT, err);
	/* "sched:sched_switch" is a tracepoint, which counts as one each;
	 * "cycles:uppp" has a modifier. */
	p->has_periods =
		e->has_period &&
		!(e->name.len > str_until(e->name, 0, ':') + MODIFIER_BYTES);
	return choose_type(p, err);
}

static bool begin_sample(struct perf *p, const struct event *e,
			 struct error *err)
{
	struct place place;
	uint32_t frame;

	if (!(p->is_begun ? end_sample(p, err) : event_begin(p, e, err)))
		return false;
	if (e->has_time) {
		p->first_ns = p->has_times ? min_i64(p->first_ns, e->time_ns)
					   : e->time_ns;
		p->last_ns = p->has_times ? max_i64(p->last_ns, e->time_ns)
					  : e->time_ns;
		p->has_times = true;
	}
	p->is_in_sample = true;
	p->is_wanted = str_equal(e->name, p->event);
	p->period = e->period;
	p->frame_count = 0;
	p->has_lines = !read_place(e->rest, &place);
	if (!p->is_wanted || p->has_lines)
		return true;
	return find_frame(p, &place, &frame, err) && add_frame(p, frame, err);
}

static bool read_line(struct perf *p, struct str line, struct error *err)
{
	struct event event;
	uint32_t hash = text_table_hash(&p->known, line);
	uint32_t known = p->is_in_sample
				 ? text_table_find(&p->known, line, hash)
				 : TEXT_NONE;
	struct place place;
	uint32_t frame;

	if (known != TEXT_NONE)
		return !p->is_wanted ||
		       add_frame(p, p->known_frames[known], err);
	if (!str_trim(line).len)
		return end_sample(p, err);
	if (line.ptr[0] == '#')
		return true;
	if (read_event(line, &event) ||
	    (!p->is_in_sample && read_untimed(line, &event)))
		return begin_sample(p, &event, err);
	/* Other lines (sources, registers) are not frames. */
	if (!p->is_in_sample || !p->is_wanted || !is_blank(line.ptr[0]) ||
	    !read_place(line, &place))
		return true;
	return find_frame(p, &place, &frame, err) &&
	       frame_know(p, line, hash, frame, err) &&
	       add_frame(p, frame, err);
}

static bool read_samples(struct perf *p, struct feed *feed, struct error *err)
{
	struct line_reader reader;
	struct str text = STR("");
	bool is_read, has_line_end = true;

	line_reader_init(&reader, feed, LIMIT_FILE_PLAIN_BYTES);
	do {
		is_read = line_reader_next(&reader, &text, err);
		if (text.len)
			has_line_end = text.ptr[text.len - 1] == '\n';
		if (!p->line && str_starts(text, STR("\xef\xbb\xbf")))
			text = str_slice(text, 3, text.len);
		while (is_read && text.len) {
			p->line++;
			is_read = read_line(p, str_take_line(&text), err);
		}
	} while (is_read && !reader.is_end);
	line_reader_release(&reader);
	p->is_cut_off = !has_line_end || (p->is_in_sample && p->has_lines);
	return is_read && end_sample(p, err) &&
	       (p->is_begun || choose_type(p, err));
}

static void perf_settle(const struct perf *p, struct profile *out,
			struct notes *notes)
{
	type_settle(out);
	out->sample_count = (int64_t)p->samples;
	out->duration_ns = p->last_ns - p->first_ns;
	if (p->samples && !p->is_counted)
		out->period = out->total / (int64_t)p->samples;
	if (p->other_events)
		notes_add(notes,
			  "%llu samples of other events than %.*s are left out",
			  (unsigned long long)p->other_events,
			  STR_ARGS(p->event));
	if (p->is_cut_off)
		notes_add(notes, "the last sample of the perf script has no "
				 "end: the file may be cut off");
}

bool decode_perf_script(struct feed *feed, const struct profile_want *want,
			struct profile *out, struct notes *notes,
			struct error *err)
{
	struct perf p = { .build = profile_build_new(out, err),
			  .event = STR(""),
			  .want = want };
	bool is_done;

	if (!p.build)
		return false;
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	known_init(&p);
	is_done = read_samples(&p, feed, err);
	out->type = p.type;
	is_done = is_done && profile_build_finish(p.build, notes, err);
	if (is_done)
		perf_settle(&p, out, notes);
	arena_release(&p.known_arena);
	arena_release(&p.scratch);
	profile_build_free(p.build);
	return is_done;
}
