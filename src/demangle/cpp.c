/* SPDX-License-Identifier: Apache-2.0 */
#include "demangle/cpp.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* The small parts of a C++ name: numbers, plain names, what stands for earlier
 * parts, template arguments and parameters. */

/* ---- nodes ---- */

uint32_t cpp_node(struct cpp_demangler *d, enum cpp_kind kind, uint32_t one,
		  uint32_t other)
{
	if (d->node_count == CPP_NODES)
		cpp_fail(d);
	if (d->has_failed)
		return 0;
	d->nodes[d->node_count] = (struct cpp_node){
		.kind = kind, .one = one, .other = other, .text = STR("")
	};
	return d->node_count++;
}

uint32_t cpp_text(struct cpp_demangler *d, struct str text)
{
	uint32_t node = cpp_node(d, CPP_TEXT, 0, 0);

	d->nodes[node].text = text;
	return node;
}

static uint32_t cpp_numbered(struct cpp_demangler *d, enum cpp_kind kind,
			     uint32_t one, uint32_t number)
{
	uint32_t node = cpp_node(d, kind, one, 0);

	d->nodes[node].number = number;
	return node;
}

void cpp_substitutable(struct cpp_demangler *d, uint32_t node)
{
	if (d->substitution_count == CPP_SUBSTITUTIONS)
		cpp_fail(d);
	else
		d->substitutions[d->substitution_count++] = node;
}

void cpp_append(struct cpp_demangler *d, struct cpp_list *list, uint32_t node)
{
	if (d->cell_count == CPP_CELLS) {
		cpp_fail(d);
		return;
	}
	d->cells[d->cell_count] = (struct cpp_cell){ .node = node };
	if (list->first)
		d->cells[list->last].next = d->cell_count;
	else
		list->first = d->cell_count;
	list->last = d->cell_count++;
	list->count++;
}

static void cpp_push_template(struct cpp_demangler *d, uint32_t list,
			      bool is_later)
{
	if (d->template_count == CPP_TEMPLATES)
		cpp_fail(d);
	else
		d->templates[d->template_count++] =
			(struct cpp_scope){ list, is_later };
}

/* ---- numbers and plain names ---- */

int64_t cpp_number(struct cpp_demangler *d)
{
	bool is_negative = cpp_take(d, 'n');
	int64_t value = 0;

	if (!ascii_is_digit(cpp_peek(d, 0)))
		cpp_fail(d);
	while (ascii_is_digit(cpp_peek(d, 0))) {
		value = value * 10 + (d->in.ptr[d->at++] - '0');
		if (value > INT32_MAX)
			cpp_fail(d);
	}
	return is_negative ? -value : value;
}

uint32_t cpp_compact_number(struct cpp_demangler *d)
{
	int64_t value;

	if (cpp_take(d, '_'))
		return 0;
	value = cpp_number(d);
	cpp_expect(d, '_');
	if (value < 0)
		cpp_fail(d);
	return (uint32_t)value + 1;
}

/* "_GLOBAL__N_1": how GCC spells a namespace without a name. */
static bool is_unnamed_namespace(struct str name)
{
	struct str start = STR("_GLOBAL_");
	char mark;

	if (!str_starts(name, start) || name.len <= start.len + 2)
		return false;
	mark = name.ptr[start.len];
	return (mark == '.' || mark == '_' || mark == '$') &&
	       name.ptr[start.len + 1] == 'N';
}

uint32_t cpp_source_name(struct cpp_demangler *d)
{
	int64_t len = cpp_number(d);
	struct str name;

	if (len <= 0 || (size_t)len > d->in.len - d->at) {
		cpp_fail(d);
		return 0;
	}
	name = str_slice(d->in, d->at, (size_t)len);
	d->at += (size_t)len;
	if (is_unnamed_namespace(name))
		name = STR("(anonymous namespace)");
	return cpp_text(d, name);
}

/* The same name with its "[abi:...]", if it has any. */
static uint32_t cpp_tagged(struct cpp_demangler *d, uint32_t name)
{
	while (cpp_take(d, 'B'))
		name = cpp_node(d, CPP_TAGGED, name, cpp_source_name(d));
	return name;
}

