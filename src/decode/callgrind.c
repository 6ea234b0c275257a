/* SPDX-License-Identifier: Apache-2.0
 *
 * Callgrind format, also written by Xdebug, nytprofcg and yappi: the self cost
 * of each function, and the inclusive cost of each call between two functions.
 * It has no stacks. Documented in the Valgrind manual, "Callgrind Format
 * Specification".
 *
 *	events: Ir
 *	fl=(1) work.c
 *	fn=(1) main
 *	12 400
 *	cfn=(2) mix
 *	calls=3 20
 *	12 9000
 *
 * The profile consists of made-up stacks with the right sums: for each call, a
 * stack of both functions with the cost of the call; for each function, a stack
 * of itself only with its self cost minus the cost of calls to it. Then stacks
 * that end in a function add up to its self cost, stacks that contain it to its
 * inclusive cost, and all stacks to the total. Some values are negative, and
 * nothing deeper than two functions is known: struct profile.is_of_calls.
 */
#include "decode/formats.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"
#include "decode/profile_type.h"

#define WHAT "callgrind's output"

/* Maximum number of lines before the list of events. */
#define LOOK_LINES 64

/* Valgrind counts a few dozen at most, with cache and branch simulation. */
#define EVENTS_MAX 64

/* Names that may be abbreviated to a number. */
enum name_kind { NAME_FILE, NAME_FUNCTION, NAME_KINDS };

struct callgrind_function {
	struct str name;
	struct str file;
	uint32_t frame; /* of the profile, + 1 */
	int64_t self;
	int64_t called; /* cost of all calls to it */
};

struct callgrind_call {
	uint32_t caller;
	uint32_t callee;
	int64_t value;
};

struct callgrind {
	struct profile_build *build;
	struct arena arena;
	struct buf key;
	struct map names[NAME_KINDS]; /* by number: index of texts */
	struct str *texts;
	size_t text_count, text_cap;
	struct map by_key;
	struct callgrind_function *functions;
	size_t function_count, function_cap;
	struct map by_pair;
	struct callgrind_call *calls;
	size_t call_count, call_cap;
	struct type_name offered[EVENTS_MAX];
	int64_t factors[EVENTS_MAX];
	bool is_of_stackprof;
	int64_t whole; /* total of the chosen event, from "summary:" lines */
	uint32_t event_count;
	uint32_t chosen;
	unsigned positions;
	/* Current fl and cfl; callee_file has a NULL ptr if same. */
	struct str file, callee_file;
	uint32_t function, callee; /* + 1 */
	bool is_call;              /* the next line is its cost */
	size_t line;
};

static bool no_memory(struct callgrind *c, struct error *err)
{
	return arena_fail(&c->arena, WHAT, err);
}

static bool callgrind_fail(const struct callgrind *c, const char *what,
			   struct error *err)
{
	return error_set(err, ERROR_FORMAT, WHAT ", line %zu: %s", c->line,
			 what);
}

/* ---- header ---- */

static bool take_header(struct str line, const char *name, struct str *value)
{
	struct str prefix = str_from(name);

	if (!str_starts(line, prefix))
		return false;
	*value = str_trim(str_slice(line, prefix.len, line.len));
	return true;
}

static struct str take_word(struct str *rest)
{
	size_t end = 0;
	struct str word;

	*rest = str_trim(*rest);
	while (end < rest->len && rest->ptr[end] != ' ' &&
	       rest->ptr[end] != '\t')
		end++;
	word = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end, rest->len);
	return word;
}

/* Xdebug has the unit in the name, which differs between versions. */
static struct type_name type_of(struct str event, int64_t *factor)
{
	*factor = 1;
	if (str_equal(event, STR("Time_(10ns)"))) {
		*factor = 10;
		return (struct type_name){ STR("time"), STR("nanoseconds") };
	}
	if (str_equal(event, STR("Time_(\xc2\xb5s)")) ||
	    str_equal(event, STR("Time")))
		return (struct type_name){ STR("time"), STR("microseconds") };
	if (str_equal(event, STR("Memory_(bytes)")) ||
	    str_equal(event, STR("Memory")))
		return (struct type_name){ STR("memory"), STR("bytes") };
	return (struct type_name){ event, STR("count") };
}

static bool read_events(struct callgrind *c, struct str list, struct error *err)
{
	/* Every part of a file repeats it. */
	c->event_count = 0;
	for (;;) {
		struct str word = take_word(&list);
		uint32_t at = c->event_count;

		if (!word.len)
			return c->event_count ||
			       callgrind_fail(c, "no events", err);
		if (at == EVENTS_MAX)
			return error_set(err, ERROR_LIMIT,
					 WHAT ", line %zu: more than %u events",
					 c->line, EVENTS_MAX);
		c->offered[at] = type_of(word, &c->factors[at]);
		c->event_count++;
	}
}

