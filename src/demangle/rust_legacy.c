/* SPDX-License-Identifier: Apache-2.0
 *
 * The legacy form of Rust's names: an Itanium name with a hash as its last
 * part, and escapes for what no identifier may hold.
 */
#include "demangle/rust.h"

/* "17h", sixteen hexadecimal digits, "E". */
#define HASH_BYTES 20
/* Fewer different digits are no hash. */
#define HASH_DIGITS_MIN 5

static bool is_hash(struct str digits)
{
	unsigned seen = 0;
	unsigned count = 0;

	for (size_t i = 0; i < digits.len; i++) {
		int value = rust_hex(digits.ptr[i]);

		if (value < 0)
			return false;
		count += !(seen >> value & 1);
		seen |= 1u << value;
	}
	return count >= HASH_DIGITS_MIN;
}

/* Takes "_ZN" and the hash off; what stands behind ("E.llvm.123") is the
 * linker's. */
static bool take_legacy_path(struct str name, struct str *path)
{
	size_t end = name.len;
	struct str hash;

	for (size_t i = name.len; i-- > 1;)
		if (name.ptr[i] == '.' && name.ptr[i - 1] == 'E') {
			end = i;
			break;
		}
	name = str_slice(name, 0, end);
	if (!str_starts(name, STR("_ZN")) || name.len < HASH_BYTES + 4 ||
	    name.ptr[name.len - 1] != 'E')
		return false;
	hash = str_slice(name, name.len - HASH_BYTES, HASH_BYTES - 1);
	*path = str_slice(name, 3, name.len - HASH_BYTES - 3);
	return str_starts(hash, STR("17h")) &&
	       is_hash(str_slice(hash, 3, hash.len));
}

static const struct escape {
	struct str code;
	char c;
} escapes[] = {
	{ { "$C$", 3 }, ',' },  { { "$SP$", 4 }, '@' }, { { "$BP$", 4 }, '*' },
	{ { "$RF$", 4 }, '&' }, { { "$LT$", 4 }, '<' }, { { "$GT$", 4 }, '>' },
	{ { "$LP$", 4 }, '(' }, { { "$RP$", 4 }, ')' },
};

/* "$LT$" or "$u7e$"; 0: it is none. */
static size_t read_escape(struct str text, char *c)
{
	int high, low;

	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
		if (str_starts(text, escapes[i].code)) {
			*c = escapes[i].c;
			return escapes[i].code.len;
		}
	if (text.len < 5 || text.ptr[1] != 'u' || text.ptr[4] != '$')
		return 0;
	high = rust_hex(text.ptr[2]);
	low = rust_hex(text.ptr[3]);
	if (high < 2 || high > 7 || low < 0)
		return 0;
	*c = (char)(high << 4 | low);
	return 5;
}

static void add_legacy_part(struct str part, struct buf *out)
{
	size_t at = str_starts(part, STR("_$")) ? 1 : 0;

	while (at < part.len) {
		struct str rest = str_slice(part, at, part.len);
		char c = rest.ptr[0];
		size_t len = 1;

		if (str_starts(rest, STR(".."))) {
			buf_add_text(out, "::");
			at += 2;
			continue;
		}
		if (c == '$')
			len = read_escape(rest, &c);
		if (!len) {
			buf_add_str(out, rest);
			return;
		}
		buf_add_char(out, c);
		at += len;
	}
}

bool rust_demangle_legacy(struct str name, struct buf *out)
{
	struct str path;
	size_t at = 0;

	if (!take_legacy_path(name, &path))
		return false;
	while (at < path.len) {
		size_t len = rust_length(path, &at);

		if (len != SIZE_MAX && len && at < path.len &&
		    path.ptr[at] == '_') {
			at++;
			len--;
		}
		if (len > path.len - at)
			return false;
		if (out->len)
			buf_add_text(out, "::");
		add_legacy_part(str_slice(path, at, len), out);
		at += len;
	}
	return true;
}
