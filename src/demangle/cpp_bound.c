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

static void bound_type(struct bound *b);
static void bound_name(struct bound *b);
static void bound_encoding(struct bound *b);
static void bound_expression(struct bound *b);

/* ---- helpers ---- */

static void bound_fail(struct bound *b)
{
	b->has_failed = true;
	b->at = b->in.len;
}

static void bound_add(struct bound *b, uint64_t bytes)
{
	b->bytes += bytes;
	if (b->bytes > LIMIT_UNFOLDED_BYTES)
		bound_fail(b);
}

/* Returns '\0' at the end. */
static char bound_peek(const struct bound *b, size_t ahead)
{
	return b->in.len - b->at > ahead ? b->in.ptr[b->at + ahead] : '\0';
}

static bool bound_take(struct bound *b, char c)
{
	if (b->at == b->in.len || b->in.ptr[b->at] != c)
		return false;
	b->at++;
	return true;
}

static void bound_expect(struct bound *b, char c)
{
	if (!bound_take(b, c))
		bound_fail(b);
}

static void bound_skip(struct bound *b)
{
	b->at += b->at < b->in.len;
}

static bool take_two(struct bound *b, const char *two)
{
	if (bound_peek(b, 0) != two[0] || bound_peek(b, 1) != two[1])
		return false;
	b->at += 2;
	return true;
}

static bool is_within(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool bound_enter(struct bound *b)
{
	if (b->depth >= LIMIT_MANGLED_DEPTH)
		bound_fail(b);
	bound_add(b, 1);
	if (b->has_failed)
		return false;
	b->depth++;
	return true;
}

/* Completes the component that began at this byte. */
static void bound_complete(struct bound *b, uint64_t start)
{
	if (b->bytes - start > b->largest)
		b->largest = b->bytes - start;
}

static void until_end(struct bound *b, void (*part)(struct bound *b), char end)
{
	while (!b->has_failed && !bound_take(b, end))
		part(b);
}

/* ---- numbers and plain names ---- */

static uint64_t bound_number(struct bound *b)
{
	uint64_t value = 0;

	bound_take(b, 'n');
	if (!ascii_is_digit(bound_peek(b, 0)))
		bound_fail(b);
	while (ascii_is_digit(bound_peek(b, 0))) {
		value = value * 10 + (uint64_t)(b->in.ptr[b->at++] - '0');
		if (value > INT32_MAX)
			bound_fail(b);
	}
	bound_add(b, 10);
	return value;
}

/* "_", "0_" */
static void compact_number(struct bound *b)
{
	if (ascii_is_digit(bound_peek(b, 0)))
		bound_number(b);
	bound_expect(b, '_');
}

static void source_name(struct bound *b)
{
	uint64_t len = bound_number(b);

	if (len == 0 || len > b->in.len - b->at) {
		bound_fail(b);
		return;
	}
	/* "(anonymous namespace)" is longer than its mangled form. */
	bound_add(b, len + 24);
	b->at += len;
}

/* "_2" or "__12_"; Clang omits the final underscore at the end of a name. */
static void bound_discriminator(struct bound *b)
{
	bool is_long;

	if (!bound_take(b, '_')) {
		while (b->at < b->in.len && ascii_is_digit(bound_peek(b, 0)))
			bound_skip(b);
		return;
	}
	is_long = bound_take(b, '_');
	if (bound_number(b) >= 10 && is_long)
		bound_expect(b, '_');
}

/* ---- references ---- */

static void template_parameter(struct bound *b)
{
	bound_expect(b, 'T');
	if (bound_take(b, 'L'))
		compact_number(b);
	compact_number(b);
	if (b->is_conversion)
		b->pending++;
	bound_add(b, b->largest + BUILTIN);
}

static void bound_substitution(struct bound *b)
{
	char c;

	bound_expect(b, 'S');
	c = bound_peek(b, 0);
	if (is_within(c, "tabsiod")) {
		bound_skip(b);
		bound_add(b, ABBREVIATION);
		return;
	}
	while (ascii_is_digit(bound_peek(b, 0)) ||
	       ascii_is_upper(bound_peek(b, 0)))
		bound_skip(b);
	bound_expect(b, '_');
	bound_add(b, b->largest);
}

/* ---- template arguments ---- */

/* "Ty", "Tn type"...: a parameter of a generic lambda. */
static bool template_declaration(struct bound *b)
{
	while (take_two(b, "Tp"))
		;
	if (take_two(b, "Ty")) {
		bound_add(b, BUILTIN);
		return true;
	}
	if (take_two(b, "Tk")) {
		bound_name(b);
		return true;
	}
	if (!take_two(b, "Tn"))
		return false;
	bound_type(b);
	return true;
}

static void bound_arguments(struct bound *b);

static void bound_argument(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!bound_enter(b))
		return;
	switch (bound_peek(b, 0)) {
	case 'X':
		bound_skip(b);
		bound_expression(b);
		bound_expect(b, 'E');
		break;
	case 'L':
		bound_expression(b);
		break;
	case 'I':
	case 'J':
		bound_arguments(b);
		break;
	default:
		bound_type(b);
	}
	bound_complete(b, start);
	b->depth--;
}

