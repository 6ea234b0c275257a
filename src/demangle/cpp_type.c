/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of C++ names. They are shown in the parameters of lambdas, in names of
 * conversions and in thunks; everywhere else they only have to be passed over,
 * and to be counted among what can be referred to.
 */
#include "demangle/cpp.h"

static const struct word {
	char code;
	const char *text;
} builtins[] = {
	{ 'a', "signed char" }, { 'b', "bool" },
	{ 'c', "char" },        { 'd', "double" },
	{ 'e', "long double" }, { 'f', "float" },
	{ 'g', "__float128" },  { 'h', "unsigned char" },
	{ 'i', "int" },         { 'j', "unsigned int" },
	{ 'l', "long" },        { 'm', "unsigned long" },
	{ 'n', "__int128" },    { 'o', "unsigned __int128" },
	{ 's', "short" },       { 't', "unsigned short" },
	{ 'v', "void" },        { 'w', "wchar_t" },
	{ 'x', "long long" },   { 'y', "unsigned long long" },
	{ 'z', "..." },
};

/* Behind "D". */
static const struct word builtins_after_d[] = {
	{ 'a', "auto" },       { 'c', "decltype(auto)" },
	{ 'f', "decimal32" },  { 'd', "decimal64" },
	{ 'e', "decimal128" }, { 'h', "half" },
	{ 'u', "char8_t" },    { 's', "char16_t" },
	{ 'i', "char32_t" },   { 'n', "decltype(nullptr)" },
};

static const char *find_word(const struct word *words, size_t count, char code)
{
	for (size_t i = 0; i < count; i++)
		if (words[i].code == code)
			return words[i].text;
	return NULL;
}

#define FIND_WORD(words, code)                                                 \
	find_word(words, sizeof(words) / sizeof *(words), code)

/* ---- qualifiers ---- */

/* "DO expression E", "Dw types E": conditions, which are not shown. */
static bool conditional_qualifier(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "DO"))
		cpp_expression(d);
	else if (cpp_take_two(d, "Dw"))
		cpp_parameters(d);
	else
		return false;
	cpp_expect(d, 'E');
	return true;
}

uint32_t cpp_qualifiers(struct cpp_demangler *d)
{
	uint32_t found = 0;

	while (!d->has_failed) {
		if (cpp_take(d, 'r'))
			found |= CPP_RESTRICT;
		else if (cpp_take(d, 'V'))
			found |= CPP_VOLATILE;
		else if (cpp_take(d, 'K'))
			found |= CPP_CONST;
		else if (cpp_take_two(d, "Dx"))
			found |= CPP_TRANSACTION;
		else if (cpp_take_two(d, "Do") || conditional_qualifier(d))
			found |= CPP_NOEXCEPT;
		else
			break;
	}
	return found;
}

uint32_t cpp_reference_qualifier(struct cpp_demangler *d)
{
	if (cpp_take(d, 'R'))
		return CPP_LVALUE;
	return cpp_take(d, 'O') ? CPP_RVALUE : 0;
}

/* ---- functions, arrays, members ---- */

static bool is_end_of_parameters(const struct cpp_demangler *d)
{
	char c = cpp_peek(d, 0);

	return c == '\0' || c == 'E' || c == '.' || c == 'Q' ||
	       ((c == 'R' || c == 'O') && cpp_peek(d, 1) == 'E');
}

static bool is_void(const struct cpp_demangler *d, uint32_t node)
{
	return d->nodes[node].kind == CPP_TEXT &&
	       str_equal(d->nodes[node].text, STR("void"));
}

struct cpp_list cpp_parameters(struct cpp_demangler *d)
{
	struct cpp_list list = { 0 };

	if (is_end_of_parameters(d))
		cpp_fail(d);
	while (!is_end_of_parameters(d))
		cpp_append(d, &list, cpp_type(d, false));
	if (list.count == 1 && is_void(d, d->cells[list.first].node))
		list = (struct cpp_list){ 0 };
	return list;
}

