/* SPDX-License-Identifier: Apache-2.0
 *
 * Recordings of Java Flight Recorder describe themselves: each chunk says of
 * what fields its values are made. This reads that description, and walks
 * through values by it. Private to jfr*.c.
 */
#ifndef DECODE_JFR_TYPES_H
#define DECODE_JFR_TYPES_H

#include "base/map.h"
#include "decode/column.h"

#define JFR_WHAT "the flight recording"

/* Bytes of one chunk, or of an event in it. Reading past the end gives zeros
 * and is_short. */
struct jfr_input {
	const unsigned char *at;
	const unsigned char *end;
	bool is_short;
};

uint64_t jfr_number(struct jfr_input *in);

/* How a value is written. */
enum jfr_kind {
	JFR_STRUCT = 0, /* field after field */
	JFR_BYTE,
	JFR_NUMBER,
	JFR_FOUR_BYTES,
	JFR_EIGHT_BYTES,
	JFR_STRING,
};

/* The role of a field here. */
enum jfr_role {
	JFR_NO_ROLE = 0,
	JFR_TEXT,       /* of a symbol, or of a state or kind */
	JFR_NAME,       /* symbol: of a class or method */
	JFR_OWNER,      /* class: of a method */
	JFR_METHOD,     /* method: of a frame */
	JFR_LINE,       /* of a frame */
	JFR_FRAME_TYPE, /* of a frame */
	JFR_TRUNCATED,  /* whether a stack lacks its root */
	JFR_STACK,      /* stack trace: of an event */
	JFR_STATE,      /* of a thread: of an event */
	JFR_DURATION,   /* ticks */
	JFR_WEIGHT,     /* bytes that a sample stands for */
	JFR_TLAB_SIZE,  /* bytes */
	JFR_ALLOCATION, /* bytes */
	JFR_SAMPLES,    /* that an event stands for */
	JFR_SIZE,       /* bytes */
	JFR_START,      /* ticks: of an event */
	JFR_PERIOD,     /* ticks that a sample stands for */
	JFR_BIASED,     /* whether a sample is, by its own mark */
	JFR_LOST,       /* samples that an event misses */
	JFR_SET,        /* class: of a setting */
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
	bool is_flat;  /* no field of it has fields */
};

struct jfr_types {
	struct arena *arena;   /* of values; the caller may set another one */
	struct column classes; /* struct jfr_class */
	struct column fields;  /* struct jfr_field */
	struct map by_id;
	uint64_t values_left; /* that have fields; the caller sets it */
};

/* Reads the description, an event, from behind its size, type, start, duration
 * and number. The arena is borrowed. Names are borrowed from the input or lie in the arena. */
bool jfr_types_read(struct jfr_types *t, struct jfr_input *in,
		    struct arena *arena, struct error *err) MUST_CHECK;

/* NULL: none has this id. */
const struct jfr_class *jfr_class_by_id(const struct jfr_types *t, uint64_t id);

/* The class of that name, and whether it has such a field; NULL: there is none.
 */
const struct jfr_class *jfr_class_by_name(const struct jfr_types *t,
					  struct str name);
bool jfr_class_has(const struct jfr_types *t, const struct jfr_class *class,
		   enum jfr_role role);

/* The parts that were met in a value. */
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
	struct column *frames; /* struct jfr_frame: those met are added; or NULL
				*/
};

/* Reads a value of this class. */
bool jfr_value_read(struct jfr_types *t, const struct jfr_class *class,
		    struct jfr_input *in, struct jfr_value *value,
		    struct error *err) MUST_CHECK;

/* For bytes that are not what they should be. */
bool jfr_damaged(const char *why, struct error *err);

#endif
