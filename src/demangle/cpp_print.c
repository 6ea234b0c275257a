/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what a C++ name stands for. Types are written around what they are
 * the type of, in two halves: "void (" and ")(int)".
 */
#include "demangle/cpp.h"

static void print(struct cpp_demangler *d, uint32_t node);
static void left(struct cpp_demangler *d, uint32_t node);
static void right(struct cpp_demangler *d, uint32_t node);

static void put(struct cpp_demangler *d, const char *text)
{
	buf_add_text(d->out, text);
}

static char last_char(const struct cpp_demangler *d)
{
	return d->out->len ? d->out->data[d->out->len - 1] : '\0';
}

static void type(struct cpp_demangler *d, uint32_t node)
{
	left(d, node);
	right(d, node);
}

/* ---- packs ---- */

/* The pack in an expansion: the first that a parameter in it stands for. */
static uint32_t find_pack(struct cpp_demangler *d, uint32_t node)
{
	const struct cpp_node *n = &d->nodes[node];
	uint32_t found = 0;

	if (!node || !cpp_enter(d))
		return 0;
	if (n->kind == CPP_PARAMETER && d->nodes[n->one].kind == CPP_PACK)
		found = n->one;
	else if (n->kind != CPP_EXPANSION && n->kind != CPP_CLOSURE &&
		 n->kind != CPP_PACK)
		found = find_pack(d, n->one);
	if (!found && n->kind != CPP_EXPANSION && n->kind != CPP_CLOSURE &&
	    n->kind != CPP_PACK && n->kind != CPP_PARAMETER)
		found = find_pack(d, n->other);
	for (uint32_t cell = n->kind == CPP_TEMPLATE || n->kind == CPP_FUNCTION
				     ? n->list
				     : 0;
	     cell && !found; cell = d->cells[cell].next)
		found = find_pack(d, d->cells[cell].node);
	d->depth--;
	return found;
}

static void list(struct cpp_demangler *d, uint32_t cell, bool *has_any);

static void expansion(struct cpp_demangler *d, uint32_t node, bool *has_any)
{
	uint32_t base = d->nodes[node].one;
	uint32_t pack = find_pack(d, base);
	uint32_t outer = d->pack_at;

	if (!pack) {
		put(d, *has_any ? ", (" : "(");
		*has_any = true;
		type(d, base);
		put(d, ")...");
		return;
	}
	d->pack_at = 0;
	for (uint32_t cell = d->nodes[pack].list; cell && !d->has_failed;
	     cell = d->cells[cell].next) {
		put(d, *has_any ? ", " : "");
		*has_any = true;
		type(d, base);
		d->pack_at++;
	}
	d->pack_at = outer;
}

/* Separated by commas; what packs stand for, too. */
static void list(struct cpp_demangler *d, uint32_t cell, bool *has_any)
{
	for (; cell && !d->has_failed; cell = d->cells[cell].next) {
		uint32_t node = d->cells[cell].node;

		if (d->nodes[node].kind == CPP_EXPANSION) {
			expansion(d, node, has_any);
		} else if (d->nodes[node].kind == CPP_PACK) {
			if (!cpp_enter(d))
				return;
			list(d, d->nodes[node].list, has_any);
			d->depth--;
		} else {
			put(d, *has_any ? ", " : "");
			*has_any = true;
			type(d, node);
		}
	}
}

static void in_brackets(struct cpp_demangler *d, const char *open,
			uint32_t cell, const char *close)
{
	bool has_any = false;

	put(d, open);
	list(d, cell, &has_any);
	put(d, close);
}

/* ---- qualifiers ---- */

static void qualifiers(struct cpp_demangler *d, uint32_t bits)
{
	static const char *const words[] = {
		" const",    " volatile",         " restrict",
		" noexcept", " transaction_safe", " &",
		" &&",
	};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (bits >> i & 1)
			put(d, words[i]);
}

/* ---- types ---- */