/* Resolves the parameters of a conversion operator, once their definition was
 * read. */
static void settle_pending(struct bound *b)
{
	/* With two of them one could refer to the other. */
	if (b->pending && b->had_pending)
		bound_fail(b);
	b->had_pending |= b->pending > 0;
	if (b->pending)
		bound_add(b, b->pending * b->largest * (b->arguments + 1));
	b->pending = 0;
}

static void bound_arguments(struct bound *b)
{
	uint64_t count = 0;

	bound_skip(b);
	while (!b->has_failed && !bound_take(b, 'E')) {
		bound_argument(b);
		bound_add(b, 2);
		count++;
	}
	if (count > b->arguments)
		b->arguments = count;
	if (!b->is_conversion)
		settle_pending(b);
}

static void maybe_arguments(struct bound *b)
{
	if (bound_peek(b, 0) == 'I')
		bound_arguments(b);
}

/* ---- names ---- */

static bool is_end_of_parameters(const struct bound *b)
{
	char c = bound_peek(b, 0);

	return c == '\0' || c == 'E' || c == '.' ||
	       (is_within(c, "RO") && bound_peek(b, 1) == 'E');
}

static void bound_parameters(struct bound *b)
{
	while (!is_end_of_parameters(b)) {
		bound_type(b);
		bound_add(b, 2);
	}
}

static void operator_name(struct bound *b)
{
	bool was_conversion = b->is_conversion;

	/* "operator T", where the definition of T may follow. */
	if (take_two(b, "cv")) {
		b->is_conversion = true;
		bound_type(b);
		b->is_conversion = was_conversion;
		return;
	}
	if (take_two(b, "li") ||
	    (bound_peek(b, 0) == 'v' && ascii_is_digit(bound_peek(b, 1)) &&
	     bound_take(b, 'v') && bound_take(b, bound_peek(b, 0)))) {
		source_name(b);
	} else {
		bound_skip(b);
		if (!ascii_is_letter(bound_peek(b, 0)))
			bound_fail(b);
		else
			bound_skip(b);
	}
	bound_add(b, OPERATOR);
}

static void bound_closure(struct bound *b)
{
	while (template_declaration(b))
		;
	bound_parameters(b);
	bound_expect(b, 'E');
	compact_number(b);
	bound_add(b, OPERATOR);
}

static void bound_unqualified(struct bound *b)
{
	char c;

	bound_take(b, 'F');
	c = bound_peek(b, 0);
	if (ascii_is_digit(c)) {
		source_name(b);
	} else if (ascii_is_lower(c)) {
		operator_name(b);
	} else if (take_two(b, "DC")) {
		until_end(b, source_name, 'E');
	} else if (bound_take(b, 'L')) {
		source_name(b);
		if (bound_peek(b, 0) == '_')
			bound_discriminator(b);
	} else if (take_two(b, "Ul")) {
		bound_closure(b);
	} else if (take_two(b, "Ut") || take_two(b, "Ub")) {
		compact_number(b);
		bound_add(b, OPERATOR);
	} else {
		bound_fail(b);
	}
	while (bound_take(b, 'B'))
		source_name(b);
}

