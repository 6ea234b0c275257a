/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of C++ names. They are shown in the parameters of lambdas, in names of
 * conversions and in thunks; everywhere else they only have to be passed over,
 * and to be counted among what can be referred to.
 */
#include "demangle/cpp.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

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

/* Qualifiers: bits of a node's number. */
enum {
	CPP_CONST = 1 << 0,
	CPP_VOLATILE = 1 << 1,
	CPP_RESTRICT = 1 << 2,
	CPP_NOEXCEPT = 1 << 3,
	CPP_TRANSACTION = 1 << 4,
	CPP_LVALUE = 1 << 5,
	CPP_RVALUE = 1 << 6,
};

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

/* Expressions in C++ names: passed over. They hold types, which count among
 * what can be referred to later. */

/* What of an operator's operands is not a plain expression. */
enum shape {
	PLAIN,
	CAST,      /* a type, then an expression */
	CALL,      /* an expression, then a list up to "E" */
	MEMBER,    /* an expression, then a name */
	OF_TYPE,   /* a type */
	NEW,       /* a list up to "_", a type, an initialiser */
	FOLD,      /* an operator first */
	FIELD,     /* a name, then an expression */
	INCREMENT, /* "_" when it stands in front */
};

/* Text: as functions are named by it; NULL: never. A word stands a blank
 * apart from "operator". */
static const struct operation {
	char code[3];
	const char *text;
	unsigned char arity;
	enum shape shape;
} operations[] = {
	{ "aN", "operator&=", 2, PLAIN },
	{ "aS", "operator=", 2, PLAIN },
	{ "aa", "operator&&", 2, PLAIN },
	{ "ad", "operator&", 1, PLAIN },
	{ "an", "operator&", 2, PLAIN },
	{ "at", "operator alignof", 1, OF_TYPE },
	{ "aw", "operator co_await", 1, PLAIN },
	{ "az", "operator alignof", 1, PLAIN },
	{ "cc", "operator const_cast", 2, CAST },
	{ "cl", "operator()", 2, CALL },
	{ "cm", "operator,", 2, PLAIN },
	{ "co", "operator~", 1, PLAIN },
	{ "cp", "operator()", 2, CALL },
	{ "dV", "operator/=", 2, PLAIN },
	{ "dX", "operator[...]=", 3, PLAIN },
	{ "da", "operator delete[]", 1, PLAIN },
	{ "dc", "operator dynamic_cast", 2, CAST },
	{ "de", "operator*", 1, PLAIN },
	{ "di", "operator=", 2, FIELD },
	{ "dl", "operator delete", 1, PLAIN },
	{ "ds", "operator.*", 2, PLAIN },
	{ "dt", "operator.", 2, MEMBER },
	{ "dv", "operator/", 2, PLAIN },
	{ "dx", "operator]=", 2, PLAIN },
	{ "eO", "operator^=", 2, PLAIN },
	{ "eo", "operator^", 2, PLAIN },
	{ "eq", "operator==", 2, PLAIN },
	{ "fL", "operator...", 3, FOLD },
	{ "fR", "operator...", 3, FOLD },
	{ "fl", "operator...", 2, FOLD },
	{ "fr", "operator...", 2, FOLD },
	{ "ge", "operator>=", 2, PLAIN },
	{ "gs", "operator::", 1, PLAIN },
	{ "gt", "operator>", 2, PLAIN },
	{ "ix", "operator[]", 2, PLAIN },
	{ "lS", "operator<<=", 2, PLAIN },
	{ "le", "operator<=", 2, PLAIN },
	{ "ls", "operator<<", 2, PLAIN },
	{ "lt", "operator<", 2, PLAIN },
	{ "mI", "operator-=", 2, PLAIN },
	{ "mL", "operator*=", 2, PLAIN },
	{ "mi", "operator-", 2, PLAIN },
	{ "ml", "operator*", 2, PLAIN },
	{ "mm", "operator--", 1, INCREMENT },
	{ "na", "operator new[]", 3, NEW },
	{ "ne", "operator!=", 2, PLAIN },
	{ "ng", "operator-", 1, PLAIN },
	{ "nt", "operator!", 1, PLAIN },
	{ "nw", "operator new", 3, NEW },
	{ "nx", "operator noexcept", 1, PLAIN },
	{ "oR", "operator|=", 2, PLAIN },
	{ "oo", "operator||", 2, PLAIN },
	{ "or", "operator|", 2, PLAIN },
	{ "pL", "operator+=", 2, PLAIN },
	{ "pl", "operator+", 2, PLAIN },
	{ "pm", "operator->*", 2, PLAIN },
	{ "pp", "operator++", 1, INCREMENT },
	{ "ps", "operator+", 1, PLAIN },
	{ "pt", "operator->", 2, MEMBER },
	{ "qu", "operator?", 3, PLAIN },
	{ "rM", "operator%=", 2, PLAIN },
	{ "rS", "operator>>=", 2, PLAIN },
	{ "rc", "operator reinterpret_cast", 2, CAST },
	{ "rm", "operator%", 2, PLAIN },
	{ "rs", "operator>>", 2, PLAIN },
	{ "sZ", "operator sizeof...", 1, PLAIN },
	{ "sc", "operator static_cast", 2, CAST },
	{ "ss", "operator<=>", 2, PLAIN },
	{ "st", "operator sizeof", 1, OF_TYPE },
	{ "sz", "operator sizeof", 1, PLAIN },
	{ "te", "operator typeid", 1, PLAIN },
	{ "ti", "operator typeid", 1, OF_TYPE },
	{ "tr", "operator throw", 0, PLAIN },
	{ "tw", "operator throw", 1, PLAIN },
};

