/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions a pattern that is being typed finds, and how much of the
 * width they cover.
 */
#ifndef TUI_SEARCH_H
#define TUI_SEARCH_H

#include "base/error.h"
#include "model/flame.h"

/* Longer than anybody types. */
#define SEARCH_BYTES 200u

struct search {
	const struct flame *f;
	char text[SEARCH_BYTES + 1];
	size_t len;
	bool *is_match;   /* by function */
	struct regex *re; /* NULL: none, or none that is one */
	bool is_active;
	bool is_late; /* a name took too long: what follows was not looked at */
};

/* False when memory ran out. */
bool search_init(struct search *s, const struct flame *f) MUST_CHECK;
void search_release(struct search *s);

void search_clear(struct search *s);

/* Add or take away a character, and look again. A character that is a control
 * or does not fit is left out. */
void search_add(struct search *s, uint32_t character);
void search_drop(struct search *s);

bool search_finds(const struct search *s, uint32_t node);

/* Whether the pattern is in one of two texts that are no functions; the first
 * that takes too long ends the search. */
bool search_finds_text(struct search *s, struct str a, struct str b);

/* The part of a node's values of a side that frames found have, each stack
 * once; 0..1. */
double search_share(const struct search *s, enum flame_side side,
		    uint32_t node);

#endif
