/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pprof message holds, numbered as OTLP's profiles want it.
 * otlp_profiles_gather.c fills it, otlp_profiles_write.c writes it. Private to
 * decode/.
 */
#ifndef DECODE_OTLP_PROFILES_GATHER_H
#define DECODE_OTLP_PROFILES_GATHER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "decode/otlp_type.h"
#include "decode/wire.h"

#define OTLP_SOURCE_WHAT "the pprof profile"

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

/* Ids of a message's elements: their places are 1, 2, 3... */
struct otlp_ids {
	struct map map;
	uint32_t count;
};

struct otlp_writer {
	struct arena arena;
	struct str pprof;
	struct buf *out;
	struct str *strings;
	uint32_t string_count;
	size_t string_cap;
	struct map extra; /* strings behind those of the message */
	struct buf extra_part;
	uint32_t extra_count;
	struct otlp_type types[LIMIT_SAMPLE_TYPES];
	uint32_t type_count;
	struct otlp_type period_type;
	uint64_t period;
	uint64_t time_ns;
	uint64_t duration_ns;
	struct otlp_ids mappings;
	struct otlp_ids locations;
	struct otlp_ids functions;
	/* By their bytes as they are written. */
	struct otlp_ids stacks;
	struct otlp_ids attributes;
	struct otlp_ids samples; /* by stack and attributes */
	struct buf stack_part;
	struct buf attribute_part;
	struct str *heads; /* of samples */
	size_t head_cap;
	int64_t *values; /* by sample and type */
	size_t value_cap;
	/* Of the sample at hand. */
	struct buf stack;
	struct buf label;
	struct buf labels; /* their places */
};

/* Types, strings and the ids of all that samples refer to. */
bool otlp_gather_tables(struct otlp_writer *w, struct error *err) MUST_CHECK;

/* Then the samples, with their stacks and labels. */
bool otlp_gather_samples(struct otlp_writer *w, struct error *err) MUST_CHECK;

/* The place of an element that was numbered; 0 stands for none. */
bool otlp_find_id(const struct otlp_ids *ids, uint64_t id, const char *what,
		  uint64_t *place, struct error *err) MUST_CHECK;

/* False where there is no such string. */
bool otlp_check_string(const struct otlp_writer *w, uint64_t number,
		       struct error *err) MUST_CHECK;

/* False, always, with err set. */
bool otlp_no_memory(const struct otlp_writer *w, struct error *err);

#endif