static uint32_t function_type(struct cpp_demangler *d)
{
	uint32_t node, returned;
	struct cpp_list list;

	d->at++;
	/* Linkage of C. */
	cpp_take(d, 'Y');
	returned = cpp_type(d, false);
	list = cpp_parameters(d);
	node = cpp_node(d, CPP_FUNCTION, returned, 0);
	d->nodes[node].list = list.first;
	d->nodes[node].number = cpp_reference_qualifier(d);
	cpp_expect(d, 'E');
	return node;
}

/* Qualifiers of the elements are those of the array. */
static uint32_t array_type(struct cpp_demangler *d, bool is_conversion)
{
	size_t start = ++d->at;
	struct str count;
	uint32_t node, element, qualifiers = 0;

	while (ascii_is_digit(cpp_peek(d, 0)))
		d->at++;
	count = str_slice(d->in, start, d->at - start);
	if (!count.len && cpp_peek(d, 0) != '_')
		cpp_expression(d);
	cpp_expect(d, '_');
	element = cpp_type(d, is_conversion);
	if (d->nodes[element].kind == CPP_QUALIFIED) {
		qualifiers = d->nodes[element].number;
		element = d->nodes[element].one;
	}
	node = cpp_node(d, CPP_ARRAY, element, 0);
	d->nodes[node].text = count;
	if (!qualifiers)
		return node;
	node = cpp_node(d, CPP_QUALIFIED, node, 0);
	d->nodes[node].number = qualifiers;
	return node;
}

static uint32_t member_pointer(struct cpp_demangler *d, bool is_conversion)
{
	uint32_t class, member;

	d->at++;
	class = cpp_type(d, false);
	member = cpp_type(d, is_conversion);
	return cpp_node(d, CPP_MEMBER, class, member);
}

/* ---- "D" and what follows ---- */

static uint32_t vector_type(struct cpp_demangler *d, bool is_conversion)
{
	size_t start = d->at;
	struct str count = STR("");
	uint32_t node;

	if (cpp_take(d, '_')) {
		cpp_expression(d);
	} else {
		cpp_number(d);
		count = str_slice(d->in, start, d->at - start);
	}
	cpp_expect(d, '_');
	node = cpp_node(d, CPP_SUFFIXED, cpp_type(d, is_conversion), 0);
	d->nodes[node].text = count;
	d->nodes[node].number = true; /* __vector(count) */
	return node;
}

static uint32_t float_type(struct cpp_demangler *d)
{
	int64_t bits = cpp_number(d);

	if (cpp_take(d, 'b') && bits == 16)
		return cpp_text(d, STR("std::bfloat16_t"));
	if (!cpp_take(d, '_') && !cpp_take(d, 'x'))
		cpp_fail(d);
	return cpp_node(d, CPP_UNKNOWN, 0, 0);
}

static uint32_t bit_int(struct cpp_demangler *d)
{
	if (ascii_is_digit(cpp_peek(d, 0)))
		cpp_number(d);
	else
		cpp_expression(d);
	cpp_expect(d, '_');
	return cpp_node(d, CPP_UNKNOWN, 0, 0);
}

/* *can_be_referred_to: not what is built in. */
static uint32_t type_after_d(struct cpp_demangler *d, bool is_conversion,
			     bool *can_be_referred_to)
{
	char code = cpp_peek(d, 1);
	const char *builtin = FIND_WORD(builtins_after_d, code);

	d->at++;
	cpp_expect(d, code);
	*can_be_referred_to = true;
	switch (code) {
	case 'T':
	case 't':
		cpp_expression(d);
		cpp_expect(d, 'E');
		return cpp_node(d, CPP_UNKNOWN, 0, 0);
	case 'p':
		return cpp_node(d, CPP_EXPANSION, cpp_type(d, is_conversion),
				0);
	case 'v':
		return vector_type(d, is_conversion);
	case 'B':
	case 'U':
		return bit_int(d);
	default:
		break;
	}
	*can_be_referred_to = false;
	if (code == 'F')
		return float_type(d);
	if (code == 'k' || code == 'K') {
		cpp_name(d);
		return cpp_node(d, CPP_UNKNOWN, 0, 0);
	}
	if (!builtin) {
		cpp_fail(d);
		return 0;
	}
	return cpp_text(d, str_from(builtin));
}

