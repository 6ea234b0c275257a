/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input.h"

#include <string.h>

#include "base/outfile.h"
#include "source/http.h"

bool input_fail_address(struct str text, struct error *err)
{
	struct buf shown;

	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&shown, text);
	error_set(err, ERROR_USAGE,
		  "%.200s is an address, not a file: a server's goes behind "
		  "--traces-url or --profiles-url",
		  buf_text(&shown));
	buf_release(&shown);
	return false;
}

bool input_read(struct input *in, const char *path, struct error *err)
{
	in->name = strcmp(path, "-") ? path : "standard input";
	buf_init(&in->raw, LIMIT_FILE_BYTES);
	buf_init(&in->plain, LIMIT_FILE_PLAIN_BYTES);
	if (!file_read(path, &in->raw, err))
		return err->code == ERROR_NOT_FOUND && strstr(path, "://")
			       ? input_fail_address(str_from(path), err)
			       : false;
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
