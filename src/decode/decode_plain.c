/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gz.h"
#include "decode/decode.h"

struct str decode_plain(struct str bytes, const char *name, struct buf *storage,
			struct error *err)
{
	if (!gz_is(bytes))
		return bytes;
	if (!gz_inflate(bytes, name, storage, err))
		return (struct str){ NULL, 0 };
	return buf_str(storage);
}
