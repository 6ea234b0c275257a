/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/otlp_type.h"

#include "base/wirew.h"
#include "decode/wire.h"

const struct type_name otlp_counted = { { "samples", 7 }, { "count", 5 } };

struct otlp_type otlp_type_read(struct str message)
{
	struct otlp_type t = { 0, 0 };
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			t.type = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			t.unit = f.value;
	return t;
}

void otlp_type_put(struct buf *b, uint32_t field, struct otlp_type t)
{
	size_t at = wirew_open(b, field);

	wirew_known(b, 1, t.type);
	wirew_known(b, 2, t.unit);
	wirew_close(b, at);
}
