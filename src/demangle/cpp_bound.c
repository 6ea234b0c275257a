/* SPDX-License-Identifier: Apache-2.0
 *
 * Upper bound of the length that a C++ name expands into, by the grammar of the
 * Itanium C++ ABI, section 5.1. Back references are not resolved: each counts
 * as the largest component before it, so that no mistake in numbering
 * components makes the bound too small.
 *
 * Parsing never aborts: after an error the rest looks like the end of the name.
 */
#include "demangle/cpp.h"

#include "base/limits.h"
#include "base/num.h"

/* The longest expansions of a code: "unsigned long long",
 * "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
 * "operator reinterpret_cast". */
enum { BUILTIN = 20, ABBREVIATION = 80, OPERATOR = 30 };

struct bound {
	struct str in;
	size_t at;
	bool has_failed;
	unsigned depth;
	uint64_t bytes;
	uint64_t largest;   /* of the completed components */
	uint64_t arguments; /* the most in one list */
	/* Parameters of a conversion operator, which come before their
	 * definition. */
	bool is_conversion;
	uint64_t pending;
	bool had_pending, is_local;
	size_t qualifiers_at, qualifiers;
};

static void type(struct bound *b);
static void name(struct bound *b);
static void encoding(struct bound *b);
static void expression(struct bound *b);

/* ---- helpers ---- */

static void fail(struct bound *b)
{
	b->has_failed = true;
	b->at = b->in.len;
}

static void add(struct bound *b, uint64_t bytes)
{
	b->bytes += bytes;
	if (b->bytes > LIMIT_UNFOLDED_BYTES)
		fail(b);
}

/* Returns '\0' at the end. */
static char peek(const struct bound *b, size_t ahead)
{
	return b->in.len - b->at > ahead ? b->in.ptr[b->at + ahead] : '\0';
}

static bool take(struct bound *b, char c)
{
	if (b->at == b->in.len || b->in.ptr[b->at] != c)
		return false;
	b->at++;
	return true;
}

static void expect(struct bound *b, char c)
{
	if (!take(b, c))
		fail(b);
}

static void skip(struct bound *b)
{
	b->at += b->at < b->in.len;
}

static bool take_two(struct bound *b, const char *two)
{
	if (peek(b, 0) != two[0] || peek(b, 1) != two[1])
		return false;
	b->at += 2;
	return true;
}

static bool is_within(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool enter(struct bound *b)
{
	if (b->depth >= LIMIT_MANGLED_DEPTH)
		fail(b);
	add(b, 1);
	if (b->has_failed)
		return false;
	b->depth++;
	return true;
}

/* Completes the component that began at this byte. */
static void complete(struct bound *b, uint64_t start)
{
	if (b->bytes - start > b->largest)
		b->largest = b->bytes - start;
}

static void until_end(struct bound *b, void (*part)(struct bound *b), char end)
{
	while (!b->has_failed && !take(b, end))
		part(b);
}

/* ---- numbers and plain names ---- */

static uint64_t number(struct bound *b)
{
	uint64_t value = 0;

	take(b, 'n');
	if (!ascii_is_digit(peek(b, 0)))
		fail(b);
	while (ascii_is_digit(peek(b, 0))) {
		value = value * 10 + (uint64_t)(b->in.ptr[b->at++] - '0');
		if (value > INT32_MAX)
			fail(b);
	}
	add(b, 10);
	return value;
}

/* "_", "0_" */
static void compact_number(struct bound *b)
{
	if (ascii_is_digit(peek(b, 0)))
		number(b);
	expect(b, '_');
}

static void source_name(struct bound *b)
{
	uint64_t len = number(b);

	if (len == 0 || len > b->in.len - b->at) {
		fail(b);
		return;
	}
	/* "(anonymous namespace)" is longer than its mangled form. */
	add(b, len + 24);
	b->at += len;
}

/* "_2" or "__12_"; Clang omits the final underscore at the end of a name. */
static void discriminator(struct bound *b)
{
	bool is_long;

	if (!take(b, '_')) {
		while (b->at < b->in.len && ascii_is_digit(peek(b, 0)))
			skip(b);
		return;
	}
	is_long = take(b, '_');
	if (number(b) >= 10 && is_long)
		expect(b, '_');
}

/* ---- references ---- */

static void template_parameter(struct bound *b)
{
	expect(b, 'T');
	if (take(b, 'L'))
		compact_number(b);
	compact_number(b);
	if (b->is_conversion)
		b->pending++;
	add(b, b->largest + BUILTIN);
}

static void substitution(struct bound *b)
{
	char c;

	expect(b, 'S');
	c = peek(b, 0);
	if (is_within(c, "tabsiod")) {
		skip(b);
		add(b, ABBREVIATION);
		return;
	}
	while (ascii_is_digit(peek(b, 0)) || ascii_is_upper(peek(b, 0)))
		skip(b);
	expect(b, '_');
	add(b, b->largest);
}

/* ---- template arguments ---- */

/* "Ty", "Tn type"...: a parameter of a generic lambda. */
static bool template_declaration(struct bound *b)
{
	while (take_two(b, "Tp"))
		;
	if (take_two(b, "Ty")) {
		add(b, BUILTIN);
		return true;
	}
	if (take_two(b, "Tk")) {
		name(b);
		return true;
	}
	if (!take_two(b, "Tn"))
		return false;
	type(b);
	return true;
}

static void arguments(struct bound *b);

static void argument(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!enter(b))
		return;
	switch (peek(b, 0)) {
	case 'X':
		skip(b);
		expression(b);
		expect(b, 'E');
		break;
	case 'L':
		expression(b);
		break;
	case 'I':
	case 'J':
		arguments(b);
		break;
	default:
		type(b);
	}
	complete(b, start);
	b->depth--;
}

