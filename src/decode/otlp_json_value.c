/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/otlp_json_value.h"

#include "base/num.h"

enum place {
	IN_ANY,     /* {"stringValue":...} */
	IN_WRAPPER, /* {"values":...} of a list or map */
	IN_LIST,    /* [AnyValue...] */
	IN_MAP,     /* [KeyValue...] */
	IN_PAIR,    /* {"key":...,"value":...} */
};

struct level {
	unsigned char place;
	bool is_map;    /* IN_WRAPPER */
	bool has_value; /* IN_ANY, IN_PAIR */
	bool has_key;   /* IN_PAIR */
};

struct walk {
	struct json_reader *r;
	struct value_text *v;
	struct level levels[LIMIT_JSON_DEPTH];
	unsigned depth;
};

static bool is_any_of(struct str key, struct str camel, struct str snake)
{
	return str_equal(key, camel) || str_equal(key, snake);
}

/* Descends into what comes next, if it is what it should be. */
static bool descend(struct walk *w, enum json_kind kind, enum place place,
		    bool is_map)
{
	if (!json_enter_nullable(w->r, kind))
		return false;
	w->levels[w->depth++] = (struct level){ .place = (unsigned char)place,
						.is_map = is_map };
	return true;
}

static void write_int(struct walk *w)
{
	struct str text;
	int64_t value;

	if (!json_number_text(w->r, &text))
		return;
	if (parse_whole_i64(text, &value))
		value_i64(w->v, value);
	else
		value_string(w->v, text);
}

static void write_double(struct walk *w)
{
	double value;

	if (json_f64(w->r, &value))
		value_f64(w->v, value);
}

static void write_string(struct walk *w)
{
	struct str text;

	if (json_text(w->r, &text))
		value_string(w->v, text);
}

static void write_bool(struct walk *w)
{
	bool value;

	if (json_bool(w->r, &value))
		value_bool(w->v, value);
}

static void open_wrapper(struct walk *w, bool is_map)
{
	if (descend(w, JSON_OBJECT, IN_WRAPPER, is_map))
		value_open(w->v, is_map ? '{' : '[');
	else
		value_null(w->v);
}

/* One member of an AnyValue; only the first that is known counts. */
static void read_any(struct walk *w, struct str key)
{
	struct level *level = &w->levels[w->depth - 1];
	bool is_null = json_peek(w->r) == JSON_NULL;

	if (level->has_value || is_null) {
		json_skip(w->r);
		return;
	}
	level->has_value = true;
	if (is_any_of(key, STR("stringValue"), STR("string_value")) ||
	    is_any_of(key, STR("bytesValue"), STR("bytes_value")))
		write_string(w);
	else if (is_any_of(key, STR("intValue"), STR("int_value")))
		write_int(w);
	else if (is_any_of(key, STR("doubleValue"), STR("double_value")))
		write_double(w);
	else if (is_any_of(key, STR("boolValue"), STR("bool_value")))
		write_bool(w);
	else if (is_any_of(key, STR("arrayValue"), STR("array_value")))
		open_wrapper(w, false);
	else if (is_any_of(key, STR("kvlistValue"), STR("kvlist_value")))
		open_wrapper(w, true);
	else {
		level->has_value = false;
		json_skip(w->r);
	}
}

/* A key behind its value comes too late and is lost: no encoder writes it
 * so, and it costs one label in a nested map. */
static void read_pair(struct walk *w, struct str key)
{
	struct level *level = &w->levels[w->depth - 1];

	if (str_equal(key, STR("key")) && !level->has_key) {
		level->has_key = true;
		value_key(w->v, json_text_nullable(w->r));
	} else if (str_equal(key, STR("value")) && !level->has_value) {
		if (!level->has_key)
			value_key(w->v, STR(""));
		level->has_key = level->has_value = true;
		if (!descend(w, JSON_OBJECT, IN_ANY, false))
			value_null(w->v);
	} else {
		json_skip(w->r);
	}
}

static void read_wrapper(struct walk *w, struct str key)
{
	bool is_map = w->levels[w->depth - 1].is_map;

	if (str_equal(key, STR("values")))
		descend(w, JSON_ARRAY, is_map ? IN_MAP : IN_LIST, false);
	else
		json_skip(w->r);
}

static void leave(struct walk *w)
{
	struct level level = w->levels[--w->depth];

	if (level.place == IN_WRAPPER)
		value_close(w->v, level.is_map ? '}' : ']');
	else if (level.place == IN_ANY && !level.has_value)
		value_null(w->v);
	else if (level.place == IN_PAIR && level.has_key && !level.has_value)
		value_null(w->v);
}

static void read_item(struct walk *w, bool is_map)
{
	if (!descend(w, JSON_OBJECT, is_map ? IN_PAIR : IN_ANY, false))
		value_null(w->v);
}

static void step(struct walk *w)
{
	enum place place = w->levels[w->depth - 1].place;
	struct str key;

	if (place == IN_LIST || place == IN_MAP) {
		if (json_next_item(w->r))
			read_item(w, place == IN_MAP);
		else
			leave(w);
	} else if (!json_next_key(w->r, &key)) {
		leave(w);
	} else if (place == IN_ANY) {
		read_any(w, key);
	} else if (place == IN_WRAPPER) {
		read_wrapper(w, key);
	} else {
		read_pair(w, key);
	}
}

void otlp_json_value(struct json_reader *r, struct value_text *v)
{
	struct walk w;

	/* Its levels are many, and most values have one. */
	w.r = r;
	w.v = v;
	w.depth = 0;
	/* Some dumps write plain values where an object should be. */
	switch (json_peek(r)) {
	case JSON_STRING:
		write_string(&w);
		return;
	case JSON_NUMBER:
		write_double(&w);
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		write_bool(&w);
		return;
	default:
		break;
	}
	descend(&w, JSON_OBJECT, IN_ANY, false);
	while (w.depth)
		step(&w);
}
