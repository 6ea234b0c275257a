/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/str.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* A character of possibly invalid UTF-8. */
struct rune {
	int32_t code; /* -1 for a byte that is not UTF-8 */
	size_t len;
};

/* text must not be empty. */
static struct rune rune_at(const char *text, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)text;
	utf8proc_int32_t code;
	utf8proc_ssize_t used;

	if (bytes[0] < 0x80)
		return (struct rune){ bytes[0], 1 };
	used = utf8proc_iterate(bytes, len < 4 ? (utf8proc_ssize_t)len : 4,
				&code);
	if (used <= 0)
		return (struct rune){ -1, 1 };
	return (struct rune){ code, (size_t)used };
}

/* Returns whether a character controls the display instead of being shown: C0,
 * DEL, C1, line and paragraph separators, and all format characters (bidi,
 * zero-width, tags). */
static bool is_control(int32_t code)
{
	if (code < 0x80)
		return code >= 0 && (code < 0x20 || code == 0x7F);
	switch (utf8proc_category(code)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return true;
	default:
		return false;
	}
}

/* Plain text goes out in runs: the bytes from *start up to at, if any. */
static void emit_run(struct out *out, struct str text, size_t *start, size_t at,
		     size_t next)
{
	if (at > *start)
		out_add(out, text.ptr + *start, at - *start);
	*start = next;
}

/* Buffer size for an escaped character. */
#define SPELLING_BYTES 16

/* Returns the backslash escape of a character that must not be shown. */
static const char *spell_visible(struct str text, size_t at, struct rune c,
				 char room[SPELLING_BYTES])
{
	if (c.code == '\n')
		return "\\n";
	if (c.code == '\r')
		return "\\r";
	if (c.code == '\t')
		return "\\t";
	if (c.code < 0x80)
		snprintf(room, SPELLING_BYTES, "\\x%02x",
			 (unsigned char)text.ptr[at]);
	else if (c.code <= 0xFFFF)
		snprintf(room, SPELLING_BYTES, "\\u%04x", (unsigned)c.code);
	else
		snprintf(room, SPELLING_BYTES, "\\U%08x", (unsigned)c.code);
	return room;
}

static bool is_visible(struct rune c)
{
	return c.code >= 0 && !is_control(c.code);
}

/* Returns the replacement of the character at `at`, possibly in room; NULL:
 * unchanged. */
typedef const char *spelling(struct str text, size_t at, struct rune c,
			     char room[SPELLING_BYTES]);

/* Returns whether this byte never needs a replacement, in any context. */
typedef bool plainness(unsigned char byte);

static inline bool is_ascii_visible(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7F;
}

/* Inline, so that the calls per byte are inlined, too. is_plain is only an
 * optimization. */
static inline void escape_each(struct out *out, struct str text,
			       spelling *spell, plainness *is_plain)
{
	char room[SPELLING_BYTES];
	size_t start = 0;
	size_t at = 0;

	for (;;) {
		struct rune c;
		const char *other;

		while (at < text.len && is_plain((unsigned char)text.ptr[at]))
			at++;
		if (at == text.len)
			break;
		c = rune_at(text.ptr + at, text.len - at);
		other = spell(text, at, c, room);
		if (other) {
			emit_run(out, text, &start, at, at + c.len);
			out_text(out, other);
		}
		at += c.len;
	}
	emit_run(out, text, &start, at, at);
}

static const char *spell_terminal(struct str text, size_t at, struct rune c,
				  char room[SPELLING_BYTES])
{
	return is_visible(c) ? NULL : spell_visible(text, at, c, room);
}

void escape_terminal(struct out *out, struct str text)
{
	escape_each(out, text, spell_terminal, is_ascii_visible);
}

void escape_terminal_buf(struct buf *out, struct str text)
{
	struct out memory;

	out_init_memory(&memory, out);
	escape_terminal(&memory, text);
}

/* Returns whether a code point is a noncharacter: XML forbids U+FFFE and
 * U+FFFF, HTML all of them. */
