/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": the known word that lies nearest to a mistyped one.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Keeps the best of the words offered so far. */
struct suggestion {
	struct str wanted;
	size_t distance;
	char best[64]; /* "" while nothing is near enough */
};

/* wanted is borrowed as long as words are offered. */
void suggestion_init(struct suggestion *s, struct str wanted);
void suggestion_offer(struct suggestion *s, const char *word);
void suggestion_offer_text(struct suggestion *s, struct str known);

#endif
