/* SPDX-License-Identifier: Apache-2.0
 *
 * Firefox Profiler files ("processed", versions 1 to 70 of
 * docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler), also
 * written by samply and others. Tables are objects of columns: a stack is a
 * frame and the stack of its caller, a frame is a function and a line. Up to
 * version 55 each thread has its own tables; later strings, sources and finally
 * all tables are shared by threads. Threads are added up.
 */
#include <math.h>

#include "base/json.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/column.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

#define WHAT "the Firefox profile"

/* Null index. */
#define NONE UINT32_MAX

enum number {
	STACK_FRAME,
	STACK_PREFIX,
	STACK_OFFSET, /* offset back to the caller; since 66 */
	FRAME_FUNCTION,
	FRAME_LINE,
	FUNCTION_NAME,
	FUNCTION_FILE,
	FUNCTION_SOURCE, /* replaces the file; since 58 */
	FUNCTION_RESOURCE,
	RESOURCE_LIBRARY,
	SOURCE_FILE,
	NUMBER_COUNT
};

static const struct {
	const char *table;
	const char *column;
} places[NUMBER_COUNT] = {
	[STACK_FRAME] = { "stackTable", "frame" },
	[STACK_PREFIX] = { "stackTable", "prefix" },
	[STACK_OFFSET] = { "stackTable", "prefixOffset" },
	[FRAME_FUNCTION] = { "frameTable", "func" },
	[FRAME_LINE] = { "frameTable", "line" },
	[FUNCTION_NAME] = { "funcTable", "name" },
	[FUNCTION_FILE] = { "funcTable", "fileName" },
	[FUNCTION_SOURCE] = { "funcTable", "source" },
	[FUNCTION_RESOURCE] = { "funcTable", "resource" },
	[RESOURCE_LIBRARY] = { "resourceTable", "lib" },
	[SOURCE_FILE] = { "sources", "filename" },
};

/* Kinds of weights (weightType), and their sample types. */
static const struct weight {
	const char *name;
	const char *type;
	const char *unit;
	double factor;
} weights[] = {
	{ "samples", "samples", "count", 1 },
	{ "bytes", "size", "bytes", 1 },
	{ "tracing-ms", "time", "nanoseconds", 1e6 },
};

struct tables {
	struct column strings;               /* struct str */
	struct column numbers[NUMBER_COUNT]; /* uint32_t */
};

struct thread {
	struct tables own;
	struct column stacks;  /* uint32_t */
	struct column weights; /* double; if fewer than stacks: 1 each */
	const struct weight *weight;
};

struct reader {
	struct json_reader *json;
	struct profile_build *build;
	struct arena scratch;
	struct tables shared;
	struct column threads;
	struct column libraries; /* struct str */
	enum profile_detail detail;
	size_t frame_count;
	size_t nameless_count;   /* how many have no name */
	int64_t *shared_values;  /* by stack of the shared table */
	uint32_t *shared_frames; /* of the shared tables, once created */
	bool is_raw;             /* unprocessed, as exported by the browser */
};

static bool no_memory(const struct reader *r, struct error *err)
{
	return arena_fail(&r->scratch, WHAT, err);
}

static bool profile_damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", WHAT, why);
}

/* ---- tables ---- */

static bool read_numbers(struct reader *r, struct column *c, struct error *err)
{
	uint64_t whole = NONE;
	bool is_whole;
	double value;

	c->count = 0;
	if (!json_enter_if(r->json, JSON_ARRAY))
		return true;
	while ((is_whole = json_next_whole(r->json, &whole)) ||
	       json_next_item(r->json)) {
		uint32_t *item = column_add(&r->scratch, c, sizeof *item);

		if (!item)
			return no_memory(r, err);
		/* null, -1 and non-numbers are NONE. */
		*item = NONE;
		if (is_whole)
			*item = whole < NONE ? (uint32_t)whole : NONE;
		else if (json_peek(r->json) != JSON_NUMBER)
			json_skip(r->json);
		else if (json_f64(r->json, &value) && value >= 0 &&
			 value < NONE)
			*item = (uint32_t)value;
	}
	return true;
}