/* ---- names ---- */

/* Reads "(12) name", "(12)" or "name". */
static bool read_name(struct callgrind *c, enum name_kind kind,
		      struct str value, struct str *name, struct error *err)
{
	size_t end = str_until(value, 0, ')');
	uint64_t number;
	uint32_t at, there;
	void *texts = c->texts;

	*name = value;
	if (!str_starts(value, STR("(")) || end >= value.len ||
	    !parse_u64(str_slice(value, 1, end - 1), &number))
		return true;
	*name = str_trim(str_slice(value, end + 1, value.len));
	at = map_find_u64(&c->names[kind], number);
	if (!name->len) {
		if (at == MAP_NONE)
			return callgrind_fail(
				c, "a number of an undefined name", err);
		*name = c->texts[at];
		return true;
	}
	if (at != MAP_NONE)
		return true;
	if (!arena_reserve(&c->arena, &texts, &c->text_cap, c->text_count + 1,
			   sizeof *c->texts) ||
	    !map_insert_u64(&c->names[kind], number, (uint32_t)c->text_count,
			    &there))
		return no_memory(c, err);
	c->texts = texts;
	c->texts[c->text_count++] = *name;
	return true;
}

/* Functions of the same name in different files are distinct. */
static bool find_function(struct callgrind *c, struct str name, struct str file,
			  uint32_t *function, struct error *err)
{
	void *items = c->functions;
	struct str key;
	uint32_t at;

	buf_clear(&c->key);
	buf_addf(&c->key, "%zu:", name.len);
	buf_add_str(&c->key, name);
	buf_add_str(&c->key, file);
	if (!buf_check(&c->key, WHAT, err))
		return false;
	at = map_find(&c->by_key, buf_str(&c->key));
	if (at == MAP_NONE) {
		key = arena_str(&c->arena, buf_str(&c->key));
		if (!key.ptr ||
		    !arena_reserve(&c->arena, &items, &c->function_cap,
				   c->function_count + 1,
				   sizeof *c->functions) ||
		    !map_insert(&c->by_key, key, (uint32_t)c->function_count,
				&at))
			return no_memory(c, err);
		c->functions = items;
		c->functions[c->function_count++] =
			(struct callgrind_function){ .name = name,
						     .file = file };
	}
	*function = at + 1;
	return true;
}

static bool use_name(struct callgrind *c, struct str line, size_t equals,
		     struct error *err)
{
	struct str key = str_slice(line, 0, equals), name;
	struct str value = str_trim(str_slice(line, equals + 1, line.len));

	if (str_equal(key, STR("fl")))
		return read_name(c, NAME_FILE, value, &c->file, err);
	/* Files of inlined lines, and of jump targets (--collect-jumps=yes). */
	if (str_equal(key, STR("fi")) || str_equal(key, STR("fe")) ||
	    str_equal(key, STR("jfi")))
		return read_name(c, NAME_FILE, value, &name, err);
	if (str_equal(key, STR("cfl")) || str_equal(key, STR("cfi")))
		return read_name(c, NAME_FILE, value, &c->callee_file, err);
	if (str_equal(key, STR("fn")))
		return read_name(c, NAME_FUNCTION, value, &name, err) &&
		       find_function(c, name, c->file, &c->function, err);
	if (str_equal(key, STR("jfn")))
		return read_name(c, NAME_FUNCTION, value, &name, err);
	if (!str_equal(key, STR("cfn")))
		return true;
	if (!read_name(c, NAME_FUNCTION, value, &name, err) ||
	    !find_function(c, name,
			   c->callee_file.ptr ? c->callee_file : c->file,
			   &c->callee, err))
		return false;
	c->callee_file = (struct str){ NULL, 0 };
	return true;
}

/* ---- costs ---- */

static bool add_call(struct callgrind *c, int64_t value, struct error *err)
{
	uint32_t caller = c->function - 1, callee = c->callee - 1, at;
	void *items = c->calls;

	/* A recursive call is included already. */
	if (caller == callee)
		return true;
	if (!map_insert_u64(&c->by_pair, (uint64_t)caller << 32 | callee,
			    (uint32_t)c->call_count, &at))
		return no_memory(c, err);
	if (at == c->call_count) {
		if (!arena_reserve(&c->arena, &items, &c->call_cap,
				   c->call_count + 1, sizeof *c->calls))
			return no_memory(c, err);
		c->calls = items;
		c->calls[c->call_count++] =
			(struct callgrind_call){ caller, callee, 0 };
	}
	c->calls[at].value = sat_add_i64(c->calls[at].value, value);
	return true;
}