/* Resolves the parameters of a conversion operator, once their definition was
 * read. */
static void settle_pending(struct bound *b)
{
	/* With two of them one could refer to the other. */
	if (b->pending && b->had_pending)
		fail(b);
	b->had_pending |= b->pending > 0;
	if (b->pending)
		add(b, b->pending * b->largest * (b->arguments + 1));
	b->pending = 0;
}

static void arguments(struct bound *b)
{
	uint64_t count = 0;

	skip(b);
	while (!b->has_failed && !take(b, 'E')) {
		argument(b);
		add(b, 2);
		count++;
	}
	if (count > b->arguments)
		b->arguments = count;
	if (!b->is_conversion)
		settle_pending(b);
}

static void maybe_arguments(struct bound *b)
{
	if (peek(b, 0) == 'I')
		arguments(b);
}

/* ---- names ---- */

static bool is_end_of_parameters(const struct bound *b)
{
	char c = peek(b, 0);

	return c == '\0' || c == 'E' || c == '.' ||
	       (is_within(c, "RO") && peek(b, 1) == 'E');
}

static void parameters(struct bound *b)
{
	while (!is_end_of_parameters(b)) {
		type(b);
		add(b, 2);
	}
}

static void operator_name(struct bound *b)
{
	bool was_conversion = b->is_conversion;

	/* "operator T", where the definition of T may follow. */
	if (take_two(b, "cv")) {
		b->is_conversion = true;
		type(b);
		b->is_conversion = was_conversion;
		return;
	}
	if (take_two(b, "li") ||
	    (peek(b, 0) == 'v' && ascii_is_digit(peek(b, 1)) && take(b, 'v') &&
	     take(b, peek(b, 0)))) {
		source_name(b);
	} else {
		skip(b);
		if (!ascii_is_letter(peek(b, 0)))
			fail(b);
		else
			skip(b);
	}
	add(b, OPERATOR);
}

static void closure(struct bound *b)
{
	while (template_declaration(b))
		;
	parameters(b);
	expect(b, 'E');
	compact_number(b);
	add(b, OPERATOR);
}

static void unqualified(struct bound *b)
{
	char c;

	take(b, 'F');
	c = peek(b, 0);
	if (ascii_is_digit(c)) {
		source_name(b);
	} else if (ascii_is_lower(c)) {
		operator_name(b);
	} else if (take_two(b, "DC")) {
		until_end(b, source_name, 'E');
	} else if (take(b, 'L')) {
		source_name(b);
		if (peek(b, 0) == '_')
			discriminator(b);
	} else if (take_two(b, "Ul")) {
		closure(b);
	} else if (take_two(b, "Ut") || take_two(b, "Ub")) {
		compact_number(b);
		add(b, OPERATOR);
	} else {
		fail(b);
	}
	while (take(b, 'B'))
		source_name(b);
}