static bool is_noncharacter(int32_t code)
{
	return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

static const char *xml_reference(int32_t code)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static const char *spell_xml(struct str text, size_t at, struct rune c,
			     char room[SPELLING_BYTES])
{
	const char *reference = xml_reference(c.code);

	if (reference)
		return reference;
	if (c.code > 0 && is_noncharacter(c.code))
		return spell_visible(text, at, c, room);
	return spell_terminal(text, at, c, room);
}

static inline bool is_xml_plain(unsigned char byte)
{
	return is_ascii_visible(byte) && !xml_reference(byte);
}

void escape_xml(struct out *out, struct str text)
{
	escape_each(out, text, spell_xml, is_xml_plain);
}

static bool is_json_plain(int32_t code)
{
	if (code < 0x80)
		return code >= 0x20 && code != '"' && code != '\\' &&
		       code != '<' && code != 0x7F;
	/* Nor what turns the direction of text. */
	if (code == 0x061C || code == 0x200E || code == 0x200F ||
	    (code >= 0x202A && code <= 0x202E) ||
	    (code >= 0x2066 && code <= 0x2069))
		return false;
	return code > 0x9F && code != 0x2028 && code != 0x2029 &&
	       !is_noncharacter(code);
}

static const char *spell_json(struct str text, size_t at, struct rune c,
			      char room[SPELLING_BYTES])
{
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	(void)text;
	(void)at;
	if (is_json_plain(c.code))
		return NULL;
	if (c.code < 0)
		return REPLACEMENT;
	for (size_t i = 0; i + 1 < sizeof shorts; i += 2) {
		if (c.code == shorts[i]) {
			snprintf(room, SPELLING_BYTES, "\\%c", shorts[i + 1]);
			return room;
		}
	}
	/* Beyond 16 bits: a surrogate pair. */
	if (c.code <= 0xFFFF)
		snprintf(room, SPELLING_BYTES, "\\u%04x", (unsigned)c.code);
	else
		snprintf(room, SPELLING_BYTES, "\\u%04x\\u%04x",
			 0xD7C0u + ((unsigned)c.code >> 10),
			 0xDC00u + ((unsigned)c.code & 0x3FF));
	return room;
}

static inline bool is_json_ascii(unsigned char byte)
{
	return byte < 0x80 && is_json_plain(byte);
}

void escape_json(struct out *out, struct str text)
{
	escape_each(out, text, spell_json, is_json_ascii);
}

/* Returns the end of the run of blanks (or non-blanks) that begins at `at`. */
static size_t blanks_skip(struct str text, size_t at, bool are_blanks)
{
	while (at < text.len) {
		struct rune c = rune_at(text.ptr + at, text.len - at);

		if ((c.code == ' ' || is_control(c.code)) != are_blanks)
			break;
		at += c.len;
	}
	return at;
}

static const char *spell_folded(struct str text, size_t at, struct rune c,
				char room[SPELLING_BYTES])
{
	(void)text;
	(void)at;
	(void)room;
	if (c.code < 0)
		return REPLACEMENT;
	if (c.code == ';')
		return ":";
	return is_control(c.code) ? " " : NULL;
}

static inline bool is_folded_plain(unsigned char byte)
{
	return is_ascii_visible(byte) && byte != ';';
}

void escape_folded(struct out *out, struct str name)
{
	size_t start = blanks_skip(name, 0, true), end = start;
	struct str text = str_slice(name, start, name.len);

	/* In the common case the last character is visible. */
	if (!text.len || text.ptr[text.len - 1] == ' ' ||
	    !is_ascii_visible((unsigned char)text.ptr[text.len - 1])) {
		for (size_t at = start; at < name.len;
		     at = blanks_skip(name, end, true))
			end = blanks_skip(name, at, false);
		text = str_slice(name, start, end - start);
	}
	if (text.len)
		escape_each(out, text, spell_folded, is_folded_plain);
	else
		out_text(out, "[empty]");
}

static const char *spell_utf8(struct str text, size_t at, struct rune c,
			      char room[SPELLING_BYTES])
{
	(void)text;
	(void)at;
	(void)room;
	return c.code < 0 ? REPLACEMENT : NULL;
}

static inline bool is_ascii(unsigned char byte)
{
	return byte < 0x80;
}

void escape_utf8(struct out *out, struct str text)
{
	escape_each(out, text, spell_utf8, is_ascii);
}

void escape_csv(struct out *out, struct str text)
{
	size_t start = 0;

	out_char(out, '"');
	if (text.len && memchr("=+-@", text.ptr[0], 4))
		out_char(out, '\'');
	for (size_t at = 0; at < text.len; at++) {
		if (text.ptr[at] != '"')
			continue;
		escape_terminal(out, str_slice(text, start, at - start));
		out_text(out, "\"\"");
		start = at + 1;
	}
	escape_terminal(out, str_slice(text, start, text.len));
	out_char(out, '"');
}

/* Invisible; separates the word before from the one after. */
#define WORD_JOINER "&#8288;"

/* Returns whether "1.", "1)", "-" or "+" would begin a list. */
static bool begins_list(struct str text, size_t at)
{
	char c = text.ptr[at];

	if (at == 0)
		return c == '-' || c == '+';
	if (c != '.' && c != ')')
		return false;
	while (at && text.ptr[at - 1] >= '0' && text.ptr[at - 1] <= '9')
		at--;
	return at == 0;
}

/* Returns the replacement of an ASCII character; NULL: unchanged. */
static const char *markdown_for(struct str text, size_t at,
				char marked[SPELLING_BYTES])
{
	char c = text.ptr[at];

	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '@':
		return "@" WORD_JOINER;
	case '#':
		return "\\#" WORD_JOINER;
	default:
		break;
	}
	/* Host names, which Markdown links without any markup. */
	if (c == ':' && str_starts(str_slice(text, at + 1, 2), STR("//")))
		return ":" WORD_JOINER;
	if (c == '.' && at >= 3 &&
	    str_equal_nocase(str_slice(text, at - 3, 3), STR("www")))
		return WORD_JOINER ".";
	if (!memchr("\\`*_[]|~$!{}^", c, 13) && !begins_list(text, at))
		return NULL;
	marked[0] = '\\';
	marked[1] = c;
	marked[2] = '\0';
	return marked;
}