static bool read_strings(struct reader *r, struct column *c, struct error *err)
{
	c->count = 0;
	if (!json_enter_if(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json)) {
		struct str *item = column_add(&r->scratch, c, sizeof *item);
		struct str text = json_text_nullable(r->json);

		if (!item)
			return no_memory(r, err);
		*item = arena_str(&r->scratch, text);
		if (!item->ptr)
			return no_memory(r, err);
	}
	return true;
}

static bool read_table(struct reader *r, struct tables *t, const char *table,
		       struct error *err)
{
	struct str key;

	if (!json_enter_if(r->json, JSON_OBJECT))
		return true;
	while (json_next_key(r->json, &key)) {
		size_t i = 0;

		while (i < NUMBER_COUNT &&
		       (!str_equal(str_from(places[i].table),
				   str_from(table)) ||
			!str_equal(key, str_from(places[i].column))))
			i++;
		if (i == NUMBER_COUNT)
			json_skip(r->json);
		else if (!read_numbers(r, &t->numbers[i], err))
			return false;
	}
	return true;
}

/* Reads the value of the key if it is a table, and sets *is_read. */
static bool read_tables(struct reader *r, struct tables *t, struct str key,
			bool *is_read, struct error *err)
{
	*is_read = true;
	if (str_equal(key, STR("stringArray")))
		return read_strings(r, &t->strings, err);
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		if (str_equal(key, str_from(places[i].table)))
			return read_table(r, t, places[i].table, err);
	*is_read = false;
	return true;
}

static bool read_shared(struct reader *r, struct error *err)
{
	struct str key;
	bool is_read;

	if (!json_enter_if(r->json, JSON_OBJECT))
		return true;
	while (json_next_key(r->json, &key)) {
		if (!read_tables(r, &r->shared, key, &is_read, err))
			return false;
		if (!is_read)
			json_skip(r->json);
	}
	return true;
}

/* ---- threads ---- */

static bool read_weights(struct reader *r, struct thread *t, struct error *err)
{
	if (!json_enter_if(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json)) {
		double *item =
			column_add(&r->scratch, &t->weights, sizeof *item);

		if (!item)
			return no_memory(r, err);
		*item = 0;
		if (json_peek(r->json) != JSON_NUMBER)
			json_skip(r->json);
		else if (!json_f64(r->json, item))
			return true;
	}
	return true;
}

static void read_weight_type(struct reader *r, struct thread *t)
{
	struct str name;

	if (json_peek(r->json) != JSON_STRING) {
		json_skip(r->json);
		return;
	}
	if (!json_text(r->json, &name))
		return;
	for (size_t i = 0; i < COUNT_OF(weights); i++)
		if (str_equal(name, str_from(weights[i].name)))
			t->weight = &weights[i];
}

enum {
	FIELD_STACK,
	FIELD_WEIGHT,
	FIELD_WEIGHT_TYPE,
	FIELD_SCHEMA,
	FIELD_THREADS,
	FIELD_SHARED,
	FIELD_LIBS,
};

static struct json_fields sample_fields = JSON_FIELDS(
	JSON_NAME("stack", FIELD_STACK), JSON_NAME("weight", FIELD_WEIGHT),
	JSON_NAME("weightType", FIELD_WEIGHT_TYPE),
	JSON_NAME("schema", FIELD_SCHEMA));

static bool read_samples(struct reader *r, struct thread *t, struct error *err)
{
	int field;

	if (!json_enter_if(r->json, JSON_OBJECT))
		return true;
	t->stacks.count = t->weights.count = 0;
	while ((field = json_next_field(r->json, &sample_fields)) >= 0) {
		if (field == FIELD_STACK && !read_numbers(r, &t->stacks, err))
			return false;
		if (field == FIELD_WEIGHT && !read_weights(r, t, err))
			return false;
		if (field == FIELD_WEIGHT_TYPE)
			read_weight_type(r, t);
		if (field == FIELD_SCHEMA) {
			r->is_raw = true;
			json_skip(r->json);
		}
	}
	return true;
}

