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

static void rust_fail(struct rust *r)
{
	r->has_failed = true;
	r->at = r->end;
}

static char rust_peek(const struct rust *r)
{
	return r->at < r->end ? r->in.ptr[r->at] : '\0';
}

static bool rust_take(struct rust *r, char c)
{
	if (rust_peek(r) != c || r->at >= r->end)
		return false;
	r->at++;
	return true;
}

static char take_any(struct rust *r)
{
	char c = rust_peek(r);

	if (c == '\0')
		rust_fail(r);
	else
		r->at++;
	return c;
}

static void rust_expect(struct rust *r, char c)
{
	if (!rust_take(r, c))
		rust_fail(r);
}

static void rust_step(struct rust *r, size_t count)
{
	r->steps += count;
	if (r->steps > LIMIT_DEMANGLE_STEPS)
		rust_fail(r);
}

static bool rust_enter(struct rust *r)
{
	rust_step(r, 1);
	if (r->depth >= LIMIT_MANGLED_DEPTH || r->out->state != BUF_OK)
		rust_fail(r);
	if (r->has_failed)
		return false;
	r->depth++;
	return true;
}

static void rust_put(struct rust *r, const char *text)
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
static uint64_t rust_base62(struct rust *r)
{
	uint64_t value = 0;

	if (rust_take(r, '_'))
		return 0;
	for (;;) {
		char c = take_any(r);

		if (r->has_failed) {
			rust_fail(r);
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
			rust_fail(r);
	}
}

static uint64_t rust_disambiguator(struct rust *r)
{
	return rust_take(r, 's') ? rust_base62(r) + 1 : 0;
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

	rust_take(r, 'u');
	len = rust_length(str_slice(r->in, 0, r->end), &r->at);
	rust_take(r, '_');
	if (len > r->end - r->at) {
		rust_fail(r);
		return STR("");
	}
	text = str_slice(r->in, r->at, len);
	r->at += len;
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_')
			rust_fail(r);
	return text;
}

static void put_lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->lifetimes - index;

	if (index > r->lifetimes) {
		rust_fail(r);
	} else if (index == 0) {
		rust_put(r, "'_");
	} else if (depth < 26) {
		char text[3] = { '\'', (char)('a' + depth), '\0' };

		rust_put(r, text);
	} else {
		rust_put(r, "'z");
		put_number(r, depth - 26 + 1);
	}
}

/* ---- the grammar ---- */

static void rust_path(struct rust *r, bool is_value);
static void rust_type(struct rust *r);

/* Parses an earlier position again. */
static void rust_backref(struct rust *r, void (*read)(struct rust *r))
{
	size_t start = r->at - 1;
	uint64_t target = rust_base62(r);
	size_t at = r->at, end = r->end;

	if (r->has_failed || r->is_silent)
		return;
	if (target >= start) {
		rust_fail(r);
		return;
	}
	r->at = (size_t)target;
	r->end = start;
	read(r);
	/* Long texts in it are parsed again for every reference. */
	rust_step(r, r->at > target ? r->at - (size_t)target : 0);
	r->at = at;
	r->end = end;
	if (r->has_failed)
		rust_fail(r);
}

static void type_path(struct rust *r)
{
	rust_path(r, false);
}

static void value_path(struct rust *r)
{
	rust_path(r, true);
}

/* The path of an impl is parsed but not shown. */
static void impl_path(struct rust *r)
{
	bool was_silent = r->is_silent;

	r->is_silent = true;
	rust_disambiguator(r);
	rust_path(r, false);
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

	while (rust_hex(rust_peek(r)) >= 0)
		value = value << 4 | (uint64_t)rust_hex(take_any(r));
	digits = str_slice(r->in, start, r->at - start);
	rust_expect(r, '_');
	if (!digits.len || digits.len > 32)
		rust_fail(r);
	if (kind == 'b') {
		rust_put(r, value ? "true" : "false");
	} else if (kind == 'c') {
		if (!r->is_silent)
			buf_addf(r->out, "'\\u{%llx}'",
				 (unsigned long long)value);
	} else if (digits.len > 16) {
		rust_put(r, "0x");
		put_str(r, digits);
	} else {
		put_number(r, value);
	}
}

