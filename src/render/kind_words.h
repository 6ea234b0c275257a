/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of code as tables and legends call them, and the minutes that requests
 * are of. Which function is of which kind is the affair of analyze/.
 */
#ifndef RENDER_KIND_WORDS_H
#define RENDER_KIND_WORDS_H

#include "model/category.h"
#include "model/request_history.h"

/* "HTTP client". Static. */
const char *code_kind_words(enum code_kind kind);

/* "in these minutes", "an hour before". Static. */
const char *request_role_words(enum request_role role);

#endif
