/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign text as it reaches each output: nothing that the output obeys is
 * left in it, and it is UTF-8.
 */
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "fuzz.h"

/* Control bytes, DEL and C1 as U+0080 to U+009F. */
static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c < 0x20 || c == 0x7f)
			return true;
		if (c == 0xc2 && i + 1 < text.len &&
		    (unsigned char)text.ptr[i + 1] < 0xa0)
			return true;
	}
	return false;
}

static size_t sequence_bytes(const unsigned char *at, size_t left)
{
	size_t len = at[0] < 0x80             ? 1
		     : (at[0] & 0xe0) == 0xc0 ? 2
		     : (at[0] & 0xf0) == 0xe0 ? 3
		     : (at[0] & 0xf8) == 0xf0 ? 4
					      : 0;

	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static bool is_utf8(struct str text)
{
	const unsigned char *bytes = (const unsigned char *)text.ptr;

	for (size_t at = 0, len; at < text.len; at += len) {
		len = sequence_bytes(bytes + at, text.len - at);
		if (len == 0)
			return false;
	}
	return true;
}

static bool has_any(struct str text, const char *bytes)
{
	for (size_t i = 0; i < text.len; i++)
		if (strchr(bytes, text.ptr[i]))
			return true;
	return false;
}

/* An even number of '\' before it is none that escapes it. */
static bool has_bare_quote(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\\')
			i++;
		else if (text.ptr[i] == '"')
			return true;
	return false;
}

static bool has_lone_quote(struct str text)
{
	for (size_t i = 1; i + 1 < text.len; i++)
		if (text.ptr[i] == '"' && text.ptr[++i] != '"')
			return true;
	return text.len < 2;
}

static const struct target {
	const char *name;
	void (*escape)(struct out *out, struct str text);
	const char *never;
	bool (*is_broken)(struct str escaped);
} targets[] = {
	{ "terminal", escape_terminal, "", has_control },
	{ "json", escape_json, "<", has_bare_quote },
	{ "xml", escape_xml, "<>\"'", has_control },
	{ "folded", escape_folded, ";\n\r", has_control },
	{ "csv", escape_csv, "\n\r", has_lone_quote },
	{ "markdown", escape_markdown, "\n\r", has_control },
	{ "dot", escape_dot, "", has_bare_quote },
};

static void check_target(const struct target *t, struct str text)
{
	struct buf escaped;
	struct out out;

	buf_init(&escaped, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&out, &escaped);
	t->escape(&out, text);
	FUZZ_CHECK(!has_any(buf_str(&escaped), t->never) &&
			   !t->is_broken(buf_str(&escaped)) &&
			   !has_control(buf_str(&escaped)),
		   "%s: %s", t->name, buf_text(&escaped));
	FUZZ_CHECK(is_utf8(buf_str(&escaped)), "%s", t->name);
	out_release(&out);
	buf_release(&escaped);
}

/* What is kept stays, but for what was damaged. */
static void check_utf8(struct str text)
{
	struct buf kept;
	struct out out;

	buf_init(&kept, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&out, &kept);
	escape_utf8(&out, text);
	FUZZ_CHECK(is_utf8(buf_str(&kept)), "utf8");
	FUZZ_CHECK(!is_utf8(text) || str_equal(buf_str(&kept), text), "utf8");
	out_release(&out);
	buf_release(&kept);
}

/* What is cut to some columns takes no more than them. */
static void check_fit(struct str text)
{
	struct buf escaped;

	buf_init(&escaped, LIMIT_PAGE_TEXT_BYTES);
	escape_terminal_buf(&escaped, text);
	for (size_t columns = 0; columns < 20; columns++) {
		struct str all = buf_str(&escaped);
		size_t len = text_fit(all, columns);

		FUZZ_CHECK(text_width(str_slice(all, 0, len)) <= columns,
			   "%zu columns", columns);
	}
	buf_release(&escaped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size);

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		check_target(&targets[i], text);
	check_fit(text);
	check_utf8(text);
	return 0;
}
