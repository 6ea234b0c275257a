/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_key.h"

#include "base/ascii.h"

/* Hex digits from which "0x..." is an address of a process; offsets in a
 * module, such as "[app+0x1f3a]", are shorter and tell functions apart. */
#define ADDRESS_DIGITS 8

/* Length of the hash that rustc appends: "::h" and 16 hex digits. */
#define RUST_HASH_DIGITS 16

static size_t count_while(struct str s, size_t at, bool (*is)(char))
{
	size_t end = at;

	while (end < s.len && is(s.ptr[end]))
		end++;
	return end - at;
}

static struct str strip_digits(struct str s)
{
	while (s.len && ascii_is_digit(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* GCC and LLVM number the pieces they split functions into. */
static struct str strip_clone(struct str s)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part.", ".cold.",
					     ".llvm.", ".lto_priv." };
	struct str bare = strip_digits(s);

	if (str_ends(s, STR(".cold")))
		return str_slice(s, 0, s.len - 5);
	if (bare.len == s.len)
		return s;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_ends(bare, str_from(marks[i])))
			return str_slice(s, 0,
					 bare.len - str_from(marks[i]).len);
	return s;
}

static struct str strip_rust_hash(struct str s)
{
	size_t start = s.len - RUST_HASH_DIGITS;

	if (s.len <= RUST_HASH_DIGITS + 3 ||
	    count_while(s, start, ascii_is_hex) != RUST_HASH_DIGITS ||
	    !str_equal(str_slice(s, start - 3, 3), STR("::h")))
		return s;
	return str_slice(s, 0, start - 3);
}

static struct str strip_suffixes(struct str s)
{
	struct str bare = strip_rust_hash(s);

	for (;;) {
		struct str next = strip_clone(bare);

		if (next.len == bare.len)
			return bare;
		bare = next;
	}
}

/* Names after which the JVM, Spring and friends put a number or a hash. */
static size_t generated_prefix(struct str rest)
{
	static const char *const marks[] = {
		"$$Lambda",
		"$Proxy",
		"GeneratedMethodAccessor",
		"GeneratedConstructorAccessor",
		"GeneratedSerializationConstructorAccessor",
		"$$SpringCGLIB$$",
		"$$EnhancerBySpringCGLIB$$",
		"$$FastClassBySpringCGLIB$$",
		"$HibernateProxy$",
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(rest, str_from(marks[i])))
			return str_from(marks[i]).len;
	return 0;
}

static bool is_number_part(char c)
{
	return ascii_is_hex(c) || c == '$' || c == '/' || c == '+' || c == 'x';
}

/* How much after a generated mark is its number: "$14/0x00ff", "7", "". */
static size_t generated_number(struct str s, size_t at)
{
	size_t len = count_while(s, at, is_number_part);
	size_t end = at + len;

	/* Letters of a following word are no number. */
	if (end < s.len && s.ptr[end] != '.' && s.ptr[end] != ':')
		return count_while(s, at, ascii_is_digit);
	return len;
}

static size_t address_length(struct str s, size_t at)
{
	size_t digits;

	if (!str_starts(str_slice(s, at, 2), STR("0x")))
		return 0;
	digits = count_while(s, at + 2, ascii_is_hex);
	return digits >= ADDRESS_DIGITS ? digits + 2 : 0;
}

/* Only '$', 'G' and '0' begin something generated. */
static size_t add_generated(struct str s, size_t at, struct buf *out)
{
	size_t mark, address;

	if (s.ptr[at] != '$' && s.ptr[at] != 'G' && s.ptr[at] != '0')
		return 0;
	address = address_length(s, at);
	if (address) {
		buf_add_text(out, "0x?");
		return address;
	}
	mark = generated_prefix(str_slice(s, at, s.len));
	if (!mark)
		return 0;
	buf_add(out, s.ptr + at, mark);
	return mark + generated_number(s, at + mark);
}

void function_key(struct str name, struct buf *out)
{
	struct str s = strip_suffixes(name);
	size_t at = 0;

	while (at < s.len) {
		size_t used = add_generated(s, at, out);

		if (!used) {
			buf_add_char(out, s.ptr[at]);
			used = 1;
		}
		at += used;
	}
}
