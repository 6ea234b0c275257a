/* SPDX-License-Identifier: Apache-2.0
 *
 * Java Flight Recorder files of the JDK (from version 9 on) and async-profiler:
 * a sequence of chunks, each with events and the constant pools they refer to.
 * Chunks are independent, and declare the layout of their events (jfr_types.h).
 * The file is read twice: for the kinds of samples it contains, and for those
 * of one kind.
 */
#include <string.h>

#include "base/buf.h"
#include "base/feed.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/jfr_types.h"
#include "decode/profile_type.h"

/* The JDK writes the period of jdk.ExecutionSample as text, "20 ms".
 * async-profiler writes `interval` and `wall` in nanoseconds, 0 for its
 * defaults (arguments.h and wallClock.cpp of its version 4.5), and `event`,
 * which determines whether the interval is a time: for "cache-misses" it is a
 * count. */

#define CPU_DEFAULT_NS (10 * NS_PER_MS)
#define WALL_DEFAULT_NS (50 * NS_PER_MS)

struct jfr_change {
	uint64_t ticks; /* start of validity */
	int64_t ns;     /* 0: no time */
};

/* Maximum number of period changes per chunk; the JDK starts a new chunk when a
 * recording starts or ends, so there is nearly always one. */
#define JFR_PERIOD_CHANGES 16u

/* All zero: nothing known. */
struct jfr_settings {
	struct jfr_change changes[JFR_PERIOD_CHANGES];
	unsigned change_count;
	/* async-profiler: */
	bool has_interval;
	/* In nanoseconds if the event is a clock; 0: its default. */
	int64_t interval;
	bool has_wall;
	int64_t wall_ns; /* 0: its default */
	bool is_batched; /* wall-clock samples are separate events */
	enum { JFR_COUNTER = 0, JFR_CPU_CLOCK, JFR_WALL_CLOCK } event;
};

/* Processes a jdk.ActiveSetting for events of that class. */
static void jfr_settings_take(struct jfr_settings *s, struct str class,
			      const struct jfr_value *setting)
{
	struct str name = setting->setting_name;
	struct str value = setting->setting_value;
	char joined[32];
	struct str words = { joined, 0 };
	int64_t number = 0;

	if (str_equal(name, STR("event"))) {
		static const char *const clocks[] = { "cpu", "itimer", "ctimer",
						      "cpu-clock" };

		if (str_is_one_of(value, clocks, COUNT_OF(clocks)))
			s->event = JFR_CPU_CLOCK;
		else if (str_equal(value, STR("wall")))
			s->event = JFR_WALL_CLOCK;
		return;
	}
	if (!str_equal(class, STR("jdk.ExecutionSample")))
		return;
	if (str_equal(name, STR("period"))) {
		/* "20 ms" */
		for (size_t i = 0; i < value.len && value.len <= sizeof joined;
		     i++)
			if (value.ptr[i] != ' ')
				joined[words.len++] = value.ptr[i];
		if (!parse_duration(words, &number))
			number = 0;
		/* Past the limit it replaces the last one. */
		if (s->change_count == JFR_PERIOD_CHANGES)
			s->change_count--;
		s->changes[s->change_count++] =
			(struct jfr_change){ setting->numbers[JFR_START],
					     number };
	} else if (str_equal(name, STR("interval"))) {
		s->has_interval = parse_i64(value, &s->interval) &&
				  s->interval >= 0;
	} else if (str_equal(name, STR("wall"))) {
		s->has_wall = parse_i64(value, &s->wall_ns) && s->wall_ns >= 0;
	} else if (str_equal(name, STR("nobatch"))) {
		s->is_batched = str_equal(value, STR("false"));
	}
}

static int64_t wall_or_default(int64_t ns)
{
	return ns ? ns : WALL_DEFAULT_NS;
}

static int64_t interval_ns(const struct jfr_settings *s)
{
	/* Before version 4, samples of both clocks share an event. */
	if (s->event == JFR_COUNTER ||
	    (s->has_wall && s->event == JFR_CPU_CLOCK && !s->is_batched))
		return 0;
	if (s->event == JFR_WALL_CLOCK)
		return wall_or_default(s->has_wall ? s->wall_ns : s->interval);
	return s->interval ? s->interval : CPU_DEFAULT_NS;
}

/* Returns the time of a profiler.WallClockSample; 0: unknown. */
static int64_t jfr_settings_wall_ns(const struct jfr_settings *s)
{
	if (s->has_wall)
		return wall_or_default(s->wall_ns);
	return s->has_interval && s->event == JFR_WALL_CLOCK
		       ? wall_or_default(s->interval)
		       : 0;
}

#define HEADER_BYTES 68u

/* Reserved event types. */
#define EVENT_DESCRIPTION 0u
#define EVENT_POOLS 1u