static const struct operation *take_operation(struct cpp_demangler *d)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (cpp_take_two(d, operations[i].code))
			return &operations[i];
	cpp_fail(d);
	return NULL;
}

const char *cpp_operator(struct cpp_demangler *d, unsigned *arity)
{
	const struct operation *o = take_operation(d);

	*arity = o ? o->arity : 0;
	return o ? o->text : NULL;
}

static void skip_list(struct cpp_demangler *d, char end)
{
	while (!d->has_failed && !cpp_take(d, end))
		cpp_expression(d);
}

/* ---- names in expressions ---- */

/* An operator in the place of a name; a conversion has its type. */
static void skip_operator_name(struct cpp_demangler *d)
{
	unsigned arity;

	if (cpp_take_two(d, "cv"))
		cpp_type(d, false);
	else
		cpp_operator(d, &arity);
}

static void skip_base_name(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "dn")) {
		if (ascii_is_digit(cpp_peek(d, 0)))
			cpp_source_name(d);
		else
			cpp_type(d, false);
	} else if (ascii_is_digit(cpp_peek(d, 0))) {
		cpp_source_name(d);
	} else {
		cpp_take_two(d, "on");
		skip_operator_name(d);
	}
	if (cpp_peek(d, 0) == 'I')
		cpp_template_arguments(d);
}

/* "srN type level... E name", "sr level... E name". GCC may leave out the
 * end after a type. */
static void skip_levels(struct cpp_demangler *d)
{
	uint32_t scope = 0;

	if (cpp_take(d, 'N'))
		scope = cpp_type(d, false);
	while (!d->has_failed && !cpp_take(d, 'E')) {
		uint32_t name;

		if (scope && !ascii_is_digit(cpp_peek(d, 0)) &&
		    d->nodes[scope].kind == CPP_SCOPED) {
			uint32_t outer = d->nodes[scope].one;

			if (d->nodes[outer].kind == CPP_TEMPLATE)
				cpp_substitutable(d, d->nodes[outer].one);
			cpp_substitutable(d, outer);
			return;
		}
		name = cpp_source_name(d);
		if (cpp_peek(d, 0) == 'I') {
			cpp_substitutable(d, name);
			cpp_template_arguments(d);
		}
		scope = scope ? cpp_node(d, CPP_SCOPED, scope, name) : name;
	}
	skip_base_name(d);
}

static void skip_unresolved(struct cpp_demangler *d)
{
	char c;

	cpp_take_two(d, "gs");
	if (!cpp_take_two(d, "sr")) {
		skip_base_name(d);
		return;
	}
	c = cpp_peek(d, 0);
	if (c != 'T' && c != 'D' && c != 'S') {
		skip_levels(d);
		return;
	}
	cpp_type(d, false);
	skip_base_name(d);
	if (cpp_peek(d, 0) == 'I') {
		cpp_template_arguments(d);
		cpp_substitutable(d, cpp_node(d, CPP_UNKNOWN, 0, 0));
	}
}

/* ---- operators with their operands ---- */

static void skip_new(struct cpp_demangler *d)
{
	skip_list(d, '_');
	cpp_type(d, false);
	if (cpp_take_two(d, "pi"))
		skip_list(d, 'E');
	else if (cpp_peek(d, 0) == 'i')
		cpp_expression(d);
	else
		cpp_expect(d, 'E');
}

