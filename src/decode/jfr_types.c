/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/jfr_types.h"

#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "decode/column.h"

/* Encodings of strings. */
enum {
	TEXT_NULL = 0,
	TEXT_EMPTY,
	TEXT_POOLED, /* a key of the string pool */
	TEXT_UTF8,
	TEXT_UTF16, /* numbers */
	TEXT_LATIN1,
};

bool jfr_damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", JFR_WHAT, why);
}

/* ---- bytes ---- */

static size_t input_left(const struct jfr_input *in)
{
	return (size_t)(in->end - in->at);
}

static void input_skip(struct jfr_input *in, uint64_t count)
{
	in->is_short = in->is_short || count > input_left(in);
	in->at = in->is_short ? in->end : in->at + count;
}

/* Seven bits per byte, low bits first; the ninth byte has eight. */
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

/* Fast path for one or two bytes. */
static inline uint64_t short_number(struct jfr_input *in)
{
	const unsigned char *at = in->at;

	if (in->end - at < 2 || (at[0] >= 0x80 && at[1] >= 0x80))
		return jfr_number(in);
	in->at += at[0] < 0x80 ? 1 : 2;
	return at[0] < 0x80 ? at[0] : (at[0] & 0x7Fu) | (unsigned)at[1] << 7;
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

/* Surrogates become U+FFFD each: Java names do not contain any. */
static bool read_units(struct jfr_input *in, struct arena *arena,
		       uint64_t count, bool is_latin1, struct str *text,
		       struct error *err)
{
	char *bytes;
	size_t len = 0;

	if (count > input_left(in)) {
		input_skip(in, count);
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

/* Null and pooled strings are empty. */
static bool read_text(struct jfr_input *in, struct arena *arena,
		      struct str *text, struct error *err)
{
	unsigned char form = in->at < in->end ? *in->at : 0;
	uint64_t count;

	*text = STR("");
	input_skip(in, 1);
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
	if (count <= input_left(in))
		*text = (struct str){ (const char *)in->at, (size_t)count };
	input_skip(in, count);
	return true;
}

/* ---- metadata ---- */

struct description {
	struct jfr_types *types;
	struct jfr_input *in;
	struct str *texts;
	size_t text_count;
};

static bool read_texts(struct description *d, struct error *err)
{
	uint64_t count = jfr_number(d->in);

	if (count > input_left(d->in))
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

#define TEXT(text)                                                             \
	{                                                                      \
		text, sizeof(text) - 1                                         \
	}

static enum jfr_kind kind_of(struct str name)
{
	static const struct {
		struct str name;
		enum jfr_kind kind;
	} kinds[] = {
		{ TEXT("boolean"), JFR_BYTE },
		{ TEXT("byte"), JFR_BYTE },
		{ TEXT("char"), JFR_NUMBER },
		{ TEXT("short"), JFR_NUMBER },
		{ TEXT("int"), JFR_NUMBER },
		{ TEXT("long"), JFR_NUMBER },
		{ TEXT("float"), JFR_FOUR_BYTES },
		{ TEXT("double"), JFR_EIGHT_BYTES },
		{ TEXT("java.lang.String"), JFR_STRING },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_equal(name, kinds[i].name))
			return kinds[i].kind;
	return JFR_STRUCT;
}

/* Returns the use of a field, by name; class "" matches any event. */
static enum jfr_role role_of(struct str class, struct str field)
{
	static const struct {
		struct str class;
		struct str field;
		enum jfr_role role;
	} roles[] = {
		{ TEXT("jdk.types.Symbol"), TEXT("string"), JFR_TEXT },
		{ TEXT("jdk.types.StackTrace"), TEXT("truncated"), JFR_TRUNCATED },
		{ TEXT("jdk.types.StackFrame"), TEXT("method"), JFR_METHOD },
		{ TEXT("jdk.types.StackFrame"), TEXT("lineNumber"), JFR_LINE },
		{ TEXT("jdk.types.StackFrame"), TEXT("type"), JFR_FRAME_TYPE },
		{ TEXT("jdk.types.FrameType"), TEXT("description"), JFR_TEXT },
		{ TEXT("jdk.types.Method"), TEXT("type"), JFR_OWNER },
		{ TEXT("jdk.types.Method"), TEXT("name"), JFR_NAME },
		{ TEXT("java.lang.Class"), TEXT("name"), JFR_NAME },
		{ TEXT("jdk.types.ThreadState"), TEXT("name"), JFR_TEXT },
		{ { "", 0 }, TEXT("stackTrace"), JFR_STACK },
		{ { "", 0 }, TEXT("state"), JFR_STATE },
		{ { "", 0 }, TEXT("duration"), JFR_DURATION },
		{ { "", 0 }, TEXT("weight"), JFR_WEIGHT },
		{ { "", 0 }, TEXT("tlabSize"), JFR_TLAB_SIZE },
		{ { "", 0 }, TEXT("allocationSize"), JFR_ALLOCATION },
		{ { "", 0 }, TEXT("samples"), JFR_SAMPLES },
		{ { "", 0 }, TEXT("size"), JFR_SIZE },
		{ { "", 0 }, TEXT("startTime"), JFR_START },
		{ TEXT("jdk.CPUTimeSample"), TEXT("samplingPeriod"), JFR_PERIOD },
		{ TEXT("jdk.CPUTimeSample"), TEXT("biased"), JFR_BIASED },
		{ TEXT("jdk.CPUTimeSamplesLost"), TEXT("lostSamples"), JFR_LOST },
		{ TEXT("jdk.ActiveSetting"), TEXT("id"), JFR_SET },
		{ TEXT("jdk.ActiveSetting"), TEXT("name"), JFR_SETTING_NAME },
		{ TEXT("jdk.ActiveSetting"), TEXT("value"), JFR_SETTING_VALUE },
	};

	for (size_t i = 0; i < COUNT_OF(roles); i++)
		if ((!roles[i].class.len ||
		     str_equal(class, roles[i].class)) &&
		    str_equal(field, roles[i].field))
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
	uint32_t class_index; /* set when all classes are known */
	enum jfr_kind kind;   /* same */
	bool is_pooled;       /* a key of a constant pool */
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

/* Reads name and attributes, and the number of child elements. */
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

/* Each element has at least two numbers, so the input limits them. */
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
	struct jfr_class *classes = t->classes.items;

	for (size_t i = 0; i < t->fields.count; i++) {
		fields[i].class_index =
			map_find_u64(&t->by_id, fields[i].class_id);
		if (fields[i].class_index == MAP_NONE)
			return jfr_damaged("a field is of no class", err);
		fields[i].kind = fields[i].is_pooled
					 ? JFR_NUMBER
					 : classes[fields[i].class_index].kind;
	}
	for (size_t i = 0; i < t->classes.count; i++) {
		classes[i].is_flat = classes[i].kind == JFR_STRUCT;
		for (uint32_t k = 0; k < classes[i].field_count; k++)
			classes[i].is_flat &=
				fields[classes[i].field_first + k].kind !=
				JFR_STRUCT;
	}
	return true;
}

bool jfr_types_read(struct jfr_types *t, struct jfr_input *in,
		    struct arena *arena, struct error *err)
{
	struct description d = { .types = t, .in = in };

	*t = (struct jfr_types){ .arena = arena };
	map_init(&t->by_id, arena);
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

/* A value being read. */
struct level {
	const struct jfr_class *class;
	uint32_t field; /* next field */
	/* Class of the previous field, repeated. */
	const struct jfr_class *inner;
	uint64_t left;
};

struct walk {
	struct jfr_types *types;
	struct jfr_input *in;
	struct jfr_value *value;
	struct level levels[LIMIT_JFR_DEPTH];
	unsigned depth;
};

/* More values than bytes mean that values are empty. */
static bool count_value(struct walk *w, struct error *err)
{
	if (!w->types->values_left)
		return jfr_damaged("it has more values than bytes", err);
	w->types->values_left--;
	return true;
}

static bool class_enter(struct walk *w, const struct jfr_class *class,
			struct error *err)
{
	if (w->depth == LIMIT_JFR_DEPTH)
		return error_set(err, ERROR_LIMIT,
				 "%s has values nested deeper than %u levels",
				 JFR_WHAT, LIMIT_JFR_DEPTH);
	w->levels[w->depth++] = (struct level){ .class = class };
	return count_value(w, err);
}

static bool read_string(struct walk *w, enum jfr_role role, struct error *err)
{
	struct jfr_value *value = w->value;
	struct str text;

	if (!read_text(w->in, w->types->arena, &text, err))
		return false;
	if (role == JFR_TEXT)
		value->text = text;
	else if (role == JFR_SETTING_NAME)
		value->setting_name = text;
	else if (role == JFR_SETTING_VALUE)
		value->setting_value = text;
	return true;
}

static inline bool read_plain(struct walk *w, enum jfr_kind kind,
			      enum jfr_role role, struct error *err)
{
	struct jfr_input *in = w->in;

	if (kind == JFR_NUMBER) {
		w->value->numbers[role] = short_number(in);
	} else if (kind == JFR_BYTE) {
		w->value->numbers[role] = in->at < in->end ? *in->at : 0;
		input_skip(in, 1);
	} else if (kind == JFR_STRING) {
		return read_string(w, role, err);
	} else {
		input_skip(in, kind == JFR_FOUR_BYTES ? 4 : 8);
	}
	return true;
}

static inline bool read_list(struct walk *w, const struct jfr_field *field,
			     struct error *err)
{
	uint64_t left = short_number(w->in);

	for (; left && !w->in->is_short; left--)
		if (!read_plain(w, field->kind, field->role, err))
			return false;
	return true;
}

/* Called after a value of this class. */
static bool end_value(struct walk *w, const struct jfr_class *class,
		      struct error *err)
{
	struct jfr_value *value = w->value;
	struct jfr_frame *frame;

	if (!class->is_frame || !value->frames)
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

/* Fast path for classes whose fields are scalars: nearly all values. */
static bool read_flat(struct walk *w, const struct jfr_class *class,
		      uint64_t left, struct error *err)
{
	const struct jfr_field *fields = w->types->fields.items;
	const struct jfr_field *first = fields + class->field_first;
	const struct jfr_field *end = first + class->field_count;

	for (; left && !w->in->is_short; left--) {
		if (!count_value(w, err))
			return false;
		for (const struct jfr_field *field = first; field < end;
		     field++)
			if (!(field->is_array
				      ? read_list(w, field, err)
				      : read_plain(w, field->kind, field->role,
						   err)))
				return false;
		if (!end_value(w, class, err))
			return false;
	}
	return true;
}

/* Reads a field of the innermost value. */
static bool read_field(struct walk *w, const struct jfr_field *field,
		       struct error *err)
{
	const struct jfr_class *classes = w->types->classes.items;
	struct level *level = &w->levels[w->depth - 1];

	if (field->kind != JFR_STRUCT)
		return field->is_array
			       ? read_list(w, field, err)
			       : read_plain(w, field->kind, field->role, err);
	level->inner = &classes[field->class_index];
	level->left = field->is_array ? short_number(w->in) : 1;
	if (!level->inner->is_flat || w->depth == LIMIT_JFR_DEPTH)
		return true;
	if (!read_flat(w, level->inner, level->left, err))
		return false;
	level->left = 0;
	return true;
}

static bool class_step(struct walk *w, struct error *err)
{
	const struct jfr_field *fields = w->types->fields.items;
	struct level *level = &w->levels[w->depth - 1];
	const struct jfr_class *class = level->class;

	if (level->left) {
		level->left--;
		return class_enter(w, level->inner, err);
	}
	if (level->field < class->field_count)
		return read_field(w,
				  &fields[class->field_first + level->field++],
				  err);
	w->depth--;
	return end_value(w, class, err);
}

bool jfr_value_read(struct jfr_types *t, const struct jfr_class *class,
		    struct jfr_input *in, struct jfr_value *value,
		    struct error *err)
{
	struct walk w;

	w.types = t;
	w.in = in;
	w.value = value;
	w.depth = 0;
	memset(value->numbers, 0, sizeof value->numbers);
	value->text = value->setting_name = value->setting_value = STR("");
	if (!(class->is_flat ? read_flat(&w, class, 1, err)
	      : class->kind == JFR_STRUCT
		      ? class_enter(&w, class, err)
		      : read_plain(&w, class->kind, JFR_NO_ROLE, err)))
		return false;
	while (w.depth && !in->is_short)
		if (!class_step(&w, err))
			return false;
	return !in->is_short ||
	       jfr_damaged("a value goes over the end of its event", err);
}
