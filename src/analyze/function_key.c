/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_key.h"

#include <limits.h>

#include "base/ascii.h"

/* Hex digits from which "0x..." is an address of a process; offsets in a
 * module, such as "[app+0x1f3a]", are shorter and tell functions apart. */
#define ADDRESS_DIGITS 8

/* Looked through for the end of type arguments: names full of beginnings must
 * not take the square of their length. */
#define SHAPE_MAX_BYTES 1024

/* Length of the hash that rustc appends: "::h" and 16 hex digits. */
#define RUST_HASH_DIGITS 16

static bool is_identifier(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

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

/* GCC and LLVM number the pieces they split functions into. All marks end with
 * a dot. */
static struct str strip_clone(struct str s)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part.", ".cold.",
					     ".llvm.", ".lto_priv." };
	struct str bare = strip_digits(s);

	if (str_ends(s, STR(".cold")))
		return str_slice(s, 0, s.len - 5);
	if (bare.len == s.len || !bare.len || bare.ptr[bare.len - 1] != '.')
		return s;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_ends(bare, str_from(marks[i])))
			return str_slice(s, 0,
					 bare.len - str_from(marks[i]).len);
	return s;
}

/* "::h0123456789abcdef", or mangled "17h0123456789abcdefE". */
static struct str strip_rust_hash(struct str s)
{
	struct str whole = s;
	size_t start;

	if (str_starts(s, STR("_ZN")) && str_ends(s, STR("E")))
		s.len--;
	start = s.len - RUST_HASH_DIGITS;

	if (s.len <= RUST_HASH_DIGITS + 3 ||
	    count_while(s, start, ascii_is_hex) < RUST_HASH_DIGITS ||
	    !str_equal(str_slice(s, start - 3, 3),
		       s.len < whole.len ? STR("17h") : STR("::h")))
		return whole;
	return str_slice(s, 0, start - 3);
}

static struct str strip_suffixes(struct str s)
{
	struct str bare = s;

	for (;;) {
		struct str next = strip_clone(strip_rust_hash(bare));

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

/* What is written for a generated part, and how much of the name it was. */
struct generated {
	struct str text;
	size_t len; /* 0: nothing generated here */
};

/* Go's binaries name the shape of type arguments, "[go.shape.int]" or
 * "[go.shape.int_0]" by version; its own profiler writes "[...]". */
static struct generated go_shape(struct str s, size_t at)
{
	size_t depth = 0, end = at;

	if (!str_starts(str_slice(s, at, s.len), STR("[go.shape.")))
		return (struct generated){ 0 };
	do {
		depth += s.ptr[end] == '[';
		depth -= s.ptr[end] == ']';
		end++;
	} while (depth && end < s.len && end - at < SHAPE_MAX_BYTES);
	return (struct generated){ STR("[...]"), depth ? 0 : end - at };
}

/* "core[f3a1b2c3d4e5f607]::fmt": Rust's hash of a crate. */
static struct generated crate_hash(struct str s, size_t at)
{
	size_t digits = count_while(s, at + 1, ascii_is_hex);

	if (digits != RUST_HASH_DIGITS || at + 1 + digits >= s.len ||
	    s.ptr[at + 1 + digits] != ']')
		return (struct generated){ 0 };
	return (struct generated){ STR(""), digits + 2 };
}

/* The C# compiler counts methods with lambdas, iterators and asynchronous
 * methods of a class: "<>c__DisplayClass5_0", "<Place>d__12",
 * "<Place>b__5_0". The lambda's own number within its method stays. */
static struct generated csharp_number(struct str s, size_t at)
{
	static const struct {
		const char *mark;
		bool has_lambda; /* a second number, that tells them apart */
	} marks[] = {
		{ ">c__DisplayClass", false },
		{ ">d__", false },
		{ ">b__", true },
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		struct str mark = str_from(marks[i].mark);
		size_t end = at + mark.len, digits;

		if (!str_starts(str_slice(s, at, s.len), mark))
			continue;
		digits = count_while(s, end, ascii_is_digit);
		if (end + digits < s.len && s.ptr[end + digits] == '_')
			digits++;
		else if (marks[i].has_lambda)
			digits = 0;
		if (!marks[i].has_lambda)
			digits += count_while(s, end + digits, ascii_is_digit);
		if (digits)
			return (struct generated){ mark, mark.len + digits };
	}
	return (struct generated){ 0 };
}

/* "<Place>g__Check|5_0": a function inside Place, by name. */
static struct generated csharp_local(struct str s, size_t at)
{
	size_t digits = count_while(s, at + 1, ascii_is_digit);
	size_t end = at + 1 + digits;

	if (!digits || end >= s.len || s.ptr[end] != '_')
		return (struct generated){ 0 };
	digits = count_while(s, end + 1, ascii_is_digit);
	return (struct generated){ STR("|"),
				   digits ? end + 1 + digits - at : 0 };
}

/* "lambda$place$7": javac counts the lambdas of a class, so that one more
 * renumbers those of all methods behind it. */
static struct generated java_lambda(struct str s, size_t at)
{
	struct str mark = STR("lambda$");
	size_t end = at + mark.len, digits;

	if (!str_starts(str_slice(s, at, s.len), mark))
		return (struct generated){ 0 };
	while (end < s.len && is_identifier(s.ptr[end]))
		end++;
	digits = count_while(s, end + 1, ascii_is_digit);
	if (end >= s.len || s.ptr[end] != '$' || !digits)
		return (struct generated){ 0 };
	return (struct generated){ str_slice(s, at, end + 1 - at),
				   end + 1 + digits - at };
}

static struct generated jvm_number(struct str s, size_t at)
{
	size_t mark = generated_prefix(str_slice(s, at, s.len));

	if (!mark)
		return (struct generated){ 0 };
	return (struct generated){ str_slice(s, at, mark),
				   mark + generated_number(s, at + mark) };
}

/* By the character that begins it. */
static struct generated generated_at(struct str s, size_t at)
{
	struct generated g = { 0 };

	switch (s.ptr[at]) {
	case '$':
	case 'G':
		return jvm_number(s, at);
	case '0':
		g.text = STR("0x?");
		g.len = address_length(s, at);
		return g;
	case '>':
		return csharp_number(s, at);
	case '|':
		return csharp_local(s, at);
	case 'l':
		return java_lambda(s, at);
	case '[':
		g = go_shape(s, at);
		return g.len ? g : crate_hash(s, at);
	default:
		return g;
	}
}

/* Whether generated_at() looks further. */
static bool may_begin_generated(char c)
{
	static const bool may[UCHAR_MAX + 1] = {
		['$'] = true, ['G'] = true, ['0'] = true, ['>'] = true,
		['|'] = true, ['l'] = true, ['['] = true,
	};

	return may[(unsigned char)c];
}

static size_t plain_length(struct str s, size_t at)
{
	size_t end = at;

	while (end < s.len && !may_begin_generated(s.ptr[end]))
		end++;
	return end - at;
}

static size_t add_generated(struct str s, size_t at, struct buf *out)
{
	struct generated g = generated_at(s, at);

	if (g.len)
		buf_add(out, g.text.ptr, g.text.len);
	return g.len;
}

void function_key(struct str name, struct buf *out)
{
	struct str s = strip_suffixes(name);
	size_t at = 0;

	while (at < s.len) {
		size_t used = add_generated(s, at, out);

		if (!used) {
			used = 1 + plain_length(s, at + 1);
			buf_add(out, s.ptr + at, used);
		}
		at += used;
	}
}