static void skip_member(struct cpp_demangler *d)
{
	cpp_expression(d);
	if (cpp_peek(d, 0) == 'L') {
		cpp_literal(d);
		return;
	}
	skip_unresolved(d);
	if (cpp_peek(d, 0) == 'I')
		cpp_template_arguments(d);
}

static void skip_operands(struct cpp_demangler *d, const struct operation *o)
{
	unsigned left = o->arity;
	bool is_conversion;

	switch (o->shape) {
	case CALL:
		cpp_expression(d);
		skip_list(d, 'E');
		return;
	case MEMBER:
		skip_member(d);
		return;
	case OF_TYPE:
		cpp_type(d, false);
		return;
	case NEW:
		skip_new(d);
		return;
	case CAST:
		cpp_type(d, false);
		left--;
		break;
	case FOLD:
		skip_operator_name(d);
		left--;
		break;
	case FIELD:
		cpp_unqualified(d, &is_conversion);
		left--;
		break;
	case INCREMENT:
		cpp_take(d, '_');
		break;
	case PLAIN:
		break;
	}
	while (left--)
		cpp_expression(d);
}

static void skip_operation(struct cpp_demangler *d)
{
	const struct operation *o;

	if (cpp_take_two(d, "cv")) {
		cpp_type(d, false);
		if (cpp_take(d, '_'))
			skip_list(d, 'E');
		else
			cpp_expression(d);
		return;
	}
	if (cpp_peek(d, 0) == 'v' && ascii_is_digit(cpp_peek(d, 1))) {
		unsigned arity = (unsigned)(cpp_peek(d, 1) - '0');

		d->at += 2;
		cpp_source_name(d);
		while (arity--)
			cpp_expression(d);
		return;
	}
	o = take_operation(d);
	if (o)
		skip_operands(d, o);
}

/* ---- literals ---- */

static bool has_no_value(struct cpp_demangler *d, uint32_t type)
{
	while (d->nodes[type].kind == CPP_QUALIFIED) {
		cpp_step(d);
		type = d->nodes[type].one;
	}
	return d->nodes[type].kind == CPP_CLOSURE ||
	       d->nodes[type].kind == CPP_ARRAY ||
	       str_equal(d->nodes[type].text, STR("decltype(nullptr)"));
}

/* "Li5E", "L_Z4mainE": a number of some type, or a function. */
void cpp_literal(struct cpp_demangler *d)
{
	uint32_t type;

	cpp_expect(d, 'L');
	if (cpp_peek(d, 0) == '_' || cpp_peek(d, 0) == 'Z') {
		cpp_take(d, '_');
		cpp_expect(d, 'Z');
		cpp_encoding(d, true, false);
		cpp_expect(d, 'E');
		return;
	}
	type = cpp_type(d, false);
	cpp_take(d, 'n');
	if (cpp_peek(d, 0) == 'E' && !has_no_value(d, type))
		cpp_fail(d);
	while (d->at < d->in.len && cpp_peek(d, 0) != 'E')
		d->at++;
	cpp_expect(d, 'E');
}

/* ---- the other forms ---- */

/* "fp_", "fL0p_": a parameter of the function. */
static bool skip_function_parameter(struct cpp_demangler *d)
{
	char c = cpp_peek(d, 0), next = cpp_peek(d, 1);

	if (c != 'f' ||
	    (next != 'p' && (next != 'L' || !ascii_is_digit(cpp_peek(d, 2)))))
		return false;
	d->at += 2;
	if (next == 'L') {
		cpp_number(d);
		cpp_expect(d, 'p');
	} else if (cpp_take(d, 'T')) {
		return true;
	}
	cpp_qualifiers(d);
	cpp_compact_number(d);
	return true;
}

static void skip_offset(struct cpp_demangler *d)
{
	if (cpp_peek(d, 0) == 'n' || ascii_is_digit(cpp_peek(d, 0)))
		cpp_number(d);
}

/* "so": a part of an object; "mc": a pointer to a member, converted. */
static void skip_object(struct cpp_demangler *d, bool is_part)
{
	cpp_type(d, false);
	cpp_expression(d);
	skip_offset(d);
	while (is_part && cpp_take(d, '_'))
		skip_offset(d);
	if (is_part)
		cpp_take(d, 'p');
	cpp_expect(d, 'E');
}

