/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/jfr_types.h"

#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "decode/column.h"

/* How texts begin. */
enum {
	TEXT_NULL = 0,
	TEXT_EMPTY,
	TEXT_POOLED, /* a number that stands for it */
	TEXT_UTF8,
	TEXT_UTF16, /* numbers */
	TEXT_LATIN1,
};

bool jfr_damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", JFR_WHAT, why);
}

/* ---- bytes ---- */

static size_t left(const struct jfr_input *in)
{
	return (size_t)(in->end - in->at);
}

static void skip(struct jfr_input *in, uint64_t count)
{
	in->is_short = in->is_short || count > left(in);
	in->at = in->is_short ? in->end : in->at + count;
}

/* Seven bits a byte, the low ones first; of the ninth all eight. */
uint64_t jfr_number(struct jfr_input *in)
{
	uint64_t value = 0;

	for (unsigned shift = 0; in->at < in->end; shift += 7) {
		unsigned char byte = *in->at++;

		if (shift == 56)
			return value | (uint64_t)byte << 56;
		value |= (uint64_t)(byte & 0x7Fu) << shift;
		if (byte < 0x80)
			return value;
	}
	in->is_short = true;
	return 0;
}

/* ---- texts ---- */

static size_t put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xC0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	to[0] = (char)(0xE0 | code >> 12);
	to[1] = (char)(0x80 | (code >> 6 & 0x3F));
	to[2] = (char)(0x80 | (code & 0x3F));
	return 3;
}

/* Halves of what takes two units of UTF-16 become U+FFFD each: no name of
 * Java's has them. */
static bool read_units(struct jfr_input *in, struct arena *arena,
		       uint64_t count, bool is_latin1, struct str *text,
		       struct error *err)
{
	char *bytes;
	size_t len = 0;

	if (count > left(in)) {
		skip(in, count);
		return true;
	}
	bytes = arena_array(arena, (size_t)count + 1, 3);
	if (!bytes)
		return arena_fail(arena, JFR_WHAT, err);
	for (uint64_t i = 0; i < count && !in->is_short; i++) {
		uint64_t unit = is_latin1 ? *in->at++ : jfr_number(in);

		if (unit > 0xFFFF || (unit >= 0xD800 && unit < 0xE000))
			unit = 0xFFFD;
		len += put_utf8(bytes + len, (unsigned)unit);
	}
	*text = (struct str){ bytes, len };
	return true;
}

/* A text that is null, or one that lies elsewhere, is empty. */
static bool read_text(struct jfr_input *in, struct arena *arena,
		      struct str *text, struct error *err)
{
	unsigned char form = in->at < in->end ? *in->at : 0;
	uint64_t count;

	*text = STR("");
	skip(in, 1);
	if (form == TEXT_NULL || form == TEXT_EMPTY)
		return true;
	if (form > TEXT_LATIN1)
		return jfr_damaged("a text is of no known form", err);
	count = jfr_number(in);
	if (form == TEXT_POOLED)
		return true;
	if (form != TEXT_UTF8)
		return read_units(in, arena, count, form == TEXT_LATIN1, text,
				  err);
	if (count <= left(in))
		*text = (struct str){ (const char *)in->at, (size_t)count };
	skip(in, count);
	return true;
}

/* ---- the description ---- */

struct description {
	struct jfr_types *types;
	struct jfr_input *in;
	struct str *texts;
	size_t text_count;
};

static bool read_texts(struct description *d, struct error *err)
{
	uint64_t count = jfr_number(d->in);

	if (count > left(d->in))
		return jfr_damaged("its description is cut off", err);
	d->texts = arena_array(d->types->arena, (size_t)count + 1,
			       sizeof *d->texts);
	if (!d->texts)
		return arena_fail(d->types->arena, JFR_WHAT, err);
	d->text_count = (size_t)count;
	for (size_t i = 0; i < d->text_count; i++)
		if (!read_text(d->in, d->types->arena, &d->texts[i], err))
			return false;
	return true;
}

static struct str next_text(struct description *d)
{
	uint64_t index = jfr_number(d->in);

	return index < d->text_count ? d->texts[index] : STR("");
}