static bool read_thread(struct reader *r, struct error *err)
{
	struct thread *t = column_add(&r->scratch, &r->threads, sizeof *t);
	struct str key;
	bool is_read;

	if (!t)
		return no_memory(r, err);
	*t = (struct thread){ .weight = &weights[0] };
	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR("samples"))) {
			if (!read_samples(r, t, err))
				return false;
			continue;
		}
		if (!read_tables(r, &t->own, key, &is_read, err))
			return false;
		if (!is_read)
			json_skip(r->json);
	}
	return true;
}

static bool read_threads(struct reader *r, struct error *err)
{
	if (!json_enter_if(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json))
		if (json_peek(r->json) != JSON_OBJECT) {
			/* Threads of other processes, as strings. */
			r->is_raw |= json_peek(r->json) == JSON_STRING;
			json_skip(r->json);
		} else if (!json_enter(r->json, JSON_OBJECT) ||
			   !read_thread(r, err)) {
			return false;
		}
	return true;
}

static bool read_libraries(struct reader *r, struct error *err)
{
	if (!json_enter_if(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json)) {
		struct str *name =
			column_add(&r->scratch, &r->libraries, sizeof *name);

		if (!name)
			return no_memory(r, err);
		*name = STR("");
		if (!json_enter_if(r->json, JSON_OBJECT))
			continue;
		while (json_next_named(r->json, STR("name"))) {
			*name = arena_str(&r->scratch,
					  json_text_nullable(r->json));
			if (!name->ptr)
				return no_memory(r, err);
		}
	}
	return true;
}

static struct json_fields document_fields = JSON_FIELDS(
	JSON_NAME("threads", FIELD_THREADS), JSON_NAME("shared", FIELD_SHARED),
	JSON_NAME("libs", FIELD_LIBS));

static bool read_document(struct reader *r, struct error *err)
{
	int field;

	if (!json_enter(r->json, JSON_OBJECT))
		return json_check(r->json, err);
	while ((field = json_next_field(r->json, &document_fields)) >= 0)
		if (!(field == FIELD_THREADS  ? read_threads(r, err)
		      : field == FIELD_SHARED ? read_shared(r, err)
					      : read_libraries(r, err)))
			return false;
	json_expect_end(r->json, "profile");
	if (!json_check(r->json, err))
		return false;
	return !r->is_raw ||
	       error_set(err, ERROR_FORMAT,
			 "this is a profile of Firefox as the browser has it: "
			 "open it in profiler.firefox.com and save it there");
}

/* ---- stacks to nodes ---- */

/* Returns the thread's column if it has one, else the shared one. */
static const struct column *column_of(const struct reader *r,
				      const struct tables *own,
				      enum number number)
{
	const struct column *c = &own->numbers[number];

	return c->count ? c : &r->shared.numbers[number];
}

static uint32_t number_at(const struct column *c, size_t index)
{
	return index < c->count ? ((const uint32_t *)c->items)[index] : NONE;
}

static struct str string_at(const struct reader *r, const struct tables *own,
			    uint32_t index)
{
	const struct column *c =
		own->strings.count ? &own->strings : &r->shared.strings;

	return index < c->count ? ((const struct str *)c->items)[index]
				: STR("");
}

/* Names it as in pprof: by its location in the library, or only by that. */
static bool make_nameless(struct reader *r, struct str library,
			  struct str address, uint32_t *function,
			  struct error *err)
{
	struct str name =
		r->detail
			? arena_printf(&r->scratch, "[%.*s]", STR_ARGS(library))
			: arena_printf(&r->scratch, "[%.*s+%.*s]",
				       STR_ARGS(library), STR_ARGS(address));

	if (!name.ptr)
		return no_memory(r, err);
	return profile_build_mapped(r->build, name, STR(""),
				    r->detail ? library : STR(""), r->detail,
				    function, err);
}

