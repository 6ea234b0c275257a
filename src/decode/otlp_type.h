/* SPDX-License-Identifier: Apache-2.0
 *
 * ValueType, which is the same in pprof and in OTLP's profiles: the numbers of
 * two strings. Private to decode/.
 */
#ifndef DECODE_OTLP_TYPE_H
#define DECODE_OTLP_TYPE_H

#include "base/buf.h"
#include "decode/profile_want.h"

struct otlp_type {
	uint64_t type;
	uint64_t unit;
};

/* "samples/count": what receivers multiply by the period. */
extern const struct type_name otlp_counted;

struct otlp_type otlp_type_read(struct str message);
void otlp_type_put(struct buf *b, uint32_t field, struct otlp_type t);

#endif