/* "_2" or "__12_"; Clang leaves the underscore out at the end of a name. */
static void cpp_discriminator(struct cpp_demangler *d)
{
	bool is_long;
	int64_t number;

	if (!cpp_take(d, '_')) {
		size_t at = d->at;

		while (at < d->in.len && ascii_is_digit(d->in.ptr[at]))
			at++;
		if (at == d->in.len)
			d->at = at;
		return;
	}
	is_long = cpp_take(d, '_');
	number = cpp_number(d);
	if (number < 0)
		cpp_fail(d);
	if (is_long && number >= 10)
		cpp_expect(d, '_');
}

/* ---- substitutions ---- */

static const struct abbreviation {
	char code;
	const char *text;
	const char *long_text; /* before a constructor or destructor */
} abbreviations[] = {
	{ 't', "std", "std" },
	{ 'a', "std::allocator", "std::allocator" },
	{ 'b', "std::basic_string", "std::basic_string" },
	{ 's', "std::string", "std::basic_string" },
	{ 'i', "std::istream", "std::basic_istream" },
	{ 'o', "std::ostream", "std::basic_ostream" },
	{ 'd', "std::iostream", "std::basic_iostream" },
};

static uint32_t abbreviated(struct cpp_demangler *d, bool is_prefix)
{
	char code = cpp_peek(d, 0);
	char next = cpp_peek(d, 1);
	bool is_long = is_prefix && (next == 'C' || next == 'D');
	struct str text = STR("");
	uint32_t node;

	for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations;
	     i++)
		if (abbreviations[i].code == code)
			text = str_from(is_long ? abbreviations[i].long_text
						: abbreviations[i].text);
	if (!text.len) {
		cpp_fail(d);
		return 0;
	}
	d->at++;
	if (code == 't')
		node = cpp_text(d, text);
	else
		node = cpp_node(d, CPP_SCOPED, cpp_text(d, STR("std")),
				cpp_text(d, str_slice(text, 5, text.len)));
	if (cpp_peek(d, 0) == 'B') {
		node = cpp_tagged(d, node);
		cpp_substitutable(d, node);
	}
	return node;
}

/* "_" is 0, "0_" 1, "Z_" 36. */
static uint32_t sequence_id(struct cpp_demangler *d)
{
	uint32_t id = 0;

	if (cpp_take(d, '_'))
		return 0;
	while (!cpp_take(d, '_')) {
		char c = cpp_peek(d, 0);

		if ((!ascii_is_digit(c) && !ascii_is_upper(c)) ||
		    id > CPP_SUBSTITUTIONS) {
			cpp_fail(d);
			return 0;
		}
		id = id * 36 +
		     (uint32_t)(ascii_is_digit(c) ? c - '0' : c - 'A' + 10);
		d->at++;
	}
	return id + 1;
}

uint32_t cpp_substitution(struct cpp_demangler *d, bool is_prefix)
{
	char c;
	uint32_t id;

	cpp_expect(d, 'S');
	c = cpp_peek(d, 0);
	if (c != '_' && !ascii_is_digit(c) && !ascii_is_upper(c))
		return abbreviated(d, is_prefix);
	id = sequence_id(d);
	if (id >= d->substitution_count) {
		cpp_fail(d);
		return 0;
	}
	return d->substitutions[id];
}

/* ---- template arguments and parameters ---- */

static uint32_t nth_argument(struct cpp_demangler *d, uint32_t list, uint32_t n)
{
	while (list && n--) {
		cpp_step(d);
		list = d->cells[list].next;
	}
	return list ? d->cells[list].node : 0;
}

/* T_, T0_, TL0__: an argument of the template around, unless that is a lambda
 * with "auto" parameters. */
uint32_t cpp_template_parameter(struct cpp_demangler *d)
{
	uint32_t level = 0, n, argument = 0;
	bool is_lambda;

	cpp_expect(d, 'T');
	if (cpp_take(d, 'L'))
		level = cpp_compact_number(d);
	n = cpp_compact_number(d);
	if (d->has_failed || d->is_in_constraint)
		return cpp_node(d, CPP_UNKNOWN, 0, 0);
	is_lambda = d->lambda_level && level == d->lambda_level - 1;
	if (level < d->template_count && d->templates[level].is_later) {
		uint32_t node = cpp_numbered(d, CPP_PARAMETER, 0, n);

		if (d->pending_count == CPP_PENDING)
			cpp_fail(d);
		else
			d->pending[d->pending_count++] = node;
		return node;
	}
	if (level < d->template_count)
		argument = nth_argument(d, d->templates[level].list, n);
	if (!argument && is_lambda)
		return cpp_numbered(d, CPP_AUTO, 0, n + 1);
	if (!argument)
		cpp_fail(d);
	return cpp_numbered(d, CPP_PARAMETER, argument, n);
}

