/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to sniff*.c: each part looks at one family of inputs. FORMAT_UNKNOWN
 * with a description when it knows what the input is instead, with NULL when
 * it does not.
 */
#ifndef DECODE_SNIFF_H
#define DECODE_SNIFF_H

#include "decode/decode.h"

struct guess {
	enum format format;
	const char *looks_like;
};

#define GUESS_FORMAT(format) ((struct guess){ format, NULL })
#define GUESS_OTHER(text) ((struct guess){ FORMAT_UNKNOWN, text })

/* Begins with '{' or '['. */
struct guess sniff_json(struct str text);
struct guess sniff_protobuf(struct str bytes);

#endif
