/* SPDX-License-Identifier: Apache-2.0
 *
 * What reads C++ names: cpp.c functions, cpp.c what they consist of,
 * cpp_type.c types, cpp_type.c expressions; cpp_print.c writes. The grammar is
 * that of the Itanium C++ ABI, section 5.1. Expressions are only skipped: they
 * stand in template arguments, which are not shown. Private to demangle/.
 *
 * Reading never fails half-way: after a mistake everything looks like the end
 * of the name, and the result is thrown away.
 */
#ifndef DEMANGLE_CPP_H
#define DEMANGLE_CPP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#define CPP_NODES 8192u
#define CPP_CELLS 8192u
#define CPP_SUBSTITUTIONS 2048u
#define CPP_TEMPLATES 64u
#define CPP_PENDING 64u

enum cpp_kind {
	CPP_UNKNOWN = 0, /* read, but nothing to be shown */
	CPP_TEXT,
	CPP_SCOPED,      /* one::other */
	CPP_TEMPLATE,    /* one, with arguments */
	CPP_TAGGED,      /* one[abi:other] */
	CPP_DESTRUCTOR,  /* ~one */
	CPP_CONSTRUCTOR, /* one */
	CPP_CONVERSION,  /* operator one */
	CPP_CLOSURE,     /* {lambda(list)#number} */
	CPP_UNNAMED,     /* {unnamed type#number} */
	CPP_DEFAULT_ARG, /* {default arg#number}::one */
	CPP_BINDINGS,    /* [list] */
	CPP_FRIEND,      /* one[friend] */
	CPP_METHOD,      /* one with qualifiers (number) */
	CPP_SCOPE,       /* one() with qualifiers: a function around a name */
	CPP_TYPED,       /* one(list) with qualifiers */
	CPP_SPECIAL,     /* text one */
	CPP_POINTER,     /* one and text: "*", "&", "&&" */
	CPP_QUALIFIED,   /* type one with qualifiers */
	CPP_SUFFIXED,    /* type one, a blank, text or other */
	CPP_FUNCTION,    /* one: what it returns (0 none), list, qualifiers */
	CPP_ARRAY,       /* of one; text: how many */
	CPP_MEMBER,      /* pointer to member other of class one */
	CPP_PACK,        /* list of arguments in the place of one */
	CPP_EXPANSION,   /* of the pack in one */
	CPP_PARAMETER,   /* stands for one, argument `number` */
	CPP_AUTO,        /* auto:number */
	CPP_ELABORATED,  /* text and type one */
};

struct cpp_node {
	enum cpp_kind kind;
	uint32_t one, other; /* nodes, 0 none */
	uint32_t list;       /* first cell, 0 none */
	uint32_t number;
	struct str text;
};

struct cpp_cell {
	uint32_t node;
	uint32_t next; /* 0: the last */
};

struct cpp_demangler {
	struct str in;
	size_t at;
	bool has_failed;
	unsigned depth;
	unsigned steps;
	/* Number 0 of each is none. */
	struct cpp_node nodes[CPP_NODES];
	uint32_t node_count;
	struct cpp_cell cells[CPP_CELLS];
	uint32_t cell_count;
	uint32_t substitutions[CPP_SUBSTITUTIONS];
	uint32_t substitution_count;
	/* Arguments that parameters mean, outermost first. */
	struct cpp_scope {
		uint32_t list;
		bool is_later; /* those of a conversion follow its type */
	} templates[CPP_TEMPLATES];
	uint32_t template_count;
	/* Parameters of a conversion that wait for them. */
	uint32_t pending[CPP_PENDING];
	uint32_t pending_count;
	/* Templates around a lambda, plus 1; 0 outside of one. */
	uint32_t lambda_level;
	bool is_in_constraint;
	struct buf *out;
	uint32_t pack_at; /* which argument of a pack is being written */
};

struct cpp_demangler *cpp_demangler_new(void) MUST_CHECK;
void cpp_demangler_free(struct cpp_demangler *d);

/* Appended to out; false when it is no name of C++. *steps grows by those
 * taken. */
bool cpp_demangle(struct cpp_demangler *d, struct str name, struct buf *out,
		  uint64_t *steps);

/* ---- reading: what all parts use ---- */

