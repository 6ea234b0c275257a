/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/otlp/otlp.h"
#include "backend/pyroscope/pyroscope_receiver.h"
#include "base/count.h"

/* A new receiver: a room with its object, and a row here. */
const struct receiver *const receiver_table[] = { &receiver_otlp,
						  &receiver_pyroscope };

const size_t receiver_table_count = COUNT_OF(receiver_table);