/* Reads "12 400 3": positions, then counts; missing ones are 0. */
static bool use_costs(struct callgrind *c, struct str line, struct error *err)
{
	bool is_call = c->is_call;
	struct callgrind_function *f;
	struct str word = STR("");
	int64_t value = 0;

	c->is_call = false;
	if (!c->event_count)
		return callgrind_fail(c, "costs before the line of events",
				      err);
	if (!c->function || (is_call && !c->callee))
		return callgrind_fail(c, "costs of no function", err);
	for (uint32_t i = 0; i <= c->positions + c->chosen; i++)
		word = take_word(&line);
	if (word.len && !parse_i64(word, &value))
		return callgrind_fail(c, "a cost that is no whole number", err);
	value = sat_mul_i64(value, c->factors[c->chosen]);
	if (is_call)
		return add_call(c, value, err);
	f = &c->functions[c->function - 1];
	f->self = sat_add_i64(f->self, value);
	return true;
}

static bool use_line(struct callgrind *c, struct str line,
		     const struct profile_want *want, struct error *err)
{
	struct str value, word = STR("");
	int64_t whole = 0;
	size_t equals;

	if (!line.len || line.ptr[0] == '#')
		return true;
	if (ascii_is_digit(line.ptr[0]) || line.ptr[0] == '+' ||
	    line.ptr[0] == '-' || line.ptr[0] == '*')
		return use_costs(c, line, err);
	if (take_header(line, "events:", &value))
		return read_events(c, value, err) &&
		       type_choose(c->offered, c->event_count,
				   c->offered[0].type, want, &c->chosen, err);
	if (take_header(line, "positions:", &value)) {
		for (c->positions = 0; take_word(&value).len;)
			c->positions++;
		return true;
	}
	if (take_header(line, "creator:", &value)) {
		c->is_of_stackprof = str_equal(value, STR("stackprof"));
		return true;
	}
	if (take_header(line, "summary:", &value)) {
		/* A number for each event, of a part of the file. That of
		 * Xdebug counts what ran before the script; of functions of C
		 * stackprof tells what calls of them cost and nothing of their
		 * own, so that only the summary has it. */
		for (uint32_t i = 0; i <= c->chosen; i++)
			word = take_word(&value);
		if (c->is_of_stackprof && c->event_count &&
		    parse_i64(word, &whole) && whole > 0)
			c->whole = sat_add_i64(
				c->whole,
				sat_mul_i64(whole, c->factors[c->chosen]));
		return true;
	}
	if (str_starts(line, STR("calls="))) {
		c->is_call = true;
		return true;
	}
	equals = str_find(line, STR("="));
	return equals > 4 || use_name(c, line, equals, err);
}

/* ---- recursion ---- */

/* Readers treat functions of the same name as one. */
struct name_sums {
	int64_t self;
	int64_t calls;
};

/* With recursion through several functions, or a function calling another of
 * the same name, the cost of a call is partly counted elsewhere. A function's
 * inclusive cost must not exceed the total: its calls are scaled down. */
static bool cap_recursion(struct callgrind *c, struct error *err)
{
	struct name_sums *sums = arena_array(
		&c->arena, c->function_count + 1, sizeof *sums);
	uint32_t *names = arena_array(&c->arena, c->function_count + 1,
				      sizeof *names);
	struct map by_name;
	int64_t whole = 0;

	if (!sums || !names)
		return no_memory(c, err);
	map_init(&by_name, &c->arena);
	for (size_t i = 0; i < c->function_count; i++) {
		if (!map_insert(&by_name, c->functions[i].name, (uint32_t)i,
				&names[i]))
			return no_memory(c, err);
		sums[names[i]].self =
			sat_add_i64(sums[names[i]].self, c->functions[i].self);
		whole = sat_add_i64(whole, c->functions[i].self);
		c->functions[i].called = 0;
	}
	whole = max_i64(whole, c->whole);
	for (size_t i = 0; i < c->call_count; i++) {
		struct name_sums *n = &sums[names[c->calls[i].caller]];

		n->calls = sat_add_i64(n->calls, c->calls[i].value);
	}
	for (size_t i = 0; i < c->call_count; i++) {
		struct callgrind_call *call = &c->calls[i];
		const struct name_sums *n = &sums[names[call->caller]];
		int64_t *called = &c->functions[call->callee].called;
		int64_t most = max_i64(sat_sub_i64(whole, n->self), 0);

		/* Scaled down to the part that counts. */
		if (sat_add_i64(n->self, n->calls) > whole && n->calls > 0)
			call->value =
				(int64_t)((double)call->value * (double)most /
					  (double)n->calls);

		*called = sat_add_i64(*called, call->value);
	}
	return true;
}