static inline void cpp_fail(struct cpp_demangler *d)
{
	d->has_failed = true;
	d->at = d->in.len;
}

/* '\0' at the end. */
static inline char cpp_peek(const struct cpp_demangler *d, size_t ahead)
{
	return d->in.len - d->at > ahead ? d->in.ptr[d->at + ahead] : '\0';
}

static inline bool cpp_take(struct cpp_demangler *d, char c)
{
	if (d->at == d->in.len || d->in.ptr[d->at] != c)
		return false;
	d->at++;
	return true;
}

static inline void cpp_expect(struct cpp_demangler *d, char c)
{
	if (!cpp_take(d, c))
		cpp_fail(d);
}

/* Whether the next two are these; taken then. */
static inline bool cpp_take_two(struct cpp_demangler *d, const char *two)
{
	if (cpp_peek(d, 0) != two[0] || cpp_peek(d, 1) != two[1])
		return false;
	d->at += 2;
	return true;
}

/* Fails after too many of them. */
static inline void cpp_step(struct cpp_demangler *d)
{
	if (++d->steps > LIMIT_DEMANGLE_STEPS)
		cpp_fail(d);
}

/* One level deeper, for as long as there is leave, and room for the text. */
static inline bool cpp_enter(struct cpp_demangler *d)
{
	cpp_step(d);
	if (d->depth >= LIMIT_MANGLED_DEPTH || d->out->state != BUF_OK)
		cpp_fail(d);
	if (d->has_failed)
		return false;
	d->depth++;
	return true;
}

/* 0 and a failure when there are too many. */
uint32_t cpp_node(struct cpp_demangler *d, enum cpp_kind kind, uint32_t one,
		  uint32_t other);
uint32_t cpp_text(struct cpp_demangler *d, struct str text);
void cpp_substitutable(struct cpp_demangler *d, uint32_t node);

/* Lists in order. */
struct cpp_list {
	uint32_t first, last;
	uint32_t count;
};
void cpp_append(struct cpp_demangler *d, struct cpp_list *list, uint32_t node);

/* ---- the grammar; nodes, 0 after a failure ---- */

uint32_t cpp_encoding(struct cpp_demangler *d, bool has_parameters,
		      bool is_scope);
uint32_t cpp_name(struct cpp_demangler *d);
uint32_t cpp_unqualified(struct cpp_demangler *d, bool *is_conversion);
uint32_t cpp_source_name(struct cpp_demangler *d);
uint32_t cpp_substitution(struct cpp_demangler *d, bool is_prefix);
uint32_t cpp_template_parameter(struct cpp_demangler *d);
uint32_t cpp_template_arguments(struct cpp_demangler *d);
/* The template of that name with the arguments that follow. */
uint32_t cpp_with_arguments(struct cpp_demangler *d, uint32_t name);
uint32_t cpp_template_argument(struct cpp_demangler *d);
uint32_t cpp_closure(struct cpp_demangler *d);
uint32_t cpp_unnamed(struct cpp_demangler *d);
/* is_conversion: the type of "operator type". */
uint32_t cpp_type(struct cpp_demangler *d, bool is_conversion);
/* Parameters up to an "E"; a single "void" is none. */
struct cpp_list cpp_parameters(struct cpp_demangler *d);
uint32_t cpp_qualifiers(struct cpp_demangler *d);
uint32_t cpp_reference_qualifier(struct cpp_demangler *d);
int64_t cpp_number(struct cpp_demangler *d);
/* "_" is 0, "0_" is 1. */
uint32_t cpp_compact_number(struct cpp_demangler *d);
/* In names: the text behind "operator"; NULL and a failure: none. arity: of
 * it in an expression. */
const char *cpp_operator(struct cpp_demangler *d, unsigned *arity);
void cpp_expression(struct cpp_demangler *d);
void cpp_literal(struct cpp_demangler *d);
void cpp_constraint(struct cpp_demangler *d);
/* "Ty", "Tn type"...: a parameter of a generic lambda. False: it is none. */
bool cpp_template_declaration(struct cpp_demangler *d);

/* ---- writing ---- */

/* False when something in it cannot be shown. */
bool cpp_print(struct cpp_demangler *d, uint32_t node);

#endif