/* The parameters of a conversion, pending from `first` on, mean these
 * arguments; 0: there are none.
 * The arguments that stand behind a conversion: 0 none. */
static void cpp_settle_pending(struct cpp_demangler *d, uint32_t first,
			       uint32_t list)
{
	for (uint32_t i = first; i < d->pending_count; i++) {
		struct cpp_node *node = &d->nodes[d->pending[i]];

		node->one = nth_argument(d, list, node->number);
		if (!node->one)
			cpp_fail(d);
	}
	if (d->pending_count > first)
		d->pending_count = first;
}

static uint32_t pack(struct cpp_demangler *d)
{
	uint32_t list = cpp_template_arguments(d);
	uint32_t node = cpp_node(d, CPP_PACK, 0, 0);

	d->nodes[node].list = list;
	return node;
}

uint32_t cpp_template_argument(struct cpp_demangler *d)
{
	uint32_t node = 0;
	char next = cpp_peek(d, 1);

	if (!cpp_enter(d))
		return 0;
	switch (cpp_peek(d, 0)) {
	case 'X':
		d->at++;
		cpp_expression(d);
		cpp_expect(d, 'E');
		node = cpp_node(d, CPP_UNKNOWN, 0, 0);
		break;
	case 'L':
		cpp_literal(d);
		node = cpp_node(d, CPP_UNKNOWN, 0, 0);
		break;
	case 'I':
	case 'J':
		node = pack(d);
		break;
	case 'T':
		if (next == 'y' || next == 'n' || next == 't' || next == 'p' ||
		    next == 'k') {
			if (!cpp_template_declaration(d))
				cpp_fail(d);
			node = cpp_template_argument(d);
			break;
		}
		node = cpp_type(d, false);
		break;
	default:
		node = cpp_type(d, false);
	}
	d->depth--;
	return node;
}

/* The list of them; an empty one is a list of nothing to be found. */
uint32_t cpp_template_arguments(struct cpp_demangler *d)
{
	struct cpp_list list = { 0 };

	d->at++;
	while (!d->has_failed && !cpp_take(d, 'E')) {
		cpp_append(d, &list, cpp_template_argument(d));
		if (cpp_peek(d, 0) == 'Q')
			cpp_constraint(d);
	}
	return list.first;
}

uint32_t cpp_with_arguments(struct cpp_demangler *d, uint32_t name)
{
	uint32_t list = cpp_template_arguments(d);
	uint32_t node = cpp_node(d, CPP_TEMPLATE, name, 0);

	d->nodes[node].list = list;
	return node;
}

struct cpp_demangler *cpp_demangler_new(void)
{
	return mem_calloc(1, sizeof(struct cpp_demangler));
}

void cpp_demangler_free(struct cpp_demangler *d)
{
	mem_free(d);
}

/* ---- unqualified names ---- */

static uint32_t bindings(struct cpp_demangler *d)
{
	struct cpp_list list = { 0 };
	uint32_t node;

	do
		cpp_append(d, &list, cpp_source_name(d));
	while (!d->has_failed && !cpp_take(d, 'E'));
	node = cpp_node(d, CPP_BINDINGS, 0, 0);
	d->nodes[node].list = list.first;
	return node;
}