static void skip_requirement(struct cpp_demangler *d)
{
	if (cpp_take(d, 'X')) {
		cpp_expression(d);
		cpp_take(d, 'N');
		if (cpp_take(d, 'R'))
			cpp_name(d);
	} else if (cpp_take(d, 'T')) {
		cpp_type(d, false);
	} else {
		cpp_expect(d, 'Q');
		cpp_expression(d);
	}
}

static void skip_requirements(struct cpp_demangler *d, bool has_parameters)
{
	while (has_parameters && !d->has_failed && !cpp_take(d, '_'))
		cpp_type(d, false);
	while (!d->has_failed && !cpp_take(d, 'E'))
		skip_requirement(d);
}

/* A function of the compiler, and its arguments. */
static void skip_vendor(struct cpp_demangler *d)
{
	uint32_t name;

	d->at++;
	name = cpp_source_name(d);
	if (str_equal(d->nodes[name].text, STR("__uuidof"))) {
		if (cpp_take(d, 't')) {
			cpp_type(d, false);
			return;
		}
		if (cpp_take(d, 'z')) {
			cpp_expression(d);
			return;
		}
	}
	while (!d->has_failed && !cpp_take(d, 'E'))
		cpp_template_argument(d);
}

static void skip_name(struct cpp_demangler *d)
{
	bool is_conversion;

	cpp_take_two(d, "on");
	cpp_unqualified(d, &is_conversion);
	if (cpp_peek(d, 0) == 'I')
		cpp_template_arguments(d);
}

static bool skip_pack(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "sp")) {
		cpp_expression(d);
		return true;
	}
	if (!cpp_take_two(d, "sP"))
		return false;
	while (!d->has_failed && !cpp_take(d, 'E'))
		cpp_template_argument(d);
	return true;
}

/* Forms with a mark of their own. False: it is none. */
static bool skip_marked(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "so")) {
		skip_object(d, true);
	} else if (cpp_take_two(d, "mc")) {
		skip_object(d, false);
	} else if (cpp_take_two(d, "il")) {
		skip_list(d, 'E');
	} else if (cpp_take_two(d, "tl")) {
		cpp_type(d, false);
		skip_list(d, 'E');
	} else if (cpp_take_two(d, "rq")) {
		skip_requirements(d, false);
	} else if (cpp_take_two(d, "rQ")) {
		skip_requirements(d, true);
	} else {
		return skip_pack(d) || skip_function_parameter(d);
	}
	return true;
}

void cpp_expression(struct cpp_demangler *d)
{
	char c = cpp_peek(d, 0), next = cpp_peek(d, 1);

	if (!cpp_enter(d))
		return;
	if (c == 'L')
		cpp_literal(d);
	else if (c == 'T')
		cpp_template_parameter(d);
	else if (c == 's' && next == 'r')
		skip_unresolved(d);
	else if (ascii_is_digit(c) || (c == 'o' && next == 'n'))
		skip_name(d);
	else if (c == 'u')
		skip_vendor(d);
	else if (!skip_marked(d))
		skip_operation(d);
	d->depth--;
}

void cpp_constraint(struct cpp_demangler *d)
{
	bool was_in_constraint = d->is_in_constraint;

	cpp_expect(d, 'Q');
	d->is_in_constraint = true;
	cpp_expression(d);
	d->is_in_constraint = was_in_constraint;
}

static void skip_template_template(struct cpp_demangler *d)
{
	while (!d->has_failed && !cpp_take(d, 'E')) {
		if (!cpp_template_declaration(d))
			cpp_fail(d);
		if (cpp_peek(d, 0) == 'Q')
			cpp_constraint(d);
	}
}

bool cpp_template_declaration(struct cpp_demangler *d)
{
	bool was_in_constraint = d->is_in_constraint;

	if (!cpp_enter(d))
		return false;
	d->depth--;
	if (cpp_take_two(d, "Ty"))
		return true;
	if (cpp_take_two(d, "Tk")) {
		d->is_in_constraint = true;
		cpp_name(d);
		d->is_in_constraint = was_in_constraint;
	} else if (cpp_take_two(d, "Tn")) {
		cpp_type(d, false);
	} else if (cpp_take_two(d, "Tt")) {
		d->depth++;
		skip_template_template(d);
		d->depth--;
	} else if (cpp_take_two(d, "Tp")) {
		d->depth++;
		if (!cpp_template_declaration(d))
			cpp_fail(d);
		d->depth--;
	} else {
		return false;
	}
	return true;
}