/* A constructor repeats the preceding name. */
static void structor(struct bound *b)
{
	bool is_inherited;

	skip(b);
	is_inherited = take(b, 'I');
	if (!ascii_is_digit(peek(b, 0))) {
		fail(b);
		return;
	}
	skip(b);
	if (is_inherited)
		type(b);
	add(b, b->largest);
	while (take(b, 'B'))
		source_name(b);
}

static void prefix_part(struct bound *b)
{
	char c = peek(b, 0), next = peek(b, 1);

	if (c == 'S')
		substitution(b);
	else if (c == 'T')
		template_parameter(b);
	else if (c == 'D' && is_within(next, "Tt"))
		type(b);
	else if (c == 'C' || (c == 'D' && next != 'C'))
		structor(b);
	else if (c == 'I' || c == 'J')
		arguments(b);
	/* The scope of a lambda in a variable. */
	else if (!take(b, 'M'))
		unqualified(b);
	add(b, 2);
}

static void nested_name(struct bound *b)
{
	uint64_t start = b->bytes;
	size_t at = ++b->at, qualifiers;

	while (is_within(peek(b, 0), "rVKROH")) {
		skip(b);
		add(b, 9);
	}
	qualifiers = b->at - at;
	while (!b->has_failed && !take(b, 'E')) {
		prefix_part(b);
		complete(b, start);
	}
	b->qualifiers_at = at;
	b->qualifiers = qualifiers;
}

static void local_name(struct bound *b)
{
	skip(b);
	b->is_local = true;
	encoding(b);
	expect(b, 'E');
	if (take(b, 's')) {
		add(b, BUILTIN);
	} else {
		if (take(b, 'd')) {
			compact_number(b);
			add(b, BUILTIN);
		}
		name(b);
	}
	discriminator(b);
}

static void name(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!enter(b))
		return;
	switch (peek(b, 0)) {
	case 'N':
		nested_name(b);
		break;
	case 'Z':
		local_name(b);
		break;
	default:
		if (peek(b, 0) == 'S' && peek(b, 1) != 't') {
			substitution(b);
		} else {
			if (take_two(b, "St"))
				add(b, 5);
			unqualified(b);
		}
		complete(b, start);
		maybe_arguments(b);
		b->qualifiers = 0;
	}
	complete(b, start);
	b->depth--;
}

/* ---- types ---- */

static void array_or_vector(struct bound *b)
{
	if (ascii_is_digit(peek(b, 0)))
		number(b);
	else if (peek(b, 0) != '_')
		expression(b);
	expect(b, '_');
	type(b);
	add(b, BUILTIN);
}

static void type_after_d(struct bound *b)
{
	uint64_t start = b->bytes;
	char code;

	skip(b);
	code = peek(b, 0);
	expect(b, code);
	switch (code) {
	case 'T':
	case 't':
		expression(b);
		expect(b, 'E');
		break;
	case 'p': /* once for each element of a pack */
		type(b);
		add(b, (b->bytes - start + 2) * b->arguments);
		break;
	case 'v':
		if (take(b, '_'))
			expression(b);
		array_or_vector(b);
		break;
	case 'F':
		number(b);
		if (!take(b, '_') && !take(b, 'x'))
			expect(b, 'b');
		break;
	case 'O':
		expression(b);
		expect(b, 'E');
		type(b);
		break;
	case 'w':
		until_end(b, type, 'E');
		type(b);
		break;
	case 'o':
	case 'x':
		type(b);
		break;
	default:
		if (!is_within(code, "acdefhinsu"))
			fail(b);
	}
	add(b, BUILTIN);
}

static void function_type(struct bound *b)
{
	skip(b);
	take(b, 'Y');
	type(b);
	parameters(b);
	if (!take(b, 'R'))
		take(b, 'O');
	expect(b, 'E');
	add(b, BUILTIN);
}

static void type_of(struct bound *b, char c)
{
	if (is_within(c, "PROKVrCG")) {
		skip(b);
		type(b);
	} else if (is_within(c, "vwbcahstijlmxynofdegz")) {
		skip(b);
	} else if (c == 'D') {
		type_after_d(b);
	} else if (c == 'F') {
		function_type(b);
	} else if (c == 'A') {
		skip(b);
		array_or_vector(b);
	} else if (c == 'M') {
		skip(b);
		type(b);
		type(b);
	} else if (c == 'T' && is_within(peek(b, 1), "sue")) {
		skip(b);
		skip(b);
		name(b);
	} else if (c == 'T') {
		template_parameter(b);
		/* Arguments after "operator T" may belong to the operator. */
		if (!b->is_conversion)
			maybe_arguments(b);
	} else if (c == 'u' || (c == 'U' && ascii_is_digit(peek(b, 1)))) {
		skip(b);
		source_name(b);
		maybe_arguments(b);
		if (c == 'U')
			type(b);
	} else {
		name(b);
	}
}