static enum jfr_kind kind_of(struct str name)
{
	static const struct {
		const char *name;
		enum jfr_kind kind;
	} kinds[] = {
		{ "boolean", JFR_BYTE },
		{ "byte", JFR_BYTE },
		{ "char", JFR_NUMBER },
		{ "short", JFR_NUMBER },
		{ "int", JFR_NUMBER },
		{ "long", JFR_NUMBER },
		{ "float", JFR_FOUR_BYTES },
		{ "double", JFR_EIGHT_BYTES },
		{ "java.lang.String", JFR_STRING },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_equal(name, str_from(kinds[i].name)))
			return kinds[i].kind;
	return JFR_STRUCT;
}

/* The fields that count, by name; class "" is any event. */
static enum jfr_role role_of(struct str class, struct str field)
{
	static const struct {
		const char *class;
		const char *field;
		enum jfr_role role;
	} roles[] = {
		{ "jdk.types.Symbol", "string", JFR_TEXT },
		{ "jdk.types.StackTrace", "truncated", JFR_TRUNCATED },
		{ "jdk.types.StackFrame", "method", JFR_METHOD },
		{ "jdk.types.StackFrame", "lineNumber", JFR_LINE },
		{ "jdk.types.StackFrame", "type", JFR_FRAME_TYPE },
		{ "jdk.types.FrameType", "description", JFR_TEXT },
		{ "jdk.types.Method", "type", JFR_OWNER },
		{ "jdk.types.Method", "name", JFR_NAME },
		{ "java.lang.Class", "name", JFR_NAME },
		{ "jdk.types.ThreadState", "name", JFR_TEXT },
		{ "", "stackTrace", JFR_STACK },
		{ "", "state", JFR_STATE },
		{ "", "duration", JFR_DURATION },
		{ "", "weight", JFR_WEIGHT },
		{ "", "tlabSize", JFR_TLAB_SIZE },
		{ "", "allocationSize", JFR_ALLOCATION },
		{ "", "samples", JFR_SAMPLES },
		{ "", "size", JFR_SIZE },
		{ "", "startTime", JFR_START },
		{ "jdk.CPUTimeSample", "samplingPeriod", JFR_PERIOD },
		{ "jdk.CPUTimeSample", "biased", JFR_BIASED },
		{ "jdk.CPUTimeSamplesLost", "lostSamples", JFR_LOST },
		{ "jdk.ActiveSetting", "id", JFR_SET },
		{ "jdk.ActiveSetting", "name", JFR_SETTING_NAME },
		{ "jdk.ActiveSetting", "value", JFR_SETTING_VALUE },
	};

	for (size_t i = 0; i < COUNT_OF(roles); i++)
		if ((!*roles[i].class ||
		     str_equal(class, str_from(roles[i].class))) &&
		    str_equal(field, str_from(roles[i].field)))
			return roles[i].role;
	return JFR_NO_ROLE;
}

static bool add_class(struct description *d, struct str name, struct str id,
		      struct error *err)
{
	struct jfr_types *t = d->types;
	struct jfr_class *class;
	uint32_t index = (uint32_t)t->classes.count, first;
	uint64_t number;

	if (!parse_u64(id, &number))
		return jfr_damaged("a class has no number", err);
	class = column_add(t->arena, &t->classes, sizeof *class);
	if (!class || !map_insert_u64(&t->by_id, number, index, &first))
		return arena_fail(t->arena, JFR_WHAT, err);
	if (first != index)
		return jfr_damaged("two classes have the same number", err);
	*class = (struct jfr_class){
		.id = number,
		.name = name,
		.kind = kind_of(name),
		.field_first = (uint32_t)t->fields.count,
		.is_frame = str_equal(name, STR("jdk.types.StackFrame")),
	};
	return true;
}

struct jfr_field {
	uint64_t class_id;
	uint32_t class_index; /* once all classes are known */
	bool is_pooled;       /* a number that stands for a value elsewhere */
	bool is_array;
	enum jfr_role role;
	struct str name;
};

static bool add_field(struct description *d, const struct jfr_field *from,
		      struct str class_id, struct error *err)
{
	struct jfr_types *t = d->types;
	struct jfr_class *class = t->classes.items;
	struct jfr_field *field;