/* ---- named types ---- */

/* In "operator T<int>" the arguments may belong to the type or to the
 * operator: to the type only where others follow. They are read to see. */
static uint32_t maybe_with_arguments(struct cpp_demangler *d, uint32_t name,
				     bool is_new)
{
	struct cpp_demangler *before = d;
	size_t at = d->at;
	uint32_t substitution_count = d->substitution_count;
	uint32_t pending_count = d->pending_count;
	uint32_t node;

	if (is_new)
		cpp_substitutable(d, name);
	node = cpp_with_arguments(d, name);
	if (!before->has_failed && cpp_peek(d, 0) == 'I')
		return node;
	d->at = at;
	d->substitution_count = substitution_count;
	d->pending_count = pending_count;
	/* Other mistakes than too many steps are found once more. */
	d->has_failed = d->steps > LIMIT_DEMANGLE_STEPS;
	if (d->has_failed)
		d->at = d->in.len;
	return name;
}

static uint32_t parameter_type(struct cpp_demangler *d, bool is_conversion)
{
	uint32_t node = cpp_template_parameter(d);

	if (cpp_peek(d, 0) != 'I')
		return node;
	if (is_conversion)
		return maybe_with_arguments(d, node, true);
	cpp_substitutable(d, node);
	return cpp_with_arguments(d, node);
}

static const char *elaboration(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "Ts"))
		return "struct ";
	if (cpp_take_two(d, "Tu"))
		return "union ";
	return cpp_take_two(d, "Te") ? "enum " : NULL;
}

static uint32_t type_after_t(struct cpp_demangler *d, bool is_conversion)
{
	const char *word = elaboration(d);
	uint32_t node;

	if (!word)
		return parameter_type(d, is_conversion);
	node = cpp_node(d, CPP_ELABORATED, cpp_name(d), 0);
	d->nodes[node].text = str_from(word);
	return node;
}

static uint32_t type_after_s(struct cpp_demangler *d, bool is_conversion,
			     bool *can_be_referred_to)
{
	char c = cpp_peek(d, 1);
	uint32_t node, named;
	size_t start = d->at;

	if (c != '_' && !ascii_is_digit(c) && !ascii_is_upper(c)) {
		node = cpp_name(d);
		/* "Ss" alone, but not "St6vector". */
		*can_be_referred_to = d->at != start + 2;
		return node;
	}
	node = cpp_substitution(d, false);
	if (cpp_peek(d, 0) != 'I') {
		*can_be_referred_to = false;
		return node;
	}
	if (d->nodes[node].kind != CPP_PARAMETER || !is_conversion)
		return cpp_with_arguments(d, node);
	named = maybe_with_arguments(d, node, false);
	*can_be_referred_to = named != node;
	return named;
}

static uint32_t vendor_type(struct cpp_demangler *d)
{
	uint32_t node;

	d->at++;
	node = cpp_source_name(d);
	if (cpp_take(d, 'I')) {
		cpp_type(d, false);
		cpp_expect(d, 'E');
		node = cpp_node(d, CPP_UNKNOWN, 0, 0);
	}
	return node;
}

/* "U8__vector": a qualifier of a compiler's own. */
static uint32_t vendor_qualified(struct cpp_demangler *d, bool is_conversion)
{
	uint32_t qualifier, node;

	d->at++;
	qualifier = cpp_source_name(d);
	if (cpp_peek(d, 0) == 'I')
		qualifier = cpp_with_arguments(d, qualifier);
	node = cpp_type(d, is_conversion);
	return cpp_node(d, CPP_SUFFIXED, node, qualifier);
}

