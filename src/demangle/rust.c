/* SPDX-License-Identifier: Apache-2.0
 *
 * Rust's v0 mangling (RFC 2603). Back references can expand a name to a
 * multiple of its length, so steps and output are limited.
 */
#include "demangle/demangle.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

/* ---- parsing ---- */

struct rust {
	struct str in; /* after "_R" */
	size_t at;
	/* End of readable input: a back reference ends where it begins. */
	size_t end;
	struct buf *out;
	unsigned depth;
	size_t steps;
	bool is_silent;
	bool has_failed;
	uint64_t lifetimes; /* bound in the enclosing scopes */
};

static void fail(struct rust *r)
{
	r->has_failed = true;
	r->at = r->end;
}

static char peek(const struct rust *r)
{
	return r->at < r->end ? r->in.ptr[r->at] : '\0';
}

static bool take(struct rust *r, char c)
{
	if (peek(r) != c || r->at >= r->end)
		return false;
	r->at++;
	return true;
}

static char take_any(struct rust *r)
{
	char c = peek(r);

	if (c == '\0')
		fail(r);
	else
		r->at++;
	return c;
}

static void expect(struct rust *r, char c)
{
	if (!take(r, c))
		fail(r);
}

static void step(struct rust *r, size_t count)
{
	r->steps += count;
	if (r->steps > LIMIT_DEMANGLE_STEPS)
		fail(r);
}

static bool enter(struct rust *r)
{
	step(r, 1);
	if (r->depth >= LIMIT_MANGLED_DEPTH || r->out->state != BUF_OK)
		fail(r);
	if (r->has_failed)
		return false;
	r->depth++;
	return true;
}

static void put(struct rust *r, const char *text)
{
	if (!r->is_silent)
		buf_add_text(r->out, text);
}

static void put_str(struct rust *r, struct str text)
{
	if (!r->is_silent)
		buf_add_str(r->out, text);
}

static void put_number(struct rust *r, uint64_t number)
{
	if (!r->is_silent)
		buf_addf(r->out, "%llu", (unsigned long long)number);
}

/* Parses "_" as 0, "0_" as 1, "z_" as 36, "Z_" as 62. Crate hashes use 64 bits;
 * other numbers that overflow are meaningless. */
static uint64_t base62(struct rust *r)
{
	uint64_t value = 0;

	if (take(r, '_'))
		return 0;
	for (;;) {
		char c = take_any(r);

		if (r->has_failed) {
			fail(r);
			return 0;
		}
		if (c == '_')
			return value + 1;
		value *= 62;
		if (c >= '0' && c <= '9')
			value += (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			value += (uint64_t)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			value += (uint64_t)(c - 'A') + 36;
		else
			fail(r);
	}
}

static uint64_t disambiguator(struct rust *r)
{
	return take(r, 's') ? base62(r) + 1 : 0;
}

/* A count of bytes; SIZE_MAX: none, or more than there are. Two closures are
 * "00": no number begins with a zero. */
static inline size_t rust_length(struct str text, size_t *at)
{
	size_t value = 0;
	size_t start = *at;

	if (*at < text.len && text.ptr[*at] == '0') {
		++*at;
		return 0;
	}
	while (*at < text.len && ascii_is_digit(text.ptr[*at])) {
		value = value * 10 + (size_t)(text.ptr[(*at)++] - '0');
		if (value > text.len)
			return SIZE_MAX;
	}
	return *at > start ? value : SIZE_MAX;
}

/* Punycode (non-ASCII) is left encoded. */
static struct str identifier_text(struct rust *r)
{
	size_t len;
	struct str text;

	take(r, 'u');
	len = rust_length(str_slice(r->in, 0, r->end), &r->at);
	take(r, '_');
	if (len > r->end - r->at) {
		fail(r);
		return STR("");
	}
	text = str_slice(r->in, r->at, len);
	r->at += len;
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_')
			fail(r);
	return text;
}

static void put_lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->lifetimes - index;

	if (index > r->lifetimes) {
		fail(r);
	} else if (index == 0) {
		put(r, "'_");
	} else if (depth < 26) {
		char text[3] = { '\'', (char)('a' + depth), '\0' };

		put(r, text);
	} else {
		put(r, "'z");
		put_number(r, depth - 26 + 1);
	}
}