/* Read size, also for the first read of a chunk, whose declared size is
 * untrusted. */
#define READ_BYTES (1024 * KIB)

/* Source of the time that a sample represents. */
enum timed {
	UNTIMED = 0,
	TIMED_BY_ITSELF,
	TIMED_BY_SETTING,  /* multiplied by its count, if any */
	TIMED_AS_WALL_TIME /* same, if the setting is for wall-clock time */
};

#define CPU_TIME_SAMPLE "jdk.CPUTimeSample"

/* Sample types by event, with Pyroscope's names if it has any. The default is
 * the first one present; of equal names only the first is offered. */
static const struct sampled {
	const char *event;
	struct type_name type;
	enum jfr_role value; /* JFR_NO_ROLE: each counts as one */
	enum timed timed;
} sampled[] = {
#define TYPE(type, unit)                                                       \
	{                                                                      \
		{ type, sizeof(type) - 1 },                                    \
		{                                                              \
			unit, sizeof(unit) - 1                                 \
		}                                                              \
	}
	{ CPU_TIME_SAMPLE, TYPE("cpu", "nanoseconds"), JFR_PERIOD,
	  TIMED_BY_ITSELF },
	{ CPU_TIME_SAMPLE, TYPE("cpu_samples", "count"), JFR_NO_ROLE },
	{ "jdk.ExecutionSample", TYPE("cpu", "nanoseconds"), JFR_NO_ROLE,
	  TIMED_BY_SETTING },
	{ "jdk.ExecutionSample", TYPE("wall", "nanoseconds"), JFR_NO_ROLE,
	  TIMED_AS_WALL_TIME },
	{ "jdk.ExecutionSample", TYPE("samples", "count"), JFR_NO_ROLE },
	{ "profiler.WallClockSample", TYPE("wall", "nanoseconds"), JFR_SAMPLES,
	  TIMED_BY_SETTING },
	{ "profiler.WallClockSample", TYPE("wall", "count"), JFR_SAMPLES },
	{ "jdk.ObjectAllocationSample", TYPE("alloc_sample_bytes", "bytes"),
	  JFR_WEIGHT },
	{ "jdk.ObjectAllocationInNewTLAB",
	  TYPE("alloc_in_new_tlab_bytes", "bytes"), JFR_TLAB_SIZE },
	{ "jdk.ObjectAllocationInNewTLAB",
	  TYPE("alloc_in_new_tlab_objects", "count"), JFR_NO_ROLE },
	{ "jdk.ObjectAllocationOutsideTLAB",
	  TYPE("alloc_outside_tlab_bytes", "bytes"), JFR_ALLOCATION },
	{ "jdk.ObjectAllocationOutsideTLAB",
	  TYPE("alloc_outside_tlab_objects", "count"), JFR_NO_ROLE },
	{ "jdk.JavaMonitorEnter", TYPE("contentions", "count"), JFR_NO_ROLE },
	{ "jdk.JavaMonitorEnter", TYPE("delay", "nanoseconds"), JFR_DURATION },
	{ "jdk.ThreadPark", TYPE("parks", "count"), JFR_NO_ROLE },
	{ "jdk.ThreadPark", TYPE("park_time", "nanoseconds"), JFR_DURATION },
	{ "profiler.LiveObject", TYPE("live_bytes", "bytes"), JFR_ALLOCATION },
	{ "profiler.LiveObject", TYPE("live", "count"), JFR_NO_ROLE },
	{ "profiler.Malloc", TYPE("malloc_bytes", "bytes"), JFR_SIZE },
	{ "profiler.Malloc", TYPE("malloc_objects", "count"), JFR_NO_ROLE },
	{ "profiler.NativeLock", TYPE("native_contentions", "count"),
	  JFR_NO_ROLE },
	{ "profiler.NativeLock", TYPE("native_delay", "nanoseconds"),
	  JFR_DURATION },
	{ "jdk.NativeMethodSample", TYPE("native_samples", "count"),
	  JFR_NO_ROLE },
#undef TYPE
};

#define SAMPLED_COUNT COUNT_OF(sampled)

/* Constants by key. */
struct pool {
	struct map by_key;
	struct column items;
};

struct method {
	uint64_t owner; /* class */
	uint64_t name;  /* symbol */
	uint32_t function;
	bool is_known; /* function is set */
};

/* The stack trace of a sample. */
struct trace {
	size_t frame_first; /* leaf first */
	size_t frame_count;
	int64_t value;
	uint64_t samples;
	bool is_read;
	bool is_truncated;
};

/* Thread state of samples. */
struct state {
	uint64_t key;
	uint64_t samples;
};