static void type(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!enter(b))
		return;
	type_of(b, peek(b, 0));
	add(b, BUILTIN);
	complete(b, start);
	b->depth--;
}

/* ---- expressions ---- */

static void literal(struct bound *b)
{
	skip(b);
	if (take(b, '_') || peek(b, 0) == 'Z') {
		expect(b, 'Z');
		encoding(b);
	} else {
		type(b);
		while (b->at < b->in.len && peek(b, 0) != 'E') {
			add(b, 1);
			skip(b);
		}
	}
	expect(b, 'E');
}

static void base_name(struct bound *b)
{
	if (take_two(b, "dn")) {
		type(b);
	} else if (ascii_is_digit(peek(b, 0))) {
		source_name(b);
	} else {
		take_two(b, "on");
		operator_name(b);
	}
	maybe_arguments(b);
}

static void level(struct bound *b)
{
	source_name(b);
	maybe_arguments(b);
}

static void unresolved(struct bound *b)
{
	char c = peek(b, 0);

	if (take(b, 'N')) {
		type(b);
		until_end(b, level, 'E');
	} else if (is_within(c, "TDS")) {
		type(b);
	} else if (ascii_is_digit(c)) {
		until_end(b, level, 'E');
	} else {
		type(b);
	}
	base_name(b);
}

/* "fp_", "fL0p_" */
static void function_parameter(struct bound *b)
{
	skip(b);
	if (take(b, 'L'))
		number(b);
	expect(b, 'p');
	if (take(b, 'T'))
		return;
	while (is_within(peek(b, 0), "rVK"))
		skip(b);
	compact_number(b);
	add(b, BUILTIN);
}

static void new_expression(struct bound *b)
{
	until_end(b, expression, '_');
	type(b);
	if (take_two(b, "pi") || take_two(b, "il"))
		until_end(b, expression, 'E');
	else
		expect(b, 'E');
}

/* Operands after the two letters of an operator: 'e' an expression, 't' a type,
 * 'l' expressions up to an end, 'n' a name, 'a' template arguments up to an
 * end. */
static const struct operation {
	char code[3];
	char operands[4];
} operations[] = {
	{ "aa", "ee" }, { "ad", "e" },   { "an", "ee" },  { "aN", "ee" },
	{ "aS", "ee" }, { "aw", "e" },   { "az", "e" },   { "at", "t" },
	{ "cc", "te" }, { "cl", "el" },  { "cp", "el" },  { "cm", "ee" },
	{ "co", "e" },  { "dV", "ee" },  { "dX", "eee" }, { "da", "e" },
	{ "dc", "te" }, { "de", "e" },   { "di", "ne" },  { "dl", "e" },
	{ "ds", "ee" }, { "dt", "en" },  { "dv", "ee" },  { "dx", "ee" },
	{ "eO", "ee" }, { "eo", "ee" },  { "eq", "ee" },  { "fl", "oe" },
	{ "fr", "oe" }, { "fL", "oee" }, { "fR", "oee" }, { "ge", "ee" },
	{ "gt", "ee" }, { "il", "l" },   { "ix", "ee" },  { "lS", "ee" },
	{ "le", "ee" }, { "ls", "ee" },  { "lt", "ee" },  { "mI", "ee" },
	{ "mL", "ee" }, { "mi", "ee" },  { "ml", "ee" },  { "mm", "e" },
	{ "ne", "ee" }, { "ng", "e" },   { "nt", "e" },   { "nx", "e" },
	{ "oR", "ee" }, { "oo", "ee" },  { "or", "ee" },  { "pL", "ee" },
	{ "pl", "ee" }, { "pm", "ee" },  { "pp", "e" },   { "ps", "e" },
	{ "pt", "en" }, { "qu", "eee" }, { "rM", "ee" },  { "rS", "ee" },
	{ "rc", "te" }, { "rm", "ee" },  { "rs", "ee" },  { "sP", "a" },
	{ "sZ", "e" },  { "sc", "te" },  { "sp", "e" },   { "sr", "u" },
	{ "ss", "ee" }, { "st", "t" },   { "sz", "e" },   { "te", "e" },
	{ "ti", "t" },  { "tl", "tl" },  { "tr", "" },    { "tw", "e" },
};

