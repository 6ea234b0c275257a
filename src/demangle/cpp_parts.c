/* SPDX-License-Identifier: Apache-2.0
 *
 * The small parts of a C++ name: numbers, plain names, what stands for earlier
 * parts, template arguments and parameters.
 */
#include "demangle/cpp.h"

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

uint32_t cpp_numbered(struct cpp_demangler *d, enum cpp_kind kind, uint32_t one,
		      uint32_t number)
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

void cpp_push_template(struct cpp_demangler *d, uint32_t list, bool is_later)
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

uint32_t cpp_tagged(struct cpp_demangler *d, uint32_t name)
{
	while (cpp_take(d, 'B'))
		name = cpp_node(d, CPP_TAGGED, name, cpp_source_name(d));
	return name;
}

/* "_2" or "__12_"; Clang leaves the underscore out at the end of a name. */
void cpp_discriminator(struct cpp_demangler *d)
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

/* The arguments that stand behind a conversion: 0 none. */
void cpp_settle_pending(struct cpp_demangler *d, uint32_t first, uint32_t list)
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