/* ---- the grammar ---- */

static void path(struct rust *r, bool is_value);
static void type(struct rust *r);

/* Parses an earlier position again. */
static void backref(struct rust *r, void (*read)(struct rust *r))
{
	size_t start = r->at - 1;
	uint64_t target = base62(r);
	size_t at = r->at, end = r->end;

	if (r->has_failed || r->is_silent)
		return;
	if (target >= start) {
		fail(r);
		return;
	}
	r->at = (size_t)target;
	r->end = start;
	read(r);
	/* Long texts in it are parsed again for every reference. */
	step(r, r->at > target ? r->at - (size_t)target : 0);
	r->at = at;
	r->end = end;
	if (r->has_failed)
		fail(r);
}

static void type_path(struct rust *r)
{
	path(r, false);
}

static void value_path(struct rust *r)
{
	path(r, true);
}

/* The path of an impl is parsed but not shown. */
static void impl_path(struct rust *r)
{
	bool was_silent = r->is_silent;

	r->is_silent = true;
	disambiguator(r);
	path(r, false);
	r->is_silent = was_silent;
}

/* Returns the value of a lower-case digit, negative if it is none. */
static inline int rust_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void digits_of_constant(struct rust *r, char kind)
{
	size_t start = r->at;
	struct str digits;
	uint64_t value = 0;

	while (rust_hex(peek(r)) >= 0)
		value = value << 4 | (uint64_t)rust_hex(take_any(r));
	digits = str_slice(r->in, start, r->at - start);
	expect(r, '_');
	if (!digits.len || digits.len > 32)
		fail(r);
	if (kind == 'b') {
		put(r, value ? "true" : "false");
	} else if (kind == 'c') {
		if (!r->is_silent)
			buf_addf(r->out, "'\\u{%llx}'",
				 (unsigned long long)value);
	} else if (digits.len > 16) {
		put(r, "0x");
		put_str(r, digits);
	} else {
		put_number(r, value);
	}
}

static void constant(struct rust *r)
{
	char kind;

	if (!enter(r))
		return;
	kind = take_any(r);
	if (kind == 'B') {
		backref(r, constant);
	} else if (kind == 'p') {
		put(r, "_");
	} else if (kind && str_find(STR("aslxnihtmyojbc"),
				    (struct str){ &kind, 1 }) != SIZE_MAX) {
		if (take(r, 'n'))
			put(r, "-");
		digits_of_constant(r, kind);
	} else {
		fail(r);
	}
	r->depth--;
}

static void generic_argument(struct rust *r)
{
	if (take(r, 'L'))
		put_lifetime(r, base62(r));
	else if (take(r, 'K'))
		constant(r);
	else
		type(r);
}

/* Parsed but not shown, like template arguments in C++. */
static void generic_arguments(struct rust *r)
{
	bool was_silent = r->is_silent;

	r->is_silent = true;
	while (!r->has_failed && peek(r) != 'E')
		generic_argument(r);
	expect(r, 'E');
	r->is_silent = was_silent;
}

static void nested_path(struct rust *r, bool is_value)
{
	char space = take_any(r);
	bool is_special = space >= 'A' && space <= 'Z';
	uint64_t number;
	struct str name;

	if (!is_special && !(space >= 'a' && space <= 'z'))
		fail(r);
	path(r, is_value);
	number = disambiguator(r);
	name = identifier_text(r);
	put(r, "::");
	if (!is_special) {
		put_str(r, name);
		return;
	}
	put(r, "{");
	if (space == 'C')
		put(r, "closure");
	else if (space == 'S')
		put(r, "shim");
	else
		put_str(r, (struct str){ &space, 1 });
	if (name.len)
		put(r, ":");
	put_str(r, name);
	put(r, "#");
	put_number(r, number);
	put(r, "}");
}