	if (!t->classes.count)
		return jfr_damaged("a field has no class", err);
	class += t->classes.count - 1;
	field = column_add(t->arena, &t->fields, sizeof *field);
	if (!field)
		return arena_fail(t->arena, JFR_WHAT, err);
	*field = *from;
	field->role = role_of(class->name, field->name);
	class->field_count++;
	return parse_u64(class_id, &field->class_id) ||
	       jfr_damaged("a field is of no class", err);
}

/* Name, attributes; how many elements it holds. */
static bool read_element(struct description *d, uint64_t *held,
			 struct error *err)
{
	struct str element = next_text(d), id = STR(""), class = STR("");
	struct jfr_field field = { .name = STR("") };
	uint64_t attributes = jfr_number(d->in);

	for (uint64_t i = 0; i < attributes && !d->in->is_short; i++) {
		struct str key = next_text(d), value = next_text(d);

		if (str_equal(key, STR("name")))
			field.name = value;
		else if (str_equal(key, STR("id")))
			id = value;
		else if (str_equal(key, STR("class")))
			class = value;
		else if (str_equal(key, STR("constantPool")))
			field.is_pooled = str_equal(value, STR("true"));
		else if (str_equal(key, STR("dimension")))
			field.is_array = !str_equal(value, STR("0"));
	}
	*held = jfr_number(d->in);
	if (d->in->is_short)
		return jfr_damaged("its description is cut off", err);
	if (str_equal(element, STR("class")))
		return add_class(d, field.name, id, err);
	return !str_equal(element, STR("field")) ||
	       add_field(d, &field, class, err);
}

/* Each element names at least two numbers, so they end with the bytes. */
static bool read_elements(struct description *d, struct error *err)
{
	uint64_t due[LIMIT_JFR_DEPTH] = { 1 };
	unsigned depth = 1;

	while (depth) {
		if (!due[depth - 1]) {
			depth--;
			continue;
		}
		due[depth - 1]--;
		if (depth == LIMIT_JFR_DEPTH)
			return error_set(err, ERROR_LIMIT,
					 "%s describes elements nested deeper "
					 "than %u levels",
					 JFR_WHAT, LIMIT_JFR_DEPTH - 1);
		if (!read_element(d, &due[depth], err))
			return false;
		depth++;
	}
	return true;
}

static bool link_fields(struct jfr_types *t, struct error *err)
{
	struct jfr_field *fields = t->fields.items;

	for (size_t i = 0; i < t->fields.count; i++) {
		fields[i].class_index =
			map_find_u64(&t->by_id, fields[i].class_id);
		if (fields[i].class_index == MAP_NONE)
			return jfr_damaged("a field is of no class", err);
	}
	return true;
}

bool jfr_types_read(struct jfr_types *t, struct jfr_input *in,
		    struct arena *arena, struct error *err)
{
	struct description d = { .types = t, .in = in };

	*t = (struct jfr_types){ .arena = arena };
	map_init(&t->by_id, arena);
	for (unsigned i = 0; i < 3; i++) /* start, duration, number */
		(void)jfr_number(in);
	return read_texts(&d, err) && read_elements(&d, err) &&
	       link_fields(t, err);
}

const struct jfr_class *jfr_class_by_id(const struct jfr_types *t, uint64_t id)
{
	uint32_t index = map_find_u64(&t->by_id, id);

	return index == MAP_NONE
		       ? NULL
		       : (const struct jfr_class *)t->classes.items + index;
}

const struct jfr_class *jfr_class_by_name(const struct jfr_types *t,
					  struct str name)
{
	const struct jfr_class *classes = t->classes.items;

	for (size_t i = 0; i < t->classes.count; i++)
		if (str_equal(classes[i].name, name))
			return &classes[i];
	return NULL;
}

bool jfr_class_has(const struct jfr_types *t, const struct jfr_class *class,
		   enum jfr_role role)
{
	const struct jfr_field *fields = t->fields.items;

	for (uint32_t i = 0; i < class->field_count; i++)
		if (fields[class->field_first + i].role == role)
			return true;
	return false;
}

/* ---- values ---- */