/* A constructor repeats the preceding name. */
static void bound_structor(struct bound *b)
{
	bool is_inherited;

	bound_skip(b);
	is_inherited = bound_take(b, 'I');
	if (!ascii_is_digit(bound_peek(b, 0))) {
		bound_fail(b);
		return;
	}
	bound_skip(b);
	if (is_inherited)
		bound_type(b);
	bound_add(b, b->largest);
	while (bound_take(b, 'B'))
		source_name(b);
}

static void prefix_part(struct bound *b)
{
	char c = bound_peek(b, 0), next = bound_peek(b, 1);

	if (c == 'S')
		bound_substitution(b);
	else if (c == 'T')
		template_parameter(b);
	else if (c == 'D' && is_within(next, "Tt"))
		bound_type(b);
	else if (c == 'C' || (c == 'D' && next != 'C'))
		bound_structor(b);
	else if (c == 'I' || c == 'J')
		bound_arguments(b);
	/* The scope of a lambda in a variable. */
	else if (!bound_take(b, 'M'))
		bound_unqualified(b);
	bound_add(b, 2);
}

static void nested_name(struct bound *b)
{
	uint64_t start = b->bytes;
	size_t at = ++b->at, qualifiers;

	while (is_within(bound_peek(b, 0), "rVKROH")) {
		bound_skip(b);
		bound_add(b, 9);
	}
	qualifiers = b->at - at;
	while (!b->has_failed && !bound_take(b, 'E')) {
		prefix_part(b);
		bound_complete(b, start);
	}
	b->qualifiers_at = at;
	b->qualifiers = qualifiers;
}

static void local_name(struct bound *b)
{
	bound_skip(b);
	b->is_local = true;
	bound_encoding(b);
	bound_expect(b, 'E');
	if (bound_take(b, 's')) {
		bound_add(b, BUILTIN);
	} else {
		if (bound_take(b, 'd')) {
			compact_number(b);
			bound_add(b, BUILTIN);
		}
		bound_name(b);
	}
	bound_discriminator(b);
}

static void bound_name(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!bound_enter(b))
		return;
	switch (bound_peek(b, 0)) {
	case 'N':
		nested_name(b);
		break;
	case 'Z':
		local_name(b);
		break;
	default:
		if (bound_peek(b, 0) == 'S' && bound_peek(b, 1) != 't') {
			bound_substitution(b);
		} else {
			if (take_two(b, "St"))
				bound_add(b, 5);
			bound_unqualified(b);
		}
		bound_complete(b, start);
		maybe_arguments(b);
		b->qualifiers = 0;
	}
	bound_complete(b, start);
	b->depth--;
}

/* ---- types ---- */

static void array_or_vector(struct bound *b)
{
	if (ascii_is_digit(bound_peek(b, 0)))
		bound_number(b);
	else if (bound_peek(b, 0) != '_')
		bound_expression(b);
	bound_expect(b, '_');
	bound_type(b);
	bound_add(b, BUILTIN);
}

static void type_after_d(struct bound *b)
{
	uint64_t start = b->bytes;
	char code;

	bound_skip(b);
	code = bound_peek(b, 0);
	bound_expect(b, code);
	switch (code) {
	case 'T':
	case 't':
		bound_expression(b);
		bound_expect(b, 'E');
		break;
	case 'p': /* once for each element of a pack */
		bound_type(b);
		bound_add(b, (b->bytes - start + 2) * b->arguments);
		break;
	case 'v':
		if (bound_take(b, '_'))
			bound_expression(b);
		array_or_vector(b);
		break;
	case 'F':
		bound_number(b);
		if (!bound_take(b, '_') && !bound_take(b, 'x'))
			bound_expect(b, 'b');
		break;
	case 'O':
		bound_expression(b);
		bound_expect(b, 'E');
		bound_type(b);
		break;
	case 'w':
		until_end(b, bound_type, 'E');
		bound_type(b);
		break;
	case 'o':
	case 'x':
		bound_type(b);
		break;
	default:
		if (!is_within(code, "acdefhinsu"))
			bound_fail(b);
	}
	bound_add(b, BUILTIN);
}