struct chunk {
	struct str bytes;
	struct arena arena;
	struct pool traces;   /* struct trace: those of samples */
	struct column read;   /* uint32_t: of traces, in file order */
	struct pool sampled;  /* struct state */
	struct pool methods;  /* struct method */
	struct pool classes;  /* uint64_t: symbol */
	struct pool symbols;  /* struct str */
	struct pool kinds;    /* frame types, struct str: "Inlined" */
	struct pool states;   /* thread states, struct str: "STATE_SLEEPING" */
	bool has_kernel;      /* among kinds */
	struct column frames; /* struct jfr_frame */
	double ns_per_tick;
	struct jfr_settings settings;
	/* Class ids, 0: none. */
	uint64_t setting_id;
	uint64_t sample_id; /* of the chosen event */
	uint64_t lost_id;
	uint64_t ids[SAMPLED_COUNT];
	bool has[SAMPLED_COUNT];
};

struct reader {
	struct profile_build *build;
	struct feed *feed;
	struct buf held; /* the chunk, unless all input is in memory */
	struct str left; /* else the unread input */
	bool is_in_memory;
	struct chunk chunk;
	/* Most chunks of a recording have the same metadata. */
	struct arena types_arena;
	struct jfr_types types;
	struct str description;
	bool has_detail;         /* PROFILE_DETAIL_PLACES requested */
	bool has[SAMPLED_COUNT]; /* events present */
	bool lacks_time[SAMPLED_COUNT];
	const struct sampled *chosen; /* NULL: none */
	int64_t sample_count;
	uint64_t biased_count;
	uint64_t lost_count;
	uint64_t truncated_count;
	uint64_t sleeping_count;
	int64_t start_ns;
	int64_t end_ns;
};

static bool no_memory(const struct reader *r, struct error *err)
{
	return arena_fail(&r->chunk.arena, JFR_WHAT, err);
}

/* ---- chunks ---- */

static uint64_t big_endian(struct str bytes, size_t at)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8; i++)
		value = value << 8 | (unsigned char)bytes.ptr[at + i];
	return value;
}

static struct jfr_input input_at(struct str bytes, size_t at)
{
	const unsigned char *first = (const unsigned char *)bytes.ptr;

	return (struct jfr_input){ .at = first + at, .end = first + bytes.len };
}

/* Reads the first `len` bytes of what is left, or all, into c->bytes. */
static bool bytes_hold(struct reader *r, size_t len, struct error *err)
{
	struct buf *held = &r->held;
	size_t room, got;

	r->chunk.bytes = str_slice(r->left, 0, len);
	for (; !r->is_in_memory && held->len < len; buf_commit(held, got)) {
		room = held->len < READ_BYTES ? READ_BYTES : held->len;
		if (room > len - held->len)
			room = len - held->len;
		if (!buf_reserve(held, room))
			return buf_check(held, JFR_WHAT, err);
		got = feed_read(r->feed, held->data + held->len, room);
		if (!got)
			break;
	}
	if (!r->is_in_memory)
		r->chunk.bytes = buf_str(held);
	return true;
}

static bool check_header(struct str header, struct error *err)
{
	unsigned major;

	if (header.len < HEADER_BYTES || !str_starts(header, STR("FLR\0")))
		return jfr_damaged("a chunk has no beginning", err);
	major = (unsigned char)header.ptr[5];
	if (header.ptr[4] || major < 1 || major > 2)
		return error_set(err, ERROR_FORMAT,
				 "%s is of a version that is not read (those "
				 "of Java 9 and later are)",
				 JFR_WHAT);
	if (!(header.ptr[67] & 1))
		return error_set(err, ERROR_FORMAT,
				 "%s has numbers of fixed size, which are not "
				 "read",
				 JFR_WHAT);
	return true;
}

/* Reads the metadata, unless it equals that of the previous chunk. */
static bool types_describe(struct reader *r, uint64_t at, struct error *err)
{
	struct arena *arena = &r->types_arena;
	struct jfr_input in = input_at(r->chunk.bytes, (size_t)at);
	struct jfr_input event = in;
	struct str text;
	uint64_t size = jfr_number(&event);

	if (jfr_number(&event) != EVENT_DESCRIPTION || event.is_short ||
	    size < (size_t)(event.at - in.at) ||
	    size > (size_t)(in.end - in.at))
		return jfr_damaged("a chunk has no description", err);
	event.end = in.at + size;
	for (unsigned i = 0; i < 3; i++) /* start, duration, number */
		(void)jfr_number(&event);
	text = (struct str){ (const char *)event.at,
			     (size_t)(event.end - event.at) };
	if (!r->description.len || !str_equal(text, r->description)) {
		arena_release(arena);
		arena_init(arena, LIMIT_DECODE_HEAP_BYTES);
		r->description = arena_str(arena, text);
		if (!r->description.ptr)
			return arena_fail(arena, JFR_WHAT, err);
		in = input_at(r->description, 0);
		if (!jfr_types_read(&r->types, &in, arena, err))
			return false;
	}
	r->types.arena = &r->chunk.arena;
	/* Limit of values per byte. */
	r->types.values_left = LIMIT_JFR_DEPTH * r->chunk.bytes.len;
	return true;
}

