/* SPDX-License-Identifier: Apache-2.0
 *
 * Function names as people compare them: package paths, receivers, type
 * arguments, parameters and closures do not matter. Used to find the function
 * that a span was named after.
 */
#ifndef ANALYZE_FUNCTION_MATCH_H
#define ANALYZE_FUNCTION_MATCH_H

#include <stdbool.h>

#include "base/str.h"

enum name_match {
	NAME_MATCH_NONE = 0,
	NAME_MATCH_CLOSURE, /* a closure inside that function */
	NAME_MATCH_FUNCTION,
};

/* Whether a function's name is what the span's says: UserRepository.Find is
 * "shop/store.(*UserRepository).Find", "find" is too. Case and underscores do
 * not count; a class in span must match. Span names that are no code, such
 * as "GET /users", match nothing. */
enum name_match function_name_match(struct str name, struct str span);

/* True for names that every server has high in its stacks and that explain
 * nothing: main, run, ServeHTTP, dispatch. */
bool function_name_is_generic(struct str name);

#endif
