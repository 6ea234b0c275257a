/* SPDX-License-Identifier: Apache-2.0
 *
 * A file or standard input as the decoders want it: unpacked, its format
 * recognised. What the format must be is the caller's affair.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "base/buf.h"
#include "decode/decode.h"

struct input {
	const char *name; /* the path, or "standard input" */
	struct str bytes;
	enum format format;
	char looks_like[120]; /* when the format is unknown */
	struct buf raw;
	struct buf plain;
	struct feed *feed; /* input_open(): the file, when it is streamed */
};

/* Says that this is no file but an address, without its password; false. */
bool input_fail_address(struct str text, struct error *err);

/* As input_read(), but a regular file whose front tells that its format is
 * streamed (decode.h) is opened only: in->feed is set, and no bytes are. */
bool input_open(struct input *in, const char *path,
		struct error *err) MUST_CHECK;

/* "-" is standard input; path is borrowed. Release also after failure. */
bool input_read(struct input *in, const char *path,
		struct error *err) MUST_CHECK;
void input_release(struct input *in);

/* Where the bytes lie, for who takes them over. */
struct buf *input_storage(struct input *in);

#endif