static void rust_constant(struct rust *r)
{
	char kind;

	if (!rust_enter(r))
		return;
	kind = take_any(r);
	if (kind == 'B') {
		rust_backref(r, rust_constant);
	} else if (kind == 'p') {
		rust_put(r, "_");
	} else if (kind && str_find(STR("aslxnihtmyojbc"),
				    (struct str){ &kind, 1 }) != SIZE_MAX) {
		if (rust_take(r, 'n'))
			rust_put(r, "-");
		digits_of_constant(r, kind);
	} else {
		rust_fail(r);
	}
	r->depth--;
}

static void generic_argument(struct rust *r)
{
	if (rust_take(r, 'L'))
		put_lifetime(r, rust_base62(r));
	else if (rust_take(r, 'K'))
		rust_constant(r);
	else
		rust_type(r);
}

/* Parsed but not shown, like template arguments in C++. */
static void generic_arguments(struct rust *r)
{
	bool was_silent = r->is_silent;

	r->is_silent = true;
	while (!r->has_failed && rust_peek(r) != 'E')
		generic_argument(r);
	rust_expect(r, 'E');
	r->is_silent = was_silent;
}

static void nested_path(struct rust *r, bool is_value)
{
	char space = take_any(r);
	bool is_special = space >= 'A' && space <= 'Z';
	uint64_t number;
	struct str name;

	if (!is_special && !(space >= 'a' && space <= 'z'))
		rust_fail(r);
	rust_path(r, is_value);
	number = rust_disambiguator(r);
	name = identifier_text(r);
	rust_put(r, "::");
	if (!is_special) {
		put_str(r, name);
		return;
	}
	rust_put(r, "{");
	if (space == 'C')
		rust_put(r, "closure");
	else if (space == 'S')
		rust_put(r, "shim");
	else
		put_str(r, (struct str){ &space, 1 });
	if (name.len)
		rust_put(r, ":");
	put_str(r, name);
	rust_put(r, "#");
	put_number(r, number);
	rust_put(r, "}");
}

static void path_in_brackets(struct rust *r, bool has_trait)
{
	rust_put(r, "<");
	rust_type(r);
	if (has_trait) {
		rust_put(r, " as ");
		rust_path(r, false);
	}
	rust_put(r, ">");
}

/* is_value: generic arguments follow "::". */
static void rust_path(struct rust *r, bool is_value)
{
	char kind;

	if (!rust_enter(r))
		return;
	kind = take_any(r);
	if (kind == 'C') {
		rust_disambiguator(r);
		put_str(r, identifier_text(r));
	} else if (kind == 'M' || kind == 'X') {
		impl_path(r);
		path_in_brackets(r, kind == 'X');
	} else if (kind == 'Y') {
		path_in_brackets(r, true);
	} else if (kind == 'N') {
		nested_path(r, is_value);
	} else if (kind == 'I') {
		rust_path(r, is_value);
		rust_put(r, is_value ? "::<" : "<");
		generic_arguments(r);
		rust_put(r, ">");
	} else if (kind == 'B') {
		rust_backref(r, is_value ? value_path : type_path);
	} else {
		rust_fail(r);
	}
	r->depth--;
}

static const char *const basic_types[26] = {
	"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
	"usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
	"i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
};

static void rust_tuple(struct rust *r)
{
	unsigned count = 0;

	rust_put(r, "(");
	for (; !r->has_failed && rust_peek(r) != 'E'; count++) {
		rust_put(r, count ? ", " : "");
		rust_type(r);
	}
	rust_put(r, count == 1 ? ",)" : ")");
	rust_expect(r, 'E');
}

static void rust_reference(struct rust *r, const char *mut)
{
	rust_put(r, "&");
	if (rust_take(r, 'L')) {
		uint64_t lifetime = rust_base62(r);

		if (lifetime) {
			put_lifetime(r, lifetime);
			rust_put(r, " ");
		}
	}
	rust_put(r, mut);
	rust_type(r);
}

/* "for<'a, 'b> " */
static void rust_binder(struct rust *r)
{
	uint64_t count = rust_take(r, 'G') ? rust_base62(r) + 1 : 0;

	if (count > r->end - r->at)
		rust_fail(r);
	if (!count || r->has_failed)
		return;
	rust_step(r, count);
	rust_put(r, "for<");
	for (uint64_t i = 0; i < count; i++) {
		rust_put(r, i ? ", " : "");
		r->lifetimes++;
		put_lifetime(r, 1);
	}
	rust_put(r, "> ");
}