static bool make_function(struct reader *r, const struct tables *own,
			  uint32_t function, uint32_t *made, struct error *err)
{
	struct str name = string_at(
		r, own, number_at(column_of(r, own, FUNCTION_NAME), function));
	uint32_t source, file, resource, index;
	struct str library = STR("");
	size_t at = 2;

	/* "0x702db", for functions without symbols. */
	while (at < name.len && ascii_is_hex(name.ptr[at]))
		at++;
	if (name.len < 3 || at < name.len || !str_starts(name, STR("0x"))) {
		source =
			number_at(column_of(r, own, FUNCTION_SOURCE), function);
		file = source != NONE
			       ? number_at(column_of(r, own, SOURCE_FILE),
					   source)
			       : number_at(column_of(r, own, FUNCTION_FILE),
					   function);
		return profile_build_function(
			r->build, name, string_at(r, own, file), made, err);
	}
	resource = number_at(column_of(r, own, FUNCTION_RESOURCE), function);
	index = number_at(column_of(r, own, RESOURCE_LIBRARY), resource);
	if (index < r->libraries.count)
		library = ((const struct str *)r->libraries.items)[index];
	r->nameless_count++;
	return library.len ? make_nameless(r, library, name, made, err)
			   : profile_build_function(r->build, name, STR(""),
						    made, err);
}

static bool make_frame(struct reader *r, const struct tables *own,
		       uint32_t frame, uint32_t *made, struct error *err)
{
	const struct column *functions = column_of(r, own, FRAME_FUNCTION);
	uint32_t function = number_at(functions, frame);
	uint32_t line = number_at(column_of(r, own, FRAME_LINE), frame);
	uint32_t index;

	if (frame >= functions->count)
		return profile_damaged("a stack has a frame that is not there",
				       err);
	if (function >= column_of(r, own, FUNCTION_NAME)->count)
		return profile_damaged(
			"a frame has a function that is not there", err);
	r->frame_count++;
	return make_function(r, own, function, &index, err) &&
	       profile_build_frame(r->build, index, line == NONE ? 0 : line,
				   made, err);
}

/* Creates each frame once, however many stacks and threads it is in. */
static bool make_frames(struct reader *r, const struct tables *own,
			uint32_t **frames, struct error *err)
{
	size_t count = column_of(r, own, FRAME_FUNCTION)->count;
	bool is_shared = own->strings.count == 0;

	/* The thread may have frames of its own. */
	for (size_t i = FRAME_FUNCTION; i < NUMBER_COUNT; i++)
		is_shared &= own->numbers[i].count == 0;
	if (is_shared && r->shared_frames) {
		*frames = r->shared_frames;
		return true;
	}
	*frames = arena_array(&r->scratch, count + 1, sizeof **frames);
	if (!*frames)
		return no_memory(r, err);
	for (size_t i = 0; i < count; i++)
		if (!make_frame(r, own, (uint32_t)i, &(*frames)[i], err))
			return false;
	if (is_shared)
		r->shared_frames = *frames;
	return true;
}

/* From version 66 on callers are relative offsets. */
static bool find_caller(const struct reader *r, const struct tables *own,
			size_t stack, uint32_t *caller, struct error *err)
{
	const struct column *offsets = column_of(r, own, STACK_OFFSET);
	uint32_t offset = number_at(offsets, stack);

	if (!offsets->count) {
		*caller = number_at(column_of(r, own, STACK_PREFIX), stack);
	} else if (offset == NONE || offset > stack) {
		return profile_damaged("a stack has a caller that is not there",
				       err);
	} else {
		*caller = offset ? (uint32_t)stack - offset : NONE;
	}
	return *caller == NONE ||
	       *caller < column_of(r, own, STACK_FRAME)->count ||
	       profile_damaged("a stack has a caller that is not there", err);
}

static bool add_nodes(struct reader *r, const struct tables *own,
		      const int64_t *values, struct error *err)
{
	const struct column *stacks = column_of(r, own, STACK_FRAME);
	struct frame_node *nodes =
		arena_array(&r->scratch, stacks->count + 1, sizeof *nodes);
	size_t frame_count = column_of(r, own, FRAME_FUNCTION)->count;
	uint32_t *frames;

	if (!nodes)
		return no_memory(r, err);
	if (!make_frames(r, own, &frames, err))
		return false;
	for (size_t i = 0; i < stacks->count; i++) {
		uint32_t frame = number_at(stacks, i);

		if (frame >= frame_count)
			return profile_damaged(
				"a stack has a frame that is not there", err);
		nodes[i] = (struct frame_node){ .frame = frames[frame],
						.value = values[i] };
		if (!find_caller(r, own, i, &nodes[i].caller, err))
			return false;
	}
	return frame_nodes_stacks(nodes, stacks->count, r->build, WHAT, err);
}