static uint32_t operator_name(struct cpp_demangler *d, bool *is_conversion)
{
	const char *text;
	unsigned arity;
	uint32_t name, type;

	if (cpp_take_two(d, "cv")) {
		uint32_t scopes = d->template_count;

		cpp_push_template(d, 0, true);
		type = cpp_type(d, true);
		d->template_count = scopes;
		*is_conversion = true;
		return cpp_node(d, CPP_CONVERSION, type, 0);
	}
	if (cpp_take_two(d, "li")) {
		name = cpp_node(d, CPP_SPECIAL, cpp_source_name(d), 0);
		d->nodes[name].text = STR("operator\"\" ");
		return name;
	}
	if (cpp_peek(d, 0) == 'v' && ascii_is_digit(cpp_peek(d, 1))) {
		d->at += 2;
		name = cpp_node(d, CPP_SPECIAL, cpp_source_name(d), 0);
		d->nodes[name].text = STR("operator ");
		return name;
	}
	text = cpp_operator(d, &arity);
	return text ? cpp_text(d, str_from(text)) : 0;
}

uint32_t cpp_closure(struct cpp_demangler *d)
{
	uint32_t level = d->lambda_level;
	uint32_t scopes = d->template_count;
	struct cpp_list list;
	uint32_t node;

	d->lambda_level = d->template_count + 1;
	if (cpp_template_declaration(d)) {
		/* Parameters with names of their own: nothing to show. */
		while (cpp_template_declaration(d))
			;
		cpp_push_template(d, 0, false);
	}
	if (cpp_peek(d, 0) == 'Q')
		cpp_constraint(d);
	list = cpp_parameters(d);
	d->lambda_level = level;
	d->template_count = scopes;
	if (cpp_peek(d, 0) == 'Q')
		cpp_constraint(d);
	cpp_expect(d, 'E');
	node = cpp_numbered(d, CPP_CLOSURE, 0, cpp_compact_number(d) + 1);
	d->nodes[node].list = list.first;
	return node;
}

uint32_t cpp_unnamed(struct cpp_demangler *d)
{
	uint32_t node =
		cpp_numbered(d, CPP_UNNAMED, 0, cpp_compact_number(d) + 1);

	cpp_substitutable(d, node);
	return node;
}

static uint32_t without_name(struct cpp_demangler *d)
{
	if (cpp_take_two(d, "Ub")) {
		cpp_compact_number(d);
		return cpp_text(d, STR("'block-literal'"));
	}
	if (cpp_take_two(d, "Ul"))
		return cpp_closure(d);
	if (cpp_take_two(d, "Ut"))
		return cpp_unnamed(d);
	cpp_fail(d);
	return 0;
}

uint32_t cpp_unqualified(struct cpp_demangler *d, bool *is_conversion)
{
	bool is_friend = cpp_take(d, 'F');
	char c = cpp_peek(d, 0);
	uint32_t node;

	*is_conversion = false;
	if (ascii_is_digit(c)) {
		node = cpp_source_name(d);
	} else if (ascii_is_lower(c)) {
		node = operator_name(d, is_conversion);
	} else if (cpp_take_two(d, "DC")) {
		node = bindings(d);
	} else if (cpp_take(d, 'L')) {
		node = cpp_source_name(d);
		cpp_discriminator(d);
	} else {
		node = without_name(d);
	}
	node = cpp_tagged(d, node);
	return is_friend ? cpp_node(d, CPP_FRIEND, node, 0) : node;
}

/* ---- nested names ---- */

struct prefix {
	uint32_t node; /* all of it so far, 0 nothing */
	uint32_t last; /* its last part */
	bool has_conversion;
	uint32_t pending; /* of the conversion: where its parameters begin */
};

/* The plain name that a constructor repeats. */
static uint32_t class_name(struct cpp_demangler *d, uint32_t node)
{
	for (;;) {
		const struct cpp_node *n = &d->nodes[node];

		cpp_step(d);
		if (n->kind == CPP_TEMPLATE || n->kind == CPP_TAGGED)
			node = n->one;
		else if (n->kind == CPP_SCOPED)
			node = n->other;
		else
			return node;
	}
}

static uint32_t structor(struct cpp_demangler *d, const struct prefix *p)
{
	enum cpp_kind kind =
		cpp_peek(d, 0) == 'C' ? CPP_CONSTRUCTOR : CPP_DESTRUCTOR;
	bool is_inherited;

	d->at++;
	is_inherited = kind == CPP_CONSTRUCTOR && cpp_take(d, 'I');
	if (!p->last || d->at >= d->in.len) {
		cpp_fail(d);
		return 0;
	}
	d->at++;
	if (is_inherited)
		cpp_type(d, false);
	return cpp_tagged(d, cpp_node(d, kind, class_name(d, p->last), 0));
}