/* Reads the next chunk with its metadata; none at the end. */
static bool chunk_take(struct reader *r, struct error *err)
{
	struct chunk *c = &r->chunk;
	uint64_t size, described_at, ticks;

	buf_clear(&r->held);
	if (!bytes_hold(r, HEADER_BYTES, err))
		return false;
	if (!c->bytes.len)
		return true;
	if (!check_header(c->bytes, err))
		return false;
	size = big_endian(c->bytes, 8);
	if (size >= HEADER_BYTES && size <= LIMIT_FILE_PLAIN_BYTES &&
	    !bytes_hold(r, (size_t)size, err))
		return false;
	if (c->bytes.len != size)
		return error_set(err, ERROR_FORMAT,
				 "%s is cut off, or still being written (jcmd "
				 "PID JFR.dump filename=FILE writes a whole "
				 "one)",
				 JFR_WHAT);
	r->left = str_slice(r->left, c->bytes.len, r->left.len);
	described_at = big_endian(c->bytes, 24);
	if (described_at < HEADER_BYTES || described_at >= size)
		return jfr_damaged("a chunk has no description", err);
	ticks = big_endian(c->bytes, 56);
	c->ns_per_tick = ticks ? 1e9 / (double)ticks : 0;
	return types_describe(r, described_at, err);
}

typedef bool event_reader(struct reader *r, uint64_t type, struct jfr_input *in,
			  struct error *err);

static bool each_event(struct reader *r, event_reader *read, struct error *err)
{
	struct jfr_input in = input_at(r->chunk.bytes, HEADER_BYTES);

	while (in.at < in.end) {
		struct jfr_input event = in;
		uint64_t size = jfr_number(&event);
		uint64_t type = jfr_number(&event);

		if (event.is_short || size > (size_t)(in.end - in.at) ||
		    size < (size_t)(event.at - in.at))
			return jfr_damaged("an event has a wrong size", err);
		in.at += size;
		event.end = in.at;
		if (!read(r, type, &event, err))
			return false;
	}
	return true;
}

static bool each_chunk(struct reader *r,
		       bool (*read)(struct reader *r, struct error *err),
		       struct error *err)
{
	bool is_done = true, is_end = false;

	r->is_in_memory = feed_in_memory(r->feed, &r->left);
	feed_seek(r->feed, 0);
	while (is_done && !is_end) {
		r->chunk = (struct chunk){ .ns_per_tick = 0 };
		arena_init(&r->chunk.arena, LIMIT_DECODE_HEAP_BYTES);
		is_done = chunk_take(r, err);
		is_end = !r->chunk.bytes.len;
		is_done = is_done && (is_end || read(r, err));
		arena_release(&r->chunk.arena);
	}
	return is_done;
}

/* ---- first reading ---- */

static uint64_t class_id(const struct reader *r, const char *name)
{
	const struct jfr_class *class =
		jfr_class_by_name(&r->types, str_from(name));

	return class && class->id > EVENT_POOLS ? class->id : 0;
}

static bool take_setting(struct reader *r, uint64_t type, struct jfr_input *in,
			 struct error *err)
{
	struct chunk *c = &r->chunk;
	struct jfr_value value = { .frames = NULL };
	const struct jfr_class *of;

	if (!type || type != c->setting_id)
		return true;
	if (!jfr_value_read(&r->types, jfr_class_by_id(&r->types, c->setting_id),
			    in, &value, err))
		return false;
	of = jfr_class_by_id(&r->types, value.numbers[JFR_SET]);
	jfr_settings_take(&c->settings, of ? of->name : STR(""), &value);
	return true;
}

static bool note_event(struct reader *r, uint64_t type, struct jfr_input *in,
		       struct error *err)
{
	struct chunk *c = &r->chunk;

	for (size_t i = 0; type && i < SAMPLED_COUNT; i++)
		c->has[i] |= type == c->ids[i];
	return take_setting(r, type, in, err);
}

/* Returns whether the time of samples in the chunk is known. */
static bool tells_time(const struct reader *r, const struct sampled *s)
{
	const struct jfr_settings *settings = &r->chunk.settings;
	const struct jfr_class *class =
		jfr_class_by_name(&r->types, str_from(s->event));
	bool is_wall =
		settings->has_interval && settings->event == JFR_WALL_CLOCK;

	if (s->timed == TIMED_BY_ITSELF)
		return jfr_class_has(&r->types, class, s->value);
	if (s->value == JFR_SAMPLES)
		return jfr_settings_wall_ns(settings) > 0;
	if (is_wall != (s->timed == TIMED_AS_WALL_TIME))
		return false;
	if (settings->has_interval)
		return interval_ns(settings) > 0;
	for (unsigned i = 0; i < settings->change_count; i++)
		if (settings->changes[i].ns <= 0)
			return false;
	return settings->change_count > 0;
}

