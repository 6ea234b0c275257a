/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of code as tables and legends call them. Which function is of which
 * kind is the affair of analyze/.
 */
#ifndef RENDER_KIND_WORDS_H
#define RENDER_KIND_WORDS_H

#include "model/category.h"

/* "HTTP client". Static. */
const char *code_kind_words(enum code_kind kind);

#endif