/* What a parameter stands for, in the end; of a pack the argument in turn. */
static uint32_t resolve(struct cpp_demangler *d, uint32_t node)
{
	cpp_step(d);
	while (d->nodes[node].kind == CPP_PARAMETER) {
		cpp_step(d);
		if (d->has_failed)
			return 0;
		node = d->nodes[node].one;
		if (d->nodes[node].kind == CPP_PACK) {
			uint32_t cell = d->nodes[node].list;

			for (uint32_t i = 0; cell && i < d->pack_at; i++) {
				cpp_step(d);
				cell = d->cells[cell].next;
			}
			node = cell ? d->cells[cell].node : 0;
		}
	}
	return node;
}

static bool is_wrapping(const struct cpp_demangler *d, uint32_t node)
{
	return d->nodes[node].kind == CPP_FUNCTION ||
	       d->nodes[node].kind == CPP_ARRAY;
}

static uint32_t without_qualifiers(struct cpp_demangler *d, uint32_t node)
{
	node = resolve(d, node);
	while (!d->has_failed && d->nodes[node].kind == CPP_QUALIFIED)
		node = resolve(d, d->nodes[node].one);
	return node;
}

/* A reference to a reference is one of them: "&" before "&&". */
static uint32_t referred(struct cpp_demangler *d, uint32_t node,
			 struct str *mark)
{
	const struct cpp_node *n = &d->nodes[node];
	uint32_t inner = resolve(d, n->one);

	*mark = n->text;
	while (!d->has_failed && n->text.ptr[0] == '&' &&
	       d->nodes[inner].kind == CPP_POINTER &&
	       d->nodes[inner].text.ptr[0] == '&') {
		if (d->nodes[inner].text.len < mark->len)
			*mark = d->nodes[inner].text;
		inner = resolve(d, d->nodes[inner].one);
	}
	return inner;
}

static void pointer_left(struct cpp_demangler *d, uint32_t node)
{
	struct str mark;
	uint32_t inner = referred(d, node, &mark);

	left(d, inner);
	if (is_wrapping(d, without_qualifiers(d, inner))) {
		if (last_char(d) != ' ' && last_char(d) != '(' &&
		    last_char(d) != '*')
			put(d, " ");
		put(d, "(");
	}
	buf_add_str(d->out, mark);
}

static void member_left(struct cpp_demangler *d, uint32_t node)
{
	uint32_t member = resolve(d, d->nodes[node].other);

	left(d, member);
	if (last_char(d) != ' ')
		put(d, " ");
	if (is_wrapping(d, without_qualifiers(d, member)))
		put(d, "(");
	type(d, d->nodes[node].one);
	put(d, "::*");
}

static void suffixed(struct cpp_demangler *d, const struct cpp_node *n)
{
	type(d, n->one);
	if (n->number) {
		put(d, " __vector(");
		buf_add_str(d->out, n->text);
		put(d, ")");
		if (!n->text.len)
			cpp_fail(d);
		return;
	}
	put(d, " ");
	print(d, n->other);
}

static void left_of(struct cpp_demangler *d, uint32_t node)
{
	const struct cpp_node *n = &d->nodes[node];

	switch (n->kind) {
	case CPP_POINTER:
		pointer_left(d, node);
		break;
	case CPP_QUALIFIED:
		left(d, n->one);
		if (!is_wrapping(d, without_qualifiers(d, n->one)))
			qualifiers(d, n->number);
		break;
	case CPP_FUNCTION:
		left(d, n->one);
		put(d, " ");
		break;
	case CPP_ARRAY:
		left(d, n->one);
		break;
	case CPP_MEMBER:
		member_left(d, node);
		break;
	case CPP_SUFFIXED:
		suffixed(d, n);
		break;
	case CPP_ELABORATED:
		buf_add_str(d->out, n->text);
		print(d, n->one);
		break;
	default:
		print(d, node);
	}
}

static void left(struct cpp_demangler *d, uint32_t node)
{
	if (!cpp_enter(d))
		return;
	left_of(d, resolve(d, node));
	d->depth--;
}

static void array_right(struct cpp_demangler *d, const struct cpp_node *n)
{
	if (last_char(d) != ']')
		put(d, " ");
	put(d, "[");
	buf_add_str(d->out, n->text);
	put(d, "]");
	right(d, n->one);
}