static uint32_t type_after_u(struct cpp_demangler *d, bool is_conversion,
			     bool *can_be_referred_to)
{
	*can_be_referred_to = false;
	if (cpp_take_two(d, "Ul"))
		return cpp_closure(d);
	if (cpp_take_two(d, "Ut"))
		return cpp_unnamed(d);
	*can_be_referred_to = true;
	return vendor_qualified(d, is_conversion);
}

static uint32_t pointer_type(struct cpp_demangler *d, bool is_conversion)
{
	static const struct word marks[] = {
		{ 'P', "*" },         { 'R', "&" },           { 'O', "&&" },
		{ 'C', " _Complex" }, { 'G', " _Imaginary" },
	};
	const char *mark = FIND_WORD(marks, cpp_peek(d, 0));
	uint32_t node;

	d->at++;
	node = cpp_node(d, CPP_POINTER, cpp_type(d, is_conversion), 0);
	d->nodes[node].text = str_from(mark);
	return node;
}

/* ---- types ---- */

static uint32_t unqualified_type(struct cpp_demangler *d, bool is_conversion,
				 bool *can_be_referred_to)
{
	char c = cpp_peek(d, 0);

	switch (c) {
	case 'u':
		return vendor_type(d);
	case 'F':
		return function_type(d);
	case 'A':
		return array_type(d, is_conversion);
	case 'M':
		return member_pointer(d, is_conversion);
	case 'T':
		return type_after_t(d, is_conversion);
	case 'S':
		return type_after_s(d, is_conversion, can_be_referred_to);
	case 'O':
	case 'P':
	case 'R':
	case 'C':
	case 'G':
		return pointer_type(d, is_conversion);
	case 'U':
		return type_after_u(d, is_conversion, can_be_referred_to);
	case 'D':
		return type_after_d(d, is_conversion, can_be_referred_to);
	default:
		if (c == 'N' || c == 'Z' || ascii_is_digit(c))
			return cpp_name(d);
		cpp_fail(d);
		return 0;
	}
}

/* A function with qualifiers is one type, other types are two. */
static uint32_t qualified_type(struct cpp_demangler *d, uint32_t node,
			       uint32_t qualifiers)
{
	enum cpp_kind kind = d->nodes[node].kind;
	struct cpp_node copy = d->nodes[node];

	if (kind == CPP_FUNCTION || kind == CPP_QUALIFIED) {
		node = cpp_node(d, kind, copy.one, copy.other);
		copy.number |= qualifiers;
		d->nodes[node] = copy;
	} else {
		node = cpp_node(d, CPP_QUALIFIED, node, 0);
		d->nodes[node].number = qualifiers;
	}
	cpp_substitutable(d, node);
	return node;
}

uint32_t cpp_type(struct cpp_demangler *d, bool is_conversion)
{
	const char *builtin;
	bool can_be_referred_to = true;
	uint32_t qualifiers, node;

	if (!cpp_enter(d))
		return 0;
	qualifiers = cpp_qualifiers(d);
	builtin = FIND_WORD(builtins, cpp_peek(d, 0));
	if (builtin) {
		d->at++;
		node = cpp_text(d, str_from(builtin));
		can_be_referred_to = false;
	} else {
		if (qualifiers && cpp_peek(d, 0) == 'F') {
			bool ignored;

			node = unqualified_type(d, is_conversion, &ignored);
			can_be_referred_to = false;
		} else {
			node = unqualified_type(d, is_conversion,
						&can_be_referred_to);
		}
	}
	if (can_be_referred_to)
		cpp_substitutable(d, node);
	if (qualifiers)
		node = qualified_type(d, node, qualifiers);
	d->depth--;
	return node;
}