static uint32_t prefix_arguments(struct cpp_demangler *d, struct prefix *p)
{
	uint32_t node;

	if (!p->node) {
		cpp_fail(d);
		return 0;
	}
	node = cpp_with_arguments(d, p->node);
	if (p->has_conversion)
		cpp_settle_pending(d, p->pending, d->nodes[node].list);
	p->has_conversion = false;
	p->node = 0;
	return node;
}

static uint32_t prefix_part(struct cpp_demangler *d, struct prefix *p)
{
	char c = cpp_peek(d, 0);
	char next = cpp_peek(d, 1);
	uint32_t pending = d->pending_count;
	uint32_t node;
	bool is_conversion;

	if (ascii_is_digit(c) || ascii_is_lower(c) || c == 'U' || c == 'L' ||
	    c == 'F' || (c == 'D' && next == 'C')) {
		node = cpp_unqualified(d, &is_conversion);
		if (is_conversion) {
			p->has_conversion = true;
			p->pending = pending;
		}
		return node;
	}
	if (c == 'D' && (next == 'T' || next == 't'))
		return cpp_type(d, false);
	if (c == 'C' || c == 'D')
		return structor(d, p);
	if (c == 'S')
		return cpp_substitution(d, true);
	if (c == 'T')
		return cpp_template_parameter(d);
	/* Clang writes "J" now and then. */
	if (c == 'I' || c == 'J')
		return prefix_arguments(d, p);
	cpp_fail(d);
	return 0;
}

/* Every part but the last may be referred to later. */
static uint32_t prefix(struct cpp_demangler *d)
{
	struct prefix p = { 0 };

	while (!d->has_failed && cpp_peek(d, 0) != 'E') {
		char c = cpp_peek(d, 0);

		/* The scope of a lambda's variable. */
		if (c == 'M' && p.node) {
			d->at++;
			continue;
		}
		p.last = prefix_part(d, &p);
		if (p.node)
			p.node = cpp_node(d, CPP_SCOPED, p.node, p.last);
		else
			p.node = p.last;
		if (c != 'S' && cpp_peek(d, 0) != 'E')
			cpp_substitutable(d, p.node);
	}
	if (p.has_conversion)
		cpp_settle_pending(d, p.pending, 0);
	if (!p.node)
		cpp_fail(d);
	return p.node;
}

static uint32_t nested_name(struct cpp_demangler *d)
{
	uint32_t qualifiers = 0;
	uint32_t node;

	d->at++;
	if (!cpp_take(d, 'H')) {
		qualifiers = cpp_qualifiers(d);
		qualifiers |= cpp_reference_qualifier(d);
	}
	node = prefix(d);
	cpp_expect(d, 'E');
	return qualifiers ? cpp_numbered(d, CPP_METHOD, node, qualifiers)
			  : node;
}

/* ---- local names ---- */

static uint32_t local_name(struct cpp_demangler *d)
{
	uint32_t scope, node, number = 0;

	d->at++;
	scope = cpp_encoding(d, true, true);
	cpp_expect(d, 'E');
	if (cpp_take(d, 's')) {
		cpp_discriminator(d);
		return cpp_node(d, CPP_SCOPED, scope,
				cpp_text(d, STR("string literal")));
	}
	if (cpp_take(d, 'd'))
		number = cpp_compact_number(d) + 1;
	node = cpp_name(d);
	cpp_discriminator(d);
	if (number)
		node = cpp_numbered(d, CPP_DEFAULT_ARG, node, number);
	node = cpp_node(d, CPP_SCOPED, scope, node);
	d->nodes[node].number = true; /* local */
	return node;
}

/* ---- names ---- */

static uint32_t unscoped_name(struct cpp_demangler *d)
{
	uint32_t pending = d->pending_count;
	bool is_std = cpp_take_two(d, "St");
	bool is_conversion = false, is_substitution = false;
	uint32_t node;

	if (!is_std && cpp_peek(d, 0) == 'S') {
		node = cpp_substitution(d, false);
		is_substitution = true;
	} else {
		node = cpp_unqualified(d, &is_conversion);
	}
	if (is_std)
		node = cpp_node(d, CPP_SCOPED, cpp_text(d, STR("std")), node);
	if (cpp_peek(d, 0) == 'I') {
		if (!is_substitution)
			cpp_substitutable(d, node);
		node = cpp_with_arguments(d, node);
	}
	if (is_conversion)
		cpp_settle_pending(d, pending, d->nodes[node].list);
	return node;
}

