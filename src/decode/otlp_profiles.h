/* SPDX-License-Identifier: Apache-2.0
 *
 * Internals of the OTLP profiles decoder: the dictionary as the tables of a
 * pprof message and as labels. otlp_profiles.c stores and converts them and
 * reads the profiles that refer to them. Private to decode/.
 */
#ifndef DECODE_OTLP_PROFILES_H
#define DECODE_OTLP_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "decode/profile_type.h"
#include "decode/wire.h"

/* ValueType, the same in pprof and OTLP profiles: indices of two strings.
 * Private to decode/. */

struct otlp_type {
	uint64_t type;
	uint64_t unit;
};

/* "samples/count", which receivers multiply by the period. */
extern const struct type_name otlp_counted;

struct otlp_type otlp_type_read(struct str message);
void otlp_type_put(struct buf *b, uint32_t field, struct otlp_type t);

/* Tables of a dictionary, in field order. */
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

/* Rows of a table, as encoded in the input. Attributes and links become labels
 * of the samples that refer to them. */
struct rows {
	struct str *items;
	uint32_t count;
	size_t cap;
	bool has_first; /* row 0 is a real one, not the null entry */
};

/* Returns the index of the first real row. */
static inline uint32_t first_row(const struct rows *r)
{
	return r->has_first ? 0 : 1;
}

/* Samples, whose field numbers changed with protocol 1.10. Private to
 * decode/. */

#define OTLP_PROFILES_WHAT "the OTLP profile"

/* Field numbers in Sample. */
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
	int64_t sum; /* saturating */
	bool is_packed;
};

struct otlp_sample {
	uint64_t stack;
	uint64_t times;                /* number of timestamps */
	struct otlp_numbers fields[5]; /* by field number, from 2 */
};

/* Evidence on which numbering the samples of a message use. */
struct otlp_evidence {
	bool is_not[OTLP_NUMBERINGS];
	bool seems_not[OTLP_NUMBERINGS]; /* judging by references */
	bool has_field[5];
	bool has_profile_attributes;
};

/* Sets the error for a feature only found before 1.8. Returns false. */
bool otlp_refuse_older(struct error *err);

bool otlp_sample_read(struct wire *w, struct otlp_sample *s,
		      struct error *err) MUST_CHECK;

/* Returns whether further samples would not change the result. */
bool otlp_evidence_is_firm(const struct otlp_evidence *e);

void otlp_evidence_add(struct otlp_evidence *e, const struct otlp_sample *s,
		       const struct rows *tables);

/* Chooses the numbering after all samples were added, or enough to make the
 * evidence firm. Returns false with the reason if it is undecidable. */
bool otlp_numbering_choose(const struct otlp_evidence *e,
			   const struct rows *tables,
			   const struct otlp_numbering **out,
			   struct error *err) MUST_CHECK;

/* Returns false if the sample cannot have this numbering. */
bool otlp_sample_check(const struct otlp_sample *s,
		       const struct otlp_numbering *numbering,
		       struct error *err) MUST_CHECK;

/* Writes a pprof message as OpenTelemetry profiles protobuf, for receivers;
 * decode/otlp_profiles.c reads it back. Independent of any receiver. */

/* A resource attribute. */
struct otlp_attribute {
	struct str key; /* "service.name" */
	struct str value;
};

/* Appends an ExportProfilesServiceRequest (opentelemetry-proto 1.10 and later)
 * to out; check its state afterwards. pprof is uncompressed. Samples that
 * differ only in their values are merged. CPU time in whole multiples of its
 * period is sent as counted samples: receivers multiply it, and Pyroscope then
 * recognises it as process_cpu. drop_frames is not transferred. start_ns: used
 * if the message has no time. */
bool otlp_profiles_write(struct str pprof, const struct otlp_attribute *about,
			 size_t about_count, int64_t start_ns, struct buf *out,
			 struct error *err) MUST_CHECK;

/* Content of a pprof message, renumbered for OTLP profiles, for
 * otlp_profiles_write.c. Private to decode/. */

/* Field numbers of ProfilesDictionary and Profile. */
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
