/* SPDX-License-Identifier: Apache-2.0
 *
 * Selectors as Prometheus writes them, '{version="1.0",zone!~"eu-.*"}':
 * written for servers; read, and held against labels, for those that select
 * nothing themselves.
 */
#ifndef BACKEND_SELECTOR_H
#define BACKEND_SELECTOR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct selector;

/* NULL with ERROR_USAGE and the place of the mistake when text is none. */
struct selector *selector_parse(struct str text, struct error *err) MUST_CHECK;
void selector_free(struct selector *selector);

/* The value of a label, "" when there is none. */
typedef struct str (*selector_value)(void *context, struct str label);

/* Returns whether every matcher holds; patterns (=~, !~) are of whole values.
 * False when a pattern takes too long. */
bool selector_matches(const struct selector *selector, selector_value value,
		      void *context, bool *is_match,
		      struct error *err) MUST_CHECK;

/* '{label="value",...}' with values escaped as PromQL strings; names with
 * dots quoted. Appends one matcher to out, which begins empty or ends with
 * an unclosed list; close with selector_close(). */
void selector_add(struct buf *out, struct str label, struct str value);
/* The same with another operator: "!=", "=~" or "!~". */
void selector_match(struct buf *out, struct str label, const char *op,
		    struct str value);
void selector_close(struct buf *out);

/* '{service_name="x"}', or '{}' for all: service NULL. In the arena, and it
 * ends with a NUL byte. */
bool selector_of_service(struct arena *arena, const char *service,
			 struct str *out, struct error *err) MUST_CHECK;

#endif
