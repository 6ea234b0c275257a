/* SPDX-License-Identifier: Apache-2.0
 *
 * The dictionary of OTLP's profiles, turned into the tables of a pprof message
 * and into labels. otlp_profiles.c keeps them, writes them and reads the
 * profiles that refer to them. Private to decode/.
 */
#ifndef DECODE_OTLP_PROFILES_H
#define DECODE_OTLP_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "decode/profile_type.h"
#include "decode/wire.h"

/* ValueType, which is the same in pprof and in OTLP's profiles: the numbers of
 * two strings. Private to decode/. */

struct otlp_type {
	uint64_t type;
	uint64_t unit;
};

/* "samples/count": what receivers multiply by the period. */
extern const struct type_name otlp_counted;

struct otlp_type otlp_type_read(struct str message);
void otlp_type_put(struct buf *b, uint32_t field, struct otlp_type t);

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
	bool has_first; /* place 0 stands for itself, not for nothing */
};

/* Where the rows of a table begin that stand for something. */
static inline uint32_t first_row(const struct rows *r)
{
	return r->has_first ? 0 : 1;
}

/* Samples, whose fields have other numbers before protocol 1.10. Private to
 * decode/. */

#define OTLP_PROFILES_WHAT "the OTLP profile"

/* The fields that hold these. */
struct otlp_numbering {
	uint32_t values;
	uint32_t attributes;
	uint32_t link;
};

enum { OTLP_OLDER, OTLP_NEWER, OTLP_NUMBERINGS };

/* The numbers in one field of a sample. */
struct otlp_numbers {
	uint64_t count;
	uint64_t last;
	uint64_t most;
	int64_t sum; /* at most what fits in */
	bool is_packed;
};

struct otlp_sample {
	uint64_t stack;
	uint64_t times; /* their number */
	struct otlp_numbers fields[5]; /* by number, from 2 on */
};

/* Which numbering the samples of a message cannot be of. */
struct otlp_evidence {
	bool is_not[OTLP_NUMBERINGS];
	bool seems_not[OTLP_NUMBERINGS]; /* by what they refer to */
	bool has_field[5];
	bool has_profile_attributes;
};

/* False, always: what revisions before 1.8 alone have was met. */
bool otlp_refuse_older(struct error *err);

bool otlp_sample_read(struct wire *w, struct otlp_sample *s,
		      struct error *err) MUST_CHECK;

/* Returns whether more samples would show nothing more. */
bool otlp_evidence_is_firm(const struct otlp_evidence *e);

void otlp_evidence_add(struct otlp_evidence *e, const struct otlp_sample *s,
		       const struct rows *tables);

/* The numbering of a message of which all samples were added, or as many as made
 * the evidence firm. False, with the reason, where it can be told from nothing. */
bool otlp_numbering_choose(const struct otlp_evidence *e,
			   const struct rows *tables,
			   const struct otlp_numbering **out,
			   struct error *err) MUST_CHECK;

/* False where the sample cannot be of this numbering. */
bool otlp_sample_check(const struct otlp_sample *s,
		       const struct otlp_numbering *numbering,
		       struct error *err) MUST_CHECK;

/* A pprof message in the protobuf of OpenTelemetry's profiles, as it is sent to
 * receivers; decode/otlp_profiles.c reads it back. Knows no receiver. */

/* An attribute of what was profiled. */
struct otlp_attribute {
	struct str key; /* "service.name" */
	struct str value;
};

/* Adds an ExportProfilesServiceRequest (opentelemetry-proto 1.10 and later) to
 * out, whose state keeps failures. pprof is plain. Samples that differ in
 * nothing but their values become one. CPU time that is a whole multiple of
 * its period goes as counted samples: receivers multiply, and Pyroscope then
 * knows it as process_cpu. What the message wants left out of stacks
 * (drop_frames) is not told. start_ns: where the message does not say. */
bool otlp_profiles_write(struct str pprof, const struct otlp_attribute *about,
			 size_t about_count, int64_t start_ns, struct buf *out,
			 struct error *err) MUST_CHECK;

/* The content of a pprof message, numbered as OTLP's profiles want it, for
 * otlp_profiles_write.c. Private to decode/. */

/* Fields of ProfilesDictionary, and of Profile. */
enum {
	MAPPING_TABLE = 1,
	LOCATION_TABLE = 2,
	FUNCTION_TABLE = 3,
	LINK_TABLE = 4,
	STRING_TABLE = 5,
	ATTRIBUTE_TABLE = 6,
	STACK_TABLE = 7,

	PROFILE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
};

#endif