static bool survey_chunk(struct reader *r, struct error *err)
{
	struct chunk *c = &r->chunk;
	int64_t start = (int64_t)big_endian(c->bytes, 32);
	int64_t duration = (int64_t)big_endian(c->bytes, 40);
	int64_t end;

	/* Otherwise times are invalid. */
	if (start > 0 && duration >= 0 && add_i64(start, duration, &end)) {
		if (!r->start_ns || start < r->start_ns)
			r->start_ns = start;
		if (end > r->end_ns)
			r->end_ns = end;
	}
	c->setting_id = class_id(r, "jdk.ActiveSetting");
	for (size_t i = 0; i < SAMPLED_COUNT; i++)
		c->ids[i] = class_id(r, sampled[i].event);
	if (!each_event(r, note_event, err))
		return false;
	for (size_t i = 0; i < SAMPLED_COUNT; i++) {
		r->has[i] |= c->has[i];
		r->lacks_time[i] |= c->has[i] && sampled[i].timed &&
				    !tells_time(r, &sampled[i]);
	}
	return true;
}

static bool choose_type(struct reader *r, const struct profile_want *want,
			struct profile *out, struct error *err)
{
	struct type_name offered[SAMPLED_COUNT];
	const struct sampled *rows[SAMPLED_COUNT];
	uint32_t count = 0, chosen;

	for (size_t i = 0; i < SAMPLED_COUNT; i++) {
		bool is_new = r->has[i] && !r->lacks_time[i];

		for (uint32_t k = 0; k < count && is_new; k++)
			is_new = !str_equal(offered[k].type,
					    sampled[i].type.type);
		if (!is_new)
			continue;
		offered[count] = sampled[i].type;
		rows[count++] = &sampled[i];
		if (!profile_build_type(r->build, sampled[i].type.type,
					sampled[i].type.unit, err))
			return false;
	}
	if (!count)
		return type_declare_implied(r->build, want, err);
	if (!type_choose(offered, count, offered[0].type, want, &chosen, err))
		return false;
	r->chosen = rows[chosen];
	out->type = chosen;
	return true;
}

/* ---- pools ---- */

/* Adds to a pool. The first constant of a key stays: later ones in a chunk
 * repeat it, and get a slot that is reused. */
static void *pool_add(struct reader *r, struct pool *p, uint64_t key,
		      size_t size)
{
	struct arena *arena = &r->chunk.arena;
	uint32_t count = (uint32_t)p->items.count, index;
	void *item = column_add(arena, &p->items, size);

	p->by_key.arena = arena;
	if (!item || !map_insert_u64(&p->by_key, key, count, &index))
		return NULL;
	if (index < count)
		p->items.count--;
	return item;
}

static void *pool_find(const struct pool *p, uint64_t key, size_t size)
{
	uint32_t index = map_find_u64(&p->by_key, key);

	return index == MAP_NONE ? NULL : (char *)p->items.items + index * size;
}

/* Returns the one with that key, or a new zeroed one. */
static void *pool_get(struct reader *r, struct pool *p, uint64_t key,
		      size_t size)
{
	void *item = pool_find(p, key, size);

	if (!item) {
		item = pool_add(r, p, key, size);
		if (item)
			memset(item, 0, size);
	}
	return item;
}

static bool keep_text(struct reader *r, struct pool *pool, uint64_t key,
		      struct str text, struct error *err)
{
	struct str *kept = pool_add(r, pool, key, sizeof *kept);

	if (!kept)
		return no_memory(r, err);
	*kept = text;
	return true;
}

typedef bool value_keeper(struct reader *r, uint64_t key,
			  const struct jfr_value *value, struct error *err);

static bool keep_method(struct reader *r, uint64_t key,
			const struct jfr_value *value, struct error *err)
{
	struct method *method =
		pool_add(r, &r->chunk.methods, key, sizeof *method);

	if (!method)
		return no_memory(r, err);
	*method = (struct method){ .owner = value->numbers[JFR_OWNER],
				   .name = value->numbers[JFR_NAME] };
	return true;
}

static bool keep_class(struct reader *r, uint64_t key,
		       const struct jfr_value *value, struct error *err)
{
	uint64_t *name = pool_add(r, &r->chunk.classes, key, sizeof *name);

	if (name)
		*name = value->numbers[JFR_NAME];
	return name || no_memory(r, err);
}

static bool keep_symbol(struct reader *r, uint64_t key,
			const struct jfr_value *value, struct error *err)
{
	return keep_text(r, &r->chunk.symbols, key, value->text, err);
}

