/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of protobuf-c under their own names, for a program that is not
 * linked with it: protobuf_calls.c passes each call on. For pyroscope.c
 * and the code that is generated from proto/querier.proto, each function of
 * which calls one of these.
 */
#ifndef BACKEND_PROTOBUF_CALLS_H
#define BACKEND_PROTOBUF_CALLS_H

#include <protobuf-c/protobuf-c.h>

#include "base/library.h"

#define PROTOBUF_CALLS(X)                                                      \
	X(protobuf_c_message_free_unpacked)                                    \
	X(protobuf_c_message_get_packed_size)                                  \
	X(protobuf_c_message_pack)                                             \
	X(protobuf_c_message_pack_to_buffer)                                   \
	X(protobuf_c_message_unpack)

LIBRARY_LATE_CALLS(PROTOBUF_CALLS, protobuf_calls_load)

#endif