/* ---- the profile ---- */

/* Strips the location from yappi's names: "work /tmp/work.py:12". */
static struct str without_place(struct str name, struct str file,
				uint32_t *line)
{
	size_t at = name.len;
	uint64_t number = 0;

	while (at && name.ptr[at - 1] != ':')
		at--;
	if (at < 2 || !parse_u64(str_slice(name, at, name.len), &number) ||
	    number > INT32_MAX || !file.len ||
	    !str_ends(str_slice(name, 0, at - 1), file) ||
	    at < file.len + 3 || name.ptr[at - file.len - 2] != ' ')
		return name;
	*line = (uint32_t)number;
	return str_slice(name, 0, at - file.len - 2);
}

static bool find_frame(struct callgrind *c, uint32_t function, uint32_t *frame,
		       struct error *err)
{
	struct callgrind_function *f = &c->functions[function];
	uint32_t at, line = 0;

	if (!f->frame) {
		struct str file = str_equal(f->file, STR("???")) ? STR("")
								 : f->file;

		if (!profile_build_function(
			    c->build, without_place(f->name, file, &line),
			    file, &at, err) ||
		    !profile_build_frame(c->build, at, line, &f->frame, err))
			return false;
		f->frame++;
	}
	*frame = f->frame - 1;
	return true;
}

static bool add_stacks(struct callgrind *c, struct error *err)
{
	uint32_t frames[2];

	for (size_t i = 0; i < c->call_count; i++)
		if (!find_frame(c, c->calls[i].caller, &frames[0], err) ||
		    !find_frame(c, c->calls[i].callee, &frames[1], err) ||
		    !profile_build_stack(c->build, frames, 2,
					 c->calls[i].value, err))
			return false;
	for (size_t i = 0; i < c->function_count; i++) {
		const struct callgrind_function *f = &c->functions[i];

		if (!find_frame(c, (uint32_t)i, &frames[0], err) ||
		    !profile_build_stack(c->build, frames, 1,
					 sat_sub_i64(f->self, f->called), err))
			return false;
	}
	return true;
}

static bool read_all(struct callgrind *c, struct str text,
		     const struct profile_want *want, struct error *err)
{
	while (text.len) {
		c->line++;
		if (!use_line(c, str_trim(str_take_line(&text)), want, err))
			return false;
	}
	if (!c->event_count)
		return callgrind_fail(c, "it ends without a line of events",
				      err);
	for (uint32_t i = 0; i < c->event_count; i++)
		if (!profile_build_type(c->build, c->offered[i].type,
					c->offered[i].unit, err))
			return false;
	return cap_recursion(c, err) && add_stacks(c, err);
}

bool decode_callgrind(struct str bytes, const struct profile_want *want,
		      struct profile *out, struct notes *notes,
		      struct error *err)
{
	struct callgrind c = { .build = profile_build_new(out, err),
			       .positions = 1,
			       .file = STR("") };
	bool is_done;

	if (!c.build)
		return false;
	arena_init(&c.arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&c.key, 2 * LIMIT_STRING_BYTES);
	for (int i = 0; i < NAME_KINDS; i++)
		map_init(&c.names[i], &c.arena);
	map_init(&c.by_key, &c.arena);
	map_init(&c.by_pair, &c.arena);
	is_done = read_all(&c, bytes, want, err);
	out->type = c.chosen;
	is_done = is_done && profile_build_finish(c.build, notes, err);
	if (is_done) {
		out->is_of_calls = true;
		out->omitted = max_i64(sat_sub_i64(c.whole, out->total), 0);
		out->whole_total = sat_add_i64(out->total, out->omitted);
		out->sample_count = -1;
		out->period = 0;
	}
	buf_release(&c.key);
	arena_release(&c.arena);
	profile_build_free(c.build);
	return is_done;
}

bool callgrind_is(struct str text)
{
	bool has_events = false;

	if (str_starts(text, STR("# callgrind format")))
		return true;
	for (unsigned i = 0; text.len && i < LOOK_LINES; i++) {
		struct str line = str_trim(str_take_line(&text));

		has_events |= str_starts(line, STR("events: "));
		if (has_events && (str_starts(line, STR("fn=")) ||
				   str_starts(line, STR("fl=")) ||
				   str_starts(line, STR("ob="))))
			return true;
	}
	return false;
}