/* Same, with the backslash doubled, for formats in which it begins an
 * escape. */
static const char *spell_marked(struct str text, size_t at, struct rune c,
				char room[SPELLING_BYTES])
{
	char inner[SPELLING_BYTES];

	snprintf(room, SPELLING_BYTES, "\\%.*s", SPELLING_BYTES - 2,
		 spell_visible(text, at, c, inner));
	return room;
}

static const char *spell_markdown(struct str text, size_t at, struct rune c,
				  char room[SPELLING_BYTES])
{
	if (!is_visible(c))
		return spell_marked(text, at, c, room);
	return c.len == 1 ? markdown_for(text, at, room) : NULL;
}

static inline bool is_word(unsigned char byte)
{
	return ascii_is_alnum((char)byte) || byte == ' ';
}

void escape_markdown(struct out *out, struct str text)
{
	escape_each(out, text, spell_markdown, is_word);
}

size_t text_backticks(struct str text)
{
	size_t longest = 0;
	size_t run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/* Tables are split into cells before inline markup is parsed. */
static void emit_cell(struct out *out, struct str text)
{
	while (text.len) {
		const char *bar = memchr(text.ptr, '|', text.len);
		size_t len = bar ? (size_t)(bar - text.ptr) : text.len;
		bool is_marked = bar && len && text.ptr[len - 1] == '\\';

		escape_terminal(out, str_slice(text, 0, len - is_marked));
		out_text(out, is_marked ? "\\x5c" : "");
		out_text(out, bar ? "\\|" : "");
		text = str_slice(text, bar ? len + 1 : len, text.len);
	}
}

void escape_markdown_code(struct out *out, struct str text, bool is_cell)
{
	size_t fence = text_backticks(text) + 1;
	const char *pad = "";
	size_t blanks = 0;

	if (!text.len)
		return;
	/* One blank at both ends is taken off again, but not of blanks alone.
	 */
	while (blanks < text.len && text.ptr[blanks] == ' ')
		blanks++;
	if (blanks < text.len && (memchr("` ", text.ptr[0], 2) ||
				  memchr("` ", text.ptr[text.len - 1], 2)))
		pad = " ";
	out_repeat(out, "`", fence);
	out_text(out, pad);
	if (is_cell)
		emit_cell(out, text);
	else
		escape_terminal(out, text);
	out_text(out, pad);
	out_repeat(out, "`", fence);
}

/* Graphviz decodes "&lt;" in labels, too. */
static const char *dot_for(char c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '&':
		return "&amp;";
	default:
		return NULL;
	}
}

static const char *spell_dot(struct str text, size_t at, struct rune c,
			     char room[SPELLING_BYTES])
{
	return is_visible(c) ? dot_for(text.ptr[at])
			     : spell_marked(text, at, c, room);
}

void escape_dot(struct out *out, struct str text)
{
	escape_each(out, text, spell_dot, is_word);
}

static size_t rune_width(struct rune c)
{
	int width = c.code < 0x80 ? 1 : utf8proc_charwidth(c.code);

	return width > 0 ? (size_t)width : 0;
}

size_t text_width(struct str escaped)
{
	size_t columns = 0;

	for (size_t at = 0; at < escaped.len;) {
		struct rune c = rune_at(escaped.ptr + at, escaped.len - at);

		columns += rune_width(c);
		at += c.len;
	}
	return columns;
}

size_t text_fit(struct str escaped, size_t columns)
{
	size_t at = 0;

	while (at < escaped.len) {
		struct rune c = rune_at(escaped.ptr + at, escaped.len - at);
		size_t width = rune_width(c);

		if (width > columns)
			break;
		columns -= width;
		at += c.len;
	}
	return at;
}

/* Shell commands printed for pasting. */

void shell_word_add(struct buf *out, struct str word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./:=@%+,";
	bool is_plain = word.len > 0;

	for (size_t i = 0; i < word.len; i++)
		is_plain &= word.ptr[i] && strchr(plain, word.ptr[i]);
	buf_add_char(out, ' ');
	if (is_plain) {
		buf_add_str(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, word.ptr[i]);
	buf_add_char(out, '\'');
}