static void put_abi(struct rust *r)
{
	struct str name;

	if (rust_take(r, 'C')) {
		rust_put(r, "extern \"C\" ");
		return;
	}
	name = identifier_text(r);
	rust_put(r, "extern \"");
	for (size_t i = 0; i < name.len; i++)
		put_str(r,
			name.ptr[i] == '_' ? STR("-") : str_slice(name, i, 1));
	rust_put(r, "\" ");
}

static void function_type(struct rust *r)
{
	rust_binder(r);
	if (rust_take(r, 'U'))
		rust_put(r, "unsafe ");
	if (rust_take(r, 'K'))
		put_abi(r);
	rust_put(r, "fn(");
	for (unsigned i = 0; !r->has_failed && rust_peek(r) != 'E'; i++) {
		rust_put(r, i ? ", " : "");
		rust_type(r);
	}
	rust_expect(r, 'E');
	rust_put(r, ")");
	if (rust_take(r, 'u'))
		return;
	rust_put(r, " -> ");
	rust_type(r);
}

/* Leaves the generic arguments open, for associated types that follow. */
static bool trait_path(struct rust *r)
{
	bool is_open = false;

	if (!rust_enter(r))
		return false;
	if (rust_peek(r) == 'I') {
		r->at++;
		rust_path(r, false);
		rust_put(r, "<");
		generic_arguments(r);
		is_open = true;
	} else if (rust_peek(r) == 'B') {
		size_t at = r->at;
		uint64_t target;

		/* Depends on the target of the reference. */
		r->at++;
		target = rust_base62(r);
		is_open = !r->has_failed && !r->is_silent && target < at &&
			  r->in.ptr[target] == 'I';
		r->at = at;
		if (is_open) {
			size_t end = r->end, next;

			r->at++;
			rust_base62(r);
			next = r->at;
			r->at = (size_t)target;
			r->end = at;
			is_open = trait_path(r);
			rust_step(r, r->at - (size_t)target);
			r->at = next;
			r->end = end;
			if (r->has_failed)
				rust_fail(r);
		} else {
			rust_path(r, false);
		}
	} else {
		rust_path(r, false);
	}
	r->depth--;
	return is_open;
}

static void dyn_trait(struct rust *r)
{
	bool is_open = trait_path(r);

	while (rust_take(r, 'p')) {
		rust_put(r, is_open ? ", " : "<");
		is_open = true;
		put_str(r, identifier_text(r));
		rust_put(r, " = ");
		rust_type(r);
	}
	if (is_open)
		rust_put(r, ">");
}

static void dyn_bounds(struct rust *r)
{
	rust_put(r, "dyn ");
	rust_binder(r);
	for (unsigned i = 0; !r->has_failed && rust_peek(r) != 'E'; i++) {
		rust_put(r, i ? " + " : "");
		dyn_trait(r);
	}
	rust_expect(r, 'E');
}

static void dyn_lifetime(struct rust *r)
{
	uint64_t lifetime;

	rust_expect(r, 'L');
	lifetime = rust_base62(r);
	if (!lifetime)
		return;
	rust_put(r, " + ");
	put_lifetime(r, lifetime);
}

static void rust_array(struct rust *r, bool has_length)
{
	rust_put(r, "[");
	rust_type(r);
	if (has_length) {
		rust_put(r, "; ");
		rust_constant(r);
	}
	rust_put(r, "]");
}

static void compound_type(struct rust *r, char kind)
{
	uint64_t lifetimes = r->lifetimes;

	switch (kind) {
	case 'A':
	case 'S':
		rust_array(r, kind == 'A');
		break;
	case 'T':
		rust_tuple(r);
		break;
	case 'R':
	case 'Q':
		rust_reference(r, kind == 'Q' ? "mut " : "");
		break;
	case 'P':
	case 'O':
		rust_put(r, kind == 'P' ? "*const " : "*mut ");
		rust_type(r);
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
		rust_backref(r, rust_type);
		break;
	default:
		r->at--;
		rust_path(r, false);
	}
}

static void rust_type(struct rust *r)
{
	char kind;

	if (!rust_enter(r))
		return;
	kind = take_any(r);
	if (kind >= 'a' && kind <= 'z') {
		const char *name = basic_types[kind - 'a'];

		if (name)
			rust_put(r, name);
		else
			rust_fail(r);
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
	if (ascii_is_digit(rust_peek(&r)))
		return false;
	rust_path(&r, true);
	/* The instantiating crate. */
	r.is_silent = true;
	if (!r.has_failed && r.at < r.end)
		rust_path(&r, false);
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
