/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input.h"

#include <string.h>

#include "base/outfile.h"

bool input_read(struct input *in, const char *path, struct error *err)
{
	in->name = strcmp(path, "-") ? path : "standard input";
	buf_init(&in->raw, LIMIT_FILE_BYTES);
	buf_init(&in->plain, LIMIT_FILE_PLAIN_BYTES);
	if (!file_read(path, &in->raw, err))
		return false;
	in->bytes = decode_plain(buf_str(&in->raw), in->name, &in->plain, err);
	if (!in->bytes.ptr)
		return false;
	in->format =
		format_sniff(in->bytes, in->looks_like, sizeof in->looks_like);
	return true;
}

void input_release(struct input *in)
{
	buf_release(&in->raw);
	buf_release(&in->plain);
}