static void operand(struct bound *b, char what)
{
	switch (what) {
	case 'e':
		expression(b);
		break;
	case 't':
		type(b);
		break;
	case 'l':
		until_end(b, expression, 'E');
		break;
	case 'a':
		until_end(b, argument, 'E');
		break;
	case 'o':
		operator_name(b);
		break;
	case 'u':
		unresolved(b);
		break;
	default:
		take_two(b, "gs");
		if (take_two(b, "sr"))
			unresolved(b);
		else if (peek(b, 0) == 'L')
			literal(b);
		else
			base_name(b);
	}
}

static void operation(struct bound *b)
{
	for (size_t i = 0; i < COUNT_OF(operations); i++) {
		const struct operation *o = &operations[i];
		uint64_t start = b->bytes;

		if (!take_two(b, o->code))
			continue;
		if (is_within(o->code[0], "mp") && o->code[0] == o->code[1])
			take(b, '_');
		for (const char *c = o->operands; *c; c++)
			operand(b, *c);
		/* Packs: "sp", "sP", "sZ", folds. */
		if (is_within(o->code[0], "sf"))
			add(b, (b->bytes - start) * b->arguments);
		return;
	}
	fail(b);
}

static void expression_of(struct bound *b, char c, char next)
{
	if (c == 'L') {
		literal(b);
	} else if (c == 'T') {
		template_parameter(b);
	} else if (ascii_is_digit(c) || (c == 'o' && next == 'n')) {
		base_name(b);
	} else if (c == 'f' && (next == 'p' ||
				(next == 'L' && ascii_is_digit(peek(b, 2))))) {
		function_parameter(b);
	} else if (take_two(b, "cv")) {
		type(b);
		if (take(b, '_'))
			until_end(b, expression, 'E');
		else
			expression(b);
	} else if (take_two(b, "nw") || take_two(b, "na")) {
		new_expression(b);
	} else {
		operation(b);
	}
}

static void expression(struct bound *b)
{
	if (!enter(b))
		return;
	take_two(b, "gs");
	expression_of(b, peek(b, 0), peek(b, 1));
	add(b, OPERATOR);
	b->depth--;
}

/* ---- functions and entry point ---- */

static void call_offset(struct bound *b)
{
	bool is_virtual = take(b, 'v');

	if (!is_virtual)
		expect(b, 'h');
	number(b);
	expect(b, '_');
	if (is_virtual) {
		number(b);
		expect(b, '_');
	}
}

/* "vtable for", "guard variable for" and so on. */
static bool special(struct bound *b)
{
	if (peek(b, 0) != 'T' && peek(b, 0) != 'G')
		return false;
	add(b, OPERATOR);
	if (take_two(b, "Tc")) {
		call_offset(b);
		call_offset(b);
		encoding(b);
	} else if (peek(b, 0) == 'T' && is_within(peek(b, 1), "hv")) {
		skip(b);
		call_offset(b);
		encoding(b);
	} else if (peek(b, 0) == 'T' && is_within(peek(b, 1), "VTISFJ")) {
		skip(b);
		skip(b);
		type(b);
	} else if (take_two(b, "TH") || take_two(b, "TW") ||
		   take_two(b, "GV") || take_two(b, "GR")) {
		name(b);
		if (ascii_is_digit(peek(b, 0)) || peek(b, 0) == '_')
			compact_number(b);
	} else if (take_two(b, "GA") ||
		   (take_two(b, "GT") && (take(b, 't') || take(b, 'n')))) {
		encoding(b);
	} else {
		fail(b);
	}
	return true;
}

static void encoding(struct bound *b)
{
	if (!enter(b))
		return;
	if (!special(b)) {
		name(b);
		parameters(b);
	}
	b->depth--;
}

bool cpp_bound(struct str mangled, struct cpp_bound *bound)
{
	struct bound b = { .in = mangled, .at = 2, .arguments = 1 };

	if (special(&b))
		b.qualifiers = 0;
	else
		name(&b);
	bound->end = b.at;
	bound->qualifiers_at = b.qualifiers_at;
	bound->qualifiers = b.qualifiers;
	bound->bytes = b.bytes;
	return !b.has_failed && !b.pending && !(b.had_pending && b.is_local);
}
