/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/pyroscope/protobuf_calls.h"

LIBRARY_CALLS(PROTOBUF_CALLS, LIBRARY_PROTOBUF)

bool protobuf_calls_load(struct error *err)
{
	return calls_load(err);
}

void protobuf_c_message_free_unpacked(ProtobufCMessage *message,
				      ProtobufCAllocator *allocator)
{
	calls.protobuf_c_message_free_unpacked_call(message, allocator);
}

size_t protobuf_c_message_get_packed_size(const ProtobufCMessage *message)
{
	return calls.protobuf_c_message_get_packed_size_call(message);
}

size_t protobuf_c_message_pack(const ProtobufCMessage *message, uint8_t *out)
{
	return calls.protobuf_c_message_pack_call(message, out);
}

size_t protobuf_c_message_pack_to_buffer(const ProtobufCMessage *message,
					 ProtobufCBuffer *buffer)
{
	return calls.protobuf_c_message_pack_to_buffer_call(message, buffer);
}

ProtobufCMessage *protobuf_c_message_unpack(
	const ProtobufCMessageDescriptor *descriptor,
	ProtobufCAllocator *allocator, size_t len, const uint8_t *data)
{
	return calls.protobuf_c_message_unpack_call(descriptor, allocator, len,
						    data);
}