uint32_t cpp_name(struct cpp_demangler *d)
{
	uint32_t node;
	bool is_conversion;

	if (!cpp_enter(d))
		return 0;
	switch (cpp_peek(d, 0)) {
	case 'N':
		node = nested_name(d);
		break;
	case 'Z':
		node = local_name(d);
		break;
	case 'U':
		node = cpp_unqualified(d, &is_conversion);
		break;
	default:
		node = unscoped_name(d);
	}
	d->depth--;
	return node;
}

/* ---- functions ---- */

/* The template whose arguments the parameters of this function mean. */
static uint32_t template_of(struct cpp_demangler *d, uint32_t node)
{
	for (;;) {
		const struct cpp_node *n = &d->nodes[node];

		cpp_step(d);
		if (n->kind == CPP_TEMPLATE)
			return node;
		if (n->kind == CPP_METHOD)
			node = n->one;
		else if (n->kind == CPP_SCOPED && n->number)
			node = n->other;
		else
			return 0;
	}
}

/* Only templates that are no constructors, destructors or conversions. */
static bool has_return_type(struct cpp_demangler *d, uint32_t node)
{
	node = template_of(d, node);
	if (!node)
		return false;
	node = d->nodes[node].one;
	while (d->nodes[node].kind == CPP_SCOPED) {
		cpp_step(d);
		node = d->nodes[node].other;
	}
	return d->nodes[node].kind != CPP_CONSTRUCTOR &&
	       d->nodes[node].kind != CPP_DESTRUCTOR &&
	       d->nodes[node].kind != CPP_CONVERSION;
}

/* Qualifiers of a method go behind its parameters. */
static uint32_t take_qualifiers(struct cpp_demangler *d, uint32_t *name)
{
	struct cpp_node *n = &d->nodes[*name];
	uint32_t found = 0;

	if (n->kind == CPP_METHOD) {
		found = n->number;
		*name = n->one;
		return found;
	}
	if (n->kind == CPP_SCOPED && n->number) {
		uint32_t inner = n->other;
		struct cpp_node *holder = n;

		if (d->nodes[inner].kind == CPP_DEFAULT_ARG) {
			holder = &d->nodes[inner];
			inner = holder->one;
		}
		if (d->nodes[inner].kind != CPP_METHOD)
			return 0;
		found = d->nodes[inner].number;
		if (holder == n)
			n->other = d->nodes[inner].one;
		else
			holder->one = d->nodes[inner].one;
	}
	return found;
}

static struct cpp_list function_parameters(struct cpp_demangler *d,
					   uint32_t name)
{
	uint32_t template = template_of(d, name);
	uint32_t scopes = d->template_count;
	uint32_t level = d->lambda_level;
	struct cpp_list list;

	if (template) {
		cpp_push_template(d, d->nodes[template].list, false);
		d->lambda_level = 0;
	}
	/* An attribute of Clang, with its condition. */
	if (str_starts(str_slice(d->in, d->at, d->in.len),
		       STR("Ua9enable_ifI"))) {
		d->at += STR("Ua9enable_if").len;
		cpp_template_arguments(d);
	}
	if (cpp_take(d, 'J') || has_return_type(d, name))
		cpp_type(d, false);
	list = cpp_parameters(d);
	if (cpp_peek(d, 0) == 'Q')
		cpp_constraint(d);
	d->template_count = scopes;
	d->lambda_level = level;
	return list;
}

static uint32_t special_name(struct cpp_demangler *d);