static bool keep_state(struct reader *r, uint64_t key,
		       const struct jfr_value *value, struct error *err)
{
	return keep_text(r, &r->chunk.states, key, value->text, err);
}

static bool keep_kind(struct reader *r, uint64_t key,
		      const struct jfr_value *value, struct error *err)
{
	r->chunk.has_kernel |= str_equal(value->text, STR("Kernel"));
	return keep_text(r, &r->chunk.kinds, key, value->text, err);
}

/* Returns NULL for constants that are not needed. */
static value_keeper *keeper_of(struct str class)
{
	static const struct {
		const char *class;
		value_keeper *keep;
	} keepers[] = {
		{ "jdk.types.Method", keep_method },
		{ "java.lang.Class", keep_class },
		{ "jdk.types.Symbol", keep_symbol },
		{ "jdk.types.ThreadState", keep_state },
		{ "jdk.types.FrameType", keep_kind },
	};

	for (size_t i = 0; i < COUNT_OF(keepers); i++)
		if (str_equal(class, str_from(keepers[i].class)))
			return keepers[i].keep;
	return NULL;
}

/* Reads a stack trace; keeps only those of samples. */
static bool read_trace(struct reader *r, const struct jfr_class *class,
		       uint64_t key, struct jfr_input *in, struct error *err)
{
	struct chunk *c = &r->chunk;
	const struct trace *traces = c->traces.items.items;
	uint32_t index = map_find_u64(&c->traces.by_key, key);
	bool is_wanted = index != MAP_NONE && !traces[index].is_read;
	struct jfr_value value = { .frames = is_wanted ? &c->frames : NULL };
	size_t first = c->frames.count;
	struct trace *trace;
	uint32_t *read;

	if (!jfr_value_read(&r->types, class, in, &value, err))
		return false;
	if (!is_wanted)
		return true;
	read = column_add(&c->arena, &c->read, sizeof *read);
	if (!read)
		return no_memory(r, err);
	*read = index;
	trace = (struct trace *)c->traces.items.items + index;
	trace->frame_first = first;
	trace->frame_count = c->frames.count - first;
	trace->is_truncated = value.numbers[JFR_TRUNCATED];
	trace->is_read = true;
	return true;
}

static bool read_pool(struct reader *r, struct jfr_input *in, struct error *err)
{
	const struct jfr_class *class =
		jfr_class_by_id(&r->types, jfr_number(in));
	uint64_t count = jfr_number(in);
	struct jfr_value value = { .frames = NULL };
	value_keeper *keep;
	bool is_of_traces;

	if (in->is_short)
		return jfr_damaged("a pool is cut off", err);
	if (!class)
		return jfr_damaged("a pool is of no class", err);
	keep = keeper_of(class->name);
	is_of_traces = str_equal(class->name, STR("jdk.types.StackTrace"));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = jfr_number(in);

		if (is_of_traces ? !read_trace(r, class, key, in, err)
				 : !jfr_value_read(&r->types, class, in, &value,
						   err) ||
					   (keep && !keep(r, key, &value, err)))
			return false;
	}
	return true;
}

static bool read_pools(struct reader *r, uint64_t type, struct jfr_input *in,
		       struct error *err)
{
	uint64_t count;

	if (type != EVENT_POOLS)
		return true;
	for (unsigned i = 0; i < 4; i++) /* start, duration, before, flags */
		(void)jfr_number(in);
	count = jfr_number(in);
	for (uint64_t i = 0; i < count; i++)
		if (!read_pool(r, in, err))
			return false;
	return true;
}

/* ---- samples ---- */

static struct str text_in(const struct pool *pool, uint64_t key)
{
	const struct str *text = pool_find(pool, key, sizeof *text);

	return text ? *text : STR("");
}

/* Returns the number of samples, or the value they are summed by. */
static int64_t number_of(const struct reader *r, const struct jfr_value *value)
{
	enum jfr_role role = r->chosen->value;
	uint64_t number = value->numbers[role];

	if (role == JFR_NO_ROLE)
		return 1;
	if (role != JFR_DURATION && role != JFR_PERIOD)
		return number > INT64_MAX ? INT64_MAX : (int64_t)number;
	return sat_round_f64((double)number * r->chunk.ns_per_tick);
}

static int64_t value_of(const struct reader *r, const struct jfr_value *value)
{
	const struct jfr_settings *s = &r->chunk.settings;
	int64_t number = number_of(r, value);
	unsigned at = s->change_count;

	if (!r->chosen->timed || r->chosen->timed == TIMED_BY_ITSELF)
		return number;
	if (r->chosen->value == JFR_SAMPLES)
		return sat_mul_i64(number, jfr_settings_wall_ns(s));
	if (s->has_interval)
		return sat_mul_i64(number, interval_ns(s));
	if (!at)
		return 0;
	while (at > 1 && s->changes[at - 1].ticks > value->numbers[JFR_START])
		at--;
	return sat_mul_i64(number, s->changes[at - 1].ns);
}

