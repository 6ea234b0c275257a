/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions in C++ names: passed over. They hold types, which count among
 * what can be referred to later.
 */
#include <string.h>

#include "demangle/cpp.h"

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
