/* SPDX-License-Identifier: Apache-2.0
 *
 * The dictionary of OTLP's profiles, turned into the tables of a pprof message
 * and into labels. otlp_profiles_tables.c keeps and writes them,
 * otlp_profiles.c reads the profiles that refer to them. Private to decode/.
 */
#ifndef DECODE_OTLP_PROFILES_H
#define DECODE_OTLP_PROFILES_H

#include "base/arena.h"
#include "base/buf.h"
#include "decode/profile_want.h"
#include "decode/otlp_type.h"
#include "decode/wire.h"

#define OTLP_PROFILES_WHAT "the OTLP profile"

/* The tables of a dictionary, in the order of their fields. */
enum table {
	MAPPINGS,
	LOCATIONS,
	FUNCTIONS,
	LINKS,
	STRINGS,
	ATTRIBUTES,
	STACKS,
	TABLE_COUNT
};

/* Elements of one table, as they are in the input. Attributes and links become
 * the labels of a sample that they stand for. */
struct rows {
	struct str *items;
	uint32_t count;
	size_t cap;
};

struct otlp_profiles {
	const struct profile_want *want;
	struct str bytes;
	bool is_joined; /* of documents, whose tables go on from one another */
	struct arena scratch;
	struct rows tables[TABLE_COUNT];
	/* Types of the message that is written: a sample has a value each. */
	struct otlp_type columns[LIMIT_SAMPLE_TYPES];
	uint32_t column_count;
	uint32_t own_columns; /* those that profiles name as theirs */
	struct otlp_type period_type;
	uint64_t period;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t sample_count;
	uint32_t extra_strings; /* behind those of the dictionary */
	struct buf out;
	struct buf labels; /* of the resource at hand and of its profile */
};

/* False, always: what revisions before 1.9 alone have was met. */
bool otlp_refuse_older(struct error *err);

/* Adds the elements of a dictionary's tables. */
bool otlp_read_dictionary(struct otlp_profiles *o, struct wire *w,
			  struct error *err) MUST_CHECK;

/* Element 0 stands for nothing, and so does what is not there. */
struct str otlp_row(const struct otlp_profiles *o, enum table table,
		    uint64_t index);

/* False where the table has no such element; `what` names it. */
bool otlp_check_place(const struct otlp_profiles *o, enum table table,
		      uint64_t index, const char *what,
		      struct error *err) MUST_CHECK;

/* Writes strings, mappings, locations and functions. */
bool otlp_put_tables(struct otlp_profiles *o, struct error *err) MUST_CHECK;

/* Attributes and links become the labels of a sample that they stand for; after
 * otlp_put_tables(), since it adds strings. */
bool otlp_label_tables(struct otlp_profiles *o, struct error *err) MUST_CHECK;

/* Adds those attributes to o->labels: of a packed list of places, of a message
 * that holds pairs in this field. */
void otlp_use_attribute(struct otlp_profiles *o, uint64_t index);
void otlp_use_attributes(struct otlp_profiles *o, struct str packed);
void otlp_add_pairs(struct otlp_profiles *o, struct str message,
		    uint32_t field);

/* decode_otlp_profiles(), also of several dictionaries that are one. */
bool otlp_profiles_decode(struct str bytes, bool is_joined,
			  const struct profile_want *want, struct profile *out,
			  struct notes *notes, struct error *err) MUST_CHECK;

#endif
