/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader against jansson: what one takes the other takes, and a
 * document read is the same as one skipped or copied.
 */
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "fuzz.h"
#include "json_generic.h"

/* Walks a document by reading every key and value. */
static void walk(struct json_reader *r)
{
	enum json_kind open[LIMIT_JSON_DEPTH + 1];
	struct str text;
	size_t depth = 0;
	double number;
	bool truth;

	do {
		enum json_kind kind;

		if (depth && open[depth - 1] == JSON_OBJECT
			    ? !json_next_key(r, &text)
			    : depth && !json_next_item(r)) {
			depth--;
			continue;
		}
		kind = json_peek(r);
		if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
			if (json_enter(r, kind))
				open[depth++] = kind;
		} else if (kind == JSON_STRING) {
			if (!json_text(r, &text))
				return;
		} else if (kind == JSON_NUMBER) {
			if (!json_number_text(r, &text))
				return;
		} else if (kind == JSON_TRUE || kind == JSON_FALSE) {
			if (!json_bool(r, &truth))
				return;
		} else if (!json_f64(r, &number)) {
			return;
		}
	} while (depth && !json_failed(r));
}

static bool is_read(struct str bytes, void (*read)(struct json_reader *r))
{
	struct error err = { 0 };
	struct json_reader *r = json_new(bytes, &err);
	bool is_good;

	FUZZ_CHECK(r != NULL, "%s", err.message);
	read(r);
	is_good = json_check(r, &err) && json_at_end(r) && json_check(r, &err);
	json_free(r);
	return is_good;
}

static void skip(struct json_reader *r)
{
	json_skip(r);
}

static void copy(struct json_reader *r)
{
	struct buf raw;

	buf_init(&raw, LIMIT_BODY_PLAIN_BYTES);
	if (json_raw(r, &raw))
		FUZZ_CHECK(is_read(buf_str(&raw), walk), "copy is damaged");
	buf_release(&raw);
}

/* Deeper documents are refused on purpose; jansson's own limit is higher. */
static bool is_deep(struct str bytes)
{
	size_t depth = 0;

	for (size_t i = 0; i < bytes.len; i++)
		depth += bytes.ptr[i] == '[' || bytes.ptr[i] == '{';
	return depth > LIMIT_JSON_DEPTH;
}

/* jansson loses a NUL that it has looked at: "2\0" is 2 there. */
static bool has_nul(struct str bytes)
{
	return bytes.len && memchr(bytes.ptr, '\0', bytes.len);
}

static bool is_plain_ascii(struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if ((unsigned char)bytes.ptr[i] >= 0x80 || bytes.ptr[i] == '\\')
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = fuzz_str(data, size);
	bool is_walked = is_read(bytes, walk);
	bool is_comparable;
	bool is_taken;

	FUZZ_CHECK(is_walked == is_read(bytes, skip), "walked %d", is_walked);
	FUZZ_CHECK(is_walked == is_read(bytes, copy), "walked %d", is_walked);
	if (is_deep(bytes) || has_nul(bytes))
		return 0;
	is_taken = json_generic_takes(bytes, &is_comparable);
	if (is_comparable && (is_taken || is_plain_ascii(bytes)))
		FUZZ_CHECK(is_walked == is_taken, "ours %d", is_walked);
	return 0;
}