static void function_type(struct bound *b)
{
	bound_skip(b);
	bound_take(b, 'Y');
	bound_type(b);
	bound_parameters(b);
	if (!bound_take(b, 'R'))
		bound_take(b, 'O');
	bound_expect(b, 'E');
	bound_add(b, BUILTIN);
}

static void type_of(struct bound *b, char c)
{
	if (is_within(c, "PROKVrCG")) {
		bound_skip(b);
		bound_type(b);
	} else if (is_within(c, "vwbcahstijlmxynofdegz")) {
		bound_skip(b);
	} else if (c == 'D') {
		type_after_d(b);
	} else if (c == 'F') {
		function_type(b);
	} else if (c == 'A') {
		bound_skip(b);
		array_or_vector(b);
	} else if (c == 'M') {
		bound_skip(b);
		bound_type(b);
		bound_type(b);
	} else if (c == 'T' && is_within(bound_peek(b, 1), "sue")) {
		bound_skip(b);
		bound_skip(b);
		bound_name(b);
	} else if (c == 'T') {
		template_parameter(b);
		/* Arguments after "operator T" may belong to the operator. */
		if (!b->is_conversion)
			maybe_arguments(b);
	} else if (c == 'u' || (c == 'U' && ascii_is_digit(bound_peek(b, 1)))) {
		bound_skip(b);
		source_name(b);
		maybe_arguments(b);
		if (c == 'U')
			bound_type(b);
	} else {
		bound_name(b);
	}
}

static void bound_type(struct bound *b)
{
	uint64_t start = b->bytes;

	if (!bound_enter(b))
		return;
	type_of(b, bound_peek(b, 0));
	bound_add(b, BUILTIN);
	bound_complete(b, start);
	b->depth--;
}

/* ---- expressions ---- */

static void bound_literal(struct bound *b)
{
	bound_skip(b);
	if (bound_take(b, '_') || bound_peek(b, 0) == 'Z') {
		bound_expect(b, 'Z');
		bound_encoding(b);
	} else {
		bound_type(b);
		while (b->at < b->in.len && bound_peek(b, 0) != 'E') {
			bound_add(b, 1);
			bound_skip(b);
		}
	}
	bound_expect(b, 'E');
}

static void base_name(struct bound *b)
{
	if (take_two(b, "dn")) {
		bound_type(b);
	} else if (ascii_is_digit(bound_peek(b, 0))) {
		source_name(b);
	} else {
		take_two(b, "on");
		operator_name(b);
	}
	maybe_arguments(b);
}

static void bound_level(struct bound *b)
{
	source_name(b);
	maybe_arguments(b);
}

static void bound_unresolved(struct bound *b)
{
	char c = bound_peek(b, 0);

	if (bound_take(b, 'N')) {
		bound_type(b);
		until_end(b, bound_level, 'E');
	} else if (is_within(c, "TDS")) {
		bound_type(b);
	} else if (ascii_is_digit(c)) {
		until_end(b, bound_level, 'E');
	} else {
		bound_type(b);
	}
	base_name(b);
}

/* "fp_", "fL0p_" */
static void function_parameter(struct bound *b)
{
	bound_skip(b);
	if (bound_take(b, 'L'))
		bound_number(b);
	bound_expect(b, 'p');
	if (bound_take(b, 'T'))
		return;
	while (is_within(bound_peek(b, 0), "rVK"))
		bound_skip(b);
	compact_number(b);
	bound_add(b, BUILTIN);
}

