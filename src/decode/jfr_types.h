/* SPDX-License-Identifier: Apache-2.0
 *
 * Java Flight Recorder files are self-describing: each chunk declares the
 * classes of its values and their fields. Reads these declarations and parses
 * values by them. Private to jfr*.c.
 */
#ifndef DECODE_JFR_TYPES_H
#define DECODE_JFR_TYPES_H

#include "base/map.h"
#include "decode/column.h"

#define JFR_WHAT "the flight recording"

/* Bytes of a chunk or an event. Reading past the end gives zeros and sets
 * is_short. */
struct jfr_input {
	const unsigned char *at;
	const unsigned char *end;
	bool is_short;
};

uint64_t jfr_number(struct jfr_input *in);

/* Encoding of a value. */
enum jfr_kind {
	JFR_STRUCT = 0, /* field by field */
	JFR_BYTE,
	JFR_NUMBER,
	JFR_FOUR_BYTES,
	JFR_EIGHT_BYTES,
	JFR_STRING,
};

/* How a field is used. */
enum jfr_role {
	JFR_NO_ROLE = 0,
	JFR_TEXT,       /* of a symbol, a state or a kind */
	JFR_NAME,       /* symbol of a class or method */
	JFR_OWNER,      /* class of a method */
	JFR_METHOD,     /* method of a frame */
	JFR_LINE,       /* of a frame */
	JFR_FRAME_TYPE, /* of a frame */
	JFR_TRUNCATED,  /* whether the stack lacks its root */
	JFR_STACK,      /* stack trace of an event */
	JFR_STATE,      /* thread state of an event */
	JFR_DURATION,   /* ticks */
	JFR_WEIGHT,     /* bytes the sample represents */
	JFR_TLAB_SIZE,  /* bytes */
	JFR_ALLOCATION, /* bytes */
	JFR_SAMPLES,    /* number the event represents */
	JFR_SIZE,       /* bytes */
	JFR_START,      /* ticks, of an event */
	JFR_PERIOD,     /* ticks the sample represents */
	JFR_BIASED,     /* whether the sample is flagged as biased */
	JFR_LOST,       /* number of samples lost */
	JFR_SET,        /* class of a setting */
	JFR_SETTING_NAME,
	JFR_SETTING_VALUE,
	JFR_ROLE_COUNT,
};

struct jfr_class {
	uint64_t id;
	struct str name;
	enum jfr_kind kind;
	uint32_t field_first;
	uint32_t field_count;
	bool is_frame; /* of a stack trace */
	bool is_flat;  /* its fields have no fields */
};

struct jfr_types {
	struct arena *arena;   /* for values; the caller may replace it */
	struct column classes; /* struct jfr_class */
	struct column fields;  /* struct jfr_field */
	struct map by_id;
	/* Limit of values with fields; set by the caller. */
	uint64_t values_left;
};

/* Reads the metadata event, from after its size, type, start, duration and
 * number. The arena is borrowed. Names are borrowed from the input or in the
 * arena. */
bool jfr_types_read(struct jfr_types *t, struct jfr_input *in,
		    struct arena *arena, struct error *err) MUST_CHECK;

/* Returns NULL if absent. */
const struct jfr_class *jfr_class_by_id(const struct jfr_types *t, uint64_t id);

/* Returns the class of that name, NULL if absent; and whether a class has such
 * a field. */
const struct jfr_class *jfr_class_by_name(const struct jfr_types *t,
					  struct str name);
bool jfr_class_has(const struct jfr_types *t, const struct jfr_class *class,
		   enum jfr_role role);

/* A frame, from the fields found in a value. */
struct jfr_frame {
	uint64_t method;
	uint64_t type;
	uint32_t line; /* 0 unknown */
};

struct jfr_value {
	uint64_t numbers[JFR_ROLE_COUNT];
	struct str text;
	struct str setting_name;
	struct str setting_value;
	/* Struct jfr_frame: frames found are appended; or NULL. */
	struct column *frames;
};

/* Parses a value of this class. */
bool jfr_value_read(struct jfr_types *t, const struct jfr_class *class,
		    struct jfr_input *in, struct jfr_value *value,
		    struct error *err) MUST_CHECK;

/* Sets the error for malformed bytes. Returns false. */
bool jfr_damaged(const char *why, struct error *err);

#endif