/* Samples without a stack are of sleeping threads. */
static bool add_values(const struct thread *t, int64_t *values, size_t count,
		       struct error *err)
{
	const uint32_t *stacks = t->stacks.items;
	const double *given = t->weights.items;

	for (size_t i = 0; i < t->stacks.count; i++) {
		double value = i < t->weights.count ? given[i] : 1;
		int64_t whole;

		if (stacks[i] == NONE)
			continue;
		if (stacks[i] >= count)
			return profile_damaged(
				"a sample has a stack that is not there", err);
		value = round(value * t->weight->factor);
		whole = value >= -9e18 && value <= 9e18 ? (int64_t)value : 0;
		values[stacks[i]] = sat_add_i64(values[stacks[i]], whole);
	}
	return true;
}

static bool add_thread(struct reader *r, const struct thread *t,
		       struct error *err)
{
	size_t count = t->own.numbers[STACK_FRAME].count;
	int64_t *values;

	if (!count)
		return add_values(t, r->shared_values,
				  r->shared.numbers[STACK_FRAME].count, err);
	values = arena_array(&r->scratch, count, sizeof *values);
	if (!values)
		return no_memory(r, err);
	return add_values(t, values, count, err) &&
	       add_nodes(r, &t->own, values, err);
}

/* ---- document ---- */

/* Chooses the first thread's weights unless others are requested. */
static bool declare_types(struct reader *r, const struct profile_want *want,
			  const struct weight **chosen, struct profile *out,
			  struct error *err)
{
	struct type_name offered[COUNT_OF(weights)];
	const struct weight *kinds[COUNT_OF(weights)];
	const struct thread *threads = r->threads.items;
	uint32_t count = 0, type = 0;

	for (size_t i = 0; i < r->threads.count; i++) {
		uint32_t k = 0;

		while (k < count && kinds[k] != threads[i].weight)
			k++;
		if (k < count || !threads[i].stacks.count)
			continue;
		kinds[count] = threads[i].weight;
		offered[count++] =
			(struct type_name){ str_from(threads[i].weight->type),
					    str_from(threads[i].weight->unit) };
	}
	*chosen = NULL;
	if (!count)
		return type_declare_implied(r->build, want, err);
	if (!type_choose(offered, count, offered[0].type, want, &type, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!profile_build_type(r->build, offered[i].type,
					offered[i].unit, err))
			return false;
	*chosen = kinds[type];
	out->type = type;
	return true;
}

static bool profile_fill(struct reader *r, const struct profile_want *want,
			 struct profile *out, struct error *err)
{
	static const struct tables none;
	const struct thread *threads = r->threads.items;
	const struct weight *chosen;

	if (!declare_types(r, want, &chosen, out, err))
		return false;
	r->shared_values = arena_array(&r->scratch,
				       r->shared.numbers[STACK_FRAME].count + 1,
				       sizeof *r->shared_values);
	if (!r->shared_values)
		return no_memory(r, err);
	for (size_t i = 0; i < r->threads.count; i++)
		if (threads[i].weight == chosen &&
		    !add_thread(r, &threads[i], err))
			return false;
	return add_nodes(r, &none, r->shared_values, err);
}

bool decode_firefox_profile(struct feed *feed, const struct profile_want *want,
			    struct profile *out, struct notes *notes,
			    struct error *err)
{
	struct reader r = { .json = json_new_feed(feed, err),
			    .detail = want->detail };
	bool is_done = false;

	if (!r.json)
		return false;
	r.build = profile_build_new(out, err);
	arena_init(&r.scratch, LIMIT_DECODE_HEAP_BYTES);
	if (r.build)
		is_done = read_document(&r, err) &&
			  profile_fill(&r, want, out, err) &&
			  profile_build_finish(r.build, notes, err);
	if (is_done)
		type_settle(out);
	if (is_done && r.nameless_count)
		notes_add(notes,
			  "%zu of %zu places have addresses and no names: "
			  "samply load FILE finds them, and the page that it "
			  "opens saves the profile with them",
			  r.nameless_count, r.frame_count);
	arena_release(&r.scratch);
	profile_build_free(r.build);
	json_free(r.json);
	return is_done;
}