static void new_expression(struct bound *b)
{
	until_end(b, bound_expression, '_');
	bound_type(b);
	if (take_two(b, "pi") || take_two(b, "il"))
		until_end(b, bound_expression, 'E');
	else
		bound_expect(b, 'E');
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

static void bound_operand(struct bound *b, char what)
{
	switch (what) {
	case 'e':
		bound_expression(b);
		break;
	case 't':
		bound_type(b);
		break;
	case 'l':
		until_end(b, bound_expression, 'E');
		break;
	case 'a':
		until_end(b, bound_argument, 'E');
		break;
	case 'o':
		operator_name(b);
		break;
	case 'u':
		bound_unresolved(b);
		break;
	default:
		take_two(b, "gs");
		if (take_two(b, "sr"))
			bound_unresolved(b);
		else if (bound_peek(b, 0) == 'L')
			bound_literal(b);
		else
			base_name(b);
	}
}

static void bound_operation(struct bound *b)
{
	for (size_t i = 0; i < COUNT_OF(operations); i++) {
		const struct operation *o = &operations[i];
		uint64_t start = b->bytes;

		if (!take_two(b, o->code))
			continue;
		if (is_within(o->code[0], "mp") && o->code[0] == o->code[1])
			bound_take(b, '_');
		for (const char *c = o->operands; *c; c++)
			bound_operand(b, *c);
		/* Packs: "sp", "sP", "sZ", folds. */
		if (is_within(o->code[0], "sf"))
			bound_add(b, (b->bytes - start) * b->arguments);
		return;
	}
	bound_fail(b);
}

static void expression_of(struct bound *b, char c, char next)
{
	if (c == 'L') {
		bound_literal(b);
	} else if (c == 'T') {
		template_parameter(b);
	} else if (ascii_is_digit(c) || (c == 'o' && next == 'n')) {
		base_name(b);
	} else if (c == 'f' &&
		   (next == 'p' ||
		    (next == 'L' && ascii_is_digit(bound_peek(b, 2))))) {
		function_parameter(b);
	} else if (take_two(b, "cv")) {
		bound_type(b);
		if (bound_take(b, '_'))
			until_end(b, bound_expression, 'E');
		else
			bound_expression(b);
	} else if (take_two(b, "nw") || take_two(b, "na")) {
		new_expression(b);
	} else {
		bound_operation(b);
	}
}

static void bound_expression(struct bound *b)
{
	if (!bound_enter(b))
		return;
	take_two(b, "gs");
	expression_of(b, bound_peek(b, 0), bound_peek(b, 1));
	bound_add(b, OPERATOR);
	b->depth--;
}

/* ---- functions and entry point ---- */

static void call_offset(struct bound *b)
{
	bool is_virtual = bound_take(b, 'v');

	if (!is_virtual)
		bound_expect(b, 'h');
	bound_number(b);
	bound_expect(b, '_');
	if (is_virtual) {
		bound_number(b);
		bound_expect(b, '_');
	}
}

/* "vtable for", "guard variable for" and so on. */
static bool bound_special(struct bound *b)
{
	if (bound_peek(b, 0) != 'T' && bound_peek(b, 0) != 'G')
		return false;
	bound_add(b, OPERATOR);
	if (take_two(b, "Tc")) {
		call_offset(b);
		call_offset(b);
		bound_encoding(b);
	} else if (bound_peek(b, 0) == 'T' &&
		   is_within(bound_peek(b, 1), "hv")) {
		bound_skip(b);
		call_offset(b);
		bound_encoding(b);
	} else if (bound_peek(b, 0) == 'T' &&
		   is_within(bound_peek(b, 1), "VTISFJ")) {
		bound_skip(b);
		bound_skip(b);
		bound_type(b);
	} else if (take_two(b, "TH") || take_two(b, "TW") ||
		   take_two(b, "GV") || take_two(b, "GR")) {
		bound_name(b);
		if (ascii_is_digit(bound_peek(b, 0)) || bound_peek(b, 0) == '_')
			compact_number(b);
	} else if (take_two(b, "GA") ||
		   (take_two(b, "GT") &&
		    (bound_take(b, 't') || bound_take(b, 'n')))) {
		bound_encoding(b);
	} else {
		bound_fail(b);
	}
	return true;
}

static void bound_encoding(struct bound *b)
{
	if (!bound_enter(b))
		return;
	if (!bound_special(b)) {
		bound_name(b);
		bound_parameters(b);
	}
	b->depth--;
}

bool cpp_bound(struct str mangled, struct cpp_bound *bound)
{
	struct bound b = { .in = mangled, .at = 2, .arguments = 1 };

	if (bound_special(&b))
		b.qualifiers = 0;
	else
		bound_name(&b);
	bound->end = b.at;
	bound->qualifiers_at = b.qualifiers_at;
	bound->qualifiers = b.qualifiers;
	bound->bytes = b.bytes;
	return !b.has_failed && !b.pending && !(b.had_pending && b.is_local);
}