uint32_t cpp_encoding(struct cpp_demangler *d, bool has_parameters,
		      bool is_scope)
{
	uint32_t name, qualifiers, node;
	struct cpp_list list;

	if (!cpp_enter(d))
		return 0;
	if (cpp_peek(d, 0) == 'G' || cpp_peek(d, 0) == 'T') {
		node = special_name(d);
		d->depth--;
		return node;
	}
	node = name = cpp_name(d);
	if (!has_parameters) {
		take_qualifiers(d, &node);
	} else if (d->at < d->in.len && cpp_peek(d, 0) != 'E') {
		list = function_parameters(d, name);
		qualifiers = take_qualifiers(d, &name);
		node = cpp_numbered(d, is_scope ? CPP_SCOPE : CPP_TYPED, name,
				    qualifiers);
		d->nodes[node].list = list.first;
	}
	d->depth--;
	return node;
}

/* ---- special names ---- */

static void call_offset(struct cpp_demangler *d, char kind)
{
	cpp_number(d);
	cpp_expect(d, '_');
	if (kind == 'v') {
		cpp_number(d);
		cpp_expect(d, '_');
	} else if (kind != 'h') {
		cpp_fail(d);
	}
}

static char take_any(struct cpp_demangler *d)
{
	char c = cpp_peek(d, 0);

	if (d->at < d->in.len)
		d->at++;
	else
		cpp_fail(d);
	return c;
}

static const struct special {
	char code[4];
	enum { OF_TYPE, OF_NAME, OF_ENCODING, OF_THUNK, OF_COVARIANT } what;
	const char *text;
} specials[] = {
	{ "TV", OF_TYPE, "vtable for " },
	{ "TT", OF_TYPE, "VTT for " },
	{ "TI", OF_TYPE, "typeinfo for " },
	{ "TS", OF_TYPE, "typeinfo name for " },
	{ "TF", OF_TYPE, "typeinfo fn for " },
	{ "TJ", OF_TYPE, "java Class for " },
	{ "TH", OF_NAME, "TLS init function for " },
	{ "TW", OF_NAME, "TLS wrapper function for " },
	{ "Th", OF_THUNK, "non-virtual thunk to " },
	{ "Tv", OF_THUNK, "virtual thunk to " },
	{ "Tc", OF_COVARIANT, "covariant return thunk to " },
	{ "GV", OF_NAME, "guard variable for " },
	{ "GR", OF_NAME, "reference temporary for " },
	{ "GA", OF_ENCODING, "hidden alias for " },
	{ "GTt", OF_ENCODING, "transaction clone for " },
	{ "GTn", OF_ENCODING, "non-transaction clone for " },
};

static uint32_t special_part(struct cpp_demangler *d, const struct special *s)
{
	switch (s->what) {
	case OF_TYPE:
		return cpp_type(d, false);
	case OF_NAME:
		return cpp_name(d);
	case OF_COVARIANT:
		call_offset(d, take_any(d));
		call_offset(d, take_any(d));
		break;
	case OF_THUNK:
		call_offset(d, s->code[1]);
		break;
	case OF_ENCODING:
		break;
	}
	return cpp_encoding(d, true, false);
}

static uint32_t special_name(struct cpp_demangler *d)
{
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		struct str code = str_from(specials[i].code);
		uint32_t node;

		if (!str_starts(str_slice(d->in, d->at, code.len), code))
			continue;
		d->at += code.len;
		node = cpp_node(d, CPP_SPECIAL, special_part(d, &specials[i]),
				0);
		d->nodes[node].text = str_from(specials[i].text);
		return node;
	}
	cpp_fail(d);
	return 0;
}

/* ---- the whole ---- */

bool cpp_demangle(struct cpp_demangler *d, struct str name, struct buf *out,
		  uint64_t *steps)
{
	uint32_t node;

	if (!str_starts(name, STR("_Z")))
		return false;
	d->in = name;
	d->at = 2;
	d->has_failed = false;
	d->depth = d->steps = 0;
	d->node_count = d->cell_count = 1;
	d->substitution_count = d->template_count = d->pending_count = 0;
	d->lambda_level = 0;
	d->is_in_constraint = false;
	d->out = out;
	/* What follows the name, parameters and suffixes, is not read. */
	node = cpp_encoding(d, false, false);
	*steps += d->steps;
	if (d->has_failed)
		return false;
	d->depth = d->steps = 0;
	d->pack_at = 0;
	if (!cpp_print(d, node))
		cpp_fail(d);
	*steps += d->steps;
	return !d->has_failed;
}