static bool read_sample(struct reader *r, uint64_t type, struct jfr_input *in,
			struct error *err)
{
	struct chunk *c = &r->chunk;
	struct jfr_value value = { .frames = NULL };
	struct trace *trace;
	struct state *state;
	uint64_t key;

	if (!type || (type != c->lost_id && type != c->sample_id))
		return true;
	if (!jfr_value_read(&r->types, jfr_class_by_id(&r->types, type), in,
			    &value, err))
		return false;
	if (type == c->lost_id) {
		r->lost_count += value.numbers[JFR_LOST] & UINT32_MAX;
		return true;
	}
	trace = pool_get(r, &c->traces, value.numbers[JFR_STACK],
			 sizeof *trace);
	if (!trace)
		return no_memory(r, err);
	trace->samples++;
	trace->value = sat_add_i64(trace->value, value_of(r, &value));
	key = value.numbers[JFR_STATE];
	state = pool_get(r, &c->sampled, key, sizeof *state);
	if (!state)
		return no_memory(r, err);
	state->key = key;
	state->samples++;
	r->sample_count = sat_add_i64(
		r->sample_count,
		r->chosen->value == JFR_SAMPLES ? number_of(r, &value) : 1);
	r->biased_count += value.numbers[JFR_BIASED] != 0;
	return true;
}

/* Strips numbers that differ in every run from runtime classes:
 * "Work$$Lambda$83+0x00007ff67c007a08/992" in the JDK,
 * "Work$$Lambda$83.0x00007ff67c007a08" in async-profiler. */
static struct str class_name(struct reader *r, struct str name)
{
	size_t len = str_find(name, STR("+0x"));
	char *kept;

	if (len == SIZE_MAX)
		len = str_find(name, STR(".0x"));
	if (len == SIZE_MAX)
		return name;
	kept = arena_alloc(&r->chunk.arena, len + 1);
	for (size_t i = 0; kept && i < len; i++)
		kept[i] = name.ptr[i] == '.' ? '/' : name.ptr[i];
	return (struct str){ kept, len };
}

static struct str class_of(const struct chunk *c, const struct method *method)
{
	const uint64_t *owner =
		pool_find(&c->classes, method->owner, sizeof *owner);

	return owner ? text_in(&c->symbols, *owner) : STR("");
}

static bool name_function(struct reader *r, struct method *method,
			  uint64_t frame_type, struct error *err)
{
	struct chunk *c = &r->chunk;
	struct str kind = text_in(&c->kinds, frame_type);
	struct str name = text_in(&c->symbols, method->name);
	bool is_kernel = str_equal(kind, STR("Kernel"));
	struct str class;

	method->is_known = true;
	/* Where async-profiler wrote a kind that it alone has, the class of
	 * what is not Java is a library. To the JDK "Native" is Java, too. */
	if (c->has_kernel && (is_kernel || str_equal(kind, STR("Native")) ||
			      str_equal(kind, STR("C++")))) {
		class = r->has_detail ? class_of(c, method) : STR("");
		/* "__futex_wait", "schedule_[k]": as async-profiler has it. */
		if (is_kernel && !str_ends(name, STR("_[k]")))
			name = arena_printf(&c->arena, "%.*s_[k]",
					    STR_ARGS(name));
		if (!name.ptr)
			return no_memory(r, err);
		return profile_build_mapped(r->build, name, STR(""), class,
					    false, &method->function, err);
	}
	/* "java/util/Arrays.sort", as async-profiler and Pyroscope have it. */
	class = class_name(r, class_of(c, method));
	if (class.len)
		name = arena_printf(&c->arena, "%.*s.%.*s", STR_ARGS(class),
				    STR_ARGS(name));
	if (!class.ptr || !name.ptr)
		return no_memory(r, err);
	return profile_build_function(r->build, name, STR(""),
				      &method->function, err);
}

static bool add_trace(struct reader *r, const struct trace *trace,
		      struct column *ids, struct error *err)
{
	const struct jfr_frame *frames = r->chunk.frames.items;

	ids->count = 0;
	for (size_t i = trace->frame_count; i-- > 0;) {
		const struct jfr_frame *frame = &frames[trace->frame_first + i];
		uint32_t *id = column_add(&r->chunk.arena, ids, sizeof *id);
		struct method none = { .owner = 0 };
		struct method *method = pool_find(
			&r->chunk.methods, frame->method, sizeof *method);

		if (!id)
			return no_memory(r, err);
		if (!method)
			method = &none;
		if (!method->is_known &&
		    !name_function(r, method, frame->type, err))
			return false;
		if (!profile_build_frame(r->build, method->function,
					 frame->line, id, err))
			return false;
	}
	return profile_build_stack(r->build, ids->items, (uint32_t)ids->count,
				   trace->value, err);
}