static void path_in_brackets(struct rust *r, bool has_trait)
{
	put(r, "<");
	type(r);
	if (has_trait) {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

/* is_value: generic arguments follow "::". */
static void path(struct rust *r, bool is_value)
{
	char kind;

	if (!enter(r))
		return;
	kind = take_any(r);
	if (kind == 'C') {
		disambiguator(r);
		put_str(r, identifier_text(r));
	} else if (kind == 'M' || kind == 'X') {
		impl_path(r);
		path_in_brackets(r, kind == 'X');
	} else if (kind == 'Y') {
		path_in_brackets(r, true);
	} else if (kind == 'N') {
		nested_path(r, is_value);
	} else if (kind == 'I') {
		path(r, is_value);
		put(r, is_value ? "::<" : "<");
		generic_arguments(r);
		put(r, ">");
	} else if (kind == 'B') {
		backref(r, is_value ? value_path : type_path);
	} else {
		fail(r);
	}
	r->depth--;
}

static const char *const basic_types[26] = {
	"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
	"usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
	"i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
};

static void tuple(struct rust *r)
{
	unsigned count = 0;

	put(r, "(");
	for (; !r->has_failed && peek(r) != 'E'; count++) {
		put(r, count ? ", " : "");
		type(r);
	}
	put(r, count == 1 ? ",)" : ")");
	expect(r, 'E');
}

static void reference(struct rust *r, const char *mut)
{
	put(r, "&");
	if (take(r, 'L')) {
		uint64_t lifetime = base62(r);

		if (lifetime) {
			put_lifetime(r, lifetime);
			put(r, " ");
		}
	}
	put(r, mut);
	type(r);
}

/* "for<'a, 'b> " */
static void binder(struct rust *r)
{
	uint64_t count = take(r, 'G') ? base62(r) + 1 : 0;

	if (count > r->end - r->at)
		fail(r);
	if (!count || r->has_failed)
		return;
	step(r, count);
	put(r, "for<");
	for (uint64_t i = 0; i < count; i++) {
		put(r, i ? ", " : "");
		r->lifetimes++;
		put_lifetime(r, 1);
	}
	put(r, "> ");
}

static void put_abi(struct rust *r)
{
	struct str name;

	if (take(r, 'C')) {
		put(r, "extern \"C\" ");
		return;
	}
	name = identifier_text(r);
	put(r, "extern \"");
	for (size_t i = 0; i < name.len; i++)
		put_str(r,
			name.ptr[i] == '_' ? STR("-") : str_slice(name, i, 1));
	put(r, "\" ");
}

static void function_type(struct rust *r)
{
	binder(r);
	if (take(r, 'U'))
		put(r, "unsafe ");
	if (take(r, 'K'))
		put_abi(r);
	put(r, "fn(");
	for (unsigned i = 0; !r->has_failed && peek(r) != 'E'; i++) {
		put(r, i ? ", " : "");
		type(r);
	}
	expect(r, 'E');
	put(r, ")");
	if (take(r, 'u'))
		return;
	put(r, " -> ");
	type(r);
}

/* Leaves the generic arguments open, for associated types that follow. */
static bool trait_path(struct rust *r)
{
	bool is_open = false;

	if (!enter(r))
		return false;
	if (peek(r) == 'I') {
		r->at++;
		path(r, false);
		put(r, "<");
		generic_arguments(r);
		is_open = true;
	} else if (peek(r) == 'B') {
		size_t at = r->at;
		uint64_t target;

		/* Depends on the target of the reference. */
		r->at++;
		target = base62(r);
		is_open = !r->has_failed && !r->is_silent && target < at &&
			  r->in.ptr[target] == 'I';
		r->at = at;
		if (is_open) {
			size_t end = r->end, next;

			r->at++;
			base62(r);
			next = r->at;
			r->at = (size_t)target;
			r->end = at;
			is_open = trait_path(r);
			step(r, r->at - (size_t)target);
			r->at = next;
			r->end = end;
			if (r->has_failed)
				fail(r);
		} else {
			path(r, false);
		}
	} else {
		path(r, false);
	}
	r->depth--;
	return is_open;
}

static void dyn_trait(struct rust *r)
{
	bool is_open = trait_path(r);

	while (take(r, 'p')) {
		put(r, is_open ? ", " : "<");
		is_open = true;
		put_str(r, identifier_text(r));
		put(r, " = ");
		type(r);
	}
	if (is_open)
		put(r, ">");
}

static void dyn_bounds(struct rust *r)
{
	put(r, "dyn ");
	binder(r);
	for (unsigned i = 0; !r->has_failed && peek(r) != 'E'; i++) {
		put(r, i ? " + " : "");
		dyn_trait(r);
	}
	expect(r, 'E');
}

static void dyn_lifetime(struct rust *r)
{
	uint64_t lifetime;

	expect(r, 'L');
	lifetime = base62(r);
	if (!lifetime)
		return;
	put(r, " + ");
	put_lifetime(r, lifetime);
}

static void array(struct rust *r, bool has_length)
{
	put(r, "[");
	type(r);
	if (has_length) {
		put(r, "; ");
		constant(r);
	}
	put(r, "]");
}

static void compound_type(struct rust *r, char kind)
{
	uint64_t lifetimes = r->lifetimes;

	switch (kind) {
	case 'A':
	case 'S':
		array(r, kind == 'A');
		break;
	case 'T':
		tuple(r);
		break;
	case 'R':
	case 'Q':
		reference(r, kind == 'Q' ? "mut " : "");
		break;
	case 'P':
	case 'O':
		put(r, kind == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F':
		function_type(r);
		r->lifetimes = lifetimes;
		break;
	case 'D':
		dyn_bounds(r);
		r->lifetimes = lifetimes;
		dyn_lifetime(r);
		break;
	case 'B':
		backref(r, type);
		break;
	default:
		r->at--;
		path(r, false);
	}
}

static void type(struct rust *r)
{
	char kind;

	if (!enter(r))
		return;
	kind = take_any(r);
	if (kind >= 'a' && kind <= 'z') {
		const char *name = basic_types[kind - 'a'];

		if (name)
			put(r, name);
		else
			fail(r);
	} else if (!r->has_failed) {
		compound_type(r, kind);
	}
	r->depth--;
}

bool rust_demangle(struct str name, struct buf *out, uint64_t *steps)
{
	size_t dot = str_find(name, STR("."));
	struct rust r = { .out = out };

	if (!str_starts(name, STR("_R")))
		return false;
	r.in = str_slice(str_slice(name, 0, dot), 2, name.len);
	r.end = r.in.len;
	if (ascii_is_digit(peek(&r)))
		return false;
	path(&r, true);
	/* The instantiating crate. */
	r.is_silent = true;
	if (!r.has_failed && r.at < r.end)
		path(&r, false);
	*steps += r.steps;
	return !r.has_failed && r.at == r.end;
}

/* Rust's legacy mangling: an Itanium name with a hash as its last part, and
 * escapes for characters not allowed in identifiers. */

/* "17h", sixteen hexadecimal digits, "E". */
#define HASH_BYTES 20
/* Minimum number of distinct digits in a hash. */
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

/* Removes "_ZN" and the hash; a suffix ("E.llvm.123") comes from the linker. */
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

/* Reads "$LT$" or "$u7e$"; returns its length, 0 if it is none. */
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