static void right_of(struct cpp_demangler *d, uint32_t node)
{
	const struct cpp_node *n = &d->nodes[node];
	struct str mark;
	uint32_t inner;

	switch (n->kind) {
	case CPP_POINTER:
		inner = referred(d, node, &mark);
		if (is_wrapping(d, without_qualifiers(d, inner)))
			put(d, ")");
		right(d, inner);
		break;
	case CPP_QUALIFIED:
		right(d, n->one);
		break;
	case CPP_FUNCTION:
		in_brackets(d, "(", n->list, ")");
		qualifiers(d, n->number);
		right(d, n->one);
		break;
	case CPP_ARRAY:
		array_right(d, n);
		break;
	case CPP_MEMBER:
		if (is_wrapping(d, without_qualifiers(d, n->other)))
			put(d, ")");
		right(d, n->other);
		break;
	default:
		break;
	}
}

static void right(struct cpp_demangler *d, uint32_t node)
{
	if (!cpp_enter(d))
		return;
	right_of(d, resolve(d, node));
	d->depth--;
}

/* ---- names ---- */

static void print_numbered(struct cpp_demangler *d, const struct cpp_node *n)
{
	switch (n->kind) {
	case CPP_CLOSURE:
		in_brackets(d, "{lambda(", n->list, ")");
		buf_addf(d->out, "#%u}", (unsigned)n->number);
		break;
	case CPP_UNNAMED:
		buf_addf(d->out, "{unnamed type#%u}", (unsigned)n->number);
		break;
	case CPP_AUTO:
		buf_addf(d->out, "auto:%u", (unsigned)n->number);
		break;
	default:
		buf_addf(d->out, "{default arg#%u}::", (unsigned)n->number);
		print(d, n->one);
	}
}

static void print_function(struct cpp_demangler *d, const struct cpp_node *n)
{
	print(d, n->one);
	if (n->kind == CPP_SCOPE)
		put(d, "()");
	else
		in_brackets(d, "(", n->list, ")");
	qualifiers(d, n->number);
}

static void print_decorated(struct cpp_demangler *d, const struct cpp_node *n)
{
	switch (n->kind) {
	case CPP_TAGGED:
		print(d, n->one);
		put(d, "[abi:");
		print(d, n->other);
		put(d, "]");
		break;
	case CPP_FRIEND:
		print(d, n->one);
		put(d, "[friend]");
		break;
	case CPP_DESTRUCTOR:
		put(d, "~");
		print(d, n->one);
		break;
	case CPP_CONVERSION:
		put(d, "operator ");
		type(d, n->one);
		break;
	case CPP_BINDINGS:
		in_brackets(d, "[", n->list, "]");
		break;
	case CPP_SPECIAL:
		buf_add_str(d->out, n->text);
		type(d, n->one);
		break;
	default:
		cpp_fail(d);
	}
}

static void print_one(struct cpp_demangler *d, uint32_t node)
{
	const struct cpp_node *n = &d->nodes[node];

	switch (n->kind) {
	case CPP_TEXT:
		buf_add_str(d->out, n->text);
		break;
	case CPP_SCOPED:
		print(d, n->one);
		put(d, "::");
		print(d, n->other);
		break;
	case CPP_TEMPLATE:
	case CPP_CONSTRUCTOR:
		print(d, n->one);
		break;
	case CPP_METHOD:
		print(d, n->one);
		qualifiers(d, n->number);
		break;
	case CPP_SCOPE:
	case CPP_TYPED:
		print_function(d, n);
		break;
	case CPP_CLOSURE:
	case CPP_UNNAMED:
	case CPP_AUTO:
	case CPP_DEFAULT_ARG:
		print_numbered(d, n);
		break;
	case CPP_POINTER:
	case CPP_QUALIFIED:
	case CPP_FUNCTION:
	case CPP_ARRAY:
	case CPP_MEMBER:
	case CPP_SUFFIXED:
	case CPP_ELABORATED:
		type(d, node);
		break;
	default:
		print_decorated(d, n);
	}
}

static void print(struct cpp_demangler *d, uint32_t node)
{
	/* Names of many parts are deep on their left side only. */
	if (!cpp_enter(d))
		return;
	print_one(d, resolve(d, node));
	d->depth--;
}

bool cpp_print(struct cpp_demangler *d, uint32_t node)
{
	print(d, node);
	return !d->has_failed && d->out->state == BUF_OK;
}