/* Samples without frames form a single stack; the others are in file order. */
static bool add_traces(struct reader *r, struct error *err)
{
	struct chunk *c = &r->chunk;
	const struct trace *traces = c->traces.items.items;
	const uint32_t *read = c->read.items;
	struct column ids = { .items = NULL };

	for (size_t i = 0; i < c->traces.items.count; i++)
		if (!traces[i].is_read &&
		    !profile_build_stack(r->build, NULL, 0, traces[i].value,
					 err))
			return false;
	for (size_t i = 0; i < c->read.count; i++)
		if (traces[read[i]].value &&
		    !add_trace(r, &traces[read[i]], &ids, err))
			return false;
	return true;
}

static bool read_chunk(struct reader *r, struct error *err)
{
	struct chunk *c = &r->chunk;
	const struct state *states;
	const struct trace *traces;

	c->setting_id = class_id(r, "jdk.ActiveSetting");
	c->sample_id = class_id(r, r->chosen->event);
	if (!strcmp(r->chosen->event, CPU_TIME_SAMPLE))
		c->lost_id = class_id(r, "jdk.CPUTimeSamplesLost");
	if (!each_event(r, take_setting, err) ||
	    !each_event(r, read_sample, err) ||
	    !each_event(r, read_pools, err))
		return false;
	/* Samples of threads that sleep and traces that are cut: the pools name
	 * those only behind the samples. */
	states = c->sampled.items.items;
	for (size_t i = 0; i < c->sampled.items.count; i++)
		if (str_equal(text_in(&c->states, states[i].key),
			      STR("STATE_SLEEPING")))
			r->sleeping_count += states[i].samples;
	traces = c->traces.items.items;
	for (size_t i = 0; i < c->traces.items.count; i++)
		if (traces[i].is_truncated)
			r->truncated_count += traces[i].samples;
	return add_traces(r, err);
}

static void notes_settle(const struct reader *r, struct profile *out,
			 struct notes *notes)
{
	type_settle(out);
	out->sample_count = r->sample_count;
	if (r->sample_count && (!out->period || r->chosen->timed))
		out->period = out->total / out->sample_count;
	out->time_ns = r->start_ns;
	out->duration_ns = r->end_ns - r->start_ns;
	/* async-profiler before version 4 has no other event for those. */
	if (r->sleeping_count &&
	    !strcmp(r->chosen->event, "jdk.ExecutionSample") &&
	    r->chosen->timed != TIMED_AS_WALL_TIME)
		notes_add(notes,
			  "%llu of %lld samples are of threads that slept: the "
			  "recording is of wall time, not of CPU",
			  (unsigned long long)r->sleeping_count,
			  (long long)r->sample_count);
	if (r->biased_count)
		notes_add(notes,
			  "%llu of %lld samples are biased, as the recording "
			  "itself marks: they show the safepoint that the "
			  "thread reached, a bit later than where it was",
			  (unsigned long long)r->biased_count,
			  (long long)r->sample_count);
	if (r->lost_count)
		notes_add(notes,
			  "the recorder lost %llu samples of CPU time beside "
			  "the %lld that it kept (jdk.CPUTimeSamplesLost)",
			  (unsigned long long)r->lost_count,
			  (long long)r->sample_count);
	if (r->truncated_count)
		notes_add(notes,
			  "%llu of %lld samples lack their callers: the "
			  "recording keeps stacks of some depth "
			  "(-XX:FlightRecorderOptions=stackdepth=256)",
			  (unsigned long long)r->truncated_count,
			  (long long)r->sample_count);
}

bool decode_jfr_feed(struct feed *feed, const struct profile_want *want,
		     struct profile *out, struct notes *notes,
		     struct error *err)
{
	struct reader r = { .build = profile_build_new(out, err),
			    .feed = feed };
	bool is_done;

	if (!r.build)
		return false;
	buf_init(&r.held, LIMIT_FILE_PLAIN_BYTES);
	arena_init(&r.types_arena, LIMIT_DECODE_HEAP_BYTES);
	r.description = r.left = STR("");
	r.has_detail = want->detail == PROFILE_DETAIL_PLACES;
	is_done = each_chunk(&r, survey_chunk, err) &&
		  choose_type(&r, want, out, err) &&
		  (!r.chosen || each_chunk(&r, read_chunk, err)) &&
		  profile_build_finish(r.build, notes, err);
	if (is_done)
		notes_settle(&r, out, notes);
	arena_release(&r.types_arena);
	buf_release(&r.held);
	profile_build_free(r.build);
	return is_done;
}