/* A value that is being read. */
struct level {
	const struct jfr_class *class;
	uint32_t field;
	bool is_inside; /* of that field, of which so many are left */
	uint64_t left;
};

struct walk {
	struct jfr_types *types;
	struct jfr_input *in;
	struct jfr_value *value;
	struct level levels[LIMIT_JFR_DEPTH];
	unsigned depth;
};

static bool enter(struct walk *w, const struct jfr_class *class,
		  struct error *err)
{
	if (w->depth == LIMIT_JFR_DEPTH)
		return error_set(err, ERROR_LIMIT,
				 "%s has values nested deeper than %u levels",
				 JFR_WHAT, LIMIT_JFR_DEPTH);
	w->levels[w->depth++] = (struct level){ .class = class };
	return true;
}

static bool read_plain(struct walk *w, enum jfr_kind kind, enum jfr_role role,
		       struct error *err)
{
	struct jfr_value *value = w->value;
	struct str text;

	switch (kind) {
	case JFR_BYTE:
		value->numbers[role] = w->in->at < w->in->end ? *w->in->at : 0;
		skip(w->in, 1);
		return true;
	case JFR_NUMBER:
		value->numbers[role] = jfr_number(w->in);
		return true;
	case JFR_STRING:
		if (!read_text(w->in, w->types->arena, &text, err))
			return false;
		if (role == JFR_TEXT)
			value->text = text;
		else if (role == JFR_SETTING_NAME)
			value->setting_name = text;
		else if (role == JFR_SETTING_VALUE)
			value->setting_value = text;
		return true;
	case JFR_FOUR_BYTES:
	case JFR_EIGHT_BYTES:
	case JFR_STRUCT:
		break;
	}
	skip(w->in, kind == JFR_FOUR_BYTES ? 4 : 8);
	return true;
}

static bool leave(struct walk *w, struct error *err)
{
	const struct level *level = &w->levels[--w->depth];
	struct jfr_value *value = w->value;
	struct jfr_frame *frame;

	if (!level->class->is_frame)
		return true;
	frame = column_add(w->types->arena, value->frames, sizeof *frame);
	if (!frame)
		return arena_fail(w->types->arena, JFR_WHAT, err);
	*frame = (struct jfr_frame){ .method = value->numbers[JFR_METHOD],
				     .type = value->numbers[JFR_FRAME_TYPE] };
	if (value->numbers[JFR_LINE] <= INT32_MAX)
		frame->line = (uint32_t)value->numbers[JFR_LINE];
	return true;
}

/* One value of the innermost level, or its end. */
static bool step(struct walk *w, struct error *err)
{
	struct level *level = &w->levels[w->depth - 1];
	const struct jfr_field *field = w->types->fields.items;
	const struct jfr_class *class = w->types->classes.items;

	if (level->field == level->class->field_count)
		return leave(w, err);
	field += level->class->field_first + level->field;
	if (!level->is_inside) {
		level->is_inside = true;
		level->left = field->is_array ? jfr_number(w->in) : 1;
	}
	if (!level->left) {
		level->is_inside = false;
		level->field++;
		return true;
	}
	level->left--;
	class += field->class_index;
	if (field->is_pooled)
		return read_plain(w, JFR_NUMBER, field->role, err);
	return class->kind == JFR_STRUCT
		       ? enter(w, class, err)
		       : read_plain(w, class->kind, field->role, err);
}

bool jfr_value_read(struct jfr_types *t, const struct jfr_class *class,
		    struct jfr_input *in, struct jfr_value *value,
		    struct error *err)
{
	struct walk w = { .types = t, .in = in, .value = value };

	memset(value->numbers, 0, sizeof value->numbers);
	value->text = value->setting_name = value->setting_value = STR("");
	if (!(class->kind == JFR_STRUCT
		      ? enter(&w, class, err)
		      : read_plain(&w, class->kind, JFR_NO_ROLE, err)))
		return false;
	while (w.depth && !in->is_short) {
		if (!t->steps_left)
			return jfr_damaged("it has more values than bytes",
					   err);
		t->steps_left--;
		if (!step(&w, err))
			return false;
	}
	return !in->is_short ||
	       jfr_damaged("a value goes over the end of its event", err);
}
